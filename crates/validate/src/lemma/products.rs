//! True facts about products.

use halidom_base::IndexSet;

use crate::space::{Atom, AtomId, FormulaId, Monomial, PolyId, Space};

/// The most pairs of products that are compared. Fewer lemmas can only prove less.
const MOST_PAIRS: usize = 64;

/// A product of two numbers at least 0 is at least 0. A product of two numbers at least 1 is at
/// least each of them.
pub(super) fn signs(space: &mut Space, monomial: &Monomial) -> Vec<FormulaId> {
    let [a, b] = **monomial else { return Vec::new() };
    let (a, b) = (space.atom_poly(a), space.atom_poly(b));
    let product = space.mul(a, b);
    let (zero, one) = (space.constant(0), space.constant(1));
    let (a_natural, b_natural) = (space.at_most(zero, a), space.at_most(zero, b));
    let natural = space.and(&[a_natural, b_natural]);
    let (a_positive, b_positive) = (space.at_most(one, a), space.at_most(one, b));
    let positive = space.and(&[a_positive, b_positive]);
    let (above, at_least_a, at_least_b) =
        (space.at_most(zero, product), space.at_most(a, product), space.at_most(b, product));
    let both = space.and(&[at_least_a, at_least_b]);
    vec![space.implies(natural, above), space.implies(positive, both)]
}

/// Returns the divisors among the atoms that are not numbers, each with its quotient. Products with
/// other atoms, such as strides, are seldom compared, and there are many of them.
pub(super) fn divisors(space: &mut Space, atoms: &IndexSet<AtomId>) -> Vec<(PolyId, PolyId)> {
    let mut divisors = Vec::new();
    for atom in atoms {
        if let Atom::Div(_, divisor) = *space.atom(*atom)
            && space.as_constant(divisor).is_none()
        {
            divisors.push((divisor, space.atom_poly(*atom)));
        }
    }
    divisors
}

/// Multiples of one number grow with the other factor: `n >= 0` and `a < b` imply `n·a + n <= n·b`,
/// and `a = b` implies `n·a = n·b`. Returns these lemmas for the multiples of a divisor.
pub(super) fn multiples(
    space: &mut Space,
    products: &[Monomial],
    atoms: &IndexSet<AtomId>,
) -> Vec<FormulaId> {
    let divisors = divisors(space, atoms);
    let mut multiples: IndexSet<(PolyId, PolyId)> = divisors.iter().copied().collect();
    for product in products {
        let [a, b] = **product else { continue };
        let (a, b) = (space.atom_poly(a), space.atom_poly(b));
        for (number, other) in [(a, b), (b, a)] {
            if divisors.iter().any(|(divisor, _)| *divisor == number) {
                multiples.insert((number, other));
            }
        }
    }
    let mut lemmas = Vec::new();
    for (position, (number, first)) in multiples.iter().enumerate() {
        for (other, second) in multiples.iter().take(position) {
            if number != other || lemmas.len() >= MOST_PAIRS {
                continue;
            }
            let zero = space.constant(0);
            let natural = space.at_most(zero, *number);
            let (a, b) = (space.mul(*number, *first), space.mul(*number, *second));
            let mut cases = Vec::new();
            for (less, more, low, high) in [(*first, *second, a, b), (*second, *first, b, a)] {
                let below = space.less(less, more);
                let step = space.add(low, *number);
                let grown = space.at_most(step, high);
                cases.push(space.implies(below, grown));
            }
            let cases = space.and(&cases);
            let (same, equal) = (space.equal(*first, *second), space.equal(a, b));
            let parts = [space.implies(natural, cases), space.implies(same, equal)];
            lemmas.push(space.and(&parts));
        }
    }
    lemmas
}

/// A product with a minimum or selection equals the product with the operand that is chosen.
/// Returns these lemmas if one of the factors is a divisor or a choice among divisors.
pub(super) fn of_choices(
    space: &mut Space,
    monomial: &Monomial,
    divisors: &[(PolyId, PolyId)],
) -> Vec<FormulaId> {
    let [a, b] = **monomial else { return Vec::new() };
    let mut lemmas = Vec::new();
    for (atom, factor) in [(a, b), (b, a)] {
        let operands: Vec<PolyId> = match space.atom(atom) {
            Atom::Min(operands) => operands.to_vec(),
            Atom::Select(_, x, y) => vec![*x, *y],
            Atom::Symbol(_) | Atom::Div(..) | Atom::Value(_) => continue,
        };
        let (this, factor) = (space.atom_poly(atom), space.atom_poly(factor));
        if !divides(space, factor, divisors) && !divides(space, this, divisors) {
            continue;
        }
        let product = space.mul(this, factor);
        for operand in operands {
            let chosen = space.equal(this, operand);
            let multiple = space.mul(operand, factor);
            let equal = space.equal(product, multiple);
            lemmas.push(space.implies(chosen, equal));
        }
    }
    lemmas
}

/// Tests whether an integer is a divisor, up to its sign, or a choice with such an operand.
fn divides(space: &mut Space, poly: PolyId, divisors: &[(PolyId, PolyId)]) -> bool {
    let negated = space.scale(poly, -1);
    if divisors.iter().any(|(divisor, _)| [poly, negated].contains(divisor)) {
        return true;
    }
    let operands: Vec<PolyId> = match space.as_atom(poly).map(|atom| space.atom(atom)) {
        Some(Atom::Min(operands)) => operands.to_vec(),
        Some(Atom::Select(_, a, b)) => vec![*a, *b],
        Some(Atom::Symbol(_) | Atom::Div(..) | Atom::Value(_)) | None => return false,
    };
    operands.into_iter().any(|operand| {
        let negated = space.scale(operand, -1);
        divisors.iter().any(|(divisor, _)| [operand, negated].contains(divisor))
    })
}
