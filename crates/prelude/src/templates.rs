//! The texts of the helper functions. `$name` is the function, `$t` the scalar type, `$v` the
//! vector type, `$m` its masks, `$u` and `$uv` the unsigned types.

use halidom_ir::Scalar;

use crate::operators::{AtomicOp, Few, ScalarOp, VectorOp};

pub(crate) const TYPE: &str = "
typedef $t $name __attribute__((vector_size($bytes)));
typedef $t $name_memory __attribute__((vector_size($bytes), aligned($align), may_alias));
";

pub(crate) fn scalar_text(op: ScalarOp, scalar: Scalar) -> &'static str {
    let signed = scalar.is_signed() || scalar == Scalar::Int;
    match op {
        ScalarOp::Div if signed => DIV_SIGNED,
        ScalarOp::Div => DIV_UNSIGNED,
        ScalarOp::Mod if signed => MOD_SIGNED,
        ScalarOp::Mod => MOD_UNSIGNED,
        ScalarOp::Min => MIN,
        ScalarOp::Max => MAX,
        ScalarOp::Shl if signed => SHL_SIGNED,
        ScalarOp::Shl => SHL_UNSIGNED,
        ScalarOp::Shr if signed => SHR_SIGNED,
        ScalarOp::Shr => SHR_UNSIGNED,
        ScalarOp::Abs => ABS,
    }
}

const DIV_UNSIGNED: &str = "
static inline $t $name($t a, $t b) {
    return b == 0 ? 0 : a / b;
}
";

const MOD_UNSIGNED: &str = "
static inline $t $name($t a, $t b) {
    return b == 0 ? 0 : a % b;
}
";

const DIV_SIGNED: &str = "
static inline $t $name($t a, $t b) {
    if (b == 0) {
        return 0;
    }
    if (b == -1) {
        return ($t)(0 - ($u)a);
    }
    $t quotient = ($t)(a / b);
    $t remainder = ($t)(a % b);
    return ($t)(remainder >= 0 ? quotient : b > 0 ? quotient - 1 : quotient + 1);
}
";

const MOD_SIGNED: &str = "
static inline $t $name($t a, $t b) {
    if (b == 0 || b == -1) {
        return 0;
    }
    $t remainder = ($t)(a % b);
    return ($t)(remainder >= 0 ? remainder : b > 0 ? remainder + b : remainder - b);
}
";

const MIN: &str = "
static inline $t $name($t a, $t b) {
    return a < b ? a : b;
}
";

const MAX: &str = "
static inline $t $name($t a, $t b) {
    return a > b ? a : b;
}
";

const SHL_UNSIGNED: &str = "
static inline $t $name($t a, $t b) {
    return b >= $bits ? 0 : ($t)((uint64_t)a << b);
}
";

const SHR_UNSIGNED: &str = "
static inline $t $name($t a, $t b) {
    return b >= $bits ? 0 : ($t)(a >> b);
}
";

const SHL_SIGNED: &str = "
static inline $t $name($t a, $t b) {
    if (b >= $bits) {
        return 0;
    }
    if (b >= 0) {
        return ($t)((uint64_t)a << b);
    }
    return ($t)(b > -$bits ? a >> -b : a >> ($bits - 1));
}
";

const SHR_SIGNED: &str = "
static inline $t $name($t a, $t b) {
    if (b <= -$bits) {
        return 0;
    }
    if (b <= 0) {
        return ($t)((uint64_t)a << -b);
    }
    return ($t)(b < $bits ? a >> b : a >> ($bits - 1));
}
";

const ABS: &str = "
static inline $t $name($t a) {
    return a < 0 ? ($t)(0 - ($u)a) : a;
}
";

/// Additions, subtractions and bit operations have machine instructions. Every other operator
/// computes the new value and tries to exchange it until no other thread wrote in between.
pub(crate) fn atomic_text(op: AtomicOp, scalar: Scalar) -> &'static str {
    let float = scalar.is_float();
    match op {
        AtomicOp::Add if float => ATOMIC_ADD_FLOAT,
        AtomicOp::Sub if float => ATOMIC_SUB_FLOAT,
        AtomicOp::Mul if float => ATOMIC_MUL_FLOAT,
        AtomicOp::Add => ATOMIC_ADD,
        AtomicOp::Sub => ATOMIC_SUB,
        AtomicOp::Mul => ATOMIC_MUL,
        AtomicOp::Min => ATOMIC_MIN,
        AtomicOp::Max => ATOMIC_MAX,
        AtomicOp::And => ATOMIC_AND,
        AtomicOp::Or => ATOMIC_OR,
        AtomicOp::Xor => ATOMIC_XOR,
    }
}

/// An update by compare-and-exchange, with the new value in terms of `seen` and `value`.
macro_rules! exchange {
    ($next:literal) => {
        concat!(
            "
static inline void $name($t *memory, $t value) {
    $t seen;
    __atomic_load(memory, &seen, __ATOMIC_RELAXED);
    $t next;
    do {
        next = ",
            $next,
            ";
    } while (!__atomic_compare_exchange(memory, &seen, &next, 0, __ATOMIC_RELAXED, \
    __ATOMIC_RELAXED));
}
"
        )
    };
}

/// An update for which the machine has an instruction.
macro_rules! fetch {
    ($function:literal) => {
        concat!(
            "
static inline void $name($t *memory, $t value) {
    (void)",
            $function,
            "(memory, value, __ATOMIC_RELAXED);
}
"
        )
    };
}

const ATOMIC_ADD: &str = fetch!("__atomic_fetch_add");
const ATOMIC_SUB: &str = fetch!("__atomic_fetch_sub");
const ATOMIC_AND: &str = fetch!("__atomic_fetch_and");
const ATOMIC_OR: &str = fetch!("__atomic_fetch_or");
const ATOMIC_XOR: &str = fetch!("__atomic_fetch_xor");
const ATOMIC_MUL: &str = exchange!("($t)((uint64_t)seen * (uint64_t)value)");
const ATOMIC_MIN: &str = exchange!("seen < value ? seen : value");
const ATOMIC_MAX: &str = exchange!("seen > value ? seen : value");
const ATOMIC_ADD_FLOAT: &str = exchange!("seen + value");
const ATOMIC_SUB_FLOAT: &str = exchange!("seen - value");
const ATOMIC_MUL_FLOAT: &str = exchange!("seen * value");

pub(crate) fn saturate_text(to: Scalar) -> &'static str {
    if to.is_signed() { SATURATE_SIGNED } else { SATURATE_UNSIGNED }
}

const SATURATE_SIGNED: &str = "
static inline $t $name($from a) {
    if (a != a) {
        return 0;
    }
    return a >= $above ? $high : a <= $fzero ? $low : ($t)a;
}
";

const SATURATE_UNSIGNED: &str = "
static inline $t $name($from a) {
    return a >= $above ? $high : a > $fzero ? ($t)a : 0;
}
";

pub(crate) fn vector_text(op: VectorOp) -> &'static str {
    match op {
        VectorOp::Load => LOAD,
        VectorOp::LoadStrided => LOAD_STRIDED,
        VectorOp::LoadReversed => LOAD_REVERSED,
        VectorOp::LoadRepeated(_) => LOAD_REPEATED,
        VectorOp::Gather => GATHER,
        VectorOp::GatherNarrow => GATHER_NARROW,
        VectorOp::GatherAt => GATHER_AT,
        VectorOp::GatherNarrowAt => GATHER_NARROW_AT,
        VectorOp::Store => STORE,
        VectorOp::Stream => STREAM,
        VectorOp::StoreStrided => STORE_STRIDED,
        VectorOp::StoreInterleaved(Few::Two) | VectorOp::StreamInterleaved(Few::Two) => STORE_TWO,
        VectorOp::StoreInterleaved(Few::Three) | VectorOp::StreamInterleaved(Few::Three) => {
            STORE_THREE
        }
        VectorOp::StoreInterleaved(Few::Four) | VectorOp::StreamInterleaved(Few::Four) => {
            STORE_FOUR
        }
        VectorOp::Scatter => SCATTER,
        VectorOp::Broadcast => BROADCAST,
        VectorOp::Ramp => RAMP,
        VectorOp::Select => SELECT,
        VectorOp::Min => VECTOR_MIN,
        VectorOp::Max => VECTOR_MAX,
        VectorOp::Div => LANEWISE_DIV,
        VectorOp::Mod => LANEWISE_MOD,
        VectorOp::Shl => LANEWISE_SHL,
        VectorOp::Shr => LANEWISE_SHR,
        VectorOp::Abs => VECTOR_ABS,
    }
}

const LOAD: &str = "
static inline $v $name(const $t *memory) {
    return *(const $v_memory *)memory;
}
";

const LOAD_STRIDED: &str = "
static inline $v $name(const $t *memory, int64_t stride) {
    if (stride == 1) {
        return *(const $v_memory *)memory;
    }
    return ($v){$strided};
}
";

// `shuffles` writes the lines of these.
const LOAD_REVERSED: &str = "
static inline $v $name(const $t *memory) {
    $v found = *(const $v_memory *)(memory - ($lanes - 1));
$shuffled}
";

const LOAD_REPEATED: &str = "
static inline $v $name(const $t *memory, int64_t offset, int64_t base) {
$shuffled}
";

const STORE_TWO: &str = "
static inline void $name($t *memory, $v a, $v b) {
$shuffled}
";

const STORE_THREE: &str = "
static inline void $name($t *memory, $v a, $v b, $v c) {
$shuffled}
";

const STORE_FOUR: &str = "
static inline void $name($t *memory, $v a, $v b, $v c, $v d) {
$shuffled}
";

const GATHER: &str = "
static inline $v $name(const $t *memory, i64x$lanes index) {
    return ($v){$gathered};
}
";

const GATHER_NARROW: &str = "
static inline $v $name(const $t *memory, i32x$lanes index) {
    return ($v){$gathered};
}
";

const GATHER_AT: &str = "
static inline $v $name(const $t *memory, int64_t first, i64x$lanes index) {
    return ($v){$placed};
}
";

const GATHER_NARROW_AT: &str = "
static inline $v $name(const $t *memory, int64_t first, i32x$lanes index) {
    return ($v){$placed};
}
";

const STORE: &str = "
static inline void $name($t *memory, $v value) {
    *($v_memory *)memory = value;
}
";

const STREAM: &str = "
static inline void $name($t *memory, $v value) {
#ifdef __clang__
    if (((uintptr_t)memory & (sizeof value - 1)) == 0) {
        __builtin_nontemporal_store(value, ($v *)memory);
        return;
    }
#endif
    *($v_memory *)memory = value;
}
";

const STORE_STRIDED: &str = "
static inline void $name($t *memory, int64_t stride, $v value) {
    if (stride == 1) {
        *($v_memory *)memory = value;
        return;
    }
    for (int lane = 0; lane < $lanes; lane++) {
        memory[lane * stride] = value[lane];
    }
}
";

const SCATTER: &str = "
static inline void $name($t *memory, i64x$lanes index, $v value) {
    for (int lane = 0; lane < $lanes; lane++) {
        memory[index[lane]] = value[lane];
    }
}
";

const BROADCAST: &str = "
static inline $v $name($t value) {
    return ($v){$values};
}
";

// Of a list of sums, clang makes slow permutations.
const RAMP: &str = "
static inline $v $name($t base, $t stride) {
    $uv numbers = {$numbers};
    return ($v)(($u)base + numbers * ($u)stride);
}
";

const SELECT: &str = "
static inline $v $name($m condition, $v a, $v b) {
    return ($v)((condition & ($m)a) | (~condition & ($m)b));
}
";

const VECTOR_MIN: &str = "
static inline $v $name($v a, $v b) {
    $m less = a < b;
    return ($v)((less & ($m)a) | (~less & ($m)b));
}
";

const VECTOR_MAX: &str = "
static inline $v $name($v a, $v b) {
    $m greater = a > b;
    return ($v)((greater & ($m)a) | (~greater & ($m)b));
}
";

const VECTOR_ABS: &str = "
static inline $v $name($v a) {
    $m negative = a < 0;
    return ($v)((negative & ($m)(0 - ($uv)a)) | (~negative & ($m)a));
}
";

const LANEWISE_DIV: &str = "
static inline $v $name($v a, $v b) {
    $v result = a;
    for (int lane = 0; lane < $lanes; lane++) {
        result[lane] = div_$short(a[lane], b[lane]);
    }
    return result;
}
";

const LANEWISE_MOD: &str = "
static inline $v $name($v a, $v b) {
    $v result = a;
    for (int lane = 0; lane < $lanes; lane++) {
        result[lane] = mod_$short(a[lane], b[lane]);
    }
    return result;
}
";

const LANEWISE_SHL: &str = "
static inline $v $name($v a, $v b) {
    $v result = a;
    for (int lane = 0; lane < $lanes; lane++) {
        result[lane] = shl_$short(a[lane], b[lane]);
    }
    return result;
}
";

const LANEWISE_SHR: &str = "
static inline $v $name($v a, $v b) {
    $v result = a;
    for (int lane = 0; lane < $lanes; lane++) {
        result[lane] = shr_$short(a[lane], b[lane]);
    }
    return result;
}
";

/// The operations of `halidom_expf` in their order, on as many lanes at once as the widest vector
/// holds as `double`. NaN and values beyond the ends of the range are inserted at the end.
pub(crate) const EXP_FOR_LANES: &str = "
static inline $v $name($v a) {
    typedef float some __attribute__((vector_size($partbytes)));
    typedef double wide __attribute__((vector_size($partbytes * 2)));
    typedef uint64_t bits __attribute__((vector_size($partbytes * 2)));
    $v result;
    for (int first = 0; first < $lanes; first += $part) {
        some part;
        __builtin_memcpy(&part, (const char *)&a + first * 4, sizeof part);
        wide x = __builtin_convertvector(part, wide);
        wide sum = x * 0x1.71547652b82fep+0 + 0x1.8p+52;
        wide rest = x - (sum - 0x1.8p+52) * 0x1.62e42fefa39efp-1;
        wide power = (wide)(((bits)sum << 52) + 0x3ff0000000000000u);
        wide terms = rest * (1.0 / 40320.0) + 1.0 / 5040.0;
        terms = terms * rest + 1.0 / 720.0;
        terms = terms * rest + 1.0 / 120.0;
        terms = terms * rest + 1.0 / 24.0;
        terms = terms * rest + 1.0 / 6.0;
        terms = terms * rest + 1.0 / 2.0;
        terms = terms * rest + 1.0;
        terms = terms * rest + 1.0;
        part = __builtin_convertvector(terms * power, some);
        __builtin_memcpy((char *)&result + first * 4, &part, sizeof part);
    }
    $m above = a > 89.0f, below = a < -104.0f, none = a != a;
    return ($v)((($m)result & ~(above | below | none)) | (above & 0x7f800000) | (none & ($m)a));
}
";

pub(crate) const LANEWISE_CALL: &str = "
static inline $v $name($v a) {
    $v result = a;
    for (int lane = 0; lane < $lanes; lane++) {
        result[lane] = $f(a[lane]);
    }
    return result;
}
";

pub(crate) fn vector_saturate_text(to: Scalar, from: Scalar, lanes: u32) -> String {
    if !to.is_signed() {
        return VECTOR_SATURATE_UNSIGNED.to_owned();
    }
    let instruction = match (to, from, lanes) {
        (Scalar::I32, Scalar::F32, 4) => ("__SSE2__", "__builtin_ia32_cvttps2dq(a)"),
        (Scalar::I32, Scalar::F32, 8) => ("__AVX__", "__builtin_ia32_cvttps2dq256(a)"),
        (Scalar::I32, Scalar::F32, 16) => {
            ("__AVX512F__", "__builtin_ia32_cvttps2dq512_mask(a, ($v){0}, (uint16_t)-1, 4)")
        }
        _ => return VECTOR_SATURATE_SIGNED.to_owned(),
    };
    let (macro_name, call) = instruction;
    let by_instruction = BY_INSTRUCTION.replace("$macro", macro_name).replace("$call", call);
    let by_limits = VECTOR_SATURATE_SIGNED.replacen(" {\n", &by_instruction, 1);
    by_limits.replace("\n}\n", "\n#endif\n}\n")
}

// The instruction of x86 gives the least integer for NaN and for floats out of range.
const BY_INSTRUCTION: &str = " {
#ifdef $macro
    $v whole = $call;
    return (whole ^ (a >= $above)) & (a == a);
#else
";

// C does not define the conversion of NaN and of floats out of range, so the lanes are limited
// before. `$top` is the greatest integer of the type that is a float. If there is a greater one,
// `$missing` adds its last bits. Comparisons with NaN are false.
const VECTOR_SATURATE_SIGNED: &str = "
static inline $v $name($fromv a) {
    $fromv number = ($fromv)((a == a) & ($fm)a);
    $fm above = number > $fzero;
    $fromv raised = ($fromv)((above & ($fm)number) | (~above & ($fm)($fromv){$lows}));
    $fm below = raised < $top;
    $fromv limited = ($fromv)((below & ($fm)raised) | (~below & ($fm)($fromv){$tops}));
    return $convert$missing;
}
";

const VECTOR_SATURATE_UNSIGNED: &str = "
static inline $v $name($fromv a) {
    $fm above = a > $fzero;
    $fromv raised = ($fromv)(above & ($fm)a);
    $fm below = raised < $top;
    $fromv limited = ($fromv)((below & ($fm)raised) | (~below & ($fm)($fromv){$tops}));
    return $convert$missing;
}
";

pub(crate) const CONVERT: &str = "
static inline $v $name($fromv a) {
    return __builtin_convertvector(a, $v);
}
";

pub(crate) fn divide_text(divisor: i64) -> &'static str {
    if divisor > 0 && (divisor & (divisor - 1)) == 0 {
        DIV_BY_POWER
    } else if divisor > 0 {
        DIV_BY_POSITIVE
    } else {
        DIV_BY_NEGATIVE
    }
}

pub(crate) fn remainder_text(divisor: i64) -> &'static str {
    if divisor > 0 && (divisor & (divisor - 1)) == 0 {
        MOD_BY_POWER
    } else if divisor > 0 {
        MOD_BY_POSITIVE
    } else {
        MOD_BY_NEGATIVE
    }
}

const DIV_BY_POWER: &str = "
static inline $v $name($v a) {
    return a >> $shift;
}
";

// The comparison's mask is -1 where the remainder is negative.
const DIV_BY_POSITIVE: &str = "
static inline $v $name($v a) {
    $v quotient = a / $divisor;
    $v remainder = a - quotient * $divisor;
    return quotient + (remainder < 0);
}
";

const DIV_BY_NEGATIVE: &str = "
static inline $v $name($v a) {
    $v quotient = a / $divisor;
    $v remainder = a - quotient * $divisor;
    return quotient - (remainder < 0);
}
";

const MOD_BY_POWER: &str = "
static inline $v $name($v a) {
    return a & $rest;
}
";

const MOD_BY_POSITIVE: &str = "
static inline $v $name($v a) {
    $v remainder = a % $divisor;
    return remainder + ((remainder < 0) & $divisor);
}
";

const MOD_BY_NEGATIVE: &str = "
static inline $v $name($v a) {
    $v remainder = a % $divisor;
    return remainder - ((remainder < 0) & $divisor);
}
";
