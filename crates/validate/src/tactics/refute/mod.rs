//! The search for a run on which program and algorithm differ.
//!
//! # Correctness
//! A counterexample is certain: the interpreter ran both sides, the entry checks held, and the
//! program faulted or gave another value than the algorithm. A search without result proves
//! nothing. The search also shows that assumptions can hold: it counts the runs that went through
//! on a window that is not empty.
//!
//! If floats need not be equal bit for bit, an output that depends on operators on floats is
//! compared only after runs in which no operator rounded. Such runs are runs over the reals, so two
//! different numbers there show that the outputs are different functions of the inputs over the
//! reals, and no axioms make them equal. Zeros of either sign are one number. NaN and infinities
//! show nothing. Integers that depend on rounded floats differ only if rounding cannot explain
//! their distance ([`near_integers`]).
//!
//! [`Conventions::owed`] decides what a program owes on given inputs.

mod admitted;
mod case;
mod draw;
mod fixed;
mod owed;
mod regions;
mod site;
mod strict;
mod survive;

use std::time::{Duration, Instant};

use halidom_base::IndexSet;
use halidom_interp::machine::{self, Fault};
use halidom_ir::{Algorithm, Array, Constant, Expr, ExprId, FuncId, Pool, Program, VarId};
use halidom_verdict::Ran;

pub(crate) use admitted::{of_given, of_run, suggested};
use case::Case;
pub use case::Given;
use draw::{Aim, HINTED, Random, draw};
pub use owed::{Conventions, Owed, TOO_LONG, near_integers};
use site::show;
pub(crate) use strict::{questions, too_strict};
pub use survive::{Survived, survive};

use crate::floats::Floats;
use crate::floats::deciding::Flow;
use crate::report::Counterexample;

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The most cases that are tried.
    pub trials: usize,
    /// The most runs that pass the entry checks.
    pub runs: usize,
    /// The time after which no run begins.
    pub time: Duration,
    /// The most steps of an interpreter in one run. A parameter from a solver's model can make a
    /// loop arbitrarily long.
    pub steps: u64,
}

impl Default for Search {
    /// Two hundred runs or five seconds.
    fn default() -> Self {
        let time = Duration::from_secs(5);
        Self { trials: 200, runs: usize::MAX, time, steps: 4_000_000 }
    }
}

/// The result of a search.
pub(crate) struct Found {
    pub(crate) counterexample: Option<Counterexample>,
    /// The first run that passed the entry checks, on windows that are not empty.
    pub(crate) run: Option<Case>,
    /// The number of such runs.
    pub(crate) passed: usize,
    /// The number of cases with such windows in which the algorithm has a value and an entry check
    /// of the program failed.
    pub(crate) refused: usize,
}

/// Values for shape and window variables that the solver suggested.
pub(crate) type Hint = Vec<(VarId, i64)>;

/// Sizes to begin with: the given ones, then the solver's suggestions.
#[derive(Clone, Copy)]
pub(crate) struct Sizes<'a> {
    pub(crate) given: &'a [Given],
    pub(crate) hints: &'a [Hint],
}

/// Looks for a counterexample to an equality of floats that may be as weak as `weakest`. Stops
/// after `enough` runs that went through.
pub(crate) fn search(
    pool: &Pool,
    (algorithm, lowered): (&Algorithm, &Algorithm),
    program: &Program,
    sizes: Sizes<'_>,
    (limits, enough): (Search, usize),
    (weakest, conventions): (Floats, Conventions),
) -> Found {
    let begin = Instant::now();
    let mut found = Found { counterexample: None, run: None, passed: 0, refused: 0 };
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let comparison = comparisons(pool, (algorithm, lowered), program, weakest);
    for trial in 0..limits.trials {
        if begin.elapsed() > limits.time || found.passed >= enough.min(limits.runs) {
            break;
        }
        // With few digits, few operators round.
        random.coarse =
            trial % 4 != 3 && comparison.iter().any(|comparison| comparison.depends_on_rounding());
        let case = if let Some(given) = sizes.given.get(trial) {
            draw::filled(pool, (algorithm, program), given, limits.steps, &mut random)
        } else {
            let trial = trial - sizes.given.len();
            let hint = sizes.hints.get(trial).map_or(&[][..], Vec::as_slice);
            let aim = Aim::at(hint, limits.steps);
            draw(pool, algorithm, program, aim, &mut random, trial)
        };
        let Some(case) = case else { continue };
        let solid = case.windows.iter().all(|window| window.iter().all(|(_, extent)| *extent > 0));
        match run(
            pool,
            algorithm,
            (lowered, program),
            &case,
            (trial as u64, &comparison, conventions),
        ) {
            Run::Different(counterexample) => {
                found.counterexample = Some(*counterexample);
                break;
            }
            Run::Same if solid => {
                found.passed += 1;
                found.run.get_or_insert(case);
            }
            Run::Same => {}
            Run::Refused => found.refused += usize::from(solid),
            Run::Inconclusive => {}
        }
    }
    found
}

/// The comparison of values of an output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// Bit for bit.
    Bits,
    /// Floats without computation: zeros of either sign are equal.
    Numbers,
    /// Computed floats. They are compared after runs that did not round.
    Exact,
    /// Integers that depend on computed floats. After runs that rounded, integers that are near to
    /// each other count as equal.
    Near,
}

impl Comparison {
    fn depends_on_rounding(self) -> bool {
        match self {
            Self::Exact | Self::Near => true,
            Self::Bits | Self::Numbers => false,
        }
    }
}

/// Chooses the comparison for each component of the outputs, for an equality of floats that may be
/// as weak as `weakest`.
fn comparisons(
    pool: &Pool,
    (algorithm, lowered): (&Algorithm, &Algorithm),
    program: &Program,
    weakest: Floats,
) -> Vec<Comparison> {
    let [of_algorithm, of_lowered] =
        [(algorithm, None), (lowered, Some(program))].map(|(algorithm, program)| {
            if weakest == Floats::Bits {
                return IndexSet::default();
            }
            let flow = Flow::of(pool, algorithm, program);
            flow.closure(computing(pool, &flow))
        });
    let outputs = algorithm.outputs.iter().zip(&lowered.outputs);
    outputs
        .flat_map(|(output, image)| {
            let computed = of_algorithm.contains(output) || of_lowered.contains(image);
            pool.func(*output).scalars.iter().map(move |scalar| {
                match (scalar.is_float(), computed) {
                    _ if weakest == Floats::Bits => Comparison::Bits,
                    (false, false) => Comparison::Bits,
                    (false, true) => Comparison::Near,
                    (true, false) => Comparison::Numbers,
                    (true, true) => Comparison::Exact,
                }
            })
        })
        .collect()
}

/// Tests whether two values are different numbers.
fn are_different_numbers(a: Option<Constant>, b: Option<Constant>) -> bool {
    let number = |value: Constant| value.as_f64().or(value.as_f32().map(f64::from));
    match (a.map(number), b.map(number)) {
        (Some(Some(x)), Some(Some(y))) => x.is_finite() && y.is_finite() && (x < y || y < x),
        (Some(None), Some(None)) => a != b,
        (Some(_) | None, _) => false,
    }
}

fn is_zero(value: Option<Constant>) -> bool {
    value.is_some_and(|value| value.as_f64() == Some(0.0) || value.as_f32() == Some(0.0))
}

enum Run {
    Same,
    Different(Box<Counterexample>),
    /// An entry check of the program failed.
    Refused,
    Inconclusive,
}

fn run(
    pool: &Pool,
    algorithm: &Algorithm,
    (lowered, program): (&Algorithm, &Program),
    case: &Case,
    (seed, comparisons, conventions): (u64, &[Comparison], Conventions),
) -> Run {
    let owed = conventions.owed(pool, algorithm, (&case.bindings, &case.windows), case.steps);
    if let Owed::Nothing(_) = owed {
        return Run::Inconclusive;
    }
    let has_value = matches!(owed, Owed::Values { .. });
    let options = machine::Options {
        seed,
        output_padding: case.padding.clone(),
        steps: Some(case.steps),
        elements: 1 << 22,
        unloaded: conventions.unloaded(),
        ..machine::Options::default()
    };
    let different = |wrong: Option<(String, halidom_ir::BufferId)>,
                     coords: Vec<i64>,
                     expected: String,
                     got: String| {
        let (output, buffer) = wrong.unzip();
        let element = buffer.map(|buffer| (buffer, coords.clone()));
        let site = site::site(pool, lowered, program, case, &options, element);
        let parameters = algorithm
            .params
            .iter()
            .filter_map(|param| Some((pool.var(*param).name.clone(), case.bindings.var(*param)?)));
        let name = |func: &FuncId| pool.func(*func).name.clone();
        let inputs = case.inputs.iter().map(|(func, array)| (name(func), array.clone())).collect();
        let windows = algorithm.outputs.iter().map(name).zip(case.windows.clone()).collect();
        Run::Different(Box::new(Counterexample {
            parameters: parameters.collect(),
            inputs,
            windows,
            output,
            coords,
            expected,
            got,
            site,
            ran: Ran::Interpreter,
        }))
    };
    match machine::run(pool, program, &case.bindings, &case.windows, &options) {
        Ok(outcome) => {
            let Owed::Values { outputs: expected, rounded, special: _ } = &owed else {
                return Run::Inconclusive;
            };
            let components = algorithm.output_components(pool);
            let buffers = program.output_buffers();
            let rounded = *rounded || outcome.notes.rounded;
            for (((((output, component), want), have), buffer), comparison) in
                components.iter().zip(expected).zip(&outcome.outputs).zip(buffers).zip(comparisons)
            {
                let mismatch = want.points().find(|point| {
                    let (want, have) = (want.get(point), have.get(point));
                    match comparison {
                        Comparison::Bits => want != have,
                        Comparison::Numbers => want != have && !(is_zero(want) && is_zero(have)),
                        Comparison::Exact => !rounded && are_different_numbers(want, have),
                        Comparison::Near => {
                            let near = want.zip(have).is_some_and(|(a, b)| near_integers(a, b));
                            want != have && !(rounded && near)
                        }
                    }
                });
                if let Some(point) = mismatch {
                    let value = |array: &Array| {
                        array.get(&point).map_or_else(|| "nothing".to_owned(), show)
                    };
                    let name = pool.func(*output).component_name(*component);
                    let (want, have) = (value(want), value(have));
                    return different(Some((name, buffer)), point, want, have);
                }
            }
            Run::Same
        }
        Err(Fault::CheckFailed(_)) if has_value => Run::Refused,
        Err(Fault::CheckFailed(_)) => Run::Inconclusive,
        Err(fault) if fault.is_defect() => {
            let wanted = if has_value { "a run without fault" } else { "a refusal" };
            different(None, Vec::new(), wanted.to_owned(), fault.to_string())
        }
        Err(_) => Run::Inconclusive,
    }
}

/// Returns the funcs whose expressions apply an operator, conversion or function that yields a
/// float.
fn computing(pool: &Pool, flow: &Flow<'_>) -> IndexSet<FuncId> {
    let computes = |root: ExprId| {
        let mut found = false;
        pool.for_each_subexpr(root, &mut |id, expr| {
            let operator = match expr {
                Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Apply { .. } => true,
                // The variable may stand for such an operator.
                Expr::Var(_) => true,
                Expr::Const(_)
                | Expr::Select { .. }
                | Expr::Ref { .. }
                | Expr::Load { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. }
                | Expr::Hole(_) => false,
            };
            found |= operator && pool.ty(id).scalar.is_float();
        });
        found
    };
    let rules = flow.rules().iter().filter(|(_, roots)| roots.iter().any(|root| computes(*root)));
    rules.map(|(func, _)| *func).collect()
}
