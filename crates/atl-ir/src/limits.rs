//! Bounds that comparisons put on one variable, and small changes of terms.

use halidom_atl::term::{Arith, Compare, Index, Node, Pred, Term, Var, children, with_child};

/// A comparison of two indices.
pub(crate) type Comparison = (Compare, Index, Index);

/// Returns an element of a tensor.
pub(crate) fn read(tensor: &Term, indices: &[Var]) -> Term {
    indices.iter().fold(Term::clone(tensor), |tensor, index| {
        Term::new(Node::Get(tensor, Index::Var(index.clone())))
    })
}

/// Returns a scalar for a guard that is known to hold, or known not to.
pub(crate) fn decided(term: &Term, pred: &Pred, holds: bool) -> Term {
    if let Node::Guard(own, body) = &**term
        && own == pred
    {
        return if holds {
            decided(body, pred, holds)
        } else {
            Term::new(Node::Literal("0".into()))
        };
    }
    children(term).into_iter().enumerate().fold(Term::clone(term), |whole, (number, part)| {
        with_child(&whole, number, decided(part, pred, holds))
    })
}

/// Returns the least point of each coordinate's part of a block, and the parameter that moves it,
/// if there is one; `None` if a coordinate does not have that form.
pub(crate) fn block(coords: &[Index], params: &[Var]) -> Option<Vec<(Index, Option<usize>)>> {
    let mut starts = Vec::new();
    for coord in coords {
        let mut moving = params.iter().enumerate().filter(|(_, param)| coord.mentions(param));
        match (moving.next(), moving.next()) {
            (None, _) => starts.push((coord.clone(), None)),
            (Some((number, param)), None) => {
                let (1, start) = linear(coord, param)? else { return None };
                starts.push((start, Some(number)));
            }
            (Some(_), Some(_)) => return None,
        }
    }
    Some(starts)
}

/// A limit of a variable.
pub(crate) enum Bound {
    /// The variable is less.
    Below(Index),
    /// The variable is at least.
    From(Index),
}

/// Returns the bound that a comparison puts on a variable, if it is linear in it with factor 1 or
/// -1.
pub(crate) fn bound((compare, a, b): &Comparison, var: &Var) -> Option<Bound> {
    let (left, a) = linear(a, var)?;
    let (right, b) = linear(b, var)?;
    let one = |index: Index| Index::op(Arith::Add, index, Index::Num(1));
    match (compare, left - right) {
        (Compare::Lt, 1) => Some(Bound::Below(Index::op(Arith::Sub, b, a))),
        (Compare::Le, 1) => Some(Bound::Below(one(Index::op(Arith::Sub, b, a)))),
        (Compare::Lt, -1) => Some(Bound::From(one(Index::op(Arith::Sub, a, b)))),
        (Compare::Le, -1) => Some(Bound::From(Index::op(Arith::Sub, a, b))),
        _ => None,
    }
}

/// Returns the factor of a variable in an index, and the rest.
fn linear(index: &Index, var: &Var) -> Option<(i64, Index)> {
    if !index.mentions(var) {
        return Some((0, index.clone()));
    }
    match index {
        Index::Num(_) => None,
        Index::Var(_) => Some((1, Index::Num(0))),
        Index::Op(op @ (Arith::Add | Arith::Sub), operands) => {
            let (a, left) = linear(&operands.0, var)?;
            let (b, right) = linear(&operands.1, var)?;
            let factor = if *op == Arith::Add { a.checked_add(b)? } else { a.checked_sub(b)? };
            Some((factor, Index::op(*op, left, right)))
        }
        Index::Op(
            Arith::Mul | Arith::Div | Arith::Mod | Arith::Ceil | Arith::Min | Arith::Max,
            _,
        ) => None,
    }
}
