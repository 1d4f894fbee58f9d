//! How many runs a single store survives: evidence for people, never for a verdict.

use std::time::Instant;

use halidom_interp::machine::{self, Fault, Watch};
use halidom_ir::{Algorithm, Pool, Program, StmtId};

use super::{Aim, Hint, Random, Search, draw};

/// What runs that were aimed at a store showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survived {
    /// Runs that went to their end and executed the store.
    pub runs: usize,
    /// How often it was executed in them.
    pub executions: u64,
    /// Whether each value was compared with the specification's at the claimed instance.
    pub compared: bool,
    /// What went wrong at the store, in the first run in which something did.
    pub wrong: Option<String>,
}

/// Runs a program on cases that begin with the suggested sizes, and compares what a store writes with what the algorithm gives to the claimed instance.
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
