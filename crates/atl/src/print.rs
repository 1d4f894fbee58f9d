//! Prints terms as program text.

use std::fmt::Write as _;

use crate::names::Names;
use crate::term::{
    Arg, Arith, Compare, Index, Loop, Node, Pred, Reshape, Term, Var, binder, children,
};

/// The words of the language that are not names.
pub(crate) const KEYWORDS: &[&str] =
    &["gen", "sum", "let", "in", "program", "derivation", "schedule"];

/// Prints a term, on as many lines as it needs.
pub fn term(term: &Term) -> String {
    let mut printer =
        Printer { names: Names::new(|name| KEYWORDS.contains(&name)), out: String::new() };
    printer.term(term, 0, 0);
    printer.out
}

/// Prints an integer.
pub fn index(index: &Index) -> String {
    let mut out = String::new();
    write_index(&mut out, index, 0, &|var| var.name.to_string());
    out
}

/// Prints a predicate.
pub fn pred(pred: &Pred) -> String {
    let mut out = String::new();
    write_pred(&mut out, pred, &|var| var.name.to_string());
    out
}

/// A term with more characters than this is broken into lines.
const WIDTH: usize = 100;

struct Printer {
    names: Names,
    out: String,
}

impl Printer {
    fn index(&mut self, index: &Index) {
        let names = &self.names;
        write_index(&mut self.out, index, 0, &|var| names.get(var));
    }

    fn pred(&mut self, pred: &Pred) {
        let names = &self.names;
        write_pred(&mut self.out, pred, &|var| names.get(var));
    }

    fn fits(&self, term: &Term, indent: usize) -> bool {
        let mut flat = Self { names: self.names.clone(), out: String::new() };
        flat.term(term, 0, usize::MAX);
        flat.out.len() + 4 * indent <= WIDTH
    }

    fn newline(&mut self, indent: usize) {
        let _ = write!(self.out, "\n{:1$}", "", 4 * indent);
    }

    /// Prints a term. The levels are: 0 anything, 1 operand of a sum, 2 operand of a product, 3 a
    /// tensor that is read. An indent of `usize::MAX` keeps everything on one line.
    fn term(&mut self, term: &Term, level: u8, indent: usize) {
        let own = match &**term {
            Node::Loop(..) | Node::Let(..) | Node::Add(..) => 0,
            Node::Guard(..) | Node::Mul(..) => 1,
            Node::Var(_)
            | Node::Literal(_)
            | Node::Call(..)
            | Node::Get(..)
            | Node::Reshape(..)
            | Node::Apply(..) => 3,
        };
        let wrap = own < level;
        if wrap {
            self.out.push('(');
        }
        let flat = indent == usize::MAX;
        let breaks = !flat && !self.fits(term, indent);
        let deeper = if flat { indent } else { indent + 1 };
        match &**term {
            Node::Var(var) => {
                let name = self.names.get(var);
                self.out.push_str(&name);
            }
            Node::Literal(text) => self.out.push_str(text),
            Node::Loop(kind, var, lo, hi, body) => {
                let depth = self.names.depth();
                self.loop_head(*kind, var, lo, hi);
                self.names.bind(var);
                let nested = matches!(&**body, Node::Loop(..));
                if breaks && !nested {
                    self.newline(indent + 1);
                    self.term(body, 0, indent + 1);
                } else {
                    self.out.push(' ');
                    self.term(body, 0, indent);
                }
                self.names.leave(depth);
            }
            Node::Guard(pred, body) => {
                self.out.push('[');
                self.pred(pred);
                self.out.push_str("] * ");
                self.term(body, 1, indent);
            }
            Node::Let(var, value, body) => {
                let depth = self.names.depth();
                let name = self.names.unused(&var.name);
                let _ = write!(self.out, "let {name} = ");
                self.term(value, 0, deeper);
                self.out.push_str(" in");
                self.names.bind(var);
                if breaks {
                    self.newline(indent);
                } else {
                    self.out.push(' ');
                }
                self.term(body, 0, indent);
                self.names.leave(depth);
            }
            Node::Get(..) => self.read(term, indent),
            Node::Add(left, right) => {
                // Without parentheses, a binder on the left would take the rest of the sum into its
                // body.
                self.term(left, u8::from(!matches!(&**left, Node::Add(..))), deeper);
                if breaks {
                    self.newline(indent);
                    self.out.push_str("+ ");
                } else {
                    self.out.push_str(" + ");
                }
                self.term(right, 1, deeper);
            }
            Node::Mul(left, right) => {
                let level = if matches!(&**left, Node::Mul(..)) { 1 } else { 2 };
                self.term(left, level, indent);
                self.out.push_str(" * ");
                self.term(right, 2, indent);
            }
            Node::Call(name, parts) => self.call(name, &[], parts.iter().collect(), indent, breaks),
            Node::Reshape(op, sizes, parts) => {
                let shown = match op {
                    Reshape::Concat | Reshape::Transpose | Reshape::Flatten => &[],
                    Reshape::Split | Reshape::PadR | Reshape::PadL | Reshape::TruncL => &sizes[1..],
                    Reshape::TruncR => &sizes[..],
                };
                self.call(op.name(), shown, parts.iter().collect(), indent, breaks);
            }
            Node::Apply(var, args) => {
                let name = self.names.get(var);
                let indices: Vec<Index> = args
                    .iter()
                    .filter_map(|arg| match arg {
                        Arg::Index(index) => Some(index.clone()),
                        Arg::Term(_) => None,
                    })
                    .collect();
                self.call(&name, &indices, children(term), indent, breaks);
            }
        }
        if wrap {
            self.out.push(')');
        }
        debug_assert!(
            binder(term, 9).is_none() || !children(term).is_empty(),
            "binders have bodies"
        );
    }

    fn loop_head(&mut self, kind: Loop, var: &Var, lo: &Index, hi: &Index) {
        self.out.push_str(match kind {
            Loop::Gen => "gen ",
            Loop::Sum => "sum ",
        });
        let name = self.names.unused(&var.name);
        self.out.push_str(&name);
        if *lo == Index::Num(0) {
            self.out.push_str(" < ");
        } else {
            self.out.push_str(" in ");
            self.index(lo);
            self.out.push_str("..");
        }
        self.index(hi);
        self.out.push(':');
    }

    /// Prints a read with all its indices in one pair of brackets.
    fn read(&mut self, term: &Term, indent: usize) {
        let mut base = term;
        let mut indices = Vec::new();
        while let Node::Get(tensor, index) = &**base {
            indices.push(index);
            base = tensor;
        }
        self.term(base, 3, indent);
        self.out.push('[');
        for (position, index) in indices.into_iter().rev().enumerate() {
            if position > 0 {
                self.out.push_str("; ");
            }
            self.index(index);
        }
        self.out.push(']');
    }

    fn call(
        &mut self,
        name: &str,
        sizes: &[Index],
        parts: Vec<&Term>,
        indent: usize,
        breaks: bool,
    ) {
        self.out.push_str(name);
        self.out.push('(');
        for (position, size) in sizes.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.index(size);
        }
        for (position, part) in parts.into_iter().enumerate() {
            if position > 0 || !sizes.is_empty() {
                self.out.push(',');
            }
            if breaks {
                self.newline(indent + 1);
                self.term(part, 0, indent + 1);
            } else {
                if position > 0 || !sizes.is_empty() {
                    self.out.push(' ');
                }
                self.term(part, 0, indent);
            }
        }
        self.out.push(')');
    }
}

/// The binding strength of an operator on integers. Functions bind like atoms.
fn strength(op: Arith) -> u8 {
    match op {
        Arith::Add | Arith::Sub => 0,
        Arith::Mul | Arith::Div | Arith::Mod => 1,
        Arith::Ceil | Arith::Min | Arith::Max => 3,
    }
}

pub(crate) fn write_index(
    out: &mut String,
    index: &Index,
    level: u8,
    name: &dyn Fn(&Var) -> String,
) {
    match index {
        Index::Num(value) => {
            let _ = if *value < 0 && level > 0 {
                write!(out, "({value})")
            } else {
                write!(out, "{value}")
            };
        }
        Index::Var(var) => out.push_str(&name(var)),
        Index::Op(op, operands) => {
            let own = strength(*op);
            let symbol = match op {
                Arith::Add => " + ",
                Arith::Sub => " - ",
                Arith::Mul => " * ",
                Arith::Div => " / ",
                Arith::Mod => " % ",
                Arith::Ceil | Arith::Min | Arith::Max => {
                    out.push_str(match op {
                        Arith::Ceil => "ceil(",
                        Arith::Min => "min(",
                        Arith::Max
                        | Arith::Add
                        | Arith::Sub
                        | Arith::Mul
                        | Arith::Div
                        | Arith::Mod => "max(",
                    });
                    write_index(out, &operands.0, 0, name);
                    out.push_str(", ");
                    write_index(out, &operands.1, 0, name);
                    out.push(')');
                    return;
                }
            };
            if own < level {
                out.push('(');
            }
            write_index(out, &operands.0, own, name);
            out.push_str(symbol);
            write_index(out, &operands.1, own + 1, name);
            if own < level {
                out.push(')');
            }
        }
    }
}

pub(crate) fn write_pred(out: &mut String, pred: &Pred, name: &dyn Fn(&Var) -> String) {
    match pred {
        Pred::Known(value) => {
            let _ = write!(out, "{value}");
        }
        Pred::Var(var) => out.push_str(&name(var)),
        Pred::Compare(compare, a, b) => {
            write_index(out, a, 0, name);
            out.push_str(match compare {
                Compare::Lt => " < ",
                Compare::Le => " <= ",
                Compare::Eq => " = ",
            });
            write_index(out, b, 0, name);
        }
        Pred::And(both) => {
            write_pred(out, &both.0, name);
            out.push_str(" && ");
            write_pred(out, &both.1, name);
        }
    }
}
