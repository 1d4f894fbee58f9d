//! Edits of many places at once: another element type everywhere, or one dimension less.

use halidom_base::IndexSet;
use halidom_lang::{Bracket, Outline, TokenKind};

use super::edits::{Edit, for_each_level, is, is_group, span, split_commas, word};

/// Element types, the simplest first.
const TYPES: [&str; 10] = ["i32", "u8", "u16", "u32", "i16", "i8", "f32", "i64", "u64", "f64"];

/// The distance of a name from the simplest type.
pub(super) fn weight(name: &str) -> u64 {
    match TYPES.iter().position(|ty| *ty == name) {
        Some(position) => 2 * position as u64,
        // Names weigh most, so that replacing one by a number lowers the measure.
        None => 1 << 20,
    }
}

/// Replaces an element type by a simpler one, everywhere or at one place.
pub(super) fn types(text: &str, parts: &[Outline]) -> Vec<Edit> {
    let mut places: Vec<Vec<std::ops::Range<usize>>> = vec![Vec::new(); TYPES.len()];
    for_each_level(parts, None, &mut |parts, _| {
        for part in parts {
            if let Outline::Token { kind: TokenKind::Name, range } = part
                && let Some(number) = TYPES.iter().position(|ty| *ty == &text[range.clone()])
            {
                places[number].push(range.clone());
            }
        }
    });
    let mut edits = Vec::new();
    for (number, mut ranges) in places.into_iter().enumerate() {
        ranges.sort_by_key(|range| range.start);
        for plainer in &TYPES[..number.min(2)] {
            let everywhere = ranges.iter().map(|range| (range.clone(), (*plainer).to_owned()));
            edits.push(Edit(everywhere.collect()));
            if ranges.len() > 1 {
                edits.extend(ranges.iter().map(|range| Edit::replace(range.clone(), *plainer)));
            }
        }
    }
    edits.retain(|edit| !edit.0.is_empty());
    edits
}

/// Removes one dimension of a func or an input: an argument from each of its calls, and one
/// dimension from its type.
pub(super) fn dimensions(text: &str, parts: &[Outline]) -> Vec<Edit> {
    let mut names: IndexSet<&str> = IndexSet::default();
    let mut most = 0;
    for_each_level(parts, None, &mut |parts, _| {
        for pair in parts.windows(2) {
            if let (Outline::Token { kind: TokenKind::Name, range }, Outline::Group { parts, .. }) =
                (&pair[0], &pair[1])
                && is_group(pair.get(1), Bracket::Parenthesis)
                && split_commas(text, parts).len() > 1
            {
                names.insert(&text[range.clone()]);
                most = most.max(split_commas(text, parts).len());
            }
        }
    });
    let mut edits = Vec::new();
    for name in names {
        for dim in (0..most.min(4)).rev() {
            edits.extend(without_dimension(text, parts, name, dim));
        }
    }
    edits
}

fn without_dimension(text: &str, parts: &[Outline], name: &str, dim: usize) -> Option<Edit> {
    let mut changes = Vec::new();
    let mut calls = 0;
    for_each_level(parts, None, &mut |parts, _| {
        for (at, part) in parts.iter().enumerate() {
            if word(text, part) != name {
                continue;
            }
            if let Some(Outline::Group { bracket: Bracket::Parenthesis, parts: inner, .. }) =
                parts.get(at + 1)
            {
                let arguments = split_commas(text, inner);
                if arguments.len() < 2 {
                    continue;
                }
                if let Some(argument) = arguments.get(dim).filter(|argument| !argument.is_empty()) {
                    let own = span(argument);
                    let next = arguments.get(dim + 1).and_then(|next| next.first());
                    let before = dim.checked_sub(1).and_then(|dim| arguments[dim].last());
                    let range = match (next, before) {
                        (Some(next), _) => own.start..next.range().start,
                        (None, Some(before)) => before.range().end..own.end,
                        (None, None) => continue,
                    };
                    changes.push((range, String::new()));
                    calls += 1;
                }
            }
            // `name: buffer<type, rank>`
            let rest = &parts[at + 1..];
            if is(text, rest.first(), ":")
                && is(text, rest.get(1), "buffer")
                && let Some(Outline::Token { kind: TokenKind::Integer, range }) = rest.get(5)
                && let Ok(rank) = text[range.clone()].parse::<usize>()
            {
                changes.push((range.clone(), rank.saturating_sub(1).to_string()));
            }
        }
    });
    changes.sort_by_key(|(range, _)| range.start);
    // Calls within a dropped argument of another call disappear with it.
    let mut kept: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    for change in changes {
        if kept.last().is_none_or(|last| last.0.end <= change.0.start) {
            kept.push(change);
        }
    }
    (calls > 0).then_some(Edit(kept))
}
