//! The closed list of conditions that a verdict on stock Halide may rest on in addition to the
//! statement's own checks.
//!
//! A condition comes from the pipeline, from the target, or from the contract that callers promise
//! to keep (`--assume`). No condition comes from the statement that is judged: a statement cannot
//! excuse itself. `docs/stock-halide.md` has the list with its reasons.

use halidom_verdict::Condition as Named;

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Mins, extents and ends of callers' buffers lie within [`SIZE_LIMIT`].
    SizeLimits,
    /// Floats of parameters by which data become coordinates lie within [`SCALE_LIMIT`].
    ScaleLimits,
    /// The last element of a caller's buffer lies less than 2^31 elements after its first.
    Spans,
    /// Callers' buffers share no memory.
    Disjoint,
    /// Strides of inputs are not negative.
    InputStrides,
    /// The stride of an output's dimension steps over the dimensions inside it.
    OutputStrides,
    /// Sums and products in indices wrap.
    IndexWraps,
    /// Sums and products of signed values wrap.
    ValuesWrap,
    /// Floats beyond a narrow integer type wrap when they become one.
    ConversionsWrap,
    /// Floats that become wide integers fit them.
    ConversionsFit,
    /// The pipeline's own integers do not overflow.
    PipelineFits,
    /// The code generators may regroup floats, so the verdict is about the statement only.
    Regroups,
    /// Copies between host and devices succeed.
    Copies,
    /// The pipeline's reduction domains have no negative extents.
    Domains,
    /// Functions that the pipeline only names are pure.
    NamedFunctions,
    /// Extern functions that compute funcs do so point by point.
    ExternStages,
    /// The cache returns what this code stored.
    Memoized,
    /// Outputs have the bounds that the schedule fixes.
    FixedBounds,
    /// Float parameters with a range that ends at 0 are not -0.
    Zeros,
    /// The target leaves assertions out: callers keep to the conditions that these would check.
    NoAsserts,
    /// The target leaves assertions out: no memory of varying size is too large.
    Allocations,
    /// `--assume small`.
    Small,
    /// `--assume CONDITION`, in the caller's words.
    Assumed(String),
}

/// The greatest magnitude of mins, extents and ends under [`Condition::SizeLimits`]. Sums of three
/// of them, with the constants that a schedule adds, fit 32 bits.
pub const SIZE_LIMIT: i128 = 1 << 29;

/// The greatest magnitude of floats, and of reciprocals of divisors, under
/// [`Condition::ScaleLimits`]. Beyond it, a float of 32 bits is more than 1 away from the
/// next one.
pub const SCALE_LIMIT: i32 = 1 << 24;

/// The greatest magnitude of the sides of regions that extern functions answer, under
/// [`Condition::ExternStages`]. A stage that reads some elements beyond the sides of a buffer
/// within [`SIZE_LIMIT`] stays within it.
pub const ANSWER_LIMIT: i128 = SIZE_LIMIT + (1 << 16);

/// The greatest magnitude of sizes and products under [`Condition::Small`].
pub const SMALL_LIMIT: i128 = 1 << 30;

/// The place in the documentation that gives the reasons.
const ANCHOR: &str = "docs/stock-halide.md#conditions";

impl Condition {
    /// All conditions that carry no words of a caller's, in the order of the list.
    pub const STANDARD: [Self; 21] = [
        Self::SizeLimits,
        Self::ScaleLimits,
        Self::Spans,
        Self::Disjoint,
        Self::InputStrides,
        Self::OutputStrides,
        Self::IndexWraps,
        Self::ValuesWrap,
        Self::ConversionsWrap,
        Self::ConversionsFit,
        Self::PipelineFits,
        Self::Regroups,
        Self::Copies,
        Self::Domains,
        Self::NamedFunctions,
        Self::ExternStages,
        Self::Memoized,
        Self::FixedBounds,
        Self::Zeros,
        Self::NoAsserts,
        Self::Allocations,
    ];

    /// The name, the statement of the condition, and the reason why it may be assumed.
    fn entry(&self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::SizeLimits => (
                "size-limits",
                "mins, extents and ends of callers' buffers, extents of reduction domains and \
                    parameters in coordinates, domains and schedules lie within 2^29 of 0, \
                    strides and the products of an output's mins and ends with the numbers by \
                    which its definition multiplies coordinates within 32 bits, those with \
                    parameters in coordinates that are read within 2^29",
                "the compiled code computes ends of loops and of regions in 32 bits, and Halide \
                    checks no min",
            ),
            Self::ScaleLimits => (
                "scale-limits",
                "floats of parameters alone by which data become coordinates, and reciprocals of \
                    those that divide data, lie within 2^24 of 0",
                "the compiled code allocates an element for each coordinate that data may give, \
                    and Halide does not check that these coordinates fit 32 bits",
            ),
            Self::Spans => (
                "buffers-span-2-31",
                "the last element of a caller's buffer lies less than 2^31 elements after its \
                    first",
                "an index has 32 bits, and Halide checks each dimension's extent times its stride, \
                    but not their sum",
            ),
            Self::Disjoint => (
                "buffers-do-not-overlap",
                "callers' buffers share no memory",
                "Halide's calling convention",
            ),
            Self::InputStrides => (
                "input-strides-not-negative",
                "strides of inputs are not negative",
                "Halide checks the magnitude of extents times strides, and not their sign",
            ),
            Self::OutputStrides => (
                "output-strides-nest",
                "strides of outputs are positive and step over the dimensions inside: first those \
                    whose stride the pipeline fixes to a number, by that number, then the others \
                    in order",
                "two elements of an output in one place have no meaning",
            ),
            Self::IndexWraps => (
                "index-arithmetic-wraps",
                "sums and products in indices wrap: an index that fits 32 bits in the end is right",
                "the verdict is about the statement: LLVM keeps to it where no partial sum \
                    overflows, and often beyond",
            ),
            Self::ValuesWrap => (
                "value-arithmetic-wraps",
                "sums, differences and products of signed values of 32 and 64 bits wrap: a value that is right modulo its width is right",
                "the verdict is about the statement: Halide groups the pipeline's sums anew, so that a partial sum may overflow where none of the pipeline's does, and LLVM is told that none overflows",
            ),
            Self::ConversionsWrap => (
                "conversions-wrap",
                "a float beyond an integer type of 8 or 16 bits, or an unsigned one of 32, becomes its integer part, limited to 64 bits, modulo the type's width; NaN becomes 0",
                "Halide makes one conversion of `uint8(uint32(x))`, and LLVM gives such a conversion no value",
            ),
            Self::ConversionsFit => (
                "conversions-fit",
                "floats that become signed integers of 32 or 64 bits, or unsigned ones of 64, are \
                    numbers within these types",
                "Halide's bounds inference relies on it, and LLVM gives other conversions no value",
            ),
            Self::PipelineFits => (
                "pipeline-does-not-overflow",
                "the pipeline's own integers of 32 and 64 bits do not overflow",
                "signed overflow has no meaning in Halide's language",
            ),
            Self::Regroups => (
                "statement-only",
                "the verdict is about the statement: LLVM may regroup its floats, and take none to be \
                    NaN or infinite",
                "the target does not ask for strict floats, and some operators of the statement \
                    are not strict",
            ),
            Self::Copies => (
                "copies-succeed",
                "copies between the host and devices succeed",
                "one that fails ends the run with an error",
            ),
            Self::Domains => (
                "domains-not-negative",
                "extents of the pipeline's reduction domains are not negative",
                "a negative extent has no meaning, and Halide does not check it",
            ),
            Self::NamedFunctions => (
                "named-functions-are-pure",
                "a function that the pipeline only names, such as `pow` or a function of C, has no \
                    effect, its result depends on its operands alone, and is C's for numbers",
                "the pipeline does not define it, and Halide moves its calls",
            ),
            Self::ExternStages => (
                "extern-stages-are-pointwise",
                "an extern function that computes a func writes the points of the window that it is given, and nothing else; a value depends on its point, on the scalars and on the inputs' values alone; a bounds query only answers: with a window that contains the given one, and with a region of each input, not an empty one, that contains what is read for the given window and its parts, all within 2^29 + 2^16 of 0; a failure is a result other than 0",
                "the pipeline does not define it, and Halide calls it for any window, with any strides",
            ),
            Self::Memoized => (
                "cache-returns-what-was-stored",
                "a lookup in the cache of memoized funcs finds nothing, or the elements that this code stored under an equal key for equal bounds and an equal shape",
                "the cache belongs to Halide's runtime, and one that fails ends the run with an error",
            ),
            Self::FixedBounds => (
                "bounds-fixed-by-schedule",
                "outputs have the bounds that the schedule fixes",
                "Halide computes these, and checks only that an output is no smaller",
            ),
            Self::Zeros => (
                "zero-parameters-not-negative",
                "a float parameter whose range begins or ends at 0 is not -0",
                "Halide limits each parameter to its range by a minimum and a maximum, which may \
                    change the sign of 0",
            ),
            Self::NoAsserts => (
                "compiled-without-asserts",
                "callers keep to what assertions would check: inputs have what the pipeline's \
                    definitions read; buffers begin at 0 and are dense inside, where the pipeline \
                    says nothing else",
                "the target has `no_asserts`",
            ),
            Self::Allocations => (
                "allocations-fit",
                "no memory that the code allocates has 2^31 bytes or more",
                "the target has `no_asserts`, which leaves out the check of it",
            ),
            Self::Small => (
                "small",
                "extents, mins and their products with strides lie within 2^30 of 0",
                "`--assume small`",
            ),
            Self::Assumed(_) => ("assumed", "callers keep to a condition", "`--assume CONDITION`"),
        }
    }

    /// The condition's name in reports.
    pub fn name(&self) -> &'static str {
        self.entry().0
    }

    /// The reason why the condition may be assumed.
    pub fn reason(&self) -> &'static str {
        self.entry().2
    }

    /// The condition in words.
    pub fn words(&self) -> String {
        match self {
            Self::Assumed(words) => format!("callers keep to {words}"),
            Self::SizeLimits
            | Self::ScaleLimits
            | Self::Spans
            | Self::Disjoint
            | Self::InputStrides
            | Self::OutputStrides
            | Self::IndexWraps
            | Self::ValuesWrap
            | Self::ConversionsWrap
            | Self::ConversionsFit
            | Self::PipelineFits
            | Self::Regroups
            | Self::Copies
            | Self::Domains
            | Self::NamedFunctions
            | Self::ExternStages
            | Self::Memoized
            | Self::FixedBounds
            | Self::Zeros
            | Self::NoAsserts
            | Self::Allocations
            | Self::Small => self.entry().1.to_owned(),
        }
    }

    /// The condition for a verdict's first line. A contract's name is the promise itself.
    pub fn named(&self) -> Named {
        match self {
            Self::Small => Named::contract(self.name(), self.words()),
            Self::Assumed(words) => Named::contract(words.clone(), self.words()),
            Self::SizeLimits
            | Self::ScaleLimits
            | Self::Spans
            | Self::Disjoint
            | Self::InputStrides
            | Self::OutputStrides
            | Self::IndexWraps
            | Self::ValuesWrap
            | Self::ConversionsWrap
            | Self::ConversionsFit
            | Self::PipelineFits
            | Self::Regroups
            | Self::Copies
            | Self::Domains
            | Self::NamedFunctions
            | Self::ExternStages
            | Self::Memoized
            | Self::FixedBounds
            | Self::Zeros
            | Self::NoAsserts
            | Self::Allocations => {
                let (name, words, _) = self.entry();
                Named::standard(name, words, ANCHOR)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Condition;

    #[test]
    fn every_condition_is_in_the_documentation_with_its_reason() {
        let page = include_str!("../../../docs/stock-halide.md");
        for condition in Condition::STANDARD.into_iter().chain([Condition::Small]) {
            let row = format!(
                "| `{}` | {} | {} |",
                condition.name(),
                condition.words(),
                condition.reason()
            );
            assert!(page.contains(&row), "missing: {row}");
        }
    }
}
