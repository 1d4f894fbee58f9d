//! Runs mutators on much concrete IR without a solver, as an independent check of verdicts.
//!
//! # Correctness
//!
//! Nothing is concluded if nothing was seen. This check shares the interpreter with the verifier,
//! but not its paths, its contracts of `mutate` or its solver.

use halidom_cpp::ast::File;
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::{Domain, Number, Random, Values};

use crate::ir::kinds::{Kind, Type};
use crate::ir::layout::operand_types;
use crate::ir::node::NodeId;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::list::Found;
use crate::judge::replay::Concrete;
use crate::judge::suspects::argument;
use crate::judge::trial::Trials;
use crate::machine::run::{Operands, Outcome};
use crate::meaning::terms::Meaning;

/// The effect of the mutators of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// The effect of the class's own mutators.
    Own,
    /// No effect: operands stay as they are.
    None,
    /// Operands are copied.
    Copied,
}

/// The seed of the random inputs, which differs from the verifier's.
const SEED: u64 = 1009;

/// The number of inputs on which results are compared for all values of 8 bits.
const EXHAUSTIVE: usize = 12;

/// The number of values that are tried on other inputs.
const SAMPLES: usize = 100;

/// The result of a run on an input.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
enum Ran {
    Crash(String),
    Returned(State, Values, NodeId),
    /// It could not be followed.
    Lost,
}

/// Runs the first mutator of `mutant` whose file and name contain `name` on `inputs` random inputs
/// and describes an input on which it is wrong: it fails, leaves something on a scope, or returns
/// another type or another value. If the result equals the result of `original`, values are not
/// compared. Returns `None` if no error was seen. All values of 8 bits are tried on the first
/// inputs and samples on the others; in wider types, the bounds of the type are among them.
/// Mutators of statements and emitters are run as the verifier runs them, on other inputs.
pub fn observe(
    mutant: &[(String, File)],
    original: &[(String, File)],
    name: &str,
    profile: &'static Profile,
    mutation: Mutation,
    inputs: usize,
) -> Option<String> {
    let wanted = [name.to_owned()];
    let found = |files: &[(String, File)]| Found::of(files.to_vec(), &wanted);
    let (mutant, original) = (found(mutant), found(original));
    let (mutant, original) = (entry(&mutant, profile)?, entry(&original, profile)?);
    if mutant.kind.is_stmt() {
        return crate::judge::statement::seen(mutant, SEED, inputs);
    }
    let mut types: Vec<(Type, Type)> = Vec::new();
    for element in Type::SCALARS {
        for ty in [element, element.with_vector(true)] {
            // Operators on vectors of C are not modelled.
            let is_modelled = !mutant.mode.is_emitter()
                || !ty.is_vector
                || matches!(mutant.kind, Kind::Ramp | Kind::Broadcast);
            if is_modelled && mutant.kind.admits(ty) {
                let operands = operand_types(mutant.kind, ty, mutant.profile.name);
                types.extend(operands.into_iter().map(|operand| (ty, operand)));
            }
        }
    }
    let operands = match mutation {
        Mutation::Own => Operands::Mutated,
        Mutation::None => Operands::Kept,
        Mutation::Copied => Operands::Copied,
    };
    let mut exhaustive = EXHAUSTIVE;
    for (ty, operand) in &types {
        let mut trials = Trials::new(original, *ty, *operand, SEED);
        for _ in 0..inputs / types.len() {
            let Some(concrete) = trials.next() else { break };
            if mutant.mode.is_emitter() {
                let seen = crate::judge::verify::seen_in_print(mutant.at(*ty, *operand), &concrete);
                if seen.is_some() {
                    return seen;
                }
                continue;
            }
            let ran = run(&concrete, mutant.at(*ty, *operand), operands);
            let Ran::Returned(state, values, result) = ran else {
                if let Ran::Crash(what) = ran {
                    return Some(format!("{what} on {}", concrete.before()));
                }
                continue;
            };
            if let Some(left) = crate::machine::balance::left_at_end(&state).first() {
                return Some(format!("{} on {}", left.text(), concrete.before()));
            }
            let after = Concrete::shown(&state, &values, result);
            if let Ran::Returned(state, values, known) =
                run(&concrete, original.at(*ty, *operand), operands)
                && Concrete::shown(&state, &values, known) == after
            {
                continue;
            }
            if state.node(concrete.input()).ty != state.node(result).ty {
                return Some(format!("another type: {} => {after}", concrete.before()));
            }
            let is_exhaustive = exhaustive > 0;
            exhaustive = exhaustive.saturating_sub(1);
            if let Some(values) =
                difference(&concrete, &state, &values, result, profile, is_exhaustive)
            {
                return Some(format!("{} => {after} {values}", concrete.before()));
            }
        }
    }
    None
}

fn entry<'p>(found: &'p Found, profile: &'static Profile) -> Option<Entry<'p>> {
    let (_, function) = found.mutators.first()?;
    let function = &found.program.functions[*function];
    let kind = argument(function).and_then(Kind::named)?;
    let program = &found.program;
    let mode = crate::judge::list::mode(function, &program.functions);
    Some(Entry { program, profile, function, kind, is_whole: true, mode, is_asked: false })
}

fn run(concrete: &Concrete, entry: Entry<'_>, operands: Operands) -> Ran {
    let mut machine = concrete.machine(entry);
    machine.operands = operands;
    entry.run(&mut machine, concrete.input(), concrete.state());
    if machine.has_chosen {
        return Ran::Lost;
    }
    let mut ends = std::mem::take(&mut machine.ends);
    // If there are several paths, it is not known which one is taken.
    let (Some(end), true) = (ends.pop(), ends.is_empty()) else { return Ran::Lost };
    match end.outcome {
        Outcome::Crash(what) => Ran::Crash(what),
        Outcome::Returned(Val::Expr(Some(result))) => {
            Ran::Returned(end.state, machine.values, result)
        }
        Outcome::Returned(Val::Expr(None)) => {
            Ran::Crash("an undefined Expr is returned".to_owned())
        }
        Outcome::Returned(_)
        | Outcome::Unsupported(_)
        | Outcome::Bounded(_)
        | Outcome::Rejected(_)
        | Outcome::Endless(_) => Ran::Lost,
    }
}

/// Looks for values of the input's variables on which the input has a value and the result has
/// another value or no value.
fn difference(
    concrete: &Concrete,
    state: &State,
    values: &Values,
    result: NodeId,
    profile: &Profile,
    is_exhaustive: bool,
) -> Option<String> {
    let mut before = Meaning::new(state, values, profile, false);
    let lhs = before.node(concrete.input());
    let mut after = Meaning::new(state, values, profile, true);
    let rhs = after.node(result);
    if before.is_opaque || after.is_opaque {
        return None;
    }
    // Overflow is excluded in the result too where it is excluded in the input: a divisor that
    // overflows there does not count as 0.
    let mut exact = Meaning::new(state, values, profile, false);
    let _ = exact.node(result);
    let candidates: Vec<Vec<i128>> = concrete
        .assignment
        .iter()
        .map(|(class, ..)| {
            let ty = state.nodes.iter().find(|node| node.class == *class).map(|node| node.ty);
            let Some(ty) = ty else { return vec![0] };
            let mut all: Vec<i128> = (-128..256).map(|value| ty.wrap(value)).collect();
            if let Some((least, greatest)) = ty.range() {
                all.extend([least, least + 1, greatest - 1, greatest]);
            }
            all.sort_unstable();
            all.dedup();
            all
        })
        .collect();
    let all = candidates.iter().try_fold(1_usize, |all, values| all.checked_mul(values.len()));
    let mut random = Random(SEED);
    let count = match all {
        Some(all) if is_exhaustive && all <= 400 * 400 => all,
        _ => SAMPLES,
    };
    for index in 0..count {
        let mut rest = index;
        let chosen: Vec<i128> = candidates
            .iter()
            .map(|values| {
                let at = if count == SAMPLES {
                    random.below(values.len() as u64) as usize
                } else {
                    let at = rest % values.len();
                    rest /= values.len();
                    at
                };
                values[at]
            })
            .collect();
        let of = |meaning: &Meaning<'_>| -> Vec<Number> {
            let value = |(name, domain): &(String, Domain)| {
                if name == "lane[n]" {
                    return concrete.lane;
                }
                let class = meaning.names.iter().find(|(_, known)| known == name);
                let index = class.and_then(|(class, _)| {
                    concrete.assignment.iter().position(|(known, ..)| known == class)
                });
                let value = index.map_or(0, |index| chosen[index]);
                Number::whole(if *domain == Domain::Real { value } else { domain.wrap(value) })
            };
            meaning.values.vars().iter().map(value).collect()
        };
        let (first, second) = (of(&before), of(&after));
        let fits = |meaning: &Meaning<'_>, assignment: &[Number]| {
            meaning.ranged.iter().all(|(term, ty)| {
                let number = meaning.values.evaluate(*term, assignment, &mut |_, _| {});
                number.zip(ty.range()).is_some_and(|(number, (least, greatest))| {
                    least <= number.numerator && number.numerator <= greatest
                })
            })
        };
        let holds = |meaning: &Meaning<'_>, term, assignment: &[Number]| {
            meaning.values.evaluate(term, assignment, &mut |_, _| {}).map(|n| n.numerator != 0)
        };
        let is_defined =
            before.defined.iter().all(|term| holds(&before, *term, &first) == Some(true))
                && fits(&before, &first);
        if !is_defined {
            continue;
        }
        let is_lost = after.defined.iter().any(|term| holds(&after, *term, &second) == Some(false));
        let expected = before.values.evaluate(lhs, &first, &mut |_, _| {});
        let got = after.values.evaluate(rhs, &second, &mut |_, _| {});
        if let (Some(expected), Some(got)) = (expected, got)
            && (is_lost || expected != got)
            && fits(&exact, &of(&exact))
        {
            let named = concrete.assignment.iter().zip(&chosen);
            let named: Vec<String> =
                named.map(|((_, name, _), value)| format!("{name}={value}")).collect();
            let got = if is_lost { "undefined".to_owned() } else { got.to_string() };
            return Some(format!("at {}: {expected} becomes {got}", named.join(" ")));
        }
    }
    None
}
