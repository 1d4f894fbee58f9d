//! Conversions of expressions, as functions of the API make them.
//!
//! # Correctness
//!
//! `cast` makes a literal of a literal, a broadcast of a broadcast or of a scalar that gets lanes,
//! and otherwise a `Cast` node (`IROperator`). It refuses addresses. Of an expression about which
//! nothing is known, the result has the value of a `Cast` node, and may be a node of each of these
//! kinds; the node is at most a `Cast` node in the order on IR. A truth value is an exception: as a
//! literal it is the last bit of its number, and a `Cast` node tests whether the number is 0.

use halidom_rewrites::rules::ValueId;

use crate::ir::kinds::{Code, Kind, Type, bit};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::machine::run::{Machine, Outcome};

impl Machine<'_> {
    /// Converts two expressions to a common type (`match_types` in `IROperator.cpp`).
    /// It refuses an address next to something else: then the path ends.
    pub(super) fn match_types(
        &mut self,
        a: NodeId,
        b: NodeId,
        s: &mut State,
        line: usize,
    ) -> Option<(NodeId, NodeId)> {
        let (mut a, mut b) = (a, b);
        let (ta, tb) = (s.node(a).ty, s.node(b).ty);
        if ta != tb && (ta.code == Code::Handle || tb.code == Code::Handle) {
            let what = "an operator on an address and something else".to_owned();
            self.end(s.clone(), Outcome::Rejected(what), line);
            return None;
        }
        if ta.is_vector && !tb.is_vector {
            b = Self::broadcast(b, s);
        } else if tb.is_vector && !ta.is_vector {
            a = Self::broadcast(a, s);
        }
        let (ta, tb) = (s.node(a).ty, s.node(b).ty);
        if ta == tb {
            return Some((a, b));
        }
        let common = match (ta.code, tb.code) {
            (Code::Float, Code::Float) => {
                if ta.bits > tb.bits {
                    ta
                } else {
                    tb
                }
            }
            (Code::Float, _) => ta,
            (_, Code::Float) => tb,
            (Code::UInt, Code::UInt) => Type { bits: ta.bits.max(tb.bits), ..ta },
            _ => {
                let is_unsigned = self.profile.name == "heterocl"
                    && (ta.code == Code::UInt || tb.code == Code::UInt);
                let code = if is_unsigned { Code::UInt } else { Code::Int };
                Type { code, bits: ta.bits.max(tb.bits), ..ta }
            }
        };
        Some((self.cast(common, a, s, line)?, self.cast(common, b, s, line)?))
    }

    /// `cast(ty, e)`; `None` if the compiler fails, where the path ends.
    pub(super) fn cast(
        &mut self,
        ty: Type,
        node: NodeId,
        state: &mut State,
        line: usize,
    ) -> Option<NodeId> {
        let of = state.node(node).ty;
        if of != ty && (of.code == Code::Handle || ty.code == Code::Handle) {
            let what = "a cast of an address".to_owned();
            self.end(state.clone(), Outcome::Rejected(what), line);
            return None;
        }
        if of.is_vector && !ty.is_vector {
            let what = "a cast of a vector to a scalar".to_owned();
            self.end(state.clone(), Outcome::Unsupported(what), line);
            return None;
        }
        Some(self.converted(ty, node, state))
    }

    /// An expression as one of a type that may have lanes where its own has none.
    fn converted(&mut self, ty: Type, node: NodeId, state: &mut State) -> NodeId {
        let of = state.node(node).ty;
        if of == ty {
            return node;
        }
        if ty.is_vector && !of.is_vector {
            let lane = self.converted(ty.element(), node, state);
            return Self::broadcast(lane, state);
        }
        let plain = Shape { kind: Kind::Cast, fields: vec![Field::Expr(node)] };
        let Some(Shape { kind, fields }) = state.shape(node).cloned() else {
            return self.perhaps_folded(ty, node, plain, state);
        };
        match (kind, fields.as_slice()) {
            (Kind::IntImm | Kind::UIntImm | Kind::FloatImm, [Field::Number(number)]) => {
                match self.converted_literal(ty, of, *number, state) {
                    Some(literal) => literal,
                    None => self.perhaps_folded(ty, node, plain, state),
                }
            }
            (Kind::Broadcast, [Field::Expr(inner), ..]) => {
                let lane = self.converted(ty.element(), *inner, state);
                let made = Self::broadcast(lane, state);
                let lanes = state.widths.iter().find(|(known, _)| state.is_same(*known, node));
                if let Some((_, lanes)) = lanes.copied() {
                    state.widths.push((made, lanes));
                }
                made
            }
            _ => state.add(ty, None, Some(plain)),
        }
    }

    /// `make_const(ty, number)` of a literal's number; `None` if it is not followed.
    fn converted_literal(
        &mut self,
        ty: Type,
        of: Type,
        number: ValueId,
        state: &mut State,
    ) -> Option<NodeId> {
        if let Some(range) = of.range() {
            let num = self.host_number(number, range, of.code == Code::Int);
            return Some(self.literal(ty, num, state));
        }
        if ty.code == Code::Float {
            let shape = Shape { kind: Kind::FloatImm, fields: vec![Field::Number(number)] };
            return Some(state.add(ty, None, Some(shape)));
        }
        // C++ keeps a whole number that the type holds.
        let (least, greatest) = ty.range()?;
        let whole = self.values.as_number(number).filter(|of| (least..=greatest).contains(of))?;
        let num = self.number(whole, 64, ty.code == Code::Int);
        Some(self.literal(ty, num, state))
    }

    /// The `cast` of an expression that may be a literal, or a broadcast.
    fn perhaps_folded(
        &mut self,
        ty: Type,
        node: NodeId,
        plain: Shape,
        state: &mut State,
    ) -> NodeId {
        let of = state.node(node);
        let is_other = of.shape.is_none() && of.not & folded(of.ty) != 0;
        let is_bit = ty.is_bool() && !of.ty.is_bool();
        let made = state.add(ty, None, Some(plain));
        if is_other {
            return made;
        }
        self.has_chosen |= self.is_concrete();
        if is_bit {
            return state.add(ty, None, None);
        }
        let class = state.node(made).class;
        let result = state.add(ty, Some(class), None);
        state.node_mut(result).not |= !(bit(Kind::Cast) | folded(ty));
        state.folded.push((made, result));
        result
    }

    /// An expression in every lane.
    pub(crate) fn broadcast(node: NodeId, state: &mut State) -> NodeId {
        let ty = state.node(node).ty.with_vector(true);
        let fields = vec![Field::Expr(node), Field::Lanes];
        state.add(ty, None, Some(Shape { kind: Kind::Broadcast, fields }))
    }
}

/// The kind of node, as a bit, that `cast` to a type does not turn into a `Cast` node.
fn folded(ty: Type) -> u128 {
    bit(match ty.code {
        _ if ty.is_vector => Kind::Broadcast,
        Code::Int => Kind::IntImm,
        Code::UInt => Kind::UIntImm,
        _ => Kind::FloatImm,
    })
}
