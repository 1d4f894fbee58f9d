//! Memories and bindings of names, as data: what happened so far, and when an expression is evaluated.

use halidom_base::FxHashMap;
use halidom_rewrites::rules::ValueId;

use crate::ir::kinds::Kind;
use crate::ir::node::NodeId;

/// A memory, by its number.
pub(crate) type MemoryId = u32;

/// Bindings of names, by their number.
pub(crate) type ScopeId = u32;

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Moment {
    /// What happened before.
    pub(crate) memory: MemoryId,
    /// What names are bound to.
    pub(crate) scope: ScopeId,
}

/// What a name is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bound {
    /// A value.
    Value(ValueId),
    /// An expression that stands in the variable's place, under other bindings.
    Expr(NodeId, ScopeId),
}

/// What happened last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    /// Nothing yet; in loops of this depth, iterations before.
    Start(u32),
    /// A store.
    Store { before: MemoryId, buffer: NodeId, predicate: ValueId, index: ValueId, value: ValueId },
    /// A call with effects.
    Call { before: MemoryId, callee: String, arguments: Vec<ValueId> },
    /// A statement or an expression with effects, of a class of which nothing is known.
    Unknown { before: MemoryId, class: usize, scope: ScopeId },
    /// The iterations of a loop of more than one.
    Loop { before: MemoryId, depth: u32, min: ValueId, extent: ValueId, body: Vec<Way> },
    /// A loop that ends where an iteration stops.
    While { before: MemoryId, depth: u32, body: Vec<Way> },
    /// Two statements that run at once.
    Fork { before: MemoryId, depth: u32, first: Vec<Way>, rest: Vec<Way> },
    /// A buffer, a semaphore or a region begins or ends.
    Mark { before: MemoryId, what: Kind, name: Option<NodeId>, values: Vec<ValueId>, is_end: bool },
}

/// One way that a statement goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    /// What holds if it goes there.
    pub(crate) conditions: Vec<ValueId>,
    /// What holds of all that is evaluated there, or it is undefined.
    pub(crate) defined: Vec<ValueId>,
    /// The memory that it leaves.
    pub(crate) memory: MemoryId,
    /// Whether an assert failed.
    pub(crate) is_stopped: bool,
}

/// Memories and bindings.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    memories: Vec<Memory>,
    by_memory: FxHashMap<Memory, MemoryId>,
    scopes: Vec<Vec<(NodeId, Bound)>>,
    by_scope: FxHashMap<Vec<(NodeId, Bound)>, ScopeId>,
    /// Moments at which something was evaluated.
    pub(crate) moments: Vec<Moment>,
    pub(super) depth: u32,
    /// Statements around the one that is looked at.
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
    /// What happened last.
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

    /// A scope with the bindings that a condition holds of.
    pub(crate) fn restrict(&mut self, scope: ScopeId, keep: impl Fn(NodeId) -> bool) -> ScopeId {
        let bindings = self.bindings(scope).to_vec();
        let kept = bindings.into_iter().filter(|(name, _)| keep(*name)).collect();
        self.scope(kept)
    }
}
