//! Runs methods that compare addresses with the rules of their class.
//!
//! # Correctness
//!
//! Inputs have no arithmetic on addresses, so no method is judged on it. A method may still make
//! some and mutate it. It is refuted if the class fails on a comparison of an address with itself:
//! all methods of the class run on it, and the only path fails.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind, Function};
use halidom_rewrites::rules::{Number, Values};

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::{Field, Shape};
use crate::ir::state::State;
use crate::judge::entry::Entry;
use crate::judge::replay::Concrete;
use crate::judge::statement::shown;
use crate::judge::verdict::{Finding, Standing};
use crate::machine::run::{End, Machine, Operands, Outcome};
use crate::meaning::terms::Given;

/// Tests whether a method subtracts a member of its node from another one.
fn subtracts_operands(function: &Function) -> bool {
    let first = function.parameters.first().map_or("", |first| first.name.as_str());
    let is_operand = |expr: &Expr| {
        matches!(&expr.kind, ExprKind::Member { object, arrow: true, .. }
            if object.kind == ExprKind::Name(first.to_owned()))
    };
    let mut subtracts = false;
    function.visit(&mut |expr| {
        if let ExprKind::Binary(Sign::Sub, a, b) = &expr.kind {
            subtracts |= is_operand(a) && is_operand(b);
        }
    });
    subtracts
}

/// Looks for a failure of a class on a comparison of an address with itself.
pub(crate) fn refuted_by_addresses(entry: Entry<'_>) -> Option<Finding> {
    if !matches!(entry.kind, Kind::EQ | Kind::NE) || !subtracts_operands(entry.function) {
        return None;
    }
    let mut state = State::default();
    let name = state.name(4);
    let address = Machine::variable(Type::HANDLE, name, &mut state);
    let fields = vec![Field::Expr(address), Field::Expr(address)];
    let input = state.add(Type::BOOL, None, Some(Shape { kind: entry.kind, fields }));
    let concrete = Concrete::new(state, Values::default(), input, Vec::new(), Number::whole(0));
    let mut machine = concrete.machine(entry);
    machine.operands = Operands::Mutated;
    machine.fires = true;
    entry.run(&mut machine, input, concrete.state());
    if machine.has_chosen {
        return None;
    }
    let [End { outcome: Outcome::Crash(what), line, .. }] = machine.ends.as_slice() else {
        return None;
    };
    Some(Finding {
        file: None,
        standing: Standing::Crash,
        line: *line,
        ty: "bool of handle".to_owned(),
        text: what.clone(),
        counterexample: Some(shown(entry, &concrete, None, &[], Given { seed: 0 }, None)),
    })
}
