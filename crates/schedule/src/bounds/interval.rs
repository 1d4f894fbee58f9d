//! The default engine's symbolic part: eliminates variables from a coordinate one at a time,
//! innermost first.
//!
//! A coordinate is brought into normal form before each step, so that correlated terms cancel (`x -
//! 8*xo` with `x` in `8*xo ..`), and each variable's interval is narrowed by the conditions around
//! it (guards of splits, `where` clauses, the compute region of the stage).

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BinaryOp, Expr, ExprId, Interval, Intrinsic, Scalar, UnaryOp, VarId};

use super::{machine, monotone, residues};
use crate::algebra::{Algebra, Product, Sum, opposite, vars};
use crate::query::Binder;
use crate::target::{End, Target};

/// The maximum size of a dividend's and a divisor's bounds, in nodes; a remainder with larger ones
/// may take every value.
const MOST_NODES: usize = 60;

/// Returns the interval of `coord` over everything that `path` binds. The region of an input should
/// be small even where it is repeated or mirrored: callers store no more than it. Other regions
/// have shorter ends instead.
pub(crate) fn interval(
    algebra: &mut Algebra<'_>,
    coord: ExprId,
    path: &[Binder],
    is_input: bool,
) -> (Option<ExprId>, Option<ExprId>) {
    let mut targets = targets(algebra, path);
    let coord = algebra.simplify(coord);
    if is_input {
        let remainders = periodic(algebra, coord, &targets);
        targets.extend(remainders);
    }
    (
        eliminate_all(algebra, coord, &targets, End::Low),
        eliminate_all(algebra, coord, &targets, End::High),
    )
}

/// Returns the targets of a path, outermost first.
fn targets(algebra: &mut Algebra<'_>, path: &[Binder]) -> Vec<Target> {
    let mut targets = Vec::new();
    // The variables of loops of the path, and those that take all values of their ranges over them.
    let mut whole = FxHashSet::default();
    for binder in path {
        match binder {
            Binder::ForAll { var, interval } => {
                whole.insert(*var);
                let expr = algebra.pool.var_expr(*var);
                let low = algebra.simplify(interval.min);
                let high = last(algebra, interval.min, interval.extent);
                targets.push(Target { expr, low: Some(low), high: Some(high) });
            }
            Binder::Let { var, value, range } => {
                let expr = algebra.pool.var_expr(*var);
                let value = algebra.simplify(*value);
                let (mut low, mut high) = (value, value);
                let covers = covers(algebra, value, *range, &whole);
                if covers {
                    whole.insert(*var);
                }
                if let Some(range) = range {
                    let last = last(algebra, range.min, range.extent);
                    (low, high) = if covers {
                        (algebra.simplify(range.min), last)
                    } else {
                        (algebra.max(low, range.min), algebra.min(high, last))
                    };
                }
                targets.push(Target { expr, low: Some(low), high: Some(high) });
            }
            Binder::Allocation(_)
            | Binder::Compute(_)
            | Binder::If(_)
            | Binder::IfMember { .. } => {}
        }
    }
    let unconditional = targets.clone();
    for binder in path {
        match binder {
            Binder::If(condition) => {
                for fact in facts(algebra, *condition, true) {
                    learn(algebra, &fact, &unconditional, &mut targets);
                }
            }
            Binder::ForAll { .. }
            | Binder::Let { .. }
            | Binder::Allocation(_)
            | Binder::Compute(_)
            | Binder::IfMember { .. } => {}
        }
    }
    targets
}

/// True if a split's value takes every value of its range over variables in `whole`; without a
/// range, every value that it has.
///
/// Then the ends of the value, which lie at or beyond those of the range, say nothing more. In
/// nested splits the algebra cannot see this. Both kinds of ends would be kept, and regions would
/// grow by a factor at each func.
fn covers(
    algebra: &Algebra<'_>,
    value: ExprId,
    range: Option<Interval>,
    whole: &FxHashSet<VarId>,
) -> bool {
    let ends = range.iter().flat_map(|range| [range.min, range.extent]);
    let fixed: FxHashSet<VarId> = ends.flat_map(|end| vars(algebra.pool, end)).collect();
    let mut mentioned = vars(algebra.pool, value);
    mentioned.retain(|var| !whole.contains(var) && !fixed.contains(var));
    mentioned.is_empty()
}

pub(crate) fn last(algebra: &mut Algebra<'_>, min: ExprId, extent: ExprId) -> ExprId {
    let end = algebra.add(min, extent);
    algebra.offset(end, -1)
}

/// Returns sums that are non-negative if the condition is true (or false, if not `holds`). Parts
/// that are not comparisons of `int`s contribute nothing.
fn facts(algebra: &mut Algebra<'_>, condition: ExprId, holds: bool) -> Vec<Sum> {
    match *algebra.pool.get(condition) {
        Expr::Unary(UnaryOp::Not, operand) => facts(algebra, operand, !holds),
        Expr::Binary(BinaryOp::And, lhs, rhs) if holds => {
            [facts(algebra, lhs, true), facts(algebra, rhs, true)].concat()
        }
        Expr::Binary(BinaryOp::Or, lhs, rhs) if !holds => {
            [facts(algebra, lhs, false), facts(algebra, rhs, false)].concat()
        }
        Expr::Binary(op, lhs, rhs) if algebra.pool.ty(lhs).scalar == Scalar::Int => {
            let op = if holds { Some(op) } else { opposite(op) };
            let difference = algebra.sub(rhs, lhs);
            let difference = algebra.sum(difference);
            let minus = |sum: &Sum, offset: i128, sign: i128| Sum::constant(offset).plus(sum, sign);
            match op {
                Some(BinaryOp::Lt) => minus(&difference, -1, 1).into_iter().collect(),
                Some(BinaryOp::Le) => vec![difference],
                Some(BinaryOp::Gt) => minus(&difference, -1, -1).into_iter().collect(),
                Some(BinaryOp::Ge) => minus(&difference, 0, -1).into_iter().collect(),
                Some(BinaryOp::Eq) => {
                    let other = minus(&difference, 0, -1);
                    [Some(difference), other].into_iter().flatten().collect()
                }
                Some(_) | None => Vec::new(),
            }
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => Vec::new(),
    }
}

/// Narrows the intervals of the targets in which `fact >= 0` is linear.
fn learn(algebra: &mut Algebra<'_>, fact: &Sum, unconditional: &[Target], targets: &mut [Target]) {
    for position in 0..targets.len() {
        let expr = targets[position].expr;
        let coefficient = fact.coefficient(&[expr][..]);
        if coefficient == 0 {
            continue;
        }
        // A condition on several variables is only used for each one separately.
        let mentioned =
            |target: &Target| fact.terms().any(|(product, _)| product.contains(&target.expr));
        algebra.lossy |= targets.iter().filter(|target| mentioned(target)).count() > 1;
        let rest = algebra.expr(&fact.without(&[expr][..]));
        if algebra.occurs(rest, expr) {
            continue;
        }
        // coefficient * v + rest >= 0 gives a lower end -(rest div coefficient), or an upper end
        // rest div -coefficient. The rest's greatest value counts.
        let Some(rest) = eliminate_all(algebra, rest, &unconditional[position + 1..], End::High)
        else {
            continue;
        };
        // The ends of inner targets may mention this one; then the fact gives no bound for it.
        if algebra.occurs(rest, expr) {
            continue;
        }
        let divisor = algebra.int(coefficient.saturating_abs());
        let quotient = algebra.combine(BinaryOp::Div, rest, divisor);
        let target = &mut targets[position];
        if coefficient > 0 {
            let zero = algebra.int(0);
            let bound = algebra.sub(zero, quotient);
            target.low = Some(target.low.map_or(bound, |low| algebra.max(low, bound)));
        } else {
            target.high = Some(target.high.map_or(quotient, |high| algebra.min(high, quotient)));
        }
    }
}

/// Bounds an expression over all targets, innermost (last) first. `None` if there is no finite
/// bound.
fn eliminate_all(
    algebra: &mut Algebra<'_>,
    expr: ExprId,
    targets: &[Target],
    end: End,
) -> Option<ExprId> {
    let mut expr = algebra.simplify(expr);
    for data in data_atoms(algebra, expr, targets) {
        let Expr::Cast(Scalar::Int, operand) = *algebra.pool.get(data) else { continue };
        let (low, high) =
            machine::range(algebra, operand, machine::Values::OfFuncs, &|algebra, expr| {
                !is_data(algebra, expr, targets)
            });
        // A value that is monotone in a variable is eliminated along with the variable.
        if (low.is_none() || high.is_none())
            && monotone::chain(algebra.pool, operand, &|expr| !is_data(algebra, expr, targets))
                .is_some()
        {
            continue;
        }
        let target = Target { expr: data, low, high };
        expr = eliminate(algebra, expr, target, end)?;
    }
    for target in targets.iter().rev() {
        expr = eliminate(algebra, expr, *target, end)?;
    }
    (!is_data(algebra, expr, targets)).then_some(expr)
}

/// True if the value is unknown where the bound is used: it reads a func, or mentions a target.
fn is_data(algebra: &Algebra<'_>, expr: ExprId, targets: &[Target]) -> bool {
    let mut found = false;
    algebra.pool.for_each_subexpr(expr, &mut |id, expr| {
        found |= matches!(expr, Expr::Ref { .. } | Expr::Hole(_))
            || targets.iter().any(|target| target.expr == id);
    });
    found
}

/// Collects the conversions to `int` of unknown values, outer ones first.
fn data_atoms(algebra: &Algebra<'_>, root: ExprId, targets: &[Target]) -> Vec<ExprId> {
    let mut atoms = Vec::new();
    algebra.pool.for_each_subexpr(root, &mut |id, expr| {
        if let Expr::Cast(Scalar::Int, operand) = expr
            && is_data(algebra, *operand, targets)
        {
            atoms.push(id);
        }
    });
    // Operands come first, so reversing eliminates an atom before the atoms inside it.
    atoms.reverse();
    atoms
}

/// Finds the ends of remainders by a number that is known only at run time, over all targets
/// together.
///
/// If a dividend goes from `a` to `b` and `(a mod n) + (b - a) < n`, there is no multiple of `n`
/// between, and the remainder goes from `a mod n` to `(a mod n) + (b - a)`. Otherwise it may take
/// every value. In both cases it does not exceed that sum.
fn periodic(algebra: &mut Algebra<'_>, expr: ExprId, targets: &[Target]) -> Vec<Target> {
    let mut atoms = Vec::new();
    algebra.pool.for_each_subexpr(expr, &mut |id, expr| {
        if let Expr::Binary(BinaryOp::Mod, lhs, rhs) = *expr {
            atoms.push((id, lhs, rhs));
        }
    });
    let mut found = Vec::new();
    for (atom, dividend, divisor) in atoms {
        if algebra.pool.as_constant(divisor).is_some()
            || !is_data(algebra, dividend, targets)
            || is_data(algebra, divisor, targets)
        {
            continue;
        }
        let ends = [End::Low, End::High].map(|end| eliminate_all(algebra, dividend, targets, end));
        let [Some(first), Some(last)] = ends else { continue };
        let mut nodes = 0;
        for expr in [first, last, divisor] {
            algebra.pool.for_each_subexpr(expr, &mut |_, _| nodes += 1);
        }
        if nodes > MOST_NODES {
            continue;
        }
        let begin = algebra.combine(BinaryOp::Mod, first, divisor);
        let length = algebra.sub(last, first);
        let reach = algebra.add(begin, length);
        let greatest = greatest_remainder(algebra, divisor, divisor);
        let is_one_period = algebra.pool.binary(BinaryOp::Le, reach, greatest);
        let zero = algebra.int(0);
        let low = algebra.pool.expr(Expr::Select {
            condition: is_one_period,
            if_true: begin,
            if_false: zero,
        });
        let high = algebra.min(reach, greatest);
        found.push(Target { expr: atom, low: Some(low), high: Some(high) });
    }
    // Operands come first, and the last target is eliminated first.
    found
}

/// Bounds `expr` over one target: the result does not mention it.
fn eliminate(algebra: &mut Algebra<'_>, expr: ExprId, target: Target, end: End) -> Option<ExprId> {
    let key = (expr, target, end);
    if let Some((known, is_lossy)) = algebra.ends.get(&key).copied() {
        algebra.lossy |= is_lossy;
        return known;
    }
    let before = std::mem::replace(&mut algebra.lossy, false);
    let found = eliminate_once(algebra, expr, target, end);
    algebra.ends.insert(key, (found, algebra.lossy));
    algebra.lossy |= before;
    found
}

fn eliminate_once(
    algebra: &mut Algebra<'_>,
    expr: ExprId,
    target: Target,
    end: End,
) -> Option<ExprId> {
    if !algebra.occurs(expr, target.expr) {
        return Some(expr);
    }
    let sum = algebra.sum(expr);
    if let Some((op, lhs, rhs)) = algebra.lone_extremum(&sum) {
        return extremum(algebra, op, lhs, rhs, target, end);
    }
    // Split into terms without the target, terms linear in it, and terms with the target inside an
    // atom.
    let (mut rest, mut slope, mut others) = (Sum::default(), Sum::default(), Vec::new());
    for (product, coefficient) in sum.terms() {
        let (inside, kept): (Vec<ExprId>, Vec<ExprId>) =
            product.iter().partition(|atom| algebra.occurs(**atom, target.expr));
        let factor = Sum::term(Product::of(&kept), coefficient);
        match inside.as_slice() {
            [] => rest = rest.plus(&factor, 1)?,
            [only] if *only == target.expr => slope = slope.plus(&factor, 1)?,
            _ => others.push((factor, inside)),
        }
    }
    let rest = algebra.expr(&rest);
    let together = residues::bound(algebra, &slope, &others, target, end);
    let total = match together {
        Some(bound) if bound.is_within => algebra.add(rest, bound.value),
        Some(bound) => {
            let together = algebra.add(rest, bound.value);
            match apart(algebra, rest, &slope, &others, target, end) {
                None => together,
                Some(apart) if end == End::Low => algebra.max(together, apart),
                Some(apart) => algebra.min(together, apart),
            }
        }
        None => {
            // The correlation between the parts is lost.
            algebra.lossy |= others.len() + usize::from(!slope.is_zero()) > 1;
            apart(algebra, rest, &slope, &others, target, end)?
        }
    };
    // The bounds of a target do not mention it, but a sum may hide it in several atoms.
    (!algebra.occurs(total, target.expr)).then_some(total)
}

/// Bounds `rest + slope * target + others`, each part separately.
fn apart(
    algebra: &mut Algebra<'_>,
    rest: ExprId,
    slope: &Sum,
    others: &[(Sum, Vec<ExprId>)],
    target: Target,
    end: End,
) -> Option<ExprId> {
    let mut total = rest;
    if !slope.is_zero() {
        let part = scaled(algebra, slope, end, &mut |_, end| match end {
            End::Low => target.low,
            End::High => target.high,
        })?;
        total = algebra.add(total, part);
    }
    for (factor, atoms) in others {
        let part =
            scaled(algebra, factor, end, &mut |algebra, end| product(algebra, atoms, target, end))?;
        total = algebra.add(total, part);
    }
    Some(total)
}

/// Bounds `factor * value` where `value` has the given ends: by the sign of the factor, or from
/// both ends if the sign is unknown.
fn scaled(
    algebra: &mut Algebra<'_>,
    factor: &Sum,
    end: End,
    value: &mut dyn FnMut(&mut Algebra<'_>, End) -> Option<ExprId>,
) -> Option<ExprId> {
    let factor_expr = algebra.expr(factor);
    let zero = algebra.int(0);
    for positive in [true, false] {
        let known = if positive {
            algebra.proves_nonnegative(factor_expr)
        } else {
            algebra.proves_le(factor_expr, zero)
        };
        if known {
            let bound = value(algebra, end.along(positive))?;
            return Some(algebra.mul(factor_expr, bound));
        }
    }
    algebra.lossy = true;
    let (low, high) = (value(algebra, End::Low)?, value(algebra, End::High)?);
    let (low, high) = (algebra.mul(factor_expr, low), algebra.mul(factor_expr, high));
    Some(match end {
        End::Low => algebra.min(low, high),
        End::High => algebra.max(low, high),
    })
}

/// Bounds a product of atoms that all contain the target.
fn product(
    algebra: &mut Algebra<'_>,
    atoms: &[ExprId],
    target: Target,
    end: End,
) -> Option<ExprId> {
    if let [only] = atoms {
        return atom(algebra, *only, target, end);
    }
    let mut ends: Option<(ExprId, ExprId)> = None;
    for factor in atoms {
        let low = atom(algebra, *factor, target, End::Low)?;
        let high = atom(algebra, *factor, target, End::High)?;
        ends = Some(match ends {
            None => (low, high),
            Some((a, b)) => {
                let corners =
                    [(a, low), (a, high), (b, low), (b, high)].map(|(x, y)| algebra.mul(x, y));
                let least = corners.into_iter().reduce(|x, y| algebra.min(x, y))?;
                (least, corners.into_iter().reduce(|x, y| algebra.max(x, y))?)
            }
        });
    }
    ends.map(|(low, high)| if end == End::Low { low } else { high })
}

fn extremum(
    algebra: &mut Algebra<'_>,
    op: BinaryOp,
    lhs: ExprId,
    rhs: ExprId,
    target: Target,
    end: End,
) -> Option<ExprId> {
    let lhs = eliminate(algebra, lhs, target, end);
    let rhs = eliminate(algebra, rhs, target, end);
    match (lhs, rhs) {
        (Some(lhs), Some(rhs)) => Some(algebra.combine(op, lhs, rhs)),
        // min(a, b) <= a: on this side one arm suffices.
        (Some(one), None) | (None, Some(one)) if (op == BinaryOp::Min) == (end == End::High) => {
            Some(one)
        }
        _ => None,
    }
}

/// Bounds an atom that contains the target. Uses also the atom's least value for any target,
/// because normal forms omit `max(e, 0)` where `e` cannot be negative.
fn atom(algebra: &mut Algebra<'_>, atom: ExprId, target: Target, end: End) -> Option<ExprId> {
    let bound = atom_within(algebra, atom, target, end);
    // Remainders, selections and absolute values may take any value between the ends, or miss the
    // ends.
    algebra.lossy |= !matches!(
        algebra.pool.get(atom),
        Expr::Var(_)
            | Expr::Cast(..)
            | Expr::Binary(BinaryOp::Min | BinaryOp::Max | BinaryOp::Div, ..)
    );
    match (end, algebra.least_atom(atom)) {
        // A value that is monotone in the target is bounded by values of its type.
        (End::Low, Some(_)) if bound.is_some() && is_conversion(algebra, atom) => bound,
        (End::Low, Some(least)) if atom != target.expr => {
            let least = algebra.int(least);
            Some(bound.map_or(least, |bound| algebra.max(bound, least)))
        }
        _ => bound,
    }
}

fn is_conversion(algebra: &Algebra<'_>, atom: ExprId) -> bool {
    matches!(algebra.pool.get(atom), Expr::Cast(..))
}

fn atom_within(
    algebra: &mut Algebra<'_>,
    atom: ExprId,
    target: Target,
    end: End,
) -> Option<ExprId> {
    if atom == target.expr {
        return match end {
            End::Low => target.low,
            End::High => target.high,
        };
    }
    match *algebra.pool.get(atom) {
        Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), lhs, rhs) => {
            extremum(algebra, op, lhs, rhs, target, end)
        }
        Expr::Binary(BinaryOp::Div, lhs, rhs) if !algebra.occurs(rhs, target.expr) => {
            let one = algebra.int(1);
            if algebra.proves_le(one, rhs) {
                let lhs = eliminate(algebra, lhs, target, end)?;
                Some(algebra.combine(BinaryOp::Div, lhs, rhs))
            } else {
                quotient(algebra, lhs, rhs, target, end)
            }
        }
        Expr::Binary(BinaryOp::Div, lhs, rhs) => quotient(algebra, lhs, rhs, target, end),
        Expr::Binary(BinaryOp::Mod, lhs, rhs) => remainder(algebra, lhs, rhs, target, end),
        Expr::Select { if_true, if_false, .. } => {
            let if_true = eliminate(algebra, if_true, target, end)?;
            let if_false = eliminate(algebra, if_false, target, end)?;
            Some(match end {
                End::Low => algebra.min(if_true, if_false),
                End::High => algebra.max(if_true, if_false),
            })
        }
        Expr::Cast(Scalar::Int, operand) => along(algebra, atom, operand, target, end),
        Expr::Call(Intrinsic::Abs, operand) => {
            let (low, high) = both(algebra, operand, target)?;
            let zero = algebra.int(0);
            let negative = algebra.sub(zero, low);
            Some(match end {
                End::Low => {
                    let positive = algebra.sub(zero, high);
                    let nearest = algebra.max(low, positive);
                    algebra.max(nearest, zero)
                }
                End::High => algebra.max(negative, high),
            })
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

/// Bounds a value that is monotone in an integer that contains the target: takes the value at one
/// end of the integer, or at both if the direction is unknown.
fn along(
    algebra: &mut Algebra<'_>,
    atom: ExprId,
    operand: ExprId,
    target: Target,
    end: End,
) -> Option<ExprId> {
    let chain = monotone::chain(algebra.pool, operand, &|expr| !algebra.occurs(expr, target.expr))?;
    let at = |algebra: &mut Algebra<'_>, end: End| {
        let bottom = eliminate(algebra, chain.bottom, target, end)?;
        let mut done = FxHashMap::from_iter([(chain.bottom, bottom)]);
        Some(algebra.pool.rewrite_bottom_up(atom, &mut done, &mut |_, id, _| id))
    };
    if let Some(rises) = chain.rises {
        return at(algebra, end.along(rises));
    }
    let (low, high) = (at(algebra, End::Low)?, at(algebra, End::High)?);
    Some(match end {
        End::Low => algebra.min(low, high),
        End::High => algebra.max(low, high),
    })
}

fn both(algebra: &mut Algebra<'_>, expr: ExprId, target: Target) -> Option<(ExprId, ExprId)> {
    Some((
        eliminate(algebra, expr, target, End::Low)?,
        eliminate(algebra, expr, target, End::High)?,
    ))
}

/// Bounds a quotient whose divisor may vary: its absolute value never exceeds the dividend's, and
/// it is non-negative if both operands are.
fn quotient(
    algebra: &mut Algebra<'_>,
    lhs: ExprId,
    rhs: ExprId,
    target: Target,
    end: End,
) -> Option<ExprId> {
    let (low, high) = both(algebra, lhs, target)?;
    let divisor = eliminate(algebra, rhs, target, End::Low);
    if algebra.proves_nonnegative(low)
        && divisor.is_some_and(|least| algebra.proves_nonnegative(least))
    {
        return Some(if end == End::Low { algebra.int(0) } else { high });
    }
    Some(farthest(algebra, low, high, end))
}

/// Returns `-M` or `M` for the greatest absolute value `M` in `low..=high`.
fn farthest(algebra: &mut Algebra<'_>, low: ExprId, high: ExprId, end: End) -> ExprId {
    let zero = algebra.int(0);
    let negative = algebra.sub(zero, low);
    let magnitude = algebra.max(negative, high);
    match end {
        End::Low => algebra.sub(zero, magnitude),
        End::High => magnitude,
    }
}

/// Bounds `lhs mod rhs`, which lies in `0 ..= max(|rhs|, 1) - 1` and does not exceed a non-negative
/// dividend.
fn remainder(
    algebra: &mut Algebra<'_>,
    lhs: ExprId,
    rhs: ExprId,
    target: Target,
    end: End,
) -> Option<ExprId> {
    let zero = algebra.int(0);
    if end == End::Low {
        return Some(zero);
    }
    let (low, high) = both(algebra, rhs, target)?;
    let bound = greatest_remainder(algebra, low, high);
    let one = algebra.int(1);
    let dividend = both(algebra, lhs, target);
    Some(match dividend {
        Some((low, high)) if algebra.proves_nonnegative(low) && algebra.proves_le(one, rhs) => {
            algebra.min(bound, high)
        }
        _ => bound,
    })
}

/// Returns the greatest remainder by a divisor between two numbers.
fn greatest_remainder(algebra: &mut Algebra<'_>, low: ExprId, high: ExprId) -> ExprId {
    let one = algebra.int(1);
    let bound = if algebra.proves_le(one, low) {
        high
    } else {
        let zero = algebra.int(0);
        let negative = algebra.sub(zero, low);
        let magnitude = algebra.max(negative, high);
        algebra.max(magnitude, one)
    };
    algebra.offset(bound, -1)
}
