//! Arrays of funcs: each element is a separate func, `f[3]`, which the algorithm calls `f$3`.

use halidom_base::IndexMap;
use halidom_diag::{Diagnostic, Fix, Remedy, Span};

use crate::codes;
use crate::syntax::ast::{Elements, Expr, ExprKind, Func, FuncBody, Name, Statement};

use super::constants::Known;
use super::scope::{Array, Binding, Callable, Checker, Value};

/// Returns the algorithm's name of a func: `f`, or `f$3` for an element.
pub(super) fn func_name(name: &str, element: Option<i128>) -> String {
    match element {
        None => name.to_owned(),
        Some(index) => format!("{name}${index}"),
    }
}

impl<'a, 's> Checker<'a, 's> {
    /// Checks a func, or each of the elements that it defines, and puts them in scope.
    pub(super) fn func(&mut self, func: &'a Func<'s>) {
        let name = func.name;
        let (var, range) = match &func.elements {
            None => return self.define(func, None),
            Some(Elements::One(index)) => {
                match self.constant_number(index).filter(|index| self.is_index(*index, func)) {
                    Some(index) => self.define(func, Some(index)),
                    None => self.spoil(name),
                }
                return;
            }
            Some(Elements::Each(var, range)) => (*var, &**range),
        };
        let Some(indices) = self.constant_range(range, range.min.span.to(range.end.span)) else {
            return self.spoil(name);
        };
        if !self.is_index(indices.start, func) {
            return self.spoil(name);
        }
        // If elements refer to later ones, they are defined from the last one on.
        let descends = indices.clone().any(|index| self.refers_to_later(func, var, index));
        let mut indices: Vec<i128> = indices.collect();
        if descends {
            indices.reverse();
        }
        let outside = self.scope.bindings.len();
        for index in indices {
            let before = self.diagnostics.len();
            self.bind(var, Value::Constant(index));
            self.define(func, Some(index));
            self.scope.bindings.truncate(outside);
            // The other elements would repeat the same errors.
            if self.diagnostics.len() > before {
                return self.spoil(name);
            }
        }
        // Even without elements the name denotes an array.
        self.array(name);
    }

    /// Returns true if an index is not negative and the array is not an output, else reports it.
    fn is_index(&mut self, index: i128, func: &Func<'s>) -> bool {
        if let Some((.., span)) = self.scope.outputs.get(func.name.text) {
            let message = format!("the output `{}` is one func, not an array", func.name.text);
            let diagnostic = Diagnostic::error(codes::OUTPUT_SHAPE, func.name.span, message)
                .with_label(*span, "declared here")
                .with_hint("define the output by an element of the array");
            self.report(diagnostic);
            return false;
        }
        if index < 0 {
            let message = format!("an array of funcs has no element {index}");
            self.report(
                Diagnostic::error(codes::ELEMENT, func.name.span, message)
                    .with_hint("elements are counted from 0"),
            );
            return false;
        }
        true
    }

    /// True if an element refers to a later one of its array.
    fn refers_to_later(&mut self, func: &'a Func<'s>, var: Name<'s>, index: i128) -> bool {
        self.scope.bindings.push(Binding { name: var, value: Value::Constant(index) });
        let mut later = false;
        for_each_expr(func, &mut |expr| {
            let found = if let ExprKind::Element { array, index } = &expr.kind {
                Some((array, &**index))
            } else if let ExprKind::Call { callee, element: Some(index), .. } = &expr.kind {
                Some((callee, &**index))
            } else {
                None
            };
            if let Some((array, element)) = found
                && array.text == func.name.text
                && let Some(Known::Number(found)) = self.compile_time(element)
            {
                later |= found > index;
            }
        });
        self.scope.bindings.pop();
        later
    }

    /// Marks a name whose definition has an error, so that its uses are not reported.
    pub(super) fn spoil(&mut self, name: Name<'s>) {
        self.scope.broken.push(name.text);
    }

    /// Returns the array of a name, creating it if necessary.
    fn array(&mut self, name: Name<'s>) -> &mut Array {
        let new = || Array { span: name.span, elements: IndexMap::default() };
        self.scope.arrays.entry(name.text).or_insert_with(new)
    }

    /// Puts a func or an element of an array in scope.
    pub(super) fn add_callable(
        &mut self,
        name: Name<'s>,
        element: Option<i128>,
        callable: Callable,
    ) {
        match element {
            None => {
                self.scope.callables.insert(name.text, (name.span, callable));
            }
            Some(index) => {
                self.array(name).elements.insert(index, (name.span, callable));
            }
        }
    }

    /// Returns the place where a func of this name, or that element of an array, is defined. A miss
    /// is not reported.
    pub(super) fn defined_at(&self, name: &str, element: Option<i128>) -> Option<Span> {
        let plain = self.scope.callables.get(name).map(|(span, _)| *span);
        let array = self.scope.arrays.get(name);
        match element {
            None => plain.or(array.map(|array| array.span)),
            Some(index) => {
                let element = array.and_then(|array| array.elements.get(&index));
                plain.or(element.map(|(span, _)| *span))
            }
        }
    }

    /// Returns the func that a name and an index denote, if there is one. Reports nothing.
    pub(super) fn resolve_quietly(
        &self,
        name: Name<'s>,
        element: Option<&Expr<'s>>,
    ) -> Option<Callable> {
        let Some(index) = element else { return self.find_callable(name.text) };
        if self.scope.frame.is_some() {
            return None;
        }
        let elements = &self.scope.arrays.get(name.text)?.elements;
        elements.get(&self.number_of(index)?).map(|(_, callable)| callable.clone())
    }

    /// Returns the func that a name and an index denote. `Ok(None)` if a plain name denotes no
    /// func; errors are reported.
    pub(super) fn resolve_func(
        &mut self,
        name: Name<'s>,
        element: Option<&'a Expr<'s>>,
    ) -> Result<Option<(Callable, Option<i128>)>, ()> {
        let text = name.text;
        let Some(index) = element else {
            let callable = self.find_callable(text);
            let is_array = self.scope.frame.is_none() && self.scope.arrays.contains_key(text);
            if callable.is_none() && is_array {
                self.fail_with_hint::<()>(
                    codes::ELEMENT,
                    name.span,
                    format!("`{text}` is an array of funcs"),
                    Remedy::with_fix(
                        format!("choose an element: `{text}[0]`"),
                        Fix::insert_after(name.span, "[0]"),
                    ),
                );
                return Err(());
            }
            return Ok(callable.map(|callable| (callable, None)));
        };
        let written = index;
        let index = self.constant_number(index).ok_or(())?;
        let array = match self.scope.frame {
            Some(_) => None,
            None => self.scope.arrays.get(text),
        };
        let found = array.and_then(|array| array.elements.get(&index));
        if let Some((_, callable)) = found {
            return Ok(Some((callable.clone(), Some(index))));
        }
        let is_broken = self.scope.broken.contains(&text);
        let (message, hint): (String, Remedy) = match array {
            _ if is_broken => return Err(()),
            None if self.find_callable(text).is_some() => {
                let remedy = self.without_index("leave the index out", name, written);
                (format!("`{text}` is one func, not an array"), remedy)
            }
            None => {
                let is_later =
                    self.scope.frame.is_none() && self.scope.all_funcs.contains_key(text);
                if is_later && !self.is_current_array(text) {
                    let span = self.scope.all_funcs.get(text).copied().unwrap_or(name.span);
                    let message = format!("`{text}` is used before its definition");
                    let diagnostic = Diagnostic::error(codes::USE_BEFORE, name.span, message)
                        .with_label(span, "defined here")
                        .with_hint(self.move_up(text));
                    self.report(diagnostic);
                    return Err(());
                }
                let message = if is_later {
                    format!("there is no `{text}[{index}]` before this")
                } else {
                    format!("there is no array of funcs `{text}` here")
                };
                (message, "define an element before it is used".into())
            }
            Some(array) => {
                let mut known: Vec<i128> = array.elements.keys().copied().collect();
                known.sort_unstable();
                let known: Vec<String> =
                    known.iter().map(|index| format!("`{text}[{index}]`")).collect();
                let hint = if known.is_empty() {
                    "the array is empty".to_owned()
                } else {
                    format!("before this there are {}", known.join(", "))
                };
                (format!("there is no `{text}[{index}]` here"), hint.into())
            }
        };
        self.fail_with_hint::<()>(codes::ELEMENT, name.span, message, hint);
        Err(())
    }

    fn is_current_array(&self, name: &str) -> bool {
        self.scope.current.is_some_and(|current| current.name == name && current.element.is_some())
    }

    /// True if this is the func whose first stage is being checked.
    pub(super) fn is_first_stage_of(&self, name: Name<'s>, element: Option<&'a Expr<'s>>) -> bool {
        let Some(current) = self.scope.current else { return false };
        self.scope.frame.is_none()
            && current.name == name.text
            && current.stage == 0
            && self.element_is(element, current.element)
    }

    /// True if a written index equals an element's, or both are absent.
    pub(super) fn element_is(&self, written: Option<&'a Expr<'s>>, element: Option<i128>) -> bool {
        match (written, element) {
            (None, None) => true,
            (Some(written), Some(index)) => self.number_of(written) == Some(index),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }
}

/// Calls `visit` with every expression of a definition.
fn for_each_expr<'a, 's>(func: &'a Func<'s>, visit: &mut dyn FnMut(&'a Expr<'s>)) {
    match &func.body {
        FuncBody::Pure { value, .. } => value.walk(visit),
        FuncBody::Instance { arguments, .. } => {
            for argument in arguments {
                argument.walk(visit);
            }
        }
        FuncBody::Stages { statements, .. } => {
            for statement in statements {
                walk_statement(statement, visit);
            }
        }
    }
}

fn walk_statement<'a, 's>(statement: &'a Statement<'s>, visit: &mut dyn FnMut(&'a Expr<'s>)) {
    match statement {
        Statement::Let(binding) => binding.value.walk(visit),
        Statement::Update(update) => {
            for coord in &update.coords {
                coord.walk(visit);
            }
            update.value.walk(visit);
        }
        Statement::For { domain, body, .. } => {
            if let Some(predicate) = &domain.predicate {
                predicate.walk(visit);
            }
            for statement in body {
                walk_statement(statement, visit);
            }
        }
    }
}
