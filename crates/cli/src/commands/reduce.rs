//! `halidom reduce`.

use std::time::Duration;

use halidom_workshop::reduce::command::{CommandError, Judge};
use halidom_workshop::reduce::{Options, reduce};

use super::{ended, load, write};
use crate::args::ReduceArgs;
use crate::output::{Ended, Output, Stop};

/// The number of forms between two lines of progress.
const PROGRESS: usize = 100;

pub(crate) fn run(args: &ReduceArgs, output: &mut Output<'_>) -> Ended {
    ended(shrink(args, output))
}

fn shrink(args: &ReduceArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let loaded = load(&args.file, output)?;
    let text = loaded.text();
    let limit = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::from_mins(1));
    let judge = Judge::new(&args.command, text, limit).map_err(|error| {
        let hint = match &error {
            CommandError::DoesNotFail => {
                "give a command that ends with a status other than 0 on the program as it is"
            }
            CommandError::CannotRun(_) => {
                "give a command that can be run; the statuses 126 and 127 are the shell's own"
            }
            CommandError::TooSlow(_) => "give it more time with `--timeout`",
            CommandError::Io { .. } => "look at the temporary folder's permissions and space",
        };
        output.error("HAL0821", &error.to_string(), hint)
    })?;
    let mut shown = 0;
    let reduced = reduce(text, Options { tries: args.tries }, &mut |form| {
        shown += 1;
        if shown % PROGRESS == 0 {
            output.progress(&format!("{shown} forms tried, {} bytes", form.len()));
        }
        judge.fails_alike(form)
    });
    output.set("tries", reduced.tries);
    output.set("kept", reduced.kept);
    output.set("text", reduced.text.as_str());
    match &args.output {
        None => output.line(&reduced.text),
        Some(path) => {
            write(path, reduced.text.as_bytes(), output)?;
        }
    }
    output.progress(&format!(
        "{} bytes of {} are left after {} forms",
        reduced.text.len(),
        text.len(),
        reduced.tries
    ));
    Ok(Ended::Done)
}
