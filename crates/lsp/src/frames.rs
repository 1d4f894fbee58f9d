//! The messages of a stream. What is malformed is reported, and the next message is found.

use std::io::Read;

use serde_json::Value;

/// A part of the input.
#[derive(Debug)]
pub(crate) enum Frame {
    /// A message, any JSON value.
    Message(Value),
    /// Bytes that are no message, with the reason.
    Malformed(&'static str),
}

/// The header that begins a message.
const LENGTH: &[u8] = b"content-length:";
/// The greatest length of a message: a text of this size would be no program.
const MOST: usize = 64 << 20;

/// Splits a stream into messages.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// The bytes before this place belong to messages that were returned.
    at: usize,
}

impl Frames {
    /// Reads a stream to its end, and passes each part on while `deliver` returns true.
    pub(crate) fn read(mut input: impl Read, deliver: &mut dyn FnMut(Frame) -> bool) {
        let mut frames = Self::default();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match input.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => frames.bytes.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
            while let Some(frame) = frames.next() {
                if !deliver(frame) {
                    return;
                }
            }
            frames.bytes.drain(..frames.at);
            frames.at = 0;
        }
    }

    /// Returns the next part that has arrived as a whole.
    fn next(&mut self) -> Option<Frame> {
        let rest = &self.bytes[self.at..];
        let header = find_header(rest, 0);
        let Some(header) = header else {
            // The beginning of a header may be at the end.
            let garbage = rest.len().saturating_sub(LENGTH.len());
            self.at += garbage;
            return None;
        };
        if rest[..header].iter().any(|byte| !byte.is_ascii_whitespace())
            && !is_header(&rest[..header])
        {
            self.at += header;
            return Some(Frame::Malformed("bytes before a header"));
        }
        let end = find(rest, b"\r\n\r\n", header)?;
        let length = rest[header + LENGTH.len()..end].split(|byte| *byte == b'\r').next();
        let length = length.and_then(|digits| std::str::from_utf8(digits).ok());
        let length = length.and_then(|digits| digits.trim().parse::<usize>().ok());
        let Some(length) = length.filter(|length| *length <= MOST) else {
            self.at += header + LENGTH.len();
            return Some(Frame::Malformed("a length that is no number, or too large"));
        };
        let body = end + 4..end + 4 + length;
        let Some(content) = rest.get(body.clone()) else {
            // Strings contain no raw line breaks, so a header in the content means that the message
            // was cut.
            let cut = find_header(rest, end + 4)?;
            self.at += cut;
            return Some(Frame::Malformed("a message that was cut"));
        };
        match serde_json::from_slice(content) {
            Ok(value) => {
                self.at += body.end;
                Some(Frame::Message(value))
            }
            // If the length is too large, the next header is within the content.
            Err(_) => {
                let next = find_header(rest, body.start).map_or(body.end, |at| at.min(body.end));
                self.at += next;
                Some(Frame::Malformed("content that is no JSON"))
            }
        }
    }
}

/// True if bytes consist of other headers, such as the type of the content.
fn is_header(bytes: &[u8]) -> bool {
    bytes.len() >= 12
        && bytes[..12].eq_ignore_ascii_case(b"content-type")
        && bytes.ends_with(b"\r\n")
}

/// Finds the name of the header with the length, followed by a line that ends.
fn find_header(bytes: &[u8], from: usize) -> Option<usize> {
    let windows = bytes.get(from..)?.windows(LENGTH.len());
    let mut places = windows
        .enumerate()
        .filter(|(_, window)| window.eq_ignore_ascii_case(LENGTH))
        .map(|(at, _)| from + at);
    places.find(|at| {
        let line = bytes.get(at + LENGTH.len()..).unwrap_or_default();
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b' ');
        // The line may still be arriving.
        matches!(line.get(digits.count()), Some(b'\r') | None)
    })
}

fn find(bytes: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let windows = bytes.get(from..)?.windows(needle.len());
    windows.enumerate().find(|(_, window)| *window == needle).map(|(at, _)| from + at)
}

#[cfg(test)]
mod tests {
    use super::{Frame, Frames};

    fn read(bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        Frames::read(bytes, &mut |frame| {
            found.push(match frame {
                Frame::Message(value) => value.to_string(),
                Frame::Malformed(_) => "malformed".to_owned(),
            });
            true
        });
        found
    }

    #[test]
    fn messages_are_found_around_what_is_malformed() {
        assert_eq!(read(b"Content-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n1"), ["{}", "1"]);
        let typed = b"Content-Type: x\r\nContent-Length: 1\r\nContent-Type: y\r\n\r\n1";
        assert_eq!(read(typed), ["1"]);
        assert_eq!(read(b"garbage\r\nContent-Length: 1\r\n\r\n1"), ["malformed", "1"]);
        assert_eq!(
            read(b"Content-Length: x\r\n\r\nContent-Length: 1\r\n\r\n1"),
            ["malformed", "1"]
        );
        assert_eq!(
            read(b"Content-Length: 9\r\n\r\n{\"a\":Content-Length: 1\r\n\r\n1"),
            ["malformed", "1"]
        );
        let cut = b"Content-Length: 9999\r\n\r\n{\"a\": 1, Content-Length: 1\r\n\r\n1";
        assert_eq!(read(cut), ["malformed", "1"]);
        assert_eq!(
            read(b"Content-Length: 99999999999999999999\r\n\r\nContent-Length: 1\r\n\r\n1"),
            ["malformed", "malformed", "1"]
        );
        assert_eq!(
            read(b"Content-Length: 2\r\n\r\n\xff\xffContent-Length: 1\r\n\r\n1"),
            ["malformed", "1"]
        );
    }
}
