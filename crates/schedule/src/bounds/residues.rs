//! Quotients and remainders of one variable by numbers, taken together: `x / 2 - 1 + 2 * (x % 2)`
//! is bounded residue by residue.
//!
//! With `x = n * q + r`, where `n` is a multiple of all divisors, every part is linear in `q` with
//! the same slope for each `r`. The bound is the least or greatest of at most `n` quotients of an
//! end of `x`, and others make nearly all of these redundant.

use halidom_ir::{BinaryOp, Constant, Expr, ExprId};

use crate::algebra::{Algebra, Sum};
use crate::target::{End, Target};

/// The maximum number of residues that are examined.
const MOST_RESIDUES: i128 = 16;
/// The maximum number of arms of an answer; one with more is no improvement.
const MOST_ARMS: usize = 3;

/// A bound of the parts of a sum that contain a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) value: ExprId,
    /// True if it is never worse than bounding each part separately.
    pub(super) is_within: bool,
}

/// `factor * ((scale * x + offset) div or mod divisor)`.
struct Part {
    is_quotient: bool,
    factor: i128,
    scale: i128,
    offset: i128,
    divisor: i128,
}

/// The value of one residue at the quotient `q`: `slope * q + base`, where `q` is the end of the
/// variable's interval plus `shift`, divided.
#[derive(Clone, Copy)]
struct Arm {
    shift: i128,
    base: i128,
}

/// Bounds `slope * x + others` over the interval of `x`; `None` if the sum does not have this form.
pub(super) fn bound(
    algebra: &mut Algebra<'_>,
    slope: &Sum,
    others: &[(Sum, Vec<ExprId>)],
    target: Target,
    end: End,
) -> Option<Bound> {
    let linear = slope_of(slope)?;
    if others.len() + usize::from(linear != 0) < 2 {
        return None;
    }
    let mut parts = Vec::with_capacity(others.len());
    for (factor, atoms) in others {
        parts.push(part(algebra, factor, atoms, target.expr)?);
    }
    let modulus = parts.iter().try_fold(1, |all, part| least_common(all, part.divisor))?;
    let mut total = linear.checked_mul(modulus)?;
    let mut signs = vec![linear];
    for part in parts.iter().filter(|part| part.is_quotient) {
        let slope = part.factor.checked_mul(part.scale)?;
        signs.push(slope);
        total = total.checked_add(slope.checked_mul(modulus / part.divisor)?)?;
    }
    let is_low = end == End::Low;
    // A sum that grows has its least value at the low end.
    let at_low = (total >= 0) == is_low;
    let mut arms = Vec::new();
    for residue in 0..modulus {
        let mut base = linear.checked_mul(residue)?;
        for part in &parts {
            let inner = part.scale.checked_mul(residue)?.checked_add(part.offset)?;
            let value = if part.is_quotient {
                inner.div_euclid(part.divisor)
            } else {
                inner.rem_euclid(part.divisor)
            };
            base = base.checked_add(part.factor.checked_mul(value)?)?;
        }
        let shift = if at_low { modulus - 1 - residue } else { -residue };
        arms.push(Arm { shift, base });
    }
    let arms = prune(&arms, total, is_low);
    if arms.len() > MOST_ARMS {
        return None;
    }
    let of = if at_low { target.low } else { target.high }?;
    let (slope, modulus) = (algebra.int(total), algebra.int(modulus));
    let mut value: Option<ExprId> = None;
    for arm in arms {
        let shifted = algebra.offset(of, arm.shift);
        let quotient = algebra.combine(BinaryOp::Div, shifted, modulus);
        let scaled = algebra.mul(slope, quotient);
        let arm = algebra.offset(scaled, arm.base);
        value = Some(match value {
            None => arm,
            Some(value) if is_low => algebra.min(value, arm),
            Some(value) => algebra.max(value, arm),
        });
    }
    // A residue that the interval leaves out is taken beyond the other end of the interval, which
    // is harmless if all parts grow or fall with the variable.
    let is_within = total != 0 && signs.iter().all(|sign| sign.signum() * total.signum() >= 0);
    Some(Bound { value: value?, is_within })
}

/// Returns the number that a variable is multiplied by.
fn slope_of(slope: &Sum) -> Option<i128> {
    match slope.len() {
        0 => Some(0),
        1 => slope.as_constant(),
        _ => None,
    }
}

fn part(
    algebra: &mut Algebra<'_>,
    factor: &Sum,
    atoms: &[ExprId],
    variable: ExprId,
) -> Option<Part> {
    let factor = factor.as_constant()?;
    let [atom] = atoms else { return None };
    let Expr::Binary(op @ (BinaryOp::Div | BinaryOp::Mod), inner, divisor) =
        *algebra.pool.get(*atom)
    else {
        return None;
    };
    let divisor = algebra.pool.as_constant(divisor).and_then(Constant::as_integer)?;
    let inner = algebra.sum(inner);
    let scale = Some(inner.coefficient(&[variable][..])).filter(|scale| *scale != 0)?;
    let offset = inner.without(&[variable][..]).as_constant()?;
    let is_small = (1..=MOST_RESIDUES).contains(&divisor);
    is_small.then_some(Part { is_quotient: op == BinaryOp::Div, factor, scale, offset, divisor })
}

fn least_common(a: i128, b: i128) -> Option<i128> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    Some(a / x * b).filter(|value| *value <= MOST_RESIDUES)
}

/// Drops the arms that are never the least (or greatest), whatever the end of the interval.
fn prune(arms: &[Arm], slope: i128, least: bool) -> Vec<Arm> {
    let beats = |one: &Arm, other: &Arm| {
        // Quotients of ends that differ by less than the divisor differ by at most one.
        let steps = if one.shift >= other.shift { [0, 1] } else { [-1, 0] };
        steps.iter().all(|step| {
            let difference = slope * step + one.base - other.base;
            if least { difference <= 0 } else { difference >= 0 }
        })
    };
    let mut kept: Vec<Arm> = Vec::new();
    for arm in arms {
        if kept.iter().any(|other| beats(other, arm)) {
            continue;
        }
        kept.retain(|other| !beats(arm, other));
        kept.push(*arm);
    }
    kept
}
