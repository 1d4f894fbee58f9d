//! The checker's state: the meaning of names, and the reporting of errors.

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_diag::{Code, Diagnostic, Fix, Remedy, Span};
use halidom_ir::{Expr as IrExpr, ExprId, FuncId, Pool, Scalar, VarId};

use crate::codes;
use crate::names::nearest;
use crate::syntax::ast::{Expr, Function, Name};

use super::functions;

/// The maximum depth of an algorithm's expressions; later passes recurse over them.
const MAX_DEPTH: usize = 1000;

/// The use of a name, or the kind of its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Before `(` or a property.
    Func,
    /// On its own.
    Value,
}

/// The callee of a call.
#[derive(Clone, Debug)]
pub(super) enum Callable {
    /// An input, with the variables of its mins and extents.
    Input { func: FuncId, bounds: Vec<(VarId, VarId)> },
    /// A func.
    Func(FuncId),
    /// A func whose definition has an error that leaves its type unknown.
    Bad,
}

/// The meaning of a plain name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// A parameter, variable or `let`.
    Expr(ExprId),
    /// A `let` with several values: the entry with this number in [`Scope::tuples`].
    Tuple(usize),
    /// A number that is known at compile time.
    Constant(i128),
    /// A `let` with an error.
    Bad,
}

/// A name in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding<'s> {
    pub(super) name: Name<'s>,
    pub(super) value: Value,
}

/// The func that is being defined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Current<'s> {
    pub(super) name: &'s str,
    /// The index of the element in an array of funcs.
    pub(super) element: Option<i128>,
    /// The stage that is being checked.
    pub(super) stage: usize,
}

/// A generic function's local names, while its body is checked.
#[derive(Debug)]
pub(super) struct Frame<'a, 's> {
    /// The arguments of the parameters.
    pub(super) arguments: IndexMap<&'s str, FrameArgument<'a, 's>>,
    /// The name and variables of the pack, and the dimension of its first.
    pub(super) pack: Option<(&'s str, Vec<VarId>, usize)>,
    /// The member of the pack that is being expanded.
    pub(super) member: Option<usize>,
    /// The index of the body's first binding; earlier ones belong to the caller.
    pub(super) base: usize,
    /// The place that errors in the body are blamed on, if the body is not the user's text.
    pub(super) blame: Option<Span>,
}

/// The argument of a generic function's parameter.
#[derive(Clone, Debug)]
pub(super) enum FrameArgument<'a, 's> {
    /// A func or an input.
    Callable(Callable),
    /// A value of the caller, typed where it is used.
    Value(&'a Expr<'s>),
    /// A region: a min and an extent for each dimension.
    Region(Vec<(ExprId, ExprId)>),
}

/// A generic function, with a flag that is true if it is in the prelude.
#[derive(Clone, Copy, Debug)]
pub(super) struct Generic<'a, 's> {
    pub(super) function: &'a Function<'s>,
    pub(super) in_prelude: bool,
}

/// An array of funcs: the elements defined so far.
#[derive(Debug)]
pub(super) struct Array {
    /// The first definition.
    pub(super) span: Span,
    pub(super) elements: IndexMap<i128, (Span, Callable)>,
}

/// The funcs that a schedule makes.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// A wrapper for each func and list of users.
    pub(super) wrappers: Vec<(FuncId, Vec<FuncId>, FuncId)>,
    /// The partial funcs of `rfactor`, by name.
    pub(super) partials: Vec<(String, FuncId)>,
}

impl Made {
    /// Returns the func that an `rfactor` of this schedule gave this name.
    pub(super) fn partial(&self, name: &str) -> Option<FuncId> {
        self.partials.iter().find(|(known, _)| known == name).map(|(_, func)| *func)
    }

    pub(super) fn wrapper(&self, func: FuncId, users: &[FuncId]) -> Option<FuncId> {
        let found = self.wrappers.iter().find(|(of, by, _)| *of == func && by == users);
        found.map(|(.., wrapper)| *wrapper)
    }
}

/// State of the checks of a file and of the current pipeline.
pub(super) struct Checker<'a, 's> {
    pub(super) pool: Pool,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) text: &'s str,
    pub(super) generics: IndexMap<&'s str, Generic<'a, 's>>,
    pub(super) scope: Scope<'a, 's>,
    /// Depths of expressions, for the limit.
    depths: FxHashMap<ExprId, usize>,
}

/// Names and definitions of the current pipeline.
#[derive(Default)]
pub(super) struct Scope<'a, 's> {
    pub(super) callables: IndexMap<&'s str, (Span, Callable)>,
    pub(super) arrays: IndexMap<&'s str, Array>,
    /// Innermost last.
    pub(super) bindings: Vec<Binding<'s>>,
    /// Every func of the pipeline's text, already checked or not.
    pub(super) all_funcs: IndexMap<&'s str, Span>,
    /// The definitions of funcs outside of `for`s.
    pub(super) whole_funcs: IndexMap<&'s str, Span>,
    /// Names of definitions that could not be parsed.
    pub(super) broken: Vec<&'s str>,
    /// Variables that startup expressions may mention.
    pub(super) startup: FxHashSet<VarId>,
    /// Defined funcs, in order.
    pub(super) funcs: Vec<FuncId>,
    pub(super) func_spans: FxHashMap<FuncId, Span>,
    pub(super) stage_spans: FxHashMap<(FuncId, usize), Span>,
    /// The outputs of the signature: types of the components, rank, place.
    pub(super) outputs: IndexMap<&'s str, (Vec<Scalar>, usize, Span)>,
    pub(super) current: Option<Current<'s>>,
    pub(super) frame: Option<Frame<'a, 's>>,
    /// The places of references to funcs, and of their arguments.
    pub(super) reference_spans: FxHashMap<ExprId, (Span, Vec<Span>)>,
    /// The values of `let`s that are tuples.
    pub(super) tuples: Vec<Vec<ExprId>>,
    /// The number of inline reductions so far.
    pub(super) reductions: usize,
    /// Funcs that the current schedule makes.
    pub(super) made: Made,
}

impl<'a, 's> Checker<'a, 's> {
    pub(super) fn new(
        text: &'s str,
        generics: IndexMap<&'s str, Generic<'a, 's>>,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        Self {
            pool: Pool::new(),
            diagnostics,
            text,
            generics,
            scope: Scope::default(),
            depths: FxHashMap::default(),
        }
    }

    /// Reports a diagnostic; errors within the prelude are blamed on the place that used it.
    pub(super) fn report(&mut self, mut diagnostic: Diagnostic) {
        if let Some(blame) = self.scope.frame.as_ref().and_then(|frame| frame.blame) {
            if let Some(primary) = &mut diagnostic.primary {
                primary.span = blame;
            }
            diagnostic.secondary.clear();
            diagnostic.fix = None;
        }
        // The members of a pack would repeat the same error.
        if self.scope.frame.is_none() || !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports an error and returns `None`.
    pub(super) fn fail<T>(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> Option<T> {
        self.report(Diagnostic::error(code, span, message));
        None
    }

    /// Reports an error with a hint and returns `None`.
    pub(super) fn fail_with_hint<T>(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        remedy: impl Into<Remedy>,
    ) -> Option<T> {
        self.report(Diagnostic::error(code, span, message).with_hint(remedy));
        None
    }

    /// Returns the user's text of an expression, if it is short enough to quote.
    pub(super) fn quote(&self, span: Span) -> Option<&'s str> {
        const LIMIT: usize = 40;
        if self.scope.frame.as_ref().is_some_and(|frame| frame.blame.is_some()) {
            return None;
        }
        self.text.get(span.range()).filter(|text| text.len() <= LIMIT && !text.contains('\n'))
    }

    /// Returns the value of a plain name. A miss is not reported.
    pub(super) fn find_binding(&self, name: &str) -> Option<&Binding<'s>> {
        let base = self.scope.frame.as_ref().map_or(0, |frame| frame.base);
        self.scope.bindings[base..].iter().rev().find(|binding| binding.name.text == name)
    }

    /// Returns the func or input of a name. A miss is not reported.
    pub(super) fn find_callable(&self, name: &str) -> Option<Callable> {
        match &self.scope.frame {
            Some(frame) => match frame.arguments.get(name) {
                Some(FrameArgument::Callable(callable)) => Some(callable.clone()),
                Some(FrameArgument::Value(_) | FrameArgument::Region(_)) | None => None,
            },
            None => self.scope.callables.get(name).map(|(_, callable)| callable.clone()),
        }
    }

    /// Reports that a name has no meaning, or not the one needed here.
    pub(super) fn unknown<T>(&mut self, name: Name<'s>, role: Role) -> Option<T> {
        let is_call = role == Role::Func;
        let text = name.text;
        if self.scope.broken.contains(&text) {
            return None;
        }
        if is_call && self.find_binding(text).is_some() {
            return self.fail(
                codes::WRONG_KIND,
                name.span,
                format!("`{text}` is a value, not a func"),
            );
        }
        let callable = if is_call { None } else { self.find_callable(text) };
        if let Some(callable) = callable {
            let kind = match callable {
                Callable::Input { .. } => "an input",
                Callable::Func(_) => "a func",
                Callable::Bad => return None,
            };
            return self.fail_with_hint(
                codes::WRONG_KIND,
                name.span,
                format!("`{text}` is {kind}, not a value"),
                format!("write its coordinates: `{text}(…)`"),
            );
        }
        if self.scope.frame.is_none() && self.scope.arrays.contains_key(text) {
            return self.fail_with_hint(
                codes::ELEMENT,
                name.span,
                format!("`{text}` is an array of funcs"),
                Remedy::with_fix(
                    format!("choose an element: `{text}[0]`"),
                    Fix::insert_after(name.span, "[0]"),
                ),
            );
        }
        if self.scope.frame.is_none()
            && let Some(span) = self.scope.all_funcs.get(text)
        {
            let diagnostic = Diagnostic::error(
                codes::USE_BEFORE,
                name.span,
                format!("`{text}` is used before its definition"),
            )
            .with_label(*span, "defined here")
            .with_hint(self.move_up(text));
            self.report(diagnostic);
            return None;
        }
        if is_call && self.generics.contains_key(text) {
            return self.fail_with_hint(
                codes::WRONG_KIND,
                name.span,
                format!("`{text}` makes a func from a func"),
                format!("name its result: `func name = {text}(…);`"),
            );
        }
        let near = self.nearest_name(text, role);
        let what = if is_call { "func or function" } else { "variable" };
        let mut diagnostic = Diagnostic::error(
            codes::UNKNOWN_NAME,
            name.span,
            format!("there is no {what} `{text}` here"),
        );
        if let Some(near) = near {
            diagnostic = diagnostic.with_hint(Remedy::did_you_mean(&near, name.span));
        }
        self.report(diagnostic);
        None
    }

    fn nearest_name(&self, text: &str, role: Role) -> Option<String> {
        let mut known: Vec<&str> = Vec::new();
        if role == Role::Func {
            self.scope.callables.keys().for_each(|name| known.push(name));
            functions::names().for_each(|name| known.push(name));
            for scalar in Scalar::ALL {
                known.push(scalar.name());
            }
        } else {
            self.scope.bindings.iter().rev().for_each(|binding| known.push(binding.name.text));
        }
        let near = nearest(text, known);
        near.map(str::to_owned)
    }

    /// Puts a plain name in scope; reports a name that is taken.
    pub(super) fn bind(&mut self, name: Name<'s>, value: Value) {
        let bound = self.find_binding(name.text).map(|binding| binding.name.span);
        let func = match self.scope.frame {
            Some(_) => None,
            None => self.defined_at(name.text, None),
        };
        let taken = bound.or(func);
        // A taken name is bound anyway, so that its uses cause no further errors.
        self.refuse_taken(name, taken);
        self.scope.bindings.push(Binding { name, value });
    }

    /// Reports a name that cannot be defined because it has another meaning. Returns true if it
    /// reported it.
    pub(super) fn refuse_taken(&mut self, name: Name<'s>, taken: Option<Span>) -> bool {
        if self.refuse_reserved(name, Role::Value) {
            return true;
        }
        let Some(span) = taken else { return false };
        let message = format!("`{}` is defined already", name.text);
        let diagnostic = Diagnostic::error(codes::NAME_TAKEN, name.span, message)
            .with_label(span, "defined here");
        self.report(diagnostic);
        true
    }

    /// Reports a name that nothing of a kind can have. Returns true if it reported it.
    pub(super) fn refuse_reserved(&mut self, name: Name<'s>, role: Role) -> bool {
        let text = name.text;
        if text.contains('$') {
            self.report(
                Diagnostic::error(codes::RESERVED, name.span, format!("`{text}` has a `$`"))
                    .with_hint("names with `$` are the compiler's"),
            );
            return true;
        }
        let builtin = functions::names().any(|builtin| builtin == text);
        if role == Role::Func
            && (builtin || Scalar::from_name(text).is_some() || self.generics.contains_key(text))
        {
            let message = format!("`{text}` is a built-in function");
            self.report(
                Diagnostic::error(codes::RESERVED, name.span, message)
                    .with_hint("choose another name"),
            );
            return true;
        }
        false
    }

    /// True if an expression mentions only parameters, shapes and constants (FS Definition 4.4).
    pub(super) fn is_startup(&self, expr: ExprId) -> bool {
        let mut startup = true;
        self.pool.for_each_subexpr(expr, &mut |_, node| match node {
            IrExpr::Var(var) => startup &= self.scope.startup.contains(var),
            IrExpr::Ref { .. } | IrExpr::Load { .. } | IrExpr::Hole(_) => startup = false,
            IrExpr::Const(_)
            | IrExpr::Unary(..)
            | IrExpr::Binary(..)
            | IrExpr::Select { .. }
            | IrExpr::Cast(..)
            | IrExpr::Call(..)
            | IrExpr::Apply { .. }
            | IrExpr::Ramp { .. }
            | IrExpr::Broadcast { .. }
            | IrExpr::Shuffle { .. } => {}
        });
        startup
    }

    /// Refuses an expression that is too deep for recursion.
    pub(super) fn limit_depth(&mut self, expr: ExprId, span: Span) -> Option<ExprId> {
        if self.depth(expr) <= MAX_DEPTH {
            return Some(expr);
        }
        self.fail_with_hint(
            codes::TOO_DEEP,
            span,
            "this expression is too deep, `let`s included",
            "make a part of it a func",
        )
    }

    /// Refuses several values if one is too deep for recursion.
    pub(super) fn limit_depths(&mut self, values: Vec<ExprId>, span: Span) -> Option<Vec<ExprId>> {
        values.into_iter().map(|value| self.limit_depth(value, span)).collect()
    }

    fn depth(&mut self, expr: ExprId) -> usize {
        if let Some(depth) = self.depths.get(&expr) {
            return *depth;
        }
        let mut operands = Vec::new();
        self.pool.get(expr).for_each_operand(|operand| operands.push(operand));
        let deepest = operands.into_iter().map(|operand| self.depth(operand)).max().unwrap_or(0);
        self.depths.insert(expr, deepest + 1);
        deepest + 1
    }
}
