//! Integers of a program as polynomials: enough to see that an index is a multiple of a number, and
//! that two indices are never equal.
//!
//! # Correctness
//! Every expression has a polynomial: any subexpression other than a sum or product becomes an
//! unknown. Equal polynomials therefore have equal values. Names are replaced by the values that
//! they are bound to, if these read no memory, so that an unknown has the same value wherever it is
//! evaluated.

use std::cell::Cell;
use std::collections::BTreeMap;

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, VarId};
use halidom_sums::{Product, Sum};

/// The values of names.
pub(super) type Definitions = FxHashMap<VarId, ExprId>;

/// The greatest depth to which names and operators are followed.
const DEPTH: usize = 200;
/// The most names and operators that are followed for one answer. A name that is used twice is
/// followed twice, so chains of names would take exponential time.
const STEPS: usize = 20_000;

/// The depth and the steps that are left.
#[derive(Clone, Copy)]
struct Left<'a> {
    depth: usize,
    steps: &'a Cell<usize>,
}

impl Left<'_> {
    /// Takes one step, into a name or an operator. Returns `None` if no steps or no depth is left.
    fn within(self) -> Option<Self> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        Some(Self { depth: self.depth.checked_sub(1)?, ..self })
    }
}

/// An atom of a polynomial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unknown {
    /// A variable.
    Var(VarId),
    /// The remainder modulo a number that is not 0.
    Remainder(Polynomial, i128),
    /// Any other expression.
    Other(ExprId),
}

/// A sum of products of unknowns.
pub(super) type Polynomial = Sum<Product<Unknown>>;

/// The polynomial of an integer; `None` if its coefficients are too large.
pub(super) fn polynomial(pool: &Pool, definitions: &Definitions, id: ExprId) -> Option<Polynomial> {
    within(pool, definitions, id, Left { depth: DEPTH, steps: &Cell::new(STEPS) })
}

fn within(
    pool: &Pool,
    definitions: &Definitions,
    id: ExprId,
    left: Left<'_>,
) -> Option<Polynomial> {
    let left = left.within()?;
    let inner = |id: ExprId| within(pool, definitions, id, left);
    if let Some(value) = pool.as_constant(id).and_then(Constant::as_integer) {
        return Some(Polynomial::constant(value));
    }
    if let Expr::Var(var) = pool.get(id) {
        return match definitions.get(var) {
            Some(value) => inner(*value),
            None => Some(Polynomial::atom(Unknown::Var(*var))),
        };
    }
    if pool.ty(id) == halidom_ir::Type::INT
        && let Expr::Binary(op, a, b) = *pool.get(id)
    {
        if let BinaryOp::Add(_) = op {
            return inner(a)?.plus(&inner(b)?, 1);
        }
        if let BinaryOp::Sub(_) = op {
            return inner(a)?.plus(&inner(b)?, -1);
        }
        if let BinaryOp::Mul(_) = op {
            return inner(a)?.times(&inner(b)?);
        }
        if op == BinaryOp::Mod
            && let Some(modulus) = pool.as_constant(b).and_then(Constant::as_integer)
            && modulus > 0
        {
            return Some(Polynomial::atom(Unknown::Remainder(inner(a)?, modulus)));
        }
    }
    Some(Polynomial::atom(Unknown::Other(id)))
}

/// The remainder modulo a number, where it follows from the coefficients and from the remainders of
/// the unknowns.
pub(super) fn remainder(
    (pool, definitions): (&Pool, &Definitions),
    polynomial: &Polynomial,
    modulus: i128,
) -> Option<i128> {
    let left = Left { depth: DEPTH, steps: &Cell::new(STEPS) };
    remainder_within((pool, definitions), polynomial, modulus, left)
}

fn remainder_within(
    names: (&Pool, &Definitions),
    polynomial: &Polynomial,
    modulus: i128,
    left: Left<'_>,
) -> Option<i128> {
    if modulus <= 0 {
        return None;
    }
    let mut sum = 0_i128;
    for (product, value) in polynomial.terms() {
        let mut term = value.rem_euclid(modulus);
        for unknown in product.iter() {
            if term == 0 {
                break;
            }
            let factor = of_unknown(names, unknown, modulus, left)?;
            term = term.checked_mul(factor)?.rem_euclid(modulus);
        }
        sum = sum.checked_add(term)?.rem_euclid(modulus);
    }
    Some(sum)
}

/// The remainder of an unknown. A minimum, a maximum and a selection are one of their operands, so
/// they have a remainder that these share. A remainder modulo a multiple of the number has the
/// remainder of its dividend.
fn of_unknown(
    (pool, definitions): (&Pool, &Definitions),
    unknown: &Unknown,
    modulus: i128,
    left: Left<'_>,
) -> Option<i128> {
    let left = left.within()?;
    let inner =
        |polynomial: &Polynomial| remainder_within((pool, definitions), polynomial, modulus, left);
    let id = match unknown {
        Unknown::Var(_) => return None,
        Unknown::Remainder(dividend, by) => {
            return (by.rem_euclid(modulus) == 0).then(|| inner(dividend))?;
        }
        Unknown::Other(id) => *id,
    };
    let operands = if let Expr::Binary(BinaryOp::Min | BinaryOp::Max, a, b) = *pool.get(id) {
        [a, b]
    } else if let Expr::Select { condition: _, if_true, if_false } = *pool.get(id) {
        [if_true, if_false]
    } else {
        return None;
    };
    if pool.ty(id) != halidom_ir::Type::INT {
        return None;
    }
    let mut found = operands
        .into_iter()
        .map(|operand| within(pool, definitions, operand, left).as_ref().and_then(inner));
    let (first, second) = (found.next()??, found.next()??);
    (first == second).then_some(first)
}

/// The unknowns of a polynomial.
pub(super) fn unknowns(polynomial: &Polynomial) -> impl Iterator<Item = &Unknown> {
    polynomial.terms().flat_map(|(product, _)| product.iter())
}

/// Tests whether a polynomial depends on some variables, even through names.
pub(super) fn depends(
    polynomial: &Polynomial,
    pool: &Pool,
    definitions: &Definitions,
    vars: &[VarId],
) -> bool {
    unknowns(polynomial).any(|unknown| match unknown {
        Unknown::Var(var) => vars.contains(var),
        Unknown::Remainder(of, _) => depends(of, pool, definitions, vars),
        Unknown::Other(id) => mentions(pool, definitions, *id, vars),
    })
}

/// Tests whether a polynomial depends on elements of memory, even through names.
pub(super) fn reads_memory(
    polynomial: &Polynomial,
    pool: &Pool,
    definitions: &Definitions,
) -> bool {
    unknowns(polynomial).any(|unknown| match unknown {
        // Its name would be expanded.
        Unknown::Var(_) => false,
        Unknown::Remainder(of, _) => reads_memory(of, pool, definitions),
        Unknown::Other(id) => loads(pool, definitions, *id),
    })
}

/// Returns `(a, b)` such that the polynomial equals `a * unknown + b`, with the unknown in neither;
/// `None` if it is not linear in the unknown.
pub(super) fn split(
    polynomial: &Polynomial,
    unknown: &Unknown,
) -> Option<(Polynomial, Polynomial)> {
    let mut factor = Polynomial::default();
    for (product, value) in polynomial.terms() {
        let Some(others) = product.without(std::slice::from_ref(unknown)) else { continue };
        if others.contains(unknown) {
            return None;
        }
        factor = factor.plus(&Sum::term(others, value), 1)?;
    }
    let rest =
        polynomial.filter_map(|product, value| if product.contains(unknown) { 0 } else { value });
    Some((factor, rest))
}

/// Tests whether an expression has loads, even through names.
fn loads(pool: &Pool, definitions: &Definitions, id: ExprId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(id, &mut |_, expr| {
        if let Expr::Load { .. } = expr {
            found = true;
        }
        if let Expr::Var(var) = expr {
            let value = definitions.get(var);
            found = found || value.is_some_and(|value| loads(pool, definitions, *value));
        }
    });
    found
}

/// Tests whether an expression mentions some variables, even through names.
fn mentions(pool: &Pool, definitions: &Definitions, id: ExprId, vars: &[VarId]) -> bool {
    let mut found = false;
    pool.for_each_subexpr(id, &mut |_, expr| {
        if let Expr::Var(var) = expr {
            let value = definitions.get(var);
            found = found
                || vars.contains(var)
                || value.is_some_and(|value| mentions(pool, definitions, *value, vars));
        }
    });
    found
}

/// Least values of unknowns.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds(BTreeMap<Unknown, i128>);

impl Bounds {
    /// Learns that a polynomial is at least some number. Only `unknown + constant` teaches
    /// anything.
    pub(super) fn at_least(&mut self, polynomial: &Polynomial, least: i128) {
        let mut unknowns = unknowns(polynomial);
        let (Some(unknown), None) = (unknowns.next(), unknowns.next()) else { return };
        let Some((factor, rest)) = split(polynomial, unknown) else { return };
        let (Some(1), Some(rest)) = (factor.as_constant(), rest.as_constant()) else { return };
        let Some(least) = least.checked_sub(rest) else { return };
        let known = self.0.entry(unknown.clone()).or_insert(least);
        *known = (*known).max(least);
    }

    /// Tests whether a polynomial is not negative: each unknown is replaced by its least value plus
    /// a number that is not negative, and then no coefficient is negative. `None` if a number is
    /// too large.
    pub(super) fn holds(&self, polynomial: &Polynomial) -> Option<bool> {
        let mut moved = Polynomial::default();
        for (product, value) in polynomial.terms() {
            let mut term = Polynomial::constant(value);
            for unknown in product.iter() {
                let Some(least) = self.0.get(unknown) else { return Some(false) };
                let above = Polynomial::atom(unknown.clone());
                term = term.times(&above.plus(&Polynomial::constant(*least), 1)?)?;
            }
            moved = moved.plus(&term, 1)?;
        }
        Some(moved.terms().all(|(_, value)| value >= 0))
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::{Pool, Type};

    use super::*;

    #[test]
    fn remainders_follow_from_factors_alone() {
        let mut pool = Pool::new();
        let var = pool.declare_var("x", Type::INT);
        let x = pool.var_expr(var);
        let [four, six] = [4, 6].map(|value| pool.int(value));
        let product = pool.mul(x, four);
        let sum = pool.add(product, six);
        let none = Definitions::default();
        let of = |pool: &Pool, id| polynomial(pool, &none, id).unwrap();
        assert_eq!(remainder((&pool, &none), &of(&pool, sum), 4), Some(2));
        assert_eq!(remainder((&pool, &none), &of(&pool, sum), 8), None);
        let other = pool.declare_var("y", Type::INT);
        let definitions = Definitions::from_iter([(other, sum)]);
        let y = pool.var_expr(other);
        let difference = pool.sub(y, product);
        let found = polynomial(&pool, &definitions, difference).unwrap();
        assert_eq!(found.as_constant(), Some(6));
        assert_eq!(of(&pool, difference).as_constant(), None);
    }

    #[test]
    fn an_operand_of_a_minimum_has_its_remainder() {
        let mut pool = Pool::new();
        let [a, b] = ["x", "y"].map(|name| pool.declare_var(name, Type::INT));
        let (x, y) = (pool.var_expr(a), pool.var_expr(b));
        let [six, eight, twelve] = [6, 8, 12].map(|value| pool.int(value));
        let multiple = pool.mul(x, eight);
        let none = Definitions::default();
        let of = |pool: &Pool, id, modulus| {
            remainder((pool, &none), &polynomial(pool, &none, id).unwrap(), modulus)
        };
        // min(8x, 12) + 6, and three times that.
        let least = pool.binary(BinaryOp::Min, multiple, twelve);
        let sum = pool.add(least, six);
        assert_eq!(of(&pool, sum, 4), Some(2));
        assert_eq!(of(&pool, sum, 8), None);
        let product = pool.mul(sum, sum);
        assert_eq!(of(&pool, product, 4), Some(0));
        // A bound with another remainder decides nothing, and a variable has none.
        let other = pool.binary(BinaryOp::Max, multiple, six);
        assert_eq!(of(&pool, other, 4), None);
        assert_eq!(of(&pool, other, 2), Some(0));
        let free = pool.binary(BinaryOp::Min, multiple, y);
        assert_eq!(of(&pool, free, 2), None);
        // A remainder modulo 8 tells the one modulo 4, not the one modulo 3.
        let rest = pool.binary(BinaryOp::Mod, sum, eight);
        assert_eq!(of(&pool, rest, 4), Some(2));
        assert_eq!(of(&pool, rest, 3), None);
    }

    #[test]
    fn products_of_bounded_unknowns_are_bounded() {
        let mut pool = Pool::new();
        let (a, b) = (pool.declare_var("a", Type::INT), pool.declare_var("b", Type::INT));
        let (x, y, two) = (pool.var_expr(a), pool.var_expr(b), pool.int(2));
        let (longer, product) = (pool.add(x, two), pool.mul(x, y));
        let none = Definitions::default();
        let of = |pool: &Pool, id| polynomial(pool, &none, id).unwrap();
        let mut known = Bounds::default();
        // a >= -1, b >= 3.
        known.at_least(&of(&pool, longer), 1);
        known.at_least(&of(&pool, y), 3);
        assert_eq!(known.holds(&of(&pool, longer)), Some(true));
        assert_eq!(known.holds(&of(&pool, x)), Some(false));
        assert_eq!(known.holds(&of(&pool, product)), Some(false));
        // (a + 1) * b.
        let (one, sum) = (pool.int(1), pool.add(product, y));
        assert_eq!(known.holds(&of(&pool, sum)), Some(true));
        let less = pool.sub(sum, one);
        assert_eq!(known.holds(&of(&pool, less)), Some(false));
        // Nothing is known of a product, or of a multiple.
        let twice = pool.mul(x, two);
        let mut other = Bounds::default();
        other.at_least(&of(&pool, product), 1);
        other.at_least(&of(&pool, twice), 1);
        assert_eq!(other.holds(&of(&pool, product)), Some(false));
        assert_eq!(other.holds(&of(&pool, x)), Some(false));
    }

    #[test]
    fn a_polynomial_is_split_at_an_unknown_that_is_linear() {
        let mut pool = Pool::new();
        let (a, b) = (pool.declare_var("a", Type::INT), pool.declare_var("b", Type::INT));
        let (x, y) = (pool.var_expr(a), pool.var_expr(b));
        let product = pool.mul(x, y);
        let sum = pool.add(product, y);
        let none = Definitions::default();
        let found = polynomial(&pool, &none, sum).unwrap();
        let (factor, rest) = split(&found, &Unknown::Var(a)).unwrap();
        assert_eq!(factor, polynomial(&pool, &none, y).unwrap());
        assert_eq!(rest, polynomial(&pool, &none, y).unwrap());
        let square = pool.mul(product, x);
        let found = polynomial(&pool, &none, square).unwrap();
        assert!(split(&found, &Unknown::Var(a)).is_none());
    }
}
