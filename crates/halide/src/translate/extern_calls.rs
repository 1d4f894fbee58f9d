//! Calls of extern functions that compute funcs (`define_extern`).
//!
//! # Correctness
//! * The buffers of a call are those that [`super::structs`] knows.
//! * A call with a buffer that has no memory is a bounds query. It replaces the shapes of all such
//!   buffers by unknown ones. What is known of them is a part of [`Condition::ExternStages`]: the
//!   function asks for no less of its func than it is given, and for no less of its inputs than the
//!   values in the given window depend on. Before any loop, condition or store, the unknown shapes
//!   are parameters ([`super::externs`]), and what is known are entry checks. Later, they are
//!   results of uninterpreted functions, which get all loop variables, so that each query answers
//!   for itself. What is known holds by the form of the expressions: an answer is the union of an
//!   arbitrary region with the given window, or with what the value at the func's arbitrary point
//!   depends on if that point lies in the given window. Every answer that the condition allows is
//!   such a union. The scalars of a query must be the pipeline's, since the answer depends on them.
//! * Any other call writes each point of the shapes of its outputs, and no other: loops store the
//!   application of the func's uninterpreted function to the point, the scalars of the call, and
//!   the inputs' elements at their probes. The elements are found by the shape that the call is
//!   given. So the values that are owed for the func decide whether scalars and inputs are right.
//! * Three things are obligations: the window of the call lies in the one of a query, so that the
//!   function reads no more than that query answered; the shape of each buffer that is read, but
//!   for the caller's inputs, covers the answered region; and the memory holds the shapes, by the
//!   bounds of the accesses. Halide does not check the region of an input that the caller gives.
//!   The function sees its shape, and [`Condition::ExternStages`] says that it keeps to it.
//! * A call that fails returns a number other than 0. The statement must test that at once.

use halidom_ir::{
    BufferId, BufferKind, Constant, ExprId, FuncId, LoopKind, Pool, Stmt as IrStmt, StmtId,
    Type as IrType, VarId,
};

use super::buffers::{Query, Struct, is_ignored};
use super::error::{Result, unsupported};
use super::extern_queries::covers;
use super::extern_stages::{ExternStage, Side};
use super::externs::{self, Read, depends, function_name, pointer, probed, side, zero_of};
use super::nodes::Binding;
use super::ops::Value;
use super::polynomials::{Polynomial, depends as depends_on, polynomial};
use super::walk::{Item, Place, Walk};
use crate::pipeline::{ExternArgument, External, Func};
use crate::tree::{BinaryOp as Op, Call, CallKind, Expr, Scalar, Stmt, StmtKind};
use crate::{Condition, NameId};

/// An argument of a call.
enum Argument<'s> {
    Scalar(&'s Expr),
    /// A buffer, with the variable that holds it if the statement made it.
    Buffer(Option<usize>, Struct),
}

/// An operand of the uninterpreted function.
enum Operand {
    Known(Value),
    /// An element of an input at its probe, if that lies inside the region that is read.
    Probed {
        inside: ExprId,
        read: Value,
        left: Value,
    },
}

/// An element that is written: with the function of this name, in a type.
struct Written {
    name: String,
    buffer: BufferId,
    index: ExprId,
    ty: Scalar,
}

/// The greatest number of inputs of an extern function with values of more than one point.
const MOST_INPUTS: usize = 4;

impl<'a> Walk<'a> {
    /// Translates a call of an extern function that computes a func, if the value is one. Its
    /// result is 0 after it.
    pub(super) fn extern_call(
        &mut self,
        pool: &mut Pool,
        (name, value): (NameId, &Expr),
        rest: &[Stmt],
    ) -> Result<Option<(Binding, Vec<Item>)>> {
        let Expr::Call(call) = value else { return Ok(None) };
        let Call { name: function, ty: _, args, kind, component: _, parameter: _ } = &**call;
        let is_extern = matches!(kind, None | Some(CallKind::Extern | CallKind::ExternCPlusPlus));
        let Some(last) = args.last().filter(|_| is_extern) else { return Ok(None) };
        let Some((func, external)) = self.computed(pool, *function, last) else {
            return Ok(None);
        };
        if !self.source.settings.no_asserts && !self.is_tested(name, rest) {
            return unsupported("an extern stage whose result is not tested at once");
        }
        let is_mangled = external.is_mangled.unwrap_or(self.source.settings.mangles);
        if let Some(kind) = kind
            && is_mangled != (*kind == CallKind::ExternCPlusPlus)
        {
            return unsupported("an extern function by a name of another kind");
        }
        let [given, outputs] = self.arguments_of(pool, args, (func, external))?;
        self.contract.others.insert(Condition::ExternStages);
        let is_query = given.iter().chain(&outputs).any(|argument| match argument {
            Argument::Buffer(_, passed) => passed.memory.is_none(),
            Argument::Scalar(_) => false,
        });
        let items = if is_query {
            self.query(pool, (func, external), [&given, &outputs])?
        } else {
            self.computing(pool, (func, external), [&given, &outputs])?
        };
        let success = Value { id: pool.int(0), ty: Scalar::Int(32) };
        Ok(Some((Binding::Node(self.nodes.value(success)), items)))
    }

    /// The func that a call computes or asks about: the one that its last buffer belongs to.
    fn computed(
        &self,
        pool: &Pool,
        function: NameId,
        last: &Expr,
    ) -> Option<(&'a Func, &'a External)> {
        let Expr::Variable { name, ty: _ } = last else { return None };
        let (_, passed) = self.passed(last)?;
        let mut best: Option<(&'a Func, &'a External)> = None;
        for func in &self.pipeline.funcs {
            let Some(external) = func.external.as_ref() else { continue };
            if external.function != function {
                continue;
            }
            let is_it = match passed.memory {
                Some(id) => self.source.funcs.get(&func.name) == Some(&pool.buffer(id).func),
                None => {
                    let text = self.nodes.names.text(func.name);
                    let rest = self.nodes.names.text(*name).strip_prefix(text);
                    rest.is_some_and(|rest| rest.starts_with(".o"))
                }
            };
            let length = |func: &Func| self.nodes.names.text(func.name).len();
            if is_it && best.is_none_or(|(known, _)| length(known) < length(func)) {
                best = Some((func, external));
            }
        }
        best
    }

    /// The arguments of a call, compared with the pipeline's in number, kind, type and rank; a
    /// buffer with memory must hold the func that the pipeline names.
    fn arguments_of<'s>(
        &self,
        pool: &Pool,
        args: &'s [Expr],
        (func, external): (&Func, &External),
    ) -> Result<[Vec<Argument<'s>>; 2]> {
        const OTHER: &str = "an extern function with other arguments than the pipeline's";
        let mut args = args.iter();
        let buffer = |arg: Option<&Expr>, func: FuncId, component: usize| {
            let Some((number, passed)) = arg.and_then(|arg| self.passed(arg)) else {
                return unsupported(OTHER);
            };
            let ty = self.source.types[&func].get(component);
            let is_its = passed.memory.is_none_or(|id| {
                let decl = pool.buffer(id);
                let is_live = self.nodes.buffers.values().any(|known| known.id == id);
                (decl.func, decl.component) == (func, component) && is_live
            });
            if ty != Some(&passed.ty) || passed.dims.len() != pool.func(func).rank() || !is_its {
                return unsupported(OTHER);
            }
            Ok(Argument::Buffer(number, passed))
        };
        let reads = externs::reads(pool, self.source, &self.pipeline.funcs, external)?;
        let mut reads = reads.iter();
        let mut given = Vec::new();
        for stated in &external.arguments {
            if let ExternArgument::Scalar(expr) = stated {
                let Some(arg) = args.next() else { return unsupported(OTHER) };
                match (pointer(expr), arg) {
                    (None, _) => given.push(Argument::Scalar(arg)),
                    (Some(pointer), Expr::Variable { name, ty: _ })
                        if *name == pointer && self.nodes.is_pointer(pointer) => {}
                    (Some(_), _) => return unsupported(OTHER),
                }
                continue;
            }
            let Some(read) = reads.next() else { return unsupported(OTHER) };
            for component in 0..self.source.types[&read.func].len() {
                given.push(buffer(args.next(), read.func, component)?);
            }
        }
        let mut outputs = Vec::new();
        for component in 0..func.types.len() {
            outputs.push(buffer(args.next(), self.source.funcs[&func.name], component)?);
        }
        if args.next().is_some() {
            return unsupported(OTHER);
        }
        Ok([given, outputs])
    }

    fn stage_of(&self, func: &Func) -> Result<&'a ExternStage> {
        match self.source.externs.iter().find(|stage| stage.name == func.name) {
            Some(stage) => Ok(stage),
            None => unsupported("a func of an extern function that the algorithm does not have"),
        }
    }

    /// The window that all outputs of a call have.
    fn window_of(outputs: &[Argument<'_>]) -> Result<Vec<[ExprId; 2]>> {
        let mut windows = outputs.iter().map(|output| match output {
            Argument::Buffer(_, passed) => {
                passed.dims.iter().map(|dim| [dim.min, dim.extent]).collect()
            }
            Argument::Scalar(_) => Vec::new(),
        });
        let window: Vec<[ExprId; 2]> = windows.next().unwrap_or_default();
        if windows.any(|other| other != window) {
            return unsupported("an extern stage with several windows");
        }
        Ok(window)
    }

    /// A bounds query: the shapes of its buffers become unknown.
    fn query(
        &mut self,
        pool: &mut Pool,
        (func, external): (&Func, &External),
        [given, outputs]: [&[Argument<'_>]; 2],
    ) -> Result<Vec<Item>> {
        if self.place != Place::Host {
            return unsupported("a bounds query of an extern stage on a device");
        }
        // The answer replaces the shapes for all that follows in the text. So each run of the query
        // must come after the making of its buffers in the same iteration.
        let mut numbers = Vec::new();
        for argument in given.iter().chain(outputs) {
            if let Argument::Buffer(Some(number), passed) = argument
                && passed.memory.is_none()
            {
                if passed.region != self.region {
                    return unsupported("a bounds query with a buffer that was made elsewhere");
                }
                if numbers.contains(number) {
                    return unsupported("a bounds query with one buffer for two arguments");
                }
                numbers.push(*number);
            }
        }
        let stage = self.stage_of(func)?;
        let stated = external.arguments.iter().filter_map(|argument| match argument {
            ExternArgument::Scalar(expr) if pointer(expr).is_none() => Some(expr),
            ExternArgument::Scalar(_)
            | ExternArgument::Func(_)
            | ExternArgument::Image(_)
            | ExternArgument::Input(_) => None,
        });
        let scalars = given.iter().filter_map(|argument| match argument {
            Argument::Scalar(expr) => Some(*expr),
            Argument::Buffer(..) => None,
        });
        for (stated, scalar) in stated.zip(scalars) {
            let known = self.extern_scalars.iter().find(|(expr, _)| *expr == stated);
            let known = known.map(|(_, value)| *value);
            if known != Some(self.scalar(pool, scalar)?) {
                return unsupported("a bounds query with another scalar than the pipeline's");
            }
        }
        let window = Self::window_of(outputs)?;
        if self.asked_about.insert(func.name) {
            self.limit_reads(pool, (func, stage));
        }
        let of = |query: &&Query| query.func == func.name;
        let known = self.queries.iter().filter(of).find(|query| query.window == window);
        let known = known.map(|query| query.answer.clone());
        let is_inner = self.depth > 0 || self.work_begun;
        let (items, answered) = if is_inner {
            self.answer_within(pool, (func, stage), &window)?
        } else if let Some(answer) = &known {
            (Vec::new(), answer.clone())
        } else {
            let before = self.queries.iter().filter(of).count();
            let Some(answer) = stage.answers.get(before) else {
                return unsupported("more than two bounds queries of one func");
            };
            (self.answer_at_entry(pool, (func, stage), (&window, answer)), answer.clone())
        };
        if is_inner || known.is_none() {
            self.queries.push(Query { func: func.name, window, answer: answered.clone() });
        }
        for output in outputs {
            self.answered(pool, output, &answered.window);
        }
        let reads = externs::reads(pool, self.source, &self.pipeline.funcs, external)?;
        let counts = reads.iter().map(|read| self.source.types[&read.func].len());
        let regions: Vec<&Vec<Side>> = answered
            .inputs
            .iter()
            .zip(counts)
            .flat_map(|(region, count)| std::iter::repeat_n(region, count))
            .collect();
        let buffers = given.iter().filter(|given| matches!(given, Argument::Buffer(..)));
        for (buffer, region) in buffers.zip(regions) {
            self.answered(pool, buffer, region);
        }
        Ok(items)
    }

    /// Gives a buffer that serves for queries the shape that was answered.
    fn answered(&mut self, pool: &mut Pool, buffer: &Argument<'_>, sides: &[Side]) {
        let Argument::Buffer(Some(number), passed) = buffer else { return };
        let Some(made) = self.nodes.structs.get_mut(*number) else { return };
        if passed.memory.is_none() {
            for (dim, found) in made.dims.iter_mut().zip(sides) {
                [dim.min, dim.extent] = side(pool, *found);
            }
        }
    }

    /// A call that computes its func on the shape of its outputs.
    fn computing(
        &mut self,
        pool: &mut Pool,
        (func, external): (&Func, &External),
        [given, outputs]: [&[Argument<'_>]; 2],
    ) -> Result<Vec<Item>> {
        if self.place != Place::Host {
            return unsupported("an extern stage on a device");
        }
        self.may_store(func.name)?;
        let stage = self.stage_of(func)?;
        self.work_begun = true;
        let window = Self::window_of(outputs)?;
        let mut items = Vec::new();
        let asked = self.asked(pool, func, (&window, given))?;
        for (given, asked) in window.iter().zip(&asked.window) {
            let condition = covers(pool, *asked, *given);
            items.push(Item::Stmt(self.owed(pool, condition)?));
        }
        let text = self.nodes.names.text(func.name).to_owned();
        let zero = pool.int(0);
        let (mut loops, mut coords) = (Vec::new(), Vec::new());
        let mut operands = Vec::new();
        for (arg, [min, extent]) in func.args.iter().zip(&window) {
            let name = format!("{text}.s0.{}.rebased", self.nodes.names.text(*arg));
            let var = pool.declare_var(name, IrType::INT);
            let step = pool.var_expr(var);
            let coord = pool.add(*min, step);
            operands.push(Operand::Known(Value { id: coord, ty: Scalar::Int(32) }));
            coords.push(coord);
            loops.push((var, *extent));
        }
        let reads = externs::reads(pool, self.source, &self.pipeline.funcs, external)?;
        let number_of = |read: (usize, &Read)| {
            std::iter::repeat_n(read.0, self.source.types[&read.1.func].len())
        };
        let mut numbers: Vec<usize> = reads.iter().enumerate().flat_map(number_of).collect();
        numbers.reverse();
        for argument in given {
            match argument {
                Argument::Scalar(expr) => {
                    let node = self.nodes.elaborate(pool, expr)?;
                    if self.nodes.reads_memory(node) {
                        return unsupported("an extern stage with a scalar from memory");
                    }
                    operands.push(Operand::Known(self.scalar(pool, expr)?));
                }
                Argument::Buffer(made, passed) => {
                    let (Some(number), Some(memory)) = (numbers.pop(), passed.memory) else {
                        return unsupported("an extern stage with a buffer without memory");
                    };
                    let answered = &asked.answer.inputs[number];
                    let is_callers =
                        made.is_none() && pool.buffer(memory).kind == BufferKind::Input;
                    for (dim, (read, answered)) in
                        passed.dims.iter().zip(stage.reads[number].iter().zip(answered))
                    {
                        let wanted = side(pool, if is_callers { *read } else { *answered });
                        let condition = covers(pool, [dim.min, dim.extent], wanted);
                        if is_callers {
                            let known = self.known_of_stage(pool, func, condition);
                            self.of_stages.push(known);
                        } else {
                            items.push(Item::Stmt(self.owed(pool, condition)?));
                        }
                    }
                    let probe = &stage.probes[number];
                    let inside = depends(pool, stage, (&coords, number));
                    let operand = self.probe(pool, (probe, inside), (passed, memory))?;
                    operands.push(operand);
                }
            }
        }
        if operands.is_empty() {
            let id = pool.constant(Constant::bool(true));
            operands.push(Operand::Known(Value { id, ty: Scalar::UInt(1) }));
        }
        let vars: Vec<VarId> = loops.iter().map(|(var, _)| *var).collect();
        let places = self.places(pool, (func, external), outputs, &vars)?;
        self.touched()?;
        for output in outputs {
            if let Argument::Buffer(_, passed) = output
                && let Some(name) = passed.memory.and_then(|memory| self.name_of(memory))
            {
                self.written(name)?;
            }
        }
        let mut body = self.stores(pool, (&operands, &places), &mut Vec::new())?;
        for (var, extent) in loops {
            let kind = LoopKind::Serial;
            body = pool.stmt(IrStmt::For { var, min: zero, extent, kind, body });
        }
        items.push(Item::Stmt(body));
        Ok(items)
    }

    /// The element of an input at its probe.
    fn probe(
        &mut self,
        pool: &mut Pool,
        (point, inside): (&[VarId], ExprId),
        (passed, memory): (&Struct, BufferId),
    ) -> Result<Operand> {
        let point: Vec<ExprId> = point.iter().map(|var| pool.var_expr(*var)).collect();
        let mut index = pool.int(0);
        let places = point.iter().zip(&passed.origin);
        for ((coord, origin), dim) in places.zip(&passed.dims) {
            let slot = pool.sub(*coord, *origin);
            let length = pool.mul(slot, dim.stride);
            index = pool.add(index, length);
        }
        let value = pool.load(memory, index, None);
        let read = probed(pool, (inside, value), passed.ty)?;
        let left = zero_of(pool, passed.ty)?;
        self.note_access(memory);
        Ok(Operand::Probed { inside, read, left })
    }

    /// The elements of the outputs that an iteration writes.
    fn places(
        &mut self,
        pool: &mut Pool,
        (func, external): (&Func, &External),
        outputs: &[Argument<'_>],
        vars: &[VarId],
    ) -> Result<Vec<Written>> {
        let mut places = Vec::new();
        for (component, output) in outputs.iter().enumerate() {
            let Argument::Buffer(_, passed) = output else { continue };
            let Some(memory) = passed.memory else {
                return unsupported("an extern stage with a buffer without memory");
            };
            self.is_filled(pool, memory)?;
            let name = function_name(self.nodes.names, (external, func.name), component);
            let mut index = pool.int(0);
            for ((var, origin), dim) in vars.iter().zip(&passed.origin).zip(&passed.dims) {
                let mut slot = pool.var_expr(*var);
                if *origin != dim.min {
                    // A crop begins inside the memory of the buffer that it is a crop of.
                    let first = pool.sub(dim.min, *origin);
                    slot = pool.add(first, slot);
                }
                let length = pool.mul(slot, dim.stride);
                index = pool.add(index, length);
            }
            places.push(Written { name, buffer: memory, index, ty: passed.ty });
            self.note_access(memory);
        }
        Ok(places)
    }

    /// The stores of a point, one for each component. Whether a probe is read is decided first: an
    /// element of an input is read nowhere else.
    fn stores(
        &mut self,
        pool: &mut Pool,
        (operands, places): (&[Operand], &[Written]),
        decided: &mut Vec<(ExprId, bool)>,
    ) -> Result<StmtId> {
        let mut values = Vec::new();
        for operand in operands {
            let (inside, read, left) = match operand {
                Operand::Known(value) => {
                    values.push(*value);
                    continue;
                }
                Operand::Probed { inside, read, left } => (*inside, *read, *left),
            };
            let known = pool.as_constant(inside).and_then(Constant::as_bool);
            let chosen = decided.iter().find(|(condition, _)| *condition == inside);
            match known.or(chosen.map(|(_, holds)| *holds)) {
                Some(true) => values.push(read),
                Some(false) => values.push(left),
                None => {
                    if decided.len() == MOST_INPUTS {
                        return unsupported("an extern stage with so many inputs");
                    }
                    decided.push((inside, true));
                    let then_branch = self.stores(pool, (operands, places), decided)?;
                    decided.pop();
                    decided.push((inside, false));
                    let else_branch = Some(self.stores(pool, (operands, places), decided)?);
                    decided.pop();
                    let stmt = IrStmt::If { condition: inside, then_branch, else_branch };
                    return Ok(pool.stmt(stmt));
                }
            }
        }
        let mut stores = Vec::new();
        for Written { name, buffer, index, ty } in places {
            let value = self.lower(pool, |lowering| {
                let value = lowering.ops.named(name, &values, *ty)?;
                lowering.ops.as_stored(value)
            });
            let (buffer, index, value) = (*buffer, *index, value?);
            let (prophecy, atomic) = (None, false);
            stores.push(pool.stmt(IrStmt::Store { buffer, index, value, prophecy, atomic }));
        }
        Ok(if let [only] = *stores { only } else { pool.stmt(IrStmt::Block(stores)) })
    }

    /// The bounds query that says what a call reads: the one whose answer gave the inputs their
    /// shapes, or the one with the call's own window, or else the last one. Any choice is right, as
    /// the call's window must lie in it.
    fn asked(
        &self,
        pool: &Pool,
        func: &Func,
        (window, given): (&[[ExprId; 2]], &[Argument<'_>]),
    ) -> Result<Query> {
        let of: Vec<&Query> = self.queries.iter().filter(|query| query.func == func.name).collect();
        let shapes = given.iter().flat_map(|argument| match argument {
            Argument::Buffer(_, passed) => passed.dims.as_slice(),
            Argument::Scalar(_) => &[],
        });
        let shapes: Vec<Polynomial> = shapes
            .flat_map(|dim| [dim.min, dim.extent])
            .filter_map(|side| polynomial(pool, &self.definitions, side))
            .collect();
        let shaped = of.iter().find(|query| {
            let answered = query.answer.inputs.iter().flatten().flatten();
            let answered: Vec<VarId> = answered.copied().collect();
            shapes.iter().any(|shape| depends_on(shape, pool, &self.definitions, &answered))
        });
        let own = shaped.or(of.iter().find(|query| query.window == window));
        match own.or(of.last()) {
            Some(query) => Ok((*query).clone()),
            None => unsupported("an extern stage without a bounds query"),
        }
    }

    fn name_of(&self, memory: BufferId) -> Option<NameId> {
        let mut known = self.nodes.buffers.iter();
        known.find(|(_, buffer)| buffer.id == memory).map(|(name, _)| *name)
    }

    fn note_access(&mut self, memory: BufferId) {
        let name = self.name_of(memory);
        self.nodes.touched.extend(name);
    }

    /// The values of the scalars that the pipeline gives to extern functions, before the statement
    /// binds any name.
    pub(super) fn know_extern_scalars(&mut self, pool: &mut Pool) {
        let externals = self.pipeline.funcs.iter().filter_map(|func| func.external.as_ref());
        for argument in externals.flat_map(|external| &external.arguments) {
            if let ExternArgument::Scalar(expr) = argument
                && pointer(expr).is_none()
                && let Ok(value) = self.scalar(pool, expr)
            {
                self.extern_scalars.push((expr, value));
            }
        }
    }

    /// Tests whether statements call an extern function that computes a func.
    pub(super) fn calls_stage(&self, block: &[Stmt]) -> bool {
        block.iter().any(|stmt| {
            let mut found = false;
            if let StmtKind::Let { name: _, value } | StmtKind::Evaluate(value) = &stmt.kind {
                found = self.is_stage(value);
            }
            stmt.for_each_block(&mut |block| found = found || self.calls_stage(block));
            found
        })
    }

    /// Tests whether a value is a call of an extern function that computes a func.
    pub(super) fn is_stage(&self, value: &Expr) -> bool {
        let Expr::Call(call) = value else { return false };
        let externals = self.pipeline.funcs.iter().filter_map(|func| func.external.as_ref());
        externals.into_iter().any(|external| external.function == call.name)
    }

    /// Tests whether a result is compared with 0 before anything else happens than a `free`.
    fn is_tested(&self, result: NameId, rest: &[Stmt]) -> bool {
        for stmt in rest {
            if let StmtKind::Free(_) = &stmt.kind {
                continue;
            }
            if let StmtKind::Evaluate(Expr::Call(call)) = &stmt.kind
                && is_ignored(self.nodes.names.text(call.name))
            {
                continue;
            }
            let StmtKind::Assert { condition: Expr::Binary(Op::Eq, operands), message: _ } =
                &stmt.kind
            else {
                return false;
            };
            let [Expr::Variable { name, ty: _ }, Expr::Int(0, _)] = &**operands else {
                return false;
            };
            return *name == result;
        }
        false
    }
}
