//! Wrappers: a copy of a func or input between it and funcs that read it.

use halidom_base::IndexMap;
use halidom_ir::{Directive, FuncDecl, FuncId, FuncKind, Stage};

use super::{Change, Transformer, reads, refusal};
use crate::error::Result;

impl Transformer<'_> {
    /// Applies `f.in(g, …)`: the named funcs read a copy of `f` instead. If none is named, all
    /// funcs that read `f` do, except other wrappers of it.
    pub(super) fn wrap(
        &mut self,
        directive: &Directive,
        wrapper: FuncId,
        users: &[FuncId],
    ) -> Result<()> {
        let func = self.now(directive.func);
        let readers: Vec<FuncId> = self
            .current
            .funcs
            .iter()
            .copied()
            .filter(|reader| *reader != func && self.reads(*reader, func))
            .collect();
        let name = self.name(func);
        let wrapped: Vec<FuncId> = if users.is_empty() {
            readers.iter().copied().filter(|reader| !self.copies(*reader, func)).collect()
        } else {
            users.iter().map(|user| self.now(*user)).collect()
        };
        let listed: Vec<String> =
            readers.iter().map(|reader| format!("`{}`", self.name(*reader))).collect();
        let hint = if listed.is_empty() {
            format!("no func reads `{name}`")
        } else {
            format!("funcs that read `{name}` are {}", listed.join(", "))
        };
        if let Some(stranger) = wrapped.iter().find(|user| !readers.contains(user)) {
            let message = format!("`{}` does not read `{name}`", self.name(*stranger));
            return refusal("HAL0623", directive, message, hint);
        }
        if wrapped.is_empty() {
            return refusal("HAL0623", directive, format!("nothing reads `{name}`"), hint);
        }
        let decl = self.pool.func(wrapper).clone();
        let coords: Vec<_> = decl.args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let values = (0..decl.scalars.len())
            .map(|component| self.pool.func_ref(func, component, coords.clone()))
            .collect();
        let stage = Stage { domain: Vec::new(), predicate: None, lhs: coords, values };
        let kind = FuncKind::Defined { stages: vec![stage], synthetic: false };
        let copy = self.pool.declare_func(FuncDecl { kind, ..decl });
        self.ids.insert(wrapper, copy);
        let to: IndexMap<FuncId, FuncId> = [(func, copy)].into_iter().collect();
        let mut change = Change { added: Some((copy, func)), ..Change::default() };
        for user in wrapped {
            let stages = self.pool.func(user).stages().to_vec();
            let stages = stages.iter().map(|stage| self.redirect(stage, &to)).collect();
            change.stages.insert(user, stages);
        }
        self.step(&change);
        Ok(())
    }

    fn reads(&self, reader: FuncId, func: FuncId) -> bool {
        let stages = self.pool.func(reader).stages();
        stages.iter().flat_map(Stage::roots).any(|root| reads(self.pool, root, func))
    }

    /// True if a func is nothing but a copy of another.
    fn copies(&self, copy: FuncId, func: FuncId) -> bool {
        let [stage] = self.pool.func(copy).stages() else { return false };
        stage.values.iter().enumerate().all(|(number, value)| {
            matches!(self.pool.get(*value), halidom_ir::Expr::Ref { func: read, component, args }
                if *read == func && *component == number && **args == *stage.lhs)
        })
    }
}
