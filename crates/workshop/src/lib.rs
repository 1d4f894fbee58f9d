//! Tools that try the jobs of [`halidom_driver`]: they compile, judge and run many programs.
//!
//! No job depends on them. [`mod@bench`] times schedules, and [`tune`] searches for fast ones.
//! [`fuzz`] and [`stock::fuzz`] compare all engines on random programs. [`mod@reduce`] makes a
//! program that shows a defect smaller. [`stock::mutants`] puts defects into stock Halide's
//! statements, and [`stock::agree`] compares the ways to run them; only tests use these two.

pub mod bench;
pub mod fuzz;
pub mod reduce;
mod searched;
pub mod stock;
pub mod tune;
