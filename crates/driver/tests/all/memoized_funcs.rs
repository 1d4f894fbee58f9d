//! Stock Halide's statements with memoized funcs. Halide's own statement is proved if its key tells
//! all parameters apart; Halide's key for parameters of two widths does not.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use std::path::{Path, PathBuf};

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_validate::Verdict;

const SCRIPT: &str = "import halide as hl


def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    k, m = hl.Param({type}, 'k'), hl.Param(hl.Int(32), 'm')
    f, out = hl.Func('f'), hl.Func('out')
    f[x, y] = x * hl.i32(k) + y * m
    out[x, y] = f[x, y] + f[x + 1, y]
    f.{place}.memoize()
    return out
";

/// Changes to Halide's own statement: their name, a part of the line, a text there, and its
/// replacement.
const EDITS: [[&str; 4]; 10] = [
    ["a key without a parameter", "(store \"f.cache_key\" (i32 3)", "(var i32 \"k\")", "(i32 7)"],
    ["one parameter twice", "(store \"f.cache_key\" (i32 3)", "(var i32 \"k\")", "(var i32 \"m\")"],
    ["a part over another", "(store \"f.cache_key\" (i32 4)", "(i32 4)", "(i32 3)"],
    ["a key without its func", "(store \"f.cache_key\" (i32 0)", "\"3:out1:f\"", "(u64 0)"],
    ["a part of the key", "halide_memoization_cache_lookup", "(i32 20)", "(i32 16)"],
    ["smaller bounds", "(let \"f.computed_bounds.buffer\"", "(i32 1)) (i32 0)", "(i32 0)) (i32 0)"],
    ["other bounds", "(let \"f.computed_bounds.buffer\"", "(var i32 \"out.min.1\")", "(i32 0)"],
    ["smaller memory", "(let \"f.buffer\"", "(i32 1)) (i32 1) (i32 0)", "(i32 0)) (i32 1) (i32 0)"],
    [
        "an inverted condition",
        "(if (var u1 \"f.cache_miss\")",
        "(var u1 \"f.cache_miss\")",
        "(! (var u1 \"f.cache_miss\"))",
    ],
    ["another value", "(store \"f\"", "(var i32 \"k\")", "(var i32 \"m\")"],
];

fn has_halide() -> bool {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python").is_file()
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("it can be written");
    path
}

fn script(folder: &Path, [ty, place]: [&str; 2]) -> bridge::Job {
    let text = SCRIPT.replace("{type}", ty).replace("{place}", place);
    let origin = bridge::Origin::Script(written(folder, "pipeline.py", &text));
    bridge::Job::of(origin)
}

/// The verdict on a statement, and the names of its conditions; an error if it is not translated.
fn judged(
    job: &bridge::Job,
    statement: Option<&str>,
) -> Result<(Verdict, Vec<&'static str>), String> {
    let folder = tempfile::tempdir().expect("there is a folder");
    let mut request = Request::of_job(job.clone());
    request.statement = statement.map(|text| written(folder.path(), "other.dump", text));
    let stock = stock::read(&request).map_err(|refusal| format!("{refusal:?}"))?;
    let conditions = stock.subject.compiled.contract.conditions();
    let options = Options::find().expect("there are solvers").of_stock();
    let mut judge = |subject: &halidom_driver::subject::Subject| {
        crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
    };
    let verdict = stock::judged(&stock, Annotations::Never, &mut judge).report.verdict;
    Ok((verdict, conditions.iter().map(halidom_halide::Condition::name).collect()))
}

#[test]
fn a_memoized_func_is_proved_if_its_key_holds_every_parameter() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    for place in ["compute_root()", "compute_at(out, y)", "compute_root().vectorize(x, 8)"] {
        let folder = tempfile::tempdir().expect("there is a folder");
        let (verdict, conditions) =
            judged(&script(folder.path(), ["hl.Int(32)", place]), None).expect("it is translated");
        assert_eq!(verdict, Verdict::Proved, "{place}");
        assert!(conditions.contains(&"cache-returns-what-was-stored"), "{conditions:?}");
    }
    for ty in ["hl.UInt(8)", "hl.Int(64)"] {
        let folder = tempfile::tempdir().expect("there is a folder");
        let job = script(folder.path(), [ty, "compute_root()"]);
        assert!(!matches!(judged(&job, None), Ok((Verdict::Proved, _))), "{ty}");
    }
    let folder = tempfile::tempdir().expect("there is a folder");
    let job = script(folder.path(), ["hl.Int(32)", "compute_root()"]);
    let own = job.compile(folder.path()).expect("Halide compiles it").dump.expect("a dump");
    let mut wrong = Vec::new();
    for [name, part, old, new] in EDITS {
        let line = own.lines().find(|line| line.contains(part) && line.contains(old));
        let line = line.unwrap_or_else(|| panic!("{name}: no such line"));
        let edited = own.replacen(line, &line.replacen(old, new, 1), 1);
        if let Ok((Verdict::Proved, _)) = judged(&job, Some(&edited)) {
            wrong.push(name.to_owned());
        }
    }
    // Bounds that are the same in all runs, though the region is another in each.
    let is_shape = |line: &str| {
        line.contains("(let \"f.buffer\"") || line.contains("(let \"f.computed_bounds.buffer\"")
    };
    let moved: Vec<String> = own
        .lines()
        .map(|line| {
            if is_shape(line) {
                line.replace("(var i32 \"out.min.0\")", "(i32 0)")
            } else {
                line.to_owned()
            }
        })
        .collect();
    let moved = moved.join("\n");
    assert!(moved.trim_end() != own.trim_end());
    if let Ok((Verdict::Proved, _)) = judged(&job, Some(&moved)) {
        wrong.push("bounds that do not move with the region".to_owned());
    }
    // A call of a function that the pipeline does not name, whose value nothing uses.
    let line = own.lines().find(|line| line.contains("(for ")).expect("a loop");
    let indent = &line[..line.len() - line.trim_start().len()];
    let call = format!("{indent}(let \"unused\" (call i32 \"exit\" extern 0 (i32 3)))\n{line}");
    if let Ok((Verdict::Proved, _)) = judged(&job, Some(&own.replacen(line, &call, 1))) {
        wrong.push("a call of another function".to_owned());
    }
    assert!(wrong.is_empty(), "proved: {wrong:#?}");
}
