//! Vector loads and stores. A load has a form, which the index and the buffer decide; each form is
//! one helper function.

use halidom_ir::{BufferId, Constant, Expr, ExprId, Scalar, StoreIn, Type};
use halidom_lower::patterns::{Repeated, Strided, apart, repeated};
use halidom_prelude::helpers::Helper;
use halidom_prelude::operators::{Few, VectorOp};

use crate::EmitError;
use crate::c::tree::{CBinary, CExpr, CUnary};
use crate::emit::scalar::literal;
use crate::emit::translate::Translator;

/// The form of a vector load.
enum Form {
    /// One element in every lane.
    Splat(ExprId),
    /// Consecutive elements.
    Dense(ExprId),
    /// Consecutive elements, the last one first.
    Reversed(ExprId),
    /// Every second, third or fourth element. The elements in between are loaded too.
    Every(Few, ExprId),
    /// Elements at a constant distance, each loaded by itself.
    Strided(ExprId, ExprId),
    /// Elements that occur several times in a row.
    Repeated(Few, Repeated),
    /// Consecutive elements, taken from two vectors at multiples of their length. The first of
    /// these vectors begins this number of elements before the base.
    Joined(u32, ExprId),
    /// Elements at any places.
    Gathered,
}

impl Translator<'_> {
    /// Chooses the form of a load. Forms that load more elements than the lanes take are chosen
    /// only if no other thread may write these elements meanwhile.
    fn form(&mut self, buffer: BufferId, index: ExprId) -> Form {
        let pool = self.pool;
        if let Some(repeated) = repeated(pool, index)
            && let Some(times) = Few::of(repeated.times.into())
        {
            return Form::Repeated(times, repeated);
        }
        match *pool.get(index) {
            Expr::Ramp { base, stride, lanes } => {
                let step = pool.as_constant(stride).and_then(Constant::as_integer);
                let few = step
                    .and_then(Few::of)
                    .filter(|step| lanes + 1 >= step.count() && !self.is_shared(buffer));
                match (step, few) {
                    (Some(1), _) => match self.lane_of_join(buffer, base, lanes) {
                        Some(lane) => Form::Joined(lane, base),
                        None => Form::Dense(base),
                    },
                    (Some(-1), _) => Form::Reversed(base),
                    (_, Some(step)) => Form::Every(step, base),
                    (_, None) => Form::Strided(base, stride),
                }
            }
            Expr::Broadcast { value, .. } => Form::Splat(value),
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Hole(_) => Form::Gathered,
        }
    }

    /// Returns the lane at which a dense load begins in the vector at the multiple of the length
    /// before it, if the load is to be joined of two. This requires that a directive asks for it,
    /// that both vectors are known to lie within the buffer's own memory, and that nobody else
    /// writes this memory meanwhile.
    fn lane_of_join(&mut self, buffer: BufferId, base: ExprId, lanes: u32) -> Option<u32> {
        let pool = self.pool;
        if !pool.buffer(buffer).realigned || self.is_shared(buffer) {
            return None;
        }
        let lane = u32::try_from(self.residues.of(pool, base, lanes.into())?).ok()?;
        (lane > 0 && self.residues.holds_whole(pool, buffer, lanes)).then_some(lane)
    }

    /// Loads elements of a buffer. Elements of a `bool` buffer are loaded as bytes.
    pub(crate) fn vector_load(
        &mut self,
        buffer: BufferId,
        index: ExprId,
    ) -> Result<CExpr, EmitError> {
        let lanes = self.pool.ty(index).lanes;
        let scalar = memory_scalar(self.pool.buffer(buffer).scalar);
        self.vector_type(Type { scalar, lanes })?;
        let memory = CExpr::Name(self.buffer_name(buffer)?);
        let vector = |op| Helper::Vector(op, scalar, lanes);
        let (helper, arguments) = match self.form(buffer, index) {
            Form::Splat(place) => {
                let element = CExpr::index(memory, self.scalar(place)?);
                (vector(VectorOp::Broadcast), vec![element])
            }
            Form::Dense(base) => {
                (vector(VectorOp::Load), vec![address_of(memory, self.scalar(base)?)])
            }
            Form::Reversed(base) => {
                (vector(VectorOp::LoadReversed), vec![address_of(memory, self.scalar(base)?)])
            }
            Form::Every(step, base) => {
                (vector(VectorOp::LoadEvery(step)), vec![address_of(memory, self.scalar(base)?)])
            }
            Form::Strided(base, stride) => {
                let address = address_of(memory, self.scalar(base)?);
                (vector(VectorOp::LoadStrided), vec![address, self.scalar(stride)?])
            }
            Form::Repeated(times, Repeated { base, times: _, offset }) => {
                let offset = match offset {
                    Some(offset) => self.scalar(offset)?,
                    None => CExpr::literal("0"),
                };
                (vector(VectorOp::LoadRepeated(times)), vec![memory, offset, self.scalar(base)?])
            }
            Form::Joined(lane, base) => {
                let first = self.before(base, lane)?;
                (Helper::LoadAt(scalar, lanes, lane), vec![address_of(memory, first)])
            }
            Form::Gathered => (vector(VectorOp::Gather), vec![memory, self.vector(index)?]),
        };
        Ok(self.help(helper, arguments))
    }

    /// Returns the place that is this number of elements before another one.
    fn before(&mut self, base: ExprId, distance: u32) -> Result<CExpr, EmitError> {
        let (root, offset) = apart(self.pool, base);
        let rest = offset - i128::from(distance);
        match root {
            Some(root) if rest == 0 => self.scalar(root),
            Some(root) => {
                let root = self.scalar(root)?;
                Ok(CExpr::binary(CBinary::Add, root, literal(Constant::int(rest))?))
            }
            None => literal(Constant::int(rest)),
        }
    }

    /// Returns the call that writes a vector.
    pub(crate) fn vector_store(
        &mut self,
        buffer: BufferId,
        index: ExprId,
        value: ExprId,
    ) -> Result<CExpr, EmitError> {
        let pool = self.pool;
        let ty = pool.ty(value);
        let memory = CExpr::Name(self.buffer_name(buffer)?);
        let (op, mut arguments) = match pool.get(index) {
            Expr::Ramp { base, stride, .. } => {
                let address = address_of(memory, self.scalar(*base)?);
                if is_one(pool.as_constant(*stride)) {
                    let streams = pool.buffer(buffer).store_in == StoreIn::Stream;
                    let op = if streams { VectorOp::Stream } else { VectorOp::Store };
                    (op, vec![address])
                } else {
                    (VectorOp::StoreStrided, vec![address, self.scalar(*stride)?])
                }
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Broadcast { .. }
            | Expr::Hole(_) => (VectorOp::Scatter, vec![memory, self.vector(index)?]),
        };
        let scalar = memory_scalar(ty.scalar);
        arguments.push(self.stored(value)?);
        Ok(self.help(Helper::Vector(op, scalar, ty.lanes), arguments))
    }

    /// Returns the call that writes several interleaved vectors.
    pub(crate) fn row_store(&mut self, row: &[Strided]) -> Result<CExpr, EmitError> {
        let Some(first) = row.first() else { return Err(EmitError::NotFinal("a row of nothing")) };
        let Some(count) = Few::of(first.step.into()) else {
            return Err(EmitError::NotFinal("a row of more than four stores"));
        };
        let memory = CExpr::Name(self.buffer_name(first.buffer)?);
        let mut arguments = vec![address_of(memory, self.scalar(first.base)?)];
        for store in row {
            arguments.push(self.stored(store.value)?);
        }
        let op = if first.streams(self.pool) {
            VectorOp::StreamInterleaved(count)
        } else {
            VectorOp::StoreInterleaved(count)
        };
        let scalar = memory_scalar(self.pool.ty(first.value).scalar);
        Ok(self.help(Helper::Vector(op, scalar, first.lanes), arguments))
    }
}

fn address_of(memory: CExpr, index: CExpr) -> CExpr {
    CExpr::unary(CUnary::Address, CExpr::index(memory, index))
}

fn is_one(constant: Option<Constant>) -> bool {
    constant.and_then(Constant::as_integer) == Some(1)
}

/// Returns the type of a buffer's elements in C.
fn memory_scalar(scalar: Scalar) -> Scalar {
    if scalar == Scalar::Bool { Scalar::U8 } else { scalar }
}
