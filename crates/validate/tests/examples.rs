//! Every schedule of the examples is proved, for all sizes at once.

mod common;

use std::path::Path;
use std::time::Duration;

use common::{open, options};
use halidom_diag::Sources;
use halidom_interp::{algorithm, machine};
use halidom_ir::{Algorithm, Pool, Program, Schedule};
use halidom_schedule::Engine;
use halidom_validate::{Verdict, validate};

/// A compile to be judged.
struct Case {
    name: String,
    pool: Pool,
    algorithm: Algorithm,
    program: Program,
}

/// The text of an example.
fn example(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file);
    std::fs::read_to_string(path).expect("the example exists")
}

/// Every pipeline of a text under each of its schedules and without one, lowered to the end.
fn cases(text: &str) -> Vec<Case> {
    let mut sources = Sources::default();
    let file = sources.add("case.hal", text);
    let module = halidom_lang::parse(&sources, file);
    assert!(module.diagnostics.is_empty(), "{:?}", module.diagnostics);
    let mut cases = Vec::new();
    for pipeline in &module.pipelines {
        let algorithm = &pipeline.algorithm;
        let unscheduled = Schedule { name: "default".to_owned(), directives: Vec::new() };
        let schedules = pipeline.schedules.iter().map(|named| &named.schedule);
        for schedule in std::iter::once(&unscheduled).chain(schedules) {
            let mut pool = module.pool.clone();
            let program =
                halidom_schedule::compile(&mut pool, algorithm, schedule, Engine::Default)
                    .expect("the schedule is legal");
            let program = halidom_lower::lower(&mut pool, program, &mut |_, _| {})
                .expect("the program can be lowered");
            cases.push(Case {
                name: format!("{} under {}", algorithm.name, schedule.name),
                pool,
                algorithm: algorithm.clone(),
                program,
            });
        }
    }
    cases
}

fn proves(file: &str) {
    for mut case in cases(&example(file)) {
        let report = validate(&mut case.pool, &case.algorithm, &case.program, &options());
        assert_eq!(report.verdict, Verdict::Proved, "{}\n{}", case.name, open(&report));
        assert!(!report.obligations.is_empty() && report.queries > 0, "{}", case.name);
    }
}

#[test]
fn blur() {
    proves("blur.hal");
}

#[test]
fn box_blur() {
    proves("box_blur.hal");
}

#[test]
fn gemm() {
    proves("gemm.hal");
}

#[test]
fn histogram() {
    proves("histogram.hal");
}

#[test]
fn harris() {
    proves("harris.hal");
}

#[test]
fn unsharp() {
    proves("unsharp.hal");
}

/// Mutants of blur and gemm: none that the interpreter can tell from the original is proved, and most are refuted by a run.
#[test]
fn mutants_are_not_proved() {
    let (mut observable, mut refuted) = (0, 0);
    for file in ["blur.hal", "gemm.hal", "histogram.hal"] {
        for mut case in cases(&example(file)).into_iter().skip(1).take(2) {
            let runs = halidom_testgen::cases(&case.pool, &case.algorithm, 7, 30);
            assert!(!runs.is_empty());
            for mutant in halidom_testgen::mutants(&mut case.pool, &case.program, 11, 6) {
                let seen = runs.iter().any(|run| differs(&case, &mutant.program, run));
                let mut options = options();
                options.search.trials = 40;
                options.search.time = Duration::from_millis(800);
                let report = validate(&mut case.pool, &case.algorithm, &mutant.program, &options);
                observable += usize::from(seen);
                match report.verdict {
                    Verdict::Proved => {
                        assert!(!seen, "proved: {}: {}", case.name, mutant.description);
                    }
                    Verdict::Refuted(counterexample) => {
                        assert!(counterexample.replayed);
                        refuted += usize::from(seen);
                    }
                    Verdict::Unknown(_) => {}
                }
            }
        }
    }
    assert!(observable >= 12, "{observable} of the mutants are observable");
    assert!(refuted * 10 >= observable * 6, "{refuted} of {observable} are refuted");
}

/// Whether the program does something else than the algorithm on this run.
fn differs(case: &Case, program: &Program, run: &halidom_testgen::Case) -> bool {
    let expected = algorithm::evaluate(&case.pool, &case.algorithm, &run.bindings, &run.windows)
        .expect("the generated case has a value");
    let options = machine::Options {
        output_padding: run.output_padding.clone(),
        steps: Some(10_000_000),
        ..machine::Options::default()
    };
    match machine::run(&case.pool, program, &run.bindings, &run.windows, &options) {
        Ok(outcome) => outcome.outputs != expected,
        Err(machine::Fault::CheckFailed(_)) => false,
        Err(_) => true,
    }
}
