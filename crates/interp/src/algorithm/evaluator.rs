//! Evaluates on demand, point by point, and keeps every value.

use halidom_base::{FxHashMap, stack};
use halidom_ir::{Algorithm, Array, Constant, FuncId, Pool, Scalar, Shape};

use super::compile::{Compiled, CompiledFunc, CompiledStage, Place, compile};
use super::table::Table;
use super::{AlgorithmError, known};
use crate::code::{Code, OpError, Value};
use crate::startup::evaluate_expr;
use crate::{Bindings, Notes};

type Result<T> = std::result::Result<T, AlgorithmError>;

/// An algorithm on fixed inputs, with the values of its funcs that were demanded so far.
pub struct Evaluator<'a> {
    compiled: Compiled,
    state: State<'a>,
}

struct State<'a> {
    pool: &'a Pool,
    /// True if values may be unknown.
    dry: bool,
    inputs: Vec<Input<'a>>,
    funcs: Vec<FuncState>,
    /// The number of stages and instances that may still be evaluated.
    steps: u64,
    /// For each instance of an update, the value that it wrote to each component, or the error if
    /// it has no values. `None` if instances are not recorded.
    instances: Option<FxHashMap<Instance, Result<Box<[Value]>>>>,
    free_registers: Vec<Vec<Value>>,
    free_points: Vec<Vec<i64>>,
    notes: Notes,
}

/// The number of a func, the number of a stage, and the written point followed by the values of the
/// reduction variables.
type Instance = (usize, usize, Box<[i64]>);

struct Input<'a> {
    array: Option<&'a Array>,
    /// The least and the greatest coordinate that was read, for each dimension.
    touched: Option<Vec<(i64, i64)>>,
}

/// The values of a func by stage and component. `cells` records the cells of an update that were
/// run: `false` if the cell was run, `None` if an unknown point of it was written.
struct FuncState {
    values: Vec<Vec<Table>>,
    cells: Vec<Table>,
    without: Vec<Without>,
}

/// The points and cells at which a stage leaves no values, with the reasons. Demanding one of them
/// fails.
#[derive(Default)]
struct Without {
    /// Points whose last write was by an instance whose value cannot be evaluated.
    points: FxHashMap<Box<[i64]>, AlgorithmError>,
    /// Cells whose written points are not known.
    cells: FxHashMap<Box<[i64]>, AlgorithmError>,
}

impl<'a> Evaluator<'a> {
    /// Checks `require`s and reduction domains. Computes nothing yet.
    ///
    /// # Errors
    /// A `require` or a domain fails, the algorithm is malformed, or an input is missing.
    pub fn new(pool: &'a Pool, algorithm: &Algorithm, bindings: &'a Bindings) -> Result<Self> {
        let missing =
            algorithm.inputs.iter().copied().find(|input| bindings.input(*input).is_none());
        let evaluator = Self::with_mode(pool, algorithm, bindings, false)?;
        match missing {
            Some(input) => Err(AlgorithmError::MissingInput(pool.func(input).name.clone())),
            None => Ok(evaluator),
        }
    }

    /// Does the same as [`Self::new`], and makes [`Self::written`] answer for updates.
    pub fn with_instances(
        pool: &'a Pool,
        algorithm: &Algorithm,
        bindings: &'a Bindings,
    ) -> Result<Self> {
        let mut evaluator = Self::new(pool, algorithm, bindings)?;
        evaluator.state.instances = Some(FxHashMap::default());
        Ok(evaluator)
    }

    /// Limits the number of stages and instances of domains that are evaluated from now on. Beyond
    /// the limit, evaluation fails with [`AlgorithmError::TooLong`].
    pub fn limit(&mut self, steps: u64) {
        self.state.steps = steps;
    }

    /// The steps that are left of the limit.
    pub fn left(&self) -> u64 {
        self.state.steps
    }

    /// The notes on everything that was evaluated so far.
    pub fn notes(&self) -> Notes {
        self.state.notes
    }

    /// Makes an evaluator that works without the elements of inputs; see [`super::demand`].
    pub(super) fn dry(
        pool: &'a Pool,
        algorithm: &Algorithm,
        bindings: &'a Bindings,
    ) -> Result<Self> {
        Self::with_mode(pool, algorithm, bindings, true)
    }

    fn with_mode(
        pool: &'a Pool,
        algorithm: &Algorithm,
        bindings: &'a Bindings,
        dry: bool,
    ) -> Result<Self> {
        for require in &algorithm.requires {
            if evaluate_expr(pool, require.condition, bindings)? != Constant::bool(true) {
                return Err(AlgorithmError::RequireFailed { message: require.message.clone() });
            }
        }
        let compiled = compile(pool, algorithm, bindings)?;
        let inputs = compiled
            .inputs
            .iter()
            .map(|input| Input { array: bindings.input(*input), touched: None })
            .collect();
        let funcs = compiled.funcs.iter().map(|func| FuncState::new(pool, func)).collect();
        let state = State {
            pool,
            dry,
            inputs,
            funcs,
            steps: u64::MAX,
            instances: None,
            free_registers: Vec::new(),
            free_points: Vec::new(),
            notes: Notes::default(),
        };
        Ok(Self { compiled, state })
    }

    /// Evaluates a component of the final value of a func at a point. `func` must not be an input.
    pub fn value(&mut self, func: FuncId, component: usize, coords: &[i64]) -> Result<Constant> {
        let number = self.number((func, component), coords)?;
        let value = self.state.value(&self.compiled, (number, component), coords)?;
        known(self.state.pool, func, value)
    }

    /// Evaluates a component of a func at a point after its stages `0..=stage`.
    pub fn value_after(
        &mut self,
        (func, component): (FuncId, usize),
        stage: usize,
        coords: &[i64],
    ) -> Result<Constant> {
        let number = self.number((func, component), coords)?;
        if stage >= self.compiled.funcs[number].stages.len() {
            return Err(AlgorithmError::ill_typed(self.state.pool, func));
        }
        let value = self.state.after(&self.compiled, (number, component), stage, coords)?;
        known(self.state.pool, func, value)
    }

    /// Returns the value that `stage` writes to a component at `coords` when its reduction
    /// variables have the values `point`. Returns `None` if the stage does not write there then:
    /// the point is not in the domain, the predicate does not hold, or the stage writes elsewhere.
    ///
    /// Only for evaluators made by [`Self::with_instances`]. Others record instances of pure stages
    /// only.
    pub fn written(
        &mut self,
        (func, component): (FuncId, usize),
        stage: usize,
        coords: &[i64],
        point: &[i64],
    ) -> Result<Option<Constant>> {
        if stage == 0 {
            if !point.is_empty() {
                return Ok(None);
            }
            let own = &self.state.pool.func(func).name;
            return match self.value_after((func, component), 0, coords) {
                Err(AlgorithmError::Unwritten { name, coords: at })
                    if name == *own && at == coords =>
                {
                    Ok(None)
                }
                other => other.map(Some),
            };
        }
        // This runs the cell that contains the instance.
        self.value_after((func, component), stage, coords)?;
        let key = (self.number((func, component), coords)?, stage, [coords, point].concat().into());
        match self.state.instances.as_ref().and_then(|instances| instances.get(&key)) {
            None => Ok(None),
            Some(Ok(values)) => known(self.state.pool, func, values[component]).map(Some),
            Some(Err(error)) => Err(error.clone()),
        }
    }

    /// Evaluates a func at a point to record its reads of inputs.
    pub(super) fn touch(&mut self, func: FuncId, coords: &[i64]) -> Result<()> {
        let number = self.number((func, 0), coords)?;
        for component in 0..self.compiled.funcs[number].components {
            self.state.value(&self.compiled, (number, component), coords)?;
        }
        Ok(())
    }

    /// The box of an input's coordinates that were read so far. `None` if none were read.
    pub fn touched(&self, input: FuncId) -> Option<Shape> {
        let number = self.compiled.inputs.iter().position(|other| *other == input)?;
        let bounds = self.state.inputs[number].touched.as_ref()?;
        // An extent that does not fit 64 bits saturates.
        let interval =
            |(low, high): &(i64, i64)| (*low, high.saturating_sub(*low).saturating_add(1));
        Some(bounds.iter().map(interval).collect())
    }

    /// The number of this func. Checks that the func has the component and the rank of `coords`.
    fn number(&self, (func, component): (FuncId, usize), coords: &[i64]) -> Result<usize> {
        let fits = |number: &&usize| {
            let compiled = &self.compiled.funcs[**number];
            compiled.rank == coords.len() && component < compiled.components
        };
        match self.compiled.numbers.get(&func).filter(fits) {
            Some(number) => Ok(*number),
            None => Err(AlgorithmError::ill_typed(self.state.pool, func)),
        }
    }
}

impl FuncState {
    fn new(pool: &Pool, func: &CompiledFunc) -> Self {
        let scalars = &pool.func(func.id).scalars;
        let tables = || scalars.iter().map(|scalar| Table::new(*scalar, func.rank)).collect();
        let values = func.stages.iter().map(|_| tables()).collect();
        let cells = func
            .stages
            .iter()
            .map(|stage| {
                Table::new(Scalar::Bool, stage.pure_dims.iter().filter(|dim| **dim).count())
            })
            .collect();
        let without = func.stages.iter().map(|_| Without::default()).collect();
        Self { values, cells, without }
    }
}

impl State<'_> {
    fn value(
        &mut self,
        compiled: &Compiled,
        (func, component): (usize, usize),
        coords: &[i64],
    ) -> Result<Value> {
        match compiled.funcs[func].stages.len().checked_sub(1) {
            Some(last) => self.after(compiled, (func, component), last, coords),
            None => Err(AlgorithmError::ill_typed(self.pool, compiled.funcs[func].id)),
        }
    }

    /// The value of a component of a func after its stages `0..=stage`.
    fn after(
        &mut self,
        compiled: &Compiled,
        (func, component): (usize, usize),
        stage: usize,
        coords: &[i64],
    ) -> Result<Value> {
        if stage == 0 {
            if let Some(value) = self.funcs[func].values[0][component].get(coords) {
                return Ok(value);
            }
            let mut env = self.free_registers.pop().unwrap_or_default();
            env.clear();
            env.extend(coords.iter().map(|coord| Some(Constant::int(i128::from(*coord)))));
            let first = &compiled.funcs[func].stages[0];
            if let Some(predicate) = &first.predicate {
                let registers = self.run(compiled, (func, 0), predicate, &env)?;
                let holds = registers[predicate.result(0).start];
                self.free_registers.push(registers);
                match holds.map(Constant::as_bool) {
                    Some(Some(true)) => {}
                    // Without elements, the value counts as one that is not known.
                    None | Some(_) if self.dry => return Ok(None),
                    None | Some(_) => {
                        let name = self.pool.func(compiled.funcs[func].id).name.clone();
                        return Err(AlgorithmError::Unwritten { name, coords: coords.to_vec() });
                    }
                }
            }
            let code = &first.components[component];
            let registers = self.run(compiled, (func, 0), code, &env)?;
            self.free_registers.push(env);
            let value = registers[code.result(0).start];
            self.free_registers.push(registers);
            self.funcs[func].values[0][component].set(coords, value);
            return Ok(value);
        }
        let key = cell_key(&compiled.funcs[func].stages[stage], coords);
        if self.funcs[func].cells[stage].get(&key).is_none()
            && let Err(error) = self.run_cell(compiled, (func, stage), coords, &key)
        {
            self.funcs[func].without[stage].cells.insert(key.as_slice().into(), error);
        }
        if let Some(error) = self.funcs[func].without[stage].cells.get(key.as_slice()) {
            return Err(error.clone());
        }
        self.during(compiled, (func, component), stage, coords)
    }

    /// The value of a component of a func while a stage runs, or afterwards: the value that the
    /// stage wrote, else the value before it.
    fn during(
        &mut self,
        compiled: &Compiled,
        (func, component): (usize, usize),
        stage: usize,
        coords: &[i64],
    ) -> Result<Value> {
        if let Some(error) = self.funcs[func].without[stage].points.get(coords) {
            return Err(error.clone());
        }
        let written = self.funcs[func].values[stage][component].get(coords);
        if !self.dry {
            return match written {
                Some(value) => Ok(value),
                None => self.after(compiled, (func, component), stage - 1, coords),
            };
        }
        let key = cell_key(&compiled.funcs[func].stages[stage], coords);
        let anywhere = self.funcs[func].cells[stage].get(&key) == Some(None);
        match written {
            Some(value) if !anywhere => Ok(value),
            // The point may or may not have its earlier value. The reads of the earlier value count
            // in both cases.
            Some(_) | None => {
                let before = self.after(compiled, (func, component), stage - 1, coords)?;
                Ok(if anywhere { None } else { before })
            }
        }
    }

    /// Runs an update on all points that agree with `coords` in the stage's pure dimensions.
    fn run_cell(
        &mut self,
        compiled: &Compiled,
        (func, number): (usize, usize),
        coords: &[i64],
        key: &[i64],
    ) -> Result<()> {
        let stage = &compiled.funcs[func].stages[number];
        let rank = coords.len();
        self.funcs[func].cells[number].set(key, Some(Constant::bool(false)));
        // Invariant: the environment's non-pure dimensions are never read, because their variables
        // have no slot.
        let mut env: Vec<Value> =
            coords.iter().map(|coord| Some(Constant::int(i128::from(*coord)))).collect();
        env.resize(rank + stage.domain.len(), None);
        let mut target = Vec::with_capacity(rank);
        // `points` changes the first coordinate fastest, and the language changes the first
        // variable fastest.
        for point in halidom_ir::points(&stage.domain) {
            self.spend()?;
            for (slot, value) in env[rank..].iter_mut().zip(&point) {
                *slot = Some(Constant::int(i128::from(*value)));
            }
            let mut certain = true;
            if let Some(predicate) = &stage.predicate {
                let registers = self.run(compiled, (func, number), predicate, &env)?;
                let holds = registers[predicate.result(0).start];
                self.free_registers.push(registers);
                match holds.map(Constant::as_bool) {
                    Some(Some(true)) => {}
                    Some(Some(false)) => continue,
                    Some(None) => {
                        return Err(AlgorithmError::ill_typed(self.pool, compiled.funcs[func].id));
                    }
                    None => certain = false,
                }
            }
            let evaluated = self.run(compiled, (func, number), &stage.rule, &env);
            let registers = match evaluated {
                Ok(registers) => registers,
                // The value of an instance matters only if the point that it writes is demanded (FS
                // Fig. 6, Update-Eval).
                Err(error) if !self.dry && error != AlgorithmError::TooLong => {
                    self.locate(compiled, (func, number), &env, &mut target)?;
                    self.fail((func, number), (&target, &point), error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            target.clear();
            for dim in 0..rank {
                match registers[stage.rule.result(dim).start] {
                    Some(coord) => target.push(self.coordinate(compiled, func, coord)?),
                    None => certain = false,
                }
            }
            // Every component is evaluated before any is written.
            let values = results(&stage.rule, rank, compiled.funcs[func].components, &registers);
            self.free_registers.push(registers);
            let state = &mut self.funcs[func];
            if certain {
                for (table, value) in state.values[number].iter_mut().zip(&values) {
                    table.set(&target, *value);
                }
                if !state.without[number].points.is_empty() {
                    state.without[number].points.remove(target.as_slice());
                }
            }
            if let Some(instances) = &mut self.instances {
                let instance = [&target[..], &point].concat().into();
                instances.insert((func, number, instance), Ok(values));
            }
            if !certain {
                state.cells[number].set(key, None);
            }
        }
        Ok(())
    }

    /// Computes the point that an instance of an update writes, even if its values cannot be
    /// evaluated.
    fn locate(
        &mut self,
        compiled: &Compiled,
        (func, number): (usize, usize),
        env: &[Value],
        target: &mut Vec<i64>,
    ) -> Result<()> {
        let code = &compiled.funcs[func].stages[number].target;
        let registers = self.run(compiled, (func, number), code, env)?;
        target.clear();
        for dim in 0..compiled.funcs[func].rank {
            let id = compiled.funcs[func].id;
            let coord = known(self.pool, id, registers[code.result(dim).start])?;
            target.push(self.coordinate(compiled, func, coord)?);
        }
        self.free_registers.push(registers);
        Ok(())
    }

    /// Records that an instance writes a point and has no values.
    fn fail(
        &mut self,
        (func, number): (usize, usize),
        (target, point): (&[i64], &[i64]),
        error: AlgorithmError,
    ) {
        if let Some(instances) = &mut self.instances {
            let instance = [target, point].concat().into();
            instances.insert((func, number, instance), Err(error.clone()));
        }
        self.funcs[func].without[number].points.insert(target.into(), error);
    }

    /// Uses up one of the remaining steps.
    fn spend(&mut self) -> Result<()> {
        self.steps = self.steps.checked_sub(1).ok_or(AlgorithmError::TooLong)?;
        Ok(())
    }

    /// Evaluates a stage's code. The caller returns the registers to `free_registers`.
    fn run(
        &mut self,
        compiled: &Compiled,
        (func, stage): (usize, usize),
        code: &Code<Place>,
        env: &[Value],
    ) -> Result<Vec<Value>> {
        self.spend()?;
        let mut registers = self.free_registers.pop().unwrap_or_default();
        let read = |place: &Place, args: &[Value]| -> std::result::Result<Value, Stop> {
            // At any point of the func, its earlier stages read no inputs. Only the value is
            // unknown.
            if place.is_own()
                && args.contains(&None)
                && compiled.funcs[func].stages[..stage].iter().all(CompiledStage::reads_only_itself)
            {
                return Ok(None);
            }
            let mut coords = self.free_points.pop().unwrap_or_default();
            self.coordinates(compiled, func, args, &mut coords)?;
            let value = match place {
                Place::Own(component) => {
                    self.during(compiled, (func, *component), stage, &coords)?
                }
                Place::Func(number, component) => {
                    self.value(compiled, (*number, *component), &coords)?
                }
                Place::Input(number) => self.read_input(compiled, func, *number, &coords)?,
            };
            self.free_points.push(coords);
            Ok(value)
        };
        let mut notes = Notes::default();
        let result = stack::deep(|| code.run(env, &mut registers, false, &mut notes, read));
        self.notes.add(notes);
        match result {
            Ok(()) => Ok(registers),
            Err(Stop::Algorithm(error)) => Err(error),
            Err(Stop::Op(error)) => {
                Err(AlgorithmError::operator(self.pool, compiled.funcs[func].id, error))
            }
        }
    }

    fn read_input(
        &mut self,
        compiled: &Compiled,
        reader: usize,
        number: usize,
        coords: &[i64],
    ) -> Result<Value> {
        let input = &mut self.inputs[number];
        match &mut input.touched {
            Some(touched) => {
                for ((low, high), coord) in touched.iter_mut().zip(coords) {
                    *low = (*low).min(*coord);
                    *high = (*high).max(*coord);
                }
            }
            None => input.touched = Some(coords.iter().map(|coord| (*coord, *coord)).collect()),
        }
        match input.array.map(|array| (array.get(coords), array)) {
            Some((Some(value), _)) => Ok(Some(value)),
            Some((None, array)) if !self.dry => {
                let (input, reader) = (compiled.inputs[number], compiled.funcs[reader].id);
                Err(AlgorithmError::InputOutOfBounds {
                    input,
                    name: self.pool.func(input).name.clone(),
                    coords: coords.to_vec(),
                    shape: array.shape.clone(),
                    reader,
                    reader_name: self.pool.func(reader).name.clone(),
                })
            }
            Some((None, _)) | None => Ok(None),
        }
    }

    /// Stores the coordinates of a read in `coords`, replacing its contents.
    fn coordinates(
        &self,
        compiled: &Compiled,
        reader: usize,
        args: &[Value],
        coords: &mut Vec<i64>,
    ) -> Result<()> {
        coords.clear();
        for arg in args {
            coords.push(match arg {
                Some(constant) => self.coordinate(compiled, reader, *constant)?,
                None => {
                    let reader = compiled.funcs[reader].id;
                    let reader_name = self.pool.func(reader).name.clone();
                    return Err(AlgorithmError::DataDependent { reader, reader_name });
                }
            });
        }
        Ok(())
    }

    fn coordinate(&self, compiled: &Compiled, reader: usize, constant: Constant) -> Result<i64> {
        let func = compiled.funcs[reader].id;
        let value = (constant.scalar() == Scalar::Int)
            .then(|| constant.as_integer())
            .flatten()
            .ok_or_else(|| AlgorithmError::ill_typed(self.pool, func))?;
        i64::try_from(value)
            .map_err(|_| AlgorithmError::operator(self.pool, func, OpError::Beyond64(value)))
    }
}

/// The values of a stage's components. The stage's code produces them after the written point.
fn results(
    code: &Code<Place>,
    rank: usize,
    components: usize,
    registers: &[Value],
) -> Box<[Value]> {
    (rank..rank + components).map(|result| registers[code.result(result).start]).collect()
}

/// The coordinates in the stage's pure dimensions.
fn cell_key(stage: &CompiledStage, coords: &[i64]) -> Vec<i64> {
    let pure_dims = coords.iter().zip(&stage.pure_dims).filter(|(_, pure)| **pure);
    pure_dims.map(|(coord, _)| *coord).collect()
}

/// The reason why a stage's code stops: an operator, or a read whose value has an error.
enum Stop {
    Op(OpError),
    Algorithm(AlgorithmError),
}

impl From<OpError> for Stop {
    fn from(error: OpError) -> Self {
        Self::Op(error)
    }
}

impl From<AlgorithmError> for Stop {
    fn from(error: AlgorithmError) -> Self {
        Self::Algorithm(error)
    }
}
