//! Runs translations of the statements that stock Halide 21.0.0 compiles for Table 1's programs:
//! each computes the same as its pipeline.
//!
//! The files are in `../shared/halide21/table1`, next to the repository. Without them the test
//! prints a message and checks nothing.

use halidom_diag::Sources;
use halidom_halide::translate::{Compiled, Source};
use halidom_interp::algorithm::evaluate;
use halidom_interp::machine::Fault;
use halidom_ir::{Array, Constant, FuncId, Shape};

use crate::common;

/// Rows, with the sizes of outputs and inputs to try. A row passes if the values agree for any of
/// its sizes.
const ROWS: [(&str, &[&[i64]]); 14] = [
    ("atl_tiled", &[&[70, 37]]),
    ("atl_tiled_vec", &[&[70, 37]]),
    ("atl_twostage", &[&[21, 13]]),
    ("atl_twostage_vec", &[&[37, 13]]),
    ("blur", &[&[45, 39]]),
    ("harris", &[&[40, 33, 3]]),
    ("harris_strict", &[&[40, 33, 3]]),
    ("sdot", &[&[37]]),
    ("sgemm", &[&[32, 32]]),
    ("sgemmTA", &[&[32, 32]]),
    ("sgemmTB", &[&[32, 32]]),
    ("sgemmTAB", &[&[32, 32]]),
    ("unsharp", &[&[40, 33, 3]]),
    ("unsharp_strict", &[&[40, 33, 3]]),
];

/// Rows that the interpreter takes long to run: these are only translated.
const LONG: [&str; 8] =
    ["cmm1024", "conv", "dsc", "dsc3", "nl_means", "nl_means_strict", "sc1", "sc32"];

fn translated(row: &str) -> Option<Result<(Source, Compiled), String>> {
    let folder = common::shared("table1").join(row);
    if !folder.is_dir() {
        eprintln!("skipped: there is no folder {}", folder.display());
        return None;
    }
    Some(common::translated(&folder.join(format!("{row}.hlpipe")), &folder.join("stock.stmt")))
}

/// Tests whether arrays agree: exactly, or up to rounding for floats that may be regrouped.
fn agree(a: &Array, b: &Array, exact: bool) -> bool {
    a.points().all(|point| {
        let (a, b) = (a.get(&point), b.get(&point));
        match (a.and_then(Constant::as_f32), b.and_then(Constant::as_f32)) {
            (Some(x), Some(y)) if !exact => (x - y).abs() <= 1e-3 * (1.0 + x.abs()),
            _ => a == b,
        }
    })
}

#[test]
fn statements_compute_what_pipelines_say() {
    let mut wrong = Vec::new();
    for (row, sizes) in ROWS {
        match translated(row) {
            None => return,
            Some(Err(what)) => wrong.push(format!("{row}: {what} is not translated")),
            Some(Ok((source, program))) => {
                let outcomes: Vec<_> =
                    sizes.iter().map(|size| outcome(&source, &program, size)).collect();
                if !outcomes.iter().any(|outcome| outcome == "agrees") {
                    wrong.push(format!("{row}: {}", outcomes.join("; ")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn imported_pipelines_mean_the_same() {
    for (row, sizes) in ROWS.into_iter().filter(|(row, _)| !row.starts_with("sgemm")) {
        let Some(found) = translated(row) else { return };
        let (source, _) = found.unwrap();
        let text = halidom_lang::print(&source.pool, &source.algorithm).unwrap();
        let mut sources = Sources::new();
        let file = sources.add("imported.hal", text.clone());
        let module = halidom_lang::parse(&sources, file);
        let messages: Vec<_> =
            module.diagnostics.iter().map(|found| found.message.clone()).collect();
        assert!(messages.is_empty(), "{row}: {messages:?} in\n{text}");
        let mut imported = source.clone();
        imported.pool = module.pool.clone();
        imported.algorithm = module.pipelines[0].algorithm.clone();
        let windows = windows(&source, sizes[0]);
        let values = |of: &Source| {
            let bindings = common::bound(of, &windows, sizes[0], 7);
            evaluate(&of.pool, &of.algorithm, &bindings, &windows).unwrap()
        };
        assert!(values(&source) == values(&imported), "{row}");
    }
}

fn windows(source: &Source, size: &[i64]) -> Vec<Shape> {
    let window = |output: &FuncId| {
        let rank = source.pool.func(*output).rank();
        size.iter().take(rank).map(|extent| (0, *extent)).collect()
    };
    source.algorithm.outputs.iter().map(window).collect()
}

/// The outcome of a run on outputs of a size, with inputs at least as large.
fn outcome(source: &Source, program: &Compiled, size: &[i64]) -> String {
    let windows = windows(source, size);
    let bindings = common::bound(source, &windows, size, 7);
    match common::both(source, program, &bindings, &windows) {
        Ok((expected, got)) => {
            let exact = !source.algorithm.fast_math;
            let same = expected.iter().zip(&got).all(|(a, b)| agree(a, b, exact));
            (if same { "agrees" } else { "differs" }).to_owned()
        }
        Err(Fault::CheckFailed(failure)) => format!("refused: {failure:?}"),
        Err(fault) => format!("faults: {fault}"),
    }
}

#[test]
fn long_statements_are_translated() {
    for row in LONG {
        let Some(found) = translated(row) else { return };
        assert_eq!(found.map(|_| ()), Ok(()), "{row}");
    }
}
