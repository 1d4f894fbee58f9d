//! Funcs: their stages and the validity rules of FS Definition 4.5.

use halidom_diag::{Diagnostic, Fix, Remedy, Span};
use halidom_ir::{
    BinaryOp as IrOp, Constant, ExprId, FuncDecl, FuncId, FuncKind, Scalar, Stage, Type, VarId,
};

use crate::codes;
use crate::syntax::ast::{
    AssignOp, Domain, Expr, ExprKind, Func, FuncBody, Name, Statement, TypeAnnotation, Update,
};
use crate::syntax::{count, given};

use super::arrays::func_name;
use super::instances::Given;
use super::scope::{Callable, Checker, Current, Role, Value};

/// The parts of a func that are known before its stages.
#[derive(Debug)]
struct Header<'s> {
    name: Name<'s>,
    /// The index of the element in an array of funcs.
    element: Option<i128>,
    args: Vec<Name<'s>>,
    vars: Vec<VarId>,
    /// The types of the components, from the annotation or the signature.
    scalars: Option<Vec<Scalar>>,
}

impl<'a, 's> Checker<'a, 's> {
    /// Checks a func, or an element of an array, and puts it in scope.
    pub(super) fn define(&mut self, func: &'a Func<'s>, element: Option<i128>) {
        let outside = self.scope.bindings.len();
        let is_new = self.accepts_name(func.name, element);
        self.scope.current = Some(Current { name: func.name.text, element, stage: 0 });
        let callable = match &func.body {
            FuncBody::Instance { function, arguments, ranges, span } => {
                let given = Given { arguments, ranges, span: *span };
                self.instance((func.name, element), *function, given)
            }
            FuncBody::Pure { args, ty, value } => {
                let header = self.header((func.name, element), args, ty.as_ref());
                self.pure_func(&header, value)
            }
            FuncBody::Stages { args, ty, statements } => {
                let header = self.header((func.name, element), args, ty.as_ref());
                self.staged_func(&header, statements)
            }
        };
        self.scope.current = None;
        self.scope.bindings.truncate(outside);
        if !is_new {
            // The first definition of the name remains valid.
            if self.defined_at(func.name.text, element).is_none() {
                self.add_callable(func.name, element, Callable::Bad);
            }
            return;
        }
        let callable = match callable {
            Some(id) => {
                self.scope.funcs.push(id);
                self.scope.func_spans.insert(id, func.name.span);
                self.output_shape(func.name, id);
                Callable::Func(id)
            }
            None => Callable::Bad,
        };
        self.add_callable(func.name, element, callable);
    }

    fn accepts_name(&mut self, name: Name<'s>, element: Option<i128>) -> bool {
        if self.refuse_reserved(name, Role::Func) {
            return false;
        }
        if let Some(first) = self.defined_at(name.text, element) {
            let element = element.map_or(String::new(), |index| format!("[{index}]"));
            let message = format!("the func `{}{element}` is defined already", name.text);
            let diagnostic = Diagnostic::error(codes::DUPLICATE_FUNC, name.span, message)
                .with_label(first, "defined here")
                .with_hint(
                    "later stages of a func stand in its braces: `func f(x) \
                    { f(x) = …; f(0) += …; }`",
                );
            self.report(diagnostic);
            return false;
        }
        let taken = self.find_binding(name.text).map(|binding| binding.name.span);
        !self.refuse_taken(name, taken)
    }

    /// Declares the pure variables and finds the written type.
    fn header(
        &mut self,
        (name, element): (Name<'s>, Option<i128>),
        args: &[Name<'s>],
        ty: Option<&TypeAnnotation>,
    ) -> Header<'s> {
        let mut vars = Vec::with_capacity(args.len());
        for (position, arg) in args.iter().enumerate() {
            let var = self.pool.declare_var(arg.text, Type::INT);
            vars.push(var);
            if let Some(first) = args[..position].iter().find(|first| first.text == arg.text) {
                let message = format!("the pure variable `{}` is declared twice", arg.text);
                let diagnostic = Diagnostic::error(codes::DUPLICATE_PURE, arg.span, message)
                    .with_label(first.span, "declared here");
                self.report(diagnostic);
            } else {
                let id = self.pool.var_expr(var);
                self.bind(*arg, Value::Expr(id));
            }
        }
        let annotated = match ty {
            Some((scalars, span)) if scalars.contains(&Scalar::Int) => {
                let hint = "write a machine integer, `i32` say";
                let remedy = self.machine_type(hint, *span);
                self.stored_int(*span, remedy);
                None
            }
            Some((scalars, _)) => Some(scalars.clone()),
            None => None,
        };
        let output = self.scope.outputs.get(name.text).map(|(scalars, ..)| scalars.clone());
        Header { name, element, args: args.to_vec(), vars, scalars: annotated.or(output) }
    }

    fn stored_int(&mut self, span: Span, remedy: Remedy) {
        self.report(
            Diagnostic::error(
                codes::STORED_INT,
                span,
                "a func cannot hold `int`, which has no size in memory",
            )
            .with_hint(remedy),
        );
    }

    /// Checks the values of a pure stage: of the written types, or else of types that can be
    /// stored.
    pub(super) fn stored_values(
        &mut self,
        value: &'a Expr<'s>,
        scalars: Option<&[Scalar]>,
    ) -> Option<Vec<ExprId>> {
        let values = match scalars {
            Some(scalars) => self.check_values(value, scalars)?,
            None => self.values(value, &[])?,
        };
        if values.iter().any(|id| self.scalar_of(*id) == Scalar::Int) {
            let hint = "convert its value to a machine integer: `i32(…)`";
            let text = self.text.get(value.span.range()).filter(|_| values.len() == 1);
            let fix = text.map(|text| Fix::replace(value.span, format!("i32({text})")));
            self.stored_int(value.span, Remedy { hint: hint.to_owned(), fix });
            return None;
        }
        self.limit_depths(values, value.span)
    }

    fn pure_func(&mut self, header: &Header<'s>, value: &'a Expr<'s>) -> Option<FuncId> {
        let values = self.stored_values(value, header.scalars.as_deref());
        self.declare(header, values)
    }

    /// Declares a func with its pure stage. After an error in a value, declares a placeholder if
    /// the type is known, so that the func's users are checked.
    fn declare(&mut self, header: &Header<'s>, values: Option<Vec<ExprId>>) -> Option<FuncId> {
        let values = match (values, &header.scalars) {
            (Some(values), _) => values,
            (None, Some(scalars)) => {
                scalars.iter().map(|scalar| self.pool.constant(Constant::zero(*scalar))).collect()
            }
            (None, None) => return None,
        };
        let lhs = header.vars.iter().map(|var| self.pool.var_expr(*var)).collect();
        let scalars = values.iter().map(|value| self.scalar_of(*value)).collect();
        let stage = Stage { domain: Vec::new(), predicate: None, lhs, values };
        Some(self.pool.declare_func(FuncDecl {
            name: func_name(header.name.text, header.element),
            scalars,
            args: header.vars.clone(),
            kind: FuncKind::Defined { stages: vec![stage], synthetic: false },
        }))
    }

    fn staged_func(
        &mut self,
        header: &Header<'s>,
        statements: &'a [Statement<'s>],
    ) -> Option<FuncId> {
        let mut func: Option<FuncId> = None;
        let mut has_first = false;
        for statement in statements {
            match statement {
                Statement::Let(binding) => self.let_binding(binding),
                Statement::Update(update) if !has_first => {
                    has_first = true;
                    func = self.first_stage(header, update);
                    if let Some(func) = func {
                        self.scope.stage_spans.insert((func, 0), update.span);
                    }
                    if let Some(current) = &mut self.scope.current {
                        current.stage = 1;
                    }
                    // The updates can refer to the func from here on.
                    let callable = func.map_or(Callable::Bad, Callable::Func);
                    if self.defined_at(header.name.text, header.element).is_none() {
                        self.add_callable(header.name, header.element, callable);
                    }
                }
                Statement::For { span, .. } if !has_first => {
                    has_first = true;
                    let diagnostic = not_first(header, Span { end: span.start + 3, ..*span });
                    self.report(diagnostic);
                }
                Statement::Update(update) => self.update_stage(header, func, None, update),
                Statement::For { domain, body, span } => {
                    self.for_stage(header, func, domain, body, *span);
                }
            }
        }
        if !has_first {
            let diagnostic = not_first(header, header.name.span);
            self.report(diagnostic);
        }
        func
    }

    fn first_stage(&mut self, header: &Header<'s>, update: &'a Update<'s>) -> Option<FuncId> {
        let is_target = self.is_target(header, update);
        let is_pure =
            update.op == AssignOp::Set
                && update.coords.len() == header.args.len()
                && update.coords.iter().zip(&header.args).all(
                    |(coord, arg)| matches!(coord.kind, ExprKind::Name(name) if name == arg.text),
                );
        if is_target && !is_pure {
            let span =
                update.coords.iter().fold(update.target.span, |span, coord| span.to(coord.span));
            let diagnostic = not_first(header, span);
            self.report(diagnostic);
        }
        let values = self.stored_values(&update.value, header.scalars.as_deref());
        self.declare(header, values)
    }

    fn is_target(&mut self, header: &Header<'s>, update: &'a Update<'s>) -> bool {
        let target = update.target;
        let element = update.element.as_ref();
        if target.text == header.name.text && self.element_is(element, header.element) {
            return true;
        }
        if target.text == header.name.text {
            let message = format!("a stage of an element of `{}` writes another", target.text);
            let hint = "write the element that is defined here: its index stands in brackets";
            self.fail_with_hint::<()>(codes::WRONG_TARGET, target.span, message, hint);
            return false;
        }
        let message = format!("a stage of `{}` writes `{}`", header.name.text, target.text);
        let diagnostic = Diagnostic::error(codes::WRONG_TARGET, target.span, message)
            .with_label(header.name.span, "the func that is defined here")
            .with_hint(Remedy::with_fix(
                format!(
                    "write `{}`, or define `{}` as a func of its own",
                    header.name.text, target.text
                ),
                Fix::replace(target.span, header.name.text),
            ));
        self.report(diagnostic);
        false
    }

    fn for_stage(
        &mut self,
        header: &Header<'s>,
        func: Option<FuncId>,
        domain: &'a Domain<'s>,
        body: &'a [Statement<'s>],
        span: Span,
    ) {
        let outside = self.scope.bindings.len();
        let checked = self.domain(domain);
        let mut updates = 0;
        let mut stage = Some(checked);
        for statement in body {
            match statement {
                Statement::Let(binding) => self.let_binding(binding),
                Statement::Update(update) => {
                    updates += 1;
                    if let Some(checked) = stage.take() {
                        self.update_stage(header, func, Some(checked), update);
                    } else {
                        self.for_body(
                            update.span,
                            "a second update in one `for`",
                            "give each update a `for` of its own: each is a stage",
                        );
                    }
                }
                Statement::For { span, .. } => {
                    updates += 1;
                    let keyword = Span { end: span.start + 3, ..*span };
                    self.for_body(
                        keyword,
                        "a `for` within a `for`",
                        "name all variables at once, innermost first: `for (x, y) in (…, …)`",
                    );
                }
            }
        }
        if updates == 0 {
            let keyword = Span { end: span.start + 3, ..span };
            self.for_body(
                keyword,
                "a `for` without an update",
                "a `for` holds one update, after any `let`s",
            );
        }
        self.scope.bindings.truncate(outside);
    }

    fn for_body(&mut self, span: Span, message: &str, hint: &str) {
        self.report(Diagnostic::error(codes::FOR_BODY, span, message).with_hint(hint));
    }

    fn update_stage(
        &mut self,
        header: &Header<'s>,
        func: Option<FuncId>,
        domain: Option<super::domains::CheckedDomain>,
        update: &'a Update<'s>,
    ) {
        let is_target = self.is_target(header, update);
        let scalars = func.map(|func| self.pool.func(func).scalars.clone());
        let coords: Vec<Option<ExprId>> =
            update.coords.iter().map(|coord| self.check(coord, Scalar::Int)).collect();
        let values = match scalars {
            Some(scalars) => self.check_values(&update.value, &scalars),
            None => self.values(&update.value, &[]),
        };
        if update.coords.len() != header.vars.len() {
            let message = format!(
                "`{}` has {}, but {}",
                header.name.text,
                count(header.vars.len(), "dimension"),
                given(update.coords.len(), "coordinate")
            );
            let span =
                update.coords.iter().fold(update.target.span, |span, coord| span.to(coord.span));
            self.report(Diagnostic::error(codes::ARITY, span, message));
            return;
        }
        let lhs: Option<Vec<ExprId>> = coords.into_iter().collect();
        let (Some(func), Some(lhs), Some(values), true) = (func, lhs, values, is_target) else {
            return;
        };
        let values = self.combined(func, update.op, &lhs, values, update.span);
        let Some(values) = values.and_then(|values| self.limit_depths(values, update.span)) else {
            return;
        };
        let (domain, predicate) = match domain {
            Some(domain) if !domain.complete => return,
            Some(domain) => (domain.vars, domain.predicate),
            None => (Vec::new(), None),
        };
        let stage = Stage { domain, predicate, lhs, values };
        let spans: Vec<Span> = update.coords.iter().map(|coord| coord.span).collect();
        if !self.separation(func, &stage, &spans) {
            return;
        }
        let mut stages = self.pool.func(func).stages().to_vec();
        self.scope.stage_spans.insert((func, stages.len()), update.span);
        stages.push(stage);
        self.pool.define_func(func, FuncKind::Defined { stages, synthetic: false });
    }

    /// Returns the values of `f(lhs) op= value`: the old value combined with the new one.
    fn combined(
        &mut self,
        func: FuncId,
        op: AssignOp,
        lhs: &[ExprId],
        values: Vec<ExprId>,
        span: Span,
    ) -> Option<Vec<ExprId>> {
        let value = values[0];
        let scalar = self.scalar_of(value);
        let overflow = self.pool.overflow_of(value);
        let (op, text) = match op {
            AssignOp::Set => return Some(values),
            AssignOp::Add => (IrOp::Add(overflow), "+="),
            AssignOp::Mul => (IrOp::Mul(overflow), "*="),
            AssignOp::Min => (IrOp::Min, "min="),
            AssignOp::Max => (IrOp::Max, "max="),
        };
        if values.len() > 1 {
            return self.no_tuple_operator(text, span);
        }
        if scalar == Scalar::Bool {
            return self.bad_operand(text, scalar, span);
        }
        let old = self.pool.func_ref(func, 0, lhs);
        Some(vec![self.pool.binary(op, old, value)])
    }

    /// Checks a defined output against the signature.
    fn output_shape(&mut self, name: Name<'s>, func: FuncId) {
        let Some((scalars, rank, span)) = self.scope.outputs.get(name.text).cloned() else {
            return;
        };
        let decl = self.pool.func(func);
        if decl.scalars == scalars && decl.rank() == rank {
            return;
        }
        let buffer = |scalars: &[Scalar], rank: usize| {
            let names: Vec<&str> = scalars.iter().map(|scalar| scalar.name()).collect();
            match *names.as_slice() {
                [name] => format!("buffer<{name}, {rank}>"),
                _ => format!("buffer<({}), {rank}>", names.join(", ")),
            }
        };
        let message = format!(
            "the output `{}` is defined as `{}`",
            name.text,
            buffer(&decl.scalars, decl.rank())
        );
        let diagnostic = Diagnostic::error(codes::OUTPUT_SHAPE, name.span, message)
            .with_label(span, format!("declared as `{}`", buffer(&scalars, rank)));
        self.report(diagnostic);
    }
}

fn not_first(header: &Header<'_>, span: Span) -> Diagnostic {
    let args: Vec<&str> = header.args.iter().map(|arg| arg.text).collect();
    let name = header.name.text;
    let message = format!("the first stage of `{name}` must define all of it");
    Diagnostic::error(codes::FIRST_STAGE, span, message)
        .with_hint(format!("start with `{name}({}) = …;`", args.join(", ")))
}
