//! The coordinates that a place that computes a func writes, from those of its stores.

use halidom_ir::{BinaryOp, Expr, Stmt};

use super::extremes::End;
use super::form::Form;
use super::forms::{Env, Forms};
use super::regions::Region;
use super::sites::{Loop, Store};
use super::spots::Spot;

impl Region<'_, '_> {
    /// The first and last coordinate that a place writes in one of its iterations.
    pub(super) fn written(&mut self, spot: &Spot, dim: usize) -> Option<(Form, Form)> {
        let stores: Vec<&Store> = self
            .sites
            .stores
            .iter()
            .filter(|store| self.buffers.contains(&store.buffer) && self.inside(store.stmt, spot))
            .collect();
        let stages = stores.iter().filter_map(|store| self.found.stores.get(&store.stmt));
        let stages: Vec<usize> = stages.map(|claim| claim.stage).collect();
        // If the first stage has no value somewhere, the updates write what the place promises.
        let func = self.forms.pool.buffer(self.buffer).func;
        if self.forms.pool.func(func).is_partial() {
            let mut ends = Vec::new();
            for stage in 0..self.forms.pool.func(func).stages().len() {
                ends.extend(self.written_by(&stores, spot, dim, stage).unwrap_or_default());
            }
            let ends = self.extremes(ends);
            return self.hull(ends);
        }
        // An update that does not run along the dimension changes a part of it, and leaves the
        // rest.
        let along = stages.iter().filter(|stage| **stage == 0 || self.runs_along(**stage, dim));
        let last = *along.max().or_else(|| stages.iter().max())?;
        let ends = self.written_by(&stores, spot, dim, last)?;
        let (low, high) = self.hull(ends)?;
        if last == 0 {
            return Some((low, high));
        }
        // Halide leaves out the iterations of an update that change nothing.
        if self.may_change_nothing(last)
            && let Some((least, greatest)) = self.read(func, dim)
            && [low.clone().minus(&least), greatest.clone().minus(&high)]
                .iter()
                .any(|by| self.is_spare(by))
        {
            return Some((least, greatest));
        }
        // An update in whole vectors may go beyond the elements that the pure stage writes.
        let ends = self.written_by(&stores, spot, dim, 0).unwrap_or_default();
        let ends = self.extremes(ends);
        let Some((first, end)) = self.hull(ends) else { return Some((low, high)) };
        let exceeds = |forms: &mut Forms<'_>, by: Form| match by.as_constant() {
            Some(by) => by > 0,
            None => forms.span(&by).is_some_and(|(least, greatest)| least >= 0 && greatest > 0),
        };
        let low = if exceeds(self.forms, first.clone().minus(&low)) { first } else { low };
        let high = if exceeds(self.forms, high.clone().minus(&end)) { end } else { high };
        Some((low, high))
    }

    /// Tests whether a condition chooses the value of a stage.
    fn may_change_nothing(&self, stage: usize) -> bool {
        let func = self.forms.pool.buffer(self.buffer).func;
        let values = self.forms.pool.func(func).stages().get(stage).map(|stage| &stage.values);
        let mut chooses = false;
        for value in values.into_iter().flatten() {
            self.forms.pool.for_each_subexpr(*value, &mut |_, expr| {
                chooses |= matches!(expr, Expr::Select { .. });
            });
        }
        chooses
    }

    /// Tests whether the left-hand side of a stage has the func's own variable in a dimension.
    fn runs_along(&self, stage: usize, dim: usize) -> bool {
        let func = self.forms.pool.buffer(self.buffer).func;
        let decl = self.forms.pool.func(func);
        let lhs = decl.stages().get(stage).and_then(|stage| stage.lhs.get(dim));
        let own = decl.args.get(dim);
        lhs.zip(own).is_some_and(|(lhs, own)| *self.forms.pool.get(*lhs) == Expr::Var(*own))
    }

    /// The first and last coordinates that each store of a stage writes in an iteration of a place.
    fn written_by(
        &mut self,
        stores: &[&Store],
        spot: &Spot,
        dim: usize,
        stage: usize,
    ) -> Option<Vec<(Form, Form)>> {
        let mut ends = Vec::new();
        for store in stores {
            let Some(claim) = self.found.stores.get(&store.stmt) else { continue };
            if claim.stage == stage && !self.is_idle(store) {
                let coord = claim.coords.get(dim)?.clone();
                let range = self.ends(&coord, store, spot);
                let (low, high) = self.guarded(range, &coord, store);
                // A single element may be the last piece, but it has no first one.
                let first = if low == high { low } else { self.not_divided(low, store) };
                ends.push((first, self.not_divided(high, store)));
            }
        }
        Some(ends)
    }

    /// Tests whether a condition around a store, within the place, holds at none of the sampled
    /// sizes. If the caller fixes the sizes, some lanes of a tail are never stored.
    fn is_idle(&mut self, store: &Store) -> bool {
        let guards = self.guards(store);
        guards.iter().any(|rest| self.forms.span(rest).is_some_and(|(_, greatest)| greatest < 0))
    }

    /// Narrows the range of a store's coordinate by the conditions around the store, within the
    /// place: a tail whose lanes are stored one by one, each if it is needed.
    fn guarded(&mut self, (low, high): (Form, Form), coord: &Form, store: &Store) -> (Form, Form) {
        let lanes = (Form::default(), Form::constant(i128::from(store.flat.lanes) - 1));
        let lane = self.forms.lane;
        let ends = [End::Least, End::Greatest];
        let [bottom, top] = ends.map(|end| self.forms.extreme(coord, lane, &lanes, end));
        let (mut low, mut high) = (low, high);
        for rest in self.guards(store) {
            // The rest is not negative.
            if let Some(by) = self.without_loops(&top, &rest, store) {
                let spare = high.clone().minus(&by);
                if self.is_spare(&spare) {
                    high = by;
                }
            }
            let negative = Form::default().minus(&bottom);
            if let Some(by) = self.without_loops(&negative, &rest, store) {
                let by = Form::default().minus(&by);
                let spare = by.clone().minus(&low);
                if self.is_spare(&spare) {
                    low = by;
                }
            }
        }
        (low, high)
    }

    /// Returns forms that are not negative where a store runs, by the conditions around it within
    /// the place.
    fn guards(&mut self, store: &Store) -> Vec<Form> {
        let map = self.map;
        let around = self.spot.context.branches.len();
        let branches = map.contexts[&store.stmt].branches.get(around..).unwrap_or_default();
        let mut guards = Vec::new();
        for (branch, holds) in branches.iter().copied() {
            let Stmt::If { condition, .. } = *self.forms.pool.get_stmt(branch) else { continue };
            let condition = self.forms.settled(condition, &mut Env::default());
            let mut open = vec![condition];
            while let Some(condition) = open.pop() {
                if let Expr::Binary(op, a, b) = *self.forms.pool.get(condition) {
                    if (op, holds) == (BinaryOp::And, true) || (op, holds) == (BinaryOp::Or, false)
                    {
                        open.extend([a, b]);
                    } else if op == BinaryOp::Le {
                        let rest = self.forms.form(b).minus(&self.forms.form(a));
                        let fails = Form::constant(-1).minus(&rest);
                        guards.push(if holds { rest } else { fails });
                    }
                } else if let Expr::Const(known) = self.forms.pool.get(condition)
                    && known.as_bool() == Some(!holds)
                {
                    guards.push(Form::constant(-1));
                }
            }
        }
        guards
    }

    /// Adds a multiple of a form that is not negative to a coordinate, so that the sum does not
    /// depend on the outermost loop of the store within the place. Returns the greatest value of
    /// the sum over the other ones.
    fn without_loops(&mut self, coord: &Form, rest: &Form, store: &Store) -> Option<Form> {
        let inner = store.loops.get(self.spot.context.loops.len()..)?;
        let of = inner.iter().find(|of| self.forms.depends(coord, of.var))?;
        let (by, _) = self.forms.affine(coord, of.var)?;
        let (step, _) = self.forms.affine(rest, of.var)?;
        let (by, step) = (by.as_constant()?, step.as_constant()?);
        let times = (step != 0 && by % step == 0).then(|| -(by / step)).filter(|by| *by > 0)?;
        let mut sum = coord.clone().plus(rest, times);
        for of in inner.iter().rev() {
            let (min, extent) = (self.forms.form(of.min), self.forms.form(of.extent));
            let last = min.clone().plus(&extent, 1).offset(-1);
            sum = self.forms.extreme(&sum, of.var, &(min, last), End::Greatest);
        }
        (!inner.iter().any(|of| self.forms.depends(&sum, of.var))).then_some(sum)
    }

    /// Tests whether a form is never negative at the sampled sizes, and positive at some.
    fn is_spare(&mut self, spare: &Form) -> bool {
        match spare.as_constant() {
            Some(spare) => spare > 0,
            None => {
                let span = self.forms.span(spare);
                span.is_some_and(|(least, greatest)| least >= 0 && greatest > 0)
            }
        }
    }

    /// Leaves out ends that are not extremes at any of the sampled sizes.
    fn extremes(&mut self, ends: Vec<(Form, Form)>) -> Vec<(Form, Form)> {
        let (mut lows, mut highs): (Vec<Form>, Vec<Form>) = ends.into_iter().unzip();
        for (ends, sign) in [(&mut lows, -1), (&mut highs, 1)] {
            let mut kept: Option<Form> = None;
            let mut is_total = true;
            for end in ends.iter() {
                let Some(best) = &kept else {
                    kept = Some(end.clone());
                    continue;
                };
                let above = Form::default().plus(end, sign).plus(best, -sign);
                match self.forms.span(&above) {
                    Some((least, _)) if least >= 0 => kept = Some(end.clone()),
                    Some((_, greatest)) if greatest <= 0 => {}
                    Some(_) | None => is_total = false,
                }
            }
            if let Some(best) = kept.filter(|_| is_total) {
                ends.fill(best);
            }
        }
        lows.into_iter().zip(highs).collect()
    }

    /// Replaces `x / n` by `(x - 1) / n` in a form where a condition within the place, around the
    /// store, requires that `n` does not divide `x`: the last piece of a dimension with a
    /// remainder.
    fn not_divided(&mut self, form: Form, store: &Store) -> Form {
        let mut result = form;
        let around = self.spot.context.branches.len();
        let map = self.map;
        let branches = map.contexts[&store.stmt].branches.get(around..).unwrap_or_default();
        for (branch, holds) in branches.iter().copied() {
            let Stmt::If { condition, .. } = *self.forms.pool.get_stmt(branch) else { continue };
            let condition = self.forms.settled(condition, &mut Env::default());
            let Expr::Binary(BinaryOp::Ne, _, rest) = *self.forms.pool.get(condition) else {
                continue;
            };
            let rest = self.forms.form(rest);
            let mut atoms = rest.terms().filter_map(|(atoms, _)| atoms.first().copied());
            let (Some(atom), None) = (atoms.next(), atoms.next()) else { continue };
            let Expr::Binary(BinaryOp::Mod, x, n) = *self.forms.pool.get(atom) else { continue };
            let whole = self.forms.pool.binary(BinaryOp::Div, x, n);
            let factor = result.terms().find(|(atoms, _)| *atoms == [whole]);
            let Some((_, factor)) = factor.filter(|_| holds) else { continue };
            let (below, by) = (self.forms.form(x).offset(-1), self.forms.form(n));
            let below = self.forms.quotient(&below, &by);
            result = result.plus(&Form::atom(whole), -factor).plus(&below, factor);
        }
        result
    }

    pub(super) fn hull(&mut self, ends: Vec<(Form, Form)>) -> Option<(Form, Form)> {
        if ends.is_empty() {
            return None;
        }
        let (lows, highs): (Vec<Form>, Vec<Form>) = ends.into_iter().unzip();
        Some((self.forms.least(lows), self.forms.greatest(highs)))
    }

    /// The range of a coordinate over the lanes and those loops of a store that are not around a
    /// place.
    pub(super) fn ends(&mut self, coord: &Form, store: &Store, spot: &Spot) -> (Form, Form) {
        ends(self.forms, coord, store, spot.context.loops.len())
    }
}

/// The range of a coordinate over the lanes and the loops of a store, without the outermost
/// `around` loops.
fn ends(forms: &mut Forms<'_>, coord: &Form, store: &Store, around: usize) -> (Form, Form) {
    let lanes = (Form::default(), Form::constant(i128::from(store.flat.lanes) - 1));
    let lane = forms.lane;
    let mut low = forms.extreme(coord, lane, &lanes, End::Least);
    let mut high = forms.extreme(coord, lane, &lanes, End::Greatest);
    for of in store.loops.iter().skip(around).rev() {
        let (min, extent) = (forms.form(of.min), forms.form(of.extent));
        let last = min.clone().plus(&extent, 1).offset(-1);
        let range = (min, last_number(forms, of, last));
        low = forms.extreme(&low, of.var, &range, End::Least);
        high = forms.extreme(&high, of.var, &range, End::Greatest);
    }
    (low, high)
}

/// The last iteration of a loop in which a store runs, if it and the condition around the store
/// are numbers: the other branch has the last piece.
fn last_number(forms: &mut Forms<'_>, of: &Loop, last: Form) -> Form {
    let Some(mut least) = last.as_constant() else { return last };
    for condition in &of.conditions {
        let condition = forms.settled(*condition, &mut Env::default());
        // The normal form is `0 <= number - var`.
        if let Expr::Binary(BinaryOp::Le, zero, rest) = *forms.pool.get(condition)
            && let rest = forms.form(rest).minus(&forms.form(zero))
            && let Some((factor, end)) = forms.affine(&rest, of.var)
            && let (Some(-1), Some(end)) = (factor.as_constant(), end.as_constant())
        {
            least = least.min(end);
        }
    }
    Form::constant(least)
}
