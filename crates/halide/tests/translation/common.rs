//! Shared parts of the tests of translated pipelines.

use std::path::{Path, PathBuf};

use halidom_halide::translate::{Compiled, Settings, Source};
use halidom_halide::{Names, pipeline, text, translate};
use halidom_interp::Bindings;
use halidom_interp::algorithm::{demand, evaluate};
use halidom_interp::machine::{self, Fault};
use halidom_ir::{Array, Constant, FuncKind, Scalar, Shape};

/// A folder in `../shared/halide21`, next to the repository.
pub(crate) fn shared(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/halide21").join(folder)
}

/// Translates a pipeline and the statement that was compiled from it.
pub(crate) fn translated(pipeline: &Path, statement: &Path) -> Result<(Source, Compiled), String> {
    let mut names = Names::new();
    let read = pipeline::read(&std::fs::read(pipeline).unwrap(), &mut names).unwrap();
    let text = std::fs::read_to_string(statement).unwrap();
    let block = text::statement(&text, &mut names).unwrap();
    let mut source = translate::algorithm(&read, &names).map_err(|what| what.what)?;
    // A text does not name its target.
    let no_asserts = !text.contains("assert(");
    source.set(Settings { no_asserts, ..source.settings() });
    let program = translate::program(&mut source, &read, &names, (&block, &[]));
    Ok((source, program.map_err(|what| what.what)?))
}

/// The outputs of the algorithm and of the program, for these inputs.
pub(crate) fn both(
    source: &Source,
    program: &Compiled,
    bindings: &Bindings,
    windows: &[Shape],
) -> Result<(Vec<Array>, Vec<Array>), Fault> {
    let options = machine::Options::default();
    let outcome = machine::run(&source.pool, &program.program, bindings, windows, &options)?;
    let expected = evaluate(&source.pool, &source.algorithm, bindings, windows).unwrap();
    Ok((expected, outcome.outputs))
}

/// Pseudo-random numbers, the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

/// An array of random values: floats in [0, 1).
pub(crate) fn random(scalar: Scalar, shape: Shape, random: &mut Random) -> Array {
    let mut array = Array::zeros(scalar, shape).unwrap();
    let points: Vec<_> = array.points().collect();
    for point in points {
        let number = random.next();
        let float = f64::from((number % 4096) as u32) / 4096.0;
        let value = if scalar == Scalar::F32 {
            Constant::f32(float as f32)
        } else if scalar == Scalar::F64 {
            Constant::f64(float)
        } else {
            Constant::wrapped(scalar, i128::from(number)).unwrap()
        };
        assert!(array.set(&point, value));
    }
    array
}

/// Parameters, and random inputs that cover the algorithm's reads for these windows. Each dimension
/// is at least as long as given.
pub(crate) fn bound(source: &Source, windows: &[Shape], sizes: &[i64], seed: u64) -> Bindings {
    let mut numbers = Random(seed);
    let mut bindings = Bindings::new();
    for param in &source.algorithm.params {
        let scalar = source.pool.var(*param).ty.scalar;
        let value = if scalar == Scalar::F32 {
            Constant::f32(0.5)
        } else {
            Constant::wrapped(scalar, 5).unwrap()
        };
        bindings.set_var(&source.pool, *param, value).unwrap();
    }
    let mut shapes: Vec<Shape> = Vec::new();
    for input in &source.algorithm.inputs {
        let FuncKind::Input { buffer } = source.pool.func(*input).kind else { unreachable!() };
        let rank = source.pool.buffer(buffer).dims.len();
        shapes.push((0..rank).map(|dim| (0, sizes[dim.min(sizes.len() - 1)])).collect());
    }
    for round in 0..4 {
        for (input, shape) in source.algorithm.inputs.iter().zip(&shapes) {
            let scalar = source.pool.func(*input).scalar(0);
            let array = random(scalar, shape.clone(), &mut numbers);
            bindings.set_input(&source.pool, *input, array).unwrap();
        }
        if round == 3 {
            break;
        }
        let read = demand(&source.pool, &source.algorithm, &bindings, windows).unwrap();
        for (shape, read) in shapes.iter_mut().zip(read) {
            for ((min, extent), (least, length)) in shape.iter_mut().zip(read.into_iter().flatten())
            {
                let end = (*min + *extent).max(least + length);
                *min = (*min).min(least);
                *extent = end - *min;
            }
        }
    }
    bindings
}
