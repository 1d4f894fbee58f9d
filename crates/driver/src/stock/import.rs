//! Import of a pipeline file as a `.hal` file: the algorithm, and the part of the schedule that the
//! language can express and our compiler supports.

use std::path::Path;

use halidom_diag::{Diagnostic, Severity, Sources};
use halidom_halide::bridge::Job;
use halidom_halide::pipeline::{self, Pipeline};
use halidom_halide::{Names, codes, translate};
use halidom_ir::{Action, Directive};

use super::{UNSUPPORTED, bridge, bytes, compile};
use crate::compile as compiler;
use crate::refusal::Refusal;
use crate::source::{self, Choice, Loaded};

/// An imported pipeline file.
#[derive(Clone, Debug)]
pub struct Import {
    /// The `.hal` text.
    pub text: String,
    /// Notes on the parts of the schedule that are missing in the text.
    pub notes: Vec<Diagnostic>,
}

/// Reads a pipeline file and prints it as a `.hal` file.
pub fn import(path: &Path) -> Result<Import, Refusal> {
    imported(&bytes(path)?, path)
}

/// Runs a Python script that defines `pipeline()` and prints its pipeline as a `.hal` file.
pub fn import_script(script: &Path) -> Result<Import, Refusal> {
    let text = source::text(script)?;
    let compiled = compile(&Job::of(bridge::Origin::Script(script.to_owned())));
    let artifacts = compiled.map_err(|error| {
        let mut sources = Sources::new();
        let file = sources.add(script.display().to_string(), text.clone());
        let diagnostic = error.diagnostic(Some((file, &text)));
        Refusal::new(sources, vec![diagnostic])
    })?;
    imported(&artifacts.pipeline, script)
}

fn imported(bytes: &[u8], path: &Path) -> Result<Import, Refusal> {
    let name = path.display().to_string();
    let imported = || -> Result<Import, Diagnostic> {
        let mut names = Names::new();
        let pipeline =
            pipeline::read(bytes, &mut names).map_err(|error| error.diagnostic(&name))?;
        let mut import = written(&name, &pipeline, &names)?;
        for image in &pipeline.images {
            let name = names.text(image.name);
            import.notes.push(left_out(&format!("the elements of `{name}`, which is an input")));
        }
        Ok(import)
    };
    imported().map_err(|diagnostic| Refusal::new(Sources::new(), vec![diagnostic]))
}

fn written(name: &str, pipeline: &Pipeline, names: &Names) -> Result<Import, Diagnostic> {
    let mut source = translate::definitions(pipeline, names)
        .map_err(|unsupported| unsupported.diagnostic(None))?;
    translate::keep_used(&mut source, pipeline);
    translate::choose_known(&mut source);
    let algorithm =
        halidom_lang::print(&source.pool, &source.algorithm).map_err(|unprintable| {
            let message = format!("`{name}`: {unprintable}");
            Diagnostic::without_place(Severity::Error, UNSUPPORTED, message)
                .with_hint("docs/stock-halide.md lists what is translated")
        })?;
    let left_out = |what: String| left_out(&what);
    let loaded = source::parse(name, algorithm.clone());
    let read = loaded.module.pipelines.first();
    let own = read.and_then(|read| source.in_terms_of(&loaded.module.pool, &read.algorithm));
    let Some(mut own) = own else {
        let note = left_out("the schedule, as the algorithm does not read back".to_owned());
        return Ok(Import { text: algorithm, notes: vec![note] });
    };
    let imported =
        translate::schedule(&mut own, pipeline, names, &|word| halidom_lang::is_keyword(word));
    let imported = match imported {
        Ok(imported) => imported,
        Err(unsupported) => {
            let note = left_out(format!("the schedule: {}", unsupported.what));
            return Ok(Import { text: algorithm, notes: vec![note] });
        }
    };
    let mut notes: Vec<Diagnostic> = imported.notes.into_iter().map(left_out).collect();
    let (mut pool, mut algorithm_of, mut schedule) = (own.pool, own.algorithm, imported.schedule);
    loop {
        let printed = halidom_lang::print_schedule(&pool, &algorithm_of, &schedule);
        let text = match printed {
            Ok(printed) => format!("{algorithm}\n{printed}"),
            Err(unprintable) => {
                notes.push(left_out(format!("the schedule: {unprintable}")));
                return Ok(Import { text: algorithm, notes });
            }
        };
        let mut loaded = source::parse(name, text.clone());
        let refused = refusals(&mut loaded);
        if refused.is_empty() {
            return Ok(Import { text, notes });
        }
        let read = loaded.module.pipelines.pop();
        let read = read.and_then(|mut read| Some((read.schedules.pop()?.schedule, read.algorithm)));
        // Drop the first refused directive in the text, as the others may be refused only because
        // of it.
        let first = refused.iter().filter_map(|refusal| refusal.origin).min();
        let (Some(first), Some((known, of))) = (first, read) else {
            let reasons = refused.iter().map(|refusal| refusal.reason.clone());
            notes.extend(reasons.map(|reason| left_out(format!("the schedule: {reason}"))));
            return Ok(Import { text: algorithm, notes });
        };
        // All instances of a func are refused for the same reason.
        let reason = refused.iter().find(|refusal| refusal.origin == Some(first));
        notes.extend(reason.map(|refusal| left_out(refusal.reason.clone())));
        (pool, algorithm_of, schedule) = (loaded.module.pool, of, known);
        remove(&mut schedule.directives, first);
    }
}

fn left_out(what: &str) -> Diagnostic {
    Diagnostic::without_place(Severity::Note, codes::LEFT_OUT, format!("left out: {what}"))
}

/// The reason why our compiler does not accept a schedule.
struct Refused {
    /// The number of the refused directive.
    origin: Option<usize>,
    reason: String,
}

fn refusals(loaded: &mut Loaded) -> Vec<Refused> {
    let all = if loaded.module.has_errors() {
        loaded.module.diagnostics.clone()
    } else {
        let choice = Choice { pipeline: 0, schedule: Some(0) };
        compiler::compile(loaded, &choice, &mut |_, _, _| {}).err().unwrap_or_default()
    };
    let read = loaded.module.pipelines.first().and_then(|read| read.schedules.first());
    let spans = read.map_or(&[][..], |schedule| &schedule.spans);
    let refused = |diagnostic: &Diagnostic| {
        let place = diagnostic.span();
        let origin = place.and_then(|place| spans.iter().position(|span| *span == place));
        Refused { origin, reason: diagnostic.message.clone() }
    };
    all.iter().map(refused).collect()
}

/// Removes the directive with a number.
fn remove(directives: &mut Vec<Directive>, origin: usize) {
    directives.retain(|directive| directive.origin != origin);
    for directive in directives {
        if let Action::Specialize { directives, .. } = &mut directive.action {
            remove(directives, origin);
        }
    }
}
