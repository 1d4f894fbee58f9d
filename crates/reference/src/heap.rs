//! Affine symbolic heaps (TV §4.5).
//!
//! A chunk `{x̄. a[ē] ↦ A_k(c̄, p̄) | φ}` of TV is represented here by a set over the location `ē`,
//! the coordinates `c̄` and the point `p̄` of the prophecy, and the chunk's free variables; the
//! local variables `x̄` are projected out. All chunks of an array that hold values of one stage
//! form one set, their union.

use std::rc::Rc;

use halidom_base::IndexMap;
use halidom_ir::{BufferId, FuncId};
use halidom_poly::{Context, Dim, Set};

use crate::affine::Affine;
use crate::premise::Gap;

/// The dims with which the heap describes one array and the values that it holds.
pub(crate) struct Array {
    pub(crate) func: FuncId,
    pub(crate) component: usize,
    /// The location. In dimensions that are not folded it is the coordinate itself.
    pub(crate) location: Vec<Dim>,
    /// The coordinates of the instance whose value the array holds.
    pub(crate) coords: Vec<Dim>,
    /// The point of that instance, for each stage.
    pub(crate) points: Vec<Vec<Dim>>,
}

impl Array {
    /// The dims of a stage's chunk other than its location.
    fn content(&self, stage: usize) -> Vec<Dim> {
        let folded = self.coords.iter().filter(|dim| !self.location.contains(dim));
        folded.chain(self.points.get(stage).into_iter().flatten()).copied().collect()
    }
}

/// The arrays of a program.
pub(crate) type Arrays = IndexMap<BufferId, Rc<Array>>;

/// A key of chunks: an array, and the stage whose values the array holds there.
pub(crate) type Key = (BufferId, usize);

/// A symbolic heap: the values held at each location.
#[derive(Clone, Default)]
pub(crate) struct Heap(pub(crate) IndexMap<Key, Set>);

/// A symbolic set of locations.
#[derive(Clone, Default)]
pub(crate) struct Locations(pub(crate) IndexMap<BufferId, Set>);

fn add<K: std::hash::Hash + Eq>(
    sets: &mut IndexMap<K, Set>,
    key: K,
    more: &Set,
) -> Result<(), Gap> {
    match sets.get_mut(&key) {
        Some(known) => *known = known.union(more)?.coalesce()?,
        None => drop(sets.insert(key, more.clone())),
    }
    Ok(())
}

fn map<K: Copy + std::hash::Hash + Eq>(
    sets: &IndexMap<K, Set>,
    mut change: impl FnMut(K, &Set) -> Result<Set, Gap>,
) -> Result<IndexMap<K, Set>, Gap> {
    let mut mapped = IndexMap::default();
    for (key, set) in sets {
        let set = change(*key, set)?;
        if !set.is_empty()? {
            mapped.insert(*key, set);
        }
    }
    Ok(mapped)
}

/// `set[to/from]`: the set with `from` renamed to `to`, which the set does not mention.
pub(crate) fn renamed(set: &Set, affine: &mut Affine, from: Dim, to: Dim) -> Result<Set, Gap> {
    Ok(set.intersect(&affine.same(from, to)?)?.exists(&[from])?)
}

impl Heap {
    /// Creates a heap of one chunk.
    pub(crate) fn chunk(key: Key, set: Set) -> Self {
        Self([(key, set)].into_iter().collect())
    }

    /// `h₁ ∪ h₂`.
    pub(crate) fn union(&self, other: &Self) -> Result<Self, Gap> {
        let mut union = self.clone();
        for (key, set) in &other.0 {
            add(&mut union.0, *key, set)?;
        }
        Ok(union)
    }

    /// `dom(h)`.
    pub(crate) fn domain(&self, arrays: &Arrays) -> Result<Locations, Gap> {
        let mut domain = Locations::default();
        for ((buffer, stage), set) in &self.0 {
            let content = arrays.get(buffer).map(|array| array.content(*stage));
            add(&mut domain.0, *buffer, &set.exists(&content.unwrap_or_default())?)?;
        }
        Ok(domain)
    }

    /// `h \ R`.
    pub(crate) fn minus(&self, locations: &Locations) -> Result<Self, Gap> {
        map(&self.0, |(buffer, _), set| match locations.0.get(&buffer) {
            Some(gone) => Ok(set.subtract(gone)?.coalesce()?),
            None => Ok(set.clone()),
        })
        .map(Self)
    }

    /// `h₁ ▷ h₂ = (h₁ \ dom(h₂)) ∪ h₂`.
    pub(crate) fn then(&self, arrays: &Arrays, later: &Self) -> Result<Self, Gap> {
        self.minus(&later.domain(arrays)?)?.union(later)
    }

    /// `h ↾ e`.
    pub(crate) fn restrict(&self, condition: &Set) -> Result<Self, Gap> {
        map(&self.0, |_, set| Ok(set.intersect(condition)?)).map(Self)
    }

    /// `h[to/from]`.
    pub(crate) fn renamed(&self, affine: &mut Affine, from: Dim, to: Dim) -> Result<Self, Gap> {
        map(&self.0, |_, set| renamed(set, affine, from, to)).map(Self)
    }

    /// `⋃ h` over the values of a variable in a range.
    pub(crate) fn bind(&self, variable: Dim, range: &Set) -> Result<Self, Gap> {
        let bound = |set: &Set| Ok(set.intersect(range)?.exists(&[variable])?.coalesce()?);
        map(&self.0, |_, set| bound(set)).map(Self)
    }

    /// `h \ a`.
    pub(crate) fn without(&self, buffer: BufferId) -> Self {
        let others = self.0.iter().filter(|((other, _), _)| *other != buffer);
        Self(others.map(|(key, set)| (*key, set.clone())).collect())
    }

    /// `lexmax h` over the values of a variable in a range: the chunks that no later value
    /// overwrites.
    ///
    /// `▶ h = ⋃_x (h \ dom(⋃_{x < x'} h[x'/x]))`
    pub(crate) fn lexmax(
        &self,
        arrays: &Arrays,
        affine: &mut Affine,
        variable: Dim,
        range: &Set,
    ) -> Result<Self, Gap> {
        let later = affine.context.dim(&format!("{}'", affine.context.name(variable)));
        let in_range = self.restrict(range)?;
        let overwritten = in_range.renamed(affine, variable, later)?;
        let overwritten = overwritten.restrict(&affine.before(variable, later)?)?;
        let universe = Set::universe(&affine.context)?;
        let overwritten = overwritten.domain(arrays)?.bind(later, &universe)?;
        in_range.minus(&overwritten)?.bind(variable, &universe)
    }

    /// The chunks of an array, by stage.
    pub(crate) fn of(&self, buffer: BufferId) -> impl Iterator<Item = (usize, &Set)> {
        let own = self.0.iter().filter(move |((other, _), _)| *other == buffer);
        own.map(|((_, stage), set)| (*stage, set))
    }
}

impl Locations {
    /// `R₁ ∪ R₂`.
    pub(crate) fn union(&self, other: &Self) -> Result<Self, Gap> {
        let mut union = self.clone();
        for (buffer, set) in &other.0 {
            add(&mut union.0, *buffer, set)?;
        }
        Ok(union)
    }

    /// Adds locations of an array.
    pub(crate) fn add(&mut self, buffer: BufferId, locations: &Set) -> Result<(), Gap> {
        add(&mut self.0, buffer, locations)
    }

    /// `R ↾ e`.
    pub(crate) fn restrict(&self, condition: &Set) -> Result<Self, Gap> {
        map(&self.0, |_, set| Ok(set.intersect(condition)?)).map(Self)
    }

    /// `R[to/from]`.
    pub(crate) fn renamed(&self, affine: &mut Affine, from: Dim, to: Dim) -> Result<Self, Gap> {
        map(&self.0, |_, set| renamed(set, affine, from, to)).map(Self)
    }

    /// `⋃ R` over the values of a variable in a range.
    pub(crate) fn bind(&self, variable: Dim, range: &Set) -> Result<Self, Gap> {
        let bound = |set: &Set| Ok(set.intersect(range)?.exists(&[variable])?.coalesce()?);
        map(&self.0, |_, set| bound(set)).map(Self)
    }

    /// `R \ a`.
    pub(crate) fn without(&self, buffer: BufferId) -> Self {
        let others = self.0.iter().filter(|(other, _)| **other != buffer);
        Self(others.map(|(key, set)| (*key, set.clone())).collect())
    }
}

/// Tests whether `goal` contains all points of `assumed`. Fails with the reason if that is not
/// known.
pub(crate) fn entails(assumed: &Set, goal: &Set) -> Result<bool, Gap> {
    Ok(assumed.is_subset(goal)?)
}

/// Allocates `count` new dims with a common stem.
pub(crate) fn dims(context: &Context, stem: &str, count: usize) -> Vec<Dim> {
    (0..count).map(|number| context.dim(&format!("{stem}{number}"))).collect()
}
