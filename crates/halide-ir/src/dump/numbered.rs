//! Numbers in place of the names that Halide makes up.

use std::ops::Range;

use halidom_base::{FxHashMap, FxHashSet};

/// The beginning of the statement. The lines before it tell the target, the arguments and the
/// arrays.
const STATEMENT: &str = "\n(statement";

/// Replaces each name that a `let` or a loop binds by a number. Halide counts the names that it
/// makes up from the first compile of a process on, so two compiles of one pipeline have dumps that
/// differ in these names. They have the same text here only if they differ in nothing else.
///
/// A name stays if the statement also uses it for something other than a variable. It also stays if
/// it is the name of an argument or of an array, or begins with one and a dot: the statement may
/// take such a name from its caller.
#[must_use]
pub fn numbered(dump: &str) -> String {
    let begin = dump.find(STATEMENT).unwrap_or(dump.len());
    let (given, all): (Vec<_>, Vec<_>) =
        strings(dump).into_iter().partition(|string| string.at.start < begin);
    let name = |string: &Quoted| &dump[string.at.clone()];
    let given: FxHashSet<&str> = given.iter().map(name).collect();
    let of_role = |role: Role| all.iter().filter(move |string| string.role == role).map(name);
    let others: FxHashSet<&str> = of_role(Role::Other).collect();
    let is_given = |name: &str| {
        given.contains(name) || name.match_indices('.').any(|(dot, _)| given.contains(&name[..dot]))
    };
    let is_free = |name: &&str| !is_given(name) && !others.contains(name);
    let bound: FxHashSet<&str> = of_role(Role::Binds).filter(is_free).collect();

    let mut numbers = FxHashMap::default();
    let (mut made, mut at) = (String::with_capacity(dump.len()), 0);
    for string in all.iter().filter(|string| string.role != Role::Other) {
        if bound.contains(name(string)) {
            let next = numbers.len();
            let number = *numbers.entry(name(string)).or_insert(next);
            // A number has no quotation marks, so no name is equal to it.
            made.push_str(&dump[at..string.at.start - 1]);
            made.extend(["#".to_owned(), number.to_string()]);
            at = (string.at.end + 1).min(dump.len());
        }
    }
    made.push_str(&dump[at..]);
    made
}

/// The role of a string in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The name that a `let` or a loop binds.
    Binds,
    /// The name of a variable.
    Uses,
    Other,
}

/// A string of a dump: the bytes between its quotation marks.
struct Quoted {
    at: Range<usize>,
    role: Role,
}

/// All strings of a dump.
fn strings(dump: &str) -> Vec<Quoted> {
    let bytes = dump.as_bytes();
    let (mut found, mut list, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'(' => list = at + 1,
            b'"' => {
                let before = &dump[list..at];
                // A type may have a string too, which follows a letter.
                let is_name = before.ends_with(' ');
                let role = match before.split(' ').next() {
                    Some("let" | "for") if is_name => Role::Binds,
                    Some("var") if is_name => Role::Uses,
                    _ => Role::Other,
                };
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                found.push(Quoted { at: start..at.min(bytes.len()), role });
            }
            _ => {}
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::numbered;

    const FIRST: &str = "halidom-dump 1 halide 21.0.0\n(target \"x86-64-linux\")\n\
        (argument output-buffer \"f\" i32 1 4)\n(argument input-scalar \"n\" i32)\n(statement\n \
        (let \"f.min.0\" (var i32 \"n\"))\n \
        (let \"t4\" (var h\"halide_buffer_t *\" \"f.buffer\"))\n \
        (for serial none \"x.x\" (i32 0) (i32 9)\n  \
        (store \"f\" (var i32 \"x.x\") (call i32 \"g\" extern 0 (var i32 \"t4\")))))\n";

    #[test]
    fn bound_names_are_numbered() {
        let other = FIRST.replace("\"x.x\"", "\"y.x\"");
        let other = other.replace("(let \"t4", "(let \"t5").replace("i32 \"t4\")", "i32 \"t5\")");
        assert_ne!(other, FIRST);
        assert_eq!(numbered(&other), numbered(FIRST));
        assert!(numbered(FIRST).contains("(call i32 \"g\" extern 0 (var i32 #0))"));
    }

    #[test]
    fn names_with_another_use_stay() {
        let named = FIRST.replace("(call i32 \"g\"", "(call i32 \"t4\"");
        assert!(numbered(&named).contains("(var i32 \"t4\")"));
    }

    /// The outputs of a func of tuples are `f.0` and `f.1`.
    #[test]
    fn components_of_a_tuple_keep_their_names() {
        let dump = |first: u8, second: u8| {
            format!(
                "halidom-dump 1 halide 21.0.0\n(target \"x86-64-linux\")\n\
                (argument output-buffer \"f.0\" i32 1 4)\n\
                (argument output-buffer \"f.1\" i32 1 4)\n(statement\n \
                (let \"f.{first}\" (call handle \"get_host\" extern 0 (var h \"f.0.buffer\"))\n  \
                (let \"f.{second}\" (call handle \"get_host\" extern 0 (var h \"f.1.buffer\"))\n   \
                (block (store \"f.0\" (i32 0) (i32 1)) (store \"f.1\" (i32 0) (i32 2))))))\n"
            )
        };
        assert_ne!(numbered(&dump(0, 1)), numbered(&dump(1, 0)));
        let nested = |first: u8| {
            format!(
                "(argument output-buffer \"f.0\" i32 1 4)\n(statement\n \
                (let \"f.0.min.{first}\" (i32 0) (var i32 \"f.0.min.0\")))\n"
            )
        };
        assert_ne!(numbered(&nested(0)), numbered(&nested(1)));
    }

    #[test]
    fn no_name_is_a_number() {
        let dump = |name: &str| {
            format!(
                "(argument input-scalar \"#0\" i32)\n(statement\n \
                (let \"t\" (i32 1) (var i32 \"{name}\")))\n"
            )
        };
        assert_ne!(numbered(&dump("t")), numbered(&dump("#0")));
    }

    #[test]
    fn everything_else_counts() {
        for (word, instead) in [
            ("(i32 9)", "(i32 8)"),
            ("(let \"f.min.0\"", "(let \"f.max.0\""),
            ("(var i32 \"n\")", "(var i32 \"m\")"),
            ("(call i32 \"g\"", "(call i32 \"h\""),
            ("(var i32 \"t4\")", "(var i32 \"t5\")"),
            ("(var i32 \"t4\")", "(var i32 \"x.x\")"),
            ("halide_buffer_t *", "x.x"),
            ("x86-64-linux", "x86-64-linux-avx2"),
        ] {
            let other = FIRST.replacen(word, instead, 1);
            assert_ne!(other, FIRST);
            assert_ne!(numbered(&other), numbered(FIRST), "{instead}");
        }
    }
}
