//! Answers of a real solver to queries of every theory.

#![expect(clippy::panic, reason = "a test may panic")]

use crate::common::{options, solver};
use halidom_smt::{
    Answer, BitVecBinary, BitVecComparison, FloatBinary, FloatComparison, FloatTest, Reason,
    RoundingMode, Solver, Sort, TermId, Terms, Value,
};
use std::time::{Duration, Instant};

/// Checks whether each of some closed or universally quantified claims holds: a claim holds if its
/// negation has no model.
#[track_caller]
fn check_claims(solver: &mut Solver, terms: &mut Terms, claims: &[(&str, TermId, bool)]) {
    for (name, claim, expected) in claims {
        let answer = solver.check_implied(terms, *claim, name);
        match (&answer, expected) {
            (Answer::Unsat, true) | (Answer::Sat(_), false) => {}
            (Answer::Sat(_) | Answer::Unsat | Answer::Unknown(_), _) => {
                panic!("{name}: {answer:?}")
            }
        }
    }
}

#[test]
fn integer_division_is_euclidean_for_every_sign() {
    let (mut solver, mut terms) = (solver(), Terms::new());
    for (dividend, divisor) in
        [(7, 3), (-7, 3), (7, -3), (-7, -3), (-6, 3), (0, -5), (i128::from(i64::MIN), 2)]
    {
        let [lhs, rhs] = [dividend, divisor].map(|value| terms.int(value));
        let (quotient, remainder) = (terms.int_div(lhs, rhs), terms.int_mod(lhs, rhs));
        let expected = [dividend.div_euclid(divisor), dividend.rem_euclid(divisor)]
            .map(|value| terms.int(value));
        let equal = [terms.equal(quotient, expected[0]), terms.equal(remainder, expected[1])];
        let claim = terms.and(&equal);
        check_claims(
            &mut solver,
            &mut terms,
            &[(&format!("{dividend} by {divisor}"), claim, true)],
        );
    }
}

#[test]
fn linear_facts_over_unbounded_integers() {
    let (mut solver, mut t) = (solver(), Terms::new());
    let [x, y] = ["x", "y"].map(|hint| t.fresh(hint, Sort::Int));
    let [zero, one, eight] = [0, 1, 8].map(|value| t.int(value));
    let sum = t.add(x, one);
    let grows = t.lt(x, sum);
    let rest = t.int_mod(x, eight);
    let (low, high) = (t.le(zero, rest), t.lt(rest, eight));
    let in_range = t.and(&[low, high]);
    let quotient = t.int_div(x, eight);
    let multiple = t.mul(eight, quotient);
    let rebuilt = t.add(multiple, rest);
    let splits = t.equal(x, rebuilt);
    let (least, greatest) = (t.min(x, y), t.max(x, y));
    let ordered = t.le(least, greatest);
    let difference = t.sub(x, y);
    let ordered_strictly = t.lt(least, greatest);
    let symmetric = t.equal(difference, zero);
    check_claims(
        &mut solver,
        &mut t,
        &[
            ("x < x + 1", grows, true),
            ("0 <= x mod 8 < 8", in_range, true),
            ("x = 8 (x div 8) + x mod 8", splits, true),
            ("min <= max", ordered, true),
            ("min < max", ordered_strictly, false),
            ("x - y = 0", symmetric, false),
        ],
    );
}

#[test]
fn bit_vectors_wrap() {
    let (mut solver, mut t) = (solver(), Terms::new());
    let x = t.fresh("x", Sort::BitVec(8));
    let y = t.fresh("y", Sort::BitVec(8));
    let one = t.bit_vec(8, 1);
    let next = t.bit_vec_binary(BitVecBinary::Add, x, one);
    let grows = t.bit_vec_compare(BitVecComparison::UnsignedLt, x, next);
    let wide = [x, y].map(|term| t.zero_extend(8, term));
    let sum = t.bit_vec_binary(BitVecBinary::Add, wide[0], wide[1]);
    let limit = t.bit_vec(16, 510);
    let bounded = t.bit_vec_compare(BitVecComparison::UnsignedLe, sum, limit);
    let low = t.extract(7, 0, sum);
    let narrow = t.bit_vec_binary(BitVecBinary::Add, x, y);
    let truncates = t.equal(low, narrow);
    let minus_one = t.bit_vec(8, (-1_i128).cast_unsigned());
    let shift = t.bit_vec(8, 3);
    let [arithmetic, logical] =
        [BitVecBinary::ShiftRightArithmetic, BitVecBinary::ShiftRightLogical]
            .map(|op| t.bit_vec_binary(op, minus_one, shift));
    let keeps = t.equal(arithmetic, minus_one);
    let keeps_not = t.equal(logical, minus_one);
    let integer = t.bit_vec_to_int(x);
    let again = t.int_to_bit_vec(8, integer);
    let round_trip = t.equal(again, x);
    check_claims(
        &mut solver,
        &mut t,
        &[
            ("x < x + 1", grows, false),
            ("two bytes add to at most 510", bounded, true),
            ("the low byte of the wide sum is the narrow sum", truncates, true),
            ("-1 >> 3 = -1, signed", keeps, true),
            ("-1 >> 3 = -1, unsigned", keeps_not, false),
            ("a byte survives the way through the integers", round_trip, true),
        ],
    );
}

#[test]
fn floats_follow_ieee() {
    let (mut solver, mut t) = (solver(), Terms::new());
    let sort = Sort::Float { exponent: 5, significand: 11 };
    let [x, y, z] = ["x", "y", "z"].map(|hint| t.fresh(hint, sort));
    let mode = RoundingMode::NearestEven;
    let add = |t: &mut Terms, lhs, rhs| t.float_binary(FloatBinary::Add, mode, lhs, rhs);
    let (xy, yx) = (add(&mut t, x, y), add(&mut t, y, x));
    let commutes = t.equal(xy, yx);
    let left = add(&mut t, xy, z);
    let yz = add(&mut t, y, z);
    let right = add(&mut t, x, yz);
    let associates = t.equal(left, right);
    let reflexive = t.float_compare(FloatComparison::Equal, x, x);
    let nan = t.float_test(FloatTest::Nan, x);
    let reflexive_or_nan = t.or(&[reflexive, nan]);
    let zeros = [0.0_f32, -0.0].map(|value| t.float32(value));
    let zeros_equal = t.float_compare(FloatComparison::Equal, zeros[0], zeros[1]);
    let zeros_identical = t.equal(zeros[0], zeros[1]);
    let tenths = [0.1_f64, 0.2, 0.3].map(|value| t.float64(value));
    let sum = add(&mut t, tenths[0], tenths[1]);
    let school = t.float_compare(FloatComparison::Equal, sum, tenths[2]);
    let rust = t.float64(0.1 + 0.2);
    let machine = t.float_compare(FloatComparison::Equal, sum, rust);
    let nine = t.float32(9.0);
    let root = t.float_sqrt(mode, nine);
    let three = t.float32(3.0);
    let root_is_three = t.equal(root, three);
    let bits = t.bit_vec(32, f32::to_bits(3.0).into());
    let from_bits = t.float_from_bits(Sort::FLOAT32, bits);
    let bits_mean_three = t.equal(from_bits, three);
    let byte = t.bit_vec(8, 0xff);
    let (unsigned, signed) = (
        t.float_from_unsigned(mode, Sort::FLOAT32, byte),
        t.float_from_signed(mode, Sort::FLOAT32, byte),
    );
    let [largest, minus_one] = [255.0, -1.0].map(|value| t.float32(value));
    let unsigned_value = t.equal(unsigned, largest);
    let signed_value = t.equal(signed, minus_one);
    let two_and_a_half = t.float32(-2.5);
    let truncated = t.float_to_signed(RoundingMode::TowardZero, 8, two_and_a_half);
    let minus_two = t.bit_vec(8, (-2_i128).cast_unsigned());
    let truncates = t.equal(truncated, minus_two);
    check_claims(
        &mut solver,
        &mut t,
        &[
            ("x + y = y + x", commutes, true),
            ("(x + y) + z = x + (y + z)", associates, false),
            ("x == x", reflexive, false),
            ("x == x or x is NaN", reflexive_or_nan, true),
            ("0 == -0", zeros_equal, true),
            ("0 is -0", zeros_identical, false),
            ("0.1 + 0.2 == 0.3", school, false),
            ("0.1 + 0.2 is what the machine computes", machine, true),
            ("sqrt 9 = 3", root_is_three, true),
            ("the bits of 3 are 3", bits_mean_three, true),
            ("0xff is 255 unsigned", unsigned_value, true),
            ("0xff is -1 signed", signed_value, true),
            ("-2.5 truncates to -2", truncates, true),
        ],
    );
}

#[test]
fn reals_are_exact() {
    let (mut solver, mut t) = (solver(), Terms::new());
    let [third, one] = [t.real(1, 3), t.real(1, 1)];
    let sum = t.sum(&[third, third, third]);
    let exact = t.equal(sum, one);
    let x = t.fresh("x", Sort::Real);
    let half = t.real(-1, 2);
    let floor = t.real_to_int_floor(half);
    let minus_one = t.int(-1);
    let rounds_down = t.equal(floor, minus_one);
    let square = t.mul(x, x);
    let zero = t.real(0, 1);
    let square_is_positive = t.lt(zero, square);
    check_claims(
        &mut solver,
        &mut t,
        &[
            ("1/3 + 1/3 + 1/3 = 1", exact, true),
            ("-1/2 rounds down to -1", rounds_down, true),
            ("0 < x x", square_is_positive, false),
        ],
    );
}

#[test]
fn functions_are_functions_and_nothing_more() {
    let (mut solver, mut t) = (solver(), Terms::new());
    let f = t.declare("f", &[Sort::Int], Sort::Int);
    let [x, y] = ["x", "y"].map(|hint| t.fresh(hint, Sort::Int));
    let [fx, fy] = [x, y].map(|argument| t.apply(f, &[argument]));
    let (arguments, values) = (t.equal(x, y), t.equal(fx, fy));
    let congruent = t.implies(arguments, values);
    let injective = t.implies(values, arguments);
    check_claims(
        &mut solver,
        &mut t,
        &[("congruence", congruent, true), ("injectivity", injective, false)],
    );
}

#[test]
fn models_have_values_for_constants_and_applications() {
    let (mut solver, mut t) = (solver(), Terms::new());
    let f = t.declare("image", &[Sort::Int], Sort::BitVec(16));
    let x = t.fresh("x", Sort::Int);
    let (flag, fraction, number) =
        (t.fresh("b", Sort::Bool), t.fresh("r", Sort::Real), t.fresh("f", Sort::FLOAT32));
    let one = t.int(1);
    let next = t.add(x, one);
    let pixel = t.apply(f, &[next]);
    let (five, half, nan) = (t.int(-5), t.real(-1, 2), t.float_test(FloatTest::Nan, number));
    let white = t.bit_vec(16, 0xfffe);
    let facts = [t.equal(x, five), flag, t.equal(fraction, half), nan, t.equal(pixel, white)];
    for fact in facts {
        solver.assert(&t, fact);
    }
    // The second answer comes from the cache, and the third from another process.
    let mut models = Vec::new();
    for fresh in [false, false, true] {
        let answer =
            if fresh { solver.check_fresh(&t, "model") } else { solver.check(&t, "model") };
        let Answer::Sat(model) = answer else { panic!("{answer:?}") };
        models.push(model);
    }
    for model in models {
        assert_eq!(model.get(x).and_then(Value::as_int), Some(-5));
        assert_eq!(model.get(next).and_then(Value::as_int), Some(-4));
        assert_eq!(model.get(flag).and_then(Value::as_bool), Some(true));
        assert_eq!(model.get(fraction), Some(Value::Real { numerator: -1, denominator: 2 }));
        assert_eq!(
            model.get(number).and_then(Value::as_bits),
            Some(u128::from(f32::NAN.to_bits()))
        );
        assert_eq!(model.get(pixel).and_then(Value::as_bits), Some(0xfffe));
    }
    assert_eq!(solver.statistics().cached, 2);
}

#[test]
fn frames_scope_assertions() {
    let (mut solver, mut t) = (solver(), Terms::new());
    let x = t.fresh("x", Sort::Int);
    let [zero, ten] = [0, 10].map(|value| t.int(value));
    let (above, below) = (t.lt(ten, x), t.lt(x, zero));
    let is_sat =
        |solver: &mut Solver, t: &Terms| matches!(solver.check(t, "frame"), Answer::Sat(_));
    solver.assert(&t, above);
    assert!(is_sat(&mut solver, &t));
    solver.push();
    solver.assert(&t, below);
    assert_eq!(solver.check(&t, "contradiction"), Answer::Unsat);
    solver.push();
    assert_eq!(solver.check(&t, "contradiction"), Answer::Unsat);
    solver.pop();
    solver.pop();
    // A name declared in a closed frame must be declared again.
    let y = t.fresh("y", Sort::Int);
    let equal = t.equal(x, y);
    for _ in 0..2 {
        solver.push();
        solver.assert(&t, equal);
        let low = t.lt(y, zero);
        assert_eq!(solver.check_with(&t, &[low], "through an equality"), Answer::Unsat);
        assert!(is_sat(&mut solver, &t));
        solver.pop();
    }
    assert_eq!(solver.depth(), 1);
    solver.clear();
    solver.assert(&t, below);
    assert!(is_sat(&mut solver, &t));
}

#[test]
fn variables_never_share_a_name() {
    let (mut solver, mut t) = (solver(), Terms::new());
    let hints = ["x", "x", "x_1", "x_2", "x!", "", "1", "let", "true", "$1", "a b", "é"];
    let variables = hints.map(|hint| t.fresh(hint, Sort::Int));
    for (index, variable) in variables.into_iter().enumerate() {
        let value = t.int(index as i128);
        let equal = t.equal(variable, value);
        solver.assert(&t, equal);
    }
    let Answer::Sat(model) = solver.check(&t, "names") else {
        panic!("two variables share a name")
    };
    for (index, variable) in variables.into_iter().enumerate() {
        assert_eq!(
            model.get(variable).and_then(Value::as_int),
            Some(index as i128),
            "{}",
            hints[index]
        );
    }
}

#[test]
fn a_hard_query_is_unknown_by_timeout() {
    let (mut solver, mut t) = (solver(), Terms::new());
    assert!(matches!(solver.check(&t, "nothing"), Answer::Sat(_)));
    // The running process must be told of the new limits.
    solver.set_timeouts(Duration::from_millis(200), Duration::from_secs(15));
    let begin = Instant::now();
    // The factors of the product of two primes near 2^61.
    let [p, q] = ["p", "q"].map(|hint| t.fresh(hint, Sort::BitVec(128)));
    let product = t.bit_vec(128, ((1 << 61) - 1) * ((1 << 61) - 31));
    let one = t.bit_vec(128, 1);
    let limit = t.bit_vec(128, 1 << 61);
    let found = t.bit_vec_binary(BitVecBinary::Mul, p, q);
    let facts = [
        t.equal(found, product),
        t.bit_vec_compare(BitVecComparison::UnsignedLt, one, p),
        t.bit_vec_compare(BitVecComparison::UnsignedLt, p, q),
        t.bit_vec_compare(BitVecComparison::UnsignedLt, q, limit),
    ];
    for fact in facts {
        solver.assert(&t, fact);
    }
    for _ in 0..2 {
        assert_eq!(solver.check(&t, "factors"), Answer::Unknown(Reason::Timeout));
    }
    assert_eq!(solver.check_fresh(&t, "factors"), Answer::Unknown(Reason::Timeout));
    assert!(begin.elapsed() < Duration::from_secs(10), "the soft timeout has no effect");
    assert_eq!(solver.statistics().cached, 0, "what is unknown must be asked again");
    let absurd = t.bool(false);
    assert_eq!(solver.check_with(&t, &[absurd], "after a timeout"), Answer::Unsat);
}

#[test]
fn steps_limit_a_query_where_time_does_not() {
    let factors = |steps| {
        let mut options = options();
        options.steps = steps;
        let (mut solver, mut t) = (Solver::open(options).unwrap(), Terms::new());
        let [p, q] = ["p", "q"].map(|hint| t.fresh(hint, Sort::BitVec(32)));
        let (product, one) = (t.bit_vec(32, 251 * 241), t.bit_vec(32, 1));
        let limit = t.bit_vec(32, 1 << 8);
        let found = t.bit_vec_binary(BitVecBinary::Mul, p, q);
        let facts = [
            t.equal(found, product),
            t.bit_vec_compare(BitVecComparison::UnsignedLt, one, p),
            t.bit_vec_compare(BitVecComparison::UnsignedLt, p, q),
            t.bit_vec_compare(BitVecComparison::UnsignedLt, q, limit),
        ];
        let answers = [(); 2].map(|()| solver.check_with(&t, &facts, "factors"));
        let absurd = t.bool(false);
        // The limit applies to each query separately.
        assert_eq!(solver.check_with(&t, &[absurd], "after the limit"), Answer::Unsat);
        answers
    };
    assert!(factors(None).iter().all(|answer| matches!(answer, Answer::Sat(_))));
    let few = factors(Some(500));
    assert!(few.iter().all(|answer| matches!(answer, Answer::Unknown(_))), "{few:?}");
}

#[test]
fn a_query_that_takes_too_much_memory_is_unknown() {
    let mut options = options();
    options.memory_mib = 40;
    let (mut solver, mut t) = (Solver::open(options).unwrap(), Terms::new());
    let mut power = t.fresh("x", Sort::Int);
    let one = t.int(1);
    for _ in 0..20 {
        let next = t.add(power, one);
        power = t.product(&[next, next]);
    }
    let fact = t.lt(power, one);
    solver.assert(&t, fact);
    assert_eq!(solver.check(&t, "powers"), Answer::Unknown(Reason::Memory));
    solver.clear();
    assert!(matches!(solver.check(&t, "nothing"), Answer::Sat(_)));
}

#[test]
fn a_scoped_query_knows_nothing_of_those_before() {
    let mut solver = solver();
    for bound in [3, 5] {
        // Each query has its own terms.
        let mut terms = Terms::new();
        let x = terms.fresh("x", Sort::Int);
        let bound = terms.int(bound);
        let (below, above) = (terms.lt(x, bound), terms.lt(bound, x));
        solver.clear();
        solver.assert(&terms, below);
        let Answer::Sat(model) = solver.check_scoped(&terms, "below", 10_000) else {
            panic!("a number below")
        };
        assert!(model.get(x).is_some());
        solver.clear();
        solver.assert(&terms, above);
        assert!(matches!(solver.check_scoped(&terms, "above", 10_000), Answer::Sat(_)));
        solver.assert(&terms, below);
        assert_eq!(solver.check_scoped(&terms, "both", 10_000), Answer::Unsat);
    }
    assert_eq!(solver.statistics().processes, 1);
}
