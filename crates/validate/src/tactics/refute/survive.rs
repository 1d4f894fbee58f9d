//! Counts the runs that a single store survives: evidence for people, never for a verdict.

use std::time::Instant;

use halidom_interp::machine::{self, Fault, Watch};
use halidom_ir::{Algorithm, Pool, Program, StmtId};

use super::{Aim, Hint, Random, Search, draw};

/// The result of runs that were aimed at a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survived {
    /// The number of runs that went to their end and executed the store.
    pub runs: usize,
    /// The number of executions of the store in these runs.
    pub executions: u64,
    /// True if each value was compared with the specification's value at the claimed instance.
    pub compared: bool,
    /// The fault at the store, from the first run that had one.
    pub wrong: Option<String>,
}

/// Runs a program on cases that begin with the suggested sizes, and compares the values that a
/// store writes with the algorithm's values at the claimed instances.
pub fn survive(
    pool: &Pool,
    algorithm: &Algorithm,
    (lowered, program): (&Algorithm, &Program),
    stmt: StmtId,
    suggestions: &[Hint],
    search: Search,
) -> Survived {
    let begin = Instant::now();
    let mut survived = Survived { runs: 0, executions: 0, compared: true, wrong: None };
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    for trial in 0..search.trials {
        if begin.elapsed() > search.time || survived.runs >= search.runs {
            break;
        }
        let hint = suggestions.get(trial).map_or(&[][..], Vec::as_slice);
        let Some(case) =
            draw(pool, algorithm, program, Aim::at(hint, search.steps), &mut random, trial)
        else {
            continue;
        };
        let options = machine::Options {
            seed: trial as u64,
            output_padding: case.padding.clone(),
            steps: Some(case.steps),
            elements: 1 << 22,
            ..machine::Options::default()
        };
        let given = (&case.bindings, case.windows.as_slice());
        let watch = Watch { stmt: Some(stmt), element: None };
        let run = |claims| machine::run_watched(pool, program, claims, given, &options, &watch);
        let (mut result, mut trace) = run(Some(lowered));
        if let Err(Fault::ClaimWrong(claim)) = &result
            && claim.instance.1 > 0
        {
            // Updates that commute may pass through other values than the specification's.
            survived.compared = false;
            (result, trace) = run(None);
        }
        match result {
            Ok(_) if trace.executions > 0 => {
                survived.runs += 1;
                survived.executions += trace.executions;
            }
            Err(fault) if fault.stmt() == Some(stmt) => {
                survived.wrong = Some(fault.to_string());
                break;
            }
            Ok(_) | Err(_) => {}
        }
    }
    survived
}
