//! Tests that every lemma is true, with random integers and random values of their symbols.

use halidom_ir::{BinaryOp, Constant, Intrinsic, Overflow, Scalar, UnaryOp};

use super::{Memo, monotone};
use crate::obligation::door::Tactics as _;
use crate::space::concrete::{Assignment, Random};
use crate::space::{PolyId, Space, Term, TermId};
use crate::tactics::Search;

#[test]
fn lemmas_hold_whatever_the_symbols_are() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut checked = 0;
    for _ in 0..1500 {
        let mut space = Space::new();
        let symbols: Vec<_> =
            ["a", "b", "n", "m"].into_iter().map(|name| space.fresh(name)).collect();
        let mut facts = Vec::new();
        for _ in 0..3 {
            let (a, b) =
                (random.poly(&mut space, &symbols, 2), random.poly(&mut space, &symbols, 2));
            facts.push(space.less(a, b));
        }
        let mut memo = Memo::default();
        let (instances, _) = Search.lemmas().asked(&mut space, &mut memo, &facts);
        let lemmas: Vec<_> = instances
            .into_iter()
            .flat_map(|instance| memo.state(&mut space, instance).to_vec())
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

/// Builds random steps from an integer to a machine integer through floats. `seed` chooses the
/// steps; at most `most` of them use unknown values.
fn steps(space: &mut Space, seed: u64, of: PolyId, unknown: [TermId; 2], most: i128) -> TermId {
    let mut random = Random(seed | 1);
    let scalar = space.scalar(unknown[0]);
    let constant = |space: &mut Space, random: &mut Random| {
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
        let mut space = Space::new();
        let (x, y) = (space.fresh("x"), space.fresh("y"));
        let [by, beside] = ["by", "beside"].map(|name| space.fresh(name));
        let (of_x, of_y) = (space.symbol(x), space.symbol(y));
        let scalar = if random.below(2) == 0 { Scalar::F32 } else { Scalar::F64 };
        let floats = [by, beside].map(|float| space.leaf(Term::Parameter(float, scalar)));
        let seed = u64::try_from(random.below(u64::MAX)).unwrap();
        let a = steps(&mut space, seed, of_x, floats, 3);
        let b = steps(&mut space, seed, of_y, floats, 3);
        let Some(lemma) = monotone::lemma(&mut space, a, b) else { continue };
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

/// The source row of a resized picture's row gives a lemma. Two unknown divisions give no lemma.
#[test]
fn only_one_unknown_factor_is_taken() {
    let mut space = Space::new();
    let (x, y, by) = (space.fresh("x"), space.fresh("y"), space.fresh("by"));
    let (of_x, of_y) = (space.symbol(x), space.symbol(y));
    let scale = space.leaf(Term::Parameter(by, Scalar::F32));
    let half = space.constant_term(Constant::f32(0.5));
    let wraps = Overflow::Wraps;
    let row = |space: &mut Space, of: PolyId, divisions: usize| {
        let mut at = space.int_to(Scalar::F32, of).unwrap();
        at = space.binary_term(BinaryOp::Add(wraps), at, half).unwrap();
        for _ in 0..divisions {
            at = space.binary_term(BinaryOp::Div, at, scale).unwrap();
        }
        at = space.binary_term(BinaryOp::Sub(wraps), at, half).unwrap();
        at = space.call_term(Intrinsic::Floor, at).unwrap();
        space.cast_term(Scalar::I32, at).unwrap()
    };
    let once = [of_x, of_y].map(|of| row(&mut space, of, 1));
    let twice = [of_x, of_y].map(|of| row(&mut space, of, 2));
    assert!(monotone::lemma(&mut space, once[0], once[1]).is_some());
    assert!(monotone::lemma(&mut space, twice[0], twice[1]).is_none());
    assert!(monotone::lemma(&mut space, once[0], twice[1]).is_none());
}

/// An infinite multiple of an integer, times 0, is NaN, and NaN is 0 whatever is added. A lemma
/// does not apply to such integers.
#[test]
fn integers_that_become_infinite_are_left_out() {
    let mut space = Space::new();
    let (x, y, by) = (space.fresh("x"), space.fresh("y"), space.fresh("by"));
    let (of_x, of_y) = (space.symbol(x), space.symbol(y));
    let factor = space.leaf(Term::Parameter(by, Scalar::F32));
    let [large, three] = [65536.0, 3.0].map(|value| space.constant_term(Constant::f32(value)));
    let wraps = Overflow::Wraps;
    let mut lifted = |of: PolyId| {
        let mut term = space.int_to(Scalar::F32, of).unwrap();
        for by in [large, large, factor] {
            term = space.binary_term(BinaryOp::Mul(wraps), term, by).unwrap();
        }
        term = space.binary_term(BinaryOp::Add(wraps), term, three).unwrap();
        space.cast_term(Scalar::I32, term).unwrap()
    };
    let (a, b) = (lifted(of_x), lifted(of_y));
    let lemma = monotone::lemma(&mut space, a, b).unwrap();
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
        let mut space = Space::new().contracted(contracted);
        let (x, y) = (space.fresh("x"), space.fresh("y"));
        let floats = ["s", "c"].map(|name| (name, space.fresh(name)));
        let places = [x, y].map(|of| {
            let of = space.symbol(of);
            let mut term = space.int_to(Scalar::F32, of).unwrap();
            for (op, name) in ops {
                let (_, symbol) = floats.iter().find(|(known, _)| known == name).unwrap();
                let value = space.leaf(Term::Parameter(*symbol, Scalar::F32));
                term = space.binary_term(*op, term, value).unwrap();
            }
            term = space.call_term(Intrinsic::Floor, term).unwrap();
            space.cast_term(Scalar::I32, term).unwrap()
        });
        monotone::lemma(&mut space, places[0], places[1]).is_some()
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
