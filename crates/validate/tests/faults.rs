//! A solver that fails, at once or later, makes a verdict unknown: never proved, never a panic.

use std::thread;
use std::time::{Duration, Instant};

use halidom_ir::parse;
use halidom_smt::{Family, Program};
use halidom_validate::{Budget, Method, Options, Report, Status, Verdict, validate};

/// The default options, with the installed solver.
fn options() -> Options {
    let solver = Program::find(Family::Z3, None);
    Options::new(solver.expect("a solver is installed"))
}

/// Validates a program that is proved with a working solver.
fn judged(options: &Options) -> Report {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/validate/texts/right.ir");
    let text = std::fs::read_to_string(path).expect("the case exists");
    let mut module = parse::module(&text).expect("it can be read");
    let program = module.program.expect("it has a program");
    validate(&mut module.pool, &module.algorithm, &program, options)
}

/// Wraps the real solver in a shell that fails. The shell counts the questions with a time limit of
/// at least `least` milliseconds. It runs `action` instead of question `number` and all later ones.
/// To questions with a shorter limit it answers at once that time is out.
fn failing((least, number): (u128, u32), action: &str) -> Program {
    let solver = options().asking.solver;
    let script = format!(
        r#"exec 3>&1; n=0; limit=0; late=no; while IFS= read -r line; do
             case "$line" in
             '(set-option :timeout '*) limit=${{line#(set-option :timeout }}; limit=${{limit%)}} ;;
             '(check-sat)')
               late=no; if [ "$limit" -lt {least} ]; then late=yes; echo unknown >&3; continue; fi
               n=$((n + 1)); if [ $n -ge {number} ]; then {action}; continue; fi ;;
             '(get-info :reason-unknown)')
               if [ $late = yes ]; then echo '(:reason-unknown "timeout")' >&3; continue; fi ;;
             esac
             printf '%s\n' "$line"
           done | '{}' -in -smt2"#,
        solver.path().display()
    );
    Program::with_arguments(Family::Z3, "/bin/sh", vec!["-c".to_owned(), script])
}

/// The time limit for a question that is asked once.
const SHORT: Duration = Duration::from_millis(250);
/// The time limit for a question that a fresh process gets again after the first try took too long.
const MIDDLE: Duration = Duration::from_millis(1500);
/// The time limit for a question that a third process gets after that.
const LONG: Duration = Duration::from_secs(2);

fn with(solver: Program, timeout: Duration) -> Options {
    let mut options = options();
    options.asking.solver = solver;
    options.asking.timeout = timeout;
    // One open obligation decides the verdict.
    options.budget = Budget { open: Some(1), ..Budget::default() };
    // No verdict here depends on these searches.
    options.search.time = Duration::from_millis(100);
    options.strictness = Duration::ZERO;
    options
}

fn closed_by_solver(report: &Report) -> usize {
    let closed = Status::Closed(Method::Solver);
    report.obligations.iter().filter(|obligation| obligation.status == closed).count()
}

#[test]
fn the_shell_in_between_changes_nothing() {
    assert_eq!(judged(&with(failing((0, u32::MAX), "exit"), SHORT)).verdict, Verdict::Proved);
    // Every question reaches the second process, or the third one.
    assert_eq!(
        judged(&with(failing((MIDDLE.as_millis(), u32::MAX), "exit"), LONG)).verdict,
        Verdict::Proved
    );
    let late = failing((LONG.as_millis(), u32::MAX), "exit");
    assert_eq!(judged(&with(late.clone(), LONG)).verdict, Verdict::Proved);
    assert!(matches!(judged(&with(late, SHORT)).verdict, Verdict::Unknown(_)));
}

/// A part of the reason where the solver does not answer in time.
const SILENT: &str = "out of time";

/// The faults: name, shell command, and a part of the reason that is reported.
const FAULTS: [(&str, &str, &str); 9] = [
    ("crashes", "exit 3", "died"),
    ("is killed", "kill -9 $$; exit", "died"),
    ("hangs", "sleep 5", SILENT),
    ("says nonsense", "echo banana >&3", "unexpected"),
    ("answers twice", "echo unsat >&3; echo unsat >&3", "unexpected"),
    ("is cut off", "printf '(unsat' >&3", SILENT),
    ("complains and answers", "echo '(error \"no\")' >&3; echo unsat >&3", "rejected"),
    ("runs out of memory", "echo '(error \"out of memory\")' >&3", "memory"),
    ("gives up", "echo unknown >&3", "gave up"),
];

/// Tests a solver with each fault, at the first and at the third question with a time limit of at
/// least `least` milliseconds. Those after which the solver is silent only wait, so these wait at
/// the same time.
fn every_fault(least: u128, timeout: Duration) {
    thread::scope(|scope| {
        for fault in FAULTS {
            for number in [1, 3] {
                if fault.2 == SILENT {
                    scope.spawn(move || one_fault(fault, (least, number), timeout));
                } else {
                    one_fault(fault, (least, number), timeout);
                }
            }
        }
    });
}

#[expect(clippy::panic, reason = "a test may panic")]
fn one_fault(
    (name, action, reason): (&str, &str, &str),
    (least, number): (u128, u32),
    timeout: Duration,
) {
    let begin = Instant::now();
    let report = judged(&with(failing((least, number), action), timeout));
    let Verdict::Unknown(text) = &report.verdict else {
        panic!("a solver that {name} at question {number}: {:?}", report.verdict)
    };
    assert!(report.open().count() > 0, "{name}: {text}");
    assert_eq!(closed_by_solver(&report) > 0, number > 1, "{name}: {text}");
    let shows = |words: &str| {
        report.obligations.iter().any(|obligation| match &obligation.status {
            Status::Open(reason) => reason.words.contains(words),
            Status::Closed(_) => false,
        })
    };
    assert!(shows(reason) || shows("assumptions can hold"), "{name} at {number}: {text}");
    assert!(begin.elapsed() < Duration::from_mins(1), "{name} blocks");
}

#[test]
fn every_fault_makes_the_verdict_unknown() {
    every_fault(0, SHORT);
}

#[test]
fn every_fault_of_the_last_process_makes_the_verdict_unknown() {
    every_fault(LONG.as_millis(), LONG);
}

/// A third process is asked where the second one is silent, and nowhere else.
#[test]
fn faults_of_the_second_process_make_the_verdict_unknown_or_are_made_good() {
    let least = MIDDLE.as_millis();
    thread::scope(|scope| {
        for fault in FAULTS {
            let (name, action, reason) = fault;
            scope.spawn(move || {
                one_fault(fault, (least, 1), LONG);
                if reason == SILENT {
                    let report = judged(&with(failing((least, 6), action), LONG));
                    assert_eq!(report.verdict, Verdict::Proved, "{name}");
                } else {
                    one_fault(fault, (least, 3), LONG);
                }
            });
        }
    });
}

#[test]
fn a_missing_solver_makes_the_verdict_unknown() {
    let missing = Program::with_arguments(Family::Z3, "/nonexistent/z3", Vec::new());
    let report = judged(&with(missing, SHORT));
    let Verdict::Unknown(reason) = &report.verdict else { panic!("{:?}", report.verdict) };
    assert!(reason.words.contains("could not be started"), "{reason}");
    assert_eq!(closed_by_solver(&report), 0);
}

#[test]
fn a_disagreement_is_known_to_the_report() {
    let saying = |answer: &str| {
        let script = format!(
            r#"while read -r line; do case "$line" in
                 '(check-sat)') echo {answer} ;;
                 '(echo '*) line="${{line#(echo ?}}"; printf '%s\n' "${{line%??}}" ;;
               esac; done"#
        );
        Program::with_arguments(Family::Cvc5, "/bin/sh", vec!["-c".to_owned(), script])
    };
    let confirmed_by = |answer: &str| {
        let mut options = options();
        options.asking.confirm = Some(saying(answer));
        judged(&options)
    };
    let agreed = confirmed_by("unsat");
    assert_eq!(agreed.verdict, Verdict::Proved);
    assert!(agreed.solver.confirmed > 0 && agreed.solver.unconfirmed == 0, "{:?}", agreed.solver);
    let contradicted = confirmed_by("sat");
    assert!(matches!(contradicted.verdict, Verdict::Unknown(_)), "{:?}", contradicted.verdict);
    assert!(!contradicted.solver.disagreements.is_empty());
    assert_eq!(
        closed_by_solver(&contradicted),
        2,
        "only that assumptions can hold needs no refutation"
    );
    let undecided = confirmed_by("unknown");
    assert_eq!(undecided.verdict, Verdict::Proved);
    assert!(undecided.solver.unconfirmed > 0 && undecided.solver.confirmed == 0);
}
