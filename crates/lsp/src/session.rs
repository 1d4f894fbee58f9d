//! The state of a session: the open texts, their proofs, and the stream to the client.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Sender, channel};

use halidom_base::IndexMap;
use lsp_server::ErrorCode;
use lsp_types::{ClientCapabilities, TextDocumentIdentifier};
use serde_json::{Value, json};

use crate::analysis::{self, Job};
use crate::answer::Refused;
use crate::document::Document;
use crate::encoding::Encoding;
use crate::events::Event;
use crate::outgoing::Outgoing;
use crate::proofs::Proofs;
use crate::reports;
use crate::verdicts::Named;

/// The beginning of the token of a proof's progress; the proof's number follows.
const PROGRESS: &str = "halidom-proof-";

/// The number of the proof whose progress has a token.
pub(crate) fn progress_number(token: &str) -> Option<u64> {
    token.strip_prefix(PROGRESS)?.parse().ok()
}

/// A session with one client.
pub(crate) struct Session {
    pub(crate) encoding: Encoding,
    pub(crate) client: ClientCapabilities,
    pub(crate) documents: IndexMap<String, Document>,
    pub(crate) out: Outgoing,
    pub(crate) proofs: Proofs,
    /// The newest version of each text, for the thread that checks schedules.
    newest: IndexMap<String, Arc<AtomicI32>>,
    jobs: Sender<Job>,
}

impl Session {
    pub(crate) fn new(out: Outgoing, program: PathBuf, events: Sender<Event>) -> Self {
        let (jobs, waiting) = channel();
        analysis::start(waiting, events.clone());
        Self {
            encoding: Encoding::default(),
            client: ClientCapabilities::default(),
            documents: IndexMap::default(),
            out,
            proofs: Proofs::new(program, events),
            newest: IndexMap::default(),
            jobs,
        }
    }

    /// The open document of an address.
    pub(crate) fn document(
        &mut self,
        identifier: &TextDocumentIdentifier,
    ) -> Result<&mut Document, Refused> {
        let uri = identifier.uri.as_str();
        let missing = || (ErrorCode::InvalidParams, format!("`{uri}` is not open"));
        self.documents.get_mut(uri).ok_or_else(missing)
    }

    /// Takes over a new text, publishes its diagnostics, and has its schedules checked.
    pub(crate) fn take(&mut self, uri: String, version: i32, text: &str) {
        self.forget_proofs(&uri);
        let document = Document::new(uri.clone(), version, text, self.encoding);
        self.documents.insert(uri.clone(), document);
        self.publish(&uri);
        let newest = self.newest.entry(uri.clone()).or_default();
        newest.store(version, Ordering::Relaxed);
        let newest = Arc::clone(newest);
        // The thread ends only with this sender.
        let _ = self.jobs.send(Job { uri, version, text: text.to_owned(), newest });
    }

    /// Closes a text.
    pub(crate) fn close(&mut self, uri: &str) {
        self.forget_proofs(uri);
        self.documents.shift_remove(uri);
        if let Some(newest) = self.newest.shift_remove(uri) {
            newest.store(i32::MIN, Ordering::Relaxed);
        }
        let params = json!({"uri": uri, "diagnostics": []});
        self.out.notify("textDocument/publishDiagnostics", params);
    }

    /// Cancels the proofs of a text.
    fn forget_proofs(&mut self, uri: &str) {
        for task in self.proofs.cancel(&|task| task.uri == uri) {
            self.end_progress(task.number, "cancelled");
        }
    }

    /// Publishes the diagnostics of a text.
    pub(crate) fn publish(&mut self, uri: &str) {
        let Some(document) = self.documents.get(uri) else { return };
        let diagnostics = reports::diagnostics(document);
        let params = json!({"uri": uri, "version": document.version, "diagnostics": diagnostics});
        self.out.notify("textDocument/publishDiagnostics", params);
    }

    /// Tells the user of a defect.
    pub(crate) fn log(&mut self, message: &str) {
        self.out.notify("window/logMessage", json!({"type": 1, "message": message}));
    }

    /// Makes the client ask for the lenses again.
    pub(crate) fn refresh(&mut self) {
        let workspace = self.client.workspace.as_ref();
        let lenses = workspace.and_then(|workspace| workspace.code_lens.as_ref());
        if lenses.and_then(|lens| lens.refresh_support) == Some(true) {
            self.out.request("workspace/codeLens/refresh", Value::Null);
        }
    }

    fn shows_progress(&self) -> bool {
        let window = self.client.window.as_ref();
        window.and_then(|window| window.work_done_progress) == Some(true)
    }

    /// Begins the progress of a proof.
    pub(crate) fn begin_progress(&mut self, number: u64, (pipeline, schedule): &Named) {
        if !self.shows_progress() {
            return;
        }
        let token = format!("{PROGRESS}{number}");
        self.out.request("window/workDoneProgress/create", json!({"token": token}));
        let title = format!("proving `{schedule}` of `{pipeline}`");
        let value = json!({"kind": "begin", "title": title, "cancellable": true});
        self.out.notify("$/progress", json!({"token": token, "value": value}));
    }

    /// Ends the progress of a proof.
    pub(crate) fn end_progress(&mut self, number: u64, message: &str) {
        if !self.shows_progress() {
            return;
        }
        let token = format!("{PROGRESS}{number}");
        let value = json!({"kind": "end", "message": message});
        self.out.notify("$/progress", json!({"token": token, "value": value}));
    }
}
