//! The literal evaluator of the paper's calculus as a judge. Its report has the form of the
//! validator's.

use halidom_ir::{Algorithm, Pool};
use halidom_reference::{Options, Premise, Report as Evaluation, Verdict as Outcome, evaluate};
use halidom_validate::{
    About, Asked, Assumption, BUFFERS_APART, Kind, Method, Obligation, Report, Runs, Status,
    Verdict,
};

use halidom_verdict::{Cause, Claim, Condition, Reason};

use crate::compile::Compiled;

/// The condition that the paper leaves to another check (its section 7.2).
pub const NO_OVERFLOW: &str =
    "index arithmetic stays within 64 bits: the reference engine takes integers as unbounded";

/// [`NO_OVERFLOW`] as a condition.
pub const INTEGERS_UNBOUNDED: Condition = Condition::standard(
    "integers-unbounded",
    NO_OVERFLOW,
    "docs/validator.md#tvs-rules-and-what-stands-for-them",
);

/// Judges a compiled program by the rules of the paper.
pub fn judge(pool: &Pool, algorithm: &Algorithm, compiled: &Compiled, options: &Options) -> Report {
    if !compiled.steps.is_empty() {
        let reason =
            "the schedule rewrites the algorithm, of which the reference engine knows nothing";
        let obligation =
            obligation(Premise::Form, "program", Status::Open(Reason::new(Cause::Form, reason)));
        return report(Verdict::Unknown(Reason::new(Cause::Form, reason)), vec![obligation]);
    }
    let mut pool = pool.clone();
    let evaluation = evaluate(&mut pool, algorithm, &compiled.program, options);
    let Evaluation { verdict, shown, open, asked, disagreements, not_kept, time } = evaluation;
    let mut obligations: Vec<Obligation> = shown
        .into_iter()
        .map(|shown| Obligation {
            stmt: shown.stmt,
            ..obligation(shown.premise, &shown.place, Status::Closed(Method::Sets))
        })
        .collect();
    let verdict = match verdict {
        Outcome::Proved => Verdict::Proved,
        Outcome::Unknown(reason) => {
            obligations.extend(open.map(|open| Obligation {
                stmt: open.stmt,
                ..obligation(
                    open.premise,
                    &open.place,
                    Status::Open(Reason::new(Cause::Solver, reason.as_str())),
                )
            }));
            Verdict::Unknown(Reason::new(Cause::Solver, reason))
        }
    };
    let solver = Asked {
        queries: asked.queries,
        cached: asked.cached,
        confirmed: asked.confirmed,
        unconfirmed: asked.unconfirmed,
        disagreements,
        not_kept,
    };
    Report { solver, time, ..report(verdict, obligations) }
}

fn obligation(premise: Premise, place: &str, status: Status) -> Obligation {
    let kind = match premise {
        Premise::Layout => Kind::Location,
        Premise::Bounds => Kind::Bounds,
        Premise::Prophecy => Kind::Claim,
        Premise::Defined => Kind::Definedness,
        Premise::Constraint => Kind::Value,
        Premise::Disjoint => Kind::Race,
        Premise::Output => Kind::Output,
        Premise::Entry => Kind::Assumption,
        Premise::Form => Kind::Form,
    };
    Obligation { kind, stmt: None, place: place.to_owned(), status }
}

fn report(verdict: Verdict, obligations: Vec<Obligation>) -> Report {
    Report {
        verdict,
        claim: Claim::Program,
        conditions: vec![BUFFERS_APART, INTEGERS_UNBOUNDED],
        obligations,
        assumptions: vec![
            Assumption {
                words: "the entry checks hold, as far as they are affine".to_owned(),
                about: About::Sizes,
            },
            Assumption::duty(&BUFFERS_APART.words),
        ],
        trusted_steps: vec![NO_OVERFLOW.to_owned()],
        sizes: "all that pass the entry checks".to_owned(),
        notes: Vec::new(),
        below: vec!["isl", "the solver", "the C printer", "the C compiler", "the runtime"],
        dead: Vec::new(),
        suggestions: Vec::new(),
        runs: Runs::default(),
        too_strict: Vec::new(),
        solver: Asked::default(),
        effort: std::collections::BTreeMap::new(),
        time: std::time::Duration::ZERO,
    }
}
