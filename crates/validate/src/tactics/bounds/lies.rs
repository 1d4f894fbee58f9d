//! Wrong proofs, for tests.

use crate::obligation::natural::Natural;
use crate::space::{AtomId, PolyId, Space};
use crate::tactics::parts::poly_atoms;

/// Changes steps, or adds steps that show something wrong. Draws numbers below a limit.
pub(in crate::tactics) fn bend(
    space: &Space,
    steps: &mut Vec<Natural>,
    goal: PolyId,
    below: &mut dyn FnMut(usize) -> usize,
) {
    let less = space.offset(goal, -1);
    let minus = space.scale(goal, -1);
    let one = space.constant(1);
    let atoms: Vec<AtomId> = poly_atoms(space, goal).into_iter().collect();
    let index = below(steps.len() + 1);
    match steps.get_mut(index) {
        None => {
            let added = match below(8) {
                0 => Natural::Fact(less),
                1 => Natural::Sum(minus, 1, Vec::new()),
                2 => Natural::Sum(minus, -1, vec![(1, vec![goal])]),
                3 => Natural::Sum(goal, 1, vec![(-1, vec![minus]), (-1, vec![])]),
                4 => Natural::Asked(vec![minus], vec![space.truth(false)], Vec::new()),
                5 => Natural::Asked(vec![less], Vec::new(), vec![less]),
                _ => match atoms.get(below(atoms.len().max(1))) {
                    Some(atom) => match below(5) {
                        0 => Natural::Range(*atom),
                        1 => Natural::Rest(*atom),
                        2 => Natural::Operands(*atom),
                        3 => Natural::Quotient(*atom, one, minus),
                        _ => Natural::Each(less, *atom, one),
                    },
                    None => Natural::Fact(minus),
                },
            };
            steps.insert(below(steps.len() + 1), added);
        }
        Some(step) => match step {
            _ if below(6) == 0 => drop(steps.remove(index)),
            Natural::Fact(poly) => *poly = space.offset(*poly, -1),
            Natural::Asked(polys, facts, known) => match below(4) {
                0 => polys.iter_mut().for_each(|poly| *poly = space.offset(*poly, -1)),
                1 => polys.push(minus),
                2 => facts.push(space.truth(false)),
                _ => known.push(less),
            },
            Natural::Range(atom) | Natural::Operands(atom) | Natural::Rest(atom) => {
                if let Some(other) = atoms.get(below(atoms.len().max(1))) {
                    *atom = *other;
                }
            }
            Natural::Quotient(_, a, b) => match below(3) {
                0 => *b = space.offset(*b, -1),
                1 => *a = space.offset(*a, -1),
                _ => *a = space.constant(0),
            },
            Natural::Sum(poly, times, parts) => match below(5) {
                0 => *poly = space.offset(*poly, -1),
                1 => *times += 1,
                2 => *times = -*times,
                3 => drop(parts.pop()),
                _ => parts.iter_mut().for_each(|part| part.0 = -part.0),
            },
            Natural::Each(poly, _, factor) => match below(3) {
                0 => *poly = space.offset(*poly, -1),
                1 => *factor = space.constant(0),
                _ => *factor = space.scale(*factor, -1),
            },
            Natural::Split(poly, condition, cases) => match below(4) {
                0 => cases.swap(0, 1),
                1 => *condition = space.truth(true),
                2 => *poly = space.offset(*poly, -1),
                _ => {
                    let side = below(2);
                    bend(space, &mut cases[side], goal, below);
                }
            },
        },
    }
}
