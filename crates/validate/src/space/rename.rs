//! Substitution of symbols, settling of pending reads, and free symbols.
//!
//! # Correctness
//! There are no binders, so no symbol can be captured. Terms are rebuilt with the makers of the
//! normal forms. The result denotes the value of the original under the assignment that gives each
//! replaced symbol its replacement's value.

use std::cell::RefCell;

use halidom_base::{FxHashMap, FxHashSet, IndexSet};
use halidom_ir::Scalar;

use super::{
    Atom, AtomId, Formula, FormulaId, MemoryId, Monomial, PolyId, Space, Symbol, Term, TermId,
    Value, Version,
};

/// The versions that pending reads get.
#[derive(Default)]
enum Settle {
    /// Pending reads stay pending.
    #[default]
    Not,
    /// Pending reads become final.
    Final,
    /// Pending reads of these memories get this version, and all others become final.
    Own(Box<[MemoryId]>, Version),
}

/// A simultaneous substitution.
#[derive(Default)]
pub(crate) struct Rename {
    symbols: FxHashMap<Symbol, PolyId>,
    /// Atoms replaced as a whole.
    overrides: FxHashMap<AtomId, PolyId>,
    /// Formulas replaced as a whole.
    truths: FxHashMap<FormulaId, FormulaId>,
    /// Terms replaced by equal terms.
    meanings: FxHashMap<TermId, TermId>,
    /// The versions that pending reads get.
    settle: Settle,
    done: RefCell<Done>,
}

/// The results of a substitution so far.
#[derive(Default)]
struct Done {
    polys: FxHashMap<PolyId, PolyId>,
    atoms: FxHashMap<AtomId, PolyId>,
    formulas: FxHashMap<FormulaId, FormulaId>,
    terms: FxHashMap<TermId, TermId>,
}

impl Rename {
    /// Makes a substitution that replaces nothing.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Makes a substitution that replaces these symbols.
    pub(crate) fn symbols(pairs: impl IntoIterator<Item = (Symbol, PolyId)>) -> Self {
        Self { symbols: pairs.into_iter().collect(), ..Self::default() }
    }

    /// Makes a substitution that gives pending reads of the memories in `own` the given version and
    /// makes all others final.
    pub(crate) fn settle(own: Option<(&[MemoryId], Version)>) -> Self {
        let settle = own.map_or(Settle::Final, |(own, version)| Settle::Own(own.into(), version));
        Self { settle, ..Self::default() }
    }

    /// Adds a replacement.
    pub(crate) fn insert(&mut self, symbol: Symbol, by: PolyId) {
        self.symbols.insert(symbol, by);
        self.forget();
    }

    /// Replaces a term by an equal one.
    pub(crate) fn means(&mut self, term: TermId, by: TermId) {
        self.meanings.insert(term, by);
        self.forget();
    }

    /// Replaces an atom by another integer. The result keeps its meaning only where the two are
    /// equal.
    pub(crate) fn override_atom(&mut self, atom: AtomId, by: PolyId) {
        self.overrides.insert(atom, by);
        self.forget();
    }

    /// Replaces a formula by another one. The result keeps its meaning only where the two are
    /// equivalent.
    pub(crate) fn override_formula(&mut self, formula: FormulaId, by: FormulaId) {
        self.truths.insert(formula, by);
        self.forget();
    }

    fn forget(&mut self) {
        self.done = RefCell::default();
    }

    /// Returns the replacement of a symbol.
    pub(crate) fn get(&self, symbol: Symbol) -> Option<PolyId> {
        self.symbols.get(&symbol).copied()
    }

    pub(crate) fn poly(&self, space: &Space, poly: PolyId) -> PolyId {
        if let Some(done) = self.done.borrow().polys.get(&poly) {
            return *done;
        }
        let result = self.factors(space, poly, None);
        self.done.borrow_mut().polys.insert(poly, result);
        result
    }

    fn atom(&self, space: &Space, atom: AtomId) -> PolyId {
        if let Some(done) = self.done.borrow().atoms.get(&atom) {
            return *done;
        }
        if let Some(by) = self.overrides.get(&atom) {
            return *by;
        }
        let poly = |poly: &PolyId| self.poly(space, *poly);
        let result = match space.atom(atom) {
            Atom::Symbol(symbol) => self.get(*symbol).unwrap_or_else(|| space.atom_poly(atom)),
            Atom::Min(operands) => {
                let least = operands.iter().map(poly).reduce(|a, b| space.min(a, b));
                least.unwrap_or_else(|| space.atom_poly(atom))
            }
            Atom::Div(dividend, divisor) => space.div(poly(dividend), poly(divisor)),
            Atom::Select(condition, a, b) => {
                space.choose(self.formula(space, *condition), poly(a), poly(b))
            }
            Atom::Value(term) => space.integer_of(self.term(space, *term)),
        };
        self.done.borrow_mut().atoms.insert(atom, result);
        result
    }

    pub(crate) fn polys(&self, space: &Space, polys: &[PolyId]) -> Vec<PolyId> {
        polys.iter().map(|poly| self.poly(space, *poly)).collect()
    }

    /// Substitutes in minima and extents.
    pub(crate) fn region(&self, space: &Space, of: &[(PolyId, PolyId)]) -> Vec<(PolyId, PolyId)> {
        of.iter().map(|(min, extent)| (self.poly(space, *min), self.poly(space, *extent))).collect()
    }

    pub(crate) fn formula(&self, space: &Space, formula: FormulaId) -> FormulaId {
        if let Some(by) = self.truths.get(&formula) {
            return *by;
        }
        if let Some(done) = self.done.borrow().formulas.get(&formula) {
            return *done;
        }
        let result = match space.formula(formula) {
            Formula::True | Formula::False => formula,
            Formula::NonNegative(poly) => space.non_negative(self.poly(space, *poly)),
            Formula::Zero(poly) => space.zero(self.poly(space, *poly)),
            Formula::Holds(term) => space.holds(self.term(space, *term)),
            Formula::Not(inner) => space.not(self.formula(space, *inner)),
            Formula::And(parts) => space.and(self.formulas(space, parts)),
            Formula::Or(parts) => space.or(self.formulas(space, parts)),
        };
        self.done.borrow_mut().formulas.insert(formula, result);
        result
    }

    pub(crate) fn formulas(&self, space: &Space, formulas: &[FormulaId]) -> Vec<FormulaId> {
        formulas.iter().map(|formula| self.formula(space, *formula)).collect()
    }

    pub(crate) fn term(&self, space: &Space, term: TermId) -> TermId {
        if let Some(done) = self.done.borrow().terms.get(&term) {
            return *done;
        }
        if let Some(meaning) = self.meanings.get(&term) {
            return *meaning;
        }
        let rebuilt = match *space.term(term) {
            Term::Constant(_) | Term::Parameter(..) => Ok(term),
            Term::Ring(scalar, poly) => {
                Ok(space.ring(scalar, self.factors(space, poly, Some(scalar))))
            }
            Term::Truth(formula) => Ok(space.truth_term(self.formula(space, formula))),
            Term::Read { func, component, scalar, ref version, ref coords } => {
                let version = self.version(space, version);
                let coords = self.polys(space, coords).into();
                Ok(space.leaf(Term::Read { func, component, scalar, version, coords }))
            }
            Term::FromInt(to, poly) => space.int_to(to, self.poly(space, poly)),
            Term::Select(condition, a, b) => {
                let condition = self.formula(space, condition);
                space.choose_term(condition, self.term(space, a), self.term(space, b))
            }
            Term::Unary(..)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::Apply { .. }
            | Term::Call(..) => {
                let operands = space.operands(term).into_iter();
                let operands: Vec<TermId> = operands.map(|term| self.term(space, term)).collect();
                space.with_operands(term, &operands)
            }
        };
        // Substitution keeps types, so well-typed terms stay well typed.
        let result = rebuilt.unwrap_or_else(|_| {
            space.overflowed.set(true);
            term
        });
        self.done.borrow_mut().terms.insert(term, result);
        result
    }

    /// Substitutes in an integer, or in one modulo 2^width: there, the number of a machine value of
    /// at least that width may become any number congruent to it.
    fn factors(&self, space: &Space, poly: PolyId, ring: Option<Scalar>) -> PolyId {
        let factor = |atom: &AtomId| {
            // Invariant: the residue is congruent modulo 2^(width of the value), so modulo
            // 2^(width of the ring).
            if let Some(ring) = ring
                && let Atom::Value(term) = *space.atom(*atom)
                && space.scalar(term).bits() >= ring.bits()
            {
                space.residue(self.term(space, term))
            } else {
                self.atom(space, *atom)
            }
        };
        // Most parts stay as they are, and need no products.
        let terms = &space.poly(poly).0;
        let kept = |atom: &AtomId| space.as_multiple(factor(atom)) == Some((*atom, 1));
        let (same, other): (Vec<_>, Vec<_>) =
            terms.iter().partition(|(monomial, _)| monomial.iter().all(kept));
        if other.is_empty() {
            return poly;
        }
        let product = |(monomial, coefficient): &&(Monomial, i128)| {
            let one = space.constant(*coefficient);
            (monomial.iter().map(factor).fold(one, |product, by| space.mul(product, by)), 1)
        };
        let mut parts: Vec<(PolyId, i128)> = other.iter().map(product).collect();
        parts.push((space.collect(same.into_iter().cloned().collect()), 1));
        space.combine(&parts)
    }

    fn version(&self, space: &Space, version: &Version) -> Version {
        match version {
            Version::Final => Version::Final,
            Version::Before { stage, point } => {
                Version::Before { stage: *stage, point: self.polys(space, point).into() }
            }
            Version::Pending(memory) => match &self.settle {
                Settle::Not => Version::Pending(*memory),
                Settle::Own(own, version) if own.contains(memory) => version.clone(),
                Settle::Own(..) | Settle::Final => Version::Final,
            },
        }
    }

    pub(crate) fn value(&self, space: &Space, value: Value) -> Value {
        match value {
            Value::Int(poly) => Value::Int(self.poly(space, poly)),
            Value::Bool(formula) => Value::Bool(self.formula(space, formula)),
            Value::Number(term) => Value::Number(self.term(space, term)),
        }
    }
}

/// A term of any sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Poly(PolyId),
    Atom(AtomId),
    Formula(FormulaId),
    Term(TermId),
}

impl From<PolyId> for Part {
    fn from(poly: PolyId) -> Self {
        Self::Poly(poly)
    }
}

impl From<FormulaId> for Part {
    fn from(formula: FormulaId) -> Self {
        Self::Formula(formula)
    }
}

impl From<Value> for Part {
    fn from(value: Value) -> Self {
        match value {
            Value::Int(poly) => Self::Poly(poly),
            Value::Bool(formula) => Self::Formula(formula),
            Value::Number(term) => Self::Term(term),
        }
    }
}

impl Space {
    /// Lists the parts that a term is directly made of.
    fn parts(&self, whole: Part) -> Vec<Part> {
        let polys = |polys: &[PolyId]| polys.iter().copied().map(Part::Poly).collect();
        match whole {
            Part::Poly(poly) => {
                let monomials = self.poly(poly).0.iter();
                monomials.flat_map(|(factors, _)| factors).copied().map(Part::Atom).collect()
            }
            Part::Atom(atom) => match *self.atom(atom) {
                Atom::Symbol(_) => Vec::new(),
                Atom::Min(ref operands) => polys(operands),
                Atom::Div(a, b) => polys(&[a, b]),
                Atom::Select(condition, a, b) => {
                    vec![Part::Formula(condition), Part::Poly(a), Part::Poly(b)]
                }
                Atom::Value(term) => vec![Part::Term(term)],
            },
            Part::Formula(formula) => match *self.formula(formula) {
                Formula::True | Formula::False => Vec::new(),
                Formula::NonNegative(poly) | Formula::Zero(poly) => polys(&[poly]),
                Formula::Holds(term) => vec![Part::Term(term)],
                Formula::Not(inner) => vec![Part::Formula(inner)],
                Formula::And(ref parts) | Formula::Or(ref parts) => {
                    parts.iter().copied().map(Part::Formula).collect()
                }
            },
            Part::Term(term) => {
                let mut parts = match self.term(term) {
                    Term::Ring(_, poly) | Term::FromInt(_, poly) => polys(&[*poly]),
                    Term::Truth(formula) | Term::Select(formula, ..) => {
                        vec![Part::Formula(*formula)]
                    }
                    Term::Read { version: Version::Before { point, .. }, coords, .. } => {
                        polys(&[&**coords, &**point].concat())
                    }
                    Term::Read { coords, .. } => polys(coords),
                    Term::Constant(_)
                    | Term::Parameter(..)
                    | Term::Unary(..)
                    | Term::Binary(..)
                    | Term::Cast(..)
                    | Term::Apply { .. }
                    | Term::Call(..) => Vec::new(),
                };
                parts.extend(self.operands(term).into_iter().map(Part::Term));
                parts
            }
        }
    }

    /// Lists a term and all its parts, each after its own parts.
    pub(crate) fn all_parts(&self, whole: impl Into<Part>) -> IndexSet<Part> {
        let (mut seen, mut found) = (FxHashSet::default(), IndexSet::default());
        self.list_parts(whole.into(), &mut seen, &mut found);
        found
    }

    fn list_parts(&self, of: Part, seen: &mut FxHashSet<Part>, found: &mut IndexSet<Part>) {
        if seen.insert(of) {
            self.parts(of).into_iter().for_each(|part| self.list_parts(part, seen, found));
            found.insert(of);
        }
    }

    /// The symbols in a term.
    pub(crate) fn symbols_of(&self, whole: impl Into<Part>) -> IndexSet<Symbol> {
        let symbol = |part| {
            if let Part::Atom(atom) = part
                && let Atom::Symbol(symbol) = self.atom(atom)
            {
                Some(*symbol)
            } else if let Part::Term(term) = part
                && let Term::Parameter(symbol, _) = self.term(term)
            {
                Some(*symbol)
            } else {
                None
            }
        };
        self.all_parts(whole).into_iter().filter_map(symbol).collect()
    }

    /// The memories whose reads in a term are not settled yet.
    pub(crate) fn pending(&self, whole: impl Into<Part>) -> IndexSet<MemoryId> {
        let memory = |part| {
            if let Part::Term(term) = part
                && let Term::Read { version: Version::Pending(memory), .. } = self.term(term)
            {
                return Some(*memory);
            }
            None
        };
        self.all_parts(whole).into_iter().filter_map(memory).collect()
    }

    /// The terms in a value.
    pub(crate) fn terms_of(&self, value: Value) -> Vec<TermId> {
        let term = |part| if let Part::Term(term) = part { Some(term) } else { None };
        let mut terms: Vec<TermId> = self.all_parts(value).into_iter().filter_map(term).collect();
        terms.sort_unstable();
        terms
    }
}
