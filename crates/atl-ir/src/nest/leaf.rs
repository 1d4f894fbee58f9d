//! Zero-dimensional parts: stores.

use halidom_atl::term::{Compare, Index, Node, Pred, Term};
use halidom_ir::{BinaryOp, ExprId, Stmt, StmtId};

use super::{Destination, Nest, Place, Result};
use crate::error::LowerError;
use crate::funcs::without_guards;
use crate::limits::decided;
use crate::{indices, points, scalars};

/// The reasons for which a scalar cannot be written as one expression.
enum Stuck {
    /// A read is in range only where this holds.
    Branch(Pred),
    Failed(LowerError),
}

impl From<LowerError> for Stuck {
    fn from(error: LowerError) -> Self {
        Self::Failed(error)
    }
}

impl Nest<'_> {
    /// Makes a store of a scalar.
    pub(super) fn leaf(&mut self, term: &Term, to: &Destination, place: &Place) -> Result<StmtId> {
        let limits = to.limits.iter().cloned().map(|(c, a, b)| Pred::Compare(c, a, b));
        let inner = limits.fold(place.clone(), |place, limit| place.knowing(limit));
        let stored = self.store(term, to, &inner)?;
        self.limit(&to.limits, stored, place)
    }

    fn store(&mut self, term: &Term, to: &Destination, place: &Place) -> Result<StmtId> {
        if let Some(total) = to.total.clone() {
            let (preds, core) = if scalars::exact(self.funcs.element) {
                without_guards(term)
            } else if let Node::Guard(pred, body) = &**term {
                (vec![pred.clone()], Term::clone(body))
            } else {
                (Vec::new(), Term::clone(term))
            };
            if let Some(pred) = preds.into_iter().reduce(Pred::and) {
                return self.guard(&pred, &core, to, place);
            }
            let coords = self.coords(to, place)?;
            let meaning = self.funcs.element(&core, &place.indices, &place.context)?;
            let point = points::point(&mut self.funcs, &total, &coords, meaning);
            return self.branch(&core, place, &mut |nest, value| {
                let before = nest.pool().func_ref(total.func, 0, coords.clone());
                let element = nest.funcs.element;
                let value = scalars::add(nest.pool(), element, before, value);
                nest.provide(to, coords.clone(), value, point.clone())
            });
        }
        let coords = self.coords(to, place)?;
        self.branch(term, place, &mut |nest, value| {
            nest.provide(to, coords.clone(), value, Vec::new())
        })
    }

    /// Makes a statement with the value of a scalar: a single one, or one for each case of the
    /// guards under which something is read that may not be read elsewhere.
    fn branch(
        &mut self,
        term: &Term,
        place: &Place,
        with: &mut dyn FnMut(&mut Self, ExprId) -> StmtId,
    ) -> Result<StmtId> {
        match self.scalar(term, place, false) {
            Ok(value) => Ok(with(self, value)),
            Err(Stuck::Failed(error)) => Err(error),
            Err(Stuck::Branch(pred)) => {
                let condition = place.indices.pred(self.pool(), &pred)?;
                let inside = place.knowing(pred.clone());
                let then_branch = self.branch(&decided(term, &pred, true), &inside, with)?;
                let otherwise = self.branch(&decided(term, &pred, false), place, with)?;
                let else_branch = Some(otherwise);
                Ok(self.pool().stmt(Stmt::If { condition, then_branch, else_branch }))
            }
        }
    }

    /// Returns a scalar as an expression. Reads under guards are kept within their tensors, because
    /// a selection evaluates both of its arms. `place` has the facts that hold without the guards.
    fn scalar(
        &mut self,
        term: &Term,
        place: &Place,
        guarded: bool,
    ) -> std::result::Result<ExprId, Stuck> {
        let element = self.funcs.element;
        match &**term {
            Node::Literal(text) => Ok(scalars::literal(self.pool(), element, text)?),
            Node::Add(a, b) => {
                let (a, b) = (self.scalar(a, place, guarded)?, self.scalar(b, place, guarded)?);
                Ok(scalars::add(self.pool(), element, a, b))
            }
            Node::Mul(a, b) => {
                let (a, b) = (self.scalar(a, place, guarded)?, self.scalar(b, place, guarded)?);
                Ok(scalars::mul(self.pool(), element, a, b))
            }
            Node::Call(name, parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(self.scalar(part, place, guarded)?);
                }
                Ok(scalars::call(self.pool(), element, name, &values)?)
            }
            Node::Guard(pred, body) => {
                let Some(open) = self.open(pred, place) else {
                    return self.scalar(body, place, guarded);
                };
                let value = match self.scalar(body, place, true) {
                    // The outermost guard decides, because the code within it may need it too.
                    Err(Stuck::Branch(_)) => return Err(Stuck::Branch(pred.clone())),
                    other => other?,
                };
                let condition = place.indices.pred(self.pool(), &open)?;
                let zero = scalars::zero(self.pool(), element);
                Ok(self.pool().select(condition, value, zero))
            }
            Node::Var(_) | Node::Get(..) => self.load(term, place, guarded),
            Node::Loop(..) | Node::Let(..) | Node::Reshape(..) | Node::Apply(..) => {
                Err(Stuck::Failed(LowerError::Shape))
            }
        }
    }

    fn load(
        &mut self,
        term: &Term,
        place: &Place,
        guarded: bool,
    ) -> std::result::Result<ExprId, Stuck> {
        let mut indices = Vec::new();
        let mut here = term;
        while let Node::Get(tensor, index) = &**here {
            indices.push(index.clone());
            here = tensor;
        }
        indices.reverse();
        let Node::Var(var) = &**here else { return Err(Stuck::Failed(LowerError::Shape)) };
        let found = self.funcs.tensors.get(&var.id).cloned();
        let tensor = found.ok_or_else(|| LowerError::Unbound(var.to_string()))?;
        let mut args = Vec::new();
        for (index, size) in indices.iter().zip(&tensor.shape) {
            let mut value = place.indices.index(self.pool(), index)?;
            let below = !guarded || self.holds(place, &(Compare::Lt, index.clone(), size.clone()));
            let above = !guarded || self.holds(place, &(Compare::Le, Index::Num(0), index.clone()));
            let room = (Compare::Le, Index::Num(1), size.clone());
            if !((below && above) || self.holds(place, &room)) {
                return Err(Stuck::Branch(Pred::Known(true)));
            }
            if !below {
                let size = place.indices.index(self.pool(), size)?;
                let one = self.pool().int(1);
                let last = indices::sub(self.pool(), size, one);
                value = self.pool().binary(BinaryOp::Min, value, last);
            }
            if !above {
                let zero = self.pool().int(0);
                value = self.pool().binary(BinaryOp::Max, value, zero);
            }
            args.insert(0, value);
        }
        for free in &tensor.free {
            args.push(place.indices.get(free)?);
        }
        Ok(self.pool().func_ref(tensor.func, 0, args))
    }
}
