//! The work of one value: the operations and the reads that a stage's definition states.

use halidom_base::FxHashMap;
use halidom_ir::{
    BinaryOp, Expr, ExprId, FuncId, Intrinsic, Pool, Scalar, Stage as IrStage, UnaryOp,
};

use crate::features::Class;
use crate::form::{Form, Operator, Reader};

/// The work of a definition, without that of the funcs that it reads.
pub(crate) struct Body {
    pub(crate) work: Vec<Work>,
    pub(crate) reads: Vec<Use>,
    /// The variables of the written coordinates.
    pub(crate) lhs: u32,
    /// The written coordinates.
    pub(crate) store: Vec<Coordinate>,
}

/// Operations of one class on elements of one size.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) class: Class,
    pub(crate) bytes: u32,
    /// The variables on which the result depends, as bits.
    pub(crate) vars: u32,
    pub(crate) count: f64,
}

/// A read of a func at coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) func: usize,
    pub(crate) args: Vec<Coordinate>,
}

/// A coordinate as a function of a stage's variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Coordinate {
    pub(crate) terms: Vec<(usize, f64)>,
    pub(crate) number: f64,
    pub(crate) kind: CoordinateKind,
}

/// The exactness of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CoordinateKind {
    /// It is the sum.
    Exact,
    /// It is the sum, rounded.
    Rounded,
    /// It depends on data, or it is no sum: the variables on which it depends, and its name.
    Free(u32, u32),
}

impl Coordinate {
    /// The variables on which it depends.
    pub(crate) fn vars(&self) -> u32 {
        let own = self.terms.iter().fold(0, |vars, (slot, _)| vars | bit(*slot));
        match self.kind {
            CoordinateKind::Free(vars, _) => vars | own,
            CoordinateKind::Exact | CoordinateKind::Rounded => own,
        }
    }

    /// The factor of a variable.
    pub(crate) fn factor(&self, slot: usize) -> f64 {
        self.terms.iter().find(|(known, _)| *known == slot).map_or(0.0, |(_, factor)| *factor)
    }

    /// The coordinate as a function of other variables, which `args` gives.
    pub(crate) fn within(&self, args: &[Self]) -> Self {
        let mut made = Self { terms: Vec::new(), number: self.number, kind: self.kind };
        for (slot, factor) in &self.terms {
            let Some(arg) = args.get(*slot) else { continue };
            made.number += factor * arg.number;
            for (slot, inner) in &arg.terms {
                match made.terms.iter_mut().find(|(known, _)| known == slot) {
                    Some((_, sum)) => *sum += factor * inner,
                    None => made.terms.push((*slot, factor * inner)),
                }
            }
            made.kind = match (made.kind, arg.kind) {
                (CoordinateKind::Free(vars, name), _) => CoordinateKind::Free(vars, name),
                (_, CoordinateKind::Free(vars, name)) => CoordinateKind::Free(vars, name),
                (CoordinateKind::Exact, kind) => kind,
                (CoordinateKind::Rounded, _) => CoordinateKind::Rounded,
            };
        }
        if let CoordinateKind::Free(_, name) = made.kind {
            let vars = moved(self.vars(), args);
            let numbers = args.iter().map(|arg| arg.number.to_bits() as u32);
            let name = numbers.fold(name, |name, number| {
                (name.rotate_left(5) ^ number ^ (number >> 13)).wrapping_mul(0x9e37_79b9)
            });
            made.kind = CoordinateKind::Free(vars, name);
        }
        made.terms.retain(|(_, factor)| *factor != 0.0);
        made.terms.sort_by_key(|(slot, _)| *slot);
        made
    }
}

pub(crate) fn bit(slot: usize) -> u32 {
    1_u32.checked_shl(slot as u32).unwrap_or(0)
}

/// The variables of a caller on which a value depends that depends on `vars` of its own.
pub(crate) fn moved(vars: u32, args: &[Coordinate]) -> u32 {
    let used = args.iter().enumerate().filter(|(slot, _)| vars & bit(*slot) != 0);
    used.fold(0, |all, (_, arg)| all | arg.vars())
}

/// Returns the work of a stage's definition.
pub(crate) fn body(
    pool: &Pool,
    reader: &Reader<'_>,
    numbers: &FxHashMap<FuncId, usize>,
    stage: &IrStage,
) -> Body {
    let mut facts: FxHashMap<ExprId, (u32, bool)> = FxHashMap::default();
    let mut found = Body { work: Vec::new(), reads: Vec::new(), lhs: 0, store: Vec::new() };
    for root in stage.roots() {
        pool.for_each_subexpr(root, &mut |id, expr| {
            if facts.contains_key(&id) {
                return;
            }
            let mut vars = 0;
            if let Expr::Var(var) = expr {
                vars = reader.slots.get(var).map_or(0, |slot| bit(*slot));
            }
            let mut reads_data = matches!(expr, Expr::Ref { .. });
            expr.for_each_operand(|operand| {
                let (own, data) = facts.get(&operand).copied().unwrap_or_default();
                vars |= own;
                reads_data |= data;
            });
            facts.insert(id, (vars, reads_data));
            if let Expr::Ref { func, args, .. } = expr
                && let Some(func) = numbers.get(func)
            {
                let args = args.iter().map(|arg| coordinate(reader, *arg, facts[arg].0)).collect();
                found.reads.push(Use { func: *func, args });
            }
            if let Some((class, bytes)) = class(pool, id, expr, reads_data)
                && vars != 0
            {
                let same = |work: &&mut Work| {
                    work.class == class && work.bytes == bytes && work.vars == vars
                };
                match found.work.iter_mut().find(same) {
                    Some(work) => work.count += 1.0,
                    None => found.work.push(Work { class, bytes, vars, count: 1.0 }),
                }
            }
        });
    }
    found.lhs = stage.lhs.iter().fold(0, |vars, coord| vars | facts[coord].0);
    let store = stage.lhs.iter().map(|coord| coordinate(reader, *coord, facts[coord].0));
    found.store = store.collect();
    found
}

/// The class of an operation and the bytes of its elements; `None` if it costs nothing.
fn class(pool: &Pool, id: ExprId, expr: &Expr, reads_data: bool) -> Option<(Class, u32)> {
    let scalar = pool.ty(id).scalar;
    let bytes = |scalar: Scalar| scalar.bytes().unwrap_or(8) as u32;
    // Coordinates that do not depend on data become addresses; their conditions are decided by the
    // partitioning of loops.
    let is_index = |expr: ExprId| pool.ty(expr).scalar == Scalar::Int;
    if scalar == Scalar::Int {
        let counts =
            reads_data && !matches!(expr, Expr::Const(_) | Expr::Var(_) | Expr::Ref { .. });
        return counts.then_some((Class::Index, 8));
    }
    let simple = |scalar: Scalar| {
        let class = if scalar.is_float() { Class::Float } else { Class::Integer };
        Some((class, bytes(scalar)))
    };
    match expr {
        Expr::Unary(UnaryOp::Neg(_) | UnaryOp::Not, _) | Expr::Select { .. } => simple(scalar),
        Expr::Cast(_, operand) => {
            let from = pool.ty(*operand).scalar;
            let widest = bytes(scalar).max(if is_index(*operand) { 4 } else { bytes(from) });
            Some((Class::Convert, widest))
        }
        Expr::Call(intrinsic, _) => match intrinsic {
            Intrinsic::Abs => simple(scalar),
            Intrinsic::Sqrt => Some((Class::Divide, bytes(scalar))),
            Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Round | Intrinsic::Trunc => {
                Some((Class::Convert, bytes(scalar)))
            }
            Intrinsic::Exp
            | Intrinsic::Log
            | Intrinsic::Sin
            | Intrinsic::Cos
            | Intrinsic::Tan
            | Intrinsic::Atan => Some((Class::Function, bytes(scalar))),
        },
        Expr::Apply { .. } => Some((Class::Function, bytes(scalar))),
        Expr::Binary(op, lhs, rhs) => {
            let of = pool.ty(*lhs).scalar;
            let constant = pool.as_constant(*rhs);
            let integer = constant.and_then(halidom_ir::Constant::as_integer);
            match op {
                _ if of == Scalar::Int => reads_data.then_some((Class::Index, 8)),
                BinaryOp::Div if of.is_float() && constant.is_some() => simple(of),
                BinaryOp::Div if of.is_float() => Some((Class::Divide, bytes(of))),
                BinaryOp::Div | BinaryOp::Mod => match integer {
                    Some(value) if value > 0 && value & (value - 1) == 0 => simple(of),
                    Some(_) => Some((Class::DivideByNumber, bytes(of))),
                    None => Some((Class::IntegerDivide, bytes(of))),
                },
                BinaryOp::Mul(_) if !of.is_float() => match integer {
                    Some(value) if value > 0 && value & (value - 1) == 0 => simple(of),
                    _ => Some((Class::Multiply, bytes(of))),
                },
                BinaryOp::Add(_)
                | BinaryOp::Sub(_)
                | BinaryOp::Mul(_)
                | BinaryOp::Min
                | BinaryOp::Max
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => simple(of),
            }
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

fn coordinate(reader: &Reader<'_>, expr: ExprId, vars: u32) -> Coordinate {
    linear(&reader.form(expr)).unwrap_or_else(|| Coordinate {
        terms: Vec::new(),
        number: 0.0,
        kind: CoordinateKind::Free(
            vars,
            format!("{expr:?}")
                .bytes()
                .fold(7, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)),
        ),
    })
}

/// A form as a sum, without the numbers that limit it: those matter at the edges only.
fn linear(form: &Form) -> Option<Coordinate> {
    match form {
        Form::Sum(terms, number) => {
            let mut terms = terms.clone();
            terms.sort_by_key(|(slot, _)| *slot);
            Some(Coordinate { terms, number: *number, kind: CoordinateKind::Exact })
        }
        Form::Within(_) => None,
        Form::Floor(operand) => {
            let operand = linear(operand)?;
            let is_whole = operand.number.fract() == 0.0
                && operand.terms.iter().all(|(_, factor)| factor.fract() == 0.0);
            let kind = if is_whole { operand.kind } else { CoordinateKind::Rounded };
            Some(Coordinate { kind, ..operand })
        }
        Form::Two(Operator::Min | Operator::Max, lhs, rhs) => match (linear(lhs), linear(rhs)) {
            (Some(lhs), Some(rhs)) if rhs.terms.is_empty() => Some(lhs),
            (Some(lhs), Some(rhs)) if lhs.terms.is_empty() => Some(rhs),
            (Some(_), Some(_)) => None,
            (one, other) => one.or(other).filter(|sum| !sum.terms.is_empty()),
        },
        Form::Two(Operator::FloorDiv, lhs, rhs) => {
            let (lhs, rhs) = (linear(lhs)?, linear(rhs)?);
            if !rhs.terms.is_empty() || rhs.number == 0.0 {
                return None;
            }
            let terms = lhs.terms.iter().map(|(slot, factor)| (*slot, factor / rhs.number));
            let number = lhs.number / rhs.number;
            Some(Coordinate { terms: terms.collect(), number, kind: CoordinateKind::Rounded })
        }
        Form::Two(
            Operator::Add | Operator::Mul | Operator::Div | Operator::Mod | Operator::Either,
            ..,
        ) => None,
    }
}
