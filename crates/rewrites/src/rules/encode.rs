//! Encodes terms for the solver.
//!
//! # Correctness
//!
//! Wrapping numbers are bit-vectors. Integers are either the solver's integers or *linear*. In a
//! linear encoding a product of variables is a separate unknown, about which only true statements
//! are asserted. So `unsat` is believed and `sat` is not.

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_smt::{BitVecBinary, BitVecComparison, Sort, TermId, Terms};

use super::polynomial::{Atom, AtomKind, Monomial, Normalizer, Polynomial, Stop};
use super::value::{Domain, Fun, Node, ValueId, Values};

/// The most sign lemmas, and the most products that get lemmas about their choices.
const MAX_LEMMAS: usize = 80;

/// Builds a query.
pub(crate) struct Encoder<'v> {
    values: &'v Values,
    /// The solver's terms.
    pub(crate) terms: Terms,
    vars: FxHashMap<ValueId, TermId>,
    done: FxHashMap<ValueId, TermId>,
    /// The axioms about the unknowns.
    pub(crate) axioms: Vec<TermId>,
    linear: Option<Linear<'v>>,
}

struct Linear<'v> {
    normalizer: Normalizer<'v>,
    atoms: FxHashMap<Atom, TermId>,
    products: IndexMap<Monomial, TermId>,
    divided: FxHashSet<(Polynomial, Polynomial)>,
    /// The quotients and their divisors, in the order in which they were met.
    divisions: Vec<(Atom, Polynomial)>,
    /// The differences of the sides of comparisons.
    differences: Vec<Polynomial>,
}

type Result<T> = std::result::Result<T, Stop>;

impl<'v> Encoder<'v> {
    /// Creates an encoder. It is linear if it gets a normalizer, whose choices must be atoms.
    pub(crate) fn new(values: &'v Values, normalizer: Option<Normalizer<'v>>) -> Self {
        let linear = normalizer.map(|normalizer| Linear {
            normalizer,
            atoms: FxHashMap::default(),
            products: IndexMap::default(),
            divided: FxHashSet::default(),
            divisions: Vec::new(),
            differences: Vec::new(),
        });
        Self {
            values,
            terms: Terms::new(),
            vars: FxHashMap::default(),
            done: FxHashMap::default(),
            axioms: Vec::new(),
            linear,
        }
    }

    fn sort(domain: Domain) -> Sort {
        match domain {
            Domain::Bool => Sort::Bool,
            Domain::Unsigned(width) | Domain::Signed(width) => Sort::BitVec(width.into()),
            Domain::Whole => Sort::Int,
            Domain::Real => Sort::Real,
        }
    }

    /// Returns the solver's constants for the variables.
    pub(crate) fn vars(&self) -> impl Iterator<Item = (ValueId, TermId)> {
        self.vars.iter().map(|(value, term)| (*value, *term))
    }

    fn var(&mut self, term: ValueId, index: u32) -> TermId {
        if let Some(known) = self.vars.get(&term) {
            return *known;
        }
        let (name, domain) = &self.values.vars()[index as usize];
        let fresh = self.terms.fresh(name, Self::sort(*domain));
        self.vars.insert(term, fresh);
        fresh
    }

    /// Encodes a term.
    pub(crate) fn term(&mut self, term: ValueId) -> Result<TermId> {
        if let Some(done) = self.done.get(&term) {
            return Ok(*done);
        }
        let domain = self.values.domain(term);
        let encoded = if domain == Domain::Whole && self.linear.is_some() {
            let polynomial = self.polynomial(term)?;
            self.sum(&polynomial)?
        } else {
            match self.values.node(term).clone() {
                Node::Var(index) => self.var(term, index),
                Node::Number(value) => self.number(value, domain),
                Node::Apply(fun, operands) => self.apply(fun, &operands, domain)?,
            }
        };
        self.done.insert(term, encoded);
        Ok(encoded)
    }

    fn number(&mut self, value: i128, domain: Domain) -> TermId {
        match domain {
            Domain::Bool => self.terms.bool(value != 0),
            Domain::Unsigned(width) | Domain::Signed(width) => {
                self.terms.bit_vec(width.into(), value as u128)
            }
            Domain::Whole => self.terms.int(value),
            Domain::Real => self.terms.real(value, 1),
        }
    }

    fn apply(&mut self, fun: Fun, operands: &[ValueId], domain: Domain) -> Result<TermId> {
        // Solvers have no such term, so it decides nothing.
        if !self.is_typed(fun, operands) {
            return Err(Stop::TooLarge);
        }
        if matches!(fun, Fun::Lt | Fun::Eq) && self.linear.is_some() {
            self.note_difference(operands)?;
        }
        let inner = self.values.domain(operands[operands.len() - 1]);
        let encoded: Vec<TermId> =
            operands.iter().map(|operand| self.term(*operand)).collect::<Result<_>>()?;
        let terms = &mut self.terms;
        Ok(match (fun, encoded.as_slice()) {
            (Fun::Not, [a]) => terms.not(*a),
            (Fun::And, parts) => terms.and(parts),
            (Fun::Or, parts) => terms.or(parts),
            (Fun::Ite, [condition, a, b]) => terms.ite(*condition, *a, *b),
            (Fun::Eq, [a, b]) => terms.equal(*a, *b),
            (Fun::Convert, [a]) => convert(terms, *a, inner, domain),
            (Fun::Lt, [a, b]) => match inner {
                Domain::Unsigned(_) => terms.bit_vec_compare(BitVecComparison::UnsignedLt, *a, *b),
                Domain::Signed(_) => terms.bit_vec_compare(BitVecComparison::SignedLt, *a, *b),
                Domain::Bool | Domain::Whole | Domain::Real => terms.lt(*a, *b),
            },
            (fun, [a, b]) => match domain {
                Domain::Unsigned(_) | Domain::Signed(_) => self.bits(fun, *a, *b, domain),
                Domain::Whole => match fun {
                    Fun::Add => terms.add(*a, *b),
                    Fun::Sub => terms.sub(*a, *b),
                    Fun::Mul => terms.mul(*a, *b),
                    fun => {
                        let zero = terms.int(0);
                        let is_zero = terms.equal(*b, zero);
                        let quotient = if fun == Fun::Div {
                            terms.int_div(*a, *b)
                        } else {
                            terms.int_mod(*a, *b)
                        };
                        terms.ite(is_zero, zero, quotient)
                    }
                },
                Domain::Bool | Domain::Real => match fun {
                    Fun::Add => terms.add(*a, *b),
                    Fun::Sub => terms.sub(*a, *b),
                    Fun::Mul => terms.mul(*a, *b),
                    Fun::Div => terms.real_div(*a, *b),
                    _ => {
                        let quotient = terms.real_div(*a, *b);
                        let floor = terms.real_to_int_floor(quotient);
                        let floor = terms.int_to_real(floor);
                        let whole = terms.mul(*b, floor);
                        terms.sub(*a, whole)
                    }
                },
            },
            _ => return Err(Stop::TooLarge),
        })
    }

    /// Tests whether operands have the sorts that a function takes.
    fn is_typed(&self, fun: Fun, operands: &[ValueId]) -> bool {
        let sorts: Vec<Sort> =
            operands.iter().map(|operand| Self::sort(self.values.domain(*operand))).collect();
        let are_one = |sorts: &[Sort]| sorts.windows(2).all(|pair| pair[0] == pair[1]);
        match fun {
            Fun::Not | Fun::And | Fun::Or => sorts.iter().all(|sort| *sort == Sort::Bool),
            Fun::Ite => sorts[0] == Sort::Bool && are_one(&sorts[1..]),
            Fun::Convert => true,
            Fun::Eq => are_one(&sorts),
            Fun::Lt | Fun::Add | Fun::Sub | Fun::Mul | Fun::Div | Fun::Mod => {
                are_one(&sorts) && !sorts.contains(&Sort::Bool)
            }
        }
    }

    fn bits(&mut self, fun: Fun, a: TermId, b: TermId, domain: Domain) -> TermId {
        let terms = &mut self.terms;
        let binary = |terms: &mut Terms, op, a, b| terms.bit_vec_binary(op, a, b);
        match fun {
            Fun::Add => return binary(terms, BitVecBinary::Add, a, b),
            Fun::Sub => return binary(terms, BitVecBinary::Sub, a, b),
            Fun::Mul => return binary(terms, BitVecBinary::Mul, a, b),
            _ => {}
        }
        let width = terms.width(a);
        let zero = terms.bit_vec(width, 0);
        let is_zero = terms.equal(b, zero);
        let is_div = fun == Fun::Div;
        let value = if let Domain::Unsigned(_) = domain {
            let op = if is_div { BitVecBinary::UnsignedDiv } else { BitVecBinary::UnsignedRem };
            binary(terms, op, a, b)
        } else {
            // The solver truncates towards 0, so a result with a negative remainder is corrected.
            let remainder = binary(terms, BitVecBinary::SignedRem, a, b);
            let is_negative = terms.bit_vec_compare(BitVecComparison::SignedLt, remainder, zero);
            let divides_negative = terms.bit_vec_compare(BitVecComparison::SignedLt, b, zero);
            let (value, step) = if is_div {
                let one = terms.bit_vec(width, 1);
                (binary(terms, BitVecBinary::SignedDiv, a, b), one)
            } else {
                (remainder, b)
            };
            let plus = binary(terms, BitVecBinary::Add, value, step);
            let minus = binary(terms, BitVecBinary::Sub, value, step);
            // A quotient goes up if the divisor is negative; a remainder always grows by the
            // divisor's magnitude.
            let mended = if is_div {
                terms.ite(divides_negative, plus, minus)
            } else {
                terms.ite(divides_negative, minus, plus)
            };
            terms.ite(is_negative, mended, value)
        };
        terms.ite(is_zero, zero, value)
    }

    fn note_difference(&mut self, operands: &[ValueId]) -> Result<()> {
        if self.values.domain(operands[0]) != Domain::Whole {
            return Ok(());
        }
        let (lhs, rhs) = (self.polynomial(operands[0])?, self.polynomial(operands[1])?);
        let difference = lhs.plus(&rhs, -1)?;
        if let Some(linear) = &mut self.linear
            && !linear.differences.contains(&difference)
        {
            linear.differences.push(difference);
        }
        Ok(())
    }

    fn polynomial(&mut self, term: ValueId) -> Result<Polynomial> {
        match &mut self.linear {
            Some(linear) => linear.normalizer.polynomial(term),
            None => Err(Stop::TooLarge),
        }
    }

    /// Adds the difference of two integers to the polynomials about which lemmas are made.
    pub(crate) fn note_goal(&mut self, lhs: ValueId, rhs: ValueId) -> Result<()> {
        if self.linear.is_some() { self.note_difference(&[lhs, rhs]) } else { Ok(()) }
    }

    fn sum(&mut self, polynomial: &Polynomial) -> Result<TermId> {
        let mut parts = Vec::new();
        for (monomial, coefficient) in polynomial.terms() {
            let factor = self.terms.int(coefficient);
            let product = self.product(monomial)?;
            parts.push(self.terms.mul(factor, product));
        }
        Ok(if parts.is_empty() { self.terms.int(0) } else { self.terms.sum(&parts) })
    }

    fn product(&mut self, monomial: &Monomial) -> Result<TermId> {
        match &**monomial {
            [] => Ok(self.terms.int(1)),
            [(atom, 1)] => self.atom(*atom),
            _ => {
                let Some(linear) = &mut self.linear else { return Err(Stop::TooLarge) };
                let terms = &mut self.terms;
                Ok(*linear
                    .products
                    .entry(monomial.clone())
                    .or_insert_with(|| terms.fresh("product", Sort::Int)))
            }
        }
    }

    fn atom(&mut self, atom: Atom) -> Result<TermId> {
        let Some(linear) = &mut self.linear else { return Err(Stop::TooLarge) };
        if let Some(known) = linear.atoms.get(&atom) {
            return Ok(*known);
        }
        let kind = linear.normalizer.atoms.kind(atom).clone();
        let encoded = match kind {
            AtomKind::Term(term) => match self.values.node(term).clone() {
                Node::Var(index) => self.var(term, index),
                Node::Number(value) => self.terms.int(value),
                Node::Apply(Fun::Convert, operands) => {
                    self.apply(Fun::Convert, &operands, Domain::Whole)?
                }
                Node::Apply(_, operands) => {
                    let condition = self.term(operands[0])?;
                    let (then, otherwise) = (self.term(operands[1])?, self.term(operands[2])?);
                    self.terms.ite(condition, then, otherwise)
                }
            },
            AtomKind::Quotient(lhs, rhs) | AtomKind::Remainder(lhs, rhs) => {
                let fresh = self.terms.fresh("quotient", Sort::Int);
                linear.atoms.insert(atom, fresh);
                self.divide(&lhs, &rhs)?;
                fresh
            }
        };
        if let Some(linear) = &mut self.linear {
            linear.atoms.insert(atom, encoded);
        }
        Ok(encoded)
    }

    /// Adds the axioms that define a quotient and a remainder.
    fn divide(&mut self, lhs: &Polynomial, rhs: &Polynomial) -> Result<()> {
        let Some(linear) = &mut self.linear else { return Err(Stop::TooLarge) };
        if !linear.divided.insert((lhs.clone(), rhs.clone())) {
            return Ok(());
        }
        let q = linear.normalizer.atoms.add(AtomKind::Quotient(lhs.clone(), rhs.clone()));
        let r = linear.normalizer.atoms.add(AtomKind::Remainder(lhs.clone(), rhs.clone()));
        linear.divisions.push((q, rhs.clone()));
        let domain = Domain::Whole;
        let product = Polynomial::atom(q, domain).times(rhs)?;
        let recomposed = product.plus(&Polynomial::atom(r, domain), 1)?;
        let (quotient, remainder) = (self.atom(q)?, self.atom(r)?);
        let (divisor, dividend) = (self.sum(rhs)?, self.sum(lhs)?);
        let recomposed = self.sum(&recomposed)?;
        let terms = &mut self.terms;
        let zero = terms.int(0);
        let is_zero = terms.equal(divisor, zero);
        let is_positive = terms.lt(zero, divisor);
        let is_negative = terms.lt(divisor, zero);
        let is_whole = terms.equal(dividend, recomposed);
        let at_least = terms.le(zero, remainder);
        let below = terms.lt(remainder, divisor);
        let negated = terms.negate(divisor);
        let below_negated = terms.lt(remainder, negated);
        let no_quotient = terms.equal(quotient, zero);
        let no_remainder = terms.equal(remainder, zero);
        let at_zero = terms.and(&[no_quotient, no_remainder]);
        let otherwise = terms.and(&[is_whole, at_least]);
        let not_zero = terms.not(is_zero);
        for (premise, conclusion) in [
            (is_zero, at_zero),
            (not_zero, otherwise),
            (is_positive, below),
            (is_negative, below_negated),
        ] {
            let axiom = terms.implies(premise, conclusion);
            self.axioms.push(axiom);
        }
        Ok(())
    }

    /// Adds true statements about products: the meaning of a choice in a product, and that a
    /// product of two positive factors is at least each of them.
    pub(crate) fn add_lemmas(&mut self) -> Result<()> {
        self.quotient_differences()?;
        let Some(linear) = &self.linear else { return Ok(()) };
        let mut factors: Vec<Polynomial> =
            linear.divisions.iter().map(|(_, d)| d.clone()).collect();
        for monomial in linear.products.keys() {
            factors.extend(monomial.iter().map(|(atom, _)| Polynomial::atom(*atom, Domain::Whole)));
        }
        factors.retain(|factor| factor.as_constant().is_none());
        factors.sort();
        factors.dedup();
        let differences = linear.differences.clone();
        let mut count = 0;
        for difference in &differences {
            for factor in &factors {
                if count < MAX_LEMMAS && difference.as_constant().is_none() {
                    self.sign_lemma(difference, factor)?;
                    count += 1;
                }
            }
        }
        self.choice_lemmas()
    }

    /// Adds the differences of quotients by one divisor, and the bounds of remainders, to the
    /// polynomials about which lemmas are made.
    fn quotient_differences(&mut self) -> Result<()> {
        let Some(linear) = &mut self.linear else { return Ok(()) };
        let divisions = linear.divisions.clone();
        for (index, (q, divisor)) in divisions.iter().enumerate() {
            if divisor.as_constant().is_some() {
                continue;
            }
            let quotient = Polynomial::atom(*q, Domain::Whole);
            for (p, _) in &divisions[..index] {
                linear.differences.push(quotient.plus(&Polynomial::atom(*p, Domain::Whole), -1)?);
            }
            if let AtomKind::Quotient(dividend, _) = linear.normalizer.atoms.kind(*q).clone() {
                let remainder = AtomKind::Remainder(dividend, divisor.clone());
                let remainder =
                    Polynomial::atom(linear.normalizer.atoms.add(remainder), Domain::Whole);
                linear.differences.push(divisor.plus(&remainder, -1)?);
                linear.differences.push(remainder);
            }
        }
        Ok(())
    }

    fn sign_lemma(&mut self, a: &Polynomial, b: &Polynomial) -> Result<()> {
        let product = a.times(b)?;
        let (a, b, product) = (self.sum(a)?, self.sum(b)?, self.sum(&product)?);
        let terms = &mut self.terms;
        let (zero, minus_a, minus_b) = (terms.int(0), terms.negate(a), terms.negate(b));
        let is_zero = terms.equal(a, zero);
        let no_product = terms.equal(product, zero);
        let axiom = terms.implies(is_zero, no_product);
        self.axioms.push(axiom);
        for (x, y, is_negated) in
            [(a, b, false), (minus_a, minus_b, false), (minus_a, b, true), (a, minus_b, true)]
        {
            let terms = &mut self.terms;
            let (x_positive, y_positive) = (terms.lt(zero, x), terms.lt(zero, y));
            let product = if is_negated { terms.negate(product) } else { product };
            let (above_x, above_y) = (terms.le(x, product), terms.le(y, product));
            let premise = terms.and(&[x_positive, y_positive]);
            let conclusion = terms.and(&[above_x, above_y]);
            let axiom = terms.implies(premise, conclusion);
            self.axioms.push(axiom);
        }
        Ok(())
    }

    fn choice_lemmas(&mut self) -> Result<()> {
        let mut index = 0;
        while index < MAX_LEMMAS {
            let Some(linear) = &self.linear else { return Ok(()) };
            let Some((monomial, product)) = linear.products.get_index(index) else { return Ok(()) };
            let (monomial, product) = (monomial.clone(), *product);
            index += 1;
            for (atom, _) in monomial.iter() {
                let Some(linear) = &self.linear else { return Ok(()) };
                let AtomKind::Term(term) = linear.normalizer.atoms.kind(*atom).clone() else {
                    continue;
                };
                let Node::Apply(Fun::Ite, operands) = self.values.node(term).clone() else {
                    continue;
                };
                let condition = self.term(operands[0])?;
                let mut rest = Polynomial::constant(1, Domain::Whole);
                for (other, exponent) in monomial.iter() {
                    for _ in 0..(exponent - i32::from(other == atom)) {
                        rest = rest.times(&Polynomial::atom(*other, Domain::Whole))?;
                    }
                }
                let negated = self.terms.not(condition);
                for (premise, operand) in [(condition, operands[1]), (negated, operands[2])] {
                    let chosen = self.polynomial(operand)?.times(&rest)?;
                    let chosen = self.sum(&chosen)?;
                    let is_chosen = self.terms.equal(product, chosen);
                    let axiom = self.terms.implies(premise, is_chosen);
                    self.axioms.push(axiom);
                }
                break;
            }
        }
        Ok(())
    }
}

/// Converts an integer to another domain.
fn convert(terms: &mut Terms, term: TermId, from: Domain, to: Domain) -> TermId {
    let bits = |domain: Domain| domain.width().map_or(0, u32::from);
    match (from, to) {
        (Domain::Unsigned(_) | Domain::Signed(_), Domain::Unsigned(_) | Domain::Signed(_)) => {
            let (old, new) = (bits(from), bits(to));
            if new < old {
                terms.extract(new - 1, 0, term)
            } else if let Domain::Signed(_) = from {
                terms.sign_extend(new - old, term)
            } else {
                terms.zero_extend(new - old, term)
            }
        }
        (Domain::Whole, Domain::Real) => terms.int_to_real(term),
        (Domain::Unsigned(_) | Domain::Signed(_), Domain::Real) => {
            let whole = convert(terms, term, from, Domain::Whole);
            terms.int_to_real(whole)
        }
        (_, Domain::Unsigned(_) | Domain::Signed(_)) => terms.int_to_bit_vec(bits(to), term),
        (Domain::Unsigned(_), _) => terms.bit_vec_to_int(term),
        (Domain::Signed(width), _) => {
            let unsigned = terms.bit_vec_to_int(term);
            let modulus = terms.int(1 << width);
            let negative = terms.sub(unsigned, modulus);
            let zero = terms.bit_vec(u32::from(width), 0);
            let is_negative = terms.bit_vec_compare(BitVecComparison::SignedLt, term, zero);
            terms.ite(is_negative, negative, unsigned)
        }
        (Domain::Bool | Domain::Whole | Domain::Real, _) => term,
    }
}
