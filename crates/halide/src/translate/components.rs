//! The shapes of an output's components.
//!
//! # Correctness
//! The components of an output have one shape here. In a run each is a buffer of its own, so a
//! statement must show, or not need, that they are alike. Its assertions must say that the bounds
//! of all components are those of the first, and must ask of each stride what they ask of the
//! first component's. Other strides may differ: an element of a component is found by the strides
//! of that component alone, so that what is shown for equal strides holds for all.

use halidom_base::{FxHashMap, FxHashSet};

use super::checks;
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
        if !output.has_own_fields(block) {
            return unsupported(format!(
                "a component of `{name}` whose shape is read from another buffer"
            ));
        }
        if is_checked && !output.asks_by_equalities(block) {
            return unsupported(format!(
                "a stride of a component of `{name}` that is compared without being stated"
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
        let known = equalities(self.names, block);
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

    /// Tests whether the first component's strides are compared only for equality. Another
    /// comparison might state a stride, and the other components' strides would be taken for it.
    fn asks_by_equalities(&self, block: &[Stmt]) -> bool {
        let is_stride =
            |name: NameId| (0..self.rank).any(|dim| self.field(0, "stride", dim) == Some(name));
        let compares = |expr: &Expr| {
            matches!(expr, Expr::Binary(op, operands) if op.is_comparison()
                && *op != BinaryOp::Eq
                && operands.iter().any(|operand| variable(operand).is_some_and(is_stride)))
        };
        let mut found = false;
        for condition in checks::first(self.names, block) {
            for_each_part(condition, &mut |part| found |= compares(part));
        }
        !found && !has_alias(block, &is_stride)
    }

    /// Tests whether the names of a component's fields stand for the fields of its own buffer.
    fn has_own_fields(&self, block: &[Stmt]) -> bool {
        block.iter().all(|stmt| {
            let mut is_own = true;
            if let StmtKind::Let { name, value } = &stmt.kind
                && let Some(rest) = self.names.text(*name).strip_prefix(self.name)
                && let Some((component, field)) =
                    rest.strip_prefix('.').and_then(|rest| rest.split_once('.'))
                && component.parse::<usize>().is_ok_and(|component| component < self.count)
                && ["min.", "extent.", "stride."].iter().any(|of| field.starts_with(of))
            {
                let own = self.names.find(&format!("{}.{component}.buffer", self.name));
                is_own = matches!(value, Expr::Call(call)
                    if call.args.first().and_then(variable) == own
                        && self.names.text(call.name).starts_with("_halide_buffer_get_"));
            }
            stmt.for_each_block(&mut |inner| is_own = is_own && self.has_own_fields(inner));
            is_own
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

/// Tests whether a statement binds another name to one of some names.
fn has_alias(block: &[Stmt], is_one: &impl Fn(NameId) -> bool) -> bool {
    block.iter().any(|stmt| {
        let mut found = matches!(&stmt.kind, StmtKind::Let { name: _, value }
            if variable(value).is_some_and(is_one));
        stmt.for_each_block(&mut |inner| found = found || has_alias(inner, is_one));
        found
    })
}

fn variable(expr: &Expr) -> Option<NameId> {
    if let Expr::Variable { name, ty: _ } = expr { Some(*name) } else { None }
}

/// The first assertions that a name equals a value.
fn equalities<'b>(names: &Names, block: &'b [Stmt]) -> Vec<(NameId, &'b Expr)> {
    let mut found = Vec::new();
    for condition in checks::first(names, block) {
        if let Expr::Binary(BinaryOp::Eq, operands) = condition {
            let [left, right] = &**operands;
            found.extend(variable(left).map(|name| (name, right)));
            found.extend(variable(right).map(|name| (name, left)));
        }
    }
    found
}

fn for_each_part(expr: &Expr, visit: &mut impl FnMut(&Expr)) {
    visit(expr);
    expr.for_each_operand(&mut |operand| for_each_part(operand, visit));
}

fn for_each_load(expr: &Expr, visit: &mut impl FnMut(NameId, &Expr)) {
    if let Expr::Load(load) = expr {
        visit(load.name, &load.index);
    }
    expr.for_each_operand(&mut |operand| for_each_load(operand, visit));
}
