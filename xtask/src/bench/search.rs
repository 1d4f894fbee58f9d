//! Measures the tuner: the agreement of its estimates with times.

use crate::answer::Answer;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, program, root};
use crate::table;

/// A program of the comparison.
struct Program {
    name: &'static str,
    file: &'static str,
    pipeline: &'static str,
    /// Sizes and parameters, in the form that `halidom tune` takes.
    arguments: &'static [&'static str],
    /// True if it was used for nothing but this comparison.
    held_out: bool,
}

const fn of(
    name: &'static str,
    file: &'static str,
    pipeline: &'static str,
    arguments: &'static [&'static str],
    held_out: bool,
) -> Program {
    Program { name, file, pipeline, arguments, held_out }
}

/// The programs, at sizes for which a run takes some milliseconds.
const PROGRAMS: [Program; 12] = [
    of("blur", "table1/blur", "blur", &["--size", "6400x4800"], false),
    of("harris", "table1/harris", "harris", &["--size", "1536x2560"], false),
    of("unsharp", "table1/unsharp", "unsharp", &["--size", "1536x2560x3"], false),
    of("local_laplacian", "applications/local_laplacian", "local_laplacian", &LAPLACIAN, false),
    of("bilateral_grid", "applications/bilateral_grid", "bilateral_grid", &GRID, true),
    of("camera_pipe", "camera_pipe", "camera_pipe", &["--size", "1280x960x3"], true),
    of("nl_means", "table1/nl_means", "nl_means", &MEANS, false),
    of("stencil_chain", "stencil_chain", "stencil_chain", &["--size", "1536x2560"], false),
    of("resize", "applications/resize", "resize", &RESIZE, true),
    of("conv", "table1/conv", "conv", &["--size", "128x100x80x5"], true),
    of("sgemm", "table1/sgemm1024", "sgemm1024", &PRODUCT, false),
    of("iir_blur", "applications/iir_blur", "iir_blur", &SCAN, false),
];

const LAPLACIAN: [&str; 2] = ["--size", "768x640x3"];
const GRID: [&str; 2] = ["--size", "1536x1024"];
const MEANS: [&str; 8] = [
    "--size",
    "384x320x3",
    "--set",
    "patch_size=7",
    "--set",
    "search_area=7",
    "--set",
    "sigma=0.12",
];
const RESIZE: [&str; 6] = ["--size", "1536x1280x3", "--set", "scale_x=1.5", "--set", "scale_y=1.5"];
const PRODUCT: [&str; 6] =
    ["--size", "1024x1024", "--input-size", "A=1024x1024", "--input-size", "B=1024x1024"];
const SCAN: [&str; 4] = ["--size", "1536x1024x3", "--set", "alpha=0.5"];

/// The least agreement: Spearman of all schedules and of the fastest quarter, and the greatest
/// multiple of the fastest time among the ten with the lowest estimates.
const LIMITS: (f64, f64, f64) = (0.75, 0.6, 1.1);

/// `search --model [N] [PROGRAM…]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    let Some(("--model", words)) = words.split_first().map(|(first, rest)| (*first, rest)) else {
        return Err(Error::Usage("`cargo xtask bench search` needs `--model`".to_owned()));
    };
    let (count, names) = match words.split_first() {
        Some((first, rest)) if first.parse::<u32>().is_ok() => (*first, rest),
        _ => ("250", words),
    };
    if let Some(name) = names.iter().find(|name| PROGRAMS.iter().all(|known| known.name != **name))
    {
        return Err(Error::Usage(format!("`{name}` is none of the programs")));
    }
    let halidom = process::halidom()?;
    let folder = root().join("target").join("search");
    std::fs::create_dir_all(&folder)
        .map_err(|cause| Error::File { path: folder.clone(), cause })?;
    let mut rows = Vec::new();
    let mut short = Vec::new();
    for one in PROGRAMS.iter().filter(|one| names.is_empty() || names.contains(&one.name)) {
        println!("{} …", one.name);
        let mut command = program(&halidom);
        command.arg("tune").arg(format!("examples/{}.hal", one.file)).args(["-p", one.pipeline]);
        command.args(one.arguments).args(["--sample", count, "--budget", "3600", "--json"]);
        command.args(["--quiet", "--samples"]).arg(folder.join(format!("{}.jsonl", one.name)));
        let output = process::capture(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let number = |key| Answer::read(&text).ok()?.json.get(key).and_then(Json::number);
        let all = ["count", "spearman", "fastest_quarter", "top_ten"].map(number);
        let [Some(found), Some(spearman), Some(quarter), Some(top)] = all else {
            println!("{}", String::from_utf8_lossy(&output.stderr));
            return Err(Error::Failed { command: process::shown(&command), status: output.status });
        };
        if spearman < LIMITS.0 || quarter < LIMITS.1 || top > LIMITS.2 {
            short.push(one.name.to_owned());
        }
        rows.push(vec![
            format!("{}{}", one.name, if one.held_out { " (held out)" } else { "" }),
            format!("{found}"),
            format!("{spearman:.2}"),
            format!("{quarter:.2}"),
            format!("{top:.2}"),
        ]);
    }
    let headings = ["program", "schedules", "Spearman", "fastest quarter", "best of top 10"];
    println!("{}", table::layout(&headings, &rows));
    if short.is_empty() {
        return Ok(());
    }
    Err(Error::Slow(short))
}
