//! Names, directives and texts that C++ reads in a way that is easily missed. Each wrong mutator
//! does something else than it seems to do, and its right twin does what it seems to do.

#![expect(clippy::expect_used, reason = "test code")]

use halidom_mutators::{Standing, mutators};
use halidom_rewrites::options::{Options, Source};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Limits;
use halidom_smt::{Family, Program};
use halidom_testgen::sampled;

/// A run of all tests examines one of this many cases of each list, a sweep all.
const SHARE: usize = 4;

fn options(profile: &str) -> Options {
    Options {
        profile: Profile::named(profile).expect("a known profile"),
        solver: Program::find(Family::Z3, None).expect("Z3; `cargo xtask setup` installs it"),
        limits: Limits { milliseconds: 2000 },
        threads: 1,
        cache: None,
    }
}

/// Tests whether all mutators of a text are verified, and there is one of the class `P`.
fn is_verified(profile: &str, text: &str) -> bool {
    let source = Source { name: "file.cpp".to_owned(), text: text.to_owned() };
    let all = mutators(&[source], &[], &options(profile)).expect("a solver that runs");
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
        of_member("#if 0\nExpr pick(const Expr &a, const Expr &b) { return b; }\n#endif"),
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
        of_member("#if ODD\nExpr pick(const Expr &a, const Expr &b) { return a; }\n#endif"),
        of_member("#if 1\nExpr pick(const Expr &a, const Expr &b) { return b; }\n#endif"),
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
    for text in sampled(right, SHARE) {
        assert!(is_verified("halide", &text), "{text}");
    }
    for text in sampled(wrong, SHARE) {
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
    for (first, second, value) in sampled(
        [
            ("std::string s", "bool k", "\"s\""),
            ("Expr e", "const Add *e", "0"),
            ("const Expr &e", "Expr &e", "op->a"),
            ("bool k", "int k", "(op->a.type().is_bool() & op->b.type().is_bool())"),
        ],
        SHARE,
    ) {
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
    for wrong in sampled(
        [
            "#/* */define pick(a, b) (b)\n",
            "%:define pick(a, b) (b)\n",
            "# \\\ndefine pick(a, b) (b)\n",
            "#define $pick\n",
            "class { ] ;\n",
        ],
        SHARE,
    ) {
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
    for wrong in sampled(
        [
            "typedef Expr E;\n".to_owned() + &own("const E &"),
            "template<typename T> ".to_owned() + &own("T"),
            "Expr operator-(const Expr &a, int b);\n".to_owned(),
        ],
        SHARE,
    ) {
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
    for wrong in sampled(
        [
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
        ],
        SHARE,
    ) {
        assert!(!is_verified("halide-hls", &(right.to_owned() + wrong)), "{wrong}");
    }
    let right = pass("IRMutator", "", "return op;");
    for wrong in sampled(
        [
            "class Q : public B { \
             Halide::Expr visit(const Add *op) override { return op->a; } };\n",
            "using R = Expr; class Q : public B {\n\
         R visit(const Add *op) override { return op->a; } };\n",
            "class Q : public B { \
             auto visit(const Add *op) -> Expr override { return op->a; } };\n",
            "class Q : public B { Expr (visit)(const Add *op) override { return op->a; } };\n",
        ],
        SHARE,
    ) {
        assert!(!is_verified("halide", &(right.clone() + wrong)), "{wrong}");
    }
}

/// A mutator that gives `x` for `x + y` if a member was set by another name.
fn flagged(base: &str, members: &str, set: &str) -> String {
    let body = format!("flag = false;\n{set}\nif (flag) {{ return op->a; }}\nreturn op;");
    pass(base, &format!("bool flag = false;\n{members}"), &body)
}

#[test]
fn members_have_one_name() {
    for right in ["", "flag = false;", "this->flag = false;", "bool other = true; other = flag;"] {
        let text = flagged("IRMutator", "", right);
        assert!(is_verified("halide", &text), "{text}");
    }
    let helper = "static void raise(P &p) { p.flag = true; }\n";
    for (before, members, set) in sampled(
        [
            ("", "", "auto *self = this; self->flag = true;"),
            ("", "", "P &self = *this; self.flag = true;"),
            ("", "", "P::flag = true;"),
            ("", "", "this->P::flag = true;"),
            ("", "P &same() { return *this; }", "same().flag = true;"),
            ("", "", "struct Owner { P *p; };\nOwner o = {this};\no.p->flag = true;"),
            (helper, "", "raise(*this);"),
        ],
        SHARE,
    ) {
        let text = before.to_owned() + &flagged("IRMutator", members, set);
        assert!(!is_verified("halide", &text), "{text}");
    }
    let base = "class Base : public IRMutator { protected: bool flag = true;\n\
        bool is_set() { return flag; } };\n";
    let hidden = pass("Base", "bool flag = false;", "return is_set() ? op->a : Expr(op);");
    assert!(!is_verified("halide", &(base.to_owned() + &hidden)));
    let global = "static bool flag = false;\nstatic void raise() { flag = true; }\n";
    let body = "flag = false;\nraise();\nreturn flag ? Expr(op) : op->a;";
    let mixed = pass("IRMutator", "bool flag = false;", body);
    assert!(!is_verified("halide", &(global.to_owned() + &mixed)));
}

#[test]
fn references_follow_what_they_are_bound_to() {
    let after = |declare: &str, change: &str| {
        let body = format!("Expr a = op->a;\n{declare}\n{change}\nreturn Add::make(left, op->b);");
        pass("IRMutator", "", &body)
    };
    let first = "static const Expr &first(const Expr &x, const Expr &y) { return x; }\n";
    for right in ["const Expr &left = a;", "Expr left = a;", "const Expr &left = op->a;"] {
        let text = after(right, "Expr b = op->b;");
        assert!(is_verified("halide", &text), "{text}");
    }
    for (before, declare) in sampled(
        [
            ("", "const Expr &left = a;"),
            (first, "const Expr &left = first(a, op->b);"),
            ("", "auto get = [&]() -> const Expr & { return a; };\nconst Expr &left = get();"),
            ("", "const Expr &left = static_cast<const Expr &>(a);"),
            ("", "const Expr &left = (a = op->a);"),
            ("", "Expr &&left = std::move(a);"),
            ("", "Expr *p = &a;\nconst Expr &left = *p;"),
        ],
        SHARE,
    ) {
        let text = before.to_owned() + &after(declare, "a = op->b;");
        assert!(!is_verified("halide", &text), "{text}");
    }
    // A reference to another type is bound to a copy.
    let count = |ty: &str| {
        let body = format!(
            "int64_t n = 0;\nconst {ty} &m = n;\nn = 1;\nif (m == 1) {{ return op; }}\n\
             return op->a;"
        );
        pass("IRMutator", "", &body)
    };
    assert!(is_verified("halide", &count("int64_t")));
    assert!(!is_verified("halide", &count("int")));
}

#[test]
fn pointers_do_not_outlive_their_expressions() {
    let body = |text: &str| pass("IRMutator", "", text);
    let right = "Expr e = mutate(op->a);\nconst Add *add = e.as<Add>();\n\
        if (add) { return Add::make(Add::make(add->a, add->b), op->b); }\nreturn op;";
    assert!(is_verified("halide", &body(right)));
    for wrong in sampled(
        [
            "const Add *add = mutate(op->a).as<Add>();\n\
         if (add) { return Add::make(Add::make(add->a, add->b), op->b); }\nreturn op;",
            "const Add *add = is_const(op->b) ? mutate(op->a).as<Add>() : nullptr;\n\
         if (add) { return Add::make(Add::make(add->a, add->b), op->b); }\nreturn op;",
            "Expr e = mutate(op->a);\nconst Add *add = e.as<Add>();\n\
         if (add) { e = add->a; return Add::make(Add::make(e, add->b), op->b); }\nreturn op;",
            "std::vector<Expr> all;\nall.push_back(op->a);\nconst Expr &first = all[0];\n\
         all.push_back(op->b);\nreturn Add::make(first, op->b);",
            "Expr(a);\nreturn Add::make(op->a, op->b);",
        ],
        SHARE,
    ) {
        assert!(!is_verified("halide", &body(wrong)), "{wrong}");
    }
    let local = "static const Expr &same(const Expr &e) { Expr t = e; return t; }\n";
    let call = body("return Add::make(same(op->a), op->b);");
    assert!(!is_verified("halide", &(local.to_owned() + &call)));
    let falls = "static int sign(bool up) { if (up) { return 1; } }\n";
    let call = body("if (sign(false) == 1) { return op->a; }\nreturn op;");
    assert!(!is_verified("halide", &(falls.to_owned() + &call)));
}

#[test]
fn values_become_others_as_in_cpp() {
    let when = |condition: &str| {
        pass("IRMutator", "", &format!("if ({condition}) {{ return op; }}\nreturn op->a;"))
    };
    let narrow = "static auto narrow(int64_t n) -> uint8_t { return n; }\n";
    assert!(is_verified("halide", &when("true")));
    assert!(!is_verified("halide", &(narrow.to_owned() + &when("narrow(256) == 256"))));
    assert!(!is_verified("halide", &when("Float(64).can_represent(Float(32)) == false")));
    assert!(!is_verified("halide", &when("op->a.get() == op->b.get()")));
    let neg = "struct Neg : public Expr { Neg(const Expr &e) : Expr(-e) {} };\n";
    let body = "std::pair<Neg, Neg> p = {op->a, op->b};\nreturn Add::make(p.first, p.second);";
    assert!(!is_verified("halide", &(neg.to_owned() + &pass("IRMutator", "", body))));
    let body = "int64_t n = 3;\nreturn Expr(n) + (Expr(op) - n);";
    assert!(!is_verified("halide", &pass("IRMutator", "", body)));
    let bounds = "Scope<Interval> s;\ns.push(\"x\", Interval(0, 0));\n\
        return Add::make(simplify(op->a, true, s), op->b);";
    assert!(!is_verified("halide", &pass("IRMutator", "", bounds)));
}

/// An emitter with a method.
fn emitter(method: &str) -> String {
    format!(
        "class P : public IRVisitor {{\nstd::string id;\nstd::ostringstream stream;\n\
         std::string print_expr(Expr e) {{ e.accept(this); return id; }}\n{method}\n}};\n"
    )
}

#[test]
fn emitted_text_is_read_as_c() {
    let binding = |text: &str| {
        emitter(&format!(
            "void visit(const LetStmt *op) {{ std::string value = print_expr(op->value); \
             stream << {text}; op->body.accept(this); }}"
        ))
    };
    let least = |text: &str| {
        emitter(&format!(
            "void visit(const Min *op) {{ std::string a = print_expr(op->a), \
             b = print_expr(op->b); print_assignment(op->type, {text}); }}"
        ))
    };
    let negated = |text: &str| {
        emitter(&format!(
            "void visit(const Not *op) {{ std::string a = print_expr(op->a); \
             print_assignment(op->type, {text}); }}"
        ))
    };
    let number = |text: &str| {
        emitter(&format!(
            "void visit(const IntImm *op) {{ std::ostringstream os; os << {text}; \
             print_assignment(op->type, os.str()); }}"
        ))
    };
    let task = |of: &str| {
        format!(
            "stream << \"#pragma omp task\\n\"; open_scope(); op->{of}.accept(this); \
             close_scope(\"\"); "
        )
    };
    let fork = |before: &str, after: &str| {
        emitter(&format!(
            "void visit(const Fork *op) {{ stream << \"#pragma omp parallel\\n\"; open_scope(); \
             {before} {}{} stream << \"#pragma omp taskwait\\n\"; {after} close_scope(\"\"); }}",
            task("first"),
            task("rest"),
        ))
    };
    let evaluate = emitter(
        "void visit(const Evaluate *op) { stream << \"#pragma omp parallel\\n\"; open_scope(); \
         std::string v = print_expr(op->value); stream << \"(void)\" << v << \";\\n\"; \
         close_scope(\"\"); }",
    );
    let loop_to = |end: &str| {
        emitter(&format!(
            "void visit(const For *op) {{ if (is_const(op->min, -5) && \
             is_const(op->extent, 10)) {{ \
             std::string v = print_name(op->name); \
             stream << \"for (int \" << v << \" = -5; \" << v; \
             stream << \" < {end}; \" << v << \"++)\\n\"; \
             open_scope(); op->body.accept(this); \
             close_scope(\"\"); }} else {{ user_error << \"other bounds\"; }} }}"
        ))
    };
    let holds = |text: &str| {
        let source = Source { name: "file.cpp".to_owned(), text: text.to_owned() };
        let all = mutators(&[source], &[], &options("halide-hls")).expect("a solver that runs");
        // A contract stands for the body of `print_expr`.
        let mut judged = all.iter().filter(|one| one.name.starts_with("P::visit"));
        let one = judged.next().expect("a method");
        matches!(one.examination.standing(), Standing::Verified | Standing::Rejects)
    };
    let ty = "print_type(op->value.type())";
    let single = "stream << \"#pragma omp single\\n\"; open_scope();";
    let right = [
        binding(&format!("{ty} << \" \" << print_name(op->name) << \" = \" << value << \";\\n\"")),
        least("\"::halide_cpp_min(\" + a + \", \" + b + \")\""),
        negated("\"(\" + a + \" == 0)\""),
        fork(single, "close_scope(\"\");"),
        loop_to("5"),
    ];
    let wrong = [
        // Two words that touch are one.
        binding(&format!("{ty} << print_name(op->name) << \" = \" << value << \";\\n\"")),
        // No C.
        least("\"::halide_cpp_min(\" + a + \", \" + b + \", )\""),
        least("\"::halide_cpp_min((int64_t)\" + a + \", \" + b + \")\""),
        least("\"::\" + a"),
        negated("\"(\" + a + \" == 0uuu)\""),
        negated("\"(\" + a + \" == (int7_t)0)\""),
        // The type of a number depends on the number.
        number("\"((uint32_t)7 > \" << op->value << \" ? 0 : \" << op->value << \")\""),
        number("\"(\" << op->value << \" * 4 / 4)\""),
        // Every thread runs what stands outside of `single`.
        fork("", ""),
        evaluate,
        // The variable is converted to an unsigned number before it is compared.
        loop_to("5u"),
    ];
    for text in sampled(right, SHARE) {
        assert!(holds(&text), "{text}");
    }
    for text in sampled(wrong, SHARE) {
        assert!(!holds(&text), "{text}");
    }
    // A number of 32 bits is not known to keep its bits where it is cast to its own type.
    let kept = number("\"(\" << print_type(op->type) << \")(\" << op->value << \")\"");
    assert!(!holds(&kept), "{kept}");
}
