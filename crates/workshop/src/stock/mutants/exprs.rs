//! Defects of loads, lanes, types, strict operators and shifts.

use halidom_halide::tree::{BinaryOp, Call, Expr, Load, ReduceOp, Scalar, ShuffleKind, Type};

use super::build::{int, plus};
use super::kind::{Find, Kind};
use super::stores::{alignments, masks};
use super::walk::{Role, Scope};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "load: predicate dropped",
        what: "all lanes are loaded",
        find: Find::Expr(load_predicate_dropped),
    },
    Kind {
        name: "load: predicate negated",
        what: "the other lanes are loaded",
        find: Find::Expr(load_predicate_negated),
    },
    Kind {
        name: "load: predicate added",
        what: "some lanes are not loaded",
        find: Find::Expr(load_predicate_added),
    },
    Kind {
        name: "load: rebound",
        what: "other memory in scope is read",
        find: Find::Expr(load_rebound),
    },
    Kind {
        name: "load: index",
        what: "the next or the previous element is read",
        find: Find::Expr(load_index),
    },
    Kind {
        name: "load: alignment",
        what: "more is said of an index than holds: another modulus or remainder",
        find: Find::Expr(load_alignment),
    },
    Kind {
        name: "load: type",
        what: "an element is read as another type",
        find: Find::Expr(load_type),
    },
    Kind {
        name: "lanes: mask",
        what: "a mask holds in one lane more or less",
        find: Find::Expr(mask),
    },
    Kind {
        name: "lanes: ramp",
        what: "the stride of a ramp is another one, 0 among them",
        find: Find::Expr(ramp),
    },
    Kind {
        name: "lanes: broadcast",
        what: "one index for all lanes is a ramp",
        find: Find::Expr(broadcast),
    },
    Kind {
        name: "lanes: order",
        what: "lanes of a shuffle are others, or in another order",
        find: Find::Expr(shuffle),
    },
    Kind {
        name: "lanes: reduction",
        what: "lanes are reduced by another operator",
        find: Find::Expr(reduction),
    },
    Kind {
        name: "type: cast",
        what: "a conversion is to another type, or there is none",
        find: Find::Expr(cast),
    },
    Kind {
        name: "type: bits",
        what: "a conversion keeps the bits, or bits are converted",
        find: Find::Expr(bits),
    },
    Kind {
        name: "type: sign",
        what: "an integer is taken as one without sign",
        find: Find::Expr(sign),
    },
    Kind {
        name: "strictness: dropped",
        what: "a strict operator is a plain one",
        find: Find::Expr(strict_dropped),
    },
    Kind {
        name: "strictness: regrouped",
        what: "strict sums or products are regrouped",
        find: Find::Expr(strict_regrouped),
    },
    Kind {
        name: "floats: regrouped",
        what: "sums or products of floats are regrouped",
        find: Find::Expr(regrouped),
    },
    Kind {
        name: "shift: amount",
        what: "a shift is by one bit more or less, or by too many",
        find: Find::Expr(shift_amount),
    },
    Kind {
        name: "shift: direction",
        what: "a shift is in the other direction",
        find: Find::Expr(shift_direction),
    },
];

pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new([a, b]))
}

fn with_load(expr: &Expr, change: impl FnOnce(&mut Load)) -> Option<Expr> {
    let Expr::Load(load) = expr else { return None };
    let mut load = load.clone();
    change(&mut load);
    Some(Expr::Load(load))
}

fn load_predicate_dropped(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Load(load) = expr
        && load.predicate.is_some()
    {
        found.extend(with_load(expr, |load| load.predicate = None));
    }
}

fn load_predicate_negated(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Load(load) = expr
        && let Some(predicate) = &load.predicate
    {
        let negated = Expr::Not(Box::new(predicate.clone()));
        found.extend(with_load(expr, |load| load.predicate = Some(negated)));
    }
}

fn load_predicate_added(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Load(load) = expr else { return };
    let Some(ty) = scope.type_of(&load.index) else { return };
    for mask in masks(scope, ty.lanes) {
        found.extend(with_load(expr, |load| {
            load.predicate = Some(match load.predicate.take() {
                Some(known) => binary(BinaryOp::And, known, mask),
                None => mask,
            });
        }));
    }
}

fn load_rebound(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Load(load) = expr else { return };
    for other in scope.like_buffer(load.name).into_iter().take(3) {
        found.extend(with_load(expr, |load| load.name = other));
    }
}

fn load_index(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Load(load) = expr else { return };
    for by in [1, -1] {
        let Some(index) = plus(scope, &load.index, by) else { continue };
        found.extend(with_load(expr, |load| {
            load.index = index;
            load.alignment = None;
        }));
    }
}

fn load_alignment(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Load(load) = expr else { return };
    for to in alignments(load.alignment) {
        found.extend(with_load(expr, |load| load.alignment = to));
    }
}

/// Other scalar types for a value: the same number of bits with another signedness, or half the
/// bits; for floats, another width or an integer.
fn others(ty: Type) -> Vec<Type> {
    let scalars = match ty.scalar {
        Scalar::Int(bits) => vec![Scalar::UInt(bits), Scalar::Int(bits / 2)],
        Scalar::UInt(1) => Vec::new(),
        Scalar::UInt(bits) => vec![Scalar::Int(bits), Scalar::UInt(bits / 2)],
        Scalar::Float(32) => vec![Scalar::Int(32), Scalar::Float(64)],
        Scalar::Float(64) => vec![Scalar::Float(32)],
        Scalar::Float(_) | Scalar::BFloat(_) | Scalar::Handle(_) => Vec::new(),
    };
    let is_type = |scalar: &Scalar| !matches!(scalar, Scalar::Int(0 | 4) | Scalar::UInt(0 | 4));
    scalars.into_iter().filter(is_type).map(|scalar| Type { scalar, lanes: ty.lanes }).collect()
}

fn load_type(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Load(load) = expr else { return };
    let Some(ty) = load.ty else { return };
    for other in others(ty) {
        found.extend(with_load(expr, |load| load.ty = Some(other)));
        // Cast the loaded value back to the type that the context expects.
        let loaded = with_load(expr, |load| load.ty = Some(other));
        found.extend(loaded.map(|loaded| Expr::Cast(ty, Box::new(loaded))));
    }
}

fn mask(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Binary(op, operands) = expr else { return };
    if role == Role::Predicate && op.is_comparison() {
        let bounds = [1, -1].into_iter().filter_map(|by| plus(scope, &operands[1], by));
        found.extend(bounds.map(|bound| binary(*op, operands[0].clone(), bound)));
    }
}

fn ramp(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Ramp { base, stride, lanes } = expr else { return };
    let more = plus(scope, stride, 1);
    let lanes = *lanes;
    let zero = (**stride != int(0)).then(|| int(0));
    let negative = if let Expr::Int(value, ty) = &**stride {
        (*value != 0).then(|| Expr::Int(-value, *ty))
    } else {
        None
    };
    let is_scalar = scope.type_of(base).is_some_and(|ty| ty.lanes == 1);
    for stride in [more, zero, negative].into_iter().flatten().filter(|_| is_scalar) {
        found.push(Expr::Ramp { base: base.clone(), stride: Box::new(stride), lanes });
    }
}

fn broadcast(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Broadcast { value, lanes } = expr else { return };
    if scope.type_of(value) == Some(Type::INT32)
        && matches!(role, Role::LoadIndex | Role::StoreIndex | Role::Predicate | Role::Value)
    {
        let stride = Box::new(int(1));
        found.push(Expr::Ramp { base: value.clone(), stride, lanes: *lanes });
    }
}

fn shuffle(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Shuffle(kind, vectors) = expr else { return };
    let mut put = |kind| found.push(Expr::Shuffle(kind, vectors.clone()));
    match kind {
        ShuffleKind::Concat => put(ShuffleKind::Interleave),
        ShuffleKind::Interleave => put(ShuffleKind::Concat),
        ShuffleKind::Extract(lane) => {
            put(ShuffleKind::Extract(lane + 1));
            put(ShuffleKind::Extract(lane - 1));
        }
        ShuffleKind::Slice { begin, stride, count } => {
            let (begin, stride, count) = (*begin, *stride, *count);
            put(ShuffleKind::Slice { begin: begin + 1, stride, count });
            put(ShuffleKind::Slice { begin: begin - 1, stride, count });
            put(ShuffleKind::Slice { begin, stride: stride + 1, count });
            put(ShuffleKind::Slice { begin, stride: stride - 1, count });
        }
        ShuffleKind::Lanes(lanes) => {
            put(ShuffleKind::Lanes(lanes.iter().rev().copied().collect()));
            let mut exchanged = lanes.clone();
            if exchanged.len() > 1 {
                exchanged.swap(0, 1);
                put(ShuffleKind::Lanes(exchanged));
            }
        }
    }
    if vectors.len() > 1 {
        found.push(Expr::Shuffle(kind.clone(), vectors.iter().rev().cloned().collect()));
    }
}

fn reduction(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::VectorReduce(op, ty, vector) = expr else { return };
    let others = ReduceOp::ALL.into_iter().filter(|other| other != op);
    found.extend(others.map(|other| Expr::VectorReduce(other, *ty, vector.clone())));
}

fn cast(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Cast(ty, operand) = expr else { return };
    for other in others(*ty) {
        found.push(Expr::Cast(*ty, Box::new(Expr::Cast(other, operand.clone()))));
        found.push(Expr::Cast(other, operand.clone()));
    }
    // Drop one of two nested conversions.
    if let Expr::Cast(_, inner) = &**operand {
        found.push(Expr::Cast(*ty, inner.clone()));
    }
    if scope.type_of(operand).is_some() {
        found.push((**operand).clone());
    }
}

fn bits(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Cast(ty, operand) = expr {
        found.push(Expr::Reinterpret(*ty, operand.clone()));
    }
    if let Expr::Reinterpret(ty, operand) = expr {
        found.push(Expr::Cast(*ty, operand.clone()));
    }
}

fn sign(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let is_used = matches!(role, Role::Value | Role::Condition | Role::Let | Role::Predicate);
    let Expr::Binary(op, operands) = expr else { return };
    let is_wanted = op.is_comparison()
        || matches!(op, BinaryOp::Div | BinaryOp::Mod | BinaryOp::Min | BinaryOp::Max);
    if !is_used || !is_wanted {
        return;
    }
    let ty = scope.type_of(&operands[0]).or_else(|| scope.type_of(&operands[1]));
    let Some(ty) = ty else { return };
    let other = match ty.scalar {
        Scalar::Int(bits) => Scalar::UInt(bits),
        Scalar::UInt(bits) if bits > 1 => Scalar::Int(bits),
        Scalar::UInt(_) | Scalar::Float(_) | Scalar::BFloat(_) | Scalar::Handle(_) => return,
    };
    let other = Type { scalar: other, lanes: ty.lanes };
    let [a, b] = operands.each_ref().map(|operand| Expr::Cast(other, Box::new(operand.clone())));
    let taken = binary(*op, a, b);
    found.push(if op.is_comparison() { taken } else { Expr::Cast(ty, Box::new(taken)) });
}

/// The strict intrinsics and the plain operators that they correspond to.
const STRICT: [(&str, BinaryOp); 12] = [
    ("strict_add", BinaryOp::Add),
    ("strict_sub", BinaryOp::Sub),
    ("strict_mul", BinaryOp::Mul),
    ("strict_div", BinaryOp::Div),
    ("strict_min", BinaryOp::Min),
    ("strict_max", BinaryOp::Max),
    ("strict_eq", BinaryOp::Eq),
    ("strict_ne", BinaryOp::Ne),
    ("strict_lt", BinaryOp::Lt),
    ("strict_le", BinaryOp::Le),
    ("strict_gt", BinaryOp::Gt),
    ("strict_ge", BinaryOp::Ge),
];

fn strict(scope: &Scope<'_>, expr: &Expr) -> Option<(BinaryOp, [Expr; 2])> {
    let Expr::Call(call) = expr else { return None };
    let name = scope.names.text(call.name);
    let (_, op) = STRICT.iter().find(|(known, _)| *known == name)?;
    let [a, b] = call.args.as_slice() else { return None };
    Some((*op, [a.clone(), b.clone()]))
}

fn strict_dropped(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    found.extend(strict(scope, expr).map(|(op, operands)| Expr::Binary(op, Box::new(operands))));
}

pub(super) fn with_args(call: &Call, args: Vec<Expr>) -> Expr {
    Expr::Call(Box::new(Call { args, ..call.clone() }))
}

fn strict_regrouped(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Some((op, [left, right])) = strict(scope, expr) else { return };
    let Expr::Call(call) = expr else { return };
    if !matches!(op, BinaryOp::Add | BinaryOp::Mul) {
        return;
    }
    // Regroup `(a + b) + c` as `a + (b + c)`, and the other way round.
    if let Some((inner, [a, b])) = strict(scope, &left)
        && inner == op
    {
        let rest = with_args(call, vec![b, right.clone()]);
        found.push(with_args(call, vec![a, rest]));
    }
    if let Some((inner, [b, c])) = strict(scope, &right)
        && inner == op
    {
        let first = with_args(call, vec![left, b]);
        found.push(with_args(call, vec![first, c]));
    }
}

fn regrouped(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), operands) = expr else { return };
    let is_float = scope
        .type_of(expr)
        .is_some_and(|ty| matches!(ty.scalar, Scalar::Float(_) | Scalar::BFloat(_)));
    if !is_float {
        return;
    }
    let [left, right] = &**operands;
    if let Expr::Binary(inner, parts) = left
        && inner == op
    {
        let rest = binary(*op, parts[1].clone(), right.clone());
        found.push(binary(*op, parts[0].clone(), rest));
    }
    if let Expr::Binary(inner, parts) = right
        && inner == op
    {
        let first = binary(*op, left.clone(), parts[0].clone());
        found.push(binary(*op, first, parts[1].clone()));
    }
}

pub(super) fn call_of<'e>(scope: &Scope<'_>, expr: &'e Expr, names: &[&str]) -> Option<&'e Call> {
    let Expr::Call(call) = expr else { return None };
    names.contains(&scope.names.text(call.name)).then_some(&**call)
}

fn shift_amount(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let names = [
        "shift_left",
        "shift_right",
        "rounding_shift_right",
        "mul_shift_right",
        "rounding_mul_shift_right",
    ];
    if let Some(call) = call_of(scope, expr, &names)
        && let Some((amount, rest)) = call.args.split_last()
    {
        for by in [1, -1, 64, -64] {
            let Some(to) = plus(scope, amount, by) else { continue };
            let mut args = rest.to_vec();
            args.push(to);
            found.push(with_args(call, args));
        }
    }
    // A product or quotient by a power of two is a shift in another form.
    if let Expr::Binary(BinaryOp::Mul | BinaryOp::Div, operands) = expr
        && let Expr::Int(value @ (2 | 4 | 8 | 16), ty) = operands[1]
        && let Expr::Binary(op, _) = expr
    {
        found.push(binary(*op, operands[0].clone(), Expr::Int(value * 2, ty)));
    }
}

fn shift_direction(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    for (one, other) in [("shift_left", "shift_right"), ("shift_right", "shift_left")] {
        if let Some(call) = call_of(scope, expr, &[one])
            && let Some(name) = scope.names.find(other)
        {
            found.push(Expr::Call(Box::new(Call { name, ..call.clone() })));
        }
    }
}
