//! The syntactic separation restriction (FS Definition 4.2).

use halidom_base::FxHashSet;
use halidom_diag::{Diagnostic, Span};
use halidom_ir::{Expr as IrExpr, ExprId, FuncId, Stage, VarId};

use crate::codes;

use super::scope::Checker;

impl Checker<'_, '_> {
    /// Returns true if a stage satisfies the restriction: if a pure variable occurs anywhere in a
    /// stage, every access to the stage's func, the written one included, has it as the
    /// corresponding coordinate. `coords` are the places of the written coordinates.
    pub(super) fn separation(&mut self, func: FuncId, stage: &Stage, coords: &[Span]) -> bool {
        let mut occurring: FxHashSet<VarId> = FxHashSet::default();
        let mut accesses: Vec<(ExprId, Box<[ExprId]>)> = Vec::new();
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        for root in stage.roots() {
            self.pool.for_each_subexpr(root, &mut |id, node| {
                if let IrExpr::Var(var) = node {
                    occurring.insert(*var);
                } else if let IrExpr::Ref { func: read, args, .. } = node
                    && *read == func
                    && seen.insert(id)
                {
                    accesses.push((id, args.clone()));
                }
            });
        }
        let args = self.pool.func(func).args.clone();
        let mut separated = true;
        for (dim, arg) in args.iter().enumerate().filter(|(_, arg)| occurring.contains(arg)) {
            let is_arg = |checker: &Self, id: ExprId| *checker.pool.get(id) == IrExpr::Var(*arg);
            let written = stage.lhs.get(dim).is_some_and(|id| is_arg(self, *id));
            if !written {
                separated = false;
                self.not_separated(*arg, coords.get(dim).copied(), "written");
            }
            for (access, access_args) in &accesses {
                if access_args.get(dim).is_some_and(|id| is_arg(self, *id)) {
                    continue;
                }
                separated = false;
                let place = self.scope.reference_spans.get(access);
                let place = place.and_then(|(span, args)| args.get(dim).copied().or(Some(*span)));
                // A `+=` reads the point that it writes; that place was reported.
                if written || place.is_some() {
                    self.not_separated(*arg, place, "read");
                }
            }
        }
        separated
    }

    fn not_separated(&mut self, arg: VarId, place: Option<Span>, access: &str) {
        let Some(span) = place else { return };
        let name = self.pool.var(arg).name.clone();
        let message = format!(
            "`{name}` occurs in this update, so the func may only be {access} at `{name}` itself \
                in that dimension"
        );
        let diagnostic = Diagnostic::error(codes::SEPARATION, span, message)
            .labelled(format!("this must be `{name}`"))
            .with_hint(
                "read earlier values through another func, or update with a reduction variable",
            );
        self.report(diagnostic);
    }
}
