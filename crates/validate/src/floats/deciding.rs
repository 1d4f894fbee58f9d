//! Dependence on floats that are not right bit for bit, and the check that these decide nothing.
//!
//! # Correctness
//! A func is *inexact* if it is one of the given ones, or if one of its stages or a store to it
//! mentions an inexact func. So the values of all other funcs do not depend on inexact ones. Only a
//! comparison or a conversion turns a float into a value of another type. If no such operator has
//! an operand that mentions an inexact func, and inexact funcs hold only floats, then no index,
//! bound, condition, integer or `bool` of algorithm or program depends on one. The *sources* of a
//! func are all funcs from whose floats its own floats are computed.

use halidom_base::{FxHashMap, FxHashSet, IndexSet};
use halidom_ir::{
    Algorithm, Expr, ExprId, FuncId, Pool, Program, Stmt, StmtId, VarId, print, visit,
};

/// The expressions of an algorithm, with or without a program.
pub(crate) struct Flow<'a> {
    pool: &'a Pool,
    lets: FxHashMap<VarId, ExprId>,
    /// For each func, expressions from which its values are computed.
    rules: Vec<(FuncId, Vec<ExprId>)>,
    /// All expressions.
    exprs: Vec<ExprId>,
}

impl<'a> Flow<'a> {
    pub(crate) fn of(pool: &'a Pool, algorithm: &Algorithm, program: Option<&Program>) -> Self {
        let (lets, rules, exprs) = (FxHashMap::default(), Vec::new(), Vec::new());
        let mut flow = Self { pool, lets, rules, exprs };
        for func in &algorithm.funcs {
            for stage in pool.func(*func).stages() {
                let bounds =
                    stage.domain.iter().flat_map(|variable| [variable.min, variable.extent]);
                flow.rule(*func, stage.roots().chain(bounds).collect());
            }
        }
        if let Some(program) = program {
            flow.statements(program.body);
        }
        flow
    }

    fn rule(&mut self, func: FuncId, roots: Vec<ExprId>) {
        self.evaluated(roots.iter().copied());
        self.rules.push((func, roots));
    }

    /// Records expressions, and the coordinates that their loads claim to read.
    fn evaluated(&mut self, roots: impl IntoIterator<Item = ExprId>) {
        for root in roots {
            self.exprs.push(root);
            let mut claims = Vec::new();
            self.pool.for_each_subexpr(root, &mut |_, expr| {
                if let Expr::Load { access: Some(access), .. } = expr {
                    claims.extend_from_slice(&access.coords);
                }
            });
            self.evaluated(claims);
        }
    }

    fn statements(&mut self, root: StmtId) {
        let pool = self.pool;
        visit::for_each_stmt(pool, root, &mut |_, stmt| {
            let mut roots = Vec::new();
            stmt.for_each_expr(pool, &mut |_, expr| roots.push(expr));
            if let Stmt::Let { var, value, .. } = stmt {
                self.lets.insert(*var, *value);
            }
            if let Stmt::Provide { func, .. } = stmt {
                self.rule(*func, roots);
            } else if let Stmt::Store { buffer, .. } = stmt {
                self.rule(pool.buffer(*buffer).func, roots);
            } else {
                self.evaluated(roots);
            }
        });
    }

    /// For each func, expressions from which its values are computed.
    pub(crate) fn rules(&self) -> &[(FuncId, Vec<ExprId>)] {
        &self.rules
    }

    /// Returns the inexact funcs, given some of them.
    pub(crate) fn closure(&self, seeds: impl IntoIterator<Item = FuncId>) -> IndexSet<FuncId> {
        let mut inexact: IndexSet<FuncId> = seeds.into_iter().collect();
        let reads: Vec<_> =
            self.rules.iter().map(|(func, roots)| (*func, self.read(roots))).collect();
        loop {
            let before = inexact.len();
            for (func, reads) in &reads {
                if reads.iter().any(|read| inexact.contains(read)) {
                    inexact.insert(*func);
                }
            }
            if inexact.len() == before {
                return inexact;
            }
        }
    }

    /// Returns these funcs and, transitively, all funcs with floats that they read. The search does
    /// not continue behind funcs that hold no floats.
    pub(crate) fn sources(&self, funcs: &IndexSet<FuncId>) -> IndexSet<FuncId> {
        let floats =
            |func: &FuncId| self.pool.func(*func).scalars.iter().any(|scalar| scalar.is_float());
        let mut found = funcs.clone();
        let mut next = 0;
        while let Some(func) = found.get_index(next).copied() {
            next += 1;
            for (_, roots) in self.rules.iter().filter(|(of, _)| *of == func) {
                found.extend(self.read(roots).into_iter().filter(floats));
            }
        }
        found
    }

    /// Returns the funcs that expressions read, directly or through variables.
    fn read(&self, roots: &[ExprId]) -> IndexSet<FuncId> {
        let (mut open, mut seen, mut found) =
            (roots.to_vec(), FxHashSet::default(), IndexSet::default());
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                let expr = self.pool.get(id);
                found.extend(self.source(expr));
                open.extend(self.bound(expr));
                expr.for_each_operand(|operand| open.push(operand));
            }
        }
        found
    }

    /// The func that an expression reads.
    fn source(&self, expr: &Expr) -> Option<FuncId> {
        match expr {
            Expr::Ref { func, .. } => Some(*func),
            Expr::Load { buffer, .. } => Some(self.pool.buffer(*buffer).func),
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => None,
        }
    }

    /// The value that a let gives a variable.
    fn bound(&self, expr: &Expr) -> Option<ExprId> {
        let Expr::Var(var) = expr else { return None };
        self.lets.get(var).copied()
    }

    /// Tests whether an expression mentions one of these funcs, directly or through variables.
    fn mentions(
        &self,
        id: ExprId,
        funcs: &IndexSet<FuncId>,
        known: &mut FxHashMap<ExprId, bool>,
    ) -> bool {
        if let Some(known) = known.get(&id) {
            return *known;
        }
        let expr = self.pool.get(id);
        let mut found = self.source(expr).is_some_and(|func| funcs.contains(&func))
            || self.bound(expr).is_some_and(|value| self.mentions(value, funcs, known));
        expr.for_each_operand(|operand| found = found || self.mentions(operand, funcs, known));
        known.insert(id, found);
        found
    }

    /// Describes in words something that inexact funcs decide, or returns `None` if there is
    /// nothing.
    pub(crate) fn decided(&self, inexact: &IndexSet<FuncId>) -> Option<String> {
        let pool = self.pool;
        let mut known = FxHashMap::default();
        for root in &self.exprs {
            let mut found = None;
            pool.for_each_subexpr(*root, &mut |id, expr| {
                if pool.ty(id).scalar.is_float() || found.is_some() {
                    return;
                }
                expr.for_each_operand(|operand| {
                    if pool.ty(operand).scalar.is_float()
                        && self.mentions(operand, inexact, &mut known)
                    {
                        found = Some(id);
                    }
                });
            });
            if let Some(id) = found {
                return Some(format!("`{}`", print::expr(pool, id)));
            }
        }
        let mixed =
            |func: &&FuncId| pool.func(**func).scalars.iter().any(|scalar| !scalar.is_float());
        let func = inexact.iter().find(mixed)?;
        Some(format!("`{}`, whose values are not floats,", pool.func(*func).name))
    }
}
