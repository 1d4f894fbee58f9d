//! Values of terms at given values of the symbols, for tests.

use halidom_base::FxHashMap;
use halidom_ir::{Constant, eval};

use super::{Atom, Formula, FormulaId, PolyId, Space, Symbol, Term, TermId};

/// Values of symbols. A float is given by its bits.
pub(crate) type Assignment = FxHashMap<Symbol, i128>;

impl Space {
    /// Evaluates an integer.
    pub(crate) fn value_at(&self, poly: PolyId, at: &Assignment) -> i128 {
        let mut sum = 0;
        for (monomial, coefficient) in &self.poly(poly).0 {
            let mut product = *coefficient;
            for atom in monomial {
                product *= match self.atom(*atom) {
                    Atom::Symbol(symbol) => at[symbol],
                    Atom::Min(operands) => {
                        operands.iter().map(|operand| self.value_at(*operand, at)).min().unwrap()
                    }
                    Atom::Div(a, b) => {
                        self.value_at(*a, at).checked_div_euclid(self.value_at(*b, at)).unwrap_or(0)
                    }
                    Atom::Select(condition, a, b) => {
                        let chosen = if self.truth_at(*condition, at) { a } else { b };
                        self.value_at(*chosen, at)
                    }
                    Atom::Value(term) => {
                        let value = self.term_at(*term, at);
                        value.as_integer().unwrap_or_else(|| super::order::order(value))
                    }
                };
            }
            sum += product;
        }
        sum
    }

    /// Evaluates a machine value without reads.
    pub(crate) fn term_at(&self, term: TermId, at: &Assignment) -> Constant {
        match self.term(term) {
            Term::Constant(constant) => *constant,
            Term::Ring(scalar, poly) => {
                Constant::wrapped(*scalar, self.value_at(*poly, at)).unwrap()
            }
            Term::Truth(formula) => Constant::bool(self.truth_at(*formula, at)),
            Term::Parameter(symbol, scalar) => {
                Constant::from_bits(*scalar, u64::try_from(at[symbol]).unwrap()).unwrap()
            }
            Term::Read { .. } => panic!("a read"),
            Term::Apply { .. } => panic!("a named function"),
            Term::Unary(op, operand) => eval::unary(*op, self.term_at(*operand, at)).unwrap(),
            Term::Binary(op, a, b) => {
                eval::binary(*op, self.term_at(*a, at), self.term_at(*b, at)).unwrap()
            }
            Term::Select(condition, a, b) => {
                let chosen = if self.truth_at(*condition, at) { a } else { b };
                self.term_at(*chosen, at)
            }
            Term::Cast(to, operand) => eval::cast(*to, self.term_at(*operand, at)).unwrap(),
            Term::FromInt(to, poly) => {
                eval::cast(*to, Constant::int(self.value_at(*poly, at))).unwrap()
            }
            Term::Call(call, operand) => {
                eval::intrinsic(*call, self.term_at(*operand, at)).unwrap()
            }
        }
    }

    /// Evaluates a formula.
    pub(crate) fn truth_at(&self, formula: FormulaId, at: &Assignment) -> bool {
        match self.formula(formula) {
            Formula::True => true,
            Formula::False => false,
            Formula::NonNegative(poly) => self.value_at(*poly, at) >= 0,
            Formula::Zero(poly) => self.value_at(*poly, at) == 0,
            Formula::Holds(term) => self.term_at(*term, at).as_bool().unwrap(),
            Formula::Not(inner) => !self.truth_at(*inner, at),
            Formula::And(parts) => parts.iter().all(|part| self.truth_at(*part, at)),
            Formula::Or(parts) => parts.iter().any(|part| self.truth_at(*part, at)),
        }
    }
}

/// A reproducible sequence of numbers (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Draws a number that is at least 0 and less than `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> i128 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i128::from(self.0 % limit)
    }

    fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len() as u64)).unwrap()]
    }

    /// Makes an integer over the symbols, with minima, quotients by numbers and symbols, and
    /// selections.
    pub(crate) fn poly(&mut self, space: &Space, symbols: &[Symbol], depth: u32) -> PolyId {
        let choice = self.below(if depth == 0 { 2 } else { 9 });
        if choice == 0 {
            return space.symbol(self.choose(symbols));
        }
        if choice == 1 {
            return space.constant(self.below(9) - 4);
        }
        let a = self.poly(space, symbols, depth - 1);
        let b = self.poly(space, symbols, depth - 1);
        match choice {
            2 | 3 => space.add(a, b),
            4 => space.sub(a, b),
            5 => space.mul(a, b),
            6 => space.min(a, b),
            7 => {
                let symbol = self.choose(symbols);
                let by = match self.below(3) {
                    0 => space.symbol(symbol),
                    _ => space.constant(self.choose(&[2, 3, 8, -4])),
                };
                space.div(a, by)
            }
            _ => space.choose(space.non_negative(self.poly(space, symbols, depth - 1)), a, b),
        }
    }
}
