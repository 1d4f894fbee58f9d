//! The assertions that every call of a statement makes before it does anything.

use super::fields::{Caller, type_code};
use crate::parts::for_each_stmt;
use crate::tree::{BinaryOp, CallKind, Expr, Stmt, StmtKind};
use crate::{NameId, Names};

/// Returns the conditions of the assertions that every call makes before it does anything else.
pub(super) fn first<'b>(names: &Names, block: &'b [Stmt]) -> Vec<&'b Expr> {
    let mut found = Vec::new();
    collect((names, false), block, &mut found);
    found
}

/// Finds a buffer whose type or rank no call checks before it does anything. The code takes these
/// for granted.
pub(super) fn unchecked(names: &Names, block: &[Stmt], buffers: &[Caller]) -> Option<String> {
    let known = Known::of(names, block);
    buffers.iter().find_map(|Caller { name, ty, rank }| {
        let is_used = names.find(name).is_some_and(|memory| {
            let buffer = names.find(&format!("{name}.buffer"));
            is_accessed(names, block, memory, buffer)
        });
        let code = type_code(*ty)?;
        let what = if !known.equals(name, "type", code) {
            "type"
        } else if !known.equals(name, "dimensions", *rank as i128) {
            "number of dimensions"
        } else {
            return None;
        };
        is_used.then(|| format!("a statement that does not check the {what} of `{name}`"))
    })
}

/// The buffers that the statement accesses without an assertion that no device has changed them. A
/// function to which a buffer is handed looks for itself.
pub(super) fn open(names: &Names, block: &[Stmt], buffers: &[Caller]) -> Vec<NameId> {
    let known = Known::of(names, block);
    let is_open = |name: &str| {
        !known.conditions.iter().any(|condition| {
            matches!(condition, Expr::Not(dirty) if known.is_field(dirty, "device_dirty", name))
        })
    };
    let open = buffers.iter().filter(|buffer| is_open(&buffer.name));
    let memory = open.filter_map(|buffer| names.find(&buffer.name));
    memory.filter(|memory| is_accessed(names, block, *memory, None)).collect()
}

/// The first assertions, and what they speak of.
struct Known<'b> {
    names: &'b Names,
    conditions: Vec<&'b Expr>,
    lets: Vec<(NameId, &'b Expr)>,
}

impl<'b> Known<'b> {
    fn of(names: &'b Names, block: &'b [Stmt]) -> Self {
        let mut conditions = Vec::new();
        // Stages are asked for bounds before.
        collect((names, true), block, &mut conditions);
        let mut lets = Vec::new();
        for_each_stmt(block, &mut |stmt| {
            if let StmtKind::Let { name, value } = &stmt.kind {
                lets.push((*name, value));
            }
        });
        Self { names, conditions, lets }
    }

    fn equals(&self, buffer: &str, field: &str, number: i128) -> bool {
        self.conditions.iter().any(|condition| {
            let Expr::Binary(BinaryOp::Eq, operands) = condition else { return false };
            let [found, wanted] = &**operands;
            let wanted = if let Expr::Int(wanted, _) = wanted {
                i128::from(*wanted)
            } else if let Expr::UInt(wanted, _) = wanted {
                i128::from(*wanted)
            } else {
                return false;
            };
            self.is_field(found, field, buffer) && wanted == number
        })
    }

    /// Tests for a field of a buffer, or a name that is bound to it.
    fn is_field(&self, expr: &Expr, field: &str, buffer: &str) -> bool {
        let mut expr = expr;
        if let Expr::Variable { name, ty: _ } = expr {
            // A name that is bound twice might be another one in the assertion.
            let mut bound = self.lets.iter().filter(|(own, _)| own == name);
            let (Some((_, value)), None) = (bound.next(), bound.next()) else { return false };
            expr = value;
        }
        matches!(expr, Expr::Call(call)
            if self.names.text(call.name).strip_prefix("_halide_buffer_get_") == Some(field)
                && matches!(&*call.args, [Expr::Variable { name, ty: _ }]
                    if self.names.text(*name).strip_suffix(".buffer") == Some(buffer)))
    }
}

/// Tests whether a statement accesses memory, or hands the buffer of this memory to a function.
fn is_accessed(names: &Names, block: &[Stmt], memory: NameId, buffer: Option<NameId>) -> bool {
    let accesses = |expr: &Expr| {
        let mut found = false;
        expr.for_each_part(&mut |part| {
            if let Expr::Load(load) = part {
                found |= load.name == memory;
            } else if let Expr::Call(call) = part
                && !names.text(call.name).starts_with("_halide_buffer_")
            {
                found |= call.args.iter().any(|arg| {
                    matches!(arg, Expr::Variable { name, ty: _ }
                        if *name == memory || Some(*name) == buffer)
                });
            }
        });
        found
    };
    block.iter().any(|stmt| {
        let mut found = matches!(&stmt.kind,
            StmtKind::Store { name, index: _, alignment: _, value: _, predicate: _ }
                if *name == memory);
        stmt.for_each_expr(&mut |expr| found = found || accesses(expr));
        stmt.for_each_block(&mut |inner| {
            found = found || is_accessed(names, inner, memory, buffer);
        });
        found
    })
}

/// Collects assertions. Returns false if the block does something; calls of stages may count as
/// nothing.
fn collect<'b>(
    (names, skips_stages): (&Names, bool),
    block: &'b [Stmt],
    found: &mut Vec<&'b Expr>,
) -> bool {
    block.iter().all(|stmt| {
        if let StmtKind::Assert { condition, message: _ } = &stmt.kind {
            found.push(condition);
            return true;
        }
        if let StmtKind::Scope(body) | StmtKind::ProducerConsumer { name: _, role: _, body } =
            &stmt.kind
        {
            return collect((names, skips_stages), body, found);
        }
        if let StmtKind::If { condition, then_branch, else_branch: None } = &stmt.kind {
            // All work is under the condition that no buffer is a bounds query.
            if let Expr::Not(queries) = condition {
                return asks_for_bounds(names, queries)
                    && collect((names, skips_stages), then_branch, found);
            }
            return asks_for_bounds(names, condition);
        }
        if let StmtKind::Evaluate(Expr::Call(call)) = &stmt.kind {
            // It changes nothing (`pointers`).
            return names.text(call.name).starts_with("halide_msan_");
        }
        matches!(&stmt.kind, StmtKind::Let { name: _, value }
            if !may_be_stage(names, value) || skips_stages && !takes_buffer(names, value))
    })
}

/// Tests whether a value may be the result of a stage of foreign code. A text does not tell the
/// kinds of functions.
fn may_be_stage(names: &Names, value: &Expr) -> bool {
    let Expr::Call(call) = value else { return false };
    let is_foreign = matches!(call.kind, None | Some(CallKind::Extern | CallKind::ExternCPlusPlus));
    is_foreign && !names.text(call.name).starts_with("_halide_buffer_")
}

/// Tests whether a call is given a caller's buffer. A stage is asked for bounds with others.
fn takes_buffer(names: &Names, value: &Expr) -> bool {
    matches!(value, Expr::Call(call) if call.args.iter().any(|arg| {
        matches!(arg, Expr::Variable { name, ty: _ } if names.text(*name).ends_with(".buffer"))
    }))
}

/// Tests whether a condition is that one of some buffers is a bounds query, which callers' are not.
fn asks_for_bounds(names: &Names, expr: &Expr) -> bool {
    if let Expr::Binary(BinaryOp::Or, operands) = expr {
        return operands.iter().all(|operand| asks_for_bounds(names, operand));
    }
    matches!(expr, Expr::Call(call)
        if names.text(call.name) == "_halide_buffer_is_bounds_query")
}
