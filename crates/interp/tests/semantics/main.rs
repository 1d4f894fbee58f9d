//! The executable semantics, on hand-made and random algorithms and programs.

mod algorithm;
mod build;
