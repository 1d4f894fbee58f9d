//! Compares the statements of a dump without its pipeline, to find the first pass that changes the
//! computed values.

use std::ops::Range;
use std::time::{Duration, Instant};

use halidom_halide::text::Pass;
use halidom_halide::translate::{self, Source};
use halidom_halide::{Names, text};
use halidom_interp::machine;
use halidom_interp::{Bindings, Notes};
use halidom_ir::{Array, Constant, FuncId, Pool, Program, Scalar, Shape, VarId};
use halidom_testgen::Random;
use halidom_verdict::{self as verdict, Cause, Evidence, Verdict};

use super::FINAL_PASS;
use super::replay::agree;
use super::sizes::{self, Settled};
use crate::refusal::Refusal;
use crate::source;

/// The result of comparing a statement with the one before it.
#[derive(Clone, Debug, PartialEq)]
pub enum Beside {
    /// It is the first statement that can be run.
    First,
    /// It gives the same results on this many runs.
    Same(usize),
    /// It gives a different result.
    Different(Box<Difference>),
    /// It cannot be run, for this reason.
    NotRun(String),
}

/// A run on which two statements differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The index of the last earlier pass whose statement can be run.
    pub before: usize,
    /// Values of the parameters, by name.
    pub parameters: Vec<(String, Constant)>,
    /// The inputs, by name.
    pub inputs: Vec<(String, Array)>,
    /// The windows of the outputs, by name.
    pub windows: Vec<(String, Shape)>,
    /// The output and the point; absent if one of the statements faults.
    pub place: Option<(String, Vec<i64>)>,
    /// The results of the statement before and of this one.
    pub values: [String; 2],
}

/// A pass that changed the statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The pass, as Halide names it.
    pub pass: String,
    /// The result of comparing its statement with the one before.
    pub beside: Beside,
    /// The byte range of the statement in the dump.
    pub text: Range<usize>,
}

/// A dump whose statements were compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The dump's text.
    pub dump: String,
    /// The passes that changed something, in order.
    pub passes: Vec<Compared>,
    /// The number of cases that the final statement accepts.
    pub cases: usize,
}

impl Comparison {
    /// The first pass whose statement computes something else than the one before, with the run.
    pub fn first(&self) -> Option<(&Compared, &Difference)> {
        self.passes.iter().find_map(|step| match &step.beside {
            Beside::Different(found) => Some((step, &**found)),
            Beside::First | Beside::Same(_) | Beside::NotRun(_) => None,
        })
    }

    /// The verdict. A difference refutes; runs without one prove nothing.
    pub fn verdict(&self) -> Verdict {
        if let Some((_, found)) = self.first() {
            let [before, after] = &found.values;
            let evidence = Evidence::of(verdict::Ran::Interpreter, before.as_str(), after.as_str());
            return Verdict::refuted(evidence);
        }
        let ran = |step: &Compared| matches!(step.beside, Beside::First | Beside::Same(_));
        if !self.passes.iter().any(ran) {
            Verdict::nothing(
                "no statement of the dump was run",
                "write the dump with HL_DEBUG_CODEGEN=2 on standard error",
            )
        } else if self.cases == 0 {
            Verdict::unknown(Cause::Runs, "no inputs were found that the final statement accepts")
        } else {
            Verdict::unknown(
                Cause::Runs,
                "no pass was seen to change what is computed, which proves nothing: with the \
                 pipeline (`--halide FILE`) the final statement is judged",
            )
        }
    }
}

/// The number of cases to look for.
const CASES: usize = 24;
/// The number of times that parameters are drawn.
const ROUNDS: usize = 4;
/// The time limit for the search for new cases.
const TIME: Duration = Duration::from_secs(10);
/// The time limit for all runs of all statements, estimated from the final statement's runs. One
/// case is run in any case.
const RUNNING: Duration = Duration::from_secs(40);
/// The interpreter's step limit for one run.
const STEPS: u64 = 4_000_000;
/// The largest number of elements in one run.
const ELEMENTS: u64 = 1 << 22;

/// Runs the statement of every pass of a dump on the same random inputs, which the final statement
/// accepts. Compares each statement with the one before. Types are those that the statements show.
pub fn compare(path: &std::path::Path) -> Result<Comparison, Refusal> {
    let dump = source::text(path)?;
    let mut sources = halidom_diag::Sources::new();
    let name = path.display().to_string();
    let file = sources.add(name.clone(), dump.clone());
    let compared = || {
        let mut names = Names::new();
        let passes = text::dump(&dump, &mut names).map_err(|error| error.diagnostic(file))?;
        if passes.iter().all(|pass| pass.block.is_none()) {
            return Err(text::not_a_dump(&name));
        }
        let refuse = |what: translate::Unsupported| what.diagnostic(Some(file));
        let pipeline = translate::signature(&passes, &mut names).map_err(refuse)?;
        let source = translate::declared(&pipeline, &names).map_err(refuse)?;
        let mut runnable = Vec::new();
        for pass in &passes {
            let Some(block) = &pass.block else { continue };
            let mut own = source.clone();
            let program = translate::between_passes(&mut own, &pipeline, &names, block);
            let program = program.map_err(|unsupported| unsupported.what);
            runnable.push((pass, program.map(|compiled| (own, compiled.program))));
        }
        Ok(beside(&runnable))
    };
    let compared = compared();
    match compared {
        Ok((passes, cases)) => Ok(Comparison { dump, passes, cases }),
        Err(diagnostic) => Err(Refusal::new(sources, vec![diagnostic])),
    }
}

/// A pass with its statement as a program, or the reason why it cannot be translated.
type Statement<'d> = (&'d Pass, Result<(Source, Program), String>);

fn beside(statements: &[Statement<'_>]) -> (Vec<Compared>, usize) {
    let translated = || statements.iter().filter(|(_, program)| program.is_ok());
    let judge =
        translated().rfind(|(pass, _)| pass.name == FINAL_PASS).or(translated().next_back());
    let cases = match judge {
        Some((_, Ok((source, program)))) => {
            let each = RUNNING / u32::try_from(translated().count()).unwrap_or(u32::MAX).max(1);
            accepted(source, program, each)
        }
        Some((_, Err(_))) | None => Vec::new(),
    };
    let mut before: Option<(usize, Vec<Ran>)> = None;
    let mut passes = Vec::new();
    for (number, (pass, program)) in statements.iter().enumerate() {
        let beside = match program {
            Err(reason) => Beside::NotRun(reason.clone()),
            Ok((source, program)) => {
                let runs: Vec<Ran> = cases.iter().map(|case| ran(source, program, case)).collect();
                let beside = match &before {
                    None => Beside::First,
                    Some((last, other)) => against(source, program, &cases, (*last, other), &runs),
                };
                before = Some((number, runs));
                beside
            }
        };
        let text = pass.at..pass.end;
        passes.push(Compared { pass: pass.name.clone(), beside, text });
    }
    (passes, cases.len())
}

/// Parameters, inputs and windows.
struct Case {
    bindings: Bindings,
    inputs: Vec<(FuncId, Array)>,
    windows: Vec<Shape>,
}

/// The result of a run.
enum Ran {
    /// The outputs, and notes on the run.
    Gave(Vec<Array>, Notes),
    Faulted(String),
    /// The run allows no conclusion.
    Inconclusive,
}

fn ran(source: &Source, program: &Program, case: &Case) -> Ran {
    let options = machine::Options { steps: Some(STEPS), elements: ELEMENTS, ..super::options() };
    match machine::run(&source.pool, program, &case.bindings, &case.windows, &options) {
        Ok(outcome) => Ran::Gave(outcome.outputs, outcome.notes),
        Err(fault) if fault.is_defect() => Ran::Faulted(fault.to_string()),
        Err(_) => Ran::Inconclusive,
    }
}

fn against(
    source: &Source,
    program: &Program,
    cases: &[Case],
    (before, other): (usize, &[Ran]),
    runs: &[Ran],
) -> Beside {
    let pool = &source.pool;
    let mut same = 0;
    for ((case, old), new) in cases.iter().zip(other).zip(runs) {
        let found = match (old, new) {
            // A pipeline that is not strict does not define the results of a pass on such floats.
            (Ran::Gave(_, notes), _) if notes.special || notes.unrepresentable => None,
            (Ran::Gave(old, a), Ran::Gave(new, b)) => {
                let found = first_difference(pool, program, (old, new), a.rounded || b.rounded);
                same += usize::from(found.is_none());
                found.map(|(place, values)| (Some(place), values))
            }
            (Ran::Gave(..), Ran::Faulted(fault)) => {
                Some((None, ["a run without fault".to_owned(), fault.clone()]))
            }
            (Ran::Faulted(fault), Ran::Gave(..)) => {
                Some((None, [fault.clone(), "a run without fault".to_owned()]))
            }
            (Ran::Faulted(_), Ran::Faulted(_))
            | (Ran::Inconclusive, _)
            | (_, Ran::Inconclusive) => None,
        };
        if let Some((place, values)) = found {
            let name = |func: FuncId| pool.func(func).name.clone();
            let outputs = program.outputs.iter().map(|output| name(output.func));
            let param =
                |param: &VarId| Some((pool.var(*param).name.clone(), case.bindings.var(*param)?));
            let inputs = case.inputs.iter().map(|(func, array)| (name(*func), array.clone()));
            return Beside::Different(Box::new(Difference {
                before,
                parameters: source.algorithm.params.iter().filter_map(param).collect(),
                inputs: inputs.collect(),
                windows: outputs.zip(case.windows.iter().cloned()).collect(),
                place,
                values,
            }));
        }
    }
    if same == 0 {
        return Beside::NotRun("no run goes through in both".to_owned());
    }
    Beside::Same(same)
}

/// An output and a point.
type Place = (String, Vec<i64>);

/// Finds the first point at which outputs differ. If nothing was rounded, floats must be equal;
/// otherwise they must be close, as passes may regroup them.
fn first_difference(
    pool: &Pool,
    program: &Program,
    (old, new): (&[Array], &[Array]),
    rounded: bool,
) -> Option<(Place, [String; 2])> {
    let buffers = program.output_buffers();
    buffers.into_iter().zip(old.iter().zip(new)).find_map(|(buffer, (old, new))| {
        let point = old.points().find(|point| !agree(old.get(point), new.get(point), rounded))?;
        let values = [old, new]
            .map(|array| array.get(&point).map_or_else(String::new, super::replay::shown));
        Some(((pool.buffer(buffer).name.clone(), point), values))
    })
}

/// Random cases that a program accepts, as many as run in the given time. Sizes are at the borders
/// of the entry checks; parameters are drawn anew in each round.
fn accepted(source: &Source, program: &Program, time: Duration) -> Vec<Case> {
    let pool = &source.pool;
    let begin = Instant::now();
    let mut random = Random::new(1);
    let mut cases = Vec::new();
    let mut taken = Duration::ZERO;
    for _ in 0..ROUNDS {
        let mut params = Bindings::new();
        for param in &source.algorithm.params {
            // If a parameter stays unbound, every check that uses it fails.
            if let Some(value) = coarse(pool.var(*param).ty.scalar, &mut random) {
                let _ = params.set_var(pool, *param, value);
            }
        }
        let shaped = (&source.algorithm, program);
        for settled in sizes::settled(
            pool,
            shaped,
            &params,
            (&mut random, CASES / ROUNDS),
            sizes::MOST_ELEMENTS,
        ) {
            if cases.len() == CASES || begin.elapsed() > TIME || taken > time {
                return cases;
            }
            let Some(case) = filled(source, settled, &mut random) else { continue };
            let start = Instant::now();
            let is_run = !matches!(ran(source, program, &case), Ran::Inconclusive);
            taken += start.elapsed();
            if is_run {
                cases.push(case);
            }
        }
    }
    cases
}

/// Builds a case with random inputs of these shapes.
fn filled(source: &Source, settled: Settled, random: &mut Random) -> Option<Case> {
    let pool = &source.pool;
    let Settled { mut bindings, windows, shapes } = settled;
    let mut inputs = Vec::new();
    for (func, shape) in source.algorithm.inputs.iter().zip(shapes) {
        let scalar = pool.func(*func).scalar(0);
        let mut array = Array::zeros(scalar, shape)?;
        for element in 0..array.data.len() / scalar.bytes()? {
            let value = coarse(scalar, random)?;
            if !array.set_element(element, value) {
                return None;
            }
        }
        bindings.set_input(pool, *func, array.clone()).ok()?;
        inputs.push((*func, array));
    }
    Some(Case { bindings, inputs, windows })
}

/// A random value. Wide signed integers are small and floats have few digits, so that few operators
/// round.
fn coarse(scalar: Scalar, random: &mut Random) -> Option<Constant> {
    let eighths = random.between(-64, 64);
    match scalar {
        Scalar::F32 => Some(Constant::f32(eighths as f32 / 8.0)),
        Scalar::F64 => Some(Constant::f64(eighths as f64 / 8.0)),
        Scalar::Int => Some(Constant::int(i128::from(random.between(1, 9)))),
        // Halide assumes that these do not overflow.
        Scalar::I32 | Scalar::I64 => Constant::wrapped(scalar, i128::from(eighths)),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => Some(random.constant(scalar)),
    }
}
