//! Finding solvers.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use halidom_base::programs;
use thiserror::Error;

/// A family of solvers that take the same options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// Z3.
    Z3,
    /// cvc5.
    Cvc5,
}

impl Family {
    /// The name of the executable.
    pub fn executable(self) -> &'static str {
        match self {
            Self::Z3 => "z3",
            Self::Cvc5 => "cvc5",
        }
    }

    /// The environment variable that names the executable to use.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Z3 => "HALIDOM_Z3",
            Self::Cvc5 => "HALIDOM_CVC5",
        }
    }
}

/// An executable solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    family: Family,
    path: PathBuf,
    /// Arguments that replace the family's.
    arguments: Option<Vec<String>>,
}

/// A solver's name and version, as it reports them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The name, as the solver writes it.
    pub name: String,
    /// The version, as the solver writes it.
    pub version: String,
}

/// No solver was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FindError {
    /// An option or the environment gave a path that is not a file.
    #[error("`{path}`, given by {origin}, is not a file")]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// The option or the environment variable that gave it.
        origin: String,
    },
    /// No searched place has an executable of that name.
    #[error(
        "no `{executable}` in `.venv/bin` of this or a parent folder, beside this program, nor on \
            the PATH; `{variable}` can name one"
    )]
    Missing {
        /// The name of the executable.
        executable: &'static str,
        /// The environment variable that can name one.
        variable: &'static str,
    },
}

impl Program {
    /// Finds a solver. The order of search is: the explicit path if there is one; the path in the
    /// family's environment variable; the places of [`programs::find`].
    ///
    /// # Errors
    /// The given path is not a file, or no executable was found.
    pub fn find(family: Family, explicit: Option<&Path>) -> Result<Self, FindError> {
        let named = |path: PathBuf, origin: &str| {
            if path.is_file() {
                Ok(Self { family, path, arguments: None })
            } else {
                Err(FindError::NotAFile { path, origin: origin.to_owned() })
            }
        };
        if let Some(path) = explicit {
            return named(path.to_owned(), "an option");
        }
        if let Some(path) = env::var_os(family.variable()).filter(|path| !path.is_empty()) {
            return named(path.into(), family.variable());
        }
        let executable = family.executable();
        let path = programs::find(executable);
        path.map(|path| Self { family, path, arguments: None })
            .ok_or(FindError::Missing { executable, variable: family.variable() })
    }

    /// Describes an executable that is run with exactly these arguments and addressed like a member
    /// of `family`.
    pub fn with_arguments(
        family: Family,
        path: impl Into<PathBuf>,
        arguments: Vec<String>,
    ) -> Self {
        Self { family, path: path.into(), arguments: Some(arguments) }
    }

    /// The family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The executable.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The arguments that make the solver read commands from standard input under the given limits.
    pub(crate) fn arguments(&self, timeout: Duration, memory_mib: u32) -> Vec<String> {
        if let Some(arguments) = &self.arguments {
            return arguments.clone();
        }
        match self.family {
            // A model needs no values of functions that the assertions do not mention. Z3 adds
            // them, and after each satisfiable check that takes longer the longer the session is.
            Family::Z3 => vec![
                "-in".to_owned(),
                "-smt2".to_owned(),
                format!("-memory:{memory_mib}"),
                "model.user_functions=false".to_owned(),
                "model.compact=false".to_owned(),
            ],
            Family::Cvc5 => vec![
                "--lang=smt2".to_owned(),
                "--incremental".to_owned(),
                format!("--tlimit-per={}", timeout.as_millis()),
            ],
        }
    }
}
