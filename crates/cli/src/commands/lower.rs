//! `halidom lower`.

use halidom::{Chosen, Input, Kind};
use halidom_base::IndexSet;
use halidom_diag::Sources;
use halidom_driver::compile::{self, PASSES, Pass, Stage, stage_names};
use halidom_driver::subject::Subject;
use halidom_ir::print;
use serde_json::{Value, json};

use super::{compiled, ended, one};
use crate::args::LowerArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &LowerArgs, output: &mut Output<'_>) -> Ended {
    ended(lower(args, output))
}

fn lower(args: &LowerArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    if Kind::of(&args.choice.file) == Kind::Program {
        return passes(args, output);
    }
    if let Some(pass) = args.pass.first() {
        return Err(output.error(
            "HAL0904",
            &format!("`{}` is no program (.ir) to run passes on", args.choice.file.display()),
            &format!("`--stage {pass}` prints the program after that pass"),
        ));
    }
    let names = stage_names();
    if !names.contains(&args.stage.as_str()) {
        return Err(output.error(
            "HAL0904",
            &format!("there is no stage `{}`", args.stage),
            &format!("stages are {}", names.join(", ")),
        ));
    }
    let (mut input, chosen) = one(&args.choice, output)?;
    // The algorithm as it is written; a derivation has none before it is carried out.
    let own = match (&input, &chosen) {
        (Input::Pipelines(loaded), Chosen::Schedule(choice)) => {
            Some(loaded.module.pipelines[choice.pipeline].algorithm.clone())
        }
        (
            Input::Pipelines(_) | Input::Derivations(_) | Input::Program(_) | Input::Stock(_),
            Chosen::Schedule(_) | Chosen::Derivation(_) | Chosen::Whole,
        ) => None,
    };
    let (mut text, mut after) = (None, None);
    let compiled = input.compile(&chosen, &mut |stage, pool, program| {
        if stage == args.stage {
            after = Some(program.clone());
            text = own.as_ref().map(|algorithm| print::module(pool, algorithm, program));
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
    // With the algorithm that the program computes, which a schedule may have rewritten, the text
    // can be read back.
    let text = print::module(&pool, compiled.lowered(&algorithm), program);
    if args.time_passes {
        show_times(&compiled.stages, output);
    } else {
        output.line(&text);
    }
    output.set("stage", args.stage.as_str());
    output.set("ir", text);
    Ok(Ended::Done)
}

/// Prints the time of each stage, and of the verifier after it.
fn show_times(stages: &[Stage], output: &mut Output<'_>) {
    let milliseconds = |stage: &Stage| {
        [stage.time, stage.verifying].map(|time| format!("{:.3}", time.as_secs_f64() * 1000.0))
    };
    output.line(&format!("{:<16} {:>10} {:>10}", "", "ms", "verifier"));
    for stage in stages {
        let [time, verifying] = milliseconds(stage);
        output.line(&format!("{:<16} {time:>10} {verifying:>10}", stage.name));
    }
    let all = Stage {
        name: "all",
        time: stages.iter().map(|stage| stage.time).sum(),
        verifying: stages.iter().map(|stage| stage.verifying).sum(),
    };
    let [time, verifying] = milliseconds(&all);
    output.line(&format!("{:<16} {time:>10} {verifying:>10}", all.name));
    let object = |stage: &Stage| {
        json!({
            "name": stage.name,
            "seconds": stage.time.as_secs_f64(),
            "verifier_seconds": stage.verifying.as_secs_f64(),
        })
    };
    output.set("times", stages.iter().map(object).collect::<Vec<Value>>());
}

/// Runs passes on a program in the text form of the IR: the named ones, or all.
fn passes(args: &LowerArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let named = args.pass.iter().map(|name| {
        compile::pass(name).ok_or_else(|| {
            let names: IndexSet<&str> = PASSES.iter().map(|pass| pass.name).collect();
            let names: Vec<&str> = names.into_iter().collect();
            output.error(
                "HAL0904",
                &format!("there is no pass `{name}`"),
                &format!("passes are {}", names.join(", ")),
            )
        })
    });
    let named: Vec<&Pass> = named.collect::<Result<_, _>>()?;
    let Subject { mut pool, algorithm, compiled, .. } = compiled(&args.choice, output)?;
    let mut stages = Vec::new();
    let lowered = if named.is_empty() {
        compile::finish(&mut pool, &compiled.program, &mut |_, _, _| {}).map(|finished| {
            stages = finished.stages;
            finished.program
        })
    } else {
        let mut steps = named.into_iter();
        steps.try_fold(compiled.program, |program, pass| {
            let (program, stage) = compile::run_pass(&mut pool, program, pass)?;
            stages.push(stage);
            Ok(program)
        })
    };
    let program = lowered.map_err(|diagnostics| {
        for diagnostic in &diagnostics {
            output.diagnostic(&Sources::new(), diagnostic);
        }
        Stop::BadInput
    })?;
    let text = print::module(&pool, &algorithm, &program);
    if args.time_passes {
        show_times(&stages, output);
    } else {
        output.line(&text);
    }
    output.set("passes", args.pass.as_slice());
    output.set("ir", text);
    Ok(Ended::Done)
}
