//! Deviations that were found.

/// The kind of a finding: the artifacts that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The statement and the compiled code differ from the pipeline: Halide is wrong.
    Miscompiled,
    /// The compiled code differs from the pipeline, and the verdict on the statement is unknown:
    /// the fault may be below the statement, or in its translation.
    Code,
    /// The statement differs in a run, but the compiled code does not: the translation is wrong.
    Translation,
    /// The statement faults in a run (it reads outside a buffer, for example), but the compiled
    /// code gives the right values.
    Fault,
    /// The statement is proved, but the compiled code differs.
    Proved,
    /// Our reader rejects a file that Halide wrote.
    Reader,
    /// Halide crashes.
    Crash,
}

impl Kind {
    /// The kind in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Miscompiled => "Halide compiles it wrongly",
            Self::Code => "the compiled code is wrong, and the statement is not",
            Self::Translation => {
                "the statement's translation is wrong, and the compiled code is not"
            }
            Self::Fault => "the statement faults, and the compiled code gives the right values",
            Self::Proved => "the statement is proved, and the compiled code is wrong",
            Self::Reader => "what Halide wrote is not read",
            Self::Crash => "Halide crashes",
        }
    }
}

/// A deviation that was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The program's seed.
    pub seed: u64,
    /// The kind of the deviation.
    pub kind: Kind,
    /// A description of the deviation.
    pub what: String,
    /// The script.
    pub script: String,
    /// The program from which the script was printed.
    pub text: String,
    /// The smallest script with a finding of this kind.
    pub small: Option<String>,
}
