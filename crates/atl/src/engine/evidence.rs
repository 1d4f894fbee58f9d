//! Evidence from its structure that a tensor is zero outside of a box.

use std::rc::Rc;

use crate::context::{Context, Fact, Shape};
use crate::prover::{Failure, Goal, Proof, Prover};
use crate::term::{Compare, Index, Loop, Node, Pred, Reshape, Term, Var};

/// A comparison of integers and its proof.
pub(crate) type Compared = (Pred, Proof);

/// Evidence that a tensor is zero outside of a box. The box may cover only the first dimensions.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// Nothing is claimed.
    Nothing,
    /// An input. It is zero outside of its sizes, which are within the box.
    Input(Var, Vec<Compared>),
    /// A variable bound by a `let`. Its value has the evidence.
    Let(Var, Box<Evidence>),
    /// A slice of a tensor: the size of the dimension that is read, and the tensor's evidence.
    Get(Index, Box<Evidence>),
    /// A comprehension: the comparison of its length with the size, and its body's evidence.
    Gen(Var, Index, Index, Compared, Box<Evidence>),
    /// A sum, with its body's evidence.
    Sum(Var, Index, Index, Box<Evidence>),
    /// A guarded tensor.
    Guard(Pred, Box<Evidence>),
    /// A `let`: its variable and value, and its body's evidence.
    In(Var, Term, Box<Evidence>),
    /// A sum of two tensors.
    Add(Box<Evidence>, Box<Evidence>),
    /// A reshape operator whose own sizes bound the first dimensions. It has the comparisons, and
    /// for the other dimensions each part's sizes and evidence.
    Reshape(Reshape, Vec<Compared>, Vec<(Vec<Index>, Evidence)>),
    /// A transposed tensor.
    Transpose(Box<Evidence>),
}

/// Shows that a term is zero outside of the first `depth` dimensions of a shape.
///
/// # Errors
/// A comparison that was not shown, or a part whose sizes are not known.
pub fn box_evidence(
    prover: &Prover,
    context: &Context,
    term: &Term,
    shape: &Shape,
    depth: usize,
) -> Result<Evidence, Failure> {
    let dims = &shape.dims[..depth.min(shape.dims.len())];
    Search { prover }.evidence(context, term, dims)
}

struct Search<'p> {
    prover: &'p Prover,
}

impl Search<'_> {
    fn within(&self, context: &Context, small: Index, large: &Index) -> Result<Compared, Failure> {
        let pred = Pred::Compare(Compare::Le, small, large.clone());
        let proof = self.prover.prove(context, &Goal::Holds(pred.clone()))?;
        Ok((pred, proof))
    }

    fn sized(context: &Context, term: &Term, place: usize) -> Result<Index, Failure> {
        let found = context.shape(term).and_then(|shape| shape.dims.get(place).cloned());
        found.ok_or_else(|| Failure {
            open: format!("the sizes of `{}` are known", super::shortened(term)),
            values: None,
        })
    }

    fn evidence(
        &self,
        context: &Context,
        term: &Term,
        dims: &[Index],
    ) -> Result<Evidence, Failure> {
        let Some((first, rest)) = dims.split_first() else { return Ok(Evidence::Nothing) };
        match &**term {
            Node::Var(var) => {
                let bound = context.facts.iter().rev().find_map(|fact| match fact {
                    Fact::Is(other, value) if other == var => Some(value),
                    Fact::Is(..) | Fact::Range(..) | Fact::Holds(_) | Fact::Any(_) => None,
                });
                if let Some(value) = bound {
                    return Ok(Evidence::Let(
                        var.clone(),
                        Box::new(self.evidence(context, value, dims)?),
                    ));
                }
                let mut compared = Vec::new();
                for (place, wanted) in dims.iter().enumerate() {
                    compared.push(self.within(
                        context,
                        Self::sized(context, term, place)?,
                        wanted,
                    )?);
                }
                Ok(Evidence::Input(var.clone(), compared))
            }
            Node::Get(tensor, _) => {
                let size = Self::sized(context, tensor, 0)?;
                let all: Vec<Index> =
                    std::iter::once(size.clone()).chain(dims.iter().cloned()).collect();
                Ok(Evidence::Get(size, Box::new(self.evidence(context, tensor, &all)?)))
            }
            Node::Loop(Loop::Gen, var, lo, hi, body) => {
                let length = hi.clone().minus(lo.clone());
                let within = self.within(context, length, first)?;
                let inner = self.evidence(&context.enter(term, 0), body, rest)?;
                Ok(Evidence::Gen(var.clone(), lo.clone(), hi.clone(), within, Box::new(inner)))
            }
            Node::Loop(Loop::Sum, var, lo, hi, body) => {
                let inner = self.evidence(&context.enter(term, 0), body, dims)?;
                Ok(Evidence::Sum(var.clone(), lo.clone(), hi.clone(), Box::new(inner)))
            }
            Node::Guard(pred, body) => {
                let inner = self.evidence(&context.enter(term, 0), body, dims)?;
                Ok(Evidence::Guard(pred.clone(), Box::new(inner)))
            }
            Node::Let(var, value, body) => {
                let inner = self.evidence(&context.enter(term, 1), body, dims)?;
                Ok(Evidence::In(var.clone(), Rc::clone(value), Box::new(inner)))
            }
            Node::Add(left, right) => Ok(Evidence::Add(
                Box::new(self.evidence(context, left, dims)?),
                Box::new(self.evidence(context, right, dims)?),
            )),
            Node::Reshape(op, sizes, parts) => self.reshape(context, *op, sizes, parts, dims),
            Node::Literal(_) | Node::Call(..) | Node::Mul(..) | Node::Apply(..) => Err(Failure {
                open: format!("`{}` has as many dimensions", super::shortened(term)),
                values: None,
            }),
        }
    }

    fn reshape(
        &self,
        context: &Context,
        op: Reshape,
        sizes: &[Index],
        parts: &[Term],
        dims: &[Index],
    ) -> Result<Evidence, Failure> {
        let part = &parts[0];
        if op == Reshape::Transpose {
            // Both dimensions are needed to exchange them.
            let second = match dims.get(1) {
                Some(second) => second.clone(),
                None => Self::sized(context, part, 0)?,
            };
            let mut inner = vec![second, dims[0].clone()];
            inner.extend_from_slice(dims.get(2..).unwrap_or_default());
            return Ok(Evidence::Transpose(Box::new(self.evidence(context, part, &inner)?)));
        }
        let (bounds, used, dropped) = match (op, sizes) {
            (Reshape::TruncR, [k]) | (Reshape::TruncL, [_, k]) => (vec![k.clone()], 1, 1),
            (Reshape::PadR | Reshape::PadL | Reshape::Concat, [n, k]) => {
                (vec![n.clone().plus(k.clone())], 1, 1)
            }
            (Reshape::Flatten, [n, m]) => (vec![n.clone().times(m.clone())], 1, 2),
            (Reshape::Split, [n, k]) => (
                vec![Index::exact(crate::term::Arith::Ceil, n.clone(), k.clone()), k.clone()],
                2,
                1,
            ),
            (
                Reshape::Transpose
                | Reshape::TruncR
                | Reshape::TruncL
                | Reshape::PadR
                | Reshape::PadL
                | Reshape::Concat
                | Reshape::Flatten
                | Reshape::Split,
                _,
            ) => (Vec::new(), 0, 0),
        };
        let mut dims = dims.to_vec();
        if op == Reshape::Split && dims.len() == 1 {
            dims.push(bounds[1].clone());
        }
        let mut compared = Vec::new();
        for (bound, wanted) in bounds.into_iter().zip(&dims) {
            compared.push(self.within(context, bound, wanted)?);
        }
        if op == Reshape::Concat {
            for size in sizes {
                compared.push(self.within(context, Index::Num(0), size)?);
            }
        }
        let rest = dims.get(used..).unwrap_or_default();
        let mut inner = Vec::new();
        for part in parts {
            if rest.is_empty() {
                inner.push((Vec::new(), Evidence::Nothing));
                continue;
            }
            let mut all = Vec::new();
            for place in 0..dropped {
                all.push(Self::sized(context, part, place)?);
            }
            let own = all.clone();
            all.extend_from_slice(rest);
            inner.push((own, self.evidence(context, part, &all)?));
        }
        Ok(Evidence::Reshape(op, compared, inner))
    }
}
