//! Functions and intrinsics on lanes.

use halidom_halide_ir::tree::BinaryOp;

use crate::arith::{self, shift};
use crate::float::{self, Arithmetic};
use crate::value::{Kind, Lane, Poison};

/// A function on lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Abs,
    Absd,
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    ShiftLeft,
    ShiftRight,
    CountLeadingZeros,
    CountTrailingZeros,
    Popcount,
    DivToZero,
    ModToZero,
    HalvingAdd,
    HalvingSub,
    RoundingHalvingAdd,
    RoundingShiftLeft,
    RoundingShiftRight,
    MulShiftRight,
    RoundingMulShiftRight,
    SaturatingAdd,
    SaturatingSub,
    SaturatingCast,
    SortedAvg,
    WideningAdd,
    WideningSub,
    WideningMul,
    WideningShiftLeft,
    WideningShiftRight,
    WidenRightAdd,
    WidenRightSub,
    WidenRightMul,
    Lerp,
    Mux,
    /// An operator on strict floats.
    Strict(BinaryOp),
    IsNan,
    IsInf,
    IsFinite,
    Floor,
    Ceil,
    Trunc,
    Round,
    Sqrt,
    /// A function whose last bits the code generators choose.
    Near(Near),
    Nan,
    Infinity,
    MinusInfinity,
    /// A function that is known only by its name, with the hash of the name: see [`named`].
    Named(u64),
}

/// Functions whose values are only near to those that the code generators compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Near {
    Exp,
    Log,
    Pow,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Inverse,
    InverseSqrt,
}

impl Function {
    /// Returns the intrinsic with this name.
    pub(crate) fn intrinsic(name: &str) -> Option<Self> {
        Some(match name {
            "abs" => Self::Abs,
            "absd" => Self::Absd,
            "bitwise_and" => Self::BitAnd,
            "bitwise_or" => Self::BitOr,
            "bitwise_xor" => Self::BitXor,
            "bitwise_not" => Self::BitNot,
            "shift_left" => Self::ShiftLeft,
            "shift_right" => Self::ShiftRight,
            "count_leading_zeros" => Self::CountLeadingZeros,
            "count_trailing_zeros" => Self::CountTrailingZeros,
            "popcount" => Self::Popcount,
            "div_round_to_zero" => Self::DivToZero,
            "mod_round_to_zero" => Self::ModToZero,
            "halving_add" => Self::HalvingAdd,
            "halving_sub" => Self::HalvingSub,
            "rounding_halving_add" => Self::RoundingHalvingAdd,
            "rounding_shift_left" => Self::RoundingShiftLeft,
            "rounding_shift_right" => Self::RoundingShiftRight,
            "mul_shift_right" => Self::MulShiftRight,
            "rounding_mul_shift_right" => Self::RoundingMulShiftRight,
            "saturating_add" => Self::SaturatingAdd,
            "saturating_sub" => Self::SaturatingSub,
            "saturating_cast" => Self::SaturatingCast,
            "sorted_avg" => Self::SortedAvg,
            "widening_add" => Self::WideningAdd,
            "widening_sub" => Self::WideningSub,
            "widening_mul" => Self::WideningMul,
            "widening_shift_left" => Self::WideningShiftLeft,
            "widening_shift_right" => Self::WideningShiftRight,
            "widen_right_add" => Self::WidenRightAdd,
            "widen_right_sub" => Self::WidenRightSub,
            "widen_right_mul" => Self::WidenRightMul,
            "lerp" => Self::Lerp,
            "mux" => Self::Mux,
            "round" => Self::Round,
            "strict_add" => Self::Strict(BinaryOp::Add),
            "strict_sub" => Self::Strict(BinaryOp::Sub),
            "strict_mul" => Self::Strict(BinaryOp::Mul),
            "strict_div" => Self::Strict(BinaryOp::Div),
            "strict_min" => Self::Strict(BinaryOp::Min),
            "strict_max" => Self::Strict(BinaryOp::Max),
            "strict_eq" => Self::Strict(BinaryOp::Eq),
            "strict_lt" => Self::Strict(BinaryOp::Lt),
            "strict_le" => Self::Strict(BinaryOp::Le),
            _ => return None,
        })
    }

    /// Returns the function on floats with this name, which ends in the type.
    pub(crate) fn of_floats(name: &str) -> Option<(Self, Kind)> {
        let (name, kind) = [("_f16", Kind::Half), ("_f32", Kind::Single), ("_f64", Kind::Double)]
            .into_iter()
            .find_map(|(suffix, kind)| Some((name.strip_suffix(suffix)?, kind)))?;
        let function = match name {
            "floor" => Self::Floor,
            "ceil" => Self::Ceil,
            "trunc" => Self::Trunc,
            "round" => Self::Round,
            "sqrt" => Self::Sqrt,
            "is_nan" => Self::IsNan,
            "is_inf" => Self::IsInf,
            "is_finite" => Self::IsFinite,
            "nan" => Self::Nan,
            "inf" => Self::Infinity,
            "neg_inf" => Self::MinusInfinity,
            "exp" => Self::Near(Near::Exp),
            "log" => Self::Near(Near::Log),
            "pow" => Self::Near(Near::Pow),
            "sin" => Self::Near(Near::Sin),
            "cos" => Self::Near(Near::Cos),
            "tan" => Self::Near(Near::Tan),
            "asin" => Self::Near(Near::Asin),
            "acos" => Self::Near(Near::Acos),
            "atan" => Self::Near(Near::Atan),
            "atan2" => Self::Near(Near::Atan2),
            "sinh" => Self::Near(Near::Sinh),
            "cosh" => Self::Near(Near::Cosh),
            "tanh" => Self::Near(Near::Tanh),
            "asinh" => Self::Near(Near::Asinh),
            "acosh" => Self::Near(Near::Acosh),
            "atanh" => Self::Near(Near::Atanh),
            "fast_inverse" => Self::Near(Near::Inverse),
            "fast_inverse_sqrt" => Self::Near(Near::InverseSqrt),
            _ => return None,
        };
        Some((function, kind))
    }

    /// Returns the function that is known only by this name.
    pub(crate) fn named(name: &str) -> Self {
        Self::Named(hashed(FIRST, name.bytes()))
    }

    /// Returns the number of arguments, or `None` where any number is right.
    pub(crate) fn arity(self) -> Option<usize> {
        Some(match self {
            Self::Mux | Self::Named(_) => return None,
            Self::Nan | Self::Infinity | Self::MinusInfinity => 0,
            Self::Abs
            | Self::BitNot
            | Self::CountLeadingZeros
            | Self::CountTrailingZeros
            | Self::Popcount
            | Self::SaturatingCast
            | Self::IsNan
            | Self::IsInf
            | Self::IsFinite
            | Self::Floor
            | Self::Ceil
            | Self::Trunc
            | Self::Round
            | Self::Sqrt => 1,
            Self::MulShiftRight | Self::RoundingMulShiftRight | Self::Lerp => 3,
            Self::Near(Near::Pow | Near::Atan2) => 2,
            Self::Near(_) => 1,
            Self::Absd
            | Self::BitAnd
            | Self::BitOr
            | Self::BitXor
            | Self::ShiftLeft
            | Self::ShiftRight
            | Self::DivToZero
            | Self::ModToZero
            | Self::HalvingAdd
            | Self::HalvingSub
            | Self::RoundingHalvingAdd
            | Self::RoundingShiftLeft
            | Self::RoundingShiftRight
            | Self::SaturatingAdd
            | Self::SaturatingSub
            | Self::SortedAvg
            | Self::WideningAdd
            | Self::WideningSub
            | Self::WideningMul
            | Self::WideningShiftLeft
            | Self::WideningShiftRight
            | Self::WidenRightAdd
            | Self::WidenRightSub
            | Self::WidenRightMul
            | Self::Strict(_) => 2,
        })
    }

    /// Returns the result's type where the arguments' types determine it. Only the call itself
    /// gives the type of `SaturatingCast` and of the constants.
    pub(crate) fn result(self, args: &[Kind]) -> Option<Kind> {
        let first = args.first().copied();
        match self {
            Self::Abs | Self::Absd => first.map(Kind::unsigned),
            Self::SaturatingCast | Self::Named(_) => None,
            Self::WideningAdd
            | Self::WideningMul
            | Self::WideningShiftLeft
            | Self::WideningShiftRight => first?.wider(),
            Self::WideningSub => first?.wider().map(Kind::signed),
            Self::Mux => args.get(1).copied(),
            Self::IsNan | Self::IsInf | Self::IsFinite => Some(Kind::UInt(1)),
            Self::Strict(op) => {
                if op.is_comparison() {
                    Some(Kind::UInt(1))
                } else {
                    first
                }
            }
            Self::Nan | Self::Infinity | Self::MinusInfinity => None,
            Self::BitAnd
            | Self::BitOr
            | Self::BitXor
            | Self::BitNot
            | Self::ShiftLeft
            | Self::ShiftRight
            | Self::CountLeadingZeros
            | Self::CountTrailingZeros
            | Self::Popcount
            | Self::DivToZero
            | Self::ModToZero
            | Self::HalvingAdd
            | Self::HalvingSub
            | Self::RoundingHalvingAdd
            | Self::RoundingShiftLeft
            | Self::RoundingShiftRight
            | Self::MulShiftRight
            | Self::RoundingMulShiftRight
            | Self::SaturatingAdd
            | Self::SaturatingSub
            | Self::SortedAvg
            | Self::WidenRightAdd
            | Self::WidenRightSub
            | Self::WidenRightMul
            | Self::Lerp
            | Self::Floor
            | Self::Ceil
            | Self::Trunc
            | Self::Round
            | Self::Sqrt
            | Self::Near(_) => first,
        }
    }

    /// Tests whether it has a meaning for arguments of these types and this result.
    pub(crate) fn takes(self, args: &[Kind], result: Kind) -> bool {
        let ints = args.iter().all(|kind| kind.is_int());
        let floats = args.iter().all(|kind| kind.is_float());
        let same = args.windows(2).all(|pair| pair[0] == pair[1]);
        let expected = self.result(args).is_none_or(|kind| {
            kind == result
                || (kind.is_int() && kind.bits() == result.bits() && matches!(self, Self::Abs))
        });
        let widened = |same: bool| {
            args.get(1)
                .and_then(|kind| kind.wider())
                .is_some_and(|wide| wide.bits() == result.bits())
                && same
        };
        expected
            && match self {
                Self::Abs => {
                    args.iter().all(|kind| kind.is_int() || kind.is_float()) && result.bits() > 1
                }
                Self::BitAnd | Self::BitOr | Self::BitXor | Self::BitNot => {
                    same && args.iter().all(|kind| *kind != Kind::Handle)
                }
                Self::Absd
                | Self::CountLeadingZeros
                | Self::CountTrailingZeros
                | Self::Popcount
                | Self::DivToZero
                | Self::ModToZero
                | Self::HalvingAdd
                | Self::HalvingSub
                | Self::RoundingHalvingAdd
                | Self::SaturatingAdd
                | Self::SaturatingSub
                | Self::SortedAvg
                | Self::WideningAdd
                | Self::WideningSub
                | Self::WideningMul => ints && same && result.bits() > 1,
                Self::ShiftLeft
                | Self::ShiftRight
                | Self::RoundingShiftLeft
                | Self::RoundingShiftRight => ints && same_width(args) && result.bits() > 1,
                Self::WideningShiftLeft | Self::WideningShiftRight => ints && same_width(args),
                // There are no products of 128 bits.
                Self::MulShiftRight | Self::RoundingMulShiftRight => {
                    ints && args
                        .iter()
                        .take(2)
                        .all(|kind| *kind == result && (8..64).contains(&kind.bits()))
                }
                Self::SaturatingCast => {
                    args.iter().all(|kind| *kind != Kind::Handle)
                        && result != Kind::Handle
                        && result.bits() > 1
                }
                Self::WidenRightAdd | Self::WidenRightSub | Self::WidenRightMul => {
                    ints && widened(true) && args.first() == Some(&result)
                }
                Self::Lerp => lerps(args),
                Self::Named(_) => {
                    let of_memory = |kind: &Kind| *kind != Kind::Handle;
                    !args.is_empty() && args.iter().all(of_memory) && of_memory(&result)
                }
                Self::Mux => {
                    args.len() > 2
                        && args.first().is_some_and(|kind| kind.is_int())
                        && args.iter().skip(1).all(|kind| *kind == result)
                }
                Self::Strict(_) => floats && same,
                Self::Nan | Self::Infinity | Self::MinusInfinity => result.is_float(),
                Self::Floor
                | Self::Ceil
                | Self::Trunc
                | Self::Round
                | Self::Sqrt
                | Self::Near(_) => floats && same,
                Self::IsNan | Self::IsInf | Self::IsFinite => floats,
            }
    }

    /// Applies it to lanes.
    pub(crate) fn apply(
        self,
        args: &[(Lane, Kind)],
        result: Kind,
        arithmetic: &mut Arithmetic,
    ) -> Lane {
        if self == Self::Mux {
            return mux(args);
        }
        if let Some(poison) = args.iter().find_map(|(lane, _)| lane.poison) {
            return Lane::poison(poison);
        }
        let lane = |number: usize| args.get(number).map_or(Lane::of(0), |(lane, _)| *lane);
        let kind = |number: usize| args.get(number).map_or(result, |(_, kind)| *kind);
        let value = |number: usize| kind(number).value(lane(number).bits);
        let (a, first) = (lane(0), kind(0));
        let wide = |op: BinaryOp| {
            let parts = [0, 1].map(|number| Lane::of((value(number) as u64) & result.mask()));
            arith::binary(op, result, parts[0], parts[1], &mut arithmetic.unseen())
        };
        let round_up = |sum: i128| result.wrapped((sum + 1) >> 1);
        match self {
            Self::Abs => abs(first, result, a, arithmetic),
            Self::Absd => result.wrapped((value(0) - value(1)).abs()),
            Self::BitAnd => Lane::of(a.bits & lane(1).bits),
            Self::BitOr => Lane::of(a.bits | lane(1).bits),
            Self::BitXor => Lane::of(a.bits ^ lane(1).bits),
            Self::BitNot => Lane::of(!a.bits & first.mask()),
            Self::ShiftLeft => shift(first, kind(1), a, lane(1), true),
            Self::ShiftRight => shift(first, kind(1), a, lane(1), false),
            Self::CountLeadingZeros => {
                Lane::of(u64::from(a.bits.leading_zeros() - (64 - first.bits())))
            }
            Self::CountTrailingZeros => {
                Lane::of(u64::from(a.bits.trailing_zeros().min(first.bits())))
            }
            Self::Popcount => Lane::of(u64::from(a.bits.count_ones())),
            Self::DivToZero => divided(result, value(0), value(1), |quotient, _remainder| quotient),
            Self::ModToZero => {
                divided(result, value(0), value(1), |_quotient, remainder| remainder)
            }
            Self::HalvingAdd => result.wrapped((value(0) + value(1)) >> 1),
            Self::HalvingSub => result.wrapped((value(0) - value(1)) >> 1),
            Self::RoundingHalvingAdd => round_up(value(0) + value(1)),
            Self::SortedAvg => {
                let half = first.unsigned().wrapped(value(1) - value(0)).bits >> 1;
                arithmetic.exact(result, value(0) + i128::from(half))
            }
            Self::RoundingShiftLeft => rounding_shift(result, value(0), -value(1)),
            Self::RoundingShiftRight => rounding_shift(result, value(0), value(1)),
            Self::MulShiftRight => shifted_product((first, result), value(0) * value(1), value(2)),
            Self::RoundingMulShiftRight => {
                rounded_product((first, result), value(0) * value(1), value(2))
            }
            Self::SaturatingAdd => result.saturated(value(0) + value(1)),
            Self::SaturatingSub => result.saturated(value(0) - value(1)),
            Self::SaturatingCast => saturating_cast(first, result, a, arithmetic),
            Self::WideningAdd => arithmetic.exact(result, value(0) + value(1)),
            Self::WideningSub => arithmetic.exact(result, value(0) - value(1)),
            Self::WideningMul => arithmetic.exact(result, value(0) * value(1)),
            Self::WideningShiftLeft => {
                shift(result, kind(1), result.wrapped(value(0)), lane(1), true)
            }
            Self::WideningShiftRight => {
                shift(result, kind(1), result.wrapped(value(0)), lane(1), false)
            }
            Self::WidenRightAdd => wide(BinaryOp::Add),
            Self::WidenRightSub => wide(BinaryOp::Sub),
            Self::WidenRightMul => wide(BinaryOp::Mul),
            Self::Lerp => lerp(args, result, arithmetic),
            Self::Mux => mux(args),
            Self::Named(hash) => named(hash, args, result),
            Self::Strict(op) => {
                // A strict operator's NaN, infinity or zero is its value: LLVM assumes nothing
                // about it.
                arith::binary(op, first, a, lane(1), &mut arithmetic.unseen())
            }
            Self::IsNan => Lane::truth(float::decode(first, a.bits).is_nan()),
            Self::IsInf => Lane::truth(float::decode(first, a.bits).is_infinite()),
            Self::IsFinite => Lane::truth(float::decode(first, a.bits).is_finite()),
            Self::Nan => float::noted(result, float::encode(result, f64::NAN), arithmetic),
            Self::Infinity => {
                float::noted(result, float::encode(result, f64::INFINITY), arithmetic)
            }
            Self::MinusInfinity => {
                float::noted(result, float::encode(result, f64::NEG_INFINITY), arithmetic)
            }
            Self::Floor => unary(first, a, arithmetic, f64::floor),
            Self::Ceil => unary(first, a, arithmetic, f64::ceil),
            Self::Trunc => unary(first, a, arithmetic, f64::trunc),
            Self::Round => unary(first, a, arithmetic, f64::round_ties_even),
            Self::Sqrt => {
                let bits = float::apply(first, [a.bits, a.bits], |a, _| a.sqrt(), |a, _| a.sqrt());
                float::noted(result, bits, arithmetic)
            }
            Self::Near(near) => {
                arithmetic.notes.approximate = true;
                let value =
                    near.value(float::decode(first, a.bits), float::decode(first, lane(1).bits));
                float::noted(result, float::encode(result, value), arithmetic)
            }
        }
    }
}

/// The first value of the hash FNV-1a of 64 bits, and its factor.
const FIRST: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x100_0000_01b3;

fn hashed(hash: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(FACTOR))
}

/// Applies a function that is known only by its name: some function that depends on the name and
/// on every argument. It continues the hash of the name by the 8 bytes of the bits of each
/// argument, the least ones first, and by 8 zeros. Integers are its upper bits, and so are floats
/// of 16 bits; other floats are the integer of the upper 10 bits.
fn named(hash: u64, args: &[(Lane, Kind)], result: Kind) -> Lane {
    let hash = args.iter().fold(hash, |hash, (lane, _)| hashed(hash, lane.bits.to_le_bytes()));
    let hash = hashed(hash, [0; 8]);
    match result {
        Kind::Single | Kind::Double => Lane::of(float::encode(result, (hash >> 54) as f64)),
        Kind::Half | Kind::BFloat | Kind::Int(_) | Kind::UInt(_) | Kind::Handle => {
            Lane::of(hash >> (64 - result.bits()))
        }
    }
}

fn same_width(args: &[Kind]) -> bool {
    args.windows(2).all(|pair| pair[0].bits() == pair[1].bits())
}

fn unary(kind: Kind, a: Lane, arithmetic: &mut Arithmetic, apply: impl Fn(f64) -> f64) -> Lane {
    float::noted(kind, float::encode(kind, apply(float::decode(kind, a.bits))), arithmetic)
}

impl Near {
    fn value(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Exp => x.exp(),
            Self::Log => x.ln(),
            Self::Pow => x.powf(y),
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
            Self::Atan2 => x.atan2(y),
            Self::Sinh => x.sinh(),
            Self::Cosh => x.cosh(),
            Self::Tanh => x.tanh(),
            Self::Asinh => x.asinh(),
            Self::Acosh => x.acosh(),
            Self::Atanh => x.atanh(),
            Self::Inverse => 1.0 / x,
            Self::InverseSqrt => 1.0 / x.sqrt(),
        }
    }
}

fn abs(kind: Kind, result: Kind, a: Lane, arithmetic: &mut Arithmetic) -> Lane {
    if kind.is_float() {
        return Lane::of(a.bits & (kind.mask() >> 1));
    }
    let value = kind.value(a.bits);
    if !result.is_signed() {
        // It holds the absolute value of the least number too.
        return result.wrapped(value.abs());
    }
    // A signed result is a negation that may overflow.
    if value < 0 { arithmetic.exact(result, -value) } else { a }
}

/// Divides, rounding to zero, and returns the quotient or the remainder.
///
/// Division by 0 has no behaviour; `Compute::Call` checks the divisor first. Neither has the
/// division of the least value by -1, at any width, for the remainder too.
fn divided(kind: Kind, a: i128, b: i128, chosen: impl Fn(i128, i128) -> i128) -> Lane {
    let (least, greatest) = kind.range();
    match a.checked_div(b) {
        Some(quotient) if (least..=greatest).contains(&quotient) => {
            kind.wrapped(chosen(quotient, a % b))
        }
        Some(_) | None => Lane::poison(Poison::Overflow),
    }
}

/// Returns the value that a number selects. Every number out of range selects the last one. The
/// values that are not selected may be poison.
fn mux(args: &[(Lane, Kind)]) -> Lane {
    let [(number, kind), values @ ..] = args else { return Lane::poison(Poison::Undefined) };
    if number.poison.is_some() {
        return *number;
    }
    let place = usize::try_from(kind.value(number.bits)).ok().filter(|place| *place < values.len());
    let value = place.map_or(values.last(), |place| values.get(place));
    value.map_or(Lane::poison(Poison::Undefined), |(lane, _)| *lane)
}

/// Shifts to the right, or to the left for negative amounts. Rounds to nearest, ties up.
fn rounding_shift(kind: Kind, value: i128, by: i128) -> Lane {
    let width = i128::from(kind.bits());
    if by <= -width || by >= width {
        return Lane::poison(Poison::Shift);
    }
    if by <= 0 {
        return kind.wrapped(value << -by);
    }
    kind.wrapped((value + (1 << (by - 1))) >> by)
}

/// Tests whether an amount is below the width of a product of two factors of a type.
fn is_within_product(by: i128, factor: Kind) -> bool {
    (0..i128::from(factor.bits()) * 2).contains(&by)
}

/// Shifts a wide product to the right.
fn shifted_product((factor, result): (Kind, Kind), product: i128, by: i128) -> Lane {
    if !is_within_product(by, factor) {
        return Lane::poison(Poison::Shift);
    }
    if by >= i128::from(factor.bits()) {
        result.wrapped(product >> by)
    } else {
        result.saturated(product >> by)
    }
}

/// Shifts a wide product to the right, and rounds to nearest, ties up.
fn rounded_product((factor, result): (Kind, Kind), product: i128, by: i128) -> Lane {
    if by == 0 {
        return result.saturated(product);
    }
    if !is_within_product(by, factor) {
        return Lane::poison(Poison::Shift);
    }
    result.saturated((product + (1 << (by - 1))) >> by)
}

fn saturating_cast(from: Kind, to: Kind, lane: Lane, arithmetic: &mut Arithmetic) -> Lane {
    match (from.is_float(), to.is_float()) {
        (false, false) => to.saturated(from.value(lane.bits)),
        (false, true) => arith::cast(from, to, lane, arithmetic),
        (true, true) => {
            let greatest = match to {
                Kind::Half => 65504.0,
                Kind::BFloat => f64::from(f32::from_bits(0x7f7f_0000)),
                Kind::Single => f64::from(f32::MAX),
                Kind::Double | Kind::Int(_) | Kind::UInt(_) | Kind::Handle => f64::MAX,
            };
            let value = float::decode(from, lane.bits);
            let value = if value > greatest { greatest } else { value };
            let value = if value > -greatest { value } else { -greatest };
            float::noted(to, float::encode(to, value), arithmetic)
        }
        (true, false) => {
            let value = float::decode(from, lane.bits);
            // Comparisons with a NaN are false, so it reaches the conversion, which gives poison.
            if value.is_nan() {
                return Lane::poison(Poison::Conversion);
            }
            let (least, greatest) = to.range();
            if value <= least as f64 {
                return to.wrapped(least);
            }
            if value >= greatest as f64 {
                return to.wrapped(greatest);
            }
            arith::cast(from, to, lane, arithmetic)
        }
    }
}

/// Tests whether interpolation has a meaning for these types.
fn lerps(args: &[Kind]) -> bool {
    let [zero, one, weight] = args else { return false };
    let is_weight = matches!(weight, Kind::UInt(8 | 16 | 32) | Kind::Single | Kind::Double);
    zero == one
        && is_weight
        && matches!(
            zero,
            Kind::Int(8 | 16 | 32) | Kind::UInt(1 | 8 | 16 | 32) | Kind::Single | Kind::Double
        )
}

/// Interpolates as `lower_lerp` does for x86.
fn lerp(args: &[(Lane, Kind)], result: Kind, arithmetic: &mut Arithmetic) -> Lane {
    let [(zero, kind), (one, _), (weight, by)] = args else {
        return Lane::poison(Poison::Undefined);
    };
    if *kind == Kind::UInt(1) {
        let is_one = if by.is_float() {
            float::decode(*by, weight.bits) > 0.5
        } else {
            weight.bits > by.mask() / 2
        };
        return if is_one { *one } else { *zero };
    }
    let op =
        |op, kind, a, b, arithmetic: &mut Arithmetic| arith::binary(op, kind, a, b, arithmetic);
    if kind.is_float() {
        let number = |value: f64| Lane::of(float::encode(*kind, value));
        let weight = if by.is_float() {
            arith::cast(*by, *kind, *weight, arithmetic)
        } else {
            let denominator = number(by.mask() as f64);
            let weight = arith::cast(*by, *kind, *weight, arithmetic);
            op(BinaryOp::Div, *kind, weight, denominator, arithmetic)
        };
        let inverse = op(BinaryOp::Sub, *kind, number(1.0), weight, arithmetic);
        let left = op(BinaryOp::Mul, *kind, *zero, inverse, arithmetic);
        let right = op(BinaryOp::Mul, *kind, *one, weight, arithmetic);
        return op(BinaryOp::Add, *kind, left, right, arithmetic);
    }
    let unsigned = kind.unsigned();
    let (greatest, bits) = (i128::from(unsigned.mask()), kind.bits());
    let weight = if by.is_float() {
        let scaled = if bits == 32 {
            let weight = float::decode(*by, weight.bits);
            Lane::of((65535.0_f64 * 65537.0 * weight).to_bits())
        } else {
            let factor = Lane::of(float::encode(*by, greatest as f64));
            op(BinaryOp::Mul, *by, factor, *weight, arithmetic)
        };
        let from = if bits == 32 { Kind::Double } else { *by };
        let weight = arith::cast(from, unsigned, scaled, arithmetic);
        if weight.poison.is_some() {
            return weight;
        }
        i128::from(weight.bits)
    } else {
        let mut weight = i128::from(weight.bits);
        let (mut have, want) = (by.bits(), bits);
        // (2^2n - 1) = (2^n - 1)(2^n + 1)
        while have < want {
            weight *= (1 << have) + 1;
            have *= 2;
        }
        let mut factor = 1_i128;
        let mut least = want;
        while have > least {
            factor *= (1 << least) + 1;
            least *= 2;
        }
        have = want;
        (weight / factor) & i128::from(Kind::UInt(have).mask())
    };
    let bias = if kind.is_signed() { 1_i128 << (bits - 1) } else { 0 };
    let part = |lane: &Lane| i128::from(unsigned.wrapped(kind.value(lane.bits) + bias).bits);
    let sum = part(zero) * (greatest - weight) + part(one) * weight;
    result.wrapped((sum + greatest / 2) / greatest - bias)
}

#[cfg(test)]
mod tests {
    use super::Function;
    use crate::float::Arithmetic;
    use crate::value::{Kind, Lane};

    /// The values that `halidom_ir::eval` gives too.
    #[test]
    fn a_function_that_is_only_named_depends_on_the_name_and_every_argument() {
        let at = |name: &str, bits: [u64; 2], kind: Kind| {
            let args = bits.map(|bits| (Lane::of(bits), kind));
            Function::named(name).apply(&args, kind, &mut Arithmetic::default()).bits
        };
        let bytes = Kind::UInt(8);
        assert_eq!([at("mix", [1, 2], bytes), at("mix", [2, 1], bytes)], [48, 183]);
        let [one, two] = [1.0_f32, 2.0].map(|value| u64::from(value.to_bits()));
        let found = [("mix", one, two), ("mix", two, one), ("mixed", one, two)]
            .map(|(name, a, b)| at(name, [a, b], Kind::Single));
        assert_eq!(found, [453.0_f32, 698.0, 82.0].map(|value| u64::from(value.to_bits())));
    }
}
