//! Values that are right under axioms or over the reals only.
//!
//! # Correctness
//! `docs/validator.md` (*Weaker modes*) has the theorem. A func is inexact if one of its stores is
//! not shown to be right bit for bit, if its updates needed an axiom, or if it depends on such a
//! func.
//!
//! Two facts are shown. Inexact funcs decide nothing ([`crate::floats::deciding`]). Each store of
//! inexact funcs and their sources is right in every interpretation of the operators on floats that
//! has the listed axioms. For the second fact, program and algorithm are described once more, in a
//! space that keeps these operators as they are written: an equation that holds bit for bit because
//! constants were folded is no equation there. The second description has the regions of the first:
//! whatever a label promises, it promises for both.
//!
//! All other obligations were shown for the values that the loads claim, whatever these values are.
//! Races are the exception: they look at [`Checker::inexact`].

use halidom_base::IndexSet;
use halidom_ir::{Algorithm, FuncId};
use halidom_smt::OpenError;

use super::{Checker, Findings, regions};
use crate::floats::Floats;
use crate::floats::deciding::Flow;
use crate::lemma::Lemmas;
use crate::lia::Lia;
use crate::obligation::record::{Kind, Method, Status};
use crate::obligation::settings::Task;
use crate::program::{Parameters, Store};
use crate::ranges;
use crate::space::{Space, Value};
use crate::specification::Specification;

impl Checker<'_> {
    /// Tries weaker equalities for values that are not shown to be equal bit for bit. Returns the
    /// solver if it was used.
    pub(super) fn weaker(
        &mut self,
        task: Task<'_>,
        weakest: Floats,
        parameters: &Parameters,
        open: impl FnOnce(Box<dyn Lemmas>) -> Result<Lia, OpenError>,
    ) -> Option<Lia> {
        if weakest == Floats::Bits {
            return None;
        }
        let flow = Flow::of(self.pool, task.lowered(), Some(task.program));
        self.found.inexact = flow.closure(self.not_exact(task.lowered()));
        if self.found.inexact.is_empty() {
            return None;
        }
        let mut decided = flow.decided(&self.found.inexact);
        let names = self.names_of(&self.found.inexact);
        for algorithm in task.versions() {
            let flow = Flow::of(self.pool, algorithm, None);
            let named = |func: &&FuncId| names.contains(self.pool.func(**func).name.as_str());
            let inexact = flow.closure(algorithm.funcs.iter().filter(named).copied());
            decided = decided.or_else(|| flow.decided(&inexact));
        }
        let place =
            format!("what depends on {}", names.iter().copied().collect::<Vec<_>>().join(", "));
        let status = match decided {
            None => Ok(Method::Structure),
            Some(what) => Err(format!(
                "{what} depends on floats that are not shown to be right bit for bit; these may \
                    not decide anything"
            )
            .into()),
        };
        self.record(Kind::Value, None, place.clone(), status);
        self.found.interpreted = flow.sources(&self.found.inexact);
        match open(self.tactics.lemmas()) {
            Ok(mut lia) => {
                self.described_again(task, weakest, parameters, &mut lia);
                Some(lia)
            }
            Err(error) => {
                self.record(Kind::Value, None, place, Err(error.to_string().into()));
                None
            }
        }
    }

    /// Returns the funcs that are not shown to be right bit for bit: funcs with an open obligation
    /// on a stored float, and funcs whose updates needed an axiom.
    fn not_exact(&self, lowered: &Algorithm) -> IndexSet<FuncId> {
        let mut found = IndexSet::default();
        let scalar = |term| self.space.scalar(term);
        for (store, number) in self.model.stores.values().zip(&self.found.values) {
            let is_float = matches!(store.value, Ok(Value::Number(of)) if scalar(of).is_float());
            let is_open =
                number.is_some_and(|number| self.found.obligations[number].status.is_err());
            if is_float && is_open {
                found.insert(store.func);
            }
        }
        let regrouped = |func: &&FuncId| self.laws.regrouped.contains(&self.pool.func(**func).name);
        found.extend(lowered.funcs.iter().filter(regrouped).copied());
        found
    }

    fn names_of(&self, funcs: &IndexSet<FuncId>) -> IndexSet<&str> {
        funcs.iter().map(|func| self.pool.func(*func).name.as_str()).collect()
    }

    /// Checks the values of inexact funcs and their sources again, in a space that keeps operators
    /// on floats as they are written.
    fn described_again(
        &mut self,
        task: Task<'_>,
        weakest: Floats,
        parameters: &Parameters,
        lia: &mut Lia,
    ) {
        let space = Space::as_written(ranges::ranges(self.pool, task.lowered()))
            .contracted(self.space.is_contracted());
        let widths = self.specification.widths();
        let first = (self.space, self.model, parameters);
        let again = regions::described_again(self.pool, first, &space, task.program);
        let Some((parameters, model)) = again else {
            return self.not_described_again();
        };
        let entry: Vec<_> = model.entry.iter().map(|check| check.condition).collect();
        lia.assume(&space, &entry);
        let mut again = Checker {
            pool: self.pool,
            space: &space,
            model: &model,
            specification: &mut Specification::new(
                (self.pool, &space),
                &parameters,
                &model,
                widths,
            ),
            lia,
            laws: &mut *self.laws,
            tactics: &mut *self.tactics,
            entry,
            found: Findings::default(),
        };
        let mut found = Vec::new();
        for store in model.stores.values() {
            let interpreted = self.found.interpreted.contains(&store.func);
            found.push(interpreted.then(|| again.weaker_value(store, weakest)));
        }
        let overflowed = again.space.overflowed();
        if overflowed || found.len() != self.found.values.len() {
            return self.not_described_again();
        }
        for (number, status) in self.found.values.clone().into_iter().zip(found) {
            let (Some(number), Some(status)) = (number, status) else { continue };
            let own = &mut self.found.obligations[number].status;
            match (&*own, status) {
                // This holds in every interpretation.
                (Ok(_), Ok(method)) if method.floats() == Floats::Bits => {}
                (_, Ok(method)) => *own = Ok(method),
                (Ok(_), Err(_)) => {
                    *own = Err(
                        "equal bit for bit only, where more is asked of all that goes with floats \
                            that are not"
                            .into(),
                    );
                }
                (Err(_), Err(_)) => {}
            }
        }
    }

    fn not_described_again(&mut self) {
        let reason = "the program cannot be described with operators on floats as they are written";
        self.record(Kind::Value, None, "floats", Err(reason.into()));
    }

    fn weaker_value(&mut self, store: &Store, weakest: Floats) -> Status {
        let (facts, instance) = self.claimed(store)?;
        self.value_of(store, &facts, &instance, weakest)
    }

    /// Tests whether the values of a func are right bit for bit, so that equal values have the same
    /// bits.
    pub(super) fn is_exact(&self, func: FuncId) -> bool {
        !self.found.inexact.contains(&func)
    }

    /// Checks that the laws used for inexact funcs and their sources are axioms or basic laws, and
    /// that every func whose updates needed an axiom is inexact.
    pub(super) fn laws_of_inexact(&mut self) {
        let inexact = self.names_of(&self.found.inexact);
        let interpreted = self.names_of(&self.found.interpreted);
        let unknown = self.laws.regrouped.iter().filter(|name| !inexact.contains(name.as_str()));
        let decided = self.laws.decided.iter().filter(|name| interpreted.contains(name.as_str()));
        let found: Vec<String> = unknown.chain(decided).cloned().collect();
        for name in found {
            let reason = "a law of its updates is known of other values than it has";
            self.record(Kind::Order, None, format!("updates of {name}"), Err(reason.into()));
        }
    }
}
