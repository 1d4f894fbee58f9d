//! Tests the changes that diagnostics carry: applied, each removes its diagnostic, and the text
//! still has its other parts.

use halidom_diag::{Diagnostic, Fix};

use crate::common::{code_blocks, files, parse_text};

fn applied(text: &str, fix: &Fix) -> String {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|(span, _)| span.start);
    let mut changed = text.to_owned();
    for (span, new) in edits.into_iter().rev() {
        changed.replace_range(span.range(), new);
    }
    changed
}

/// Applies the fix of each diagnostic alone; returns the codes of those that have one.
fn check(name: &str, text: &str) -> Vec<&'static str> {
    let (module, _) = parse_text(name, text);
    let count = |all: &[Diagnostic], wanted: &Diagnostic| {
        all.iter().filter(|one| (one.code, &one.message) == (wanted.code, &wanted.message)).count()
    };
    let mut codes = Vec::new();
    for diagnostic in &module.diagnostics {
        let Some(fix) = &diagnostic.fix else { continue };
        assert!(!fix.title.is_empty() && !fix.edits.is_empty(), "{name}: {fix:?}");
        let changed = applied(text, fix);
        let (after, report) = parse_text(name, &changed);
        let left = count(&after.diagnostics, diagnostic);
        let before = count(&module.diagnostics, diagnostic);
        assert!(left < before, "{name}: {fix:?} leaves\n{changed}\n{report}");
        codes.push(diagnostic.code.0);
    }
    codes
}

#[test]
fn the_fixes_of_documented_errors_remove_them() {
    let mut codes = Vec::new();
    for (name, page) in files("docs/errors", "md") {
        for (_, code) in code_blocks(&page) {
            codes.extend(check(&name, &code));
        }
    }
    assert!(codes.len() >= 12, "{codes:?}");
}

/// Wrong and right bodies of a pipeline.
const BODIES: [(&str, &str); 16] = [
    ("func b(x) = a(x) func c(x) = 1;", "func b(x) = a(x); func c(x) = 1;"),
    ("func b(x) = aa(x);", "func b(x) = aa(x);"),
    ("func other(x) = first(x); func first(x) = a(x);\n    func b(x) = a(x);", ""),
    ("func c(x): i31 = 1; func b(x) = a(x);", "func c(x): i32 = 1; func b(x) = a(x);"),
    ("func c(x): int = 1; func b(x) = a(x);", "func c(x): i32 = 1; func b(x) = a(x);"),
    ("func c(x) = x; func b(x) = a(x);", "func c(x) = i32(x); func b(x) = a(x);"),
    ("func b(x) = a(x) + f32(1);", "func b(x) = f32(a(x)) + f32(1);"),
    ("func b(x) = u8(x) + u8(a.min);", "func b(x) = u8(x) + u8(a.min(0));"),
    ("func b(x) = select(!a(x) == 1, 2, 3);", "func b(x) = select(~a(x) == 1, 2, 3);"),
    ("func b(x) = select(~(a(x) > 1), 2, 3);", "func b(x) = select(!(a(x) > 1), 2, 3);"),
    (
        "func c(x) = (a(x), a(x)); func b(x) = c(x) + 1;",
        "func c(x) = (a(x), a(x)); func b(x) = c(x).0 + 1;",
    ),
    (
        "func c[i in 0..2](x) = a(x); func b(x) = c(x);",
        "func c[i in 0..2](x) = a(x); func b(x) = c[0](x);",
    ),
    ("func b(x) = a[0](x);", "func b(x) = a(x);"),
    ("func c = repeat_egde(a); func b(x) = a(x);", "func c = repeat_edge(a); func b(x) = a(x);"),
    (
        "func c(x) = a(x); func b(x) { b(x) = 0; c(x) = 1; }",
        "func c(x) = a(x); func b(x) { b(x) = 0; b(x) = 1; }",
    ),
    (
        "func b(x) { b(x) = 0; for r in 3..0 { b(x) += a(r); } }",
        "func b(x) { b(x) = 0; for r in 0..3 { b(x) += a(r); } }",
    ),
];

#[test]
fn fixes_write_what_their_hints_say() {
    for (wrong, right) in BODIES {
        let body = |body: &str| {
            format!("pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> {{\n    {body}\n}}\n")
        };
        let text = body(wrong);
        check(wrong, &text);
        let (module, report) = parse_text(wrong, &text);
        if wrong == right {
            continue;
        }
        let fixes: Vec<_> = module.diagnostics.iter().filter_map(|one| one.fix.as_ref()).collect();
        let [fix, ..] = fixes.as_slice() else { panic!("{wrong}: no fix\n{report}") };
        if !right.is_empty() {
            assert_eq!(applied(&text, fix), body(right), "{wrong}");
        }
    }
}

#[test]
fn definitions_move_up() {
    let text = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> {
    func c(x) = d(x);
    // Two.
    func d(x) = a(x) + 2;
    func b(x) = c(x);
}
";
    let (module, _) = parse_text("text", text);
    let fix = module.diagnostics[0].fix.as_ref().expect("a fix");
    let expected = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> {
    func d(x) = a(x) + 2;
    func c(x) = d(x);
    // Two.
    func b(x) = c(x);
}
";
    assert_eq!(applied(text, fix), expected);
}

#[test]
fn words_of_schedules_are_mended() {
    for (wrong, right) in [
        ("b.vectorise(x, 8);", "b.vectorize(x, 8);"),
        ("bb.vectorize(x, 8); out.parallel(x);", ""),
        ("b.vectorize(x, 8, gaurd);", "b.vectorize(x, 8, guard);"),
        ("b.store_in(haep);", "b.store_in(heap);"),
        ("output.parallel(x);", ""),
        ("both(b);", "root(b);"),
    ] {
        let text = |steps: &str| {
            format!(
                "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> {{ func b(x) = a(x); }}
schedule_fn root(f) {{ f.compute_root(); }}
schedule s for p {{ {steps} }}
"
            )
        };
        let (module, _) = parse_text(wrong, &text(wrong));
        check(wrong, &text(wrong));
        if let Some(fix) = module.diagnostics.iter().find_map(|one| one.fix.as_ref())
            && !right.is_empty()
        {
            assert_eq!(applied(&text(wrong), fix), text(right));
        }
    }
}
