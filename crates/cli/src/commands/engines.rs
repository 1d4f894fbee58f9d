//! `halidom fuzz --engine reference`: compares the validator with the reference engine.

use halidom_workshop::fuzz::engines::{self, Contradiction, Figures, Outcome, Tally};
use serde_json::{Value, json};

use super::searching::processors;
use crate::args::FuzzArgs;
use crate::output::{Ended, Output};

/// The number of programs between two lines of progress.
const PROGRESS: u64 = 100;
/// The number of reasons that are listed.
const REASONS: usize = 20;

pub(super) fn run(args: &FuzzArgs, output: &mut Output<'_>) -> Ended {
    let options = engines::Options {
        programs: args.programs,
        seed: args.seed,
        cases: 6,
        mutants: args.mutants,
        threads: args.threads.map_or_else(processors, usize::from),
    };
    if args.print {
        for seed in (0..args.programs).map(|number| args.seed.wrapping_add(number)) {
            output.line(&engines::text(seed));
        }
        return Ended::Done;
    }
    let outcome = engines::run(&options, &mut |done| {
        if done.is_multiple_of(PROGRESS) {
            output.progress(&format!("{done} programs"));
        }
    });
    match outcome {
        Ok(outcome) => report(&options, &outcome, output),
        Err(error) => output
            .error(
                "HAL0817",
                &error.to_string(),
                "run `cargo xtask setup`, or set HALIDOM_Z3; `halidom doctor` shows what is found",
            )
            .into(),
    }
}

fn report(options: &engines::Options, outcome: &Outcome, output: &mut Output<'_>) -> Ended {
    let Outcome { figures, contradictions, time } = outcome;
    for Contradiction { seed, text, mutant, what } in contradictions {
        let mutant = mutant.as_ref().map_or_else(String::new, |mutant| format!(" ({mutant})"));
        output.line(&format!("seed {seed}{mutant}: {what}\n{text}"));
    }
    let engines::Options { seed, programs, mutants, .. } = options;
    let last = seed.wrapping_add(programs.saturating_sub(1));
    output.line(&format!("seeds {seed} to {last}, {mutants} mutants each"));
    let Figures { refused, unscheduled, compiled, wrong, other, reasons, .. } = figures;
    output.line(&format!(
        "{unscheduled} schedules are not legal: the unscheduled form; {refused} pipelines cannot \
            be compiled"
    ));
    let head = ["programs", "both prove", "validator", "reference", "neither", "refuted"];
    output.line(&row("", head.map(str::to_owned)));
    let rows = [
        ("compiled", compiled),
        ("mutants that a run shows to be wrong", wrong),
        ("other mutants", other),
    ];
    for (name, tally) in rows {
        let Tally { both, default_only, reference_only, neither, refuted } = tally;
        let cells = [&tally.programs(), both, default_only, reference_only, neither, refuted];
        output.line(&row(name, cells.map(u64::to_string)));
    }
    let mut listed: Vec<(&String, &u64)> = reasons.iter().collect();
    listed.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
    for (reason, count) in listed.into_iter().take(REASONS) {
        output.detail(&format!("reference: {count} unknown: {reason}"));
    }
    let [default, reference, whole] =
        [figures.default_time, figures.reference_time, *time].map(|time| time.as_secs_f64());
    output.line(&format!(
        "{} contradictions; validator {default:.1} s, reference engine {reference:.1} s, together \
            {whole:.1} s",
        contradictions.len()
    ));
    for (key, tally) in [("compiled", compiled), ("wrong_mutants", wrong), ("other_mutants", other)]
    {
        output.set(key, object(tally));
    }
    output.set("refused", *refused);
    output.set("unscheduled", *unscheduled);
    output.set("seconds", whole);
    output.set("seconds_by_engine", json!({"default": default, "reference": reference}));
    output.set("reasons", json!(reasons));
    let found: Vec<Value> = contradictions
        .iter()
        .map(|Contradiction { seed, text, mutant, what }| {
            json!({"seed": seed, "text": text, "mutant": mutant, "what": what})
        })
        .collect();
    output.set("contradictions", found);
    outcome.verdict().map_or(Ended::Done, Ended::Judged)
}

fn row(name: &str, cells: [String; 6]) -> String {
    let cells = cells.map(|cell| format!("{cell:>12}")).concat();
    format!("{name:<38}{cells}")
}

fn object(tally: &Tally) -> Value {
    let Tally { both, default_only, reference_only, neither, refuted } = tally;
    json!({
        "programs": tally.programs(),
        "both": both,
        "default_only": default_only,
        "reference_only": reference_only,
        "neither": neither,
        "refuted": refuted,
    })
}
