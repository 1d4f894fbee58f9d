//! The CMake package on Halide's app folders.

use super::{Site, make_folder, site};
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// App folders whose libraries are all proved, each with its libraries.
const APPS: &[(&str, &[&str])] = &[
    ("blur", &["halide_blur"]),
    ("c_backend", &["pipeline_c", "pipeline_native", "pipeline_cpp_cpp", "pipeline_cpp_native"]),
    ("conv_layer", &["conv_layer", "conv_layer_auto_schedule"]),
    ("iir_blur", &["iir_blur", "iir_blur_auto_schedule"]),
    ("unsharp", &["unsharp", "unsharp_auto_schedule"]),
];

/// The lines of a build that meets the miscompile of `tests/cmake`.
const FAULT: [&str; 4] = [
    "difference: refuted: expected ",
    "place: program, line ",
    "compiled code: difference[",
    "pass: wrong after `finding intrinsics`",
];

pub(super) fn run() -> Result<(), Error> {
    let Some(site) = site("cmake")? else { return Ok(()) };
    setup::ensure_cmake()?;
    let halidom = process::halidom()?;
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for (app, libraries) in APPS {
        let folder = site.folder.join(app);
        configure(&site, &halidom, &site.halide.join("apps").join(app), &folder, &[])?;
        let time = process::run(cmake().arg("--build").arg(&folder))?;
        for library in *libraries {
            let verdict = verdict(&folder, library).unwrap_or_else(|| "none".to_owned());
            if verdict != "proved" {
                wrong.push(format!("{app}: {library}: {verdict}, expected proved"));
            }
            rows.push(vec![(*app).to_owned(), (*library).to_owned(), verdict]);
        }
        let mut tests = tool("ctest");
        tests.args(["--label-regex", "^halidom$"]).current_dir(&folder);
        process::run(&mut tests)?;
        println!("{app}: built in {:.0} s", time.as_secs_f64());
    }
    let folder = site.folder.join("planted");
    configure(&site, &halidom, &root().join("tests/cmake"), &folder, &["-DVECTORIZED=true"])?;
    let mut build = cmake();
    let built = capture(build.arg("--build").arg(&folder))?;
    let said = [built.stdout, built.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let missing: Vec<&str> = FAULT.into_iter().filter(|line| !said.contains(line)).collect();
    if built.status.success() || !missing.is_empty() {
        wrong.push(format!("`{}` must fail with {missing:?}:\n{said}", shown(&build)));
    }
    let stopped = "stops the build".to_owned();
    rows.push(vec!["tests/cmake".to_owned(), "difference".to_owned(), stopped]);
    print!("{}", table::layout(&["folder", "library", "verdict"], &rows));
    if wrong.is_empty() { Ok(()) } else { Err(Error::Answers(wrong)) }
}

/// Configures a project from nothing.
fn configure(
    site: &Site,
    halidom: &Path,
    source: &Path,
    build: &Path,
    options: &[&str],
) -> Result<(), Error> {
    if build.is_dir() {
        let path = build.to_owned();
        fs::remove_dir_all(build).map_err(|cause| Error::File { path, cause })?;
    }
    make_folder(build)?;
    let mut command = cmake();
    command.args(["-G", "Ninja", "-S"]).arg(source).arg("-B").arg(build);
    let package = site.package.display();
    command.arg(format!("-DHalide_DIR={package}/lib64/cmake/Halide"));
    command.arg(format!("-DHALIDOM_EXECUTABLE={}", halidom.display()));
    let file = root().join("python/halidom/cmake/HalidomProject.cmake");
    command.arg(format!("-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={}", file.display()));
    command
        .args(["-DHALIDOM_VALIDATE=ON", "-DHALIDOM_LIMIT=240", "-DCMAKE_BUILD_TYPE=Release"])
        .args(options);
    process::run(&mut command).map(drop)
}

/// The word of a library's verdict.
fn verdict(folder: &Path, library: &str) -> Option<String> {
    let text = fs::read_to_string(folder.join(format!("{library}.halidom.json"))).ok()?;
    Some(Json::parse(&text).ok()?.get("verdict")?.text()?.to_owned())
}

fn cmake() -> Command {
    tool("cmake")
}

/// A program of CMake's packages in .venv, which find one another on the PATH.
fn tool(name: &str) -> Command {
    let own = root().join(".venv/bin");
    let mut command = program(own.join(name));
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::iter::once(own).chain(env::split_paths(&path)).collect();
    if let Ok(path) = env::join_paths(folders) {
        command.env("PATH", path);
    }
    command
}
