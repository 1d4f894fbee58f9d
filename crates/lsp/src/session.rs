//! The state of a session: the open texts, their proofs, and the stream to the client.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Weak};

use halidom_base::IndexMap;
use lsp_server::{ErrorCode, RequestId};
use lsp_types::{ClientCapabilities, MessageType, TextDocumentIdentifier};
use serde_json::{Value, json};

use crate::analysis::{self, Job};
use crate::answer::Refused;
use crate::answers::{self, Asked, Question};
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
    jobs: Sender<Job>,
    questions: Sender<Question>,
}

impl Session {
    pub(crate) fn new(out: Outgoing, program: PathBuf, events: Sender<Event>) -> Self {
        let (jobs, waiting) = channel();
        analysis::start(waiting, events.clone());
        let (questions, asked) = channel();
        answers::start(asked, events.clone());
        Self {
            encoding: Encoding::default(),
            client: ClientCapabilities::default(),
            documents: IndexMap::default(),
            out,
            proofs: Proofs::new(program, events),
            jobs,
            questions,
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
    pub(crate) fn take(&mut self, uri: String, version: i32, text: String) {
        let encoding = self.encoding;
        let life = self.replace(&uri, || Document::new(uri.clone(), version, &text, encoding));
        self.publish(&uri);
        // The thread ends only with this sender.
        let _ = self.jobs.send(Job { uri, text, life });
    }

    /// Replaces a document by one that is read; returns its life. If reading fails, which is a
    /// defect, no document is left: what is known of the old text does not hold any more.
    fn replace(&mut self, uri: &str, read: impl FnOnce() -> Document) -> Weak<()> {
        if self.remove(uri) {
            self.refresh();
        }
        let document = read();
        let life = Arc::downgrade(&document.life);
        self.documents.insert(uri.to_owned(), document);
        life
    }

    /// Closes a text.
    pub(crate) fn close(&mut self, uri: &str) {
        self.remove(uri);
        let params = json!({"uri": uri, "diagnostics": []});
        self.out.notify("textDocument/publishDiagnostics", params);
    }

    /// Removes a document and cancels its proofs. Returns true if its lenses told of any.
    fn remove(&mut self, uri: &str) -> bool {
        for task in self.proofs.cancel(&|task| task.uri == uri) {
            self.end_progress(task.number, "cancelled");
        }
        let removed = self.documents.shift_remove(uri);
        removed.is_some_and(|document| !document.proofs.is_empty())
    }

    /// Closes a text, or all texts, as a change could not be read: nothing is told of a text that
    /// may be an old one. The next change, which brings the whole text, opens it again.
    pub(crate) fn lose(&mut self, uri: Option<&str>) {
        let known = self.documents.keys();
        let lost: Vec<String> =
            known.filter(|known| uri.is_none_or(|uri| uri == *known)).cloned().collect();
        for uri in &lost {
            self.close(uri);
            let message = format!("a message could not be read: change `{uri}`, or open it again");
            self.log(MessageType::WARNING, &message);
        }
        if !lost.is_empty() {
            self.refresh();
        }
    }

    /// Has a question answered in the background.
    pub(crate) fn ask(&mut self, id: RequestId, asked: Asked) -> Result<(), Refused> {
        let document = self.document(asked.document())?;
        let question = Question {
            id,
            asked,
            uri: document.uri.clone(),
            text: document.text().to_owned(),
            encoding: document.lines.encoding,
            proofs: document.proofs.clone(),
            life: Arc::downgrade(&document.life),
        };
        // The thread ends only with this sender.
        let _ = self.questions.send(question);
        Ok(())
    }

    /// Publishes the diagnostics of a text.
    pub(crate) fn publish(&mut self, uri: &str) {
        let Some(document) = self.documents.get(uri) else { return };
        let diagnostics = reports::diagnostics(document);
        let params = json!({"uri": uri, "version": document.version, "diagnostics": diagnostics});
        self.out.notify("textDocument/publishDiagnostics", params);
    }

    /// Writes to the client's log.
    pub(crate) fn log(&mut self, kind: MessageType, message: &str) {
        self.out.notify("window/logMessage", json!({"type": kind, "message": message}));
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

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Arc, Mutex};

    use serde_json::json;

    use super::Session;
    use crate::document::{Document, is_gone};
    use crate::outgoing::Outgoing;
    use crate::verdicts::{Judged, Proof};

    const URI: &str = "file:///a.hal";

    /// The stream that the session writes.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        fn text(&self) -> String {
            String::from_utf8_lossy(&self.0.lock().expect("no panic")).into_owned()
        }
    }

    impl std::io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// A session with a text that is proved.
    fn proved() -> (Session, Written) {
        let written = Written::default();
        let (events, _) = std::sync::mpsc::channel();
        let mut session =
            Session::new(Outgoing::new(Box::new(written.clone())), "absent".into(), events);
        let capabilities = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
        session.client = serde_json::from_value(capabilities).expect("capabilities");
        session.take(URI.to_owned(), 1, "pipeline".to_owned());
        let judged = Judged {
            word: Some(halidom_verdict::Word::Proved),
            sentence: "proved".to_owned(),
            title: "proved".to_owned(),
        };
        let document = session.documents.get_mut(URI).expect("it is open");
        document.proofs.insert(("p".to_owned(), "s".to_owned()), Proof::Ended(judged));
        (session, written)
    }

    #[test]
    fn a_text_that_cannot_be_read_leaves_nothing_of_the_old_one() {
        let (mut session, written) = proved();
        let read = || -> Document { std::panic::resume_unwind(Box::new(())) };
        let replaced = catch_unwind(AssertUnwindSafe(|| session.replace(URI, read).strong_count()));
        assert!(replaced.is_err());
        assert!(session.documents.is_empty());
        assert!(written.text().contains("workspace/codeLens/refresh"));
        session.take(URI.to_owned(), 2, "pipeline".to_owned());
        assert!(session.documents[URI].proofs.is_empty());
    }

    #[test]
    fn lenses_are_asked_for_again_only_if_they_change() {
        let (mut session, written) = proved();
        assert!(!written.text().contains("workspace/codeLens/refresh"));
        session.take(URI.to_owned(), 2, "pipeline p".to_owned());
        assert!(written.text().contains("workspace/codeLens/refresh"));
        let long = written.text().len();
        session.take(URI.to_owned(), 3, "pipeline".to_owned());
        assert!(!written.text()[long..].contains("workspace/codeLens/refresh"));
    }

    #[test]
    fn work_for_an_old_text_is_stale_whatever_its_version() {
        let (mut session, _) = proved();
        let life = Arc::downgrade(&session.documents[URI].life);
        assert!(!is_gone(&life));
        session.close(URI);
        assert!(is_gone(&life));
        session.take(URI.to_owned(), 1, "pipeline".to_owned());
        assert!(is_gone(&life));
    }
}
