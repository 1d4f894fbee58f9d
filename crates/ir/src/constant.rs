//! Values of the scalar types.

use crate::Scalar;

/// A defined value of a scalar type. Two values are equal if their representations are: two NaNs
/// with the same bits are equal, 0.0 and -0.0 are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant {
    scalar: Scalar,
    /// The value of an integer, 0 or 1 for a `bool`, or the IEEE bits of a float, zero-extended.
    payload: i128,
}

impl Constant {
    /// An `int`.
    pub fn int(value: i128) -> Self {
        Self { scalar: Scalar::Int, payload: value }
    }

    /// A `bool`.
    pub fn bool(value: bool) -> Self {
        Self { scalar: Scalar::Bool, payload: i128::from(value) }
    }

    /// An `f32`. NaNs become the canonical quiet NaN.
    pub fn f32(value: f32) -> Self {
        let bits = if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() };
        Self { scalar: Scalar::F32, payload: i128::from(bits) }
    }

    /// An `f64`. NaNs become the canonical quiet NaN.
    pub fn f64(value: f64) -> Self {
        let bits = if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() };
        Self { scalar: Scalar::F64, payload: i128::from(bits) }
    }

    /// Returns the value of integer type `scalar` (or `bool`, `int`) that is congruent to `value`
    /// modulo 2^width. Returns `None` for floats.
    pub fn wrapped(scalar: Scalar, value: i128) -> Option<Self> {
        if scalar == Scalar::Int {
            return Some(Self::int(value));
        }
        if scalar.is_float() {
            return None;
        }
        // The shifts drop the bits above the type's width and fill them with its sign or with
        // zeros.
        let above = i128::BITS - scalar.bits()?;
        let payload = if scalar.is_signed() {
            value << above >> above
        } else {
            ((value as u128) << above >> above) as i128
        };
        Some(Self { scalar, payload })
    }

    /// Zero of the type (`false` for `bool`).
    pub fn zero(scalar: Scalar) -> Self {
        Self { scalar, payload: 0 }
    }

    /// The scalar type.
    pub fn scalar(self) -> Scalar {
        self.scalar
    }

    /// The value of an integer, `int` or `bool` (0 or 1). `None` for floats.
    pub fn as_integer(self) -> Option<i128> {
        (!self.scalar.is_float()).then_some(self.payload)
    }

    /// The value of a `bool`. `None` for other types.
    pub fn as_bool(self) -> Option<bool> {
        (self.scalar == Scalar::Bool).then_some(self.payload != 0)
    }

    /// The value of an `f32`. `None` for other types.
    pub fn as_f32(self) -> Option<f32> {
        (self.scalar == Scalar::F32).then(|| f32::from_bits(self.payload as u32))
    }

    /// The value of an `f64`. `None` for other types.
    pub fn as_f64(self) -> Option<f64> {
        (self.scalar == Scalar::F64).then(|| f64::from_bits(self.payload as u64))
    }

    /// The bits of the value in memory, zero-extended. `None` for `int`, which has no memory form.
    pub fn to_bits(self) -> Option<u64> {
        let bits = self.scalar.bits()?;
        Some(if bits == 64 {
            self.payload as u64
        } else {
            (self.payload as u64) & ((1_u64 << bits) - 1)
        })
    }

    /// Returns the value with these bits in memory. This is the inverse of [`Self::to_bits`],
    /// except that NaNs become canonical. Returns `None` for `int`.
    pub fn from_bits(scalar: Scalar, bits: u64) -> Option<Self> {
        match scalar {
            Scalar::F32 => Some(Self::f32(f32::from_bits(bits as u32))),
            Scalar::F64 => Some(Self::f64(f64::from_bits(bits))),
            Scalar::Bool => Some(Self::bool(bits & 0xff != 0)),
            Scalar::Int => None,
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => Self::wrapped(scalar, i128::from(bits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Constant;
    use crate::Scalar;

    #[test]
    fn wrapping_is_modulo_the_width() {
        for (scalar, value, expected) in [
            (Scalar::U8, 256, 0),
            (Scalar::U8, -1, 255),
            (Scalar::I8, 128, -128),
            (Scalar::I8, -129, 127),
            (Scalar::I64, i128::from(i64::MAX) + 1, i128::from(i64::MIN)),
            (Scalar::U64, -1, i128::from(u64::MAX)),
            (Scalar::Int, 1 << 100, 1 << 100),
        ] {
            assert_eq!(
                Constant::wrapped(scalar, value).and_then(Constant::as_integer),
                Some(expected),
                "{scalar}({value})"
            );
        }
        assert_eq!(Constant::wrapped(Scalar::F32, 1), None);
        for scalar in [Scalar::Bool, Scalar::I8, Scalar::U16, Scalar::I32, Scalar::I64, Scalar::U64]
        {
            let (low, high) = scalar.range().unwrap();
            for near in [0, low, high, i128::MIN, i128::MAX] {
                for value in (-3..=3).filter_map(|step| near.checked_add(step)) {
                    let size = high - low + 1;
                    let expected = (value.rem_euclid(size) - low).rem_euclid(size) + low;
                    let wrapped = Constant::wrapped(scalar, value).and_then(Constant::as_integer);
                    assert_eq!(wrapped, Some(expected), "{scalar}({value})");
                }
            }
        }
    }

    #[test]
    fn memory_bits_round_trip() {
        for constant in [
            Constant::bool(true),
            Constant::f32(-0.0),
            Constant::f64(1.5),
            Constant::wrapped(Scalar::I16, -7).unwrap(),
            Constant::wrapped(Scalar::U64, -1).unwrap(),
        ] {
            assert_eq!(
                Constant::from_bits(constant.scalar(), constant.to_bits().unwrap()),
                Some(constant)
            );
        }
        assert_eq!(Constant::int(3).to_bits(), None);
    }
}
