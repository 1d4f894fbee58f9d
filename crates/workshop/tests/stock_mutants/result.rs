//! The result for a mutant, as a line of the state's file.

use halidom_workshop::stock::mutants::Observed;

/// The validator's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proved,
    Refuted,
    Unknown,
    /// The statement cannot be translated.
    Refused,
}

impl Verdict {
    const ALL: [(Self, &str); 4] = [
        (Self::Proved, "proved"),
        (Self::Refuted, "refuted"),
        (Self::Unknown, "unknown"),
        (Self::Refused, "refused"),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(own, _)| *own == self).map_or("", |(_, name)| name)
    }
}

/// The result for a mutant.
#[derive(Clone, Debug)]
pub(crate) struct MutantResult {
    pub(crate) statement: String,
    pub(crate) kind: String,
    pub(crate) number: usize,
    /// True if the machine shows it to be wrong.
    pub(crate) is_wrong: bool,
    /// The machine's observation, in words.
    pub(crate) observed: String,
    pub(crate) verdict: Verdict,
    /// The reason why it is not proved, in words.
    pub(crate) reason: String,
}

/// Describes the machine's observation in words.
pub(crate) fn observed(observed: &Observed) -> String {
    match observed {
        Observed::Nothing(runs) => format!("nothing in {runs} runs"),
        Observed::Value(words) => format!("value: {words}"),
        Observed::Fault(kind, words) => format!("{kind:?}: {words}"),
        Observed::Stricter(error) => format!("stricter: {error}"),
        Observed::Refused(construct) => format!("not run: {construct}"),
    }
}

impl MutantResult {
    /// Formats the result as a line.
    pub(crate) fn line(&self) -> String {
        let clean = |text: &str| text.replace(['\t', '\n'], " ");
        let wrong = if self.is_wrong { "wrong" } else { "-" };
        let number = self.number.to_string();
        let (observed, reason) = (clean(&self.observed), clean(&self.reason));
        let parts = [
            self.statement.as_str(),
            &self.kind,
            &number,
            wrong,
            &observed,
            self.verdict.name(),
            &reason,
        ];
        parts.join("\t")
    }

    /// Parses a line.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let parts: Vec<&str> = line.split('\t').collect();
        let [statement, kind, number, wrong, observed, verdict, reason] = parts[..] else {
            return None;
        };
        let (verdict, _) = Verdict::ALL.into_iter().find(|(_, name)| *name == verdict)?;
        Some(Self {
            statement: statement.to_owned(),
            kind: kind.to_owned(),
            number: number.parse().ok()?,
            is_wrong: wrong == "wrong",
            observed: observed.to_owned(),
            verdict,
            reason: reason.to_owned(),
        })
    }
}
