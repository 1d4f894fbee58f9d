//! Tests normal forms and their proofs against evaluation: terms with one form have one value, bit
//! for bit or over the reals.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Overflow, Scalar, UnaryOp, eval};

use super::proof::{Classes, Join, Law, Theory};
use super::rational::{Rational, applied, of};
use super::{Axiom, Axioms};
use crate::space::concrete::Random;
use crate::space::{Space, Symbol, Term, TermId};
use crate::tactics::normal::{Normalizer, proof, proof_up_to_sign_of_zero};

const ADD: BinaryOp = BinaryOp::Add(Overflow::Wraps);
const SUB: BinaryOp = BinaryOp::Sub(Overflow::Wraps);
const MUL: BinaryOp = BinaryOp::Mul(Overflow::Wraps);
const NEG: UnaryOp = UnaryOp::Neg(Overflow::Wraps);

/// Makes a space with three unknown floats.
fn unknowns() -> (Space, [TermId; 3], [Symbol; 3]) {
    let space = Space::as_written(FxHashMap::default());
    let symbols = ["x", "y", "z"].map(|name| space.fresh(name));
    let terms = symbols.map(|symbol| space.leaf(Term::Parameter(symbol, Scalar::F64)));
    (space, terms, symbols)
}

fn random_term(random: &mut Random, space: &Space, leaves: [TermId; 3], depth: u32) -> TermId {
    let choice = random.below(if depth == 0 { 4 } else { 14 });
    match choice {
        0..=2 => return leaves[choice as usize],
        3 => {
            let literals = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0];
            let literal = literals[random.below(7) as usize];
            return space.constant_term(Constant::f64(literal));
        }
        _ => {}
    }
    let a = random_term(random, space, leaves, depth - 1);
    if choice == 4 {
        return space.unary_term(NEG, a).unwrap();
    }
    let b = random_term(random, space, leaves, depth - 1);
    let op = match choice {
        5..=7 => ADD,
        8 | 9 => SUB,
        10 | 11 => MUL,
        12 => BinaryOp::Div,
        _ => [BinaryOp::Min, BinaryOp::Max][random.below(2) as usize],
    };
    space.binary_term(op, a, b).unwrap()
}

/// Evaluates a term bit for bit.
fn bits(space: &Space, term: TermId, at: &FxHashMap<Symbol, f64>) -> Constant {
    if let Term::Parameter(symbol, _) = space.term(term) {
        return Constant::f64(at[symbol]);
    }
    if let Term::Unary(op, a) = *space.term(term) {
        return eval::unary(op, bits(space, a, at)).unwrap();
    }
    if let Term::Binary(op, a, b) = *space.term(term) {
        return eval::binary(op, bits(space, a, at), bits(space, b, at)).unwrap();
    }
    space.term_constant(term).unwrap()
}

/// Evaluates a term over the reals. Returns `None` if it divides by 0.
fn real(space: &Space, term: TermId, at: &FxHashMap<Symbol, f64>) -> Option<Rational> {
    if let Term::Parameter(symbol, _) = space.term(term) {
        return of(Constant::f64(at[symbol]));
    }
    if let Term::Unary(_, a) = *space.term(term) {
        let [above, below] = real(space, a, at)?;
        return Some([-above, below]);
    }
    let Term::Binary(op, a, b) = *space.term(term) else {
        return of(space.term_constant(term)?);
    };
    let (a, b) = (real(space, a, at)?, real(space, b, at)?);
    if op == BinaryOp::Min || op == BinaryOp::Max {
        let [difference, _] = applied(SUB, a.clone(), b.clone())?;
        return Some(if (difference < 0.into()) == (op == BinaryOp::Min) { a } else { b });
    }
    applied(op, a, b)
}

fn assignment(random: &mut Random, symbols: [Symbol; 3], values: &[f64]) -> FxHashMap<Symbol, f64> {
    symbols
        .map(|symbol| (symbol, values[random.below(values.len() as u64) as usize]))
        .into_iter()
        .collect()
}

/// Tests whether two floats have one normal form. If they do, they have a proof.
fn same(theory: Theory, space: &Space, a: TermId, b: TermId) -> bool {
    let Some(proof) = proof(theory, space, a, b) else { return false };
    let classes = Classes::of(space, theory, &proof);
    assert!(classes.is_some_and(|classes| classes.same(a, b)), "{theory:?}: {proof:?}");
    true
}

/// Does the same up to the sign of zero.
fn same_up_to_sign_of_zero(space: &Space, a: TermId, b: TermId) -> bool {
    let Some(proof) = proof_up_to_sign_of_zero(space, &[(a, b)]) else { return false };
    let classes = Classes::up_to_sign_of_zero(space, &proof);
    assert!(classes.is_some_and(|classes| classes.same(a, b)), "{proof:?}");
    true
}

/// Numbers at which equations of reals fail bit for bit.
const AWKWARD: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    3.5,
    -1e300,
    1e-310,
    1e16,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

#[test]
fn one_form_is_one_value() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let theories: Vec<Theory> = [Axioms::NONE, Axioms::all()]
        .into_iter()
        .chain(Axiom::ALL.map(|axiom| Axioms::from_iter([axiom])))
        .map(Theory::Axioms)
        .chain([Theory::Reals])
        .collect();
    for theory in theories {
        let mut same = 0;
        for _ in 0..60 {
            let (space, leaves, symbols) = unknowns();
            let terms: Vec<TermId> =
                (0..60).map(|_| random_term(&mut random, &space, leaves, 3)).collect();
            let mut normalizer = Normalizer::new(theory);
            for (number, a) in terms.iter().enumerate() {
                for b in &terms[..number] {
                    if a == b || !normalizer.same(&space, *a, *b) {
                        continue;
                    }
                    assert!(self::same(theory, &space, *a, *b));
                    same += 1;
                    for _ in 0..20 {
                        if theory == Theory::Axioms(Axioms::NONE) {
                            let at = assignment(&mut random, symbols, &AWKWARD);
                            assert_eq!(bits(&space, *a, &at), bits(&space, *b, &at), "{at:?}");
                        }
                        let at = assignment(&mut random, symbols, &[0.5, -3.0, 2.0, 7.0, 0.1]);
                        let values = (real(&space, *a, &at), real(&space, *b, &at));
                        if let (Some(a), Some(b)) = values {
                            assert_eq!(a, b, "{theory:?} {at:?}");
                        }
                    }
                }
            }
        }
        assert!(same > 20, "{theory:?}: {same}");
    }
}

#[test]
fn one_form_up_to_the_sign_of_zero_is_one_value_or_zero() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut same, mut zeros) = (0, 0);
    for _ in 0..120 {
        let (space, leaves, symbols) = unknowns();
        let terms: Vec<TermId> =
            (0..60).map(|_| random_term(&mut random, &space, leaves, 3)).collect();
        let mut normalizer = Normalizer::up_to_sign_of_zero();
        for (number, a) in terms.iter().enumerate() {
            for b in &terms[..number] {
                if a == b || !normalizer.same(&space, *a, *b) {
                    continue;
                }
                assert!(same_up_to_sign_of_zero(&space, *a, *b));
                same += 1;
                for _ in 0..20 {
                    let at = assignment(&mut random, symbols, &AWKWARD);
                    let [x, y] = [*a, *b].map(|term| bits(&space, term, &at));
                    zeros += u32::from(x != y);
                    assert!(x == y || (x.as_f64(), y.as_f64()) == (Some(0.0), Some(0.0)), "{at:?}");
                }
            }
        }
    }
    assert!(same > 100 && zeros > 10, "{same} {zeros}");
}

#[test]
fn a_sum_of_equal_products_is_twice_the_product() {
    let (space, [x, y, _], _) = unknowns();
    let [xy, yx] = [(x, y), (y, x)].map(|(a, b)| space.binary_term(MUL, a, b).unwrap());
    let sum = space.binary_term(ADD, xy, yx).unwrap();
    let [two, three] = [2.0, 3.0].map(|x| space.constant_term(Constant::f64(x)));
    let [twice, thrice] = [two, three].map(|number| space.binary_term(MUL, xy, number).unwrap());
    let bits = Theory::Axioms(Axioms::NONE);
    assert!(same(bits, &space, sum, twice));
    assert!(!same(bits, &space, sum, thrice));
    let more = space.binary_term(ADD, sum, xy).unwrap();
    assert!(!same(bits, &space, more, thrice), "three times rounds once, two sums twice");
}

#[test]
fn a_conversion_does_not_see_the_sign_of_zero_and_a_quotient_does() {
    let (space, [x, y, _], _) = unknowns();
    let zero = space.constant_term(Constant::f64(0.0));
    let less = space.binary_term(SUB, zero, x).unwrap();
    let negated = space.unary_term(NEG, x).unwrap();
    assert!(same_up_to_sign_of_zero(&space, less, negated));
    let [a, b] = [less, negated].map(|by| space.binary_term(BinaryOp::Div, y, by).unwrap());
    assert!(!same_up_to_sign_of_zero(&space, a, b));
    let naught = space.binary_term(MUL, zero, x).unwrap();
    let naught = space.binary_term(BinaryOp::Div, naught, y).unwrap();
    let integer = space.cast_term(Scalar::I32, naught).unwrap();
    assert_eq!(space.term_constant(integer).and_then(Constant::as_integer), Some(0));
    let sum = space.binary_term(ADD, naught, y).unwrap();
    let integer = space.cast_term(Scalar::I32, sum).unwrap();
    assert_eq!(space.term_constant(integer), None);
}

/// Both sides of an axiom.
fn sides(axiom: Axiom, space: &Space, [x, y, z]: [TermId; 3]) -> [TermId; 2] {
    let zero = space.constant_term(Constant::f64(0.0));
    let apply = |op, a, b| space.binary_term(op, a, b).unwrap();
    let grouped = |op| {
        let (xy, yz) = (apply(op, x, y), apply(op, y, z));
        [apply(op, xy, z), apply(op, x, yz)]
    };
    match axiom {
        Axiom::AddAssociative => grouped(ADD),
        Axiom::MulAssociative => grouped(MUL),
        Axiom::MinAssociative => grouped(BinaryOp::Min),
        Axiom::MaxAssociative => grouped(BinaryOp::Max),
        Axiom::MinCommutative => [apply(BinaryOp::Min, x, y), apply(BinaryOp::Min, y, x)],
        Axiom::MaxCommutative => [apply(BinaryOp::Max, x, y), apply(BinaryOp::Max, y, x)],
        Axiom::AddZero => [apply(ADD, x, zero), x],
        Axiom::MulZero => [apply(MUL, x, zero), zero],
        Axiom::Distributive => {
            let (sum, xy, xz) = (apply(ADD, y, z), apply(MUL, x, y), apply(MUL, x, z));
            [apply(MUL, x, sum), apply(ADD, xy, xz)]
        }
        Axiom::NegateSum => {
            let sum = apply(ADD, x, y);
            let [x, y, sum] = [x, y, sum].map(|term| space.unary_term(NEG, term).unwrap());
            [sum, space.binary_term(ADD, x, y).unwrap()]
        }
        Axiom::Reciprocal => {
            let [three, third] = [3.0, 1.0 / 3.0].map(|x| space.constant_term(Constant::f64(x)));
            let quotient = space.binary_term(BinaryOp::Div, x, three).unwrap();
            [quotient, space.binary_term(MUL, x, third).unwrap()]
        }
        // This one is about inputs, and no law of a form.
        Axiom::Numbers => [x, x],
    }
}

#[test]
fn an_axiom_is_a_law_of_reals_and_not_of_bits() {
    let mut random = Random(0x51ed_270b_9d3c_11a5);
    for axiom in Axiom::ALL.into_iter().filter(|axiom| *axiom != Axiom::Numbers) {
        let (space, leaves, symbols) = unknowns();
        let is_real = axiom != Axiom::Reciprocal;
        let [a, b] = sides(axiom, &space, leaves);
        for (theory, proved) in [
            (Theory::Axioms(Axioms::NONE), false),
            (Theory::Axioms(Axioms::from_iter([axiom])), true),
            (Theory::Axioms(Axioms::all().without(axiom)), false),
            (Theory::Reals, is_real),
        ] {
            let same = same(theory, &space, a, b);
            assert_eq!(same, proved, "{} in {theory:?}", axiom.name());
        }
        let mut differ = 0;
        for _ in 0..2000 {
            let at = assignment(&mut random, symbols, &AWKWARD);
            differ += usize::from(bits(&space, a, &at) != bits(&space, b, &at));
            let at = assignment(&mut random, symbols, &[0.5, -3.0, 2.0, 7.0, 0.1]);
            let same = real(&space, a, &at) == real(&space, b, &at);
            assert_eq!(same, is_real, "{}", axiom.name());
        }
        assert!(differ > 0, "{} holds bit for bit", axiom.name());
    }
}

/// Tests whether these steps join two floats.
fn joins(theory: Theory, space: &Space, steps: &[Join], a: TermId, b: TermId) -> bool {
    Classes::of(space, theory, steps).is_some_and(|classes| classes.same(a, b))
}

#[test]
fn a_step_is_refused_where_its_law_is_missing() {
    for axiom in Axiom::ALL.into_iter().filter(|axiom| *axiom != Axiom::Numbers) {
        let (space, leaves, _) = unknowns();
        let [a, b] = sides(axiom, &space, leaves);
        let own = Theory::Axioms(Axioms::from_iter([axiom]));
        let steps = proof(own, &space, a, b).unwrap();
        assert!(joins(own, &space, &steps, a, b));
        for weaker in [Axioms::NONE, Axioms::all().without(axiom)] {
            let weaker = Theory::Axioms(weaker);
            assert!(!joins(weaker, &space, &steps, a, b), "{}", axiom.name());
        }
        let is_real = axiom != Axiom::Reciprocal;
        assert_eq!(joins(Theory::Reals, &space, &steps, a, b), is_real, "{}", axiom.name());
    }
}

#[test]
fn steps_between_different_floats_are_refused() {
    let (space, [x, y, z], _) = unknowns();
    let literals = [0.0, 1.0, 2.0, 3.0, 0.1, 0.2, 0.3, f64::INFINITY];
    let literals = literals.map(|number| space.constant_term(Constant::f64(number)));
    let [zero, one, two, three, tenth, fifth, rest, infinity] = literals;
    let apply = |op, a, b| space.binary_term(op, a, b).unwrap();
    let (xy, xz, difference) = (apply(ADD, x, y), apply(ADD, x, z), apply(SUB, x, y));
    let (third, tenths) = (apply(BinaryOp::Div, one, three), apply(ADD, tenth, fifth));
    let (unit, naught) = (apply(MUL, third, three), apply(BinaryOp::Div, one, zero));
    let (min, max) = (apply(BinaryOp::Min, x, y), apply(BinaryOp::Max, x, y));
    let turned = apply(BinaryOp::Min, y, x);
    let symbol = space.fresh("n");
    let number = space.leaf(Term::Parameter(symbol, Scalar::I32));
    let all = Theory::Axioms(Axioms::all());
    let bits = Theory::Axioms(Axioms::NONE);
    let steps = [
        (Theory::Reals, Join::Applied(xy, vec![x, z])),
        (Theory::Reals, Join::Applied(xy, vec![x])),
        (Theory::Reals, Join::Applied(difference, vec![y, x])),
        (Theory::Reals, Join::Regrouped(ADD, xy, xz)),
        (Theory::Reals, Join::Regrouped(SUB, difference, difference)),
        (Theory::Reals, Join::Regrouped(BinaryOp::Min, min, max)),
        (bits, Join::Regrouped(BinaryOp::Min, min, turned)),
        (Theory::Reals, Join::Number(one, two)),
        (Theory::Reals, Join::Number(tenths, rest)),
        (Theory::Reals, Join::Number(naught, zero)),
        (Theory::Reals, Join::Number(infinity, infinity)),
        (Theory::Reals, Join::Number(x, x)),
        (all, Join::Number(unit, one)),
        (all, Join::Law(Law::Quotient, [x, y, z])),
        (all, Join::Law(Law::Inverse, [x, three, tenth])),
        (bits, Join::Law(Law::Inverse, [x, three, third])),
        (all, Join::Law(Law::Moved(BinaryOp::Min), [x, y, one])),
        (all, Join::Law(Law::Moved(BinaryOp::Min), [x, one, zero])),
        (all, Join::Law(Law::Moved(BinaryOp::Min), [x, one, infinity])),
        (all, Join::Law(Law::Moved(ADD), [x, one, two])),
        (Theory::Reals, Join::Law(Law::AddZero, [infinity; 3])),
        (all, Join::Law(Law::Difference, [number; 3])),
        (all, Join::Law(Law::Difference, [x, number, x])),
    ];
    for (theory, step) in steps {
        let found = Classes::of(&space, theory, std::slice::from_ref(&step));
        assert!(found.is_none(), "{step:?} in {theory:?}");
    }
    let right = [Join::Number(unit, one), Join::Applied(xy, vec![x, y])];
    assert!(joins(Theory::Reals, &space, &right, unit, one));
}

#[test]
fn operators_that_see_the_sign_of_zero_keep_it() {
    let (space, [x, y, _], _) = unknowns();
    let zero = space.constant_term(Constant::f64(0.0));
    let sum = space.binary_term(ADD, x, zero).unwrap();
    let classes = |op| {
        let term = space.binary_term(op, y, sum).unwrap();
        let operands = space.operands(term);
        let other = operands.iter().map(|term| if *term == sum { x } else { *term });
        let proof = vec![Join::Law(Law::AddZero, [x; 3]), Join::Applied(term, other.collect())];
        Classes::up_to_sign_of_zero(&space, &[Vec::new(), proof])
    };
    assert!(classes(MUL).is_some() && classes(ADD).is_some());
    assert!(classes(BinaryOp::Div).is_none() && classes(BinaryOp::Min).is_none());
}

/// A literal may be added before or after a minimum with a literal, and a quotient by a power of
/// two is a product: both bit for bit, of every float.
#[test]
fn literals_move_only_where_all_bits_stay() {
    let literals = [0.0, -0.0, 0.5, -0.5, 0.1, 254.5, 1e300, -1e308, f64::MAX, 1e-310];
    let (mut random, mut moved) = (Random(0x9e37_79b9_7f4a_7c15), 0);
    for (limit, by) in literals.iter().flat_map(|x| literals.map(|y| (*x, y))) {
        for op in [BinaryOp::Min, BinaryOp::Max] {
            for first in [false, true] {
                let space = Space::new();
                let symbols = ["x", "y", "z"].map(|name| space.fresh(name));
                let x = space.leaf(Term::Parameter(symbols[0], Scalar::F64));
                let [limit, by] = [limit, by].map(|x| space.constant_term(Constant::f64(x)));
                let extreme = |x, limit| {
                    let (a, b) = if first { (limit, x) } else { (x, limit) };
                    space.binary_term(op, a, b).unwrap()
                };
                let inside = extreme(x, limit);
                let outside = space.binary_term(ADD, inside, by).unwrap();
                let [sum, limit] = [x, limit].map(|x| space.binary_term(ADD, x, by).unwrap());
                let (a, b) = if first { (limit, sum) } else { (sum, limit) };
                let inside = space.binary_term(op, a, b).unwrap();
                let bits_alone = Theory::Axioms(Axioms::NONE);
                if !same(bits_alone, &space, outside, inside) {
                    continue;
                }
                moved += 1;
                for _ in 0..200 {
                    let mut at = assignment(&mut random, symbols, &AWKWARD);
                    let near = literals[random.below(10) as usize];
                    if random.below(2) == 0 {
                        let next = near.to_bits().wrapping_add(random.below(3) as u64);
                        at.insert(symbols[0], f64::from_bits(next.wrapping_sub(1)));
                    }
                    assert_eq!(bits(&space, outside, &at), bits(&space, inside, &at), "{at:?}");
                }
            }
        }
    }
    assert!(moved > 200, "only {moved}");
    for (divisor, is_same) in [(0.25, true), (-8.0, true), (3.0, false), (1e-310, false)] {
        let (space, [x, ..], symbols) = unknowns();
        let [by, inverse] = [divisor, 1.0 / divisor].map(|x| space.constant_term(Constant::f64(x)));
        let quotient = space.binary_term(BinaryOp::Div, x, by).unwrap();
        let product = space.binary_term(MUL, x, inverse).unwrap();
        let bits_alone = Theory::Axioms(Axioms::NONE);
        let same = same(bits_alone, &space, quotient, product);
        assert_eq!(same, is_same, "by {divisor}");
        for _ in 0..200 {
            let at = assignment(&mut random, symbols, &AWKWARD);
            let alike = bits(&space, quotient, &at) == bits(&space, product, &at);
            assert!(alike || !is_same, "{at:?} by {divisor}");
        }
    }
}

#[test]
fn names_are_different() {
    for (number, axiom) in Axiom::ALL.iter().enumerate() {
        for other in &Axiom::ALL[..number] {
            assert!(axiom.name() != other.name() && axiom.law() != other.law());
        }
        assert!(Axioms::all().contains(*axiom) && !Axioms::all().without(*axiom).contains(*axiom));
    }
    let two = Axioms::from_iter([Axiom::AddZero, Axiom::AddAssociative]);
    assert_eq!(two.to_string(), "float-add-associative, float-add-zero");
}

/// Evaluates a float of `u8`s, with products and sums rounded at once where `fuses` says so.
fn rounded(
    space: &Space,
    term: TermId,
    at: &FxHashMap<Symbol, u8>,
    fuses: &mut dyn FnMut() -> bool,
) -> f32 {
    let of = |constant: Constant| constant.as_f32().unwrap();
    if let Term::Cast(_, operand) = *space.term(term) {
        let Term::Parameter(symbol, _) = space.term(operand) else { panic!("no parameter") };
        return f32::from(at[symbol]);
    }
    if let Term::Unary(op, a) = *space.term(term) {
        return of(eval::unary(op, Constant::f32(rounded(space, a, at, fuses))).unwrap());
    }
    let Term::Binary(op, first, second) = *space.term(term) else {
        return of(space.term_constant(term).unwrap());
    };
    let [left, right] = [first, second].map(|term| rounded(space, term, at, fuses));
    let sign = if op == SUB { -1.0 } else { 1.0 };
    if op != MUL && fuses() {
        for (product, other, sign) in [(first, sign * right, 1.0), (second, left, sign)] {
            if let Term::Binary(MUL, factor, by) = *space.term(product) {
                let [factor, by] = [factor, by].map(|term| rounded(space, term, at, fuses));
                return (sign * factor).mul_add(by, other);
            }
        }
    }
    of(eval::binary(op, Constant::f32(left), Constant::f32(right)).unwrap())
}

#[test]
fn floats_lie_within_their_ranges_and_clamps_that_are_dropped_change_nothing() {
    const LITERALS: [f32; 12] =
        [0.0, -0.0, 1.0, -1.0, 0.299, 0.587, 0.114, 1e-44, -1e-44, 3e36, 1e38, 255.0];
    let mut random = Random(31);
    let (mut known, mut dropped, mut narrow) = (0, 0, 0);
    for round in 0..3000 {
        let contracted = round % 2 == 0;
        let space = Space::new().contracted(contracted);
        let symbols = ["a", "b"].map(|name| space.fresh(name));
        let mut terms: Vec<TermId> = symbols
            .iter()
            .map(|symbol| {
                let value = space.leaf(Term::Parameter(*symbol, Scalar::U8));
                space.cast_term(Scalar::F32, value).unwrap()
            })
            .collect();
        let literal = |random: &mut Random| {
            space.constant_term(Constant::f32(LITERALS[random.below(12) as usize]))
        };
        for _ in 0..6 {
            let a = terms[random.below(terms.len() as u64) as usize];
            let b = match random.below(3) {
                0 => literal(&mut random),
                _ => terms[random.below(terms.len() as u64) as usize],
            };
            terms.push(match random.below(8) {
                0 => space.unary_term(NEG, a).unwrap(),
                1 | 2 => space.binary_term(ADD, a, b).unwrap(),
                3 => space.binary_term(SUB, b, a).unwrap(),
                _ => space.binary_term(MUL, a, b).unwrap(),
            });
        }
        let float = *terms.last().unwrap();
        let Some([least, greatest]) = space.float_range(float) else {
            continue;
        };
        known += 1;
        let [low, high] = [least, greatest].map(|end| end.as_f32().unwrap());
        let converted = space.cast_term(Scalar::I32, float).unwrap();
        let integers = space.value_range(converted).unwrap();
        narrow += u32::from(Scalar::I32.range() != Some(integers));
        let near = [low, high, low.next_up(), high.next_down(), 0.0, -0.0, 255.0];
        let bound = space.constant_term(Constant::f32(near[random.below(7) as usize]));
        let op = [BinaryOp::Min, BinaryOp::Max][random.below(2) as usize];
        let clamp = match random.below(2) {
            0 => space.binary_term(op, float, bound).unwrap(),
            _ => space.binary_term(op, bound, float).unwrap(),
        };
        let is_same = same(Theory::Axioms(Axioms::NONE), &space, clamp, float);
        dropped += u32::from(is_same && clamp != float);
        for _ in 0..40 {
            let at = symbols.map(|symbol| (symbol, [0, 1, 254, 255][random.below(4) as usize]));
            let at: FxHashMap<Symbol, u8> = at.into_iter().collect();
            let mut fuses = || contracted && random.below(2) == 0;
            let value = rounded(&space, float, &at, &mut fuses);
            assert!(low.total_cmp(&value).is_le() && value.total_cmp(&high).is_le());
            let integer = eval::cast(Scalar::I32, Constant::f32(value)).unwrap();
            let integer = integer.as_integer().unwrap();
            assert!(integers.0 <= integer && integer <= integers.1, "{integer} of {value}");
            let bound = space.term_constant(bound).unwrap();
            let clamped = eval::binary(op, Constant::f32(value), bound).unwrap();
            let turned = eval::binary(op, bound, Constant::f32(value)).unwrap();
            for clamped in [clamped, turned] {
                assert!(!is_same || clamped.as_f32().unwrap().to_bits() == value.to_bits());
            }
        }
    }
    assert!(known > 1000 && dropped > 300, "{known} ranges, {dropped} clamps");
    assert!(narrow > 1000, "{narrow} ranges of integers");
}

#[test]
fn a_clamp_is_dropped_only_where_floats_are_compared_bit_for_bit() {
    for space in [Space::new(), Space::as_written(FxHashMap::default())] {
        let value = space.leaf(Term::Parameter(space.fresh("a"), Scalar::U8));
        let float = space.cast_term(Scalar::F32, value).unwrap();
        let bound = space.constant_term(Constant::f32(255.0));
        let clamp = space.binary_term(BinaryOp::Min, float, bound).unwrap();
        let is_bits = !space.is_as_written();
        assert_eq!(same(Theory::Axioms(Axioms::NONE), &space, clamp, float), is_bits);
        assert!(!same(Theory::Axioms(Axioms::all()), &space, clamp, float));
        assert!(!same(Theory::Reals, &space, clamp, float));
        assert_eq!(same_up_to_sign_of_zero(&space, clamp, float), is_bits);
    }
}
