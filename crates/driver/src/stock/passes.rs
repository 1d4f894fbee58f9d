//! Search for the pass at fault: the first after which the statement no longer computes the
//! pipeline's values.

use std::ops::Range;

use halidom_halide::text::{self, SyntaxError};
use halidom_halide::translate;
use halidom_interp::algorithm::evaluate;
use halidom_interp::machine;
use halidom_validate::Counterexample;

use super::Stock;
use super::replay::{given, same};

/// The result of running the statement after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It gives the pipeline's values.
    Right,
    /// It gives other values, or faults.
    Wrong,
    /// It cannot be run, for this reason.
    NotRun(String),
}

/// A pass that changed the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The pass, as Halide names it.
    pub pass: String,
    /// The result of its statement.
    pub outcome: Outcome,
    /// The byte range of its statement in the dump.
    pub text: Range<usize>,
}

/// The lines in which two statements of a dump differ, without the common lines at their beginning
/// and end: first the old ones, then the new ones.
pub fn changes<'d>(dump: &'d str, [before, after]: [&Range<usize>; 2]) -> [Vec<&'d str>; 2] {
    let [old, new] = [before, after].map(|text| dump[text.clone()].lines().collect::<Vec<_>>());
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.iter().zip(&new));
    let rest = old.len().min(new.len()) - head;
    let tail = same(&mut old.iter().rev().zip(new.iter().rev()).take(rest));
    [&old, &new].map(|lines| lines[head..lines.len() - tail].to_vec())
}

/// The interpreter's step limit for one statement.
const STEPS: u64 = 20_000_000;

/// Runs the statement after every pass on the inputs of a counterexample. Skips passes that changed
/// nothing.
pub fn passes(
    stock: &Stock,
    dump: &str,
    counterexample: &Counterexample,
) -> Result<Vec<Step>, SyntaxError> {
    let mut names = stock.names.clone();
    let mut steps = Vec::new();
    let Some((bindings, windows)) = given(stock, counterexample) else { return Ok(steps) };
    let algorithm = &stock.subject.algorithm;
    let (pool, said) = stock.said();
    let Ok(expected) = evaluate(pool, said, &bindings, &windows) else {
        return Ok(steps);
    };
    for pass in text::dump(dump, &mut names)? {
        let Some(block) = pass.block else { continue };
        let mut source = stock.source.clone();
        let outcome = match translate::between_passes(&mut source, &stock.pipeline, &names, &block)
        {
            Err(unsupported) => Outcome::NotRun(unsupported.what),
            Ok(compiled) => {
                let options = machine::Options { steps: Some(STEPS), ..super::options() };
                let program = &compiled.program;
                match machine::run(&source.pool, program, &bindings, &windows, &options) {
                    Ok(outcome) => {
                        let pairs = expected.iter().zip(&outcome.outputs);
                        let right = pairs.into_iter().all(|(a, b)| same(a, b, algorithm.fast_math));
                        if right { Outcome::Right } else { Outcome::Wrong }
                    }
                    Err(fault @ (machine::Fault::OutOfSteps | machine::Fault::CheckFailed(_))) => {
                        Outcome::NotRun(fault.to_string())
                    }
                    Err(_) => Outcome::Wrong,
                }
            }
        };
        steps.push(Step { pass: pass.name, outcome, text: pass.at..pass.end });
    }
    Ok(steps)
}
