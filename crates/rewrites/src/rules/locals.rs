//! The variables of a C++ function with rules: which of them stand for the value of their
//! declaration wherever they are used.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind, File, Function};

use super::pattern::TVM_FUNCTIONS;

/// The names to which a file gives a meaning of its own, except variables within functions.
pub(super) fn own_names(file: &File) -> Vec<String> {
    let functions = file.functions.iter().map(|function| &function.name);
    let classes = file.classes.iter().map(|class| &class.name);
    let others = file.others.iter().chain(&file.local_aliases);
    let names = functions.chain(classes).chain(others).map(|name| {
        let name = name.rsplit("::").next().unwrap_or(name);
        name.split('<').next().unwrap_or(name).trim().to_owned()
    });
    names.collect()
}

/// Returns the variables that a function may change after their declaration: it assigns them,
/// takes their address, refers to them or passes them to a function that is not known by its name.
pub(super) fn changed(function: &Function, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |part: &Expr| {
        if let ExprKind::Name(name) = &part.kind {
            names.push(name.clone());
        }
    };
    for stmt in &function.body {
        stmt.declared(&mut |variable| {
            if variable.ty.contains('&')
                && let Some(value) = &variable.value
            {
                value.clone().visit_mut(&mut |part| add(part));
            }
        });
    }
    function.clone().visit_mut(&mut |part| match &part.kind {
        ExprKind::Assign(_, target, _) | ExprKind::Postfix(_, target) => add(target),
        ExprKind::Prefix(sign, target) if !matches!(sign, Sign::Not | Sign::Sub) => add(target),
        ExprKind::Binary(Sign::Shr | Sign::Shl, lhs, rhs) => {
            add(lhs);
            add(rhs);
        }
        ExprKind::Braces(_, parts) => parts.iter().for_each(&mut add),
        ExprKind::Call { callee, arguments, .. } => {
            let name = match &callee.kind {
                ExprKind::Name(name) => name.rsplit("::").next().unwrap_or(name),
                _ => "",
            };
            if !is_known(name) {
                arguments.iter().for_each(&mut add);
            }
        }
        _ => {}
    });
    names
}

/// Of `op` and `ret`, those that may be something else than the node that the rules of a function
/// rewrite: `ret` is assigned, or `op` is given something that does not come from `ret`.
pub(super) fn other_nodes(function: &Function) -> Vec<&'static str> {
    let is_name =
        |part: &Expr, wanted: &str| matches!(&part.kind, ExprKind::Name(name) if name == wanted);
    // `ret.get()` or `ret.as<Node>()`.
    let of_ret = |value: &Expr| match &value.kind {
        ExprKind::Call { callee, arguments, .. } => match &callee.kind {
            ExprKind::Member { object, name, .. } => {
                arguments.is_empty()
                    && is_name(object, "ret")
                    && ["get", "as"].contains(&name.split('<').next().unwrap_or(name))
            }
            _ => false,
        },
        _ => false,
    };
    let (mut of_others, mut is_given) = (false, false);
    // The value of `ret`, if it has one here, is made of `op`.
    let mut is_of_op = true;
    for stmt in &function.body {
        stmt.declared(&mut |variable| match (variable.name.as_str(), &variable.value) {
            ("op", Some(value)) if of_ret(value) => is_given = true,
            ("op", _) => of_others = true,
            ("ret", value) => {
                is_of_op = false;
                if let Some(value) = value {
                    value.clone().visit_mut(&mut |part| is_of_op |= is_name(part, "op"));
                }
            }
            _ => {}
        });
    }
    let mut is_ret_assigned = false;
    function.clone().visit_mut(&mut |part| match &part.kind {
        ExprKind::Assign(None, target, value) if is_name(target, "op") => {
            if of_ret(value) {
                is_given = true;
            } else {
                of_others = true;
            }
        }
        ExprKind::Assign(_, target, _) => {
            is_ret_assigned |= is_name(target, "ret");
            of_others |= is_name(target, "op");
        }
        ExprKind::Prefix(sign, target) if !matches!(sign, Sign::Not | Sign::Mul) => {
            of_others |= is_name(target, "op") || is_name(target, "ret");
        }
        _ => {}
    });
    let is_parameter = function.parameters.iter().any(|known| known.name == "op");
    let is_op = !of_others && !is_ret_assigned && (is_given || is_parameter && is_of_op);
    let others = [("op", !is_op), ("ret", is_ret_assigned)];
    others.into_iter().filter(|(_, is_other)| *is_other).map(|(name, _)| name).collect()
}

/// Tests whether a variable of a type has the value of the expression that it is declared with.
pub(super) fn keeps_value(ty: &str, value: &Expr) -> bool {
    // A match that comes later gives `Eval` another value.
    let mut is_of_match = false;
    value.clone().visit_mut(&mut |part| {
        is_of_match |= matches!(&part.kind, ExprKind::Member { name, .. } if name == "Eval");
    });
    if is_of_match {
        return false;
    }
    let literal = |value: &Expr| match &value.kind {
        ExprKind::Integer(number, suffix) if suffix.is_empty() => i32::try_from(*number).is_ok(),
        _ => false,
    };
    match ty.trim_start_matches("const ").trim() {
        "int" => match &value.kind {
            ExprKind::Prefix(Sign::Sub, operand) => literal(operand),
            _ => literal(value),
        },
        "bool" => match &value.kind {
            ExprKind::Bool(_) | ExprKind::Prefix(Sign::Not, _) => true,
            ExprKind::Binary(sign, ..) => matches!(
                sign,
                Sign::And
                    | Sign::Or
                    | Sign::Eq
                    | Sign::Ne
                    | Sign::Lt
                    | Sign::Le
                    | Sign::Gt
                    | Sign::Ge
            ),
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Name(name) => !TVM_FUNCTIONS.iter().any(|(known, ..)| known == name),
                _ => true,
            },
            _ => false,
        },
        "auto" | "int64_t" | "PrimType" | "DataType" | "PrimExpr" | "Expr" => true,
        ty => ty.starts_with("PConst<") || ty.ends_with('*'),
    }
}
