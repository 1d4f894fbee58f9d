//! Conditions that a user asserts of callers, beyond the statement's own checks.
//!
//! # Correctness
//! An assumption becomes an entry check. The verdict is then about callers that pass it, and lists
//! it. An assumption may mention only parameters and the shapes of the caller's buffers, whose
//! values are known before anything runs.

use halidom_diag::{Diagnostic, FileId, Span};
use halidom_ir::{Check, Pool, StmtId, Type};

use super::algorithm::Source;
use super::error::{Result, unsupported};
use super::walk::Walk;
use crate::pipeline::Pipeline;
use crate::text::{self, SyntaxError};
use crate::tree::Expr;
use crate::{Condition, NameId, Names, codes};

/// The prefix of an assumption's words in a verdict.
pub const ASSUMED: &str = "assumed of callers";

/// The parts of a dimension that a statement can name.
const PARTS: [&str; 3] = ["min", "extent", "stride"];

/// Reads an assumption: a condition on parameters and shapes, in the notation of a statement of
/// Halide's compiler (`0 <= radius`, `input.extent.0 == 3`).
///
/// # Errors
/// Returns a diagnostic if the text is no expression or mentions anything else.
pub fn assumption(
    words: &str,
    (source, pipeline): (&Source, &Pipeline),
    names: &mut Names,
    file: FileId,
) -> std::result::Result<Expr, Diagnostic> {
    let refused = |at: usize, message: String| {
        Diagnostic::error(codes::ASSUMPTION, Span::new(file, at..at), message).with_hint(
            "write a condition on parameters and shapes as a statement does: `0 <= radius`, \
                `(input.extent.0 % 8) == 0`",
        )
    };
    let condition = text::expression(words, names)
        .map_err(|error: SyntaxError| refused(error.at, error.to_string()))?;
    let outputs = pipeline.outputs.iter();
    let is_known = |name: NameId| {
        let text = names.text(name);
        let shape = || {
            let mut words = text.rsplitn(3, '.');
            let (_dim, part, buffer) = (words.next()?, words.next()?, words.next()?);
            let buffer = names.find(buffer)?;
            Some(PARTS.contains(&part) && is_callers(source, &mut outputs.clone(), buffer))
        };
        source.params.iter().any(|(param, ..)| *param == name) || shape() == Some(true)
    };
    match stranger(&condition, &is_known) {
        None => Ok(condition),
        Some(what) => Err(refused(0, format!("the assumption speaks of {what}"))),
    }
}

/// Tests whether a buffer is an input or an output.
fn is_callers<'p>(
    source: &Source,
    outputs: &mut impl Iterator<Item = &'p NameId>,
    buffer: NameId,
) -> bool {
    source.inputs.iter().any(|(input, _)| *input == buffer) || outputs.any(|name| *name == buffer)
}

/// Describes the first subexpression that is neither arithmetic nor known, in words.
fn stranger(expr: &Expr, is_known: &impl Fn(NameId) -> bool) -> Option<&'static str> {
    match expr {
        Expr::Variable { name, ty: _ } if !is_known(*name) => {
            return Some("a name that is no parameter and no side of an input or output");
        }
        Expr::Load(_) => return Some("an element of memory"),
        Expr::Call(_) => return Some("a call"),
        Expr::Ramp { base: _, stride: _, lanes: _ }
        | Expr::Broadcast { value: _, lanes: _ }
        | Expr::Shuffle(_, _)
        | Expr::VectorReduce(_, _, _) => return Some("a vector"),
        Expr::String(_) => return Some("a text"),
        Expr::Let { name: _, value: _, body: _ } => return Some("a name of its own"),
        Expr::Variable { name: _, ty: _ }
        | Expr::Int(_, _)
        | Expr::UInt(_, _)
        | Expr::Float(_, _)
        | Expr::Cast(_, _)
        | Expr::Reinterpret(_, _)
        | Expr::Not(_)
        | Expr::Binary(_, _)
        | Expr::Select(_) => {}
    }
    let mut found = None;
    expr.for_each_operand(&mut |operand| found = found.or(stranger(operand, is_known)));
    found
}

impl Walk<'_> {
    /// The entry checks for assumptions.
    pub(super) fn assumed(&mut self, pool: &mut Pool, conditions: &[Expr]) -> Result<Vec<StmtId>> {
        let mut checks = Vec::new();
        for condition in conditions {
            let words = text::print_expr(condition, self.nodes.names);
            let id = match self.late_check(pool, condition) {
                Some(id) if pool.ty(id) == Type::BOOL => id,
                Some(_) | None => return unsupported(format!("the assumption {words}")),
            };
            let check = Check::Require { message: format!("{ASSUMED}: {words}") };
            checks.push(self.contract.add(pool, Condition::Assumed(words), (id, check)));
        }
        Ok(checks)
    }
}
