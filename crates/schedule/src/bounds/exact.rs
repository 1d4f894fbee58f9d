//! The default engine's exact part: projections of integer sets, for accesses where symbolic
//! intervals are imprecise.
//!
//! If everything is quasi-affine, the points that an access reaches are an integer set over the
//! variables in scope where the bound is used, and its least and greatest coordinate are found
//! exactly. isl's answer is used only if it is narrower than the symbolic interval and an
//! expression without case distinctions.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Scalar, UnaryOp};
use halidom_poly::{Condition, Constraint, Context, Dim, Error, Function, QuasiAffine, Set};

use super::interval::last;
use super::machine;
use crate::algebra::{Algebra, Sum, opposite};
use crate::query::Binder;
use crate::target::End;

/// The number of basic operations that isl may spend on one query.
const WORK_LIMIT: u64 = 1_000;
/// The maximum number of parts of an answer; one with more is no improvement.
const MOST_PARTS: usize = 16;
/// The maximum number of accesses in a union that is examined.
const MOST_ITEMS: usize = 12;
/// The maximum size of a symbolic bound, in nodes. A larger one stays: a query about it would be
/// long, and so would the answer.
const MOST_NODES: usize = 40;

/// An access as seen from the place where its region is chosen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// The binders between that place and the access, outermost first.
    pub(crate) path: Vec<Binder>,
    /// The first and the last coordinate that are accessed.
    pub(crate) ends: (ExprId, ExprId),
}

/// Returns a better bound than `found` for the least or greatest coordinate of all items, under the
/// binders `around` the place; `None` if isl finds none.
pub(crate) fn tighten(
    algebra: &mut Algebra<'_>,
    items: &[Item],
    around: &[Binder],
    found: ExprId,
    end: End,
) -> Option<ExprId> {
    let mut different: Vec<Item> = Vec::new();
    for item in items {
        if !different.contains(item) {
            different.push(item.clone());
        }
    }
    let mut nodes = 0;
    algebra.pool.for_each_subexpr(found, &mut |_, _| nodes += 1);
    if different.len() > MOST_ITEMS || nodes > MOST_NODES {
        return None;
    }
    let context = Context::new(WORK_LIMIT).ok()?;
    let coord = context.dim("coord");
    let mut translator = Translator {
        algebra,
        context,
        dims: FxHashMap::default(),
        names: FxHashMap::default(),
        bound: FxHashSet::default(),
        over: Vec::new(),
        facts: Vec::new(),
        ranges: Vec::new(),
    };
    translator.tighten(&different, around, coord, found, end)
}

struct Translator<'a, 'b> {
    algebra: &'a mut Algebra<'b>,
    context: Context,
    dims: FxHashMap<ExprId, Dim>,
    names: FxHashMap<Dim, ExprId>,
    /// Variables that the paths of items bind.
    bound: FxHashSet<ExprId>,
    /// Dims that vary with the coordinate.
    over: Vec<Dim>,
    /// Constraints on dims that are in scope.
    facts: Vec<Constraint>,
    /// Constraints on the other dims, for the item that is being translated.
    ranges: Vec<Constraint>,
}

impl Translator<'_, '_> {
    fn tighten(
        &mut self,
        items: &[Item],
        around: &[Binder],
        coord: Dim,
        found: ExprId,
        end: End,
    ) -> Option<ExprId> {
        let mut points: Option<Set> = None;
        for item in items {
            let set = self.points(item, coord, end)?;
            points = Some(match points {
                None => set,
                Some(points) => points.union(&set).ok()?,
            });
        }
        // Conditions around the place hold where the bound is evaluated. Those that cannot be
        // translated are left out.
        self.bound.clear();
        let (constraints, conditions) = self.binders(around, true)?;
        let current = self.affine(found)?;
        let assumed = [constraints, self.facts.clone()].concat();
        let mut within = Set::from_constraints(&self.context, &assumed).ok()?;
        for condition in conditions {
            let set = Set::from_condition(&self.context, &condition).ok()?;
            within = within.intersect(&set).ok()?;
        }
        self.improvement(&points?, &within, coord, &current, found, end).ok()?
    }

    fn improvement(
        &mut self,
        points: &Set,
        within: &Set,
        coord: Dim,
        current: &QuasiAffine,
        found: ExprId,
        end: End,
    ) -> Result<Option<ExprId>, Error> {
        let exact = match end {
            End::Low => points.min(coord, &self.over)?,
            End::High => points.max(coord, &self.over)?,
        };
        let domain = exact.domain()?.intersect(within)?;
        let current = Function::from_quasi_affine(&self.context, current)?;
        let better = match end {
            End::Low => exact.gt(&current)?,
            End::High => exact.lt(&current)?,
        };
        if better.intersect(&domain)?.is_empty()? {
            return Ok(None);
        }
        let Some(answer) = exact.expression_within(within)?.filter(is_short) else {
            return Ok(None);
        };
        let Some(answer) = self.expression(&answer) else { return Ok(None) };
        // Where nothing is accessed the answer is meaningless; there the symbolic bound keeps it
        // within harmless values.
        Ok(Some(if within.is_subset(&domain)? {
            answer
        } else {
            match end {
                End::Low => self.algebra.max(answer, found),
                End::High => self.algebra.min(answer, found),
            }
        }))
    }

    /// Returns the points that an item reaches: the coordinate's dim with the dims of its path's
    /// variables.
    fn points(&mut self, item: &Item, coord: Dim, end: End) -> Option<Set> {
        let (mut constraints, conditions) = self.binders(&item.path, false)?;
        let access = match end {
            End::Low => item.ends.0,
            End::High => item.ends.1,
        };
        let access = self.affine(access)?;
        constraints.push(QuasiAffine::from(coord).equal(access));
        // Data-dependent parts add their own constraints.
        constraints.append(&mut self.ranges);
        let mut set = Set::from_constraints(&self.context, &constraints).ok()?;
        for condition in conditions {
            set = set.intersect(&Set::from_condition(&self.context, &condition).ok()?).ok()?;
        }
        Some(set)
    }

    /// Returns the constraints and conditions of binders. Conditions that cannot be translated are
    /// left out, which makes sets larger. Loops cannot be left out, so such a loop gives `None`
    /// unless `partly`.
    fn binders(
        &mut self,
        path: &[Binder],
        partly: bool,
    ) -> Option<(Vec<Constraint>, Vec<Condition>)> {
        let (mut constraints, mut conditions) = (Vec::new(), Vec::new());
        for binder in path {
            match binder {
                Binder::ForAll { var, interval } => {
                    let end = last(self.algebra, interval.min, interval.extent);
                    let ends = (self.affine(interval.min), self.affine(end));
                    let var = self.algebra.pool.var_expr(*var);
                    let dim = self.binder(var, partly);
                    match ends {
                        (Some(low), Some(high)) => {
                            constraints.push(QuasiAffine::from(dim).ge(low));
                            constraints.push(QuasiAffine::from(dim).le(high));
                        }
                        _ if partly => {}
                        _ => return None,
                    }
                }
                Binder::Let { var, value, .. } => {
                    let value = self.affine(*value);
                    let var = self.algebra.pool.var_expr(*var);
                    let dim = self.binder(var, partly);
                    match value {
                        Some(value) => constraints.push(QuasiAffine::from(dim).equal(value)),
                        None if partly => {}
                        None => return None,
                    }
                }
                Binder::If(condition) => {
                    conditions.extend(self.condition(*condition, true, false));
                }
                Binder::IfMember { .. } | Binder::Allocation(_) | Binder::Compute(_) => {}
            }
        }
        Some((constraints, conditions))
    }

    fn binder(&mut self, var: ExprId, in_scope: bool) -> Dim {
        if !in_scope {
            self.bound.insert(var);
        }
        let dim = self.dim(var);
        if !in_scope && !self.over.contains(&dim) {
            self.over.push(dim);
        }
        dim
    }

    fn dim(&mut self, expr: ExprId) -> Dim {
        if let Some(dim) = self.dims.get(&expr) {
            return *dim;
        }
        let dim = self.context.dim("v");
        self.dims.insert(expr, dim);
        self.names.insert(dim, expr);
        if let Some(least) =
            self.algebra.least_atom(expr).and_then(|least| i64::try_from(least).ok())
        {
            let fact = QuasiAffine::from(dim).ge(least);
            if self.bound.contains(&expr) {
                self.ranges.push(fact);
            } else {
                self.facts.push(fact);
            }
        }
        dim
    }

    fn affine(&mut self, expr: ExprId) -> Option<QuasiAffine> {
        let sum = self.algebra.sum(expr);
        self.affine_sum(&sum)
    }

    fn affine_sum(&mut self, sum: &Sum) -> Option<QuasiAffine> {
        let mut result = QuasiAffine::Constant(0);
        for (product, coefficient) in sum.terms() {
            let coefficient = i64::try_from(coefficient).ok()?;
            let part = match &**product {
                [] => QuasiAffine::Constant(coefficient),
                [atom] => self.atom(*atom)?.scale(coefficient),
                _ => return None,
            };
            result = result.plus(part);
        }
        Some(result)
    }

    fn atom(&mut self, atom: ExprId) -> Option<QuasiAffine> {
        let divisor = |algebra: &Algebra<'_>, expr| {
            let value = algebra.pool.as_constant(expr).and_then(Constant::as_integer)?;
            i64::try_from(value).ok().filter(|value| *value > 0)
        };
        match self.algebra.pool.get(atom).clone() {
            Expr::Var(_) => Some(self.dim(atom).into()),
            Expr::Binary(BinaryOp::Min, lhs, rhs) => {
                Some(QuasiAffine::Min(vec![self.affine(lhs)?, self.affine(rhs)?]))
            }
            Expr::Binary(BinaryOp::Max, lhs, rhs) => {
                Some(QuasiAffine::Max(vec![self.affine(lhs)?, self.affine(rhs)?]))
            }
            Expr::Binary(BinaryOp::Div, lhs, rhs) => {
                let divisor = divisor(self.algebra, rhs)?;
                Some(self.affine(lhs)?.floor_div(divisor))
            }
            Expr::Binary(BinaryOp::Mod, lhs, rhs) => {
                let divisor = divisor(self.algebra, rhs)?;
                Some(self.affine(lhs)?.modulo(divisor))
            }
            Expr::Call(halidom_ir::Intrinsic::Abs, operand) => {
                let operand = self.affine(operand)?;
                Some(QuasiAffine::Max(vec![operand.clone(), operand.scale(-1)]))
            }
            Expr::Select { condition, if_true, if_false } => {
                let condition = self.condition(condition, true, true)?;
                let (if_true, if_false) = (self.affine(if_true)?, self.affine(if_false)?);
                Some(QuasiAffine::Select(condition, Box::new(if_true), Box::new(if_false)))
            }
            Expr::Cast(Scalar::Int, operand) => self.data(atom, operand),
            Expr::Const(_)
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

    /// Translates the conversion of a machine value to a separate dim: in scope if the value is,
    /// else constrained only by its range.
    fn data(&mut self, atom: ExprId, operand: ExprId) -> Option<QuasiAffine> {
        let bound = self.bound.clone();
        let is_kept = move |algebra: &Algebra<'_>, expr| {
            let mut kept = true;
            algebra.pool.for_each_subexpr(expr, &mut |id, expr| {
                kept &= !matches!(expr, Expr::Ref { .. } | Expr::Hole(_)) && !bound.contains(&id);
            });
            kept
        };
        if is_kept(self.algebra, operand) {
            return Some(self.dim(atom).into());
        }
        let (low, high) = machine::range(self.algebra, operand, machine::Values::OfFuncs, &is_kept);
        let (low, high) = (self.affine(low?)?, self.affine(high?)?);
        let dim = self.binder(atom, false);
        self.ranges.push(QuasiAffine::from(dim).ge(low));
        self.ranges.push(QuasiAffine::from(dim).le(high));
        Some(dim.into())
    }

    /// Translates a condition on `int`s to a disjunction of conjunctions; `None` if a part is
    /// something else. Unless it must be `precise`, the result may be weaker.
    fn condition(&mut self, condition: ExprId, holds: bool, precise: bool) -> Option<Condition> {
        match *self.algebra.pool.get(condition) {
            Expr::Unary(UnaryOp::Not, operand) => self.condition(operand, !holds, precise),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs) => {
                let lhs = self.condition(lhs, holds, precise);
                let rhs = self.condition(rhs, holds, precise);
                if (op == BinaryOp::And) == holds {
                    // A conjunction implies each of its halves.
                    match (lhs, rhs) {
                        (Some(lhs), Some(rhs)) => Some(conjunction(&lhs, &rhs)),
                        (lhs, rhs) => lhs.or(rhs).filter(|_| !precise),
                    }
                } else {
                    Some(Condition([lhs?.0, rhs?.0].concat()))
                }
            }
            Expr::Binary(op, lhs, rhs) if self.algebra.pool.ty(lhs).scalar == Scalar::Int => {
                let op = if holds { op } else { opposite(op)? };
                let (lhs, rhs) = (self.affine(lhs)?, self.affine(rhs)?);
                comparison(op, lhs, rhs)
            }
            Expr::Const(constant) => {
                let is_true = constant.as_bool()? == holds;
                Some(Condition(if is_true { vec![Vec::new()] } else { Vec::new() }))
            }
            Expr::Var(_)
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
            | Expr::Hole(_) => None,
        }
    }

    fn expression(&mut self, tree: &QuasiAffine) -> Option<ExprId> {
        match tree {
            QuasiAffine::Constant(value) => Some(self.algebra.int(i128::from(*value))),
            QuasiAffine::Dim(dim) => self.names.get(dim).copied(),
            QuasiAffine::Sum(parts) => {
                let mut total = self.algebra.int(0);
                for part in parts {
                    let part = self.expression(part)?;
                    total = self.algebra.add(total, part);
                }
                Some(total)
            }
            QuasiAffine::Scale(factor, part) => {
                let part = self.expression(part)?;
                let factor = self.algebra.int(i128::from(*factor));
                Some(self.algebra.mul(factor, part))
            }
            QuasiAffine::FloorDiv(part, divisor) => {
                let part = self.expression(part)?;
                let divisor = self.algebra.int(i128::from(*divisor));
                Some(self.algebra.combine(BinaryOp::Div, part, divisor))
            }
            QuasiAffine::Min(parts) => self.extremum(BinaryOp::Min, parts),
            QuasiAffine::Max(parts) => self.extremum(BinaryOp::Max, parts),
            QuasiAffine::Select(..) => None,
        }
    }

    fn extremum(&mut self, op: BinaryOp, parts: &[QuasiAffine]) -> Option<ExprId> {
        let mut result = None;
        for part in parts {
            let part = self.expression(part)?;
            result = Some(match result {
                None => part,
                Some(result) => self.algebra.combine(op, result, part),
            });
        }
        result
    }
}

fn conjunction(lhs: &Condition, rhs: &Condition) -> Condition {
    let pairs = lhs.0.iter().flat_map(|a| rhs.0.iter().map(move |b| [a.as_slice(), b].concat()));
    Condition(pairs.collect())
}

fn comparison(op: BinaryOp, lhs: QuasiAffine, rhs: QuasiAffine) -> Option<Condition> {
    let one = |constraint| Some(Condition(vec![vec![constraint]]));
    match op {
        BinaryOp::Lt => one(lhs.lt(rhs)),
        BinaryOp::Le => one(lhs.le(rhs)),
        BinaryOp::Gt => one(rhs.lt(lhs)),
        BinaryOp::Ge => one(rhs.le(lhs)),
        BinaryOp::Eq => one(lhs.equal(rhs)),
        BinaryOp::Ne => Some(Condition(vec![vec![lhs.clone().lt(rhs.clone())], vec![rhs.lt(lhs)]])),
        BinaryOp::Add(_)
        | BinaryOp::Sub(_)
        | BinaryOp::Mul(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => None,
    }
}

/// True if an answer is short and has no case distinctions.
fn is_short(tree: &QuasiAffine) -> bool {
    parts(tree).is_some_and(|count| count <= MOST_PARTS)
}

fn parts(tree: &QuasiAffine) -> Option<usize> {
    match tree {
        QuasiAffine::Constant(_) | QuasiAffine::Dim(_) => Some(1),
        QuasiAffine::Scale(_, part) | QuasiAffine::FloorDiv(part, _) => parts(part),
        QuasiAffine::Sum(all) | QuasiAffine::Min(all) | QuasiAffine::Max(all) => {
            all.iter().map(parts).sum()
        }
        QuasiAffine::Select(..) => None,
    }
}
