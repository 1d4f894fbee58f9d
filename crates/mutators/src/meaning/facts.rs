//! Facts: the decisions and assumptions of a path, as terms.

use halidom_rewrites::rules::{Domain, Fun, ValueId};

use crate::ir::kinds::Kind;
use crate::ir::node::{Field, NodeId};
use crate::ir::state::{Atom, Decision};
use crate::meaning::terms::Meaning;

impl Meaning<'_> {
    /// A fact that holds wherever its parts are defined.
    pub(crate) fn fact(&mut self, term: ValueId) -> ValueId {
        let before = self.defined.len();
        let present = self.present.len();
        let mut fact = self.term(term);
        let mut parts = self.defined.split_off(before);
        parts.append(&mut self.present.split_off(present));
        for defined in parts {
            let not = self.values.apply(Fun::Not, &[defined]);
            fact = self.values.apply(Fun::Or, &[not, fact]);
        }
        fact
    }

    /// A truth value that tells whether a statement is undefined. `mutate` returns an undefined
    /// statement exactly if its argument is undefined, so a class has one truth value.
    pub(crate) fn is_missing(&mut self, node: NodeId) -> ValueId {
        let class = self.state.class(self.state.node(node).class);
        let undefined = crate::ir::kinds::bit(Kind::Undefined);
        for other in &self.state.nodes {
            if self.state.class(other.class) == class {
                if other.not & undefined != 0 {
                    return self.values.bool(false);
                }
                if let Some(shape) = &other.shape {
                    return self.values.bool(shape.kind == Kind::Undefined);
                }
            }
        }
        self.values.var(&format!("missing {class}"), Domain::Bool)
    }

    /// The truth of a decision, as far as the known shapes decide it. Otherwise it is a new truth
    /// value; or, with `as_variables`, the truth for a node that is a variable of the IR.
    pub(crate) fn decision(&mut self, (atom, holds): Decision, as_variables: bool) -> ValueId {
        let truth = match atom {
            Atom::Term(term) => self.fact(term),
            Atom::Is(node, Kind::Undefined) => self.is_missing(node),
            Atom::Is(node, kind) => match self.state.shape(node) {
                Some(shape) => self.values.bool(shape.kind == kind),
                None if self.state.node(node).not & crate::ir::kinds::bit(kind) != 0 => {
                    self.values.bool(false)
                }
                None if as_variables => {
                    let is_kind = if self.state.node(node).is_literal {
                        matches!(kind, Kind::IntImm | Kind::UIntImm | Kind::FloatImm)
                    } else {
                        kind == Kind::Variable
                    };
                    self.values.bool(is_kind)
                }
                None => self.values.var(&format!("is {node} {}", kind.name()), Domain::Bool),
            },
            Atom::Equal(a, b) => {
                let (a, b) = (self.state.find(a), self.state.find(b));
                if a == b {
                    self.values.bool(true)
                } else if let Some(same) = self.equal_literals(a, b) {
                    same
                } else if as_variables {
                    self.values.bool(false)
                } else {
                    self.values.var(&format!("equal {a} {b}"), Domain::Bool)
                }
            }
            Atom::Literal(node, term) => {
                let node = self.state.find(node);
                let fact = self.fact(term);
                match self.state.shape(node).map(|shape| shape.kind) {
                    // A result of `mutate` has no casts of literals: if it is a scalar literal, the
                    // test decides its value.
                    None if self.state.node(node).is_literal
                        && !self.state.node(node).ty.is_vector =>
                    {
                        fact
                    }
                    Some(Kind::IntImm | Kind::UIntImm | Kind::FloatImm) => fact,
                    None if as_variables && !self.state.node(node).is_literal => {
                        self.values.bool(false)
                    }
                    None if as_variables => fact,
                    _ => {
                        let is = self.values.var(&format!("literal {node}"), Domain::Bool);
                        self.values.apply(Fun::And, &[is, fact])
                    }
                }
            }
            Atom::Choice(number) => self.values.var(&format!("choice {number}"), Domain::Bool),
        };
        if holds { truth } else { self.values.apply(Fun::Not, &[truth]) }
    }

    /// The equality of two scalar nodes, if both are known to be literals.
    fn equal_literals(&mut self, a: NodeId, b: NodeId) -> Option<ValueId> {
        let is_literal = |node: NodeId| {
            let known = self.state.node(node);
            known.is_literal
                || known
                    .shape
                    .as_ref()
                    .is_some_and(|shape| matches!(shape.fields.as_slice(), [Field::Number(_)]))
        };
        let (ty, other) = (self.state.node(a).ty, self.state.node(b).ty);
        // A ramp and a broadcast may agree in one lane.
        if !is_literal(a) || !is_literal(b) || ty != other || ty.is_vector {
            return None;
        }
        let (a, b) = (self.node(a), self.node(b));
        Some(self.values.apply(Fun::Eq, &[a, b]))
    }

    /// The facts that earlier arms did not fire.
    pub(crate) fn not_taken(&mut self, as_variables: bool) -> Vec<ValueId> {
        let mut facts = Vec::new();
        // A failed test reveals more once the node is known to be a literal.
        for decision in &self.state.trail {
            if let (Atom::Literal(..) | Atom::Equal(..), false) = decision {
                facts.push(self.decision(*decision, as_variables));
            }
        }
        facts.retain(|fact| self.values.as_number(*fact) != Some(1));
        for arm in &self.state.not_all {
            let mut all = self.values.bool(true);
            for decision in arm.iter() {
                let holds = self.decision(*decision, as_variables);
                all = self.values.apply(Fun::And, &[all, holds]);
            }
            let fact = self.values.apply(Fun::Not, &[all]);
            if self.values.as_number(fact) != Some(1) {
                facts.push(fact);
            }
        }
        facts
    }

    /// All facts that are known on the path.
    pub(crate) fn facts(&mut self) -> Vec<ValueId> {
        let mut facts: Vec<ValueId> =
            self.state.facts.iter().map(|fact| self.fact(*fact)).collect();
        self.indeterminate(&mut facts);
        facts.extend(self.guards_that_hold());
        facts.append(&mut self.equations);
        facts.retain(|fact| self.values.as_number(*fact) != Some(1));
        facts.sort();
        facts.dedup();
        facts
    }

    /// Adds that a node which `mutate` returned is marked as divided by 0 only if its argument
    /// divides by 0.
    fn indeterminate(&mut self, facts: &mut Vec<ValueId>) {
        for (_, node) in &self.state.mutated {
            let known = self.state.node(*node);
            if known.intrinsic.as_deref() != Some("indeterminate_expression") {
                continue;
            }
            let class = self.state.class(known.class);
            let own = self.state.find(*node);
            let nodes = self.shapes.get(&class).cloned().unwrap_or_default();
            if let Some(other) = nodes.into_iter().find(|other| *other != own) {
                let before = self.defined.len();
                let _ = self.shape(other);
                let mut all = self.values.bool(true);
                for defined in self.defined.split_off(before) {
                    all = self.values.apply(Fun::And, &[all, defined]);
                }
                facts.push(self.values.apply(Fun::Not, &[all]));
            }
        }
    }

    /// Bounds of the examined lane: facts that always hold, and narrower bounds that suffice in the
    /// search for a counterexample.
    pub(crate) fn lane_facts(&mut self) -> (Vec<ValueId>, Vec<ValueId>) {
        let lanes = self.values.vars().to_vec();
        let (mut facts, mut narrow) = (Vec::new(), Vec::new());
        for (name, domain) in &lanes {
            if name == "lanes" {
                let lanes = self.values.var(name, *domain);
                facts.extend(self.between(lanes, 2, (1 << 16) - 1));
            }
            if name == "lane[n]" {
                let lane = self.values.var(name, *domain);
                if domain.wraps() {
                    narrow.extend(self.between(lane, 0, 1));
                } else {
                    facts.extend(self.between(lane, 0, (1 << 16) - 2));
                    if let Some((_, of)) = lanes.iter().find(|(name, _)| name == "lanes")
                        && of == domain
                    {
                        let lanes = self.values.var("lanes", *of);
                        let below = self.values.apply(Fun::Lt, &[lane, lanes]);
                        facts.push(below);
                    }
                }
            }
        }
        (facts, narrow)
    }

    /// Claims that nothing built since the last call overflows where overflow is excluded.
    pub(crate) fn no_overflow(&mut self) -> Vec<ValueId> {
        let mut facts = Vec::new();
        for (term, ty) in std::mem::take(&mut self.ranged) {
            if let Some((least, greatest)) = ty.range() {
                facts.extend(self.between(term, least, greatest));
            }
        }
        facts
    }

    /// The facts that a term lies within bounds.
    pub(crate) fn between(&mut self, term: ValueId, least: i128, greatest: i128) -> [ValueId; 2] {
        let domain = self.values.domain(term);
        let (least, greatest) =
            (self.values.number(least, domain), self.values.number(greatest, domain));
        let below = self.values.apply(Fun::Lt, &[term, least]);
        let above = self.values.apply(Fun::Lt, &[greatest, term]);
        [self.values.apply(Fun::Not, &[below]), self.values.apply(Fun::Not, &[above])]
    }
}
