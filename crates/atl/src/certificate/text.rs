//! Prints terms as Coq text.

use std::fmt::Write as _;

use crate::names::Names;
use crate::rules::Value;
use crate::term::{
    Arg, Arith, Compare, Index, Loop, Node, Pred, Rank, Reshape, Sort, Term, Var, rank,
};

/// Coq's words, and the names of Coq's library that certificates use.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "as", "at", "cofix", "else", "end", "exists", "exists2", "fix", "for", "forall", "fun", "if",
    "in", "let", "match", "mod", "return", "Set", "Prop", "Type", "SProp", "then", "using", "where",
    "with", "IF", "by", "S", "O", "I", "Z", "nat", "list", "bool", "true", "false", "string",
    "conj", "eq_refl", "eq_sym", "eq_trans", "f_equal", "f_equal2", "cons", "nil", "Some", "None",
    "left", "right", "inl", "inr", "pair", "app", "length", "map", "fst", "snd", "max", "min",
    "div", "not_true_is_false",
    // The names that certificates define themselves.
    "K", "H", "Hm", "Ho", "mem", "cells", "source", "source_0", "final", "final_0", "nest",
    "program", "sizes", "inputs", "names", "conditions", "arrays", "output", "derived", "derived_0",
    "derivation", "low_final", "lowered", "printed", "ext", "Hc", "theorem", "Statement",
    "HalidomStatement",
];

/// The prefixes of the names that certificates number: definitions, lemmas, hypotheses.
pub(crate) const NUMBERED: &[&str] = &["p", "q", "s", "n_s", "o", "w", "n", "R"];

/// True if a name is such a prefix followed by a number.
pub(crate) fn is_numbered(name: &str) -> bool {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    letters.len() < name.len() && NUMBERED.contains(&letters)
}

/// True if a certificate must not give this name to a variable, because the name has another
/// meaning there.
pub(crate) fn is_reserved(name: &str) -> bool {
    static LIBRARY: std::sync::OnceLock<halidom_base::FxHashSet<String>> =
        std::sync::OnceLock::new();
    let library =
        || crate::check::LIBRARY.iter().flat_map(|(_, text)| defined_names(text)).collect();
    RESERVED.contains(&name) || is_numbered(name) || LIBRARY.get_or_init(library).contains(name)
}

/// The names that a file of the library defines: lemmas, definitions, tactics, types with their
/// constructors and fields.
fn defined_names(text: &str) -> Vec<String> {
    const KEYWORDS: &[&str] =
        &["Lemma", "Theorem", "Definition", "Fixpoint", "Inductive", "Record", "Ltac"];
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_alphabetic());
    let mut names = Vec::new();
    for sentence in sentences(text) {
        let spaced = sentence.replace(['(', ')', '{', '}', ';'], " ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let Some(keyword) = words.first().filter(|word| KEYWORDS.contains(word)) else { continue };
        names.extend(words.get(1).map(|word| (*word).to_owned()));
        for pair in words.windows(2) {
            let constructor = *keyword == "Inductive" && matches!(pair[0], "|" | ":=");
            let field = *keyword == "Record" && (pair[1].starts_with(':') || pair[0] == ":=");
            if constructor || field {
                names.extend(
                    pair.iter().filter(|word| is_name(word)).map(|word| (*word).to_owned()),
                );
            }
        }
    }
    names
}

/// The sentences of one of the library's files. A full stop before a blank ends a sentence, outside
/// of comments and strings.
fn sentences(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut current = String::new();
    let (mut depth, mut quoted) = (0_u32, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('(', Some('*')) if !quoted => {
                chars.next();
                depth += 1;
                continue;
            }
            ('*', Some(')')) if !quoted && depth > 0 => {
                chars.next();
                depth -= 1;
                continue;
            }
            _ if depth > 0 => continue,
            ('"', _) => quoted = !quoted,
            _ => {}
        }
        current.push(c);
        if c == '.' && !quoted && chars.peek().is_none_or(|next| next.is_whitespace()) {
            all.push(current.trim().to_owned());
            current.clear();
        }
    }
    all
}

/// The scalar functions and literals of a program. Their positions are their numbers in the
/// certificate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions(Vec<String>);

impl Functions {
    /// The number of the function with this C name.
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
    /// The rank variables and their names.
    pub(crate) ranks: Vec<(u32, String)>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Self { names: Names::new(is_reserved), functions: Functions::default(), ranks: Vec::new() }
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

    /// Writes a predicate as a Boolean.
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

    /// Writes comparisons as propositions. Two comparisons are a chain if the second begins with
    /// the end of the first.
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

    /// Writes a list of variables as binders. They stay in scope.
    pub(crate) fn binders(&mut self, vars: &[Var]) -> String {
        let mut out = String::new();
        for var in vars {
            let name = self.names.bind(var);
            let _ = write!(out, " ({name} : {})", self.sort(var.sort));
        }
        out
    }

    /// Writes a term, in parentheses unless it is a name.
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

    /// Writes the value of a rule's variable.
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

    /// Writes a list of sizes.
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
