//! Pipelines: signatures, bodies, and the rules about whole pipelines.

use halidom_base::{FxHashSet, IndexMap};
use halidom_diag::{Diagnostic, FileId, Fix, Remedy, Span};
use halidom_ir::{
    Algorithm, BufferDecl, BufferKind, Constant, Dim, ExprId, FuncDecl, FuncId, FuncKind, Require,
    Scalar, StoreIn, Type, VarId,
};

use crate::codes;
use crate::module::{Module, Pipeline};
use crate::names::nearest;
use crate::syntax::ast::{self, FuncBody, Item, Name, Param, ParamType};
use crate::syntax::parse_file;

use super::instances::PRELUDE;
use super::scope::{Callable, Checker, Generic, Role, Scope, Value};

/// Checks a file. `diagnostics` are the parser's.
pub(crate) fn check_file(
    text: &str,
    file: &ast::File<'_>,
    diagnostics: Vec<Diagnostic>,
    id: FileId,
) -> Module {
    let mut prelude_errors = Vec::new();
    let prelude = parse_file(PRELUDE, id, &mut prelude_errors);
    debug_assert!(prelude_errors.is_empty(), "the prelude parses: {prelude_errors:?}");
    let mut generics = IndexMap::default();
    for function in &prelude.functions {
        generics.insert(function.name.text, Generic { function, in_prelude: true });
    }
    let mut checker = Checker::new(text, generics, diagnostics);
    for function in &file.functions {
        checker.add_generic(function);
    }
    let mut pipelines = Vec::new();
    let mut names: IndexMap<&str, Span> = IndexMap::default();
    for pipeline in &file.pipelines {
        let name = pipeline.name;
        let taken = names.get(name.text).copied();
        if !checker.refuse_taken(name, taken) {
            names.insert(name.text, name.span);
        }
        let schedules: Vec<&ast::Schedule<'_>> = match taken {
            Some(_) => Vec::new(),
            None => file
                .schedules
                .iter()
                .filter(|schedule| schedule.pipeline.text == name.text)
                .collect(),
        };
        pipelines.extend(checker.pipeline(pipeline, &schedules));
    }
    for schedule in &file.schedules {
        let name = schedule.pipeline.text;
        if !names.contains_key(name) && !file.broken.contains(&name) {
            checker.unknown_pipeline(schedule.pipeline, &names);
        }
    }
    Module { pool: checker.pool, pipelines, diagnostics: checker.diagnostics }
}

/// The combined items of a body, except the funcs.
#[derive(Debug, Default)]
struct Body {
    requires: Vec<Require>,
    require_spans: Vec<Span>,
    fast_math: bool,
    /// The number of iterations expanded so far.
    steps: usize,
}

impl<'a, 's> Checker<'a, 's> {
    fn unknown_pipeline(&mut self, name: Name<'s>, known: &IndexMap<&'s str, Span>) {
        let message = format!("there is no pipeline `{}` in this file", name.text);
        let hint = match nearest(name.text, known.keys().copied()) {
            Some(near) => Remedy::did_you_mean(near, name.span),
            None if known.is_empty() => "a schedule stands in the file of its pipeline".into(),
            None => {
                let known: Vec<String> = known.keys().map(|name| format!("`{name}`")).collect();
                format!("the file has {}", known.join(", ")).into()
            }
        };
        self.report(Diagnostic::error(codes::UNKNOWN_PIPELINE, name.span, message).with_hint(hint));
    }

    fn add_generic(&mut self, function: &'a ast::Function<'s>) {
        let taken = self.generics.get(function.name.text).copied();
        if let Some(Generic { in_prelude: false, function: first }) = taken {
            self.refuse_taken(function.name, Some(first.name.span));
            return;
        }
        if self.refuse_reserved(function.name, Role::Func) {
            return;
        }
        let params = function.params.iter().chain(&function.region);
        let names = params.chain(function.vars.iter().map(|(name, _)| name));
        let mut seen: Vec<Name<'s>> = Vec::new();
        for name in names {
            let first = seen.iter().find(|first| first.text == name.text).map(|first| first.span);
            self.refuse_taken(*name, first);
            seen.push(*name);
        }
        let packs: Vec<_> =
            function.vars.iter().filter(|(_, kind)| *kind == ast::VarKind::Pack).collect();
        if let [_, (second, _), ..] = packs.as_slice() {
            self.report(Diagnostic::error(
                codes::PACK,
                second.span,
                "a function has at most one pack of variables",
            ));
            return;
        }
        self.generics.insert(function.name.text, Generic { function, in_prelude: false });
    }

    /// Checks a pipeline and its schedules. `None` if the pipeline has an error.
    fn pipeline(
        &mut self,
        pipeline: &'a ast::Pipeline<'s>,
        schedules: &[&'a ast::Schedule<'s>],
    ) -> Option<Pipeline> {
        self.scope = Scope::default();
        self.scope.broken.clone_from(&pipeline.broken);
        let before = self.diagnostics.len();
        self.bind_constants(&pipeline.constants);
        let (params, inputs) = self.params(&pipeline.params);
        self.outputs(&pipeline.outputs);
        for item in &pipeline.body {
            item.for_each_func(&mut |func| {
                self.scope.all_funcs.entry(func.name.text).or_insert(func.name.span);
            });
            if let Item::Func(func) = item {
                self.scope.whole_funcs.entry(func.name.text).or_insert(func.span);
            }
        }
        let mut body = Body::default();
        for item in &pipeline.body {
            self.item(item, &mut body);
        }
        let Body { requires, require_spans, fast_math, .. } = body;
        let outputs = self.defined_outputs(pipeline);
        self.last_func(pipeline);
        let is_valid = self.diagnostics.len() == before;
        // A reduction in a schedule is an error, and adds no func to the algorithm.
        let funcs = self.scope.funcs.clone();
        let mut named = Vec::with_capacity(schedules.len());
        let mut names = IndexMap::default();
        for schedule in schedules {
            named.extend(self.schedule(schedule, &mut names));
        }
        // A body with a syntax error is incomplete; the parser's errors lie within its text.
        let is_whole = !self.diagnostics[..before].iter().any(|diagnostic| {
            diagnostic.span().is_some_and(|span| {
                span.start >= pipeline.name.span.start && span.end <= pipeline.end
            })
        });
        (is_valid && is_whole).then(|| Pipeline {
            algorithm: Algorithm {
                name: pipeline.name.text.to_owned(),
                params,
                inputs,
                funcs,
                outputs,
                requires,
                fast_math,
            },
            schedules: named,
            span: pipeline.name.span,
            func_spans: std::mem::take(&mut self.scope.func_spans),
            stage_spans: std::mem::take(&mut self.scope.stage_spans),
            param_spans: pipeline
                .params
                .iter()
                .filter(|param| matches!(param.ty, ParamType::Scalar(_)))
                .map(|param| param.name.span)
                .collect(),
            require_spans,
        })
    }

    fn item(&mut self, item: &'a Item<'s>, body: &mut Body) {
        match item {
            Item::FastMath => body.fast_math = true,
            Item::Let(binding) => self.let_binding(binding),
            Item::Func(func) => self.func(func),
            Item::Require { condition, message, span } => {
                if let Some(id) = self.require(condition) {
                    let message = match message {
                        Some(message) => (*message).to_owned(),
                        None => {
                            let text = self.text.get(condition.span.range()).unwrap_or("");
                            format!("`{text}` does not hold")
                        }
                    };
                    body.requires.push(Require { condition: id, message });
                    body.require_spans.push(*span);
                }
            }
            Item::For { var, range, items } => {
                const MOST: usize = 10_000;
                let span = range.min.span.to(range.end.span);
                let indices = self.constant_range(range, span);
                for index in indices.clone().into_iter().flatten() {
                    let before = self.diagnostics.len();
                    let outside = self.scope.bindings.len();
                    self.bind(*var, Value::Constant(index));
                    for item in items {
                        self.item(item, body);
                    }
                    self.scope.bindings.truncate(outside);
                    body.steps += 1;
                    if body.steps == MOST + 1 {
                        let message = format!("more than {MOST} definitions");
                        self.fail::<()>(codes::TOO_MANY, var.span, message);
                    }
                    // The other indices would repeat the same errors.
                    if self.diagnostics.len() > before {
                        return item.for_each_func(&mut |func| self.spoil(func.name));
                    }
                }
                if indices.is_none() {
                    item.for_each_func(&mut |func| self.spoil(func.name));
                }
            }
        }
    }

    /// Declares parameters and inputs.
    fn params(&mut self, params: &[Param<'s>]) -> (Vec<VarId>, Vec<FuncId>) {
        let mut scalars = Vec::new();
        let mut inputs = Vec::new();
        for param in params {
            let name = param.name;
            let input = self.scope.callables.get(name.text).map(|(span, _)| *span);
            let taken = input.or_else(|| self.find_binding(name.text).map(|found| found.name.span));
            if taken.is_some() {
                self.refuse_taken(name, taken);
                continue;
            }
            match &param.ty {
                ParamType::Scalar(scalar) => {
                    let scalar = *scalar;
                    let var = self.pool.declare_var(name.text, Type::scalar(scalar));
                    self.scope.startup.insert(var);
                    scalars.push(var);
                    let id = self.pool.var_expr(var);
                    self.bind(name, Value::Expr(id));
                }
                ParamType::Buffer(scalars, rank) => match *scalars.as_slice() {
                    [scalar] if scalar != Scalar::Int => {
                        if !self.refuse_reserved(name, Role::Func) {
                            inputs.push(self.input(name, scalar, *rank));
                        }
                    }
                    _ => self.buffer_of_int(param.ty_span),
                },
                ParamType::Bad => {
                    self.scope.callables.insert(name.text, (name.span, Callable::Bad));
                    self.scope.bindings.push(super::scope::Binding { name, value: Value::Bad });
                }
            }
        }
        (scalars, inputs)
    }

    fn buffer_of_int(&mut self, span: Span) {
        let remedy = self.machine_type("choose a machine type, `i32` say", span);
        self.report(
            Diagnostic::error(
                codes::STORED_INT,
                span,
                "a buffer cannot hold `int`, which has no size in memory",
            )
            .with_hint(remedy),
        );
    }

    fn input(&mut self, name: Name<'s>, scalar: Scalar, rank: usize) -> FuncId {
        let mut args = Vec::with_capacity(rank);
        let mut bounds = Vec::with_capacity(rank);
        let mut dims = Vec::with_capacity(rank);
        for dim in 0..rank {
            args.push(self.pool.declare_var(format!("_{dim}"), Type::INT));
            let [min, extent, stride] = ["min", "extent", "stride"].map(|part| {
                self.pool.declare_var(format!("{}.{part}.{dim}", name.text), Type::INT)
            });
            self.scope.startup.extend([min, extent]);
            bounds.push((min, extent));
            dims.push(Dim {
                min: self.pool.var_expr(min),
                extent: self.pool.var_expr(extent),
                stride: self.pool.var_expr(stride),
                folded: false,
            });
        }
        // The buffer and the func refer to each other, so the func is declared with a definition
        // that is replaced at once.
        let placeholder = FuncKind::Defined { stages: Vec::new(), synthetic: false };
        let text = name.text.to_owned();
        let func = self.pool.declare_func(FuncDecl {
            name: text,
            scalars: vec![scalar],
            args,
            kind: placeholder,
        });
        let buffer = self.pool.declare_buffer(BufferDecl {
            name: name.text.to_owned(),
            scalar,
            func,
            component: 0,
            kind: BufferKind::Input,
            store_in: StoreIn::Auto,
            realigned: false,
            dims,
        });
        self.pool.define_func(func, FuncKind::Input { buffer });
        self.scope.func_spans.insert(func, name.span);
        self.scope.callables.insert(name.text, (name.span, Callable::Input { func, bounds }));
        func
    }

    /// Records the outputs of the signature.
    fn outputs(&mut self, outputs: &[Param<'s>]) {
        for output in outputs {
            let name = output.name;
            let first = self.scope.outputs.get(name.text).map(|(.., span)| *span);
            if first.is_some() {
                self.refuse_taken(name, first);
                continue;
            }
            match &output.ty {
                ParamType::Buffer(scalars, _) if scalars.contains(&Scalar::Int) => {
                    self.buffer_of_int(output.ty_span);
                }
                ParamType::Buffer(scalars, rank) => {
                    let declared = (scalars.clone(), *rank, output.ty_span);
                    self.scope.outputs.insert(name.text, declared);
                }
                ParamType::Scalar(scalar) => {
                    let message = format!("the output `{}` is no buffer", name.text);
                    self.report(
                        Diagnostic::error(codes::OUTPUT_SHAPE, output.ty_span, message).with_hint(
                            Remedy::with_fix(
                                format!("a single value is a `buffer<{scalar}, 0>`"),
                                Fix::replace(output.ty_span, format!("buffer<{scalar}, 0>")),
                            ),
                        ),
                    );
                }
                ParamType::Bad => {}
            }
        }
    }

    fn require(&mut self, condition: &'a ast::Expr<'s>) -> Option<ExprId> {
        let id = self.check(condition, Scalar::Bool)?;
        if !self.is_startup(id) {
            return self.fail_with_hint(
                codes::REQUIRE_STARTUP,
                condition.span,
                "a `require` is about parameters and shapes alone",
                "values of funcs and inputs are not known when the pipeline starts",
            );
        }
        if self.pool.as_constant(id).and_then(Constant::as_bool) == Some(false) {
            return self.fail(codes::REQUIRE_STARTUP, condition.span, "this `require` never holds");
        }
        self.limit_depth(id, condition.span)
    }

    /// Returns the outputs' funcs, in order of the signature.
    fn defined_outputs(&mut self, pipeline: &ast::Pipeline<'s>) -> Vec<FuncId> {
        let mut outputs = Vec::new();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for output in &pipeline.outputs {
            let name = output.name;
            if !seen.insert(name.text) {
                continue;
            }
            match self.scope.callables.get(name.text) {
                None if self.scope.broken.contains(&name.text) => {}
                Some((_, Callable::Func(func))) => outputs.push(*func),
                Some((_, Callable::Bad)) => {}
                Some((span, Callable::Input { .. })) => {
                    let span = *span;
                    self.refuse_taken(name, Some(span));
                }
                None => {
                    let funcs = self.scope.all_funcs.keys().copied();
                    let hint = match nearest(name.text, funcs) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("define it: `func {}(…) = …;`", name.text),
                    };
                    let message = format!("the output `{}` is not defined", name.text);
                    self.report(
                        Diagnostic::error(codes::NO_OUTPUT, name.span, message).with_hint(hint),
                    );
                }
            }
        }
        outputs
    }

    /// Checks that the last func is an output: nothing could use it otherwise.
    fn last_func(&mut self, pipeline: &ast::Pipeline<'s>) {
        let mut last = None;
        for item in &pipeline.body {
            item.for_each_func(&mut |func| last = Some(func));
        }
        let Some(func) = last else { return };
        let is_output = pipeline.outputs.iter().any(|output| output.name.text == func.name.text);
        if pipeline.outputs.iter().any(|output| self.scope.broken.contains(&output.name.text)) {
            return;
        }
        let has_output = pipeline
            .outputs
            .iter()
            .any(|output| self.scope.all_funcs.contains_key(output.name.text));
        if is_output || !has_output {
            return;
        }
        let kind = match func.body {
            FuncBody::Pure { .. } | FuncBody::Stages { .. } => "func",
            FuncBody::Instance { .. } => "boundary condition",
        };
        let message = format!("the last func must be an output, but `{}` is not", func.name.text);
        self.report(
            Diagnostic::error(codes::LAST_FUNC, func.name.span, message)
                .with_hint(format!("no output can use this {kind}: move it up or remove it")),
        );
    }
}
