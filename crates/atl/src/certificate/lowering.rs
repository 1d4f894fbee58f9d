//! Lowers terms with proofs: each construct gives a statement and the lemma of `coq/Lower.v` that
//! proves it.

use super::scope::{Form, Scope};
use super::text::{c_literal, c_name};
use crate::codes;
use crate::context::Context;
use crate::engine::Refusal;
use crate::lower::{Destination, Scalar, Stmt, element, is_pure};
use crate::prover::{Goal, Prover};
use crate::term::{Arith, Compare, Index, Loop, Node, Pred, Reshape, Sort, Supply, Term, Var};

/// A statement and the term that proves it.
type Lowered = Result<(Stmt, String), Refusal>;

pub(crate) struct Lowering<'l, 'p> {
    pub(crate) scope: &'l mut Scope<'p>,
    pub(crate) prover: &'p Prover,
    pub(crate) supply: &'p Supply,
}

fn holes(count: usize) -> String {
    " _".repeat(count)
}

impl Lowering<'_, '_> {
    fn context(&self) -> &Context {
        &self.scope.context
    }

    /// A proof that a comparison holds. If it is not shown, the reason why the program is not
    /// lowered.
    fn holds(
        &mut self,
        pred: Pred,
        code: halidom_diag::Code,
        why: &str,
    ) -> Result<String, Refusal> {
        let goal = Goal::Holds(pred);
        match self.prover.prove(self.context(), &goal) {
            Ok(proof) => Ok(self.scope.goal(&goal, Form::Proposition, &proof)),
            Err(failure) => {
                let refusal = Refusal::new(
                    code,
                    format!("{why} needs `{}`, which does not follow", failure.open),
                );
                Err(match failure.values {
                    Some(values) => refusal.with_hint(format!("it does not hold for {values}")),
                    None => refusal,
                })
            }
        }
    }

    fn equal(&mut self, a: &Index, b: &Index, why: &str) -> Result<String, Refusal> {
        if a == b {
            return Ok("eq_refl".to_owned());
        }
        self.holds(Pred::Compare(Compare::Eq, a.clone(), b.clone()), codes::NOT_LOWERED, why)
    }

    fn at_least(
        &mut self,
        low: Index,
        high: &Index,
        strict: bool,
        why: &str,
    ) -> Result<String, Refusal> {
        let compare = if strict { Compare::Lt } else { Compare::Le };
        self.holds(Pred::Compare(compare, low, high.clone()), codes::NOT_LOWERED, why)
    }

    fn list(&self, indices: &[Index]) -> String {
        self.scope.writer.sizes(indices, None)
    }

    /// A proof that indices are within a shape.
    fn inside(
        &mut self,
        array: &Var,
        indices: &[Index],
        shape: &[Index],
        what: &str,
    ) -> Result<String, Refusal> {
        let mut text = "inside_nil".to_owned();
        for (index, size) in indices.iter().zip(shape).rev() {
            let pred = Pred::range(Index::Num(0), index.clone(), size.clone());
            let why = format!("{what} `{array}`");
            let proof = self.holds(pred, codes::OUT_OF_BOUNDS, &why)?;
            text = format!("(inside_cons _ _ _ _ {proof} {text})");
        }
        Ok(text)
    }

    /// Brings indices into their simplest form. Also returns a proof that the forms are equal.
    fn simpler(&mut self, indices: &[Index]) -> (Vec<Index>, String) {
        let (mut all, mut proof) = (Vec::new(), "eq_refl".to_owned());
        for index in indices.iter().rev() {
            let simple = crate::engine::simplest(index);
            let pred = Pred::Compare(Compare::Eq, simple.clone(), index.clone());
            let equal = if simple == *index {
                Ok("eq_refl".to_owned())
            } else {
                self.holds(pred, codes::NOT_LOWERED, "an index")
            };
            match equal {
                Ok(equal) => {
                    all.insert(0, simple);
                    proof = format!("(f_equal2 cons {equal} {proof})");
                }
                Err(_) => {
                    all.insert(0, index.clone());
                    proof = format!("(f_equal2 cons eq_refl {proof})");
                }
            }
        }
        if all == indices { (all, "eq_refl".to_owned()) } else { (all, proof) }
    }

    /// Lowers a term of a shape into a destination.
    pub(crate) fn statement(&mut self, term: &Term, dims: &[Index], to: &Destination) -> Lowered {
        let mark = self.scope.mark();
        let lowered = self.construct(term, dims, to);
        self.scope.leave(mark);
        lowered
    }

    fn construct(&mut self, term: &Term, dims: &[Index], to: &Destination) -> Lowered {
        if dims.is_empty() && is_pure(term) && !matches!(&**term, Node::Guard(..)) {
            let (value, proof) = self.scalar(term)?;
            let inside = self.inside(&to.array, &to.indices, &to.shape, "writing")?;
            let js = self.list(&to.indices);
            let (simple, same) = self.simpler(&to.indices);
            let store = Stmt::Store(to.array.clone(), simple, value);
            return Ok((store, format!("(low_scalar{} {js} {proof} {same} {inside})", holes(7))));
        }
        match &**term {
            Node::Loop(Loop::Gen, var, lo, hi, body) => {
                let (size, rest) = dims.split_first().ok_or_else(|| no_dimension(term))?;
                let plain = *lo == Index::Num(0);
                let place = if plain {
                    Index::Var(var.clone())
                } else {
                    Index::Var(var.clone()).minus(lo.clone())
                };
                let inner = to.with(1, &[place], &[]);
                let length = crate::context::length(lo, hi);
                let (start, end) = if plain && *size == length {
                    (format!("(low_gen0{} eq_refl", holes(12)), ")")
                } else {
                    let equal = self.equal(
                        size,
                        &hi.clone().minus(lo.clone()),
                        "the size of a comprehension",
                    )?;
                    (format!("(low_gen{} eq_refl eq_refl {equal}", holes(15)), ")")
                };
                let (name, hypothesis) = self.scope.range(var, lo, hi);
                // `low_gen` uses `i - lo` for every lower bound, 0 included.
                let inner = if plain && *size != length {
                    to.with(1, &[Index::Var(var.clone()).minus(Index::Num(0))], &[])
                } else {
                    inner
                };
                let (body, proof) = self.statement(body, rest, &inner)?;
                let nest = Stmt::For(var.clone(), lo.clone(), hi.clone(), Box::new(body));
                Ok((nest, format!("{start} (fun {name} {hypothesis} => {proof}){end}")))
            }
            Node::Loop(Loop::Sum, var, lo, hi, body) => {
                let (name, hypothesis) = self.scope.range(var, lo, hi);
                let (body, proof) = self.statement(body, dims, to)?;
                let nest = Stmt::For(var.clone(), lo.clone(), hi.clone(), Box::new(body));
                let text = format!(
                    "(low_sum{} eq_refl eq_refl (fun {name} {hypothesis} => {proof}))",
                    holes(14)
                );
                Ok((nest, text))
            }
            Node::Guard(pred, body) => {
                let hypothesis = self.scope.guard(pred);
                let (body, proof) = self.statement(body, dims, to)?;
                let nest = Stmt::If(pred.clone(), Box::new(body));
                Ok((
                    nest,
                    format!("(low_guard{} eq_refl (fun {hypothesis} => {proof}))", holes(11)),
                ))
            }
            Node::Add(left, right) => {
                let (first, first_proof) = self.statement(left, dims, to)?;
                let (second, second_proof) = self.statement(right, dims, to)?;
                let nest = Stmt::Seq(Box::new((first, second)));
                Ok((nest, format!("(low_add{} {first_proof} {second_proof})", holes(11))))
            }
            Node::Let(var, value, body) => self.binding(var, value, body, dims, to),
            Node::Reshape(op, sizes, parts) => self.reshape(term, *op, sizes, parts, dims, to),
            Node::Var(_)
            | Node::Literal(_)
            | Node::Call(..)
            | Node::Get(..)
            | Node::Mul(..)
            | Node::Apply(..) => {
                let message =
                    format!("`{}` cannot be computed in place", crate::engine::shortened(term));
                Err(Refusal::new(codes::NOT_LOWERED, message)
                    .with_hint("name what it reads from with `bind`, or reduce it with `beta`"))
            }
        }
    }

    fn binding(
        &mut self,
        var: &Var,
        value: &Term,
        body: &Term,
        dims: &[Index],
        to: &Destination,
    ) -> Lowered {
        let shape = self.context().shape(value).filter(|shape| shape.rest.is_none());
        let Some(shape) = shape else {
            let message = format!("the sizes of `{var}` are not known");
            return Err(Refusal::new(codes::NOT_LOWERED, message));
        };
        let own: Vec<Index> = shape.dims.iter().map(crate::engine::tidy).collect();
        let params: Vec<Var> =
            own.iter().map(|_| self.supply.fresh("place", Sort::Index)).collect();
        let indices = params.iter().cloned().map(Index::Var).collect();
        let into = Destination { array: var.clone(), shape: own.clone(), params, indices };
        let (first, first_proof) = self.statement(value, &own, &into)?;
        let sizes = self.list(&own);
        let mark = self.scope.mark();
        self.scope
            .context
            .shapes
            .insert(var.id, crate::context::Shape { dims: own.clone(), rest: None });
        let name = self.scope.writer.names.bind(var);
        let (second, second_proof) = self.statement(body, dims, to)?;
        self.scope.leave(mark);
        let nest = Stmt::New(var.clone(), own, Box::new(Stmt::Seq(Box::new((first, second)))));
        let text = format!(
            "(low_let{} {sizes}{} eq_refl eq_refl eq_refl eq_refl {first_proof} (fun {name} => \
                {second_proof}))",
            holes(6),
            holes(8)
        );
        Ok((nest, text))
    }

    fn reshape(
        &mut self,
        term: &Term,
        op: Reshape,
        sizes: &[Index],
        parts: &[Term],
        dims: &[Index],
        to: &Destination,
    ) -> Lowered {
        let part = &parts[0];
        let first = dims.first().ok_or_else(|| no_dimension(term))?.clone();
        let rest = &dims[1..];
        let fresh = |lowering: &Self| Index::Var(lowering.supply.fresh("place", Sort::Index));
        let var_of = |index: &Index| match index {
            Index::Var(var) => vec![var.clone()],
            Index::Num(_) | Index::Op(..) => Vec::new(),
        };
        let below = |first: Vec<Index>| -> Vec<Index> {
            first.into_iter().chain(rest.iter().cloned()).collect()
        };
        match (op, sizes) {
            (Reshape::Transpose, _) => {
                let second = rest.first().ok_or_else(|| no_dimension(term))?.clone();
                let (i, j) = (fresh(self), fresh(self));
                let new = [var_of(&i), var_of(&j)].concat();
                let inner = to.with(2, &[j, i], &new);
                let mut all = vec![second, first];
                all.extend_from_slice(&rest[1..]);
                let (nest, proof) = self.statement(part, &all, &inner)?;
                Ok((nest, format!("(low_transpose{} {proof})", holes(11))))
            }
            (Reshape::Flatten, [n, m]) => {
                let why = "`flatten`";
                let equal = self.equal(&first, &n.clone().times(m.clone()), why)?;
                let n_proof = self.at_least(Index::Num(0), n, false, why)?;
                let m_proof = self.at_least(Index::Num(0), m, true, why)?;
                let (i, j) = (fresh(self), fresh(self));
                let new = [var_of(&i), var_of(&j)].concat();
                let inner = to.with(1, &[i.times(m.clone()).plus(j)], &new);
                let (nest, proof) =
                    self.statement(part, &below(vec![n.clone(), m.clone()]), &inner)?;
                Ok((
                    nest,
                    format!("(low_flatten{} {equal} {n_proof} {m_proof} {proof})", holes(12)),
                ))
            }
            (Reshape::Split, [n, k]) => {
                let why = "`split`";
                if rest.first() != Some(k) {
                    return Err(Refusal::new(
                        codes::NOT_LOWERED,
                        "the blocks of `split` have another size here",
                    ));
                }
                let k_proof = self.at_least(Index::Num(0), k, true, why)?;
                let n_proof = self.at_least(Index::Num(0), n, false, why)?;
                let equal =
                    self.equal(&first, &Index::exact(Arith::Ceil, n.clone(), k.clone()), why)?;
                let i = fresh(self);
                let by = [
                    Index::exact(Arith::Div, i.clone(), k.clone()),
                    Index::exact(Arith::Mod, i.clone(), k.clone()),
                ];
                let inner = to.with(2, &by, &var_of(&i));
                let mut all = vec![n.clone()];
                all.extend_from_slice(&rest[1..]);
                let (nest, proof) = self.statement(part, &all, &inner)?;
                Ok((nest, format!("(low_split{} {k_proof} {n_proof} {equal} {proof})", holes(12))))
            }
            (Reshape::PadR | Reshape::PadL, [n, k]) => {
                let why = format!("`{}`", op.name());
                let n_proof = self.at_least(Index::Num(0), n, false, &why)?;
                let k_proof = self.at_least(Index::Num(0), k, false, &why)?;
                let equal = self.equal(&first, &n.clone().plus(k.clone()), &why)?;
                let inner = if op == Reshape::PadR {
                    to.clone()
                } else {
                    let i = fresh(self);
                    to.with(1, &[i.clone().plus(k.clone())], &var_of(&i))
                };
                let (nest, proof) = self.statement(part, &below(vec![n.clone()]), &inner)?;
                Ok((
                    nest,
                    format!("(low_{}{} {n_proof} {k_proof} {equal} {proof})", op.name(), holes(12)),
                ))
            }
            (Reshape::Concat, [n, m]) => {
                let why = "`concat`";
                let n_proof = self.at_least(Index::Num(0), n, false, why)?;
                let m_proof = self.at_least(Index::Num(0), m, false, why)?;
                let equal = self.equal(&first, &n.clone().plus(m.clone()), why)?;
                let (left, left_proof) = self.statement(part, &below(vec![n.clone()]), to)?;
                let i = fresh(self);
                let inner = to.with(1, &[i.clone().plus(n.clone())], &var_of(&i));
                let (right, right_proof) =
                    self.statement(&parts[1], &below(vec![m.clone()]), &inner)?;
                let nest = Stmt::Seq(Box::new((left, right)));
                let text = format!(
                    "(low_concat{} {n_proof} {m_proof} {equal} {left_proof} {right_proof})",
                    holes(14)
                );
                Ok((nest, text))
            }
            (Reshape::TruncR, [k]) | (Reshape::TruncL, [_, k]) => {
                let why = format!("`{}`", op.name());
                let inner_shape = self.context().shape(part).ok_or_else(|| no_dimension(part))?;
                let n = match sizes {
                    [n, _] => n.clone(),
                    _ => crate::engine::tidy(&inner_shape.dims[0]),
                };
                if first != *k {
                    let equal = self.equal(&first, k, &why)?;
                    let all = below(vec![k.clone()]);
                    let (nest, proof) = self.reshape(term, op, sizes, parts, &all, to)?;
                    let shapes = rest.iter().fold("eq_refl".to_owned(), |tail, _| tail);
                    let text = format!(
                        "(low_shape{} (f_equal2 cons {equal} {shapes}) {proof})",
                        holes(10)
                    );
                    return Ok((nest, text));
                }
                let k_proof = self.at_least(Index::Num(0), k, false, &why)?;
                let n_proof = self.at_least(k.clone(), &n, false, &why)?;
                let (lo, hi) = if op == Reshape::TruncR {
                    (k.clone(), n.clone())
                } else {
                    (Index::Num(0), n.clone().minus(k.clone()))
                };
                let vanish = self.beyond(part, &lo, &hi, op)?;
                let inner = if op == Reshape::TruncR {
                    to.clone()
                } else {
                    let i = fresh(self);
                    to.with(1, &[i.clone().minus(n.clone().minus(k.clone()))], &var_of(&i))
                };
                let (nest, proof) = self.statement(part, &below(vec![n.clone()]), &inner)?;
                let size = self.scope.writer.index(&n);
                let text = format!(
                    "(low_{}{} {size}{} {k_proof} {n_proof} {vanish} {proof})",
                    op.name(),
                    holes(5),
                    holes(5)
                );
                Ok((nest, text))
            }
            (
                Reshape::Flatten
                | Reshape::Split
                | Reshape::PadR
                | Reshape::PadL
                | Reshape::Concat
                | Reshape::TruncR
                | Reshape::TruncL,
                _,
            ) => Err(no_dimension(term)),
        }
    }

    /// A proof that the rows `lo .. hi` of a tensor are zero.
    fn beyond(
        &mut self,
        term: &Term,
        lo: &Index,
        hi: &Index,
        op: Reshape,
    ) -> Result<String, Refusal> {
        let row = self.supply.fresh("row", Sort::Index);
        let pred = Pred::range(lo.clone(), Index::Var(row.clone()), hi.clone());
        let rows = Rows { params: vec![row], facts: vec![(pred, "H".to_owned())] };
        let proof = self.vanish(term, &rows).map_err(|open| {
            Refusal::new(
                codes::NOT_LOWERED,
                format!(
                    "what `{}` cuts off may not be zero: `{open}` is not known to be",
                    op.name()
                ),
            )
            .with_hint("keep a guard in the part that is cut off, or unfold the operator")
        })?;
        Ok(proof)
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
        let (params, rest) = (&rows.params, rows);
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
                    Some(param) => rest.with(param, &place, &[]),
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
            Node::Reshape(op, sizes, parts) => match (op, sizes.as_slice()) {
                (Reshape::Transpose, _) => {
                    let (i, j) = (
                        self.supply.fresh("row", Sort::Index),
                        self.supply.fresh("row", Sort::Index),
                    );
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
                    let goal = Goal::Holds(Pred::Compare(Compare::Lt, Index::Num(0), m.clone()));
                    let positive = self
                        .prover
                        .prove(self.context(), &goal)
                        .map_err(|failure| failure.open)
                        .map(|proof| self.scope.goal(&goal, Form::Proposition, &proof))?;
                    let (i, j) = (
                        self.supply.fresh("row", Sort::Index),
                        self.supply.fresh("row", Sort::Index),
                    );
                    let place = Index::Var(i.clone()).times(m.clone()).plus(Index::Var(j.clone()));
                    let mut inner = rows.with(&params[0], &place, &[i, j.clone()]);
                    inner.also(Pred::range(Index::Num(0), Index::Var(j), m.clone()));
                    let proof = self.vanish(&parts[0], &inner)?;
                    Ok(format!("(vanish_flatten{} {positive} {proof})", holes(5)))
                }
                (Reshape::Split, [n, k]) if params.len() >= 2 => {
                    let goal = Goal::Holds(Pred::Compare(Compare::Lt, Index::Num(0), k.clone()));
                    let positive = self
                        .prover
                        .prove(self.context(), &goal)
                        .map_err(|failure| failure.open)
                        .map(|proof| self.scope.goal(&goal, Form::Proposition, &proof))?;
                    let x = self.supply.fresh("row", Sort::Index);
                    let here = Index::Var(x.clone());
                    let mut inner = rows.clone();
                    inner
                        .substitute(&params[0], &Index::exact(Arith::Div, here.clone(), k.clone()));
                    inner
                        .substitute(&params[1], &Index::exact(Arith::Mod, here.clone(), k.clone()));
                    inner.params =
                        std::iter::once(x).chain(params.iter().skip(2).cloned()).collect();
                    inner.also(Pred::range(Index::Num(0), here, n.clone()));
                    let proof = self.vanish(&parts[0], &inner)?;
                    Ok(format!("(vanish_split{} {positive} {proof})", holes(5)))
                }
                (Reshape::TruncR, _) => {
                    let proof = self.vanish(&parts[0], rows)?;
                    Ok(format!("(vanish_trunc_r{} {proof})", holes(4)))
                }
                (Reshape::TruncL | Reshape::PadR | Reshape::PadL, [n, k]) if !params.is_empty() => {
                    let row = self.supply.fresh("row", Sort::Index);
                    let here = Index::Var(row.clone());
                    let cut = n.clone().minus(k.clone());
                    let (place, first) = if *op == Reshape::TruncL {
                        (here.clone().minus(cut.clone()), cut)
                    } else if *op == Reshape::PadL {
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
                        let row = self.supply.fresh("row", Sort::Index);
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
            },
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

    fn scalar(&mut self, term: &Term) -> Result<(Scalar, String), Refusal> {
        let mark = self.scope.mark();
        let lowered = self.scalar_here(term);
        self.scope.leave(mark);
        lowered
    }

    fn scalar_here(&mut self, term: &Term) -> Result<(Scalar, String), Refusal> {
        match &**term {
            Node::Literal(text) => Ok(match &**text {
                "0" => (Scalar::Zero, "(c_zero _ _)".to_owned()),
                "1" => (Scalar::One, "(c_one _ _)".to_owned()),
                _ => (Scalar::Apply(c_literal(text), Vec::new()), format!("(c_call0{})", holes(3))),
            }),
            Node::Add(left, right) => {
                let ((a, a_proof), (b, b_proof)) = (self.scalar(left)?, self.scalar(right)?);
                Ok((
                    Scalar::Add(Box::new((a, b))),
                    format!("(c_add{} {a_proof} {b_proof})", holes(6)),
                ))
            }
            Node::Mul(left, right) => {
                let ((a, a_proof), (b, b_proof)) = (self.scalar(left)?, self.scalar(right)?);
                Ok((
                    Scalar::Mul(Box::new((a, b))),
                    format!("(c_mul{} {a_proof} {b_proof})", holes(6)),
                ))
            }
            Node::Guard(pred, body) => {
                let hypothesis = self.scope.guard(pred);
                let (value, proof) = self.scalar(body)?;
                let text = format!("(c_guard{} eq_refl (fun {hypothesis} => {proof}))", holes(6));
                Ok((Scalar::When(pred.clone(), Box::new(value)), text))
            }
            Node::Call(name, parts) => {
                let (mut values, mut proofs) = (Vec::new(), String::new());
                for part in parts {
                    let (value, proof) = self.scalar(part)?;
                    values.push(value);
                    proofs = format!("{proofs} {proof}");
                }
                let lemma = format!("c_call{}", parts.len());
                let text = format!("({lemma}{}{proofs})", holes(3 + 2 * parts.len()));
                Ok((Scalar::Apply(c_name(name), values), text))
            }
            Node::Var(_) | Node::Get(..) => {
                let Some((var, indices)) = element(term) else { return Err(no_dimension(term)) };
                let shape = self
                    .context()
                    .shapes
                    .get(&var.id)
                    .map(|shape| shape.dims.clone())
                    .unwrap_or_default();
                let inside = self.inside(&var, &indices, &shape, "reading")?;
                let (rank, sizes) = (indices.len(), self.list(&shape));
                let (name, list) = (self.scope.writer.names.get(&var), self.list(&indices));
                let text = format!(
                    "(c_load{} {rank} {sizes} {name} {list} eq_refl eq_refl {inside})",
                    holes(4)
                );
                Ok((Scalar::Load(var, indices), text))
            }
            Node::Loop(..) | Node::Let(..) | Node::Reshape(..) | Node::Apply(..) => {
                Err(no_dimension(term))
            }
        }
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

fn no_dimension(term: &Term) -> Refusal {
    let message =
        format!("`{}` has not the shape that is needed here", crate::engine::shortened(term));
    Refusal::new(codes::NOT_LOWERED, message)
}
