//! Shrinks a program and its schedules while a property is kept: delta debugging on the text's
//! brackets, statements, chains and expressions.
//!
//! Edits know only the language's tokens and brackets ([`halidom_lang::outline()`]), so they need
//! no change when the language grows. Every text that is tried is valid: an edit that makes the
//! front end complain is skipped. Start with [`reduce`]; [`command`] asks a user's command.

pub mod command;
mod edits;
mod exprs;
mod global;

use halidom_base::FxHashSet;
use halidom_lang::{Outline, TokenKind, outline};

use edits::Edit;
use halidom_driver::source::parse;

/// The effort of a reduction.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The largest number of texts that are shown to the judge.
    pub tries: usize,
}

impl Default for Options {
    /// Options for five thousand texts.
    fn default() -> Self {
        Self { tries: 5000 }
    }
}

/// The result of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The smallest text that was found; it parses.
    pub text: String,
    /// The number of texts that the judge saw.
    pub tries: usize,
    /// The number of texts that were accepted.
    pub kept: usize,
}

/// A function that makes edits of a text, the largest first.
type Pass = fn(&str, &[Outline]) -> Vec<Edit>;

/// The passes, repeated in this order until none helps.
const PASSES: [Pass; 8] = [
    edits::statements,
    edits::links,
    edits::elements,
    edits::unwrap,
    global::types,
    global::dimensions,
    exprs::simplify,
    exprs::literals,
];

/// Shrinks a text as long as `keeps` accepts the result. `keeps` gets only valid texts, and each at
/// most once. The function assumes that `keeps` accepts the original text.
pub fn reduce(text: &str, options: Options, keeps: &mut dyn FnMut(&str) -> bool) -> Reduced {
    let mut reducer = Reducer {
        text: text.to_owned(),
        seen: FxHashSet::default(),
        options,
        tries: 0,
        kept: 0,
        keeps,
    };
    loop {
        let kept = reducer.kept;
        for pass in PASSES {
            reducer.pass(pass);
        }
        if reducer.kept == kept || reducer.tries >= options.tries {
            break;
        }
    }
    reducer.tidy();
    Reduced { text: reducer.text, tries: reducer.tries, kept: reducer.kept }
}

struct Reducer<'a> {
    text: String,
    /// The texts that were tried.
    seen: FxHashSet<String>,
    options: Options,
    tries: usize,
    kept: usize,
    keeps: &'a mut dyn FnMut(&str) -> bool,
}

impl Reducer<'_> {
    fn pass(&mut self, pass: Pass) {
        let mut at = 0;
        loop {
            let Some(parts) = outline(&self.text) else { return };
            let edits = pass(&self.text, &parts);
            let size = measure(&self.text, &parts);
            let taken = (at..edits.len()).find(|number| {
                let candidate = edits[*number].apply(&self.text);
                let smaller =
                    outline(&candidate).is_some_and(|parts| measure(&candidate, &parts) < size);
                smaller && self.accept(candidate)
            });
            // Edits that did not help on the larger text are tried again in the next round.
            match taken {
                Some(number) => at = number,
                None => return,
            }
        }
    }

    /// Accepts a text if it is valid and the judge agrees.
    fn accept(&mut self, candidate: String) -> bool {
        if self.tries >= self.options.tries
            || !self.seen.insert(candidate.clone())
            || !is_valid(&candidate)
        {
            return false;
        }
        self.tries += 1;
        if !(self.keeps)(&candidate) {
            return false;
        }
        self.kept += 1;
        self.text = candidate;
        true
    }

    /// Removes comments and empty lines.
    fn tidy(&mut self) {
        let bare: Vec<&str> = self
            .text
            .lines()
            .map(|line| line.split("//").next().unwrap_or(line).trim_end())
            .filter(|line| !line.is_empty())
            .collect();
        let bare = bare.join("\n") + "\n";
        if bare != self.text {
            self.accept(bare);
        }
    }
}

/// Tests whether the front end accepts a text.
pub(crate) fn is_valid(text: &str) -> bool {
    let loaded = parse("reduced.hal", text);
    !loaded.module.has_errors() && !loaded.module.pipelines.is_empty()
}

/// The size of a text: the number of its tokens, and the distance of its type names and numbers
/// from the simplest ones. Every edit must lower it, so the reduction terminates.
fn measure(text: &str, parts: &[Outline]) -> (usize, u128) {
    let (mut tokens, mut weight) = (0, 0_u128);
    for part in parts {
        match part {
            Outline::Token { kind, range } => {
                tokens += 1;
                let token = &text[range.clone()];
                weight = weight.saturating_add(match kind {
                    TokenKind::Integer => token.replace('_', "").parse().unwrap_or(1 << 64),
                    TokenKind::Float => float_weight(token),
                    TokenKind::Name => u128::from(global::weight(token)),
                    TokenKind::Keyword | TokenKind::Text | TokenKind::Punctuation => 0,
                });
            }
            Outline::Group { parts, .. } => {
                let (inner, inner_weight) = measure(text, parts);
                // Count an empty pair of brackets too.
                tokens += 1 + inner;
                weight = weight.saturating_add(inner_weight);
            }
        }
    }
    (tokens, weight)
}

fn float_weight(token: &str) -> u128 {
    match token {
        "0.0" => 0,
        "1.0" => 1,
        _ => 2 + token.len() as u128,
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, is_valid, reduce};
    use halidom_driver::compile::compile;
    use halidom_driver::source::{Choice, parse};

    const TEXT: &str = "
        // A pipeline with more in it than matters.
        pipeline p(a: buffer<u16, 3>, b: buffer<u8, 1>, n: i32) -> out: buffer<u16, 3> {
            require n > 0;
            func unused(x) = b(x) + 3;
            func f(x, y, c): u16 {
                f(x, y, c) = a(x, y, c) + a(x + 12, y, c) * 7;
                for r in 0..4 where r != 2 { f(x, y, c) += u16(b(r)); }
            }
            func out(x, y, c) = max(f(x, y - 1, c), f(x, y + 1, c)) / 5;
        }
        schedule s for p {
            out.tile(x, y, xo, yo, xi, yi, 8, 4, tail: guard).parallel(yo).vectorize(xi, 4);
            f.compute_at(out, xo);
        }
        schedule t for p { out.parallel(y); }
    ";

    #[test]
    fn what_does_not_matter_goes() {
        let mut shown = 0;
        let reduced = reduce(TEXT, Options::default(), &mut |text| {
            assert!(is_valid(text), "{text}");
            shown += 1;
            text.contains("compute_at(out") && allocates(text)
        });
        assert_eq!(shown, reduced.tries);
        // The required property remains, with its prerequisite: a reader of `f` that is not inline.
        let text = &reduced.text;
        assert!(text.contains("compute_at(out") && text.contains("f("), "{text}");
        for gone in
            ["unused", "require", "for r", "schedule t", "u16", "u8", "3>", "//", "12", "vectorize"]
        {
            assert!(!text.contains(gone), "`{gone}` is left: {text}");
        }
        assert!(text.split_whitespace().count() < 40, "{text}");
    }

    /// Tests whether the first schedule is legal and produces an allocation.
    fn allocates(text: &str) -> bool {
        let mut loaded = parse("reduced.hal", text);
        let choice = Choice { pipeline: 0, schedule: Some(0) };
        if loaded.module.pipelines[0].schedules.is_empty() {
            return false;
        }
        compile(&mut loaded, &choice, &mut |_, _, _| {}).is_ok_and(|compiled| {
            let program = halidom_ir::print::program(&loaded.module.pool, &compiled.structured);
            program.lines().any(|line| line.trim_start().starts_with("allocate"))
        })
    }

    #[test]
    fn a_text_is_left_alone_if_all_of_it_matters() {
        let text =
            "pipeline p(a: buffer<i32, 1>) -> f: buffer<i32, 1> {\n    func f(x) = a(x);\n}\n";
        let reduced = reduce(text, Options::default(), &mut |_| false);
        assert_eq!((reduced.text.as_str(), reduced.kept), (text, 0));
        assert!(reduced.tries > 0);
    }

    #[test]
    fn numbers_go_to_the_least_that_matters() {
        let text = "pipeline p(a: buffer<i32, 1>) -> f: buffer<i32, 1> { func f(x) = a(x + 100); }";
        let reduced = reduce(text, Options::default(), &mut |text| {
            let Some((_, rest)) = text.split_once("x + ") else { return false };
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<i64>().is_ok_and(|number| number >= 37)
        });
        assert!(reduced.text.contains("x + 37)"), "{}", reduced.text);
    }

    #[test]
    fn the_number_of_tries_is_kept() {
        let mut shown = 0;
        let reduced = reduce(TEXT, Options { tries: 3 }, &mut |_| {
            shown += 1;
            true
        });
        assert_eq!((reduced.tries, shown), (3, 3));
    }
}
