//! Tokens.

use std::fmt;

/// The kind and content of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'s> {
    /// A name that is not a keyword.
    Name(&'s str),
    /// A reserved word.
    Keyword(Keyword),
    /// The value of a number without a decimal point or exponent.
    Integer(i128),
    /// A number with a decimal point or exponent, underscores included.
    Float(&'s str),
    /// A string, without quotes, escapes as written.
    Text(&'s str),
    /// Punctuation.
    Punct(Punct),
    /// Text that could not be read; it was reported.
    Bad,
    /// After the last token.
    End,
}

macro_rules! spellings {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $enum { $($variant,)* }

        impl $enum {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub(crate) fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

spellings! {
    /// Reserved words.
    Keyword {
        Pipeline = "pipeline",
        Schedule = "schedule",
        ScheduleFn = "schedule_fn",
        Fn = "fn",
        Func = "func",
        Let = "let",
        Require = "require",
        FastMath = "fast_math",
        For = "for",
        In = "in",
        Where = "where",
        True = "true",
        False = "false",
    }
}

spellings! {
    /// Punctuation, longer spellings before their prefixes.
    Punct {
        ShiftLeft = "<<",
        ShiftRight = ">>",
        LessEqual = "<=",
        GreaterEqual = ">=",
        EqualEqual = "==",
        NotEqual = "!=",
        AndAnd = "&&",
        OrOr = "||",
        Arrow = "->",
        DotDot = "..",
        PlusEqual = "+=",
        TimesEqual = "*=",
        Less = "<",
        Greater = ">",
        Equal = "=",
        Not = "!",
        And = "&",
        Or = "|",
        Xor = "^",
        Complement = "~",
        Plus = "+",
        Minus = "-",
        Times = "*",
        Slash = "/",
        Percent = "%",
        Dot = ".",
        Comma = ",",
        Colon = ":",
        Semicolon = ";",
        OpenParen = "(",
        CloseParen = ")",
        OpenBrace = "{",
        CloseBrace = "}",
        OpenBracket = "[",
        CloseBracket = "]",
    }
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Keyword(keyword) => write!(f, "`{}`", keyword.text()),
            Self::Integer(value) => write!(f, "`{value}`"),
            Self::Float(text) => write!(f, "`{text}`"),
            Self::Text(_) => f.write_str("a string"),
            Self::Punct(punct) => write!(f, "`{}`", punct.text()),
            Self::Bad => f.write_str("what cannot be read"),
            Self::End => f.write_str("the end of the file"),
        }
    }
}
