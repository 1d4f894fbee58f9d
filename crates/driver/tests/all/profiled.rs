//! Stock Halide's statements with `profile` in the target: what measures the run is left out of the
//! judgement, and nothing else is.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use std::path::Path;

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_validate::Verdict;

const SCRIPT: &str = "import halide as hl

target = 'host-profile'


def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.Int(32), 2, 'a')
    part, out = hl.Func('part'), hl.Func('out')
    part[x, y] = a[x, y] + 1
    out[x, y] = part[x, y] * 2 + part[x + 1, y]
    part.compute_at(out, y)
    out.parallel(y)
    return out
";

/// Judges Halide's compilation, with its statement edited. Returns nothing if it is not translated.
fn judged(script: &Path, edit: impl Fn(&str) -> String) -> Option<(Verdict, bool)> {
    let folder = tempfile::tempdir().expect("there is a folder");
    let job = bridge::Job::of(bridge::Origin::Script(script.to_owned()));
    let mut request = Request::of_job(job.clone());
    let statement = job.compile(folder.path()).expect("Halide compiles it").statement;
    let edited = folder.path().join("edited.stmt");
    std::fs::write(&edited, edit(&statement)).expect("it can be written");
    request.statement = Some(edited);
    let stock = stock::read(&request).ok()?;
    let options = Options::find().expect("there are solvers").of_stock();
    let mut judge = |subject: &halidom_driver::subject::Subject| {
        crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
    };
    let said = stock.notes.iter().any(|note| note.to_string().contains("the profiler measures"));
    Some((stock::judged(&stock, Annotations::Never, &mut judge).report.verdict, said))
}

#[test]
fn what_measures_the_run_is_left_out_and_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.join(".venv/bin/python").is_file() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("there is a folder");
    let script = folder.path().join("pipeline.py");
    std::fs::write(&script, SCRIPT).expect("it can be written");
    assert_eq!(judged(&script, str::to_owned), Some((Verdict::Proved, true)));
    for [from, to] in [
        // A store to memory that is not the profiler's.
        ["profiler_func_names[0] =", "part[0] ="],
        // An element that this memory does not have.
        ["profiler_func_names[0] =", "profiler_func_names[99] ="],
        // A function of the profiler that writes to memory of the pipeline.
        [
            "halide_profiler_enable_instance(profiler_instance",
            "halide_profiler_enable_instance(part",
        ],
        // A name of the profiler's in a value.
        [" + 1\n", " + profiler_start_error_code\n"],
        [" + 1\n", " + 2\n"],
    ] {
        let edited = judged(&script, |statement| {
            assert!(statement.contains(from), "no `{from}` in {statement}");
            statement.replacen(from, to, 1)
        });
        assert!(!matches!(edited, Some((Verdict::Proved, _))), "proved with {from} as {to}");
    }
}
