//! Expressions that end: a pointer or reference into a node must not be used after the last
//! expression that holds the node.
//!
//! # Correctness
//!
//! Nodes live as long as an expression holds them. The machine does not count; it looks for a
//! holder where a pointer is read. A node lives if it is a part of one that a variable or a member
//! of the object holds. A member that was assigned becomes unknown where other methods may run, so
//! it holds nothing then. A node also lives while a function runs that was given it, if nothing
//! else held it when the function was called: the caller's caller holds it, or a temporary of the
//! calling statement. Temporaries end with their statement, and are no holders after it.
//!
//! Nodes of equal structure are not the same object, so a node is looked for by its own number.
//!
//! A reference to a part of a node is no holder. It *borrows* the part from the nodes that held it
//! when the reference was bound, and these must live where the reference is read. A path that reads
//! what may have ended is followed, but shows nothing to be right.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Declared, Expr, ExprKind};

use crate::ir::kinds::{Kind, bit};
use crate::ir::node::{Field, NodeId};
use crate::ir::state::{Borrowed, Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::audits::PARTS;
use crate::machine::lookup::last_part;
use crate::machine::run::Machine;

/// The reason why a path shows nothing that reads a pointer without a holder.
const ENDED: &str = "a pointer into an expression that has ended";

/// The same for a reference.
const PART_ENDED: &str = "a reference into an expression that may end";

/// The thing that a reference is bound to.
enum Source<'e> {
    /// A value of its own, which lives as long as the reference.
    Own,
    /// A part of what a variable or member holds or points to.
    Variable(&'e str),
    /// A part of what some pointer points to.
    Pointer,
    /// A part of a value that ends with the statement.
    Ended,
}

/// Tests whether a node is a part of another, as an object in memory.
fn is_within(part: NodeId, whole: NodeId, state: &State) -> bool {
    part == whole || parts(whole, state).any(|inner| is_within(part, inner, state))
}

/// The nodes that are members of a node.
fn parts(node: NodeId, state: &State) -> impl Iterator<Item = NodeId> {
    let fields = state.shape(node).into_iter().flat_map(|shape| &shape.fields);
    fields.filter_map(|field| match field {
        Field::Expr(inner) => Some(*inner),
        Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
    })
}

/// Tests whether a node is known not to have a kind, so that a pointer to one is null.
fn is_other_kind(node: NodeId, kind: Kind, state: &State) -> bool {
    let known = state.node(node);
    known.not & bit(kind) != 0 || known.shape.as_ref().is_some_and(|shape| shape.kind != kind)
}

/// The nodes that the expressions in a value hold.
fn held(value: &Val, state: &State) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    value.any(&mut |value| {
        match value {
            Val::Expr(Some(node)) => nodes.push(*node),
            Val::Arguments(call) => nodes.extend(parts(*call, state)),
            _ => {}
        }
        false
    });
    nodes
}

/// The nodes that variables and members hold and that have a node as a part.
fn holders(node: NodeId, state: &State) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut look = |slot: &Slot| {
        let all = held(&slot.value, state).into_iter();
        found.extend(all.filter(|whole| is_within(node, *whole, state)));
    };
    for (frame, slots) in state.frames.iter().enumerate() {
        for (index, slot) in slots.iter().enumerate() {
            if !slot.ty.ends_with('&') || borrowed(frame, index, state).is_none() {
                look(slot);
            }
        }
    }
    for slot in &state.members {
        look(slot);
    }
    found
}

/// The parts that the variable at a position borrows.
fn borrowed(frame: usize, index: usize, state: &State) -> Option<&Borrowed> {
    state.borrowed.iter().find(|known| (known.frame, known.index) == (frame, index))
}

/// Tests whether a node was given to a function that runs.
fn is_given(node: NodeId, state: &State) -> bool {
    state.given.iter().any(|given| is_within(node, *given, state))
}

fn lives(node: NodeId, state: &State) -> bool {
    is_given(node, state) || !holders(node, state).is_empty()
}

impl Machine<'_> {
    /// The nodes that the pointers in a value point into.
    fn points_into(&self, value: &Val, state: &State) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        value.any(&mut |value| {
            match value {
                Val::Ptr(Some((node, kind))) if !is_other_kind(*node, *kind, state) => {
                    nodes.push(self.held_by(*node, state));
                }
                Val::NumPtr(Some((node, _))) => nodes.push(*node),
                _ => {}
            }
            false
        });
        nodes
    }

    /// The node whose holders hold an object. In TVM's IR a variable is one object wherever it
    /// occurs, so what has its name holds it.
    fn held_by(&self, node: NodeId, state: &State) -> NodeId {
        let is_shared = ["heterocl", "tvm"].contains(&self.profile.name);
        let is_variable = state.shape(node).is_some_and(|shape| shape.kind == Kind::Variable);
        let name = parts(node, state).next().filter(|_| is_shared && is_variable);
        name.unwrap_or(node)
    }

    /// Tests whether a value has a pointer into a node that has ended.
    fn has_ended(&self, value: &Val, state: &State) -> bool {
        self.points_into(value, state).into_iter().any(|node| !lives(node, state))
    }

    /// Records that a variable or member is read.
    pub(super) fn reads(&self, place: &Place, value: &Val, state: &mut State) {
        if self.is_concrete() || state.lost.is_some() {
            return;
        }
        if self.has_ended(value, state) {
            state.lost = Some(ENDED);
        } else if let Place::Local(frame, index) = place.root()
            && let Some(known) = borrowed(*frame, *index, state)
            && known.nodes.iter().any(|node| !lives(*node, state))
        {
            state.lost = Some(PART_ENDED);
        }
    }

    /// Records that a function returns a value. Its variables are gone, and of the nodes that were
    /// given, the first ones remain.
    pub(super) fn returns(&self, value: &Val, given: usize, state: &mut State) {
        if !self.is_concrete() && state.lost.is_none() && self.has_ended(value, state) {
            state.lost = Some(ENDED);
        }
        state.given.truncate(given);
    }

    /// Records what a function is given in its parameters, whose first one is at a position.
    /// Returns the number of nodes that were given before.
    pub(super) fn gives(
        &self,
        slots: &[Slot],
        (frame, first): (usize, usize),
        state: &mut State,
    ) -> usize {
        if self.is_concrete() {
            return state.given.len();
        }
        state.returns_borrowed(frame, first);
        let mut given = Vec::new();
        for (index, slot) in slots.iter().enumerate() {
            if matches!(slot.value, Val::Reference(_)) {
                continue;
            }
            let mut nodes = Vec::new();
            for node in self.points_into(&slot.value, state) {
                if !lives(node, state) {
                    given.push(node);
                }
            }
            if slot.ty.ends_with('&') {
                for node in places(&slot.value) {
                    let lenders = holders(node, state);
                    if is_given(node, state) {
                        continue;
                    }
                    if lenders.is_empty() {
                        given.push(node);
                    }
                    nodes.extend(lenders);
                }
            }
            if !nodes.is_empty() {
                state.borrowed.push(Borrowed { frame, index: first + index, nodes });
            }
        }
        let before = state.given.len();
        state.given.extend(given);
        before
    }

    /// Records what a declared variable borrows, before it is added to the running function's.
    pub(super) fn borrows(&self, declared: &Declared, value: &Val, state: &mut State) {
        let lenders = match &declared.value {
            Some(expr) if declared.ty.ends_with('&') => self.lenders(expr, value, state),
            _ => Vec::new(),
        };
        self.borrows_from(&lenders, &declared.ty, value, state);
    }

    /// Records that the next variable of the running function borrows its value from some nodes,
    /// if it is a reference, and that they are read.
    pub(super) fn borrows_from(
        &self,
        lenders: &[NodeId],
        ty: &str,
        value: &Val,
        state: &mut State,
    ) {
        if self.is_concrete() {
            return;
        }
        let (frame, index) = (state.frames.len().saturating_sub(1), state.depth());
        state.returns_borrowed(frame, index);
        if lenders.is_empty() {
            return;
        }
        if lenders.iter().any(|node| !lives(*node, state)) {
            state.lost = Some(PART_ENDED);
        }
        if ty.ends_with('&') && !matches!(value, Val::Reference(_)) {
            state.borrowed.push(Borrowed { frame, index, nodes: lenders.to_vec() });
        }
    }

    /// The nodes that must live as long as a reference to the value of an expression is used.
    pub(super) fn lenders(&self, expr: &Expr, value: &Val, state: &mut State) -> Vec<NodeId> {
        if self.is_concrete()
            || matches!(value, Val::Reference(_) | Val::Handle(_) | Val::Opaque(_))
        {
            return Vec::new();
        }
        let mut sources = Vec::new();
        self.sources(expr, false, &mut sources);
        let mut nodes = Vec::new();
        for source in sources {
            match source {
                Source::Own => {}
                Source::Ended => state.lost = Some(PART_ENDED),
                Source::Variable(name) => {
                    let place = Self::find_variable(name, state);
                    let place = place.unwrap_or_else(|| Place::Member(name.to_owned()));
                    if let Some(slot) = Self::load(&place, state) {
                        nodes.extend(self.points_into(&slot.value, state));
                        nodes.extend(held(&slot.value, state));
                    }
                }
                Source::Pointer => {
                    let parts = places(value);
                    let is_given = |node: &NodeId| is_given(*node, state);
                    let others: Vec<NodeId> =
                        parts.iter().copied().filter(|node| !is_given(node)).collect();
                    let lenders: Vec<NodeId> =
                        others.iter().flat_map(|node| holders(*node, state)).collect();
                    if parts.is_empty() || others.len() > lenders.len() {
                        state.lost = Some(PART_ENDED);
                    }
                    nodes.extend(lenders);
                }
            }
        }
        nodes.retain(|node| !is_given(*node, state));
        nodes
    }

    /// Finds what a reference to the value of an expression, or to a part of it, is bound to.
    fn sources<'e>(&self, expr: &'e Expr, is_part: bool, found: &mut Vec<Source<'e>>) {
        let temporary = || if is_part { Source::Ended } else { Source::Own };
        match &expr.kind {
            ExprKind::Name(name) => found.push(Source::Variable(name)),
            ExprKind::Member { object, name, .. } if object.kind == ExprKind::This => {
                found.push(Source::Variable(name));
            }
            ExprKind::Member { object, arrow: true, .. } | ExprKind::Prefix(Sign::Mul, object) => {
                self.targets(object, found);
            }
            ExprKind::Member { object, .. } | ExprKind::Index(object, _) => {
                self.sources(object, true, found);
            }
            ExprKind::Cast(_, of) => self.sources(of, is_part, found),
            ExprKind::Conditional(_, then, otherwise) => {
                self.sources(then, is_part, found);
                self.sources(otherwise, is_part, found);
            }
            ExprKind::Assign(_, lhs, _) => self.sources(lhs, is_part, found),
            ExprKind::Call { callee, arguments, .. } => match &callee.kind {
                ExprKind::Member { object, name, .. }
                    if object.kind != ExprKind::This && PARTS.contains(&name.as_str()) =>
                {
                    self.sources(object, true, found);
                }
                ExprKind::Name(name) | ExprKind::Member { name, .. } if self.refers(name) => {
                    found.push(Source::Pointer);
                }
                ExprKind::Name(name) if name == "std::get" => {
                    for of in arguments {
                        self.sources(of, true, found);
                    }
                }
                // A method of a temporary gives a value, or a part of the temporary.
                ExprKind::Member { object, .. } if is_part && object.kind != ExprKind::This => {
                    let mut of = Vec::new();
                    self.sources(object, true, &mut of);
                    let ends = of.iter().any(|source| matches!(source, Source::Ended));
                    found.push(if ends { Source::Ended } else { Source::Own });
                }
                _ => found.push(temporary()),
            },
            ExprKind::This => {}
            ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::Prefix(..)
            | ExprKind::Postfix(..)
            | ExprKind::Binary(..)
            | ExprKind::Braces(..)
            | ExprKind::Lambda(_)
            | ExprKind::Other(_) => found.push(temporary()),
        }
    }

    /// Finds what a pointer points into.
    fn targets<'e>(&self, pointer: &'e Expr, found: &mut Vec<Source<'e>>) {
        match &pointer.kind {
            ExprKind::This => {}
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Member { object, name, .. } if name == "as" || name == "get" => {
                    let mut of = Vec::new();
                    self.sources(object, true, &mut of);
                    // A new node ends with the expression that holds it. What a function gives may
                    // be held by something else, too.
                    let is_new =
                        matches!(&object.kind, ExprKind::Binary(..) | ExprKind::Prefix(..))
                            || matches!(&object.kind, ExprKind::Call { callee, .. }
                            if matches!(&callee.kind, ExprKind::Name(_)));
                    let of = of.into_iter().map(|source| match source {
                        Source::Variable(name) => Source::Variable(name),
                        Source::Own | Source::Ended if is_new => Source::Ended,
                        Source::Own | Source::Pointer | Source::Ended => Source::Pointer,
                    });
                    found.extend(of);
                }
                ExprKind::Member { object, name, .. }
                    if object.kind != ExprKind::This && PARTS.contains(&name.as_str()) =>
                {
                    self.sources(object, true, found);
                }
                _ => found.push(Source::Pointer),
            },
            ExprKind::Conditional(_, then, otherwise) => {
                self.targets(then, found);
                self.targets(otherwise, found);
            }
            ExprKind::Cast(_, of) => self.targets(of, found),
            ExprKind::Prefix(Sign::BitAnd, of) => self.sources(of, false, found),
            ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index(..) => {
                self.sources(pointer, true, found);
            }
            _ => found.push(Source::Pointer),
        }
    }

    /// Tests whether a name is that of a function of the program that returns a reference.
    pub(super) fn refers(&self, name: &str) -> bool {
        let short = last_part(name);
        let is_it =
            |known: &halidom_cpp::ast::Function| known.name == short && known.result.ends_with('&');
        self.program.functions.iter().any(is_it)
    }
}

/// The nodes that a reference to a value, or to a part of it, refers to.
fn places(value: &Val) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    value.any(&mut |value| {
        if let Val::Expr(Some(node)) | Val::Arguments(node) = value {
            nodes.push(*node);
        }
        false
    });
    nodes
}
