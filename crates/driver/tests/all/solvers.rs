//! The files between solvers and verdicts: kept queries replay to their answers, and kept answers
//! prove again.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::common::{choices, example, load, open};
use halidom_driver::explain::explain;
use halidom_driver::judge::{Options, judge};
use halidom_driver::layout::Layout;
use halidom_driver::subject::{self, Subject};
use halidom_smt::{Cache, Family, Identity, Program};
use halidom_testgen::sampled;
use halidom_validate::{Report, Verdict};

fn options() -> Options {
    Options::find().expect("a solver is installed")
}

fn subjects(text: &str) -> Vec<Subject> {
    let mut loaded = load("example", text);
    let choices = choices(&loaded);
    choices
        .iter()
        .map(|choice| {
            subject::compiled(&mut loaded, choice, &mut |_, _, _| {}).expect("it compiles")
        })
        .collect()
}

fn judged(subject: &Subject, options: &Options) -> Report {
    judge(&subject.pool, &subject.algorithm, &subject.compiled, options)
}

/// A parallel reduction whose terms are added in any order, which needs a law that the solver
/// decides.
const COUNTS: &str = "pipeline counts(a: buffer<u8, 1>) -> count: buffer<u32, 1> {
    func count(i): u32 {
        count(i) = 0;
        for x in 0..a.width { count(int(a(x)) / 32) += u32(a(x)); }
    }
}
schedule threads for counts { count.update().atomic().parallel(x); }";

/// Every file under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn queries_that_are_kept_replay_to_their_answers() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut options = options();
    let mut asked = 0;
    for (number, subject) in
        subjects(&example("blur")).into_iter().chain(subjects(COUNTS)).enumerate()
    {
        options.asking.emit_smt = Some(folder.path().join(number.to_string()));
        let report = judged(&subject, &options);
        assert_eq!(report.verdict, Verdict::Proved, "{}: {}", subject.title(), open(&report));
        asked += report.solver.queries;
    }
    let kept = files(folder.path());
    let (mut sat, mut unsat) = (0, 0);
    for path in sampled(&kept, 3) {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let answer = text.lines().find_map(|line| line.strip_prefix("; answer: "));
        let answer = answer.expect("the answer stands in the file");
        let output =
            Command::new(options.asking.solver.path()).arg(path).output().expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), answer, "{}", path.display());
        sat += u64::from(answer == "sat");
        unsat += u64::from(answer == "unsat");
    }
    assert!(sat > 0 && unsat > 10, "{sat} sat, {unsat} unsat");
    // Queries for the search for entry checks that are too strict are kept too, but do not count
    // for the verdict.
    assert!(kept.len() as u64 >= asked, "{} of {asked} queries were kept", kept.len());
    assert!(kept.iter().any(|path| path.to_string_lossy().contains("laws")), "{kept:?}");
}

#[test]
fn answers_that_are_kept_prove_again() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("answers");
    let subject = subjects(&example("blur")).pop().expect("there is a schedule");
    let with_file = |solver: Program| {
        let cache = Cache::load(&path, &solver).expect("it can be read");
        let mut options = Options::new(solver);
        options.asking.cache = Some(cache.clone());
        let report = judged(&subject, &options);
        cache.save(&path).expect("it can be written");
        report
    };
    let first = with_file(options().asking.solver);
    assert_eq!((&first.verdict, first.solver.cached), (&Verdict::Proved, 0));
    let second = with_file(options().asking.solver);
    assert_eq!(second.verdict, Verdict::Proved);
    assert_eq!(
        second.solver.cached, second.solver.queries,
        "what is asked does not depend on where answers come from"
    );
    assert_eq!(second.obligations, first.obligations);
    assert!(second.below.contains(&"answers that were kept"), "{:?}", second.below);
    // No query is left, so a program suffices that claims to be this solver and ends at the first
    // query.
    let third = with_file(claiming(&options().asking.solver.probe().expect("it says its name")));
    assert_eq!((&third.verdict, third.solver.cached), (&Verdict::Proved, first.solver.queries));
}

/// A program that claims to be a solver and ends at the first query.
fn claiming(Identity { name, version }: &Identity) -> Program {
    let script = format!(
        r#"while read -r line; do case "$line" in
             '(get-info :name)') echo '(:name "{name}")' ;;
             '(get-info :version)') echo '(:version "{version}")' ;;
             '(check-sat)') exit 1 ;;
             '(echo '*) line="${{line#(echo ?}}"; printf '%s\n' "${{line%??}}" ;;
           esac; done"#
    );
    Program::with_arguments(Family::Z3, "/bin/sh", vec!["-c".to_owned(), script])
}

#[test]
fn answers_of_another_solver_prove_nothing() {
    let subject = subjects(&example("blur")).pop().expect("there is a schedule");
    let liar = Program::with_arguments(Family::Z3, "/bin/false", Vec::new());
    let mut options = options();
    options.asking.cache = Some(Cache::new(&liar));
    let report = judged(&subject, &options);
    let Verdict::Unknown(reason) = &report.verdict else { panic!("{:?}", report.verdict) };
    assert!(reason.words.contains("/bin/false"), "{reason}");
}

#[test]
fn answers_about_one_program_prove_no_other() {
    let right = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = a(x) + a(x + 1); }";
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/validate/texts/");
    let program = |name: &str| {
        let path = Path::new(cases).join(name);
        subject::program(&path).expect("it can be read")
    };
    let mut options = options();
    options.asking.cache = Some(Cache::new(&options.asking.solver));
    for subject in subjects(right).iter().chain([&program("right.ir")]) {
        assert_eq!(judged(subject, &options).verdict, Verdict::Proved);
    }
    for wrong in ["refuted.ir", "out_of_bounds.ir"] {
        let report = judged(&program(wrong), &options);
        assert!(matches!(report.verdict, Verdict::Refuted(_)), "{wrong}: {:?}", report.verdict);
        assert!(report.solver.cached > 0, "{wrong}: much of it is as in the right program");
    }
}

/// The real solver behind a shell that reports a timeout if the limit is less than the given number
/// of milliseconds.
fn slow(milliseconds: u32) -> Program {
    let solver = options().asking.solver;
    let script = format!(
        r#"exec 3>&1; limit=0; late=no; while IFS= read -r line; do
             case "$line" in
             '(set-option :timeout '*) limit=${{line#(set-option :timeout }}; limit=${{limit%)}} ;;
             '(check-sat)')
               late=no
               if [ "$limit" -lt {milliseconds} ]; then late=yes; echo unknown >&3; continue; fi ;;
             '(get-info :reason-unknown)')
               if [ $late = yes ]; then echo '(:reason-unknown "timeout")' >&3; continue; fi ;;
             esac
             printf '%s\n' "$line"
           done | '{}' -in -smt2"#,
        solver.path().display()
    );
    Program::with_arguments(Family::Z3, "/bin/sh", vec!["-c".to_owned(), script])
}

#[test]
fn explain_finds_that_more_time_helps() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/validate/texts/");
    let subject = subject::program(&Path::new(cases).join("right.ir")).expect("it can be read");
    let mut options = Options::new(slow(500));
    options.asking.timeout = Duration::from_millis(200);
    let report = judged(&subject, &options);
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    let layout = Layout::new(&subject, &report);
    let found = explain(&subject, (&report, &layout), 0, &options, Duration::from_mins(1));
    let helps = found.trials.iter().find(|trial| trial.change == "`--timeout 0.8`");
    assert_eq!(helps.map(|trial| trial.open), Some(0), "{:?}", found.trials);
    assert!(found.survived.wrong.is_none() && found.survived.runs > 0, "{:?}", found.survived);
}
