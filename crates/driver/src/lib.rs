//! The four jobs as tables of passes.

pub mod files;
