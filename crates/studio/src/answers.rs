//! Answers of the processes, for the page. One counts only if the process ended with the status
//! that its object names.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::process::Ended;

/// The keys of a judgement that the page shows.
const SHOWN: [&str; 14] = [
    "pipeline",
    "schedule",
    "statement",
    "shown",
    "conditions",
    "causes",
    "reason",
    "hint",
    "obligations",
    "open",
    "site",
    "place",
    "counterexample",
    "seconds",
];

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
    let object = match object(ended, "validate") {
        Ok(object) => object,
        Err(reason) => return failed(reason),
    };
    let Some(word) = object.get("verdict").and_then(Value::as_str) else {
        return failed(said(&object, folder));
    };
    let count = |key: &str| object.get(key).and_then(Value::as_u64).unwrap_or(0);
    let has = |key: &str| {
        object.get(key).and_then(Value::as_array).is_some_and(|found| !found.is_empty())
    };
    let holds = match word {
        "proved" => count("exit") == 0 && count("shown") >= 1,
        "refuted" => count("exit") == 1 && has("evidence"),
        "unknown" => count("exit") == 3,
        "nothing" => count("exit") == 2,
        _ => false,
    };
    let is = |key: &str, name: &str| object.get(key).and_then(Value::as_str) == Some(name);
    let is_meant = choice.is_none_or(|(pipeline, schedule)| {
        // Without a subject there is no name.
        word == "nothing" || (is("pipeline", pipeline) && is("schedule", schedule))
    });
    if !is_meant {
        return failed("no verdict: the answer is about something else");
    }
    if !holds || object.get("statement").and_then(Value::as_str).is_none() {
        return failed("no verdict: the answer contradicts itself");
    }
    let mut answer = Map::new();
    answer.insert("word".to_owned(), word.into());
    for key in SHOWN {
        if let Some(value) = object.get(key) {
            answer.insert(key.to_owned(), value.clone());
        }
    }
    let stores = object.get("stores").and_then(Value::as_array);
    let stores: Vec<Value> = stores.into_iter().flatten().map(store).collect();
    answer.insert("stores".to_owned(), stores.into());
    answer.insert("diagnostics".to_owned(), said(&object, folder).into());
    Value::Object(answer)
}

/// A store with the number of its obligations instead of these.
fn store(store: &Value) -> Value {
    let mut short = store.as_object().cloned().unwrap_or_default();
    let obligations = short.remove("obligations");
    let all = obligations.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let open = all.iter().filter(|one| one["status"] != "proved").count();
    short.insert("total".to_owned(), all.len().into());
    short.insert("open".to_owned(), open.into());
    Value::Object(short)
}

/// Reads what `bench --json` printed.
pub(crate) fn times(ended: &Ended, folder: &Path, size: &str) -> Value {
    let object = match object(ended, "bench") {
        Ok(object) => object,
        Err(reason) => return failed(reason),
    };
    let rows = object.get("rows").and_then(Value::as_array).filter(|rows| !rows.is_empty());
    let Some(rows) = rows.filter(|_| ended.exit == Some(0)) else {
        return failed(said(&object, folder));
    };
    // Without a size, the output is one element.
    let elements: f64 = size.split('x').filter_map(|extent| extent.parse::<f64>().ok()).product();
    let rows = rows.iter().filter_map(|row| {
        let each = row.get("milliseconds")?.as_f64()? * 1e6 / elements;
        let limit = row.get("ratio_to_limit").and_then(Value::as_f64).filter(|ratio| *ratio > 0.0);
        Some(json!({
            "threads": row.get("threads")?,
            "milliseconds": row.get("milliseconds")?,
            "each": each,
            "limit": limit.map(|ratio| each / ratio),
            "rounds": row.get("rounds")?,
        }))
    });
    let rows: Vec<Value> = rows.collect();
    json!({"word": "timed", "statement": "", "rows": rows, "size": size})
}

/// Reads the object of a job, if the process ended as it says.
fn object(ended: &Ended, job: &str) -> Result<Map<String, Value>, &'static str> {
    let object: Value = serde_json::from_str(ended.printed.trim())
        .map_err(|_| "no verdict: the process ended without an answer")?;
    let is_meant = object["schema"] == "halidom-verdict-1" && object["job"] == job;
    let exit = ended.exit.map(i64::from);
    if !is_meant || exit.is_none() || object["exit"].as_i64() != exit {
        return Err("no verdict: the process did not end as its answer says");
    }
    object.as_object().cloned().ok_or("no verdict: the process ended without an answer")
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

    use serde_json::{Value, json};

    use super::proof;
    use crate::process::Ended;

    fn word(exit: Option<i32>, object: &Value) -> String {
        let ended = Ended { exit, printed: object.to_string() };
        let choice = Some(("p".to_owned(), "s".to_owned()));
        let answer = proof(&ended, Path::new("folder"), choice.as_ref());
        answer["word"].as_str().expect("every answer has a word").to_owned()
    }

    fn answer(exit: i32, verdict: &str, more: &Value) -> Value {
        let mut object = json!({
            "schema": "halidom-verdict-1", "job": "validate", "exit": exit,
            "verdict": verdict, "statement": "a sentence", "diagnostics": [],
            "pipeline": "p", "schedule": "s",
        });
        for (key, value) in more.as_object().expect("an object") {
            object[key] = value.clone();
        }
        object
    }

    #[test]
    fn an_answer_counts_only_if_the_process_ended_as_it_says() {
        let proved = answer(0, "proved", &json!({"shown": 3}));
        assert_eq!(word(Some(0), &proved), "proved");
        for exit in [None, Some(1), Some(2), Some(3), Some(101)] {
            assert_eq!(word(exit, &proved), "failed", "{exit:?}");
        }
        let evidence = json!({"evidence": [{"ran": "interpreter"}]});
        assert_eq!(word(Some(1), &answer(1, "refuted", &evidence)), "refuted");
        assert_eq!(word(Some(3), &answer(3, "unknown", &json!({}))), "unknown");
        assert_eq!(word(Some(2), &answer(2, "nothing", &json!({}))), "nothing");
    }

    #[test]
    fn an_answer_that_contradicts_itself_does_not_count() {
        for (exit, object) in [
            (0, answer(0, "proved", &json!({"shown": 0}))),
            (0, answer(0, "proved", &json!({}))),
            (3, answer(3, "proved", &json!({"shown": 3}))),
            (1, answer(1, "refuted", &json!({"evidence": []}))),
            (0, answer(0, "refuted", &json!({"evidence": [1]}))),
            (0, answer(0, "unknown", &json!({}))),
            (0, answer(0, "perfect", &json!({"shown": 3}))),
            (0, answer(0, "proved", &json!({"shown": 3, "job": "check"}))),
            (0, answer(0, "proved", &json!({"shown": 3, "pipeline": "other"}))),
            (0, answer(0, "proved", &json!({"shown": 3, "schedule": "other"}))),
            (0, answer(0, "proved", &json!({"shown": 3, "schema": "other"}))),
            (0, answer(0, "proved", &json!({"shown": 3, "statement": null}))),
            (0, json!([])),
        ] {
            assert_eq!(word(Some(exit), &object), "failed", "{object}");
        }
        let cut = Ended { exit: Some(0), printed: "{\"schema\": \"halidom".to_owned() };
        assert_eq!(proof(&cut, Path::new("folder"), None)["word"], "failed");
    }
}
