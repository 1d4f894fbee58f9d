//! What the validator says of a statement, with little time for each.

use std::fmt;
use std::time::Duration;

use halidom_driver::judge::{self, Options};
use halidom_driver::stock::{self, Annotations, Stock};
use halidom_validate::{Search, Verdict, validate_refined};

/// What came of a statement.
pub(crate) enum Outcome {
    /// It is not translated, for this reason.
    Refused(String),
    Proved,
    Refuted,
    Unknown(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |text: &str| text.chars().take(160).collect::<String>().replace('\n', " ");
        match self {
            Self::Refused(reason) => write!(to, "refused: {}", short(reason)),
            Self::Proved => write!(to, "PROVED"),
            Self::Refuted => write!(to, "refuted"),
            Self::Unknown(reason) => write!(to, "unknown: {}", short(reason)),
        }
    }
}

/// Judges it.
pub(crate) fn judge(stock: &Stock) -> Outcome {
    let options = Options::find().expect("a solver is installed").of_stock();
    let judged = stock::judged(stock, Annotations::Never, &mut |subject| {
        let mut own = options.validator();
        own.timeout = Duration::from_secs(4);
        own.budget.open = Some(1);
        own.strictness = Duration::ZERO;
        own.search = Search { trials: 40, time: Duration::from_millis(500), ..Search::default() };
        own.given =
            judge::at_borders(&subject.pool, (&subject.algorithm, &subject.compiled.program), 6);
        let (steps, program) = (&subject.compiled.steps, &subject.compiled.program);
        validate_refined(&mut subject.pool.clone(), &subject.algorithm, steps, program, &own)
    });
    match judged.report.verdict {
        Verdict::Proved => Outcome::Proved,
        Verdict::Refuted(_) => Outcome::Refuted,
        Verdict::Unknown(reason) => Outcome::Unknown(reason),
    }
}
