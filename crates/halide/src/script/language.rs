//! The differences between Halide's Python and its C++, as far as schedules go.

/// The language of a printed schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python, with Halide's package as `hl`.
    Python,
    /// C++, with `using namespace Halide`.
    Cpp,
}

/// Words that are no Python names, or have a meaning in a script.
const PYTHON: [&str; 11] =
    ["hl", "in", "is", "if", "or", "and", "not", "for", "def", "made", "pipeline"];

/// Words that are no C++ names, and are likely names of funcs or variables.
const CPP: [&str; 31] = [
    "and", "auto", "bool", "break", "case", "char", "class", "const", "default", "delete", "do",
    "double", "else", "enum", "float", "for", "if", "int", "long", "new", "not", "operator", "or",
    "private", "public", "short", "switch", "this", "union", "void", "while",
];

impl Language {
    /// Tests whether a word cannot be the name of a variable.
    pub(super) fn reserves(self, word: &str) -> bool {
        match self {
            Self::Python => PYTHON.contains(&word),
            Self::Cpp => CPP.contains(&word),
        }
    }

    /// The end of a statement.
    pub(super) fn end(self) -> &'static str {
        match self {
            Self::Python => "",
            Self::Cpp => ";",
        }
    }

    /// A value of one of Halide's enumerations.
    pub(super) fn value(self, of: &str, name: &str) -> String {
        match self {
            Self::Python => format!("hl.{of}.{name}"),
            Self::Cpp => format!("{of}::{name}"),
        }
    }

    /// A variable that is declared with a value of a class.
    pub(super) fn declared(self, class: &str, name: &str, value: &str) -> String {
        match self {
            Self::Python => format!("{name} = {value}"),
            Self::Cpp => format!("{class} {name} = {value};"),
        }
    }

    /// A truth value.
    pub(super) fn truth(self, value: bool) -> &'static str {
        match (self, value) {
            (Self::Python, true) => "True",
            (Self::Python, false) => "False",
            (Self::Cpp, true) => "true",
            (Self::Cpp, false) => "false",
        }
    }

    /// The brackets of a list.
    pub(super) fn list(self, parts: &[String]) -> String {
        match self {
            Self::Python => format!("[{}]", parts.join(", ")),
            Self::Cpp => format!("{{{}}}", parts.join(", ")),
        }
    }

    /// A pair.
    pub(super) fn pair(self, first: &str, second: &str) -> String {
        match self {
            Self::Python => format!("({first}, {second})"),
            Self::Cpp => format!("{{{first}, {second}}}"),
        }
    }
}
