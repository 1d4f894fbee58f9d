//! Cursors: places that later steps carry along.
//!
//! A cursor taken before a step denotes the same part of the program after it. Parts outside of the
//! step's place stay where they are. Inside, the value of a rule's variable goes to each place at
//! which the other side of the rule has that variable. There may be several such places, or none. A
//! binder of the rule goes to the binders that inherit its name, and a guard to the guards with the
//! same predicate. The whole goes to the whole.

use std::rc::Rc;

use super::{Path, Reason, Refusal, State, Step};
use crate::codes;
use crate::rules::{Bindings, Rules, Value};
use crate::term::{Arg, Node, Term, Var, children};

/// A place, with the number of steps that were made when it was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    steps: usize,
    path: Path,
}

/// The way in which a step that is not a rule changes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A part, found at these places, becomes the value of a `let` around the whole.
    Bound(Vec<Path>),
    /// Every part stays where it is.
    Renamed,
}

impl State<'_> {
    /// Returns a cursor at a place of the present program.
    pub fn cursor(&self, path: &[usize]) -> Cursor {
        Cursor { steps: self.steps.len(), path: path.to_vec() }
    }

    /// The places, one or more, to which the later steps have carried a cursor.
    ///
    /// # Errors
    /// The place is gone. The refusal names the command that removed it.
    pub fn resolve(&self, cursor: &Cursor) -> Result<Vec<Path>, Refusal> {
        let mut places = vec![cursor.path.clone()];
        for step in self.steps.get(cursor.steps..).unwrap_or_default() {
            let mut carried: Vec<Path> = Vec::new();
            for place in places.iter().flat_map(|place| forward(&self.engine.rules, step, place)) {
                if !carried.contains(&place) {
                    carried.push(place);
                }
            }
            if carried.is_empty() {
                let message = format!("`{}` removed this place", step.command);
                return Err(Refusal::new(codes::NO_SITE, message));
            }
            places = carried;
        }
        Ok(places)
    }
}

/// The places to which a step carries a place.
pub fn forward(rules: &Rules, step: &Step, place: &[usize]) -> Vec<Path> {
    let Some(inner) = place.strip_prefix(step.path.as_slice()) else { return vec![place.to_vec()] };
    let carried = match &step.reason {
        Reason::Definition(Change::Renamed) => vec![inner.to_vec()],
        Reason::Definition(Change::Bound(parts)) => {
            let within = parts.iter().find_map(|part| inner.strip_prefix(part.as_slice()));
            let (first, rest) = within.map_or((1, inner), |rest| (0, rest));
            vec![joined(&[first], rest)]
        }
        Reason::Rule(name, back, bindings, _) => match rules.find(name) {
            None => Vec::new(),
            Some(rule) => {
                let (from, to) =
                    if *back { (&rule.right, &rule.left) } else { (&rule.left, &rule.right) };
                through(from, to, bindings, inner)
            }
        },
    };
    carried.into_iter().map(|inner| joined(&step.path, &inner)).collect()
}

fn joined(first: &[usize], second: &[usize]) -> Path {
    [first, second].concat()
}

/// The part of a pattern's instance that a place belongs to.
enum Part {
    /// A part of the value of a rule's variable.
    Of(Var, Path),
    /// A node of the pattern itself.
    Own(Term, Path),
    /// There is no such place.
    None,
}

fn through(from: &Term, to: &Term, bindings: &Bindings, inner: &[usize]) -> Vec<Path> {
    match located(from, bindings, inner) {
        Part::None => Vec::new(),
        Part::Of(var, rest) => {
            let mut all = Vec::new();
            occurrences(to, bindings, &var, &mut Vec::new(), &mut all);
            all.iter().map(|place| joined(place, &rest)).collect()
        }
        Part::Own(node, place) => {
            let mut heirs = Vec::new();
            own_nodes(to, &mut Vec::new(), &mut |other, path| {
                if inherits(&node, other) {
                    heirs.push(path.to_vec());
                }
            });
            let named = matches!(&*node, Node::Loop(..) | Node::Let(..) | Node::Guard(..));
            let mut twins = 0;
            own_nodes(from, &mut Vec::new(), &mut |other, _| {
                twins += usize::from(inherits(&node, other));
            });
            if place.is_empty() && heirs.contains(&Vec::new()) {
                vec![Vec::new()]
            } else if named && !heirs.is_empty() {
                heirs
            } else if place.is_empty() {
                vec![Vec::new()]
            } else if twins == 1 && heirs.len() == 1 {
                heirs
            } else {
                Vec::new()
            }
        }
    }
}

/// The value of a variable, if it is a function of the rule.
fn function<'b>(bindings: &'b Bindings, var: &Var) -> Option<&'b crate::subst::Abstraction> {
    match bindings.values.get(&var.id) {
        Some(Value::Function(function)) => Some(function),
        Some(Value::Index(_) | Value::Pred(_)) | None => None,
    }
}

/// Finds the part of a pattern's instance that a place belongs to.
fn located(pattern: &Term, bindings: &Bindings, inner: &[usize]) -> Part {
    let mut here = Rc::clone(pattern);
    for (depth, place) in inner.iter().enumerate() {
        if let Some(part) = in_variable(&here, bindings, &inner[depth..]) {
            return part;
        }
        let Some(child) = children(&here).get(*place).map(|child| Rc::clone(child)) else {
            return Part::None;
        };
        here = child;
    }
    in_variable(&here, bindings, &[]).unwrap_or_else(|| Part::Own(here, inner.to_vec()))
}

/// For a variable of the rule: the part of its value, or of an argument that occurs in the value.
fn in_variable(node: &Term, bindings: &Bindings, rest: &[usize]) -> Option<Part> {
    let (var, args): (&Var, &[Arg]) = match &**node {
        Node::Var(var) => (var, &[]),
        Node::Apply(var, args) => (var, args),
        Node::Literal(_)
        | Node::Call(..)
        | Node::Loop(..)
        | Node::Guard(..)
        | Node::Let(..)
        | Node::Get(..)
        | Node::Add(..)
        | Node::Mul(..)
        | Node::Reshape(..) => return None,
    };
    let function = function(bindings, var)?;
    let mut here = Rc::clone(&function.body);
    for depth in 0..=rest.len() {
        if let Node::Var(param) = &*here
            && let Some(number) = function.params.iter().position(|other| other == param)
            && let Some(Arg::Term(argument)) = args.get(number)
            && !matches!(&**argument, Node::Var(bound) if self::function(bindings, bound).is_none())
        {
            return Some(located(argument, bindings, &rest[depth..]));
        }
        let Some(place) = rest.get(depth) else { break };
        let Some(child) = children(&here).get(*place).map(|child| Rc::clone(child)) else {
            return Some(Part::None);
        };
        here = child;
    }
    Some(Part::Of(var.clone(), rest.to_vec()))
}

/// Finds the places of a variable's value in a pattern's instance.
fn occurrences(
    pattern: &Term,
    bindings: &Bindings,
    wanted: &Var,
    path: &mut Path,
    found: &mut Vec<Path>,
) {
    let (var, args): (&Var, &[Arg]) = match &**pattern {
        Node::Var(var) => (var, &[]),
        Node::Apply(var, args) => (var, args),
        Node::Literal(_)
        | Node::Call(..)
        | Node::Loop(..)
        | Node::Guard(..)
        | Node::Let(..)
        | Node::Get(..)
        | Node::Add(..)
        | Node::Mul(..)
        | Node::Reshape(..) => {
            for (place, child) in children(pattern).into_iter().enumerate() {
                path.push(place);
                occurrences(child, bindings, wanted, path, found);
                path.pop();
            }
            return;
        }
    };
    if var == wanted {
        found.push(path.clone());
    }
    let Some(function) = function(bindings, var) else { return };
    for (param, arg) in function.params.iter().zip(args) {
        let Arg::Term(argument) = arg else { continue };
        for place in uses(&function.body, param) {
            let mut inner = joined(path, &place);
            occurrences(argument, bindings, wanted, &mut inner, found);
        }
    }
}

/// The places at which a variable is used.
fn uses(term: &Term, var: &Var) -> Vec<Path> {
    if matches!(&**term, Node::Var(other) if other == var) {
        return vec![Vec::new()];
    }
    let parts = children(term).into_iter().enumerate();
    parts
        .flat_map(|(place, child)| {
            uses(child, var).into_iter().map(move |path| joined(&[place], &path))
        })
        .collect()
}

/// Visits the nodes of a pattern that are not variables of the rule. Arguments are left out.
fn own_nodes(pattern: &Term, path: &mut Path, visit: &mut dyn FnMut(&Term, &[usize])) {
    if matches!(&**pattern, Node::Var(_) | Node::Apply(..)) {
        return;
    }
    visit(pattern, path);
    for (place, child) in children(pattern).into_iter().enumerate() {
        path.push(place);
        own_nodes(child, path, visit);
        path.pop();
    }
}

/// True if a node of one side of a rule continues as this node of the other side.
fn inherits(node: &Term, other: &Term) -> bool {
    match (&**node, &**other) {
        (Node::Loop(kind, var, ..), Node::Loop(other_kind, other_var, ..)) => {
            kind == other_kind && var.name == other_var.name
        }
        (Node::Let(var, ..), Node::Let(other, ..)) => var.name == other.name,
        (Node::Guard(pred, _), Node::Guard(other, _)) => pred == other,
        (Node::Reshape(op, ..), Node::Reshape(other, ..)) => op == other,
        (Node::Get(..), Node::Get(..))
        | (Node::Add(..), Node::Add(..))
        | (Node::Mul(..), Node::Mul(..)) => true,
        (
            Node::Var(_)
            | Node::Literal(_)
            | Node::Call(..)
            | Node::Loop(..)
            | Node::Guard(..)
            | Node::Let(..)
            | Node::Get(..)
            | Node::Add(..)
            | Node::Mul(..)
            | Node::Reshape(..)
            | Node::Apply(..),
            _,
        ) => false,
    }
}
