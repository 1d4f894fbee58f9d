//! The simplest form of an index.

use super::tidy;
use crate::term::{Arith, Index};

/// Combines like terms of an integer's sums, if that makes it shorter.
pub(crate) fn simplest(index: &Index) -> Index {
    let mut parts: Vec<(Index, i64)> = Vec::new();
    let mut constant = 0_i64;
    gather(index, 1, &mut parts, &mut constant);
    parts.retain(|(_, factor)| *factor != 0);
    let mut sum: Option<Index> = None;
    for (part, factor) in &parts {
        let scaled = if factor.abs() == 1 {
            part.clone()
        } else {
            Index::Num(factor.abs()).times(part.clone())
        };
        sum = Some(match sum {
            None if *factor > 0 => scaled,
            None => Index::Num(0).minus(scaled),
            Some(before) if *factor > 0 => before.plus(scaled),
            Some(before) => before.minus(scaled),
        });
    }
    let simple = match (sum, constant) {
        (None, _) => Index::Num(constant),
        (Some(sum), 0) => sum,
        (Some(sum), _) if constant > 0 => sum.plus(Index::Num(constant)),
        (Some(sum), _) => sum.minus(Index::Num(-constant)),
    };
    let simple = tidy(&simple);
    if weight(&simple) < weight(index) { simple } else { index.clone() }
}

fn weight(index: &Index) -> usize {
    match index {
        Index::Num(_) | Index::Var(_) => 1,
        Index::Op(_, operands) => 1 + weight(&operands.0) + weight(&operands.1),
    }
}

fn gather(index: &Index, sign: i64, parts: &mut Vec<(Index, i64)>, constant: &mut i64) {
    match index {
        Index::Num(value) => *constant = constant.saturating_add(sign.saturating_mul(*value)),
        Index::Op(Arith::Add, operands) => {
            gather(&operands.0, sign, parts, constant);
            gather(&operands.1, sign, parts, constant);
        }
        Index::Op(Arith::Sub, operands) => {
            gather(&operands.0, sign, parts, constant);
            gather(&operands.1, -sign, parts, constant);
        }
        Index::Var(_) | Index::Op(..) => match parts.iter_mut().find(|(part, _)| part == index) {
            Some((_, factor)) => *factor += sign,
            None => parts.push((index.clone(), sign)),
        },
    }
}
