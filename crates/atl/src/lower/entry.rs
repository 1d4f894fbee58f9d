//! The checks of the C at entry, exactly as in `coq/Machine.v`: no number that it computes leaves
//! 64 bits, every divisor is positive, and the conditions of the derivation hold.

use std::cmp::Ordering;

use super::printer::{Printer, count, offset};
use super::{Scalar, Stmt};
use crate::term::{Arith, Compare, Index, Pred, Var};

/// The largest number that fits, `limit` in `coq/Machine.v`.
const LIMIT: i64 = 1 << 59;

/// A check at entry.
enum Check {
    /// A bound must be within the limit.
    Fits(Index),
    Holds(Pred),
}

/// A divisor that changes within the loop nest. No check at entry can show that it is positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncheckedDivisor(pub Index);

/// Bounds of the magnitudes of loop variables.
type Bounds = Vec<(Var, Index)>;

/// The lines with the checks, in order and without duplicates.
pub(super) fn lines(
    printer: &Printer,
    sizes: &[Var],
    conditions: &[Pred],
    output: &(Var, Vec<Index>),
    nest: &Stmt,
) -> Result<Vec<String>, UncheckedDivisor> {
    let mut entry =
        Entry { shapes: printer.shapes.clone(), bounds: Vec::new(), checks: Vec::new() };
    for size in sizes {
        entry.checks.push(Check::Fits(Index::Var(size.clone())));
    }
    for pred in conditions {
        entry.test(pred)?;
        entry.checks.push(Check::Holds(pred.clone()));
    }
    entry.index(&count(&output.1))?;
    entry.stmt(nest)?;
    let mut lines: Vec<String> = Vec::new();
    for check in entry.checks.iter().filter(|check| !is_sizeless(check)) {
        let line = match check {
            Check::Fits(bound) => format!("if (!atl_fits({})) return 1;", text(printer, bound)),
            Check::Holds(pred) => format!("if (!({})) return 1;", printer.pred(pred)),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    Ok(lines)
}

/// True if a check does not depend on the sizes and passes.
fn is_sizeless(check: &Check) -> bool {
    match check {
        Check::Fits(Index::Num(value)) => (0..=LIMIT).contains(value),
        Check::Holds(Pred::Compare(Compare::Lt, Index::Num(a), Index::Num(b))) => {
            a.cmp(b) == Ordering::Less
        }
        Check::Fits(_) | Check::Holds(_) => false,
    }
}

/// Prints a bound as C.
fn text(printer: &Printer, bound: &Index) -> String {
    match bound {
        Index::Num(value) => value.to_string(),
        Index::Var(var) => printer.names.get(var),
        Index::Op(op, operands) => {
            let name = match op {
                Arith::Add => "atl_up_add",
                Arith::Mul => "atl_up_mul",
                Arith::Max => "atl_up_max",
                Arith::Sub | Arith::Div | Arith::Mod | Arith::Ceil | Arith::Min => {
                    return "-1".to_owned();
                }
            };
            format!("{name}({}, {})", text(printer, &operands.0), text(printer, &operands.1))
        }
    }
}

struct Entry {
    shapes: Vec<(Var, Vec<Index>)>,
    bounds: Bounds,
    checks: Vec<Check>,
}

impl Entry {
    /// A bound, in terms of the sizes, of an expression's magnitude.
    fn most(&self, index: &Index) -> Index {
        match index {
            Index::Num(value) => Index::Num(value.saturating_abs()),
            Index::Var(var) => {
                let known = self.bounds.iter().rev().find(|(known, _)| known == var);
                known.map_or_else(|| index.clone(), |(_, bound)| bound.clone())
            }
            Index::Op(op, operands) => {
                let (a, b) = (&operands.0, &operands.1);
                match op {
                    Arith::Add | Arith::Sub => self.most(a).plus(self.most(b)),
                    Arith::Mul => self.most(a).times(self.most(b)),
                    Arith::Div | Arith::Ceil => self.most(a),
                    Arith::Mod => self.most(b),
                    Arith::Min | Arith::Max => Index::exact(Arith::Max, self.most(a), self.most(b)),
                }
            }
        }
    }

    /// Collects bounds of the parts that the whole expression's bound does not cover.
    fn apart(&self, index: &Index, all: &mut Vec<Index>) {
        if let Index::Op(op, operands) = index {
            match op {
                Arith::Add | Arith::Sub | Arith::Mul | Arith::Min | Arith::Max => {}
                Arith::Div | Arith::Ceil => all.push(self.most(&operands.1)),
                Arith::Mod => all.push(self.most(&operands.0)),
            }
            self.apart(&operands.0, all);
            self.apart(&operands.1, all);
        }
    }

    fn divisors(&mut self, index: &Index) -> Result<(), UncheckedDivisor> {
        if let Index::Op(op, operands) = index {
            self.divisors(&operands.0)?;
            self.divisors(&operands.1)?;
            match op {
                Arith::Add | Arith::Sub | Arith::Mul | Arith::Min | Arith::Max => {}
                Arith::Div | Arith::Ceil | Arith::Mod => {
                    let mut closed = true;
                    operands.1.variables(&mut |var| {
                        closed &= !self.bounds.iter().any(|(known, _)| known == var);
                    });
                    if !closed {
                        return Err(UncheckedDivisor(operands.1.clone()));
                    }
                    let positive = Pred::Compare(Compare::Lt, Index::Num(0), operands.1.clone());
                    self.checks.push(Check::Holds(positive));
                }
            }
        }
        Ok(())
    }

    fn index(&mut self, index: &Index) -> Result<(), UncheckedDivisor> {
        let mut all = vec![self.most(index)];
        self.apart(index, &mut all);
        self.checks.extend(all.into_iter().map(Check::Fits));
        self.divisors(index)
    }

    fn test(&mut self, pred: &Pred) -> Result<(), UncheckedDivisor> {
        match pred {
            Pred::Known(_) | Pred::Var(_) => Ok(()),
            Pred::Compare(_, a, b) => {
                self.index(a)?;
                self.index(b)
            }
            Pred::And(both) => {
                self.test(&both.0)?;
                self.test(&both.1)
            }
        }
    }

    fn access(&mut self, array: &Var, indices: &[Index]) -> Result<(), UncheckedDivisor> {
        let offset = offset(&self.shapes, array, indices);
        self.index(&offset)
    }

    fn scalar(&mut self, scalar: &Scalar) -> Result<(), UncheckedDivisor> {
        match scalar {
            Scalar::Zero | Scalar::One => Ok(()),
            Scalar::Load(array, indices) => self.access(array, indices),
            Scalar::Add(parts) | Scalar::Mul(parts) => {
                self.scalar(&parts.0)?;
                self.scalar(&parts.1)
            }
            Scalar::When(pred, value) => {
                self.test(pred)?;
                self.scalar(value)
            }
            Scalar::Apply(_, parts) => parts.iter().try_for_each(|part| self.scalar(part)),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), UncheckedDivisor> {
        match stmt {
            Stmt::Store(array, indices, value) => {
                self.access(array, indices)?;
                self.scalar(value)
            }
            Stmt::Seq(parts) => {
                self.stmt(&parts.0)?;
                self.stmt(&parts.1)
            }
            Stmt::For(var, lo, hi, body) => {
                self.index(lo)?;
                self.index(hi)?;
                let bound = Index::exact(Arith::Max, self.most(lo), self.most(hi));
                self.bounds.push((var.clone(), bound));
                self.stmt(body)?;
                self.bounds.pop();
                Ok(())
            }
            Stmt::If(pred, body) => {
                self.test(pred)?;
                self.stmt(body)
            }
            Stmt::New(array, shape, body) => {
                self.index(&count(shape))?;
                self.shapes.push((array.clone(), shape.clone()));
                self.stmt(body)?;
                self.shapes.pop();
                Ok(())
            }
        }
    }
}
