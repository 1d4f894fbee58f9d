//! Lowers terms to loop nests.
//!
//! A loop nest adds to arrays of zeros. It has so few constructs that a few lines print it as C,
//! here and in the certificate's library, which compares the two. The certificate proves that a
//! nest computes its term, by the terms that [`crate::certificate`] writes along this module's
//! rules.

mod c;
mod entry;
mod laws;
mod normal;
mod printer;

use std::rc::Rc;

pub(crate) use c::is_reserved as is_reserved_in_c;
pub use c::{Interface, c_function_name, function, prelude, unit};
pub use entry::UncheckedDivisor;
pub use laws::laws;
pub use normal::{is_pure, normalize};

use crate::term::{Index, Node, Pred, Term, Var};

/// A scalar of a loop nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// The semiring's zero.
    Zero,
    /// The semiring's one.
    One,
    /// An array's element.
    Load(Var, Vec<Index>),
    /// A sum.
    Add(Box<(Scalar, Scalar)>),
    /// A product.
    Mul(Box<(Scalar, Scalar)>),
    /// The scalar, or zero if the predicate does not hold. In that case nothing is read.
    When(Pred, Box<Scalar>),
    /// A function or literal, by its C name.
    Apply(String, Vec<Scalar>),
}

/// A statement of a loop nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Adds a scalar to an element.
    Store(Var, Vec<Index>, Scalar),
    /// One statement after another.
    Seq(Box<(Stmt, Stmt)>),
    /// A loop.
    For(Var, Index, Index, Box<Stmt>),
    /// A statement that is executed if the predicate holds.
    If(Pred, Box<Stmt>),
    /// An array of zeros with its shape, which exists while the body runs.
    New(Var, Vec<Index>, Box<Stmt>),
}

/// The destination of a term's elements: an array, and its indices as functions of the term's
/// indices.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub(crate) array: Var,
    /// One parameter for each dimension of the term.
    pub(crate) shape: Vec<Index>,
    /// One for each dimension of the term.
    pub(crate) params: Vec<Var>,
    pub(crate) indices: Vec<Index>,
}

impl Destination {
    /// Returns the destination with its first `replaced` parameters replaced by the indices `by`,
    /// which use the `new` parameters.
    pub(crate) fn with(&self, replaced: usize, by: &[Index], new: &[Var]) -> Self {
        let mut subst = crate::subst::Subst::new();
        for (param, index) in self.params.iter().zip(by) {
            subst.set_index(param, index.clone());
        }
        let params = new.iter().chain(self.params.iter().skip(replaced)).cloned().collect();
        Self {
            array: self.array.clone(),
            shape: self.shape.clone(),
            params,
            indices: self.indices.iter().map(|index| subst.on_index(index)).collect(),
        }
    }
}

/// The array element that a term reads: the variable and all its indices. `None` if the term is not
/// such a read.
pub(crate) fn element(term: &Term) -> Option<(Var, Vec<Index>)> {
    let mut indices = Vec::new();
    let mut here = Rc::clone(term);
    while let Node::Get(tensor, index) = &*here {
        indices.push(index.clone());
        let tensor = Rc::clone(tensor);
        here = tensor;
    }
    indices.reverse();
    match &*here {
        Node::Var(var)
            if var.rank().base.is_none() && var.rank().plus as usize == indices.len() =>
        {
            Some((var.clone(), indices))
        }
        Node::Var(_)
        | Node::Literal(_)
        | Node::Call(..)
        | Node::Loop(..)
        | Node::Guard(..)
        | Node::Let(..)
        | Node::Get(..)
        | Node::Add(..)
        | Node::Mul(..)
        | Node::Reshape(..)
        | Node::Apply(..) => None,
    }
}
