//! The query to a bounds engine: FS's 𝓑(T) (Fig. 10a), a predicate over the holes of a program.
//!
//! Beside Fig. 10a's constraints the query says what the figure leaves to lemmas: the output's window lies in its compute bounds, each stage's compute bounds lie in those of the
//! stage before it, and a variable that a directive bound lies in the range which that directive guarantees.

use std::fmt::Write as _;

use halidom_base::FxHashMap;
use halidom_ir::{
    Expr, ExprId, FuncId, FuncKind, HoleKind, Interval, Label, Pool, Stmt, StmtId, UnaryOp, VarId,
    print,
};

use crate::nest::{Lowered, compute_kind, final_kind, hole};

/// A predicate over holes.
#[derive(Clone, Debug)]
pub(crate) enum Query {
    /// Every part holds.
    All(Vec<Query>),
    /// The body holds under a binder.
    Under(Binder, Box<Query>),
    /// A point or box lies in a region.
    Member(Member),
}

/// What a predicate stands under.
#[derive(Clone, Debug)]
pub(crate) enum Binder {
    /// `∃ ?mem f`.
    Allocation(FuncId),
    /// `∃ ?cpu f`, of all its stages.
    Compute(FuncId),
    /// `∀ v ∈ [min, extent)`.
    ForAll { var: VarId, interval: Interval },
    /// `let v = e in`, with the range that the directive which made the let guarantees.
    Let { var: VarId, value: ExprId, range: Option<Interval> },
    /// `e ⇒`.
    If(ExprId),
    /// `coords ∈ ?cpu f ⇒`.
    IfMember { func: FuncId, kind: HoleKind, coords: Box<[ExprId]> },
}

/// `what ∈ ? region`.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) func: FuncId,
    pub(crate) kind: HoleKind,
    pub(crate) what: Subject,
    /// The func and stage whose statement asks, for messages; `None` for the caller.
    pub(crate) reader: Option<(FuncId, usize)>,
}

/// What must lie in a region.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    Point(Box<[ExprId]>),
    Box(Vec<Interval>),
}

/// A member constraint with everything that it stands under, outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) path: Vec<Binder>,
    pub(crate) member: Member,
}

/// Extracts the query of a program with holes, whose statements are `work`.
pub(crate) fn extract(pool: &mut Pool, lowered: &Lowered, work: StmtId) -> Query {
    let mut extractor = Extractor { pool, lowered, instance: None, ranges: FxHashMap::default() };
    for nest in lowered.nests() {
        for binding in &nest.bindings {
            extractor.ranges.insert(binding.var, binding.range);
        }
    }
    extractor.stmt(work)
}

struct Extractor<'a> {
    pool: &'a mut Pool,
    lowered: &'a Lowered,
    /// The stage around: func, stage, specialization.
    instance: Option<(FuncId, usize, usize)>,
    ranges: FxHashMap<VarId, Option<Interval>>,
}

fn under(binder: Binder, body: Query) -> Query {
    Query::Under(binder, Box::new(body))
}

impl Extractor<'_> {
    fn stmt(&mut self, id: StmtId) -> Query {
        match self.pool.get_stmt(id).clone() {
            Stmt::Block(stmts) => self.sequence(&stmts),
            Stmt::Let { var, value, body } => {
                let reads = self.reads(value, true, None);
                let range = self.ranges.get(&var).copied().flatten();
                let body = self.stmt(body);
                Query::All(vec![reads, under(Binder::Let { var, value, range }, body)])
            }
            Stmt::If { condition, then_branch, else_branch } => {
                let reads = self.reads(condition, true, None);
                let then_branch = self.stmt(then_branch);
                let mut parts = vec![reads, under(Binder::If(condition), then_branch)];
                if let Some(else_branch) = else_branch {
                    let negation = self.pool.unary(UnaryOp::Not, condition);
                    let else_branch = self.stmt(else_branch);
                    parts.push(under(Binder::If(negation), else_branch));
                }
                Query::All(parts)
            }
            Stmt::For { var, min, extent, body, .. } => {
                let body = self.stmt(body);
                under(Binder::ForAll { var, interval: Interval { min, extent } }, body)
            }
            Stmt::Allocate { buffer, body } => {
                let func = self.pool.buffer(buffer).func;
                let body = self.stmt(body);
                under(Binder::Allocation(func), body)
            }
            Stmt::Labeled { label: Label::Func { .. }, .. } => self.sequence(&[id]),
            Stmt::Labeled { label: Label::Stage { func, stage, specialization }, body } => {
                let outer = self.instance.replace((func, stage, specialization));
                let body = self.stmt(body);
                self.instance = outer;
                Query::All(vec![self.stage_inclusion(func, stage, specialization), body])
            }
            Stmt::Provide { func, stage, coords, values, .. } => {
                self.provide(func, stage, &coords, &values)
            }
            Stmt::Assert { .. } | Stmt::Store { .. } => Query::All(Vec::new()),
        }
    }

    /// Statements one after another: the compute region of a func is chosen where its label stands, for everything that follows.
    fn sequence(&mut self, stmts: &[StmtId]) -> Query {
        let Some((first, rest)) = stmts.split_first() else { return Query::All(Vec::new()) };
        if let Stmt::Labeled { label: Label::Func { func, .. }, body } =
            self.pool.get_stmt(*first).clone()
        {
            let outer = self.instance.take();
            let body = self.stmt(body);
            self.instance = outer;
            let rest = self.sequence(rest);
            let window = self.window(func);
            under(Binder::Compute(func), Query::All(vec![window, body, rest]))
        } else {
            let first = self.stmt(*first);
            let rest = self.sequence(rest);
            Query::All(vec![first, rest])
        }
    }

    /// `x^min, x^len ∈ ?cpu f` for an output.
    fn window(&mut self, func: FuncId) -> Query {
        let output = self.lowered.outputs.iter().find(|output| output.func == func).cloned();
        let Some(output) = output else { return Query::All(Vec::new()) };
        let intervals = output
            .window
            .iter()
            .map(|(min, extent)| Interval {
                min: self.pool.var_expr(*min),
                extent: self.pool.var_expr(*extent),
            })
            .collect();
        let kind = final_kind(self.pool, func);
        Query::Member(Member { func, kind, what: Subject::Box(intervals), reader: None })
    }

    /// `?cpu f^i ⊆ ?cpu f^(i-1)`: what a stage leaves alone must have been right before it.
    fn stage_inclusion(&mut self, func: FuncId, stage: usize, specialization: usize) -> Query {
        let Some(previous) = stage.checked_sub(1) else { return Query::All(Vec::new()) };
        let later = compute_kind(self.pool, func, stage, specialization);
        let kind = compute_kind(self.pool, func, previous, specialization);
        let rank = self.pool.func(func).rank();
        let intervals = (0..rank).map(|dim| hole(self.pool, func, dim, later)).collect();
        Query::Member(Member {
            func,
            kind,
            what: Subject::Box(intervals),
            reader: Some((func, stage)),
        })
    }

    fn provide(
        &mut self,
        func: FuncId,
        stage: usize,
        coords: &[ExprId],
        values: &[ExprId],
    ) -> Query {
        let specialization = self.instance.map_or(0, |(_, _, specialization)| specialization);
        let own = compute_kind(self.pool, func, stage, specialization);
        let mut parts = vec![Query::Member(Member {
            func,
            kind: HoleKind::Allocation,
            what: Subject::Point(coords.into()),
            reader: Some((func, stage)),
        })];
        for coord in coords {
            parts.push(self.reads(*coord, true, None));
        }
        let premise = Binder::IfMember { func, kind: own, coords: coords.into() };
        for value in values {
            parts.push(self.reads(*value, false, Some(&premise)));
        }
        Query::All(parts)
    }

    /// The reads of an expression: all are in memory; those in an index or condition (`must_be_right`, and everything below an index) are in compute bounds, the others
    /// are where `premise` holds.
    fn reads(&mut self, root: ExprId, must_be_right: bool, premise: Option<&Binder>) -> Query {
        let mut parts = Vec::new();
        self.collect_reads(root, must_be_right, premise, &mut parts);
        Query::All(parts)
    }

    fn collect_reads(
        &mut self,
        root: ExprId,
        must_be_right: bool,
        premise: Option<&Binder>,
        parts: &mut Vec<Query>,
    ) {
        let mut refs = Vec::new();
        self.pool.for_each_subexpr(root, &mut |_, expr| {
            if let Expr::Ref { func, args, .. } = expr {
                refs.push((*func, args.clone()));
            }
        });
        // A ref below another ref's argument is an index: unconditionally in compute bounds.
        let mut below_index = halidom_base::FxHashSet::default();
        for (_, args) in &refs {
            for arg in args {
                self.pool.for_each_subexpr(*arg, &mut |_, expr| {
                    if let Expr::Ref { func, args, .. } = expr {
                        below_index.insert((*func, args.clone()));
                    }
                });
            }
        }
        for (func, args) in refs {
            let reader = self.instance.map(|(func, stage, _)| (func, stage));
            let member = |kind| {
                let what = Subject::Point(args.clone());
                Query::Member(Member { func, kind, what, reader })
            };
            parts.push(member(HoleKind::Allocation));
            if matches!(self.pool.func(func).kind, FuncKind::Input { .. }) {
                continue;
            }
            let kind = match self.instance {
                // A func that reads itself reads what the previous stage left.
                Some((own, stage, specialization)) if own == func => {
                    compute_kind(self.pool, func, stage.saturating_sub(1), specialization)
                }
                _ => final_kind(self.pool, func),
            };
            let in_bounds = member(kind);
            let always = must_be_right || below_index.contains(&(func, args.clone()));
            parts.push(match premise {
                Some(premise) if !always => under(premise.clone(), in_bounds),
                _ => in_bounds,
            });
        }
    }
}

/// Lists the member constraints of a query with what they stand under.
pub(crate) fn constraints(query: &Query) -> Vec<Constraint> {
    let mut path = Vec::new();
    let mut result = Vec::new();
    collect(query, &mut path, &mut result);
    result
}

fn collect(query: &Query, path: &mut Vec<Binder>, result: &mut Vec<Constraint>) {
    match query {
        Query::All(parts) => {
            for part in parts {
                collect(part, path, result);
            }
        }
        Query::Under(binder, body) => {
            path.push(binder.clone());
            collect(body, path, result);
            path.pop();
        }
        Query::Member(member) => {
            result.push(Constraint { path: path.clone(), member: member.clone() });
        }
    }
}

/// The query as text: one binder or constraint a line, indented.
pub(crate) fn text(pool: &Pool, query: &Query) -> String {
    let mut printer = Printer { pool, names: print::Names::new(), out: String::new() };
    printer.query(query, 0);
    printer.out
}

struct Printer<'a> {
    pool: &'a Pool,
    names: print::Names,
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
            Query::Under(binder, body) => {
                if !is_empty(body) {
                    let line = self.binder(binder);
                    self.line(depth, &line);
                    self.query(body, depth + 1);
                }
            }
            Query::Member(member) => {
                let region = self.region(member.func, member.kind);
                let what = match &member.what {
                    Subject::Point(coords) => self.point(coords),
                    Subject::Box(intervals) => {
                        let intervals: Vec<_> =
                            intervals.iter().map(|interval| self.interval(*interval)).collect();
                        format!("({})", intervals.join(", "))
                    }
                };
                let relation = match member.what {
                    Subject::Point(_) => "∈",
                    Subject::Box(_) => "⊆",
                };
                self.line(depth, &format!("{what} {relation} {region}"));
            }
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = 2 * depth);
    }

    fn binder(&mut self, binder: &Binder) -> String {
        match binder {
            Binder::Allocation(func) => format!("∃ ?mem {}:", self.pool.func(*func).name),
            Binder::Compute(func) => format!("∃ ?cpu {}:", self.pool.func(*func).name),
            Binder::ForAll { var, interval } => {
                let name = self.names.var(self.pool, *var);
                let interval = self.interval(*interval);
                format!("∀ {name} ∈ {interval}:")
            }
            Binder::Let { var, value, range } => {
                let name = self.names.var(self.pool, *var);
                let value = self.expr(*value);
                let range =
                    range.map_or_else(String::new, |range| format!(" ∈ {}", self.interval(range)));
                format!("let {name} = {value}{range} in")
            }
            Binder::If(condition) => format!("{} ⇒", self.expr(*condition)),
            Binder::IfMember { func, kind, coords } => {
                let point = self.point(coords);
                format!("{point} ∈ {} ⇒", self.region(*func, *kind))
            }
        }
    }

    fn region(&mut self, func: FuncId, kind: HoleKind) -> String {
        let name = &self.pool.func(func).name;
        match kind {
            HoleKind::Allocation => format!("?mem {name}"),
            kind if kind == final_kind(self.pool, func) => format!("?cpu {name}"),
            HoleKind::Compute { stage, specialization: 0 } => format!("?cpu {name}^{stage}"),
            HoleKind::Compute { stage, specialization } => {
                format!("?cpu {name}^{stage},{specialization}")
            }
        }
    }

    fn expr(&mut self, expr: ExprId) -> String {
        print::expr_with(self.pool, &mut self.names, expr)
    }

    fn point(&mut self, coords: &[ExprId]) -> String {
        let coords: Vec<_> = coords.iter().map(|coord| self.expr(*coord)).collect();
        format!("({})", coords.join(", "))
    }

    fn interval(&mut self, interval: Interval) -> String {
        format!("[{}, {}]", self.expr(interval.min), self.expr(interval.extent))
    }
}

fn is_empty(query: &Query) -> bool {
    match query {
        Query::All(parts) => parts.iter().all(is_empty),
        Query::Under(_, body) => is_empty(body),
        Query::Member(_) => false,
    }
}
