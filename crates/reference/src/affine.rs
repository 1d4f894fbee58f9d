//! The types 𝔸 and 𝔹: integer expressions as quasi-affine functions, conditions as sets
//! (TV Fig. 2).
//!
//! Expressions of type `int` first become polynomials ([`Polynomial`]). Sums and products are
//! multiplied out, so an expression that is affine only after that still counts as affine.
//! [`Affine::function`] gives the function of a polynomial, [`Affine::condition`] the set of a
//! condition. An expression that fits neither is a [`Gap`].
//!
//! # Correctness
//! A variable bound by `let` is replaced by its value (S-LET). A vector is read as the value of one
//! lane: `ramp(b, s, n)` is `b + s·lane`, `broadcast(v, n)` is `v`, and every other operator acts
//! lane by lane, so nothing else depends on the lane (TV §5.2: vectors are parallel loops with an
//! explicit index). Quotients are Euclidean; for a positive divisor they are rounded down.

use halidom_base::{FxHashMap, Interner};
use halidom_ir::{BinaryOp, Expr, ExprId, Intrinsic, Pool, Scalar, UnaryOp, VarId};
use halidom_poly::{Context, Dim, Function, Set};

use crate::polynomial::{AtomId, Polynomial};
use crate::premise::Gap;

/// The value that a variable is bound to.
#[derive(Clone)]
pub(crate) enum Binding {
    /// An integer.
    Int(Polynomial),
    /// A condition.
    Bool(Set),
}

/// A subexpression that polynomials treat as opaque: a dim, or an operation that is not a sum,
/// difference or product.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Atom {
    Dim(Dim),
    Min(Polynomial, Polynomial),
    Max(Polynomial, Polynomial),
    /// A quotient by a positive number, rounded down.
    Div(Polynomial, i64),
    Select(ExprId, Polynomial, Polynomial),
}

/// The integer expressions and conditions of one program and its algorithm. Every variable is bound
/// once, so an expression has the same meaning at every place.
pub(crate) struct Affine {
    pub(crate) context: Context,
    /// The lane of every vector.
    pub(crate) lane: Dim,
    atoms: Interner<AtomId, Atom>,
    bindings: FxHashMap<VarId, Binding>,
    polynomials: FxHashMap<ExprId, Polynomial>,
    functions: FxHashMap<AtomId, Function>,
    conditions: FxHashMap<ExprId, Set>,
}

fn not_affine(what: &str) -> Gap {
    Gap::new(format!("{what} is not quasi-affine"))
}

fn too_large() -> Gap {
    Gap::new("a polynomial is too large")
}

impl Affine {
    pub(crate) fn new(context: Context) -> Self {
        let lane = context.dim("lane");
        Self {
            context,
            lane,
            atoms: Interner::new(),
            bindings: FxHashMap::default(),
            polynomials: FxHashMap::default(),
            functions: FxHashMap::default(),
            conditions: FxHashMap::default(),
        }
    }

    /// Binds a variable. It is mentioned only within its scope, so it may be bound more than once.
    pub(crate) fn bind(&mut self, var: VarId, binding: Binding) {
        self.bindings.insert(var, binding);
    }

    /// True if a variable is bound.
    pub(crate) fn is_bound(&self, var: VarId) -> bool {
        self.bindings.contains_key(&var)
    }

    /// Binds a variable to a dim.
    pub(crate) fn bind_dim(&mut self, var: VarId, dim: Dim) {
        let value = self.dim(dim);
        self.bind(var, Binding::Int(value));
    }

    /// T-VAR.
    pub(crate) fn dim(&mut self, dim: Dim) -> Polynomial {
        self.atom(Atom::Dim(dim))
    }

    fn atom(&mut self, atom: Atom) -> Polynomial {
        Polynomial::atom(self.atoms.intern(atom).0)
    }

    /// The judgement `Γ ⊢ e : 𝔸`, except that it accepts products of variables; only
    /// [`Affine::function`] rejects these.
    pub(crate) fn int(&mut self, pool: &Pool, expr: ExprId) -> Result<Polynomial, Gap> {
        if let Some(known) = self.polynomials.get(&expr) {
            return Ok(known.clone());
        }
        let made = self.make(pool, expr)?;
        self.polynomials.insert(expr, made.clone());
        Ok(made)
    }

    /// The judgement for several expressions.
    pub(crate) fn ints(&mut self, pool: &Pool, exprs: &[ExprId]) -> Result<Vec<Polynomial>, Gap> {
        exprs.iter().map(|expr| self.int(pool, *expr)).collect()
    }

    fn make(&mut self, pool: &Pool, expr: ExprId) -> Result<Polynomial, Gap> {
        if pool.ty(expr).scalar != Scalar::Int {
            return Err(not_affine("an index that depends on data"));
        }
        match pool.get(expr) {
            // T-INT.
            Expr::Const(constant) => {
                constant.as_integer().map(Polynomial::constant).ok_or_else(too_large)
            }
            Expr::Var(var) => match self.bindings.get(var) {
                Some(Binding::Int(value)) => Ok(value.clone()),
                Some(Binding::Bool(_)) | None => {
                    Err(not_affine(&format!("`{}`", pool.var(*var).name)))
                }
            },
            Expr::Unary(UnaryOp::Neg(_), operand) => {
                let operand = self.int(pool, *operand)?;
                Polynomial::default().plus(-1, &operand).ok_or_else(too_large)
            }
            Expr::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (self.int(pool, *lhs)?, self.int(pool, *rhs)?);
                self.binary(*op, &lhs, &rhs)
            }
            // T-SELECT.
            Expr::Select { condition, if_true, if_false } => {
                self.condition(pool, *condition)?;
                let (if_true, if_false) = (self.int(pool, *if_true)?, self.int(pool, *if_false)?);
                Ok(self.atom(Atom::Select(*condition, if_true, if_false)))
            }
            Expr::Cast(_, operand) => {
                match pool.as_constant(*operand).filter(|found| !found.scalar().is_float()) {
                    Some(constant) => {
                        constant.as_integer().map(Polynomial::constant).ok_or_else(too_large)
                    }
                    None => Err(not_affine("an index that depends on data")),
                }
            }
            Expr::Call(Intrinsic::Abs, operand) => {
                let operand = self.int(pool, *operand)?;
                let negated = Polynomial::default().plus(-1, &operand).ok_or_else(too_large)?;
                self.binary(BinaryOp::Max, &operand, &negated)
            }
            Expr::Ramp { base, stride, .. } => {
                let (base, stride) = (self.int(pool, *base)?, self.int(pool, *stride)?);
                let lane = self.dim(self.lane);
                let step = stride.times(&lane).ok_or_else(too_large)?;
                base.plus(1, &step).ok_or_else(too_large)
            }
            Expr::Broadcast { value, .. } => self.int(pool, *value),
            Expr::Load { .. } | Expr::Ref { .. } => Err(not_affine("an index that is read")),
            Expr::Unary(UnaryOp::Not, _)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => Err(not_affine("an operation")),
        }
    }

    /// T-ADD, T-MUL, T-DIV, T-MOD; also minima and maxima, which TV expresses with `select`.
    fn binary(
        &mut self,
        op: BinaryOp,
        lhs: &Polynomial,
        rhs: &Polynomial,
    ) -> Result<Polynomial, Gap> {
        match op {
            BinaryOp::Add(_) => lhs.plus(1, rhs).ok_or_else(too_large),
            BinaryOp::Sub(_) => lhs.plus(-1, rhs).ok_or_else(too_large),
            BinaryOp::Mul(_) => lhs.times(rhs).ok_or_else(too_large),
            BinaryOp::Div => self.quotient(lhs, rhs),
            BinaryOp::Mod => {
                let quotient = self.quotient(lhs, rhs)?;
                let multiple = quotient.times(rhs).ok_or_else(too_large)?;
                lhs.plus(-1, &multiple).ok_or_else(too_large)
            }
            BinaryOp::Min | BinaryOp::Max => {
                let difference = lhs.plus(-1, rhs).ok_or_else(too_large)?;
                let (less, greater) = match difference.as_constant() {
                    Some(0..) => (rhs, lhs),
                    Some(_) => (lhs, rhs),
                    None if op == BinaryOp::Min => {
                        return Ok(self.atom(Atom::Min(lhs.min(rhs).clone(), lhs.max(rhs).clone())));
                    }
                    None => {
                        return Ok(self.atom(Atom::Max(lhs.min(rhs).clone(), lhs.max(rhs).clone())));
                    }
                };
                Ok(if op == BinaryOp::Min { less.clone() } else { greater.clone() })
            }
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => Err(not_affine("an operation")),
        }
    }

    /// The quotient, by the law `⌊(n·q + r) / n⌋ = q + ⌊r / n⌋`.
    pub(crate) fn quotient(
        &mut self,
        dividend: &Polynomial,
        divisor: &Polynomial,
    ) -> Result<Polynomial, Gap> {
        let divisor = divisor.as_constant().and_then(|divisor| i64::try_from(divisor).ok());
        let Some(divisor) = divisor.filter(|divisor| *divisor > 0) else {
            return Err(not_affine("a quotient by what is no positive number"));
        };
        let (quotient, rest) = dividend.split(divisor.into());
        // Coefficients of the rest lie in `0..divisor`, so a constant rest is less than the
        // divisor.
        if rest.as_constant().is_some() {
            return Ok(quotient);
        }
        let atom = self.atom(Atom::Div(rest, divisor));
        quotient.plus(1, &atom).ok_or_else(too_large)
    }

    /// The quasi-affine function that a polynomial denotes.
    pub(crate) fn function(&mut self, value: &Polynomial) -> Result<Function, Gap> {
        let Some((constant, terms)) = value.as_linear() else {
            return Err(not_affine("a product of variables"));
        };
        let small = |value: i128| i64::try_from(value).map_err(|_| too_large());
        let mut sum = Function::constant(&self.context, small(constant)?)?;
        for (atom, factor) in terms {
            let function = self.function_of_atom(atom)?;
            sum = sum.add(&function.scale(small(factor)?)?)?;
        }
        Ok(sum)
    }

    fn function_of_atom(&mut self, atom: AtomId) -> Result<Function, Gap> {
        if let Some(known) = self.functions.get(&atom) {
            return Ok(known.clone());
        }
        let function = match self.atoms[atom].clone() {
            Atom::Dim(dim) => Function::dim(&self.context, dim)?,
            Atom::Min(lhs, rhs) => self.function(&lhs)?.min(&self.function(&rhs)?)?,
            Atom::Max(lhs, rhs) => self.function(&lhs)?.max(&self.function(&rhs)?)?,
            Atom::Div(dividend, divisor) => self.function(&dividend)?.floor_div(divisor)?,
            Atom::Select(condition, if_true, if_false) => {
                let condition = self.conditions.get(&condition).cloned();
                let condition = condition.ok_or_else(|| not_affine("a condition"))?;
                let (if_true, if_false) = (self.function(&if_true)?, self.function(&if_false)?);
                Function::select(&condition, &if_true, &if_false)?
            }
        };
        let function = function.coalesce()?;
        self.functions.insert(atom, function.clone());
        Ok(function)
    }

    /// The points where two integers are equal.
    pub(crate) fn equal(&mut self, lhs: &Polynomial, rhs: &Polynomial) -> Result<Set, Gap> {
        let difference = lhs.plus(-1, rhs).ok_or_else(too_large)?;
        self.zero(&difference)
    }

    /// The points where an integer is 0.
    pub(crate) fn zero(&mut self, value: &Polynomial) -> Result<Set, Gap> {
        let zero = Function::constant(&self.context, 0)?;
        Ok(self.function(value)?.equal(&zero)?)
    }

    /// The points where `lhs <= rhs`.
    pub(crate) fn at_most(&mut self, lhs: &Polynomial, rhs: &Polynomial) -> Result<Set, Gap> {
        let difference = rhs.plus(-1, lhs).ok_or_else(too_large)?;
        let zero = Function::constant(&self.context, 0)?;
        Ok(self.function(&difference)?.ge(&zero)?)
    }

    /// The points where `min <= value < min + extent`.
    pub(crate) fn within(
        &mut self,
        value: &Polynomial,
        min: &Polynomial,
        extent: &Polynomial,
    ) -> Result<Set, Gap> {
        let last = min.plus(1, extent).and_then(|end| end.plus(-1, &Polynomial::constant(1)));
        let above = self.at_most(min, value)?;
        let below = self.at_most(value, &last.ok_or_else(too_large)?)?;
        Ok(above.intersect(&below)?)
    }

    /// The points where `first < second`.
    pub(crate) fn before(&mut self, first: Dim, second: Dim) -> Result<Set, Gap> {
        let [first, second] = [first, second].map(|dim| Function::dim(&self.context, dim));
        Ok(first?.lt(&second?)?)
    }

    /// The points where two dims are equal.
    pub(crate) fn same(&mut self, one: Dim, other: Dim) -> Result<Set, Gap> {
        let [one, other] = [one, other].map(|dim| Function::dim(&self.context, dim));
        Ok(one?.equal(&other?)?)
    }

    /// The judgement `Γ ⊢ e : 𝔹`: T-BOOL, T-CMP, T-AND, T-NOT.
    pub(crate) fn condition(&mut self, pool: &Pool, expr: ExprId) -> Result<Set, Gap> {
        if let Some(known) = self.conditions.get(&expr) {
            return Ok(known.clone());
        }
        let set = self.make_condition(pool, expr)?;
        self.conditions.insert(expr, set.clone());
        Ok(set)
    }

    fn make_condition(&mut self, pool: &Pool, expr: ExprId) -> Result<Set, Gap> {
        let data = || not_affine("a condition that depends on data");
        if pool.ty(expr).scalar != Scalar::Bool {
            return Err(data());
        }
        match pool.get(expr) {
            Expr::Const(constant) => match constant.as_bool() {
                Some(true) => Ok(Set::universe(&self.context)?),
                Some(false) => Ok(Set::empty(&self.context)?),
                None => Err(data()),
            },
            Expr::Var(var) => match self.bindings.get(var) {
                Some(Binding::Bool(set)) => Ok(set.clone()),
                Some(Binding::Int(_)) | None => Err(data()),
            },
            Expr::Unary(UnaryOp::Not, operand) => {
                Ok(self.condition(pool, *operand)?.complement()?)
            }
            Expr::Binary(BinaryOp::And, lhs, rhs) => {
                Ok(self.condition(pool, *lhs)?.intersect(&self.condition(pool, *rhs)?)?)
            }
            Expr::Binary(BinaryOp::Or, lhs, rhs) => {
                Ok(self.condition(pool, *lhs)?.union(&self.condition(pool, *rhs)?)?)
            }
            Expr::Binary(op, lhs, rhs) if pool.ty(*lhs).scalar == Scalar::Int => {
                let (lhs, rhs) = (self.int(pool, *lhs)?, self.int(pool, *rhs)?);
                if op.is_comparison() { self.comparison(*op, &lhs, &rhs) } else { Err(data()) }
            }
            Expr::Broadcast { value, .. } => self.condition(pool, *value),
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => Err(data()),
        }
    }

    fn comparison(&mut self, op: BinaryOp, lhs: &Polynomial, rhs: &Polynomial) -> Result<Set, Gap> {
        if op == BinaryOp::Eq {
            self.equal(lhs, rhs)
        } else if op == BinaryOp::Ne {
            Ok(self.equal(lhs, rhs)?.complement()?)
        } else if op == BinaryOp::Le {
            self.at_most(lhs, rhs)
        } else if op == BinaryOp::Ge {
            self.at_most(rhs, lhs)
        } else if op == BinaryOp::Lt {
            Ok(self.at_most(rhs, lhs)?.complement()?)
        } else if op == BinaryOp::Gt {
            Ok(self.at_most(lhs, rhs)?.complement()?)
        } else {
            Err(not_affine("an operation"))
        }
    }
}
