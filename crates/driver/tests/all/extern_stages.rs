//! Stock Halide's statements with funcs that extern functions compute (`define_extern`). Halide's
//! own statement is proved under the condition that such functions are pointwise. A statement that
//! gives the function something else, or lets it compute less, is not proved.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use std::path::{Path, PathBuf};

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_testgen::sampled;
use halidom_validate::Verdict;

const SCRIPT: &str = "import halide as hl


def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.Int(32), 2, 'a')
    k = hl.Param(hl.Int(32), 'k')
    f, g, e, out = [hl.Func(name) for name in ['f', 'g', 'e', 'out']]
    f[x, y] = {f}
    g[x, y] = a[x, y + 1] + 1
    e.define_extern('{name}', {arguments}, hl.Int(32), 2)
    out[x, y] = e[x, y] + e[x + 1, y]
    for func in [f, g, e]:
        func.compute_root()
    return out
";

/// The parts of the script: the definition of `f`, the function's name and its arguments.
const RIGHT: [&str; 3] = ["a[x, y] * 2", "stage", "[f, g, k]"];

/// Other parts, whose statements are wrong for the right ones.
const WRONG: [[&str; 3]; 6] = [
    ["a[x, y] * 3", "stage", "[f, g, k]"],
    ["a[x, y] * 2", "stagf", "[f, g, k]"],
    ["a[x, y] * 2", "stage", "[g, f, k]"],
    ["a[x, y] * 2", "stage", "[f, g, k + 1]"],
    ["a[x, y] * 2", "stage", "[f, g, hl.i32(3)]"],
    ["a[x, y] * 2", "stage", "[f, f, k]"],
];

/// Changes to Halide's own statement: their name, a part of the line, a text there, and its
/// replacement.
const EDITS: [[&str; 4]; 11] = [
    [
        "a shorter input",
        "(let \"f.buffer\"",
        "(i32 1)) (i32 1) (i32 0)",
        "(i32 0)) (i32 1) (i32 0)",
    ],
    [
        "an input that begins later",
        "(let \"f.buffer\"",
        "intrinsic 0 (var i32 \"f.s0.x.min\")",
        "intrinsic 0 (+ (var i32 \"f.s0.x.min\") (i32 1))",
    ],
    ["the memory of another input", "(let \"g.buffer\"", "(var h \"g\")", "(var h \"f\")"],
    ["another stride", "(let \"g.buffer\"", "(i32 1)) (i32 1) (i32 0)", "(i32 1)) (i32 2) (i32 0)"],
    [
        "a smaller window",
        "(let \"e.buffer\"",
        "(i32 1)) (i32 1) (i32 0)",
        "(i32 0)) (i32 1) (i32 0)",
    ],
    [
        "a window that begins later",
        "(let \"e.buffer\"",
        "intrinsic 0 (var i32 \"e._0.min_realized\")",
        "intrinsic 0 (+ (var i32 \"e._0.min_realized\") (i32 1))",
    ],
    ["another scalar", CALL, "(var i32 \"k\")", "(+ (var i32 \"k\") (i32 1))"],
    ["another function", CALL, "\"stage\"", "\"stagf\""],
    [
        "a result that is not tested",
        "extern_stage_failed",
        "(var i32 \"t0\") (i32 0))",
        "(i32 0) (i32 0))",
    ],
    [
        "a query with another scalar",
        "\"stage\" extern 0 (var h\"struct halide_buffer_t *\" \"f.o0.bounds_query.e_1\")",
        "(var i32 \"k\")",
        "(i32 7)",
    ],
    [
        "a query with a smaller window",
        "(let \"e.o0.bounds_query\"",
        "(+ (var i32 \"out.extent.0\") (i32 1))",
        "(var i32 \"out.extent.0\")",
    ],
];

const IN_TILES: &str = "import halide as hl


def pipeline():
    x, y, yo, yi = [hl.Var(name) for name in ['x', 'y', 'yo', 'yi']]
    a = hl.ImageParam(hl.Int(32), 2, 'a')
    k = hl.Param(hl.Int(32), 'k')
    e, out = hl.Func('e'), hl.Func('out')
    e.define_extern('stage', [a, k], hl.Int(32), 2)
    out[x, y] = e[x, y] + e[x + 1, y]
    out.split(y, yo, yi, 8)
    e.compute_at(out, yo)
    return out
";

/// Changes to the statement of that, as above.
const EDITS_IN_TILES: [[&str; 4]; 9] = [
    ["a smaller window in a tile", "(let \"e.o0.bounds_query_2\"", "(i32 8)", "(i32 7)"],
    [
        "a query with a smaller window than the call's",
        "(let \"e.o0.bounds_query_3\"",
        "(var i32 \"e.s0._0.min_3\")) (i32 1))",
        "(var i32 \"e.s0._0.min_3\")) (i32 0))",
    ],
    [
        "a query in a tile with another scalar",
        "\"a.bounds_query.e_2\") (var i32 \"k\")",
        "(var i32 \"k\")",
        "(i32 7)",
    ],
    [
        "a query in a tile with a buffer that was made before the tiles",
        "\"a.bounds_query.e_2\") (var i32 \"k\")",
        "\"e.o0.bounds_query_2\"",
        "\"e.o0.bounds_query_1\"",
    ],
    [
        "a query in a tile whose result is not tested",
        "(assert (== (var i32 \"t2\")",
        "(var i32 \"t2\") (i32 0))",
        "(i32 0) (i32 0))",
    ],
    [
        "a window that begins later",
        "(let \"e.buffer\"",
        "intrinsic 0 (var i32 \"e._0.min_realized\")",
        "intrinsic 0 (+ (var i32 \"e._0.min_realized\") (i32 1))",
    ],
    ["memory that is too small", "(allocate \"e\"", "(i32 1))", "(i32 0))"],
    [
        "another scalar",
        "(var h\"struct halide_buffer_t *\" \"a.buffer\") (var i32 \"k\")",
        "(var i32 \"k\")",
        "(+ (var i32 \"k\") (i32 1))",
    ],
    ["a read of another row", "(let \"t36\"", "\"e._1.min_realized\"", "\"e._0.min_realized\""],
];

/// The beginning of the call that computes `e`.
const CALL: &str = "\"stage\" extern 0 (var h\"struct halide_buffer_t *\" \"f.buffer\")";

fn has_halide() -> bool {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python").is_file()
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("it can be written");
    path
}

fn script(folder: &Path, [f, name, arguments]: [&str; 3]) -> bridge::Job {
    let text = SCRIPT.replace("{f}", f).replace("{name}", name).replace("{arguments}", arguments);
    let origin = bridge::Origin::Script(written(folder, "pipeline.py", &text));
    bridge::Job::of(origin)
}

fn compiled(job: &bridge::Job) -> String {
    let folder = tempfile::tempdir().expect("there is a folder");
    let artifacts = job.compile(folder.path()).expect("Halide compiles it");
    artifacts.dump.expect("the bridge writes a dump")
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
fn an_extern_stage_gets_the_right_inputs_and_computes_what_is_read() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("there is a folder");
    let job = script(folder.path(), RIGHT);
    let (verdict, conditions) = judged(&job, None).expect("it is translated");
    assert_eq!(verdict, Verdict::Proved);
    assert!(conditions.contains(&"extern-stages-are-pointwise"), "{conditions:?}");
    let mut wrong = Vec::new();
    for other in sampled(WRONG, 6) {
        let folder = tempfile::tempdir().expect("there is a folder");
        let dump = compiled(&script(folder.path(), other));
        if let Ok((Verdict::Proved | Verdict::Refuted(_), _)) = judged(&job, Some(&dump)) {
            wrong.push(format!("the statement of {other:?}: proved or refuted"));
        }
    }
    wrong.extend(not_refused(&job, &sampled(EDITS, 6)));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Lists the changes to Halide's own statement that are proved all the same, or cannot be made.
fn not_refused(job: &bridge::Job, edits: &[[&str; 4]]) -> Vec<String> {
    let own = compiled(job);
    let mut wrong = Vec::new();
    for [name, part, old, new] in edits {
        let line = own.lines().find(|line| line.contains(part) && line.contains(old));
        let Some(line) = line else {
            wrong.push(format!("{name}: no such line"));
            continue;
        };
        let edited = own.replacen(line, &line.replacen(old, new, 1), 1);
        match judged(job, Some(&edited)) {
            Ok((Verdict::Proved, _)) => wrong.push(format!("{name}: proved")),
            // A statement that cannot be read would show nothing.
            Err(said) if !said.contains("is not translated") => {
                wrong.push(format!("{name}: {said}"))
            }
            Ok((Verdict::Refuted(_) | Verdict::Unknown(_), _)) | Err(_) => {}
        }
    }
    wrong
}

#[test]
fn an_extern_stage_in_a_tile_answers_there() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("there is a folder");
    let job =
        bridge::Job::of(bridge::Origin::Script(written(folder.path(), "pipeline.py", IN_TILES)));
    let (verdict, _) = judged(&job, None).expect("it is translated");
    assert_eq!(verdict, Verdict::Proved);
    let wrong = not_refused(&job, &sampled(EDITS_IN_TILES, 6));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A compile for the same process passes the user's context itself, so its dump has no such
/// argument. Every other argument that the statement mentions has to be there.
#[test]
fn only_the_users_context_may_be_no_argument() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("there is a folder");
    let [f, name, _] = RIGHT;
    let job = script(folder.path(), [f, name, "[f, g, k, hl.user_context_value()]"]);
    let own = compiled(&job);
    let argument = |name: &str| {
        let quoted = format!("\"{name}\"");
        own.lines().find(|line| line.starts_with("(argument ") && line.contains(&quoted))
    };
    assert!(own.contains("\"__user_context\"") && argument("__user_context").is_none());
    assert_eq!(judged(&job, Some(&own)).map(|(verdict, _)| verdict), Ok(Verdict::Proved));
    for name in ["k", "a"] {
        let line = argument(name).unwrap_or_else(|| panic!("no argument {name}"));
        let without = own.replacen(&format!("{line}\n"), "", 1);
        let found = judged(&job, Some(&without)).map(|(verdict, _)| verdict);
        let words = format!("it has no argument `{name}`");
        assert!(found.as_ref().is_err_and(|said| said.contains(&words)), "{found:?}");
    }
}
