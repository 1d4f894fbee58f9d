//! Estimates the time of a schedule at given sizes, without a compile.
//!
//! [`Problem`] is an algorithm at numbers. [`Estimator::features`] counts what a schedule of it
//! does: the points that are computed, redundant ones included, the operations and accesses by
//! kind, the bytes that cross each cache, iterations, allocations, parallel shares. [`Machine`]
//! turns these features into a time, as a sum of multiples with a maximum for computing and moving.
//! [`explain`] describes in words where the time goes.
//!
//! Nothing here is a proof, and nothing is lowered: regions are computed at numbers, for an
//! iteration in the middle of each loop. The estimate serves a search, which measures its choice.

mod estimate;
mod expand;
pub mod explain;
mod features;
mod fit;
mod form;
mod machine;
mod plan;
mod problem;
mod regions;
mod traffic;
mod values;

pub use estimate::Estimator;
pub use features::{Accesses, Class, Features, Memory, Root, Stage};
pub use fit::{Measured, fit};
pub use form::Known;
pub use machine::{Estimate, Machine, Times};
pub use plan::NoEstimate;
pub use problem::{Box, Problem};
