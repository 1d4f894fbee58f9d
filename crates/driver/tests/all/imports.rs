//! Pipelines that stock Halide serialized, as programs of ours: they compile, are proved, and
//! compute the values that the pipeline file defines.

use std::path::{Path, PathBuf};

use crate::common::{in_parallel, load, open, options};
use halidom_driver::compile::compile;
use halidom_driver::source::Choice;
use halidom_driver::stock::{Import, bridge, import};
use halidom_halide::{Names, pipeline, translate};
use halidom_interp::algorithm::evaluate;
use halidom_interp::{Bindings, machine};
use halidom_ir::{Array, Constant, Scalar};
use halidom_testgen::{cases_of, sampled};
use halidom_validate::{Verdict, validate_refined};

/// Rows of Table 1 that are judged quickly.
const ROWS: [&str; 10] = [
    "blur",
    "atl_twostage",
    "atl_twostage_vec",
    "atl_tiled",
    "atl_tiled_vec",
    "harris",
    "unsharp",
    "sc1",
    "sdot",
    "sgemmTAB",
];

/// Pipelines for which only the algorithm is written: their stages have other numbers here, as a
/// first stage without a value is left out.
const UNSCHEDULED: [&str; 1] = ["undefined_init"];
/// Pipelines with funcs that have no value somewhere, which our language does not have.
const UNREADABLE: [&str; 3] = ["rows_by_updates", "slots_of_scratch", "value_under_a_condition"];
/// Pipelines that are not proved: here `a * scale` under the condition that `scale`, which is not
/// an index, is 1.
const UNPROVED: [&str; 1] = ["specialize"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn name(path: &Path) -> String {
    path.file_stem().expect("it has a name").to_string_lossy().into_owned()
}

/// Judges the import of a pipeline file and compares runs with the values that the file defines.
/// Returns the first failure.
fn wrong(file: &Path) -> Option<String> {
    let name = name(file);
    let Ok(Import { text, notes: _ }) = import(file) else {
        return (!UNREADABLE.contains(&&*name)).then(|| format!("{name} is not read"));
    };
    if UNREADABLE.contains(&&*name) {
        return Some(format!("{name} is read"));
    }
    let mut loaded = load(&name, &text);
    let schedule = (!loaded.module.pipelines[0].schedules.is_empty()).then_some(0);
    if schedule.is_none() != UNSCHEDULED.contains(&&*name) {
        return Some(format!("{name}: schedule {schedule:?}"));
    }
    let choice = Choice { pipeline: 0, schedule };
    let algorithm = loaded.module.pipelines[0].algorithm.clone();
    let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it compiles");
    let pool = &mut loaded.module.pool;
    let mut names = Names::new();
    let bytes = std::fs::read(file).expect("it can be read");
    let known = pipeline::read(&bytes, &mut names).expect("it was read before");
    let mut source = translate::algorithm(&known, &names).expect("it was translated before");
    translate::keep_used(&mut source, &known);
    let mut runs = 0;
    for mut case in cases_of(pool, &algorithm, &compiled.program, 300, (11, 12)) {
        let mut bindings = Bindings::new();
        for (param, own) in algorithm.params.iter().zip(&source.algorithm.params) {
            let value = case.bindings.var(*param).expect("it has a value");
            bindings.set_var(&source.pool, *own, value).expect("it is of one type");
        }
        for (input, own) in algorithm.inputs.iter().zip(&source.algorithm.inputs) {
            let array = small(case.bindings.input(*input).expect("it is given"));
            case.bindings.set_input(pool, *input, array.clone()).expect("it is of one type");
            bindings.set_input(&source.pool, *own, array).expect("it is of one type");
        }
        let expected = evaluate(&source.pool, &source.algorithm, &bindings, &case.windows);
        let Ok(expected) = expected else { continue };
        let options = machine::Options::default();
        let ran = machine::run(pool, &compiled.program, &case.bindings, &case.windows, &options);
        let got = match ran {
            Ok(outcome) => outcome.outputs,
            // The code does not accept these sizes.
            Err(machine::Fault::CheckFailed(_)) => continue,
            Err(fault) => return Some(format!("{name}: {fault}\n{text}")),
        };
        let same =
            |(a, b): (&Array, &Array)| a.points().all(|point| a.get(&point) == b.get(&point));
        if expected.len() != got.len() || !expected.iter().zip(&got).all(same) {
            return Some(format!("{name} computes something else on {:?}\n{text}", case.windows));
        }
        runs += 1;
    }
    if runs == 0 {
        return Some(format!("{name}: no run goes through"));
    }
    let report = validate_refined(pool, &algorithm, &compiled.steps, &compiled.program, &options());
    let is_proved = report.verdict == Verdict::Proved;
    (is_proved == UNPROVED.contains(&&*name))
        .then(|| format!("{name}: {:?}\n{}\n{text}", report.verdict, open(&report)))
}

/// An array whose wide signed integers are small, as Halide assumes that these do not overflow.
fn small(array: &Array) -> Array {
    let mut array = array.clone();
    if matches!(array.scalar, Scalar::I32 | Scalar::I64) {
        for number in 0..array.data.len() / array.scalar.bytes().expect("it has a size") {
            let value = i128::try_from(number * 37 % 201).expect("it is small") - 100;
            let value = Constant::wrapped(array.scalar, value).expect("it is an integer");
            assert!(array.set_element(number, value));
        }
    }
    array
}

#[test]
fn imported_rows_of_table_1_are_proved() {
    let folder = root().join("../shared/halide21/table1");
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return;
    }
    let found = in_parallel(&sampled(ROWS, 8), |row| {
        wrong(&folder.join(row).join(row).with_extension("hlpipe"))
    });
    let found: Vec<String> = found.into_iter().flatten().collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A Python script that serializes the results of scripts' `pipeline()`.
const WRITE: &str = "import sys, runpy
import halide as hl
for script, file in zip(sys.argv[1::2], sys.argv[2::2]):
    made = runpy.run_path(script)['pipeline']()
    hl.serialize_pipeline(made if isinstance(made, hl.Pipeline) else hl.Pipeline(made), file)
";

#[test]
fn imported_pipelines_of_every_directive_are_proved() {
    let Some(python) = python() else {
        println!("skipped: there is no Python with Halide");
        return;
    };
    let place = tempfile::tempdir().expect("there is room");
    let scripts = std::fs::read_dir(root().join("tests/halide/pipelines")).expect("it is there");
    let mut command = std::process::Command::new(python);
    command.args(["-c", WRITE]).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut files = Vec::new();
    for script in scripts {
        let script = script.expect("it can be listed").path();
        if script.extension().is_some_and(|extension| extension == "py") {
            let file = place.path().join(name(&script)).with_extension("hlpipe");
            command.arg(script).arg(&file);
            files.push(file);
        }
    }
    files.sort();
    let made = command.output().expect("Python starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(files.len() >= 50, "{} pipelines", files.len());
    let found: Vec<String> =
        in_parallel(&sampled(files, 8), |file| wrong(file)).into_iter().flatten().collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn python() -> Option<PathBuf> {
    let python = bridge::find().ok()?;
    let probe = std::process::Command::new(&python).args(["-c", "import halide"]).output();
    probe.is_ok_and(|output| output.status.success()).then_some(python)
}

/// The parts of a schedule that are left out, with the notes about them.
#[test]
fn what_is_left_out_is_listed() {
    let Some(python) = python() else {
        println!("skipped: there is no Python with Halide");
        return;
    };
    let place = tempfile::tempdir().expect("there is room");
    let script = place.path().join("script.py");
    let file = place.path().join("script.hlpipe");
    let text = "import halide as hl

def pipeline():
    x, y, r = hl.Var('x'), hl.Var('y'), hl.RDom([(0, 8)], 'r')
    a = hl.ImageParam(hl.UInt(8), 2, 'a')
    rows, total, out = hl.Func('rows'), hl.Func('total'), hl.Func('out')
    rows[x, y] = a[x, y] + hl.u8(1)
    total[x, y] = hl.u8(0)
    total[x, y] += rows[x + r, y]
    out[x, y] = total[x, y]
    out[x, y] += hl.u8(1)
    out.vectorize(x, 8).parallel(y).update().vectorize(x, 8, hl.TailStrategy.RoundUp)
    total.compute_root().update().vectorize(x, 8, hl.TailStrategy.RoundUp).prefetch(rows, y, y, 2)
    y_of_rows = hl.VarOrRVar(y)
    rows.compute_root().prefetch(a, x, y, 2).prefetch(a, y_of_rows, y_of_rows, hl.Expr(3)).memoize()
    return out
";
    std::fs::write(&script, text).expect("it can be written");
    let made = std::process::Command::new(python)
        .args(["-c", WRITE])
        .args([&script, &file])
        .output()
        .expect("Python starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let Import { text, notes } = import(&file).expect("it is translated");
    let said: Vec<String> =
        notes.iter().map(|note| format!("{}: {}", note.code, note.message)).collect();
    assert_eq!(
        said,
        [
            "HAL1211: left out: `out`: update(1): the tail `round` of `x`; it is `guard` here",
            "HAL1211: left out: `rows`: `prefetch` of `a_im`",
            "HAL1211: left out: `rows`: `memoize`",
        ],
        "{text}"
    );
    for line in [
        "out.vectorize(x, 8, tail: shift).parallel(y);",
        "total.compute_root();",
        "out.update(1).vectorize(x, 8, tail: guard);",
        "total.update(1).vectorize(x, 8, tail: round).prefetch(rows, y, ahead: 2);",
        "rows.compute_root().prefetch(a, y, ahead: 3);",
    ] {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
    assert_eq!(wrong(&file), None);
}
