//! Tools that try the jobs of [`halidom_driver`]: they compile, judge and run many programs.
//!
//! No job depends on them. [`bench`] times schedules, [`tune`] searches for fast ones, [`fuzz`] and
//! [`stock::fuzz`] compare all engines on random programs, and [`mod@reduce`] makes a program
//! smaller that shows a defect. [`stock::mutants`] and [`stock::agree`] put defects into stock
//! Halide's statements and compare the ways to run them; only tests use these two.

pub mod bench;
pub mod fuzz;
pub mod reduce;
pub mod stock;
pub mod tune;
