//! Finds text whose meaning is decided before the grammar: spliced lines, digraphs, trigraphs, and
//! directives that the grammar does not take for ones.

use crate::text::{BeforeQuote, is_letter};

/// The directives that are read or passed over.
const DIRECTIVES: [&str; 13] = [
    "define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include", "line",
    "pragma", "undef", "warning",
];

/// The place of a letter in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Code,
    Comment,
    LineComment,
    Quotes(char),
}

/// Returns the first line, counted from zero, whose text the grammar may read differently from a
/// compiler.
pub(crate) fn doubtful(text: &str) -> Option<usize> {
    let letters: Vec<char> = text.chars().collect();
    let at = |index: usize| letters.get(index).copied().unwrap_or('\n');
    let (mut within, mut line, mut index) = (Within::Code, 0, 0);
    // Whether the line is blank so far, and whether it is a directive.
    let (mut is_blank, mut is_directive) = (true, false);
    let mut before = BeforeQuote::default();
    while index < letters.len() {
        let letter = at(index);
        let next = at(index + 1);
        let is_trigraph = letter == '?' && next == '?' && "=/'()!<>-".contains(at(index + 2));
        let is_spliced = letter == '\\' && is_end(&letters, index + 1);
        let is_splice_of_macro = is_directive && within == Within::Code && next == '\n';
        // Between blanks, it joins no parts of the text.
        let parts = [at(index.wrapping_sub(1)), at(index + 2)];
        let is_blank_splice = within == Within::Code
            && !is_directive
            && next == '\n'
            && parts.iter().any(|letter| letter.is_whitespace())
            && first_letter(&letters, index + 2) != Some('#');
        if is_trigraph || is_spliced && !is_splice_of_macro && !is_blank_splice {
            return Some(line);
        }
        let was = within;
        match (within, letter) {
            (Within::Code, '#') if is_blank => {
                if !is_known_directive(&letters, index) {
                    return Some(line);
                }
                is_directive = true;
            }
            (Within::Code, '/') if next == '/' => within = Within::LineComment,
            (Within::Code, '/') if next == '*' => {
                within = Within::Comment;
                index += 1;
            }
            (Within::Code, '"') if before.is_doubtful() => return Some(line),
            (Within::Code, '"') if before.is_raw() => {
                let raw: String = letters[index + 1..].iter().collect();
                let Some((delimiter, rest)) = raw.split_once('(') else { return Some(line) };
                let end = format!("){delimiter}\"");
                let Some(length) = rest.find(&end) else { return Some(line) };
                let whole = delimiter.chars().count() + 1 + rest[..length].chars().count();
                let inner = &letters[index + 1..index + 1 + whole];
                line += inner.iter().filter(|letter| **letter == '\n').count();
                index += whole + end.chars().count();
            }
            (Within::Code, '"') => within = Within::Quotes('"'),
            // Not the one between digits.
            (Within::Code, '\'') if !is_in_number(&letters, index) => {
                within = Within::Quotes('\'');
            }
            (Within::Code, '$' | '\\' | '`' | '@') if !is_spliced => return Some(line),
            (Within::Code, '%') if [':', '>'].contains(&next) => return Some(line),
            (Within::Code, '<') if next == '%' => return Some(line),
            (Within::Code, '<') if next == ':' && at(index + 2) != ':' => return Some(line),
            (Within::Code, ':') if next == '>' => return Some(line),
            (Within::Quotes(_), '\\') => index += 1,
            (Within::Quotes(quote), letter) if letter == quote => within = Within::Code,
            (Within::Comment, '*') if next == '/' => {
                within = Within::Code;
                index += 1;
            }
            _ => {}
        }
        // Of a literal, only its end counts.
        let is_code = matches!((was, within), (Within::Code, Within::Code));
        let is_end_of_literal = matches!((was, within), (Within::Quotes(_), Within::Code));
        before.push(if is_code || is_end_of_literal { letter } else { ' ' });
        let is_comment = [was, within].contains(&Within::Comment);
        is_blank = letter == '\n' || is_blank && (is_comment || letter.is_whitespace());
        if letter == '\n' {
            line += 1;
            // A macro goes on in the next line if this one is spliced.
            is_directive &= index > 0 && at(index - 1) == '\\' || within == Within::Comment;
            is_blank &= !is_directive;
            if matches!(within, Within::Quotes(_) | Within::LineComment) {
                within = Within::Code;
            }
        }
        index += 1;
    }
    None
}

/// Tests whether the word before a place begins with a digit.
fn is_in_number(letters: &[char], at: usize) -> bool {
    let is_of_word = |letter: &&char| is_letter(**letter) || **letter == '\'';
    let word = letters[..at].iter().rev().take_while(is_of_word).last();
    word.is_some_and(char::is_ascii_digit)
}

/// The first letter from a place on that is no blank.
fn first_letter(letters: &[char], from: usize) -> Option<char> {
    letters[from.min(letters.len())..].iter().copied().find(|letter| !letter.is_whitespace())
}

/// Tests whether only blanks follow in a line.
fn is_end(letters: &[char], from: usize) -> bool {
    let mut rest = letters[from.min(letters.len())..].iter();
    rest.find(|letter| !matches!(letter, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}'))
        .is_none_or(|letter| *letter == '\n')
}

/// Tests whether a line is a directive as the grammar knows it, from its `#`.
fn is_known_directive(letters: &[char], from: usize) -> bool {
    let begin = letters[..from].iter().rposition(|letter| *letter == '\n').map_or(0, |at| at + 1);
    let rest = letters[from + 1..].iter().take_while(|letter| **letter != '\n');
    let rest: String = rest.collect();
    let (rest, name) = {
        let rest = rest.trim_start_matches([' ', '\t']).trim_end_matches('\r');
        (rest, rest.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or(""))
    };
    let changes = ["push_macro", "pop_macro", "redefine_extname"];
    let is_change = name == "pragma" && changes.iter().any(|of| rest.contains(of));
    letters[begin..from].iter().all(|letter| letter.is_whitespace())
        && (rest.is_empty() || DIRECTIVES.contains(&name))
        && !is_change
}

#[cfg(test)]
mod tests {
    use super::doubtful;

    #[test]
    fn text_that_a_compiler_reads_differently_is_told() {
        for text in [
            "a\n#/* */define f(a) b\n",
            "\n%:define f(a) b\n",
            "\n# \\\ndefine f(a) b\n",
            "\n/* */ #define f(a) b\n",
            "\n// a \\ \nb\n",
            "\n// a ??/\nb\n",
            "\nre\\\nturn\n",
            "\na; \\\n  #define f b\n",
            "\n\"a\\\nb\"\n",
            "\n#define f \\ \n a\n",
            "\n#pragma push_macro(\"a\")\n",
            "\nf$a\n",
            "\n/* *\\\n/ a\n",
            "\n\"a\"R\"(\"\n",
            "\n1R\"(\"\n",
        ] {
            assert_eq!(doubtful(text), Some(1), "{text}");
        }
    }

    #[test]
    fn other_text_is_not_told() {
        for text in [
            "#define f(a) \\\n  b \\\n  c\n# include <d>\n",
            "a<::b> c; '\"'; '\\''; \"\\\\\"; R\"x(\\\n#/)\")x\"; 1'000 % a // # don't\n/* # \" */",
            "#define f /* a\n b */ c\n",
            "return a;\\\n  b",
            "return \\\na",
            "#\n",
            "FOOR\"(\" a;\nR\"(\\\n)\" b;",
        ] {
            assert_eq!(doubtful(text), None, "{text}");
        }
    }
}
