//! Finds the headers of methods that visit nodes by their text alone.
//!
//! The grammar may read a method as something else where macros stand in the text. So every header
//! in the text must be that of a method that was read.

use crate::ast::Function;
use crate::text::{BeforeQuote, is_letter};

/// The names of methods that visit nodes.
pub(crate) const METHODS: [&str; 4] = ["visit", "VisitExpr_", "VisitStmt_", "Mutate_"];

/// The types that such methods of mutators return.
const RESULTS: [&str; 3] = ["Expr", "Stmt", "auto"];

/// The lines of headers in a text that are those of none of the functions. The text begins after
/// some lines.
pub(crate) fn unread(text: &str, before: usize, functions: &[Function]) -> Vec<usize> {
    let plain = without_comments(text);
    let mut headers: Vec<usize> = METHODS.iter().flat_map(|name| of_method(&plain, name)).collect();
    headers.sort_unstable();
    let mut known: Vec<(usize, usize)> = functions
        .iter()
        .filter(|function| METHODS.contains(&function.name.as_str()))
        .map(|function| {
            let header = function.text.split('{').next().unwrap_or_default();
            (function.line, function.line + header.matches('\n').count())
        })
        .collect();
    let mut unread = Vec::new();
    let (mut line, mut counted) = (before + 1, 0);
    for header in headers {
        line += plain[counted..header].matches('\n').count();
        counted = header;
        let of_it = known.iter().position(|(first, last)| (*first..=*last).contains(&line));
        match of_it {
            Some(index) => {
                known.swap_remove(index);
            }
            None => unread.push(line),
        }
    }
    unread
}

/// The places of a name where a method begins that returns an expression or a statement.
fn of_method<'t>(text: &'t str, name: &'static str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let word = before_class(&text[..*at]).trim_end().rsplit(|letter| !is_letter(letter)).next();
        let is_word = !text[..*at].ends_with(is_letter);
        is_word
            && word.is_some_and(|word| RESULTS.contains(&word))
            && has_body(&text[at + name.len()..])
    })
}

/// A text without the class at its end, if it ends with `::`.
fn before_class(text: &str) -> &str {
    let mut rest = text;
    while let Some(before) = rest.trim_end().strip_suffix("::") {
        rest = before.trim_end();
        if rest.ends_with('>') {
            let mut depth = 0_usize;
            let opens = |(_, letter): &(usize, char)| {
                match letter {
                    '>' => depth += 1,
                    '<' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            };
            let open = rest.char_indices().rev().find(opens);
            rest = open.map_or("", |(at, _)| rest[..at].trim_end());
        }
        rest = rest.trim_end_matches(is_letter);
    }
    rest
}

/// Tests whether a text is parameters in parentheses and a body, which may be a macro.
fn has_body(text: &str) -> bool {
    let text = text.trim_start();
    if !text.starts_with('(') {
        return false;
    }
    let (mut depth, mut words, mut is_in_word) = (0_usize, 0_usize, false);
    for letter in text.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '{' if depth == 0 => return true,
            // One word more may be a macro for `override`.
            ';' if depth == 0 => return words > 4,
            '=' | '}' if depth == 0 => return words > 0 && letter == '}',
            _ => {}
        }
        let is_word = depth == 0 && is_letter(letter);
        words += usize::from(is_word && !is_in_word);
        is_in_word = is_word;
    }
    words > 0
}

/// A text with blanks in place of comments and of what is between quotes. Lines stay.
pub fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut last = ' ';
    let mut before = BeforeQuote::default();
    // Whether the letters before are those of a number.
    let mut is_number = false;
    while let Some(letter) = letters.next() {
        is_number = match last {
            last if is_letter(last) || last == '\'' => is_number,
            _ => letter.is_ascii_digit(),
        };
        let next = letters.peek().copied();
        let mut skip = |plain: &mut String, end: &dyn Fn(char, char) -> bool| {
            let mut earlier = ' ';
            for letter in letters.by_ref() {
                plain.push(if letter == '\n' { '\n' } else { ' ' });
                if end(earlier, letter) {
                    break;
                }
                earlier = if earlier == '\\' && letter == '\\' { ' ' } else { letter };
            }
        };
        match letter {
            // R"delimiter(text)delimiter"
            '"' if before.is_raw() => {
                let (mut inside, mut end) = (String::new(), None);
                for letter in letters.by_ref() {
                    plain.push(if letter == '\n' { '\n' } else { ' ' });
                    if letter == '(' && end.is_none() {
                        end = Some(format!("){inside}\""));
                        inside.clear();
                    }
                    inside.push(letter);
                    if end.as_ref().is_some_and(|end| inside.ends_with(end.as_str())) {
                        break;
                    }
                }
            }
            '"' => skip(&mut plain, &|earlier, letter| {
                earlier != '\\' && ['"', '\n'].contains(&letter)
            }),
            // Not the one between digits.
            '\'' if !is_number => skip(&mut plain, &|earlier, letter| {
                letter == '\'' && earlier != '\\' || letter == '\n'
            }),
            '/' if next == Some('/') => skip(&mut plain, &|_, letter| letter == '\n'),
            '/' if next == Some('*') => {
                skip(&mut plain, &|earlier, letter| earlier == '*' && letter == '/');
            }
            letter => plain.push(letter),
        }
        // A comment separates words.
        before.push(if letter == '/' { ' ' } else { letter });
        last = letter;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    fn found(text: &str) -> Vec<usize> {
        unread(text, 0, &parse(text).expect("a file").functions)
    }

    #[test]
    fn headers_of_methods_that_are_read_are_not_told() {
        let text = "class A : public IRMutator {\n Expr\n visit(const Add *op) override { f(); }\n \
            // Stmt visit(const For *op) {\n /* Expr visit(Sub *) { */ void visit(int) {}\n};\n\
            Stmt A::visit(const For *op)\n{ g(\"Expr visit(x) {\"); return visit(op); }\n";
        assert_eq!(found(text), Vec::<usize>::new());
    }

    #[test]
    fn headers_that_the_grammar_reads_as_something_else_are_told() {
        let of_class = "Expr Pass<T>::visit(const Add *op) { return op; }\n";
        assert_eq!(unread(of_class, 0, &[]), [1]);
        let headers = [
            "Expr Pass<A, B<C>>::visit(const Add *op) {}",
            "Expr visit(const Add *op) noexcept(true) { return op; }",
            "Expr visit(const Add *op) override [[nodiscard]] { return op; }",
            "Expr visit(const Add *op) RESULT }",
            "Expr s = R\"x(\"))x\"; Expr visit(const Add *op) { return op; }",
        ];
        for header in headers {
            assert_eq!(unread(header, 0, &[]), [1], "{header}");
        }
        for declaration in ["Expr visit(const Add *op) const override;", "Expr visit(int) = 0;"] {
            assert!(unread(declaration, 0, &[]).is_empty(), "{declaration}");
        }
        let text = "#define RESULT return op->a;\nclass Pass : public IRMutator {\n \
            Expr visit(const Add *op) { RESULT }\n};\n";
        assert_eq!(found(text), [3]);
    }
}
