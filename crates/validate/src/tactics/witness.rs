//! Guesses the instance of a store that writes a given location.
//!
//! A witness is a guess at the values of a store's loops and lane, and the
//! caller proves that the instance with these values exists and makes the claimed write. A bad
//! guess can only make that proof fail.

use halidom_base::IndexSet;
use halidom_ir::FuncId;

use super::parts::poly_atoms;
use crate::obligation::door::Desk;
use crate::program::{Model, Store};
use crate::space::{Atom, AtomId, Formula, PolyId, Rename, Space, Symbol};

/// The most fused loops that are split up.
const MOST_FUSED: usize = 4;

/// A loop variable or lane without a value yet.
#[derive(Clone, Copy)]
struct Unknown {
    symbol: Symbol,
    min: PolyId,
    extent: PolyId,
}

/// Guesses values for the loops of `store` inside its first `depth` steps, and for its lane, for
/// which its coordinates and point may equal the target. Loops with a value in `preset` keep it. If
/// `clamped`, rounded guesses are kept within their loops: shifted and overlapping pieces need
/// this, and it hides products from the solver. The choices of `decided` are made first.
pub(super) fn witness(
    space: &Space,
    model: &Model,
    store: &Store,
    depth: usize,
    target: &[PolyId],
    ((preset, clamped), decided): ((&Rename, bool), &Rename),
) -> Rename {
    let mut own: Vec<(Symbol, PolyId)> = Vec::new();
    let mut unknowns: Vec<Unknown> = Vec::new();
    let inner = store.access.place.steps.get(depth..).unwrap_or_default();
    for step in inner {
        if let crate::program::Step::Loop(index) = step {
            let found = &model.loops[*index];
            if let Some(value) = preset.get(found.symbol) {
                own.push((found.symbol, value));
                continue;
            }
            let symbol = space.fresh("guess");
            let bounds = Rename::symbols(own.iter().copied());
            let [min, extent] = [found.min, found.extent].map(|end| decided.poly(space, end));
            let min = bounds.poly(space, min);
            let extent = bounds.poly(space, extent);
            own.push((found.symbol, space.symbol(symbol)));
            let (min, extent) = guarded(space, store, found.symbol, (min, extent), &own);
            unknowns.push(Unknown { symbol, min, extent });
        }
    }
    if let Some(lane) = store.access.lane {
        let symbol = space.fresh("guess");
        own.push((lane, space.symbol(symbol)));
        let (min, extent) = (space.constant(0), space.constant(64));
        unknowns.push(Unknown { symbol, min, extent });
    }
    let rename = Rename::symbols(own.iter().copied());
    let mut equations: Vec<(PolyId, PolyId)> = store
        .access
        .coords
        .iter()
        .chain(&store.point)
        .zip(target)
        .map(|(written, wanted)| (rename.poly(space, decided.poly(space, *written)), *wanted))
        .collect();
    let mut solution = Rename::new();
    let fused = unfuse(space, &mut unknowns, &mut equations);
    // Equations with few unknowns come first, because they fix unknowns of the others. A fused
    // dividend is known when its parts are, so these equations follow, the last one found first.
    equations.sort_by_key(|(written, _)| mentioned(space, *written, &unknowns).len());
    for (written, wanted) in equations.into_iter().chain(fused.into_iter().rev()) {
        let wanted = least(space, wanted, &unknowns, &solution);
        solve(space, written, wanted, (&unknowns, clamped), &mut solution);
    }
    for unknown in &unknowns {
        if solution.get(unknown.symbol).is_none() {
            solution.insert(unknown.symbol, solution.poly(space, unknown.min));
        }
    }
    let mut result = Rename::new();
    for (symbol, unknown) in own {
        result.insert(symbol, solution.poly(space, unknown));
    }
    result
}

/// Guesses points at which a stage may write a location. A variable that the location does not
/// determine gets its value in the instance that reads, its first value, and its last value.
pub(super) fn origins(
    desk: &mut Desk<'_, '_>,
    stage: (FuncId, usize),
    coords: &[PolyId],
    there: Option<&[PolyId]>,
) -> Option<Vec<Vec<PolyId>>> {
    let mut domain = Vec::new();
    for (min, extent) in desk.domain(stage)? {
        domain.push(Unknown { symbol: desk.space.fresh("point"), min, extent });
    }
    let point: Vec<PolyId> = domain.iter().map(|of| desk.space.symbol(of.symbol)).collect();
    let location = desk.location(stage, coords, &point)?;
    let pairs = location.into_iter().zip(coords.iter().copied());
    let space = desk.space;
    let (mut unknowns, mut equations) = (domain.clone(), pairs.collect::<Vec<_>>());
    let fused = unfuse(space, &mut unknowns, &mut equations);
    equations.sort_by_key(|(written, _)| mentioned(space, *written, &unknowns).len());
    let mut solution = Rename::new();
    for (written, wanted) in equations.into_iter().chain(fused.into_iter().rev()) {
        let wanted = least(space, wanted, &unknowns, &solution);
        solve(space, written, wanted, (&unknowns, false), &mut solution);
    }
    let is_open = domain.iter().any(|of| solution.get(of.symbol).is_none());
    let mut found: Vec<Vec<PolyId>> = Vec::new();
    for number in 0..if is_open { 3 } else { 1 } {
        let point = domain.iter().enumerate().map(|(position, of)| {
            let known = solution.get(of.symbol);
            let there = there.and_then(|point| point.get(position).copied());
            known.unwrap_or_else(|| match (number, there) {
                (0, Some(there)) => there,
                (0 | 1, _) => of.min,
                (_, _) => space.offset(space.add(of.min, of.extent), -1),
            })
        });
        let point: Vec<PolyId> = point.collect();
        if !found.contains(&point) {
            found.push(point);
        }
    }
    Some(found)
}

/// Narrows a loop's range to begin where a condition around the store lets the store begin.
fn guarded(
    space: &Space,
    store: &Store,
    variable: Symbol,
    (min, extent): (PolyId, PolyId),
    own: &[(Symbol, PolyId)],
) -> (PolyId, PolyId) {
    let one = space.constant(1);
    let mut range = (min, extent);
    for fact in &store.access.place.facts {
        // `variable - low >= 0`.
        let Formula::NonNegative(poly) = *space.formula(*fact) else { continue };
        if factor(space, poly, variable) != Some(one) {
            continue;
        }
        let low = space.sub(space.symbol(variable), poly);
        let low = Rename::symbols(own.iter().copied()).poly(space, low);
        let later = space.sub(low, range.0);
        let is_later = match space.as_constant(later) {
            Some(later) => later > 0,
            // If other loops around determine it, the loop's own range is used.
            None => !space.symbols_of(low).iter().any(|symbol| {
                own.iter().any(|(_, unknown)| space.as_symbol(*unknown) == Some(*symbol))
            }),
        };
        if is_later {
            let later = space.max(later, space.constant(0));
            range = (space.add(range.0, later), space.sub(range.1, later));
        }
    }
    range
}

/// Returns an integer with its solved unknowns replaced by their values, and the others by their
/// minima.
fn least(space: &Space, poly: PolyId, unknowns: &[Unknown], solution: &Rename) -> PolyId {
    let mut values = Rename::new();
    for unknown in mentioned(space, poly, unknowns) {
        let value = solution.get(unknown.symbol).unwrap_or(unknown.min);
        values.insert(unknown.symbol, value);
    }
    values.poly(space, poly)
}

/// Splits loops that run over two dimensions at once. A quotient `d / n` becomes two more unknowns,
/// with the equation `d = n·q + r`. Returns these equations.
fn unfuse(
    space: &Space,
    unknowns: &mut Vec<Unknown>,
    equations: &mut [(PolyId, PolyId)],
) -> Vec<(PolyId, PolyId)> {
    let mut fused = Vec::new();
    for _ in 0..MOST_FUSED {
        let symbols: IndexSet<Symbol> = unknowns.iter().map(|unknown| unknown.symbol).collect();
        let mut found = Vec::new();
        for (written, _) in equations.iter() {
            quotients(space, *written, &symbols, &mut found);
        }
        // The greatest divisor has the whole dividend: `(18·i + k) / 16` is `i + (2·i + k) / 16`.
        // The first one of equals is taken.
        let size = |divisor: PolyId| space.as_constant(divisor).unwrap_or(i128::MAX);
        let greatest = found.into_iter().rev().max_by_key(|(.., divisor)| size(*divisor));
        let Some((atom, dividend, divisor)) = greatest else { break };
        // In the other equations, the remainder replaces an unknown of the dividend with factor 1.
        // The dividend stays as it is if it has one: a loop that is split once more may begin at a
        // minimum. A remainder may have a selection around it, for a divisor of 0.
        let exact = unit(space, dividend, unknowns);
        let dividend =
            if exact.is_some() { dividend } else { unclamp(space, dividend, &symbols, 0) };
        let Some(unit) = exact.or_else(|| unit(space, dividend, unknowns)) else { break };
        let parts = mentioned(space, dividend, unknowns);
        let others = space.sub(dividend, space.symbol(unit.symbol));
        let mut ends = Rename::new();
        for part in &parts {
            ends.insert(part.symbol, space.offset(space.add(part.min, part.extent), -1));
        }
        let count = space.div(ends.poly(space, dividend), divisor);
        let count = space.offset(count, 1);
        let (quotient, rest) = (space.fresh("guess"), space.fresh("guess"));
        let (q, r) = (space.symbol(quotient), space.symbol(rest));
        let zero = space.constant(0);
        unknowns.push(Unknown { symbol: quotient, min: zero, extent: count });
        unknowns.push(Unknown { symbol: rest, min: zero, extent: divisor });
        let whole = space.add(space.mul(divisor, q), r);
        let mut replace = Rename::symbols([(unit.symbol, space.sub(whole, others))]);
        replace.override_atom(atom, q);
        for (written, _) in equations.iter_mut() {
            *written = replace.poly(space, *written);
        }
        // The ranges of other loops may depend on the parts.
        for unknown in unknowns.iter_mut() {
            unknown.min = replace.poly(space, unknown.min);
            unknown.extent = replace.poly(space, unknown.extent);
        }
        fused.push((dividend, whole));
    }
    fused
}

/// Returns the last unknown that has the factor 1 in an integer.
fn unit(space: &Space, poly: PolyId, unknowns: &[Unknown]) -> Option<Unknown> {
    let one = space.constant(1);
    let parts = mentioned(space, poly, unknowns);
    parts.into_iter().rev().find(|part| factor(space, poly, part.symbol) == Some(one))
}

/// Finds the quotients in an integer whose dividend mentions some of the symbols, but has no other
/// such quotient.
fn quotients(
    space: &Space,
    poly: PolyId,
    symbols: &IndexSet<Symbol>,
    found: &mut Vec<(AtomId, PolyId, PolyId)>,
) {
    for atom in poly_atoms(space, poly) {
        match space.atom(atom) {
            Atom::Symbol(_) | Atom::Value(_) => {}
            Atom::Min(operands) => {
                for inner in operands {
                    quotients(space, *inner, symbols, found);
                }
            }
            Atom::Select(_, a, b) => {
                quotients(space, *a, symbols, found);
                quotients(space, *b, symbols, found);
            }
            Atom::Div(dividend, divisor) => {
                let known = found.len();
                quotients(space, *dividend, symbols, found);
                let mentions =
                    |poly| space.symbols_of(poly).iter().any(|symbol| symbols.contains(symbol));
                if found.len() == known && mentions(*dividend) && !mentions(*divisor) {
                    found.push((atom, *dividend, *divisor));
                }
            }
        }
    }
}

/// The unknowns in an integer.
fn mentioned(space: &Space, poly: PolyId, unknowns: &[Unknown]) -> Vec<Unknown> {
    let symbols = space.symbols_of(poly);
    unknowns.iter().filter(|unknown| symbols.contains(&unknown.symbol)).copied().collect()
}

/// Solves `written = wanted` for its unknowns, starting with the greatest factors.
fn solve(
    space: &Space,
    written: PolyId,
    wanted: PolyId,
    (unknowns, clamped): (&[Unknown], bool),
    solution: &mut Rename,
) {
    // At most one round for each unknown: a wrong program's bounds may bring back an unknown that
    // has a guess already.
    for _ in unknowns {
        let present = solution.poly(space, written);
        let open = mentioned(space, present, unknowns);
        let symbols: IndexSet<Symbol> = open.iter().map(|unknown| unknown.symbol).collect();
        let linear = unclamp(space, present, &symbols, 0);
        let mut factors: Vec<(Unknown, PolyId)> = Vec::new();
        for unknown in &open {
            factors.extend(factor(space, linear, unknown.symbol).map(|by| (*unknown, by)));
        }
        // A symbolic factor counts as greater than any number.
        let size = |by: PolyId| space.as_constant(by).map_or(i128::MAX, i128::saturating_abs);
        let chosen = factors.into_iter().max_by_key(|(_, by)| size(*by));
        let Some((unknown, by)) = chosen else { return };
        let last = open.len() == 1;
        let mut others = Rename::symbols([(unknown.symbol, space.constant(0))]);
        for other in open.iter().filter(|other| other.symbol != unknown.symbol) {
            others.insert(other.symbol, solution.poly(space, other.min));
        }
        // If the unknown stands outside every minimum, the exact remainder is better than the
        // unclamped one.
        let exact = factor(space, present, unknown.symbol) == Some(by) && last;
        let base = others.poly(space, if exact { present } else { linear });
        let distance = space.sub(wanted, base);
        let guess = match space.as_constant(by) {
            Some(1) => distance,
            Some(-1) => space.scale(distance, -1),
            Some(_) | None => space.div(distance, by),
        };
        let unit = space.as_constant(by).is_some_and(|by| by.abs() == 1);
        let guess = if !clamped || (last && unit) {
            guess
        } else {
            let min = solution.poly(space, unknown.min);
            let end = space.add(min, solution.poly(space, unknown.extent));
            space.max(min, space.min(guess, space.offset(end, -1)))
        };
        solution.insert(unknown.symbol, guess);
    }
}

/// Returns the factor of a symbol in a polynomial that is affine in it.
fn factor(space: &Space, poly: PolyId, symbol: Symbol) -> Option<PolyId> {
    let (zero, one) = (space.constant(0), space.constant(1));
    let at_zero = Rename::symbols([(symbol, zero)]).poly(space, poly);
    let at_one = Rename::symbols([(symbol, one)]).poly(space, poly);
    let slope = space.sub(at_one, at_zero);
    let rebuilt = space.add(at_zero, space.mul(slope, space.symbol(symbol)));
    (rebuilt == poly && !space.is_zero(slope)).then_some(slope)
}

/// Replaces each minimum or selection by the operand that mentions the most of the symbols.
fn unclamp(space: &Space, poly: PolyId, symbols: &IndexSet<Symbol>, depth: u32) -> PolyId {
    if depth > 12 {
        return poly;
    }
    let mut replace = Rename::new();
    let mut found = false;
    let weight = |space: &Space, poly: PolyId| {
        space.symbols_of(poly).iter().filter(|symbol| symbols.contains(*symbol)).count()
    };
    for atom in poly_atoms(space, poly) {
        let operands: Vec<PolyId> = match space.atom(atom) {
            Atom::Min(operands) => operands.to_vec(),
            Atom::Select(_, a, b) => vec![*a, *b],
            Atom::Symbol(_) | Atom::Div(..) | Atom::Value(_) => continue,
        };
        let best = operands.iter().copied().max_by_key(|operand| weight(space, *operand));
        if let Some(best) = best.filter(|best| weight(space, *best) > 0) {
            let best = unclamp(space, best, symbols, depth + 1);
            replace.override_atom(atom, best);
            found = true;
        }
    }
    if found { replace.poly(space, poly) } else { poly }
}
