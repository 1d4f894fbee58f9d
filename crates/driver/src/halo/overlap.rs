//! Blocks with a fixed overlap: a pipeline that is applied to each block of an array as if the
//! block were the whole, as `map_overlap` of Dask does.
//!
//! The array has the shape of the output. A block is the window with so many elements more on each
//! side, at its place in the array. Under the boundary `none` it is cut off at the ends of the
//! array. Under the others it keeps its size, and the elements beyond the array are copies of
//! elements within, or a constant ([`Boundary`]).
//!
//! The program takes the bounds of the block for `b.min(k)` and `b.extent(k)`, and the algorithm
//! takes those of the whole. Where the program reads the element of a block, it reads the element
//! of the array that Dask puts there; beyond the block, it reads beyond the array. If the validator
//! proves this program, blocks give what the whole gives; if the overlap is too small, it finds a
//! window where they do not.

use halidom_base::FxHashMap;
use halidom_diag::{Code, Diagnostic, Severity};
use halidom_ir::{
    BinaryOp, Check, Expr, ExprId, FuncId, Pool, Program, Stmt, StmtId, Substitution, VarId,
};

use super::opened::opened;
use crate::compile::{self, Compiled};
use crate::data::params;
use crate::source::{Choice, Loaded};
use crate::subject::{self, Subject};

/// The elements of a block that lie beyond the array, in one dimension, as Dask defines them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// There are none.
    None,
    /// The nearest element of the array.
    Nearest,
    /// The element at the same distance from the end on the other side; the last one is repeated.
    Reflect,
    /// The element that follows if the array is repeated.
    Periodic,
    /// A value of the elements' type, as `--set` takes it.
    Constant(String),
}

/// A dimension of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The number of elements before the window.
    pub before: i64,
    /// The number of elements after it.
    pub after: i64,
    /// The elements beyond the array.
    pub boundary: Boundary,
}

/// A dimension of the array, of the window, and of the block.
struct Axis {
    depth: i64,
    boundary: Boundary,
    /// The array's least coordinate and the end beyond the greatest.
    whole: (ExprId, ExprId),
    /// The same of the window.
    window: (ExprId, ExprId),
    /// The same of the block.
    block: (ExprId, ExprId),
}

/// Makes the program that computes blocks with this overlap, a side for each dimension.
pub fn overlap(
    loaded: &Loaded,
    choice: &Choice,
    sides: &[Side],
) -> Result<Subject, Vec<Diagnostic>> {
    let mut loaded = opened(loaded, choice);
    let mut subject = subject::compiled(&mut loaded, choice, &mut |_, _, _| {})?;
    let structured = subject.compiled.structured.clone();
    let ([output], [window]) = (structured.outputs.as_slice(), subject.windows.as_slice()) else {
        let message = "blocks have one input and one output";
        return Err(vec![refused(message, "`--depth` is for pipelines with one of each")]);
    };
    if window.whole.len() != sides.len() || output.window.len() != sides.len() {
        let message = "the input and the output have as many dimensions as there are depths";
        return Err(vec![refused(message, "give a number for each, as in `--depth 2,2`")]);
    }
    if sides.iter().any(|side| side.before != side.after && side.boundary != Boundary::None) {
        let message = "depths that differ before and after need the boundary `none`";
        return Err(vec![refused(message, "Dask refuses other boundaries")]);
    }
    let pool = &mut subject.pool;
    let stored: Vec<(ExprId, ExprId)> = {
        let dims = &pool.buffer(window.stored).dims;
        dims.iter().map(|dim| (dim.min, dim.extent)).collect()
    };
    let (mut to_block, mut facts, mut axes) = (Substitution::new(), Vec::new(), Vec::new());
    for (dim, whole) in window.whole.iter().enumerate() {
        let axis = Axis::new(pool, (*whole, output.window[dim]), &sides[dim]);
        to_block.insert(whole.0, axis.block.0);
        to_block.insert(whole.1, pool.sub(axis.block.1, axis.block.0));
        facts.extend(axis.facts(pool, stored[dim]));
        axes.push(axis);
    }
    let constants = constants(pool, window.input, &axes)?;
    let elements = Elements { input: window.input, axes, constants };
    let mut done = FxHashMap::default();
    let Stmt::Block(stmts) = pool.get_stmt(structured.body).clone() else {
        return Err(vec![refused(
            "the program does not begin with its entry checks",
            "report this",
        )]);
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
            body.push(replaced(pool, stmt, &mut |pool, expr| {
                let expr = to_block.apply(pool, expr);
                elements.read(pool, expr, &mut done)
            }));
        }
    }
    let structured = Program { body: pool.stmt(Stmt::Block(body)), ..structured };
    let finished = compile::finish(pool, &structured, &mut |_, _, _| {})?;
    subject.compiled = Compiled { structured, program: finished.program, ..subject.compiled };
    Ok(subject)
}

impl Axis {
    fn new(
        pool: &mut Pool,
        (whole, window): ((VarId, VarId), (VarId, VarId)),
        side: &Side,
    ) -> Self {
        let ends = |pool: &mut Pool, (min, extent): (VarId, VarId)| {
            let [min, extent] = [min, extent].map(|var| pool.var_expr(var));
            (min, pool.add(min, extent))
        };
        let (whole, window) = (ends(pool, whole), ends(pool, window));
        let [before, after] = [side.before, side.after].map(|depth| pool.int(i128::from(depth)));
        let mut block = (pool.sub(window.0, before), pool.add(window.1, after));
        // Dask adds nothing where the depth is 0.
        let is_cut = side.boundary == Boundary::None || (side.before, side.after) == (0, 0);
        if is_cut {
            block.0 = pool.binary(BinaryOp::Max, block.0, whole.0);
            block.1 = pool.binary(BinaryOp::Min, block.1, whole.1);
        }
        let boundary = if is_cut { Boundary::None } else { side.boundary.clone() };
        Self { depth: side.before, boundary, whole, window, block }
    }

    /// The conditions that the window lies in the array, and that what is stored is the block, or
    /// the array if elements of a block are elements from elsewhere.
    fn facts(&self, pool: &mut Pool, (stored_min, stored_extent): (ExprId, ExprId)) -> Vec<StmtId> {
        let is_cut = self.boundary == Boundary::None;
        let stored = if is_cut { self.block } else { self.whole };
        let stored_end = pool.add(stored_min, stored_extent);
        let mut conditions = vec![
            pool.binary(BinaryOp::Le, self.whole.0, self.window.0),
            pool.binary(BinaryOp::Le, self.window.1, self.whole.1),
            pool.binary(BinaryOp::Eq, stored_min, stored.0),
            pool.binary(BinaryOp::Eq, stored_end, stored.1),
        ];
        if matches!(self.boundary, Boundary::Reflect | Boundary::Periodic) {
            // Dask refuses depths beyond the extent of the array.
            let depth = pool.int(i128::from(self.depth));
            let deep = pool.add(self.whole.0, depth);
            conditions.push(pool.binary(BinaryOp::Le, deep, self.whole.1));
        }
        let message = "the block is the window with its overlap".to_owned();
        conditions
            .into_iter()
            .map(|condition| {
                let check = Check::Require { message: message.clone() };
                pool.stmt(Stmt::Assert { condition, check })
            })
            .collect()
    }

    /// The conditions that a coordinate lies before and after the array.
    fn beyond(&self, pool: &mut Pool, at: ExprId) -> (ExprId, ExprId) {
        let before = pool.binary(BinaryOp::Lt, at, self.whole.0);
        (before, pool.binary(BinaryOp::Ge, at, self.whole.1))
    }

    /// The coordinate of the array's element at a coordinate of the block; beyond the block, a
    /// coordinate beyond the array.
    fn source(&self, pool: &mut Pool, at: ExprId) -> ExprId {
        let (first, end) = self.whole;
        let one = pool.int(1);
        let last = pool.sub(end, one);
        let extent = pool.sub(end, first);
        let [low, high] = match self.boundary {
            // What is stored is the block itself.
            Boundary::None => return at,
            Boundary::Nearest | Boundary::Constant(_) => [first, last],
            Boundary::Reflect => {
                let nowhere = pool.sub(first, one);
                [(first, nowhere), (last, end)].map(|(inner, outer)| {
                    let both = pool.add(inner, outer);
                    pool.sub(both, at)
                })
            }
            Boundary::Periodic => [pool.add(at, extent), pool.sub(at, extent)],
        };
        let (is_before, is_after) = self.beyond(pool, at);
        let inner = pool.select(is_after, high, at);
        let inner = pool.select(is_before, low, inner);
        let below = pool.binary(BinaryOp::Lt, at, self.block.0);
        let above = pool.binary(BinaryOp::Ge, at, self.block.1);
        let outside = pool.binary(BinaryOp::Or, below, above);
        let nowhere = pool.sub(first, one);
        pool.select(outside, nowhere, inner)
    }
}

/// The constants beyond the array, with their dimensions. Dask adds them in the order of its axes.
/// So where several dimensions have one, that of the last axis counts, our first dimension.
fn constants(
    pool: &mut Pool,
    input: FuncId,
    axes: &[Axis],
) -> Result<Vec<(usize, ExprId)>, Vec<Diagnostic>> {
    let scalar = pool.func(input).scalar(0);
    let mut found = Vec::new();
    for (dim, axis) in axes.iter().enumerate() {
        if let Boundary::Constant(text) = &axis.boundary {
            let value = params::read(scalar, text).ok_or_else(|| {
                let message = format!("the boundary `{text}` is no value of the type {scalar}");
                let hint = "boundaries are `none`, `nearest`, `reflect`, `periodic` and values";
                vec![refused(&message, hint)]
            })?;
            found.push((dim, pool.constant(value)));
        }
    }
    Ok(found)
}

/// The elements of blocks.
struct Elements {
    input: FuncId,
    axes: Vec<Axis>,
    constants: Vec<(usize, ExprId)>,
}

impl Elements {
    /// Replaces reads of a block's elements by reads of the array's.
    fn read(&self, pool: &mut Pool, expr: ExprId, done: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        pool.rewrite_bottom_up(expr, done, &mut |pool, id, node| {
            if let Expr::Ref { func, component, args } = node
                && *func == self.input
            {
                let (func, component, at) = (*func, *component, args);
                let places = self.axes.iter().zip(at);
                let args = places.map(|(axis, at)| axis.source(pool, *at)).collect();
                let mut value = pool.expr(Expr::Ref { func, component, args });
                for (dim, constant) in self.constants.iter().rev() {
                    let (before, after) = self.axes[*dim].beyond(pool, at[*dim]);
                    let is_beyond = pool.binary(BinaryOp::Or, before, after);
                    value = pool.select(is_beyond, *constant, value);
                }
                value
            } else {
                id
            }
        })
    }
}

/// Replaces every expression of a statement.
fn replaced(
    pool: &mut Pool,
    id: StmtId,
    by: &mut impl FnMut(&mut Pool, ExprId) -> ExprId,
) -> StmtId {
    let old = pool.get_stmt(id).clone();
    let new = old.map_exprs(|_, expr| by(pool, expr));
    let new = new.map_children(|child| replaced(pool, child, by));
    pool.rebuilt(id, new)
}

fn refused(message: &str, hint: &str) -> Diagnostic {
    Diagnostic::without_place(Severity::Error, Code("HAL0915"), message).with_hint(hint)
}
