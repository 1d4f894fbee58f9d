//! `exp`, `log`, `sin`, `cos`, `tan` and `atan`. The project has its own, so that they give the
//! same bits everywhere.
//!
//! # Correctness
//! This file is their definition. `runtime/halidom_math.c` is the same text in C, which generated
//! code calls. Both use nothing but IEEE operations and integers, in the same order, so that they
//! agree bit for bit; `halidom_codegen`'s tests compare them on millions of values. The `f32`
//! functions round the results of the `f64` functions. The exception is `exp` of `f32`, which takes
//! no more terms than its result has bits for.
//!
//! The results are within two units in the last place of `f64`, hence almost always rounded
//! correctly for `f32`. A NaN gives a NaN.

#![expect(
    clippy::suboptimal_flops,
    reason = "every operation is rounded by itself, as in C without contraction"
)]

/// ln 2 in two parts, the first with 32 bits.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
/// ln 2, followed by the bits of 1.
const LN2: f64 = f64::from_bits(0x3fe6_2e42_fefa_39ef);
const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
const INVERSE_LN2: f64 = f64::from_bits(0x3ff7_1547_652b_82fe);
/// π/2 in four parts, the first three with 24 bits.
const HALF_PI_1: f64 = f64::from_bits(0x3ff9_21fb_4000_0000);
const HALF_PI_2: f64 = f64::from_bits(0x3e74_442d_0000_0000);
const HALF_PI_3: f64 = f64::from_bits(0x3cf8_4698_8000_0000);
const HALF_PI_4: f64 = f64::from_bits(0x3b78_cc51_701b_839a);
/// π/2 in two parts.
const HALF_PI: f64 = f64::from_bits(0x3ff9_21fb_5444_2d18);
const HALF_PI_LOW: f64 = f64::from_bits(0x3c91_a626_3314_5c07);
const TWO_OVER_PI: f64 = f64::from_bits(0x3fe4_5f30_6dc9_c883);
const QUARTER_PI: f64 = f64::from_bits(0x3fe9_21fb_5444_2d18);
const SQUARE_ROOT_2: f64 = f64::from_bits(0x3ff6_a09e_667f_3bcd);
/// Adding and then subtracting this number rounds to an integer, ties to even.
const TO_INTEGER: f64 = f64::from_bits(0x4338_0000_0000_0000);

/// The bits of 2/π after the binary point.
const TWO_OVER_PI_BITS: [u32; 40] = [
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0x424d_d2e0,
    0x0649_2eea,
    0x09d1_921c,
    0xfe1d_eb1c,
    0xb129_a73e,
    0xe882_35f5,
    0x2ebb_4484,
    0xe99c_7026,
    0xb45f_7e41,
    0x3991_d639,
    0x8353_39f4,
    0x9c84_5f8b,
    0xbdf9_283b,
    0x1ff8_97ff,
    0xde05_980f,
    0xef2f_118b,
    0x5a0a_6d1f,
    0x6d36_7ecf,
    0x27cb_09b7,
    0x4f46_3f66,
    0x9e5f_ea2d,
    0x7527_bac7,
    0xebe5_f17b,
    0x3d07_39f7,
    0x8a52_92ea,
    0x6bfb_5fb1,
    0x1f8d_5d08,
    0x5603_3046,
    0xfc7b_6bab,
    0xf0cf_bc20,
    0x9af4_361d,
];

/// The arc tangents of 0, 1/8, …, 1.
const ARC_TANGENTS: [f64; 9] = [
    f64::from_bits(0x0000_0000_0000_0000),
    f64::from_bits(0x3fbf_d5ba_9aac_2f6e),
    f64::from_bits(0x3fcf_5b75_f92c_80dd),
    f64::from_bits(0x3fd6_f619_41e4_def1),
    f64::from_bits(0x3fdd_ac67_0561_bb4f),
    f64::from_bits(0x3fe1_e00b_abde_feb4),
    f64::from_bits(0x3fe4_978f_a326_9ee1),
    f64::from_bits(0x3fe7_00a7_c578_4634),
    f64::from_bits(0x3fe9_21fb_5444_2d18),
];

/// `1/(2n+1)` for n = 12 down to 1: `log((1+s)/(1-s)) = 2(s + s³/3 + s⁵/5 + …)`.
const LOG: [f64; 12] = [
    1.0 / 25.0,
    1.0 / 23.0,
    1.0 / 21.0,
    1.0 / 19.0,
    1.0 / 17.0,
    1.0 / 15.0,
    1.0 / 13.0,
    1.0 / 11.0,
    1.0 / 9.0,
    1.0 / 7.0,
    1.0 / 5.0,
    1.0 / 3.0,
];

/// `1/n!` for n = 13 down to 0.
const EXP: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
    1.0,
    1.0,
];

/// `±1/n!` for n = 19, 17, … 3.
const SIN: [f64; 9] = [
    -1.0 / 121_645_100_408_832_000.0,
    1.0 / 355_687_428_096_000.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5_040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
];

/// `±1/n!` for n = 18, 16, … 4.
const COS: [f64; 8] = [
    -1.0 / 6_402_373_705_728_000.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
];

/// `±1/(2n+1)` for n = 7 down to 1.
const ATAN: [f64; 7] =
    [-1.0 / 15.0, 1.0 / 13.0, -1.0 / 11.0, 1.0 / 9.0, -1.0 / 7.0, 1.0 / 5.0, -1.0 / 3.0];

/// Evaluates a polynomial, highest coefficient first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    let mut sum = 0.0;
    for coefficient in coefficients {
        sum = sum * x + coefficient;
    }
    sum
}

/// Rounds a number below 2^51 to the nearest integer, ties to even.
fn nearest(x: f64) -> f64 {
    (x + TO_INTEGER) - TO_INTEGER
}

/// Returns `2^n` for -1022 <= n <= 1023.
fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// The exponential function.
pub(crate) fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 709.79 {
        return f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    let k = nearest(x * INVERSE_LN2);
    let rest = (x - k * LN2_HIGH) - k * LN2_LOW;
    let power = polynomial(&EXP, rest);
    // The scaling takes two steps because 2^k itself may be outside the range of normal numbers.
    let k = k as i64;
    let half = k / 2;
    power * power_of_two(half) * power_of_two(k - half)
}

/// The exponential function of `f32`, within 0.51 units in the last place: nine terms in `f64`,
/// rounded once.
pub(crate) fn exp_f32(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    if x > 89.0 {
        return f32::INFINITY;
    }
    if x < -104.0 {
        return 0.0;
    }
    let x = f64::from(x);
    // The sum's last bits are the nearest integer. Shifted, they are the exponent of a power of
    // two.
    let sum = x * INVERSE_LN2 + TO_INTEGER;
    let rest = x - (sum - TO_INTEGER) * LN2;
    let power = f64::from_bits((sum.to_bits() << 52).wrapping_add(ONE_BITS));
    (polynomial(&EXP[5..], rest) * power) as f32
}

/// The natural logarithm. A negative number gives a NaN.
pub(crate) fn log(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x == f64::INFINITY {
        return x;
    }
    let mut exponent = -1023;
    let mut bits = x.to_bits();
    if bits >> 52 == 0 {
        // Subnormal numbers are scaled by 2^54.
        bits = (x * 18_014_398_509_481_984.0).to_bits();
        exponent -= 54;
    }
    exponent += (bits >> 52) as i64;
    let mut mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if mantissa > SQUARE_ROOT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    let double = 2.0 * s;
    let e = exponent as f64;
    e * LN2_HIGH + (double + (double * (square * polynomial(&LOG, square)) + e * LN2_LOW))
}

/// Reduces a finite angle by a multiple of π/2. Returns the rest, of magnitude at most about π/4,
/// and the multiple modulo 4.
fn reduce(x: f64) -> (f64, u32) {
    let magnitude = x.abs();
    if magnitude <= QUARTER_PI {
        return (x, 0);
    }
    if magnitude < 268_435_456.0 {
        let k = nearest(x * TWO_OVER_PI);
        // The products are exact, because the first three parts of π/2 have 24 bits.
        let rest = ((x - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3;
        return (rest - k * HALF_PI_4, (k as i64 & 3) as u32);
    }
    let (rest, quadrant) = reduce_large(magnitude);
    if x < 0.0 { (-rest, (4 - quadrant) & 3) } else { (rest, quadrant) }
}

/// Does the same for angles of at least 2^28. It uses only the bits of 2/π that matter: the bits
/// before them contribute multiples of 4.
fn reduce_large(x: f64) -> (f64, u32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i32 - 1075;
    let mantissa = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    let first = if exponent > 2 { exponent - 2 } else { 0 };
    let drop = (2 - (exponent - first)) as u32;
    // The window: 192 bits from the first one, least significant word first.
    let (word, offset) = ((first / 32) as usize, (first % 32) as u32);
    let mut window = [0_u32; 6];
    for place in 0..6 {
        let pair = (u64::from(TWO_OVER_PI_BITS[word + place]) << 32)
            | u64::from(TWO_OVER_PI_BITS[word + place + 1]);
        window[5 - place] = ((pair << offset) >> 32) as u32;
    }
    let mut product = [0_u32; 8];
    for half in 0..2 {
        let factor = if half == 0 { mantissa & 0xffff_ffff } else { mantissa >> 32 };
        let mut carry = 0_u64;
        for place in 0..6 {
            let sum = u64::from(product[place + half]) + factor * u64::from(window[place]) + carry;
            product[place + half] = sum as u32;
            carry = sum >> 32;
        }
        product[6 + half] = carry as u32;
    }
    let mut fixed = [0_u32; 6];
    for place in 0..6 {
        let pair = (u64::from(product[place + 1]) << 32) | u64::from(product[place]);
        fixed[place] = (pair >> drop) as u32;
    }
    let mut quadrant = fixed[5] >> 30;
    let top = (u64::from(fixed[5]) << 32) | u64::from(fixed[4]);
    let next = (u64::from(fixed[3]) << 32) | u64::from(fixed[2]);
    let mut high = (top << 2) | (next >> 62);
    let mut low = (next << 2) | (u64::from(fixed[1]) >> 30);
    let mut sign = 1.0;
    if high >> 63 != 0 {
        // The fraction is at least a half, so the next multiple is nearer.
        quadrant = (quadrant + 1) & 3;
        low = low.wrapping_neg();
        high = (!high).wrapping_add(u64::from(low == 0));
        sign = -1.0;
    }
    let fraction = high as f64 * power_of_two(-64) + low as f64 * power_of_two(-128);
    (sign * (fraction * HALF_PI), quadrant)
}

/// The sine of a reduced angle.
fn sin_reduced(x: f64) -> f64 {
    let square = x * x;
    x + x * (square * polynomial(&SIN, square))
}

/// The cosine of a reduced angle.
fn cos_reduced(x: f64) -> f64 {
    let square = x * x;
    1.0 - square * (0.5 - square * polynomial(&COS, square))
}

/// The sine of an angle in radians.
pub(crate) fn sin(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (rest, quadrant) = reduce(x);
    let value = if quadrant & 1 == 0 { sin_reduced(rest) } else { cos_reduced(rest) };
    if quadrant & 2 == 0 { value } else { -value }
}

/// The cosine of an angle in radians.
pub(crate) fn cos(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (rest, quadrant) = reduce(x);
    let value = if quadrant & 1 == 0 { cos_reduced(rest) } else { sin_reduced(rest) };
    if (quadrant + 1) & 2 == 0 { value } else { -value }
}

/// The tangent of an angle in radians.
pub(crate) fn tan(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (rest, quadrant) = reduce(x);
    let (sine, cosine) = (sin_reduced(rest), cos_reduced(rest));
    if quadrant & 1 == 0 { sine / cosine } else { -cosine / sine }
}

/// The arc tangent, from -π/2 to π/2.
pub(crate) fn atan(x: f64) -> f64 {
    if x.is_nan() || x == 0.0 {
        return x;
    }
    let magnitude = x.abs();
    let inverts = magnitude > 1.0;
    let t = if inverts { 1.0 / magnitude } else { magnitude };
    // Uses atan(t) = atan(c) + atan((t - c) / (1 + tc)) for the nearest c, a multiple of 1/8.
    let eighths = nearest(t * 8.0);
    let c = eighths * 0.125;
    let rest = (t - c) / (1.0 + t * c);
    let square = rest * rest;
    let mut angle =
        ARC_TANGENTS[eighths as usize] + (rest + rest * (square * polynomial(&ATAN, square)));
    if inverts {
        angle = (HALF_PI - angle) + HALF_PI_LOW;
    }
    if x < 0.0 { -angle } else { angle }
}

#[cfg(test)]
mod tests {
    use super::{atan, cos, exp, exp_f32, log, sin, tan};

    /// Returns the error of a value in units in the last place of the right value.
    fn units(value: f64, right: f64) -> f64 {
        if value.to_bits() == right.to_bits() || (value.is_nan() && right.is_nan()) {
            return 0.0;
        }
        let unit = f64::from_bits(right.abs().to_bits() + 1) - right.abs();
        (value - right).abs() / unit
    }

    #[test]
    fn the_functions_are_within_a_few_units_of_the_platforms() {
        type Case = (fn(f64) -> f64, fn(f64) -> f64, f64, f64);
        let cases: [(&str, Case); 8] = [
            ("exp", (exp, f64::exp, -700.0, 709.0)),
            ("exp", (exp, f64::exp, -1.0, 1.0)),
            ("log", (log, f64::ln, 0.0, 10.0)),
            ("log", (log, f64::ln, 0.0, 1e300)),
            ("sin", (sin, f64::sin, -100.0, 100.0)),
            ("cos", (cos, f64::cos, -1e22, 1e22)),
            ("tan", (tan, f64::tan, -1e9, 1e9)),
            ("atan", (atan, f64::atan, -20.0, 20.0)),
        ];
        let mut state = 1_u64;
        for (name, (own, platform, low, high)) in cases {
            for _ in 0..100_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let x = low + (high - low) * ((state >> 11) as f64 / 9_007_199_254_740_992.0);
                let (found, right) = (own(x), platform(x));
                assert!(units(found, right) <= 4.0, "{name}({x:e}) = {found:e}, not {right:e}");
            }
        }
    }

    #[test]
    fn the_exponential_of_short_floats_is_nearly_always_rounded_correctly() {
        let mut wrong = 0;
        for number in 0..200_000_u32 {
            let x = (number as f32 - 110_000.0) / 1_000.0 + 0.000_123;
            let (found, right) = (exp_f32(x), exp(f64::from(x)) as f32);
            if found.to_bits() != right.to_bits() {
                assert_eq!(found.to_bits().abs_diff(right.to_bits()), 1, "exp({x:e})");
                wrong += 1;
            }
        }
        assert!(wrong < 2_000, "{wrong}");
        for (x, right) in [
            (0.0, 1.0),
            (f32::INFINITY, f32::INFINITY),
            (f32::NEG_INFINITY, 0.0),
            (88.722_83, 3.402_798_5e38),
            (88.73, f32::INFINITY),
            (-103.9, 1e-45),
            (-103.98, 0.0),
        ] {
            assert_eq!(exp_f32(x).to_bits(), f32::to_bits(right), "exp({x})");
        }
        assert!(exp_f32(f32::NAN).is_nan());
    }

    #[test]
    fn special_values_are_those_of_mathematics() {
        let infinity = f64::INFINITY;
        for (name, found, right) in [
            ("exp(0)", exp(0.0), 1.0),
            ("exp(inf)", exp(infinity), infinity),
            ("exp(-inf)", exp(-infinity), 0.0),
            ("exp(-745)", exp(-745.0), 5e-324),
            ("exp(710)", exp(710.0), infinity),
            ("log(1)", log(1.0), 0.0),
            ("log(0)", log(0.0), -infinity),
            ("log(-1)", log(-1.0), f64::NAN),
            ("log(5e-324)", log(5e-324), -744.440_071_921_381_2),
            ("sin(-0)", sin(-0.0), -0.0),
            ("sin(inf)", sin(infinity), f64::NAN),
            ("cos(0)", cos(0.0), 1.0),
            ("sin(1e300)", sin(1e300), -0.817_881_912_115_908_5),
            ("cos(2^28)", cos(268_435_456.0), f64::cos(268_435_456.0)),
            ("tan(f64::MAX)", tan(f64::MAX), f64::tan(f64::MAX)),
            ("atan(inf)", atan(infinity), std::f64::consts::FRAC_PI_2),
            ("atan(-1)", atan(-1.0), -std::f64::consts::FRAC_PI_4),
        ] {
            assert!(units(found, right) <= 2.0, "{name} = {found:e}, not {right:e}");
        }
    }
}
