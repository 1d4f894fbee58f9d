//! Names in the conditions of rules that need not mean what their declarations say, and right twins
//! in which they do. Each wrong source has a rule that is right only under its condition.

use halidom_rewrites::examine::{Examined, Standing, examine};
use halidom_rewrites::options::{Options, Source};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Limits;
use halidom_smt::{Family, Program};

fn standings(profile: &str, text: String) -> Vec<Standing> {
    let options = Options {
        profile: Profile::named(profile).expect("a known profile"),
        solver: Program::find(Family::Z3, None).expect("Z3; `cargo xtask setup` installs it"),
        limits: Limits { milliseconds: 5000 },
        threads: 2,
        cache: None,
    };
    let source = Source { name: "a.cpp".to_owned(), text };
    let examined = examine(&[source], &[], &options).expect("a solver that runs");
    examined.iter().map(Examined::standing).collect()
}

/// Checks a `visit` of differences after some text of the file.
fn check(before: &str, body: &str, is_right: bool) {
    let text = format!(
        "{before}\nExpr Simplify::visit(const Sub *op, ExprInfo *info) {{\n{body}\nreturn op;\n}}\n"
    );
    let found = standings("halide", text);
    let are_verified = found.iter().all(|of| *of == Standing::Verified);
    assert!(!found.is_empty(), "no rule: {before} {body}");
    assert_eq!(are_verified, is_right, "{before}\n{body}\n{found:?}");
}

const TELL: &str = "ExprInfo a_info, b_info;
    Expr a = mutate(op->a, &a_info);
    Expr b = mutate(op->b, &b_info);";
const MAKE: &str = "auto rewrite = IRMatcher::rewriter(IRMatcher::sub(a, b), op->type, a.type());";
/// A rule that is right if the first operand is not 0.
const NOT_ZERO: &str = "if (!a_info.bounds.contains(0) &&
    rewrite(x - y, select(x == 0, y, x - y))) { return rewrite.result; }";
const SWAP: &str = "if (should_commute(a, b)) { std::swap(a, b); std::swap(a_info, b_info); }";

/// Checks statements between the descriptions of the operands and the rewriter.
fn described(before: &str, statements: &str, is_right: bool) {
    check(before, &format!("{TELL} {statements} {MAKE} {NOT_ZERO}"), is_right);
}

/// Checks a rule that is right if values are unsigned, under `ok`.
fn typed(before: &str, statements: &str, is_right: bool) {
    let rule = "if (ok && rewrite(min(x, 0) - y, 0 - y)) { return rewrite.result; }";
    check(before, &format!("{TELL} {MAKE} {statements} {rule}"), is_right);
}

#[test]
fn descriptions_stay_true() {
    for statements in [
        "",
        SWAP,
        "std::swap(a_info, b_info); std::swap(b, a);",
        "if (info) { info->bounds = min(a_info.bounds, b_info.bounds); }",
        "if (info) { info->intersect(b_info); }",
        "b_info.intersect(a_info);",
        "if (a_info.bounds < b_info.bounds) { return make_zero(op->type); }",
        "auto strip = [](const Expr &e) { return e; }; if (is_one(a)) { return strip(a); }",
        "if (is_zero(b)) { return wrap(std::move(a)); }",
        "debug(1) << a << a_info.bounds;",
    ] {
        described("", statements, true);
    }
    described("static bool is_big(const Expr &e) { return true; }", "is_big(a);", true);
    for statements in [
        // Text that is no syntax here.
        "try { a_info.bounds = other; } catch (...) {}",
        "other = b, a_info = b_info;",
        "again: a_info = b_info;",
        "auto f = [&i = a_info]() { i.bounds = other; }; f();",
        "auto f = [p = &a_info]() { p->bounds = other; }; f();",
        "auto &[bounds, alignment] = a_info; bounds = other;",
        "new (&a_info) ExprInfo(b_info);",
        "asm(\"\" : \"+m\"(a_info));",
        "delete a_info.held;",
        "#if 1\n a_info = b_info;\n#endif\n",
        "a_in\\\nfo = b_info;",
        "\\u0061_info = b_info;",
        // Plain changes.
        "a_info = other;",
        "a_info.bounds = other;",
        "a_info.clear();",
        "reset(a_info);",
        "elsewhere(a);",
        "a = op->b;",
        // Targets that are no path.
        "(flip ? a_info : b_info).bounds = other;",
        "const_cast<ExprInfo &>(a_info).bounds = other;",
        "((ExprInfo &)a_info).bounds = other;",
        "std::tie(a, b) = other;",
        "(flip ? a_info : b_info).clear();",
        "(*&a_info).bounds = other;",
        "++(flip ? a_info : b_info).bounds.max;",
        "(a_info = b_info).trim();",
        // Arguments of methods.
        "this->is_reset(a_info);",
        "pool.get(a_info);",
        "pool->get(a_info);",
        "pool.get({a_info});",
        "pool.find(flip ? &a_info : &b_info);",
        // References and copies that are references.
        "ExprInfo &r = a_info; r = b_info;",
        "auto &r = a; r = b;",
        "auto &&r = a; r = b;",
        "decltype(auto) r = (a_info); r = b_info;",
        "using Place = ExprInfo &; Place r = a_info; r = b_info;",
        "Handle h = a_info; h.reset();",
        "std::reference_wrapper<ExprInfo> h = a_info; h.get() = b_info;",
        "for (ExprInfo &r : {std::ref(a_info)}) { r = b_info; }",
        "for (auto &r : flip ? a_info : b_info) { r = other; }",
        "auto get = [&]() -> ExprInfo & { return a_info; }; get() = b_info;",
        "auto get = [&]() -> decltype(auto) { return (a_info); }; get() = b_info;",
        "struct Hold { ExprInfo &r; Hold(ExprInfo &i) : r(i) { r = other; } }; Hold h(a_info);",
        "auto set = [](ExprInfo &i) { i = other; }; set(a_info);",
        "auto set = [](auto &&i) { i = other; }; set(a_info);",
        "auto is_zero = [](Expr &e) { e = other; }; is_zero(a);",
        "reset<ExprInfo &>(a_info);",
        // The order of events.
        "std::swap(a, b); if (flip) { std::swap(a_info, b_info); }",
        "if (flip) { std::swap(a, b); } if (!flip) { std::swap(a_info, b_info); }",
        "if (flip) { std::swap(a, b); } else { std::swap(a_info, b_info); }",
        "if (flip) { std::swap(a, b); return a; std::swap(a_info, b_info); }",
        "while (flip) { std::swap(a, b); std::swap(a_info, b_info); }",
        "std::swap(a, b);",
        "std::swap(a_info, b_info);",
        "std::swap(a.held, b.held); std::swap(a_info, b_info);",
        "std::swap(a_info.bounds, b_info.bounds); std::swap(a, b);",
        "Expr c = mutate(op->b, &a_info);",
        "a = mutate(op->b, &b_info);",
        "a = mutate(op->b, nullptr);",
        "if (flip) { a = mutate(op->b, &a_info); }",
        "[&]() { a = mutate(op->b, nullptr); }();",
        "auto f = [&]() { a_info = b_info; }; f();",
        "{ ExprInfo a_info; mutate(op->b, &a_info); }",
    ] {
        described("", statements, false);
    }
}

#[test]
fn what_the_file_declares_is_not_known_by_name() {
    for (before, call) in [
        ("void is_zero(ExprInfo &i) { i = ExprInfo(); }", "is_zero(a_info);"),
        ("void is_zero(ExprInfo &i);", "is_zero(a_info);"),
        ("template<typename T> void is_zero(T &i) { i = T(); }", "is_zero(a_info);"),
        ("auto is_zero = [](ExprInfo &i) { i = ExprInfo(); };", "is_zero(a_info);"),
        ("#define is_zero(i) ((i) = ExprInfo())", "is_zero(a_info);"),
        ("#define RESET a_info = ExprInfo()", "RESET;"),
        ("#define PLACE ExprInfo &", "PLACE r = a_info; r = b_info;"),
        ("void min(ExprInfo &i, int) { i = ExprInfo(); }", "min(a_info, 0);"),
        ("void unify(ExprInfo &i) { i = ExprInfo(); }", "unify(a_info);"),
        ("bool no_overflow(ExprInfo &i) { i = ExprInfo(); return true; }", "no_overflow(a_info);"),
        ("void to(Expr *const *p, Expr &e) { e = **p; }", "to(p, a);"),
        ("void to(Map<const Expr *> &m) {}", "to(a_info);"),
        ("using Place = ExprInfo &; void is_zero(Place i) { i = ExprInfo(); }", "is_zero(a_info);"),
        ("typedef ExprInfo &Place; void is_zero(const Place i) { i = {}; }", "is_zero(a_info);"),
        ("void is_zero(std::reference_wrapper<ExprInfo> i) { i.get() = {}; }", "is_zero(a_info);"),
        ("bool is_big(const Expr &e) { const_cast<Expr &>(e) = x; return true; }", "is_big(a);"),
        ("void Simplify::get(ExprInfo &i) { i = ExprInfo(); }", "this->get(a_info);"),
        ("bool ExprInfo::is_set() { bounds = {}; return true; }", "a_info.is_set();"),
        ("struct ExprInfo { bool is_set(); int bounds; };", "a_info.is_set();"),
        ("ExprInfo operator+(ExprInfo &i, int) { i = ExprInfo(); return i; }", "a_info + 1;"),
        ("bool operator==(ExprInfo &i, int) { i = ExprInfo(); return true; }", "a_info == 1;"),
        ("ExprInfo &operator-(ExprInfo &i) { i = ExprInfo(); return i; }", "-a_info;"),
        ("void swap(Expr &a, Expr &b) {}", SWAP),
        ("namespace std { void swap(Expr &a, Expr &b) {} }", SWAP),
        ("bool should_commute(Expr &a, Expr &b) { a = b; return true; }", SWAP),
    ] {
        described(before, call, false);
    }
}

#[test]
fn descriptions_are_of_variables_that_mutate_tells() {
    let tell = "Expr a = mutate(op->a, &a_info), b = mutate(op->b, nullptr);";
    let with = |declared: &str, tell: &str, is_right: bool, before: &str| {
        check(before, &format!("{declared} {tell} {MAKE} {NOT_ZERO}"), is_right);
    };
    with("ExprInfo a_info;", tell, true, "");
    with("ConstBounds a_info;", tell, true, "");
    for declared in [
        "",
        "static ExprInfo a_info;",
        "thread_local ExprInfo a_info;",
        "extern ExprInfo a_info;",
        "ExprInfo a_info = other;",
        "ExprInfo a_info{other};",
        "ExprInfo a_info(other);",
        "ExprInfo &a_info = other;",
        "Shared a_info;",
        "if (flip) { ExprInfo a_info; }",
    ] {
        with(declared, tell, false, "");
    }
    let declared = "ExprInfo a_info;";
    for tell in [
        "Expr a = other->mutate(op->a, &a_info), b = op->b;",
        "Expr a = other.mutate(op->a, &a_info), b = op->b;",
        "Expr a = Other::mutate(op->a, &a_info), b = op->b;",
        "auto mutate = [](Expr e, ExprInfo *) { return e; }; Expr a = mutate(op->a, &a_info), b;",
        "Expr a = op->a, b = mutate(op->b, &a_info);",
        "Expr a, b; if (flip) { a = mutate(op->a, &a_info); }",
        "Expr a, b; while (flip) { a = mutate(op->a, &a_info); }",
        "Expr a, b; [&]() { a = mutate(op->a, &a_info); }();",
        "Held a = mutate(op->a, &a_info), b;",
        "static Expr a = mutate(op->a, &a_info), b;",
    ] {
        with(declared, tell, false, "");
    }
    with(declared, tell, false, "Expr mutate(Expr e, ExprInfo *) { return e; }");
    with(declared, tell, false, "#define mutate(e, i) e");
    with(declared, tell, false, "struct ExprInfo { Bounds bounds; };");
    // The rewriter has the operand of its time, and the condition the description of its own.
    for body in [
        format!("{TELL} {MAKE} {SWAP} {NOT_ZERO}"),
        format!("{TELL} {MAKE} std::swap(a, b); std::swap(a_info, b_info); {NOT_ZERO}"),
        format!(
            "Expr a = op->a, b; {MAKE} ExprInfo a_info; a = mutate(op->b, &a_info);
            {NOT_ZERO}"
        ),
        format!("{TELL} {MAKE} a = mutate(op->b, &a_info); {NOT_ZERO}"),
        format!("{TELL} {MAKE} {{ ExprInfo a_info; mutate(op->b, &a_info); {NOT_ZERO} }}"),
        format!("{TELL} {MAKE} for (ExprInfo a_info;;) {{ {NOT_ZERO} }}"),
        format!(
            "{TELL} bool ok = !a_info.bounds.contains(0); {SWAP} {MAKE}
            if (ok && rewrite(x - y, select(x == 0, y, x - y))) {{ return rewrite.result; }}"
        ),
        format!(
            "{TELL} if (a_info.bounds.contains(0)) {{ return op; }} {SWAP} {MAKE}
            if (rewrite(x - y, select(x == 0, y, x - y))) {{ return rewrite.result; }}"
        ),
        format!(
            "{TELL} int m = a_info.alignment.modulus, r = a_info.alignment.remainder;
            {SWAP} {MAKE}
            if (rewrite(x - y, 0 - y, m == 0 && r == 0)) {{ return rewrite.result; }}"
        ),
    ] {
        check("", &body, false);
    }
    check(
        "",
        &format!(
            "{TELL} {SWAP} bool ok = !a_info.bounds.contains(0); {MAKE}
        if (ok && rewrite(x - y, select(x == 0, y, x - y))) {{ return rewrite.result; }}"
        ),
        true,
    );
}

#[test]
fn operands_of_rewriters_are_those_of_their_time() {
    let rule = "if (rewrite(x - 0, a)) { return rewrite.result; }";
    check("", &format!("{TELL} {MAKE} {rule}"), true);
    check("", &format!("{TELL} a = simplify(a); {MAKE} {rule}"), true);
    for change in [
        "a = b;",
        "std::swap(a, b);",
        "Expr a = b;",
        "elsewhere(a);",
        "if (flip) { a = b; }",
        "other = b, a = b;",
        "rewrite = IRMatcher::rewriter(IRMatcher::sub(b, a), op->type);",
        "std::swap(rewrite, other);",
    ] {
        check("", &format!("{TELL} {MAKE} {change} {rule}"), false);
    }
    for early in ["auto f = [&]() { a = b; };", "Expr &r = a;", "Expr *p = &a;"] {
        check("", &format!("{TELL} {early} {MAKE} f(); *p = r = b; {rule}"), false);
    }
    let with = |declared: &str, is_right: bool| {
        let rule = "if (rewrite(x - 0, c)) { return rewrite.result; }";
        let make = "auto rewrite = IRMatcher::rewriter(IRMatcher::sub(c, b), op->type);";
        check("", &format!("{TELL} {declared} {make} change(); {rule}"), is_right);
    };
    with("Expr c = op->c;", true);
    for declared in ["", "Expr &c = held;", "const Expr &c = held;", "Handle c = held;"] {
        with(declared, false);
    }
    for make in [
        "auto rewrite = Other::rewriter(IRMatcher::sub(a, b), op->type);",
        "auto rewrite = IRMatcher::rewriter(Other::sub(a, b), op->type);",
        "auto rewriter = other; auto rewrite = rewriter(IRMatcher::sub(a, b), op->type);",
    ] {
        check("", &format!("{TELL} {make} {rule}"), false);
    }
}

#[test]
fn conditions_on_types_are_of_the_node() {
    for statements in [
        "bool ok = op->type.is_uint();",
        "auto ok = a.type().is_uint();",
        "Type t = op->type; const bool ok = t.is_uint();",
        "const Type &t = op->a.type(); bool ok = t.is_uint();",
    ] {
        typed("", statements, true);
    }
    for statements in [
        "bool ok = b_info.type.is_uint();",
        "bool ok = info->type.is_uint();",
        "Type t = op->type; t.reset(); bool ok = t.is_uint();",
        "Type t = op->type; Type &r = t; r = Bool(); bool ok = t.is_uint();",
        "Type t = op->type; Type *p = &t; bool ok = t.is_uint();",
        "bool ok = op->type.is_uint(); ok |= flip;",
        "bool ok = op->type.is_uint(); (flip ? ok : other) = true;",
        "bool ok = op->type.is_uint(); { bool &r = ok; r = true; }",
        "bool ok = op->type.is_uint(); other = 1, ok = true;",
        "Inverse ok = op->type.is_uint();",
        "static bool ok = op->type.is_uint();",
        "op = other; bool ok = op->type.is_uint();",
        "std::swap(op, other); bool ok = op->type.is_uint();",
        "set(op); bool ok = op->type.is_uint();",
        "auto &r = op; r = other; bool ok = op->type.is_uint();",
        "auto f = [&op]() { op = other; }; f(); bool ok = op->type.is_uint();",
        "const Sub *op = other; bool ok = op->type.is_uint();",
        "auto is_uint = [](Type) { return true; }; bool ok = is_uint(op->type);",
        "bool is_uint(Type t, int n = 0); bool ok = is_uint(op->type);",
        "a = op->c; bool ok = a.type().is_uint();",
        "bool ok; { Expr a = other; ok = a.type().is_uint(); }",
        "if (op->type.is_uint()) { goto rules; return op; } rules: bool ok = flip;",
    ] {
        typed("", statements, false);
    }
    for (before, statements) in [
        ("bool is_uint(Type t);", "bool ok = is_uint(op->type);"),
        ("bool Type::is_uint() { return true; }", "bool ok = op->type.is_uint();"),
        ("struct Type { bool is_uint(); };", "bool ok = op->type.is_uint();"),
        ("#define is_uint is_int", "bool ok = op->type.is_uint();"),
        ("#define type other", "bool ok = op->type.is_uint();"),
        ("#define CHANGE op = other", "CHANGE; bool ok = op->type.is_uint();"),
        ("void set(const Sub *&op) {}", "set(op); bool ok = op->type.is_uint();"),
        ("bool operator!(Type t) { return true; }", "bool ok = !!op->type.is_uint();"),
        ("bool operator&&(A a, B b) { return true; }", "bool ok = op->type.is_uint() && flip;"),
        ("Expr operator-(X a, Y b) { return b; }", "bool ok = op->type.is_uint();"),
        ("IRMatcher::Wild<0> y, x;", "bool ok = op->type.is_uint();"),
    ] {
        typed(before, statements, false);
    }
    // Of another type than that of `op`, and of another operand than the first.
    let rule = "if (T.is_uint() && rewrite(min(x, 0) - y, 0 - y)) { return rewrite.result; }";
    let with = |make: &str, ty: &str| format!("{TELL} {make} {}", rule.replace('T', ty));
    let other = "auto rewrite = IRMatcher::rewriter(IRMatcher::sub(a, b), info->type);";
    let third = "Expr c = mutate(info->c, nullptr);
        auto rewrite = IRMatcher::rewriter(IRMatcher::sub(c, b), op->type);";
    check("", &with(MAKE, "op->type"), true);
    check("", &with(MAKE, "a.type()"), true);
    check("", &with(third, "c.type()"), true);
    check("", &with(other, "op->type"), false);
    check("", &with(third, "a.type()"), false);
    check("", &with(third, "op->a.type()"), false);
    let text = format!(
        "Expr Simplify::visit(const Sub *other, Type is_uint) {{ {TELL} {MAKE} \
         if (op->type.is_uint() && rewrite(min(x, 0) - y, 0 - y)) {{ return rewrite.result; }} }}"
    );
    assert!(!standings("halide", text).contains(&Standing::Verified));
}

#[test]
fn more_ways_to_change_what_a_name_means() {
    // Descriptions.
    for statements in [
        "a_info.value().reset();",
        "reset(a_info.get());",
        "std::exchange(a_info, b_info);",
        "std::swap<ExprInfo>(a_info, b_info);",
        "a_info.bounds.swap(b_info.bounds);",
        "a_info.intersect(b_info);",
        "a_info.operator=(b_info);",
        "RESET;",
        "if (flip) RESET;",
        "#include \"reset.inc\"\n",
        "enum { a_info };",
        "using Other::mutate;",
        "using namespace Other;",
        "bool is_zero(ExprInfo &i); is_zero(a_info);",
        "Expr mutate(Expr e, ExprInfo *i);",
        "using ExprInfo = Other;",
        "auto n = (a_info = b_info, 0);",
        "Guard g{a_info};",
        "Guard g(a_info);",
        "struct G { ExprInfo &i; ~G() { i = other; } } g{a_info};",
        "std::bind(reset, std::ref(a_info))();",
        "auto r = std::ref(a_info); r.get() = b_info;",
        "stream >> a_info.bounds;",
        "if (ExprInfo a_info = other; flip) { return op; }",
        "if (auto *p = find(&a_info)) { p->bounds = other; }",
        "[](auto &...all) { ((all = other), ...); }(a_info);",
        "auto reset = [&](int n = (a_info = b_info, 1)) { return n; }; reset();",
        "for (int i = 0; i < 1; i++, a_info = b_info) {}",
        "switch (flip) { case 0: a_info = b_info; }",
        "do { a = op->b; } while (flip);",
        "a_info.*field = other;",
        "info = &a_info; info->bounds = other;",
        "function f = [this, &a_info] { a_info.bounds = other; }; f();",
        "throw a_info = b_info;",
        "EXCHANGE(a_info, b_info);",
        "auto [c, a_info] = other;",
        "make_zero<ExprInfo &>(a_info);",
        "min(a_info = b_info, 1);",
    ] {
        described("", statements, false);
    }
    described("", "ExprInfo a_bounds; a = mutate(a, &a_bounds);", false);
    described("enum { mutate };", "", false);
    described("template<typename ExprInfo> struct S { ExprInfo i; };", "", false);
    // Numbers that a variable cuts off, and rules with names of other things.
    let numbers = |declared: &str, is_right: bool| {
        let cut = "if (no_overflow_int(op->type) && rewrite(x - y, r - y, m == 0)) { return \
            rewrite.result; }";
        check("", &format!("{TELL} {declared} {MAKE} {cut}"), is_right);
    };
    numbers("int m = a_info.alignment.modulus; int r = a_info.alignment.remainder;", true);
    numbers("int m = a_info.alignment.modulus; bool r = a_info.alignment.remainder;", false);
    numbers("uint8_t m = a_info.alignment.modulus; int r = a_info.alignment.remainder;", false);
    numbers("int m = b_info.alignment.modulus; int r = a_info.alignment.remainder;", false);
    let plain = "if (rewrite((x + c0) - c0, x)) { return rewrite.result; }";
    check("", &format!("{TELL} {MAKE} {plain}"), true);
    for declared in ["Expr x = a;", "int c0 = 3;", "auto [c, x] = both;", "enum { c0 };"] {
        check("", &format!("{TELL} {declared} {MAKE} {plain}"), false);
    }
    for before in [
        "enum { x, c0 };",
        "static Expr x;",
        "struct Simplify { int c0; };",
        "#define x a",
        "Expr fold(Expr e);",
        "Wild operator+(Wild a, Const b);",
    ] {
        let rule = "if (rewrite((x + c0) - c1, x + fold(c0 - c1))) { return rewrite.result; }";
        check(before, &format!("{TELL} {MAKE} {rule}"), false);
    }
    // Types of other nodes.
    let of = |node: &str, maker: &str, rule: &str| {
        let text = format!(
            "Expr Simplify::visit(const {node} *op) {{ {TELL} \
             auto rewrite = IRMatcher::rewriter(IRMatcher::{maker}(a, b), op->type); \
             if ({rule}) {{ return rewrite.result; }} return op; }}"
        );
        standings("halide", text).iter().all(|of| *of == Standing::Verified)
    };
    let unsigned = "op->type.is_uint() && rewrite(min(x, 0) - y, 0 - y)";
    assert!(of("Sub", "sub", unsigned));
    assert!(!of("LT", "sub", unsigned));
    check("using Sub = LT;", &format!("{TELL} {MAKE} if ({unsigned}) {{ return op; }}"), false);
    assert!(of("LT", "lt", "a.type().is_uint() && rewrite(a.type().max() < x, false)"));
    assert!(!of("LT", "lt", "a.type().is_uint() && rewrite(op->type.max() < x, false)"));
    let promoted = "Expr c = mutate(op->a * other, nullptr);
        auto rewrite = IRMatcher::rewriter(IRMatcher::sub(c, b), op->type);
        if (op->a.type().is_uint() && rewrite(min(x, 0) - y, 0 - y)) { return rewrite.result; }";
    check("", &format!("{TELL} {promoted}"), false);
}

#[test]
fn names_in_sources_of_tvm() {
    let check = |before: &str, statements: &str, condition: &str, is_right: bool| {
        let text = format!(
            "{before}\nPrimExpr Rules::VisitExpr_(const LTNode* op) {{\n\
             PrimExpr ret = Base::VisitExpr_(op);\n op = ret.as<LTNode>();\n\
             PVar<PrimExpr> x, y, z;\n{statements}\n if ({condition}) {{\n\
             TVM_TRY_REWRITE(x + y < x + z, y < z);\n}}\n return ret;\n}}\n"
        );
        let found = standings("tvm", text);
        let are_verified = found.iter().all(|of| *of == Standing::Verified);
        assert_eq!(are_verified, is_right, "{before} {statements} {condition} {found:?}");
    };
    let index = "IsIndexTypedExpr(op->a)";
    for statements in [
        "",
        "if (auto known = TryConstFold<LT>(op->a, op->b)) return known.value();",
        "LOG(WARNING) << ret;",
        "auto f = [&]() { return op->a; };",
    ] {
        check("", statements, index, true);
    }
    check("", "bool ok = IsIndexTypedExpr(op->a);", "ok", true);
    for statements in [
        "ret = other;",
        "std::swap(ret, other);",
        "auto& r = ret; r = other;",
        "PrimExpr& r = flip ? ret : other; r = other;",
        "reset(ret);",
        "ret.reset();",
        "other = 1, ret = other;",
        "try { ret = other; } catch (...) {}",
        "auto f = [&ret]() { ret = other; }; f();",
        "auto f = [r = &ret]() { *r = other; }; f();",
        "op = other.as<LTNode>();",
        "std::swap(op, other);",
        "auto*& p = op; p = other;",
        "std::tie(op, ret) = other;",
        "(flip ? op : other) = node;",
        "auto IsIndexTypedExpr = [](PrimExpr) { return true; };",
        "With<Reset> context(ret);",
        "bool IsIndexTypedExpr(const PrimExpr& e);",
    ] {
        check("", statements, index, false);
    }
    for before in [
        "bool IsIndexTypedExpr(const PrimExpr& e);",
        "bool IsIndexTypedExpr(const PrimExpr& e) { return true; }",
        "#define IsIndexTypedExpr(e) true",
        "enum { IsIndexTypedExpr };",
    ] {
        check(before, "", index, false);
    }
    check("", "", "Other::IsIndexTypedExpr(op->a)", false);
    let shadow = "auto e = op->a; bool ok = IsIndexTypedExpr(e); ok = true;";
    check("", shadow, "ok", false);
    let shadow = "PrimExpr e = other; bool ok = IsIndexTypedExpr(e); PrimExpr s = e; \
        if (flip) { auto e = op->a;";
    let text = format!(
        "PrimExpr Rules::VisitExpr_(const LTNode* op) {{ PVar<PrimExpr> x, y, z; {shadow} \
         if (ok) {{ TVM_TRY_REWRITE(x + y < x + z, y < z); }} }} return ret; }}"
    );
    assert!(!standings("tvm", text).contains(&Standing::Verified));
}
