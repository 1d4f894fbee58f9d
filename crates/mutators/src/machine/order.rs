//! The order on IR in which mutators descend.
//!
//! # Correctness
//!
//! It is a Knuth-Bendix order on trees of kinds, in which names, types and numbers do not count
//! (Knuth and Bendix, *Simple word problems in universal algebras*, 1970). A node weighs the sum of
//! the weights of its nodes, each at least 1. Of two nodes, the heavier is greater; of two of one
//! weight, the one of the higher kind; of two of one kind, the one whose operands are greater,
//! compared from the last to the first, but of a block or a fork from the first to the last. So the
//! order has no infinite descent, a node is greater than its parts, and a greater operand makes a
//! greater node. A kind with a missing operand, or with another number of operands, is another
//! kind, which is compared by weight alone.
//!
//! `make` nests a block of a block anew, which leaves its weight and makes its first statement
//! less. So a block that `make` made is at most what it was made of, and that stands for it on the
//! lesser side.
//!
//! A path knows some of the nodes only in part. What is shown here holds for all that they may be:
//! an unknown part weighs at least 1, and what `mutate` returned is not greater than its argument.

use std::collections::BTreeMap;

use halidom_sums::{Product, Sum};

use crate::ir::kinds::{Kind, Type, bit};
use crate::ir::node::{Field, NodeId};
use crate::ir::state::State;

/// The depth of nodes beyond which nothing is shown.
const MAX_DEPTH: usize = 24;

/// The number of steps of one comparison.
const MAX_STEPS: usize = 400;

/// The relation of one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Greater,
    AtLeast,
    Equal,
}

/// The assumption of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rests {
    /// It holds whatever `mutate` returns.
    OnNothing,
    /// It holds if `mutate` returns nothing greater than its argument.
    OnResults,
}

/// Tests whether a node is less than another, for all that their unknown parts may be. Each pass
/// has one order: that of emitters ranks calls below all operators.
pub(crate) fn is_less(
    node: NodeId,
    than: NodeId,
    state: &State,
    is_printed: bool,
) -> Option<Rests> {
    [(Rests::OnNothing, state.folded.clone()), (Rests::OnResults, results(state))]
        .into_iter()
        .find(|(_, shrunk)| {
            let mut search = Search { state, shrunk, steps: MAX_STEPS, is_printed };
            search.compare(than, node, 0) == Some(Relation::Greater)
        })
        .map(|(rests, _)| rests)
}

/// Tests whether a node is at most another, if `mutate` returns nothing greater than its argument.
pub(crate) fn is_not_greater(node: NodeId, than: NodeId, state: &State) -> bool {
    let shrunk = results(state);
    let mut search = Search { state, shrunk: &shrunk, steps: MAX_STEPS, is_printed: false };
    search.compare(than, node, 0).is_some()
}

/// The results that are not greater than their arguments, if those of `mutate` are not.
fn results(state: &State) -> Vec<(NodeId, NodeId)> {
    state.folded.iter().chain(&state.shrunk).copied().collect()
}

/// A weight: a number, and the weights of unknown parts, as often as each occurs.
type Weight = Sum<Product<NodeId>>;

/// The unknown parts of a weight, each with its count.
fn unknown(weight: &Weight) -> impl Iterator<Item = (NodeId, i128)> {
    weight.terms().filter_map(|(part, count)| match part {
        Product::Atom(part) => Some((*part, count)),
        // A weight has no products.
        Product::One | Product::Atoms(_) => None,
    })
}

/// The least number that a weight can be, if no unknown part counts negatively.
fn least(weight: &Weight, state: &State) -> Option<i128> {
    unknown(weight).try_fold(weight.constant_part(), |sum, (part, count)| {
        let least = if count > 0 { count * least_weight(part, state) } else { return None };
        sum.checked_add(least)
    })
}

/// A comparison with a limited number of steps.
struct Search<'s> {
    state: &'s State,
    /// The arguments of `mutate` and of casts, and the results that are not greater.
    shrunk: &'s [(NodeId, NodeId)],
    steps: usize,
    /// True if the order is that of emitters.
    is_printed: bool,
}

impl Search<'_> {
    /// Compares nodes; `None` if nothing is shown.
    fn compare(&mut self, a: NodeId, b: NodeId, depth: usize) -> Option<Relation> {
        self.steps = self.steps.checked_sub(1)?;
        let state = self.state;
        let (a, b) = (state.find(a), state.find(b));
        if a == b {
            return Some(Relation::Equal);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        // A part of `a` is at least `b`.
        for part in parts(a, state).unwrap_or_default() {
            if state.occurs(b, part) {
                return Some(Relation::Greater);
            }
        }
        let difference = self.difference(a, b);
        if difference.as_ref().is_some_and(|known| self.is_at_least(known, 1, 0)) {
            return Some(Relation::Greater);
        }
        if difference.is_some_and(|known| self.is_at_least(&known, 0, 0))
            && let Some(relation) = self.of_one_weight(a, b, depth)
        {
            return Some(relation);
        }
        self.through_mutate(a, b, depth)
    }

    /// Compares nodes, the first of which weighs at least as much as the second.
    fn of_one_weight(&mut self, a: NodeId, b: NodeId, depth: usize) -> Option<Relation> {
        let state = self.state;
        let (first, second) = (state.shape(a), state.shape(b)?);
        let Some(first) = first else {
            // All that is not a literal is greater than a literal of its weight.
            return (is_literal(second.kind) && excludes_literals(a, state))
                .then_some(Relation::Greater);
        };
        let (of_a, of_b) = (parts(a, state)?, parts(b, state)?);
        let [rank_of_a, rank_of_b] =
            [first.kind, second.kind].map(|kind| rank(kind, self.is_printed));
        if rank_of_a != rank_of_b {
            return (rank_of_a > rank_of_b).then_some(Relation::Greater);
        }
        if first.kind != second.kind || of_a.len() != of_b.len() {
            return None;
        }
        if !state.is_nested(a) {
            return None;
        }
        let mut pairs: Vec<(NodeId, NodeId)> = of_a.into_iter().zip(of_b).collect();
        if !matches!(first.kind, Kind::Block | Kind::Fork) {
            pairs.reverse();
        }
        let mut relation = Relation::Equal;
        for (a, b) in pairs {
            match self.compare(a, b, depth + 1)? {
                Relation::Greater => return Some(Relation::Greater),
                Relation::AtLeast => relation = Relation::AtLeast,
                Relation::Equal => {}
            }
        }
        Some(relation)
    }

    /// Compares nodes through the results of `mutate`: each is at most its argument.
    fn through_mutate(&mut self, a: NodeId, b: NodeId, depth: usize) -> Option<Relation> {
        let state = self.state;
        for (argument, result) in self.shrunk {
            if state.find(*argument) == a && state.find(*result) != a {
                match self.compare(*result, b, depth + 1) {
                    Some(Relation::Greater) => return Some(Relation::Greater),
                    Some(_) => return Some(Relation::AtLeast),
                    None => {}
                }
            }
        }
        for (argument, result) in self.shrunk {
            if state.find(*result) == b && state.find(*argument) != b {
                match self.compare(a, *argument, depth + 1) {
                    Some(Relation::Greater) => return Some(Relation::Greater),
                    Some(_) => return Some(Relation::AtLeast),
                    None => {}
                }
            }
        }
        None
    }

    /// The weight of one node less that of another.
    fn difference(&self, a: NodeId, b: NodeId) -> Option<Weight> {
        self.weight(a)?.plus(&self.weight(b)?, -1)
    }

    /// Tests whether a weight is at least a number. A part that counts negatively and that `mutate`
    /// returned is replaced by its argument, which weighs at least as much.
    fn is_at_least(&self, weight: &Weight, number: i128, depth: usize) -> bool {
        if let Some(known) = least(weight, self.state) {
            return known >= number;
        }
        let mut negative = unknown(weight).filter(|(_, count)| *count < 0);
        let Some((part, count)) = negative.next() else { return false };
        if depth > 8 {
            return false;
        }
        let rest = |(argument, result): &(NodeId, NodeId)| {
            let (argument, result) = (self.weight(*argument)?, self.weight(*result)?);
            let occurs = result.coefficient(&Product::Atom(part));
            if occurs == 0 || argument.coefficient(&Product::Atom(part)) != 0 {
                return None;
            }
            // The argument less the result is at least 0, so it may be taken away some times.
            weight.plus(&argument.plus(&result, -1)?, count.div_euclid(occurs))
        };
        self.shrunk.iter().filter_map(rest).any(|rest| self.is_at_least(&rest, number, depth + 1))
    }

    /// The weight of a node.
    fn weight(&self, node: NodeId) -> Option<Weight> {
        let (mut known, mut unknown) = (0, BTreeMap::new());
        self.weigh(node, &mut known, &mut unknown, 0)?;
        unknown.into_iter().try_fold(Weight::constant(known), |sum, (part, count)| {
            sum.plus(&Weight::term(Product::Atom(part), count), 1)
        })
    }

    /// Adds the weights of a node's parts: a number, and the counts of the unknown ones.
    fn weigh(
        &self,
        node: NodeId,
        known: &mut i128,
        unknown: &mut BTreeMap<NodeId, i128>,
        depth: usize,
    ) -> Option<()> {
        let state = self.state;
        let node = state.find(node);
        if state.node(node).ty == Type::NAME {
            return Some(());
        }
        if depth > MAX_DEPTH {
            return None;
        }
        match (state.shape(node), parts(node, state)) {
            (Some(shape), _) if shape.kind == Kind::Undefined => {}
            (Some(shape), Some(parts)) => {
                *known += weight_of(shape.kind);
                for part in parts {
                    self.weigh(part, known, unknown, depth + 1)?;
                }
            }
            _ => *unknown.entry(node).or_default() += 1,
        }
        Some(())
    }
}

/// The operands of a node that count, if they are known.
fn parts(node: NodeId, state: &State) -> Option<Vec<NodeId>> {
    let shape = state.shape(node)?;
    // The arguments of a call of the input may not be known yet.
    if state.node(node).is_learnt
        && shape.fields.is_empty()
        && matches!(shape.kind, Kind::Call | Kind::Shuffle | Kind::Reduce)
    {
        return None;
    }
    let inner = shape.fields.iter().filter_map(|field| match field {
        Field::Expr(inner) => Some(*inner),
        Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
    });
    let counts = |inner: &NodeId| {
        state.node(*inner).ty != Type::NAME
            && state.shape(*inner).is_none_or(|shape| shape.kind != Kind::Undefined)
    };
    Some(inner.filter(counts).collect())
}

/// The least weight of an unknown part: 0 if it may be missing.
fn least_weight(part: NodeId, state: &State) -> i128 {
    let node = state.node(part);
    i128::from(node.ty != Type::STMT || node.not & bit(Kind::Undefined) != 0)
}

fn is_literal(kind: Kind) -> bool {
    matches!(kind, Kind::IntImm | Kind::UIntImm | Kind::FloatImm)
}

/// Tests whether an unknown node is known to be no literal.
fn excludes_literals(node: NodeId, state: &State) -> bool {
    let (not, ty) = (state.node(node).not, state.node(node).ty);
    let literals = [Kind::IntImm, Kind::UIntImm, Kind::FloatImm];
    literals.into_iter().all(|kind| !kind.admits(ty) || not & bit(kind) != 0)
}

/// The weight of a kind, without operands.
fn weight_of(kind: Kind) -> i128 {
    match kind {
        Kind::NE | Kind::LE | Kind::GE => 4,
        Kind::GT => 3,
        Kind::Sub | Kind::EQ | Kind::LT => 2,
        _ => 1,
    }
}

/// The rank of a kind among those of one weight. Emitters print some operators as calls of C's
/// functions, and mutators write some calls as operators.
fn rank(kind: Kind, is_printed: bool) -> u8 {
    match kind {
        Kind::Call if is_printed => 5,
        Kind::IntImm | Kind::UIntImm | Kind::FloatImm => 0,
        Kind::Variable | Kind::StringImm => 1,
        Kind::Broadcast => 2,
        Kind::Ramp => 3,
        Kind::Cast => 4,
        Kind::Sub => 6,
        Kind::Add => 7,
        Kind::Mul => 8,
        Kind::Mod => 9,
        Kind::Div => 10,
        Kind::Min => 11,
        Kind::Max => 12,
        Kind::LT => 14,
        Kind::GT => 15,
        Kind::EQ => 16,
        Kind::LE => 17,
        Kind::GE => 18,
        Kind::NE => 19,
        Kind::Or => 20,
        Kind::And => 21,
        Kind::Not => 22,
        Kind::Select => 23,
        _ => 13,
    }
}
