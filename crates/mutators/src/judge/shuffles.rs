//! Runs methods on shuffles of vectors whose lanes are counted.
//!
//! # Correctness
//!
//! A shuffle numbers the lanes of its vectors, one vector after the other, and takes the lanes with
//! the given numbers (`Shuffle` in `IR.h`). With one number, it has the type of a lane. A method is
//! refuted if what it makes of such a shuffle has another value than the lane, and if it also has
//! when all operands go through the class's own methods. Nothing is proved here.

use halidom_rewrites::rules::{Number, Values};

use crate::ir::kinds::{Code, I32, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::replay::{Computed, Concrete};
use crate::judge::verdict::{Counterexample, Finding, Standing};
use crate::machine::run::{Machine, Operands, Outcome};
use crate::machine::shuffles::shuffle;

/// The lanes of each vector.
const LANES: i128 = 4;

/// The numbers of lanes that are taken of two vectors.
const TAKEN: [i128; 6] = [0, 1, LANES - 1, LANES, LANES + 1, 2 * LANES - 1];

/// The result of a run: its text, its value and the line.
type Ran = (String, Number, usize);

/// Looks for a shuffle of one lane that a method turns into another value.
pub(crate) fn refuted_by_shuffles(entry: Entry<'_>) -> Option<Finding> {
    if entry.kind != Kind::Shuffle || entry.mode.is_emitter() {
        return None;
    }
    if let Some(found) = refuted_by_parts(entry) {
        return Some(found);
    }
    let kinds = [Kind::Ramp, Kind::Broadcast].into_iter();
    let mut all = kinds.flat_map(|kind| TAKEN.map(|taken| (kind, taken)));
    all.find_map(|(kind, taken)| {
        let (concrete, lane) = extraction(entry, kind, taken);
        let expected = Number::whole(lane);
        let (after, got, line) = ran(entry, &concrete, Operands::Kept)?;
        let (_, other, at) = ran(entry, &concrete, Operands::Mutated)?;
        if got == expected || other == expected || at != line {
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
            ty: I32.to_string(),
            text: format!("{lane} becomes {got}"),
            counterexample: Some(shown),
        })
    })
}

/// Looks for an interleaving of half of the bits of a vector with another vector on which a method
/// fails.
fn refuted_by_parts(entry: Entry<'_>) -> Option<Finding> {
    let concrete = interleaving(entry);
    let (text, line) = concrete.failure(entry)?;
    let shown = concrete.counterexample(entry.profile);
    Some(Finding {
        file: None,
        standing: Standing::Crash,
        line,
        ty: U8.to_string(),
        text,
        counterexample: Some(shown),
    })
}

/// Bytes.
const U8: Type = Type { code: Code::UInt, bits: 8, is_vector: false };

/// A shuffle that interleaves the low bytes of a vector with another vector of bytes.
fn interleaving(entry: Entry<'_>) -> Concrete {
    let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
    machine.values = Values::default();
    let mut state = State::default();
    let wide = Type { bits: 16, is_vector: true, ..U8 };
    let vector = |id: u32, ty: Type, state: &mut State| {
        let name = state.name(id);
        Machine::variable(ty, name, state)
    };
    let (whole, other) = (vector(6, wide, &mut state), vector(7, U8.with_vector(true), &mut state));
    let zero = machine.number(0, 32, true);
    let zero = machine.literal(U8, zero, &mut state);
    let fields = vec![Field::Expr(whole), Field::Expr(zero)];
    let low = state.add(U8.with_vector(true), None, Some(Shape { kind: Kind::Call, fields }));
    state.node_mut(low).intrinsic = Some("extract_bits".to_owned());
    let order = (0..2 * LANES).map(|at| at / 2 + at % 2 * LANES);
    let indices: Vec<NodeId> = order
        .map(|of| {
            let number = machine.number(of, 32, true);
            machine.literal(I32, number, &mut state)
        })
        .collect();
    let ty = U8.with_vector(true);
    let input = shuffle(ty, &[low, other], &indices, &mut state);
    let mut made =
        Concrete::new(state, machine.values.clone(), input, Vec::new(), Number::whole(0));
    made.lanes = LANES;
    made
}

/// Runs the method on a shuffle; `None` if the run is not followed to one end with a value.
fn ran(entry: Entry<'_>, concrete: &Concrete, operands: Operands) -> Option<Ran> {
    let mut machine = concrete.machine(entry);
    machine.operands = operands;
    entry.run(&mut machine, concrete.input(), concrete.state());
    let [end] = machine.ends.as_slice() else { return None };
    let Outcome::Returned(Val::Expr(Some(result))) = end.outcome else { return None };
    if machine.has_chosen || end.state.node(result).ty != I32 || !is_plain(result, &end.state) {
        return None;
    }
    let (state, values) = (&end.state, &machine.values);
    match concrete.value_of(state, values, result, entry.profile, true) {
        Computed::Number(number) => {
            Some((Concrete::shown(state, values, result), number, end.line))
        }
        Computed::Undefined | Computed::Unknown => None,
    }
}

/// Tests whether the value of a node is known: all its parts are operators, variables and literals.
fn is_plain(node: NodeId, state: &State) -> bool {
    let is_known = |kind: Kind| {
        let operators = [Kind::Add, Kind::Sub, Kind::Mul, Kind::Variable, Kind::IntImm];
        operators.contains(&kind)
    };
    let parts = crate::ir::state::operands(node, state);
    state.node(node).ty == Type::NAME
        || state.shape(node).is_some_and(|shape| is_known(shape.kind))
            && parts.into_iter().all(|part| is_plain(part, state))
}

/// A shuffle that takes a lane of two vectors, and the number in this lane.
fn extraction(entry: Entry<'_>, kind: Kind, taken: i128) -> (Concrete, i128) {
    let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
    machine.values = Values::default();
    let mut state = State::default();
    let mut literal = |number: i128, state: &mut State| {
        let number = machine.number(number, 32, true);
        machine.literal(I32, number, state)
    };
    let (mut assignment, mut vectors) = (Vec::new(), Vec::new());
    for (id, value) in [(6, 100), (7, 200)] {
        let name = state.name(id);
        let base = Machine::variable(I32, name, &mut state);
        let shown = crate::ir::node::name(id);
        assignment.push((state.node(base).class, shown, Number::whole(value)));
        vectors.push(if kind == Kind::Broadcast {
            Machine::broadcast(base, &mut state)
        } else {
            let stride = literal(1, &mut state);
            ramp(base, stride, &mut state)
        });
    }
    let index = literal(taken, &mut state);
    let input = shuffle(I32, &vectors, &[index], &mut state);
    let (of, lane) = (taken.div_euclid(LANES), taken.rem_euclid(LANES));
    let first = 100 * (of + 1);
    let expected = if kind == Kind::Broadcast { first } else { first + lane };
    let mut made =
        Concrete::new(state, machine.values.clone(), input, assignment, Number::whole(0));
    made.lanes = LANES;
    (made, expected)
}

/// A vector of numbers with one distance.
fn ramp(base: NodeId, stride: NodeId, state: &mut State) -> NodeId {
    let fields = vec![Field::Expr(base), Field::Expr(stride), Field::Lanes];
    state.add(I32.with_vector(true), None, Some(Shape { kind: Kind::Ramp, fields }))
}
