//! `halidom fuzz`: random programs × schedules × inputs against one another.

use halidom_driver::fuzz::{self, Disagreement, Figures, FuzzError, Outcome};
use serde_json::json;

use crate::args::FuzzArgs;
use crate::output::{Output, Status};

/// A line of progress after so many programs.
const PROGRESS: u64 = 100;

pub(crate) fn run(args: &FuzzArgs, output: &mut Output<'_>) -> Status {
    let options = fuzz::Options {
        programs: args.programs,
        seed: args.seed,
        schedules: args.schedules,
        native_one_in: args.native_one_in,
        validate: !args.no_validate,
        mutants: args.mutants,
        threads: args.threads.unwrap_or_else(processors),
        ..fuzz::Options::default()
    };
    let outcome = fuzz::run(&options, &mut |figures| {
        if figures.programs.is_multiple_of(PROGRESS) {
            output.progress(&words(figures));
        }
    });
    match outcome {
        Ok(outcome) => report(&outcome, output),
        Err(error @ FuzzError::Solver(_)) => output.error(
            "HAL0817",
            &error.to_string(),
            "run `cargo xtask setup`, or set HALIDOM_Z3; `halidom doctor` shows what is found",
        ),
        Err(error @ FuzzError::Compiler(_)) => output.error(
            "HAL0705",
            &error.to_string(),
            "run `halidom doctor`; `--native-one-in 0` does without",
        ),
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn report(outcome: &Outcome, output: &mut Output<'_>) -> Status {
    let Outcome { figures, disagreements, undecided, time } = outcome;
    for undecided in undecided {
        let fuzz::Undecided { seed, schedule, reason } = undecided;
        output.detail(&format!("unknown: seed {seed} under {schedule}: {reason}"));
    }
    for disagreement in disagreements {
        show(disagreement, output);
    }
    let seconds = time.as_secs_f64();
    let rate = figures.programs as f64 / seconds.max(1e-9);
    output.line(&words(figures));
    output.line(&format!(
        "{} disagreements, {seconds:.1} s, {rate:.1} programs/s",
        disagreements.len()
    ));
    let Figures {
        programs,
        compiles,
        refused,
        cases,
        cases_refused,
        native,
        proved,
        unknown,
        mutants,
    } = figures;
    output.set("programs", *programs);
    output.set("compiles", *compiles);
    output.set("refused", *refused);
    output.set("cases", *cases);
    output.set("cases_refused", *cases_refused);
    output.set("native", *native);
    output.set("proved", *proved);
    output.set("unknown", *unknown);
    output.set("wrong_mutants", *mutants);
    output.set("seconds", seconds);
    let findings: Vec<_> = disagreements
        .iter()
        .map(|found| {
            json!({
                "seed": found.seed,
                "schedule": found.schedule,
                "what": found.what,
                "text": found.text,
                "inputs": found.inputs,
            })
        })
        .collect();
    output.set("disagreements", findings);
    if disagreements.is_empty() { Status::Done } else { Status::Wrong }
}

fn show(disagreement: &Disagreement, output: &mut Output<'_>) {
    let Disagreement { seed, text, schedule, what, inputs } = disagreement;
    let under = schedule.as_ref().map_or_else(String::new, |name| format!(" under {name}"));
    output.line(&format!("seed {seed}{under}: {what}"));
    output.line(text);
    if let Some(inputs) = inputs {
        output.line(inputs);
    }
    output.line("");
}

fn words(figures: &Figures) -> String {
    let Figures {
        programs,
        compiles,
        refused,
        cases,
        cases_refused,
        native,
        proved,
        unknown,
        mutants,
    } = figures;
    format!(
        "{programs} programs: {compiles} compiles, {refused} schedules refused; {cases} cases, {cases_refused} of them refused at entry; {native} native; {proved} proved, {unknown} unknown; {mutants} wrong mutants"
    )
}
