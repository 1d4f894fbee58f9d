//! Sets and functions from plain data. Conditions contain quasi-affine trees, and the selects of a
//! tree contain conditions.

use isl_rs as isl;
use isl_rs::DimType;

use crate::{
    Affine, Condition, Constraint, Context, Dim, Error, Function, QuasiAffine, Relation, Set,
};

impl Set {
    /// The points that satisfy every constraint.
    pub fn from_constraints(context: &Context, constraints: &[Constraint]) -> Result<Self, Error> {
        let mut affine = Vec::with_capacity(constraints.len());
        let mut other = Vec::new();
        for constraint in constraints {
            match constraint.expr.as_affine() {
                Some(expr) => affine.push((expr, constraint.relation)),
                None => other.push(constraint),
            }
        }
        let zero = Function::constant(context, 0)?;
        other.into_iter().try_fold(Self::polyhedron(context, &affine)?, |set, constraint| {
            let expr = Function::from_quasi_affine(context, &constraint.expr)?;
            set.intersect(&match constraint.relation {
                Relation::Zero => expr.equal(&zero)?,
                Relation::NonNegative => expr.ge(&zero)?,
            })
        })
    }

    /// The points that satisfy affine constraints in which each dim occurs once. This is ten times
    /// faster than intersecting sets of single constraints.
    fn polyhedron(context: &Context, constraints: &[(Affine, Relation)]) -> Result<Self, Error> {
        let mut dims: Vec<Dim> = constraints
            .iter()
            .flat_map(|(expr, _)| expr.terms.iter().map(|(dim, _)| *dim))
            .collect();
        dims.sort_unstable();
        dims.dedup();
        let space = context.space(&dims)?;
        let raw = context.run(|ctx| {
            let local = isl::LocalSpace::from_space(space.copy()?)?;
            let mut set = isl::BasicSet::universe(space)?;
            for (expr, relation) in constraints {
                let empty = match relation {
                    Relation::Zero => isl::Constraint::alloc_equality(local.copy()?)?,
                    Relation::NonNegative => isl::Constraint::alloc_inequality(local.copy()?)?,
                };
                let mut constraint =
                    empty.set_constant_val(isl::Val::int_from_si(ctx, expr.constant)?)?;
                for (dim, factor) in &expr.terms {
                    // `dims` contains every dim of the constraints.
                    let position = dims.partition_point(|other| other < dim) as i32;
                    let factor = isl::Val::int_from_si(ctx, *factor)?;
                    constraint =
                        constraint.set_coefficient_val(DimType::Param, position, factor)?;
                }
                set = set.add_constraint(constraint)?;
            }
            isl::Set::from_basic_set(set)
        })?;
        Self::from_raw(context, raw)
    }

    /// The points at which the condition holds.
    pub fn from_condition(context: &Context, condition: &Condition) -> Result<Self, Error> {
        condition.0.iter().try_fold(Self::empty(context)?, |set, conjunction| {
            set.union(&Self::from_constraints(context, conjunction)?)
        })
    }
}

impl Function {
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
}
