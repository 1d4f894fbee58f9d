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

pub(crate) fn holes(count: usize) -> String {
    " _".repeat(count)
}

impl Lowering<'_, '_> {
    pub(crate) fn context(&self) -> &Context {
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
        let (first, rest) = dims.split_first().ok_or_else(|| no_dimension(term))?;
        match (op, sizes) {
            (Reshape::Transpose, _) => {
                let (second, others) = rest.split_first().ok_or_else(|| no_dimension(term))?;
                let ((i, at_i), (j, at_j)) = (self.place(), self.place());
                let inner = to.with(2, &[at_j, at_i], &[i, j]);
                let (nest, proof) =
                    self.statement(&parts[0], &below([second, first], others), &inner)?;
                Ok((nest, format!("(low_transpose{} {proof})", holes(11))))
            }
            (Reshape::Flatten, [n, m]) => {
                let why = "`flatten`";
                let equal = self.equal(first, &n.clone().times(m.clone()), why)?;
                let n_proof = self.at_least(Index::Num(0), n, false, why)?;
                let m_proof = self.at_least(Index::Num(0), m, true, why)?;
                let ((i, at_i), (j, at_j)) = (self.place(), self.place());
                let inner = to.with(1, &[at_i.times(m.clone()).plus(at_j)], &[i, j]);
                let (nest, proof) = self.statement(&parts[0], &below([n, m], rest), &inner)?;
                let text =
                    format!("(low_flatten{} {equal} {n_proof} {m_proof} {proof})", holes(12));
                Ok((nest, text))
            }
            (Reshape::Split, [n, k]) => {
                let why = "`split`";
                let Some((_, others)) = rest.split_first().filter(|(blocks, _)| *blocks == k)
                else {
                    let message = "the blocks of `split` have another size here";
                    return Err(Refusal::new(codes::NOT_LOWERED, message));
                };
                let k_proof = self.at_least(Index::Num(0), k, true, why)?;
                let n_proof = self.at_least(Index::Num(0), n, false, why)?;
                let equal =
                    self.equal(first, &Index::exact(Arith::Ceil, n.clone(), k.clone()), why)?;
                let (i, at_i) = self.place();
                let by = [
                    Index::exact(Arith::Div, at_i.clone(), k.clone()),
                    Index::exact(Arith::Mod, at_i, k.clone()),
                ];
                let inner = to.with(2, &by, &[i]);
                let (nest, proof) = self.statement(&parts[0], &below([n], others), &inner)?;
                Ok((nest, format!("(low_split{} {k_proof} {n_proof} {equal} {proof})", holes(12))))
            }
            (Reshape::PadR | Reshape::PadL, [n, k]) => {
                let why = format!("`{}`", op.name());
                let n_proof = self.at_least(Index::Num(0), n, false, &why)?;
                let k_proof = self.at_least(Index::Num(0), k, false, &why)?;
                let equal = self.equal(first, &n.clone().plus(k.clone()), &why)?;
                let inner = if op == Reshape::PadR {
                    to.clone()
                } else {
                    let (i, at_i) = self.place();
                    to.with(1, &[at_i.plus(k.clone())], &[i])
                };
                let (nest, proof) = self.statement(&parts[0], &below([n], rest), &inner)?;
                let lemma = op.name();
                let text =
                    format!("(low_{lemma}{} {n_proof} {k_proof} {equal} {proof})", holes(12));
                Ok((nest, text))
            }
            (Reshape::Concat, [n, m]) => {
                let why = "`concat`";
                let n_proof = self.at_least(Index::Num(0), n, false, why)?;
                let m_proof = self.at_least(Index::Num(0), m, false, why)?;
                let equal = self.equal(first, &n.clone().plus(m.clone()), why)?;
                let (left, left_proof) = self.statement(&parts[0], &below([n], rest), to)?;
                let (i, at_i) = self.place();
                let inner = to.with(1, &[at_i.plus(n.clone())], &[i]);
                let (right, right_proof) = self.statement(&parts[1], &below([m], rest), &inner)?;
                let nest = Stmt::Seq(Box::new((left, right)));
                let text = format!(
                    "(low_concat{} {n_proof} {m_proof} {equal} {left_proof} {right_proof})",
                    holes(14)
                );
                Ok((nest, text))
            }
            (Reshape::TruncR, [k]) => self.truncate(op, None, k, &parts[0], (first, rest), to),
            (Reshape::TruncL, [n, k]) => {
                self.truncate(op, Some(n), k, &parts[0], (first, rest), to)
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

    /// Lowers a tensor of `n` rows that loses all but `k` of them, which must be zero.
    fn truncate(
        &mut self,
        op: Reshape,
        n: Option<&Index>,
        k: &Index,
        part: &Term,
        (first, rest): (&Index, &[Index]),
        to: &Destination,
    ) -> Lowered {
        let why = format!("`{}`", op.name());
        let shape = self.context().shape(part).ok_or_else(|| no_dimension(part))?;
        if first != k {
            let equal = self.equal(first, k, &why)?;
            let (nest, proof) = self.truncate(op, n, k, part, (k, rest), to)?;
            let text = format!("(low_shape{} (f_equal2 cons {equal} eq_refl) {proof})", holes(10));
            return Ok((nest, text));
        }
        let n = n.map_or_else(|| crate::engine::tidy(&shape.dims[0]), Index::clone);
        let k_proof = self.at_least(Index::Num(0), k, false, &why)?;
        let n_proof = self.at_least(k.clone(), &n, false, &why)?;
        let cut = n.clone().minus(k.clone());
        let (lo, hi) = if op == Reshape::TruncR {
            (k.clone(), n.clone())
        } else {
            (Index::Num(0), cut.clone())
        };
        let vanish = self.beyond(part, &lo, &hi, op)?;
        let inner = if op == Reshape::TruncR {
            to.clone()
        } else {
            let (i, at_i) = self.place();
            to.with(1, &[at_i.minus(cut)], &[i])
        };
        let (nest, proof) = self.statement(part, &below([&n], rest), &inner)?;
        let size = self.scope.writer.index(&n);
        let text = format!(
            "(low_{}{} {size}{} {k_proof} {n_proof} {vanish} {proof})",
            op.name(),
            holes(5),
            holes(5)
        );
        Ok((nest, text))
    }

    /// A new variable for a place in an array, also as an index.
    fn place(&self) -> (Var, Index) {
        let var = self.supply.fresh("place", Sort::Index);
        (var.clone(), Index::Var(var))
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

/// Puts sizes in front of others.
fn below<const N: usize>(first: [&Index; N], rest: &[Index]) -> Vec<Index> {
    first.into_iter().chain(rest).cloned().collect()
}

fn no_dimension(term: &Term) -> Refusal {
    let message =
        format!("`{}` has not the shape that is needed here", crate::engine::shortened(term));
    Refusal::new(codes::NOT_LOWERED, message)
}
