//! The contents of a pipeline file: an algorithm and its schedule.

use crate::NameId;
use crate::tree::{Expr, ForKind, Scalar, Type};

/// A pipeline. Its funcs are ordered by name only.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Every func, in order of name.
    pub funcs: Vec<Func>,
    /// The outputs, in order.
    pub outputs: Vec<NameId>,
    /// Conditions that must hold at entry.
    pub requirements: Vec<Requirement>,
    /// Buffers and scalars with the pipeline's knowledge about them, the funcs' own buffers
    /// included.
    pub parameters: Vec<Parameter>,
    /// Inputs and scalar parameters.
    pub inputs: Vec<Input>,
    /// Arrays that are part of the pipeline.
    pub images: Vec<Image>,
}

/// A `require`.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The condition that must hold.
    pub condition: Expr,
    /// A call that makes the error message.
    pub message: Expr,
}

/// A func.
#[derive(Clone, Debug, PartialEq)]
pub struct Func {
    /// Its name.
    pub name: NameId,
    /// The type of each component.
    pub types: Vec<Type>,
    /// Its pure variables, first dimension first.
    pub args: Vec<NameId>,
    /// The places where it is computed and stored.
    pub schedule: FuncSchedule,
    /// The pure definition; `None` for a func that an extern function computes.
    pub init: Option<Definition>,
    /// The updates.
    pub updates: Vec<Definition>,
    /// The extern function that computes it, if there is one.
    pub external: Option<External>,
    /// The file that its values are written to (`debug_to_file`); empty without such a file.
    pub debug_file: String,
}

/// An extern function that computes a func (`define_extern`).
#[derive(Clone, Debug, PartialEq)]
pub struct External {
    /// The name of the function.
    pub function: NameId,
    /// Its arguments, without the buffers that it writes.
    pub arguments: Vec<ExternArgument>,
    /// True if the name is mangled as in C++, false if not; `None` if the target decides.
    pub is_mangled: Option<bool>,
    /// True if it runs on the host.
    pub on_host: bool,
}

/// An argument of an extern function.
#[derive(Clone, Debug, PartialEq)]
pub enum ExternArgument {
    /// A buffer for each component of the func with this index.
    Func(usize),
    /// An array that is part of the pipeline.
    Image(NameId),
    /// A scalar or a pointer.
    Scalar(Expr),
    /// An input.
    Input(NameId),
}

impl Func {
    /// The stages, the pure one first.
    pub fn stages(&self) -> impl Iterator<Item = &Definition> {
        self.init.iter().chain(&self.updates)
    }
}

/// A stage: `func(args) = values` wherever the predicate holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The condition under which the stage applies.
    pub predicate: Expr,
    /// One value for each component.
    pub values: Vec<Expr>,
    /// The coordinates that are written.
    pub args: Vec<Expr>,
    /// The loops.
    pub schedule: StageSchedule,
    /// Definitions for special conditions; the first whose condition holds applies.
    pub specializations: Vec<Specialization>,
}

/// A definition that applies under a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Specialization {
    /// The condition.
    pub condition: Expr,
    /// The definition.
    pub definition: Option<Box<Definition>>,
    /// The message with which the pipeline stops, if it stops here.
    pub failure: String,
}

/// A reduction variable with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct ReductionVariable {
    /// The variable.
    pub name: NameId,
    /// Its least value.
    pub min: Expr,
    /// The number of values.
    pub extent: Expr,
}

/// The tail strategy of a split: the treatment of iterations that the factor leaves over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailStrategy {
    /// Runs beyond the end.
    RoundUp,
    /// Tests every iteration.
    GuardWithIf,
    /// Predicates loads and stores.
    Predicate,
    /// Predicates loads.
    PredicateLoads,
    /// Predicates stores.
    PredicateStores,
    /// Moves the last block inwards.
    ShiftInwards,
    /// Moves the last block inwards and keeps the elements that other blocks wrote.
    ShiftInwardsAndBlend,
    /// Runs beyond the end and keeps the elements that are there.
    RoundUpAndBlend,
    /// Halide's choice.
    Auto,
}

impl TailStrategy {
    /// All strategies, in the order of Halide's own numbers.
    pub const ALL: [Self; 9] = [
        Self::RoundUp,
        Self::GuardWithIf,
        Self::Predicate,
        Self::PredicateLoads,
        Self::PredicateStores,
        Self::ShiftInwards,
        Self::ShiftInwardsAndBlend,
        Self::RoundUpAndBlend,
        Self::Auto,
    ];
}

/// A transformation of loops.
#[derive(Clone, Debug, PartialEq)]
pub enum Split {
    /// One loop becomes two.
    Split {
        /// The loop.
        old: NameId,
        /// The outer loop.
        outer: NameId,
        /// The inner loop.
        inner: NameId,
        /// The number of iterations of the inner loop.
        factor: Expr,
        /// True if the factor must divide the extent.
        exact: bool,
        /// The tail strategy.
        tail: TailStrategy,
    },
    /// A loop gets another name.
    Rename {
        /// The name before.
        old: NameId,
        /// The name after.
        new: NameId,
    },
    /// Two loops become one.
    Fuse {
        /// The outer loop.
        outer: NameId,
        /// The inner loop.
        inner: NameId,
        /// The loop that results.
        fused: NameId,
    },
}

/// A loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Dim {
    /// Its variable.
    pub name: NameId,
    /// The way in which its iterations run.
    pub kind: ForKind,
    /// True if it is a loop of the reduction.
    pub is_reduction: bool,
    /// The policy for partitioning the loop, by Halide's number: Halide's choice, never, always.
    pub partition: u8,
}

/// The loops of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageSchedule {
    /// The reduction domain, innermost first.
    pub domain: Vec<ReductionVariable>,
    /// The changes of the loops, in order.
    pub splits: Vec<Split>,
    /// The loops that result, innermost first; the last stands for everything around them.
    pub dims: Vec<Dim>,
    /// True if the schedule allows races.
    pub allow_races: bool,
    /// True if updates are atomic.
    pub atomic: bool,
    /// True if another func's loops enclose this stage's.
    pub is_fused: bool,
    /// The prefetches.
    pub prefetches: Vec<Prefetch>,
}

/// A prefetch of a func or input.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefetch {
    /// The func or input.
    pub name: NameId,
    /// The loop that issues the prefetch.
    pub at: NameId,
    /// The loop whose later iteration is prefetched.
    pub from: NameId,
    /// The number of iterations ahead.
    pub offset: Expr,
}

/// A place among the loops of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopLevel {
    /// At each use.
    Inlined,
    /// Outside of all loops.
    Root,
    /// A loop.
    At {
        /// The func.
        func: NameId,
        /// Its stage; -1 for the last one.
        stage: i32,
        /// The loop's variable.
        var: NameId,
    },
}

/// A dimension's fixed bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The pure variable.
    pub name: NameId,
    /// The least coordinate, if it is fixed.
    pub min: Option<Expr>,
    /// The number of coordinates, if it is fixed.
    pub extent: Option<Expr>,
    /// The number that divides the extent.
    pub modulus: Option<Expr>,
    /// The remainder of the least coordinate modulo that number.
    pub remainder: Option<Expr>,
}

/// A dimension in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageDim {
    /// The pure variable.
    pub name: NameId,
    /// The number that the extent in memory is rounded up to a multiple of.
    pub alignment: Option<Expr>,
    /// The extent in memory, if it is fixed.
    pub bound: Option<Expr>,
    /// The number of coordinates that memory holds, if the dimension is folded.
    pub fold: Option<Expr>,
    /// The direction in which the fold moves: true for forward.
    pub fold_forward: bool,
}

/// The places where a func is computed and stored.
#[derive(Clone, Debug, PartialEq)]
pub struct FuncSchedule {
    /// The place of its storage.
    pub store: LoopLevel,
    /// The place of its computation.
    pub compute: LoopLevel,
    /// The place where its memory is allocated.
    pub hoist: LoopLevel,
    /// Its dimensions in memory, innermost first.
    pub storage: Vec<StorageDim>,
    /// Fixed bounds.
    pub bounds: Vec<Bound>,
    /// Copies of the func for its users; a wrapper without a user serves all of them.
    pub wrappers: Vec<Wrapper>,
    /// The memory's kind, by Halide's number.
    pub memory: u8,
    /// True if values are kept between runs.
    pub memoized: bool,
    /// True if it is computed asynchronously to its users.
    pub is_async: bool,
    /// The number of buffers in the ring.
    pub ring_buffer: Option<Expr>,
}

/// A copy of a func.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// The func that reads the copy; all funcs if `None`.
    pub user: Option<NameId>,
    /// The index of the copy among the funcs of the pipeline, from 0.
    pub copy: usize,
}

/// An input or scalar parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: NameId,
    /// The type of its elements, or of the scalar.
    pub ty: Type,
    /// True if it is an array.
    pub is_buffer: bool,
    /// The number of an array's dimensions.
    pub dimensions: usize,
}

/// The pipeline's knowledge about a buffer or scalar.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The constraints on each dimension.
    pub constraints: Vec<Constraint>,
    /// Its name, type and kind.
    pub input: Input,
    /// The value of a scalar, in bits, if it has one.
    pub value: Option<u64>,
    /// The least and the greatest value of a scalar, if the pipeline limits it.
    pub range: [Option<Expr>; 2],
}

/// The constraints on a dimension of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The least coordinate.
    pub min: Option<Expr>,
    /// The number of coordinates.
    pub extent: Option<Expr>,
    /// The distance between neighbours, in elements.
    pub stride: Option<Expr>,
}

/// A dimension of an array that is part of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDim {
    /// The least coordinate.
    pub min: i32,
    /// The number of coordinates.
    pub extent: i32,
    /// The distance between neighbours, in elements.
    pub stride: i32,
}

/// An array that is part of the pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Its name.
    pub name: NameId,
    /// The type of its elements.
    pub ty: Type,
    /// Its dimensions.
    pub dims: Vec<ImageDim>,
    /// The bytes of its elements.
    pub data: Vec<u8>,
}

impl Image {
    /// Lays out elements that follow one another without gaps by the strides of an array. Halide
    /// writes them so: it copies the array without gaps first, and keeps the order in which the
    /// dimensions nest. Returns `None` if these are not all elements, or a side or stride is
    /// negative, or they do not fit the memory.
    pub(super) fn spread(ty: Type, dims: &[ImageDim], dense: &[u8]) -> Option<Vec<u8>> {
        let width = bytes_of(ty);
        let mut order: Vec<usize> = (0..dims.len()).collect();
        order.sort_by_key(|dim| dims[*dim].stride);
        let (mut count, mut span) = (1_usize, 1_usize);
        let mut steps = vec![(0, 0, 0); dims.len()];
        for (step, dim) in steps.iter_mut().zip(order) {
            let extent = usize::try_from(dims[dim].extent).ok()?;
            let stride = usize::try_from(dims[dim].stride).ok()?;
            *step = (extent, count, stride);
            count = count.checked_mul(extent)?;
            span = span.checked_add(extent.saturating_sub(1).checked_mul(stride)?)?;
        }
        if dense.len() != count.checked_mul(width)? {
            return None;
        }
        if steps.iter().all(|(_, from, to)| from == to) {
            return Some(dense.to_vec());
        }
        let mut data = halidom_base::memory::zeroed(span.checked_mul(width)?)?;
        for (number, element) in dense.chunks_exact(width).enumerate() {
            let place = |(extent, from, to): &(usize, usize, usize)| number / from % extent * to;
            let at = steps.iter().map(place).sum::<usize>() * width;
            data[at..at + width].copy_from_slice(element);
        }
        Some(data)
    }

    /// Tests whether another array has the same type, shape and elements. Strides may differ, and
    /// bytes in gaps.
    pub(crate) fn has_elements_of(&self, other: &Self) -> bool {
        let shape = |dim: &ImageDim| (dim.min, dim.extent);
        self.ty == other.ty
            && self.dims.iter().map(shape).eq(other.dims.iter().map(shape))
            && self.places().zip(other.places()).all(|(own, place)| {
                let element = self.element(own);
                element.is_some() && element == other.element(place)
            })
    }

    /// The element numbers of all points, the first dimension innermost.
    fn places(&self) -> impl Iterator<Item = i64> {
        let extents = self.dims.iter().map(|dim| i64::from(dim.extent).max(0));
        (0..extents.fold(1, i64::saturating_mul)).map(|number| {
            let (mut rest, mut place) = (number, 0);
            for dim in &self.dims {
                place += rest % i64::from(dim.extent) * i64::from(dim.stride);
                rest /= i64::from(dim.extent);
            }
            place
        })
    }

    fn element(&self, place: i64) -> Option<&[u8]> {
        let width = bytes_of(self.ty);
        let begin = usize::try_from(place).ok()?.checked_mul(width)?;
        self.data.get(begin..begin.checked_add(width)?)
    }
}

/// The bytes of an element in memory. A truth value takes one.
fn bytes_of(ty: Type) -> usize {
    match ty.scalar {
        Scalar::Int(bits) | Scalar::UInt(bits) | Scalar::Float(bits) | Scalar::BFloat(bits) => {
            usize::from(bits.max(8)).div_ceil(8)
        }
        Scalar::Handle(_) => 8,
    }
}
