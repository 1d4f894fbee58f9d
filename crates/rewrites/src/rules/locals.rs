//! The variables of a C++ function with rules: which of them stand for the value of their
//! declaration wherever they are used.

use halidom_base::FxHashSet;
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

/// The methods that leave their object as it is, besides those whose names begin with `is_`,
/// `can_`, `with_` or `Is`.
const READS: [&str; 30] = [
    "Eval",
    "EvalOr",
    "Match",
    "MatchesCode",
    "MatchesElementType",
    "as",
    "as_or_throw",
    "bits",
    "bytes",
    "code",
    "contains",
    "defined",
    "dtype",
    "element_of",
    "end",
    "find",
    "get",
    "has_lower_bound",
    "has_upper_bound",
    "has_value",
    "lanes",
    "max",
    "min",
    "narrow",
    "same_as",
    "size",
    "ty",
    "type",
    "value",
    "widen",
];

fn reads(method: &str) -> bool {
    let method = method.split('<').next().unwrap_or(method);
    READS.contains(&method)
        || ["is_", "can_", "with_", "Is"].iter().any(|of| method.starts_with(of))
}

/// The variable that an expression names, perhaps to take a part of it.
fn variable(expr: &Expr) -> Option<&String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Member { object, arrow: false, .. } => variable(object),
        ExprKind::Index(object, _) => variable(object),
        _ => None,
    }
}

/// Returns the variables that a function may change after their declaration: it assigns them or
/// parts of them, takes their address, refers to them, calls a method of theirs that may write, or
/// passes them to a function that is not known by its name. A variable is named once for each
/// change.
pub(super) fn changed(function: &Function, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |part: &Expr| names.extend(variable(part).cloned());
    for stmt in &function.body {
        stmt.declared(&mut |variable| {
            if variable.ty.contains('&')
                && let Some(value) = &variable.value
            {
                value.clone().visit_mut(&mut |part| {
                    if matches!(part.kind, ExprKind::Name(_)) {
                        add(part);
                    }
                });
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
            let is_read = match &callee.kind {
                ExprKind::Member { object, arrow, name } => {
                    if !reads(name) && !arrow {
                        add(object);
                    }
                    reads(name) || is_known(name)
                }
                _ => is_known(name),
            };
            if !is_read {
                arguments.iter().for_each(&mut add);
            }
        }
        _ => {}
    });
    names
}

/// Returns the variables `x_info` and `x_bounds` of a function that describe the operand `x`: the
/// function gives values to them and to `x` only by `x = mutate(…, &x_info)`, and by swapping two
/// descriptions and their operands. Some functions are known by name to change no argument.
pub(super) fn described(function: &Function, is_known: &dyn Fn(&str) -> bool) -> FxHashSet<String> {
    let short = |callee: &Expr| match &callee.kind {
        ExprKind::Name(name) => name.rsplit("::").next().unwrap_or(name).to_owned(),
        _ => String::new(),
    };
    // The description that `mutate(…, &x_info)` writes.
    let told = |value: &Expr| match &value.kind {
        ExprKind::Call { callee, arguments, .. } if short(callee) == "mutate" => {
            let [_, Expr { kind: ExprKind::Prefix(Sign::BitAnd, place), .. }] =
                arguments.as_slice()
            else {
                return None;
            };
            variable(place).cloned()
        }
        _ => None,
    };
    let describes = |info: &str, operand: &str| operand_of_info(info) == Some(operand);
    // All variables that are declared, and those that are declared with another value.
    let (mut declared, mut others): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    // The changes that keep descriptions true, each with the variable.
    let mut right: Vec<String> = Vec::new();
    for stmt in &function.body {
        stmt.declared(&mut |variable| {
            declared.push(variable.name.clone());
            let told = variable.value.as_ref().and_then(told);
            match told.filter(|info| describes(info, &variable.name)) {
                Some(info) => right.push(info),
                None if variable.value.is_some() => others.push(variable.name.clone()),
                None => {}
            }
        });
    }
    let (mut swapped, mut operands) = (Vec::new(), Vec::new());
    function.clone().visit_mut(&mut |part| {
        if let ExprKind::Assign(None, target, value) = &part.kind
            && let (ExprKind::Name(target), Some(info)) = (&target.kind, told(value))
            && describes(&info, target)
        {
            right.extend([info, target.clone()]);
        }
        if let ExprKind::Call { callee, arguments, .. } = &part.kind
            && short(callee) == "swap"
            && let [Some(first), Some(second)] =
                arguments.iter().map(variable).collect::<Vec<_>>().as_slice()
        {
            right.extend([first, second].map(|name| (*name).clone()));
            match (operand_of_info(first), operand_of_info(second)) {
                (Some(a), Some(b)) => swapped.push((a.to_owned(), b.to_owned())),
                _ => operands.push(((*first).clone(), (*second).clone())),
            }
        }
    });
    let all = changed(function, &|name| ["intersect", "unify"].contains(&name) || is_known(name));
    let count =
        |names: &[String], wanted: &str| names.iter().filter(|name| *name == wanted).count();
    let is_right = |name: &str| count(&all, name) == count(&right, name);
    let infos = right.iter().filter(|name| {
        operand_of_info(name).is_some_and(|operand| {
            let is_swapped = swapped.iter().any(|(a, b)| a == operand || b == operand);
            // Another variable with the operand's name may hide it.
            let is_hidden = count(&others, operand) > 0 && count(&declared, operand) > 1;
            let are_right = is_right(name) && is_right(operand) && count(&others, name) == 0;
            are_right && !is_hidden && (!is_swapped || swapped == operands)
        })
    });
    infos.cloned().collect()
}

/// Returns the operand that `a_info` or `a_bounds` describes.
pub(super) fn operand_of_info(name: &str) -> Option<&str> {
    name.strip_suffix("_info").or_else(|| name.strip_suffix("_bounds"))
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
