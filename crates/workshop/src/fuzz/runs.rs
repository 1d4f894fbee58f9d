//! Runs of the interpreter, compared with the algorithm's values.

use halidom_interp::machine::{self, Fault};
use halidom_ir::{Algorithm, Array, Constant, FuncId, Pool, Program, print};
use halidom_testgen::Case;

use super::disagreement::{Kind, Wrong};
use super::subject::Known;

/// The largest number of elements of an input that are printed.
const SHOWN_ELEMENTS: usize = 400;
/// The largest number of loop iterations and stores in a run.
const MOST_STEPS: u64 = 2_000_000;
/// The largest number of elements that are live at once.
const MOST_ELEMENTS: u64 = 1 << 22;

/// The end of a run without disagreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The run gives the algorithm's values.
    Same,
    /// The run gives the algorithm's values through other intermediate values: instances of an
    /// update ran in another order.
    Reordered,
    /// An entry check ended the run.
    Refused,
    /// The run was too long or too large to reach its end.
    TooLong,
}

/// Runs a program on a case. Checks that its outputs and the values that it stores where they are
/// needed are the algorithm's, and that nothing faults (FS Theorems 3.4 and 3.5, Lemma 7.3).
pub(super) fn interpreted(
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    known: &Known,
    seed: u64,
    kind: Kind,
) -> Result<Ended, Wrong> {
    let Known { case, expected } = known;
    let options = machine::Options {
        seed,
        output_padding: case.output_padding.clone(),
        steps: Some(MOST_STEPS),
        elements: MOST_ELEMENTS,
        ..machine::Options::default()
    };
    let wrong = |what| Wrong { kind, what, inputs: Some(described(pool, algorithm, case)) };
    let (bindings, windows) = (&case.bindings, &case.windows);
    let mut run =
        machine::run_checking_claims(pool, program, algorithm, bindings, windows, &options);
    let mut ended = Ended::Same;
    if matches!(&run, Err(Fault::ClaimWrong(wrong)) if !wrong.point.is_empty()) {
        // A schedule may reorder instances of an update that commute. Each then writes another
        // value than in the algorithm's order, but the final values are the same.
        run = machine::run(pool, program, bindings, windows, &options);
        ended = Ended::Reordered;
    }
    match run {
        Ok(outcome) => match difference(pool, algorithm, expected, &outcome.outputs) {
            Some(difference) => Err(wrong(difference)),
            None => Ok(ended),
        },
        Err(Fault::CheckFailed(_)) => Ok(Ended::Refused),
        Err(Fault::OutOfSteps | Fault::TooLarge { .. }) => Ok(Ended::TooLong),
        Err(fault) => Err(wrong(fault.to_string())),
    }
}

/// Describes the first location where outputs differ. All NaNs count as equal, as nothing promises
/// their bits.
pub(super) fn difference(
    pool: &Pool,
    algorithm: &Algorithm,
    expected: &[Array],
    got: &[Array],
) -> Option<String> {
    let components = algorithm.output_components(pool);
    for (((output, component), expected), got) in components.iter().zip(expected).zip(got) {
        if expected.shape != got.shape {
            return Some(format!("shape {:?}, not {:?}", got.shape, expected.shape));
        }
        for point in expected.points() {
            let (want, have) = (expected.get(&point), got.get(&point));
            let is_nan = |value: Option<Constant>| {
                value.is_some_and(|value| {
                    value.as_f32().is_some_and(f32::is_nan)
                        || value.as_f64().is_some_and(f64::is_nan)
                })
            };
            if want != have && !(is_nan(want) && is_nan(have)) {
                let name = pool.func(*output).component_name(*component);
                return Some(format!(
                    "{name}{point:?}: expected {}, got {}",
                    shown(want),
                    shown(have)
                ));
            }
        }
    }
    (expected.len() != got.len()).then(|| format!("{} outputs", got.len()))
}

fn shown(value: Option<Constant>) -> String {
    value.map_or_else(|| "nothing".to_owned(), print::constant)
}

/// Formats parameters, inputs and windows for people.
pub(super) fn described(pool: &Pool, algorithm: &Algorithm, case: &Case) -> String {
    let name = |func: &FuncId| pool.func(*func).name.as_str();
    let mut lines: Vec<String> = Vec::new();
    for param in &algorithm.params {
        lines.push(format!("{} = {}", pool.var(*param).name, shown(case.bindings.var(*param))));
    }
    for input in &algorithm.inputs {
        if let Some(array) = case.bindings.input(*input) {
            lines.push(array_line(name(input), array));
        }
    }
    for (output, window) in algorithm.outputs.iter().zip(&case.windows) {
        let padding = &case.output_padding;
        lines.push(format!("{} on {window:?} (min, extent), padding {padding:?}", name(output)));
    }
    lines.join("\n")
}

fn array_line(name: &str, array: &Array) -> String {
    let values: Vec<String> =
        array.points().take(SHOWN_ELEMENTS).map(|point| shown(array.get(&point))).collect();
    let more = if array.len() > SHOWN_ELEMENTS { ", …" } else { "" };
    let Array { shape, strides, .. } = array;
    format!("{name} {shape:?} (min, extent), strides {strides:?} = [{}{more}]", values.join(", "))
}

/// Formats the parameters, inputs and windows of a counterexample for people.
pub(crate) fn counterexample_inputs(counterexample: &halidom_validate::Counterexample) -> String {
    let mut lines: Vec<String> = counterexample
        .parameters
        .iter()
        .map(|(name, value)| format!("{name} = {}", print::constant(*value)))
        .collect();
    lines.extend(counterexample.inputs.iter().map(|(name, array)| array_line(name, array)));
    lines.extend(
        counterexample
            .windows
            .iter()
            .map(|(name, window)| format!("{name} on {window:?} (min, extent)")),
    );
    lines.join("\n")
}
