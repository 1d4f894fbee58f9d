//! The simplest form of an index.

use halidom_base::IndexSet;
use halidom_sums::{Product, Sum};

use super::tidy;
use crate::term::{Arith, Index};

/// An index as a sum of its parts. Each part is its number, in the order in which they occur.
type Parts = Sum<Product<usize>>;

/// Combines like terms of an integer's sums, if that makes it shorter. Leaves an index as it is if
/// a coefficient needs more than 64 bits.
pub(crate) fn simplest(index: &Index) -> Index {
    let mut parts = IndexSet::default();
    let simple = gather(index, &mut parts).and_then(|sum| written(&sum, &parts));
    simple.filter(|simple| weight(simple) < weight(index)).unwrap_or_else(|| index.clone())
}

/// Writes a sum as an index: its parts in order, then its constant.
fn written(sum: &Parts, parts: &IndexSet<Index>) -> Option<Index> {
    let mut written: Option<Index> = None;
    for (monomial, factor) in sum.terms() {
        let Some(part) = monomial.first().and_then(|number| parts.get_index(*number)) else {
            continue;
        };
        let scaled = match i64::try_from(factor.unsigned_abs()).ok()? {
            1 => part.clone(),
            factor => Index::Num(factor).times(part.clone()),
        };
        written = Some(match written {
            None if factor > 0 => scaled,
            None => Index::Num(0).minus(scaled),
            Some(before) if factor > 0 => before.plus(scaled),
            Some(before) => before.minus(scaled),
        });
    }
    let constant = sum.constant_part();
    let magnitude = || i64::try_from(constant.unsigned_abs()).ok().map(Index::Num);
    let simple = match (written, constant) {
        (None, _) => Index::Num(i64::try_from(constant).ok()?),
        (Some(sum), 0) => sum,
        (Some(sum), _) if constant > 0 => sum.plus(magnitude()?),
        (Some(sum), _) => sum.minus(magnitude()?),
    };
    Some(tidy(&simple))
}

fn weight(index: &Index) -> usize {
    match index {
        Index::Num(_) | Index::Var(_) => 1,
        Index::Op(_, operands) => 1 + weight(&operands.0) + weight(&operands.1),
    }
}

fn gather(index: &Index, parts: &mut IndexSet<Index>) -> Option<Parts> {
    match index {
        Index::Num(value) => Some(Sum::constant(i128::from(*value))),
        Index::Op(op @ (Arith::Add | Arith::Sub), operands) => {
            let (left, right) = (gather(&operands.0, parts)?, gather(&operands.1, parts)?);
            left.plus(&right, if *op == Arith::Add { 1 } else { -1 })
        }
        Index::Var(_) | Index::Op(..) => Some(Sum::atom(parts.insert_full(index.clone()).0)),
    }
}

#[cfg(test)]
mod tests {
    use super::simplest;
    use crate::term::{Arith, Index, Sort, Var};

    fn variable(id: u32) -> Index {
        Index::Var(Var { id, name: format!("v{id}").into(), sort: Sort::Index })
    }

    #[test]
    fn like_terms_are_combined_in_the_order_of_their_parts() {
        let [n, m] = [variable(0), variable(1)];
        let long = n.clone().plus(m.clone()).minus(n.clone()).plus(Index::Num(2)).plus(m.clone());
        let both = Index::Num(2).times(m.clone()).plus(Index::Num(2));
        assert_eq!(simplest(&long), both);
        let short = n.plus(m);
        assert_eq!(simplest(&short), short);
    }

    #[test]
    fn numbers_beyond_64_bits_are_not_rounded() {
        let n = variable(0);
        let add = |a: Index, b: Index| Index::op(Arith::Add, a, b);
        let large = add(add(n.clone(), Index::Num(i64::MAX)), Index::Num(1));
        assert_eq!(simplest(&large), large);
        // The numbers cancel, though their partial sums need more than 64 bits.
        let cancels = add(add(large, Index::Num(i64::MIN)), Index::Num(5));
        assert_eq!(simplest(&cancels), n.plus(Index::Num(5)));
    }
}
