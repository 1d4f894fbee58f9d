//! Values of terms at given values of the symbols, for tests.

use halidom_base::FxHashMap;

use super::{Atom, Formula, FormulaId, PolyId, Space, Symbol};

/// Values of symbols.
pub(crate) type Assignment = FxHashMap<Symbol, i128>;

impl Space {
    /// What an integer without machine values is.
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
                    Atom::Value(_) => panic!("a machine value"),
                };
            }
            sum += product;
        }
        sum
    }

    /// Whether a formula without machine values holds.
    pub(crate) fn truth_at(&self, formula: FormulaId, at: &Assignment) -> bool {
        match self.formula(formula) {
            Formula::True => true,
            Formula::False => false,
            Formula::NonNegative(poly) => self.value_at(*poly, at) >= 0,
            Formula::Zero(poly) => self.value_at(*poly, at) == 0,
            Formula::Holds(_) => panic!("a machine value"),
            Formula::Not(inner) => !self.truth_at(*inner, at),
            Formula::And(parts) => parts.iter().all(|part| self.truth_at(*part, at)),
            Formula::Or(parts) => parts.iter().any(|part| self.truth_at(*part, at)),
        }
    }
}

/// A reproducible sequence of numbers (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// At least 0, less than `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> i128 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i128::from(self.0 % limit)
    }

    fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len() as u64)).unwrap()]
    }

    /// An integer over the symbols, with minima, quotients by numbers and symbols, and selections.
    pub(crate) fn poly(&mut self, space: &mut Space, symbols: &[Symbol], depth: u32) -> PolyId {
        let choice = self.below(if depth == 0 { 2 } else { 9 });
        if choice == 0 {
            let symbol = self.choose(symbols);
            return space.symbol(symbol);
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
            _ => {
                let c = self.poly(space, symbols, depth - 1);
                let condition = space.non_negative(c);
                space.choose(condition, a, b)
            }
        }
    }
}
