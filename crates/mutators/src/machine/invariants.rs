//! The invariants of scopes. Every method may assume them about an entry, and a method that adds an
//! entry owes them.
//!
//! # Correctness
//!
//! An invariant is stated once, in [`INVARIANTS`]. A method that reads an entry assumes it
//! (`handles`). A method that adds an entry owes it: until the entry is removed, the result of
//! `mutate` equals its argument only where the entry's condition holds, so the mutator is proved
//! only if the condition holds wherever the result is evaluated: in every iteration, in both arms,
//! under the bindings there. A condition that reads memory is assumed of no statement, because a
//! statement may store. If the condition of an entry is not known, nothing is known about what is
//! mutated while the entry is there. No method reads what it may assume from any other scope. The
//! entries of a scope of reports from which no method reads anything owe nothing
//! ([`crate::machine::unread`]).

use halidom_cpp::ast::{Class, Declared, ExprKind};
use halidom_cpp::{Sign, words};
use halidom_rewrites::rules::{Fun, ValueId};

use crate::ir::node::NodeId;
use crate::ir::state::{Assumption, State, Until};
use crate::ir::value::{Num, Place, Val};
use crate::machine::contracts::is_scope_of_lost;
use crate::machine::intervals::ABOUT;
use crate::machine::names::Method;
use crate::machine::run::{Machine, Operands};

/// The condition that an entry of a scope stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Invariant {
    /// Under a variable's name: the member `replacement`, if it is defined, equals the variable.
    Replacement,
    /// Under a variable's name: a pair of numbers between which the variable lies.
    Bounds,
    /// Under a variable's name: a report that is true of the variable.
    Report,
    /// A condition that is true, or one that is false.
    Truth(bool),
    /// Under a variable's name, just if the variable has no value.
    Lost,
}

/// A scope with an invariant.
struct Stated {
    scope: &'static str,
    invariant: Invariant,
    /// The documentation.
    #[expect(dead_code, reason = "cites the documentation for readers of this table")]
    source: &'static str,
}

/// The scopes that have invariants, in all compilers. The members of one name have one purpose.
const INVARIANTS: [Stated; 6] = [
    Stated {
        scope: "var_info",
        invariant: Invariant::Replacement,
        source: "Simplify_Internal.h: struct VarInfo",
    },
    Stated {
        scope: "bounds_and_alignment_info",
        invariant: Invariant::Report,
        source: "Simplify_Internal.h: struct ExprInfo",
    },
    Stated {
        scope: "bounds_info",
        invariant: Invariant::Bounds,
        source: "Simplify.cpp: Scope<pair<int64_t, int64_t>> bounds_info",
    },
    Stated {
        scope: "alignment_info",
        invariant: Invariant::Report,
        source: "ModulusRemainder.h: struct ModulusRemainder",
    },
    Stated {
        scope: "truths",
        invariant: Invariant::Truth(true),
        source: "Simplify_Internal.h: truths",
    },
    Stated {
        scope: "falsehoods",
        invariant: Invariant::Truth(false),
        source: "Simplify_Internal.h: falsehoods",
    },
];

/// The name of a scope without the object that has it.
fn last_part(scope: &str) -> &str {
    scope.rsplit(['.', '>', ':']).next().unwrap_or(scope)
}

/// The invariant of a member, if it has one.
pub(crate) fn invariant(scope: &str) -> Option<Invariant> {
    let name = last_part(scope);
    let known = INVARIANTS.iter().find(|stated| stated.scope == name);
    known
        .map(|stated| stated.invariant)
        .or_else(|| is_scope_of_lost(name).then_some(Invariant::Lost))
}

/// The scopes with invariants whose entries may be reached by another name: references and
/// pointers, those that the value of a member names, and those of a type to which a member refers
/// or points.
pub(crate) fn linked(classes: &[Class]) -> Vec<String> {
    let fields = || classes.iter().flat_map(|class| &class.fields);
    let is_link = |field: &Declared| field.ty.contains(['&', '*']);
    let parts = |ty: &str| -> Vec<String> {
        words(ty).filter(|word| *word != "const").map(str::to_owned).collect()
    };
    let is_named = |by: &Declared, name: &str| {
        let mut found = false;
        if let Some(value) = &by.value {
            value.visit(&mut |part| {
                found |= matches!(
                    &part.kind,
                    ExprKind::Name(own) | ExprKind::Member { name: own, .. } if own == name
                );
            });
        }
        found
    };
    let is_linked = |field: &&Declared| {
        is_link(field)
            || fields().any(|other| is_named(other, &field.name))
            || fields().any(|other| is_link(other) && parts(&other.ty) == parts(&field.ty))
    };
    let scopes = fields().filter(|field| invariant(&field.name).is_some());
    scopes.filter(is_linked).map(|field| field.name.clone()).collect()
}

impl Machine<'_> {
    /// Adds an assumption of `mutate` for a method that adds an entry to a scope, and removes it
    /// for one that removes the entry.
    pub(crate) fn assume(
        &mut self,
        scope: &str,
        name: Method<'_>,
        arguments: &[Val],
        state: &mut State,
    ) {
        let Some(invariant) = invariant(scope) else { return };
        if self.is_concrete() {
            self.has_assumed |= matches!(name, Method::Push | Method::Insert | Method::Emplace);
            return;
        }
        // Its entries owe nothing.
        if self.program.unread.iter().any(|known| known == scope) {
            return;
        }
        match (name, arguments) {
            (Method::Push | Method::Insert | Method::Emplace, [key, rest @ ..]) => {
                let condition = self.condition_of_entry(invariant, key, rest.first(), state);
                let until = Until::Removed(scope.to_owned(), key.clone());
                let (fact, nodes) = match condition {
                    Some((fact, nodes)) => (Some(fact), nodes),
                    None => (None, Vec::new()),
                };
                let is_trivial = fact.is_some_and(|fact| self.values.as_number(fact) == Some(1));
                state.assumed.push(Assumption { fact, is_trivial, nodes, until });
            }
            (Method::Pop | Method::Erase, [key]) => {
                let is_it = |known: &Assumption| match &known.until {
                    Until::Removed(of, entry) => {
                        of == scope && Self::is_same_key(entry, key, state)
                    }
                    Until::Block(_) => false,
                };
                let Some(last) = state.assumed.iter().rposition(is_it) else { return };
                // The entry that ends may be a later one, whose key is written otherwise.
                let later: Vec<Val> = state.assumed[last + 1..]
                    .iter()
                    .filter_map(|known| match &known.until {
                        Until::Removed(of, entry) if of == scope => Some(entry.clone()),
                        Until::Removed(..) | Until::Block(_) => None,
                    })
                    .collect();
                let are_others = later.iter().all(|entry| self.is_told_apart(entry, key, state));
                if are_others && !self.is_vague(key) {
                    state.assumed.remove(last);
                }
            }
            (
                Method::Contains
                | Method::Count
                | Method::Get
                | Method::Ref
                | Method::Find
                | Method::ShallowFind
                | Method::At
                | Method::Empty
                | Method::Size
                | Method::Begin
                | Method::End
                | Method::Clear,
                _,
            ) => {}
            _ => self.assume_anything(scope, state),
        }
    }

    /// Tests whether the entries of a scope are reports that are true of their variables: others
    /// added them, and the method added none that is still there.
    pub(crate) fn has_true_reports(&self, scope: &str, state: &State) -> bool {
        let is_own = |assumed: &Assumption| matches!(&assumed.until, Until::Removed(..));
        let is_unread = self.program.unread.iter().any(|known| known == last_part(scope));
        let is_of_reports = invariant(scope) == Some(Invariant::Report) && !is_unread;
        is_of_reports && !state.conditions().iter().any(is_own)
    }

    /// Records a change of a scope that is not followed: nothing is known about what is mutated
    /// from then on.
    pub(crate) fn assume_anything(&self, scope: &str, state: &mut State) {
        if invariant(scope).is_some() && !self.is_concrete() {
            let until = Until::Removed(scope.to_owned(), Val::Unknown);
            let nodes = Vec::new();
            state.assumed.push(Assumption { fact: None, is_trivial: false, nodes, until });
        }
    }

    /// Tests whether a change of a scope is hidden from the mutators of operands.
    pub(crate) fn hides(&self, place: Option<&Place>, name: Method<'_>) -> bool {
        self.operands == Operands::Apart
            && matches!(place, Some(Place::Member(of)) if invariant(of).is_some())
            && matches!(
                name,
                Method::Push | Method::Insert | Method::Emplace | Method::Pop | Method::Erase
            )
    }

    /// Records, at the end of a path, that a condition that was added to a set is left there.
    pub(crate) fn keeps_assuming(state: &mut State, line: usize) {
        let left = state.conditions().iter().find_map(|assumption| match &assumption.until {
            Until::Removed(scope, _) => Some(scope.clone()),
            Until::Block(_) => None,
        });
        if let Some(scope) = left {
            let record = std::rc::Rc::make_mut(&mut state.scopes);
            record.lost.get_or_insert((scope, line, "an entry that others rely on stays there"));
        }
    }

    /// The condition that an entry stands for, and the expressions that decide it; `None` if it is
    /// not known.
    fn condition_of_entry(
        &mut self,
        invariant: Invariant,
        key: &Val,
        entry: Option<&Val>,
        state: &mut State,
    ) -> Option<(ValueId, Vec<NodeId>)> {
        if let Invariant::Truth(holds) = invariant {
            let (Val::Expr(Some(node)) | Val::Ptr(Some((node, _)))) = key else { return None };
            if !state.node(*node).ty.is_bool() {
                return None;
            }
            let value = self.node_value(*node, state);
            let fact = if holds { value } else { self.values.apply(Fun::Not, &[value]) };
            return Some((fact, vec![*node]));
        }
        if invariant == Invariant::Lost {
            return Some((self.lost_by(key, state)?, Vec::new()));
        }
        let (entry, truth) = (entry?, self.values.bool(true));
        match (invariant, entry) {
            (Invariant::Replacement, Val::Object(members)) => {
                let (_, value) = members.iter().find(|(name, _)| name == "replacement")?;
                match value {
                    Val::Expr(None) => Some((truth, Vec::new())),
                    Val::Expr(Some(by)) => {
                        let variable = Self::keyed(key, state.node(*by).ty, state)?;
                        let value = self.node_value(variable, state);
                        let by_value = self.node_value(*by, state);
                        let fact = self.values.apply(Fun::Eq, &[value, by_value]);
                        Some((fact, vec![variable, *by]))
                    }
                    _ => None,
                }
            }
            (Invariant::Bounds, entry) => {
                let numbers = crate::ir::value::members(entry);
                let [Val::Int(low), Val::Int(high)] = numbers.as_slice() else { return None };
                let variable = Self::keyed(key, crate::ir::kinds::I32, state)?;
                let fact = self.within(variable, *low, *high, state)?;
                Some((fact, vec![variable]))
            }
            (Invariant::Report, Val::Object(members)) => {
                let variable = Self::keyed(key, crate::ir::kinds::I32, state)?;
                let fact = self.aligned(variable, members, state)?;
                Some((fact, vec![variable]))
            }
            _ => None,
        }
    }

    /// The fact that a variable has an alignment, if this is all that a report tells.
    fn aligned(
        &mut self,
        variable: NodeId,
        members: &[(String, Val)],
        state: &State,
    ) -> Option<ValueId> {
        let told: Vec<&(String, Val)> = members.iter().filter(|(name, _)| name != ABOUT).collect();
        let [(first, Val::Int(modulus)), (second, Val::Int(remainder))] = told.as_slice() else {
            return None;
        };
        if [first, second] != ["modulus", "remainder"] {
            return None;
        }
        // Some compilers keep them as `int`, and cut what is wider.
        let is_int = |number: &Num| {
            let (least, greatest) = Num::range(32, true);
            least <= number.low && number.high <= greatest
        };
        if !is_int(modulus) || !is_int(remainder) {
            return None;
        }
        let value = self.keyed_number(variable, state)?;
        Some(self.congruence(value, *modulus, *remainder))
    }

    /// The value of a variable as a number of the compiler; `None` if the method runs on numbers of
    /// other types, which the solver does not compare with it.
    fn keyed_number(&mut self, variable: NodeId, state: &State) -> Option<Num> {
        let range = state.node(variable).ty.reported_range().filter(|_| self.is_whole)?;
        let value = self.node_value(variable, state);
        Some(self.host_number(value, range, true))
    }

    /// The fact that a variable lies between two numbers.
    fn within(&mut self, variable: NodeId, low: Num, high: Num, state: &State) -> Option<ValueId> {
        let value = self.keyed_number(variable, state)?;
        let above = self.comparison(Sign::Le, low.term, value.term);
        let below = self.comparison(Sign::Le, value.term, high.term);
        Some(self.values.apply(Fun::And, &[above, below]))
    }

    /// The variable whose name is a key of a scope.
    fn keyed(key: &Val, ty: crate::ir::kinds::Type, state: &mut State) -> Option<NodeId> {
        let name = Self::name_of(key, state)?;
        Some(Self::variable(ty, name, state))
    }
}
