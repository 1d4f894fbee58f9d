//! Watches a method in runs of its whole class, on statements that are wholly known.
//!
//! # Correctness
//!
//! Nothing is proved here. A class whose objects hold maps begins as a new object, to which no
//! constructor gives anything. All its methods run, and so does its own `mutate`. The method is
//! refuted if the class turns a statement into one with another effect, and there is a call of the
//! method in this run that is wrong: the statement has another effect if what the method returned
//! stands in the place of the node that it took, and all else stays as it is. The same must hold
//! for what the method returns in that place if the mutators of its operands return these as they
//! are. So no operand is the reason; the reason may be an entry that another method made. A flag
//! that no declaration sets may have either value, so this must be seen for both values.

use halidom_cpp::ast::Function;
use halidom_cpp::short_name;
use halidom_rewrites::rules::{Random, Values};

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::ir::visits::{Visit, Visits};
use crate::judge::entry::Entry;
use crate::judge::repeats::repeated;
use crate::judge::replay::Concrete;
use crate::judge::statement::{Observed, names, observed, shown, told};
use crate::judge::verdict::{Finding, Standing};
use crate::machine::contracts;
use crate::machine::program::is_root;
use crate::machine::run::{End, Machine, Operands, Outcome};
use crate::machine::types::is_map_type;
use crate::meaning::terms::Given;

/// The number of statements on which a class is run for each method.
const TRIALS: usize = 1000;

/// The seed of the statements.
const SEED: u64 = 7;

/// The number of memory contents for each statement.
const SEEDS: u64 = 3;

/// A call of the method that is wrong in its place.
struct Found {
    given: Given,
    expected: Observed,
    got: Observed,
    /// The statement with the result in its place, as text.
    after: String,
    line: usize,
}

/// Tests whether the class of a method is run as a whole: it holds maps, no constructor gives it
/// anything, and it shares no method with another class.
fn is_run_whole(entry: Entry<'_>) -> bool {
    let (program, name) = (entry.program, &entry.function.class);
    let mut named = program.classes.iter().filter(|class| class.name == *name);
    let (Some(class), None) = (named.next(), named.next()) else { return false };
    let is_base = |base: &String| short_name(base) == name;
    let is_alone = class.bases.iter().all(|base| is_root(base))
        && !program.classes.iter().any(|other| other.bases.iter().any(is_base));
    let constructs = |function: &&Function| function.class == *name && function.name == *name;
    let is_plain = program
        .functions
        .iter()
        .filter(constructs)
        .all(|constructor| constructor.initializers.is_empty() && constructor.body.is_empty());
    let holds = |ty: &str| is_map_type(ty) && !ty.starts_with("Scope<");
    let states_other = contracts::vanishing(name).is_some()
        || contracts::makes_masks(name)
        || contracts::unused_table(name).is_some();
    is_alone
        && is_plain
        && !states_other
        && !entry.mode.is_emitter()
        && class.fields.iter().any(|field| holds(&field.ty))
}

/// Looks for a statement on which a method of a class with maps is wrong in its place.
pub(crate) fn refuted_in_context(entry: Entry<'_>) -> Option<Finding> {
    if !is_run_whole(entry) {
        return None;
    }
    let mut random = Random(SEED);
    for _ in 0..TRIALS {
        let concrete = repeated(&mut random);
        let Some(found) = wrong_call(entry, &concrete, true) else { continue };
        if wrong_call(entry, &concrete, false).is_none() {
            continue;
        }
        let Found { given, expected, got, after, line } = found;
        let places = names(&expected, &got);
        let both = Some((&expected, &got));
        return Some(Finding {
            file: None,
            standing: Standing::Wrong,
            line,
            ty: String::new(),
            text: told(&expected, &got),
            counterexample: Some(shown(entry, &concrete, Some(after), &places, given, both)),
        });
    }
    None
}

/// Runs the class on a statement, where flags that nothing sets have a value. Looks for a call of
/// the method that is wrong in its place.
fn wrong_call(entry: Entry<'_>, concrete: &Concrete, flags: bool) -> Option<Found> {
    let mut machine = concrete.machine(entry);
    machine.operands = Operands::Mutated;
    machine.visits = Some(Visits::default());
    machine.flags = flags;
    entry.run_class(&mut machine, concrete.input(), concrete.state());
    let ends = std::mem::take(&mut machine.ends);
    let [End { state, outcome: Outcome::Returned(Val::Expr(Some(result))), .. }] = ends.as_slice()
    else {
        return None;
    };
    let input = concrete.input();
    if machine.has_chosen || state.is_same(input, *result) {
        return None;
    }
    let visits = machine.visits.take()?.all;
    for seed in 0..SEEDS {
        let given = Given { seed };
        let effect = |state: &State, values: &Values, stmt, must_fit| {
            observed(entry, state, values, stmt, given, must_fit)
        };
        let Some(expected) = effect(state, &machine.values, input, true) else { continue };
        let Some(whole) = effect(state, &machine.values, *result, false) else { continue };
        if whole == expected {
            continue;
        }
        for Visit { node, result, before } in &visits {
            let Some((got, after)) =
                placed(state, (input, *node, *result)).and_then(|(state, stmt)| {
                    let got = effect(&state, &machine.values, stmt, false)?;
                    Some((got, crate::ir::show::text(&state, &machine.values, stmt)))
                })
            else {
                continue;
            };
            if got == expected {
                continue;
            }
            let mut alone = concrete.machine(entry);
            alone.values = machine.values.clone();
            alone.constants.clone_from(&machine.constants);
            entry.run_within(&mut alone, *node, before.clone());
            let Some((kept, line)) = returned(&alone, (input, *node), &effect) else { continue };
            if kept != expected {
                return Some(Found { given, expected, got, after, line });
            }
        }
    }
    None
}

/// The effect of a statement with what a method returned in the place of its node, and the line
/// that returned it.
fn returned(
    machine: &Machine<'_>,
    (input, node): (NodeId, NodeId),
    effect: &dyn Fn(&State, &Values, NodeId, bool) -> Option<Observed>,
) -> Option<(Observed, usize)> {
    let [End { state, outcome: Outcome::Returned(Val::Expr(Some(result))), line }] =
        machine.ends.as_slice()
    else {
        return None;
    };
    if machine.has_chosen {
        return None;
    }
    let (state, stmt) = placed(state, (input, node, *result))?;
    Some((effect(&state, &machine.values, stmt, false)?, *line))
}

/// A statement with another node in the place of one of its nodes. The other node must have the
/// type of that node, and no name that the statement does not have.
fn placed(state: &State, (stmt, node, other): (NodeId, NodeId, NodeId)) -> Option<(State, NodeId)> {
    let [mut known, mut used] = [Vec::new(), Vec::new()];
    let count = nodes_of(state, stmt, node, &mut known);
    nodes_of(state, other, node, &mut used);
    let is_known = |name: &NodeId| known.iter().any(|other| state.is_same(*name, *other));
    if count != 1 || state.node(node).ty != state.node(other).ty || !used.iter().all(is_known) {
        return None;
    }
    let mut state = state.clone();
    let made = with(&mut state, stmt, node, other);
    Some((state, made))
}

/// Counts the places of a node in another one, and collects the names there.
fn nodes_of(state: &State, of: NodeId, node: NodeId, names: &mut Vec<NodeId>) -> usize {
    if state.node(of).ty == Type::NAME {
        names.push(of);
        return 0;
    }
    let fields = state.shape(of).map_or(&[][..], |shape| &shape.fields);
    let inner = fields.iter().map(|field| match field {
        Field::Expr(inner) => nodes_of(state, *inner, node, names),
        Field::Number(_) | Field::Lanes | Field::Opaque(_) => 0,
    });
    inner.sum::<usize>() + usize::from(of == node)
}

/// Makes a node with another node in one place.
fn with(state: &mut State, of: NodeId, node: NodeId, other: NodeId) -> NodeId {
    if of == node {
        return other;
    }
    let Some(Shape { kind, fields }) = state.shape(of).cloned() else { return of };
    let new: Vec<Field> = fields
        .iter()
        .map(|field| match field {
            Field::Expr(inner) => Field::Expr(with(state, *inner, node, other)),
            field @ (Field::Number(_) | Field::Lanes | Field::Opaque(_)) => *field,
        })
        .collect();
    if new == fields || kind == Kind::Name {
        return of;
    }
    let (ty, intrinsic) = (state.node(of).ty, state.node(of).intrinsic.clone());
    let made = state.add(ty, None, Some(Shape { kind, fields: new }));
    state.node_mut(made).intrinsic = intrinsic;
    made
}
