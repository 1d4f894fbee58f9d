//! The knowledge on one path through a mutator: nodes of the IR, variables, facts.
//!
//! A node is *opaque* until the mutator asks for its kind. Then the path forks (VT, Algorithms 1
//! and 2), and where the answer is yes, the node gets a shape with opaque operands. Nodes of one
//! *class* have the same value: a node and the result of `mutate` on it share a class. Forks share
//! the data that neither of them changes.

use std::rc::Rc;

use halidom_rewrites::rules::{ValueId, Values};

use crate::ir::kinds::{I32, Kind, Role, Type};
use crate::ir::layout::index_type;
use crate::ir::node::{Field, Node, NodeId, Shape, class_value};
use crate::ir::record::{Buffers, Record};
use crate::ir::value::Val;

/// A question that a path decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    /// A truth value.
    Term(ValueId),
    /// A node has a kind.
    Is(NodeId, Kind),
    /// Two nodes have equal structure.
    Equal(NodeId, NodeId),
    /// A node is a literal, and a term about it holds.
    Literal(NodeId, ValueId),
    /// The answer of a function that is known only by its contract, by a number.
    Choice(u32),
}

/// A decision: an atom and whether it holds.
pub(crate) type Decision = (Atom, bool);

/// A variable of the C++ program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) name: String,
    /// Its type as written.
    pub(crate) ty: String,
    pub(crate) value: Val,
}

/// A reference to a part of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Borrowed {
    /// The function activation of the variable.
    pub(crate) frame: usize,
    /// The position of the variable in it.
    pub(crate) index: usize,
    /// The nodes that must live where it is read.
    pub(crate) nodes: Vec<NodeId>,
}

/// A node in which a part was substituted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Substitution {
    /// The class of the result.
    pub(crate) class: usize,
    /// The replaced part: a name, a variable, or any expression.
    pub(crate) what: NodeId,
    /// The replacement.
    pub(crate) by: NodeId,
    /// The node in which it was replaced.
    pub(crate) within: NodeId,
}

/// A number that a function of the C library computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Computation {
    /// The variable that stands for it.
    pub(crate) name: String,
    /// The function.
    pub(crate) callee: &'static str,
    /// Its arguments.
    pub(crate) arguments: Vec<ValueId>,
}

/// A condition that is assumed for a while.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assumption {
    /// The condition, over the values of classes; `None` if it is not known.
    pub(crate) fact: Option<ValueId>,
    /// True if it holds in any case. It is kept for its end, which is not that of another one.
    pub(crate) is_trivial: bool,
    /// The expressions that decide it.
    pub(crate) nodes: Vec<NodeId>,
    /// The end of the assumption.
    pub(crate) until: Until,
}

/// The end of an assumption.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Until {
    /// The end of the C++ scope that began at a depth: function activations, and variables of the
    /// running function.
    Block((usize, usize)),
    /// The removal of an entry: the scope and the key.
    Removed(String, Val),
}

impl Until {
    /// Tests whether the assumption outlives a C++ scope that began at a depth.
    pub(crate) fn outlives(&self, here: usize, depth: usize) -> bool {
        match self {
            Self::Block(at) => at.0 < here || at.1 < depth,
            Self::Removed(..) => true,
        }
    }
}

/// A mutation within a scope: the result equals the argument only where the scope's conditions
/// hold.
#[derive(Clone, Debug)]
pub(crate) struct Scoped {
    /// The class of the argument.
    pub(crate) given: usize,
    /// The class of the result.
    pub(crate) returned: usize,
    /// The conditions.
    pub(crate) assumed: Vec<Assumption>,
}

/// A node of which `mutate` returned nothing, or of whose result something is known.
#[derive(Clone, Debug)]
pub(crate) struct Under {
    /// The class of the argument, or of the result.
    pub(crate) class: usize,
    /// The conditions under which this is known.
    pub(crate) assumed: Vec<Assumption>,
}

/// A condition that is true just where another one is and an expression has a value.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// The class of the condition.
    pub(crate) class: usize,
    /// The condition before; `None` if it is true.
    pub(crate) before: Option<NodeId>,
    /// The expression.
    pub(crate) given: NodeId,
    /// The conditions under which this is known.
    pub(crate) assumed: Vec<Assumption>,
}

/// The knowledge on a path about expressions that may have no value (`machine::vanish`).
#[derive(Clone, Debug, Default)]
pub(crate) struct Presence {
    /// True if expressions may have no value.
    pub(crate) is_open: bool,
    /// Nodes of which `mutate` returned nothing: expressions have no value, statements do nothing.
    pub(crate) vanished: Vec<Under>,
    /// Classes of expressions that have a value.
    pub(crate) kept: Vec<Under>,
    /// Conditions about expressions that have a value.
    pub(crate) guards: Vec<Guard>,
    /// The condition in the member before the method.
    pub(crate) first: Option<NodeId>,
    /// The condition in the member after the method; `None` if it is true.
    pub(crate) last: Option<NodeId>,
    /// The nodes that may stand for no expression.
    pub(crate) optional: Vec<NodeId>,
}

/// A path through the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) nodes: Vec<Rc<Node>>,
    /// Nodes known equal to an earlier one.
    alias: Vec<NodeId>,
    /// Classes known to have the value of another.
    class_alias: Vec<usize>,
    /// The decisions, in order.
    pub(crate) trail: Vec<Decision>,
    /// Facts about values.
    pub(crate) facts: Vec<ValueId>,
    /// Conjunctions that do not hold: the conditions of arms that were not taken.
    pub(crate) not_all: Vec<Rc<[Decision]>>,
    /// Variables, by function activation.
    #[expect(clippy::rc_buffer, reason = "variables are added where the frame is not shared")]
    pub(crate) frames: Vec<Rc<Vec<Slot>>>,
    /// Nodes that live while the running functions run, as they were given to one of them.
    pub(crate) given: Vec<NodeId>,
    /// The variables that refer to parts of nodes.
    pub(crate) borrowed: Vec<Borrowed>,
    /// The object's members that were assigned.
    pub(crate) members: Vec<Slot>,
    /// The arguments and results of `mutate`.
    pub(crate) mutated: Vec<(NodeId, NodeId)>,
    /// The arguments of `mutate`, with results that are not greater in the order on IR.
    pub(crate) shrunk: Vec<(NodeId, NodeId)>,
    /// Nodes with results that are not greater in the order on IR, whatever `mutate` returns.
    pub(crate) folded: Vec<(NodeId, NodeId)>,
    /// Numbers put into literals of at least 32 bits that may not fit: the literal's class, the
    /// number and its type.
    pub(crate) narrowed: Vec<(usize, ValueId, Type)>,
    /// The bounds that an analysis reported for nodes: minimum and maximum.
    pub(crate) bounded: Vec<(NodeId, ValueId, ValueId)>,
    /// The conditions that are assumed here.
    pub(crate) assumed: Vec<Assumption>,
    /// The mutations that ran under assumptions.
    pub(crate) scoped: Vec<Scoped>,
    /// Nodes that stand for any expression of their type, which a loop may have assigned.
    pub(crate) assigned: Vec<NodeId>,
    /// Bound values that are known to be scalars, or to be vectors.
    pub(crate) lanes_known: Vec<(NodeId, bool)>,
    /// Statements that `make` made.
    pub(crate) made: Vec<NodeId>,
    /// Members that are only compared, with the named constants that they are known to be.
    pub(crate) constants: Vec<(u32, String)>,
    /// Results of rules that are an expression of the function, with that expression.
    pub(crate) identical: Vec<(NodeId, NodeId)>,
    /// Pairs of nodes that are known to have one kind.
    pub(crate) alike: Vec<(NodeId, NodeId)>,
    /// Shuffles that are known to be slices.
    pub(crate) slices: Vec<NodeId>,
    /// The vectors of wholly known IR that have other lanes than the input's vectors, with their
    /// lanes.
    pub(crate) widths: Vec<(NodeId, i128)>,
    /// Calls that are known to have no arguments.
    pub(crate) without_arguments: Vec<NodeId>,
    /// The results of `substitute`.
    pub(crate) substitutions: Vec<Substitution>,
    /// The results of functions of the C library.
    pub(crate) computed: Vec<Computation>,
    /// Classes of statements that are known to do nothing.
    pub(crate) idle: Vec<usize>,
    /// Classes of expressions whose value does not depend on memory.
    pub(crate) steady: Vec<usize>,
    /// Classes of expressions without calls of functions that have effects.
    pub(crate) uncalled: Vec<usize>,
    /// Classes of expressions without side effects.
    pub(crate) pure: Vec<usize>,
    /// Expressions that may have no value.
    pub(crate) presence: Rc<Presence>,
    /// The conditions under which the emitted code is undefined.
    pub(crate) emitted_undefined: Vec<ValueId>,
    /// The pushes on scopes, and the pops.
    pub(crate) scopes: Rc<Record>,
    /// The buffers that are known to be used or not.
    pub(crate) buffers: Buffers,
    /// The scopes, by their handles, that are known to have an entry under a key.
    pub(crate) entries: Vec<(String, Val)>,
    /// The pointers that the caller gave, by their handles, that are known to be null or not.
    pub(crate) pointers: Vec<(String, bool)>,
    /// Compound names, with the two parts of each.
    compounds: Vec<(Val, Val, NodeId)>,
    /// The numbers of spelled names, with their texts.
    texts: Vec<(u32, String)>,
    /// The first line that mutates something that is not shown to be less than the input.
    pub(crate) unfounded: Option<usize>,
    /// The first line that mutates something that is less than the input only if `mutate` returns
    /// nothing greater than its argument.
    pub(crate) relying: Option<usize>,
    /// The number of calls in which other methods ran, which may have assigned any member.
    pub(crate) visits: u32,
    /// The containers that are not known, by their handles, that have at least so many elements;
    /// and iterators of entries that are there.
    pub(crate) filled: Vec<(String, usize)>,
    /// The number of changes of objects that are not known.
    pub(crate) unseen: u32,
    /// A change that is not followed, if one was made.
    pub(crate) lost: Option<&'static str>,
    /// The line that last set the result.
    pub(crate) at: usize,
}

/// The first number of spelled names. Names that a mutator makes have greater numbers.
pub(crate) const SPELLED: u32 = 1 << 30;
/// Numbers of names that no node of the input has.
pub(crate) const NEW: u32 = 1 << 31;
/// Numbers of names that are put together from names and texts. Another name may be the same.
pub(crate) const JOINED: u32 = NEW | SPELLED;

impl State {
    /// The representative of all nodes that are known to be equal.
    pub(crate) fn find(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while self.alias[node] != node {
            node = self.alias[node];
        }
        node
    }

    /// The representative of all classes that have the same value.
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
        Rc::make_mut(&mut self.nodes[node])
    }

    /// The shape of a node, if it is known.
    pub(crate) fn shape(&self, node: NodeId) -> Option<&Shape> {
        self.node(node).shape.as_ref()
    }

    /// The number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.class_alias.len()
    }

    /// Adds a node of a class, or of a new class.
    pub(crate) fn add(&mut self, ty: Type, class: Option<usize>, shape: Option<Shape>) -> NodeId {
        let class = class.unwrap_or_else(|| {
            self.class_alias.push(self.class_alias.len());
            self.class_alias.len() - 1
        });
        let shape = shape.map(|shape| self.nested(shape));
        self.nodes.push(Rc::new(Node {
            ty,
            class,
            shape,
            is_learnt: false,
            not: 0,
            is_literal: false,
            intrinsic: None,
            not_intrinsics: Vec::new(),
        }));
        self.alias.push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Nests a sequence as `make` does: the first statement of a block is no block, and that of a
    /// fork is no fork (`IR.cpp`). A first statement that is not known stays; what reads such a
    /// node must ask first (`Machine::nested`).
    fn nested(&mut self, shape: Shape) -> Shape {
        let Shape { kind: kind @ (Kind::Block | Kind::Fork), fields } = &shape else {
            return shape;
        };
        let kind = *kind;
        let [Field::Expr(first), rest] = *fields.as_slice() else { return shape };
        let inner = self.shape(first).filter(|inner| inner.kind == kind);
        let Some([first, next]) = inner.and_then(|inner| inner.fields.first_chunk()).copied()
        else {
            return shape;
        };
        let rest = Shape { kind, fields: vec![next, rest] };
        let rest = Field::Expr(self.add(Type::STMT, None, Some(rest)));
        self.nested(Shape { kind, fields: vec![first, rest] })
    }

    /// Nests a sequence anew, as its first statement turned out to be one.
    pub(crate) fn nest(&mut self, node: NodeId) {
        let shape = self.shape(node).cloned().map(|shape| self.nested(shape));
        self.node_mut(node).shape = shape;
    }

    /// Tests whether a node is no sequence, or one whose members are those that it was made of.
    pub(crate) fn is_nested(&self, node: NodeId) -> bool {
        let Some(Shape { kind: kind @ (Kind::Block | Kind::Fork), fields }) = self.shape(node)
        else {
            return true;
        };
        let Some(Field::Expr(first)) = fields.first() else { return true };
        let first = self.node(*first);
        match &first.shape {
            Some(shape) => shape.kind != *kind,
            None => first.not & crate::ir::kinds::bit(*kind) != 0,
        }
    }

    /// Makes the members of a node that turned out to have a kind. Operands of free type get the
    /// type `operand`.
    pub(crate) fn opaque_fields(
        &mut self,
        node: NodeId,
        kind: Kind,
        (operand, profile): (Type, &str),
        values: &mut Values,
    ) -> Vec<Field> {
        let (ty, class) = (self.node(node).ty, self.node(node).class);
        let mut fields = Vec::new();
        for (member, role) in kind.fields() {
            fields.push(match role {
                Role::Same => Field::Expr(self.add(ty, None, None)),
                // The value of a `Let` need not have the lanes of its body.
                Role::Operand | Role::Any => {
                    let lanes = if ty.is_value() { ty.is_vector } else { operand.is_vector };
                    let operand = operand.with_vector(lanes && kind != Kind::Let);
                    Field::Expr(self.add(operand, None, None))
                }
                Role::Condition => {
                    let condition = Type::BOOL.with_vector(operand.is_vector && ty.is_vector);
                    Field::Expr(self.add(condition, None, None))
                }
                Role::Element => Field::Expr(self.add(ty.element(), None, None)),
                Role::Vector => Field::Expr(self.add(ty.element().with_vector(true), None, None)),
                Role::Lanes => Field::Lanes,
                Role::Payload => Field::Number(class_value(values, self.class(class), ty)),
                Role::Opaque => Field::Opaque(opaque(node, fields.len())),
                Role::Name => {
                    // A name of the input is never one that the mutator makes.
                    let name = self.add(Type::NAME, None, None);
                    self.node_mut(name).not |= crate::ir::kinds::bit(Kind::Name);
                    Field::Expr(name)
                }
                Role::Truth => Field::Expr(self.add(Type::BOOL, None, None)),
                Role::Int | Role::OptionalExpr => Field::Expr(self.add(I32, None, None)),
                Role::Index => {
                    let lanes = if ty.is_value() { ty.is_vector } else { operand.is_vector };
                    let index = index_type(kind, operand, profile);
                    Field::Expr(self.add(index.with_vector(lanes), None, None))
                }
                Role::Predicate => {
                    let lanes = if ty.is_value() { ty.is_vector } else { operand.is_vector };
                    Field::Expr(self.add(Type::BOOL.with_vector(lanes), None, None))
                }
                Role::Stmt => {
                    let stmt = self.add(Type::STMT, None, None);
                    self.node_mut(stmt).not |= crate::ir::kinds::bit(Kind::Undefined);
                    if *member == "first" {
                        self.node_mut(stmt).not |= crate::ir::kinds::bit(kind);
                    }
                    Field::Expr(stmt)
                }
                Role::OptionalStmt => Field::Expr(self.add(Type::STMT, None, None)),
                Role::Exprs | Role::Stmts => Field::Expr(self.add(Type::LIST, None, None)),
            });
        }
        fields
    }

    /// Unites two nodes. The first is opaque.
    pub(crate) fn unite(&mut self, opaque: NodeId, other: NodeId) {
        let (opaque, other) = (self.find(opaque), self.find(other));
        if opaque == other {
            return;
        }
        let (not, is_literal) = (self.nodes[opaque].not, self.nodes[opaque].is_literal);
        self.alias[opaque] = other;
        let united = Rc::make_mut(&mut self.nodes[other]);
        united.not |= not;
        united.is_literal |= is_literal;
        let (a, b) = (self.class(self.nodes[opaque].class), self.class(self.nodes[other].class));
        self.class_alias[a] = b;
    }

    /// Gives an opaque node the value of another.
    pub(crate) fn equate(&mut self, opaque: NodeId, other: NodeId) {
        let (a, b) = (self.class(self.node(opaque).class), self.class(self.node(other).class));
        if a != b {
            self.class_alias[a] = b;
        }
    }

    /// Tests whether a node occurs in another.
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

    /// Tests whether two wholly known nodes have the same structure.
    pub(crate) fn is_same(&self, a: NodeId, b: NodeId) -> bool {
        if self.find(a) == self.find(b) {
            return true;
        }
        let (first, second) = (self.node(a), self.node(b));
        let (Some(a), Some(b)) = (&first.shape, &second.shape) else { return false };
        first.ty == second.ty
            && first.intrinsic == second.intrinsic
            && a.kind == b.kind
            && a.fields.len() == b.fields.len()
            && a.fields.iter().zip(&b.fields).all(|(a, b)| match (a, b) {
                (Field::Expr(a), Field::Expr(b)) => self.is_same(*a, *b),
                (a, b) => a == b,
            })
    }

    /// The name with a given number. Each number has one node.
    pub(crate) fn name(&mut self, id: u32) -> NodeId {
        let known = self.nodes.iter().position(|node| {
            node.ty == Type::NAME
                && node.shape.as_ref().is_some_and(|shape| shape.fields == [Field::Opaque(id)])
        });
        if let Some(known) = known {
            return known;
        }
        let shape = Shape { kind: Kind::Name, fields: vec![Field::Opaque(id)] };
        self.add(Type::NAME, None, Some(shape))
    }

    /// Tests whether a name is put together from others.
    pub(crate) fn is_joined(&self, name: NodeId) -> bool {
        let fields = self.shape(name).map(|shape| &*shape.fields);
        matches!(fields, Some([Field::Opaque(id)]) if *id >= JOINED)
    }

    /// Puts a name together from two parts. Equal parts make the same name.
    pub(crate) fn joined(&mut self, first: &Val, second: &Val, number: u32) -> Val {
        let is_empty = |part: &Val| matches!(part, Val::Text(text) if text.is_empty());
        if is_empty(first) || is_empty(second) {
            return if is_empty(first) { second.clone() } else { first.clone() };
        }
        let known = self.compound(first, second);
        let name = known.unwrap_or_else(|| {
            let name = self.name(JOINED | number);
            self.keep_compound(first, second, name);
            name
        });
        Val::Expr(Some(name))
    }

    /// The name that was made from these two parts before, if any. Equal parts make the same name.
    pub(crate) fn compound(&self, first: &Val, second: &Val) -> Option<NodeId> {
        let is_it = |known: &&(Val, Val, NodeId)| known.0 == *first && known.1 == *second;
        self.compounds.iter().find(is_it).map(|(.., name)| *name)
    }

    /// Records the two parts of a compound name, if they are known.
    pub(crate) fn keep_compound(&mut self, first: &Val, second: &Val, name: NodeId) {
        let is_known = |part: &Val| matches!(part, Val::Expr(Some(_)) | Val::Text(_));
        if is_known(first) && is_known(second) {
            self.compounds.push((first.clone(), second.clone(), name));
        }
    }

    /// The two parts of a compound name, if they are known.
    pub(crate) fn parts_of_name(&self, name: NodeId) -> Option<(&Val, &Val)> {
        let is_it = |known: &&(Val, Val, NodeId)| self.find(known.2) == self.find(name);
        self.compounds.iter().find(is_it).map(|(first, second, _)| (first, second))
    }

    /// The conditions that are assumed here, without those that hold in any case.
    pub(crate) fn conditions(&self) -> Vec<Assumption> {
        self.assumed.iter().filter(|assumption| !assumption.is_trivial).cloned().collect()
    }

    /// The text of a name, if it is spelled or is one of the input.
    pub(crate) fn spelling(&self, name: NodeId) -> Option<String> {
        let Some(Field::Opaque(id)) = self.shape(name)?.fields.first() else { return None };
        let known = self.texts.iter().find(|(known, _)| known == id);
        match known {
            Some((_, text)) => Some(text.clone()),
            None => (*id < SPELLED).then(|| crate::ir::node::name(*id)),
        }
    }

    /// The name with a text. Each text has one name.
    pub(crate) fn spelled(&mut self, text: &str) -> NodeId {
        let is_it = |node: &NodeId| {
            self.node(*node).ty == Type::NAME && self.spelling(*node).as_deref() == Some(text)
        };
        if let Some(known) = (0..self.nodes.len()).find(is_it) {
            return known;
        }
        let id = self.spell(text);
        self.name(id)
    }

    /// Gives a text a new number of a name.
    pub(crate) fn spell(&mut self, text: &str) -> u32 {
        let id = SPELLED | self.texts.len() as u32;
        self.texts.push((id, text.to_owned()));
        id
    }

    /// The text of a spelled name.
    pub(crate) fn text_of(&self, id: u32) -> Option<&str> {
        self.texts.iter().find(|(known, _)| *known == id).map(|(_, text)| text.as_str())
    }

    /// The text of a literal of the IR, if it is known.
    pub(crate) fn text_of_literal(&self, node: NodeId) -> Option<&str> {
        let Shape { kind: Kind::StringImm, fields } = self.shape(node)? else { return None };
        let Field::Opaque(id) = fields.first()? else { return None };
        self.text_of(*id)
    }

    /// Makes a list of nodes.
    pub(crate) fn list(&mut self, nodes: &[NodeId]) -> NodeId {
        let fields = nodes.iter().map(|node| Field::Expr(*node)).collect();
        self.add(Type::LIST, None, Some(Shape { kind: Kind::List, fields }))
    }

    /// Tests whether a change will be undone where a block ends.
    pub(crate) fn is_bound(&self) -> bool {
        self.scopes.is_bound()
    }

    /// The variables of the running function.
    pub(crate) fn frame(&mut self) -> &mut Vec<Slot> {
        if self.frames.is_empty() {
            self.frames.push(Rc::default());
        }
        let last = self.frames.len() - 1;
        Rc::make_mut(&mut self.frames[last])
    }

    /// The number of variables of the running function.
    pub(crate) fn depth(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.len())
    }

    /// Forgets what the variables of an activation beyond the first ones borrow, and those of later
    /// activations.
    pub(crate) fn returns_borrowed(&mut self, frame: usize, first: usize) {
        self.borrowed.retain(|known| (known.frame, known.index) < (frame, first));
    }

    /// Forgets the variables of the running function, which returns.
    pub(crate) fn pop_frame(&mut self) {
        self.frames.pop();
        self.returns_borrowed(self.frames.len(), 0);
    }

    /// Forgets the variables of the running function beyond the first `depth`.
    pub(crate) fn leave(&mut self, depth: usize) {
        let last = self.frames.len().saturating_sub(1);
        self.returns_borrowed(last, depth);
        if self.depth() > depth {
            self.frame().truncate(depth);
        }
    }

    /// Adds a decision that changes no node.
    pub(crate) fn decide(&mut self, atom: Atom, holds: bool) {
        self.trail.push((atom, holds));
    }
}

/// The number of a member that is only compared: each member of each node has its own. The first
/// member of a name is the name's number.
fn opaque(node: NodeId, member: usize) -> u32 {
    u32::try_from(node + (member << MEMBERS)).unwrap_or(u32::MAX)
}

/// The position of a member's place in its number, above the number of its node.
const MEMBERS: u32 = 24;

/// The operands of a node.
pub(crate) fn operands(node: NodeId, state: &State) -> Vec<NodeId> {
    let fields = state.shape(node).map(|shape| shape.fields.clone()).unwrap_or_default();
    let nodes = fields.into_iter().filter_map(|field| match field {
        Field::Expr(inner) => Some(inner),
        Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
    });
    nodes.collect()
}
