//! Our pipelines and schedules as programs for Halide: Halide's compilations of them compute the
//! same.

use std::path::Path;

use halidom_driver::data::Request;
use halidom_driver::source::{self, Choice};
use halidom_driver::stock::{self, Language};
use halidom_halide::bridge;
use halidom_testgen::{is_sweep, pipeline, sampled};
use halidom_workshop::bench::{self, Maker, Options};

/// A pipeline that is exported.
struct Exported {
    file: &'static str,
    pipeline: &'static str,
    schedules: &'static [&'static str],
    /// The output's size.
    size: &'static [i64],
    /// The sizes of inputs that the output's size does not determine.
    input_sizes: &'static [(&'static str, [i64; 2])],
}

const EXPORTED: [Exported; 7] = [
    Exported {
        file: "blur.hal",
        pipeline: "blur3x3",
        schedules: &["default", "tiled"],
        size: &[70, 45],
        input_sizes: &[],
    },
    Exported {
        file: "table1/blur.hal",
        pipeline: "blur",
        schedules: &["application"],
        size: &[64, 64],
        input_sizes: &[],
    },
    Exported {
        file: "table1/harris.hal",
        pipeline: "harris",
        schedules: &["application"],
        size: &[64, 64],
        input_sizes: &[],
    },
    Exported {
        file: "table1/sgemm.hal",
        pipeline: "sgemm",
        schedules: &["application"],
        size: &[64, 32],
        input_sizes: &[("A", [64, 32]), ("B", [32, 32])],
    },
    Exported {
        file: "camera_pipe.hal",
        pipeline: "camera_pipe",
        schedules: &["default"],
        size: &[32, 24, 3],
        input_sizes: &[],
    },
    Exported {
        file: "gemm.hal",
        pipeline: "gemm",
        schedules: &["default"],
        size: &[20, 12],
        input_sizes: &[("A", [20, 8]), ("B", [8, 12])],
    },
    Exported {
        file: "odd.hal",
        pipeline: "odd",
        schedules: &["default"],
        size: &[300],
        input_sizes: &[],
    },
];

/// Has updates that do not mention their reduction variables, and shifts by the number of bits and
/// more.
const ODD: &str = "
pipeline odd(input: buffer<i32, 1>, by: buffer<i8, 1>) -> output: buffer<i32, 1> {
    func counted(x): i32 { counted(x) = 1; for r in 0..9 { counted(x) += input(x); } }
    func never(x): (i32, u8) {
        never(x) = (7, u8(3));
        for (r, s) in (0..0, 0..4) { never(x) = (input(x), u8(1)); }
    }
    func output(x) = counted(x) * 5 + never(x).0 + i32(never(x).1)
        + (input(x) << i32(by(x))) + (input(x) >> i32(by(x)))
        + i32(u16(input(x)) >> (u16(by(x)) & u16(31)));
}
";

fn examples() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

#[test]
fn halide_computes_what_we_compute() {
    if !has_halide() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    for Exported { file, pipeline, schedules, size, input_sizes } in sampled(EXPORTED, 6) {
        let path = examples().join(file);
        let mut loaded =
            if file == "odd.hal" { source::parse(file, ODD) } else { source::load(&path).unwrap() };
        let number = loaded.pipeline(Some(pipeline)).unwrap();
        let schedules =
            schedules.iter().map(|name| loaded.schedule(number, Some(name)).unwrap()).collect();
        let options = Options {
            pipeline: number,
            schedules,
            halide: true,
            threads: vec![1],
            rounds: 1,
            budget: std::time::Duration::ZERO,
            judge: None,
        };
        let sizes = input_sizes.iter().map(|(name, size)| ((*name).to_owned(), size.to_vec()));
        let request = Request {
            random: Some(1),
            size: Some(size.to_vec()),
            input_sizes: sizes.collect(),
            ..Request::default()
        };
        let measured = bench::run(&mut loaded, &options, &request, &mut |_| {}).unwrap();
        assert_eq!(measured.left_out, [], "{file}");
        let made = measured.rows.iter().filter(|row| row.maker == Maker::Halide).count();
        assert_eq!(made, options.schedules.len(), "{file}");
        for row in &measured.rows {
            assert!(
                row.agrees(),
                "{file}, {} by {}: {}",
                row.schedule,
                row.maker.name(),
                row.distance
            );
        }
    }
}

/// Random pipelines, exported and run by Halide, compute what the interpreter computes. Pipelines
/// with floats are left out: Halide says nothing about a float that the integer it is converted to
/// does not hold.
#[test]
fn halide_computes_what_random_pipelines_compute() {
    if !has_halide() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let wanted = if is_sweep() { 120 } else { 4 };
    let (mut compared, mut different) = (0, Vec::new());
    // Enough seeds, though most pipelines have floats, and some have no value at this size.
    for seed in 0..40 * wanted as u64 {
        if compared == wanted {
            break;
        }
        let text = pipeline(seed).text;
        if text.contains("f32") || text.contains("f64") {
            continue;
        }
        let mut loaded = source::parse("random.hal", &text);
        let options = Options {
            pipeline: 0,
            schedules: vec![None],
            halide: true,
            threads: vec![1],
            rounds: 1,
            budget: std::time::Duration::ZERO,
            judge: None,
        };
        let output = loaded.module.pipelines[0].algorithm.outputs[0];
        let size = vec![9; loaded.module.pool.func(output).rank()];
        let request = Request { random: Some(seed), size: Some(size), ..Request::default() };
        let Ok(measured) = bench::run(&mut loaded, &options, &request, &mut |_| {}) else {
            continue;
        };
        let halides = measured.rows.iter().filter(|row| row.maker == Maker::Halide);
        compared += halides.clone().count();
        if halides.clone().any(|row| !row.agrees()) {
            different.push(text);
        }
    }
    assert_eq!(compared, wanted, "too few are compared");
    assert!(different.is_empty(), "{} of {compared}:\n{}", different.len(), different.join("\n"));
}

fn has_halide() -> bool {
    let Ok(python) = bridge::find() else { return false };
    let probe = std::process::Command::new(python).args(["-c", "import halide"]).output();
    probe.is_ok_and(|output| output.status.success())
}

#[test]
fn what_halide_cannot_say_is_named() {
    let text = "\
pipeline shift(input: buffer<u8, 2>) -> output: buffer<u8, 2> { func output(x, y) = input(x, y); }
schedule turned for shift { output.swap(y); }
pipeline far(input: buffer<u8, 1>) -> output: buffer<u8, 1> \
{ func output(x) = input(x + 3000000000); }
pipeline wide(input: buffer<i64, 1>) -> output: buffer<u8, 1> \
{ func output(x) = u8(clamp(int(input(x)), 0, 5)); }
";
    let loaded = source::parse("test.hal", text);
    assert!(!loaded.module.has_errors());
    for (pipeline, schedule, expected) in [
        (0, Some(0), "a swap of two loops"),
        (1, None, "the coordinate 3000000000"),
        (2, None, "an `int` made of `i64`"),
    ] {
        let choice = Choice { pipeline, schedule };
        let reason = stock::export(&loaded, &choice).unwrap_err().to_string();
        assert!(reason.contains(expected), "{reason}");
    }
}

#[test]
fn a_schedule_is_printed_in_both_languages() {
    let text = "\
pipeline blur(input: buffer<f32, 2>) -> output: buffer<f32, 2> {
    func rows(x, y) = input(x, y) + input(x + 1, y);
    func total(x, y): f32 {
        total(x, y) = 0;
        for k in 0..4 { total(x, y) += rows(x + k, y); }
    }
    func output(x, y) = total(x, y) + rows(x, y + 1);
}
schedule s for blur {
    output.tile(x, y, xo, yo, xi, yi, 32, 8, tail: shift).vectorize(xi, 8).parallel(yo);
    total.compute_at(output, xo);
    total.update(1).reorder(k, x, y).unroll(k);
    rows.store_at(output, yo).compute_at(output, xo).fold_storage(y, 16).store_in(stack);
}
";
    let loaded = source::parse("test.hal", text);
    assert!(!loaded.module.has_errors(), "{:?}", loaded.module.diagnostics);
    let pipeline = &loaded.module.pipelines[0];
    let (pool, algorithm) = (&loaded.module.pool, &pipeline.algorithm);
    let schedule = &pipeline.schedules[0].schedule;
    let printed = |language| stock::directives(pool, algorithm, schedule, language).unwrap();
    let (python, cpp) = (printed(Language::Python), printed(Language::Cpp));
    for (in_python, in_cpp) in [
        ("xo = hl.Var(\"xo\")", "Var xo(\"xo\");"),
        (
            "output.tile(x, y, xo, yo, xi, yi, 32, 8, hl.TailStrategy.ShiftInwards)",
            "output.tile(x, y, xo, yo, xi, yi, 32, 8, TailStrategy::ShiftInwards);",
        ),
        ("output.parallel(yo)", "output.parallel(yo);"),
        ("total.update(0).unroll(total_r1[0])", "total.update(0).unroll(total_r1[0]);"),
        ("total.compute_at(output, xo)", "total.compute_at(output, xo);"),
        ("rows.store_at(output, yo)", "rows.store_at(output, yo);"),
        ("rows.fold_storage(y, 16, True)", "rows.fold_storage(y, 16, true);"),
        ("rows.store_in(hl.MemoryType.Stack)", "rows.store_in(MemoryType::Stack);"),
    ] {
        assert!(python.lines().any(|line| line == in_python), "{in_python}\n{python}");
        assert!(cpp.lines().any(|line| line == in_cpp), "{in_cpp}\n{cpp}");
    }
    // What the schedule places is not placed twice.
    assert!(!python.contains("compute_root"), "{python}");
    assert_eq!(python.lines().count(), cpp.lines().count());
}
