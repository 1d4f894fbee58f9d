//! The required windows are computed.
//!
//! # Correctness
//! For every location of an output's window there is a label outside all loops whose conditions
//! hold and whose promised region contains the location. A label's promise holds after the label
//! (`Coverage`, `Order`), and to the end of the run (`Order`). An empty window requires nothing.

use halidom_ir::BufferKind;

use super::Checker;
use crate::obligation::record::Kind;
use crate::program::{MemoryId, Step};
use crate::space::PolyId;

impl Checker<'_> {
    /// Checks the obligations of kind `Output`.
    pub(super) fn outputs(&mut self) {
        let model = self.model;
        for (func, window) in &model.windows {
            let coords: Vec<PolyId> =
                window.iter().map(|_| self.space.fresh_poly("required")).collect();
            let required = self.inside(&coords, window);
            let mut ways = Vec::new();
            for label in model.labels.values().filter(|label| label.func == *func) {
                let outside = label.place.steps.iter().all(|step| matches!(step, Step::Part(_)));
                let is_output =
                    |memory: &MemoryId| model.memories[*memory].kind == BufferKind::Output;
                let kept = !label.memories.is_empty() && label.memories.iter().all(is_output);
                if outside && kept {
                    let mut way = label.place.facts.clone();
                    way.push(self.inside(&coords, &label.needed));
                    ways.push(self.space.and(way));
                }
            }
            let computed = self.space.or(ways);
            let place = format!("window of {}", self.pool.func(*func).name);
            let status = self.prove(&[required], computed, "output");
            self.record(Kind::Output, None, place, status);
            self.not_vacuous(*func, required);
        }
    }

    /// Checks that a window can have a location in it, because otherwise the proof would be
    /// vacuous.
    fn not_vacuous(&mut self, func: halidom_ir::FuncId, required: crate::space::FormulaId) {
        let mut facts = self.entry.clone();
        facts.push(required);
        let place = format!("window of {} can have a location", self.pool.func(func).name);
        self.possible(&facts, &place, "the entry checks allow only empty windows");
    }
}
