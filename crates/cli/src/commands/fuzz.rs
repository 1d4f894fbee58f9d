//! `halidom fuzz`: checks random programs, schedules and inputs against one another.

use std::path::Path;

use halidom_driver::files::write_bytes;
use halidom_workshop::fuzz::{
    self, Disagreement, Figures, FuzzError, Histogram, Outcome, Part, Spent,
};
use serde_json::json;

use super::searching::processors;
use super::{engines, load, stock_fuzz};
use crate::args::{Engine, FuzzArgs, FuzzTarget};
use crate::output::{Ended, Output};

/// The number of programs between two lines of progress.
const PROGRESS: u64 = 200;
/// The number of characters of a reason that are printed.
const REASON: usize = 200;

pub(crate) fn run(args: &FuzzArgs, output: &mut Output<'_>) -> Ended {
    if args.target == FuzzTarget::Halide {
        return stock_fuzz::run(args, output);
    }
    if args.engine == Engine::Reference {
        return engines::run(args, output);
    }
    let mut options = fuzz::Options {
        programs: args.programs,
        seed: args.seed,
        schedules: args.schedules,
        completions: args.completions,
        native_one_in: args.native_one_in,
        validate_one_in: if args.no_validate { 0 } else { args.validate_one_in },
        mutants: args.mutants,
        threads: args.threads.map_or_else(processors, usize::from),
        stop_after: args.stop_after.max(1),
        shrink: !args.no_shrink,
        ..fuzz::Options::default()
    };
    if let Some(path) = &args.file {
        let loaded = match load(path, output) {
            Ok(loaded) => loaded,
            Err(stop) => return stop.into(),
        };
        options.text = Some(loaded.text().to_owned());
        options.programs = 1;
    }
    if args.print {
        for seed in (0..args.programs).map(|number| args.seed.wrapping_add(number)) {
            output.line(&fuzz::text(seed, args.schedules));
        }
        return Ended::Done;
    }
    let mut told = 0;
    let outcome = fuzz::run(&options, &mut |figures| {
        if figures.programs >= told + PROGRESS {
            told = figures.programs;
            output.progress(&words(figures));
        }
    });
    match outcome {
        Ok(outcome) => report(&options, &outcome, &args.findings, output),
        Err(error @ FuzzError::Solver(_)) => output
            .error(
                "HAL0817",
                &error.to_string(),
                "run `cargo xtask setup`, or set HALIDOM_Z3; `halidom doctor` shows what is found",
            )
            .into(),
        Err(error @ FuzzError::Compiler(_)) => output
            .error(
                "HAL0705",
                &error.to_string(),
                "run `halidom doctor`; `--native-one-in 0` does without",
            )
            .into(),
    }
}

fn report(
    options: &fuzz::Options,
    outcome: &Outcome,
    findings: &Path,
    output: &mut Output<'_>,
) -> Ended {
    let Outcome { figures, disagreements, undecided, spent, slowest, time } = outcome;
    for undecided in undecided {
        let fuzz::Undecided { seed, schedule, reason } = undecided;
        let reason: String = reason.chars().take(REASON).collect();
        output.detail(&format!("unknown: seed {seed} under {schedule}: {reason}"));
    }
    for disagreement in disagreements {
        show(disagreement, output);
        if let Err(error) = keep(disagreement, findings) {
            output.error(error.code(), &error.to_string(), error.hint());
        }
    }
    let seconds = time.as_secs_f64();
    let rate = figures.programs as f64 / seconds.max(1e-9);
    let fuzz::Options { seed, programs, validate_one_in, native_one_in, .. } = options;
    output.line(&format!(
        "seeds {seed} to {}; validated: {}; compiled to native code: {}",
        seed.wrapping_add(programs.saturating_sub(1)),
        fraction(*validate_one_in),
        fraction(*native_one_in)
    ));
    output.line(&words(figures));
    output.line(&format!("directives applied: {}", listed(&figures.directives)));
    output.line(&format!("programs with: {}", listed(&figures.features)));
    table(figures, spent, output);
    let slow: Vec<String> = slowest
        .0
        .iter()
        .map(|(seed, spent)| {
            let part = spent.longest();
            let [total, most] = [spent.total(), spent.of(part)].map(|time| time.as_secs_f64());
            format!("seed {seed} {total:.1} s ({} {most:.1} s)", part.name())
        })
        .collect();
    output.line(&format!("slowest programs: {}", slow.join(", ")));
    output.line(&format!(
        "{} disagreements, {seconds:.1} s, {rate:.1} programs/s",
        disagreements.len()
    ));
    for (name, count) in figures.counts() {
        output.set(name, count);
    }
    output.set("directives", json!(figures.directives));
    output.set("features", json!(figures.features));
    output.set("seconds", seconds);
    let parts = Part::ALL.map(|part| (part.name().to_owned(), json!(spent.of(part).as_secs_f64())));
    output.set("seconds_by_part", json!(serde_json::Map::from_iter(parts)));
    let slow = |(seed, spent): &(u64, Spent)| {
        let seconds = spent.total().as_secs_f64();
        json!({ "seed": seed, "seconds": seconds })
    };
    output.set("slowest", json!(slowest.0.iter().map(slow).collect::<Vec<_>>()));
    let found: Vec<_> = disagreements
        .iter()
        .map(|found| {
            json!({
                "seed": found.seed,
                "schedule": found.schedule,
                "who": found.kind.name(),
                "what": found.what,
                "text": found.text,
                "small": found.small,
                "inputs": found.inputs,
            })
        })
        .collect();
    output.set("disagreements", found);
    outcome.verdict().map_or(Ended::Done, Ended::Judged)
}

/// Writes a finding to files that the other commands read.
fn keep(found: &Disagreement, folder: &Path) -> Result<(), halidom_driver::files::FileError> {
    std::fs::create_dir_all(folder).map_err(|source| halidom_driver::files::FileError::Write {
        path: folder.to_owned(),
        source,
    })?;
    let heading = found.heading();
    let inputs = found.inputs.iter().flat_map(|inputs| inputs.lines());
    let lines: Vec<&str> = heading.lines().chain(inputs).collect();
    let comment = format!("// {}\n", lines.join("\n// "));
    let write = |name: String, text: &str| {
        write_bytes(&folder.join(name), format!("{comment}{text}").as_bytes())
    };
    write(format!("seed_{}.hal", found.seed), &found.text)?;
    match &found.small {
        Some(small) => write(format!("seed_{}_small.hal", found.seed), small),
        None => Ok(()),
    }
}

fn show(found: &Disagreement, output: &mut Output<'_>) {
    output.line(&found.heading());
    output.line(found.small.as_ref().unwrap_or(&found.text));
    if let Some(inputs) = &found.inputs {
        output.line(inputs);
    }
    output.line("");
}

/// Prints the time that each part of the work took.
fn table(figures: &Figures, spent: &Spent, output: &mut Output<'_>) {
    let whole = spent.total().as_secs_f64().max(1e-9);
    let programs = figures.programs.max(1) as f64;
    output.line(&format!("{:<28}{:>10}{:>8}{:>14}", "time (all threads)", "s", "%", "ms/program"));
    let rows = Part::ALL.map(|part| (part.name(), spent.of(part).as_secs_f64()));
    for (name, seconds) in rows.into_iter().chain([("together", whole)]) {
        let (share, each) = (100.0 * seconds / whole, 1000.0 * seconds / programs);
        output.line(&format!("{name:<28}{seconds:>10.1}{share:>8.1}{each:>14.2}"));
    }
}

fn fraction(one_in: u64) -> String {
    match one_in {
        0 => "none".to_owned(),
        1 => "all".to_owned(),
        _ => format!("one in {one_in}"),
    }
}

fn listed(histogram: &Histogram) -> String {
    let entries: Vec<String> =
        histogram.iter().map(|(name, count)| format!("{name} {count}")).collect();
    entries.join(", ")
}

fn words(figures: &Figures) -> String {
    let Figures {
        programs,
        refused,
        steps,
        steps_refused,
        directives_refused,
        completions,
        random_completions,
        runs,
        runs_reordered,
        runs_refused,
        compiles,
        native,
        native_optimised,
        native_runs,
        proved,
        unknown,
        mutants,
        directives,
        features: _,
    } = figures;
    let applied: u64 = directives.values().sum();
    format!(
        "{programs} programs ({refused} not compiled): {steps} steps of schedules, {steps_refused} \
            refused, {applied} directives applied, {directives_refused} left out as illegal; \
         {completions} completions ({random_completions} random), {runs} runs ({runs_reordered} \
         with reordered updates), {runs_refused} refused at entry; \
         {compiles} final programs, {native} compiled to native code ({native_optimised} \
         optimised), {native_runs} native runs; {proved} proved, {unknown} unknown; {mutants} \
         wrong mutants"
    )
}
