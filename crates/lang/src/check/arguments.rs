//! Arguments of directives: loops, policies, numbers known at startup.

use std::num::NonZeroU32;

use halidom_ir::{Deal, ExprId, FuncId, LoopLevel, Partition, Scalar};

use crate::codes;
use crate::syntax::ast::{Expr, ExprKind, Name};

use crate::names::one_near;

use super::scope::{Callable, Checker, Value};

impl<'a, 's> Checker<'a, 's> {
    /// Returns a func or input that is read.
    pub(super) fn read_func(&mut self, read: &'a Expr<'s>) -> Option<FuncId> {
        if let ExprKind::Name(text) = &read.kind {
            self.wrapped_func(Name { text, span: read.span }, None)
        } else if let ExprKind::Element { array, index } = &read.kind {
            self.wrapped_func(*array, Some(index))
        } else if let ExprKind::Member { object, element, member, index: Some(users) } = &read.kind
            && member.text == "in"
        {
            self.known_wrapper(*object, element.as_deref(), users, read.span)
        } else {
            self.fail_with_hint(
                codes::DIRECTIVE_ARGUMENTS,
                read.span,
                "expected the name of a func or input",
                "name what is read and a loop: `prefetch(input, at: y, ahead: 2)`",
            )
        }
    }

    /// Returns the number of iterations to look ahead; 1 if it is left out.
    pub(super) fn ahead(&mut self, number: Option<&'a Expr<'s>>) -> Option<u32> {
        const MOST: u32 = 1 << 20;
        let Some(number) = number else { return Some(1) };
        let value = self.startup_int(number)?;
        let value = self.pool.as_constant(value).and_then(halidom_ir::Constant::as_integer);
        let value = value.and_then(|value| u32::try_from(value).ok());
        if let Some(value) = value.filter(|value| (1..=MOST).contains(value)) {
            return Some(value);
        }
        self.fail_with_hint(
            codes::DIRECTIVE_ARGUMENTS,
            number.span,
            format!("`ahead` is a constant from 1 to {MOST}"),
            "so many iterations later the value is read: give a number such as 2, or a \
                compile-time parameter",
        )
    }

    /// Returns the distribution of a parallel loop: the default, a policy, or a policy and the size
    /// of its blocks.
    pub(super) fn deal(&mut self, words: &[&'a Expr<'s>]) -> Option<Deal> {
        let [policy, chunk @ ..] = words else { return Some(Deal::Auto) };
        let all = [("static", Deal::STATIC), ("dynamic", Deal::DYNAMIC)];
        let deal = self.one_of(policy, "way of dealing out iterations", &all)?;
        let [chunk, ..] = chunk else { return Some(deal) };
        let size = self.startup_int(chunk)?;
        let size = self.pool.as_constant(size).and_then(halidom_ir::Constant::as_integer);
        let size =
            size.and_then(|size| u32::try_from(size).ok()).filter(|size| *size <= Deal::MOST);
        match size.and_then(NonZeroU32::new) {
            Some(size) => Some(deal.with_chunk(size)),
            None => self.fail_with_hint(
                codes::DIRECTIVE_ARGUMENTS,
                chunk.span,
                format!("`chunk` is a constant from 1 to {}", Deal::MOST),
                "so many iterations are handed out at a time: give a number such as 4, or a \
                    compile-time parameter",
            ),
        }
    }

    pub(super) fn policy(&mut self, expr: &Expr<'s>) -> Option<Partition> {
        let name = if let ExprKind::Name(name) = expr.kind { name } else { "" };
        let policy = Partition::ALL.into_iter().find(|policy| policy.name() == name);
        if policy.is_some() {
            return policy;
        }
        let known = Partition::ALL.map(|policy| format!("`{}`", policy.name())).join(", ");
        self.fail_with_hint(
            codes::DIRECTIVE_ARGUMENTS,
            expr.span,
            "there is no such policy of partitioning",
            one_near(
                format!("the policies are {known}"),
                expr.span,
                name,
                Partition::ALL.map(Partition::name),
            ),
        )
    }

    /// Returns the value of one of some names.
    pub(super) fn one_of<T: Copy>(
        &mut self,
        expr: &Expr<'s>,
        what: &str,
        all: &[(&'static str, T)],
    ) -> Option<T> {
        let name = if let ExprKind::Name(name) = expr.kind { name } else { "" };
        if let Some((_, value)) = all.iter().find(|(known, _)| *known == name) {
            return Some(*value);
        }
        let known: Vec<_> = all.iter().map(|(name, _)| format!("`{name}`")).collect();
        self.fail_with_hint(
            codes::DIRECTIVE_ARGUMENTS,
            expr.span,
            format!("there is no such {what}"),
            one_near(
                format!("it is one of {}", known.join(", ")),
                expr.span,
                name,
                all.iter().map(|(name, _)| *name),
            ),
        )
    }

    pub(super) fn loop_name(&mut self, expr: &Expr<'s>) -> Option<String> {
        if let ExprKind::Name(name) = expr.kind {
            return Some(name.to_owned());
        }
        self.fail_with_hint(
            codes::DIRECTIVE_ARGUMENTS,
            expr.span,
            "expected the name of a loop",
            "loops are named by pure and reduction variables, and by what splits and fusions name",
        )
    }

    /// Resolves `f`, or `f.update(k)` for the loops of that stage.
    pub(super) fn loop_level(&mut self, func: &'a Expr<'s>, var: &Expr<'s>) -> Option<LoopLevel> {
        let (func, stage) = if let ExprKind::Name(text) = &func.kind {
            (self.scheduled_func(Name { text, span: func.span }, None)?, None)
        } else if let ExprKind::Element { array, index } = &func.kind {
            (self.scheduled_func(*array, Some(index))?, None)
        } else if let ExprKind::Member { object, element, member, index: Some(index) } = &func.kind
            && index.len() <= 1
            && member.text == "update"
        {
            let id = self.scheduled_func(*object, element.as_deref())?;
            (id, Some(self.stage_number(id, index.first(), func.span)?))
        } else if let ExprKind::Member { object, element, member, index: Some(users) } = &func.kind
            && member.text == "in"
        {
            (self.known_wrapper(*object, element.as_deref(), users, func.span)?, None)
        } else {
            return self.fail_with_hint(
                codes::DIRECTIVE_ARGUMENTS,
                func.span,
                "expected the name of a func",
                "a loop level is a func and one of its loops: `compute_at(output, y)`",
            );
        };
        Some(LoopLevel { func, stage, var: self.loop_name(var)? })
    }

    /// Checks an `int` over parameters and shapes; returns a number if it is known to be one.
    pub(super) fn startup_int(&mut self, expr: &'a Expr<'s>) -> Option<ExprId> {
        match self.number_of(expr) {
            Some(number) => Some(self.pool.int(number)),
            None => self.startup(expr, Scalar::Int),
        }
    }

    pub(super) fn startup(&mut self, expr: &'a Expr<'s>, scalar: Scalar) -> Option<ExprId> {
        let before = self.diagnostics.len();
        let Some(id) = self.check(expr, scalar) else {
            let names = self.startup_names();
            for diagnostic in &mut self.diagnostics[before..] {
                if diagnostic.code == codes::UNKNOWN_NAME && diagnostic.hint.is_none() {
                    diagnostic.hint = Some(format!("a schedule may depend on {names}"));
                }
            }
            return None;
        };
        if !self.is_startup(id) {
            let names = self.startup_names();
            return self.fail_with_hint(
                codes::SCHEDULE_STARTUP,
                expr.span,
                "a schedule depends on what is known when the pipeline starts, and not on values \
                    of funcs and inputs",
                format!("it may depend on {names}"),
            );
        }
        self.limit_depth(id, expr.span)
    }

    /// Lists the names that a factor, bound or condition of a schedule may mention.
    pub(super) fn startup_names(&self) -> String {
        let mut names = Vec::new();
        for binding in &self.scope.bindings {
            match binding.value {
                Value::Constant(_) => names.push(format!("`{}`", binding.name.text)),
                Value::Expr(id) if self.is_startup(id) => {
                    names.push(format!("`{}`", binding.name.text));
                }
                Value::Expr(_) | Value::Tuple(_) | Value::Bad => {}
            }
        }
        for (name, (_, callable)) in &self.scope.callables {
            if matches!(callable, Callable::Input { .. }) {
                names.push(format!("`{name}.min(k)`, `{name}.extent(k)`"));
            }
        }
        if names.is_empty() { "numbers alone".to_owned() } else { names.join(", ") }
    }

    /// Checks a number of lanes, copies or elements: a constant, or `None` if it is left out.
    #[expect(clippy::option_option, reason = "left out and wrong are different answers")]
    pub(super) fn constant_factor(
        &mut self,
        directive: &str,
        expr: Option<&'a Expr<'s>>,
    ) -> Option<Option<ExprId>> {
        let Some(expr) = expr else { return Some(None) };
        let id = self.startup_int(expr)?;
        let factor = self.pool.as_constant(id).and_then(halidom_ir::Constant::as_integer);
        // The operation that needs the number when the pipeline is compiled.
        let done = match directive {
            "unroll" => "the code is copied",
            "vectorize" => "the code is made wider",
            "fold_storage" => "it is decided how much memory is kept",
            _ => "memory is laid out",
        };
        match factor {
            Some(factor) if factor >= 1 => Some(Some(id)),
            Some(_) | None => self.fail_with_hint(
                codes::DIRECTIVE_ARGUMENTS,
                expr.span,
                format!("`{directive}` takes a constant of at least 1"),
                format!(
                    "{done} when the pipeline is compiled: give a number such as 8, or a \
                    compile-time parameter"
                ),
            ),
        }
    }
}
