//! The programs that stock Halide 21 compiles wrongly: native code under each legal schedule gives
//! the interpreter's values.

use std::path::Path;

use crate::common::{choices, load};
use halidom_codegen::Target;
use halidom_driver::compile::{compile, structure};
use halidom_driver::data::{Request, prepare};
use halidom_driver::execute::{build, interpret, run, toolchain};
use halidom_driver::source::Choice;

const WIDTHS: [i64; 4] = [1, 3, 16, 37];

fn holds(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/formal/miscompiles");
    let text = std::fs::read_to_string(path.join(name)).expect("the case exists");
    let toolchain = toolchain().expect("a C compiler is installed");
    let mut loaded = load(name, &text);
    let algorithm = loaded.module.pipelines[0].algorithm.clone();
    let mut kernels = Vec::new();
    for choice in choices(&loaded) {
        let compiled =
            compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("the schedule is legal");
        let native = build(&loaded.module.pool, &compiled.program, &toolchain, Target::host());
        let schedule = loaded.schedule_of(&choice).name;
        kernels.push((schedule, compiled.program, native.expect("C is compiled")));
    }
    assert!(kernels.len() >= 2, "{name} has no schedule");
    let unscheduled = Choice { pipeline: 0, schedule: None };
    let reference =
        structure(&mut loaded, &unscheduled, &mut |_, _, _| {}).expect("it can be compiled");
    let programs: Vec<_> =
        kernels.iter().map(|(_, program, _)| program.clone()).chain([reference]).collect();
    let pool = &loaded.module.pool;
    for width in WIDTHS {
        let request = Request { random: Some(5), size: Some(vec![width]), ..Request::default() };
        let prepared = prepare(pool, &algorithm, &programs, &request).expect("inputs can be made");
        let expected = interpret(pool, &algorithm, &prepared).expect("it has a value");
        for (schedule, program, kernel) in &kernels {
            let ran = run(kernel, pool, &algorithm, program, &prepared, None)
                .map(|run| run.outputs)
                .map_err(|error| error.to_string());
            assert!(
                ran.as_ref() == Ok(&expected),
                "{name} at {width} under {schedule}: {:?}",
                ran.err()
            );
        }
    }
}

#[test]
fn first_index() {
    holds("first_index_by_minimum.hal");
}

#[test]
fn tuple_update() {
    holds("tuple_update.hal");
}

#[test]
fn widening_negate() {
    holds("widening_negate.hal");
}

#[test]
fn fuse_in_order() {
    holds("fuse_in_order.hal");
}
