//! True facts about the terms of a question.
//!
//! # Correctness
//! Each lemma is a theorem for all values of the symbols; its maker states the reason. Lemmas are
//! instances of nonlinear facts, and of facts about operators, that linear arithmetic cannot find
//! alone. Without a lemma, fewer goals may be provable, but nothing false.

mod monotone;
mod products;
#[cfg(test)]
mod tests;

use halidom_base::{FxHashMap, FxHashSet, IndexSet};

use crate::space::{Atom, AtomId, Formula, FormulaId, Monomial, PolyId, Space, TermId};

/// The most facts that are multiplied. Fewer lemmas can only prove less.
const MOST_SCALED: usize = 32;
/// The most bounds that are tried on quotients by symbols: the bounds among the facts, and bounds
/// that follow for quotients of quotients.
const MOST_BOUNDS: usize = 256;

/// Lemmas that were made before, by subject. `None` means that there is no such lemma.
#[derive(Default)]
pub(crate) struct Memo {
    quotient_bounds: FxHashMap<(PolyId, PolyId), Option<(FormulaId, PolyId)>>,
    scaled_bounds: FxHashMap<(PolyId, PolyId), Option<Scaled>>,
}

/// A lemma on a product, and the products in it.
#[derive(Clone)]
struct Scaled {
    lemma: FormulaId,
    products: Vec<Monomial>,
}

/// The parts of a question that were reached so far.
#[derive(Clone, Default)]
pub(crate) struct Reached {
    polys: IndexSet<PolyId>,
    formulas: IndexSet<FormulaId>,
    pub(crate) atoms: IndexSet<AtomId>,
    monomials: IndexSet<Monomial>,
    values: IndexSet<TermId>,
    truths: IndexSet<TermId>,
    /// The progress so far: the numbers of atoms and products that have their lemmas, the number of
    /// divisors among the atoms at that time, and the pairs of values that were compared.
    done: usize,
    multiplied: usize,
    signed: usize,
    divisors: usize,
    pairs: FxHashSet<(TermId, TermId, bool)>,
}

impl Reached {
    pub(crate) fn formula(&mut self, space: &Space, formula: FormulaId) {
        if !self.formulas.insert(formula) {
            return;
        }
        match space.formula(formula) {
            Formula::True | Formula::False => {}
            Formula::NonNegative(poly) | Formula::Zero(poly) => {
                self.poly(space, *poly);
            }
            Formula::Holds(term) => drop(self.truths.insert(*term)),
            Formula::Not(inner) => self.formula(space, *inner),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| self.formula(space, *part));
            }
        }
    }

    fn poly(&mut self, space: &Space, poly: PolyId) {
        if !self.polys.insert(poly) {
            return;
        }
        for (monomial, _) in &space.poly(poly).0 {
            if !self.monomials.insert(monomial.clone()) {
                continue;
            }
            for atom in monomial {
                if !self.atoms.insert(*atom) {
                    continue;
                }
                match space.atom(*atom) {
                    Atom::Symbol(_) => {}
                    Atom::Min(operands) => {
                        operands.iter().for_each(|o| self.poly(space, *o));
                    }
                    Atom::Div(a, b) => {
                        self.poly(space, *a);
                        self.poly(space, *b);
                    }
                    Atom::Select(condition, a, b) => {
                        self.formula(space, *condition);
                        self.poly(space, *a);
                        self.poly(space, *b);
                    }
                    Atom::Value(term) => drop(self.values.insert(*term)),
                }
            }
        }
    }

    /// Returns lemmas about everything that was reached since the last call, under the given facts.
    pub(crate) fn lemmas(
        &mut self,
        space: &mut Space,
        facts: &[FormulaId],
        memo: &mut Memo,
    ) -> Vec<FormulaId> {
        let mut lemmas = Vec::new();
        loop {
            let (atoms, truths) = (self.atoms.len(), self.truths.len());
            let congruences = of_pairs(space, &self.values, &self.truths, &mut self.pairs);
            for lemma in &congruences {
                self.formula(space, *lemma);
            }
            lemmas.extend(congruences);
            // Lemmas mention only parts that were reached before, except for the products in the
            // lemmas on division.
            while let Some(atom) = self.atoms.get_index(self.done).copied() {
                self.done += 1;
                for lemma in atom_lemmas(space, atom) {
                    self.formula(space, lemma);
                    lemmas.push(lemma);
                }
            }
            let divisors = products::divisors(space, &self.atoms);
            if divisors.len() > self.divisors {
                // A product that was met before may now contain a divisor.
                (self.divisors, self.multiplied) = (divisors.len(), 0);
            }
            while let Some(monomial) = self.monomials.get_index(self.multiplied).cloned() {
                self.multiplied += 1;
                for lemma in products::of_choices(space, &monomial, &divisors) {
                    self.formula(space, lemma);
                    lemmas.push(lemma);
                }
            }
            if (atoms, truths) == (self.atoms.len(), self.truths.len()) {
                break;
            }
        }
        lemmas.extend(self.symbolic_divisions(space, facts, memo));
        let products: Vec<Monomial> =
            self.monomials.iter().filter(|monomial| monomial.len() == 2).cloned().collect();
        for monomial in &products[self.signed..] {
            lemmas.extend(products::signs(space, monomial));
        }
        self.signed = products.len();
        lemmas.extend(products::multiples(space, &products, &self.atoms));
        lemmas.extend(self.scaled_facts(space, facts, &products, memo));
        lemmas
    }

    /// Returns [`scaled_bound`] if it has products and all of them were reached.
    fn scaled(
        &self,
        space: &mut Space,
        factor: PolyId,
        bound: PolyId,
        memo: &mut Memo,
    ) -> Option<FormulaId> {
        let scaled = memo.scaled_bounds.entry((factor, bound));
        let scaled = scaled.or_insert_with(|| scaled_bound(space, factor, bound)).as_ref()?;
        let known = scaled.products.iter().all(|product| self.monomials.contains(product));
        (known && !scaled.products.is_empty()).then_some(scaled.lemma)
    }

    /// Multiplies facts by a symbol that is at least 0, if all products in the result were reached.
    /// Rows of a symbolic length that are written one after another need this.
    fn scaled_facts(
        &self,
        space: &mut Space,
        facts: &[FormulaId],
        products: &[Monomial],
        memo: &mut Memo,
    ) -> Vec<FormulaId> {
        let mut factors: IndexSet<AtomId> = IndexSet::default();
        for atom in products.iter().flat_map(|product| product.iter()) {
            let shared = products.iter().filter(|product| product.contains(atom)).count() > 1;
            if shared && matches!(space.atom(*atom), Atom::Symbol(_)) {
                factors.insert(*atom);
            }
        }
        let mut lemmas = Vec::new();
        for fact in facts {
            let Formula::NonNegative(bound) = *space.formula(*fact) else { continue };
            for factor in &factors {
                if lemmas.len() < MOST_SCALED {
                    let factor = space.atom_poly(*factor);
                    lemmas.extend(self.scaled(space, factor, bound, memo));
                }
            }
        }
        lemmas
    }

    /// Returns lemmas on quotients by a divisor that is not constant, as in loops that run over two
    /// dimensions at once.
    fn symbolic_divisions(
        &self,
        space: &mut Space,
        facts: &[FormulaId],
        memo: &mut Memo,
    ) -> Vec<FormulaId> {
        let mut divisions: Vec<(PolyId, PolyId, PolyId)> = Vec::new();
        for atom in &self.atoms {
            if let Atom::Div(dividend, divisor) = *space.atom(*atom)
                && space.as_constant(divisor).is_none()
            {
                divisions.push((space.atom_poly(*atom), dividend, divisor));
            }
        }
        let mut bounds: Vec<PolyId> = facts
            .iter()
            .filter_map(|fact| match space.formula(*fact) {
                Formula::NonNegative(poly) => Some(*poly),
                Formula::True
                | Formula::False
                | Formula::Zero(_)
                | Formula::Holds(_)
                | Formula::Not(_)
                | Formula::And(_)
                | Formula::Or(_) => None,
            })
            .collect();
        let mut lemmas = Vec::new();
        // The bound of a quotient may serve to bound a quotient of this quotient.
        let mut next = 0;
        while let Some(bound) = bounds.get(next).copied() {
            next += 1;
            for (this, dividend, divisor) in divisions.iter().copied() {
                // The quotient determines dividend and divisor.
                let quotient = memo.quotient_bounds.entry((this, bound));
                let quotient = *quotient
                    .or_insert_with(|| quotient_bound(space, (this, dividend, divisor), bound));
                if let Some((lemma, derived)) = quotient {
                    lemmas.push(lemma);
                    if !bounds.contains(&derived) && bounds.len() < MOST_BOUNDS {
                        bounds.push(derived);
                    }
                }
                lemmas.extend(self.scaled(space, divisor, bound, memo));
            }
        }
        lemmas
    }
}

/// `n >= 0` and `g >= 0` imply `n·g >= 0`. The lemma is useful where all products in it were
/// reached.
fn scaled_bound(space: &mut Space, divisor: PolyId, bound: PolyId) -> Option<Scaled> {
    if space.poly(bound).0.iter().any(|(monomial, _)| monomial.len() > 1) {
        return None;
    }
    let product = space.mul(divisor, bound);
    let products = space.poly(product).0.iter().map(|(monomial, _)| monomial.clone());
    let products = products.filter(|monomial| monomial.len() > 1).collect();
    let zero = space.constant(0);
    let parts = [space.at_most(zero, divisor), space.non_negative(bound)];
    let both = space.and(&parts);
    let above = space.non_negative(product);
    Some(Scaled { lemma: space.implies(both, above), products })
}

/// Returns the lemma `x / n <= m - 1` where `n > 0`, `g >= 0` and `x + g = n·m - 1`, with
/// `m - 1 - x / n`, which is then at least 0.
fn quotient_bound(
    space: &mut Space,
    (this, dividend, divisor): (PolyId, PolyId, PolyId),
    bound: PolyId,
) -> Option<(FormulaId, PolyId)> {
    let end = space.add(dividend, bound);
    let end = space.offset(end, 1);
    let (count, rest) = space.divide(end, divisor);
    if !space.is_zero(rest) {
        return None;
    }
    let zero = space.constant(0);
    let parts = [space.less(zero, divisor), space.non_negative(bound)];
    let both = space.and(&parts);
    let below = space.less(this, count);
    let distance = space.sub(count, this);
    let distance = space.offset(distance, -1);
    Some((space.implies(both, below), distance))
}

/// Returns the consequences of an atom's meaning.
fn atom_lemmas(space: &mut Space, atom: AtomId) -> Vec<FormulaId> {
    let this = space.atom_poly(atom);
    match space.atom(atom).clone() {
        Atom::Symbol(_) => Vec::new(),
        Atom::Min(operands) => {
            let bounds: Vec<_> = operands.iter().map(|o| space.at_most(this, *o)).collect();
            let cases: Vec<_> = operands.iter().map(|o| space.equal(this, *o)).collect();
            vec![space.and(&bounds), space.or(&cases)]
        }
        Atom::Select(condition, a, b) => {
            let (is_a, is_b) = (space.equal(this, a), space.equal(this, b));
            let negated = space.not(condition);
            vec![space.implies(condition, is_a), space.implies(negated, is_b)]
        }
        Atom::Value(term) => match space.value_range(term) {
            Some((low, high)) => {
                let (low, high) = (space.constant(low), space.constant(high));
                vec![space.at_most(low, this), space.at_most(this, high)]
            }
            None => Vec::new(),
        },
        Atom::Div(dividend, divisor) => division_lemmas(space, this, dividend, divisor),
    }
}

/// `0 <= x - d·n < n` for `n > 0`; and where `x = n·a + b` as polynomials, `0 <= b < n` implies
/// `d = a`.
fn division_lemmas(
    space: &mut Space,
    this: PolyId,
    dividend: PolyId,
    divisor: PolyId,
) -> Vec<FormulaId> {
    let zero = space.constant(0);
    let positive = space.less(zero, divisor);
    let product = space.mul(this, divisor);
    let rest = space.sub(dividend, product);
    let in_range = space.within(rest, zero, divisor);
    let mut lemmas = vec![space.implies(positive, in_range)];
    if space.as_constant(divisor).is_none() {
        let (quotient, rest) = space.divide(dividend, divisor);
        // Try one divisor more or less in the rest too: `n·m - 1` is `n·(m - 1) + (n - 1)`.
        for shift in [-1, 0, 1] {
            let quotient = space.offset(quotient, shift);
            let rest = space.combine(&[(rest, 1), (divisor, -shift)]);
            let small = space.within(rest, zero, divisor);
            let known = space.and(&[positive, small]);
            // Equal quotients have equal products with the divisor.
            let multiple = space.mul(quotient, divisor);
            let equal = [space.equal(this, quotient), space.equal(product, multiple)];
            let equal = space.and(&equal);
            lemmas.push(space.implies(known, equal));
        }
        let (above, natural) = (space.at_most(zero, dividend), space.at_most(zero, this));
        let both = space.and(&[positive, above]);
        lemmas.push(space.implies(both, natural));
    }
    lemmas
}

/// Equal operands have equal values, and monotone functions keep the order of their operands.
/// Returns these lemmas for every pair of machine values that look alike and were not met before.
fn of_pairs(
    space: &mut Space,
    values: &IndexSet<TermId>,
    truths: &IndexSet<TermId>,
    met: &mut FxHashSet<(TermId, TermId, bool)>,
) -> Vec<FormulaId> {
    /// The most terms that are compared. Fewer lemmas can only prove less.
    const LIMIT: usize = 32;
    let mut lemmas = Vec::new();
    for (terms, truth) in [(values, false), (truths, true)] {
        for (position, a) in terms.iter().enumerate().take(LIMIT) {
            for b in terms.iter().take(position) {
                if !met.insert((*a, *b, truth)) {
                    continue;
                }
                if !truth {
                    lemmas.extend(monotone::lemma(space, *a, *b));
                }
                let Some(alike) = space.alike(*a, *b) else { continue };
                let same = if truth {
                    let (x, y) = (space.holds(*a), space.holds(*b));
                    space.same_truth(x, y)
                } else {
                    let (x, y) = (space.number(*a), space.number(*b));
                    space.equal(x, y)
                };
                lemmas.push(space.implies(alike, same));
            }
        }
    }
    lemmas
}
