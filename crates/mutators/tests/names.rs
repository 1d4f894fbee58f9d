//! Names, directives and texts that C++ reads in a way that is easily missed. Each wrong mutator
//! does something else than it seems to do, and its right twin does what it seems to do.

#![expect(clippy::expect_used, reason = "test code")]

use halidom_mutators::{Standing, mutators};
use halidom_rewrites::options::{Options, Source};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Limits;
use halidom_smt::{Family, Program};

/// Tests whether all mutators of a text are verified, and there is one of the class `P`.
fn is_verified(profile: &str, text: &str) -> bool {
    let options = Options {
        profile: Profile::named(profile).expect("a known profile"),
        solver: Program::find(Family::Z3, None).expect("Z3; `cargo xtask setup` installs it"),
        limits: Limits { milliseconds: 2000 },
        threads: 1,
        cache: None,
    };
    let source = Source { name: "file.cpp".to_owned(), text: text.to_owned() };
    let all = mutators(&[source], &[], &options).expect("a solver that runs");
    all.iter().any(|one| one.name.starts_with("P::"))
        && all.iter().all(|one| one.examination.standing() == Standing::Verified)
}

/// A mutator of sums with a body, in a class with further members and a base.
fn pass(base: &str, members: &str, body: &str) -> String {
    format!(
        "class P : public {base} {{\n{members}\n\
         Expr visit(const Add *op) override {{\n{body}\n}}\n}};\n"
    )
}

/// A function that takes the first of two expressions, or the second one.
fn pick(result: &str) -> String {
    format!("static Expr pick(const Expr &a, const Expr &b) {{ return {result}; }}\n")
}

const CALL: &str = "return Add::make(pick(op->a, op->b), op->b);";

#[test]
fn names_mean_their_nearest_declarations() {
    let plain = pass("IRMutator", "", CALL);
    let base = |of: &str| format!("struct Base : public IRMutator {{ {of} }};\n");
    let derived = pass("Base", "", CALL);
    let of_member = |member: &str| pick("a") + &pass("IRMutator", member, CALL);
    let right = [
        pick("a") + &plain,
        pick("a") + &base("int x;") + &derived,
        of_member("Expr other(Expr a, Expr b);"),
        of_member("#define HERE\nint pack(Expr a);"),
        format!("static Expr pick(const Expr &a, const Expr &b);\n{}{plain}", pick("a")),
        format!("namespace A {{\n{}{plain}\n}}\n", pick("a")),
        pick("a")
            + &pass(
                "IRMutator",
                "",
                "Expr x = op->a; auto f = [&]() { return x; }; { Expr x = op->b; \
                 return Add::make(f(), x); }",
            ),
    ];
    let wrong = [
        pick("a") + &base("Expr pick(Expr a, Expr b);") + &derived,
        pick("a") + &derived,
        of_member("Expr pick(Expr a, Expr b);"),
        of_member("Expr (*pick)(const Expr &, const Expr &);"),
        of_member("std::function<Expr(Expr, Expr)> pick;"),
        of_member("using Other::pick;"),
        of_member("Expr (pick)(Expr a, Expr b) { return b; }"),
        of_member("#include \"members.inc\""),
        of_member("#if 0\nExpr pick(const Expr &a, const Expr &b) { return a; }\n#endif"),
        format!("Expr pick(Expr &a, const Expr &b);\n{}{plain}", pick("a")),
        format!("namespace A {{\n{}}}\nnamespace B {{\n{}{plain}}}\n", pick("a"), pick("b")),
        format!("namespace A {{\n{}}}\n{plain}", pick("a")),
        pick("a")
            + &pass(
                "IRMutator",
                "",
                "auto &pick = other; return Add::make(pick(op->a, op->b), op->b);",
            ),
        pass(
            "IRMutator",
            "",
            "Expr x = op->b; auto f = [&]() { return x; }; { Expr x = op->a; \
             return Add::make(f(), op->b); }",
        ),
        pass("IRMutator", "", "Expr x = op->a; { Expr x = x; return Add::make(x, op->b); }"),
    ];
    for text in right {
        assert!(is_verified("halide", &text), "{text}");
    }
    for text in wrong {
        assert!(!is_verified("halide", &text), "{text}");
    }
}

#[test]
fn overloads_are_those_of_the_exact_types() {
    let two = |first: &str, second: &str| {
        format!(
            "static Expr pick({first}, Expr a) {{ return a; }}\n\
             static Expr pick({second}, Expr a) {{ return make_zero(a.type()); }}\n"
        )
    };
    let call = |first: &str| {
        pass("IRMutator", "", &format!("return Add::make(pick({first}, op->a), op->b);"))
    };
    assert!(is_verified("halide", &(two("int k", "bool k") + &call("1"))));
    for (first, second, value) in [
        ("std::string s", "bool k", "\"s\""),
        ("Expr e", "const Add *e", "0"),
        ("const Expr &e", "Expr &e", "op->a"),
        ("bool k", "int k", "(op->a.type().is_bool() & op->b.type().is_bool())"),
    ] {
        let text = two(first, second) + &call(value);
        assert!(!is_verified("halide", &text), "{text}");
    }
}

#[test]
fn text_that_compilers_read_differently_is_not_judged() {
    let plain = pick("a") + &pass("IRMutator", "", CALL);
    for right in ["#define OTHER(a, b) \\\n  (b)\n", "// a comment \\n\n", "# include <a>\n"] {
        assert!(is_verified("halide", &(right.to_owned() + &plain)), "{right}");
    }
    for wrong in [
        "#/* */define pick(a, b) (b)\n",
        "%:define pick(a, b) (b)\n",
        "# \\\ndefine pick(a, b) (b)\n",
        "#define $pick\n",
        "class { ] ;\n",
    ] {
        assert!(!is_verified("halide", &(wrong.to_owned() + &plain)), "{wrong}");
    }
    let body = "// keep it \\ \nreturn op;\nreturn op->a;";
    assert!(!is_verified("halide", &pass("IRMutator", "", body)));
}

#[test]
fn casts_texts_and_initializers_are_read_as_in_cpp() {
    let next = "template<typename T>\nT next_cast(int x) { return x + 1; }\n";
    let when = |condition: &str| {
        pass("IRMutator", "", &format!("if ({condition}) {{ return op->a; }}\nreturn op;"))
    };
    assert!(is_verified("halide", &when("static_cast<int>(3) == 4")));
    assert!(!is_verified("halide", &(next.to_owned() + &when("next_cast<int>(3) == 4"))));
    let text = |literal: &str| {
        let body = "if (s == \"A\") { return op->a; }\nreturn op;";
        pass("IRMutator", "", &format!("std::string s = {literal};\n{body}"))
    };
    assert!(is_verified("halide", &text("\"\\n\"")));
    for literal in ["\"\\x41\"", "\"\\101\"", "u8\"A\"", "\"A\\0B\""] {
        assert!(!is_verified("halide", &text(literal)), "{literal}");
    }
    let switch = |first: &str| {
        let arms = "case 0: return op;\ndefault: return op->a;";
        pass("IRMutator", "", &format!("int k = 0;\nswitch ({first}k) {{ {arms} }}"))
    };
    assert!(is_verified("halide", &switch("")));
    assert!(!is_verified("halide", &switch("k = 1; ")));
}

#[test]
fn own_operators_and_containers_are_seen() {
    let minus = pass("IRMutator", "", "return Add::make(op->a - 0, op->b);");
    let own = |ty: &str| format!("Expr operator-({ty} a, int b) {{ return b; }}\n");
    assert!(is_verified("halide", &(own("const Own &") + "struct Own {};\n" + &minus)));
    for wrong in [
        "typedef Expr E;\n".to_owned() + &own("const E &"),
        "template<typename T> ".to_owned() + &own("T"),
        "Expr operator-(const Expr &a, int b);\n".to_owned(),
    ] {
        assert!(!is_verified("halide", &(wrong.clone() + &minus)), "{wrong}");
    }
    let seen = "set<std::string> seen;\nExpr visit(const Variable *op) override {\n\
        if (seen.count(op->name) > 1) { return make_zero(op->type); }\nreturn op;\n}";
    let plain = pass("IRMutator", seen, "return op;");
    assert!(is_verified("halide", &plain));
    for wrong in ["template<typename T> class set;\n", "using namespace Mine;\n"] {
        assert!(!is_verified("halide", &(wrong.to_owned() + &plain)), "{wrong}");
    }
}

#[test]
fn every_method_that_may_be_a_mutators_is_listed() {
    let right = "class P : public IRMutator { void visit(const Sub *op) { expr = op; } };\n\
        class V : public IRVisitor { void visit(const Add *op) { found = op; } bool found; };\n";
    assert!(is_verified("halide-hls", right));
    for wrong in [
        "class Q : public IRGraphMutator { void visit(const Add *op) { expr = op->a; } };\n",
        "typedef IRMutator B; class Q : public B {\n\
         void visit(const Add *op) { expr = op->a; } };\n",
        "class Q : public Of<IRMutator> { void visit(const Add *op) { expr = op->a; } };\n",
        "typedef const Add *A; class Q : public IRMutator {\n\
         void visit(A op) { expr = op->a; } };\n",
        "Stmt f(Stmt s) { class Q : public IRMutator { void visit(const Add *op) \
         { expr = op->a; } }; return Q().mutate(s); }\n",
        "namespace A { class Q : public IRVisitor { void visit(const Add *op) {} }; }\n\
         namespace B { class Q : public IRMutator { void visit(const Sub *op) \
         { expr = op->a; } }; }\n",
    ] {
        assert!(!is_verified("halide-hls", &(right.to_owned() + wrong)), "{wrong}");
    }
    let right = pass("IRMutator", "", "return op;");
    for wrong in [
        "class Q : public B { Halide::Expr visit(const Add *op) override { return op->a; } };\n",
        "using R = Expr; class Q : public B {\n\
         R visit(const Add *op) override { return op->a; } };\n",
        "class Q : public B { auto visit(const Add *op) -> Expr override { return op->a; } };\n",
        "class Q : public B { Expr (visit)(const Add *op) override { return op->a; } };\n",
    ] {
        assert!(!is_verified("halide", &(right.clone() + wrong)), "{wrong}");
    }
}
