//! The methods of the protocol.

use lsp_server::{ErrorCode, Notification};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentFormattingParams, ExecuteCommandParams, TextDocumentIdentifier,
    TextDocumentPositionParams, TextEdit,
};
use serde_json::{Value, json};

use crate::analysis::Analysed;
use crate::document::Document;
use crate::encoding::Encoding;
use crate::proofs::{Finished, Proof};
use crate::server::{Answer, Server};
use crate::{actions, completion, hover, lenses, names, rename, reports, tokens};

/// The command that proves a schedule, and the one that cancels a proof.
pub(crate) const PROVE: &str = "halidom.prove";
pub(crate) const CANCEL: &str = "halidom.cancel";

/// Reads the parameters of a method.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(
    params: Value,
) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params)
        .map_err(|error| (ErrorCode::InvalidParams, format!("wrong parameters: {error}")))
}

/// What the server can do.
pub(crate) fn capabilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": encoding.kind(),
            "textDocumentSync": {"openClose": true, "change": 2},
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

/// Answers a request.
pub(crate) fn request(server: &mut Server, method: &str, params: Value) -> Answer {
    match method {
        "textDocument/hover" => at(server, params, hover::hover),
        "textDocument/definition" => {
            at(server, params, |document, offset| names::definition(document, offset))
        }
        "textDocument/documentHighlight" => {
            at(server, params, |document, offset| names::highlights(document, offset))
        }
        "textDocument/prepareRename" => {
            at(server, params, |document, offset| rename::prepare(document, offset))
        }
        "textDocument/completion" => at(server, params, completion::complete),
        "textDocument/references" => names::references(server, params),
        "textDocument/rename" => rename::rename(server, params),
        "textDocument/documentSymbol" => {
            of(server, params, |document| names::document_symbols(document))
        }
        "textDocument/semanticTokens/full" => of(server, params, |document| tokens::full(document)),
        "textDocument/codeLens" => of(server, params, |document| lenses::lenses(document)),
        "textDocument/codeAction" => actions::actions(server, params),
        "textDocument/formatting" => formatting(server, params),
        "workspace/executeCommand" => execute(server, params),
        _ => Err((ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
    }
}

/// Handles a notification. Unknown ones and those with wrong parameters are ignored, as the
/// protocol has no answer to them.
pub(crate) fn notification(server: &mut Server, notification: Notification) {
    let Notification { method, params } = notification;
    match method.as_str() {
        "textDocument/didOpen" => {
            if let Ok(params) = parse::<DidOpenTextDocumentParams>(params) {
                let item = params.text_document;
                server.take(item.uri.as_str().to_owned(), item.version, &item.text);
            }
        }
        "textDocument/didChange" => {
            if let Ok(params) = parse::<DidChangeTextDocumentParams>(params) {
                let uri = params.text_document.uri.as_str().to_owned();
                let changed = server
                    .documents
                    .get(&uri)
                    .map(|document| document.changed(&params.content_changes));
                if let Some(text) = changed {
                    server.take(uri, params.text_document.version, &text);
                }
            }
        }
        "textDocument/didClose" => {
            if let Ok(params) = parse::<DidCloseTextDocumentParams>(params) {
                let uri = params.text_document.uri.as_str().to_owned();
                server.close(&uri);
                let params = json!({"uri": uri, "diagnostics": []});
                server.out.notify("textDocument/publishDiagnostics", params);
            }
        }
        _ => {}
    }
}

/// The open document of an address.
pub(crate) fn document<'a>(
    server: &'a mut Server,
    identifier: &TextDocumentIdentifier,
) -> Result<&'a mut Document, (ErrorCode, String)> {
    let uri = identifier.uri.as_str();
    let missing = || (ErrorCode::InvalidParams, format!("`{uri}` is not open"));
    server.documents.get_mut(uri).ok_or_else(missing)
}

/// Answers a request about a place.
fn at(
    server: &mut Server,
    params: Value,
    handler: impl FnOnce(&mut Document, usize) -> Value,
) -> Answer {
    let params: TextDocumentPositionParams = parse(params)?;
    let document = document(server, &params.text_document)?;
    let offset = document.lines.offset(document.text(), params.position);
    Ok(handler(document, offset))
}

/// Answers a request about a whole text.
fn of(server: &mut Server, params: Value, handler: impl FnOnce(&mut Document) -> Value) -> Answer {
    let identifier = params.get("textDocument").cloned().unwrap_or(Value::Null);
    let identifier: TextDocumentIdentifier = parse(identifier)?;
    document(server, &identifier).map(handler)
}

fn formatting(server: &mut Server, params: Value) -> Answer {
    let params: DocumentFormattingParams = parse(params)?;
    let document = document(server, &params.text_document)?;
    let text = document.text();
    // A text that does not parse has diagnostics already; it stays as it is.
    let Ok(formatted) = halidom_lang::format(&document.loaded.sources, document.file) else {
        return Ok(Value::Null);
    };
    if formatted == text {
        return Ok(json!([]));
    }
    let range = document.lines.range(text, 0..text.len());
    Ok(json!([TextEdit { range, new_text: formatted }]))
}

fn execute(server: &mut Server, params: Value) -> Answer {
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
            let Some(document) = server.documents.get_mut(&uri) else {
                return wrong("the text is not open");
            };
            if document.choice(&named).is_none() {
                return wrong("there is no such schedule, or it has errors");
            }
            if matches!(document.proofs.get(&named), Some(Proof::Running)) {
                return Ok(Value::Null);
            }
            let number = server.proofs.begin(&uri, named.clone(), document.text());
            document.proofs.insert(named.clone(), Proof::Running);
            begin_progress(server, number, &named);
            refresh(server);
            Ok(Value::Null)
        }
        CANCEL => {
            for task in server.proofs.cancel(&|task| task.uri == uri && task.named == named) {
                end_progress(server, task.number, "cancelled");
            }
            if let Some(document) = server.documents.get_mut(&uri)
                && matches!(document.proofs.get(&named), Some(Proof::Running))
            {
                document.proofs.shift_remove(&named);
            }
            refresh(server);
            Ok(Value::Null)
        }
        command => wrong(&format!("there is no command `{command}`")),
    }
}

/// Publishes the diagnostics of a text.
pub(crate) fn publish(server: &mut Server, uri: &str) {
    let Some(document) = server.documents.get(uri) else { return };
    let diagnostics = reports::diagnostics(document);
    let params = json!({"uri": uri, "version": document.version, "diagnostics": diagnostics});
    server.out.notify("textDocument/publishDiagnostics", params);
}

/// Takes over the refusals of a text's schedules.
pub(crate) fn analysed(server: &mut Server, analysed: Analysed) {
    let Analysed { uri, version, refusals } = analysed;
    let Some(document) = server.documents.get_mut(&uri) else { return };
    if document.version != version {
        return;
    }
    match refusals {
        Some(refusals) => document.refusals = refusals,
        None => {
            let message = "the check of the schedules failed: this is a defect of Halidom";
            server.out.notify("window/logMessage", json!({"type": 1, "message": message}));
        }
    }
    publish(server, &uri);
}

/// Takes over a verdict.
pub(crate) fn finished(server: &mut Server, finished: Finished) {
    let Finished { number, judged } = finished;
    // A cancelled proof has no task any more.
    let Some(task) = server.proofs.ended(number) else { return };
    end_progress(server, number, &judged.sentence);
    if let Some(document) = server.documents.get_mut(&task.uri) {
        document.proofs.insert(task.named.clone(), Proof::Ended(judged.clone()));
    }
    let (pipeline, schedule) = &task.named;
    let params = json!({"uri": task.uri, "pipeline": pipeline, "schedule": schedule, "verdict": judged.word, "sentence": judged.sentence});
    server.out.notify("halidom/verdict", params);
    publish(server, &task.uri);
    refresh(server);
}

fn refresh(server: &mut Server) {
    let workspace = server.client.workspace.as_ref();
    let refreshes = workspace.and_then(|workspace| workspace.code_lens.as_ref());
    if refreshes.and_then(|lens| lens.refresh_support) == Some(true) {
        server.out.request("workspace/codeLens/refresh", Value::Null);
    }
}

fn shows_progress(server: &Server) -> bool {
    let window = server.client.window.as_ref();
    window.and_then(|window| window.work_done_progress) == Some(true)
}

fn begin_progress(server: &mut Server, number: u64, (pipeline, schedule): &(String, String)) {
    if !shows_progress(server) {
        return;
    }
    let token = format!("halidom-proof-{number}");
    server.out.request("window/workDoneProgress/create", json!({"token": token}));
    let title = format!("proving `{schedule}` of `{pipeline}`");
    let value = json!({"kind": "begin", "title": title, "cancellable": false});
    server.out.notify("$/progress", json!({"token": token, "value": value}));
}

/// Ends the progress of a proof.
pub(crate) fn end_progress(server: &mut Server, number: u64, message: &str) {
    if !shows_progress(server) {
        return;
    }
    let token = format!("halidom-proof-{number}");
    let value = json!({"kind": "end", "message": message});
    server.out.notify("$/progress", json!({"token": token, "value": value}));
}
