//! Wrong rules, each with a right twin, about the nodes that they build and the facts that their
//! conditions give.

use halidom_rewrites::examine::{Examined, Standing, examine};
use halidom_rewrites::options::{Options, Source};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Limits;
use halidom_smt::{Family, Program};

/// Returns the standings of the rules in files with these names and texts.
fn standings(profile: &str, files: &[(&str, &str)]) -> Vec<Standing> {
    let options = Options {
        profile: Profile::named(profile).expect("a known profile"),
        solver: Program::find(Family::Z3, None).expect("Z3; `cargo xtask setup` installs it"),
        limits: Limits { milliseconds: 5000 },
        threads: 2,
        cache: None,
    };
    let source =
        |(name, text): &(&str, &str)| Source { name: (*name).into(), text: (*text).into() };
    let sources: Vec<Source> = files.iter().map(source).collect();
    let examined = examine(&sources, &[], &options).expect("a solver that runs");
    examined.iter().map(Examined::standing).collect()
}

/// Returns a visitor of Halide's with one condition around its rules.
fn visitor(node: &str, condition: &str) -> String {
    let (operands, made) = match node {
        "Select" => (vec!["condition", "true_value", "false_value"], "select(a, b, c)".to_owned()),
        node => (vec!["a", "b"], format!("{}(a, b)", node.to_lowercase())),
    };
    let mutated = ["a", "b", "c"].iter().zip(&operands).map(|(name, operand)| {
        format!("ExprInfo {name}_info;\nExpr {name} = mutate(op->{operand}, &{name}_info);\n")
    });
    let mutated: String = mutated.collect();
    format!(
        "Expr Simplify::visit(const {node} *op, ExprInfo *info) {{\n\
             {mutated}\
             int64_t a_mod = a_info.alignment.modulus;\n\
             int64_t a_rem = a_info.alignment.remainder;\n\
             int lanes = op->type.lanes();\n\
             auto rewrite = IRMatcher::rewriter(IRMatcher::{made}, op->type, a.type());\n\
             if ({condition}) {{\n\
                 return mutate(rewrite.result, info);\n\
             }}\n\
             return op;\n\
         }}\n"
    )
}

/// Returns a visitor of TVM's with some statements.
fn tvm(node: &str, statements: &str) -> String {
    format!(
        "PrimExpr RewriteSimplifier::Impl::VisitExpr_(const {node}Node* op) {{\n\
             PrimExpr ret = IRMutatorWithAnalyzer::VisitExpr_(op);\n\
             op = ret.as<{node}Node>();\n\
             PVar<PrimExpr> x, y, z, w, lanes;\n\
             PVar<IntImm> c1, c2;\n\
             PVar<FloatImm> f1;\n\
             {statements}\n\
             return ret;\n\
         }}\n"
    )
}

/// Checks the standing of the only rule of a text.
fn stands(profile: &str, text: &str, expected: Standing) {
    assert_eq!(standings(profile, &[("a.cpp", text)]), [expected], "{profile}: {text}");
}

/// Checks that the first rule is verified, and the second is refuted.
fn check(profile: &str, node: &str, right: &str, wrong: &str) {
    stands(profile, &visitor(node, right), Standing::Verified);
    stands(profile, &visitor(node, wrong), Standing::Wrong);
}

/// Checks that the first statements have a verified rule, and the second ones have one of the
/// other standing.
fn check_tvm(node: &str, right: &str, wrong: &str, expected: Standing) {
    stands("tvm", &tvm(node, right), Standing::Verified);
    stands("tvm", &tvm(node, wrong), expected);
}

#[test]
fn what_is_proved_tells_nothing_where_it_has_no_value() {
    let halved = "rewrite(max(x, y), max(x, y) + (x / y - x / y), can_prove";
    let min = halved.replace("max", "min");
    check(
        "halide-to-hardware",
        "Min",
        &format!("{min}(0 < y, this))"),
        &format!("{min}(x / y == x / y, this))"),
    );
    // A choice between two proofs.
    check(
        "halide-to-hardware",
        "Min",
        &format!("{min}(0 < y, this) || can_prove(y < 0, this))"),
        &format!("{min}(0 < y, this) || can_prove(x % y < 1 + x % y, this))"),
    );
    // The matcher computes this itself.
    check(
        "halide-to-hardware",
        "Mul",
        "rewrite(x * c0, x * c0 + (x / c0 - x / c0), 6 % c0 == 0)",
        "rewrite(x * c0, x * c0 + (x / c0 - x / c0), c0 == c0)",
    );
    let rule = |condition: &str| {
        format!(
            "if (IsIndexTypedExpr(op)) {{ TVM_TRY_REWRITE_IF(min(x, y), min(x, y) + floormod(x, \
             y) * 0, {condition}); }}"
        )
    };
    let same = "floormod(x.Eval(), y.Eval())";
    check_tvm(
        "Min",
        &rule("analyzer_->CanProve(y.Eval() > 0)"),
        &rule(&format!("analyzer_->CanProveEqual({same}, {same})")),
        Standing::Wrong,
    );
}

#[test]
fn a_condition_of_cpp_that_divides_by_zero_ends_the_compiler() {
    let rule = |condition: &str| {
        format!(
            "if (IsIndexTypedExpr(op->a)) {{ TVM_TRY_REWRITE_IF(min(x, c1) < c2, x < c2, \
             {condition} && c1.Eval()->value >= c2.Eval()->value); }}"
        )
    };
    let divides = "c1.Eval()->value % c2.Eval()->value == 0";
    check_tvm(
        "LT",
        &rule(&format!("c2.Eval()->value != 0 && {divides}")),
        &rule(divides),
        Standing::Crash,
    );
    check_tvm(
        "LT",
        &rule(&format!("(c2.Eval()->value == 0 || {divides})")),
        &rule(&format!("({divides} || c2.Eval()->value == 0)")),
        Standing::Crash,
    );
}

#[test]
fn a_remainder_that_is_reported_need_not_be_reduced() {
    check(
        "halide",
        "Mod",
        "no_overflow_int(op->type) && rewrite(x % c0, fold(a_rem % c0), a_mod > 0 && a_mod % c0 == \
         0 && c0 > 0)",
        "no_overflow_int(op->type) && rewrite(x % c0, a_rem, c0 == a_mod && c0 > 0)",
    );
}

#[test]
fn names_of_all_given_files_count() {
    let rule = "no_overflow(op->type) && rewrite((x * 2) / 2, x)";
    let alone = visitor("Div", rule);
    assert_eq!(standings("halide", &[("a.cpp", &alone)]), [Standing::Verified]);
    let text = format!("#include \"b.h\"\n{alone}");
    for header in [
        "inline bool no_overflow(Type t) { return true; }",
        "#define no_overflow(t) true",
        "class Simplify { bool no_overflow(Type t) { return true; } };",
        "struct no_overflow { no_overflow(Type t); operator bool(); };",
        "inline bool operator&&(bool a, const Matched &b) { return b; }",
    ] {
        for files in
            [[("a.cpp", text.as_str()), ("b.h", header)], [("b.h", header), ("a.cpp", &text)]]
        {
            assert_eq!(standings("halide", &files), [Standing::Wrong], "{header}");
        }
    }
    // What another file keeps to itself counts only where it is included.
    let other = "#define no_overflow(t) true\nstatic int f();";
    let files = [("a.cpp", alone.as_str()), ("b.cpp", other)];
    assert_eq!(standings("halide", &files), [Standing::Verified]);
    let included = format!("#include \"c/b.cpp\"\n{alone}");
    let files = [("a.cpp", included.as_str()), ("b.cpp", other)];
    assert_eq!(standings("halide", &files), [Standing::Wrong]);
    for (body, expected) in [
        ("bool Halide::Internal::no_overflow(Type t) { return true; }", Standing::Wrong),
        ("bool Simplify::no_overflow(Type t) { return true; }", Standing::Wrong),
        ("static bool no_overflow(Type t) { return true; }", Standing::Verified),
        ("struct Other { bool no_overflow(Type t) { return true; } };", Standing::Verified),
    ] {
        let files = [("a.cpp", alone.as_str()), ("b.cpp", body)];
        assert_eq!(standings("halide", &files), [expected], "{body}");
    }
    // A function of expressions is not called with patterns.
    let rule = visitor("Min", "rewrite(min(x, y), x, can_prove(x < y, this))");
    for (body, expected) in [
        ("bool can_prove(Expr e, const Scope &s) { return true; }", Standing::Verified),
        ("template<typename T> bool can_prove(T e, S *s) { return true; }", Standing::Unsupported),
        ("bool Simplify::can_prove(Expr e, S *s) { return true; }", Standing::Unsupported),
    ] {
        let files = [("a.cpp", rule.as_str()), ("b.cpp", body)];
        assert_eq!(standings("halide", &files), [expected], "{body}");
    }
    let rule = tvm("Sub", "TVM_TRY_REWRITE((x + y) - y, x);");
    assert_eq!(standings("tvm", &[("a.cc", &rule)]), [Standing::Verified]);
    for header in [
        "#define TVM_TRY_REWRITE(SrcExpr, ResExpr) if ((SrcExpr).Match(ret)) return ret;",
        "#define y x",
    ] {
        let files = [("a.cc", rule.as_str()), ("b.h", header)];
        assert_eq!(standings("tvm", &files), [Standing::Unsupported], "{header}");
    }
}

#[test]
fn equal_literals_may_have_two_types() {
    check_tvm(
        "And",
        "TVM_TRY_REWRITE(x < c1 && x < c2, x < min(c1, c2));",
        "TVM_TRY_REWRITE(x < c1 && y < c1, max(x, y) < c1);",
        Standing::Wrong,
    );
    let made = "auto no = PConst<PrimExpr>(MakeConst(op->ty.as_or_throw<PrimType>(), false));";
    check_tvm(
        "And",
        &format!("{made} TVM_TRY_REWRITE(x < c1 && c1 < x, no);"),
        &format!("{made} TVM_TRY_REWRITE(x < f1 && f1 < x, no);"),
        Standing::Unsupported,
    );
}

#[test]
fn a_constant_of_cpp_has_the_type_that_is_written() {
    let made = |value: &str, rule: &str| {
        format!("auto made = PConst<PrimExpr>({value}); TVM_TRY_REWRITE({rule}, made);")
    };
    check_tvm(
        "LT",
        &made("MakeConst(op->ty.as_or_throw<PrimType>(), false)", "x < x"),
        &made("MakeConst(op->a.ty(), false)", "x < x"),
        Standing::Unsupported,
    );
    check_tvm(
        "Sub",
        &made("MakeConst(op->ty.as_or_throw<PrimType>(), 0)", "x - x"),
        &made("IntImm(PrimType::Int(64), 0)", "x - x"),
        Standing::Unsupported,
    );
}

#[test]
fn only_what_a_function_returns_was_rewritten_before() {
    let visitor = |node: &str, maker: &str, operands: [&str; 2], used: &str| {
        format!(
            "Expr Simplify::visit(const {node} *op, ExprInfo *info) {{\n\
                 Expr a = {};\n\
                 Expr b = {};\n\
                 auto rewrite = IRMatcher::rewriter(IRMatcher::{maker}, op->type, a.type());\n\
                 {used}\n\
                 return op;\n\
             }}\n",
            operands[0], operands[1]
        )
    };
    let mutated = ["mutate(op->a, nullptr)", "mutate(op->b, nullptr)"];
    let rule = "if (no_overflow_int(a.type()) && rewrite(x * c0 < y * c0, x < y, c0 >= 0)) { \
                return rewrite.result; }";
    let user = visitor("LT", "lt(a, b)", mutated, rule);
    let standing = |mul: &str, user: &str| {
        *standings("halide", &[("a.cpp", &format!("{mul}{user}"))]).last().expect("a rule")
    };
    let plain = "if (rewrite(x * 0, 0)) { return rewrite.result; }";
    for used in [
        plain,
        "if (rewrite(x * 0, 0)) { return mutate(std::move(rewrite.result), info); }",
        "if (rewrite(x * 0, 0)) { if (rewrite.result.same_as(a)) { count++; } return \
         rewrite.result; }",
        "if (rewrite(x * 1, x) || rewrite(x * 0, 0)) { return rewrite.result; }",
    ] {
        let mul = visitor("Mul", "mul(a, b)", mutated, used);
        assert_eq!(standing(&mul, &user), Standing::Verified, "{used}");
    }
    for used in [
        "if (rewrite(x * 0, 0)) { count++; }",
        "if (rewrite(x * 0, 0) && is_pure(a)) { return rewrite.result; }",
        "if (!rewrite(x * 0, 0)) { return rewrite.result; }",
        "if (rewrite(x * 0, 0)) { if (lazy) { return op; } return rewrite.result; }",
        "if (rewrite(x * 0, 0)) { forget(rewrite.result); return rewrite.result; }",
        "if (rewrite(x * 0, 0)) { return Mul::make(a, b); }",
        "if (rewrite(x * 0, 0)) { while (lazy) { return op; } return rewrite.result; }",
        "rewrite(x * 0, 0);",
        "std::swap(a, b); if (rewrite(x * 0, 0)) { return rewrite.result; }",
        "return rewrite(x * 0, 0) ? rewrite.result : op;",
    ] {
        let mul = visitor("Mul", "mul(a, b)", mutated, used);
        assert_eq!(standing(&mul, &user), Standing::Wrong, "{used}");
    }
    for (maker, operands) in [
        ("mul(a, a)", mutated),
        ("mul(b, a)", mutated),
        ("mul(op->a, op->b)", mutated),
        ("add(a, b)", mutated),
        ("mul(a, b)", ["op->a", "op->b"]),
        ("mul(a, b)", ["mutate(op->b, nullptr)", "mutate(op->a, nullptr)"]),
        ("mul(a, b)", ["mutate(op->a, nullptr)", "mutate(op->a * 2, nullptr)"]),
    ] {
        let mul = visitor("Mul", maker, operands, plain);
        assert_eq!(standing(&mul, &user), Standing::Wrong, "{maker} {operands:?}");
    }
    let mul = visitor("Mul", "mul(a, b)", mutated, plain);
    for operands in [["op->a", "op->b"], ["mutate(op->a, nullptr)", "op->b"], ["strip(op->a)", "b"]]
    {
        let user = visitor("LT", "lt(a, b)", operands, rule);
        assert_eq!(standing(&mul, &user), Standing::Wrong, "{operands:?}");
    }
}

#[test]
fn the_condition_of_a_choice_may_have_one_lane() {
    let old = "halide-to-hardware";
    check(
        old,
        "Select",
        "rewrite(select(x, true, false), cast(op->type, x))",
        "rewrite(select(x, true, false), x)",
    );
    // Halide's own constructor asks for as many lanes as the values have.
    let rule = visitor("Select", "a.type().is_bool() && rewrite(select(x, y, x), x && y)");
    stands("halide", &rule, Standing::Verified);
    // Its matcher repeats a scalar next to a vector, and TVM's does not.
    let rule = visitor("Select", "rewrite(select(x, y, select(z, y, w)), select(x || z, y, w))");
    stands(old, &rule, Standing::Verified);
    check_tvm(
        "Select",
        "TVM_TRY_REWRITE(select(x, y, select(x, z, w)), select(x, y, w));",
        "TVM_TRY_REWRITE(select(x, y, select(z, y, w)), select(x || z, y, w));",
        Standing::Wrong,
    );
    check_tvm(
        "And",
        "TVM_TRY_REWRITE(select(x, y, w) && z, select(x, y && z, w && z));",
        "TVM_TRY_REWRITE(select(x, y && w, w) && z, ((!x || y) && w) && z);",
        Standing::Wrong,
    );
}

#[test]
fn a_constant_has_the_lanes_of_what_it_matched() {
    check(
        "halide",
        "Add",
        "rewrite(broadcast(x, c0) + broadcast(c1, c0), broadcast(x + c1, c0))",
        "rewrite(broadcast(x, c0) + c1, broadcast(x + c1, c0))",
    );
    check(
        "halide",
        "Mul",
        "rewrite(ramp(x, c0, c1) * broadcast(c2, c1), ramp(x * c2, fold(c0 * c2), c1))",
        "rewrite(ramp(x, c0, c1) * c2, ramp(x * c2, fold(c0 * c2), c1))",
    );
    check(
        "halide",
        "Min",
        "rewrite(min(broadcast(c0, c1), broadcast(c2, c1)), broadcast(c0, c1), c0 <= c2)",
        "rewrite(min(broadcast(c0, c1), broadcast(c2, c1)), c0, c0 <= c2)",
    );
    // The constant that is read last gives the lanes.
    check(
        "halide",
        "Mul",
        "rewrite(broadcast(x * c0, c1) * c2, broadcast(x, c1) * fold(c0 * c2))",
        "rewrite(broadcast(x * c0, c1) * c2, broadcast(x, c1) * fold(c2 * c0))",
    );
    // Older matchers repeat a scalar next to a vector, but no vector in a broadcast.
    check(
        "halide-to-hardware",
        "Add",
        "rewrite(broadcast(x) + broadcast(c0), broadcast(x, lanes) + c0)",
        "rewrite(broadcast(x) + c0, broadcast(x + c0, lanes))",
    );
    // In TVM a literal is a scalar.
    check_tvm(
        "Add",
        "TVM_TRY_REWRITE((x + c1) + c2, x + (c1 + c2));",
        "TVM_TRY_REWRITE(broadcast(c1, lanes) + x, x + c1);",
        Standing::Wrong,
    );
}

#[test]
fn a_count_of_lanes_is_no_value() {
    let rule = |value: &str| {
        format!(
            "rewrite((x + broadcast(y, c0)) - broadcast(z, c0), (x + broadcast(y - z + {value}, \
             c0)) - broadcast({value}, c0), c0 == lanes)"
        )
    };
    check("halide", "Sub", &rule("fold(c0)"), &rule("c0"));
    // What is broadcast may be a vector, unlike the folded count.
    let nested = rule("fold(c0)").replace(", c0 == lanes)", ")");
    stands("halide", &visitor("Sub", &nested), Standing::Wrong);
    // A variable of C++ is a literal.
    stands("halide", &visitor("Sub", &rule("lanes")), Standing::Verified);
    check(
        "halide",
        "LT",
        "no_overflow_int(a.type()) && rewrite(broadcast(x, c0) < y, y - broadcast(x, c0) > 0)",
        "no_overflow_int(a.type()) && rewrite(broadcast(x, c0) < y, fold(c0 - c0) < y - \
         broadcast(x, c0))",
    );
    // The matcher compares 64 bits, whatever the other operand is.
    let compared = visitor("Add", "rewrite(broadcast(x, c0) + c1, c1 + broadcast(x, c0), c0 < c1)");
    stands("halide", &compared, Standing::Unsupported);
    check_tvm(
        "Add",
        "TVM_TRY_REWRITE(ramp(x, y, lanes) + broadcast(z, lanes), ramp(x + z, y, lanes));",
        "TVM_TRY_REWRITE(ramp(x, y, lanes) + broadcast(z, lanes), ramp((x + z + lanes) - lanes, y, \
         lanes));",
        Standing::Unsupported,
    );
}

#[test]
fn some_nodes_have_more_lanes_than_one() {
    let rule = "rewrite(broadcast(x, c0) + broadcast(y, c1), broadcast(x + ramp(y, 0, fold(c1 / \
                c0)), c0), c1 % c0 == 0";
    check("halide", "Add", &format!("{rule} && c1 > c0)"), &format!("{rule})"));
    check("halide", "Add", &format!("{rule} && c0 + 1 < c1)"), &format!("{rule} && c0 - 1 < c1)"));
    // Counts that divide one another are equal, so nothing refutes the first rule.
    let same = "rewrite(broadcast(x, c0) + broadcast(y, c1), broadcast(broadcast(x, fold(c0 / c1)) \
                + y, c1), c0 % c1 == 0";
    let both = format!("{same} && c1 % c0 == 0)");
    stands("halide", &visitor("Add", &both), Standing::Undecided);
    let none = same.replace(", c0 % c1 == 0", ")");
    stands("halide", &visitor("Add", &none), Standing::Wrong);
    // Halide's matcher builds no broadcast to one lane.
    let rule = rule.replace("ramp(y, 0, ", "broadcast(y, ");
    stands("halide", &visitor("Add", &format!("{rule})")), Standing::Verified);
    check("halide-to-hardware", "Sub", "rewrite(x - x, 0)", "rewrite(x - x, broadcast(0))");
    check(
        "halide-to-hardware",
        "Sub",
        "rewrite(broadcast(x) - broadcast(x), broadcast(0, lanes))",
        "rewrite(x - x, broadcast(0, lanes))",
    );
}

#[test]
fn a_literal_has_a_type_only_by_what_is_built_before_it() {
    check(
        "halide",
        "LT",
        "no_overflow_int(a.type()) && rewrite(broadcast(x, c0) < y, 0 < y - broadcast(x, c0))",
        "no_overflow_int(a.type()) && rewrite(broadcast(x, c0) < y, broadcast(0, c0) < y - \
         broadcast(x, c0))",
    );
    check(
        "halide",
        "EQ",
        "rewrite(x + y == z, z == x + y)",
        "rewrite(x + y == z, select(x + y == z, 1, 0) == 1)",
    );
    check(
        "halide",
        "EQ",
        "rewrite(x == y, select(x == x, x == y, y == x))",
        "rewrite(x == y, select(fold(1) == 1, x == y, y == x))",
    );
    // The matcher divides the lanes of the whole by the count, and rounds.
    check(
        "halide",
        "Add",
        "rewrite(broadcast(x, 4) + y, (y + broadcast(x, 4)) + broadcast(0, 4))",
        "rewrite(x + y, (x + y) + broadcast(0, 4))",
    );
    // It matches numbers of every type.
    let rule = "rewrite(select(x, true, false), x)";
    stands("halide", &visitor("Select", rule), Standing::Wrong);
    let of_bool = format!("op->type.is_bool() && {rule}");
    stands("halide", &visitor("Select", &of_bool), Standing::Verified);
}
