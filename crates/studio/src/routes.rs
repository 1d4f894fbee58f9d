//! Requests and what is done for them. Only the paths that are listed here are known, and none of
//! them names a file.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::gate;
use crate::http::{Answer, Client, Head, Status};
use crate::jobs::{Jobs, Order, Task};
use crate::look::{self, Wanted};
use crate::named::Named;
use crate::page;
use crate::token::Token;

/// The permitted values of `floats`. The first leaves the choice to the pipeline.
const FLOATS: [&str; 4] = ["", "bits", "axioms", "reals"];

/// The state that all connections share.
pub(crate) struct Session {
    pub(crate) token: Token,
    pub(crate) port: u16,
    pub(crate) file: Named,
    pub(crate) jobs: Jobs,
    /// Held while the file is compared and written, so that two pages do not write at once.
    pub(crate) saving: Mutex<()>,
    /// Held while a text is looked at: one look after the other.
    pub(crate) looking: Mutex<()>,
}

/// The meaning of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Page,
    File,
    Look,
    Begin(Task),
    Wait,
    Cancel,
    Save,
}

impl Route {
    fn of(path: &str) -> Option<Self> {
        Some(match path {
            "/" => Self::Page,
            "/file" => Self::File,
            "/look" => Self::Look,
            "/prove" => Self::Begin(Task::Prove),
            "/time" => Self::Begin(Task::Time),
            "/explain" => Self::Begin(Task::Explain),
            "/wait" => Self::Wait,
            "/cancel" => Self::Cancel,
            "/save" => Self::Save,
            _ => return None,
        })
    }
}

/// Reads a request and makes its answer.
pub(crate) fn answer(session: &Session, client: &mut Client) -> Answer {
    match answered(session, client) {
        Ok(answer) => answer,
        Err(status) => Answer::from(status),
    }
}

fn answered(session: &Session, client: &mut Client) -> Result<Answer, Status> {
    let head = client.head()?;
    let route = admitted(session, &head)?;
    if route == Route::Page {
        return Ok(page::page());
    }
    let body = client.body(&head)?;
    let given: Value = serde_json::from_slice(&body).map_err(|_| Status::BadRequest)?;
    let value = done(session, route, &given).ok_or(Status::BadRequest)?;
    let kind = "application/json; charset=utf-8";
    Ok(Answer { status: Status::Ok, kind, body: value.to_string(), nonce: None })
}

/// Lets a request in by its head, before anything else of it is read.
fn admitted(session: &Session, head: &Head) -> Result<Route, Status> {
    if !gate::is_from_here(head, session.port)? {
        return Err(Status::Forbidden);
    }
    let route = Route::of(&head.path).ok_or(Status::NotFound)?;
    let (method, has_token) = match route {
        Route::Page => ("GET", gate::address_has(head, &session.token)),
        Route::File | Route::Look | Route::Begin(_) | Route::Wait | Route::Cancel | Route::Save => {
            ("POST", gate::header_has(head, &session.token)?)
        }
    };
    if !has_token {
        return Err(Status::Forbidden);
    }
    if head.method != method {
        return Err(Status::MethodNotAllowed);
    }
    Ok(route)
}

/// Does what is asked for. `None` if a part of the question is missing.
fn done(session: &Session, route: Route, given: &Value) -> Option<Value> {
    let text = |key: &str| given.get(key).and_then(Value::as_str);
    let number = || given.get("job").and_then(Value::as_u64);
    let file = &session.file;
    Some(match route {
        Route::Page => return None,
        Route::File => match file.read() {
            Ok(contents) => json!({
                "name": file.name,
                "kind": if file.is_ir { "ir" } else { "hal" },
                "text": contents.text,
                "version": contents.version,
            }),
            Err(error) => json!({"refused": error.to_string()}),
        },
        Route::Look => {
            let _one = session.looking.lock().unwrap_or_else(PoisonError::into_inner);
            look::look(&Wanted {
                name: &file.name,
                text: text("text")?,
                is_ir: file.is_ir,
                pipeline: text("pipeline")?,
                schedule: text("schedule")?,
            })
        }
        Route::Begin(task) => {
            let size = text("size").unwrap_or_default();
            let floats = text("floats").unwrap_or_default();
            let is_known = is_size(size) && FLOATS.contains(&floats);
            if (task != Task::Prove && file.is_ir) || !is_known {
                return None;
            }
            let choice = (text("pipeline")?.to_owned(), text("schedule")?.to_owned());
            let begun = session.jobs.begin(Order {
                task,
                name: file.name.clone(),
                text: text("text")?.to_owned(),
                choice: (!file.is_ir).then_some(choice),
                floats: floats.to_owned(),
                size: size.to_owned(),
            });
            match begun {
                Ok(job) => json!({"job": job}),
                Err(refused) => json!({"refused": refused}),
            }
        }
        Route::Wait => session.jobs.wait(number()?),
        Route::Cancel => {
            session.jobs.cancel(number()?);
            json!({})
        }
        Route::Save => {
            let _one = session.saving.lock().unwrap_or_else(PoisonError::into_inner);
            match file.save(text("text")?, text("version")?) {
                Ok(version) => json!({"version": version}),
                Err(refused) => json!({"refused": refused}),
            }
        }
    })
}

/// Tests whether a text is the size of an output: `640x480`, or nothing.
fn is_size(text: &str) -> bool {
    let is_extent = |extent: &str| {
        (1..=9).contains(&extent.len()) && extent.bytes().all(|digit| digit.is_ascii_digit())
    };
    text.is_empty() || text.split('x').all(is_extent)
}
