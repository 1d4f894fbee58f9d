//! Builders over IEEE 754 binary floats.

use crate::bitvec::{low_bits, unreachable_sort};
use crate::op::{FloatBinary, FloatComparison, FloatTest, Format, Op, RoundingMode};
use crate::term::Node;
use crate::{Sort, TermId, Terms};

impl Format {
    fn of(sort: Sort) -> Self {
        let Sort::Float { exponent, significand } = sort else { unreachable_sort("a float", sort) };
        Self { exponent, significand }
    }

    fn bits(self) -> u32 {
        self.exponent + self.significand
    }
}

impl Terms {
    /// A literal of the given float sort, at most 128 bits wide, from its bits in the interchange
    /// format.
    pub fn float(&mut self, sort: Sort, bits: u128) -> TermId {
        let format = Format::of(sort);
        assert!(format.bits() <= 128, "a literal of {} bits", format.bits());
        let Format { exponent, significand } = format;
        self.intern(
            Node::Float { exponent, significand, bits: low_bits(bits, format.bits()) },
            sort,
        )
    }

    /// A binary32 float.
    pub fn float32(&mut self, value: f32) -> TermId {
        self.float(Sort::FLOAT32, value.to_bits().into())
    }

    /// A binary64 float.
    pub fn float64(&mut self, value: f64) -> TermId {
        self.float(Sort::FLOAT64, value.to_bits().into())
    }

    /// An arithmetic operator on two floats.
    pub fn float_binary(
        &mut self,
        op: FloatBinary,
        mode: RoundingMode,
        lhs: TermId,
        rhs: TermId,
    ) -> TermId {
        let sort = self.floats(&[lhs, rhs]);
        self.op(Op::Float(op, mode), &[lhs, rhs], sort)
    }

    /// An IEEE comparison of two floats.
    pub fn float_compare(&mut self, op: FloatComparison, lhs: TermId, rhs: TermId) -> TermId {
        self.floats(&[lhs, rhs]);
        self.op(Op::FloatCompare(op), &[lhs, rhs], Sort::Bool)
    }

    /// A test of the class of a float.
    pub fn float_test(&mut self, op: FloatTest, term: TermId) -> TermId {
        self.floats(&[term]);
        self.op(Op::FloatTest(op), &[term], Sort::Bool)
    }

    /// The IEEE remainder: `lhs - n·rhs`, where `n` is the quotient rounded to nearest even. It
    /// differs from C's `fmod`.
    pub fn float_remainder(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        let sort = self.floats(&[lhs, rhs]);
        self.op(Op::FloatRemainder, &[lhs, rhs], sort)
    }

    /// The lesser float. If one operand is NaN, the other operand; for zeros of different signs,
    /// either zero.
    pub fn float_min(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        let sort = self.floats(&[lhs, rhs]);
        self.op(Op::FloatMin, &[lhs, rhs], sort)
    }

    /// The greater float, like [`Terms::float_min`].
    pub fn float_max(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        let sort = self.floats(&[lhs, rhs]);
        self.op(Op::FloatMax, &[lhs, rhs], sort)
    }

    /// The float with the opposite sign.
    pub fn float_negate(&mut self, term: TermId) -> TermId {
        let sort = self.floats(&[term]);
        self.op(Op::FloatNegate, &[term], sort)
    }

    /// The float with a positive sign.
    pub fn float_abs(&mut self, term: TermId) -> TermId {
        let sort = self.floats(&[term]);
        self.op(Op::FloatAbs, &[term], sort)
    }

    /// The square root.
    pub fn float_sqrt(&mut self, mode: RoundingMode, term: TermId) -> TermId {
        let sort = self.floats(&[term]);
        self.op(Op::FloatSqrt(mode), &[term], sort)
    }

    /// `x·y + z`, rounded once.
    pub fn float_fma(&mut self, mode: RoundingMode, x: TermId, y: TermId, z: TermId) -> TermId {
        let sort = self.floats(&[x, y, z]);
        self.op(Op::FloatFma(mode), &[x, y, z], sort)
    }

    /// The float rounded to an integral float.
    pub fn float_round(&mut self, mode: RoundingMode, term: TermId) -> TermId {
        let sort = self.floats(&[term]);
        self.op(Op::FloatRound(mode), &[term], sort)
    }

    /// The float of sort `sort` whose bits are the given bit-vector of the same width.
    pub fn float_from_bits(&mut self, sort: Sort, term: TermId) -> TermId {
        let format = Format::of(sort);
        self.require(term, Sort::BitVec(format.bits()));
        self.op(Op::FloatFromBits(format), &[term], sort)
    }

    /// Converts a float to another format.
    pub fn float_from_float(&mut self, mode: RoundingMode, sort: Sort, term: TermId) -> TermId {
        self.floats(&[term]);
        self.op(Op::FloatFromFloat(mode, Format::of(sort)), &[term], sort)
    }

    /// Converts a real to a float.
    pub fn float_from_real(&mut self, mode: RoundingMode, sort: Sort, term: TermId) -> TermId {
        self.require(term, Sort::Real);
        self.op(Op::FloatFromReal(mode, Format::of(sort)), &[term], sort)
    }

    /// Converts the signed value of a bit-vector to a float.
    pub fn float_from_signed(&mut self, mode: RoundingMode, sort: Sort, term: TermId) -> TermId {
        self.width(term);
        self.op(Op::FloatFromSigned(mode, Format::of(sort)), &[term], sort)
    }

    /// Converts the unsigned value of a bit-vector to a float.
    pub fn float_from_unsigned(&mut self, mode: RoundingMode, sort: Sort, term: TermId) -> TermId {
        self.width(term);
        self.op(Op::FloatFromUnsigned(mode, Format::of(sort)), &[term], sort)
    }

    /// Rounds a float to a signed integer of `width` bits. If the float is NaN or the integer does
    /// not fit, the result is some bit-vector, the same for equal operands.
    pub fn float_to_signed(&mut self, mode: RoundingMode, width: u32, term: TermId) -> TermId {
        self.floats(&[term]);
        self.op(Op::FloatToSigned(mode, width), &[term], Sort::BitVec(width))
    }

    /// Rounds a float to an unsigned integer of `width` bits, like [`Terms::float_to_signed`].
    pub fn float_to_unsigned(&mut self, mode: RoundingMode, width: u32, term: TermId) -> TermId {
        self.floats(&[term]);
        self.op(Op::FloatToUnsigned(mode, width), &[term], Sort::BitVec(width))
    }

    /// The real value of a float; some real if it is infinite or NaN.
    pub fn float_to_real(&mut self, term: TermId) -> TermId {
        self.floats(&[term]);
        self.op(Op::FloatToReal, &[term], Sort::Real)
    }

    fn floats(&self, terms: &[TermId]) -> Sort {
        let sort = self.common_sort(terms);
        Format::of(sort);
        sort
    }
}
