//! The laws of arithmetic that a loop nest relies on. The nest adds the parts of sums to their
//! cells one at a time.

use super::is_pure;
use crate::rules::Law;
use crate::term::{Loop, Node, Rank, Term, rank};

/// The contents of a cell when a term's element is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    /// Zero.
    Empty,
    /// A partial sum. The element is its next part.
    Partial,
}

/// The laws by which the loop nest of a term computes the term. Every store adds to a cell that
/// begins at zero. If a sum (or an addition of several statements) is itself a part of a sum, its
/// parts are added one by one, which rearranges the addition.
pub fn laws(term: &Term) -> Vec<Law> {
    let mut laws = vec![Law::ZeroAdds];
    if rearranges(term, Cell::Empty) {
        laws.push(Law::AdditionRearranges);
    }
    laws
}

fn rearranges(term: &Term, cell: Cell) -> bool {
    if rank(term) == Rank::SCALAR && is_pure(term) {
        return false;
    }
    match &**term {
        Node::Loop(Loop::Sum, .., body) => cell == Cell::Partial || rearranges(body, Cell::Partial),
        Node::Add(left, right) => {
            cell == Cell::Partial || rearranges(left, cell) || rearranges(right, Cell::Partial)
        }
        Node::Loop(Loop::Gen, .., body) | Node::Guard(_, body) => rearranges(body, cell),
        Node::Let(_, value, body) => rearranges(value, Cell::Empty) || rearranges(body, cell),
        // Every cell gets an element of one part only.
        Node::Reshape(_, _, parts) => parts.iter().any(|part| rearranges(part, cell)),
        Node::Var(_)
        | Node::Literal(_)
        | Node::Call(..)
        | Node::Get(..)
        | Node::Mul(..)
        | Node::Apply(..) => false,
    }
}
