//! `halidom build`.

use std::path::Path;

use halidom_codegen::{ArgumentInfo, ArgumentKind, Artifact};
use halidom_driver::execute::Ahead;
use halidom_driver::subject::Subject;
use halidom_driver::{execute, files, judge};
use halidom_ir::{VarId, print};
use halidom_verdict::Verdict;
use serde_json::{Value, json};

use super::{compiled, solving, validate};
use crate::args::{BuildArgs, Emit};
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &BuildArgs, output: &mut Output<'_>) -> Ended {
    super::ended(build(args, output))
}

fn build(args: &BuildArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let subject = compiled(&args.choice, output)?;
    let Subject { pool, algorithm, compiled, .. } = &subject;
    let toolchain = execute::toolchain()
        .map_err(|error| output.error("HAL0705", &error.to_string(), "run `halidom doctor`"))?;
    let made = std::fs::create_dir_all(&args.output);
    made.map_err(|error| {
        output.error(
            "HAL0805",
            &format!("cannot make `{}`: {error}", args.output.display()),
            "check the path",
        )
    })?;
    let mut ended = Ended::Done;
    if !args.no_validate {
        let options = solving::default(output)?;
        let report = judge::judge(pool, algorithm, compiled, &options);
        let verdict = validate::present(&subject, &report, output);
        let text = format!("{:#}\n", Value::Object(validate::object(&subject, &report)));
        write(
            &args.output,
            &format!("{}.validation.json", algorithm.name),
            text.as_bytes(),
            output,
        )?;
        match verdict {
            Verdict::Proved(_) | Verdict::Unknown(_) => ended = Ended::Judged(verdict),
            // A program that is known to be wrong is not built.
            Verdict::Refuted(_) | Verdict::Nothing(_) => return Err(Stop::Judged(verdict)),
        }
    }
    let artifacts: Vec<Artifact> = args.emit.iter().filter_map(|emit| artifact(*emit)).collect();
    let ahead = execute::build_ahead(
        pool,
        &compiled.program,
        &toolchain,
        &execute::host(algorithm),
        &args.output,
        &artifacts,
    )
    .map_err(|error| output.error("HAL0706", &error.to_string(), "run `halidom doctor`"))?;
    let mut names: Vec<String> =
        ahead.files.iter().map(|path| path.display().to_string()).collect();
    if args.emit.contains(&Emit::Ir) {
        let text = print::module(pool, subject.lowered(), &compiled.program);
        names.push(write(
            &args.output,
            &format!("{}.ir", algorithm.name),
            text.as_bytes(),
            output,
        )?);
    }
    for name in &names {
        output.line(&format!("wrote {name}"));
    }
    output.set("written", names);
    output.set("interface", interface(&ahead, &subject));
    Ok(ended)
}

/// The function in C, for programs that call it without a C compiler.
fn interface(ahead: &Ahead, subject: &Subject) -> Value {
    // Parameters stand in the order in which their variables were declared.
    let mut declared = subject.compiled.program.params.clone();
    declared.sort_unstable();
    let mut params = declared.into_iter();
    let mut argument = |argument: &ArgumentInfo| {
        let (kind, rank, like) = match argument.kind {
            ArgumentKind::Parameter => ("parameter", None, None),
            ArgumentKind::Input { rank } => ("input", Some(rank), None),
            ArgumentKind::Output { rank, like } => ("output", Some(rank), like),
        };
        let (name, scalar) = (&argument.name, argument.scalar.name());
        let mut object =
            json!({ "name": name, "kind": kind, "type": scalar, "rank": rank, "like": like });
        let param = (kind == "parameter").then(|| params.next()).flatten();
        if let Some(part) = param.and_then(|param| part_of_whole(subject, param)) {
            object["whole"] = part;
        }
        object
    };
    let arguments: Vec<Value> = ahead.arguments.iter().map(&mut argument).collect();
    let target = halidom_codegen::Target::host().name();
    json!({
        "function": ahead.function, "arguments": arguments, "checks": ahead.checks,
        "target": target,
    })
}

/// The bound of a whole input that a parameter stands for.
fn part_of_whole(subject: &Subject, param: VarId) -> Option<Value> {
    subject.windows.iter().find_map(|window| {
        let input = &subject.pool.func(window.input).name;
        let mut dims = window.whole.iter().enumerate();
        dims.find_map(|(dim, (min, extent))| {
            let part = match param {
                param if param == *min => "min",
                param if param == *extent => "extent",
                _ => return None,
            };
            Some(json!({ "input": input, "dim": dim, "part": part }))
        })
    })
}

fn artifact(emit: Emit) -> Option<Artifact> {
    match emit {
        Emit::C => Some(Artifact::C),
        Emit::Header => Some(Artifact::Header),
        Emit::Object => Some(Artifact::Object),
        Emit::StaticLibrary => Some(Artifact::StaticLibrary),
        Emit::SharedLibrary => Some(Artifact::SharedLibrary),
        Emit::Ir => None,
    }
}

fn write(folder: &Path, name: &str, bytes: &[u8], output: &mut Output<'_>) -> Result<String, Stop> {
    let path = folder.join(name);
    files::write_bytes(&path, bytes)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
    Ok(path.display().to_string())
}
