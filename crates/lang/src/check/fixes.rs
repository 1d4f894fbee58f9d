//! Changes of the text that apply hints.

use halidom_diag::{Fix, Remedy, Span};

use crate::syntax::ast::{Expr, Name, Range};

use super::scope::Checker;

impl<'s> Checker<'_, 's> {
    /// The hint to write another type than `int`.
    pub(super) fn machine_type(&self, hint: &str, span: Span) -> Remedy {
        // No other type has these letters in its name.
        let text = self.text.get(span.range()).unwrap_or("").replacen("int", "i32", 1);
        Remedy::with_fix(hint, Fix::replace(span, text))
    }

    /// The hint to swap the ends of a range.
    pub(super) fn swapped(&self, hint: &str, range: &Range<'s>, span: Span) -> Remedy {
        let text = |expr: &Expr<'s>| self.text.get(expr.span.range()).unwrap_or("");
        let changed = format!("{}..{}", text(&range.end), text(&range.min));
        Remedy::with_fix(hint, Fix::replace(span, changed))
    }

    /// The hint to leave out the index behind a name.
    pub(super) fn without_index(&self, hint: &str, name: Name<'s>, index: &Expr<'s>) -> Remedy {
        let after = self.text.get(index.span.end..).and_then(|rest| rest.find(']'));
        let fix = after.map(|after| {
            let brackets =
                Span { start: name.span.end, end: index.span.end + after + 1, ..name.span };
            Fix { title: "leave the index out".to_owned(), edits: vec![(brackets, String::new())] }
        });
        Remedy { hint: hint.to_owned(), fix }
    }

    /// The hint to move the definition of a func before the one that is being checked. Definitions
    /// within a `for` stay, as others may need them there.
    pub(super) fn move_up(&self, name: &str) -> Remedy {
        let hint = format!("move the definition of `{name}` up");
        let whole = &self.scope.whole_funcs;
        let here = self.scope.current.and_then(|current| whole.get(current.name).copied());
        let fix = whole.get(name).copied().zip(here).and_then(|(moved, here)| {
            let definition = self.text.get(moved.range())?;
            let before = self.text.get(..moved.start)?;
            let line = before.trim_end_matches([' ', '\t']);
            let start = if line.ends_with('\n') { line.len() } else { moved.start };
            let rest = self.text.get(moved.end..)?;
            let end = moved.end + usize::from(line.ends_with('\n') && rest.starts_with('\n'));
            let above = self.text.get(..here.start)?;
            let indent = &above[above.trim_end_matches([' ', '\t']).len()..];
            let at = Span { end: here.start, ..here };
            let gone = Span { start, end, ..moved };
            (here.end <= start).then(|| Fix {
                title: hint.clone(),
                edits: vec![(at, format!("{definition}\n{indent}")), (gone, String::new())],
            })
        });
        Remedy { hint, fix }
    }
}
