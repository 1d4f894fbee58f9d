//! Programs that stock Halide 21.0.0 compiles wrongly: the algorithm gives the right values, and
//! the compiled statement gives the wrong values that were observed from the compiled code.
//!
//! The programs are in `../shared/halide21/miscompiles`, next to the repository, and need the
//! project's Python with Halide. Without these the test prints a message and checks nothing.

use std::path::Path;
use std::process::Command;

use halidom_interp::Bindings;
use halidom_ir::{Array, Constant, Scalar};

use crate::common;

/// Writes the pipeline and the statement of a script to a folder.
fn compile(script: &str, folder: &Path) -> bool {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    let file = common::shared("miscompiles").join(script).with_extension("py");
    if !python.is_file() || !file.is_file() {
        eprintln!("skipped: there is not both {} and {}", python.display(), file.display());
        return false;
    }
    let output = Command::new(python)
        .arg(file)
        .arg(folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    if !output.status.success() {
        eprintln!("skipped: {}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success()
}

fn array(scalar: Scalar, values: impl IntoIterator<Item = i128>) -> Array {
    let values: Vec<i128> = values.into_iter().collect();
    let mut array = Array::zeros(scalar, vec![(0, values.len() as i64)]).unwrap();
    for (at, value) in values.into_iter().enumerate() {
        assert!(array.set(&[at as i64], Constant::wrapped(scalar, value).unwrap()));
    }
    array
}

fn values(array: &Array) -> Vec<i128> {
    array.points().map(|point| array.get(&point).unwrap().as_integer().unwrap()).collect()
}

/// Checks the values of the algorithm and of the statement over `[0, size)` for these inputs.
fn check(script: &str, size: i64, inputs: Vec<(&str, Array)>, expected: &[i128], got: &[i128]) {
    let folder = tempfile::tempdir().unwrap();
    if !compile(script, folder.path()) {
        return;
    }
    let file = |extension: &str| folder.path().join(script).with_extension(extension);
    let (source, program) = common::translated(&file("hlpipe"), &file("stmt")).unwrap();
    let mut bindings = Bindings::new();
    for (name, array) in inputs {
        let mut known = source.algorithm.inputs.iter();
        let input = known.find(|input| source.pool.func(**input).name == name).unwrap();
        bindings.set_input(&source.pool, *input, array).unwrap();
    }
    let windows = [vec![(0, size)]];
    let (algorithm, statement) = common::both(&source, &program, &bindings, &windows).unwrap();
    assert_eq!(values(&algorithm[0])[..expected.len()], *expected, "{script}: the algorithm");
    assert_eq!(values(&statement[0])[..got.len()], *got, "{script}: the statement");
}

#[test]
fn first_index() {
    let data = array(Scalar::I32, [0, 0, 9, 0, 9, 0, 0, 9]);
    check("first_index", 4, vec![("values", data)], &[2, 2, 2, 2], &[7, 7, 7, 7]);
}

#[test]
fn tuple_update() {
    check(
        "tuple_update",
        4,
        Vec::new(),
        &[-3997, -4996, -5995, -6994],
        &[-3996, -4995, -5994, -6993],
    );
}

#[test]
fn widening_negate() {
    let a = array(Scalar::I8, (0..1024).map(|i| i * 7));
    let b = array(Scalar::U8, 0..1024);
    check(
        "widening_negate",
        1024,
        vec![("a", a), ("b", b)],
        &[0, -248, -240, -232, -224, -216, -208, -200],
        &[0, 8, 16, 24, 32, 40, 48, 56],
    );
}

#[test]
fn fuse_reorders() {
    check("fuse_reorders", 1, Vec::new(), &[19381], &[12721]);
}
