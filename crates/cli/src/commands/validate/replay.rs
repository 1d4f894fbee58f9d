//! The behaviour of stock Halide's compiled code on the inputs of a refutation, and the pass at
//! fault.

use std::ops::Range;

use halidom_driver::stock::{self, Outcome, Replay, Stock, Tried};
use halidom_validate::{Counterexample, Report, Verdict};
use serde_json::json;

use crate::output::Output;

/// The number of lines of a statement that are shown before and after the pass at fault.
const CHANGES: usize = 8;

/// Describes what compiled code did.
fn said(replay: &Replay) -> String {
    match replay {
        Replay::Wrong { output, coords, expected, got } => {
            format!("compiled code: {output}{coords:?} is {got}, and the pipeline says {expected}")
        }
        Replay::Faults(seen) => {
            format!("compiled code: gives what the pipeline says, and faults: {seen}")
        }
        Replay::Right => "compiled code: gives what the pipeline says".to_owned(),
        Replay::Killed(words) | Replay::Failed(words) => {
            format!("compiled code: not run ({words})")
        }
    }
}

/// Reports what Halide's compiled code did on the inputs of a refutation.
pub(super) fn show(stock: &Stock, replay: &Replay, report: &Report, output: &mut Output<'_>) {
    let line = said(replay);
    let replayed = matches!(replay, Replay::Wrong { .. } | Replay::Faults(_));
    output.line(&format!("  {line}"));
    output.set("compiled_code", json!({ "replayed": replayed, "said": line }));
    if let Verdict::Refuted(counterexample) = &report.verdict {
        show_pass(stock, counterexample, output);
    }
}

/// Reports what the compiled code of a proved statement did in runs.
pub(super) fn show_tried(tried: &Tried, report: &Report, output: &mut Output<'_>) {
    let line = match tried {
        Tried::Agreed { runs, refused } => {
            let refusing = match refused {
                0 => String::new(),
                refused => format!("; its entry checks refuse {refused}"),
            };
            format!("compiled code: gives what the pipeline says in {runs} runs{refusing}")
        }
        Tried::Differs(Replay::Killed(words)) => format!("compiled code: {words}"),
        Tried::Differs(replay) => said(replay),
        Tried::NotRun(words) => format!("compiled code: not run ({words})"),
    };
    output.line(&format!("  {line}"));
    let replayed = matches!(tried, Tried::Differs(Replay::Wrong { .. }));
    output.set("compiled_code", json!({ "replayed": replayed, "said": line }));
    if matches!(report.verdict, Verdict::Refuted(_)) {
        let pass = "code generation";
        output.line(&format!("  pass: {pass}: the statement is proved, and its code is wrong"));
        output.set("pass", pass);
    }
}

/// Reports the first pass of Halide's compiler after which the statement is wrong, if the dump of
/// the passes is known.
pub(crate) fn show_pass(stock: &Stock, counterexample: &Counterexample, output: &mut Output<'_>) {
    let Some(dump) = stock::dump(stock) else { return };
    let steps = match stock::passes(stock, &dump, counterexample) {
        Ok(steps) => steps,
        Err(error) => return output.line(&format!("  pass: the dump is not read: {error}")),
    };
    for step in &steps {
        output.detail(&format!("{}: {:?}", step.pass, step.outcome));
    }
    let Some(wrong) = steps.iter().position(|step| step.outcome == Outcome::Wrong) else {
        return output.line("  pass: no statement of the dump is wrong on these inputs");
    };
    let pass = &steps[wrong].pass;
    let before = steps[..wrong].iter().rposition(|step| step.outcome == Outcome::Right);
    let line = match before {
        Some(before) if before + 1 == wrong => {
            format!("pass: wrong after `{pass}`, right after `{}`", steps[before].pass)
        }
        Some(before) => format!(
            "pass: wrong after `{pass}`; the last that is known to be right is after `{}`",
            steps[before].pass
        ),
        None => format!(
            "pass: wrong after `{pass}`, the first whose statement can be run: it, one before it, \
                or the schedule is at fault"
        ),
    };
    output.line(&format!("  {line}"));
    output.set("pass", pass.as_str());
    if let Some(before) = before {
        show_changes(&dump, [&steps[before].text, &steps[wrong].text], output);
    }
}

/// Shows the lines in which two statements of a dump differ.
pub(super) fn show_changes(dump: &str, texts: [&Range<usize>; 2], output: &mut Output<'_>) {
    for (sign, lines) in ["-", "+"].into_iter().zip(stock::changes(dump, texts)) {
        for line in lines.iter().take(CHANGES) {
            output.line(&format!("    {sign} {}", line.trim()));
        }
        if lines.len() > CHANGES {
            output.line(&format!("    {sign} … {} lines in all", lines.len()));
        }
    }
}
