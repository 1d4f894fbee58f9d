//! The codes of this crate's diagnostics. Each has a page in `docs/errors`, whose examples are
//! tests.

use halidom_diag::Code;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        $($(#[$doc])* pub const $name: Code = Code($code);)*
        /// Every code, in order.
        pub const ALL: &[Code] = &[$($name),*];
    };
}

codes! {
    /// A character that starts no token.
    BAD_CHARACTER = "HAL0101";
    /// A string or comment that does not end.
    UNTERMINATED = "HAL0102";
    /// A malformed number.
    BAD_NUMBER = "HAL0103";
    /// An unexpected token.
    UNEXPECTED = "HAL0104";
    /// Nested too deeply.
    TOO_DEEP = "HAL0105";
    /// A number of ranges that differs from the number of variables.
    RANGE_COUNT = "HAL0107";
    /// A name that cannot be defined.
    RESERVED = "HAL0108";

    /// A name that has no meaning here.
    UNKNOWN_NAME = "HAL0201";
    /// A name that has another meaning already.
    NAME_TAKEN = "HAL0202";
    /// A value used as a func, or a func used as a value.
    WRONG_KIND = "HAL0203";
    /// A property that inputs do not have, or a dimension beyond the rank.
    UNKNOWN_MEMBER = "HAL0204";
    /// Bounds of something other than an input.
    NO_BOUNDS = "HAL0205";
    /// A variable pack used outside an expansion, or an expansion without a pack.
    PACK = "HAL0206";
    /// An element that an array of funcs lacks, an array without an index, or an index of something
    /// else.
    ELEMENT = "HAL0207";
    /// A number that must be known at compile time.
    NOT_CONSTANT = "HAL0208";
    /// More copies than are expanded at compile time.
    TOO_MANY = "HAL0209";

    /// A type that does not exist.
    UNKNOWN_TYPE = "HAL0301";
    /// A value of another type than needed.
    MISMATCH = "HAL0302";
    /// Operands of different types.
    MIXED = "HAL0303";
    /// An operator or function that does not take this type.
    OPERAND = "HAL0304";
    /// A literal outside the range of its type.
    LITERAL_RANGE = "HAL0305";
    /// `int` where a value is stored.
    STORED_INT = "HAL0306";
    /// A widening function on a type without a wider one.
    NO_WIDER = "HAL0307";
    /// A conversion that does not exist.
    BAD_CAST = "HAL0308";
    /// A built-in or generic function with a wrong number of arguments.
    ARGUMENT_COUNT = "HAL0309";
    /// A tuple where one value is needed, or one with other components.
    TUPLE = "HAL0310";

    /// Syntactic separation (FS Definition 4.2).
    SEPARATION = "HAL0401";
    /// Bounds of reduction variables are startup expressions (FS Definition 4.4).
    DOMAIN_STARTUP = "HAL0402";
    /// Names of funcs are unique (FS Definition 4.5, like all rules that follow).
    DUPLICATE_FUNC = "HAL0403";
    /// Names of the pure variables of a func are unique.
    DUPLICATE_PURE = "HAL0404";
    /// Names of the reduction variables of a stage are unique.
    DUPLICATE_REDUCTION = "HAL0405";
    /// Definition before use.
    USE_BEFORE = "HAL0406";
    /// The first stage is pure.
    FIRST_STAGE = "HAL0407";
    /// The first stage has no self-reference.
    SELF_REFERENCE = "HAL0408";
    /// An access has as many coordinates as the func has dimensions.
    ARITY = "HAL0409";
    /// The output is defined.
    NO_OUTPUT = "HAL0410";
    /// The last func is an output.
    LAST_FUNC = "HAL0411";
    /// An output has the types and rank of the signature.
    OUTPUT_SHAPE = "HAL0412";
    /// Conditions of `require` are startup expressions.
    REQUIRE_STARTUP = "HAL0413";
    /// A `for` holds one update.
    FOR_BODY = "HAL0414";
    /// The stages of a func write that func.
    WRONG_TARGET = "HAL0415";
    /// A reduction domain that ends before it begins.
    DOMAIN_NEGATIVE = "HAL0416";

    /// A schedule for a pipeline that does not exist.
    UNKNOWN_PIPELINE = "HAL0501";
    /// A directive for a func that does not exist.
    UNKNOWN_FUNC = "HAL0502";
    /// A directive that does not exist.
    UNKNOWN_DIRECTIVE = "HAL0503";
    /// A directive that is not supported.
    UNSUPPORTED_DIRECTIVE = "HAL0504";
    /// A directive with wrong arguments.
    DIRECTIVE_ARGUMENTS = "HAL0505";
    /// A stage that does not exist.
    UNKNOWN_STAGE = "HAL0506";
    /// A schedule's name that is taken.
    SCHEDULE_NAME = "HAL0507";
    /// Factors and conditions of directives are startup expressions.
    SCHEDULE_STARTUP = "HAL0508";
    /// A specialization that schedules another func, or specializes again.
    SPECIALIZATION = "HAL0509";
    /// A tail strategy that does not exist.
    UNKNOWN_TAIL = "HAL0510";
    /// A schedule function that does not exist.
    UNKNOWN_SCHEDULE_FN = "HAL0511";
    /// A schedule function with arguments that do not fit.
    SCHEDULE_FN_ARGUMENTS = "HAL0512";
}
