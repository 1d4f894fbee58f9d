//! Verdicts that were recorded earlier.

use std::path::Path;

use halidom_driver::subject::Subject;
use halidom_verdict::{Floats, Verdict};
use serde_json::Value;

use crate::output::{Output, Stop};

/// The strength of a verdict, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    /// Proved under this equality of floats.
    Proved(Floats),
    Unknown,
    Refuted,
    Nothing,
}

impl Standing {
    pub(super) const PROVED: Self = Self::Proved(Floats::Bits);

    pub(super) fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Proved(proved) => Self::Proved(proved.modes().floats()),
            Verdict::Unknown(_) => Self::Unknown,
            Verdict::Refuted(_) => Self::Refuted,
            Verdict::Nothing(_) => Self::Nothing,
        }
    }

    /// Reads the word for a verdict, and the word for its equality of floats; `None` for anything
    /// unknown.
    fn read(verdict: &str, floats: Option<&str>) -> Option<Self> {
        let all = [Floats::Bits, Floats::Axioms, Floats::Reals];
        match verdict {
            "proved" => {
                let named = |name| all.into_iter().find(|floats| floats.name() == name);
                Some(Self::Proved(floats.map_or(Some(Floats::Bits), named)?))
            }
            "unknown" => Some(Self::Unknown),
            "refuted" => Some(Self::Refuted),
            _ => None,
        }
    }
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Proved(Floats::Bits) => f.write_str("proved"),
            Self::Proved(floats @ (Floats::Axioms | Floats::Reals)) => {
                write!(f, "proved in the mode {}", floats.name())
            }
            Self::Unknown => f.write_str("unknown"),
            Self::Refuted => f.write_str("refuted"),
            Self::Nothing => f.write_str("nothing to judge"),
        }
    }
}

/// The verdicts that a file records.
pub(super) struct Baseline {
    /// The verdicts by pipeline and schedule.
    verdicts: Vec<(String, String, Standing)>,
}

impl Baseline {
    /// Reads the output of `validate --json`.
    pub(super) fn read(path: &Path, output: &mut Output<'_>) -> Result<Self, Stop> {
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

    /// Reads the verdicts; `None` if any part of the text is not understood.
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

    /// Returns the verdict on a subject, if one is recorded.
    pub(super) fn verdict(&self, subject: &Subject) -> Option<Standing> {
        let is_it = |(pipeline, schedule, _): &&(String, String, Standing)| {
            *pipeline == subject.pipeline && *schedule == subject.schedule
        };
        self.verdicts.iter().find(is_it).map(|(_, _, standing)| *standing)
    }
}

fn entry(object: &Value) -> Option<(String, String, Standing)> {
    let text = |key: &str| Some(object.get(key)?.as_str()?.to_owned());
    let floats = object.get("floats").map(|name| name.as_str().ok_or(()));
    let standing = Standing::read(&text("verdict")?, floats.transpose().ok()?)?;
    Some((text("pipeline")?, text("schedule")?, standing))
}
