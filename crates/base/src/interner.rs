//! Hash-consing: equal values share one id.

use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::Index;

use elsa::index_set::FrozenIndexSet;
use rustc_hash::FxBuildHasher;

use crate::{Id, IndexSet};

/// An append-only store in which equal values have equal ids.
#[derive(Clone, Debug)]
pub struct Interner<I, T> {
    values: IndexSet<T>,
    ids: PhantomData<fn() -> I>,
}

impl<I: Id, T: Hash + Eq> Interner<I, T> {
    /// Creates an interner without values.
    pub fn new() -> Self {
        Self { values: IndexSet::default(), ids: PhantomData }
    }

    /// Returns the id of `value`, storing it first if it is new, and whether this call stored it.
    pub fn intern(&mut self, value: T) -> (I, bool) {
        let (index, inserted) = self.values.insert_full(value);
        (I::from_index(index), inserted)
    }

    /// Returns the id of a value, or `None` if the value was not stored.
    pub fn find<Q: ?Sized + Hash + indexmap::Equivalent<T>>(&self, value: &Q) -> Option<I> {
        self.values.get_index_of(value).map(I::from_index)
    }

    /// The values in the order in which they were stored.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> {
        self.values.iter()
    }

    /// The number of distinct values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<I: Id, T: Hash + Eq> Default for Interner<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T: Hash + Eq> Index<I> for Interner<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.values[id.index()]
    }
}

/// An interner that stores values while others are borrowed.
pub struct SharedInterner<I, T> {
    values: FrozenIndexSet<Box<T>, FxBuildHasher>,
    ids: PhantomData<fn() -> I>,
}

impl<I: Id, T: Hash + Eq> SharedInterner<I, T> {
    /// Returns the id of `value`, storing it first if it is new.
    pub fn intern(&self, value: T) -> I {
        let known = self.values.get_full(&value).map(|(index, _)| index);
        I::from_index(known.unwrap_or_else(|| self.values.insert_full(Box::new(value)).0))
    }
}

impl<I: Id, T: Hash + Eq> Default for SharedInterner<I, T> {
    fn default() -> Self {
        Self { values: FrozenIndexSet::default(), ids: PhantomData }
    }
}

impl<I: Id, T: Hash + Eq> Index<I> for SharedInterner<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.values[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::{Interner, SharedInterner};
    use crate::Id;

    crate::define_id!(WordId, "word");

    #[test]
    fn equal_values_share_an_id_and_different_ones_do_not() {
        let mut words: Interner<WordId, String> = Interner::new();
        let (first, stored_first) = words.intern("box".to_owned());
        let (second, stored_second) = words.intern("blur".to_owned());
        let (again, stored_again) = words.intern("box".to_owned());
        assert_eq!((first, stored_first, stored_second, stored_again), (again, true, true, false));
        assert_ne!(first, second);
        assert_eq!(words[second], "blur");
        assert_eq!((words.find("blur"), words.find("tent")), (Some(second), None));
        assert_eq!((first.index(), second.index(), words.len()), (0, 1, 2));
    }

    #[test]
    fn a_shared_interner_stores_values_while_others_are_borrowed() {
        let words: SharedInterner<WordId, String> = SharedInterner::default();
        let first = words.intern("box".to_owned());
        let kept = &words[first];
        let ids: Vec<WordId> = (0..1000).map(|number| words.intern(number.to_string())).collect();
        assert_eq!((kept.as_str(), words.intern("box".to_owned())), ("box", first));
        assert_eq!((words[ids[999]].as_str(), words.intern("999".to_owned())), ("999", ids[999]));
    }
}
