//! Every example runs on real images: native code under each schedule gives the interpreter's
//! pixels, on the largest window that the image allows.

use std::path::Path;

use crate::common::{choices, example, load};
use halidom_codegen::Target;
use halidom_driver::compile::{compile, structure};
use halidom_driver::data::{Prepared, Request, Source, prepare};
use halidom_driver::execute::{build, interpret, run, toolchain};
use halidom_driver::files::{self, Channels};
use halidom_driver::source::Choice;
use halidom_ir::Array;

fn picture(name: &str, channels: Channels) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/images").join(name);
    Source::File { path, channels }
}

/// Runs an example on these inputs and returns the outputs, on which every schedule agrees.
fn on(name: &str, request: &Request) -> Vec<Array> {
    let text = example(name);
    let toolchain = toolchain().expect("a C compiler is installed");
    let mut loaded = load(name, &text);
    let algorithm = loaded.module.pipelines[0].algorithm.clone();
    let unscheduled = Choice { pipeline: 0, schedule: None };
    let reference =
        structure(&mut loaded, &unscheduled, &mut |_, _, _| {}).expect("it can be compiled");
    let pool = &loaded.module.pool;
    let prepared: Prepared = prepare(pool, &algorithm, &[reference], request).expect("inputs fit");
    let expected = interpret(pool, &algorithm, &prepared).expect("it has a value");
    for choice in choices(&loaded) {
        let schedule = loaded.schedule_of(&choice).name;
        let compiled =
            compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("the schedule is legal");
        let pool = &loaded.module.pool;
        let native =
            build(pool, &compiled.program, &toolchain, Target::host()).expect("C is compiled");
        let ran = run(&native, pool, &algorithm, &compiled.program, &prepared, None)
            .map(|run| run.outputs)
            .map_err(|error| error.to_string());
        assert!(ran.as_ref() == Ok(&expected), "{name} under {schedule}: {:?}", ran.err());
    }
    expected
}

fn with_input(source: Source) -> Request {
    Request { inputs: vec![("input".to_owned(), source)], ..Request::default() }
}

/// The number of distinct values: an image that came out black or empty has one or none.
fn distinct(array: &Array) -> usize {
    let mut bits: Vec<_> =
        array.points().filter_map(|point| array.get(&point)?.to_bits()).collect();
    bits.sort_unstable();
    bits.dedup();
    bits.len()
}

#[test]
fn blur() {
    let blurred = on("blur", &with_input(picture("camera.png", Channels::All)));
    assert_eq!(blurred[0].shape, [(0, 510), (0, 510)]);
    assert!(distinct(&blurred[0]) > 100);
}

#[test]
fn box_blur() {
    let blurred = on("box_blur", &with_input(picture("astronaut.png", Channels::All)));
    assert_eq!(blurred[0].shape, [(0, 512), (0, 512), (0, 3)]);
    assert!(distinct(&blurred[0]) > 100);
}

#[test]
fn unsharp() {
    let sharpened = on("unsharp", &with_input(picture("astronaut.png", Channels::All)));
    assert!(distinct(&sharpened[0]) > 100);
}

#[test]
fn harris() {
    let corners = on("harris", &with_input(picture("camera.png", Channels::All)));
    assert!(distinct(&corners[0]) > 1000);
}

#[test]
fn histogram() {
    let mut request = with_input(picture("astronaut.png", Channels::Grey));
    request.params.push(("limit".to_owned(), "255".to_owned()));
    let counts = on("histogram", &request);
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
    let product = on("gemm", &request);
    assert!(distinct(&product[0]) > 1000);
}
