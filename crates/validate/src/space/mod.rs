//! The terms of the obligations: integer polynomials over opaque atoms, formulas over them, and
//! machine values, all hash-consed.
//!
//! # Correctness
//! Everything here denotes a mathematical object once the symbols have values: a [`PolyId`] an
//! integer, a [`FormulaId`] a truth value, a [`TermId`] a machine value. No term denotes a state of
//! memory: a loaded value is written as a [`Term::Read`] of the specification, which never changes.
//! Every maker returns an id that denotes exactly what its name states about its operands.
//! Therefore equal ids denote equal objects under every assignment of the symbols; the converse is
//! not claimed. Coefficients are checked 128-bit integers: an overflow sets [`Space::overflowed`],
//! after which no verdict may be `Proved`.

mod alike;
#[cfg(test)]
pub(crate) mod concrete;
mod copies;
mod float_range;
mod formula;
pub(crate) mod order;
mod poly;
mod rename;
mod term;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use halidom_base::{Arena, FxHashMap, SharedInterner, define_id};
use halidom_ir::{BinaryOp, Constant, FuncId, FunctionId, Intrinsic, Scalar, UnaryOp};
use smallvec::SmallVec;

pub(crate) use copies::Copies;
pub(crate) use poly::gcd;
pub(crate) use rename::{Part, Rename};

define_id!(
    /// An unknown. Two binders never share a symbol, because symbols come from a counter.
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
define_id!(
    /// Numbers a buffer's lifetime in the program.
    pub(crate) MemoryId, "memory"
);

/// A factor of a monomial.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    /// An unknown integer.
    Symbol(Symbol),
    /// The least of at least two integers. A maximum is the negated minimum of the negated
    /// integers.
    Min(Box<[PolyId]>),
    /// The Euclidean quotient, 0 where the divisor is 0.
    Div(PolyId, PolyId),
    /// The first integer where the formula holds, else the second.
    Select(FormulaId, PolyId, PolyId),
    /// The number of a machine integer, of a `bool` as 0 or 1, or the order of a float.
    Value(TermId),
}

/// A product of atoms, sorted. The empty product is 1.
pub(crate) type Monomial = SmallVec<[AtomId; 4]>;

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
    /// A negation, only of `Zero` and `Holds`. All others are pushed inwards.
    Not(FormulaId),
    /// All of at least two formulas.
    And(Box<[FormulaId]>),
    /// One of at least two formulas.
    Or(Box<[FormulaId]>),
}

/// The version of a func's value at a location: the specification gives a location one value for
/// each stage and reduction point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Version {
    /// The value after all stages.
    Final,
    /// The value before the given instance of an update stage ran.
    Before {
        /// The stage.
        stage: usize,
        /// The values of its reduction variables.
        point: Box<[PolyId]>,
    },
    /// Not fixed yet, for a read of this memory: the store that uses the value settles it, see
    /// [`Rename::settle`]. A func may have several memories, and only the one that the store
    /// updates holds its previous values. Of the obligations, only those on overflow may contain a
    /// pending read, as an unknown value.
    Pending(MemoryId),
}

/// A machine value of any scalar type except `int`.
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
        /// The component of its values.
        component: usize,
        /// The component's type.
        scalar: Scalar,
        /// The version of the value.
        version: Version,
        /// The coordinates.
        coords: Box<[PolyId]>,
    },
    /// A unary operator.
    Unary(UnaryOp, TermId),
    /// A binary operator other than a comparison of integers.
    Binary(BinaryOp, TermId, TermId),
    /// A conditional.
    Select(FormulaId, TermId, TermId),
    /// A conversion from or to a float.
    Cast(Scalar, TermId),
    /// An `int` as a float.
    FromInt(Scalar, PolyId),
    /// A function.
    Call(Intrinsic, TermId),
    /// A function that is only named.
    Apply {
        /// The function.
        function: FunctionId,
        /// The type of its result.
        scalar: Scalar,
        /// Its operands.
        args: Box<[TermId]>,
    },
}

/// The value of an expression of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// A value of type `int`.
    Int(PolyId),
    /// A value of type `bool`.
    Bool(FormulaId),
    /// A value of a machine type.
    Number(TermId),
}

/// The owner of all terms of one validation.
#[derive(Default)]
pub(crate) struct Space {
    symbols: RefCell<Arena<Symbol, String>>,
    atoms: SharedInterner<AtomId, Atom>,
    polys: SharedInterner<PolyId, Poly>,
    formulas: SharedInterner<FormulaId, Formula>,
    terms: SharedInterner<TermId, Term>,
    /// The conditions under which pairs of terms are equal, as far as they were asked for.
    alike: RefCell<FxHashMap<(TermId, TermId), Option<FormulaId>>>,
    /// The complements of formulas, as far as they were asked for.
    complements: RefCell<FxHashMap<FormulaId, FormulaId>>,
    /// The lane of vectors of each length. One symbol suffices, because the operands of one
    /// statement run in lockstep.
    lanes: RefCell<FxHashMap<u32, Symbol>>,
    overflowed: Cell<bool>,
    /// True if operators on floats are kept even on constants. Then terms are right under every
    /// meaning of these operators ([`crate::floats`]).
    as_written: bool,
    /// True if a product and its sum may be rounded at once, in one place and not in another, where
    /// floats decide places.
    contracted: bool,
    /// Constant bounds of the values of funcs ([`crate::ranges`]), for components that are machine
    /// integers.
    func_ranges: FxHashMap<(FuncId, usize), (i128, i128)>,
    /// The ranges of floats, as far as they were asked for.
    float_ranges: RefCell<FxHashMap<TermId, Option<[Constant; 2]>>>,
    identity: Rc<()>,
}

impl Space {
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Makes a space with the ranges of funcs' values.
    pub(crate) fn with_ranges(func_ranges: FxHashMap<(FuncId, usize), (i128, i128)>) -> Self {
        Self { func_ranges, ..Self::default() }
    }

    /// Does the same, but keeps operators on floats as they are written.
    pub(crate) fn as_written(func_ranges: FxHashMap<(FuncId, usize), (i128, i128)>) -> Self {
        Self { func_ranges, as_written: true, ..Self::default() }
    }

    /// Sets whether sums of products may be rounded at once.
    pub(crate) fn contracted(self, contracted: bool) -> Self {
        Self { contracted, ..self }
    }

    /// Tests whether sums of products may be rounded at once.
    pub(crate) fn is_contracted(&self) -> bool {
        self.contracted
    }

    /// Returns what no other space has. Terms of two spaces may have one number.
    pub(crate) fn identity(&self) -> &Rc<()> {
        &self.identity
    }

    /// Tests whether operators on floats are kept even on constants.
    pub(crate) fn is_as_written(&self) -> bool {
        self.as_written
    }

    /// Makes a new symbol.
    pub(crate) fn fresh(&self, name: impl Into<String>) -> Symbol {
        self.symbols.borrow_mut().push(name.into())
    }

    /// Returns the symbol for the lane of vectors with this many lanes.
    pub(crate) fn lane(&self, lanes: u32) -> Symbol {
        let mut known = self.lanes.borrow_mut();
        *known.entry(lanes).or_insert_with(|| self.fresh(format!("lane{lanes}")))
    }

    /// Returns the number of lanes if a symbol is a lane.
    pub(crate) fn lane_count(&self, symbol: Symbol) -> Option<u32> {
        let lanes = self.lanes.borrow();
        lanes.iter().find(|(_, lane)| **lane == symbol).map(|(lanes, _)| *lanes)
    }

    /// A symbol's name for reports. It need not be unique.
    pub(crate) fn symbol_name(&self, symbol: Symbol) -> String {
        self.symbols.borrow()[symbol].clone()
    }

    /// Lists all symbols that were made.
    #[cfg(test)]
    pub(crate) fn all_symbols(&self) -> Vec<Symbol> {
        self.symbols.borrow().ids().collect()
    }

    /// Tests whether a coefficient left 128 bits. Then nothing may be concluded.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflowed.get()
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

    fn intern_poly(&self, poly: Poly) -> PolyId {
        self.polys.intern(poly)
    }

    fn intern_formula(&self, formula: Formula) -> FormulaId {
        self.formulas.intern(formula)
    }

    fn intern_term(&self, term: Term) -> TermId {
        self.terms.intern(term)
    }

    /// Unwraps a checked result. An overflow is recorded and invalidates the whole validation.
    fn checked(&self, exact: Option<i128>) -> i128 {
        exact.unwrap_or_else(|| {
            self.overflowed.set(true);
            0
        })
    }
}
