//! Integer arithmetic in normal form.
//!
//! # Correctness
//! The comment of each maker gives its identity over the integers. Division follows the language:
//! it is Euclidean, and 0 where the divisor is 0. For a positive constant divisor it is the floor
//! of the quotient. Only in this case are terms pulled out of it.

use super::{Atom, AtomId, Formula, FormulaId, Monomial, Poly, PolyId, Space, Symbol, TermId};

impl Space {
    /// Makes a constant.
    pub(crate) fn constant(&self, value: i128) -> PolyId {
        let terms = if value == 0 { Vec::new() } else { vec![(Monomial::default(), value)] };
        self.intern_poly(Poly(terms.into()))
    }

    /// Turns an atom into an integer.
    pub(crate) fn atom_poly(&self, atom: AtomId) -> PolyId {
        self.intern_poly(Poly(Box::new([(Monomial::from_slice(&[atom]), 1)])))
    }

    fn intern_atom(&self, atom: Atom) -> PolyId {
        self.atom_poly(self.atoms.intern(atom))
    }

    /// Turns a symbol into an integer.
    pub(crate) fn symbol(&self, symbol: Symbol) -> PolyId {
        self.intern_atom(Atom::Symbol(symbol))
    }

    /// Makes a fresh symbol as an integer.
    pub(crate) fn fresh_poly(&self, name: impl Into<String>) -> PolyId {
        self.symbol(self.fresh(name))
    }

    /// The number of a machine integer as an opaque atom; see [`Space::integer_of`].
    pub(super) fn opaque_value(&self, term: TermId) -> PolyId {
        self.intern_atom(Atom::Value(term))
    }

    /// Returns the value of a constant polynomial.
    pub(crate) fn as_constant(&self, poly: PolyId) -> Option<i128> {
        match &*self.polys[poly].0 {
            [] => Some(0),
            [(monomial, value)] if monomial.is_empty() => Some(*value),
            _ => None,
        }
    }

    /// Returns the atom if a polynomial is a single atom with coefficient 1.
    pub(crate) fn as_atom(&self, poly: PolyId) -> Option<AtomId> {
        match &*self.polys[poly].0 {
            [(monomial, 1)] if monomial.len() == 1 => monomial.first().copied(),
            _ => None,
        }
    }

    /// Returns the atom and the coefficient if a polynomial is a multiple of one atom.
    pub(super) fn as_multiple(&self, poly: PolyId) -> Option<(AtomId, i128)> {
        match &*self.polys[poly].0 {
            [(monomial, by)] if monomial.len() == 1 => Some((*monomial.first()?, *by)),
            _ => None,
        }
    }

    /// Returns the symbol if a polynomial is a single symbol.
    pub(crate) fn as_symbol(&self, poly: PolyId) -> Option<Symbol> {
        let Atom::Symbol(symbol) = self.atoms[self.as_atom(poly)?] else { return None };
        Some(symbol)
    }

    /// The sum of `scale * poly` over the pairs.
    pub(crate) fn combine(&self, parts: &[(PolyId, i128)]) -> PolyId {
        let mut terms: Vec<(Monomial, i128)> = Vec::new();
        for (poly, scale) in parts {
            for (monomial, coefficient) in &self.polys[*poly].0 {
                terms.push((monomial.clone(), self.checked(coefficient.checked_mul(*scale))));
            }
        }
        self.collect(terms)
    }

    /// Makes the polynomial with these terms, which may be unordered and repeated.
    pub(crate) fn collect(&self, mut terms: Vec<(Monomial, i128)>) -> PolyId {
        terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut sum: Vec<(Monomial, i128)> = Vec::with_capacity(terms.len());
        for (monomial, coefficient) in terms {
            match sum.last_mut() {
                Some((last, total)) if *last == monomial => {
                    *total = self.checked(total.checked_add(coefficient));
                }
                _ => sum.push((monomial, coefficient)),
            }
        }
        sum.retain(|(_, coefficient)| *coefficient != 0);
        self.intern_poly(Poly(sum.into()))
    }

    pub(crate) fn add(&self, a: PolyId, b: PolyId) -> PolyId {
        self.combine(&[(a, 1), (b, 1)])
    }

    pub(crate) fn sub(&self, a: PolyId, b: PolyId) -> PolyId {
        self.combine(&[(a, 1), (b, -1)])
    }

    pub(crate) fn scale(&self, a: PolyId, factor: i128) -> PolyId {
        self.combine(&[(a, factor)])
    }

    /// `a + offset`.
    pub(crate) fn offset(&self, a: PolyId, offset: i128) -> PolyId {
        self.add(a, self.constant(offset))
    }

    pub(crate) fn mul(&self, a: PolyId, b: PolyId) -> PolyId {
        let (left, right) = (&self.polys[a], &self.polys[b]);
        let mut terms = Vec::with_capacity(left.0.len() * right.0.len());
        for (m, c) in &left.0 {
            for (n, d) in &right.0 {
                let mut monomial: Vec<AtomId> = m.iter().chain(n.iter()).copied().collect();
                monomial.sort_unstable();
                terms.push((monomial.into(), self.checked(c.checked_mul(*d))));
            }
        }
        self.collect(terms)
    }

    /// Returns the terms that two polynomials share, and the rest of each: `a = shared + rest_a`,
    /// `b = shared + rest_b`. The lesser constant is shared, so that adding one number to both
    /// changes only `shared`.
    fn share(&self, a: PolyId, b: PolyId) -> (PolyId, PolyId, PolyId) {
        let right = &self.polys[b];
        let constant = self.content(a).1.min(self.content(b).1);
        let mut shared: Vec<(Monomial, i128)> = self.polys[a]
            .0
            .iter()
            .filter(|term| !term.0.is_empty() && right.0.binary_search(term).is_ok())
            .cloned()
            .collect();
        shared.push((Monomial::default(), constant));
        let shared = self.collect(shared);
        (shared, self.sub(a, shared), self.sub(b, shared))
    }

    /// The least of two: `min(s + a, s + b) = s + min(a, b)`, `min(g·a, g·b) = g·min(a, b)` for
    /// `g > 0`, associative, commutative, idempotent; decided where the difference is constant.
    pub(crate) fn min(&self, a: PolyId, b: PolyId) -> PolyId {
        let (shared, rest_a, rest_b) = self.share(a, b);
        let mut operands = Vec::new();
        for rest in [rest_a, rest_b] {
            match self.as_multiple(rest).map(|(atom, by)| (&self.atoms[atom], by)) {
                Some((Atom::Min(inner), by)) if by > 0 => {
                    operands.extend(inner.iter().map(|operand| self.scale(*operand, by)));
                }
                Some(_) | None => operands.push(rest),
            }
        }
        let mut kept: Vec<PolyId> = Vec::new();
        for operand in operands {
            let mut dominated = false;
            for index in (0..kept.len()).rev() {
                match self.as_constant(self.sub(operand, kept[index])) {
                    Some(difference) if difference >= 0 => dominated = true,
                    Some(_) => drop(kept.remove(index)),
                    None => {}
                }
            }
            if !dominated {
                kept.push(operand);
            }
        }
        self.absorb(&mut kept);
        let coefficients = kept.iter().flat_map(|operand| self.polys[*operand].0.iter());
        let common = coefficients.fold(0, |common, (_, coefficient)| gcd(common, *coefficient));
        let common = common.max(1);
        for operand in &mut kept {
            let terms = self.polys[*operand].0.iter();
            let terms = terms.map(|(monomial, by)| (monomial.clone(), by / common)).collect();
            *operand = self.collect(terms);
        }
        kept.sort_unstable();
        let least = match *kept.as_slice() {
            [only] => only,
            _ => self.intern_atom(Atom::Min(kept.into())),
        };
        self.combine(&[(shared, 1), (least, common)])
    }

    /// Drops operands of a minimum that are at least another operand: `a <= max(a, b)`, so
    /// `min(a, max(a, b)) = a`.
    fn absorb(&self, operands: &mut Vec<PolyId>) {
        let mut index = 0;
        while let Some(operand) = operands.get(index).copied() {
            let least = self.at_least(operand);
            let dropped = operands.iter().enumerate().any(|(other, smaller)| {
                other != index
                    && least.iter().any(|least| {
                        self.as_constant(self.sub(*least, *smaller)).is_some_and(|room| room >= 0)
                    })
            });
            if dropped {
                operands.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Returns lower bounds of an integer: each replaces one minimum that has a negative
    /// coefficient by one of its operands.
    fn at_least(&self, poly: PolyId) -> Vec<PolyId> {
        let mut found = Vec::new();
        for (monomial, by) in &self.polys[poly].0 {
            let [atom] = **monomial else { continue };
            let Atom::Min(operands) = &self.atoms[atom] else { continue };
            if *by < 0 {
                let this = self.atom_poly(atom);
                found.extend(
                    operands.iter().map(|o| self.combine(&[(poly, 1), (this, -by), (*o, *by)])),
                );
            }
        }
        found
    }

    /// The greatest of two: `max(a, b) = -min(-a, -b)`.
    pub(crate) fn max(&self, a: PolyId, b: PolyId) -> PolyId {
        self.scale(self.min(self.scale(a, -1), self.scale(b, -1)), -1)
    }

    /// The Euclidean quotient, 0 where `divisor` is 0.
    pub(crate) fn div(&self, dividend: PolyId, divisor: PolyId) -> PolyId {
        match self.as_constant(divisor) {
            Some(0) => self.constant(0),
            // The remainder does not depend on the divisor's sign, so `x / -n = -(x / n)`.
            Some(divisor) if divisor < 0 => {
                self.scale(self.floor_div(dividend, self.checked(divisor.checked_neg())), -1)
            }
            Some(divisor) => self.floor_div(dividend, divisor),
            None if self.as_constant(dividend) == Some(0) => dividend,
            None => self.intern_atom(Atom::Div(dividend, divisor)),
        }
    }

    /// `floor(dividend / divisor)` for `divisor > 0`: `floor((n·a + b) / n) = a + floor(b / n)`,
    /// `floor((floor(x / m) + c) / n) = floor((x + c·m) / (m·n))`,
    /// `floor((g·b + c) / (g·n)) = floor((b + floor(c / g)) / n)` for a constant `c`.
    fn floor_div(&self, dividend: PolyId, divisor: i128) -> PolyId {
        if divisor <= 1 {
            self.overflowed.set(self.overflowed() || divisor < 1);
            return dividend;
        }
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        for (monomial, coefficient) in &self.polys[dividend].0 {
            whole.push((monomial.clone(), coefficient.div_euclid(divisor)));
            rest.push((monomial.clone(), coefficient.rem_euclid(divisor)));
        }
        let (whole, rest) = (self.collect(whole), self.collect(rest));
        if self.as_constant(rest).is_some() {
            // Invariant: a constant rest lies in 0 .. divisor.
            return whole;
        }
        let (content, constant) = self.content(rest);
        let common = gcd(content, divisor);
        if common > 1 {
            let reduced = self.collect_quotients(rest, common, constant.div_euclid(common));
            return self.add(whole, self.floor_div(reduced, divisor / common));
        }
        let variable = self.sub(rest, self.constant(constant));
        if let Some(atom) = self.as_atom(variable)
            && let Atom::Div(inner, by) = self.atoms[atom]
            && let Some(by) = self.as_constant(by).filter(|by| *by > 0)
        {
            let inner = self.offset(inner, self.checked(constant.checked_mul(by)));
            return self.add(whole, self.floor_div(inner, self.checked(divisor.checked_mul(by))));
        }
        self.add(whole, self.intern_atom(Atom::Div(rest, self.constant(divisor))))
    }

    /// The Euclidean remainder: `a - b·(a / b)`, and 0 where `b` is 0.
    pub(crate) fn modulo(&self, a: PolyId, b: PolyId) -> PolyId {
        let rest = self.sub(a, self.mul(self.div(a, b), b));
        match self.as_constant(b) {
            Some(0) => self.constant(0),
            Some(_) => rest,
            None => self.choose(self.zero(b), self.constant(0), rest),
        }
    }

    /// `condition ? a : b`, with `choose(c, s + a, s + b) = s + choose(c, a, b)`.
    pub(crate) fn choose(&self, condition: FormulaId, a: PolyId, b: PolyId) -> PolyId {
        if a == b || self.formulas[condition] == Formula::True {
            return a;
        }
        if self.formulas[condition] == Formula::False {
            return b;
        }
        let (shared, a, b) = self.share(a, b);
        self.add(shared, self.intern_atom(Atom::Select(condition, a, b)))
    }

    /// Returns the greatest common divisor of all coefficients except the constant, and the
    /// constant.
    pub(super) fn content(&self, poly: PolyId) -> (i128, i128) {
        let mut content = 0;
        let mut constant = 0;
        for (monomial, coefficient) in &self.polys[poly].0 {
            if monomial.is_empty() {
                constant = *coefficient;
            } else {
                content = gcd(content, *coefficient);
            }
        }
        (content, constant)
    }

    /// Divides every coefficient by `by`, which divides all of them except the constant, and sets
    /// this constant.
    pub(super) fn collect_quotients(&self, poly: PolyId, by: i128, constant: i128) -> PolyId {
        let mut terms: Vec<(Monomial, i128)> = self.polys[poly]
            .0
            .iter()
            .filter(|(monomial, _)| !monomial.is_empty())
            .map(|(monomial, coefficient)| (monomial.clone(), coefficient / by))
            .collect();
        terms.push((Monomial::default(), constant));
        self.collect(terms)
    }
}

/// The greatest common divisor, at least 0.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    i128::try_from(num_integer::gcd(a.unsigned_abs(), b.unsigned_abs())).unwrap_or(1)
}
