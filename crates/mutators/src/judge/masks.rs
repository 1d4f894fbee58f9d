//! Judges methods of classes that make masks of vectors of truth values (`machine::masks`).
//!
//! A path that is not proved is undecided, unless a run on random IR shows a defect.

use halidom_rewrites::rules::Decision;

use crate::ir::node::NodeId;
use crate::judge::entry::Entry;
use crate::judge::verdict::Standing;
use crate::judge::verify::Examiner;
use crate::machine::masks::{is_masked, mask_of};
use crate::machine::run::{End, Machine};
use crate::meaning::claims::obligation;

impl Examiner<'_, '_> {
    /// Examines a path that returns. The result must be the input's mask if the input is a vector
    /// of truth values, and otherwise have its type and value.
    pub(super) fn masked(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        result: NodeId,
        end: &End,
        ty: &str,
    ) {
        let mut masked = end.clone();
        let wanted = if is_masked(end.state.node(input).ty) {
            mask_of(input, result, &mut masked.state)
        } else {
            Some(input)
        };
        let has_type = |of: NodeId| masked.state.node(of).ty == masked.state.node(result).ty;
        let Some(wanted) = wanted.filter(|wanted| has_type(*wanted)) else {
            if self.is_possible(entry, machine, end) {
                let text = "a result of another type than the argument or its mask";
                self.find(Standing::Undecided, end.line, ty, text);
            }
            return;
        };
        for not_taken in [None, Some(false)] {
            let claim = obligation(entry.profile, machine, wanted, result, &masked, not_taken);
            if matches!(self.decided(&claim), Decision::Proved | Decision::Vacuous) {
                return self.narrowed(entry, machine, input, result, end, ty);
            }
        }
        let text = "the result is not shown to be the argument or its mask";
        self.find(Standing::Undecided, end.line, ty, text);
    }
}
