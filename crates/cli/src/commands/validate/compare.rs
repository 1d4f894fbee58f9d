//! `halidom validate --passes DUMP` alone: the statements of a dump beside each other.

use std::path::Path;

use halidom_driver::stock::{self, Beside, Comparison, Difference};
use halidom_ir::Constant;
use serde_json::{Value, json};

use super::replay::show_changes;
use crate::output::{Output, Status};

/// How many elements of an input are shown.
const SHOWN: usize = 8;

/// Compares, and says which pass changes what is computed. That none is seen to proves nothing.
pub(super) fn run(dump: &Path, output: &mut Output<'_>) -> Result<Status, Status> {
    let compared = stock::compare(dump)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
    let comparison = compared.map_err(|(sources, diagnostics)| {
        for diagnostic in &diagnostics {
            output.diagnostic(&sources, diagnostic);
        }
        if diagnostics.iter().any(|diagnostic| diagnostic.code == stock::UNSUPPORTED) {
            output.set("verdict", "unknown");
            return Status::Unknown;
        }
        Status::BadInput
    })?;
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
            show(&comparison, number, found, output);
        }
        let mut object = object;
        object["pass"] = json!(step.pass);
        passes.push(object);
    }
    output.set("passes", passes);
    output.set("runs", comparison.cases);
    let first = comparison.passes.iter().find(|step| matches!(step.beside, Beside::Different(_)));
    if let Some(first) = first {
        output.line(&format!("refuted: `{}` changes what the statement computes", first.pass));
        output.set("verdict", "refuted");
        output.set("pass", first.pass.as_str());
        return Ok(Status::Wrong);
    }
    let reason = if comparison.cases == 0 {
        "no inputs were found that the final statement accepts"
    } else {
        "no pass was seen to change what is computed, which proves nothing: with the pipeline (`--halide FILE`) the final statement is judged"
    };
    output.line(&format!("unknown: {reason}"));
    output.set("verdict", "unknown");
    output.set("reason", reason);
    Ok(Status::Unknown)
}

/// The run on which a statement differs from the one before, and the lines that the pass changed.
fn show(comparison: &Comparison, number: usize, found: &Difference, output: &mut Output<'_>) {
    for (name, value) in &found.parameters {
        output.line(&format!("    {name} = {}", constant(*value)));
    }
    for (name, array) in &found.inputs {
        let points = array.points();
        let shown = points.take(SHOWN).filter_map(|point| array.get(&point)).map(constant);
        let shown = shown.collect::<Vec<_>>().join(", ");
        output.line(&format!("    {name} {:?} = [{shown}, …]", array.shape));
    }
    for (name, window) in &found.windows {
        output.line(&format!("    {name} is required on {window:?} (min, extent)"));
    }
    let place = found.place.as_ref();
    let place = place.map_or_else(String::new, |(name, at)| format!("{name}{at:?} "));
    let [before, after] = &found.values;
    output.line(&format!("    {place}before: {before}"));
    output.line(&format!("    {place}after:  {after}"));
    let texts = [found.before, number].map(|pass| &comparison.passes[pass].text);
    show_changes(&comparison.dump, texts, output);
}

fn constant(value: Constant) -> String {
    match (value.as_bool(), value.as_integer(), value.as_f32(), value.as_f64()) {
        (Some(value), ..) => value.to_string(),
        (_, Some(value), ..) => value.to_string(),
        (_, _, Some(value), _) => format!("{value:?}"),
        (_, _, _, Some(value)) => format!("{value:?}"),
        (None, None, None, None) => String::new(),
    }
}
