//! Infers the instance of one stage that a store may write.
//!
//! The index of the store gives some coordinates. The other variables of the stage are found one
//! after the other: the one for which the most evidence agrees is next, and it is evidence for
//! those that follow.

use halidom_base::{FxHashSet, IndexMap};
use halidom_ir::{Expr, ExprId, FuncDecl, FuncId, Stage, VarId};

use super::demand::{self, Read};
use super::form::Form;
use super::forms::{Env, Forms};
use super::found::Claim;
use super::layout::{Begin, Layout};
use super::sites::{Load, Store};
use super::solve::Solver;
use super::told::told;
use super::unknowns::{Known, matching, named, rebased, solved, unclamped};

/// A stage whose instance a store may write, and the evidence for its variables.
struct Attempt<'a> {
    solver: &'a Solver<'a>,
    store: &'a Store,
    layout: &'a Layout,
    decl: &'a FuncDecl,
    stage: &'a Stage,
    /// The number of the stage.
    number: usize,
    /// The value that the stage gives the store's component.
    value: ExprId,
    /// The store's coordinates relative to the beginning of the memory.
    slots: Vec<Form>,
    /// Coordinates of the written point that are no variables, with their values.
    written: Vec<(ExprId, Form)>,
    /// The store's loads with known coordinates.
    known: Vec<Known>,
}

impl Solver<'_> {
    /// The instance of a stage that a store may write into memory of a layout, and the number of
    /// its loads that this instance does not read.
    pub(super) fn attempt(
        &self,
        forms: &mut Forms<'_>,
        store: &Store,
        (number, layout): (usize, &Layout),
        keeps: bool,
    ) -> Option<(Claim, usize)> {
        let decl = forms.pool.func(store.func).clone();
        let stage = decl.stages().get(number)?.clone();
        let slots = layout.slots(forms, &store.flat, keeps);
        if keeps && slots == layout.slots(forms, &store.flat, false) {
            return None;
        }
        let own = layout.coords(forms, &store.flat, keeps);
        let mut values: IndexMap<VarId, Form> = IndexMap::default();
        let mut unknown: Vec<VarId> = Vec::new();
        let mut written: Vec<(ExprId, Form)> = Vec::new();
        for (dim, (lhs, arg)) in stage.lhs.iter().zip(&decl.args).enumerate() {
            let pure = *forms.pool.get(*lhs) == Expr::Var(*arg);
            match (pure, &own[dim]) {
                (true, Some(coord)) => drop(values.insert(*arg, coord.clone())),
                (true, None) => unknown.push(*arg),
                (false, Some(coord)) => written.push((*lhs, coord.clone())),
                (false, None) => {}
            }
        }
        unknown.extend(stage.domain.iter().map(|variable| variable.var));
        let value = *stage.values.get(store.component)?;
        let loads: Vec<&Load> = store.loads.iter().map(|load| &self.sites.loads[load]).collect();
        let known: Vec<Known> = loads.iter().filter_map(|load| self.known(forms, load)).collect();
        let (decl, stage) = (&decl, &stage);
        let attempt = Attempt {
            solver: self,
            store,
            layout,
            decl,
            stage,
            number,
            value,
            slots,
            written,
            known,
        };
        while !unknown.is_empty() {
            let mut env = Env::of(values.iter().map(|(var, form)| (*var, form.clone())));
            let reads = demand::reads(forms, self.sites, &[value], &mut env);
            let (position, form) = match attempt.best(forms, &mut env, (&reads, &unknown)) {
                Some(found) => found,
                None if self.eager => attempt.guess(forms, &reads, &unknown)?,
                None => return None,
            };
            values.insert(unknown.remove(position), form);
        }
        let mut env = Env::of(values.iter().map(|(var, form)| (*var, form.clone())));
        let reads = demand::reads(forms, self.sites, &[value], &mut env);
        if !reads_all(forms, &loads, &reads, decl.stages().len() > 1) {
            return None;
        }
        let coords: Vec<Form> = stage.lhs.iter().map(|lhs| forms.form_in(*lhs, &mut env)).collect();
        let point = stage.domain.iter().map(|variable| values[&variable.var].clone()).collect();
        let unmatched = self.unmatched(forms, (&coords, &own), (&loads, &reads));
        Some((Claim { stage: number, coords, point }, unmatched))
    }

    /// The number of coordinates other than the store's own, and of loads that are no reads.
    fn unmatched(
        &self,
        forms: &mut Forms<'_>,
        (coords, own): (&[Form], &[Option<Form>]),
        (loads, reads): (&[&Load], &[Read]),
    ) -> usize {
        // A stage that writes another element does not fit.
        let apart = |a: &Form, b: &Form| a.clone().minus(b).as_constant().is_some_and(|by| by != 0);
        let is_other =
            |(coord, own): &(&Form, &Option<Form>)| own.iter().any(|own| apart(coord, own));
        let mut unmatched = coords.iter().zip(own).filter(is_other).count();
        for load in loads {
            let Some(layout) = self.found.layouts.get(&load.buffer) else { continue };
            let decl = forms.pool.buffer(load.buffer);
            let of = (decl.func, decl.component);
            let layout = layout.under(forms, &load.fixed);
            if layout.is_known() && matching(forms, &layout, of, load, reads).is_none() {
                unmatched += 1;
            }
        }
        unmatched
    }

    /// The known coordinates of a load.
    fn known(&self, forms: &mut Forms<'_>, load: &Load) -> Option<Known> {
        let decl = forms.pool.buffer(load.buffer);
        let (func, component) = (decl.func, decl.component);
        let mut coords = self.coords(forms, load)?;
        if self.eager && coords.contains(&None) {
            // Coordinates that were written there before, if they are known.
            let written = self.sites.stores.iter().find_map(|store| {
                let claim = self.found.stores.get(&store.stmt)?;
                (store.buffer == load.buffer && store.flat == load.flat).then_some(&claim.coords)
            });
            for (coord, written) in coords.iter_mut().zip(written.into_iter().flatten()) {
                coord.get_or_insert_with(|| written.clone());
            }
        }
        Some(Known { func, component, coords })
    }

    /// The coordinates at which a store's func is read, as far as the loops around the store
    /// determine them.
    fn wanted(&self, forms: &mut Forms<'_>, store: &Store, dim: usize) -> Vec<Form> {
        let Some(reads) = self.demanded.get(&(store.func, store.component)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for read in reads {
            let Some(coord) = read.get(dim) else { continue };
            let inside = forms.form_vars(coord).into_iter().all(|var| {
                !(self.sites.loops.contains(&var) || var == forms.lane)
                    || store.loops.iter().any(|of| of.var == var)
            });
            if inside && !found.contains(coord) {
                found.push(coord.clone());
            }
        }
        found
    }
}

/// Tests whether the funcs that loads read are among those that an instance reads. A store without
/// loads is of no instance that reads, if there are other stages.
fn reads_all(forms: &Forms<'_>, loads: &[&Load], reads: &[Read], has_others: bool) -> bool {
    let loaded: FxHashSet<FuncId> =
        loads.iter().map(|load| forms.pool.buffer(load.buffer).func).collect();
    let read: FxHashSet<FuncId> = reads.iter().map(|read| read.func).collect();
    loaded.is_subset(&read) && !(loaded.is_empty() && !read.is_empty() && has_others)
}

impl Attempt<'_> {
    /// The unknown variable for which the most evidence agrees on a value: its position among the
    /// unknown ones, and the value.
    fn best(
        &self,
        forms: &mut Forms<'_>,
        env: &mut Env,
        (reads, unknown): (&[Read], &[VarId]),
    ) -> Option<(usize, Form)> {
        let mut best: Option<(usize, usize, Form)> = None;
        for (position, var) in unknown.iter().enumerate() {
            let mut tally = self.tally(forms, env, (reads, unknown), *var);
            let most = tally.values().copied().max().unwrap_or(0);
            tally.retain(|_, count| *count == most);
            if best.as_ref().is_some_and(|(found, ..)| most <= *found) {
                continue;
            }
            // Of several candidates, the one is meant with which most loads are reads.
            let several = tally.len() > 1;
            let mut agreed = None;
            for (candidate, _) in tally {
                let agrees = if several {
                    env.set(*var, candidate.clone());
                    self.agreeing(forms, env)
                } else {
                    0
                };
                if agreed.is_none_or(|agreed| agrees > agreed) {
                    agreed = Some(agrees);
                    best = Some((most, position, candidate));
                }
            }
            if several {
                env.unset(*var);
            }
        }
        best.map(|(_, position, form)| (position, form))
    }

    /// The values that a variable may have, with the weight of the evidence for each.
    fn tally(
        &self,
        forms: &mut Forms<'_>,
        env: &mut Env,
        (reads, unknown): (&[Read], &[VarId]),
        var: VarId,
    ) -> IndexMap<Form, usize> {
        let Self { solver, store, layout, decl, number, value, slots, .. } = self;
        let mut tally: IndexMap<Form, usize> = IndexMap::default();
        let mut count = |candidates: Vec<Form>| {
            for candidate in candidates {
                *tally.entry(candidate).or_insert(0) += 2;
            }
        };
        for (lhs, coord) in &self.written {
            let lhs = forms.form_in(*lhs, env);
            count(solved(forms, &lhs, var, unknown, [coord]));
        }
        for read in reads {
            for (dim, arg) in read.coords.iter().enumerate() {
                let there = self
                    .known
                    .iter()
                    .filter(|known| (known.func, known.component) == (read.func, read.component));
                let there = there.filter_map(|known| known.coords.get(dim)?.as_ref());
                count(solved(forms, arg, var, unknown, there));
            }
        }
        let is_alone = solver.eager && store.loads.is_empty();
        if is_alone {
            count(told(forms, (solver.sites, store), (*value, env), (var, unknown)));
        }
        if let Some(form) = named(forms, store, var, (*number, &decl.name)) {
            *tally.entry(form).or_insert(0) += 1;
        }
        let dim = decl.args.iter().position(|arg| *arg == var);
        if let Some(dim) = dim {
            // Demands do not tell which element of memory without a shape they refer to.
            if layout.shapeless.is_none() || solver.eager {
                for candidate in solver.wanted(forms, store, dim) {
                    *tally.entry(candidate).or_insert(0) += 1;
                }
            }
            if let Some(Begin::Folded(by)) = layout.begins.get(dim) {
                let by = Form::constant(*by);
                tally.retain(|candidate, _| forms.remainder(candidate, &by) == slots[dim]);
                if tally.is_empty() && is_alone {
                    tally.extend(forms.dividend(&slots[dim]).map(|whole| (whole, 1)));
                }
            }
        }
        tally
    }

    /// A value of an unknown variable by weaker evidence: reads without their clamps, loops that
    /// count from 0, and slots of folds.
    fn guess(
        &self,
        forms: &mut Forms<'_>,
        reads: &[Read],
        unknown: &[VarId],
    ) -> Option<(usize, Form)> {
        let Self { store, layout, decl, stage, number, slots, known, .. } = self;
        let folded = decl.args.iter().zip(&layout.begins).enumerate();
        let folded: IndexMap<VarId, (usize, Form)> = folded
            .filter_map(|(dim, (arg, begin))| match begin {
                Begin::Folded(by) => Some((*arg, (dim, Form::constant(*by)))),
                Begin::Unknown | Begin::At(_) => None,
            })
            .collect();
        let inner = stage.domain.iter().map(|of| of.var);
        let inner: Vec<VarId> = inner.chain(folded.keys().copied()).collect();
        let weigh = |forms: &mut Forms<'_>, var: VarId, form: &Form| match folded.get(&var) {
            None => Some(0),
            Some((dim, by)) => (forms.remainder(form, by) == slots[*dim]).then_some(1),
        };
        let found = unclamped(forms, (unknown, &inner), (reads, known), &weigh);
        if let Some((position, form, true)) = found {
            return Some((position, form));
        }
        // A loop over a part of the domain counts from 0 too: what is read tells more.
        let counted = unknown.iter().enumerate().find_map(|(position, var)| {
            let domain = stage.domain.iter().find(|of| of.var == *var)?;
            let (form, whole) = rebased(forms, store, domain, (*number, &decl.name))?;
            Some((position, form, whole))
        });
        let ways = match counted {
            Some((.., true)) => [counted, found],
            Some((.., false)) | None => [found, counted],
        };
        let way = ways.into_iter().flatten().next();
        // The compiler takes a coordinate modulo the extent of a fold.
        way.map(|(position, form, _)| (position, form)).or_else(|| {
            let (arg, dim) = folded.iter().map(|(arg, (dim, _))| (arg, *dim)).next()?;
            let position = unknown.iter().position(|var| var == arg)?;
            Some((position, forms.dividend(&slots[dim])?))
        })
    }

    /// The number of loads with known coordinates that the stage's value reads, with values for its
    /// variables.
    fn agreeing(&self, forms: &mut Forms<'_>, env: &mut Env) -> usize {
        let reads = demand::reads(forms, self.solver.sites, &[self.value], env);
        let is_read = |load: &&Known| {
            reads.iter().any(|read| {
                let mut pairs = read.coords.iter().zip(&load.coords);
                (read.func, read.component) == (load.func, load.component)
                    && pairs.all(|(own, other)| other.as_ref().is_none_or(|other| own == other))
            })
        };
        self.known.iter().filter(is_read).count()
    }
}
