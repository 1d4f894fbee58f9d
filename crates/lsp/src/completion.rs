//! Completions: directives, legal levels, funcs, variables, types and words.

use halidom_driver::inspect;
use halidom_ir::{
    Action, Algorithm, DIRECTIVES, Directive, FuncId, LoopLevel, ParameterKind, Scalar, Schedule,
    Tail,
};
use halidom_lang::{SymbolKind, function_names};
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

/// Returns the completions at a place. Stops once `is_stale` returns true.
pub(crate) fn complete(document: &Document, offset: usize, is_stale: &dyn Fn() -> bool) -> Value {
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
        Context::Member => {
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
        Context::Directive => {
            for form in DIRECTIVES {
                found.add(form.name, Kind::METHOD, &format!("({})", form.usage()));
            }
        }
        Context::Argument { step, directive, number, label, before, dot } => {
            let place = Place { step: &step, dot, offset, is_stale };
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
    is_stale: &'a dyn Fn() -> bool,
}

fn argument(
    document: &Document,
    found: &mut Found,
    place: &Place<'_>,
    (directive, number, label, before): (&str, usize, Option<&str>, &[String]),
) {
    if label == Some("tail") {
        return found.words(&Tail::ALL.map(Tail::name), Kind::ENUM_MEMBER);
    }
    let form = DIRECTIVES.iter().find(|form| form.name == directive);
    let takes_level = form.is_some_and(|form| form.kind(1) == Some(ParameterKind::LoopOfFunc));
    match form.and_then(|form| form.kind(number)) {
        Some(ParameterKind::Word(words)) => found.words(&words.all(), Kind::ENUM_MEMBER),
        Some(ParameterKind::Func | ParameterKind::LoopOfFunc) if takes_level => {
            let levels = levels(document, place, directive);
            // The elements of an array are taken to have the same loops. If they have not, loops of
            // other elements are offered, too.
            let of = before.first().filter(|_| number == 1);
            for (func, name) in levels {
                match of {
                    None => found.add(&func, Kind::FUNCTION, "a legal level"),
                    Some(of) if func.split('[').next() == Some(of.as_str()) => {
                        found.add(&name, Kind::VARIABLE, "a legal level")
                    }
                    Some(_) => {}
                }
            }
        }
        Some(ParameterKind::Func) => {
            funcs(document, found, place.step);
            symbols(document, found, &|kind| kind == SymbolKind::Input);
        }
        None
        | Some(
            ParameterKind::Loop
            | ParameterKind::NewLoop
            | ParameterKind::LoopOfFunc
            | ParameterKind::NewFunc
            | ParameterKind::Value,
        ) => {
            for name in loops(document, place) {
                found.add(&name, Kind::VARIABLE, "loop");
            }
            if form.is_some_and(|form| form.has_tail) {
                found.add("tail: ", Kind::KEYWORD, "the strategy for the remainder");
            }
            let scheduled = |kind| matches!(kind, SymbolKind::Constant | SymbolKind::Param);
            symbols(document, found, &scheduled);
        }
    }
}

/// A directive that shows which func the directive that is being typed is for.
const MARK: &str = ".compute_root();";

/// The text with a mark in place of the directive that is being typed and the rest of its
/// statement.
fn marked(document: &Document, place: &Place<'_>) -> String {
    let text = document.text();
    let rest = text.get(place.offset..).unwrap_or("");
    // The rest of the statement ends at its semicolon, with its line, or before a brace.
    let end = rest.find([';', '\n', '}']).unwrap_or(rest.len());
    let rest = rest[end..].strip_prefix(';').unwrap_or(&rest[end..]);
    format!("{}{MARK}{rest}", text.get(..place.dot).unwrap_or(""))
}

/// A schedule without the directive that is being typed.
struct Without {
    document: Document,
    algorithm: Algorithm,
    /// All other directives, and those before the place.
    schedules: [Schedule; 2],
    /// The funcs that the directive is for: several in a `for`.
    funcs: Vec<FuncId>,
    /// The number of the places of directives.
    origins: usize,
}

impl Without {
    /// Reads the text; `None` if the schedule does not parse.
    fn of(document: &Document, place: &Place<'_>) -> Option<Self> {
        let text = marked(document, place);
        let document = Document::new(document.uri.clone(), 0, &text, document.lines.encoding);
        let (_, pipeline) = document.pipeline(&place.step.pipeline)?;
        let algorithm = pipeline.algorithm.clone();
        let named = pipeline.schedule(&place.step.schedule)?;
        let start = |directive: &Directive| named.spans.get(directive.origin).map(|one| one.start);
        // The dot is not a part of a directive's place.
        let is_mark = |directive: &&Directive| start(directive) == Some(place.dot + 1);
        let all = &named.schedule.directives;
        let funcs = all.iter().filter(is_mark).map(|directive| directive.func).collect();
        let keep = |is_kept: &dyn Fn(&Directive) -> bool| Schedule {
            name: named.schedule.name.clone(),
            directives: all.iter().filter(|one| is_kept(one)).cloned().collect(),
        };
        let others = keep(&|one| !is_mark(&one));
        let before = keep(&|one| start(one).is_some_and(|start| start < place.dot));
        let origins = named.spans.len();
        Some(Self { algorithm, schedules: [others, before], funcs, origins, document })
    }
}

/// Returns the loops of the func before the directive that is being typed.
fn loops(document: &Document, place: &Place<'_>) -> Vec<String> {
    let Some(mut without) = Without::of(document, place) else { return Vec::new() };
    let pool = &mut without.document.loaded.module.pool;
    let stages = inspect::loops(pool, &without.algorithm, &without.schedules[1]);
    // A schedule that rewrites the algorithm has funcs of its own, with the same names.
    let name = |func: FuncId| pool.func(func).name.as_str();
    let is_own = |func| without.funcs.iter().any(|own| name(*own) == name(func));
    let own = stages.into_iter().filter(|stage| is_own(stage.func));
    let names = own.flat_map(|stage| stage.loops).map(|one| one.name);
    names.filter(|name| !name.contains('.')).collect()
}

/// Returns the levels, each a func and a loop, at which the schedule is legal with the directive.
/// If the schedule is refused without the directive, only the directives before it count.
fn levels(document: &Document, place: &Place<'_>, directive: &str) -> Vec<(String, String)> {
    let Some(mut without) = Without::of(document, place) else { return Vec::new() };
    let Some(func) = without.funcs.first().copied() else { return Vec::new() };
    let pool = &mut without.document.loaded.module.pool;
    let mut found = Vec::new();
    for schedule in &without.schedules {
        let stages = inspect::loops(pool, &without.algorithm, schedule);
        if stages.is_empty() {
            continue;
        }
        for stage in &stages {
            // A schedule that rewrites the algorithm has funcs of its own, with the same names.
            let name = &pool.func(stage.func).name;
            let mut named = without.algorithm.funcs.iter().copied();
            let of = named.find(|func| pool.func(*func).name == *name).unwrap_or(stage.func);
            if of == func {
                continue;
            }
            for one in stage.loops.iter().filter(|one| !one.name.contains('.')) {
                if (place.is_stale)() {
                    return found;
                }
                let level = LoopLevel { func: of, stage: Some(stage.stage), var: one.name.clone() };
                let Some(action) = Action::at_level(directive, level) else { return found };
                let directive = Directive { func, stage: 0, action, origin: without.origins };
                if inspect::accepts(pool, &without.algorithm, schedule, directive) {
                    found.push((written(&pool.func(stage.func).name), one.name.clone()));
                }
            }
        }
        break;
    }
    found
}

/// The name of a func as it is written in a schedule: `f[3]` for an element of an array.
fn written(name: &str) -> String {
    match name.split_once('$') {
        Some((array, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{array}[{number}]")
        }
        _ => name.to_owned(),
    }
}
