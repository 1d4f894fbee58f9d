//! Tests of the modes of equality of floats: the values that each mode proves, and values that no
//! mode may prove.

use crate::common::{open, options};
use halidom_ir::parse;
use halidom_validate::{Floats, Options, Report, Search, Verdict, validate};

/// A program that stores one value, which is a function of parameters.
fn value(ty: &str, specified: &str, stored: &str) -> String {
    format!(
        "algorithm small {{
  param x: {ty};
  param y: {ty};
  param z: {ty};
  func out(): {ty} {{ stage() = {specified}; }}
  output out;
}}
program small {{
  output out in out.buffer window;
  func out {{ stage out, 0, 0 {{ out.buffer[0 @ out() stage 0] = {stored}; }} }}
}}"
    )
}

/// The same with a func in memory in between.
fn two(ty: &str, between: [&str; 2], out: [&str; 2]) -> String {
    let [g_specified, g_stored] = between;
    let [specified, stored] = out;
    format!(
        "algorithm small {{
  param x: f32;
  param y: f32;
  param z: f32;
  func one(): f32 {{ stage() = 1.0f32; }}
  func g(): f32 {{ stage() = {g_specified}; }}
  func out(): {ty} {{ stage() = {specified}; }}
  output out;
}}
program small {{
  output out in out.buffer window;
  func out {{
    allocate g.buffer: f32 for g;
    func g {{ stage g, 0, 0 {{ g.buffer[0 @ g() stage 0] = {g_stored}; }} }}
    stage out, 0, 0 {{ out.buffer[0 @ out() stage 0] = {stored}; }}
  }}
}}"
    )
}

fn judge(text: &str, weakest: Floats, search: bool) -> Report {
    let mut module = parse::module(text).expect("the text is well formed");
    let program = module.program.expect("it has a program");
    let mut own = Options { floats: Some(weakest), ..options() };
    if !search {
        own.search = Search { trials: 0, ..Search::default() };
    }
    validate(&mut module.pool, &module.algorithm, &program, &own)
}

/// Returns the strongest mode that proves a program if all modes are permitted.
fn strongest(text: &str) -> String {
    let report = judge(text, Floats::Reals, true);
    match report.verdict {
        Verdict::Proved => match report.floats() {
            (Floats::Axioms, axioms) => axioms.to_string(),
            (floats, _) => floats.name().to_owned(),
        },
        Verdict::Unknown(_) => "unknown".to_owned(),
        Verdict::Refuted(_) => "refuted".to_owned(),
    }
}

/// For floats of one width: the specified value, the stored value, and the mode that proves them
/// equal. Numbers have no type yet.
const VALUES: [(&str, &str, &str); 51] = [
    ("x + y", "y + x", "bits"),
    ("x * (y + z)", "(z + y) * x", "bits"),
    ("x - y", "neg(y) + x", "bits"),
    ("neg(x) * y", "neg(y * x)", "bits"),
    ("neg(x) / y", "neg(x / y)", "bits"),
    ("x + -0.0", "x", "bits"),
    ("min(x, x)", "x", "bits"),
    ("x * (0.5 + 0.25)", "x * 0.75", "bits"),
    ("x + x", "2.0 * x", "bits"),
    ("(x + y) + z", "x + (y + z)", "float-add-associative"),
    ("(x - y) - z", "(x - z) - y", "float-add-associative"),
    ("(x * y) * z", "y * (z * x)", "float-mul-associative"),
    ("x * (y + z)", "x * y + x * z", "float-distributive"),
    (
        "(x + y) * (x + z)",
        "x * x + x * z + y * x + y * z",
        "float-add-associative, float-distributive",
    ),
    ("neg(x + y)", "neg(x) - y", "float-negate-sum"),
    ("x + 0.0", "x", "float-add-zero"),
    ("x * 0.0", "0.0", "float-mul-zero"),
    ("select(x < y, 1.0, 0.0) * z", "select(x < y, z, 0.0)", "float-mul-zero"),
    ("select(x < y, 1.0, 0.0) * z", "select(x < y, z, 1.0)", "refuted"),
    ("-0.0 * (x + y)", "0.0", "float-mul-zero"),
    ("min(min(x, y), z)", "min(x, min(y, z))", "float-min-associative"),
    ("min(x, y)", "min(y, x)", "float-min-commutative"),
    ("max(max(x, y), z)", "max(max(z, x), y)", "float-max-associative, float-max-commutative"),
    ("sqrt((x + y) + z)", "sqrt(x + (y + z))", "float-add-associative"),
    ("select(x < y, (x + y) + z, z)", "select(x < y, x + (y + z), z)", "float-add-associative"),
    ("x - x", "0.0", "reals"),
    ("(x + y) - y", "x", "reals"),
    ("(x + 0.5) + 0.25", "x + 0.75", "reals"),
    ("x / 4.0", "x * 0.25", "bits"),
    ("min(x, 3.0) + 0.5", "min(x + 0.5, 3.5)", "bits"),
    ("0.0", "-0.0", "reals"),
    ("select(x < y, 0.0, x)", "select(x < y, -0.0, x)", "reals"),
    ("(x / 3.0) * 3.0", "x", "reals"),
    ("(x + y) / z", "y / z + x / z", "reals"),
    // No mode proves an equation that is false for numbers.
    ("0.0", "1.0", "refuted"),
    ("(1e20 - 1e20) + 1.0", "0.0", "refuted"),
    ("x + (0.0 - 1.0)", "x + 1.0", "refuted"),
    ("(x + y) + z", "(x + y) - z", "refuted"),
    ("x * y", "x + y", "refuted"),
    ("(x + 1e20) - 1e20", "x + 1.0", "refuted"),
    // These differ because of rounding, or because a value is not a number.
    ("inf - inf", "0.0", "unknown"),
    ("x * inf - x * inf", "0.0", "unknown"),
    ("nan - nan", "0.0", "unknown"),
    ("(x + 0.1) + 0.2", "x + 0.3", "unknown"),
    ("x * (1.0 / 3.0)", "x / 3.0", "float-reciprocal"),
    ("x * 0.25", "x / 3.0", "refuted"),
    ("x / x", "1.0", "unknown"),
    // Conversions and functions give no equations.
    ("exp(x) * exp(y)", "exp(x + y)", "unknown"),
    ("sqrt(x) * sqrt(x)", "x", "unknown"),
    ("select((x + y) + z < 1.0, x, y)", "select(x + (y + z) < 1.0, x, y)", "unknown"),
    ("x", "select(x + 0.0 == x, x, y)", "unknown"),
];

/// Adds a type after each number of a text.
fn typed(text: &str, ty: &str) -> String {
    let mut result = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        let exponent =
            c == '-' && word.ends_with('e') && word.starts_with(|c: char| c.is_ascii_digit());
        if c.is_alphanumeric() || c == '.' || exponent {
            word.push(c);
            continue;
        }
        let number =
            word.starts_with(|c: char| c.is_ascii_digit()) || word == "inf" || word == "nan";
        let floating = if number && word.contains('e') {
            let value: f64 = word.parse().expect("it is a number");
            format!("{value:?}")
        } else {
            word.clone()
        };
        result.push_str(&floating);
        if number {
            result.push_str(ty);
        }
        result.push(c);
        word.clear();
    }
    result.trim_end().to_owned()
}

#[test]
fn each_value_is_proved_by_the_strongest_mode_that_there_is() {
    let mut wrong: Vec<String> = Vec::new();
    for ty in ["f32", "f64"] {
        for (specified, stored, expected) in VALUES {
            let text = value(ty, &typed(specified, ty), &typed(stored, ty));
            let found = strongest(&text);
            if found != expected {
                wrong.push(format!("{ty}: {specified} = {stored}: {found}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// For integers that depend on floats or on an integer of few values: the specified value, the
/// stored value, and the mode that proves them equal. Where it is empty, none may.
const INTEGERS: [(&str, &str, &str); 25] = [
    ("i32(x * y)", "i32(y * x)", "bits"),
    ("i32(x * y)", "i32(x * x)", ""),
    ("u8(x / 4.0)", "u8(0.25 * x)", "bits"),
    ("u8(x / 4.0)", "u8(0.5 * x)", ""),
    ("i32(max(min(x + 0.5, 255.0), 0.0))", "i32(max(min(x, 254.5), -0.5) + 0.5)", "bits"),
    ("i32(max(min(x + 0.5, 255.0), 0.0))", "i32(max(min(x, 254.0), -0.5) + 0.5)", ""),
    ("i32(min(x, y))", "i32(min(y, x))", "float-numbers"),
    ("i32(min(x, y))", "i32(max(y, x))", ""),
    ("i32(min(max(x, 0.0), 9.0) + 0.5)", "i32(max(min(x, 9.0), 0.0) + 0.5)", "float-numbers"),
    ("i32(min(max(x, 0.0), 9.0) / y)", "i32(max(min(x, 9.0), 0.0) / y)", ""),
    ("select(x == x, 1i32, 2i32)", "1i32", "float-numbers"),
    ("select(x == y, 1i32, 2i32)", "1i32", ""),
    ("select(x < y, 1i32, 2i32)", "select(y <= x, 2i32, 1i32)", "float-numbers"),
    ("select(x < y, 1i32, 2i32)", "select(y < x, 2i32, 1i32)", ""),
    ("select(min(x, y) <= x, 1i32, 2i32)", "1i32", "float-numbers"),
    ("select(min(x, y) < x, 1i32, 2i32)", "1i32", ""),
    // 0 or NaN, which are 0 as integers, but not in a comparison.
    ("i32(x * 0.0)", "0i32", "bits"),
    ("select(x * 0.0 < 1.0, 1i32, 2i32)", "1i32", "float-numbers"),
    ("i32(x * 0.5)", "0i32", ""),
    ("min(i32(max(x, 3.0)), 3i32)", "3i32", "bits"),
    ("min(i32(max(x, 3.0)), 4i32)", "4i32", ""),
    ("u8(sqrt(f32(n)) / 3.0)", "u8(sqrt(f32(n)) * (1.0 / 3.0) + 0.1)", ""),
    ("u8(sqrt(f32(n) * 2.0) / 3.0)", "u8(sqrt(f32(n) * 2.0) * (1.0 / 3.0))", "bits"),
    ("u8(x / 3.0)", "u8(x * (1.0 / 3.0))", ""),
    ("u8(sqrt(f32(m)))", "u8(sqrt(f32(m)) + 0.1)", ""),
];

#[test]
fn integers_need_the_same_bits_or_floats_that_are_numbers() {
    let mut wrong: Vec<String> = Vec::new();
    for (specified, stored, expected) in INTEGERS {
        let typed = |text: &str| typed(text, "f32").replace("i32f32", "i32");
        let ty = if specified.starts_with("u8") { "u8" } else { "i32" };
        let text = value(ty, &typed(specified), &typed(stored))
            .replace(&format!("x: {ty}"), "x: f32")
            .replace(&format!("y: {ty}"), "y: f32")
            .replace(&format!("z: {ty};"), "n: u8;\n  param m: u16;");
        let found = strongest(&text);
        let as_expected = match expected {
            "" => found == "unknown" || found == "refuted",
            mode => found == mode,
        };
        if !as_expected {
            wrong.push(format!("{specified} = {stored}: {found}, not {expected}"));
        }
        // What rests on an axiom is not proved bit for bit.
        if expected == "float-numbers" {
            let verdict = judge(&text, Floats::Bits, false).verdict;
            assert!(matches!(verdict, Verdict::Unknown(_)), "{specified}: {verdict:?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sums_of_literals_are_what_they_are_in_their_type() {
    // In `f32`, 0.1 + 0.2 is 0.3 bit for bit. In `f64` it is not, and no other mode proves it.
    let text = |ty| value(ty, &typed("0.1 + 0.2", ty), &typed("0.3", ty));
    assert_eq!(strongest(&text("f32")), "bits");
    assert_eq!(strongest(&text("f64")), "unknown");
    let report = judge(&text("f64"), Floats::Bits, true);
    assert!(matches!(report.verdict, Verdict::Refuted(_)), "{:?}", report.verdict);
}

#[test]
fn numbers_of_two_types_are_not_one() {
    let program = |specified: &str, stored: &str| {
        value("f64", specified, stored).replace("param x: f64", "param x: f32")
    };
    // Each square root is rounded to its own type.
    let roots = program("f64(sqrt((x - x) + 2.0f32))", "sqrt((y - y) + 2.0f64)");
    for search in [false, true] {
        let report = judge(&roots, Floats::Reals, search);
        assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    }
    let both =
        program("f64(min(x - x, x)) + min(y - y, y)", "min(0.0f64, y) + f64(min(0.0f32, x))");
    assert_eq!(strongest(&both), "reals");
}

#[test]
fn what_only_rounds_is_not_refuted() {
    let program = |specified: &str, stored: &str| value("f64", specified, stored);
    for (specified, stored) in
        [("exp(log(x))", "x"), ("f64(f32(x))", "x"), ("sqrt(x * x) * 1.0f64", "max(x, neg(x))")]
    {
        assert_eq!(strongest(&program(specified, stored)), "unknown", "{specified} = {stored}");
    }
}

#[test]
fn what_is_not_permitted_proves_nothing() {
    let sum = value("f32", "(x * y) * z", "x * (y * z)");
    let back = value("f32", "(x + y * z) - y * z", "x");
    for (text, weakest, proved) in [
        (&sum, Floats::Bits, false),
        (&sum, Floats::Axioms, true),
        (&sum, Floats::Reals, true),
        (&back, Floats::Bits, false),
        (&back, Floats::Axioms, false),
        (&back, Floats::Reals, true),
    ] {
        let report = judge(text, weakest, true);
        assert_eq!(report.verdict == Verdict::Proved, proved, "{weakest:?}\n{text}");
        // Bit for bit, the runs show the difference. Where rounding is permitted, there is no
        // difference.
        assert_eq!(
            matches!(report.verdict, Verdict::Refuted(_)),
            weakest == Floats::Bits,
            "{weakest:?}\n{text}"
        );
        assert_eq!(report.trusted_steps.is_empty(), !proved, "{:?}", report.trusted_steps);
    }
}

#[test]
fn what_is_right_under_laws_decides_nothing() {
    let between = ["(x + y) + z", "x + (y + z)"];
    let loaded = "g.buffer[0 @ g()]";
    let alike = |specified: &str| [specified.to_owned(), specified.replace("g()", loaded)];
    for (ty, out, found) in [
        ("f32", "g() * 2.0f32", "float-add-associative"),
        ("f32", "sqrt(g()) + x", "float-add-associative"),
        ("f32", "select(x < y, g(), x)", "float-add-associative"),
        ("i32", "i32(g())", "unknown"),
        ("f32", "select(g() < 1.0f32, x, y)", "unknown"),
        ("f32", "f32(i32(g()))", "unknown"),
        ("bool", "g() == x", "unknown"),
    ] {
        let [specified, stored] = alike(out);
        let text = two(ty, between, [&specified, &stored]);
        assert_eq!(strongest(&text), found, "{out}");
        let report = judge(&text, Floats::Reals, false);
        let told = open(&report).contains("may not decide anything");
        assert_eq!(told, found == "unknown", "{out}: {}", open(&report));
        // Without the regrouping, the program is right bit for bit.
        let text = two(ty, [between[0], between[0]], [&specified, &stored]);
        assert_eq!(strongest(&text), "bits", "{out}");
    }
}

#[test]
fn what_was_folded_is_no_equation_of_other_laws() {
    let loaded = "g.buffer[0 @ g()]";
    let folded = [
        "g() + (one() + 100000000000000000000.0f32)",
        &format!("{loaded} + 100000000000000000000.0f32"),
    ];
    // Bit for bit, 1e20 + 1 is 1e20.
    let exact = two("f32", ["x + y", "x + y"], folded);
    assert_eq!(strongest(&exact), "bits");
    let between = ["(x + y) + z", "x + (y + z)"];
    assert_eq!(strongest(&two("f32", between, folded)), "unknown");
    // The same holds if a func that is right bit for bit was folded, and a func that is not reads
    // it.
    let program = |stored: &str| {
        let text = two(
            "f32",
            ["one() + 100000000000000000000.0f32", "100000000000000000000.0f32"],
            ["(g() + x) + y", &stored.replace('g', loaded)],
        );
        strongest(&text)
    };
    assert_eq!(program("(g + x) + y"), "bits");
    assert_eq!(program("g + (x + y)"), "unknown");
    // An expression of literals alone stands for its value in its type.
    let literal = ["g() * (0.1f32 + 0.2f32)", &format!("{loaded} * 0.3f32")];
    assert_eq!(strongest(&two("f32", between, literal)), "float-add-associative");
}

#[test]
fn equal_numbers_are_no_answer_to_a_race() {
    let stored =
        |value: &str| format!("stage out, 0, 0 {{ out.buffer[0 @ out() stage 0] = {value}; }}");
    let program = |specified: &str, body: &str| {
        value("f32", specified, "x + (y + z)")
            .replace(&stored("x + (y + z)"), &format!("parallel p in [0, 2] {{ {body} }}"))
    };
    let one = stored("x + (y + z)");
    assert_eq!(strongest(&program("x + (y + z)", &one)), "bits");
    // All iterations write the same bits, whichever these are.
    assert_eq!(strongest(&program("(x + y) + z", &one)), "float-add-associative");
    let two = format!("if p < 1 {{ {one} }} else {{ {} }}", stored("y + (x + z)"));
    let text = program("(x + y) + z", &two);
    assert_eq!(strongest(&text), "unknown");
    let report = judge(&text, Floats::Axioms, false);
    assert!(report.open().all(|it| it.kind == halidom_validate::Kind::Race), "{}", open(&report));
    assert!(report.open().count() > 0);
}

/// A store under two conditions whose value differs from the algorithm's.
fn guarded(outer: &str, inner: &str) -> String {
    format!(
        "algorithm small {{
  param p: u8;
  param x: f32;
  param y: f32;
  func out(): f32 {{ stage() = x + y; }}
  output out;
}}
program small {{
  output out in out.buffer window;
  func out {{
    stage out, 0, 0 {{
      out.buffer[0 @ out() stage 0] = x + y;
      if {outer} {{ if {inner} {{ out.buffer[0 @ out() stage 0] = x * y; }} }}
    }}
  }}
}}"
    )
}

#[test]
fn what_never_runs_may_write_anything_and_nothing_else_may() {
    let at_least = |number: u8| format!("{number}u8 <= p");
    let at_most = |number: u8| format!("p <= {number}u8");
    let dead = judge(&guarded(&at_least(8), &at_most(7)), Floats::Reals, false);
    assert_eq!(dead.verdict, Verdict::Proved, "{:?}", open(&dead));
    for (outer, inner) in [(at_least(8), at_most(8)), (at_least(7), at_most(8))] {
        let wrong = judge(&guarded(&outer, &inner), Floats::Reals, false);
        assert!(!open(&wrong).is_empty() && wrong.verdict != Verdict::Proved, "{outer}, {inner}");
    }
}

/// If a compiler contracts floats wherever it likes, places that are sums of products are not
/// proved, whichever equality of floats is permitted. If it may not contract them, they are proved.
#[test]
fn places_that_may_be_contracted_are_not_proved() {
    let strict =
        include_str!("../../../../tests/cases/validate/texts/places_of_products_that_rise.ir");
    let (start, end) = (strict.find("algorithm").unwrap(), strict.find("// exit").unwrap());
    let strict = &strict[start..end];
    let fast = strict.replacen("algorithm stretched", "algorithm stretched fast_math", 1);
    let is_proved = |text: &str, contracts_places: bool, weakest: Floats| {
        let mut module = parse::module(text).expect("the text is well formed");
        let program = module.program.expect("it has a program");
        let search = Search { trials: 0, ..Search::default() };
        let own = Options { floats: Some(weakest), contracts_places, search, ..options() };
        let report = validate(&mut module.pool, &module.algorithm, &program, &own);
        matches!(report.verdict, Verdict::Proved)
    };
    for weakest in [Floats::Bits, Floats::Axioms] {
        for text in [strict, &fast] {
            assert!(is_proved(text, false, weakest));
            assert!(!is_proved(text, true, weakest));
        }
    }
    assert!(!is_proved(&fast, false, Floats::Reals));
}
