//! S-expressions, as solvers print them.

/// An atom or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sexpr {
    Atom(String),
    /// A string literal, without its quotes.
    Text(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    pub(crate) fn as_atom(&self) -> Option<&str> {
        if let Self::Atom(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// Returns the message of `(error "message")`.
    pub(crate) fn as_error(&self) -> Option<&str> {
        match self.as_list()? {
            [Self::Atom(head), Self::Text(message)] if head == "error" => Some(message),
            _ => None,
        }
    }
}

/// Reads a sequence of S-expressions; `None` if the text is malformed.
pub(crate) fn parse(text: &str) -> Option<Vec<Sexpr>> {
    let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '(' => open.push(Vec::new()),
            ')' => {
                let list = Sexpr::List(open.pop()?);
                open.last_mut()?.push(list);
            }
            '"' => {
                let mut string = String::new();
                loop {
                    match characters.next()? {
                        // A doubled quote stands for a single one.
                        '"' if characters.next_if_eq(&'"').is_some() => string.push('"'),
                        '"' => break,
                        other => string.push(other),
                    }
                }
                open.last_mut()?.push(Sexpr::Text(string));
            }
            '|' => {
                let mut name = String::new();
                loop {
                    match characters.next()? {
                        '|' => break,
                        other => name.push(other),
                    }
                }
                open.last_mut()?.push(Sexpr::Atom(name));
            }
            ';' => while characters.next_if(|next| *next != '\n').is_some() {},
            space if space.is_whitespace() => {}
            first => {
                let mut atom = String::from(first);
                while let Some(next) = characters
                    .next_if(|next| !next.is_whitespace() && !matches!(next, '(' | ')' | '"' | ';'))
                {
                    atom.push(next);
                }
                open.last_mut()?.push(Sexpr::Atom(atom));
            }
        }
    }
    let items = open.pop()?;
    open.is_empty().then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_read() {
        let atom = |text: &str| Sexpr::Atom(text.to_owned());
        assert_eq!(parse("sat\n"), Some(vec![atom("sat")]));
        assert_eq!(
            parse("((x (- 2))\n (y |a b|)) ; c"),
            Some(vec![Sexpr::List(vec![
                Sexpr::List(vec![atom("x"), Sexpr::List(vec![atom("-"), atom("2")])]),
                Sexpr::List(vec![atom("y"), atom("a b")]),
            ])])
        );
        let error = parse("(error \"line 1: say \"\"no\"\"\")").unwrap();
        assert_eq!(error[0].as_error(), Some("line 1: say \"no\""));
    }

    #[test]
    fn unbalanced_text_is_refused() {
        for text in ["(", ")", "(a))", "\"a", "|a", "(a \"b)"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
