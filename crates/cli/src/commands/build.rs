//! `halidom build`.

use std::path::Path;

use halidom_codegen::{ArgumentInfo, ArgumentKind, Artifact};
use halidom_driver::execute::Ahead;
use halidom_driver::subject::Subject;
use halidom_driver::{build, execute, files, judge};
use halidom_ir::{BufferId, VarId, print};
use serde_json::{Value, json};

use super::{compiled, solving, validate};
use crate::args::{BuildArgs, Emit};
use crate::output::{Ended, Output, Stop};
use crate::places;

pub(crate) fn run(args: &BuildArgs, output: &mut Output<'_>) -> Ended {
    super::ended(built(args, output))
}

fn built(args: &BuildArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let subject = compiled(&args.choice, output)?;
    let Subject { pool, algorithm, compiled, .. } = &subject;
    let toolchain = execute::toolchain()
        .map_err(|error| output.error("HAL0705", &error.to_string(), "run `halidom doctor`"))?;
    let ir = format!("{}.ir", algorithm.name);
    places::spare(&args.output.join(&ir), output)?;
    let made = std::fs::create_dir_all(&args.output);
    made.map_err(|error| {
        output.error(
            "HAL0805",
            &format!("cannot make `{}`: {error}", args.output.display()),
            "check the path",
        )
    })?;
    let mut ended = Ended::Done;
    let record = format!("{}.validation.json", algorithm.name);
    let mut judged = None;
    if !args.no_validate {
        let options = solving::default(output)?;
        let report = judge::judge(pool, algorithm, compiled, &options);
        let verdict = validate::present(&subject, &report, output);
        let object = validate::object(&subject, &report);
        if !build::is_permitted(&verdict) {
            let text = format!("{:#}\n", Value::Object(object));
            write(&args.output, &record, text.as_bytes(), output)?;
            return Err(Stop::Judged(verdict));
        }
        judged = Some(object);
        ended = Ended::Judged(verdict);
    }
    // A record must never stand for other code than the code in its folder. So the old one goes
    // before the code changes, and the new one is written last.
    let old = args.output.join(&record);
    let recorded = std::fs::read(&old).ok().and_then(|text| build::recorded(&text));
    remove(&old, output)?;
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
        names.push(write(&args.output, &ir, text.as_bytes(), output)?);
    }
    if let Some(mut object) = judged {
        for other in build::stale(&args.output, recorded.as_deref(), &ahead, (&ir, &names)) {
            remove(&other, output)?;
        }
        build::record(&mut object, &ahead);
        let text = format!("{:#}\n", Value::Object(object));
        write(&args.output, &record, text.as_bytes(), output)?;
    }
    for name in &names {
        output.line(&format!("wrote {name}"));
    }
    output.set("written", names);
    output.set("interface", interface(&ahead, &subject));
    Ok(ended)
}

/// Removes a file, if it is there.
fn remove(path: &Path, output: &mut Output<'_>) -> Result<(), Stop> {
    files::remove(path)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))
}

/// The function in C, for programs that call it without a C compiler. `source` is the name in the
/// pipeline, from which the name in C may differ.
fn interface(ahead: &Ahead, subject: &Subject) -> Value {
    let (pool, program) = (&subject.pool, &subject.compiled.program);
    let outputs: Vec<BufferId> = program.output_buffers().collect();
    let object = |argument: &ArgumentInfo| {
        let at = argument.position;
        let (kind, rank, like, source) = match argument.kind {
            ArgumentKind::Parameter => {
                ("parameter", None, None, &pool.var(program.params[at]).name)
            }
            ArgumentKind::Input { rank } => {
                ("input", Some(rank), None, &pool.buffer(program.inputs[at]).name)
            }
            ArgumentKind::Output { rank, like } => {
                ("output", Some(rank), like, &pool.buffer(outputs[at]).name)
            }
        };
        let mut object = json!({
            "name": argument.name, "kind": kind, "type": argument.scalar.name(), "rank": rank,
            "like": like, "source": source,
        });
        if argument.kind == ArgumentKind::Parameter
            && let Some(part) = part_of_whole(ahead, subject, program.params[at])
        {
            object["whole"] = part;
        }
        object
    };
    let arguments: Vec<Value> = ahead.arguments.iter().map(object).collect();
    let target = halidom_codegen::Target::host().name();
    json!({
        "function": ahead.function, "arguments": arguments, "checks": ahead.checks,
        "target": target,
    })
}

/// The bound of a whole input that a parameter stands for, with the input's name in C.
fn part_of_whole(ahead: &Ahead, subject: &Subject, param: VarId) -> Option<Value> {
    let inputs = &subject.compiled.program.inputs;
    subject.windows.iter().find_map(|window| {
        let position = inputs.iter().position(|buffer| *buffer == window.stored)?;
        let is_input = |argument: &&ArgumentInfo| {
            matches!(argument.kind, ArgumentKind::Input { .. }) && argument.position == position
        };
        let input = &ahead.arguments.iter().find(is_input)?.name;
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
    super::write(&path, bytes, output)?;
    Ok(path.display().to_string())
}
