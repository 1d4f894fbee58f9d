//! The terms in which obligations are stated: integer polynomials over opaque atoms, formulas over them, and machine values, all hash-consed.
//!
//! # Correctness
//! Everything here denotes a mathematical object once the symbols have values: a [`PolyId`] an integer, a [`FormulaId`] a truth value, a [`TermId`] a machine
//! value. No term denotes a state of memory: what a program loads is written as a [`Term::Read`] of the specification, which has one value for ever. Every
//! maker returns an id that denotes exactly what its name says of its operands; equal ids therefore denote equal things under every assignment of the symbols.
//! The converse is not claimed. Coefficients are checked 128-bit integers: an overflow sets [`Space::overflowed`], after which no verdict may be `Proved`.

mod alike;
#[cfg(test)]
pub(crate) mod concrete;
mod formula;
mod poly;
mod rename;
mod show;
mod term;

use halidom_base::{Arena, FxHashMap, Interner, define_id};
use halidom_ir::{BinaryOp, Constant, FuncId, Intrinsic, Scalar, UnaryOp};

pub(crate) use formula::Equation;
pub(crate) use poly::gcd;
pub(crate) use rename::{Choice, Rename};
pub(crate) use show::Names;
pub(crate) use term::TermError;

define_id!(
    /// An unknown. Two binders never share one: symbols come from a counter.
    pub(crate) Symbol, "x"
);
define_id!(
    /// An indivisible factor of a monomial.
    pub(crate) AtomId, "a"
);
define_id!(
    /// An integer.
    pub(crate) PolyId, "p"
);
define_id!(
    /// A truth value.
    pub(crate) FormulaId, "c"
);
define_id!(
    /// A machine value.
    pub(crate) TermId, "t"
);

/// What a monomial is a product of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    /// An unknown integer.
    Symbol(Symbol),
    /// The least of at least two integers. A maximum is the negated minimum of the negated.
    Min(Box<[PolyId]>),
    /// The Euclidean quotient, 0 where the divisor is 0.
    Div(PolyId, PolyId),
    /// The first integer where the formula holds, else the second.
    Select(FormulaId, PolyId, PolyId),
    /// The number that a machine integer (or `bool`, 0 or 1) stands for.
    Value(TermId),
}

/// A product of atoms, sorted; empty is 1.
pub(crate) type Monomial = Box<[AtomId]>;

/// A sum of monomials with coefficients other than 0, sorted by monomial.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Poly(pub(crate) Box<[(Monomial, i128)]>);

/// A truth value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Formula {
    /// Always.
    True,
    /// Never.
    False,
    /// The integer is at least 0.
    NonNegative(PolyId),
    /// The integer is 0.
    Zero(PolyId),
    /// The `bool` term is `true`.
    Holds(TermId),
    /// Not; only of `Zero` and `Holds`, as everything else is pushed inwards.
    Not(FormulaId),
    /// All of at least two.
    And(Box<[FormulaId]>),
    /// One of at least two.
    Or(Box<[FormulaId]>),
}

/// Which value of a func's location is meant: the specification gives a location one value for each stage and reduction point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Version {
    /// After all stages.
    Final,
    /// Before the given instance of an update stage ran.
    Before {
        /// The stage.
        stage: usize,
        /// The values of its reduction variables.
        point: Box<[PolyId]>,
    },
    /// To be settled by the store that uses the value; see [`Rename::settle`]. Never part of an obligation.
    Pending,
}

/// A machine value (of any scalar type but `int`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// A float.
    Constant(Constant),
    /// The machine integer congruent to the integer modulo 2^width.
    Ring(Scalar, PolyId),
    /// A formula as a `bool`.
    Truth(FormulaId),
    /// A parameter of the pipeline.
    Parameter(Symbol, Scalar),
    /// The value that the specification gives to a location, or an input's element.
    Read {
        /// The func or input.
        func: FuncId,
        /// Which component of its values.
        component: usize,
        /// The component's type.
        scalar: Scalar,
        /// Which value.
        version: Version,
        /// Where.
        coords: Box<[PolyId]>,
    },
    /// A unary operator.
    Unary(UnaryOp, TermId),
    /// A binary operator, not a comparison of integers.
    Binary(BinaryOp, TermId, TermId),
    /// A conditional.
    Select(FormulaId, TermId, TermId),
    /// A conversion from or to a float.
    Cast(Scalar, TermId),
    /// An `int` as a float.
    FromInt(Scalar, PolyId),
    /// A function.
    Call(Intrinsic, TermId),
}

/// What an expression of the IR denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// Of type `int`.
    Int(PolyId),
    /// Of type `bool`.
    Bool(FormulaId),
    /// Of a machine type.
    Number(TermId),
}

/// Owner of all terms of one validation.
#[derive(Default)]
pub(crate) struct Space {
    symbols: Arena<Symbol, String>,
    atoms: Interner<AtomId, Atom>,
    polys: Interner<PolyId, Poly>,
    formulas: Interner<FormulaId, Formula>,
    terms: Interner<TermId, Term>,
    /// The lane of vectors of each length: one symbol for all, as the operands of one statement run in lockstep.
    lanes: FxHashMap<u32, Symbol>,
    overflowed: bool,
    /// Whether operators on floats are kept even of constants: then terms denote what they should under every meaning of these operators ([`crate::floats`]).
    as_written: bool,
    /// Whether a product and the sum that it stands in may be rounded at once, in one place and not in another, where floats decide places.
    contracted: bool,
    /// Constants between which the values of funcs lie ([`crate::ranges`]), for components that are machine integers.
    func_ranges: FxHashMap<(FuncId, usize), (i128, i128)>,
}

impl Space {
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// With what is known of the values of funcs.
    pub(crate) fn with_ranges(func_ranges: FxHashMap<(FuncId, usize), (i128, i128)>) -> Self {
        Self { func_ranges, ..Self::default() }
    }

    /// The same, with operators on floats as they are written.
    pub(crate) fn as_written(func_ranges: FxHashMap<(FuncId, usize), (i128, i128)>) -> Self {
        Self { func_ranges, as_written: true, ..Self::default() }
    }

    /// The same, where sums of products may be rounded at once.
    pub(crate) fn contracted(self, contracted: bool) -> Self {
        Self { contracted, ..self }
    }

    /// Whether they may.
    pub(crate) fn is_contracted(&self) -> bool {
        self.contracted
    }

    /// Whether operators on floats are kept even of constants.
    pub(crate) fn is_as_written(&self) -> bool {
        self.as_written
    }

    /// A symbol unlike every other.
    pub(crate) fn fresh(&mut self, name: impl Into<String>) -> Symbol {
        self.symbols.push(name.into())
    }

    /// The lane of vectors with this many lanes.
    pub(crate) fn lane(&mut self, lanes: u32) -> Symbol {
        if let Some(lane) = self.lanes.get(&lanes) {
            return *lane;
        }
        let lane = self.fresh(format!("lane{lanes}"));
        self.lanes.insert(lanes, lane);
        lane
    }

    /// How many lanes the vectors have whose lane a symbol is, if it is one.
    pub(crate) fn lane_count(&self, symbol: Symbol) -> Option<u32> {
        self.lanes.iter().find(|(_, lane)| **lane == symbol).map(|(lanes, _)| *lanes)
    }

    /// What a symbol stands for, in words; not unique.
    pub(crate) fn symbol_name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol]
    }

    /// Whether a coefficient left 128 bits, after which nothing may be concluded.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflowed
    }

    pub(crate) fn poly(&self, id: PolyId) -> &Poly {
        &self.polys[id]
    }

    pub(crate) fn atom(&self, id: AtomId) -> &Atom {
        &self.atoms[id]
    }

    pub(crate) fn formula(&self, id: FormulaId) -> &Formula {
        &self.formulas[id]
    }

    pub(crate) fn term(&self, id: TermId) -> &Term {
        &self.terms[id]
    }

    fn intern_poly(&mut self, poly: Poly) -> PolyId {
        self.polys.intern(poly).0
    }

    fn intern_formula(&mut self, formula: Formula) -> FormulaId {
        self.formulas.intern(formula).0
    }

    fn intern_term(&mut self, term: Term) -> TermId {
        self.terms.intern(term).0
    }

    /// A checked result; an overflow is remembered and poisons the whole validation.
    fn checked(&mut self, exact: Option<i128>) -> i128 {
        exact.unwrap_or_else(|| {
            self.overflowed = true;
            0
        })
    }
}
