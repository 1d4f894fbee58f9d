//! Entry checks that the multiples of an output's coordinates which the pipeline computes fit.
//!
//! # Correctness
//! A definition of an output with a product such as `x * 16` has this product at the first and the
//! last point of the window. If it does not fit 32 bits there, the pipeline's own integers
//! overflow, and the pipeline has no value. The compiled code computes the products for regions of
//! inputs, also at the end of the window, and if it has no elements. So the verdict is about
//! callers for whom the products of the window's min and its end fit ([`Condition::SizeLimits`]).
//! The checks come from the pipeline's definitions alone, and only from operands that are evaluated
//! at every point, not from the arms of selections.
//!
//! The same holds for products with parameters in coordinates that are read, as in
//! `a(x * stride + r)`. These count in all funcs that the output reads at its own coordinates, and
//! in updates: the pipeline does not compute the products if a domain is empty, but the compiled
//! code does, and it subtracts them from sides of buffers. So these products lie within the limit
//! of such sides.

use halidom_base::{FxHashSet, IndexSet};
use halidom_ir::{BinaryOp, Check, Dim, Expr, ExprId, FuncId, Output, Pool, StmtId, VarId, print};

use super::caller::within;
use super::walk::Walk;
use crate::{Condition, SIZE_LIMIT};

/// The width of the products.
const BITS: u32 = 32;

/// The dimension of an output that a variable of a func stands for.
type Meaning = (VarId, usize);

impl Walk<'_> {
    /// The entry checks for the multiples of outputs' coordinates.
    pub(super) fn multiples(&mut self, pool: &mut Pool, outputs: &[Output]) -> Vec<StmtId> {
        let mut checks = Vec::new();
        for output in outputs {
            let Some(buffer) = output.buffers.first() else { continue };
            let dims = pool.buffer(*buffer).dims.clone();
            let func = pool.func(output.func);
            let args = func.args.clone();
            let values = func.stages().first().map(|stage| stage.values.clone());
            let (mut met, mut found) = (FxHashSet::default(), IndexSet::default());
            for value in values.unwrap_or_default() {
                self.collect_multiples(pool, value, &mut met, &mut found);
            }
            for (var, factor) in found {
                let position = args.iter().position(|arg| *arg == var);
                let Some(dim) = position.and_then(|position| dims.get(position)) else { continue };
                let factor = pool.int(factor);
                checks.extend(self.multiples_within(pool, *dim, factor, 1 << (BITS - 1)));
            }
            for (dim, param) in self.multiples_of_params(pool, output.func) {
                let Some(dim) = dims.get(dim) else { continue };
                let factor = pool.var_expr(param);
                checks.extend(self.multiples_within(pool, *dim, factor, SIZE_LIMIT));
            }
        }
        checks
    }

    /// The entry checks that the multiples of both ends of a dimension lie within a limit.
    fn multiples_within(
        &mut self,
        pool: &mut Pool,
        dim: Dim,
        factor: ExprId,
        limit: i128,
    ) -> Vec<StmtId> {
        let end = pool.add(dim.min, dim.extent);
        let sides = [dim.min, end].map(|side| {
            let product = pool.mul(side, factor);
            let condition = within(pool, product, limit);
            let check = Check::SizeLimit { what: print::expr(pool, product) };
            self.contract.add(pool, Condition::SizeLimits, (condition, check))
        });
        sides.to_vec()
    }

    /// The products of coordinates of an output and parameters in the coordinates that its
    /// definition reads, or that of a func that is read at the output's coordinates: the dimension
    /// and the parameter.
    fn multiples_of_params(&self, pool: &Pool, output: FuncId) -> IndexSet<(usize, VarId)> {
        let own: Vec<Meaning> =
            pool.func(output).args.iter().enumerate().map(|(dim, arg)| (*arg, dim)).collect();
        let mut found = IndexSet::default();
        let mut read = IndexSet::default();
        read.insert((output, own));
        let mut next = 0;
        while let Some((func, known)) = read.get_index(next).cloned() {
            next += 1;
            let of = |id: ExprId| {
                let Expr::Var(var) = pool.get(id) else { return None };
                known.iter().find(|(own, _)| own == var).map(|(_, dim)| *dim)
            };
            let stages = pool.func(func).stages();
            let exprs = stages.iter().flat_map(|stage| {
                stage.values.iter().chain(&stage.lhs).chain(&stage.predicate).copied()
            });
            let exprs: Vec<ExprId> = exprs.collect();
            let mut coordinates: Vec<ExprId> = Vec::new();
            for expr in exprs {
                pool.for_each_subexpr(expr, &mut |_, node| {
                    let Expr::Ref { func, args, .. } = node else { return };
                    coordinates.extend_from_slice(args);
                    let pairs = pool.func(*func).args.iter().zip(args);
                    let passed = pairs.filter_map(|(arg, id)| Some((*arg, of(*id)?)));
                    let passed: Vec<Meaning> = passed.collect();
                    if !passed.is_empty() {
                        read.insert((*func, passed));
                    }
                });
            }
            for coordinate in coordinates {
                pool.for_each_subexpr(coordinate, &mut |id, node| {
                    if let Expr::Binary(BinaryOp::Mul(_), a, b) = node
                        && self.source.widths.known().get(&id) == Some(&BITS)
                    {
                        for (var, param) in [(*a, *b), (*b, *a)] {
                            if let (Some(dim), Some(param)) = (of(var), self.param(pool, param)) {
                                found.insert((dim, param));
                            }
                        }
                    }
                });
            }
        }
        found
    }

    /// The parameter that an expression is.
    fn param(&self, pool: &Pool, id: ExprId) -> Option<VarId> {
        let Expr::Var(var) = pool.get(id) else { return None };
        self.source.params.iter().any(|(_, known, _)| known == var).then_some(*var)
    }

    /// Collects the products of a variable and a number that an expression evaluates.
    fn collect_multiples(
        &self,
        pool: &Pool,
        expr: ExprId,
        met: &mut FxHashSet<ExprId>,
        found: &mut IndexSet<(VarId, i128)>,
    ) {
        if !met.insert(expr) {
            return;
        }
        let node = pool.get(expr);
        if let Expr::Select { condition, .. } = node {
            self.collect_multiples(pool, *condition, met, found);
            return;
        }
        if let Expr::Binary(BinaryOp::Mul(_), a, b) = *node
            && self.source.widths.known().get(&expr) == Some(&BITS)
        {
            for (var, factor) in [(a, b), (b, a)] {
                let factor = pool.as_constant(factor).and_then(halidom_ir::Constant::as_integer);
                if let (Expr::Var(var), Some(factor)) = (pool.get(var), factor) {
                    found.insert((*var, factor));
                }
            }
        }
        node.for_each_operand(|operand| self.collect_multiples(pool, operand, met, found));
    }
}
