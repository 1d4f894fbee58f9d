//! Baselines: the verdicts that a file records, with which later ones are compared.

use std::path::Path;

use halidom_verdict::{Record, SCHEMA};
use serde_json::Value;

use crate::refusal::Refusal;
use crate::subject::Subject;

/// The verdicts that a file records.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The verdicts by pipeline and schedule.
    verdicts: Vec<(String, String, Record)>,
}

impl Baseline {
    /// Reads the output of `validate --json`.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            let message = format!("cannot read `{name}`: {error}");
            let hint = "`halidom validate FILE --json > BASELINE` makes one";
            Refusal::without_place("HAL0801", message, hint)
        })?;
        Self::parse(&text).ok_or_else(|| {
            let message = format!("`{name}` records no verdicts of the form `{SCHEMA}`");
            let hint = "`halidom validate FILE --json > BASELINE` makes one that does";
            Refusal::without_place("HAL0909", message, hint)
        })
    }

    /// Reads the verdicts; `None` if any part of the text is not understood.
    fn parse(text: &str) -> Option<Self> {
        let root: Value = serde_json::from_str(text).ok()?;
        // The keys of another form may have another meaning.
        if root.get("schema")? != SCHEMA {
            return None;
        }
        let mut verdicts = Vec::new();
        let groups: Vec<&Value> =
            ["schedules", "derivations"].iter().filter_map(|key| root.get(*key)).collect();
        if groups.is_empty() {
            verdicts.push(entry(&root)?);
        }
        for group in groups {
            for object in group.as_object()?.values() {
                verdicts.push(entry(object)?);
            }
        }
        Some(Self { verdicts })
    }

    /// Returns the verdict on a subject, if one is recorded.
    pub fn verdict(&self, subject: &Subject) -> Option<&Record> {
        let is_it = |(pipeline, schedule, _): &&(String, String, Record)| {
            *pipeline == subject.pipeline && *schedule == subject.schedule
        };
        self.verdicts.iter().find(is_it).map(|(_, _, record)| record)
    }
}

fn entry(object: &Value) -> Option<(String, String, Record)> {
    let text = |key: &str| Some(object.get(key)?.as_str()?.to_owned());
    Some((text("pipeline")?, text("schedule")?, Record::read(object)?))
}
