//! C names for the source's names: legal, unique in the file, and otherwise as close to the source
//! as possible.

use std::fmt::Write as _;

use halidom_base::FxHashSet;
use halidom_ir::Scalar;

/// Keywords of C, keywords of C++, which includes the headers, macros, and names that the printed
/// file itself uses.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "args",
    "asm",
    "auto",
    "bool",
    "break",
    "captured",
    "case",
    "char",
    "closure",
    "complex",
    "const",
    "constexpr",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "failure",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "imaginary",
    "inline",
    "int",
    "linux",
    "long",
    "main",
    "noreturn",
    "nullptr",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "status",
    "struct",
    "switch",
    "thread_local",
    "true",
    "typedef",
    "typeof",
    "typeof_unqual",
    "union",
    "unix",
    "unsigned",
    "void",
    "volatile",
    "while",
    "and",
    "and_eq",
    "bitand",
    "bitor",
    "catch",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constinit",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_cast",
    "template",
    "this",
    "throw",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "xor",
    "xor_eq",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "NULL",
    "EOF",
];

/// Hands out names, each only once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// Returns a name like `wanted` that was not given before.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let stem = identifier(wanted);
        if self.taken.insert(stem.clone()) {
            return stem;
        }
        let mut number = 2_usize;
        loop {
            let mut candidate = stem.clone();
            candidate.push('_');
            candidate.push_str(&number.to_string());
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
            number += 1;
        }
    }
}

/// Returns the legal, unreserved C identifier that is closest to `name`. Two names of programs,
/// which consist of letters, digits and `_`, never get one identifier.
pub(crate) fn identifier(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 1);
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        // `_U` and six digits stand for a character, so that `_` before `U` is written so too.
        let is_like_escape = character == '_' && characters.peek() == Some(&'U');
        if !character.is_ascii() || is_like_escape {
            write!(text, "_U{:06X}", u32::from(character)).expect("a string accepts any text");
        } else {
            text.push(if character.is_ascii_alphanumeric() { character } else { '_' });
        }
    }
    // Leading underscores belong to C's implementation, and names that begin with `halidom` to the
    // runtime. Such names get a `v`, and so does each name with more of them.
    let rest = text.trim_start_matches('v');
    let is_runtimes = ["halidom", "HALIDOM"].iter().any(|prefix| rest.starts_with(prefix));
    let is_illegal = !text.starts_with(|first: char| first.is_ascii_alphabetic());
    if is_runtimes || is_illegal || rest.starts_with('_') {
        text.insert(0, 'v');
    }
    // A reserved name gets a `_`, and so does each name with more of them.
    if is_reserved(&text) || is_reserved(text.trim_end_matches('_')) {
        text.push('_');
    }
    text
}

/// Tests whether the printed file, C or the runtime uses the name. The names of helper functions
/// and vector types end in a type's name.
fn is_reserved(name: &str) -> bool {
    let last = name.rsplit('_').next().unwrap_or(name);
    let base = last.split_once('x').map_or(last, |(scalar, _)| scalar);
    RESERVED.contains(&name)
        || name.ends_with("_t")
        || is_limit(name)
        || name.contains("_by_")
        || Scalar::from_name(base).is_some()
}

/// Tests for a macro of C's headers that stands for a number, such as `INT32_MAX`, or makes one, as
/// `INT32_C` does.
fn is_limit(name: &str) -> bool {
    let ends = ["_MAX", "_MIN", "_WIDTH", "_C"].iter().any(|end| name.ends_with(end));
    ends && !name.contains(|character: char| character.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{Names, identifier};
    use crate::Toolchain;

    /// Pipelines of one file are functions of one program.
    #[test]
    fn different_names_stay_different() {
        let parts = ["", "v", "_", "U", "é", "ü", "int", "class", "halidom", "0000E9", "x", "_t"];
        let mut names: Vec<String> = vec![String::new()];
        for _ in 0..3 {
            let longer = |name: &String| parts.map(|part| format!("{name}{part}"));
            names = names.iter().flat_map(longer).collect();
        }
        names.sort();
        names.dedup();
        // No name of a program begins with a digit.
        names.retain(|name| name.starts_with(|first: char| !first.is_ascii_digit()));
        let mut given: Vec<String> = names.iter().map(|name| identifier(name)).collect();
        assert!(
            given.iter().all(|name| name.starts_with(|first: char| first.is_ascii_alphabetic())
                && !super::is_reserved(name))
        );
        given.sort();
        given.dedup();
        assert_eq!(given.len(), names.len());
    }

    #[test]
    fn names_are_legal_and_given_once() {
        let mut names = Names::default();
        for (wanted, expected) in [
            ("blur_x", "blur_x"),
            ("output.min.0", "output_min_0"),
            ("output_min_0", "output_min_0_2"),
            ("int", "int_"),
            ("9lives", "v9lives"),
            ("_x", "v_x"),
            ("load_u16x16", "load_u16x16_"),
            ("größe", "gr_U0000F6_U0000DFe"),
            ("class", "class_"),
            ("class_", "class__"),
            ("blur_x", "blur_x_2"),
            ("status", "status_"),
            ("INT32_MAX", "INT32_MAX_"),
            ("complex", "complex_"),
            ("halidom_exp", "vhalidom_exp"),
            ("halidom", "vhalidom"),
            ("x_max", "x_max"),
        ] {
            assert_eq!(names.fresh(wanted), expected);
        }
    }

    /// The two lists were written apart, so that neither hides a mistake of the other.
    #[test]
    fn no_name_is_one_that_the_read_back_refuses() {
        for word in halidom_readback::REFUSED {
            let name = identifier(word);
            assert!(!halidom_readback::REFUSED.contains(&name.as_str()), "{word}");
        }
        for word in ["halidom", "halidom_exp", "HALIDOM_X", "_halidom", "_x"] {
            let name = identifier(word);
            let refused = ["halidom", "HALIDOM", "_"].iter().any(|begin| name.starts_with(begin));
            assert!(!refused, "{word}");
        }
    }

    /// A variable that is called like a macro would be replaced by its text.
    #[test]
    fn no_name_is_a_macro_of_the_headers() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("headers.c");
        std::fs::write(&source, "#include <stddef.h>\n#include <stdint.h>\n").unwrap();
        let toolchain = Toolchain::find().unwrap();
        let output = toolchain.start().args(["-dM", "-E"]).arg(&source).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let names =
            text.lines().filter_map(|line| line.strip_prefix("#define ")?.split(' ').next());
        // Those with parameters stand for nothing where no `(` follows.
        let names: Vec<&str> = names.filter(|name| !name.contains('(')).collect();
        assert!(names.len() > 100, "{text}");
        for name in names {
            assert_ne!(identifier(name), name);
        }
    }
}
