//! `halidom lower`.

use halidom_driver::compile::stage_names;
use halidom_driver::input::{Chosen, Input};
use halidom_driver::subject::Subject;
use halidom_ir::print;

use super::{ended, one};
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
    let (mut input, chosen) = one(&args.choice, output)?;
    let mut text = None;
    let lowered = match (&input, &chosen) {
        (Input::Pipelines(loaded), Chosen::Schedule(choice)) => {
            Some(loaded.module.pipelines[choice.pipeline].algorithm.clone())
        }
        (
            Input::Pipelines(_) | Input::Derivations(_) | Input::Program(_) | Input::Stock(_),
            Chosen::Schedule(_) | Chosen::Derivation(_) | Chosen::Whole,
        ) => None,
    };
    let mut after = None;
    let compiled = input.compile(&chosen, &mut |stage, pool, program| {
        if stage == args.stage {
            after = Some(program.clone());
            text = lowered.as_ref().map(|algorithm| print::module(pool, algorithm, program));
        }
    });
    let Subject { pool, algorithm, compiled, .. } = compiled.map_err(|refusal| {
        let stop = output.refused(&refusal);
        // The stage may precede the failure, and then shows its cause.
        output.line(text.as_deref().unwrap_or_default());
        stop
    })?;
    // The first stage of a derivation is `bounds`.
    let program = after.as_ref().unwrap_or(&compiled.structured);
    let text = text.unwrap_or_else(|| print::module(&pool, compiled.lowered(&algorithm), program));
    output.line(&text);
    output.set("stage", args.stage.as_str());
    output.set("ir", text);
    Ok(Ended::Done)
}
