//! The functions that calls of the IR name: their arguments and types.

use halidom_cpp::words;

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::NodeId;

words! {
    /// A function that a call names.
    pub(crate) enum Intrinsic {
        Abs "abs"
        Absd "absd"
        Alloca "alloca"
        BitwiseAnd "bitwise_and"
        BitwiseNot "bitwise_not"
        BitwiseOr "bitwise_or"
        BitwiseXor "bitwise_xor"
        BoolToMask "bool_to_mask"
        CastMask "cast_mask"
        Ceil "ceil"
        CountLeadingZeros "count_leading_zeros"
        CountTrailingZeros "count_trailing_zeros"
        DebugToFile "debug_to_file"
        DivRoundToZero "div_round_to_zero"
        ExtractBits "extract_bits"
        ExtractMaskElement "extract_mask_element"
        Floor "floor"
        HalideCppMax "halide_cpp_max"
        HalideCppMin "halide_cpp_min"
        HalvingAdd "halving_add"
        HalvingSub "halving_sub"
        IfThenElse "if_then_else"
        IfThenElseMask "if_then_else_mask"
        Lerp "lerp"
        Likely "likely"
        LikelyIfInnermost "likely_if_innermost"
        MakeStruct "make_struct"
        MemoizeExpr "memoize_expr"
        Max "max"
        Min "min"
        ModRoundToZero "mod_round_to_zero"
        MulShiftRight "mul_shift_right"
        Popcount "popcount"
        Pow "pow"
        Prefetch "prefetch"
        PromiseClamped "promise_clamped"
        QuietDiv "quiet_div"
        QuietMod "quiet_mod"
        RegisterDestructor "register_destructor"
        Reinterpret "reinterpret"
        Require "require"
        ReturnSecond "return_second"
        Round "round"
        RoundingHalvingAdd "rounding_halving_add"
        RoundingMulShiftRight "rounding_mul_shift_right"
        RoundingShiftLeft "rounding_shift_left"
        RoundingShiftRight "rounding_shift_right"
        SaturatingAdd "saturating_add"
        SaturatingCast "saturating_cast"
        SaturatingSub "saturating_sub"
        SelectMask "select_mask"
        ShiftLeft "shift_left"
        ShiftRight "shift_right"
        SortedAvg "sorted_avg"
        StrictAdd "strict_add"
        StrictCast "strict_cast"
        StrictDiv "strict_div"
        StrictEq "strict_eq"
        StrictFloat "strict_float"
        StrictFma "strict_fma"
        StrictLe "strict_le"
        StrictLt "strict_lt"
        StrictMax "strict_max"
        StrictMin "strict_min"
        StrictMul "strict_mul"
        StrictSub "strict_sub"
        Stringify "stringify"
        TargetArchIs "target_arch_is"
        TargetHasFeature "target_has_feature"
        TargetNaturalVectorSize "target_natural_vector_size"
        TargetOsIs "target_os_is"
        Trunc "trunc"
        UnsafePromiseClamped "unsafe_promise_clamped"
        WidenRightAdd "widen_right_add"
        WidenRightMul "widen_right_mul"
        WidenRightSub "widen_right_sub"
        WideningAdd "widening_add"
        WideningMul "widening_mul"
        WideningShiftLeft "widening_shift_left"
        WideningShiftRight "widening_shift_right"
        WideningSub "widening_sub"
    }
}

/// The types of the arguments of a function whose result has a type: an intrinsic or a function of
/// the C library. `None` if they are not known.
pub(crate) fn operands(callee: &str, ty: Type) -> Option<Vec<Type>> {
    Some(match Intrinsic::of(callee) {
        Intrinsic::Likely | Intrinsic::LikelyIfInnermost | Intrinsic::BitwiseNot => vec![ty],
        Intrinsic::BitwiseAnd
        | Intrinsic::BitwiseOr
        | Intrinsic::BitwiseXor
        | Intrinsic::ShiftLeft
        | Intrinsic::ShiftRight => {
            vec![ty, ty]
        }
        Intrinsic::Abs if ty.code == Code::UInt => vec![Type { code: Code::Int, ..ty }],
        Intrinsic::Abs => vec![ty],
        // A difference of signed integers is unsigned, too.
        Intrinsic::Absd if ty.code == Code::UInt => vec![Type { code: Code::Int, ..ty }; 2],
        Intrinsic::Absd => vec![ty, ty],
        _ if is_nan(callee) => vec![Type { code: Code::Float, bits: nan_bits(callee), ..ty }],
        _ => match Intrinsic::of(math(callee)?) {
            Intrinsic::Pow => vec![ty, ty],
            _ => vec![ty],
        },
    })
}

/// Other types of the arguments that a function with a result of a type may have: a number of bits
/// to shift by has either sign, and a difference is that of numbers of either sign.
pub(crate) fn other_operands(callee: &str, ty: Type) -> Option<Vec<Type>> {
    if Intrinsic::of(callee) == Intrinsic::Absd && ty.code == Code::UInt {
        return Some(vec![ty, ty]);
    }
    let code = match ty.code {
        Code::Int => Code::UInt,
        Code::UInt if !ty.is_bool() => Code::Int,
        _ => return None,
    };
    matches!(Intrinsic::of(callee), Intrinsic::ShiftLeft | Intrinsic::ShiftRight)
        .then(|| vec![ty, Type { code, ..ty }])
}

/// The types of the arguments that an intrinsic with a result of a type may have, where these are
/// not the ones of [`operands`]. Empty if they are those, or are not known. Addresses are only read
/// as bits, and evaluated for their effects.
pub(crate) fn typings(callee: &str, ty: Type) -> Vec<Vec<Type>> {
    let all = || Type::SCALARS.into_iter().map(|of| of.with_vector(ty.is_vector));
    let numbers = || all().filter(|of| of.code != Code::Handle);
    let is_integer = matches!(ty.code, Code::Int | Code::UInt) && !ty.is_bool();
    let of = |code, bits| Type { code, bits, ..ty };
    let signs = |bits| [of(Code::Int, bits), of(Code::UInt, bits)];
    let truth = of(Code::UInt, 1);
    let half = ty.bits / 2;
    let narrow = of(ty.code, half);
    let is_wide = numbers().any(|of| of == narrow && !of.is_bool());
    match Intrinsic::of(callee) {
        Intrinsic::SaturatingCast => {
            numbers().filter(|of| !of.is_bool()).map(|of| vec![of]).collect()
        }
        Intrinsic::StrictCast => numbers().map(|of| vec![of]).collect(),
        Intrinsic::Reinterpret => {
            all().filter(|of| of.bits == ty.bits).map(|of| vec![of]).collect()
        }
        Intrinsic::WideningAdd if is_wide => vec![vec![narrow; 2]],
        Intrinsic::WideningSub if is_wide && ty.code == Code::Int => {
            signs(half).map(|of| vec![of; 2]).to_vec()
        }
        Intrinsic::WideningSub if is_wide && ty.code == Code::Float => vec![vec![narrow; 2]],
        Intrinsic::WideningMul if is_wide && ty.code == Code::Int => {
            let [int, uint] = signs(half);
            vec![vec![int, int], vec![int, uint], vec![uint, int]]
        }
        Intrinsic::WideningMul if is_wide => vec![vec![narrow; 2]],
        Intrinsic::WideningShiftLeft | Intrinsic::WideningShiftRight if is_wide && is_integer => {
            signs(half).map(|by| vec![narrow, by]).to_vec()
        }
        Intrinsic::WidenRightAdd | Intrinsic::WidenRightSub | Intrinsic::WidenRightMul
            if is_wide =>
        {
            vec![vec![ty, narrow]]
        }
        Intrinsic::RoundingShiftLeft | Intrinsic::RoundingShiftRight if is_integer => {
            signs(ty.bits).map(|by| vec![ty, by]).to_vec()
        }
        Intrinsic::MulShiftRight | Intrinsic::RoundingMulShiftRight if is_integer => {
            vec![vec![ty, ty, of(Code::UInt, ty.bits)]]
        }
        Intrinsic::IfThenElse => vec![vec![truth, ty, ty], vec![truth, ty]],
        Intrinsic::Require => vec![vec![truth, ty, of(Code::Int, 32)]],
        Intrinsic::ReturnSecond => all().map(|of| vec![of, ty]).collect(),
        Intrinsic::StrictEq | Intrinsic::StrictLe | Intrinsic::StrictLt if ty.is_bool() => {
            [32, 64].map(|bits| vec![of(Code::Float, bits); 2]).to_vec()
        }
        Intrinsic::Lerp if ty.code != Code::Float => {
            let weights = numbers().filter(|of| matches!(of.code, Code::UInt | Code::Float));
            weights.map(|weight| vec![ty, ty, weight]).collect()
        }
        _ => Vec::new(),
    }
}

/// The kind of node that a function computes strictly, with its number of arguments. Numbers are
/// not rounded here, so both have one value.
pub(crate) fn strict(callee: &str) -> Option<(Kind, usize)> {
    Some(match Intrinsic::of(callee) {
        Intrinsic::StrictAdd => (Kind::Add, 2),
        Intrinsic::StrictSub => (Kind::Sub, 2),
        Intrinsic::StrictMul => (Kind::Mul, 2),
        Intrinsic::StrictDiv => (Kind::Div, 2),
        Intrinsic::StrictMin => (Kind::Min, 2),
        Intrinsic::StrictMax => (Kind::Max, 2),
        Intrinsic::StrictEq => (Kind::EQ, 2),
        Intrinsic::StrictLt => (Kind::LT, 2),
        Intrinsic::StrictLe => (Kind::LE, 2),
        Intrinsic::StrictCast => (Kind::Cast, 1),
        _ => return None,
    })
}

/// The possible numbers of arguments of an intrinsic of the IR; empty if not known.
pub(crate) fn counts(callee: &str) -> &'static [usize] {
    match Intrinsic::of(callee) {
        Intrinsic::Likely
        | Intrinsic::LikelyIfInnermost
        | Intrinsic::BitwiseNot
        | Intrinsic::Abs
        | Intrinsic::Popcount
        | Intrinsic::CountLeadingZeros
        | Intrinsic::CountTrailingZeros
        | Intrinsic::Reinterpret
        | Intrinsic::StrictFloat
        | Intrinsic::SaturatingCast
        | Intrinsic::StrictCast
        | Intrinsic::TargetArchIs
        | Intrinsic::TargetHasFeature
        | Intrinsic::TargetNaturalVectorSize
        | Intrinsic::TargetOsIs
        | Intrinsic::BoolToMask
        | Intrinsic::CastMask => &[1],
        Intrinsic::BitwiseAnd
        | Intrinsic::BitwiseOr
        | Intrinsic::BitwiseXor
        | Intrinsic::ShiftLeft
        | Intrinsic::ShiftRight
        | Intrinsic::Absd
        | Intrinsic::ReturnSecond
        | Intrinsic::QuietDiv
        | Intrinsic::QuietMod
        | Intrinsic::DivRoundToZero
        | Intrinsic::ModRoundToZero
        | Intrinsic::RegisterDestructor
        | Intrinsic::ExtractBits
        | Intrinsic::ExtractMaskElement
        | Intrinsic::HalvingAdd
        | Intrinsic::HalvingSub
        | Intrinsic::RoundingHalvingAdd
        | Intrinsic::RoundingShiftLeft
        | Intrinsic::RoundingShiftRight
        | Intrinsic::SaturatingAdd
        | Intrinsic::SaturatingSub
        | Intrinsic::SortedAvg
        | Intrinsic::StrictAdd
        | Intrinsic::StrictDiv
        | Intrinsic::StrictEq
        | Intrinsic::StrictLe
        | Intrinsic::StrictLt
        | Intrinsic::StrictMax
        | Intrinsic::StrictMin
        | Intrinsic::StrictMul
        | Intrinsic::StrictSub
        | Intrinsic::WidenRightAdd
        | Intrinsic::WidenRightMul
        | Intrinsic::WidenRightSub
        | Intrinsic::WideningAdd
        | Intrinsic::WideningMul
        | Intrinsic::WideningShiftLeft
        | Intrinsic::WideningShiftRight
        | Intrinsic::WideningSub => &[2],
        // It may lack the value for the case that its condition does not hold.
        Intrinsic::IfThenElse => &[2, 3],
        Intrinsic::Require
        | Intrinsic::IfThenElseMask
        | Intrinsic::SelectMask
        | Intrinsic::Lerp
        | Intrinsic::DebugToFile
        | Intrinsic::MulShiftRight
        | Intrinsic::PromiseClamped
        | Intrinsic::RoundingMulShiftRight
        | Intrinsic::StrictFma
        | Intrinsic::UnsafePromiseClamped => &[3],
        // An address and an offset, then an extent and a stride for each dimension.
        Intrinsic::Prefetch => &[2],
        // A value, and then what it depends on.
        Intrinsic::MemoizeExpr => &[1, 2, 3],
        _ if is_nan(callee) => &[1],
        _ => match math(callee) {
            Some("pow") => &[2],
            Some(_) => &[1],
            None => &[],
        },
    }
}

/// Tests whether an intrinsic may have more arguments than are examined.
pub(crate) fn is_open(callee: &str) -> bool {
    matches!(Intrinsic::of(callee), Intrinsic::Prefetch | Intrinsic::MemoizeExpr)
}

/// Tests whether a call of a function can have a type.
pub(crate) fn is_possible(callee: &str, ty: Type) -> bool {
    match Intrinsic::of(callee) {
        // Texts and structures are passed by their addresses.
        Intrinsic::Stringify | Intrinsic::MakeStruct | Intrinsic::Alloca => ty.code == Code::Handle,
        Intrinsic::ShiftLeft | Intrinsic::ShiftRight => {
            matches!(ty.code, Code::Int | Code::UInt) && !ty.is_bool()
        }
        Intrinsic::Abs | Intrinsic::Absd => {
            ty.code == Code::Float || ty.code == Code::UInt && !ty.is_bool()
        }
        Intrinsic::WideningAdd
        | Intrinsic::WideningMul
        | Intrinsic::WideningShiftLeft
        | Intrinsic::WideningShiftRight
        | Intrinsic::WideningSub
        | Intrinsic::WidenRightAdd
        | Intrinsic::WidenRightMul
        | Intrinsic::WidenRightSub => ty.code != Code::Handle && ty.bits >= 16,
        Intrinsic::SaturatingCast => ty.code != Code::Handle && !ty.is_bool(),
        _ if is_nan(callee) => ty.is_bool(),
        _ => math(callee).is_none() || ty.code == Code::Float,
    }
}

/// Tests whether a function is a pure function of the C library, rather than an intrinsic of the
/// IR.
pub(crate) fn is_extern(callee: &str) -> bool {
    is_nan(callee) || math(callee).is_some()
}

pub(crate) fn is_nan(callee: &str) -> bool {
    callee == "is_nan" || callee.starts_with("is_nan_f")
}

/// The bits of the operand of an `is_nan`.
fn nan_bits(callee: &str) -> u8 {
    callee.strip_prefix("is_nan_f").and_then(|bits| bits.parse().ok()).unwrap_or(32)
}

/// The name, without a type suffix, of a function of floating-point numbers.
pub(crate) fn math(callee: &str) -> Option<&'static str> {
    let plain = callee.strip_suffix("_f32").unwrap_or(callee);
    ["sqrt", "log", "exp", "pow", "floor", "ceil", "round", "trunc"]
        .into_iter()
        .find(|known| *known == plain)
}

/// The prefix of a name that stands for the unknown callee of a call.
pub(crate) const CALLEE: &str = "callee ";

/// The call whose callee a name stands for.
pub(crate) fn called_by(name: &str) -> Option<NodeId> {
    name.strip_prefix(CALLEE)?.parse().ok()
}

/// The call type of pure functions of the C library.
pub(crate) const PURE_EXTERN: &str = "Call::PureExtern";

/// The call type of the intrinsics of the IR: `Intrinsic` or `PureIntrinsic`.
pub(crate) const INTRINSIC: &str = "Call.call_type of an intrinsic";

/// The call types that an intrinsic does not have.
pub(crate) const OTHER_CALLS: [&str; 5] =
    ["Call::Image", "Call::Halide", "Call::Extern", "Call::ExternCPlusPlus", PURE_EXTERN];

/// The intrinsics of the IR that do something besides computing their value.
const IMPURE: [Intrinsic<'static>; 4] =
    [Intrinsic::Alloca, Intrinsic::DebugToFile, Intrinsic::RegisterDestructor, Intrinsic::Require];

/// Tests whether a call of a function does nothing but compute its value. Of a function that is not
/// listed here, this is not known.
pub(crate) fn is_pure(callee: &str) -> bool {
    is_extern(callee)
        || callee == "undef"
        || is_of_the_ir(callee) && !IMPURE.contains(&Intrinsic::of(callee))
}

/// The call types (`Call::CallType` in `IR.h`).
const CALL_TYPES: [&str; 7] =
    ["Image", "Extern", "ExternCPlusPlus", "PureExtern", "Halide", "Intrinsic", "PureIntrinsic"];

/// The call type that a name in C++ stands for.
pub(crate) fn call_type(name: &str) -> Option<&'static str> {
    let of = name.strip_prefix("Call::")?;
    let of = of.strip_prefix("CallType::").unwrap_or(of);
    CALL_TYPES.into_iter().find(|known| *known == of)
}

/// The call type that each compiler gives to all calls of an intrinsic, if there is one.
pub(crate) fn own_call_type(callee: &str) -> Option<&'static str> {
    match Intrinsic::of(callee) {
        Intrinsic::ExtractBits => Some("Intrinsic"),
        Intrinsic::Abs
        | Intrinsic::Absd
        | Intrinsic::BitwiseAnd
        | Intrinsic::BitwiseNot
        | Intrinsic::BitwiseOr
        | Intrinsic::BitwiseXor
        | Intrinsic::CountLeadingZeros
        | Intrinsic::CountTrailingZeros
        | Intrinsic::Lerp
        | Intrinsic::Likely
        | Intrinsic::LikelyIfInnermost
        | Intrinsic::Popcount
        | Intrinsic::ShiftLeft
        | Intrinsic::ShiftRight => Some("PureIntrinsic"),
        _ => None,
    }
}

/// Tests whether a name in C++ is a call type that no compiler gives to calls of an intrinsic.
pub(crate) fn is_other_type(callee: &str, name: &str) -> bool {
    let own = callee.rsplit("::").next().and_then(own_call_type);
    own.zip(call_type(name)).is_some_and(|(own, of)| own != of)
}

/// The name of a function without the namespaces of the library and the compiler. Any other
/// namespace makes it the name of another function.
pub(crate) fn without_space(callee: &str) -> &str {
    let (space, short) = callee.rsplit_once("::").unwrap_or(("", callee));
    if ["", "std", "Call"].contains(&space) { short } else { callee }
}

/// Tests whether a call evaluates its first argument and one of the others.
pub(crate) fn evaluates_one(callee: &str) -> bool {
    matches!(Intrinsic::of(callee), Intrinsic::IfThenElse | Intrinsic::IfThenElseMask)
}

/// Tests whether a function is an intrinsic of the IR.
pub(crate) fn is_of_the_ir(callee: &str) -> bool {
    !is_extern(callee) && !matches!(Intrinsic::of(callee), Intrinsic::Other(_))
}

/// Tests whether a function is one of those that emitted C begins with, or its library has.
pub(crate) fn is_of_c(callee: &str) -> bool {
    matches!(
        Intrinsic::of(callee),
        Intrinsic::Min | Intrinsic::Max | Intrinsic::HalideCppMin | Intrinsic::HalideCppMax
    )
}

/// The name that stands for the unknown callee of a call.
pub(crate) fn callee(call: NodeId) -> String {
    format!("{CALLEE}{call}")
}
