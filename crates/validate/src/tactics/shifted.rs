//! Reads at coordinates that are equal, where minima are written in two ways.
//!
//! `min(a, b) + s` is `min(a + s, b + s)`. A compiler leaves one side of a clamp out and writes the
//! other one anew, so the program and the specification may have one form each. The solver has no
//! trouble with them, but it is asked about sums of reads only once each read is known to have an
//! equal one.

use halidom_base::{FxHashMap, IndexSet};

use super::parts::poly_atoms;
use crate::space::{Atom, AtomId, PolyId, Rename, Space, Term, TermId, Value};

/// Returns reads of the first value, each with a read of the second one that has equal coordinates,
/// up to sums in minima.
pub(super) fn same_reads(space: &Space, a: Value, b: Value) -> Vec<(TermId, TermId)> {
    let [of_a, of_b] =
        [a, b].map(|value| space.terms_of(value).into_iter().collect::<IndexSet<TermId>>());
    let mut forms = Forms::default();
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    for read in of_b.difference(&of_a) {
        if let Some(form) = forms.of_read(space, *read) {
            known.entry(form).or_insert(*read);
        }
    }
    let mut found = Vec::new();
    for read in of_a.difference(&of_b) {
        let same = forms.of_read(space, *read).and_then(|form| known.get(&form));
        found.extend(same.map(|same| (*read, *same)));
    }
    found
}

/// Polynomials with one form for all minima that differ by a sum.
#[derive(Default)]
struct Forms {
    /// For the least operands of a minimum, in their order, the first minimum with these.
    least: FxHashMap<Vec<PolyId>, PolyId>,
    atoms: FxHashMap<AtomId, PolyId>,
}

impl Forms {
    /// Returns the read at the forms of its coordinates. `None` if the term is no read.
    fn of_read(&mut self, space: &Space, read: TermId) -> Option<TermId> {
        let Term::Read { coords, .. } = space.term(read) else { return None };
        let mut rename = Rename::new();
        for atom in coords.iter().flat_map(|coord| poly_atoms(space, *coord)) {
            rename.override_atom(atom, self.of_atom(space, atom));
        }
        Some(rename.term(space, read))
    }

    fn of_atom(&mut self, space: &Space, atom: AtomId) -> PolyId {
        if let Some(known) = self.atoms.get(&atom) {
            return *known;
        }
        let form = match space.atom(atom) {
            Atom::Min(operands) => {
                let each = operands.iter().map(|operand| self.of_poly(space, *operand));
                let operands: Vec<PolyId> = each.collect();
                let shared = operands.iter().copied().reduce(|a, b| shared(space, a, b));
                let shared = shared.unwrap_or_else(|| space.constant(0));
                let mut rest: Vec<PolyId> =
                    operands.iter().map(|operand| space.sub(*operand, shared)).collect();
                rest.sort_unstable();
                let own = space.sub(space.atom_poly(atom), shared);
                space.add(*self.least.entry(rest).or_insert(own), shared)
            }
            Atom::Symbol(_) | Atom::Div(..) | Atom::Select(..) | Atom::Value(_) => {
                space.atom_poly(atom)
            }
        };
        self.atoms.insert(atom, form);
        form
    }

    fn of_poly(&mut self, space: &Space, poly: PolyId) -> PolyId {
        let mut rename = Rename::new();
        for atom in poly_atoms(space, poly) {
            rename.override_atom(atom, self.of_atom(space, atom));
        }
        rename.poly(space, poly)
    }
}

/// Of each monomial, the lesser coefficient.
fn shared(space: &Space, a: PolyId, b: PolyId) -> PolyId {
    let difference = &space.poly(space.sub(a, b)).0;
    let positive = difference.iter().filter(|(_, by)| *by > 0).cloned().collect();
    space.sub(a, space.collect(positive))
}

#[cfg(test)]
mod tests {
    use halidom_base::Arena;
    use halidom_ir::{FuncId, Scalar};

    use super::same_reads;
    use crate::space::{Space, Term, Value, Version};

    #[test]
    fn reads_are_the_same_if_minima_differ_by_a_sum() {
        let space = Space::new();
        let func = Arena::<FuncId, ()>::new().push(());
        let [x, least] = ["x", "least"].map(|name| space.symbol(space.fresh(name)));
        let read = |coord| {
            space.leaf(Term::Read {
                func,
                component: 0,
                scalar: Scalar::F32,
                version: Version::Final,
                coords: Box::new([coord]),
            })
        };
        let zero = space.constant(0);
        // max(x, least), in three ways.
        let plain = space.sub(zero, space.min(space.sub(zero, x), space.sub(zero, least)));
        let above = space.sub(least, space.min(zero, space.sub(least, x)));
        let below = space.sub(x, space.min(zero, space.sub(x, least)));
        for (one, other) in [(plain, above), (above, below), (plain, below)] {
            let (one, other) = (read(one), read(other));
            let found = same_reads(&space, Value::Number(one), Value::Number(other));
            assert_eq!(found, if one == other { Vec::new() } else { vec![(one, other)] });
            assert_eq!(same_reads(&space, Value::Number(one), Value::Number(read(x))), []);
        }
    }
}
