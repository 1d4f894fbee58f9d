//! Finds the headers of methods that visit nodes by their text alone.
//!
//! The grammar may read a method as something else where macros stand in the text. So every header
//! in the text must be that of a method that was read.

use crate::ast::Function;

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
        let is_of_class = |letter: char| is_letter(letter) || ":<>,".contains(letter);
        let before = text[..*at].trim_end_matches(is_of_class);
        let word = before.trim_end().rsplit(|letter| !is_letter(letter)).next();
        let is_word = !text[..*at].ends_with(is_letter);
        is_word
            && word.is_some_and(|word| RESULTS.contains(&word))
            && has_body(&text[at + name.len()..])
    })
}

/// Tests whether a text is parameters in parentheses, words and a body.
fn has_body(text: &str) -> bool {
    let text = text.trim_start();
    if !text.starts_with('(') {
        return false;
    }
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let is_word = |letter: char| is_letter(letter) || " \t\r\n->&:".contains(letter);
            return text[at + 1..].trim_start_matches(is_word).starts_with('{');
        }
    }
    false
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// A text with blanks in place of comments and of what is between quotes. Lines stay.
pub fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut last = ' ';
    while let Some(letter) = letters.next() {
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
            '"' => skip(&mut plain, &|earlier, letter| {
                earlier != '\\' && ['"', '\n'].contains(&letter)
            }),
            // Not the one between digits.
            '\'' if !last.is_alphanumeric() => skip(&mut plain, &|earlier, letter| {
                letter == '\'' && earlier != '\\' || letter == '\n'
            }),
            '/' if next == Some('/') => skip(&mut plain, &|_, letter| letter == '\n'),
            '/' if next == Some('*') => {
                skip(&mut plain, &|earlier, letter| earlier == '*' && letter == '/');
            }
            letter => plain.push(letter),
        }
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
        let text = "#define RESULT return op->a;\nclass Pass : public IRMutator {\n \
            Expr visit(const Add *op) { RESULT }\n};\n";
        assert_eq!(found(text), [3]);
    }
}
