//! The secret of a session, which only the printed address carries.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;

/// The number of random bytes.
const BYTES: usize = 16;

/// Random text in hexadecimal digits.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// Takes a new one from the system.
    pub(crate) fn new() -> std::io::Result<Self> {
        let mut bytes = [0; BYTES];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let mut text = String::with_capacity(2 * BYTES);
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Compares with a given text, in a time that does not depend on where they differ.
    pub(crate) fn is(&self, given: &str) -> bool {
        let differences = self.0.bytes().zip(given.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
        given.len() == self.0.len() && differences == 0
    }
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn tokens_differ_and_are_compared_in_full() {
        let [one, two] = [Token::new(), Token::new()].map(|token| token.expect("random bytes"));
        assert_eq!(one.text().len(), 32);
        assert!(one.is(one.text()) && !one.is(two.text()));
        assert!(!one.is("") && !one.is(&one.text()[1..]) && !one.is(&format!("{}0", one.text())));
    }
}
