//! `halidom preload`: the library that judges what a C++ program compiles, and the judge that the
//! library starts.

mod judge;
mod summary;

use halidom_diag::Sources;
use halidom_driver::stock::bridge::{self, BridgeError};

use super::ended;
use crate::args::PreloadArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &PreloadArgs, output: &mut Output<'_>) -> Ended {
    match &args.judge {
        Some(folder) => judge::run(folder, args.keep, output),
        None => ended(library(args, output)),
    }
}

fn library(args: &PreloadArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let judge = std::env::current_exe().map_err(BridgeError::File);
    let made = judge.and_then(|judge| bridge::preload(args.halide.as_deref(), &judge));
    let made = made.map_err(|error| {
        output.diagnostic(&Sources::new(), &error.diagnostic(None));
        Stop::BadInput
    })?;
    output.detail(&format!("for programs with {}", made.halide.display()));
    output.line(&made.library.display().to_string());
    output.set("library", made.library.display().to_string());
    output.set("halide", made.halide.display().to_string());
    Ok(Ended::Done)
}
