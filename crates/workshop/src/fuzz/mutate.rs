//! Mutants with a defect that a run shows; the validator must not prove them.

use halidom_interp::machine;
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Algorithm, Pool, Program};
use halidom_testgen::{Mutant, MutantKind, mutants};
use halidom_validate::validate_refined;

use super::disagreement::{Kind, Wrong};
use super::runs::{described, difference};
use super::subject::Known;

/// Makes mutants of a program and validates those that go wrong on a case. Returns their number, or
/// an error with a mutant that is proved.
pub(super) fn survivors(
    pool: &mut Pool,
    (algorithm, steps): (&Algorithm, &[Algorithm]),
    program: &Program,
    (count, seed): (usize, u64),
    known: &[Known],
    judge: &halidom_validate::Options,
) -> Result<u64, Wrong> {
    let mut tried = 0;
    // Only obligations matter here: a failing run must not hide that all of them are closed.
    let mut judge = judge.clone();
    judge.search.trials = 0;
    for Mutant { kind, program, description, .. } in
        mutants(pool, program, MutantKind::FINAL, seed, count)
    {
        if verify::program(pool, &program, Phase::Final).is_err() {
            continue;
        }
        let seen = known.iter().find_map(|known| {
            observe(pool, algorithm, &program, known, seed).map(|what| (known, what))
        });
        let Some((known, what)) = seen else { continue };
        tried += 1;
        let report = validate_refined(&mut pool.clone(), algorithm, steps, &program, &judge);
        if report.open().next().is_none() {
            let what = format!("{}: {description}; but: {what}", kind.name());
            let inputs = Some(described(pool, algorithm, &known.case));
            return Err(Wrong { kind: Kind::ProvedMutant, what, inputs });
        }
    }
    Ok(tried)
}

/// Describes how a run shows the program to be wrong.
pub(super) fn observe(
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    Known { case, expected }: &Known,
    seed: u64,
) -> Option<String> {
    let options = machine::Options {
        seed,
        output_padding: case.output_padding.clone(),
        steps: Some(2_000_000),
        elements: 1 << 22,
        ..machine::Options::default()
    };
    match machine::run(pool, program, &case.bindings, &case.windows, &options) {
        Ok(outcome) => difference(pool, algorithm, expected, &outcome.outputs),
        Err(fault) if fault.is_defect() => Some(fault.to_string()),
        // A program that cannot be run is not shown to be wrong.
        Err(_) => None,
    }
}
