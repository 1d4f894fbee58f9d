//! Spans, stable error codes, diagnostics as plain data, and one renderer.
//!
//! This crate knows nothing about what is diagnosed. Start with [`Diagnostic`], which a front end
//! makes; then [`Sources`], which owns the texts that its spans point into; then [`render`], which
//! prints both for a person. Clients that need other forms (JSON, SARIF) print them from the plain
//! data.

mod diagnostic;
mod excerpt;
mod render;
mod sources;

pub use diagnostic::{Code, Diagnostic, Fix, Label, Remedy, Severity};
pub use render::{Colours, render};
pub use sources::{FileId, Position, Sources, Span};
