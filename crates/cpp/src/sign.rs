//! The operators of C++, read once into a type.

use std::fmt;

macro_rules! signs {
    ($($(#[$doc:meta])* $name:ident $text:literal)*) => {
        /// An operator as it is written: `-` is one sign, whether it is a prefix or binary.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Sign {
            $($(#[$doc])* $name,)*
            /// An operator that has another spelling, or that is rare.
            Other(&'static str),
        }

        impl Sign {
            const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the operator's text.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                    Self::Other(text) => text,
                }
            }
        }
    };
}

signs! {
    /// Sum, or the operand itself.
    Add "+"
    /// Difference, or negation.
    Sub "-"
    /// Product, or dereference of a pointer.
    Mul "*"
    /// Quotient.
    Div "/"
    /// Remainder.
    Rem "%"
    /// Bitwise conjunction, or an address.
    BitAnd "&"
    /// Bitwise disjunction.
    BitOr "|"
    /// Bitwise exclusive disjunction.
    BitXor "^"
    /// Bitwise complement.
    BitNot "~"
    /// Left shift, or output to a stream.
    Shl "<<"
    /// Right shift.
    Shr ">>"
    /// Equal.
    Eq "=="
    /// Not equal.
    Ne "!="
    /// Less.
    Lt "<"
    /// Less or equal.
    Le "<="
    /// Greater.
    Gt ">"
    /// Greater or equal.
    Ge ">="
    /// Conjunction.
    And "&&"
    /// Disjunction.
    Or "||"
    /// Negation of a truth value.
    Not "!"
    /// Increment.
    Increment "++"
    /// Decrement.
    Decrement "--"
}

/// The texts of the operators that have no meaning here.
const OTHERS: [&str; 15] = [
    "and", "or", "not", "xor", "bitand", "bitor", "compl", "not_eq", "and_eq", "or_eq", "xor_eq",
    "<=>", ",", ".*", "->*",
];

impl Sign {
    /// Returns the operator with this text; `None` if the text is not an operator.
    pub fn of(text: &str) -> Option<Self> {
        let known = Self::ALL.iter().copied().find(|sign| sign.text() == text);
        known.or_else(|| OTHERS.into_iter().find(|other| *other == text).map(Self::Other))
    }

    /// True if it compares two operands.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_read_as_it_is_written() {
        for sign in Sign::ALL {
            assert_eq!(Sign::of(sign.text()), Some(*sign));
        }
        assert_eq!(Sign::of("and"), Some(Sign::Other("and")));
        assert_eq!(Sign::of("+="), None);
    }
}
