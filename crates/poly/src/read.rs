//! Conversion from isl's objects to plain data.
//!
//! # Correctness
//!
//! isl's affine expressions are `(c + Σ cᵢ·dimᵢ + Σ dⱼ·⌊eⱼ⌋) / m` with integers `c`, `cᵢ`, `dⱼ`,
//! `m > 0` and expressions `eⱼ` of the same form. An expression that is read as the value of a
//! function takes integer values on its domain, so the division by `m` is exact there and may be
//! read as one that rounds down. A constraint has `m = 1`.

use std::ffi::{c_int, c_void};

use isl_rs as isl;
use isl_rs::DimType;

use crate::{Affine, Constraint, Context, Error, QuasiAffine, Relation};

/// The basic sets whose union is the set, with every existential variable written as a division.
pub(crate) fn disjuncts(set: &isl::Set) -> Result<Vec<isl::BasicSet>, isl::LibISLError> {
    let list = set.copy()?.compute_divs()?.get_basic_set_list()?;
    (0..list.size()?).map(|index| list.get_at(index)).collect()
}

/// The constraints of a basic set without unknown existential variables.
pub(crate) fn conjunction(
    context: &Context,
    part: &isl::BasicSet,
) -> Result<Vec<Constraint>, Error> {
    let constraints = context.run(|_| {
        let list = part.get_constraint_list()?;
        let mut constraints = Vec::new();
        for index in 0..list.size()? {
            let constraint = list.get_at(index)?;
            // The two inequalities that define a division hold for its floor, so they are dropped.
            if !constraint.is_div_constraint()? {
                constraints.push((constraint.get_aff()?, constraint.is_equality()?));
            }
        }
        Ok(constraints)
    })?;
    let read = |(expr, is_equality): &(isl::Aff, bool)| {
        let relation = if *is_equality { Relation::Zero } else { Relation::NonNegative };
        Ok(Constraint { expr: affine(context, expr)?, relation })
    };
    constraints.iter().map(read).collect()
}

/// Reads an affine expression whose value is an integer wherever it is used.
pub(crate) fn affine(context: &Context, expr: &isl::Aff) -> Result<QuasiAffine, Error> {
    floor(context, expr)
}

/// Reads `⌊expr⌋` of an expression whose value may be a fraction.
fn floor(context: &Context, expr: &isl::Aff) -> Result<QuasiAffine, Error> {
    let (constant, dims, divisions, denominator) = context.run(|_| {
        let denominator = expr.get_denominator_val()?;
        let times = |value: isl::Val| value.mul(denominator.copy()?);
        let constant = times(expr.get_constant_val()?)?;
        let mut dims = Vec::new();
        let space = expr.get_domain_space()?;
        for position in 0..space.dim(DimType::Param)? {
            let factor = times(expr.get_coefficient_val(DimType::Param, position)?)?;
            let name = space.get_dim_name(DimType::Param, position.cast_unsigned())?;
            if !factor.is_zero()? {
                dims.push((name.to_owned(), factor));
            }
        }
        let mut divisions = Vec::new();
        for position in 0..expr.dim(DimType::Div)? {
            let factor = times(expr.get_coefficient_val(DimType::Div, position)?)?;
            if !factor.is_zero()? {
                divisions.push((expr.get_div(position)?, factor));
            }
        }
        Ok((constant, dims, divisions, denominator))
    })?;
    let mut terms = Vec::with_capacity(dims.len());
    for (identifier, factor) in &dims {
        terms.push((context.dim_of_identifier(identifier)?, integer(context, factor)?));
    }
    // isl's order of parameters depends on the order of operations; the order of allocation does
    // not.
    terms.sort_unstable();
    let mut sum = QuasiAffine::from(Affine { constant: 0, terms });
    for (division, factor) in &divisions {
        sum = sum.plus(floor(context, division)?.scale(integer(context, factor)?));
    }
    let sum = sum.plus(integer(context, &constant)?);
    Ok(sum.floor_div(integer(context, &denominator)?))
}

/// Reads an isl number that must be an integer.
pub(crate) fn integer(context: &Context, value: &isl::Val) -> Result<i64, Error> {
    let is_integer = context.run(|_| value.is_int())?;
    if !is_integer {
        return Err(Error::Isl { message: "a number that should be an integer is not".to_owned() });
    }
    let fits = context.run(|_| Ok(value.cmp_si(i64::MIN)? >= 0 && value.cmp_si(i64::MAX)? <= 0))?;
    if fits { context.run(|_| value.get_num_si()) } else { Err(Error::Overflow) }
}

/// The pieces of a function, with disjoint domains.
pub(crate) fn pieces(function: &isl::PwAff) -> Result<iteration::Pieces, isl::LibISLError> {
    let mut pieces = iteration::Pieces::new();
    if iteration::visit(function, &mut pieces) {
        Ok(pieces)
    } else {
        // As for a predicate, the kind of this error is still in the isl context.
        Err(isl::LibISLError::new(isl::Error::Unknown, "the pieces could not be listed"))
    }
}

#[expect(
    unsafe_code,
    reason = "the binding leaves out isl's iteration over the pieces of a function"
)]
mod iteration {
    use super::{c_int, c_void, isl};

    pub(crate) type Pieces = Vec<(isl::Set, isl::Aff)>;

    type Callback = unsafe extern "C" fn(usize, usize, *mut c_void) -> c_int;

    unsafe extern "C" {
        /// Calls `callback(domain, value, user)` for each piece and hands over `domain` and
        /// `value`; returns -1 on failure.
        fn isl_pw_aff_foreach_piece(
            function: usize,
            callback: Callback,
            user: *mut c_void,
        ) -> c_int;
    }

    /// # Safety
    /// `user` is the `&mut Pieces` that [`visit`] passes; `domain` and `value` are owned by the
    /// callee.
    unsafe extern "C" fn collect(domain: usize, value: usize, user: *mut c_void) -> c_int {
        // SAFETY: isl passes `user` on unchanged, and nothing else uses the vector during the call.
        let pieces = unsafe { &mut *user.cast::<Pieces>() };
        pieces.push((
            isl::Set { ptr: domain, should_free_on_drop: true },
            isl::Aff { ptr: value, should_free_on_drop: true },
        ));
        0
    }

    /// Appends the pieces of `function`; false if isl failed.
    pub(crate) fn visit(function: &isl::PwAff, pieces: &mut Pieces) -> bool {
        let user: *mut Pieces = pieces;
        // SAFETY: `function` is a live isl object, which isl only borrows; `user` outlives the
        // call.
        let status = unsafe { isl_pw_aff_foreach_piece(function.ptr, collect, user.cast()) };
        status == 0
    }
}
