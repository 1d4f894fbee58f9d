//! `cargo xtask demo`: runs `examples/blur.hal` on a photograph under each of its schedules.

use crate::answer::{Answer, Verdict};
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "demo",
    summary: "compiles, validates and runs the blur under each of its schedules",
    help: "\
Installs what is missing, builds the release binary, and blurs examples/images/retina.png under each
schedule of examples/blur.hal. Prints the verdict, the time, the throughput and the speed-up over
the unscheduled form. Writes the pictures to demo-out/.

example: cargo xtask demo",
    run,
    options: &[],
};

const PROGRAM: &str = "examples/blur.hal";
const PHOTO: &str = "examples/images/retina.png";
const FOLDER: &str = "demo-out";

/// The name that `halidom` gives to a pipeline's unscheduled form.
const UNSCHEDULED: &str = "default";

/// The outcome of one schedule.
struct Outcome {
    schedule: String,
    verdict: Verdict,
    /// The measurements; absent if nothing ran.
    figures: Option<Figures>,
}

struct Figures {
    milliseconds: f64,
    megapixels_per_second: f64,
}

fn run() -> Result<(), Error> {
    setup::ensure()?;
    println!("building Halidom (the first time this takes some minutes)");
    let halidom = process::halidom()?;
    let folder = root().join(FOLDER);
    fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder, cause })?;

    let schedules = schedules(&halidom)?;
    println!("\n{PROGRAM} on {PHOTO}, under {} schedules", schedules.len());
    let mut outcomes = Vec::new();
    for schedule in schedules {
        outcomes.push(run_schedule(&halidom, schedule)?);
    }
    println!("\n{}", report(&outcomes));
    println!("The blurred pictures are in {FOLDER}/. Three commands to try next:");
    let halidom = halidom.strip_prefix(root()).unwrap_or(&halidom).display();
    let best = fastest(&outcomes).map_or(UNSCHEDULED, |outcome| &outcome.schedule);
    println!("  {halidom} check {PROGRAM}");
    println!("      the loop nests of all schedules");
    println!("  {halidom} validate {PROGRAM} -s {best}");
    println!("      what was proved, for which sizes, and what the proof assumes");
    println!("  {halidom} lower {PROGRAM} -s {best} --stage final");
    println!("      the program that was validated and printed as C");

    let failed: Vec<String> = outcomes
        .into_iter()
        .filter(|outcome| !outcome.verdict.is_proved() || outcome.figures.is_none())
        .map(|outcome| outcome.schedule)
        .collect();
    if failed.is_empty() { Ok(()) } else { Err(Error::Schedules(failed)) }
}

fn schedules(halidom: &Path) -> Result<Vec<String>, Error> {
    let mut command = program(halidom);
    command.args(["check", PROGRAM, "--json"]);
    let output = capture(&mut command)?;
    if !output.status.success() {
        print_output(&output);
        return Err(Error::Failed { command: shown(&command), status: output.status });
    }
    let answer = Answer::of(&command, &output)?;
    let schedules = schedule_names(&answer.json).filter(|names| !names.is_empty());
    schedules.ok_or_else(|| unexpected(&command, "no list of schedules"))
}

/// The schedules of the file's first pipeline.
fn schedule_names(answer: &Json) -> Option<Vec<String>> {
    let pipeline = answer.get("pipelines")?.array()?.first()?;
    let names = pipeline.get("schedules")?.array()?.iter();
    names.map(|name| name.text().map(str::to_owned)).collect()
}

fn run_schedule(halidom: &Path, schedule: String) -> Result<Outcome, Error> {
    let mut command = program(halidom);
    command.args(["run", PROGRAM, "-s", &schedule, "--json"]);
    command.args(["--input", &format!("input={PHOTO}")]);
    command.args(["--output", &format!("{FOLDER}/blur-{schedule}.png")]);
    println!("> {}", shown(&command));
    let output = capture(&mut command)?;
    if !output.status.success() {
        print_output(&output);
        // A refuted program is not run, and its exit status shows that in addition to its verdict.
        let verdict = Answer::of(&command, &output)?.verdict;
        return Ok(Outcome { schedule, verdict, figures: None });
    }
    let Answer { json: answer, verdict } = Answer::judged(&command, &output)?;
    let figures = figures(&answer).ok_or_else(|| unexpected(&command, "no time or throughput"))?;
    Ok(Outcome { schedule, verdict, figures: Some(figures) })
}

fn figures(answer: &Json) -> Option<Figures> {
    Some(Figures {
        milliseconds: answer.get("milliseconds")?.number()?,
        megapixels_per_second: answer.get("mpix_per_s")?.number()?,
    })
}

fn print_output(output: &Output) {
    print!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn unexpected(command: &Command, problem: &str) -> Error {
    Error::Output { command: shown(command), problem: problem.to_owned() }
}

/// The fastest of the proved schedules.
fn fastest(outcomes: &[Outcome]) -> Option<&Outcome> {
    let proved = outcomes.iter().filter(|outcome| outcome.verdict.is_proved());
    let timed =
        proved.filter_map(|outcome| Some((outcome.figures.as_ref()?.milliseconds, outcome)));
    timed.min_by(|one, two| one.0.total_cmp(&two.0)).map(|(_, outcome)| outcome)
}

fn report(outcomes: &[Outcome]) -> String {
    let unscheduled = outcomes.iter().find(|outcome| outcome.schedule == UNSCHEDULED);
    let unscheduled = unscheduled.and_then(|outcome| outcome.figures.as_ref());
    let none = || "-".to_owned();
    let rows: Vec<Vec<String>> = outcomes
        .iter()
        .map(|outcome| {
            let figures = outcome.figures.as_ref();
            let show = |figure: &dyn Fn(&Figures) -> String| figures.map_or_else(none, figure);
            let speed_up =
                unscheduled.zip(figures).map(|(base, own)| base.milliseconds / own.milliseconds);
            vec![
                outcome.schedule.clone(),
                outcome.verdict.to_string(),
                show(&|figures| format!("{:.3}", figures.milliseconds)),
                show(&|figures| format!("{:.0}", figures.megapixels_per_second)),
                speed_up.map_or_else(none, |ratio| format!("{ratio:.2}")),
            ]
        })
        .collect();
    table::layout(&["schedule", "verdict", "ms", "Mpix/s", "speed-up"], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_from_the_answer() {
        let cases = [
            (
                r#"{"pipelines": [{"name": "b", "schedules": ["default", "tiled"]}]}"#,
                Some(vec!["default", "tiled"]),
            ),
            (r#"{"pipelines": [{"name": "b", "schedules": [1]}]}"#, None),
            (r#"{"pipelines": []}"#, None),
            (r#"{"diagnostics": []}"#, None),
        ];
        for (text, expected) in cases {
            let names = schedule_names(&Json::parse(text).expect("valid"));
            assert_eq!(
                names,
                expected.map(|names| names.into_iter().map(str::to_owned).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_failed_schedule_shows_no_figures() {
        let figures = |milliseconds| {
            Some(Figures { milliseconds, megapixels_per_second: 2000.0 / milliseconds })
        };
        let outcome = |schedule: &str, verdict, figures| Outcome {
            schedule: schedule.to_owned(),
            verdict,
            figures,
        };
        let outcomes = [
            outcome("default", Verdict::Proved, figures(10.0)),
            outcome("tiled", Verdict::Proved, figures(2.0)),
            outcome("doubtful", Verdict::Unknown, figures(1.0)),
            outcome("wrong", Verdict::Refuted, None),
        ];
        let expected = "\
schedule  verdict      ms  Mpix/s  speed-up
default   proved   10.000     200      1.00
tiled     proved    2.000    1000      5.00
doubtful  unknown   1.000    2000     10.00
wrong     refuted       -       -         -
";
        assert_eq!(report(&outcomes), expected);
        assert_eq!(fastest(&outcomes).map(|outcome| outcome.schedule.as_str()), Some("tiled"));
    }
}
