//! Answers of the processes, for the page.

use std::path::Path;

use halidom_driver::process::Ended;
use halidom_verdict::{Answer, NoVerdict, object};
use serde_json::{Map, Value, json};

/// The keys of a judgement that the page shows.
const SHOWN: [&str; 9] = [
    "statement",
    "conditions",
    "causes",
    "hint",
    "obligations",
    "open",
    "site",
    "counterexample",
    "seconds",
];

/// The reason why an answer without the parts that its job gives is no result.
const UNREADABLE: &str = "the answer cannot be read: it was printed by another version";

/// The end of a job that a person or an edit ended.
pub(crate) fn cancelled() -> Value {
    json!({"word": "cancelled", "statement": "cancelled"})
}

/// The end of a job without a result.
pub(crate) fn failed(reason: impl Into<String>) -> Value {
    json!({"word": "failed", "statement": reason.into()})
}

/// Reads what `validate --json` printed. It has to be about the chosen pipeline and schedule.
pub(crate) fn proof(ended: &Ended, folder: &Path, choice: Option<&(String, String)>) -> Value {
    let named = choice.map(|(pipeline, schedule)| (pipeline.as_str(), schedule.as_str()));
    let judged = match Answer::read(&ended.printed, ended.exit, named) {
        Ok(judged) => judged,
        Err(NoVerdict::Refused(object)) => return failed(said(&object, folder)),
        Err(NoVerdict::Broken(reason)) => return failed(reason),
    };
    let mut answer = Map::new();
    answer.insert("word".to_owned(), judged.word().name().into());
    for key in SHOWN {
        if let Some(value) = judged.object().get(key) {
            answer.insert(key.to_owned(), value.clone());
        }
    }
    let stores = judged.object().get("stores").and_then(Value::as_array);
    let stores: Option<Vec<Value>> = stores.into_iter().flatten().map(store).collect();
    let Some(stores) = stores else { return failed(UNREADABLE) };
    answer.insert("stores".to_owned(), stores.into());
    answer.insert("diagnostics".to_owned(), said(judged.object(), folder).into());
    Value::Object(answer)
}

/// A store with the number of its obligations instead of these.
fn store(store: &Value) -> Option<Value> {
    let mut short = store.as_object()?.clone();
    let obligations = short.remove("obligations")?;
    let all = obligations.as_array()?;
    let open = all.iter().filter(|one| one["status"] != "proved").count();
    short.insert("total".to_owned(), all.len().into());
    short.insert("open".to_owned(), open.into());
    Some(Value::Object(short))
}

/// Reads what `bench --json` printed about an output of this size.
pub(crate) fn times(ended: &Ended, folder: &Path, size: &str) -> Value {
    let object = match object(&ended.printed, ended.exit, "bench") {
        Ok(object) => object,
        Err(reason) => return failed(reason),
    };
    if ended.exit != Some(0) {
        return failed(said(&object, folder));
    }
    let rows = object.get("rows").and_then(Value::as_array).filter(|rows| !rows.is_empty());
    let rows: Option<Vec<Value>> =
        rows.and_then(|rows| rows.iter().map(|row| timed(row, size)).collect());
    match rows {
        Some(rows) => json!({"word": "timed", "statement": "", "rows": rows, "size": size}),
        None => failed(UNREADABLE),
    }
}

/// Reads what `tune --explain --json` printed about one schedule.
pub(crate) fn explained(ended: &Ended, folder: &Path) -> Value {
    let object = match object(&ended.printed, ended.exit, "tune") {
        Ok(object) => object,
        Err(reason) => return failed(reason),
    };
    if ended.exit != Some(0) {
        return failed(said(&object, folder));
    }
    let only = object.get("schedules").and_then(Value::as_array).and_then(|all| match &all[..] {
        [only] => Some(only),
        _ => None,
    });
    let lines = |only: &Value| only.get("lines").filter(|lines| lines.is_array()).cloned();
    let read = only.and_then(|only| Some((only.get("parts")?.as_array()?, lines(only)?)));
    match read {
        Some((parts, lines)) => {
            json!({"word": "explained", "statement": "", "parts": parts, "lines": lines})
        }
        None => failed(UNREADABLE),
    }
}

/// A row of a measurement, with the nanoseconds for each element of the output.
fn timed(row: &Value, size: &str) -> Option<Value> {
    // Without a size, the output is one element.
    let extents = size.split('x').filter(|extent| !extent.is_empty());
    let elements: Option<Vec<f64>> = extents.map(|extent| extent.parse().ok()).collect();
    let each = row.get("milliseconds")?.as_f64()? * 1e6 / elements?.iter().product::<f64>();
    let limit = row.get("ratio_to_limit").and_then(Value::as_f64).filter(|ratio| *ratio > 0.0);
    Some(json!({
        "threads": row.get("threads")?,
        "milliseconds": row.get("milliseconds")?,
        "each": each,
        "limit": limit.map(|ratio| each / ratio),
        "rounds": row.get("rounds")?,
    }))
}

/// The messages of the diagnostics, without the folder of the handed text.
fn said(object: &Map<String, Value>, folder: &Path) -> String {
    let all = object.get("diagnostics").and_then(Value::as_array);
    let lines = all.into_iter().flatten().filter_map(|diagnostic| {
        let message = diagnostic.get("message")?.as_str()?;
        let hint = diagnostic.get("hint").and_then(Value::as_str);
        Some(hint.map_or_else(|| message.to_owned(), |hint| format!("{message}; {hint}")))
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n").replace(&format!("{}/", folder.display()), "")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use halidom_driver::process::Ended;
    use serde_json::{Value, json};

    use super::{explained, proof, times};

    fn ended(exit: i32, object: &Value) -> Ended {
        Ended { exit: Some(exit), printed: object.to_string() }
    }

    #[test]
    fn stores_are_counted() {
        let object = json!({
            "schema": "halidom-verdict-1", "job": "validate", "exit": 0,
            "verdict": "proved", "statement": "a sentence", "diagnostics": [],
            "pipeline": "p", "schedule": "s", "shown": 2, "conditions": [],
            "modes": {"floats": "bits", "axioms": []},
            "stores": [{"obligations": [{"status": "proved"}, {"status": "tested"}]}],
        });
        let choice = |schedule: &str| Some(("p".to_owned(), schedule.to_owned()));
        let folder = Path::new("folder");
        let answer = proof(&ended(0, &object), folder, choice("s").as_ref());
        assert_eq!((&answer["word"], &answer["stores"][0]["open"]), (&"proved".into(), &1.into()));
        let other = proof(&ended(0, &object), folder, choice("t").as_ref());
        assert_eq!(other["word"], "failed");
        assert_eq!(proof(&ended(1, &object), folder, choice("s").as_ref())["word"], "failed");
    }

    #[test]
    fn an_explanation_is_about_one_schedule() {
        let answer = |schedules: Value| {
            let mut object = json!({"schema": "halidom-verdict-1", "job": "tune", "exit": 0});
            object["schedules"] = schedules;
            explained(&ended(0, &object), Path::new("folder"))["word"].clone()
        };
        let one = json!({"schedule": "s", "parts": [], "lines": ["no estimate: reasons"]});
        assert_eq!(answer(json!([one])), "explained");
        for broken in [json!([]), json!([one, one]), json!([{"schedule": "s", "lines": []}])] {
            assert_eq!(answer(broken), "failed");
        }
    }

    #[test]
    fn a_row_without_a_time_is_no_measurement() {
        let row = json!({"threads": 2, "milliseconds": 3.0, "ratio_to_limit": 1.5, "rounds": 9});
        let object = |row: &Value| {
            let rows = [row];
            json!({"schema": "halidom-verdict-1", "job": "bench", "exit": 0, "rows": rows})
        };
        let answer = times(&ended(0, &object(&row)), Path::new("folder"), "10x100");
        assert_eq!(answer["rows"][0]["each"], 3000.0);
        for broken in [json!({"threads": 2, "rounds": 9}), json!(3)] {
            let answer = times(&ended(0, &object(&broken)), Path::new("folder"), "10x100");
            assert_eq!(answer["word"], "failed");
        }
    }
}
