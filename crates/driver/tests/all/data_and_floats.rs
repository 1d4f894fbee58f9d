//! Stock Halide's statements in which data selects elements, or floats become integers: Halide's
//! own one is proved, and an edited one is not.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use std::path::Path;

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_testgen::sampled;
use halidom_validate::{Report, Verdict};

/// The definition of `out`, a text of the statement and what it is replaced by, and the axioms that
/// the proof of the original statement needs.
const CASES: [(&str, [&str; 2], &str); 26] = [
    ("out[x] = t[hl.i32(hl.u8(a[x]))]", ["uint8(a[", "int8(a["], ""),
    ("out[x] = t[hl.clamp(a[x] + 1, 0, 255)]", [", 254)", ", 255)"], ""),
    ("out[x] = 0\n    out[hl.i32(b[r])] += 1", ["] + 1", "] + 2"], ""),
    ("at[x] = x * 2 + 1\n    out[x] = 0\n    out[at[r]] += 1", ["] + 1", "] + 2"], ""),
    ("out[x] = a[x // p]", ["/p)", "/(p + 1))"], ""),
    ("out[x] = hl.i32(hl.f32(x) * q)", ["(float32)q*", "(float32)q + "], ""),
    ("out[x] = hl.u8(hl.clamp(f[x] * 255.0 + 0.5, 0.0, 255.0))", ["254.5", "254.0"], ""),
    ("out[x] = hl.u8(hl.sqrt(hl.f32(b[x]) * 2.0) / 3.0)", ["0.333333", "0.340000"], ""),
    ("out[x] = f[x] / 3.0", ["0.333333", "0.333433"], "float-reciprocal"),
    (
        "out[x] = hl.i32(hl.min(hl.max(f[x], 0.0), 255.0) + 0.5)",
        ["255.0", "254.0"],
        "float-numbers",
    ),
    (
        "out[x] = hl.select(hl.min(f[x], f[x + 1]) <= f[x], 1, 2)",
        ["rebased] = 1", "rebased] = 2"],
        "float-numbers",
    ),
    ("out[x] = hl.select(f[x] == f[x], 1, 2)", ["rebased] = 1", "rebased] = 2"], "float-numbers"),
    ("out[x] = hl.i32(f[x] * 0.0)", ["rebased] = 0", "rebased] = 1"], ""),
    ("out[x] = hl.i32(f[x] * 0.0 / q)", ["rebased] = 0", "rebased] = 1"], ""),
    ("out[x] = f[x] * q + q * f[x]", ["2.000000f", "3.000000f"], ""),
    ("out[x] = hl.i32(f[x] * q + q * f[x])", ["2.000000f", "3.000000f"], ""),
    ("out[x] = hl.select(f[x] * f[x] - q * (0.0 - q) < 4.0, 1, 2)", ["4.000000f", "5.000000f"], ""),
    ("out[x] = hl.select(f[x] < f[x + 1], f[x], 3.0) + 1.0", ["1.0", "2.0"], ""),
    ("out[x] = hl.argmin(f[x + hl.RDom([(0, 5)]).x])[0]", [" = min(f", " = max(f"], ""),
    ("out[x] = hl.select(f[x] > q, f[x], q)", [" = max(f", " = min(f"], ""),
    ("out[x] = x + 1\n    out[2] = 42\n    return out", ["] = 42", "] = 43"], ""),
    ("out[x] = 7\n    out[2] = 7\n    out[3] = 7\n    return out", ["] = 7", "] = 8"], ""),
    (
        "out[x] = hl.select(x % 2 == 0, f[x // 2] + f[x], f[x // 2] - f[x])",
        ["0.000000f - ", "1.000000f - "],
        "float-add-zero",
    ),
    (
        "rows, y = hl.Func('rows'), hl.Var('y')
    rows[x, y] = 0
    rows[hl.i32(b[r + y]), y] += 1
    rows.bound(x, 0, 256).compute_root().update().reorder(y, r).unroll(y, 4)
    out[x] = rows[hl.i32(b[x]), x % 4]",
        ["] + 1", "] + 2"],
        "",
    ),
    (
        "out[x] = 0
    out[x] += a[x + r]
    out.update().split(r, hl.RVar('o'), hl.RVar('i'), 8)
    out.update().rfactor(hl.RVar('o'), hl.Var('u')).compute_root()",
        ["] + a[", "] - a["],
        "",
    ),
    (
        "out[x] = 0
    out[x] += a[x + r]
    out.update().split(r, hl.RVar('o'), hl.RVar('i'), 8)
    lanes = out.update().rfactor(hl.RVar('i'), hl.Var('u')).compute_root()
    lanes.update().vectorize(hl.Var('u'), 8)",
        ["ramp(96, 1, 8)", "ramp(95, 1, 8)"],
        "",
    ),
];

const SCRIPT: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a, t = (hl.ImageParam(hl.Int(32), 1, name) for name in 'at')
    b = hl.ImageParam(hl.UInt(8), 1, 'b')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    p, q = hl.Param(hl.Int(32), 'p'), hl.Param(hl.Float(32), 'q')
    r = hl.RDom([(0, 100)]).x
    at, out, copy = hl.Func('at'), hl.Func('out'), hl.Func('copy')
    {definition}
    copy[x] = out[x]
    out.compute_root()
    return copy
";

/// Judges Halide's compilation, with its statement edited if there is an edit.
fn judged(definition: &str, edit: Option<&dyn Fn(&str) -> String>) -> Report {
    let folder = tempfile::tempdir().expect("there is a folder");
    let script = folder.path().join("pipeline.py");
    std::fs::write(&script, SCRIPT.replace("{definition}", definition)).expect("it is written");
    let job = bridge::Job::of(bridge::Origin::Script(script));
    let mut request = Request::of_job(job.clone());
    if let Some(edit) = edit {
        let place = folder.path().join("compiled");
        std::fs::create_dir(&place).expect("it can be made");
        let statement = job.compile(&place).expect("Halide compiles it").statement;
        let edited = folder.path().join("edited.stmt");
        std::fs::write(&edited, edit(&statement)).expect("it can be written");
        request.statement = Some(edited);
    }
    let stock = stock::read(&request).expect("it is translated");
    let options = Options::find().expect("there are solvers").of_stock();
    let mut judge = |subject: &halidom_driver::subject::Subject| {
        crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
    };
    stock::judged(&stock, Annotations::Never, &mut judge).report
}

fn has_halide() -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(".venv/bin/python").is_file()
}

/// The pipeline computes the product too, so it does not overflow where it is needed. Three times
/// the product may.
#[test]
fn a_product_of_the_pipeline_fits_and_another_one_need_not() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    // Tracing puts the stored value into a let.
    let traced = "out[x] = hl.sin(x * p); out.trace_stores()";
    for definition in ["out[x] = hl.sin(x * p)", traced] {
        the_product_fits_alone(definition);
    }
}

fn the_product_fits_alone(definition: &str) {
    assert_eq!(judged(definition, None).verdict, Verdict::Proved);
    let tripled = |statement: &str| {
        let begin = statement.find("sin_f32(float32(").expect("a sine") + "sin_f32(float32(".len();
        let end = begin + statement[begin..].find("))").expect("it ends");
        let product = &statement[begin..end];
        statement.replacen(product, &format!("(({product})*3)/3"), 1)
    };
    assert_ne!(judged(definition, Some(&tripled)).verdict, Verdict::Proved);
}

#[test]
fn values_of_data_and_floats_are_proved_and_wrong_ones_are_not() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let mut wrong = Vec::new();
    for (definition, edit, axioms) in sampled(CASES, 12) {
        let right = judged(definition, None);
        let found = right.floats().1.to_string();
        if right.verdict != Verdict::Proved || found != axioms {
            wrong.push(format!("{definition}: {:?} under `{found}`", right.verdict));
        }
        let edited = judged(
            definition,
            Some(&|statement| {
                let [from, to] = edit;
                assert!(statement.contains(from), "no `{from}` in {statement}");
                statement.replacen(from, to, 1)
            }),
        );
        if edited.verdict == Verdict::Proved {
            wrong.push(format!("{definition}: proved with {edit:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
