//! The proof that no two iterations of a marked loop touch the same element of an array, one of
//! them by a write: a term of the type `apart` of `coq/Parallel.v`.
//!
//! It goes through the accesses of one iteration, and for each of them through those of another.
//! If both may denote the same element, the facts about the two iterations must contradict that
//! their indices are equal.

use super::scope::{Form, Scope};
use crate::codes;
use crate::engine::{Refusal, Traversal};
use crate::lower::{Scalar, Stmt};
use crate::names::Names;
use crate::prover::{Goal, Prover};
use crate::subst::Subst;
use crate::term::{Compare, Index, Pred, Supply, Var};
use halidom_base::IndexMap;

/// The name of a loop's variable in C, and the line before the loop.
pub(crate) type Mark = (String, &'static str);

/// The line of C before a loop that runs in an order of its own, if it has one.
fn line(traversal: Traversal) -> Option<&'static str> {
    match traversal {
        Traversal::Parallel => Some("#pragma omp parallel for"),
        Traversal::Vectorized => Some("#pragma omp simd"),
        Traversal::Unrolled => None,
    }
}

/// The marks of a nest's loops. `names` has the names of C's parameters.
pub(crate) fn marks(
    nest: &Stmt,
    traversals: &IndexMap<String, Traversal>,
    names: &mut Names,
) -> Vec<Mark> {
    let mut all = Vec::new();
    collect(nest, traversals, names, &mut all);
    all
}

fn collect(
    nest: &Stmt,
    traversals: &IndexMap<String, Traversal>,
    names: &mut Names,
    all: &mut Vec<Mark>,
) {
    let depth = names.depth();
    match nest {
        Stmt::Store(..) => {}
        Stmt::Seq(parts) => {
            collect(&parts.0, traversals, names, all);
            collect(&parts.1, traversals, names, all);
        }
        Stmt::For(var, _, _, body) => {
            let name = names.bind(var);
            let line = traversals.get(&*var.name).copied().and_then(line);
            if let Some(line) = line
                && !all.iter().any(|(known, _)| *known == name)
            {
                all.push((name, line));
            }
            collect(body, traversals, names, all);
        }
        Stmt::If(_, body) => collect(body, traversals, names, all),
        Stmt::New(array, _, body) => {
            names.bind(array);
            collect(body, traversals, names, all);
        }
    }
    names.leave(depth);
}

/// An access: the array, the place, and true for a write.
#[derive(Clone)]
struct Access {
    array: Var,
    indices: Vec<Index>,
    writes: bool,
    /// The arrays that the iteration makes around this access, outermost first.
    own: Vec<Var>,
}

/// A proof about an access in the present scope.
type About<'a, 'p> = &'a mut dyn FnMut(&mut Proofs<'_, 'p>, &Access) -> Result<String, Refusal>;

/// The writer of the proof.
pub(super) struct Proofs<'s, 'p> {
    pub(super) scope: &'s mut Scope<'p>,
    pub(super) prover: &'p Prover,
    pub(super) supply: &'p Supply,
    pub(super) marks: &'s [Mark],
    /// The names of C, in step with the nest.
    pub(super) names: Names,
}

impl<'p> Proofs<'_, 'p> {
    /// The proof for a statement.
    pub(super) fn apart(&mut self, stmt: &Stmt) -> Result<String, Refusal> {
        let mark = self.scope.mark();
        let depth = self.names.depth();
        let text = match stmt {
            Stmt::Store(..) => "I".to_owned(),
            Stmt::Seq(parts) => {
                format!("(conj {} {})", self.apart(&parts.0)?, self.apart(&parts.1)?)
            }
            Stmt::For(var, lo, hi, body) => {
                let name = self.names.bind(var);
                let pairs = if self.marks.iter().any(|(known, _)| *known == name) {
                    self.pairs(var, lo, hi, body)?
                } else {
                    "(not_marked _)".to_owned()
                };
                let (name, proof) = self.scope.range(var, lo, hi);
                let inner = self.apart(body)?;
                format!("(conj {pairs} (fun {name} {proof} => {inner}))")
            }
            Stmt::If(pred, body) => {
                let proof = self.scope.guard(pred);
                format!("(fun {proof} => {})", self.apart(body)?)
            }
            Stmt::New(array, _, body) => {
                self.names.bind(array);
                self.apart(body)?
            }
        };
        self.names.leave(depth);
        self.scope.leave(mark);
        Ok(text)
    }

    /// The proof that two iterations are separate, the first before the second.
    fn pairs(&mut self, var: &Var, lo: &Index, hi: &Index, body: &Stmt) -> Result<String, Refusal> {
        let mark = self.scope.mark();
        let (first, second) =
            (self.supply.fresh(&var.name, var.sort), self.supply.fresh(&var.name, var.sort));
        let (i, i_proof) = self.scope.range(&first, lo, hi);
        let (j, j_proof) = self.scope.range(&second, lo, hi);
        let order = self.scope.writer.names.take("Hless");
        let less =
            Pred::Compare(Compare::Lt, Index::Var(first.clone()), Index::Var(second.clone()));
        self.scope.proposition(&less, &format!("({order})"));
        let here = Subst::new().index(var, Index::Var(first));
        let there = Subst::new().index(var, Index::Var(second));
        let proof = self.touches(body, &here, &mut Vec::new(), &mut |proofs, one| {
            proofs.touches(body, &there, &mut Vec::new(), &mut |proofs, other| {
                proofs.meeting(var, one, other)
            })
        })?;
        self.scope.leave(mark);
        Ok(format!("(fun _ {i} {j} {i_proof} {j_proof} {order} => {proof})"))
    }

    /// The proof of a claim about every access of a statement.
    fn touches(
        &mut self,
        stmt: &Stmt,
        subst: &Subst,
        own: &mut Vec<Var>,
        about: About<'_, 'p>,
    ) -> Result<String, Refusal> {
        let mark = self.scope.mark();
        let text = match stmt {
            Stmt::Store(array, indices, value) => {
                let access = Access {
                    array: array.clone(),
                    indices: indices.iter().map(|index| subst.on_index(index)).collect(),
                    writes: true,
                    own: own.clone(),
                };
                let write = self.access(&access, about)?;
                format!("(conj {write} {})", self.reads(value, subst, own, about)?)
            }
            Stmt::Seq(parts) => {
                let first = self.touches(&parts.0, subst, own, about)?;
                format!("(conj {first} {})", self.touches(&parts.1, subst, own, about)?)
            }
            Stmt::For(var, lo, hi, body) => {
                let copy = self.supply.fresh(&var.name, var.sort);
                let (lo, hi) = (subst.on_index(lo), subst.on_index(hi));
                let (name, proof) = self.scope.range(&copy, &lo, &hi);
                let mut inner = subst.clone();
                inner.set_index(var, Index::Var(copy));
                let body = self.touches(body, &inner, own, about)?;
                format!("(fun {name} {proof} => {body})")
            }
            Stmt::If(pred, body) => {
                let proof = self.scope.guard(&subst.on_pred(pred));
                format!("(fun {proof} => {})", self.touches(body, subst, own, about)?)
            }
            Stmt::New(array, _, body) => {
                own.push(array.clone());
                let body = self.touches(body, subst, own, about)?;
                own.pop();
                body
            }
        };
        self.scope.leave(mark);
        Ok(text)
    }

    fn reads(
        &mut self,
        scalar: &Scalar,
        subst: &Subst,
        own: &[Var],
        about: About<'_, 'p>,
    ) -> Result<String, Refusal> {
        match scalar {
            Scalar::Zero | Scalar::One => Ok("I".to_owned()),
            Scalar::Load(array, indices) => {
                let access = Access {
                    array: array.clone(),
                    indices: indices.iter().map(|index| subst.on_index(index)).collect(),
                    writes: false,
                    own: own.to_vec(),
                };
                self.access(&access, about)
            }
            Scalar::Add(parts) | Scalar::Mul(parts) => {
                let first = self.reads(&parts.0, subst, own, about)?;
                Ok(format!("(conj {first} {})", self.reads(&parts.1, subst, own, about)?))
            }
            Scalar::When(pred, value) => {
                let mark = self.scope.mark();
                let proof = self.scope.guard(&subst.on_pred(pred));
                let value = self.reads(value, subst, own, about)?;
                self.scope.leave(mark);
                Ok(format!("(fun {proof} => {value})"))
            }
            Scalar::Apply(_, parts) => match parts.as_slice() {
                [] => Ok("I".to_owned()),
                [only] => self.reads(only, subst, own, about),
                [first, rest @ ..] => {
                    let mut text = self.reads(first, subst, own, about)?;
                    for part in rest {
                        text = format!("(conj {text} {})", self.reads(part, subst, own, about)?);
                    }
                    Ok(text)
                }
            },
        }
    }

    /// The proof of a claim about an access, or that its array belongs to the iteration.
    fn access(&mut self, access: &Access, about: About<'_, 'p>) -> Result<String, Refusal> {
        let mut shared = String::new();
        for own in access.own.iter().rev() {
            if *own == access.array {
                return Ok(format!("{shared}(or_introl eq_refl){}", closing(&shared)));
            }
            shared.push_str("(or_intror ");
        }
        let proof = about(self, access)?;
        let end = closing(&shared);
        Ok(format!("{shared}{proof}{end}"))
    }

    /// The proof that two accesses do not meet.
    fn meeting(&mut self, var: &Var, one: &Access, other: &Access) -> Result<String, Refusal> {
        if one.array != other.array || !(one.writes || other.writes) {
            return Ok("(not_marked _)".to_owned());
        }
        let mark = self.scope.mark();
        let same = self.scope.writer.names.take("Hsame");
        let mut rest = same.clone();
        for (a, b) in one.indices.iter().zip(&other.indices) {
            let equal = Pred::Compare(Compare::Eq, a.clone(), b.clone());
            self.scope.proposition(&equal, &format!("(proj1 {rest})"));
            rest = format!("(proj2 {rest})");
        }
        let proof = self.prover.prove(&self.scope.context, &Goal::Absurd).map_err(|failure| {
            let message = format!(
                "the iterations of `{var}` cannot run at the same time: two of them may touch the \
                 same element of `{}`",
                one.array
            );
            let refusal = Refusal::new(codes::NOT_LOWERED, message);
            match failure.values {
                Some(values) => refusal.with_hint(format!("they do for {values}")),
                None => refusal.with_hint("run the loop in order"),
            }
        })?;
        let text = self.scope.goal(&Goal::Absurd, Form::Boolean, &proof);
        self.scope.leave(mark);
        Ok(format!("(fun _ {same} => {text})"))
    }
}

/// The parentheses that close what `shared` opens.
fn closing(shared: &str) -> String {
    ")".repeat(shared.matches('(').count())
}
