//! A verdict as a JSON object.

use halidom_driver::contrast::{Contrast, contrasts};
use halidom_driver::layout::{Layout, Store};
use halidom_driver::subject::{Line, Subject};
use halidom_ir::{Array, Constant, print};
use halidom_validate::{
    Axiom, Axioms, Counterexample, Obligation, Report, Site, Status as Closed, TooStrict, Verdict,
};
use serde_json::{Map, Value, json};

use super::show;

/// Converts a verdict to the keys of a JSON object.
pub(crate) fn object(subject: &Subject, report: &Report) -> Map<String, Value> {
    object_of(subject, &Layout::new(subject, report), report)
}

/// The same as [`object`], for a known layout.
pub(crate) fn object_of(subject: &Subject, layout: &Layout, report: &Report) -> Map<String, Value> {
    let total = report.obligations.len();
    let open = report.open().count();
    let verdict = report.answer();
    let kinds: Map<String, Value> = report
        .counts()
        .into_iter()
        .map(|(kind, (total, closed))| {
            (kind.name().to_owned(), json!({"total": total, "proved": closed}))
        })
        .collect();
    let obligations = |numbers: &[usize]| -> Vec<Value> {
        numbers.iter().map(|number| obligation(&report.obligations[*number])).collect()
    };
    let stores: Vec<Value> = (1..)
        .zip(&layout.stores)
        .map(|(number, found)| {
            store((subject, layout), number, found, obligations(&found.obligations))
        })
        .collect();
    let asked = &report.solver;
    let mut object = verdict.json();
    let mut set = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
    set("pipeline", subject.pipeline.as_str().into());
    set("schedule", subject.schedule.as_str().into());
    set(
        "obligations",
        json!({
            "total": total,
            "proved": total - open,
            "refuted": 0,
            "unknown": open,
            "trusted": report.trusted_steps.len(),
            "kinds": kinds,
        }),
    );
    set("open", report.open().map(obligation).collect());
    set("stores", stores.into());
    set("others", obligations(&layout.others).into());
    if verdict.is_proved() {
        let (floats, axioms) = report.floats();
        set("floats", floats.name().into());
        set("axioms", axioms.iter().map(law).collect());
    }
    set("assumptions", report.assumptions.iter().map(|found| found.words.as_str()).collect());
    set("too_strict", report.too_strict.iter().map(strict).collect());
    set("trusted_steps", json!(report.trusted_steps));
    set("notes", json!(report.notes));
    set("sizes", report.sizes.as_str().into());
    set("below", json!(report.below));
    set("seconds", report.time.as_secs_f64().into());
    set("queries", asked.queries.into());
    let effort = report.effort.iter().map(|(purpose, (questions, time))| {
        let spent = json!({"questions": questions, "seconds": time.as_secs_f64()});
        (purpose.clone(), spent)
    });
    set("effort", effort.collect::<Map<String, Value>>().into());
    set(
        "solver",
        json!({
            "queries": asked.queries,
            "cached": asked.cached,
            "confirmed": asked.confirmed,
            "unconfirmed": asked.unconfirmed,
            "disagreements": asked.disagreements,
        }),
    );
    if let Verdict::Refuted(counterexample) = &report.verdict {
        if let Some(site) = &counterexample.site {
            set("place", show::place(layout, site).into());
            set("site", self::site(subject, layout, site));
        }
        set("counterexample", counterexample_object(subject, counterexample));
    }
    object
}

/// An axiom with its law.
fn law(axiom: Axiom) -> Value {
    json!({"name": axiom.name(), "law": axiom.law()})
}

fn names(axioms: Axioms) -> Vec<&'static str> {
    axioms.iter().map(Axiom::name).collect()
}

fn obligation(obligation: &Obligation) -> Value {
    let mut value = json!({"kind": obligation.kind.name(), "place": obligation.place});
    match &obligation.status {
        Closed::Closed(method) => {
            value["status"] = "proved".into();
            value["method"] = method.name().into();
            if method.axioms() != Axioms::NONE {
                value["axioms"] = json!(names(method.axioms()));
            }
        }
        Closed::Open(reason) => {
            value["status"] = "unknown".into();
            value["reason"] = reason.words.as_str().into();
            value["code"] = reason.cause.code().into();
        }
    }
    value
}

fn store(
    (subject, layout): (&Subject, &Layout),
    number: usize,
    store: &Store,
    obligations: Vec<Value>,
) -> Value {
    let mut value = json!({
        "store": number,
        "line": store.line,
        "text": store.text,
        "status": store.standing.name(),
        "floats": store.floats.0.name(),
        "axioms": names(store.floats.1),
    });
    if let Some((func, stage)) = store.instance {
        value["func"] = subject.pool.func(func).name.as_str().into();
        value["stage"] = stage.into();
        if let Some(found) = layout.definition(subject, func, stage) {
            value["algorithm"] = line(&found);
        }
    }
    value["obligations"] = obligations.into();
    value
}

fn line(line: &Line) -> Value {
    json!({"file": line.file, "line": line.number, "text": line.text})
}

/// The place in the program where a refuting run goes wrong.
fn site(subject: &Subject, layout: &Layout, site: &Site) -> Value {
    let ir_line = layout.line(site.stmt);
    let loops: Map<String, Value> =
        site.loops.iter().map(|(name, value)| (name.clone(), integer(*value))).collect();
    let mut value = json!({
        "fault": site.fault,
        "line": ir_line,
        "text": ir_line.map(|line| layout.text(line)),
        "loops": loops,
        "expected": site.expected,
        "got": site.got,
    });
    if let Some(instance) = &site.instance {
        value["func"] = subject.pool.func(instance.func).name.as_str().into();
        value["stage"] = instance.stage.into();
        value["coordinates"] = json!(instance.coords);
        value["point"] = json!(instance.point);
        if let Some(found) = layout.definition(subject, instance.func, instance.stage) {
            value["algorithm"] = line(&found);
        }
    }
    value
}

fn strict(strict: &TooStrict) -> Value {
    let sizes: Map<String, Value> =
        strict.sizes.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    json!({"check": strict.check, "refuses": sizes})
}

/// The elements of an array, the first dimension fastest.
fn values(array: &Array) -> Vec<Value> {
    array.points().filter_map(|point| array.get(&point)).map(number).collect()
}

/// An output as the algorithm defines it and as the program computes it.
fn contrast(Contrast { name, expected, got }: &Contrast) -> Value {
    json!({
        "output": name,
        "type": expected.scalar.name(),
        "shape": expected.shape,
        "expected": values(expected),
        "got": values(got),
    })
}

fn counterexample_object(subject: &Subject, counterexample: &Counterexample) -> Value {
    let mut object = run_object(counterexample);
    let outputs = contrasts(subject, counterexample);
    object.insert("outputs".to_owned(), outputs.iter().map(contrast).collect());
    Value::Object(object)
}

/// A run with a wrong result.
pub(super) fn run_object(counterexample: &Counterexample) -> Map<String, Value> {
    let array = |array: &Array| {
        let (ty, shape) = (array.scalar.name(), &array.shape);
        json!({"type": ty, "shape": shape, "values": values(array)})
    };
    let parameters: Map<String, Value> = counterexample
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), number(*value)))
        .collect();
    let inputs: Map<String, Value> =
        counterexample.inputs.iter().map(|(name, value)| (name.clone(), array(value))).collect();
    let windows: Map<String, Value> =
        counterexample.windows.iter().map(|(name, window)| (name.clone(), json!(window))).collect();
    let members = [
        ("parameters", json!(parameters)),
        ("inputs", json!(inputs)),
        ("windows", json!(windows)),
        ("output", json!(counterexample.output)),
        ("coordinates", json!(counterexample.coords)),
        ("expected", json!(counterexample.expected)),
        ("got", json!(counterexample.got)),
        ("replayed", json!(true)),
    ];
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A JSON number if the value has one, otherwise text.
fn number(value: Constant) -> Value {
    if let Some(float) = value.as_f64().or(value.as_f32().map(f64::from)) {
        return if float.is_finite() { json!(float) } else { json!(print::constant(value)) };
    }
    value.as_integer().map_or_else(|| json!(print::constant(value)), integer)
}

fn integer(value: i128) -> Value {
    i64::try_from(value).map_or_else(|_| json!(value.to_string()), |value| json!(value))
}
