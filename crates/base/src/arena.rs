//! Values stored by typed id, never moved and never removed.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index into an [`Arena`] or an [`crate::Interner`], defined with [`crate::define_id`].
pub trait Id: Copy + Eq {
    /// The id of the value at `index`.
    fn from_index(index: usize) -> Self;
    /// The position of the value in its arena.
    fn index(self) -> usize;
}

/// An append-only vector indexed by a typed id.
#[derive(Clone, Debug)]
pub struct Arena<I, T> {
    values: Vec<T>,
    ids: PhantomData<fn() -> I>,
}

impl<I: Id, T> Arena<I, T> {
    /// Creates an arena without values.
    pub fn new() -> Self {
        Self { values: Vec::new(), ids: PhantomData }
    }

    /// Adds a value and returns its id.
    pub fn push(&mut self, value: T) -> I {
        let id = I::from_index(self.values.len());
        self.values.push(value);
        id
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the value of an id, or `None` for an id of another, longer arena.
    pub fn get(&self, id: I) -> Option<&T> {
        self.values.get(id.index())
    }

    /// Values in order of creation.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        self.values.iter()
    }

    /// Ids in order of creation.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.values.len()).map(I::from_index)
    }

    /// Ids and values in order of creation.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.values.iter().enumerate().map(|(index, value)| (I::from_index(index), value))
    }
}

impl<I: Id, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.values[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.values[id.index()]
    }
}
