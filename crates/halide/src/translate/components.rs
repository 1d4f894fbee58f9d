//! The shapes of an output's components.
//!
//! # Correctness
//! The components of an output have one shape here. In a run each is a buffer of its own, so a
//! statement must show, or not need, that they are alike. Its assertions must say that the bounds
//! of all components are those of the first, and must ask of each stride what they ask of the
//! first component's. Other strides may differ: an element of a component is found by the strides
//! of that component alone, so that what is shown for equal strides holds for all.

use halidom_base::{FxHashMap, FxHashSet};

use super::error::{Result, unsupported};
use crate::pipeline::{Func, Pipeline};
use crate::tree::{BinaryOp, Block, Expr, Stmt, StmtKind};
use crate::{NameId, Names};

/// An output of several components, by its name.
struct Output<'a> {
    names: &'a Names,
    name: &'a str,
    /// The number of components.
    count: usize,
    rank: usize,
}

/// Refuses a statement that takes components for alike without a check (`is_checked`), or that
/// finds an element of one by the strides of another.
pub(super) fn alike(
    names: &Names,
    pipeline: &Pipeline,
    block: &Block,
    is_checked: bool,
) -> Result<()> {
    let is_output = |func: &&Func| func.types.len() > 1 && pipeline.outputs.contains(&func.name);
    for func in pipeline.funcs.iter().filter(is_output) {
        let (name, count) = (names.text(func.name), func.types.len());
        let output = Output { names, name, count, rank: func.args.len() };
        if is_checked && !output.is_asserted(block) {
            return unsupported(format!(
                "components of `{name}` whose shapes are not asserted to be alike"
            ));
        }
        if !output.is_separate(block, &mut FxHashMap::default()) {
            return unsupported(format!(
                "a component of `{name}` whose elements another one's strides place"
            ));
        }
    }
    Ok(())
}

impl Output<'_> {
    /// A field of a component, if the statement has a name for it.
    fn field(&self, component: usize, field: &str, dim: usize) -> Option<NameId> {
        self.names.find(&format!("{}.{component}.{field}.{dim}", self.name))
    }

    /// Tests whether assertions say of each component's shape what they say of the first one's.
    fn is_asserted(&self, block: &[Stmt]) -> bool {
        let mut known = Vec::new();
        equalities(self.names, block, &mut known);
        let says = |left: NameId, right: &Expr| {
            known.iter().any(|(name, value)| *name == left && *value == right)
        };
        let same = |left: NameId, right: NameId| {
            known.iter().any(|(name, value)| *name == left && variable(value) == Some(right))
        };
        (1..self.count).all(|component| {
            (0..self.rank).all(|dim| {
                let bounds = ["min", "extent"].into_iter().all(|field| {
                    let own = self.field(component, field, dim);
                    own.zip(self.field(0, field, dim)).is_some_and(|(own, of)| same(own, of))
                });
                let (own, of) =
                    (self.field(component, "stride", dim), self.field(0, "stride", dim));
                let asked = known.iter().filter(|(name, _)| Some(*name) == of);
                let strides = asked.into_iter().all(|(_, value)| {
                    own.is_some_and(|own| says(own, value) || of.is_some_and(|of| same(own, of)))
                });
                bounds && strides
            })
        })
    }

    /// Tests whether elements of each component are found without strides of others. `known` has
    /// the components whose strides the value of a name depends on.
    fn is_separate(&self, block: &[Stmt], known: &mut FxHashMap<NameId, FxHashSet<usize>>) -> bool {
        let component = |name: NameId| {
            let text = self.names.text(name).strip_prefix(self.name)?;
            text.strip_prefix('.')?.parse::<usize>().ok()
        };
        block.iter().all(|stmt| {
            let mut is_right = true;
            if let StmtKind::Store { name, index, alignment: _, value: _, predicate: _ } =
                &stmt.kind
                && let Some(own) = component(*name)
            {
                is_right = self.strides(index, known).iter().all(|of| *of == own);
            }
            stmt.for_each_expr(&mut |expr| {
                for_each_load(expr, &mut |name, index| {
                    if let Some(own) = component(name) {
                        is_right &= self.strides(index, known).iter().all(|of| *of == own);
                    }
                });
            });
            if let StmtKind::Let { name, value } = &stmt.kind {
                let found = self.strides(value, known);
                known.entry(*name).or_default().extend(found);
            }
            stmt.for_each_block(&mut |inner| is_right = is_right && self.is_separate(inner, known));
            is_right
        })
    }

    /// The components whose strides a value depends on.
    fn strides(
        &self,
        expr: &Expr,
        known: &FxHashMap<NameId, FxHashSet<usize>>,
    ) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        if let Some(name) = variable(expr) {
            found.extend(known.get(&name).into_iter().flatten());
            let is_stride = |component: &usize| {
                (0..self.rank).any(|dim| self.field(*component, "stride", dim) == Some(name))
            };
            // The name itself is bound to a call that mentions no name of a stride.
            found.extend((0..self.count).filter(is_stride));
        }
        // An element that is read does not depend on where it lies.
        if !matches!(expr, Expr::Load(_)) {
            expr.for_each_operand(&mut |operand| found.extend(self.strides(operand, known)));
        }
        found
    }
}

fn variable(expr: &Expr) -> Option<NameId> {
    if let Expr::Variable { name, ty: _ } = expr { Some(*name) } else { None }
}

/// Collects the assertions that a name equals a value.
fn equalities<'b>(names: &Names, block: &'b [Stmt], found: &mut Vec<(NameId, &'b Expr)>) {
    for stmt in block {
        if let StmtKind::Assert { condition: Expr::Binary(BinaryOp::Eq, operands), message: _ } =
            &stmt.kind
        {
            let [left, right] = &**operands;
            found.extend(variable(left).map(|name| (name, right)));
            found.extend(variable(right).map(|name| (name, left)));
        }
        // Assertions at the entry are not in loops or conditions.
        if let StmtKind::Scope(body) | StmtKind::ProducerConsumer { name: _, role: _, body } =
            &stmt.kind
        {
            equalities(names, body, found);
        }
        // All work is under the condition that no buffer is a bounds query.
        if let StmtKind::If { condition: Expr::Not(queries), then_branch, else_branch: None } =
            &stmt.kind
            && asks_for_bounds(names, queries)
        {
            equalities(names, then_branch, found);
        }
    }
}

/// Tests whether a condition is that one of some buffers is a bounds query, which callers' are not.
fn asks_for_bounds(names: &Names, expr: &Expr) -> bool {
    if let Expr::Binary(BinaryOp::Or, operands) = expr {
        return operands.iter().all(|operand| asks_for_bounds(names, operand));
    }
    matches!(expr, Expr::Call(call)
        if names.text(call.name) == "_halide_buffer_is_bounds_query")
}

fn for_each_load(expr: &Expr, visit: &mut impl FnMut(NameId, &Expr)) {
    if let Expr::Load(load) = expr {
        visit(load.name, &load.index);
    }
    expr.for_each_operand(&mut |operand| for_each_load(operand, visit));
}
