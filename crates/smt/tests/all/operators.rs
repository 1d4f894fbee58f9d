//! Compares every operator on literals with Rust's result: the solver is asked for a value that
//! differs.

#![expect(clippy::panic, reason = "a test may panic")]
#![expect(clippy::float_cmp, reason = "comparing floats exactly is the point")]

use crate::common::solver;
use halidom_smt::{
    Answer, BitVecBinary, BitVecComparison, FloatBinary, FloatComparison, FloatTest, RoundingMode,
    Sort, TermId, Terms,
};

/// Checks that each pair of terms is identical under every model, all in one query, and that the
/// query can fail.
#[track_caller]
fn check_identities(terms: &mut Terms, pairs: &[(String, TermId, TermId)]) {
    let mut solver = solver();
    let equalities: Vec<TermId> =
        pairs.iter().map(|(_, found, expected)| terms.equal(*found, *expected)).collect();
    let all = terms.and(&equalities);
    if solver.check_implied(terms, all, "identities") == Answer::Unsat {
        return;
    }
    for ((name, ..), equality) in pairs.iter().zip(equalities) {
        let answer = solver.check_implied(terms, equality, name);
        assert_eq!(answer, Answer::Unsat, "{name}");
    }
    panic!("the conjunction fails but no part of it does");
}

const BYTES: [u8; 9] = [0, 1, 2, 7, 8, 100, 0x7f, 0x80, 0xff];

/// Computes the operator on bytes. Where Rust refuses to compute, the result is SMT-LIB's value.
fn byte_result(op: BitVecBinary, lhs: u8, rhs: u8) -> u8 {
    let (signed_lhs, signed_rhs) = (lhs.cast_signed(), rhs.cast_signed());
    let shift = u32::from(rhs);
    match op {
        BitVecBinary::Add => lhs.wrapping_add(rhs),
        BitVecBinary::Sub => lhs.wrapping_sub(rhs),
        BitVecBinary::Mul => lhs.wrapping_mul(rhs),
        BitVecBinary::UnsignedDiv => lhs.checked_div(rhs).unwrap_or(0xff),
        BitVecBinary::UnsignedRem => lhs.checked_rem(rhs).unwrap_or(lhs),
        BitVecBinary::SignedDiv if rhs == 0 => {
            if signed_lhs < 0 {
                1
            } else {
                0xff
            }
        }
        BitVecBinary::SignedDiv => signed_lhs.wrapping_div(signed_rhs).cast_unsigned(),
        BitVecBinary::SignedRem if rhs == 0 => lhs,
        BitVecBinary::SignedRem => signed_lhs.wrapping_rem(signed_rhs).cast_unsigned(),
        BitVecBinary::SignedMod if rhs == 0 => lhs,
        BitVecBinary::SignedMod => {
            let (lhs, rhs) = (i16::from(signed_lhs), i16::from(signed_rhs));
            let floor = lhs.rem_euclid(rhs.abs());
            let result = if rhs < 0 && floor != 0 { floor + rhs } else { floor };
            result.cast_unsigned().to_le_bytes()[0]
        }
        BitVecBinary::And => lhs & rhs,
        BitVecBinary::Or => lhs | rhs,
        BitVecBinary::Xor => lhs ^ rhs,
        BitVecBinary::ShiftLeft => lhs.checked_shl(shift).unwrap_or(0),
        BitVecBinary::ShiftRightLogical => lhs.checked_shr(shift).unwrap_or(0),
        BitVecBinary::ShiftRightArithmetic => (signed_lhs >> shift.min(7)).cast_unsigned(),
    }
}

#[test]
fn operators_on_bytes() {
    use BitVecBinary as B;
    let ops = [
        B::Add,
        B::Sub,
        B::Mul,
        B::UnsignedDiv,
        B::UnsignedRem,
        B::SignedDiv,
        B::SignedRem,
        B::SignedMod,
        B::And,
        B::Or,
        B::Xor,
        B::ShiftLeft,
        B::ShiftRightLogical,
        B::ShiftRightArithmetic,
    ];
    let mut t = Terms::new();
    let mut pairs = Vec::new();
    let byte = |t: &mut Terms, value: u8| t.bit_vec(8, value.into());
    for lhs in BYTES {
        for rhs in BYTES {
            let operands = [lhs, rhs].map(|value| byte(&mut t, value));
            for op in ops {
                let found = t.bit_vec_binary(op, operands[0], operands[1]);
                let expected = byte(&mut t, byte_result(op, lhs, rhs));
                pairs.push((format!("{lhs} {op:?} {rhs}"), found, expected));
            }
            let comparisons = [
                (BitVecComparison::UnsignedLt, lhs < rhs),
                (BitVecComparison::UnsignedLe, lhs <= rhs),
                (BitVecComparison::SignedLt, lhs.cast_signed() < rhs.cast_signed()),
                (BitVecComparison::SignedLe, lhs.cast_signed() <= rhs.cast_signed()),
            ];
            for (op, expected) in comparisons {
                let found = t.bit_vec_compare(op, operands[0], operands[1]);
                let expected = t.bool(expected);
                pairs.push((format!("{lhs} {op:?} {rhs}"), found, expected));
            }
            let found = t.concat(operands[0], operands[1]);
            let expected = t.bit_vec(16, u16::from_be_bytes([lhs, rhs]).into());
            pairs.push((format!("{lhs} before {rhs}"), found, expected));
        }
        let operand = byte(&mut t, lhs);
        let found = [t.bit_vec_not(operand), t.bit_vec_negate(operand), t.extract(6, 2, operand)];
        let extended = [t.zero_extend(8, operand), t.sign_extend(8, operand)];
        let integer = t.bit_vec_to_int(operand);
        let expected =
            [byte(&mut t, !lhs), byte(&mut t, lhs.wrapping_neg()), t.bit_vec(5, (lhs >> 2).into())];
        let wide = [u16::from(lhs), i16::from(lhs.cast_signed()).cast_unsigned()]
            .map(|value| t.bit_vec(16, value.into()));
        let value = t.int(lhs.into());
        let unary = found
            .into_iter()
            .chain(extended)
            .chain([integer])
            .zip(expected.into_iter().chain(wide).chain([value]));
        pairs.extend(
            unary
                .enumerate()
                .map(|(index, (found, expected))| (format!("{index} of {lhs}"), found, expected)),
        );
        let negative = t.int(i128::from(lhs) - 256);
        pairs.push((format!("{lhs} modulo 256"), t.int_to_bit_vec(8, negative), operand));
    }
    check_identities(&mut t, &pairs);
}

const FLOATS: [f32; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    2.5,
    0.1,
    1e-40,
    f32::MAX,
    f32::MIN_POSITIVE,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

#[test]
fn operators_on_floats() {
    let mut t = Terms::new();
    let mut pairs = Vec::new();
    let mode = RoundingMode::NearestEven;
    for lhs in FLOATS {
        for rhs in FLOATS {
            let operands = [lhs, rhs].map(|value| t.float32(value));
            let arithmetic = [
                (FloatBinary::Add, lhs + rhs),
                (FloatBinary::Sub, lhs - rhs),
                (FloatBinary::Mul, lhs * rhs),
                (FloatBinary::Div, lhs / rhs),
            ];
            for (op, expected) in arithmetic {
                let found = t.float_binary(op, mode, operands[0], operands[1]);
                pairs.push((format!("{lhs} {op:?} {rhs}"), found, t.float32(expected)));
            }
            let comparisons = [
                (FloatComparison::Equal, lhs == rhs),
                (FloatComparison::Lt, lhs < rhs),
                (FloatComparison::Le, lhs <= rhs),
            ];
            for (op, expected) in comparisons {
                let found = t.float_compare(op, operands[0], operands[1]);
                pairs.push((format!("{lhs} {op:?} {rhs}"), found, t.bool(expected)));
            }
            // SMT-LIB leaves open the sign of the lesser of two zeros.
            if lhs != 0.0 || rhs != 0.0 {
                let found =
                    [t.float_min(operands[0], operands[1]), t.float_max(operands[0], operands[1])];
                let expected = [lhs.min(rhs), lhs.max(rhs)].map(|value| t.float32(value));
                pairs.push((format!("min {lhs} {rhs}"), found[0], expected[0]));
                pairs.push((format!("max {lhs} {rhs}"), found[1], expected[1]));
            }
            let third = t.float32(0.1);
            let found = t.float_fma(mode, operands[0], operands[1], third);
            pairs.push((format!("{lhs} * {rhs} + 0.1"), found, t.float32(lhs.mul_add(rhs, 0.1))));
        }
        let operand = t.float32(lhs);
        let rounded = [
            (RoundingMode::NearestEven, lhs.round_ties_even()),
            (RoundingMode::NearestAway, lhs.round()),
            (RoundingMode::TowardZero, lhs.trunc()),
            (RoundingMode::Up, lhs.ceil()),
            (RoundingMode::Down, lhs.floor()),
        ];
        for (mode, expected) in rounded {
            pairs.push((
                format!("{lhs} rounded {mode:?}"),
                t.float_round(mode, operand),
                t.float32(expected),
            ));
        }
        let unary = [
            (t.float_sqrt(mode, operand), lhs.sqrt()),
            (t.float_negate(operand), -lhs),
            (t.float_abs(operand), lhs.abs()),
        ];
        for (index, (found, expected)) in unary.into_iter().enumerate() {
            pairs.push((format!("{index} of {lhs}"), found, t.float32(expected)));
        }
        let wide = t.float_from_float(mode, Sort::FLOAT64, operand);
        pairs.push((format!("{lhs} as f64"), wide, t.float64(lhs.into())));
        let narrow = t.float_from_float(mode, Sort::FLOAT32, wide);
        pairs.push((format!("{lhs} as f64 as f32"), narrow, operand));
        let tests = [
            (FloatTest::Nan, lhs.is_nan()),
            (FloatTest::Infinite, lhs.is_infinite()),
            (FloatTest::Zero, lhs == 0.0),
            (FloatTest::Normal, lhs.is_normal()),
            (FloatTest::Subnormal, lhs.is_subnormal()),
            (FloatTest::Negative, lhs.is_sign_negative() && !lhs.is_nan()),
        ];
        for (op, expected) in tests {
            pairs.push((format!("{lhs} {op:?}"), t.float_test(op, operand), t.bool(expected)));
        }
        if lhs.abs() < 100.0 {
            let signed = t.float_to_signed(RoundingMode::TowardZero, 32, operand);
            #[expect(clippy::cast_possible_truncation, reason = "the value is small")]
            let expected = lhs as i32;
            pairs.push((
                format!("{lhs} as i32"),
                signed,
                t.bit_vec(32, expected.cast_unsigned().into()),
            ));
        }
    }
    for value in [0, 1, -1, 16_777_217, i32::MAX, i32::MIN] {
        let bits = t.bit_vec(32, value.cast_unsigned().into());
        #[expect(clippy::cast_precision_loss, reason = "the rounding is what is tested")]
        let (signed, unsigned) = (value as f32, value.cast_unsigned() as f32);
        pairs.push((
            format!("{value} as f32"),
            t.float_from_signed(mode, Sort::FLOAT32, bits),
            t.float32(signed),
        ));
        let found = t.float_from_unsigned(mode, Sort::FLOAT32, bits);
        pairs.push((format!("{value} unsigned as f32"), found, t.float32(unsigned)));
    }
    check_identities(&mut t, &pairs);
}

#[test]
fn operators_on_numbers() {
    let mut t = Terms::new();
    let mut pairs = Vec::new();
    for lhs in [-9_i128, -1, 0, 5, 1 << 70] {
        for rhs in [-4_i128, -1, 3, 1 << 65] {
            let [a, b] = [lhs, rhs].map(|value| t.int(value));
            let found = [
                t.add(a, b),
                t.sub(a, b),
                t.int_div(a, b),
                t.int_mod(a, b),
                t.min(a, b),
                t.max(a, b),
            ];
            let expected = [
                lhs + rhs,
                lhs - rhs,
                lhs.div_euclid(rhs),
                lhs.rem_euclid(rhs),
                lhs.min(rhs),
                lhs.max(rhs),
            ];
            for (index, (found, expected)) in found.into_iter().zip(expected).enumerate() {
                pairs.push((format!("{index} of {lhs} and {rhs}"), found, t.int(expected)));
            }
            let reals = [a, b].map(|term| t.int_to_real(term));
            let quotient = t.real_div(reals[0], reals[1]);
            pairs.push((format!("{lhs} / {rhs} down"), t.real_to_int_floor(quotient), {
                let floor = if rhs > 0 { lhs.div_euclid(rhs) } else { (-lhs).div_euclid(-rhs) };
                t.int(floor)
            }));
        }
    }
    check_identities(&mut t, &pairs);
}

#[test]
fn a_wrong_identity_is_noticed() {
    let mut t = Terms::new();
    let [one, two] = [1, 2].map(|value| t.bit_vec(8, value));
    let sum = t.bit_vec_binary(BitVecBinary::Add, one, one);
    let difference = t.bit_vec_binary(BitVecBinary::Sub, one, one);
    let pairs = [("right".to_owned(), sum, two), ("wrong".to_owned(), difference, two)];
    let outcome =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check_identities(&mut t, &pairs)));
    assert!(outcome.is_err());
}
