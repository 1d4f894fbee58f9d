//! `cargo xtask setup`: installs the requirements of the build and the tests.

use crate::error::Error;
use crate::process::{self, capture, is_installed, program, root};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "setup",
    summary: "installs what is missing; `demo` and `test` do this by themselves",
    help: "\
Installs Debian packages (this needs root): make, autoconf, automake and libtool, which build the
integer-set library isl; clang-19, whose code is faster than gcc's. If clang-19 is not available,
gcc is used.
Installs Python packages in the folder .venv: z3-solver, the solver; halide, with which `test` and
the benchmarks compare (if it is not available, the tests that use it report so and check nothing).
Leaves everything alone that is already installed.

example: cargo xtask setup",
    run: || install(Clang::Try).and_then(|()| ensure_halide()),
    options: &[],
};

/// A Debian package, and the program that shows that it is installed.
struct Package {
    program: &'static str,
    name: &'static str,
}

const NEEDED: &[Package] = &[
    Package { program: "make", name: "make" },
    Package { program: "autoreconf", name: "autoconf" },
    Package { program: "automake", name: "automake" },
    Package { program: "libtoolize", name: "libtool" },
];

const CLANG: Package = Package { program: "clang-19", name: "clang-19" };

/// A Python package, pinned.
struct Wheel {
    name: &'static str,
    version: &'static str,
}

/// The solver's package. It is pinned, because a proof found in time by one version may not be
/// found by another.
const SOLVER: Wheel = Wheel { name: "z3-solver", version: "5.4.0.0" };

/// Halide's compiler with its Python interface: tests and benchmarks run against it.
const HALIDE: Wheel = Wheel { name: "halide", version: "21.0.0" };

/// The other release that is read, in an environment of its own.
const OLD_HALIDE: &str = "halide==19.0.0";

/// CMake and Ninja, with which the CMake package is tried. Halide's own package needs CMake 3.28.
const CMAKE: [Wheel; 2] =
    [Wheel { name: "cmake", version: "4.4.4" }, Wheel { name: "ninja", version: "1.13.2" }];

/// The tests of the Python package, and the check of its types.
const PYTHON: [Wheel; 2] =
    [Wheel { name: "pytest", version: "9.2.0" }, Wheel { name: "mypy", version: "2.4.1" }];

/// The occasions on which to install clang-19, which not every system offers.
#[derive(Clone, Copy)]
enum Clang {
    /// Always, if it is missing.
    Try,
    /// Only together with packages that are installed anyway, so that a system without clang-19 is
    /// not asked again at each call.
    Beside,
}

/// Installs the requirements for `demo` and `test`; quick if nothing is missing.
pub(crate) fn ensure() -> Result<(), Error> {
    install(Clang::Beside)
}

fn install(clang: Clang) -> Result<(), Error> {
    if !is_installed("gcc") && !is_installed("cc") {
        return Err(Error::Missing {
            what: "a C compiler".to_owned(),
            advice: "install gcc (on Debian: apt-get install gcc libc6-dev)".to_owned(),
        });
    }
    let mut missing: Vec<&str> = NEEDED
        .iter()
        .filter(|package| !is_installed(package.program))
        .map(|package| package.name)
        .collect();
    let solver_missing = !SOLVER.is_installed() || !root().join(".venv/bin/z3").is_file();
    if solver_missing && !python_makes_environments()? {
        missing.push("python3-venv");
    }
    let wants_clang = match clang {
        Clang::Try => true,
        Clang::Beside => !missing.is_empty(),
    };
    let wants_clang = wants_clang && !is_installed(CLANG.program);
    if !missing.is_empty() || wants_clang {
        install_packages(&missing, wants_clang)?;
    }
    if solver_missing {
        SOLVER.install()?;
        process::run(program(root().join(".venv/bin/z3")).arg("--version"))?;
    }
    if !is_installed(CLANG.program) {
        println!("clang-19 is not installed: gcc compiles the generated C");
    }
    Ok(())
}

fn install_packages(missing: &[&str], wants_clang: bool) -> Result<(), Error> {
    let mut wanted = missing.to_vec();
    if wants_clang {
        wanted.push(CLANG.name);
    }
    let by_hand = format!("apt-get install {}", wanted.join(" "));
    let obstacle = if !is_installed("apt-get") {
        Some("there is no apt-get here: install these with the system's own tools")
    } else if !is_root() {
        Some("only root can install these")
    } else {
        None
    };
    if let Some(obstacle) = obstacle {
        if missing.is_empty() {
            println!("clang-19 is left out: {obstacle} (on Debian: {by_hand})");
            return Ok(());
        }
        return Err(Error::Missing {
            what: missing.join(", "),
            advice: format!("{obstacle} (on Debian: {by_hand})"),
        });
    }
    if !missing.is_empty() {
        apt_install(missing)?;
    }
    if wants_clang && let Err(error) = apt_install(&[CLANG.name]) {
        println!("clang-19 cannot be had here: {error}");
    }
    Ok(())
}

/// Installs the sanitizers of clang-19, which only `sanitize` needs; gcc includes its own.
pub(crate) fn ensure_sanitizers() -> Result<(), Error> {
    apt_install(&["libclang-rt-19-dev"])
}

/// Installs OpenBLAS with its header, which only `bench blas` needs.
pub(crate) fn ensure_openblas() -> Result<(), Error> {
    let header = "#include <cblas.h>\nint main(void) { return 0; }\n";
    let folder = root().join("target");
    let path = folder.join("openblas.c");
    let failed = |cause| Error::File { path: path.clone(), cause };
    fs::create_dir_all(&folder).map_err(failed)?;
    fs::write(&path, header).map_err(failed)?;
    let mut command = program("cc");
    command.arg(&path).args(["-o"]).arg(folder.join("openblas")).arg("-lopenblas");
    if capture(&mut command)?.status.success() {
        return Ok(());
    }
    apt_install(&["libopenblas-dev"])
}

/// Installs Coq, which only `atl` needs.
pub(crate) fn ensure_coq() -> Result<(), Error> {
    if is_installed("coqc") { Ok(()) } else { install_packages(&["coq"], false) }
}

/// Installs Halide, which benchmarks need. Call [`ensure`] first, which creates .venv.
pub(crate) fn ensure_halide() -> Result<(), Error> {
    if HALIDE.is_installed() { Ok(()) } else { HALIDE.install() }
}

/// Installs Halide 19.0.0 in .venv-19, and returns the Python there. Only `doors` needs it; without
/// it, some tests are skipped.
pub(crate) fn ensure_old_halide() -> Result<PathBuf, Error> {
    let folder = root().join(".venv-19");
    let python = folder.join("bin/python");
    let has = |python: &Path| capture(program(python).args(["-c", "import halide, numpy"]));
    if !has(&python).is_ok_and(|output| output.status.success()) {
        println!("installing in .venv-19: {OLD_HALIDE} and what it needs");
        process::run(program("python3").args(["-m", "venv"]).arg(&folder))?;
        let quietly = ["install", "--quiet", "--disable-pip-version-check", OLD_HALIDE, "numpy"];
        process::run(program(folder.join("bin/pip")).args(quietly))?;
    }
    Ok(python)
}

/// Installs CMake, which only `doors` needs; without it, a test is skipped. Call [`ensure`] first,
/// which creates .venv.
pub(crate) fn ensure_cmake() -> Result<(), Error> {
    CMAKE.iter().filter(|wheel| !wheel.is_installed()).try_for_each(Wheel::install)
}

/// Installs the requirements of `sweep`: those of [`ensure`], and [`ensure_wheels_of_tests`].
pub(crate) fn ensure_for_tests() -> Result<(), Error> {
    ensure()?;
    ensure_wheels_of_tests();
    Ok(())
}

/// Installs Halide, and the tools for the tests of the Python package. Without these, the tests
/// that need them are skipped. Call [`ensure`] first, which creates .venv.
pub(crate) fn ensure_wheels_of_tests() {
    if let Err(error) = ensure_halide() {
        println!("the tests that run Halide are skipped: {error}");
    }
    let missing = PYTHON.iter().filter(|wheel| !wheel.is_installed());
    for wheel in missing {
        if let Err(error) = wheel.install() {
            println!("the tests of the Python package are skipped: {error}");
        }
    }
}

fn apt_install(packages: &[&str]) -> Result<(), Error> {
    println!("installing Debian packages: {}", packages.join(" "));
    process::run(apt_get().arg("update"))?;
    process::run(apt_get().args(["install", "--yes", "--no-install-recommends"]).args(packages))?;
    Ok(())
}

fn apt_get() -> std::process::Command {
    let mut command = program("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").arg("--quiet");
    command
}

fn is_root() -> bool {
    // A process's own entry belongs to its effective user.
    fs::metadata("/proc/self").is_ok_and(|entry| entry.uid() == 0)
}

/// Tests whether Python can make virtual environments; Debian keeps that part in a separate
/// package.
fn python_makes_environments() -> Result<bool, Error> {
    if !is_installed("python3") {
        return Err(Error::Missing {
            what: "python3".to_owned(),
            advice: "install Python 3 (on Debian: apt-get install python3 python3-venv)".to_owned(),
        });
    }
    let output = capture(program("python3").args(["-c", "import ensurepip"]))?;
    Ok(output.status.success())
}

impl Wheel {
    /// Tests whether this version is in .venv: pip leaves a folder with its name and version.
    fn is_installed(&self) -> bool {
        let record = format!("{}-{}.dist-info", self.name.replace('-', "_"), self.version);
        let Ok(pythons) = fs::read_dir(root().join(".venv/lib")) else { return false };
        pythons.flatten().any(|python| python.path().join("site-packages").join(&record).is_dir())
    }

    fn install(&self) -> Result<(), Error> {
        let wheel = format!("{}=={}", self.name, self.version);
        println!("installing in .venv: {wheel} and what it needs");
        let pip = root().join(".venv/bin/pip");
        if !pip.is_file() {
            process::run(program("python3").args(["-m", "venv"]).arg(Path::new(".venv")))?;
        }
        let quietly = ["install", "--quiet", "--disable-pip-version-check"];
        process::run(program(pip).args(quietly).arg(&wheel)).map(drop)
    }
}
