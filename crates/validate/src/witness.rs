//! Guessing which instance of a store writes a given location.
//!
//! # Correctness
//! Nothing here is believed: a witness is a guess at the values of a store's loops and lane, and the caller proves that the instance with these values exists
//! and writes what is claimed. A bad guess can only make that proof fail.

use halidom_base::IndexSet;

use crate::program::{Model, Store};
use crate::space::{Atom, PolyId, Rename, Space, Symbol};

/// A loop variable or lane to be found.
#[derive(Clone, Copy)]
struct Unknown {
    symbol: Symbol,
    min: PolyId,
    extent: PolyId,
}

/// Values for the loops of `store` inside its first `depth` steps, and for its lane, such that its coordinates and point are hoped to be those of the target.
/// Loops with a value in `preset` keep it.
pub(crate) fn witness(
    space: &mut Space,
    model: &Model,
    store: &Store,
    depth: usize,
    target: &[PolyId],
    preset: &Rename,
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
            let mut bounds = Rename::symbols(own.iter().copied());
            let min = bounds.poly(space, found.min);
            let extent = bounds.poly(space, found.extent);
            own.push((found.symbol, space.symbol(symbol)));
            unknowns.push(Unknown { symbol, min, extent });
        }
    }
    if let Some(lane) = store.access.lane {
        let symbol = space.fresh("guess");
        own.push((lane, space.symbol(symbol)));
        let (min, extent) = (space.constant(0), space.constant(64));
        unknowns.push(Unknown { symbol, min, extent });
    }
    let mut rename = Rename::symbols(own.iter().copied());
    let mut equations: Vec<(PolyId, PolyId)> = store
        .access
        .coords
        .iter()
        .chain(&store.point)
        .zip(target)
        .map(|(written, wanted)| (rename.poly(space, *written), *wanted))
        .collect();
    let mut solution = Rename::new();
    let mut fused = unfuse(space, &mut unknowns, &mut equations);
    // Equations with few unknowns first: they fix what the others share.
    equations.sort_by_key(|(written, _)| mentioned(space, *written, &unknowns).len());
    for (written, wanted) in equations {
        solve(space, written, wanted, &unknowns, &mut solution);
    }
    for unknown in &unknowns {
        if solution.get(unknown.symbol).is_none() {
            let min = solution.poly(space, unknown.min);
            solution.insert(unknown.symbol, min);
        }
    }
    let mut result = Rename::new();
    for (symbol, unknown) in own {
        let split = fused.poly(space, unknown);
        let value = solution.poly(space, split);
        result.insert(symbol, value);
    }
    result
}

/// Loops that run over two dimensions at once, met as a quotient `(v + k) / n`, become two unknowns: `v = n·q + r - k`.
fn unfuse(
    space: &mut Space,
    unknowns: &mut Vec<Unknown>,
    equations: &mut [(PolyId, PolyId)],
) -> Rename {
    let mut split = Rename::new();
    for index in 0..unknowns.len() {
        let unknown = unknowns[index];
        let variable = space.symbol(unknown.symbol);
        let found = equations.iter().find_map(|(written, _)| {
            space
                .poly_atoms(*written)
                .into_iter()
                .find_map(|atom| match space.atom(atom) {
                    Atom::Div(dividend, divisor) => Some((atom, *dividend, *divisor)),
                    Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => None,
                })
                .filter(|(_, dividend, _)| space.poly_symbols(*dividend).contains(&unknown.symbol))
        });
        let Some((atom, dividend, divisor)) = found else { continue };
        let shift = space.sub(dividend, variable);
        if space.poly_symbols(shift).contains(&unknown.symbol) {
            continue;
        }
        let (quotient, rest) = (space.fresh("guess"), space.fresh("guess"));
        let (q, r) = (space.symbol(quotient), space.symbol(rest));
        let zero = space.constant(0);
        let rounded = space.combine(&[(unknown.extent, 1), (divisor, 1)]);
        let rounded = space.offset(rounded, -1);
        let count = space.div(rounded, divisor);
        unknowns.push(Unknown { symbol: quotient, min: zero, extent: count });
        unknowns.push(Unknown { symbol: rest, min: zero, extent: divisor });
        let product = space.mul(divisor, q);
        let whole = space.combine(&[(product, 1), (r, 1), (shift, -1)]);
        let mut replace = Rename::symbols([(unknown.symbol, whole)]);
        replace.override_atom(atom, q);
        for (written, _) in equations.iter_mut() {
            *written = replace.poly(space, *written);
        }
        split.insert(unknown.symbol, whole);
    }
    split
}

/// The unknowns in an integer.
fn mentioned(space: &Space, poly: PolyId, unknowns: &[Unknown]) -> Vec<Unknown> {
    let symbols = space.poly_symbols(poly);
    unknowns.iter().filter(|unknown| symbols.contains(&unknown.symbol)).copied().collect()
}

/// Solves `written = wanted` for the unknowns in it, those with the greatest factors first.
fn solve(
    space: &mut Space,
    written: PolyId,
    wanted: PolyId,
    unknowns: &[Unknown],
    solution: &mut Rename,
) {
    loop {
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
            let min = solution.poly(space, other.min);
            others.insert(other.symbol, min);
        }
        // Where the unknown stands outside every minimum, the exact remainder serves better than the unclamped one.
        let exact = factor(space, present, unknown.symbol) == Some(by) && last;
        let base = others.poly(space, if exact { present } else { linear });
        let distance = space.sub(wanted, base);
        let guess = match space.as_constant(by) {
            Some(1) => distance,
            Some(-1) => space.scale(distance, -1),
            Some(_) | None => space.div(distance, by),
        };
        let guess = if last && space.as_constant(by).is_some_and(|by| by.abs() == 1) {
            guess
        } else {
            let min = solution.poly(space, unknown.min);
            let extent = solution.poly(space, unknown.extent);
            let end = space.add(min, extent);
            let end = space.offset(end, -1);
            let low = space.min(guess, end);
            space.max(min, low)
        };
        solution.insert(unknown.symbol, guess);
    }
}

/// The factor of a symbol in a polynomial, if the polynomial is affine in it.
fn factor(space: &mut Space, poly: PolyId, symbol: Symbol) -> Option<PolyId> {
    let (zero, one) = (space.constant(0), space.constant(1));
    let at_zero = Rename::symbols([(symbol, zero)]).poly(space, poly);
    let at_one = Rename::symbols([(symbol, one)]).poly(space, poly);
    let slope = space.sub(at_one, at_zero);
    let variable = space.symbol(symbol);
    let term = space.mul(slope, variable);
    let rebuilt = space.add(at_zero, term);
    (rebuilt == poly && !space.is_zero(slope)).then_some(slope)
}

/// Replaces minima and selections by the operand that mentions the most of the symbols.
fn unclamp(space: &mut Space, poly: PolyId, symbols: &IndexSet<Symbol>, depth: u32) -> PolyId {
    if depth > 12 {
        return poly;
    }
    let mut replace = Rename::new();
    let mut found = false;
    let weight = |space: &Space, poly: PolyId| {
        space.poly_symbols(poly).iter().filter(|symbol| symbols.contains(*symbol)).count()
    };
    for atom in space.poly_atoms(poly) {
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
