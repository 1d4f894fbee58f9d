//! The state of the translation of a statement.

use halidom_base::{FxHashMap, FxHashSet, IndexMap, IndexSet};
use halidom_ir::{BufferId, ExprId, Overflow, Pool, Stmt as IrStmt, StmtId, VarId};

use super::algorithm::Source;
use super::buffers::Query;
use super::contract::Contract;
use super::error::{Result, unsupported};
use super::holdings::Holdings;
use super::keys::Key;
use super::lanes::{Lowering, Memo};
use super::marks::Marked;
use super::nodes::{NodeId, Nodes};
use super::note::Note;
use super::ops::Value;
use super::polynomials::Definitions;
use crate::pipeline::Pipeline;
use crate::tree::{Expr, Scalar};
use crate::{NameId, Names};

/// A part of a block. A let or an allocation is closed around the parts that follow it.
pub(super) enum Item {
    Stmt(StmtId),
    Let(VarId, ExprId),
    Allocate(BufferId),
}

/// The unit that runs a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The processor that calls the pipeline.
    Host,
    /// A block of a GPU, outside of its threads.
    Block,
    /// A thread of a block.
    Thread,
}

/// The state of a walk before it entered a loop, a condition or a task.
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub(super) region: usize,
    pub(super) place: Place,
    pub(super) is_unordered: bool,
    /// The number of bounds queries in scope.
    queries: usize,
}

/// The atomicity of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atomicity {
    /// The store is in no `atomic`.
    None,
    /// Each lane reads and writes its element in one step, one lane after the other.
    Elements {
        /// True if other iterations may update the element at the same time.
        unordered: bool,
    },
}

/// A semaphore.
#[derive(Clone, Copy, Debug)]
pub(super) struct Semaphore {
    /// The region that binds its name.
    pub(super) region: usize,
    /// The initial count, once it is set.
    pub(super) count: Option<i64>,
}

pub(super) struct Walk<'a> {
    pub(super) source: &'a Source,
    pub(super) pipeline: &'a Pipeline,
    pub(super) nodes: Nodes<'a>,
    pub(super) memo: Memo,
    /// True if the statement goes to the code generators as it is.
    pub(super) is_final: bool,
    /// The bytes of all memory on the stack that has been seen.
    pub(super) stack_bytes: i128,
    /// True once a store, a loop or tasks have been seen.
    pub(super) work_begun: bool,
    /// True if an enclosing loop runs in no fixed order.
    pub(super) is_unordered: bool,
    /// The atomicity of stores here.
    pub(super) atomic: Atomicity,
    /// The number of enclosing loops, conditions and tasks.
    pub(super) depth: usize,
    /// While nothing but loops on the host, branches, lets and assertions lead here, and they
    /// access no memory: for each of these loops, the condition that it has no iteration, and for
    /// each branch, the condition that it is not taken.
    pub(super) leading: Option<Vec<ExprId>>,
    /// Entry checks for assertions in loops.
    pub(super) hoisted: Vec<StmtId>,
    /// The obligations of assertions that are in no loop and under no condition, with entry checks
    /// that show them.
    pub(super) late: FxHashMap<StmtId, StmtId>,
    /// The enclosing loop, condition or task: all statements of a region run equally often.
    pub(super) region: usize,
    pub(super) regions: usize,
    pub(super) place: Place,
    /// Live memory, with the region of its allocation.
    pub(super) live: FxHashMap<NameId, usize>,
    /// Memory that the host allocates, in a final statement.
    pub(super) of_host: IndexSet<NameId>,
    pub(super) semaphores: FxHashMap<NameId, Semaphore>,
    /// The caller's buffers by their names in the statement.
    pub(super) callers: IndexSet<NameId>,
    /// Outputs whose contents before the run are still to be filled in.
    pub(super) unfilled: IndexSet<NameId>,
    /// The outputs' buffers.
    pub(super) outputs: Vec<BufferId>,
    /// The places where the caller's buffers are up to date.
    pub(super) holdings: Holdings,
    /// The device of the statement's kernels and copies, in small letters.
    pub(super) device: Option<String>,
    /// The number of enclosing loops on the host.
    pub(super) host_loops: usize,
    /// The values of integer names, if these values read no memory.
    pub(super) definitions: Definitions,
    /// The variables of parameters and shapes.
    pub(super) signature: FxHashSet<VarId>,
    /// The scalars that the pipeline gives to extern functions, with their values.
    pub(super) extern_scalars: Vec<(&'a Expr, Value)>,
    /// The bounds queries of extern functions that are in scope.
    pub(super) queries: Vec<Query>,
    /// The number of bounds queries in loops and conditions, and after work has begun.
    pub(super) inner_queries: usize,
    /// The funcs of extern functions about which something was asked.
    pub(super) asked_about: IndexSet<NameId>,
    /// The variables of the enclosing loops.
    pub(super) loops: Vec<VarId>,
    /// The keys of memoized funcs, by their names.
    pub(super) keys: IndexMap<NameId, Key>,
    /// The names of results of lookups, with their funcs; true for the truth value.
    pub(super) results: IndexMap<NameId, (NameId, bool)>,
    /// The memoized funcs that are being computed, as nothing was found; each with the region of
    /// the condition under which it is needed.
    pub(super) missed: Vec<(NameId, Option<usize>)>,
    /// Entry checks on what extern functions read.
    pub(super) of_stages: Vec<StmtId>,
    pub(super) notes: Vec<Note>,
    pub(super) marked: Marked,
    pub(super) contract: Contract,
}

impl<'a> Walk<'a> {
    pub(super) fn new(source: &'a Source, pipeline: &'a Pipeline, names: &'a Names) -> Self {
        Self {
            source,
            pipeline,
            nodes: Nodes::new(names),
            memo: Memo::default(),
            is_final: true,
            stack_bytes: 0,
            work_begun: false,
            is_unordered: false,
            atomic: Atomicity::None,
            depth: 0,
            leading: Some(Vec::new()),
            hoisted: Vec::new(),
            late: FxHashMap::default(),
            region: 0,
            regions: 0,
            place: Place::Host,
            live: FxHashMap::default(),
            of_host: IndexSet::default(),
            semaphores: FxHashMap::default(),
            callers: IndexSet::default(),
            unfilled: source.priors.iter().map(|prior| prior.output).collect(),
            outputs: Vec::new(),
            holdings: Holdings::default(),
            device: None,
            host_loops: 0,
            definitions: Definitions::default(),
            signature: FxHashSet::default(),
            extern_scalars: Vec::new(),
            queries: Vec::new(),
            inner_queries: 0,
            asked_about: IndexSet::default(),
            loops: Vec::new(),
            keys: IndexMap::default(),
            results: IndexMap::default(),
            missed: Vec::new(),
            of_stages: Vec::new(),
            notes: Vec::new(),
            marked: Marked::default(),
            contract: Contract::default(),
        }
    }

    /// Enters a loop, a condition or a task.
    pub(super) fn enter(&mut self) -> Around {
        let (region, place, is_unordered) = (self.region, self.place, self.is_unordered);
        self.regions += 1;
        self.region = self.regions;
        self.depth += 1;
        Around { region, place, is_unordered, queries: self.queries.len() }
    }

    pub(super) fn leave(&mut self, around: Around) {
        self.region = around.region;
        self.place = around.place;
        self.is_unordered = around.is_unordered;
        self.queries.truncate(around.queries);
        self.depth -= 1;
    }

    /// Adds a note, once.
    pub(super) fn note(&mut self, words: &str) {
        let note = Note::Other(words.to_owned());
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(super) fn lower<T>(
        &mut self,
        pool: &mut Pool,
        work: impl FnOnce(&mut Lowering<'_, '_>) -> T,
    ) -> T {
        work(&mut Lowering::new(&self.nodes, pool, &mut self.memo, Overflow::Wraps))
    }

    pub(super) fn scalar(&mut self, pool: &mut Pool, expr: &Expr) -> Result<Value> {
        let node: NodeId = self.nodes.elaborate(pool, expr)?;
        self.lower(pool, |lowering| lowering.scalar(node))
    }

    /// An `int` where the code takes 32 bits of any integer: a bound of a loop, or an extent of
    /// memory.
    pub(super) fn int_of_32(&mut self, pool: &mut Pool, expr: &Expr) -> Result<ExprId> {
        let value = self.scalar(pool, expr)?;
        if value.ty != Scalar::Int(32) {
            return unsupported("a bound or an extent that is no signed integer of 32 bits");
        }
        self.lower(pool, |lowering| lowering.ops.as_index(value))
    }

    pub(super) fn int(&mut self, pool: &mut Pool, expr: &Expr) -> Result<ExprId> {
        let value = self.scalar(pool, expr)?;
        self.lower(pool, |lowering| lowering.ops.as_index(value))
    }
}

/// Joins items into one statement, with lets and allocations closed around the items after them.
pub(super) fn closed(pool: &mut Pool, items: Vec<Item>) -> StmtId {
    let mut stmts: Vec<StmtId> = Vec::new();
    for item in items.into_iter().rev() {
        match item {
            Item::Stmt(stmt) => stmts.push(stmt),
            Item::Let(var, value) => {
                let body = sequence(pool, std::mem::take(&mut stmts));
                stmts.push(pool.stmt(IrStmt::Let { var, value, body }));
            }
            Item::Allocate(buffer) => {
                let body = sequence(pool, std::mem::take(&mut stmts));
                stmts.push(pool.stmt(IrStmt::Allocate { buffer, body }));
            }
        }
    }
    sequence(pool, stmts)
}

/// A sequence of statements that were collected in reverse order.
fn sequence(pool: &mut Pool, mut stmts: Vec<StmtId>) -> StmtId {
    stmts.reverse();
    if let [only] = *stmts { only } else { pool.stmt(IrStmt::Block(stmts)) }
}
