//! Lowers nodes to expressions of `ir`, for a subset of their lanes.
//!
//! `ir` has no shuffles: a vector there is an affine index, or the same operator on every lane.
//! Here a vector of Halide is a function of its lane, and is evaluated at lanes a fixed step apart.
//! Where these lanes come from different places, the answer tells how to divide them
//! ([`Stop::Divide`]), down to single lanes.
//!
//! A scalar in a vector is computed once, and all lanes get its value. If it is computed from an
//! element of an input whose stride may be 0, each lane computes it from that element, with the
//! same result: for the pipeline, the lanes read different elements, and claims say which.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{Constant, Expr, ExprId, Overflow, Pool, Scalar as Type};

use super::error::{Result, Unsupported, unsupported};
use super::nodes::{Gather, Node, NodeId, Nodes};
use super::ops::{Ops, Value, Widths, is_half, stored};
use crate::pipeline::ACCESS;
use crate::tree::{BinaryOp, ReduceOp, Scalar};

/// The index of another element that no buffer has. A load from there stands for the value of a
/// lane whose load is not made, which must not influence anything. To validate a program is to show
/// that the load is never made; a run of it gives an undefined value there, and refutes only if
/// that value reaches an output or decides something.
pub const UNLOADED: i128 = -(1 << 41);

/// The lanes `first, first + step, …`, `count` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lanes {
    pub(super) first: i64,
    pub(super) step: i64,
    pub(super) count: u32,
}

impl Lanes {
    pub(super) const ONE: Self = Self { first: 0, step: 0, count: 1 };

    /// All lanes of a vector with `count` lanes.
    pub(super) fn all(count: u32) -> Self {
        Self { first: 0, step: i64::from(count > 1), count }
    }

    pub(super) fn new(first: i64, step: i64, count: u32) -> Self {
        Self { first, step: if count == 1 { 0 } else { step }, count }
    }

    fn last(self) -> i64 {
        self.first + self.step * i64::from(self.count - 1)
    }

    /// Each lane separately, in order.
    pub(super) fn singles(self) -> impl Iterator<Item = Self> {
        (0..i64::from(self.count))
            .map(move |number| Self::new(self.first + number * self.step, 0, 1))
    }

    /// The parts that a division makes.
    pub(super) fn divided(self, division: Division) -> Vec<Self> {
        match division {
            Division::Classes(classes) => {
                let classes = classes.min(self.count);
                let part = |class: u32| {
                    let first = self.first + self.step * i64::from(class);
                    let count = (self.count - class).div_ceil(classes);
                    Self::new(first, self.step * i64::from(classes), count)
                };
                (0..classes).map(part).collect()
            }
            Division::Cut(at) => {
                let rest = self.first + self.step * i64::from(at);
                vec![
                    Self::new(self.first, self.step, at),
                    Self::new(rest, self.step, self.count - at),
                ]
            }
            Division::Each => self.singles().collect(),
        }
    }
}

/// A division of lanes, by their positions among the requested lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Division {
    /// By the position's remainder modulo this number.
    Classes(u32),
    /// The lanes before this position, and the rest.
    Cut(u32),
    /// Each lane separately.
    Each,
}

/// The reason why there is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The lanes come from different places.
    Divide(Division),
    /// There is no translation.
    Unsupported(Unsupported),
}

impl From<Unsupported> for Stop {
    fn from(what: Unsupported) -> Self {
        Self::Unsupported(what)
    }
}

pub(super) type Step<T> = std::result::Result<T, Stop>;

/// The expressions of nodes that were lowered before.
#[derive(Default)]
pub(super) struct Memo {
    known: FxHashMap<(NodeId, Lanes), Value>,
    /// Scalars that each lane computes by itself, and others.
    spread: FxHashMap<NodeId, bool>,
    /// The annotated coordinates of loads.
    pub(super) loads: FxHashMap<ExprId, Vec<ExprId>>,
    /// The widths in which `int`s are computed.
    pub(super) widths: Widths,
}

/// Lowers nodes to expressions.
pub(super) struct Lowering<'a, 'n> {
    pub(super) nodes: &'a Nodes<'n>,
    pub(super) ops: Ops<'a>,
    known: &'a mut FxHashMap<(NodeId, Lanes), Value>,
    spread: &'a mut FxHashMap<NodeId, bool>,
    loads: &'a mut FxHashMap<ExprId, Vec<ExprId>>,
    /// The condition under which one lane is stored.
    holds: Option<ExprId>,
}

impl<'a, 'n> Lowering<'a, 'n> {
    pub(super) fn new(
        nodes: &'a Nodes<'n>,
        pool: &'a mut Pool,
        memo: &'a mut Memo,
        signed: Overflow,
    ) -> Self {
        let Memo { known, spread, loads, widths } = memo;
        Self { nodes, ops: Ops { pool, widths, signed }, known, spread, loads, holds: None }
    }

    /// The expression of one lane of a node where a condition holds. A load whose own predicate is
    /// that condition is made. Any other one is made where its predicate holds; elsewhere it has
    /// the value of a lane whose load is not made.
    pub(super) fn value_under(
        &mut self,
        id: NodeId,
        lanes: Lanes,
        condition: Option<ExprId>,
    ) -> Step<Value> {
        let is_one = lanes.count == 1;
        let Some(condition) = condition.filter(|_| is_one && self.nodes.has_predicates(id)) else {
            return self.value(id, lanes);
        };
        // What is known of a node under the condition says nothing about other places.
        let known = std::mem::take(self.known);
        self.holds = Some(condition);
        let value = self.value(id, lanes);
        self.holds = None;
        *self.known = known;
        value
    }

    /// Notes the annotated coordinates of a load.
    pub(super) fn note_load(&mut self, load: ExprId, coords: Vec<ExprId>) {
        self.loads.insert(load, coords);
    }

    /// The expression of a node that has one lane.
    pub(super) fn scalar(&mut self, id: NodeId) -> Result<Value> {
        if self.nodes.lanes(id) != 1 {
            return unsupported("a vector here");
        }
        match self.value(id, Lanes::ONE) {
            Ok(value) => Ok(value),
            Err(Stop::Unsupported(what)) => Err(what),
            Err(Stop::Divide(_)) => unsupported("this shuffle"),
        }
    }

    /// The expression of some lanes of a node.
    pub(super) fn value(&mut self, id: NodeId, lanes: Lanes) -> Step<Value> {
        let single = self.nodes.lanes(id) == 1;
        let asked = if !single {
            lanes
        } else if lanes.count > 1 && self.is_spread(id) {
            Lanes::all(lanes.count)
        } else {
            Lanes::ONE
        };
        let value = match self.known.get(&(id, asked)) {
            Some(value) => *value,
            None => {
                let value = self.evaluate(id, asked)?;
                self.known.insert((id, asked), value);
                value
            }
        };
        let wide = self.ops.broadcast(value.id, lanes.count);
        Ok(Value { id: wide, ..value })
    }

    /// Tests whether each lane computes a scalar by itself.
    fn is_spread(&mut self, id: NodeId) -> bool {
        let nodes = self.nodes;
        *self.spread.entry(id).or_insert_with(|| nodes.reads_repeated(id))
    }

    fn evaluate(&mut self, id: NodeId, lanes: Lanes) -> Step<Value> {
        let nodes = self.nodes;
        let ty = nodes.ty(id).scalar;
        match nodes.node(id) {
            Node::Value(value) => {
                let all = nodes.lanes(id);
                if all > 1 && lanes != Lanes::all(all) {
                    return Ok(unsupported("some lanes of a vector that is evaluated before")?);
                }
                Ok(Value { id: *value, ty })
            }
            Node::Cast(operand) => {
                let operand = self.value(*operand, lanes)?;
                Ok(self.ops.cast(ty, operand)?)
            }
            Node::Reinterpret(operand) => self.reinterpreted(*operand, (id, ty), lanes),
            Node::Binary(op, a, b) => {
                let (a, b) = (self.value(*a, lanes)?, self.value(*b, lanes)?);
                Ok(self.ops.binary(*op, a, b)?)
            }
            Node::Not(operand) => {
                let operand = self.value(*operand, lanes)?;
                Ok(self.ops.not(operand)?)
            }
            Node::Select(condition, a, b) => {
                let condition = self.value(*condition, lanes)?;
                let (a, b) = (self.value(*a, lanes)?, self.value(*b, lanes)?);
                Ok(self.ops.select(condition, a, b)?)
            }
            Node::Load { buffer, index, predicate } => {
                let predicate = match (predicate, self.holds) {
                    (None, _) => None,
                    (Some(predicate), Some(holds)) if lanes.count == 1 => {
                        let made = self.value(*predicate, lanes)?.id;
                        let always = Some(Constant::bool(true));
                        let is_made = made == holds || self.ops.pool.as_constant(made) == always;
                        (!is_made).then_some(made)
                    }
                    (Some(_), _) => {
                        return Ok(unsupported(
                            "a load of some lanes by another condition than its store's",
                        )?);
                    }
                };
                let index = self.value(*index, lanes)?;
                let index = self.ops.as_index(index)?;
                let mut id = self.ops.pool.load(*buffer, index, None);
                if let Some(made) = predicate {
                    let nowhere = self.ops.pool.int(UNLOADED);
                    let unloaded = self.ops.pool.load(*buffer, nowhere, None);
                    id = self.ops.pool.select(made, id, unloaded);
                }
                Ok(Value { id, ty })
            }
            Node::Ref { func, component, args } => {
                let args = args.iter().map(|arg| {
                    let arg = self.value(*arg, lanes)?;
                    Ok(self.ops.as_index(arg)?)
                });
                let args = args.collect::<Step<Vec<_>>>()?;
                let id = self.ops.pool.func_ref(*func, *component, args);
                Ok(Value { id, ty })
            }
            Node::Ramp { base, stride } => self.ramp((*base, *stride), ty, lanes),
            Node::Broadcast(value) => {
                let (within, _) = self.repeated(*value, lanes)?;
                self.value(*value, within)
            }
            Node::Call(name, args) if nodes.is_marked((*name, args)) => {
                let value = self.value(args[1], lanes)?;
                note_load(self, args[0], value, lanes);
                Ok(value)
            }
            Node::Call(name, args)
                if nodes.named.functions.contains(name)
                    || (args.is_empty() && nodes.named.pointers.contains(name)) =>
            {
                self.named((*name, args), ty, lanes)
            }
            Node::Call(name, args) => {
                let args = args.iter().map(|arg| self.value(*arg, lanes));
                let args = args.collect::<Step<Vec<_>>>()?;
                let name = nodes.names.text(*name);
                let value = self.ops.call(name, &args, ty)?;
                // The code takes the stated type for that of the result.
                if value.ty != ty {
                    return Ok(unsupported("a call of another type than its result")?);
                }
                // These two are noted where they are met (`Nodes::passed_over`).
                if !matches!(name, "return_second" | "memoize_expr") {
                    self.keeps_loads(&args, value)?;
                }
                Ok(value)
            }
            Node::Gather(gather, vectors) => self.gather(gather, vectors, lanes),
            Node::Reduce(op, operand) => {
                let factor = i64::from(nodes.lanes(*operand) / nodes.lanes(id));
                let part = |number| {
                    Lanes::new(lanes.first * factor + number, lanes.step * factor, lanes.count)
                };
                let mut result = self.value(*operand, part(0))?;
                for number in 1..factor {
                    let next = self.value(*operand, part(number))?;
                    result = self.reduce(*op, result, next)?;
                }
                Ok(result)
            }
        }
    }

    /// Refuses a value that does not show all loads of its operands: they are made all the same.
    fn keeps_loads(&self, operands: &[Value], value: Value) -> Result<()> {
        let pool = &*self.ops.pool;
        let loads = |id: ExprId| {
            let mut found = FxHashSet::default();
            pool.for_each_subexpr(id, &mut |id, expr| {
                if matches!(expr, Expr::Load { .. }) {
                    found.insert(id);
                }
            });
            found
        };
        let mut read = operands.iter().filter(|operand| self.ops.reads(operand.id)).peekable();
        if read.peek().is_none() {
            return Ok(());
        }
        let shown = loads(value.id);
        if read.all(|operand| loads(operand.id).is_subset(&shown)) {
            return Ok(());
        }
        unsupported("an operand that reads memory and has no part in the value")
    }

    fn reduce(&mut self, op: ReduceOp, a: Value, b: Value) -> Result<Value> {
        let op = match op {
            ReduceOp::Add => BinaryOp::Add,
            ReduceOp::SaturatingAdd => return self.ops.call("saturating_add", &[a, b], a.ty),
            ReduceOp::Mul => BinaryOp::Mul,
            ReduceOp::Min => BinaryOp::Min,
            ReduceOp::Max => BinaryOp::Max,
            ReduceOp::And => BinaryOp::And,
            ReduceOp::Or => BinaryOp::Or,
        };
        self.ops.binary(op, a, b)
    }

    /// Lanes of a repeated vector. Returns the lanes within the vector, the number of the
    /// repetition that holds the first lane, and the step of that number from lane to lane.
    fn repeated(&self, vector: NodeId, lanes: Lanes) -> Step<(Lanes, (i64, i64))> {
        let width = i64::from(self.nodes.lanes(vector));
        let Lanes { first, step, count } = lanes;
        if width == 1 || step % width == 0 {
            // One lane of each repetition.
            return Ok((Lanes::new(first % width, 0, count), (first / width, step / width)));
        }
        if first / width == lanes.last() / width {
            return Ok((Lanes::new(first % width, step, count), (first / width, 0)));
        }
        let stays = |number: &u32| (first + step * i64::from(*number)) / width == first / width;
        let cut = (1..count).find(|number| !stays(number)).unwrap_or(count);
        Err(Stop::Divide(Division::Cut(cut)))
    }

    fn ramp(&mut self, (base, stride): (NodeId, NodeId), ty: Scalar, lanes: Lanes) -> Step<Value> {
        let (within, (number, step)) = self.repeated(base, lanes)?;
        let within = if self.nodes.lanes(base) == 1 { Lanes::ONE } else { within };
        let base = self.value(base, within)?;
        let stride = self.value(stride, within)?;
        let affine = |ops: &Ops<'_>, value: Value| {
            let ty = ops.pool.ty(value.id);
            ty.scalar == Type::Int && ty.lanes == 1
        };
        if affine(&self.ops, base) && affine(&self.ops, stride) {
            let id = self.steps((base, stride), (number, step), lanes.count)?;
            return Ok(Value { id, ty });
        }
        // A ramp that is no affine index: base plus stride times the number of the lane.
        let one = self.ops.integer(1, Scalar::Int(32))?;
        let zero = self.ops.integer(0, Scalar::Int(32))?;
        let id = self.steps((zero, one), (number, step), lanes.count)?;
        let number = Value { id, ty: Scalar::Int(32) };
        if stored(ty)?.is_float() || is_half(ty) {
            return Ok(unsupported("a ramp of floats")?);
        }
        let number = self.ops.cast(ty, number)?;
        let wide = |ops: &mut Ops<'_>, value: Value| Value {
            id: ops.broadcast(value.id, lanes.count),
            ..value
        };
        let (base, stride) = (wide(&mut self.ops, base), wide(&mut self.ops, stride));
        let product = self.ops.binary(BinaryOp::Mul, stride, number)?;
        Ok(self.ops.binary(BinaryOp::Add, base, product)?)
    }

    /// `base + (number + k * step) * stride` for each lane `k`.
    fn steps(
        &mut self,
        (base, stride): (Value, Value),
        (number, step): (i64, i64),
        count: u32,
    ) -> Result<ExprId> {
        let times = |ops: &mut Ops<'_>, value: Value, factor: i64| -> Result<Value> {
            if factor == 1 {
                return Ok(value);
            }
            let factor = ops.integer(i128::from(factor), value.ty)?;
            ops.binary(BinaryOp::Mul, value, factor)
        };
        let first = if number == 0 {
            base
        } else {
            let offset = times(&mut self.ops, stride, number)?;
            self.ops.binary(BinaryOp::Add, base, offset)?
        };
        if count == 1 {
            return Ok(first.id);
        }
        let stride = times(&mut self.ops, stride, step)?;
        let ramp = Expr::Ramp { base: first.id, stride: stride.id, lanes: count };
        Ok(self.ops.pool.expr(ramp))
    }

    fn gather(&mut self, gather: &Gather, vectors: &[NodeId], lanes: Lanes) -> Step<Value> {
        let Lanes { first, step, count } = lanes;
        match gather {
            Gather::Concat => self.concatenated(vectors, lanes),
            Gather::Slice { begin, stride } => {
                let lanes = Lanes::new(begin + stride * first, stride * step, count);
                self.concatenated(vectors, lanes)
            }
            Gather::Interleave => {
                let parts = vectors.len() as i64;
                if step % parts == 0 {
                    let vector = vectors[usize::try_from(first % parts).unwrap_or(0)];
                    return self.value(vector, Lanes::new(first / parts, step / parts, count));
                }
                // Lanes of equal class are a multiple of the number of parts apart.
                let classes = (1..=parts).find(|classes| step * classes % parts == 0);
                Err(Stop::Divide(Division::Classes(classes.unwrap_or(parts) as u32)))
            }
            Gather::Lanes(which) => {
                let lane = |number: u32| {
                    let at = usize::try_from(first + step * i64::from(number)).ok();
                    at.and_then(|at| which.get(at)).copied()
                };
                let missing = || Unsupported {
                    what: "a lane that does not exist".to_owned(),
                    at: None,
                    place: None,
                };
                let begin = lane(0).ok_or_else(missing)?;
                let apart = if count > 1 { lane(1).ok_or_else(missing)? - begin } else { 0 };
                let regular = (0..count)
                    .all(|number| lane(number) == Some(begin + apart * i64::from(number)));
                if !regular {
                    return Err(Stop::Divide(Division::Each));
                }
                self.concatenated(vectors, Lanes::new(begin, apart, count))
            }
        }
    }

    /// Lanes of a concatenation of vectors.
    fn concatenated(&mut self, vectors: &[NodeId], lanes: Lanes) -> Step<Value> {
        let mut begin = 0;
        for vector in vectors {
            let end = begin + i64::from(self.nodes.lanes(*vector));
            let inside = |lane: i64| begin <= lane && lane < end;
            if inside(lanes.first) {
                if inside(lanes.last()) {
                    let own = Lanes { first: lanes.first - begin, ..lanes };
                    return self.value(*vector, own);
                }
                let outside = |number: &u32| !inside(lanes.first + lanes.step * i64::from(*number));
                let cut = (1..lanes.count).find(outside).unwrap_or(lanes.count);
                return Err(Stop::Divide(Division::Cut(cut)));
            }
            begin = end;
        }
        Ok(unsupported("a lane that does not exist")?)
    }
}

/// Notes the coordinates of a load that is annotated.
fn note_load(lowering: &mut Lowering<'_, '_>, mark: NodeId, value: Value, lanes: Lanes) {
    let nodes = lowering.nodes;
    if let Some((name, args)) = nodes.mark(mark)
        && nodes.names.text(name).starts_with(ACCESS)
        && is_load(lowering.ops.pool, value.id)
        && let Some(coords) = ints(lowering, args, lanes)
    {
        lowering.note_load(value.id, coords);
    }
}

fn is_load(pool: &Pool, id: ExprId) -> bool {
    matches!(pool.get(id), Expr::Load { .. })
}

pub(super) fn ints(
    lowering: &mut Lowering<'_, '_>,
    args: &[NodeId],
    lanes: Lanes,
) -> Option<Vec<ExprId>> {
    let mut found = Vec::new();
    for arg in args {
        if !matches!(lowering.nodes.ty(*arg).scalar, Scalar::Int(_) | Scalar::UInt(_)) {
            return None;
        }
        let value = lowering.value(*arg, lanes).ok()?;
        found.push(lowering.ops.as_index(value).ok()?);
    }
    Some(found)
}
