//! The further facts that a proof uses.

use crate::term::{Arith, Index};

/// A fact that linear arithmetic cannot derive alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The product of two integers that are not negative is not negative.
    Product(Index, Index),
    /// The definition of division by a positive number: the operator, both operands.
    Quotient(Arith, Index, Index),
    /// The quotient of a number that is not negative is not negative: the operator (rounding down
    /// or up), both operands.
    Sign(Arith, Index, Index),
    /// A quotient, rounded down, is below a bound, because the dividend is below the bound times
    /// the divisor: both operands, the bound.
    Below(Index, Index, Index),
    /// A number times either of two equal quotients is the same: the number, both quotients.
    Scaled(Index, Index, Index),
    /// Two quotients are equal because their operands are.
    Equal(Index, Index),
}
