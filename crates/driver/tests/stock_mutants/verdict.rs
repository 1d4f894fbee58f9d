//! What the validator says of a statement, with little time for each.

use std::time::Duration;

use halidom_driver::judge::{self, Options};
use halidom_driver::stock::{self, Annotations, Stock};
use halidom_validate::Search;

use crate::result::Verdict;

/// What came of a statement.
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// Why it is not proved.
    pub(crate) reason: String,
}

/// Time for a question to the solver.
const TIMEOUT: Duration = Duration::from_secs(4);

/// Judges it. One that is not seen to be wrong is not searched for long.
pub(crate) fn judge(stock: &Stock, is_wrong: bool) -> Judged {
    let options = Options::find().expect("a solver is installed").of_stock();
    let judged = stock::judged(stock, Annotations::Never, &mut |subject| {
        let (pool, judged) = (&subject.pool, (&subject.algorithm, &subject.compiled));
        judge::judge_within(pool, judged, &options, &|own| {
            own.timeout = TIMEOUT;
            // What is open once is not proved.
            own.budget.open = Some(1);
            own.strictness = Duration::ZERO;
            own.search = if is_wrong {
                let time = Duration::from_secs(2);
                Search { trials: 120, time, ..Search::default() }
            } else {
                let time = Duration::from_millis(200);
                Search { trials: 10, time, ..Search::default() }
            };
        })
    });
    match judged.report.verdict {
        halidom_validate::Verdict::Proved => {
            Judged { verdict: Verdict::Proved, reason: String::new() }
        }
        halidom_validate::Verdict::Refuted(_) => {
            Judged { verdict: Verdict::Refuted, reason: String::new() }
        }
        halidom_validate::Verdict::Unknown(reason) => Judged { verdict: Verdict::Unknown, reason },
    }
}
