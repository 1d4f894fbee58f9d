//! The server's loop: one message after another, and the results of background threads.

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use lsp_server::{ErrorCode, Message, Request, RequestId};
use lsp_types::{InitializeParams, MessageType};
use serde_json::Value;

use crate::answer::{Answer, modified, parse};
use crate::document::is_gone;
use crate::encoding::Encoding;
use crate::events::{Answered, Event};
use crate::frames::{Frame, Frames};
use crate::handlers;
use crate::outgoing::Outgoing;
use crate::session::Session;

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

struct Server {
    phase: Phase,
    session: Session,
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
    let frames = events.clone();
    thread::spawn(move || {
        Frames::read(input, &mut |frame| frames.send(Event::Frame(frame)).is_ok());
        // The server may have ended before its input.
        let _ = frames.send(Event::End);
    });
    let session = Session::new(Outgoing::new(Box::new(output)), program, events);
    let mut server = Server { phase: Phase::New, session, failures: 0 };
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
                    self.unread(&Value::Null, ErrorCode::ParseError, reason);
                }
                Event::Frame(Frame::Message(value)) => {
                    if self.message(value) {
                        return self.phase == Phase::ShutDown;
                    }
                }
                Event::Analysed(analysed) => {
                    self.guarded(|session| handlers::analysed(session, analysed));
                }
                Event::Answered(Answered { id, answer, life }) => {
                    if answer.is_none() {
                        self.failed();
                    }
                    self.respond(id, if is_gone(&life) { Some(modified()) } else { answer });
                }
                Event::Finished(finished) => {
                    self.guarded(|session| handlers::finished(session, finished));
                }
            }
        }
        false
    }

    /// Runs a handler; a panic is a defect, but does not end the session.
    fn guarded<R>(&mut self, handler: impl FnOnce(&mut Session) -> R) -> Option<R> {
        let result = catch_unwind(AssertUnwindSafe(|| handler(&mut self.session)));
        if result.is_err() {
            self.failed();
        }
        result.ok()
    }

    /// Counts and tells that a handler failed.
    fn failed(&mut self) {
        self.failures += 1;
        let message = "a handler of the language server failed: this is a defect of Halidom";
        self.session.log(MessageType::ERROR, message);
    }

    /// Answers what could not be read. It may have been a change of any text.
    fn unread(&mut self, id: &Value, code: ErrorCode, reason: &str) {
        self.session.out.malformed(id, code, reason);
        self.session.lose(None);
    }

    /// Answers a request; `None` if its handler failed.
    fn respond(&mut self, id: RequestId, answer: Option<Answer>) {
        let failed = || Err((ErrorCode::InternalError, "the handler failed".to_owned()));
        self.session.out.respond(id, answer.unwrap_or_else(failed));
    }

    /// Handles a message. Returns true if it ends the session.
    fn message(&mut self, value: Value) -> bool {
        let number = value.get("id").cloned();
        // A request with a wrong number would be read as a notification, and never be answered.
        let asks = number.is_some() && value.get("method").is_some();
        match serde_json::from_value(value) {
            Ok(Message::Request(request)) => self.request(request),
            Ok(Message::Response(_)) if !asks => {}
            Ok(Message::Notification(notification)) if !asks => {
                if notification.method == "exit" {
                    return true;
                }
                if self.phase == Phase::Ready {
                    self.guarded(|session| handlers::notification(session, notification));
                }
            }
            Ok(Message::Response(_) | Message::Notification(_)) | Err(_) => {
                let number = number.filter(|id| id.is_number() || id.is_string());
                let reason = "a value that is no message";
                self.unread(&number.unwrap_or_default(), ErrorCode::InvalidRequest, reason);
            }
        }
        false
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let refused = |code, message: &str| Some(Err((code, message.to_owned())));
        let answer = match (self.phase, method.as_str()) {
            (Phase::New, "initialize") => self.initialize(params),
            (Phase::New, _) => refused(ErrorCode::ServerNotInitialized, "send `initialize` first"),
            (Phase::Ready, "initialize") => {
                refused(ErrorCode::InvalidRequest, "the server is initialized already")
            }
            (Phase::Ready, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.session.proofs.cancel(&|_| true);
                Some(Ok(Value::Null))
            }
            (Phase::Ready, _) => {
                let number = id.clone();
                match self.guarded(|session| handlers::request(session, number, &method, params)) {
                    Some(Ok(None)) => return,
                    Some(Ok(Some(value))) => Some(Ok(value)),
                    Some(Err(refused)) => Some(Err(refused)),
                    None => None,
                }
            }
            (Phase::ShutDown, _) => refused(ErrorCode::InvalidRequest, "the server is shut down"),
        };
        self.respond(id, answer);
    }

    fn initialize(&mut self, params: Value) -> Option<Answer> {
        let answer = self.guarded(|session| {
            let params: InitializeParams = parse(params)?;
            let general = params.capabilities.general.as_ref();
            let offered = general.and_then(|general| general.position_encodings.as_deref());
            session.encoding = Encoding::choose(offered);
            session.client = params.capabilities;
            Ok(handlers::capabilities(session.encoding))
        });
        if matches!(answer, Some(Ok(_))) {
            self.phase = Phase::Ready;
        }
        answer
    }
}
