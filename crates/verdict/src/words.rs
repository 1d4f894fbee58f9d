//! A verdict in words: the first line of every report.

use std::fmt;

use crate::{Claim, Condition, Evidence, Origin, Proved, Ran, Reason, Verdict};

impl Verdict {
    /// One plain sentence: the claim that is proved, the equality of floats and the conditions; or
    /// the reason why it is not proved.
    pub fn sentence(&self) -> String {
        match self {
            Self::Proved(proved) => proved.to_string(),
            Self::Refuted(refuted) => {
                format!("refuted: {}{}", refuted.first(), more(refuted.evidence().count(), "runs"))
            }
            Self::Unknown(unknown) => {
                format!(
                    "unknown: {}{}",
                    unknown.first(),
                    more(unknown.reasons().count(), "reasons")
                )
            }
            Self::Nothing(nothing) => format!("nothing to judge: {}", nothing.what),
        }
    }
}

/// A remark on the number of items, if there are more than the one shown.
fn more(count: usize, what: &str) -> String {
    if count > 1 { format!(" (the first of {count} {what})") } else { String::new() }
}

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claims: Vec<String> =
            self.claims.iter().map(|(claim, count)| claim.of(count.get())).collect();
        write!(f, "proved: {}, {}", claims.join(", and "), self.modes)?;
        let named = |origin: Origin| {
            let of = self.conditions.iter().filter(move |condition| condition.origin == origin);
            of.map(|condition| condition.name.as_ref()).collect::<Vec<_>>()
        };
        for (what, names) in
            [("condition", named(Origin::Standard)), ("contract", named(Origin::Contract))]
        {
            match names.as_slice() {
                [] => {}
                [name] => write!(f, ", under the {what} {name}")?,
                names => write!(f, ", under the {what}s {}", names.join(", "))?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl fmt::Display for Condition {
    /// `buffers-apart: the caller's buffers do not overlap`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.words)
    }
}

impl Claim {
    /// The claim for this number of subjects.
    fn of(self, count: usize) -> String {
        let (one, many) = match self {
            Self::Program => (
                "the program computes what the algorithm says",
                "programs compute what their algorithms say",
            ),
            Self::Store => (
                "the store writes what the algorithm says if the rest of the program does",
                "stores write what their algorithms say if the rest of their programs does",
            ),
            Self::Statement => (
                "the statement that Halide compiled computes what the pipeline says",
                "statements that Halide compiled compute what their pipelines say",
            ),
            Self::Pair => (
                "both statements compute what the pipeline says",
                "pairs of statements compute what their pipelines say",
            ),
            Self::Rule => ("the rule keeps the value", "rules keep the value"),
            Self::Mutator => ("the mutator keeps value and type", "mutators keep value and type"),
            Self::Derivation => (
                "the derived program computes what its source says, by a certificate that Coq \
                    accepts",
                "derived programs compute what their sources say, by certificates that Coq accepts",
            ),
        };
        if count == 1 { one.to_owned() } else { format!("{count} {many}") }
    }
}

impl Ran {
    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interpreter => "interpreter",
            Self::CompiledCode => "compiled code",
            Self::Rewriting => "rewriting",
            Self::Coq => "coq",
            Self::Script => "script",
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, got {}", self.expected, self.got)
    }
}
