//! The API of Halide's family: the assumptions and guarantees of its functions.
//!
//! # Correctness
//!
//! A contract replaces the function's body, so verdicts rest on it. Functions of the same files
//! that are not in the table are interpreted from their source. A call of any other function ends
//! its path as unsupported. An analysis (`Bounds`, `Remainder`) is trusted where it is called, and
//! is itself verified against its contract.

use halidom_cpp::Sign;

use crate::ir::kinds::{Code, Kind};

/// A function of the API.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    /// Its name.
    pub name: &'static str,
    /// Its parameters.
    pub parameters: &'static str,
    /// The conditions that it ensures and assumes.
    pub ensures: &'static str,
    /// The source that documents it.
    pub source: &'static str,
    pub(crate) meaning: Meaning,
    /// True if the contract replaces a body in the given files.
    stands: bool,
}

/// The thing that a function of an emitter prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Print {
    /// An operand. Returns its name, and appends it to the stream if one is given.
    Expr,
    /// A type.
    Type,
    /// The name of a variable.
    Name,
    /// A declaration of a variable of the type, with the value of the text.
    Assignment,
    /// A number.
    Number,
    /// An operand in the place of its text. Returns its text, or appends it to the stream if one is
    /// given.
    Inline,
    /// A statement.
    Stmt,
    /// An opening brace.
    Open,
    /// A closing brace.
    Close,
    /// Blanks.
    Nothing,
}

/// The interpretation of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Mutate,
    SameValue,
    Equal,
    IsConst,
    IsNumber(i64),
    IsPositive,
    IsNegative,
    IsNegatable,
    AsConst(Code),
    PowerOfTwo,
    MakeConst,
    MakeNumber(i64),
    MakeTruth(bool),
    MakeBool,
    Divide(Sign),
    Overflows(Sign),
    NumericType(Code),
    BoolType,
    HandleType,
    Least,
    Greatest,
    Magnitude,
    Select,
    Cast,
    IsNan,
    IsFinite,
    Nothing,
    Report,
    RampBase,
    Undefined(&'static str),
    Bounds,
    Remainder,
    RemainderOf,
    Substitute,
    Lane,
    Clamp,
    AnyBool,
    NoOverflow,
    NoOverflowInt,
    NoOverflowScalar,
    NoOp,
    SideEffects,
    Steady,
    FreshName,
    Proves,
    IsUndef,
    Print(Print),
    Lowered(Kind),
    Scoped(bool),
    IsAlpha,
    Region,
    Computed(&'static str),
}

const fn contract(
    name: &'static str,
    parameters: &'static str,
    ensures: &'static str,
    source: &'static str,
    meaning: Meaning,
) -> Contract {
    Contract { name, parameters, ensures, source, meaning, stands: false }
}

const fn standing(contract: Contract) -> Contract {
    Contract { stands: true, ..contract }
}

/// The header that declares most of the helpers.
const OPERATOR: &str = "IROperator.h";

/// The contracts.
pub const CONTRACTS: &[Contract] = &[
    standing(contract(
        "mutate",
        "e",
        "a node of the type and the value of e, of any shape",
        "IRMutator.h",
        Meaning::Mutate,
    )),
    standing(contract(
        "hoist_slice_vector",
        "e",
        "a node of the type and the value of e",
        "Simplify.cpp; assumed, not verified",
        Meaning::SameValue,
    )),
    contract(
        "simplify",
        "e",
        "a node of the type and the value of e",
        "Simplify.h",
        Meaning::SameValue,
    ),
    contract(
        "equal",
        "a, b",
        "true just if both have one structure, types included",
        "IREquality.h",
        Meaning::Equal,
    ),
    contract(
        "is_const",
        "e",
        "true of a literal, also cast, broadcast, or a ramp of literals",
        OPERATOR,
        Meaning::IsConst,
    ),
    contract(
        "is_const",
        "e, k",
        "true just if e is a literal k, also cast or broadcast",
        OPERATOR,
        Meaning::IsConst,
    ),
    contract(
        "is_zero",
        "e",
        "true just if e is a literal 0, also cast or broadcast",
        OPERATOR,
        Meaning::IsNumber(0),
    ),
    contract(
        "is_const_zero",
        "e",
        "true just if e is a literal 0, also cast or broadcast",
        OPERATOR,
        Meaning::IsNumber(0),
    ),
    contract(
        "is_const_one",
        "e",
        "true just if e is a literal 1, also cast or broadcast",
        OPERATOR,
        Meaning::IsNumber(1),
    ),
    contract(
        "is_one",
        "e",
        "true just if e is a literal 1, also cast or broadcast",
        OPERATOR,
        Meaning::IsNumber(1),
    ),
    contract(
        "is_two",
        "e",
        "true just if e is a literal 2, also cast or broadcast",
        OPERATOR,
        Meaning::IsNumber(2),
    ),
    contract(
        "is_positive_const",
        "e",
        "if true, e is a literal above 0 in every lane",
        OPERATOR,
        Meaning::IsPositive,
    ),
    contract(
        "is_negative_const",
        "e",
        "if true, e is a literal below 0 in every lane",
        OPERATOR,
        Meaning::IsNegative,
    ),
    contract(
        "is_negative_negatable_const",
        "e",
        "if true, e is a literal below 0 and not the least of its type",
        OPERATOR,
        Meaning::IsNegatable,
    ),
    contract(
        "as_const_int",
        "e",
        "the number of a signed literal or a broadcast of one, else null",
        OPERATOR,
        Meaning::AsConst(Code::Int),
    ),
    contract(
        "as_const_uint",
        "e",
        "the number of an unsigned literal or a broadcast of one, else null",
        OPERATOR,
        Meaning::AsConst(Code::UInt),
    ),
    contract(
        "as_const_float",
        "e",
        "the number of a floating-point literal or a broadcast of one, else null",
        OPERATOR,
        Meaning::AsConst(Code::Float),
    ),
    contract(
        "is_const_power_of_two_integer",
        "e, bits",
        "true just if e is a literal 2^bits",
        OPERATOR,
        Meaning::PowerOfTwo,
    ),
    contract(
        "make_const",
        "t, k",
        "a literal of t with the bits of k that fit, in every lane",
        OPERATOR,
        Meaning::MakeConst,
    ),
    contract("make_zero", "t", "a literal 0 of t", OPERATOR, Meaning::MakeNumber(0)),
    contract("make_one", "t", "a literal 1 of t", OPERATOR, Meaning::MakeNumber(1)),
    contract("make_two", "t", "a literal 2 of t", OPERATOR, Meaning::MakeNumber(2)),
    contract("const_true", "lanes = 1", "true in every lane", OPERATOR, Meaning::MakeTruth(true)),
    contract(
        "const_false",
        "lanes = 1",
        "false in every lane",
        OPERATOR,
        Meaning::MakeTruth(false),
    ),
    contract(
        "make_bool",
        "value, lanes = 1",
        "the value in every lane",
        OPERATOR,
        Meaning::MakeBool,
    ),
    contract(
        "div_imp",
        "a, b",
        "the Euclidean quotient; assumes b is not 0, nor a the least of its type and b -1",
        OPERATOR,
        Meaning::Divide(Sign::Div),
    ),
    contract(
        "mod_imp",
        "a, b",
        "the Euclidean remainder; assumes b is not 0, nor a the least of its type and b -1",
        OPERATOR,
        Meaning::Divide(Sign::Rem),
    ),
    contract(
        "add_would_overflow",
        "bits, a, b",
        "whether a + b is beyond bits, signed",
        "Util.h",
        Meaning::Overflows(Sign::Add),
    ),
    contract(
        "sub_would_overflow",
        "bits, a, b",
        "whether a - b is beyond bits, signed",
        "Util.h",
        Meaning::Overflows(Sign::Sub),
    ),
    contract(
        "mul_would_overflow",
        "bits, a, b",
        "whether a * b is beyond bits, signed",
        "Util.h",
        Meaning::Overflows(Sign::Mul),
    ),
    contract(
        "Int",
        "bits, lanes = 1",
        "the signed type",
        "Type.h",
        Meaning::NumericType(Code::Int),
    ),
    contract(
        "UInt",
        "bits, lanes = 1",
        "the unsigned type",
        "Type.h",
        Meaning::NumericType(Code::UInt),
    ),
    contract(
        "Float",
        "bits, lanes = 1",
        "the floating-point type",
        "Type.h",
        Meaning::NumericType(Code::Float),
    ),
    contract("Bool", "lanes = 1", "the type of truth values", "Type.h", Meaning::BoolType),
    contract("Handle", "", "the type of addresses", "Type.h", Meaning::HandleType),
    contract(
        "min",
        "a, b",
        "the lesser; of expressions, of matched types",
        OPERATOR,
        Meaning::Least,
    ),
    contract(
        "max",
        "a, b",
        "the greater; of expressions, of matched types",
        OPERATOR,
        Meaning::Greatest,
    ),
    contract(
        "abs",
        "a",
        "the magnitude; assumes a is not the least of its type",
        "the C++ standard",
        Meaning::Magnitude,
    ),
    contract(
        "clamp",
        "a, low, high",
        "max(min(a, high), low), the bounds cast to a's type",
        OPERATOR,
        Meaning::Clamp,
    ),
    contract("select", "c, a, b", "a or b, of matched types", OPERATOR, Meaning::Select),
    contract(
        "cast",
        "t, e",
        "e converted to t; e itself if it has the type",
        OPERATOR,
        Meaning::Cast,
    ),
    standing(contract(
        "isnan",
        "a",
        "false: floats are meant as reals",
        "the profile",
        Meaning::IsNan,
    )),
    standing(contract(
        "isinf",
        "a",
        "false: floats are meant as reals",
        "the profile",
        Meaning::IsNan,
    )),
    contract(
        "mutate_region",
        "mutator, region",
        "the region with the same bounds, each mutated, and whether one is another node",
        "IRMutator.h",
        Meaning::Region,
    ),
    standing(contract(
        "signed_integer_overflow_error",
        "t",
        "an expression of t that is undefined",
        "Simplify.cpp",
        Meaning::Undefined("signed_integer_overflow"),
    )),
    standing(contract(
        "indeterminate_expression_error",
        "t",
        "an expression of t that is undefined",
        "Simplify.cpp",
        Meaning::Undefined("indeterminate_expression"),
    )),
    contract(
        "make_signed_integer_overflow",
        "t",
        "an expression of t that is undefined",
        OPERATOR,
        Meaning::Undefined("signed_integer_overflow"),
    ),
    contract(
        "make_indeterminate_expression",
        "t",
        "an expression of t that is undefined",
        OPERATOR,
        Meaning::Undefined("indeterminate_expression"),
    ),
    standing(contract(
        "const_int_bounds",
        "e, least, greatest",
        "if true, least <= e <= greatest in every lane; verified as an analysis",
        "Simplify.cpp",
        Meaning::Bounds,
    )),
    contract(
        "modulus_remainder",
        "e, scope",
        "e is the remainder if the modulus is 0, else leaves it, 0 <= remainder < modulus",
        "ModulusRemainder.h",
        Meaning::Remainder,
    ),
    contract(
        "ModulusRemainder",
        "modulus, remainder",
        "the pair",
        "ModulusRemainder.h",
        Meaning::RemainderOf,
    ),
    contract(
        "substitute",
        "x, y, e",
        "a node of e's type; of its value where x and y have one value",
        "Substitute.h",
        Meaning::Substitute,
    ),
    contract(
        "extract_lane",
        "e, i",
        "of a scalar itself, of a broadcast what it repeats",
        "IROperator.h",
        Meaning::Lane,
    ),
    contract(
        "no_overflow",
        "t",
        "whether overflow is excluded: floats, signed of at least 32 bits",
        "Simplify_Internal.h",
        Meaning::NoOverflow,
    ),
    contract(
        "no_overflow_int",
        "t",
        "whether t is signed of at least 32 bits",
        "Simplify_Internal.h",
        Meaning::NoOverflowInt,
    ),
    contract(
        "no_overflow_scalar_int",
        "t",
        "whether t is scalar, signed, of at least 32 bits",
        "Simplify_Internal.h",
        Meaning::NoOverflowScalar,
    ),
    standing(contract(
        "Mutate",
        "e",
        "a node of the type and the value of e, of any shape",
        "tvm/ir_mutator.h",
        Meaning::Mutate,
    )),
    contract("is_no_op", "s", "if true, s does nothing", OPERATOR, Meaning::NoOp),
    contract(
        "HasSideEffect",
        "e",
        "if false, evaluating e has no effect",
        "tvm/ir_pass.h",
        Meaning::SideEffects,
    ),
    contract(
        "is_pure",
        "e",
        "if true, e has one value wherever it is evaluated",
        OPERATOR,
        Meaning::Steady,
    ),
    contract(
        "unique_name",
        "prefix",
        "a name that the input does not have",
        "Util.h",
        Meaning::FreshName,
    ),
    contract("can_prove", "e", "if true, e holds", "Simplify.h", Meaning::Proves),
    contract(
        "undef",
        "t",
        "an expression of t that is undefined",
        OPERATOR,
        Meaning::Undefined("undef"),
    ),
    contract("is_undef", "e", "if true, e is undefined", OPERATOR, Meaning::IsUndef),
    contract("ends_with", "text, end", "nothing", "Util.h", Meaning::AnyBool),
    contract("starts_with", "text, start", "nothing", "Util.h", Meaning::AnyBool),
    standing(contract(
        "print_expr",
        "e",
        "prints what e needs; the name of a C value of e's type and value, also in id",
        "CodeGen_C.cpp; by induction",
        Meaning::Print(Print::Expr),
    )),
    standing(contract(
        "PrintExpr",
        "e, os",
        "appends an operand of C of e's type and value; its text alone is in parentheses if it is \
            between two",
        "codegen_c.cc; by induction",
        Meaning::Print(Print::Inline),
    )),
    standing(contract(
        "print_type",
        "t",
        "the type of C",
        "CodeGen_C.cpp",
        Meaning::Print(Print::Type),
    )),
    standing(contract(
        "PrintType",
        "t, os",
        "appends the type of C",
        "codegen_c.cc",
        Meaning::Print(Print::Type),
    )),
    standing(contract(
        "print_name",
        "name",
        "the name of the variable in C",
        "CodeGen_C.cpp",
        Meaning::Print(Print::Name),
    )),
    standing(contract(
        "GetVarID",
        "v",
        "the name of the variable in C",
        "codegen_source_base.cc",
        Meaning::Print(Print::Name),
    )),
    standing(contract(
        "print_assignment",
        "t, text",
        "declares a variable of t with the value of the text; its name, also in id",
        "CodeGen_C.cpp",
        Meaning::Print(Print::Assignment),
    )),
    standing(contract(
        "MarkConst",
        "text",
        "nothing",
        "codegen_source_base.cc",
        Meaning::Print(Print::Nothing),
    )),
    standing(contract(
        "AllocVarID",
        "v",
        "the name of the variable in C",
        "codegen_source_base.cc",
        Meaning::Print(Print::Name),
    )),
    standing(contract("do_indent", "", "blanks", "CodeGen_C.cpp", Meaning::Print(Print::Nothing))),
    standing(contract(
        "PrintIndent",
        "",
        "blanks",
        "codegen_source_base.cc",
        Meaning::Print(Print::Nothing),
    )),
    standing(contract(
        "BeginScope",
        "",
        "nothing",
        "codegen_source_base.cc",
        Meaning::Print(Print::Nothing),
    )),
    standing(contract(
        "EndScope",
        "scope",
        "nothing",
        "codegen_source_base.cc",
        Meaning::Print(Print::Nothing),
    )),
    standing(contract(
        "open_scope",
        "",
        "prints a brace; what was computed before is not forgotten",
        "CodeGen_C.cpp",
        Meaning::Print(Print::Open),
    )),
    standing(contract(
        "close_scope",
        "comment",
        "prints a brace; what was computed since the brace before is forgotten",
        "CodeGen_C.cpp",
        Meaning::Print(Print::Close),
    )),
    standing(contract(
        "print_stmt",
        "s",
        "prints C that does what s does",
        "CodeGen_C.cpp; by induction",
        Meaning::Print(Print::Stmt),
    )),
    standing(contract(
        "PrintStmt",
        "s",
        "prints C that does what s does",
        "codegen_c.cc; by induction",
        Meaning::Print(Print::Stmt),
    )),
    contract(
        "to_string",
        "k",
        "the digits of k",
        "the C++ standard",
        Meaning::Print(Print::Number),
    ),
    contract("sqrt", "a", "what sqrt of the IR is", "the C standard", Meaning::Computed("sqrt")),
    contract("log", "a", "what log of the IR is", "the C standard", Meaning::Computed("log")),
    contract("exp", "a", "what exp of the IR is", "the C standard", Meaning::Computed("exp")),
    contract("pow", "a, b", "what pow of the IR is", "the C standard", Meaning::Computed("pow")),
    contract("floor", "a", "what floor of the IR is", "the C standard", Meaning::Computed("floor")),
    contract("ceil", "a", "what ceil of the IR is", "the C standard", Meaning::Computed("ceil")),
    contract(
        "nearbyint",
        "a",
        "what round of the IR is: the nearest whole number, of two the even one",
        "the C standard",
        Meaning::Computed("round"),
    ),
    contract("isalpha", "c", "whether c is a letter", "the C standard", Meaning::IsAlpha),
    contract(
        "lower_euclidean_div",
        "a, b",
        "an expression of the value of a / b",
        "CodeGen_Internal.h",
        Meaning::Lowered(Kind::Div),
    ),
    contract(
        "lower_euclidean_mod",
        "a, b",
        "an expression of the value of a % b",
        "CodeGen_Internal.h",
        Meaning::Lowered(Kind::Mod),
    ),
    contract(
        "scoped_truth",
        "e",
        "until the end of the scope, what is mutated is what it was where e holds",
        "Simplify_Internal.h",
        Meaning::Scoped(true),
    ),
    contract(
        "scoped_falsehood",
        "e",
        "until the end of the scope, what is mutated is what it was where e does not hold",
        "Simplify_Internal.h",
        Meaning::Scoped(false),
    ),
    contract("may_simplify", "t", "nothing", "Simplify_Internal.h", Meaning::AnyBool),
    contract("should_commute", "a, b", "nothing", "Simplify_Internal.h", Meaning::AnyBool),
    standing(contract(
        "found_buffer_reference",
        "name, dimensions = 0",
        "counts uses; nothing that a result is read from",
        "Simplify_Internal.h; assumed, not verified",
        Meaning::Nothing,
    )),
    contract(
        "clear_expr_info",
        "info",
        "forgets what is reported",
        "Simplify_Internal.h",
        Meaning::Nothing,
    ),
    contract("isfinite", "a", "true: floats are meant as reals", "the profile", Meaning::IsFinite),
    contract("gcd", "a, b", "nothing", "Util.h", Meaning::Report),
    contract(
        "strided_ramp_base",
        "e, stride",
        "of a scalar an undefined expression",
        "CodeGen_Internal.h",
        Meaning::RampBase,
    ),
    contract("expr_uses_var", "e, name", "nothing", "ExprUsesVar.h", Meaning::AnyBool),
    contract("expr_is_pure", "e", "nothing", "Simplify.cpp", Meaning::AnyBool),
];

/// The thing that a function of an emitter prints; `None` if the function does not print.
pub(crate) fn printed(name: &str) -> Option<Print> {
    let short = name.rsplit("::").next().unwrap_or(name);
    let contract = CONTRACTS.iter().find(|contract| contract.name == short)?;
    match contract.meaning {
        Meaning::Print(print) => Some(print),
        _ => None,
    }
}

/// Tests whether a contract replaces the body in the files.
pub(crate) fn is_assumed(name: &str) -> bool {
    CONTRACTS.iter().any(|contract| contract.name == name && contract.stands)
}

/// Tests whether a function is an analysis, which can run on known IR.
pub(crate) fn is_analysis(name: &str) -> bool {
    let mut named = CONTRACTS.iter().filter(|contract| contract.name == name);
    named.any(|contract| contract.meaning == Meaning::Bounds)
}
