//! Tests formatting: a formatted text has the tokens and comments of the text, in order; formatting
//! it again changes nothing; it means the same; and no line is too long that can be broken.

use halidom_diag::Sources;
use halidom_lang::{Module, Outline, Unformatted, format, outline, parse, print, print_schedule};

use crate::common::{code_blocks, files};

fn formatted(text: &str) -> Result<String, Unformatted> {
    let mut sources = Sources::new();
    let file = sources.add("text.hal", text);
    format(&sources, file)
}

fn read(text: &str) -> Module {
    let mut sources = Sources::new();
    let file = sources.add("text.hal", text);
    parse(&sources, file)
}

/// The tokens of a text, brackets included.
fn tokens(text: &str) -> Vec<&str> {
    fn flatten<'t>(text: &'t str, parts: &[Outline], tokens: &mut Vec<&'t str>) {
        for part in parts {
            let range = part.range();
            match part {
                Outline::Token { .. } => tokens.push(&text[range]),
                Outline::Group { parts, .. } => {
                    tokens.push(&text[range.start..=range.start]);
                    flatten(text, parts, tokens);
                    tokens.push(&text[range.end - 1..range.end]);
                }
            }
        }
    }
    let mut found = Vec::new();
    flatten(text, &outline(text).expect("the text has tokens"), &mut found);
    found
}

/// The comments of a text without strings that contain any.
fn comments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let after = &rest[at..];
        let end = if after.starts_with("//") {
            after.find('\n').unwrap_or(after.len())
        } else {
            after.find("*/").expect("the comment ends") + 2
        };
        found.push(after[..end].trim_end().to_owned());
        rest = &after[end..];
    }
    found
}

/// The pipelines and schedules of a text, printed.
fn meaning(text: &str) -> Vec<String> {
    let module = read(text);
    let mut printed = Vec::new();
    for pipeline in &module.pipelines {
        let name = |func| module.pool.func(func).name.clone();
        printed.push(format!("{:?}", print(&module.pool, &pipeline.algorithm)));
        for named in &pipeline.schedules {
            let text = print_schedule(&module.pool, &pipeline.algorithm, &named.schedule);
            printed.push(format!(
                "{} {:?} {text:?}",
                named.schedule.name,
                named
                    .schedule
                    .directives
                    .iter()
                    .map(|directive| name(directive.func))
                    .collect::<Vec<_>>()
            ));
        }
    }
    printed
}

/// Checks all that holds for the formatted text, and returns it.
fn check(name: &str, text: &str) -> String {
    let once = formatted(text).unwrap_or_else(|refused| panic!("{name}: {refused:?}\n{text}"));
    assert_eq!(tokens(text), tokens(&once), "{name}");
    assert_eq!(comments(text), comments(&once), "{name}\n{once}");
    let twice = formatted(&once).expect("it parses");
    assert_eq!(once, twice, "{name}: formatted twice");
    for line in once.lines() {
        assert!(line.trim_end() == line || once.contains("/*"), "{name}: {line:?}");
    }
    once
}

fn texts() -> Vec<(String, String)> {
    let mut texts = files("examples", "hal");
    texts.extend(files("examples/applications", "hal"));
    texts.extend(files("examples/table1", "hal"));
    for folder in ["docs", "docs/guide", "docs/errors"] {
        for (name, page) in files(folder, "md") {
            for (number, (_, code)) in code_blocks(&page).into_iter().enumerate() {
                if outline(&code).is_some() {
                    texts.push((format!("{name} {number}"), code));
                }
            }
        }
    }
    texts
}

#[test]
fn examples_keep_their_meaning_and_fit_the_width() {
    let mut count = 0;
    for (name, text) in texts() {
        // Some examples of errors do not parse.
        if formatted(&text).is_err() {
            assert!(read(&text).has_errors(), "{name} parses");
            continue;
        }
        let once = check(&name, &text);
        assert_eq!(meaning(&text), meaning(&once), "{name}");
        for line in once.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let width = line.find("//").map_or(line, |at| &line[..at]).chars().count();
            assert!(width <= 100, "{name}: {width}: {line}");
        }
        count += 1;
    }
    assert!(count > 150, "{count} texts");
}

/// Puts comments and line breaks between tokens.
#[test]
fn comments_stay_wherever_they_are() {
    let mut state: u64 = 1;
    let mut below = |bound: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut count = 0;
    for (name, text) in texts().into_iter().filter(|(_, text)| formatted(text).is_ok()) {
        for round in 0..8 {
            let mut spoiled = String::new();
            for token in tokens(&text) {
                let between = match below(if round == 0 { 6 } else { 40 }) {
                    0 => format!(" // beside {count}  \n"),
                    1 => format!("\n\n  // above {count}\n\n\n"),
                    2 => format!(" /* between {count} */"),
                    3 => format!("\n/* first\n   second {count} */\n"),
                    4 => "\n".to_owned(),
                    5 => format!("\n/* before {count} */ "),
                    _ => " ".to_owned(),
                };
                spoiled.push_str(&between);
                // `min=` needs no space, but may have one.
                spoiled.push_str(token);
                count += 1;
            }
            check(&format!("{name}, round {round}"), &spoiled);
        }
    }
}

#[test]
fn texts_without_line_breaks_become_lines() {
    for (name, text) in texts().into_iter().filter(|(_, text)| formatted(text).is_ok()) {
        let joined = tokens(&text).join(" ");
        let once = check(&name, &joined);
        for line in once.lines() {
            assert!(line.chars().count() <= 100, "{name}: {line}");
        }
    }
}

#[test]
fn lines_are_broken_at_the_loosest_place() {
    let text = "pipeline p(input:buffer<u16,2>,a:u16)->output:buffer<u16,2>{require \
        a>0&&input.width>0,\"no\";
 func  f ( x,y )=input( x,y )+ -1*input(x+ 1,y)  ; // beside


   func output(x, y) : u16 { output(x,y)=f(x,y); for (r , s) in (0 .. 3,-1..2) \
        where r!=s { output(x,y)min= f(x+r,y+s) ; output(x, y) = select(output(x, y) > 200 && \
        f(x + r, y) > 100 || a == 3, output(x, y) - f(x, y), f(x - 1, y)); } }
/* last */ }
schedule s ( n:8 )for p{output.split(y,yo,yi,n,tail:guard).parallel(yo).vectorize(x,16)\
        .update(1).reorder(x, r, s, y).unroll(r).unroll(s); for k in 0..1 { f.compute_root( ) ; } \
        output.specialize(a==1){output.parallel(x);} }
";
    let expected = "pipeline p(input: buffer<u16, 2>, a: u16) -> output: buffer<u16, 2> {
    require a > 0 && input.width > 0, \"no\";
    func f(x, y) = input(x, y) + -1 * input(x + 1, y); // beside

    func output(x, y): u16 {
        output(x, y) = f(x, y);
        for (r, s) in (0..3, -1..2) where r != s {
            output(x, y) min= f(x + r, y + s);
            output(x, y) =
                select(output(x, y) > 200 && f(x + r, y) > 100 || a == 3, output(x, y) - f(x, y),
                       f(x - 1, y));
        }
    }
    /* last */
}
schedule s(n: 8) for p {
    output.split(y, yo, yi, n, tail: guard).parallel(yo).vectorize(x, 16).update(1)
        .reorder(x, r, s, y).unroll(r).unroll(s);
    for k in 0..1 { f.compute_root(); }
    output.specialize(a == 1) { output.parallel(x); }
}
";
    assert_eq!(check("text", text), expected);
    assert_eq!(check("text", &text.replace('\n', "\r\n")), expected.replace('\n', "\r\n"));
}

#[test]
fn line_breaks_of_all_kinds_are_kept() {
    let pipeline = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = a(x); }";
    for (comment, expected) in [
        ("/* a\r\n b */\r\n", "/* a\r\n b */\r\n"),
        ("/* a\r\r\n b */\r\n", "/* a\r\n\r\n b */\r\n"),
        ("/* a\r b */\r\n", "/* a\r\n b */\r\n"),
        ("/* a\r b */\n", "/* a\n b */\n"),
        ("// a\r\r\n", "// a\r\n"),
        ("// a\r b\r\n", "// a\r b\r\n"),
        ("// a\r b\n", "// a\r b\n"),
    ] {
        let once = formatted(&format!("{comment}{pipeline}")).expect("it parses");
        assert!(once.starts_with(expected), "{comment:?}: {once:?}");
        assert_eq!(formatted(&once), Ok(once.clone()), "{comment:?}");
    }
}

#[test]
fn texts_with_syntax_errors_are_refused() {
    for text in ["pipeline p(", "func", "schedule s for p { f.; }", "/* open", "é"] {
        let Err(Unformatted::Syntax(diagnostics)) = formatted(text) else { panic!("{text}") };
        assert!(!diagnostics.is_empty(), "{text}");
    }
    assert_eq!(formatted("").as_deref(), Ok(""));
    assert_eq!(formatted("\n\n// only\n").as_deref(), Ok("// only\n"));
}
