//! Runs methods on loads whose indices are a concatenation of a scalar and a vector.
//!
//! # Correctness
//!
//! A concatenation takes the lanes of all its vectors, which may have different numbers of lanes
//! (`Shuffle` in `IR.h`). A method is refuted if it fails on a load from such places under a
//! condition that is a variable, and if it fails in the same place when all operands go through the
//! class's own methods. Nothing is proved here.

use halidom_rewrites::rules::{Number, Values};

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::node::{Field, Shape};
use crate::ir::state::State;
use crate::judge::entry::Entry;
use crate::judge::replay::Concrete;
use crate::judge::verdict::{Finding, Standing};
use crate::machine::run::Machine;
use crate::machine::shuffles::shuffle;

/// The lanes of the load. Its first index is a scalar, and the rest is a vector.
const LANES: i128 = 4;

/// Looks for a load from a scalar and a vector of indices on which a method fails.
pub(crate) fn refuted_by_concats(entry: Entry<'_>) -> Option<Finding> {
    if entry.kind != Kind::Load || entry.mode.is_emitter() {
        return None;
    }
    let concrete = load(entry);
    let (text, line) = concrete.failure(entry)?;
    let shown = concrete.counterexample(entry.profile);
    Some(Finding {
        file: None,
        standing: Standing::Crash,
        line,
        ty: format!("{I32}x{LANES}"),
        text: format!("{text}, where the indices are a scalar and a vector"),
        counterexample: Some(shown),
    })
}

fn load(entry: Entry<'_>) -> Concrete {
    let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
    machine.values = Values::default();
    let mut state = State::default();
    let mut variable = |id: u32, ty: Type| {
        let name = state.name(id);
        Machine::variable(ty, name, &mut state)
    };
    let (first, rest) = (variable(2, I32), variable(3, I32.with_vector(true)));
    let predicate = variable(4, Type::BOOL.with_vector(true));
    state.widths.push((rest, LANES - 1));
    let order = (0..LANES).map(|lane| {
        let lane = machine.number(lane, 32, true);
        machine.literal(I32, lane, &mut state)
    });
    let order: Vec<usize> = order.collect();
    let vector = I32.with_vector(true);
    let index = shuffle(vector, &[first, rest], &order, &mut state);
    let buffer = state.name(0);
    let members = [("name", buffer), ("predicate", predicate), ("index", index)];
    let field = |(name, _): &(&str, _)| {
        let own = members.iter().find(|(known, _)| known == name);
        own.map_or(Field::Opaque(0), |(_, node)| Field::Expr(*node))
    };
    let fields = Kind::Load.fields().iter().map(field).collect();
    let input = state.add(vector, None, Some(Shape { kind: Kind::Load, fields }));
    let mut made = Concrete::new(state, machine.values, input, Vec::new(), Number::whole(0));
    made.lanes = LANES;
    made
}
