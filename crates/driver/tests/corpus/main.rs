//! What stock Halide 21.0.0 compiles, judged: Table 1, miscompiles, the same repaired, pipelines of our own, statements with one defect, random programs.
//!
//! `cargo xtask corpus` looks at everything and prints tables; a test run looks at a part. Table 1 and the miscompiles lie in `../shared/halide21` beside the repository; scripts need the
//! project's Python with Halide. Where something is missing the tests say so, and check nothing of it.

#![expect(clippy::print_stdout, reason = "tables are printed")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../mutants/inputs.rs"]
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

/// An environment variable: if it is set, everything is looked at.
const ALL: &str = "HALIDOM_CORPUS";

/// An environment variable: only what has this in its name is looked at.
const ONLY: &str = "HALIDOM_CORPUS_ONLY";

/// An environment variable: `never`, `fallback` or `always` says when pipelines are compiled with annotations too.
const ANNOTATIONS: &str = "HALIDOM_CORPUS_ANNOTATIONS";

/// When pipelines are compiled with annotations too, if nothing else is said.
fn annotations(usual: Annotations) -> Annotations {
    match std::env::var(ANNOTATIONS).as_deref() {
        Ok("never") => Annotations::Never,
        Ok("fallback") => Annotations::Fallback,
        Ok("always") => Annotations::Always,
        Ok(_) | Err(_) => usual,
    }
}

/// Whether something of this name is to be looked at.
fn is_wanted(name: &str) -> bool {
    std::env::var(ONLY).map_or(true, |only| name.contains(&only))
}

/// Whether everything is to be looked at.
fn is_whole() -> bool {
    std::env::var_os(ALL).is_some()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of the shared material, if it is there.
fn shared(name: &str) -> Option<PathBuf> {
    let folder = root().join("../shared/halide21").join(name);
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return None;
    }
    Some(folder)
}

/// The project's Python with Halide, if it is there.
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
