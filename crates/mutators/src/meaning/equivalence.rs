//! Equivalence of two statements: compares each way of one with each way of the other, wherever
//! both can be taken at once.

use halidom_rewrites::rules::{
    Decision, Domain, Fulfilment, Fun, Limits, Obligation, ValueId, decide_or_vacuous, fulfil,
};
use halidom_smt::Solver;

use crate::ir::node::NodeId;
use crate::meaning::effect::negation;
use crate::meaning::memory::{Bound, Memory, MemoryId, ScopeId, Way};
use crate::meaning::terms::Meaning;

/// The conditions under which two memories are equal.
#[derive(Default)]
struct Needed {
    /// Values that must be equal.
    equal: Vec<(ValueId, ValueId)>,
    /// Bodies of loops that must have the same effect.
    bodies: Vec<(Vec<Way>, Vec<Way>)>,
}

/// Proves that a statement has the same effect as another, wherever the other is defined.
///
/// # Errors
///
/// Returns the reason why it is not proved.
pub(crate) fn same_effect(
    meaning: &mut Meaning<'_>,
    before: NodeId,
    after: NodeId,
    solver: &mut Solver,
    limits: Limits,
) -> Result<(), String> {
    // Whatever it does, it does the same as itself, also if it is found to contain itself.
    let state = meaning.state;
    if !state.presence.is_open && state.find(before) == state.find(after) {
        return Ok(());
    }
    let unmodelled = || "it holds a statement that is not modelled".to_owned();
    let first = meaning.ways(before).ok_or_else(unmodelled)?;
    let second = meaning.result_ways(after).ok_or_else(unmodelled)?;
    let facts = facts(meaning);
    same_ways(meaning, &first, &second, &facts, solver, limits)
}

impl Meaning<'_> {
    /// Tests whether a statement has no effect.
    pub(crate) fn does_nothing(&mut self, stmt: NodeId) -> bool {
        let idle = |way: &Way| way.memory == 0 && way.stop.is_none();
        self.ways(stmt).is_some_and(|ways| !ways.is_empty() && ways.iter().all(idle))
    }

    /// Tests whether a statement does not use a buffer, so that nothing shows whether it is there.
    pub(super) fn is_unused(&self, name: NodeId, body: NodeId) -> bool {
        let state = self.state;
        let class = state.class(state.node(body).class);
        state.buffers.unused.iter().any(|(of, classes)| {
            state.find(*of) == state.find(name)
                && classes.iter().any(|known| state.class(*known) == class)
        })
    }
}

/// The facts that are known at every moment that was met.
fn facts(meaning: &mut Meaning<'_>) -> Vec<ValueId> {
    let outer = meaning.moment;
    let mut facts = Vec::new();
    for moment in meaning.effects.moments.clone() {
        meaning.moment = moment;
        facts.extend(meaning.facts());
        facts.extend(meaning.not_taken(false));
        facts.append(&mut meaning.equations);
    }
    meaning.moment = outer;
    let (always, _) = meaning.lane_facts();
    facts.extend(always);
    facts.sort();
    facts.dedup();
    facts
}

fn same_ways(
    meaning: &mut Meaning<'_>,
    first: &[Way],
    second: &[Way],
    facts: &[ValueId],
    solver: &mut Solver,
    limits: Limits,
) -> Result<(), String> {
    for before in first {
        for after in second {
            let mut premises: Vec<ValueId> = before.conditions.clone();
            premises.extend(after.conditions.iter().copied());
            if premises.iter().any(|fact| {
                let negated = negation(&mut meaning.values, *fact);
                premises.contains(&negated)
            }) {
                continue;
            }
            premises.extend(facts.iter().copied());
            if premises.iter().any(|fact| meaning.values.domain(*fact) != Domain::Bool) {
                return Err("a condition that is no truth value".to_owned());
            }
            let mut needed = Needed::default();
            let is_alike = before.stop == after.stop
                && alike(meaning, before.memory, after.memory, &mut needed);
            if !is_alike {
                premises.extend(before.defined.iter().copied());
                match fulfil(&meaning.values, &premises, solver, limits) {
                    Fulfilment::None => continue,
                    Fulfilment::By(_) | Fulfilment::Unknown(_) => {
                        return Err("other effects, or the same in another order".to_owned());
                    }
                }
            }
            for (body, other) in &needed.bodies {
                same_ways(meaning, body, other, &premises, solver, limits)?;
            }
            let truth = meaning.values.bool(true);
            let mut lhs = truth;
            for (a, b) in &needed.equal {
                if a != b {
                    let same = meaning.values.apply(Fun::Eq, &[*a, *b]);
                    lhs = meaning.values.apply(Fun::And, &[lhs, same]);
                }
            }
            let claim = Obligation {
                values: meaning.values.clone(),
                lhs,
                rhs: truth,
                facts: premises,
                narrow_facts: Vec::new(),
                tried: Vec::new(),
                lhs_defined: before.defined.clone(),
                rhs_defined: after.defined.clone(),
                is_wide: true,
            };
            if lhs == truth && after.defined.iter().all(|fact| before.defined.contains(fact)) {
                continue;
            }
            match decide_or_vacuous(&claim, solver, limits) {
                Decision::Proved | Decision::Vacuous => {}
                Decision::Wrong(_) => {
                    return Err("values in it may differ".to_owned());
                }
                Decision::Unknown(reason) => return Err(reason),
            }
        }
    }
    Ok(())
}

/// Tests whether two memories can be equal, and collects the conditions for that.
fn alike(meaning: &mut Meaning<'_>, a: MemoryId, b: MemoryId, needed: &mut Needed) -> bool {
    if a == b {
        return true;
    }
    let pair = (meaning.effects.memory(a).clone(), meaning.effects.memory(b).clone());
    match (&pair.0, &pair.1) {
        (
            Memory::Store { before, buffer, predicate, index, value, ty },
            Memory::Store {
                before: other,
                buffer: into,
                predicate: other_predicate,
                index: other_index,
                value: other_value,
                ty: other_ty,
            },
        ) if buffer == into && ty == other_ty => {
            needed.equal.extend([
                (*predicate, *other_predicate),
                (*index, *other_index),
                (*value, *other_value),
            ]);
            is_typed(meaning, needed) && alike(meaning, *before, *other, needed)
        }
        (
            Memory::Call { before, callee, arguments },
            Memory::Call { before: other, callee: of, arguments: values },
        ) if callee == of && arguments.len() == values.len() => {
            needed.equal.extend(arguments.iter().copied().zip(values.iter().copied()));
            is_typed(meaning, needed) && alike(meaning, *before, *other, needed)
        }
        (
            Memory::Unknown { before, class, scope },
            Memory::Unknown { before: other, class: of, scope: under },
        ) if class == of => {
            alike_scopes(meaning, *scope, *under, needed)
                && is_typed(meaning, needed)
                && alike(meaning, *before, *other, needed)
        }
        (
            Memory::Loop { before, depth, min, extent, ty, body },
            Memory::Loop {
                before: other,
                depth: of,
                min: other_min,
                extent: other_extent,
                ty: other_ty,
                body: other_body,
            },
        ) if depth == of && ty == other_ty => {
            needed.equal.extend([(*min, *other_min), (*extent, *other_extent)]);
            needed.bodies.push((body.clone(), other_body.clone()));
            alike(meaning, *before, *other, needed)
        }
        (
            Memory::While { before, depth, body },
            Memory::While { before: other, depth: of, body: other_body },
        ) if depth == of => {
            needed.bodies.push((body.clone(), other_body.clone()));
            alike(meaning, *before, *other, needed)
        }
        (
            Memory::Fork { before, depth, first, rest },
            Memory::Fork { before: other, depth: of, first: one, rest: two },
        ) if depth == of => {
            needed.bodies.push((first.clone(), one.clone()));
            needed.bodies.push((rest.clone(), two.clone()));
            alike(meaning, *before, *other, needed)
        }
        (
            Memory::Mark { before, what, name, values, is_end },
            Memory::Mark {
                before: other,
                what: of,
                name: named,
                values: other_values,
                is_end: is_other_end,
            },
        ) if what == of
            && name == named
            && is_end == is_other_end
            && values.len() == other_values.len() =>
        {
            needed.equal.extend(values.iter().copied().zip(other_values.iter().copied()));
            is_typed(meaning, needed) && alike(meaning, *before, *other, needed)
        }
        _ => false,
    }
}

/// Tests whether the values that must be equal have the same types.
fn is_typed(meaning: &Meaning<'_>, needed: &Needed) -> bool {
    needed.equal.iter().all(|(a, b)| meaning.values.domain(*a) == meaning.values.domain(*b))
}

/// Tests whether two scopes bind the visible names alike, and collects the conditions for that. A
/// name that one of them leaves free has its free value there.
fn alike_scopes(meaning: &mut Meaning<'_>, a: ScopeId, b: ScopeId, needed: &mut Needed) -> bool {
    let first = meaning.effects.bindings(a).to_vec();
    let second = meaning.effects.bindings(b).to_vec();
    let mut names: Vec<NodeId> = first.iter().chain(&second).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().all(|name| {
        let of = |bindings: &[(NodeId, Bound)]| {
            bindings.iter().find(|(known, _)| *known == name).map(|(_, bound)| *bound)
        };
        match (of(&first), of(&second)) {
            (Some(Bound::Value(a, ty)), Some(Bound::Value(b, of))) => {
                needed.equal.push((a, b));
                ty == of
            }
            (Some(Bound::Value(value, ty)), None) | (None, Some(Bound::Value(value, ty))) => {
                match meaning.free_value(name) {
                    Some((free, of)) => {
                        needed.equal.push((value, free));
                        ty == of
                    }
                    None => false,
                }
            }
            (a, b) => a == b,
        }
    })
}
