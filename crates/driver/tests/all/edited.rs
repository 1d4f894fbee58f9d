//! Edited statements of stock Halide, with the pipelines that they belong to as lines of a script.

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Request, bridge};
use halidom_validate::Verdict;

use crate::common::{in_parallel, judge};
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

/// The part of a dump that begins with some words, up to the parenthesis that closes it.
pub(crate) fn part<'d>(dump: &'d str, words: &str) -> &'d str {
    let from = &dump[dump.find(words).expect("the dump has these words")..];
    let mut depth = 0;
    let end = from.char_indices().find_map(|(at, letter)| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        (depth == 0).then_some(at + 1)
    });
    &from[..end.expect("the parentheses match")]
}

/// Lines of a pipeline, and an edit of its dump after which it is not proved.
pub(crate) type EditedDump = (&'static str, fn(&str) -> String);

/// Compiles the lines of each case in the place of `{lines}` of a script, for a target with strict
/// floats unless the script names another. The dump is proved, and the edited one is not, although
/// it can be read. Returns false without the project's Python with Halide, and checks nothing.
pub(crate) fn judge_edited_dumps(script: &str, cases: &[EditedDump]) -> bool {
    if bridge::find().is_err() || !bridge::is_installed() {
        return false;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut script = script.to_owned();
    if !script.contains("\ntarget") {
        script.push_str("\ntarget = 'host-strict_float'\n");
    }
    for (number, (lines, edit)) in cases.iter().enumerate() {
        let place = folder.path().join(number.to_string());
        std::fs::create_dir(&place).expect("a folder");
        let path = place.join("script.py");
        std::fs::write(&path, script.replace("{lines}", lines)).expect("it is written");
        let own = tempfile::tempdir().expect("a folder");
        let job = bridge::Job::of(bridge::Origin::Script(path));
        let artifacts = job.compile(own.path()).expect("Halide compiles it");
        let dump = artifacts.dump.expect("the bridge writes one");
        let file = place.join("pipeline.hlpipe");
        std::fs::write(&file, &artifacts.pipeline).expect("it is written");
        for (text, is_right) in [(dump.clone(), true), (edit(&dump), false)] {
            let mut request = Request::of(&file);
            request.statement = Some(place.join("statement.dump"));
            std::fs::write(place.join("statement.dump"), text).expect("it is written");
            let (is_proved, words) = match stock::read(&request) {
                Ok(stock) => {
                    let subject = &stock.subject;
                    let options = Options::find().expect("a solver").of_stock();
                    let report =
                        judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
                    // A run may refute what was proved by mistake.
                    let is_proved = matches!(report.verdict, Verdict::Proved);
                    (is_proved || report.is_closed(), format!("{:?}", report.verdict))
                }
                Err(refusal) => {
                    // A dump that cannot be read would test nothing.
                    for found in &refusal.diagnostics {
                        let code = found.code.to_string();
                        let is_read = ["HAL1205", "HAL1209"].contains(&code.as_str());
                        assert!(is_read, "{code}: {}", found.message);
                    }
                    (false, "it is not translated".to_owned())
                }
            };
            assert_eq!(is_proved, is_right, "case {number}, {lines}: {words}");
        }
    }
    true
}
