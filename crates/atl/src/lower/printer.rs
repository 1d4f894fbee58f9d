//! Prints statements, scalars and indices as C, in exactly the text of `coq/Print.v`.

use std::fmt::Write as _;

use super::{Scalar, Stmt};
use crate::names::Names;
use crate::term::{Arith, Compare, Index, Pred, Var};

/// The offset of an element in row-major storage.
pub(super) fn offset(shapes: &[(Var, Vec<Index>)], array: &Var, indices: &[Index]) -> Index {
    let shape =
        shapes.iter().rev().find(|(known, _)| known == array).map_or(&[][..], |(_, shape)| shape);
    let mut pairs = indices.iter().zip(shape);
    let first = pairs.next().map_or(Index::Num(0), |(index, _)| index.clone());
    pairs.fold(first, |offset, (index, size)| offset.times(size.clone()).plus(index.clone()))
}

/// The number of elements of an array with this shape.
pub(super) fn count(shape: &[Index]) -> Index {
    match shape.split_first() {
        None => Index::Num(1),
        Some((first, rest)) => {
            rest.iter().fold(first.clone(), |product, size| product.times(size.clone()))
        }
    }
}

pub(super) struct Printer {
    pub(super) names: Names,
    pub(super) shapes: Vec<(Var, Vec<Index>)>,
    pub(super) out: String,
    /// The lines before the loops over a variable, by its name in C.
    pub(super) marks: Vec<(String, &'static str)>,
}

impl Printer {
    pub(super) fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * indent);
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt, indent: usize) {
        let depth = self.names.depth();
        match stmt {
            Stmt::Store(array, indices, value) => {
                let place = self.access(array, indices);
                let value = self.scalar(value);
                self.line(indent, &format!("{place} = atl_add({place}, {value});"));
            }
            Stmt::Seq(parts) => {
                self.stmt(&parts.0, indent);
                self.stmt(&parts.1, indent);
            }
            Stmt::For(var, lo, hi, body) => {
                let (lo, hi) = (self.index(lo, 0), self.index(hi, 0));
                let name = self.names.bind(var);
                for (_, line) in self.marks.clone().iter().filter(|(marked, _)| *marked == name) {
                    self.line(indent, line);
                }
                self.line(
                    indent,
                    &format!("for (int64_t {name} = {lo}; {name} < {hi}; {name}++) {{"),
                );
                self.stmt(body, indent + 1);
                self.line(indent, "}");
            }
            Stmt::If(pred, body) => {
                let pred = self.pred(pred);
                self.line(indent, &format!("if ({pred}) {{"));
                self.stmt(body, indent + 1);
                self.line(indent, "}");
            }
            Stmt::New(array, shape, body) => {
                self.line(indent, "{");
                let count = self.count(shape);
                let name = self.names.bind(array);
                self.line(indent + 1, &format!("elem *{name} = atl_new({count});"));
                self.shapes.push((array.clone(), shape.clone()));
                self.stmt(body, indent + 1);
                self.shapes.pop();
                self.line(indent + 1, &format!("atl_free({name});"));
                self.line(indent, "}");
            }
        }
        self.names.leave(depth);
    }

    pub(super) fn count(&self, shape: &[Index]) -> String {
        self.index(&count(shape), 0)
    }

    fn access(&self, array: &Var, indices: &[Index]) -> String {
        let offset = offset(&self.shapes, array, indices);
        format!("{}[{}]", self.names.get(array), self.index(&offset, 0))
    }

    fn scalar(&self, scalar: &Scalar) -> String {
        match scalar {
            Scalar::Zero => "ATL_ZERO".to_owned(),
            Scalar::One => "ATL_ONE".to_owned(),
            Scalar::Load(array, indices) => self.access(array, indices),
            Scalar::Add(parts) => {
                format!("atl_add({}, {})", self.scalar(&parts.0), self.scalar(&parts.1))
            }
            Scalar::Mul(parts) => {
                format!("atl_mul({}, {})", self.scalar(&parts.0), self.scalar(&parts.1))
            }
            Scalar::When(pred, value) => {
                format!("({} ? {} : ATL_ZERO)", self.pred(pred), self.scalar(value))
            }
            Scalar::Apply(name, parts) if parts.is_empty() => name.clone(),
            Scalar::Apply(name, parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.scalar(part)).collect();
                format!("{name}({})", parts.join(", "))
            }
        }
    }

    pub(super) fn pred(&self, pred: &Pred) -> String {
        match pred {
            Pred::Known(value) => if *value { "1" } else { "0" }.to_owned(),
            Pred::Var(var) => self.names.get(var),
            Pred::Compare(compare, a, b) => {
                let sign = match compare {
                    Compare::Lt => "<",
                    Compare::Le => "<=",
                    Compare::Eq => "==",
                };
                format!("{} {sign} {}", self.index(a, 0), self.index(b, 0))
            }
            Pred::And(both) => format!("{} && {}", self.pred(&both.0), self.pred(&both.1)),
        }
    }

    /// Prints an index expression. The levels are: 0 a sum, 1 a product, 2 an expression that never
    /// needs parentheses.
    fn index(&self, index: &Index, level: u8) -> String {
        let (own, text) = match index {
            Index::Num(value) => (if *value < 0 { 0 } else { 2 }, value.to_string()),
            Index::Var(var) => (2, self.names.get(var)),
            Index::Op(op, operands) => {
                let (a, b) = (&operands.0, &operands.1);
                let call =
                    |name: &str| format!("{name}({}, {})", self.index(a, 0), self.index(b, 0));
                match op {
                    Arith::Add => (0, format!("{} + {}", self.index(a, 0), self.index(b, 1))),
                    Arith::Sub => (0, format!("{} - {}", self.index(a, 0), self.index(b, 1))),
                    Arith::Mul => (1, format!("{} * {}", self.index(a, 1), self.index(b, 2))),
                    Arith::Div => (2, call("atl_div")),
                    Arith::Mod => (2, call("atl_mod")),
                    Arith::Ceil => (2, call("atl_ceil")),
                    Arith::Min => (2, call("atl_min")),
                    Arith::Max => (2, call("atl_max")),
                }
            }
        };
        let negative = matches!(index, Index::Num(value) if *value < 0);
        if own < level || negative { format!("({text})") } else { text }
    }
}
