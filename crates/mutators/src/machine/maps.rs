//! Maps of the compiler's own code, where the IR is wholly known: entries by their keys, and
//! iterators.
//!
//! # Correctness
//!
//! An iterator is a structure with the map's place and the key. Each use looks the entry up again,
//! so it sees what the entry holds at that time; an entry that is gone is not followed. A map of
//! expressions is followed only if it compares their structure.

use halidom_cpp::TABLE;
use halidom_cpp::ast::{Declared, Expr, ExprKind};

use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::lookup::last_part;
use crate::machine::names::{Method, TypeName};
use crate::machine::run::{Machine, Outcome, Paths};
use crate::machine::types::{integer_type, is_map_type};

/// The handle for the end of a map.
pub(super) const END: &str = "the end of a map";

/// The member of an iterator that holds the place of the map. No structure has this name.
const MAP: &str = "the map of an entry";

/// The reason why a path becomes unsupported that uses an iterator whose entry was removed.
pub(super) const GONE: &str = "an entry of a map that is gone";

/// The order of the keys that compares the structure of expressions.
const BY_STRUCTURE: &str = "IRDeepCompare";

/// Tests whether a constant table is a map of strings that compares them as such.
fn is_table(ty: &str) -> bool {
    let of = ty.strip_prefix(TABLE).unwrap_or(ty);
    let of = of.strip_prefix("const ").unwrap_or(of);
    let parts = ["std::map<", "std::unordered_map<"].iter().find_map(|kind| of.strip_prefix(kind));
    let parts = parts.and_then(|parts| parts.strip_suffix('>')).map(|parts| parts.split_once(','));
    // A second comma may begin an order.
    matches!(parts, Some(Some(("std::string", of))) if !of.contains(','))
}

/// The text that a key of a constant table is: of an intrinsic, its name.
fn name_of_function(key: &Expr) -> Option<String> {
    match &key.kind {
        ExprKind::Text(text) => Some(text.clone()),
        ExprKind::Call { arguments, .. } => match arguments.as_slice() {
            [Expr { kind: ExprKind::Name(name), .. }] => Some(last_part(name).to_owned()),
            _ => None,
        },
        _ => None,
    }
}

impl<'p> Machine<'p> {
    /// `m.find(key)` and `m.end()` of a map with these entries.
    pub(super) fn in_map(
        &self,
        place: Option<&Place>,
        entries: &[(Val, Val)],
        name: Method<'_>,
        arguments: &[Val],
        state: &State,
    ) -> Option<Val> {
        let (true, Some(place)) = (self.is_concrete(), place) else { return None };
        match (name, arguments) {
            (Method::End, []) => Some(Val::Handle(END.to_owned())),
            (Method::Find, [key]) if self.compares(place, key, state) => {
                let is_it = |(known, _): &(Val, Val)| Self::is_same_key(known, key, state);
                Some(if entries.iter().any(is_it) {
                    let map = (MAP.to_owned(), Val::Address(place.clone()));
                    Val::Object(vec![map, ("first".to_owned(), key.clone())])
                } else {
                    Val::Handle(END.to_owned())
                })
            }
            _ => None,
        }
    }

    /// Declares a constant table of functions by their names. It is followed on known IR alone.
    pub(super) fn table(&mut self, declared: &'p Declared, state: State) -> Vec<State> {
        let entries = match declared.value.as_ref().map(|value| &value.kind) {
            Some(ExprKind::Braces(None, entries)) => entries.as_slice(),
            _ => &[],
        };
        let key = |entry: &Expr| match &entry.kind {
            ExprKind::Braces(None, parts) => parts.first().and_then(name_of_function),
            _ => None,
        };
        let keys = entries.iter().map(key).collect::<Option<Vec<String>>>();
        let Some(keys) = keys.filter(|_| self.is_concrete() && is_table(&declared.ty)) else {
            self.end(state, Outcome::Unsupported("a static variable".to_owned()), self.line);
            return Vec::new();
        };
        // What the functions compute is not known.
        let unknown = |key| (Val::Text(key), Val::Handle(self.fresh_name("unknown")));
        let value = Val::Map(keys.into_iter().map(unknown).collect());
        let mut state = state;
        let (name, ty) = (declared.name.clone(), declared.ty.clone());
        state.frame().push(Slot { name, ty, value });
        vec![state]
    }

    /// Tests whether a map compares keys as the machine does: expressions by their structure, and
    /// names and texts as such.
    fn compares(&self, map: &Place, key: &Val, state: &State) -> bool {
        match key {
            Val::Expr(Some(node)) if state.node(*node).ty.is_value() => {
                self.parts_of_map(map, state).get(2).is_some_and(|order| order == BY_STRUCTURE)
            }
            Val::Expr(Some(_)) | Val::Text(_) | Val::Int(_) => true,
            _ => false,
        }
    }

    /// The template arguments of a map's type: the key, the value and the order.
    fn parts_of_map(&self, map: &Place, state: &State) -> Vec<String> {
        let ty = match map {
            Place::Member(name) => {
                let classes = self.classes_of(&self.class);
                let known = self.program.classes.iter().filter(|of| classes.contains(&of.name));
                let mut fields = known.flat_map(|class| &class.fields);
                fields.find(|field| field.name == *name).map(|field| field.ty.clone())
            }
            place => Self::load(place, state).map(|slot| slot.ty),
        };
        let ty = ty.unwrap_or_default();
        let Some((_, parts)) = ty.split_once('<').filter(|_| is_map_type(&ty)) else {
            return Vec::new();
        };
        let mut depth = 0;
        let mut found = vec![String::new()];
        for letter in parts.trim_end_matches('&').strip_suffix('>').unwrap_or(parts).chars() {
            depth += match letter {
                '<' | '(' => 1,
                '>' | ')' => -1,
                _ => 0,
            };
            match found.last_mut() {
                Some(last) if depth != 0 || letter != ',' => last.push(letter),
                _ => found.push(String::new()),
            }
        }
        found.into_iter().map(|part| part.trim().to_owned()).collect()
    }

    /// Tests whether a structure is an iterator of a map.
    pub(super) fn is_entry(members: &[(String, Val)]) -> bool {
        members.iter().any(|(name, _)| name == MAP)
    }

    /// The place of the value of the entry to which an iterator points, if it is still there.
    pub(super) fn entry_place(members: &[(String, Val)], state: &State) -> Option<Place> {
        let member = |of: &str| members.iter().find(|(name, _)| name == of).map(|(_, value)| value);
        let (Some(Val::Address(map)), Some(key)) = (member(MAP), member("first")) else {
            return None;
        };
        let Val::Map(entries) = Self::load(map, state)?.value else { return None };
        let index = entries.iter().position(|(known, _)| Self::is_same_key(known, key, state))?;
        Some(Place::Part(Box::new(map.clone()), index.to_string()))
    }

    /// A member of an iterator as a place. Only the entry's value can be assigned.
    pub(super) fn value_of_entry(
        &mut self,
        members: &[(String, Val)],
        name: &str,
        state: State,
        line: usize,
    ) -> Paths<Place> {
        match Self::entry_place(members, &state).filter(|_| name == "second") {
            Some(place) => vec![(state, place)],
            None => self.unsupported(state, GONE, line),
        }
    }

    /// `m[key]`: the place of the entry's value. An entry that is not there is made.
    pub(super) fn map_element(
        &mut self,
        map: &'p Expr,
        key: &Val,
        state: State,
        line: usize,
    ) -> Paths<Place> {
        let place = match &map.kind {
            ExprKind::Name(name) => {
                let variable = Self::find_variable(name, &state);
                variable.unwrap_or_else(|| Place::Member(name.clone()))
            }
            _ => return self.unsupported(state, "an entry of some map", line),
        };
        let held = Self::load(&place, &state).map(|slot| slot.value);
        let (Some(Val::Map(mut entries)), true) = (held, self.compares(&place, key, &state)) else {
            return self.unsupported(state, "an entry of some map", line);
        };
        let is_it = |(known, _): &(Val, Val)| Self::is_same_key(known, key, &state);
        let index = entries.iter().position(is_it);
        let mut state = state;
        let index = match index {
            Some(index) => index,
            None => {
                let parts = self.parts_of_map(&place, &state);
                let Some(value) = parts.get(1).and_then(|ty| self.blank(ty)) else {
                    return self.unsupported(state, "a new entry of a map", line);
                };
                entries.push((key.clone(), value));
                let last = entries.len() - 1;
                self.store(&place, Val::Map(entries), &mut state);
                last
            }
        };
        vec![(state, Place::Part(Box::new(place), index.to_string()))]
    }

    /// The value of a new entry of a type.
    fn blank(&mut self, ty: &str) -> Option<Val> {
        match (TypeName::of(ty), integer_type(ty)) {
            (_, Some((bits, is_signed))) => Some(Val::Int(self.number(0, bits, is_signed))),
            (TypeName::Bool, _) => Some(Val::Bool(self.values.bool(false))),
            (TypeName::Expr | TypeName::Stmt, _) => Some(Val::Expr(None)),
            (TypeName::String | TypeName::StdString, _) => Some(Val::Text(String::new())),
            _ => None,
        }
    }
}
