//! Every example under every schedule: native code gives the interpreter's values, also at sizes
//! that no tile divides, and is proved for all sizes.

use crate::common::{choices, example, load, open, options};
use halidom_codegen::Target;
use halidom_driver::compile::{compile, structure};
use halidom_driver::data::{Request, prepare};
use halidom_driver::execute::{build, interpret, run, toolchain};
use halidom_driver::source::Choice;
use halidom_validate::{Verdict, validate};

/// Widths and heights: zero, one, odd numbers, a photograph's, and a size that no schedule's tiles
/// divide.
const SIZES: [(i64, i64); 6] = [(0, 0), (1, 1), (3, 5), (17, 31), (131, 67), (640, 427)];
/// The size for matrix products in place of a photograph's, as they take cubic time in the
/// interpreter.
const GEMM: (i64, i64) = (160, 107);

fn holds(name: &str) {
    let text = example(name);
    let toolchain = toolchain().expect("a C compiler is installed");
    let mut loaded = load(name, &text);
    let algorithm = loaded.module.pipelines[0].algorithm.clone();
    let unscheduled = Choice { pipeline: 0, schedule: None };
    let reference =
        structure(&mut loaded, &unscheduled, &mut |_, _, _| {}).expect("it can be compiled");
    // The inputs of the runs, and the expected outputs.
    let cases: Vec<_> = SIZES
        .into_iter()
        .map(|size| {
            let (width, height) = if name == "gemm" && size.0 > 200 { GEMM } else { size };
            let pool = &loaded.module.pool;
            let mut request = Request { random: Some(7), ..Request::default() };
            if name == "histogram" {
                request.input_sizes.push(("input".to_owned(), vec![width, height]));
            } else if pool.func(algorithm.outputs[0]).rank() == 3 {
                request.size = Some(vec![width, height, 3]);
            } else {
                request.size = Some(vec![width, height]);
            }
            if name == "gemm" {
                // The size determines the inner dimension too.
                request.input_sizes.push(("A".to_owned(), vec![width, height]));
                request.input_sizes.push(("B".to_owned(), vec![height, height]));
            }
            let prepared = prepare(pool, &algorithm, std::slice::from_ref(&reference), &request)
                .expect("inputs of the example can be made");
            let expected = interpret(pool, &algorithm, &prepared).expect("it has a value");
            (format!("{name} at {width}x{height}"), prepared, expected)
        })
        .collect();
    for choice in choices(&loaded) {
        let mut loaded = load(name, &text);
        let schedule = loaded.schedule_of(&choice).name;
        let compiled =
            compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("the schedule is legal");
        let pool = &mut loaded.module.pool;
        let native =
            build(pool, &compiled.program, &toolchain, Target::host()).expect("C is compiled");
        for (case, prepared, expected) in &cases {
            let ran = run(&native, pool, &algorithm, &compiled.program, prepared, None)
                .map(|run| run.outputs)
                .map_err(|error| error.to_string());
            assert!(ran.as_ref() == Ok(expected), "{case} under {schedule}: {:?}", ran.err());
        }
        let report = validate(pool, &algorithm, &compiled.program, &options());
        assert_eq!(report.verdict, Verdict::Proved, "{name} under {schedule}\n{}", open(&report));
        assert!(!report.obligations.is_empty() && report.solver.queries > 0);
    }
}

#[test]
fn blur() {
    holds("blur");
}

#[test]
fn box_blur() {
    holds("box_blur");
}

#[test]
fn gemm() {
    holds("gemm");
}

#[test]
fn harris() {
    holds("harris");
}

#[test]
fn histogram() {
    holds("histogram");
}

#[test]
fn unsharp() {
    holds("unsharp");
}
