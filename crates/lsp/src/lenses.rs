//! Code lenses: a command above each schedule that proves it, and its verdict.

use halidom_driver::source::schedule_names;
use serde_json::{Value, json};

use crate::document::Document;
use crate::reports::{range, schedule_span};
use crate::verdicts::Proof;

/// The command that proves a schedule, and the one that cancels a proof.
pub(crate) const PROVE: &str = "halidom.prove";
pub(crate) const CANCEL: &str = "halidom.cancel";

/// Returns a lens for each schedule without errors, and for the unscheduled form.
pub(crate) fn lenses(document: &Document) -> Value {
    let mut lenses = Vec::new();
    for pipeline in &document.loaded.module.pipelines {
        for schedule in schedule_names(pipeline) {
            let named = (pipeline.algorithm.name.clone(), schedule.to_owned());
            let Some(span) = schedule_span(document, &named) else { continue };
            let (title, command) = match document.proofs.get(&named) {
                None if schedule == "default" => ("prove (unscheduled)".to_owned(), PROVE),
                None => ("prove".to_owned(), PROVE),
                Some(Proof::Running) => ("proving … (cancel)".to_owned(), CANCEL),
                Some(Proof::Ended(judged)) => (judged.title.clone(), PROVE),
            };
            let arguments =
                json!([{"uri": document.uri, "pipeline": named.0, "schedule": named.1}]);
            let command = json!({"title": title, "command": command, "arguments": arguments});
            lenses.push(json!({"range": range(document, span), "command": command}));
        }
    }
    Value::Array(lenses)
}
