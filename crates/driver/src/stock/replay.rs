//! Replays of the compiled code on the inputs of a refutation.

use std::borrow::Cow;
use std::path::Path;

use halidom_halide::Condition;
use halidom_halide::bridge::{self, Artifacts, BridgeError, Job};
use halidom_halide::dump::{self as lossless, Dump, numbered};
use halidom_halide::text::{self, same_but_bound_names};
use halidom_halide::translate::NOWHERE;
use halidom_interp::Bindings;
use halidom_ir::{Array, Constant, Real, Shape};
use halidom_testgen::cases_of;
use halidom_validate::{Conventions, Counterexample, Owed, Report, Verdict, near_integers};
use halidom_verdict::{Cause, Reason};
use serde_json::{Map, Value, json};

use super::Stock;
use super::execute::{self, Ended};
use super::sizes::{self, Wanted};
use super::statement::Code;
use crate::files::{self, Channels, FileError};
use crate::subject::Subject;

/// The result of the compiled code on the inputs of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// It gives a value that differs from the pipeline's.
    Wrong {
        /// The output.
        output: String,
        /// The point.
        coords: Vec<i64>,
        /// The pipeline's value.
        expected: String,
        /// The compiled code's value.
        got: String,
    },
    /// It gives the pipeline's values, but accesses memory outside its buffers. The text is a
    /// summary of the fault.
    Faults(String),
    /// It gives the pipeline's values.
    Right,
    /// A signal ends it, with this description.
    Killed(String),
    /// It cannot be run, or stops before its end.
    Failed(String),
}

/// The reason why a text that differs from Halide's output is not run: a text cannot be compiled,
/// whereas a dump can.
const OTHER_CODE: &str = "the statement is not the one that Halide compiles from the pipeline";

/// The relative tolerance for floats that Halide regrouped.
const TOLERANCE: f64 = 1e-3;

/// Runs the code that the installed Halide compiles on the inputs of a refutation. The refutation
/// stands only if that code runs to its end and gives another value than the pipeline, or accesses
/// memory outside its buffers. Otherwise the verdict becomes unknown: the pipeline may require
/// nothing on these inputs, or the code may give the right values, stop, or not be run. If a folder
/// is given, the files of the run stay there.
pub fn bear_out(
    stock: &Stock,
    report: &mut Report,
    folder: Option<&Path>,
) -> Result<Option<Replay>, FileError> {
    let Verdict::Refuted(counterexample) = &report.verdict else { return Ok(None) };
    if let Owed::Nothing(reason) = owed(stock, counterexample) {
        let reason = format!("a run of the statement differs where {reason}");
        report.verdict = Verdict::Unknown(Reason::new(Cause::Unconfirmed, reason));
        return Ok(None);
    }
    let replay = match folder {
        Some(folder) => {
            let write = |source| FileError::Write { path: folder.to_owned(), source };
            std::fs::create_dir_all(folder).map_err(write)?;
            replay_in(stock, counterexample, folder)
        }
        None => replay(stock, counterexample),
    };
    // A fault may leave the outputs intact, and a signal that ends a run does not show its cause.
    let replay = match replay {
        Replay::Right if counterexample.output.is_none() => watched(stock, counterexample),
        Replay::Killed(words) => match watched(stock, counterexample) {
            Replay::Faults(seen) => Replay::Faults(seen),
            Replay::Right | Replay::Wrong { .. } | Replay::Killed(_) | Replay::Failed(_) => {
                Replay::Killed(words)
            }
        },
        other @ (Replay::Wrong { .. } | Replay::Faults(_) | Replay::Right | Replay::Failed(_)) => {
            other
        }
    };
    // A fault has no output.
    let differs = match counterexample.output {
        Some(_) => "a run of the statement differs".to_owned(),
        None if is_failed_check(&counterexample.got) => {
            "a check of the statement fails after its work has begun".to_owned()
        }
        None => format!("a run of the statement faults ({})", counterexample.got),
    };
    let reason = match &replay {
        Replay::Wrong { .. } | Replay::Faults(_) => None,
        Replay::Right => {
            Some(format!("{differs}, and the compiled code gives what the pipeline says"))
        }
        Replay::Killed(words) | Replay::Failed(words) => {
            Some(format!("{differs}, and the compiled code does not run to its end: {words}"))
        }
    };
    if let Some(reason) = reason {
        report.verdict = Verdict::Unknown(Reason::new(Cause::Unconfirmed, reason));
    }
    Ok(Some(replay))
}

/// Tests whether a fault is that of an assertion after work, which reads an element that no buffer
/// has where it fails.
fn is_failed_check(fault: &str) -> bool {
    fault.contains(&format!("at {:?} ", [NOWHERE]))
}

/// The interpreter's step limit for the pipeline's values on the inputs of a counterexample.
pub(super) const STEPS: u64 = 100_000_000;

/// Determines what the compiled code owes on the inputs of a counterexample. The judged algorithm
/// may have a value where the pipeline itself has none.
fn owed(stock: &Stock, counterexample: &Counterexample) -> Owed {
    match given(stock, counterexample) {
        Some((bindings, windows)) => owed_on(stock, &bindings, &windows),
        None => Owed::Nothing("the pipeline takes inputs of other types"),
    }
}

/// The reason of [`Owed::Nothing`] where a value may show the sign of a zero.
pub(super) const SIGN_OF_ZERO: &str = "a value may depend on the sign of a zero that the pipeline \
    writes, which Halide's pipeline file does not keep";

/// The reason of [`Owed::Nothing`] where a promise does not hold.
const BROKEN: &str = "the pipeline has no value: a promise (`unsafe_promise_clamped`) is broken";

/// Determines what the compiled code owes on these inputs: nothing where a value may show the sign
/// of a zero that Halide's pipeline file does not keep. A quotient by such a zero is infinite or no
/// number, and an arc tangent of two operands depends on the sign too. A zero in an output may have
/// either sign: see [`are_zeros`].
pub(super) fn owed_on(stock: &Stock, bindings: &Bindings, windows: &[Shape]) -> Owed {
    let (pool, said) = stock.said();
    let owed = Conventions::Halide.owed(pool, said, (bindings, windows), STEPS);
    let Owed::Values { special, .. } = &owed else { return owed };
    if let Some(promised) = &stock.promised {
        let given = (bindings, windows);
        let owed = Conventions::Halide.owed(&promised.pool, &promised.algorithm, given, STEPS);
        if !matches!(owed, Owed::Values { .. }) {
            return Owed::Nothing(BROKEN);
        }
    }
    let has_atan2 = || pool.functions().any(|function| function.real == Some(Real::Atan2));
    if forgets_signs(stock) && (*special || has_atan2()) {
        return Owed::Nothing(SIGN_OF_ZERO);
    }
    owed
}

/// True if the pipeline writes zeros whose signs its file does not keep.
fn forgets_signs(stock: &Stock) -> bool {
    stock.subject.compiled.contract.conditions().contains(&Condition::LiteralZeros)
}

/// Tests whether two values are zeros and the pipeline's file does not keep their signs.
fn are_zeros(stock: &Stock, values: [Option<Constant>; 2]) -> bool {
    let is_zero = |value: Option<Constant>| {
        value.is_some_and(|value| {
            value.as_f32().map(f64::from).or(value.as_f64()).is_some_and(|value| value == 0.0)
        })
    };
    values.into_iter().all(is_zero) && forgets_signs(stock)
}

/// Runs the statement under AddressSanitizer. For use where its code gives the right values or is
/// ended by a signal.
fn watched(stock: &Stock, counterexample: &Counterexample) -> Replay {
    let Some(dump) = stock.known_dump() else { return Replay::Right };
    let Some((bindings, windows)) = given(stock, counterexample) else { return Replay::Right };
    match execute::watched(stock, (dump, &stock.names), (&bindings, &windows)) {
        Ok(Some(seen)) => Replay::Faults(seen),
        Ok(None) => Replay::Right,
        Err(words) => Replay::Failed(words),
    }
}

/// Runs the code that the installed Halide compiles from the pipeline on the inputs of a
/// counterexample.
pub fn replay(stock: &Stock, counterexample: &Counterexample) -> Replay {
    match tempfile::tempdir() {
        Ok(folder) => replay_in(stock, counterexample, folder.path()),
        Err(error) => Replay::Failed(error.to_string()),
    }
}

/// Like [`replay`], with the files in this folder: `input.NAME.npy`, the pipeline's values in
/// `expected.N.npy`, and the compiled code's values in `output.N.npy`.
fn replay_in(stock: &Stock, counterexample: &Counterexample, folder: &Path) -> Replay {
    match run(stock, counterexample, folder) {
        Ok(replay) => replay,
        Err(words) => Replay::Failed(words),
    }
}

fn run(stock: &Stock, counterexample: &Counterexample, folder: &Path) -> Result<Replay, String> {
    let (bindings, windows) = given(stock, counterexample).ok_or("inputs of other types")?;
    let expected = write_case(stock, &bindings, &windows, folder)?;
    match &stock.code {
        Code::Own(_) => stock.job.run(folder).map_err(|error| error.to_string())?,
        Code::Live(dump) if is_of_file(stock, dump) => {
            stock.job.run(folder).map_err(|error| error.to_string())?;
        }
        Code::Live(dump) | Code::Given(dump) => {
            let given = (&bindings, windows.as_slice());
            match execute::execute(stock, (dump, &stock.names), given, folder)? {
                Ended::Done => {}
                Ended::Killed(words) => return Ok(Replay::Killed(words)),
            }
        }
        Code::Text(text) => {
            compile_of(stock, text, Job::compile)?;
            stock.job.run(folder).map_err(|error| error.to_string())?;
        }
    }
    compare(stock, &windows, &expected, folder)
}

/// Compiles the pipeline of a statement that is a text.
///
/// # Errors
///
/// Returns a reason if Halide does not compile the pipeline, or compiles another statement.
fn compile_of(
    stock: &Stock,
    text: &str,
    compile: fn(&Job, &Path) -> Result<Artifacts, BridgeError>,
) -> Result<Artifacts, String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let own = compile(&stock.job, place.path()).map_err(|error| error.to_string())?;
    if same_but_bound_names(&own.statement, text) { Ok(own) } else { Err(OTHER_CODE.to_owned()) }
}

/// Tests whether Halide compiles this statement from the pipeline file.
fn is_of_file(stock: &Stock, dump: &Dump) -> bool {
    let own = tempfile::tempdir().ok().and_then(|place| stock.job.compile(place.path()).ok());
    let own = own.and_then(|own| own.dump);
    own.is_some_and(|own| numbered(&own) == numbered(&lossless::print(dump, &stock.names)))
}

/// The dump of the passes that made the statement: the known one, or that of a compile which prints
/// the same text. For a statement that the user gave, it is that of the script or the generator.
pub fn dump(stock: &Stock) -> Option<Cow<'_, str>> {
    let again = |text: &str| {
        let own = compile_of(stock, text, Job::compile_with_passes).ok()?;
        Some(Cow::Owned(own.passes))
    };
    match (&stock.dump, &stock.code) {
        (Some(dump), _) => Some(Cow::Borrowed(dump)),
        (None, Code::Text(text)) => again(text),
        (None, Code::Own(_) | Code::Live(_)) => again(&text::print(&stock.block, &stock.names)),
        (None, Code::Given(_)) if matches!(stock.job.origin, bridge::Origin::File(_)) => None,
        (None, Code::Given(_)) => {
            let place = tempfile::tempdir().ok()?;
            let own = stock.job.compile_with_passes(place.path()).ok()?;
            Some(Cow::Owned(own.passes))
        }
    }
}

/// The values that the compiled code must give.
pub struct Expected {
    outputs: Vec<Array>,
    /// True if an operator on floats rounded.
    rounded: bool,
}

/// Writes a case for the compiled code and returns the values that it must give.
///
/// # Errors
///
/// Returns a reason if the compiled code owes no values on this case, so that there is nothing to
/// run.
pub fn write_case(
    stock: &Stock,
    bindings: &Bindings,
    windows: &[Shape],
    folder: &Path,
) -> Result<Expected, String> {
    let (outputs, rounded) = match owed_on(stock, bindings, windows) {
        Owed::Values { outputs, rounded, special: _ } => (outputs, rounded),
        Owed::NoFault => return Err("the pipeline has no value".to_owned()),
        Owed::Nothing(reason) => return Err(reason.to_owned()),
    };
    for (number, array) in outputs.iter().enumerate() {
        files::write(&folder.join(format!("expected.{number}.npy")), array)
            .map_err(|error| error.to_string())?;
    }
    write_given(stock, bindings, windows, folder)?;
    Ok(Expected { outputs, rounded })
}

/// Writes the parameters, inputs and windows of a case for the compiled code.
pub fn write_given(
    stock: &Stock,
    bindings: &Bindings,
    windows: &[Shape],
    folder: &Path,
) -> Result<(), String> {
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let write = |name: String, array: &Array| {
        files::write(&folder.join(name), array).map_err(|error| error.to_string())
    };
    let mut parameters = Map::new();
    for param in &algorithm.params {
        let value = bindings.var(*param).ok_or("a parameter has no value")?;
        parameters.insert(pool.var(*param).name.clone(), number(value));
    }
    let mut inputs = Map::new();
    for input in &algorithm.inputs {
        let name = &pool.func(*input).name;
        let array = bindings.input(*input).ok_or("an input has no value")?;
        write(format!("input.{name}.npy"), array)?;
        inputs.insert(name.clone(), placed(array));
    }
    let mut places = Vec::new();
    for (output, window) in compiled.program.outputs.iter().zip(windows) {
        for buffer in &output.buffers {
            let before = execute::before(stock, bindings, *buffer, window);
            let before = before.or_else(|| execute::blank(stock, *buffer, window));
            let before = before.ok_or("an output is too large")?;
            write(format!("output.{}.npy", places.len()), &before)?;
            places.push(placed(&before));
        }
    }
    let case = json!({ "parameters": parameters, "inputs": inputs, "outputs": places });
    files::write_bytes(&folder.join("case.json"), case.to_string().as_bytes())
        .map_err(|error| error.to_string())
}

/// Compares the compiled code's outputs with the pipeline's values.
pub fn compare(
    stock: &Stock,
    windows: &[Shape],
    expected: &Expected,
    folder: &Path,
) -> Result<Replay, String> {
    let regrouped = stock.source.may_regroup();
    let near = |a: Option<Constant>, b: Option<Constant>| {
        regrouped && expected.rounded && a.zip(b).is_some_and(|(a, b)| near_integers(a, b))
    };
    let left = left(stock, windows, folder)?;
    for (number, (have, want)) in left.iter().zip(&expected.outputs).enumerate() {
        let wrong = want.points().find(|point| {
            let (want, have) = (want.get(point), have.get(point));
            !agree(want, have, regrouped) && !near(want, have) && !are_zeros(stock, [want, have])
        });
        if let Some(coords) = wrong {
            let values = [want.get(&coords), have.get(&coords)];
            return Ok(differing(stock, number, coords, values));
        }
    }
    Ok(Replay::Right)
}

/// The arrays that the compiled code wrote, one for each component of the outputs.
pub fn left(stock: &Stock, windows: &[Shape], folder: &Path) -> Result<Vec<Array>, String> {
    let Subject { pool, compiled, .. } = &stock.subject;
    let buffers = compiled.program.outputs.iter().zip(windows);
    let buffers = buffers
        .flat_map(|(output, window)| output.buffers.iter().map(move |buffer| (*buffer, window)));
    let mut arrays = Vec::new();
    for (number, (buffer, window)) in buffers.enumerate() {
        let path = folder.join(format!("output.{number}.npy"));
        let scalar = pool.buffer(buffer).scalar;
        let have = files::read(&path, Channels::All, scalar, window.len());
        let have = have.map_err(|error| error.to_string())?;
        // Files do not record minimum coordinates.
        arrays.push(Array { shape: window.clone(), ..have });
    }
    Ok(arrays)
}

/// Reports that a component has a value that differs from the required one.
fn differing(
    stock: &Stock,
    component: usize,
    coords: Vec<i64>,
    [want, have]: [Option<Constant>; 2],
) -> Replay {
    let Subject { pool, algorithm, .. } = &stock.subject;
    let (func, part) = algorithm.output_components(pool)[component];
    let show = |value: Option<Constant>| value.map_or(String::new(), shown);
    let (expected, got) = (show(want), show(have));
    Replay::Wrong { output: pool.func(func).component_name(part), coords, expected, got }
}

/// The result of runs of the compiled code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// Runs that reached their end.
    pub runs: usize,
    /// Runs that an entry check refused.
    pub refused: usize,
    /// The smallest windows that were run, if the entry checks accepted any.
    pub least: Option<Vec<Shape>>,
    /// The first run that differs from the pipeline.
    pub wrong: Option<Replay>,
}

/// Runs the compiled code on cases at the borders of its entry checks and on random cases, `count`
/// of each. Small and empty windows are among them.
///
/// # Errors
///
/// Returns the reason if the code cannot be run.
pub fn confirm(stock: &Stock, seed: u64, count: usize) -> Result<Confirmed, String> {
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut cases = Vec::new();
    let folder = |number: usize| {
        let folder = place.path().join(format!("case_{number}"));
        std::fs::create_dir(&folder).map_err(|error| error.to_string()).map(|()| folder)
    };
    let mut confirmed = Confirmed { runs: 0, refused: 0, least: None, wrong: None };
    let program = &compiled.program;
    for case in sizes::cases(pool, (algorithm, program), (seed, count), sizes::MOST_ELEMENTS) {
        let Some(wanted) = sizes::wanted(stock.said(), &case) else { continue };
        let folder = folder(cases.len())?;
        write_given(stock, &case.bindings, &case.windows, &folder)?;
        confirmed.least.get_or_insert_with(|| case.windows.clone());
        cases.push((folder, case.windows, wanted));
    }
    for case in cases_of(pool, algorithm, &compiled.program, POINTS, (seed, count)) {
        let given = sizes::Case { bindings: case.bindings, windows: case.windows };
        let Some(wanted) = sizes::wanted(stock.said(), &given) else { continue };
        let folder = folder(cases.len())?;
        write_given(stock, &given.bindings, &given.windows, &folder)?;
        cases.push((folder, given.windows, wanted));
    }
    if cases.is_empty() {
        return Ok(confirmed);
    }
    stock.job.run(place.path()).map_err(|error| error.to_string())?;
    for (folder, windows, wanted) in cases {
        if !folder.join("done.txt").is_file() {
            confirmed.refused += 1;
            continue;
        }
        confirmed.runs += 1;
        let left = left(stock, &windows, &folder)?;
        if let Some(replay) = first_wrong(stock, &wanted, &left) {
            confirmed.wrong = confirmed.wrong.or(Some(replay));
        }
    }
    Ok(confirmed)
}

/// The first point at which the compiled code wrote another value than the pipeline's.
pub(super) fn first_wrong(stock: &Stock, wanted: &[Wanted], left: &[Array]) -> Option<Replay> {
    // Constants that the compiler computed are known to six digits only.
    let regrouped = stock.source.may_regroup() || stock.has_digits();
    let wrong = wanted.iter().find(|wanted| {
        let have = left.get(wanted.component).and_then(|have| have.get(&wanted.coords));
        let want = Some(wanted.value);
        !agree(want, have, regrouped) && !are_zeros(stock, [want, have])
    });
    wrong.map(|Wanted { component, coords, value }| {
        let got = left.get(*component).and_then(|have| have.get(coords));
        differing(stock, *component, coords.clone(), [Some(*value), got])
    })
}

/// The largest number of points in a window of a random case.
pub(super) const POINTS: i64 = 500;

/// The parameters, inputs and windows of a counterexample.
pub(super) fn given(
    stock: &Stock,
    counterexample: &Counterexample,
) -> Option<(Bindings, Vec<Shape>)> {
    let Subject { pool, algorithm, .. } = &stock.subject;
    let mut bindings = Bindings::new();
    for (param, (_, value)) in algorithm.params.iter().zip(&counterexample.parameters) {
        bindings.set_var(pool, *param, *value).ok()?;
    }
    for (input, (_, array)) in algorithm.inputs.iter().zip(&counterexample.inputs) {
        bindings.set_input(pool, *input, array.clone()).ok()?;
    }
    let windows = counterexample.windows.iter().map(|(_, window)| window.clone());
    Some((bindings, windows.collect()))
}

/// Tests whether arrays agree at every point.
pub(super) fn same(a: &Array, b: &Array, regrouped: bool) -> bool {
    a.points().all(|point| agree(a.get(&point), b.get(&point), regrouped))
}

/// Tests whether values are equal; floats that may have been regrouped need only be close.
pub fn agree(a: Option<Constant>, b: Option<Constant>, regrouped: bool) -> bool {
    let float = |value: Option<Constant>| {
        let value = value?;
        value.as_f64().or(value.as_f32().map(f64::from))
    };
    match (float(a), float(b)) {
        (Some(x), Some(y)) if x.is_nan() && y.is_nan() => true,
        (Some(x), Some(y)) if regrouped && x.is_finite() => {
            (x - y).abs() <= TOLERANCE * (1.0 + x.abs())
        }
        _ => a == b,
    }
}

/// The text of a value.
pub fn shown(value: Constant) -> String {
    match (value.as_integer(), value.as_f32(), value.as_f64()) {
        (Some(value), ..) => value.to_string(),
        (_, Some(value), _) => format!("{value:?}"),
        (_, _, Some(value)) => format!("{value:?}"),
        _ => String::new(),
    }
}

fn number(value: Constant) -> Value {
    match (value.as_bool(), value.as_integer(), value.as_f32(), value.as_f64()) {
        (Some(value), ..) => json!(value),
        (_, Some(value), ..) => json!(value as i64),
        (_, _, Some(value), _) => json!(value),
        (_, _, _, value) => json!(value),
    }
}

/// The place of an array's elements in memory.
fn placed(array: &Array) -> Value {
    let mins: Vec<i64> = array.shape.iter().map(|(min, _)| *min).collect();
    json!({ "mins": mins, "strides": array.strides })
}
