//! What a program does, as a list: accesses with their loops, conditions and claims.
//!
//! # Correctness
//! [`walk`] goes over every statement once and lists every store, load, allocation, loop and entry check. What it cannot describe is a [`Problem`], and a
//! program with a problem is never `Proved`. Loops, lanes and windows get symbols of their own, so that an access instance is an access with values for the
//! symbols of its loops and its lane. The order of instances is that of [`order`].

pub(crate) mod order;
mod scope;
mod walk;
mod widen;

use halidom_base::FxHashMap;
use halidom_ir::{BufferId, BufferKind, Check, ExprId, FuncId, LoopKind, StmtId, VarId};

use crate::space::{FormulaId, PolyId, Symbol, Value};

pub(crate) use walk::{Parameters, parameters, walk};

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
    /// The part with this number; parts run one after another.
    Part(usize),
    /// Into the loop with this index.
    Loop(usize),
}

/// Where a statement stands and what holds there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) steps: Vec<Step>,
    /// Ranges of loops and lanes, conditions; entry checks are not repeated here.
    pub(crate) facts: Vec<FormulaId>,
    /// The innermost label of each func around the statement.
    pub(crate) labels: Vec<usize>,
}

impl Place {
    /// The loops around, outermost first.
    pub(crate) fn loops(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.steps.iter().filter_map(|step| match step {
            Step::Loop(index) => Some(*index),
            Step::Part(_) => None,
        })
    }
}

/// One dimension of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Dimension {
    pub(crate) min: PolyId,
    pub(crate) extent: PolyId,
    pub(crate) stride: PolyId,
    /// Whether a coordinate lies at its remainder by the extent.
    pub(crate) folded: bool,
}

/// A buffer: one for each input and output, and one for each `Allocate` statement.
pub(crate) struct Memory {
    pub(crate) buffer: BufferId,
    pub(crate) func: FuncId,
    /// Which component of the func's values it holds.
    pub(crate) component: usize,
    pub(crate) kind: BufferKind,
    pub(crate) dims: Vec<Dimension>,
    pub(crate) place: Place,
    /// Whose memory it takes while it lives.
    pub(crate) within: Option<usize>,
}

impl Memory {
    /// Whether different coordinates may share an element.
    pub(crate) fn is_folded(&self) -> bool {
        self.dims.iter().any(|dim| dim.folded)
    }
}

/// A store or load.
pub(crate) struct Access {
    /// For reports: accesses are numbered as they stand in the program.
    pub(crate) stmt: StmtId,
    pub(crate) memory: usize,
    /// The element number; `None` before storage is flattened.
    pub(crate) flat: Option<PolyId>,
    pub(crate) coords: Vec<PolyId>,
    pub(crate) place: Place,
    /// The lane's symbol, of vectors.
    pub(crate) lane: Option<Symbol>,
}

/// A load that a store or a condition uses.
#[derive(Clone)]
pub(crate) struct Use {
    /// Its index.
    pub(crate) load: usize,
    /// When the loaded value matters: the arms of selections around it.
    pub(crate) arm: FormulaId,
}

/// A store with what it claims to write.
pub(crate) struct Store {
    pub(crate) access: Access,
    pub(crate) func: FuncId,
    pub(crate) stage: usize,
    pub(crate) point: Vec<PolyId>,
    /// What it writes, or why that is not known. Reads are settled for this store.
    pub(crate) value: Result<Value, String>,
    pub(crate) uses: Vec<Use>,
    /// Loads of the updated func in conditions around it, which decide whether it runs, and in indices, which decide what it reads.
    pub(crate) decides: Vec<Use>,
    /// The label of `func` around it.
    pub(crate) label: Option<usize>,
    /// Whether its read of the element that it writes and the write are one step.
    pub(crate) atomic: bool,
}

/// Loads that indices, bounds or conditions use: they must always be defined.
pub(crate) struct Control {
    pub(crate) place: Place,
    pub(crate) uses: Vec<Use>,
}

/// A place that promises a func's values.
pub(crate) struct Labelled {
    pub(crate) func: FuncId,
    /// Minima and extents of the region where the values must be right in the end: the last of `regions`.
    pub(crate) needed: Vec<(PolyId, PolyId)>,
    /// For each stage the region where what it writes must be right: what is needed in the end, and what later updates read.
    pub(crate) regions: Vec<Vec<(PolyId, PolyId)>>,
    pub(crate) place: Place,
    /// The memory of each of the func's components at this place; empty if one of them has none.
    pub(crate) memories: Vec<usize>,
}

/// A condition checked at entry.
pub(crate) struct EntryCheck {
    pub(crate) condition: FormulaId,
    /// The same as written.
    pub(crate) expr: ExprId,
    pub(crate) check: Check,
}

/// Expressions that the program evaluates at a place, in the order of the walk.
pub(crate) struct Computed {
    pub(crate) stmt: StmtId,
    pub(crate) exprs: Vec<ExprId>,
    pub(crate) place: Place,
    /// The variable that they bind, and how.
    pub(crate) binds: Option<(VarId, Binder)>,
    /// The buffer whose min, extent and stride they are, dimension by dimension.
    pub(crate) allocates: Option<usize>,
    /// What they are for.
    pub(crate) role: Role,
}

/// What expressions are computed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// They are stored, or bound to a name.
    Value,
    /// They decide what runs or where.
    Decides,
    /// They number an element of a buffer.
    Index(BufferId),
    /// They are min, extent and stride of memory's dimensions.
    Shape,
}

/// How expressions bind a variable.
#[derive(Clone, Copy)]
pub(crate) enum Binder {
    /// The one expression is its value.
    Let,
    /// The two expressions are its first value and the number of values.
    Loop,
}

/// Something that the walk could not describe.
pub(crate) struct Problem {
    pub(crate) stmt: StmtId,
    pub(crate) reason: String,
}

/// All of a program.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) loops: Vec<Loop>,
    pub(crate) memories: Vec<Memory>,
    pub(crate) labels: Vec<Labelled>,
    pub(crate) loads: Vec<Access>,
    pub(crate) stores: Vec<Store>,
    pub(crate) controls: Vec<Control>,
    pub(crate) computed: Vec<Computed>,
    /// What `int` expressions denote: every variable is bound once, so an expression means the same wherever it stands.
    pub(crate) ints: FxHashMap<ExprId, PolyId>,
    pub(crate) entry: Vec<EntryCheck>,
    pub(crate) problems: Vec<Problem>,
    /// The windows of the outputs, by output.
    pub(crate) windows: Vec<(FuncId, Vec<(PolyId, PolyId)>)>,
}
