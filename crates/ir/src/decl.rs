//! Declarations of variables, funcs, buffers and holes. Their names are only for printing; the id
//! ([`crate::VarId`] and its like) is the identity.

use crate::{BufferId, ExprId, FuncId, Scalar, Type, VarId};

/// The name and type of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarDecl {
    /// The name for printing. It need not be unique.
    pub name: String,
    /// The type of the variable's values.
    pub ty: Type,
}

/// A func (one pure stage and any number of updates, FS §4.1) or an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuncDecl {
    /// The name, unique within an algorithm.
    pub name: String,
    /// The type of each component of the values, never empty. Inputs have one component, tuples
    /// several.
    pub scalars: Vec<Scalar>,
    /// The pure variables, first dimension first. Inputs have them too: they give the rank and the
    /// dimensions' names.
    pub args: Vec<VarId>,
    /// An input, or a definition by stages.
    pub kind: FuncKind,
}

impl FuncDecl {
    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.args.len()
    }

    /// The type of a component, which must exist.
    pub fn scalar(&self, component: usize) -> Scalar {
        self.scalars[component]
    }

    /// The name of a component: the func's name, with the component's number if there are several.
    pub fn component_name(&self, component: usize) -> String {
        if self.scalars.len() > 1 {
            format!("{}.{component}", self.name)
        } else {
            self.name.clone()
        }
    }

    /// The stages. Empty for an input.
    pub fn stages(&self) -> &[Stage] {
        match &self.kind {
            FuncKind::Input { .. } => &[],
            FuncKind::Defined { stages, .. } => stages,
        }
    }

    /// Tests whether the pure stage has a predicate. Then the func may have no value where no
    /// update writes one.
    pub fn is_partial(&self) -> bool {
        self.stages().first().is_some_and(|stage| stage.predicate.is_some())
    }
}

/// The origin of a func's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FuncKind {
    /// The caller's array.
    Input {
        /// The buffer that holds the array.
        buffer: BufferId,
    },
    /// A definition.
    Defined {
        /// The stages, the pure one first. Never empty.
        stages: Vec<Stage>,
        /// True if the prelude made the func (a boundary condition, for example). Such a func is
        /// computed inline unless a schedule specifies otherwise.
        synthetic: bool,
    },
}

/// One stage: `for domain where predicate: func(lhs) = values` (FS Fig. 5, with tuples).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Reduction variables; **the first is innermost** (changes fastest).
    pub domain: Vec<ReductionVar>,
    /// The condition under which an instance applies. An instance always applies if this is `None`.
    /// Where the pure stage does not apply, the func has no value until an update writes one.
    pub predicate: Option<ExprId>,
    /// The written point. For the pure stage it consists of the args themselves.
    pub lhs: Vec<ExprId>,
    /// The written values, one for each component. All are evaluated before any is written.
    pub values: Vec<ExprId>,
}

impl Stage {
    /// Iterates over the expressions that an instance evaluates: the written point, the predicate,
    /// the values.
    pub fn roots(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.lhs.iter().chain(&self.predicate).chain(&self.values).copied()
    }

    /// Iterates over the same expressions as mutable references.
    pub fn roots_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        self.lhs.iter_mut().chain(&mut self.predicate).chain(&mut self.values)
    }
}

/// A reduction variable and its interval. Both ends are startup expressions (FS Definition 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionVar {
    /// The variable.
    pub var: VarId,
    /// The least value.
    pub min: ExprId,
    /// The number of values. A negative extent is an error at entry.
    pub extent: ExprId,
}

/// A piece of memory with its layout. The element at `(c_0, …)` has the number
/// `Σ (c_k - min_k) * stride_k`, counted from the origin. Within the box the number is never
/// negative: strides of internal buffers are products of extents, and the caller's strides are
/// checked at entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferDecl {
    /// The name for printing.
    pub name: String,
    /// The element type, never `int`.
    pub scalar: Scalar,
    /// The func whose values the buffer holds.
    pub func: FuncId,
    /// The component of the func's values. A tuple-valued func has one buffer for each component.
    pub component: usize,
    /// The owner of the memory.
    pub kind: BufferKind,
    /// The place of an internal buffer's memory. For the caller's buffers this is
    /// [`StoreIn::Auto`], or the way in which an output is written. It does not change the meaning
    /// of a program.
    pub store_in: StoreIn,
    /// Only for internal buffers. If true and the distance of a dense vector from a multiple of its
    /// length is known, the vector may be read as the two vectors that lie at such multiples. It
    /// does not change the meaning of a program.
    pub realigned: bool,
    /// The dimensions, first dimension first. For inputs and outputs the expressions are variables
    /// that the caller binds. For allocations they are evaluated where the buffer is allocated.
    pub dims: Vec<Dim>,
}

/// The owner of a buffer's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferKind {
    /// The caller's memory, read only.
    Input,
    /// The caller's memory, which the pipeline writes.
    Output,
    /// Memory allocated within the pipeline.
    Internal,
}

/// The place of an internal buffer, or the way in which an output is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum StoreIn {
    /// On the stack if the size is a small constant, else on the heap.
    #[default]
    Auto,
    /// On the heap: allocated and freed.
    Heap,
    /// An array of a C function. The size is a constant of at most [`STACK_LIMIT`] bytes.
    Stack,
    /// On the stack, with at most [`REGISTER_LIMIT`] bytes. This is small enough for the C compiler
    /// to keep the elements in registers if their indices are constants.
    Register,
    /// Only for outputs: dense vectors bypass the caches. This is for large outputs that are
    /// written once and not read again.
    Stream,
    /// In the memory of another internal buffer, so that memory allocated once serves many
    /// lifetimes. The other buffer has room for this one and serves it alone while it lives. It
    /// holds the same component of the same func, and nothing accesses it directly.
    Within(BufferId),
}

/// The maximal size in bytes of a buffer on the stack.
pub const STACK_LIMIT: i128 = 16 * 1024;

/// The maximal size in bytes of a buffer that is meant for registers.
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

    /// The greatest size in bytes, if there is a limit. The size is then a constant.
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
/// A **folded** dimension (storage folding) has room for `extent` coordinates at a time. Coordinate
/// `c`, any integer, lies at `c mod extent`, so congruent coordinates share their elements. The min
/// of a folded dimension is 0. Only internal buffers are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The least coordinate, an `int`. 0 if folded.
    pub min: ExprId,
    /// The number of coordinates, an `int`. A positive constant if folded.
    pub extent: ExprId,
    /// The distance in elements between neighbours, an `int`.
    pub stride: ExprId,
    /// True if coordinates are taken modulo the extent.
    pub folded: bool,
}

impl Dim {
    /// Returns a dimension that is not folded.
    pub fn new(min: ExprId, extent: ExprId, stride: ExprId) -> Self {
        Self { min, extent, stride, folded: false }
    }
}

/// A bounds hole (FS Definition 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HoleDecl {
    /// The func whose region it bounds.
    pub func: FuncId,
    /// The dimension of the region.
    pub dim: usize,
    /// Compute bounds or allocation bounds.
    pub kind: HoleKind,
    /// The end of the interval that the hole stands for.
    pub part: HolePart,
}

/// The kind of region that a hole bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HoleKind {
    /// The region in which a stage's values must be right (?cpu). Each specialization has its own
    /// holes for each stage except the last.
    Compute {
        /// The stage, 0 for the pure one.
        stage: usize,
        /// The specialization, 0 for the unspecialized form.
        specialization: usize,
    },
    /// The region that is allocated (?mem).
    Allocation,
}

/// The end of an interval that a hole stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HolePart {
    /// The least coordinate.
    Min,
    /// The number of coordinates.
    Extent,
}
