//! Random programs and the steps of random schedules for them.

use halidom_diag::{Colours, Sources, render};
use halidom_interp::algorithm::evaluate;
use halidom_interp::machine::{self, Fault};
use halidom_ir::{Algorithm, Array, Check, Constant, Pool, Program, Schedule, Stmt, StmtId, print};
use halidom_lang::Module;
use halidom_schedule::{Lowered, Phase, apply, steps, transform};
use halidom_testgen::{Case, cases, pipeline, schedule};

/// Returns the program of a seed and a schedule for it.
pub(crate) fn random(seed: u64) -> Module {
    let made = pipeline(seed);
    let text = made.text.clone() + &schedule(&made, "s", seed.wrapping_mul(7919));
    parse(&text)
}

pub(crate) fn parse(text: &str) -> Module {
    let mut sources = Sources::new();
    let file = sources.add("random", text);
    let module = halidom_lang::parse(&sources, file);
    let report: String = module
        .diagnostics
        .iter()
        .map(|diagnostic| render(&sources, diagnostic, Colours::Never))
        .collect();
    assert!(!module.has_errors(), "{report}\n{text}");
    module
}

/// A program with holes, after some directives of a schedule.
pub(crate) struct Step {
    /// The phase of the last directive; `None` for T₀.
    pub(crate) phase: Option<Phase>,
    pub(crate) pool: Pool,
    pub(crate) lowered: Lowered,
    /// The algorithm that the program computes: the pipeline's, or its rewriting by the schedule.
    pub(crate) algorithm: Algorithm,
    /// For messages.
    pub(crate) what: String,
}

/// Returns the legal steps of the first pipeline's first schedule.
pub(crate) fn legal_steps(module: &Module) -> Vec<Step> {
    let pipeline = &module.pipelines[0];
    let schedule = &pipeline.schedules[0].schedule;
    let none = (None, Schedule { name: schedule.name.clone(), directives: Vec::new() });
    let later = steps(schedule).into_iter().map(|step| (Some(step.phase), step.schedule));
    std::iter::once(none)
        .chain(later)
        .filter_map(|(phase, schedule)| {
            let mut pool = module.pool.clone();
            let transformed = transform(&mut pool, &pipeline.algorithm, &schedule).ok()?;
            let mut lowered = transformed.lower(&mut pool, &pipeline.algorithm);
            apply(&mut pool, &mut lowered, &transformed.schedule).ok()?;
            let algorithm = transformed.steps.last().unwrap_or(&pipeline.algorithm).clone();
            let names: Vec<_> =
                schedule.directives.iter().map(|directive| directive.action.name()).collect();
            let what =
                format!("after {names:?} in\n{}", print::algorithm(&pool, &pipeline.algorithm));
            Some(Step { phase, pool, lowered, algorithm, what })
        })
        .collect()
}

/// A case and the algorithm's values on it.
pub(crate) struct Known {
    pub(crate) case: Case,
    pub(crate) expected: Vec<Array>,
}

/// Returns cases of a module's first pipeline. By Lemma 4.6, each has its values after finitely
/// many steps.
pub(crate) fn known(module: &Module, seed: u64, count: usize) -> Vec<Known> {
    let algorithm = &module.pipelines[0].algorithm;
    cases(&module.pool, algorithm, seed, count)
        .into_iter()
        .map(|case| {
            let expected = evaluate(&module.pool, algorithm, &case.bindings, &case.windows);
            Known { case, expected: expected.expect("its values") }
        })
        .collect()
}

/// The outcome of a run that does not contradict a theorem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The outputs are the algorithm's.
    Same,
    /// An entry check failed, which may be stronger for a larger completion or an over-computing
    /// schedule.
    Refused,
    /// The program needs more memory than a test may use, because a large parameter is a split
    /// factor.
    TooLarge,
}

/// Checks FS Definition 3.3: the program computes the algorithm's values, or an entry check fails.
/// Stores at needed points are compared as well (Lemma 7.3), and a fault of any kind is a failure
/// (Theorem 3.4).
pub(crate) fn confluent(
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    known: &Known,
    what: &str,
) -> Ended {
    let Known { case, expected } = known;
    let options = machine::Options {
        output_padding: case.output_padding.clone(),
        ..machine::Options::default()
    };
    let (bindings, windows) = (&case.bindings, &case.windows);
    let mut run =
        machine::run_checking_claims(pool, program, algorithm, bindings, windows, &options);
    if matches!(&run, Err(Fault::ClaimWrong(wrong)) if !wrong.point.is_empty()) {
        // Instances of an update that commute may be reordered, so only their final values are
        // compared.
        run = machine::run(pool, program, bindings, windows, &options);
    }
    match run {
        Ok(outcome) => {
            for (got, expected) in outcome.outputs.iter().zip(expected) {
                for point in expected.points() {
                    let (want, have) = (expected.get(&point), got.get(&point));
                    // All NaNs are equal here.
                    assert!(
                        want == have || (is_nan(want) && is_nan(have)),
                        "{point:?}: {want:?}, {have:?} {what}\n{}",
                        print::program(pool, program)
                    );
                }
            }
            Ended::Same
        }
        Err(Fault::CheckFailed(failure))
            if matches!(
                failure.check,
                Check::InputRegion { .. } | Check::Bound { .. } | Check::OutputRegion { .. }
            ) || is_last_case(&failure.check) =>
        {
            Ended::Refused
        }
        Err(Fault::TooLarge { .. }) => Ended::TooLarge,
        Err(fault) => panic!("{fault} {what}\n{}", print::program(pool, program)),
    }
}

/// True if the check comes from `specialize_fail`: its message is the generator's.
fn is_last_case(check: &Check) -> bool {
    matches!(check, Check::Require { message, .. } if message == "no case is left")
}

fn is_nan(value: Option<Constant>) -> bool {
    value.is_some_and(|value| {
        value.as_f32().is_some_and(f32::is_nan) || value.as_f64().is_some_and(f64::is_nan)
    })
}

/// Replaces the outermost statements for which `change` returns a replacement.
pub(crate) fn rewrite(
    pool: &mut Pool,
    id: StmtId,
    change: &dyn Fn(&mut Pool, StmtId, &Stmt) -> Option<StmtId>,
) -> StmtId {
    let stmt = pool.get_stmt(id).clone();
    if let Some(changed) = change(pool, id, &stmt) {
        return changed;
    }
    let stmt = stmt.map_children(|child| rewrite(pool, child, change));
    pool.rebuilt(id, stmt)
}
