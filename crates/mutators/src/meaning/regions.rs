//! The effects of statements around a body: allocations, regions and marks.

use halidom_rewrites::rules::{Domain, ValueId};

use crate::ir::kinds::Kind;
use crate::ir::layout::parameters;
use crate::ir::node::{Field, NodeId};
use crate::meaning::memory::{Memory, ScopeId, Way};
use crate::meaning::terms::Meaning;

/// The members of allocations, regions and marks that do not affect the result.
const UNCOMPARED: [&str; 1] = ["padding"];

/// The members that emitted C tells.
const EMITTED: [&str; 3] = ["type", "types", "bounds"];

impl Meaning<'_> {
    /// Allocates a buffer or a region around a body.
    pub(super) fn allocate(
        &mut self,
        kind: Kind,
        fields: &[Field],
        member: &impl Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let mut way = way;
        let state = self.state;

        if kind == Kind::Allocate && self.is_unused(member("name")?, member("body")?) {
            return self.go(member("body")?, way, scope);
        }
        // Where the condition does not hold, nothing is allocated.
        let condition = self.at(member("condition")?, &mut way, scope);
        let (allocated, left) = self.fork(condition, way);
        let mut done = Vec::new();
        for way in left {
            done.extend(self.go(member("body")?, way, scope)?);
        }
        let Some(mut way) = allocated.into_iter().next() else { return Some(done) };
        let mut values = Vec::new();
        let known = parameters(kind, self.profile.name).unwrap_or_default();
        let lists = ["extents", "init_values"].into_iter();
        for list in lists.filter(|name| known.contains(name)).filter_map(member) {
            values.extend(self.list(list, &mut way, scope));
        }
        values.extend(self.compared(kind, fields));
        let name = Some(state.find(member("name")?));
        let outside = way.memory;
        let begin =
            |before, values| Memory::Mark { before, what: kind, name, values, is_end: false };
        way.memory = self.effects.add(begin(way.memory, values));
        let begun = way.memory;
        let mut within = self.go(member("body")?, way, scope)?;
        for way in &mut within {
            if way.memory == begun {
                // The body has no effect, so the buffer does not matter.
                way.memory = outside;
                continue;
            }
            let before = way.memory;
            way.memory = self.effects.add(Memory::Mark {
                before,
                what: kind,
                name,
                values: Vec::new(),
                is_end: true,
            });
        }
        done.extend(within);
        Some(done)
    }

    /// The members of a statement that are only compared, as numbers: all that its compiler
    /// has, unless a table says that it does not matter.
    fn compared(&mut self, kind: Kind, fields: &[Field]) -> Vec<ValueId> {
        let known = parameters(kind, self.profile.name);
        let mut values = Vec::new();
        for ((name, _), field) in kind.fields().iter().zip(fields) {
            if let Field::Opaque(id) = field
                && !UNCOMPARED.contains(name)
                && (!self.is_emitted || EMITTED.contains(name))
                && known.is_none_or(|known| known.contains(name))
            {
                values.push(self.values.number((*id).into(), Domain::Whole));
            }
        }
        values
    }

    /// A statement between two marks. If it does nothing, there are none.
    pub(super) fn enclosed(
        &mut self,
        kind: Kind,
        fields: &[Field],
        member: &impl Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let mut way = way;
        let outer = way.memory;
        let name = member("name").map(|name| self.state.find(name));
        let mut values = self.compared(kind, fields);
        for operand in ["condition", "value"].into_iter().filter_map(member) {
            values.push(self.at(operand, &mut way, scope));
        }
        if let Some(list) = member("extents") {
            values.extend(self.list(list, &mut way, scope));
        }
        let begin = Memory::Mark { before: outer, what: kind, name, values, is_end: false };
        let begin = self.effects.add(begin);
        let ways = self.go(member("body")?, Way { memory: begin, ..way }, scope)?;
        let closed = ways.into_iter().map(|way| {
            let before = way.memory;
            let values = Vec::new();
            let end = Memory::Mark { before, what: kind, name, values, is_end: true };
            let memory = if before == begin { outer } else { self.effects.add(end) };
            Way { memory, ..way }
        });
        Some(closed.collect())
    }
}
