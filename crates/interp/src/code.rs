//! Expressions as flat code. Operands precede the operators that use them, and every distinct
//! subexpression occurs once.
//!
//! # Correctness
//! A [`Value`] of `None` is undefined (in programs) or unknown (in dry runs). It propagates lane by
//! lane through every operator; the only exceptions are the arm of a select that is not chosen, and
//! lanes that a shuffle does not take. Every subexpression is evaluated, including those in arms
//! that are not chosen. Only the values of such arms and lanes do not matter.

use halidom_base::{FxHashMap, stack};
use halidom_ir::eval::{self, EvalError};
use halidom_ir::{
    BinaryOp, BufferId, Constant, Expr, ExprId, FuncId, FunctionDecl, HoleId, Intrinsic, Pool,
    Scalar, UnaryOp, VarId,
};

use crate::Notes;
use crate::rounding::{call_rounds, cast_rounds, rounds};

/// One lane: a defined value, or `None`.
pub(crate) type Value = Option<Constant>;

/// A range of registers that holds the lanes of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    pub(crate) start: usize,
    pub(crate) count: usize,
}

impl Lanes {
    /// The register of a lane. A single lane stands for any number of lanes.
    pub(crate) fn at(self, lane: usize) -> usize {
        self.start + if self.count == 1 { 0 } else { lane }
    }
}

/// The source of a variable's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Constant(Constant),
    Slot(Lanes),
}

/// The context that compiling needs.
pub(crate) trait Scope {
    /// The place that a read of a func or a buffer is resolved to.
    type Place: Clone;
    /// The source of a variable's value, if it has one.
    fn var(&self, var: VarId) -> Option<Source>;
    /// The place of a component of a func's values. `rank` is the number of given coordinates.
    fn func(&self, func: FuncId, component: usize, rank: usize) -> Result<Self::Place, CodeError>;
    /// The place of a buffer's elements.
    fn buffer(&self, buffer: BufferId) -> Result<Self::Place, CodeError>;
}

/// The reason why an expression cannot be compiled: it was not well formed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// A variable has no value.
    #[error("variable `{0}` has no value")]
    UnboundVar(String),
    /// A hole was not filled.
    #[error("the bound {0:?} was not inferred")]
    Hole(HoleId),
    /// A func is read before it is defined, or is not part of the pipeline.
    #[error("func `{0}` is read where it has no value")]
    UndefinedFunc(String),
    /// A buffer has no meaning here, for example an element of memory in an algorithm.
    #[error("buffer `{0}` cannot be read here")]
    NoBuffer(String),
    /// A func is read with a wrong number of coordinates.
    #[error("`{name}` has {expected} dimensions and is given {given} coordinates")]
    Rank {
        /// The func.
        name: String,
        /// The func's rank.
        expected: usize,
        /// The number of given coordinates.
        given: usize,
    },
    /// Operands have different numbers of lanes.
    #[error("operands have different numbers of lanes")]
    Lanes,
}

/// The reason why an operator stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpError {
    Eval(EvalError),
    /// An `int` outside the 64 bits in which generated code holds it.
    Beyond64(i128),
}

enum Op<P> {
    Constant(Constant),
    Slot(Lanes),
    Unary(UnaryOp, Lanes),
    Binary(BinaryOp, Lanes, Lanes),
    Select(Lanes, Lanes, Lanes),
    Cast(Scalar, Lanes),
    Call(Intrinsic, Lanes),
    Apply(Box<FunctionDecl>, Box<[Lanes]>),
    Ramp(Lanes, Lanes),
    Broadcast(Lanes),
    /// The register of each lane of the result.
    Shuffle(Box<[usize]>),
    Read(P, Box<[Lanes]>),
}

struct Instruction<P> {
    op: Op<P>,
    out: Lanes,
    scalar: Scalar,
}

/// Compiled expressions that share their subexpressions.
pub(crate) struct Code<P> {
    instructions: Vec<Instruction<P>>,
    registers: usize,
    results: Vec<Lanes>,
}

impl<P: Clone> Code<P> {
    /// Compiles `exprs`. Their values are the code's results, in this order.
    pub(crate) fn compile(
        pool: &Pool,
        exprs: &[ExprId],
        scope: &impl Scope<Place = P>,
    ) -> Result<Self, CodeError> {
        let mut compiler = Compiler {
            pool,
            scope,
            done: FxHashMap::default(),
            code: Self { instructions: Vec::new(), registers: 0, results: Vec::new() },
        };
        for expr in exprs {
            let lanes = compiler.compile(*expr)?;
            compiler.code.results.push(lanes);
        }
        Ok(compiler.code)
    }

    /// Iterates over the places that the code reads.
    pub(crate) fn places(&self) -> impl Iterator<Item = &P> {
        self.instructions.iter().filter_map(|instruction| match &instruction.op {
            Op::Read(place, _) => Some(place),
            Op::Constant(_)
            | Op::Slot(_)
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Select(..)
            | Op::Cast(..)
            | Op::Call(..)
            | Op::Apply(..)
            | Op::Ramp(..)
            | Op::Broadcast(_)
            | Op::Shuffle(_) => None,
        })
    }

    /// The registers of a result.
    pub(crate) fn result(&self, number: usize) -> Lanes {
        self.results[number]
    }

    /// Evaluates everything into `registers`, whose former contents do not matter. `read` returns
    /// the value at the coordinates of one lane. With `int_limit`, an `int` outside 64 bits is an
    /// error. `notes` collects events on the way.
    pub(crate) fn run<E: From<OpError>>(
        &self,
        env: &[Value],
        registers: &mut Vec<Value>,
        int_limit: bool,
        notes: &mut Notes,
        mut read: impl FnMut(&P, &[Value]) -> Result<Value, E>,
    ) -> Result<(), E> {
        // Every register is written before it is read.
        registers.resize(self.registers, None);
        let mut coords = Vec::new();
        for Instruction { op, out, scalar } in &self.instructions {
            for lane in 0..out.count {
                let value = match op {
                    Op::Constant(constant) => Some(*constant),
                    Op::Slot(slot) => env[slot.at(lane)],
                    Op::Unary(op, a) => lift(registers[a.at(lane)], |a| eval::unary(*op, a))?,
                    Op::Binary(op, a, b) => match (registers[a.at(lane)], registers[b.at(lane)]) {
                        (Some(a), Some(b)) => {
                            let value = eval::binary(*op, a, b).map_err(OpError::Eval)?;
                            notes.rounded = notes.rounded || rounds(*op, (a, b), value);
                            Some(value)
                        }
                        (None, _) | (_, None) => None,
                    },
                    Op::Select(condition, if_true, if_false) => {
                        match registers[condition.at(lane)].map(Constant::as_bool) {
                            None => None,
                            Some(Some(true)) => registers[if_true.at(lane)],
                            Some(Some(false)) => registers[if_false.at(lane)],
                            Some(None) => return Err(OpError::Eval(EvalError::IllTyped).into()),
                        }
                    }
                    Op::Cast(scalar, a) => lift(registers[a.at(lane)], |a| {
                        let value = eval::cast(*scalar, a)?;
                        notes.rounded = notes.rounded || cast_rounds(a, value);
                        notes.see_cast(a, value);
                        Ok(value)
                    })?,
                    Op::Call(intrinsic, a) => lift(registers[a.at(lane)], |a| {
                        let value = eval::intrinsic(*intrinsic, a)?;
                        notes.rounded = notes.rounded || call_rounds(*intrinsic, a, value);
                        Ok(value)
                    })?,
                    Op::Apply(function, args) => {
                        let args = args.iter().map(|arg| registers[arg.at(lane)]);
                        match args.collect::<Option<Vec<_>>>() {
                            Some(args) => {
                                notes.rounded |= function.result.is_float();
                                notes.arbitrary |= function.is_arbitrary();
                                Some(eval::apply(function, &args).map_err(OpError::Eval)?)
                            }
                            None => None,
                        }
                    }
                    Op::Ramp(base, stride) => {
                        match (registers[base.start], registers[stride.start]) {
                            (Some(base), Some(stride)) => {
                                Some(ramp(base, stride, lane).map_err(OpError::Eval)?)
                            }
                            (None, _) | (_, None) => None,
                        }
                    }
                    Op::Broadcast(a) => registers[a.start],
                    Op::Shuffle(from) => registers[from[lane]],
                    Op::Read(place, args) => {
                        coords.clear();
                        coords.extend(args.iter().map(|arg| registers[arg.at(lane)]));
                        read(place, &coords)?
                    }
                };
                notes.see(*scalar, value);
                if int_limit && *scalar == Scalar::Int {
                    check_64(value)?;
                }
                registers[out.start + lane] = value;
            }
        }
        Ok(())
    }
}

fn lift(
    operand: Value,
    apply: impl FnOnce(Constant) -> Result<Constant, EvalError>,
) -> Result<Value, OpError> {
    operand.map(apply).transpose().map_err(OpError::Eval)
}

fn ramp(base: Constant, stride: Constant, lane: usize) -> Result<Constant, EvalError> {
    let (Some(base), Some(stride)) = (base.as_integer(), stride.as_integer()) else {
        return Err(EvalError::IllTyped);
    };
    stride
        .checked_mul(lane as i128)
        .and_then(|offset| base.checked_add(offset))
        .map(Constant::int)
        .ok_or(EvalError::BeyondEvaluator)
}

/// Refuses an `int` that does not fit 64 bits.
pub(crate) fn check_64(value: Value) -> Result<(), OpError> {
    match value.and_then(Constant::as_integer) {
        Some(number) if i64::try_from(number).is_err() => Err(OpError::Beyond64(number)),
        Some(_) | None => Ok(()),
    }
}

struct Compiler<'a, S: Scope> {
    pool: &'a Pool,
    scope: &'a S,
    done: FxHashMap<ExprId, Lanes>,
    code: Code<S::Place>,
}

impl<S: Scope> Compiler<'_, S> {
    fn compile(&mut self, id: ExprId) -> Result<Lanes, CodeError> {
        if let Some(lanes) = self.done.get(&id) {
            return Ok(*lanes);
        }
        let ty = self.pool.ty(id);
        let count = ty.lanes as usize;
        let op = stack::deep(|| self.op(self.pool.get(id), count))?;
        let out = Lanes { start: self.code.registers, count };
        self.code.registers += count;
        self.code.instructions.push(Instruction { op, out, scalar: ty.scalar });
        self.done.insert(id, out);
        Ok(out)
    }

    fn op(&mut self, expr: &Expr, count: usize) -> Result<Op<S::Place>, CodeError> {
        Ok(match expr {
            Expr::Const(constant) => Op::Constant(*constant),
            Expr::Var(var) => match self.scope.var(*var) {
                Some(Source::Constant(constant)) => Op::Constant(constant),
                Some(Source::Slot(lanes)) if lanes.count == count => Op::Slot(lanes),
                Some(Source::Slot(_)) => return Err(CodeError::Lanes),
                None => return Err(CodeError::UnboundVar(self.pool.var(*var).name.clone())),
            },
            Expr::Unary(op, a) => Op::Unary(*op, self.operand(*a, count)?),
            Expr::Binary(op, a, b) => {
                let a = self.operand(*a, count)?;
                Op::Binary(*op, a, self.operand(*b, count)?)
            }
            Expr::Select { condition, if_true, if_false } => {
                let condition = self.operand(*condition, count)?;
                let if_true = self.operand(*if_true, count)?;
                Op::Select(condition, if_true, self.operand(*if_false, count)?)
            }
            Expr::Cast(scalar, a) => Op::Cast(*scalar, self.operand(*a, count)?),
            Expr::Call(intrinsic, a) => Op::Call(*intrinsic, self.operand(*a, count)?),
            Expr::Apply { function, args } => {
                let args = args.iter().map(|arg| self.operand(*arg, count));
                let args = args.collect::<Result<_, _>>()?;
                Op::Apply(Box::new(self.pool.function(*function).clone()), args)
            }
            Expr::Ramp { base, stride, .. } => {
                let base = self.operand(*base, 1)?;
                Op::Ramp(base, self.operand(*stride, 1)?)
            }
            Expr::Broadcast { value, .. } => Op::Broadcast(self.operand(*value, 1)?),
            Expr::Shuffle { vectors, lanes } => {
                let mut registers = Vec::new();
                for vector in vectors {
                    let Lanes { start, count } = self.compile(*vector)?;
                    registers.extend(start..start + count);
                }
                let taken = lanes.iter().map(|lane| registers.get(*lane as usize).copied());
                Op::Shuffle(taken.collect::<Option<_>>().ok_or(CodeError::Lanes)?)
            }
            Expr::Ref { func, component, args } => {
                let args: Box<[Lanes]> =
                    args.iter().map(|arg| self.compile(*arg)).collect::<Result<_, _>>()?;
                // A coordinate that all lanes share may stay a scalar.
                if args.iter().any(|arg| arg.count != count && arg.count != 1) {
                    return Err(CodeError::Lanes);
                }
                Op::Read(self.scope.func(*func, *component, args.len())?, args)
            }
            Expr::Load { buffer, index, .. } => {
                let index = self.operand(*index, count)?;
                Op::Read(self.scope.buffer(*buffer)?, Box::new([index]))
            }
            Expr::Hole(hole) => return Err(CodeError::Hole(*hole)),
        })
    }

    fn operand(&mut self, id: ExprId, count: usize) -> Result<Lanes, CodeError> {
        let lanes = self.compile(id)?;
        if lanes.count == count { Ok(lanes) } else { Err(CodeError::Lanes) }
    }
}
