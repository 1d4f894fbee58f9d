//! The programs of Table 1 (`examples/table1/`) under all their schedules, compiled for this
//! machine and run. At odd sizes they give the interpreter's values; at sizes that reach their
//! larger cases they give the values of their unscheduled forms.
//!
//! `cargo xtask sanitize` runs this under sanitizers.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::common::{in_parallel, load};
use halidom_codegen::RunError;
use halidom_driver::compile::{compile, structure};
use halidom_driver::data::{Request, prepare};
use halidom_driver::execute::{ExecuteError, Native, build, host, interpret, run, toolchain};
use halidom_driver::source::{Choice, Loaded};
use halidom_ir::{Array, Constant, Program};
use halidom_testgen::sampled;

/// The largest difference of `fast_math` floats that another order of operations may cause,
/// relative to the largest element.
const TOLERANCE: f64 = 1e-3;

/// Sizes for a pipeline: the size of its output, and the sizes of inputs that this does not
/// determine.
type Size = (&'static [i64], &'static [(&'static str, &'static [i64])]);

/// A pipeline with the data of its runs.
struct Case {
    file: &'static str,
    pipeline: &'static str,
    /// Replacements in the text for constants that make it large.
    smaller: &'static [(&'static str, &'static str)],
    params: &'static [(&'static str, &'static str)],
    /// Sizes at which the interpreter evaluates it too.
    small: &'static [Size],
    /// Sizes at which only native code runs.
    large: &'static [Size],
}

const CASE: Case =
    Case { file: "", pipeline: "", smaller: &[], params: &[], small: &[], large: &[] };

const NL_MEANS: [(&str, &str); 3] = [("patch_size", "3"), ("search_area", "4"), ("sigma", "0.12")];

/// The products' schedules require whole tiles of 32 columns of B; the numbers of rows and terms
/// are arbitrary.
const CASES: [Case; 21] = [
    Case {
        file: "blur",
        pipeline: "blur",
        small: &[(&[0, 0], &[]), (&[1, 1], &[]), (&[17, 5], &[]), (&[67, 41], &[])],
        large: &[(&[1001, 333], &[])],
        ..CASE
    },
    Case {
        file: "atl_blur",
        pipeline: "atl_tiled",
        small: &[(&[0, 0], &[]), (&[17, 9], &[]), (&[67, 69], &[])],
        large: &[(&[401, 331], &[])],
        ..CASE
    },
    Case {
        file: "atl_blur",
        pipeline: "atl_twostage",
        small: &[(&[0, 0], &[]), (&[17, 9], &[]), (&[67, 69], &[])],
        large: &[(&[401, 331], &[])],
        ..CASE
    },
    Case {
        file: "harris",
        pipeline: "harris",
        small: &[(&[0, 0], &[]), (&[1, 1], &[]), (&[17, 5], &[]), (&[35, 67], &[])],
        large: &[(&[301, 203], &[])],
        ..CASE
    },
    Case {
        file: "unsharp",
        pipeline: "unsharp",
        params: &[("sigma", "1.5")],
        small: &[(&[0, 0, 3], &[]), (&[1, 1, 3], &[]), (&[17, 5, 3], &[]), (&[33, 35, 3], &[])],
        large: &[(&[301, 203, 3], &[])],
        ..CASE
    },
    Case {
        file: "sc1",
        pipeline: "sc1",
        small: &[(&[0, 0], &[]), (&[1, 1], &[]), (&[17, 5], &[]), (&[67, 69], &[])],
        large: &[(&[401, 651], &[])],
        ..CASE
    },
    Case {
        file: "sc32",
        pipeline: "sc32",
        small: &[(&[0, 0], &[]), (&[1, 1], &[]), (&[5, 3], &[])],
        large: &[(&[401, 651], &[])],
        ..CASE
    },
    Case {
        file: "nl_means",
        pipeline: "nl_means",
        params: &NL_MEANS,
        small: &[(&[0, 0, 3], &[]), (&[1, 1, 3], &[]), (&[17, 9, 3], &[]), (&[21, 11, 3], &[])],
        large: &[(&[133, 35, 3], &[])],
        ..CASE
    },
    Case {
        file: "dsc",
        pipeline: "dsc",
        small: &[
            (
                &[16, 1, 1, 1],
                &[
                    ("input", &[34, 1, 1, 1]),
                    ("depthwise", &[3, 96, 3, 3]),
                    ("pointwise", &[16, 96]),
                    ("bias", &[16]),
                ],
            ),
            (
                &[19, 7, 5, 2],
                &[
                    ("input", &[18, 7, 5, 2]),
                    ("depthwise", &[3, 48, 3, 2]),
                    ("pointwise", &[32, 33]),
                    ("bias", &[32]),
                ],
            ),
        ],
        large: &[(
            &[16, 29, 27, 2],
            &[
                ("input", &[34, 29, 27, 2]),
                ("depthwise", &[3, 96, 3, 3]),
                ("pointwise", &[16, 96]),
                ("bias", &[16]),
            ],
        )],
        ..CASE
    },
    Case {
        file: "sdot",
        pipeline: "sdot",
        small: &[
            (&[], &[("a", &[0]), ("b", &[0])]),
            (&[], &[("a", &[1]), ("b", &[1])]),
            (&[], &[("a", &[31]), ("b", &[31])]),
            (&[], &[("a", &[1003]), ("b", &[1003])]),
        ],
        large: &[(&[], &[("a", &[100_007]), ("b", &[100_007])])],
        ..CASE
    },
    Case {
        file: "conv",
        pipeline: "conv",
        smaller: &[("CI: 128, CO: 128, W: 100, H: 80, N: 5", "CI: 7, CO: 71, W: 13, H: 3, N: 2")],
        small: &[(&[71, 13, 3, 2], &[])],
        ..CASE
    },
    Case {
        file: "conv",
        pipeline: "conv",
        smaller: &[("W: 100, H: 80, N: 5", "W: 22, H: 5, N: 2")],
        large: &[(&[128, 22, 5, 2], &[])],
        ..CASE
    },
    Case {
        file: "cmm1024",
        pipeline: "cmm",
        smaller: &[("size: 1024", "size: 70")],
        small: &[(&[70, 70], &[])],
        ..CASE
    },
    Case {
        file: "sgemm1024",
        pipeline: "sgemm1024",
        smaller: &[("== 1024", "== 96")],
        small: &[(&[96, 96], &[("A", &[96, 96]), ("B", &[96, 96])])],
        large: &[],
        ..CASE
    },
    Case {
        file: "sgemm",
        pipeline: "sgemm",
        small: &[
            (&[0, 0], &[("A", &[0, 3]), ("B", &[3, 0])]),
            (&[1, 32], &[("A", &[1, 1]), ("B", &[1, 32])]),
            (&[5, 32], &[("A", &[5, 3]), ("B", &[3, 32])]),
            (&[33, 64], &[("A", &[33, 17]), ("B", &[17, 64])]),
        ],
        large: &[
            (&[131, 160], &[("A", &[131, 37]), ("B", &[37, 160])]),
            (&[513, 544], &[("A", &[513, 259]), ("B", &[259, 544])]),
        ],
        ..CASE
    },
    Case {
        file: "sgemm",
        pipeline: "sqsgemm",
        small: &[(&[32, 32], &[("A", &[32, 32]), ("B", &[32, 32])])],
        large: &[
            (&[160, 160], &[("A", &[160, 160]), ("B", &[160, 160])]),
            (&[544, 544], &[("A", &[544, 544]), ("B", &[544, 544])]),
        ],
        ..CASE
    },
    Case {
        file: "sgemm",
        pipeline: "bigsgemm",
        small: &[],
        large: &[(&[513, 544], &[("A", &[513, 515]), ("B", &[515, 544])])],
        ..CASE
    },
    Case {
        file: "sgemm",
        pipeline: "bigsqsgemm",
        small: &[],
        large: &[(&[544, 544], &[("A", &[544, 544]), ("B", &[544, 544])])],
        ..CASE
    },
    Case {
        file: "sgemm_transposed",
        pipeline: "sgemmTA",
        small: &[
            (&[5, 32], &[("A", &[3, 5]), ("B", &[3, 32])]),
            (&[33, 64], &[("A", &[17, 33]), ("B", &[17, 64])]),
        ],
        large: &[(&[513, 544], &[("A", &[259, 513]), ("B", &[259, 544])])],
        ..CASE
    },
    Case {
        file: "sgemm_transposed",
        pipeline: "sgemmTB",
        small: &[
            (&[5, 32], &[("A", &[5, 3]), ("B", &[32, 3])]),
            (&[33, 64], &[("A", &[33, 17]), ("B", &[64, 17])]),
        ],
        large: &[(&[513, 544], &[("A", &[513, 259]), ("B", &[544, 259])])],
        ..CASE
    },
    Case {
        file: "sgemm_transposed",
        pipeline: "sgemmTAB",
        small: &[
            (&[5, 32], &[("A", &[3, 5]), ("B", &[32, 3])]),
            (&[33, 64], &[("A", &[17, 33]), ("B", &[64, 17])]),
        ],
        large: &[(&[513, 544], &[("A", &[259, 513]), ("B", &[544, 259])])],
        ..CASE
    },
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/table1")
}

/// A pipeline with a kernel for each schedule, the unscheduled form first.
struct Built {
    loaded: Loaded,
    pipeline: usize,
    /// The structured programs, which determine the regions of inputs that the schedules need.
    references: Vec<Program>,
    kernels: Vec<(String, Program, Native)>,
}

fn built(case: &Case) -> Built {
    let path = folder().join(case.file).with_extension("hal");
    let mut text = std::fs::read_to_string(path).expect("the program exists");
    for (from, to) in case.smaller {
        assert!(text.contains(from), "{}: there is no `{from}`", case.file);
        text = text.replace(from, to);
    }
    let toolchain = toolchain().expect("a C compiler is installed");
    let mut loaded = load(case.file, &text);
    let pipeline = loaded.pipeline(Some(case.pipeline)).expect("the file has the pipeline");
    let count = loaded.module.pipelines[pipeline].schedules.len();
    assert!(count > 0, "{} has no schedule", case.pipeline);
    let (mut references, mut kernels) = (Vec::new(), Vec::new());
    for schedule in std::iter::once(None).chain((0..count).map(Some)) {
        let choice = Choice { pipeline, schedule };
        let name = loaded.schedule_of(&choice).name;
        references.push(structure(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal"));
        let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal");
        let pool = &loaded.module.pool;
        let target = host(&loaded.module.pipelines[pipeline].algorithm);
        let kernel = build(pool, &compiled.program, &toolchain, target)
            .unwrap_or_else(|error| panic!("{} under {name}: {error}", case.pipeline));
        kernels.push((name, compiled.program, kernel));
    }
    Built { loaded, pipeline, references, kernels }
}

impl Built {
    /// Runs every kernel. All must agree with the interpreter or, if it is not used, with the first
    /// kernel, the unscheduled form. An entry check may refuse a size under a schedule whose tiles
    /// do not fit. Counts the runs of each kernel.
    fn run(&self, case: &Case, (size, input_sizes): Size, interpreted: bool, runs: &mut [usize]) {
        let what = format!("{} at {size:?} {input_sizes:?}", case.pipeline);
        let text = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let extents = |(name, extents): &(&str, &[i64])| ((*name).to_owned(), extents.to_vec());
        let request = Request {
            params: case.params.iter().map(text).collect(),
            random: Some(3),
            size: Some(size.to_vec()),
            input_sizes: input_sizes.iter().map(extents).collect(),
            ..Request::default()
        };
        let pool = &self.loaded.module.pool;
        let algorithm = &self.loaded.module.pipelines[self.pipeline].algorithm;
        let prepared = prepare(pool, algorithm, &self.references, &request)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut expected = interpreted.then(|| {
            interpret(pool, algorithm, &prepared).unwrap_or_else(|error| panic!("{what}: {error}"))
        });
        for (number, (schedule, program, kernel)) in self.kernels.iter().enumerate() {
            let ran = match run(kernel, pool, algorithm, program, &prepared, None) {
                Ok(ran) => ran,
                Err(ExecuteError::Native(RunError::Check { .. })) if number > 0 => continue,
                Err(error) => panic!("{what} under {schedule}: {error}"),
            };
            runs[number] += 1;
            let expected = expected.get_or_insert_with(|| ran.outputs.clone());
            let agrees = if algorithm.fast_math {
                expected.iter().zip(&ran.outputs).all(|(a, b)| distance(a, b) <= TOLERANCE)
            } else {
                *expected == ran.outputs
            };
            assert!(
                agrees && expected.len() == ran.outputs.len(),
                "{what} under {schedule} differs"
            );
        }
    }
}

/// The largest difference of floats, relative to the largest element.
fn distance(a: &Array, b: &Array) -> f64 {
    if a.shape != b.shape {
        return f64::INFINITY;
    }
    let value = |array: &Array, point: &[i64]| {
        array.get(point).and_then(Constant::as_f32).map_or(f64::NAN, f64::from)
    };
    let (mut apart, mut largest) = (0.0_f64, f64::MIN_POSITIVE);
    for point in a.points() {
        let (x, y) = (value(a, &point), value(b, &point));
        if x.to_bits() == y.to_bits() {
            continue;
        }
        let between = (x - y).abs();
        if between.is_nan() {
            return f64::INFINITY;
        }
        (apart, largest) = (apart.max(between), largest.max(x.abs()));
    }
    apart / largest
}

#[test]
fn scheduled_code_gives_what_the_algorithm_says() {
    let failures = in_parallel(&sampled(&CASES, 12), |case| {
        let checked = std::panic::catch_unwind(|| {
            let begin = std::time::Instant::now();
            let built = built(case);
            let mut runs = vec![0; built.kernels.len()];
            for size in case.small {
                built.run(case, *size, true, &mut runs);
            }
            for size in case.large {
                built.run(case, *size, false, &mut runs);
            }
            assert!(runs.iter().all(|count| *count > 0), "{}: {runs:?} runs", case.pipeline);
            println!("{}: {runs:?} runs, {:.1} s", case.pipeline, begin.elapsed().as_secs_f64());
        });
        checked.is_err().then_some(case.pipeline)
    });
    let failures: Vec<&str> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join(", "));
}

#[test]
fn every_pipeline_of_table_1_is_run() {
    let mut pipelines = BTreeSet::new();
    for entry in std::fs::read_dir(folder()).expect("the folder exists") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_some_and(|extension| extension == "hal") {
            let text = std::fs::read_to_string(&path).expect("the program exists");
            let loaded = load("program", &text);
            pipelines.extend(loaded.module.pipelines.iter().map(|one| one.algorithm.name.clone()));
        }
    }
    let run: BTreeSet<String> = CASES.iter().map(|case| case.pipeline.to_owned()).collect();
    assert_eq!(pipelines, run);
}
