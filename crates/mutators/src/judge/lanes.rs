//! Runs methods on loads of vectors whose lanes are counted.
//!
//! # Correctness
//!
//! A class may get a number from outside. `contracts/passes.contracts` has the numbers that the
//! compilers give, in bytes. A method is refuted if all paths of its run on a load that is wholly
//! known fail in one place, with each of these numbers. The method must not refuse or fail on a
//! load of as many lanes as a register has, because it may mutate such loads first.

use halidom_rewrites::rules::{Number, Values};

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::node::{Field, Shape};
use crate::ir::state::{Slot, State};
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::replay::Concrete;
use crate::judge::statement::shown;
use crate::judge::verdict::{Finding, Standing};
use crate::machine::contracts;
use crate::machine::reader::Outside;
use crate::machine::run::{Machine, Operands, Outcome};
use crate::meaning::terms::Given;

/// The ends of a run on a load.
enum Ran {
    /// All paths fail in this way, at this line.
    Crashed(String, usize),
    /// All paths return.
    Returned,
    /// Some paths refuse the load, or cannot be followed, or end in other ways.
    Other,
}

/// Looks for a load of one lane more than a register has on which a method fails.
pub(crate) fn refuted_by_lanes(entry: Entry<'_>) -> Option<Finding> {
    let Outside { member, numbers, .. } = contracts::outside(&entry.function.class)?;
    if entry.kind != Kind::Load || entry.mode.is_emitter() {
        return None;
    }
    let mut found = None;
    for given in numbers {
        let native = given / i128::from(I32.bits / 8);
        let inner = ran(entry, &load(entry, native), (*member, *given), Operands::Kept);
        if !matches!(inner, Ran::Returned) {
            return None;
        }
        let concrete = load(entry, native + 1);
        let [kept, mutated] = [Operands::Kept, Operands::Mutated]
            .map(|operands| ran(entry, &concrete, (*member, *given), operands));
        let (Ran::Crashed(what, line), Ran::Crashed(other, at)) = (kept, mutated) else {
            return None;
        };
        if what != other || line != at {
            return None;
        }
        found = found.or_else(|| {
            let shown = shown(entry, &concrete, None, &[], Given { seed: 0 }, None);
            Some(Finding {
                file: None,
                standing: Standing::Crash,
                line,
                ty: format!("{I32}x{}", native + 1),
                text: format!("{what}, where {member} is {given}"),
                counterexample: Some(shown),
            })
        });
    }
    found
}

/// Runs the method, with a number in a member.
fn ran(
    entry: Entry<'_>,
    concrete: &Concrete,
    (member, given): (&str, i128),
    operands: Operands,
) -> Ran {
    let mut machine = concrete.machine(entry);
    machine.operands = operands;
    machine.counts_lanes = true;
    let mut state = concrete.state();
    let (name, ty) = (member.to_owned(), "int".to_owned());
    let value = Val::Int(machine.number(given, 32, true));
    state.members.push(Slot { name, ty, value });
    entry.run(&mut machine, concrete.input(), state);
    let mut all = None;
    for end in machine.ends {
        let one = match end.outcome {
            Outcome::Crash(what) => Some((what, end.line)),
            Outcome::Returned(_) => None,
            Outcome::Unsupported(_)
            | Outcome::Bounded(_)
            | Outcome::Rejected(_)
            | Outcome::Endless(_) => return Ran::Other,
        };
        if *all.get_or_insert_with(|| one.clone()) != one {
            return Ran::Other;
        }
    }
    match all {
        Some(Some((what, line))) => Ran::Crashed(what, line),
        Some(None) => Ran::Returned,
        None => Ran::Other,
    }
}

/// A load of consecutive elements, one for each of some lanes.
fn load(entry: Entry<'_>, lanes: i128) -> Concrete {
    let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
    machine.values = Values::default();
    let mut state = State::default();
    let (buffer, index) = (state.name(0), state.name(2));
    let base = Machine::variable(I32, index, &mut state);
    let one = machine.number(1, 32, true);
    let stride = machine.literal(I32, one, &mut state);
    let always = machine.literal(Type::BOOL, one, &mut state);
    let predicate = Machine::broadcast(always, &mut state);
    let vector = I32.with_vector(true);
    let ramp = vec![Field::Expr(base), Field::Expr(stride), Field::Lanes];
    let ramp = state.add(vector, None, Some(Shape { kind: Kind::Ramp, fields: ramp }));
    let field = |(name, _): &(&str, _)| match *name {
        "name" => Field::Expr(buffer),
        "predicate" => Field::Expr(predicate),
        "index" => Field::Expr(ramp),
        _ => Field::Opaque(0),
    };
    let fields = Kind::Load.fields().iter().map(field).collect();
    let input = state.add(vector, None, Some(Shape { kind: Kind::Load, fields }));
    let mut made = Concrete::new(state, machine.values, input, Vec::new(), Number::whole(0));
    made.lanes = lanes;
    made
}
