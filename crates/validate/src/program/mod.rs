//! A program as a list of accesses, with their loops, conditions and claims.
//!
//! # Correctness
//! [`walk`] visits every statement once and lists every store, load, allocation, loop and entry
//! check. A construct that it cannot describe is a [`Problem`], and a program with a problem is
//! never `Proved`. Loops, lanes and windows have separate symbols, so an access instance is an
//! access with values for the symbols of its loops and its lane. [`order`] defines the order of
//! instances.

pub(crate) mod order;
mod scope;
mod walk;

use halidom_base::{Arena, FxHashMap, FxHashSet, define_id};
use halidom_ir::{BufferId, BufferKind, Check, ExprId, FuncId, LoopKind, StmtId, VarId};

use crate::space::{FormulaId, PolyId, Symbol, Value};

pub(crate) use crate::space::MemoryId;
pub(crate) use walk::{Parameters, parameters, vars, walk};

define_id!(
    /// Numbers a loop.
    pub(crate) LoopId, "loop"
);
define_id!(
    /// Numbers a label.
    pub(crate) LabelId, "label"
);
define_id!(
    /// Numbers a load.
    pub(crate) LoadId, "load"
);
define_id!(
    /// Numbers a store.
    pub(crate) StoreId, "store"
);

/// A loop.
pub(crate) struct Loop {
    pub(crate) symbol: Symbol,
    pub(crate) min: PolyId,
    pub(crate) extent: PolyId,
    pub(crate) kind: LoopKind,
}

/// One step from the root of the program to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// Enters the part with this number. Parts run one after another.
    Part(usize),
    /// Enters the loop with this index.
    Loop(LoopId),
}

/// The path to a statement, and the facts that hold there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) steps: Vec<Step>,
    /// Ranges of loops and lanes, and conditions. Entry checks are not repeated here.
    pub(crate) facts: Vec<FormulaId>,
    /// The labels around the statement, outermost first.
    pub(crate) labels: Vec<LabelId>,
}

impl Place {
    /// The loops around, outermost first.
    pub(crate) fn loops(&self) -> impl DoubleEndedIterator<Item = LoopId> + '_ {
        loops(&self.steps)
    }
}

/// The loops of a path, outermost first.
pub(crate) fn loops(steps: &[Step]) -> impl DoubleEndedIterator<Item = LoopId> + '_ {
    steps.iter().filter_map(|step| match step {
        Step::Loop(index) => Some(*index),
        Step::Part(_) => None,
    })
}

/// One dimension of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Dimension {
    pub(crate) min: PolyId,
    pub(crate) extent: PolyId,
    pub(crate) stride: PolyId,
    /// True if a coordinate is stored at its remainder by the extent.
    pub(crate) folded: bool,
}

/// A buffer: one for each input and output, and one for each `Allocate` statement.
pub(crate) struct Memory {
    pub(crate) buffer: BufferId,
    pub(crate) func: FuncId,
    /// The component of the func's values that it holds.
    pub(crate) component: usize,
    pub(crate) kind: BufferKind,
    pub(crate) dims: Vec<Dimension>,
    pub(crate) place: Place,
    /// The index of the buffer whose memory it takes while it lives.
    pub(crate) within: Option<MemoryId>,
}

impl Memory {
    /// Tests whether different coordinates may share an element.
    pub(crate) fn is_folded(&self) -> bool {
        self.dims.iter().any(|dim| dim.folded)
    }
}

/// A store or load.
pub(crate) struct Access {
    /// The statement, for reports: accesses are numbered in the order of the program.
    pub(crate) stmt: StmtId,
    pub(crate) memory: MemoryId,
    /// The element number; `None` before storage is flattened.
    pub(crate) flat: Option<PolyId>,
    pub(crate) coords: Vec<PolyId>,
    pub(crate) place: Place,
    /// The lane's symbol, for vectors.
    pub(crate) lane: Option<Symbol>,
}

/// A load that a store or a condition uses.
#[derive(Clone)]
pub(crate) struct Use {
    /// The index of the load.
    pub(crate) load: LoadId,
    /// The condition under which the loaded value matters: the arms of selections around it.
    pub(crate) arm: FormulaId,
}

/// A store with its claim.
pub(crate) struct Store {
    pub(crate) access: Access,
    pub(crate) func: FuncId,
    pub(crate) stage: usize,
    pub(crate) point: Vec<PolyId>,
    /// The stored value, or the reason why it is not known. Its reads are settled for this store.
    pub(crate) value: Result<Value, String>,
    pub(crate) uses: Vec<Use>,
    /// Loads of the updated func in conditions around the store, which decide whether it runs, and
    /// in indices, which decide what it reads.
    pub(crate) decides: Vec<Use>,
    /// The label of `func` around the store.
    pub(crate) label: Option<LabelId>,
    /// True if the store reads and writes its element in one step.
    pub(crate) atomic: bool,
}

/// Loads that indices, bounds or conditions use. They must always be defined.
pub(crate) struct Control {
    pub(crate) place: Place,
    pub(crate) uses: Vec<Use>,
}

/// A place that promises a func's values.
pub(crate) struct Labelled {
    pub(crate) func: FuncId,
    /// Minima and extents of the region where the values must be right in the end: the last of
    /// `regions`.
    pub(crate) needed: Vec<(PolyId, PolyId)>,
    /// For each stage, the region where its writes must be right: the locations that are needed in
    /// the end or that later updates read.
    pub(crate) regions: Vec<Vec<(PolyId, PolyId)>>,
    pub(crate) place: Place,
    /// The memory of each of the func's components at this place. Empty if a component has no
    /// memory.
    pub(crate) memories: Vec<MemoryId>,
}

/// A condition that is checked at entry.
pub(crate) struct EntryCheck {
    pub(crate) condition: FormulaId,
    /// The condition as written.
    pub(crate) expr: ExprId,
    pub(crate) check: Check,
}

/// Expressions that the program evaluates at a place, in the order of the walk.
pub(crate) struct Computed {
    pub(crate) stmt: StmtId,
    pub(crate) exprs: Vec<ExprId>,
    pub(crate) place: Place,
    /// The variable that the expressions bind, and the kind of binding.
    pub(crate) binds: Option<(VarId, Binder)>,
    /// The buffer that these expressions give its min, extent and stride, dimension by dimension.
    pub(crate) allocates: Option<MemoryId>,
    /// The purpose of the expressions.
    pub(crate) role: Role,
}

/// The purpose of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// They are stored, or bound to a name.
    Value,
    /// They decide which statements run, or where.
    Decides,
    /// They number an element of a buffer.
    Index(BufferId),
    /// They are min, extent and stride of memory's dimensions.
    Shape,
}

/// The kind of binding of a variable.
#[derive(Clone, Copy)]
pub(crate) enum Binder {
    /// The only expression is the variable's value.
    Let,
    /// The two expressions are the variable's first value and the number of values.
    Loop,
}

/// A construct that the walk could not describe.
pub(crate) struct Problem {
    pub(crate) stmt: StmtId,
    pub(crate) reason: String,
}

/// The description of a whole program.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) loops: Arena<LoopId, Loop>,
    pub(crate) memories: Arena<MemoryId, Memory>,
    pub(crate) labels: Arena<LabelId, Labelled>,
    pub(crate) loads: Arena<LoadId, Access>,
    /// The loads that are bound to names which nothing mentions: all that matters of them is that
    /// they lie in their memory.
    pub(crate) idle: FxHashSet<LoadId>,
    pub(crate) stores: Arena<StoreId, Store>,
    pub(crate) controls: Vec<Control>,
    pub(crate) computed: Vec<Computed>,
    /// The values of `int` expressions. Every variable is bound once, so an expression has the same
    /// meaning everywhere.
    pub(crate) ints: FxHashMap<ExprId, PolyId>,
    pub(crate) entry: Vec<EntryCheck>,
    pub(crate) problems: Vec<Problem>,
    /// The windows of the outputs, by output.
    pub(crate) windows: Vec<(FuncId, Vec<(PolyId, PolyId)>)>,
}
