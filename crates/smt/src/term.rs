//! Hash-consed terms.

use std::sync::atomic::{AtomicU32, Ordering};

use halidom_base::IndexSet;

use crate::Sort;
use crate::op::Op;

/// A term of one [`Terms`]. Equal ids mean structurally equal terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId {
    arena: u32,
    index: u32,
}

/// A declared function or constant of one [`Terms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunId {
    arena: u32,
    index: u32,
}

/// An arena of terms. Its methods build terms of each theory. Each method panics on operands that
/// are ill-sorted or belong to another arena, since that is a mistake in the calling code and not
/// in its input.
#[derive(Debug)]
pub struct Terms {
    arena: u32,
    nodes: IndexSet<Node>,
    /// The sort of each node, by index.
    sorts: Vec<Sort>,
    functions: Vec<Function>,
}

/// The next arena number. Distinct numbers keep ids of different arenas apart.
static NEXT_ARENA: AtomicU32 = AtomicU32::new(0);

#[derive(Debug)]
pub(crate) struct Function {
    /// A name for readers; it need not be unique.
    pub(crate) hint: String,
    pub(crate) parameters: Vec<Sort>,
    pub(crate) result: Sort,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Bool(bool),
    Int(i128),
    /// A fraction with a positive denominator.
    Real(i128, u64),
    /// A value below 2^width.
    BitVec {
        width: u32,
        value: u128,
    },
    /// The bits of the IEEE interchange format.
    Float {
        exponent: u32,
        significand: u32,
        bits: u128,
    },
    Apply(FunId, Box<[TermId]>),
    Op(Op, Box<[TermId]>),
}

impl Node {
    pub(crate) fn arguments(&self) -> &[TermId] {
        match self {
            Self::Bool(_)
            | Self::Int(_)
            | Self::Real(..)
            | Self::BitVec { .. }
            | Self::Float { .. } => &[],
            Self::Apply(_, arguments) | Self::Op(_, arguments) => arguments,
        }
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// An arena without terms.
    pub fn new() -> Self {
        Self {
            arena: NEXT_ARENA.fetch_add(1, Ordering::Relaxed),
            nodes: IndexSet::default(),
            sorts: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// Declares an uninterpreted function. Every call declares a new function, whatever the hint.
    pub fn declare(&mut self, hint: &str, parameters: &[Sort], result: Sort) -> FunId {
        let index = u32::try_from(self.functions.len()).expect("fewer than 2^32 functions");
        self.functions.push(Function {
            hint: hint.to_owned(),
            parameters: parameters.to_vec(),
            result,
        });
        FunId { arena: self.arena, index }
    }

    /// Declares a constant that differs, as a variable, from every other, whatever the hint.
    pub fn fresh(&mut self, hint: &str, sort: Sort) -> TermId {
        let function = self.declare(hint, &[], sort);
        self.apply(function, &[])
    }

    /// An application of a declared function.
    pub fn apply(&mut self, function: FunId, arguments: &[TermId]) -> TermId {
        let declared = self.function(function);
        let sorts: Vec<Sort> = arguments.iter().map(|argument| self.sort(*argument)).collect();
        assert!(declared.parameters == sorts, "`{}` is applied to {sorts:?}", declared.hint);
        let result = declared.result;
        self.intern(Node::Apply(function, arguments.into()), result)
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.sorts[self.index(term)]
    }

    /// Returns the function and its arguments, if the term is an application of a declared
    /// function.
    pub fn application(&self, term: TermId) -> Option<(FunId, &[TermId])> {
        match self.node(term) {
            Node::Apply(function, arguments) => Some((*function, arguments)),
            Node::Bool(_)
            | Node::Int(_)
            | Node::Real(..)
            | Node::BitVec { .. }
            | Node::Float { .. }
            | Node::Op(..) => None,
        }
    }

    /// The hint that a function was declared with.
    pub fn hint(&self, function: FunId) -> &str {
        &self.function(function).hint
    }

    /// The number of distinct terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there is no term.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn arena(&self) -> u32 {
        self.arena
    }

    pub(crate) fn index(&self, term: TermId) -> usize {
        assert!(term.arena == self.arena, "a term of another arena");
        term.index as usize
    }

    pub(crate) fn node(&self, term: TermId) -> &Node {
        &self.nodes[self.index(term)]
    }

    pub(crate) fn function(&self, function: FunId) -> &Function {
        assert!(function.arena == self.arena, "a function of another arena");
        &self.functions[function.index as usize]
    }

    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> TermId {
        let (index, is_new) = self.nodes.insert_full(node);
        if is_new {
            self.sorts.push(sort);
        }
        TermId { arena: self.arena, index: u32::try_from(index).expect("fewer than 2^32 terms") }
    }

    pub(crate) fn op(&mut self, op: Op, arguments: &[TermId], sort: Sort) -> TermId {
        self.intern(Node::Op(op, arguments.into()), sort)
    }

    /// The common sort of the operands. Panics if their sorts differ or there are no operands.
    pub(crate) fn common_sort(&self, terms: &[TermId]) -> Sort {
        let sort = self.sort(*terms.first().expect("at least one operand"));
        for term in terms {
            assert!(self.sort(*term) == sort, "operands of sorts {sort} and {}", self.sort(*term));
        }
        sort
    }

    pub(crate) fn require(&self, term: TermId, sort: Sort) {
        assert!(
            self.sort(term) == sort,
            "a term of sort {} where {sort} is needed",
            self.sort(term)
        );
    }
}
