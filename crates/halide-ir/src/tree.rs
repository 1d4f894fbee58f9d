//! Halide's intermediate representation (its `IR.h`) as trees.
//!
//! A text leaves out types that follow from where a name is bound; there they are `None`. A
//! pipeline file contains all of them.

use crate::NameId;

/// The type of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// A two's complement integer of this many bits.
    Int(u8),
    /// An unsigned integer of this many bits; one bit is a truth value.
    UInt(u8),
    /// An IEEE 754 float of this many bits.
    Float(u8),
    /// The upper half of a binary32.
    BFloat(u8),
    /// A pointer, with its type in C if a text states it.
    Handle(Option<NameId>),
}

/// A scalar type and a number of lanes, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// The type of each lane.
    pub scalar: Scalar,
    /// The number of lanes.
    pub lanes: u32,
}

impl Type {
    /// `int32`, the type of everything to which a text gives no type.
    pub const INT32: Self = Self::of(Scalar::Int(32));
    /// `uint1`, the type of conditions.
    pub const BOOL: Self = Self::of(Scalar::UInt(1));

    /// Returns the type with one lane.
    pub const fn of(scalar: Scalar) -> Self {
        Self { scalar, lanes: 1 }
    }

    /// Returns the type with this many lanes.
    #[must_use]
    pub const fn with_lanes(self, lanes: u32) -> Self {
        Self { scalar: self.scalar, lanes }
    }
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient. For integers it is the Euclidean one, with `x / 0 = 0`.
    Div,
    /// Remainder. For integers it is the Euclidean one, with `x % 0 = 0`.
    Mod,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// Equality.
    Eq,
    /// Inequality.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
}

impl BinaryOp {
    /// Tests whether the result is a truth value for every type of operands.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// The kind of thing that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// An element of an input.
    Image,
    /// A function of C.
    Extern,
    /// A function of C++.
    ExternCPlusPlus,
    /// A function of C without side effects.
    PureExtern,
    /// A value of a func.
    Halide,
    /// An intrinsic.
    Intrinsic,
    /// An intrinsic without side effects.
    PureIntrinsic,
}

/// The way in which a shuffle selects lanes.
#[derive(Clone, Debug, PartialEq)]
pub enum ShuffleKind {
    /// All lanes of the first vector, then all lanes of the next, ….
    Concat,
    /// The first lane of each vector, then the second lane of each, ….
    Interleave,
    /// One lane of the concatenation.
    Extract(i64),
    /// Lanes of the concatenation at a constant distance.
    Slice {
        /// The first lane.
        begin: i64,
        /// The distance from one lane to the next.
        stride: i64,
        /// The number of lanes.
        count: i64,
    },
    /// These lanes of the concatenation.
    Lanes(Vec<i64>),
}

/// The operator that reduces the lanes of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// Sum.
    Add,
    /// Sum that saturates.
    SaturatingAdd,
    /// Product.
    Mul,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
}

impl ReduceOp {
    /// Every operator, in the order of Halide's own numbers.
    pub const ALL: [Self; 7] =
        [Self::Add, Self::SaturatingAdd, Self::Mul, Self::Min, Self::Max, Self::And, Self::Or];

    /// Returns the end of its name in a text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::SaturatingAdd => "saturating_add",
            Self::Mul => "mul",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "and",
            Self::Or => "or",
        }
    }
}

/// The fact that an index is `remainder` modulo `modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// The modulus.
    pub modulus: i64,
    /// The remainder.
    pub remainder: i64,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// An integer of a signed type.
    Int(i64, Type),
    /// An integer of an unsigned type.
    UInt(u64, Type),
    /// An exact float. If it comes from a text, it is a value next to the six digits in the text.
    Float(f64, Type),
    /// A string, in bytes.
    String(Box<[u8]>),
    /// A variable.
    Variable {
        /// Its name.
        name: NameId,
        /// Its type, if it is stated.
        ty: Option<Type>,
    },
    /// A conversion.
    Cast(Type, Box<Self>),
    /// The same bits as another type.
    Reinterpret(Type, Box<Self>),
    /// An operator.
    Binary(BinaryOp, Box<[Self; 2]>),
    /// Negation of a truth value.
    Not(Box<Self>),
    /// The second or the third operand, as the first one chooses.
    Select(Box<[Self; 3]>),
    /// Elements of a buffer.
    Load(Box<Load>),
    /// `base, base + stride, …`
    Ramp {
        /// The first lane.
        base: Box<Self>,
        /// The step.
        stride: Box<Self>,
        /// The number of lanes.
        lanes: u32,
    },
    /// A value, repeated.
    Broadcast {
        /// The lane or the vector that is repeated.
        value: Box<Self>,
        /// The number of repetitions.
        lanes: u32,
    },
    /// A call of a function, an intrinsic or a func.
    Call(Box<Call>),
    /// A named value in an expression.
    Let {
        /// The name.
        name: NameId,
        /// The value.
        value: Box<Self>,
        /// The scope of the name.
        body: Box<Self>,
    },
    /// Lanes of vectors in another order.
    Shuffle(ShuffleKind, Vec<Self>),
    /// The lanes of a vector reduced to fewer.
    VectorReduce(ReduceOp, Type, Box<Self>),
}

/// Elements of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The buffer.
    pub name: NameId,
    /// The type of the elements, if it is stated.
    pub ty: Option<Type>,
    /// The index of the elements.
    pub index: Expr,
    /// The known alignment of the index.
    pub alignment: Option<Alignment>,
    /// The lanes that are loaded, if not all are.
    pub predicate: Option<Expr>,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name of the callee.
    pub name: NameId,
    /// The type of the result, if it is stated.
    pub ty: Option<Type>,
    /// The arguments.
    pub args: Vec<Expr>,
    /// The kind of the callee, which a text omits.
    pub kind: Option<CallKind>,
    /// The component of a func's value.
    pub component: usize,
    /// The input or parameter that is read, if there is one.
    pub parameter: Option<NameId>,
}

/// A statement and its place in its text, in bytes. The place is 0 if it comes from a pipeline
/// file.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Its first byte.
    pub at: usize,
    /// Its effect.
    pub kind: StmtKind,
}

/// Statements one after another. A declaration by [`StmtKind::Let`] or [`StmtKind::Allocate`] is
/// known in all statements that follow. If its scope ends earlier, there is a [`StmtKind::Scope`].
pub type Block = Vec<Stmt>;

/// An interval of coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The least coordinate.
    pub min: Expr,
    /// The number of coordinates.
    pub extent: Expr,
}

/// The role of a func in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The func is computed.
    Produce,
    /// The func is read.
    Consume,
}

/// The way in which the iterations of a loop run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForKind {
    /// In order.
    Serial,
    /// In any order, at the same time.
    Parallel,
    /// In lockstep.
    Vectorized,
    /// In order, with a copy of the body for each.
    Unrolled,
    /// By an extern stage.
    Extern,
    /// Blocks of a GPU.
    GpuBlock,
    /// Threads of a block.
    GpuThread,
    /// Lanes of a warp.
    GpuLane,
}

impl ForKind {
    /// Every kind, in the order of Halide's own numbers.
    pub const ALL: [Self; 8] = [
        Self::Serial,
        Self::Parallel,
        Self::Vectorized,
        Self::Unrolled,
        Self::Extern,
        Self::GpuBlock,
        Self::GpuThread,
        Self::GpuLane,
    ];

    /// Returns the keyword in a text.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Serial => "for",
            Self::Parallel => "parallel",
            Self::Vectorized => "vectorized",
            Self::Unrolled => "unrolled",
            Self::Extern => "extern",
            Self::GpuBlock => "gpu_block",
            Self::GpuThread => "gpu_thread",
            Self::GpuLane => "gpu_lane",
        }
    }
}

/// The effect of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// A named value for the statements that follow.
    Let {
        /// The name.
        name: NameId,
        /// The value.
        value: Expr,
    },
    /// Stops with the message's error if the condition does not hold.
    Assert {
        /// The condition that must hold.
        condition: Expr,
        /// A call that reports the error.
        message: Expr,
    },
    /// The place where a func is computed or read.
    ProducerConsumer {
        /// The func.
        name: NameId,
        /// The func's role.
        role: Role,
        /// The statements.
        body: Block,
    },
    /// A loop.
    For {
        /// The variable.
        name: NameId,
        /// Its first value.
        min: Expr,
        /// The number of iterations.
        extent: Expr,
        /// The way in which they run.
        kind: ForKind,
        /// The device's interface, if it is stated.
        device: Option<NameId>,
        /// The iteration.
        body: Block,
    },
    /// Waits for a semaphore.
    Acquire {
        /// The semaphore.
        semaphore: Expr,
        /// The number of units.
        count: Expr,
        /// The statements that run then.
        body: Block,
    },
    /// Writes elements of a buffer.
    Store {
        /// The buffer.
        name: NameId,
        /// The index of the elements.
        index: Expr,
        /// The known alignment of the index.
        alignment: Option<Alignment>,
        /// The value that is written.
        value: Expr,
        /// The lanes that are written, if not all are.
        predicate: Option<Expr>,
    },
    /// Writes a point of a func, before storage is flattened.
    Provide {
        /// The func.
        name: NameId,
        /// The point.
        args: Vec<Expr>,
        /// The values, one for each component.
        values: Vec<Expr>,
        /// The lanes that are written, if not all are.
        predicate: Option<Expr>,
    },
    /// Memory for the statements that follow.
    Allocate {
        /// The buffer.
        name: NameId,
        /// The elements' type.
        ty: Type,
        /// The extents. Their product is the number of elements, without padding.
        extents: Vec<Expr>,
        /// The number of elements that are added to this product.
        padding: i64,
        /// The kind of memory, if it is stated.
        memory: Option<NameId>,
        /// The condition under which it is allocated, if there is one.
        condition: Option<Expr>,
        /// The pointer, if the memory is not allocated here.
        new: Option<Expr>,
        /// The function that frees it, if it is stated.
        free: Option<NameId>,
    },
    /// Frees memory.
    Free(NameId),
    /// Memory of a func, before storage is flattened.
    Realize {
        /// The func.
        name: NameId,
        /// The box.
        bounds: Vec<Range>,
        /// The kind of memory, if it is stated.
        memory: Option<NameId>,
        /// The condition under which it is allocated, if there is one.
        condition: Option<Expr>,
        /// The scope of the memory.
        body: Block,
    },
    /// Blocks that run at the same time.
    Fork(Vec<Block>),
    /// One of two blocks.
    If {
        /// The condition that chooses.
        condition: Expr,
        /// The block that runs if it holds.
        then_branch: Block,
        /// The block that runs if it does not hold.
        else_branch: Option<Block>,
    },
    /// Evaluates an expression for its effects.
    Evaluate(Expr),
    /// A request for memory that will be needed soon.
    Prefetch {
        /// The buffer.
        name: NameId,
        /// The loop at which the memory is prefetched.
        at: NameId,
        /// The loop from which the memory is prefetched.
        from: NameId,
        /// The box.
        bounds: Vec<Range>,
    },
    /// Updates that nothing interrupts.
    Atomic {
        /// The func.
        producer: NameId,
        /// The lock, if there is one.
        mutex: Option<NameId>,
        /// The updates.
        body: Block,
    },
    /// The place of hoisted storage.
    HoistedStorage {
        /// The func, if it is stated.
        name: Option<NameId>,
        /// The scope of the storage.
        body: Block,
    },
    /// A declaration and the statements in its scope, if other statements follow. A text does not
    /// mark the end of a scope, so none is read from it.
    Scope(Block),
}

impl Expr {
    /// Calls `visit` with every operand, in order.
    pub fn for_each_operand<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        match self {
            Self::Int(..)
            | Self::UInt(..)
            | Self::Float(..)
            | Self::String(_)
            | Self::Variable { .. } => {}
            Self::Cast(_, operand)
            | Self::Reinterpret(_, operand)
            | Self::Not(operand)
            | Self::Broadcast { value: operand, .. }
            | Self::VectorReduce(_, _, operand) => visit(operand),
            Self::Binary(_, operands) => operands.iter().for_each(visit),
            Self::Select(operands) => operands.iter().for_each(visit),
            Self::Load(load) => {
                visit(&load.index);
                load.predicate.iter().for_each(visit);
            }
            Self::Ramp { base, stride, .. } => {
                visit(base);
                visit(stride);
            }
            Self::Call(call) => call.args.iter().for_each(visit),
            Self::Let { value, body, .. } => {
                visit(value);
                visit(body);
            }
            Self::Shuffle(_, vectors) => vectors.iter().for_each(visit),
        }
    }

    /// Returns its type, if all types that determine it are stated. In a dump all of them are.
    pub fn ty(&self) -> Option<Type> {
        match self {
            Self::Int(_, ty) | Self::UInt(_, ty) | Self::Float(_, ty) => Some(*ty),
            Self::String(_) => Some(Type::of(Scalar::Handle(None))),
            Self::Variable { name: _, ty } => *ty,
            Self::Cast(ty, _) | Self::Reinterpret(ty, _) | Self::VectorReduce(_, ty, _) => {
                Some(*ty)
            }
            Self::Binary(op, operands) => {
                let ty = operands[0].ty()?;
                Some(if op.is_comparison() { Type::BOOL.with_lanes(ty.lanes) } else { ty })
            }
            Self::Not(operand) => operand.ty(),
            Self::Select(operands) => operands[1].ty(),
            Self::Load(load) => load.ty,
            Self::Ramp { base: value, stride: _, lanes } | Self::Broadcast { value, lanes } => {
                let ty = value.ty()?;
                Some(ty.with_lanes(ty.lanes.checked_mul(*lanes)?))
            }
            Self::Call(call) => call.ty,
            Self::Let { name: _, value: _, body } => body.ty(),
            Self::Shuffle(kind, vectors) => {
                let ty = vectors.first()?.ty()?;
                let lanes = match kind {
                    ShuffleKind::Concat | ShuffleKind::Interleave => {
                        let mut all = 0_u32;
                        for vector in vectors {
                            all = all.checked_add(vector.ty()?.lanes)?;
                        }
                        all
                    }
                    ShuffleKind::Extract(_) => 1,
                    ShuffleKind::Slice { begin: _, stride: _, count } => {
                        u32::try_from(*count).ok()?
                    }
                    ShuffleKind::Lanes(lanes) => u32::try_from(lanes.len()).ok()?,
                };
                Some(ty.with_lanes(lanes))
            }
        }
    }
}

/// The kinds of statements, without their contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Construct {
    /// [`StmtKind::Let`].
    Let,
    /// [`StmtKind::Assert`].
    Assert,
    /// [`StmtKind::ProducerConsumer`].
    ProducerConsumer,
    /// [`StmtKind::For`].
    For,
    /// [`StmtKind::Acquire`].
    Acquire,
    /// [`StmtKind::Store`].
    Store,
    /// [`StmtKind::Provide`].
    Provide,
    /// [`StmtKind::Allocate`].
    Allocate,
    /// [`StmtKind::Free`].
    Free,
    /// [`StmtKind::Realize`].
    Realize,
    /// [`StmtKind::Fork`].
    Fork,
    /// [`StmtKind::If`].
    If,
    /// [`StmtKind::Evaluate`].
    Evaluate,
    /// [`StmtKind::Prefetch`].
    Prefetch,
    /// [`StmtKind::Atomic`].
    Atomic,
    /// [`StmtKind::HoistedStorage`].
    HoistedStorage,
    /// [`StmtKind::Scope`].
    Scope,
}

impl Stmt {
    /// Returns the kind of the statement.
    pub fn construct(&self) -> Construct {
        match &self.kind {
            StmtKind::Let { .. } => Construct::Let,
            StmtKind::Assert { .. } => Construct::Assert,
            StmtKind::ProducerConsumer { .. } => Construct::ProducerConsumer,
            StmtKind::For { .. } => Construct::For,
            StmtKind::Acquire { .. } => Construct::Acquire,
            StmtKind::Store { .. } => Construct::Store,
            StmtKind::Provide { .. } => Construct::Provide,
            StmtKind::Allocate { .. } => Construct::Allocate,
            StmtKind::Free(_) => Construct::Free,
            StmtKind::Realize { .. } => Construct::Realize,
            StmtKind::Fork(_) => Construct::Fork,
            StmtKind::If { .. } => Construct::If,
            StmtKind::Evaluate(_) => Construct::Evaluate,
            StmtKind::Prefetch { .. } => Construct::Prefetch,
            StmtKind::Atomic { .. } => Construct::Atomic,
            StmtKind::HoistedStorage { .. } => Construct::HoistedStorage,
            StmtKind::Scope(_) => Construct::Scope,
        }
    }

    /// The memory that the statement allocates and frees by itself and without a condition: its
    /// name, the type of its elements and its extents.
    pub fn allocated(&self) -> Option<(NameId, Type, &[Expr])> {
        use StmtKind::Allocate;
        #[rustfmt::skip]
        let Allocate {
            name, ty, extents, padding: _, memory: _, condition: None, new: None, free: None,
        } = &self.kind else { return None };
        Some((*name, *ty, extents))
    }

    /// Calls `visit` with each block within the statement, in order.
    pub fn for_each_block<'s>(&'s self, visit: &mut impl FnMut(&'s [Self])) {
        match &self.kind {
            StmtKind::ProducerConsumer { name: _, role: _, body }
            | StmtKind::For { name: _, min: _, extent: _, kind: _, device: _, body }
            | StmtKind::Acquire { semaphore: _, count: _, body }
            | StmtKind::Realize { name: _, bounds: _, memory: _, condition: _, body }
            | StmtKind::Atomic { producer: _, mutex: _, body }
            | StmtKind::HoistedStorage { name: _, body }
            | StmtKind::Scope(body) => visit(body),
            StmtKind::Fork(tasks) => tasks.iter().for_each(|task| visit(task)),
            StmtKind::If { condition: _, then_branch, else_branch } => {
                visit(then_branch);
                if let Some(other) = else_branch {
                    visit(other);
                }
            }
            StmtKind::Let { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Store { .. }
            | StmtKind::Provide { .. }
            | StmtKind::Allocate { .. }
            | StmtKind::Free(_)
            | StmtKind::Evaluate(_)
            | StmtKind::Prefetch { .. } => {}
        }
    }

    /// Calls `visit` with each expression of the statement itself, in order, but not with
    /// expressions in nested blocks.
    pub fn for_each_expr<'s>(&'s self, visit: &mut impl FnMut(&'s Expr)) {
        match &self.kind {
            StmtKind::Let { name: _, value } | StmtKind::Evaluate(value) => visit(value),
            StmtKind::Assert { condition, message } => {
                visit(condition);
                visit(message);
            }
            StmtKind::If { condition, then_branch: _, else_branch: _ } => visit(condition),
            StmtKind::For { name: _, min, extent, kind: _, device: _, body: _ } => {
                visit(min);
                visit(extent);
            }
            StmtKind::Acquire { semaphore, count, body: _ } => {
                visit(semaphore);
                visit(count);
            }
            StmtKind::Store { name: _, index, alignment: _, value, predicate } => {
                visit(index);
                visit(value);
                predicate.iter().for_each(visit);
            }
            StmtKind::Provide { name: _, args, values, predicate } => {
                args.iter().chain(values).chain(predicate).for_each(visit);
            }
            StmtKind::Allocate {
                name: _,
                ty: _,
                extents,
                padding: _,
                memory: _,
                condition,
                new,
                free: _,
            } => extents.iter().chain(condition).chain(new).for_each(visit),
            StmtKind::Realize { name: _, bounds, memory: _, condition, body: _ } => {
                let sides = bounds.iter().flat_map(|range| [&range.min, &range.extent]);
                sides.chain(condition).for_each(visit);
            }
            StmtKind::Prefetch { name: _, at: _, from: _, bounds } => {
                bounds.iter().flat_map(|range| [&range.min, &range.extent]).for_each(visit);
            }
            StmtKind::ProducerConsumer { .. }
            | StmtKind::Free(_)
            | StmtKind::Fork(_)
            | StmtKind::Atomic { .. }
            | StmtKind::HoistedStorage { .. }
            | StmtKind::Scope(_) => {}
        }
    }
}
impl StmtKind {
    /// Calls `visit` with every block within the statement, in order, to change it.
    pub fn for_each_body_mut(&mut self, visit: &mut impl FnMut(&mut Block)) {
        match self {
            Self::ProducerConsumer { name: _, role: _, body }
            | Self::For { name: _, min: _, extent: _, kind: _, device: _, body }
            | Self::Acquire { semaphore: _, count: _, body }
            | Self::Realize { name: _, bounds: _, memory: _, condition: _, body }
            | Self::Atomic { producer: _, mutex: _, body }
            | Self::HoistedStorage { name: _, body }
            | Self::Scope(body) => visit(body),
            Self::Fork(tasks) => tasks.iter_mut().for_each(visit),
            Self::If { condition: _, then_branch, else_branch } => {
                visit(then_branch);
                else_branch.iter_mut().for_each(visit);
            }
            Self::Let { .. }
            | Self::Assert { .. }
            | Self::Store { .. }
            | Self::Provide { .. }
            | Self::Allocate { .. }
            | Self::Free(_)
            | Self::Evaluate(_)
            | Self::Prefetch { .. } => {}
        }
    }
}

/// Tests whether a statement contains everything that a text leaves out, exact floats included. It
/// does if there are calls and each has its kind, which no text states.
pub fn is_lossless(block: &Block) -> bool {
    let mut calls = 0;
    let mut said = 0;
    count_calls(block, &mut calls, &mut said);
    calls > 0 && said == calls
}

fn count_calls(block: &[Stmt], calls: &mut usize, said: &mut usize) {
    for stmt in block {
        if let StmtKind::Let { name: _, value } | StmtKind::Evaluate(value) = &stmt.kind {
            count_calls_of(value, calls, said);
        }
        if let StmtKind::Assert { condition, message } = &stmt.kind {
            count_calls_of(condition, calls, said);
            count_calls_of(message, calls, said);
        }
        stmt.for_each_block(&mut |body| count_calls(body, calls, said));
    }
}

fn count_calls_of(expr: &Expr, calls: &mut usize, said: &mut usize) {
    if let Expr::Call(call) = expr {
        *calls += 1;
        *said += usize::from(call.kind.is_some());
    }
    expr.for_each_operand(&mut |operand| count_calls_of(operand, calls, said));
}
