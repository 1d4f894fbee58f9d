//! The names of a text, for editors: where each is defined, where it is used, and where it can be
//! seen. Parts of the text that do not parse have no names.

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_diag::{FileId, Sources, Span};
use halidom_ir::{DIRECTIVES, ParameterKind};

use crate::syntax::ast::{
    Chain, ConstantParam, DirectiveCall, Domain, Elements, Expr, ExprKind, File, Func, FuncBody,
    Function, Item, Let, Name, ParamType, Pipeline, Range, Schedule, ScheduleFn, Statement, Step,
    Update,
};
use crate::syntax::parse_as_written;

/// A named thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The name where it is defined first.
    pub span: Span,
    /// The whole definition.
    pub whole: Span,
    /// The part of the text where the name has this meaning.
    pub scope: Span,
    /// The pipeline of a schedule, a func or a variable: its number among the symbols.
    pub owner: Option<usize>,
    /// The type or number that is written with the name.
    pub annotation: Option<Span>,
}

/// Kinds of named things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A pipeline.
    Pipeline,
    /// A schedule.
    Schedule,
    /// A schedule function.
    ScheduleFn,
    /// A function that makes funcs.
    Function,
    /// A number that is known at compile time.
    Constant,
    /// A parameter of a pipeline that is a value.
    Param,
    /// An input buffer.
    Input,
    /// A func.
    Func,
    /// A `let`.
    Let,
    /// A pure variable.
    PureVar,
    /// A reduction variable.
    ReductionVar,
    /// The index of a `for` that is expanded, or of an array of funcs.
    Index,
    /// A loop that a directive makes.
    Loop,
    /// A parameter of a function or schedule function.
    Argument,
}

/// A name in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Its place.
    pub span: Span,
    /// The number of the symbol.
    pub symbol: usize,
    /// True if it defines the symbol, or a part of it.
    pub defines: bool,
}

/// The names of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// In order of definition.
    pub symbols: Vec<Symbol>,
    /// In order of the text. A name in a schedule function may stand for funcs of several
    /// pipelines.
    pub uses: Vec<Use>,
}

impl Symbols {
    /// Returns the uses at an offset; there is more than one only in schedule functions.
    pub fn at(&self, offset: usize) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |used| used.span.start <= offset && offset <= used.span.end)
    }

    /// Returns the uses of a symbol, in order of the text.
    pub fn uses_of(&self, symbol: usize) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |used| used.symbol == symbol)
    }
}

/// Returns the names of a text.
pub fn symbols(sources: &Sources, id: FileId) -> Symbols {
    let text = sources.text(id);
    let file = parse_as_written(text, id, &mut Vec::new());
    let mut collector = Collector {
        text,
        whole: Span::new(id, 0..text.len()),
        found: Symbols::default(),
        outer: IndexMap::default(),
        members: FxHashMap::default(),
        scopes: Vec::new(),
    };
    collector.file(&file);
    let mut found = collector.found;
    found.uses.sort_by_key(|used| (used.span.start, used.span.end, used.symbol));
    found.uses.dedup();
    found
}

/// Returns the kind of a directive's argument.
fn kind_of(directive: &str, number: usize) -> ParameterKind {
    let form = DIRECTIVES.iter().find(|form| form.name == directive);
    form.and_then(|form| form.kind(number)).unwrap_or(match number {
        // Schedule functions are taken to begin with a loop.
        0 => ParameterKind::Loop,
        _ => ParameterKind::Value,
    })
}

struct Collector<'s> {
    text: &'s str,
    whole: Span,
    found: Symbols,
    /// Pipelines, functions and schedule functions.
    outer: IndexMap<(SymbolKind, &'s str), usize>,
    /// The names of each pipeline, and the loops of its funcs.
    members: FxHashMap<usize, Members<'s>>,
    /// The names in scope, innermost last.
    scopes: Vec<IndexMap<&'s str, usize>>,
}

/// The names that schedules of a pipeline see.
#[derive(Clone, Debug, Default)]
struct Members<'s> {
    names: IndexMap<&'s str, usize>,
    /// The variables of each func.
    variables: FxHashMap<&'s str, IndexMap<&'s str, usize>>,
}

impl<'s> Collector<'s> {
    fn define(
        &mut self,
        name: Name<'s>,
        kind: SymbolKind,
        (whole, scope): (Span, Span),
        owner: Option<usize>,
    ) -> usize {
        let symbol = self.found.symbols.len();
        let text = name.text.to_owned();
        let span = name.span;
        let annotation = None;
        self.found.symbols.push(Symbol { name: text, kind, span, whole, scope, owner, annotation });
        self.found.uses.push(Use { span, symbol, defines: true });
        symbol
    }

    /// Defines a name in the innermost scope.
    fn local(
        &mut self,
        name: Name<'s>,
        kind: SymbolKind,
        spans: (Span, Span),
        owner: Option<usize>,
    ) -> usize {
        let symbol = self.define(name, kind, spans, owner);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.text, symbol);
        }
        symbol
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    fn mention(&mut self, span: Span, symbol: usize, defines: bool) {
        self.found.uses.push(Use { span, symbol, defines });
    }

    /// The place of a name that borrows the text.
    fn place(&self, name: &str) -> Span {
        let start = name.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        Span::new(self.whole.file, start..start + name.len())
    }

    fn resolve(&mut self, name: &'s str) {
        if let Some(symbol) = self.find(name) {
            self.mention(self.place(name), symbol, false);
        }
    }

    fn file(&mut self, file: &File<'s>) {
        let whole = self.whole;
        for pipeline in &file.pipelines {
            self.global(pipeline.name, SymbolKind::Pipeline, pipeline.span);
        }
        for function in &file.functions {
            self.global(function.name, SymbolKind::Function, function.span);
        }
        for function in &file.schedule_fns {
            self.global(function.name, SymbolKind::ScheduleFn, function.span);
        }
        for function in &file.functions {
            self.function(function);
        }
        for pipeline in &file.pipelines {
            let number = self.outer.get(&(SymbolKind::Pipeline, pipeline.name.text)).copied();
            let is_first = number.is_some_and(|at| {
                self.found.symbols.get(at).is_some_and(|symbol| symbol.span == pipeline.name.span)
            });
            if let Some(number) = number.filter(|_| is_first) {
                self.pipeline(pipeline, number);
            }
        }
        let applied = applications(file);
        for function in &file.schedule_fns {
            let pipelines: Vec<usize> = applied
                .get(function.name.text)
                .into_iter()
                .flatten()
                .filter_map(|(name, ())| self.outer.get(&(SymbolKind::Pipeline, *name)).copied())
                .collect();
            self.schedule_fn(function, &pipelines);
        }
        for schedule in &file.schedules {
            let pipeline = self.outer.get(&(SymbolKind::Pipeline, schedule.pipeline.text)).copied();
            self.define(schedule.name, SymbolKind::Schedule, (schedule.span, whole), pipeline);
            self.schedule(schedule, pipeline);
        }
    }

    fn global(&mut self, name: Name<'s>, kind: SymbolKind, span: Span) {
        let symbol = self.define(name, kind, (span, self.whole), None);
        self.outer.entry((kind, name.text)).or_insert(symbol);
    }

    fn mention_global(&mut self, name: Name<'s>, kind: SymbolKind) {
        if let Some(symbol) = self.outer.get(&(kind, name.text)).copied() {
            self.mention(name.span, symbol, false);
        }
    }

    fn function(&mut self, function: &Function<'s>) {
        self.scopes.push(IndexMap::default());
        for name in function.params.iter().chain(&function.region) {
            self.local(*name, SymbolKind::Argument, (name.span, function.span), None);
        }
        for (name, _) in &function.vars {
            self.local(*name, SymbolKind::PureVar, (name.span, function.span), None);
        }
        self.expr(&function.value);
        self.scopes.pop();
    }

    fn constants(&mut self, constants: &[ConstantParam<'s>], scope: Span, owner: Option<usize>) {
        for constant in constants {
            self.local(constant.name, SymbolKind::Constant, (constant.name.span, scope), owner);
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline<'s>, number: usize) {
        let scope = pipeline.span;
        self.scopes.push(IndexMap::default());
        self.constants(&pipeline.constants, scope, Some(number));
        for param in &pipeline.params {
            let kind = match param.ty {
                ParamType::Scalar(_) => SymbolKind::Param,
                ParamType::Buffer(..) | ParamType::Bad => SymbolKind::Input,
            };
            let whole = param.name.span.to(param.ty_span);
            let symbol = self.local(param.name, kind, (whole, scope), Some(number));
            self.found.symbols[symbol].annotation = Some(param.ty_span);
        }
        // Funcs are known everywhere, so that a use before the definition leads there.
        let mut funcs: Vec<&Func<'s>> = Vec::new();
        for item in &pipeline.body {
            item.for_each_func(&mut |func| funcs.push(func));
        }
        let mut variables = FxHashMap::default();
        for func in funcs {
            match self.scopes.last().and_then(|scope| scope.get(func.name.text)).copied() {
                Some(first) => self.mention(func.name.span, first, true),
                None => {
                    self.local(func.name, SymbolKind::Func, (func.span, scope), Some(number));
                }
            }
        }
        for output in &pipeline.outputs {
            match self.find(output.name.text) {
                Some(func) => {
                    self.mention(output.name.span, func, true);
                    self.found.symbols[func].annotation = Some(output.ty_span);
                }
                None => {
                    let whole = output.name.span.to(output.ty_span);
                    self.local(output.name, SymbolKind::Func, (whole, scope), Some(number));
                }
            }
        }
        for item in &pipeline.body {
            self.item(item, (scope, number), &mut variables);
        }
        let names = self.scopes.pop().unwrap_or_default();
        self.members.insert(number, Members { names, variables });
    }

    fn item(
        &mut self,
        item: &Item<'s>,
        (scope, pipeline): (Span, usize),
        variables: &mut FxHashMap<&'s str, IndexMap<&'s str, usize>>,
    ) {
        match item {
            Item::FastMath => {}
            Item::Require { condition, .. } => self.expr(condition),
            Item::Let(binding) => self.binding(binding, scope, Some(pipeline)),
            Item::Func(func) => {
                let own = self.func(func, pipeline);
                variables.entry(func.name.text).or_default().extend(own);
            }
            Item::For { var, range, items } => {
                self.range(range);
                self.scopes.push(IndexMap::default());
                self.local(*var, SymbolKind::Index, (var.span, scope), Some(pipeline));
                for item in items {
                    self.item(item, (scope, pipeline), variables);
                }
                self.scopes.pop();
            }
        }
    }

    fn binding(&mut self, binding: &Let<'s>, scope: Span, owner: Option<usize>) {
        self.expr(&binding.value);
        let whole = binding.name.span.to(binding.value.span);
        let scope = Span { start: binding.value.span.end, ..scope };
        let symbol = self.local(binding.name, SymbolKind::Let, (whole, scope), owner);
        self.found.symbols[symbol].annotation = binding.ty.as_ref().map(|(_, span)| *span);
    }

    fn func(&mut self, func: &Func<'s>, pipeline: usize) -> IndexMap<&'s str, usize> {
        let scope = func.span;
        let mut own = IndexMap::default();
        self.scopes.push(IndexMap::default());
        match &func.elements {
            Some(Elements::One(index)) => self.expr(index),
            Some(Elements::Each(var, range)) => {
                self.range(range);
                self.local(*var, SymbolKind::Index, (var.span, scope), Some(pipeline));
            }
            None => {}
        }
        match &func.body {
            FuncBody::Pure { args, value, .. } => {
                self.pure_vars(args, scope, pipeline, &mut own);
                self.expr(value);
            }
            FuncBody::Stages { args, statements, .. } => {
                self.pure_vars(args, scope, pipeline, &mut own);
                for statement in statements {
                    self.statement(statement, (scope, pipeline), &mut own);
                }
            }
            FuncBody::Instance { function, arguments, ranges, .. } => {
                self.mention_global(*function, SymbolKind::Function);
                for argument in arguments {
                    self.expr(argument);
                }
                for range in ranges {
                    self.range(range);
                }
            }
        }
        self.scopes.pop();
        own
    }

    fn pure_vars(
        &mut self,
        args: &[Name<'s>],
        scope: Span,
        pipeline: usize,
        own: &mut IndexMap<&'s str, usize>,
    ) {
        for arg in args {
            let spans = (arg.span, scope);
            let symbol = self.local(*arg, SymbolKind::PureVar, spans, Some(pipeline));
            own.insert(arg.text, symbol);
        }
    }

    fn statement(
        &mut self,
        statement: &Statement<'s>,
        (scope, pipeline): (Span, usize),
        own: &mut IndexMap<&'s str, usize>,
    ) {
        match statement {
            Statement::Let(binding) => self.binding(binding, scope, Some(pipeline)),
            Statement::Update(update) => self.update(update),
            Statement::For { domain, body, span } => {
                self.scopes.push(IndexMap::default());
                self.domain(domain, *span, Some(pipeline));
                own.extend(self.scopes.last().into_iter().flatten().map(|(k, v)| (*k, *v)));
                for statement in body {
                    self.statement(statement, (*span, pipeline), own);
                }
                self.scopes.pop();
            }
        }
    }

    fn update(&mut self, update: &Update<'s>) {
        if let Some(func) = self.find(update.target.text) {
            self.mention(update.target.span, func, false);
        }
        for expr in update.element.iter().chain(&update.coords) {
            self.expr(expr);
        }
        self.expr(&update.value);
    }

    fn domain(&mut self, domain: &Domain<'s>, scope: Span, owner: Option<usize>) {
        for (_, range) in &domain.vars {
            self.range(range);
        }
        for (name, range) in &domain.vars {
            let whole = name.span.to(range.end.span);
            self.local(*name, SymbolKind::ReductionVar, (whole, scope), owner);
        }
        if let Some(predicate) = &domain.predicate {
            self.expr(predicate);
        }
    }

    fn range(&mut self, range: &Range<'s>) {
        self.expr(&range.min);
        self.expr(&range.end);
    }

    fn expr(&mut self, expr: &Expr<'s>) {
        match &expr.kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Bool(_) => {}
            ExprKind::Name(name) => self.resolve(name),
            ExprKind::Element { array, .. } => self.resolve(array.text),
            ExprKind::Call { callee, .. } => self.resolve(callee.text),
            ExprKind::Member { object, .. } => self.resolve(object.text),
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Tuple(_)
            | ExprKind::Component { .. } => {}
            ExprKind::Reduction { domain, value, .. } => {
                self.scopes.push(IndexMap::default());
                self.domain(domain, expr.span, None);
                self.expr(value);
                self.scopes.pop();
                return;
            }
            ExprKind::Block { lets, value } => {
                self.scopes.push(IndexMap::default());
                for binding in lets {
                    self.binding(binding, expr.span, None);
                }
                self.expr(value);
                self.scopes.pop();
                return;
            }
        }
        let mut operands = Vec::new();
        expr.for_each_operand(&mut |operand| operands.push(operand));
        for operand in operands {
            self.expr(operand);
        }
    }

    fn schedule_fn(&mut self, function: &ScheduleFn<'s>, pipelines: &[usize]) {
        let all = if pipelines.is_empty() {
            vec![None]
        } else {
            pipelines.iter().copied().map(Some).collect()
        };
        let params: IndexMap<&'s str, usize> = function
            .params
            .iter()
            .map(|param| {
                let spans = (param.span, function.span);
                (param.text, self.define(*param, SymbolKind::Argument, spans, None))
            })
            .collect();
        for pipeline in all {
            let members = pipeline.and_then(|number| self.members.get(&number)).cloned();
            let members = members.unwrap_or_default();
            self.scopes.push(members.names.clone());
            self.scopes.push(params.clone());
            let mut loops = members.variables;
            self.steps(&function.steps, &mut loops, (function.span, pipeline));
            self.scopes.pop();
            self.scopes.pop();
        }
    }

    fn schedule(&mut self, schedule: &Schedule<'s>, pipeline: Option<usize>) {
        if let Some(pipeline) = pipeline {
            self.mention(schedule.pipeline.span, pipeline, false);
        }
        let members = pipeline.and_then(|number| self.members.get(&number)).cloned();
        let members = members.unwrap_or_default();
        self.scopes.push(members.names);
        self.scopes.push(IndexMap::default());
        self.constants(&schedule.constants, schedule.span, pipeline);
        let mut loops = members.variables;
        self.steps(&schedule.steps, &mut loops, (schedule.span, pipeline));
        self.scopes.pop();
        self.scopes.pop();
    }

    fn steps(
        &mut self,
        steps: &[Step<'s>],
        loops: &mut FxHashMap<&'s str, IndexMap<&'s str, usize>>,
        around: (Span, Option<usize>),
    ) {
        for step in steps {
            match step {
                Step::Chain(chain) => self.chain(chain, loops, around),
                Step::For { var, range, steps } => {
                    self.range(range);
                    self.scopes.push(IndexMap::default());
                    self.local(*var, SymbolKind::Index, (var.span, around.0), around.1);
                    self.steps(steps, loops, around);
                    self.scopes.pop();
                }
                Step::Apply { function, arguments, .. } => {
                    self.mention_global(*function, SymbolKind::ScheduleFn);
                    for argument in arguments {
                        self.expr(argument);
                    }
                }
            }
        }
    }

    fn chain(
        &mut self,
        chain: &Chain<'s>,
        loops: &mut FxHashMap<&'s str, IndexMap<&'s str, usize>>,
        around: (Span, Option<usize>),
    ) {
        self.resolve(chain.func.text);
        if let Some(index) = &chain.element {
            self.expr(index);
        }
        let mut func = chain.func.text;
        for call in &chain.calls {
            if call.name.text == "rfactor"
                && let Some(made) = call.arguments.get(2)
                && let ExprKind::Name(name) = made.value.kind
            {
                let known = loops.get(func).cloned().unwrap_or_default();
                loops.entry(name).or_default().extend(known);
            }
            self.directive(call, func, loops, around);
            if call.name.text == "rfactor"
                && let Some(made) = call.arguments.get(2)
                && let ExprKind::Name(name) = made.value.kind
            {
                func = name;
            }
            if let Some(block) = &call.block {
                self.steps(block, loops, around);
            }
        }
    }

    fn directive(
        &mut self,
        call: &DirectiveCall<'s>,
        func: &'s str,
        loops: &mut FxHashMap<&'s str, IndexMap<&'s str, usize>>,
        (scope, owner): (Span, Option<usize>),
    ) {
        let mut other = func;
        for (number, argument) in call.arguments.iter().enumerate() {
            let is_tail = argument.name.is_some_and(|name| name.text == "tail");
            let ExprKind::Name(name) = argument.value.kind else {
                if let Some(root) = root(&argument.value) {
                    other = root;
                }
                self.expr(&argument.value);
                continue;
            };
            let span = self.place(name);
            let kind = kind_of(call.name.text, number);
            let known = |func: &str| loops.get(func).and_then(|own| own.get(name)).copied();
            match kind {
                ParameterKind::Word(_) => {}
                ParameterKind::Value if is_tail => {}
                ParameterKind::Loop | ParameterKind::LoopOfFunc => {
                    let of = if kind == ParameterKind::Loop { func } else { other };
                    match known(of) {
                        Some(symbol) => self.mention(span, symbol, false),
                        None => self.resolve(name),
                    }
                }
                ParameterKind::NewLoop => {
                    let place = Name { text: name, span };
                    let symbol = match known(func).filter(|symbol| self.is_loop(*symbol)) {
                        // The same loop of another stage, element or pipeline.
                        Some(symbol) => {
                            self.mention(span, symbol, true);
                            symbol
                        }
                        None => self.define(place, SymbolKind::Loop, (span, scope), owner),
                    };
                    loops.entry(func).or_default().insert(name, symbol);
                    if call.name.text == "rfactor"
                        && let Some(made) = call.arguments.get(2)
                        && let ExprKind::Name(part) = made.value.kind
                    {
                        loops.entry(part).or_default().insert(name, symbol);
                    }
                }
                ParameterKind::NewFunc => {
                    let place = Name { text: name, span };
                    self.local(place, SymbolKind::Func, (span, scope), owner);
                }
                ParameterKind::Func => {
                    other = name;
                    self.resolve(name);
                }
                ParameterKind::Value => self.resolve(name),
            }
        }
    }

    fn is_loop(&self, symbol: usize) -> bool {
        self.found.symbols.get(symbol).is_some_and(|symbol| symbol.kind == SymbolKind::Loop)
    }
}

/// The func that an argument such as `f[k]` or `f.update(1)` begins with.
fn root<'s>(expr: &Expr<'s>) -> Option<&'s str> {
    match &expr.kind {
        ExprKind::Element { array, .. } => Some(array.text),
        ExprKind::Member { object, .. } => Some(object.text),
        ExprKind::Name(_)
        | ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Call { .. }
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Reduction { .. }
        | ExprKind::Block { .. }
        | ExprKind::Tuple(_)
        | ExprKind::Component { .. } => None,
    }
}

/// Returns the pipelines for whose schedules each schedule function is applied.
fn applications<'s>(file: &File<'s>) -> FxHashMap<&'s str, IndexMap<&'s str, ()>> {
    fn applied<'s>(steps: &[Step<'s>], found: &mut Vec<&'s str>) {
        for step in steps {
            match step {
                Step::Apply { function, .. } => found.push(function.text),
                Step::For { steps, .. } => applied(steps, found),
                Step::Chain(chain) => {
                    for block in chain.calls.iter().filter_map(|call| call.block.as_ref()) {
                        applied(block, found);
                    }
                }
            }
        }
    }
    let mut calls: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for function in &file.schedule_fns {
        applied(&function.steps, calls.entry(function.name.text).or_default());
    }
    let mut pipelines: FxHashMap<&str, IndexMap<&str, ()>> = FxHashMap::default();
    for schedule in &file.schedules {
        let mut todo = Vec::new();
        applied(&schedule.steps, &mut todo);
        let mut done = FxHashSet::default();
        while let Some(function) = todo.pop() {
            if done.insert(function) {
                pipelines.entry(function).or_default().insert(schedule.pipeline.text, ());
                todo.extend(calls.get(function).into_iter().flatten());
            }
        }
    }
    pipelines
}
