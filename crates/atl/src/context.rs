//! The facts known at a place of a program: ranges of loop variables, guards that hold, and
//! definitions of names.

use halidom_base::FxHashMap;

use crate::term::{Index, Loop, Node, Pred, Reshape, Sort, Term, Var};

/// The dimensions of a tensor, followed by an unknown shape if there is one.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Shape {
    /// Known dimensions.
    pub dims: Vec<Index>,
    /// An unknown shape.
    pub rest: Option<Var>,
}

impl Shape {
    /// Returns the shape with one more dimension in front.
    #[must_use]
    pub fn behind(mut self, size: Index) -> Self {
        self.dims.insert(0, size);
        self
    }
}

/// A known fact.
#[derive(Clone, Debug)]
pub enum Fact {
    /// A loop variable and its range.
    Range(Var, Index, Index),
    /// A guard that holds, or a condition of the program on its sizes.
    Holds(Pred),
    /// The definition of a variable by a `let`.
    Is(Var, Term),
    /// A variable without any known property.
    Any(Var),
}

/// Facts, outermost first, and the shapes of the tensors in scope.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The facts.
    pub facts: Vec<Fact>,
    /// The shapes of inputs and of `let` variables, by the variable's number.
    pub shapes: FxHashMap<u32, Shape>,
}

impl Context {
    /// Returns the context inside a part of a term: the facts here, and those that the term adds.
    #[must_use]
    pub fn enter(&self, term: &Term, place: usize) -> Self {
        let mut inner = self.clone();
        match (&**term, place) {
            (Node::Loop(_, var, lo, hi, _), _) => {
                inner.facts.push(Fact::Range(var.clone(), lo.clone(), hi.clone()));
            }
            (Node::Guard(pred, _), _) => inner.facts.push(Fact::Holds(pred.clone())),
            (Node::Let(var, value, _), 1) => {
                if let Some(shape) = self.shape(value) {
                    inner.shapes.insert(var.id, shape);
                }
                inner.facts.push(Fact::Is(var.clone(), Term::clone(value)));
            }
            (
                Node::Let(..)
                | Node::Var(_)
                | Node::Literal(_)
                | Node::Call(..)
                | Node::Get(..)
                | Node::Add(..)
                | Node::Mul(..)
                | Node::Reshape(..)
                | Node::Apply(..),
                _,
            ) => {}
        }
        inner
    }

    /// Returns the context with another fact.
    #[must_use]
    pub fn with(&self, fact: Fact) -> Self {
        let mut inner = self.clone();
        inner.facts.push(fact);
        inner
    }

    /// The dimensions of a term. `None` if they cannot be determined (a rule's function, a read of
    /// a tensor without known dimensions).
    pub fn shape(&self, term: &Term) -> Option<Shape> {
        match &**term {
            Node::Var(var) => match self.shapes.get(&var.id) {
                Some(shape) => Some(shape.clone()),
                None => (var.sort == Sort::Tensor(crate::term::Rank::SCALAR)).then(Shape::default),
            },
            Node::Literal(_) | Node::Call(..) | Node::Mul(..) => Some(Shape::default()),
            Node::Loop(Loop::Gen, _, lo, hi, body) => {
                Some(self.enter(term, 0).shape(body)?.behind(length(lo, hi)))
            }
            Node::Loop(Loop::Sum, .., body) | Node::Guard(_, body) => {
                self.enter(term, 0).shape(body)
            }
            Node::Let(_, _, body) => self.enter(term, 1).shape(body),
            Node::Get(tensor, _) => {
                let mut shape = self.shape(tensor)?;
                if shape.dims.is_empty() {
                    return None;
                }
                shape.dims.remove(0);
                Some(shape)
            }
            Node::Add(left, _) => self.shape(left),
            Node::Reshape(op, sizes, parts) => {
                let mut inner = self.shape(parts.first()?)?;
                let at_least = |shape: &Shape, count: usize| shape.dims.len() >= count;
                match (op, sizes.as_slice()) {
                    (Reshape::Transpose, _) if at_least(&inner, 2) => inner.dims.swap(0, 1),
                    (Reshape::Flatten, [n, m]) if at_least(&inner, 2) => {
                        inner.dims.splice(0..2, [n.clone().times(m.clone())]);
                    }
                    (Reshape::Split, [n, k]) if at_least(&inner, 1) => {
                        let blocks = Index::exact(crate::term::Arith::Ceil, n.clone(), k.clone());
                        inner.dims.splice(0..1, [blocks, k.clone()]);
                    }
                    (Reshape::Concat | Reshape::PadR | Reshape::PadL, [n, m])
                        if at_least(&inner, 1) =>
                    {
                        inner.dims[0] = n.clone().plus(m.clone());
                    }
                    (Reshape::TruncR, [k]) | (Reshape::TruncL, [_, k]) if at_least(&inner, 1) => {
                        inner.dims[0] = k.clone();
                    }
                    (
                        Reshape::Transpose
                        | Reshape::Flatten
                        | Reshape::Split
                        | Reshape::Concat
                        | Reshape::PadR
                        | Reshape::PadL
                        | Reshape::TruncR
                        | Reshape::TruncL,
                        _,
                    ) => return None,
                }
                Some(inner)
            }
            Node::Apply(..) => None,
        }
    }
}

/// The number of integers in `lo .. hi`, provided that `lo <= hi`.
pub fn length(lo: &Index, hi: &Index) -> Index {
    if *lo == Index::Num(0) { hi.clone() } else { hi.clone().minus(lo.clone()) }
}
