//! The operands among the variables of a C++ function with rules, their types, and descriptions.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind, Function, Stmt, StmtKind};

use super::names::{Change, Declaration, Kind, Names, is_rewriter, names_in, swapped};
use super::own::{call, path};
use super::pattern::TVM_FUNCTIONS;

/// The types of descriptions.
const DESCRIPTIONS: [&str; 2] = ["ConstBounds", "ExprInfo"];

/// Returns the operand that `a_info` or `a_bounds` describes.
pub(super) fn operand_of_info(name: &str) -> Option<&str> {
    name.strip_suffix("_info").or_else(|| name.strip_suffix("_bounds"))
}

/// The two variables that a statement exchanges.
fn swap(stmt: &Stmt) -> Option<(&str, &str)> {
    match &stmt.kind {
        StmtKind::Expr(Expr { kind: ExprKind::Call { callee, arguments, .. }, .. }) => {
            swapped(callee, arguments)
        }
        _ => None,
    }
}

/// The description that `mutate(…, &x_info)` writes.
fn told(value: &Expr) -> Option<&str> {
    match &value.kind {
        ExprKind::Call { callee, arguments, .. } => match (&callee.kind, arguments.as_slice()) {
            (
                ExprKind::Name(mutate),
                [_, Expr { kind: ExprKind::Prefix(Sign::BitAnd, place), .. }],
            ) if mutate == "mutate" => match &place.kind {
                ExprKind::Name(name) => Some(name),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The statements of a function's body that give values to descriptions and their operands.
#[derive(Default)]
struct Events<'f> {
    /// Each description that `mutate` tells, its operand, and the statement.
    tells: Vec<(&'f str, &'f str, usize)>,
    /// Each two descriptions that are exchanged together with their operands, and the statement.
    swaps: Vec<(&'f str, &'f str, usize)>,
}

impl<'f> Events<'f> {
    fn of(function: &'f Function) -> Self {
        let mut events = Self::default();
        for (top, stmt) in function.body.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Declare(all) => {
                    for variable in all {
                        if let Some(info) = variable.value.as_ref().and_then(told) {
                            events.tells.push((info, &variable.name, top));
                        }
                    }
                }
                StmtKind::Expr(Expr { kind: ExprKind::Assign(None, target, value), .. }) => {
                    if let (ExprKind::Name(name), Some(info)) = (&target.kind, told(value)) {
                        events.tells.push((info, name, top));
                    }
                }
                // Both exchanges are done, or none.
                StmtKind::If { declared: None, then, otherwise: None, .. } => {
                    if let StmtKind::Block(stmts) = &then.kind {
                        events.swaps(stmts, |_| top);
                    }
                }
                _ => {}
            }
        }
        events.swaps(&function.body, |index| index + 1);
        events
    }

    /// Collects the exchanges of descriptions next to exchanges of their operands.
    fn swaps(&mut self, stmts: &'f [Stmt], top: impl Fn(usize) -> usize) {
        let mut index = 0;
        while let Some([first, second]) = stmts.get(index..index + 2) {
            let pair = |infos: &'f Stmt, operands: &'f Stmt| {
                let ((first, second), (a, b)) = (swap(infos)?, swap(operands)?);
                let described = (operand_of_info(first)?, operand_of_info(second)?);
                ([(a, b), (b, a)].contains(&described)).then_some((first, second))
            };
            match pair(first, second).or_else(|| pair(second, first)) {
                Some((a, b)) => {
                    self.swaps.push((a, b, top(index)));
                    index += 2;
                }
                None => index += 1,
            }
        }
    }

    fn swaps_of(&self, info: &str) -> impl Iterator<Item = &(&'f str, &'f str, usize)> {
        self.swaps.iter().filter(move |(a, b, _)| [*a, *b].contains(&info))
    }
}

/// Returns the variables `x_info` and `x_bounds` of a function that describe the operand `x`, each
/// with the last statement of the body that gives it a value. All such statements come before the
/// first rewriter of `x`. The function gives values to the description and to `x` only by
/// `x = mutate(…, &x_info)`, once, and by exchanging two descriptions and their operands.
pub(super) fn described(function: &Function, names: &Names<'_>) -> FxHashMap<String, usize> {
    // The first statement of the body with a rewriter that has an operand.
    let first = |operand: &str| {
        let makers = names.declared.iter().filter(|known| {
            let is_of = |value: &Expr| {
                let mut inner = Vec::new();
                names_in(value, &mut inner);
                is_rewriter(value) && inner.contains(&operand)
            };
            known.value.is_some_and(is_of)
        });
        makers.map(|known| known.top).min().unwrap_or(usize::MAX)
    };
    if names.has("mutate") || names.has("swap") {
        return FxHashMap::default();
    }
    let events = Events::of(function);
    let is_local = |name: &str, is_right: &dyn Fn(&Declaration<'_>) -> bool| {
        let all: Vec<_> = names.declarations(name).collect();
        let is_one = matches!(all.as_slice(), [only] if only.is_top && is_right(only));
        is_one && !names.is_parameter(name) && !names.is_hidden(name)
    };
    let is_description = |known: &Declaration<'_>| {
        known.value.is_none() && DESCRIPTIONS.contains(&known.ty) && !names.has(known.ty)
    };
    let is_operand = |known: &Declaration<'_>| ["Expr", "auto"].contains(&known.ty);
    // The last event of a description with one operand that is told once.
    let last = |info: &str| -> Option<usize> {
        let operand = operand_of_info(info)?;
        let tells: Vec<_> = events.tells.iter().filter(|(told, ..)| *told == info).collect();
        let [(_, of, told)] = tells.as_slice() else { return None };
        let swaps: Vec<usize> = events.swaps_of(info).map(|(.., top)| *top).collect();
        let is_value = |known: &Declaration<'_>| known.top == *told && known.value.is_some();
        let given = usize::from(!names.declarations(operand).any(is_value));
        let are_all = names.changes(info).count() == 1 + swaps.len()
            && names.changes(operand).count() == given + swaps.len();
        let is_right = *of == operand
            && is_local(info, &is_description)
            && is_local(operand, &is_operand)
            && are_all
            && swaps.iter().all(|swap| swap > told);
        let last = swaps.into_iter().max().unwrap_or(*told);
        (is_right && last < first(operand)).then_some(last)
    };
    let all = events.tells.iter().filter_map(|(info, ..)| Some(((*info).to_owned(), last(info)?)));
    let mut all: FxHashMap<String, usize> = all.collect();
    loop {
        let is_right = |info: &str| {
            events.swaps_of(info).all(|(a, b, _)| [a, b].iter().all(|of| all.contains_key(**of)))
        };
        let wrong = all.keys().find(|info| !is_right(info)).cloned();
        match wrong {
            Some(info) => all.remove(&info),
            None => return all,
        };
    }
}

/// The expression that `mutate(e, …)` simplifies.
fn mutated<'e>(value: &'e Expr, names: &Names<'_>) -> Option<&'e Expr> {
    let ExprKind::Call { callee, arguments, .. } = &value.kind else { return None };
    let is_mutate = matches!(&callee.kind, ExprKind::Name(name) if name == "mutate");
    arguments.first().filter(|_| is_mutate && !names.has("mutate"))
}

/// Tests whether a variable is at all times what `mutate` returned.
pub(super) fn is_mutated(names: &Names<'_>, name: &str) -> bool {
    let is_value = |value: &Expr| mutated(value, names).is_some();
    let is_declared = |name: &str| {
        let mut all = names.declarations(name).peekable();
        all.peek().is_some()
            && all.all(|known| {
                ["Expr", "auto"].contains(&known.ty) && known.value.is_some_and(is_value)
            })
            && !names.is_parameter(name)
            && !names.is_hidden(name)
    };
    let are_changes = |name: &str| {
        names.changes(name).all(|change| match &change.kind {
            Kind::Assigned(value) => is_value(value),
            Kind::Swapped(other) => is_declared(other),
            Kind::Other => false,
        })
    };
    let mut partners = names.changes(name).filter_map(|change| match &change.kind {
        Kind::Swapped(other) => Some(*other),
        Kind::Assigned(_) | Kind::Other => None,
    });
    is_declared(name) && are_changes(name) && partners.all(are_changes)
}

/// Tests whether a function of `IRMatch.h` with these operands makes the visited node, where its
/// two operands are mutated. Those of a commutative node may be exchanged.
pub(super) fn is_node_of_op(names: &Names<'_>, node: &str, operands: &[Expr]) -> bool {
    let class = names.parameter_type("op").trim_end_matches('*');
    let is_op = names.is_parameter("op") && names.is_steady("op");
    let [Expr { kind: ExprKind::Name(a), .. }, Expr { kind: ExprKind::Name(b), .. }] = operands
    else {
        return false;
    };
    let is_operand = |name: &str, other: &str, member: &str| {
        let all: Vec<_> = names.declarations(name).collect();
        let is_value = |value: &Expr| {
            let path = mutated(value, names).and_then(path);
            path.is_some_and(|path| path == ["op", member])
        };
        let is_kept = |change: &Change<'_>| match &change.kind {
            Kind::Swapped(partner) => *partner == other && ["add", "mul"].contains(&node),
            Kind::Assigned(_) | Kind::Other => false,
        };
        matches!(all.as_slice(), [only] if only.is_top && only.value.is_some_and(is_value))
            && names.changes(name).all(is_kept)
    };
    is_op
        && makes(node, class)
        && !names.has(class)
        && is_operand(a, b, "a")
        && is_operand(b, a, "b")
}

/// The types of the variables of a function and of its rewriters.
#[derive(Default)]
pub(super) struct Types {
    /// The variables whose type is that of one of the rewritten node's operands.
    names: FxHashMap<String, String>,
    /// The operand whose type is that of the first operand of every rewriter.
    first: Option<String>,
    /// True if the type of every rewriter is that of `op`.
    is_of_op: bool,
    /// True if a rewriter matches comparisons, whose type is not that of their operands.
    is_comparison: bool,
}

/// The functions of `IRMatch.h` that make a node with another type than its operands.
const COMPARISONS: [&str; 6] = ["eq", "ge", "gt", "le", "lt", "ne"];

/// Tests whether a function of `IRMatch.h` makes nodes of a class.
fn makes(function: &str, class: &str) -> bool {
    let of_name = class.to_lowercase();
    let is_reduction = class == "VectorReduce" && function.starts_with("h_");
    is_reduction || function.strip_suffix("_op").unwrap_or(function) == of_name
}

impl Types {
    pub(super) fn of(names: &Names<'_>) -> Self {
        let is_op = names.is_parameter("op") && names.is_steady("op");
        let mut types = Self::default();
        let mut rewriters = names.declared.iter().filter(|of| of.value.is_some_and(is_rewriter));
        if !rewriters.all(|of| names.is_unchanged(of.name)) {
            return types;
        }
        for known in &names.declared {
            if let Some(of) = of_name(known.name, names, is_op) {
                types.names.insert(known.name.to_owned(), of);
            }
        }
        let makers = || {
            let all = names.declared.iter().filter_map(|known| known.value);
            all.filter(|value| is_rewriter(value)).map(arguments)
        };
        let first = |all: &[Expr]| match arguments(all.first()?).first().map(|of| &of.kind) {
            Some(ExprKind::Name(name)) => types.names.get(name).cloned(),
            _ => None,
        };
        let firsts: FxHashSet<Option<String>> = makers().map(first).collect();
        let is_of_op =
            |all: &[Expr]| all.get(1).and_then(path).is_some_and(|path| path == ["op", "type"]);
        let is_comparison = |all: &[Expr]| {
            let node = all.first().and_then(call);
            node.is_none_or(|(name, _)| COMPARISONS.contains(&name))
        };
        types.is_comparison = makers().any(is_comparison);
        let class = names.parameter_type("op").trim_end_matches('*');
        let is_node = |all: &[Expr]| {
            let node = all.first().and_then(call);
            node.is_some_and(|(name, _)| makes(name, class) && !names.has(class))
        };
        types.is_of_op = is_op && makers().all(is_of_op) && makers().all(is_node);
        types.first = firsts.into_iter().reduce(|a, b| if a == b { a } else { None }).flatten();
        types
    }

    /// Tests whether `op->type` is the type of every rewriter.
    pub(super) fn is_result(&self) -> bool {
        self.is_of_op
    }

    /// Tests whether a rewriter matches comparisons.
    pub(super) fn is_comparison(&self) -> bool {
        self.is_comparison
    }

    /// Tests whether the type of a variable, or of an operand `op.a`, is that of the first operand
    /// of every rewriter.
    pub(super) fn is_first(&self, name: &str) -> bool {
        let of = self.names.get(name).cloned().unwrap_or_else(|| of_binary(name));
        self.first.as_ref() == Some(&of)
    }
}

fn arguments(call: &Expr) -> &[Expr] {
    match &call.kind {
        ExprKind::Call { arguments, .. } => arguments,
        _ => &[],
    }
}

/// Returns the operand of `op` that has the type of an expression: `op->a`, or arithmetic of
/// operands with one type.
fn of_operand(expr: &Expr) -> Option<String> {
    if let ExprKind::Binary(Sign::Add | Sign::Sub | Sign::Mul, lhs, rhs) = &expr.kind {
        return of_operand(lhs).filter(|of| of_operand(rhs).as_ref() == Some(of));
    }
    let path = path(expr)?;
    let is_operand = matches!(path.as_slice(), [op, _] if op == "op");
    is_operand.then(|| of_binary(&path.join(".")))
}

/// The operands `a` and `b` of a node have one type.
fn of_binary(path: &str) -> String {
    if path == "op.b" { "op.a".to_owned() } else { path.to_owned() }
}

/// Returns the operand of `op` that has the type of a variable at all times: each value of the
/// variable is that operand mutated, or a difference of it and another. A variable with one value
/// has a type of its own.
fn of_name(name: &str, names: &Names<'_>, is_op: bool) -> Option<String> {
    // `op.a` in `mutate(op->a, …)`.
    let of_value = |value: &Expr| -> Option<String> {
        let ExprKind::Call { callee, arguments, .. } = &value.kind else { return None };
        let is_mutate = matches!(&callee.kind, ExprKind::Name(name) if name == "mutate");
        let of = of_operand(arguments.first()?)?;
        (is_mutate && !names.has("mutate") && is_op).then_some(of)
    };
    let declarations: Vec<_> = names.declarations(name).collect();
    let own = || names.is_steady(name).then(|| name.to_owned());
    let is_expr = |known: &&Declaration<'_>| ["Expr", "auto"].contains(&known.ty);
    let mut values = declarations.iter().map(|known| known.value.and_then(of_value));
    let Some(of) = values.next().flatten() else { return own() };
    let is_kept = |change: &Change<'_>| match &change.kind {
        Kind::Assigned(value) => of_value(value).as_ref() == Some(&of),
        // The partner has the same type if all its values have.
        Kind::Swapped(other) => {
            names.declarations(other).all(|known| {
                known.value.and_then(of_value).as_ref() == Some(&of)
                    && ["Expr", "auto"].contains(&known.ty)
            }) && names.changes(other).all(|change| match &change.kind {
                Kind::Assigned(value) => of_value(value).as_ref() == Some(&of),
                Kind::Swapped(back) => *back == name,
                Kind::Other => false,
            }) && !names.is_parameter(other)
        }
        Kind::Other => false,
    };
    let is_right = values.all(|value| value.as_ref() == Some(&of))
        && declarations.iter().all(is_expr)
        && names.changes(name).all(is_kept)
        && !names.is_parameter(name)
        && !names.is_hidden(name);
    is_right.then_some(of)
}

/// Of `op` and `ret`, those that may be something else than the node that the rules of a function
/// rewrite: `ret` changes, or `op` is given something that does not come from `ret`.
pub(super) fn other_nodes(function: &Function, names: &Names<'_>) -> Vec<&'static str> {
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
    let mut is_given = false;
    let mut of_others = names.is_hidden("op");
    for known in names.declarations("op") {
        match known.value {
            Some(value) if of_ret(value) => is_given = true,
            _ => of_others = true,
        }
    }
    for change in names.changes("op") {
        match change.kind {
            Kind::Assigned(value) if of_ret(value) => is_given = true,
            Kind::Assigned(_) | Kind::Swapped(_) | Kind::Other => of_others = true,
        }
    }
    // The value of `ret`, if it has one here, is made of `op`.
    let mut is_of_op = true;
    for stmt in &function.body {
        stmt.declared(&mut |variable| {
            if variable.name == "ret" {
                is_of_op = false;
                if let Some(value) = &variable.value {
                    value.visit(&mut |part| is_of_op |= is_name(part, "op"));
                }
            }
        });
    }
    let count = names.declarations("ret").count() + usize::from(names.is_parameter("ret"));
    let is_ret = count <= 1 && names.changes("ret").next().is_none() && !names.is_hidden("ret");
    let is_op = !of_others && is_ret && (is_given || names.is_parameter("op") && is_of_op);
    let others = [("op", !is_op), ("ret", !is_ret)];
    others.into_iter().filter(|(_, is_other)| *is_other).map(|(name, _)| name).collect()
}

/// Tests whether a variable of a type has the value of the expression that it is declared with.
pub(super) fn keeps_value(ty: &str, value: &Expr) -> bool {
    // A match that comes later gives `Eval` another value.
    let mut is_of_match = false;
    value.visit(&mut |part| {
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
