//! The effects of statements around others: allocations, regions, marks, loops of one iteration and
//! tasks.

use halidom_rewrites::rules::{Domain, ValueId};

use crate::ir::kinds::{Kind, Type};
use crate::ir::layout::parameters;
use crate::ir::node::{Field, NodeId, Shape};
use crate::meaning::memory::{Memory, ScopeId, Stop, Way};
use crate::meaning::terms::Meaning;

/// The members of allocations, regions and marks that do not affect the result.
const UNCOMPARED: [&str; 1] = ["padding"];

/// The depth of statements beyond which their parts are not looked at.
const MAX_DEPTH: usize = 24;

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
            let elements = self.list(list, &mut way, scope);
            let count = i128::try_from(elements.len()).unwrap_or(i128::MAX);
            values.push(self.values.number(count, Domain::Whole));
            values.extend(elements);
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

    /// Runs the body of a loop of one iteration. A `break` in it goes no further. Where an
    /// unknown statement may have one, marks tell where the loop is.
    pub(super) fn run_once(&mut self, body: NodeId, way: Way, scope: ScopeId) -> Option<Vec<Way>> {
        if !self.may_break(body, 0) {
            return Some(after_loop(self.go(body, way, scope)?));
        }
        let outer = way.memory;
        let mark = |before, is_end| {
            let values = Vec::new();
            Memory::Mark { before, what: Kind::For, name: None, values, is_end }
        };
        let begin = self.effects.add(mark(outer, false));
        let ways = self.go(body, Way { memory: begin, ..way }, scope)?;
        let ended = after_loop(ways).into_iter().map(|way| {
            let is_idle = way.memory == begin;
            let memory = if is_idle { outer } else { self.effects.add(mark(way.memory, true)) };
            Way { memory, ..way }
        });
        Some(ended.collect())
    }

    /// Tests whether a statement may have a `break` that is not known, outside of loops of its own.
    /// Only HeteroCL has the statement.
    fn may_break(&self, stmt: NodeId, depth: usize) -> bool {
        if self.profile.name != "heterocl" || self.state.node(stmt).ty != Type::STMT {
            return false;
        }
        match self.known_shape(stmt) {
            None => true,
            Some(_) if depth > MAX_DEPTH => true,
            Some(Shape { kind: Kind::For | Kind::While, .. }) => false,
            Some(Shape { fields, .. }) => fields.iter().any(|field| match field {
                Field::Expr(inner) => self.may_break(*inner, depth + 1),
                Field::Number(_) | Field::Lanes | Field::Opaque(_) => false,
            }),
        }
    }

    /// The tasks that make up a task: a fork of a fork runs all of their tasks at once. What a
    /// condition tells of a statement is about the whole statement.
    pub(super) fn tasks(&self, stmt: NodeId, depth: usize) -> Vec<NodeId> {
        match self.known_shape(stmt) {
            Some(Shape { kind: Kind::Fork, fields })
                if self.state.scoped.is_empty() && depth < MAX_DEPTH =>
            {
                let parts = fields.iter().filter_map(|field| match field {
                    Field::Expr(inner) => Some(self.tasks(*inner, depth + 1)),
                    Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
                });
                parts.flatten().collect()
            }
            _ => vec![stmt],
        }
    }

    /// Runs statements concurrently. A statement that does nothing does not matter.
    pub(super) fn beside(
        &mut self,
        tasks: &[NodeId],
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let (first, rest) = match tasks {
            [] => return Some(vec![way]),
            [only] => return self.go(*only, way, scope),
            [first, rest @ ..] => (*first, rest),
        };
        self.effects.depth += 1;
        let depth = self.effects.depth;
        let start = self.effects.add(Memory::Start(depth));
        let begin = Way { conditions: Vec::new(), defined: Vec::new(), memory: start, stop: None };
        let one = self.go(first, begin.clone(), scope);
        let other = self.beside(rest, begin, scope);
        self.effects.depth -= 1;
        let (one, other) = (one?, other?);
        let is_idle =
            |ways: &[Way]| ways.iter().all(|way| way.memory == start && way.stop.is_none());
        if is_idle(&one) {
            return self.beside(rest, way, scope);
        }
        if is_idle(&other) {
            return self.go(first, way, scope);
        }
        let before = way.memory;
        let memory = self.effects.add(Memory::Fork { before, depth, first: one, rest: other });
        Some(vec![Way { memory, ..way }])
    }
}

/// The ways through a loop that ended: a `break` stops nothing behind it.
pub(super) fn after_loop(ways: Vec<Way>) -> Vec<Way> {
    let goes_on = |way: Way| Way { stop: way.stop.filter(|stop| *stop != Stop::Loop), ..way };
    ways.into_iter().map(goes_on).collect()
}
