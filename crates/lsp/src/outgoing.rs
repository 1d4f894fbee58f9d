//! Messages to the client.

use std::io::Write;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

/// The stream to the client. A client that is gone is noticed at the end of the input.
pub(crate) struct Outgoing {
    stream: Box<dyn Write + Send>,
    next_request: i32,
}

impl Outgoing {
    pub(crate) fn new(stream: Box<dyn Write + Send>) -> Self {
        Self { stream, next_request: 0 }
    }

    fn write(&mut self, message: &Message) {
        let _ = message.write(&mut self.stream).and_then(|()| self.stream.flush());
    }

    pub(crate) fn respond(&mut self, id: RequestId, result: Result<Value, (ErrorCode, String)>) {
        let response = match result {
            Ok(value) => Response::new_ok(id, value),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        self.write(&Message::Response(response));
    }

    pub(crate) fn notify(&mut self, method: &str, params: impl Into<Value>) {
        let method = method.to_owned();
        self.write(&Message::Notification(Notification { method, params: params.into() }));
    }

    /// Sends a request; its answer is not waited for.
    pub(crate) fn request(&mut self, method: &str, params: impl Into<Value>) {
        self.next_request += 1;
        let id = RequestId::from(format!("halidom-{}", self.next_request));
        let method = method.to_owned();
        self.write(&Message::Request(Request { id, method, params: params.into() }));
    }

    /// Answers what is no message, with its number if it has one; without, the number is null.
    pub(crate) fn malformed(&mut self, id: &Value, code: ErrorCode, reason: &str) {
        let error = json!({"code": code as i32, "message": reason});
        let answer = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
        let _ = write!(self.stream, "Content-Length: {}\r\n\r\n{answer}", answer.len())
            .and_then(|()| self.stream.flush());
    }
}
