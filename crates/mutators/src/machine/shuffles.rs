//! Shuffles whose vectors and indices are known.
//!
//! # Correctness
//!
//! A shuffle of a mutator's input has no known parts, so that what asks for them is unsupported.
//! Only wholly known IR has shuffles with parts: a list of vectors, and a list of literals, which
//! are the indices. Nothing is proved of such IR. Of other shuffles, a path knows those that it
//! found to be slices.

use halidom_cpp::ast::{Expr, ExprKind};

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::names::Method;
use crate::machine::run::{Machine, Outcome, Paths};

/// The members of a shuffle, in the order of its fields.
const MEMBERS: [&str; 2] = ["vectors", "indices"];

/// The greatest number of lanes of a slice that is followed.
const MAX_LANES: i128 = 64;

/// Makes a shuffle of some vectors.
pub(crate) fn shuffle(
    ty: Type,
    vectors: &[NodeId],
    indices: &[NodeId],
    state: &mut State,
) -> NodeId {
    let fields = [vectors, indices].map(|nodes| Field::Expr(state.list(nodes))).to_vec();
    state.add(ty, None, Some(Shape { kind: Kind::Shuffle, fields }))
}

/// The nodes of a member of a shuffle, if they are known.
fn part(node: NodeId, index: usize, state: &State) -> Option<Vec<NodeId>> {
    let shape = state.shape(node).filter(|shape| shape.kind == Kind::Shuffle)?;
    let Field::Expr(list) = shape.fields.get(index)? else { return None };
    Some(crate::ir::state::operands(*list, state))
}

impl<'p> Machine<'p> {
    /// Tests whether both operands of a node are known to be slices.
    pub(super) fn has_slices(node: NodeId, state: &State) -> bool {
        let Some(Shape { fields, .. }) = state.shape(node) else { return false };
        let is_slice = |field: &Field| match field {
            Field::Expr(of) => Self::is_slice(*of, state),
            Field::Number(_) | Field::Lanes | Field::Opaque(_) => false,
        };
        fields.len() == 2 && fields.iter().all(is_slice)
    }

    /// Tests whether a node was found to be a slice.
    pub(super) fn is_slice(node: NodeId, state: &State) -> bool {
        state.slices.iter().any(|known| state.find(*known) == state.find(node))
    }

    /// A member of a shuffle, if it is known.
    pub(super) fn part_of_shuffle(
        &mut self,
        node: NodeId,
        name: &str,
        state: &State,
    ) -> Option<Val> {
        let index = MEMBERS.iter().position(|member| *member == name)?;
        let nodes = part(node, index, state)?;
        if index == 0 {
            return Some(Val::List(nodes.into_iter().map(|of| Val::Expr(Some(of))).collect()));
        }
        let range = I32.range()?;
        let number = |of: NodeId| {
            let term = self.node_value(of, state);
            Val::Int(self.host_number(term, range, true))
        };
        Some(Val::List(nodes.into_iter().map(number).collect()))
    }

    /// The answer of a method of a shuffle, if it is known (`IR.cpp`). A concatenation takes all
    /// lanes in their order, and an interleaving takes one lane of each vector in turn.
    pub(super) fn known_shuffle(
        &mut self,
        node: NodeId,
        name: Method<'_>,
        state: &State,
    ) -> Option<Val> {
        let (vectors, indices) = (part(node, 0, state)?, part(node, 1, state)?);
        if name == Method::IsExtractElement {
            return Some(Val::Bool(self.values.bool(indices.len() == 1)));
        }
        let numbers: Option<Vec<i128>> = indices
            .iter()
            .map(|of| {
                let term = self.node_value(*of, state);
                self.values.as_number(term)
            })
            .collect();
        let numbers = numbers?;
        let lanes: Option<Vec<i128>> = vectors.iter().map(|of| self.lanes_of(*of, state)).collect();
        let (lanes, count) = (lanes?, i128::try_from(vectors.len()).ok()?);
        let total: i128 = lanes.iter().sum();
        let is_whole = i128::try_from(numbers.len()) == Ok(total);
        let is_it =
            |order: &dyn Fn(i128) -> i128| (0..).zip(&numbers).all(|(at, of)| order(at) == *of);
        let truth = match name {
            Method::IsSlice => {
                let first = numbers.first().copied()?;
                let stride = numbers.get(1).map_or(1, |second| second - first);
                i128::try_from(numbers.len()).is_ok_and(|taken| taken < total)
                    && is_it(&|at| first + at * stride)
            }
            Method::IsConcat => is_whole && is_it(&|at| at),
            Method::IsInterleave => {
                let first = lanes.first().copied().filter(|first| {
                    *first > 1 && lanes.iter().all(|lanes| lanes == first) && is_whole
                });
                first.is_some_and(|first| is_it(&|at| at / count + at % count * first))
            }
            _ => return None,
        };
        Some(Val::Bool(self.values.bool(truth)))
    }
    /// The lanes of a vector, or 1 for a scalar, if lanes are known.
    fn lanes_of(&self, node: NodeId, state: &State) -> Option<i128> {
        let (known, node) = (&state.widths, state.find(node));
        if let Some((_, lanes)) = known.iter().find(|(of, _)| state.find(*of) == node) {
            return Some(*lanes);
        }
        if !state.node(node).ty.is_vector {
            return Some(1);
        }
        self.lanes.and_then(|lanes| self.values.as_number(lanes.term))
    }

    /// The answer to `e.type().lanes()` or `op->type.lanes()`, where not all vectors of known IR
    /// have as many lanes; `None` for anything else.
    pub(super) fn asked_lanes(&mut self, object: &'p Expr, state: &State) -> Option<Paths<Val>> {
        if state.widths.is_empty() || !self.is_concrete() {
            return None;
        }
        let of = match &object.kind {
            ExprKind::Call { callee, arguments, .. } if arguments.is_empty() => {
                match &callee.kind {
                    ExprKind::Member { object, name, .. } if name == "type" => object,
                    _ => return None,
                }
            }
            ExprKind::Member { object, name, .. } if name == "type" => object,
            _ => return None,
        };
        let mut paths = Vec::new();
        for (state, value) in self.eval(of, state.clone()) {
            let (Val::Expr(Some(node)) | Val::Ptr(Some((node, _)))) = Self::loaded(value, &state)
            else {
                return None;
            };
            let lanes = self.lanes_of(node, &state)?;
            let lanes = Val::Int(self.number(lanes, 32, true));
            paths.push((state, lanes));
        }
        Some(paths)
    }

    /// `Shuffle::make_slice(e, begin, stride, size)` of known IR. Each lane must be there.
    pub(super) fn make_slice(
        &mut self,
        arguments: &[Val],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let [Val::Expr(Some(of)), numbers @ ..] = arguments else { return None };
        let number = |value: &Val| match value {
            Val::Int(num) => self.values.as_number(num.term),
            _ => None,
        };
        let numbers: Option<Vec<i128>> = numbers.iter().map(number).collect();
        let (&[begin, stride, size], lanes) = (&*numbers?, self.lanes_of(*of, state)?) else {
            return None;
        };
        if (begin, stride, size) == (0, 1, lanes) {
            return Some(vec![(state.clone(), arguments[0].clone())]);
        }
        if !(1..=MAX_LANES).contains(&size) {
            return None;
        }
        let taken = (0..size).map(|at| begin + at * stride);
        if taken.clone().any(|lane| lane < 0 || lanes <= lane) {
            let what = "Shuffle::make of a lane that is not there".to_owned();
            self.end(state.clone(), Outcome::Crash(what), line);
            return Some(Vec::new());
        }
        let mut state = state.clone();
        let mut literals = Vec::new();
        for lane in taken {
            let lane = self.number(lane, 32, true);
            literals.push(self.literal(I32, lane, &mut state));
        }
        let ty = state.node(*of).ty.with_vector(size > 1);
        let made = shuffle(ty, &[*of], &literals, &mut state);
        state.widths.push((made, size));
        Some(vec![(state, Val::Expr(Some(made)))])
    }
}
