//! Verdicts about mutators: trials, proofs, replays and the cache.
//!
//! # Where to start
//!
//! * `list` finds the mutators of files and examines them; `keep` remembers the answers; `headers`
//!   finds the classes that only headers declare.
//! * `meanings` finds the names to which the files give another meaning than the API.
//! * `verify` decides a mutator of expressions, `statement` one of statements, `analysis` an
//!   analysis; `refute` looks for values on which a result differs.
//! * `lanes` and `shuffles` run methods on vectors whose lanes are counted, and `addresses` on
//!   addresses.
//! * `context` watches a method in runs of its whole class, on IR that `repeats` makes.
//! * `renaming` judges the methods of classes that rename variables.
//! * `entry` runs a method on a node, `replay` runs it on concrete IR, and `trial` makes random IR.

mod addresses;
mod alike_shuffles;
pub(crate) mod analysis;
mod concats;
mod context;
pub(crate) mod entry;
pub(crate) mod growth;
pub(crate) mod headers;
pub(crate) mod keep;
pub(crate) mod lanes;
pub(crate) mod list;
mod masks;
mod meanings;
pub(crate) mod observe;
pub(crate) mod refute;
pub(crate) mod renaming;
mod repeats;
pub(crate) mod replay;
mod shuffles;
pub(crate) mod statement;
mod suspects;
mod texts;
pub(crate) mod trial;
pub(crate) mod verdict;
pub(crate) mod verify;
