//! Piecewise quasi-affine functions.
//!
//! # Errors
//! Every operation of isl can exceed the work limit ([`Error::ResourceLimit`]) or fail otherwise
//! ([`Error::Isl`]). Operations on several operands fail with [`Error::ContextMismatch`] if the
//! operands come from different contexts. Reading a result back fails with [`Error::Overflow`] if a
//! number does not fit in 64 bits.

use std::fmt;
use std::rc::Rc;

use isl_rs as isl;
use isl_rs::DimType;

use crate::{Affine, Condition, Context, Dim, Error, QuasiAffine, Set, read};

/// An integer-valued, piecewise quasi-affine function of dims, defined on a set of points, its
/// domain.
///
/// The result of an operation on several functions is defined where all of them are.
#[derive(Clone)]
pub struct Function {
    // Declared before the context, so that isl frees it first.
    raw: Rc<isl::PwAff>,
    context: Context,
}

/// A part of a [`Function`]: its value on a part of its domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The part of the domain where the piece applies. The pieces of a function do not overlap.
    pub domain: Condition,
    /// The value there.
    pub value: QuasiAffine,
}

/// A function of two operands in isl.
type Binary = fn(isl::PwAff, isl::PwAff) -> Result<isl::PwAff, isl::LibISLError>;

/// A comparison of two operands in isl.
type Comparison = fn(isl::PwAff, isl::PwAff) -> Result<isl::Set, isl::LibISLError>;

impl Function {
    pub(crate) fn from_raw(context: &Context, raw: isl::PwAff) -> Result<Self, Error> {
        // isl returns a null object after an error, and the binding must not receive one.
        if raw.ptr == 0 {
            return Err(Error::Isl { message: "a function is missing".to_owned() });
        }
        Ok(Self { raw: Rc::new(raw), context: context.clone() })
    }

    /// The constant function `value`.
    pub fn constant(context: &Context, value: i64) -> Result<Self, Error> {
        Self::affine(context, &Affine { constant: value, terms: Vec::new() })
    }

    /// The function that returns the value of `dim`.
    pub fn dim(context: &Context, dim: Dim) -> Result<Self, Error> {
        Self::affine(context, &Affine { constant: 0, terms: vec![(dim, 1)] })
    }

    /// The function given by an affine sum.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a dim occurs twice and the sum of its coefficients does not fit.
    pub fn affine(context: &Context, affine: &Affine) -> Result<Self, Error> {
        let merged = QuasiAffine::from(affine.clone()).as_affine().ok_or(Error::Overflow)?;
        Self::merged_affine(context, &merged)
    }

    /// The function given by an affine sum in which each dim occurs once, as isl requires.
    pub(crate) fn merged_affine(context: &Context, affine: &Affine) -> Result<Self, Error> {
        let dims: Vec<Dim> = affine.terms.iter().map(|(dim, _)| *dim).collect();
        let space = context.space(&dims)?;
        let raw = context.run(|ctx| {
            let aff = isl::Aff::zero_on_domain(isl::LocalSpace::from_space(space)?)?;
            let mut aff = aff.set_constant_val(isl::Val::int_from_si(ctx, affine.constant)?)?;
            for (position, (_, factor)) in (0..).zip(&affine.terms) {
                let factor = isl::Val::int_from_si(ctx, *factor)?;
                aff = aff.set_coefficient_val(DimType::Param, position, factor)?;
            }
            isl::PwAff::from_aff(aff)
        })?;
        Self::from_raw(context, raw)
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    fn binary(&self, other: &Self, operation: Binary) -> Result<Self, Error> {
        self.context.require_same(&other.context)?;
        let raw = self.context.run(|_| operation(self.raw.copy()?, other.raw.copy()?))?;
        Self::from_raw(&self.context, raw)
    }

    fn compare(&self, other: &Self, operation: Comparison) -> Result<Set, Error> {
        self.context.require_same(&other.context)?;
        let raw = self.context.run(|_| operation(self.raw.copy()?, other.raw.copy()?))?;
        Set::from_raw(&self.context, raw)
    }

    /// `self + other`.
    pub fn add(&self, other: &Self) -> Result<Self, Error> {
        self.binary(other, isl::PwAff::add)
    }

    /// `self - other`.
    pub fn sub(&self, other: &Self) -> Result<Self, Error> {
        self.binary(other, isl::PwAff::sub)
    }

    /// `min(self, other)`.
    pub fn min(&self, other: &Self) -> Result<Self, Error> {
        self.binary(other, isl::PwAff::min)
    }

    /// `max(self, other)`.
    pub fn max(&self, other: &Self) -> Result<Self, Error> {
        self.binary(other, isl::PwAff::max)
    }

    /// `factor · self`.
    pub fn scale(&self, factor: i64) -> Result<Self, Error> {
        let raw = self
            .context
            .run(|ctx| self.raw.copy()?.scale_val(isl::Val::int_from_si(ctx, factor)?))?;
        Self::from_raw(&self.context, raw)
    }

    /// `⌊self / divisor⌋`.
    ///
    /// # Errors
    /// [`Error::Divisor`] if the divisor is not positive.
    pub fn floor_div(&self, divisor: i64) -> Result<Self, Error> {
        if divisor <= 0 {
            return Err(Error::Divisor { divisor });
        }
        let raw = self.context.run(|ctx| {
            self.raw.copy()?.scale_down_val(isl::Val::int_from_si(ctx, divisor)?)?.floor()
        })?;
        Self::from_raw(&self.context, raw)
    }

    /// `self mod divisor`, in `0..divisor`.
    ///
    /// # Errors
    /// [`Error::Divisor`] if the divisor is not positive.
    pub fn modulo(&self, divisor: i64) -> Result<Self, Error> {
        self.sub(&self.floor_div(divisor)?.scale(divisor)?)
    }

    /// `then` on the points of `condition`, `otherwise` elsewhere.
    pub fn select(condition: &Set, then: &Self, otherwise: &Self) -> Result<Self, Error> {
        let then = then.restrict(condition)?;
        let otherwise = otherwise.restrict(&condition.complement()?)?;
        // The domains are disjoint, so `union_add` never adds two values.
        then.binary(&otherwise, isl::PwAff::union_add)
    }

    /// Restricts the function to the points of `domain`.
    pub fn restrict(&self, domain: &Set) -> Result<Self, Error> {
        self.context.require_same(domain.context())?;
        let raw = self.context.run(|_| self.raw.copy()?.intersect_params(domain.raw().copy()?))?;
        Self::from_raw(&self.context, raw)
    }

    /// The points where the function is defined.
    pub fn domain(&self) -> Result<Set, Error> {
        let raw = self.context.run(|_| self.raw.copy()?.domain())?;
        Set::from_raw(&self.context, raw)
    }

    /// The points where both are defined and `self ≤ other`.
    pub fn le(&self, other: &Self) -> Result<Set, Error> {
        self.compare(other, isl::PwAff::le_set)
    }

    /// The points where both are defined and `self < other`.
    pub fn lt(&self, other: &Self) -> Result<Set, Error> {
        self.compare(other, isl::PwAff::lt_set)
    }

    /// The points where both are defined and `self ≥ other`.
    pub fn ge(&self, other: &Self) -> Result<Set, Error> {
        self.compare(other, isl::PwAff::ge_set)
    }

    /// The points where both are defined and `self > other`.
    pub fn gt(&self, other: &Self) -> Result<Set, Error> {
        self.compare(other, isl::PwAff::gt_set)
    }

    /// The points where both are defined and `self = other`.
    pub fn equal(&self, other: &Self) -> Result<Set, Error> {
        self.compare(other, isl::PwAff::eq_set)
    }

    /// The points where both are defined and `self ≠ other`.
    pub fn not_equal(&self, other: &Self) -> Result<Set, Error> {
        self.compare(other, isl::PwAff::ne_set)
    }

    /// True if both have the same domain and the same value at each point of it.
    pub fn is_equal(&self, other: &Self) -> Result<bool, Error> {
        self.context.require_same(&other.context)?;
        self.context.run(|_| self.raw.is_equal(&other.raw))
    }

    /// A simpler function that agrees with `self` on the points of `assumed`.
    pub fn gist(&self, assumed: &Set) -> Result<Self, Error> {
        self.context.require_same(assumed.context())?;
        let raw = self.context.run(|_| self.raw.copy()?.gist_params(assumed.raw().copy()?))?;
        Self::from_raw(&self.context, raw)
    }

    /// Merges pieces, so that the function has as few as isl finds.
    pub fn coalesce(&self) -> Result<Self, Error> {
        let raw = self.context.run(|_| self.raw.copy()?.coalesce())?;
        Self::from_raw(&self.context, raw)
    }

    /// The pieces; an empty list if the domain is empty.
    pub fn pieces(&self) -> Result<Vec<Piece>, Error> {
        let pieces = self.context.run(|_| read::pieces(&self.raw))?;
        let mut texts = Vec::with_capacity(pieces.len());
        for (domain, value) in pieces {
            let domain = Set::from_raw(&self.context, domain)?.condition()?;
            texts.push(Piece { domain, value: read::affine(&self.context, &value)? });
        }
        Ok(texts)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pieces() {
            Ok(pieces) => f
                .debug_list()
                .entries(pieces.iter().map(|piece| {
                    format!(
                        "{} if {}",
                        piece.value.to_text(&self.context),
                        piece.domain.to_text(&self.context)
                    )
                }))
                .finish(),
            Err(error) => write!(f, "Function({error})"),
        }
    }
}
