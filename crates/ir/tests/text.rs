//! Tests that the text form round-trips, that the verifier accepts well-formed texts, and that it
//! names the broken rule of others.

use halidom_ir::verify::{self, Phase};
use halidom_ir::{BinaryOp, Pool, Type, parse, print};

/// An algorithm and a final program that use every construct.
const FINAL: &str = include_str!("final.ir");
/// An algorithm and a program with bounds to be inferred and with funcs as arrays.
const HOLES: &str = include_str!("holes.ir");

fn reprint(text: &str) -> String {
    let module = parse::module(text).expect("the text is read");
    match module.program {
        Some(program) => print::module(&module.pool, &module.algorithm, &program),
        None => print::algorithm(&module.pool, &module.algorithm),
    }
}

fn violations(text: &str, phase: Phase) -> Vec<&'static str> {
    let module = parse::module(text).expect("the text is read");
    let mut rules = Vec::new();
    for result in [
        verify::algorithm(&module.pool, &module.algorithm),
        module.program.map_or(Ok(()), |program| verify::program(&module.pool, &program, phase)),
    ] {
        rules.extend(result.err().unwrap_or_default().into_iter().map(|violation| violation.rule));
    }
    rules
}

#[test]
fn printing_what_was_read_gives_the_same_text() {
    for text in [FINAL, HOLES] {
        assert_eq!(reprint(text), text);
    }
}

#[test]
fn well_formed_texts_verify() {
    assert_eq!(violations(FINAL, Phase::Final), [""; 0]);
    assert_eq!(violations(HOLES, Phase::Holes), [""; 0]);
}

#[test]
fn each_broken_rule_is_named() {
    for (phase, text, good, bad, rule) in [
        (Phase::Structured, HOLES, "", "", "completed programs have no holes"),
        (Phase::Final, HOLES, "", "", "final programs have no refs"),
        (Phase::Final, HOLES, "", "", "final programs have no provides"),
        (Phase::Holes, HOLES, "u16(f(x$2))", "u8(f(x$2))", "operands have one type"),
        (
            Phase::Holes,
            HOLES,
            "in [?cpu(f, 0, 0, 0, min),",
            "in [gain,",
            "interval ends are scalar ints",
        ),
        (
            Phase::Final,
            FINAL,
            "allocate f.buffer: u8 for f",
            "allocate f.buffer: u16 for f",
            "a store's value has the buffer's type and the index's lanes",
        ),
        (
            Phase::Final,
            FINAL,
            "parallel y$2 in",
            "vectorized y$2 in",
            "final loops are serial or parallel",
        ),
        (Phase::Final, FINAL, "select(i < 3", "select(y$2 < 3", "variables are in scope"),
        (
            Phase::Final,
            FINAL,
            "ramp(x$4, 1, 4)) stage 0] =",
            "ramp(x$4, 1, 4)) stage 7] =",
            "a named stage exists",
        ),
        (
            Phase::Final,
            FINAL,
            "ramp(x$4, 1, 4)",
            "ramp(x$4, 1, 65537)",
            "a vector has two to 65,536 lanes",
        ),
        (
            Phase::Final,
            FINAL,
            "broadcast(1u8, 4)",
            "broadcast(1u8, 4000000000)",
            "a vector has two to 65,536 lanes",
        ),
        (
            Phase::Final,
            FINAL,
            "shuffle(part, part; 3, 6",
            "shuffle(part, part; 3, 8",
            "a shuffle has at least two lanes, and takes them from its operands",
        ),
        (
            Phase::Final,
            FINAL,
            "shuffle(part, part;",
            "shuffle(part, u16(part);",
            "a shuffle's operands are vectors of one type",
        ),
        (
            Phase::Final,
            FINAL,
            "f32 = pow;",
            "f32 = sinh;",
            "a named function takes operands of its types, and none is an int",
        ),
        (
            Phase::Final,
            FINAL,
            "apply(\"mix\": u8; part, broadcast(1u8, 4))",
            "apply(\"mix\": u8; part, 1u8)",
            "a named function takes operands of its types, and none is an int",
        ),
        (
            Phase::Final,
            FINAL,
            "u64(n) + 64u64",
            "n + 64",
            "an element that is prefetched is a scalar u64 that reads no memory",
        ),
        (
            Phase::Final,
            FINAL,
            "u64(n) + 64u64",
            "u64(n + 64)",
            "an element that is prefetched is a scalar u64 that reads no memory",
        ),
        (
            Phase::Final,
            FINAL,
            "u64(n) + 64u64",
            "u64(in.buffer[n])",
            "an element that is prefetched is a scalar u64 that reads no memory",
        ),
        (
            Phase::Final,
            FINAL,
            "prefetch in.buffer[",
            "prefetch f.buffer[",
            "what is prefetched is alive",
        ),
    ] {
        assert!(text.contains(good), "the text has no `{good}`");
        let broken = text.replacen(good, bad, 1);
        let found = violations(&broken, phase);
        assert!(found.contains(&rule), "expected `{rule}`, found {found:?}");
    }
}

/// As a tree, this expression has 3^60 leaves.
#[test]
fn texts_of_shared_operands_are_cut_and_refused() {
    let mut pool = Pool::new();
    let var = pool.declare_var("x", Type::INT);
    let mut value = pool.var_expr(var);
    for _ in 0..60 {
        let twice = pool.add(value, value);
        value = pool.binary(BinaryOp::Max, twice, value);
    }
    let text = print::expr(&pool, value);
    assert!(text.len() < 1 << 21 && text.contains("left out"), "{} bytes", text.len());
    let (before, rest) = HOLES.split_once("u16(f(x$2))").expect("the text has this value");
    assert!(parse::module(HOLES).is_ok());
    assert!(parse::module(&format!("{before}…too long, left out…{rest}")).is_err());
}

#[test]
fn ways_of_dealing_that_there_are_not_are_refused() {
    let good = "parallel(dynamic, 4)";
    assert!(FINAL.contains(good), "the text has no `{good}`");
    for bad in [
        "parallel()",
        "parallel(guided)",
        "parallel(dynamic,)",
        "parallel(dynamic, 0)",
        "parallel(dynamic, -1)",
        "parallel(static, 2147483648)",
        "for(dynamic, 4)",
    ] {
        assert!(parse::module(&FINAL.replace(good, bad)).is_err(), "accepted `{bad}`");
    }
}

#[test]
fn damaged_texts_are_refused_with_a_place() {
    for end in (0..FINAL.len() - 3).step_by(7).filter(|end| FINAL.is_char_boundary(*end)) {
        let damaged = &FINAL[..end];
        // A text cut off after the algorithm is complete. A text cut off elsewhere is not.
        match parse::module(damaged) {
            Ok(module) => assert!(module.program.is_none(), "accepted a text cut at {end}"),
            Err(error) => assert!(error.offset <= damaged.len()),
        }
    }
}

/// Parses a value with the given numbers of nested parentheses, of terms, and of signs before it.
fn deep(parentheses: usize, terms: usize, signs: usize) -> Result<(), parse::ParseError> {
    let sum = vec!["1u8"; terms].join(" + ");
    let value = "!".repeat(signs) + &"(".repeat(parentheses) + &sum + &")".repeat(parentheses);
    let text = format!(
        "algorithm p {{\n  func f(x): u8 {{\n    stage(x) = {value};\n  }}\n  output f;\n}}\n"
    );
    parse::module(&text).map(|_| ())
}

#[test]
fn nested_texts_are_read_or_refused() {
    let refused = |result: Result<(), parse::ParseError>| {
        result.is_err_and(|error| error.expected == "fewer things within each other")
    };
    for (parentheses, terms, signs) in [(60_000, 1, 0), (0, 60_000, 0), (0, 1, 60_000)] {
        assert!(refused(deep(parentheses, terms, signs)), "{parentheses} {terms} {signs}");
    }
    for (parentheses, terms, signs) in [(10_000, 1, 0), (0, 20_000, 0), (0, 1, 20_000)] {
        assert_eq!(deep(parentheses, terms, signs), Ok(()), "{parentheses} {terms} {signs}");
    }
}
