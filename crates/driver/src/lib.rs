//! The four jobs as tables of passes.

pub mod data;
pub mod files;
