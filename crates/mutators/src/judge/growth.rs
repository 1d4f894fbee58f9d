//! Passes in which `mutate` returns nothing greater than its argument, in the order of
//! `machine::order`.
//!
//! # Correctness
//!
//! It holds of a pass if it holds of each path of each mutator of its classes at each type,
//! provided that it holds of the nodes that are mutated there; these are less than the input, as
//! the path descends. The mutator of any other kind of node makes the node again from its mutated
//! operands, which is not greater. A path that is not followed to its end, a method that is not
//! modelled, and a class whose methods may be in other files all count as greater.

use halidom_cpp::ast::Function;

use crate::ir::kinds::{Kind, Type};
use crate::ir::layout::operand_types;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::{Entry, any_of};
use crate::machine::contracts::{is_mutate, is_replaced};
use crate::machine::descent::{is_declared, of_pass};
use crate::machine::order::is_not_greater;
use crate::machine::run::{Machine, Outcome};

/// Returns a method of the pass that may return something greater than its argument, by name, or
/// nothing if none may.
pub(crate) fn growing(entry: Entry<'_>) -> Option<String> {
    let class = &entry.function.class;
    let known = |known: &&(String, Option<String>)| known.0 == *class;
    let mut found = entry.program.growing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, of)) = found.iter().find(known) {
        return of.clone();
    }
    let method = first_growing(entry);
    found.push((class.clone(), method.clone()));
    method
}

fn first_growing(entry: Entry<'_>) -> Option<String> {
    let class = &entry.function.class;
    if entry.mode.is_emitter() {
        return Some("an emitter".to_owned());
    }
    if !is_declared(entry.program, class) {
        return Some(format!("other methods of {class}"));
    }
    let is_visit = |function: &&&Function| {
        ["visit", "Mutate_", "mutate", "Mutate"].contains(&function.name.as_str())
            && !function.class.is_empty()
    };
    let methods = of_pass(entry.program, class);
    methods.iter().filter(is_visit).find(|function| may_grow(entry, function)).map(|function| {
        let kind = function.parameters.first().map_or("", |first| first.ty.as_str());
        format!("{}::{}({kind})", function.class, function.name)
    })
}

/// Tests whether a method may return something greater than its argument.
fn may_grow<'p>(entry: Entry<'p>, function: &'p Function) -> bool {
    let first = function.parameters.first().map_or("", |first| first.ty.as_str());
    let kind = match first.strip_suffix('*') {
        None if is_mutate(function) && is_replaced(function) => Some(any_of(function)),
        of => of.and_then(Kind::named),
    };
    let Some(kind) = kind else { return true };
    let entry = Entry { function, kind, ..entry };
    let types = match kind {
        Kind::StringImm => vec![Type::HANDLE],
        _ if kind.is_stmt() => vec![Type::STMT],
        _ => Type::SCALARS.to_vec(),
    };
    let lanes = if kind.is_stmt() { &[false][..] } else { &[false, true] };
    types.iter().flat_map(|ty| lanes.iter().map(|lanes| ty.with_vector(*lanes))).any(|ty| {
        let operands = operand_types(kind, ty, entry.profile.name);
        kind.admits(ty) && operands.into_iter().any(|operand| may_grow_at(entry, ty, operand))
    })
}

fn may_grow_at(entry: Entry<'_>, ty: Type, operand: Type) -> bool {
    let entry = if entry.kind.is_stmt() { entry } else { entry.at(ty, operand) };
    let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
    let mut state = State::default();
    let input = entry.input(ty, operand, &mut machine, &mut state);
    entry.run(&mut machine, input, state);
    machine.ends.iter().any(|end| match &end.outcome {
        Outcome::Returned(Val::Expr(Some(result))) => {
            end.state.unfounded.is_some() || !is_not_greater(*result, input, &end.state)
        }
        Outcome::Returned(Val::Expr(None)) | Outcome::Crash(_) | Outcome::Rejected(_) => false,
        Outcome::Returned(_)
        | Outcome::Unsupported(_)
        | Outcome::Bounded(_)
        | Outcome::Endless(_) => true,
    })
}
