//! Substitution of symbols, settling of pending reads, and free symbols.
//!
//! # Correctness
//! There are no binders, so no symbol can be captured. Terms are rebuilt with the makers of the
//! normal forms. The result denotes the value of the original under the assignment that gives each
//! replaced symbol its replacement's value.

use halidom_base::{FxHashMap, FxHashSet, IndexSet};
use halidom_ir::{FuncId, Scalar};

use super::{
    Atom, AtomId, Formula, FormulaId, PolyId, Space, Symbol, Term, TermId, Value, Version,
};

/// The versions that pending reads get.
#[derive(Default)]
enum Settle {
    /// Pending reads stay pending.
    #[default]
    Not,
    /// Pending reads become final.
    Final,
    /// Pending reads of the func get this version, and all others become final.
    Own(FuncId, Version),
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

    /// Makes a substitution that gives pending reads of `own` the given version and makes all
    /// others final.
    pub(crate) fn settle(own: Option<(FuncId, Version)>) -> Self {
        let settle = own.map_or(Settle::Final, |(func, version)| Settle::Own(func, version));
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
        self.polys.clear();
        self.atoms.clear();
        self.formulas.clear();
        self.terms.clear();
    }

    /// Returns the replacement of a symbol.
    pub(crate) fn get(&self, symbol: Symbol) -> Option<PolyId> {
        self.symbols.get(&symbol).copied()
    }

    pub(crate) fn poly(&mut self, space: &mut Space, poly: PolyId) -> PolyId {
        if let Some(done) = self.polys.get(&poly) {
            return *done;
        }
        let result = self.factors(space, poly, None);
        self.polys.insert(poly, result);
        result
    }

    fn atom(&mut self, space: &mut Space, atom: AtomId) -> PolyId {
        if let Some(done) = self.atoms.get(&atom) {
            return *done;
        }
        if let Some(by) = self.overrides.get(&atom) {
            return *by;
        }
        let result = match space.atom(atom).clone() {
            Atom::Symbol(symbol) => self.get(symbol).unwrap_or_else(|| space.atom_poly(atom)),
            Atom::Min(operands) => {
                let mut least: Option<PolyId> = None;
                for operand in operands {
                    let operand = self.poly(space, operand);
                    least = Some(least.map_or(operand, |least| space.min(least, operand)));
                }
                least.unwrap_or_else(|| space.atom_poly(atom))
            }
            Atom::Div(dividend, divisor) => {
                let dividend = self.poly(space, dividend);
                let divisor = self.poly(space, divisor);
                space.div(dividend, divisor)
            }
            Atom::Select(condition, a, b) => {
                let condition = self.formula(space, condition);
                let (a, b) = (self.poly(space, a), self.poly(space, b));
                space.choose(condition, a, b)
            }
            Atom::Value(term) => {
                let term = self.term(space, term);
                space.integer_of(term)
            }
        };
        self.atoms.insert(atom, result);
        result
    }

    pub(crate) fn polys(&mut self, space: &mut Space, polys: &[PolyId]) -> Vec<PolyId> {
        polys.iter().map(|poly| self.poly(space, *poly)).collect()
    }

    pub(crate) fn formula(&mut self, space: &mut Space, formula: FormulaId) -> FormulaId {
        if let Some(done) = self.truths.get(&formula).or_else(|| self.formulas.get(&formula)) {
            return *done;
        }
        let result = match space.formula(formula).clone() {
            Formula::True | Formula::False => formula,
            Formula::NonNegative(poly) => {
                let poly = self.poly(space, poly);
                space.non_negative(poly)
            }
            Formula::Zero(poly) => {
                let poly = self.poly(space, poly);
                space.zero(poly)
            }
            Formula::Holds(term) => {
                let term = self.term(space, term);
                space.holds(term)
            }
            Formula::Not(inner) => {
                let inner = self.formula(space, inner);
                space.not(inner)
            }
            Formula::And(parts) => {
                let parts = self.formulas(space, &parts);
                space.and(&parts)
            }
            Formula::Or(parts) => {
                let parts = self.formulas(space, &parts);
                space.or(&parts)
            }
        };
        self.formulas.insert(formula, result);
        result
    }

    pub(crate) fn formulas(&mut self, space: &mut Space, formulas: &[FormulaId]) -> Vec<FormulaId> {
        formulas.iter().map(|formula| self.formula(space, *formula)).collect()
    }

    pub(crate) fn term(&mut self, space: &mut Space, term: TermId) -> TermId {
        if let Some(done) = self.terms.get(&term) {
            return *done;
        }
        if let Some(meaning) = self.meanings.get(&term) {
            return *meaning;
        }
        let rebuilt = match space.term(term).clone() {
            Term::Constant(_) | Term::Parameter(..) => Ok(term),
            Term::Ring(scalar, poly) => {
                let poly = self.factors(space, poly, Some(scalar));
                Ok(space.ring(scalar, poly))
            }
            Term::Truth(formula) => {
                let formula = self.formula(space, formula);
                Ok(space.truth_term(formula))
            }
            Term::Read { func, component, scalar, version, coords } => {
                let version = self.version(space, func, version);
                let coords = self.polys(space, &coords).into();
                Ok(space.leaf(Term::Read { func, component, scalar, version, coords }))
            }
            Term::FromInt(to, poly) => {
                let poly = self.poly(space, poly);
                space.int_to(to, poly)
            }
            Term::Select(condition, a, b) => {
                let condition = self.formula(space, condition);
                let (a, b) = (self.term(space, a), self.term(space, b));
                space.choose_term(condition, a, b)
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
            space.overflowed = true;
            term
        });
        self.terms.insert(term, result);
        result
    }

    /// Substitutes in an integer, or in one modulo 2^width: there, the number of a machine value of
    /// at least that width may become any number congruent to it.
    fn factors(&mut self, space: &mut Space, poly: PolyId, ring: Option<Scalar>) -> PolyId {
        let terms = space.poly(poly).clone();
        let mut parts = Vec::with_capacity(terms.0.len());
        for (monomial, coefficient) in &terms.0 {
            let mut product = space.constant(*coefficient);
            for atom in monomial {
                // Invariant: the residue is congruent modulo 2^(width of the value), so modulo
                // 2^(width of the ring).
                let factor = if let Some(ring) = ring
                    && let Atom::Value(term) = *space.atom(*atom)
                    && space.scalar(term).bits() >= ring.bits()
                {
                    let term = self.term(space, term);
                    space.residue(term)
                } else {
                    self.atom(space, *atom)
                };
                product = space.mul(product, factor);
            }
            parts.push((product, 1));
        }
        space.combine(&parts)
    }

    fn version(&mut self, space: &mut Space, func: FuncId, version: Version) -> Version {
        match version {
            Version::Final => Version::Final,
            Version::Before { stage, point } => {
                Version::Before { stage, point: self.polys(space, &point).into() }
            }
            Version::Pending => match &self.settle {
                Settle::Not => Version::Pending,
                Settle::Own(own, version) if *own == func => version.clone(),
                Settle::Own(..) | Settle::Final => Version::Final,
            },
        }
    }

    pub(crate) fn value(&mut self, space: &mut Space, value: Value) -> Value {
        match value {
            Value::Int(poly) => Value::Int(self.poly(space, poly)),
            Value::Bool(formula) => Value::Bool(self.formula(space, formula)),
            Value::Number(term) => Value::Number(self.term(space, term)),
        }
    }
}

/// A term that has one of several values.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Choice {
    /// A minimum, which is one of its operands.
    Least(AtomId),
    /// The condition of a selection.
    Condition(FormulaId),
}

/// The parts of a term that were visited.
#[derive(Default)]
struct Seen {
    polys: FxHashSet<PolyId>,
    formulas: FxHashSet<FormulaId>,
    terms: FxHashSet<TermId>,
    symbols: IndexSet<Symbol>,
    /// The choices, inner ones before those that contain them.
    choices: IndexSet<Choice>,
}

impl Space {
    fn see_poly(&self, poly: PolyId, seen: &mut Seen) {
        if !seen.polys.insert(poly) {
            return;
        }
        for (monomial, _) in &self.poly(poly).0 {
            for atom in monomial {
                match self.atom(*atom) {
                    Atom::Symbol(symbol) => drop(seen.symbols.insert(*symbol)),
                    Atom::Min(operands) => {
                        operands.iter().for_each(|operand| self.see_poly(*operand, seen));
                        seen.choices.insert(Choice::Least(*atom));
                    }
                    Atom::Div(a, b) => {
                        self.see_poly(*a, seen);
                        self.see_poly(*b, seen);
                    }
                    Atom::Select(condition, a, b) => {
                        self.see_formula(*condition, seen);
                        seen.choices.insert(Choice::Condition(*condition));
                        self.see_poly(*a, seen);
                        self.see_poly(*b, seen);
                    }
                    Atom::Value(term) => self.see_term(*term, seen),
                }
            }
        }
    }

    fn see_formula(&self, formula: FormulaId, seen: &mut Seen) {
        if !seen.formulas.insert(formula) {
            return;
        }
        match self.formula(formula) {
            Formula::True | Formula::False => {}
            Formula::NonNegative(poly) | Formula::Zero(poly) => self.see_poly(*poly, seen),
            Formula::Holds(term) => self.see_term(*term, seen),
            Formula::Not(inner) => self.see_formula(*inner, seen),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| self.see_formula(*part, seen));
            }
        }
    }

    fn see_term(&self, term: TermId, seen: &mut Seen) {
        if !seen.terms.insert(term) {
            return;
        }
        match self.term(term) {
            Term::Parameter(symbol, _) => drop(seen.symbols.insert(*symbol)),
            Term::Ring(_, poly) | Term::FromInt(_, poly) => self.see_poly(*poly, seen),
            Term::Truth(formula) => self.see_formula(*formula, seen),
            Term::Read { version, coords, .. } => {
                coords.iter().for_each(|coord| self.see_poly(*coord, seen));
                if let Version::Before { point, .. } = version {
                    point.iter().for_each(|value| self.see_poly(*value, seen));
                }
            }
            Term::Select(condition, ..) => {
                self.see_formula(*condition, seen);
                seen.choices.insert(Choice::Condition(*condition));
            }
            Term::Constant(_)
            | Term::Unary(..)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::Apply { .. }
            | Term::Call(..) => {}
        }
        self.operands(term).into_iter().for_each(|operand| self.see_term(operand, seen));
    }

    /// The symbols in an integer.
    pub(crate) fn poly_symbols(&self, poly: PolyId) -> IndexSet<Symbol> {
        let mut seen = Seen::default();
        self.see_poly(poly, &mut seen);
        seen.symbols
    }
}

impl Space {
    /// The choices in a value, inner ones first.
    pub(crate) fn choices(&self, value: Value) -> IndexSet<Choice> {
        self.seen_in(value).choices
    }

    fn seen_in(&self, value: Value) -> Seen {
        let mut seen = Seen::default();
        match value {
            Value::Int(poly) => self.see_poly(poly, &mut seen),
            Value::Bool(formula) => self.see_formula(formula, &mut seen),
            Value::Number(term) => self.see_term(term, &mut seen),
        }
        seen
    }

    /// The terms in a value.
    pub(crate) fn terms_of(&self, value: Value) -> Vec<TermId> {
        let mut terms: Vec<TermId> = self.seen_in(value).terms.into_iter().collect();
        terms.sort_unstable();
        terms
    }

    /// The symbols in a formula.
    pub(crate) fn formula_symbols(&self, formula: FormulaId) -> IndexSet<Symbol> {
        let mut seen = Seen::default();
        self.see_formula(formula, &mut seen);
        seen.symbols
    }
}
