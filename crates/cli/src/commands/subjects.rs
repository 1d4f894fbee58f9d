//! The subjects of a command that judges programs: one of a file's pipelines, schedules or
//! derivations, or all of them.

use halidom::Input;
use halidom_driver::input::Refusal;
use halidom_driver::stock::{self, Request, Stock};
use halidom_driver::subject::Subject;
use halidom_driver::wanted::{self, Generator, Wording};
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
    let generator = stock.generator.as_ref().map(|binary| Generator {
        binary: binary.clone(),
        name: stock.generator_name.clone(),
        plugins: stock.plugin.clone(),
        gradients: stock.gradient_descent,
    });
    let wording = Wording {
        words: words.clone(),
        named: names(named),
        is_stock: stock.halide,
        script: stock.halide_script.clone(),
        generator,
        target: stock.target.clone(),
        statement: stock.ir.clone(),
        passes: stock.passes.clone(),
        assumptions: stock.assume.clone(),
    };
    match wording.wanted().map_err(|refusal| output.refused(&refusal))? {
        wanted::Wanted::Own(file) => {
            Ok(Wanted::Choice(args::Choice { file, named: named.clone() }))
        }
        wanted::Wanted::Stock(request) => Ok(Wanted::Stock(*request)),
    }
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
