//! Requests and answers of HTTP/1.1: one request for each connection, with limits on its size and
//! on the time that the client may take.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// The greatest size of a request's first line and headers in bytes.
const HEAD: usize = 16 << 10;
/// The greatest number of headers.
const HEADERS: usize = 64;
/// The greatest size of a request's body in bytes.
pub(crate) const BODY: usize = 1 << 20;
/// The time in which a client has to send its request, and to take its answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time for which the rest of a refused request is read, so that its answer arrives.
const DRAINED: Duration = Duration::from_millis(300);

/// The first line and the headers of a request.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// The path, without the query.
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    headers: Vec<(String, Vec<u8>)>,
}

impl Head {
    /// The value of a header that stands at most once; an error if it is repeated or is no text.
    pub(crate) fn header(&self, name: &str) -> Result<Option<&str>, Status> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        match (found.next(), found.next()) {
            (None, _) => Ok(None),
            (Some((_, value)), None) => {
                std::str::from_utf8(value).map(Some).map_err(|_| Status::BadRequest)
            }
            (Some(_), Some(_)) => Err(Status::BadRequest),
        }
    }
}

/// The status of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Timeout,
    TooLarge,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::Forbidden => "403 Forbidden",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::Timeout => "408 Request Timeout",
            Self::TooLarge => "413 Content Too Large",
        }
    }
}

/// An answer to a request. A refusal has no body.
pub(crate) struct Answer {
    pub(crate) status: Status,
    pub(crate) kind: &'static str,
    pub(crate) body: String,
    /// The nonce of the page's own style and scripts.
    pub(crate) nonce: Option<String>,
}

impl From<Status> for Answer {
    fn from(status: Status) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: String::new(), nonce: None }
    }
}

/// A connection with a client, and the time until which it may send.
pub(crate) struct Client {
    stream: TcpStream,
    until: Instant,
    /// The bytes that were read beyond the head.
    rest: Vec<u8>,
}

impl Client {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream, until: Instant::now() + PATIENCE, rest: Vec::new() }
    }

    /// Reads some bytes. `Ok(0)` is the end of what the client sends.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Status> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Status::Timeout);
        }
        let _ = self.stream.set_read_timeout(Some(left));
        self.stream.read(buffer).map_err(|_| Status::Timeout)
    }

    /// Reads the head of a request.
    pub(crate) fn head(&mut self) -> Result<Head, Status> {
        let mut bytes = Vec::new();
        loop {
            let mut headers = [httparse::EMPTY_HEADER; HEADERS];
            let mut parsed = httparse::Request::new(&mut headers);
            let complete = match parsed.parse(&bytes) {
                Ok(httparse::Status::Complete(length)) => Some(length),
                Ok(httparse::Status::Partial) => None,
                Err(httparse::Error::TooManyHeaders) => return Err(Status::TooLarge),
                Err(_) => return Err(Status::BadRequest),
            };
            if let Some(length) = complete {
                let head = head(&parsed)?;
                self.rest = bytes.split_off(length);
                return Ok(head);
            }
            if bytes.len() >= HEAD {
                return Err(Status::TooLarge);
            }
            let mut some = [0; 4096];
            let count = self.read(&mut some)?;
            if count == 0 {
                return Err(Status::BadRequest);
            }
            bytes.extend_from_slice(&some[..count]);
        }
    }

    /// Reads the body that a head announces.
    pub(crate) fn body(&mut self, head: &Head) -> Result<Vec<u8>, Status> {
        if head.header("transfer-encoding")?.is_some() {
            return Err(Status::BadRequest);
        }
        let length = match head.header("content-length")? {
            None => 0,
            // `parse` would also take a sign.
            Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                digits.parse::<usize>().map_err(|_| Status::TooLarge)?
            }
            Some(_) => return Err(Status::BadRequest),
        };
        if length > BODY {
            return Err(Status::TooLarge);
        }
        let mut body = std::mem::take(&mut self.rest);
        let mut some = [0; 16 << 10];
        while body.len() < length {
            let count = self.read(&mut some)?;
            if count == 0 {
                return Err(Status::BadRequest);
            }
            body.extend_from_slice(&some[..count]);
        }
        // One request for each connection: what follows is not looked at.
        body.truncate(length);
        Ok(body)
    }

    /// Sends the answer and ends the connection.
    pub(crate) fn answer(mut self, answer: &Answer) {
        let Answer { status, kind, body, nonce } = answer;
        let own = match nonce {
            Some(nonce) => format!(
                "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
                    connect-src 'self'; img-src data:; "
            ),
            None => "default-src 'none'; ".to_owned(),
        };
        let text = format!(
            "HTTP/1.1 {}\r\n\
            Content-Type: {kind}\r\n\
            Content-Length: {}\r\n\
            Connection: close\r\n\
            Content-Security-Policy: {own}base-uri 'none'; form-action 'none'; \
                frame-ancestors 'none'\r\n\
            Referrer-Policy: no-referrer\r\n\
            X-Content-Type-Options: nosniff\r\n\
            X-Frame-Options: DENY\r\n\
            Cross-Origin-Resource-Policy: same-origin\r\n\
            Cross-Origin-Opener-Policy: same-origin\r\n\
            Cache-Control: no-store\r\n\r\n{body}",
            status.line(),
            body.len(),
        );
        let _ = self.stream.set_write_timeout(Some(PATIENCE));
        // The client may have left.
        if self.stream.write_all(text.as_bytes()).is_err() {
            return;
        }
        let _ = self.stream.shutdown(Shutdown::Write);
        // A connection that is closed with unread bytes is reset, and the answer may be lost.
        self.until = Instant::now() + DRAINED;
        let mut left = BODY;
        let mut some = [0; 16 << 10];
        while left > 0 {
            match self.read(&mut some) {
                Ok(0) | Err(_) => break,
                Ok(count) => left = left.saturating_sub(count),
            }
        }
    }
}

fn head(parsed: &httparse::Request<'_, '_>) -> Result<Head, Status> {
    let (Some(method), Some(target)) = (parsed.method, parsed.path) else {
        return Err(Status::BadRequest);
    };
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (target, None),
    };
    let headers = parsed.headers.iter();
    Ok(Head {
        method: method.to_owned(),
        path: path.to_owned(),
        query,
        headers: headers.map(|header| (header.name.to_owned(), header.value.to_vec())).collect(),
    })
}
