//! Vector loads and stores. A load has a form, which the index and the buffer decide; each form is
//! one helper function.

use halidom_ir::{
    BufferId, Constant, Expr, ExprId, Pool, Scalar, StoreIn, Type, interleaved_lanes,
};
use halidom_lower::patterns::{Places, Repeated, repeated};
use halidom_prelude::helpers::Helper;
use halidom_prelude::operators::{Few, VectorOp};

use crate::EmitError;
use crate::c::tree::{CExpr, CUnary};
use crate::emit::translate::Translator;

/// The form of a vector load.
enum Form {
    /// One element in every lane.
    Splat(ExprId),
    /// Consecutive elements.
    Dense(ExprId),
    /// Consecutive elements, the last one first.
    Reversed(ExprId),
    /// Elements at a constant distance, each loaded by itself.
    Strided(ExprId, ExprId),
    /// Elements that occur several times in a row.
    Repeated(Few, Repeated),
    /// Elements at any places.
    Gathered,
}

impl Translator<'_> {
    /// Returns the form of a load.
    fn form(&self, index: ExprId) -> Form {
        let pool = self.pool;
        if let Some(repeated) = repeated(pool, index)
            && let Some(times) = Few::of(repeated.times.into())
        {
            return Form::Repeated(times, repeated);
        }
        match *pool.get(index) {
            Expr::Ramp { base, stride, .. } => {
                match pool.as_constant(stride).and_then(Constant::as_integer) {
                    Some(1) => Form::Dense(base),
                    Some(-1) => Form::Reversed(base),
                    Some(_) | None => Form::Strided(base, stride),
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
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => Form::Gathered,
        }
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
        let (helper, arguments) = match self.form(index) {
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
            Form::Gathered => {
                let places = Places::of(self.pool, index);
                let mut arguments = vec![memory];
                if let Some(offset) = places.offset {
                    arguments.push(self.scalar(offset)?);
                }
                arguments.push(self.vector(places.vector)?);
                let op = match (places.is_narrow, places.offset) {
                    (true, None) => VectorOp::GatherNarrow,
                    (true, Some(_)) => VectorOp::GatherNarrowAt,
                    (false, None) => VectorOp::Gather,
                    (false, Some(_)) => VectorOp::GatherAt,
                };
                (vector(op), arguments)
            }
        };
        Ok(self.help(helper, arguments))
    }

    /// Returns the call that writes a vector.
    pub(crate) fn vector_store(
        &mut self,
        buffer: BufferId,
        index: ExprId,
        value: ExprId,
    ) -> Result<CExpr, EmitError> {
        let pool = self.pool;
        if let Expr::Ramp { base, stride, .. } = *pool.get(index)
            && is_one(pool.as_constant(stride))
            && let Some((count, vectors)) = row(pool, value)
        {
            return self.row_store(buffer, base, (count, vectors));
        }
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
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => (VectorOp::Scatter, vec![memory, self.vector(index)?]),
        };
        let scalar = memory_scalar(ty.scalar);
        arguments.push(self.stored(value)?);
        Ok(self.help(Helper::Vector(op, scalar, ty.lanes), arguments))
    }

    /// Returns the call that writes several interleaved vectors.
    fn row_store(
        &mut self,
        buffer: BufferId,
        base: ExprId,
        (count, vectors): (Few, &[ExprId]),
    ) -> Result<CExpr, EmitError> {
        let memory = CExpr::Name(self.buffer_name(buffer)?);
        let mut arguments = vec![address_of(memory, self.scalar(base)?)];
        for vector in vectors {
            arguments.push(self.stored(*vector)?);
        }
        let op = if self.pool.buffer(buffer).store_in == StoreIn::Stream {
            VectorOp::StreamInterleaved(count)
        } else {
            VectorOp::StoreInterleaved(count)
        };
        let ty = vectors.first().map_or(Type::INT, |vector| self.pool.ty(*vector));
        Ok(self.help(Helper::Vector(op, memory_scalar(ty.scalar), ty.lanes), arguments))
    }
}

/// Returns the vectors that a shuffle interleaves.
fn row(pool: &Pool, value: ExprId) -> Option<(Few, &[ExprId])> {
    let Expr::Shuffle { vectors, lanes } = pool.get(value) else { return None };
    let count = Few::of(i128::try_from(vectors.len()).ok()?)?;
    let row = interleaved_lanes(count.count(), pool.ty(*vectors.first()?).lanes);
    (*lanes == row).then_some((count, vectors))
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
