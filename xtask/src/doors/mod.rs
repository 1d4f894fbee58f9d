//! `cargo xtask doors`: tries the CMake package and `halidom preload` on Halide's own programs.

mod cmake;
mod preload;

use crate::error::Error;
use crate::process::{capture, program, root};
use crate::{Action, census, setup};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "doors",
    summary: "tries the CMake package and `halidom preload` on Halide's own apps and tests",
    help: "\
Halide's sources are those of ../shared/halide21; without them nothing is done. Everything is made in
target/doors.

  cmake      configures and builds five of Halide's app folders, unedited, with every library judged,
             and a project with a miscompile. Prints the verdicts. Fails if an app does not build, if
             a library is not proved, or if the miscompile builds. Installs CMake in .venv.
  preload    compiles 26 of Halide's C++ tests and runs each with and without the library of `halidom
             preload`. Prints the verdicts. Fails if a test's output or exit status differs, if a
             pipeline is refuted, or if none is judged.

example: cargo xtask doors cmake
example: cargo xtask doors",
    run: || cmake::run().and_then(|()| preload::run()),
    options: &[("cmake", Action::Alone(cmake::run)), ("preload", Action::Alone(preload::run))],
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
    let mut command = program(root().join(".venv/bin/python"));
    let output = capture(command.args(["-c", "import halide; print(halide.install_dir())"]))?;
    let package = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    Ok(Some(Site { halide, package, folder }))
}

fn make_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|cause| Error::File { path: path.to_owned(), cause })
}
