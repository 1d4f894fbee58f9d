//! Our pipelines and schedules as programs for Halide: Halide's compilations of them compute the
//! same.

use std::path::Path;

use halidom_driver::data::Request;
use halidom_driver::source::{self, Choice};
use halidom_driver::stock;
use halidom_halide::bridge;
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

const EXPORTED: [Exported; 6] = [
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
];

fn examples() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

#[test]
fn halide_computes_what_we_compute() {
    if !has_halide() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    for Exported { file, pipeline, schedules, size, input_sizes } in EXPORTED {
        let mut loaded = source::load(&examples().join(file)).unwrap();
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
";
    let loaded = source::parse("test.hal", text);
    assert!(!loaded.module.has_errors());
    for (pipeline, schedule, expected) in
        [(0, Some(0), "a swap of two loops"), (1, None, "the coordinate 3000000000")]
    {
        let choice = Choice { pipeline, schedule };
        let reason = stock::export(&loaded, &choice).unwrap_err().to_string();
        assert!(reason.contains(expected), "{reason}");
    }
}
