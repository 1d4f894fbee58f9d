//! Input arrays: read from files, drawn from a seed, or zeros.

use halidom_interp::Bindings;
use halidom_ir::{Algorithm, Array, Constant, Expr, FuncId, FuncKind, Pool, Program, Shape, VarId};
use halidom_testgen::random_array;

use super::error::DataError;
use super::regions::{Region, Regions, evaluate, variables};
use super::request::{Request, Source};
use crate::files;

/// The extent of a dimension that neither the output nor the user determines.
const UNDETERMINED_EXTENT: i64 = 16;
/// The size of the largest input that is made, in bytes. An input of a few dimensions that are all
/// as long as an image is may be much larger than the image, and takes minutes to fill.
const MOST_BYTES: u64 = 1 << 32;
/// The number of times that shapes may grow until they hold the regions that they themselves need.
const MAX_ROUNDS: usize = 16;

pub(super) fn check_names(
    pool: &Pool,
    algorithm: &Algorithm,
    request: &Request,
) -> Result<(), DataError> {
    let names: Vec<&str> =
        algorithm.inputs.iter().map(|input| pool.func(*input).name.as_str()).collect();
    let given = request
        .inputs
        .iter()
        .map(|(name, _)| name)
        .chain(request.input_sizes.iter().map(|(name, _)| name));
    match given.into_iter().find(|name| !names.contains(&name.as_str())) {
        Some(name) => {
            Err(DataError::UnknownName { kind: "input", name: name.clone(), known: listed(&names) })
        }
        None => Ok(()),
    }
}

/// Formats names for a message.
pub(super) fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

fn source<'a>(request: &'a Request, name: &str) -> Option<&'a Source> {
    request.inputs.iter().rev().find(|(given, _)| given == name).map(|(_, source)| source)
}

pub(super) fn bind_files(
    pool: &Pool,
    algorithm: &Algorithm,
    request: &Request,
    bindings: &mut Bindings,
) -> Result<(), DataError> {
    for input in &algorithm.inputs {
        let decl = pool.func(*input);
        match source(request, &decl.name) {
            Some(Source::File { path, channels }) => {
                let array = files::read(path, *channels, decl.scalar(0), decl.rank())?;
                bindings.set_input(pool, *input, array)?;
            }
            Some(Source::Array(array)) => bindings.set_input(pool, *input, array.clone())?,
            Some(Source::Random(_) | Source::Zeros) => {}
            None if request.random.is_some() => {}
            None => return Err(DataError::Missing { kind: "input", name: decl.name.clone() }),
        }
    }
    Ok(())
}

/// Creates the inputs that are not files, in the sizes that the windows need.
pub(super) fn bind_rest(
    pool: &Pool,
    algorithm: &Algorithm,
    references: &[Program],
    request: &Request,
    bindings: &mut Bindings,
) -> Result<(), DataError> {
    let open: Vec<FuncId> =
        algorithm.inputs.iter().copied().filter(|input| bindings.input(*input).is_none()).collect();
    let regions =
        references.iter().flat_map(|reference| Regions::of(pool, reference).inputs).collect();
    let mut shapes = Shapes { pool, references, regions, known: Vec::new(), sized: Vec::new() };
    for input in &open {
        let decl = pool.func(*input);
        let size = request.input_sizes.iter().rev().find(|(name, _)| *name == decl.name);
        if let Some((name, size)) = size
            && size.len() != decl.rank()
        {
            return Err(DataError::SizeRank {
                name: name.clone(),
                given: size.len(),
                rank: decl.rank(),
            });
        }
        shapes.sized.extend(size.map(|_| *input));
        shapes.known.push((
            *input,
            size.map_or(vec![None; decl.rank()], |(_, size)| {
                size.iter().map(|e| Some((None, *e))).collect()
            }),
        ));
    }
    shapes.solve(bindings)?;
    for (input, dims) in shapes.known {
        let decl = pool.func(input);
        let shape: Shape = dims
            .into_iter()
            .map(|dim| {
                dim.map_or((0, UNDETERMINED_EXTENT), |(min, extent)| (min.unwrap_or(0), extent))
            })
            .collect();
        let too_large = || DataError::TooLarge { name: decl.name.clone() };
        let bytes = decl.scalar(0).bytes().unwrap_or(1) as u64;
        let bytes = shape.iter().try_fold(bytes, |product, (_, extent)| {
            product.checked_mul(u64::try_from(*extent).unwrap_or(0))
        });
        if bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
            return Err(too_large());
        }
        let number = algorithm.inputs.iter().position(|other| *other == input).unwrap_or(0) as u64;
        let seed = match source(request, &decl.name) {
            Some(Source::Random(seed)) => Some(*seed),
            Some(Source::Zeros | Source::File { .. } | Source::Array(_)) => None,
            None => request.random,
        };
        let array = match seed {
            Some(seed) => random_array(decl.scalar(0), shape, seed.wrapping_mul(1 + number)),
            None => Array::zeros(decl.scalar(0), shape),
        };
        bindings.set_input(pool, input, array.ok_or_else(too_large)?)?;
    }
    Ok(())
}

/// The knowledge about a dimension: nothing, or its extent and possibly its min.
type Found = Option<(Option<i64>, i64)>;

/// The shapes of inputs while they are being inferred. A dimension is unknown, or has a known
/// extent whose min may be unknown.
struct Shapes<'a> {
    pool: &'a Pool,
    references: &'a [Program],
    /// The region checks of inputs, from all references.
    regions: Vec<Region>,
    known: Vec<(FuncId, Vec<Found>)>,
    /// The inputs whose extents the user gave.
    sized: Vec<FuncId>,
}

impl Shapes<'_> {
    /// Determines every dimension. A dimension whose needed region follows from the known ones
    /// comes first. Otherwise an open dimension gets a default, and the search continues: the
    /// window's extent if the needed region depends on the window (a boundary condition), else
    /// [`UNDETERMINED_EXTENT`]. At the end, shapes grow until they hold what is needed.
    fn solve(&mut self, bindings: &mut Bindings) -> Result<(), DataError> {
        loop {
            let mut progress = false;
            for input in 0..self.known.len() {
                for dim in 0..self.known[input].1.len() {
                    progress |= self.settle(input, dim, bindings)?;
                }
            }
            if progress {
                continue;
            }
            let open = self.known.iter().enumerate().find_map(|(input, (_, dims))| {
                dims.iter()
                    .position(|dim| !matches!(dim, Some((Some(_), _))))
                    .map(|dim| (input, dim))
            });
            let Some((input, dim)) = open else { return self.grow(bindings) };
            let (func, dims) = &self.known[input];
            let guess = match dims[dim] {
                Some((_, extent)) => (0, extent),
                None => {
                    self.window_interval(*func, dim, bindings).unwrap_or((0, UNDETERMINED_EXTENT))
                }
            };
            self.assign(input, dim, guess, bindings)?;
        }
    }

    /// Enlarges the shapes that do not hold the regions that they need. A default was a guess, and
    /// a needed region may depend on it: an input may be read within its edges in one place and at
    /// other coordinates in another. If the shapes do not stop growing, the defaults stay. So do
    /// extents that the user gave.
    fn grow(&mut self, bindings: &mut Bindings) -> Result<(), DataError> {
        let (before, known) = (bindings.clone(), self.known.clone());
        for _ in 0..MAX_ROUNDS {
            let mut has_grown = false;
            for input in 0..self.known.len() {
                for dim in 0..self.known[input].1.len() {
                    has_grown |= self.enlarge(input, dim, bindings)?;
                }
            }
            if !has_grown {
                return Ok(());
            }
        }
        *bindings = before;
        self.known = known;
        Ok(())
    }

    /// Enlarges a dimension so that it holds its needed region. Returns true if it did not hold it.
    fn enlarge(
        &mut self,
        input: usize,
        dim: usize,
        bindings: &mut Bindings,
    ) -> Result<bool, DataError> {
        let (func, dims) = &self.known[input];
        let (Some((Some(min), extent)), false) = (dims[dim], self.sized.contains(func)) else {
            return Ok(false);
        };
        let mut all: Vec<(i64, i64)> = self
            .regions_of(*func, dim)
            .filter_map(|region| evaluate(self.pool, region.needed, bindings).ok())
            .filter(|(_, extent)| *extent > 0)
            .collect();
        all.push((min, extent));
        match hull(&all) {
            Some(larger) if larger != (min, extent) => {
                self.assign(input, dim, larger, bindings)?;
                Ok(true)
            }
            Some(_) | None => Ok(false),
        }
    }

    fn regions_of(&self, func: FuncId, dim: usize) -> impl Iterator<Item = &Region> {
        self.regions.iter().filter(move |region| region.func == func && region.dim == dim)
    }

    /// Sets an open dimension to its needed region if that can be evaluated. Returns true if it
    /// did.
    fn settle(
        &mut self,
        input: usize,
        dim: usize,
        bindings: &mut Bindings,
    ) -> Result<bool, DataError> {
        let (func, dims) = &self.known[input];
        if matches!(dims[dim], Some((Some(_), _))) {
            return Ok(false);
        }
        let needed: Option<Vec<(i64, i64)>> = self
            .regions_of(*func, dim)
            .map(|region| evaluate(self.pool, region.needed, bindings).ok())
            .collect();
        let Some(interval) = needed.and_then(|needed| hull(&needed)) else { return Ok(false) };
        let extent = dims[dim].map_or(interval.1, |(_, extent)| extent);
        self.assign(input, dim, (interval.0, extent), bindings)?;
        Ok(true)
    }

    fn assign(
        &mut self,
        input: usize,
        dim: usize,
        (min, extent): (i64, i64),
        bindings: &mut Bindings,
    ) -> Result<(), DataError> {
        let (func, dims) = &mut self.known[input];
        dims[dim] = Some((Some(min), extent));
        if let FuncKind::Input { buffer } = self.pool.func(*func).kind {
            let decl = self.pool.buffer(buffer).dims[dim];
            for (expr, value) in [(decl.min, min), (decl.extent, extent)] {
                if let Expr::Var(var) = self.pool.get(expr) {
                    bindings.set_var(self.pool, *var, Constant::int(i128::from(value)))?;
                }
            }
        }
        Ok(())
    }

    /// The window's interval in the dimension that the needed region of an input depends on.
    fn window_interval(&self, func: FuncId, dim: usize, bindings: &Bindings) -> Option<(i64, i64)> {
        let region = self.regions_of(func, dim).next()?;
        let mentioned = variables(self.pool, &[region.needed.min, region.needed.extent]);
        let pairs = self
            .references
            .iter()
            .flat_map(|reference| &reference.outputs)
            .flat_map(|output| &output.window);
        let (min, extent) = pairs
            .into_iter()
            .find(|(min, extent)| mentioned.contains(min) || mentioned.contains(extent))?;
        let value = |var: &VarId| i64::try_from(bindings.var(*var)?.as_integer()?).ok();
        // An empty image has no edge to repeat, so the input of a boundary condition has at least
        // one element.
        Some((value(min)?, value(extent)?.max(1)))
    }
}

/// The least interval that contains all of the given ones. Empty intervals are ignored unless all
/// are empty, in which case the first one is returned. `None` if there are no intervals.
fn hull(intervals: &[(i64, i64)]) -> Option<(i64, i64)> {
    let occupied = || intervals.iter().filter(|(_, extent)| *extent > 0);
    let Some(min) = occupied().map(|(min, _)| *min).min() else {
        return intervals.first().copied();
    };
    let end = occupied().map(|(min, extent)| min.saturating_add(*extent)).max()?;
    Some((min, end.saturating_sub(min)))
}
