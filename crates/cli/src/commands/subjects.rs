//! The subjects of a command that judges programs: one of a file's pipelines, schedules or
//! derivations, or all of them.

use halidom_diag::Diagnostic;
use halidom_driver::derivation;
use halidom_driver::inspect;
use halidom_driver::source::{Choice, Loaded};
use halidom_driver::stock::{self, Request, Stock, bridge};
use halidom_driver::subject::{self, Subject};

use halidom_verdict::Verdict;

use super::{load, program, report};
use crate::args;
use crate::output::{Output, Stop};

/// The kinds of things that a file holds, as keys of JSON objects.
pub(crate) const SCHEDULES: &str = "schedules";
const DERIVATIONS: &str = "derivations";

/// A function that is called for each subject, with the subject's name among all: the schedule's
/// name, preceded by the pipeline's if there are several.
pub(crate) type Each<'e> =
    &'e mut dyn FnMut(&str, Subject, Option<String>, &mut Output<'_>) -> Result<(), Stop>;

/// Calls `each` for every chosen subject in order, with its loop nest if there is one. The subjects
/// are compiled one after the other, so only one is held at a time. Returns the kind of the
/// subjects.
pub(crate) fn for_each(
    choice: &args::Choice,
    output: &mut Output<'_>,
    each: Each<'_>,
) -> Result<&'static str, Stop> {
    if subject::is_program_file(&choice.file) {
        let subject = program(choice, output)?;
        let name = subject.pipeline.clone();
        each(&name, subject, None, output)?;
        return Ok(SCHEDULES);
    }
    if derivation::is_derivation_file(&choice.file) {
        let (engine, loaded) = super::derive::load(&choice.file, output)?;
        let refuse = |diagnostics: &[Diagnostic], output: &mut Output<'_>| {
            for diagnostic in diagnostics {
                output.diagnostic(&loaded.sources, diagnostic);
            }
            Stop::BadInput
        };
        let chosen = loaded
            .chosen(choice.named.derivation.as_deref())
            .map_err(|diagnostic| refuse(&[diagnostic], output))?;
        for derivation in chosen {
            let lowered = loaded
                .lower(&engine, derivation, &mut |_, _, _| {})
                .map_err(|diagnostics| refuse(&diagnostics, output))?;
            let subject = subject::derived(&loaded, derivation, lowered);
            each(&derivation.name.text, subject, None, output)?;
        }
        return Ok(DERIVATIONS);
    }
    let mut loaded = load(&choice.file, output)?;
    let choices = choices(choice, &loaded).map_err(|diagnostic| {
        report(&loaded, &[diagnostic], output);
        Stop::BadInput
    })?;
    for choice in &choices {
        let subject = subject::compiled(&mut loaded, choice).map_err(|diagnostics| {
            report(&loaded, &diagnostics, output);
            Stop::BadInput
        })?;
        let nest = inspect::inspect(&mut loaded, choice, false).ok().map(|found| found.loop_nest);
        each(&key(&loaded, choice, &choices), subject, nest, output)?;
    }
    Ok(SCHEDULES)
}

/// The subject that a command line names.
pub(crate) enum Wanted {
    /// A part of a file.
    Choice(args::Choice),
    /// A pipeline that stock Halide compiled.
    Stock(Request),
}

/// Reads a command line that may ask about stock Halide.
pub(crate) fn wanted(given: &args::Given, output: &mut Output<'_>) -> Result<Wanted, Stop> {
    let args::Given { words, named, stock } = given;
    let mut malformed = |value: &str, option: &str, form: &str| {
        Err(output.error(
            "HAL0906",
            &format!("`{value}` is malformed after {option}"),
            &format!("write {form}"),
        ))
    };
    let origin = if let Some(binary) = &stock.generator {
        let params: Vec<String> =
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        if let Some(param) = params.iter().find(|param| !param.contains('=')) {
            return malformed(param, "--generator", "its parameters as NAME=VALUE");
        }
        let (binary, name) = (binary.clone(), stock.generator_name.clone());
        bridge::Origin::Generator { binary, name, params }
    } else if let Some(script) = &stock.halide_script {
        if let Some(word) = words.first() {
            return malformed(&word.display().to_string(), "--halide-script", "one script alone");
        }
        bridge::Origin::Script(script.clone())
    } else {
        let [file] = words.as_slice() else {
            let word = words.last().map(|word| word.display().to_string());
            return malformed(&word.unwrap_or_default(), "FILE", "one file");
        };
        if !stock.halide && stock.passes.is_some() {
            return Err(output.error(
                "HAL0906",
                "`--passes` is about what stock Halide compiled",
                "write `--halide` before the pipeline's file, or leave the file out to compare the \
                    statements of the dump",
            ));
        }
        if let Some(condition) = stock.assume.first().filter(|_| !stock.halide) {
            return Err(output.error(
                "HAL0906",
                &format!("`--assume {condition}` is about what stock Halide compiled"),
                "write `require` in a program of our own",
            ));
        }
        if !stock.halide {
            let (file, named) = (file.clone(), named.clone());
            return Ok(Wanted::Choice(args::Choice { file, named }));
        }
        bridge::Origin::File(file.clone())
    };
    let name = named.schedule.as_ref().or(named.pipeline.as_ref()).or(named.derivation.as_ref());
    if let Some(name) = name {
        return Err(output.error(
            "HAL0902",
            &format!("stock Halide compiles one pipeline: there is no `{name}` to choose"),
            "leave out `-p`, `-s` and `-d`",
        ));
    }
    let job = bridge::Job { origin, target: stock.target.clone() };
    Ok(Wanted::Stock(Request {
        job,
        statement: stock.ir.clone(),
        dump: stock.passes.clone(),
        assumptions: stock.assume.clone(),
    }))
}

/// Reads stock Halide's compilation of a pipeline and prints notes on what the translation left
/// out. If the translation does not support it, the verdict is unknown.
pub(crate) fn stock(request: &Request, output: &mut Output<'_>) -> Result<Stock, Stop> {
    let read = stock::read(request)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
    let stock = read.map_err(|(sources, diagnostics)| {
        for diagnostic in &diagnostics {
            output.diagnostic(&sources, diagnostic);
        }
        let reason = diagnostics.iter().find(|diagnostic| diagnostic.code == stock::UNSUPPORTED);
        let Some(reason) = reason else { return Stop::BadInput };
        Stop::Judged(Verdict::unknown(reason.message.as_str()))
    })?;
    for note in &stock.notes {
        output.line(note);
    }
    Ok(stock)
}

/// The requested pipelines and schedules; where no name is given, all of them.
fn choices(choice: &args::Choice, loaded: &Loaded) -> Result<Vec<Choice>, Diagnostic> {
    let pipelines = match &choice.named.pipeline {
        Some(name) => vec![loaded.pipeline(Some(name))?],
        None if choice.named.schedule.is_some() => vec![loaded.pipeline(None)?],
        None => (0..loaded.module.pipelines.len()).collect(),
    };
    let mut choices = Vec::new();
    for pipeline in pipelines {
        match &choice.named.schedule {
            Some(name) => {
                choices.push(Choice { pipeline, schedule: loaded.schedule(pipeline, Some(name))? })
            }
            None => {
                let count = loaded.module.pipelines[pipeline].schedules.len();
                choices.extend(
                    std::iter::once(None)
                        .chain((0..count).map(Some))
                        .map(|schedule| Choice { pipeline, schedule }),
                );
            }
        }
    }
    Ok(choices)
}

/// The schedule's name, preceded by the pipeline's if there are several.
fn key(loaded: &Loaded, choice: &Choice, all: &[Choice]) -> String {
    let schedule = loaded.schedule_of(choice).name;
    if all.iter().all(|other| other.pipeline == choice.pipeline) {
        schedule
    } else {
        format!("{}.{schedule}", loaded.module.pipelines[choice.pipeline].algorithm.name)
    }
}
