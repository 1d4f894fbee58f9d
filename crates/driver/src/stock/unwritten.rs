//! The search for a run of compiled code whose result depends on memory that nobody has written.
//!
//! Halide's bounds inference takes floats for real numbers, and LLVM rounds them: where a float
//! decides places, the code may read elements that it has not computed
//! ([`translate::PLACES_BY_FLOATS`]). Such a statement is not judged, as its text does not tell how
//! LLVM rounds. But two runs of its code do: if they have the same inputs, differ in the bytes that
//! allocated memory holds at first, and give different values, then the code reads an element that
//! nobody has written.

use std::time::{Duration, Instant};

use halidom_halide::Names;
use halidom_halide::bridge::{Built, Ending, Fresh};
use halidom_halide::dump::Dump;
use halidom_halide::translate;
use halidom_interp::Bindings;
use halidom_ir::{Array, Constant, Scalar, Shape};
use halidom_testgen::Random;
use halidom_validate::{Conventions, Counterexample, Owed};
use halidom_verdict::{Evidence, Ran, Verdict};

use super::diff::Run;
use super::replay::{STEPS, shown};
use super::sizes::{Case, Placing};
use super::statement::Code;
use super::{Purpose, Request, Stock, execute, read_after};
use crate::refusal::Refusal;
use crate::subject::Subject;

/// The result of the search.
#[derive(Clone, Debug)]
pub struct Unwritten {
    /// The number of inputs on which the code ran to its end.
    pub runs: usize,
    /// The inputs on which the result depends on memory that nobody has written.
    pub found: Option<Counterexample>,
}

impl Unwritten {
    /// The verdict that a found run gives.
    pub fn verdict(&self) -> Option<Verdict> {
        let found = self.found.as_ref()?;
        let (expected, got) = (found.expected.as_str(), found.got.as_str());
        Some(Verdict::refuted(Evidence::of(Ran::CompiledCode, expected, got)))
    }
}

/// The initial bytes of allocated memory in the two runs: zeros, and large numbers of every type.
/// No float is NaN or infinite, since code that is not strict may treat these as it likes.
const FILLS: [u8; 2] = [0, 0x7f];
/// The largest numerator and denominator of the floats that are tried: quotients of small integers
/// put products next to integers.
const MOST: i64 = 40;
/// The number of cases with the same parameters.
const PLACES: usize = 20;
/// The number of times that a difference must show.
const AGAIN: usize = 3;
/// The time limits of a run, and of the search.
const LIMIT: Duration = Duration::from_secs(2);
const SEARCH: Duration = Duration::from_secs(45);

/// Searches for inputs on which the code of a refused compile depends on memory that nobody has
/// written, until a time. Returns `None` if the compile is refused for a reason other than
/// [`translate::PLACES_BY_FLOATS`].
///
/// # Errors
/// Returns the reason if the code cannot be run.
pub fn unwritten(
    request: &Request,
    refusal: &Refusal,
    until: Option<Instant>,
) -> Option<Result<Unwritten, String>> {
    let mut said = refusal.diagnostics.iter();
    said.any(|diagnostic| diagnostic.message.contains(translate::PLACES_BY_FLOATS)).then(|| {
        let latest = Instant::now() + SEARCH;
        let stock = read_after(request, Names::new(), Purpose::Runs);
        let stock = stock.map_err(|refusal| refusal.to_string())?;
        searched(&stock, until.map_or(latest, |until| until.min(latest)))
    })
}

fn searched(stock: &Stock, until: Instant) -> Result<Unwritten, String> {
    let (Code::Own(Some(dump)) | Code::Live(dump) | Code::Given(dump)) = &stock.code else {
        return Err("its text alone is known, which cannot be compiled".to_owned());
    };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let code = (execute::built(stock, (dump, &stock.names), folder.path())?, dump);
    let mut random = Random::new(1);
    let mut runs = 0;
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let mut placing = Placing::of(pool, algorithm, &compiled.program);
    // Other windows are drawn in each round.
    for value in std::iter::repeat_with(quotients).flatten() {
        if Instant::now() >= until {
            break;
        }
        let Some(params) = parameters(stock, value, &mut random) else { continue };
        let cases = placing.cases(&params, (&mut random, PLACES));
        let left = both(stock, &code, &cases)?;
        runs += left.iter().flatten().count();
        let mut pairs = cases.iter().zip(&left);
        let found = pairs.find_map(|(case, left)| {
            let left = left.as_ref()?;
            let place = differing(left)?;
            let again = std::iter::repeat_n((), AGAIN).all(|()| {
                both(stock, &code, std::slice::from_ref(case))
                    .is_ok_and(|again| again.first() == Some(&Some(left.clone())))
            });
            if again { counterexample(stock, case, left, place) } else { None }
        });
        if found.is_some() {
            return Ok(Unwritten { runs, found });
        }
    }
    Ok(Unwritten { runs, found: None })
}

/// Quotients of small integers, the simplest first.
fn quotients() -> impl Iterator<Item = f64> {
    let sums = 2..=2 * MOST;
    sums.flat_map(|sum| (1..sum).map(move |over| (sum - over, over)))
        .filter(|(over, under)| *over <= MOST && *under <= MOST && is_reduced(*over, *under))
        .map(|(over, under)| over as f64 / under as f64)
}

/// Tests whether two positive integers have no common divisor.
fn is_reduced(a: i64, b: i64) -> bool {
    if b == 0 { a == 1 } else { is_reduced(b, a % b) }
}

/// Values of the parameters: the quotient for each float, and small integers. `None` if a parameter
/// is of another type than its own.
fn parameters(stock: &Stock, value: f64, random: &mut Random) -> Option<Bindings> {
    let (pool, algorithm) = (&stock.subject.pool, &stock.subject.algorithm);
    let mut bindings = Bindings::new();
    for param in &algorithm.params {
        let scalar = pool.var(*param).ty.scalar;
        let constant = match scalar {
            Scalar::F32 => Constant::f32(value as f32),
            Scalar::F64 => Constant::f64(value),
            Scalar::Bool
            | Scalar::Int
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => Constant::wrapped(scalar, i128::from(random.between(0, 8)))
                .unwrap_or_else(|| random.constant(scalar)),
        };
        bindings.set_var(pool, *param, constant).ok()?;
    }
    Some(bindings)
}

/// The outputs of two runs that differ in the initial bytes of allocated memory.
type Left = [Vec<Array>; 2];

/// Runs the code twice on each case. A case is `None` if a run does not reach its end.
fn both(
    stock: &Stock,
    (built, dump): &(Built, &Dump),
    cases: &[Case],
) -> Result<Vec<Option<Left>>, String> {
    let of = (*dump, &stock.names);
    let mut given = Vec::new();
    for case in cases {
        for fill in FILLS {
            let inputs = (&case.bindings, case.windows.as_slice());
            // Code that reads beyond its memory goes on, as it does in most heaps.
            let fresh = Fresh { fill, is_surrounded: true };
            given.push(execute::case_of(stock, of, inputs, fresh)?);
        }
    }
    let endings = built.run(&given, LIMIT).map_err(|error| error.to_string())?;
    let mut left = Vec::new();
    for ((ending, case), given) in endings.iter().zip(twice(cases)).zip(&given) {
        left.push(match ending {
            Ending::Done(memories) => {
                Some(execute::outputs(stock, (dump, given, memories), &case.windows)?)
            }
            Ending::Failed(_) | Ending::Crashed(_) | Ending::Seen(_) | Ending::Late => None,
        });
    }
    let mut left = left.into_iter();
    let pairs = std::iter::from_fn(|| Some((left.next()?, left.next()?)));
    Ok(pairs.map(|(first, second)| Some([first?, second?])).collect())
}

fn twice(cases: &[Case]) -> impl Iterator<Item = &Case> {
    cases.iter().flat_map(|case| [case, case])
}

/// The component and the point of the first value in which the runs differ.
fn differing([first, second]: &Left) -> Option<(usize, Vec<i64>)> {
    let components = first.iter().zip(second).enumerate();
    components.into_iter().find_map(|(number, (first, second))| {
        let mut points = first.points();
        let point = points.find(|point| {
            first.get(point).map(Constant::to_bits) != second.get(point).map(Constant::to_bits)
        });
        point.map(|point| (number, point))
    })
}

/// The run as a counterexample; `None` if the pipeline requires no value there.
fn counterexample(
    stock: &Stock,
    case: &Case,
    left: &Left,
    (component, coords): (usize, Vec<i64>),
) -> Option<Counterexample> {
    let (pool, said) = stock.said();
    let given: (&Bindings, &[Shape]) = (&case.bindings, &case.windows);
    let Owed::Values { outputs, .. } = Conventions::Halide.owed(pool, said, given, STEPS) else {
        return None;
    };
    let expected = shown(outputs.get(component)?.get(&coords)?);
    let [first, second] = left.each_ref().map(|left| left.get(component)?.get(&coords));
    let got = format!(
        "{} or {}: it depends on what fresh memory holds (zeros, or bytes of 127)",
        shown(first?),
        shown(second?)
    );
    let Run { parameters, inputs, windows } = Run::of(stock, &case.bindings, &case.windows)?;
    let (func, part) = said.output_components(pool)[component];
    Some(Counterexample {
        parameters,
        inputs,
        windows,
        output: Some(pool.func(func).component_name(part)),
        coords,
        expected,
        got,
        site: None,
        ran: Ran::CompiledCode,
    })
}
