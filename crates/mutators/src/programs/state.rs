//! What is known on one path through a mutator: nodes of the IR, variables, facts.
//!
//! A node is *opaque* until the mutator asks for its kind; then the path forks (VT, Algorithms 1 and 2), and where the
//! answer is yes the node gets a shape with opaque operands. Nodes of one *class* have one value: a node and what
//! `mutate` made of it.

use super::ir::{Kind, Role, Type};
use super::value::Val;
use crate::rules::{ValueId, Values};

/// A node of one path.
pub(crate) type NodeId = usize;

/// A member of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// An expression.
    Expr(NodeId),
    /// A literal's number, in the domain of the node's type.
    Number(ValueId),
    /// The number of lanes.
    Lanes,
    /// Something that is only compared, by a number.
    Opaque(u32),
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Its members.
    pub(crate) fields: Vec<Field>,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its type.
    pub(crate) ty: Type,
    /// Whose value it has.
    pub(crate) class: usize,
    /// What it is, once asked for.
    pub(crate) shape: Option<Shape>,
    /// Whether its shape was learnt by asking, rather than made.
    pub(crate) is_learnt: bool,
    /// Kinds that it is not, as bits.
    pub(crate) not: u64,
    /// Whether a test said that it is a literal.
    pub(crate) is_literal: bool,
    /// The intrinsic that it calls, and intrinsics that it does not.
    pub(crate) intrinsic: Option<String>,
    pub(crate) not_intrinsics: Vec<String>,
}

/// Something that a path decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    /// A truth value.
    Term(ValueId),
    /// A node is of a kind.
    Is(NodeId, Kind),
    /// Two nodes are equal in structure.
    Equal(NodeId, NodeId),
    /// A node is a literal of which a term holds.
    Literal(NodeId, ValueId),
    /// The answer of a function of which only a contract is known, by a number.
    Choice(u32),
}

/// A decision: an atom and whether it holds.
pub(crate) type Decision = (Atom, bool);

/// A variable of the C++ program.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: String,
    /// Its type as written.
    pub(crate) ty: String,
    pub(crate) value: Val,
}

/// A path through the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) nodes: Vec<Node>,
    /// Nodes known equal to an earlier one.
    alias: Vec<NodeId>,
    /// Classes known to have the value of another.
    class_alias: Vec<usize>,
    /// What was decided, in order.
    pub(crate) trail: Vec<Decision>,
    /// What holds of values.
    pub(crate) facts: Vec<ValueId>,
    /// Conjunctions that do not hold: conditions of arms that were not taken.
    pub(crate) not_all: Vec<Vec<Decision>>,
    /// Variables, by function activation.
    pub(crate) frames: Vec<Vec<Slot>>,
    /// The object's members that were assigned.
    pub(crate) members: Vec<Slot>,
    /// What `mutate` was given and returned.
    pub(crate) mutated: Vec<(NodeId, NodeId)>,
    /// Numbers put into literals of 32 bits and more that may not fit: the literal's class, the number and its type.
    pub(crate) narrowed: Vec<(usize, ValueId, Type)>,
    /// What an analysis said of nodes: at least, at most.
    pub(crate) bounded: Vec<(NodeId, ValueId, ValueId)>,
    /// The line that gave the result last.
    pub(crate) at: usize,
}

impl State {
    /// The node that stands for all that are known equal.
    pub(crate) fn find(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while self.alias[node] != node {
            node = self.alias[node];
        }
        node
    }

    /// The class that stands for all that have its value.
    pub(crate) fn class(&self, class: usize) -> usize {
        let mut class = class;
        while self.class_alias[class] != class {
            class = self.class_alias[class];
        }
        class
    }

    /// A node.
    pub(crate) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[self.find(node)]
    }

    pub(crate) fn node_mut(&mut self, node: NodeId) -> &mut Node {
        let node = self.find(node);
        &mut self.nodes[node]
    }

    /// The shape of a node, if it is known.
    pub(crate) fn shape(&self, node: NodeId) -> Option<&Shape> {
        self.node(node).shape.as_ref()
    }

    /// How many classes there are.
    pub(crate) fn classes(&self) -> usize {
        self.class_alias.len()
    }

    /// A node of a class, or of a new one.
    pub(crate) fn add(&mut self, ty: Type, class: Option<usize>, shape: Option<Shape>) -> NodeId {
        let class = class.unwrap_or_else(|| {
            self.class_alias.push(self.class_alias.len());
            self.class_alias.len() - 1
        });
        self.nodes.push(Node {
            ty,
            class,
            shape,
            is_learnt: false,
            not: 0,
            is_literal: false,
            intrinsic: None,
            not_intrinsics: Vec::new(),
        });
        self.alias.push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Members for a node that turned out to be of a kind; operands whose type is free have `operand`'s.
    pub(crate) fn opaque_fields(
        &mut self,
        node: NodeId,
        kind: Kind,
        operand: Type,
        values: &mut Values,
    ) -> Vec<Field> {
        let (ty, class) = (self.node(node).ty, self.node(node).class);
        let mut fields = Vec::new();
        for (_, role) in kind.fields() {
            fields.push(match role {
                Role::Same => Field::Expr(self.add(ty, None, None)),
                Role::Operand | Role::Any => {
                    let operand = operand.with_vector(ty.is_vector);
                    Field::Expr(self.add(operand, None, None))
                }
                Role::Condition => {
                    let condition = Type::BOOL.with_vector(operand.is_vector && ty.is_vector);
                    Field::Expr(self.add(condition, None, None))
                }
                Role::Element => Field::Expr(self.add(ty.element(), None, None)),
                Role::Lanes => Field::Lanes,
                Role::Payload => Field::Number(class_value(values, self.class(class), ty)),
                Role::Opaque => Field::Opaque(u32::try_from(node).unwrap_or(u32::MAX)),
            });
        }
        fields
    }

    /// Makes two nodes one. The first is opaque.
    pub(crate) fn unite(&mut self, opaque: NodeId, other: NodeId) {
        let (opaque, other) = (self.find(opaque), self.find(other));
        if opaque == other {
            return;
        }
        let (not, is_literal) = (self.nodes[opaque].not, self.nodes[opaque].is_literal);
        self.alias[opaque] = other;
        self.nodes[other].not |= not;
        self.nodes[other].is_literal |= is_literal;
        let (a, b) = (self.class(self.nodes[opaque].class), self.class(self.nodes[other].class));
        self.class_alias[a] = b;
    }

    /// Whether a node occurs in another.
    pub(crate) fn occurs(&self, part: NodeId, whole: NodeId) -> bool {
        if self.find(part) == self.find(whole) {
            return true;
        }
        self.shape(whole).is_some_and(|shape| {
            shape.fields.iter().any(|field| match field {
                Field::Expr(inner) => self.occurs(part, *inner),
                Field::Number(_) | Field::Lanes | Field::Opaque(_) => false,
            })
        })
    }

    /// The variables of the running function.
    pub(crate) fn frame(&mut self) -> &mut Vec<Slot> {
        if self.frames.is_empty() {
            self.frames.push(Vec::new());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Adds a decision that changes no node.
    pub(crate) fn decide(&mut self, atom: Atom, holds: bool) {
        self.trail.push((atom, holds));
    }
}

/// The value of a class in the lane that is looked at.
pub(crate) fn class_value(values: &mut Values, class: usize, ty: Type) -> ValueId {
    values.var(&format!("v{class}"), ty.domain())
}

/// The class that a variable stands for.
pub(crate) fn class_of(name: &str) -> Option<usize> {
    name.strip_prefix('v')?.parse().ok()
}
