//! The window of each output: the requested one, or the largest whose required inputs are contained
//! in the given ones.

use halidom_interp::Bindings;
use halidom_ir::{Constant, Output, Pool, Program, Shape};

use super::error::DataError;
use super::regions::{Region, Regions, evaluate, variables};
use super::request::Request;

/// The largest magnitude of a min that the search for a window tries.
const FARTHEST_MIN: i64 = 4096;
/// The extent from which the inputs count as not limiting a window.
const UNLIMITED: i64 = 1 << 30;

/// Binds the variables of an output's window to their values.
pub(super) fn bind(
    pool: &Pool,
    output: &Output,
    window: &Shape,
    bindings: &mut Bindings,
) -> Result<(), DataError> {
    for ((min_var, extent_var), (min, extent)) in output.window.iter().zip(window) {
        bindings.set_var(pool, *min_var, Constant::int(i128::from(*min)))?;
        bindings.set_var(pool, *extent_var, Constant::int(i128::from(*extent)))?;
    }
    Ok(())
}

/// Chooses a window for every output and binds its variables.
pub(super) fn choose(
    pool: &Pool,
    reference: &Program,
    regions: &Regions,
    request: &Request,
    bindings: &mut Bindings,
) -> Result<Vec<Shape>, DataError> {
    let mut windows = Vec::new();
    for output in &reference.outputs {
        let rank = output.window.len();
        let window = match &request.size {
            Some(size) if size.len() == rank => size.iter().map(|extent| (0, *extent)).collect(),
            Some(size) => {
                let name = pool.func(output.func).name.clone();
                return Err(DataError::SizeRank { name, given: size.len(), rank });
            }
            None => {
                let search = Search { pool, reference, regions, output };
                (0..rank).map(|dim| search.interval(dim, bindings)).collect::<Result<_, _>>()?
            }
        };
        bind(pool, output, &window, bindings)?;
        windows.push(window);
    }
    Ok(windows)
}

struct Search<'a> {
    pool: &'a Pool,
    reference: &'a Program,
    regions: &'a Regions,
    output: &'a Output,
}

impl Search<'_> {
    /// The largest interval of one dimension: the least min at which one coordinate fits, then the
    /// largest extent.
    fn interval(&self, dim: usize, bindings: &Bindings) -> Result<(i64, i64), DataError> {
        if let Some(fixed) = self.fixed_domain(dim, bindings)? {
            return Ok(fixed);
        }
        let constraints = self.constraints(dim);
        if constraints.is_empty() {
            return self.as_the_input(dim, bindings);
        }
        let fits = |min, extent| {
            self.violation(dim, &constraints, (min, extent), bindings)
                .map(|violation| violation.is_none())
        };
        let mut min = 0;
        while !fits(min, 1)? {
            min += 1;
            if min > FARTHEST_MIN {
                return Err(self.too_small(dim, &constraints, bindings));
            }
        }
        let (mut good, mut bad) = (1, 2);
        while fits(min, bad)? {
            good = bad;
            bad *= 2;
            if bad > UNLIMITED {
                return self.as_the_input(dim, bindings);
            }
        }
        while bad - good > 1 {
            let middle = i64::midpoint(good, bad);
            if fits(min, middle)? {
                good = middle;
            } else {
                bad = middle;
            }
        }
        Ok((min, good))
    }

    /// The window of a dimension where an update writes a region that does not depend on the
    /// window, as a histogram does: that region.
    fn fixed_domain(
        &self,
        dim: usize,
        bindings: &Bindings,
    ) -> Result<Option<(i64, i64)>, DataError> {
        let Some(region) = self
            .regions
            .outputs
            .iter()
            .find(|region| region.func == self.output.func && region.dim == dim)
        else {
            return Ok(None);
        };
        let at = |window| {
            let bound = self.with(dim, window, bindings)?;
            Ok::<_, DataError>(evaluate(self.pool, region.needed, &bound).ok())
        };
        // If two different one-point windows need the same region of more than two coordinates, the
        // region does not follow the window.
        let (near, far) = (at((0, 1))?, at((1, 1))?);
        Ok(near.filter(|near| far == Some(*near) && near.1 > 2))
    }

    /// The region checks that depend on this dimension of the window and on no other.
    fn constraints(&self, dim: usize) -> Vec<Region> {
        let all = self.reference.outputs.iter().flat_map(|output| &output.window);
        let others: Vec<_> = all
            .filter(|pair| **pair != self.output.window[dim])
            .flat_map(|(min, extent)| [*min, *extent])
            .collect();
        let (min, extent) = self.output.window[dim];
        let speaks = |region: &&Region| {
            let mentioned = variables(self.pool, &[region.needed.min, region.needed.extent]);
            (mentioned.contains(&min) || mentioned.contains(&extent))
                && !mentioned.iter().any(|var| others.contains(var))
        };
        self.regions.inputs.iter().filter(speaks).copied().collect()
    }

    fn with(
        &self,
        dim: usize,
        (min, extent): (i64, i64),
        bindings: &Bindings,
    ) -> Result<Bindings, DataError> {
        let mut bound = bindings.clone();
        let (min_var, extent_var) = self.output.window[dim];
        bound.set_var(self.pool, min_var, Constant::int(i128::from(min)))?;
        bound.set_var(self.pool, extent_var, Constant::int(i128::from(extent)))?;
        Ok(bound)
    }

    /// The first constraint that an interval of the dimension violates, with the needed and given
    /// coordinates.
    fn violation(
        &self,
        dim: usize,
        constraints: &[Region],
        window: (i64, i64),
        bindings: &Bindings,
    ) -> Result<Option<(Region, Bounds, Bounds)>, DataError> {
        let bound = self.with(dim, window, bindings)?;
        for region in constraints {
            // An input that is not given yet will be created to fit.
            let (Ok(needed), Ok(given)) = (
                evaluate(self.pool, region.needed, &bound),
                evaluate(self.pool, region.given, &bound),
            ) else {
                continue;
            };
            let end = |(min, extent): Bounds| min.saturating_add(extent);
            if needed.1 > 0 && (needed.0 < given.0 || end(needed) > end(given)) {
                return Ok(Some((*region, needed, given)));
            }
        }
        Ok(None)
    }

    /// The extent of the first given input that has this dimension.
    fn as_the_input(&self, dim: usize, bindings: &Bindings) -> Result<(i64, i64), DataError> {
        let given = self.reference.inputs.iter().find_map(|buffer| {
            let input = self.pool.buffer(*buffer).func;
            bindings.input(input).and_then(|array| array.shape.get(dim).copied())
        });
        let error =
            || DataError::NoWindow { output: self.pool.func(self.output.func).name.clone(), dim };
        given.ok_or_else(error)
    }

    fn too_small(&self, dim: usize, constraints: &[Region], bindings: &Bindings) -> DataError {
        let range = |(min, extent): Bounds| format!("{min}..{}", min.saturating_add(extent));
        match self.violation(dim, constraints, (0, 1), bindings) {
            Ok(Some((region, needed, given))) => DataError::TooSmall {
                input: self.pool.func(region.func).name.clone(),
                dim: region.dim,
                needed: range(needed),
                given: range(given),
            },
            Ok(None) => {
                DataError::NoWindow { output: self.pool.func(self.output.func).name.clone(), dim }
            }
            Err(error) => error,
        }
    }
}

/// The least coordinate and the number of coordinates.
type Bounds = (i64, i64);
