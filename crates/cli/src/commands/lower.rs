//! `halidom lower`.

use halidom_base::IndexSet;
use halidom_diag::Sources;
use halidom_driver::compile::{self, PASSES, Pass, stage_names};
use halidom_driver::derivation::is_derivation_file;
use halidom_driver::subject::{self, Subject};
use halidom_ir::print;

use super::{choose, derived, ended, program, report};
use crate::args::LowerArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &LowerArgs, output: &mut Output<'_>) -> Ended {
    ended(lower(args, output))
}

fn lower(args: &LowerArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    if subject::is_program_file(&args.choice.file) {
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
    if is_derivation_file(&args.choice.file) {
        return derivation(args, output);
    }
    let (mut loaded, choice) = choose(&args.choice, output)?;
    let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
    let mut text = String::new();
    let compiled = compile::compile(&mut loaded, &choice, &mut |stage, pool, program| {
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
    let Subject { mut pool, algorithm, compiled, .. } = program(&args.choice, output)?;
    let lowered = if named.is_empty() {
        compile::finish(&mut pool, &compiled.program, &mut |_, _, _| {})
    } else {
        let mut steps = named.into_iter();
        steps
            .try_fold(compiled.program, |program, pass| compile::run_pass(&mut pool, program, pass))
    };
    let program = lowered.map_err(|diagnostics| {
        for diagnostic in &diagnostics {
            output.diagnostic(&Sources::new(), diagnostic);
        }
        Stop::BadInput
    })?;
    let text = print::module(&pool, &algorithm, &program);
    output.line(&text);
    output.set("passes", args.pass.as_slice());
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
