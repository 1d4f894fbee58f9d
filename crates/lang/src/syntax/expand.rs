//! Expands schedule functions: each application is replaced by the function's steps, with the
//! arguments in place of the parameters.

use halidom_base::IndexMap;
use halidom_diag::{Diagnostic, Remedy, Span};

use super::ast::{
    Argument, Chain, DirectiveArgument, DirectiveCall, Domain, Expr, ExprKind, File, Let, Name,
    Range, ScheduleFn, Step,
};
use super::items::{count, given};
use super::parser::MAX_HEIGHT;
use crate::codes;
use crate::names::nearest;

/// The maximum number of steps that the applications of a file may become.
const MAX_STEPS: usize = 10_000;

/// The error was reported.
struct Refused;

/// Parameters and their arguments.
type Arguments<'s> = IndexMap<&'s str, Expr<'s>>;

/// Replaces every application in the file's schedules. A schedule with an error is no longer whole.
pub(super) fn expand_schedules(file: &mut File<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut expansion = Expansion { functions: IndexMap::default(), steps: 0, diagnostics };
    // A function may apply only earlier functions, so expansion terminates.
    for function in std::mem::take(&mut file.schedule_fns) {
        expansion.define(function);
    }
    for schedule in &mut file.schedules {
        let steps = std::mem::take(&mut schedule.steps);
        match expansion.steps(steps) {
            Ok(steps) => schedule.steps = steps,
            Err(Refused) => schedule.is_whole = false,
        }
    }
}

struct Expansion<'s, 'd> {
    /// Already expanded; `None` if it contains an error.
    functions: IndexMap<&'s str, (Name<'s>, Option<ScheduleFn<'s>>)>,
    /// The number of steps made so far.
    steps: usize,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'s> Expansion<'s, '_> {
    fn define(&mut self, function: ScheduleFn<'s>) {
        let ScheduleFn { name, params, steps, span } = function;
        if let Some((first, _)) = self.functions.get(name.text) {
            let first = first.span;
            self.taken(name, first);
            return;
        }
        for (position, param) in params.iter().enumerate() {
            if let Some(first) = params[..position].iter().find(|first| first.text == param.text) {
                self.taken(*param, first.span);
            }
        }
        let steps = self.steps(steps);
        let body = steps.ok().map(|steps| ScheduleFn { name, params, steps, span });
        self.functions.insert(name.text, (name, body));
    }

    fn taken(&mut self, name: Name<'s>, first: Span) {
        let message = format!("`{}` is defined already", name.text);
        self.diagnostics.push(
            Diagnostic::error(codes::NAME_TAKEN, name.span, message)
                .with_label(first, "defined here"),
        );
    }

    fn steps(&mut self, steps: Vec<Step<'s>>) -> Result<Vec<Step<'s>>, Refused> {
        let mut expanded = Vec::with_capacity(steps.len());
        let mut refused = false;
        for step in steps {
            match step {
                Step::Chain(mut chain) => {
                    for call in &mut chain.calls {
                        if let Some(block) = call.block.take() {
                            call.block = Some(self.steps(block)?);
                        }
                    }
                    expanded.push(Step::Chain(chain));
                }
                Step::For { var, range, steps } => {
                    expanded.push(Step::For { var, range, steps: self.steps(steps)? });
                }
                Step::Apply { function, arguments, span } => {
                    match self.apply(function, &arguments, span) {
                        Ok(steps) => expanded.extend(steps),
                        Err(Refused) => refused = true,
                    }
                }
            }
        }
        if refused { Err(Refused) } else { Ok(expanded) }
    }

    fn apply(
        &mut self,
        name: Name<'s>,
        arguments: &[Expr<'s>],
        span: Span,
    ) -> Result<Vec<Step<'s>>, Refused> {
        let Some((_, body)) = self.functions.get(name.text) else {
            let message = format!("there is no schedule function `{}` before this", name.text);
            let mut diagnostic = Diagnostic::error(codes::UNKNOWN_SCHEDULE_FN, name.span, message);
            let known = self.functions.keys().copied();
            if let Some(near) = nearest(name.text, known) {
                diagnostic = diagnostic.with_hint(Remedy::did_you_mean(near, name.span));
            }
            self.diagnostics.push(diagnostic);
            return Err(Refused);
        };
        let Some(function) = body else { return Err(Refused) };
        let refused = if function.params.len() == arguments.len() {
            let pairs = function.params.iter().map(|param| param.text).zip(arguments.to_vec());
            let mut substitution =
                Substitution { arguments: pairs.collect(), steps: self.steps, blame: span };
            let steps = substitution.steps(&function.steps);
            self.steps = substitution.steps;
            match steps {
                Ok(steps) => return Ok(steps),
                Err(diagnostic) => diagnostic,
            }
        } else {
            let wanted = count(function.params.len(), "argument");
            let given = given(arguments.len(), "argument");
            let message = format!("`{}` takes {wanted}, but {given}", name.text);
            Box::new(Diagnostic::error(codes::SCHEDULE_FN_ARGUMENTS, span, message))
        };
        self.diagnostics.push(*refused);
        Err(Refused)
    }
}

type Substituted<T> = Result<T, Box<Diagnostic>>;

/// Copies a function's steps with arguments in place of parameters.
struct Substitution<'s> {
    arguments: Arguments<'s>,
    steps: usize,
    /// The place of the application.
    blame: Span,
}

impl<'s> Substitution<'s> {
    fn error<T>(&self, code: halidom_diag::Code, message: String) -> Substituted<T> {
        Err(Box::new(Diagnostic::error(code, self.blame, message)))
    }

    fn steps(&mut self, steps: &[Step<'s>]) -> Substituted<Vec<Step<'s>>> {
        let mut copies = Vec::with_capacity(steps.len());
        for step in steps {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return self.error(codes::TOO_MANY, format!("more than {MAX_STEPS} steps"));
            }
            copies.push(match step {
                Step::Chain(chain) => Step::Chain(self.chain(chain)?),
                Step::For { var, range, steps } => {
                    self.no_capture(*var)?;
                    let range = self.range(range)?;
                    Step::For { var: *var, range, steps: self.steps(steps)? }
                }
                // Functions are expanded when they are defined.
                Step::Apply { .. } => continue,
            });
        }
        Ok(copies)
    }

    /// Checks that an index of the function does not capture a name that an argument mentions.
    fn no_capture(&self, var: Name<'s>) -> Substituted<()> {
        let mentioned = self.arguments.values().any(|argument| mentions(argument, var.text));
        if mentioned || self.arguments.contains_key(var.text) {
            let message = format!(
                "the schedule function has an index `{}` of its own: choose another name",
                var.text
            );
            return self.error(codes::NAME_TAKEN, message);
        }
        Ok(())
    }

    fn chain(&mut self, chain: &Chain<'s>) -> Substituted<Chain<'s>> {
        let element = chain.element.as_ref().map(|index| self.expr(index)).transpose()?;
        let (func, element) = self.func(chain.func, element)?;
        let calls = chain
            .calls
            .iter()
            .map(|call| {
                let arguments = call
                    .arguments
                    .iter()
                    .map(|argument| {
                        let value = self.expr(&argument.value)?;
                        Ok(DirectiveArgument { name: argument.name, value })
                    })
                    .collect::<Substituted<Vec<_>>>()?;
                let block = match &call.block {
                    Some(block) => Some(self.steps(block)?),
                    None => None,
                };
                let (name, text, span) = (call.name, call.text, call.span);
                Ok(DirectiveCall { name, text, arguments, block, span })
            })
            .collect::<Substituted<Vec<_>>>()?;
        Ok(Chain { func, element, calls })
    }

    /// Returns a func that may be a parameter, with its element.
    fn func(
        &self,
        func: Name<'s>,
        element: Option<Expr<'s>>,
    ) -> Substituted<(Name<'s>, Option<Expr<'s>>)> {
        let Some(argument) = self.arguments.get(func.text) else { return Ok((func, element)) };
        match (&argument.kind, element) {
            (ExprKind::Name(text), element) => Ok((Name { text, span: argument.span }, element)),
            (ExprKind::Element { array, index }, None) => Ok((*array, Some((**index).clone()))),
            _ => {
                let message = format!("`{}` must stand for a func here", func.text);
                self.error(codes::SCHEDULE_FN_ARGUMENTS, message)
            }
        }
    }

    fn range(&self, range: &Range<'s>) -> Substituted<Range<'s>> {
        Ok(Range { min: self.expr(&range.min)?, end: self.expr(&range.end)? })
    }

    fn optional(&self, expr: Option<&Expr<'s>>) -> Substituted<Option<Expr<'s>>> {
        expr.map(|expr| self.expr(expr)).transpose()
    }

    fn lets(&self, lets: &[Let<'s>]) -> Substituted<Vec<Let<'s>>> {
        lets.iter()
            .map(|binding| {
                self.no_capture(binding.name)?;
                Ok(Let {
                    name: binding.name,
                    ty: binding.ty.clone(),
                    value: self.expr(&binding.value)?,
                })
            })
            .collect()
    }

    fn domain(&self, domain: &Domain<'s>) -> Substituted<Domain<'s>> {
        let vars = domain
            .vars
            .iter()
            .map(|(name, range)| {
                self.no_capture(*name)?;
                Ok((*name, self.range(range)?))
            })
            .collect::<Substituted<Vec<_>>>()?;
        Ok(Domain { vars, predicate: self.optional(domain.predicate.as_deref())?.map(Box::new) })
    }

    fn expr(&self, expr: &Expr<'s>) -> Substituted<Expr<'s>> {
        let kind = match &expr.kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Bool(_) => {
                return Ok(expr.clone());
            }
            ExprKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.expr(part));
                ExprKind::Tuple(parts.collect::<Substituted<_>>()?)
            }
            ExprKind::Component { tuple, number } => {
                ExprKind::Component { tuple: Box::new(self.expr(tuple)?), number: *number }
            }
            ExprKind::Name(name) => {
                return Ok(self.arguments.get(name).unwrap_or(expr).clone());
            }
            ExprKind::Element { array, index } => {
                let index = Box::new(self.expr(index)?);
                let (array, _) = self.func(*array, None)?;
                ExprKind::Element { array, index }
            }
            ExprKind::Call { callee, element, arguments } => {
                let (callee, element) = self.func(*callee, self.optional(element.as_deref())?)?;
                let arguments = arguments
                    .iter()
                    .map(|argument| {
                        let value = self.expr(&argument.value)?;
                        Ok(Argument { value, expanded: argument.expanded })
                    })
                    .collect::<Substituted<Vec<_>>>()?;
                ExprKind::Call { callee, element: element.map(Box::new), arguments }
            }
            ExprKind::Member { object, element, member, index } => {
                let (object, element) = self.func(*object, self.optional(element.as_deref())?)?;
                let index = match index {
                    Some(index) => Some(
                        index.iter().map(|index| self.expr(index)).collect::<Substituted<_>>()?,
                    ),
                    None => None,
                };
                ExprKind::Member { object, element: element.map(Box::new), member: *member, index }
            }
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, Box::new(self.expr(operand)?)),
            ExprKind::Binary(op, lhs, rhs) => {
                ExprKind::Binary(*op, Box::new(self.expr(lhs)?), Box::new(self.expr(rhs)?))
            }
            ExprKind::Reduction { op, domain, value } => ExprKind::Reduction {
                op: *op,
                domain: self.domain(domain)?,
                value: Box::new(self.expr(value)?),
            },
            ExprKind::Block { lets, value } => {
                ExprKind::Block { lets: self.lets(lets)?, value: Box::new(self.expr(value)?) }
            }
        };
        let node = Expr::new(kind, expr.span);
        if node.height > MAX_HEIGHT {
            return self.error(codes::TOO_DEEP, "this is nested too deeply".to_owned());
        }
        Ok(node)
    }
}

/// True if a name occurs in an argument.
fn mentions(expr: &Expr<'_>, name: &str) -> bool {
    let mut found = false;
    expr.walk(&mut |expr| {
        found |= match &expr.kind {
            ExprKind::Name(text) => *text == name,
            ExprKind::Element { array, .. } => array.text == name,
            ExprKind::Call { callee, .. } => callee.text == name,
            ExprKind::Member { object, .. } => object.text == name,
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Tuple(_)
            | ExprKind::Component { .. }
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Reduction { .. }
            | ExprKind::Block { .. } => false,
        };
    });
    found
}
