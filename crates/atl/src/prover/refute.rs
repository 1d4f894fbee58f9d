//! Searches for values that show why a goal does not follow.

use crate::term::{Arith, Compare, Index, Var};

/// Evaluates an integer expression. Division rounds down, and division by zero gives zero, as in
/// the certificates' arithmetic. Returns `None` if a variable has no value or a number overflows.
pub fn evaluate(index: &Index, value: &dyn Fn(&Var) -> Option<i64>) -> Option<i64> {
    Some(match index {
        Index::Num(number) => *number,
        Index::Var(var) => value(var)?,
        Index::Op(op, operands) => {
            let (a, b) = (evaluate(&operands.0, value)?, evaluate(&operands.1, value)?);
            match op {
                Arith::Add => a.checked_add(b)?,
                Arith::Sub => a.checked_sub(b)?,
                Arith::Mul => a.checked_mul(b)?,
                Arith::Div => floor_div(a, b),
                Arith::Mod => a.checked_sub(b.checked_mul(floor_div(a, b))?)?,
                Arith::Ceil => floor_div(a.checked_add(b)?.checked_sub(1)?, b),
                Arith::Min => a.min(b),
                Arith::Max => a.max(b),
            }
        }
    })
}

fn floor_div(a: i64, b: i64) -> i64 {
    if b == 0 {
        0
    } else {
        // Euclid's division rounds up where the divisor is negative.
        let is_above = b < 0 && a.wrapping_rem_euclid(b) != 0;
        a.wrapping_div_euclid(b).wrapping_sub(i64::from(is_above))
    }
}

/// True if a comparison holds.
pub fn compare(compare: Compare, a: i64, b: i64) -> bool {
    match compare {
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Eq => a == b,
    }
}

/// Finds small values for which all comparisons hold.
pub(super) fn example(known: &[(Compare, Index, Index)], attempts: u64) -> Option<String> {
    let mut variables: Vec<Var> = Vec::new();
    let mut see = |var: &Var| {
        if !variables.contains(var) {
            variables.push(var.clone());
        }
    };
    for (_, a, b) in known {
        a.variables(&mut see);
        b.variables(&mut see);
    }
    if variables.is_empty() {
        return None;
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for attempt in 0..attempts {
        // Small values come first because they are easier to read.
        let spread = 2 + 8 * attempt / attempts;
        let values: Vec<i64> =
            variables.iter().map(|_| next(spread) as i64 - i64::from(next(8) == 0)).collect();
        let value = |var: &Var| {
            variables.iter().position(|other| other == var).map(|position| values[position])
        };
        let holds = known.iter().all(|(relation, a, b)| {
            evaluate(a, &value)
                .zip(evaluate(b, &value))
                .is_some_and(|(a, b)| compare(*relation, a, b))
        });
        if holds {
            let parts: Vec<String> = variables
                .iter()
                .zip(&values)
                .map(|(var, value)| format!("{var} = {value}"))
                .collect();
            return Some(parts.join(", "));
        }
    }
    None
}
