//! Breaks and indents lines.

use crate::syntax::{Punct, Token};

use super::shape::{Role, Shape, is_operator};
use super::words::{Comment, Word};

/// The greatest length of a line in characters, unless it cannot be broken.
const WIDTH: usize = 100;
/// The spaces of one level.
const INDENT: usize = 4;

/// Lays out the tokens of a text.
pub(super) fn lines(words: &[Word<'_>], shapes: &[Shape]) -> String {
    let breaks = vec![false; words.len()];
    let mut layout = Layout { words, shapes, blocks: blocks(shapes), breaks };
    layout.take_over();
    layout.lay()
}

struct Layout<'w, 's> {
    words: &'w [Word<'s>],
    shapes: &'w [Shape],
    /// The opening bracket of the innermost block around each token.
    blocks: Vec<Option<usize>>,
    /// True for tokens that begin a line.
    breaks: Vec<bool>,
}

/// An open bracket.
#[derive(Clone, Copy, Debug)]
struct Open {
    at: usize,
    /// The column of lines within it, and of the line that closes it.
    inner: usize,
    outer: usize,
    is_block: bool,
}

/// The state before a line.
#[derive(Clone, Debug)]
struct Start {
    /// The number of the line's first token.
    at: usize,
    open: Vec<Open>,
    /// The length of the text before it.
    length: usize,
}

impl Layout<'_, '_> {
    /// Takes over the line breaks of the text that are at usual places.
    fn take_over(&mut self) {
        for at in 0..self.words.len() {
            let word = &self.words[at];
            let is_after_line_comment =
                at > 0 && self.words[at - 1].beside.iter().any(Comment::is_line);
            let is_broken = word.is_broken_before();
            match self.shapes[at].role {
                Role::Statement(None) => self.breaks[at] = true,
                Role::CloseBlock(open) => self.expand_if_broken(open, at),
                Role::Close(open) => {
                    self.breaks[at] |= is_broken && self.breaks[open + 1] && open + 1 < at;
                }
                Role::Inner | Role::Open => {
                    self.breaks[at] |= is_broken && self.shapes[at].cost.is_some();
                    // A line begins with an operator.
                    if is_broken
                        && at > 0
                        && is_operator(self.words[at - 1].token)
                        && self.shapes[at - 1].cost.is_some()
                    {
                        self.breaks[at - 1] = true;
                    }
                }
                Role::Statement(Some(_)) | Role::OpenBlock { .. } => {}
            }
            self.breaks[at] |= is_after_line_comment || !word.above.is_empty();
        }
    }

    /// Breaks a block into lines if the text does, or if it has several statements.
    fn expand_if_broken(&mut self, open: usize, close: usize) {
        let is_broken = self.words[open + 1..=close].iter().any(Word::is_broken_before);
        let starts =
            (open + 1..close).filter(|at| self.shapes[*at].role == Role::Statement(Some(open)));
        let is_body = self.shapes[open].role == Role::OpenBlock { is_body: true };
        if (is_broken && open + 1 < close) || (is_body && starts.count() > 1) {
            self.split(open + 1);
        }
    }

    /// Puts each statement of a block on lines of its own.
    fn expand(&mut self, open: usize) {
        for at in open + 1..self.words.len() {
            match self.shapes[at].role {
                Role::Statement(of) if of == Some(open) => self.breaks[at] = true,
                Role::CloseBlock(of) if of == open => {
                    self.breaks[at] = true;
                    return;
                }
                Role::Statement(_)
                | Role::CloseBlock(_)
                | Role::Inner
                | Role::OpenBlock { .. }
                | Role::Open
                | Role::Close(_) => {}
            }
        }
    }

    fn lay(&mut self) -> String {
        let mut text = String::new();
        let mut starts: Vec<Start> = Vec::new();
        let mut next = Start { at: 0, open: Vec::new(), length: 0 };
        while next.at < self.words.len() {
            text.truncate(next.length);
            let (after, width) = self.line(&next, &mut text);
            if width > WIDTH {
                let end = after.at;
                if let Some(at) = self.best_break(&next, end) {
                    self.split(at);
                    continue;
                }
                if let Some(again) = self.loosen(&next, &starts) {
                    starts.truncate(again);
                    if let Some(start) = starts.pop() {
                        next = start;
                    }
                    continue;
                }
            }
            starts.push(next);
            next = after;
        }
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// Writes a line. Returns the state after it, and its width without the comments at its end.
    fn line(&self, start: &Start, text: &mut String) -> (Start, usize) {
        let mut open = start.open.clone();
        let indent = self.indent(start.at, &open);
        self.begin(start.at, indent, open.last(), text);
        let mut column = column(text);
        let mut width = column;
        let mut at = start.at;
        loop {
            let (word, shape) = (&self.words[at], &self.shapes[at]);
            if at > start.at && shape.space {
                text.push(' ');
                column += 1;
            }
            text.push_str(word.text);
            column += word.text.chars().count();
            width = width.max(column);
            self.track(at, indent, column, &mut open);
            for comment in &word.beside {
                text.push(' ');
                text.push_str(&comment.text);
            }
            if !word.beside.is_empty() {
                column = self::column(text);
            }
            at += 1;
            if at == self.words.len() || self.breaks[at] {
                break;
            }
        }
        text.push('\n');
        (Start { at, open, length: text.len() }, width)
    }

    /// Opens or closes the brackets of a token that ends at a column.
    fn track(&self, at: usize, indent: usize, column: usize, open: &mut Vec<Open>) {
        let is_bracket = matches!(
            self.words[at].token,
            Token::Punct(Punct::OpenParen | Punct::OpenBracket | Punct::OpenBrace)
        );
        match self.shapes[at].role {
            Role::OpenBlock { is_body } => {
                let statement = open.last().map_or(0, |around| around.inner);
                let outer = if is_body { statement } else { indent };
                open.push(Open { at, inner: outer + INDENT, outer, is_block: true });
            }
            Role::Open | Role::Statement(_) if is_bracket => {
                let inner = if self.breaks[at + 1] { indent + INDENT } else { column };
                open.push(Open { at, inner, outer: indent, is_block: false });
            }
            Role::Close(_) | Role::CloseBlock(_) => {
                open.pop();
            }
            Role::Inner | Role::Open | Role::Statement(_) => {}
        }
    }

    fn indent(&self, at: usize, open: &[Open]) -> usize {
        let around = open.last();
        let inner = around.map_or(0, |open| open.inner);
        match (self.shapes[at].role, around) {
            (Role::Statement(_), _) => inner,
            (Role::CloseBlock(_), Some(open)) => open.outer,
            (Role::Close(of), Some(open)) if self.breaks[of + 1] => open.outer,
            (_, Some(open)) if !open.is_block => inner,
            _ => inner + INDENT,
        }
    }

    /// Writes the comments above a line, and its indentation. Keeps one empty line where the text
    /// separates statements by some.
    fn begin(&self, at: usize, indent: usize, around: Option<&Open>, text: &mut String) {
        let word = &self.words[at];
        let role = self.shapes[at].role;
        let is_first = match around {
            Some(open) => at == open.at + 1,
            None => at == 0,
        };
        let separates = matches!(role, Role::Statement(_) | Role::CloseBlock(_));
        let mut may_be_blank = separates && !is_first;
        // Comments before a closing bracket belong to the content.
        let column = match (role, around) {
            (Role::CloseBlock(_) | Role::Close(_), Some(open)) => open.inner,
            _ => indent,
        };
        let mut is_at_start = true;
        for comment in &word.above {
            if is_at_start {
                if may_be_blank && comment.after_blank {
                    text.push('\n');
                }
                push_spaces(text, column);
            }
            text.push_str(&comment.text);
            is_at_start = comment.is_line() || comment.ends_line;
            text.push(if is_at_start { '\n' } else { ' ' });
            may_be_blank = separates;
        }
        if word.token == Token::End {
            return;
        }
        if !is_at_start && !matches!(role, Role::CloseBlock(_)) {
            return;
        }
        if !is_at_start {
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        if may_be_blank && word.after_blank && !matches!(role, Role::CloseBlock(_)) {
            text.push('\n');
        }
        push_spaces(text, indent);
    }

    /// Chooses the cheapest place to break a line; of several, the last before which the line is
    /// short enough.
    fn best_break(&self, start: &Start, end: usize) -> Option<usize> {
        let places = || (start.at + 1..end).filter(|at| !self.breaks[*at]);
        let least = places().filter_map(|at| self.shapes[at].cost).min()?;
        let mut width = self.indent(start.at, &start.open);
        let mut best = None;
        for at in start.at..end {
            let is_place = at > start.at && self.shapes[at].cost == Some(least);
            // The outermost block is broken first.
            if is_place && matches!(self.shapes[at].role, Role::Statement(_)) {
                return Some(at);
            }
            if is_place && (width <= WIDTH || best.is_none()) {
                best = Some(at);
            }
            width += usize::from(self.shapes[at].space) + self.words[at].text.chars().count();
        }
        best
    }

    /// Begins a line at a token. The blocks around it become lines.
    fn split(&mut self, at: usize) {
        self.breaks[at] = true;
        let mut around = self.blocks[at];
        while let Some(open) = around {
            self.expand(open);
            around = self.blocks[open];
        }
    }

    /// Moves the content of a bracket around a line that is too long to the left, by a line break
    /// after the bracket. Returns the number of lines before the one to be laid out again.
    fn loosen(&mut self, start: &Start, starts: &[Start]) -> Option<usize> {
        let aligned = start.open.iter().rev().find(|open| {
            !open.is_block
                && open.inner > open.outer + INDENT
                && !self.breaks[open.at + 1]
                && self.shapes[open.at + 1].cost.is_some()
        })?;
        self.split(aligned.at + 1);
        Some(starts.partition_point(|line| line.at <= aligned.at))
    }
}

/// Returns the opening bracket of the innermost block around each token.
fn blocks(shapes: &[Shape]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let around = |(at, shape): (usize, &Shape)| {
        if let Role::CloseBlock(_) = shape.role {
            open.pop();
        }
        let around = open.last().copied();
        if let Role::OpenBlock { .. } = shape.role {
            open.push(at);
        }
        around
    };
    shapes.iter().enumerate().map(around).collect()
}

/// The width of the last line of a text.
fn column(text: &str) -> usize {
    text.rsplit('\n').next().unwrap_or("").chars().count()
}

fn push_spaces(text: &mut String, count: usize) {
    text.extend(std::iter::repeat_n(' ', count));
}
