//! Disagreements, and validations without a result.

/// The kind of a disagreement: the component that deviates from the algorithm's value or fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The front end refuses a valid text.
    FrontEnd,
    /// The algorithm has no value where it should have one.
    NoValue,
    /// A refusal lacks a proper diagnostic.
    Refusal,
    /// A step's program is not well-formed.
    Malformed,
    /// A step's program, completed by the bounds engine, goes wrong.
    Step,
    /// A step's program under a random completion goes wrong.
    RandomCompletion,
    /// Lowering refuses a legal program.
    Lowering,
    /// The final program goes wrong.
    Final,
    /// Entry checks before and after lowering differ.
    EntryChecks,
    /// The C printer, the read-back of its C, or the C compiler fails.
    BackEnd,
    /// Native code goes wrong.
    Native,
    /// The validator finds a counterexample.
    Refuted,
    /// The validator proves a wrong mutant.
    ProvedMutant,
    /// A panic occurred.
    Panic,
}

impl Kind {
    /// The kind in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::FrontEnd => "the front end",
            Self::NoValue => "the algorithm's interpreter",
            Self::Refusal => "a refusal",
            Self::Malformed => "a malformed step",
            Self::Step => "a step, completed by the bounds engine",
            Self::RandomCompletion => "a step, completed at random",
            Self::Lowering => "lowering",
            Self::Final => "the final program",
            Self::EntryChecks => "entry checks",
            Self::BackEnd => "the back end",
            Self::Native => "native code",
            Self::Refuted => "the validator refutes it",
            Self::ProvedMutant => "the validator proves a wrong mutant",
            Self::Panic => "a panic",
        }
    }
}

/// A deviation: its kind, its description and its case.
pub(super) struct Wrong {
    pub(super) kind: Kind,
    pub(super) what: String,
    pub(super) inputs: Option<String>,
}

impl Wrong {
    pub(super) fn of(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), inputs: None }
    }
}

/// A disagreement between two components, or a failure of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The program's seed: `--programs 1 --seed SEED` reproduces it.
    pub seed: u64,
    /// The program and its schedules.
    pub text: String,
    /// The schedule's name; `None` if the disagreement concerns the program alone.
    pub schedule: Option<String>,
    /// The component that disagrees.
    pub kind: Kind,
    /// A description.
    pub what: String,
    /// Parameters, inputs and windows, if it concerns a run.
    pub inputs: Option<String>,
    /// The smallest text with a disagreement of this kind.
    pub small: Option<String>,
}

impl Disagreement {
    /// The disagreement in one line.
    pub fn heading(&self) -> String {
        let under =
            self.schedule.as_ref().map_or_else(String::new, |name| format!(" under {name}"));
        format!("seed {}{under}: {}: {}", self.seed, self.kind.name(), self.what)
    }
}

/// A validation that ended without a proof or a refutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The program's seed.
    pub seed: u64,
    /// The schedule's name.
    pub schedule: String,
    /// The verdict's reason.
    pub reason: String,
}
