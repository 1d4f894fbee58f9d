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
/// The bytes between the headers and the content.
const END: &[u8] = b"\r\n\r\n";
/// The greatest length of a message: a text of this size would be no program.
const MOST: usize = 64 << 20;
/// The greatest length of all headers of a message.
const MOST_HEADERS: usize = 4 << 10;
/// The greatest length of the line with the length, which may lie across two reads.
const MOST_LINE: usize = 64;

/// Splits a stream into messages.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// The bytes before this place were handled.
    at: usize,
    /// The number of bytes from there in which no header begins within the content.
    searched: usize,
    /// True if the next message must be found: what was read last is malformed.
    is_lost: bool,
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
        if self.is_lost {
            let rest = &self.bytes[self.at..];
            let found = find_header(rest);
            // A line that is still arriving is kept.
            self.at += found.unwrap_or(rest.len().saturating_sub(MOST_LINE));
            found?;
            self.is_lost = false;
        }
        let blank = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace());
        self.at += blank.count();
        let rest = &self.bytes[self.at..];
        let Some(end) = find(&rest[..rest.len().min(MOST_HEADERS)], END) else {
            let is_endless = rest.len() >= MOST_HEADERS;
            return is_endless.then(|| self.lost(1, "headers without an end"));
        };
        let Some(length) = length(&rest[..end]) else {
            return Some(self.lost(1, "no length, or one that is too large"));
        };
        let begin = end + END.len();
        let Some(content) = rest.get(begin..begin + length) else {
            // Strings contain no raw line breaks, so a header in the content means that the message
            // was cut.
            if find_header(&rest[begin.max(self.searched)..]).is_some() {
                return Some(self.lost(begin, "a message that was cut"));
            }
            self.searched = rest.len().saturating_sub(MOST_LINE);
            return None;
        };
        let Ok(value) = serde_json::from_slice(content) else {
            // If the length is too large, the next header is within the content.
            return Some(self.lost(begin, "content that is no JSON"));
        };
        self.at += begin + length;
        self.searched = 0;
        Some(Frame::Message(value))
    }

    /// Skips bytes, and then all that is before a header.
    fn lost(&mut self, skipped: usize, reason: &'static str) -> Frame {
        self.at += skipped;
        self.searched = 0;
        self.is_lost = true;
        Frame::Malformed(reason)
    }
}

/// Reads the length of the content from the headers.
fn length(headers: &[u8]) -> Option<usize> {
    let mut length = None;
    for line in std::str::from_utf8(headers).ok()?.split("\r\n") {
        let (name, value) = line.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().ok()?);
        } else if !name.eq_ignore_ascii_case("content-type") {
            return None;
        }
    }
    length.filter(|length| *length <= MOST)
}

/// Finds a whole line with a length.
fn find_header(bytes: &[u8]) -> Option<usize> {
    let windows = bytes.windows(LENGTH.len()).enumerate();
    let mut places = windows.filter(|(_, window)| window.eq_ignore_ascii_case(LENGTH));
    let found = places.find(|(at, _)| {
        let line = &bytes[at + LENGTH.len()..];
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b' ');
        line.get(digits.count()) == Some(&b'\r')
    });
    found.map(|(at, _)| at)
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{Frame, Frames};

    fn read(input: impl Read) -> Vec<String> {
        let mut found = Vec::new();
        Frames::read(input, &mut |frame| {
            found.push(match frame {
                Frame::Message(value) => value.to_string(),
                Frame::Malformed(_) => "malformed".to_owned(),
            });
            true
        });
        found
    }

    /// A stream whose bytes arrive one by one.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    /// Reads bytes that arrive at once, and one by one.
    fn both(bytes: &[u8]) -> Vec<String> {
        let found = read(bytes);
        assert_eq!(read(Slow(bytes)), found, "{}", bytes.escape_ascii());
        found
    }

    #[test]
    fn messages_are_found_around_what_is_malformed() {
        assert_eq!(both(b"Content-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n1"), ["{}", "1"]);
        let typed = b"Content-Type: x\r\nContent-Length: 1\r\nContent-Type: y\r\n\r\n1";
        assert_eq!(both(typed), ["1"]);
        for malformed in [
            b"garbage\r\n".as_slice(),
            b"Content-Length: x\r\n\r\n",
            b"Content-Length: 9\r\n\r\n{\"a\":",
            b"Content-Length: 9999\r\n\r\n{\"a\": 1, ",
            b"Content-Length: 99999999999999999999\r\n\r\n",
            b"Content-Length: 99999999\r\n\r\n",
            b"Content-Length: 2\r\n\r\n\xff\xff",
        ] {
            let stream = [malformed, b"Content-Length: 1\r\n\r\n1"].concat();
            assert_eq!(both(&stream), ["malformed", "1"], "{}", stream.escape_ascii());
        }
    }

    #[test]
    fn a_header_in_a_string_is_content() {
        let content = r#"{"a":"content-length: 7 content-length: 8"}"#;
        let stream = format!("Content-Length: {}\r\n\r\n{content}", content.len());
        assert_eq!(both(stream.as_bytes()), [content]);
    }

    #[test]
    fn headers_without_an_end_are_reported_before_they_end() {
        assert_eq!(both(&b"Content-Type: ".repeat(1 << 10)), ["malformed"]);
        assert_eq!(both(&b"Content-Length: 1 ".repeat(1 << 10)), ["malformed"]);
    }

    #[test]
    fn a_long_message_is_searched_once() {
        // With a search from the beginning for each byte, this would take hours.
        let content = format!("\"{}\"", "x".repeat(1 << 20));
        let stream = format!("Content-Length: {}\r\n\r\n{content}", content.len());
        assert_eq!(read(Slow(stream.as_bytes())), [content]);
    }
}
