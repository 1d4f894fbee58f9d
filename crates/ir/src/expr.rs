//! Expressions, which are hash-consed and typed on construction.

use halidom_base::define_id;

use crate::{
    BinaryOp, BufferId, Constant, FuncId, FunctionId, HoleId, Intrinsic, Scalar, UnaryOp, VarId,
};

define_id!(
    /// An interned expression: equal ids are equal expressions.
    pub ExprId, "e"
);

/// A load's claim that it reads the value of `func` at `coords`, in the component that the buffer
/// holds. It is a hint: the validator checks it, and nothing else relies on it.
///
/// The stage and the reduction point follow from the specification. A read of another func means
/// its final stage. A read of the func that is being updated means the lexicographic predecessor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The func (or input) whose value is read.
    pub func: FuncId,
    /// One `int` expression for each dimension of `func`, each with the lanes of the load.
    pub coords: Box<[ExprId]>,
}

/// An expression. Operands are ids of the same [`crate::Pool`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant, one lane.
    Const(Constant),
    /// A variable: parameter, pure or reduction variable, loop variable, let.
    Var(VarId),
    /// A unary operator, lane by lane.
    Unary(UnaryOp, ExprId),
    /// A binary operator on operands of one type, lane by lane.
    Binary(BinaryOp, ExprId, ExprId),
    /// `condition ? if_true : if_false`, lane by lane. The arm that is not chosen is evaluated but
    /// does not matter, even if it is undefined.
    Select {
        /// The condition, a `bool`.
        condition: ExprId,
        /// The value in lanes in which the condition holds.
        if_true: ExprId,
        /// The value in the other lanes, of the same type.
        if_false: ExprId,
    },
    /// Conversion to another scalar type, lane by lane.
    Cast(Scalar, ExprId),
    /// A function of one operand, lane by lane.
    Call(Intrinsic, ExprId),
    /// A function that is named and not defined, lane by lane.
    Apply {
        /// The function.
        function: FunctionId,
        /// Its operands, of the function's types.
        args: Box<[ExprId]>,
    },
    /// The value of a func or an input at a point. It occurs in algorithms, and in the IR before
    /// storage is flattened. There it reads the func's buffer.
    Ref {
        /// The func or input.
        func: FuncId,
        /// The component of its value, 0 if there is only one.
        component: usize,
        /// The point, one `int` for each dimension.
        args: Box<[ExprId]>,
    },
    /// An element of a buffer, after storage is flattened: element number `index`, counted from the
    /// buffer's origin.
    Load {
        /// The buffer.
        buffer: BufferId,
        /// The element number: `int`, one or more lanes.
        index: ExprId,
        /// The claim about the value that is read.
        access: Option<Access>,
    },
    /// `base, base + stride, …, base + (lanes - 1) * stride`: `int`, with a scalar base and stride.
    Ramp {
        /// The first lane.
        base: ExprId,
        /// The step.
        stride: ExprId,
        /// The number of lanes, at least 2.
        lanes: u32,
    },
    /// The same scalar in each of `lanes` lanes.
    Broadcast {
        /// The scalar.
        value: ExprId,
        /// The number of lanes, at least 2.
        lanes: u32,
    },
    /// Chosen lanes of vectors of one type. Lanes that are not chosen do not matter, even if they
    /// are undefined.
    Shuffle {
        /// The vectors, at least one.
        vectors: Box<[ExprId]>,
        /// For each lane of the result, the number of the lane that it takes. There are at least 2.
        /// The lanes of all vectors are numbered in sequence.
        lanes: Box<[u32]>,
    },
    /// A bound that is still to be inferred (FS Definition 6.3). Its type is `int`.
    Hole(HoleId),
}

/// Returns the lanes of a shuffle that interleaves `count` vectors: lane 0 of all, then lane 1 of
/// all, and so on.
pub fn interleaved_lanes(count: u32, lanes: u32) -> Box<[u32]> {
    (0..lanes).flat_map(|lane| (0..count).map(move |vector| vector * lanes + lane)).collect()
}

impl Expr {
    /// Calls `visit` with every operand, in order. Annotations of loads are not visited.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Self::Const(_) | Self::Var(_) | Self::Hole(_) => {}
            Self::Unary(_, operand) | Self::Cast(_, operand) | Self::Call(_, operand) => {
                visit(*operand);
            }
            Self::Binary(_, lhs, rhs) => {
                visit(*lhs);
                visit(*rhs);
            }
            Self::Select { condition, if_true, if_false } => {
                visit(*condition);
                visit(*if_true);
                visit(*if_false);
            }
            Self::Ref { args, .. } | Self::Apply { args, .. } => {
                args.iter().copied().for_each(visit);
            }
            Self::Shuffle { vectors, .. } => vectors.iter().copied().for_each(visit),
            Self::Load { index, .. } => visit(*index),
            Self::Ramp { base, stride, .. } => {
                visit(*base);
                visit(*stride);
            }
            Self::Broadcast { value, .. } => visit(*value),
        }
    }

    /// Returns the same expression with every operand replaced, including those in annotations of
    /// loads.
    #[must_use]
    pub fn map_operands(&self, mut map: impl FnMut(ExprId) -> ExprId) -> Self {
        match self {
            Self::Const(_) | Self::Var(_) | Self::Hole(_) => self.clone(),
            Self::Unary(op, operand) => Self::Unary(*op, map(*operand)),
            Self::Cast(scalar, operand) => Self::Cast(*scalar, map(*operand)),
            Self::Call(intrinsic, operand) => Self::Call(*intrinsic, map(*operand)),
            Self::Binary(op, lhs, rhs) => {
                let lhs = map(*lhs);
                Self::Binary(*op, lhs, map(*rhs))
            }
            Self::Select { condition, if_true, if_false } => {
                let condition = map(*condition);
                let if_true = map(*if_true);
                Self::Select { condition, if_true, if_false: map(*if_false) }
            }
            Self::Apply { function, args } => Self::Apply {
                function: *function,
                args: args.iter().map(|arg| map(*arg)).collect(),
            },
            Self::Ref { func, component, args } => Self::Ref {
                func: *func,
                component: *component,
                args: args.iter().map(|arg| map(*arg)).collect(),
            },
            Self::Load { buffer, index, access } => {
                let index = map(*index);
                let access = access.as_ref().map(|access| Access {
                    func: access.func,
                    coords: access.coords.iter().map(|coord| map(*coord)).collect(),
                });
                Self::Load { buffer: *buffer, index, access }
            }
            Self::Ramp { base, stride, lanes } => {
                let base = map(*base);
                Self::Ramp { base, stride: map(*stride), lanes: *lanes }
            }
            Self::Broadcast { value, lanes } => {
                Self::Broadcast { value: map(*value), lanes: *lanes }
            }
            Self::Shuffle { vectors, lanes } => Self::Shuffle {
                vectors: vectors.iter().map(|vector| map(*vector)).collect(),
                lanes: lanes.clone(),
            },
        }
    }
}
