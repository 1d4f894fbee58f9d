//! Tests built-in functions against their definitions, for every pair of bytes.

use halidom_ir::{Constant, Scalar};

use crate::common::{evaluate, parse_text, parse_valid, value_of};

/// Checks `expr` of parameters `a` and `b` of a type against a definition over exact integers.
fn check_pairs(
    scalar: Scalar,
    expr: &str,
    result: Scalar,
    definition: impl Fn(i128, i128) -> i128,
) {
    let text = format!(
        "pipeline p(a: {scalar}, b: {scalar}) -> r: buffer<{result}, 0> {{ func r() = {expr}; }}"
    );
    let module = parse_valid(expr, &text);
    let value = value_of(&module, "r");
    let (low, high) = scalar.range().unwrap();
    for a in low..=high {
        for b in low..=high {
            let values =
                |name: &str| Constant::wrapped(scalar, if name == "a" { a } else { b }).unwrap();
            let found = evaluate(&module.pool, value, &values).and_then(Constant::as_integer);
            assert_eq!(found, Some(definition(a, b)), "{expr} of {scalar} {a} and {b}");
        }
    }
}

#[test]
fn integer_functions_are_exact() {
    use Scalar::{I8, I16, U8, U16};
    for (scalar, wide, low, high) in [(I8, I16, -128, 127), (U8, U16, 0, 255)] {
        check_pairs(scalar, "widening_add(a, b)", wide, |a, b| a + b);
        check_pairs(scalar, "widening_sub(a, b)", I16, |a, b| a - b);
        check_pairs(scalar, "widening_mul(a, b)", wide, |a, b| a * b);
        check_pairs(scalar, "saturating_add(a, b)", scalar, |a, b| (a + b).clamp(low, high));
        check_pairs(scalar, "saturating_sub(a, b)", scalar, |a, b| (a - b).clamp(low, high));
        check_pairs(scalar, "halving_add(a, b)", scalar, |a, b| (a + b).div_euclid(2));
        check_pairs(scalar, "rounding_halving_add(a, b)", scalar, |a, b| (a + b + 1).div_euclid(2));
        check_pairs(scalar, "rounding_shift_right(a, b)", scalar, |a, b| {
            let shifted = if b > 0 {
                (a + (1 << (b.min(60) - 1))) >> b.min(60)
            } else if b > -8 {
                a << -b
            } else {
                0
            };
            (shifted - low).rem_euclid(256) + low
        });
        check_pairs(scalar, "saturating_mul(a, b)", scalar, |a, b| (a * b).clamp(low, high));
        check_pairs(scalar, "rounding_shift_left(a, b)", scalar, |a, b| {
            let shifted = if b >= 8 {
                0
            } else if b >= 0 {
                a << b
            } else {
                (a + (1 << ((-b).min(60) - 1))) >> (-b).min(60)
            };
            (shifted - low).rem_euclid(256) + low
        });
        for shift in [-1, 0, 1, 7, 8, 15, 16, 100] {
            let expr = format!("mul_shift_right(a, b, {shift})");
            if scalar.is_signed() || shift >= 0 {
                check_pairs(scalar, &expr, scalar, |a, b| {
                    ((a * b) >> shift.max(0)).clamp(low, high)
                });
                check_pairs(scalar, &format!("rounding_{expr}"), scalar, |a, b| {
                    let half = if shift > 0 { 1 << (shift - 1) } else { 0 };
                    ((a * b + half) >> shift.max(0)).clamp(low, high)
                });
            }
        }
        check_pairs(scalar, "saturating_cast(u8, a)", U8, |a, _| a.clamp(0, 255));
        check_pairs(scalar, "saturating_cast(i8, a)", I8, |a, _| a.clamp(-128, 127));
        check_pairs(scalar, "saturating_cast(u32, a)", Scalar::U32, |a, _| a.max(0));
        check_pairs(scalar, "saturating_cast(i8, int(a) * int(b))", I8, |a, b| {
            (a * b).clamp(-128, 127)
        });
        check_pairs(scalar, "saturating_cast(u8, f32(a) * 100)", U8, |a, _| {
            (a * 100).clamp(0, 255)
        });
        check_pairs(scalar, "mux(a, 10, b, 30)", scalar, |a, b| match a {
            0 => 10,
            1 => b,
            _ => 30,
        });
        check_pairs(scalar, "absd(a, b)", U8, |a, b| (a - b).abs());
        check_pairs(scalar, "min(a, b, 5)", scalar, |a, b| a.min(b).min(5));
        check_pairs(scalar, "max(5, a, b)", scalar, |a, b| a.max(b).max(5));
        check_pairs(scalar, "clamp(a, 3, b)", scalar, |a, b| a.min(b).max(3));
        check_pairs(scalar, "select(a < b, 1, a == b, 2, 3)", scalar, |a, b| match a.cmp(&b) {
            std::cmp::Ordering::Less => 1,
            std::cmp::Ordering::Equal => 2,
            std::cmp::Ordering::Greater => 3,
        });
        check_pairs(scalar, "u8(all(a < b, b < 100, true)) + u8(any())", U8, |a, b| {
            i128::from(a < b && b < 100)
        });
        check_pairs(scalar, "u8(any(a < b, b < 100))", U8, |a, b| i128::from(a < b || b < 100));
        check_pairs(scalar, "likely(a)", scalar, |a, _| a);
    }
    check_pairs(I8, "halving_sub(a, b)", I8, |a, b| {
        let half = (a - b).div_euclid(2);
        (half + 128).rem_euclid(256) - 128
    });
    check_pairs(I8, "abs(a)", I8, |a, _| if a == -128 { -128 } else { a.abs() });
    // The weight 255 is 1; ties round up.
    check_pairs(U8, "lerp(a, 200, b)", U8, |a, w| (a * (255 - w) + 200 * w + 127) / 255);
}

#[test]
fn float_functions_are_the_plain_formulas() {
    let text = "pipeline p(a: f32, b: f32, w: f32) -> r: buffer<f32, 0> {
        func r() = lerp(a, b, w) + absd(a, b) + sqrt(16) + floor(-2.5) + ceil(2.25) + round(2.5) + \
        trunc(-2.75);
    }";
    let module = parse_valid("floats", text);
    let values = |name: &str| {
        Constant::f32(match name {
            "a" => 2.0,
            "b" => 10.0,
            _ => 0.25,
        })
    };
    let found = evaluate(&module.pool, value_of(&module, "r"), &values);
    // 4 + 8 + 4 - 3 + 3 + 2 - 2
    assert_eq!(found, Some(Constant::f32(16.0)));
}

#[test]
fn functions_of_twice_the_width_are_refused_for_64_bits() {
    for function in [
        "widening_add",
        "widening_sub",
        "widening_mul",
        "saturating_add",
        "saturating_sub",
        "halving_add",
        "halving_sub",
        "rounding_halving_add",
        "rounding_shift_right",
        "saturating_mul",
        "rounding_shift_left",
    ] {
        for scalar in ["i64", "u64"] {
            let text = format!(
                "pipeline p(a: {scalar}) -> r: buffer<{scalar}, 0> {{ func r() = {function}(a, a); \
                    }}"
            );
            let (module, report) = parse_text(function, &text);
            let codes: Vec<&str> = module.diagnostics.iter().map(|found| found.code.0).collect();
            assert_eq!(codes, ["HAL0307"], "{text}\n{report}");
        }
    }
}

#[test]
fn functions_of_floats_are_those_of_mathematics() {
    type Function = fn(f64, f64) -> f64;
    let cases: [(&str, Function); 12] = [
        ("pow(a, b)", f64::powf),
        ("atan2(a, b)", f64::atan2),
        ("asin(a)", |a, _| a.asin()),
        ("acos(a)", |a, _| a.acos()),
        ("exp(a)", |a, _| a.exp()),
        ("log(b)", |_, b| b.ln()),
        ("sin(a) * cos(b)", |a, b| a.sin() * b.cos()),
        ("tan(a)", |a, _| a.tan()),
        ("atan(b)", |_, b| b.atan()),
        ("sqrt(a) + floor(b)", |a, b| a.sqrt() + b.floor()),
        ("ceil(a) + round(b)", |a, b| a.ceil() + b.round_ties_even()),
        ("trunc(a) + abs(b)", |a, b| a.trunc() + b.abs()),
    ];
    let operands =
        [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 0.75, 7.25, -11.5, 1e3, 100.0, -1e-3];
    for (expr, right) in cases {
        for scalar in [Scalar::F32, Scalar::F64] {
            let text = format!(
                "pipeline p(a: {scalar}, b: {scalar}) -> r: buffer<{scalar}, 0> {{ func r() = \
                    {expr}; }}"
            );
            let module = parse_valid(expr, &text);
            let value = value_of(&module, "r");
            for a in operands {
                for b in operands {
                    let wrap = |value: f64| {
                        if scalar == Scalar::F32 {
                            Constant::f32(value as f32)
                        } else {
                            Constant::f64(value)
                        }
                    };
                    let exact = |value: f64| {
                        if scalar == Scalar::F32 { f64::from(value as f32) } else { value }
                    };
                    let values = |name: &str| wrap(if name == "a" { a } else { b });
                    let found = evaluate(&module.pool, value, &values).unwrap();
                    let found = found.as_f64().or(found.as_f32().map(f64::from)).unwrap();
                    let expected = right(exact(a), exact(b));
                    let limit = if scalar == Scalar::F32 { 4e-7 } else { 1e-12 };
                    let close = (found - exact(expected)).abs() <= limit * expected.abs().max(1e-3)
                        || found.to_bits() == exact(expected).to_bits()
                        || (found.is_nan() && expected.is_nan());
                    assert!(close, "{expr} of {scalar} {a} and {b} is {found}, not {expected}");
                }
            }
        }
    }
}

/// Everything that is computed at compile time, on numbers `n` and `m`.
const COMPUTED: [&str; 22] = [
    "-n",
    "n + m",
    "n - m",
    "n * m",
    "n / m",
    "n % m",
    "abs(n)",
    "min(n, m)",
    "max(n, 1, m)",
    "clamp(n, m, 2)",
    "clamp(2, n, m)",
    "select(n < m, n, m)",
    "select(n <= m, 1, n == 3, 2, 3)",
    "select(n > m, 1, n >= m, 2, 3)",
    "select(n != m && n < 2, 1, 2)",
    "select(n == m || !(n < 2), 1, 2)",
    "select(bool(n), 1, 2)",
    "select(bool(n * 2 + m), 1, 2)",
    "int(u8(n))",
    "int(i8(n * 100))",
    "int(u16(m - n))",
    "min(n, m, -n) % max(abs(m), 2)",
];

#[test]
fn names_known_at_compile_time_compute_what_parameters_compute() {
    let result = |text: &str, n: i128, m: i128| {
        let module = parse_valid(text, text);
        let value = value_of(&module, "r");
        let values = |name: &str| {
            Constant::wrapped(Scalar::I64, if name == "n_" { n } else { m }).expect("an integer")
        };
        evaluate(&module.pool, value, &values).and_then(Constant::as_integer)
    };
    for expr in COMPUTED {
        for n in -4..=4 {
            for m in -4..=4 {
                let known = format!(
                    "pipeline p<n: {n}, m: {m}>() -> r: buffer<i64, 0> {{
                        func r() = i64({expr});
                    }}"
                );
                let parameters = format!(
                    "pipeline p(n_: i64, m_: i64) -> r: buffer<i64, 0> {{ let n = int(n_); let m = \
                    int(m_); func r() = i64({expr}); }}"
                );
                let (found, expected) = (result(&known, n, m), result(&parameters, n, m));
                assert!(found.is_some(), "{expr} of {n} and {m} has no value");
                assert_eq!(found, expected, "{expr} of {n} and {m}");
            }
        }
    }
}

#[test]
fn literals_are_cast_as_values_are() {
    for scalar in [Scalar::Bool, Scalar::U8, Scalar::I8, Scalar::U16, Scalar::I64, Scalar::U64] {
        for number in [0, 1, 2, 3, 127, 128, 255, 256, 257, 65535, 65536, i128::from(i64::MAX)] {
            let text = |value: &str| {
                format!(
                    "pipeline p(v: i64) -> r: buffer<{scalar}, 0> {{
                        func r() = {scalar}({value});
                    }}"
                )
            };
            let result = |text: &str| {
                let module = parse_valid(text, text);
                let values = |_: &str| Constant::wrapped(Scalar::I64, number).expect("an integer");
                evaluate(&module.pool, value_of(&module, "r"), &values)
            };
            let (literal, value) = (result(&text(&number.to_string())), result(&text("v")));
            assert!(literal.is_some());
            assert_eq!(literal, value, "{scalar}({number})");
        }
    }
}

#[test]
fn what_is_no_number_at_compile_time_is_an_error() {
    for (expr, expected) in [
        // The number -2^127 has no negative in 128 bits.
        ("select(-(n * (18446744073709551615 + 1)) > 0, 1, 2)", "HAL"),
        ("select(7)", "HAL"),
        ("select(n > 0)", "HAL"),
    ] {
        let text = format!(
            "pipeline p<n: -9223372036854775808>() -> r: buffer<i32, 0> {{ func r() = {expr}; }}"
        );
        let (_, report) = parse_text(expr, &text);
        assert!(report.contains(expected), "{expr}: {report}");
    }
}
