//! Values that are `undef`.
//!
//! # Correctness
//! A stage whose value is `undef` stores nothing. Halide's operators on `undef` give `undef`, and a
//! selection gives it where it chooses it. So a stage stores its values under the condition that no
//! `undef` is chosen ([`Translation::stored`]). Halide also drops the store where the outer of two
//! selections does not choose the inner one, so a selection is refused below an arm that has a
//! value, if it may be `undef`. A component of an update keeps its value if it is
//! `undef` everywhere.
//!
//! The first stage of an output keeps what the memory holds before the run, which is an input of
//! the algorithm (`priors`). Any other func has no value where its first stage is `undef`, until an
//! update stores one: the first stage gets the condition as its predicate.

use halidom_ir::{ExprId, FuncId};

use super::algorithm::{Prior, Source, Translation, for_each_call};
use super::error::{Result, unsupported};
use crate::pipeline::{Definition, Func};
use crate::tree::{self, Expr};

/// The intrinsic that gives no value.
const UNDEFINED: &str = "undef";

/// The part of an expression that is no `undef`.
#[derive(Default)]
pub(super) struct Stored {
    /// The conditions under which there is a value, each with the truth value that it must have.
    conditions: Vec<(Expr, bool)>,
    /// The value there; `None` if there is none anywhere.
    value: Option<Expr>,
}

/// The part of a stage that is no `undef`.
pub(super) struct StoredStage {
    /// The conditions under which it stores, each with the truth value that it must have.
    pub(super) conditions: Vec<(Expr, bool)>,
    /// The coordinates and the values there; `None` if it stores nothing anywhere. A component
    /// without a value is not stored.
    pub(super) stored: Option<(Vec<Expr>, Vec<Option<Expr>>)>,
}

impl Translation<'_> {
    pub(super) fn is_undef(&self, value: &Expr) -> bool {
        if let Expr::Variable { name, ty: _ } = value {
            return self.undefined.contains(name);
        }
        matches!(value, Expr::Call(call) if self.nodes.names.text(call.name) == UNDEFINED)
    }

    /// Tests whether the first stage leaves memory as it is.
    pub(super) fn is_undefined(&self, func: &Func) -> bool {
        let init = func.init.as_ref();
        init.is_some_and(|init| init.values.iter().all(|value| self.is_undef(value)))
    }

    /// Tests whether the first stage stores some component at some elements only.
    pub(super) fn is_stored_at_times(&self, func: &Func) -> bool {
        let values = func.init.iter().flat_map(|init| &init.values);
        values.filter(|value| self.has_undef(value)).any(|value| match self.stored(value) {
            Ok(stored) => stored.value.is_some(),
            Err(_) => true,
        })
    }

    fn has_undef(&self, expr: &Expr) -> bool {
        let mut found = self.is_undef(expr);
        expr.for_each_operand(&mut |operand| found = found || self.has_undef(operand));
        found
    }

    /// Tests whether a stage has `undef` in a value or in a coordinate.
    pub(super) fn is_partly_undefined(&self, stage: &Definition) -> bool {
        stage.values.iter().chain(&stage.args).any(|expr| self.has_undef(expr))
    }

    /// The part of a stage that is no `undef`, given its coordinates and values.
    pub(super) fn where_stored(&self, lhs: &[Expr], values: &[&Expr]) -> Result<StoredStage> {
        let mut all: Vec<(Expr, bool)> = Vec::new();
        let mut add = |conditions: Vec<(Expr, bool)>| {
            for condition in conditions {
                if !all.contains(&condition) {
                    all.push(condition);
                }
            }
        };
        let values = values.iter().map(|value| self.stored(value)).collect::<Result<Vec<_>>>()?;
        // Halide stores each component of a tuple on its own, all under one condition.
        let mut some = values.iter().filter(|value| value.value.is_some());
        let Some(first) = some.next() else {
            return Ok(StoredStage { conditions: Vec::new(), stored: None });
        };
        if some.any(|other| first.conditions != other.conditions) {
            return unsupported("`undef` in components of a tuple under several conditions");
        }
        let own = first.conditions.clone();
        let lhs = lhs.iter().map(|coord| self.stored(coord)).collect::<Result<Vec<_>>>()?;
        let mut coords = Vec::new();
        for Stored { conditions, value } in lhs {
            add(conditions);
            let Some(value) = value else {
                return Ok(StoredStage { conditions: Vec::new(), stored: None });
            };
            coords.push(value);
        }
        add(own);
        let values = values.into_iter().map(|value| value.value).collect();
        Ok(StoredStage { conditions: all, stored: Some((coords, values)) })
    }

    /// The values of a stage's components. One that is not stored keeps its value.
    pub(super) fn components(
        &mut self,
        func: FuncId,
        lhs: &[ExprId],
        values: &[Option<Expr>],
    ) -> Result<Vec<ExprId>> {
        let of = |(component, value): (usize, &Option<Expr>)| {
            if let Some(value) = value {
                return self.as_stored(value);
            }
            if self.is_first {
                return unsupported("`undef` in some components of a first stage");
            }
            Ok(self.pool.func_ref(func, component, lhs.to_vec()))
        };
        values.iter().enumerate().map(of).collect()
    }

    /// The part of an expression that is no `undef`.
    fn stored(&self, expr: &Expr) -> Result<Stored> {
        if self.is_undef(expr) {
            return Ok(Stored::default());
        }
        if !self.has_undef(expr) {
            return Ok(Stored { conditions: Vec::new(), value: Some(expr.clone()) });
        }
        if let Expr::Cast(ty, operand) = expr {
            let operand = self.stored(operand)?;
            return Ok(operand.map(|operand| Expr::Cast(*ty, Box::new(operand))));
        }
        if let Expr::Binary(op, operands) = expr {
            let [lhs, rhs] = &**operands;
            let (lhs, rhs) = (self.stored(lhs)?, self.stored(rhs)?);
            return Ok(lhs.with(rhs, |lhs, rhs| Expr::Binary(*op, Box::new([lhs, rhs]))));
        }
        if let Expr::Select(operands) = expr {
            return self.selected(operands);
        }
        unsupported("`undef` within a call")
    }

    fn selected(&self, operands: &[Expr; 3]) -> Result<Stored> {
        let [condition, a, b] = operands;
        if self.has_undef(condition) {
            return unsupported("a condition that may be `undef`");
        }
        let chosen = match (self.is_undef(a), self.is_undef(b)) {
            (true, true) => return Ok(Stored::default()),
            (true, false) => (false, self.stored(b)?),
            (false, true) => (true, self.stored(a)?),
            (false, false) => return unsupported("`undef` in a selection within a selection"),
        };
        let (holds, mut stored) = chosen;
        stored.conditions.insert(0, (condition.clone(), holds));
        Ok(stored)
    }

    /// Declares the contents that an output has before a run, as inputs, for the components that
    /// its first stage does not store everywhere. Returns an input for each such component.
    pub(super) fn kept(
        &mut self,
        func: &Func,
        known: &[Prior],
        source: &mut Source,
    ) -> Result<Vec<Option<FuncId>>> {
        let Some(init) = &func.init else { return Ok(Vec::new()) };
        if !init.values.iter().any(|value| self.has_undef(value)) {
            return Ok(Vec::new());
        }
        let mut kept = Vec::new();
        for (component, value) in init.values.iter().enumerate() {
            if !self.has_undef(value) {
                kept.push(None);
                continue;
            }
            let ty = func.types[component].scalar;
            let known = known.iter().find(|prior| {
                (prior.output, prior.component) == (func.name, component)
                    && self.pool.buffer(prior.buffer).dims.len() == func.args.len()
            });
            let prior = match known {
                Some(known) => *known,
                None => {
                    let text = self.nodes.names.text(func.name);
                    let number =
                        if func.types.len() == 1 { String::new() } else { format!(".{component}") };
                    let name = format!("{text}{number}.before");
                    let buffer = self.input_buffer(&name, ty, func.args.len())?;
                    Prior { output: func.name, component, buffer }
                }
            };
            let before = self.pool.buffer(prior.buffer).func;
            source.types.insert(before, vec![ty]);
            source.algorithm.inputs.push(before);
            source.priors.push(prior);
            kept.push(Some(before));
        }
        Ok(kept)
    }

    /// Tests whether the second stage defines every element without reading the func itself.
    pub(super) fn is_whole_without(&self, func: &Func) -> bool {
        let Some(second) = func.updates.first() else { return false };
        let mut reads = false;
        for value in second.values.iter().chain(&second.args) {
            for_each_call(value, &mut |call| reads |= call.name == func.name);
        }
        let pure = second
            .args
            .iter()
            .zip(&func.args)
            .all(|(arg, own)| matches!(arg, Expr::Variable { name, ty: _ } if name == own));
        pure && !reads
            && second.schedule.domain.is_empty()
            && second.predicate == Expr::UInt(1, tree::Type::BOOL)
            && !self.is_partly_undefined(second)
    }

    /// The conjunction of conditions with their truth values, and of a predicate.
    pub(super) fn all_of(
        &mut self,
        predicate: ExprId,
        conditions: &[(Expr, bool)],
    ) -> Result<ExprId> {
        let mut all = predicate;
        for (condition, holds) in conditions {
            let mut condition = self.scalar(condition)?;
            if !holds {
                condition = self.lowering(&mut super::lanes::Memo::default(), |lowering| {
                    lowering.ops.not(condition)
                })?;
            }
            all = self.pool.binary(halidom_ir::BinaryOp::And, all, condition.id);
        }
        Ok(all)
    }
}

impl Stored {
    fn map(self, make: impl FnOnce(Expr) -> Expr) -> Self {
        Self { conditions: self.conditions, value: self.value.map(make) }
    }

    fn with(self, other: Self, make: impl FnOnce(Expr, Expr) -> Expr) -> Self {
        let mut conditions = self.conditions;
        conditions.extend(other.conditions);
        let both = self.value.zip(other.value);
        Self { conditions, value: both.map(|(value, other)| make(value, other)) }
    }
}
