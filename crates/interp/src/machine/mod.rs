//! Executes programs (FS §5, Fig. 8), before and after storage is flattened. This language adds
//! undefined values, parallel loops without races, vectorized loops in lockstep, and index
//! arithmetic in 64 bits.
//!
//! # Correctness
//! * Memory starts undefined. An undefined value propagates lane by lane. It is a fault if it
//!   reaches an index, a loop bound, a condition, an entry check or the required window of an
//!   output.
//! * Every access is checked: by coordinates before storage is flattened, by element number
//!   afterwards. Padding between the elements of the caller's buffers is out of bounds.
//! * Parallel loops run in an order drawn from a seed, and the race detector finds conflicts in any
//!   order. Unordered iterations may write one location only with one value, and an iteration may
//!   read such a location only after its own write. So a run without fault has the result of every
//!   order.
//! * The iterations of a vectorized loop are lanes that execute each statement together. All
//!   evaluate before any writes. Lanes that write one location must agree.
//! * Every computed `int` must fit in 64 bits, also in arms of selects that are not chosen, because
//!   generated code computes them. Entry checks are exempt: they are evaluated exactly.
//! * A loop with non-positive extent does nothing. A reduction domain's entry check finds a
//!   negative extent.
//! * Annotations (needed regions, prophecies, accesses) do not influence execution.
//!   [`run_checking_claims`] also compares them with the specification.

mod access;
mod claims;
mod compile;
mod execute;
mod fault;
mod memory;
mod race;
mod trace;

use halidom_base::FxHashMap;
use halidom_ir::{
    Algorithm, Array, BufferKind, Check, Constant, Expr, Pool, Program, Shape, Stmt, StmtId, VarId,
    nested_strides,
};

use execute::{Limits, Machine};
pub use fault::{Access, CheckFailure, Conflict, Fault, Place, Role, WrongClaim};
use memory::Memory;
pub use trace::{Trace, Watch, Written};

use crate::algorithm::Evaluator;
use crate::startup::evaluate_with;
use crate::{BindError, Bindings, Notes, nesting};

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seed of the order of parallel iterations.
    pub seed: u64,
    /// The boxes of the output buffers. The default is [`output_regions`].
    pub output_shapes: Option<Vec<Shape>>,
    /// The number of unused elements after each run along a dimension of the output buffers.
    /// Dimensions beyond the vector's length have none.
    pub output_padding: Vec<i64>,
    /// The maximal number of loop iterations and stores.
    pub steps: Option<u64>,
    /// The maximal number of elements of buffers that may be live at once.
    pub elements: u64,
    /// The number of an element of which a load gives an undefined value instead of a fault. Only
    /// translations of code whose predicated loads leave such values need one: [`UNLOADED`].
    pub unloaded: Option<i128>,
}

/// The number of an element that no buffer has. A translation of code with predicated loads reads
/// it for the value that a load leaves where it is not made. A validator that knows no such
/// elements has to show that the load is never made.
pub const UNLOADED: i128 = -(1 << 41);

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            output_shapes: None,
            output_padding: Vec::new(),
            steps: None,
            elements: 1 << 27,
            unloaded: None,
        }
    }
}

/// The result of a program that ran without fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The outputs on their windows, dense, in order, one array for each component. Every element
    /// is defined.
    pub outputs: Vec<Array>,
    /// The whole output buffers without padding. The flags tell which elements are defined, in the
    /// order of the array's points.
    pub buffers: Vec<(Array, Vec<bool>)>,
    /// True if unordered iterations wrote the same value to one location.
    pub benign_same_value_stores: bool,
    /// The notes of the run. If nothing rounded, the run is also a run over the reals.
    pub notes: Notes,
}

/// Runs a program on the inputs and parameters in `bindings`, for the given windows of its outputs.
///
/// [`Options::output_shapes`] sets the sizes of the output buffers. By default they are as large as
/// the program's entry checks demand ([`output_regions`]).
///
/// # Errors
/// The first [`Fault`].
pub fn run(
    pool: &Pool,
    program: &Program,
    bindings: &Bindings,
    windows: &[Shape],
    options: &Options,
) -> Result<Outcome, Fault> {
    run_with_oracle(pool, program, (bindings, windows), options, None, None)
}

/// Runs a program like [`run`] and checks the claims of its stores. A claim is checked if the store
/// is within its func's needed region, given by the innermost label of the func around it. The
/// stored value must be the value of the claimed instance of the specification. This is dynamic
/// evidence that a lowering's annotations are right.
///
/// # Errors
/// The first [`Fault`].
pub fn run_checking_claims(
    pool: &Pool,
    program: &Program,
    algorithm: &Algorithm,
    bindings: &Bindings,
    windows: &[Shape],
    options: &Options,
) -> Result<Outcome, Fault> {
    let oracle = Evaluator::with_instances(pool, algorithm, bindings).map_err(Box::new)?;
    run_with_oracle(pool, program, (bindings, windows), options, Some(oracle), None)
}

/// Runs a program like [`run`] or, with an algorithm, like [`run_checking_claims`]. Also returns
/// the observations of `watch`, with or without a fault.
pub fn run_watched(
    pool: &Pool,
    program: &Program,
    algorithm: Option<&Algorithm>,
    (bindings, windows): (&Bindings, &[Shape]),
    options: &Options,
    watch: &Watch,
) -> (Result<Outcome, Fault>, Trace) {
    let mut trace = Trace::default();
    let oracle = algorithm
        .map(|algorithm| Evaluator::with_instances(pool, algorithm, bindings))
        .transpose()
        .map_err(|error| Fault::from(Box::new(error)));
    let result = oracle.and_then(|oracle| {
        let watched = Some((watch, &mut trace));
        run_with_oracle(pool, program, (bindings, windows), options, oracle, watched)
    });
    (result, trace)
}

fn run_with_oracle<'a>(
    pool: &'a Pool,
    program: &Program,
    (bindings, windows): (&Bindings, &[Shape]),
    options: &Options,
    oracle: Option<Evaluator<'a>>,
    watched: Option<(&Watch, &mut Trace)>,
) -> Result<Outcome, Fault> {
    let shapes = match &options.output_shapes {
        Some(shapes) => shapes.clone(),
        None => output_regions(pool, program, bindings, windows)?,
    };
    let mut memories = Vec::new();
    for input in &program.inputs {
        let decl = pool.buffer(*input);
        let array =
            bindings.input(decl.func).ok_or_else(|| Fault::MissingInput(decl.name.clone()))?;
        memories.push(Memory::of_array(*input, BufferKind::Input, array));
    }
    let mut given = window_vars(pool, program, windows)?;
    if shapes.len() != program.outputs.len() {
        return Err(Fault::OutputCount { expected: program.outputs.len(), given: shapes.len() });
    }
    for ((output, shape), window) in program.outputs.iter().zip(&shapes).zip(windows) {
        let Some(first) = output.buffers.first() else { continue };
        let decl = pool.buffer(*first);
        if decl.dims.len() != shape.len() {
            let (name, expected) = (decl.name.clone(), decl.dims.len());
            return Err(BindError::Rank { name, expected, given: shape.len() }.into());
        }
        if !within(window, shape) {
            let (window, buffer) = (window.clone(), shape.clone());
            return Err(Fault::WindowOutsideBuffer { name: decl.name.clone(), window, buffer });
        }
        let mut padding = options.output_padding.clone();
        padding.resize(shape.len(), 0);
        let nesting = nesting(pool, program, *first);
        let elements = nested_strides(shape, &padding, &nesting).map(|(_, size)| size);
        for buffer in &output.buffers {
            let decl = pool.buffer(*buffer);
            let array = elements
                .filter(|elements| u64::try_from(*elements).is_ok_and(|n| n <= options.elements))
                .and_then(|_| Array::nested(decl.scalar, shape.clone(), &padding, &nesting))
                .ok_or_else(|| Fault::TooLarge {
                    name: decl.name.clone(),
                    elements: elements.map_or(i128::MAX, i128::from),
                })?;
            // Components have one shape, so these are the same variables.
            for ((dim, (min, extent)), stride) in decl.dims.iter().zip(shape).zip(&array.strides) {
                for (expr, number) in [(dim.min, min), (dim.extent, extent), (dim.stride, stride)] {
                    if let Expr::Var(var) = pool.get(expr) {
                        given.insert(*var, Constant::int(i128::from(*number)));
                    }
                }
            }
            memories.push(Memory::of_array(*buffer, BufferKind::Output, &array));
        }
    }
    let value_of = |var: VarId| given.get(&var).copied().or_else(|| bindings.var(var));
    let compiled = compile::compile(pool, program, oracle.is_some(), &value_of)?;
    let limits =
        Limits { steps: options.steps, elements: options.elements, unloaded: options.unloaded };
    let mut machine = Machine::new(pool, &compiled, memories, options.seed, limits, oracle);
    if let Some((watch, _)) = &watched {
        machine.look_for(watch);
    }
    let result = machine.run(&compiled.body);
    if let Some((_, trace)) = watched {
        *trace = std::mem::take(&mut machine.trace);
    }
    result?;
    collect(pool, program, &machine, windows, &shapes)
}

fn collect(
    pool: &Pool,
    program: &Program,
    machine: &Machine<'_>,
    windows: &[Shape],
    shapes: &[Shape],
) -> Result<Outcome, Fault> {
    let mut outcome = Outcome {
        outputs: Vec::new(),
        buffers: Vec::new(),
        benign_same_value_stores: machine.same_value_stores,
        notes: machine.notes,
    };
    let outputs = program.outputs.iter().zip(windows.iter().zip(shapes));
    let components = outputs.flat_map(|(output, (window, shape))| {
        output.buffers.iter().map(move |buffer| (output.func, *buffer, window, shape))
    });
    for (number, (func, buffer, window, shape)) in components.enumerate() {
        let memory = machine.memory(program.inputs.len() + number);
        let name = || pool.buffer(buffer).name.clone();
        let crop = |wanted: &Shape| {
            memory.crop(wanted).ok_or_else(|| Fault::WindowOutsideBuffer {
                name: name(),
                window: wanted.clone(),
                buffer: shape.clone(),
            })
        };
        let (array, defined) = crop(window)?;
        if let Some((point, _)) = array.points().zip(&defined).find(|(_, defined)| !**defined) {
            return Err(Fault::UndefinedOutput { func, name: name(), coords: point });
        }
        outcome.outputs.push(array);
        outcome.buffers.push(crop(shape)?);
    }
    Ok(outcome)
}

/// Computes the box that each output's buffer must have for these windows. It is the union of the
/// window and the regions that the program's entry checks for output regions
/// ([`Check::OutputRegion`]) require for these windows.
///
/// Only asserts in the blocks, lets and labels from the start of the body count.
///
/// # Errors
/// A [`Fault`] if a window has a wrong rank, or if a required region has no value, for example
/// because it depends on the output's own shape.
pub fn output_regions(
    pool: &Pool,
    program: &Program,
    bindings: &Bindings,
    windows: &[Shape],
) -> Result<Vec<Shape>, Fault> {
    let given = window_vars(pool, program, windows)?;
    let mut shapes: Vec<Shape> = windows
        .iter()
        .map(|window| window.iter().map(|(min, extent)| (*min, (*extent).max(0))).collect())
        .collect();
    let mut walk = RegionWalk { pool, program, bindings, given, shapes: &mut shapes };
    walk.stmt(program.body)?;
    Ok(shapes)
}

struct RegionWalk<'a> {
    pool: &'a Pool,
    program: &'a Program,
    bindings: &'a Bindings,
    given: FxHashMap<VarId, Constant>,
    shapes: &'a mut [Shape],
}

impl RegionWalk<'_> {
    fn stmt(&mut self, id: StmtId) -> Result<(), Fault> {
        let stmt = self.pool.get_stmt(id);
        if let Stmt::Let { var, value, .. } = stmt {
            // A let that has no value before the outputs exist is not part of a needed region.
            if let Ok(value) = self.evaluate(*value) {
                self.given.insert(*var, value);
            }
        }
        if let Stmt::Assert { check: Check::OutputRegion { output, dim, needed, .. }, .. } = stmt {
            let number =
                self.program.outputs.iter().position(|candidate| candidate.func == *output);
            let min = self.integer(needed.min)?;
            let extent = self.integer(needed.extent)?;
            let slot = number.and_then(|number| self.shapes[number].get_mut(*dim));
            if let Some(interval) = slot
                && extent > 0
            {
                *interval = union(*interval, (min, extent));
            }
        }
        // Entry checks are at the top.
        if matches!(stmt, Stmt::Block(_) | Stmt::Labeled { .. } | Stmt::Let { .. }) {
            stmt.children().try_for_each(|child| self.stmt(child))?;
        }
        Ok(())
    }

    fn evaluate(&self, expr: halidom_ir::ExprId) -> Result<Constant, Fault> {
        let value_of =
            |var: VarId| self.given.get(&var).copied().or_else(|| self.bindings.var(var));
        Ok(evaluate_with(self.pool, expr, value_of)?)
    }

    fn integer(&self, expr: halidom_ir::ExprId) -> Result<i64, Fault> {
        let value = self.evaluate(expr)?.as_integer().unwrap_or(i128::MAX);
        i64::try_from(value)
            .map_err(|_| Fault::TooLarge { name: self.program.name.clone(), elements: value })
    }
}

/// The least interval around both. An empty interval does not count.
fn union(a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    if a.1 <= 0 {
        return b;
    }
    let min = a.0.min(b.0);
    let end = a.0.saturating_add(a.1).max(b.0.saturating_add(b.1));
    (min, end.saturating_sub(min))
}

fn within(window: &Shape, shape: &Shape) -> bool {
    let empty = window.iter().any(|(_, extent)| *extent <= 0);
    window.len() == shape.len()
        && (empty
            || window.iter().zip(shape).all(|((min, extent), (low, length))| {
                min >= low
                    && i128::from(*min) + i128::from(*extent)
                        <= i128::from(*low) + i128::from(*length)
            }))
}

/// The values of the program's window variables.
fn window_vars(
    pool: &Pool,
    program: &Program,
    windows: &[Shape],
) -> Result<FxHashMap<VarId, Constant>, Fault> {
    if windows.len() != program.outputs.len() {
        return Err(Fault::OutputCount { expected: program.outputs.len(), given: windows.len() });
    }
    let mut given = FxHashMap::default();
    for (output, window) in program.outputs.iter().zip(windows) {
        if output.window.len() != window.len() {
            let (name, expected) = (pool.func(output.func).name.clone(), output.window.len());
            return Err(BindError::Rank { name, expected, given: window.len() }.into());
        }
        for ((min_var, extent_var), (min, extent)) in output.window.iter().zip(window) {
            given.insert(*min_var, Constant::int(i128::from(*min)));
            given.insert(*extent_var, Constant::int(i128::from(*extent)));
        }
    }
    Ok(given)
}
