//! Places that compute a func, and the regions where its values are correct afterwards.
//!
//! In each dimension the promise depends on the loops around the place. If each of their iterations
//! writes the same coordinates, it is the whole buffer, or only the written part if that is less.
//! If the coordinates move with the loops (a sliding window), it is the region that the later reads
//! of the same iteration need, but nothing below the first coordinate that is ever written;
//! otherwise it is the written part. Where all stores of a place are under a condition, the promise
//! is empty unless the condition holds.

use halidom_base::{FxHashSet, IndexSet};
use halidom_ir::{BinaryOp, BufferId, Expr, ExprId, FuncId, Program, Stmt, StmtId, VarId};

use super::form::Form;
use super::forms::{Env, Forms};
use super::found::Found;
use super::layout::Begin;
use super::sites::{Loop, Sites, Store};
use super::spots::{Foreign, Map, Search, Spot, Where};

/// A place that computes a func.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) at: Where,
    pub(super) func: FuncId,
    /// The first and last coordinate in each dimension.
    pub(super) needed: Vec<(Form, Form)>,
}

/// Finds the places, outer ones first.
pub(super) fn places(
    forms: &mut Forms<'_>,
    program: &Program,
    sites: &Sites,
    found: &Found,
) -> Vec<Place> {
    let mut map = Map::default();
    map.stmt(forms, program.body);
    map.find_dead(forms, sites);
    let foreign = Foreign::of(forms, sites);
    let mut places = Vec::new();
    let mut outputs: Vec<Memory> = Vec::new();
    for output in &program.outputs {
        let mut search = Search::new(&map, &foreign, &output.buffers);
        search.place(forms, program.body);
        let window = output.window.iter().map(|(min, extent)| {
            let (min, extent) = (forms.variable(*min), forms.variable(*extent));
            let last = min.clone().plus(&extent, 1).offset(-1);
            (min, last)
        });
        let window: Vec<(Form, Form)> = window.collect();
        for spot in &search.spots {
            places.push(Place { at: spot.at, func: output.func, needed: window.clone() });
        }
        if let Some(buffer) = output.buffers.first() {
            let (func, buffers, spots) = (output.func, output.buffers.clone(), search.spots);
            // Entry checks may say which numbers the ends are.
            let settled = window.iter().map(|(low, high)| {
                let (low, high) = (forms.expr(low), forms.expr(high));
                (forms.form(low), forms.form(high))
            });
            let needed = vec![settled.collect(); spots.len()];
            outputs.push(Memory { func, buffer: *buffer, buffers, spots, needed });
        }
    }
    let mut memories: Vec<Memory> = Vec::new();
    let mut short: FxHashSet<FuncId> = FxHashSet::default();
    for (buffer, body) in map.allocations.clone() {
        let (func, component) = {
            let decl = forms.pool.buffer(buffer);
            (decl.func, decl.component)
        };
        if component > 0 {
            continue;
        }
        let components = forms.pool.func(func).scalars.len();
        let around = map.allocations.iter().position(|(other, _)| *other == buffer).unwrap_or(0);
        let near = map.allocations[around.saturating_sub(components)..].iter().take(2 * components);
        let mut buffers: Vec<BufferId> = near
            .map(|(other, _)| *other)
            .filter(|other| {
                forms.pool.buffer(*other).func == func && forms.pool.buffer(*other).component > 0
            })
            .collect();
        buffers.insert(0, buffer);
        let mut search = Search::new(&map, &foreign, &buffers);
        search.place(forms, body);
        let spots = search.spots;
        let mut memory = Memory { func, buffer, buffers, spots, needed: Vec::new() };
        for spot in 0..memory.spots.len() {
            let (needed, is_short) =
                Region::of(forms, (sites, found, &map), &memory, spot).needed();
            memory.needed.push(needed);
            if is_short {
                short.insert(func);
            }
        }
        memories.push(memory);
    }
    ask_less(forms, (sites, found, &map), (&mut memories, &outputs), &short);
    for memory in memories {
        let Memory { func, spots, needed, .. } = memory;
        let parts = spots.into_iter().zip(needed);
        places.extend(parts.map(|(spot, needed)| Place { at: spot.at, func, needed }));
    }
    places
}

/// Shrinks promises around memory that is not written to its ends. If a func reads such memory, a
/// promise of the whole func would need the unwritten rest. The func is therefore promised only as
/// far as it is read itself, and so is that memory.
fn ask_less(
    forms: &mut Forms<'_>,
    of: (&Sites, &Found, &Map),
    (memories, outputs): (&mut [Memory], &[Memory]),
    short: &FxHashSet<FuncId>,
) {
    let sites = of.0;
    let mut readers: FxHashSet<FuncId> = FxHashSet::default();
    let mut known = usize::MAX;
    while known != readers.len() {
        known = readers.len();
        for store in &sites.stores {
            let loads = store.loads.iter().map(|load| &sites.loads[load]);
            let mut read = loads.map(|load| forms.pool.buffer(load.buffer).func);
            if read.any(|func| {
                func != store.func && (short.contains(&func) || readers.contains(&func))
            }) {
                readers.insert(store.func);
            }
        }
    }
    for index in readers_first(forms, sites, memories) {
        let memory = &memories[index];
        if !readers.contains(&memory.func) && !short.contains(&memory.func) {
            continue;
        }
        let along = !readers.contains(&memory.func);
        let mut all = memory.needed.clone();
        for (spot, needed) in all.iter_mut().enumerate() {
            for (dim, (low, high)) in needed.iter_mut().enumerate() {
                let consumers = (&*memories, outputs);
                let mut region = Region::of(forms, of, memory, spot);
                let asked = region.asked(dim, consumers, along);
                let Some((least, greatest)) = asked else { continue };
                let left_over = [least.clone().minus(low), high.clone().minus(&greatest)];
                let begins = left_over.each_ref().map(|rest| region.begins_below_zero(rest));
                if is_conditional(forms, high) {
                    continue;
                }
                if !begins[0] && is_asked(forms, &left_over[0], along) {
                    *low = least;
                }
                if !begins[1] && is_asked(forms, &left_over[1], along) {
                    *high = greatest;
                }
            }
        }
        memories[index].needed = all;
    }
}

/// The numbers of the memories, each after those whose funcs read it. The order in the text is
/// another one, as memory may be allocated where its reader is computed.
fn readers_first(forms: &Forms<'_>, sites: &Sites, memories: &[Memory]) -> IndexSet<usize> {
    let mut readers: Vec<IndexSet<usize>> = vec![IndexSet::default(); memories.len()];
    let of = |buffer| memories.iter().position(|memory| memory.buffers.contains(&buffer));
    for store in &sites.stores {
        let Some(reader) = of(store.buffer) else { continue };
        for load in store.loads.iter().map(|load| &sites.loads[load]) {
            if let Some(read) = of(load.buffer)
                && forms.pool.buffer(load.buffer).func != store.func
            {
                readers[read].insert(reader);
            }
        }
    }
    let mut order = IndexSet::default();
    // Memories that read one another keep the order of the text.
    let mut begun = vec![false; memories.len()];
    let mut todo: Vec<(usize, bool)> = (0..memories.len()).map(|memory| (memory, false)).collect();
    while let Some((memory, is_done)) = todo.pop() {
        if is_done {
            order.insert(memory);
        } else if !std::mem::replace(&mut begun[memory], true) {
            todo.push((memory, true));
            todo.extend(readers[memory].iter().map(|reader| (*reader, false)));
        }
    }
    order
}

/// Tests whether the last coordinate of a promise depends on a condition that has no value in the
/// samples.
fn is_conditional(forms: &mut Forms<'_>, high: &Form) -> bool {
    let selects = |atom: ExprId| matches!(forms.pool.get(atom), Expr::Select { .. });
    high.as_atom().is_some_and(selects) && forms.span(high).is_none()
}

/// Tests whether the unread rest is not negative at any of the sampled sizes. For memory that is
/// not written to its ends, it must also be positive at some of them, and not constant.
fn is_asked(forms: &mut Forms<'_>, left_over: &Form, along: bool) -> bool {
    if let Some(rest) = left_over.as_constant() {
        return !along && rest > 0;
    }
    match forms.span(left_over) {
        Some((least, greatest)) => least >= 0 && greatest > 0,
        None => !along,
    }
}

/// The memory of a func, the places that compute it, and the promise of each.
struct Memory {
    func: FuncId,
    buffer: BufferId,
    /// This buffer and those for further components.
    buffers: Vec<BufferId>,
    spots: Vec<Spot>,
    /// The first and last coordinates that each place promises.
    needed: Vec<Vec<(Form, Form)>>,
}

/// The promise of a place.
pub(super) struct Region<'r, 'p> {
    pub(super) forms: &'r mut Forms<'p>,
    pub(super) sites: &'r Sites,
    pub(super) found: &'r Found,
    pub(super) map: &'r Map,
    pub(super) spot: &'r Spot,
    /// The first place in the text that computes into the same memory in the same run.
    first: &'r Spot,
    pub(super) buffer: BufferId,
    /// This buffer and those for further components.
    pub(super) buffers: &'r [BufferId],
    /// True if the written part may be less than the memory.
    short: bool,
}

impl<'r, 'p> Region<'r, 'p> {
    fn of(
        forms: &'r mut Forms<'p>,
        (sites, found, map): (&'r Sites, &'r Found, &'r Map),
        memory: &'r Memory,
        spot: usize,
    ) -> Self {
        let (buffer, buffers) = (memory.buffer, memory.buffers.as_slice());
        let spot = &memory.spots[spot];
        // A place in another branch does not run where this one does.
        let excluded = |other: &Spot| {
            let mut around = other.context.branches.iter();
            around.any(|(stmt, holds)| spot.context.branches.contains(&(*stmt, !holds)))
        };
        let first = memory.spots.iter().find(|other| !excluded(other)).unwrap_or(spot);
        Self { forms, sites, found, map, spot, first, buffer, buffers, short: false }
    }

    /// The promise, and whether it is less than the memory.
    fn needed(mut self) -> (Vec<(Form, Form)>, bool) {
        let func = self.forms.pool.buffer(self.buffer).func;
        let rank = self.forms.pool.func(func).rank();
        let needed = (0..rank).map(|dim| self.dimension(func, dim)).collect();
        (needed, self.short)
    }

    /// The first and last coordinate that others read, if all reads come after the place. If loops
    /// lie between the allocation and the place, and not all reads follow in the same iteration,
    /// the reads of all iterations count, and none of these loops may decide the ends. With
    /// `along`, only reads bounded by the readers' own promises count.
    fn asked(
        &mut self,
        dim: usize,
        consumers: (&[Memory], &[Memory]),
        along: bool,
    ) -> Option<(Form, Form)> {
        let func = self.forms.pool.buffer(self.buffer).func;
        let reads = |store: &&Store| {
            let mut loads = store.loads.iter().map(|load| &self.sites.loads[load]);
            loads.any(|load| self.buffers.contains(&load.buffer))
        };
        let stores = self.sites.stores.iter().filter(|store| store.func != func);
        let readers: Vec<&Store> =
            stores.filter(|store| !self.map.dead.contains(&store.stmt)).filter(reads).collect();
        // Later iterations may read what earlier ones wrote, at places before this one in the text.
        let inner: Vec<VarId> = if readers.iter().all(|store| self.follows(store)) {
            Vec::new()
        } else {
            self.inner_loops().iter().map(|of| of.var).collect()
        };
        let mut ends = Vec::new();
        for store in readers {
            for load in &store.loads {
                let load = &self.sites.loads[load];
                if !self.buffers.contains(&load.buffer) {
                    continue;
                }
                if inner.is_empty() && self.map.contexts[&store.stmt].order <= self.spot.end {
                    return None;
                }
                let coord = self.found.loads.get(&load.expr)?.get(dim)?.clone();
                let asked = match self.promised(&coord, store, consumers) {
                    Some(asked) => asked,
                    None if !along => self.ends(&coord, store, self.spot),
                    None => return None,
                };
                // A coordinate that data give has no ends outside of its loops.
                if !self.is_visible(&asked.0, &inner) || !self.is_visible(&asked.1, &inner) {
                    return None;
                }
                ends.push(asked);
            }
        }
        self.hull(ends)
    }

    /// Tests whether a form is negative at some of the sampled sizes, in the first iteration of the
    /// loops around the place and within the lifetime of the memory. Few samples are early ones.
    fn begins_below_zero(&mut self, form: &Form) -> bool {
        let mut first = form.clone();
        for of in self.inner_loops().into_iter().rev() {
            let min = self.forms.form(of.min);
            first = self.forms.replaced(&first, &mut Env::of([(of.var, min)]));
        }
        self.forms.span(&first).is_some_and(|(least, _)| least < 0)
    }

    /// Tests whether the loops around the place, without `inner`, are all that a form depends on.
    fn is_visible(&mut self, form: &Form, inner: &[VarId]) -> bool {
        let expr = self.forms.expr(form);
        let vars = self.forms.vars(expr);
        let around = &self.spot.context.loops;
        !vars.contains(&self.forms.lane)
            && vars.iter().all(|var| {
                !self.forms.loops.contains(var)
                    || (around.iter().any(|of| of.var == *var) && !inner.contains(var))
            })
    }

    /// The range of a coordinate over the instances that a store promises, if the coordinate is at
    /// a constant distance from one of the store's.
    fn promised(
        &mut self,
        coord: &Form,
        store: &Store,
        (consumers, outputs): (&[Memory], &[Memory]),
    ) -> Option<(Form, Form)> {
        let order = self.map.contexts[&store.stmt].order;
        let written = &self.found.stores.get(&store.stmt)?.coords;
        let mut spots = consumers
            .iter()
            .chain(outputs)
            .filter(|memory| memory.buffers.contains(&store.buffer))
            .flat_map(|memory| memory.spots.iter().zip(&memory.needed));
        let (consumer, needed) =
            spots.find(|(spot, _)| spot.context.order <= order && order <= spot.end)?;
        // An output's window, and a promise further out, is more than what one iteration of the
        // loops around the place writes.
        let around = self.spot.context.loops.len();
        let is_more = outputs.iter().any(|memory| memory.buffers.contains(&store.buffer))
            || consumer.context.loops.len() < around;
        for (own, (low, high)) in written.iter().zip(needed) {
            let distance = coord.clone().minus(own);
            if distance.as_constant().is_some() {
                let (outer, inner) = store.loops.split_at(around.min(store.loops.len()));
                let mut moves =
                    |loops: &[Loop]| loops.iter().any(|of| self.forms.depends(own, of.var));
                if is_more && (moves(outer) || !moves(inner)) {
                    let (first, last) = self.ends(coord, store, self.spot);
                    // A tail's lanes beyond the window are under conditions, and none begins before
                    // it.
                    let begin = low.clone().plus(&distance, 1);
                    let end = high.clone().plus(&distance, 1);
                    let spare = [first.clone().minus(&begin), end.clone().minus(&last)];
                    let [is_before, is_beyond] =
                        spare.map(|by| self.forms.span(&by).is_some_and(|(least, _)| least < 0));
                    let first = if is_before { self.forms.greatest([first, begin]) } else { first };
                    let last = if is_beyond { self.forms.least([last, end]) } else { last };
                    return Some((first, last));
                }
                let (low, high) = (low.clone().plus(&distance, 1), high.clone().plus(&distance, 1));
                let (low, _) = self.ends(&low, store, self.spot);
                return Some((low, self.ends(&high, store, self.spot).1));
            }
        }
        None
    }

    /// The first and last coordinate; an empty range if the loop over them has no iterations,
    /// provided that its length depends on a loop around the place.
    fn dimension(&mut self, func: FuncId, dim: usize) -> (Form, Form) {
        let (low, high, slides) = self.filled(func, dim);
        if let Some((condition, holds)) = self.condition().filter(|_| dim == 0) {
            let ends = [high, low.clone().offset(-1)].map(|end| self.forms.expr(&end));
            let [then, other] = if holds { ends } else { [ends[1], ends[0]] };
            return (low, Form::atom(self.forms.pool.select(condition, then, other)));
        }
        if let Some(stepped) = self.stepped(dim) {
            return stepped;
        }
        // An iteration of a sliding window that writes nothing promises what it reads all the same.
        let Some(extent) = self.lapsing(dim).filter(|_| !slides) else { return (low, high) };
        let zero = self.forms.pool.int(0);
        let extent = self.forms.expr(&extent);
        let runs = self.forms.pool.binary(BinaryOp::Lt, zero, extent);
        let ends = [high, low.clone().offset(-1)].map(|end| self.forms.expr(&end));
        (low, Form::atom(self.forms.pool.select(runs, ends[0], ends[1])))
    }

    /// The first and last coordinate, if each store of the place writes one element, and those
    /// after a varying number of elements are left out: the tail of an unrolled loop.
    fn stepped(&mut self, dim: usize) -> Option<(Form, Form)> {
        let (loops, branches) = (self.spot.context.loops.len(), self.spot.context.branches.len());
        let mut stores = Vec::new();
        for store in &self.sites.stores {
            if !self.buffers.contains(&store.buffer) || !self.inside(store.stmt, self.spot) {
                continue;
            }
            if store.flat.lanes != 1 || store.loops.len() != loops {
                return None;
            }
            let coord = self.found.stores.get(&store.stmt)?.coords.get(dim)?;
            let first = stores.first().map_or(coord, |(_, first, _)| first);
            let step = coord.clone().minus(first).as_constant()?;
            stores.push((step, coord.clone(), store));
        }
        let least = stores.iter().map(|(step, ..)| *step).min()?;
        let most = stores.iter().map(|(step, ..)| *step).max()?;
        let low = stores.first()?.1.clone().offset(least);
        let mut last: Option<Form> = None;
        for (step, _, store) in stores {
            let own = self.map.contexts[&store.stmt].branches.get(branches..)?;
            let Some((branch, true)) = own.last().copied() else { continue };
            let Stmt::If { condition, .. } = *self.forms.pool.get_stmt(branch) else { return None };
            let condition = self.forms.settled(condition, &mut Env::default());
            // The steps up to `rest` are made. The last of them may ask for equality.
            let Expr::Binary(op @ (BinaryOp::Le | BinaryOp::Eq), zero, rest) =
                *self.forms.pool.get(condition)
            else {
                return None;
            };
            let rest = self.forms.form(rest).minus(&self.forms.form(zero));
            let steps = rest.clone().offset(step - least);
            let ways = [steps.clone(), Form::default().minus(&rest).offset(step - least)];
            match &last {
                None if op == BinaryOp::Le && steps.as_constant().is_none() => last = Some(steps),
                Some(last) if ways.contains(last) => {}
                None | Some(_) => return None,
            }
        }
        let last = low.clone().plus(&last?, 1);
        let high = self.forms.least([low.clone().offset(most - least), last]);
        Some((low, high))
    }

    /// The outermost condition within the place under which all its stores run, and its value
    /// there, if it is the same in all iterations of the place. A stage that nothing needs is
    /// skipped so.
    fn condition(&mut self) -> Option<(ExprId, bool)> {
        let around = self.spot.context.branches.len();
        let stores = self.sites.stores.iter();
        let mut branches = stores
            .filter(|store| {
                self.buffers.contains(&store.buffer) && self.inside(store.stmt, self.spot)
            })
            .map(|store| self.map.contexts[&store.stmt].branches.get(around).copied());
        let (branch, holds) = branches.next()??;
        if !branches.all(|other| other == Some((branch, holds))) {
            return None;
        }
        let Stmt::If { condition, .. } = *self.forms.pool.get_stmt(branch) else { return None };
        let condition = self.forms.settled(condition, &mut Env::default());
        let around: Vec<VarId> = self.spot.context.loops.iter().map(|of| of.var).collect();
        let vars = self.forms.vars(condition);
        let mut inner = vars.iter().filter(|var| self.forms.loops.contains(var));
        inner.all(|var| around.contains(var)).then_some((condition, holds))
    }

    /// The extent of a loop over a dimension that contains all stores of the place, if it depends
    /// on a loop around the place.
    fn lapsing(&mut self, dim: usize) -> Option<Form> {
        let around = self.spot.context.loops.len();
        let stores = self.sites.stores.iter();
        let mut stores = stores.filter(|store| {
            self.buffers.contains(&store.buffer) && self.inside(store.stmt, self.spot)
        });
        let first = stores.next()?;
        let others: Vec<&Store> = stores.collect();
        let coord = self.found.stores.get(&first.stmt)?.coords.get(dim)?.clone();
        for of in first.loops.iter().skip(around) {
            let shared =
                others.iter().all(|store| store.loops.iter().any(|other| other.var == of.var));
            let extent = self.forms.form(of.extent);
            if shared && self.forms.depends(&coord, of.var) && self.lapses(&extent) {
                return Some(extent);
            }
        }
        None
    }

    /// Tests whether an extent is 0 in some iterations of the loops around the place, and not in
    /// others.
    fn lapses(&mut self, extent: &Form) -> bool {
        let around = &self.spot.context.loops;
        let goes_along = around.iter().any(|of| self.forms.depends(extent, of.var));
        let inside = self.iterations(extent);
        goes_along
            && self.forms.span(&inside).is_some_and(|(least, greatest)| least <= 0 && greatest > 0)
    }

    /// A form whose samples are its values in iterations of the loops around the place, the first
    /// ones among them.
    fn iterations(&mut self, form: &Form) -> Form {
        let mut inside = form.clone();
        for of in self.spot.context.loops.iter().rev() {
            // Maps any value of the variable to some iteration.
            let [min, all] = [of.min, of.extent].map(|bound| self.forms.form(bound));
            let all = self.forms.greatest([all, Form::constant(1)]);
            let [own, all] = [Form::atom(self.forms.pool.var_expr(of.var)), all]
                .map(|form| self.forms.expr(&form));
            let rest = self.forms.pool.binary(BinaryOp::Mod, own, all);
            let iteration = min.plus(&Form::atom(rest), 1);
            inside = self.forms.replaced(&inside, &mut Env::of([(of.var, iteration)]));
        }
        inside
    }

    /// Tests whether each store of the place is in a loop that has no iterations at some of the
    /// sampled sizes, or under a condition within the place. The memory then has elements even
    /// where nothing is written because nothing is read.
    fn may_write_nothing(&mut self) -> bool {
        let around = &self.spot.context;
        let (loops, branches) = (around.loops.len(), around.branches.len());
        self.sites.stores.iter().all(|store| {
            if !self.buffers.contains(&store.buffer) || !self.inside(store.stmt, self.spot) {
                return true;
            }
            self.map.contexts[&store.stmt].branches.len() > branches
                || store.loops.iter().skip(loops).any(|of| {
                    let extent = self.forms.form(of.extent);
                    self.forms.span(&extent).is_some_and(|(least, _)| least <= 0)
                })
        })
    }

    /// Tests whether some stores of the place are under conditions.
    fn may_write_some(&self) -> bool {
        let branches = self.spot.context.branches.len();
        self.sites.stores.iter().any(|store| {
            self.buffers.contains(&store.buffer)
                && self.inside(store.stmt, self.spot)
                && self.map.contexts[&store.stmt].branches.len() > branches
        })
    }

    /// The first and last coordinate that are right, and whether iterations before have written
    /// some of them.
    fn filled(&mut self, func: FuncId, dim: usize) -> (Form, Form, bool) {
        let written = self.written(self.spot, dim);
        let layout = &self.found.layouts[&self.buffer];
        let all = match &layout.begins[dim] {
            Begin::At(min) => {
                Some((min.clone(), min.clone().plus(&layout.extents[dim], 1).offset(-1)))
            }
            Begin::Unknown | Begin::Folded(_) => None,
        };
        let Some((low, high)) = written else {
            let (low, high) = all.unwrap_or_default();
            return (low, high, false);
        };
        // The least of several beginnings may be the same number in all iterations.
        let vars = self.forms.form_vars(&low);
        let low = match self.forms.span(&low) {
            Some((least, greatest))
                if least == greatest && vars.iter().all(|var| self.forms.loops.contains(var)) =>
            {
                Form::constant(least)
            }
            Some(_) | None => low,
        };
        let moving: Vec<VarId> = self.inner_loops().iter().map(|of| of.var).collect();
        let moves = moving
            .iter()
            .any(|var| self.forms.depends(&low, *var) || self.forms.depends(&high, *var));
        if let Some((first, last)) = all.filter(|_| !moves) {
            let spare = [low.clone().minus(&first), last.clone().minus(&high)];
            let spans = spare.each_ref().map(|spare| match self.forms.span(spare) {
                // The memory may be larger in the first iterations alone, which no sample is.
                Some((0, 0)) => {
                    let inside = self.iterations(spare);
                    let span = self.forms.span(&inside).filter(|(least, _)| *least >= 0);
                    span.or(Some((0, 0)))
                }
                span => span,
            });
            // A range computed from loops in several branches may exceed the part that any of them
            // writes. Otherwise loops over a dimension may cover less than the memory.
            let exceeds = spans.iter().any(|span| span.is_none_or(|(least, _)| least < 0))
                && !self.is_exact(dim);
            let whole = self.swept(dim);
            let is_updated = self.forms.pool.func(func).stages().len() > 1;
            let is_number = [&low, &high].map(|end| end.as_constant().is_some());
            self.short |= self.may_write_nothing() || (!whole && self.may_write_some());
            let [is_begin, is_end] = [0, 1].map(|end| match spare[end].as_constant() {
                Some(spare) => {
                    self.short |= spare > 0;
                    spare > 0
                }
                None if !whole => true,
                // Of two that are always equal, the number is the simpler one.
                None if spans[end] == Some((0, 0)) && is_number[end] => true,
                None => {
                    // Memory also has the elements that updates name, at sizes that no sample has.
                    let less = !exceeds
                        && spans[end].is_some_and(|(_, greatest)| greatest > 0 || is_updated);
                    self.short |= less;
                    less
                }
            });
            return (if is_begin { low } else { first }, if is_end { high } else { last }, false);
        }
        let Some((least, greatest)) = self.read(func, dim) else { return (low, high, false) };
        let [before, behind] =
            [least.clone().minus(&low), high.clone().minus(&greatest)].map(|by| self.is_below(&by));
        if !before && !behind {
            return (low, high, false);
        }
        let Some((first, last)) = self.start(dim) else { return (low, high, false) };
        // An element that is read beyond the part written now was written before, but not before
        // the first iteration. The window may move in either direction.
        let from = if before { self.forms.greatest([least, first]) } else { low };
        let fallen = last.clone().minus(&high);
        let falls =
            self.forms.span(&fallen).is_some_and(|(least, greatest)| least >= 0 && greatest > 0);
        if !behind || !falls {
            return (from, high, before);
        }
        (from, self.forms.least([greatest, last]), true)
    }

    /// Tests whether a form is negative, or never positive and at times negative, as for a window
    /// that moves by less than an element in an iteration, as along `y / 2`.
    fn is_below(&mut self, by: &Form) -> bool {
        match by.as_constant() {
            Some(by) => by < 0,
            None => self.forms.span(by).is_some_and(|(least, greatest)| least < 0 && greatest <= 0),
        }
    }

    /// The loops around the place and within the lifetime of the memory.
    fn inner_loops(&self) -> Vec<Loop> {
        let scope = &self.sites.scopes[&self.buffer];
        self.spot.context.loops.iter().filter(|of| !scope.contains(&of.var)).cloned().collect()
    }

    pub(super) fn inside(&self, stmt: StmtId, spot: &Spot) -> bool {
        let order = self.map.contexts[&stmt].order;
        spot.context.order <= order && order <= spot.end
    }

    /// Tests whether the stores of the place write each coordinate of the written part: each of
    /// them in one loop over the dimension, element by element, under no condition within the
    /// place, and all of them in the same range. The memory may then be larger than that part at
    /// some sizes only, if the schedule says how large it is.
    fn is_exact(&mut self, dim: usize) -> bool {
        let around = &self.spot.context;
        let (loops, branches) = (around.loops.len(), around.branches.len());
        let mut ranges: Vec<(Form, Form)> = Vec::new();
        for store in &self.sites.stores {
            if !self.buffers.contains(&store.buffer) || !self.inside(store.stmt, self.spot) {
                continue;
            }
            let Some(claim) = self.found.stores.get(&store.stmt) else { return false };
            let coord = claim.coords[dim].clone();
            let inner = store.loops.iter().skip(loops);
            let mut over = inner.filter(|of| self.forms.depends(&coord, of.var));
            let (Some(of), None) = (over.next(), over.next()) else { return false };
            let step = self.forms.affine(&coord, of.var).and_then(|(by, _)| by.as_constant());
            let lane = self.forms.lane;
            let is_plain = step == Some(1)
                && !self.forms.depends(&coord, lane)
                && self.map.contexts[&store.stmt].branches.len() == branches;
            if !is_plain {
                return false;
            }
            let ends = self.ends(&coord, store, self.spot);
            if !ranges.contains(&ends) {
                ranges.push(ends);
            }
        }
        ranges.len() == 1
    }

    /// Tests whether a loop of the place runs over a dimension.
    fn swept(&mut self, dim: usize) -> bool {
        let around = self.spot.context.loops.len();
        self.sites.stores.iter().any(|store| {
            let Some(claim) = self.found.stores.get(&store.stmt) else { return false };
            let Some(coord) = claim.coords.get(dim) else { return false };
            self.buffers.contains(&store.buffer)
                && self.inside(store.stmt, self.spot)
                && store.loops.iter().skip(around).any(|of| self.forms.depends(coord, of.var))
        })
    }

    /// Tests whether a store runs after the place, in the same iteration of the loops around it.
    fn follows(&self, store: &Store) -> bool {
        let context = &self.map.contexts[&store.stmt];
        let around = &self.spot.context;
        context.order > self.spot.end
            && context.loops.len() >= around.loops.len()
            && context.loops.iter().zip(&around.loops).all(|(a, b)| a.var == b.var)
            && around.branches.iter().all(|branch| context.branches.contains(branch))
    }

    /// The first and last coordinate that is read after the place, in the same iteration of the
    /// loops around it.
    pub(super) fn read(&mut self, func: FuncId, dim: usize) -> Option<(Form, Form)> {
        let mut ends = Vec::new();
        for store in &self.sites.stores {
            let is_dead = self.map.dead.contains(&store.stmt);
            if store.func == func || is_dead || !self.follows(store) {
                continue;
            }
            for load in &store.loads {
                let load = &self.sites.loads[load];
                if !self.buffers.contains(&load.buffer) {
                    continue;
                }
                let Some(coords) = self.found.loads.get(&load.expr) else { continue };
                let Some(coord) = coords.get(dim).cloned() else { continue };
                ends.push(self.ends(&coord, store, self.spot));
            }
        }
        self.hull(ends)
    }

    /// The first and last coordinate that are written into the memory in the first iteration of the
    /// loops in its lifetime.
    fn start(&mut self, dim: usize) -> Option<(Form, Form)> {
        let first = self.first;
        let (mut low, mut high) = self.written(first, dim)?;
        let scope = &self.sites.scopes[&self.buffer];
        let loops: Vec<Loop> =
            first.context.loops.iter().filter(|of| !scope.contains(&of.var)).cloned().collect();
        for of in loops.into_iter().rev() {
            let min = self.forms.form(of.min);
            let mut lows = vec![min];
            for condition in &of.conditions {
                self.bounds_below(*condition, of.var, &mut lows);
            }
            let first = self.forms.greatest(lows);
            for end in [&mut low, &mut high] {
                *end = self.forms.replaced(end, &mut Env::of([(of.var, first.clone())]));
            }
        }
        Some((low, high))
    }

    /// Collects the lower bounds that a condition sets for a variable.
    fn bounds_below(&mut self, condition: ExprId, var: VarId, lows: &mut Vec<Form>) {
        let condition = self.forms.settled(condition, &mut Env::default());
        if let Expr::Binary(BinaryOp::And, a, b) = *self.forms.pool.get(condition) {
            self.bounds_below(a, var, lows);
            self.bounds_below(b, var, lows);
        } else if let Expr::Binary(BinaryOp::Le, _, difference) = *self.forms.pool.get(condition) {
            // The normal form is `0 <= var + rest`.
            let form = self.forms.form(difference);
            if let Some((factor, rest)) = self.forms.affine(&form, var)
                && factor.as_constant() == Some(1)
            {
                lows.push(Form::default().minus(&rest));
            }
        }
    }
}
