//! Tests of corrupted certificates. The statement is fixed, so any accepted proof of it is
//! harmless, whatever its origin. No proof of a false statement may be accepted.
//!
//! If Coq is not installed, nothing is tested.

#[path = "../all/common/mod.rs"]
mod common;
mod edits;
mod tricks;

use std::collections::BTreeMap;
use std::fs::{DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::Done;
use edits::{Edit, KINDS};
use halidom_atl::check::{Checker, Outcome, Stated, coq_version, place};
use halidom_atl::engine::Engine;
use halidom_atl::native::Comparison;
use halidom_testgen as testgen;
use tricks::TRICKS;

const PROGRAM: &str = "program p(n: size, f: tensor<i32>[n]) =
    let buf = gen j < n: f[j] in
    gen i < n: [0 <= i - 1] * buf[i - 1] + buf[i]
derivation d of p { inline buf; beta; peel i, 1; simplify guards; }";

/// A program with names that certificates, the library and C use themselves.
const NAMES: &str =
    "program p(p1: size, s1: size, o1: tensor<i32>[p1], exec: tensor<i32>[s1]) where 0 < s1 =
    let w1 = gen gen_in < p1: o1[gen_in] in
    gen atl_add < p1: w1[atl_add] * [0 <= atl_add - 1] * w1[atl_add - 1] + exec[0]
derivation malloc of p { inline w1; beta; peel atl_add, 1; simplify; }";

/// Further programs to corrupt, with blocks, sums and a buffer.
const MORE: &str = "program q(n: size, m: size, a: tensor<i32>[n, m], b: tensor<i32>[m]) =
    let c = gen l < m: b[l] + b[l] in gen i < n: sum j < m: a[i; j] * c[j]
derivation e(k: size) of q where 0 < k \
{ block_reduction j, k, o, jj; at let.body: tile i, k, io, ii; }
derivation g of q { at j: sum_shift; at sum.body: mul_swap_sides; inline c; beta; }";

/// The number of corruptions to try, two at a time. `HALIDOM_TAMPER` sets another number.
fn corruptions() -> usize {
    std::env::var("HALIDOM_TAMPER").ok().and_then(|number| number.parse().ok()).unwrap_or(16)
}

/// Changes that make a statement false: they change the C, the loop nest and the source program.
const FALSEHOODS: [(&str, &str); 3] = [
    ("    return 0;\n", "    return 2;\n"),
    ("Loop.Seq (Loop.Clear \"out\") nest.", "nest."),
    (": Tensor.T K 1 :=\n  ", ": Tensor.T K 1 :=\n  Tensor.add 1 f "),
];

fn refused(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Refused { .. } => true,
        Outcome::Accepted(_) | Outcome::Undecided { .. } => false,
    }
}

fn accepted(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Accepted(_) => true,
        Outcome::Refused { .. } | Outcome::Undecided { .. } => false,
    }
}

#[test]
fn any_names_will_do() {
    let done = common::derive(NAMES, Some("names")).expect("the derivation goes through");
    assert!(
        matches!(done[0].comparison, Some((Comparison::Equal(_), _))),
        "{:?}",
        done[0].comparison
    );
    if coq_version().is_none() {
        println!("coqc is not installed: the certificate is not checked");
        return;
    }
    let checker = Checker::new(&common::cache()).expect("the library compiles");
    let certificate = &done[0].certificate;
    let outcome = checker.check(&certificate.statement, certificate.proof.as_bytes());
    let outcome = outcome.expect("coqc runs");
    assert!(accepted(&outcome), "{outcome:?}");
}

#[test]
fn a_changed_library_is_not_used() {
    if coq_version().is_none() {
        println!("coqc is not installed: the library is not compiled");
        return;
    }
    let checker = Checker::new(&common::cache()).expect("the library compiles");
    let from = checker.kept_in(&common::cache()).expect("the library is kept");
    // The objects that every test compiles are copied, as if this user had left them here.
    let cache = common::folder("changed");
    let to = cache.join(from.file_name().expect("it has a name"));
    let copy = |file: &str, from_file: &str| {
        std::fs::copy(from.join(from_file), to.join(file)).expect("it can be copied");
    };
    DirBuilder::new().mode(0o700).create(&to).expect("the folder can be made");
    for file in std::fs::read_dir(&from).expect("it is there").flatten() {
        let name = file.file_name().into_string().expect("it is plain");
        copy(&name, &name);
    }
    let is_kept = || checker.kept_in(&cache).is_some();
    assert!(is_kept(), "a copy is as good as what was compiled");
    // Each change alone is seen, and the copy is good again after it.
    copy("Loop.vo", "Tensor.vo");
    assert!(!is_kept(), "another object is taken for `Loop`");
    copy("Loop.vo", "Loop.vo");
    assert!(is_kept());
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is this user's");
    };
    mode(&to, 0o755);
    assert!(!is_kept(), "others can enter the folder");
    mode(&to, 0o700);
    let object = to.join("Tensor.vo");
    mode(&object, 0o666);
    assert!(!is_kept(), "others can write an object");
    std::fs::remove_file(&object).expect("it is there");
    assert!(!is_kept(), "an object is missing");
    std::os::unix::fs::symlink(from.join("Tensor.vo"), &object).expect("it can be made");
    assert!(!is_kept(), "an object is a link");
    std::fs::remove_file(&object).expect("it is there");
    copy("Tensor.vo", "Tensor.vo");
    assert!(is_kept());
    std::fs::write(to.join("seal"), "").expect("it can be written");
    assert!(!is_kept(), "the seal is empty");
    // To compile all of it takes most of a minute.
    if testgen::is_sweep() {
        let again = Checker::new(&cache).expect("the library compiles");
        assert!(is_kept(), "the library is not compiled again");
        let done = common::derive(PROGRAM, None).expect("the derivation goes through");
        let certificate = &done[0].certificate;
        let outcome = again.check(&certificate.statement, certificate.proof.as_bytes());
        assert!(accepted(&outcome.expect("coqc runs")));
    }
    let _ = std::fs::remove_dir_all(cache);
}

#[test]
fn only_loops_that_do_not_race_are_marked() {
    if coq_version().is_none() {
        println!("coqc is not installed: no mark is checked");
        return;
    }
    let checker = Checker::new(&common::cache()).expect("the library compiles");
    let text = "program r(n: size, m: size, f: tensor<i32>[n, m]) = gen i < n: sum j < m: f[i; j]
derivation rows of r { parallel i; }";
    let done = common::derive(text, None).expect("the derivation goes through");
    let (statement, proof) = (&done[0].certificate.statement, &done[0].certificate.proof);
    let check = |statement: &str, proof: &str| {
        checker.check(statement, proof.as_bytes()).expect("coqc runs")
    };
    let outcome = check(statement, proof);
    assert!(accepted(&outcome), "{outcome:?}");
    // The sum is marked instead or too, in the statement, its text, and the proof.
    let (own, other) =
        ("(\"i\", \"#pragma omp parallel for\")", "(\"j\", \"#pragma omp parallel for\")");
    let line = "    #pragma omp parallel for\n";
    let inner = "        for (int64_t j = 0";
    let moved = |text: &str| {
        let text = text.replace(own, other).replace(line, "");
        text.replace(inner, &format!("    {line}{inner}"))
    };
    let both = |text: &str| {
        let text = text.replace(own, &format!("{own}; {other}"));
        text.replace(inner, &format!("    {line}{inner}"))
    };
    for (false_statement, false_proof) in [
        (moved(statement), moved(proof)),
        (both(statement), both(proof)),
        (both(statement), proof.clone()),
    ] {
        assert_ne!(*statement, false_statement);
        let outcome = check(&false_statement, &false_proof);
        assert!(refused(&outcome), "{outcome:?}");
    }
}

/// The results for the corruptions of a kind.
#[derive(Default)]
struct Count {
    tried: usize,
    refused: usize,
    named: usize,
    harmless: usize,
    harmful: usize,
}

/// A certificate with its compiled statement, and compiled false statements.
struct Subject {
    proof: String,
    certificate: halidom_atl::certificate::Certificate,
    stated: Stated,
    falsehoods: Vec<Stated>,
}

/// One corruption or trick to try.
enum Job {
    Edit(&'static str, usize, Edit),
    Trick(usize),
}

fn subject(checker: &Checker, done: Done) -> Subject {
    let statement = &done.certificate.statement;
    let stated = checker.state(statement).expect("the statement compiles");
    let proof = done.certificate.proof.clone();
    let original = checker.prove(&stated, proof.as_bytes()).expect("coqc runs");
    assert!(accepted(&original), "{original:?}");
    // Not every program has an input `f`, which one of the changes reads.
    let falsehoods: Vec<Stated> = FALSEHOODS
        .iter()
        .filter(|(old, _)| statement.contains(old))
        .filter_map(|(old, new)| checker.state(&statement.replacen(old, new, 1)).ok())
        .collect();
    assert!(!falsehoods.is_empty(), "no change makes the statement false");
    Subject { proof, certificate: done.certificate, stated, falsehoods }
}

/// Selects equally many edits of each kind, spread evenly over all of them, and some tricks.
fn jobs(subjects: &[Subject], rules: &[String]) -> Vec<Job> {
    let tricks = (corruptions() / 4).min(TRICKS.len());
    let each = (corruptions() - tricks).div_ceil(KINDS.len());
    let mut jobs = Vec::new();
    for (kind, make) in KINDS {
        let mut all: Vec<(usize, Edit)> = Vec::new();
        for (number, subject) in subjects.iter().enumerate() {
            all.extend(make(&subject.proof, rules).into_iter().map(|edit| (number, edit)));
        }
        let wanted = each.min(all.len());
        assert!(wanted > 0, "nothing to corrupt: {kind}");
        for place in 0..wanted {
            let (number, edit) = all[place * all.len() / wanted].clone();
            jobs.push(Job::Edit(kind, number, edit));
        }
    }
    jobs.extend((0..tricks).map(|place| Job::Trick(place * TRICKS.len() / tricks)));
    jobs
}

#[test]
fn nothing_false_is_accepted() {
    if coq_version().is_none() {
        println!("coqc is not installed: nothing is corrupted");
        return;
    }
    let checker = Checker::new(&common::cache()).expect("the library compiles");
    let texts: &[&str] = if corruptions() < 100 { &[PROGRAM] } else { &[PROGRAM, MORE] };
    let subjects: Vec<Subject> = texts
        .iter()
        .flat_map(|text| common::derive(text, None).expect("the derivation goes through"))
        .map(|done| subject(&checker, done))
        .collect();
    assert!(subjects[0].falsehoods.len() == FALSEHOODS.len(), "a falsehood has no place");
    // The proof of the true statement does not prove a false one.
    for falsehood in &subjects[0].falsehoods {
        let outcome = checker.prove(falsehood, subjects[0].proof.as_bytes()).expect("coqc runs");
        assert!(refused(&outcome), "{outcome:?}");
    }
    let engine = Engine::new().expect("the engine starts");
    let rules: Vec<String> = engine.rules.iter().map(|rule| rule.name.to_owned()).collect();
    let jobs = jobs(&subjects, &rules);
    let counts: Mutex<BTreeMap<&str, Count>> = Mutex::default();
    let accepted_tricks: Mutex<Vec<String>> = Mutex::default();
    let next = AtomicUsize::new(0);
    // The threads share only text and bytes.
    let shared: Vec<(&str, &Stated, &[Stated], &[String])> = subjects
        .iter()
        .map(|subject| {
            let commands = subject.certificate.commands.as_slice();
            (subject.proof.as_str(), &subject.stated, subject.falsehoods.as_slice(), commands)
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(number) else { break };
                    let (kind, count) = match job {
                        Job::Edit(kind, subject, edit) => {
                            (*kind, try_edit(&checker, shared[*subject], edit))
                        }
                        Job::Trick(place) => {
                            let trick = &TRICKS[*place];
                            let count = try_trick(&checker, shared[0].2, &trick.text());
                            if count.harmful > 0 {
                                let mut all = accepted_tricks.lock().expect("no worker panics");
                                all.push(trick.name.to_owned());
                            }
                            ("a trick", count)
                        }
                    };
                    let mut counts = counts.lock().expect("no worker panics");
                    let all = counts.entry(kind).or_default();
                    all.tried += count.tried;
                    all.refused += count.refused;
                    all.named += count.named;
                    all.harmless += count.harmless;
                    all.harmful += count.harmful;
                }
            });
        }
    });
    let counts = counts.into_inner().expect("no worker panics");
    println!(
        "{:<20}{:>8}{:>10}{:>16}{:>18}{:>10}",
        "corrupted", "tried", "refused", "place is named", "still a proof", "harmful"
    );
    let mut all = 0;
    for (kind, count) in &counts {
        println!(
            "{kind:<20}{:>8}{:>10}{:>16}{:>18}{:>10}",
            count.tried, count.refused, count.named, count.harmless, count.harmful
        );
        all += count.tried;
    }
    println!("{all} in all");
    let tricks = accepted_tricks.into_inner().expect("no worker panics");
    assert!(tricks.is_empty(), "a false statement is proved: {tricks:?}");
    for (kind, count) in &counts {
        assert_eq!(count.harmful, 0, "{kind}: a false statement is proved");
        assert!(count.refused > 0, "{kind}: nothing is refused");
    }
}

/// Checks an edited proof. If it is still accepted, it must not prove any false statement.
fn try_edit(
    checker: &Checker,
    (proof, stated, falsehoods, commands): (&str, &Stated, &[Stated], &[String]),
    edit: &Edit,
) -> Count {
    let text = edit.apply(proof);
    let outcome = checker.prove(stated, text.as_bytes()).expect("coqc runs");
    let mut count = Count { tried: 1, ..Count::default() };
    match outcome {
        Outcome::Refused { line, .. } => {
            count.refused = 1;
            let named = line.and_then(|line| place(commands, &text, line));
            count.named = usize::from(named.is_some());
        }
        Outcome::Undecided { .. } => count.refused = 1,
        Outcome::Accepted(_) => {
            count.harmless = 1;
            for falsehood in falsehoods {
                let outcome = checker.prove(falsehood, text.as_bytes()).expect("coqc runs");
                count.harmful += usize::from(accepted(&outcome));
            }
        }
    }
    count
}

/// Checks a file that tries to have a false statement accepted.
fn try_trick(checker: &Checker, falsehoods: &[Stated], text: &str) -> Count {
    let mut count = Count { tried: 1, ..Count::default() };
    let outcome = checker.prove(&falsehoods[0], text.as_bytes()).expect("coqc runs");
    if accepted(&outcome) {
        count.harmful = 1;
    } else {
        count.refused = 1;
    }
    count
}
