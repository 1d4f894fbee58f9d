//! Mutators in C++ that were written for these tests, right and wrong in pairs. Each pair is named
//! after the point that it checks.
//!
//! A file of `tests/mutators` has the classes `Right` and `Wrong`, and states in its second line
//! the verdict about the wrong one. The lines after it may state the verdict about the right one,
//! if that is not *verified*, and the profile, if that is not HeteroCL's. The files of
//! `tests/lists` are about what lists of three elements show about longer ones. Those of
//! `tests/passes` are about classes that state something else than that a result equals its
//! argument. Those of `tests/orders` have many classes: those whose name begins with `Right` are
//! verified, those whose name begins with `Wrong` are not.
//!
//! A run of all tests examines a share of each folder, a sweep all.

use std::fs;
use std::path::{Path, PathBuf};

use halidom_mutators::{Mutator, Standing, mutators};
use halidom_rewrites::options::{Options, Source};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Limits;
use halidom_smt::{Family, Program};
use halidom_testgen::sampled;

fn options() -> Options {
    options_of("heterocl")
}

fn options_of(profile: &str) -> Options {
    Options {
        profile: Profile::named(profile).expect("a known profile"),
        solver: Program::find(Family::Z3, None).expect("Z3; `cargo xtask setup` installs it"),
        limits: Limits { milliseconds: 2000 },
        threads: 2,
        cache: None,
    }
}

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the cases")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    files
}

/// The verdict that the second line of a case states.
fn verdict_of_wrong(text: &str) -> Option<&str> {
    text.lines().nth(1).and_then(|line| line.strip_prefix("// wrong: "))
}

#[test]
fn all_cases_state_a_verdict() {
    for path in cases("mutators") {
        let text = fs::read_to_string(&path).expect("a case");
        assert!(verdict_of_wrong(&text).is_some(), "{}", path.display());
    }
}

fn examined(path: &Path) -> ([String; 2], Vec<Mutator>) {
    let text = fs::read_to_string(path).expect("a case");
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let source = Source { name, text: text.clone() };
    let expected = verdict_of_wrong(&text).expect("the verdict of the wrong one");
    let stated = |what| text.lines().take(4).find_map(|line| line.strip_prefix(what));
    let expected = [stated("// right: ").unwrap_or("verified"), expected].map(str::to_owned);
    let options = options_of(stated("// profile: ").unwrap_or("heterocl"));
    (expected, mutators(&[source], &[], &options).expect("a solver that runs"))
}

#[test]
fn right_mutators_are_verified_and_wrong_ones_refuted() {
    let mut failures = Vec::new();
    for path in sampled(cases("mutators"), 36) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (expected, mutators) = examined(&path);
        // The first mutator of each class has the verdict that the file states. A file may have
        // bases of the two classes.
        let mut judged: Vec<&Mutator> = Vec::new();
        let class = |mutator: &Mutator| mutator.name.split("::").next().map(str::to_owned);
        let is_stated = |mutator: &&Mutator| {
            ["Right", "Wrong"].iter().any(|stated| mutator.name.starts_with(stated))
        };
        for mutator in mutators.iter().filter(is_stated) {
            if judged.iter().all(|known| class(known) != class(mutator)) {
                judged.push(mutator);
            }
        }
        assert_eq!(judged.len(), 2, "{name}");
        for mutator in judged {
            let is_right = mutator.name.starts_with("Right");
            let standing = mutator.examination.standing();
            let [right, wrong] = &expected;
            let wanted = if is_right { right } else { wrong };
            if standing.name() != wanted {
                failures.push(format!("{name}: {wanted} expected: {mutator:#?}"));
            }
            for finding in &mutator.examination.findings {
                if finding.counterexample.is_some() != finding.standing.is_refuted() {
                    failures.push(format!("{name}: a defect without IR: {finding:#?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The files of `tests/lists` have the form of the others, but may have further classes. Each wrong
/// one behaves like the right one on lists of at most three elements, or is no mutator of lists, or
/// hides what it does from a reader that passes over text. Those that are right on short lists are
/// judged by the rule alone, in the crate's own tests.
#[test]
fn short_lists_are_not_taken_for_long_ones() {
    let mut failures = Vec::new();
    for path in sampled(cases("lists"), 18) {
        let text = fs::read_to_string(&path).expect("a case");
        if text.contains("// wrong: bounded") {
            continue;
        }
        let (expected, mutators) = examined(&path);
        for (class, wanted) in ["Right::", "Wrong::"].iter().zip(expected) {
            let mut standings = mutators
                .iter()
                .filter(|mutator| mutator.name.starts_with(class))
                .map(|mutator| mutator.examination.standing().name());
            let first = standings.next().expect("a mutator");
            let worst = standings.fold(
                first,
                |worst, other| {
                    if worst == "verified" { other } else { worst }
                },
            );
            if worst != wanted || *class == "Wrong::" && worst == "verified" {
                failures.push(format!("{}: {class} {worst}, {wanted} expected", path.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn no_mutator_relies_on_an_order_or_a_missed_change() {
    let mut failures = Vec::new();
    for path in cases("orders") {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a case");
        let mut lines = text.lines();
        let profile = lines.find_map(|line| line.strip_prefix("// profile: "));
        let options = options_of(profile.expect("a profile"));
        let source = Source { name: name.clone(), text: text.clone() };
        let class = |line: &str| {
            let before = line.split_once(" : public IRMutator")?.0;
            Some(format!("{name}: {}::", before.split(' ').next_back()?))
        };
        let wanted = sampled(text.lines().filter_map(class), 6);
        assert!(!wanted.is_empty(), "{name}");
        let mutators = mutators(&[source], &wanted, &options).expect("a solver that runs");
        let judged = mutators.iter().filter(|known| known.name.ends_with("(const Sub *)"));
        assert_eq!(judged.clone().count(), wanted.len(), "{name}");
        for mutator in judged {
            let is_verified = mutator.examination.standing().name() == "verified";
            if is_verified != mutator.name.starts_with("Right") {
                failures.push(format!("{name}: {mutator:#?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// In a file of `tests/passes`, each class whose name begins with `Right` or `Wrong` is examined
/// under the name of the class whose statement the file is about. The right ones are verified, or
/// stand as the file says, and nothing holds of the wrong ones. The file may name wrong ones that
/// are refuted.
#[test]
fn statements_of_passes_tell_right_from_wrong() {
    let mut failures = Vec::new();
    for path in sampled(cases("passes"), 12) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a case");
        let stated = |what| text.lines().take(5).find_map(|line| line.strip_prefix(what));
        let pass = stated("// pass: ").expect("the class of a pass");
        let options = options_of(stated("// profile: ").unwrap_or("heterocl"));
        let classes = text.lines().filter_map(|line| line.strip_prefix("class "));
        let classes: Vec<&str> = classes.filter_map(|rest| rest.split(' ').next()).collect();
        let right = stated("// right: ").unwrap_or("verified");
        let refuted: Vec<&str> =
            stated("// refuted: ").map_or_else(Vec::new, |names| names.split(' ').collect());
        let of = |prefix| classes.iter().filter(|class| class.starts_with(prefix)).count();
        assert!(of("Right") > 0 && of("Wrong") > 1, "{name}");
        for class in classes {
            let text = text.replace(&format!("class {class} "), &format!("class {pass} "));
            let source = Source { name: name.clone(), text };
            let wanted = [format!("{pass}::")];
            let mutators = mutators(&[source], &wanted, &options).expect("a solver that runs");
            let standings = mutators.iter().map(|mutator| mutator.examination.standing().name());
            let holds = ["verified", "rejects", "partial", "bounded"];
            let first = standings.clone().next().expect("a mutator");
            let all_hold = standings.clone().all(|standing| holds.contains(&standing));
            let is_right = class.starts_with("Right");
            let is_followed = standings.clone().all(|standing| standing != "unsupported");
            let is_refuted =
                standings.clone().any(|standing| ["wrong", "crash"].contains(&standing));
            let is_as_wanted = if is_right {
                first == right && !is_refuted
            } else {
                !all_hold && is_followed && (is_refuted || !refuted.contains(&class))
            };
            if !is_as_wanted {
                failures.push(format!("{name}: {class}: {mutators:#?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The method that visits variables is refuted where it renames a free one, not where a binder is
/// wrong.
#[test]
fn a_free_variable_keeps_its_name() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/renamed_variables.cpp");
    let text = fs::read_to_string(path).expect("a case");
    let options = options_of("halide-hls");
    for (class, expected) in sampled(
        [
            ("WrongFree", Standing::Wrong),
            ("RightCount", Standing::Undecided),
            ("WrongEnd", Standing::Wrong),
            ("WrongValue", Standing::Undecided),
            ("WrongCapture", Standing::Undecided),
        ],
        6,
    ) {
        let text = text.replace(&format!("class {class} "), "class UniquifyVariableNames ");
        let source = Source { name: "pass.cpp".to_owned(), text };
        let wanted = ["UniquifyVariableNames::visit(const Variable".to_owned()];
        let found = mutators(&[source], &wanted, &options).expect("a solver that runs");
        let [mutator] = found.as_slice() else { panic!("one mutator: {found:#?}") };
        assert_eq!(mutator.examination.standing(), expected, "{class}: {mutator:#?}");
    }
}

/// A method is refuted in a run of its class where its own call is wrong, not where another one is.
#[test]
fn a_call_that_is_wrong_in_its_place_refutes_its_method() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/repeated_values.cpp");
    let text = fs::read_to_string(path).expect("a case");
    let source = Source { name: "pass.cpp".to_owned(), text };
    let stated = [
        ("RightReset::visit(const LetStmt *)", Standing::Undecided),
        ("WrongReset::visit(const LetStmt *)", Standing::Wrong),
        ("WrongReset::visit(const Let *)", Standing::Verified),
        ("WrongReset::visit(const Load *)", Standing::Verified),
        ("WrongOwn::mutate", Standing::Wrong),
        ("WrongOwn::visit(const LetStmt *)", Standing::Verified),
        ("WrongName::visit(const Variable *)", Standing::Wrong),
        ("WrongStore::visit(const Variable *)", Standing::Undecided),
    ];
    let stated = sampled(stated, 5);
    let wanted: Vec<String> = stated.iter().map(|(name, _)| (*name).to_owned()).collect();
    let found = mutators(&[source], &wanted, &options_of("halide-to-hardware")).expect("a solver");
    for (name, expected) in stated {
        let mutator = found.iter().find(|mutator| mutator.name == name).expect("the method");
        assert_eq!(mutator.examination.standing(), expected, "{name}: {mutator:#?}");
    }
}

#[test]
fn a_mutate_of_its_own_is_not_passed_over() {
    let text = "class Wrong : public IRMutator {\n    \
        Expr mutate(const Expr &e) override {\n        return Expr(0);\n    }\n    \
        Expr visit(const Add *op) {\n        \
        return Add::make(mutate(op->a), mutate(op->b));\n    }\n};\n";
    let source = Source { name: "pass.cpp".to_owned(), text: text.to_owned() };
    let judged = mutators(&[source], &[], &options()).expect("a solver that runs");
    let standings: Vec<(&str, &str)> = judged
        .iter()
        .map(|mutator| (mutator.name.as_str(), mutator.examination.standing().name()))
        .collect();
    assert_eq!(standings, [("Wrong::mutate", "wrong"), ("Wrong::visit(const Add *)", "verified")]);
}

#[test]
fn a_finding_says_which_file_it_is_in() {
    let helper = "int half(int a, int b) {\n    return a / b;\n}\n";
    let pass = "class Wrong : public IRMutator \
        {\n    Expr visit(const Add *op) {\n        half(1, 0);\n        return op;\n    }\n};\n";
    let sources = [("helper.cpp", helper), ("pass.cpp", pass)]
        .map(|(name, text)| Source { name: name.to_owned(), text: text.to_owned() });
    let mutators = mutators(&sources, &[], &options()).expect("a solver that runs");
    let [mutator] = mutators.as_slice() else { panic!("one mutator: {mutators:#?}") };
    let places: Vec<(Option<&str>, usize)> = mutator
        .examination
        .findings
        .iter()
        .map(|finding| (finding.file.as_deref(), finding.line))
        .collect();
    assert_eq!((mutator.file.as_str(), mutator.line), ("pass.cpp", 2));
    assert_eq!(places, [(Some("helper.cpp"), 2)]);
}

/// Returns the findings about the mutators of a text.
fn found(text: &str) -> Vec<Mutator> {
    let source = Source { name: "pass.cpp".to_owned(), text: text.to_owned() };
    mutators(&[source], &[], &options()).expect("a solver that runs")
}

/// Returns a class in which a loop pushes a mark that a store pops. If it `pops`, the loop pops the
/// mark too.
fn marks(store: &str, pops: &str) -> String {
    format!(
        "class Marks : public IRMutator {{
    Scope<int> marks;
    {store}
    Stmt visit(const For *op) {{
        marks.push(op->name, 1);
        Stmt body = mutate(op->body);
        {pops}
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }}
}};
"
    )
}

#[test]
fn what_is_left_is_a_defect_unless_another_method_takes_it() {
    let takes = "Stmt visit(const Store *op) \
        { if (marks.contains(op->name)) { marks.pop(op->name); } return op; }";
    let looks = "Stmt visit(const Store *op) { marks.contains(op->name); return op; }";
    for (store, pops, expected) in [
        (takes, "", vec![]),
        (takes, "if (marks.contains(op->name)) { marks.pop(op->name); }", vec![]),
        // The mutators of the body may have popped the mark.
        (takes, "marks.pop(op->name);", vec![(Standing::Undecided, 7)]),
        (looks, "if (is_zero(op->extent)) { marks.pop(op->name); }", vec![(Standing::Scope, 5)]),
        (looks, "", vec![(Standing::Undecided, 5)]),
        (looks, "marks.pop(op->name);", vec![]),
    ] {
        let found = found(&marks(store, pops));
        let [of_store, of_loop] = found.as_slice() else { panic!("two mutators: {found:#?}") };
        assert_eq!(of_store.examination.standing(), Standing::Verified, "{of_store:#?}");
        let findings = of_loop.examination.findings.iter();
        let findings: Vec<_> = findings.map(|finding| (finding.standing, finding.line)).collect();
        assert_eq!(findings, expected, "{store} {pops}");
    }
}

#[test]
fn what_a_syntax_error_hides_is_not_passed_over() {
    let cut = "class Pass : public IRMutator {
    Expr visit(const Add *op) { return op; }
    Expr visit(const Sub *op) { if (op { return op; }
};
";
    let found = found(cut);
    let is_told = |mutator: &Mutator| mutator.examination.standing() == Standing::Unsupported;
    assert!(found.iter().any(is_told), "{found:#?}");
}

/// A method that is right if `equal`, `Max` and the others mean what they mean in the API.
const RIGHT: &str = "class Pass : public IRMutator {
    Expr visit(const Max *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        if (equal(a, b)) { return a; }
        return Max::make(a, b);
    }
";

#[test]
fn a_method_of_a_class_that_nobody_knows_is_not_taken_for_one_of_a_container() {
    let standing = |before: &str, member: &str, use_of: &str| {
        let text = format!(
            "{before}
class Pass : public IRMutator {{
    {member}
    Expr visit(const Sub *op) {{
        Expr a = mutate(op->a), b = mutate(op->b);
        {use_of}
        return Sub::make(a, b);
    }}
}};
"
        );
        found(&text).last().expect("a mutator").examination.standing()
    };
    // The containers of the library and the compiler are known.
    for (member, use_of) in [
        ("Scope<int> seen;", "if (seen.contains(\"a\")) return op;"),
        ("std::set<std::string> seen;", "seen.insert(\"a\"); if (seen.count(\"b\") > 1) return b;"),
        ("Target target;", "if (target.has_feature(Target::AVX512)) return Sub::make(a, b);"),
        ("std::map<std::string, Expr> table;", "Expr entry = table[\"a\"];"),
    ] {
        assert_eq!(standing("", member, use_of), Standing::Verified, "{member} {use_of}");
    }
    const PAIRS: &str = "struct Pairs {
    void push(Expr &x, Expr &y) { std::swap(x, y); }
    int count(const Expr &) const { return 2; }
    bool has_feature(int) const { return true; }
    Expr &operator[](Expr &e) { return e; }
};";
    for (before, member, use_of) in sampled(
        [
            (PAIRS, "Pairs pairs;", "pairs.push(a, b);"),
            (PAIRS, "Pairs *pairs;", "pairs->push(a, b);"),
            (PAIRS, "std::unique_ptr<Pairs> pairs;", "pairs->push(a, b);"),
            (PAIRS, "", "Pairs pairs; pairs.push(a, b);"),
            (PAIRS, "Holder holder;", "holder.pairs.push(a, b);"),
            ("", PAIRS, "Pairs pairs; pairs.push(a, b);"),
            (PAIRS, "Pairs pairs;", "if (pairs.count(a) > 1) return Sub::make(b, a);"),
            (PAIRS, "Pairs pairs;", "if (pairs.has_feature(3)) return Sub::make(b, a);"),
            (PAIRS, "Pairs pairs;", "pairs[a] = b;"),
            ("", "Pairs pairs;", "pairs.push(a, b);"),
            ("", "Holder holder;", "holder.pairs.push(a, b);"),
            ("", "", "pairs_of(this).push(a, b);"),
            ("", "std::vector<Pairs> all;", "if (all[0].count(a) > 1) return Sub::make(b, a);"),
            (
                "",
                "Pairs pairs;",
                "auto &same = pairs; if (same.count(a) > 1) return Sub::make(b, a);",
            ),
            ("", "other::set<int> seen;", "if (seen.count(1) > 1) return Sub::make(b, a);"),
            (
                "using set = std::multiset<int>;",
                "set seen;",
                "if (seen.count(1) > 1) return Sub::make(b, a);",
            ),
            (
                "",
                "",
                "using set = std::multiset<int>; set seen;
            if (seen.count(1) > 1) return Sub::make(b, a);",
            ),
            ("", "std::multiset<int> seen;", "if (seen.count(1) > 1) return Sub::make(b, a);"),
            (
                "",
                "Target target;",
                "if (target.has_feature(Target::AVX512)) return Sub::make(b, a);",
            ),
        ],
        5,
    ) {
        let found = standing(before, member, use_of);
        assert_ne!(found, Standing::Verified, "{before} {member} {use_of}");
    }
}

#[test]
fn a_macro_or_a_specialization_in_another_file_is_not_overlooked() {
    let standing = |header: &str| {
        let source =
            |name: &str, text: &str| Source { name: name.to_owned(), text: text.to_owned() };
        let pass = format!("{RIGHT}}};\n");
        let sources = [source("pass.h", header), source("pass.cpp", &pass)];
        let found = mutators(&sources, &[], &options_of("halide-hls")).expect("a solver that runs");
        found.last().expect("a mutator").examination.standing()
    };
    assert_eq!(standing("#ifndef PASS_H\n#define PASS_H\n#endif\n"), Standing::Verified);
    for header in [
        "#define make(x, y) make(y, x)\n",
        "#define mutate(x) Expr(0)\n",
        "#define a b\n",
        "#define return if (0) return\n",
        "#define if while\n",
        "template<> Expr Max::make(Expr, Expr);\n",
    ] {
        assert_ne!(standing(header), Standing::Verified, "{header}");
    }
}

/// Words with which a variable may be written without its name count in a class's own file and in
/// the headers that it includes.
#[test]
fn headers_of_a_file_may_hide_what_is_assigned_together() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutators");
    let text = fs::read_to_string(folder.join("defined_together.cpp")).expect("a case");
    let standing = |before: &str, others: &[(&str, &str)]| {
        let others = others.iter().map(|(name, text)| (*name, (*text).to_owned()));
        let all = [("pass.cc", format!("{before}{text}"))].into_iter().chain(others);
        let sources: Vec<Source> =
            all.map(|(name, text)| Source { name: name.to_owned(), text }).collect();
        let found = mutators(&sources, &["Right::Mutate_".to_owned()], &options());
        let standings = found.expect("a solver that runs");
        standings.iter().map(|of| of.examination.standing()).max().expect("a mutator")
    };
    let hides = "template <typename T> void clear(T &of) { of = T(); }\n";
    let near = "#include \"near.h\"\n";
    assert_eq!(standing("", &[]), Standing::Verified);
    assert_eq!(standing("", &[("other.cc", hides), ("far.h", hides)]), Standing::Verified);
    assert_eq!(standing(near, &[("far.h", hides)]), Standing::Verified);
    for (before, others) in [
        (hides, [("near.h", ""), ("far.h", "")]),
        (near, [("near.h", hides), ("far.h", "")]),
        (near, [("near.h", "#include <sub/far.h>\n"), ("far.h", hides)]),
        // A macro that nothing here defines names the header.
        (near, [("near.h", "#include FAR\n"), ("far.h", hides)]),
        ("", [("near.h", ""), ("far.h", "#include \"../pass.cc\"\n")]),
    ] {
        assert_ne!(standing(before, &others), Standing::Verified, "{before} {others:?}");
    }
}

#[test]
fn a_name_of_the_file_is_not_taken_for_the_one_of_the_api() {
    let standings = |text: &str| -> Vec<Standing> {
        let source = Source { name: "pass.cpp".to_owned(), text: text.to_owned() };
        let found = mutators(&[source], &[], &options_of("halide-hls"));
        let found = found.expect("a solver that runs");
        found.iter().map(|mutator| mutator.examination.standing()).collect()
    };
    assert_eq!(standings(&format!("{RIGHT}}};\n")), [Standing::Verified]);
    for (before, member) in [
        ("struct equal { equal(Expr a, Expr b) {} operator bool() { return true; } };", ""),
        ("bool equal(const Expr &a, const Expr &b);", ""),
        ("extern bool (*equal)(Expr, Expr);", ""),
        ("using other::equal;", ""),
        ("#define equal(x, y) (!is_zero(x))", ""),
        ("#define make made", ""),
        ("#define a b", ""),
        ("using Max = Halide::Internal::Min;", ""),
        ("typedef Halide::Internal::Min Max;", ""),
        ("", "Comparer equal;"),
        ("", "std::function<bool(Expr, Expr)> equal;"),
        ("", "bool equal(const Expr &a, const Expr &b);"),
        ("", "using Max = Halide::Internal::Min;"),
    ] {
        let found = standings(&format!("{before}\n{RIGHT}{member}\n}};\n"));
        assert!(!found.contains(&Standing::Verified), "{before} {member}: {found:?}");
    }
    for (before, method) in [
        ("", "using Max = Halide::Internal::Min; return Max::make(op->a, op->b);"),
        ("", "typedef Halide::Internal::Min Max; return Max::make(op->a, op->b);"),
        (
            "namespace mine { bool is_zero(const Expr &e) { return true; } }",
            "if (mine::is_zero(op->b)) { return op->a; } return op;",
        ),
        (
            "template<typename T> Expr made(Expr a, Expr b) { return T::make(a, b); }
            template<> Expr made<Max>(Expr a, Expr b) { return Min::make(a, b); }",
            "return made<Max>(op->a, op->b);",
        ),
        (
            "struct Zero { Expr operator()(Expr e) { return Expr(0); } };",
            "return Max::make(Zero()(op->a), op->b);",
        ),
        ("", "float value = 0.1; return value == 0.1 ? op->b : Expr(op);"),
    ] {
        let pass = "class Pass : public IRMutator { Expr visit(const Max *op)";
        let found = standings(&format!("{before}\n{pass} {{ {method} }} }};\n"));
        assert!(!found.contains(&Standing::Verified), "{before} {method}: {found:?}");
    }
}

#[test]
fn a_rewriter_has_a_result_of_its_node_where_a_rule_fired() {
    let standing = |node: &str, make: &str, rewriter: &str, statement: &str| {
        let text = format!(
            "class Pass : public IRMutator {{ Expr visit(const {node} *op) override {{
                Expr a = mutate(op->a), b = mutate(op->b);
                auto rewrite = {rewriter};
                {statement}
                return {node}::make(a, b);
            }} }};\n"
        );
        let text = format!("{make}\n{text}");
        let source = Source { name: "pass.cpp".to_owned(), text };
        let judged = mutators(&[source], &[], &options_of("halide")).expect("a solver that runs");
        judged.first().expect("a mutator").examination.standing()
    };
    let sub = "IRMatcher::rewriter(IRMatcher::sub(a, b), op->type)";
    let fires = "if (rewrite(x - x, 0)) { return rewrite.result; }";
    assert_eq!(standing("Sub", "", sub, fires), Standing::Verified);
    let own = "auto own_rewriter(Expr e, Type t) { return Expr(0); }";
    for (node, make, rewriter, statement) in [
        ("Sub", "", sub, "if (!rewrite(x - x, 0)) { return rewrite.result; }"),
        ("Sub", "", sub, "return rewrite.result;"),
        ("LT", "", "IRMatcher::rewriter(IRMatcher::lt(a, b), op->a.type())", fires),
        ("Sub", own, "own_rewriter(IRMatcher::sub(a, b), op->type)", fires),
        ("Sub", "", "mine::rewriter(IRMatcher::sub(a, b), op->type)", fires),
    ] {
        let found = standing(node, make, rewriter, statement);
        assert_ne!(found, Standing::Verified, "{rewriter} {statement}");
    }
}

#[test]
fn another_pass_that_comes_back_need_not_end() {
    let own = "class Pass : public IRMutator { Expr visit(const Add *op) { return Pass()(op); } };";
    let two = "class One : public IRMutator { Expr visit(const Add *op) { return Two()(op); } };
        class Two : public IRMutator { Expr visit(const Add *op) { return One()(op); } };";
    let below = "class Pass : public IRMutator {
        Expr visit(const Add *op) { return Add::make(Pass()(op->a), mutate(op->b)); } };";
    let is_verified = |text: &str| {
        found(text).iter().any(|known| known.examination.standing() == Standing::Verified)
    };
    assert_eq!([own, two, below].map(is_verified), [false, false, true]);
}

#[test]
fn methods_that_are_not_read_are_told() {
    let right = "class Pass : public IRMutator { Expr visit(const Add *op) { return op; } };";
    for hidden in [
        "Expr run(Expr e) { class Inner : public IRMutator \
            { Expr visit(const Sub *op) { return op->a; } }; return Inner().mutate(e); }",
        "Expr run(Expr e) { return mutate_with(e, \
            [](auto *self, const Sub *op) { return op->a; }); }",
        "#define METHOD(T) Expr visit(const T *op) { return op->a; }",
        "using SubPtr = const Sub *; \
            class Other : public IRMutator { Expr visit(SubPtr op) { return op->a; } };",
        "bool isnan(double x) { return x == x; }",
        "class Printer : public IRVisitor { std::string id; \
            std::string print_expr(Expr e) { e.accept(this); return \"-\" + id; } };",
    ] {
        let found = found(&format!("{right}\n{hidden}\n"));
        let standings = found.iter().map(|mutator| mutator.examination.standing());
        assert!(standings.clone().any(|of| of == Standing::Verified), "{hidden}");
        assert!(standings.clone().any(|of| of == Standing::Unsupported), "{hidden}: {found:#?}");
    }
}

#[test]
fn a_pass_that_states_something_else_has_no_verdict() {
    let pass = "class StripAsserts : public IRMutator {
    Stmt visit(const AssertStmt *op) { return Evaluate::make(0); }
};
";
    let refuted = found(&pass.replace("StripAsserts", "Pass"));
    let [refuted] = refuted.as_slice() else { panic!("one mutator: {refuted:#?}") };
    assert!(refuted.examination.standing().is_refuted(), "{refuted:#?}");
    let found = found(pass);
    let [mutator] = found.as_slice() else { panic!("one mutator: {found:#?}") };
    let [finding] = mutator.examination.findings.as_slice() else { panic!("{mutator:#?}") };
    assert_eq!(finding.standing, Standing::Unsupported);
    assert!(finding.text.contains("its results do less than their arguments"), "{finding:#?}");
}

#[test]
fn what_a_kept_verdict_says_of_a_scope_depends_on_the_other_methods() {
    let cache = std::env::temp_dir().join(format!("halidom-scopes-{}.cache", std::process::id()));
    let _ = fs::remove_file(&cache);
    let options = Options { cache: Some(cache.clone()), ..options() };
    let standings = |store: &str| -> Vec<Standing> {
        let source = Source { name: "pass.cpp".to_owned(), text: marks(store, "") };
        let mutators = mutators(&[source], &["For".to_owned()], &options);
        let mutators = mutators.expect("a solver that runs");
        mutators.iter().map(|mutator| mutator.examination.standing()).collect()
    };
    let takes = "Stmt visit(const Store *op) \
        { if (marks.contains(op->name)) { marks.pop(op->name); } return op; }";
    let looks = "Stmt visit(const Store *op) { marks.contains(op->name); return op; }";
    let found = [takes, looks, takes, looks].map(standings);
    fs::remove_file(&cache).expect("kept verdicts");
    let [first, second] = [Standing::Verified, Standing::Undecided].map(|standing| vec![standing]);
    assert_eq!(found, [first.clone(), second.clone(), first, second]);
}

#[test]
fn kept_verdicts_depend_on_macros_and_on_what_names_mean() {
    let cache = std::env::temp_dir().join(format!("halidom-names-{}.cache", std::process::id()));
    let _ = fs::remove_file(&cache);
    let options = Options { cache: Some(cache.clone()), ..options() };
    let standing = |before: &str| {
        let pass = "class Pass : public IRMutator { Expr visit(const Add *op) { RESULT; } };";
        let source = Source { name: "pass.cpp".to_owned(), text: format!("{before}\n{pass}\n") };
        let mutators = mutators(&[source], &[], &options).expect("a solver that runs");
        mutators.iter().map(|mutator| mutator.examination.standing()).next()
    };
    let same = "#define RESULT return op";
    let makes = "#define RESULT return Add::make(op->a, op->b)";
    let found = [
        same,
        "#define RESULT return op->a",
        makes,
        &format!("{makes}\nstruct Sub;\nusing Add = Sub;"),
        makes,
    ]
    .map(standing);
    fs::remove_file(&cache).expect("kept verdicts");
    let wanted = [
        Standing::Verified,
        Standing::Wrong,
        Standing::Verified,
        Standing::Unsupported,
        Standing::Verified,
    ];
    assert_eq!(found, wanted.map(Some));
}
