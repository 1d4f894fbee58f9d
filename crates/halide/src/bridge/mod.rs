//! An installed, unmodified Halide: the Python package, driven by a script of ours; a C++ side that
//! writes statements without loss and reads them back ([`Built`]); and compiled generators.

mod built;
mod error;
mod generator;
mod native;
mod preload;
mod process;

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use halidom_base::programs;
use serde_json::Value;

pub use built::{Built, Case, Ending, Fresh, Given, Memory, Placement, Rejected};
pub use error::BridgeError;
pub use generator::Generator;
use native::Native;
pub use preload::{Preload, preload};
pub use process::is_running;
use process::{DUMP, Failed, SCRIPT, VARIABLE, run};

/// The line that the script writes before Halide's output about the pipeline itself.
const MARK: &str = "halidom: what follows is of the pipeline\n";
/// The name of pipeline files.
const PIPELINE: &str = "pipeline.hlpipe";

/// The source of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A pipeline file.
    File(PathBuf),
    /// A Python script that defines `pipeline()`.
    Script(PathBuf),
    /// A compiled generator.
    Generator(Generator),
}

/// The output of Halide for a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifacts {
    /// The pipeline file.
    pub pipeline: Vec<u8>,
    /// The pipeline file before a directive changed definitions, if one did and that file is
    /// available.
    pub specification: Option<Vec<u8>>,
    /// The final statement, as Halide prints it.
    pub statement: String,
    /// The statement without loss ([`halidom_halide_ir::dump`]). If a generator's own one is not
    /// seen, it is that of its pipeline file, provided that this has the same statement.
    pub dump: Option<String>,
    /// The statement after every pass, among other lines; empty unless the compile was one by
    /// [`Job::compile_with_passes`].
    pub passes: String,
    /// The target of the compile, if the script or the job names one; `None` for a generator.
    pub target: Option<String>,
    /// The places in Python files where funcs are defined and scheduled, in the order of the calls;
    /// empty if the pipeline is not from a script.
    pub places: Vec<Place>,
}

/// A call that defines or schedules a func.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The func.
    pub func: String,
    /// The directive; `None` for a definition.
    pub directive: Option<String>,
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
}

/// The places that the script wrote to a folder. They serve reports alone, so what is not
/// understood is left out.
fn places(folder: &Path) -> Vec<Place> {
    let text = fs::read_to_string(folder.join("places.json")).unwrap_or_default();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
    let place = |value: &Value| {
        Some(Place {
            func: value["func"].as_str()?.to_owned(),
            directive: value["directive"].as_str().map(str::to_owned),
            file: value["file"].as_str()?.into(),
            line: usize::try_from(value["line"].as_u64()?).ok()?,
        })
    };
    all.iter().filter_map(place).collect()
}

impl Artifacts {
    /// Reads the files that Python wrote to a folder.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn read(folder: &Path, passes: String) -> io::Result<Self> {
        let specification = folder.join("specification.hlpipe");
        let target = folder.join("target.txt");
        Ok(Self {
            pipeline: fs::read(folder.join(PIPELINE))?,
            specification: specification.is_file().then(|| fs::read(specification)).transpose()?,
            statement: fs::read_to_string(folder.join("final.stmt"))?,
            dump: Some(fs::read_to_string(folder.join("final.dump"))?),
            passes,
            target: target.is_file().then(|| fs::read_to_string(target)).transpose()?,
            places: places(folder),
        })
    }
}

/// A job for each subfolder of a folder. Each subfolder has a script, `script.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// Compiles the script; removes directives that Halide refuses.
    Settle,
    /// Writes the specification of a script that factors a reduction.
    Specify,
    /// Runs the compiled code in the folders `case_*`.
    Run,
}

/// The reason why the job of a folder was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// Halide or the script reports this.
    Refused(String),
    /// The process crashed.
    Crashed,
}

/// Does a job for each subfolder of a folder. After a crash, a new process continues after the
/// subfolder at which it happened.
///
/// # Errors
/// Returns an error if the bridge is not available, or if a process fails without having begun a
/// further subfolder.
pub fn each(job: Each, folder: &Path) -> Result<(), BridgeError> {
    let python = find()?;
    let mut begun = begun_in(job, folder)?;
    loop {
        let mut command = Command::new(&python);
        command.args(["-c", SCRIPT, &format!("each-{}", job.name())]).arg(folder);
        command.arg(option("library=", &Native::of(&python)?.library()));
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

/// The signals of timers that end a process: wall time, processor time.
const TIMERS: [&str; 2] = ["SIGALRM", "SIGPROF"];

/// The number of subfolders that were begun.
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

    /// The reason why the job of a folder was not done, if it was not. `written` is the file that
    /// the job leaves.
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

/// A pipeline, and the machine for which it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The pipeline.
    pub origin: Origin,
    /// The target in Halide's notation (`x86-64-linux-avx2`); `None` for this machine.
    pub target: Option<String>,
    /// The Python whose Halide compiles; `None` for the one of [`find`].
    pub python: Option<PathBuf>,
}

impl Job {
    /// A compile for this machine, by the Halide that [`find`] finds.
    pub fn of(origin: Origin) -> Self {
        Self { origin, target: None, python: None }
    }

    /// The Python whose Halide compiles.
    ///
    /// # Errors
    /// Returns [`BridgeError::Missing`] if no Python is found.
    pub fn interpreter(&self) -> Result<PathBuf, BridgeError> {
        self.python.clone().map_or_else(find, Ok)
    }

    /// Compiles in an empty folder.
    ///
    /// # Errors
    /// Returns an error if Halide, the script, the generator or a file access fails.
    pub fn compile(&self, folder: &Path) -> Result<Artifacts, BridgeError> {
        self.compile_printing(folder, None)
    }

    /// Compiles in an empty folder, and notes the statement after every pass. Halide prints it word
    /// by word, which takes five times as long as the compile.
    ///
    /// # Errors
    /// Returns an error if Halide, the script, the generator or a file access fails.
    pub fn compile_with_passes(&self, folder: &Path) -> Result<Artifacts, BridgeError> {
        self.compile_printing(folder, Some(DUMP))
    }

    /// Compiles with an environment variable that tells Halide what to print.
    fn compile_printing(
        &self,
        folder: &Path,
        printing: Option<(&str, &str)>,
    ) -> Result<Artifacts, BridgeError> {
        match &self.origin {
            Origin::File(file) => {
                fs::copy(file, folder.join(PIPELINE))?;
                self.compile_by_python(folder, printing)
            }
            Origin::Script(_) => self.compile_by_python(folder, printing),
            Origin::Generator(generator) => self.compile_generator(generator, folder, printing),
        }
    }

    fn compile_by_python(
        &self,
        folder: &Path,
        printing: Option<(&str, &str)>,
    ) -> Result<Artifacts, BridgeError> {
        let words = self.python(folder, "compile", printing)?;
        let passes = words.rsplit_once(MARK).map_or(words.as_str(), |(_, passes)| passes);
        if folder.join("doubled.json").is_file() {
            self.python(folder, "tell-apart", None)?;
        }
        let scripted = matches!(self.origin, Origin::Script(_));
        if scripted && folder.join("factored.txt").is_file() {
            self.python(folder, "specify", None)?;
        }
        Ok(Artifacts::read(folder, passes.to_owned())?)
    }

    /// Runs the code that Halide compiles, in a folder with the case.
    ///
    /// # Errors
    /// Returns an error if Halide, the script, the generator or a file access fails.
    pub fn run(&self, folder: &Path) -> Result<(), BridgeError> {
        let job = match &self.origin {
            Origin::File(file) => {
                fs::copy(file, folder.join(PIPELINE))?;
                "run"
            }
            Origin::Script(_) => "run",
            Origin::Generator(generator) => {
                self.emit(generator, folder, "object")?;
                "call"
            }
        };
        self.python(folder, job, None).map(drop)
    }

    /// Runs the script on a job; returns its standard error.
    fn python(
        &self,
        folder: &Path,
        job: &str,
        variable: Option<(&str, &str)>,
    ) -> Result<String, BridgeError> {
        let python = self.interpreter()?;
        let mut command = Command::new(&python);
        command.args(["-c", SCRIPT, job]).arg(folder);
        if let Origin::Script(file) = &self.origin {
            command.arg(option("script=", file));
        }
        if job != "call" {
            command.arg(option("library=", &Native::of(&python)?.library()));
        }
        command.args(self.target.iter().map(|target| format!("target={target}")));
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        run(&mut command, variable)?.map_err(|failed| {
            let report = fs::read_to_string(folder.join("error.json")).ok();
            BridgeError::of_python(&failed, report.as_deref())
        })
    }
}

/// An option of the script with a path as its value.
fn option(name: &str, path: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(name);
    option.push(path);
    option
}

/// The pipeline file in a folder with the artifacts of a compile.
pub fn pipeline_in(folder: &Path) -> PathBuf {
    folder.join(PIPELINE)
}

/// Tests whether there is a Python with the package, in the version that we read.
pub fn is_installed() -> bool {
    find().is_ok_and(|python| native::package(&python).is_ok())
}

/// The header of the installed package, if it is installed.
pub fn header() -> Option<PathBuf> {
    let package = native::package(&find().ok()?).ok()?;
    Some(package.join("include/Halide.h"))
}

/// The library of the bridge's C++ side for the installed Halide; compiled now if it is neither in
/// the cache nor in an installed package. If a folder is given, the C++ side is copied there, to be
/// part of a package.
///
/// # Errors
/// Returns an error if Halide or a C++ compiler is missing, or if a file cannot be written.
pub fn library(copy: Option<&Path>) -> Result<PathBuf, BridgeError> {
    let python = find()?;
    if let Some(folder) = copy {
        native::ship(&python, folder)?;
    }
    Ok(Native::of(&python)?.library())
}

/// Finds a Python: the one that the environment names, else one in the places of
/// [`programs::find`].
///
/// # Errors
/// Returns [`BridgeError::Missing`] if no Python is found.
pub fn find() -> Result<PathBuf, BridgeError> {
    if let Some(python) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(python.into());
    }
    programs::find("python3").ok_or(BridgeError::Missing)
}
