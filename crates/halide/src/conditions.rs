//! The closed list of conditions that a verdict on stock Halide may rest on in addition to the
//! statement's own checks.
//!
//! A condition comes from the pipeline, from the target, or from the contract that callers promise
//! to keep (`--assume`). No condition comes from the statement that is judged: a statement cannot
//! excuse itself. Only [`Condition::ValuesWrap`] is also named for operators that the statement
//! alone has. `docs/stock-halide.md` has the list with its reasons.

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
    /// The memory of outputs begins at a multiple of the machine's vectors.
    AlignedOutputs,
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
    /// No `require` of the statement fails; the pipeline's definitions have some.
    Requirements,
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
    /// Zeros that the definitions write as floats are not -0.
    LiteralZeros,
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
    pub const STANDARD: [Self; 24] = [
        Self::SizeLimits,
        Self::ScaleLimits,
        Self::Spans,
        Self::Disjoint,
        Self::AlignedOutputs,
        Self::InputStrides,
        Self::OutputStrides,
        Self::IndexWraps,
        Self::ValuesWrap,
        Self::ConversionsWrap,
        Self::ConversionsFit,
        Self::PipelineFits,
        Self::Regroups,
        Self::Copies,
        Self::Requirements,
        Self::Domains,
        Self::NamedFunctions,
        Self::ExternStages,
        Self::Memoized,
        Self::FixedBounds,
        Self::Zeros,
        Self::LiteralZeros,
        Self::NoAsserts,
        Self::Allocations,
    ];

    fn entry(&self) -> &'static Entry {
        match self {
            Self::SizeLimits => &SIZE_LIMITS,
            Self::ScaleLimits => &SCALE_LIMITS,
            Self::Spans => &SPANS,
            Self::Disjoint => &DISJOINT,
            Self::AlignedOutputs => &ALIGNED_OUTPUTS,
            Self::InputStrides => &INPUT_STRIDES,
            Self::OutputStrides => &OUTPUT_STRIDES,
            Self::IndexWraps => &INDEX_WRAPS,
            Self::ValuesWrap => &VALUES_WRAP,
            Self::ConversionsWrap => &CONVERSIONS_WRAP,
            Self::ConversionsFit => &CONVERSIONS_FIT,
            Self::PipelineFits => &PIPELINE_FITS,
            Self::Regroups => &REGROUPS,
            Self::Copies => &COPIES,
            Self::Requirements => &REQUIREMENTS,
            Self::Domains => &DOMAINS,
            Self::NamedFunctions => &NAMED_FUNCTIONS,
            Self::ExternStages => &EXTERN_STAGES,
            Self::Memoized => &MEMOIZED,
            Self::FixedBounds => &FIXED_BOUNDS,
            Self::Zeros => &ZEROS,
            Self::LiteralZeros => &LITERAL_ZEROS,
            Self::NoAsserts => &NO_ASSERTS,
            Self::Allocations => &ALLOCATIONS,
            Self::Small => &SMALL,
            Self::Assumed(_) => &ASSUMED,
        }
    }

    /// The condition's name in reports.
    pub fn name(&self) -> &'static str {
        self.entry().name
    }

    /// The reason why the condition may be assumed.
    pub fn reason(&self) -> &'static str {
        self.entry().reason
    }

    /// The condition in words.
    pub fn words(&self) -> String {
        match self {
            Self::Assumed(words) => format!("callers keep to {words}"),
            Self::SizeLimits
            | Self::ScaleLimits
            | Self::Spans
            | Self::Disjoint
            | Self::AlignedOutputs
            | Self::InputStrides
            | Self::OutputStrides
            | Self::IndexWraps
            | Self::ValuesWrap
            | Self::ConversionsWrap
            | Self::ConversionsFit
            | Self::PipelineFits
            | Self::Regroups
            | Self::Copies
            | Self::Requirements
            | Self::Domains
            | Self::NamedFunctions
            | Self::ExternStages
            | Self::Memoized
            | Self::FixedBounds
            | Self::Zeros
            | Self::LiteralZeros
            | Self::NoAsserts
            | Self::Allocations
            | Self::Small => self.entry().words.to_owned(),
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
            | Self::AlignedOutputs
            | Self::InputStrides
            | Self::OutputStrides
            | Self::IndexWraps
            | Self::ValuesWrap
            | Self::ConversionsWrap
            | Self::ConversionsFit
            | Self::PipelineFits
            | Self::Regroups
            | Self::Copies
            | Self::Requirements
            | Self::Domains
            | Self::NamedFunctions
            | Self::ExternStages
            | Self::Memoized
            | Self::FixedBounds
            | Self::Zeros
            | Self::LiteralZeros
            | Self::NoAsserts
            | Self::Allocations => {
                let Entry { name, words, reason: _ } = *self.entry();
                Named::standard(name, words, ANCHOR)
            }
        }
    }
}

/// An entry of the list.
struct Entry {
    name: &'static str,
    /// The statement of the condition.
    words: &'static str,
    /// The reason why it may be assumed.
    reason: &'static str,
}

const SIZE_LIMITS: Entry = Entry {
    name: "size-limits",
    words: "within 2^29 of 0 lie: mins, extents and ends of callers' buffers; extents of reduction \
        domains; parameters in coordinates, domains and schedules. Within 32 bits lie: strides, \
        and the products of an output's mins and ends with the numbers by which its definition \
        multiplies coordinates. If such a number is a parameter, in coordinates that are read, the \
        products lie within 2^29",
    reason: "the compiled code computes ends of loops and of regions in 32 bits, and Halide checks \
        no min",
};

const SCALE_LIMITS: Entry = Entry {
    name: "scale-limits",
    words: "floats of parameters alone by which data become coordinates, and reciprocals of those \
        that divide data, lie within 2^24 of 0",
    reason: "the compiled code allocates an element for each coordinate that data may give, and \
        Halide does not check that these coordinates fit 32 bits",
};

const SPANS: Entry = Entry {
    name: "buffers-span-2-31",
    words: "the last element of a caller's buffer lies less than 2^31 elements after its first",
    reason: "an index has 32 bits, and Halide checks each dimension's extent times its stride, but \
        not their sum",
};

const DISJOINT: Entry = Entry {
    name: "buffers-do-not-overlap",
    words: "callers' buffers share no memory",
    reason: "Halide's calling convention",
};

const ALIGNED_OUTPUTS: Entry = Entry {
    name: "outputs-aligned",
    words: "the memory of each output begins at a multiple of the size of the machine's vectors, \
        up to 64 bytes",
    reason: "an update or another func reads an output in vectors: Halide loads them as if the \
        memory were its own, by instructions that may fault elsewhere, and does not check where \
        the memory begins",
};

const INPUT_STRIDES: Entry = Entry {
    name: "input-strides-not-negative",
    words: "strides of inputs are not negative",
    reason: "Halide checks the magnitude of extents times strides, and not their sign",
};

const OUTPUT_STRIDES: Entry = Entry {
    name: "output-strides-nest",
    words: "strides of outputs are positive and step over the dimensions inside: first those whose \
        stride the pipeline fixes to a number, by that number, then the others in order",
    reason: "two elements of an output in one place have no meaning",
};

const INDEX_WRAPS: Entry = Entry {
    name: "index-arithmetic-wraps",
    words: "sums and products in indices wrap: an index that fits 32 bits in the end is right",
    reason: "the verdict is about the statement: LLVM keeps to it where no partial sum overflows, \
        and often beyond",
};

const VALUES_WRAP: Entry = Entry {
    name: "value-arithmetic-wraps",
    words: "sums, differences and products of signed values of 32 and 64 bits wrap, also the \
        difference in `abs`: a value that is right modulo its width is right",
    reason: "the verdict is about the statement: Halide groups the pipeline's sums anew, so that a \
        partial sum may overflow where none of the pipeline's does, and LLVM is told that none \
        overflows",
};

const CONVERSIONS_WRAP: Entry = Entry {
    name: "conversions-wrap",
    words: "a float beyond an integer type of 8 or 16 bits, or an unsigned one of 32, becomes its \
        integer part, limited to 64 bits, modulo the type's width; NaN becomes 0",
    reason: "Halide makes one conversion of `uint8(uint32(x))`, and LLVM gives such a conversion \
        no value",
};

const CONVERSIONS_FIT: Entry = Entry {
    name: "conversions-fit",
    words: "floats that become signed integers of 32 or 64 bits, or unsigned ones of 64, are \
        numbers within these types",
    reason: "Halide's bounds inference relies on it, and LLVM gives other conversions no value",
};

const PIPELINE_FITS: Entry = Entry {
    name: "pipeline-does-not-overflow",
    words: "the pipeline's own integers of 32 and 64 bits do not overflow, not even in an \
        operand that a `select` does not choose",
    reason: "signed overflow has no meaning in Halide's language",
};

const REGROUPS: Entry = Entry {
    name: "statement-only",
    words: "the verdict is about the statement: LLVM may regroup its floats, fuse products and \
        sums, and take none to be NaN, infinite or -0, nor, on ARM with 32 bits, too small to be \
        normal",
    reason: "the target does not ask for strict floats, and some operators of the statement are \
        not strict",
};

const COPIES: Entry = Entry {
    name: "copies-succeed",
    words: "copies between the host and devices succeed",
    reason: "one that fails ends the run with an error",
};

const REQUIREMENTS: Entry = Entry {
    name: "requirements-hold",
    words: "each `require` that the statement computes holds, also one whose value does not matter",
    reason: "the pipeline's definitions have some, and one that fails ends the run with an error, \
        wherever the code computes it",
};

const DOMAINS: Entry = Entry {
    name: "domains-not-negative",
    words: "extents of the pipeline's reduction domains are not negative",
    reason: "a negative extent has no meaning, and Halide does not check it",
};

const NAMED_FUNCTIONS: Entry = Entry {
    name: "named-functions-are-pure",
    words: "a function that the pipeline only names, such as `pow` or a function of C, has no \
        effect, its result depends on its operands alone, and is C's for numbers; so are the \
        results of `exp` and `log` of 32 bits",
    reason: "the pipeline does not define it, Halide moves its calls, and it computes those of \
        numbers by C's library, from which its own code for `exp`, `log` and `pow` of 32 bits \
        differs in the last digits",
};

const EXTERN_STAGES: Entry = Entry {
    name: "extern-stages-are-pointwise",
    words: "an extern function that computes a func writes the points of the window that it is \
        given, and nothing else; a value depends on its point, on the scalars and on the inputs' \
        values alone; a bounds query only answers: with a window that contains the given one, and \
        with a region of each input, not an empty one, that contains what is read for the given \
        window and its parts, all within 2^29 + 2^16 of 0; the function reads no more of a \
        caller's input than there is; a failure is a result other than 0",
    reason: "the pipeline does not define it, and Halide calls it for any window, with any strides",
};

const MEMOIZED: Entry = Entry {
    name: "cache-returns-what-was-stored",
    words: "a lookup in the cache of memoized funcs finds nothing, or the elements that this code \
        stored under an equal key for equal bounds and an equal shape",
    reason: "the cache belongs to Halide's runtime, and one that fails ends the run with an error",
};

const FIXED_BOUNDS: Entry = Entry {
    name: "bounds-fixed-by-schedule",
    words: "outputs have the bounds that the schedule fixes",
    reason: "Halide computes these, and checks only that an output is no smaller",
};

const ZEROS: Entry = Entry {
    name: "zero-parameters-not-negative",
    words: "a float parameter whose range begins or ends at 0 is not -0",
    reason: "Halide limits each parameter to its range by a minimum and a maximum, which may \
        change the sign of 0",
};

const LITERAL_ZEROS: Entry = Entry {
    name: "literal-zeros-positive",
    words: "the zeros that the pipeline's definitions write as floats are +0, not -0",
    reason: "Halide takes 0.0 and -0.0 for one number where it compares definitions, and its \
        pipeline file does not keep the sign",
};

const NO_ASSERTS: Entry = Entry {
    name: "compiled-without-asserts",
    words: "callers keep to what assertions would check: inputs have what the pipeline's \
        definitions read; buffers begin at 0 and are dense inside, where the pipeline says nothing \
        else",
    reason: "the target has `no_asserts`",
};

const ALLOCATIONS: Entry = Entry {
    name: "allocations-fit",
    words: "no memory that the code allocates has 2^31 bytes or more",
    reason: "the target has `no_asserts`, which leaves out the check of it",
};

const SMALL: Entry = Entry {
    name: "small",
    words: "extents, mins and their products with strides lie within 2^30 of 0",
    reason: "`--assume small`",
};

const ASSUMED: Entry =
    Entry { name: "assumed", words: "callers keep to a condition", reason: "`--assume CONDITION`" };

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
