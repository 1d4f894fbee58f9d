//! Headers that declare the classes of C++ files are read from the places where these include them.

use halidom_driver::verify::{self, Limits, MutatorStanding, Options, Profile, Request};
use halidom_smt::{Family, Program};

const SOURCE: &str = "#include \"pass.h\"
static Expr first(const Expr &a, const Expr &b) { return a; }
Expr Pass::visit(const Sub *op) { return Sub::make(first(op->a, op->b), op->b); }
";

/// Tests whether a pass is verified that is declared in this header.
fn is_verified(header: &str) -> bool {
    is_verified_in(SOURCE, header)
}

/// Tests whether a source is verified next to a header.
fn is_verified_in(source: &str, header: &str) -> bool {
    let text = source;
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("pass.cpp");
    std::fs::write(&source, text).expect("it is written");
    if !header.is_empty() {
        std::fs::write(folder.path().join("pass.h"), header).expect("it is written");
    }
    let profile = Profile::named("halide").expect("a known profile");
    let sources = verify::sources(&[source], profile).expect("it is read");
    let options = Options {
        profile,
        solver: Program::find(Family::Z3, None).expect("Z3"),
        limits: Limits { milliseconds: 2000 },
        threads: 1,
        cache: None,
    };
    let verified = verify::verify(&sources, &Request::default(), &options).expect("a verdict");
    let all = &verified.mutators;
    all.iter().all(|one| one.examination.standing() == MutatorStanding::Verified) && !all.is_empty()
}

#[test]
fn a_header_says_what_a_class_has() {
    let class = |members: &str| {
        format!("class Pass : public IRMutator {{\n{members}\nExpr visit(const Sub *op);\n}};\n")
    };
    assert!(is_verified(&class("int count;")));
    // Not known: the class may have a method of that name.
    assert!(!is_verified(""));
    assert!(!is_verified("class Other : public IRMutator {};\n"));
    // The class has one, or may have one.
    assert!(!is_verified(&class("Expr first(Expr a, Expr b);")));
    assert!(!is_verified(&class("using Base::first;")));
    assert!(!is_verified(&class("").replace("IRMutator", "Unseen")));
    // What no compiler includes says nothing.
    for commented in ["/*\n#include \"pass.h\"\n*/", "#if 0\n#include \"pass.h\"\n#endif"] {
        let source = SOURCE.replace("#include \"pass.h\"", commented);
        assert!(!is_verified_in(&source, &class("")), "{source}");
    }
    // A static function of a header is one of each file that includes it.
    let source = "#include \"pass.h\"
Expr Pass::visit(const Sub *op) { return Sub::make(is_zero(op->b) ? op->a : op->a, op->b); }
Expr Pass::visit(const Add *op) { return is_zero(op->b) ? op->a : Expr(op); }
";
    let with = |function: &str| format!("{function}\n{}", class("Expr visit(const Add *op);"));
    assert!(is_verified_in(source, &with("")));
    let own = "static bool is_zero(const Expr &e) { return true; }";
    assert!(!is_verified_in(source, &with(own)));
}
