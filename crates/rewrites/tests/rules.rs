//! Rules in C++ that were written for these tests, right and wrong in pairs. Each pair is named
//! after the point that it checks.

use halidom_rewrites::examine::{Examined, Standing, examine};
use halidom_rewrites::options::{Options, Source};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::{Domain, Limits, Verdict};
use halidom_smt::{Family, Program};

fn options(profile: &str) -> Options {
    Options {
        profile: Profile::named(profile).expect("a known profile"),
        solver: Program::find(Family::Z3, None).expect("Z3; `cargo xtask setup` installs it"),
        limits: Limits { milliseconds: 5000 },
        threads: 2,
        cache: None,
    }
}

/// Returns a visitor with one condition around its rules.
fn visitor(node: &str, operands: &str, condition: &str) -> String {
    format!(
        "#include \"Simplify_Internal.h\"\n\
         Expr Simplify::visit(const {node} *op, ExprInfo *info) {{\n\
             ExprInfo a_info, b_info;\n\
             Expr a = mutate(op->a, &a_info);\n\
             Expr b = mutate(op->b, &b_info);\n\
             int lanes = op->type.lanes();\n\
             auto rewrite = IRMatcher::rewriter(IRMatcher::{operands}, op->type, a.type());\n\
             bool not_zero = no_overflow_int(op->type) && (!b_info.bounds.contains(0) || \
             b_info.alignment.remainder != 0);\n\
             if (EVAL_IN_LAMBDA ({condition})) {{\n\
                 return mutate(rewrite.result, info);\n\
             }}\n\
             return op;\n\
         }}\n"
    )
}

fn decide_with(profile: &str, node: &str, operands: &str, condition: &str) -> Vec<Examined> {
    let source = Source { name: "test.cpp".to_owned(), text: visitor(node, operands, condition) };
    examine(&[source], &[], &options(profile)).expect("a solver that runs")
}

/// Checks that the first rule is verified and the second is refuted with a replayed counterexample.
fn check_pair(shows: &str, node: &str, operands: &str, right: &str, wrong: &str) {
    check_pair_with("halide", shows, node, operands, right, wrong);
}

fn check_pair_with(
    profile: &str,
    shows: &str,
    node: &str,
    operands: &str,
    right: &str,
    wrong: &str,
) {
    let rules = decide_with(profile, node, operands, right);
    assert_eq!(rules.len(), 1, "{shows}: {right}");
    assert_eq!(rules[0].standing(), Standing::Verified, "{shows}: {:?}", rules[0]);
    let rules = decide_with(profile, node, operands, wrong);
    assert_eq!(rules.len(), 1, "{shows}: {wrong}");
    assert_eq!(rules[0].standing(), Standing::Wrong, "{shows}: {:?}", rules[0]);
}

#[test]
fn a_negative_literal_is_greater_than_every_unsigned_constant() {
    let standing = |condition: &str| {
        let rules = decide_with("halide", "Mul", "mul(a, b)", condition);
        rules[0].standing()
    };
    // The matcher computes with the literal's 64 bits, so these rules never apply.
    for predicate in ["c0 == -1", "-1 == c0", "c0 > -1", "c0 >= -1", "-1 < c0", "!(c0 != -1)"] {
        let rule = format!("(op->type.is_uint() && rewrite(x * c0, x, {predicate}))");
        assert_eq!(standing(&rule), Standing::Unreached, "{rule}");
    }
    let always = ["c0 != -1", "-1 != c0", "c0 < -1", "c0 <= -1", "-1 > c0", "!(c0 == -1)"];
    // A question is about expressions, in which the literal has the type of the constant, and what
    // the matcher computes has that type too.
    let sometimes = ["can_prove(c0 == -1, this)", "c0 + 1 == 0"];
    for predicate in always.into_iter().chain(sometimes) {
        let rule = format!("(op->type.is_uint() && rewrite(x * c0, x, {predicate}))");
        assert_eq!(standing(&rule), Standing::Wrong, "{rule}");
    }
    // C++ computes this, not the matcher.
    let of_numbers = "(op->type.is_uint() && rewrite(x * c0, x, c0 == 255 - 1))";
    assert_eq!(standing(of_numbers), Standing::Unsupported);
    let signed = "(op->type.is_int() && rewrite(x * c0, x, c0 == -1))";
    assert_eq!(standing(signed), Standing::Wrong);
}

#[test]
fn a_wrong_rule_has_a_right_twin() {
    let pairs = [
        (
            "a swapped operand",
            "Sub",
            "sub(a, b)",
            "rewrite((x + y) - y, x)",
            "rewrite((x + y) - y, y)",
        ),
        (
            "an off-by-one constant",
            "Add",
            "add(a, b)",
            "rewrite((x + c0) + c1, x + fold(c0 + c1))",
            "rewrite((x + c0) + c1, x + fold(c0 + c1 + 1))",
        ),
        (
            "a dropped overflow guard",
            "Sub",
            "sub(a, b)",
            "(no_overflow(op->type) && rewrite(x - min(x - y, 0), max(x, y)))",
            "rewrite(x - min(x - y, 0), max(x, y))",
        ),
        (
            "a flipped comparison",
            "LT",
            "lt(a, b)",
            "(no_overflow(a.type()) && rewrite(x + y < x, y < 0))",
            "(no_overflow(a.type()) && rewrite(x + y < x, 0 < y))",
        ),
        (
            "a strict comparison",
            "EQ",
            "eq(a, b)",
            "rewrite(max(x, y) == y, x <= y)",
            "rewrite(max(x, y) == y, x < y)",
        ),
        (
            "an unmultiplied divisor",
            "Div",
            "div(a, b)",
            "(no_overflow_int(op->type) && rewrite((x / c0) / c2, x / fold(c0 * c2), c0 > 0 && c2 \
                > 0))",
            "(no_overflow_int(op->type) && rewrite((x / c0) / c2, x / fold(c0 + c2), c0 > 0 && c2 \
                > 0))",
        ),
        (
            "a dropped divisibility",
            "Div",
            "div(a, b)",
            "(no_overflow_int(op->type) && rewrite((x * c0 + y) / c1, y / c1 + x * fold(c0 / c1), \
                c0 % c1 == 0))",
            "(no_overflow_int(op->type) && rewrite((x * c0 + y) / c1, y / c1 + x * fold(c0 / c1), \
                c1 > 0))",
        ),
        (
            "a predicate that is too weak",
            "And",
            "and_op(a, b)",
            "rewrite(x < c0 && c1 < x, false, c0 <= c1)",
            "rewrite(x < c0 && c1 < x, false, c0 <= c1 + 3)",
        ),
        (
            "a neighbour of integers that floats have not",
            "And",
            "and_op(a, b)",
            "rewrite(x < c0 && c1 < x, false, !is_float(x) && c0 <= c1 + 1)",
            "rewrite(x < c0 && c1 < x, false, c0 <= c1 + 1)",
        ),
        (
            "a divisor known not to be 0",
            "Div",
            "div(a, b)",
            "(not_zero && rewrite((x * y) / x, y))",
            "(no_overflow_int(op->type) && rewrite((x * y) / x, y))",
        ),
        (
            "a lost negation",
            "Not",
            "not_op(a)",
            "rewrite(!(x && !y), !x || y)",
            "rewrite(!(x && !y), x || y)",
        ),
        (
            "a swapped choice",
            "Select",
            "select(a, b, c)",
            "rewrite(select(x != y, z, w), select(x == y, w, z))",
            "rewrite(select(x != y, z, w), select(x == y, z, w))",
        ),
        (
            "a ramp's stride",
            "Mul",
            "mul(a, b)",
            "rewrite(ramp(x, y, c0) * broadcast(z, c0), ramp(x * z, y * z, c0))",
            "rewrite(ramp(x, y, c0) * broadcast(z, c0), ramp(x * z, y, c0))",
        ),
        (
            "a product of ramps",
            "Mul",
            "mul(a, b)",
            "rewrite(ramp(x, y, c0) * broadcast(z, c0), ramp(x * z, y * z, c0))",
            "rewrite(ramp(x, y, c0) * ramp(z, w, c0), ramp(x * z, (x + y) * (z + w) - x * z, c0))",
        ),
        (
            "a bound of the type",
            "LT",
            "lt(a, b)",
            "((a.type().is_int() || a.type().is_uint()) && rewrite(a.type().max() < x, false))",
            "((a.type().is_int() || a.type().is_uint()) && rewrite(a.type().min() < x, false))",
        ),
        (
            "what the prover showed",
            "Mod",
            "mod(a, b)",
            "(no_overflow_int(op->type) && rewrite(x % c0, x, c0 > 0 && can_prove(0 <= x && x < \
                c0, this)))",
            "(no_overflow_int(op->type) && rewrite(x % c0, x, c0 > 0 && can_prove(x < c0, this)))",
        ),
    ];
    for (shows, node, operands, right, wrong) in pairs {
        check_pair(shows, node, operands, right, wrong);
    }
}

#[test]
fn dividing_by_zero_means_what_the_profile_says() {
    let right = "rewrite(x / x, select(x == 0, 0, 1), !is_float(x))";
    check_pair("the quotient by 0 is 0", "Div", "div(a, b)", right, "rewrite(x / x, 1)");
    let rules = decide_with("halide-to-hardware", "Div", "div(a, b)", "rewrite(x / x, 1)");
    assert_eq!(rules[0].standing(), Standing::Verified, "undefined values may become anything");
    check_pair_with(
        "halide-to-hardware",
        "a quotient by 0 may not appear",
        "Mul",
        "mul(a, b)",
        "(no_overflow_int(op->type) && rewrite((x / y) * y, x - x % y))",
        "(no_overflow_int(op->type) && rewrite(x * 1 + y, x * (y / y) + y))",
    );
}

#[test]
fn verdicts_are_of_types() {
    let rules = decide_with("halide", "Sub", "sub(a, b)", "rewrite(x - max(x - y, 0), min(x, y))");
    let wrong: Vec<Domain> = rules[0]
        .verdicts
        .iter()
        .filter(|at| matches!(at.verdict, Verdict::Wrong(_)))
        .map(|at| at.domains[0])
        .collect();
    let wraps = [
        Domain::Unsigned(8),
        Domain::Signed(8),
        Domain::Unsigned(16),
        Domain::Signed(16),
        Domain::Unsigned(32),
    ];
    assert_eq!(wrong, wraps);
    let Verdict::Wrong(counterexample) = &rules[0].verdicts[0].verdict else {
        panic!("wrong at uint8: {:?}", rules[0].verdicts)
    };
    let snippet = counterexample.snippet(rules[0].rule.as_ref().unwrap());
    assert!(snippet.contains("Variable::make(UInt(8), \"x\")"), "{snippet}");
}

#[test]
fn the_least_integer_divided_by_minus_one_ends_a_compiler_that_folds_with_the_machine() {
    let check = |profile: &str, rule: &str, expected: Standing| {
        let rules = decide_with(profile, "Div", "div(a, b)", rule);
        assert_eq!(rules[0].standing(), expected, "{profile}: {rule}: {:?}", rules[0]);
    };
    let folds = "rewrite(c0 / c1, fold(c0 / c1), c1 != 0)";
    check("halide-to-hardware", folds, Standing::Crash);
    check("halide", folds, Standing::Verified);
    check("halide-to-hardware", "rewrite(c0 / c1, fold(c0 / c1), c1 > 0)", Standing::Verified);
    check(
        "halide-to-hardware",
        "rewrite(c0 / c1, fold(c0 / c1), c0 % c1 == 0 && c1 > 0)",
        Standing::Crash,
    );
}

/// The earlier simplification of operands matters: without the rule that removes products by 0, the
/// other rule is wrong.
#[test]
fn operands_were_simplified_before() {
    let rule =
        "(no_overflow_int(a.type()) && rewrite(x * c0 == c1, x == fold(c1 / c0), c1 % c0 == 0))";
    let alone = decide_with("halide", "EQ", "eq(a, b)", rule);
    assert_eq!(alone[0].standing(), Standing::Wrong, "{alone:?}");
    let sources = [
        Source { name: "eq.cpp".to_owned(), text: visitor("EQ", "eq(a, b)", rule) },
        Source {
            name: "mul.cpp".to_owned(),
            text: visitor("Mul", "mul(a, b)", "rewrite(x * 0, b)"),
        },
    ];
    let rules = examine(&sources, &[], &options("halide")).unwrap();
    assert_eq!(rules[0].standing(), Standing::Verified, "{rules:?}");
}

/// Only what the same class does in every run has been done before.
#[test]
fn operands_were_simplified_only_where_that_is_certain() {
    let rule = "if (no_overflow_int(a.type()) && rewrite(x * c0 == 0, x == 0)) {\
                return rewrite.result; }";
    let visitor = |class: &str, node: &str, function: &str, before: &str, statements: &str| {
        format!(
            "Expr {class}::visit(const {node} *op, ExprInfo *info) {{\n\
                 Expr a = mutate(op->a, nullptr);\n\
                 Expr b = mutate(op->b, nullptr);\n\
                 {before}\n\
                 auto rewrite = IRMatcher::rewriter(IRMatcher::{function}(a, b), op->type, \
                 a.type());\n\
                 {statements}\n\
                 return op;\n\
             }}\n"
        )
    };
    let standing = |class: &str, before: &str, statements: &str| {
        let mul = visitor(class, "Mul", "mul", before, statements);
        let text = mul + &visitor("Simplify", "EQ", "eq", "", rule);
        let source = Source { name: "a.cpp".to_owned(), text };
        let rules = examine(&[source], &[], &options("halide")).unwrap();
        rules.last().map(Examined::standing)
    };
    let plain = "if (rewrite(x * 0, 0)) { return rewrite.result; }";
    let certain = [
        ("", plain),
        ("if (a.same_as(b)) { return make_zero(op->type); }", plain),
        ("if (a.same_as(b)) { return a; }", plain),
        ("", "if (rewrite(x * 1, x) || rewrite(x * 0, 0) || false) { return rewrite.result; }"),
    ];
    for (before, statements) in certain {
        let found = standing("Simplify", before, statements);
        assert_eq!(found, Some(Standing::Verified), "{before} {statements}");
    }
    let uncertain = [
        ("Other", "", plain),
        ("Simplify", "if (lazy) { return op; }", plain),
        ("Simplify", "if (lazy) { return Mul::make(a, b); }", plain),
        (
            "Simplify",
            "",
            "while (lazy) { if (rewrite(x * 0, 0)) { return rewrite.result; } break; }",
        ),
        (
            "Simplify",
            "",
            "switch (mode) { case 1: if (rewrite(x * 0, 0)) { return rewrite.result; } }",
        ),
        ("Simplify", "", "if (lazy || rewrite(x * 0, 0)) { return rewrite.result; }"),
    ];
    for (class, before, statements) in uncertain {
        let found = standing(class, before, statements);
        assert_eq!(found, Some(Standing::Wrong), "{class} {before} {statements}");
    }
}

/// A rule fires wherever its left side and its conditions allow it, also where its right side has
/// no type.
#[test]
fn the_right_side_does_not_narrow_where_a_rule_fires() {
    check_pair(
        "a negated number",
        "EQ",
        "eq(a, b)",
        "(a.type().is_bool() && rewrite(x == 0, !x))",
        "rewrite(x == 0, !x)",
    );
    let standing = |node: &str, operands: &str, rule: &str| {
        decide_with("halide", node, operands, rule)[0].standing()
    };
    assert_eq!(standing("NE", "ne(a, b)", "rewrite(x != 0, x)"), Standing::Wrong);
    let select = "select(a, b, b)";
    assert_eq!(standing("Select", select, "rewrite(select(x, 1, 0), x)"), Standing::Wrong);
    assert_eq!(standing("Select", select, "rewrite(select(x, y, 0), x && y)"), Standing::Wrong);
    let number = "rewrite(x != c0, !x, c0)";
    assert_eq!(standing("NE", "ne(a, b)", number), Standing::Unsupported);
}

#[test]
fn a_cast_is_to_the_type_of_the_result() {
    let standing =
        |rule: &str| decide_with("halide", "Select", "select(a, b, b)", rule)[0].standing();
    let of_result = "rewrite(select(x, 1, 0), cast(op->type, x))";
    assert_eq!(standing(of_result), Standing::Verified);
    for other in [
        "rewrite(select(x, 1, 0), cast(UInt(8), x))",
        "rewrite(select(x, 1, 0), select(cast(op->type, x) == 1, 1, 0))",
    ] {
        assert_eq!(standing(other), Standing::Unsupported, "{other}");
    }
}

#[test]
fn what_is_not_understood_is_named() {
    let unknown = |condition: &str, construct: &str| {
        let rules = decide_with("halide", "Add", "add(a, b)", condition);
        let found = rules[0].verdicts.iter().any(|at| match &at.verdict {
            Verdict::Unsupported(what) => what.contains(construct),
            Verdict::Verified
            | Verdict::Wrong(_)
            | Verdict::Crash(_)
            | Verdict::Undecided(_)
            | Verdict::Vacuous => false,
        });
        assert!(found, "{condition}: {rules:?}");
    };
    unknown("rewrite(x + y, frobnicate(x, y))", "frobnicate");
    unknown("rewrite(h_add(x, lanes), x)", "horizontal reduction");
    unknown("rewrite(x + y, x ^ y)", "operator ^");
}

/// The rules of a `visit` of differences, by the statements that try them.
fn tried(before: &str, statements: &str) -> Vec<Standing> {
    let text = format!(
        "{before}
        Expr Simplify::visit(const Sub *op, ExprInfo *info) {{
            Expr a = mutate(op->a, nullptr), b = mutate(op->b, nullptr);
            auto rewrite = IRMatcher::rewriter(IRMatcher::sub(a, b), op->type, a.type());
            {statements}
            return op;
        }}"
    );
    let source = Source { name: "a.cpp".to_owned(), text };
    let examined = examine(&[source], &[], &options("halide")).expect("a solver that runs");
    examined.iter().map(Examined::standing).collect()
}

#[test]
fn no_rule_is_passed_over() {
    let plain = "if (rewrite(x - x, 0)) { return rewrite.result; }";
    assert_eq!(tried("", plain), [Standing::Verified]);
    for place in [
        "bool r = false; r = rewrite(x - y, x); if (r) { return rewrite.result; }",
        "bool r = false; r |= rewrite(x - y, x); if (r) { return rewrite.result; }",
        "if (bool r = rewrite(x - y, x)) { return rewrite.result; }",
        "auto f = [&]() { return rewrite(x - y, x); }; if (f()) { return rewrite.result; }",
        "auto &other = rewrite; if (other(x - y, x)) { return other.result; }",
        "auto other = rewrite; if (other(x - y, x)) { return other.result; }",
        "if (helper(rewrite)) { return rewrite.result; }",
        "for (int i = 0; rewrite(x - y, x); i++) { return rewrite.result; }",
        "switch (rewrite(x - y, x)) { case 1: return rewrite.result; }",
    ] {
        let found = tried("", &format!("{plain} {place}"));
        assert!(found.iter().any(|of| *of != Standing::Verified), "{place}: {found:?}");
    }
}

#[test]
fn a_condition_is_what_it_is_where_the_rule_is_tried() {
    let rule = "if (ok && rewrite(x - y, x + y)) { return rewrite.result; }";
    let first = "bool ok = op->type.is_bool();";
    // Differences of truth values are their sums.
    assert!(!tried("", &format!("{first} {rule}")).contains(&Standing::Wrong));
    for (before, statements) in [
        ("", format!("{first} ok = true; {rule}")),
        ("", format!("{first} if (true) {{ bool ok; {rule} }}")),
        ("bool is_bool(Type t) { return true; }", format!("bool ok = is_bool(op->type); {rule}")),
    ] {
        assert_eq!(tried(before, &statements), [Standing::Wrong], "{before} {statements}");
    }
    let first = "Type t = op->type, u;";
    let rule = "if (t.is_bool() && rewrite(x - y, x + y)) { return rewrite.result; }";
    assert!(!tried("", &format!("{first} {rule}")).contains(&Standing::Wrong));
    for (before, change) in [
        ("void widen(Type &t) { t = Bool(); }", "widen(t);"),
        ("bool is_zero(const int n, Type &t) { t = Bool(); }", "is_zero(0, t);"),
        ("", "auto change = [](Type &t) { t = Bool(); }; change(t);"),
        ("", "elsewhere(t);"),
        ("", "t.swap(u);"),
        ("", "t.bits = 1;"),
    ] {
        let statements = format!("{first} {change} {rule}");
        assert_eq!(tried(before, &statements), [Standing::Wrong], "{before} {change}");
    }
}

#[test]
fn answers_are_kept_and_a_changed_rule_is_proved_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options("halide");
    options.cache = Some(folder.path().join("answers"));
    let run = |condition: &str| {
        let source =
            Source { name: "a.cpp".to_owned(), text: visitor("Sub", "sub(a, b)", condition) };
        examine(&[source], &[], &options).unwrap()
    };
    let right = "rewrite((x + y) - y, x)";
    let wrong = "rewrite((x + y) - y, y)";
    let first = run(right);
    assert_eq!(run(right), first);
    let kept = std::fs::read_to_string(folder.path().join("answers")).unwrap();
    let refuted = run(wrong);
    assert_eq!(refuted[0].standing(), Standing::Wrong);
    assert_eq!(run(wrong), refuted, "a refutation is replayed from the file");
    // The kept answer belongs to the right rule's text, so it does not make the wrong rule
    // verified.
    std::fs::write(folder.path().join("answers"), kept).unwrap();
    assert_eq!(run(wrong)[0].standing(), Standing::Wrong);
}

/// A beginning of the file has fewer findings, which must not read as a proof.
#[test]
fn a_cache_that_was_cut_off_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("answers");
    let options = Options { cache: Some(path.clone()), ..options("halide") };
    let text = visitor("Max", "max(a, b)", "rewrite(max(x, 0), x)");
    let examined = || {
        let source = Source { name: "test.cpp".to_owned(), text: text.clone() };
        examine(&[source], &[], &options)
    };
    for _ in 0..2 {
        let rules = examined().expect("a solver that runs");
        assert_eq!(rules[0].standing(), Standing::Wrong, "{rules:?}");
    }
    let whole = std::fs::read(&path).expect("it was written");
    for length in (0..whole.len()).step_by(5) {
        std::fs::write(&path, &whole[..length]).expect("it can be written");
        assert!(examined().is_err(), "{length} of {} bytes", whole.len());
    }
}
