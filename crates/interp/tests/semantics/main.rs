//! The executable semantics, on hand-made and random algorithms and programs.

mod algorithm;
mod build;
mod machine;
mod program;
mod races;
