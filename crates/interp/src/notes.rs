//! Notes about an evaluation: facts that its values alone do not show.

use halidom_ir::{Constant, Scalar};

/// Events during an evaluation, whether or not its values depend on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that was met by itself")]
pub struct Notes {
    /// An operator on floats, a conversion or a function gave a number that differs from the result
    /// on real numbers.
    pub rounded: bool,
    /// A float was NaN or infinite.
    pub special: bool,
    /// A float was converted to an integer type that does not hold its value.
    pub unrepresentable: bool,
    /// An `int` did not fit 32 bits.
    pub beyond_32: bool,
    /// A function was applied that is only named, and which may be another one in a user's program.
    pub arbitrary: bool,
}

impl Notes {
    /// Adds the notes of another part of the evaluation.
    pub(crate) fn add(&mut self, other: Self) {
        let Self { rounded, special, unrepresentable, beyond_32, arbitrary } = other;
        self.rounded |= rounded;
        self.special |= special;
        self.unrepresentable |= unrepresentable;
        self.beyond_32 |= beyond_32;
        self.arbitrary |= arbitrary;
    }

    /// Records the facts about a value of this type.
    pub(crate) fn see(&mut self, scalar: Scalar, value: Option<Constant>) {
        let Some(value) = value else { return };
        match scalar {
            Scalar::F32 => self.special |= value.as_f32().is_some_and(|value| !value.is_finite()),
            Scalar::F64 => self.special |= value.as_f64().is_some_and(|value| !value.is_finite()),
            Scalar::Int => {
                let fits = |number| i32::try_from(number).is_ok();
                self.beyond_32 |= value.as_integer().is_some_and(|number| !fits(number));
            }
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => {}
        }
    }

    #[expect(clippy::float_cmp, reason = "the numbers are to be the same")]
    /// Records the facts about a conversion. For a float converted to an integer, it checks that
    /// the type holds the number without its fraction.
    pub(crate) fn see_cast(&mut self, operand: Constant, value: Constant) {
        let float = operand.as_f64().or(operand.as_f32().map(f64::from));
        let (Some(float), Some(integer)) = (float, value.as_integer()) else { return };
        if value.scalar() == Scalar::Bool {
            return;
        }
        // If the conversion saturates, the integer is a different number. Numbers at the border of
        // 64 bits are in doubt.
        self.unrepresentable |= !float.is_finite() || float.trunc() != integer as f64;
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::{Constant, Scalar, eval};

    use super::Notes;

    #[test]
    fn conversions_that_do_not_fit_are_noted() {
        for (to, float, noted) in [
            (Scalar::I32, 2_147_483_520.0, false),
            (Scalar::I32, 2_147_483_648.0, true),
            (Scalar::I32, f32::NAN, true),
            (Scalar::U8, 255.9, false),
            (Scalar::U8, 256.0, true),
            (Scalar::U8, -0.9, false),
            (Scalar::U8, -1.0, true),
            (Scalar::I64, f32::INFINITY, true),
        ] {
            let operand = Constant::f32(float);
            let mut notes = Notes::default();
            notes.see_cast(operand, eval::cast(to, operand).unwrap());
            assert_eq!(notes.unrepresentable, noted, "{to} of {float}");
        }
    }

    #[test]
    fn values_that_are_no_numbers_and_wide_ints_are_noted() {
        for (value, noted) in [
            (Constant::f32(1.0), Notes::default()),
            (Constant::f32(f32::NAN), Notes { special: true, ..Notes::default() }),
            (Constant::f64(f64::NEG_INFINITY), Notes { special: true, ..Notes::default() }),
            (Constant::int(i128::from(i32::MAX)), Notes::default()),
            (
                Constant::int(i128::from(i32::MAX) + 1),
                Notes { beyond_32: true, ..Notes::default() },
            ),
        ] {
            let mut notes = Notes::default();
            notes.see(value.scalar(), Some(value));
            assert_eq!(notes, noted, "{value:?}");
        }
    }
}
