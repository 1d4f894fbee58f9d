//! Measures the agreement of the tuner's estimates with times.

use crate::answer::Answer;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, program, root};
use crate::setup;
use crate::table;

/// The least agreement: Spearman of all schedules and of the fastest quarter, and the greatest
/// multiple of the fastest time among the ten with the lowest estimates.
const LIMITS: (f64, f64, f64) = (0.75, 0.6, 1.1);

/// `search --model [N] [PROGRAM…]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    let (count, names) = match words.split_first() {
        Some((first, rest)) if first.parse::<u32>().is_ok() => (*first, rest),
        _ => ("250", words),
    };
    let chosen = super::programs::chosen(names)?;
    setup::ensure()?;
    let halidom = process::halidom()?;
    let folder = root().join("target").join("search");
    std::fs::create_dir_all(&folder)
        .map_err(|cause| Error::File { path: folder.clone(), cause })?;
    let mut rows = Vec::new();
    let mut short = Vec::new();
    for one in chosen {
        println!("{} …", one.name);
        let mut command = program(&halidom);
        command.arg("tune").arg(format!("examples/{}.hal", one.file)).args(["-p", one.pipeline]);
        // With one thread, the processor's time is measured, which other work changes little.
        command.args(["--threads", "1"]);
        command.args(one.arguments).args(["--sample", count, "--budget", "3600", "--json"]);
        command.args(["--quiet", "--samples"]).arg(folder.join(format!("{}.jsonl", one.name)));
        let output = process::capture(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let number = |key| Answer::read(&text).ok()?.json.get(key).and_then(Json::number);
        let all = ["count", "spearman", "fastest_quarter", "top_ten"].map(number);
        let [Some(found), Some(spearman), Some(quarter), Some(top)] = all else {
            println!("{}", String::from_utf8_lossy(&output.stderr));
            return Err(Error::Failed { command: process::shown(&command), status: output.status });
        };
        if spearman < LIMITS.0 || quarter < LIMITS.1 || top > LIMITS.2 {
            short.push(one.name.to_owned());
        }
        rows.push(vec![
            format!("{}{}", one.name, if one.held_out { " (held out)" } else { "" }),
            format!("{found}"),
            format!("{spearman:.2}"),
            format!("{quarter:.2}"),
            format!("{top:.2}"),
        ]);
    }
    let headings = ["program", "schedules", "Spearman", "fastest quarter", "best of top 10"];
    println!("{}", table::layout(&headings, &rows));
    if short.is_empty() {
        return Ok(());
    }
    Err(Error::Slow(short))
}
