//! Statements that write a func to a file (`debug_to_file`).
//!
//! # Correctness
//! The call writes to none of the pipeline's memory, and its result only decides whether the run
//! ends with an error. The call and this check are taken out; what is written is not judged, and
//! the verdict says so. A statement that uses the result otherwise names something unknown then,
//! and is refused. Nothing is taken out if the pipeline asks for no such file, if the result's name
//! also stands for something else, or if the call may read beyond memory: a buffer that the
//! statement makes must have the shape and the type of the memory in it.

use halidom_base::FxHashSet;

use super::fields::type_code;
use super::scopes::belong;
use super::structs::is_dimension;
use crate::parts::for_each_stmt;
use crate::pipeline::Pipeline;
use crate::tree::{BinaryOp, Block, Expr, Stmt, StmtKind, Type};
use crate::{NameId, Names};

/// The name of the function.
const FUNCTION: &str = "debug_to_file";

/// The statements without those that write files; nothing if there are none.
pub(super) fn without(names: &Names, pipeline: &Pipeline, block: &Block) -> Option<Block> {
    let mut results = FxHashSet::default();
    collect(names, block, &mut results);
    let is_call = |stmt: &Stmt| result(names, stmt).is_some();
    if results.is_empty() || !belong(block, &results, &is_call) {
        return None;
    }
    let mut made = Made::default();
    made.collect(names, block);
    if !made.written.iter().all(|(buffer, freed)| made.is_whole(names, *buffer, *freed)) {
        return None;
    }
    let asked = |file: &&[u8]| {
        let mut files = pipeline.funcs.iter().map(|func| func.debug_file.as_bytes());
        !file.is_empty() && files.any(|asked| asked == *file)
    };
    if !made.files.iter().all(asked) {
        return None;
    }
    let mut block = block.clone();
    strip(&mut block, &results);
    Some(block)
}

/// The buffers that a statement makes, and the memory that it allocates.
#[derive(Default)]
struct Made<'b> {
    buffers: Vec<(NameId, &'b Expr)>,
    memory: Vec<(NameId, Type, &'b [Expr])>,
    /// Memory that is freed, in the order of the statements.
    freed: Vec<NameId>,
    /// The buffers that are written to files, and how much memory has been freed before.
    written: Vec<(NameId, usize)>,
    files: Vec<&'b [u8]>,
}

impl<'b> Made<'b> {
    fn collect(&mut self, names: &Names, block: &'b [Stmt]) {
        for_each_stmt(block, &mut |stmt| {
            if let StmtKind::Let { name, value } = &stmt.kind {
                self.buffers.push((*name, value));
            }
            if let Some((_, file, buffer)) = call(names, stmt) {
                self.files.push(file);
                self.written.push((buffer, self.freed.len()));
            }
            if let StmtKind::Free(name) = &stmt.kind {
                self.freed.push(*name);
            }
            self.memory.extend(stmt.allocated());
        });
    }

    /// Tests whether a buffer is a caller's, or was made with the shape and the type of its memory,
    /// which is not among the first freed ones.
    fn is_whole(&self, names: &Names, buffer: NameId, freed: usize) -> bool {
        let mut bound = self.buffers.iter().filter(|(name, _)| *name == buffer);
        let Some(first) = bound.next() else { return true };
        let mut value = first.1;
        let mut lets: Vec<(NameId, &Expr)> = Vec::new();
        while let Expr::Let { name, value: part, body } = value {
            lets.push((*name, part));
            value = body;
        }
        let resolved = |expr: &'b Expr| {
            let name = expr.variable();
            let part = lets.iter().rfind(|(own, _)| name == Some(*own));
            part.map_or(expr, |(_, part)| *part)
        };
        let Expr::Call(call) = value else { return false };
        let [_, _, host, _, _, code, bits, _, shape, _] = call.args.as_slice() else {
            return false;
        };
        let Expr::Call(shape) = resolved(shape) else { return false };
        let mut memory = self.memory.iter().filter(|(name, ..)| Some(*name) == host.variable());
        let (Some((_, ty, extents)), None) = (memory.next(), memory.next()) else { return false };
        let of_type = |code: i64, bits: i64| {
            type_code(ty.scalar) == Some(i128::from(code | bits << 8 | 1 << 16)) && ty.lanes == 1
        };
        let is_of_type = matches!([code, bits], [Expr::Int(code, _), Expr::Int(bits, _)]
            if (0..16).contains(code) && (0..=64).contains(bits) && of_type(*code, *bits));
        let dims: Option<Vec<[&'b Expr; 2]>> = shape
            .args
            .chunks(4)
            .zip(*extents)
            .map(|(dim, given)| {
                let [_, extent, stride, _] = dim else { return None };
                (is_dimension(dim) && resolved(extent) == given)
                    .then_some([resolved(stride), resolved(extent)])
            })
            .collect();
        bound.next().is_none()
            && host.variable().is_some_and(|memory| !self.freed[..freed].contains(&memory))
            && names.text(call.name) == "_halide_buffer_init"
            && shape.args.len() == extents.len() * 4
            && is_of_type
            && dims.is_some_and(|dims| is_dense(dims, &resolved))
    }
}

/// Tests whether dimensions, each a stride and an extent, fill memory without gaps, in some order
/// of nesting.
fn is_dense<'b>(mut dims: Vec<[&'b Expr; 2]>, resolved: &impl Fn(&'b Expr) -> &'b Expr) -> bool {
    let mut inner: Option<[&'b Expr; 2]> = None;
    while !dims.is_empty() {
        let follows = |[stride, _]: &[&'b Expr; 2]| match inner {
            None => matches!(stride, Expr::Int(1, _)),
            Some([Expr::Int(1, _), extent]) => *stride == extent,
            Some(before) => matches!(stride, Expr::Binary(BinaryOp::Mul, operands)
                if operands.each_ref().map(resolved) == before
                    || operands.each_ref().map(resolved) == [before[1], before[0]]),
        };
        let Some(next) = dims.iter().position(follows) else { return false };
        inner = Some(dims.remove(next));
    }
    true
}

fn collect(names: &Names, block: &[Stmt], results: &mut FxHashSet<NameId>) {
    for stmt in block {
        results.extend(result(names, stmt));
        stmt.for_each_block(&mut |inner| collect(names, inner, results));
    }
}

/// The name of the result, if a statement is the call.
fn result(names: &Names, stmt: &Stmt) -> Option<NameId> {
    call(names, stmt).map(|(result, ..)| result)
}

/// The name of the result, the file and the buffer, if a statement is the call.
fn call<'b>(names: &Names, stmt: &'b Stmt) -> Option<(NameId, &'b [u8], NameId)> {
    if let StmtKind::Let { name, value: Expr::Call(call) } = &stmt.kind
        && names.text(call.name) == FUNCTION
        && let [Expr::String(file), Expr::Variable { name: buffer, ty: _ }] = call.args.as_slice()
        && names.text(*buffer).ends_with(".buffer")
    {
        return Some((*name, file, *buffer));
    }
    None
}

fn strip(block: &mut Block, results: &FxHashSet<NameId>) {
    block.retain_mut(|stmt| {
        stmt.kind.for_each_body_mut(&mut |body| strip(body, results));
        if let StmtKind::Let { name, value: _ } = &stmt.kind {
            return !results.contains(name);
        }
        if let StmtKind::Assert { condition: Expr::Binary(BinaryOp::Eq, operands), message: _ } =
            &stmt.kind
            && let [Expr::Variable { name, ty: _ }, Expr::Int(0, _)] = &**operands
        {
            return !results.contains(name);
        }
        true
    });
}
