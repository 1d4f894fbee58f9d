//! Polynomials over atoms: variables, quotients, remainders, choices.
//!
//! # Correctness
//!
//! A polynomial has the value of its term. Coefficients are wrapped if the domain wraps, so equal
//! polynomials have equal values modulo its power of two. Only monomials of reals have negative
//! exponents; divisors of reals are not 0.

use std::collections::BTreeMap;
use std::ops::Deref;

use halidom_base::IndexSet;
use halidom_sums::Sum;

use super::value::{Domain, Fun, Node, ValueId, Values};

/// An indivisible part of polynomials, by its number in [`Atoms`].
pub(crate) type Atom = u32;

/// Atoms with their exponents, sorted; no exponent is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Monomial(Vec<(Atom, i32)>);

impl Deref for Monomial {
    type Target = [(Atom, i32)];

    fn deref(&self) -> &[(Atom, i32)] {
        &self.0
    }
}

impl halidom_sums::Monomial for Monomial {
    fn one() -> Self {
        Self(Vec::new())
    }

    fn times(&self, other: &Self) -> Self {
        self.times_power(other, 1)
    }
}

impl Monomial {
    /// Returns the product of this monomial and a power of another one.
    fn times_power(&self, other: &Self, power: i32) -> Self {
        let mut product: BTreeMap<Atom, i32> = self.iter().copied().collect();
        for (atom, exponent) in other.iter() {
            *product.entry(*atom).or_default() += exponent * power;
        }
        Self(product.into_iter().filter(|(_, exponent)| *exponent != 0).collect())
    }
}

/// A sum of monomials, and the domain of its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Polynomial {
    sum: Sum<Monomial>,
    /// The domain of its value.
    pub(crate) domain: Domain,
}

/// The kind of an atom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AtomKind {
    /// A variable, a conversion or, where choices are not resolved, a choice.
    Term(ValueId),
    /// An integer quotient.
    Quotient(Polynomial, Polynomial),
    /// An integer remainder.
    Remainder(Polynomial, Polynomial),
}

/// The atoms of an obligation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atoms {
    kinds: IndexSet<AtomKind>,
}

impl Atoms {
    /// Returns the number of an atom, which is added if it is new.
    pub(crate) fn add(&mut self, kind: AtomKind) -> Atom {
        u32::try_from(self.kinds.insert_full(kind).0).expect("few atoms")
    }

    /// Returns the kind of an atom.
    pub(crate) fn kind(&self, atom: Atom) -> &AtomKind {
        &self.kinds[atom as usize]
    }
}

/// The error for a computation with numbers that do not fit, or with too many monomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// The most monomials that a polynomial may have.
const MAX_TERMS: usize = 400;

impl Polynomial {
    /// Wraps the coefficients of a sum into a domain.
    fn wrapped(sum: Option<Sum<Monomial>>, domain: Domain) -> Result<Self, TooLarge> {
        let sum = sum.ok_or(TooLarge)?;
        let sum = sum.filter_map(|_, by| domain.wrap(by));
        if sum.len() > MAX_TERMS { Err(TooLarge) } else { Ok(Self { sum, domain }) }
    }

    /// Returns a constant.
    pub(crate) fn constant(value: i128, domain: Domain) -> Self {
        Self { sum: Sum::constant(domain.wrap(value)), domain }
    }

    /// Returns an atom.
    pub(crate) fn atom(atom: Atom, domain: Domain) -> Self {
        Self { sum: Sum::term(Monomial(vec![(atom, 1)]), 1), domain }
    }

    /// Returns the value if the polynomial is a constant.
    pub(crate) fn as_constant(&self) -> Option<i128> {
        self.sum.as_constant()
    }

    /// Iterates over the monomials and their coefficients, in order.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.sum.terms()
    }

    /// Computes `self + factor · other`.
    pub(crate) fn plus(&self, other: &Self, factor: i128) -> Result<Self, TooLarge> {
        Self::wrapped(self.sum.plus(&other.sum, factor), self.domain)
    }

    fn add(&mut self, monomial: Monomial, added: i128) -> Result<(), TooLarge> {
        *self = Self::wrapped(self.sum.plus(&Sum::term(monomial, 1), added), self.domain)?;
        Ok(())
    }

    /// Computes `self · other`.
    pub(crate) fn times(&self, other: &Self) -> Result<Self, TooLarge> {
        let mut product = Self { sum: Sum::default(), domain: self.domain };
        for (monomial, by) in self.terms() {
            let row = Sum::term(monomial.clone(), by).times(&other.sum).ok_or(TooLarge)?;
            product = Self::wrapped(product.sum.plus(&row, 1), self.domain)?;
        }
        Ok(product)
    }

    /// Returns the monomial if there is only one and its coefficient is 1.
    fn as_monomial(&self) -> Option<&Monomial> {
        let mut terms = self.terms();
        match (terms.next(), terms.next()) {
            (Some((monomial, 1)), None) => Some(monomial),
            _ => None,
        }
    }

    /// Returns the polynomial or its negation, whichever has a positive first coefficient, and
    /// whether it was negated.
    fn canonical(&self) -> Result<(Self, bool), TooLarge> {
        let negate = self.terms().next().is_some_and(|(_, coefficient)| coefficient < 0);
        if negate {
            let zero = Self::constant(0, self.domain);
            Ok((zero.plus(self, -1)?, true))
        } else {
            Ok((self.clone(), false))
        }
    }
}

/// The reason why a term has no polynomial yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It depends on the order of these polynomials.
    Compare(Polynomial, Polynomial),
    /// It depends on a truth value.
    Truth(ValueId),
    /// Numbers are too large, or there are too many monomials.
    TooLarge,
}

impl From<TooLarge> for Stop {
    fn from(TooLarge: TooLarge) -> Self {
        Self::TooLarge
    }
}

/// The order of two polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The first is less.
    Less,
    /// They are equal.
    Equal,
    /// The first is greater.
    Greater,
}

impl Order {
    fn reverse(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::Equal => Self::Equal,
            Self::Greater => Self::Less,
        }
    }
}

/// Turns terms into polynomials.
#[derive(Clone, Debug)]
pub(crate) struct Normalizer<'v> {
    values: &'v Values,
    /// The atoms met so far.
    pub(crate) atoms: Atoms,
    /// Variables other than 0: a quotient by one drops its multiples.
    pub(crate) not_zero: Vec<ValueId>,
    /// The orders of polynomials in the present case; `None` if choices are atoms.
    pub(crate) orders: Option<Vec<(Polynomial, Polynomial, Order)>>,
    /// The truth values in the present case.
    pub(crate) truths: Vec<(ValueId, bool)>,
    /// Variables that equal a polynomial in the present case.
    equal: Vec<(ValueId, Polynomial)>,
}

impl<'v> Normalizer<'v> {
    /// Creates a normalizer that resolves choices by case split.
    pub(crate) fn new(values: &'v Values) -> Self {
        Self {
            values,
            atoms: Atoms::default(),
            not_zero: Vec::new(),
            orders: Some(Vec::new()),
            truths: Vec::new(),
            equal: Vec::new(),
        }
    }

    /// Returns the polynomial of a numeric term.
    pub(crate) fn polynomial(&mut self, term: ValueId) -> Result<Polynomial, Stop> {
        let domain = self.values.domain(term);
        let (fun, operands) = match self.values.node(term) {
            Node::Var(_) => {
                if let Some((_, value)) = self.equal.iter().find(|(known, _)| *known == term) {
                    return Ok(value.clone());
                }
                let atom = self.atoms.add(AtomKind::Term(term));
                return Ok(Polynomial::atom(atom, domain));
            }
            Node::Number(value) => return Ok(Polynomial::constant(*value, domain)),
            Node::Apply(fun, operands) => (*fun, operands.clone()),
        };
        if fun == Fun::Convert {
            let atom = self.atoms.add(AtomKind::Term(term));
            return Ok(Polynomial::atom(atom, domain));
        }
        if fun == Fun::Ite {
            if self.orders.is_none() {
                let atom = self.atoms.add(AtomKind::Term(term));
                return Ok(Polynomial::atom(atom, domain));
            }
            let chosen = if self.truth(operands[0])? { operands[1] } else { operands[2] };
            return self.polynomial(chosen);
        }
        let lhs = self.polynomial(operands[0])?;
        let rhs = self.polynomial(operands[1])?;
        Ok(match fun {
            Fun::Add => lhs.plus(&rhs, 1)?,
            Fun::Sub => lhs.plus(&rhs, -1)?,
            Fun::Mul => lhs.times(&rhs)?,
            Fun::Div if domain == Domain::Real => self.real_quotient(lhs, &rhs)?,
            Fun::Div => self.quotient(&lhs, rhs)?,
            Fun::Mod => self.remainder(&lhs, rhs)?,
            Fun::Lt | Fun::Eq | Fun::And | Fun::Or | Fun::Not | Fun::Ite | Fun::Convert => {
                return Err(Stop::Truth(term));
            }
        })
    }

    fn real_quotient(&mut self, lhs: Polynomial, rhs: &Polynomial) -> Result<Polynomial, Stop> {
        let Some(monomial) = rhs.as_monomial() else {
            let atom = self.atoms.add(AtomKind::Quotient(lhs, rhs.clone()));
            return Ok(Polynomial::atom(atom, Domain::Real));
        };
        let mut quotient = Polynomial::constant(0, Domain::Real);
        for (numerator, coefficient) in lhs.terms() {
            quotient.add(numerator.times_power(monomial, -1), coefficient)?;
        }
        Ok(quotient)
    }

    /// Splits a polynomial into multiples of the divisor, which are divided, and the rest. Divides
    /// nothing if the divisor may be 0 or arithmetic wraps.
    fn split(&self, lhs: &Polynomial, rhs: &Polynomial) -> Result<(Polynomial, Polynomial), Stop> {
        let domain = lhs.domain;
        let zero = Polynomial::constant(0, domain);
        if domain != Domain::Whole {
            return Ok((zero, lhs.clone()));
        }
        let mut divided = zero.clone();
        let mut rest = zero;
        if let Some(divisor) = rhs.as_constant()
            && divisor != 0
        {
            for (monomial, coefficient) in lhs.terms() {
                if monomial.is_empty() {
                    divided.add(monomial.clone(), coefficient.div_euclid(divisor))?;
                    rest.add(monomial.clone(), coefficient.rem_euclid(divisor))?;
                } else if coefficient % divisor == 0 {
                    divided.add(monomial.clone(), coefficient / divisor)?;
                } else {
                    rest.add(monomial.clone(), coefficient)?;
                }
            }
            return Ok((divided, rest));
        }
        match rhs.as_monomial() {
            Some(divisor) if self.is_nonzero(rhs) => {
                for (monomial, coefficient) in lhs.terms() {
                    let quotient = monomial.times_power(divisor, -1);
                    let divides = quotient.iter().all(|(_, exponent)| *exponent > 0);
                    if divides {
                        divided.add(quotient, coefficient)?;
                    } else {
                        rest.add(monomial.clone(), coefficient)?;
                    }
                }
                Ok((divided, rest))
            }
            _ => Ok((divided, lhs.clone())),
        }
    }

    /// True if a divisor is known to be other than 0.
    fn is_nonzero(&self, divisor: &Polynomial) -> bool {
        if let Some(constant) = divisor.as_constant() {
            return constant != 0;
        }
        let is_nonzero = |atom: Atom| match self.atoms.kind(atom) {
            AtomKind::Term(term) => self.not_zero.contains(term),
            AtomKind::Quotient(..) | AtomKind::Remainder(..) => false,
        };
        let monomial = divisor.as_monomial();
        monomial.is_some_and(|monomial| monomial.iter().all(|(atom, _)| is_nonzero(*atom)))
    }

    /// Replaces remainders by the divisor `rhs` in a dividend: `a mod b` is `a - (a / b)·b` if `b`
    /// is not 0. Returns the new dividend, and what its quotient exceeds that of the old one by.
    fn unfolded(
        &mut self,
        lhs: &Polynomial,
        rhs: &Polynomial,
    ) -> Result<(Polynomial, Polynomial), Stop> {
        let zero = Polynomial::constant(0, lhs.domain);
        if lhs.domain != Domain::Whole || !self.is_nonzero(rhs) {
            return Ok((lhs.clone(), zero));
        }
        let (mut dividend, mut excess) = (lhs.clone(), zero);
        for (monomial, coefficient) in lhs.terms() {
            if let [(atom, 1)] = **monomial
                && let AtomKind::Remainder(whole, divisor) = self.atoms.kind(atom).clone()
                && divisor == *rhs
            {
                dividend.add(monomial.clone(), -coefficient)?;
                dividend = dividend.plus(&whole, coefficient)?;
                let quotient = self.atoms.add(AtomKind::Quotient(whole, divisor));
                excess = excess.plus(&Polynomial::atom(quotient, lhs.domain), coefficient)?;
            }
        }
        Ok((dividend, excess))
    }

    fn quotient(&mut self, lhs: &Polynomial, rhs: Polynomial) -> Result<Polynomial, Stop> {
        let domain = lhs.domain;
        let (lhs, excess) = self.unfolded(lhs, &rhs)?;
        if !excess.sum.is_zero() {
            return Ok(self.quotient(&lhs, rhs)?.plus(&excess, -1)?);
        }
        if domain == Domain::Whole && is_negated(&rhs) {
            // The Euclidean quotient by `-b` is the negated one by `b`.
            let zero = Polynomial::constant(0, domain);
            let quotient = self.quotient(&lhs, zero.plus(&rhs, -1)?)?;
            return Ok(zero.plus(&quotient, -1)?);
        }
        if rhs.as_constant() == Some(0) {
            return Ok(Polynomial::constant(0, domain));
        }
        if rhs.as_constant() == Some(1) {
            return Ok(lhs);
        }
        let (divided, rest) = self.split(&lhs, &rhs)?;
        if rest.sum.is_zero() {
            return Ok(divided);
        }
        if let (Some(a), Some(b)) = (rest.as_constant(), rhs.as_constant()) {
            let quotient = Polynomial::constant(a.div_euclid(b), domain);
            return Ok(divided.plus(&quotient, 1)?);
        }
        let atom = self.atoms.add(AtomKind::Quotient(rest, rhs));
        Ok(divided.plus(&Polynomial::atom(atom, domain), 1)?)
    }

    fn remainder(&mut self, lhs: &Polynomial, rhs: Polynomial) -> Result<Polynomial, Stop> {
        let domain = lhs.domain;
        let lhs = &self.unfolded(lhs, &rhs)?.0;
        if domain == Domain::Whole && is_negated(&rhs) {
            // The Euclidean remainders by `b` and `-b` are the same.
            return self.remainder(lhs, Polynomial::constant(0, domain).plus(&rhs, -1)?);
        }
        if *lhs == rhs || (domain != Domain::Real && matches!(rhs.as_constant(), Some(-1..=1))) {
            return Ok(Polynomial::constant(0, domain));
        }
        let (_, rest) = self.split(lhs, &rhs)?;
        if rest.sum.is_zero() && domain != Domain::Real {
            return Ok(rest);
        }
        if domain != Domain::Real
            && let (Some(a), Some(b)) = (rest.as_constant(), rhs.as_constant())
        {
            return Ok(Polynomial::constant(a.rem_euclid(b), domain));
        }
        let atom = self.atoms.add(AtomKind::Remainder(rest, rhs));
        Ok(Polynomial::atom(atom, domain))
    }

    /// Solves the equation of two polynomials for a variable, if one of them is that variable.
    fn equate(&self, a: &Polynomial, b: &Polynomial) -> Option<(ValueId, Polynomial)> {
        for (side, other) in [(a, b), (b, a)] {
            if let Some([(atom, 1)]) = side.as_monomial().map(Deref::deref)
                && let AtomKind::Term(term) = self.atoms.kind(*atom)
                && matches!(self.values.node(*term), Node::Var(_))
                && other.terms().all(|(monomial, _)| self.is_plain(monomial, *atom))
            {
                return Some((*term, other.clone()));
            }
        }
        None
    }

    /// True if a monomial consists of term atoms alone, without this one.
    fn is_plain(&self, monomial: &Monomial, without: Atom) -> bool {
        monomial.iter().all(|(atom, _)| {
            *atom != without && matches!(self.atoms.kind(*atom), AtomKind::Term(_))
        })
    }

    /// Returns the truth of a condition in the present case.
    pub(crate) fn truth(&mut self, term: ValueId) -> Result<bool, Stop> {
        if let Some((_, truth)) = self.truths.iter().find(|(known, _)| *known == term) {
            return Ok(*truth);
        }
        let (fun, operands) = match self.values.node(term) {
            Node::Var(_) => return Err(Stop::Truth(term)),
            Node::Number(value) => return Ok(*value != 0),
            Node::Apply(fun, operands) => (*fun, operands.clone()),
        };
        match fun {
            Fun::Not => Ok(!self.truth(operands[0])?),
            Fun::And => Ok(self.truth(operands[0])? && self.truth(operands[1])?),
            Fun::Or => Ok(self.truth(operands[0])? || self.truth(operands[1])?),
            Fun::Ite if self.truth(operands[0])? => self.truth(operands[1]),
            Fun::Ite => self.truth(operands[2]),
            Fun::Eq if self.values.domain(operands[0]) == Domain::Bool => {
                Ok(self.truth(operands[0])? == self.truth(operands[1])?)
            }
            Fun::Lt | Fun::Eq => {
                let (lhs, rhs) = (self.polynomial(operands[0])?, self.polynomial(operands[1])?);
                let order = self.compare(lhs, rhs, fun == Fun::Eq)?;
                Ok(order == if fun == Fun::Lt { Order::Less } else { Order::Equal })
            }
            Fun::Add | Fun::Sub | Fun::Mul | Fun::Div | Fun::Mod | Fun::Convert => {
                Err(Stop::Truth(term))
            }
        }
    }

    /// Returns the order of two polynomials in the present case. Where arithmetic does not wrap,
    /// that is the sign of their difference; where it wraps, the difference decides only equality.
    fn compare(&mut self, lhs: Polynomial, rhs: Polynomial, equality: bool) -> Result<Order, Stop> {
        if lhs == rhs {
            return Ok(Order::Equal);
        }
        let domain = lhs.domain;
        let difference = lhs.plus(&rhs, -1)?;
        let (lhs, rhs, is_reversed) = if !domain.wraps() {
            if let Some(value) = difference.as_constant() {
                return Ok(if value < 0 { Order::Less } else { Order::Greater });
            }
            let (canonical, negated) = difference.canonical()?;
            (canonical, Polynomial::constant(0, domain), negated)
        } else if equality {
            if difference.as_constant().is_some() {
                // The difference is a constant other than 0: equal polynomials returned above, as
                // they are in normal form.
                return Ok(Order::Greater);
            }
            let (canonical, _) = difference.canonical()?;
            (canonical, Polynomial::constant(0, domain), false)
        } else if lhs <= rhs {
            (lhs, rhs, false)
        } else {
            (rhs, lhs, true)
        };
        let orders = self.orders.as_deref().unwrap_or_default();
        let known = orders.iter().find(|(a, b, _)| *a == lhs && *b == rhs);
        match known {
            Some((_, _, order)) => Ok(if is_reversed { order.reverse() } else { *order }),
            None => Err(Stop::Compare(lhs, rhs)),
        }
    }
}

/// The number of cases after which a case split gives up.
const MAX_CASES: u32 = 3000;

/// Tests whether two terms are equal in every case of how their parts compare. `false` means that
/// nothing is known.
pub(crate) fn equal_in_every_case(normalizer: &Normalizer<'_>, lhs: ValueId, rhs: ValueId) -> bool {
    let mut budget = MAX_CASES;
    let mut normalizer = normalizer.clone();
    cases(&mut normalizer, lhs, rhs, &mut budget)
}

fn cases(normalizer: &mut Normalizer<'_>, lhs: ValueId, rhs: ValueId, budget: &mut u32) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    let is_bool = normalizer.values.domain(lhs) == Domain::Bool;
    let outcome = if is_bool {
        normalizer.truth(lhs).and_then(|lhs| Ok(lhs == normalizer.truth(rhs)?))
    } else {
        normalizer.polynomial(lhs).and_then(|lhs| Ok(lhs == normalizer.polynomial(rhs)?))
    };
    match outcome {
        Ok(is_equal) => is_equal,
        Err(Stop::TooLarge) => false,
        Err(Stop::Truth(term)) => {
            if !matches!(normalizer.values.node(term), Node::Var(_)) {
                return false;
            }
            [true, false].into_iter().all(|truth| {
                normalizer.truths.push((term, truth));
                let holds = cases(normalizer, lhs, rhs, budget);
                normalizer.truths.pop();
                holds
            })
        }
        Err(Stop::Compare(a, b)) => {
            [Order::Less, Order::Equal, Order::Greater].into_iter().all(|order| {
                let depth = normalizer.equal.len();
                if order == Order::Equal {
                    let equal = normalizer.equate(&a, &b);
                    normalizer.equal.extend(equal);
                }
                let Some(orders) = &mut normalizer.orders else { return false };
                orders.push((a.clone(), b.clone(), order));
                let holds = cases(normalizer, lhs, rhs, budget);
                normalizer.equal.truncate(depth);
                if let Some(orders) = &mut normalizer.orders {
                    orders.pop();
                }
                holds
            })
        }
    }
}

/// True if the first coefficient of a polynomial is negative.
fn is_negated(polynomial: &Polynomial) -> bool {
    polynomial.terms().next().is_some_and(|(_, coefficient)| coefficient < 0)
}
