//! Prints loop nests as Coq terms of the deep embedding in `coq/Loop.v`.

use std::fmt::Write as _;

use super::text::Functions;
use crate::lower::{Scalar, Stmt};
use crate::names::Names;
use crate::term::{Arith, Compare, Index, Pred};

/// Writes loop nests with the names that their variables have in C.
pub(crate) struct Deep<'f> {
    pub(crate) names: Names,
    pub(crate) functions: &'f mut Functions,
}

impl Deep<'_> {
    pub(crate) fn index(&self, index: &Index) -> String {
        match index {
            Index::Num(value) if *value < 0 => format!("(Num ({value}))"),
            Index::Num(value) => format!("(Num {value})"),
            Index::Var(var) => format!("(Var \"{}\")", self.names.get(var)),
            Index::Op(op, operands) => {
                let word = match op {
                    Arith::Add => "Plus",
                    Arith::Sub => "Minus",
                    Arith::Mul => "Times",
                    Arith::Div => "Over",
                    Arith::Mod => "Rem",
                    Arith::Ceil => "Up",
                    Arith::Min => "Least",
                    Arith::Max => "Most",
                };
                format!("({word} {} {})", self.index(&operands.0), self.index(&operands.1))
            }
        }
    }

    pub(crate) fn indices(&self, indices: &[Index]) -> String {
        let parts: Vec<String> = indices.iter().map(|index| self.index(index)).collect();
        format!("[{}]", parts.join("; "))
    }

    pub(crate) fn pred(&self, pred: &Pred) -> String {
        match pred {
            Pred::Known(true) => "Yes".to_owned(),
            Pred::Known(false) => "No".to_owned(),
            Pred::Var(var) => self.names.get(var),
            Pred::Compare(compare, a, b) => {
                let word = match compare {
                    Compare::Lt => "Lt",
                    Compare::Le => "Le",
                    Compare::Eq => "Eq",
                };
                format!("({word} {} {})", self.index(a), self.index(b))
            }
            Pred::And(both) => format!("(And {} {})", self.pred(&both.0), self.pred(&both.1)),
        }
    }

    fn scalar(&mut self, scalar: &Scalar) -> String {
        match scalar {
            Scalar::Zero => "Zero".to_owned(),
            Scalar::One => "One".to_owned(),
            Scalar::Load(array, indices) => {
                format!("(Fetch \"{}\" {})", self.names.get(array), self.indices(indices))
            }
            Scalar::Add(parts) => {
                format!("(Sum2 {} {})", self.scalar(&parts.0), self.scalar(&parts.1))
            }
            Scalar::Mul(parts) => {
                format!("(Mul2 {} {})", self.scalar(&parts.0), self.scalar(&parts.1))
            }
            Scalar::When(pred, value) => {
                format!("(When {} {})", self.pred(pred), self.scalar(value))
            }
            Scalar::Apply(name, parts) => {
                let mut text = format!("(Apply{} {}", parts.len(), self.functions.number(name));
                for part in parts {
                    let part = self.scalar(part);
                    let _ = write!(text, " {part}");
                }
                text.push(')');
                text
            }
        }
    }

    pub(crate) fn stmt(&mut self, stmt: &Stmt) -> String {
        let depth = self.names.depth();
        let text = match stmt {
            Stmt::Store(array, indices, value) => {
                format!(
                    "(Store \"{}\" {} {})",
                    self.names.get(array),
                    self.indices(indices),
                    self.scalar(value)
                )
            }
            Stmt::Seq(parts) => format!("(Seq {} {})", self.stmt(&parts.0), self.stmt(&parts.1)),
            Stmt::For(var, lo, hi, body) => {
                let (lo, hi) = (self.index(lo), self.index(hi));
                let name = self.names.bind(var);
                format!("(For \"{name}\" {lo} {hi} {})", self.stmt(body))
            }
            Stmt::If(pred, body) => format!("(If {} {})", self.pred(pred), self.stmt(body)),
            Stmt::New(array, shape, body) => {
                let shape = self.indices(shape);
                let name = self.names.bind(array);
                format!("(New \"{name}\" {shape} {})", self.stmt(body))
            }
        };
        self.names.leave(depth);
        text
    }
}
