//! A reader for the part of JSON that Halidom's answers need.

use std::iter::Peekable;
use std::str::Chars;

/// A JSON value. An object keeps the order of its keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value that fills the whole text. The error names what was expected.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut reader = Reader { rest: text.chars().peekable() };
        let value = reader.value()?;
        reader.skip_space();
        match reader.rest.next() {
            None => Ok(value),
            Some(_) => Err("one value and nothing after it"),
        }
    }

    /// Returns the value of an object's key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns an object's members, in order.
    pub(crate) fn members(&self) -> Option<&[(String, Self)]> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub(crate) fn array(&self) -> Option<&[Self]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t' | '\n' | '\r')).is_some() {}
    }

    /// Skips white space, then takes the character if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        self.skip_space();
        self.rest.next_if_eq(&wanted).is_some()
    }

    fn value(&mut self) -> Result<Json, &'static str> {
        self.skip_space();
        match self.rest.peek() {
            Some('{') => self.object(),
            Some('[') => self.array(),
            Some('"') => self.text().map(Json::Text),
            Some('-' | '0'..='9') => self.number(),
            Some('a'..='z') => self.word(),
            Some(_) | None => Err("a value"),
        }
    }

    fn object(&mut self) -> Result<Json, &'static str> {
        self.rest.next();
        let mut members = Vec::new();
        if self.take('}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_space();
            let name = self.text()?;
            if !self.take(':') {
                return Err("`:` after a key");
            }
            members.push((name, self.value()?));
            if self.take('}') {
                return Ok(Json::Object(members));
            }
            if !self.take(',') {
                return Err("`,` or `}` in an object");
            }
        }
    }

    fn array(&mut self) -> Result<Json, &'static str> {
        self.rest.next();
        let mut items = Vec::new();
        if self.take(']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.take(']') {
                return Ok(Json::Array(items));
            }
            if !self.take(',') {
                return Err("`,` or `]` in an array");
            }
        }
    }

    fn text(&mut self) -> Result<String, &'static str> {
        if self.rest.next() != Some('"') {
            return Err("a text in double quotes");
        }
        let mut text = String::new();
        loop {
            match self.rest.next().ok_or("the end of a text")? {
                '"' => return Ok(text),
                '\\' => text.push(self.escaped()?),
                c => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, &'static str> {
        match self.rest.next() {
            Some(c @ ('"' | '\\' | '/')) => Ok(c),
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('r') => Ok('\r'),
            Some('b') => Ok('\u{8}'),
            Some('f') => Ok('\u{c}'),
            Some('u') => {
                let first = self.code_unit()?;
                // Characters beyond the first 65,536 are written as two code units.
                if !(0xD800..0xDC00).contains(&first) {
                    return char::from_u32(first).ok_or("a character");
                }
                if !(self.rest.next() == Some('\\') && self.rest.next() == Some('u')) {
                    return Err("the second half of a surrogate pair");
                }
                let second = self.code_unit()?;
                let low =
                    second.checked_sub(0xDC00).ok_or("the second half of a surrogate pair")?;
                char::from_u32(0x10000 + ((first - 0xD800) << 10) + low).ok_or("a character")
            }
            Some(_) | None => Err("an escape sequence of JSON"),
        }
    }

    fn code_unit(&mut self) -> Result<u32, &'static str> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.rest.next().and_then(|c| c.to_digit(16));
            unit = unit * 16 + digit.ok_or("four hexadecimal digits")?;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<Json, &'static str> {
        let mut digits = String::new();
        while let Some(c) =
            self.rest.next_if(|c| matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
        {
            digits.push(c);
        }
        digits.parse().map(Json::Number).map_err(|_| "a number")
    }

    fn word(&mut self) -> Result<Json, &'static str> {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(char::is_ascii_lowercase) {
            word.push(c);
        }
        match word.as_str() {
            "null" => Ok(Json::Null),
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            _ => Err("a value"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_values() {
        let text = concat!(
            r#" {"a": [1, -2.5e1, true, false, null], "b": {}, "c": [], "#,
            r#""d": "x\"\\\u00e9\ud83d\ude00\n"} "#
        );
        let value = Json::parse(text).expect("valid");
        let a = value.get("a").and_then(Json::array).expect("an array");
        assert_eq!(
            a,
            [
                Json::Number(1.0),
                Json::Number(-25.0),
                Json::Bool(true),
                Json::Bool(false),
                Json::Null
            ]
        );
        assert_eq!(value.get("b"), Some(&Json::Object(vec![])));
        assert_eq!(value.get("c"), Some(&Json::Array(vec![])));
        assert_eq!(value.get("d").and_then(Json::text), Some("x\"\\é😀\n"));
        assert_eq!(value.get("e"), None);
    }

    #[test]
    fn rejects_what_is_not_json() {
        let cases = [
            "",
            "{",
            "[1,",
            "[1 2]",
            "{\"a\" 1}",
            "{a: 1}",
            "\"x",
            "nul",
            "1 2",
            "--1",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "[1,]",
            "error: no such file",
        ];
        for text in cases {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }
}
