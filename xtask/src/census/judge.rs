//! The judgement of one pipeline, by a process of its own within limits.

use super::rows::End;
use crate::answer::{Answer, Verdict};
use crate::json::Json;
use crate::process::memory;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The limits of one judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) seconds: u64,
    pub(super) mib: u64,
}

/// The outcome of a judgement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    pub(super) end: End,
    pub(super) code: String,
    pub(super) reason: String,
    pub(super) detail: String,
    pub(super) seconds: f64,
    pub(super) mib: u64,
}

/// The interval between two looks at a process.
const LOOK: Duration = Duration::from_millis(100);
/// The time that a judge may take beyond its limit to end by itself.
const GRACE: Duration = Duration::from_secs(5);
/// The code of the cause that the time was up.
const TIME: &str = "HAL1324";
/// The exit status of a Rust program after a panic.
const PANICKED: i32 = 101;
/// The greatest length of a recorded reason, in characters.
const LONGEST: usize = 400;

/// The reason why a judge was ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Time,
    Memory,
}

/// Runs a judge; its output goes through files in `folder`, because a full pipe would stop it.
pub(super) fn judge(
    command: &mut Command,
    folder: &Path,
    limits: Limits,
) -> std::io::Result<Outcome> {
    fs::create_dir_all(folder)?;
    let [said, complained] = ["stdout", "stderr"].map(|name| folder.join(name));
    for file in [&said, &complained] {
        // The judge of a census that was interrupted may still write into the old file.
        if file.exists() {
            fs::remove_file(file)?;
        }
    }
    command.stdin(Stdio::null()).stdout(File::create(&said)?).stderr(File::create(&complained)?);
    // Solvers and compilers that the judge starts are in its group, and end with it.
    command.process_group(0);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let (stop, mib) = watch(&mut child, limits, start)?;
    let status = child.wait()?;
    let seconds = start.elapsed().as_secs_f64();
    let stdout = String::from_utf8_lossy(&fs::read(&said)?).into_owned();
    let stderr = String::from_utf8_lossy(&fs::read(&complained)?).into_owned();
    let (end, code, detail, reason) = match stop {
        Some(Stop::Time) => of_limit(format!("the judge did not end in {} s", limits.seconds)),
        Some(Stop::Memory) => of_limit(format!("more than {} MiB", limits.mib)),
        None => of_end(status, &stdout, &stderr),
    };
    let detail: String = detail.chars().take(LONGEST).collect();
    let reason = reason.chars().take(LONGEST).collect();
    Ok(Outcome { end, code, reason, detail, seconds, mib })
}

fn of_limit(detail: String) -> (End, String, String, String) {
    (End::Late, String::new(), detail.clone(), detail)
}

/// Waits for the end of a process. Ends it if it goes over a limit.
fn watch(
    child: &mut Child,
    limits: Limits,
    start: Instant,
) -> std::io::Result<(Option<Stop>, u64)> {
    let mut peak = 0;
    let mut stop = None;
    while child.try_wait()?.is_none() {
        let now = memory(child.id()) / 1024;
        peak = peak.max(now);
        if now > limits.mib {
            stop = Some(Stop::Memory);
        } else if start.elapsed() > Duration::from_secs(limits.seconds) + GRACE {
            stop = Some(Stop::Time);
        }
        if stop.is_some() {
            let group = format!("-{}", child.id());
            Command::new("kill").args(["-KILL", "--", &group]).status()?;
            break;
        }
        thread::sleep(LOOK);
    }
    Ok((stop, peak))
}

/// The end, the code, the reason, and the reason without what is particular, of a judge that ended
/// by itself.
fn of_end(status: ExitStatus, stdout: &str, stderr: &str) -> (End, String, String, String) {
    if status.code().is_none_or(|code| code == PANICKED) || stderr.contains("panicked at") {
        let line = stderr.lines().find(|line| line.contains("panicked at"));
        let detail = line.map_or_else(|| status.to_string(), str::to_owned);
        return (End::Panic, String::new(), detail.clone(), normal(&detail));
    }
    let answer = match Answer::read(stdout) {
        Ok(answer) => answer,
        Err(problem) => {
            let last = stderr.lines().rfind(|line| !line.trim().is_empty());
            let detail = last.map_or(problem, str::to_owned);
            return (End::Error, String::new(), detail.clone(), normal(&detail));
        }
    };
    match answer.verdict {
        Verdict::Proved => {
            let floats = answer.get("modes").and_then(|modes| modes.get("floats"));
            let is_exact = floats.and_then(Json::text) == Some("bits");
            let end = if is_exact { End::Proved } else { End::Axioms };
            (end, String::new(), String::new(), String::new())
        }
        Verdict::Refuted => {
            let code = answer.get("compiled_code");
            let is_confirmed =
                code.and_then(|code| code.get("replayed")) == Some(&Json::Bool(true));
            let end = if is_confirmed { End::Confirmed } else { End::Unconfirmed };
            let detail = text(&answer, "statement");
            (end, String::new(), detail.clone(), normal(&detail))
        }
        Verdict::Unknown => of_unknown(&answer),
        Verdict::Nothing | Verdict::NotJudged => {
            let first = answer.get("diagnostics").and_then(Json::array).and_then(<[Json]>::first);
            let of = |key| {
                let value = first.and_then(|diagnostic| diagnostic.get(key)).and_then(Json::text);
                value.unwrap_or_default().to_owned()
            };
            (End::Error, of("code"), of("message"), normal(&of("message")))
        }
    }
}

fn of_unknown(answer: &Answer) -> (End, String, String, String) {
    let causes = answer.get("causes").and_then(Json::array).unwrap_or_default();
    let codes = || causes.iter().filter_map(|cause| cause.get("code").and_then(Json::text));
    let detail = text(answer, "reason");
    // An open obligation has its own reason, without the place.
    let open = answer.get("open").and_then(Json::array).and_then(<[Json]>::first);
    let of = |key| open.and_then(|open| open.get(key)).and_then(Json::text);
    let reason = match (of("kind"), of("reason")) {
        (Some(kind), Some(reason)) => normal(&format!("{kind}: {reason}")),
        (Some(_) | None, _) => normal(&detail),
    };
    if codes().any(|code| code == TIME) {
        return (End::Late, TIME.to_owned(), detail, reason);
    }
    (End::Unknown, codes().next().unwrap_or_default().to_owned(), detail, reason)
}

fn text(answer: &Answer, key: &str) -> String {
    answer.get(key).and_then(Json::text).unwrap_or_default().to_owned()
}

/// The words that introduce an expression or an example.
const PARTICULARS: [&str; 3] = [", e.g.", "not shown: ", "refuted: expected "];

/// A reason without what is particular to a pipeline: names in backquotes, numbers, examples and
/// expressions.
pub(super) fn normal(reason: &str) -> String {
    let end = PARTICULARS.iter().filter_map(|words| {
        let at = reason.find(words)?;
        Some(if words.starts_with(',') { at } else { at + words.trim_end_matches(": ").len() })
    });
    let kept = &reason[..end.min().unwrap_or(reason.len())];
    let mut text = String::new();
    let mut is_name = false;
    for c in kept.chars() {
        if c == '`' {
            text.push_str(if is_name { "…`" } else { "`" });
            is_name = !is_name;
        } else if is_name {
        } else if !c.is_ascii_digit() {
            text.push(c);
        } else if !text.ends_with('N') {
            text.push('N');
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_lose_what_is_particular() {
        for (reason, expected) in [
            (
                "the array `b0` within the pipeline is not translated",
                "the array `…` within the pipeline is not translated",
            ),
            (
                "overflow: may overflow in 32 bits: `a + 1`, e.g. a 2147483647",
                "overflow: may overflow in N bits: `…`",
            ),
            ("coverage: not shown: x + 1 <= y", "coverage: not shown"),
        ] {
            assert_eq!(normal(reason), expected);
        }
    }

    fn end_of(members: &str) -> (End, String) {
        let text = format!(r#"{{"schema": "halidom-verdict-1", "job": "validate", {members}}}"#);
        let (end, code, ..) = of_end(ExitStatus::default(), &text, "");
        (end, code)
    }

    #[test]
    fn only_a_proof_is_a_proof() {
        let floats = |mode| {
            format!(
                r#""exit": 0, "verdict": "proved", "shown": 3, "modes": {{"floats": "{mode}"}}"#
            )
        };
        let unknown = |code| {
            let unknown = r#""exit": 3, "verdict": "unknown", "reason": "x""#;
            format!(r#"{unknown}, "causes": [{{"code": "{code}"}}]"#)
        };
        let plain = |end| (end, String::new());
        assert_eq!(end_of(&floats("bits")), plain(End::Proved));
        assert_eq!(end_of(&floats("reals")), plain(End::Axioms));
        assert_eq!(end_of(&unknown("HAL1301")), (End::Unknown, "HAL1301".to_owned()));
        assert_eq!(end_of(&unknown(TIME)).0, End::Late);
        assert_eq!(end_of(r#""exit": 1, "verdict": "refuted""#), plain(End::Unconfirmed));
        let confirmed = r#""exit": 1, "verdict": "refuted", "compiled_code": {"replayed": true}"#;
        assert_eq!(end_of(confirmed), plain(End::Confirmed));
        assert_eq!(end_of(r#""exit": 2, "verdict": "nothing""#), plain(End::Error));
        assert_eq!(end_of(r#""exit": 0, "verdict": "proved""#), plain(End::Error), "of nothing");
        let panic = of_end(ExitStatus::default(), "", "thread 'main' panicked at x.rs:7:");
        assert_eq!(panic.0, End::Panic);
    }

    fn run(script: &str, limits: Limits) -> Outcome {
        let name = format!("census-{}-{}", std::process::id(), script.len());
        let folder = std::env::temp_dir().join(name);
        let outcome = judge(Command::new("sh").args(["-c", script]), &folder, limits);
        fs::remove_dir_all(&folder).expect("the folder was made");
        outcome.expect("sh runs")
    }

    #[test]
    fn a_judge_over_its_limits_is_ended() {
        let late = run("sleep 60", Limits { seconds: 0, mib: 1000 });
        assert_eq!(late.end, End::Late);
        assert!(late.seconds < 30.0);
        let large = run("sleep 60; sleep 60", Limits { seconds: 60, mib: 0 });
        assert_eq!(large.end, End::Late);
        assert!(large.detail.contains("MiB"), "{}", large.detail);
        let signal = run("kill -SEGV $$", Limits { seconds: 60, mib: 1000 });
        assert_eq!(signal.end, End::Panic);
        let words = run("echo no such pipeline >&2; exit 2", Limits { seconds: 60, mib: 1000 });
        assert_eq!((words.end, words.detail.as_str()), (End::Error, "no such pipeline"));
    }
}
