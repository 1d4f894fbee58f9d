//! Typed ids, append-only arenas, an interner and hash aliases, from which every IR of the project
//! is built; also stacks and memory that grow with the input, work with a time limit, and the
//! search for other executables.
//!
//! This crate knows nothing of any domain. Start with [`define_id`], which defines a `Copy` index
//! type, then [`Arena`] (values by id) and [`Interner`] (equal values share one id, so equality of
//! ids is equality of values).

mod arena;
mod interner;
pub mod memory;
pub mod patience;
pub mod programs;
pub mod stack;

pub use arena::{Arena, Id};
pub use interner::{Interner, SharedInterner};

/// A hash map with a fast, fixed hash. Never iterate it where the order can affect an output; use
/// [`IndexMap`] there.
#[expect(clippy::disallowed_types, reason = "this is the alias that the lint points to")]
pub type FxHashMap<K, V> = std::collections::HashMap<K, V, rustc_hash::FxBuildHasher>;
/// A hash set with a fast, fixed hash. Never iterate it where the order can affect an output; use
/// [`IndexSet`] there.
#[expect(clippy::disallowed_types, reason = "this is the alias that the lint points to")]
pub type FxHashSet<K> = std::collections::HashSet<K, rustc_hash::FxBuildHasher>;
/// A map that iterates in order of insertion.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, rustc_hash::FxBuildHasher>;
/// A set that iterates in order of insertion.
pub type IndexSet<K> = indexmap::IndexSet<K, rustc_hash::FxBuildHasher>;

/// Defines a typed 32-bit index: `Copy`, ordered by creation, meaningful only for the arena that
/// made it.
///
/// ```
/// halidom_base::define_id!(
///     /// Names a widget.
///     pub WidgetId, "w"
/// );
/// let mut widgets: halidom_base::Arena<WidgetId, &str> = halidom_base::Arena::new();
/// let id = widgets.push("lever");
/// assert_eq!(widgets[id], "lever");
/// assert_eq!(format!("{id:?}"), "w0");
/// ```
#[macro_export]
macro_rules! define_id {
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $prefix:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(u32);

        impl $crate::Id for $name {
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("an arena holds fewer than 2^32 values"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}
