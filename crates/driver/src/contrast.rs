//! The outputs of a refuted program and of its algorithm, on the inputs of a counterexample.

use halidom_interp::machine::{self, Options};
use halidom_interp::{Bindings, algorithm};
use halidom_ir::{Array, Shape};
use halidom_validate::Counterexample;

use crate::subject::Subject;

/// The greatest number of elements of an output that is evaluated.
const ELEMENTS: i64 = 1 << 14;
/// The greatest number of steps of either run.
const STEPS: u64 = 4_000_000;

/// An output of both runs, on its window.
#[derive(Clone, Debug)]
pub struct Contrast {
    /// The output's name.
    pub name: String,
    /// The algorithm's values.
    pub expected: Array,
    /// The program's values.
    pub got: Array,
}

/// Evaluates the algorithm and runs the program on the inputs of a counterexample. Returns whole
/// outputs if they show the counterexample's difference. Returns none otherwise, for example if the
/// run faults. The verdict does not depend on them: the counterexample was run before.
pub fn contrasts(subject: &Subject, counterexample: &Counterexample) -> Vec<Contrast> {
    let Some(wrong) = &counterexample.output else { return Vec::new() };
    let found = both(subject, counterexample).unwrap_or_default();
    let shows = found.iter().any(|contrast| {
        let value = |array: &Array| array.get(&counterexample.coords);
        contrast.name == *wrong && value(&contrast.expected) != value(&contrast.got)
    });
    if shows { found } else { Vec::new() }
}

fn both(subject: &Subject, counterexample: &Counterexample) -> Option<Vec<Contrast>> {
    let Subject { pool, algorithm, .. } = subject;
    let mut bindings = Bindings::new();
    for (param, (_, value)) in algorithm.params.iter().zip(&counterexample.parameters) {
        bindings.set_var(pool, *param, *value).ok()?;
    }
    for (input, (_, array)) in algorithm.inputs.iter().zip(&counterexample.inputs) {
        bindings.set_input(pool, *input, array.clone()).ok()?;
    }
    let windows: Vec<Shape> =
        counterexample.windows.iter().map(|(_, window)| window.clone()).collect();
    let elements = |window: &Shape| {
        window.iter().try_fold(1_i64, |product, (_, extent)| product.checked_mul(*extent))
    };
    if windows.iter().any(|window| elements(window).is_none_or(|count| count > ELEMENTS)) {
        return None;
    }
    let expected = algorithm::evaluate_within(pool, algorithm, &bindings, &windows, STEPS).ok()?;
    let options = Options { steps: Some(STEPS), elements: 1 << 22, ..Options::default() };
    let program = &subject.compiled.program;
    let got = machine::run(pool, program, &bindings, &windows, &options).ok()?.outputs;
    let components = algorithm.output_components(pool);
    let arrays = expected.into_iter().zip(got);
    let named = components.into_iter().zip(arrays).map(|((func, component), (expected, got))| {
        Contrast { name: pool.func(func).component_name(component), expected, got }
    });
    Some(named.collect())
}
