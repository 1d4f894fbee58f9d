//! The bounds query and the engines' answers in readable form.
//!
//! The query is a predicate over intervals: `?cpu f.x` and `?mem f.x` are the compute and
//! allocation bounds of the func `f` in its dimension `x`; if `f` has several stages, `?cpu f^0.x`
//! are the compute bounds of the first. `[min, extent]` is an interval. There is one binder or
//! clause per line, and the body of a binder is indented. An answer gives the intervals under the
//! same names.

use std::fmt::Write as _;

use halidom_base::FxHashMap;
use halidom_ir::{Expr, ExprId, FuncId, HoleId, HoleKind, Interval, Pool, Type, UnaryOp, print};

use crate::Holes;
use crate::algebra::Algebra;
use crate::bounds::{Answer, Reads};
use crate::emit::replace_holes;
use crate::nest::{Placement, compute_kind, final_kind, hole};
use crate::query::{Binder, Member, Query, Subject};

/// Prints the query, with the funcs' stages and dimensions named as in the program.
pub(crate) fn query(pool: &mut Pool, query: &Query) -> String {
    let mut printer = Printer {
        pool,
        names: print::Names::new(),
        holes: FxHashMap::default(),
        out: String::new(),
    };
    printer.query(query, 0);
    printer.out
}

/// Prints an answer: every region that the query asks for, and the regions that are read of the
/// inputs.
pub(crate) fn answer(pool: &mut Pool, holes: &Holes, answer: &Answer) -> String {
    regions(pool, holes, answer).into_iter().map(|(_, lines)| lines).collect()
}

/// Prints an answer, func by func.
pub(crate) fn regions(pool: &mut Pool, holes: &Holes, answer: &Answer) -> Vec<(FuncId, String)> {
    let mut found = Vec::new();
    let mut printer = Printer {
        pool,
        names: print::Names::new(),
        holes: FxHashMap::default(),
        out: String::new(),
    };
    for plan in holes.lowered.plans.iter().filter(|plan| plan.compute != Placement::Inline) {
        let func = plan.func;
        let last = final_kind(printer.pool, func);
        let mut kinds = Vec::new();
        for nest in plan.instances.iter().flat_map(|instance| &instance.stages) {
            let kind = compute_kind(printer.pool, func, nest.stage, nest.specialization);
            if kind != last && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let compute = printer.solved(answer, func, last);
        printer.region(func, last, &compute);
        for kind in kinds.into_iter().chain([HoleKind::Allocation]) {
            let region = printer.solved(answer, func, kind);
            if region == compute && !region.is_empty() {
                let line = format!(
                    "{} = {}",
                    region_name(printer.pool, func, kind),
                    region_name(printer.pool, func, last)
                );
                printer.line(1, &line);
            } else {
                printer.region(func, kind, &region);
            }
        }
        found.push((func, std::mem::take(&mut printer.out)));
    }
    for (input, groups) in holes.lowered.algorithm.inputs.iter().zip(&answer.inputs) {
        for reads in groups {
            printer.reads(holes, *input, reads);
        }
        found.push((*input, std::mem::take(&mut printer.out)));
    }
    found
}

/// Returns a region's name: `?mem f`, `?cpu f`, `?cpu f^0`, `?cpu f^0,1` (stage 0 of specialization
/// 1).
fn region_name(pool: &Pool, func: FuncId, kind: HoleKind) -> String {
    let name = &pool.func(func).name;
    match kind {
        HoleKind::Allocation => format!("?mem {name}"),
        kind if kind == final_kind(pool, func) => format!("?cpu {name}"),
        HoleKind::Compute { stage, specialization: 0 } => format!("?cpu {name}^{stage}"),
        HoleKind::Compute { stage, specialization } => {
            format!("?cpu {name}^{stage},{specialization}")
        }
    }
}

struct Printer<'a> {
    pool: &'a mut Pool,
    names: print::Names,
    /// A variable with a readable name for each hole.
    holes: FxHashMap<HoleId, ExprId>,
    out: String,
}

impl Printer<'_> {
    fn query(&mut self, query: &Query, depth: usize) {
        match query {
            Query::All(parts) => {
                for part in parts {
                    self.query(part, depth);
                }
            }
            Query::Under(..) | Query::Member(_) if is_empty(query) => {}
            Query::Under(binder @ (Binder::If(_) | Binder::IfMember { .. }), body) => {
                let premise = self.binder(binder);
                match only(body) {
                    Some(member) => {
                        let clause = self.member(member);
                        self.line(depth, &format!("{premise} {clause}"));
                    }
                    None => {
                        self.line(depth, &premise);
                        self.query(body, depth + 1);
                    }
                }
            }
            Query::Under(binder, body) => {
                let line = self.binder(binder);
                self.line(depth, &line);
                self.query(body, depth + 1);
            }
            Query::Member(member) => {
                let clause = self.member(member);
                self.line(depth, &clause);
            }
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = 2 * depth);
    }

    fn member(&mut self, member: &Member) -> String {
        let region = region_name(self.pool, member.func, member.kind);
        match &member.what {
            Subject::Point(coords) => format!("{} ∈ {region}", self.point(coords)),
            Subject::Box(intervals) => {
                let intervals: Vec<_> =
                    intervals.iter().map(|interval| self.interval(*interval)).collect();
                format!("{} ⊆ {region}", intervals.join(" × "))
            }
        }
    }

    fn binder(&mut self, binder: &Binder) -> String {
        match binder {
            Binder::Allocation(func) => format!("∃ ?mem {}:", self.pool.func(*func).name),
            Binder::Compute(func) => format!("∃ ?cpu {}:", self.pool.func(*func).name),
            Binder::ForAll { var, interval } => {
                let name = self.names.var(self.pool, *var);
                format!("∀ {name} ∈ {}:", self.interval(*interval))
            }
            Binder::Let { var, value, range } => {
                let name = self.names.var(self.pool, *var);
                let value = self.expr(*value);
                let range =
                    range.map_or_else(String::new, |range| format!(" ∈ {}", self.interval(range)));
                format!("let {name} = {value}{range} in")
            }
            Binder::If(condition) => format!("{} ⇒", self.expr(*condition)),
            Binder::IfMember { func, kind, coords, dims } if dims.len() == coords.len() => {
                format!("{} ∈ {} ⇒", self.point(coords), region_name(self.pool, *func, *kind))
            }
            Binder::IfMember { func, kind, coords, dims } => {
                let conditions: Vec<_> = dims
                    .iter()
                    .map(|dim| {
                        let name = self.dimension(*func, *kind, *dim);
                        format!("{} ∈ {name}", self.expr(coords[*dim]))
                    })
                    .collect();
                format!("{} ⇒", conditions.join(" ∧ "))
            }
        }
    }

    /// Returns the name of one dimension of a region: `?cpu f.x`.
    fn dimension(&self, func: FuncId, kind: HoleKind, dim: usize) -> String {
        let arg = self.pool.func(func).args[dim];
        let arg = self.pool.var(arg).name.trim_start_matches('_');
        format!("{}.{arg}", region_name(self.pool, func, kind))
    }

    fn expr(&mut self, expr: ExprId) -> String {
        let mut holes = Vec::new();
        self.pool.for_each_subexpr(expr, &mut |_, expr| {
            if let Expr::Hole(hole) = expr {
                holes.push(*hole);
            }
        });
        for hole in holes {
            if !self.holes.contains_key(&hole) {
                let decl = *self.pool.get_hole(hole);
                let part = match decl.part {
                    halidom_ir::HolePart::Min => "min",
                    halidom_ir::HolePart::Extent => "extent",
                };
                let name = format!("{}.{part}", self.dimension(decl.func, decl.kind, decl.dim));
                let var = self.pool.declare_var(name, Type::INT);
                let named = self.pool.var_expr(var);
                self.holes.insert(hole, named);
            }
        }
        let expr = replace_holes(self.pool, expr, &self.holes);
        let zero = self.pool.int(0);
        let expr =
            self.pool.rewrite_bottom_up(expr, &mut FxHashMap::default(), &mut |pool, id, expr| {
                if let Expr::Unary(UnaryOp::Neg(_), operand) = expr
                    && pool.ty(id) == Type::INT
                {
                    return pool.sub(zero, *operand);
                }
                id
            });
        print::expr_with(self.pool, &mut self.names, expr)
    }

    fn point(&mut self, coords: &[ExprId]) -> String {
        let coords: Vec<_> = coords.iter().map(|coord| self.expr(*coord)).collect();
        format!("({})", coords.join(", "))
    }

    /// Prints `[min, extent]`, or the name of the interval if its two parts are an interval's
    /// holes.
    fn interval(&mut self, interval: Interval) -> String {
        if let (Expr::Hole(min), Expr::Hole(extent)) =
            (self.pool.get(interval.min), self.pool.get(interval.extent))
        {
            let (min, extent) = (self.pool.get_hole(*min), self.pool.get_hole(*extent));
            if (min.func, min.kind, min.dim) == (extent.func, extent.kind, extent.dim)
                && min.part != extent.part
            {
                return self.dimension(min.func, min.kind, min.dim);
            }
        }
        format!("[{}, {}]", self.expr(interval.min), self.expr(interval.extent))
    }

    fn solved(&mut self, answer: &Answer, func: FuncId, kind: HoleKind) -> Vec<Interval> {
        let rank = self.pool.func(func).rank();
        (0..rank)
            .map(|dim| {
                let interval = hole(self.pool, func, dim, kind);
                Interval {
                    min: answer.solution.apply(self.pool, interval.min),
                    extent: answer.solution.apply(self.pool, interval.extent),
                }
            })
            .collect()
    }

    /// Prints a line for each dimension.
    fn region(&mut self, func: FuncId, kind: HoleKind, region: &[Interval]) {
        for (dim, interval) in region.iter().enumerate() {
            let name = self.dimension(func, kind, dim);
            let interval = self.interval(*interval);
            self.line(1, &format!("{name} = {interval}"));
        }
    }

    fn reads(&mut self, holes: &Holes, input: FuncId, reads: &Reads) {
        let name = self.pool.func(input).name.clone();
        let premises: Vec<_> = reads.premises.iter().map(|premise| self.expr(*premise)).collect();
        let condition = if premises.is_empty() {
            String::new()
        } else {
            format!(" if {}", premises.join(" and "))
        };
        for (dim, (low, high)) in reads.region.iter().enumerate() {
            let mut algebra = Algebra::new(self.pool, &holes.known);
            let extent = algebra.sub(*high, *low);
            let extent = algebra.offset(extent, 1);
            let interval = self.interval(Interval { min: *low, extent });
            self.line(1, &format!("reads of {name}, dimension {dim}: {interval}{condition}"));
        }
    }
}

fn is_empty(query: &Query) -> bool {
    match query {
        Query::All(parts) => parts.iter().all(is_empty),
        Query::Under(_, body) => is_empty(body),
        Query::Member(_) => false,
    }
}

/// Returns the clause of a query that consists of one clause.
fn only(query: &Query) -> Option<&Member> {
    match query {
        Query::Member(member) => Some(member),
        Query::All(parts) => {
            let mut parts = parts.iter().filter(|part| !is_empty(part));
            let first = parts.next()?;
            if parts.next().is_none() { only(first) } else { None }
        }
        Query::Under(..) => None,
    }
}
