//! Decides at random which proposals are changed.

use crate::tactics::Search;

/// Changes some of the proposals of [`Search`], and makes some up where there are none.
pub(super) struct Liar {
    pub(super) random: u64,
    /// The number of proposals that were changed.
    pub(super) lies: usize,
    pub(super) right: Search,
}

impl Liar {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            lies: 0,
            right: Search::default(),
        }
    }

    /// Draws a number that is at least 0 and less than `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    /// Decides whether to lie this time.
    pub(super) fn lies(&mut self) -> bool {
        let lies = self.below(2) == 0;
        self.lies += usize::from(lies);
        lies
    }

    pub(super) fn one_of<T: Copy>(&mut self, values: &[T]) -> Option<T> {
        let index = self.below(values.len());
        values.get(index).copied()
    }
}
