//! The table of built-in functions.

use halidom_ir::Intrinsic;

/// A built-in function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Builtin {
    /// A function of the IR.
    Intrinsic(Intrinsic),
    Min,
    Max,
    Clamp,
    Select,
    Likely,
    All,
    Any,
    AbsDiff,
    Lerp,
    Widening(Sum),
    Saturating(Sum),
    Halving(Sum),
    RoundingHalvingAdd,
    RoundingShiftRight,
    RoundingShiftLeft,
    /// A product shifted to the right, rounded or not.
    MulShiftRight {
        rounding: bool,
    },
    SaturatingCast,
    Mux,
    /// A function of floats that is expanded into others.
    Composed(Composed),
}

/// The operation that is widened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    Add,
    Sub,
    Mul,
}

/// A function that is expanded.
#[derive(Clone, Copy, Debug)]
pub(super) enum Composed {
    Pow,
    Atan2,
    Asin,
    Acos,
}

/// Names, functions, minimum and maximum numbers of arguments.
pub(super) const BUILTINS: &[(&str, Builtin, usize, usize)] = &[
    ("abs", Builtin::Intrinsic(Intrinsic::Abs), 1, 1),
    ("sqrt", Builtin::Intrinsic(Intrinsic::Sqrt), 1, 1),
    ("floor", Builtin::Intrinsic(Intrinsic::Floor), 1, 1),
    ("ceil", Builtin::Intrinsic(Intrinsic::Ceil), 1, 1),
    ("round", Builtin::Intrinsic(Intrinsic::Round), 1, 1),
    ("trunc", Builtin::Intrinsic(Intrinsic::Trunc), 1, 1),
    ("exp", Builtin::Intrinsic(Intrinsic::Exp), 1, 1),
    ("log", Builtin::Intrinsic(Intrinsic::Log), 1, 1),
    ("sin", Builtin::Intrinsic(Intrinsic::Sin), 1, 1),
    ("cos", Builtin::Intrinsic(Intrinsic::Cos), 1, 1),
    ("tan", Builtin::Intrinsic(Intrinsic::Tan), 1, 1),
    ("atan", Builtin::Intrinsic(Intrinsic::Atan), 1, 1),
    ("atan2", Builtin::Composed(Composed::Atan2), 2, 2),
    ("asin", Builtin::Composed(Composed::Asin), 1, 1),
    ("acos", Builtin::Composed(Composed::Acos), 1, 1),
    ("pow", Builtin::Composed(Composed::Pow), 2, 2),
    ("min", Builtin::Min, 2, usize::MAX),
    ("max", Builtin::Max, 2, usize::MAX),
    ("clamp", Builtin::Clamp, 3, 3),
    ("select", Builtin::Select, 3, usize::MAX),
    ("likely", Builtin::Likely, 1, 1),
    ("all", Builtin::All, 0, usize::MAX),
    ("any", Builtin::Any, 0, usize::MAX),
    ("absd", Builtin::AbsDiff, 2, 2),
    ("lerp", Builtin::Lerp, 3, 3),
    ("widening_add", Builtin::Widening(Sum::Add), 2, 2),
    ("widening_sub", Builtin::Widening(Sum::Sub), 2, 2),
    ("widening_mul", Builtin::Widening(Sum::Mul), 2, 2),
    ("saturating_add", Builtin::Saturating(Sum::Add), 2, 2),
    ("saturating_sub", Builtin::Saturating(Sum::Sub), 2, 2),
    ("saturating_mul", Builtin::Saturating(Sum::Mul), 2, 2),
    ("saturating_cast", Builtin::SaturatingCast, 2, 2),
    ("halving_add", Builtin::Halving(Sum::Add), 2, 2),
    ("halving_sub", Builtin::Halving(Sum::Sub), 2, 2),
    ("rounding_halving_add", Builtin::RoundingHalvingAdd, 2, 2),
    ("rounding_shift_right", Builtin::RoundingShiftRight, 2, 2),
    ("rounding_shift_left", Builtin::RoundingShiftLeft, 2, 2),
    ("mul_shift_right", Builtin::MulShiftRight { rounding: false }, 3, 3),
    ("rounding_mul_shift_right", Builtin::MulShiftRight { rounding: true }, 3, 3),
    ("mux", Builtin::Mux, 2, usize::MAX),
];

/// Inline reductions are names too.
pub(super) const REDUCTIONS: [&str; 6] =
    ["sum", "product", "minimum", "maximum", "argmin", "argmax"];

/// Returns every built-in function's name.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|(name, ..)| *name).chain(REDUCTIONS)
}
