//! Ranges over sizes alone, for loops whose ranges depend on the variables around them.
//!
//! # Correctness
//! The ranges are guesses; [`hull`] proves that they contain the loop's range wherever the loop's
//! context holds.

use halidom_atl::context::{Context, Fact};
use halidom_atl::prover::{Goal, Prover};
use halidom_atl::term::{Arith, Compare, Index, Pred};

use crate::indices::Indices;

/// Returns a range over sizes that contains another one in a context; `None` if none is found.
pub(crate) fn hull(
    prover: &Prover,
    context: &Context,
    sizes: &Indices,
    (lo, hi): (&Index, &Index),
) -> Option<(Index, Index)> {
    let (low, high) = (ends(lo, context, sizes)?.0, ends(hi, context, sizes)?.1);
    let contains = [(low.clone(), lo.clone()), (hi.clone(), high.clone())];
    let proved = contains.into_iter().all(|(less, more)| {
        prover.holds(context, &Goal::Holds(Pred::Compare(Compare::Le, less, more)))
    });
    proved.then_some((low, high))
}

/// Returns the least and the greatest value of an index over its variables' ranges.
fn ends(index: &Index, context: &Context, sizes: &Indices) -> Option<(Index, Index)> {
    let (op, operands) = match index {
        Index::Num(_) => return Some((index.clone(), index.clone())),
        Index::Var(var) if sizes.is_size(var) => return Some((index.clone(), index.clone())),
        Index::Var(var) => {
            let (lo, hi) = context.facts.iter().find_map(|fact| match fact {
                Fact::Range(known, lo, hi) if known == var => Some((lo, hi)),
                Fact::Range(..) | Fact::Holds(_) | Fact::Is(..) | Fact::Any(_) => None,
            })?;
            let (low, high) = (ends(lo, context, sizes)?.0, ends(hi, context, sizes)?.1);
            return Some((low, Index::op(Arith::Sub, high, Index::Num(1))));
        }
        Index::Op(op, operands) => (*op, operands),
    };
    let (a, b) = (ends(&operands.0, context, sizes)?, ends(&operands.1, context, sizes)?);
    match op {
        Arith::Add | Arith::Min | Arith::Max => {
            Some((Index::op(op, a.0, b.0), Index::op(op, a.1, b.1)))
        }
        Arith::Sub => Some((Index::op(op, a.0, b.1), Index::op(op, a.1, b.0))),
        // The other operand must be constant over the ranges and not negative.
        Arith::Mul | Arith::Div | Arith::Ceil => {
            let (varies, factor) = if a.0 == a.1 && op == Arith::Mul { (b, a.0) } else { (a, b.0) };
            Some((Index::op(op, varies.0, factor.clone()), Index::op(op, varies.1, factor)))
        }
        Arith::Mod => None,
    }
}
