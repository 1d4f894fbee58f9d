//! Judgements of stock Halide 21.0.0's compilations: Table 1, miscompiles, their repaired versions,
//! pipelines of our own, statements with one defect, random programs.
//!
//! `cargo xtask corpus` examines everything and prints tables; a test run examines a part. Table 1
//! and the miscompiles are in `../shared/halide21` next to the repository; scripts need the
//! project's Python with Halide. If something is missing, the tests print a message and skip the
//! corresponding checks.

#![expect(clippy::print_stdout, reason = "tables are printed")]

#[path = "../../../driver/tests/all/common/mod.rs"]
mod common;
#[path = "../../../driver/tests/mutants/inputs.rs"]
#[expect(dead_code, reason = "a part of it is used here")]
mod inputs;
mod mutants;
mod random;
mod row;
mod scripts;
mod table1;

use std::path::{Path, PathBuf};
use std::process::Command;

use halidom_driver::stock::{Annotations, bridge};

/// An environment variable: if it is set, everything is examined.
const ALL: &str = "HALIDOM_CORPUS";

/// An environment variable: only things whose names contain it are examined.
const ONLY: &str = "HALIDOM_CORPUS_ONLY";

/// An environment variable: `never`, `fallback` or `always` determines when pipelines are compiled
/// with annotations too.
const ANNOTATIONS: &str = "HALIDOM_CORPUS_ANNOTATIONS";

/// The policy for compiling with annotations: the environment's, or else the usual one.
fn annotations(usual: Annotations) -> Annotations {
    match std::env::var(ANNOTATIONS).as_deref() {
        Ok("never") => Annotations::Never,
        Ok("fallback") => Annotations::Fallback,
        Ok("always") => Annotations::Always,
        Ok(_) | Err(_) => usual,
    }
}

/// Tests whether something with this name is to be examined.
fn is_wanted(name: &str) -> bool {
    std::env::var(ONLY).map_or(true, |only| name.contains(&only))
}

/// Tests whether everything is to be examined.
fn is_whole() -> bool {
    std::env::var_os(ALL).is_some()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of the shared material, if it exists.
fn shared(name: &str) -> Option<PathBuf> {
    let folder = root().join("../shared/halide21").join(name);
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return None;
    }
    Some(folder)
}

/// The project's Python with Halide, if it exists.
fn python() -> Option<PathBuf> {
    let python = bridge::find().ok().filter(|python| {
        let probe = Command::new(python).args(["-c", "import halide"]).output();
        probe.is_ok_and(|output| output.status.success())
    });
    if python.is_none() {
        println!("skipped: there is no Python with Halide");
    }
    python
}
