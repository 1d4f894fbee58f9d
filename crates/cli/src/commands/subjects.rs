//! The subjects of a command that judges programs: one of a file's pipelines, schedules or
//! derivations, or all of them.

use halidom::{Input, Kind};
use halidom_driver::input::Refusal;
use halidom_driver::stock::{self, Request, Stock, bridge};
use halidom_driver::subject::Subject;
use halidom_verdict::Verdict;

use super::{compile, names, open};
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
    let mut input = open(choice, output)?;
    let all = input.all(&names(&choice.named)).map_err(|refusal| output.refused(&refusal))?;
    for chosen in &all {
        let subject = compile(&mut input, chosen, &mut |_, _, _| {}, output)?;
        let nest = input.loop_nest(chosen);
        each(&input.key(chosen, &all), subject, nest, output)?;
    }
    Ok(match input {
        Input::Pipelines(_) | Input::Program(_) | Input::Stock(_) => SCHEDULES,
        Input::Derivations(_) => DERIVATIONS,
    })
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
    let mut compiled = None;
    let origin = if let Some(binary) = &stock.generator {
        let params: Vec<String> =
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        if let Some(param) = params.iter().find(|param| !param.contains('=')) {
            return malformed(param, "--generator", "its parameters as NAME=VALUE");
        }
        let (binary, name) = (binary.clone(), stock.generator_name.clone());
        let plugins = stock.plugin.clone();
        let gradients = stock.gradient_descent;
        bridge::Origin::Generator(bridge::Generator { binary, name, params, plugins, gradients })
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
        if let Some(target) = stock.target.as_ref().filter(|_| !stock.halide) {
            return Err(output.error(
                "HAL0906",
                &format!("`--target {target}` is about what stock Halide compiles"),
                "leave it out: the proof of a program of our own holds on every target",
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
        if file.is_dir() {
            compiled = Some(file.clone());
        }
        bridge::Origin::File(compiled.as_deref().map_or_else(|| file.clone(), bridge::pipeline_in))
    };
    let request = Request {
        job: bridge::Job { target: stock.target.clone(), ..bridge::Job::of(origin) },
        statement: stock.ir.clone(),
        compiled,
        dump: stock.passes.clone(),
        assumptions: stock.assume.clone(),
    };
    let (kind, named) = (Kind::Stock, names(named));
    kind.check(request.file(), &named)
        .and_then(|()| kind.check_windows(request.file(), &named))
        .map_err(|refusal| output.refused(&refusal))?;
    Ok(Wanted::Stock(request))
}

/// Reads stock Halide's compilation of a pipeline and prints notes on what the translation left
/// out. If the translation does not support it, the verdict is unknown.
pub(crate) fn stock(request: &Request, output: &mut Output<'_>) -> Result<Stock, Stop> {
    stock_or(request, |_, _| None, output)
}

/// Like [`stock`]. If the translation refuses the compile, `refuted` may find a verdict by runs.
pub(crate) fn stock_or(
    request: &Request,
    refuted: impl FnOnce(&Refusal, &mut Output<'_>) -> Option<Verdict>,
    output: &mut Output<'_>,
) -> Result<Stock, Stop> {
    let stock = match stock::read(request) {
        Ok(stock) => stock,
        Err(refusal) => {
            let found = refuted(&refusal, output);
            return Err(found.map_or_else(|| output.unjudged(&refusal), Stop::Judged));
        }
    };
    for note in &stock.notes {
        output.line(&note.to_string());
    }
    Ok(stock)
}
