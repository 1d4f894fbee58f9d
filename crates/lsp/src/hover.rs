//! Hovers: types, places, needed regions and sizes of funcs; the usage of directives.

use std::fmt::Write as _;

use halidom_driver::source::{Choice, schedule_names};
use halidom_driver::{halo, inspect};
use halidom_ir::{DIRECTIVES, FuncId};
use halidom_lang::{SymbolKind, TokenKind, function_names, tokens};
use halidom_schedule::Place;
use serde_json::{Value, json};

use crate::document::Document;
use crate::names::symbols_at;
use crate::reports::range;
use crate::verdicts::Proof;

/// The greatest number of elements of an array, and of schedules, that a hover tells of.
const MOST: usize = 6;

/// Returns what there is to say about the name at a place. Stops once `is_stale` returns true.
pub(crate) fn hover(document: &mut Document, offset: usize, is_stale: &dyn Fn() -> bool) -> Value {
    let used = document.symbols.at(offset).next().copied();
    if let Some(used) = used {
        let told: Vec<String> = symbols_at(document, offset)
            .into_iter()
            .filter_map(|symbol| about(document, symbol, offset, is_stale))
            .collect();
        let place = range(document, used.span);
        return json!({
            "contents": {"kind": "markdown", "value": told.join("\n\n---\n\n")},
            "range": place,
        });
    }
    let text = document.text();
    let all = tokens(text);
    // On the border of two tokens, the word is meant.
    let word = all.iter().find(|token| {
        token.range.start <= offset
            && offset <= token.range.end
            && matches!(token.kind, Some(TokenKind::Name | TokenKind::Keyword))
    });
    let Some(token) = word else { return Value::Null };
    let Some(told) = about_word(text.get(token.range.clone()).unwrap_or("")) else {
        return Value::Null;
    };
    let place = document.lines.range(text, token.range.clone());
    json!({"contents": {"kind": "markdown", "value": told}, "range": place})
}

/// Describes a directive or a function of the language.
fn about_word(word: &str) -> Option<String> {
    if let Some(form) = DIRECTIVES.iter().find(|form| form.name == word) {
        let tail = if form.has_tail { ", tail: guard" } else { "" };
        return Some(format!("```hal\nf.{word}({}{tail})\n```\nDirective.", form.usage()));
    }
    let (makers, builtins) = function_names();
    if makers.contains(&word) {
        return Some(format!(
            "```hal\nfunc f = {word}(…)\n```\nMakes a func from a func or input."
        ));
    }
    builtins.contains(&word).then(|| format!("```hal\n{word}(…)\n```\nBuilt-in function."))
}

fn about(
    document: &mut Document,
    number: usize,
    offset: usize,
    is_stale: &dyn Fn() -> bool,
) -> Option<String> {
    let symbol = document.symbols.symbols.get(number)?.clone();
    let name = &symbol.name;
    let annotation = symbol.annotation.map(|span| document.loaded.sources.snippet(span).to_owned());
    let typed = annotation.map_or_else(String::new, |text| format!(": {text}"));
    let line = |text: &str, meaning: &str| Some(format!("```hal\n{text}\n```\n{meaning}"));
    match symbol.kind {
        SymbolKind::Func | SymbolKind::Input => {
            let found = document.pipeline_of(number);
            let (pipeline, funcs) = found
                .map(|(at, pipeline)| (Some(at), document.funcs(pipeline, name)))
                .unwrap_or_default();
            let kind = if symbol.kind == SymbolKind::Func { "func " } else { "" };
            match pipeline {
                Some(pipeline) if !funcs.is_empty() => {
                    Some(about_funcs(document, (pipeline, &funcs), offset, is_stale))
                }
                _ => line(&format!("{kind}{name}{typed}"), "Its pipeline has errors."),
            }
        }
        SymbolKind::Pipeline => {
            let schedules = document.pipeline(name).map(|(_, pipeline)| schedule_names(pipeline));
            let listed = schedules.unwrap_or_default().join("`, `");
            line(&format!("pipeline {name}"), &format!("Schedules: `{listed}`."))
        }
        SymbolKind::Schedule => about_schedule(document, number),
        SymbolKind::ScheduleFn => line(&format!("schedule_fn {name}"), "Schedule function."),
        SymbolKind::Function => line(&format!("fn {name}"), "Makes a func from its arguments."),
        SymbolKind::Constant => {
            let text = document.text().get(symbol.span.end..).unwrap_or("");
            let value = text.split([',', '>', ')']).next().unwrap_or("").trim();
            line(&format!("{name}{value}"), "Known at compile time.")
        }
        SymbolKind::Param => line(&format!("{name}{typed}"), "Parameter of the pipeline."),
        SymbolKind::Let => {
            line(&format!("let {}", document.loaded.sources.snippet(symbol.whole)), "")
        }
        SymbolKind::PureVar => line(&format!("{name}: int"), "Pure variable."),
        SymbolKind::ReductionVar => line(&format!("{name}: int"), "Reduction variable."),
        SymbolKind::Index => line(&format!("{name}: int"), "Index, known at compile time."),
        SymbolKind::Loop => line(name, "Loop that a directive makes."),
        SymbolKind::Argument => line(name, "Parameter."),
    }
}

/// Describes a func, or the elements of an array of funcs.
fn about_funcs(
    document: &mut Document,
    (pipeline, funcs): (usize, &[FuncId]),
    offset: usize,
    is_stale: &dyn Fn() -> bool,
) -> String {
    let mut out = String::new();
    for func in funcs.iter().take(MOST) {
        let pool = &document.loaded.module.pool;
        let decl = pool.func(*func);
        let args: Vec<&str> = decl.args.iter().map(|arg| pool.var(*arg).name.as_str()).collect();
        let args: Vec<&str> =
            args.iter().map(|arg| arg.rsplit('.').next().unwrap_or(arg)).collect();
        let scalars: Vec<&str> = decl.scalars.iter().map(|scalar| scalar.name()).collect();
        let ty = match scalars.as_slice() {
            [one] => (*one).to_owned(),
            all => format!("({})", all.join(", ")),
        };
        let bytes: Option<usize> = decl.scalars.iter().map(|scalar| scalar.bytes()).sum();
        let bytes = bytes.map_or_else(String::new, |bytes| match bytes {
            1 => "1 byte for each value".to_owned(),
            _ => format!("{bytes} bytes for each value"),
        });
        let is_input = document.loaded.module.pipelines[pipeline].algorithm.inputs.contains(func);
        let updates = if is_input { 0 } else { decl.stages().len().saturating_sub(1) };
        let kind = if is_input { "input" } else { "func" };
        let updates = match updates {
            0 => String::new(),
            1 => ", 1 update".to_owned(),
            _ => format!(", {updates} updates"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "```hal\n{kind} {}({}): {ty}\n```\n{bytes}{updates}.\n",
            decl.name,
            args.join(", ")
        );
    }
    if funcs.len() > MOST {
        let _ = writeln!(out, "… and {} more elements.\n", funcs.len() - MOST);
    }
    let Some(func) = funcs.first().copied() else { return out };
    let schedules = schedules_at(document, pipeline, offset);
    // Bounds take time, and those of all schedules would fill the window.
    let is_one = schedules.len() <= 2;
    for schedule in schedules.into_iter().take(MOST) {
        if is_stale() {
            break;
        }
        let choice = Choice { pipeline, schedule };
        let label = document.loaded.schedule_of(&choice).name;
        let told = placement(document, &choice, func, is_one || schedule.is_none());
        let _ = writeln!(out, "**`{label}`**: {told}");
    }
    out
}

/// The schedules that a hover tells of: the one around the place, or all.
fn schedules_at(document: &Document, pipeline: usize, offset: usize) -> Vec<Option<usize>> {
    let around = document.symbols.symbols.iter().find(|symbol| {
        symbol.kind == SymbolKind::Schedule
            && symbol.whole.start <= offset
            && offset <= symbol.whole.end
    });
    let schedules = &document.loaded.module.pipelines[pipeline].schedules;
    let own =
        around.and_then(|symbol| schedules.iter().position(|named| named.span == symbol.span));
    match own {
        Some(own) => vec![Some(own)],
        None => std::iter::once(None).chain((0..schedules.len()).map(Some)).collect(),
    }
}

/// The places and needed regions of a func under a schedule.
fn placement(document: &mut Document, choice: &Choice, func: FuncId, regions: bool) -> String {
    let name = document.loaded.module.pool.func(func).name.clone();
    let Some(description) = document.description(choice, regions).cloned() else {
        return "the schedule is refused\n".to_owned();
    };
    let pool = &document.loaded.module.pool;
    let place = |place: &Place| match place {
        Place::Inline => "inline".to_owned(),
        Place::Root => "at the root".to_owned(),
        Place::At { func, name } => format!("at `{}, {name}`", pool.func(*func).name),
    };
    let places = description.places.iter().find(|places| pool.func(places.func).name == name);
    let mut told = match places {
        None => "an input\n".to_owned(),
        Some(places) if places.compute == Place::Inline => "computed inline\n".to_owned(),
        Some(places) if places.store == places.compute => {
            format!("computed and stored {}\n", place(&places.compute))
        }
        Some(places) => {
            format!("computed {}, stored {}\n", place(&places.compute), place(&places.store))
        }
    };
    if regions && places.is_none() {
        let all = halo::regions(&document.loaded, choice).unwrap_or_default();
        if let Some(region) = all.iter().find(|region| region.name == name) {
            let _ = write!(told, "```text\nneeded: {region}\n```\n");
            return told;
        }
    }
    let regions = description.regions.iter().find(|(of, _)| pool.func(*of).name == name);
    if let Some((_, lines)) = regions.filter(|(_, lines)| !lines.trim().is_empty()) {
        let lines: Vec<String> = lines
            .lines()
            .map(|line| line.trim().replace("?cpu ", "computed ").replace("?mem ", "stored "))
            .collect();
        let _ = write!(told, "```text\n{}\n```\n", lines.join("\n"));
    }
    told
}

/// Describes a schedule: its verdict, and its loops.
fn about_schedule(document: &mut Document, number: usize) -> Option<String> {
    let symbol = document.symbols.symbols.get(number)?.clone();
    let (pipeline, found) = document.pipeline_of(number)?;
    let named = (found.algorithm.name.clone(), symbol.name.clone());
    let schedule = found.schedules.iter().position(|one| one.span == symbol.span)?;
    let verdict = match document.proofs.get(&named) {
        Some(Proof::Ended(judged)) => format!("{}\n", judged.sentence),
        Some(Proof::Running) => "being proved\n".to_owned(),
        None => String::new(),
    };
    let choice = Choice { pipeline, schedule: Some(schedule) };
    let nest = match inspect::inspect(&mut document.loaded, &choice, false) {
        Ok(found) => found.loop_nest,
        Err(_) => "the schedule is refused".to_owned(),
    };
    Some(format!("{verdict}```text\n{}\n```", nest.trim_end()))
}
