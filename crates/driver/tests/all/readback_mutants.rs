//! The C of every example and every program of Table 1 under every schedule, changed in one place:
//! the read-back refuses all 500 mutants.
//!
//! The places and changes are drawn at random from a fixed seed: an operator, a number, a name, or
//! a whole line.

use crate::common::{every_program, in_parallel, load};
use halidom_codegen::{Target, emit};
use halidom_driver::compile::compile;
use halidom_driver::source::Choice;
use halidom_testgen::Random;

/// The number of mutants over all programs.
const MUTANTS: usize = 500;

/// A word, a number or a punctuation mark of the C text, outside of comments, directives and string
/// literals.
struct Token {
    start: usize,
    end: usize,
}

const MARKS: [&str; 11] = ["<=", ">=", "==", "!=", "&&", "||", "->", "++", "<<", ">>", "+="];

fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at) = (Vec::new(), 0);
    let skip_to = |from: usize, end: &str| {
        text[from..].find(end).map_or(text.len(), |to| from + to + end.len())
    };
    while at < bytes.len() {
        let rest = &text[at..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let end = if rest.starts_with("/*") {
            at = skip_to(at, "*/");
            continue;
        } else if rest.starts_with('#') {
            at = skip_to(at, "\n");
            continue;
        } else if rest.starts_with('"') {
            at = skip_to(at + 1, "\"");
            continue;
        } else if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            at + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            at + mark.len()
        } else {
            at + rest.chars().next().map_or(1, char::len_utf8)
        };
        if !rest.starts_with(char::is_whitespace) {
            tokens.push(Token { start: at, end });
        }
        at = end;
    }
    tokens
}

/// Tests for integer types, which occur in casts. Replacing one may have no effect, as arithmetic
/// modulo 2^16 permits wider intermediate types. The tests of `readback` cover them.
fn is_integer_type(name: &str) -> bool {
    name.starts_with("int") && name.ends_with("_t") || name.starts_with("uint") || name == "int"
}

/// A replacement for a token; `None` if every replacement keeps the meaning.
fn other(token: &str, names: &[&str], random: &mut Random) -> Option<String> {
    let mark = match token {
        "+" => "-",
        "-" => "+",
        "*" => "+",
        "/" => "*",
        "%" => "/",
        "<" => "<=",
        "<=" => "<",
        ">" => ">=",
        ">=" => ">",
        "==" => "!=",
        "!=" => "==",
        "&&" => "||",
        "||" => "&&",
        "&" => "|",
        "|" => "&",
        "<<" => ">>",
        ">>" => "<<",
        _ => "",
    };
    if !mark.is_empty() {
        return Some(mark.to_owned());
    }
    if let Ok(number) = token.trim_end_matches('u').parse::<u64>() {
        let suffix = if token.ends_with('u') { "u" } else { "" };
        return Some(format!("{}{suffix}", number + 1));
    }
    let name = names[random.below(names.len())];
    let says_as_much = name == token || (is_integer_type(name) && is_integer_type(token));
    (names.contains(&token) && !says_as_much).then(|| name.to_owned())
}

/// The start of the pipeline's own code, after the functions for operators.
fn own_code(text: &str) -> usize {
    let last = text.rfind("\nstatic inline").unwrap_or(0);
    text[last..].find("\n}\n").map_or(0, |end| last + end + 3)
}

/// A text changed in one place of the pipeline's own code, with a description of the change.
fn mutant(text: &str, random: &mut Random) -> (String, String) {
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let begin = own_code(text);
    // One in five loses a line.
    if random.below(5) == 0 {
        let lines: Vec<&str> = text.lines().collect();
        loop {
            let number = random.below(lines.len());
            if number < line_of(begin) {
                continue;
            }
            let line = lines[number].trim();
            let says_nothing =
                line.is_empty() || line.starts_with("/*") || line.starts_with("(void)");
            if !says_nothing {
                let kept = lines.iter().enumerate().filter(|(at, _)| *at != number);
                let kept: Vec<&str> = kept.map(|(_, line)| *line).collect();
                return (kept.join("\n"), format!("line {}, `{line}`, is lost", number + 1));
            }
        }
    }
    let mut tokens = tokens(text);
    tokens.retain(|token| token.start >= begin);
    let all: Vec<&str> = tokens.iter().map(|token| &text[token.start..token.end]).collect();
    let mut names: Vec<&str> = all
        .iter()
        .copied()
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
        .collect();
    names.sort_unstable();
    names.dedup();
    loop {
        let number = random.below(tokens.len());
        let (token, word) = (&tokens[number], all[number]);
        // A name that occurs only once belongs to a field or parameter that is never used.
        if all.iter().filter(|other| **other == word).count() == 1 {
            continue;
        }
        if let Some(other) = other(word, &names, random) {
            let changed = [&text[..token.start], &other, &text[token.end..]].concat();
            return (changed, format!("`{other}` for `{word}` in line {}", line_of(token.start)));
        }
    }
}

#[test]
fn mutants_of_the_c_are_refused() {
    let programs = every_program();
    let numbered: Vec<(usize, &(String, String))> = programs.iter().enumerate().collect();
    let results = in_parallel(&numbered, |(number, (name, text))| {
        let mut random = Random::new(*number as u64 + 1);
        let share = MUTANTS / programs.len() + usize::from(*number < MUTANTS % programs.len());
        let mut loaded = load(name, text);
        let mut choices = Vec::new();
        for (pipeline, one) in loaded.module.pipelines.iter().enumerate() {
            let schedules = std::iter::once(None).chain((0..one.schedules.len()).map(Some));
            choices.extend(schedules.map(|schedule| Choice { pipeline, schedule }));
        }
        let mut unnoticed = Vec::new();
        let made: Vec<_> = choices
            .iter()
            .map(|choice| {
                let compiled =
                    compile(&mut loaded, choice, &mut |_, _, _| {}).expect("it is legal");
                let module = emit(&loaded.module.pool, &compiled.program, &Target::host())
                    .expect("it is printed");
                let check = |text: &str| {
                    halidom_readback::check(&loaded.module.pool, &compiled.program, text)
                };
                assert_eq!(check(&module.text), Ok(()), "{name}");
                (loaded.schedule_of(choice).name, compiled.program, module.text)
            })
            .collect();
        for turn in 0..share {
            let (schedule, program, text) = &made[turn % made.len()];
            let (changed, what) = mutant(text, &mut random);
            if halidom_readback::check(&loaded.module.pool, program, &changed).is_ok() {
                unnoticed.push(format!("{name} under {schedule}: {what}"));
            }
        }
        (share, unnoticed)
    });
    let tried: usize = results.iter().map(|(share, _)| share).sum();
    let unnoticed: Vec<&str> =
        results.iter().flat_map(|(_, unnoticed)| unnoticed.iter().map(String::as_str)).collect();
    println!(
        "{tried} mutants of the C of {} files: the read-back refuses {}",
        programs.len(),
        tried - unnoticed.len()
    );
    assert_eq!(tried, MUTANTS);
    assert!(unnoticed.is_empty(), "{}", unnoticed.join("\n"));
}

/// A choice among literals has a type of its own in C: `c ? 130u : 1u` has 32 bits, whatever the
/// program means by it.
#[test]
fn choices_of_literals_have_the_type_of_c() {
    for (ty, value, change) in [
        ("u64", "select(x < 4, u64(130), u64(1)) * u64(4000000000)", Some(("(uint64_t)", ""))),
        ("u64", "u64(0) - select(x < 4, u64(130), u64(1))", Some(("(uint64_t)", ""))),
        ("u64", "u64(u32(x)) * u64(4000000000)", Some(("4000000000u", "(x < 9 ? 3u : 4u)"))),
        ("u32", "select(x < 4, u32(130), u32(1)) % u32(665)", Some(("665u", "64u"))),
        ("i8", "select(x < 4, i8(7), i8(3)) % i8(3)", Some((", 3)", ", 2)"))),
        ("u16", "select(u16(63) < select(x < 4, u16(98), u16(1)), u16(x), u16(3))", None),
        ("u8", "select(select(x < 4, i8(-98), i8(1)) < i8(3), u8(x), u8(3))", None),
    ] {
        let text =
            format!("pipeline p() -> a: buffer<{ty}, 1> {{\n    func a(x): {ty} = {value};\n}}\n");
        let mut loaded = load("choice", &text);
        let choice = Choice { pipeline: 0, schedule: None };
        let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal");
        let module =
            emit(&loaded.module.pool, &compiled.program, &Target::host()).expect("it is printed");
        let check =
            |text: &str| halidom_readback::check(&loaded.module.pool, &compiled.program, text);
        assert_eq!(check(&module.text), Ok(()), "{value}");
        if let Some((from, to)) = change {
            let store = module.text.rfind("a[").expect("a store");
            let (before, line) = module.text.split_at(store);
            let changed = line.replacen(from, to, 1);
            assert_ne!(changed, line, "{value}: {line}");
            assert!(check(&format!("{before}{changed}")).is_err(), "{value}: {changed}");
        }
    }
}
