//! `halidom bench`.

use halidom_verdict::Verdict;
use halidom_workshop::bench::{self, Bench, BenchError, Maker, Options, Row};
use serde_json::json;

use super::run::{failed, malformed};
use super::{ended, load, report, solving, write};
use crate::args::{Against, BenchArgs};
use crate::output::{Ended, Output, Stop};
use crate::request;

/// The seed for everything that has no given value.
const SEED: u64 = 1;

pub(crate) fn run(args: &BenchArgs, output: &mut Output<'_>) -> Ended {
    ended(measure(args, output))
}

fn measure(args: &BenchArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let mut loaded = load(&args.file, output)?;
    let chosen = loaded.pipeline(args.pipeline.as_deref()).and_then(|pipeline| {
        let schedules: Vec<Option<usize>> = if args.schedule.is_empty() {
            let count = loaded.module.pipelines[pipeline].schedules.len();
            if count == 0 { vec![None] } else { (0..count).map(Some).collect() }
        } else {
            let named = args.schedule.iter().map(|name| loaded.schedule(pipeline, Some(name)));
            named.collect::<Result<_, _>>()?
        };
        Ok((pipeline, schedules))
    });
    let (pipeline, schedules) = chosen.map_err(|diagnostic| {
        report(&loaded, &[diagnostic], output);
        Stop::BadInput
    })?;
    let mut request = request::request(&args.data).map_err(|error| malformed(&error, output))?;
    request.random = request.random.or(Some(SEED));
    let threads = if args.threads.is_empty() {
        let mut all = vec![1, std::thread::available_parallelism().map_or(1, usize::from)];
        all.dedup();
        all
    } else {
        args.threads.iter().map(|count| usize::from(*count)).collect()
    };
    let options = Options {
        pipeline,
        schedules,
        halide: args.against == Some(Against::Halide),
        threads,
        rounds: args.rounds as usize,
        budget: solving::seconds(args.budget, output)?,
        judge: if args.no_validate { None } else { Some(solving::default(output)?) },
    };
    let measured = bench::run(&mut loaded, &options, &request, &mut |words| output.progress(words));
    let measured = match measured {
        Ok(measured) => measured,
        Err(BenchError::Refused(diagnostics)) => {
            report(&loaded, &diagnostics, output);
            return Err(Stop::BadInput);
        }
        Err(BenchError::Data(error)) => {
            return Err(output.error(error.code(), &error.to_string(), &error.hint()));
        }
        Err(BenchError::Run { schedule, error }) => {
            output.progress(&format!("schedule `{schedule}`:"));
            return Err(failed(&error, output));
        }
        Err(error @ BenchError::Toolchain(_)) => {
            return Err(output.error("HAL0705", &error.to_string(), "run `halidom doctor`"));
        }
        Err(error @ BenchError::Build(_)) => {
            return Err(output.error("HAL0706", &error.to_string(), "run `halidom doctor`"));
        }
    };
    present(&measured, output);
    if let Some(path) = &args.svg {
        write(path, bench::svg(&measured).as_bytes(), output)?;
        output.line(&path.display().to_string());
    }
    Ok(measured.verdict(!args.no_validate).map_or(Ended::Done, Ended::Judged))
}

fn present(bench: &Bench, output: &mut Output<'_>) {
    let mut threads = 0;
    for row in &bench.rows {
        if row.threads != threads {
            threads = row.threads;
            heading(bench, threads, output);
        }
        output.line(&line(bench, row));
    }
    for (schedule, maker, reason) in &bench.left_out {
        output.line(&format!("left out: {schedule} ({}): {reason}", maker.name()));
    }
    let rows: Vec<_> = bench.rows.iter().map(|row| object(bench, row)).collect();
    output.set("pipeline", bench.pipeline.as_str());
    output.set("bytes", bench.bytes);
    output.set("rows", rows);
    let left_out = bench.left_out.iter().map(|(schedule, maker, reason)| {
        json!({ "schedule": schedule, "maker": maker.name(), "reason": reason })
    });
    output.set("left_out", left_out.collect::<Vec<_>>());
}

fn heading(bench: &Bench, threads: usize, output: &mut Output<'_>) {
    let words = if threads == 1 { "thread" } else { "threads" };
    let limit = bench.limits.iter().find(|limits| limits.threads == threads);
    let limit = limit.map_or(String::new(), |limits| {
        format!(
            "; memory is copied at {:.1} GB/s, the inputs and outputs are {:.1} MB",
            limits.bytes_per_second / 1e9,
            bench.bytes as f64 / 1e6
        )
    });
    output.line(&format!("\n{}, {threads} {words}{limit}", bench.pipeline));
    output.line(&format!(
        "{:<24} {:<8} {:>10} {:>19} {:>10} {:>10} {:>8}  {}",
        "schedule", "by", "ms", "least–most", "× Halide", "× limit", "differs", "verdict"
    ));
}

fn milliseconds(time: std::time::Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

/// The ratio of a row's time to Halide's.
fn ratio(bench: &Bench, row: &Row) -> Option<f64> {
    let other = bench.beside(row).filter(|_| row.maker == Maker::Halidom)?;
    Some(row.median.as_secs_f64() / other.median.as_secs_f64())
}

/// The ratio of a row's time to the time of moving inputs and outputs.
fn over_limit(bench: &Bench, row: &Row) -> Option<f64> {
    Some(row.median.as_secs_f64() / bench.least_time(row.threads)?.as_secs_f64())
}

fn verdict(row: &Row) -> Option<&'static str> {
    row.verdict.as_ref().map(Verdict::name)
}

fn line(bench: &Bench, row: &Row) -> String {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
    format!(
        "{:<24} {:<8} {:>10.3} {:>19} {:>10} {:>10} {:>8}  {}",
        row.schedule,
        row.maker.name(),
        milliseconds(row.median),
        format!("{:.3}–{:.3}", milliseconds(row.least), milliseconds(row.most)),
        number(ratio(bench, row)),
        number(over_limit(bench, row)),
        if row.distance == 0.0 { "–".to_owned() } else { format!("{:.0e}", row.distance) },
        if row.agrees() { verdict(row).unwrap_or("") } else { "COMPUTES SOMETHING ELSE" },
    )
}

fn object(bench: &Bench, row: &Row) -> serde_json::Value {
    json!({
        "schedule": row.schedule,
        "maker": row.maker.name(),
        "threads": row.threads,
        "milliseconds": milliseconds(row.median),
        "least": milliseconds(row.least),
        "most": milliseconds(row.most),
        "rounds": row.rounds,
        "ratio_to_halide": ratio(bench, row),
        "ratio_to_limit": over_limit(bench, row),
        "agrees": row.agrees(),
        "verdict": verdict(row),
    })
}
