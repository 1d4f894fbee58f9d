//! The executable meaning of programs: every construct as `coq/Tensor.v` defines it, on small
//! tensors, without optimizations.

use halidom_base::FxHashMap;

use crate::arithmetic::{Arithmetic, Integers};
use crate::program::Program;
use crate::prover::{compare, evaluate};
use crate::term::{Index, Loop, Node, Pred, Rank, Reshape, Term, Var, rank};

/// A tensor: sizes, and elements in row-major order. It is zero outside of its sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor<V = i64> {
    /// The sizes. None is negative.
    pub sizes: Vec<i64>,
    /// The elements.
    pub elements: Vec<V>,
}

/// The reason why a program has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpretError {
    /// The elements do not have this function or constant.
    #[error("`{0}` means nothing for these elements")]
    Meaningless(String),
    /// A number does not fit 64 bits.
    #[error("a size or an index does not fit 64 bits")]
    Overflow,
    /// A part has another shape than its use needs, or fewer elements than its sizes require. An
    /// input is wrong, or the program was not checked.
    #[error("{0} another shape than its use needs")]
    Shape(&'static str),
}

type Interpreted<T> = Result<T, InterpretError>;

/// Evaluates a program of integers for sizes and inputs, in their order.
///
/// # Errors
/// Any [`InterpretError`] whose condition holds.
pub fn interpret(
    program: &Program,
    body: &Term,
    sizes: &[i64],
    inputs: &[Tensor],
) -> Interpreted<Tensor> {
    interpret_with(&Integers(program.element()), program, body, sizes, inputs)
}

/// Evaluates a program's body in an arithmetic, for sizes and inputs in their order.
///
/// # Errors
/// An input does not have the number of elements that its sizes require, or evaluation meets
/// another [`InterpretError`].
pub fn interpret_with<A: Arithmetic>(
    arithmetic: &A,
    program: &Program,
    body: &Term,
    sizes: &[i64],
    inputs: &[Tensor<A::Value>],
) -> Interpreted<Tensor<A::Value>> {
    let whole = |input: &Tensor<A::Value>| input.elements.len() == count(&input.sizes);
    if !inputs.iter().all(whole) {
        return Err(InterpretError::Shape("an input has"));
    }
    let mut scope = Scope {
        arithmetic,
        indices: program.sizes.iter().map(|var| var.id).zip(sizes.iter().copied()).collect(),
        tensors: program
            .inputs
            .iter()
            .map(|input| input.var.id)
            .zip(inputs.iter().cloned())
            .collect(),
    };
    scope.term(body)
}

/// The number of elements of a tensor with these sizes.
fn count(sizes: &[i64]) -> usize {
    sizes.iter().map(|size| (*size).max(0) as usize).product()
}

struct Scope<'a, A: Arithmetic> {
    arithmetic: &'a A,
    indices: FxHashMap<u32, i64>,
    tensors: FxHashMap<u32, Tensor<A::Value>>,
}

impl<V: Copy> Tensor<V> {
    fn scalar(value: V) -> Self {
        Self { sizes: Vec::new(), elements: vec![value] }
    }

    /// The part at an index of the first dimension. `None` if the index is out of range.
    fn row(&self, index: i64) -> Option<&[V]> {
        let (first, rest) = self.sizes.split_first()?;
        let length = count(rest);
        (0 <= index && index < *first).then(|| &self.elements[index as usize * length..][..length])
    }
}

impl<A: Arithmetic> Scope<'_, A> {
    fn index(&self, index: &Index) -> Interpreted<i64> {
        evaluate(index, &|var: &Var| self.indices.get(&var.id).copied())
            .ok_or(InterpretError::Overflow)
    }

    fn pred(&self, pred: &Pred) -> Interpreted<bool> {
        Ok(match pred {
            Pred::Known(value) => *value,
            Pred::Compare(relation, a, b) => compare(*relation, self.index(a)?, self.index(b)?),
            Pred::And(both) => self.pred(&both.0)? && self.pred(&both.1)?,
            Pred::Var(var) => return Err(InterpretError::Meaningless(var.to_string())),
        })
    }

    fn term(&mut self, term: &Term) -> Interpreted<Tensor<A::Value>> {
        match &**term {
            Node::Var(var) => self
                .tensors
                .get(&var.id)
                .cloned()
                .ok_or_else(|| InterpretError::Meaningless(var.to_string())),
            Node::Literal(text) => {
                let value = self.arithmetic.literal(text);
                value
                    .map(Tensor::scalar)
                    .ok_or_else(|| InterpretError::Meaningless(text.to_string()))
            }
            Node::Call(name, parts) => {
                let mut values = Vec::new();
                for part in parts {
                    values.push(self.term(part)?.elements[0]);
                }
                let value = self.arithmetic.call(name, &values);
                value
                    .map(Tensor::scalar)
                    .ok_or_else(|| InterpretError::Meaningless(name.to_string()))
            }
            Node::Loop(kind, var, lo, hi, body) => {
                let (lo, hi) = (self.index(lo)?, self.index(hi)?);
                self.iterate(*kind, var, lo, hi, body)
            }
            Node::Guard(pred, body) => {
                let holds = self.pred(pred)?;
                if !holds && rank(body) == Rank::SCALAR {
                    return Ok(Tensor::scalar(self.arithmetic.zero()));
                }
                let mut value = self.term(body)?;
                if !holds {
                    value.elements.fill(self.arithmetic.zero());
                }
                Ok(value)
            }
            Node::Let(var, value, body) => {
                let value = self.term(value)?;
                let before = self.tensors.insert(var.id, value);
                let result = self.term(body);
                match before {
                    Some(value) => self.tensors.insert(var.id, value),
                    None => self.tensors.remove(&var.id),
                };
                result
            }
            Node::Get(..) => self.read(term),
            Node::Add(left, right) => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                if left.sizes != right.sizes {
                    return Err(InterpretError::Shape("a summand has"));
                }
                let elements = left
                    .elements
                    .iter()
                    .zip(&right.elements)
                    .map(|(a, b)| self.arithmetic.add(*a, *b))
                    .collect();
                Ok(Tensor { sizes: left.sizes, elements })
            }
            Node::Mul(left, right) => {
                let (left, right) = (self.term(left)?.elements[0], self.term(right)?.elements[0]);
                Ok(Tensor::scalar(self.arithmetic.mul(left, right)))
            }
            Node::Reshape(op, sizes, parts) => {
                let sizes =
                    sizes.iter().map(|size| self.index(size)).collect::<Interpreted<Vec<i64>>>()?;
                let parts = parts
                    .iter()
                    .map(|part| self.term(part))
                    .collect::<Interpreted<Vec<Tensor<A::Value>>>>()?;
                self.reshape(*op, &sizes, &parts)
            }
            Node::Apply(var, _) => Err(InterpretError::Meaningless(var.to_string())),
        }
    }

    /// Evaluates a loop for `lo <= var < hi`.
    fn iterate(
        &mut self,
        kind: Loop,
        var: &Var,
        lo: i64,
        hi: i64,
        body: &Term,
    ) -> Interpreted<Tensor<A::Value>> {
        let before = self.indices.get(&var.id).copied();
        let mut elements: Vec<A::Value> = Vec::new();
        let mut sizes = None;
        for value in lo..hi {
            self.indices.insert(var.id, value);
            let part = self.term(body)?;
            if sizes.as_ref().is_some_and(|sizes| *sizes != part.sizes) {
                return Err(InterpretError::Shape("a part of a loop has"));
            }
            match kind {
                Loop::Gen => elements.extend(part.elements),
                Loop::Sum => {
                    if sizes.is_none() {
                        elements = vec![self.arithmetic.zero(); part.elements.len()];
                    }
                    for (sum, element) in elements.iter_mut().zip(&part.elements) {
                        *sum = self.arithmetic.add(*sum, *element);
                    }
                }
            }
            sizes.get_or_insert(part.sizes);
        }
        let sizes = match sizes {
            Some(sizes) => sizes,
            // No iteration shows the shape, so it is the shape of the body at the first index.
            None => {
                self.indices.insert(var.id, lo);
                let sizes = self.term(body)?.sizes;
                if kind == Loop::Sum {
                    elements = vec![self.arithmetic.zero(); count(&sizes)];
                }
                sizes
            }
        };
        match before {
            Some(value) => self.indices.insert(var.id, value),
            None => self.indices.remove(&var.id),
        };
        let sizes = match kind {
            Loop::Gen => std::iter::once((hi - lo).max(0)).chain(sizes).collect(),
            Loop::Sum => sizes,
        };
        Ok(Tensor { sizes, elements })
    }

    /// Evaluates a read with all its indices at once, so that no tensor is copied for one element.
    fn read(&mut self, term: &Term) -> Interpreted<Tensor<A::Value>> {
        let mut indices = Vec::new();
        let mut root = term;
        while let Node::Get(tensor, index) = &**root {
            indices.push(self.index(index)?);
            root = tensor;
        }
        let computed;
        let tensor = match &**root {
            Node::Var(var) => self
                .tensors
                .get(&var.id)
                .ok_or_else(|| InterpretError::Meaningless(var.to_string()))?,
            Node::Literal(_)
            | Node::Call(..)
            | Node::Loop(..)
            | Node::Guard(..)
            | Node::Let(..)
            | Node::Get(..)
            | Node::Add(..)
            | Node::Mul(..)
            | Node::Reshape(..)
            | Node::Apply(..) => {
                computed = self.term(root)?;
                &computed
            }
        };
        let (mut sizes, mut elements) = (tensor.sizes.as_slice(), Some(tensor.elements.as_slice()));
        for index in indices.iter().rev() {
            let Some((first, rest)) = sizes.split_first() else {
                return Err(InterpretError::Shape("what is read has"));
            };
            let length = count(rest);
            let inside = 0 <= *index && index < first;
            elements = elements
                .filter(|_| inside)
                .map(|elements| &elements[*index as usize * length..][..length]);
            sizes = rest;
        }
        let sizes = sizes.to_vec();
        let elements = match elements {
            Some(elements) => elements.to_vec(),
            None => vec![self.arithmetic.zero(); count(&sizes)],
        };
        Ok(Tensor { sizes, elements })
    }

    /// Builds the result row by row. For each row, a function gives the row of a part that it
    /// copies, if any.
    fn reshape(
        &self,
        op: Reshape,
        sizes: &[i64],
        parts: &[Tensor<A::Value>],
    ) -> Interpreted<Tensor<A::Value>> {
        let unfit = InterpretError::Shape("what is reshaped has");
        let part = &parts[0];
        let inner = part.sizes.get(1..).unwrap_or_default();
        let rows = |first: i64, inner: &[i64], row: &dyn Fn(i64) -> Option<Vec<A::Value>>| {
            let mut elements = Vec::new();
            for index in 0..first.max(0) {
                elements.extend(
                    row(index).unwrap_or_else(|| vec![self.arithmetic.zero(); count(inner)]),
                );
            }
            Tensor {
                sizes: std::iter::once(first.max(0)).chain(inner.iter().copied()).collect(),
                elements,
            }
        };
        let of =
            |tensor: &Tensor<A::Value>, index: i64| tensor.row(index).map(<[A::Value]>::to_vec);
        // The element at two indices, for operators on two dimensions.
        let second = part.sizes.get(1).copied().unwrap_or(0);
        let below = part.sizes.get(2..).unwrap_or_default();
        let at = |i: i64, j: i64| -> Option<Vec<A::Value>> {
            let row = part.row(i)?;
            (0 <= j && j < second)
                .then(|| row[j as usize * count(below)..][..count(below)].to_vec())
        };
        Ok(match (op, sizes) {
            (Reshape::Concat, [n, m]) => {
                rows(n + m, inner, &|i| if i < *n { of(part, i) } else { of(&parts[1], i - n) })
            }
            (Reshape::PadR, [n, k]) => {
                rows(n + k, inner, &|i| if i < *n { of(part, i) } else { None })
            }
            (Reshape::PadL, [n, k]) => rows(n + k, inner, &|i| of(part, i - k)),
            (Reshape::TruncR, [k]) => rows(*k, inner, &|i| of(part, i)),
            (Reshape::TruncL, [n, k]) => rows(*k, inner, &|i| of(part, i + n - k)),
            (Reshape::Flatten, [n, m]) => rows(n * m, below, &|i| at(i / m, i % m)),
            (Reshape::Split, [n, k]) if *k > 0 => {
                let blocks = (n + k - 1).div_euclid(*k).max(0);
                let flat = rows(blocks * k, inner, &|i| if i < *n { of(part, i) } else { None });
                let all = [blocks, *k].into_iter().chain(inner.iter().copied()).collect();
                Tensor { sizes: all, elements: flat.elements }
            }
            (Reshape::Transpose, _) => {
                let [first, second, ..] = part.sizes[..] else { return Err(unfit) };
                let mut elements = Vec::new();
                for j in 0..second {
                    for i in 0..first {
                        elements.extend(at(i, j).ok_or_else(|| unfit.clone())?);
                    }
                }
                let all = [second, first].into_iter().chain(below.iter().copied()).collect();
                Tensor { sizes: all, elements }
            }
            // The number of sizes is not the operator's, or the block size is not positive.
            // Resolution refuses both.
            (
                Reshape::Concat
                | Reshape::PadR
                | Reshape::PadL
                | Reshape::TruncR
                | Reshape::TruncL
                | Reshape::Flatten
                | Reshape::Split,
                _,
            ) => return Err(unfit),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::file;
    use halidom_diag::Sources;

    #[test]
    fn what_does_not_fit_is_an_error_and_never_zeros() {
        let text = "program turned(n: size, m: size, f: tensor<i32>[n, m]) = transpose(f)\n";
        let engine = Engine::new().expect("the library is right");
        let mut sources = Sources::new();
        let id = sources.add("turned.atl".to_owned(), text.to_owned());
        let loaded = file::load(&engine, &mut sources, id).expect("the program is right");
        let program = &loaded.programs[0];
        let value = |input: Tensor| interpret(program, &program.body, &[2, 2], &[input]);
        let whole = Tensor { sizes: vec![2, 2], elements: vec![1, 2, 3, 4] };
        let turned = Tensor { sizes: vec![2, 2], elements: vec![1, 3, 2, 4] };
        assert_eq!(value(whole), Ok(turned));
        let broken = Tensor { sizes: vec![2, 2], elements: vec![1, 2, 3] };
        assert_eq!(value(broken), Err(InterpretError::Shape("an input has")));
        let row = Tensor { sizes: vec![2], elements: vec![1, 2] };
        assert_eq!(value(row), Err(InterpretError::Shape("what is reshaped has")));
    }
}
