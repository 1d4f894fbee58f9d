//! Tests that no text causes a panic, every diagnostic has a place, and every pipeline that remains
//! is well formed (which `parse_text` checks).

use crate::common::{code_blocks, files, parse_text};

/// A small generator of pseudorandom numbers (xorshift), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    /// Returns a character boundary of a text.
    fn boundary(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// Pieces that are inserted into texts.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ":",
    ".",
    "..",
    "->",
    "=",
    "+=",
    "min=",
    "<",
    ">>",
    "-",
    "!",
    "@",
    "\"",
    "/*",
    "*/",
    "//",
    "ö",
    "0",
    "1.5",
    "0x",
    "1e",
    "99999999999999999999999",
    "x",
    "f",
    "input",
    "output",
    "sum",
    "sum(r in 0..3: ",
    "argmin(r in 0..3: ",
    ".0",
    "(a, b)",
    "for r in 0..3 {",
    "let",
    "func",
    "pipeline",
    "schedule",
    "fn",
    "where",
    "in",
    "u8(",
    "buffer<",
    "int",
    "$",
    "update(1)",
    "tail:",
    "specialize(",
    "require",
    "fast_math;",
];

fn texts() -> Vec<String> {
    let mut texts: Vec<String> =
        files("examples", "hal").into_iter().map(|(_, text)| text).collect();
    for folder in ["docs", "docs/errors"] {
        for (_, page) in files(folder, "md") {
            texts.extend(code_blocks(&page).into_iter().map(|(_, code)| code));
        }
    }
    texts
}

#[test]
fn truncated_texts() {
    for text in texts() {
        // Every prefix of short texts, some of long ones.
        let step = text.len() / 200 + 1;
        for end in (0..text.len()).step_by(step).filter(|end| text.is_char_boundary(*end)) {
            parse_text("truncated", &text[..end]);
        }
    }
}

#[test]
fn mutated_texts() {
    let texts = texts();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    const RUNS: usize = 6_000;
    for _ in 0..RUNS {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..=random.below(3) {
            let (one, other) = (random.boundary(&text), random.boundary(&text));
            let (start, end) = (one.min(other), one.max(other));
            match random.below(4) {
                // Delete a short piece, insert one, repeat one, or take one from another text.
                0 => text.replace_range(start..boundary_near(&text, start, end), ""),
                1 => text.insert_str(start, PIECES[random.below(PIECES.len())]),
                2 => {
                    let piece = text[start..boundary_near(&text, start, end)].to_owned();
                    text.insert_str(end, &piece);
                }
                _ => {
                    let other = &texts[random.below(texts.len())];
                    let from = random.boundary(other);
                    let piece = other[from..boundary_near(other, from, other.len())].to_owned();
                    text.insert_str(start, &piece);
                }
            }
        }
        refused += usize::from(parse_text("mutated", &text).0.has_errors());
    }
    assert!(refused > RUNS / 2, "mutations must matter: {refused} of {RUNS} refused");
}

/// Returns an end at most 20 bytes after the start.
fn boundary_near(text: &str, start: usize, end: usize) -> usize {
    let mut near = end.min(start + 20);
    while !text.is_char_boundary(near) {
        near -= 1;
    }
    near.max(start)
}

#[test]
fn deep_and_long_texts() {
    let around = |expr: &str| {
        format!("pipeline p(a: buffer<i32, 1>) -> b: buffer<i32, 1> {{ func b(x) = {expr}; }}")
    };
    let pairs =
        |open: &str, close: &str| format!("{}a(x){}", open.repeat(100_000), close.repeat(100_000));
    let mut lets = String::from("let v0 = a(x);");
    for i in 1..5000 {
        let previous = i - 1;
        lets.extend(["let v", &i.to_string(), " = v", &previous.to_string(), " * 2;"]);
    }
    for (text, code) in [
        (around(&pairs("(", ")")), "HAL0105"),
        (around(&pairs("-", "")), "HAL0105"),
        (around(&pairs("a(", ")")), "HAL0105"),
        (around(&pairs("{", "}")), "HAL0105"),
        (around(&"a(x) + ".repeat(100_000)), "HAL0105"),
        (around(&format!("{{ {lets} v4999 }}")), "HAL0105"),
        ("pipeline ".repeat(10_000), "HAL0104"),
        ("{".repeat(100_000), "HAL0104"),
        (format!("schedule s for p {{ {}", "f.specialize(true) { ".repeat(10_000)), "HAL0105"),
    ] {
        let (module, _) = parse_text("deep", &text);
        assert!(
            module.diagnostics.iter().any(|found| found.code.0 == code),
            "{code}: {}",
            &text[..80]
        );
    }
    // A sum with as many values as a large stencil has.
    let (module, report) = parse_text("stencil", &around(&vec!["a(x)"; 225].join(" + ")));
    assert!(!module.has_errors(), "{report}");
}
