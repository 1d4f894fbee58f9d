//! The programs that are changed: every example under every schedule, with small factors, so that
//! small inputs cross every border.

use std::fmt::Write as _;
use std::path::Path;

use halidom_driver::compile::compile;
use halidom_driver::source::Choice;
use halidom_ir::{Algorithm, Pool, Program};

use crate::common::load;

/// A right program that was compiled.
pub(crate) struct Original {
    /// The names of the example, the pipeline and the schedule.
    pub(crate) name: String,
    /// The names of the example and the pipeline.
    pub(crate) pipeline: String,
    pub(crate) pool: Pool,
    pub(crate) algorithm: Algorithm,
    /// The algorithm after each rewriting of the schedule.
    pub(crate) steps: Vec<Algorithm>,
    pub(crate) structured: Program,
    pub(crate) program: Program,
}

/// The examples of a test run.
pub(crate) const FEW: [&str; 6] = ["blur", "box_blur", "gemm", "harris", "histogram", "unsharp"];

const FOLDERS: [&str; 3] = ["", "applications/", "table1/"];

/// Every example, by folder and name.
pub(crate) fn every_name() -> Vec<String> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut names = Vec::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(examples.join(folder)).expect("the folder exists") {
            let file = entry.expect("it can be listed").file_name();
            let file = file.to_string_lossy();
            names.extend(file.strip_suffix(".hal").map(|stem| format!("{folder}{stem}")));
        }
    }
    names.sort();
    names
}

/// Every pipeline of an example under every schedule, the unscheduled form first.
pub(crate) fn originals(name: &str) -> Vec<Original> {
    let text = small(name, &crate::common::example(name));
    let loaded = load(name, &text);
    let mut originals = Vec::new();
    for (number, pipeline) in loaded.module.pipelines.iter().enumerate() {
        for schedule in std::iter::once(None).chain((0..pipeline.schedules.len()).map(Some)) {
            let choice = Choice { pipeline: number, schedule };
            let mut loaded = load(name, &text);
            let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal");
            let schedule = loaded.schedule_of(&choice).name;
            let pipeline = &loaded.module.pipelines[number];
            originals.push(Original {
                name: format!("{name} {} {schedule}", pipeline.algorithm.name),
                pipeline: format!("{name} {}", pipeline.algorithm.name),
                algorithm: pipeline.algorithm.clone(),
                pool: loaded.module.pool,
                steps: compiled.steps,
                structured: compiled.structured,
                program: compiled.program,
            });
        }
    }
    originals
}

/// Replacements in examples whose numbers are related: fixed sizes, factors that divide each other,
/// stages.
const EXCHANGED: [(&str, &[(&str, &str)]); 8] = [
    (
        "table1/blur",
        &[
            ("yi, 8)", "yi, 4)"),
            ("x, 32)", "x, 8)"),
            ("y, 10)", "y, 6)"),
            ("yi, 32)", "yi, 8)"),
            ("x, 16)", "x, 4)"),
        ],
    ),
    ("table1/cmm1024", &[("size: 1024", "size: 32"), ("64, 16", "16, 8")]),
    (
        "table1/conv",
        &[
            ("CI: 128, CO: 128, W: 100, H: 80, N: 5", "CI: 4, CO: 32, W: 9, H: 3, N: 2"),
            ("ci, 64)", "ci, 16)"),
            ("c, 64)", "c, 16)"),
        ],
    ),
    ("table1/sdot", &[]),
    ("table1/dsc", &[]),
    ("table1/sgemm", &[("512", "24"), ("256", "20"), ("128", "16")]),
    (
        "table1/sgemm1024",
        &[
            ("1024", "32"),
            ("512", "24"),
            ("256", "20"),
            ("128", "16"),
            ("ji, 64, 6)", "ji, 16, 6)"),
            ("i, 64)", "i, 16)"),
        ],
    ),
    ("table1/sgemm_transposed", &[("512", "24"), ("256", "20"), ("128", "16")]),
];

/// The replacements for the stages of the long chain and for its tiles.
const CHAIN: (&str, &[(&str, &str)]) = (
    "table1/sc32",
    &[
        ("1..32", "1..7"),
        ("stage[31]", "stage[6]"),
        ("22, 32", "5, 7"),
        ("stage[21]", "stage[4]"),
        ("11, 21", "2, 4"),
        ("stage[10]", "stage[1]"),
        ("0, 10", "0, 1"),
        ("384, 640", "24, 12"),
        ("395, 651", "25, 13"),
        ("406, 662", "26, 14"),
        ("vectorize(x, 16)", "vectorize(x, 8)"),
        ("vectorize(xi, 16)", "vectorize(xi, 8)"),
    ],
);

/// The text with small numbers in its schedules: tiles of a few elements, vectors of four.
fn small(name: &str, text: &str) -> String {
    if let Some((_, exchanged)) = EXCHANGED.iter().chain([&CHAIN]).find(|(known, _)| *known == name)
    {
        let mut text = text.to_owned();
        for (old, new) in *exchanged {
            assert!(text.contains(old), "{name} has no `{old}`");
            text = text.replace(old, new);
        }
        return text;
    }
    let mut inside = false;
    let mut result = String::new();
    for line in text.lines() {
        inside |= line.starts_with("schedule ") || line.starts_with("schedule_fn ");
        if inside {
            let mut number = String::new();
            let mut before = ' ';
            for letter in line.chars().chain(['\n']) {
                let begins = !number.is_empty() || !before.is_alphanumeric();
                before = letter;
                if letter.is_ascii_digit() && begins {
                    number.push(letter);
                    continue;
                }
                if !number.is_empty() {
                    let factor: i64 = number.parse().expect("digits are a number");
                    let factor = match factor {
                        128.. => 16,
                        32..128 => 8,
                        8..32 => 4,
                        _ => factor,
                    };
                    write!(result, "{factor}").expect("strings grow");
                    number.clear();
                }
                result.push(letter);
            }
        } else {
            result.push_str(line);
            result.push('\n');
        }
        inside &= line != "}" && !line.ends_with(" }");
    }
    result
}
