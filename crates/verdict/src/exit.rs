//! The exit status of commands.

/// The exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The job was done; its claims are proved.
    Done = 0,
    /// A claim is refuted.
    Wrong = 1,
    /// Bad usage, bad input, or nothing to judge.
    BadInput = 2,
    /// A claim is undecided.
    Unknown = 3,
    /// Two solvers contradict each other: no verdict of the run can be relied on.
    Disagreement = 4,
}

impl Exit {
    /// The number for the operating system.
    pub fn code(self) -> u8 {
        self as u8
    }
}
