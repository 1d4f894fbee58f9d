//! Exact integer sums: sums of products with 128-bit coefficients, the normal form of integer
//! expressions.
//!
//! Knows nothing about expressions: a sum is over *monomials*, which the user chooses. Most are
//! [`Product`]s of atoms. Every operation returns `None` where a coefficient needs more than 128
//! bits: no coefficient is ever rounded or wrapped, so equal sums have equal values. Start with
//! [`Sum`]; [`Residues`] adds products, minima, maxima and choices as atoms, and finds remainders.
//!
//! The validator and the reference have sums of their own, because they check the code that uses
//! these. The read-back of generated C needs none, and `poly` leaves sums to isl.

mod product;
mod residues;
mod sum;

pub use product::{Monomial, Product};
pub use residues::{Atom, Choice, Residues};
pub use sum::Sum;
