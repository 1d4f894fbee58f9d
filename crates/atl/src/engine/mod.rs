//! Rewriting: a program in the course of a derivation, one proved step at a time.
//!
//! A step is a rule at a place, or a change that keeps both sides equal by definition (naming an
//! intermediate result, renaming a bound variable). Before a step is made, its premises are proved
//! from the facts at its place; a certificate repeats those proofs. Everything else (reductions,
//! schedule functions, the library) is made of such steps.

mod commands;
mod cursor;
mod evidence;
mod reduce;
mod simplest;
mod sites;
mod stage;

use std::rc::Rc;

use halidom_base::IndexMap;
use halidom_diag::Code;

pub use commands::{Library, run};
pub use cursor::{Change, Cursor, forward};
pub use evidence::{Evidence, box_evidence};
pub(crate) use simplest::simplest;

use crate::codes;
use crate::context::{Context, Shape};
use crate::print;
use crate::prover::{Failure, Goal, Proof, Prover};
use crate::rules::{Bindings, Law, Premise, Rule, Rules, Value};
use crate::subst::Abstraction;
use crate::term::{
    Arith, Compare, Index, Node, Pred, Supply, Term, Var, children, equal, with_child,
};

/// A path to a part of a term: the number of a part, then the number of a part of that, and so on.
pub type Path = Vec<usize>;

/// The reason why a command is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The diagnostic's code.
    pub code: Code,
    /// The reason in one sentence.
    pub message: String,
    /// Help, or the values for which a premise fails.
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

/// The proof of a premise.
#[derive(Clone, Debug)]
pub enum Shown {
    /// A proof by arithmetic.
    Goal(Goal, Proof),
    /// A proof by the structure of a tensor that is zero outside of its box.
    Box(Evidence),
    /// A proof of the same for the tensor's rows.
    Rows(Var, Index, Evidence),
}

/// The justification of a step.
#[derive(Clone, Debug)]
pub enum Reason {
    /// A rule, true if used from right to left, the values of its variables, and the proofs of its
    /// premises.
    Rule(&'static str, bool, Bindings, Vec<Shown>),
    /// Both sides are equal by definition.
    Definition(Change),
}

/// A step of a derivation.
#[derive(Clone, Debug)]
pub struct Step {
    /// The text of the command that made the step.
    pub command: String,
    /// The place of the step.
    pub path: Path,
    /// The justification.
    pub reason: Reason,
    /// The whole program after the step.
    pub after: Term,
}

/// The parts that all derivations share.
#[derive(Debug)]
pub struct Engine {
    /// The source of new variables.
    pub supply: Supply,
    /// The prover of side conditions.
    pub prover: Prover,
    /// The rules.
    pub rules: Rules,
}

/// The reason why an engine cannot be made.
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
    /// Makes an engine with the rules of the table.
    ///
    /// # Errors
    /// Any [`EngineError`].
    pub fn new() -> Result<Self, EngineError> {
        let supply = Supply::default();
        let prover = Prover::new()?;
        let rules = Rules::new(&supply, &prover)?;
        Ok(Self { supply, prover, rules })
    }
}

/// The execution order of a loop of the final program. It is not a step of a derivation: the
/// program's meaning stays the same. The lowering has to show that the iterations may run in this
/// way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traversal {
    /// At the same time, on several threads.
    Parallel,
    /// In lockstep, as lanes of vectors.
    Vectorized,
    /// In order, with one copy of the body for each iteration.
    Unrolled,
}

/// A program in the course of a derivation.
#[derive(Debug)]
pub struct State<'e> {
    /// The shared rules and prover.
    pub engine: &'e Engine,
    /// The facts about sizes and inputs.
    pub top: Context,
    /// The present program.
    pub term: Term,
    /// The steps so far.
    pub steps: Vec<Step>,
    /// The command that is being carried out.
    pub command: String,
    /// The script's cursors.
    pub cursors: Vec<(String, Cursor)>,
    /// The execution orders of loops of the final program, by the names of their variables.
    pub traversals: IndexMap<String, Traversal>,
}

impl<'e> State<'e> {
    /// Returns the state before the first step.
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

    /// A part of the program. For a path that leads nowhere, the innermost part on it.
    pub fn part(&self, path: &[usize]) -> Term {
        part(&self.term, path)
    }

    /// The context at a place.
    pub fn context(&self, path: &[usize]) -> Context {
        context_at(&self.top, &self.term, path)
    }

    /// The laws that the steps used, in the order of the enumeration.
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

    /// Replaces a part by a term that is equal by definition.
    pub fn redefine(&mut self, path: &[usize], after: &Term, change: Change) {
        self.record(path, Reason::Definition(change), after);
    }

    /// Applies a rule at a place.
    ///
    /// # Errors
    /// The rule is unknown or does not match, a variable has no value, or a premise is not shown.
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
        // A value may mention variables that the match determined: `mid = min(1, hi)`.
        for (variable, _) in &given.values {
            let var = rule.variables.iter().find(|var| *var.name == **variable);
            if let Some(var) = var
                && let Some(Value::Index(index)) = bindings.values.get(&var.id)
            {
                let resolved = bindings.subst().on_index(index);
                bindings.values.insert(var.id, Value::Index(resolved));
            }
        }
        // An equation may need a value that a later premise determines, so this runs twice.
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

/// A command's values for a rule's variables, and its new names.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The values, by the names in the rule's text.
    pub values: Vec<(String, Value)>,
    /// The names of the binders that the rule introduces, in order.
    pub names: Vec<String>,
}

impl Given {
    /// Adds an integer for a variable.
    #[must_use]
    pub fn index(mut self, name: &str, value: Index) -> Self {
        self.values.push((name.to_owned(), Value::Index(value)));
        self
    }

    /// Adds a predicate for a variable.
    #[must_use]
    pub fn pred(mut self, name: &str, value: Pred) -> Self {
        self.values.push((name.to_owned(), Value::Pred(value)));
        self
    }

    /// Adds a tensor for a variable.
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

/// Simplifies an integer: sums and differences of numbers, `x - x`, additions of 0 and
/// multiplications by 1.
pub fn tidy(index: &Index) -> Index {
    match index {
        Index::Num(_) | Index::Var(_) => index.clone(),
        Index::Op(op, operands) => {
            let (a, b) = (tidy(&operands.0), tidy(&operands.1));
            match (op, &a, &b) {
                (Arith::Add, Index::Num(x), Index::Num(y)) => {
                    x.checked_add(*y).map_or_else(|| Index::op(*op, a, b), Index::Num)
                }
                (Arith::Sub, Index::Num(x), Index::Num(y)) => {
                    x.checked_sub(*y).map_or_else(|| Index::op(*op, a, b), Index::Num)
                }
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

/// The part of a term at a path.
pub fn part(term: &Term, path: &[usize]) -> Term {
    let mut term = Rc::clone(term);
    for place in path {
        let Some(child) = children(&term).get(*place).map(|child| Rc::clone(child)) else { break };
        term = child;
    }
    term
}

/// Returns a term with another part at a path.
pub fn replace(term: &Term, path: &[usize], new: &Term) -> Term {
    match path.split_first() {
        None => Rc::clone(new),
        Some((place, rest)) => match children(term).get(*place) {
            Some(child) => with_child(term, *place, replace(child, rest, new)),
            None => Rc::clone(term),
        },
    }
}

/// The context at a place of a term.
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

/// A term's text on one line, cut off after 90 characters.
pub fn shortened(term: &Term) -> String {
    let text = print::term(term).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(90) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// True if a step changed anything.
pub fn changed(before: &Term, after: &Term) -> bool {
    !equal(before, after)
}
