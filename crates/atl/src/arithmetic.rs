//! The elements of tensors, for the interpreter: the operations of a semiring, literals, scalar
//! functions.

use crate::program::Element;

/// The operations on elements.
pub trait Arithmetic {
    /// An element.
    type Value: Copy;

    /// The zero, which a tensor holds outside of its sizes.
    fn zero(&self) -> Self::Value;
    /// A sum.
    fn add(&self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// A product.
    fn mul(&self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The value of a constant as it was written, if it is an element. `0` and `1` are the
    /// semiring's.
    fn literal(&self, text: &str) -> Option<Self::Value>;
    /// Applies a scalar function, if the elements have it.
    fn call(&self, name: &str, args: &[Self::Value]) -> Option<Self::Value>;
}

/// True if the elements of a type have a scalar function.
pub fn has_function(element: Element, name: &str) -> bool {
    let of_integers = ["neg", "abs", "div", "minimum", "maximum"].contains(&name);
    match element {
        Element::I32 | Element::I64 => of_integers,
        Element::F32 | Element::F64 => of_integers || ["sqrt", "exp"].contains(&name),
        Element::MinPlus => false,
    }
}

/// True if a constant is an element of a type, and C reads its text as the same number: with a zero
/// before other digits it is octal there, digits without a point are a number of at most 64 bits,
/// and a float of 32 bits is rounded to 64 bits first.
pub fn has_literal(element: Element, text: &str) -> bool {
    let is_octal = text.starts_with('0') && text[1..].starts_with(|c: char| c.is_ascii_digit());
    let is_known = match element {
        Element::I32 | Element::I64 | Element::MinPlus => Integers(element).literal(text).is_some(),
        Element::F32 | Element::F64 => Floats { single: false }.literal(text).is_some(),
    };
    let is_right = match element {
        Element::I32 | Element::I64 | Element::MinPlus => true,
        Element::F64 => text.contains('.') || text.parse::<i64>().is_ok(),
        Element::F32 => {
            let (single, double) = (text.parse::<f32>(), text.parse::<f64>());
            let once = single.is_ok_and(|once| {
                double.is_ok_and(|double| once.to_bits() == (double as f32).to_bits())
            });
            once && (text.contains('.') || text.parse::<i64>().is_ok())
        }
    };
    is_known && is_right && !is_octal
}

/// Integers that wrap, or integers under minimum and addition.
#[derive(Clone, Copy, Debug)]
pub struct Integers(pub Element);

impl Integers {
    fn is_min_plus(self) -> bool {
        self.0 == Element::MinPlus
    }

    fn wrap(self, value: i64) -> i64 {
        if self.0 == Element::I32 { i64::from(value as i32) } else { value }
    }
}

impl Arithmetic for Integers {
    type Value = i64;

    fn zero(&self) -> i64 {
        if self.is_min_plus() { i64::MAX } else { 0 }
    }

    fn add(&self, a: i64, b: i64) -> i64 {
        if self.is_min_plus() { a.min(b) } else { self.wrap(a.wrapping_add(b)) }
    }

    fn mul(&self, a: i64, b: i64) -> i64 {
        match self.is_min_plus() {
            true if a == i64::MAX || b == i64::MAX => i64::MAX,
            true => a.wrapping_add(b),
            false => self.wrap(a.wrapping_mul(b)),
        }
    }

    fn literal(&self, text: &str) -> Option<i64> {
        match text {
            "0" => Some(self.zero()),
            "1" => Some(i64::from(!self.is_min_plus())),
            _ => Some(self.wrap(text.parse().ok()?)),
        }
    }

    fn call(&self, name: &str, args: &[i64]) -> Option<i64> {
        if self.is_min_plus() {
            return None;
        }
        let value = match (name, args) {
            ("neg", [a]) => a.wrapping_neg(),
            ("abs", [a]) => a.wrapping_abs(),
            ("minimum", [a, b]) => *a.min(b),
            ("maximum", [a, b]) => *a.max(b),
            ("div", [_, 0]) => 0,
            ("div", [a, b]) => {
                a.wrapping_div(*b) - i64::from(a.wrapping_rem(*b) != 0 && (*a < 0) != (*b < 0))
            }
            _ => return None,
        };
        Some(self.wrap(value))
    }
}

/// Floating point. Single precision is computed in double precision and rounded after each
/// operation. For the operations here this gives the same results.
#[derive(Clone, Copy, Debug)]
pub struct Floats {
    /// True if results are rounded to single precision.
    pub single: bool,
}

impl Floats {
    fn round(self, value: f64) -> f64 {
        if self.single { f64::from(value as f32) } else { value }
    }
}

impl Arithmetic for Floats {
    type Value = f64;

    fn zero(&self) -> f64 {
        0.0
    }

    fn add(&self, a: f64, b: f64) -> f64 {
        self.round(a + b)
    }

    fn mul(&self, a: f64, b: f64) -> f64 {
        self.round(a * b)
    }

    fn literal(&self, text: &str) -> Option<f64> {
        Some(self.round(text.parse().ok()?))
    }

    fn call(&self, name: &str, args: &[f64]) -> Option<f64> {
        let value = match (name, args) {
            ("neg", [a]) => -a,
            ("abs", [a]) => a.abs(),
            ("minimum", [a, b]) => {
                if a < b {
                    *a
                } else {
                    *b
                }
            }
            ("maximum", [a, b]) => {
                if a > b {
                    *a
                } else {
                    *b
                }
            }
            ("div", [a, b]) => a / b,
            ("sqrt", [a]) => a.sqrt(),
            ("exp", [a]) if self.single => f64::from((*a as f32).exp()),
            ("exp", [a]) => a.exp(),
            _ => return None,
        };
        Some(self.round(value))
    }
}

/// Bounds of the magnitude of every sum's terms, which rounding errors are measured against. The
/// inputs are magnitudes.
#[derive(Clone, Copy, Debug)]
pub struct Magnitudes;

impl Arithmetic for Magnitudes {
    type Value = f64;

    fn zero(&self) -> f64 {
        0.0
    }

    fn add(&self, a: f64, b: f64) -> f64 {
        a + b
    }

    fn mul(&self, a: f64, b: f64) -> f64 {
        a * b
    }

    fn literal(&self, text: &str) -> Option<f64> {
        text.parse().ok()
    }

    fn call(&self, name: &str, args: &[f64]) -> Option<f64> {
        match (name, args) {
            ("neg" | "abs", [a]) => Some(*a),
            ("minimum" | "maximum", [a, b]) => Some(a.max(*b)),
            // An error of the argument may become an error of any size in a quotient or root.
            _ => None,
        }
    }
}
