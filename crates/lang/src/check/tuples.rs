//! Tuples: expressions with several values, one for each component.
//!
//! A tuple is not a value: it can be written, be the value of a func or of a `let`, be chosen by
//! `select`, and be split into its components. Everything else takes one value.

use halidom_diag::{Diagnostic, Fix, Remedy, Span};
use halidom_ir::{ExprId, Scalar};

use crate::codes;
use crate::syntax::ast::{Argument, Expr, ExprKind};
use crate::syntax::count;

use super::scope::{Callable, Checker, FrameArgument, Value};

impl<'a, 's> Checker<'a, 's> {
    /// Checks an expression that must have these types, one or several.
    pub(super) fn check_values(
        &mut self,
        expr: &'a Expr<'s>,
        expected: &[Scalar],
    ) -> Option<Vec<ExprId>> {
        if let [scalar] = expected {
            return self.check(expr, *scalar).map(|id| vec![id]);
        }
        let values = self.values(expr, expected)?;
        self.fit(values, expected, expr)
    }

    /// Checks the values of an expression as components of these types.
    fn fit(
        &mut self,
        values: Vec<ExprId>,
        expected: &[Scalar],
        expr: &Expr<'s>,
    ) -> Option<Vec<ExprId>> {
        if values.len() != expected.len() {
            let types: Vec<&str> = expected.iter().map(|scalar| scalar.name()).collect();
            let found = match values[..] {
                [only] => format!("`{}`", self.scalar_of(only)),
                _ => format!("a tuple of {}", count(values.len(), "value")),
            };
            let message = format!("expected a tuple `({})`, found {found}", types.join(", "));
            return self.fail(codes::TUPLE, expr.span, message);
        }
        let spans = component_spans(expr, values.len());
        let mut fitted = Vec::with_capacity(values.len());
        for ((value, scalar), span) in values.into_iter().zip(expected).zip(spans) {
            fitted.push(self.coerce(value, *scalar, span));
        }
        fitted.into_iter().collect()
    }

    /// Checks `(a, b)`.
    pub(super) fn tuple(&mut self, parts: &'a [Expr<'s>], hints: &[Scalar]) -> Option<Vec<ExprId>> {
        let mut values = Vec::with_capacity(parts.len());
        for (number, part) in parts.iter().enumerate() {
            values.push(self.infer(part, hints.get(number).copied()));
        }
        values.into_iter().collect()
    }

    /// Returns the value of an expression that must not be a tuple.
    pub(super) fn single(&mut self, values: &[ExprId], span: Span) -> Option<ExprId> {
        if let [only] = values {
            return Some(*only);
        }
        let message = format!("a tuple of {} where one is needed", count(values.len(), "value"));
        let hint = match self.quote(span) {
            Some(text) => format!("choose a component: `{text}.0`"),
            None => "choose a component: `.0` behind it".to_owned(),
        };
        // Behind an operator, the component would be that of its last operand.
        let is_call = self
            .text
            .get(span.range())
            .is_some_and(|text| text.ends_with(')') && !text.contains([' ', '+', '-']));
        let fix = is_call.then(|| Fix::insert_after(span, ".0"));
        self.fail_with_hint(codes::TUPLE, span, message, Remedy { hint, fix })
    }

    /// Checks `tuple.number`.
    pub(super) fn component(
        &mut self,
        tuple: &'a Expr<'s>,
        number: i128,
        span: Span,
    ) -> Option<ExprId> {
        let values = self.values(tuple, &[])?;
        if values.len() == 1 {
            let scalar = self.scalar_of(values[0]);
            let message = format!("this is one value of type `{scalar}`, not a tuple");
            return self.fail(codes::TUPLE, tuple.span, message);
        }
        let value = usize::try_from(number).ok().and_then(|number| values.get(number));
        if let Some(value) = value {
            return Some(*value);
        }
        let message =
            format!("a tuple of {} has no component {number}", count(values.len(), "value"));
        let hint = format!("components are counted from 0: the last one is {}", values.len() - 1);
        self.fail_with_hint(codes::TUPLE, span, message, hint)
    }

    /// Checks `select(c, t, …, u)` of tuples: the same conditions choose every component.
    pub(super) fn select_tuples(
        &mut self,
        arguments: &'a [Argument<'s>],
        span: Span,
        hints: &[Scalar],
    ) -> Option<Vec<ExprId>> {
        let live = self.live_arms(arguments);
        if let [only] = live.as_slice() {
            return self.values(&arguments[*only].value, hints);
        }
        if live.len().is_multiple_of(2) {
            return self.missing_otherwise(span);
        }
        let (arms, conditions): (Vec<_>, Vec<_>) =
            live.iter().enumerate().partition(|(turn, _)| turn % 2 == 1 || turn + 1 == live.len());
        let mut chosen_by = Vec::with_capacity(conditions.len());
        for (_, position) in conditions {
            chosen_by.push(self.check(&arguments[*position].value, Scalar::Bool));
        }
        let arms: Vec<&'a Expr<'s>> =
            arms.into_iter().map(|(_, position)| &arguments[*position].value).collect();
        // The types of tuples that are written out follow the other tuples' types.
        let mut types = if hints.len() > 1 { hints.to_vec() } else { Vec::new() };
        let mut values = vec![None; arms.len()];
        for written_out in [false, true] {
            for (value, arm) in values.iter_mut().zip(&arms) {
                if matches!(arm.kind, ExprKind::Tuple(_)) != written_out {
                    continue;
                }
                let found = self.values(arm, &types)?;
                if types.is_empty() {
                    types = found.iter().map(|value| self.scalar_of(*value)).collect();
                }
                *value = self.fit(found, &types, arm);
            }
        }
        let values: Vec<Vec<ExprId>> = values.into_iter().collect::<Option<_>>()?;
        let chosen_by: Vec<ExprId> = chosen_by.into_iter().collect::<Option<_>>()?;
        let mut selected = values.last()?.clone();
        for (condition, arm) in chosen_by.iter().zip(&values).rev() {
            for (result, value) in selected.iter_mut().zip(arm) {
                *result = self.pool.select(*condition, *value, *result);
            }
        }
        Some(selected)
    }

    /// True if an expression has several values, as far as its form shows that without a check.
    pub(super) fn is_tuple(&self, expr: &Expr<'s>) -> bool {
        match &expr.kind {
            ExprKind::Tuple(_) => true,
            ExprKind::Name(name) => {
                if let Some(binding) = self.find_binding(name) {
                    return matches!(binding.value, Value::Tuple(_));
                }
                match self.frame_argument(name) {
                    Some(FrameArgument::Value(value)) => matches!(value.kind, ExprKind::Tuple(_)),
                    Some(FrameArgument::Callable(_) | FrameArgument::Region(_)) | None => false,
                }
            }
            ExprKind::Call { callee, element, arguments } => {
                match self.resolve_quietly(*callee, element.as_deref()) {
                    Some(Callable::Func(func)) => self.pool.func(func).scalars.len() > 1,
                    Some(Callable::Input { .. } | Callable::Bad) => false,
                    None => {
                        callee.text == "select"
                            && arguments.iter().any(|argument| self.is_tuple(&argument.value))
                    }
                }
            }
            ExprKind::Reduction { op, .. } => matches!(op.text, "argmin" | "argmax"),
            ExprKind::Block { value, .. } => self.is_tuple(value),
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Element { .. }
            | ExprKind::Member { .. }
            | ExprKind::Component { .. }
            | ExprKind::Unary(..)
            | ExprKind::Binary(..) => false,
        }
    }

    /// Binds a name to the values of an expression.
    pub(super) fn binding_of(&mut self, values: Option<Vec<ExprId>>) -> Value {
        match values {
            None => Value::Bad,
            Some(values) => match values[..] {
                [only] => Value::Expr(only),
                _ => {
                    self.scope.tuples.push(values);
                    Value::Tuple(self.scope.tuples.len() - 1)
                }
            },
        }
    }

    /// Reports an operator that combines values, used on tuples.
    pub(super) fn no_tuple_operator<T>(&mut self, operator: &str, span: Span) -> Option<T> {
        let message = format!("`{operator}` is not defined for tuples");
        let diagnostic = Diagnostic::error(codes::TUPLE, span, message)
            .with_hint("write every component: `f(x) = (f(x).0 + a, f(x).1 + b);`");
        self.report(diagnostic);
        None
    }
}

/// Returns the places of the components: separate places if they are written out.
fn component_spans(expr: &Expr<'_>, components: usize) -> Vec<Span> {
    if let ExprKind::Tuple(parts) = &expr.kind
        && parts.len() == components
    {
        return parts.iter().map(|part| part.span).collect();
    }
    vec![expr.span; components]
}
