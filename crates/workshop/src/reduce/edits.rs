//! Edits that remove parts: statements, links of a chain, elements of a list, and constructs around
//! a body.

use std::ops::Range;

use halidom_lang::{Bracket, Outline, TokenKind};

/// Replacements in a text, disjoint and in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit(pub(crate) Vec<(Range<usize>, String)>);

impl Edit {
    pub(crate) fn delete(range: Range<usize>) -> Self {
        Self(vec![(range, String::new())])
    }

    pub(crate) fn replace(range: Range<usize>, by: impl Into<String>) -> Self {
        Self(vec![(range, by.into())])
    }

    pub(super) fn apply(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut at = 0;
        for (range, by) in &self.0 {
            result.push_str(&text[at..range.start]);
            result.push_str(by);
            at = range.end;
        }
        result.push_str(&text[at..]);
        result
    }
}

/// The text of a token; empty for a group.
pub(super) fn word<'t>(text: &'t str, part: &Outline) -> &'t str {
    match part {
        Outline::Token { range, .. } => &text[range.clone()],
        Outline::Group { .. } => "",
    }
}

pub(super) fn is(text: &str, part: Option<&Outline>, token: &str) -> bool {
    part.is_some_and(|part| word(text, part) == token)
}

pub(super) fn is_group(part: Option<&Outline>, wanted: Bracket) -> bool {
    matches!(part, Some(Outline::Group { bracket, .. }) if *bracket == wanted)
}

/// The byte range of adjacent parts.
pub(super) fn span(parts: &[Outline]) -> Range<usize> {
    match (parts.first(), parts.last()) {
        (Some(first), Some(last)) => first.range().start..last.range().end,
        (_, _) => 0..0,
    }
}

/// Calls `visit` with the file's parts and with the parts of every group, outer groups first.
pub(super) fn for_each_level<'p>(
    parts: &'p [Outline],
    bracket: Option<Bracket>,
    visit: &mut dyn FnMut(&'p [Outline], Option<Bracket>),
) {
    visit(parts, bracket);
    for part in parts {
        if let Outline::Group { bracket, parts, .. } = part {
            for_each_level(parts, Some(*bracket), visit);
        }
    }
}

/// Splits the contents of braces into statements. Each ends at a `;` or after braces that nothing
/// continues.
fn split_statements<'p>(text: &str, parts: &'p [Outline]) -> Vec<&'p [Outline]> {
    let mut statements = Vec::new();
    let mut start = 0;
    for (at, part) in parts.iter().enumerate() {
        let next = parts.get(at + 1);
        let continues = next.is_some_and(|next| {
            matches!(next, Outline::Token { kind: TokenKind::Punctuation, .. })
        });
        let ends = word(text, part) == ";" || (is_group(Some(part), Bracket::Brace) && !continues);
        if ends {
            statements.push(&parts[start..=at]);
            start = at + 1;
        }
    }
    if start < parts.len() {
        statements.push(&parts[start..]);
    }
    statements
}

/// Removes runs of statements: halves first, then quarters, down to single ones.
pub(super) fn statements(text: &str, parts: &[Outline]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for_each_level(parts, None, &mut |parts, bracket| {
        if !matches!(bracket, None | Some(Bracket::Brace)) {
            return;
        }
        let statements = split_statements(text, parts);
        let mut length = statements.len();
        while length > 0 {
            for run in statements.chunks(length) {
                if let (Some(first), Some(last)) = (run.first(), run.last()) {
                    edits.push(Edit::delete(span(first).start..span(last).end));
                }
            }
            length /= 2;
        }
    });
    edits
}

/// Removes `.name(…)`, with the braces that may follow, and the rest of its chain.
pub(super) fn links(text: &str, parts: &[Outline]) -> Vec<Edit> {
    let (mut runs, mut single) = (Vec::new(), Vec::new());
    for_each_level(parts, None, &mut |parts, _| {
        let mut at = 0;
        while at < parts.len() {
            let start = at;
            let mut ends = Vec::new();
            while let Some(end) = link(text, parts, at) {
                ends.push((at, end));
                at = end;
            }
            if let Some((_, last)) = ends.last()
                && ends.len() > 1
            {
                for (from, _) in &ends {
                    runs.push(Edit::delete(span(&parts[*from..*last])));
                }
            }
            single.extend(ends.iter().map(|(from, to)| Edit::delete(span(&parts[*from..*to]))));
            at = at.max(start + 1);
        }
    });
    runs.extend(single);
    runs
}

/// The end of the link of a chain that begins at a part.
fn link(text: &str, parts: &[Outline], at: usize) -> Option<usize> {
    let named = is(text, parts.get(at), ".")
        && matches!(parts.get(at + 1), Some(Outline::Token { kind: TokenKind::Name, .. }));
    let called = named && is_group(parts.get(at + 2), Bracket::Parenthesis);
    called.then(|| if is_group(parts.get(at + 3), Bracket::Brace) { at + 4 } else { at + 3 })
}

/// The elements between commas, as runs of parts. The commas of `buffer<type, rank>` do not
/// separate elements.
pub(super) fn split_commas<'p>(text: &str, parts: &'p [Outline]) -> Vec<&'p [Outline]> {
    let (mut elements, mut start, mut in_type) = (Vec::new(), 0, false);
    for (at, part) in parts.iter().enumerate() {
        match word(text, part) {
            "<" => in_type |= at.checked_sub(1).is_some_and(|at| is(text, parts.get(at), "buffer")),
            ">" => in_type = false,
            "," if !in_type => {
                elements.push(&parts[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    elements.push(&parts[start..]);
    elements
}

/// Removes an element of a list with one of its commas.
pub(super) fn elements(text: &str, parts: &[Outline]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for_each_level(parts, None, &mut |parts, bracket| {
        if !matches!(bracket, Some(Bracket::Parenthesis | Bracket::Square)) {
            return;
        }
        let elements = split_commas(text, parts);
        for (number, element) in elements.iter().enumerate() {
            if element.is_empty() {
                continue;
            }
            let own = span(element);
            let before = number.checked_sub(1).and_then(|number| elements[number].last());
            let after = elements.get(number + 1).and_then(|next| next.first());
            edits.push(Edit::delete(match (before, after) {
                (_, Some(after)) => own.start..after.range().start,
                (Some(before), None) => before.range().end..own.end,
                (None, None) => own,
            }));
        }
    });
    edits
}

/// Removes the construct around a body: of `for … { body }`, of `{ let …; value }`, and the
/// condition of `for … where …`.
pub(super) fn unwrap(text: &str, parts: &[Outline]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for_each_level(parts, None, &mut |parts, _| {
        for (at, part) in parts.iter().enumerate() {
            let body = parts[at..].iter().position(|part| is_group(Some(part), Bracket::Brace));
            let Some(body) = body.map(|offset| at + offset) else { continue };
            match word(text, part) {
                "for" => {
                    if let Outline::Group { range, .. } = &parts[body] {
                        edits.push(Edit(vec![
                            (part.range().start..range.start + 1, String::new()),
                            (range.end - 1..range.end, String::new()),
                        ]));
                    }
                }
                "where" => {
                    edits.push(Edit::delete(part.range().start..parts[body].range().start));
                }
                _ => {}
            }
            if let Outline::Group { bracket: Bracket::Brace, range, parts: inner } = part
                && let Some(value) = split_statements(text, inner).last()
            {
                edits.push(Edit::replace(range.clone(), &text[span(value)]));
            }
        }
    });
    edits
}
