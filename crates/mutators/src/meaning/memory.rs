//! Memories and bindings of names, as data: the effects so far, and the moment at which an
//! expression is evaluated.

use halidom_base::FxHashMap;
use halidom_rewrites::rules::ValueId;

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::NodeId;

/// A memory, by its number.
pub(crate) type MemoryId = u32;

/// Bindings of names, by their number.
pub(crate) type ScopeId = u32;

/// The moment at which an expression is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Moment {
    /// The effects before it.
    pub(crate) memory: MemoryId,
    /// The bindings of names.
    pub(crate) scope: ScopeId,
}

/// The binding of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bound {
    /// A value, and its type. A variable of the name that has another type is not bound to it.
    Value(ValueId, Type),
    /// An expression that replaces the variable, under other bindings.
    Expr(NodeId, ScopeId),
}

/// The last effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    /// No effect yet. In a loop body of this depth: the iterations before.
    Start(u32),
    /// A store.
    Store {
        before: MemoryId,
        buffer: NodeId,
        predicate: ValueId,
        index: ValueId,
        value: ValueId,
        /// The type of the value, which decides what bytes are written.
        ty: Type,
    },
    /// A call with effects.
    Call { before: MemoryId, callee: String, arguments: Vec<ValueId> },
    /// A statement or an expression with effects, about whose class nothing is known.
    Unknown { before: MemoryId, class: usize, scope: ScopeId },
    /// The iterations of a loop that has more than one.
    Loop {
        before: MemoryId,
        depth: u32,
        min: ValueId,
        extent: ValueId,
        /// The type of the loop's variable.
        ty: Type,
        body: Vec<Way>,
    },
    /// A loop that ends where an iteration stops.
    While { before: MemoryId, depth: u32, body: Vec<Way> },
    /// Two statements that run concurrently.
    Fork { before: MemoryId, depth: u32, first: Vec<Way>, rest: Vec<Way> },
    /// The beginning or the end of a buffer, a semaphore or a region.
    Mark { before: MemoryId, what: Kind, name: Option<NodeId>, values: Vec<ValueId>, is_end: bool },
}

/// One way through a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    /// The conditions under which it is taken.
    pub(crate) conditions: Vec<ValueId>,
    /// The conditions under which all expressions evaluated on it are defined.
    pub(crate) defined: Vec<ValueId>,
    /// The memory that it leaves.
    pub(crate) memory: MemoryId,
    /// The code that it stopped, if it did.
    pub(crate) stop: Option<Stop>,
}

/// The code that a way which stopped does not run any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stop {
    /// The rest of the innermost loop: a `break`.
    Loop,
    /// The rest of the statement: an assert failed, or the statement was left. In a loop that runs
    /// while a condition holds: the loop ended.
    All,
}

/// Memories and bindings.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    memories: Vec<Memory>,
    by_memory: FxHashMap<Memory, MemoryId>,
    scopes: Vec<Vec<(NodeId, Bound)>>,
    by_scope: FxHashMap<Vec<(NodeId, Bound)>, ScopeId>,
    /// Moments at which an expression was evaluated.
    pub(crate) moments: Vec<Moment>,
    pub(super) depth: u32,
    /// The number of statements around the current one.
    pub(super) nesting: u32,
}

impl Default for Effects {
    fn default() -> Self {
        let start = Memory::Start(0);
        Self {
            memories: vec![start.clone()],
            by_memory: std::iter::once((start, 0)).collect(),
            scopes: vec![Vec::new()],
            by_scope: std::iter::once((Vec::new(), 0)).collect(),
            moments: Vec::new(),
            depth: 0,
            nesting: 0,
        }
    }
}

impl Effects {
    /// The last effect of a memory.
    pub(crate) fn memory(&self, id: MemoryId) -> &Memory {
        &self.memories[id as usize]
    }

    pub(super) fn add(&mut self, memory: Memory) -> MemoryId {
        if let Some(known) = self.by_memory.get(&memory) {
            return *known;
        }
        let id = u32::try_from(self.memories.len()).expect("few memories");
        self.memories.push(memory.clone());
        self.by_memory.insert(memory, id);
        id
    }

    /// The bindings of a scope.
    pub(crate) fn bindings(&self, scope: ScopeId) -> &[(NodeId, Bound)] {
        &self.scopes[scope as usize]
    }

    pub(super) fn scope(&mut self, bindings: Vec<(NodeId, Bound)>) -> ScopeId {
        if let Some(known) = self.by_scope.get(&bindings) {
            return *known;
        }
        let id = u32::try_from(self.scopes.len()).expect("few scopes");
        self.scopes.push(bindings.clone());
        self.by_scope.insert(bindings, id);
        id
    }

    /// A scope with a name bound.
    pub(crate) fn bind(&mut self, scope: ScopeId, name: NodeId, bound: Bound) -> ScopeId {
        let mut bindings = self.bindings(scope).to_vec();
        bindings.retain(|(known, _)| *known != name);
        bindings.push((name, bound));
        bindings.sort_by_key(|(name, _)| *name);
        self.scope(bindings)
    }

    /// A scope with only the bindings whose names satisfy a condition.
    pub(crate) fn restrict(&mut self, scope: ScopeId, keep: impl Fn(NodeId) -> bool) -> ScopeId {
        let bindings = self.bindings(scope).to_vec();
        let kept = bindings.into_iter().filter(|(name, _)| keep(*name)).collect();
        self.scope(kept)
    }
}
