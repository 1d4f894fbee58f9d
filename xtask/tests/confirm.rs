//! `cargo xtask mutators --confirm` on small sources: an answer is confirmed if the
//! installed Halide behaves as it states, and not otherwise.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The lines of the table that begin with a place, and the exit status.
fn confirmed(sources: &str) -> (Vec<String>, Option<i32>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/confirm").join(sources);
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["mutators", "--confirm"]).env("HALIDOM_SOURCES", folder);
    let output = command.output().expect("xtask starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    let rows = printed.lines().filter(|line| line.contains(".cpp:")).map(str::to_owned);
    (rows.collect(), output.status.code())
}

#[test]
fn what_the_compiled_halide_does_is_confirmed() {
    let python: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin/python");
    let imported = Command::new(python).args(["-c", "import halide"]).output();
    if !imported.is_ok_and(|output| output.status.success()) {
        println!("skipped: Halide is not installed in .venv");
        return;
    }
    let (rows, status) = confirmed("borne_out");
    assert_eq!(status, Some(0), "{rows:?}");
    let outcome = |place: &str, ty: &str, outcome: &str| {
        let is_it = |row: &&String| row.contains(place) && row.split_whitespace().any(|w| w == ty);
        let row = rows.iter().find(is_it);
        assert!(row.is_some_and(|row| row.contains(outcome)), "{place} {ty}: {rows:?}");
    };
    for ty in ["int8", "int16"] {
        outcome("Simplify_Rounds.cpp:8", ty, " confirmed ");
        outcome("Simplify_Rounds.cpp:18", ty, " confirmed ");
    }
    for ty in ["uint8", "uint16", "uint32"] {
        outcome("Simplify_Rounds.cpp:18", ty, "not reachable");
    }
    let (rows, status) = confirmed("not_borne_out");
    assert_ne!(status, Some(0), "{rows:?}");
    for line in [8, 15] {
        let place = format!("Simplify_Inventions.cpp:{line} ");
        assert!(rows.iter().any(|row| row.contains(&place)), "{place}: {rows:?}");
    }
    assert!(rows.iter().all(|row| row.contains(" not borne out ")), "{rows:?}");
}
