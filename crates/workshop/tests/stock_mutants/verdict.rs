//! Judgement of a statement with a short time limit.

use std::time::Duration;

use halidom_driver::judge::{self, Options};
use halidom_driver::stock::{self, Annotations, Stock};
use halidom_validate::Search;

use crate::result::Verdict;

/// The result for a statement.
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// The reason why it is not proved.
    pub(crate) reason: String,
}

/// The prefix of reasons for mutants whose own code was run.
pub(crate) const REPLAYED: &str = "replayed: ";

/// The limit of solver queries for a statement; a small one needs fewer.
const MOST_QUESTIONS: u64 = 400;

/// The time limit for a solver query.
const TIMEOUT: Duration = Duration::from_secs(4);

/// The effort for a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The statement is not known to be wrong: the search is short.
    Little,
    /// Search for a run that refutes it.
    Search,
    /// Search for a run that refutes it, and run the code compiled from the statement on it too.
    Replay,
}

/// Judges a statement.
pub(crate) fn judge(stock: &Stock, effort: Effort) -> Judged {
    let options = Options::find().expect("a solver is installed").of_stock();
    let judged = stock::judged(stock, Annotations::Never, &mut |subject| {
        let (pool, judged) = (&subject.pool, (&subject.algorithm, &subject.compiled));
        judge::judge_within(pool, judged, &options, &|own| {
            own.asking.timeout = TIMEOUT;
            // One open obligation suffices to prevent a proof.
            own.budget.open = Some(1);
            own.budget.questions = Some(MOST_QUESTIONS);
            own.strictness = Duration::ZERO;
            own.search = if effort != Effort::Little {
                let time = Duration::from_secs(2);
                Search { trials: 120, time, ..Search::default() }
            } else {
                let time = Duration::from_millis(200);
                Search { trials: 10, time, ..Search::default() }
            };
        })
    });
    let (stock, mut report) = (judged.stock, judged.report);
    let mut code = "by a run of the statement".to_owned();
    if effort == Effort::Replay {
        let replay = stock::bear_out(&stock, &mut report, None).expect("it has a folder");
        code = replay.map_or(code, |replay| format!("{REPLAYED}{replay:?}"));
    }
    match report.verdict {
        halidom_validate::Verdict::Proved => {
            Judged { verdict: Verdict::Proved, reason: String::new() }
        }
        // The run saves the verdict, but the obligations are wrong.
        halidom_validate::Verdict::Refuted(_) if report.is_closed() => Judged {
            verdict: Verdict::Proved,
            reason: "every obligation is closed, though a run refutes it".to_owned(),
        },
        halidom_validate::Verdict::Refuted(_) => Judged { verdict: Verdict::Refuted, reason: code },
        halidom_validate::Verdict::Unknown(reason) => {
            let replayed = if code.starts_with(REPLAYED) { REPLAYED } else { "" };
            Judged { verdict: Verdict::Unknown, reason: format!("{replayed}{reason}") }
        }
    }
}
