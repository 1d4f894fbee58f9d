//! Verdicts that were recorded earlier.

use std::collections::BTreeSet;
use std::path::Path;

use halidom_driver::subject::Subject;
use halidom_verdict::{Floats, Verdict};
use serde_json::Value;

use crate::output::{Output, Stop};

/// A verdict as far as a baseline compares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Proved, on this ground.
    Proved(Ground),
    Unknown,
    Refuted,
    Nothing,
}

/// The ground of a proof: its equality of floats, and the names of its axioms and conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ground {
    floats: Floats,
    names: BTreeSet<String>,
}

impl Ground {
    /// Returns what this proof rests on beyond another one; `None` if it rests on nothing more.
    fn beyond(&self, other: &Self) -> Option<String> {
        let mut more: Vec<&str> = self.names.difference(&other.names).map(String::as_str).collect();
        if self.floats > other.floats {
            more.insert(0, self.floats.name());
        }
        (!more.is_empty()).then(|| more.join(", "))
    }
}

impl Standing {
    pub(super) fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Proved(proved) => {
                let axioms = proved.modes().names().map(str::to_owned);
                let conditions = proved.conditions().map(|condition| condition.name.to_string());
                let names = axioms.chain(conditions).collect();
                Self::Proved(Ground { floats: proved.modes().floats(), names })
            }
            Verdict::Unknown(_) => Self::Unknown,
            Verdict::Refuted(_) => Self::Refuted,
            Verdict::Nothing(_) => Self::Nothing,
        }
    }

    /// The place of a verdict in the order from the best to the worst.
    fn place(&self) -> usize {
        match self {
            Self::Proved(_) => 0,
            Self::Unknown => 1,
            Self::Refuted => 2,
            Self::Nothing => 3,
        }
    }

    /// Tests for a proof of equal bits.
    pub(super) fn is_proof_of_bits(&self) -> bool {
        matches!(self, Self::Proved(ground) if ground.floats == Floats::Bits)
    }

    /// Returns in which way this verdict is worse than another one: a verdict of a worse kind, or a
    /// proof that rests on something more. `None` if it is not worse.
    pub(super) fn worse_than(&self, before: &Self) -> Option<String> {
        match (self, before) {
            (Self::Proved(now), Self::Proved(before)) => {
                now.beyond(before).map(|more| format!("proved only with {more}"))
            }
            _ => (self.place() > before.place()).then(|| self.to_string()),
        }
    }

    /// Reads the object of a verdict; `None` for anything unknown.
    fn read(object: &Value) -> Option<Self> {
        let all = [Floats::Bits, Floats::Axioms, Floats::Reals];
        match object.get("verdict")?.as_str()? {
            "proved" => {
                let modes = object.get("modes")?;
                let floats = modes.get("floats")?.as_str()?;
                let floats = all.into_iter().find(|known| known.name() == floats)?;
                let axioms = modes.get("axioms")?.as_array()?.iter().map(Value::as_str);
                let conditions = object.get("conditions")?.as_array()?.iter();
                let conditions = conditions.map(|condition| condition.get("name")?.as_str());
                let names = axioms.chain(conditions).map(|name| name.map(str::to_owned));
                Some(Self::Proved(Ground { floats, names: names.collect::<Option<_>>()? }))
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
            Self::Proved(ground) if ground.floats == Floats::Bits => f.write_str("proved"),
            Self::Proved(ground) => write!(f, "proved in the mode {}", ground.floats.name()),
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
        self.verdicts.iter().find(is_it).map(|(_, _, standing)| standing.clone())
    }
}

fn entry(object: &Value) -> Option<(String, String, Standing)> {
    let text = |key: &str| Some(object.get(key)?.as_str()?.to_owned());
    Some((text("pipeline")?, text("schedule")?, Standing::read(object)?))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Standing;

    fn proved(floats: &str, axioms: &[&str], conditions: &[&str]) -> Standing {
        let conditions: Vec<Value> = conditions.iter().map(|name| json!({"name": name})).collect();
        let object = json!({
            "verdict": "proved", "modes": {"floats": floats, "axioms": axioms},
            "conditions": conditions,
        });
        Standing::read(&object).expect("a verdict")
    }

    #[test]
    fn a_proof_that_rests_on_more_is_worse() {
        let before = proved("axioms", &["a"], &["buffers-apart"]);
        for worse in [
            proved("axioms", &["a", "b"], &["buffers-apart"]),
            proved("axioms", &["a"], &["buffers-apart", "statement-only"]),
            proved("axioms", &["a"], &["statement-only"]),
            proved("reals", &["a"], &["buffers-apart"]),
            Standing::Unknown,
            Standing::Refuted,
        ] {
            assert!(worse.worse_than(&before).is_some(), "{worse:?}");
        }
        for good in
            [before.clone(), proved("bits", &[], &["buffers-apart"]), proved("bits", &[], &[])]
        {
            assert_eq!(good.worse_than(&before), None, "{good:?}");
        }
    }

    #[test]
    fn a_proof_without_its_ground_is_no_record() {
        for object in [
            json!({"verdict": "proved"}),
            json!({"verdict": "proved", "modes": {"floats": "bits", "axioms": []}}),
            json!({
                "verdict": "proved", "modes": {"floats": "odd", "axioms": []}, "conditions": [],
            }),
            json!({"verdict": "fine"}),
        ] {
            assert_eq!(Standing::read(&object), None, "{object}");
        }
    }
}
