//! Values of matched expressions, as terms over the numbers of their types, and the evaluation of
//! these terms.
//!
//! # Correctness
//!
//! Refutations are replayed by evaluation. The other readings of terms (`polynomial`, `encode`)
//! must agree with it.

use std::fmt;

use halidom_base::{FxHashMap, FxHashSet, Interner};

halidom_base::define_id!(
    /// A term of one [`Values`].
    pub ValueId, "t"
);

/// The numbers of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Domain {
    /// Truth values.
    Bool,
    /// Unsigned integers of this width, which wrap.
    Unsigned(u8),
    /// Signed integers of this width, which wrap.
    Signed(u8),
    /// Signed integers of 32 bits, where overflow is excluded: mathematical integers.
    Whole,
    /// Floating point as transformations treat it: reals.
    Real,
}

impl Domain {
    /// Every domain, narrow ones first.
    pub const ALL: [Self; 8] = [
        Self::Bool,
        Self::Unsigned(8),
        Self::Signed(8),
        Self::Unsigned(16),
        Self::Signed(16),
        Self::Unsigned(32),
        Self::Whole,
        Self::Real,
    ];

    /// Returns the width in bits; `None` for truth values and reals.
    pub fn width(self) -> Option<u8> {
        match self {
            Self::Unsigned(width) | Self::Signed(width) => Some(width),
            Self::Whole => Some(32),
            Self::Bool | Self::Real => None,
        }
    }

    /// Returns the least and the greatest value; `None` for reals.
    pub fn range(self) -> Option<(i128, i128)> {
        match self {
            Self::Bool => Some((0, 1)),
            Self::Unsigned(width) => Some((0, (1 << width) - 1)),
            Self::Signed(width) => Some((-(1 << (width - 1)), (1 << (width - 1)) - 1)),
            Self::Whole => Some((-(1 << 31), (1 << 31) - 1)),
            Self::Real => None,
        }
    }

    /// True if every number of `other` is a number of this domain. The numbers of [`Self::Whole`]
    /// are those of any signed type of at least 32 bits, so no other domain has them all.
    pub fn contains(self, other: Self) -> bool {
        match (self, self.range(), other.range()) {
            (Self::Whole, _, Some(_)) => true,
            _ if other == Self::Whole => false,
            (_, Some((least, greatest)), Some((low, high))) => least <= low && high <= greatest,
            _ => false,
        }
    }

    /// True if arithmetic is modulo a power of two.
    pub fn wraps(self) -> bool {
        matches!(self, Self::Unsigned(_) | Self::Signed(_))
    }

    /// Wraps an integer into the domain.
    pub fn wrap(self, value: i128) -> i128 {
        match self {
            Self::Unsigned(width) => value & ((1 << width) - 1),
            Self::Signed(width) => {
                let shift = 128 - u32::from(width);
                (value << shift) >> shift
            }
            Self::Bool => i128::from(value != 0),
            Self::Whole | Self::Real => value,
        }
    }
}

/// Writes the type as Halide does.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Unsigned(width) => write!(f, "uint{width}"),
            Self::Signed(width) => write!(f, "int{width}"),
            Self::Whole => f.write_str("int32"),
            Self::Real => f.write_str("float"),
        }
    }
}

/// An operator of terms. The operands of arithmetic and comparisons are of one domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fun {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// The Euclidean quotient, which is 0 if the divisor is 0. For reals, the quotient.
    Div,
    /// The Euclidean remainder, which is 0 if the divisor is 0. For reals, `a - b·⌊a/b⌋`.
    Mod,
    /// Less than.
    Lt,
    /// Equal.
    Eq,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Negation.
    Not,
    /// The second operand if the first is true, else the third.
    Ite,
    /// The same integer in another domain, wrapped if that domain wraps.
    Convert,
}

/// A term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A variable by its number.
    Var(u32),
    /// A number or truth value.
    Number(i128),
    /// An operator applied.
    Apply(Fun, Vec<ValueId>),
}

/// A number: a fraction with a positive denominator. Truth values are 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The numerator.
    pub numerator: i128,
    /// The denominator, which is positive.
    pub denominator: i128,
}

impl Number {
    /// Returns an integer as a number.
    pub const fn whole(value: i128) -> Self {
        Self { numerator: value, denominator: 1 }
    }

    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator, denominator) * denominator.signum();
        Some(Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    fn less(self, other: Self) -> Option<bool> {
        let lhs = self.numerator.checked_mul(other.denominator)?;
        Some(lhs < other.numerator.checked_mul(self.denominator)?)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a.max(1)).unwrap_or(1)
}

/// An arena of terms.
#[derive(Clone, Debug)]
pub struct Values {
    nodes: Interner<ValueId, (Node, Domain)>,
    /// Names and domains of the variables.
    vars: Vec<(String, Domain)>,
}

impl Default for Values {
    fn default() -> Self {
        Self { nodes: Interner::new(), vars: Vec::new() }
    }
}

impl Values {
    /// Returns the variable of that name and domain.
    pub fn var(&mut self, name: &str, domain: Domain) -> ValueId {
        let known = self.vars.iter().position(|var| var.0 == name && var.1 == domain);
        let index = known.unwrap_or_else(|| {
            self.vars.push((name.to_owned(), domain));
            self.vars.len() - 1
        });
        self.intern(Node::Var(u32::try_from(index).expect("few variables")), domain)
    }

    /// Returns the names and domains of the variables.
    pub fn vars(&self) -> &[(String, Domain)] {
        &self.vars
    }

    fn intern(&mut self, node: Node, domain: Domain) -> ValueId {
        self.nodes.intern((node, domain)).0
    }

    /// Returns a number, wrapped into its domain.
    pub fn number(&mut self, value: i128, domain: Domain) -> ValueId {
        self.intern(Node::Number(domain.wrap(value)), domain)
    }

    /// Returns a truth value.
    pub fn bool(&mut self, value: bool) -> ValueId {
        self.number(i128::from(value), Domain::Bool)
    }

    /// Returns the node of a term.
    pub fn node(&self, term: ValueId) -> &Node {
        &self.nodes[term].0
    }

    /// Returns the domain of a term.
    pub fn domain(&self, term: ValueId) -> Domain {
        self.nodes[term].1
    }

    /// Returns the number if the term is a literal number.
    pub fn as_number(&self, term: ValueId) -> Option<i128> {
        match self.node(term) {
            Node::Number(value) => Some(*value),
            Node::Var(_) | Node::Apply(..) => None,
        }
    }

    /// Applies an operator; constant operands are folded.
    pub fn apply(&mut self, fun: Fun, operands: &[ValueId]) -> ValueId {
        let inner = self.domain(operands[operands.len() - 1]);
        let domain = match fun {
            Fun::Lt | Fun::Eq | Fun::And | Fun::Or | Fun::Not => Domain::Bool,
            Fun::Add | Fun::Sub | Fun::Mul | Fun::Div | Fun::Mod | Fun::Ite | Fun::Convert => inner,
        };
        let numbers: Option<Vec<i128>> =
            operands.iter().map(|term| self.as_number(*term)).collect();
        if let Some(numbers) = numbers {
            let numbers: Vec<Number> = numbers.into_iter().map(Number::whole).collect();
            if let Some(Number { numerator, denominator: 1 }) = compute(fun, inner, &numbers) {
                return self.number(numerator, domain);
            }
        }
        let first = self.as_number(operands[0]).map(|value| value != 0);
        match (fun, first, operands) {
            (Fun::Ite, Some(true), [_, then, _]) => return *then,
            (Fun::Ite, Some(false), [_, _, otherwise]) => return *otherwise,
            (Fun::And, Some(true), [_, rhs]) | (Fun::Or, Some(false), [_, rhs]) => return *rhs,
            (Fun::And, Some(false), [lhs, _]) | (Fun::Or, Some(true), [lhs, _]) => return *lhs,
            _ => {}
        }
        if let (Fun::Lt | Fun::Eq | Fun::Mod, [lhs, rhs]) = (fun, operands)
            && let Some((a, b)) = self.both_narrow(*lhs, *rhs)
        {
            // Comparisons and the Euclidean remainder give the same value in the narrower domain.
            let narrow = self.apply(fun, &[a, b]);
            return if fun == Fun::Mod { self.convert(narrow, domain) } else { narrow };
        }
        self.intern(Node::Apply(fun, operands.to_vec()), domain)
    }

    /// Narrows two terms of one domain to the domain from which one of them was converted, if the
    /// other has a value there too.
    fn both_narrow(&mut self, a: ValueId, b: ValueId) -> Option<(ValueId, ValueId)> {
        let wide = self.domain(a);
        let narrow = [a, b].into_iter().find_map(|term| match self.node(term) {
            Node::Apply(Fun::Convert, inner) => Some(self.domain(inner[0])),
            Node::Var(_) | Node::Number(_) | Node::Apply(..) => None,
        })?;
        if !wide.contains(narrow) {
            return None;
        }
        let mut narrowed = |term: ValueId| match self.node(term).clone() {
            Node::Apply(Fun::Convert, inner) if self.domain(inner[0]) == narrow => Some(inner[0]),
            Node::Number(value) => {
                let (least, greatest) = narrow.range()?;
                (least <= value && value <= greatest).then(|| self.number(value, narrow))
            }
            Node::Var(_) | Node::Apply(..) => None,
        };
        Some((narrowed(a)?, narrowed(b)?))
    }

    /// Replaces a part of a term by another term.
    pub fn replace(&mut self, term: ValueId, var: ValueId, by: ValueId) -> ValueId {
        self.replace_in(term, &mut FxHashMap::from_iter([(var, by)]))
    }

    /// Replaces parts of a term by other terms.
    pub(crate) fn replace_all(
        &mut self,
        term: ValueId,
        by: &FxHashMap<ValueId, ValueId>,
    ) -> ValueId {
        self.replace_in(term, &mut by.clone())
    }

    fn replace_in(&mut self, term: ValueId, done: &mut FxHashMap<ValueId, ValueId>) -> ValueId {
        if let Some(known) = done.get(&term) {
            return *known;
        }
        let Node::Apply(fun, operands) = self.node(term).clone() else { return term };
        let replaced: Vec<_> =
            operands.iter().map(|operand| self.replace_in(*operand, done)).collect();
        let new = match fun {
            _ if replaced == operands => term,
            Fun::Convert => self.convert(replaced[0], self.domain(term)),
            fun => self.apply(fun, &replaced),
        };
        done.insert(term, new);
        new
    }

    /// Converts an integer to another domain. If the target wraps, operands are converted before
    /// they are added, subtracted or multiplied, so that equal sums look equal.
    pub fn convert(&mut self, term: ValueId, to: Domain) -> ValueId {
        let from = self.domain(term);
        if from == to {
            return term;
        }
        let narrows = |from: Domain, to: Domain| {
            to.wraps() && (from == Domain::Whole || from.wraps() && to.width() <= from.width())
        };
        match self.node(term).clone() {
            Node::Number(value) => return self.number(value, to),
            Node::Apply(fun @ (Fun::Add | Fun::Sub | Fun::Mul), operands) if narrows(from, to) => {
                let operands: Vec<_> =
                    operands.iter().map(|operand| self.convert(*operand, to)).collect();
                return self.apply(fun, &operands);
            }
            Node::Apply(Fun::Div, parts) if narrows(from, to) => {
                // The least number divided by -1 wraps to itself in both domains.
                if let Some((a, b)) = self.both_narrow(parts[0], parts[1])
                    && self.domain(a) == to
                {
                    return self.apply(Fun::Div, &[a, b]);
                }
            }
            Node::Apply(Fun::Ite, parts) => {
                let then = self.convert(parts[1], to);
                let otherwise = self.convert(parts[2], to);
                return self.apply(Fun::Ite, &[parts[0], then, otherwise]);
            }
            Node::Apply(Fun::Convert, inner) => {
                let first = self.domain(inner[0]);
                // The domain in between cut off nothing that `to` keeps.
                if narrows(from, to) || from.contains(first) {
                    return self.convert(inner[0], to);
                }
            }
            Node::Var(_) | Node::Apply(..) => {}
        }
        self.intern(Node::Apply(Fun::Convert, vec![term]), to)
    }

    /// Calls `visit` once with a term and once with each of its parts.
    pub fn visit(&self, term: ValueId, visit: &mut impl FnMut(ValueId)) {
        let mut seen = FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            visit(term);
            if let Node::Apply(_, operands) = self.node(term) {
                open.extend(operands.iter().rev());
            }
        }
    }

    /// True if a term contains a variable.
    pub fn mentions(&self, term: ValueId, var: ValueId) -> bool {
        let mut found = false;
        self.visit(term, &mut |part| found |= part == var);
        found
    }

    /// Returns the value of a term; `None` if it is too large to compute, or if reals are divided
    /// by 0.
    ///
    /// Calls `seen` once with the value of each part that it evaluates.
    pub fn evaluate(
        &self,
        term: ValueId,
        assignment: &[Number],
        seen: &mut impl FnMut(ValueId, Number),
    ) -> Option<Number> {
        self.evaluate_in(term, assignment, seen, &mut FxHashMap::default())
    }

    fn evaluate_in(
        &self,
        term: ValueId,
        assignment: &[Number],
        seen: &mut impl FnMut(ValueId, Number),
        done: &mut FxHashMap<ValueId, Number>,
    ) -> Option<Number> {
        let value = match self.node(term) {
            Node::Var(index) => assignment[*index as usize],
            Node::Number(value) => Number::whole(*value),
            Node::Apply(fun, operands) => {
                if let Some(known) = done.get(&term) {
                    return Some(*known);
                }
                let mut values = [Number::whole(0); 3];
                for (value, operand) in values.iter_mut().zip(operands) {
                    *value = self.evaluate_in(*operand, assignment, seen, done)?;
                }
                let value = if *fun == Fun::Convert {
                    Number::whole(self.domain(term).wrap(values[0].numerator))
                } else {
                    let last = operands.len() - 1;
                    compute(*fun, self.domain(operands[last]), &values[..=last])?
                };
                done.insert(term, value);
                value
            }
        };
        seen(term, value);
        Some(value)
    }
}

/// Returns the operator's value, where the last operand is of `domain`.
fn compute(fun: Fun, domain: Domain, operands: &[Number]) -> Option<Number> {
    let truth = |value: bool| Some(Number::whole(i128::from(value)));
    let holds = |number: Number| number.numerator != 0;
    match (fun, operands) {
        (Fun::Not, [a]) => return truth(!holds(*a)),
        (Fun::And, [a, b]) => return truth(holds(*a) && holds(*b)),
        (Fun::Or, [a, b]) => return truth(holds(*a) || holds(*b)),
        (Fun::Ite, [condition, a, b]) => return Some(if holds(*condition) { *a } else { *b }),
        (Fun::Lt, [a, b]) => return truth(a.less(*b)?),
        (Fun::Eq, [a, b]) => return truth(a == b),
        _ => {}
    }
    let [a, b] = operands else { return None };
    let (p, q) = (a.numerator.checked_mul(b.denominator)?, b.numerator.checked_mul(a.denominator)?);
    let denominator = a.denominator.checked_mul(b.denominator)?;
    if domain == Domain::Real {
        return match fun {
            Fun::Add => Number::new(p.checked_add(q)?, denominator),
            Fun::Sub => Number::new(p.checked_sub(q)?, denominator),
            Fun::Mul => Number::new(a.numerator.checked_mul(b.numerator)?, denominator),
            Fun::Div => Number::new(p, q),
            Fun::Mod => {
                let (p, q) = if q < 0 { (p.checked_neg()?, -q) } else { (p, q) };
                let floor = if q == 0 { return None } else { p.div_euclid(q) };
                let whole = floor.checked_mul(b.numerator)?.checked_mul(a.denominator)?;
                Number::new(
                    a.numerator.checked_mul(b.denominator)?.checked_sub(whole)?,
                    denominator,
                )
            }
            Fun::Lt | Fun::Eq | Fun::And | Fun::Or | Fun::Not | Fun::Ite | Fun::Convert => None,
        };
    }
    let (a, b) = (a.numerator, b.numerator);
    let value = match fun {
        Fun::Add => a.checked_add(b)?,
        Fun::Sub => a.checked_sub(b)?,
        Fun::Mul => a.checked_mul(b)?,
        Fun::Div if b == 0 => 0,
        Fun::Mod if b == 0 => 0,
        Fun::Div => a.checked_div_euclid(b)?,
        Fun::Mod => a.checked_rem_euclid(b)?,
        Fun::Lt | Fun::Eq | Fun::And | Fun::Or | Fun::Not | Fun::Ite | Fun::Convert => return None,
    };
    Some(Number::whole(domain.wrap(value)))
}
