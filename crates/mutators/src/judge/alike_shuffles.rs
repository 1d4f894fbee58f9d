//! Runs methods on different shuffles that the compiler's `equal` takes for equal.
//!
//! # Correctness
//!
//! Two shuffles take the first lanes of two vectors, which are variables. A method of an expression
//! is refuted if what it makes of an operator on the shuffles has another value than the operator
//! where the lanes have given values. A method of a store is refuted if it makes nothing of the
//! store of a value that was loaded from another place. In both cases, the method must end in the
//! same line if all operands go through the class's own methods. Nothing is proved here.

use halidom_rewrites::rules::{Number, Values};

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::replay::{Computed, Concrete, Replayed};
use crate::judge::verdict::{Counterexample, Finding, Standing};
use crate::machine::run::{Machine, Operands, Outcome};
use crate::machine::same::takes_shuffles_for_equal;
use crate::machine::shuffles::shuffle;

/// Looks for two shuffles that a method takes for one.
pub(crate) fn refuted_by_alike_shuffles(entry: Entry<'_>) -> Option<Finding> {
    if !takes_shuffles_for_equal(entry.profile) || entry.mode.is_emitter() {
        return None;
    }
    if entry.kind == Kind::Store {
        return lost_store(entry);
    }
    let is_truth = matches!(entry.kind, Kind::And | Kind::Or);
    // An operator has two operands.
    let is_operator = matches!(entry.kind.fields(), [("a", _), ("b", _)]);
    if !is_operator && entry.kind != Kind::Select {
        return None;
    }
    let (ty, numbers) = if is_truth { (Type::BOOL, [0, 1]) } else { (I32, [100, 200]) };
    let [least, greatest] = numbers;
    let lanes = [[least, greatest], [greatest, least]];
    lanes.into_iter().find_map(|lanes| refuted(entry, &operator(entry, ty, lanes), ty))
}

/// Refutes the method by what it makes of the operator, if that has another value.
fn refuted(entry: Entry<'_>, concrete: &Concrete, ty: Type) -> Option<Finding> {
    let Replayed::Returned {
        after,
        other_type: None,
        expected: Computed::Number(expected),
        got: Computed::Number(got),
        line,
        ..
    } = concrete.replay(entry, Operands::Kept)
    else {
        return None;
    };
    let Replayed::Returned { line: at, .. } = concrete.replay(entry, Operands::Mutated) else {
        return None;
    };
    if expected == got || at != line {
        return None;
    }
    let shown = Counterexample {
        after: Some(after),
        expected: Some(expected.to_string()),
        got: Some(got.to_string()),
        ..concrete.counterexample(entry.profile)
    };
    Some(Finding {
        file: None,
        standing: Standing::Wrong,
        line,
        ty: ty.to_string(),
        text: format!("{expected} becomes {got}, as `equal` takes all shuffles for equal"),
        counterexample: Some(shown),
    })
}

/// The first lanes of two vectors, which have these values.
struct Pair {
    state: State,
    values: Values,
    nodes: [NodeId; 2],
    assignment: Vec<(usize, String, Number)>,
}

fn pair(entry: Entry<'_>, ty: Type, lanes: [i128; 2]) -> Pair {
    let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
    machine.values = Values::default();
    let mut state = State::default();
    let mut assignment = Vec::new();
    let nodes = [(6, lanes[0]), (7, lanes[1])].map(|(id, lane)| {
        let name = state.name(id);
        let vector = Machine::variable(ty.with_vector(true), name, &mut state);
        let first = machine.number(0, 32, true);
        let first = machine.literal(I32, first, &mut state);
        let taken = shuffle(ty, &[vector], &[first], &mut state);
        let shown = format!("lane 0 of {}", crate::ir::node::name(id));
        assignment.push((state.node(taken).class, shown, Number::whole(lane)));
        taken
    });
    Pair { state, values: machine.values, nodes, assignment }
}

/// An operator on two shuffles, or a choice of the second one.
fn operator(entry: Entry<'_>, ty: Type, lanes: [i128; 2]) -> Concrete {
    let Pair { mut state, values, nodes: [a, b], mut assignment } = pair(entry, ty, lanes);
    let mut fields = vec![Field::Expr(a), Field::Expr(b)];
    if entry.kind == Kind::Select {
        let name = state.name(8);
        let condition = Machine::variable(Type::BOOL, name, &mut state);
        let shown = crate::ir::node::name(8);
        assignment.push((state.node(condition).class, shown, Number::whole(0)));
        fields.insert(0, Field::Expr(condition));
    }
    let is_comparison =
        matches!(entry.kind, Kind::EQ | Kind::NE | Kind::LT | Kind::LE | Kind::GT | Kind::GE);
    let own = if is_comparison { Type::BOOL } else { ty };
    let input = state.add(own, None, Some(Shape { kind: entry.kind, fields }));
    Concrete::new(state, values, input, assignment, Number::whole(0))
}

/// Looks for a store that a method drops although its value was loaded from another place.
fn lost_store(entry: Entry<'_>) -> Option<Finding> {
    let Pair { mut state, values, nodes: [to, from], assignment } = pair(entry, I32, [0, 1]);
    let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
    machine.values = values;
    let always = machine.number(1, 32, true);
    let always = machine.literal(Type::BOOL, always, &mut state);
    let buffer = state.name(0);
    let mut access = |ty: Type, kind: Kind, index: NodeId, value: Option<NodeId>| {
        let members = [
            ("name", Some(buffer)),
            ("predicate", Some(always)),
            ("index", Some(index)),
            ("value", value),
        ];
        let field = |(name, _): &(&str, _)| {
            let own = members.iter().find(|(known, _)| known == name);
            own.and_then(|(_, node)| *node).map_or(Field::Opaque(0), Field::Expr)
        };
        let fields = kind.fields().iter().map(field).collect();
        state.add(ty, None, Some(Shape { kind, fields }))
    };
    let loaded = access(I32, Kind::Load, from, None);
    let input = access(Type::STMT, Kind::Store, to, Some(loaded));
    let concrete = Concrete::new(state, machine.values, input, assignment, Number::whole(0));
    let dropped = |operands: Operands| {
        let mut machine = concrete.machine(entry);
        machine.operands = operands;
        entry.run(&mut machine, concrete.input(), concrete.state());
        let [end] = machine.ends.as_slice() else { return None };
        let Outcome::Returned(Val::Expr(Some(result))) = end.outcome else { return None };
        let shape = end.state.shape(result).filter(|_| !machine.has_chosen)?;
        let Some(Field::Expr(value)) = shape.fields.first() else { return None };
        let is_idle = shape.kind == Kind::Evaluate
            && end.state.shape(*value).is_some_and(|value| value.kind == Kind::IntImm);
        is_idle.then(|| (Concrete::shown(&end.state, &machine.values, result), end.line))
    };
    let (after, line) = dropped(Operands::Kept)?;
    if dropped(Operands::Mutated)?.1 != line {
        return None;
    }
    let shown = Counterexample { after: Some(after), ..concrete.counterexample(entry.profile) };
    Some(Finding {
        file: None,
        standing: Standing::Wrong,
        line,
        ty: I32.to_string(),
        text: "the store is lost, as `equal` takes all shuffles for equal".to_owned(),
        counterexample: Some(shown),
    })
}
