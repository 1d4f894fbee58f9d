//! An installed Halide, unmodified: the Python package, driven by a script of our own, a C++ side that writes statements without loss and reads them back ([`Built`]), and compiled generators.

mod built;
mod error;
mod native;

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use built::{Built, Case, Ending, Given, Memory, Placement, Rejected};
pub use error::BridgeError;
use native::Native;

/// What the Python of the package runs.
const SCRIPT: &str = include_str!("bridge.py");
/// Names the Python to use.
const VARIABLE: &str = "HALIDOM_PYTHON";
/// Lets Halide write the statement after every pass to standard error.
const DUMP: (&str, &str) = ("HL_DEBUG_CODEGEN", "2");
/// The line above what Halide writes about the pipeline itself, as the script writes it.
const MARK: &str = "halidom: what follows is of the pipeline\n";
/// The name that files of a pipeline have.
const PIPELINE: &str = "pipeline.hlpipe";

/// Where Halide has a pipeline from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A pipeline file.
    File(PathBuf),
    /// A Python script that defines `pipeline()`.
    Script(PathBuf),
    /// A compiled generator.
    Generator {
        /// The executable.
        binary: PathBuf,
        /// Which of its generators; its only one, if none is named.
        name: Option<String>,
        /// `NAME=VALUE` each.
        params: Vec<String>,
    },
}

/// What Halide compiled from a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifacts {
    /// The pipeline file.
    pub pipeline: Vec<u8>,
    /// The pipeline file before a directive changed definitions, where one did and that can be had.
    pub specification: Option<Vec<u8>>,
    /// The final statement, as Halide prints it.
    pub statement: String,
    /// The same without loss ([`halidom_halide_ir::dump`]); a generator's is that of its pipeline file, if that has this statement.
    pub dump: Option<String>,
    /// The statement after every pass, between other lines.
    pub passes: String,
    /// The target that it was compiled for, where a script names one.
    pub target: Option<String>,
}

impl Artifacts {
    /// Reads what Python wrote to a folder.
    pub fn read(folder: &Path, passes: String) -> io::Result<Self> {
        let specification = folder.join("specification.hlpipe");
        Ok(Self {
            pipeline: fs::read(folder.join(PIPELINE))?,
            specification: specification.is_file().then(|| fs::read(specification)).transpose()?,
            statement: fs::read_to_string(folder.join("final.stmt"))?,
            dump: Some(fs::read_to_string(folder.join("final.dump"))?),
            passes,
            target: fs::read_to_string(folder.join("target.txt")).ok(),
        })
    }
}

/// A job for each folder of a folder, with a script of its own, `script.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// Compiles the script; directives that Halide refuses are taken out of it.
    Settle,
    /// Writes the specification of a script that factors a reduction.
    Specify,
    /// Runs the compiled code in the folders `case_*`.
    Run,
}

/// Why a folder's job was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// Halide or the script says so.
    Refused(String),
    /// The process came to its end meanwhile.
    Crashed,
}

/// Does a job for each folder of a folder. Where a process crashes, the next goes on behind the folder that it was at.
pub fn each(job: Each, folder: &Path) -> Result<(), BridgeError> {
    let python = find()?;
    let mut begun = begun_in(job, folder)?;
    loop {
        let mut command = Command::new(&python);
        command.args(["-c", SCRIPT, &format!("each-{}", job.name())]).arg(folder);
        if job == Each::Settle {
            command.arg(option("library=", &Native::of(&python)?.library()));
        }
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        let Err(failed) = run(&mut command, None)? else { return Ok(()) };
        if TIMERS.iter().any(|signal| failed.status.contains(signal)) {
            let name = fs::read_to_string(folder.join("current.txt"))?;
            fs::write(folder.join(name).join("late.txt"), "")?;
        }
        let further = begun_in(job, folder)?;
        if further == begun {
            return Err(BridgeError::of_python(&failed, None));
        }
        begun = further;
    }
}

/// The signals of timers, as they end a process: of wall time, of the processor's.
const TIMERS: [&str; 2] = ["SIGALRM", "SIGPROF"];

/// How many folders were begun.
fn begun_in(job: Each, folder: &Path) -> io::Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        count += usize::from(entry?.path().join(format!("{}.begun", job.name())).is_file());
    }
    Ok(count)
}

impl Each {
    fn name(self) -> &'static str {
        match self {
            Self::Settle => "settle",
            Self::Specify => "specify",
            Self::Run => "run",
        }
    }

    /// Why the job of a folder was not done, if it was not; `written` is the file that it leaves.
    pub fn undone(self, folder: &Path, written: &Path) -> Option<Undone> {
        if let Ok(report) = fs::read_to_string(folder.join("error.json")) {
            let failed = Failed { words: String::new(), status: String::new() };
            return Some(Undone::Refused(
                BridgeError::of_python(&failed, Some(&report)).to_string(),
            ));
        }
        if folder.join("late.txt").is_file() {
            return Some(Undone::Refused("it takes too long".to_owned()));
        }
        (!written.is_file()).then_some(Undone::Crashed)
    }
}

/// A pipeline, and the machine that it is compiled for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The pipeline.
    pub origin: Origin,
    /// The target in Halide's words (`x86-64-linux-avx2`); the machine at hand, if none is given.
    pub target: Option<String>,
}

impl Job {
    /// Compiles in an empty folder.
    pub fn compile(&self, folder: &Path) -> Result<Artifacts, BridgeError> {
        match &self.origin {
            Origin::File(file) => {
                fs::copy(file, folder.join(PIPELINE))?;
                self.compile_by_python(folder)
            }
            Origin::Script(_) => self.compile_by_python(folder),
            Origin::Generator { .. } => {
                // One process each: in one, names that Halide makes up would go on from one compile to the next.
                self.generate(folder, "hlpipe", None)?;
                let passes = self.generate(folder, "conceptual_stmt", Some(DUMP))?;
                let statement = fs::read_to_string(folder.join("pipeline.conceptual.stmt"))?;
                // A generator writes no dump. That of its pipeline file is of the same statement if it prints the same, digits of floats aside.
                let dump = match self.python(folder, "compile", None) {
                    Ok(_) if fs::read_to_string(folder.join("final.stmt"))? == statement => {
                        Some(fs::read_to_string(folder.join("final.dump"))?)
                    }
                    Ok(_) | Err(BridgeError::Failed(_)) => None,
                    Err(error) => return Err(error),
                };
                Ok(Artifacts {
                    pipeline: fs::read(folder.join(PIPELINE))?,
                    specification: None,
                    statement,
                    dump,
                    passes,
                    target: None,
                })
            }
        }
    }

    fn compile_by_python(&self, folder: &Path) -> Result<Artifacts, BridgeError> {
        let words = self.python(folder, "compile", Some(DUMP))?;
        let passes = words.rsplit_once(MARK).map_or(words.as_str(), |(_, passes)| passes);
        let scripted = matches!(self.origin, Origin::Script(_));
        if scripted && folder.join("factored.txt").is_file() {
            self.python(folder, "specify", None)?;
        }
        Ok(Artifacts::read(folder, passes.to_owned())?)
    }

    /// Runs what Halide compiles, in a folder with the case.
    pub fn run(&self, folder: &Path) -> Result<(), BridgeError> {
        let job = match &self.origin {
            Origin::File(file) => {
                fs::copy(file, folder.join(PIPELINE))?;
                "run"
            }
            Origin::Script(_) => "run",
            Origin::Generator { .. } => {
                self.generate(folder, "object", None)?;
                "call"
            }
        };
        self.python(folder, job, None).map(drop)
    }

    /// What the script writes on standard error.
    fn python(
        &self,
        folder: &Path,
        job: &str,
        variable: Option<(&str, &str)>,
    ) -> Result<String, BridgeError> {
        let python = find()?;
        let mut command = Command::new(&python);
        command.args(["-c", SCRIPT, job]).arg(folder);
        if let Origin::Script(file) = &self.origin {
            command.arg(option("script=", file));
        }
        if matches!(job, "compile" | "compile-object") {
            command.arg(option("library=", &Native::of(&python)?.library()));
        }
        command.args(self.target.iter().map(|target| format!("target={target}")));
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        run(&mut command, variable)?.map_err(|failed| {
            let report = fs::read_to_string(folder.join("error.json")).ok();
            BridgeError::of_python(&failed, report.as_deref())
        })
    }

    /// Lets a generator write a file, `pipeline` with an extension; what it writes on standard error.
    fn generate(
        &self,
        folder: &Path,
        emitted: &str,
        variable: Option<(&str, &str)>,
    ) -> Result<String, BridgeError> {
        let Origin::Generator { binary, name, params } = &self.origin else {
            return Ok(String::new());
        };
        // A name without a folder would be looked up on the PATH.
        let path = if binary.components().count() == 1 {
            Path::new(".").join(binary)
        } else {
            binary.clone()
        };
        let mut command = Command::new(path);
        if let Some(name) = name {
            command.args(["-g", name]);
        }
        command.args(["-f", "pipeline", "-n", "pipeline", "-e", emitted, "-o"]).arg(folder);
        let target = self.target.as_deref().unwrap_or("host");
        command.arg(format!("target={target}")).args(params);
        let written = run(&mut command, variable)
            .map_err(|error| BridgeError::Start { binary: binary.clone(), error })?;
        written.map_err(|failed| BridgeError::of_generator(binary, &failed))
    }
}

/// An option of the script that is a path.
fn option(name: &str, path: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(name);
    option.push(path);
    option
}

/// A program that failed: what it wrote on standard error, and its status in words.
pub(crate) struct Failed {
    words: String,
    status: String,
}

/// Runs a program to its end; what it writes on standard error.
fn run(
    command: &mut Command,
    variable: Option<(&str, &str)>,
) -> io::Result<Result<String, Failed>> {
    command.env_remove(DUMP.0).envs(variable);
    let output = command.output()?;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Ok(Ok(words));
    }
    Ok(Err(Failed { words, status: output.status.to_string() }))
}

/// Whether there is a Python with the package, of the version that is read.
pub fn is_installed() -> bool {
    find().is_ok_and(|python| native::package(&python).is_ok())
}

/// Finds a Python: the one that the environment names; else that of a `.venv` in the current folder, the executable's, or a parent of either; else `python3` on the PATH.
pub fn find() -> Result<PathBuf, BridgeError> {
    if let Some(python) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(python.into());
    }
    let bases = [env::current_dir().ok(), env::current_exe().ok()];
    let own = bases.iter().flatten().flat_map(|base| base.ancestors());
    let own = own.map(|folder| folder.join(".venv/bin/python"));
    let search_path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&search_path).map(|folder| folder.join("python3"));
    own.chain(on_path).find(|candidate| candidate.is_file()).ok_or(BridgeError::Missing)
}
