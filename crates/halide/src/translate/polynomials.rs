//! Integers of a program as polynomials: enough to see that an index is a multiple of a number, and
//! that two indices are never equal.
//!
//! # Correctness
//! Every expression has a polynomial: any subexpression other than a sum or product becomes an
//! unknown. Equal polynomials therefore have equal values. Names are replaced by the values that
//! they are bound to, if these read no memory, so that an unknown has the same value wherever it is
//! evaluated.

use std::collections::BTreeMap;

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, VarId};

/// The values of names.
pub(super) type Definitions = FxHashMap<VarId, ExprId>;

/// The greatest depth to which names and operators are followed.
const DEPTH: usize = 200;

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

/// Products of unknowns, each sorted, with their coefficients; no coefficient is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Polynomial(BTreeMap<Vec<Unknown>, i128>);

impl Polynomial {
    /// A constant polynomial.
    pub(super) fn constant(value: i128) -> Self {
        let mut terms = BTreeMap::new();
        if value != 0 {
            terms.insert(Vec::new(), value);
        }
        Self(terms)
    }

    fn unknown(unknown: Unknown) -> Self {
        Self(BTreeMap::from([(vec![unknown], 1)]))
    }

    /// The polynomial of an integer; `None` if its coefficients are too large.
    pub(super) fn of(pool: &Pool, definitions: &Definitions, id: ExprId) -> Option<Self> {
        Self::within(pool, definitions, id, DEPTH)
    }

    fn within(pool: &Pool, definitions: &Definitions, id: ExprId, depth: usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        let inner = |id: ExprId| Self::within(pool, definitions, id, depth);
        if let Some(value) = pool.as_constant(id).and_then(Constant::as_integer) {
            return Some(Self::constant(value));
        }
        if let Expr::Var(var) = pool.get(id) {
            return match definitions.get(var) {
                Some(value) => inner(*value),
                None => Some(Self::unknown(Unknown::Var(*var))),
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
                return Some(Self::unknown(Unknown::Remainder(inner(a)?, modulus)));
            }
        }
        Some(Self::unknown(Unknown::Other(id)))
    }

    /// `self + factor * other`.
    pub(super) fn plus(&self, other: &Self, factor: i128) -> Option<Self> {
        let mut terms = self.0.clone();
        for (product, value) in &other.0 {
            let sum = terms.get(product).copied().unwrap_or(0);
            let sum = sum.checked_add(value.checked_mul(factor)?)?;
            if sum == 0 {
                terms.remove(product);
            } else {
                terms.insert(product.clone(), sum);
            }
        }
        Some(Self(terms))
    }

    /// `self * other`.
    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut result = Self::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let mut product = [a.as_slice(), b.as_slice()].concat();
                product.sort();
                let term = Self(BTreeMap::from([(product, x.checked_mul(*y)?)]));
                result = result.plus(&term, 1)?;
            }
        }
        Some(result)
    }

    /// The polynomial's value, if it is constant.
    pub(super) fn as_constant(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            2.. => None,
        }
    }

    /// The remainder modulo a number, where it follows from the coefficients.
    pub(super) fn remainder(&self, modulus: i128) -> Option<i128> {
        let divides = |(product, value): (&Vec<Unknown>, &i128)| {
            product.is_empty() || value.rem_euclid(modulus) == 0
        };
        let own = self.0.get(&Vec::new()).copied().unwrap_or(0);
        (modulus > 0 && self.0.iter().all(divides)).then(|| own.rem_euclid(modulus))
    }

    /// The unknowns of the polynomial.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = &Unknown> {
        self.0.keys().flatten()
    }

    /// The polynomial of a variable.
    pub(super) fn of_var(var: VarId) -> Self {
        Self::unknown(Unknown::Var(var))
    }

    /// Tests whether the polynomial depends on some variables, even through names.
    pub(super) fn depends(&self, pool: &Pool, definitions: &Definitions, vars: &[VarId]) -> bool {
        self.unknowns().any(|unknown| match unknown {
            Unknown::Var(var) => vars.contains(var),
            Unknown::Remainder(of, _) => of.depends(pool, definitions, vars),
            Unknown::Other(id) => mentions(pool, definitions, *id, vars),
        })
    }

    /// Tests whether the polynomial depends on elements of memory, even through names.
    pub(super) fn loads(&self, pool: &Pool, definitions: &Definitions) -> bool {
        self.unknowns().any(|unknown| match unknown {
            // Its name would be expanded.
            Unknown::Var(_) => false,
            Unknown::Remainder(of, _) => of.loads(pool, definitions),
            Unknown::Other(id) => loads(pool, definitions, *id),
        })
    }

    /// Returns `(a, b)` such that the polynomial equals `a * unknown + b`, with the unknown in
    /// neither; `None` if it is not linear in the unknown.
    pub(super) fn split(&self, unknown: &Unknown) -> Option<(Self, Self)> {
        let (mut factor, mut rest) = (BTreeMap::new(), BTreeMap::new());
        for (product, value) in &self.0 {
            let count = product.iter().filter(|known| *known == unknown).count();
            match count {
                0 => {
                    rest.insert(product.clone(), *value);
                }
                1 => {
                    let others = product.iter().filter(|known| *known != unknown);
                    factor.insert(others.cloned().collect(), *value);
                }
                2.. => return None,
            }
        }
        Some((Self(factor), Self(rest)))
    }
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
        let mut unknowns = polynomial.unknowns();
        let (Some(unknown), None) = (unknowns.next(), unknowns.next()) else { return };
        let Some((factor, rest)) = polynomial.split(unknown) else { return };
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
        for (product, value) in &polynomial.0 {
            let mut term = Polynomial::constant(*value);
            for unknown in product {
                let Some(least) = self.0.get(unknown) else { return Some(false) };
                let above = Polynomial::unknown(unknown.clone());
                term = term.times(&above.plus(&Polynomial::constant(*least), 1)?)?;
            }
            moved = moved.plus(&term, 1)?;
        }
        Some(moved.0.values().all(|value| *value >= 0))
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
        let of = |pool: &Pool, id| Polynomial::of(pool, &none, id).unwrap();
        assert_eq!(of(&pool, sum).remainder(4), Some(2));
        assert_eq!(of(&pool, sum).remainder(8), None);
        let other = pool.declare_var("y", Type::INT);
        let definitions = Definitions::from_iter([(other, sum)]);
        let y = pool.var_expr(other);
        let difference = pool.sub(y, product);
        let found = Polynomial::of(&pool, &definitions, difference).unwrap();
        assert_eq!(found.as_constant(), Some(6));
        assert_eq!(of(&pool, difference).as_constant(), None);
    }

    #[test]
    fn products_of_bounded_unknowns_are_bounded() {
        let mut pool = Pool::new();
        let (a, b) = (pool.declare_var("a", Type::INT), pool.declare_var("b", Type::INT));
        let (x, y, two) = (pool.var_expr(a), pool.var_expr(b), pool.int(2));
        let (longer, product) = (pool.add(x, two), pool.mul(x, y));
        let none = Definitions::default();
        let of = |pool: &Pool, id| Polynomial::of(pool, &none, id).unwrap();
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
        let found = Polynomial::of(&pool, &none, sum).unwrap();
        let (factor, rest) = found.split(&Unknown::Var(a)).unwrap();
        assert_eq!(factor, Polynomial::of(&pool, &none, y).unwrap());
        assert_eq!(rest, Polynomial::of(&pool, &none, y).unwrap());
        let square = pool.mul(product, x);
        let found = Polynomial::of(&pool, &none, square).unwrap();
        assert!(found.split(&Unknown::Var(a)).is_none());
    }
}
