//! The judgement of the subjects of `halidom validate`.

use std::thread;
use std::time::Instant;

use halidom_driver::baseline::Baseline;
use halidom_driver::judge::{self, Options};
use halidom_driver::layout::Layout;
use halidom_driver::stock::{self, Replay, Stock};
use halidom_driver::subject::Subject;
use halidom_driver::turns::{Queue, Turns};
use halidom_validate::{Counterexample, Report, Verdict as Outcome};
use halidom_verdict::{Record, Verdict};

use super::show::counterexample;
use super::{annotated, baseline, replay, show};
use crate::args::{Choice, ValidateArgs};
use crate::commands::{subjects, write};
use crate::output::{Output, Stop};

/// A subject with its verdict.
pub(super) struct Judged {
    pub(super) key: String,
    pub(super) subject: Subject,
    pub(super) report: Report,
    pub(super) layout: Layout,
    pub(super) verdict: Verdict,
    /// The verdict that decides the exit status; `None` if the baseline accepts it.
    pub(super) left: Option<Verdict>,
    /// The verdict that the baseline records, if any.
    pub(super) recorded: Option<Record>,
}

impl Judged {
    /// True if the command does not fail because of this subject.
    pub(super) fn is_accepted(&self) -> bool {
        self.left.as_ref().is_none_or(Verdict::is_proved)
    }
}

/// The setting in which subjects are judged.
pub(super) struct Judging<'a> {
    pub(super) args: &'a ValidateArgs,
    pub(super) options: Options,
    pub(super) baseline: Option<Baseline>,
    /// The time at which the command began.
    pub(super) begin: Instant,
}

impl Judging<'_> {
    /// Judges a file's subjects, as many at a time as there are processors (at most four), and
    /// prints the verdicts in the order of the file. Returns the kind of the subjects.
    pub(super) fn all_judged(
        &self,
        choice: &Choice,
        all: &mut Vec<Judged>,
        output: &mut Output<'_>,
    ) -> Result<&'static str, Stop> {
        let turns = Turns::new();
        thread::scope(|scope| {
            let mut queue: Queue<'_, '_, (String, Subject, Report)> = Queue::new(scope, &turns);
            let mut end = |(key, subject, report): (String, Subject, Report),
                           output: &mut Output<'_>| {
                output.line(&format!("{}:", subject.title()));
                all.push(self.shown(&key, subject, (None, report), output)?);
                Ok(())
            };
            let kind = subjects::for_each(choice, output, &mut |key, subject, _, output| {
                if let Some(first) = queue.first_if_full() {
                    end(first, output)?;
                }
                let key = key.to_owned();
                queue.push(move || {
                    let begin = Instant::now();
                    let mut report = self.judge(&key, &subject);
                    report.time = begin.elapsed();
                    (key, subject, report)
                });
                Ok(())
            });
            // Verdicts are printed even if a later subject is rejected.
            for judged in queue.rest() {
                end(judged, output)?;
            }
            kind
        })
    }

    /// Judges stock Halide's compile and prints the verdict. The subject that the verdict is about
    /// may have annotations.
    pub(super) fn stock_judged(
        &self,
        stock: &Stock,
        key: &str,
        output: &mut Output<'_>,
    ) -> Result<Judged, Stop> {
        output.line(&format!("{}:", stock.subject.title()));
        let wanted = annotated::wanted(self.args.annotations);
        let judged = stock::judged(stock, wanted, &mut |subject| self.judge(key, subject));
        annotated::show(&judged, output);
        let subject = judged.stock.subject.clone();
        self.shown(key, subject, (Some(judged.stock), judged.report), output)
    }

    /// Prints the verdict of a subject.
    fn shown(
        &self,
        key: &str,
        subject: Subject,
        (stock, mut report): (Option<Stock>, Report),
        output: &mut Output<'_>,
    ) -> Result<Judged, Stop> {
        let refutation = match &report.verdict {
            Outcome::Refuted(found) => Some(found.clone()),
            Outcome::Proved | Outcome::Unknown(_) => None,
        };
        let replayed = match &stock {
            Some(stock) if !self.args.no_replay => {
                stock::bear_out(stock, &mut report, self.args.replay.as_deref())
                    .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?
            }
            Some(_) | None => None,
        };
        let tried = match &stock {
            Some(stock) if !self.args.no_replay => stock::try_out(stock, &mut report),
            Some(_) | None => None,
        };
        if stock.is_some() {
            // The printed time is the time of the wait, with the compiles of stock Halide.
            report.time = self.begin.elapsed();
        }
        let layout = Layout::new(&subject, &report);
        if let Some(path) = &self.args.write_program {
            write(path, layout.listing.text.as_bytes(), output)?;
        }
        show::show(&subject, &layout, &report, output);
        show::show_stores(&subject, &layout, &report, output);
        show_replay(
            (&subject, &layout, &report),
            refutation.as_deref(),
            stock.as_ref().zip(replayed.as_ref()),
            output,
        );
        if let Some(tried) = &tried {
            replay::show_tried(tried, &report, output);
        }
        faults(&report, output)?;
        let verdict = report.answer();
        let baseline = self.baseline.as_ref();
        let recorded = baseline.and_then(|baseline| baseline.verdict(&subject)).cloned();
        let left = match baseline {
            Some(_) => baseline::compared(&verdict, recorded.as_ref(), output),
            None => Some(verdict.clone()),
        };
        let key = key.to_owned();
        Ok(Judged { key, subject, report, layout, verdict, left, recorded })
    }

    /// Judges a subject.
    fn judge(&self, key: &str, subject: &Subject) -> Report {
        let folder = self.args.emit_smt.as_ref();
        let mut options = self.options.clone();
        options.asking.emit_smt = folder.map(|folder| folder.join(&subject.pipeline).join(key));
        judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
    }
}

/// Prints what Halide's compiled code did on the inputs of a refutation. A refutation that it does
/// not confirm helps to maintain the translation.
fn show_replay(
    (subject, layout, report): (&Subject, &Layout, &Report),
    refutation: Option<&Counterexample>,
    replayed: Option<(&Stock, &Replay)>,
    output: &mut Output<'_>,
) {
    if let (Some(found), Outcome::Unknown(_)) = (refutation, &report.verdict) {
        for line in counterexample(subject, layout, found) {
            output.detail(&format!("  not borne out: {line}"));
        }
    }
    if let Some((stock, replay)) = replayed {
        replay::show(stock, replay, report, output);
    }
}

/// Reports loudly anything that makes every verdict of the run doubtful.
pub(crate) fn faults(report: &Report, output: &mut Output<'_>) -> Result<(), Stop> {
    if let Some(reason) = &report.solver.not_kept {
        let message = format!("cannot keep the questions to the solver: {reason}");
        return Err(output.error("HAL0805", &message, "check the folder of `--emit-smt`"));
    }
    if report.solver.disagreements.is_empty() {
        return Ok(());
    }
    let mut purposes: Vec<&str> = report.solver.disagreements.iter().map(String::as_str).collect();
    purposes.sort_unstable();
    purposes.dedup();
    let message = format!(
        "the solvers disagree: the first refutes what the second has a model of ({})",
        purposes.join(", ")
    );
    let hint = "one of them is wrong: keep the questions with `--emit-smt DIR` and report them to \
        the solvers' authors";
    output.error("HAL0907", &message, hint);
    Err(Stop::Disagreement)
}
