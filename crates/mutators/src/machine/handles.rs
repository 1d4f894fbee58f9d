//! Methods of the compiler's own objects: only their purpose is known.

use halidom_cpp::Sign;
use halidom_rewrites::rules::Fun;

use crate::ir::kinds::Kind;
use crate::ir::node::NodeId;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::absent::{DEFINED, UNDEFINED};
use crate::machine::invariants::{Invariant, invariant};
use crate::machine::names::Method;
use crate::machine::run::{Machine, Paths};
use crate::machine::types::is_map_type;

/// The member of an entry to which a pointer points that tells when it was found.
const ASKED: &str = "the changes before";

/// A mark for the changes that a path has made of objects and scopes.
fn changes(state: &State) -> String {
    format!("{} {} {:?}", state.visits, state.unseen, state.scopes)
}

impl Machine<'_> {
    /// Runs a method of one of the compiler's own objects.
    pub(super) fn handle_method(
        &mut self,
        receiver: &Val,
        name: Method<'_>,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let Val::Handle(of) = receiver else {
            return self.unsupported(state, format!("the method {name}"), line);
        };
        if name == Method::Type && self.may_be_undefined(of) {
            return self.unsupported(state, UNDEFINED, line);
        }
        if let Some(paths) = self.element_method(of, name, arguments, &state, line) {
            return paths;
        }
        match (name, arguments) {
            (
                Method::Ref | Method::Get,
                [key @ (Val::Expr(Some(_)) | Val::Ptr(Some((_, Kind::Variable))))],
            ) if !self.is_concrete() => self.entry_of(of, name, key, state),
            (Method::Count, [_]) => self.entries_under(of, arguments, state),
            (Method::Contains, _) => self.has_entry(of, arguments, state),
            (Method::Empty, _) => self.has_entry(of, &[], state),
            (Method::Find | Method::ShallowFind, [key])
                if matches!(invariant(of), Some(Invariant::Report | Invariant::Replacement)) =>
            {
                self.pointer_to_entry(of, name, key, state)
            }
            // Bookkeeping whose contents are not known when the mutator begins.
            (
                Method::Push
                | Method::Pop
                | Method::Insert
                | Method::Erase
                | Method::PushBack
                | Method::EmplaceBack
                | Method::PopBack
                | Method::Clear,
                _,
            ) => {
                let mut state = state;
                Self::changed_unseen(&mut state);
                vec![(state, Val::Void)]
            }
            (Method::Emplace, _) if !self.is_concrete() => {
                let mut state = state;
                Self::changed_unseen(&mut state);
                let unknown = Val::Handle(self.fresh_name("unknown"));
                vec![(state, unknown)]
            }
            // Questions about the compiler's own objects, whose contents are not known.
            (
                Method::Begin
                | Method::End
                | Method::ElementOf
                | Method::Length
                | Method::Size
                | Method::Bytes
                | Method::Bits
                | Method::Lanes
                | Method::Type,
                [],
            ) if self.follows_unknown() => {
                vec![(state, Val::Handle(format!("{of}.{name}")))]
            }
            (Method::Defined, []) if of.ends_with(DEFINED) => {
                vec![(state, Val::Bool(self.values.bool(true)))]
            }
            (Method::Defined | Method::SameAs, _) if !self.is_concrete() => {
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            (Method::Find | Method::ShallowFind, _) if !self.is_concrete() => {
                let iterator = self.looked_up(of, name, arguments, &state);
                vec![(state, iterator)]
            }
            (Method::Get | Method::Ref | Method::At | Method::Back, _) if !self.is_concrete() => {
                vec![(state, Val::Handle(format!("{of}.{name}")))]
            }
            // A question about an object of the compiler that is not known.
            (
                Method::Other(_)
                | Method::As
                | Method::IsVector
                | Method::IsScalar
                | Method::IsInt
                | Method::IsUint
                | Method::IsFloat
                | Method::IsBool
                | Method::Front
                | Method::Str,
                [],
            ) if !self.is_concrete() && !self.mode.is_emitter() && of != "this" => {
                vec![(state, Val::Handle(format!("{of}.{name}()")))]
            }
            // It may change what it is given the address of.
            (Method::Other(_), _) if self.counts_lanes && of != "this" => {
                let mut state = state;
                for argument in arguments {
                    if let Val::Address(place) = argument {
                        let unknown = Val::Handle(self.fresh_name("unknown"));
                        self.store(place, unknown, &mut state);
                    }
                }
                let unknown = Val::Handle(self.fresh_name("unknown"));
                vec![(state, unknown)]
            }
            _ => self.unsupported(state, format!("the method {name}"), line),
        }
    }

    /// A scope's entry for a variable, looked up by the variable or by its name.
    fn entry_of(&mut self, of: &str, name: Method<'_>, key: &Val, state: State) -> Paths<Val> {
        let variable = match key {
            Val::Ptr(Some((node, _))) => Some(*node),
            _ => Self::variable_named(key, &state),
        };
        match (invariant(of), variable) {
            (Some(Invariant::Report), Some(node)) => {
                let info = self.info_of(node, &state);
                vec![(state, info)]
            }
            (Some(Invariant::Replacement), Some(node)) => self.replacement_of(node, state),
            (Some(Invariant::Bounds), Some(node)) => self.bounds_of(node, state),
            // Nothing is known about the entries of a scope without an invariant.
            _ => vec![(state, Val::Handle(format!("{of}.{name}")))],
        }
    }

    /// A pointer to a scope's entry, or null. The entry under a name that is no variable's may be
    /// any. On wholly known IR, no scope holds anything.
    fn pointer_to_entry(
        &mut self,
        of: &str,
        name: Method<'_>,
        key: &Val,
        state: State,
    ) -> Paths<Val> {
        if self.is_concrete() {
            return vec![(state, Val::Ptr(None))];
        }
        let (found, missed) = self.choose(state);
        let mut paths = vec![(missed, Val::Ptr(None))];
        let entries = match key {
            Val::Expr(Some(_)) | Val::Ptr(Some((_, Kind::Variable))) => {
                self.entry_of(of, name, key, found)
            }
            _ => vec![(found, Val::info())],
        };
        for (state, entry) in entries {
            let entry = match entry {
                Val::Object(members) => Val::Object(Self::pointed_entry(members, &state)),
                _ => Val::info(),
            };
            paths.push((state, Val::NumPtr(Some((0, Box::new(entry))))));
        }
        paths
    }

    /// The members of an entry to which a pointer points, with a mark for all that may remove the
    /// entry and that happened before: other methods that ran, and changes of scopes.
    pub(super) fn pointed_entry(members: Vec<(String, Val)>, state: &State) -> Vec<(String, Val)> {
        let mut members = members;
        members.retain(|(name, _)| name != ASKED);
        members.push((ASKED.to_owned(), Val::Text(changes(state))));
        members
    }

    /// Tests whether an entry may be gone to which a pointer points.
    pub(super) fn may_be_gone(entry: &Val, state: &State) -> bool {
        let Val::Object(members) = entry else { return false };
        let is_old = |value: &Val| *value != Val::Text(changes(state));
        members.iter().any(|(name, value)| name == ASKED && is_old(value))
    }

    /// Asks whether a scope or a set of facts has an entry, or any.
    fn has_entry(&mut self, of: &str, arguments: &[Val], state: State) -> Paths<Val> {
        match arguments {
            // A condition in a set of facts holds, or does not hold, depending on the set.
            [Val::Expr(Some(node)) | Val::Ptr(Some((node, _)))]
                if matches!(invariant(of), Some(Invariant::Truth(_)))
                    && !self.is_concrete()
                    && state.node(*node).ty.is_bool() =>
            {
                let (mut known, other) = self.choose(state);
                let value = self.node_value(*node, &known);
                let holds = invariant(of) == Some(Invariant::Truth(true));
                let fact = if holds { value } else { self.values.apply(Fun::Not, &[value]) };
                known.facts.push(fact);
                self.truths(vec![known], vec![other])
            }
            // An entry is there just if the variable has no value.
            [key]
                if invariant(of) == Some(Invariant::Lost)
                    && !self.is_concrete()
                    && let Some(lost) = self.lost_by(key, &state) =>
            {
                let kept = self.values.apply(Fun::Not, &[lost]);
                let (mut known, mut other) = self.choose(state);
                known.facts.push(lost);
                other.facts.push(kept);
                self.truths(vec![known], vec![other])
            }
            // On wholly known IR, no scope holds anything.
            [_] if self.is_concrete() => {
                vec![(state, Val::Bool(self.values.bool(false)))]
            }
            _ => {
                let (mut holds, fails) = self.choose(state);
                if !arguments.is_empty() {
                    self.has_found(of, arguments, &mut holds);
                }
                self.truths(vec![holds], vec![fails])
            }
        }
    }

    /// `count` of an object: the number of its entries under a key. Nothing is known of the result
    /// if the object is no container.
    fn entries_under(&mut self, of: &str, key: &[Val], state: State) -> Paths<Val> {
        let types = self.types_of(of);
        let is_map = !types.is_empty() && types.iter().all(|ty| is_map_type(ty));
        let is_scope = invariant(of).is_some() || types.iter().any(|ty| ty.contains("Scope<"));
        if !is_map && !is_scope {
            let unknown = Val::Handle(self.fresh_name("unknown"));
            return vec![(state, unknown)];
        }
        let yes = self.values.bool(true);
        let mut paths = Vec::new();
        for (mut state, found) in self.has_entry(of, key, state) {
            let number = if found != Val::Bool(yes) {
                self.number(0, 64, false)
            } else if is_scope {
                // A scope keeps a stack of entries for a name.
                let entries = self.any_number("entries", 32, true);
                let least = self.number(1, 32, true);
                if let Val::Bool(fact) = self.compare(Sign::Ge, entries, least) {
                    state.facts.push(fact);
                }
                entries
            } else {
                self.number(1, 64, false)
            };
            paths.push((state, Val::Int(number)));
        }
        paths
    }

    /// The entry of a scope for a variable: a replacement of the same type and value, or an
    /// undefined one.
    fn replacement_of(&mut self, node: NodeId, state: State) -> Paths<Val> {
        let (mut defined, undefined) = self.choose(state);
        let (ty, class) = (defined.node(node).ty, defined.node(node).class);
        let replacement = defined.add(ty, Some(class), None);
        // Counts of uses can be any numbers.
        let counts = ["old_uses", "new_uses"].map(|name| (name, self.any_number(name, 32, true)));
        let entry = |value| {
            let mut members = vec![("replacement".to_owned(), Val::Expr(value))];
            members.extend(counts.map(|(name, count)| (name.to_owned(), Val::Int(count))));
            Val::Object(members)
        };
        vec![(defined, entry(Some(replacement))), (undefined, entry(None))]
    }

    /// The entry of a scope for a variable: a pair of numbers between which it lies.
    fn bounds_of(&mut self, node: NodeId, state: State) -> Paths<Val> {
        let mut state = state;
        let ty = state.node(node).ty;
        let (low, high) =
            (self.any_number("least", 64, true), self.any_number("greatest", 64, true));
        if let Some(range) = ty.reported_range().filter(|_| !ty.is_bool()) {
            let value = self.node_value(node, &state);
            let value = self.host_number(value, range, true);
            let above = self.comparison(Sign::Le, low.term, value.term);
            let below = self.comparison(Sign::Le, value.term, high.term);
            state.facts.extend([above, below]);
        }
        let member = |name: &str, value| (name.to_owned(), Val::Int(value));
        let names = [("first", low), ("second", high), ("min", low), ("max", high)];
        let entry = names.map(|(name, value)| member(name, value)).to_vec();
        vec![(state, Val::Object(entry))]
    }
}
