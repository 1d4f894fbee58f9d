//! Rewriting: a program in the course of a derivation, one proved step at a time.
//!
//! A step is a rule at a place, or a change that is none by definition (an intermediate result named, a bound variable renamed). Before a step is made its
//! premises are shown from what is known at its place; a certificate repeats those proofs. Everything else (reductions, schedule functions, the
//! library) is made of such steps.

mod commands;
mod cursor;
mod evidence;
mod reduce;
mod sites;
mod stage;

use std::rc::Rc;

use halidom_base::IndexMap;
use halidom_diag::Code;

pub(crate) use commands::simplest;
pub use commands::{Library, run};
pub use cursor::{Change, Cursor, forward};
pub use evidence::{Evidence, box_evidence};

use crate::codes;
use crate::context::{Context, Shape};
use crate::print;
use crate::prover::{Failure, Goal, Proof, Prover};
use crate::rules::{Bindings, Law, Premise, Rule, Rules, Value};
use crate::subst::Abstraction;
use crate::term::{
    Arith, Compare, Index, Node, Pred, Supply, Term, Var, children, equal, with_child,
};

/// Which part of which part … of a term.
pub type Path = Vec<usize>;

/// Why a command does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind.
    pub code: Code,
    /// One sentence.
    pub message: String,
    /// What would help, or for which values a premise fails.
    pub hint: Option<String>,
}

impl Refusal {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// How a premise is shown.
#[derive(Clone, Debug)]
pub enum Shown {
    /// By arithmetic.
    Goal(Goal, Proof),
    /// By the structure of a tensor that is zero outside.
    Box(Evidence),
    /// The same for its rows.
    Rows(Var, Index, Evidence),
}

/// What justifies a step at its place.
#[derive(Clone, Debug)]
pub enum Reason {
    /// A rule, its direction, what its variables stand for, and its premises.
    Rule(&'static str, bool, Bindings, Vec<Shown>),
    /// Both sides are the same by definition.
    Definition(Change),
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The command that made it, as its text.
    pub command: String,
    /// Where.
    pub path: Path,
    /// Why.
    pub reason: Reason,
    /// The whole program after it.
    pub after: Term,
}

/// What all derivations share.
#[derive(Debug)]
pub struct Engine {
    /// New variables.
    pub supply: Supply,
    /// Side conditions.
    pub prover: Prover,
    /// The rules.
    pub rules: Rules,
}

/// An engine cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The set library does not work.
    #[error(transparent)]
    Sets(#[from] halidom_poly::Error),
    /// A rule of the table cannot be read.
    #[error(transparent)]
    Rule(#[from] crate::rules::BadRule),
}

impl Engine {
    /// An engine with the rules of the table.
    pub fn new() -> Result<Self, EngineError> {
        let supply = Supply::default();
        let prover = Prover::new()?;
        let rules = Rules::new(&supply, &prover)?;
        Ok(Self { supply, prover, rules })
    }
}

/// How the iterations of a loop of the final program run. No step of a derivation: the program means the same, and that iterations may run so is shown by whoever lowers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traversal {
    /// At the same time, on several threads.
    Parallel,
    /// In lockstep, as lanes of vectors.
    Vectorized,
    /// In order, copied out.
    Unrolled,
}

/// A program in the course of a derivation.
#[derive(Debug)]
pub struct State<'e> {
    /// Rules and prover.
    pub engine: &'e Engine,
    /// What is known of sizes and inputs.
    pub top: Context,
    /// The program as it is.
    pub term: Term,
    /// How it came to be.
    pub steps: Vec<Step>,
    /// The command that is being carried out.
    pub command: String,
    /// The script's cursors.
    pub cursors: Vec<(String, Cursor)>,
    /// Loops of the final program, by the names of their variables.
    pub traversals: IndexMap<String, Traversal>,
}

impl<'e> State<'e> {
    /// Before the first step.
    pub fn new(engine: &'e Engine, top: Context, term: Term) -> Self {
        Self {
            engine,
            top,
            term,
            steps: Vec::new(),
            command: String::new(),
            cursors: Vec::new(),
            traversals: IndexMap::default(),
        }
    }

    /// A part of the program; the innermost that there is, for a path that leads nowhere.
    pub fn part(&self, path: &[usize]) -> Term {
        part(&self.term, path)
    }

    /// What is known at a place.
    pub fn context(&self, path: &[usize]) -> Context {
        context_at(&self.top, &self.term, path)
    }

    /// The laws that the steps used, in order of the enumeration.
    pub fn laws(&self) -> Vec<Law> {
        let mut laws: Vec<Law> = self
            .steps
            .iter()
            .filter_map(|step| match &step.reason {
                Reason::Rule(name, ..) => self.engine.rules.find(name),
                Reason::Definition(_) => None,
            })
            .flat_map(|rule| rule.laws.iter().copied())
            .collect();
        laws.sort_unstable();
        laws.dedup();
        laws
    }

    fn record(&mut self, path: &[usize], reason: Reason, after: &Term) {
        self.term = replace(&self.term, path, after);
        self.steps.push(Step {
            command: self.command.clone(),
            path: path.to_vec(),
            reason,
            after: Rc::clone(&self.term),
        });
    }

    /// Puts a term in a part's place that is the same by definition.
    pub fn redefine(&mut self, path: &[usize], after: &Term, change: Change) {
        self.record(path, Reason::Definition(change), after);
    }

    /// Applies a rule at a place.
    pub fn apply(
        &mut self,
        path: &[usize],
        name: &str,
        back: bool,
        given: &Given,
    ) -> Result<(), Refusal> {
        let engine = self.engine;
        let rule = engine.rules.find(name).ok_or_else(|| {
            Refusal::new(codes::UNKNOWN_COMMAND, format!("there is no rule `{name}`"))
        })?;
        let term = self.part(path);
        let context = self.context(path);
        let (from, to) = if back { (&rule.right, &rule.left) } else { (&rule.left, &rule.right) };
        let mut bindings = Bindings::default();
        for (variable, value) in &given.values {
            let Some(var) = rule.variables.iter().find(|var| *var.name == **variable) else {
                let names: Vec<&str> = rule.variables.iter().map(|var| &*var.name).collect();
                return Err(Refusal::new(
                    codes::UNKNOWN_COMMAND,
                    format!("the rule `{name}` has no `{variable}`"),
                )
                .with_hint(format!("it has {}", names.join(", "))));
            };
            bindings.values.insert(var.id, value.clone());
        }
        if !bindings.match_term(from, &term) {
            let shown = print::term(from);
            return Err(Refusal::new(codes::NO_MATCH, format!("`{name}` does not apply here"))
                .with_hint(format!("it applies to `{shown}`; here is `{}`", shortened(&term))));
        }
        // A value may speak of what the match determined: `mid = min(1, hi)`.
        for (variable, _) in &given.values {
            let var = rule.variables.iter().find(|var| *var.name == **variable);
            if let Some(var) = var
                && let Some(Value::Index(index)) = bindings.values.get(&var.id)
            {
                let resolved = bindings.subst().on_index(index);
                bindings.values.insert(var.id, Value::Index(resolved));
            }
        }
        // An equation may need what a later premise determines.
        solve(rule, &mut bindings, &context);
        solve(rule, &mut bindings, &context);
        if let Some(missing) = bindings.missing(rule) {
            return Err(Refusal::new(
                codes::UNKNOWN_COMMAND,
                format!("`{name}` needs a value for `{missing}`"),
            )
            .with_hint(format!("write `{name} with {missing} = …`")));
        }
        let mut fresh_names = given.names.iter();
        for text in binder_names(to) {
            if !bindings.has_name(&text)
                && let Some(name) = fresh_names.next()
            {
                bindings.rename(&text, name);
            }
        }
        let mut shown = Vec::new();
        for premise in &rule.premises {
            shown.push(self.show(&premise.instance(&bindings, &engine.supply), &context, name)?);
        }
        let after = bindings.instance(to, &engine.supply);
        self.record(path, Reason::Rule(rule.name, back, bindings, shown), &after);
        Ok(())
    }

    fn show(&self, premise: &Premise, context: &Context, rule: &str) -> Result<Shown, Refusal> {
        let engine = self.engine;
        let refused = |failure: Failure| {
            let refusal = Refusal::new(
                codes::PREMISE,
                format!("`{rule}` needs `{}`, which does not follow here", failure.open),
            );
            match failure.values {
                Some(values) => refusal.with_hint(format!("it does not hold for {values}")),
                None => refusal,
            }
        };
        let by_arithmetic = |goal: Goal| match engine.prover.prove(context, &goal) {
            Ok(proof) => Ok(Shown::Goal(goal, proof)),
            Err(failure) => Err(refused(failure)),
        };
        match premise {
            Premise::Compare(indices, compares) => {
                by_arithmetic(Goal::Holds(Premise::as_pred(indices, compares)))
            }
            Premise::True(pred) => by_arithmetic(Goal::Holds(pred.clone())),
            Premise::False(pred) => by_arithmetic(Goal::Never(pred.clone())),
            Premise::Same(p, q) => by_arithmetic(Goal::Same(p.clone(), q.clone())),
            Premise::Supp(v, n) => {
                let shape = Shape { dims: vec![n.clone()], rest: None };
                box_evidence(&engine.prover, context, v, &shape, 1).map(Shown::Box).map_err(refused)
            }
            Premise::Rows(v, n, m) => {
                let row = engine.supply.fresh("row", crate::term::Sort::Index);
                let inner = context.with(crate::context::Fact::Range(
                    row.clone(),
                    Index::Num(0),
                    n.clone(),
                ));
                let slice = Rc::new(Node::Get(Rc::clone(v), Index::Var(row.clone())));
                let shape = Shape { dims: vec![m.clone()], rest: None };
                box_evidence(&engine.prover, &inner, &slice, &shape, 1)
                    .map(|evidence| Shown::Rows(row, n.clone(), evidence))
                    .map_err(refused)
            }
        }
    }
}

/// What a command gives for a rule's variables and new names.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Values, by the names of the rule's text.
    pub values: Vec<(String, Value)>,
    /// Names for the binders that the rule introduces, in order.
    pub names: Vec<String>,
}

impl Given {
    /// An integer for a variable.
    #[must_use]
    pub fn index(mut self, name: &str, value: Index) -> Self {
        self.values.push((name.to_owned(), Value::Index(value)));
        self
    }

    /// A predicate for a variable.
    #[must_use]
    pub fn pred(mut self, name: &str, value: Pred) -> Self {
        self.values.push((name.to_owned(), Value::Pred(value)));
        self
    }

    /// A tensor for a variable.
    #[must_use]
    pub fn term(mut self, name: &str, value: Term) -> Self {
        let function = Abstraction { params: Vec::new(), body: value };
        self.values.push((name.to_owned(), Value::Function(function)));
        self
    }
}

/// Finds the values that a rule's premises determine: sizes of tensors, and sides of equations.
fn solve(rule: &Rule, bindings: &mut Bindings, context: &Context) {
    for premise in &rule.premises {
        let dimension = |bindings: &Bindings, v: &Term, place: usize| {
            let v = bindings.subst().on_term(v, &Supply::scratch());
            context.shape(&v).and_then(|shape| shape.dims.get(place).cloned())
        };
        let unknown = |bindings: &Bindings, index: &Index| match index {
            Index::Var(var)
                if !bindings.values.contains_key(&var.id) && rule.variables.contains(var) =>
            {
                Some(var.id)
            }
            Index::Var(_) | Index::Num(_) | Index::Op(..) => None,
        };
        let mut solved = Vec::new();
        match premise {
            Premise::Supp(v, n) => solved.push((n, dimension(bindings, v, 0))),
            Premise::Rows(v, n, m) => {
                solved.push((n, dimension(bindings, v, 0)));
                solved.push((m, dimension(bindings, v, 1)));
            }
            Premise::Compare(indices, compares) => {
                if let ([a, b], [Compare::Eq]) = (indices.as_slice(), compares.as_slice()) {
                    let mut known = true;
                    b.variables(&mut |var| known &= bindings.values.contains_key(&var.id));
                    solved.push((a, known.then(|| tidy(&bindings.subst().on_index(b)))));
                }
            }
            Premise::True(_) | Premise::False(_) | Premise::Same(..) => {}
        }
        for (index, value) in solved {
            if let (Some(id), Some(value)) = (unknown(bindings, index), value) {
                bindings.values.insert(id, Value::Index(value));
            }
        }
    }
}

/// An integer without additions of 0 and multiplications by 1.
pub fn tidy(index: &Index) -> Index {
    match index {
        Index::Num(_) | Index::Var(_) => index.clone(),
        Index::Op(op, operands) => {
            let (a, b) = (tidy(&operands.0), tidy(&operands.1));
            match (op, &a, &b) {
                (Arith::Add, Index::Num(x), Index::Num(y)) => Index::Num(x + y),
                (Arith::Sub, Index::Num(x), Index::Num(y)) => Index::Num(x - y),
                (Arith::Sub, x, y) if x == y => Index::Num(0),
                _ => Index::op(*op, a, b),
            }
        }
    }
}

/// The names of a pattern's binders, in order of appearance.
fn binder_names(pattern: &Term) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let own = match &**pattern {
        Node::Loop(_, var, ..) | Node::Let(var, ..) => Some(var.name.to_string()),
        Node::Var(_)
        | Node::Literal(_)
        | Node::Call(..)
        | Node::Guard(..)
        | Node::Get(..)
        | Node::Add(..)
        | Node::Mul(..)
        | Node::Reshape(..)
        | Node::Apply(..) => None,
    };
    names.extend(own);
    for child in children(pattern) {
        for name in binder_names(child) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// A part of a term.
pub fn part(term: &Term, path: &[usize]) -> Term {
    let mut term = Rc::clone(term);
    for place in path {
        let Some(child) = children(&term).get(*place).map(|child| Rc::clone(child)) else { break };
        term = child;
    }
    term
}

/// A term with another part.
pub fn replace(term: &Term, path: &[usize], new: &Term) -> Term {
    match path.split_first() {
        None => Rc::clone(new),
        Some((place, rest)) => match children(term).get(*place) {
            Some(child) => with_child(term, *place, replace(child, rest, new)),
            None => Rc::clone(term),
        },
    }
}

/// What is known at a place of a term.
pub fn context_at(top: &Context, term: &Term, path: &[usize]) -> Context {
    let mut context = top.clone();
    let mut here = Rc::clone(term);
    for place in path {
        context = context.enter(&here, *place);
        let Some(child) = children(&here).get(*place).map(|child| Rc::clone(child)) else { break };
        here = child;
    }
    context
}

/// A term's text on one line, not longer than a line.
pub fn shortened(term: &Term) -> String {
    let text = print::term(term).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(90) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Whether a step changed anything.
pub fn changed(before: &Term, after: &Term) -> bool {
    !equal(before, after)
}
