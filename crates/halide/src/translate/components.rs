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

/// The limit of sizes that Halide asserts of every buffer without `large_buffers`.
const GREATEST: u64 = i32::MAX as u64;

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
            known.iter().any(|(name, value)| *name == left && value.variable() == Some(right))
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

    /// Tests whether the first component's strides are asserted only to equal something, and not to
    /// be too large. Another assertion might state a stride, and the other components' strides
    /// would be taken for it.
    fn asks_by_equalities(&self, block: &[Stmt]) -> bool {
        let mut strides: FxHashSet<NameId> =
            (0..self.rank).filter_map(|dim| self.field(0, "stride", dim)).collect();
        let plain = strides.clone();
        self.spread(block, &mut strides);
        let conditions = checks::first(self.names, block);
        conditions.iter().all(|condition| {
            let is_stated = matches!(condition, Expr::Binary(BinaryOp::Eq, operands)
            if operands.iter().any(|operand| {
                operand.variable().is_some_and(|name| plain.contains(&name))
            }));
            let is_limited = self.limited(0, condition).is_some_and(|dim| {
                (1..self.count).all(|component| {
                    conditions.iter().any(|other| self.limited(component, other) == Some(dim))
                })
            });
            is_stated || is_limited || !self.reads_stride(condition, &strides)
        })
    }

    /// The dimension whose extent times a component's stride a condition limits to the size that
    /// Halide admits: `abs(int64(extent)*int64(stride)) <= 2^31 - 1`.
    fn limited(&self, component: usize, condition: &Expr) -> Option<usize> {
        let Expr::Binary(BinaryOp::Le, operands) = condition else { return None };
        let [Expr::Call(call), Expr::UInt(limit, _)] = &**operands else { return None };
        let [Expr::Binary(BinaryOp::Mul, factors)] = &*call.args else { return None };
        let [Expr::Cast(_, extent), Expr::Cast(_, stride)] = &**factors else { return None };
        let (extent, stride) = (extent.variable()?, stride.variable()?);
        let is_size = self.names.text(call.name) == "abs" && *limit >= GREATEST;
        let dim = (0..self.rank)
            .find(|dim| self.field(component, "stride", *dim) == Some(stride))
            .filter(|_| is_size)?;
        let is_own = |of: usize| self.field(of, "extent", dim) == Some(extent);
        (0..self.count).any(is_own).then_some(dim)
    }

    /// Adds the names whose values depend on strides of the first component.
    fn spread(&self, block: &[Stmt], strides: &mut FxHashSet<NameId>) {
        for stmt in block {
            if let StmtKind::Let { name, value } = &stmt.kind
                && self.reads_stride(value, strides)
            {
                strides.insert(*name);
            }
            stmt.for_each_block(&mut |inner| self.spread(inner, strides));
        }
    }

    /// Tests whether an expression depends on a stride of the first component.
    fn reads_stride(&self, expr: &Expr, strides: &FxHashSet<NameId>) -> bool {
        let own = self.names.find(&format!("{}.0.buffer", self.name));
        let mut found = expr.variable().is_some_and(|name| strides.contains(&name));
        if let Expr::Call(call) = expr {
            found |= self.names.text(call.name) == "_halide_buffer_get_stride"
                && call.args.first().and_then(Expr::variable) == own;
        }
        expr.for_each_operand(&mut |operand| {
            found = found || self.reads_stride(operand, strides);
        });
        found
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
                && let Some((field, dim)) = field.split_once('.')
                && ["min", "extent", "stride"].contains(&field)
                // `extent.0.required` is no field.
                && let Ok(dim) = dim.parse::<i64>()
            {
                let own = self.names.find(&format!("{}.{component}.buffer", self.name));
                is_own = matches!(value, Expr::Call(call)
                    if self.names.text(call.name).strip_prefix("_halide_buffer_get_")
                        == Some(field)
                        && matches!(&*call.args, [buffer, Expr::Int(of, _)]
                            if buffer.variable() == own && dim == *of));
            }
            stmt.for_each_block(&mut |inner| is_own = is_own && self.has_own_fields(inner));
            is_own
        })
    }

    /// Tests whether strides of a component decide only where elements of this component lie.
    /// `known` has the components whose strides the value of a name depends on.
    fn is_separate(&self, block: &[Stmt], known: &mut FxHashMap<NameId, FxHashSet<usize>>) -> bool {
        let component = |name: NameId| {
            let text = self.names.text(name).strip_prefix(self.name)?;
            text.strip_prefix('.')?.parse::<usize>().ok()
        };
        block.iter().all(|stmt| {
            let is_own = |memory: NameId, index: &Expr, known: &FxHashMap<_, _>| {
                let found = self.strides(index, known);
                found.iter().all(|of| component(memory) == Some(*of))
            };
            let mut is_right = true;
            stmt.for_each_expr(&mut |expr| {
                expr.for_each_part(&mut |part| {
                    if let Expr::Load(load) = part {
                        is_right &= is_own(load.name, &load.index, known);
                    }
                });
            });
            if let StmtKind::Store { name, index, alignment: _, value, predicate } = &stmt.kind {
                let others = predicate.iter().chain([value]);
                is_right &= is_own(*name, index, known)
                    && others.into_iter().all(|expr| self.strides(expr, known).is_empty());
            } else if let StmtKind::Let { name, value } = &stmt.kind {
                let found = self.strides(value, known);
                known.entry(*name).or_default().extend(found);
            } else if !matches!(&stmt.kind, StmtKind::Assert { condition: _, message: _ }) {
                // Only the first assertions may ask for strides.
                stmt.for_each_expr(&mut |expr| is_right &= self.strides(expr, known).is_empty());
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
        if let Some(name) = expr.variable() {
            found.extend(known.get(&name).into_iter().flatten());
            let is_stride = |component: &usize| {
                (0..self.rank).any(|dim| self.field(*component, "stride", dim) == Some(name))
            };
            // The name itself is bound to a call that mentions no name of a stride.
            found.extend((0..self.count).filter(is_stride));
        }
        if let Expr::Call(call) = expr
            && self.names.text(call.name) == "_halide_buffer_get_stride"
        {
            let buffer = call.args.first().and_then(Expr::variable);
            let is_of = |component: &usize| {
                buffer.is_some()
                    && buffer == self.names.find(&format!("{}.{component}.buffer", self.name))
            };
            found.extend((0..self.count).filter(is_of));
        }
        // An element that is read does not depend on where it lies.
        if !matches!(expr, Expr::Load(_)) {
            expr.for_each_operand(&mut |operand| found.extend(self.strides(operand, known)));
        }
        found
    }
}

/// The first assertions that a name equals a value.
fn equalities<'b>(names: &Names, block: &'b [Stmt]) -> Vec<(NameId, &'b Expr)> {
    let mut found = Vec::new();
    for condition in checks::first(names, block) {
        if let Expr::Binary(BinaryOp::Eq, operands) = condition {
            let [left, right] = &**operands;
            found.extend(left.variable().map(|name| (name, right)));
            found.extend(right.variable().map(|name| (name, left)));
        }
    }
    found
}
