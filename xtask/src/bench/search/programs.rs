//! The programs of the comparisons.

use crate::error::Error;

/// A program of the comparison.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) pipeline: &'static str,
    /// Sizes and parameters, in the form that `halidom tune` takes.
    pub(super) arguments: &'static [&'static str],
    /// Sizes of inputs that the output's size does not determine.
    pub(super) inputs: &'static [&'static str],
    /// True if it was used for nothing but this comparison.
    pub(super) held_out: bool,
}

const fn of(
    name: &'static str,
    file: &'static str,
    pipeline: &'static str,
    arguments: &'static [&'static str],
    inputs: &'static [&'static str],
    held_out: bool,
) -> Program {
    Program { name, file, pipeline, arguments, inputs, held_out }
}

/// The programs, at sizes for which a run takes some milliseconds.
static PROGRAMS: [Program; 12] = [
    of("blur", "table1/blur", "blur", &["--size", "6400x4800"], &[], false),
    of("harris", "table1/harris", "harris", &["--size", "1536x2560"], &[], false),
    of(
        "unsharp",
        "table1/unsharp",
        "unsharp",
        &["--size", "1536x2560x3"],
        &["input=1536x2560x3"],
        false,
    ),
    of(
        "local_laplacian",
        "applications/local_laplacian",
        "local_laplacian",
        &LAPLACIAN,
        &["input=768x640x3"],
        false,
    ),
    of(
        "bilateral_grid",
        "applications/bilateral_grid",
        "bilateral_grid",
        &GRID,
        &["input=1536x1024"],
        true,
    ),
    of(
        "camera_pipe",
        "camera_pipe",
        "camera_pipe",
        &["--size", "1280x960x3"],
        &["input=1280x960"],
        true,
    ),
    of("nl_means", "table1/nl_means", "nl_means", &MEANS, &["input=384x320x3"], false),
    of(
        "stencil_chain",
        "stencil_chain",
        "stencil_chain",
        &["--size", "1536x2560"],
        &["input=1536x2560"],
        false,
    ),
    of("resize", "applications/resize", "resize", &RESIZE, &["input=1024x854x3"], true),
    of("conv", "table1/conv", "conv", &["--size", "128x100x80x5"], &[], true),
    of("sgemm", "table1/sgemm1024", "sgemm1024", &PRODUCT, &[], false),
    of("iir_blur", "applications/iir_blur", "iir_blur", &SCAN, &["input=1536x1024x3"], false),
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

/// The programs with these names, or all if there is no name.
pub(super) fn chosen(names: &[&str]) -> Result<Vec<&'static Program>, Error> {
    if let Some(name) = names.iter().find(|name| PROGRAMS.iter().all(|known| known.name != **name))
    {
        return Err(Error::Usage(format!("`{name}` is none of the programs")));
    }
    let all = PROGRAMS.iter();
    Ok(all.filter(|one| names.is_empty() || names.contains(&one.name)).collect())
}
