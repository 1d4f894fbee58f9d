//! The errors of the commands.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// The reason why a command did not succeed, in the form that the user sees.
#[derive(Debug)]
pub(crate) enum Error {
    /// The command line made no sense.
    Usage(String),
    /// A program could not be started.
    Start { program: String, cause: io::Error },
    /// A line of a file, counted from 1, has another form than the lines of its kind.
    Line { path: PathBuf, line: usize },
    /// A program ran and failed; its own output gives the reason.
    Failed { command: String, status: ExitStatus },
    /// A file or folder could not be read or created.
    File { path: PathBuf, cause: io::Error },
    /// Something must be installed, but this command may not or could not install it.
    Missing { what: String, advice: String },
    /// A program printed unexpected output.
    Output { command: String, problem: String },
    /// `tidy` found this many problems.
    Untidy(usize),
    /// These files have derivations that are not accepted.
    Derivations(Vec<String>),
    /// These programs of the project were refuted.
    Refuted(Vec<String>),
    /// These known answers were not found.
    Answers(Vec<String>),
    /// These findings are not borne out by the compiled compiler.
    Unconfirmed(Vec<String>),
    /// These measurements miss their limits.
    Slow(Vec<String>),
    /// Sanitizers or warnings stopped these, or did not stop the faults that they must find.
    Unsanitary(Vec<String>),
    /// These applications compute something else with our objects, or are not proved.
    Relinked(Vec<String>),
    /// The demo could not show these schedules.
    Schedules(Vec<String>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(problem) => write!(f, "{problem}"),
            Self::Start { program, cause } => write!(f, "cannot start `{program}`: {cause}"),
            Self::Failed { command, status } => write!(f, "`{command}` failed ({status})"),
            Self::File { path, cause } => write!(f, "{}: {cause}", path.display()),
            Self::Line { path, line } => {
                write!(f, "{}:{line}: this line cannot be understood", path.display())
            }
            Self::Missing { what, advice } => write!(f, "missing: {what}\nhint: {advice}"),
            Self::Output { command, problem } => {
                write!(f, "cannot understand what `{command}` printed: {problem}")
            }
            Self::Untidy(1) => write!(f, "tidy found 1 thing to mend"),
            Self::Untidy(count) => write!(f, "tidy found {count} things to mend"),
            Self::Derivations(names) => write!(f, "not accepted: {}", names.join(", ")),
            Self::Refuted(names) => write!(f, "refuted: {}", names.join(", ")),
            Self::Answers(rows) => {
                write!(f, "known answers that were not found:\n  {}", rows.join("\n  "))
            }
            Self::Unconfirmed(rows) => {
                write!(f, "not borne out by the compiled compiler:\n  {}", rows.join("\n  "))
            }
            Self::Slow(rows) => {
                write!(f, "not as fast as it should be, or wrong:\n  {}", rows.join("\n  "))
            }
            Self::Unsanitary(what) => write!(f, "not clean:\n  {}", what.join("\n  ")),
            Self::Relinked(names) => write!(f, "not the same, or not proved: {}", names.join(", ")),
            Self::Schedules(names) => write!(f, "not proved and run: {}", names.join(", ")),
        }
    }
}
