//! Edited statements of stock Halide, with the pipelines that they belong to as lines of a script.

use halidom_driver::stock::bridge;

use crate::common::in_parallel;
use crate::stock_edges::{Expected, judged};

/// The lines of a pipeline of stock Halide, edits of its statement, and whether the result is
/// proved. An edit replaces every occurrence.
pub(crate) type Edited = (&'static str, &'static [(&'static str, &'static str)], bool);

/// Compiles the lines of each case in the place of `{lines}` of a script, edits the statements, and
/// judges them: exactly the right ones are proved. Returns false without the project's Python with
/// Halide, and checks nothing.
pub(crate) fn judge_edited(script: &str, cases: &[Edited]) -> bool {
    if bridge::find().is_err() || !bridge::is_installed() {
        return false;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let cases: Vec<(usize, &Edited)> = cases.iter().enumerate().collect();
    let wrong = in_parallel(&cases, |(number, (lines, edits, is_right))| {
        let path = folder.path().join(format!("script_{number}.py"));
        std::fs::write(&path, script.replace("{lines}", lines)).expect("it is written");
        let own = tempfile::tempdir().expect("a folder");
        let job = bridge::Job::of(bridge::Origin::Script(path));
        let artifacts = job.compile(own.path()).expect("Halide compiles it");
        let mut statement = artifacts.statement;
        for (from, to) in *edits {
            if !statement.contains(from) {
                return Some(format!("`{from}` is not in\n{statement}"));
            }
            statement = statement.replace(from, to);
        }
        let (words, found) = judged(&artifacts.pipeline, &statement);
        let is_proved = found == Expected::Proved;
        (is_proved != *is_right).then(|| format!("{lines}\n{edits:?}: {words}"))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    true
}
