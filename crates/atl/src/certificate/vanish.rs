//! Proves that elements of a tensor are zero: truncation cuts off nothing else.

use super::lowering::{Lowering, holes};
use super::scope::Form;
use crate::codes;
use crate::engine::Refusal;
use crate::prover::Goal;
use crate::term::{Arith, Compare, Index, Loop, Node, Pred, Reshape, Sort, Term, Var};

impl Lowering<'_, '_> {
    /// A proof that the rows `lo .. hi` of a tensor are zero.
    pub(crate) fn beyond(
        &mut self,
        term: &Term,
        lo: &Index,
        hi: &Index,
        op: Reshape,
    ) -> Result<String, Refusal> {
        let row = self.row();
        let pred = Pred::range(lo.clone(), Index::Var(row.clone()), hi.clone());
        let rows = Rows { params: vec![row], facts: vec![(pred, "H".to_owned())] };
        self.vanish(term, &rows).map_err(|open| {
            let name = op.name();
            let message =
                format!("what `{name}` cuts off may not be zero: `{open}` is not known to be");
            Refusal::new(codes::NOT_LOWERED, message)
                .with_hint("keep a guard in the part that is cut off, or unfold the operator")
        })
    }

    /// A proof that some elements of a tensor are zero. If it is not shown, the part that may not
    /// be zero.
    fn vanish(&mut self, term: &Term, rows: &Rows) -> Result<String, String> {
        let mark = self.scope.mark();
        let proof = self.vanish_here(term, rows);
        self.scope.leave(mark);
        proof
    }

    fn vanish_here(&mut self, term: &Term, rows: &Rows) -> Result<String, String> {
        let params = &rows.params;
        if params.is_empty()
            && matches!(&**term, Node::Reshape(..))
            && let Some(proof) = self.contradiction(rows, &Goal::Absurd)
        {
            return Ok(format!("(vanish_absurd{} {proof})", holes(3)));
        }
        match &**term {
            Node::Loop(Loop::Gen, var, lo, hi, body) => {
                let plain = *lo == Index::Num(0);
                let here = Index::Var(var.clone());
                let place = if plain { here } else { here.minus(lo.clone()) };
                let (name, hypothesis) = self.scope.range(var, lo, hi);
                // Nothing is claimed about the places in dimensions without a parameter.
                let inner = match params.first() {
                    Some(param) => rows.with(param, &place, &[]),
                    None => rows.clone(),
                };
                let proof = self.vanish(body, &inner)?;
                let lemma = if plain {
                    format!("vanish_gen0{}", holes(4))
                } else {
                    format!("vanish_gen{}", holes(5))
                };
                Ok(format!("({lemma} (fun {name} {hypothesis} => {proof}))"))
            }
            Node::Loop(Loop::Sum, var, lo, hi, body) => {
                let (name, hypothesis) = self.scope.range(var, lo, hi);
                let proof = self.vanish(body, rows)?;
                Ok(format!("(vanish_sum{} (fun {name} {hypothesis} => {proof}))", holes(5)))
            }
            Node::Guard(pred, body) => {
                if params.is_empty()
                    && let Some(proof) = self.contradiction(rows, &Goal::Never(pred.clone()))
                {
                    return Ok(format!("(vanish_guard_false{} {proof})", holes(4)));
                }
                let hypothesis = self.scope.guard(pred);
                let proof = self.vanish(body, rows)?;
                Ok(format!("(vanish_guard{} (fun {hypothesis} => {proof}))", holes(4)))
            }
            Node::Add(left, right) => {
                let (left, right) = (self.vanish(left, rows)?, self.vanish(right, rows)?);
                Ok(format!("(vanish_add{} {left} {right})", holes(4)))
            }
            Node::Mul(left, right) => match self.vanish(left, rows) {
                Ok(proof) => Ok(format!("(vanish_mul_left{} {proof})", holes(3))),
                Err(_) => {
                    Ok(format!("(vanish_mul_right{} {})", holes(3), self.vanish(right, rows)?))
                }
            },
            Node::Let(var, value, body) => {
                let (name, hypothesis) = self.scope.binding(var, value);
                let proof = self.vanish(body, rows)?;
                Ok(format!("(vanish_let{} (fun {name} {hypothesis} => {proof}))", holes(5)))
            }
            Node::Reshape(op, sizes, parts) => self.vanish_reshaped(term, *op, sizes, parts, rows),
            Node::Literal(text) if &**text == "0" => Ok("(vanish_zero _ _)".to_owned()),
            Node::Var(_) | Node::Literal(_) | Node::Call(..) | Node::Get(..) | Node::Apply(..) => {
                if params.is_empty()
                    && let Some(proof) = self.contradiction(rows, &Goal::Absurd)
                {
                    return Ok(format!("(vanish_absurd{} {proof})", holes(3)));
                }
                Err(crate::engine::shortened(term))
            }
        }
    }

    fn vanish_reshaped(
        &mut self,
        term: &Term,
        op: Reshape,
        sizes: &[Index],
        parts: &[Term],
        rows: &Rows,
    ) -> Result<String, String> {
        let params = &rows.params;
        match (op, sizes) {
            (Reshape::Transpose, _) => {
                let (i, j) = (self.row(), self.row());
                let mut inner = rows.clone();
                inner.params = vec![i.clone(), j.clone()];
                if let Some(first) = params.first() {
                    inner.substitute(first, &Index::Var(j));
                }
                if let Some(second) = params.get(1) {
                    inner.substitute(second, &Index::Var(i));
                }
                inner.params.extend(params.iter().skip(2).cloned());
                let proof = self.vanish(&parts[0], &inner)?;
                Ok(format!("(vanish_transpose{} {proof})", holes(3)))
            }
            (Reshape::Flatten, [_, m]) if !params.is_empty() => {
                let positive = self.positive(m)?;
                let (i, j) = (self.row(), self.row());
                let place = Index::Var(i.clone()).times(m.clone()).plus(Index::Var(j.clone()));
                let mut inner = rows.with(&params[0], &place, &[i, j.clone()]);
                inner.also(Pred::range(Index::Num(0), Index::Var(j), m.clone()));
                let proof = self.vanish(&parts[0], &inner)?;
                Ok(format!("(vanish_flatten{} {positive} {proof})", holes(5)))
            }
            (Reshape::Split, [n, k]) if params.len() >= 2 => {
                let positive = self.positive(k)?;
                let x = self.row();
                let here = Index::Var(x.clone());
                let mut inner = rows.clone();
                inner.substitute(&params[0], &Index::exact(Arith::Div, here.clone(), k.clone()));
                inner.substitute(&params[1], &Index::exact(Arith::Mod, here.clone(), k.clone()));
                inner.params = std::iter::once(x).chain(params.iter().skip(2).cloned()).collect();
                inner.also(Pred::range(Index::Num(0), here, n.clone()));
                let proof = self.vanish(&parts[0], &inner)?;
                Ok(format!("(vanish_split{} {positive} {proof})", holes(5)))
            }
            (Reshape::TruncR, _) => {
                let proof = self.vanish(&parts[0], rows)?;
                Ok(format!("(vanish_trunc_r{} {proof})", holes(4)))
            }
            (Reshape::TruncL | Reshape::PadR | Reshape::PadL, [n, k]) if !params.is_empty() => {
                let row = self.row();
                let here = Index::Var(row.clone());
                let cut = n.clone().minus(k.clone());
                let (place, first) = if op == Reshape::TruncL {
                    (here.clone().minus(cut.clone()), cut)
                } else if op == Reshape::PadL {
                    (here.clone().plus(k.clone()), Index::Num(0))
                } else {
                    (here.clone(), Index::Num(0))
                };
                let mut inner = rows.with(&params[0], &place, &[row]);
                inner.also(Pred::range(first, here, n.clone()));
                let proof = self.vanish(&parts[0], &inner)?;
                Ok(format!("(vanish_{}{} {proof})", op.name(), holes(5)))
            }
            (Reshape::Concat, [n, m]) if !params.is_empty() => {
                let mut proofs = Vec::new();
                for (part, size, offset) in [(&parts[0], n, None), (&parts[1], m, Some(n))] {
                    let row = self.row();
                    let here = Index::Var(row.clone());
                    let place =
                        offset.map_or(here.clone(), |offset| here.clone().plus(offset.clone()));
                    let mut inner = rows.with(&params[0], &place, &[row]);
                    inner.also(Pred::range(Index::Num(0), here, size.clone()));
                    proofs.push(self.vanish(part, &inner)?);
                }
                Ok(format!("(vanish_concat{} {})", holes(6), proofs.join(" ")))
            }
            _ => Err(crate::engine::shortened(term)),
        }
    }

    fn row(&self) -> Var {
        self.supply.fresh("row", Sort::Index)
    }

    /// A proof that a size is positive.
    fn positive(&mut self, size: &Index) -> Result<String, String> {
        let goal = Goal::Holds(Pred::Compare(Compare::Lt, Index::Num(0), size.clone()));
        let proof = self.prover.prove(self.context(), &goal).map_err(|failure| failure.open)?;
        Ok(self.scope.goal(&goal, Form::Proposition, &proof))
    }

    /// A proof of a goal from the facts about the rows.
    fn contradiction(&mut self, rows: &Rows, goal: &Goal) -> Option<String> {
        let mark = self.scope.mark();
        for (pred, projection) in &rows.facts {
            self.scope.proposition(pred, projection);
        }
        let proof = self.prover.prove(self.context(), goal);
        let text = proof.ok().map(|proof| self.scope.goal(goal, Form::Boolean, &proof));
        self.scope.leave(mark);
        text.map(|text| format!("(fun _ H => {text})"))
    }
}

/// A set of elements, given by facts about their first indices. With each fact is the projection of
/// its proof from the proof of all facts.
#[derive(Clone)]
struct Rows {
    params: Vec<Var>,
    facts: Vec<(Pred, String)>,
}

impl Rows {
    fn substitute(&mut self, param: &Var, by: &Index) {
        let subst = crate::subst::Subst::new().index(param, by.clone());
        for (pred, _) in &mut self.facts {
            *pred = subst.on_pred(pred);
        }
    }

    /// Returns the rows with the first parameter replaced by an expression over new ones.
    fn with(&self, param: &Var, by: &Index, new: &[Var]) -> Self {
        let mut rows = self.clone();
        rows.substitute(param, by);
        rows.params = new.iter().chain(self.params.iter().skip(1)).cloned().collect();
        rows
    }

    /// Adds a fact in front.
    fn also(&mut self, pred: Pred) {
        for (_, projection) in &mut self.facts {
            *projection = projection.replace('H', "(proj2 H)");
        }
        self.facts.push((pred, "(proj1 H)".to_owned()));
    }
}
