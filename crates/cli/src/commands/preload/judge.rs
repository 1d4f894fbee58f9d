//! `halidom preload --judge`: the judge that the library starts. Variables of the environment
//! replace options, as the program's caller gives them.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use halidom_driver::stock::preload::{News, Options, judge};

use super::summary;
use crate::output::{Ended, Output};

/// The time after the program's end in which verdicts are awaited, in seconds.
const WAIT: u64 = 600;
/// The time limit of one verdict, in seconds.
const LIMIT: u64 = 60;

pub(super) fn run(folder: &Path, keep: bool, output: &mut Output<'_>) -> Ended {
    let options = Options {
        // This program, even if its file was replaced since.
        program: "/proc/self/exe".into(),
        folder: folder.to_owned(),
        jobs: jobs(),
        limit: number("HALIDOM_PRELOAD_LIMIT").unwrap_or(LIMIT),
        options: std::env::var("HALIDOM_PRELOAD_OPTIONS").unwrap_or_default(),
        wait: Duration::from_secs(number("HALIDOM_PRELOAD_WAIT").unwrap_or(WAIT)),
    };
    judge(&options, BufReader::new(io::stdin()), &mut |news| show(&news, output));
    if !keep {
        // What cannot be removed is left to the system.
        let _ = fs::remove_dir_all(folder);
    }
    Ended::Done
}

/// The number of judgements at the same time: the program needs processors too.
fn jobs() -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    number("HALIDOM_PRELOAD_JOBS").map_or(processors.div_ceil(2), |jobs| jobs.max(1) as usize)
}

/// A number of the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn show(news: &News<'_>, output: &mut Output<'_>) {
    match news {
        News::Waiting { left, total } => {
            if report().is_none() {
                output.progress(&format!(
                    "halidom: {left} of {total} pipelines are still being judged"
                ));
            }
        }
        News::Summary(found) => tell(&summary::text(found), output),
        News::NotKept(error) => output.progress(&format!("halidom: {error}")),
        News::Asked(found) => {
            output.line(&format!("done {}", found.exit().code()));
            // The program waits for this line.
            let _ = io::stdout().flush();
        }
    }
}

/// The file that takes the summary, if one is named.
fn report() -> Option<OsString> {
    std::env::var_os("HALIDOM_PRELOAD_SUMMARY").filter(|path| !path.is_empty())
}

/// Prints a summary: to a file if one is named, else on standard error, as the program's standard
/// output is its own.
fn tell(text: &str, output: &mut Output<'_>) {
    let Some(path) = report() else { return output.progress(text.trim_end()) };
    // A program may start others, which write to the same file.
    let file = File::options().append(true).create(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        output.progress(&format!("halidom: `{}`: {error}\n{}", path.display(), text.trim_end()));
    }
}
