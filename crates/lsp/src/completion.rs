//! Completions: directives, legal levels, funcs, variables, types and words.

use halidom_driver::inspect;
use halidom_ir::{
    Action, Directive, FoldDirection, FuncId, LoopLevel, Partition, Scalar, StoreIn, Tail,
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
pub(crate) fn complete(document: &mut Document, offset: usize) -> Value {
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

/// Returns the loops of the func before the directive that is being typed.
fn loops(document: &Document, place: &Place<'_>) -> Vec<String> {
    let mut names = Vec::new();
    with_schedule(document, place, &mut |document, pipeline, number, funcs| {
        let algorithm = document.loaded.module.pipelines[pipeline].algorithm.clone();
        let schedule =
            document.loaded.module.pipelines[pipeline].schedules[number].schedule.clone();
        let pool = &mut document.loaded.module.pool;
        for stage in inspect::loops(pool, &algorithm, &schedule) {
            if funcs.contains(&stage.func) {
                names.extend(stage.loops.into_iter().map(|one| one.name));
            }
        }
    });
    names.retain(|name| !name.contains('.'));
    names
}

/// Returns the levels, each a func and a loop, at which the schedule is legal with the directive.
fn levels(document: &Document, place: &Place<'_>, directive: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    with_schedule(document, place, &mut |document, pipeline, number, funcs| {
        let Some(func) = funcs.first().copied() else { return };
        let named = &document.loaded.module.pipelines[pipeline].schedules[number];
        let (schedule, origin) = (named.schedule.clone(), named.spans.len());
        let algorithm = document.loaded.module.pipelines[pipeline].algorithm.clone();
        let pool = &mut document.loaded.module.pool;
        for stage in inspect::loops(pool, &algorithm, &schedule) {
            for one in stage.loops.iter().filter(|one| !one.name.contains('.')) {
                let level =
                    LoopLevel { func: stage.func, stage: Some(stage.stage), var: one.name.clone() };
                let action = match directive {
                    "compute_at" => Action::ComputeAt(level),
                    "store_at" => Action::StoreAt(level),
                    _ => Action::HoistStorage(Some(level)),
                };
                let directive = Directive { func, stage: 0, action, origin };
                let is_own = stage.func == func;
                if !is_own && inspect::accepts(pool, &algorithm, &schedule, directive) {
                    found.push((pool.func(stage.func).name.clone(), one.name.clone()));
                }
            }
        }
    });
    found
}

/// Reads the text without the directive that is being typed; calls `visit` with the numbers of the
/// pipeline and the schedule, and with the func.
fn with_schedule(
    document: &Document,
    place: &Place<'_>,
    visit: &mut dyn FnMut(&mut Document, usize, usize, &[FuncId]),
) {
    let text = without_directive(document, place);
    let mut without = Document::new(document.uri.clone(), 0, &text, document.lines.encoding);
    let Some((number, pipeline)) = without.pipeline(&place.step.pipeline) else { return };
    let schedules = &pipeline.schedules;
    let Some(schedule) =
        schedules.iter().position(|named| named.schedule.name == place.step.schedule)
    else {
        return;
    };
    let funcs = without.funcs(pipeline, &place.step.func);
    visit(&mut without, number, schedule, &funcs);
}
