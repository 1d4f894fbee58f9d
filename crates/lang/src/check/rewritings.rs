//! Funcs that a schedule makes: wrappers, and the partial funcs of `rfactor`. They are declared
//! here so that directives can name them; `schedule` defines them.

use halidom_diag::Span;
use halidom_ir::{Action, ExprId, FuncDecl, FuncId, FuncKind, Stage, Type};

use super::scope::{Callable, Checker};
use crate::codes;
use crate::syntax::ast::{DirectiveCall, Expr, ExprKind, Name};

impl<'a, 's> Checker<'a, 's> {
    /// Returns the func, or the input, that a chain beginning with `in` is for.
    pub(super) fn wrapped_func(
        &mut self,
        name: Name<'s>,
        element: Option<&'a Expr<'s>>,
    ) -> Option<FuncId> {
        if element.is_none()
            && let Some((_, Callable::Input { func, .. })) = self.scope.callables.get(name.text)
        {
            return Some(*func);
        }
        self.scheduled_func(name, element)
    }

    /// Checks `in` or `rfactor`. Returns the func that it makes, with the action that makes it
    /// unless that was done.
    pub(super) fn rewriting(
        &mut self,
        call: &'a DirectiveCall<'s>,
        func: FuncId,
        specialized: Option<(FuncId, usize)>,
    ) -> Option<(FuncId, Option<Action>)> {
        let values = self.arguments_of(call)?;
        let name = call.name.text;
        if specialized.is_some() || call.block.is_some() {
            let message = format!("`{name}` within a specialization, or with a block");
            return self.fail_with_hint(
                codes::SPECIALIZATION,
                call.name.span,
                message,
                "it rewrites the algorithm, whatever the condition: write it outside",
            );
        }
        if name == "in" {
            let users = self.users(&values)?;
            if let Some(wrapper) = self.scope.made.wrapper(func, &users) {
                return Some((wrapper, None));
            }
            let wrapper = self.declare_wrapper(func, &users);
            self.scope.made.wrappers.push((func, users.clone(), wrapper));
            return Some((wrapper, Some(Action::Wrap { wrapper, users })));
        }
        let [var, new, partial] = values.as_slice() else { return None };
        let var = self.loop_name(var)?;
        let new = self.loop_name(new)?;
        let text = self.loop_name(partial)?;
        let taken = self.pool.func(func).args.iter().any(|arg| self.pool.var(*arg).name == new);
        if taken {
            let message = format!("`{}` has a variable `{new}`", self.pool.func(func).name);
            let hint = "choose another name for the new pure variable";
            return self.fail_with_hint(codes::NAME_TAKEN, values[1].span, message, hint);
        }
        let known = self.scope.funcs.iter().any(|func| self.pool.func(*func).name == text);
        if known
            || self.defined_at(&text, None).is_some()
            || self.scope.made.partial(&text).is_some()
        {
            let message = format!("the name `{text}` is taken");
            let hint = "choose a name that no func, input or schedule step has";
            return self.fail_with_hint(codes::NAME_TAKEN, partial.span, message, hint);
        }
        let partial = self.declare_partial(func, &text, &new);
        let vars = vec![(var, new)];
        self.scope.made.partials.push((text, partial));
        Some((partial, Some(Action::Factor { vars, partial })))
    }

    /// Returns the wrapper that `f.in(g)` names as a loop level; it must have been made before.
    pub(super) fn known_wrapper(
        &mut self,
        object: Name<'s>,
        element: Option<&'a Expr<'s>>,
        users: &'a [Expr<'s>],
        span: Span,
    ) -> Option<FuncId> {
        let func = self.wrapped_func(object, element)?;
        let users = self.users(&users.iter().collect::<Vec<_>>())?;
        let found = self.scope.made.wrapper(func, &users);
        found.or_else(|| {
            self.fail_with_hint(
                codes::UNKNOWN_FUNC,
                span,
                format!("`{}` has no such wrapper yet", object.text),
                "make it in an earlier step of the schedule",
            )
        })
    }

    fn users(&mut self, values: &[&'a Expr<'s>]) -> Option<Vec<FuncId>> {
        let mut users = Vec::with_capacity(values.len());
        for value in values {
            let user = if let ExprKind::Name(text) = &value.kind {
                self.scheduled_func(Name { text, span: value.span }, None)
            } else if let ExprKind::Element { array, index } = &value.kind {
                self.scheduled_func(*array, Some(index))
            } else {
                self.fail_with_hint(
                    codes::DIRECTIVE_ARGUMENTS,
                    value.span,
                    "expected the name of a func",
                    "`f.in(g)` puts a copy of `f` between `f` and `g`, `f.in()` between `f` and \
                        all that read it",
                )
            };
            users.push(user?);
        }
        Some(users)
    }

    fn declare_wrapper(&mut self, func: FuncId, users: &[FuncId]) -> FuncId {
        let decl = self.pool.func(func).clone();
        let users: Vec<&str> =
            users.iter().map(|user| self.pool.func(*user).name.as_str()).collect();
        let name = [&[decl.name.as_str(), "in"], users.as_slice()].concat().join("$");
        let args: Vec<_> = decl
            .args
            .iter()
            .enumerate()
            .map(|(dim, arg)| {
                let name = self.pool.var(*arg).name.clone();
                // The variables of inputs have generated names.
                let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic());
                let name = match (is_name, ["x", "y", "c"].get(dim)) {
                    (true, _) => name,
                    (false, Some(usual)) => (*usual).to_owned(),
                    (false, None) => format!("d{dim}"),
                };
                self.pool.declare_var(name, Type::INT)
            })
            .collect();
        let coords: Vec<ExprId> = args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let values = (0..decl.scalars.len())
            .map(|component| self.pool.func_ref(func, component, coords.clone()))
            .collect();
        let stage = Stage { domain: Vec::new(), predicate: None, lhs: coords, values };
        let kind = FuncKind::Defined { stages: vec![stage], synthetic: false };
        self.pool.declare_func(FuncDecl { name, scalars: decl.scalars, args, kind })
    }

    /// Declares a func of two stages, as `rfactor` makes it; the stages are placeholders.
    fn declare_partial(&mut self, func: FuncId, name: &str, var: &str) -> FuncId {
        let decl = self.pool.func(func).clone();
        let own = decl.args.iter().map(|arg| self.pool.var(*arg).name.clone());
        let names: Vec<String> = own.chain([var.to_owned()]).collect();
        let args: Vec<_> =
            names.into_iter().map(|name| self.pool.declare_var(name, Type::INT)).collect();
        let lhs: Vec<ExprId> = args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let zeros = decl.scalars.iter().map(|scalar| halidom_ir::Constant::zero(*scalar));
        let values = zeros.map(|zero| self.pool.constant(zero)).collect();
        let stage = Stage { domain: Vec::new(), predicate: None, lhs, values };
        let stages = vec![stage.clone(), stage];
        let kind = FuncKind::Defined { stages, synthetic: false };
        self.pool.declare_func(FuncDecl {
            name: name.to_owned(),
            scalars: decl.scalars,
            args,
            kind,
        })
    }
}
