//! The claims at the end of a path.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::{Decision, Domain, Fun, Node, Obligation, ValueId, Values};

use crate::ir::kinds::Kind;
use crate::ir::node::{Field, NodeId};
use crate::ir::state::State;
use crate::machine::run::{End, Machine};
use crate::meaning::terms::Meaning;

/// The value of the input, the facts that hold on the path, and narrower bounds that suffice in the
/// search for a counterexample.
pub(crate) fn premises(
    meaning: &mut Meaning<'_>,
    input: NodeId,
) -> (ValueId, Vec<ValueId>, Vec<ValueId>) {
    let lhs = meaning.node(input);
    let mut facts = meaning.defined.clone();
    meaning.defined.clear();
    facts.append(&mut meaning.present);
    facts.extend(meaning.facts());
    let (always, narrow) = meaning.lane_facts();
    facts.extend(always);
    (lhs, facts, narrow)
}

/// Builds a claim's terms in a fixed order.
pub(crate) fn assemble(
    meaning: &mut Meaning<'_>,
    state: &State,
    input: NodeId,
    result: NodeId,
    not_taken: Option<bool>,
) -> (ValueId, ValueId, Vec<ValueId>, Vec<ValueId>, Vec<ValueId>, Vec<ValueId>) {
    let lhs = meaning.node(input);
    let lhs_defined = std::mem::take(&mut meaning.defined);
    // Where overflow is excluded, nothing in the input overflows.
    let ranged = std::mem::take(&mut meaning.ranged);
    let (lhs, rhs) = if meaning.is_open() {
        let here = std::mem::take(&mut meaning.present);
        meaning.result_of(result, lhs, here, &lhs_defined)
    } else {
        (lhs, meaning.node(result))
    };
    meaning.emitted();
    let rhs_defined = std::mem::take(&mut meaning.defined);
    let mut facts = meaning.facts();
    if let Some(as_variables) = not_taken {
        meaning.ranged = ranged;
        facts.extend(meaning.no_overflow());
        facts.extend(in_type_range(meaning, state));
        facts.extend(meaning.not_taken(as_variables));
        facts.append(&mut meaning.equations);
    }
    let (always, narrow) = meaning.lane_facts();
    facts.extend(always);
    (lhs, rhs, lhs_defined, rhs_defined, facts, narrow)
}

pub(crate) fn obligation(
    profile: &Profile,
    machine: &Machine<'_>,
    input: NodeId,
    result: NodeId,
    end: &End,
    not_taken: Option<bool>,
) -> Obligation {
    let mut meaning = Meaning::new(&end.state, &machine.values, profile, false);
    let (lhs, rhs, lhs_defined, rhs_defined, facts, tried) =
        assemble(&mut meaning, &end.state, input, result, not_taken);
    let is_wide = end.state.nodes.iter().any(|node| node.ty.bits == 64);
    Obligation {
        values: meaning.values,
        lhs,
        rhs,
        facts,
        narrow_facts: Vec::new(),
        tried,
        lhs_defined,
        rhs_defined,
        is_wide,
    }
}

/// Builds the claim without the learnt shapes that the result does not use, and only with the facts
/// that share variables with the claim. It is the same on many paths, and enough for many of them.
pub(crate) fn flat(
    profile: &Profile,
    machine: &Machine<'_>,
    input: NodeId,
    result: NodeId,
    end: &End,
) -> Obligation {
    let mut meaning = Meaning::new(&end.state, &machine.values, profile, false);
    meaning.is_flat = true;
    meaning.need(result);
    let (lhs, rhs, lhs_defined, rhs_defined, facts, tried) =
        assemble(&mut meaning, &end.state, input, result, None);
    let mut about = vec![lhs, rhs];
    about.extend(lhs_defined.iter().chain(&rhs_defined));
    let facts = connected(&meaning.values, facts, &about);
    let is_wide = end.state.nodes.iter().any(|node| node.ty.bits == 64);
    let mut values = meaning.values;
    let mut claim = Obligation {
        values: Values::default(),
        lhs,
        rhs,
        facts,
        narrow_facts: Vec::new(),
        tried,
        lhs_defined,
        rhs_defined,
        is_wide,
    };
    rebuild(&mut values, &mut claim);
    claim
}

/// A claim without its facts, which many paths share; `None` if it has no facts.
pub(crate) fn bare(claim: &Obligation) -> Option<Obligation> {
    if claim.facts.is_empty() {
        return None;
    }
    let mut bare = claim.clone();
    bare.facts.clear();
    bare.tried.clear();
    let mut values = std::mem::take(&mut bare.values);
    rebuild(&mut values, &mut bare);
    Some(bare)
}

/// Turns a claim that only compares and chooses into one about integers of every type, which many
/// types share; `None` for other claims.
pub(crate) fn of_every_type(claim: &Obligation) -> Option<Obligation> {
    let mut shared = claim.clone();
    let mut about = vec![claim.lhs, claim.rhs];
    about.extend(claim.lhs_defined.iter().chain(&claim.rhs_defined));
    shared.facts = connected(&claim.values, std::mem::take(&mut shared.facts), &about);
    let mut values = std::mem::take(&mut shared.values);
    rebuild(&mut values, &mut shared).then_some(shared)
}

/// The facts that share variables with terms, directly or through other facts.
pub(crate) fn connected(values: &Values, facts: Vec<ValueId>, about: &[ValueId]) -> Vec<ValueId> {
    let vars = |term: ValueId| {
        let mut found = FxHashSet::default();
        values.visit(term, &mut |part| {
            if matches!(values.node(part), Node::Var(_)) {
                found.insert(part);
            }
        });
        found
    };
    let mut known: FxHashSet<ValueId> = about.iter().flat_map(|term| vars(*term)).collect();
    let mut open: Vec<(ValueId, FxHashSet<ValueId>)> =
        facts.into_iter().map(|fact| (fact, vars(fact))).collect();
    let mut kept = Vec::new();
    loop {
        let (near, far): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|(_, vars)| vars.is_empty() || !vars.is_disjoint(&known));
        if near.is_empty() {
            break;
        }
        for (fact, vars) in near {
            known.extend(vars);
            kept.push(fact);
        }
        open = far;
    }
    kept.sort();
    kept
}

/// Rebuilds a claim's terms in a fixed order and numbers the variables in the order of their
/// occurrence, so that equal claims look equal. Returns true if the claim became one about integers
/// of every type.
fn rebuild(old: &mut Values, claim: &mut Obligation) -> bool {
    let sides = claim.lhs_defined.iter().chain(&claim.rhs_defined);
    let is_order = sides.chain([&claim.lhs, &claim.rhs]).all(|term| speaks_of_order(old, *term));
    if is_order {
        // Fewer facts prove less, but for every type at once.
        claim.facts.retain(|fact| speaks_of_order(old, *fact));
        claim.tried.clear();
    }
    let mut copier = Copier {
        old,
        new: Values::default(),
        names: Vec::new(),
        done: FxHashMap::default(),
        is_order,
    };
    claim.lhs = copier.copy(claim.lhs);
    claim.rhs = copier.copy(claim.rhs);
    for terms in
        [&mut claim.lhs_defined, &mut claim.rhs_defined, &mut claim.facts, &mut claim.tried]
    {
        for term in terms.iter_mut() {
            *term = copier.copy(*term);
        }
    }
    claim.values = copier.new;
    // An integer of any type is not known to have 32 bits.
    claim.is_wide |= is_order;
    is_order
}

/// Tests whether a term only compares and chooses. If it holds for all integers, it then holds for
/// the integers of each type.
fn speaks_of_order(values: &Values, term: ValueId) -> bool {
    let mut is_order = true;
    values.visit(term, &mut |part| {
        is_order &= values.domain(part) != Domain::Real;
        if let Node::Apply(fun, operands) = values.node(part) {
            is_order &= match fun {
                Fun::Lt | Fun::Eq | Fun::And | Fun::Or | Fun::Not | Fun::Ite => true,
                // The same number in a wider type; an integer may be of any width.
                Fun::Convert => {
                    let from = values.domain(operands[0]);
                    from != Domain::Whole && values.domain(part).contains(from)
                }
                Fun::Add | Fun::Sub | Fun::Mul | Fun::Div | Fun::Mod => false,
            };
        }
    });
    is_order
}

struct Copier<'v> {
    old: &'v Values,
    new: Values,
    names: Vec<String>,
    done: FxHashMap<ValueId, ValueId>,
    /// True if integers of every type are treated as unbounded integers.
    is_order: bool,
}

impl Copier<'_> {
    fn copy(&mut self, term: ValueId) -> ValueId {
        if let Some(known) = self.done.get(&term) {
            return *known;
        }
        let copied = self.new_copy(term);
        self.done.insert(term, copied);
        copied
    }

    fn new_copy(&mut self, term: ValueId) -> ValueId {
        let domain = match self.old.domain(term) {
            domain if self.is_order && domain.wraps() => Domain::Whole,
            domain => domain,
        };
        match self.old.node(term).clone() {
            Node::Var(index) => {
                let name = &self.old.vars()[index as usize].0;
                // Names with a meaning for the prover stay, and the first letters of the others
                // stay.
                if name.starts_with("lane") {
                    return self.new.var(name, domain);
                }
                let index = self.names.iter().position(|known| known == name);
                let index = index.unwrap_or_else(|| {
                    self.names.push(name.clone());
                    self.names.len() - 1
                });
                let prefix = if name.starts_with('c') { 'c' } else { 'x' };
                self.new.var(&format!("{prefix}{index}"), domain)
            }
            Node::Number(value) => self.new.number(value, domain),
            Node::Apply(Fun::Convert, operands) if self.is_order => self.copy(operands[0]),
            Node::Apply(Fun::Convert, operands) => {
                let operand = self.copy(operands[0]);
                self.new.convert(operand, domain)
            }
            Node::Apply(fun, operands) => {
                let operands: Vec<ValueId> =
                    operands.iter().map(|operand| self.copy(*operand)).collect();
                self.new.apply(fun, &operands)
            }
        }
    }
}

/// The claim that the last fact of a path contradicts the facts that share variables with it, in a
/// form that is the same on many paths. `None` if the path has no facts.
pub(crate) fn flat_fact(profile: &Profile, machine: &Machine<'_>, end: &End) -> Option<Obligation> {
    let mut meaning = Meaning::new(&end.state, &machine.values, profile, false);
    meaning.is_flat = true;
    let facts = meaning.facts();
    let bad = meaning.fact(*end.state.facts.last()?);
    let truth = meaning.values.bool(true);
    let refuted = meaning.values.bool(false);
    let facts = connected(&meaning.values, facts, &[bad]);
    let mut values = meaning.values;
    let mut claim = Obligation {
        values: Values::default(),
        lhs: bad,
        rhs: refuted,
        facts,
        narrow_facts: Vec::new(),
        tried: Vec::new(),
        lhs_defined: vec![truth],
        rhs_defined: Vec::new(),
        is_wide: true,
    };
    rebuild(&mut values, &mut claim);
    Some(claim)
}

/// Decides a claim that a solver did not decide, with more facts; `None` if that does not help.
/// First, any number that the facts admit stands for each quotient and remainder: a claim that is
/// proved of every number is proved.
pub(crate) fn with_more_facts(
    claim: &Obligation,
    decide: &mut dyn FnMut(&Obligation) -> Decision,
) -> Option<Decision> {
    let more = with_remainders(claim)?;
    let proved = decide(&without_divisions(&more));
    if matches!(proved, Decision::Proved | Decision::Vacuous) {
        return Some(proved);
    }
    Some(decide(&more)).filter(|other| !matches!(other, Decision::Unknown(_)))
}

/// The claim with what a solver does not find out about quotients and remainders by something that
/// is not constant: of a number below the divisor they are 0 and the number, and of 0 they are 0.
/// Nor does it find out that integers have the order of the unsigned numbers that they are. `None`
/// if there are none of both.
fn with_remainders(claim: &Obligation) -> Option<Obligation> {
    let mut more = claim.clone();
    let mut found: Vec<ValueId> = Vec::new();
    let sides = claim.lhs_defined.iter().chain(&claim.rhs_defined).chain(&claim.facts);
    for term in sides.chain([&claim.lhs, &claim.rhs]) {
        claim.values.visit(*term, &mut |part| {
            let is_it = matches!(claim.values.node(part), Node::Apply(Fun::Div | Fun::Mod, operands)
                if claim.values.as_number(operands[1]).is_none());
            let is_whole = !matches!(claim.values.domain(part), Domain::Real | Domain::Bool);
            if is_it && is_whole && !found.contains(&part) {
                found.push(part);
            }
        });
    }
    for part in &found {
        let Node::Apply(fun, operands) = claim.values.node(*part).clone() else { continue };
        let values = &mut more.values;
        let (a, b, zero) = (operands[0], operands[1], values.number(0, values.domain(*part)));
        let is_negative = values.apply(Fun::Lt, &[a, zero]);
        let is_below = values.apply(Fun::Lt, &[a, b]);
        let is_not_below = values.apply(Fun::Not, &[is_below]);
        let is_outside = values.apply(Fun::Or, &[is_negative, is_not_below]);
        let is_zero = values.apply(Fun::Eq, &[a, zero]);
        let is_other = values.apply(Fun::Not, &[is_zero]);
        let small = if fun == Fun::Div { zero } else { a };
        let is_small = values.apply(Fun::Eq, &[*part, small]);
        let is_none = values.apply(Fun::Eq, &[*part, zero]);
        let first = values.apply(Fun::Or, &[is_outside, is_small]);
        let second = values.apply(Fun::Or, &[is_other, is_none]);
        more.facts.extend([first, second]);
    }
    let wide = wide_numbers(claim);
    for a in &wide {
        for b in wide.iter().filter(|b| *b != a) {
            let values = &mut more.values;
            let zero = values.number(0, Domain::Whole);
            let is_less = values.apply(Fun::Lt, &[*a, *b]);
            let distance = values.apply(Fun::Sub, &[*a, *b]);
            let is_negative = values.apply(Fun::Lt, &[distance, zero]);
            let same = values.apply(Fun::Eq, &[is_less, is_negative]);
            more.facts.push(same);
        }
    }
    (!found.is_empty() || wide.len() > 1).then_some(more)
}

/// The most unsigned numbers of 64 bits whose order is told to the solver.
const MAX_WIDE: usize = 4;

/// The unsigned numbers of 64 bits of a claim that are also looked at as integers.
fn wide_numbers(claim: &Obligation) -> Vec<ValueId> {
    let mut wide = Vec::new();
    let sides = claim.lhs_defined.iter().chain(&claim.rhs_defined).chain(&claim.facts);
    for term in sides.chain([&claim.lhs, &claim.rhs]) {
        claim.values.visit(*term, &mut |part| {
            let is_it = matches!(claim.values.node(part), Node::Apply(Fun::Convert, of)
                if claim.values.domain(of[0]) == Domain::Unsigned(64));
            let is_whole = claim.values.domain(part) == Domain::Whole;
            if is_it && is_whole && !wide.contains(&part) && wide.len() < MAX_WIDE {
                wide.push(part);
            }
        });
    }
    wide
}

/// A claim of [`with_remainders`] where each quotient and remainder by something that is not
/// constant is any number that the facts about it admit.
fn without_divisions(claim: &Obligation) -> Obligation {
    let mut less = claim.clone();
    let mut names = 0;
    loop {
        let mut found = None;
        let sides = less.lhs_defined.iter().chain(&less.rhs_defined).chain(&less.facts);
        for term in sides.chain(&less.narrow_facts).chain([&less.lhs, &less.rhs]) {
            less.values.visit(*term, &mut |part| {
                let is_it = matches!(less.values.node(part), Node::Apply(Fun::Div | Fun::Mod, of)
                    if less.values.as_number(of[1]).is_none());
                let is_whole = !matches!(less.values.domain(part), Domain::Real | Domain::Bool);
                if is_it && is_whole {
                    found = Some(part);
                }
            });
        }
        let Some(part) = found else { return less };
        names += 1;
        let domain = less.values.domain(part);
        let by = less.values.var(&format!("some quotient or remainder {names}"), domain);
        let lists = [
            &mut less.facts,
            &mut less.narrow_facts,
            &mut less.lhs_defined,
            &mut less.rhs_defined,
            &mut less.tried,
        ];
        for term in lists.into_iter().flatten().chain([&mut less.lhs, &mut less.rhs]) {
            *term = less.values.replace(*term, part, by);
        }
    }
}

/// Facts that variables lie within their types.
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

/// Collects the classes whose values decide the value of a node by more than their lowest bits.
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
    // A node that `mutate` returned has the value of its argument.
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
