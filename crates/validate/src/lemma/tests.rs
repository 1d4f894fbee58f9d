//! Tests that every lemma is true, with random integers and random values of their symbols.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BinaryOp, Constant, Intrinsic, Overflow, Scalar, UnaryOp};

use super::{Instance, Memo, Place, monotone};
use crate::obligation::door::Tactics as _;
use crate::space::concrete::{Assignment, Random};
use crate::space::{PolyId, Rename, Space, Term, TermId};
use crate::tactics::Search;

#[test]
fn lemmas_hold_whatever_the_symbols_are() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut checked = 0;
    for _ in 0..1500 {
        let space = Space::new();
        let symbols: Vec<_> =
            ["a", "b", "n", "m"].into_iter().map(|name| space.fresh(name)).collect();
        let mut facts = Vec::new();
        for _ in 0..3 {
            let (a, b) = (random.poly(&space, &symbols, 2), random.poly(&space, &symbols, 2));
            facts.push(space.less(a, b));
        }
        let mut memo = Memo::default();
        let (instances, ..) = Search::default().lemmas().asked(&space, &mut memo, &facts);
        let lemmas: Vec<_> = instances
            .into_iter()
            .flat_map(|instance| memo.state(&space, instance).to_vec())
            .collect();
        for _ in 0..30 {
            let at: Assignment =
                symbols.iter().map(|symbol| (*symbol, random.below(15) - 6)).collect();
            for lemma in &lemmas {
                assert!(space.truth_at(*lemma, &at), "{:?} at {at:?}", space.formula(*lemma));
                checked += 1;
            }
        }
    }
    assert!(checked > 100_000, "only {checked}");
}

#[test]
fn quotients_by_one_large_divisor_rise_and_stay_near() {
    let space = Space::new();
    let symbols = ["x", "d", "c"].map(|name| space.fresh(name));
    let [x, d, c] = symbols.map(|symbol| space.symbol(symbol));
    let quotient = |of| space.as_atom(space.div(of, d)).unwrap();
    let mut memo = Memo::default();
    let mut held = 0;
    for more in [space.offset(x, 7), space.offset(x, -2), c] {
        let pair = (quotient(x), quotient(more));
        let lemmas = memo.state(&space, Instance::Distance(pair.0, pair.1)).to_vec();
        for (value, divisor, other) in
            (-9..10).flat_map(|x| (-2..9).flat_map(move |d| [-20, -1, 0, 30].map(|c| (x, d, c))))
        {
            let at: Assignment = symbols.into_iter().zip([value, divisor, other]).collect();
            for lemma in &lemmas {
                assert!(space.truth_at(*lemma, &at), "{:?} at {at:?}", space.formula(*lemma));
                held += 1;
            }
        }
    }
    assert!(held > 3000, "{held}");
    // Quotients by two divisors are not compared.
    let other = space.as_atom(space.div(x, c)).unwrap();
    assert!(memo.state(&space, Instance::Distance(quotient(x), other)).is_empty());
}

/// Builds random steps from an integer to a machine integer through floats. `seed` chooses the
/// steps; at most `most` of them use unknown values.
fn steps(space: &Space, seed: u64, of: PolyId, unknown: [TermId; 2], most: i128) -> TermId {
    let mut random = Random(seed | 1);
    let scalar = space.scalar(unknown[0]);
    let constant = |space: &Space, random: &mut Random| {
        let values = [0.5, -0.5, 1.0, 3.0, -2.0, 0.0, 1e-3, 65536.0, 1e20, -1e20, f64::INFINITY];
        let value = values[usize::try_from(random.below(values.len() as u64)).unwrap()];
        space.constant_term(if scalar == Scalar::F32 {
            Constant::f32(value as f32)
        } else {
            Constant::f64(value)
        })
    };
    let mut term = space.int_to(scalar, of).unwrap();
    let mut taken = 0;
    for _ in 0..random.below(6) {
        let wraps = Overflow::Wraps;
        let arithmetic =
            [BinaryOp::Add(wraps), BinaryOp::Sub(wraps), BinaryOp::Mul(wraps), BinaryOp::Div];
        let choice = random.below(12);
        let op = arithmetic[usize::try_from(random.below(4)).unwrap()];
        term = match choice {
            0 => space.unary_term(UnaryOp::Neg(wraps), term).unwrap(),
            1 => space.call_term(Intrinsic::Floor, term).unwrap(),
            2 => space.call_term(Intrinsic::Round, term).unwrap(),
            3 => space.call_term(Intrinsic::Abs, term).unwrap(),
            4..=6 if taken < most => {
                taken += 1;
                let by = unknown[usize::try_from(random.below(2)).unwrap()];
                let (lhs, rhs) = if random.below(4) == 0 { (by, term) } else { (term, by) };
                space.binary_term(op, lhs, rhs).unwrap()
            }
            7 => {
                let constant = constant(space, &mut random);
                space.binary_term(op, constant, term).unwrap()
            }
            _ => {
                let constant = constant(space, &mut random);
                space.binary_term(op, term, constant).unwrap()
            }
        };
    }
    let targets = [Scalar::I32, Scalar::U8, Scalar::I16];
    let to = targets[usize::try_from(random.below(3)).unwrap()];
    space.cast_term(to, term).unwrap()
}

#[test]
fn what_rises_and_falls_does_so_at_all_floats() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let specials = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.3,
        -7.5,
        1e-30,
        -1e-30,
        1e30,
        -1e30,
        f32::MIN_POSITIVE,
        1e-45,
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let integers =
        [0, 1, -1, 2, 7, -100, 16_777_217, 1 << 31, -(1 << 31), 1 << 40, 1 << 90, -(1 << 100)];
    let (mut made, mut unknown) = (0, 0);
    for _ in 0..20_000 {
        let space = Space::new();
        let (x, y) = (space.fresh("x"), space.fresh("y"));
        let [by, beside] = ["by", "beside"].map(|name| space.fresh(name));
        let (of_x, of_y) = (space.symbol(x), space.symbol(y));
        let scalar = if random.below(2) == 0 { Scalar::F32 } else { Scalar::F64 };
        let floats = [by, beside].map(|float| space.leaf(Term::Parameter(float, scalar)));
        let seed = u64::try_from(random.below(u64::MAX)).unwrap();
        let a = steps(&space, seed, of_x, floats, 3);
        let b = steps(&space, seed, of_y, floats, 3);
        let Some(lemma) = monotone::lemma(&space, a, b) else { continue };
        made += 1;
        let bits = |special: f32| {
            let constant = if scalar == Scalar::F32 {
                Constant::f32(special)
            } else {
                Constant::f64(f64::from(special))
            };
            i128::from(constant.to_bits().unwrap())
        };
        for special in specials {
            for _ in 0..12 {
                let other = specials[usize::try_from(random.below(specials.len() as u64)).unwrap()];
                let mut integer =
                    || integers[usize::try_from(random.below(12)).unwrap()] + random.below(3) - 1;
                let at: Assignment =
                    [(x, integer()), (y, integer()), (by, bits(special)), (beside, bits(other))]
                        .into_iter()
                        .collect();
                assert!(space.truth_at(lemma, &at), "{:?} at {at:?}", space.term(a));
                unknown += 1;
            }
        }
    }
    assert!(made > 1000, "only {made}");
    assert!(unknown > 100_000, "only {unknown}");
}

/// A random float of two unknown floats, with minima, selections and operators that make NaN.
fn float(space: &Space, random: &mut Random, unknown: [TermId; 2], depth: u64) -> TermId {
    let scalar = space.scalar(unknown[0]);
    let choice = random.below(if depth == 0 { 3 } else { 14 });
    if choice < 2 {
        return unknown[usize::try_from(choice).unwrap()];
    }
    if choice == 2 {
        let literals = [0.0, -0.0, 1.5, -7.0, 300.0, f64::INFINITY, f64::NAN];
        let value = literals[usize::try_from(random.below(7)).unwrap()];
        let narrow = Constant::f32(value as f32);
        let constant = if scalar == Scalar::F32 { narrow } else { Constant::f64(value) };
        return space.constant_term(constant);
    }
    let a = float(space, random, unknown, depth - 1);
    let b = float(space, random, unknown, depth - 1);
    let wraps = Overflow::Wraps;
    match choice {
        3 => space.unary_term(UnaryOp::Neg(wraps), a).unwrap(),
        4 => space.call_term(Intrinsic::Floor, a).unwrap(),
        5 => space.call_term(Intrinsic::Sqrt, a).unwrap(),
        6 => space.binary_term(BinaryOp::Add(wraps), a, b).unwrap(),
        7 => space.binary_term(BinaryOp::Mul(wraps), a, b).unwrap(),
        12 => space.binary_term(BinaryOp::Div, a, b).unwrap(),
        13 => space.binary_term(BinaryOp::Sub(wraps), a, b).unwrap(),
        8 | 9 => space.binary_term(BinaryOp::Min, a, b).unwrap(),
        10 => space.binary_term(BinaryOp::Max, a, b).unwrap(),
        _ => space.choose_term(space.compare_floats(BinaryOp::Lt, a, b), a, b).unwrap(),
    }
}

#[test]
fn lemmas_on_the_order_of_floats_hold_at_all_floats() {
    let mut random = Random(0x51ed_270b_9d3c_11a5);
    let specials = [0.0, -0.0, 1.0, -1.0, 0.3, 299.5, -1e30, f32::INFINITY, -f32::INFINITY];
    let (mut stated, mut checked) = (0, 0);
    for _ in 0..4000 {
        let space = Space::new();
        let symbols = ["x", "y"].map(|name| space.fresh(name));
        let scalar = if random.below(2) == 0 { Scalar::F32 } else { Scalar::F64 };
        let floats = symbols.map(|symbol| space.leaf(Term::Parameter(symbol, scalar)));
        let [a, b] = [(); 2].map(|()| float(&space, &mut random, floats, 3));
        let ops = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le];
        let mut facts = ops.map(|op| space.compare_floats(op, a, b)).to_vec();
        let to = [Scalar::I32, Scalar::U8][usize::try_from(random.below(2)).unwrap()];
        let [x, y] = [a, b].map(|term| space.integer_of(space.cast_term(to, term).unwrap()));
        facts.push(space.less(x, y));
        let mut memo = Memo::default();
        let (instances, ..) = Search::default().lemmas().asked(&space, &mut memo, &facts);
        let lemmas = instances.into_iter().flat_map(|one| memo.state(&space, one).to_vec());
        let lemmas: Vec<_> = lemmas.collect::<Vec<_>>();
        stated += lemmas.len();
        for _ in 0..20 {
            let at = symbols.map(|symbol| {
                let number = usize::try_from(random.below(10)).unwrap();
                let value = specials.get(number).copied().unwrap_or(f32::NAN);
                let wide = Constant::f64(f64::from(value));
                let value = if scalar == Scalar::F32 { Constant::f32(value) } else { wide };
                (symbol, i128::from(value.to_bits().unwrap()))
            });
            let at: Assignment = at.into_iter().collect();
            for lemma in &lemmas {
                assert!(space.truth_at(*lemma, &at), "{:?} at {at:?}", space.formula(*lemma));
                checked += 1;
            }
        }
    }
    assert!(stated > 20_000 && checked > 400_000, "{stated}, {checked}");
}

/// A sum that wraps is itself where it fits its type, and only there.
#[test]
fn integers_that_wrap_are_themselves_where_they_fit() {
    let space = Space::new();
    let x = space.fresh("x");
    let of_x = space.symbol(x);
    for scalar in [Scalar::U8, Scalar::I8, Scalar::I32, Scalar::U64] {
        let number = space.integer_of(space.ring(scalar, of_x));
        let atom = space.as_atom(number).unwrap();
        let lemmas = Memo::default().state(&space, Instance::Meaning(atom)).to_vec();
        assert_eq!(lemmas.len(), 2);
        let (low, high) = scalar.range().unwrap();
        for end in [low, high] {
            for value in end - 2..=end + 2 {
                let at: Assignment = [(x, value)].into_iter().collect();
                assert!(lemmas.iter().all(|lemma| space.truth_at(*lemma, &at)));
            }
        }
        let same = space.equal(number, of_x);
        let at: Assignment = [(x, high + 1)].into_iter().collect();
        assert!(!space.truth_at(same, &at));
    }
}

/// The source row of a resized picture's row gives a lemma. Two unknown divisions give no lemma.
#[test]
fn only_one_unknown_factor_is_taken() {
    let space = Space::new();
    let (x, y, by) = (space.fresh("x"), space.fresh("y"), space.fresh("by"));
    let (of_x, of_y) = (space.symbol(x), space.symbol(y));
    let scale = space.leaf(Term::Parameter(by, Scalar::F32));
    let half = space.constant_term(Constant::f32(0.5));
    let wraps = Overflow::Wraps;
    let row = |space: &Space, of: PolyId, divisions: usize| {
        let mut at = space.int_to(Scalar::F32, of).unwrap();
        at = space.binary_term(BinaryOp::Add(wraps), at, half).unwrap();
        for _ in 0..divisions {
            at = space.binary_term(BinaryOp::Div, at, scale).unwrap();
        }
        at = space.binary_term(BinaryOp::Sub(wraps), at, half).unwrap();
        at = space.call_term(Intrinsic::Floor, at).unwrap();
        space.cast_term(Scalar::I32, at).unwrap()
    };
    let once = [of_x, of_y].map(|of| row(&space, of, 1));
    let twice = [of_x, of_y].map(|of| row(&space, of, 2));
    assert!(monotone::lemma(&space, once[0], once[1]).is_some());
    assert!(monotone::lemma(&space, twice[0], twice[1]).is_none());
    assert!(monotone::lemma(&space, once[0], twice[1]).is_none());
}

/// An infinite multiple of an integer, times 0, is NaN, and NaN is 0 whatever is added. A lemma
/// does not apply to such integers.
#[test]
fn integers_that_become_infinite_are_left_out() {
    let space = Space::new();
    let (x, y, by) = (space.fresh("x"), space.fresh("y"), space.fresh("by"));
    let (of_x, of_y) = (space.symbol(x), space.symbol(y));
    let factor = space.leaf(Term::Parameter(by, Scalar::F32));
    let [large, three] = [65536.0, 3.0].map(|value| space.constant_term(Constant::f32(value)));
    let wraps = Overflow::Wraps;
    let lifted = |of: PolyId| {
        let mut term = space.int_to(Scalar::F32, of).unwrap();
        for by in [large, large, factor] {
            term = space.binary_term(BinaryOp::Mul(wraps), term, by).unwrap();
        }
        term = space.binary_term(BinaryOp::Add(wraps), term, three).unwrap();
        space.cast_term(Scalar::I32, term).unwrap()
    };
    let (a, b) = (lifted(of_x), lifted(of_y));
    let lemma = monotone::lemma(&space, a, b).unwrap();
    let at: Assignment = [(x, 0), (y, 1 << 100), (by, 0)].into_iter().collect();
    assert_eq!(space.term_at(a, &at).as_integer(), Some(3));
    assert_eq!(space.term_at(b, &at).as_integer(), Some(0));
    assert!(space.truth_at(lemma, &at));
}

/// Most resamplers read at `f32(x) * s + c`. There is no lemma if the sum may be rounded together
/// with its product, or if a sum with a possibly infinite value is multiplied by a value that may
/// be 0.
#[test]
fn a_term_of_which_nothing_is_known_stands_last() {
    let made = |contracted: bool, ops: &[(BinaryOp, &str)]| {
        let space = Space::new().contracted(contracted);
        let (x, y) = (space.fresh("x"), space.fresh("y"));
        let floats = ["s", "c"].map(|name| (name, space.fresh(name)));
        let places = [x, y].map(|of| {
            let mut term = space.int_to(Scalar::F32, space.symbol(of)).unwrap();
            for (op, name) in ops {
                let (_, symbol) = floats.iter().find(|(known, _)| known == name).unwrap();
                let value = space.leaf(Term::Parameter(*symbol, Scalar::F32));
                term = space.binary_term(*op, term, value).unwrap();
            }
            term = space.call_term(Intrinsic::Floor, term).unwrap();
            space.cast_term(Scalar::I32, term).unwrap()
        });
        monotone::lemma(&space, places[0], places[1]).is_some()
    };
    let wraps = Overflow::Wraps;
    let (times, plus) = (BinaryOp::Mul(wraps), BinaryOp::Add(wraps));
    assert!(made(false, &[(times, "s"), (plus, "c")]));
    assert!(!made(true, &[(times, "s"), (plus, "c")]));
    assert!(made(true, &[(BinaryOp::Div, "s"), (plus, "c")]));
    assert!(made(false, &[(plus, "c"), (plus, "s")]));
    assert!(!made(false, &[(plus, "c"), (times, "s")]));
    assert!(!made(false, &[(times, "s"), (plus, "c"), (times, "s")]));
}

/// The floats that are tried for each unknown one: the ends of the intervals in the lemmas, their
/// neighbours, and all that is no number.
const TRIED: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.999_999_94,
    1.000_000_1,
    0.5,
    0.3,
    -0.7,
    2.0,
    7.5,
    -300.25,
    16_777_215.0,
    -16_777_216.0,
    1e-45,
    -1e-45,
    f32::MIN_POSITIVE,
    1e38,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// Every lemma on an operand that moves, for all operators and both places, at all floats tried.
#[test]
fn floats_rise_and_fall_with_their_operands() {
    let wraps = Overflow::Wraps;
    let ops = [BinaryOp::Add(wraps), BinaryOp::Sub(wraps), BinaryOp::Mul(wraps), BinaryOp::Div];
    let mut stated = 0;
    for (op, scalar) in ops.into_iter().flat_map(|op| [(op, Scalar::F32), (op, Scalar::F64)]) {
        let space = Space::new();
        let symbols = ["x", "by", "y"].map(|name| space.fresh(name));
        let [x, by, y] = symbols.map(|symbol| space.leaf(Term::Parameter(symbol, scalar)));
        let literal = |space: &Space, value: f32| {
            let wide = Constant::f64(f64::from(value));
            space.constant_term(if scalar == Scalar::F32 { Constant::f32(value) } else { wide })
        };
        let mut terms = vec![y];
        terms.extend([0.0, -0.0, 1.0, -2.5].map(|value| literal(&space, value)));
        let float = space.binary_term(op, x, by).unwrap();
        let mut instances = vec![Instance::Number(float)];
        for place in [Place::First, Place::Second] {
            instances.extend(terms.iter().map(|y| Instance::Step(float, place, *y)));
        }
        let mut memo = Memo::default();
        let lemmas: Vec<_> = instances
            .into_iter()
            .flat_map(|instance| memo.state(&space, instance).to_vec())
            .collect();
        stated += lemmas.len();
        for values in tried(3) {
            let at: Assignment =
                symbols.into_iter().zip(values).map(|(s, v)| (s, bits(scalar, v))).collect();
            for lemma in &lemmas {
                assert!(space.truth_at(*lemma, &at), "{:?} at {at:?}", space.formula(*lemma));
            }
        }
    }
    assert!(stated > 60, "{stated}");
}

fn bits(scalar: Scalar, value: f32) -> i128 {
    let wide = Constant::f64(f64::from(value));
    let constant = if scalar == Scalar::F32 { Constant::f32(value) } else { wide };
    i128::from(constant.to_bits().unwrap())
}

/// All choices of some of the tried floats.
fn tried(count: u32) -> impl Iterator<Item = Vec<f32>> {
    let all = TRIED.len();
    (0..all.pow(count))
        .map(move |number| (0..count).map(|place| TRIED[number / all.pow(place) % all]).collect())
}

/// A sum with a product that may be rounded at once is bounded if one factor lies between 0 and 1,
/// in both ways of rounding. It is not if the factor may be 2, and not by the rounded product.
#[test]
fn a_sum_with_a_part_is_bounded_however_it_is_rounded() {
    let space = Space::new().contracted(true);
    let symbols = ["part", "whole", "y", "c", "sum", "end"].map(|name| space.fresh(name));
    let [part, whole, y, c, ..] =
        symbols.map(|symbol| space.leaf(Term::Parameter(symbol, Scalar::F32)));
    let wraps = Overflow::Wraps;
    let product = space.binary_term(BinaryOp::Mul(wraps), part, whole).unwrap();
    let sum = space.binary_term(BinaryOp::Add(wraps), product, c).unwrap();
    let state = |a, place, y| super::steps::lemma(&space, (a, place), y);
    assert!(state(sum, Place::First, product).is_none());
    assert!(state(sum, Place::Second, y).is_none(), "the product is rounded in two ways");
    let lemma = state(sum, Place::First, y).unwrap();
    let end = space.binary_term(BinaryOp::Add(wraps), y, c).unwrap();
    // The sums become unknown floats, which are given both values.
    let [.., given_sum, given_end] =
        symbols.map(|symbol| space.leaf(Term::Parameter(symbol, Scalar::F32)));
    let mut given = Rename::new();
    given.means(sum, given_sum);
    given.means(end, given_end);
    let lemma = given.formula(&space, lemma);
    let mut greater = 0;
    for values in tried(4) {
        let [p, w, y, c] = values[..] else { unreachable!() };
        for sum in [(p * w) + c, p.mul_add(w, c)] {
            let floats = [p, w, y, c, sum, y + c];
            let at: Assignment = symbols
                .into_iter()
                .zip(floats)
                .map(|(symbol, value)| (symbol, bits(Scalar::F32, value)))
                .collect();
            assert!(space.truth_at(lemma, &at), "{floats:?}");
            // Where the factor is greater than 1, the sum is not bounded.
            greater += usize::from((1.5..2.5).contains(&p) && w <= y && y >= 0.0 && sum > y + c);
        }
    }
    assert!(greater > 0);
}

/// Floats next to integers, to halves and to the ends of types, and floats of any bits.
fn floats_near_integers(random: &mut Random, scalar: Scalar) -> i128 {
    let ends = [0.0, 8_388_608.0, 16_777_216.0, 2_147_483_648.0, 4_294_967_296.0, 9.223_372e18];
    let any = random.below(1 << 30) as u64 | ((random.below(1 << 34) as u64) << 30);
    if random.below(3) == 0 {
        return i128::from(if scalar == Scalar::F32 { any & 0xffff_ffff } else { any });
    }
    let end = ends[usize::try_from(random.below(6)).unwrap()];
    let near = (end + (random.below(1025) - 512) as f64) / [1.0, 2.0, 1024.0][any as usize % 3];
    let is_narrow = scalar == Scalar::F32;
    let bits = if is_narrow { u64::from((near as f32).to_bits()) } else { near.to_bits() };
    // Neighbours on both sides, and the other sign.
    let moved = bits.wrapping_add((random.below(5) - 2) as u64);
    let sign = if is_narrow { 1 << 31 } else { 1 << 63 };
    let mask = sign | (sign - 1);
    i128::from(if random.below(2) == 0 { moved & mask } else { (moved ^ sign) & mask })
}

/// A sum with a literal moves the integer of a float by at most twice the literal, rounded up, in
/// the direction of the literal. With 1, the integer moves by 2 at the float before 1, so nothing
/// less is true.
#[test]
fn conversions_of_sums_with_literals_are_near() {
    let mut random = Random(0x6a09_e667_f3bc_c908);
    let steps = [0.5_f32, -0.5, 1.0, -1.0, 0.25, 0.0, 1e-45, 1.5, -2.75, 511.5, -1e6];
    let types = [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::I32, Scalar::U32, Scalar::I64];
    let wraps = Overflow::Wraps;
    let (mut checked, mut moved) = (0_u32, FxHashSet::default());
    for (scalar, step) in [Scalar::F32, Scalar::F64].into_iter().flat_map(|s| steps.map(|c| (s, c)))
    {
        for (number, to) in types.into_iter().enumerate() {
            let space = Space::new();
            let symbol = space.fresh("x");
            let x = space.leaf(Term::Parameter(symbol, scalar));
            let literal = space.float(scalar, step).unwrap();
            let sum = match number % 3 {
                0 => space.binary_term(BinaryOp::Add(wraps), x, literal),
                1 => space.binary_term(BinaryOp::Add(wraps), literal, x),
                _ => {
                    space.binary_term(BinaryOp::Sub(wraps), x, space.float(scalar, -step).unwrap())
                }
            };
            let cast = space.cast_term(to, sum.unwrap()).unwrap();
            let from = space.cast_term(to, x).unwrap();
            let lemma = super::ordered::near(&space, cast).unwrap();
            for _ in 0..16_000 {
                let at: Assignment =
                    [(symbol, floats_near_integers(&mut random, scalar))].into_iter().collect();
                assert!(space.truth_at(lemma, &at), "{to:?} of a float and {step} at {at:?}");
                checked += 1;
                let [a, b] = [cast, from].map(|term| space.term_at(term, &at).as_integer());
                if step.abs() <= 1.0 {
                    moved.insert((step.to_bits(), a.unwrap() - b.unwrap()));
                }
            }
        }
    }
    assert!(checked > 2_000_000, "only {checked}");
    for (step, by) in [(1.0, 2), (-1.0, -2), (0.5, 1), (-0.5, -1), (0.25, 1)] {
        assert!(moved.contains(&(f32::to_bits(step), by)), "{step} never moves by {by}");
    }
}

/// There is no lemma where the addend is unknown, where it is no number or too large, where
/// operators may have any meaning, and where a product may be rounded together with the sum.
#[test]
fn other_sums_are_near_to_nothing() {
    let states = |space: &Space, operand: TermId, addend: TermId| {
        let sum = space.binary_term(BinaryOp::Add(Overflow::Wraps), operand, addend).unwrap();
        super::ordered::near(space, space.cast_term(Scalar::I32, sum).unwrap()).is_some()
    };
    for contracted in [false, true] {
        let space = Space::new().contracted(contracted);
        let [x, y] =
            ["x", "y"].map(|name| space.leaf(Term::Parameter(space.fresh(name), Scalar::F32)));
        let [half, huge, infinite, nan] = [0.5, 1e30, f32::INFINITY, f32::NAN]
            .map(|value| space.constant_term(Constant::f32(value)));
        assert!(states(&space, x, half));
        for addend in [y, huge, infinite, nan] {
            assert!(!states(&space, x, addend));
        }
        let product = space.binary_term(BinaryOp::Mul(Overflow::Wraps), x, y).unwrap();
        let chosen = space.binary_term(BinaryOp::Max, product, y).unwrap();
        let quotient = space.binary_term(BinaryOp::Div, x, y).unwrap();
        assert_eq!(states(&space, product, half), !contracted);
        assert_eq!(states(&space, chosen, half), !contracted);
        let opposite = space.unary_term(UnaryOp::Neg(Overflow::Wraps), chosen).unwrap();
        assert_eq!(states(&space, opposite, half), !contracted);
        assert!(states(&space, quotient, half));
    }
    let space = Space::as_written(FxHashMap::default());
    let x = space.leaf(Term::Parameter(space.fresh("x"), Scalar::F32));
    assert!(!states(&space, x, space.constant_term(Constant::f32(0.5))));
}

/// Numbers near 0 are 0 exactly where they are 0 modulo 2^width.
#[test]
fn numbers_near_zero_vanish_with_their_residues() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let types = [Scalar::I8, Scalar::U8, Scalar::I16];
    let (mut stated, mut vanished) = (0, 0);
    for _ in 0..3000 {
        let space = Space::new();
        let symbols: Vec<_> = ["a", "b"].into_iter().map(|name| space.fresh(name)).collect();
        let mut number = space.constant(random.below(9) - 4);
        for _ in 0..2 {
            let scalar = types[usize::try_from(random.below(3)).unwrap()];
            let sum = random.poly(&space, &symbols, 1);
            let value = space.integer_of(space.ring(scalar, sum));
            number = space.combine(&[(number, 1), (value, random.below(3) - 1)]);
        }
        let scalar = types[usize::try_from(random.below(3)).unwrap()];
        let Some(lemma) = super::vanishes(&space, number, scalar) else { continue };
        stated += 1;
        for _ in 0..60 {
            let at: Assignment =
                symbols.iter().map(|symbol| (*symbol, random.below(1200) - 600)).collect();
            assert!(space.truth_at(lemma, &at), "{:?} at {at:?}", space.formula(lemma));
            vanished += usize::from(space.value_at(number, &at) == 0);
        }
    }
    assert!(stated > 500 && vanished > 100, "{stated}, {vanished}");
    let space = Space::new();
    let [p, q] = ["p", "q"].map(|name| {
        let leaf = space.leaf(Term::Parameter(space.fresh(name), Scalar::I64));
        space.number(leaf)
    });
    let sum = |of, by| space.integer_of(space.ring(Scalar::I64, space.offset(of, by)));
    let residue = |number| super::residue(&space, number, Scalar::I64);
    let apart = residue(space.sub(sum(p, -3), sum(q, 5)));
    assert!(apart.is_some());
    assert_eq!(apart, residue(space.sub(sum(q, 8), p)));
    assert_ne!(apart, residue(space.sub(p, sum(q, 9))));
    // The sum of two such numbers may be a multiple of 2^64 that is not 0.
    assert_eq!(residue(space.add(sum(p, -3), sum(q, 5))), None);
    // A number of fewer bits is congruent to less.
    let narrow = space.integer_of(space.ring(Scalar::I32, space.offset(p, 1)));
    assert_ne!(residue(space.sub(narrow, q)), residue(space.sub(sum(p, 1), q)));
}

#[test]
fn shifts_by_a_number_below_the_width_have_their_values() {
    for (number, scalar) in [(1, Scalar::I32), (-3, Scalar::I32), (5, Scalar::U8)] {
        let space = Space::new();
        let symbol = space.fresh("n");
        let amount = space.ring(scalar, space.symbol(symbol));
        let number = space.constant_term(Constant::wrapped(scalar, number).unwrap());
        let shifted = space.binary_term(BinaryOp::Shl, number, amount).unwrap();
        let atom = space.as_atom(space.integer_of(shifted)).unwrap();
        let mut memo = Memo::default();
        let lemmas = memo.state(&space, Instance::Meaning(atom)).to_vec();
        let bits = i128::from(scalar.bits().unwrap());
        for value in -2 * bits..=2 * bits {
            let at = Assignment::from_iter([(symbol, value)]);
            for lemma in &lemmas {
                assert!(space.truth_at(*lemma, &at), "{:?} at {at:?}", space.formula(*lemma));
            }
            // The lemmas tell the value for each amount below the width, and for no other one.
            let own = space.integer_of(shifted);
            let other = space.constant(space.value_at(own, &at) + 1);
            let mut rename = Rename::new();
            rename.override_atom(atom, other);
            let wrong = rename.formulas(&space, &lemmas[1..]);
            let is_told = wrong.iter().any(|lemma| !space.truth_at(*lemma, &at));
            assert_eq!(is_told, (0..bits).contains(&space.value_at(space.integer_of(amount), &at)));
        }
    }
    // Of an unknown number nothing is told but its range.
    let space = Space::new();
    let [number, amount] =
        ["x", "n"].map(|name| space.ring(Scalar::I32, space.symbol(space.fresh(name))));
    let shifted = space.binary_term(BinaryOp::Shl, number, amount).unwrap();
    let atom = space.as_atom(space.integer_of(shifted)).unwrap();
    assert_eq!(Memo::default().state(&space, Instance::Meaning(atom)).len(), 1);
}
