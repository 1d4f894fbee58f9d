//! Proofs that floats are equal in a theory. A tactic proposes the steps; each is checked here.
//!
//! # Correctness
//! Floats are joined in classes of equal ones. Each step joins two floats that are equal by a law
//! of the theory, or by operands that are equal already. The laws that need no axiom hold bit for
//! bit (there is one NaN). Some have conditions: `x / c = x * r` for a literal `c` and its rounded
//! reciprocal `r` holds bit for bit where both are powers of two and normal floats. Adding a finite
//! literal `z` other than 0 is monotone, and a sum that is 0 is `+0`, so a minimum of `x` and a
//! literal may be taken before or after; if `x` is NaN, both sides are the same operand. A clamp of
//! a float that lies within its bounds ([`Space::is_bounded`]) is that float. This law rests on how
//! IEEE 754 rounds, so it holds under no other interpretation of the operators: it needs the theory
//! without axioms, and a space that is not as written.
//!
//! *Up to the sign of zero*, floats also have `x + 0 = x` and `-(x + y) = -x + -y`, and sums,
//! products, negations and selections of such floats are again such floats. All other operators get
//! operands that are equal bit for bit.
//!
//! Over the reals, literals stand for their numbers. No law is applied to a float that contains a
//! literal NaN or infinity, because these are not numbers. Conversions, functions and selections
//! count as functions, and nothing more is known about them. Nothing is joined but floats, so
//! conditions and integers in a float stay as they are.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Scalar, eval};

use super::rational::{self, Rational};
use super::{ADD, Axiom, Axioms, MUL, NEG, SUB};
use crate::space::{Space, Term, TermId};

/// The laws that may show that floats are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Theory {
    /// The basic laws and these axioms. Without axioms, this is equality bit for bit.
    Axioms(Axioms),
    /// The real numbers.
    Reals,
}

impl Theory {
    /// Tests whether the theory has an axiom.
    pub(crate) fn has(self, axiom: Axiom) -> bool {
        match self {
            Self::Axioms(axioms) => axioms.contains(axiom),
            Self::Reals => axiom != Axiom::Reciprocal,
        }
    }
}

/// A law of operators on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Law {
    Difference,
    TwoSigns,
    NegatedFactor,
    NegatedDividend,
    NegatedDivisor,
    NegativeZero,
    Twice,
    /// `z` is the rounded reciprocal of the literal `y`.
    Inverse,
    /// This extreme has a literal operand, and `z` is a literal that is added.
    Moved(BinaryOp),
    /// `z` is an extreme of `x` and the literal `y`, in either order, and is always `x`.
    Bounded,
    AddZero,
    MulZero,
    NegateSum,
    Distributive,
    Quotient,
}

impl Law {
    /// Returns both sides of the law for these floats, if the theory has it.
    pub(crate) fn sides(
        self,
        space: &Space,
        theory: Theory,
        floats: [TermId; 3],
    ) -> Option<(TermId, TermId)> {
        let [x, y, z] = floats;
        // Both sides in postfix notation. `n` negates, `<` is a minimum, `>` a maximum.
        let (axiom, left, right) = match self {
            Self::Difference => (None, "xy-", "xyn+"),
            Self::TwoSigns => (None, "xnn", "x"),
            Self::NegatedFactor => (None, "xny*", "xy*n"),
            Self::NegatedDividend => (None, "xny/", "xy/n"),
            Self::NegatedDivisor => (None, "xyn/", "xy/n"),
            Self::NegativeZero => (None, "x0n+", "x"),
            Self::Twice => (None, "xx+", "2x*"),
            Self::AddZero => (Some(Axiom::AddZero), "x0+", "x"),
            Self::MulZero => (Some(Axiom::MulZero), "x0*", "0"),
            Self::NegateSum => (Some(Axiom::NegateSum), "xy+n", "xnyn+"),
            Self::Distributive => (Some(Axiom::Distributive), "xyz+*", "xy*xz*+"),
            Self::Quotient if theory == Theory::Reals => (None, "xy/", "x1y/*"),
            Self::Inverse => {
                let (inverse, is_exact) = inverse(space, y)?;
                (space.term_constant(z) == Some(inverse)).then_some(())?;
                ((!is_exact).then_some(Axiom::Reciprocal), "xy/", "xz*")
            }
            Self::Moved(op) => {
                let literal = |term| space.term_constant(term).and_then(rational::of);
                literal(z).filter(|[above, _]| *above != 0.into())?;
                literal(x).or_else(|| literal(y))?;
                if op == BinaryOp::Min {
                    (None, "xy<z+", "xz+yz+<")
                } else if op == BinaryOp::Max {
                    (None, "xy>z+", "xz+yz+>")
                } else {
                    return None;
                }
            }
            Self::Bounded => {
                let Term::Binary(op, ..) = *space.term(z) else { return None };
                let is_of_both = [[x, y], [y, x]].contains(&space.operands(z).try_into().ok()?);
                let is_bits = theory == Theory::Axioms(Axioms::NONE) && !space.is_as_written();
                let holds = is_of_both && is_bits && space.is_bounded(op, x, y);
                return holds.then_some((z, x));
            }
            Self::Quotient => return None,
        };
        axiom.is_none_or(|axiom| theory.has(axiom)).then_some(())?;
        Some((float(space, left, floats)?, float(space, right, floats)?))
    }
}

/// Makes the float that a text in postfix notation describes.
fn float(space: &Space, text: &str, floats: [TermId; 3]) -> Option<TermId> {
    const OPERATORS: [(char, BinaryOp); 6] = [
        ('+', ADD),
        ('-', SUB),
        ('*', MUL),
        ('/', BinaryOp::Div),
        ('<', BinaryOp::Min),
        ('>', BinaryOp::Max),
    ];
    let scalar = space.scalar(floats[0]);
    let mut stack = Vec::new();
    for sign in text.chars() {
        let made = if let Some((_, op)) = OPERATORS.iter().find(|(name, _)| *name == sign) {
            let (second, first) = (stack.pop()?, stack.pop()?);
            space.binary_term(*op, first, second).ok()?
        } else if sign == 'n' {
            space.unary_term(NEG, stack.pop()?).ok()?
        } else if let Some(number) = "xyz".find(sign) {
            floats[number]
        } else {
            space.float(scalar, sign.to_digit(10)? as f32)?
        };
        stack.push(made);
    }
    stack.pop()
}

/// Returns the rounded reciprocal of a literal, and whether it is exact. Both are normal floats.
pub(crate) fn inverse(space: &Space, term: TermId) -> Option<(Constant, bool)> {
    let constant = space.term_constant(term)?;
    let one = space.float(constant.scalar(), 1.0)?;
    let inverse = eval::binary(BinaryOp::Div, space.term_constant(one)?, constant).ok()?;
    let sizes = [constant, inverse].map(|x| x.as_f64().or(x.as_f32().map(f64::from)));
    let is_power = |x: f64| x.to_bits() & ((1 << 52) - 1) == 0;
    let single = constant.scalar() == Scalar::F32;
    let least = if single { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let [Some(size), Some(own)] = sizes else { return None };
    let normal = [size, own].iter().all(|x| x.abs() >= least && x.is_finite());
    (normal && is_power(size) == is_power(own)).then_some((inverse, is_power(size)))
}

/// A step of a proof, which joins two floats.
#[derive(Clone, Debug)]
pub(crate) enum Join {
    /// Both sides of a law, for `x`, `y` and `z`.
    Law(Law, [TermId; 3]),
    /// A float, and its operator with these operands, which are equal to its own.
    Applied(TermId, Vec<TermId>),
    /// Floats that apply one operator to equal operands in another order or grouping. Minima and
    /// maxima of one float are that float.
    Regrouped(BinaryOp, TermId, TermId),
    /// Expressions of literals that are one real number.
    Number(TermId, TermId),
}

/// Classes of floats that are equal in a theory.
pub(crate) struct Classes {
    theory: Theory,
    parents: FxHashMap<TermId, TermId>,
    special: FxHashMap<TermId, bool>,
    /// The classes of floats with equal bits, where floats are equal up to the sign of zero.
    exact: Option<Box<Classes>>,
}

impl Classes {
    /// Checks a proof in a theory. Returns the floats that it joins if all steps are right.
    pub(crate) fn of(space: &Space, theory: Theory, proof: &[Join]) -> Option<Self> {
        let (parents, special) = (FxHashMap::default(), FxHashMap::default());
        Self { theory, parents, special, exact: None }.joined(space, proof)
    }

    /// Checks a proof that floats are equal up to the sign of zero, after a proof that floats have
    /// equal bits.
    pub(crate) fn up_to_sign_of_zero(
        space: &Space,
        [exact, proof]: &[Vec<Join>; 2],
    ) -> Option<Self> {
        let exact = Self::of(space, Theory::Axioms(Axioms::NONE), exact)?;
        let laws = [Axiom::AddZero, Axiom::NegateSum].into_iter().collect();
        let (parents, special) = (exact.parents.clone(), FxHashMap::default());
        let classes = Self { theory: Theory::Axioms(laws), parents, special, exact: None };
        Self { exact: Some(Box::new(exact)), ..classes }.joined(space, proof)
    }

    /// Tests whether two floats are joined.
    pub(crate) fn same(&self, a: TermId, b: TermId) -> bool {
        self.find(a) == self.find(b)
    }

    fn find(&self, mut term: TermId) -> TermId {
        while let Some(parent) = self.parents.get(&term) {
            term = *parent;
        }
        term
    }

    fn joined(mut self, space: &Space, proof: &[Join]) -> Option<Self> {
        for step in proof {
            let (a, b) = self.sides(space, step)?;
            let is_law = !matches!(step, Join::Applied(..));
            let special = is_law
                && self.theory == Theory::Reals
                && [a, b].iter().any(|term| is_special(space, *term, &mut self.special));
            if special || !space.scalar(a).is_float() || space.scalar(a) != space.scalar(b) {
                return None;
            }
            let (a, b) = (self.find(a), self.find(b));
            if a != b {
                self.parents.insert(b, a);
            }
        }
        Some(self)
    }

    /// Returns the floats that a step joins, if they are equal.
    fn sides(&self, space: &Space, step: &Join) -> Option<(TermId, TermId)> {
        match *step {
            Join::Law(law, floats) => law.sides(space, self.theory, floats),
            Join::Applied(term, ref operands) => {
                let keeps_zeros = matches!(
                    space.term(term),
                    Term::Binary(ADD | SUB | MUL, ..) | Term::Unary(NEG, _) | Term::Select(..)
                );
                let classes = self.below(keeps_zeros);
                let own = space.operands(term);
                let same = own.len() == operands.len()
                    && own.iter().zip(operands).all(|(a, b)| classes.same(*a, *b));
                same.then_some(())?;
                Some((term, space.with_operands(term, operands).ok()?))
            }
            Join::Regrouped(op, a, b) => {
                let (first, second) = (self.grouped(space, op, a)?, self.grouped(space, op, b)?);
                (first == second || *first == [self.find(b)]).then_some((a, b))
            }
            Join::Number(a, b) => {
                let same = number(space, a)? == number(space, b)?;
                (same && self.theory == Theory::Reals).then_some((a, b))
            }
        }
    }

    /// Returns the classes of the operands of an operator. `keeps_zeros` tells whether the sign of
    /// zeros among them affects nothing but the sign of a zero.
    fn below(&self, keeps_zeros: bool) -> &Self {
        self.exact.as_deref().filter(|_| !keeps_zeros).unwrap_or(self)
    }

    /// Lists the classes of the operands of an operator, as the theory may group and order them.
    fn grouped(&self, space: &Space, op: BinaryOp, term: TermId) -> Option<Vec<TermId>> {
        let has = |axiom| self.theory.has(axiom);
        let (regroups, commutes) = if op == ADD {
            (has(Axiom::AddAssociative), true)
        } else if op == MUL {
            (has(Axiom::MulAssociative), true)
        } else if op == BinaryOp::Min {
            (has(Axiom::MinAssociative), has(Axiom::MinCommutative))
        } else if op == BinaryOp::Max {
            (has(Axiom::MaxAssociative), has(Axiom::MaxCommutative))
        } else {
            return None;
        };
        let (is_sum, mut open, mut found) = (matches!(op, ADD | MUL), vec![term], Vec::new());
        while let Some(next) = open.pop() {
            if let Term::Binary(own, a, b) = *space.term(next)
                && own == op
                && (regroups || next == term)
            {
                open.extend([b, a]);
            } else {
                found.push(self.below(is_sum).find(next));
            }
        }
        if commutes {
            found.sort_unstable();
        }
        if !is_sum {
            found.dedup();
        }
        Some(found)
    }
}

/// Tests whether a float is a literal NaN or infinity, or has such an operand at any depth.
pub(crate) fn is_special(space: &Space, term: TermId, known: &mut FxHashMap<TermId, bool>) -> bool {
    if let Some(known) = known.get(&term) {
        return *known;
    }
    let special = if let Term::Constant(constant) = *space.term(term) {
        rational::of(constant).is_none()
    } else {
        let mut operands = space.operands(term).into_iter();
        operands.any(|term| space.scalar(term).is_float() && is_special(space, term, known))
    };
    known.insert(term, special);
    special
}

/// Returns the real number that an expression of literals stands for.
pub(crate) fn number(space: &Space, term: TermId) -> Option<Rational> {
    if let Term::Constant(constant) = *space.term(term) {
        return rational::of(constant);
    }
    if let Term::Unary(NEG, a) = *space.term(term) {
        return number(space, a).map(|[above, below]| [-above, below]);
    }
    let Term::Binary(op, a, b) = *space.term(term) else { return None };
    rational::applied(op, number(space, a)?, number(space, b)?)
}
