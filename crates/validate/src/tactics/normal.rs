//! Normal forms of floats under laws, with the steps that lead to them.
//!
//! A form is a sum of products of *factors*, written as a term: sums and products stand in the
//! order of their operands' numbers, grouped from the left. A factor is a term that the laws do not
//! look into, whose operands are in normal form themselves.
//!
//! Every step is recorded as a [`Join`], from a term to one that is equal by a law of the theory or
//! by equal operands. So two terms with one form have a proof.

use std::collections::BTreeMap;
use std::rc::Rc;

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Scalar};

use crate::floats::proof::{Join, Law, Theory, inverse, is_special, number};
use crate::floats::rational::Rational;
use crate::floats::{ADD, Axiom, Axioms, MUL, NEG, SUB};
use crate::space::{Space, Term, TermId};

/// The most products in a form, and the most factors in a product. A larger term has no form.
const MOST_PRODUCTS: usize = 4096;
const MOST_FACTORS: usize = 64;

/// Finds normal forms under one theory.
pub(crate) struct Normalizer {
    theory: Theory,
    forms: FxHashMap<TermId, Option<TermId>>,
    special: FxHashMap<TermId, bool>,
    /// Over the reals, the term that stands for a number.
    numbers: FxHashMap<(Scalar, Rational), TermId>,
    /// The steps that lead from terms to their forms.
    joins: Vec<Join>,
    /// Equality of bits, where floats are equal up to the sign of zero.
    exact: Option<Box<Normalizer>>,
}

/// Over the reals, the number in a product, if it is not 1, and the rest, if it is not 1.
type Scaled = (Option<TermId>, Option<TermId>);

/// The normal forms of terms of one space that were found, by theory. The steps that lead to them
/// are not kept.
#[derive(Default)]
pub(crate) struct Forms {
    space: Rc<()>,
    found: FxHashMap<Theory, Normalizer>,
}

impl Forms {
    /// Tests whether two floats have one normal form in a theory. Then they are equal in it.
    pub(crate) fn same(&mut self, theory: Theory, space: &Space, a: TermId, b: TermId) -> bool {
        if !Rc::ptr_eq(&self.space, space.identity()) {
            *self = Self { space: Rc::clone(space.identity()), found: FxHashMap::default() };
        }
        let normalizer = self.found.entry(theory).or_insert_with(|| Normalizer::new(theory));
        let same = normalizer.same(space, a, b);
        normalizer.joins.clear();
        same
    }
}

/// Finds a proof that two floats are equal in a theory.
pub(crate) fn proof(theory: Theory, space: &Space, a: TermId, b: TermId) -> Option<Vec<Join>> {
    let mut normalizer = Normalizer::new(theory);
    normalizer.same(space, a, b).then_some(normalizer.joins)
}

/// Finds a proof that the floats of each pair are equal up to the sign of zero.
pub(crate) fn proof_up_to_sign_of_zero(
    space: &Space,
    pairs: &[(TermId, TermId)],
) -> Option<[Vec<Join>; 2]> {
    let mut normalizer = Normalizer::up_to_sign_of_zero();
    let same = pairs.iter().all(|(a, b)| normalizer.same(space, *a, *b));
    let exact = normalizer.exact.map(|exact| exact.joins).unwrap_or_default();
    same.then_some([exact, normalizer.joins])
}

impl Normalizer {
    /// Equality up to the sign of zero.
    pub(crate) fn up_to_sign_of_zero() -> Self {
        let laws = [Axiom::AddZero, Axiom::NegateSum].into_iter().collect();
        let bits = Self::new(Theory::Axioms(Axioms::NONE));
        Self { exact: Some(Box::new(bits)), ..Self::new(Theory::Axioms(laws)) }
    }

    pub(crate) fn new(theory: Theory) -> Self {
        Self {
            theory,
            forms: FxHashMap::default(),
            special: FxHashMap::default(),
            numbers: FxHashMap::default(),
            joins: Vec::new(),
            exact: None,
        }
    }

    /// Tests whether two floats have one normal form. Then they are equal in the theory.
    pub(crate) fn same(&mut self, space: &Space, a: TermId, b: TermId) -> bool {
        space.scalar(a) == space.scalar(b)
            && matches!((self.form(space, a), self.form(space, b)), (Some(a), Some(b)) if a == b)
    }

    fn is_real(&self) -> bool {
        self.theory == Theory::Reals
    }

    fn has(&self, axiom: Axiom) -> bool {
        self.theory.has(axiom)
    }

    fn form(&mut self, space: &Space, term: TermId) -> Option<TermId> {
        if let Some(known) = self.forms.get(&term) {
            return *known;
        }
        let form = self.find(space, term);
        self.forms.insert(term, form);
        // A form is its own form.
        if let Some(form) = form {
            self.forms.insert(form, Some(form));
        }
        form
    }

    /// Returns the form of an operand of an operator that may see the sign of zero.
    fn operand(&mut self, space: &Space, term: TermId) -> Option<TermId> {
        match &mut self.exact {
            Some(exact) => exact.form(space, term),
            None => self.form(space, term),
        }
    }

    fn find(&mut self, space: &Space, term: TermId) -> Option<TermId> {
        if !space.scalar(term).is_float() {
            return Some(term);
        }
        let lawful = !self.is_real() || !is_special(space, term, &mut self.special);
        match (space.term(term).clone(), lawful) {
            (Term::Constant(_), _) if self.is_real() => self.literal(space, term),
            (Term::Unary(NEG, a), true) => {
                let form = self.form(space, a)?;
                self.replaced(space, term, &[(a, form)])?;
                self.negated(space, form)
            }
            (Term::Binary(ADD, a, b), true) => {
                if !self.has(Axiom::AddAssociative)
                    && let Some(moved) = self.moved(space, a, b).or_else(|| self.moved(space, b, a))
                {
                    return self.form(space, moved);
                }
                let sum = self.tree(space, term)?;
                self.sum(space, sum)
            }
            (Term::Binary(SUB, a, b), true) => {
                let sum = self.law(space, Law::Difference, [a, b, b])?;
                self.form(space, sum)
            }
            (Term::Binary(MUL, a, b), true) => {
                let (x, y) = (self.form(space, a)?, self.form(space, b)?);
                self.replaced(space, term, &[(a, x), (b, y)])?;
                self.product(space, x, y)
            }
            (Term::Binary(BinaryOp::Div, a, b), true) => self.quotient(space, term, (a, b)),
            (Term::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b), true) => {
                let (x, y) = (self.operand(space, a)?, self.operand(space, b)?);
                let extreme = self.replaced(space, term, &[(a, x), (b, y)])?;
                match self.bounded(space, extreme, [x, y]) {
                    Some(float) => self.form(space, float),
                    None => self.extreme(space, op, extreme),
                }
            }
            (Term::Select(_, a, b), _) => {
                let (x, y) = (self.form(space, a)?, self.form(space, b)?);
                self.replaced(space, term, &[(a, x), (b, y)])
            }
            (_, _) => {
                let mut pairs = Vec::new();
                for operand in space.operands(term) {
                    pairs.push((operand, self.operand(space, operand)?));
                }
                self.replaced(space, term, &pairs)
            }
        }
    }

    /// Takes one side of a law for the other. Returns the right side.
    fn law(&mut self, space: &Space, law: Law, floats: [TermId; 3]) -> Option<TermId> {
        let (_, right) = law.sides(space, self.theory, floats)?;
        self.joins.push(Join::Law(law, floats));
        Some(right)
    }

    /// Replaces operands of a term by equal ones.
    fn replaced(
        &mut self,
        space: &Space,
        term: TermId,
        pairs: &[(TermId, TermId)],
    ) -> Option<TermId> {
        let own = space.operands(term);
        let new = own.iter().map(|operand| {
            let pair = pairs.iter().find(|(old, _)| old == operand);
            pair.map_or(*operand, |(_, new)| *new)
        });
        let new: Vec<TermId> = new.collect();
        if own == new {
            return Some(term);
        }
        let replaced = space.with_operands(term, &new).ok()?;
        self.joins.push(Join::Applied(term, new));
        Some(replaced)
    }

    fn regrouped(&mut self, op: BinaryOp, a: TermId, b: TermId) {
        if a != b {
            self.joins.push(Join::Regrouped(op, a, b));
        }
    }

    /// Returns the term that stands for a number over the reals, given an expression of literals
    /// with that value.
    fn number(&mut self, space: &Space, term: TermId) -> Option<TermId> {
        let (scalar, value) = (space.scalar(term), number(space, term)?);
        for known in [0.0, 1.0] {
            let literal = space.float(scalar, known)?;
            let of_literal = number(space, literal)?;
            self.numbers.entry((scalar, of_literal)).or_insert(literal);
        }
        let kept = *self.numbers.entry((scalar, value)).or_insert(term);
        if kept != term {
            self.joins.push(Join::Number(term, kept));
        }
        Some(kept)
    }

    fn literal(&mut self, space: &Space, term: TermId) -> Option<TermId> {
        if number(space, term).is_some() { self.number(space, term) } else { Some(term) }
    }

    /// Moves a literal that is added to a minimum or maximum with a literal into its operands.
    fn moved(&mut self, space: &Space, extreme: TermId, by: TermId) -> Option<TermId> {
        let Term::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) = *space.term(extreme) else {
            return None;
        };
        let (law, floats) = (Law::Moved(op), [a, b, by]);
        let (sum, _) = law.sides(space, self.theory, floats)?;
        let turned = space.binary_term(ADD, by, extreme).ok()?;
        self.regrouped(ADD, turned, sum);
        self.law(space, law, floats)
    }

    /// Returns the operand that an extreme with a literal always is. Where floats are equal up to
    /// the sign of zero, this is a step between floats with equal bits.
    fn bounded(&mut self, space: &Space, extreme: TermId, [x, y]: [TermId; 2]) -> Option<TermId> {
        let with_bits = match &mut self.exact {
            Some(exact) => exact,
            None => self,
        };
        let mut ways = [[x, y], [y, x]].into_iter();
        ways.find_map(|[float, literal]| {
            with_bits.law(space, Law::Bounded, [float, literal, extreme])
        })
    }

    /// Tests whether a form is a sum. Over the reals, a number is not one.
    fn summands(&self, space: &Space, form: TermId) -> Option<(TermId, TermId)> {
        let Term::Binary(ADD, a, b) = *space.term(form) else { return None };
        let is_number = self.is_real() && number(space, form).is_some();
        (!is_number).then_some((a, b))
    }

    /// Lists the operands of nested sums or products.
    fn flat(&self, space: &Space, op: BinaryOp, term: TermId, deep: bool) -> Vec<TermId> {
        let (mut open, mut found) = (vec![term], Vec::new());
        while let Some(next) = open.pop() {
            if let Term::Binary(own, a, b) = *space.term(next)
                && own == op
                && (deep || next == term)
                && (op != ADD || self.summands(space, next).is_some())
            {
                open.extend([b, a]);
            } else {
                found.push(next);
            }
        }
        found
    }

    /// Groups operands from the left.
    fn chain(space: &Space, op: BinaryOp, operands: &[TermId]) -> Option<TermId> {
        let (first, rest) = operands.split_first()?;
        rest.iter().try_fold(*first, |chain, next| space.binary_term(op, chain, *next).ok())
    }

    /// Returns a sum with forms for its operands. Operands that are sums, and may be regrouped,
    /// need no form.
    fn tree(&mut self, space: &Space, term: TermId) -> Option<TermId> {
        let mut pairs = Vec::new();
        for operand in space.operands(term) {
            let inner = self.has(Axiom::AddAssociative)
                && self.summands(space, operand).is_some()
                && !self.forms.contains_key(&operand);
            let form = if inner { self.tree(space, operand) } else { self.form(space, operand) };
            pairs.push((operand, form?));
        }
        self.replaced(space, term, &pairs)
    }

    /// Returns the form of a sum of forms.
    fn sum(&mut self, space: &Space, sum: TermId) -> Option<TermId> {
        if self.is_real() {
            return self.real_sum(space, sum);
        }
        if self.summands(space, sum).is_none() {
            return self.form(space, sum);
        }
        let regroups = self.has(Axiom::AddAssociative);
        let mut operands = self.flat(space, ADD, sum, regroups);
        if operands.len() > MOST_PRODUCTS {
            return None;
        }
        if let [a, b] = *operands.as_slice()
            && a == b
            && !regroups
        {
            self.law(space, Law::Twice, [a; 3])?;
            let two = space.float(space.scalar(a), 2.0)?;
            return self.product(space, two, a);
        }
        operands.sort_unstable();
        let (zeros, rest): (Vec<TermId>, Vec<TermId>) =
            operands.iter().partition(|term| self.is_unit(space, **term));
        // If all terms are zeros, all are kept.
        if rest.is_empty() || zeros.is_empty() {
            let chain = Self::chain(space, ADD, &operands)?;
            self.regrouped(ADD, sum, chain);
            return Some(chain);
        }
        let first = Self::chain(space, ADD, &rest)?;
        let all = Self::chain(space, ADD, &[&*rest, &*zeros].concat())?;
        self.regrouped(ADD, sum, all);
        let mut chain = first;
        for zero in zeros {
            let longer = space.binary_term(ADD, chain, zero).ok()?;
            let with_zero = self.replaced(space, longer, &[(chain, first)])?;
            let negative = signed(space, zero).is_some();
            let law = if negative { Law::NegativeZero } else { Law::AddZero };
            // Invariant: the zero is the one that the law adds.
            let (left, _) = law.sides(space, self.theory, [first; 3])?;
            self.regrouped(ADD, with_zero, left);
            self.law(space, law, [first; 3])?;
            chain = longer;
        }
        Some(first)
    }

    /// Tests whether a float may be left out of a sum.
    fn is_unit(&self, space: &Space, term: TermId) -> bool {
        let zero = |constant: &Constant| {
            constant.as_f32().map(f64::from).or(constant.as_f64()) == Some(0.0)
        };
        let Some(constant) = space.term_constant(term).filter(zero) else { return false };
        constant.to_bits() != Some(0) || self.has(Axiom::AddZero)
    }

    /// Returns the form of a form's negation.
    fn negated(&mut self, space: &Space, form: TermId) -> Option<TermId> {
        if self.is_real() {
            let one = space.float(space.scalar(form), 1.0)?;
            let minus = space.unary_term(NEG, one).ok()?;
            self.law(space, Law::NegatedFactor, [one, form, form])?;
            let minus_form = self.number(space, minus)?;
            let product = space.binary_term(MUL, minus, form).ok()?;
            self.replaced(space, product, &[(minus, minus_form)])?;
            return self.product(space, minus_form, form);
        }
        if let Term::Unary(NEG, inner) = *space.term(form) {
            return self.law(space, Law::TwoSigns, [inner; 3]);
        }
        if let Some((a, b)) = self.summands(space, form)
            && self.has(Axiom::NegateSum)
        {
            let sum = self.law(space, Law::NegateSum, [a, b, b])?;
            let mut pairs = Vec::new();
            for operand in [a, b] {
                let old = space.unary_term(NEG, operand).ok()?;
                pairs.push((old, self.negated(space, operand)?));
            }
            let sum = self.replaced(space, sum, &pairs)?;
            return self.sum(space, sum);
        }
        space.unary_term(NEG, form).ok()
    }

    /// Returns the form of a product of two forms.
    fn product(&mut self, space: &Space, a: TermId, b: TermId) -> Option<TermId> {
        let product = space.binary_term(MUL, a, b).ok()?;
        if !matches!(space.term(product), Term::Binary(MUL, ..)) {
            return if [a, b].contains(&product) {
                Some(product)
            } else {
                self.form(space, product)
            };
        }
        if !self.is_real()
            && self.has(Axiom::MulZero)
            && let Some(zero) = self.vanishing(space, a, b).or_else(|| self.vanishing(space, b, a))
        {
            return Some(zero);
        }
        let regroups = self.has(Axiom::AddAssociative);
        let counts = [a, b].map(|form| self.flat(space, ADD, form, regroups).len());
        let count = counts[0].saturating_mul(counts[1]);
        // More than two terms form a sum only if they may be regrouped.
        if count > 1 && self.has(Axiom::Distributive) && (regroups || count <= 2) {
            if count > MOST_PRODUCTS {
                return None;
            }
            let sum = self.expanded(space, a, b)?;
            return self.sum(space, sum);
        }
        if self.is_real() {
            return self.real_product(space, product, [a, b]);
        }
        for (own, other) in [(a, b), (b, a)] {
            if let Some(inner) = signed(space, own) {
                let (signed, _) =
                    Law::NegatedFactor.sides(space, self.theory, [inner, other, other])?;
                self.regrouped(MUL, product, signed);
                let negated = self.law(space, Law::NegatedFactor, [inner, other, other])?;
                let unsigned = space.binary_term(MUL, inner, other).ok()?;
                let form = self.product(space, inner, other)?;
                self.replaced(space, negated, &[(unsigned, form)])?;
                return self.negated(space, form);
            }
        }
        let mut factors = vec![a, b];
        if self.has(Axiom::MulAssociative) {
            factors = self.flat(space, MUL, product, true);
        }
        factors.sort_unstable();
        let chain = Self::chain(space, MUL, &factors).filter(|_| factors.len() <= MOST_FACTORS)?;
        self.regrouped(MUL, product, chain);
        Some(chain)
    }

    /// Returns the zero that a product with a zero is.
    fn vanishing(&mut self, space: &Space, a: TermId, b: TermId) -> Option<TermId> {
        let zero = space.float(space.scalar(a), 0.0)?;
        let minus = space.unary_term(NEG, zero).ok()?;
        let product = space.binary_term(MUL, a, b).ok()?;
        if ![zero, minus].contains(&b) {
            return None;
        }
        let mut plain = product;
        if b == minus {
            // `-1 * 0` is `0`, and `-(1 * 0)`.
            let one = space.float(space.scalar(a), 1.0)?;
            let minus_one = space.unary_term(NEG, one).ok()?;
            self.law(space, Law::MulZero, [minus_one; 3])?;
            self.law(space, Law::NegatedFactor, [one, zero, zero])?;
            plain = self.replaced(space, product, &[(minus, zero)])?;
        }
        let (left, _) = Law::MulZero.sides(space, self.theory, [a; 3])?;
        self.regrouped(MUL, plain, left);
        self.law(space, Law::MulZero, [a; 3])
    }

    /// Distributes one form over the other. Returns a sum of forms.
    fn expanded(&mut self, space: &Space, a: TermId, b: TermId) -> Option<TermId> {
        let deep = self.has(Axiom::AddAssociative);
        if let Some((y, z)) = self.summands(space, b) {
            let sum = self.law(space, Law::Distributive, [a, y, z])?;
            let mut pairs = Vec::new();
            for operand in [y, z] {
                let old = space.binary_term(MUL, a, operand).ok()?;
                let new = if deep {
                    self.expanded(space, a, operand)?
                } else {
                    self.product(space, a, operand)?
                };
                pairs.push((old, new));
            }
            return self.replaced(space, sum, &pairs);
        }
        if self.summands(space, a).is_some() {
            let (product, turned) =
                (space.binary_term(MUL, a, b).ok()?, space.binary_term(MUL, b, a).ok()?);
            self.regrouped(MUL, product, turned);
            return self.expanded(space, b, a);
        }
        self.product(space, a, b)
    }

    fn quotient(
        &mut self,
        space: &Space,
        term: TermId,
        (a, b): (TermId, TermId),
    ) -> Option<TermId> {
        if !self.is_real()
            && let Some((constant, exact)) = inverse(space, b)
            && (exact || self.has(Axiom::Reciprocal))
        {
            let product = self.law(space, Law::Inverse, [a, b, space.constant_term(constant)])?;
            return self.form(space, product);
        }
        if let Some(exact) = &mut self.exact {
            return exact.form(space, term);
        }
        let (x, y) = (self.form(space, a)?, self.form(space, b)?);
        let quotient = self.replaced(space, term, &[(a, x), (b, y)])?;
        if !matches!(space.term(quotient), Term::Binary(BinaryOp::Div, ..)) {
            return self.form(space, quotient);
        }
        if !self.is_real() {
            return self.signed_quotient(space, (x, y));
        }
        let product = self.law(space, Law::Quotient, [x, y, y])?;
        let one = space.float(space.scalar(x), 1.0)?;
        let inverse = space.binary_term(BinaryOp::Div, one, y).ok()?;
        if number(space, inverse).is_none() {
            return self.product(space, x, inverse);
        }
        let by = self.number(space, inverse)?;
        self.replaced(space, product, &[(inverse, by)])?;
        self.product(space, x, by)
    }

    /// Returns the form of a quotient of two forms: the sign of both stands before it.
    fn signed_quotient(&mut self, space: &Space, (a, b): (TermId, TermId)) -> Option<TermId> {
        let (law, floats, inner) = if let Some(inner) = signed(space, a) {
            (Law::NegatedDividend, [inner, b, b], (inner, b))
        } else if let Some(inner) = signed(space, b) {
            (Law::NegatedDivisor, [a, inner, inner], (a, inner))
        } else {
            return space.binary_term(BinaryOp::Div, a, b).ok();
        };
        let negated = self.law(space, law, floats)?;
        let unsigned = space.binary_term(BinaryOp::Div, inner.0, inner.1).ok()?;
        let form = self.signed_quotient(space, inner)?;
        self.replaced(space, negated, &[(unsigned, form)])?;
        self.negated(space, form)
    }

    /// Returns the form of a minimum or maximum of forms. Its operands are sorted if they commute,
    /// and neighbours that are equal are merged.
    fn extreme(&mut self, space: &Space, op: BinaryOp, term: TermId) -> Option<TermId> {
        let (associative, commutative) = if op == BinaryOp::Min {
            (Axiom::MinAssociative, Axiom::MinCommutative)
        } else {
            (Axiom::MaxAssociative, Axiom::MaxCommutative)
        };
        if !matches!(space.term(term), Term::Binary(own, ..) if *own == op) {
            return self.form(space, term);
        }
        let mut operands = self.flat(space, op, term, self.has(associative));
        if self.has(commutative) {
            operands.sort_unstable();
        }
        operands.dedup();
        let mut rest = operands.iter().rev().copied();
        let last = rest.next().filter(|_| operands.len() <= MOST_PRODUCTS)?;
        let nested =
            rest.try_fold(last, |nested, operand| space.binary_term(op, operand, nested).ok())?;
        self.regrouped(op, term, nested);
        Some(nested)
    }
}

/// Sums and products of real numbers. A product is a chain of factors, times a number.
impl Normalizer {
    /// Splits a form that is no sum into a number and the rest.
    fn scaled(space: &Space, form: TermId) -> Scaled {
        if number(space, form).is_some() {
            return (Some(form), None);
        }
        if let Term::Binary(MUL, a, b) = *space.term(form) {
            for (by, rest) in [(a, b), (b, a)] {
                if number(space, by).is_some() {
                    return (Some(by), Some(rest));
                }
            }
        }
        (None, Some(form))
    }

    fn real_product(
        &mut self,
        space: &Space,
        product: TermId,
        forms: [TermId; 2],
    ) -> Option<TermId> {
        let (mut numbers, mut factors) = (Vec::new(), Vec::new());
        for form in forms {
            let (by, rest) = Self::scaled(space, form);
            numbers.extend(by);
            if let Some(rest) = rest {
                factors.extend(self.flat(space, MUL, rest, true));
            }
        }
        factors.sort_unstable();
        let by = Self::chain(space, MUL, &numbers);
        let Some(chain) = Self::chain(space, MUL, &factors) else {
            return self.number(space, product);
        };
        let Some(by) = by.filter(|_| factors.len() <= MOST_FACTORS) else {
            self.regrouped(MUL, product, chain);
            return Some(chain);
        };
        let whole = space.binary_term(MUL, chain, by).ok()?;
        self.regrouped(MUL, product, whole);
        let kept = self.number(space, by)?;
        let whole = self.replaced(space, whole, &[(by, kept)])?;
        self.unless_zero(space, whole, (chain, kept))
    }

    /// Returns a multiple of a product, or 0 if the number is 0.
    fn unless_zero(
        &mut self,
        space: &Space,
        multiple: TermId,
        (chain, by): (TermId, TermId),
    ) -> Option<TermId> {
        if number(space, by)?[0] != 0.into() {
            return Some(multiple);
        }
        let (left, _) = Law::MulZero.sides(space, self.theory, [chain; 3])?;
        self.regrouped(MUL, multiple, left);
        self.law(space, Law::MulZero, [chain; 3])
    }

    fn real_sum(&mut self, space: &Space, sum: TermId) -> Option<TermId> {
        let operands = self.flat(space, ADD, sum, true);
        let mut groups: BTreeMap<Option<TermId>, Vec<TermId>> = BTreeMap::new();
        for operand in operands {
            groups.entry(Self::scaled(space, operand).1).or_default().push(operand);
        }
        if groups.len() > MOST_PRODUCTS {
            return None;
        }
        let mut grouped = Vec::new();
        for group in groups.values() {
            grouped.push(Self::chain(space, ADD, group)?);
        }
        let all = Self::chain(space, ADD, &grouped)?;
        self.regrouped(ADD, sum, all);
        let mut values = Vec::new();
        for (chain, group) in &groups {
            values.push(self.collected(space, *chain, group)?);
        }
        let mut pairs = grouped.into_iter().zip(values);
        let (mut whole, mut form) = pairs.next()?;
        for (group, value) in pairs {
            let sum = space.binary_term(ADD, whole, group).ok()?;
            let longer = self.replaced(space, sum, &[(group, value), (whole, form)])?;
            whole = sum;
            form = self.with_zero(space, longer, (form, value))?;
        }
        Some(form)
    }

    /// Returns the sum of two forms without a zero.
    fn with_zero(
        &mut self,
        space: &Space,
        sum: TermId,
        (a, b): (TermId, TermId),
    ) -> Option<TermId> {
        for (zero, other) in [(b, a), (a, b)] {
            if number(space, zero).is_some_and(|[above, _]| above == 0.into()) {
                let (left, _) = Law::AddZero.sides(space, self.theory, [other; 3])?;
                self.regrouped(ADD, sum, left);
                return self.law(space, Law::AddZero, [other; 3]);
            }
        }
        Some(sum)
    }

    /// Returns the sum of multiples of one product, or of numbers.
    fn collected(
        &mut self,
        space: &Space,
        chain: Option<TermId>,
        group: &[TermId],
    ) -> Option<TermId> {
        let (first, rest) = group.split_first()?;
        let (mut raw, mut form) = (*first, *first);
        if chain.is_none() {
            form = self.number(space, raw)?;
        }
        for next in rest {
            let longer = space.binary_term(ADD, raw, *next).ok()?;
            let sum = self.replaced(space, longer, &[(raw, form)])?;
            raw = longer;
            form = match chain {
                None => self.number(space, sum)?,
                Some(chain) => self.collected_pair(space, chain, (sum, form, *next))?,
            };
        }
        Some(form)
    }

    /// Returns the sum of two multiples of one product.
    fn collected_pair(
        &mut self,
        space: &Space,
        chain: TermId,
        (sum, a, b): (TermId, TermId, TermId),
    ) -> Option<TermId> {
        if number(space, a).is_some() {
            return self.with_zero(space, sum, (a, b));
        }
        let one = space.float(space.scalar(chain), 1.0)?;
        let [x, y] = [a, b].map(|form| Self::scaled(space, form).0.unwrap_or(one));
        let floats = [chain, x, y];
        let (left, _) = Law::Distributive.sides(space, self.theory, floats)?;
        self.law(space, Law::Distributive, floats)?;
        let by = space.binary_term(ADD, x, y).ok()?;
        let kept = self.number(space, by)?;
        let multiple = self.replaced(space, left, &[(by, kept)])?;
        self.unless_zero(space, multiple, (chain, kept))
    }
}

/// Returns a form without its sign, if it has one.
fn signed(space: &Space, form: TermId) -> Option<TermId> {
    if let Term::Unary(NEG, inner) = *space.term(form) {
        return Some(inner);
    }
    let constant = space.term_constant(form)?;
    let value = constant.as_f64().or(constant.as_f32().map(f64::from))?;
    if value.is_nan() || !value.is_sign_negative() {
        return None;
    }
    space.unary_term(NEG, form).ok()
}

#[cfg(test)]
mod tests {
    use super::{ADD, Forms, MUL, Theory};
    use crate::floats::Axioms;
    use crate::space::{Space, Term};
    use halidom_ir::Scalar;

    #[test]
    fn forms_of_one_space_are_not_those_of_another() {
        let theory = Theory::Axioms(Axioms::NONE);
        let mut forms = Forms::default();
        // Terms with the same numbers are equal in the first space alone.
        for (ops, equal) in [([ADD, ADD], true), ([MUL, ADD], false)] {
            let space = Space::new();
            let leaf = |name| space.leaf(Term::Parameter(space.fresh(name), Scalar::F32));
            let [x, y] = ["x", "y"].map(leaf);
            let a = space.binary_term(ops[0], x, y).unwrap();
            let b = space.binary_term(ops[1], y, x).unwrap();
            assert_eq!(forms.same(theory, &space, a, b), equal);
        }
    }
}
