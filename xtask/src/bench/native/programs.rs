//! The timed programs of Table 1 and their arguments.

/// A program and its arguments.
pub(super) struct Program {
    /// The name of its file and of its pipeline.
    pub(super) name: &'static str,
    /// Sizes and parameters, in the form that `halidom bench` takes.
    pub(super) arguments: &'static [&'static str],
    /// The number of sums and products of `f32` at these sizes, as the algorithm states them; zero
    /// if only memory counts, because the program has integers or few operations.
    pub(super) flops: f64,
}

pub(super) const PROGRAMS: [Program; 10] = [
    Program { name: "blur", arguments: &["--size", "6400x4800"], flops: 0.0 },
    Program { name: "harris", arguments: &["--size", "1536x2560"], flops: 0.0 },
    Program { name: "unsharp", arguments: &["--size", "1536x2560x3"], flops: 0.0 },
    Program { name: "sc1", arguments: &["--size", "1536x2560"], flops: 0.0 },
    Program { name: "sc32", arguments: &["--size", "1536x2560"], flops: 0.0 },
    Program {
        name: "nl_means",
        arguments: &[
            "--size",
            "1536x2560x3",
            "--set",
            "patch_size=7",
            "--set",
            "search_area=7",
            "--set",
            "sigma=0.12",
        ],
        // For each of 7x7 shifts: three differences squared and added, two sums of seven, the
        // weight's factor, four sums of products. The exponential is not counted.
        flops: 1536.0 * 2560.0 * 49.0 * (9.0 + 14.0 + 1.0 + 8.0),
    },
    Program {
        name: "sgemm1024",
        arguments: &[
            "--size",
            "1024x1024",
            "--input-size",
            "A=1024x1024",
            "--input-size",
            "B=1024x1024",
        ],
        flops: 1024.0 * 1024.0 * (2.0 * 1024.0 + 3.0),
    },
    Program {
        name: "conv",
        arguments: &["--size", "128x100x80x5"],
        flops: 128.0 * 100.0 * 80.0 * 5.0 * 2.0 * 9.0 * 128.0,
    },
    Program {
        name: "dsc",
        arguments: &[
            "--size",
            "16x112x112x4",
            "--input-size",
            // Two more channels than the program uses, because its tiles read whole vectors of
            // them.
            "input=34x112x112x4",
            "--input-size",
            "depthwise=3x96x3x3",
            "--input-size",
            "pointwise=16x96",
            "--input-size",
            "bias=16",
        ],
        // 96 channels with 27 products each; each of 16 output channels sums up all 96.
        flops: 112.0 * 112.0 * 4.0 * 2.0 * (96.0 * 27.0 + 16.0 * 96.0),
    },
    Program {
        name: "sdot",
        arguments: &["--input-size", "a=4194304", "--input-size", "b=4194304"],
        flops: 2.0 * 4_194_304.0,
    },
];
