//! The claims of a path's end.

use halidom_base::FxHashSet;

use super::ir::Kind;
use super::machine::{End, Machine};
use super::meaning::Meaning;
use super::replay::Entry;
use super::state::{Field, NodeId, State};
use crate::rules::{Domain, Obligation, ValueId};

/// The value of the input, and what holds on the path: its second part is enough for a counterexample.
pub(crate) fn premises(
    meaning: &mut Meaning<'_>,
    input: NodeId,
) -> (ValueId, Vec<ValueId>, Vec<ValueId>) {
    let lhs = meaning.node(input);
    let mut facts = meaning.defined.clone();
    meaning.defined.clear();
    facts.extend(meaning.facts());
    let (always, narrow) = meaning.lane_facts();
    facts.extend(always);
    (lhs, facts, narrow)
}

/// Builds a claim's terms in a fixed order.
pub(crate) fn assemble(
    meaning: &mut Meaning<'_>,
    input: NodeId,
    result: NodeId,
    not_taken: Option<bool>,
) -> (ValueId, ValueId, Vec<ValueId>, Vec<ValueId>, Vec<ValueId>, Vec<ValueId>) {
    let lhs = meaning.node(input);
    let lhs_defined = std::mem::take(&mut meaning.defined);
    // Where overflow is excluded, nothing in the input overflows.
    let ranged = std::mem::take(&mut meaning.ranged);
    let rhs = meaning.node(result);
    let rhs_defined = std::mem::take(&mut meaning.defined);
    let mut facts = meaning.facts();
    if let Some(as_variables) = not_taken {
        for (term, ty) in ranged {
            if let Some((least, greatest)) = ty.range() {
                facts.extend(meaning.between(term, least, greatest));
            }
        }
        facts.extend(meaning.not_taken(as_variables));
        facts.append(&mut meaning.equations);
    }
    let (always, narrow) = meaning.lane_facts();
    facts.extend(always);
    (lhs, rhs, lhs_defined, rhs_defined, facts, narrow)
}

pub(crate) fn obligation(
    entry: Entry<'_>,
    machine: &Machine<'_>,
    input: NodeId,
    result: NodeId,
    end: &End,
    not_taken: Option<bool>,
) -> Obligation {
    let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
    let (lhs, rhs, lhs_defined, rhs_defined, facts, narrow_facts) =
        assemble(&mut meaning, input, result, not_taken);
    let is_wide = end.state.nodes.iter().any(|node| node.ty.bits == 64);
    Obligation {
        values: meaning.values,
        lhs,
        rhs,
        facts,
        narrow_facts,
        lhs_defined,
        rhs_defined,
        is_wide,
    }
}

/// Variables lie within their types.
pub(crate) fn in_type_range(meaning: &mut Meaning<'_>, state: &State) -> Vec<ValueId> {
    let mut facts = Vec::new();
    let names = meaning.names.clone();
    for (class, name) in names {
        let ty =
            state.nodes.iter().find(|node| state.class(node.class) == class).map(|node| node.ty);
        if let Some(ty) = ty
            && ty.domain() == Domain::Whole
            && let Some((least, greatest)) = ty.range()
        {
            let var = meaning.values.var(&name, Domain::Whole);
            facts.extend(meaning.between(var, least, greatest));
        }
    }
    facts
}

/// Classes whose value, beyond its lowest bits, decides the value of a node.
pub(crate) fn sensitive(
    state: &State,
    node: NodeId,
    within: bool,
    found: &mut FxHashSet<usize>,
    seen: &mut FxHashSet<(NodeId, bool)>,
) {
    if !seen.insert((state.find(node), within)) {
        return;
    }
    let known = state.node(node);
    if within {
        found.insert(state.class(known.class));
    }
    // A node that `mutate` returned has the value of what it was given.
    let mut nodes: Vec<NodeId> = vec![node];
    if known.shape.is_none() {
        let class = state.class(known.class);
        nodes.extend((0..state.nodes.len()).filter(|other| {
            state.find(*other) == *other
                && state.class(state.nodes[*other].class) == class
                && state.nodes[*other].shape.is_some()
        }));
    }
    for node in nodes {
        let Some(shape) = state.shape(node) else { continue };
        let is_ring =
            matches!(shape.kind, Kind::Add | Kind::Sub | Kind::Mul | Kind::Ramp | Kind::Broadcast);
        for (index, field) in shape.fields.iter().enumerate() {
            if let Field::Expr(inner) = field {
                let is_choice = shape.kind == Kind::Select && index > 0;
                sensitive(state, *inner, within || !(is_ring || is_choice), found, seen);
            }
        }
    }
}
