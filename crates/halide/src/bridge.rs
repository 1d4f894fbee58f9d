//! An installed Halide: the Python package, unmodified, driven by a script of our own.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use halidom_diag::{Diagnostic, Severity};

use crate::{HALIDE_VERSION, codes};

/// What the Python of the package runs.
const SCRIPT: &str = include_str!("bridge.py");
/// Names the Python to use.
const VARIABLE: &str = "HALIDOM_PYTHON";
/// The name that the script gives the pipeline.
const PIPELINE: &str = "pipeline.hlpipe";

/// A Python with Halide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bridge {
    python: PathBuf,
}

/// Why Halide does not do what it is asked for.
#[derive(Debug)]
pub enum BridgeError {
    /// There is no Python.
    Missing,
    /// A file cannot be written or read.
    File(io::Error),
    /// The script failed, with these words.
    Failed(String),
}

impl From<io::Error> for BridgeError {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl std::fmt::Display for BridgeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => write!(f, "there is no Python with Halide {HALIDE_VERSION}"),
            Self::File(error) => write!(f, "a file for Halide: {error}"),
            Self::Failed(words) => write!(f, "Halide fails: {words}"),
        }
    }
}

impl std::error::Error for BridgeError {}

impl BridgeError {
    /// For people.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::without_place(Severity::Error, codes::NO_HALIDE, self.to_string()).with_hint(
            format!("`pip install halide=={HALIDE_VERSION}` in a `.venv` of this or a parent folder, or name a Python with `{VARIABLE}`"),
        )
    }
}

/// What Halide compiled from a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifacts {
    /// The final statement.
    pub statement: String,
    /// The statement after every pass, between other lines.
    pub passes: String,
}

impl Bridge {
    /// Finds a Python: the one that the environment names; else that of a `.venv` in the current folder, the executable's, or a parent of either; else `python3` on the PATH.
    pub fn find() -> Result<Self, BridgeError> {
        if let Some(python) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            return Ok(Self { python: python.into() });
        }
        let bases = [env::current_dir().ok(), env::current_exe().ok()];
        let own = bases.iter().flatten().flat_map(|base| base.ancestors());
        let own = own.map(|folder| folder.join(".venv/bin/python"));
        let search_path = env::var_os("PATH").unwrap_or_default();
        let on_path = env::split_paths(&search_path).map(|folder| folder.join("python3"));
        let python = own.chain(on_path).find(|candidate| candidate.is_file());
        python.map(|python| Self { python }).ok_or(BridgeError::Missing)
    }

    /// Compiles a pipeline for the machine at hand, in an empty folder.
    pub fn compile(&self, pipeline: &[u8], folder: &Path) -> Result<Artifacts, BridgeError> {
        fs::write(folder.join(PIPELINE), pipeline)?;
        let passes = self.call("compile", folder, &[("HL_DEBUG_CODEGEN", "2")])?;
        Ok(Artifacts { statement: fs::read_to_string(folder.join("final.stmt"))?, passes })
    }

    /// Runs what Halide compiles from a pipeline, in a folder with the case.
    pub fn run(&self, pipeline: &[u8], folder: &Path) -> Result<(), BridgeError> {
        fs::write(folder.join(PIPELINE), pipeline)?;
        self.call("run", folder, &[]).map(|_| ())
    }

    /// What the script writes on standard error.
    fn call(
        &self,
        job: &str,
        folder: &Path,
        variables: &[(&str, &str)],
    ) -> Result<String, BridgeError> {
        let mut command = Command::new(&self.python);
        command.args(["-c", SCRIPT, job]).arg(folder).env_remove("HL_DEBUG_CODEGEN");
        let output = command.envs(variables.iter().copied()).output()?;
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Ok(words);
        }
        let last = words.lines().rev().find(|line| !line.trim().is_empty());
        Err(BridgeError::Failed(last.unwrap_or("without a word").to_owned()))
    }
}
