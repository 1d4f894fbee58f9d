//! `cargo xtask chunks`: figures of arrays in chunks, with Dask and Zarr.

use crate::error::Error;
use crate::process::{self, cargo, program, root};
use crate::setup;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "chunks",
    summary: "measures arrays in chunks with Dask and Zarr: values, halos, mistakes, memory, speed",
    help: "\
Installs dask, distributed, zarr, tifffile, xarray, scipy and halide in an environment of its own,
target/chunks-env, builds Halidom, and prints:
equal      chunks against the whole, bit for bit, on 1,000 random (shape, chunks) for each pipeline
halos      regions against those of stock Halide's bounds query
mistakes   five known mistakes with map_overlap, each found with its first wrong element
mutants    200 wrong plans: refused by entry checks, or seen by a comparison
cluster    two processes of dask.distributed, one of which is killed, ten times
memory     halidom stream: peak memory, time against a copy, a run that is killed ten times
speed      three filters against SciPy's under map_overlap
scale      graphs of 1,000 to 100,000 chunks; what halos cost
picture    docs/pictures/halo.png, of a halo that is too small
Fails if something does not hold.

--parts NAME … measures these only. HALIDOM_CHUNKS_CASES=N is the number of cases for each pipeline,
HALIDOM_CHUNKS_MIB=N the size of the array for `memory` (2048).

example: cargo xtask chunks --parts equal halos",
    run: || measure(&[]),
    options: &[("--parts", crate::Action::Words(measure))],
};

/// The packages, pinned where a figure depends on the version.
const PACKAGES: [&str; 7] = [
    "dask[array]==2026.8.0",
    "distributed==2026.8.0",
    "zarr==3.1.6",
    "tifffile==2026.3.3",
    "xarray==2026.9.0",
    "scipy==1.17.1",
    "halide==21.0.0",
];

fn measure(parts: &[&str]) -> Result<(), Error> {
    setup::ensure()?;
    let folder = root().join("target/chunks-env");
    let python = folder.join("bin/python");
    let is_complete = python.is_file()
        && process::capture(
            program(&python).args(["-c", "import dask, distributed, zarr, scipy, halide"]),
        )
        .is_ok();
    if !is_complete {
        println!("installing {} in {}", PACKAGES.join(", "), folder.display());
        process::run(program("python3").args(["-m", "venv"]).arg(&folder))?;
        process::run(program(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    }
    process::run(&mut cargo(&["build", "--release", "--package", "halidom-cli"]))?;
    let mut command = program(&python);
    command.arg(root().join("xtask/chunks/measure.py")).args(parts);
    // The solver of the checkout's own environment.
    command.env("HALIDOM_Z3", root().join(".venv/bin/z3"));
    process::run(&mut command).map(drop)
}
