//! Vector forms of expressions.

use halidom_base::FxHashMap;
use halidom_ir::{Access, BinaryOp, Expr, ExprId, Pool, Scalar, UnaryOp, VarId};

use crate::lets::Lets;
use crate::{LowerError, index};

/// Makes the vector forms of expressions of one vectorized loop. An expression that is the same in
/// every lane keeps its scalar form.
pub(super) struct Lanes<'l> {
    count: u32,
    lets: &'l mut Lets,
    vectors: FxHashMap<VarId, ExprId>,
    /// Contains `None` for expressions that have no vector form. Binders are unique, so results
    /// stay right when variables are added.
    done: FxHashMap<ExprId, Option<ExprId>>,
}

impl<'l> Lanes<'l> {
    pub(super) fn new(count: u32, lets: &'l mut Lets) -> Self {
        Self { count, lets, vectors: FxHashMap::default(), done: FxHashMap::default() }
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Sets the vector that replaces a variable, before the first expression that mentions it.
    pub(super) fn bind(&mut self, var: VarId, vector: ExprId) {
        self.vectors.insert(var, vector);
    }

    /// Records the value of a scalar variable.
    pub(super) fn bind_scalar(&mut self, pool: &Pool, var: VarId, value: ExprId) {
        self.lets.bind(pool, var, value);
    }

    /// Returns the form of an expression: one lane if it is uniform, else `count` lanes. `None` if
    /// it is already a vector.
    pub(super) fn expr(
        &mut self,
        pool: &mut Pool,
        id: ExprId,
    ) -> Result<Option<ExprId>, LowerError> {
        if let Some(result) = self.done.get(&id) {
            return Ok(*result);
        }
        let result = self.make(pool, id)?;
        self.done.insert(id, result);
        Ok(result)
    }

    /// Returns the form of an expression that must be the same in every lane; `None` if it is not.
    pub(super) fn uniform(
        &mut self,
        pool: &mut Pool,
        id: ExprId,
    ) -> Result<Option<ExprId>, LowerError> {
        Ok(self.expr(pool, id)?.filter(|form| pool.ty(*form).lanes == 1))
    }

    /// Returns the forms of annotations, all of them with `count` lanes.
    pub(super) fn wide(
        &mut self,
        pool: &mut Pool,
        ids: &[ExprId],
    ) -> Result<Option<Box<[ExprId]>>, LowerError> {
        let mut forms = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(form) = self.expr(pool, *id)? else { return Ok(None) };
            forms.push(self.widen(pool, form));
        }
        Ok(Some(forms.into()))
    }

    /// Broadcasts a scalar to every lane; returns a vector as it is.
    pub(super) fn widen(&self, pool: &mut Pool, form: ExprId) -> ExprId {
        if pool.ty(form).lanes == 1 {
            pool.expr(Expr::Broadcast { value: form, lanes: self.count })
        } else {
            form
        }
    }

    /// Returns a ramp with `count` lanes.
    pub(super) fn ramp(&self, pool: &mut Pool, base: ExprId, stride: ExprId) -> ExprId {
        pool.expr(Expr::Ramp { base, stride, lanes: self.count })
    }

    /// Returns base and stride of a ramp.
    pub(super) fn as_ramp(pool: &Pool, form: ExprId) -> Option<(ExprId, ExprId)> {
        if let Expr::Ramp { base, stride, .. } = pool.get(form) {
            Some((*base, *stride))
        } else {
            None
        }
    }

    /// Returns base and stride of a ramp, of a broadcast or of a scalar.
    fn as_affine(pool: &mut Pool, form: ExprId) -> Option<(ExprId, ExprId)> {
        let base = match *pool.get(form) {
            Expr::Ramp { base, stride, .. } => return Some((base, stride)),
            Expr::Broadcast { value, .. } => value,
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_)
                if pool.ty(form).lanes == 1 =>
            {
                form
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
            | Expr::Load { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => return None,
        };
        Some((base, pool.int(0)))
    }

    fn make(&mut self, pool: &mut Pool, id: ExprId) -> Result<Option<ExprId>, LowerError> {
        let node = pool.get(id).clone();
        match node {
            Expr::Const(_) => Ok(Some(id)),
            Expr::Var(var) => match self.vectors.get(&var) {
                Some(vector) => Ok(Some(*vector)),
                None => Ok((pool.ty(id).lanes == 1).then_some(id)),
            },
            Expr::Unary(op, operand) => {
                let Some(operand) = self.expr(pool, operand)? else { return Ok(None) };
                Ok(Some(self.unary(pool, op, operand)))
            }
            Expr::Cast(scalar, operand) => {
                let Some(operand) = self.expr(pool, operand)? else { return Ok(None) };
                Ok(Some(pool.expr(Expr::Cast(scalar, operand))))
            }
            Expr::Call(intrinsic, operand) => {
                let Some(operand) = self.expr(pool, operand)? else { return Ok(None) };
                Ok(Some(pool.call(intrinsic, operand)))
            }
            Expr::Apply { .. } => Ok(None),
            Expr::Binary(op, lhs, rhs) => {
                let (Some(lhs), Some(rhs)) = (self.expr(pool, lhs)?, self.expr(pool, rhs)?) else {
                    return Ok(None);
                };
                Ok(Some(self.binary(pool, op, lhs, rhs)))
            }
            Expr::Select { condition, if_true, if_false } => {
                let (Some(condition), Some(if_true), Some(if_false)) = (
                    self.expr(pool, condition)?,
                    self.expr(pool, if_true)?,
                    self.expr(pool, if_false)?,
                ) else {
                    return Ok(None);
                };
                let [condition, if_true, if_false] =
                    self.level(pool, [condition, if_true, if_false]);
                Ok(Some(pool.select(condition, if_true, if_false)))
            }
            Expr::Load { buffer, index, access } => {
                let Some(index) = self.expr(pool, index)? else { return Ok(None) };
                if pool.ty(index).lanes == 1 {
                    return self.uniform_load(pool, id, index, access.as_ref());
                }
                let access = match access {
                    None => None,
                    Some(Access { func, coords }) => match self.wide(pool, &coords)? {
                        Some(coords) => Some(Access { func, coords }),
                        None => return Ok(None),
                    },
                };
                Ok(Some(pool.load(buffer, index, access)))
            }
            Expr::Ramp { .. } | Expr::Broadcast { .. } | Expr::Shuffle { .. } => Ok(None),
            Expr::Ref { .. } => Err(LowerError::NotFlattened),
            Expr::Hole(_) => Err(LowerError::Hole),
        }
    }

    /// Returns a load of one element by every lane. Its claim must be uniform too, or the claim's
    /// lanes make it a gather.
    fn uniform_load(
        &mut self,
        pool: &mut Pool,
        id: ExprId,
        index: ExprId,
        access: Option<&Access>,
    ) -> Result<Option<ExprId>, LowerError> {
        let Expr::Load { buffer, .. } = *pool.get(id) else { return Ok(None) };
        let Some(Access { func, coords }) = access else {
            return Ok(Some(pool.load(buffer, index, None)));
        };
        let mut forms = Vec::with_capacity(coords.len());
        for coord in coords {
            let Some(form) = self.expr(pool, *coord)? else { return Ok(None) };
            forms.push(form);
        }
        let varies = forms.iter().any(|form| pool.ty(*form).lanes > 1);
        let index = if varies { self.widen(pool, index) } else { index };
        if varies {
            for form in &mut forms {
                *form = self.widen(pool, *form);
            }
        }
        Ok(Some(pool.load(buffer, index, Some(Access { func: *func, coords: forms.into() }))))
    }

    /// Returns the forms with equal lanes.
    fn level<const N: usize>(&self, pool: &mut Pool, forms: [ExprId; N]) -> [ExprId; N] {
        if forms.iter().all(|form| pool.ty(*form).lanes == 1) {
            forms
        } else {
            forms.map(|form| self.widen(pool, form))
        }
    }

    fn unary(&self, pool: &mut Pool, op: UnaryOp, operand: ExprId) -> ExprId {
        if let (UnaryOp::Neg(_), Some((base, stride))) = (op, Self::as_ramp(pool, operand)) {
            let zero = pool.int(0);
            let (base, stride) = (index::sub(pool, zero, base), index::sub(pool, zero, stride));
            return self.ramp(pool, base, stride);
        }
        pool.unary(op, operand)
    }

    /// Returns an operator on equal lanes. A value that is affine in the lane stays a ramp, so that
    /// dense loads are recognised.
    fn binary(&mut self, pool: &mut Pool, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let vector = pool.ty(lhs).lanes > 1 || pool.ty(rhs).lanes > 1;
        if vector
            && pool.ty(lhs).scalar == Scalar::Int
            && let (Some(lhs), Some(rhs)) = (Self::as_affine(pool, lhs), Self::as_affine(pool, rhs))
            && let Some((base, stride)) = self.affine(pool, op, lhs, rhs)
        {
            return if index::as_int(pool, stride) == Some(0) {
                self.widen(pool, base)
            } else {
                self.ramp(pool, base, stride)
            };
        }
        let [lhs, rhs] = self.level(pool, [lhs, rhs]);
        pool.binary(op, lhs, rhs)
    }

    /// Returns base and stride of an operator on ramps if the result is a ramp: exactly, because
    /// `int` has no width.
    fn affine(
        &mut self,
        pool: &mut Pool,
        op: BinaryOp,
        (base_l, stride_l): (ExprId, ExprId),
        (base_r, stride_r): (ExprId, ExprId),
    ) -> Option<(ExprId, ExprId)> {
        let uniform_l = index::as_int(pool, stride_l) == Some(0);
        let uniform_r = index::as_int(pool, stride_r) == Some(0);
        match op {
            BinaryOp::Add(_) => {
                Some((index::add(pool, base_l, base_r), index::add(pool, stride_l, stride_r)))
            }
            BinaryOp::Sub(_) => {
                Some((index::sub(pool, base_l, base_r), index::sub(pool, stride_l, stride_r)))
            }
            BinaryOp::Mul(_) if uniform_r => {
                Some((index::mul(pool, base_l, base_r), index::mul(pool, stride_l, base_r)))
            }
            BinaryOp::Mul(_) if uniform_l => {
                Some((index::mul(pool, base_l, base_r), index::mul(pool, base_l, stride_r)))
            }
            // Parallel lines do not cross.
            BinaryOp::Min | BinaryOp::Max if stride_l == stride_r => {
                Some((pool.binary(op, base_l, base_r), stride_l))
            }
            // Adding a multiple of the divisor changes the quotient by the factor and preserves the
            // remainder.
            BinaryOp::Div | BinaryOp::Mod if uniform_r => {
                let (step, divisor) =
                    (index::as_int(pool, stride_l)?, index::as_int(pool, base_r)?);
                if divisor == 0 || step.checked_rem(divisor)? != 0 {
                    // No lane reaches the next multiple.
                    let reach = step.checked_mul(i128::from(self.count) - 1)?;
                    let stays = step > 0
                        && divisor > 0
                        && self.lets.stays_below(pool, base_l, divisor, reach);
                    let step = if op == BinaryOp::Div { 0 } else { step };
                    return stays.then(|| (pool.binary(op, base_l, base_r), pool.int(step)));
                }
                let factor = if op == BinaryOp::Div { step.checked_div(divisor)? } else { 0 };
                Some((pool.binary(op, base_l, base_r), pool.int(factor)))
            }
            BinaryOp::Mul(_)
            | BinaryOp::Div
            | BinaryOp::Mod
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
            | BinaryOp::Ge => None,
        }
    }

    /// Returns a scalar condition that holds exactly where a vector condition holds in every lane:
    /// comparisons of ramps with constant strides are monotone in the lane, so one lane decides.
    /// `None` for other conditions.
    pub(super) fn holds_in_all(&self, pool: &mut Pool, condition: ExprId) -> Option<ExprId> {
        match *pool.get(condition) {
            Expr::Broadcast { value, .. } => Some(value),
            Expr::Binary(BinaryOp::And, lhs, rhs) => {
                let (lhs, rhs) = (self.holds_in_all(pool, lhs)?, self.holds_in_all(pool, rhs)?);
                Some(pool.binary(BinaryOp::And, lhs, rhs))
            }
            Expr::Binary(op, lhs, rhs) => {
                if pool.ty(lhs).scalar != Scalar::Int {
                    return None;
                }
                let (base_l, stride_l) = Self::as_affine(pool, lhs)?;
                let (base_r, stride_r) = Self::as_affine(pool, rhs)?;
                let slope =
                    index::as_int(pool, stride_l)?.checked_sub(index::as_int(pool, stride_r)?)?;
                // The lane in which `lhs - rhs` is greatest is the hardest for `<`, the easiest for
                // `>`.
                let last_is_hardest = match op {
                    BinaryOp::Lt | BinaryOp::Le => slope > 0,
                    BinaryOp::Gt | BinaryOp::Ge => slope < 0,
                    BinaryOp::Eq | BinaryOp::Ne if slope == 0 => false,
                    BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Add(_)
                    | BinaryOp::Sub(_)
                    | BinaryOp::Mul(_)
                    | BinaryOp::Div
                    | BinaryOp::Mod
                    | BinaryOp::Min
                    | BinaryOp::Max
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Shl
                    | BinaryOp::Shr => return None,
                };
                let lane = pool.int(if last_is_hardest { i128::from(self.count) - 1 } else { 0 });
                let [lhs, rhs] = [(base_l, stride_l), (base_r, stride_r)].map(|(base, stride)| {
                    let offset = index::mul(pool, stride, lane);
                    index::add(pool, base, offset)
                });
                Some(pool.binary(op, lhs, rhs))
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => None,
        }
    }
}
