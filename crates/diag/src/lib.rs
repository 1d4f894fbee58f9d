//! Spans, stable error codes, diagnostics as plain data, and one renderer.
//!
//! Knows nothing about what is diagnosed. Start with [`Diagnostic`], which a front end makes; then [`Sources`], which owns the texts that its spans
//! point into; then [`render`], which writes both for a person. Other forms (JSON, SARIF) are printed from the plain data by whoever needs them.

mod diagnostic;
mod excerpt;
mod render;
mod sources;

pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use render::{Colours, render};
pub use sources::{FileId, Position, Sources, Span};
