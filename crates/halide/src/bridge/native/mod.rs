//! The C++ side of the bridge: compiled at first use by the local C++ compiler against the headers
//! of the installed Halide, and kept in the user's cache. The Python package `halidom` carries it
//! compiled; then no compiler is needed, unless a run is to be watched by AddressSanitizer.
//!
//! A cache entry is found by a hash of the sources, the compiler and the installed Halide, and
//! compared with the full record of these. A lock lets one process compile at a time. The result is
//! put in place by renaming a folder, so that no process sees a partial one.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use halidom_base::programs;

use super::error::BridgeError;
use super::process::{self, Failed, SCRIPT};

/// The sources, with their names.
const SOURCES: [(&str, &str); 6] = [
    ("bridge.h", include_str!("bridge.h")),
    ("dump.h", include_str!("dump.h")),
    ("build.h", include_str!("build.h")),
    ("bridge.cpp", include_str!("bridge.cpp")),
    ("runner.cpp", include_str!("runner.cpp")),
    ("keep.c", include_str!("keep.c")),
];

/// The programs that are compiled from the sources.
const PROGRAMS: [&str; 4] = ["bridge.so", "bridge", "runner", "keep.so"];

/// Halide's header and library in its package.
const HEADER: &str = "include/Halide.h";
const LIBRARY: &str = "lib64/libHalide.so";

/// The variable with the folders of libraries.
const FOLDERS: &str = "LD_LIBRARY_PATH";

/// The file that records the inputs of a compiled folder.
const RECORD: &str = "made-of.txt";

/// The compiled C++ side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Native {
    folder: PathBuf,
    compiler: Option<PathBuf>,
    /// The package's folder.
    halide: PathBuf,
}

/// The option that makes a compiler instrument memory accesses.
const SANITIZER: &str = "-fsanitize=address";

impl Native {
    /// The compiled C++ side for the Halide of this Python; compiled now if it is not in the cache.
    pub(super) fn of(python: &Path) -> Result<Self, BridgeError> {
        static KNOWN: Mutex<Vec<(PathBuf, Native)>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, native)) = known.iter().find(|(of, _)| of == python) {
            return Ok(native.clone());
        }
        let native = Parts::of(python)?.native()?;
        known.push((python.to_owned(), native.clone()));
        Ok(native)
    }

    /// The library that Python loads.
    pub(super) fn library(&self) -> PathBuf {
        self.folder.join("bridge.so")
    }

    /// The library that is put in front of a generator's Halide.
    pub(super) fn keeper(&self) -> PathBuf {
        self.folder.join("keep.so")
    }

    /// Halide's shared library.
    pub(super) fn halide(&self) -> PathBuf {
        self.halide.join(LIBRARY)
    }

    /// A call of the program that reads dumps back.
    pub(super) fn program(&self) -> Command {
        let mut command = Command::new(self.folder.join("bridge"));
        // One that comes compiled does not know where Halide is.
        let mut folders = vec![self.halide.join("lib64")];
        folders.extend(env::var_os(FOLDERS).iter().flat_map(env::split_paths));
        if let Ok(folders) = env::join_paths(folders) {
            command.env(FOLDERS, folders);
        }
        command
    }

    /// Halide's runtime for a target as an object file. It is compiled once, because it takes
    /// longer to compile than most pipelines.
    pub(super) fn runtime(&self, target: &str) -> Result<PathBuf, BridgeError> {
        let kept = self.folder.join(format!("runtime-{:016x}.o", hash(target.as_bytes())));
        if kept.is_file() {
            return Ok(kept);
        }
        let made = self.folder.join(format!("runtime-{}.o", unique()));
        let mut command = self.program();
        command.arg("runtime").arg(&made).arg(target);
        let done = process::run(&mut command, None)?;
        done.map_err(|failed| BridgeError::Failed(failed.first_error()))?;
        fs::rename(&made, &kept)?;
        Ok(kept)
    }

    /// The program that runs compiled pipelines.
    pub(super) fn runner(&self) -> PathBuf {
        self.folder.join("runner")
    }

    /// The program that runs pipelines compiled with AddressSanitizer. It is compiled at first use,
    /// because not every compiler has the sanitizer.
    pub(super) fn checked_runner(&self) -> Result<PathBuf, BridgeError> {
        let kept = self.folder.join("runner-checked");
        if kept.is_file() {
            return Ok(kept);
        }
        let made = self.folder.join(format!("runner-{}", unique()));
        let compiler = self.compiler()?;
        let mut command = Command::new(compiler);
        command.args(["-std=c++17", "-O1", SANITIZER, "-o"]).arg(&made);
        command.arg(self.folder.join("runner.cpp")).arg("-I").arg(self.halide.join("include"));
        compiled(compiler, command.arg("-ldl"))?;
        fs::rename(&made, &kept)?;
        Ok(kept)
    }

    /// Compiles Halide's C with AddressSanitizer, and links it with object files to a library.
    pub(super) fn check(
        &self,
        c: &Path,
        objects: &[&Path],
        library: &Path,
    ) -> Result<(), BridgeError> {
        let compiler = self.compiler()?;
        let mut command = Command::new(compiler);
        // The sanitizer would miss a `memcpy` that the compiler inlines, and vectors are loaded by
        // `memcpy`.
        command.args(["-std=c++17", "-w", "-O0", "-g", "-fno-builtin", "-fPIC", "-shared"]);
        command.args([SANITIZER, "-o"]);
        command.arg(library).args(["-x", "c++"]).arg(c).args(["-x", "none"]).args(objects);
        command.arg("-I").arg(self.halide.join("include")).args(["-ldl", "-lpthread", "-lm"]);
        compiled(compiler, &mut command)
    }

    fn compiler(&self) -> Result<&Path, BridgeError> {
        self.compiler.as_deref().ok_or(BridgeError::NoCompiler)
    }
}

/// An installed Halide, and the compiler for programs that use it.
pub(super) struct Installed {
    compiler: PathBuf,
    /// The compiler and the files of Halide, in words.
    words: String,
}

impl Installed {
    /// The Halide with this header and this library.
    pub(super) fn in_places(header: &Path, library: &Path) -> Result<Self, BridgeError> {
        let compiler = compiler().ok_or(BridgeError::NoCompiler)?;
        let version = Command::new(&compiler).arg("--version").output()?;
        let mut words = format!("{}\n", compiler.display());
        words.push_str(&String::from_utf8_lossy(&version.stdout));
        for path in [header, library] {
            let about = fs::metadata(path)?;
            let changed = about.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
            words.extend([format!("{} {} {changed:?}\n", path.display(), about.len())]);
        }
        Ok(Self { compiler, words })
    }

    /// The compiler.
    pub(super) fn compiler(&self) -> &Path {
        &self.compiler
    }

    /// The inputs on which programs compiled from these sources depend, in words.
    pub(super) fn record(&self, sources: &[(&str, &str)]) -> String {
        let mut record = self.words.clone();
        for (name, source) in sources {
            record.extend(["--- ", name, "\n", source]);
        }
        record
    }
}

/// The inputs of a compiled C++ side that comes with the package, in words: the installed Halide,
/// by the sizes of its header and its library, and the sources.
fn release(halide: &Path) -> Result<String, BridgeError> {
    let mut words = String::new();
    for file in [HEADER, LIBRARY] {
        words.extend([format!("{file} {}\n", fs::metadata(halide.join(file))?.len())]);
    }
    for (name, source) in SOURCES {
        words.extend(["--- ", name, "\n", source]);
    }
    Ok(words)
}

/// The parts from which the C++ side is compiled.
struct Parts {
    /// The package's folder.
    halide: PathBuf,
    /// The C++ compiler; one is necessary only if the C++ side does not come compiled.
    compiler: Option<PathBuf>,
    /// The folder with the compiled C++ side, if the installed package has one that is made of
    /// these sources for this Halide.
    ready: Option<PathBuf>,
    /// The inputs on which the compiled programs depend, in words.
    record: String,
}

impl Parts {
    fn of(python: &Path) -> Result<Self, BridgeError> {
        let (halide, shipped) = places(python)?;
        let words = release(&halide)?;
        let ready = shipped.filter(|folder| {
            fs::read(folder.join(RECORD)).is_ok_and(|record| record == words.as_bytes())
        });
        if ready.is_some() {
            return Ok(Self { halide, compiler: compiler(), ready, record: words });
        }
        let [header, library] = [HEADER, LIBRARY].map(|file| halide.join(file));
        let installed = Installed::in_places(&header, &library)?;
        let record = installed.record(&SOURCES);
        Ok(Self { halide, compiler: Some(installed.compiler), ready, record })
    }

    /// The compiled C++ side, from the cache if it is there.
    fn native(&self) -> Result<Native, BridgeError> {
        let cache = cache();
        let folder = cache.join(format!("halide-bridge-{:016x}", hash(self.record.as_bytes())));
        let native =
            Native { folder, compiler: self.compiler.clone(), halide: self.halide.clone() };
        if self.is_there(&native) {
            return Ok(native);
        }
        fs::create_dir_all(&cache)?;
        let lock = File::create(cache.join("halide-bridge.lock"))?;
        lock.lock()?;
        // Another process may have been faster.
        if self.is_there(&native) {
            return Ok(native);
        }
        // Remains of a process that ended while it compiled, or of another record with this hash.
        let building = cache.join("halide-bridge-building");
        for left in [&building, &native.folder] {
            if left.exists() {
                fs::remove_dir_all(left)?;
            }
        }
        fs::create_dir(&building)?;
        self.compile(&building)?;
        fs::write(building.join(RECORD), &self.record)?;
        fs::rename(&building, &native.folder)?;
        Ok(native)
    }

    fn is_there(&self, native: &Native) -> bool {
        let record = fs::read(native.folder.join(RECORD));
        record.is_ok_and(|record| record == self.record.as_bytes())
    }

    fn compile(&self, folder: &Path) -> Result<(), BridgeError> {
        for (name, source) in SOURCES {
            fs::write(folder.join(name), source)?;
        }
        if let Some(ready) = &self.ready {
            for name in PROGRAMS {
                fs::copy(ready.join(name), folder.join(name))?;
            }
            return Ok(());
        }
        let compiler = self.compiler.as_deref().ok_or(BridgeError::NoCompiler)?;
        // Most of the time goes into reading Halide's header; nothing here is worth optimizing.
        let mut command = Command::new(compiler);
        command.current_dir(folder).args(["-std=c++17", "-O0", "-fPIC", "-c", "bridge.cpp"]);
        command.args(["-o", "bridge.o", "-I"]).arg(self.halide.join("include"));
        compiled(compiler, &mut command)?;
        let libraries = self.halide.join("lib64");
        for words in [["-shared", "-o", "bridge.so"].as_slice(), &["-o", "bridge"]] {
            let mut command = Command::new(compiler);
            command.current_dir(folder).args(words).args(["bridge.o", "-L"]);
            command.arg(&libraries).arg("-lHalide").arg(rpath(&libraries));
            compiled(compiler, &mut command)?;
        }
        let mut command = Command::new(compiler);
        command.current_dir(folder).args(["-std=c++17", "-O1", "-o", "runner", "runner.cpp", "-I"]);
        command.arg(self.halide.join("include")).arg("-ldl");
        compiled(compiler, &mut command)?;
        let mut command = Command::new(compiler);
        command.current_dir(folder).args(["-x", "c", "-std=gnu11", "-O1", "-fPIC", "-shared"]);
        // Exceptions of Halide pass through it. A program without C++ must not get its library.
        command.args(["-fexceptions", "-Wl,--as-needed", "-o", "keep.so", "keep.c", "-ldl"]);
        compiled(compiler, &mut command)
    }
}

/// Runs a compiler.
pub(super) fn compiled(compiler: &Path, command: &mut Command) -> Result<(), BridgeError> {
    process::run(command, None)?.map(drop).map_err(|failed| {
        let words = failed.first_error();
        BridgeError::Compiler { compiler: compiler.to_owned(), words }
    })
}

/// The option that lets a program find libraries in a folder.
pub(super) fn rpath(folder: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from("-Wl,-rpath,");
    option.push(folder);
    option
}

/// The folder of a Python's package `halide`, if it has the version that we read.
pub(super) fn package(python: &Path) -> Result<PathBuf, BridgeError> {
    Ok(places(python)?.0)
}

/// The folder of a Python's package `halide`, and the folder of the compiled C++ side in its
/// package `halidom`, if there is one.
fn places(python: &Path) -> Result<(PathBuf, Option<PathBuf>), BridgeError> {
    let output = Command::new(python).args(["-c", SCRIPT, "where", "."]).output()?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let failed = Failed { words, status: output.status.to_string() };
        return Err(BridgeError::of_python(&failed, None));
    }
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = words.lines().map(PathBuf::from);
    let halide = lines.next().unwrap_or_default();
    Ok((halide, lines.next().filter(|folder| !folder.as_os_str().is_empty())))
}

/// Writes the compiled C++ side to a folder, with the record by which an installed package's is
/// accepted. The folder is made if it does not exist.
pub(super) fn ship(python: &Path, folder: &Path) -> Result<(), BridgeError> {
    let native = Native::of(python)?;
    fs::create_dir_all(folder)?;
    for name in PROGRAMS {
        fs::copy(native.folder.join(name), folder.join(name))?;
    }
    Ok(fs::write(folder.join(RECORD), release(&native.halide)?)?)
}

/// The C++ compiler: the one that the environment names as `CXX`, else one on the PATH.
pub(super) fn compiler() -> Option<PathBuf> {
    if let Some(named) = env::var_os("CXX").filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        return if named.components().count() > 1 {
            Some(named)
        } else {
            programs::on_path(&named)
        };
    }
    ["c++", "g++", "clang++"].into_iter().find_map(programs::on_path)
}

/// A name for a temporary file that no other thread or process uses.
pub(super) fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The user's cache.
pub(super) fn cache() -> PathBuf {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let variable = |name: &str| variable(name).map(PathBuf::from);
    variable("HALIDOM_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("halidom")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/halidom")))
        .unwrap_or_else(|| env::temp_dir().join("halidom-cache"))
}

/// FNV-1a: a name for a folder, whose contents are compared with the full record.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
