//! The server's loop: one message after another, and what background threads have found.

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use halidom_base::IndexMap;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use lsp_types::{ClientCapabilities, InitializeParams};
use serde_json::{Value, json};

use crate::analysis::{self, Analysed, Job};
use crate::document::Document;
use crate::encoding::Encoding;
use crate::frames::{Frame, Frames};
use crate::handlers;
use crate::outgoing::Outgoing;
use crate::proofs::{Finished, Proofs};

/// What the server waits for.
pub(crate) enum Event {
    /// A part of the input.
    Frame(Frame),
    /// The end of the input.
    End,
    /// The refusals of a text's schedules.
    Analysed(Analysed),
    /// A proof ended.
    Finished(Finished),
}

/// The end of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// True if the client shut the server down before it told it to exit.
    pub in_order: bool,
    /// The number of handlers that failed, which are defects.
    pub failures: usize,
}

/// The phases of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    New,
    Ready,
    ShutDown,
}

/// The answer to a request: a value, or an error with a code.
pub(crate) type Answer = Result<Value, (ErrorCode, String)>;

/// The state of a session.
pub(crate) struct Server {
    phase: Phase,
    pub(crate) encoding: Encoding,
    pub(crate) client: ClientCapabilities,
    pub(crate) documents: IndexMap<String, Document>,
    /// The newest version of each text, for the thread that checks schedules.
    newest: IndexMap<String, Arc<AtomicI32>>,
    pub(crate) out: Outgoing,
    pub(crate) proofs: Proofs,
    jobs: Sender<Job>,
    failures: usize,
}

/// Serves one client until it sends `exit` or closes its stream. `program` is the `halidom` binary,
/// which runs the proofs. Running proofs are ended with the session.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    program: PathBuf,
) -> Served {
    let (events, received) = channel();
    let (jobs, waiting) = channel();
    analysis::start(waiting, events.clone());
    let frames = events.clone();
    thread::spawn(move || {
        Frames::read(input, &mut |frame| frames.send(Event::Frame(frame)).is_ok());
        // The server may have ended before its input.
        let _ = frames.send(Event::End);
    });
    let mut server = Server {
        phase: Phase::New,
        encoding: Encoding::default(),
        client: ClientCapabilities::default(),
        documents: IndexMap::default(),
        newest: IndexMap::default(),
        out: Outgoing::new(Box::new(output)),
        proofs: Proofs::new(program, events),
        jobs,
        failures: 0,
    };
    let in_order = server.run(&received);
    Served { in_order, failures: server.failures }
}

impl Server {
    /// Returns true if the session ended in order.
    fn run(&mut self, events: &Receiver<Event>) -> bool {
        while let Ok(event) = events.recv() {
            match event {
                Event::End => return self.phase == Phase::ShutDown,
                Event::Frame(Frame::Malformed(reason)) => {
                    self.out.malformed(ErrorCode::ParseError, reason);
                }
                Event::Frame(Frame::Message(value)) => {
                    if self.message(value) {
                        return self.phase == Phase::ShutDown;
                    }
                }
                Event::Analysed(analysed) => {
                    self.guarded(|server| handlers::analysed(server, analysed));
                }
                Event::Finished(finished) => {
                    self.guarded(|server| handlers::finished(server, finished));
                }
            }
        }
        false
    }

    /// Runs a handler; a panic is a defect, but does not end the session.
    fn guarded<R>(&mut self, handler: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let result = catch_unwind(AssertUnwindSafe(|| handler(self)));
        if result.is_err() {
            self.failures += 1;
            let message = "a handler of the language server failed: this is a defect of Halidom";
            self.out.notify("window/logMessage", json!({"type": 1, "message": message}));
        }
        result.ok()
    }

    /// Handles a message. Returns true if it ends the session.
    fn message(&mut self, value: Value) -> bool {
        let message = match serde_json::from_value::<Message>(value) {
            Ok(message) => message,
            Err(_) => {
                self.out.malformed(ErrorCode::InvalidRequest, "a value that is no message");
                return false;
            }
        };
        match message {
            Message::Response(_) => {}
            Message::Request(request) => self.request(request),
            Message::Notification(Notification { method, .. }) if method == "exit" => return true,
            Message::Notification(notification) => {
                if self.phase == Phase::Ready {
                    self.guarded(|server| handlers::notification(server, notification));
                }
            }
        }
        false
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let refused = |code, message: &str| Err((code, message.to_owned()));
        let answer = match (self.phase, method.as_str()) {
            (Phase::New, "initialize") => self.guarded(|server| server.initialize(params)),
            (Phase::New, _) => {
                Some(refused(ErrorCode::ServerNotInitialized, "send `initialize` first"))
            }
            (Phase::Ready, "initialize") => {
                Some(refused(ErrorCode::InvalidRequest, "the server is initialized already"))
            }
            (Phase::Ready, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.proofs.cancel(&|_| true);
                Some(Ok(Value::Null))
            }
            (Phase::Ready, _) => self.guarded(|server| handlers::request(server, &method, params)),
            (Phase::ShutDown, _) => {
                Some(refused(ErrorCode::InvalidRequest, "the server is shut down"))
            }
        };
        self.answer(id, answer);
    }

    fn answer(&mut self, id: RequestId, answer: Option<Answer>) {
        let failed = || Err((ErrorCode::InternalError, "the handler failed".to_owned()));
        self.out.respond(id, answer.unwrap_or_else(failed));
    }

    fn initialize(&mut self, params: Value) -> Answer {
        let params: InitializeParams = handlers::parse(params)?;
        let offered = params
            .capabilities
            .general
            .as_ref()
            .and_then(|general| general.position_encodings.as_deref());
        self.encoding = Encoding::choose(offered);
        self.client = params.capabilities;
        self.phase = Phase::Ready;
        Ok(handlers::capabilities(self.encoding))
    }

    /// Takes over a new text, publishes its diagnostics, and has its schedules checked.
    pub(crate) fn take(&mut self, uri: String, version: i32, text: &str) {
        self.forget_proofs(&uri);
        let document = Document::new(uri.clone(), version, text, self.encoding);
        self.documents.insert(uri.clone(), document);
        handlers::publish(self, &uri);
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
    }

    /// Cancels the proofs of a text.
    fn forget_proofs(&mut self, uri: &str) {
        for task in self.proofs.cancel(&|task| task.uri == uri) {
            handlers::end_progress(self, task.number, "cancelled");
        }
    }
}
