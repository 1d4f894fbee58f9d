//! Normal form. Every part that is computed into an array consists of binders, guards, lets, sums
//! and reshape operators, down to scalars that only read elements. Every change is a proved step.

use std::rc::Rc;

use crate::engine::{Given, Path, Refusal, State};
use crate::term::{Loop, Node, Rank, Reshape, Term, children, rank};

use super::element;

/// True if one expression can compute a scalar.
pub fn is_pure(term: &Term) -> bool {
    match &**term {
        Node::Var(_) | Node::Get(..) => element(term).is_some(),
        Node::Literal(_) => true,
        Node::Call(..) | Node::Add(..) | Node::Mul(..) | Node::Guard(..) => {
            rank(term) == Rank::SCALAR && children(term).into_iter().all(is_pure)
        }
        Node::Loop(..) | Node::Let(..) | Node::Reshape(..) | Node::Apply(..) => false,
    }
}

/// Brings the whole program into normal form.
///
/// # Errors
/// A step that normal form needs was refused.
pub fn normalize(state: &mut State<'_>) -> Result<(), Refusal> {
    "(normal form)".clone_into(&mut state.command);
    statement(state, &Vec::new())
}

fn inner(path: &Path, place: usize) -> Path {
    let mut path = path.clone();
    path.push(place);
    path
}

fn statement(state: &mut State<'_>, path: &Path) -> Result<(), Refusal> {
    let term = state.part(path);
    if rank(&term) == Rank::SCALAR {
        return scalar(state, path);
    }
    match &*term {
        Node::Loop(..) | Node::Guard(..) => statement(state, &inner(path, 0)),
        Node::Let(..) => {
            statement(state, &inner(path, 0))?;
            statement(state, &inner(path, 1))
        }
        Node::Reshape(op, ..) => {
            let parts = if *op == Reshape::Concat { 2 } else { 1 };
            (0..parts).try_for_each(|place| statement(state, &inner(path, place)))
        }
        Node::Add(left, right) => {
            // The sum is elementwise if both sides are cheap to read. If they are computed, they
            // are added one after the other.
            let bounds = |term: &Term| match &**term {
                Node::Loop(Loop::Gen, _, lo, hi, _) => Some((lo.clone(), hi.clone())),
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
            };
            if bounds(left).is_some() && bounds(left) == bounds(right) {
                state.apply(path, "add_gen", false, &Given::default())?;
                return statement(state, path);
            }
            if is_read(left)
                && is_read(right)
                && state.apply(path, "add_eta", false, &Given::default()).is_ok()
            {
                state.reduce(path)?;
                return statement(state, path);
            }
            statement(state, &inner(path, 0))?;
            statement(state, &inner(path, 1))
        }
        Node::Var(_) | Node::Get(..) => {
            let reduced = state.reduce(path)?;
            if reduced > 0 {
                return statement(state, path);
            }
            if let Some(at) = computed_root(state, path) {
                state.name_part(path, &at, "tmp")?;
                statement(state, &inner(path, 0))?;
                return statement(state, &inner(path, 1));
            }
            state.apply(path, "gen_eta", false, &Given::default())?;
            statement(state, path)
        }
        Node::Literal(_) | Node::Call(..) | Node::Mul(..) | Node::Apply(..) => Ok(()),
    }
}

/// True if a tensor is read from other tensors, element by element.
fn is_read(term: &Term) -> bool {
    match &**term {
        Node::Var(_) => true,
        Node::Get(tensor, _) => is_read(tensor),
        Node::Guard(_, body) => is_read(body),
        Node::Add(left, right) => is_read(left) && is_read(right),
        Node::Loop(..)
        | Node::Literal(_)
        | Node::Call(..)
        | Node::Let(..)
        | Node::Mul(..)
        | Node::Reshape(..)
        | Node::Apply(..) => false,
    }
}

/// The term that a read reads from, unless it is an input or a `let` variable.
fn computed_root(state: &State<'_>, path: &Path) -> Option<Path> {
    let mut at = path.clone();
    loop {
        let term = state.part(&at);
        match &*term {
            Node::Get(..) => at.push(0),
            Node::Var(_) => return None,
            Node::Literal(_)
            | Node::Call(..)
            | Node::Loop(..)
            | Node::Guard(..)
            | Node::Let(..)
            | Node::Add(..)
            | Node::Mul(..)
            | Node::Reshape(..)
            | Node::Apply(..) => return (at.len() > path.len()).then_some(at),
        }
    }
}

fn scalar(state: &mut State<'_>, path: &Path) -> Result<(), Refusal> {
    let term = state.part(path);
    if is_pure(&term) {
        return Ok(());
    }
    match &*term {
        Node::Loop(..) | Node::Guard(..) => statement(state, &inner(path, 0)),
        Node::Let(..) | Node::Add(..) => {
            statement(state, &inner(path, 0))?;
            statement(state, &inner(path, 1))
        }
        Node::Mul(..) | Node::Call(..) => {
            // A part that cannot be computed in place gets a name.
            for (place, part) in children(&term).into_iter().enumerate() {
                if is_pure(part) {
                    continue;
                }
                let at = inner(path, place);
                if state.reduce(&at)? == 0 {
                    let target = first_impure(state, &at);
                    state.name_part(path, &target, "tmp")?;
                }
                return statement(state, path);
            }
            Ok(())
        }
        Node::Get(..) => {
            if state.reduce(path)? == 0
                && let Some(at) = computed_root(state, path)
            {
                state.name_part(path, &at, "tmp")?;
            }
            if Rc::ptr_eq(&state.part(path), &term) {
                return Ok(());
            }
            statement(state, path)
        }
        Node::Var(_) | Node::Literal(_) | Node::Reshape(..) | Node::Apply(..) => Ok(()),
    }
}

/// The smallest part, along operators on scalars, that is not pure.
fn first_impure(state: &State<'_>, path: &Path) -> Path {
    let term = state.part(path);
    match &*term {
        Node::Mul(..) | Node::Call(..) | Node::Add(..) => {
            let place = children(&term).into_iter().position(|part| !is_pure(part));
            place.map_or_else(|| path.clone(), |place| first_impure(state, &inner(path, place)))
        }
        Node::Get(..) => computed_root(state, path).unwrap_or_else(|| path.clone()),
        Node::Var(_)
        | Node::Literal(_)
        | Node::Loop(..)
        | Node::Guard(..)
        | Node::Let(..)
        | Node::Reshape(..)
        | Node::Apply(..) => path.clone(),
    }
}
