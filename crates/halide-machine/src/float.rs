//! Floats by their bits. Floats of 16 bits are computed as code without instructions for them does:
//! in 32 bits, then rounded.

use crate::value::{Kind, Lane};

/// Observations about the floats of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Notes {
    /// A NaN, an infinity or a negative zero occurred, possibly as an intermediate result. Without
    /// strict floats LLVM assumes that none occurs.
    pub unusual_floats: bool,
    /// A function was computed whose last bits the code generators choose.
    pub approximate: bool,
    /// The lanes of a vector of floats were reduced in an order that the code generators choose.
    pub regrouped: bool,
    /// The greatest magnitude of a finite float that was read, converted or computed. What
    /// regrouping changes is small beside it, not beside the result.
    pub greatest: f64,
}

/// The meaning of signed arithmetic and of conversions whose results leave their type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beyond {
    /// Poison, as LLVM is told.
    #[default]
    Poison,
    /// Sums, differences and products of signed integers wrap, and so do conversions of floats to
    /// integers of 8 and 16 bits and to unsigned ones of 32. A verdict names the conditions that
    /// say so.
    Wraps,
}

/// The arithmetic of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arithmetic {
    pub(crate) beyond: Beyond,
    pub(crate) notes: Notes,
}

impl Arithmetic {
    /// The same arithmetic, whose notes are not kept.
    pub(crate) fn unseen(&self) -> Self {
        Self { beyond: self.beyond, notes: Notes::default() }
    }

    /// Returns the result of a sum, difference or product. LLVM is told that those of signed
    /// integers of 32 and 64 bits do not overflow; all others wrap.
    pub(crate) fn exact(&self, kind: Kind, value: i128) -> Lane {
        match self.beyond {
            Beyond::Poison => kind.result(value),
            Beyond::Wraps => kind.wrapped(value),
        }
    }

    /// Tests whether the conversion of a float beyond an integer type wraps.
    pub(crate) fn wraps_converted(&self, to: Kind, value: f64) -> bool {
        let is_narrow = match to {
            Kind::Int(bits) => bits <= 16,
            Kind::UInt(bits) => (8..=32).contains(&bits),
            Kind::Half | Kind::BFloat | Kind::Single | Kind::Double | Kind::Handle => false,
        };
        // Conversions are merged where the inner one, to more bits, holds the value.
        let is_held = value.abs() < 9_223_372_036_854_775_808.0;
        match self.beyond {
            Beyond::Poison => false,
            Beyond::Wraps => is_narrow && is_held,
        }
    }
}

/// Returns the value of a float.
pub(crate) fn decode(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::Half => f64::from(half_to_single(bits as u16)),
        Kind::BFloat => f64::from(f32::from_bits((bits as u32) << 16)),
        Kind::Single => f64::from(f32::from_bits(bits as u32)),
        Kind::Double => f64::from_bits(bits),
        Kind::Int(_) | Kind::UInt(_) | Kind::Handle => kind.value(bits) as f64,
    }
}

/// Returns the bits of a float whose value is given in 64 bits, rounded as code does.
pub(crate) fn encode(kind: Kind, value: f64) -> u64 {
    match kind {
        Kind::Half => u64::from(single_to_half(value as f32)),
        Kind::BFloat => u64::from(single_to_bfloat(value as f32)),
        Kind::Single => u64::from((value as f32).to_bits()),
        Kind::Double => value.to_bits(),
        Kind::Int(_) | Kind::UInt(_) | Kind::Handle => 0,
    }
}

/// Returns a result, and notes it if LLVM assumes that it does not occur.
pub(crate) fn noted(kind: Kind, bits: u64, arithmetic: &mut Arithmetic) -> Lane {
    let notes = &mut arithmetic.notes;
    let value = decode(kind, bits);
    if !value.is_finite() || (value == 0.0 && value.is_sign_negative()) {
        notes.unusual_floats = true;
    }
    if value.is_finite() {
        notes.greatest = notes.greatest.max(value.abs());
    }
    Lane::of(bits)
}

/// Applies an operator in the type's own width, or in 32 bits for narrower types.
pub(crate) fn apply(
    kind: Kind,
    [a, b]: [u64; 2],
    single: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) -> u64 {
    if kind == Kind::Double {
        return double(f64::from_bits(a), f64::from_bits(b)).to_bits();
    }
    // Both are exactly floats of 32 bits.
    let (a, b) = (decode(kind, a) as f32, decode(kind, b) as f32);
    encode(kind, f64::from(single(a, b)))
}

fn half_to_single(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits >> 10) & 31);
    let fraction = f32::from(bits & 1023);
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1024.0 + fraction) * 2.0_f32.powi(exponent - 25),
    }
}

/// Rounds to nearest, ties to even.
fn single_to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    if value.is_nan() {
        return sign | 0x7e00;
    }
    let magnitude = f64::from(value.abs());
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The step between neighbours at this magnitude, a power of two of at least 2^-24. Quotients by
    // it are exact in 64 bits.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let step = 2.0_f64.powi(exponent - 10);
    let count = (magnitude / step).round_ties_even();
    let value = count * step;
    if value < 2.0_f64.powi(-14) {
        return sign | (value / 2.0_f64.powi(-24)) as u16;
    }
    let exponent = (value.to_bits() >> 52) as i32 - 1023;
    let fraction = (value / 2.0_f64.powi(exponent - 10)) as u16 & 1023;
    sign | (((exponent + 15) as u16) << 10) | fraction
}

/// Rounds to nearest, ties to even.
fn single_to_bfloat(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return ((bits >> 16) | 0x40) as u16;
    }
    let odd = (bits >> 16) & 1;
    ((u64::from(bits) + 0x7fff + u64::from(odd)) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every half is read and written back. A value between two halves is rounded to the nearer
    /// one, and in a tie to the even one.
    #[test]
    fn halves_round_to_nearest() {
        for bits in 0..=u16::MAX {
            let value = half_to_single(bits);
            if !value.is_nan() {
                assert_eq!(single_to_half(value), bits, "{value}");
            }
            let next = half_to_single(bits.wrapping_add(1));
            if bits & 0x7fff < 0x7bff {
                let middle = f32::midpoint(value, next);
                let even = if bits % 2 == 0 { bits } else { bits + 1 };
                assert_eq!(single_to_half(middle), even, "between {value} and {next}");
            }
        }
        assert_eq!(single_to_half(65519.0), 0x7bff);
        assert_eq!(single_to_half(65520.0), 0x7c00);
    }

    #[test]
    fn bfloats_round_to_nearest() {
        assert_eq!(single_to_bfloat(1.0), 0x3f80);
        assert_eq!(single_to_bfloat(f32::from_bits(0x3f80_8000)), 0x3f80);
        assert_eq!(single_to_bfloat(f32::from_bits(0x3f81_8000)), 0x3f82);
        assert_eq!(single_to_bfloat(f32::from_bits(0x3f80_8001)), 0x3f81);
    }
}
