//! Entries of scopes that a path reads. `get` and `ref` fail if there is no entry.
//!
//! # Correctness
//!
//! A path knows that a scope has an entry under a key if it pushed one, or asked `contains`. A
//! `pop` from the scope ends this, and so do a change that is not followed and a `mutate`, unless
//! all methods leave the scope as they found it.

use crate::ir::record::Pushed;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::names::Method;
use crate::machine::run::{Machine, Outcome};

impl State {
    /// Forgets which entries a scope has.
    pub(super) fn forget_entries(&mut self, scope: &str) {
        self.entries.retain(|(of, _)| of != scope);
    }
}

impl Machine<'_> {
    /// Records that a scope has an entry under a key.
    pub(super) fn keep_entry(&self, scope: &str, key: &Val, state: &mut State) {
        if !self.is_vague(key) {
            state.entries.push((scope.to_owned(), key.clone()));
        }
    }

    /// Forgets the entries that other methods may have removed.
    pub(super) fn forget_unsteady_entries(&self, state: &mut State) {
        let unsteady = &self.program.unsteady;
        state.entries.retain(|(of, _)| {
            let root = of.split(['.', '#', '[']).next().unwrap_or_default();
            !unsteady.iter().any(|name| name == root)
        });
    }

    /// Reads an entry of a scope whose contents are not known: the path on which it is there. The
    /// compiler fails where it is not.
    pub(super) fn reads_entry(
        &mut self,
        scope: &str,
        name: Method<'_>,
        key: &Val,
        state: State,
        line: usize,
    ) -> State {
        let is_it = |known: &Val| Self::is_same_key(known, key, &state);
        let is_pushed = |pushed: &Pushed| pushed.scope == scope && is_it(&pushed.key);
        let is_kept = |(of, known): &(String, Val)| of == scope && is_it(known);
        let is_known = state.scopes.pushed.iter().any(is_pushed)
            || state.scopes.known.iter().any(is_kept)
            || state.entries.iter().any(is_kept);
        if is_known && !self.is_vague(key) {
            return state;
        }
        let (mut found, missed) = self.choose(state);
        let what = format!("{name} of what is not there");
        self.end(missed, Outcome::Crash(what), line);
        self.keep_entry(scope, key, &mut found);
        found
    }
}
