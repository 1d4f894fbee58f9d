//! Values of terms in a model.

use std::fmt;

use halidom_base::IndexMap;

use crate::bitvec::low_bits;
use crate::sexpr::Sexpr;
use crate::{Sort, TermId};

/// A value of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A fraction; the denominator is positive.
    Real {
        /// The numerator.
        numerator: i128,
        /// The denominator.
        denominator: i128,
    },
    /// The bits of a bit-vector, below 2^width.
    BitVec {
        /// The width in bits.
        width: u32,
        /// The bits.
        bits: u128,
    },
    /// A float's bits in the interchange format; NaN is the quiet NaN without a payload.
    Float {
        /// Width of the exponent in bits.
        exponent: u32,
        /// Width of the significand in bits with the hidden bit.
        significand: u32,
        /// The bits.
        bits: u128,
    },
}

impl Value {
    /// The integer, if the value is one.
    pub fn as_int(self) -> Option<i128> {
        if let Self::Int(value) = self { Some(value) } else { None }
    }

    /// The truth value, if the value is one.
    pub fn as_bool(self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(value) } else { None }
    }

    /// The bits of a bit-vector or float.
    pub fn as_bits(self) -> Option<u128> {
        match self {
            Self::BitVec { bits, .. } | Self::Float { bits, .. } => Some(bits),
            Self::Bool(_) | Self::Int(_) | Self::Real { .. } => None,
        }
    }

    /// Reads a value that [`fmt::Display`] wrote at the beginning of a text. Also returns the text
    /// after the blank that follows.
    pub(crate) fn from_text(text: &str) -> Option<(Self, &str)> {
        let (kind, text) = text.split_once(' ')?;
        let (first, text) = text.split_once(' ')?;
        Some(match kind {
            "bool" => (Self::Bool(first.parse().ok()?), text),
            "int" => (Self::Int(first.parse().ok()?), text),
            "real" => {
                let (below, text) = text.split_once(' ')?;
                let (numerator, denominator) = (first.parse().ok()?, below.parse().ok()?);
                (Self::Real { numerator, denominator }, text)
            }
            "bits" => {
                let (bits, text) = text.split_once(' ')?;
                (Self::BitVec { width: first.parse().ok()?, bits: bits.parse().ok()? }, text)
            }
            "float" => {
                let (significand, text) = text.split_once(' ')?;
                let (bits, text) = text.split_once(' ')?;
                let (exponent, significand) = (first.parse().ok()?, significand.parse().ok()?);
                (Self::Float { exponent, significand, bits: bits.parse().ok()? }, text)
            }
            _ => return None,
        })
    }

    /// Reads a solver's text for a value of `sort`. `None` if the text is no such value or the
    /// value does not fit the type.
    pub(crate) fn read(sort: Sort, text: &Sexpr) -> Option<Self> {
        match sort {
            Sort::Bool => match text.as_atom()? {
                "true" => Some(Self::Bool(true)),
                "false" => Some(Self::Bool(false)),
                _ => None,
            },
            Sort::Int => read_integer(text).map(Self::Int),
            Sort::Real => {
                let (numerator, denominator) = read_fraction(text)?;
                Some(Self::Real { numerator, denominator })
            }
            Sort::BitVec(width) => {
                let (found, bits) = read_bits(text)?;
                (found == width).then_some(Self::BitVec { width, bits })
            }
            Sort::Float { exponent, significand } => read_float(exponent, significand, text)
                .map(|bits| Self::Float { exponent, significand, bits }),
        }
    }
}

impl fmt::Display for Value {
    /// Writes the kind of the value and its numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "bool {value}"),
            Self::Int(value) => write!(f, "int {value}"),
            Self::Real { numerator, denominator } => write!(f, "real {numerator} {denominator}"),
            Self::BitVec { width, bits } => write!(f, "bits {width} {bits}"),
            Self::Float { exponent, significand, bits } => {
                write!(f, "float {exponent} {significand} {bits}")
            }
        }
    }
}

fn read_integer(text: &Sexpr) -> Option<i128> {
    match text {
        Sexpr::Atom(digits) => digits.parse().ok(),
        Sexpr::List(items) => match items.as_slice() {
            [Sexpr::Atom(minus), Sexpr::Atom(digits)] if minus == "-" => {
                format!("-{digits}").parse().ok()
            }
            _ => None,
        },
        Sexpr::Text(_) => None,
    }
}

fn read_fraction(text: &Sexpr) -> Option<(i128, i128)> {
    match text {
        Sexpr::Atom(digits) => {
            let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
            let decimals = decimals.trim_end_matches('0');
            let denominator = 10_i128.checked_pow(decimals.len().try_into().ok()?)?;
            Some((format!("{whole}{decimals}").parse().ok()?, denominator))
        }
        Sexpr::List(items) => match items.as_slice() {
            [Sexpr::Atom(head), part] if head == "-" => {
                let (numerator, denominator) = read_fraction(part)?;
                Some((numerator.checked_neg()?, denominator))
            }
            [Sexpr::Atom(head), above, below] if head == "/" => {
                let (above, below) = (read_fraction(above)?, read_fraction(below)?);
                let numerator = above.0.checked_mul(below.1)?;
                let denominator = above.1.checked_mul(below.0)?;
                (denominator > 0).then_some((numerator, denominator))
            }
            _ => None,
        },
        Sexpr::Text(_) => None,
    }
}

/// Reads a bit-vector's width and bits.
fn read_bits(text: &Sexpr) -> Option<(u32, u128)> {
    match text {
        Sexpr::Atom(atom) => {
            let (digits, radix, per_digit) = match atom.split_at_checked(2)? {
                ("#x", digits) => (digits, 16, 4),
                ("#b", digits) => (digits, 2, 1),
                _ => return None,
            };
            let bits = u128::from_str_radix(digits, radix).ok()?;
            Some((u32::try_from(digits.len()).ok()?.checked_mul(per_digit)?, bits))
        }
        Sexpr::List(items) => match items.as_slice() {
            [Sexpr::Atom(underscore), Sexpr::Atom(value), Sexpr::Atom(width)]
                if underscore == "_" =>
            {
                Some((width.parse().ok()?, value.strip_prefix("bv")?.parse().ok()?))
            }
            _ => None,
        },
        Sexpr::Text(_) => None,
    }
}

fn read_float(exponent: u32, significand: u32, text: &Sexpr) -> Option<u128> {
    if exponent + significand > 128 {
        return None;
    }
    let fraction_width = significand - 1;
    let sign_bit = 1 << (exponent + fraction_width);
    let infinity = low_bits(u128::MAX, exponent) << fraction_width;
    let quiet_nan = infinity | (1 << (fraction_width - 1));
    match text.as_list()? {
        [Sexpr::Atom(head), sign, biased, fraction] if head == "fp" => {
            let parts = [(sign, 1), (biased, exponent), (fraction, fraction_width)];
            let mut bits = 0;
            for (part, width) in parts {
                let (found, value) = read_bits(part)?;
                if found != width {
                    return None;
                }
                bits = (bits << width) | value;
            }
            let is_nan = bits & infinity == infinity && low_bits(bits, fraction_width) != 0;
            Some(if is_nan { quiet_nan } else { bits })
        }
        [Sexpr::Atom(head), Sexpr::Atom(name), ..] if head == "_" => match name.as_str() {
            "NaN" => Some(quiet_nan),
            "+oo" => Some(infinity),
            "-oo" => Some(sign_bit | infinity),
            "+zero" => Some(0),
            "-zero" => Some(sign_bit),
            _ => None,
        },
        _ => None,
    }
}

/// An assignment that satisfies a query.
///
/// It has values for the query's constants, for its applications of declared functions, and for the
/// arguments of these applications. A value may be missing if it does not fit [`Value`] or the
/// solver did not give it; the model then leaves that term open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Model {
    pub(crate) values: IndexMap<TermId, Value>,
}

impl Model {
    /// The value of a term.
    pub fn get(&self, term: TermId) -> Option<Value> {
        self.values.get(&term).copied()
    }

    /// All terms with their values, in the order of first occurrence in the query.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, Value)> {
        self.values.iter().map(|(term, value)| (*term, *value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr::parse;

    fn read(sort: Sort, text: &str) -> Option<Value> {
        Value::read(sort, &parse(text).unwrap()[0])
    }

    #[test]
    fn values_of_every_sort_are_read() {
        let real = |numerator, denominator| Some(Value::Real { numerator, denominator });
        let float = |bits| Some(Value::Float { exponent: 8, significand: 24, bits });
        let vector = |width, bits| Some(Value::BitVec { width, bits });
        let cases = [
            (Sort::Bool, "true", Some(Value::Bool(true))),
            (Sort::Int, "(- 7)", Some(Value::Int(-7))),
            (Sort::Int, "(- 170141183460469231731687303715884105728)", Some(Value::Int(i128::MIN))),
            (Sort::Real, "(/ 1.0 3.0)", real(1, 3)),
            (Sort::Real, "(- (/ 3 2))", real(-3, 2)),
            (Sort::Real, "2.50", real(25, 10)),
            (Sort::BitVec(8), "#x2c", vector(8, 0x2c)),
            (Sort::BitVec(3), "#b101", vector(3, 5)),
            (Sort::BitVec(9), "(_ bv300 9)", vector(9, 300)),
            (
                Sort::FLOAT32,
                "(fp #b0 #x80 #b00000000000000000000000)",
                float(2.0_f32.to_bits().into()),
            ),
            (Sort::FLOAT32, "(_ -zero 8 24)", float((-0.0_f32).to_bits().into())),
            (Sort::FLOAT32, "(_ -oo 8 24)", float(f32::NEG_INFINITY.to_bits().into())),
            (Sort::FLOAT32, "(_ NaN 8 24)", float(f32::NAN.to_bits().into())),
            (
                Sort::FLOAT32,
                "(fp #b1 #xff #b00000000000000000000001)",
                float(f32::NAN.to_bits().into()),
            ),
        ];
        for (sort, text, expected) in cases {
            assert_eq!(read(sort, text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_value_is_refused() {
        let cases = [
            (Sort::Bool, "maybe"),
            (Sort::Int, "x"),
            (Sort::Int, "999999999999999999999999999999999999999999"),
            (Sort::Real, "(root-obj (+ (^ x 2) (- 2)) 1)"),
            (Sort::Real, "(/ 1.0 0.0)"),
            (Sort::BitVec(8), "#x2"),
            (Sort::BitVec(8), "#q"),
            (Sort::FLOAT32, "(fp #b0 #b1 #b0)"),
            (Sort::FLOAT32, "1.0"),
        ];
        for (sort, text) in cases {
            assert_eq!(read(sort, text), None, "{text}");
        }
    }
}
