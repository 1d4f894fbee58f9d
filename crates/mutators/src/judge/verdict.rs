//! The findings about a mutator.

use halidom_rewrites::built::Built;

/// The standing of a mutator, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Every path returns the value and the type of its input.
    Verified,
    /// Verified, but it refuses some IR on purpose, as by `user_assert` or `LOG(FATAL)`.
    Rejects,
    /// Verified wherever it ends, but it may mutate without end.
    Partial,
    /// Verified up to a stated bound.
    Bounded,
    /// Modelled, but not decided.
    Undecided,
    /// Not modelled.
    Unsupported,
    /// An analysis returns a fact that does not hold.
    Contract,
    /// Something is pushed on a scope and not popped.
    Scope,
    /// The result has another type.
    Type,
    /// The compiler's own code fails.
    Crash,
    /// The result has another value.
    Wrong,
}

impl Standing {
    /// Every standing, from best to worst.
    pub const ALL: [Self; 11] = [
        Self::Verified,
        Self::Rejects,
        Self::Partial,
        Self::Bounded,
        Self::Undecided,
        Self::Unsupported,
        Self::Contract,
        Self::Scope,
        Self::Type,
        Self::Crash,
        Self::Wrong,
    ];

    /// Returns the word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Rejects => "rejects",
            Self::Partial => "partial",
            Self::Bounded => "bounded",
            Self::Undecided => "undecided",
            Self::Unsupported => "unsupported",
            Self::Contract => "contract",
            Self::Scope => "scope",
            Self::Type => "type",
            Self::Crash => "crash",
            Self::Wrong => "wrong",
        }
    }

    /// True if it is a defect.
    pub fn is_refuted(self) -> bool {
        matches!(self, Self::Contract | Self::Scope | Self::Type | Self::Crash | Self::Wrong)
    }
}

/// A reason why a mutator is not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of finding.
    pub standing: Standing,
    /// The file, if it is not the mutator's.
    pub file: Option<String>,
    /// The line in the file.
    pub line: usize,
    /// The type of the node at which it appears.
    pub ty: String,
    /// A description of the failure, or the reason why nothing is known.
    pub text: String,
    /// The IR on which a defect was replayed.
    pub counterexample: Option<Counterexample>,
}

/// IR on which a defect was replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The input.
    pub before: String,
    /// The result, if there is one.
    pub after: Option<String>,
    /// The values of variables.
    pub values: Vec<(String, String)>,
    /// The input's value.
    pub expected: Option<String>,
    /// The result's value.
    pub got: Option<String>,
    /// The input in C++.
    pub built: Box<Built>,
    /// C++ that builds the input and simplifies it, for a reader.
    pub snippet: String,
}

/// The result of examining a mutator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// The reasons why it is not verified, one for each line and kind.
    pub findings: Vec<Finding>,
    /// The number of claims that were proved.
    pub proved: usize,
}

impl Examination {
    /// Makes the result for a mutator that begins at a line. A mutator about which nothing was
    /// found and nothing was proved gets a finding that says so.
    pub(crate) fn of(line: usize, mut findings: Vec<Finding>, proved: usize) -> Self {
        if findings.is_empty() && proved == 0 {
            findings.push(Finding {
                file: None,
                standing: Standing::Unsupported,
                line,
                ty: String::new(),
                text: "no claim was made about it".to_owned(),
                counterexample: None,
            });
        }
        findings.sort_by_key(|finding| (finding.line, std::cmp::Reverse(finding.standing)));
        Self { findings, proved }
    }

    /// The worst of the findings. Without any, the mutator is verified only if claims were proved.
    pub fn standing(&self) -> Standing {
        let best = if self.proved > 0 { Standing::Verified } else { Standing::Unsupported };
        self.findings.iter().map(|finding| finding.standing).max().unwrap_or(best)
    }
}
