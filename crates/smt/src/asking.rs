//! The part of a client's options that is about its solvers.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::{Cache, Options, Program};

/// The time after its own limit at which a solver is killed.
const GRACE: Duration = Duration::from_secs(2);

/// The solvers that a client asks, and the treatment of their answers.
#[derive(Clone, Debug)]
pub struct Asking {
    /// The solver.
    pub solver: Program,
    /// The time limit for one question to the solver.
    pub timeout: Duration,
    /// A folder that receives every question.
    pub emit_smt: Option<PathBuf>,
    /// A second solver, which is asked again for every answer that shows something. A contradiction
    /// leaves the question open.
    pub confirm: Option<Program>,
    /// A cache of answers, which is read and extended. Its answers are trusted like the solver's
    /// own.
    pub cache: Option<Cache>,
    /// The instant after which no question is asked any more, nor waited for.
    pub until: Option<Instant>,
}

impl Asking {
    /// Asks one solver, keeps no questions and uses no cache.
    pub fn new(solver: Program, timeout: Duration) -> Self {
        Self { solver, timeout, emit_smt: None, confirm: None, cache: None, until: None }
    }

    /// The options of a [`crate::Solver`]. Its questions are kept in this subfolder.
    pub fn options(&self, part: impl AsRef<Path>) -> Options {
        let mut own = Options::new(self.solver.clone());
        own.soft_timeout = self.timeout;
        own.hard_timeout = self.timeout + GRACE;
        own.dump = self.emit_smt.as_ref().map(|folder| folder.join(part));
        own.confirm.clone_from(&self.confirm);
        own.confirm_timeout = self.timeout;
        own.cache.clone_from(&self.cache);
        own.until = self.until;
        own
    }
}
