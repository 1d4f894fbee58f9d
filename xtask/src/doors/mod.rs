//! `cargo xtask doors`: tries the CMake package, the preload library and `halidom diff` on unedited
//! programs of Halide's own.

mod cmake;
mod diff;
mod preload;

use crate::error::Error;
use crate::process::{capture, program, root};
use crate::{Action, census, setup};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "doors",
    summary: "tries the CMake package, `halidom preload` and `halidom diff` on Halide's own \
        programs",
    help: "\
Halide's sources are those of ../shared/halide21; without them nothing is done. Everything is made
in target/doors.

  cmake      configures and builds five of Halide's app folders, unedited, with every library
             judged, and a project with a miscompile. Prints the verdicts. Fails if an app does not
             build, if a library is not proved, or if the miscompile builds. Installs CMake in
             .venv.
  preload    compiles 26 of Halide's C++ tests and runs each with and without the library of
             `halidom preload`. Prints the verdicts. Fails if a test's output or exit status
             differs, if a pipeline is refuted, or if none is judged.
  diff       compiles the scripts of tests/halide/pipelines and generators of Halide's apps and
             tests with Halide 19.0.0 and with 21.0.0, and compares each pair. Prints the pairs that
             are not proved. Fails if a pair differs, or if fewer than expected are proved. Installs
             Halide 19.0.0 in .venv-19.

example: cargo xtask doors cmake
example: cargo xtask doors",
    run: || cmake::run().and_then(|()| preload::run()).and_then(|()| diff::run()),
    options: &[
        ("cmake", Action::Alone(cmake::run)),
        ("preload", Action::Alone(preload::run)),
        ("diff", Action::Alone(diff::run)),
    ],
};

/// The places of a trial.
struct Site {
    /// The root of Halide's source tree.
    halide: PathBuf,
    /// The folder of the Python package.
    package: PathBuf,
    /// The folder of what is made.
    folder: PathBuf,
}

/// Installs what is missing and unpacks Halide's sources; nothing if they are not at hand.
fn site(name: &str) -> Result<Option<Site>, Error> {
    if !root().join(census::SOURCES).is_file() {
        println!("{name}: nothing is tried, as {} is missing", census::SOURCES);
        return Ok(None);
    }
    setup::ensure()?;
    setup::ensure_halide()?;
    let all = root().join("target/doors");
    let folder = all.join(name);
    make_folder(&folder)?;
    let halide = census::unpacked(&all)?;
    let package = package(&root().join(".venv/bin/python"))?;
    Ok(Some(Site { halide, package, folder }))
}

/// The folder of a Python's package `halide`.
fn package(python: &Path) -> Result<PathBuf, Error> {
    let code = "import halide, pathlib; print(pathlib.Path(halide.__file__).parent)";
    let output = capture(program(python).args(["-c", code]))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

fn make_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|cause| Error::File { path: path.to_owned(), cause })
}
