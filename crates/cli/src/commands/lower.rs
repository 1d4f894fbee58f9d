//! `halidom lower`.

use halidom_driver::compile::{compile, stage_names};
use halidom_driver::derivation::is_derivation_file;
use halidom_driver::subject::Subject;
use halidom_ir::print;

use super::{choose, derived, ended, report};
use crate::args::LowerArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &LowerArgs, output: &mut Output<'_>) -> Ended {
    ended(lower(args, output))
}

fn lower(args: &LowerArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let names = stage_names();
    if !names.contains(&args.stage.as_str()) {
        return Err(output.error(
            "HAL0904",
            &format!("there is no stage `{}`", args.stage),
            &format!("stages are {}", names.join(", ")),
        ));
    }
    if is_derivation_file(&args.choice.file) {
        return derivation(args, output);
    }
    let (mut loaded, choice) = choose(&args.choice, output)?;
    let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
    let mut text = String::new();
    let compiled = compile(&mut loaded, &choice, &mut |stage, pool, program| {
        if stage == args.stage {
            text = print::module(pool, &algorithm, program);
        }
    });
    if let Err(diagnostics) = compiled {
        report(&loaded, &diagnostics, output);
        // The stage may precede the failure, and then shows its cause.
        output.line(&text);
        return Err(Stop::BadInput);
    }
    output.line(&text);
    output.set("stage", args.stage.as_str());
    output.set("ir", text);
    Ok(Ended::Done)
}

/// Lowers a derivation, whose first stage is `bounds`.
fn derivation(args: &LowerArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let mut after = None;
    let observe = &mut |stage: &'static str, _: &_, program: &halidom_ir::Program| {
        if stage == args.stage {
            after = Some(program.clone());
        }
    };
    let Subject { pool, algorithm, compiled, .. } = derived(&args.choice, observe, output)?;
    let program = after.as_ref().unwrap_or(&compiled.structured);
    let text = print::module(&pool, compiled.lowered(&algorithm), program);
    output.line(&text);
    output.set("stage", args.stage.as_str());
    output.set("ir", text);
    Ok(Ended::Done)
}
