//! Equations of integers that wrap: which of them say the same.
//!
//! A compiler writes `p - 3 - q == 5` for `p - 3 == q + 5`. If the sums wrap, the solver knows
//! nothing that they have in common. But both equations say that `p - q - 8` is 0.

use halidom_base::{FxHashMap, IndexMap, IndexSet};
use halidom_ir::Scalar;

use crate::lemma::{Instance, residue};
use crate::space::{Atom, Formula, FormulaId, PolyId, Space, TermId};

/// The most instances that are stated. Fewer can only prove less.
const MOST_EQUATIONS: usize = 16;

/// For an integer `p`, a machine integer that is 0 exactly if `p` is 0, and its type.
pub(super) type Residues = FxHashMap<PolyId, Option<(TermId, Scalar)>>;

/// Returns instances on equations among formulas that say the same as another one, or that always
/// or never hold.
pub(super) fn alike(
    space: &Space,
    formulas: &IndexSet<FormulaId>,
    known: &mut Residues,
) -> Vec<Instance> {
    let mut groups: IndexMap<TermId, Vec<Instance>> = IndexMap::default();
    for formula in formulas {
        let Formula::Zero(number) = *space.formula(*formula) else { continue };
        let found = *known.entry(number).or_insert_with(|| {
            let scalar = scalar(space, number)?;
            Some((residue(space, number, scalar)?, scalar))
        });
        if let Some((term, scalar)) = found {
            groups.entry(term).or_default().push(Instance::Vanishes(number, scalar));
        }
    }
    let useful = groups
        .into_iter()
        .filter(|(term, equations)| equations.len() > 1 || space.term_constant(*term).is_some());
    useful.flat_map(|(_, equations)| equations).take(MOST_EQUATIONS).collect()
}

/// Returns the type of the first machine integer in a sum.
fn scalar(space: &Space, number: PolyId) -> Option<Scalar> {
    space.poly(number).0.iter().find_map(|(monomial, _)| match **monomial {
        [atom] => match space.atom(atom) {
            Atom::Value(term) => Some(space.scalar(*term)).filter(|of| of.is_machine_integer()),
            Atom::Symbol(_) | Atom::Min(_) | Atom::Div(..) | Atom::Select(..) => None,
        },
        _ => None,
    })
}
