//! Defects of names, numbers, selects, operators and calls.

use halidom_halide::tree::{BinaryOp, Call, Expr, Scalar, Type};

use super::build::{int, plus, spread, variable};
use super::exprs::{binary, call_of, with_args};
use super::kind::{Find, Kind};
use super::walk::{Role, Scope};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "name: in an index",
        what: "an index has another name of the same type",
        find: Find::Expr(name_in_index),
    },
    Kind {
        name: "name: in a value",
        what: "a value has another name of the same type",
        find: Find::Expr(name_in_value),
    },
    Kind {
        name: "name: in a condition",
        what: "a condition or a mask has another name of the same type",
        find: Find::Expr(name_in_condition),
    },
    Kind {
        name: "name: in a bound",
        what: "a bound of a loop or a size has another name of the same type",
        find: Find::Expr(name_in_bound),
    },
    Kind {
        name: "name: in a let",
        what: "the value of a let has another name of the same type",
        find: Find::Expr(name_in_let),
    },
    Kind {
        name: "number: in an index",
        what: "a number of an index is off by one",
        find: Find::Expr(number_in_index),
    },
    Kind {
        name: "number: in a value",
        what: "a number of a value is off by one",
        find: Find::Expr(number_in_value),
    },
    Kind {
        name: "number: in a check",
        what: "a number of a check is off by one",
        find: Find::Expr(number_in_check),
    },
    Kind {
        name: "number: in a condition",
        what: "a number of a condition is off by one",
        find: Find::Expr(number_in_condition),
    },
    Kind {
        name: "number: in a let",
        what: "a number of a let is off by one",
        find: Find::Expr(number_in_let),
    },
    Kind {
        name: "select: arms exchanged",
        what: "each arm stands for the other",
        find: Find::Expr(arms),
    },
    Kind {
        name: "select: negated",
        what: "the condition of a select is negated",
        find: Find::Expr(select_negated),
    },
    Kind { name: "select: arm", what: "a select is one of its arms", find: Find::Expr(select_arm) },
    Kind {
        name: "operator: min and max",
        what: "the lesser is the greater, or the other way round",
        find: Find::Expr(min_max),
    },
    Kind {
        name: "operator: clamp dropped",
        what: "a minimum or maximum is one of its operands",
        find: Find::Expr(clamp_dropped),
    },
    Kind {
        name: "operator: comparison",
        what: "a comparison includes its border or excludes it",
        find: Find::Expr(comparison),
    },
    Kind {
        name: "operator: arithmetic",
        what: "a sum, product, quotient or remainder is another one of these",
        find: Find::Expr(arithmetic),
    },
    Kind {
        name: "operator: operands",
        what: "the operands of a difference, quotient or comparison are exchanged",
        find: Find::Expr(exchanged),
    },
    Kind {
        name: "operator: part of a condition",
        what: "one part of a conjunction or disjunction is gone, or they are exchanged",
        find: Find::Expr(conjunction),
    },
    Kind {
        name: "overflow: comparison",
        what: "both sides of a comparison are multiplied with 65536",
        find: Find::Expr(comparison_scaled),
    },
    Kind {
        name: "overflow: index",
        what: "an index is multiplied with 65536 and divided by it",
        find: Find::Expr(index_scaled),
    },
    Kind {
        name: "overflow: size",
        what: "a size or a count is multiplied with 65536 and divided by it",
        find: Find::Expr(size_scaled),
    },
    Kind {
        name: "call: side",
        what: "another side of a buffer is asked for",
        find: Find::Expr(side),
    },
    Kind {
        name: "call: intrinsic",
        what: "another intrinsic with the same arguments is called",
        find: Find::Expr(intrinsic),
    },
    Kind {
        name: "call: function",
        what: "another function that is only named is called",
        find: Find::Expr(function),
    },
    Kind {
        name: "call: arguments",
        what: "two arguments of a function that is only named are exchanged, or one is off by one",
        find: Find::Expr(arguments),
    },
    Kind {
        name: "call: promise",
        what: "a promise is made that does not hold, or dropped",
        find: Find::Expr(promise),
    },
];

fn names(scope: &Scope<'_>, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Variable { name, ty: _ } = expr else { return };
    let Some(ty) = scope.type_of(expr) else { return };
    for other in scope.values(ty, Some(*name)).into_iter().take(4) {
        found.push(Expr::Variable { name: other, ty: Some(ty) });
    }
}

fn name_in_index(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if matches!(role, Role::LoadIndex | Role::StoreIndex) {
        names(scope, expr, found);
    }
}

fn name_in_value(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if role == Role::Value {
        names(scope, expr, found);
    }
}

fn name_in_condition(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if matches!(role, Role::Condition | Role::Predicate | Role::Check) {
        names(scope, expr, found);
    }
}

fn name_in_bound(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if matches!(role, Role::Min | Role::Extent | Role::Size | Role::Count) {
        names(scope, expr, found);
    }
}

fn name_in_let(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if role == Role::Let {
        names(scope, expr, found);
    }
}

fn numbers(scope: &Scope<'_>, expr: &Expr, found: &mut Vec<Expr>) {
    if matches!(expr, Expr::Int(..) | Expr::UInt(..) | Expr::Float(..)) {
        found.extend([1, -1].into_iter().filter_map(|by| plus(scope, expr, by)));
    }
}

fn number_in_index(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if matches!(role, Role::LoadIndex | Role::StoreIndex) {
        numbers(scope, expr, found);
    }
}

fn number_in_value(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if role == Role::Value {
        numbers(scope, expr, found);
    }
}

fn number_in_check(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if role == Role::Check {
        numbers(scope, expr, found);
    }
}

fn number_in_condition(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if matches!(role, Role::Condition | Role::Allocated) {
        numbers(scope, expr, found);
    }
}

fn number_in_let(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if role == Role::Let {
        numbers(scope, expr, found);
    }
}

fn arms(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Select(operands) = expr {
        let [condition, a, b] = &**operands;
        found.push(Expr::Select(Box::new([condition.clone(), b.clone(), a.clone()])));
    }
}

fn select_negated(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Select(operands) = expr {
        let [condition, a, b] = &**operands;
        let condition = Expr::Not(Box::new(condition.clone()));
        found.push(Expr::Select(Box::new([condition, a.clone(), b.clone()])));
    }
}

fn select_arm(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Select(operands) = expr {
        let [_, a, b] = &**operands;
        found.extend([a.clone(), b.clone()]);
    }
}

fn min_max(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), operands) = expr {
        let other = if *op == BinaryOp::Min { BinaryOp::Max } else { BinaryOp::Min };
        found.push(Expr::Binary(other, operands.clone()));
    }
}

fn clamp_dropped(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Binary(BinaryOp::Min | BinaryOp::Max, operands) = expr {
        let [a, b] = &**operands;
        found.extend([a.clone(), b.clone()]);
    }
}

fn comparison(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Binary(op, operands) = expr else { return };
    let other = match op {
        BinaryOp::Lt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Gt,
        BinaryOp::Eq => BinaryOp::Le,
        BinaryOp::Ne => BinaryOp::Lt,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or => return,
    };
    found.push(Expr::Binary(other, operands.clone()));
}

fn arithmetic(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Binary(op, operands) = expr else { return };
    let others: &[BinaryOp] = match op {
        BinaryOp::Add => &[BinaryOp::Sub],
        BinaryOp::Sub => &[BinaryOp::Add],
        BinaryOp::Mul => &[BinaryOp::Add],
        BinaryOp::Div => &[BinaryOp::Mod, BinaryOp::Mul],
        BinaryOp::Mod => &[BinaryOp::Div],
        BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => &[],
    };
    found.extend(others.iter().map(|other| Expr::Binary(*other, operands.clone())));
}

fn exchanged(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Binary(op, operands) = expr else { return };
    let [a, b] = &**operands;
    let is_symmetric = matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Mul
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::And
            | BinaryOp::Or
    );
    if !is_symmetric {
        found.push(binary(*op, b.clone(), a.clone()));
    }
}

fn conjunction(_: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), operands) = expr {
        let [a, b] = &**operands;
        let other = if *op == BinaryOp::And { BinaryOp::Or } else { BinaryOp::And };
        found.extend([a.clone(), b.clone(), binary(other, a.clone(), b.clone())]);
    }
}

fn comparison_scaled(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Binary(op, operands) = expr else { return };
    let Some(ty) = scope.type_of(&operands[0]) else { return };
    // Assertions' conditions have a separate kind of defect.
    if op.is_comparison() && ty.scalar == Scalar::Int(32) && role != Role::Check {
        let [a, b] = operands
            .each_ref()
            .map(|operand| binary(BinaryOp::Mul, operand.clone(), spread(int(65536), ty.lanes)));
        found.push(binary(*op, a, b));
    }
}

/// The expression `(x * 65536) / 65536`.
fn scaled(scope: &Scope<'_>, expr: &Expr) -> Option<Expr> {
    let ty = scope.type_of(expr).filter(|ty| ty.scalar == Scalar::Int(32))?;
    let factor = spread(int(65536), ty.lanes);
    let product = binary(BinaryOp::Mul, expr.clone(), factor.clone());
    Some(binary(BinaryOp::Div, product, factor))
}

fn index_scaled(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let is_name = matches!(expr, Expr::Variable { .. } | Expr::Binary(BinaryOp::Mul, _));
    if is_name && matches!(role, Role::LoadIndex | Role::StoreIndex) {
        found.extend(scaled(scope, expr));
    }
}

fn size_scaled(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let is_name = matches!(expr, Expr::Variable { .. } | Expr::Binary(..));
    if is_name && matches!(role, Role::Size | Role::Extent | Role::Min | Role::Count) {
        found.extend(scaled(scope, expr));
    }
}

fn side(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let sides =
        ["_halide_buffer_get_extent", "_halide_buffer_get_min", "_halide_buffer_get_stride"];
    let Some(call) = call_of(scope, expr, &sides) else { return };
    for other in sides {
        if let Some(name) = scope.names.find(other).filter(|name| *name != call.name) {
            found.push(Expr::Call(Box::new(Call { name, ..call.clone() })));
        }
    }
    if let [buffer, Expr::Int(dim, ty)] = call.args.as_slice() {
        let other = if *dim == 0 { 1 } else { dim - 1 };
        found.push(with_args(call, vec![buffer.clone(), Expr::Int(other, *ty)]));
    }
}

/// Groups of intrinsics whose arguments have the same types.
const EXCHANGED: [&[&str]; 10] = [
    &["widening_add", "widening_sub", "widening_mul"],
    &["saturating_add", "saturating_sub"],
    &["halving_add", "rounding_halving_add", "halving_sub"],
    &["mul_shift_right", "rounding_mul_shift_right"],
    &["shift_right", "rounding_shift_right"],
    &["bitwise_and", "bitwise_or", "bitwise_xor"],
    &["widen_right_add", "widen_right_sub", "widen_right_mul"],
    &["strict_add", "strict_sub", "strict_mul"],
    &["floor_f32", "ceil_f32", "round_f32", "trunc_f32"],
    &["sqrt_f32", "exp_f32", "log_f32", "sin_f32", "cos_f32"],
];

fn intrinsic(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Expr::Call(call) = expr else { return };
    let own = scope.names.text(call.name);
    for group in EXCHANGED.iter().filter(|group| group.contains(&own)) {
        for other in group.iter().filter(|other| **other != own) {
            if let Some(name) = scope.names.find(other) {
                found.push(Expr::Call(Box::new(Call { name, ..(**call).clone() })));
            }
        }
    }
    if let Some(call) = call_of(scope, expr, &["absd"])
        && let [a, b] = call.args.as_slice()
    {
        let difference = binary(BinaryOp::Sub, a.clone(), b.clone());
        let ty = scope.type_of(expr);
        found.extend(ty.map(|ty| Expr::Cast(ty, Box::new(difference))));
    }
}

/// Functions of floats that are only named.
const NAMED: [&str; 10] = [
    "pow_f32",
    "atan2_f32",
    "sinh_f32",
    "cosh_f32",
    "tanh_f32",
    "asin_f32",
    "acos_f32",
    "asinh_f32",
    "acosh_f32",
    "atanh_f32",
];

fn function(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Some(call) = call_of(scope, expr, &NAMED) else { return };
    for other in ["pow_f32", "atan2_f32", "sinh_f32", "mutant_function"] {
        let binary = matches!(other, "pow_f32" | "atan2_f32");
        let fits = other == "mutant_function" || binary == (call.args.len() == 2);
        if let Some(name) = scope.names.find(other).filter(|name| fits && *name != call.name) {
            found.push(Expr::Call(Box::new(Call { name, ..call.clone() })));
        }
    }
}

fn arguments(scope: &Scope<'_>, _: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let Some(call) = call_of(scope, expr, &NAMED) else { return };
    if let [a, b] = call.args.as_slice()
        && a != b
    {
        found.push(with_args(call, vec![b.clone(), a.clone()]));
    }
    for (place, arg) in call.args.iter().enumerate() {
        let Some(ty) = scope.type_of(arg) else { continue };
        let one = spread(Expr::Float(1.0, ty.with_lanes(1)), ty.lanes);
        let mut args = call.args.clone();
        args[place] = binary(BinaryOp::Add, arg.clone(), one);
        found.push(with_args(call, args));
    }
}

fn promise(scope: &Scope<'_>, role: Role, expr: &Expr, found: &mut Vec<Expr>) {
    let known = ["promise_clamped", "unsafe_promise_clamped"];
    if let Some(call) = call_of(scope, expr, &known) {
        found.extend(call.args.first().cloned());
        return;
    }
    let is_index = matches!(role, Role::LoadIndex | Role::StoreIndex);
    let is_scalar = scope.type_of(expr) == Some(Type::INT32);
    if let (true, true, Expr::Variable { name, .. }) = (is_index, is_scalar, expr)
        && let Some(called) = scope.names.find("unsafe_promise_clamped")
    {
        found.push(Expr::Call(Box::new(Call {
            name: called,
            ty: Some(Type::INT32),
            args: vec![variable(*name), int(0), int(1)],
            kind: Some(halidom_halide::tree::CallKind::PureIntrinsic),
            component: 0,
            parameter: None,
        })));
    }
}
