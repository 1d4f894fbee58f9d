//! The solvers and the kept answers of a judgement: finds them, and makes sure that they answer.

use std::path::{Path, PathBuf};
use std::time::Duration;

use halidom_smt::{Cache, CacheError, Family, FindError, Program, Reason};

use crate::judge::Options;

/// The choice of solvers, and the limit of a query.
#[derive(Clone, Debug)]
pub struct Solving {
    /// The executable of Z3; `None` means the one that is found.
    pub solver: Option<PathBuf>,
    /// The second solver, which confirms the first one's answers: the name of a family, or an
    /// executable.
    pub confirm: Option<PathBuf>,
    /// The file of kept answers.
    pub cache: Option<PathBuf>,
    /// The time limit of a query.
    pub timeout: Duration,
}

/// The reasons why no solver can be asked.
#[derive(Debug, thiserror::Error)]
pub enum SolvingError {
    /// There is no solver.
    #[error(transparent)]
    Missing(#[from] FindError),
    /// A program does not report its name and version.
    #[error("`{}` does not answer like a solver: {reason}", path.display())]
    Silent {
        /// The program.
        path: PathBuf,
        /// The failure, or the unexpected response.
        reason: Reason,
    },
    /// The kept answers cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl SolvingError {
    /// The stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing(_) | Self::Silent { .. } | Self::Cache(CacheError::Solver { .. }) => {
                "HAL0817"
            }
            Self::Cache(CacheError::Io { .. } | CacheError::Malformed { .. }) => "HAL0908",
        }
    }

    /// A hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing(_) => {
                "run `cargo xtask setup`, or set HALIDOM_Z3; `halidom doctor` shows what is found"
            }
            Self::Silent { .. } | Self::Cache(CacheError::Solver { .. }) => {
                "name another one; `halidom doctor` shows what is found"
            }
            Self::Cache(CacheError::Io { .. } | CacheError::Malformed { .. }) => {
                "name another file, or delete it: answers are found again"
            }
        }
    }
}

impl Solving {
    /// The options of a judgement with these solvers.
    pub fn options(&self) -> Result<Options, SolvingError> {
        let mut options = Options::new(Program::find(Family::Z3, self.solver.as_deref())?);
        options.asking.timeout = self.timeout;
        if let Some(second) = &self.confirm {
            let second = find_second(second)?;
            // A second solver that never answers would confirm nothing, without a word.
            second.probe().map_err(|reason| {
                let path = second.path().to_owned();
                SolvingError::Silent { path, reason }
            })?;
            options.asking.confirm = Some(second);
        }
        if let Some(path) = &self.cache {
            options.asking.cache = Some(Cache::load(path, &options.asking.solver)?);
        }
        Ok(options)
    }
}

/// Finds the second solver: a family's name, or an executable, which is addressed like the family
/// that its name begins with.
fn find_second(name: &Path) -> Result<Program, FindError> {
    let family = |text: &str| {
        [Family::Z3, Family::Cvc5].into_iter().find(|family| text.starts_with(family.executable()))
    };
    if let Some(family) = name.to_str().and_then(family)
        && name.as_os_str() == family.executable()
    {
        return Program::find(family, None);
    }
    let file = name.file_name().unwrap_or_default().to_string_lossy();
    Program::find(family(&file).unwrap_or(Family::Cvc5), Some(name))
}
