//! The compiled code, run on the inputs of a refutation.

use halidom_halide::bridge::Bridge;
use halidom_interp::Bindings;
use halidom_interp::algorithm::evaluate;
use halidom_ir::{Array, Constant, Shape};
use halidom_validate::Counterexample;
use serde_json::{Map, Value, json};

use super::Stock;
use crate::files::{self, Channels};
use crate::subject::Subject;

/// What the compiled code does on the inputs of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// It gives another value than the pipeline says.
    Wrong {
        /// The output.
        output: String,
        /// The point.
        coords: Vec<i64>,
        /// What the pipeline says.
        expected: String,
        /// What the compiled code gives.
        got: String,
    },
    /// It gives what the pipeline says.
    Right,
    /// It is not run, or stops.
    Failed(String),
}

/// How far apart floats may be that Halide regrouped, relative to their size.
const TOLERANCE: f64 = 1e-3;

/// Runs the code that the installed Halide compiles from the pipeline on the inputs of a counterexample.
pub fn replay(stock: &Stock, counterexample: &Counterexample) -> Replay {
    match run(stock, counterexample) {
        Ok(replay) => replay,
        Err(words) => Replay::Failed(words),
    }
}

fn run(stock: &Stock, counterexample: &Counterexample) -> Result<Replay, String> {
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let folder = tempfile::tempdir().map_err(|error| words(&error))?;
    let write = |name: String, array: &Array| {
        files::write(&folder.path().join(name), array).map_err(|error| words(&error))
    };
    let (bindings, windows) = given(stock, counterexample).ok_or("inputs of other types")?;
    let mut parameters = Map::new();
    for (name, value) in &counterexample.parameters {
        parameters.insert(name.clone(), number(*value));
    }
    let mut inputs = Map::new();
    for (name, array) in &counterexample.inputs {
        write(format!("input.{name}.npy"), array)?;
        inputs.insert(name.clone(), mins(&array.shape));
    }
    let mut outputs = Vec::new();
    for (output, window) in compiled.program.outputs.iter().zip(&windows) {
        for buffer in &output.buffers {
            let zeros = Array::zeros(pool.buffer(*buffer).scalar, window.clone());
            let zeros = zeros.ok_or("an output is too large")?;
            write(format!("output.{}.npy", outputs.len()), &zeros)?;
            outputs.push((zeros, mins(window)));
        }
    }
    let places: Vec<&Value> = outputs.iter().map(|(_, mins)| mins).collect();
    let case = json!({ "parameters": parameters, "inputs": inputs, "outputs": places });
    files::write_bytes(&folder.path().join("case.json"), case.to_string().as_bytes())
        .map_err(|error| words(&error))?;
    let bridge = Bridge::find().map_err(|error| words(&error))?;
    bridge.run(&stock.bytes, folder.path()).map_err(|error| words(&error))?;
    let expected = evaluate(pool, algorithm, &bindings, &windows).map_err(|error| words(&error))?;
    let components = algorithm.output_components(pool);
    for (number, ((zeros, _), want)) in outputs.iter().zip(&expected).enumerate() {
        let path = folder.path().join(format!("output.{number}.npy"));
        let rank = zeros.shape.len();
        let have =
            files::read(&path, Channels::All, zeros.scalar, rank).map_err(|error| words(&error))?;
        // Files have no mins.
        let have = Array { shape: zeros.shape.clone(), ..have };
        let wrong = want
            .points()
            .find(|point| !agree(want.get(point), have.get(point), algorithm.fast_math));
        if let Some(coords) = wrong {
            let show = |array: &Array| array.get(&coords).map_or(String::new(), shown);
            let (expected, got) = (show(want), show(&have));
            let (func, component) = components[number];
            let output = pool.func(func).component_name(component);
            return Ok(Replay::Wrong { output, coords, expected, got });
        }
    }
    Ok(Replay::Right)
}

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

/// Whether arrays agree at every point.
pub(super) fn same(a: &Array, b: &Array, regrouped: bool) -> bool {
    a.points().all(|point| agree(a.get(&point), b.get(&point), regrouped))
}

/// Whether values are equal, or floats that may have been regrouped near to each other.
fn agree(a: Option<Constant>, b: Option<Constant>, regrouped: bool) -> bool {
    let float = |value: Option<Constant>| {
        let value = value?;
        value.as_f64().or(value.as_f32().map(f64::from))
    };
    match (float(a), float(b)) {
        (Some(x), Some(y)) if regrouped => (x - y).abs() <= TOLERANCE * (1.0 + x.abs()),
        _ => a == b,
    }
}

fn shown(value: Constant) -> String {
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

fn mins(shape: &Shape) -> Value {
    shape.iter().map(|(min, _)| *min).collect()
}
