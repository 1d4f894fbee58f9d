//! The methods of the protocol.

use lsp_server::{ErrorCode, Notification, RequestId};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentFormattingParams, ExecuteCommandParams, MessageType, ReferenceParams,
    TextDocumentIdentifier, TextDocumentPositionParams, TextEdit,
};
use serde_json::{Value, json};

use crate::answer::{Answer, Refused, parse};
use crate::answers::Asked;
use crate::document::{Document, is_gone};
use crate::encoding::Encoding;
use crate::events::{Analysed, Finished};
use crate::lenses::{CANCEL, PROVE};
use crate::proofs::Task;
use crate::session::{Session, progress_number};
use crate::verdicts::Proof;
use crate::{actions, lenses, names, rename, tokens};

/// Returns the abilities of the server.
pub(crate) fn capabilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": encoding.kind(),
            "textDocumentSync": {"openClose": true, "change": 1},
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": {"prepareProvider": true},
            "documentSymbolProvider": true,
            "documentFormattingProvider": true,
            "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            "codeLensProvider": {"resolveProvider": false},
            "completionProvider": {"triggerCharacters": [".", "(", ",", ":", " "]},
            "semanticTokensProvider": {"legend": tokens::legend(), "full": true, "range": false},
            "executeCommandProvider": {"commands": [PROVE, CANCEL]},
        },
        "serverInfo": {"name": "halidom", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// Answers a request; returns `None` if a thread will answer it.
pub(crate) fn request(
    session: &mut Session,
    id: RequestId,
    method: &str,
    params: Value,
) -> Result<Option<Value>, Refused> {
    let asked = match method {
        "textDocument/hover" => Asked::Hover(parse(params)?),
        "textDocument/completion" => Asked::Completion(parse(params)?),
        "textDocument/rename" => Asked::Rename(parse(params)?),
        _ => return at_once(session, method, params).map(Some),
    };
    session.ask(id, asked).map(|()| None)
}

/// Answers a request that takes no longer than reading the text.
fn at_once(session: &mut Session, method: &str, params: Value) -> Answer {
    match method {
        "textDocument/definition" => {
            at(session, params, |document, offset| names::definition(document, offset))
        }
        "textDocument/documentHighlight" => {
            at(session, params, |document, offset| names::highlights(document, offset))
        }
        "textDocument/prepareRename" => {
            at(session, params, |document, offset| rename::prepare(document, offset))
        }
        "textDocument/references" => {
            let params: ReferenceParams = parse(params)?;
            let place = &params.text_document_position;
            Ok(names::references(session.document(&place.text_document)?, &params))
        }
        "textDocument/codeAction" => {
            let params: lsp_types::CodeActionParams = parse(params)?;
            Ok(actions::actions(session.document(&params.text_document)?, &params))
        }
        "textDocument/documentSymbol" => {
            of(session, &params, |document| names::document_symbols(document))
        }
        "textDocument/semanticTokens/full" => {
            of(session, &params, |document| tokens::full(document))
        }
        "textDocument/codeLens" => of(session, &params, |document| lenses::lenses(document)),
        "textDocument/formatting" => formatting(session, params),
        "workspace/executeCommand" => execute(session, params),
        _ => Err((ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
    }
}

/// Handles a notification. Unknown ones are ignored, as the protocol has no answer to them. If one
/// about a text cannot be read, the text is not known any more.
pub(crate) fn notification(session: &mut Session, notification: Notification) {
    let Notification { method, params } = notification;
    match method.as_str() {
        "textDocument/didOpen" | "textDocument/didChange" | "textDocument/didClose" => {
            let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
            let uri = uri.map(str::to_owned);
            if synchronize(session, &method, params).is_err() {
                session.lose(uri.as_deref());
            }
        }
        "window/workDoneProgress/cancel" => {
            let token = params.get("token").and_then(Value::as_str).unwrap_or("");
            if let Some(number) = progress_number(token) {
                cancel(session, &|task| task.number == number);
                session.refresh();
            }
        }
        _ => {}
    }
}

/// Opens, changes or closes a text.
fn synchronize(session: &mut Session, method: &str, params: Value) -> Result<(), Refused> {
    match method {
        "textDocument/didOpen" => {
            let item = parse::<DidOpenTextDocumentParams>(params)?.text_document;
            session.take(item.uri.as_str().to_owned(), item.version, item.text);
        }
        "textDocument/didChange" => {
            let DidChangeTextDocumentParams { text_document: id, mut content_changes } =
                parse(params)?;
            // Each change replaces the whole text.
            let last = content_changes.pop().filter(|change| change.range.is_none());
            let last = last.ok_or((ErrorCode::InvalidParams, "no whole text".to_owned()))?;
            session.take(id.uri.as_str().to_owned(), id.version, last.text);
        }
        _ => {
            let closed: DidCloseTextDocumentParams = parse(params)?;
            session.close(closed.text_document.uri.as_str());
        }
    }
    Ok(())
}

/// Answers a request about a place.
fn at(
    session: &mut Session,
    params: Value,
    handler: impl FnOnce(&mut Document, usize) -> Value,
) -> Answer {
    let params: TextDocumentPositionParams = parse(params)?;
    let document = session.document(&params.text_document)?;
    let offset = document.lines.offset(document.text(), params.position);
    Ok(handler(document, offset))
}

/// Answers a request about a whole text.
fn of(
    session: &mut Session,
    params: &Value,
    handler: impl FnOnce(&mut Document) -> Value,
) -> Answer {
    let identifier = params.get("textDocument").cloned().unwrap_or(Value::Null);
    let identifier: TextDocumentIdentifier = parse(identifier)?;
    session.document(&identifier).map(handler)
}

fn formatting(session: &mut Session, params: Value) -> Answer {
    let params: DocumentFormattingParams = parse(params)?;
    let document = session.document(&params.text_document)?;
    let text = document.text();
    // A text that does not parse has diagnostics already; it stays as it is.
    let Ok(formatted) = halidom_lang::format(&document.loaded.sources, document.loaded.file) else {
        return Ok(Value::Null);
    };
    if formatted == text {
        return Ok(json!([]));
    }
    let range = document.lines.range(text, 0..text.len());
    Ok(json!([TextEdit { range, new_text: formatted }]))
}

fn execute(session: &mut Session, params: Value) -> Answer {
    let params: ExecuteCommandParams = parse(params)?;
    let wrong = |message: &str| Err((ErrorCode::InvalidParams, message.to_owned()));
    let given = params.arguments.first().cloned().unwrap_or(Value::Null);
    let word = |key: &str| given.get(key).and_then(Value::as_str).map(str::to_owned);
    let (Some(uri), Some(pipeline), Some(schedule)) =
        (word("uri"), word("pipeline"), word("schedule"))
    else {
        return wrong("the command takes `{uri, pipeline, schedule}`");
    };
    let named = (pipeline, schedule);
    match params.command.as_str() {
        PROVE => {
            let Some(document) = session.documents.get_mut(&uri) else {
                return wrong("the text is not open");
            };
            if document.choice(&named).is_none() {
                return wrong("there is no such schedule, or it has errors");
            }
            if matches!(document.proofs.get(&named), Some(Proof::Running)) {
                return Ok(Value::Null);
            }
            let number = session.proofs.begin(&uri, named.clone(), document.text());
            document.proofs.insert(named.clone(), Proof::Running);
            session.begin_progress(number, &named);
        }
        CANCEL => cancel(session, &|task| task.uri == uri && task.named == named),
        command => return wrong(&format!("there is no command `{command}`")),
    }
    session.refresh();
    Ok(Value::Null)
}

/// Cancels proofs, and removes them from their documents.
fn cancel(session: &mut Session, is_meant: &dyn Fn(&Task) -> bool) {
    for task in session.proofs.cancel(is_meant) {
        session.end_progress(task.number, "cancelled");
        if let Some(document) = session.documents.get_mut(&task.uri) {
            document.proofs.shift_remove(&task.named);
        }
    }
}

/// Takes over the refusals of a text's schedules.
pub(crate) fn analysed(session: &mut Session, analysed: Analysed) {
    let Analysed { uri, life, refusals } = analysed;
    let Some(document) = session.documents.get_mut(&uri).filter(|_| !is_gone(&life)) else {
        return;
    };
    let has_failed = refusals.is_none();
    document.refusals = refusals.unwrap_or_default();
    session.publish(&uri);
    if has_failed {
        let message = "the check of the schedules failed: this is a defect of Halidom";
        session.log(MessageType::ERROR, message);
    }
}

/// Takes over a verdict.
pub(crate) fn finished(session: &mut Session, finished: Finished) {
    let Finished { number, judged } = finished;
    // A cancelled proof has no task any more.
    let Some(task) = session.proofs.ended(number) else { return };
    session.end_progress(number, &judged.sentence);
    if let Some(document) = session.documents.get_mut(&task.uri) {
        document.proofs.insert(task.named, Proof::Ended(judged));
    }
    session.publish(&task.uri);
    session.refresh();
}
