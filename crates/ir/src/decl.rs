//! Declarations: what names stand for. Text is only for printing; identity is the id.

use halidom_base::define_id;

use crate::{ExprId, Scalar, Type};

define_id!(
    /// A variable. Each binder (loop, let, func argument, parameter) has a variable of its own.
    pub VarId, "v"
);
define_id!(
    /// A func or an input of a pipeline.
    pub FuncId, "f"
);
define_id!(
    /// A piece of memory: an input, an output, or an allocation.
    pub BufferId, "b"
);
define_id!(
    /// A bound to be inferred.
    pub HoleId, "h"
);

/// A variable's name and type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarDecl {
    /// For printing; need not be unique.
    pub name: String,
    /// The type of its values.
    pub ty: Type,
}

/// A func: one pure stage and any number of updates (FS §4.1), or an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuncDecl {
    /// Unique within an algorithm.
    pub name: String,
    /// The type of each component of its values, never empty. Inputs have one, tuples several.
    pub scalars: Vec<Scalar>,
    /// Its pure variables, first dimension first. Inputs have them too, for their rank and the dimensions' names.
    pub args: Vec<VarId>,
    /// What it is.
    pub kind: FuncKind,
}

impl FuncDecl {
    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.args.len()
    }

    /// The type of a component, which must exist.
    pub fn scalar(&self, component: usize) -> Scalar {
        self.scalars[component]
    }

    /// What a component is called: the func's name, with the component's number if there are several.
    pub fn component_name(&self, component: usize) -> String {
        if self.scalars.len() > 1 {
            format!("{}.{component}", self.name)
        } else {
            self.name.clone()
        }
    }

    /// The stages, none for an input.
    pub fn stages(&self) -> &[Stage] {
        match &self.kind {
            FuncKind::Input { .. } => &[],
            FuncKind::Defined { stages, .. } => stages,
        }
    }
}

/// Where a func's values come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FuncKind {
    /// The caller's array.
    Input {
        /// Its memory.
        buffer: BufferId,
    },
    /// A definition.
    Defined {
        /// The pure stage first, never empty.
        stages: Vec<Stage>,
        /// Made by the prelude (a boundary condition, say): computed inline unless a schedule says otherwise.
        synthetic: bool,
    },
}

/// One stage: `for domain where predicate: func(lhs) = values` (FS Fig. 5, with tuples).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Reduction variables; **the first is innermost** (changes fastest).
    pub domain: Vec<ReductionVar>,
    /// Where the stage applies; everywhere if `None`.
    pub predicate: Option<ExprId>,
    /// The written point: for the pure stage the args themselves.
    pub lhs: Vec<ExprId>,
    /// What is written, one value a component: all are evaluated before any is written.
    pub values: Vec<ExprId>,
}

impl Stage {
    /// Every expression that an instance evaluates: the written point, the predicate, the values.
    pub fn roots(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.lhs.iter().chain(&self.predicate).chain(&self.values).copied()
    }

    /// The same, to be replaced.
    pub fn roots_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        self.lhs.iter_mut().chain(&mut self.predicate).chain(&mut self.values)
    }
}

/// A reduction variable and its interval, both startup expressions (FS Definition 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionVar {
    /// The variable.
    pub var: VarId,
    /// Its least value.
    pub min: ExprId,
    /// How many values; negative is an error at entry.
    pub extent: ExprId,
}

/// A piece of memory with its layout. Element `(c_0, …)` lies at element number `Σ (c_k - min_k) * stride_k` counted from the origin; within the box that is never negative
/// (strides of internal buffers are products of extents; strides of the caller's buffers are checked at entry).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferDecl {
    /// For printing.
    pub name: String,
    /// The element type, never `int`.
    pub scalar: Scalar,
    /// The func whose values it holds.
    pub func: FuncId,
    /// Which component of them: a tuple-valued func has a buffer for each.
    pub component: usize,
    /// Whose memory it is.
    pub kind: BufferKind,
    /// Where the memory of an internal buffer lies; for the caller's [`StoreIn::Auto`], or how an output is written. It changes nothing of what a program means.
    pub store_in: StoreIn,
    /// Of an internal buffer: dense vectors whose distance from a multiple of their length is known may be read as the two that lie at such multiples. It changes nothing of what a
    /// program means.
    pub realigned: bool,
    /// First dimension first. Of inputs and outputs, the expressions are variables bound by the caller; of allocations, they are evaluated where the buffer is allocated.
    pub dims: Vec<Dim>,
}

/// Whose memory a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferKind {
    /// The caller's, read only.
    Input,
    /// The caller's, written.
    Output,
    /// Allocated within the pipeline.
    Internal,
}

/// Where an internal buffer lies, and how an output is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum StoreIn {
    /// On the stack where the size is a small constant, else on the heap.
    #[default]
    Auto,
    /// Allocated and freed.
    Heap,
    /// An array of a C function: the size is a constant, of at most [`STACK_LIMIT`] bytes.
    Stack,
    /// As on the stack, of at most [`REGISTER_LIMIT`] bytes: small enough for the C compiler to keep the elements in registers where their indices are constants.
    Register,
    /// Of an output: its dense vectors go past the caches. For what is large, written once and not read again.
    Stream,
    /// In the memory of another internal buffer, which has room for it and serves it alone while it lives: memory that is allocated once for many lifetimes. The other buffer
    /// holds the same component of the same func, and is accessed by nobody itself.
    Within(BufferId),
}

/// How many bytes a buffer may have on the stack.
pub const STACK_LIMIT: i128 = 16 * 1024;

/// How many bytes a buffer may have that is meant for registers.
pub const REGISTER_LIMIT: i128 = 512;

impl StoreIn {
    /// Every place that has a name.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Heap, Self::Stack, Self::Register, Self::Stream];

    /// The name in schedules and in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Heap => "heap",
            Self::Stack => "stack",
            Self::Register => "register",
            Self::Stream => "stream",
            Self::Within(_) => "another buffer",
        }
    }

    /// The greatest size in bytes, if there is one; the size is then a constant.
    pub fn limit(self) -> Option<i128> {
        match self {
            Self::Auto | Self::Heap | Self::Stream | Self::Within(_) => None,
            Self::Stack => Some(STACK_LIMIT),
            Self::Register => Some(REGISTER_LIMIT),
        }
    }
}

/// One dimension of a buffer: coordinates `min .. min + extent`, `stride` elements apart.
///
/// A **folded** dimension has room for `extent` coordinates at a time: coordinate `c`, any integer, lies at `c mod extent`, so that coordinates that are congruent share
/// their elements. Its min is 0. Only internal buffers are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Least coordinate, `int`; 0 if folded.
    pub min: ExprId,
    /// Number of coordinates, `int`; of a folded dimension a positive constant.
    pub extent: ExprId,
    /// Elements between neighbours, `int`.
    pub stride: ExprId,
    /// Whether coordinates are taken modulo the extent.
    pub folded: bool,
}

impl Dim {
    /// A dimension that is not folded.
    pub fn new(min: ExprId, extent: ExprId, stride: ExprId) -> Self {
        Self { min, extent, stride, folded: false }
    }
}

/// A bounds hole (FS Definition 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HoleDecl {
    /// The func whose region it bounds.
    pub func: FuncId,
    /// The dimension.
    pub dim: usize,
    /// Compute or allocation bounds.
    pub kind: HoleKind,
    /// Which end.
    pub part: HolePart,
}

/// Which region a hole bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HoleKind {
    /// Where a stage's values must be right (?cpu). Instances of a specialization have holes of their own, except for the last stage.
    Compute {
        /// The stage, 0 for the pure one.
        stage: usize,
        /// The specialization, 0 for the unspecialized form.
        specialization: usize,
    },
    /// What is allocated (?mem).
    Allocation,
}

/// Which end of an interval a hole stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HolePart {
    /// The least coordinate.
    Min,
    /// The number of coordinates.
    Extent,
}
