//! Normal forms of floats under laws.
//!
//! A form is a sum of products of *factors*. A factor is a term that the laws do not look into,
//! whose operands are in normal form themselves. Terms with the same form get one canonical term,
//! which represents them as an operand.
//!
//! # Correctness
//! Each step replaces a term by a term that is equal by a law of the theory, or by equal operands
//! of a function. The *basic laws*, which every theory has, hold bit for bit (there is one NaN):
//! `x + y = y + x`, `x * y = y * x`, `x - y = x + -y`, `-(-x) = x`, `-x * y = -(x * y)`,
//! `x / -y = -x / y = -(x / y)`, `x + -0 = x`, `x + x = 2 * x`, `1 * x = x`,
//! `min(x, x) = x = max(x, x)`, `x / 2^k = x * 2^-k` where both are normal floats,
//! `min(x, d) + c = min(x + c, d + c)` for finite literals with `c` other than 0, and likewise for
//! maxima; the sign of a literal is its negation. (Adding `c` is monotone, and a sum that is 0 is
//! `+0`. If `x` is NaN, both sides are the same operand.) Every other step is guarded by a test for
//! the axiom that it needs.
//!
//! *Up to the sign of zero*, floats also have `x + 0 = x` and `-(x + y) = -x + -y`, and sums,
//! products, negations and selections of such floats are again such floats. All other operators get
//! operands that are equal bit for bit.
//!
//! Over the reals, literals stand for their numbers, coefficients are rational, and
//! `x / y = x * (1 / y)`. No law is applied to an operator with an operand that contains a literal
//! NaN or infinity, because these are not numbers. Conversions, functions and selections count as
//! functions, and nothing more is known about them.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Overflow, Scalar, UnaryOp, eval};

use super::rational::Rational;
use super::{Axiom, Axioms};
use crate::space::{Space, Term, TermId};

/// The laws that may show that floats are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theory {
    /// The basic laws and these axioms. Without axioms, this is equality bit for bit.
    Axioms(Axioms),
    /// The real numbers.
    Reals,
}

/// The most products in a form, and the most factors in a product. A larger term has no form.
const MOST_PRODUCTS: usize = 4096;
const MOST_FACTORS: usize = 64;

/// A product of factors. The empty product is 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Product {
    /// True for a negated product. Over the reals the coefficient has the sign instead.
    negated: bool,
    /// The factors, sorted.
    factors: Vec<TermId>,
}

/// A sum of products. Each product occurs once, in order, with its coefficient. Without the axiom
/// of associativity, a sum has at most two terms. Under axioms, a coefficient counts the
/// occurrences of a product.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Form(Vec<(Product, Rational)>);

/// Finds normal forms under one theory.
pub(crate) struct Normalizer {
    theory: Theory,
    forms: FxHashMap<TermId, Option<Form>>,
    /// The canonical term of a form. The type is part of the key, because over the reals a number
    /// has no factor with a type.
    canonical: FxHashMap<(Scalar, Form), TermId>,
    special: FxHashMap<TermId, bool>,
    /// The bits, where floats are equal up to the sign of zero.
    bits: Option<Box<Normalizer>>,
}

impl Normalizer {
    /// Equality up to the sign of zero.
    pub(crate) fn up_to_sign_of_zero() -> Self {
        let laws = [Axiom::AddZero, Axiom::NegateSum].into_iter().collect();
        let bits = Self::new(Theory::Axioms(Axioms::NONE));
        Self { bits: Some(Box::new(bits)), ..Self::new(Theory::Axioms(laws)) }
    }

    pub(crate) fn new(theory: Theory) -> Self {
        Self {
            bits: None,
            theory,
            forms: FxHashMap::default(),
            canonical: FxHashMap::default(),
            special: FxHashMap::default(),
        }
    }

    /// Tests whether two floats have one normal form. Then they are equal in the theory.
    pub(crate) fn same(&mut self, space: &mut Space, a: TermId, b: TermId) -> bool {
        space.scalar(a) == space.scalar(b)
            && matches!((self.form(space, a), self.form(space, b)), (Some(a), Some(b)) if a == b)
    }

    fn has(&self, axiom: Axiom) -> bool {
        match self.theory {
            Theory::Axioms(axioms) => axioms.contains(axiom),
            Theory::Reals => true,
        }
    }

    /// Returns the term that represents all terms with the form of this one.
    fn canonical(&mut self, space: &mut Space, term: TermId) -> Option<TermId> {
        let form = self.form(space, term)?;
        if let Some(only) = form.as_factor() {
            return Some(only);
        }
        Some(*self.canonical.entry((space.scalar(term), form)).or_insert(term))
    }

    /// Returns the term that represents an operand of an operator that may see the sign of zero.
    fn operand(&mut self, space: &mut Space, term: TermId) -> Option<TermId> {
        match &mut self.bits {
            Some(bits) => bits.canonical(space, term),
            None => self.canonical(space, term),
        }
    }

    fn form(&mut self, space: &mut Space, term: TermId) -> Option<Form> {
        if let Some(known) = self.forms.get(&term) {
            return known.clone();
        }
        let form = self.find(space, term);
        self.forms.insert(term, form.clone());
        form
    }

    fn find(&mut self, space: &mut Space, term: TermId) -> Option<Form> {
        let scalar = space.scalar(term);
        if !scalar.is_float() {
            return Some(Form::factor(term));
        }
        let reals = self.theory == Theory::Reals;
        let special = reals && self.is_special(space, term);
        match space.term(term).clone() {
            Term::Constant(constant) => Some(self.literal(space, term, constant)),
            Term::Ring(..)
            | Term::Truth(_)
            | Term::Parameter(..)
            | Term::Read { .. }
            | Term::FromInt(..) => Some(Form::factor(term)),
            Term::Unary(UnaryOp::Neg(_), operand) if !special => self.negated(space, operand),
            Term::Unary(op, operand) => {
                let operand = self.operand(space, operand)?;
                Some(Form::factor(space.unary_term(op, operand).ok()?))
            }
            Term::Cast(to, operand) => {
                let operand = self.operand(space, operand)?;
                Some(Form::factor(space.cast_term(to, operand).ok()?))
            }
            Term::Call(call, operand) => {
                let operand = self.operand(space, operand)?;
                Some(Form::factor(space.call_term(call, operand).ok()?))
            }
            Term::Apply { function, scalar, args } => {
                let args = args.iter().map(|arg| self.operand(space, *arg));
                let args = args.collect::<Option<_>>()?;
                Some(Form::factor(space.leaf(Term::Apply { function, scalar, args })))
            }
            Term::Select(condition, a, b) => {
                let (a, b) = (self.canonical(space, a)?, self.canonical(space, b)?);
                let chosen = space.choose_term(condition, a, b).ok()?;
                if chosen == a || chosen == b {
                    return self.form(space, chosen);
                }
                Some(Form::factor(chosen))
            }
            Term::Binary(BinaryOp::Add(_), a, b) if !special => {
                if !self.has(Axiom::AddAssociative)
                    && let Some(inside) = moved(space, a, b).or_else(|| moved(space, b, a))
                {
                    return self.form(space, inside);
                }
                let (a, b) = (self.terms(space, a)?, self.terms(space, b)?);
                self.sum(space, a, b)
            }
            Term::Binary(BinaryOp::Sub(_), a, b) if !special => {
                let negated = self.negated(space, b)?;
                let b = self.grouped(space, negated)?;
                let a = self.terms(space, a)?;
                self.sum(space, a, b)
            }
            Term::Binary(BinaryOp::Mul(_), a, b) if !special => self.product(space, a, b),
            Term::Binary(BinaryOp::Div, a, b) if !special => self.quotient(space, scalar, a, b),
            Term::Binary(op @ (BinaryOp::Min | BinaryOp::Max), ..) if !special => {
                self.extreme(space, op, term)
            }
            Term::Binary(op, a, b) => {
                let (a, b) = (self.operand(space, a)?, self.operand(space, b)?);
                Some(Form::factor(space.binary_term(op, a, b).ok()?))
            }
        }
    }

    /// Tests whether a float is a literal NaN or infinity, or has such an operand at any depth.
    fn is_special(&mut self, space: &Space, term: TermId) -> bool {
        if let Some(known) = self.special.get(&term) {
            return *known;
        }
        let special = match space.term(term).clone() {
            Term::Constant(constant) => Rational::of(constant).is_none(),
            Term::Ring(..)
            | Term::Truth(_)
            | Term::Parameter(..)
            | Term::Read { .. }
            | Term::FromInt(..) => false,
            Term::Unary(_, a) | Term::Cast(_, a) | Term::Call(_, a) => {
                space.scalar(a).is_float() && self.is_special(space, a)
            }
            Term::Apply { args, .. } => {
                args.iter().any(|arg| space.scalar(*arg).is_float() && self.is_special(space, *arg))
            }
            Term::Binary(_, a, b) | Term::Select(_, a, b) => {
                self.is_special(space, a) || self.is_special(space, b)
            }
        };
        self.special.insert(term, special);
        special
    }

    fn literal(&self, space: &mut Space, term: TermId, constant: Constant) -> Form {
        if self.theory == Theory::Reals {
            return match Rational::of(constant) {
                Some(number) if number.is_zero() => Form(Vec::new()),
                Some(number) => Form(vec![(Product::one(), number)]),
                None => Form::factor(term),
            };
        }
        // There is one NaN, which has no sign.
        let sign = if constant.scalar() == Scalar::F32 { 1 << 31 } else { 1 << 63 };
        let magnitude = constant
            .to_bits()
            .filter(|bits| bits & sign != 0)
            .and_then(|bits| Constant::from_bits(constant.scalar(), bits & !sign));
        match magnitude {
            Some(magnitude) => {
                let factors = vec![space.constant_term(magnitude)];
                Form::new([(Product { negated: true, factors }, Rational::integer(1))])
            }
            None => Form::factor(term),
        }
    }

    /// Returns the form of a term's negation.
    fn negated(&mut self, space: &mut Space, term: TermId) -> Option<Form> {
        let form = self.form(space, term)?;
        if self.theory == Theory::Reals {
            return Some(Form(
                form.0.into_iter().map(|(product, number)| (product, number.negated())).collect(),
            ));
        }
        if form.as_product().is_some() || self.has(Axiom::NegateSum) {
            let flipped = form
                .0
                .into_iter()
                .map(|(product, count)| (Product { negated: !product.negated, ..product }, count));
            return Some(Form::new(flipped));
        }
        let factors = vec![self.canonical(space, term)?];
        Some(Form::new([(Product { negated: true, factors }, Rational::integer(1))]))
    }

    /// Returns the form that an operand contributes to a sum: its own terms, or without
    /// associativity one term.
    fn terms(&mut self, space: &mut Space, term: TermId) -> Option<Form> {
        let form = self.form(space, term)?;
        if self.has(Axiom::AddAssociative) || form.as_product().is_some() {
            return Some(form);
        }
        Some(Form::factor(self.canonical(space, term)?))
    }

    /// Does the same for the form of a negation.
    fn grouped(&mut self, space: &mut Space, form: Form) -> Option<Form> {
        if self.has(Axiom::AddAssociative) || form.as_product().is_some() {
            return Some(form);
        }
        let term = self.term_of(space, &form)?;
        Some(Form::factor(term))
    }

    /// Turns a sum of two terms into a term.
    fn term_of(&mut self, space: &mut Space, form: &Form) -> Option<TermId> {
        let scalar = space.scalar(*form.0.first()?.0.factors.first()?);
        let key = (scalar, form.clone());
        if let Some(known) = self.canonical.get(&key) {
            return Some(*known);
        }
        let mut operands = Vec::new();
        for (product, count) in &form.0 {
            operands.push(product_term(space, product).filter(|_| *count == Rational::integer(1))?);
        }
        let [a, b] = *operands.as_slice() else { return None };
        let term = space.binary_term(BinaryOp::Add(Overflow::Wraps), a, b).ok()?;
        self.canonical.insert(key, term);
        Some(term)
    }

    fn sum(&mut self, space: &mut Space, a: Form, b: Form) -> Option<Form> {
        let mut sum = Form::new(a.0.into_iter().chain(b.0));
        if let [(product, count)] = sum.0.as_slice()
            && *count == Rational::integer(2)
            && !self.has(Axiom::AddAssociative)
        {
            let single = space.scalar(*product.factors.first()?) == Scalar::F32;
            let two = if single { Constant::f32(2.0) } else { Constant::f64(2.0) };
            let two = Product { negated: false, factors: vec![space.constant_term(two)] };
            let twice = self.joined(space, &two, product)?;
            return Some(Form::new([(twice, Rational::integer(1))]));
        }
        if self.theory == Theory::Reals {
            sum.0.retain(|(_, number)| !number.is_zero());
        } else {
            let is_zero = |(product, _): &(Product, Rational)| {
                let zero = product.factors.len() == 1
                    && space.term_constant(product.factors[0]).is_some_and(is_plus_zero);
                zero && (product.negated || self.has(Axiom::AddZero))
            };
            // If all terms are zeros, all are kept.
            if !sum.0.iter().all(is_zero) {
                sum.0.retain(|part| !is_zero(part));
            }
        }
        (sum.0.len() <= MOST_PRODUCTS).then_some(sum)
    }

    fn product(&mut self, space: &mut Space, a: TermId, b: TermId) -> Option<Form> {
        let terms = self.form(space, a)?.0.len().saturating_mul(self.form(space, b)?.0.len());
        // More than two terms form a sum only if they may be regrouped.
        let distributive =
            self.has(Axiom::Distributive) && (self.has(Axiom::AddAssociative) || terms <= 2);
        let mut operands = Vec::new();
        for operand in [a, b] {
            let form = self.form(space, operand)?;
            operands.push(if distributive || form.as_product().is_some() {
                form
            } else {
                Form::factor(self.canonical(space, operand)?)
            });
        }
        if self.theory != Theory::Reals
            && self.has(Axiom::MulZero)
            && operands.iter().any(|operand| is_zero(space, operand))
        {
            let zero = if space.scalar(a) == Scalar::F32 {
                Constant::f32(0.0)
            } else {
                Constant::f64(0.0)
            };
            return Some(Form::factor(space.constant_term(zero)));
        }
        let [left, right] = operands.as_slice() else { return None };
        if left.0.len().saturating_mul(right.0.len()) > MOST_PRODUCTS {
            return None;
        }
        let mut products = Vec::new();
        for (first, count) in &left.0 {
            for (second, other) in &right.0 {
                products.push((self.joined(space, first, second)?, count.mul(other)));
            }
        }
        let nothing = Form(Vec::new());
        self.sum(space, Form::new(products), nothing)
    }

    fn joined(&mut self, space: &mut Space, a: &Product, b: &Product) -> Option<Product> {
        let mut factors = Vec::new();
        for product in [a, b] {
            if self.has(Axiom::MulAssociative) || product.factors.len() <= 1 {
                factors.extend_from_slice(&product.factors);
            } else {
                let unsigned = Product { negated: false, factors: product.factors.clone() };
                let term = product_term(space, &unsigned)?;
                factors.push(self.canonical(space, term)?);
            }
        }
        let is_one = |factor: &TermId| {
            let constant = space.term_constant(*factor);
            constant.is_some_and(|constant| {
                constant.as_f32() == Some(1.0) || constant.as_f64() == Some(1.0)
            })
        };
        while factors.len() > 1
            && let Some(position) = factors.iter().position(is_one)
        {
            factors.remove(position);
        }
        factors.sort_unstable();
        let negated = a.negated != b.negated;
        (factors.len() <= MOST_FACTORS).then_some(Product { negated, factors })
    }

    fn quotient(
        &mut self,
        space: &mut Space,
        scalar: Scalar,
        a: TermId,
        b: TermId,
    ) -> Option<Form> {
        if self.theory == Theory::Reals {
            let dividend = self.form(space, a)?;
            let divisor = self.form(space, b)?.as_number().and_then(|number| number.inverse());
            if let Some(number) = divisor {
                let scaled =
                    dividend.0.into_iter().map(|(product, own)| (product, own.mul(&number)));
                return Some(Form(scaled.collect()));
            }
            let one = if scalar == Scalar::F32 { Constant::f32(1.0) } else { Constant::f64(1.0) };
            let one = space.constant_term(one);
            let divisor = self.canonical(space, b)?;
            let inverse = space.binary_term(BinaryOp::Div, one, divisor).ok()?;
            let inverse = Product { negated: false, factors: vec![inverse] };
            let mut products = Vec::new();
            for (product, number) in dividend.0 {
                products.push((self.joined(space, &product, &inverse)?, number));
            }
            return Some(Form::new(products));
        }
        if let Some((inverse, exact)) = inverse(space, b)
            && (exact || self.has(Axiom::Reciprocal))
        {
            let inverse = space.constant_term(inverse);
            return self.product(space, a, inverse);
        }
        if let Some(bits) = &mut self.bits {
            return bits.quotient(space, scalar, a, b);
        }
        let (mut negated, mut operands) = (false, Vec::new());
        for operand in [a, b] {
            let form = self.form(space, operand)?;
            operands.push(match form.as_product() {
                Some(product) if product.negated => {
                    negated = !negated;
                    let unsigned = Product { negated: false, factors: product.factors.clone() };
                    self.unsigned(space, &unsigned)?
                }
                Some(_) | None => self.canonical(space, operand)?,
            });
        }
        let [dividend, divisor] = *operands.as_slice() else { return None };
        let factors = vec![space.binary_term(BinaryOp::Div, dividend, divisor).ok()?];
        // `x / 1` is `x`, which has a form already.
        if factors[0] == dividend {
            let form = self.form(space, dividend)?;
            return if negated { self.negated(space, dividend) } else { Some(form) };
        }
        Some(Form::new([(Product { negated, factors }, Rational::integer(1))]))
    }

    /// Returns a product without its sign as a canonical term.
    fn unsigned(&mut self, space: &mut Space, product: &Product) -> Option<TermId> {
        let mut factors = product.factors.iter().copied();
        let mut term = factors.next()?;
        for factor in factors {
            term = space.binary_term(BinaryOp::Mul(Overflow::Wraps), term, factor).ok()?;
        }
        self.canonical(space, term)
    }

    /// Returns the form of a minimum or maximum. Its operands are sorted if they commute, and
    /// neighbours that are equal are merged.
    fn extreme(&mut self, space: &mut Space, op: BinaryOp, term: TermId) -> Option<Form> {
        let (associative, commutative) = if op == BinaryOp::Min {
            (Axiom::MinAssociative, Axiom::MinCommutative)
        } else {
            (Axiom::MaxAssociative, Axiom::MaxCommutative)
        };
        let mut operands = Vec::new();
        let deep = self.has(associative);
        self.operands(space, op, term, deep, &mut operands)?;
        if self.has(commutative) {
            operands.sort_unstable();
        }
        operands.dedup();
        let mut rest = operands.iter().rev().copied();
        let mut nested = rest.next()?;
        if operands.len() == 1 {
            return self.form(space, nested);
        }
        for operand in rest {
            nested = space.binary_term(op, operand, nested).ok()?;
        }
        Some(Form::factor(nested))
    }

    fn operands(
        &mut self,
        space: &mut Space,
        op: BinaryOp,
        term: TermId,
        deep: bool,
        found: &mut Vec<TermId>,
    ) -> Option<()> {
        let Term::Binary(_, a, b) = *space.term(term) else { return None };
        for operand in [a, b] {
            if deep && matches!(space.term(operand), Term::Binary(other, ..) if *other == op) {
                self.operands(space, op, operand, deep, found)?;
            } else {
                let operand = self.operand(space, operand)?;
                found.push(operand);
            }
        }
        (found.len() <= MOST_PRODUCTS).then_some(())
    }
}

/// Moves a finite literal other than 0 that is added to a minimum or maximum with a finite literal
/// into its operands.
fn moved(space: &mut Space, extreme: TermId, by: TermId) -> Option<TermId> {
    let Term::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) = *space.term(extreme) else {
        return None;
    };
    let literal = |term| space.term_constant(term).and_then(Rational::of);
    literal(by).filter(|by| !by.is_zero())?;
    literal(a).or_else(|| literal(b))?;
    let mut sum = |term| space.binary_term(BinaryOp::Add(Overflow::Wraps), term, by).ok();
    let (a, b) = (sum(a)?, sum(b)?);
    space.binary_term(op, a, b).ok()
}

/// Returns the rounded reciprocal of a literal, and whether it is exact. Both are normal floats.
fn inverse(space: &Space, term: TermId) -> Option<(Constant, bool)> {
    let constant = space.term_constant(term)?;
    let (one, least) = if constant.scalar() == Scalar::F32 {
        (Constant::f32(1.0), f64::from(f32::MIN_POSITIVE))
    } else {
        (Constant::f64(1.0), f64::MIN_POSITIVE)
    };
    let inverse = eval::binary(BinaryOp::Div, one, constant).ok()?;
    let sizes = [constant, inverse].map(|x| x.as_f64().or(x.as_f32().map(f64::from)));
    let is_power = |x: f64| x.to_bits() & ((1 << 52) - 1) == 0;
    let [Some(size), Some(own)] = sizes else { return None };
    let normal = [size, own].iter().all(|x| x.abs() >= least && x.is_finite());
    (normal && is_power(size) == is_power(own)).then_some((inverse, is_power(size)))
}

/// Turns a product of one or two factors into a term.
fn product_term(space: &mut Space, product: &Product) -> Option<TermId> {
    let term = match *product.factors.as_slice() {
        [only] => only,
        [a, b] => space.binary_term(BinaryOp::Mul(Overflow::Wraps), a, b).ok()?,
        _ => return None,
    };
    if product.negated {
        space.unary_term(UnaryOp::Neg(Overflow::Wraps), term).ok()
    } else {
        Some(term)
    }
}

/// Tests whether a form is a literal zero of either sign.
fn is_zero(space: &Space, form: &Form) -> bool {
    form.as_product().is_some_and(|product| match *product.factors.as_slice() {
        [only] => space.term_constant(only).is_some_and(is_plus_zero),
        _ => false,
    })
}

fn is_plus_zero(constant: Constant) -> bool {
    constant.scalar().is_float() && constant.to_bits() == Some(0)
}

impl Product {
    fn one() -> Self {
        Self { negated: false, factors: Vec::new() }
    }
}

impl Form {
    /// Sorts the parts and merges equal products.
    fn new(parts: impl IntoIterator<Item = (Product, Rational)>) -> Self {
        let mut parts: Vec<(Product, Rational)> = parts.into_iter().collect();
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        let mut merged: Vec<(Product, Rational)> = Vec::with_capacity(parts.len());
        for (product, number) in parts {
            match merged.last_mut() {
                Some((last, sum)) if *last == product => *sum = sum.add(&number),
                Some(_) | None => merged.push((product, number)),
            }
        }
        Self(merged)
    }

    fn factor(term: TermId) -> Self {
        let product = Product { negated: false, factors: vec![term] };
        Self(vec![(product, Rational::integer(1))])
    }

    /// The only product of the form, if its coefficient is 1.
    fn as_product(&self) -> Option<&Product> {
        match self.0.as_slice() {
            [(product, number)] if *number == Rational::integer(1) => Some(product),
            _ => None,
        }
    }

    /// The only factor of the form, if it is a product of one factor without a sign.
    fn as_factor(&self) -> Option<TermId> {
        match self.as_product() {
            Some(Product { negated: false, factors }) => match *factors.as_slice() {
                [only] => Some(only),
                _ => None,
            },
            Some(_) | None => None,
        }
    }

    /// The number that the form stands for over the reals, if it has no factors.
    fn as_number(&self) -> Option<Rational> {
        match self.0.as_slice() {
            [] => Some(Rational::integer(0)),
            [(product, number)] if product.factors.is_empty() => Some(number.clone()),
            _ => None,
        }
    }
}
