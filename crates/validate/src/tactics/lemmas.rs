//! The choice of lemmas for a question.

use halidom_base::{FxHashMap, IndexSet};
use halidom_ir::{BinaryOp, Constant, Scalar};

use super::equations::{self, Residues};
use super::parts::{alternatives, divided_by};
use super::samples::Samples;
use crate::lemma::{Instance, Lemmas, Memo, Place, Sample, operands, stepped};
use crate::space::{
    Atom, AtomId, Formula, FormulaId, Monomial, PolyId, Space, Symbol, Term, TermId,
};

/// The most facts that are multiplied. Fewer lemmas can only prove less.
const MOST_SCALED: usize = 32;
/// The most bounds that are tried on quotients by symbols: the bounds among the facts, and bounds
/// that follow for quotients of quotients.
const MOST_BOUNDS: usize = 256;
/// The most pairs of products that are compared.
const MOST_PAIRS: usize = 64;
/// The greatest magnitude of products of values whose range is stated.
const MOST_PRODUCT: u128 = 1 << 33;
/// The most quotients by numbers that are not constant that are compared.
const MOST_QUOTIENTS: usize = 12;
/// The most literals with which a float that becomes an integer is compared.
const MOST_LIMITS: usize = 6;
/// The most values among which floats are compared by their operands.
const MOST_FLOATS: usize = 48;
/// The most terms that are compared.
const MOST_TERMS: usize = 32;

/// Results about bounds that were found before.
#[derive(Default)]
struct Known {
    /// For a quotient and a bound, a number above the quotient, and the bound that follows.
    quotient_bounds: FxHashMap<(AtomId, PolyId), Option<(PolyId, PolyId)>>,
    /// For a factor and a bound, the products in the multiplied bound, if there is a lemma.
    scaled_bounds: FxHashMap<(PolyId, PolyId), Option<Vec<Monomial>>>,
    residues: Residues,
}

/// Chooses lemmas about all parts of a question.
#[derive(Default)]
pub(super) struct Chooser {
    /// The formulas that hold in all questions, and the parts that they mention.
    assumed: Vec<FormulaId>,
    mentioned: Reached,
    known: Known,
    samples: Samples,
}

impl Lemmas for Chooser {
    fn assumed(&mut self, space: &Space, memo: &mut Memo, formulas: &[FormulaId]) -> Vec<Instance> {
        for formula in formulas {
            self.mentioned.formula(space, *formula);
        }
        self.assumed.extend_from_slice(formulas);
        self.mentioned.lemmas(space, &self.assumed, memo, &mut self.known)
    }

    fn asked(
        &mut self,
        space: &Space,
        memo: &mut Memo,
        formulas: &[FormulaId],
    ) -> (Vec<Instance>, Vec<AtomId>, Vec<TermId>) {
        let mark = self.mentioned.mark();
        for formula in formulas {
            self.mentioned.formula(space, *formula);
        }
        let together = [&self.assumed, formulas].concat();
        let lemmas = self.mentioned.lemmas(space, &together, memo, &mut self.known);
        let Reached { atoms, truths, .. } = &self.mentioned;
        let reached = (lemmas, atoms.iter().copied().collect(), truths.iter().copied().collect());
        self.mentioned.forget(&mark);
        reached
    }

    fn learn(
        &mut self,
        space: &Space,
        model: Sample,
        formulas: &[FormulaId],
    ) -> Vec<(Symbol, i128)> {
        self.samples.keep(space, model, &[&self.assumed, formulas].concat())
    }

    fn refute(&mut self, space: &Space, formulas: &[FormulaId]) -> bool {
        self.samples.admit(space, &self.assumed, formulas)
    }
}

/// The parts of a question that were reached so far.
#[derive(Default)]
pub(super) struct Reached {
    polys: IndexSet<PolyId>,
    pub(super) formulas: IndexSet<FormulaId>,
    pub(super) atoms: IndexSet<AtomId>,
    monomials: IndexSet<Monomial>,
    values: IndexSet<TermId>,
    truths: IndexSet<TermId>,
    /// The pairs of values that were compared.
    pairs: IndexSet<(TermId, TermId, bool)>,
    progress: Progress,
}

/// The work that is done on what was reached.
#[derive(Clone, Copy, Default)]
struct Progress {
    /// The numbers of atoms and products that have their lemmas, and the number of divisors among
    /// the atoms at that time.
    done: usize,
    multiplied: usize,
    signed: usize,
    divisors: usize,
    /// The numbers of truth values and of machine values that have their lemmas on floats.
    compared: usize,
    converted: usize,
    /// True if a float becomes an integer. Then the number of values with lemmas on their operands.
    converts: bool,
    stepped: usize,
}

/// The parts that were reached at a time: how many of each kind.
struct Mark {
    polys: usize,
    formulas: usize,
    atoms: usize,
    monomials: usize,
    values: usize,
    truths: usize,
    pairs: usize,
    progress: Progress,
}

impl Reached {
    /// Remembers what was reached until now.
    fn mark(&self) -> Mark {
        let Self { polys, formulas, atoms, monomials, values, truths, pairs, progress } = self;
        Mark {
            polys: polys.len(),
            formulas: formulas.len(),
            atoms: atoms.len(),
            monomials: monomials.len(),
            values: values.len(),
            truths: truths.len(),
            pairs: pairs.len(),
            progress: *progress,
        }
    }

    /// Forgets what was reached since. That is little, compared with all that is assumed.
    fn forget(&mut self, mark: &Mark) {
        let Self { polys, formulas, atoms, monomials, values, truths, pairs, progress } = self;
        polys.truncate(mark.polys);
        formulas.truncate(mark.formulas);
        atoms.truncate(mark.atoms);
        monomials.truncate(mark.monomials);
        values.truncate(mark.values);
        truths.truncate(mark.truths);
        pairs.truncate(mark.pairs);
        *progress = mark.progress;
    }

    pub(super) fn formula(&mut self, space: &Space, formula: FormulaId) {
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
    fn lemmas(
        &mut self,
        space: &Space,
        facts: &[FormulaId],
        memo: &mut Memo,
        known: &mut Known,
    ) -> Vec<Instance> {
        let mut lemmas = Vec::new();
        loop {
            let (atoms, truths) = (self.atoms.len(), self.truths.len());
            let pairs = of_pairs(space, (&self.values, &self.truths), &mut self.pairs);
            self.add(space, memo, pairs, &mut lemmas);
            let ordered = self.ordered(space);
            self.add(space, memo, ordered, &mut lemmas);
            // Lemmas mention only parts that were reached before, except for the products in the
            // lemmas on division.
            while let Some(atom) = self.atoms.get_index(self.progress.done).copied() {
                self.progress.done += 1;
                self.add(space, memo, [Instance::Meaning(atom)], &mut lemmas);
                let values = quotients(space, atom);
                self.add(space, memo, values, &mut lemmas);
            }
            let divisors = divisors(space, &self.atoms);
            if divisors.len() > self.progress.divisors {
                // A product that was met before may now contain a divisor.
                (self.progress.divisors, self.progress.multiplied) = (divisors.len(), 0);
            }
            while let Some(monomial) = self.monomials.get_index(self.progress.multiplied).cloned() {
                self.progress.multiplied += 1;
                let choices = of_choices(space, &monomial, &divisors);
                self.add(space, memo, choices, &mut lemmas);
            }
            if (atoms, truths) == (self.atoms.len(), self.truths.len()) {
                break;
            }
        }
        lemmas.extend(self.symbolic_divisions(space, facts, known));
        let products: Vec<&Monomial> =
            self.monomials.iter().filter(|monomial| monomial.len() == 2).collect();
        for monomial in &products[self.progress.signed..] {
            if let [a, b] = ***monomial {
                lemmas.extend(signs(space, a, b));
            }
        }
        self.progress.signed = products.len();
        lemmas.extend(multiples(space, &products, &self.atoms));
        lemmas.extend(self.equal_multiples(space, facts, &products));
        lemmas.extend(self.scaled_facts(space, facts, &products, known));
        lemmas.extend(equations::alike(space, &self.formulas, &mut known.residues));
        lemmas
    }

    /// Returns instances on floats that are compared or become integers, and were not met before.
    fn ordered(&mut self, space: &Space) -> Vec<Instance> {
        let mut lemmas = Vec::new();
        while self.progress.compared < MOST_TERMS
            && let Some(truth) = self.truths.get_index(self.progress.compared).copied()
        {
            self.progress.compared += 1;
            lemmas.push(Instance::Compared(truth));
        }
        while let Some(cast) = self.values.get_index(self.progress.converted).copied() {
            self.progress.converted += 1;
            let Some((to, operand)) = conversion(space, cast) else { continue };
            let mut limits = IndexSet::default();
            self.literals(space, operand, &mut limits);
            lemmas.extend(limits.iter().take(MOST_LIMITS).map(|by| Instance::Converted(cast, *by)));
            let earlier = self.values.iter().take(self.progress.converted - 1).take(MOST_TERMS);
            for other in earlier {
                let Some((kind, by)) = conversion(space, *other) else { continue };
                if kind != to || space.scalar(by) != space.scalar(operand) {
                    continue;
                }
                lemmas.push(Instance::Converted(cast, by));
                if unstepped(space, by) == unstepped(space, operand) {
                    lemmas.extend([Instance::Near(cast), Instance::Near(*other)]);
                }
            }
            self.progress.converts = true;
        }
        // Floats that only are compared seldom depend on the order of their operands.
        while self.progress.converts
            && self.progress.stepped < MOST_FLOATS
            && let Some(float) = self.values.get_index(self.progress.stepped).copied()
        {
            self.progress.stepped += 1;
            if operands(space, float, Place::First).is_none() {
                continue;
            }
            numbers(space, float, &mut lemmas);
            let earlier: Vec<TermId> =
                self.values.iter().take(self.progress.stepped - 1).copied().collect();
            for place in [Place::First, Place::Second] {
                lemmas.extend(self.steps(space, float, place, &earlier));
            }
        }
        lemmas
    }

    /// Collects literals that may limit a float.
    fn literals(&self, space: &Space, term: TermId, found: &mut IndexSet<TermId>) {
        if found.len() >= MOST_LIMITS {
            return;
        }
        for truth in self.truths.iter().take(MOST_TERMS) {
            if let Term::Binary(BinaryOp::Lt | BinaryOp::Le, a, b) = *space.term(*truth) {
                let limits = [(a, b), (b, a)].into_iter().filter(|(of, _)| *of == term);
                found.extend(limits.map(|(_, by)| by).filter(|by| is_literal(space, *by)));
            }
        }
        match *space.term(term) {
            Term::Constant(_) => drop(found.insert(term)),
            Term::Unary(_, operand) => self.literals(space, operand, found),
            Term::Binary(BinaryOp::Min | BinaryOp::Max, a, b) | Term::Select(_, a, b) => {
                self.literals(space, a, found);
                self.literals(space, b, found);
            }
            Term::Binary(
                op @ (BinaryOp::Add(_) | BinaryOp::Sub(_) | BinaryOp::Mul(_) | BinaryOp::Div),
                a,
                b,
            ) if is_literal(space, b) => {
                found.insert(b);
                let mut limits = IndexSet::default();
                self.literals(space, a, &mut limits);
                let ends = limits.into_iter().filter_map(|end| space.binary_term(op, end, b).ok());
                found.extend(ends);
            }
            Term::Binary(BinaryOp::Mul(_), a, b) => {
                self.literals(space, b, found);
                self.literals(space, a, found);
            }
            Term::Ring(..)
            | Term::Truth(_)
            | Term::Parameter(..)
            | Term::Read { .. }
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::FromInt(..)
            | Term::Apply { .. }
            | Term::Call(..) => {}
        }
    }

    /// Returns instances that compare a float with floats that have another operand at a place:
    /// 0 and 1, literals that limit the operand, and the operands of other floats.
    fn steps(
        &self,
        space: &Space,
        float: TermId,
        place: Place,
        earlier: &[TermId],
    ) -> Vec<Instance> {
        let Some((op, operand, fixed)) = operands(space, float, place) else { return Vec::new() };
        let mut others = IndexSet::default();
        self.literals(space, operand, &mut others);
        let units: &[f32] = if matches!(op, BinaryOp::Mul(_)) { &[0.0, 1.0] } else { &[0.0] };
        let narrow = space.scalar(float) == Scalar::F32;
        others.extend(units.iter().map(|unit| {
            let wide = Constant::f64(f64::from(*unit));
            space.constant_term(if narrow { Constant::f32(*unit) } else { wide })
        }));
        let mut lemmas: Vec<_> =
            others.into_iter().map(|other| Instance::Step(float, place, other)).collect();
        for b in earlier {
            if let Some((other, y, by)) = operands(space, *b, place)
                && (other, by) == (op, fixed)
            {
                lemmas
                    .extend([Instance::Step(float, place, y), Instance::Step(*b, place, operand)]);
            }
        }
        lemmas
    }

    /// Adds instances, and reaches what they mention.
    fn add(
        &mut self,
        space: &Space,
        memo: &mut Memo,
        instances: impl IntoIterator<Item = Instance>,
        lemmas: &mut Vec<Instance>,
    ) {
        for instance in instances {
            for formula in memo.state(space, instance).to_vec() {
                self.formula(space, formula);
            }
            lemmas.push(instance);
        }
    }

    /// Returns the instance that multiplies a bound, if it has products and all of them were
    /// reached.
    fn scaled(
        &self,
        space: &Space,
        factor: PolyId,
        bound: PolyId,
        known: &mut Known,
    ) -> Option<Instance> {
        let products = known.scaled_bounds.entry((factor, bound));
        let products = products.or_insert_with(|| scaled_products(space, factor, bound));
        let products = products.as_ref()?;
        let reached = products.iter().all(|product| self.monomials.contains(product));
        (reached && !products.is_empty()).then_some(Instance::Scaled(factor, bound))
    }

    /// Multiplies facts by a symbol that is at least 0, if all products in the result were reached.
    /// Rows of a symbolic length that are written one after another need this.
    fn scaled_facts(
        &self,
        space: &Space,
        facts: &[FormulaId],
        products: &[&Monomial],
        known: &mut Known,
    ) -> Vec<Instance> {
        let mut factors: IndexSet<AtomId> = IndexSet::default();
        let mut counts: FxHashMap<AtomId, usize> = FxHashMap::default();
        for product in products {
            if let [a, b] = ***product {
                *counts.entry(a).or_default() += 1;
                *counts.entry(b).or_default() += usize::from(a != b);
            }
        }
        for atom in products.iter().flat_map(|product| product.iter()) {
            if counts[atom] > 1 && matches!(space.atom(*atom), Atom::Symbol(_)) {
                factors.insert(*atom);
            }
        }
        let mut lemmas = Vec::new();
        let polys: Vec<PolyId> = factors.iter().map(|factor| space.atom_poly(*factor)).collect();
        for fact in facts {
            let Formula::NonNegative(bound) = *space.formula(*fact) else { continue };
            for factor in &polys {
                if lemmas.len() < MOST_SCALED {
                    lemmas.extend(self.scaled(space, *factor, bound, known));
                }
            }
        }
        // A factor of either sign, such as a parameter, bounds from either side. The last facts are
        // those of the place.
        factors.retain(|factor| !is_natural(space, facts, *factor));
        let signed = lemmas.len();
        let polys: Vec<PolyId> = factors
            .iter()
            .map(|factor| space.atom_poly(*factor))
            .flat_map(|factor| [factor, space.scale(factor, -1)])
            .collect();
        for fact in facts.iter().rev() {
            let Formula::NonNegative(bound) = *space.formula(*fact) else { continue };
            for factor in &polys {
                if lemmas.len() - signed < MOST_SCALED {
                    lemmas.extend(self.scaled(space, *factor, bound, known));
                }
            }
        }
        lemmas
    }

    /// Multiplies equalities of symbols by their factors in products, if all products in the result
    /// were reached. A func that is computed for one point at a time, whose coordinates a parameter
    /// multiplies, needs this.
    fn equal_multiples(
        &self,
        space: &Space,
        facts: &[FormulaId],
        products: &[&Monomial],
    ) -> Vec<Instance> {
        let mut pairs: Vec<(AtomId, AtomId)> = Vec::new();
        for product in products {
            let [a, b] = ***product else { continue };
            let ways = [(a, b), (b, a)].into_iter();
            pairs.extend(ways.filter(|(_, of)| matches!(space.atom(*of), Atom::Symbol(_))));
        }
        let mut lemmas = Vec::new();
        for (symbol, other) in equalities(space, facts, &pairs) {
            let this = space.atom_poly(symbol);
            for (number, _) in pairs.iter().filter(|(_, of)| *of == symbol) {
                let number = space.atom_poly(*number);
                let mut parts = space.poly(space.mul(number, other)).0.iter();
                let reached = parts.all(|(of, _)| of.len() < 2 || self.monomials.contains(of));
                if reached && lemmas.len() < MOST_SCALED {
                    lemmas.push(Instance::Equal(number, this, other));
                }
            }
        }
        lemmas
    }

    /// Returns lemmas on quotients by a divisor that is not constant, as in loops that run over two
    /// dimensions at once.
    fn symbolic_divisions(
        &self,
        space: &Space,
        facts: &[FormulaId],
        known: &mut Known,
    ) -> Vec<Instance> {
        let mut divisions: Vec<(AtomId, PolyId)> = Vec::new();
        for atom in &self.atoms {
            if let Atom::Div(_, divisor) = *space.atom(*atom)
                && space.as_constant(divisor).is_none()
            {
                divisions.push((*atom, divisor));
            }
        }
        let mut lemmas = Vec::new();
        for (position, (a, divisor)) in divisions.iter().enumerate().take(MOST_QUOTIENTS) {
            let others = divisions.iter().take(position).filter(|(_, other)| other == divisor);
            lemmas.extend(others.map(|(b, _)| Instance::Quotients(*a, *b)));
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
        // The bound of a quotient may serve to bound a quotient of this quotient.
        let mut next = 0;
        while let Some(bound) = bounds.get(next).copied() {
            next += 1;
            for (quotient, divisor) in divisions.iter().copied() {
                let derived = known.quotient_bounds.entry((quotient, bound));
                let derived = *derived.or_insert_with(|| quotient_bound(space, quotient, bound));
                if let Some((count, derived)) = derived {
                    lemmas.push(Instance::Below(quotient, count));
                    if !bounds.contains(&derived) && bounds.len() < MOST_BOUNDS {
                        bounds.push(derived);
                    }
                }
                lemmas.extend(self.scaled(space, divisor, bound, known));
            }
        }
        lemmas
    }
}

/// For `x / n` and a bound `g >= 0` with `x + g = n·m - 1`, returns `m`, and `m - 1 - x / n`, which
/// is then at least 0.
fn quotient_bound(space: &Space, quotient: AtomId, bound: PolyId) -> Option<(PolyId, PolyId)> {
    let Atom::Div(dividend, divisor) = *space.atom(quotient) else { return None };
    let (count, rest) = divided_by(space, space.offset(space.add(dividend, bound), 1), divisor);
    if !space.is_zero(rest) {
        return None;
    }
    let distance = space.sub(count, space.atom_poly(quotient));
    Some((count, space.offset(distance, -1)))
}

/// Proposes values of a quotient by a divisor that is not constant. One divisor more or less may be
/// in the rest: `n·m - 1` is `n·(m - 1) + (n - 1)`.
fn quotients(space: &Space, atom: AtomId) -> Vec<Instance> {
    let Atom::Div(dividend, divisor) = *space.atom(atom) else { return Vec::new() };
    if space.as_constant(divisor).is_some() {
        return Vec::new();
    }
    let (value, _) = divided_by(space, dividend, divisor);
    [-1, 0, 1].map(|shift| Instance::Quotient(atom, space.offset(value, shift))).to_vec()
}

/// Returns the products in a bound that is multiplied by a factor. The lemma is useful where all of
/// them were reached, and the bound has none itself.
fn scaled_products(space: &Space, factor: PolyId, bound: PolyId) -> Option<Vec<Monomial>> {
    if space.poly(bound).0.iter().any(|(monomial, _)| monomial.len() > 1) {
        return None;
    }
    let product = space.mul(factor, bound);
    let products = space.poly(product).0.iter().map(|(monomial, _)| monomial.clone());
    Some(products.filter(|monomial| monomial.len() > 1).collect())
}

/// Returns the type and the operand of a conversion of a float to an integer.
fn conversion(space: &Space, term: TermId) -> Option<(Scalar, TermId)> {
    let Term::Cast(to, operand) = *space.term(term) else { return None };
    (to.is_machine_integer() && space.scalar(operand).is_float()).then_some((to, operand))
}

/// The integers that facts equate with symbols that have factors: as equalities, or as bounds from
/// both sides.
fn equalities(
    space: &Space,
    facts: &[FormulaId],
    pairs: &[(AtomId, AtomId)],
) -> IndexSet<(AtomId, PolyId)> {
    let mut found = IndexSet::default();
    let mut bounds: IndexSet<(AtomId, PolyId, bool)> = IndexSet::default();
    if pairs.is_empty() {
        return found;
    }
    for fact in facts {
        for part in space.conjuncts(*fact) {
            let (poly, is_equal) = match *space.formula(part) {
                Formula::Zero(poly) => (poly, true),
                Formula::NonNegative(poly) => (poly, false),
                Formula::True
                | Formula::False
                | Formula::Holds(_)
                | Formula::Not(_)
                | Formula::And(_)
                | Formula::Or(_) => continue,
            };
            let unit = |(monomial, factor): &(Monomial, i128)| match **monomial {
                [atom] if factor.abs() == 1 => {
                    pairs.iter().any(|(_, of)| *of == atom).then_some((atom, *factor))
                }
                _ => None,
            };
            let units: Vec<_> = space.poly(poly).0.iter().filter_map(unit).collect();
            for (atom, factor) in units {
                // `poly` is `factor * (atom - other)`.
                let other = space.sub(space.atom_poly(atom), space.scale(poly, factor));
                bounds.insert((atom, other, factor > 0));
                if is_equal || bounds.contains(&(atom, other, factor < 0)) {
                    found.insert((atom, other));
                }
            }
        }
    }
    found
}

/// Tests whether a fact says that an integer is at least 0.
fn is_natural(space: &Space, facts: &[FormulaId], atom: AtomId) -> bool {
    let this = space.atom_poly(atom);
    let natural = [this, space.offset(this, -1)].map(|bound| space.non_negative(bound));
    facts.iter().any(|fact| natural.contains(fact))
}

/// Returns a float without a literal that is added to it.
fn unstepped(space: &Space, float: TermId) -> TermId {
    stepped(space, float).map_or(float, |(operand, _)| operand)
}

/// Proposes that a float and the floats that it is computed from are numbers.
fn numbers(space: &Space, float: TermId, lemmas: &mut Vec<Instance>) {
    let Some((_, first, second)) = operands(space, float, Place::First) else { return };
    if lemmas.len() < MOST_FLOATS {
        lemmas.push(Instance::Number(float));
        numbers(space, first, lemmas);
        numbers(space, second, lemmas);
    }
}

fn is_literal(space: &Space, term: TermId) -> bool {
    space.term_constant(term).is_some()
}

/// Returns instances for every pair of machine values that were not met before.
fn of_pairs(
    space: &Space,
    (values, truths): (&IndexSet<TermId>, &IndexSet<TermId>),
    met: &mut IndexSet<(TermId, TermId, bool)>,
) -> Vec<Instance> {
    // Integers come from floats, each of which has a chain of floats below it: the limit holds for
    // each kind, so that many floats leave no integer out.
    let (floats, integers): (Vec<TermId>, Vec<TermId>) =
        values.iter().partition(|term| space.scalar(**term).is_float());
    let truths = truths.iter().copied().collect();
    let mut lemmas = Vec::new();
    for (terms, truth) in [(floats, false), (integers, false), (truths, true)] {
        for (position, a) in terms.iter().enumerate().take(MOST_TERMS) {
            for b in &terms[..position] {
                if !met.insert((*a, *b, truth)) {
                    continue;
                }
                if truth {
                    lemmas.push(Instance::SameTruth(*a, *b));
                } else if space.scalar(*a).is_float() {
                    lemmas.extend([Instance::SameOrder(*a, *b), Instance::SameValue(*a, *b)]);
                } else {
                    lemmas.extend([Instance::Monotone(*a, *b), Instance::SameValue(*a, *b)]);
                }
            }
        }
    }
    lemmas
}

/// Returns the divisors among the atoms that are not numbers, each with its quotient. Products with
/// other atoms, such as strides, are seldom compared, and there are many of them.
fn divisors(space: &Space, atoms: &IndexSet<AtomId>) -> Vec<(PolyId, PolyId)> {
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

/// Tests whether an atom is a term of an integer: the number of rows of a fused loop may be
/// `(x + 1) / 8 + 1`.
fn has_term(space: &Space, poly: PolyId, atom: PolyId) -> bool {
    let Some(atom) = space.as_atom(atom) else { return false };
    space.poly(poly).0.iter().any(|(monomial, factor)| **monomial == [atom] && *factor == 1)
}

/// Compares multiples of a divisor.
fn multiples(space: &Space, products: &[&Monomial], atoms: &IndexSet<AtomId>) -> Vec<Instance> {
    let divisors = divisors(space, atoms);
    let mut multiples: IndexSet<(PolyId, PolyId)> = divisors.iter().copied().collect();
    for product in products {
        let [a, b] = ***product else { continue };
        let (a, b) = (space.atom_poly(a), space.atom_poly(b));
        for (number, other) in [(a, b), (b, a)] {
            let multiple = |divisor: PolyId| divisor == number || has_term(space, divisor, number);
            let of = divisors.iter().map(|(divisor, _)| *divisor);
            multiples.extend(of.filter(|of| multiple(*of)).map(|divisor| (divisor, other)));
        }
    }
    let pairs = multiples.iter().enumerate().flat_map(|(position, (number, first))| {
        let others = multiples.iter().take(position).filter(move |(other, _)| number == other);
        others.map(move |(_, second)| (*number, *first, *second))
    });
    let mut lemmas = Vec::new();
    for (number, first, second) in pairs.take(MOST_PAIRS) {
        for (less, more) in [(first, second), (second, first)] {
            lemmas.push(Instance::Scaled(number, space.offset(space.sub(more, less), -1)));
        }
        lemmas.push(Instance::Equal(number, first, second));
    }
    lemmas
}

/// Proposes the sign of a product: a product of two numbers at least 0 is at least 0, and at least
/// each of them if the other one is at least 1. A product of two values of few bits lies between
/// the products of the ends of their ranges, by the distances of the values from these ends.
fn signs(space: &Space, a: AtomId, b: AtomId) -> Vec<Instance> {
    let ranges = [a, b].map(|atom| match space.atom(atom) {
        Atom::Value(term) => space.value_range(*term),
        Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Div(..) => None,
    });
    let (a, b) = (space.atom_poly(a), space.atom_poly(b));
    let mut lemmas = vec![Instance::Scaled(a, b)];
    lemmas.extend([(a, b), (b, a)].map(|(x, y)| Instance::Scaled(x, space.offset(y, -1))));
    let [Some((a_low, a_high)), Some((b_low, b_high))] = ranges else { return lemmas };
    let most = |low: i128, high: i128| low.unsigned_abs().max(high.unsigned_abs());
    if most(a_low, a_high).saturating_mul(most(b_low, b_high)) <= MOST_PRODUCT {
        let ends = |of: PolyId, low: i128, high: i128| {
            [space.offset(of, -low), space.offset(space.scale(of, -1), high)]
        };
        let (of_a, of_b) = (ends(a, a_low, a_high), ends(b, b_low, b_high));
        lemmas.extend(of_a.iter().flat_map(|x| of_b.iter().map(|y| Instance::Scaled(*x, *y))));
    }
    lemmas
}

/// Returns instances on a product with a minimum or selection, if one of the factors is a divisor
/// or a choice among divisors: the product is the one with the operand that is chosen.
fn of_choices(space: &Space, monomial: &Monomial, divisors: &[(PolyId, PolyId)]) -> Vec<Instance> {
    let [a, b] = **monomial else { return Vec::new() };
    let mut lemmas = Vec::new();
    for (atom, factor) in [(a, b), (b, a)] {
        let operands = alternatives(space, atom);
        if operands.is_empty() {
            continue;
        }
        let (this, factor) = (space.atom_poly(atom), space.atom_poly(factor));
        if divides(space, factor, divisors) || divides(space, this, divisors) {
            lemmas.extend(operands.iter().map(|operand| Instance::Equal(factor, this, *operand)));
        }
    }
    lemmas
}

/// Tests whether an integer is a divisor, up to its sign, or a choice with such an operand.
fn divides(space: &Space, poly: PolyId, divisors: &[(PolyId, PolyId)]) -> bool {
    let negated = space.scale(poly, -1);
    if divisors.iter().any(|(divisor, _)| [poly, negated].contains(divisor)) {
        return true;
    }
    let operands = space.as_atom(poly).map_or(Vec::new(), |atom| alternatives(space, atom));
    operands.into_iter().any(|operand| {
        let negated = space.scale(operand, -1);
        divisors.iter().any(|(divisor, _)| [operand, negated].contains(divisor))
    })
}
