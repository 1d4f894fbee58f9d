//! The C of programs is accepted as printed, and refused after any change.

use std::num::NonZeroU32;

use halidom_ir::{
    Array, BinaryOp, BufferKind, Constant, Deal, Dim, Label, LoopKind, Pool, Program, Scalar, Stmt,
    UnaryOp,
};
use halidom_lower::legalize;
use halidom_readback::check;
use halidom_readback::lex::{Kind, Token, tokens};

use super::common::{Builder, arguments, array};
use super::repeats::repeats;
use super::run::row_blur;
use super::vectors::weighted;
use crate::{CModule, Target, Toolchain, compile, emit};

/// Scalars of several types, a condition, a buffer on the stack, parameters: `for i: if i < n &&
/// input(i) != 7: count(input(i) % 4) += (i32(input(i)) - bias) * 3`. The parameter `flag` negates
/// the addend.
fn scatter() -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", Scalar::U8, 1);
    let output = b.output("count", Scalar::I32, 1);
    let bias = b.param("bias", Scalar::I32);
    let flag = b.param("flag", Scalar::Bool);
    let [(i, position), (j, slot), (value, value_of)] =
        ["i", "j", "value"].map(|name| b.int_var(name));
    let [zero, one, four] = [0, 1, 4].map(|value| b.pool.int(value));
    let local =
        b.buffer("local", Scalar::I32, BufferKind::Internal, vec![Dim::new(zero, four, one)]);
    let byte = b.load(input, &[position]);
    let wide = b.pool.cast(Scalar::Int, byte);
    let bin = b.op(BinaryOp::Mod, value_of, four);
    let before = b.pool.load(local, bin, None);
    let signed = b.pool.cast(Scalar::I32, byte);
    let difference = b.pool.sub(signed, bias);
    let three = b.constant(Scalar::I32, 3);
    let weight = b.pool.mul(difference, three);
    let negated = b.pool.unary(UnaryOp::Neg(halidom_ir::Overflow::Wraps), weight);
    let chosen = b.pool.select(flag, negated, weight);
    let sum = b.pool.add(before, chosen);
    let count = b.store(local, bin, sum);
    let bound = b.let_in(value, wide, count);
    let extent = b.pool.buffer(input).dims[0].extent;
    let below = b.op(BinaryOp::Lt, position, extent);
    let seven = b.constant(Scalar::U8, 7);
    let differs = b.op(BinaryOp::Ne, byte, seven);
    let condition = b.op(BinaryOp::And, below, differs);
    let body = b.pool.stmt(Stmt::If { condition, then_branch: bound, else_branch: None });
    let fill = b.for_loop(i, zero, extent, LoopKind::Serial, body);
    let index = b.index(output, &[slot]);
    let value = b.pool.load(local, slot, None);
    let copy = b.store(output, index, value);
    let copy = b.for_loop(j, zero, four, LoopKind::Serial, copy);
    let body = b.block(vec![fill, copy]);
    let body = b.pool.stmt(Stmt::Allocate { buffer: local, body });
    let program = b.program("scatter", body);
    (b.pool, program)
}

/// A copy that prefetches elements ahead, and elements beyond all memory.
fn fetching() -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", Scalar::U16, 1);
    let output = b.output("output", Scalar::U16, 1);
    let (i, position) = b.int_var("i");
    let value = b.load(input, &[position]);
    let index = b.index(output, &[position]);
    let store = b.store(output, index, value);
    let wide = b.pool.cast(Scalar::U64, position);
    let far = b.constant(Scalar::U64, i128::from(u64::MAX) - 5);
    let ahead = b.constant(Scalar::U64, 64);
    let far = b.pool.add(wide, far);
    let ahead = b.pool.add(wide, ahead);
    let nothing = b.block(vec![]);
    let mut stmts: Vec<_> = [(input, ahead), (input, far), (output, ahead)]
        .into_iter()
        .map(|(buffer, index)| {
            let label = Label::Prefetch { buffer, index };
            b.pool.stmt(Stmt::Labeled { label, body: nothing })
        })
        .collect();
    stmts.push(store);
    let body = b.block(stmts);
    let dim = b.pool.buffer(output).dims[0];
    let body = b.for_loop(i, dim.min, dim.extent, LoopKind::Serial, body);
    let program = b.program("fetching", body);
    (b.pool, program)
}

#[test]
fn what_is_prefetched_may_lie_anywhere() {
    let (pool, program) = fetching();
    let module = emit(&pool, &program, &Target::AVX2).unwrap();
    let text = &module.text;
    assert_eq!(check(&pool, &program, text), Ok(()));
    assert_eq!(text.matches("halidom_prefetch(").count(), 3, "{text}");
    let toolchain = Toolchain::find().unwrap().strict();
    let kernel = compile(&module, &toolchain, &Target::host()).unwrap();
    let value = |n: usize| Constant::wrapped(Scalar::U16, n as i128 * 7919).unwrap();
    let inputs = [array(Scalar::U16, &[(-3, 40)], value)];
    let mut outputs = [array(Scalar::U16, &[(-3, 40)], |_| Constant::zero(Scalar::U16))];
    let arguments = arguments(&inputs, &outputs);
    kernel.run(&arguments, &mut outputs).unwrap();
    assert_eq!(outputs[0], inputs[0]);
}

#[test]
fn another_prefetch_is_noticed() {
    let (pool, program) = fetching();
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    let wrong = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "there is no `{from}` in\n{text}");
        check(&pool, &program, &changed).map_err(|mismatch| mismatch.what)
    };
    for (from, to, what) in [
        ("halidom_prefetch(input, ", "halidom_prefetch(output, ", "another buffer is prefetched"),
        (" + 64u,", " + 65u,", "another element is prefetched"),
        (", 2);", ", 4);", "elements of another size are prefetched"),
        ("halidom_prefetch(input", "halidom_publish(input", "a prefetch was expected"),
    ] {
        assert_eq!(wrong(from, to), Err(what.to_owned()), "`{to}` for `{from}`");
    }
}

#[test]
fn another_end_of_a_loop_is_noticed() {
    let (pool, program) = row_blur(LoopKind::Serial);
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    let wrong = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "there is no `{from}` in\n{text}");
        check(&pool, &program, &changed).map_err(|mismatch| mismatch.what)
    };
    let extent = "max_int(output_window_extent_1, 0)";
    for (from, to, what) in [
        // A loop that runs until it meets its end must not begin beyond the end.
        (extent, "output_window_extent_1", "an extent that may be negative"),
        (extent, "max_int(output_window_extent_1, 1)", "an extent that may be negative"),
        (extent, "min_int(output_window_extent_1, 0)", "an extent that may be negative"),
        (extent, "max_int(output_window_extent_0, 0)", "another extent"),
        (extent, "7", "another extent"),
        ("y_end = y + max_int", "y_end = y_end + max_int", "another bound"),
        ("; y != y_end;", "; y != output_window_extent_1;", "another bound"),
        ("; y != y_end;", "; y < y_end;", "!= was expected"),
    ] {
        assert_eq!(wrong(from, to), Err(what.to_owned()), "`{to}` for `{from}`");
    }
}

fn programs() -> Vec<(Pool, Program)> {
    let target = Target::AVX2;
    let (mut pool, wide) = weighted(24);
    let split = legalize(&mut pool, wide, target.machine()).unwrap();
    let eight = NonZeroU32::new(8).unwrap();
    vec![
        row_blur(LoopKind::Serial),
        row_blur(LoopKind::PARALLEL),
        row_blur(LoopKind::Parallel(Deal::STATIC)),
        row_blur(LoopKind::Parallel(Deal::DYNAMIC.with_chunk(eight))),
        (pool, split),
        scatter(),
        fetching(),
        repeats(Scalar::I16, 8, 2, 3),
    ]
}

fn spliced(text: &str, token: Token<'_>, replacement: &str) -> String {
    let end = token.start + token.text.len();
    [&text[..token.start], replacement, &text[end..]].concat()
}

/// Returns other texts for a token.
fn changes(token: Token<'_>, names: &[&str]) -> Vec<String> {
    let text = token.text;
    match token.kind {
        Kind::Mark => {
            let others: &[&str] = match text {
                "+" => &["-", "*"],
                "-" => &["+", "~"],
                "*" => &["+", "/"],
                "/" => &["%", "*"],
                "%" => &["/"],
                "<" => &["<=", ">"],
                "<=" => &["<", ">="],
                ">" | ">=" => &["<"],
                "==" => &["!="],
                "!=" => &["=="],
                "&&" => &["||", "=="],
                "||" => &["&&"],
                "&" => &["|"],
                "|" => &["&"],
                "!" => &["", "~"],
                "~" => &["", "-"],
                "->" => &["."],
                "++" => &[""],
                "?" | ":" => &["&&"],
                _ => &[],
            };
            others.iter().map(|other| (*other).to_owned()).collect()
        }
        Kind::Number => match text.trim_end_matches('u').parse::<u64>() {
            Ok(number) => {
                let suffix = if text.ends_with('u') { "u" } else { "" };
                [number + 1, number * 2 + 3].map(|other| format!("{other}{suffix}")).to_vec()
            }
            Err(_) => vec!["3.25f".to_owned()],
        },
        Kind::Word => {
            let position = names.iter().position(|name| *name == text);
            let next = |at: usize| names[(at + 1) % names.len()].to_owned();
            position.map(next).into_iter().collect()
        }
        Kind::Text | Kind::Directive | Kind::End => vec![],
    }
}

/// Returns the counts of [`scatter`] on some bytes, for a value of `flag`.
fn run_scatter(module: &CModule, program: &Program, flag: bool) -> Array {
    let toolchain = Toolchain::find().unwrap();
    let kernel = compile(module, &toolchain, &Target::host()).unwrap();
    let byte = |n: usize| Constant::wrapped(Scalar::U8, n as i128 * 37).unwrap();
    let inputs = [array(Scalar::U8, &[(0, 300)], byte)];
    let mut outputs = [array(Scalar::I32, &[(0, 4)], |_| Constant::zero(Scalar::I32))];
    let mut arguments = arguments(&inputs, &outputs);
    let bias = Constant::wrapped(Scalar::I32, i128::from(i32::MAX)).unwrap();
    arguments.params = vec![(program.params[0], bias), (program.params[1], Constant::bool(flag))];
    kernel.run(&arguments, &mut outputs).unwrap();
    let [output] = outputs;
    output
}

#[test]
fn every_change_of_the_c_is_noticed() {
    let mut tried = 0;
    let mut unnoticed = Vec::new();
    for (pool, program) in programs() {
        let module = emit(&pool, &program, &Target::AVX2).unwrap();
        let text = &module.text;
        assert_eq!(check(&pool, &program, text), Ok(()));
        let all = tokens(text).unwrap();
        let mut names: Vec<&str> =
            all.iter().filter(|t| t.kind == Kind::Word).map(|t| t.text).collect();
        names.sort_unstable();
        names.dedup();
        let count = |name: &str| all.iter().filter(|token| token.text == name).count();
        for token in &all {
            // The name of a field that nothing takes over has no effect.
            if token.kind == Kind::Word && count(token.text) == 1 {
                continue;
            }
            for other in changes(*token, &names) {
                let changed = spliced(text, *token, &other);
                tried += 1;
                if check(&pool, &program, &changed).is_ok() {
                    let line = text[..token.start].matches('\n').count() + 1;
                    let what = format!("`{other}` for `{}` in line {line}", token.text);
                    unnoticed.push((
                        program.clone(),
                        CModule { text: changed, ..module.clone() },
                        what,
                    ));
                }
            }
        }
        let lines: Vec<&str> = text.lines().collect();
        for number in 0..lines.len() {
            let line = lines[number].trim();
            let says_something =
                !line.is_empty() && !line.starts_with("/*") && !line.starts_with("(void)");
            if says_something {
                let kept = lines.iter().enumerate().filter(|(at, _)| *at != number);
                let changed: Vec<&str> = kept.map(|(_, line)| *line).collect();
                let noticed = check(&pool, &program, &changed.join("\n")).is_err();
                assert!(noticed, "the loss of line {}, `{line}`, goes unnoticed", number + 1);
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "only {tried} changes were tried");

    // Arithmetic modulo 2^32 does not depend on the wider type through which its operands pass.
    // Changes of this type are no errors.
    assert!(
        unnoticed.len() < 12,
        "{:?}",
        unnoticed.iter().map(|(.., what)| what).collect::<Vec<_>>()
    );
    let (pool, program) = scatter();
    let original = emit(&pool, &program, &Target::AVX2).unwrap();
    let expected = [false, true].map(|flag| run_scatter(&original, &program, flag));
    for (changed_program, module, what) in unnoticed {
        assert!(changed_program.name == "scatter" && what.contains("int"), "{what} goes unnoticed");
        let got = [false, true].map(|flag| run_scatter(&module, &changed_program, flag));
        assert_eq!(got, expected, "{what} goes unnoticed");
    }
}

#[test]
fn c_that_may_overflow_is_not_arithmetic_that_wraps() {
    let (pool, program) = scatter();
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    let unsigned =
        "(int32_t)((uint32_t)(int32_t)input[(i - input_min_0) * input_stride_0] - (uint32_t)bias)";
    let signed = "((int32_t)input[(i - input_min_0) * input_stride_0] - bias)";
    assert!(text.contains(unsigned), "{text}");
    let mismatch = check(&pool, &program, &text.replace(unsigned, signed)).unwrap_err();
    assert_eq!(mismatch.what, "arithmetic that C may leave undefined");
}

/// A variable that hides what the file uses, a comment that C ends elsewhere, an operator that
/// looks like two: each reads otherwise in C than it looks.
#[test]
fn c_that_reads_otherwise_than_it_looks_is_refused() {
    let (pool, program) = scatter();
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    assert_eq!(check(&pool, &program, &text), Ok(()));
    let comment = "/* What scatter_run";
    let wrong = |from: &str, to: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text, "there is no `{from}` in\n{text}");
        check(&pool, &program, &changed).map_err(|mismatch| mismatch.what)
    };
    for name in ["status", "closure", "captured", "failure", "max_int", "uint8_t", "halidom_x"] {
        let hidden = wrong("bias", name);
        assert!(hidden.is_err(), "{name}: {hidden:?}");
    }
    let taken = Err("a name that is taken".to_owned());
    for name in ["volatile", "long", "auto", "_Complex", "HALIDOM_OWNING"] {
        assert_eq!(wrong("flag", name), taken, "{name}");
    }
    for name in ["max_int", "memset", "other_run", "_run"] {
        assert!(wrong("scatter_run", name).is_err(), "{name}");
    }
    let helper = "static inline int64_t max_int";
    let start = text.find(helper).expect("the maximum");
    let end = start + text[start..].find("}\n").expect("its end") + 2;
    let without = [&text[..start], &text[end..]].concat();
    let missing = check(&pool, &program, &without).map_err(|mismatch| mismatch.what);
    assert_eq!(missing, Err("the helper function `max_int` is missing".to_owned()));
    let unclear = Err("a character that C may read otherwise".to_owned());
    for before in ["/* *\\\n/ */\n", "/* *\\\r/ */\n", "/* ??/ */\n", "/* \t */\n"] {
        assert_eq!(wrong(comment, &[before, comment].concat()), unclear, "{before:?}");
    }
    for (from, to) in [
        ("    return HALIDOM_OK;", "/*/    return HALIDOM_OK; /* */"),
        (comment, "// \n/* What scatter_run"),
        ("(uint32_t)bias", "(uint32_t)--bias"),
        ("uint8_t flag = args->flag != 0;", "uint8_t flag = args->flag;"),
        ("int32_t bias = args->bias;", "int32_t bias = args->bias != 0;"),
    ] {
        let found = wrong(from, to);
        assert!(found.is_err(), "`{to}` for `{from}`");
    }
}

/// The body of a parallel loop may have no name of a function that C calls by itself, and what it
/// captures comes once: both names would be `restrict`.
#[test]
fn another_body_of_a_loop_is_noticed() {
    let (pool, program) = row_blur(LoopKind::Parallel(Deal::Auto));
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    assert_eq!(check(&pool, &program, &text), Ok(()));
    let start = text.find("static int ").expect("a body") + "static int ".len();
    let body = &text[start..start + text[start..].find('(').expect("its parameters")];
    for name in ["max_int", "memset", "sin", "halidom_alloc"] {
        let changed = text.replace(&[body, "("].concat(), &[name, "("].concat());
        let changed = changed.replace(&[body, ","].concat(), &[name, ","].concat());
        let found = check(&pool, &program, &changed).map_err(|mismatch| mismatch.what);
        assert_eq!(found, Err("a name that is taken".to_owned()), "{name}");
    }
    let (field, taken) = ("*input;\n", "*restrict input = captured->input;\n");
    let changed = text.replacen(field, "*input;\n    const uint16_t *again;\n", 1);
    let again = "    const uint16_t *restrict again = captured->again;\n";
    let changed = changed.replacen(taken, &[taken, again].concat(), 1);
    let changed = changed.replacen("closure = {", "closure = {input, ", 1);
    let found = check(&pool, &program, &changed).map_err(|mismatch| mismatch.what);
    assert_eq!(found, Err("captured twice".to_owned()), "{changed}");
}

#[test]
fn a_loop_that_is_dealt_otherwise_is_noticed() {
    let eight = NonZeroU32::new(8).unwrap();
    let deals = [
        Deal::Auto,
        Deal::STATIC,
        Deal::STATIC.with_chunk(eight),
        Deal::DYNAMIC,
        Deal::DYNAMIC.with_chunk(eight),
    ];
    let texts = deals.map(|deal| {
        let (pool, program) = row_blur(LoopKind::Parallel(deal));
        emit(&pool, &program, &Target::AVX2).unwrap().text
    });
    for (deal, text) in deals.iter().zip(&texts) {
        let (pool, program) = row_blur(LoopKind::Parallel(*deal));
        for (other_deal, other) in deals.iter().zip(&texts) {
            let found = check(&pool, &program, other).map_err(|mismatch| mismatch.what);
            let expected = if deal == other_deal {
                assert_eq!(text, other);
                Ok(())
            } else {
                Err("a parallel loop that is dealt otherwise".to_owned())
            };
            assert_eq!(found, expected, "{other_deal:?} for {deal:?}");
        }
    }
}

#[test]
fn what_is_added_is_noticed() {
    let (pool, program) = scatter();
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    for (before, added) in [
        ("    return HALIDOM_OK;", "    count[0] = 0;\n"),
        (
            "int scatter_run(",
            "static int more(void *closure, int64_t i) {\n    return HALIDOM_OK;\n}\n",
        ),
        ("/* What scatter_run", "#define local input\n"),
        (
            "/* What scatter_run",
            "static inline int64_t div_int(int64_t a, int64_t b) {\n    return a;\n}\n",
        ),
    ] {
        let changed = text.replacen(before, &[added, before].concat(), 1);
        assert_ne!(changed, text);
        assert!(check(&pool, &program, &changed).is_err(), "{added} goes unnoticed");
    }
}

/// `output(i) = …` with minima and choices nested a hundred deep, on so many lanes.
fn nested(lanes: u32) -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", Scalar::I32, 1);
    let output = b.output("output", Scalar::I32, 1);
    let (i, position) = b.int_var("i");
    let by = b.pool.int(i128::from(lanes));
    let mut index = b.pool.mul(position, by);
    if lanes > 1 {
        index = b.ramp(index, 1, lanes);
    }
    let element = b.pool.load(input, index, None);
    let mut value = element;
    for number in 0..50 {
        let limit = b.constant(Scalar::I32, number);
        let limit = if lanes > 1 { b.broadcast(limit, lanes) } else { limit };
        let less = b.pool.binary(BinaryOp::Lt, element, limit);
        let chosen = b.pool.select(less, limit, value);
        value = b.pool.binary(BinaryOp::Min, element, chosen);
    }
    let store = b.store(output, index, value);
    let (zero, count) = (b.pool.int(0), b.pool.int(3));
    let body = b.for_loop(i, zero, count, LoopKind::Serial, store);
    let program = b.program("nested", body);
    (b.pool, program)
}

#[test]
fn reading_back_takes_no_longer_for_nesting() {
    for lanes in [1, 8] {
        let (pool, program) = nested(lanes);
        let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
        assert_eq!(check(&pool, &program, &text), Ok(()));
    }
}
