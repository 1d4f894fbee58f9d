//! Machine values in normal form.
//!
//! # Correctness
//! A machine integer is written as an integer polynomial modulo 2^width ([`Term::Ring`]). Sums,
//! differences, products, complements and conversions between integers are ring homomorphisms, so
//! they may be computed on representatives. Other operators depend on a value's *number*:
//! quotients, comparisons, minima, selections, shifts to the right, and conversions to wider types.
//! [`Space::integer_of`] gives this number exactly. Operators on floats stay as written. Only
//! constants are folded, by the IR's own evaluator, and not even these in a space
//! [`Space::as_written`]. A function that is only named is a leaf with operands: two of its results
//! are equal if the operands have one normal form.

use halidom_ir::{BinaryOp, Constant, Intrinsic, Overflow, Scalar, UnaryOp, eval};

use super::{Atom, Formula, FormulaId, Monomial, PolyId, Space, Term, TermId};

/// A term, or the reason why the normal forms do not cover it.
type Made = Result<TermId, &'static str>;

const ASSUMED_ABSENT: &str = "an operator whose overflow is assumed to be absent is not supported";
const ILL_TYPED: &str = "an ill-typed expression is not supported";

/// An operator on two integers.
type Operator = fn(&Space, PolyId, PolyId) -> PolyId;

/// The depth of operators in which a factor 0 is looked for.
const DEPTH: u32 = 6;

impl Space {
    /// The scalar type of a term.
    pub(crate) fn scalar(&self, term: TermId) -> Scalar {
        match self.term(term) {
            Term::Constant(constant) => constant.scalar(),
            Term::Ring(scalar, _)
            | Term::Parameter(_, scalar)
            | Term::Read { scalar, .. }
            | Term::Apply { scalar, .. }
            | Term::Cast(scalar, _)
            | Term::FromInt(scalar, _) => *scalar,
            Term::Truth(_) => Scalar::Bool,
            Term::Binary(op, ..) if op.is_comparison() => Scalar::Bool,
            Term::Unary(_, operand) | Term::Binary(_, operand, _) | Term::Call(_, operand) => {
                self.scalar(*operand)
            }
            Term::Select(_, if_true, _) => self.scalar(*if_true),
        }
    }

    /// Makes an opaque term: a parameter or a read.
    pub(crate) fn leaf(&self, term: Term) -> TermId {
        self.intern_term(term)
    }

    /// Makes a constant of any machine type except `bool`.
    pub(crate) fn constant_term(&self, constant: Constant) -> TermId {
        match constant.as_integer() {
            Some(value) => self.ring(constant.scalar(), self.constant(value)),
            None => self.intern_term(Term::Constant(constant)),
        }
    }

    /// Makes a literal of a float type.
    pub(crate) fn float(&self, scalar: Scalar, value: f32) -> Option<TermId> {
        let wide = Constant::f64(f64::from(value));
        let constant = if scalar == Scalar::F32 { Constant::f32(value) } else { wide };
        scalar.is_float().then(|| self.constant_term(constant))
    }

    /// Returns the machine values to which the outermost operator of a term is applied. The
    /// condition of a selection is part of the operator.
    pub(crate) fn operands(&self, term: TermId) -> Vec<TermId> {
        match self.term(term) {
            Term::Constant(_)
            | Term::Ring(..)
            | Term::Truth(_)
            | Term::Parameter(..)
            | Term::Read { .. }
            | Term::FromInt(..) => Vec::new(),
            Term::Unary(_, a) | Term::Cast(_, a) | Term::Call(_, a) => vec![*a],
            Term::Binary(_, a, b) | Term::Select(_, a, b) => vec![*a, *b],
            Term::Apply { args, .. } => args.to_vec(),
        }
    }

    /// Applies the outermost operator of a term to as many other operands.
    pub(crate) fn with_operands(&self, term: TermId, operands: &[TermId]) -> Made {
        match (self.term(term).clone(), operands) {
            (Term::Unary(op, _), &[a]) => self.unary_term(op, a),
            (Term::Cast(to, _), &[a]) => self.cast_term(to, a),
            (Term::Call(call, _), &[a]) => self.call_term(call, a),
            (Term::Binary(op, ..), &[a, b]) if op.is_comparison() => {
                Ok(self.truth_term(self.compare_floats(op, a, b)))
            }
            (Term::Binary(op, ..), &[a, b]) => self.binary_term(op, a, b),
            (Term::Select(condition, ..), &[a, b]) => self.choose_term(condition, a, b),
            (Term::Apply { function, scalar, .. }, args) => {
                Ok(self.leaf(Term::Apply { function, scalar, args: args.into() }))
            }
            (_, []) => Ok(term),
            (_, _) => Err(ILL_TYPED),
        }
    }

    /// Returns the pairs of operands of two terms with one outermost operator: that of the first,
    /// applied to the operands of the second, gives the second.
    pub(crate) fn operand_pairs(&self, a: TermId, b: TermId) -> Option<Vec<(TermId, TermId)>> {
        let (own, others) = (self.operands(a), self.operands(b));
        let same =
            own.len() == others.len() && !own.is_empty() && self.with_operands(a, &others) == Ok(b);
        same.then(|| own.into_iter().zip(others).collect())
    }

    /// Turns a formula into a `bool` value.
    pub(crate) fn truth_term(&self, formula: FormulaId) -> TermId {
        if let Formula::Holds(term) = self.formula(formula) {
            return *term;
        }
        self.intern_term(Term::Truth(formula))
    }

    /// Makes a machine integer from an integer modulo 2^width. Coefficients are reduced modulo
    /// 2^width to the residue nearest to zero, and numbers of machine integers that are at least as
    /// wide to their residues: a remainder is a difference of numbers, or of wrapping integers.
    pub(crate) fn ring(&self, scalar: Scalar, poly: PolyId) -> TermId {
        let Some(bits) = scalar.bits() else {
            self.overflowed.set(true);
            return self.intern_term(Term::Ring(scalar, poly));
        };
        let modulus = 1_i128 << bits;
        let poly = self.with_residues(bits, poly);
        let terms: Vec<(Monomial, i128)> = self
            .poly(poly)
            .0
            .iter()
            .map(|(monomial, coefficient)| {
                let residue = coefficient.rem_euclid(modulus);
                (monomial.clone(), if residue > modulus / 2 { residue - modulus } else { residue })
            })
            .collect();
        let poly = self.collect(terms);
        if let Some(atom) = self.as_atom(poly)
            && let Atom::Value(term) = self.atoms[atom]
            && self.scalar(term) == scalar
        {
            return term;
        }
        self.intern_term(Term::Ring(scalar, poly))
    }

    /// Replaces the numbers of machine integers of at least this width, where they stand alone, by
    /// integers that are congruent modulo 2^width.
    fn with_residues(&self, bits: u32, poly: PolyId) -> PolyId {
        let residue = |monomial: &Monomial| {
            let [atom] = **monomial else { return None };
            self.residue_of(atom, Some(bits))
        };
        let terms = self.poly(poly).0.clone();
        if !terms.iter().any(|(monomial, _)| residue(monomial).is_some()) {
            return poly;
        }
        terms.into_iter().fold(self.constant(0), |sum, (monomial, coefficient)| {
            let part = match residue(&monomial) {
                Some(residue) => self.scale(residue, coefficient),
                None => self.collect(vec![(monomial, coefficient)]),
            };
            self.add(sum, part)
        })
    }

    /// Returns the residue of a machine integer of at least this width, if the atom is its number.
    fn residue_of(&self, atom: super::AtomId, bits: Option<u32>) -> Option<PolyId> {
        let Atom::Value(term) = self.atoms[atom] else { return None };
        let Term::Ring(own, residue) = *self.term(term) else { return None };
        (own.bits() >= bits).then_some(residue)
    }

    /// Returns an integer congruent to a machine integer modulo 2^width. It need not be the
    /// integer's number.
    pub(super) fn residue(&self, term: TermId) -> PolyId {
        if let Term::Ring(_, poly) = self.term(term) { *poly } else { self.opaque_value(term) }
    }

    /// Returns the number of a machine integer, or the order of a float. A polynomial that cannot
    /// leave the type's range is its own number.
    pub(crate) fn integer_of(&self, term: TermId) -> PolyId {
        let scalar = self.scalar(term);
        if scalar.is_float() {
            return self.order_of(term);
        }
        let (Term::Ring(_, poly), Some((low, high))) = (self.term(term).clone(), scalar.range())
        else {
            return self.opaque_value(term);
        };
        if let Some(value) = self.as_constant(poly) {
            let wrapped = Constant::wrapped(scalar, value).and_then(Constant::as_integer);
            return match wrapped {
                Some(value) => self.constant(value),
                None => self.opaque_value(term),
            };
        }
        let number = self.number_within(poly, scalar.bits(), (low, high));
        number.unwrap_or_else(|| self.opaque_value(term))
    }

    /// Returns an integer that is congruent to this one modulo 2^bits and lies within a range.
    /// `x - 7 * (x / 7)` lies within 0 and 6. So does `number(x) - 7 * (number(x) / 7)`, to which
    /// `x - 7 * (number(x) / 7)` is congruent if `x` is the residue of as wide an integer.
    fn number_within(
        &self,
        poly: PolyId,
        bits: Option<u32>,
        (low, high): (i128, i128),
    ) -> Option<PolyId> {
        let (mut number, mut rest, mut ends) = (poly, poly, (0_i128, 0_i128));
        for (quotient, dividend, divisor, times) in self.quotients(poly) {
            let residue = self.as_atom(dividend).and_then(|atom| self.residue_of(atom, bits));
            for part in [Some(dividend), residue].into_iter().flatten() {
                let remainder = self.sub(part, self.scale(quotient, divisor));
                let without = self.sub(rest, self.scale(remainder, times));
                if self.poly(without).0.len() >= self.poly(rest).0.len() {
                    continue;
                }
                number = self.add(number, self.scale(self.sub(dividend, part), times));
                rest = without;
                let end = times.checked_mul(divisor - 1)?;
                ends = (ends.0.checked_add(end.min(0))?, ends.1.checked_add(end.max(0))?);
                break;
            }
        }
        let (least, greatest) = self.static_range(rest, 0)?;
        let fits = low <= least.checked_add(ends.0)? && greatest.checked_add(ends.1)? <= high;
        fits.then_some(number)
    }

    /// The quotients by positive constants that are terms of a sum: the quotient, its dividend and
    /// divisor, and how many times the remainder may be in the sum.
    fn quotients(&self, poly: PolyId) -> Vec<(PolyId, PolyId, i128, i128)> {
        let of = |(monomial, coefficient): &(Monomial, i128)| {
            let [atom] = **monomial else { return None };
            let Atom::Div(dividend, divisor) = self.atoms[atom] else { return None };
            let divisor = self.as_constant(divisor).filter(|divisor| *divisor > 0)?;
            let quotient = self.collect(vec![(monomial.clone(), 1)]);
            let times = (coefficient % divisor == 0).then(|| -(coefficient / divisor))?;
            Some((quotient, dividend, divisor, times))
        };
        self.poly(poly).0.iter().filter_map(of).collect()
    }

    /// Returns an interval that contains an integer for all values of the symbols, by the ranges of
    /// machine types and funcs alone.
    pub(crate) fn static_range(&self, poly: PolyId, depth: u32) -> Option<(i128, i128)> {
        let (least, greatest) = self.static_ends(poly, depth);
        least.zip(greatest)
    }

    /// Returns the ends of such an interval, if there are any: a clamp of an unknown integer has
    /// both, and the minimum in it has only one.
    fn static_ends(&self, poly: PolyId, depth: u32) -> (Option<i128>, Option<i128>) {
        let (mut least, mut greatest) = (Some(0_i128), Some(0_i128));
        for (monomial, coefficient) in &self.poly(poly).0 {
            let (low, high) = match **monomial {
                [] => (Some(1), Some(1)),
                [atom] => self.static_atom_ends(atom, depth + 1),
                _ => (None, None),
            };
            let (low, high) = if *coefficient < 0 { (high, low) } else { (low, high) };
            let term = |end: Option<i128>| end?.checked_mul(*coefficient);
            least = least.zip(term(low)).and_then(|(sum, end)| sum.checked_add(end));
            greatest = greatest.zip(term(high)).and_then(|(sum, end)| sum.checked_add(end));
        }
        (least, greatest)
    }

    fn static_atom_ends(&self, atom: super::AtomId, depth: u32) -> (Option<i128>, Option<i128>) {
        if depth > 16 {
            return (None, None);
        }
        match self.atom(atom) {
            Atom::Symbol(_) => (None, None),
            Atom::Value(term) => self.value_range(*term).unzip(),
            Atom::Min(operands) => {
                let ends = operands.iter().map(|operand| self.static_ends(*operand, depth));
                let (lows, highs): (Vec<_>, Vec<_>) = ends.unzip();
                // An end that is not known is below all others.
                (lows.into_iter().min().flatten(), highs.into_iter().flatten().min())
            }
            Atom::Div(dividend, divisor) => {
                let divisor = self.as_constant(*divisor).filter(|divisor| *divisor > 0);
                let (low, high) = self.static_ends(*dividend, depth);
                let quotient = |end: Option<i128>| Some(end?.div_euclid(divisor?));
                (quotient(low), quotient(high))
            }
            Atom::Select(_, a, b) => {
                let (a, b) = (self.static_ends(*a, depth), self.static_ends(*b, depth));
                (a.0.zip(b.0).map(|(a, b)| a.min(b)), a.1.zip(b.1).map(|(a, b)| a.max(b)))
            }
        }
    }

    /// The range of the number of a machine integer.
    pub(crate) fn value_range(&self, term: TermId) -> Option<(i128, i128)> {
        if let Term::Read { func, component, .. } = self.term(term)
            && let Some(range) = self.func_ranges.get(&(*func, *component))
        {
            return Some(*range);
        }
        if let Term::Cast(to, operand) = *self.term(term)
            && to.is_machine_integer()
            && let Some(range) = self.converted_range(to, operand)
        {
            return Some(range);
        }
        self.scalar(term).range()
    }

    /// A conversion between machine types.
    pub(crate) fn cast_term(&self, to: Scalar, operand: TermId) -> Made {
        let from = self.scalar(operand);
        if from == to {
            return Ok(operand);
        }
        let kept = self.as_written && from.is_float() && to.is_float();
        if let Some(constant) = self.term_constant(operand).filter(|_| !kept) {
            let value = eval::cast(to, constant).map_err(|_| ILL_TYPED)?;
            return Ok(if to == Scalar::Bool {
                self.truth_term(self.truth(value.as_bool() == Some(true)))
            } else {
                self.constant_term(value)
            });
        }
        if to.is_machine_integer() && from.is_machine_integer() {
            let narrower = to.bits() <= from.bits();
            let poly = if narrower { self.residue(operand) } else { self.integer_of(operand) };
            return Ok(self.ring(to, poly));
        }
        if from == Scalar::Bool && to.is_machine_integer() {
            let number = self.choose(self.holds(operand), self.constant(1), self.constant(0));
            return Ok(self.ring(to, number));
        }
        if to == Scalar::Bool && from.is_machine_integer() {
            let vanishes = self.zero(self.integer_of(operand));
            return Ok(self.truth_term(self.not(vanishes)));
        }
        if to.is_machine_integer() && self.is_naught(operand, DEPTH) {
            return Ok(self.ring(to, self.constant(0)));
        }
        if from.is_float() || (to.is_float() && from != Scalar::Int) {
            return Ok(self.intern_term(Term::Cast(to, operand)));
        }
        Err(ILL_TYPED)
    }

    /// Tests whether a float has a factor 0. Then it is 0 or NaN, which are 0 as integers.
    fn is_naught(&self, term: TermId, depth: u32) -> bool {
        if let Term::Binary(op, a, b) = *self.term(term) {
            let product = matches!(op, BinaryOp::Mul(_));
            return depth > 0
                && (product || op == BinaryOp::Div)
                && (self.is_naught(a, depth - 1) || (product && self.is_naught(b, depth - 1)));
        }
        let size = self.term_constant(term).and_then(|x| x.as_f64().or(x.as_f32().map(f64::from)));
        size == Some(0.0)
    }

    /// Converts an `int` to a machine number.
    pub(crate) fn int_to(&self, to: Scalar, poly: PolyId) -> Made {
        if to.is_machine_integer() {
            return Ok(self.ring(to, poly));
        }
        if !to.is_float() {
            return Err(ILL_TYPED);
        }
        match self.as_constant(poly) {
            Some(value) => {
                let value = eval::cast(to, Constant::int(value)).map_err(|_| ILL_TYPED)?;
                Ok(self.constant_term(value))
            }
            None => Ok(self.intern_term(Term::FromInt(to, poly))),
        }
    }

    /// A unary operator on a machine number.
    pub(crate) fn unary_term(&self, op: UnaryOp, operand: TermId) -> Made {
        let scalar = self.scalar(operand);
        if let Some(constant) = self.term_constant(operand) {
            let value = eval::unary(op, constant).map_err(|_| ASSUMED_ABSENT)?;
            return Ok(self.constant_term(value));
        }
        match op {
            UnaryOp::Neg(_) if scalar.is_float() => {
                Ok(self.intern_term(Term::Unary(UnaryOp::Neg(Overflow::Wraps), operand)))
            }
            UnaryOp::Neg(Overflow::Wraps) if scalar.is_machine_integer() => {
                Ok(self.ring(scalar, self.scale(self.residue(operand), -1)))
            }
            UnaryOp::Neg(_) => Err(ASSUMED_ABSENT),
            // Two's complement: the complement of x is -x - 1.
            UnaryOp::Not if scalar.is_machine_integer() => {
                let negated = self.scale(self.residue(operand), -1);
                Ok(self.ring(scalar, self.offset(negated, -1)))
            }
            UnaryOp::Not => Err(ILL_TYPED),
        }
    }

    /// A binary operator on machine numbers of one type, except comparisons.
    pub(crate) fn binary_term(&self, op: BinaryOp, a: TermId, b: TermId) -> Made {
        let scalar = self.scalar(a);
        if scalar != self.scalar(b) || op.is_comparison() {
            return Err(ILL_TYPED);
        }
        let kept = self.as_written && scalar.is_float();
        if let (Some(x), Some(y)) = (self.term_constant(a), self.term_constant(b))
            && !kept
        {
            let value = eval::binary(op, x, y).map_err(|_| ASSUMED_ABSENT)?;
            return Ok(self.constant_term(value));
        }
        if scalar.is_float() {
            return self.float_term(op, a, b);
        }
        if !scalar.is_machine_integer() {
            return Err(ILL_TYPED);
        }
        if let Some(apply) = Self::ring_operator(op, Overflow::Wraps) {
            return Ok(self.ring(scalar, apply(self, self.residue(a), self.residue(b))));
        }
        if let Some(apply) = Self::number_operator(op) {
            return Ok(self.ring(scalar, apply(self, self.integer_of(a), self.integer_of(b))));
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return self.shift_term(scalar, op, a, b);
        }
        if matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) {
            return Ok(self.bitwise_term(scalar, op, a, b));
        }
        Err(ASSUMED_ABSENT)
    }

    /// Returns an operator of the ring of integers that overflows in this way. Residues may be used
    /// for the operands.
    pub(crate) fn ring_operator(op: BinaryOp, overflow: Overflow) -> Option<Operator> {
        let operators: [(_, Operator); 3] = [
            (BinaryOp::Add(overflow), Self::add),
            (BinaryOp::Sub(overflow), Self::sub),
            (BinaryOp::Mul(overflow), Self::mul),
        ];
        operators.into_iter().find(|(own, _)| *own == op).map(|(_, apply)| apply)
    }

    /// Returns an operator on the numbers of its operands that cannot overflow.
    pub(crate) fn number_operator(op: BinaryOp) -> Option<Operator> {
        let operators: [(_, Operator); 4] = [
            (BinaryOp::Div, Self::div),
            (BinaryOp::Mod, Self::modulo),
            (BinaryOp::Min, Self::min),
            (BinaryOp::Max, Self::max),
        ];
        operators.into_iter().find(|(own, _)| *own == op).map(|(_, apply)| apply)
    }

    /// An operator on floats, as written. A factor or divisor of 1 is dropped, which is right for
    /// NaN (there is one) and zeros of either sign too. The overflow convention of `+`, `-`, `*`
    /// has no meaning for floats and is normalized.
    fn float_term(&self, op: BinaryOp, a: TermId, b: TermId) -> Made {
        let op = if matches!(op, BinaryOp::Add(_)) {
            BinaryOp::Add(Overflow::Wraps)
        } else if matches!(op, BinaryOp::Sub(_)) {
            BinaryOp::Sub(Overflow::Wraps)
        } else if matches!(op, BinaryOp::Mul(_)) {
            BinaryOp::Mul(Overflow::Wraps)
        } else if matches!(op, BinaryOp::Div | BinaryOp::Min | BinaryOp::Max) {
            op
        } else {
            return Err(ILL_TYPED);
        };
        let is_one = |constant: Option<Constant>| {
            constant.is_some_and(|constant| {
                constant.as_f32() == Some(1.0) || constant.as_f64() == Some(1.0)
            })
        };
        let (multiplies, divides) = (matches!(op, BinaryOp::Mul(_)), op == BinaryOp::Div);
        if (multiplies || divides) && is_one(self.term_constant(b)) {
            return Ok(a);
        }
        if multiplies && is_one(self.term_constant(a)) {
            return Ok(b);
        }
        // Sums and products commute bit for bit, as there is one NaN.
        let turns = self.as_written && b < a && (multiplies || matches!(op, BinaryOp::Add(_)));
        let (a, b) = if turns { (b, a) } else { (a, b) };
        Ok(self.intern_term(Term::Binary(op, a, b)))
    }

    /// A shift by a constant below the width is a product or a floored quotient by a power of two.
    /// Other shifts stay as they are.
    fn shift_term(&self, scalar: Scalar, op: BinaryOp, a: TermId, b: TermId) -> Made {
        let bits = i128::from(scalar.bits().ok_or(ILL_TYPED)?);
        let amount = self.term_constant(b).and_then(Constant::as_integer);
        match amount {
            Some(amount) if (0..bits).contains(&amount) => {
                let power = self.constant(1 << amount);
                Ok(self.ring(
                    scalar,
                    if op == BinaryOp::Shl {
                        self.mul(self.residue(a), power)
                    } else {
                        self.div(self.integer_of(a), power)
                    },
                ))
            }
            Some(_) | None => Ok(self.intern_term(Term::Binary(op, a, b))),
        }
    }

    /// `x & (2^k - 1)` is the remainder by 2^k. Commutative operators get sorted operands.
    fn bitwise_term(&self, scalar: Scalar, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        for (mask, other) in [(a, b), (b, a)] {
            let mask = self.term_constant(mask).and_then(Constant::as_integer);
            if let Some(mask) = mask.filter(|mask| {
                op == BinaryOp::And && *mask > 0 && *mask < (1 << 64) && (mask & (mask + 1)) == 0
            }) {
                let rest = self.modulo(self.integer_of(other), self.constant(mask + 1));
                return self.ring(scalar, rest);
            }
        }
        self.intern_term(Term::Binary(op, a, b))
    }

    /// A comparison of floats, as written, except that `a > b` is `b < a`, even for NaN.
    pub(crate) fn compare_floats(&self, op: BinaryOp, a: TermId, b: TermId) -> FormulaId {
        if op == BinaryOp::Gt {
            return self.compare_floats(BinaryOp::Lt, b, a);
        }
        if op == BinaryOp::Ge {
            return self.compare_floats(BinaryOp::Le, b, a);
        }
        if let (Some(x), Some(y)) = (self.term_constant(a), self.term_constant(b))
            && let Some(value) = eval::binary(op, x, y).ok().and_then(Constant::as_bool)
        {
            return self.truth(value);
        }
        self.holds(self.intern_term(Term::Binary(op, a, b)))
    }

    /// A function of a machine number.
    pub(crate) fn call_term(&self, call: Intrinsic, operand: TermId) -> Made {
        let scalar = self.scalar(operand);
        let kept = self.as_written && scalar.is_float();
        if let Some(constant) = self.term_constant(operand).filter(|_| !kept) {
            let value = eval::intrinsic(call, constant).map_err(|_| ILL_TYPED)?;
            return Ok(self.constant_term(value));
        }
        if scalar.is_signed() && call == Intrinsic::Abs {
            // The greater of x and -x as integers; modulo 2^width, abs(MIN) = MIN.
            let number = self.integer_of(operand);
            return Ok(self.ring(scalar, self.max(number, self.scale(number, -1))));
        }
        if scalar.is_float() {
            return Ok(self.intern_term(Term::Call(call, operand)));
        }
        Err(ILL_TYPED)
    }

    /// A conditional machine number.
    pub(crate) fn choose_term(&self, condition: FormulaId, a: TermId, b: TermId) -> Made {
        let scalar = self.scalar(a);
        if scalar != self.scalar(b) {
            return Err(ILL_TYPED);
        }
        if a == b || *self.formula(condition) == Formula::True {
            return Ok(a);
        }
        if *self.formula(condition) == Formula::False {
            return Ok(b);
        }
        if scalar.is_machine_integer() {
            // Any residues will do, because the choice commutes with taking residues.
            return Ok(self.ring(scalar, self.choose(condition, self.residue(a), self.residue(b))));
        }
        match self.extreme_chosen(condition, a, b) {
            Some(op) => Ok(self.intern_term(Term::Binary(op, a, b))),
            None => Ok(self.intern_term(Term::Select(condition, a, b))),
        }
    }

    /// The operator that a choice between floats computes: `min(a, b)` is defined as
    /// `select(a < b, a, b)`, and `max(a, b)` as `select(b < a, a, b)`. In a space as written,
    /// comparisons speak of bits, and minima are operators of their own.
    fn extreme_chosen(&self, condition: FormulaId, a: TermId, b: TermId) -> Option<BinaryOp> {
        let Formula::Holds(term) = *self.formula(condition) else { return None };
        let Term::Binary(BinaryOp::Lt, less, greater) = *self.term(term) else { return None };
        if self.as_written {
            None
        } else if (less, greater) == (a, b) {
            Some(BinaryOp::Min)
        } else if (less, greater) == (b, a) {
            Some(BinaryOp::Max)
        } else {
            None
        }
    }

    /// Returns the value of a constant term.
    pub(crate) fn term_constant(&self, term: TermId) -> Option<Constant> {
        if let Term::Constant(constant) = self.term(term) {
            return Some(*constant);
        }
        let Term::Ring(scalar, poly) = self.term(term) else { return None };
        Constant::wrapped(*scalar, self.as_constant(*poly)?)
    }
}

#[cfg(test)]
mod tests {
    use halidom_base::FxHashMap;
    use halidom_ir::{BinaryOp, Constant, Overflow, Scalar, eval};

    use crate::space::{Space, Term};

    #[test]
    fn a_choice_of_the_lesser_float_is_the_minimum_unless_kept_as_written() {
        let made = |space: Space| {
            let [a, b] =
                ["a", "b"].map(|name| space.leaf(Term::Parameter(space.fresh(name), Scalar::F32)));
            let less = space.compare_floats(BinaryOp::Lt, a, b);
            let at_most = space.compare_floats(BinaryOp::Le, a, b);
            let chosen =
                |condition, x, y| space.term(space.choose_term(condition, x, y).unwrap()).clone();
            let cases = [chosen(less, a, b), chosen(less, b, a), chosen(at_most, a, b)];
            let min = Term::Binary(BinaryOp::Min, a, b);
            let max = Term::Binary(BinaryOp::Max, b, a);
            [cases[0] == min, cases[1] == max, matches!(cases[2], Term::Select(..))]
        };
        assert_eq!(made(Space::default()), [true, true, true]);
        assert_eq!(made(Space::as_written(FxHashMap::default())), [false, false, true]);
        // The order of operands matters where they are NaN or zeros, and so does `<=`.
        for (x, y) in [(0.0, -0.0), (-0.0, 0.0), (f32::NAN, 1.0), (1.0, f32::NAN), (2.0, 1.0)] {
            let [a, b] = [x, y].map(Constant::f32);
            let is_true = |op, a, b| eval::binary(op, a, b) == Ok(Constant::bool(true));
            let lesser = if is_true(BinaryOp::Lt, a, b) { a } else { b };
            let greater = if is_true(BinaryOp::Lt, b, a) { a } else { b };
            assert_eq!(eval::binary(BinaryOp::Min, a, b), Ok(lesser));
            assert_eq!(eval::binary(BinaryOp::Max, a, b), Ok(greater));
        }
    }

    #[test]
    fn a_remainder_is_the_same_with_a_residue_and_has_its_range() {
        let space = Space::default();
        let wide = space.leaf(Term::Parameter(space.fresh("a"), Scalar::I32));
        let narrow = space.cast_term(Scalar::U8, wide).unwrap();
        let seven = space.constant_term(Constant::wrapped(Scalar::U8, 7).unwrap());
        let remainder = space.binary_term(BinaryOp::Mod, narrow, seven).unwrap();
        let quotient = space.binary_term(BinaryOp::Div, narrow, seven).unwrap();
        let wraps = |op, a, b| space.binary_term(op, a, b).unwrap();
        let multiple = wraps(BinaryOp::Mul(Overflow::Wraps), quotient, seven);
        assert_eq!(wraps(BinaryOp::Sub(Overflow::Wraps), narrow, multiple), remainder);
        let number = space.integer_of(narrow);
        let own = space.modulo(number, space.constant(7));
        assert_eq!(space.integer_of(remainder), own);
        // Six times the remainder fits `u8`, and fifty times does not.
        let times = |factor| space.ring(Scalar::U8, space.scale(own, factor));
        assert_eq!(space.integer_of(times(6)), space.scale(own, 6));
        assert_ne!(space.integer_of(times(50)), space.scale(own, 50));
    }

    #[test]
    fn a_float_times_or_by_one_is_itself() {
        let doubles = [
            0.0,
            -0.0,
            1.5,
            -3.25,
            f64::MIN_POSITIVE / 4.0,
            f64::INFINITY,
            -f64::INFINITY,
            f64::NAN,
        ];
        let values = doubles.map(|x| [Constant::f64(x), Constant::f32(x as f32)]);
        for value in values.into_iter().flatten() {
            let one =
                if value.as_f32().is_some() { Constant::f32(1.0) } else { Constant::f64(1.0) };
            let times = BinaryOp::Mul(Overflow::Wraps);
            assert_eq!(eval::binary(times, value, one), Ok(value));
            assert_eq!(eval::binary(times, one, value), Ok(value));
            assert_eq!(eval::binary(BinaryOp::Div, value, one), Ok(value));
        }
    }
}
