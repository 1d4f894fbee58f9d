//! The numbers of TVM's rules that have the type of an expression: `ZeroWithTypeLike(x)` and
//! `OneWithTypeLike(x)`. The expression must be known to have the rule's type.

use halidom_cpp::ast::{Expr, ExprKind};

use super::own::call;
use super::pattern::{Op, Pattern};

/// Refuses a rule with a number whose type need not be the rule's.
pub(super) fn have_its_type<'s>(
    arguments: &[Expr],
    sides: &(impl Iterator<Item = &'s Pattern> + Clone),
) -> Result<(), String> {
    let mut found = Vec::new();
    for argument in arguments {
        argument.visit(&mut |part| {
            if let Some(("ZeroWithTypeLike" | "OneWithTypeLike", [of])) = call(part) {
                found.push(of.clone());
            }
        });
    }
    for of in found {
        let is_its = match &of.kind {
            ExprKind::Name(name) => {
                let of = Pattern::Wild(name.clone());
                sides.clone().all(|side| gives_type(side, &of))
            }
            _ => false,
        };
        if !is_its {
            return Err("a number whose type need not be the rule's".to_owned());
        }
    }
    Ok(())
}

/// Tests whether a part of a pattern is known to have the type of the whole.
fn gives_type(side: &Pattern, of: &Pattern) -> bool {
    let Pattern::Apply(op, parts) = side else { return side == of };
    let parts = match op {
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Mod
        | Op::TruncDiv
        | Op::TruncMod
        | Op::FloorDiv
        | Op::FloorMod
        | Op::Min
        | Op::Max => parts.as_slice(),
        Op::Select => parts.get(1..).unwrap_or_default(),
        _ => return false,
    };
    parts.iter().any(|part| gives_type(part, of))
}
