//! `halidom explain`.

use halidom_driver::explain::{Explanation, explain};
use halidom_driver::judge;
use halidom_driver::layout::{Layout, Standing, Store, is_closed};
use halidom_driver::subject::Subject;
use halidom_validate::{Report, Status as Closed};
use halidom_verdict::{Cause, Claim, Verdict};
use serde_json::{Value, json};

use super::subjects::{self, Wanted};
use super::{compiled, ended, solving, validate};
use crate::args::ExplainArgs;
use crate::output::{Ended, Output, Stop};

pub(crate) fn run(args: &ExplainArgs, output: &mut Output<'_>) -> Ended {
    ended(show(args, output))
}

fn show(args: &ExplainArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let mut options = solving::options(&args.solving, output)?;
    let budget = solving::seconds(args.budget, output)?;
    let subject = match subjects::wanted(&args.given, output)? {
        Wanted::Choice(choice) => compiled(&choice, output)?,
        Wanted::Stock(request) => {
            options = options.of_stock();
            subjects::stock(&request, output)?.subject
        }
    };
    let report = judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
    validate::faults(&report, output)?;
    let layout = Layout::new(&subject, &report);
    let count = layout.stores.len();
    let Some(store) = args.store.checked_sub(1).filter(|store| *store < count) else {
        return Err(output.error(
            "HAL0912",
            &format!("{} has no store {}", subject.title(), args.store),
            &format!("it has {count}, numbered from 1: `halidom validate --verbose` lists them"),
        ));
    };
    let explanation = explain(&subject, (&report, &layout), store, &options, budget);
    solving::keep(&args.solving, &options, output)?;
    // The root object describes the store.
    output.set("program", validate::object(&subject, &report));
    output.set("store", args.store);
    print(&subject, &report, &layout, store, &explanation, output);
    Ok(Ended::Judged(of_store(&report, &layout.stores[store])))
}

/// The verdict on a store.
fn of_store(report: &Report, store: &Store) -> Verdict {
    match store.standing {
        Standing::Refuted => report.answer(),
        Standing::Unknown if store.obligations.is_empty() => {
            Verdict::unknown(Cause::Part, "the validator did not come to this store")
        }
        Standing::Proved | Standing::Dead | Standing::Unknown => {
            report.answer_of(Claim::Store, store.obligations.iter().copied())
        }
    }
}

fn print(
    subject: &Subject,
    report: &Report,
    layout: &Layout,
    number: usize,
    explanation: &Explanation,
    output: &mut Output<'_>,
) {
    let store = &layout.stores[number];
    output.line(&format!(
        "{}: store {} ({}): {}",
        subject.title(),
        number + 1,
        store.name(subject),
        store.describe()
    ));
    output.line(&format!("line {} of the final IR: {}", store.line, store.text));
    let definition =
        store.instance.and_then(|(func, stage)| layout.definition(subject, func, stage));
    if let Some(line) = definition {
        output.line(&format!("algorithm, {}:{}: {}", line.file, line.number, line.text));
    }
    output.line("what matters of the program:");
    for line in explanation.slice.lines() {
        output.line(&format!("    {line}"));
    }
    if explanation.left_out > 0 {
        let count = explanation.left_out;
        output.line(&format!("    and {count} more stores of what it reads"));
    }
    output.line("what was to be shown of it:");
    for obligation in store.obligations.iter().map(|index| &report.obligations[*index]) {
        let (kind, place) = (obligation.kind.name(), &obligation.place);
        match &obligation.status {
            Closed::Closed(method) => {
                output.line(&format!("    {kind}: proved ({method})"));
            }
            Closed::Open(reason) => {
                output.line(&format!("    {kind}: open at {place}"));
                output.line(&format!(
                    "      tried: normal forms, what the place decides, the solver: {reason}"
                ));
            }
        }
    }
    let survived = &explanation.survived;
    match &survived.wrong {
        Some(wrong) => output.line(&format!("runs aimed at it: it goes wrong: {wrong}")),
        None => {
            let compared = if survived.compared {
                ", each value compared with the algorithm's"
            } else {
                "; its values were not compared, as updates that commute pass through others than \
                    the algorithm"
            };
            output.line(&format!(
                "runs aimed at it: it survived {} runs, executed {} times{compared}",
                survived.runs, survived.executions
            ));
        }
    }
    let obligations = store.obligations.iter().map(|index| &report.obligations[*index]);
    let open = obligations.filter(|obligation| !is_closed(obligation)).count();
    show_help(explanation, open, output);
    output.set(
        "explanation",
        json!({
            "slice": explanation.slice,
            "survived": {
                "runs": survived.runs,
                "executions": survived.executions,
                "compared": survived.compared,
                "wrong": survived.wrong,
            },
            "trials": explanation
                .trials
                .iter()
                .map(|trial| json!({"change": trial.change, "open": trial.open}))
                .collect::<Vec<Value>>(),
            "advice": explanation.advice,
        }),
    );
}

fn show_help(explanation: &Explanation, open: usize, output: &mut Output<'_>) {
    if open == 0 {
        return;
    }
    let (helps, others): (Vec<_>, Vec<_>) =
        explanation.trials.iter().partition(|trial| trial.open < open);
    if helps.is_empty() && explanation.advice.is_empty() {
        output.line("what would help: nothing of what was tried");
    } else {
        output.line("what would help:");
    }
    for trial in helps {
        let outcome = match trial.open {
            0 => "closes all of it".to_owned(),
            rest => format!("leaves {rest} of {open} open"),
        };
        output.line(&format!("    {}: {outcome}", trial.change));
    }
    for advice in &explanation.advice {
        output.line(&format!("    perhaps: {advice}"));
    }
    for trial in others {
        output.line(&format!("    no help: {}", trial.change));
    }
}
