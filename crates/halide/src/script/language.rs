//! The differences between Halide's Python and its C++, as far as schedules go.

/// The language of a printed schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python, with Halide's package as `hl`.
    Python,
    /// C++, with `using namespace Halide`.
    Cpp,
}

/// Words that cannot be names in a script, in either language: words of the languages, and words
/// that have a meaning in Halide or in our scripts. One list gives funcs one name in both.
const RESERVED: &str = " Expr False Func None RVar True Var alignas and as assert async auto await \
    bool break case catch char class const continue def default del delete do double elif else \
    enum except explicit export extern false finally float for friend from global goto hl if \
    import in inline int is lambda long made mutable namespace new nonlocal not operator or pass \
    pipeline private protected public raise register return short signed sizeof static struct \
    switch template this throw true try typedef typename union unsigned using virtual void \
    volatile while with xor yield ";

/// Tests whether a word cannot be the name of a variable.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.split(' ').any(|reserved| reserved == word)
}

impl Language {
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
