//! Completions: directives, legal levels, funcs, variables, types and words.

use halidom_driver::inspect;
use halidom_ir::{
    Action, Algorithm, Directive, FoldDirection, FuncId, LoopLevel, Partition, Scalar, Schedule,
    StoreIn, Tail,
};
use halidom_lang::{SymbolKind, directives, function_names};
use lsp_types::CompletionItemKind as Kind;
use serde_json::{Value, json};

use crate::context::{Context, Scheduled, context};
use crate::document::Document;

/// Properties of inputs.
const PROPERTIES: [(&str, &str); 5] = [
    ("width", "the number of coordinates of dimension 0"),
    ("height", "the number of coordinates of dimension 1"),
    ("channels", "the number of coordinates of dimension 2"),
    ("extent", "the number of coordinates of a dimension"),
    ("min", "the least coordinate of a dimension"),
];

/// Returns the completions at a place.
pub(crate) fn complete(document: &Document, offset: usize) -> Value {
    let mut found = Found::default();
    match context(document.text(), offset) {
        Context::Nothing => {}
        Context::Top => found.words(&["pipeline", "schedule", "schedule_fn", "fn"], Kind::KEYWORD),
        Context::PipelineName => {
            symbols(document, &mut found, &|kind| kind == SymbolKind::Pipeline)
        }
        Context::Type => {
            found.words(&Scalar::ALL.map(Scalar::name), Kind::STRUCT);
            found.words(&["buffer"], Kind::STRUCT);
        }
        Context::Member(_) => {
            for (name, meaning) in PROPERTIES {
                found.add(name, Kind::PROPERTY, meaning);
            }
        }
        Context::Statement => {
            found.words(&["func", "let", "for", "require", "fast_math"], Kind::KEYWORD);
            symbols(document, &mut found, &|kind| kind == SymbolKind::Func);
        }
        Context::Value(locals) => {
            for local in &locals {
                found.add(local, Kind::VARIABLE, "");
            }
            visible(document, &mut found, offset);
            let (makers, builtins) = function_names();
            for name in makers.into_iter().chain(builtins) {
                found.add(name, Kind::FUNCTION, "built in");
            }
            found.words(&Scalar::ALL.map(Scalar::name), Kind::STRUCT);
            found.words(&["true", "false"], Kind::KEYWORD);
        }
        Context::Step(step) => {
            funcs(document, &mut found, &step);
            symbols(document, &mut found, &|kind| kind == SymbolKind::ScheduleFn);
            found.words(&["for"], Kind::KEYWORD);
        }
        Context::Directive(_) => {
            for directive in directives() {
                found.add(directive.name, Kind::METHOD, &format!("({})", directive.arguments));
            }
        }
        Context::Argument { step, directive, number, label, before, dot } => {
            let place = Place { step: &step, dot, offset };
            argument(document, &mut found, &place, (&directive, number, label.as_deref(), &before));
        }
    }
    json!({"isIncomplete": false, "items": found.items})
}

/// The completions found so far.
#[derive(Default)]
struct Found {
    items: Vec<Value>,
    names: Vec<String>,
}

impl Found {
    fn add(&mut self, name: &str, kind: Kind, detail: &str) {
        if self.names.iter().any(|known| known == name) {
            return;
        }
        self.names.push(name.to_owned());
        // Clients sort by text; the order here is that of usefulness.
        let order = format!("{:04}", self.items.len());
        self.items.push(json!({"label": name, "kind": kind, "detail": detail, "sortText": order}));
    }

    fn words(&mut self, words: &[&str], kind: Kind) {
        for word in words {
            self.add(word, kind, "");
        }
    }
}

fn symbols(document: &Document, found: &mut Found, is_meant: &dyn Fn(SymbolKind) -> bool) {
    for symbol in document.symbols.symbols.iter().filter(|symbol| is_meant(symbol.kind)) {
        found.add(&symbol.name, kind(symbol.kind), detail(document, symbol.annotation));
    }
}

/// Adds the names of the pipeline around a place, and the functions.
fn visible(document: &Document, found: &mut Found, offset: usize) {
    for symbol in &document.symbols.symbols {
        let is_meant = match symbol.kind {
            SymbolKind::Func
            | SymbolKind::Input
            | SymbolKind::Param
            | SymbolKind::Constant
            | SymbolKind::Let
            | SymbolKind::Index
            | SymbolKind::PureVar
            | SymbolKind::ReductionVar
            | SymbolKind::Argument
            | SymbolKind::Function => true,
            SymbolKind::Pipeline
            | SymbolKind::Schedule
            | SymbolKind::ScheduleFn
            | SymbolKind::Loop => false,
        };
        if is_meant && symbol.scope.start <= offset && offset <= symbol.scope.end {
            found.add(&symbol.name, kind(symbol.kind), detail(document, symbol.annotation));
        }
    }
}

/// Adds the funcs that a step may schedule.
fn funcs(document: &Document, found: &mut Found, step: &Scheduled) {
    for param in &step.params {
        found.add(param, Kind::VARIABLE, "parameter");
    }
    for symbol in document.symbols.symbols.iter().filter(|one| one.kind == SymbolKind::Func) {
        let owner = symbol.owner.and_then(|owner| document.symbols.symbols.get(owner));
        if step.pipeline.is_empty() || owner.is_some_and(|owner| owner.name == step.pipeline) {
            found.add(&symbol.name, Kind::FUNCTION, detail(document, symbol.annotation));
        }
    }
}

fn detail(document: &Document, annotation: Option<halidom_diag::Span>) -> &str {
    annotation.map_or("", |span| document.loaded.sources.snippet(span))
}

fn kind(kind: SymbolKind) -> Kind {
    match kind {
        SymbolKind::Pipeline | SymbolKind::Schedule => Kind::CLASS,
        SymbolKind::ScheduleFn | SymbolKind::Function | SymbolKind::Func => Kind::FUNCTION,
        SymbolKind::Constant => Kind::CONSTANT,
        SymbolKind::Param
        | SymbolKind::Input
        | SymbolKind::Let
        | SymbolKind::PureVar
        | SymbolKind::ReductionVar
        | SymbolKind::Index
        | SymbolKind::Loop
        | SymbolKind::Argument => Kind::VARIABLE,
    }
}

/// The place of a directive that is being typed.
struct Place<'a> {
    step: &'a Scheduled,
    dot: usize,
    offset: usize,
}

fn argument(
    document: &Document,
    found: &mut Found,
    place: &Place<'_>,
    (directive, number, label, before): (&str, usize, Option<&str>, &[String]),
) {
    match (directive, number) {
        _ if label == Some("tail") => found.words(&Tail::ALL.map(Tail::name), Kind::ENUM_MEMBER),
        ("store_in", _) => found.words(&StoreIn::ALL.map(StoreIn::name), Kind::ENUM_MEMBER),
        ("partition", 1) => found.words(&Partition::ALL.map(Partition::name), Kind::ENUM_MEMBER),
        ("fold_storage", 2) => {
            found.words(&FoldDirection::ALL.map(FoldDirection::name), Kind::ENUM_MEMBER);
        }
        ("compute_at" | "store_at" | "hoist_storage", 0 | 1) => {
            let levels = levels(document, place, directive);
            let of = before.first().filter(|_| number == 1);
            for (func, name) in levels {
                match of {
                    None => found.add(&func, Kind::FUNCTION, "a legal level"),
                    Some(of) if *of == func => found.add(&name, Kind::VARIABLE, "a legal level"),
                    Some(_) => {}
                }
            }
        }
        ("prefetch", 0) | ("in", _) => {
            funcs(document, found, place.step);
            symbols(document, found, &|kind| kind == SymbolKind::Input);
        }
        _ => {
            for name in loops(document, place) {
                found.add(&name, Kind::VARIABLE, "loop");
            }
            if directives().any(|known| known.name == directive && known.has_tail) {
                found.add("tail: ", Kind::KEYWORD, "the strategy for the remainder");
            }
            let scheduled = |kind| matches!(kind, SymbolKind::Constant | SymbolKind::Param);
            symbols(document, found, &scheduled);
        }
    }
}

/// The text with the statement only up to the directive that is being typed.
fn without_directive(document: &Document, place: &Place<'_>) -> String {
    let text = document.text();
    let (head, rest) = text.split_at(place.offset.min(text.len()));
    // The rest of the statement ends at its semicolon or line.
    let end = rest.find([';', '\n', '}']).unwrap_or(rest.len());
    let rest = rest[end..].strip_prefix(';').unwrap_or(&rest[end..]);
    let kept = head.get(place.step.start..place.dot).unwrap_or("");
    let kept = if kept.contains('(') { format!("{kept};") } else { String::new() };
    format!("{}{kept}{rest}", head.get(..place.step.start).unwrap_or(""))
}

/// A text without the directive that is being typed.
struct Without {
    document: Document,
    /// The numbers of the pipeline and the schedule.
    pipeline: usize,
    schedule: usize,
    /// The func that the statement schedules, or the elements of an array.
    funcs: Vec<FuncId>,
}

impl Without {
    /// Reads the text; `None` if the schedule does not parse.
    fn of(document: &Document, place: &Place<'_>) -> Option<Self> {
        let text = without_directive(document, place);
        let document = Document::new(document.uri.clone(), 0, &text, document.lines.encoding);
        let (pipeline, found) = document.pipeline(&place.step.pipeline)?;
        let mut names = found.schedules.iter().map(|named| &named.schedule.name);
        let schedule = names.position(|name| *name == place.step.schedule)?;
        let funcs = document.funcs(found, &place.step.func);
        Some(Self { document, pipeline, schedule, funcs })
    }

    /// Returns the algorithm and the schedule, with the number of its directives' places.
    fn parts(&self) -> (Algorithm, Schedule, usize) {
        let pipeline = &self.document.loaded.module.pipelines[self.pipeline];
        let named = &pipeline.schedules[self.schedule];
        (pipeline.algorithm.clone(), named.schedule.clone(), named.spans.len())
    }
}

/// Returns the loops of the func before the directive that is being typed.
fn loops(document: &Document, place: &Place<'_>) -> Vec<String> {
    let Some(mut without) = Without::of(document, place) else { return Vec::new() };
    let (algorithm, schedule, _) = without.parts();
    let stages = inspect::loops(&mut without.document.loaded.module.pool, &algorithm, &schedule);
    let own = stages.into_iter().filter(|stage| without.funcs.contains(&stage.func));
    let names = own.flat_map(|stage| stage.loops).map(|one| one.name);
    names.filter(|name| !name.contains('.')).collect()
}

/// Returns the levels, each a func and a loop, at which the schedule is legal with the directive.
fn levels(document: &Document, place: &Place<'_>, directive: &str) -> Vec<(String, String)> {
    let Some(mut without) = Without::of(document, place) else { return Vec::new() };
    let Some(func) = without.funcs.first().copied() else { return Vec::new() };
    let (algorithm, schedule, origin) = without.parts();
    let pool = &mut without.document.loaded.module.pool;
    let mut found = Vec::new();
    for stage in inspect::loops(pool, &algorithm, &schedule) {
        let named = stage.loops.iter().filter(|one| !one.name.contains('.'));
        for one in named.filter(|_| stage.func != func) {
            let level =
                LoopLevel { func: stage.func, stage: Some(stage.stage), var: one.name.clone() };
            let action = match directive {
                "compute_at" => Action::ComputeAt(level),
                "store_at" => Action::StoreAt(level),
                _ => Action::HoistStorage(Some(level)),
            };
            let directive = Directive { func, stage: 0, action, origin };
            if inspect::accepts(pool, &algorithm, &schedule, directive) {
                found.push((pool.func(stage.func).name.clone(), one.name.clone()));
            }
        }
    }
    found
}
