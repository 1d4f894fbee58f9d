//! Execution (FS Fig. 8), statement by statement. Each statement runs at once for all lanes of the
//! enclosing vectorized loops.

use halidom_base::{FxHashMap, stack};
use halidom_ir::{BufferId, Check, Constant, FuncId, LoopKind, Pool, Scalar, StmtId, VarId};

use super::access::{boolean, integer, locate};
use super::compile::{Action, Claim, Compiled, Node, Target};
use super::fault::{Access, CheckFailure, Fault, Place, Role};
use super::memory::{Bounds, Memory, size};
use super::race::Step;
use super::trace::{Trace, Watch, Written};
use crate::Notes;
use crate::algorithm::Evaluator;
use crate::code::{Code, CodeError, OpError, Value};

/// The values of variables and the live buffers. Each lane of the enclosing vectorized loops has a
/// copy.
#[derive(Clone)]
pub(super) struct Lane {
    vars: Vec<Value>,
    memories: Vec<Option<usize>>,
    /// For each func that is being computed, the region in which its values must be right,
    /// innermost last. Used only if claims are checked.
    pub(super) needed: Vec<(FuncId, Vec<(i128, i128)>)>,
}

/// The remaining resources.
pub(super) struct Limits {
    pub(super) steps: Option<u64>,
    pub(super) elements: u64,
    /// The number of an element of which a load gives an undefined value.
    pub(super) unloaded: Option<i128>,
}

pub(super) struct Machine<'a> {
    pool: &'a Pool,
    memories: Vec<Memory>,
    pub(super) lanes: Vec<Lane>,
    path: Vec<Step>,
    /// The number of executions of parallel loops so far, which is also the newest instance.
    instances: u64,
    /// The instance of the outermost parallel loop.
    era: u64,
    random: u64,
    limits: Limits,
    /// The specification that claims are checked against, if they are checked.
    pub(super) oracle: Option<Evaluator<'a>>,
    pub(super) same_value_stores: bool,
    pub(super) notes: Notes,
    /// The watched statement, and the memory and element that are watched.
    pub(super) watched: (Option<StmtId>, Option<(usize, usize)>),
    pub(super) trace: Trace,
    pub(super) registers: Vec<Value>,
}

impl<'a> Machine<'a> {
    /// Makes a machine with the caller's `memories`, for the program's inputs and then its outputs.
    pub(super) fn new(
        pool: &'a Pool,
        compiled: &Compiled,
        memories: Vec<Memory>,
        seed: u64,
        limits: Limits,
        oracle: Option<Evaluator<'a>>,
    ) -> Self {
        let mut lane = Lane {
            vars: vec![None; compiled.vars],
            memories: vec![None; compiled.memories],
            needed: Vec::new(),
        };
        for (memory, slot) in compiled.inputs.iter().chain(&compiled.outputs).enumerate() {
            lane.memories[*slot] = Some(memory);
        }
        Self {
            pool,
            memories,
            lanes: vec![lane],
            path: Vec::new(),
            instances: 0,
            era: 0,
            random: seed,
            limits,
            oracle,
            same_value_stores: false,
            notes: Notes::default(),
            watched: (None, None),
            trace: Trace::default(),
            registers: Vec::new(),
        }
    }

    /// Runs a program to its end.
    pub(super) fn run(&mut self, body: &Node) -> Result<(), Fault> {
        self.execute(body, &[0])
    }

    /// Sets the statement to watch and the element of the caller's memory to watch.
    pub(super) fn look_for(&mut self, watch: &Watch) {
        let element = watch.element.as_ref().and_then(|(buffer, coords)| {
            let number = self.memories.iter().position(|memory| memory.buffer == *buffer)?;
            let coords: Vec<i128> = coords.iter().map(|coord| i128::from(*coord)).collect();
            Some((number, self.memories[number].element_at(&coords)?))
        });
        self.watched = (watch.stmt, element);
    }

    /// The caller's memory with this number, inputs first.
    pub(super) fn memory(&self, number: usize) -> &Memory {
        &self.memories[number]
    }

    fn execute(&mut self, node: &Node, active: &[usize]) -> Result<(), Fault> {
        stack::deep(|| self.execute_here(node, active))
    }

    fn execute_here(&mut self, node: &Node, active: &[usize]) -> Result<(), Fault> {
        let stmt = node.stmt;
        match &node.action {
            Action::Block(nodes) => nodes.iter().try_for_each(|node| self.execute(node, active)),
            Action::Let { slot, value, body } => {
                for lane in active {
                    self.evaluate(value, *lane, stmt)?;
                    let result = value.result(0).start;
                    let values = &self.registers[result..result + slot.count];
                    self.lanes[*lane].vars[slot.start..slot.start + slot.count]
                        .copy_from_slice(values);
                }
                self.execute(body, active)
            }
            Action::If { condition, then_branch, else_branch } => {
                let (mut holds, mut fails) = (Vec::new(), Vec::new());
                for lane in active {
                    let [value] = self.scalars(condition, *lane, stmt)?;
                    if boolean(value, Role::Condition, stmt)? { &mut holds } else { &mut fails }
                        .push(*lane);
                }
                if !holds.is_empty() {
                    self.execute(then_branch, &holds)?;
                }
                match else_branch {
                    Some(branch) if !fails.is_empty() => self.execute(branch, &fails),
                    Some(_) | None => Ok(()),
                }
            }
            Action::For { var, slot, bounds, kind, body } => {
                let mut ranges = Vec::with_capacity(active.len());
                for lane in active {
                    let [min, extent] = self.scalars(bounds, *lane, stmt)?;
                    let min = integer(min, Role::LoopBound, stmt)?;
                    ranges.push((*lane, min, integer(extent, Role::LoopBound, stmt)?));
                }
                match kind {
                    LoopKind::Serial | LoopKind::Unrolled => {
                        self.serial((*var, *slot), &ranges, body)
                    }
                    LoopKind::Parallel(_) | LoopKind::GpuBlocks | LoopKind::GpuThreads => {
                        self.parallel((*var, *slot), &ranges, body)
                    }
                    LoopKind::Vectorized => self.lockstep(*slot, &ranges, body),
                }
            }
            Action::Allocate { slot, buffer, scalar, dims, folded, within, body } => {
                let live = self.memories.len();
                for lane in active {
                    let dims = self.bounds(dims, folded, *lane, stmt)?;
                    let memory = self.allocate(*buffer, *scalar, dims)?;
                    let lender = within.and_then(|slot| self.lanes[*lane].memories[slot]);
                    if let Some(lender) = lender.map(|lender| &self.memories[lender])
                        && lender.len() < memory.len()
                    {
                        let name = self.pool.buffer(lender.buffer).name.clone();
                        let coords = vec![memory.len() as i128];
                        let place = Box::new(Place { buffer: lender.buffer, name, coords, stmt });
                        return Err(Fault::OutOfBounds { place, access: Access::Write });
                    }
                    self.lanes[*lane].memories[*slot] = Some(self.memories.len());
                    self.memories.push(memory);
                }
                self.execute(body, active)?;
                self.memories.truncate(live);
                Ok(())
            }
            Action::Assert { condition, check, intervals } => {
                self.assert(condition, (check, intervals.as_ref()), active, stmt)
            }
            Action::Write { targets, code, coords, lanes: 1, claim, atomic: true } => {
                self.step()?;
                for lane in active {
                    self.update(stmt, (targets, claim.as_ref()), code, *coords, *lane)?;
                }
                Ok(())
            }
            Action::Write { atomic: true, .. } => Err(Fault::Malformed(CodeError::Lanes)),
            Action::Write { targets, code, coords, lanes, claim, atomic: false } => {
                self.step()?;
                self.write(stmt, (targets, claim.as_ref()), code, (*coords, *lanes), active)
            }
            Action::Needed { func, needed, rank, body } => {
                for lane in active {
                    self.evaluate(needed, *lane, stmt)?;
                    let number = |k: usize| {
                        integer(self.registers[needed.result(k).start], Role::Needed, stmt)
                    };
                    let region = (0..*rank)
                        .map(|dim| Ok((number(2 * dim)?, number(2 * dim + 1)?)))
                        .collect::<Result<_, Fault>>()?;
                    self.lanes[*lane].needed.push((*func, region));
                }
                self.execute(body, active)?;
                for lane in active {
                    self.lanes[*lane].needed.pop();
                }
                Ok(())
            }
        }
    }

    fn assert(
        &mut self,
        condition: &Code<Target>,
        (check, intervals): (&Check, Option<&Code<Target>>),
        active: &[usize],
        stmt: StmtId,
    ) -> Result<(), Fault> {
        for lane in active {
            let [value] = self.exact_scalars(condition, *lane, stmt)?;
            if boolean(value, Role::Assert, stmt)? {
                continue;
            }
            let (mut needed, mut given) = (None, None);
            if let Some(intervals) = intervals {
                // If the intervals have no value, the check's message is printed without them.
                if let Ok(values) = self.exact_scalars::<4>(intervals, *lane, stmt) {
                    let number = |k: usize| values[k].and_then(Constant::as_integer);
                    needed = number(0).zip(number(1));
                    given = number(2).zip(number(3));
                }
            }
            let check = check.clone();
            return Err(Fault::CheckFailed(Box::new(CheckFailure { check, needed, given })));
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), Fault> {
        match &mut self.limits.steps {
            None => Ok(()),
            Some(0) => Err(Fault::OutOfSteps),
            Some(steps) => {
                *steps -= 1;
                Ok(())
            }
        }
    }

    /// Runs the iterations in order. A lane takes part as long as its own range lasts.
    fn serial(
        &mut self,
        slot: (VarId, usize),
        ranges: &[(usize, i128, i128)],
        body: &Node,
    ) -> Result<(), Fault> {
        let longest = ranges.iter().map(|range| range.2).max().unwrap_or(0);
        for iteration in 0..longest {
            self.iterate(slot, ranges, iteration, body)?;
        }
        Ok(())
    }

    /// Runs the iterations in an order drawn from the seed. Each has its own step in the path.
    fn parallel(
        &mut self,
        slot: (VarId, usize),
        ranges: &[(usize, i128, i128)],
        body: &Node,
    ) -> Result<(), Fault> {
        let longest = ranges.iter().map(|range| range.2).max().unwrap_or(0);
        if longest <= 0 {
            return Ok(());
        }
        self.instances += 1;
        let instance = self.instances;
        if self.path.is_empty() {
            self.era = instance;
        }
        let (factor, offset) = self.permutation(longest);
        for number in 0..longest {
            let iteration = (factor * number + offset).rem_euclid(longest);
            self.path.push(Step { instance, iteration });
            self.iterate(slot, ranges, iteration, body)?;
            self.path.pop();
        }
        Ok(())
    }

    fn iterate(
        &mut self,
        (var, slot): (VarId, usize),
        ranges: &[(usize, i128, i128)],
        iteration: i128,
        body: &Node,
    ) -> Result<(), Fault> {
        self.step()?;
        let mut active = Vec::with_capacity(ranges.len());
        for (lane, min, extent) in ranges {
            if iteration < *extent {
                self.bind(*lane, slot, min + iteration, body.stmt)?;
                active.push(*lane);
            }
        }
        let Some((_, min, _)) = ranges.first() else { return Ok(()) };
        // After a fault the enclosing loops stay in the trace.
        self.trace.loops.push((var, min + iteration));
        self.execute(body, &active)?;
        self.trace.loops.pop();
        Ok(())
    }

    /// Runs all iterations at once, each in its own lane.
    fn lockstep(
        &mut self,
        slot: usize,
        ranges: &[(usize, i128, i128)],
        body: &Node,
    ) -> Result<(), Fault> {
        let first = self.lanes.len();
        for (lane, min, extent) in ranges {
            for iteration in 0..*extent {
                self.step()?;
                let copy = self.lanes[*lane].clone();
                self.lanes.push(copy);
                self.bind(self.lanes.len() - 1, slot, min + iteration, body.stmt)?;
            }
        }
        let active: Vec<usize> = (first..self.lanes.len()).collect();
        if !active.is_empty() {
            self.execute(body, &active)?;
        }
        self.lanes.truncate(first);
        Ok(())
    }

    fn bind(&mut self, lane: usize, slot: usize, value: i128, stmt: StmtId) -> Result<(), Fault> {
        if i64::try_from(value).is_err() {
            return Err(Fault::IndexOverflow { value, stmt });
        }
        self.lanes[lane].vars[slot] = Some(Constant::int(value));
        Ok(())
    }

    /// Draws a bijection `k -> (factor * k + offset) mod length`. It gives an order of iterations
    /// that needs no memory.
    fn permutation(&mut self, length: i128) -> (i128, i128) {
        let offset = i128::from(self.draw()).rem_euclid(length);
        // Below 2^32 the products stay far within 128 bits.
        let mut factor = i128::from(self.draw() >> 32).rem_euclid(length).max(1);
        while greatest_common_divisor(factor, length) != 1 {
            factor -= 1;
        }
        (factor, offset)
    }

    /// The `SplitMix64` generator.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.random;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn bounds(
        &mut self,
        dims: &Code<Target>,
        folded: &[bool],
        lane: usize,
        stmt: StmtId,
    ) -> Result<Vec<Bounds>, Fault> {
        self.evaluate(dims, lane, stmt)?;
        let number =
            |k: usize| integer(self.registers[dims.result(k).start], Role::AllocationBound, stmt);
        folded
            .iter()
            .enumerate()
            .map(|(dim, folded)| {
                let (min, extent, stride) =
                    (number(3 * dim)?, number(3 * dim + 1)?, number(3 * dim + 2)?);
                Ok(Bounds { min, extent, stride, folded: *folded })
            })
            .collect()
    }

    fn allocate(
        &self,
        buffer: BufferId,
        scalar: Scalar,
        dims: Vec<Bounds>,
    ) -> Result<Memory, Fault> {
        let elements = size(&dims).unwrap_or(i128::MAX);
        let live: usize = self.memories.iter().map(Memory::len).sum();
        let fits =
            |size: &usize| (*size as u64).saturating_add(live as u64) <= self.limits.elements;
        match usize::try_from(elements).ok().filter(fits) {
            Some(size) => Ok(Memory::undefined((buffer, scalar), dims, size, self.path.len())),
            None => Err(Fault::TooLarge { name: self.pool.buffer(buffer).name.clone(), elements }),
        }
    }

    /// Evaluates every active lane before it writes any element.
    fn write(
        &mut self,
        stmt: StmtId,
        (targets, claim): (&[Target], Option<&Claim>),
        code: &Code<Target>,
        (coords, lanes): (usize, usize),
        active: &[usize],
    ) -> Result<(), Fault> {
        let mut writes = Vec::with_capacity(active.len() * lanes * targets.len());
        let mut point = Vec::with_capacity(coords);
        for lane in active {
            self.evaluate(code, *lane, stmt)?;
            for k in 0..lanes {
                point.clear();
                point.extend((0..coords).map(|coord| self.registers[code.result(coord).at(k)]));
                for (component, target) in targets.iter().enumerate() {
                    let value = self.registers[code.result(coords + component).at(k)];
                    let (memory, element) = locate(
                        self.pool,
                        &self.memories,
                        &self.lanes[*lane].memories,
                        (target, &point),
                        stmt,
                        Access::Write,
                    )?;
                    writes.push((memory, element, value));
                }
            }
            if let Some(claim) = claim {
                let written = writes.len() - lanes * targets.len();
                self.check_claim(claim, *lane, (&writes[written..], targets.len()), stmt)?;
            }
        }
        // Lanes that write the same element must agree. Increasing elements of one buffer, the
        // usual case, do not collide.
        let increasing =
            writes.windows(2).all(|pair| pair[0].0 == pair[1].0 && pair[0].1 < pair[1].1);
        if !increasing {
            let mut first = FxHashMap::default();
            for (memory, element, value) in &writes {
                if *first.entry((*memory, *element)).or_insert(*value) != *value {
                    let place = Box::new(self.element_place(*memory, *element, stmt));
                    return Err(Fault::LaneConflict { place });
                }
            }
        }
        if self.watched.0 == Some(stmt) {
            self.trace.executions += 1;
        }
        for (number, element, value) in writes {
            self.watch(number, element, value, stmt);
            let memory = &mut self.memories[number];
            if value.is_some_and(|value| value.scalar() != memory.scalar) {
                return Err(Fault::Eval(halidom_ir::eval::EvalError::IllTyped));
            }
            match memory.write(element, value, self.era, &self.path) {
                Ok(shared) => self.same_value_stores |= shared,
                Err(conflict) => {
                    let place = Box::new(self.element_place(number, element, stmt));
                    return Err(Fault::Race { place, conflict });
                }
            }
        }
        Ok(())
    }

    /// Executes one lane's atomic update. Its read of the element that it writes is not a separate
    /// access.
    fn update(
        &mut self,
        stmt: StmtId,
        (targets, claim): (&[Target], Option<&Claim>),
        code: &Code<Target>,
        coords: usize,
        lane: usize,
    ) -> Result<(), Fault> {
        let [target] = targets else {
            return Err(Fault::Malformed(CodeError::Lanes));
        };
        self.evaluate_ints(code, lane, stmt, Ints::In64Bits, Some(target))?;
        let point: Vec<Value> =
            (0..coords).map(|coord| self.registers[code.result(coord).start]).collect();
        let value = self.registers[code.result(coords).start];
        let slots = &self.lanes[lane].memories;
        let (number, element) =
            locate(self.pool, &self.memories, slots, (target, &point), stmt, Access::Write)?;
        if let Some(claim) = claim {
            self.check_claim(claim, lane, (&[(number, element, value)], 1), stmt)?;
        }
        if self.watched.0 == Some(stmt) {
            self.trace.executions += 1;
        }
        self.watch(number, element, value, stmt);
        let memory = &mut self.memories[number];
        if value.is_some_and(|value| value.scalar() != memory.scalar) {
            return Err(Fault::Eval(halidom_ir::eval::EvalError::IllTyped));
        }
        memory.update(element, value, self.era, &self.path).map_err(|conflict| {
            let place = Box::new(self.element_place(number, element, stmt));
            Fault::Race { place, conflict }
        })
    }

    /// Records a write to the watched element.
    fn watch(&mut self, memory: usize, element: usize, value: Value, stmt: StmtId) {
        if self.watched.1 == Some((memory, element)) {
            let loops = self.trace.loops.clone();
            self.trace.last = Some(Written { stmt, loops, value });
        }
    }

    pub(super) fn element_place(&self, memory: usize, element: usize, stmt: StmtId) -> Place {
        let memory = &self.memories[memory];
        let name = self.pool.buffer(memory.buffer).name.clone();
        Place { buffer: memory.buffer, name, coords: vec![element as i128], stmt }
    }

    /// Evaluates code whose results have one lane.
    fn scalars<const N: usize>(
        &mut self,
        code: &Code<Target>,
        lane: usize,
        stmt: StmtId,
    ) -> Result<[Value; N], Fault> {
        self.evaluate(code, lane, stmt)?;
        Ok(std::array::from_fn(|k| self.registers[code.result(k).start]))
    }

    /// Evaluates code of an entry check, whose results have one lane and whose `int`s are exact.
    fn exact_scalars<const N: usize>(
        &mut self,
        code: &Code<Target>,
        lane: usize,
        stmt: StmtId,
    ) -> Result<[Value; N], Fault> {
        self.evaluate_ints(code, lane, stmt, Ints::Exact, None)?;
        Ok(std::array::from_fn(|k| self.registers[code.result(k).start]))
    }

    /// Evaluates code for one lane into the registers.
    pub(super) fn evaluate(
        &mut self,
        code: &Code<Target>,
        lane: usize,
        stmt: StmtId,
    ) -> Result<(), Fault> {
        self.evaluate_ints(code, lane, stmt, Ints::In64Bits, None)
    }

    fn evaluate_ints(
        &mut self,
        code: &Code<Target>,
        lane: usize,
        stmt: StmtId,
        ints: Ints,
        updated: Option<&Target>,
    ) -> Result<(), Fault> {
        let (pool, era, unloaded) = (self.pool, self.era, self.limits.unloaded);
        let (memories, path) = (&mut self.memories, &self.path);
        let Lane { vars, memories: slots, needed: _ } = &self.lanes[lane];
        let read = |target: &Target, point: &[Value]| -> Result<Value, Stop> {
            let element = if let [Some(element)] = point { element.as_integer() } else { None };
            if unloaded.is_some() && element == unloaded {
                return Ok(None);
            }
            let (number, element) =
                locate(pool, memories, slots, (target, point), stmt, Access::Read)
                    .map_err(Stop::Fault)?;
            let memory = &mut memories[number];
            // An atomic update reads only the element of its buffer that it writes; `ir::verify`
            // checks this.
            if updated == Some(target) {
                return Ok(memory.peek(element));
            }
            memory.read(element, era, path).map_err(|conflict| {
                let name = pool.buffer(memory.buffer).name.clone();
                let coords = vec![element as i128];
                let place = Box::new(Place { buffer: memory.buffer, name, coords, stmt });
                Stop::Fault(Fault::Race { place, conflict })
            })
        };
        let in_64_bits = ints == Ints::In64Bits;
        match code.run(vars, &mut self.registers, in_64_bits, &mut self.notes, read) {
            Ok(()) => Ok(()),
            Err(Stop::Fault(fault)) => Err(fault),
            Err(Stop::Op(OpError::Eval(error))) => Err(Fault::Eval(error)),
            Err(Stop::Op(OpError::Beyond64(value))) => Err(Fault::IndexOverflow { value, stmt }),
        }
    }
}

fn greatest_common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a.rem_euclid(b));
    }
    a
}

/// The treatment of `int`s that do not fit 64 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ints {
    /// A fault, as in generated code.
    In64Bits,
    /// No fault, as in entry checks. Generated code evaluates these from the left, only until they
    /// are decided.
    Exact,
}

/// The reason why code stops: an operator, or an access.
enum Stop {
    Op(OpError),
    Fault(Fault),
}

impl From<OpError> for Stop {
    fn from(error: OpError) -> Self {
        Self::Op(error)
    }
}
