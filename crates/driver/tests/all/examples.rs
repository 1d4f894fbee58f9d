//! Six examples under their schedules: native code gives the interpreter's values on real images
//! and at sizes that no tile divides, and is proved for all sizes. A run of all tests examines a
//! third of the schedules, a sweep all.

use std::path::Path;

use crate::common::{choices, distinct, example, load, open, options};
use halidom_codegen::Target;
use halidom_driver::compile::{compile, structure};
use halidom_driver::data::{Request, Source, prepare};
use halidom_driver::execute::{build, interpret, run, toolchain};
use halidom_driver::files::{self, Channels};
use halidom_driver::source::Choice;
use halidom_ir::Array;
use halidom_testgen::sampled;
use halidom_validate::{Verdict, validate};

/// Widths and heights: zero, one, odd numbers, and a size that no schedule's tiles divide.
const SIZES: [(i64, i64); 5] = [(0, 0), (1, 1), (3, 5), (17, 31), (131, 67)];

/// Judges an example under its schedules, and runs it at these sizes and on a picture. Returns the
/// outputs for the picture, which every schedule gives.
fn holds(name: &str, on_picture: Request) -> Vec<Array> {
    let text = example(name);
    let toolchain = toolchain().expect("a C compiler is installed");
    let mut loaded = load(name, &text);
    let algorithm = loaded.module.pipelines[0].algorithm.clone();
    let unscheduled = Choice { pipeline: 0, schedule: None };
    let reference =
        structure(&mut loaded, &unscheduled, &mut |_, _, _| {}).expect("it can be compiled");
    let pool = &loaded.module.pool;
    let at_size = |(width, height): (i64, i64)| {
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
        (format!("{name} at {width}x{height}"), request)
    };
    let requests = SIZES.into_iter().map(at_size);
    let requests = requests.chain([(format!("{name} on a picture"), on_picture)]);
    // The inputs of the runs, and the expected outputs.
    let cases: Vec<_> = requests
        .map(|(case, request)| {
            let prepared = prepare(pool, &algorithm, std::slice::from_ref(&reference), &request)
                .expect("inputs of the example can be made");
            let expected = interpret(pool, &algorithm, &prepared).expect("it has a value");
            (case, prepared, expected)
        })
        .collect();
    for choice in sampled(choices(&loaded), 5) {
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
    cases.into_iter().next_back().map(|(_, _, outputs)| outputs).unwrap_or_default()
}

fn picture(name: &str, channels: Channels) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/images").join(name);
    Source::File { path, channels }
}

fn with_input(source: Source) -> Request {
    Request { inputs: vec![("input".to_owned(), source)], ..Request::default() }
}

#[test]
fn blur() {
    let blurred = holds("blur", with_input(picture("camera.png", Channels::All)));
    assert_eq!(blurred[0].shape, [(0, 510), (0, 510)]);
    assert!(distinct(&blurred[0]) > 100);
}

#[test]
fn box_blur() {
    let blurred = holds("box_blur", with_input(picture("astronaut.png", Channels::All)));
    assert_eq!(blurred[0].shape, [(0, 512), (0, 512), (0, 3)]);
    assert!(distinct(&blurred[0]) > 100);
}

#[test]
fn unsharp() {
    let sharpened = holds("unsharp", with_input(picture("astronaut.png", Channels::All)));
    assert!(distinct(&sharpened[0]) > 100);
}

#[test]
fn harris() {
    let corners = holds("harris", with_input(picture("camera.png", Channels::All)));
    assert!(distinct(&corners[0]) > 1000);
}

#[test]
fn histogram() {
    let mut request = with_input(picture("astronaut.png", Channels::Grey));
    request.params.push(("limit".to_owned(), "255".to_owned()));
    let counts = holds("histogram", request);
    let total: i128 =
        counts[0].points().filter_map(|point| counts[0].get(&point)?.as_integer()).sum();
    let Source::File { path, channels } = picture("astronaut.png", Channels::Grey) else { return };
    let input = files::read(&path, channels, halidom_ir::Scalar::U8, 2).expect("it is a picture");
    let below = input.points().filter_map(|point| input.get(&point)?.as_integer());
    assert_eq!(total, below.filter(|value| *value < 255).count() as i128);
}

#[test]
fn gemm() {
    // The product of images takes cubic time, so use the largest part that the interpreter computes
    // quickly.
    let mut request = Request { size: Some(vec![96, 72]), ..Request::default() };
    for name in ["A", "B", "C"] {
        request.inputs.push((name.to_owned(), picture("camera.png", Channels::All)));
    }
    for (name, value) in [("alpha", "0.5"), ("beta", "2.0")] {
        request.params.push((name.to_owned(), value.to_owned()));
    }
    let product = holds("gemm", request);
    assert!(distinct(&product[0]) > 1000);
}
