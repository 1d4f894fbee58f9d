//! Operators that C lacks, as small inline functions: one for each type, printed where a program
//! uses it.
//!
//! The functions' texts are templates with the types' names filled in. Tests compare their results
//! with `ir::eval`, for every type and on both sides of every edge.

use halidom_base::IndexSet;
use halidom_ir::{Intrinsic, Scalar};

use crate::operators::{AtomicOp, ScalarOp, VectorOp};
use crate::shuffles::{load_repeated, load_reversed, store_interleaved};
use crate::templates::{
    CONVERT, EXP_FOR_LANES, LANEWISE_CALL, TYPE, atomic_text, divide_text, remainder_text,
    saturate_text, scalar_text, vector_saturate_text, vector_text,
};
use crate::types::{c_bytes, scalar_name, signed_of, unsigned_of, vector_name};

/// A function or type that is printed above the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Helper {
    /// A vector type.
    Type(Scalar, u32),
    /// An operator on one value.
    Scalar(ScalarOp, Scalar),
    /// An operator on vectors.
    Vector(VectorOp, Scalar, u32),
    /// A mathematical function, lane by lane.
    VectorCall(Intrinsic, Scalar, u32),
    /// Euclidean division of signed lanes by a constant that is neither 0 nor -1. It is a separate
    /// function because gcc splits up vector divisions before it inlines.
    DivBy(Scalar, u32, i64),
    /// The remainder of the same division.
    ModBy(Scalar, u32, i64),
    /// Float to integer, saturating.
    Saturate {
        /// The integer type.
        to: Scalar,
        /// The float type.
        from: Scalar,
    },
    /// The same, lane by lane.
    VectorSaturate {
        /// The integer type.
        to: Scalar,
        /// The float type.
        from: Scalar,
        /// The number of lanes.
        lanes: u32,
    },
    /// Conversion of lanes by C's rules.
    Convert {
        /// The type of the result.
        to: Scalar,
        /// The type of the operand.
        from: Scalar,
        /// The number of lanes.
        lanes: u32,
    },
    /// An atomic update.
    Atomic(AtomicOp, Scalar),
}

impl Helper {
    /// Returns the helper's C name.
    pub fn name(self) -> String {
        match self {
            Self::Type(scalar, lanes) => vector_name(scalar, lanes),
            Self::Scalar(op, scalar) => join(op.prefix(), scalar.name()),
            Self::Atomic(op, scalar) => join(op.prefix(), scalar.name()),
            Self::Vector(op, scalar, lanes) => join(op.prefix(), &vector_name(scalar, lanes)),
            Self::VectorCall(intrinsic, scalar, lanes) => {
                join(intrinsic.name(), &vector_name(scalar, lanes))
            }
            Self::DivBy(scalar, lanes, divisor) => by("div", scalar, lanes, divisor),
            Self::ModBy(scalar, lanes, divisor) => by("mod", scalar, lanes, divisor),
            Self::Saturate { to, from } => join3(to.name(), "from", from.name()),
            Self::VectorSaturate { to, from, lanes } | Self::Convert { to, from, lanes } => {
                join3(&vector_name(to, lanes), "from", &vector_name(from, lanes))
            }
        }
    }

    /// Returns the helpers that must be printed first.
    fn needs(self) -> Vec<Self> {
        match self {
            Self::Type(..) | Self::Scalar(..) | Self::Saturate { .. } | Self::Atomic(..) => {
                Vec::new()
            }
            Self::Vector(op, scalar, lanes) => {
                let mut needs = vec![Self::Type(scalar, lanes)];
                match op {
                    VectorOp::Select
                    | VectorOp::Min
                    | VectorOp::Max
                    | VectorOp::LoadRepeated(_) => {
                        needs.push(Self::Type(signed_of(scalar), lanes));
                    }
                    VectorOp::Abs => {
                        needs.push(Self::Type(signed_of(scalar), lanes));
                        needs.push(Self::Type(unsigned_of(scalar), lanes));
                    }
                    VectorOp::Gather | VectorOp::GatherAt | VectorOp::Scatter => {
                        needs.push(Self::Type(Scalar::I64, lanes));
                    }
                    VectorOp::GatherNarrow | VectorOp::GatherNarrowAt => {
                        needs.push(Self::Type(Scalar::I32, lanes));
                    }
                    VectorOp::Div => needs.push(Self::Scalar(ScalarOp::Div, scalar)),
                    VectorOp::Mod => needs.push(Self::Scalar(ScalarOp::Mod, scalar)),
                    VectorOp::Shl => needs.push(Self::Scalar(ScalarOp::Shl, scalar)),
                    VectorOp::Shr => needs.push(Self::Scalar(ScalarOp::Shr, scalar)),
                    VectorOp::StoreInterleaved(_) => {
                        needs.push(Self::Vector(VectorOp::Store, scalar, lanes));
                    }
                    VectorOp::StreamInterleaved(_) => {
                        needs.push(Self::Vector(VectorOp::Stream, scalar, lanes));
                    }
                    VectorOp::Load
                    | VectorOp::LoadStrided
                    | VectorOp::LoadReversed
                    | VectorOp::Store
                    | VectorOp::Stream
                    | VectorOp::StoreStrided
                    | VectorOp::Broadcast => {}
                    VectorOp::Ramp => needs.push(Self::Type(unsigned_of(scalar), lanes)),
                }
                needs
            }
            Self::VectorCall(Intrinsic::Exp, Scalar::F32, lanes) => {
                vec![Self::Type(Scalar::F32, lanes), Self::Type(Scalar::I32, lanes)]
            }
            Self::VectorCall(_, scalar, lanes)
            | Self::DivBy(scalar, lanes, _)
            | Self::ModBy(scalar, lanes, _) => vec![Self::Type(scalar, lanes)],
            Self::VectorSaturate { to, from, lanes } => [to, signed_of(to), from, signed_of(from)]
                .map(|scalar| Self::Type(scalar, lanes))
                .to_vec(),
            Self::Convert { to, from, lanes } => {
                vec![Self::Type(to, lanes), Self::Type(from, lanes)]
            }
        }
    }
}

fn join(prefix: &str, ty: &str) -> String {
    [prefix, ty].join("_")
}

fn join3(first: &str, second: &str, third: &str) -> String {
    [first, second, third].join("_")
}

fn by(prefix: &str, scalar: Scalar, lanes: u32, divisor: i64) -> String {
    let ty = vector_name(scalar, lanes);
    let sign = if divisor < 0 { "by_minus" } else { "by" };
    [prefix, &ty, sign, &divisor.unsigned_abs().to_string()].join("_")
}

/// Adds a helper after the helpers that it needs.
pub fn require(helpers: &mut IndexSet<Helper>, helper: Helper) {
    let helper = match helper {
        // Both are one C type, so they share one function.
        Helper::Vector(op, Scalar::Int, lanes) => Helper::Vector(op, Scalar::I64, lanes),
        Helper::Type(Scalar::Int, lanes) => Helper::Type(Scalar::I64, lanes),
        Helper::DivBy(Scalar::Int, lanes, divisor) => Helper::DivBy(Scalar::I64, lanes, divisor),
        Helper::ModBy(Scalar::Int, lanes, divisor) => Helper::ModBy(Scalar::I64, lanes, divisor),
        Helper::Type(..)
        | Helper::Scalar(..)
        | Helper::Vector(..)
        | Helper::VectorCall(..)
        | Helper::DivBy(..)
        | Helper::ModBy(..)
        | Helper::Saturate { .. }
        | Helper::VectorSaturate { .. }
        | Helper::Convert { .. }
        | Helper::Atomic(..) => helper,
    };
    if !helpers.contains(&helper) {
        for needed in helper.needs() {
            require(helpers, needed);
        }
        helpers.insert(helper);
    }
}

/// Appends the definitions of helpers.
pub fn print(out: &mut String, helpers: &IndexSet<Helper>) {
    for helper in helpers {
        out.push_str(&definition(*helper));
    }
}

/// Returns the C text of a helper.
pub fn definition(helper: Helper) -> String {
    let name = helper.name();
    match helper {
        Helper::Type(scalar, lanes) => Template::of(scalar, lanes).fill(&name, TYPE),
        Helper::Scalar(op, scalar) => Template::of(scalar, 1).fill(&name, scalar_text(op, scalar)),
        Helper::Atomic(op, scalar) => Template::of(scalar, 1).fill(&name, atomic_text(op, scalar)),
        Helper::Vector(op, scalar, lanes) => {
            let mut template = Template::of(scalar, lanes);
            let text = match op {
                VectorOp::LoadReversed => load_reversed(lanes),
                VectorOp::LoadRepeated(times) => {
                    let mask = vector_name(signed_of(scalar), lanes);
                    load_repeated(&template.vector, &mask, lanes, times)
                }
                VectorOp::StoreInterleaved(count) => {
                    let store = Helper::Vector(VectorOp::Store, scalar, lanes).name();
                    store_interleaved(&template.vector, lanes, count, &store)
                }
                VectorOp::StreamInterleaved(count) => {
                    let store = Helper::Vector(VectorOp::Stream, scalar, lanes).name();
                    store_interleaved(&template.vector, lanes, count, &store)
                }
                VectorOp::Load
                | VectorOp::LoadStrided
                | VectorOp::Gather
                | VectorOp::GatherNarrow
                | VectorOp::GatherAt
                | VectorOp::GatherNarrowAt
                | VectorOp::Store
                | VectorOp::Stream
                | VectorOp::StoreStrided
                | VectorOp::Scatter
                | VectorOp::Broadcast
                | VectorOp::Ramp
                | VectorOp::Select
                | VectorOp::Min
                | VectorOp::Max
                | VectorOp::Div
                | VectorOp::Mod
                | VectorOp::Shl
                | VectorOp::Shr
                | VectorOp::Abs => String::new(),
            };
            template.shuffled = text;
            template.fill(&name, vector_text(op))
        }
        Helper::VectorCall(intrinsic, scalar, lanes) => {
            let mut template = Template::of(scalar, lanes);
            template.function = builtin(intrinsic, scalar);
            let at_once = (intrinsic, scalar) == (Intrinsic::Exp, Scalar::F32);
            template.fill(&name, if at_once { EXP_FOR_LANES } else { LANEWISE_CALL })
        }
        Helper::DivBy(scalar, lanes, divisor) => {
            divide_by(scalar, lanes, divisor).fill(&name, divide_text(divisor))
        }
        Helper::ModBy(scalar, lanes, divisor) => {
            divide_by(scalar, lanes, divisor).fill(&name, remainder_text(divisor))
        }
        Helper::Saturate { to, from } => saturate(to, from, 1).fill(&name, saturate_text(to)),
        Helper::VectorSaturate { to, from, lanes } => {
            let text = vector_saturate_text(to, from, lanes);
            saturate(to, from, lanes).fill(&name, &text)
        }
        Helper::Convert { to, from, lanes } => {
            let mut template = Template::of(to, lanes);
            template.from_vector = vector_name(from, lanes);
            template.fill(&name, CONVERT)
        }
    }
}

/// Returns the C function for an intrinsic on one float.
pub fn builtin(intrinsic: Intrinsic, scalar: Scalar) -> String {
    let mut name = String::from(match intrinsic {
        Intrinsic::Abs => "__builtin_fabs",
        Intrinsic::Sqrt => "__builtin_sqrt",
        Intrinsic::Floor => "__builtin_floor",
        Intrinsic::Ceil => "__builtin_ceil",
        // To the nearest, ties to even: nothing changes C's rounding mode.
        Intrinsic::Round => "__builtin_rint",
        Intrinsic::Trunc => "__builtin_trunc",
        Intrinsic::Exp => "halidom_exp",
        Intrinsic::Log => "halidom_log",
        Intrinsic::Sin => "halidom_sin",
        Intrinsic::Cos => "halidom_cos",
        Intrinsic::Tan => "halidom_tan",
        Intrinsic::Atan => "halidom_atan",
    });
    if scalar == Scalar::F32 {
        name.push('f');
    }
    name
}

/// The values of a template's placeholders.
#[derive(Default)]
struct Template {
    scalar: String,
    unsigned: String,
    vector: String,
    unsigned_vector: String,
    mask: String,
    from: String,
    from_vector: String,
    lanes: String,
    bits: String,
    bytes: String,
    part: String,
    part_bytes: String,
    align: String,
    zero: String,
    one: String,
    function: String,
    short: String,
    low: String,
    high: String,
    above: String,
    divisor: String,
    shift: String,
    rest: String,
    float_zero: String,
    from_mask: String,
    conversion: String,
    lane_list: String,
    gather_list: String,
    placed_list: String,
    strided_list: String,
    numbers: String,
    lows: String,
    tops: String,
    top: String,
    missing: String,
    shuffled: String,
}

impl Template {
    fn of(scalar: Scalar, lanes: u32) -> Self {
        let bytes = c_bytes(scalar);
        // Eight lanes fill the widest vector once they are `double`.
        let part = lanes.min(8);
        Self {
            scalar: scalar_name(scalar).to_owned(),
            unsigned: scalar_name(unsigned_of(scalar)).to_owned(),
            vector: vector_name(scalar, lanes),
            unsigned_vector: vector_name(unsigned_of(scalar), lanes),
            mask: vector_name(signed_of(scalar), lanes),
            lanes: lanes.to_string(),
            bits: (bytes * 8).to_string(),
            bytes: (bytes * lanes as usize).to_string(),
            part: part.to_string(),
            part_bytes: (bytes * part as usize).to_string(),
            align: bytes.to_string(),
            short: scalar.name().to_owned(),
            lane_list: list(lanes, |_| "value".to_owned()),
            gather_list: list(lanes, |lane| ["memory[index[", &lane, "]]"].concat()),
            placed_list: list(lanes, |lane| ["memory[first + index[", &lane, "]]"].concat()),
            strided_list: list(lanes, |lane| ["memory[", &lane, " * stride]"].concat()),
            numbers: list(lanes, |lane| lane),
            ..Self::default()
        }
    }

    fn fill(&self, name: &str, text: &str) -> String {
        let mut out = String::with_capacity(text.len() * 2);
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            let end = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
            let (key, tail) = after.split_at(end);
            out.push_str(match key {
                "name" => name,
                "t" => &self.scalar,
                "u" => &self.unsigned,
                "v" => &self.vector,
                "uv" => &self.unsigned_vector,
                "m" => &self.mask,
                "from" => &self.from,
                "fromv" => &self.from_vector,
                "lanes" => &self.lanes,
                "bits" => &self.bits,
                "bytes" => &self.bytes,
                "part" => &self.part,
                "partbytes" => &self.part_bytes,
                "align" => &self.align,
                "zero" => &self.zero,
                "one" => &self.one,
                "f" => &self.function,
                "short" => &self.short,
                "low" => &self.low,
                "high" => &self.high,
                "above" => &self.above,
                "divisor" => &self.divisor,
                "shift" => &self.shift,
                "rest" => &self.rest,
                "fzero" => &self.float_zero,
                "fm" => &self.from_mask,
                "convert" => &self.conversion,
                "values" => &self.lane_list,
                "gathered" => &self.gather_list,
                "placed" => &self.placed_list,
                "strided" => &self.strided_list,
                "numbers" => &self.numbers,
                "lows" => &self.lows,
                "tops" => &self.tops,
                "top" => &self.top,
                "missing" => &self.missing,
                "shuffled" => &self.shuffled,
                // A dollar that is not a placeholder stays, and the C compiler refuses it.
                _ => "$",
            });
            rest = tail;
        }
        out.push_str(rest);
        out
    }
}

fn list(lanes: u32, entry: impl Fn(String) -> String) -> String {
    (0..lanes).map(|lane| entry(lane.to_string())).collect::<Vec<_>>().join(", ")
}

fn divide_by(scalar: Scalar, lanes: u32, divisor: i64) -> Template {
    let mut template = Template::of(scalar, lanes);
    // A negative divisor is the negation of its magnitude, which has a literal for the least number
    // of every type except `i64`.
    template.divisor = if divisor == i64::MIN {
        "(-9223372036854775807 - 1)".to_owned()
    } else if divisor < 0 {
        ["(-", &divisor.unsigned_abs().to_string(), ")"].concat()
    } else {
        divisor.to_string()
    };
    template.shift = divisor.trailing_zeros().to_string();
    template.rest = divisor.wrapping_sub(1).to_string();
    template
}

fn saturate(to: Scalar, from: Scalar, lanes: u32) -> Template {
    let mut template = Template::of(to, lanes);
    scalar_name(from).clone_into(&mut template.from);
    template.from_vector = vector_name(from, lanes);
    template.from_mask = vector_name(signed_of(from), lanes);
    // Narrow integers are reached through integers as wide as the float: gcc has no instructions
    // for the direct way.
    template.conversion = if c_bytes(to) < c_bytes(from) {
        convert(&convert("limited", &template.from_mask), &template.vector)
    } else {
        convert("limited", &template.vector)
    };
    let (suffix, precision) = if from == Scalar::F32 { ("f", 24) } else { ("", 53) };
    let float = |value: i128| [&value.to_string(), ".0", suffix].concat();
    if let Some((low, high)) = to.range() {
        // A power of two, which every float type represents exactly.
        template.above = float(high + 1);
        template.high = integer_literal(high);
        template.low = integer_literal(low);
        template.float_zero = float(low);
        let last_bits = (high + 1) >> precision;
        template.top = float(if last_bits == 0 { high } else { high + 1 - last_bits });
        template.lows = list(lanes, |_| template.float_zero.clone());
        template.tops = list(lanes, |_| template.top.clone());
        if last_bits > 1 {
            let argument = if to.is_signed() { "number" } else { "a" };
            let above = [argument, " >= ", &template.above].concat();
            let above = convert(&above, &template.mask);
            let bits = integer_literal(last_bits - 1);
            template.missing = [" | (", &template.vector, ")(", &above, " & ", &bits, ")"].concat();
        }
    }
    template
}

fn convert(value: &str, to: &str) -> String {
    ["__builtin_convertvector(", value, ", ", to, ")"].concat()
}

/// Returns a literal for a number that some integer type of at most 64 bits holds.
pub fn integer_literal(value: i128) -> String {
    if value == i128::from(i64::MIN) || value == i128::from(i32::MIN) {
        // The least number of a type has no literal: it is written as its successor minus one.
        ["(-", &(-(value + 1)).to_string(), " - 1)"].concat()
    } else if value > i128::from(i64::MAX) {
        [&value.to_string(), "u"].concat()
    } else {
        value.to_string()
    }
}
