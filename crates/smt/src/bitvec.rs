//! Builders over bit-vectors.

use crate::op::{BitVecBinary, BitVecComparison, Op};
use crate::term::Node;
use crate::{Sort, TermId, Terms};

/// The widest literal.
const MAX_LITERAL_WIDTH: u32 = 128;

/// The `width` low bits of `value`.
pub(crate) fn low_bits(value: u128, width: u32) -> u128 {
    if width >= MAX_LITERAL_WIDTH { value } else { value & ((1 << width) - 1) }
}

impl Terms {
    /// The `width` low bits of `value`, for widths 1 to 128. Signed values are in two's complement.
    pub fn bit_vec(&mut self, width: u32, value: u128) -> TermId {
        assert!((1..=MAX_LITERAL_WIDTH).contains(&width), "a literal of {width} bits");
        self.intern(Node::BitVec { width, value: low_bits(value, width) }, Sort::BitVec(width))
    }

    /// The width of a bit-vector.
    pub fn width(&self, term: TermId) -> u32 {
        let sort = self.sort(term);
        let Sort::BitVec(width) = sort else { unreachable_sort("a bit-vector", sort) };
        width
    }

    /// An operator on two bit-vectors of one width.
    pub fn bit_vec_binary(&mut self, op: BitVecBinary, lhs: TermId, rhs: TermId) -> TermId {
        let width = self.width(lhs);
        self.require(rhs, Sort::BitVec(width));
        self.op(Op::BitVec(op), &[lhs, rhs], Sort::BitVec(width))
    }

    /// A comparison of two bit-vectors of one width.
    pub fn bit_vec_compare(&mut self, op: BitVecComparison, lhs: TermId, rhs: TermId) -> TermId {
        let width = self.width(lhs);
        self.require(rhs, Sort::BitVec(width));
        self.op(Op::BitVecCompare(op), &[lhs, rhs], Sort::Bool)
    }

    /// Inverts every bit.
    pub fn bit_vec_not(&mut self, term: TermId) -> TermId {
        let width = self.width(term);
        self.op(Op::BitVecNot, &[term], Sort::BitVec(width))
    }

    /// The two's complement, wrapping.
    pub fn bit_vec_negate(&mut self, term: TermId) -> TermId {
        let width = self.width(term);
        self.op(Op::BitVecNegate, &[term], Sort::BitVec(width))
    }

    /// Concatenates two bit-vectors; `high` holds the more significant bits.
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let width = self.width(high) + self.width(low);
        self.op(Op::Concat, &[high, low], Sort::BitVec(width))
    }

    /// The bits `low..=high`, counted from the least significant.
    pub fn extract(&mut self, high: u32, low: u32, term: TermId) -> TermId {
        let width = self.width(term);
        assert!(low <= high && high < width, "bits {low} to {high} of {width}");
        if high - low + 1 == width {
            return term;
        }
        self.op(Op::Extract { high, low }, &[term], Sort::BitVec(high - low + 1))
    }

    /// Prepends `bits` zeros to a bit-vector.
    pub fn zero_extend(&mut self, bits: u32, term: TermId) -> TermId {
        let width = self.width(term) + bits;
        if bits == 0 { term } else { self.op(Op::ZeroExtend(bits), &[term], Sort::BitVec(width)) }
    }

    /// Prepends `bits` copies of the sign bit to a bit-vector.
    pub fn sign_extend(&mut self, bits: u32, term: TermId) -> TermId {
        let width = self.width(term) + bits;
        if bits == 0 { term } else { self.op(Op::SignExtend(bits), &[term], Sort::BitVec(width)) }
    }

    /// The unsigned value of a bit-vector as an integer.
    pub fn bit_vec_to_int(&mut self, term: TermId) -> TermId {
        self.width(term);
        self.op(Op::BitVecToNat, &[term], Sort::Int)
    }

    /// An integer modulo 2^width as a bit-vector.
    pub fn int_to_bit_vec(&mut self, width: u32, term: TermId) -> TermId {
        self.require(term, Sort::Int);
        assert!(width > 0, "a bit-vector without bits");
        self.op(Op::IntToBitVec(width), &[term], Sort::BitVec(width))
    }
}

/// Panics because a term has the wrong sort.
pub(crate) fn unreachable_sort(wanted: &str, found: Sort) -> ! {
    unreachable!("a term of sort {found} where {wanted} is needed")
}
