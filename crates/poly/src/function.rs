//! Piecewise quasi-affine functions.

use std::fmt;

use isl_rs as isl;
use isl_rs::DimType;

use crate::{Condition, Constraint, Context, Dim, Error, QuasiAffine, Relation, Set, read};

/// An integer-valued, piecewise quasi-affine function of dims, defined on a set of points (its domain).
///
/// An operation on two functions is defined where both are.
#[derive(Clone)]
pub struct Function {
    // Declared before the context, so that isl frees it first.
    raw: Handle,
    context: Context,
}

/// A reference of ours to an isl function. Cloning takes another reference.
struct Handle(isl::PwAff);

impl Clone for Handle {
    fn clone(&self) -> Self {
        // Taking a reference cannot fail: isl only counts.
        Self(isl::PwAff { ptr: self.0.ptr, should_free_on_drop: false }.copy().unwrap_or(isl::PwAff { ptr: 0, should_free_on_drop: false }))
    }
}
