//! Windows of inputs: pipelines that get a part of an input and the bounds of the whole.
//!
//! A buffer argument has bounds: what is **stored**. In an algorithm, `b.min(k)` and `b.extent(k)`
//! are these bounds. A **window** keeps the two apart. The algorithm's variables become parameters
//! that the caller sets to the bounds of the *whole* input, and the buffer gets fresh variables for
//! what is stored. No expression changes: whatever mentions the shape of the input, in the
//! algorithm, in a `require`, in a schedule's conditions and bounds, means the whole from then on.
//! Addresses, entry checks on regions and the checks of layouts mention the buffer's own variables,
//! so they mean what is stored.
//!
//! Two kinds of `require` are added. The whole's extents are not negative, and what is stored lies
//! in the whole. So the input of the theorem is an array over the whole; the caller's memory
//! has a part of it, and the obligations demand that all reads lie in this part. The validator
//! proves the windowed pipeline like any other: it knows nothing of windows.

use halidom_base::IndexSet;
use halidom_ir::{
    Algorithm, BinaryOp, BufferId, Dim, Expr, ExprId, FuncId, FuncKind, Pool, Require, Type, VarId,
};

/// An input with a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The input.
    pub input: FuncId,
    /// The buffer of what is stored.
    pub stored: BufferId,
    /// The parameters for the least coordinate and the extent of the whole, by dimension.
    pub whole: Vec<(VarId, VarId)>,
}

/// Gives windows to some inputs of an algorithm. Inputs that have no buffer of their own stay as
/// they are. The pool's expressions stay; the inputs get new buffers.
///
/// Requires: `inputs` are among the algorithm's, and have no windows yet.
pub fn open(pool: &mut Pool, algorithm: &mut Algorithm, inputs: &IndexSet<FuncId>) -> Vec<Window> {
    let mut windows = Vec::new();
    let mut requires = Vec::new();
    for input in inputs {
        let FuncKind::Input { buffer } = pool.func(*input).kind else { continue };
        let mut decl = pool.buffer(buffer).clone();
        let mut whole = Vec::new();
        for (number, dim) in decl.dims.iter_mut().enumerate() {
            let bounds = (as_variable(pool, dim.min), as_variable(pool, dim.extent));
            let (Some(min), Some(extent)) = bounds else { continue };
            let [own_min, own_extent] = ["min", "extent"].map(|part| {
                pool.declare_var(format!("{}.stored.{part}.{number}", decl.name), Type::INT)
            });
            let stored =
                Dim { min: pool.var_expr(own_min), extent: pool.var_expr(own_extent), ..*dim };
            requires.extend(contained(pool, &decl.name, number, (dim, &stored)));
            *dim = stored;
            whole.push((min, extent));
        }
        algorithm.params.extend(whole.iter().flat_map(|(min, extent)| [*min, *extent]));
        let stored = pool.declare_buffer(decl);
        pool.define_func(*input, FuncKind::Input { buffer: stored });
        windows.push(Window { input: *input, stored, whole });
    }
    // The algorithm's own conditions may rely on these.
    requires.append(&mut algorithm.requires);
    algorithm.requires = requires;
    windows
}

fn as_variable(pool: &Pool, expr: ExprId) -> Option<VarId> {
    if let Expr::Var(var) = pool.get(expr) { Some(*var) } else { None }
}

/// The conditions that a dimension of the whole is no less than nothing, and that what is stored
/// lies in it.
fn contained(
    pool: &mut Pool,
    name: &str,
    number: usize,
    (whole, stored): (&Dim, &Dim),
) -> [Require; 3] {
    let zero = pool.int(0);
    let is_size = pool.binary(BinaryOp::Ge, whole.extent, zero);
    let begins = pool.binary(BinaryOp::Le, whole.min, stored.min);
    let stored_end = pool.add(stored.min, stored.extent);
    let whole_end = pool.add(whole.min, whole.extent);
    let ends = pool.binary(BinaryOp::Le, stored_end, whole_end);
    let size = format!("the extent {number} of the whole `{name}` is not negative");
    let low = format!("the stored part of `{name}` begins in the whole in dimension {number}");
    let high = format!("the stored part of `{name}` ends in the whole in dimension {number}");
    [(is_size, size), (begins, low), (ends, high)]
        .map(|(condition, message)| Require { condition, message })
}
