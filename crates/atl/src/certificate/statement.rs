//! `Statement.v`: the claim of a certificate.
//!
//! It is written from the source program, its final form, the loop nest and the C text. It shares
//! with the text of the proof only names for the program's variables and the numbers of its
//! functions.
//!
//! # Correctness
//! A user who trusts a certificate trusts this module for the source program ([`Statement::term`]),
//! for the conditions, for the shape of the theorem, and for the claim that the C text in it is the
//! one that is compiled. A loop nest or final program that is printed wrongly gives a theorem that
//! has no proof, or an equally strong one: the theorem leads from the source program to the C text,
//! whatever lies between.
//!
//! Every word of the library is written with its module's name, so no variable of a program can be
//! mistaken for one. Coq's own words and those in [`WORDS`] are not used as names of variables.

use std::fmt::Write as _;

use super::apart::Mark;
use super::text::{self, Functions};
use crate::context::Fact;
use crate::lower::{Scalar, Stmt};
use crate::names::Names;
use crate::program::{Element, Program};
use crate::term::{Arg, Arith, Compare, Index, Loop, Node, Pred, Rank, Reshape, Term, Var, rank};

/// The names that a statement defines itself.
const WORDS: &[&str] = &[
    "K",
    "mem",
    "cells",
    "source",
    "final",
    "derived",
    "nest",
    "program",
    "names",
    "marks",
    "separated",
    "conditions",
    "arrays",
    "output",
    "checks",
    "lowered",
    "lowered_source",
    "text",
    "printed",
    "theorem",
    "sizes",
    "inputs",
    "prim",
];

fn is_reserved(name: &str) -> bool {
    WORDS.contains(&name) || text::is_reserved(name)
}

/// The contents of a statement.
pub(crate) struct Claim<'c> {
    /// The source program.
    pub(crate) program: &'c Program,
    /// The final program.
    pub(crate) last: &'c Term,
    /// The program that is lowered: the source program with every unknown shape empty.
    pub(crate) small: &'c Program,
    pub(crate) nest: &'c Stmt,
    /// The array of the result.
    pub(crate) output: &'c Var,
    /// The C function's name and its text.
    pub(crate) name: &'c str,
    pub(crate) function: &'c str,
    /// The C names of scalar functions and literals, by their number.
    pub(crate) functions: &'c Functions,
    /// The lines of C before loops whose iterations may run at the same time.
    pub(crate) marks: &'c [Mark],
}

/// The semiring of `coq/Instances.v` for a type of elements. Floating point is not a semiring.
pub(crate) fn semiring(element: Element) -> Option<&'static str> {
    match element {
        Element::I32 => Some("wrapping 32"),
        Element::I64 => Some("wrapping 64"),
        Element::MinPlus => Some("min_plus"),
        Element::F32 | Element::F64 => None,
    }
}

/// Writes the whole file.
pub(crate) fn print(claim: &Claim<'_>) -> String {
    let mut out = format!(
        "(* What the certificate of {} states. *)\n\
         From Coq Require Import ZArith List String.\n\
         From Halidom Require Tensor Loop Machine Lower Parallel Print Instances.\n\
         Open Scope Z_scope.\nImport ListNotations.\n\n",
        claim.program.name
    );
    derived(&mut out, claim);
    lowered(&mut out, claim);
    let instance = semiring(claim.small.element()).map_or(String::new(), |semiring| {
        format!(" /\\ (forall prim, lowered (Instances.{semiring} prim))")
    });
    let separated = if claim.marks.is_empty() { "" } else { " /\\ separated" };
    let _ = writeln!(
        out,
        "(* Functional extensionality is a premise. *)\n\
         Definition theorem : Prop :=\n\
         \x20 Tensor.Extensionality -> derived /\\ (forall K, lowered K){instance}{separated} /\\ \
         printed."
    );
    out
}

/// Writes the claim that the source program and the final one are equal.
fn derived(out: &mut String, claim: &Claim<'_>) {
    let mut printer = Statement::new(claim.functions);
    let (binders, premises, arguments) = printer.interface(claim.program);
    let own = printer.rank(rank(&claim.program.body));
    let source = printer.term(&claim.program.body);
    let last = printer.term(claim.last);
    let _ = writeln!(
        out,
        "(* The source program, and the one at the derivation's end. *)\n\
         Definition source {{K : Tensor.semiring}}{binders} : Tensor.T K {own} :=\n  {source}.\n\
         Definition final {{K : Tensor.semiring}}{binders} : Tensor.T K {own} :=\n  {last}.\n\
         Definition derived : Prop :=\n  forall (K : Tensor.semiring){binders},\n{premises}\
         \x20 source{arguments} = final{arguments}.\n"
    );
}

/// Writes the claim that running the loop nest with the numbers of C leaves the source program's
/// tensor in the output, and that the C is its text.
fn lowered(out: &mut String, claim: &Claim<'_>) {
    let program = claim.small;
    let mut printer = Statement::new(claim.functions);
    let (binders, premises, arguments) = printer.interface(program);
    let dims: Vec<Index> = program.shape.dims.iter().map(crate::engine::tidy).collect();
    let mut source = format!("(source{arguments})");
    if !claim.program.shapes.is_empty() {
        let own = printer.rank(rank(&program.body));
        let body = printer.term(&program.body);
        let _ = writeln!(
            out,
            "(* The source program where its unknown shapes are empty. *)\n\
             Definition lowered_source {{K : Tensor.semiring}}{binders} : Tensor.T K {own} :=\n  \
             {body}.\n"
        );
        source = format!("(lowered_source{arguments})");
    }
    // In C every variable has its own name, given by `lower::function`.
    let mut c_names = Names::new(crate::lower::is_reserved_in_c);
    let inputs = program.inputs.iter().map(|input| &input.var);
    for var in program.sizes.iter().chain(inputs).chain([claim.output]) {
        c_names.bind(var);
    }
    let mut deep = Nest { names: c_names, functions: claim.functions };
    let nest = deep.stmt(claim.nest);
    let target = deep.names.get(claim.output);
    let list = |parts: Vec<String>| format!("[{}]", parts.join("; "));
    let names = program.sizes.iter().map(|size| deep.quoted(size)).collect();
    let conditions = program.hypotheses.iter().map(|pred| deep.pred(pred)).collect();
    let arrays = program
        .inputs
        .iter()
        .map(|input| format!("({}, {})", deep.quoted(&input.var), deep.indices(&input.shape.dims)))
        .collect();
    let functions = claim.functions.names().iter().map(|name| format!("\"{name}\"")).collect();
    let sizes = list(
        program
            .sizes
            .iter()
            .map(|size| format!("({}, {})", deep.quoted(size), printer.names.get(size)))
            .collect(),
    );
    let separated = separated(claim, &printer, &sizes);
    let inputs = program
        .inputs
        .iter()
        .map(|input| {
            let shape = printer.list(&input.shape.dims);
            let value = printer.names.get(&input.var);
            let rank = input.shape.dims.len();
            format!(
                "({}, Loop.Array {shape} (Lower.held {rank} {shape} {value}))",
                deep.quoted(&input.var)
            )
        })
        .collect();
    let (shape, output_shape, rank) = (printer.list(&dims), deep.indices(&dims), dims.len());
    let _ = writeln!(
        out,
        "(* The loop nest, its arrays, and what is checked before it runs. *)\n\
         Definition nest : Loop.stmt := ({nest})%string.\n\
         Definition program : Loop.stmt := Loop.Seq (Loop.Clear \"{target}\") nest.\n\
         Definition names : list string := {}%string.\n\
         Definition marks : list (string * string) := {}%string.\n\
         Definition conditions : list Loop.test := {}%string.\n\
         Definition arrays : Machine.shapes := {}%string.\n\
         Definition output : string * list Loop.index := (\"{target}\", {output_shape})%string.\n\
         Definition checks : list Machine.check := Machine.entry names conditions (output :: \
         arrays) program.\n\n\
         (* Where the checks pass, running the program with the numbers of C leaves the source \
         program's tensor in the output;\n\
         \x20  [None] would be an access out of bounds, or a number beyond 64 bits. *)\n\
         Definition lowered (K : Tensor.semiring) : Prop :=\n  forall{binders},\n{premises}\
         \x20 let sizes : Loop.env := {}%string in\n\
         \x20 let inputs : Lower.known K := {}%string in\n\
         \x20 Machine.admits sizes checks = true ->\n\
         \x20 forall (mem : Loop.memory K) cells,\n\
         \x20 Lower.holds inputs mem -> mem \"{target}\"%string = Some (Loop.Array {shape} cells) \
         ->\n\
         \x20 Machine.exec64 (output :: arrays) sizes program mem\n\
         \x20 = Some (Loop.set mem \"{target}\" (Some (Loop.Array {shape} (Lower.held {rank} \
         {shape} {source})))).\n\n\
         {separated}(* The program's text in C. *)\n\
         Definition text : string :=\n\"{}\"%string.\n\
         Definition printed : Prop :=\n  Print.c_function {}%string marks \"{}\" names arrays \
         output conditions program = text.\n",
        list(names),
        marks(claim.marks),
        list(conditions),
        list(arrays),
        sizes,
        list(inputs),
        claim.function,
        list(functions),
        claim.name,
    );
}

/// The claim that no two iterations of a marked loop touch the same element, one by a write.
fn separated(claim: &Claim<'_>, printer: &Statement<'_>, sizes: &str) -> String {
    if claim.marks.is_empty() {
        return String::new();
    }
    let mut text =
        "(* No two iterations of a marked loop touch the same element of an array, one of \
        them by a write. *)\nDefinition separated : Prop :=\n  forall"
            .to_owned();
    for size in &claim.small.sizes {
        let _ = write!(text, " ({} : Z)", printer.names.get(size));
    }
    text.push_str(",\n");
    for fact in &claim.small.context().facts {
        if let Fact::Holds(pred) = fact {
            let _ = writeln!(text, "  ({}) ->", printer.proposition(pred));
        }
    }
    let _ = write!(text, "  Parallel.apart (map fst marks) {sizes}%string program.\n\n");
    text
}

/// The lines before loops, as a Coq list.
pub(super) fn marks(marks: &[Mark]) -> String {
    let parts: Vec<String> =
        marks.iter().map(|(name, line)| format!("(\"{name}\", \"{line}\")")).collect();
    format!("[{}]", parts.join("; "))
}

/// Writes programs.
struct Statement<'f> {
    names: Names,
    functions: &'f Functions,
    /// The rank variables and their names.
    ranks: Vec<(u32, String)>,
}

impl<'f> Statement<'f> {
    fn new(functions: &'f Functions) -> Self {
        Self { names: Names::new(is_reserved), functions, ranks: Vec::new() }
    }

    /// A program's variables as binders, its conditions as premises (one for each line), and the
    /// variables as arguments.
    fn interface(&mut self, program: &Program) -> (String, String, String) {
        let (mut binders, mut premises, mut arguments) =
            (String::new(), String::new(), String::new());
        for shape in &program.shapes {
            let list = self.names.bind(shape);
            let rank = self.names.take(&format!("{list}_rank"));
            self.ranks.push((shape.id, rank.clone()));
            let _ = write!(binders, " ({rank} : nat) ({list} : list Z)");
            let _ = write!(arguments, " {rank} {list}");
        }
        for size in &program.sizes {
            let name = self.names.bind(size);
            let _ = write!(binders, " ({name} : Z)");
            let _ = write!(arguments, " {name}");
        }
        for input in &program.inputs {
            let rank = self.rank(input.var.rank());
            let name = self.names.bind(&input.var);
            let _ = write!(binders, " ({name} : Tensor.T K {rank})");
            let _ = write!(arguments, " {name}");
        }
        for fact in &program.context().facts {
            match fact {
                Fact::Holds(pred) => {
                    let _ = writeln!(premises, "  ({}) ->", self.proposition(pred));
                }
                Fact::Any(_) | Fact::Range(..) | Fact::Is(..) => {}
            }
        }
        for input in &program.inputs {
            let rank = self.rank(input.var.rank());
            let mut sizes = self.list(&input.shape.dims);
            if let Some(rest) = &input.shape.rest {
                sizes = format!("({sizes} ++ {})%list", self.names.get(rest));
            }
            let name = self.names.get(&input.var);
            let _ = writeln!(premises, "  Tensor.box {rank} {sizes} {name} ->");
        }
        (binders, premises, arguments)
    }

    fn rank(&self, rank: Rank) -> String {
        let Some(base) = rank.base else { return rank.plus.to_string() };
        let name = self.ranks.iter().find(|(id, _)| *id == base).map_or("d", |(_, name)| name);
        (0..rank.plus).fold(name.to_owned(), |text, _| format!("(S {text})"))
    }

    fn list(&self, indices: &[Index]) -> String {
        let parts: Vec<String> = indices.iter().map(|index| self.index(index)).collect();
        format!("[{}]", parts.join("; "))
    }

    fn index(&self, index: &Index) -> String {
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
                    Arith::Ceil => format!("(Tensor.cdiv {a} {b})"),
                    Arith::Min => format!("(Z.min {a} {b})"),
                    Arith::Max => format!("(Z.max {a} {b})"),
                }
            }
        }
    }

    fn boolean(&self, pred: &Pred) -> String {
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
            Pred::And(both) => {
                format!("({} && {})%bool", self.boolean(&both.0), self.boolean(&both.1))
            }
        }
    }

    fn proposition(&self, pred: &Pred) -> String {
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

    /// Writes a term, in parentheses unless it is a name.
    fn term(&mut self, term: &Term) -> String {
        let own = self.rank(rank(term));
        match &**term {
            Node::Var(var) => self.names.get(var),
            Node::Literal(literal) => match &**literal {
                "0" => "(Tensor.zero 0)".to_owned(),
                "1" => "Tensor.one".to_owned(),
                _ => format!("(Tensor.call {} [])", self.number(&text::c_literal(literal))),
            },
            Node::Call(name, parts) => {
                let number = self.number(&text::c_name(name));
                let parts: Vec<String> = parts.iter().map(|part| self.term(part)).collect();
                format!("(Tensor.call {number} [{}])", parts.join("; "))
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
                format!("(Tensor.{word} {rank} {lo} {hi} (fun {name} => {body}))")
            }
            Node::Guard(pred, body) => {
                format!("(Tensor.guard {own} {} {})", self.boolean(pred), self.term(body))
            }
            Node::Let(var, value, body) => {
                let ranks = (self.rank(rank(value)), self.rank(rank(body)));
                let value = self.term(value);
                let depth = self.names.depth();
                let name = self.names.bind(var);
                let body = self.term(body);
                self.names.leave(depth);
                format!("(Tensor.letin {} {} {value} (fun {name} => {body}))", ranks.0, ranks.1)
            }
            Node::Get(tensor, index) => {
                format!("(Tensor.get {own} {} {})", self.term(tensor), self.index(index))
            }
            Node::Add(left, right) => {
                format!("(Tensor.add {own} {} {})", self.term(left), self.term(right))
            }
            Node::Mul(left, right) => {
                format!("(Tensor.mul {} {})", self.term(left), self.term(right))
            }
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
                let mut text = format!("(Tensor.{} {}", op.name(), self.rank(rank));
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

    /// The number of a function. For an unknown name, a number that no function has.
    fn number(&self, name: &str) -> usize {
        let names = self.functions.names();
        names.iter().position(|known| known == name).unwrap_or(names.len())
    }
}

/// Writes loop nests with the names that their variables have in C.
struct Nest<'f> {
    names: Names,
    functions: &'f Functions,
}

impl Nest<'_> {
    fn quoted(&self, var: &Var) -> String {
        format!("\"{}\"", self.names.get(var))
    }

    fn index(&self, index: &Index) -> String {
        match index {
            Index::Num(value) if *value < 0 => format!("(Loop.Num ({value}))"),
            Index::Num(value) => format!("(Loop.Num {value})"),
            Index::Var(var) => format!("(Loop.Var {})", self.quoted(var)),
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
                format!("(Loop.{word} {} {})", self.index(&operands.0), self.index(&operands.1))
            }
        }
    }

    fn indices(&self, indices: &[Index]) -> String {
        let parts: Vec<String> = indices.iter().map(|index| self.index(index)).collect();
        format!("[{}]", parts.join("; "))
    }

    fn pred(&self, pred: &Pred) -> String {
        match pred {
            Pred::Known(true) => "Loop.Yes".to_owned(),
            Pred::Known(false) => "Loop.No".to_owned(),
            Pred::Var(var) => self.names.get(var),
            Pred::Compare(compare, a, b) => {
                let word = match compare {
                    Compare::Lt => "Lt",
                    Compare::Le => "Le",
                    Compare::Eq => "Eq",
                };
                format!("(Loop.{word} {} {})", self.index(a), self.index(b))
            }
            Pred::And(both) => format!("(Loop.And {} {})", self.pred(&both.0), self.pred(&both.1)),
        }
    }

    fn scalar(&self, scalar: &Scalar) -> String {
        match scalar {
            Scalar::Zero => "Loop.Zero".to_owned(),
            Scalar::One => "Loop.One".to_owned(),
            Scalar::Load(array, indices) => {
                format!("(Loop.Fetch {} {})", self.quoted(array), self.indices(indices))
            }
            Scalar::Add(parts) => {
                format!("(Loop.Sum2 {} {})", self.scalar(&parts.0), self.scalar(&parts.1))
            }
            Scalar::Mul(parts) => {
                format!("(Loop.Mul2 {} {})", self.scalar(&parts.0), self.scalar(&parts.1))
            }
            Scalar::When(pred, value) => {
                format!("(Loop.When {} {})", self.pred(pred), self.scalar(value))
            }
            Scalar::Apply(name, parts) => {
                let names = self.functions.names();
                let number = names.iter().position(|known| known == name).unwrap_or(names.len());
                let parts: Vec<String> =
                    parts.iter().map(|part| format!(" {}", self.scalar(part))).collect();
                format!("(Loop.Apply{} {number}{})", parts.len(), parts.concat())
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> String {
        let depth = self.names.depth();
        let text = match stmt {
            Stmt::Store(array, indices, value) => {
                format!(
                    "(Loop.Store {} {} {})",
                    self.quoted(array),
                    self.indices(indices),
                    self.scalar(value)
                )
            }
            Stmt::Seq(parts) => {
                format!("(Loop.Seq {} {})", self.stmt(&parts.0), self.stmt(&parts.1))
            }
            Stmt::For(var, lo, hi, body) => {
                let (lo, hi) = (self.index(lo), self.index(hi));
                let name = self.names.bind(var);
                format!("(Loop.For \"{name}\" {lo} {hi} {})", self.stmt(body))
            }
            Stmt::If(pred, body) => format!("(Loop.If {} {})", self.pred(pred), self.stmt(body)),
            Stmt::New(array, shape, body) => {
                let shape = self.indices(shape);
                let name = self.names.bind(array);
                format!("(Loop.New \"{name}\" {shape} {})", self.stmt(body))
            }
        };
        self.names.leave(depth);
        text
    }
}
