//! `halidom lower`.

use halidom_driver::compile::{compile, stage_names};
use halidom_ir::print;

use super::{choose, report, status};
use crate::args::LowerArgs;
use crate::output::{Output, Status};

pub(crate) fn run(args: &LowerArgs, output: &mut Output<'_>) -> Status {
    status(lower(args, output))
}

fn lower(args: &LowerArgs, output: &mut Output<'_>) -> Result<Status, Status> {
    let names = stage_names();
    if !names.contains(&args.stage.as_str()) {
        return Err(output.error(
            "HAL0904",
            &format!("there is no stage `{}`", args.stage),
            &format!("stages are {}", names.join(", ")),
        ));
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
        // The stage may lie before the failure, and is what shows its cause.
        output.line(&text);
        return Err(Status::BadInput);
    }
    output.line(&text);
    output.set("stage", args.stage.as_str());
    output.set("ir", text);
    Ok(Status::Done)
}
