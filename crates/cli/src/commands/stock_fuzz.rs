//! `halidom fuzz --target halide`: runs random programs through stock Halide.

use std::collections::BTreeMap;

use halidom_workshop::stock::fuzz::{self, Figures, Finding, FuzzError, Outcome};
use serde_json::{Value, json};

use super::searching::processors;
use crate::args::FuzzArgs;
use crate::output::{Ended, Output};

/// The number of cases on which the code of each program is run.
const CASES: usize = 4;
/// The number of reasons that are listed.
const REASONS: usize = 12;

pub(super) fn run(args: &FuzzArgs, output: &mut Output<'_>) -> Ended {
    let options = fuzz::Options {
        programs: args.programs,
        seed: args.seed,
        cases: CASES,
        threads: args.threads.map_or_else(processors, usize::from),
        stop_after: args.stop_after.max(1),
        shrink: !args.no_shrink,
    };
    let outcome = fuzz::run(&options, &mut |figures| {
        output.progress(&format!("{} programs", figures.programs))
    });
    match outcome {
        Ok(outcome) => report(args, &outcome, output),
        Err(FuzzError::Halide(error)) => {
            let diagnostic = error.diagnostic(None);
            output.diagnostic(&halidom_diag::Sources::new(), &diagnostic);
            Ended::BadInput
        }
        Err(error @ FuzzError::Solver(_)) => output
            .error(
                "HAL0817",
                &error.to_string(),
                "run `cargo xtask setup`, or set HALIDOM_Z3; `halidom doctor` shows what is found",
            )
            .into(),
    }
}

fn report(args: &FuzzArgs, outcome: &Outcome, output: &mut Output<'_>) -> Ended {
    let Outcome { figures, findings, time } = outcome;
    for finding in findings {
        let Finding { seed, kind, what, script, small, .. } = finding;
        output.line(&format!("seed {seed}: {}: {what}", kind.name()));
        output.line(small.as_ref().unwrap_or(script));
        match fuzz::keep(finding, &args.findings) {
            Ok(folder) => output.line(&format!("written to {}\n", folder.display())),
            Err(error) => {
                output.error(error.code(), &error.to_string(), error.hint());
            }
        }
    }
    let Figures {
        programs,
        unprintable,
        refused,
        proved,
        refuted,
        not_borne_out,
        unknown,
        untranslated,
        runs,
        runs_refused,
        directives,
    } = figures;
    let sum = |reasons: &BTreeMap<String, u64>| reasons.values().sum::<u64>();
    output.line(&format!(
        "seeds {} to {}: {programs} programs, {} without a script, {refused} refused by Halide, {} \
            not translated; {proved} proved, {refuted} refuted, {} unknown; {runs} runs of \
            compiled code, {runs_refused} refused at entry",
        args.seed,
        args.seed.wrapping_add(programs.saturating_sub(1)),
        sum(unprintable),
        sum(untranslated),
        sum(unknown),
    ));
    output.line(&format!("directives: {}", listed(directives, usize::MAX)));
    output.line(&format!("without a script: {}", listed(unprintable, REASONS)));
    output.line(&format!("not translated: {}", listed(untranslated, REASONS)));
    output.line(&format!("unknown: {}", listed(unknown, REASONS)));
    output.line(&format!("refuted and not borne out: {}", listed(not_borne_out, REASONS)));
    output.line(&format!("{} findings, {:.1} s", findings.len(), time.as_secs_f64()));
    output.set("programs", *programs);
    output.set("proved", *proved);
    output.set("refuted", *refuted);
    output.set("not_borne_out", json!(not_borne_out));
    output.set("unknown", json!(unknown));
    output.set("not_translated", json!(untranslated));
    output.set("refused", *refused);
    output.set("runs", *runs);
    output.set("directives", json!(directives));
    let found: Vec<Value> = findings
        .iter()
        .map(|found| {
            json!({
                "seed": found.seed,
                "kind": found.kind.name(),
                "what": found.what,
                "script": found.small.as_ref().unwrap_or(&found.script),
            })
        })
        .collect();
    output.set("findings", found);
    outcome.verdict().map_or(Ended::Done, Ended::Judged)
}

/// Lists counts by name, the most frequent first.
fn listed(counts: &BTreeMap<String, u64>, most: usize) -> String {
    let mut counts: Vec<(&String, &u64)> = counts.iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    let words = counts.into_iter().take(most).map(|(name, count)| format!("{name} {count}"));
    words.collect::<Vec<_>>().join("; ")
}
