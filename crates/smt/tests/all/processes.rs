//! Solvers that misbehave, files of queries, the cache file, and the second solver.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{options, solver, z3};
use halidom_smt::{
    Answer, Cache, CacheError, Family, FindError, OpenError, Options, Program, Reason, Script,
    Solver, Sort, TermId, Terms,
};

/// A shell script that is addressed like Z3. `$line` is each line that the script receives.
fn shell(script: &str) -> Options {
    let arguments = vec!["-c".to_owned(), script.to_owned()];
    let mut options = Options::new(Program::with_arguments(Family::Z3, "/bin/sh", arguments));
    options.soft_timeout = Duration::from_millis(100);
    options.hard_timeout = Duration::from_millis(300);
    options
}

/// A script that repeats marks, as a solver must, and prints `answer` at each check.
fn answering(answer: &str) -> Options {
    shell(&format!(
        r#"while read -r line; do case "$line" in
             '(check-sat)') printf '%s\n' '{answer}' ;;
             '(echo '*) line="${{line#(echo ?}}"; printf '%s\n' "${{line%??}}" ;;
           esac; done"#
    ))
}

/// `x < x`, which has no model.
fn contradiction(terms: &mut Terms) -> TermId {
    let x = terms.fresh("x", Sort::Int);
    terms.lt(x, x)
}

/// `x < y`, which has models.
fn possibility(terms: &mut Terms) -> TermId {
    let [x, y] = ["x", "y"].map(|hint| terms.fresh(hint, Sort::Int));
    terms.lt(x, y)
}

fn ask(options: Options) -> Answer {
    let (mut solver, mut terms) = (Solver::open(options).unwrap(), Terms::new());
    let assertion = contradiction(&mut terms);
    solver.assert(&terms, assertion);
    solver.check(&terms, "query")
}

#[test]
fn a_well_behaved_script_is_believed() {
    // Shows that the scripts below are refused for their output and not because they are scripts.
    assert_eq!(ask(answering("unsat")), Answer::Unsat);
}

/// The script answers `unsat` if it was told to use the older procedure, and `sat` otherwise.
#[test]
fn the_older_procedure_is_used_for_its_queries_alone() {
    let options = shell(
        r#"answer=sat; while read -r line; do case "$line" in
             '(set-option :smt.arith.solver 2)') answer=unsat ;;
             '(reset)') answer=sat ;;
             '(check-sat)') echo "$answer" ;;
             '(echo '*) line="${line#(echo ?}"; printf '%s\n' "${line%??}" ;;
           esac; done"#,
    );
    // An answer from the cache would hide which process gives it.
    let mut solver = Solver::open(Options { cache: None, ..options }).unwrap();
    let mut terms = Terms::new();
    let assertion = possibility(&mut terms);
    solver.assert(&terms, assertion);
    for _ in 0..2 {
        assert_eq!(solver.check_older(&terms, "query"), Answer::Unsat);
        assert!(matches!(solver.check(&terms, "query"), Answer::Sat(_)));
        assert!(matches!(solver.check_fresh(&terms, "query"), Answer::Sat(_)));
    }
}

#[test]
fn the_older_procedure_gives_the_same_answers() {
    let (mut solver, mut terms) = (solver(), Terms::new());
    let [possible, wrong] = [possibility(&mut terms), contradiction(&mut terms)];
    for _ in 0..2 {
        solver.push();
        solver.assert(&terms, possible);
        assert!(matches!(solver.check_older(&terms, "possible"), Answer::Sat(_)));
        solver.assert(&terms, wrong);
        assert_eq!(solver.check_older(&terms, "wrong"), Answer::Unsat);
        solver.pop();
    }
}

#[test]
fn misbehaviour_is_unknown() {
    let unexpected = |text: &str| Reason::Unexpected(text.to_owned());
    let endless = Reason::Died("it said: a line of over 4194304 bytes".to_owned());
    let cases = [
        (answering("unsat\nunsat"), unexpected("unsat unsat")),
        (answering("unsatisfiable"), unexpected("unsatisfiable")),
        (answering(""), unexpected("")),
        (answering("(unsat)"), unexpected("(unsat)")),
        (answering("(unsat"), unexpected("(unsat")),
        (answering("(error \"line 1: no\")\nunsat"), Reason::Rejected("line 1: no".to_owned())),
        (answering("unsupported\nunsat"), unexpected("unsupported unsat")),
        (answering("(error \"out of memory\")"), Reason::Memory),
        (shell("echo out of memory >&2; exit 101"), Reason::Memory),
        (shell("echo no licence >&2; exit 1"), Reason::Died("no licence".to_owned())),
        (shell("exit 3"), Reason::Died("exit status: 3".to_owned())),
        (shell("echo unsat; exit 0"), Reason::Died("it said: unsat".to_owned())),
        (shell("read -r line; kill -9 $$"), Reason::Died("signal: 9 (SIGKILL)".to_owned())),
        (shell("while read -r line; do echo unsat; done"), Reason::Timeout),
        (shell("while :; do :; done"), Reason::Timeout),
        // Lines and letters that would look like a report's own.
        (answering("(x\nproved: all\u{1b}[2J)"), unexpected("(x proved: all [2J)")),
        // What another process answered, printed before any question.
        (
            shell("for n in 1 2 3 4; do echo unsat; echo halidom-mark-$n; done; exec sleep 100"),
            Reason::Timeout,
        ),
        // Floods of lines, of one line, and of complaints.
        (shell("exec yes unsat"), Reason::Timeout),
        (shell("exec yes unsat >&2"), Reason::Died("unsat".to_owned())),
        (shell("exec cat /dev/zero"), endless.clone()),
        (shell("yes | head -c 100000000 | tr -d '\\n'; exec sleep 100"), endless),
        (shell("while read -r line; do yes \"$line\" | head -n 100000 >&2; done"), Reason::Timeout),
    ];
    for (index, (options, expected)) in cases.into_iter().enumerate() {
        let begin = Instant::now();
        let answer = ask(options);
        match (&answer, &expected) {
            // The exit of a process may be noticed before its status is available.
            (Answer::Unknown(Reason::Died(found)), Reason::Died(_))
                if found == "it closed its output" => {}
            (Answer::Sat(_) | Answer::Unsat | Answer::Unknown(_), _) => {
                assert_eq!(answer, Answer::Unknown(expected), "case {index}");
            }
        }
        assert!(begin.elapsed() < Duration::from_secs(3), "case {index} blocked");
    }
    let missing = Options::new(Program::with_arguments(Family::Z3, "/nonexistent/z3", vec![]));
    assert!(matches!(ask(missing), Answer::Unknown(Reason::NotStarted(_))));
}

#[test]
fn a_solver_that_does_not_read_cannot_block_us() {
    let (mut solver, mut terms) = (Solver::open(shell("exec sleep 100")).unwrap(), Terms::new());
    // More text than a pipe holds.
    for _ in 0..20_000 {
        let assertion = possibility(&mut terms);
        solver.assert(&terms, assertion);
    }
    let begin = Instant::now();
    assert_eq!(solver.check(&terms, "long"), Answer::Unknown(Reason::Timeout));
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn many_complaints_do_not_hinder_an_answer() {
    // More than a pipe holds, before the first answer.
    let mut options = shell(
        r#"yes warning | head -n 100000 >&2
           while read -r line; do case "$line" in
             '(check-sat)') echo unsat ;;
             '(echo '*) line="${line#(echo ?}"; printf '%s\n' "${line%??}" ;;
           esac; done"#,
    );
    options.hard_timeout = Duration::from_secs(20);
    assert_eq!(ask(options), Answer::Unsat);
}

#[test]
fn a_killed_solver_is_replaced() {
    let (mut solver, mut terms) = (solver(), Terms::new());
    let first = possibility(&mut terms);
    solver.assert(&terms, first);
    assert!(matches!(solver.check(&terms, "before"), Answer::Sat(_)));
    let id = solver.process_id().unwrap();
    assert!(Command::new("kill").args(["-9", &id.to_string()]).status().unwrap().success());
    solver.push();
    let second = terms.not(first);
    solver.assert(&terms, second);
    let answer = solver.check(&terms, "killed");
    assert!(matches!(answer, Answer::Unknown(Reason::Died(_))), "{answer:?}");
    // The new process receives everything again: the contradiction needs the assertion of the outer
    // frame.
    assert_eq!(solver.check(&terms, "after"), Answer::Unsat);
    assert_eq!(solver.statistics().processes, 2);
    assert_eq!(solver.statistics().unknown, 1);
}

#[test]
fn terms_of_two_arenas_cannot_be_mixed() {
    let (mut one, mut two) = (Terms::new(), Terms::new());
    let (first, second) = (possibility(&mut one), possibility(&mut two));
    let refused = |action: &mut dyn FnMut()| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(action)).is_err()
    };
    assert!(refused(&mut || {
        one.and(&[first, second]);
    }));
    let mut solver = solver();
    solver.assert(&one, first);
    assert!(refused(&mut || solver.assert(&two, second)));
    solver.clear();
    solver.assert(&two, second);
    assert!(matches!(solver.check(&two, "other arena"), Answer::Sat(_)));
}

#[test]
fn ill_sorted_terms_are_refused() {
    let mut t = Terms::new();
    let (int, flag, byte, word) = (t.int(1), t.bool(true), t.bit_vec(8, 1), t.bit_vec(16, 1));
    let half = t.float32(0.5);
    let f = t.declare("f", &[Sort::Int], Sort::Int);
    type Builder = Box<dyn Fn(&mut Terms) -> TermId>;
    let cases: Vec<Builder> = vec![
        Box::new(move |t| t.add(int, flag)),
        Box::new(move |t| t.add(byte, byte)),
        Box::new(move |t| t.and(&[flag, int])),
        Box::new(move |t| t.ite(flag, int, byte)),
        Box::new(move |t| t.equal(byte, word)),
        Box::new(move |t| t.extract(8, 0, byte)),
        Box::new(move |t| t.float_from_bits(Sort::FLOAT64, byte)),
        Box::new(move |t| t.float_min(half, byte)),
        Box::new(move |t| t.apply(f, &[flag])),
        Box::new(move |t| t.apply(f, &[])),
    ];
    for (index, case) in cases.iter().enumerate() {
        let action = std::panic::AssertUnwindSafe(|| case(&mut t));
        assert!(std::panic::catch_unwind(action).is_err(), "case {index}");
    }
}

#[test]
fn equal_queries_have_equal_texts_of_linear_size() {
    let text = |noise: usize| {
        let mut t = Terms::new();
        for _ in 0..noise {
            t.fresh("noise", Sort::Int);
        }
        let pair = t.declare("pair", &[Sort::Int, Sort::Int], Sort::Int);
        let mut tree = t.fresh("x", Sort::Int);
        for _ in 0..200 {
            tree = t.apply(pair, &[tree, tree]);
        }
        let mut chain = t.fresh("flag", Sort::Bool);
        for bound in 0..5_000 {
            let bound = t.int(bound);
            let fact = t.lt(tree, bound);
            chain = t.implies(chain, fact);
        }
        Script::new(&t, &[chain]).text()
    };
    let plain = text(0);
    assert_eq!(plain, text(7));
    assert!(plain.len() < 400_000, "{} bytes", plain.len());
    assert_eq!(solver().replay(&z3(), &plain), Ok(true));
}

#[test]
fn kept_queries_replay_to_the_same_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options();
    options.dump = Some(folder.path().join("queries"));
    let (mut solver, mut terms) = (Solver::open(options).unwrap(), Terms::new());
    let (possible, impossible) = (possibility(&mut terms), contradiction(&mut terms));
    let f = terms.declare("f", &[Sort::Int], Sort::FLOAT32);
    let [zero, one] = [0, 1].map(|value| terms.int(value));
    let values = [zero, one].map(|argument| terms.apply(f, &[argument]));
    let differ = terms.equal(values[0], values[1]);
    let differ = terms.not(differ);
    for (assertions, label) in [
        (vec![possible, differ], "first: a/b"),
        (vec![possible, impossible], "second\nline"),
        (vec![], ""),
    ] {
        solver.check_with(&terms, &assertions, label);
    }
    assert!(solver.dump_failure().is_none());
    let mut files: Vec<_> = fs::read_dir(folder.path().join("queries"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let names: Vec<_> =
        files.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["00001-first--a-b.smt2", "00002-second-line.smt2", "00003-.smt2"]);
    for (path, expected) in files.iter().zip([true, false, true]) {
        let text = fs::read_to_string(path).unwrap();
        let status = if expected { "; answer: sat\n" } else { "; answer: unsat\n" };
        assert!(text.contains(status), "{text}");
        assert_eq!(solver.replay(&z3(), &text), Ok(expected), "{text}");
        if let Ok(second) = Program::find(Family::Cvc5, None) {
            assert_eq!(solver.replay(&second, &text), Ok(expected), "{text}");
        }
    }
}

/// A contradiction, a possibility, and values of every sort.
fn assertions(terms: &mut Terms) -> [TermId; 3] {
    let (first, second) = (contradiction(terms), possibility(terms));
    let float = terms.fresh("float", Sort::FLOAT32);
    let bits = terms.fresh("bits", Sort::BitVec(8));
    let fraction = terms.fresh("fraction", Sort::Real);
    let flag = terms.fresh("flag", Sort::Bool);
    let (half, eight, third) = (terms.float32(0.5), terms.bit_vec(8, 8), terms.real(-1, 3));
    let facts =
        [terms.equal(float, half), terms.equal(bits, eight), terms.equal(fraction, third), flag];
    [first, second, terms.and(&facts)]
}

#[test]
fn the_cache_file_keeps_answers_of_each_solver() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    let identity = z3().probe().unwrap();
    let cache = Cache::load(&path, &z3()).unwrap();
    assert!(cache.is_empty(), "there is no file yet");
    let mut options = options();
    options.cache = Some(cache.clone());
    let (mut solver, mut terms) = (Solver::open(options).unwrap(), Terms::new());
    let assertions = assertions(&mut terms);
    let asked = assertions.map(|assertion| solver.check_with(&terms, &[assertion], "first"));
    assert_eq!(asked[0], Answer::Unsat);
    assert!(matches!((&asked[1], &asked[2]), (Answer::Sat(_), Answer::Sat(_))), "{asked:?}");
    assert_eq!(cache.len(), 3);
    cache.save(&path).unwrap();

    // A program that claims to be this solver, and answers nothing, shows where the answers come
    // from.
    let with_file = |name: &str, version: &str| {
        let program = claiming(name, version);
        let mut options = Options::new(program.clone());
        options.cache = Some(Cache::load(&path, &program).unwrap());
        assert_eq!(options.cache.as_ref().unwrap().len(), 3);
        let mut solver = Solver::open(options).unwrap();
        assertions.map(|assertion| solver.check_with(&terms, &[assertion], "again"))
    };
    assert_eq!(with_file(&identity.name, &identity.version), asked);
    let died = |answer: &Answer| matches!(answer, Answer::Unknown(Reason::Died(_)));
    let unknown = with_file(&identity.name, &format!("{}.1", identity.version));
    assert!(unknown.iter().all(died), "{unknown:?}");
    let unknown = with_file("Z4", &identity.version);
    assert!(unknown.iter().all(died), "{unknown:?}");
    let nobody = Cache::load(&path, &answering("unsat").program);
    assert!(matches!(nobody, Err(CacheError::Solver { .. })), "{nobody:?}");
}

/// A program that has a name and a version and ends at the first query.
fn claiming(name: &str, version: &str) -> Program {
    let options = shell(&format!(
        r#"while read -r line; do case "$line" in
             '(get-info :name)') echo '(:name "{name}")' ;;
             '(get-info :version)') echo '(:version "{version}")' ;;
             '(check-sat)') exit 1 ;;
             '(echo '*) line="${{line#(echo ?}}"; printf '%s\n' "${{line%??}}" ;;
           esac; done"#
    ));
    options.program
}

#[test]
fn answers_of_one_solver_are_no_other_solvers() {
    let liar = answering("unsat").program;
    let kept = Cache::new(&liar);
    let mut options = Options::new(liar);
    options.cache = Some(kept.clone());
    let (mut solver, mut terms) = (Solver::open(options).unwrap(), Terms::new());
    let possible = possibility(&mut terms);
    assert_eq!(solver.check_with(&terms, &[possible], "query"), Answer::Unsat);
    assert_eq!(kept.len(), 1);
    let mut options = crate::common::options();
    options.cache = Some(kept.clone());
    let error = Solver::open(options).expect_err("the answers are another solver's");
    assert!(matches!(error, OpenError::OtherSolver { .. }), "{error}");
    // The same executable with other arguments also counts as another solver.
    let arguments = vec!["-c".to_owned(), "exit".to_owned()];
    let mut options = Options::new(Program::with_arguments(Family::Z3, "/bin/sh", arguments));
    options.cache = Some(kept);
    assert!(matches!(Solver::open(options), Err(OpenError::OtherSolver { .. })));
}

#[test]
fn a_damaged_cache_file_is_refused_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    let cache = Cache::load(&path, &z3()).unwrap();
    let mut options = options();
    options.cache = Some(cache.clone());
    assert_eq!(ask(options), Answer::Unsat);
    cache.save(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        matches!(Cache::load(&path, &z3()), Err(CacheError::Malformed { .. }))
    };
    for position in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[position] ^= 1;
        assert!(refused(&damaged), "the byte at {position} was changed");
        assert!(refused(&whole[..position]), "the file ends at {position}");
    }
    assert!(refused(b"another kind of file\n"));
    assert!(!refused(&whole));
}

#[test]
fn answers_of_the_cache_are_confirmed_too() {
    let cache = Cache::new(&z3());
    let asked = |second: Option<Options>| {
        let mut options = options();
        options.cache = Some(cache.clone());
        options.confirm = second.map(|second| second.program);
        let (mut solver, mut terms) = (Solver::open(options).unwrap(), Terms::new());
        let assertion = contradiction(&mut terms);
        solver.assert(&terms, assertion);
        let answer = solver.check(&terms, "query");
        (answer, solver.statistics().cached, solver.disagreements().to_vec())
    };
    assert_eq!(asked(None), (Answer::Unsat, 0, vec![]));
    assert_eq!(asked(None), (Answer::Unsat, 1, vec![]));
    let disagreement = Answer::Unknown(Reason::Disagreement);
    assert_eq!(asked(Some(answering("sat"))), (disagreement, 1, vec!["query".to_owned()]));
    // A contradicted answer is not kept.
    assert_eq!(asked(None), (Answer::Unsat, 0, vec![]));
}

#[test]
fn the_second_solver_can_veto_but_not_prove() {
    let confirm = |first: Options, second: &Options| {
        let mut options = first;
        options.confirm = Some(second.program.clone());
        let (mut solver, mut terms) = (Solver::open(options).unwrap(), Terms::new());
        let assertion = contradiction(&mut terms);
        solver.assert(&terms, assertion);
        let answer = solver.check(&terms, "query");
        (answer, solver.statistics().confirmed, solver.statistics().unconfirmed)
    };
    assert_eq!(confirm(options(), &answering("unsat")), (Answer::Unsat, 1, 0));
    assert_eq!(
        confirm(options(), &answering("sat")),
        (Answer::Unknown(Reason::Disagreement), 0, 0)
    );
    assert_eq!(confirm(options(), &answering("unknown")), (Answer::Unsat, 0, 1));
    assert_eq!(confirm(options(), &shell("exit 1")), (Answer::Unsat, 0, 1));
    // The second solver has its own time limit, not the short one of a first try.
    let mut hasty = options();
    (hasty.soft_timeout, hasty.hard_timeout) = (Duration::from_secs(1), Duration::from_secs(2));
    let late = shell(
        r#"while read -r line; do case "$line" in
             '(check-sat)') sleep 3; echo sat ;;
             '(echo '*) line="${line#(echo ?}"; printf '%s\n' "${line%??}" ;;
           esac; done"#,
    );
    assert_eq!(confirm(hasty, &late).0, Answer::Unknown(Reason::Disagreement));
    let (answer, ..) = confirm(shell("exit 1"), &answering("unsat"));
    assert!(matches!(answer, Answer::Unknown(Reason::Died(_))), "{answer:?}");
}

#[test]
fn solvers_say_who_they_are() {
    let identity = z3().probe().unwrap();
    assert_eq!(identity.name, "Z3");
    assert!(
        identity.version.starts_with(|first: char| first.is_ascii_digit()),
        "{}",
        identity.version
    );
    assert!(matches!(answering("sat").program.probe(), Err(Reason::Unexpected(_))));
}

#[test]
fn an_explicit_path_must_exist() {
    let path = std::path::Path::new("/nonexistent/z3");
    let expected = FindError::NotAFile { path: path.to_owned(), origin: "an option".to_owned() };
    assert_eq!(Program::find(Family::Z3, Some(path)), Err(expected));
    assert_eq!(Program::find(Family::Z3, Some(z3().path())), Ok(z3()));
}
