//! Stock Halide's statements that call functions which the pipeline only names: Halide's own one is
//! proved under the condition that these functions are pure. The statement of another definition is
//! not, and neither is one that calls another function.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use std::path::{Path, PathBuf};

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_testgen::sampled;
use halidom_validate::{Report, Verdict};

/// The definition of `out`, and definitions whose statements are wrong for it.
const CASES: [(&str, &[&str]); 11] = [
    (
        "out[x] = hl.pow(f[x], 2.2)",
        &["out[x] = hl.pow(f[x], 2.4)", "out[x] = hl.pow(f[x + 1], 2.2)", "out[x] = f[x]"],
    ),
    ("out[x] = hl.pow(f[x], f[x + 1])", &["out[x] = hl.pow(f[x + 1], f[x])"]),
    ("out[x] = hl.atan2(f[x], 3.0)", &["out[x] = hl.pow(f[x], 3.5)"]),
    ("out[x] = hl.f32(hl.pow(hl.f64(f[x]), hl.f64(2.5)))", &["out[x] = hl.pow(f[x], 2.5)"]),
    (
        "out[x] = hl.f32(hl.pow(hl.cast(hl.Float(16), f[x]), hl.cast(hl.Float(16), f[x + 1])))",
        &["out[x] = hl.pow(f[x], f[x + 1])"],
    ),
    ("out[x] = hl.tanh(f[x]) * hl.asin(f[x + 1])", &["out[x] = hl.tanh(f[x]) * hl.acos(f[x + 1])"]),
    // The compiler evaluates a function of numbers.
    ("out[x] = f[x] + hl.pow(hl.f32(3), 2.0)", &["out[x] = f[x] + 8.0"]),
    ("out[x] = hl.fast_inverse(f[x])", &["out[x] = hl.fast_inverse_sqrt(f[x])"]),
    ("out[x] = hl.f32(hl.i32(hl.cosh(f[x])))", &["out[x] = hl.cosh(f[x])"]),
    (
        "out[x] = hl.select(hl.pow(f[x], 0.3) < 2.0, 1.0, 3.0)",
        &["out[x] = hl.select(hl.pow(f[x], 0.3) < 2.5, 1.0, 3.0)"],
    ),
    (
        "out[x] = 0.0\n    out[x] += hl.pow(f[x + r], 1.5)",
        &["out[x] = 1.0\n    out[x] += hl.pow(f[x + r], 1.5)"],
    ),
];

const SCRIPT: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    r = hl.RDom([(0, 10)]).x
    out, copy = hl.Func('out'), hl.Func('copy')
    {definition}
    copy[x] = out[x]
    out.compute_root().vectorize(x, 4, hl.TailStrategy.GuardWithIf)
    return copy
";

const NAMED: &str = "named-functions-are-pure";

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("it can be written");
    path
}

fn script(folder: &Path, definition: &str) -> bridge::Job {
    let text = SCRIPT.replace("{definition}", definition);
    let origin = bridge::Origin::Script(written(folder, "pipeline.py", text.as_bytes()));
    bridge::Job::of(origin)
}

fn compiled(job: &bridge::Job) -> bridge::Artifacts {
    let folder = tempfile::tempdir().expect("there is a folder");
    job.compile(folder.path()).expect("Halide compiles it")
}

/// Judges Halide's compilation, or another statement of it without loss. Returns the names of the
/// conditions too.
fn judged(job: bridge::Job, statement: Option<&str>) -> (Report, Vec<&'static str>) {
    let folder = tempfile::tempdir().expect("there is a folder");
    let mut request = Request::of_job(job);
    request.statement = statement.map(|text| written(folder.path(), "other.dump", text.as_bytes()));
    let stock = stock::read(&request).expect("it is translated");
    let conditions = stock.subject.compiled.contract.conditions();
    let options = Options::find().expect("there are solvers").of_stock();
    let mut judge = |subject: &halidom_driver::subject::Subject| {
        crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
    };
    let report = stock::judged(&stock, Annotations::Never, &mut judge).report;
    (report, conditions.iter().map(halidom_halide::Condition::name).collect())
}

fn has_halide() -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(".venv/bin/python").is_file()
}

#[test]
fn a_call_of_the_same_function_with_the_same_operands_is_proved() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let mut wrong = Vec::new();
    for (definition, others) in sampled(CASES, 12) {
        let folder = tempfile::tempdir().expect("there is a folder");
        let job = script(folder.path(), definition);
        let (right, conditions) = judged(job.clone(), None);
        if right.verdict != Verdict::Proved || !conditions.contains(&NAMED) {
            wrong.push(format!("{definition}: {:?} under {conditions:?}", right.verdict));
        }
        for other in others {
            let folder = tempfile::tempdir().expect("there is a folder");
            let dump = compiled(&script(folder.path(), other)).dump.expect("there is a dump");
            if judged(job.clone(), Some(&dump)).0.verdict == Verdict::Proved {
                wrong.push(format!("{definition}: proved with the statement of {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A function of C, made from `pow_f32` by another name in the pipeline file.
#[test]
fn a_function_of_c_is_known_by_its_name_alone() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("there is a folder");
    let mut bytes = compiled(&script(folder.path(), CASES[0].0)).pipeline;
    let place = bytes.windows(7).position(|part| part == b"pow_f32").expect("it has the name");
    bytes[place..place + 7].copy_from_slice(b"my_func");
    let file = written(folder.path(), "renamed.hlpipe", &bytes);
    let job = bridge::Job::of(bridge::Origin::File(file));
    let dump = compiled(&job).dump.expect("there is a dump");
    assert!(dump.contains("my_func"));
    let (right, conditions) = judged(job.clone(), None);
    assert_eq!(right.verdict, Verdict::Proved);
    assert!(conditions.contains(&NAMED), "{conditions:?}");
    let (report, _) = judged(job.clone(), Some(&dump.replace("my_func", "pow_f32")));
    // No run refutes it: nothing is known of the function's values.
    assert!(matches!(report.verdict, Verdict::Unknown { .. }), "{:?}", report.verdict);
    // A function that the pipeline does not call is none that it promises to be pure.
    let mut request = Request::of_job(job);
    let other = dump.replace("my_func", "my_funk");
    request.statement = Some(written(folder.path(), "other.dump", other.as_bytes()));
    assert!(stock::read(&request).is_err());
}
