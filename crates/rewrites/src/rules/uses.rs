//! Finds the uses of TVM's macros for rules in a text, as the preprocessor does.
//!
//! # Correctness
//!
//! The preprocessor splits the arguments of a macro at the commas outside parentheses, whatever the
//! words between them mean in C++. A grammar of C++ does not know that a name is a macro, and reads
//! `a < b, c > d` as the type `a<b, c>`. So the arguments are cut out here and read one by one, and
//! a number stands in their place in the text that is read as C++. Comments, texts and directives
//! are skipped; conditional directives are not evaluated.

/// A use of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    /// The line where it begins.
    pub(super) line: usize,
    /// The macro.
    pub(super) name: String,
    /// The arguments, each with the line where it begins; `None` if the text ends within them.
    pub(super) arguments: Option<Vec<(String, usize)>>,
}

/// The beginning of the macros' names.
const PREFIX: &str = "TVM_TRY_";

/// Cuts the arguments out of all uses of macros. Returns the text, in which the number of each use
/// stands in their place, and the uses.
pub(super) fn cut(text: &str) -> (String, Vec<Use>) {
    let mut kept = String::with_capacity(text.len());
    let mut uses = Vec::new();
    let mut rest = text;
    let mut is_directive = false;
    while let Some(letter) = rest.chars().next() {
        let begins_line = kept.is_empty() || kept.ends_with('\n');
        if begins_line {
            is_directive &= kept.ends_with("\\\n");
            is_directive |= rest.trim_start_matches([' ', '\t']).starts_with('#');
        }
        let length = match skipped(rest, kept.chars().last()) {
            Some(length) => length,
            None if !is_directive && is_word(letter) => {
                let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
                let word = &rest[..length];
                if word.starts_with(PREFIX) {
                    let line = kept.matches('\n').count() + 1;
                    let (arguments, end) = match arguments(&rest[length..], line) {
                        Some((arguments, end)) => (Some(arguments), length + end),
                        None => (None, length),
                    };
                    kept.push_str(word);
                    if arguments.is_some() {
                        kept.push('(');
                        kept.push_str(&uses.len().to_string());
                        let breaks = rest[length..end].matches('\n').count();
                        kept.extend(std::iter::repeat_n('\n', breaks));
                        kept.push(')');
                    }
                    uses.push(Use { line, name: word.to_owned(), arguments });
                    rest = &rest[end..];
                    continue;
                }
                length
            }
            None => letter.len_utf8(),
        };
        kept.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    (kept, uses)
}

/// Returns the length of the comment or the text in quotes with which a text begins.
fn skipped(text: &str, before: Option<char>) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if let Some(inner) = text.strip_prefix("/*") {
        return Some(inner.find("*/").map_or(text.len(), |end| end + 4));
    }
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    if quote == '\'' && before.is_some_and(|before| before.is_ascii_alphanumeric()) {
        // It separates digits.
        return None;
    }
    let mut letters = text.char_indices().skip(1);
    while let Some((place, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '\n' => return Some(place),
            letter if letter == quote => return Some(place + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// Splits the arguments in parentheses with which a text begins. Returns them with the length.
fn arguments(text: &str, line: usize) -> Option<(Vec<(String, usize)>, usize)> {
    let open = text.find(|letter: char| !letter.is_whitespace())?;
    if !text[open..].starts_with('(') {
        return None;
    }
    let mut all = Vec::new();
    let (mut depth, mut begin, mut place) = (0, open + 1, open);
    while let Some(letter) = text[place..].chars().next() {
        let before = text[..place].chars().last();
        if let Some(length) = skipped(&text[place..], before) {
            place += length;
            continue;
        }
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && letter == ',' {
            let blank = text[begin..place].chars().take_while(|letter| letter.is_whitespace());
            let start = begin + blank.map(char::len_utf8).sum::<usize>();
            let at = line + text[..start].matches('\n').count();
            all.push((text[start..place].trim_end().to_owned(), at));
            begin = place + 1;
        }
        place += letter.len_utf8();
        if depth == 0 {
            return Some((all, place));
        }
    }
    None
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_as_by_the_preprocessor() {
        let text = "#define TVM_TRY_X(a) \\\n  TVM_TRY_Y(a)\n// TVM_TRY_X(1)\nint a = 1'000;\n\
            TVM_TRY_X(x < c1, y<c2 * (a, b), c1> 0 /* , */,\n  f(\"),\") // ,\n);\nTVM_TRY_Z(x";
        let (kept, uses) = cut(text);
        assert_eq!(kept.lines().count(), text.lines().count());
        assert!(kept.contains("TVM_TRY_X(0\n\n);"), "{kept}");
        let [first, second] = uses.as_slice() else { panic!("{uses:?}") };
        let split = first.arguments.clone().expect("it ends");
        let texts: Vec<&str> = split.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(first.line, 5);
        assert_eq!(texts[..3], ["x < c1", "y<c2 * (a, b)", "c1> 0 /* , */"]);
        assert_eq!((texts[3], split[3].1), ("f(\"),\") // ,", 6));
        assert_eq!((second.line, second.arguments.clone()), (8, None));
    }
}
