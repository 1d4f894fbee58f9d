//! The choice of a C compiler, and its calls.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::native::flags::{CANDIDATES, EVERYWHERE};
use crate::{CModule, Target};

/// The runtime's header, as shipped.
pub const RUNTIME_HEADER: &str = include_str!("../../../../runtime/halidom_runtime.h");
/// The runtime's source, as shipped: one translation unit.
pub const RUNTIME_SOURCE: &str = concat!(
    include_str!("../../../../runtime/halidom_runtime.c"),
    include_str!("../../../../runtime/halidom_math.c")
);
/// The name under which generated C includes the header.
pub(crate) const HEADER_NAME: &str = "halidom_runtime.h";

/// The environment variable that names the compiler to use.
pub const COMPILER_VARIABLE: &str = "HALIDOM_CC";

/// The name of Zig's executable.
const ZIG: &str = "zig";

/// Zig in the Python package `ziglang` of the environment in which this executable is installed:
/// the folder above `bin/halidom` contains `lib/python3.*/site-packages` or, after `pip install
/// --target`, the packages themselves.
fn packaged() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let base = own.parent()?.parent()?;
    let zig = Path::new("ziglang").join(ZIG);
    let mut versions: Vec<PathBuf> = std::fs::read_dir(base.join("lib"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    versions.sort();
    let installed = versions.into_iter().map(|folder| folder.join("site-packages").join(&zig));
    installed.chain([base.join(&zig)]).find(|file| file.is_file())
}

/// A C compiler that was found.
#[derive(Clone, Debug)]
pub struct Toolchain {
    compiler: OsString,
    /// The first argument, where the program is more than a C compiler.
    mode: Option<&'static str>,
    version: Arc<OnceLock<String>>,
    strict: bool,
    limit: Option<Duration>,
}

/// The time between two polls of a compiler that has a limit.
const LOOK: Duration = Duration::from_millis(2);

/// Warnings are errors, but for two. One is about the processor that `-march=native` stands for:
/// clang 19 promotes the 256-bit form of AVX10.1. The other says that vectors wider than the
/// processor's are passed otherwise than by other compilers: only functions of one file pass them.
const STRICT: &[&str] =
    &["-Wall", "-Wextra", "-Werror", "-Wno-invalid-feature-combination", "-Wno-psabi"];

/// Makes clang load the elements of a gather one by one. A clang that does not know the feature
/// ignores it, which `-mno-gather` would not permit.
const NO_GATHERS: &[&str] = &["-Xclang", "-target-feature", "-Xclang", "+prefer-no-gather"];

/// The reasons why C was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// There is no compiler, or the compiler does not run.
    #[error("no C compiler was found that runs: looked for {0}")]
    NoCompiler(String),
    /// Files could not be written, or a process could not be started.
    #[error("cannot {what}: {source}")]
    Io {
        /// The attempted action.
        what: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The compiler refused the file, which is a defect of the printer.
    #[error("`{compiler}` refuses the generated C:\n{messages}")]
    Refused {
        /// Its name.
        compiler: String,
        /// Its messages.
        messages: String,
    },
    /// The compiler was stopped.
    #[error("`{compiler}` takes longer than {} s", limit.as_secs_f64())]
    TooSlow {
        /// Its name.
        compiler: String,
        /// The time limit.
        limit: Duration,
    },
    /// The compiled library does not load.
    #[error("the compiled pipeline does not load: {}", reason(.0))]
    Load(#[from] libloading::Error),
}

/// Returns the loader's message, which the error's own text omits.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

impl CompileError {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}

/// Ends a compiler and the processes that it started. They stay in the caller's process group, so
/// that they also end with it. On systems without `/proc`, only the compiler is ended.
fn end(compiler: &Child) {
    let id = Pid::from_child(compiler);
    // A compiler that stands still starts nothing more. Signals fail only if a process has ended.
    let _ = kill_process(id, Signal::STOP);
    let path = format!("/proc/{0}/task/{0}/children", compiler.id());
    let children = std::fs::read_to_string(path).unwrap_or_default();
    for child in children.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?)) {
        let _ = kill_process(child, Signal::KILL);
    }
    let _ = kill_process(id, Signal::KILL);
}

impl Toolchain {
    /// Finds the compiler that `HALIDOM_CC` names; else the first of clang 19, clang, gcc and cc
    /// that exists; else Zig, which compiles C too, in the Python package `ziglang` of the
    /// environment in which this executable is installed.
    ///
    /// # Errors
    /// No such compiler exists.
    pub fn find() -> Result<Self, CompileError> {
        if let Some(named) = std::env::var_os(COMPILER_VARIABLE) {
            return Self::of(&named).ok_or_else(|| {
                let name = named.to_string_lossy();
                CompileError::NoCompiler([COMPILER_VARIABLE, "=", &name].concat())
            });
        }
        CANDIDATES
            .iter()
            .find_map(|candidate| Self::of(OsStr::new(candidate)))
            .or_else(|| Self::of(packaged()?.as_os_str()))
            .ok_or_else(|| CompileError::NoCompiler(CANDIDATES.join(", ")))
    }

    /// Returns every compiler that runs, the preferred one first, and each version once.
    pub fn all() -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for candidate in CANDIDATES {
            if let Some(toolchain) = Self::of(OsStr::new(candidate))
                && !toolchain.version().is_empty()
                && found.iter().all(|known| known.version() != toolchain.version())
            {
                found.push(toolchain);
            }
        }
        found
    }

    /// Returns the compiler of this name or path, if such a program exists. The program is not run:
    /// a large compiler takes as long to start as it takes to compile a small pipeline.
    pub fn of(compiler: &OsStr) -> Option<Self> {
        let is_program = |path: &Path| {
            let data = std::fs::metadata(path);
            data.is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
        };
        let is_path = Path::new(compiler).components().count() > 1;
        // The compiler is called from another folder, so a relative path must become absolute.
        let compiler =
            if is_path { std::path::absolute(compiler).ok()?.into() } else { compiler.to_owned() };
        let is_there = if is_path {
            is_program(Path::new(&compiler))
        } else {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&folders).any(|folder| is_program(&folder.join(&compiler)))
        };
        let is_zig = Path::new(&compiler).file_name() == Some(OsStr::new(ZIG));
        let mode = is_zig.then_some("cc");
        let version = Arc::default();
        is_there.then(|| Self { compiler, mode, version, strict: false, limit: None })
    }

    /// Returns the same compiler with a time limit for one pipeline.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The time limit for one pipeline, if there is one.
    pub fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// Returns the same compiler with warnings as errors. A user's compiler may know warnings that
    /// ours do not, so users do not get this.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Returns a call of the compiler without arguments.
    pub(crate) fn start(&self) -> Command {
        let mut command = Command::new(&self.compiler);
        command.args(self.mode);
        command
    }

    /// Returns a call of the archiver: the system's, or the one that the compiler has.
    pub(crate) fn archiver(&self) -> Command {
        if self.mode.is_none() {
            return Command::new("ar");
        }
        let mut command = Command::new(&self.compiler);
        command.arg("ar");
        command
    }

    /// Returns the command's name.
    pub fn compiler(&self) -> String {
        self.compiler.to_string_lossy().into_owned()
    }

    /// Returns the first line of the compiler's version message, or nothing if the compiler does
    /// not run. The compiler is asked once, which takes a while.
    pub fn version(&self) -> &str {
        self.version.get_or_init(|| {
            let output = self.start().arg("--version").stdin(Stdio::null()).output().ok();
            let output = output.filter(|output| output.status.success());
            let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            text.and_then(|text| Some(text.lines().next()?.trim().to_owned())).unwrap_or_default()
        })
    }

    /// Returns a call of the compiler with the flags that every generated file needs: strict floats
    /// unless the target permits contraction, no `errno`, position independence.
    pub(crate) fn command(&self, target: &Target, directory: &Path) -> Command {
        let mut command = self.start();
        command.current_dir(directory).stdin(Stdio::null());
        let contract = if target.contracts() { "-ffp-contract=fast" } else { "-ffp-contract=off" };
        command.args(EVERYWHERE).arg(contract);
        let warnings = if self.strict { STRICT } else { &["-w"] };
        command.args(warnings).args(target.flags());
        if !target.gathers() && self.is_clang() {
            command.args(NO_GATHERS);
        }
        command
    }

    /// Tests whether the compiler has clang's options, by its name.
    fn is_clang(&self) -> bool {
        let name = Path::new(&self.compiler).file_name().unwrap_or_default();
        self.mode.is_some() || name.to_string_lossy().starts_with("clang")
    }

    /// Runs a call to its end or to the limit. With a limit, the compiler's messages go through a
    /// file in the folder.
    pub(crate) fn run(&self, mut command: Command, directory: &Path) -> Result<(), CompileError> {
        let Some(limit) = self.limit else { return self.finish(command.output()) };
        let compiler = self.compiler();
        let path = directory.join("messages");
        let file = std::fs::File::create(&path).map_err(CompileError::io("write a file"))?;
        let started = command.stdout(Stdio::null()).stderr(file).spawn();
        let mut child = started.map_err(CompileError::io(["start `", &compiler, "`"].concat()))?;
        let begin = Instant::now();
        let waited = || CompileError::io(["wait for `", &compiler, "`"].concat());
        loop {
            if let Some(status) = child.try_wait().map_err(waited())? {
                let stderr = std::fs::read(&path).map_err(CompileError::io("read a file"))?;
                return self.finish(Ok(Output { status, stdout: Vec::new(), stderr }));
            }
            if begin.elapsed() > limit {
                end(&child);
                child.wait().map_err(waited())?;
                return Err(CompileError::TooSlow { compiler, limit });
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Checks that a finished call was successful.
    pub(crate) fn finish(&self, output: std::io::Result<Output>) -> Result<(), CompileError> {
        let compiler = self.compiler();
        let output = output.map_err(CompileError::io(["start `", &compiler, "`"].concat()))?;
        if output.status.success() {
            return Ok(());
        }
        if self.version().is_empty() {
            return Err(CompileError::NoCompiler(compiler));
        }
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(CompileError::Refused { compiler, messages })
    }
}

pub(crate) const SOURCE_NAME: &str = "pipeline.c";

pub(crate) fn write_sources(directory: &Path, module: &CModule) -> Result<(), CompileError> {
    write(directory, HEADER_NAME, RUNTIME_HEADER)?;
    write(directory, SOURCE_NAME, &module.text)
}

pub(crate) fn write(directory: &Path, name: &str, text: &str) -> Result<(), CompileError> {
    let what = ["write ", name].concat();
    std::fs::write(directory.join(name), text).map_err(CompileError::io(what))
}
