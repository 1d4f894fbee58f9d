//! Sets of integer points.
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

use crate::{Condition, Context, Dim, Error, read};

/// A set of integer points, which are assignments of integers to dims. Dims that the set does not
/// constrain may have any value, so a set over `x` and the same set over `x` and `y` do not differ.
#[derive(Clone)]
pub struct Set {
    // Declared before the context, so that isl frees it first. isl sees a parameter domain: every
    // dim is a parameter, and isl aligns parameters by identifier.
    raw: Rc<isl::Set>,
    context: Context,
}

/// The coordinates of a point, in the order of isl's parameters. Dims that are not listed may have
/// any value.
pub type Point = Vec<(Dim, i64)>;

/// An operation on two sets in isl.
type Binary = fn(isl::Set, isl::Set) -> Result<isl::Set, isl::LibISLError>;

impl Set {
    pub(crate) fn from_raw(context: &Context, raw: isl::Set) -> Result<Self, Error> {
        // isl returns a null object after an error, and the binding must not receive one.
        if raw.ptr == 0 {
            return Err(Error::Isl { message: "a set is missing".to_owned() });
        }
        Ok(Self { raw: Rc::new(raw), context: context.clone() })
    }

    pub(crate) fn raw(&self) -> &isl::Set {
        &self.raw
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The set of all points.
    pub fn universe(context: &Context) -> Result<Self, Error> {
        let raw = context.run(|ctx| isl::Set::universe(isl::Space::params_alloc(ctx, 0)?))?;
        Self::from_raw(context, raw)
    }

    /// The set without points.
    pub fn empty(context: &Context) -> Result<Self, Error> {
        let raw = context.run(|ctx| isl::Set::empty(isl::Space::params_alloc(ctx, 0)?))?;
        Self::from_raw(context, raw)
    }

    fn binary(&self, other: &Self, operation: Binary) -> Result<Self, Error> {
        self.context.require_same(&other.context)?;
        let raw = self.context.run(|_| operation(self.raw.copy()?, other.raw.copy()?))?;
        Self::from_raw(&self.context, raw)
    }

    fn unary(
        &self,
        operation: fn(isl::Set) -> Result<isl::Set, isl::LibISLError>,
    ) -> Result<Self, Error> {
        let raw = self.context.run(|_| operation(self.raw.copy()?))?;
        Self::from_raw(&self.context, raw)
    }

    /// The points in both.
    pub fn intersect(&self, other: &Self) -> Result<Self, Error> {
        self.binary(other, isl::Set::intersect)
    }

    /// The points in either.
    pub fn union(&self, other: &Self) -> Result<Self, Error> {
        self.binary(other, isl::Set::union)
    }

    /// The points of `self` that are not in `other`.
    pub fn subtract(&self, other: &Self) -> Result<Self, Error> {
        self.binary(other, isl::Set::subtract)
    }

    /// The points that are not in `self`.
    pub fn complement(&self) -> Result<Self, Error> {
        self.unary(isl::Set::complement)
    }

    /// Projects out `dims`: the points that become members of `self` if only `dims` change,
    /// `∃ dims. self`. Exact over the integers.
    pub fn exists(&self, dims: &[Dim]) -> Result<Self, Error> {
        let identifiers =
            dims.iter().map(|dim| self.context.identifier(*dim)).collect::<Result<Vec<_>, _>>()?;
        let raw = self.context.run(|ctx| {
            identifiers.iter().try_fold(self.raw.copy()?, |set, identifier| {
                set.project_out_param_id(isl::Id::read_from_str(ctx, identifier)?)
            })
        })?;
        Self::from_raw(&self.context, raw)
    }

    /// The points that are members of `self` for all values of `dims`: `∀ dims. self`.
    pub fn for_all(&self, dims: &[Dim]) -> Result<Self, Error> {
        self.complement()?.exists(dims)?.complement()
    }

    /// True if the set has no point.
    pub fn is_empty(&self) -> Result<bool, Error> {
        self.context.run(|_| self.raw.is_empty())
    }

    /// True if every point of `self` is in `other`.
    pub fn is_subset(&self, other: &Self) -> Result<bool, Error> {
        self.context.require_same(&other.context)?;
        self.context.run(|_| self.raw.is_subset(&other.raw))
    }

    /// True if both have the same points.
    pub fn is_equal(&self, other: &Self) -> Result<bool, Error> {
        self.context.require_same(&other.context)?;
        self.context.run(|_| self.raw.is_equal(&other.raw))
    }

    /// True if no point is in both.
    pub fn is_disjoint(&self, other: &Self) -> Result<bool, Error> {
        self.intersect(other)?.is_empty()
    }

    /// A simpler set that has the same points as `self` among the points of `assumed`.
    pub fn gist(&self, assumed: &Self) -> Result<Self, Error> {
        self.binary(assumed, isl::Set::gist)
    }

    /// Merges parts, so that the set has as few as isl finds.
    pub fn coalesce(&self) -> Result<Self, Error> {
        self.unary(isl::Set::coalesce)
    }

    /// Removes redundant constraints and makes implied equalities explicit.
    pub fn simplify(&self) -> Result<Self, Error> {
        let raw = self
            .context
            .run(|_| self.raw.copy()?.detect_equalities()?.remove_redundancies()?.coalesce())?;
        Self::from_raw(&self.context, raw)
    }

    /// Returns some point, or `None` if the set is empty.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a coordinate of the point that isl found does not fit in 64 bits.
    pub fn sample(&self) -> Result<Option<Point>, Error> {
        let (identifiers, values) = {
            let raw = &self.raw;
            let point = self.context.run(|_| raw.copy()?.sample_point())?;
            if self.context.run(|_| point.is_void())? {
                return Ok(None);
            }
            self.context.run(|_| {
                let space = point.get_space()?;
                let count = u32::try_from(space.dim(DimType::Param)?).unwrap_or(0);
                let mut identifiers = Vec::new();
                let mut values = Vec::new();
                for position in 0..count {
                    identifiers.push(space.get_dim_name(DimType::Param, position)?.to_owned());
                    values.push(point.get_coordinate_val(DimType::Param, position.cast_signed())?);
                }
                Ok((identifiers, values))
            })?
        };
        let coordinates = identifiers.iter().zip(&values).map(|(identifier, value)| {
            Ok((self.context.dim_of_identifier(identifier)?, read::integer(&self.context, value)?))
        });
        coordinates.collect::<Result<Point, Error>>().map(Some)
    }

    /// Returns the constraints as a disjunction of conjunctions.
    pub fn condition(&self) -> Result<Condition, Error> {
        let parts = self.context.run(|_| read::disjuncts(&self.raw))?;
        let parts = parts.iter().map(|part| read::conjunction(&self.context, part));
        Ok(Condition(parts.collect::<Result<_, _>>()?))
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.condition() {
            Ok(condition) => write!(f, "Set({})", condition.to_text(&self.context)),
            Err(error) => write!(f, "Set({error})"),
        }
    }
}
