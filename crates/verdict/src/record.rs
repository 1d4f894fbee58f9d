//! Recorded verdicts, and the comparison of a verdict with a recorded one.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::{Cause, Floats, Verdict, Word};

/// A verdict as far as later ones are compared with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    word: Word,
    /// The ground of a proof; other verdicts rest on nothing.
    ground: Option<Ground>,
}

/// The ground of a proof: its equality of floats, and the names of its axioms and conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ground {
    floats: Floats,
    names: BTreeSet<String>,
}

/// A verdict in comparison with the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// It is a verdict of a worse kind.
    Worse,
    /// It is a proof, like the recorded one, that rests on these further things.
    Weaker(String),
    /// It is a verdict of a better kind, or a proof that rests on less.
    Better,
    /// It is no worse and no better.
    Same,
}

impl Record {
    /// Records a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        let ground = match verdict {
            Verdict::Proved(proved) => {
                let axioms = proved.modes().names().map(str::to_owned);
                let conditions = proved.conditions().map(|condition| condition.name.to_string());
                let names = axioms.chain(conditions).collect();
                Some(Ground { floats: proved.modes().floats(), names })
            }
            Verdict::Refuted(_) | Verdict::Unknown(_) | Verdict::Nothing(_) => None,
        };
        Self { word: verdict.word(), ground }
    }

    /// Reads a JSON object with the keys of a verdict ([`Verdict::json`]). Returns `None` if it has
    /// no judgement, or a part of it is not understood.
    pub fn read(object: &Value) -> Option<Self> {
        let word = Word::named(object.get("verdict")?.as_str()?)?;
        let ground = match word {
            Word::Proved => Some(Ground::read(object)?),
            Word::Refuted | Word::Unknown => None,
            Word::Nothing => return None,
        };
        Some(Self { word, ground })
    }

    /// Tests for a proof of equal bits.
    pub fn is_proof_of_bits(&self) -> bool {
        self.ground.as_ref().is_some_and(|ground| ground.floats == Floats::Bits)
    }

    /// Returns what a proof rests on beyond an earlier proof, if anything.
    fn beyond(&self, before: &Self) -> Option<String> {
        let (now, before) = (self.ground.as_ref()?, before.ground.as_ref()?);
        let mut more: Vec<&str> = now.names.difference(&before.names).map(String::as_str).collect();
        if now.floats > before.floats {
            more.insert(0, now.floats.name());
        }
        (!more.is_empty()).then(|| more.join(", "))
    }

    /// The place among kinds of verdicts from the best to the worst. A subject that was judged
    /// once, and has nothing to judge any more, is worse than a refuted one.
    fn place(&self) -> usize {
        match self.word {
            Word::Proved => 0,
            Word::Unknown => 1,
            Word::Refuted => 2,
            Word::Nothing => 3,
        }
    }

    /// Compares this verdict with an earlier one.
    fn against(&self, before: &Self) -> Compared {
        if self.place() > before.place() {
            Compared::Worse
        } else if let Some(more) = self.beyond(before) {
            Compared::Weaker(more)
        } else if self.place() < before.place() || before.beyond(self).is_some() {
            Compared::Better
        } else {
            Compared::Same
        }
    }
}

impl fmt::Display for Record {
    /// Prints the kind of the verdict, with the equality of floats of a proof that is not bitwise.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word.name())?;
        match &self.ground {
            Some(ground) if ground.floats != Floats::Bits => {
                write!(f, " in the mode {}", ground.floats.name())
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl Ground {
    /// Reads the ground of a proof.
    fn read(object: &Value) -> Option<Self> {
        let modes = object.get("modes")?;
        let floats = Floats::named(modes.get("floats")?.as_str()?)?;
        let axioms = modes.get("axioms")?.as_array()?.iter().map(Value::as_str);
        let conditions = object.get("conditions")?.as_array()?.iter();
        let conditions = conditions.map(|condition| condition.get("name")?.as_str());
        let names = axioms.chain(conditions).map(|name| name.map(str::to_owned));
        Some(Self { floats, names: names.collect::<Option<_>>()? })
    }
}

impl Verdict {
    /// Compares this verdict with a recorded one.
    pub fn against(&self, before: &Record) -> Compared {
        Record::of(self).against(before)
    }

    /// The verdict that decides the exit status of a command that accepts what is recorded; `None`
    /// if this one is accepted. A proof that rests on more than the recorded one leaves undecided
    /// what was recorded.
    pub fn unaccepted(&self, before: &Record) -> Option<Self> {
        match self.against(before) {
            Compared::Worse => Some(self.clone()),
            Compared::Weaker(more) => {
                let reason = format!("it was recorded as {before}, and is proved only with {more}");
                Some(Self::unknown(Cause::Baseline, reason))
            }
            Compared::Better | Compared::Same => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Compared, Record, Word};

    fn proved(floats: &str, axioms: &[&str], conditions: &[&str]) -> Record {
        let conditions: Vec<Value> = conditions.iter().map(|name| json!({"name": name})).collect();
        let object = json!({
            "verdict": "proved", "modes": {"floats": floats, "axioms": axioms},
            "conditions": conditions,
        });
        Record::read(&object).expect("a verdict")
    }

    #[test]
    fn a_proof_that_rests_on_more_is_worse() {
        let before = proved("axioms", &["a"], &["buffers-apart"]);
        for (weaker, more) in [
            (proved("axioms", &["a", "b"], &["buffers-apart"]), "b"),
            (proved("axioms", &["a"], &["buffers-apart", "statement-only"]), "statement-only"),
            (proved("axioms", &["a"], &["statement-only"]), "statement-only"),
            (proved("reals", &["a"], &["buffers-apart"]), "reals"),
        ] {
            assert_eq!(weaker.against(&before), Compared::Weaker(more.to_owned()), "{weaker:?}");
        }
        for word in [Word::Unknown, Word::Refuted, Word::Nothing] {
            let worse = Record { word, ground: None };
            assert_eq!(worse.against(&before), Compared::Worse);
            assert_eq!(before.against(&worse), Compared::Better);
            assert_eq!(worse.against(&worse), Compared::Same);
        }
        assert_eq!(before.against(&before), Compared::Same);
        for better in [proved("bits", &[], &["buffers-apart"]), proved("bits", &[], &[])] {
            assert_eq!(better.against(&before), Compared::Better, "{better:?}");
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
            json!({"verdict": "nothing"}),
            json!({"verdict": "fine"}),
        ] {
            assert_eq!(Record::read(&object), None, "{object}");
        }
    }
}
