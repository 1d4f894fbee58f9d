//! Blocks with a fixed overlap: a pipeline that is applied to each block of an array as if the
//! block were the whole, as `map_overlap` of Dask does.
//!
//! The array has the shape of the output. A block is the window with so many elements more on each
//! side, cut off at the ends of the array (Dask's boundary `none`), at its place in the array. The
//! program takes the bounds of the block for `b.min(k)` and `b.extent(k)`, and the algorithm takes
//! those of the whole. If the validator proves this program, blocks give what the whole gives; if
//! the overlap is too small, it finds a window where they do not.

use halidom_diag::{Code, Diagnostic, Severity};
use halidom_ir::{BinaryOp, Check, ExprId, Pool, Program, Stmt, StmtId, Substitution, VarId};

use super::opened::opened;
use crate::compile::{self, Compiled};
use crate::source::{Choice, Loaded};
use crate::subject::{self, Subject};

/// Makes the program that computes blocks with this overlap, for each dimension before and after
/// the window.
pub fn overlap(
    loaded: &Loaded,
    choice: &Choice,
    depth: &[(i64, i64)],
) -> Result<Subject, Vec<Diagnostic>> {
    let mut loaded = opened(loaded, choice);
    let mut subject = subject::compiled(&mut loaded, choice, &mut |_, _, _| {})?;
    let structured = subject.compiled.structured.clone();
    let ([output], [window]) = (structured.outputs.as_slice(), subject.windows.as_slice()) else {
        return Err(vec![refused("blocks have one input and one output")]);
    };
    if window.whole.len() != depth.len() || output.window.len() != depth.len() {
        let message = "the input and the output have as many dimensions as there are depths";
        return Err(vec![refused(message)]);
    }
    let pool = &mut subject.pool;
    let stored: Vec<(ExprId, ExprId)> = {
        let dims = &pool.buffer(window.stored).dims;
        dims.iter().map(|dim| (dim.min, dim.extent)).collect()
    };
    let mut to_block = Substitution::new();
    let mut facts = Vec::new();
    for (dim, (min, extent)) in window.whole.iter().enumerate() {
        to_block.insert(*min, stored[dim].0);
        to_block.insert(*extent, stored[dim].1);
        let sides = ((*min, *extent), output.window[dim]);
        facts.extend(block(pool, sides, stored[dim], depth[dim]));
    }
    let Stmt::Block(stmts) = pool.get_stmt(structured.body).clone() else {
        return Err(vec![refused("the program begins with its entry checks")]);
    };
    let mut body = Vec::new();
    for stmt in stmts {
        if let Stmt::Assert { check, .. } = pool.get_stmt(stmt) {
            // The block is what it is, whatever is read. The other conditions are about the whole.
            if !matches!(check, Check::InputRegion { .. }) {
                body.push(stmt);
            }
        } else {
            body.append(&mut facts);
            body.push(replaced(pool, stmt, &to_block));
        }
    }
    let structured = Program { body: pool.stmt(Stmt::Block(body)), ..structured };
    let finished = compile::finish(pool, &structured, &mut |_, _, _| {})?;
    subject.compiled = Compiled { structured, program: finished.program, ..subject.compiled };
    Ok(subject)
}

/// The conditions that a block is the window with its overlap, within the whole.
fn block(
    pool: &mut Pool,
    (whole, window): ((VarId, VarId), (VarId, VarId)),
    stored: (ExprId, ExprId),
    (before, after): (i64, i64),
) -> Vec<StmtId> {
    let ends = |pool: &mut Pool, (min, extent): (VarId, VarId)| {
        let [min, extent] = [min, extent].map(|var| pool.var_expr(var));
        (min, pool.add(min, extent))
    };
    let (whole_min, whole_end) = ends(pool, whole);
    let (window_min, window_end) = ends(pool, window);
    let [before, after] = [before, after].map(|depth| pool.int(i128::from(depth)));
    let low = pool.sub(window_min, before);
    let low = pool.binary(BinaryOp::Max, low, whole_min);
    let high = pool.add(window_end, after);
    let high = pool.binary(BinaryOp::Min, high, whole_end);
    let stored_end = pool.add(stored.0, stored.1);
    let conditions = [
        pool.binary(BinaryOp::Le, whole_min, window_min),
        pool.binary(BinaryOp::Le, window_end, whole_end),
        pool.binary(BinaryOp::Eq, stored.0, low),
        pool.binary(BinaryOp::Eq, stored_end, high),
    ];
    let message = "the block is the window with its overlap".to_owned();
    conditions
        .map(|condition| {
            let check = Check::Require { message: message.clone() };
            pool.stmt(Stmt::Assert { condition, check })
        })
        .to_vec()
}

/// Replaces variables in every expression of a statement.
fn replaced(pool: &mut Pool, id: StmtId, by: &Substitution) -> StmtId {
    let old = pool.get_stmt(id).clone();
    let new = old.map_exprs(|_, expr| by.apply(pool, expr));
    let new = new.map_children(|child| replaced(pool, child, by));
    pool.rebuilt(id, new)
}

fn refused(message: &str) -> Diagnostic {
    Diagnostic::without_place(Severity::Error, Code("HAL0915"), message)
        .with_hint("`--depth` takes one number for each dimension, as in `--depth 2,2`")
}
