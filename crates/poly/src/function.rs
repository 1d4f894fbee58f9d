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

use crate::{Affine, Condition, Constraint, Context, Dim, Error, QuasiAffine, Relation, Set, read};

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

/// The greatest number of distinct values for which nested minima and maxima are tried.
const MAX_NESTED_VALUES: usize = 5;

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
    fn merged_affine(context: &Context, affine: &Affine) -> Result<Self, Error> {
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

    /// The function that a tree describes. For a DAG with much sharing, build each node once with
    /// the other methods instead.
    ///
    /// # Errors
    /// [`Error::Divisor`] for a divisor that is not positive; [`Error::Isl`] for a minimum or
    /// maximum without parts.
    pub fn from_quasi_affine(context: &Context, tree: &QuasiAffine) -> Result<Self, Error> {
        let combine = |parts: &[QuasiAffine],
                       operation: fn(&Self, &Self) -> Result<Self, Error>| {
            let mut functions = parts.iter().map(|part| Self::from_quasi_affine(context, part));
            let first = functions.next();
            first
                .map(|first| functions.try_fold(first?, |sum, next| operation(&sum, &next?)))
                .transpose()
        };
        if let Some(affine) = tree.as_affine() {
            return Self::merged_affine(context, &affine);
        }
        let no_parts = || Error::Isl { message: "a minimum or maximum of nothing".to_owned() };
        match tree {
            QuasiAffine::Constant(value) => Self::constant(context, *value),
            QuasiAffine::Dim(dim) => Self::dim(context, *dim),
            QuasiAffine::Sum(parts) => match combine(parts, Self::add)? {
                Some(sum) => Ok(sum),
                None => Self::constant(context, 0),
            },
            QuasiAffine::Scale(factor, part) => {
                Self::from_quasi_affine(context, part)?.scale(*factor)
            }
            QuasiAffine::FloorDiv(part, divisor) => {
                Self::from_quasi_affine(context, part)?.floor_div(*divisor)
            }
            QuasiAffine::Min(parts) => combine(parts, Self::min)?.ok_or_else(no_parts),
            QuasiAffine::Max(parts) => combine(parts, Self::max)?.ok_or_else(no_parts),
            QuasiAffine::Select(condition, then, otherwise) => Self::select(
                &Set::from_condition(context, condition)?,
                &Self::from_quasi_affine(context, then)?,
                &Self::from_quasi_affine(context, otherwise)?,
            ),
        }
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

    /// One expression that equals the function on its whole domain: an affine expression if one
    /// suffices, else minima and maxima of the pieces' values, else a select over the pieces.
    /// `None` if the domain is empty.
    ///
    /// Outside the domain the value of the expression is meaningless.
    pub fn expression(&self) -> Result<Option<QuasiAffine>, Error> {
        self.expression_within(&Set::universe(&self.context)?)
    }

    /// Like [`Function::expression`], but the result is valid, and may be simpler, only where
    /// `assumed` holds.
    pub fn expression_within(&self, assumed: &Set) -> Result<Option<QuasiAffine>, Error> {
        let exact = self.restrict(assumed)?;
        let pieces = exact.gist(assumed)?.coalesce()?.pieces()?;
        let domain = exact.domain()?;
        for candidate in candidates(&exact.essential_values(&domain, &pieces)?) {
            let function = Self::from_quasi_affine(&self.context, &candidate)?.restrict(&domain)?;
            if within_limit(function.is_equal(&exact))? == Some(true) {
                return Ok(Some(candidate));
            }
        }
        let select = pieces.into_iter().rev().fold(None, |rest, piece| match rest {
            None => Some(piece.value),
            Some(rest) => {
                Some(QuasiAffine::Select(piece.domain, Box::new(piece.value), Box::new(rest)))
            }
        });
        Ok(select)
    }

    /// Returns values of pieces such that at each point of `domain` one of them is the function's
    /// value. Leaves out the values that isl split off although the others suffice.
    fn essential_values(&self, domain: &Set, pieces: &[Piece]) -> Result<Vec<QuasiAffine>, Error> {
        let mut ranked: Vec<(usize, &QuasiAffine)> = Vec::new();
        for piece in pieces {
            // Pieces that lie in a hyperplane are the most likely to be special cases of others.
            let is_full =
                |part: &&Vec<Constraint>| part.iter().all(|c| c.relation == Relation::NonNegative);
            let full = piece.domain.0.iter().filter(is_full).count();
            match ranked.iter_mut().find(|(_, value)| **value == piece.value) {
                Some((sum, _)) => *sum += full,
                None => ranked.push((full, &piece.value)),
            }
        }
        ranked.sort_unstable();
        let agree = |(_, value): &(usize, &QuasiAffine)| {
            self.equal(&Self::from_quasi_affine(&self.context, value)?)
        };
        let agreements = ranked.iter().map(agree).collect::<Result<Vec<Set>, Error>>()?;
        let mut kept: Vec<usize> = (0..ranked.len()).collect();
        for index in 0..ranked.len() {
            let others: Vec<usize> = kept.iter().copied().filter(|other| *other != index).collect();
            let covered = others
                .iter()
                .try_fold(Set::empty(&self.context)?, |covered, other| {
                    covered.union(&agreements[*other])
                })
                .and_then(|covered| domain.is_subset(&covered));
            if within_limit(covered)? == Some(true) {
                kept = others;
            }
        }
        let mut values: Vec<QuasiAffine> =
            kept.into_iter().map(|index| ranked[index].1.clone()).collect();
        values.sort_unstable();
        Ok(values)
    }
}

/// Maps a question that exceeded the work limit to `None`. Use it only for questions whose answer
/// merely simplifies an expression.
fn within_limit<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::ResourceLimit { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Lists expressions without conditions, simplest first, that may equal a whole function whose
/// pieces have these values.
fn candidates(values: &[QuasiAffine]) -> Vec<QuasiAffine> {
    if values.len() < 2 {
        return values.to_vec();
    }
    let mut candidates = vec![QuasiAffine::Max(values.to_vec()), QuasiAffine::Min(values.to_vec())];
    if values.len() > MAX_NESTED_VALUES {
        return candidates;
    }
    // Clamps: some of the values bounded by the others.
    for chosen in 1_u32..1 << values.len() {
        if chosen.count_ones() < 2 || chosen.count_ones() as usize == values.len() {
            continue;
        }
        let part = |wanted: bool| {
            let indexed = values.iter().enumerate();
            indexed
                .filter(move |(index, _)| (chosen >> index & 1 == 1) == wanted)
                .map(|(_, value)| value.clone())
        };
        let bounded = |inner: QuasiAffine| std::iter::once(inner).chain(part(false)).collect();
        candidates.push(QuasiAffine::Max(bounded(QuasiAffine::Min(part(true).collect()))));
        candidates.push(QuasiAffine::Min(bounded(QuasiAffine::Max(part(true).collect()))));
    }
    candidates
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
