//! `halidom check`.

use std::fmt::Write as _;

use halidom_driver::source::{Choice, Loaded, schedule_names};
use halidom_driver::{halo, inspect};
use halidom_ir::{FuncId, Pool, VarId};
use halidom_lang::Pipeline;
use serde_json::{Value, json};

use super::{ended, load, report};
use crate::args::CheckArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &CheckArgs, output: &mut Output<'_>) -> Ended {
    ended(check(args, output))
}

fn check(args: &CheckArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let mut loaded = load(&args.file, output)?;
    let pipelines: Vec<Value> = loaded
        .module
        .pipelines
        .iter()
        .map(|pipeline| object(&loaded.module.pool, pipeline))
        .collect();
    output.set("pipelines", pipelines);
    let mut refused = false;
    for pipeline in 0..loaded.module.pipelines.len() {
        output.line(&signature(&loaded, pipeline));
        for schedule in std::iter::once(None)
            .chain((0..loaded.module.pipelines[pipeline].schedules.len()).map(Some))
        {
            let choice = Choice { pipeline, schedule };
            let name = loaded.schedule_of(&choice).name;
            match inspect::inspect(&mut loaded, &choice, args.bounds) {
                Ok(found) => {
                    output.line(&format!("\nschedule {name}:"));
                    output.line(&indented(&found.loop_nest));
                    for region in halo::regions(&loaded, &choice).unwrap_or_default() {
                        output.line(&format!("  reads {}: {region}", region.name));
                    }
                    if let Some(bounds) = found.bounds {
                        output.line(&format!("\nbounds of {name}:"));
                        output.line(&indented(&bounds));
                    }
                }
                Err(diagnostics) => {
                    report(&loaded, &diagnostics, output);
                    refused = true;
                }
            }
        }
    }
    if refused { Err(Stop::BadInput) } else { Ok(Ended::Done) }
}

fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "  {line}");
        out
    })
}

/// The type of a buffer's elements. For a tuple, lists the types of its buffers.
fn element(pool: &Pool, func: FuncId) -> String {
    let names: Vec<&str> = pool.func(func).scalars.iter().map(|scalar| scalar.name()).collect();
    if let [name] = *names.as_slice() { name.to_owned() } else { format!("({})", names.join(", ")) }
}

fn object(pool: &Pool, pipeline: &Pipeline) -> Value {
    let algorithm = &pipeline.algorithm;
    let arrays = |funcs: &[FuncId]| -> Vec<Value> {
        let one = |func: &FuncId| {
            let decl = pool.func(*func);
            json!({"name": decl.name, "type": element(pool, *func), "dimensions": decl.rank()})
        };
        funcs.iter().map(one).collect()
    };
    let param = |param: &VarId| {
        let decl = pool.var(*param);
        json!({"name": decl.name, "type": decl.ty.scalar.name()})
    };
    let params: Vec<Value> = algorithm.params.iter().map(param).collect();
    json!({
        "name": algorithm.name,
        "inputs": arrays(&algorithm.inputs),
        "parameters": params,
        "outputs": arrays(&algorithm.outputs),
        "schedules": schedule_names(pipeline),
    })
}

fn signature(loaded: &Loaded, pipeline: usize) -> String {
    let pool = &loaded.module.pool;
    let pipeline = &loaded.module.pipelines[pipeline];
    let algorithm = &pipeline.algorithm;
    let buffer = |func: &FuncId| {
        let decl = pool.func(*func);
        format!("{}: buffer<{}, {}>", decl.name, element(pool, *func), decl.rank())
    };
    let params = algorithm.params.iter().zip(&pipeline.param_spans).map(|(param, span)| {
        (span.start, format!("{}: {}", pool.var(*param).name, pool.var(*param).ty))
    });
    let buffers = algorithm
        .inputs
        .iter()
        .map(|input| (pipeline.func_spans.get(input).map_or(0, |span| span.start), buffer(input)));
    let mut inputs: Vec<(usize, String)> = params.chain(buffers).collect();
    inputs.sort_by_key(|(start, _)| *start);
    let inputs: Vec<String> = inputs.into_iter().map(|(_, text)| text).collect();
    let outputs: Vec<String> = algorithm.outputs.iter().map(buffer).collect();
    format!("pipeline {}({}) -> {}", algorithm.name, inputs.join(", "), outputs.join(", "))
}
