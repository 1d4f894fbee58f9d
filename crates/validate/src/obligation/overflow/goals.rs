//! The goals of overflow.
//!
//! # Correctness
//! For code of 64 bits, every `int` of every computed expression is a goal.
//!
//! Code of fewer bits owes less in indices. Sums, differences and products of numbers that are
//! right modulo 2^n are right modulo 2^n. So where only that is needed ([`Needed::Modulo`]), they
//! may overflow and wrap, and an index that fits its width in the end is the right one. A value
//! must be exact ([`Needed::Exact`]) if it is compared, divided, used in a minimum, as a loop's
//! bound, a size or a float, or widened to more bits. Everything that it is computed from must then
//! be exact too, except for a stored float that is converted from a sum or product: there, the
//! whole must fit. The uses of a let determine what is needed of it. An expression of unknown width
//! is taken to have the least width.

use std::rc::Rc;

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BinaryOp, BufferId, Expr, ExprId, Pool, Scalar, StmtId, UnaryOp, VarId};

use crate::goal::{Claim, Goal};
use crate::obligation::record::Subject;
use crate::program::{Binder, Computed, Model, Place, Role};
use crate::ranges::WIDEST;
use crate::space::FormulaId;

/// The widths of the integers that code computes with.
#[derive(Clone, Copy)]
pub(crate) struct Widths<'a> {
    /// The width of expressions that are not in `known`.
    pub(crate) bits: u32,
    /// The known widths of some expressions.
    pub(crate) known: &'a FxHashMap<ExprId, u32>,
}

impl Widths<'_> {
    fn of(&self, expr: ExprId) -> u32 {
        self.known.get(&expr).copied().unwrap_or(self.bits)
    }
}

/// The precision that is needed of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Needed {
    /// The value must be right modulo a power of two, given by its exponent.
    Modulo(u32),
    /// The value itself must be right.
    Exact,
}

impl Needed {
    fn both(self, other: Self) -> Self {
        match (self, other) {
            (Self::Modulo(a), Self::Modulo(b)) => Self::Modulo(a.max(b)),
            (Self::Exact, _) | (_, Self::Exact) => Self::Exact,
        }
    }
}

/// Makes the goals of code of 64 bits at a place.
pub(super) fn wide(pool: &Pool, model: &Model, computed: &Computed) -> Vec<Goal> {
    let mut goals = Vec::new();
    let mut add = |what: Subject, claim: Claim| goals.push(goal(computed, what, claim));
    for expr in &computed.exprs {
        add(Subject::Expr(*expr), Claim::Arithmetic { expr: *expr });
    }
    if let Some(memory) = computed.allocates {
        let dims = computed.exprs.clone();
        let name = &pool.buffer(model.memories[memory].buffer).name;
        add(format!("size of {name}").into(), Claim::Elements { memory, dims });
    }
    if let (Some((var, Binder::Loop)), [min, extent]) = (computed.binds, computed.exprs.as_slice())
    {
        let (min, extent) = (*min, *extent);
        add(loop_words(pool, var).into(), Claim::End { var, min, extent, bits: 64 });
    }
    goals
}

/// The uses of a let.
#[derive(Clone)]
struct Uses {
    /// The precision that they need.
    needed: Needed,
    /// The stores whose values have all of them, if nothing else has one.
    stored: Option<Stores>,
}

/// Stores, each once.
type Stores = Rc<[StmtId]>;

/// The stores whose values alone a claim is about, if nothing else depends on it, and the facts
/// under which the claim is owed.
type Owed = (Option<Stores>, Vec<FormulaId>);

/// Makes the goals of code of fewer bits.
pub(super) struct Narrow<'a> {
    pool: &'a Pool,
    widths: Widths<'a>,
    /// The uses of each let.
    lets: FxHashMap<VarId, Uses>,
    /// The claims that are owed for the expressions at hand.
    owed: Vec<Claim>,
    seen: FxHashSet<(ExprId, Needed, Option<Stores>)>,
    /// The facts under which a claim is owed already, and the stores whose values it is about.
    known: FxHashMap<(ExprId, u32), Vec<Owed>>,
    /// The stores whose values alone depend on what is visited.
    stored: Option<Stores>,
}

impl<'a> Narrow<'a> {
    pub(super) fn new(pool: &'a Pool, widths: Widths<'a>) -> Self {
        Self {
            pool,
            widths,
            lets: FxHashMap::default(),
            owed: Vec::new(),
            seen: FxHashSet::default(),
            known: FxHashMap::default(),
            stored: None,
        }
    }

    /// Learns the precision that the program needs of each let.
    pub(super) fn learn(&mut self, model: &Model) {
        // A use comes after the let that it uses.
        for computed in model.computed.iter().rev() {
            self.roots(computed);
        }
    }

    /// Makes the goals at a place.
    pub(super) fn at(&mut self, computed: &Computed) -> Vec<Goal> {
        self.roots(computed);
        let owed = std::mem::take(&mut self.owed);
        let goals = owed.into_iter().filter(is_owed).filter_map(|claim| {
            let (what, expr) = match &claim {
                Claim::Fits { expr, bits, stored } => {
                    (Subject::Expr(*expr), Some(((*expr, *bits), stored.clone())))
                }
                Claim::End { var, .. } => (loop_words(self.pool, *var).into(), None),
                Claim::Index { buffer, .. } => {
                    (format!("an index of {}", self.pool.buffer(*buffer).name).into(), None)
                }
                Claim::Arithmetic { .. } | Claim::Elements { .. } => return None,
            };
            if let Some((key, stored)) = expr {
                // A claim that is shown at a place also holds further inside. If it is about a
                // stored value, it holds for this value.
                let facts = &computed.place.facts;
                let known = self.known.entry(key).or_default();
                let covers = |(of, known): &Owed| {
                    (of.is_none() || *of == stored) && facts.starts_with(known)
                };
                if known.iter().any(covers) {
                    return None;
                }
                known.push((stored, facts.clone()));
            }
            Some(goal(computed, what, claim))
        });
        goals.collect()
    }

    /// Makes the goals of an entry check.
    pub(super) fn of_check(&mut self, condition: ExprId, number: usize) -> Vec<Goal> {
        self.seen.clear();
        self.owed.clear();
        self.stored = None;
        self.visit(condition, Needed::Exact);
        let owed = std::mem::take(&mut self.owed);
        let goal = |claim| {
            let (what, place) = (Subject::EntryCheck(number), Place::default());
            Goal { stmt: None, what, place, claim }
        };
        owed.into_iter().filter(is_owed).map(goal).collect()
    }

    fn roots(&mut self, computed: &Computed) {
        self.seen.clear();
        self.owed.clear();
        let exprs = computed.exprs.as_slice();
        let is_value = computed.binds.is_none() && computed.role == Role::Value;
        self.stored = is_value.then(|| [computed.stmt].into());
        match (computed.binds, computed.role) {
            (Some((var, Binder::Let)), _) => {
                let [value] = *exprs else { return };
                if let Some(uses) = self.lets.get(&var).cloned() {
                    self.stored = uses.stored;
                    self.visit(value, uses.needed);
                } else {
                    // A let without uses decides nothing, but its elements are read.
                    self.stored = None;
                    self.elements(value);
                }
            }
            (Some((var, Binder::Loop)), _) => {
                for expr in exprs {
                    self.visit(*expr, Needed::Exact);
                }
                if let [min, extent] = *exprs {
                    let bits = self.widths.bits;
                    self.owed.push(Claim::End { var, min, extent, bits });
                }
            }
            // The product of the extents is computed and checked in 64 bits.
            (None, Role::Shape) => {
                for dim in exprs.chunks(3) {
                    dim.get(1).into_iter().for_each(|extent| self.visit(*extent, Needed::Exact));
                }
            }
            (None, Role::Index(buffer)) => {
                for index in exprs {
                    self.index(buffer, *index);
                }
            }
            (None, Role::Value | Role::Decides) => {
                for expr in exprs {
                    self.visit(*expr, Needed::Exact);
                }
            }
        }
    }

    fn index(&mut self, buffer: BufferId, index: ExprId) {
        let bits = self.widths.of(index);
        self.owed.push(Claim::Index { buffer, bits });
        self.visit(index, Needed::Modulo(bits));
    }

    /// Collects the claims that are owed for the places of the elements that an expression reads.
    fn elements(&mut self, expr: ExprId) {
        let pool = self.pool;
        let mut loads = Vec::new();
        pool.for_each_subexpr(expr, &mut |_, node| {
            // A number needs no arithmetic.
            if let Expr::Load { buffer, index, .. } = node
                && pool.as_constant(*index).is_none()
            {
                loads.push((*buffer, *index));
            }
        });
        for (buffer, index) in loads {
            self.index(buffer, index);
        }
    }

    /// Collects the claims that are owed for an expression's `int`s.
    fn visit(&mut self, expr: ExprId, needed: Needed) {
        let is_int = self.pool.ty(expr).scalar == Scalar::Int;
        let bits = self.widths.of(expr);
        let needed = match needed {
            Needed::Modulo(wide) if is_int && wide > bits => Needed::Exact,
            Needed::Modulo(_) | Needed::Exact => needed,
        };
        if !self.seen.insert((expr, needed, self.stored.clone())) {
            return;
        }
        let own = Claim::Fits { expr, bits, stored: self.stored.clone() };
        match *self.pool.get(expr) {
            Expr::Const(_) => {
                // A number that the compiler computed is as wide as the operator that it came from.
                if is_int && needed == Needed::Exact && self.widths.known.contains_key(&expr) {
                    self.owed.push(own);
                }
            }
            Expr::Var(var) => {
                let stored = &self.stored;
                let first = || Uses { needed, stored: stored.clone() };
                let uses = self.lets.entry(var).or_insert_with(first);
                uses.needed = uses.needed.both(needed);
                uses.stored = both_stores(uses.stored.take(), stored.as_ref());
            }
            Expr::Load { buffer, index, .. } => {
                // An element is read even if the value is not needed.
                let stored = self.stored.take();
                self.index(buffer, index);
                self.stored = stored;
            }
            Expr::Ref { .. } | Expr::Call(..) | Expr::Apply { .. } => {
                let node = self.pool.get(expr);
                let mut operands = Vec::new();
                node.for_each_operand(|operand| operands.push(operand));
                for operand in operands {
                    self.visit(operand, Needed::Exact);
                }
            }
            Expr::Cast(to, operand)
                if to.is_float()
                    && self.stored.is_some()
                    && self.pool.ty(operand).scalar == Scalar::Int =>
            {
                // Sums and products of stored values wrap, so only the whole must fit.
                let bits = self.widths.of(operand);
                self.visit(operand, Needed::Modulo(bits));
                self.owed.push(Claim::Fits { expr: operand, bits, stored: self.stored.clone() });
            }
            Expr::Cast(to, operand) => {
                let needed = match to {
                    Scalar::I8 | Scalar::U8 => Needed::Modulo(8),
                    Scalar::I16 | Scalar::U16 => Needed::Modulo(16),
                    Scalar::I32 | Scalar::U32 => Needed::Modulo(32),
                    Scalar::I64 | Scalar::U64 => Needed::Modulo(64),
                    Scalar::Bool | Scalar::Int | Scalar::F32 | Scalar::F64 => Needed::Exact,
                };
                self.visit(operand, needed);
            }
            Expr::Unary(op, operand) => {
                self.visit(operand, needed);
                if is_int && needed == Needed::Exact && matches!(op, UnaryOp::Neg(_)) {
                    self.owed.push(own);
                }
            }
            Expr::Binary(op, a, b) => {
                let (inner, owes) = match op {
                    BinaryOp::Add(_) | BinaryOp::Sub(_) | BinaryOp::Mul(_) => {
                        (needed, needed == Needed::Exact)
                    }
                    BinaryOp::Div => {
                        // The least number divided by -1 overflows.
                        let constant =
                            self.pool.as_constant(b).and_then(halidom_ir::Constant::as_integer);
                        (Needed::Exact, constant.is_none_or(|by| by == -1))
                    }
                    BinaryOp::Mod
                    | BinaryOp::Min
                    | BinaryOp::Max
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Shl
                    | BinaryOp::Shr
                    | BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge => (Needed::Exact, false),
                };
                self.visit(a, inner);
                self.visit(b, inner);
                // The operands' claims come first, because they make this one easier to show.
                if is_int && owes {
                    self.owed.push(own);
                }
            }
            Expr::Select { condition, if_true, if_false } => {
                self.visit(condition, Needed::Exact);
                self.visit(if_true, needed);
                self.visit(if_false, needed);
            }
            Expr::Ramp { base, stride, .. } => {
                self.visit(base, needed);
                self.visit(stride, needed);
                if is_int && needed == Needed::Exact {
                    self.owed.push(own);
                }
            }
            Expr::Broadcast { value, .. } => self.visit(value, needed),
            Expr::Shuffle { ref vectors, .. } => {
                vectors.iter().for_each(|vector| self.visit(*vector, Needed::Exact));
            }
            Expr::Hole(_) => {}
        }
    }
}

/// Tests whether a claim is about code, and not about a step of an exact operation.
fn is_owed(claim: &Claim) -> bool {
    if let Claim::Fits { expr: _, bits, stored: _ } = claim { *bits <= WIDEST } else { true }
}

/// The stores of both; `None` if something else depends on a value too.
fn both_stores(a: Option<Stores>, b: Option<&Stores>) -> Option<Stores> {
    let (a, b) = (a?, b?);
    let added: Vec<StmtId> = b.iter().filter(|stmt| !a.contains(stmt)).copied().collect();
    if added.is_empty() { Some(a) } else { Some(a.iter().copied().chain(added).collect()) }
}

fn goal(computed: &Computed, what: Subject, claim: Claim) -> Goal {
    let (stmt, place) = (Some(computed.stmt), computed.place.clone());
    Goal { stmt, what, place, claim }
}

fn loop_words(pool: &Pool, var: VarId) -> String {
    format!("loop over `{}`", pool.var(var).name)
}
