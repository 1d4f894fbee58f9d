//! `halidom export`.

use halidom_driver::source::Choice;
use halidom_driver::stock;

use super::{ended, load, report, write};
use crate::args::ExportArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &ExportArgs, output: &mut Output<'_>) -> Ended {
    ended(export(args, output))
}

fn export(args: &ExportArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let loaded = load(&args.file, output)?;
    let found = loaded.pipeline(args.pipeline.as_deref()).and_then(|pipeline| {
        let schedule = loaded.schedule(pipeline, args.schedule.as_deref())?;
        Ok(Choice { pipeline, schedule })
    });
    let choice = found.map_err(|diagnostic| {
        report(&loaded, &[diagnostic], output);
        Stop::BadInput
    })?;
    let text = stock::export(&loaded, &choice).map_err(|error| {
        let hint =
            "write it otherwise; of a schedule, `-s default` exports the pipeline without it";
        output.error("HAL1220", &error.to_string(), hint)
    })?;
    match &args.output {
        Some(path) => {
            write(path, text.as_bytes(), output)?;
            output.line(&path.display().to_string());
        }
        None => output.line(&text),
    }
    output.set("text", text);
    Ok(Ended::Done)
}
