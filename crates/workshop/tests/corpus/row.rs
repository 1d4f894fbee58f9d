//! A row of a table: a judged pipeline with its results.

use std::time::{Duration, Instant};

use halidom_driver::input::Refusal;
use halidom_driver::judge::{Options, judge_within};
use halidom_driver::stock::{self, Annotations, Outcome, Prophecies, Replay, Request, Stock};
use halidom_ir::Shape;
use halidom_validate::Verdict;

/// The number of cases for running the code of a proved pipeline.
const CASES: usize = 6;
/// The number of characters of a reason that are printed.
const REASON: usize = 150;

/// The results for a pipeline.
pub(crate) struct Row {
    pub(crate) name: String,
    /// `proved`, `refuted` or `unknown`.
    pub(crate) verdict: &'static str,
    /// The numbers of closed obligations and of all obligations.
    obligations: Option<(usize, usize)>,
    /// The equality of floats that was needed.
    mode: &'static str,
    /// True if the verdict rests on annotations.
    pub(crate) injected: bool,
    seconds: f64,
    /// The reason for an unknown verdict, the refutation, or the number of runs of the compiled
    /// code.
    pub(crate) remark: String,
    /// The number of complete runs of the compiled code, if it can run here.
    pub(crate) runs: Option<usize>,
    /// True if a run shows the compiled code to be wrong.
    pub(crate) wrong_code: bool,
    /// The first pass after which the statement is wrong.
    pub(crate) pass: Option<String>,
}

/// Judges a pipeline. The compiled code runs for refutations and for proofs.
pub(crate) fn judge(name: &str, request: &Request, annotations: Annotations) -> Row {
    let begin = Instant::now();
    let mut row = Row {
        name: name.to_owned(),
        verdict: "unknown",
        obligations: None,
        mode: "",
        injected: false,
        seconds: 0.0,
        remark: String::new(),
        runs: None,
        wrong_code: false,
        pass: None,
    };
    let stock = match stock::read(request) {
        Ok(stock) => stock,
        Err(Refusal { diagnostics, .. }) => {
            let messages = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str());
            row.remark = messages.collect::<Vec<_>>().join("; ");
            let is_known = diagnostics.iter().all(|found| found.code == stock::UNSUPPORTED);
            assert!(is_known, "{name}: {}", row.remark);
            row.seconds = begin.elapsed().as_secs_f64();
            return row;
        }
    };
    let options = Options::find().expect("a solver is installed").of_stock();
    let judged = stock::judged(&stock, annotations, &mut |subject| {
        judge_within(&subject.pool, (&subject.algorithm, &subject.compiled), &options, &|own| {
            own.strictness = Duration::ZERO;
        })
    });
    let (stock, mut report) = (judged.stock, judged.report);
    row.injected = judged.prophecies != Prophecies::Inferred;
    row.seconds = begin.elapsed().as_secs_f64();
    let open = report.open().count();
    row.obligations = Some((report.obligations.len() - open, report.obligations.len()));
    row.mode = report.floats().0.name();
    let counterexample = match &report.verdict {
        Verdict::Refuted(counterexample) => Some(counterexample.clone()),
        Verdict::Proved | Verdict::Unknown(_) => None,
    };
    let replay = stock::bear_out(&stock, &mut report, None).expect("it has a folder");
    match (&report.verdict, replay) {
        (Verdict::Proved, _) => {
            row.verdict = "proved";
            confirm(&stock, &mut row);
        }
        (Verdict::Unknown(reason), _) => {
            row.verdict = "unknown";
            row.remark = reason.words.chars().take(REASON).collect();
        }
        (Verdict::Refuted(_), replay) => {
            row.verdict = "refuted";
            row.wrong_code = matches!(replay, Some(Replay::Wrong { .. }));
            row.remark = replay.map_or_else(String::new, |replay| format!("{replay:?}"));
            row.pass = counterexample.and_then(|counterexample| {
                let dump = stock.dump.as_ref()?;
                let steps = stock::passes(&stock, dump, &counterexample).ok()?;
                steps.into_iter().find(|step| step.outcome == Outcome::Wrong).map(|step| step.pass)
            });
        }
    }
    row
}

/// Runs the code of a proved pipeline.
fn confirm(stock: &Stock, row: &mut Row) {
    match stock::confirm(stock, 1, CASES) {
        Ok(confirmed) => {
            row.wrong_code = confirmed.wrong.is_some();
            row.remark = match confirmed.wrong {
                Some(replay) => format!("the compiled code is wrong: {replay:?}"),
                None => format!("the compiled code agrees in {} runs", confirmed.runs),
            };
            row.runs = Some(confirmed.runs);
            if let Some(least) =
                confirmed.least.filter(|least| least.iter().any(|it| !it.is_empty()))
            {
                let sides = |window: &Shape| {
                    let sides = window.iter().map(|(_, extent)| extent.to_string());
                    sides.collect::<Vec<_>>().join("x")
                };
                let windows: Vec<String> = least.iter().map(sides).collect();
                row.remark = format!("{}, from {} on", row.remark, windows.join(", "));
            }
        }
        Err(words) => row.remark = format!("the compiled code is not run: {words}"),
    }
}

/// Prints rows as a table, with a line of sums.
pub(crate) fn print(title: &str, rows: &[Row]) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(8);
    println!("\n{title}");
    println!(
        "{:<width$}  {:<14} {:>11}  {:<6} {:>6}  remark",
        "pipeline", "verdict", "obligations", "floats", "s"
    );
    for row in rows {
        let obligations =
            row.obligations.map_or_else(String::new, |(closed, all)| format!("{closed}/{all}"));
        println!(
            "{:<width$}  {:<14} {obligations:>11}  {:<6} {:>6.1}  {}{}",
            row.name,
            row.verdict,
            row.mode,
            row.seconds,
            row.remark,
            row.pass.as_ref().map_or_else(String::new, |pass| format!("; wrong after `{pass}`")),
        );
        if row.injected {
            println!("{:<width$}  with injected annotations", "");
        }
    }
    let count = |verdict: &str| rows.iter().filter(|row| row.verdict == verdict).count();
    println!(
        "{} pipelines: {} proved, {} refuted, {} unknown",
        rows.len(),
        count("proved"),
        count("refuted"),
        count("unknown")
    );
}
