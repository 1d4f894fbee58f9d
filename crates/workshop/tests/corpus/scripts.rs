//! Pipelines of our own, one for each scheduling directive of Halide's Python; the miscompiles and
//! their repaired versions.

use std::path::{Path, PathBuf};
use std::process::Command;

use halidom_driver::stock::{Annotations, Request, bridge};

use crate::common::in_parallel;
use crate::row::Row;
use crate::{annotations, is_wanted, is_whole, python, root, row, shared};

/// A test run examines one in this many scripts.
const STEP: usize = 18;

/// The request for the installed Halide to compile a script's pipeline.
pub(crate) fn request(script: &Path) -> Request {
    let origin = bridge::Origin::Script(script.to_owned());
    Request::of_job(bridge::Job::of(origin))
}

/// The scripts of a folder under `tests/halide`, sorted by name.
pub(crate) fn scripts(folder: &str) -> Vec<PathBuf> {
    let folder = root().join("tests/halide").join(folder);
    let entries = std::fs::read_dir(folder).expect("it can be listed");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "py")).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_stem().expect("a script has a name").to_string_lossy().into_owned()
}

fn judged(paths: &[PathBuf]) -> Vec<Row> {
    in_parallel(paths, |path| {
        row::judge(&name(path), &request(path), annotations(Annotations::Fallback))
    })
}

/// A pipeline for which Halide reads beyond memory: the code gives the right values, and
/// AddressSanitizer reports the read.
const READS_BEYOND: &str = "rfactor_in_vectors";

/// Checks that no other pipeline is refuted by a run that the compiled code confirms, as the others
/// are right.
fn are_right(rows: &[Row]) {
    for row in rows {
        if row.name == READS_BEYOND {
            assert!(row.remark.contains("stack-buffer-overflow"), "{}: {}", row.name, row.remark);
            assert_eq!(row.verdict, "refuted", "{}", row.name);
            continue;
        }
        assert!(!row.wrong_code && row.verdict != "refuted", "{}: {}", row.name, row.remark);
        assert!(row.verdict != "unknown" || !row.remark.is_empty(), "{} has no reason", row.name);
    }
}

#[test]
fn right_pipelines_are_not_refuted() {
    if python().is_none() {
        return;
    }
    let all = scripts("pipelines");
    assert!(all.len() >= 34, "{} pipelines", all.len());
    let step = if is_whole() { 1 } else { STEP };
    let some = all.into_iter().step_by(step).filter(|path| is_wanted(&name(path)));
    let some: Vec<PathBuf> = some.collect();
    let rows = judged(&some);
    row::print("pipelines of our own", &rows);
    are_right(&rows);
}

#[test]
fn repaired_miscompiles_are_not_refuted() {
    if python().is_none() {
        return;
    }
    let rows = judged(&scripts("repaired"));
    row::print("the miscompiles with the faulty part taken out", &rows);
    are_right(&rows);
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["first_index", "fuse_reorders", "tuple_update", "widening_negate"]);
}

#[test]
fn miscompiles_are_refuted_with_their_pass() {
    // The separate test `stock` checks the passes.
    let (true, Some(python), Some(folder)) = (is_whole(), python(), shared("miscompiles")) else {
        return;
    };
    let place = tempfile::tempdir().expect("there is room");
    let names: Vec<String> = scripts("repaired").iter().map(|path| name(path)).collect();
    let rows = in_parallel(&names, |name| {
        let made = Command::new(&python)
            .arg(folder.join(name).with_extension("py"))
            .arg(place.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .expect("Python starts");
        assert!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
        let request = Request::of(&place.path().join(name).with_extension("hlpipe"));
        row::judge(name, &request, annotations(Annotations::Fallback))
    });
    row::print("the miscompiles", &rows);
    for row in &rows {
        assert!(row.wrong_code && row.verdict == "refuted", "{}: {}", row.name, row.remark);
        assert!(row.pass.is_some(), "{}: no pass", row.name);
    }
}
