//! Copies integers from one space to another.
//!
//! # Correctness
//! A copy is built with the makers of the other space from copies of its parts. So it denotes the
//! same integer under every assignment that gives each symbol and its partner one value. What is
//! not copied here has no copy at all.

use halidom_base::FxHashMap;

use super::{Atom, AtomId, Formula, FormulaId, PolyId, Space, Symbol, Term, TermId, Version};

/// Copies from one space to another.
pub(crate) struct Copies<'a> {
    from: &'a Space,
    to: &'a Space,
    /// The partners of the symbols of `from`.
    symbols: FxHashMap<Symbol, Symbol>,
    done: FxHashMap<PolyId, Option<PolyId>>,
}

impl<'a> Copies<'a> {
    pub(crate) fn new(
        from: &'a Space,
        to: &'a Space,
        partners: impl IntoIterator<Item = (Symbol, Symbol)>,
    ) -> Self {
        Self { from, to, symbols: partners.into_iter().collect(), done: FxHashMap::default() }
    }

    /// Returns the copy of an integer, if all its parts have copies.
    pub(crate) fn poly(&mut self, poly: PolyId) -> Option<PolyId> {
        if let Some(done) = self.done.get(&poly) {
            return *done;
        }
        let copy = self.sum(poly);
        self.done.insert(poly, copy);
        copy
    }

    fn sum(&mut self, poly: PolyId) -> Option<PolyId> {
        let mut parts = Vec::new();
        for (monomial, coefficient) in &self.from.poly(poly).0 {
            let mut product = self.to.constant(1);
            for atom in monomial {
                product = self.to.mul(product, self.atom(*atom)?);
            }
            parts.push((product, *coefficient));
        }
        Some(self.to.combine(&parts))
    }

    fn atom(&mut self, atom: AtomId) -> Option<PolyId> {
        let to = self.to;
        Some(match self.from.atom(atom) {
            Atom::Symbol(symbol) => to.symbol(*self.symbols.get(symbol)?),
            Atom::Min(operands) => {
                let operands = self.polys(operands)?;
                operands.into_iter().reduce(|a, b| to.min(a, b))?
            }
            Atom::Div(dividend, divisor) => to.div(self.poly(*dividend)?, self.poly(*divisor)?),
            Atom::Select(condition, a, b) => {
                to.choose(self.formula(*condition)?, self.poly(*a)?, self.poly(*b)?)
            }
            Atom::Value(term) => to.integer_of(self.term(*term)?),
        })
    }

    fn polys(&mut self, polys: &[PolyId]) -> Option<Vec<PolyId>> {
        polys.iter().map(|poly| self.poly(*poly)).collect()
    }

    fn formula(&mut self, formula: FormulaId) -> Option<FormulaId> {
        let to = self.to;
        Some(match self.from.formula(formula) {
            Formula::True => to.truth(true),
            Formula::False => to.truth(false),
            Formula::NonNegative(poly) => to.non_negative(self.poly(*poly)?),
            Formula::Zero(poly) => to.zero(self.poly(*poly)?),
            Formula::Holds(term) => to.holds(self.term(*term)?),
            Formula::Not(inner) => to.not(self.formula(*inner)?),
            Formula::And(parts) => to.and(self.formulas(parts)?),
            Formula::Or(parts) => to.or(self.formulas(parts)?),
        })
    }

    fn formulas(&mut self, formulas: &[FormulaId]) -> Option<Vec<FormulaId>> {
        formulas.iter().map(|formula| self.formula(*formula)).collect()
    }

    /// Copies parameters, machine integers and final reads. Regions have no other terms.
    fn term(&mut self, term: TermId) -> Option<TermId> {
        let to = self.to;
        match *self.from.term(term) {
            Term::Parameter(symbol, scalar) => {
                Some(to.leaf(Term::Parameter(*self.symbols.get(&symbol)?, scalar)))
            }
            Term::Ring(scalar, poly) => Some(to.ring(scalar, self.poly(poly)?)),
            Term::Truth(formula) => Some(to.truth_term(self.formula(formula)?)),
            Term::Read { func, component, scalar, version: Version::Final, ref coords } => {
                let coords = self.polys(coords)?.into();
                let version = Version::Final;
                Some(to.leaf(Term::Read { func, component, scalar, version, coords }))
            }
            Term::Read { version: Version::Before { .. } | Version::Pending(_), .. }
            | Term::Constant(_)
            | Term::Unary(..)
            | Term::Binary(..)
            | Term::Select(..)
            | Term::Cast(..)
            | Term::FromInt(..)
            | Term::Call(..)
            | Term::Apply { .. } => None,
        }
    }
}
