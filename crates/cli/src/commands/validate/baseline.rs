//! Verdicts that were recorded earlier.

use std::path::Path;

use halidom_driver::subject::Subject;
use halidom_validate::{Floats, Report, Verdict};
use serde_json::Value;

use crate::output::{Output, Status};

/// Verdicts, from the best to the worst.
const VERDICTS: [&str; 3] = ["proved", "unknown", "refuted"];

/// How bad a verdict is.
pub(super) fn rank(verdict: &str) -> usize {
    VERDICTS.iter().position(|known| *known == verdict).unwrap_or(VERDICTS.len())
}

/// A verdict, and the weakest equality of floats that it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    verdict: &'static str,
    floats: Floats,
}

impl Standing {
    pub(super) const PROVED: Self = Self { verdict: "proved", floats: Floats::Bits };

    pub(super) fn of(report: &Report) -> Self {
        let proved = matches!(report.verdict, Verdict::Proved);
        let floats = if proved { report.floats().0 } else { Floats::Bits };
        Self { verdict: super::word(&report.verdict), floats }
    }

    /// Whether less is known than by `other`.
    pub(super) fn is_worse(self, other: Self) -> bool {
        (rank(self.verdict), self.floats) > (rank(other.verdict), other.floats)
    }
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.floats {
            Floats::Bits => f.write_str(self.verdict),
            Floats::Axioms | Floats::Reals => {
                write!(f, "{} in the mode {}", self.verdict, self.floats.name())
            }
        }
    }
}

/// What a file records.
pub(super) struct Baseline {
    /// By pipeline and schedule.
    verdicts: Vec<(String, String, Standing)>,
}

impl Baseline {
    /// Reads what `validate --json` printed.
    pub(super) fn read(path: &Path, output: &mut Output<'_>) -> Result<Self, Status> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            let message = format!("cannot read `{name}`: {error}");
            output.error("HAL0801", &message, "`halidom validate FILE --json > BASELINE` makes one")
        })?;
        Self::parse(&text).ok_or_else(|| {
            output.error(
                "HAL0909",
                &format!("`{name}` records no verdicts"),
                "`halidom validate FILE --json > BASELINE` makes one that does",
            )
        })
    }

    /// `None` if there is anything in the text that is not understood.
    fn parse(text: &str) -> Option<Self> {
        let root: Value = serde_json::from_str(text).ok()?;
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

    /// The verdict on a subject, if there is one.
    pub(super) fn verdict(&self, subject: &Subject) -> Option<Standing> {
        let is_it = |(pipeline, schedule, _): &&(String, String, Standing)| {
            *pipeline == subject.pipeline && *schedule == subject.schedule
        };
        self.verdicts.iter().find(is_it).map(|(_, _, standing)| *standing)
    }
}

fn entry(object: &Value) -> Option<(String, String, Standing)> {
    let text = |key: &str| Some(object.get(key)?.as_str()?.to_owned());
    let verdict = text("verdict")?;
    let verdict = VERDICTS.into_iter().find(|known| *known == verdict)?;
    let floats = match object.get("floats") {
        None => Floats::Bits,
        Some(name) => [Floats::Bits, Floats::Axioms, Floats::Reals]
            .into_iter()
            .find(|floats| Some(floats.name()) == name.as_str())?,
    };
    Some((text("pipeline")?, text("schedule")?, Standing { verdict, floats }))
}
