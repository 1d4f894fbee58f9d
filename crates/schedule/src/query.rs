//! The query to a bounds engine: FS's 𝓑(T) (Fig. 10a), a predicate over the holes of a program.
//!
//! In addition to Fig. 10a's constraints the query states what the figure leaves to lemmas: the
//! output's window lies in its compute bounds, each stage's compute bounds lie in the previous
//! stage's, and a variable that a directive bound lies in the range that the directive guarantees.
//! If an update reads values written by its own earlier iterations, its reads are required whatever
//! point it writes along its reduction dimensions. With these constraints, every answer is right
//! ([`Binder::IfMember`]).

use halidom_base::FxHashMap;
use halidom_ir::{
    Expr, ExprId, FuncId, FuncKind, HoleKind, Interval, Label, Pool, Stmt, StmtId, UnaryOp, VarId,
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

/// A binder or premise around a predicate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Binder {
    /// `∃ ?mem f`.
    Allocation(FuncId),
    /// `∃ ?cpu f`, for all its stages.
    Compute(FuncId),
    /// `∀ v ∈ [min, extent)`.
    ForAll { var: VarId, interval: Interval },
    /// `let v = e in`, with the range that the directive which made the let guarantees.
    Let { var: VarId, value: ExprId, range: Option<Interval> },
    /// `e ⇒`.
    If(ExprId),
    /// `coords ∈ ?cpu f ⇒`, in some of the dimensions.
    ///
    /// Fig. 10a has this premise for every dimension. That is too weak if an update reads values
    /// written by its own earlier iterations: in `f(r) = f(r - 1) + b(r)` the value of `f` at 2
    /// needs the value at 1, which is written outside of a compute region `2..4` and needs `f(0)`
    /// and `b(1)`. Iterations with different pure variables do not depend on one another (FS
    /// Definition 4.2), so there the premise is about the pure dimensions only.
    IfMember { func: FuncId, kind: HoleKind, coords: Box<[ExprId]>, dims: Box<[usize]> },
}

/// `what ∈ ? region`.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) func: FuncId,
    pub(crate) kind: HoleKind,
    pub(crate) what: Subject,
    /// The func and stage whose statement has the constraint, for messages; `None` for the caller.
    pub(crate) reader: Option<(FuncId, usize)>,
}

/// The points that must lie in a region.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    Point(Box<[ExprId]>),
    Box(Vec<Interval>),
}

/// A member constraint with all binders and premises around it, outermost first.
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
            Stmt::Labeled {
                label: Label::Partition(_) | Label::Ahead { .. } | Label::Prefetch { .. },
                body,
            } => self.stmt(body),
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

    /// Extracts the query of a sequence of statements: the compute region of a func is chosen at
    /// its label, for everything that follows.
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

    /// Returns the clause `x^min, x^len ∈ ?cpu f` for an output.
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

    /// Returns the clause `?cpu f^i ⊆ ?cpu f^(i-1)`: values that a stage does not change must have
    /// been right before it.
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
        let dims: Box<[usize]> = if reads_its_own_writes(self.pool, func, stage) {
            (0..coords.len()).filter(|dim| is_pure_dim(self.pool, func, stage, *dim)).collect()
        } else {
            (0..coords.len()).collect()
        };
        let premise = Binder::IfMember { func, kind: own, coords: coords.into(), dims };
        let premise = Some(premise).filter(|binder| !is_no_premise(binder));
        for value in values {
            parts.push(self.reads(*value, premise.is_none(), premise.as_ref()));
        }
        Query::All(parts)
    }

    /// Returns the constraints for the reads of an expression. All reads are in memory. Reads in an
    /// index or condition (`must_be_right`, and everything below an index) are in compute bounds;
    /// the others are in compute bounds where `premise` holds.
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
                let read = (*func, args.clone());
                if !refs.contains(&read) {
                    refs.push(read);
                }
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
                // A func that reads itself reads the values that the previous stage left.
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

/// Lists the member constraints of a query with the binders and premises around them.
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

/// True if a stage writes at its own argument in a dimension (FS Definition 4.3).
pub(crate) fn is_pure_dim(pool: &Pool, func: FuncId, stage: usize, dim: usize) -> bool {
    let decl = pool.func(func);
    match decl.stages().get(stage).map(|stage| pool.get(stage.lhs[dim])) {
        Some(Expr::Var(var)) => *var == decl.args[dim],
        Some(_) | None => false,
    }
}

/// True if an instance of a stage may read what another instance of the same stage wrote.
fn reads_its_own_writes(pool: &Pool, func: FuncId, stage: usize) -> bool {
    let Some(stage) = pool.func(func).stages().get(stage) else { return false };
    let mut reads = false;
    for part in stage.roots() {
        pool.for_each_subexpr(part, &mut |_, expr| {
            reads |= matches!(expr, Expr::Ref { func: other, .. } if *other == func);
        });
    }
    reads && !stage.domain.is_empty()
}

/// True if a premise is trivial.
fn is_no_premise(binder: &Binder) -> bool {
    matches!(binder, Binder::IfMember { dims, .. } if dims.is_empty())
}
