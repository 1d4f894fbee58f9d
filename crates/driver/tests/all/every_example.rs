//! Every file under `examples/`, under every schedule: native code gives the interpreter's values,
//! on an image and at random sizes.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;

use crate::common::{choices, distinct, every_example, in_parallel, load};
use halidom_codegen::{RunError, Target};
use halidom_driver::compile::{compile, structure};
use halidom_driver::data::{Request, Source, prepare};
use halidom_driver::execute::{ExecuteError, Native, build, interpret, run, toolchain};
use halidom_driver::files::Channels;
use halidom_driver::source::Loaded;
use halidom_ir::{Array, Check, Program};
use halidom_testgen::{is_sweep, sampled};

/// The number of random sizes for each example, and in a sweep.
const SIZES: [u64; 2] = [6, 20];
/// The width and height of the outputs that are computed from images.
const PICTURE: (i64, i64) = (96, 64);

/// Values of parameters for which the example gives interesting results; the others are random.
fn params(name: &str) -> Vec<(String, String)> {
    let values: &[(&str, &str)] = match name {
        "camera_pipe" => &[("black", "10"), ("red", "1.5"), ("blue", "1.25"), ("gamma", "2.2")],
        "depthwise_conv" => &[("offset", "128"), ("multiplier", "1400000000"), ("shift", "38")],
        "edges" => &[("weak", "10"), ("strong", "30")],
        "histogram" => &[("limit", "200")],
        "iir_blur" => &[("alpha", "0.25")],
        "lens_blur" => &[("focus", "100")],
        "nl_means" => &[("strength", "0.05")],
        "resize" => &[("scale_x", "1.5"), ("scale_y", "0.75")],
        _ => &[],
    };
    values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Sizes of the inputs that the output's size does not determine.
fn input_sizes(name: &str, width: i64, height: i64) -> Vec<(String, Vec<i64>)> {
    let sizes: Vec<(&str, Vec<i64>)> = match name {
        "gemm" | "quantized_matmul" => {
            vec![("A", vec![width, height + 1]), ("B", vec![height + 1, height])]
        }
        "matrix_vector" => vec![("A", vec![height, width]), ("x", vec![height])],
        "histogram" | "equalize" | "integral" => vec![("input", vec![width.max(1), height.max(1)])],
        "iir_blur" => vec![("input", vec![width.max(1), height.max(1), 3])],
        "depthwise_conv" => vec![("weights", vec![3, 3, 3]), ("bias", vec![3])],
        _ => Vec::new(),
    };
    sizes.into_iter().map(|(name, size)| (name.to_owned(), size)).collect()
}

/// An example with a kernel for each schedule.
struct Built {
    loaded: Loaded,
    /// The structured programs, which determine the regions of inputs that the schedules need.
    references: Vec<Program>,
    kernels: Vec<(String, Program, Native)>,
}

fn built(name: &str, path: &Path) -> Built {
    let text = std::fs::read_to_string(path).expect("the example exists");
    let toolchain = toolchain().expect("a C compiler is installed");
    let mut loaded = load(name, &text);
    let (mut references, mut kernels) = (Vec::new(), Vec::new());
    let choices = choices(&loaded);
    assert!(choices.len() >= 3, "{name} has {} schedules, the default one included", choices.len());
    for choice in choices {
        let schedule = loaded.schedule_of(&choice).name;
        references.push(structure(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal"));
        let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal");
        let pool = &loaded.module.pool;
        let kernel =
            build(pool, &compiled.program, &toolchain, Target::host()).expect("C is compiled");
        kernels.push((schedule, compiled.program, kernel));
    }
    Built { loaded, references, kernels }
}

impl Built {
    /// Runs every kernel and returns the outputs, on which all agree. An entry check of a schedule
    /// may require an output of whole blocks and refuse `small` ones.
    fn run(&self, what: &str, request: &Request, small: bool) -> Vec<Array> {
        let pool = &self.loaded.module.pool;
        let algorithm = &self.loaded.module.pipelines[0].algorithm;
        let prepared = prepare(pool, algorithm, &self.references, request)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let expected =
            interpret(pool, algorithm, &prepared).unwrap_or_else(|error| panic!("{what}: {error}"));
        for (schedule, program, kernel) in &self.kernels {
            let ran = run(kernel, pool, algorithm, program, &prepared, None);
            if let Err(ExecuteError::Native(RunError::Check { check: Check::Bound { .. }, .. })) =
                &ran
                && small
            {
                continue;
            }
            let ran = ran.map(|run| run.outputs).map_err(|error| error.to_string());
            assert!(ran.as_ref() == Ok(&expected), "{what} under {schedule}: {:?}", ran.err());
        }
        expected
    }

    /// The extents of an output with this width and height; further dimensions are colours. `None`
    /// if the output determines its own size.
    fn size(&self, name: &str, width: i64, height: i64) -> Option<Vec<i64>> {
        // A histogram determines its own size; `harris` reads beyond its output on all sides.
        if name == "histogram" || (name == "harris" && (width, height) == PICTURE) {
            return None;
        }
        let pool = &self.loaded.module.pool;
        let output = self.loaded.module.pipelines[0].algorithm.outputs[0];
        let mut size = vec![width, height, 3];
        size.truncate(pool.func(output).rank());
        Some(size)
    }
}

/// An image for each input that can hold one; the other inputs are random.
fn pictures(built: &Built) -> Vec<(String, Source)> {
    let pool = &built.loaded.module.pool;
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/images");
    let mut sources = Vec::new();
    for (number, input) in built.loaded.module.pipelines[0].algorithm.inputs.iter().enumerate() {
        let decl = pool.func(*input);
        let is_picture = !["weights", "A", "B", "C"].contains(&decl.name.as_str());
        let (picture, channels) = match decl.rank() {
            2 if number % 2 == 1 => ("camera.png", Channels::Grey),
            2 => ("astronaut.png", Channels::Grey),
            3 => ("astronaut.png", Channels::All),
            _ => continue,
        };
        if is_picture && decl.scalar(0) != halidom_ir::Scalar::Bool {
            sources
                .push((decl.name.clone(), Source::File { path: images.join(picture), channels }));
        }
    }
    sources
}

fn check(name: &str, path: &Path) {
    let built = built(name, path);
    let mut random = halidom_testgen::Random::new(7);
    for number in 0..SIZES[usize::from(is_sweep())] {
        // The sizes include zero and a single pixel.
        let (width, height) = match number {
            0 => (0, 0),
            1 => (1, 1),
            _ => (random.between(1, 24), random.between(1, 18)),
        };
        let request = Request {
            params: params(name),
            random: Some(number),
            size: built.size(name, width, height),
            input_sizes: input_sizes(name, width, height),
            ..Request::default()
        };
        built.run(&format!("{name} at {width}x{height}"), &request, true);
    }
    let inputs = pictures(&built);
    let request = Request {
        params: params(name),
        random: Some(1),
        size: built.size(name, PICTURE.0, PICTURE.1),
        input_sizes: input_sizes(name, PICTURE.0, PICTURE.1),
        inputs,
    };
    let outputs = built.run(&format!("{name} on pictures"), &request, false);
    assert!(distinct(&outputs[0]) >= 2, "{name} gives one value everywhere");
}

#[test]
fn native_code_gives_what_the_interpreter_gives() {
    let examples = every_example();
    assert!(examples.len() >= 20, "{} examples", examples.len());
    let failures = in_parallel(&sampled(examples, 36), |(name, path)| {
        std::panic::catch_unwind(|| check(name, path)).is_err().then(|| name.clone())
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join(", "));
}
