//! The rule for types that each expression obeys.

use crate::{BinaryOp, BufferDecl, Expr, ExprId, Intrinsic, Overflow, Pool, Scalar, Type, UnaryOp};

/// The rule that this expression breaks. Its operands are assumed to be well formed.
pub(crate) fn broken_rule(pool: &Pool, expr: &Expr) -> Option<&'static str> {
    let ty = |id: ExprId| pool.ty(id);
    match expr {
        Expr::Const(_) | Expr::Var(_) | Expr::Hole(_) => None,
        Expr::Unary(UnaryOp::Neg(overflow), operand) => arithmetic(ty(*operand).scalar, *overflow),
        Expr::Unary(UnaryOp::Not, operand) => {
            (!is_logical(ty(*operand).scalar)).then_some("`!` takes bools and machine integers")
        }
        Expr::Binary(op, lhs, rhs) => {
            if ty(*lhs) == ty(*rhs) {
                binary(*op, ty(*lhs).scalar)
            } else {
                Some("operands have one type")
            }
        }
        Expr::Select { condition, if_true, if_false } => {
            if ty(*if_true) != ty(*if_false) {
                Some("the arms of a select have one type")
            } else if ty(*condition) != ty(*if_true).with_scalar(Scalar::Bool) {
                Some("a select's condition is a bool with the arms' lanes")
            } else {
                None
            }
        }
        Expr::Cast(to, operand) => (*to == Scalar::Int && ty(*operand).scalar.is_float())
            .then_some("a cast to int is from an integer"),
        Expr::Call(intrinsic, operand) => {
            let scalar = ty(*operand).scalar;
            let integer =
                *intrinsic == Intrinsic::Abs && (scalar.is_signed() || scalar == Scalar::Int);
            (!scalar.is_float() && !integer)
                .then_some("intrinsics take floats, abs also signed integers")
        }
        Expr::Apply { function, args } => {
            let decl = pool.function(*function);
            let lanes = args.first().map_or(1, |arg| ty(*arg).lanes);
            let typed = args.len() == decl.params.len()
                && args
                    .iter()
                    .zip(&decl.params)
                    .all(|(arg, scalar)| ty(*arg) == Type { scalar: *scalar, lanes });
            (!typed || !decl.is_consistent())
                .then_some("a named function takes operands of its types, and none is an int")
        }
        Expr::Ref { func, component, args } => {
            if *component >= pool.func(*func).scalars.len() {
                Some("a ref names a component of its func")
            } else if args.len() != pool.func(*func).rank()
                || args.iter().any(|arg| ty(*arg) != Type::INT)
            {
                Some("a ref has one scalar int a dimension")
            } else {
                None
            }
        }
        Expr::Load { buffer, index, access } => {
            load(pool, pool.buffer(*buffer), ty(*index), access.as_ref())
        }
        Expr::Ramp { base, stride, lanes } => {
            if ty(*base) != Type::INT || ty(*stride) != Type::INT {
                Some("a ramp has a scalar int base and stride")
            } else {
                vector(*lanes)
            }
        }
        Expr::Broadcast { value, lanes } => {
            if ty(*value).lanes != 1 {
                Some("a broadcast has a scalar value")
            } else {
                vector(*lanes)
            }
        }
        Expr::Shuffle { vectors, lanes } => shuffle(pool, vectors, lanes),
    }
}

fn vector(lanes: u32) -> Option<&'static str> {
    (!(2..=Type::MOST_LANES).contains(&lanes)).then_some("a vector has two to 65,536 lanes")
}

fn shuffle(pool: &Pool, vectors: &[ExprId], lanes: &[u32]) -> Option<&'static str> {
    let types: Vec<Type> = vectors.iter().map(|vector| pool.ty(*vector)).collect();
    let Some(first) = types.first() else { return Some("a shuffle has a vector") };
    let given: u64 = types.iter().map(|ty| u64::from(ty.lanes)).sum();
    if types.iter().any(|ty| ty != first) || first.lanes < 2 {
        Some("a shuffle's operands are vectors of one type")
    } else if lanes.len() < 2 || lanes.iter().any(|lane| u64::from(*lane) >= given) {
        Some("a shuffle has at least two lanes, and takes them from its operands")
    } else {
        vector(u32::try_from(lanes.len()).unwrap_or(u32::MAX))
    }
}

fn load(
    pool: &Pool,
    buffer: &BufferDecl,
    index: Type,
    access: Option<&crate::Access>,
) -> Option<&'static str> {
    if index.scalar != Scalar::Int {
        return Some("an index is an int");
    }
    let access = access?;
    if access.func != buffer.func || access.coords.len() != pool.func(access.func).rank() {
        Some("an access names the buffer's func and has its rank")
    } else if access.coords.iter().any(|coord| pool.ty(*coord) != index) {
        Some("an access has ints with the lanes of the load")
    } else {
        None
    }
}

fn is_logical(scalar: Scalar) -> bool {
    scalar == Scalar::Bool || scalar.is_machine_integer()
}

fn arithmetic(scalar: Scalar, overflow: Overflow) -> Option<&'static str> {
    if scalar == Scalar::Bool {
        Some("arithmetic takes numbers")
    } else if (overflow == Overflow::Unbounded) != (scalar == Scalar::Int) {
        Some("overflow is unbounded exactly for int")
    } else {
        None
    }
}

fn binary(op: BinaryOp, scalar: Scalar) -> Option<&'static str> {
    match op {
        BinaryOp::Add(overflow) | BinaryOp::Sub(overflow) | BinaryOp::Mul(overflow) => {
            arithmetic(scalar, overflow)
        }
        BinaryOp::Div
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => (scalar == Scalar::Bool).then_some("arithmetic and order take numbers"),
        BinaryOp::Mod => {
            (scalar == Scalar::Bool || scalar.is_float()).then_some("`%` takes integers")
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
            (!is_logical(scalar)).then_some("logic takes bools and machine integers")
        }
        BinaryOp::Shl | BinaryOp::Shr => {
            (!scalar.is_machine_integer()).then_some("shifts take machine integers")
        }
        BinaryOp::Eq | BinaryOp::Ne => None,
    }
}
