//! The inputs and sizes of a proof, in a sentence.

use std::collections::BTreeMap;

use halidom_base::IndexMap;
use halidom_driver::coverage::{Coverage, Margins, Object};
use halidom_driver::subject::Subject;
use halidom_ir::FuncId;
use halidom_validate::Report;

/// The conditions that name the limits of sizes for stock Halide's callers.
const LIMITS: [&str; 2] = ["size-limits", "buffers-span-2-31"];

/// Describes the inputs and sizes that a proof covers: a line that begins the sentence, and a line
/// for each of its parts. Entry checks whose shape is not known are parts as they are written.
pub(crate) fn sentence(subject: &Subject, report: &Report) -> (String, Vec<String>) {
    let Coverage { adjacent, held, least, is_limited, is_nested, others } =
        Coverage::of(subject, report);
    let outputs = least.iter().filter(|(object, _)| matches!(object, Object::Window(_)));
    let outputs: Vec<String> = outputs
        .map(|(object, extents)| format!("every {} {}", name(subject, *object), sized(extents)))
        .collect();
    let begin = match outputs.as_slice() {
        [] => "for every input and every size".to_owned(),
        outputs => format!("for every input and {}", listed(outputs)),
    };
    let mut parts = Vec::new();
    let (rows, strided): (Vec<_>, Vec<_>) = adjacent.into_iter().partition(|(_, dim)| *dim == 0);
    if !rows.is_empty() {
        let rows: Vec<String> = rows.iter().map(|(buffer, _)| name(subject, *buffer)).collect();
        parts.push(format!("the rows of {} are contiguous", listed(&rows)));
    }
    parts.extend(strided.iter().map(|(buffer, dim)| {
        format!("{} has stride 1 in dimension {dim}", name(subject, *buffer))
    }));
    for ((buffer, window), margins) in &held {
        let dims: Vec<String> = margins.keys().map(ToString::to_string).collect();
        let is_whole = subject.pool.func(func(*buffer)).rank() == dims.len();
        let within = if is_whole { String::new() } else { format!(" in {}", dimensions(&dims)) };
        let (buffer, window) = (name(subject, *buffer), name(subject, *window));
        let around = widened(margins);
        parts.push(format!("{buffer} holds the window of {window}{within}{around}"));
    }
    for (object, extents) in &least {
        if let Object::Buffer(_) = object {
            parts.push(format!("{} is a buffer {}", name(subject, *object), sized(extents)));
        }
    }
    parts.extend(others.iter().map(|other| shortened(other)));
    if is_limited {
        parts.extend(limits(report));
    }
    if is_nested {
        parts.push("the rows of a buffer do not overlap, nor do its planes".to_owned());
    }
    (if parts.is_empty() { begin } else { format!("{begin}, where") }, parts)
}

/// The limits of sizes: those for stock Halide's callers, or our own.
fn limits(report: &Report) -> Vec<String> {
    let is_named = |name: &str| LIMITS.contains(&name);
    let named = report.conditions.iter().filter(|condition| is_named(&condition.name));
    let named: Vec<String> = named.map(|condition| condition.words.to_string()).collect();
    if !named.is_empty() {
        return named;
    }
    let own = "mins, extents and their sums are below 2^31, and no array spans more than 2^40 \
        elements";
    vec![own.to_owned()]
}

fn name(subject: &Subject, object: Object) -> String {
    subject.pool.func(func(object)).name.clone()
}

fn func(object: Object) -> FuncId {
    let (Object::Buffer(func) | Object::Window(func)) = object;
    func
}

fn dimensions(dims: &[String]) -> String {
    format!("dimension{} {}", if dims.len() == 1 { "" } else { "s" }, listed(dims))
}

/// Cuts a condition that nobody would read; the JSON has it whole.
fn shortened(text: &str) -> String {
    const MOST: usize = 400;
    let count = text.chars().count();
    if count <= MOST {
        return text.to_owned();
    }
    let begin: String = text.chars().take(MOST / 2).collect();
    format!("{begin} … ({count} characters; `--json` has all)")
}

/// Lists words: `a`, `a and b`, `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Describes least extents: `of at least 8 × 16 elements`.
fn sized(extents: &BTreeMap<usize, i128>) -> String {
    if extents.values().all(|extent| *extent == 1) {
        return "that is not empty".to_owned();
    }
    if extents.keys().copied().eq(0..extents.len()) {
        let extents: Vec<String> = extents.values().map(ToString::to_string).collect();
        return format!("of at least {} elements", extents.join(" × "));
    }
    let extents =
        extents.iter().map(|(dim, extent)| format!("{extent} elements in dimension {dim}"));
    format!("of at least {}", listed(&extents.collect::<Vec<_>>()))
}

/// Describes the elements around a window: `, and 2 elements before it in dimension 0`.
fn widened(margins: &Margins) -> String {
    let mut alike: IndexMap<(i128, i128), Vec<String>> = IndexMap::default();
    for (dim, margin) in margins.iter().filter(|(_, margin)| **margin != (0, 0)) {
        alike.entry(*margin).or_default().push(dim.to_string());
    }
    let elements = |count: i128| match count {
        1 => "1 element".to_owned(),
        _ => format!("{count} elements"),
    };
    let words = alike.into_iter().map(|((before, after), dims)| {
        let sides = match (before, after) {
            (0, _) => format!("{} after it", elements(after)),
            (_, 0) => format!("{} before it", elements(before)),
            _ if before == after => format!("{} on either side", elements(before)),
            _ => format!("{} before it and {after} after it", elements(before)),
        };
        format!(", and {sides} in {}", dimensions(&dims))
    });
    words.collect()
}
