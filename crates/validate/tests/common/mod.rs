//! Programs for tests: compiled from `.hal` text.

use std::path::Path;

use halidom_diag::Sources;
use halidom_ir::{Algorithm, Pool, Program, Schedule};
use halidom_schedule::Engine;
use halidom_validate::{Options, Report, Status};

/// A compile to be judged.
pub struct Case {
    pub name: String,
    pub pool: Pool,
    pub algorithm: Algorithm,
    pub program: Program,
}

/// Validation with the solver that is installed.
pub fn options() -> Options {
    let solver = halidom_smt::Program::find(halidom_smt::Family::Z3, None);
    Options::new(solver.expect("a solver is installed"))
}

/// The text of an example.
pub fn example(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file);
    std::fs::read_to_string(path).expect("the example exists")
}

/// Every pipeline of a text under each of its schedules and without one, lowered to the end.
pub fn cases(text: &str) -> Vec<Case> {
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

/// The open obligations of a report, one a line.
pub fn open(report: &Report) -> String {
    report
        .open()
        .map(|obligation| {
            let Status::Open(reason) = &obligation.status else { return String::new() };
            let reason: String = reason.chars().take(300).collect();
            format!("{}: {}: {reason}\n", obligation.kind.name(), obligation.place)
        })
        .collect()
}
