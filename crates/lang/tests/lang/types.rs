//! Tests types of expressions: literals, conversions, and refusals.

use halidom_ir::print;

use crate::common::{parse_text, parse_valid, value_of};

/// Returns a program with an expression over inputs of several types, `x`, and parameters `n: int`,
/// `k: i32`.
fn program(expr: &str) -> String {
    format!(
        "pipeline p(b8: buffer<u8, 1>, s16: buffer<i16, 1>, s32: buffer<i32, 1>, h: buffer<f32, \
            1>, d: buffer<f64, 1>,
                    q: buffer<bool, 1>, n: int, k: i32) -> out: buffer<u8, 1> {{
            func t(x) = {expr};
            func out(x) = b8(x);
        }}"
    )
}

#[test]
fn literals_and_conversions() {
    for (expr, expected) in [
        ("b8(x) + 1", "b8(x) + 1u8"),
        ("1 + b8(x)", "1u8 + b8(x)"),
        ("2 * (3 - b8(x))", "2u8 * (3u8 - b8(x))"),
        ("-1 * s16(x)", "-1i16 * s16(x)"),
        ("-128", "-128i32"),
        ("i8(-128)", "-128i8"),
        ("u8(300)", "44u8"),
        ("u64(0xffff_ffff_ffff_ffff)", "18446744073709551615u64"),
        ("f64(0.1) + d(x)", "0.1f64 + d(x)"),
        ("2 * h(x)", "2.0f32 * h(x)"),
        ("-h(x) * -2", "neg(h(x)) * -2.0f32"),
        ("h(x) < 1", "h(x) < 1.0f32"),
        ("1.5", "1.5f32"),
        ("7", "7i32"),
        ("0b101 + s32(x)", "5i32 + s32(x)"),
        ("b8(x + 1)", "b8(x + 1)"),
        ("b8(k)", "b8(int(k))"),
        ("b8(x + k)", "b8(x + int(k))"),
        ("b8(b8(x))", "b8(int(b8(x)))"),
        ("b8(n * x)", "b8(n * x)"),
        ("b8(s16(x) + 1)", "b8(int(s16(x) + 1i16))"),
        ("i32(x)", "i32(x)"),
        ("f32(b8(x))", "f32(b8(x))"),
        ("u8(h(x))", "u8(h(x))"),
        ("q(x) && b8(x) > 3", "q(x) & b8(x) > 3u8"),
        ("q(x) & !q(x + 1)", "q(x) & !q(x + 1)"),
        ("~b8(x) | 1 ^ b8(x) & 3", "!b8(x) | 1u8 ^ b8(x) & 3u8"),
        ("b8(x) << 2 >> 1", "b8(x) << 2u8 >> 1u8"),
        ("select(x < n, b8(x), 0)", "select(x < n, b8(x), 0u8)"),
        ("min(b8(x), 3) + 1", "min(b8(x), 3u8) + 1u8"),
        ("s16(x) + min(1, 2)", "s16(x) + min(1i16, 2i16)"),
        ("select(1 < 2, b8(x), 0)", "select(1 < 2, b8(x), 0u8)"),
        ("b8(x + b8.extent(0) - b8.min(0))", "b8(x + b8.extent.0 - b8.min.0)"),
        ("{ let v = b8(x); let w: u16 = 3; u16(v) + w }", "u16(b8(x)) + 3u16"),
        ("(b8(x), 2 * h(x)).1", "2.0f32 * h(x)"),
        ("{ let t: (u8, i16) = (1, 2); s16(x) + t.1 }", "s16(x) + 2i16"),
        ("select(q(x), (b8(x), h(x)), (0, 1)).1", "select(q(x), h(x), 1.0f32)"),
        ("a_b(x)", ""),
    ] {
        if expected.is_empty() {
            assert!(parse_text(expr, &program(expr)).0.has_errors(), "{expr} is refused");
            continue;
        }
        let module = parse_valid(expr, &program(expr));
        assert_eq!(print::expr(&module.pool, value_of(&module, "t")), expected, "{expr}");
    }
}

#[test]
fn precedence_is_that_of_rust() {
    for (one, other) in [
        ("1 + 2 * 3 - 4 / 5 % 6", "(1 + (2 * 3)) - ((4 / 5) % 6)"),
        ("1 + 2 << 3 & 4 | 5 ^ 6", "(((1 + 2) << 3) & 4) | (5 ^ 6)"),
        ("10 - 3 - 2", "(10 - 3) - 2"),
        ("-2 * 3", "(-2) * 3"),
    ] {
        let text = |expr: &str| program(&format!("s32(x) + ({expr})"));
        let (one_module, other_module) =
            (parse_valid(one, &text(one)), parse_valid(other, &text(other)));
        assert_eq!(
            print::expr(&one_module.pool, value_of(&one_module, "t")),
            print::expr(&other_module.pool, value_of(&other_module, "t")),
            "{one}"
        );
    }
    let logic = parse_valid("logic", &program("q(x) || x < n && x + 1 == n"));
    assert_eq!(print::expr(&logic.pool, value_of(&logic, "t")), "q(x) | x < n & x + 1 == n");
}

#[test]
fn what_is_refused() {
    for (expr, code, hint) in [
        ("b8(x) + s16(x)", "HAL0303", "convert it: `i16(b8(x))`"),
        ("h(x) * b8(x)", "HAL0303", "convert it: `f32(b8(x))`"),
        ("h(x) + d(x)", "HAL0303", "convert it: `f64(h(x))`"),
        ("b8(x) + 1.5", "HAL0303", "convert it: `f32(b8(x))`"),
        ("h(x) + x", "HAL0303", "convert it: `f32(x)`"),
        ("x + 1.5", "HAL0303", "convert it: `f32(x)`"),
        ("select(q(x), b8(x), s16(x))", "HAL0303", "convert it: `i16(b8(x))`"),
        ("select(b8(x), b8(x), 0)", "HAL0302", "compare it with something"),
        ("b8(h(x))", "HAL0302", "convert it: `int(i32(h(x)))`"),
        ("b8(x + 1.5)", "HAL0303", ""),
        ("int(h(x))", "HAL0308", "convert it: `int(i32(h(x)))`"),
        ("b8(x) + 256", "HAL0305", "`u8` goes from 0 to 255"),
        ("b8(x) - -1", "HAL0305", "`u8` goes from 0 to 255"),
        ("i32(1) + 3_000_000_000", "HAL0305", ""),
        ("1e39", "HAL0305", ""),
        ("x", "HAL0306", "convert its value to a machine integer: `i32(…)`"),
        ("h(x) % 2", "HAL0304", ""),
        ("-q(x)", "HAL0304", ""),
        ("!b8(x)", "HAL0304", "`!` is for `bool`; the complement of bits is `~`"),
        ("~h(x)", "HAL0304", ""),
        ("x << 1", "HAL0304", "convert it to a machine integer first, `i32(…)` say"),
        ("q(x) + q(x)", "HAL0304", ""),
        ("q(x) < q(x)", "HAL0304", ""),
        ("min(q(x), q(x))", "HAL0304", ""),
        ("abs(b8(x))", "HAL0304", ""),
        ("sqrt(b8(x))", "HAL0304", "convert it: `f32(b8(x))`"),
        ("lerp(s16(x), 2, 3)", "HAL0304", ""),
        ("widening_add(h(x), h(x))", "HAL0304", ""),
        ("b8(x) && q(x)", "HAL0302", "compare it with something"),
        ("b8(x, 0)", "HAL0409", ""),
        ("b8()", "HAL0409", ""),
        ("min(b8(x))", "HAL0309", ""),
        ("select(q(x), 1)", "HAL0309", ""),
        ("select(q(x), 1, q(x), 2)", "HAL0309", "write `select(condition, value, …, otherwise)`"),
        ("u8(1, 2)", "HAL0309", ""),
        ("b8(x) == x == n", "HAL0104", ""),
        ("y", "HAL0201", ""),
        ("b9(x)", "HAL0201", "did you mean `b8`?"),
        ("clmap(b8(x), 1, 2)", "HAL0201", "did you mean `clamp`?"),
        ("b8", "HAL0203", "write its coordinates: `b8(…)`"),
        ("n(x)", "HAL0203", ""),
        ("repeat_edge(b8)", "HAL0203", "name its result: `func name = repeat_edge(…);`"),
        ("sum(b8(x))", "HAL0309", "write `sum(r in 0..n: e)`"),
        ("sum(r in 0..x: b8(r))", "HAL0402", ""),
        ("sum(r in 0..3: q(r))", "HAL0304", ""),
        (
            "argmin(r in 0..3: b8(r)) + 1",
            "HAL0310",
            "choose a component: `argmin(r in 0..3: b8(r)).0`",
        ),
        ("argmax(r in 0..3: q(r)).0", "HAL0304", ""),
        ("(b8(x), 1).2", "HAL0310", "components are counted from 0: the last one is 1"),
        ("b8(x).0", "HAL0310", ""),
        (
            "{ let t = (b8(x), 1); t }.1 + { let t = (b8(x), 1); t }",
            "HAL0310",
            "choose a component: `{ let t = (b8(x), 1); t }.0`",
        ),
        ("select(q(x), (b8(x), 1), b8(x)).0", "HAL0310", ""),
        ("select(q(x), (b8(x), 1), (1, h(x))).0", "HAL0302", ""),
        ("(b8(x), x)", "HAL0306", ""),
        ("sum(x in 0..3: b8(x))", "HAL0202", ""),
        (
            "b8.size",
            "HAL0204",
            "inputs have `min(k)`, `extent(k)`, `width`, `height` and `channels`",
        ),
        ("b8.extent(1)", "HAL0204", "dimensions are counted from 0"),
        ("b8.extent(n)", "HAL0204", "write `b8.extent(0)` for the first"),
        ("b8.extent", "HAL0204", "write `extent(0)` for the first"),
        ("out.extent(0)", "HAL0205", ""),
        ("t(x)", "HAL0408", ""),
        ("out(x)", "HAL0406", "move the definition of `out` up"),
        ("b8(x..)", "HAL0206", ""),
    ] {
        let (module, report) = parse_text(expr, &program(expr));
        let codes: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
        assert_eq!(codes, [code], "{expr}\n{report}");
        if !hint.is_empty() {
            assert_eq!(module.diagnostics[0].hint.as_deref(), Some(hint), "{expr}");
        }
        assert!(module.pipelines.is_empty(), "{expr}: a pipeline with an error is left out");
    }
}
