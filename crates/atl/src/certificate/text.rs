//! Terms as Coq text.

use std::fmt::Write as _;

use crate::names::Names;
use crate::rules::Value;
use crate::term::{
    Arg, Arith, Compare, Index, Loop, Node, Pred, Rank, Reshape, Sort, Term, Var, rank,
};

/// Names that a certificate must not give to variables: Coq's words and what the library defines.
pub(crate) const RESERVED: &[&str] = &[
    "as",
    "at",
    "cofix",
    "else",
    "end",
    "exists",
    "exists2",
    "fix",
    "for",
    "forall",
    "fun",
    "if",
    "in",
    "let",
    "match",
    "mod",
    "return",
    "Set",
    "Prop",
    "Type",
    "SProp",
    "then",
    "using",
    "where",
    "with",
    "IF",
    "by",
    "K",
    "T",
    "S",
    "O",
    "I",
    "Z",
    "nat",
    "list",
    "bool",
    "true",
    "false",
    "string",
    "zero",
    "one",
    "add",
    "mul",
    "call",
    "guard",
    "gen",
    "sum",
    "get",
    "letin",
    "concat",
    "transpose",
    "flatten",
    "split",
    "pad_r",
    "pad_l",
    "trunc_r",
    "trunc_l",
    "supp",
    "box",
    "cdiv",
    "within",
    "box_nil",
    "conj",
    "eq_refl",
    "eq_sym",
    "eq_trans",
    "source",
    "final",
    "nest",
    "derivation",
    "lowered",
    "printed",
    "mem",
    "cells",
    "Hm",
    "Ho",
    "safe",
    "H",
    "program",
    "assumed",
    "memory",
    "inputs",
    "low",
    "held",
    "env",
    "set",
    "find",
    "exec",
    "value",
    "shape",
    "name",
    "line",
    "text",
    "index",
    "test",
    "scalar",
    "stmt",
    "array",
    "known",
    "self",
    "here",
    "same",
    "inside",
    "holds",
    "computes",
    "adds",
    "scatter",
    "fits",
    "div",
    "max",
    "min",
    "names",
    "sizes",
    "map",
    "fst",
    "snd",
    "Some",
    "None",
    "left",
    "right",
    "inl",
    "inr",
    "pair",
    "app",
    "length",
    "carrier",
    "prim",
    "k0",
    "k1",
    "kadd",
    "kmul",
    "t",
    "cat",
];

/// The scalar functions and literals of a program, by the number that the certificate knows them by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions(Vec<String>);

impl Functions {
    /// The number of a function of this C name.
    pub(crate) fn number(&mut self, name: &str) -> usize {
        match self.0.iter().position(|known| known == name) {
            Some(position) => position,
            None => {
                self.0.push(name.to_owned());
                self.0.len() - 1
            }
        }
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.0
    }
}

/// The C name of a scalar function.
pub(crate) fn c_name(function: &str) -> String {
    format!("fn_{function}")
}

/// The C text of a literal that is neither 0 nor 1.
pub(crate) fn c_literal(literal: &str) -> String {
    format!("ATL_LITERAL({literal})")
}

/// Writes Coq text.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) names: Names,
    pub(crate) functions: Functions,
    /// Rank variables and their names.
    pub(crate) ranks: Vec<(u32, String)>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Self { names: Names::new(RESERVED), functions: Functions::default(), ranks: Vec::new() }
    }

    pub(crate) fn rank(&self, rank: Rank) -> String {
        match rank.base {
            None => rank.plus.to_string(),
            Some(base) => {
                let name =
                    self.ranks.iter().find(|(id, _)| *id == base).map_or("d", |(_, name)| name);
                let mut text = name.to_owned();
                for _ in 0..rank.plus {
                    text = format!("(S {text})");
                }
                text
            }
        }
    }

    pub(crate) fn index(&self, index: &Index) -> String {
        match index {
            Index::Num(value) if *value < 0 => format!("({value})"),
            Index::Num(value) => value.to_string(),
            Index::Var(var) => self.names.get(var),
            Index::Op(op, operands) => {
                let (a, b) = (self.index(&operands.0), self.index(&operands.1));
                match op {
                    Arith::Add => format!("({a} + {b})"),
                    Arith::Sub => format!("({a} - {b})"),
                    Arith::Mul => format!("({a} * {b})"),
                    Arith::Div => format!("({a} / {b})"),
                    Arith::Mod => format!("({a} mod {b})"),
                    Arith::Ceil => format!("(cdiv {a} {b})"),
                    Arith::Min => format!("(Z.min {a} {b})"),
                    Arith::Max => format!("(Z.max {a} {b})"),
                }
            }
        }
    }

    /// A predicate as a Boolean.
    pub(crate) fn boolean(&self, pred: &Pred) -> String {
        match pred {
            Pred::Known(value) => value.to_string(),
            Pred::Var(var) => self.names.get(var),
            Pred::Compare(compare, a, b) => {
                let sign = match compare {
                    Compare::Lt => "<?",
                    Compare::Le => "<=?",
                    Compare::Eq => "=?",
                };
                format!("({} {sign} {})", self.index(a), self.index(b))
            }
            Pred::And(both) => format!("({} && {})", self.boolean(&both.0), self.boolean(&both.1)),
        }
    }

    /// Comparisons as propositions, a chain where one ends with what the next begins with.
    pub(crate) fn proposition(&self, pred: &Pred) -> String {
        if let Pred::And(both) = pred
            && let (Pred::Compare(first, a, b), Pred::Compare(second, c, d)) = (&both.0, &both.1)
            && b == c
        {
            let sign = |compare: Compare| if compare == Compare::Lt { "<" } else { "<=" };
            if *first != Compare::Eq && *second != Compare::Eq {
                return format!(
                    "{} {} {} {} {}",
                    self.index(a),
                    sign(*first),
                    self.index(b),
                    sign(*second),
                    self.index(d)
                );
            }
        }
        match pred {
            Pred::Compare(compare, a, b) => {
                let sign = match compare {
                    Compare::Lt => "<",
                    Compare::Le => "<=",
                    Compare::Eq => "=",
                };
                format!("{} {sign} {}", self.index(a), self.index(b))
            }
            Pred::And(both) => {
                format!("({}) /\\ ({})", self.proposition(&both.0), self.proposition(&both.1))
            }
            Pred::Known(_) | Pred::Var(_) => format!("{} = true", self.boolean(pred)),
        }
    }

    fn sort(&self, sort: Sort) -> String {
        match sort {
            Sort::Index => "Z".to_owned(),
            Sort::Pred => "bool".to_owned(),
            Sort::Tensor(rank) => format!("T K {}", self.rank(rank)),
            Sort::Shape => "list Z".to_owned(),
        }
    }

    /// A list of variables as binders; they stay in scope.
    pub(crate) fn binders(&mut self, vars: &[Var]) -> String {
        let mut out = String::new();
        for var in vars {
            let name = self.names.bind(var);
            let _ = write!(out, " ({name} : {})", self.sort(var.sort));
        }
        out
    }

    /// A term, in parentheses unless it is a name.
    pub(crate) fn term(&mut self, term: &Term) -> String {
        match &**term {
            Node::Var(var) => self.names.get(var),
            Node::Literal(text) => match &**text {
                "0" => "(zero 0)".to_owned(),
                "1" => "one".to_owned(),
                _ => format!("(call {} [])", self.functions.number(&c_literal(text))),
            },
            Node::Call(name, parts) => {
                let number = self.functions.number(&c_name(name));
                let parts: Vec<String> = parts.iter().map(|part| self.term(part)).collect();
                format!("(call {number} [{}])", parts.join("; "))
            }
            Node::Loop(kind, var, lo, hi, body) => {
                let (lo, hi) = (self.index(lo), self.index(hi));
                let word = match kind {
                    Loop::Gen => "gen",
                    Loop::Sum => "sum",
                };
                let rank = self.rank(rank(body));
                let depth = self.names.depth();
                let name = self.names.bind(var);
                let body = self.term(body);
                self.names.leave(depth);
                format!("({word} {rank} {lo} {hi} (fun {name} => {body}))")
            }
            Node::Guard(pred, body) => {
                format!(
                    "(guard {} {} {})",
                    self.rank(rank(body)),
                    self.boolean(pred),
                    self.term(body)
                )
            }
            Node::Let(var, value, body) => {
                let ranks = (self.rank(rank(value)), self.rank(rank(body)));
                let value = self.term(value);
                let depth = self.names.depth();
                let name = self.names.bind(var);
                let body = self.term(body);
                self.names.leave(depth);
                format!("(letin {} {} {value} (fun {name} => {body}))", ranks.0, ranks.1)
            }
            Node::Get(tensor, index) => {
                let own = self.rank(rank(term));
                format!("(get {own} {} {})", self.term(tensor), self.index(index))
            }
            Node::Add(left, right) => {
                format!("(add {} {} {})", self.rank(rank(left)), self.term(left), self.term(right))
            }
            Node::Mul(left, right) => format!("(mul {} {})", self.term(left), self.term(right)),
            Node::Reshape(op, sizes, parts) => {
                let inner = rank(&parts[0]);
                let below = match op {
                    Reshape::Transpose | Reshape::Flatten => 2,
                    Reshape::Concat
                    | Reshape::Split
                    | Reshape::PadR
                    | Reshape::PadL
                    | Reshape::TruncR
                    | Reshape::TruncL => 1,
                };
                let rank = Rank { plus: inner.plus.saturating_sub(below), ..inner };
                let mut text = format!("({} {}", op.name(), self.rank(rank));
                for size in sizes {
                    let _ = write!(text, " {}", self.index(size));
                }
                for part in parts {
                    let part = self.term(part);
                    let _ = write!(text, " {part}");
                }
                text.push(')');
                text
            }
            Node::Apply(var, args) => {
                let mut text = format!("({}", self.names.get(var));
                for arg in args {
                    let arg = match arg {
                        Arg::Index(index) => self.index(index),
                        Arg::Term(term) => self.term(term),
                    };
                    let _ = write!(text, " {arg}");
                }
                text.push(')');
                text
            }
        }
    }

    /// What a variable of a rule stands for.
    pub(crate) fn value(&mut self, value: &Value) -> String {
        match value {
            Value::Index(index) => self.index(index),
            Value::Pred(pred) => self.boolean(pred),
            Value::Function(function) if function.params.is_empty() => self.term(&function.body),
            Value::Function(function) => {
                let depth = self.names.depth();
                let binders = self.binders(&function.params);
                let body = self.term(&function.body);
                self.names.leave(depth);
                format!("(fun{binders} => {body})")
            }
        }
    }

    /// A list of sizes.
    pub(crate) fn sizes(&self, dims: &[Index], rest: Option<&Var>) -> String {
        match rest {
            None => {
                let dims: Vec<String> = dims.iter().map(|dim| self.index(dim)).collect();
                format!("[{}]", dims.join("; "))
            }
            Some(rest) => {
                let mut text = self.names.get(rest);
                for dim in dims.iter().rev() {
                    text = format!("{} :: {text}", self.index(dim));
                }
                format!("({text})")
            }
        }
    }
}
