//! `halidom validate --passes DUMP` alone: compares the statements of a dump with one another.

use std::path::Path;

use halidom_driver::stock::{self, Beside, Comparison, Difference};
use serde_json::{Value, json};

use super::replay::show_changes;
use super::show;
use crate::output::{Ended, Output, Stop};

/// Compares the statements and reports the pass that changes what is computed. If no pass is seen
/// to change it, nothing is proved.
pub(super) fn run(dump: &Path, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let comparison = stock::compare(dump).map_err(|refusal| output.unjudged(&refusal))?;
    let mut passes: Vec<Value> = Vec::new();
    for (number, step) in comparison.passes.iter().enumerate() {
        let (line, object) = match &step.beside {
            Beside::First => {
                ("the first that can be run".to_owned(), json!({ "outcome": "first" }))
            }
            Beside::Same(runs) => {
                (format!("the same on {runs} runs"), json!({ "outcome": "same", "runs": runs }))
            }
            Beside::Different(found) => {
                let before = &comparison.passes[found.before].pass;
                (
                    format!("DIFFERS from the statement after `{before}`"),
                    json!({ "outcome": "different", "before": before, "values": found.values }),
                )
            }
            Beside::NotRun(reason) => {
                (format!("not run ({reason})"), json!({ "outcome": "not run", "reason": reason }))
            }
        };
        output.line(&format!("{}: {line}", step.pass));
        if let Beside::Different(found) = &step.beside {
            shown(&comparison, number, found, output);
        }
        let mut object = object;
        object["pass"] = json!(step.pass);
        passes.push(object);
    }
    output.set("passes", passes);
    output.set("runs", comparison.cases);
    if let Some((step, _)) = comparison.first() {
        output.line(&format!("`{}` changes what the statement computes", step.pass));
        output.set("pass", step.pass.as_str());
    }
    Ok(Ended::Judged(comparison.verdict()))
}

/// Shows the run on which a statement differs from the previous one, and the lines that the pass
/// changed.
fn shown(comparison: &Comparison, number: usize, found: &Difference, output: &mut Output<'_>) {
    for line in show::inputs(&found.parameters, &found.inputs, &found.windows) {
        output.line(&format!("    {line}"));
    }
    let place = found.place.as_ref();
    let place = place.map_or_else(String::new, |(name, at)| format!("{name}{at:?} "));
    let [before, after] = &found.values;
    output.line(&format!("    {place}before: {before}"));
    output.line(&format!("    {place}after:  {after}"));
    let texts = [found.before, number].map(|pass| &comparison.passes[pass].text);
    show_changes(&comparison.dump, texts, output);
}
