//! A text without loss: its tokens, each with the comments around it and its line breaks.

use halidom_diag::FileId;

use crate::syntax::{Lexeme, Token, lex_with_comments};

/// A token and what surrounds it.
#[derive(Debug)]
pub(super) struct Word<'s> {
    pub(super) token: Token<'s>,
    /// As written; empty for the end of the text.
    pub(super) text: &'s str,
    /// The comments that begin a line before it.
    pub(super) above: Vec<Comment>,
    /// The comments after it on its line.
    pub(super) beside: Vec<Comment>,
    /// True if a line break precedes it, after the last comment.
    pub(super) begins_line: bool,
    /// True if an empty line precedes it, after the last comment.
    pub(super) after_blank: bool,
}

/// A comment.
#[derive(Debug)]
pub(super) struct Comment {
    /// Its text, with line breaks of one kind and without white space at the end.
    pub(super) text: String,
    /// True if an empty line precedes it.
    pub(super) after_blank: bool,
    /// True if the line ends after it.
    pub(super) ends_line: bool,
}

impl Comment {
    /// True for `// …`, which ends its line.
    pub(super) fn is_line(&self) -> bool {
        self.text.starts_with("//")
    }
}

impl Word<'_> {
    /// True if the text breaks a line between the token before and this one.
    pub(super) fn is_broken_before(&self) -> bool {
        self.begins_line || !self.above.is_empty()
    }
}

/// Returns the tokens of a text that can be split into tokens; the last one is the end.
pub(super) fn words(text: &str, file: FileId) -> Vec<Word<'_>> {
    let (lexemes, comments) = lex_with_comments(text, file, &mut Vec::new());
    let mut comments = comments.into_iter().peekable();
    let mut words: Vec<Word<'_>> = Vec::with_capacity(lexemes.len());
    let mut at = 0;
    for Lexeme { token, span } in lexemes {
        let mut above: Vec<Comment> = Vec::new();
        while let Some(place) = comments.next_if(|comment| comment.start < span.start) {
            let gap = text.get(at..place.start).unwrap_or("");
            at = place.end;
            let comment = Comment {
                text: normal(text.get(place.range()).unwrap_or("")),
                after_blank: breaks(gap) > 1,
                ends_line: breaks(
                    text.get(at..).unwrap_or("").split_inclusive(is_ink).next().unwrap_or(""),
                ) > 0,
            };
            match words.last_mut() {
                Some(word) if above.is_empty() && breaks(gap) == 0 => word.beside.push(comment),
                Some(_) | None => above.push(comment),
            }
        }
        let gap = breaks(text.get(at..span.start).unwrap_or(""));
        at = span.end;
        words.push(Word {
            token,
            text: text.get(span.range()).unwrap_or(""),
            above,
            beside: Vec::new(),
            begins_line: gap > 0,
            after_blank: gap > 1,
        });
    }
    words
}

fn is_ink(c: char) -> bool {
    !c.is_whitespace()
}

/// The number of line breaks in white space.
fn breaks(gap: &str) -> usize {
    gap.bytes().filter(|byte| *byte == b'\n').count()
}

fn normal(comment: &str) -> String {
    let comment = comment.trim_end();
    if comment.starts_with("//") {
        // A line break would end the comment; a carriage return does not.
        return comment.to_owned();
    }
    comment.replace("\r\n", "\n").replace('\r', "\n")
}
