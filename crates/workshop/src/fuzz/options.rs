//! The effort of a run.

/// The effort of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of programs.
    pub programs: u64,
    /// The first program's seed; the following programs have the following seeds.
    pub seed: u64,
    /// The number of random schedules per program. The unscheduled form is the first step of each.
    pub schedules: u64,
    /// The number of cases that each final program runs on.
    pub cases: usize,
    /// The number of random completions of each step.
    pub completions: usize,
    /// One in this many final programs is validated; 0 means none.
    pub validate_one_in: u64,
    /// One in this many schedules is compiled to native code; 0 means none.
    pub native_one_in: u64,
    /// The number of mutants per compile. The validator must not prove one that a run shows to be
    /// wrong.
    pub mutants: usize,
    /// The number of programs that are examined concurrently.
    pub threads: usize,
    /// After this many disagreements no further program is started.
    pub stop_after: usize,
    /// True if findings are shrunk.
    pub shrink: bool,
    /// A text to examine instead of random programs, with the seed's cases.
    pub text: Option<String>,
}

impl Default for Options {
    /// The options for a hundred programs.
    fn default() -> Self {
        Self {
            programs: 100,
            seed: 0,
            schedules: 1,
            cases: 3,
            completions: 1,
            validate_one_in: 1,
            native_one_in: 1,
            mutants: 0,
            threads: 2,
            stop_after: 1,
            shrink: true,
            text: None,
        }
    }
}
