//! The parts of the page that need no proof: the errors of a text, its schedules, and for the
//! chosen one the loop nest and the places where values are computed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use halidom_base::stack;
use halidom_diag::{Diagnostic, Severity, Sources};
use halidom_driver::source::{self, Choice, Loaded, schedule_names};
use halidom_driver::{inspect, subject};
use halidom_schedule::Place;
use serde_json::{Value, json};

/// A text, and the schedule that is chosen in it.
pub(crate) struct Wanted<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) is_ir: bool,
    pub(crate) pipeline: &'a str,
    pub(crate) schedule: &'a str,
}

/// Looks at a text. A panic is a defect, but does not end the server.
pub(crate) fn look(wanted: &Wanted<'_>) -> Value {
    let looked = catch_unwind(AssertUnwindSafe(|| {
        stack::whole(|| if wanted.is_ir { program(wanted) } else { pipelines(wanted) })
    }));
    looked.unwrap_or_else(|_| {
        json!({"diagnostics": [{
        "severity": "error",
        "code": "",
        "message": "the look at this text failed: this is a defect of Halidom",
        "hint": null,
    }], "pipelines": []})
    })
}

/// Looks at a program in text form, which has no schedules.
fn program(wanted: &Wanted<'_>) -> Value {
    match subject::program_text(wanted.name, wanted.text) {
        Ok(subject) => json!({
            "diagnostics": [],
            "pipelines": [{"name": subject.pipeline, "rank": 0, "schedules": []}],
        }),
        Err(refusal) => {
            let found = refusal.diagnostics.iter();
            let found: Vec<Value> = found.map(|one| report(&refusal.sources, one)).collect();
            json!({"diagnostics": found, "pipelines": []})
        }
    }
}

fn pipelines(wanted: &Wanted<'_>) -> Value {
    let mut loaded = source::parse(wanted.name, wanted.text);
    let mut found = loaded.module.diagnostics.clone();
    let mut pipelines = Vec::new();
    let mut chosen = json!(null);
    for pipeline in 0..loaded.module.pipelines.len() {
        let this = &loaded.module.pipelines[pipeline];
        let name = this.algorithm.name.clone();
        let pool = &loaded.module.pool;
        let rank = this.algorithm.outputs.first().map_or(0, |func| pool.func(*func).args.len());
        let names: Vec<String> = schedule_names(this).into_iter().map(str::to_owned).collect();
        let lines: Vec<usize> = std::iter::once(this.span)
            .chain(this.schedules.iter().map(|schedule| schedule.span))
            .map(|span| loaded.sources.position(span).line)
            .collect();
        let mut schedules = Vec::new();
        for (number, (schedule, line)) in names.iter().zip(lines).enumerate() {
            let choice = Choice { pipeline, schedule: number.checked_sub(1) };
            let is_chosen = name == wanted.pipeline && schedule == wanted.schedule;
            let refused = match described(&mut loaded, &choice, is_chosen) {
                Ok(None) => false,
                Ok(Some(description)) => {
                    chosen = description;
                    false
                }
                Err(refusals) => {
                    // An algorithm that cannot be lowered is refused under every schedule.
                    let new = refusals.into_iter().filter(|one| !found.contains(one));
                    let new: Vec<Diagnostic> = new.collect();
                    found.extend(new);
                    true
                }
            };
            schedules.push(json!({"name": schedule, "line": line, "refused": refused}));
        }
        pipelines.push(json!({"name": name, "rank": rank, "schedules": schedules}));
    }
    let found: Vec<Value> = found.iter().map(|one| report(&loaded.sources, one)).collect();
    json!({"diagnostics": found, "pipelines": pipelines, "chosen": chosen})
}

/// Applies a schedule. Returns its loops and places if it is the chosen one.
fn described(
    loaded: &mut Loaded,
    choice: &Choice,
    is_chosen: bool,
) -> Result<Option<Value>, Vec<Diagnostic>> {
    let description = inspect::describe(loaded, choice, false)?;
    if !is_chosen {
        return Ok(None);
    }
    let nest = inspect::inspect(loaded, choice, false)?.loop_nest;
    let pool = &loaded.module.pool;
    let words = |place: &Place| match place {
        Place::Inline => "inline".to_owned(),
        Place::Root => "at the root".to_owned(),
        Place::At { func, name } => format!("in {}, loop {name}", pool.func(*func).name),
    };
    let places = description.places.iter().map(|places| {
        let is_inline = places.compute == Place::Inline;
        json!({
            "func": pool.func(places.func).name,
            "compute": words(&places.compute),
            "store": if is_inline { "nowhere".to_owned() } else { words(&places.store) },
        })
    });
    Ok(Some(json!({"nest": nest, "places": places.collect::<Vec<_>>()})))
}

fn report(sources: &Sources, diagnostic: &Diagnostic) -> Value {
    let label = diagnostic.primary.as_ref().map_or("", |label| label.message.as_str());
    let message = match label {
        "" => diagnostic.message.clone(),
        label => format!("{}: {label}", diagnostic.message),
    };
    let mut value = json!({
        "severity": severity(diagnostic.severity),
        "code": diagnostic.code.0,
        "message": message,
        "hint": diagnostic.hint,
    });
    if let Some(span) = diagnostic.span() {
        let position = sources.position(span);
        value["line"] = position.line.into();
        value["column"] = position.column.into();
    }
    value
}

fn severity(severity: Severity) -> &'static str {
    severity.name()
}
