//! Programs: index expressions, predicates and tensor terms.
//!
//! Terms are immutable trees that share their parts. Every variable has its own number, so two
//! variables with the same name never clash; names are only for readers. A variable records its
//! sort, and a tensor variable its rank, so the rank of any term can be computed without an
//! environment.

use std::fmt;
use std::rc::Rc;

/// The number of dimensions of a tensor. For programs that work at any rank, it is an unknown
/// number plus a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rank {
    /// The variable that stands for the unknown number, if there is one.
    pub base: Option<u32>,
    /// The known number.
    pub plus: u32,
}

impl Rank {
    /// The rank of a scalar.
    pub const SCALAR: Self = Self { base: None, plus: 0 };

    /// Returns a rank with a known number of dimensions.
    pub fn known(plus: u32) -> Self {
        Self { base: None, plus }
    }

    /// Returns the rank with one more dimension.
    #[must_use]
    pub fn up(self) -> Self {
        Self { plus: self.plus + 1, ..self }
    }

    /// Returns the rank with one dimension less. `None` if no dimension is known, as for a scalar
    /// or an unknown shape.
    pub fn down(self) -> Option<Self> {
        Some(Self { plus: self.plus.checked_sub(1)?, ..self })
    }
}

/// The kind of thing that a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// An integer: a size or an index.
    Index,
    /// A truth value. Occurs only in rules.
    Pred,
    /// A tensor.
    Tensor(Rank),
    /// The dimensions of an unknown shape, together with their number.
    Shape,
}

/// A variable. Two variables are equal if their numbers are.
#[derive(Clone, Debug)]
pub struct Var {
    /// The variable's number.
    pub id: u32,
    /// The variable's name.
    pub name: Rc<str>,
    /// The variable's sort.
    pub sort: Sort,
}

impl PartialEq for Var {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Var {}

impl std::hash::Hash for Var {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Var {
    /// The rank of a tensor variable. For other variables, the rank of a scalar.
    pub fn rank(&self) -> Rank {
        match self.sort {
            Sort::Tensor(rank) => rank,
            Sort::Index | Sort::Pred | Sort::Shape => Rank::SCALAR,
        }
    }
}

/// A source of new variables.
#[derive(Debug, Default)]
pub struct Supply(std::cell::Cell<u32>);

impl Supply {
    /// Returns a supply for comparisons. Its variables do not occur in programs.
    pub fn scratch() -> Self {
        Self(std::cell::Cell::new(1 << 31))
    }

    /// Returns a new variable.
    pub fn fresh(&self, name: &str, sort: Sort) -> Var {
        let id = self.0.get();
        self.0.set(id + 1);
        Var { id, name: name.into(), sort }
    }
}

/// The operators on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arith {
    /// A sum.
    Add,
    /// A difference.
    Sub,
    /// A product.
    Mul,
    /// A quotient, rounded down.
    Div,
    /// The remainder of [`Arith::Div`].
    Mod,
    /// A quotient, rounded up.
    Ceil,
    /// The lesser of two integers.
    Min,
    /// The greater of two integers.
    Max,
}

/// An integer: a size or an index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// A number.
    Num(i64),
    /// A variable.
    Var(Var),
    /// An operator and its operands.
    Op(Arith, Rc<(Index, Index)>),
}

impl Index {
    /// Applies an operator to two integers, with the usual simplifications of a bound: `x + 0`,
    /// `x - 0` and `1 * x` become `x`.
    pub fn op(op: Arith, a: Self, b: Self) -> Self {
        match (op, &a, &b) {
            (Arith::Add, Self::Num(0), _) => b,
            (Arith::Add | Arith::Sub, _, Self::Num(0)) => a,
            (Arith::Mul, Self::Num(1), _) => b,
            (Arith::Mul, _, Self::Num(1)) => a,
            _ => Self::exact(op, a, b),
        }
    }

    /// Applies an operator to two integers without simplification.
    pub fn exact(op: Arith, a: Self, b: Self) -> Self {
        Self::Op(op, Rc::new((a, b)))
    }

    /// A sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::exact(Arith::Add, self, other)
    }

    /// A difference.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self::exact(Arith::Sub, self, other)
    }

    /// A product.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self::exact(Arith::Mul, self, other)
    }

    /// Calls `visit` with every variable.
    pub fn variables(&self, visit: &mut dyn FnMut(&Var)) {
        match self {
            Self::Num(_) => {}
            Self::Var(var) => visit(var),
            Self::Op(_, operands) => {
                operands.0.variables(visit);
                operands.1.variables(visit);
            }
        }
    }

    /// True if a variable occurs.
    pub fn mentions(&self, var: &Var) -> bool {
        let mut found = false;
        self.variables(&mut |other| found |= other == var);
        found
    }
}

/// The comparisons of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Compare {
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
    /// Equal.
    Eq,
}

/// A predicate over integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pred {
    /// Always true or always false.
    Known(bool),
    /// A comparison.
    Compare(Compare, Index, Index),
    /// A conjunction.
    And(Rc<(Pred, Pred)>),
    /// A variable of a rule.
    Var(Var),
}

impl Pred {
    /// Returns the conjunction of two predicates.
    pub fn and(a: Self, b: Self) -> Self {
        Self::And(Rc::new((a, b)))
    }

    /// Returns the predicate `lo <= x && x < hi`.
    pub fn range(lo: Index, x: Index, hi: Index) -> Self {
        Self::and(Self::Compare(Compare::Le, lo, x.clone()), Self::Compare(Compare::Lt, x, hi))
    }

    /// Calls `visit` with every variable.
    pub fn variables(&self, visit: &mut dyn FnMut(&Var)) {
        match self {
            Self::Known(_) => {}
            Self::Compare(_, a, b) => {
                a.variables(visit);
                b.variables(visit);
            }
            Self::And(both) => {
                both.0.variables(visit);
                both.1.variables(visit);
            }
            Self::Var(var) => visit(var),
        }
    }

    /// The comparisons whose conjunction this is. `None` if one part is a variable or false.
    pub fn conjuncts(&self) -> Option<Vec<(Compare, &Index, &Index)>> {
        match self {
            Self::Known(true) => Some(Vec::new()),
            Self::Known(false) | Self::Var(_) => None,
            Self::Compare(compare, a, b) => Some(vec![(*compare, a, b)]),
            Self::And(both) => {
                let mut all = both.0.conjuncts()?;
                all.extend(both.1.conjuncts()?);
                Some(all)
            }
        }
    }
}

/// The two binders over a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loop {
    /// A comprehension. It has one dimension more than its body.
    Gen,
    /// A sum.
    Sum,
}

/// The operators that change a tensor's shape. Their sizes are part of the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reshape {
    /// Puts one tensor after another. Its sizes are the first dimensions of both.
    Concat,
    /// Exchanges the first two dimensions. It has no sizes.
    Transpose,
    /// Merges the first two dimensions into one. Its sizes are those two dimensions.
    Flatten,
    /// Splits the first dimension into blocks. Its sizes are the dimension and the block size.
    Split,
    /// Adds zeros at the end. Its sizes are the dimension and the number of zeros.
    PadR,
    /// Adds zeros at the beginning. Its sizes are the dimension and the number of zeros.
    PadL,
    /// Keeps the first elements only. Its size is their number.
    TruncR,
    /// Keeps the last elements only. Its sizes are the dimension and their number.
    TruncL,
}

impl Reshape {
    /// All operators.
    pub const ALL: [Self; 8] = [
        Self::Concat,
        Self::Transpose,
        Self::Flatten,
        Self::Split,
        Self::PadR,
        Self::PadL,
        Self::TruncR,
        Self::TruncL,
    ];

    /// The operator's word in programs and certificates.
    pub fn name(self) -> &'static str {
        match self {
            Self::Concat => "concat",
            Self::Transpose => "transpose",
            Self::Flatten => "flatten",
            Self::Split => "split",
            Self::PadR => "pad_r",
            Self::PadL => "pad_l",
            Self::TruncR => "trunc_r",
            Self::TruncL => "trunc_l",
        }
    }
}

/// An argument of a rule's function.
#[derive(Clone, Debug)]
pub enum Arg {
    /// An integer.
    Index(Index),
    /// A tensor.
    Term(Term),
}

/// A term: a shared node.
pub type Term = Rc<Node>;

/// The node of a term.
#[derive(Clone, Debug)]
pub enum Node {
    /// An input, or a variable bound by a `let`.
    Var(Var),
    /// A scalar constant, as it was written. `0` and `1` are the semiring's; the other constants
    /// have no known laws.
    Literal(Rc<str>),
    /// A scalar function of scalars.
    Call(Rc<str>, Vec<Term>),
    /// A binder over `lo .. hi`.
    Loop(Loop, Var, Index, Index, Term),
    /// The term if the predicate holds, else zero.
    Guard(Pred, Term),
    /// A named intermediate result: variable, value, body.
    Let(Var, Term, Term),
    /// An element, or a slice of the first dimension.
    Get(Term, Index),
    /// A sum at any rank.
    Add(Term, Term),
    /// A product of scalars.
    Mul(Term, Term),
    /// A reshape operator with its sizes.
    Reshape(Reshape, Vec<Index>, Vec<Term>),
    /// The application of a rule's function. Does not occur in programs.
    Apply(Var, Vec<Arg>),
}

/// The number of dimensions of a term.
pub fn rank(term: &Term) -> Rank {
    match &**term {
        Node::Var(var) | Node::Apply(var, _) => var.rank(),
        Node::Literal(_) | Node::Call(..) | Node::Mul(..) => Rank::SCALAR,
        Node::Loop(Loop::Gen, .., body) => rank(body).up(),
        Node::Loop(Loop::Sum, .., body) | Node::Guard(_, body) | Node::Let(_, _, body) => {
            rank(body)
        }
        Node::Get(tensor, _) => rank(tensor).down().unwrap_or(Rank::SCALAR),
        Node::Add(left, _) => rank(left),
        Node::Reshape(op, _, parts) => {
            let inner = parts.first().map_or(Rank::SCALAR, rank);
            match op {
                Reshape::Flatten => inner.down().unwrap_or(Rank::SCALAR),
                Reshape::Split => inner.up(),
                Reshape::Concat
                | Reshape::Transpose
                | Reshape::PadR
                | Reshape::PadL
                | Reshape::TruncR
                | Reshape::TruncL => inner,
            }
        }
    }
}

/// The parts of a term, in the order in which they are written.
pub fn children(term: &Term) -> Vec<&Term> {
    match &**term {
        Node::Var(_) | Node::Literal(_) => Vec::new(),
        Node::Call(_, parts) | Node::Reshape(_, _, parts) => parts.iter().collect(),
        Node::Loop(.., body) | Node::Guard(_, body) => vec![body],
        Node::Get(tensor, _) => vec![tensor],
        Node::Let(_, first, second) | Node::Add(first, second) | Node::Mul(first, second) => {
            vec![first, second]
        }
        Node::Apply(_, args) => args
            .iter()
            .filter_map(|arg| match arg {
                Arg::Term(term) => Some(term),
                Arg::Index(_) => None,
            })
            .collect(),
    }
}

/// Returns the term with another part at a place. Returns the term itself if there is no such
/// place, or if it applies a rule's function.
pub fn with_child(term: &Term, place: usize, part: Term) -> Term {
    let replaced = |parts: &[Term]| {
        let mut parts = parts.to_vec();
        if let Some(slot) = parts.get_mut(place) {
            *slot = Rc::clone(&part);
        }
        parts
    };
    Rc::new(match (&**term, place) {
        (Node::Call(name, parts), _) => Node::Call(Rc::clone(name), replaced(parts)),
        (Node::Reshape(op, sizes, parts), _) => Node::Reshape(*op, sizes.clone(), replaced(parts)),
        (Node::Loop(kind, var, lo, hi, _), 0) => {
            Node::Loop(*kind, var.clone(), lo.clone(), hi.clone(), part)
        }
        (Node::Guard(pred, _), 0) => Node::Guard(pred.clone(), part),
        (Node::Get(_, index), 0) => Node::Get(part, index.clone()),
        (Node::Let(var, _, body), 0) => Node::Let(var.clone(), part, Rc::clone(body)),
        (Node::Let(var, value, _), 1) => Node::Let(var.clone(), Rc::clone(value), part),
        (Node::Add(_, right), 0) => Node::Add(part, Rc::clone(right)),
        (Node::Add(left, _), 1) => Node::Add(Rc::clone(left), part),
        (Node::Mul(_, right), 0) => Node::Mul(part, Rc::clone(right)),
        (Node::Mul(left, _), 1) => Node::Mul(Rc::clone(left), part),
        (
            Node::Var(_)
            | Node::Literal(_)
            | Node::Apply(..)
            | Node::Loop(..)
            | Node::Guard(..)
            | Node::Get(..)
            | Node::Let(..)
            | Node::Add(..)
            | Node::Mul(..),
            _,
        ) => return Rc::clone(term),
    })
}

/// The variable that a term binds in one of its parts.
pub fn binder(term: &Term, place: usize) -> Option<&Var> {
    match &**term {
        Node::Loop(_, var, ..) => Some(var),
        Node::Let(var, ..) if place == 1 => Some(var),
        Node::Let(..)
        | Node::Var(_)
        | Node::Literal(_)
        | Node::Call(..)
        | Node::Guard(..)
        | Node::Get(..)
        | Node::Add(..)
        | Node::Mul(..)
        | Node::Reshape(..)
        | Node::Apply(..) => None,
    }
}

/// The number of nodes of a term.
pub fn size(term: &Term) -> usize {
    1 + children(term).into_iter().map(size).sum::<usize>()
}

/// Calls `visit` with every free variable, once for each occurrence.
pub fn free_variables(term: &Term, visit: &mut dyn FnMut(&Var)) {
    fn go(term: &Term, bound: &mut Vec<Var>, visit: &mut dyn FnMut(&Var)) {
        let mut see = |var: &Var, bound: &[Var]| {
            if !bound.contains(var) {
                visit(var);
            }
        };
        match &**term {
            Node::Var(var) => see(var, bound),
            Node::Literal(_) | Node::Call(..) | Node::Let(..) | Node::Add(..) | Node::Mul(..) => {}
            Node::Loop(_, _, lo, hi, _) => {
                lo.variables(&mut |var| see(var, bound));
                hi.variables(&mut |var| see(var, bound));
            }
            Node::Guard(pred, _) => pred.variables(&mut |var| see(var, bound)),
            Node::Get(_, index) => index.variables(&mut |var| see(var, bound)),
            Node::Reshape(_, sizes, _) => {
                for size in sizes {
                    size.variables(&mut |var| see(var, bound));
                }
            }
            Node::Apply(var, args) => {
                see(var, bound);
                for arg in args {
                    if let Arg::Index(index) = arg {
                        index.variables(&mut |var| see(var, bound));
                    }
                }
            }
        }
        for (place, child) in children(term).into_iter().enumerate() {
            let bound_here = binder(term, place).cloned();
            let depth = bound.len();
            bound.extend(bound_here);
            go(child, bound, visit);
            bound.truncate(depth);
        }
    }
    go(term, &mut Vec::new(), visit);
}

/// True if a variable occurs free.
pub fn mentions(term: &Term, var: &Var) -> bool {
    let mut found = false;
    free_variables(term, &mut |other| found |= other == var);
    found
}

/// True if two terms are alpha-equivalent: they differ at most in bound variables. Applications of
/// rules' functions count as different, unless they are the same node.
pub fn equal(a: &Term, b: &Term) -> bool {
    same(a, b, &mut Vec::new())
}

#[expect(clippy::many_single_char_names, reason = "two of everything, side by side")]
fn same(a: &Term, b: &Term, bound: &mut Vec<(Var, Var)>) -> bool {
    if bound.is_empty() && Rc::ptr_eq(a, b) {
        return true;
    }
    let same_var = |x: &Var, y: &Var| {
        bound.iter().rev().find(|(p, q)| p == x || q == y).map_or(x == y, |(p, q)| p == x && q == y)
    };
    let same_index = |x: &Index, y: &Index| index_equal(x, y, &same_var);
    let shallow = match (&**a, &**b) {
        (Node::Var(x), Node::Var(y)) => same_var(x, y),
        (Node::Literal(x), Node::Literal(y)) => x == y,
        (Node::Call(f, x), Node::Call(g, y)) => f == g && x.len() == y.len(),
        (Node::Loop(k, _, lo, hi, _), Node::Loop(l, _, lo2, hi2, _)) => {
            k == l && same_index(lo, lo2) && same_index(hi, hi2)
        }
        (Node::Guard(p, _), Node::Guard(q, _)) => pred_equal(p, q, &same_var),
        (Node::Get(_, i), Node::Get(_, j)) => same_index(i, j),
        (Node::Let(..), Node::Let(..))
        | (Node::Add(..), Node::Add(..))
        | (Node::Mul(..), Node::Mul(..)) => true,
        (Node::Reshape(f, s, _), Node::Reshape(g, t, _)) => {
            f == g && s.len() == t.len() && s.iter().zip(t).all(|(x, y)| same_index(x, y))
        }
        (
            Node::Var(_)
            | Node::Literal(_)
            | Node::Call(..)
            | Node::Loop(..)
            | Node::Guard(..)
            | Node::Get(..)
            | Node::Let(..)
            | Node::Add(..)
            | Node::Mul(..)
            | Node::Reshape(..)
            | Node::Apply(..),
            _,
        ) => false,
    };
    if !shallow {
        return false;
    }
    for (place, (x, y)) in children(a).into_iter().zip(children(b)).enumerate() {
        let pair = binder(a, place).cloned().zip(binder(b, place).cloned());
        let depth = bound.len();
        bound.extend(pair);
        let agrees = same(x, y, bound);
        bound.truncate(depth);
        if !agrees {
            return false;
        }
    }
    true
}

#[expect(clippy::many_single_char_names, reason = "two of everything, side by side")]
fn index_equal(a: &Index, b: &Index, same_var: &dyn Fn(&Var, &Var) -> bool) -> bool {
    match (a, b) {
        (Index::Num(x), Index::Num(y)) => x == y,
        (Index::Var(x), Index::Var(y)) => same_var(x, y),
        (Index::Op(f, x), Index::Op(g, y)) => {
            f == g && index_equal(&x.0, &y.0, same_var) && index_equal(&x.1, &y.1, same_var)
        }
        (Index::Num(_) | Index::Var(_) | Index::Op(..), _) => false,
    }
}

#[expect(clippy::many_single_char_names, reason = "two of everything, side by side")]
fn pred_equal(a: &Pred, b: &Pred, same_var: &dyn Fn(&Var, &Var) -> bool) -> bool {
    match (a, b) {
        (Pred::Known(x), Pred::Known(y)) => x == y,
        (Pred::Compare(c, x, y), Pred::Compare(d, z, w)) => {
            c == d && index_equal(x, z, same_var) && index_equal(y, w, same_var)
        }
        (Pred::And(x), Pred::And(y)) => {
            pred_equal(&x.0, &y.0, same_var) && pred_equal(&x.1, &y.1, same_var)
        }
        (Pred::Var(x), Pred::Var(y)) => same_var(x, y),
        (Pred::Known(_) | Pred::Compare(..) | Pred::And(_) | Pred::Var(_), _) => false,
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
