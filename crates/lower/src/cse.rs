//! Common subexpression elimination, within stores and across consecutive ones.

use halidom_base::FxHashMap;
use halidom_ir::visit::{Fold, rewrite, walk};
use halidom_ir::{Access, BufferId, Expr, ExprId, Pool, Program, Scalar, Stmt, StmtId, VarId};

use crate::LowerError;
use crate::repeats::is_repeated;

/// The size as a tree from which a bound value is large. The bounds of regions that are needed by
/// regions, as in a pyramid, have a few hundred parts, which occur millions of times.
const LARGE: u64 = 1000;

/// Binds subexpressions that occur more than once in the values and indices of consecutive stores
/// to variables around these stores, so that unrolled iterations share common subexpressions. Loads
/// are bound too if none of these stores writes their buffer; within one store all loads are,
/// because they come before the write. A load or store is recognised by its index, so these are not
/// bound, but their operands are: ramps, broadcasts, quotients of `repeats`, and vectors that are
/// converted to indices. Annotations stay as they are. Large values of variables are treated in the
/// same way.
///
/// Requires: storage is flattened.
/// Ensures: in each store, every operator except these occurs once with the same operands,
/// annotations aside.
pub fn cse(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    rewrite(&mut Cse, pool, program)
}

struct Cse;

impl Fold<LowerError> for Cse {
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        if let Stmt::Store { .. } = pool.get_stmt(id) {
            return Ok(shared(pool, &[id]));
        }
        if let Stmt::Let { var, value, body } = *pool.get_stmt(id)
            && written_size(pool, value, &mut FxHashMap::default()) > LARGE
        {
            let body = self.stmt(pool, body)?;
            return Ok(shared_value(pool, var, value, body));
        }
        let Stmt::Block(stmts) = pool.get_stmt(id).clone() else { return walk(self, pool, id) };
        let mut parts = Vec::with_capacity(stmts.len());
        let mut stores = Vec::new();
        for stmt in stmts {
            if matches!(pool.get_stmt(stmt), Stmt::Store { .. }) {
                stores.push(stmt);
                continue;
            }
            flush(pool, &mut stores, &mut parts);
            parts.push(self.stmt(pool, stmt)?);
        }
        flush(pool, &mut stores, &mut parts);
        Ok(pool.stmt(Stmt::Block(parts)))
    }
}

/// Returns the number of operators and operands of an expression that is written as a tree.
fn written_size(pool: &Pool, expr: ExprId, sizes: &mut FxHashMap<ExprId, u64>) -> u64 {
    if let Some(size) = sizes.get(&expr) {
        return *size;
    }
    let mut size = 1_u64;
    pool.get(expr).for_each_operand(|operand| {
        size = size.saturating_add(written_size(pool, operand, sizes));
    });
    sizes.insert(expr, size);
    size
}

/// Makes a `let` whose value is large, after bindings of the subexpressions that its value repeats.
fn shared_value(pool: &mut Pool, var: VarId, value: ExprId, body: StmtId) -> StmtId {
    let mut done = FxHashMap::default();
    let lets = bindings(pool, repeated(pool, &[value]), &mut done);
    let value = replace(pool, value, &mut done);
    let body = pool.stmt(Stmt::Let { var, value, body });
    bound(pool, lets, body)
}

/// Makes variables for expressions, operands first.
fn bindings(
    pool: &mut Pool,
    repeated: Vec<ExprId>,
    done: &mut FxHashMap<ExprId, ExprId>,
) -> Vec<(VarId, ExprId)> {
    let mut lets = Vec::with_capacity(repeated.len());
    for expr in repeated {
        let once = replace(pool, expr, done);
        let var = pool.declare_var(name(pool, expr), pool.ty(expr));
        let var_expr = pool.var_expr(var);
        done.insert(expr, var_expr);
        lets.push((var, once));
    }
    lets
}

fn bound(pool: &mut Pool, lets: Vec<(VarId, ExprId)>, body: StmtId) -> StmtId {
    let bind = |body, (var, value)| pool.stmt(Stmt::Let { var, value, body });
    lets.into_iter().rev().fold(body, bind)
}

/// Ends a sequence of consecutive stores.
fn flush(pool: &mut Pool, stores: &mut Vec<StmtId>, parts: &mut Vec<StmtId>) {
    if !stores.is_empty() {
        parts.push(shared(pool, stores));
        stores.clear();
    }
}

/// Binds the repeated subexpressions of stores around the stores. For several stores, the repeated
/// subexpressions of each one are then bound around it alone.
fn shared(pool: &mut Pool, stores: &[StmtId]) -> StmtId {
    let mut roots = Vec::new();
    let mut written = Vec::new();
    for store in stores {
        let Stmt::Store { buffer, index, value, atomic, .. } = *pool.get_stmt(*store) else {
            continue;
        };
        roots.extend([index, value]);
        // A load of the written buffer belongs to the single step of an atomic store; with several
        // stores, its value depends on the earlier ones.
        if atomic || stores.len() > 1 {
            written.push(buffer);
        }
    }
    let mut repeated = repeated(pool, &roots);
    repeated.retain(|expr| !written.iter().any(|buffer| reads(pool, *expr, *buffer)));
    let mut done = FxHashMap::default();
    let lets = bindings(pool, repeated, &mut done);
    let mut parts = Vec::with_capacity(stores.len());
    for store in stores {
        let Stmt::Store { buffer, index, value, prophecy, atomic } = pool.get_stmt(*store).clone()
        else {
            continue;
        };
        let mut part = *store;
        if !lets.is_empty() {
            let index = replace(pool, index, &mut done);
            let value = replace(pool, value, &mut done);
            part = pool.stmt(Stmt::Store { buffer, index, value, prophecy, atomic });
        }
        parts.push(if stores.len() > 1 { shared(pool, &[part]) } else { part });
    }
    let body = if let [only] = *parts { only } else { pool.stmt(Stmt::Block(parts)) };
    bound(pool, lets, body)
}

/// True if an expression loads from a buffer.
fn reads(pool: &Pool, expr: ExprId, buffer: BufferId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(expr, &mut |_, expr| {
        found |= matches!(expr, Expr::Load { buffer: read, .. } if *read == buffer);
    });
    found
}

/// Returns the subexpressions worth a variable that are operands more than once, operands before
/// the expressions that contain them.
fn repeated(pool: &Pool, roots: &[ExprId]) -> Vec<ExprId> {
    let mut uses: FxHashMap<ExprId, usize> = FxHashMap::default();
    let mut order = Vec::new();
    let mut pending: Vec<(ExprId, bool)> = roots.iter().rev().map(|root| (*root, false)).collect();
    while let Some((id, operands_done)) = pending.pop() {
        if operands_done {
            order.push(id);
            continue;
        }
        let count = uses.entry(id).or_default();
        *count += 1;
        let (is_new, expr, worth) = (*count == 1, pool.get(id), is_worth_a_variable(pool, id));
        if is_new {
            pending.push((id, true));
        }
        // An expression that is printed at each use has its operands computed at each use.
        if is_new || !worth {
            let first = pending.len();
            expr.for_each_operand(|operand| pending.push((operand, false)));
            pending[first..].reverse();
        }
    }
    order.retain(|id| uses[id] > 1 && is_worth_a_variable(pool, *id));
    order
}

fn is_worth_a_variable(pool: &Pool, id: ExprId) -> bool {
    match pool.get(id) {
        Expr::Binary(..) => !is_repeated(pool, id),
        Expr::Cast(Scalar::Int, narrow) => pool.ty(*narrow).lanes == 1,
        Expr::Unary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. } => true,
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => false,
    }
}

/// Applies the replacements in `done` to an expression, except in annotations, which may mention
/// variables that are bound further in.
pub(crate) fn replace(pool: &mut Pool, id: ExprId, done: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
    if let Some(result) = done.get(&id) {
        return *result;
    }
    let expr = pool.get(id).clone();
    let (bare, annotation) = match expr {
        Expr::Load { buffer, index, access } => {
            (Expr::Load { buffer, index, access: None }, access)
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => (expr, None),
    };
    let replaced = annotate(bare.map_operands(|operand| replace(pool, operand, done)), annotation);
    let result = pool.expr(replaced);
    done.insert(id, result);
    result
}

fn annotate(expr: Expr, annotation: Option<Access>) -> Expr {
    match (expr, annotation) {
        (Expr::Load { buffer, index, access: None }, annotation) => {
            Expr::Load { buffer, index, access: annotation }
        }
        (expr, _) => expr,
    }
}

/// Returns a readable name for a repeated expression.
fn name(pool: &Pool, expr: ExprId) -> String {
    if let Expr::Load { buffer, .. } = pool.get(expr) {
        format!("{}.element", pool.buffer(*buffer).name)
    } else if pool.ty(expr).scalar == Scalar::Int {
        "index".to_owned()
    } else {
        "common".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use halidom_base::FxHashMap;
    use halidom_ir::{BinaryOp, Pool, Program, Stmt, Type};

    use super::{LARGE, cse, written_size};

    #[test]
    fn a_value_whose_parts_recur_is_written_without_repeats() {
        let mut pool = Pool::default();
        let x = pool.declare_var("x".to_owned(), Type::INT);
        let mut value = pool.var_expr(x);
        for _ in 0..40 {
            let two = pool.int(2);
            let double = pool.mul(value, two);
            value = pool.binary(BinaryOp::Min, value, double);
        }
        assert!(written_size(&pool, value, &mut FxHashMap::default()) > 1_000_000 * LARGE);
        let var = pool.declare_var("y".to_owned(), Type::INT);
        let body = pool.stmt(Stmt::Block(Vec::new()));
        let body = pool.stmt(Stmt::Let { var, value, body });
        let (name, params) = ("p".to_owned(), vec![x]);
        let program = Program { name, params, inputs: Vec::new(), outputs: Vec::new(), body };
        let mut stmt = cse(&mut pool, program).unwrap().body;
        let (mut lets, mut size) = (0, 0);
        while let Stmt::Let { value, body, .. } = *pool.get_stmt(stmt) {
            size += written_size(&pool, value, &mut FxHashMap::default());
            (lets, stmt) = (lets + 1, body);
        }
        assert_eq!((lets, size), (40, 40 * 5));
    }
}
