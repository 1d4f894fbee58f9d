//! A verdict as JSON. `docs/schema/verdict-1.json` describes it.

use serde_json::{Map, Value, json};

use crate::{Cause, Condition, Evidence, Modes, Verdict};

/// The version of the form, which every JSON object of a command records.
pub const SCHEMA: &str = "halidom-verdict-1";

/// Every key of a judgement.
pub const KEYS: [&str; 10] = [
    "verdict",
    "statement",
    "modes",
    "conditions",
    "shown",
    "evidence",
    "reason",
    "reasons",
    "causes",
    "hint",
];

impl Verdict {
    /// The keys of a JSON object that describe the judgement. Every object with a `verdict` has all
    /// keys of its case, and none that belong only to other cases.
    pub fn json(&self) -> Map<String, Value> {
        let mut object = Map::new();
        let mut set = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
        set("verdict", self.name().into());
        set("statement", self.sentence().into());
        match self {
            Self::Proved(proved) => {
                set("modes", modes(proved.modes()));
                set("conditions", proved.conditions().map(condition).collect());
                set("shown", proved.shown().get().into());
            }
            Self::Refuted(refuted) => {
                set("evidence", refuted.evidence().map(evidence).collect());
            }
            Self::Unknown(unknown) => {
                set("reason", unknown.first().into());
                set("reasons", unknown.reasons().collect());
                set("causes", unknown.causes().map(cause).collect());
            }
            Self::Nothing(nothing) => {
                set("reason", nothing.what.as_str().into());
                set("hint", nothing.hint.as_str().into());
            }
        }
        object
    }
}

fn modes(modes: &Modes) -> Value {
    json!({"floats": modes.floats().name(), "axioms": modes.names().collect::<Vec<_>>()})
}

fn cause((cause, count): (Cause, usize)) -> Value {
    json!({
        "code": cause.code(),
        "count": count,
        "sentence": cause.sentence(),
        "advice": cause.advice(),
    })
}

fn condition(condition: &Condition) -> Value {
    let Condition { origin, name, words, anchor } = condition;
    json!({"name": name, "words": words, "origin": origin.name(), "anchor": anchor})
}

fn evidence(evidence: &Evidence) -> Value {
    let Evidence { ran, expected, got } = evidence;
    json!({"ran": ran.name(), "expected": expected, "got": got, "replayed": true})
}
