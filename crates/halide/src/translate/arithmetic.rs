//! The arithmetic of a pipeline that must not overflow, for a comparison of two pipelines.
//!
//! # Correctness
//! A verdict assumes that a pipeline's own integers of 32 and 64 bits do not overflow. It may speak
//! of two pipelines only if this means the same for both: where one of them computes in fewer bits,
//! or in another order, it overflows on inputs for which the other one has values.

use std::collections::BTreeSet;

use halidom_base::{FxHashMap, IndexMap};
use halidom_ir::{BinaryOp, Expr, ExprId, FuncId, Overflow, Pool, Scalar, UnaryOp, VarId};

use super::Source;

/// The width of an `int` that is not noted.
const USUAL: u32 = 32;

/// Returns a func in which two pipelines compute integers in different ways: other operations that
/// must not overflow, or the same ones in other widths. Names of variables do not count. The
/// pipelines may have separate pools.
pub fn differing(one: &Source, other: &Source) -> Option<String> {
    let mut shapes = IndexMap::default();
    let [one, other] = [one, other].map(|source| operations(source, &mut shapes));
    one.symmetric_difference(&other).next().map(|(func, ..)| func.clone())
}

/// An expression up to the names of variables: its operator, and the numbers of its operands.
type Shape = (String, Vec<usize>);

/// The operations of each func that must not overflow, with their widths.
fn operations(
    source: &Source,
    shapes: &mut IndexMap<Shape, usize>,
) -> BTreeSet<(String, usize, u32)> {
    let Source { pool, algorithm, widths, .. } = source;
    let mut found = BTreeSet::new();
    let mut add = |name: &str, root: ExprId, places: &[FxHashMap<VarId, String>]| {
        let mut known = FxHashMap::default();
        shaped(pool, root, places, (&mut known, shapes));
        pool.for_each_subexpr(root, &mut |id, node| {
            if may_overflow(pool, id, node) {
                let bits = widths.known().get(&id).copied().unwrap_or(USUAL);
                found.insert((name.to_owned(), known[&id], bits));
            }
        });
    };
    for func in &algorithm.funcs {
        let decl = pool.func(*func);
        let args = named("arg", decl.args.iter().copied());
        for (number, stage) in decl.stages().iter().enumerate() {
            let name = format!("{} ({number})", decl.name);
            let domain = named("domain", stage.domain.iter().map(|variable| variable.var));
            let places = [args.clone(), domain];
            let ends = stage.domain.iter().flat_map(|variable| [variable.min, variable.extent]);
            stage.roots().chain(ends).for_each(|root| add(&name, root, &places));
        }
    }
    for require in &algorithm.requires {
        add("a requirement", require.condition, &[]);
    }
    found
}

/// Names for variables by their positions.
fn named(kind: &str, vars: impl Iterator<Item = VarId>) -> FxHashMap<VarId, String> {
    vars.enumerate().map(|(at, var)| (var, format!("{kind} {at}"))).collect()
}

fn may_overflow(pool: &Pool, id: ExprId, node: &Expr) -> bool {
    let scalar = pool.ty(id).scalar;
    if let Expr::Cast(_, inner) = node {
        return pool.ty(*inner).scalar == Scalar::Int;
    }
    let (Expr::Binary(
        BinaryOp::Add(overflow) | BinaryOp::Sub(overflow) | BinaryOp::Mul(overflow),
        ..,
    )
    | Expr::Unary(UnaryOp::Neg(overflow), _)) = node
    else {
        return false;
    };
    scalar == Scalar::Int || (*overflow == Overflow::AssumedAbsent && !scalar.is_float())
}

/// Numbers the shape of an expression and of all its parts; returns its own number.
fn shaped(
    pool: &Pool,
    id: ExprId,
    places: &[FxHashMap<VarId, String>],
    (known, shapes): (&mut FxHashMap<ExprId, usize>, &mut IndexMap<Shape, usize>),
) -> usize {
    if let Some(number) = known.get(&id) {
        return *number;
    }
    let node = pool.get(id);
    let mut operands = Vec::new();
    node.for_each_operand(|operand| operands.push(operand));
    let operands = operands
        .into_iter()
        .map(|operand| halidom_base::stack::deep(|| shaped(pool, operand, places, (known, shapes))))
        .collect();
    let func = |func: &FuncId| &pool.func(*func).name;
    let operator = match node {
        Expr::Var(var) => match places.iter().find_map(|names| names.get(var)) {
            Some(place) => place.clone(),
            None => format!("{} {}", pool.var(*var).ty, pool.var(*var).name),
        },
        Expr::Const(value) => format!("{value:?}"),
        Expr::Unary(operator, _) => format!("{operator:?}"),
        Expr::Binary(operator, ..) => format!("{operator:?}"),
        Expr::Select { .. } => "select".to_owned(),
        Expr::Cast(to, _) => format!("cast {to}"),
        Expr::Call(intrinsic, _) => format!("{intrinsic:?}"),
        Expr::Apply { function, .. } => format!("apply {}", pool.function(*function).name),
        Expr::Ref { func: read, component, .. } => format!("read {component} of {}", func(read)),
        Expr::Load { buffer, .. } => format!("load of {}", pool.buffer(*buffer).name),
        Expr::Ramp { lanes, .. } => format!("ramp of {lanes}"),
        Expr::Broadcast { lanes, .. } => format!("broadcast to {lanes}"),
        Expr::Shuffle { lanes, .. } => format!("shuffle {lanes:?}"),
        Expr::Hole(hole) => format!("{hole:?}"),
    };
    let next = shapes.len();
    let number = *shapes.entry((operator, operands)).or_insert(next);
    known.insert(id, number);
    number
}
