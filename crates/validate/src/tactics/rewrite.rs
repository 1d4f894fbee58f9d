//! Guesses of the rewriting that leads from one stage to another: splits of reduction variables,
//! and a factored update.

use halidom_ir::{Constant, Expr, ExprId, FuncId, Pool, ReductionVar, Stage};

use crate::obligation::door::{Factored, Rewriting, Split};

/// The most rewritings that are proposed for one stage.
const MOST: usize = 200;
/// The most variables that are split.
const MOST_SPLITS: usize = 4;

/// A reduction variable as far as it is known: its name, unless a split has made it, and its
/// extent, if that is a constant.
#[derive(Clone, PartialEq, Eq)]
struct Known {
    name: Option<String>,
    extent: Option<i128>,
}

impl Known {
    fn of(pool: &Pool, variable: &ReductionVar) -> Self {
        let extent = pool.as_constant(variable.extent).and_then(Constant::as_integer);
        Self { name: Some(pool.var(variable.var).name.clone()), extent }
    }

    /// Tests whether this may be the other variable, perhaps with another name.
    fn fits(&self, other: &Self) -> bool {
        self.extent == other.extent
    }

    /// Tests whether this may be a variable that keeps its name.
    fn is_kept_as(&self, other: &Self) -> bool {
        self.fits(other) && self.name.as_ref().is_none_or(|name| other.name.as_ref() == Some(name))
    }
}

/// Proposes rewritings of `own`, a stage of `func`, that may lead to `other`, a stage of `image`.
pub(super) fn rewritings(
    pool: &Pool,
    (func, own): (FuncId, &Stage),
    (image, other): (FuncId, &Stage),
) -> Vec<Rewriting> {
    let known = |domain: &[ReductionVar]| -> Vec<Known> {
        domain.iter().map(|variable| Known::of(pool, variable)).collect()
    };
    let (before, after) = (known(&own.domain), known(&other.domain));
    let mut found = vec![Rewriting::default()];
    if let Some(count) = after.len().checked_sub(before.len()).filter(|count| *count > 0) {
        for (splits, domain) in splits(&before, &sizes(&after), count) {
            if domain.iter().zip(&after).all(|(a, b)| a.fits(b)) {
                found.push(Rewriting { splits, factored: None });
            }
        }
    }
    let Some((part, dims)) = new_func(pool, (func, image), other) else { return found };
    let [_, update] = pool.func(part).stages() else { return found };
    let rest = known(&update.domain);
    let Some(count) = (after.len() + rest.len()).checked_sub(before.len()) else { return found };
    let sizes = sizes(&[&*after, &*rest].concat());
    for (splits, domain) in splits(&before, &sizes, count) {
        for kept in subsequences(&domain, &after, 0) {
            let others = domain.iter().enumerate().filter(|(number, _)| !kept.contains(number));
            if others.zip(&rest).all(|((_, a), b)| a.fits(b)) {
                let factored = Some(Factored { part, kept, dims: dims.clone() });
                found.push(Rewriting { splits: splits.clone(), factored });
            }
        }
    }
    // The last rewriting explains why none of them is right.
    found.truncate(MOST);
    found
}

/// The constant extents, each once.
fn sizes(domain: &[Known]) -> Vec<i128> {
    let mut sizes: Vec<i128> = domain.iter().filter_map(|variable| variable.extent).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.retain(|size| *size > 0);
    sizes
}

/// Lists ways to make this number of splits, each with the domain that it leads to.
fn splits(domain: &[Known], sizes: &[i128], count: usize) -> Vec<(Vec<Split>, Vec<Known>)> {
    let mut found = vec![(Vec::new(), domain.to_vec())];
    if count > MOST_SPLITS {
        return Vec::new();
    }
    for _ in 0..count {
        let mut longer = Vec::new();
        for (before, domain) in &found {
            for position in (0..domain.len()).rev() {
                for size in sizes {
                    let mut domain: Vec<Known> = domain.clone();
                    let blocks = domain[position]
                        .extent
                        .map(|extent| extent.saturating_add(size - 1).div_euclid(*size));
                    let pair = [Some(*size), blocks].map(|extent| Known { name: None, extent });
                    domain.splice(position..=position, pair);
                    let mut after: Vec<Split> = before.clone();
                    after.push(Split { position, size: *size });
                    longer.push((after, domain));
                }
            }
        }
        longer.truncate(MOST * MOST);
        found = longer;
    }
    found
}

/// Lists the ways to find all of `wanted` in a domain, in order, from a position on.
fn subsequences(domain: &[Known], wanted: &[Known], from: usize) -> Vec<Vec<usize>> {
    let Some((first, rest)) = wanted.split_first() else { return vec![Vec::new()] };
    let mut found = Vec::new();
    for (position, _) in
        domain.iter().enumerate().skip(from).filter(|(_, variable)| variable.is_kept_as(first))
    {
        for later in subsequences(domain, rest, position + 1) {
            found.push([&[position], &*later].concat());
        }
    }
    found
}

/// Returns the func that a merging update reads at its own point and at the variables of its
/// domain, and the numbers of these variables in the order of the func's last dimensions.
fn new_func(
    pool: &Pool,
    (func, image): (FuncId, FuncId),
    merged: &Stage,
) -> Option<(FuncId, Vec<usize>)> {
    let rank = pool.func(image).args.len();
    let dim = |id: &ExprId| {
        let mut variables = merged.domain.iter();
        variables.position(|variable| *pool.get(*id) == Expr::Var(variable.var))
    };
    let mut found = None;
    for value in &merged.values {
        pool.for_each_subexpr(*value, &mut |_, expr| {
            if let Expr::Ref { func: read, args, .. } = expr
                && ![func, image].contains(read)
                && args.len() == rank + merged.domain.len()
                && !merged.domain.is_empty()
                && let Some(dims) = args[rank..].iter().map(dim).collect::<Option<Vec<_>>>()
            {
                found = Some((*read, dims));
            }
        });
    }
    found
}
