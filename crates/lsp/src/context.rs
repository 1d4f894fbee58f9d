//! The meaning of a place that is being typed at. It is read from the tokens before the place, as
//! the text rarely parses there.

use halidom_lang::{TokenKind, tokens};

/// A place that is being typed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// Outside all items.
    Top,
    /// The pipeline's name in the head of a schedule.
    PipelineName,
    /// The beginning of a statement in a schedule.
    Step(Scheduled),
    /// After the dot of a chain.
    Directive,
    /// An argument of a directive.
    Argument {
        /// The statement.
        step: Scheduled,
        /// The directive.
        directive: String,
        /// The number of the argument.
        number: usize,
        /// The name before the argument, as in `tail: guard`.
        label: Option<String>,
        /// The words of the arguments before.
        before: Vec<String>,
        /// The offset of the dot before the directive.
        dot: usize,
    },
    /// A type.
    Type,
    /// A property of a name.
    Member,
    /// The beginning of a statement in a pipeline or func.
    Statement,
    /// An expression in a pipeline, with the local names.
    Value(Vec<String>),
    /// Nothing can be completed.
    Nothing,
}

/// A statement of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scheduled {
    /// The schedule; empty in a schedule function.
    pub(crate) schedule: String,
    /// The pipeline; empty in a schedule function.
    pub(crate) pipeline: String,
    /// The parameters of a schedule function.
    pub(crate) params: Vec<String>,
}

#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    kind: TokenKind,
    start: usize,
}

/// Returns the context of an offset.
pub(crate) fn context(text: &str, offset: usize) -> Context {
    let mut words = Vec::new();
    for token in tokens(text) {
        if token.range.start >= offset {
            break;
        }
        let is_open = token.range.end > offset;
        let ends_here = token.range.end == offset;
        let content = text.get(token.range.clone()).unwrap_or("");
        match token.kind {
            // A line comment also contains the place at its end.
            None if is_open || (ends_here && content.starts_with("//")) => return Context::Nothing,
            None => {}
            Some(TokenKind::Text) if is_open => return Context::Nothing,
            // The word that is being typed.
            Some(TokenKind::Name | TokenKind::Keyword) if is_open || ends_here => {}
            Some(TokenKind::Integer | TokenKind::Float) if is_open || ends_here => {
                return Context::Nothing;
            }
            Some(kind) => words.push(Word { text: content, kind, start: token.range.start }),
        }
    }
    let is_item = |word: &Word<'_>| {
        word.kind == TokenKind::Keyword
            && matches!(word.text, "pipeline" | "schedule" | "schedule_fn" | "fn")
    };
    let Some(item) = words.iter().rposition(is_item) else { return Context::Top };
    let words = &words[item..];
    let Some(parts) = Parts::of(words) else { return Context::Top };
    match words.first().map(|word| word.text) {
        Some("schedule" | "schedule_fn") => steps(words, &parts),
        Some("pipeline") if parts.body.is_none() => match words.last().map(|word| word.text) {
            Some(":" | "<") => Context::Type,
            _ => Context::Nothing,
        },
        _ => values(words, &parts),
    }
}

/// The structure of the tokens of an item up to the place.
struct Parts {
    /// The opening brace of the body.
    body: Option<usize>,
    /// The first token of the statement.
    statement: usize,
    /// The open brackets of the statement.
    open: Vec<usize>,
}

impl Parts {
    /// `None` if the item is closed before the place.
    fn of(words: &[Word<'_>]) -> Option<Self> {
        let mut parts = Self { body: None, statement: 0, open: Vec::new() };
        let mut around: Vec<Vec<usize>> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            match word.text {
                "{" => {
                    parts.body.get_or_insert(at);
                    around.push(std::mem::take(&mut parts.open));
                    parts.statement = at + 1;
                }
                "}" => {
                    parts.open = around.pop()?;
                    if around.is_empty() {
                        return None;
                    }
                    parts.statement = at + 1;
                }
                ";" => {
                    parts.open.clear();
                    parts.statement = at + 1;
                }
                "(" | "[" => parts.open.push(at),
                ")" | "]" => {
                    parts.open.pop();
                }
                _ => {}
            }
        }
        Some(parts)
    }
}

fn text_at<'t>(words: &[Word<'t>], at: usize) -> &'t str {
    words.get(at).map_or("", |word| word.text)
}

fn steps(words: &[Word<'_>], parts: &Parts) -> Context {
    let last = words.last().map_or("", |word| word.text);
    let Some(body) = parts.body else {
        let is_name = text_at(words, 0) == "schedule" && last == "for";
        return if is_name { Context::PipelineName } else { Context::Nothing };
    };
    let mut step = Scheduled::default();
    if text_at(words, 0) == "schedule" {
        text_at(words, 1).clone_into(&mut step.schedule);
        text_at(words, body.saturating_sub(1)).clone_into(&mut step.pipeline);
    } else {
        let params = words[..body].iter().skip(2).filter(|word| word.kind == TokenKind::Name);
        step.params = params.map(|word| word.text.to_owned()).collect();
    }
    if words.len() == parts.statement {
        return Context::Step(step);
    }
    let Some(open) = parts.open.last().copied() else {
        return if last == "." { Context::Directive } else { Context::Nothing };
    };
    let directive = text_at(words, open.saturating_sub(1)).to_owned();
    let dot = open.saturating_sub(2);
    if text_at(words, dot) != "." || text_at(words, open) != "(" {
        // An argument of a schedule function is taken for a func. If it is a loop or a number, the
        // names that are offered do not fit.
        return Context::Step(step);
    }
    let mut depth = 0_usize;
    let mut number = 0;
    let mut before = Vec::new();
    let mut label = None;
    for (at, word) in words.iter().enumerate().skip(open + 1) {
        match word.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                number += 1;
                label = None;
            }
            ":" if depth == 0 => label = Some(text_at(words, at - 1).to_owned()),
            text if depth == 0 => before.push(text.to_owned()),
            _ => {}
        }
    }
    let dot = words.get(dot).map_or(0, |word| word.start);
    Context::Argument { step, directive, number, label, before, dot }
}

fn values(words: &[Word<'_>], parts: &Parts) -> Context {
    let last = words.last().map_or("", |word| word.text);
    let lead = text_at(words, parts.statement);
    if last == "." {
        return Context::Member;
    }
    if last == ":" && parts.open.is_empty() && matches!(lead, "func" | "let") {
        return Context::Type;
    }
    if words.len() == parts.statement {
        return Context::Statement;
    }
    if matches!(last, "func" | "let" | "for" | "fn") {
        return Context::Nothing;
    }
    Context::Value(locals(words))
}

/// The names that are bound since the last func began.
fn locals(words: &[Word<'_>]) -> Vec<String> {
    let begins =
        |word: &Word<'_>| word.kind == TokenKind::Keyword && matches!(word.text, "func" | "fn");
    let from = words.iter().rposition(begins).unwrap_or(0);
    let words = &words[from..];
    let mut names: Vec<&str> = Vec::new();
    let is_name = |at: usize| words.get(at).is_some_and(|word| word.kind == TokenKind::Name);
    // The variables of the func: the names in its first brackets.
    if let Some(open) = words.iter().position(|word| word.text == "(") {
        let inner = words[open + 1..].iter().take_while(|word| word.text != ")");
        names.extend(inner.filter(|word| word.kind == TokenKind::Name).map(|word| word.text));
    }
    for at in 0..words.len() {
        match text_at(words, at) {
            "let" if is_name(at + 1) => names.push(text_at(words, at + 1)),
            "in" if at > 0 && is_name(at - 1) => names.push(text_at(words, at - 1)),
            "in" if at > 0 && text_at(words, at - 1) == ")" => {
                let inner = words[..at - 1].iter().rev().take_while(|word| word.text != "(");
                names.extend(
                    inner.filter(|word| word.kind == TokenKind::Name).map(|word| word.text),
                );
            }
            _ => {}
        }
    }
    let mut unique: Vec<String> = Vec::new();
    for name in names {
        if !unique.iter().any(|known| known == name) {
            unique.push(name.to_owned());
        }
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::{Context, context};

    fn at(text: &str) -> Context {
        let offset = text.find('|').expect("the place is marked");
        context(&text.replace('|', ""), offset)
    }

    #[test]
    fn places_in_schedules() {
        assert_eq!(at("sch|"), Context::Top);
        assert_eq!(at("schedule s for |"), Context::PipelineName);
        let head = "schedule s for p { f.split(x, xo, xi, 8); ";
        let Context::Step(step) = at(&format!("{head}ou| }}")) else { panic!("a step") };
        assert_eq!((step.schedule.as_str(), step.pipeline.as_str()), ("s", "p"));
        assert_eq!(at(&format!("{head} g.|")), Context::Directive);
        let argument = at(&format!("{head} g[k - 1].vectorize(x).compute_at(f, |"));
        let Context::Argument { directive, number, before, .. } = argument else {
            panic!("{argument:?}");
        };
        assert_eq!((directive.as_str(), number), ("compute_at", 1));
        assert_eq!(before, ["f"]);
        let labelled = at(&format!("{head} g.split(x, tail: gu|"));
        let Context::Argument { label, .. } = labelled else { panic!("{labelled:?}") };
        assert_eq!(label.as_deref(), Some("tail"));
        assert_eq!(at(&format!("{head} // g.|")), Context::Nothing);
        assert_eq!(at(&format!("{head} }} |")), Context::Top);
    }

    #[test]
    fn places_in_pipelines() {
        assert_eq!(at("pipeline p(a: |"), Context::Type);
        let head = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func c(x) = a(x); ";
        assert_eq!(at(&format!("{head}fu|")), Context::Statement);
        assert_eq!(at(&format!("{head}let n = a.|")), Context::Member);
        assert_eq!(at(&format!("{head}func b(y): |")), Context::Type);
        let value =
            at(&format!("{head}func b(y) {{ b(y) = 0; for (r, s) in (0..2, 0..3) {{ b(y) += |"));
        assert_eq!(value, Context::Value(["y", "s", "r"].map(str::to_owned).to_vec()));
    }
}
