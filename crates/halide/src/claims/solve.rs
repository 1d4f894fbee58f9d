//! Infers the instance that each store writes and the beginnings of buffers, each from the other.

use halidom_base::{FxHashSet, IndexMap, IndexSet};
use halidom_ir::{
    BufferId, BufferKind, Constant, Expr, ExprId, FuncId, ReductionVar, Stage, VarId,
};

use super::demand::{self, Read};
use super::form::Form;
use super::forms::{Env, Forms};
use super::found::{Claim, Found};
use super::hints::{self, Hints};
use super::layout::{Begin, Element, Layout};
use super::sample::span;
use super::sites::{Flat, Load, REBASED, Sites, Store};
use crate::translate::{NOWHERE, UNLOADED};

/// The coordinates that stores with a claim read, by func and component.
type Demanded = IndexMap<(FuncId, usize), Vec<Vec<Form>>>;

/// The beginnings of dimensions that are known from the start.
type Begins = IndexMap<(BufferId, usize), Form>;

/// Infers claims until a fixpoint is reached. Hints are kept.
///
/// The first store with a claim determines where its memory begins. If other stores say that it
/// begins before, because the compiler has simplified the first one for the loop that it is in, the
/// inference is repeated with that beginning.
pub(super) fn solve(forms: &mut Forms<'_>, sites: &Sites, hints: &Hints) -> Found {
    let (found, earlier) = solved_from(forms, sites, hints, &Begins::default());
    if earlier.is_empty() {
        return found;
    }
    let (again, _) = solved_from(forms, sites, hints, &earlier);
    let is_complete =
        again.stores.len() >= found.stores.len() && again.loads.len() >= found.loads.len();
    if is_complete { again } else { found }
}

/// Infers claims with some beginnings given. Also returns beginnings before the inferred ones.
fn solved_from(
    forms: &mut Forms<'_>,
    sites: &Sites,
    hints: &Hints,
    known: &Begins,
) -> (Found, Begins) {
    let mut found = Found::default();
    let buffers = sites.scopes.keys().copied().collect::<FxHashSet<_>>();
    let mut buffers: Vec<_> = buffers.into_iter().collect();
    buffers.sort_unstable();
    for buffer in buffers {
        let mut layout = Layout::of(forms, sites, buffer);
        for ((_, dim), begin) in known.iter().filter(|((of, _), _)| *of == buffer) {
            layout.begins[*dim] = Begin::At(begin.clone());
        }
        found.layouts.insert(buffer, layout);
    }
    let mut solver = Solver {
        sites,
        found,
        demanded: Demanded::default(),
        eager: false,
        evidence: IndexMap::default(),
    };
    for (number, store) in sites.stores.iter().enumerate() {
        for (position, load) in store.loads.iter().enumerate() {
            if let Some(coords) = hints.load(number, position) {
                let load = &sites.loads[load];
                solver.begin(forms, load.buffer, std::slice::from_ref(&load.flat), &[coords]);
            }
        }
        if let Some(claim) = hints.store(number) {
            solver.learn(forms, store, claim);
            solver.found.stores.insert(store.stmt, claim.clone());
        }
    }
    loop {
        let mut progress = false;
        for store in &sites.stores {
            if solver.found.stores.contains_key(&store.stmt) {
                continue;
            }
            if let Some(claim) = solver.claim(forms, store) {
                solver.learn(forms, store, &claim);
                solver.found.stores.insert(store.stmt, claim);
                progress = true;
            }
        }
        if progress {
            solver.eager = false;
            continue;
        }
        // A shape supported by all elements comes before guesses, any other shape after them.
        if !solver.shape(forms, true) {
            if !solver.eager {
                solver.eager = true;
                continue;
            }
            if !solver.shape(forms, false) {
                break;
            }
        }
        for store in &sites.stores {
            if let Some(claim) = solver.found.stores.get(&store.stmt).cloned() {
                solver.learn(forms, store, &claim);
            }
        }
    }
    hints::loads(sites, hints, &mut solver.found.loads);
    solver.loads(forms);
    let earlier = solver.earlier(forms);
    (solver.found, earlier)
}

/// Tests whether a load reads an element that no buffer has.
fn is_nowhere(forms: &Forms<'_>, load: &Load) -> bool {
    let at = forms.pool.as_constant(load.index).and_then(Constant::as_integer);
    matches!(at, Some(NOWHERE | UNLOADED))
}

/// Adds coordinates to the loads that no store determines, as far as they follow from the index
/// alone.
pub(super) fn leftover(forms: &mut Forms<'_>, sites: &Sites, found: &mut Found) {
    for load in sites.loads.values() {
        if found.loads.contains_key(&load.expr) {
            continue;
        }
        if is_nowhere(forms, load) {
            // The obligation is that this load is never made.
            let func = forms.pool.buffer(load.buffer).func;
            let rank = forms.pool.func(func).rank();
            found.loads.insert(load.expr, vec![Form::constant(0); rank]);
            continue;
        }
        let Some(layout) = found.layouts.get(&load.buffer) else { continue };
        let coords: Option<Vec<Form>> =
            layout.coords(forms, &load.flat, false).into_iter().collect();
        if let Some(coords) = coords {
            found.loads.insert(load.expr, coords);
        }
    }
}

struct Solver<'s> {
    sites: &'s Sites,
    found: Found,
    demanded: Demanded,
    /// True while weaker evidence counts because nothing else was found, such as the coordinates
    /// that a store to the same element claims.
    eager: bool,
    /// Elements with known coordinates, for memory that may have any shape.
    evidence: IndexMap<BufferId, Vec<Element>>,
}

impl Solver<'_> {
    /// Gives a shape to memory without one, from the known elements. With `complete`, only if these
    /// cover all of it. Returns true if there was any such memory.
    fn shape(&mut self, forms: &mut Forms<'_>, complete: bool) -> bool {
        let mut any = false;
        let buffers: Vec<BufferId> = self.evidence.keys().copied().collect();
        for buffer in buffers {
            let Some(layout) = self.found.layouts.get_mut(&buffer) else { continue };
            let whole = self.evidence.get(&buffer).is_some_and(|known| layout.covers(forms, known));
            if (whole || !complete)
                && let Some(evidence) = self.evidence.shift_remove(&buffer)
            {
                layout.shape(forms, &evidence);
                any = true;
            }
        }
        if !any && !complete {
            // There is no evidence for another shape.
            for layout in self.found.layouts.values_mut() {
                any |= layout.shapeless.take().is_some();
            }
        }
        any
    }

    /// The claim of a store whose only load is from nowhere: the claim of the other store to the
    /// same element, which writes the real value.
    fn beside(&self, forms: &Forms<'_>, store: &Store) -> Option<Claim> {
        let [load] = *store.loads else { return None };
        let load = &self.sites.loads[&load];
        if load.buffer != store.buffer || !is_nowhere(forms, load) {
            return None;
        }
        let other = self.sites.stores.iter().find(|other| {
            other.stmt != store.stmt && other.buffer == store.buffer && other.flat == store.flat
        });
        self.found.stores.get(&other?.stmt).cloned()
    }

    /// The instance that a store writes, as far as it can be inferred.
    fn claim(&self, forms: &mut Forms<'_>, store: &Store) -> Option<Claim> {
        if let Some(claim) = self.beside(forms, store) {
            return Some(claim);
        }
        let decl = forms.pool.func(store.func).clone();
        let named = named_stage(forms, store, &decl.name);
        let own = store.loads.iter().any(|load| {
            let buffer = self.sites.loads[load].buffer;
            forms.pool.buffer(buffer).func == store.func
        });
        let mut stages: Vec<usize> = (0..decl.stages().len()).collect();
        stages.sort_by_key(|stage| (Some(*stage) != named, (*stage > 0) != own, *stage));
        let mut best: Option<(usize, Claim)> = None;
        for stage in stages {
            for keeps in [false, true] {
                let Some((claim, unmatched)) = self.attempt(forms, store, stage, keeps) else {
                    continue;
                };
                if unmatched == 0 {
                    return Some(claim);
                }
                if best.as_ref().is_none_or(|(least, _)| unmatched < *least) {
                    best = Some((unmatched, claim));
                }
            }
        }
        best.map(|(_, claim)| claim)
    }

    /// The instance of a stage that a store may write, and the number of its loads that this
    /// instance does not read.
    fn attempt(
        &self,
        forms: &mut Forms<'_>,
        store: &Store,
        number: usize,
        keeps: bool,
    ) -> Option<(Claim, usize)> {
        let decl = forms.pool.func(store.func).clone();
        let stage = decl.stages().get(number)?.clone();
        let layout = self.found.layouts.get(&store.buffer)?;
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
        let funcs_read: FxHashSet<FuncId> =
            loads.iter().map(|load| forms.pool.buffer(load.buffer).func).collect();
        let known: Vec<Known> = loads.iter().filter_map(|load| self.known(forms, load)).collect();
        while !unknown.is_empty() {
            let mut env = Env::of(values.iter().map(|(var, form)| (*var, form.clone())));
            let reads = demand::reads(forms, self.sites, &[value], &mut env);
            let mut best: Option<(usize, usize, Form)> = None;
            for (position, var) in unknown.iter().enumerate() {
                let mut tally: IndexMap<Form, usize> = IndexMap::default();
                let mut count = |candidates: Vec<Form>| {
                    for candidate in candidates {
                        *tally.entry(candidate).or_insert(0) += 2;
                    }
                };
                for (lhs, coord) in &written {
                    let lhs = forms.form_in(*lhs, &mut env);
                    count(solved(forms, &lhs, *var, &unknown, [coord]));
                }
                for read in &reads {
                    for (dim, arg) in read.coords.iter().enumerate() {
                        let there = known.iter().filter(|known| {
                            (known.func, known.component) == (read.func, read.component)
                        });
                        let there = there.filter_map(|known| known.coords.get(dim)?.as_ref());
                        count(solved(forms, arg, *var, &unknown, there));
                    }
                }
                if let Some(form) = named(forms, store, *var, (number, &decl.name)) {
                    *tally.entry(form).or_insert(0) += 1;
                }
                let dim = decl.args.iter().position(|arg| arg == var);
                if let Some(dim) = dim {
                    // Demands do not tell which element of memory without a shape they refer to.
                    if layout.shapeless.is_none() || self.eager {
                        for candidate in self.wanted(forms, store, dim) {
                            *tally.entry(candidate).or_insert(0) += 1;
                        }
                    }
                    if let Some(Begin::Folded(by)) = layout.begins.get(dim) {
                        let by = Form::constant(*by);
                        tally.retain(|candidate, _| forms.remainder(candidate, &by) == slots[dim]);
                    }
                }
                for (candidate, count) in tally {
                    if best.as_ref().is_none_or(|(most, ..)| count > *most) {
                        best = Some((count, position, candidate));
                    }
                }
            }
            let best = best.map(|(_, position, form)| (position, form));
            let (position, form) = best.or_else(|| {
                let domain: Vec<VarId> = stage.domain.iter().map(|of| of.var).collect();
                let vars = (&unknown[..], &domain[..]);
                if !self.eager {
                    return None;
                }
                let found = Self::unclamped(forms, vars, (&reads, &known));
                // A loop that counts from 0 need not begin where the domain does: what is read
                // tells more, if it is the whole of a read.
                if let Some((position, form, true)) = found {
                    return Some((position, form));
                }
                let counted = unknown.iter().enumerate().find_map(|(position, var)| {
                    let domain = stage.domain.iter().find(|of| of.var == *var)?;
                    Some((position, rebased(forms, store, domain, (number, &decl.name))?))
                });
                counted.or(found.map(|(position, form, _)| (position, form)))
            })?;
            values.insert(unknown.remove(position), form);
        }
        let mut env = Env::of(values.iter().map(|(var, form)| (*var, form.clone())));
        let reads = demand::reads(forms, self.sites, &[value], &mut env);
        let read: FxHashSet<FuncId> = reads.iter().map(|read| read.func).collect();
        if !funcs_read.is_subset(&read)
            || (funcs_read.is_empty() && !read.is_empty() && decl.stages().len() > 1)
        {
            return None;
        }
        let coords = stage.lhs.iter().map(|lhs| forms.form_in(*lhs, &mut env)).collect();
        let point = stage.domain.iter().map(|variable| values[&variable.var].clone()).collect();
        let mut unmatched = 0;
        for load in loads {
            let Some(layout) = self.found.layouts.get(&load.buffer) else { continue };
            let decl = forms.pool.buffer(load.buffer);
            let of = (decl.func, decl.component);
            if layout.is_known() && matching(forms, layout, of, load, &reads).is_none() {
                unmatched += 1;
            }
        }
        Some((Claim { stage: number, coords, point }, unmatched))
    }

    /// Determines a reduction variable from a read whose clamp is removed: the place decides the
    /// clamp, so that it is missing from the index. Returns the variable's position, its value, and
    /// true if the whole read then has the known coordinate.
    fn unclamped(
        forms: &mut Forms<'_>,
        (unknown, domain): (&[VarId], &[VarId]),
        (reads, known): (&[Read], &[Known]),
    ) -> Option<(usize, Form, bool)> {
        let mut tally: IndexMap<(usize, Form), (usize, bool)> = IndexMap::default();
        for (position, var) in unknown.iter().enumerate() {
            if !domain.contains(var) {
                continue;
            }
            for read in reads {
                let there = known
                    .iter()
                    .filter(|known| (known.func, known.component) == (read.func, read.component));
                for known in there {
                    for (arg, coord) in read.coords.iter().zip(&known.coords) {
                        let Some(coord) = coord else { continue };
                        // The clamp may also be present and equal.
                        let values = [vec![coord.clone()], ways_decided(forms, coord)].concat();
                        for way in ways_unclamped(forms, arg, *var) {
                            for value in &values {
                                for candidate in solved(forms, &way, *var, unknown, [value]) {
                                    let mut env = Env::of([(*var, candidate.clone())]);
                                    let same = forms.replaced(arg, &mut env) == *coord;
                                    let weight = if same { 4 } else { usize::from(value == coord) };
                                    let known = tally.entry((position, candidate)).or_default();
                                    *known = (known.0 + weight, known.1 || same);
                                }
                            }
                        }
                    }
                }
            }
        }
        // Clamping twice equals clamping once, so the simpler of two equally good values is meant.
        let mut best: Option<(usize, usize, (usize, Form, bool))> = None;
        for (found, (weight, whole)) in tally.into_iter().filter(|(_, (weight, _))| *weight > 0) {
            let expr = forms.expr(&found.1);
            let mut size = 0;
            forms.pool.for_each_subexpr(expr, &mut |_, _| size += 1);
            let better = |(most, least, _): &(usize, usize, (usize, Form, bool))| {
                weight > *most || weight == *most && size < *least
            };
            if best.as_ref().is_none_or(better) {
                best = Some((weight, size, (found.0, found.1, whole)));
            }
        }
        best.map(|(.., found)| found)
    }

    /// The known coordinates of a load.
    fn known(&self, forms: &mut Forms<'_>, load: &Load) -> Option<Known> {
        let layout = self.found.layouts.get(&load.buffer)?;
        let decl = forms.pool.buffer(load.buffer);
        let (func, component) = (decl.func, decl.component);
        let mut coords = layout.coords(forms, &load.flat, false);
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

    /// Records the consequences of a claim for the buffers that its store writes and reads.
    fn learn(&mut self, forms: &mut Forms<'_>, store: &Store, claim: &Claim) {
        let reads = self.reads(forms, store, claim);
        for read in &reads {
            let known = self.demanded.entry((read.func, read.component)).or_default();
            if !known.contains(&read.coords) {
                known.push(read.coords.clone());
            }
        }
        self.begin(forms, store.buffer, std::slice::from_ref(&store.flat), &[&claim.coords]);
        let by_func = demand::by_func(&reads);
        let mut buffers: IndexMap<BufferId, Vec<Flat>> = IndexMap::default();
        for load in &store.loads {
            let load = &self.sites.loads[load];
            buffers.entry(load.buffer).or_default().push(load.flat.clone());
        }
        for (buffer, flats) in buffers {
            let decl = forms.pool.buffer(buffer);
            let Some(there) = by_func.get(&(decl.func, decl.component)) else { continue };
            let coords: Vec<&Vec<Form>> = there.iter().map(|read| &read.coords).collect();
            self.begin(forms, buffer, &flats, &coords);
        }
    }

    /// The reads of the instance that a store writes.
    fn reads(&self, forms: &mut Forms<'_>, store: &Store, claim: &Claim) -> Vec<Read> {
        let decl = forms.pool.func(store.func).clone();
        let Some(stage) = decl.stages().get(claim.stage) else { return Vec::new() };
        let mut env = environment(forms, &decl.args, stage, claim);
        match stage.values.get(store.component) {
            Some(value) => demand::reads(forms, self.sites, &[*value], &mut env),
            None => Vec::new(),
        }
    }

    /// Infers the beginning of a buffer whose elements with these indices have these coordinates,
    /// in some order.
    fn begin(
        &mut self,
        forms: &mut Forms<'_>,
        buffer: BufferId,
        flats: &[Flat],
        coords: &[&Vec<Form>],
    ) {
        let Some(layout) = self.found.layouts.get(&buffer) else { return };
        if layout.is_known() {
            return;
        }
        if layout.shapeless.is_some() {
            let pairs = paired(forms, flats, coords);
            if !pairs.is_empty() {
                self.evidence.entry(buffer).or_default().extend(pairs);
            }
            return;
        }
        let scope = &self.sites.scopes[&buffer];
        let ways =
            [false, true].map(|keeps| self.begins(forms, layout, scope, (flats, coords), keeps));
        let [(begins, seen), (others, seen_otherwise)] = ways;
        let begins = if seen_otherwise > seen { others } else { begins };
        if let Some(layout) = self.found.layouts.get_mut(&buffer) {
            layout.begins = begins;
        }
    }

    /// The beginnings of dimensions, with the unknown ones inferred, and the number of elements
    /// that support them.
    fn begins(
        &self,
        forms: &mut Forms<'_>,
        layout: &Layout,
        scope: &[VarId],
        (flats, coords): (&[Flat], &[&Vec<Form>]),
        keeps: bool,
    ) -> (Vec<Begin>, usize) {
        let slots: Vec<Vec<Form>> =
            flats.iter().map(|flat| layout.slots(forms, flat, keeps)).collect();
        let mut begins = layout.begins.clone();
        let mut seen = 0;
        for (dim, begin) in begins.iter_mut().enumerate() {
            if *begin != Begin::Unknown {
                continue;
            }
            let mut tally: IndexMap<Form, usize> = IndexMap::default();
            for slot in &slots {
                let mut own: Vec<Form> = Vec::new();
                for coord in coords {
                    let Some(coord) = coord.get(dim) else { continue };
                    let min = coord.clone().minus(&slot[dim]);
                    let inside = forms.form_vars(&min).into_iter().all(|var| {
                        var != forms.lane
                            && (!self.sites.loops.contains(&var) || scope.contains(&var))
                    });
                    if inside && !own.contains(&min) {
                        own.push(min);
                    }
                }
                for min in own {
                    *tally.entry(min).or_insert(0) += 1;
                }
            }
            let best = tally.into_iter().fold(None, |best: Option<(Form, usize)>, (min, count)| {
                if best.as_ref().is_none_or(|(_, most)| count > *most) {
                    Some((min, count))
                } else {
                    best
                }
            });
            if let Some((min, count)) = best {
                *begin = Begin::At(min);
                seen += count;
                continue;
            }
            let Some(by) = layout.extents[dim].as_constant().filter(|by| *by > 0) else { continue };
            let factor = Form::constant(by);
            let congruent = slots.iter().all(|slot| {
                coords.iter().any(|coord| {
                    coord.get(dim).is_some_and(|coord| forms.remainder(coord, &factor) == slot[dim])
                })
            });
            if congruent && !slots.is_empty() {
                *begin = Begin::Folded(by);
                seen += slots.len();
            }
        }
        (begins, seen)
    }

    /// The beginnings that stores say their memory has, where these are before the known ones at
    /// all sampled sizes, or the same, and before them at some.
    fn earlier(&self, forms: &mut Forms<'_>) -> Begins {
        let mut earlier = Begins::default();
        for store in &self.sites.stores {
            let (Some(claim), Some(layout)) =
                (self.found.stores.get(&store.stmt), self.found.layouts.get(&store.buffer))
            else {
                continue;
            };
            if forms.pool.buffer(store.buffer).kind != BufferKind::Internal {
                continue;
            }
            let own = Layout::of(forms, self.sites, store.buffer);
            if own.shapeless.is_some() {
                continue;
            }
            let scope = &self.sites.scopes[&store.buffer];
            let seen = (std::slice::from_ref(&store.flat), [&claim.coords]);
            let (begins, _) = self.begins(forms, &own, scope, (seen.0, &seen.1), false);
            for (dim, begin) in begins.iter().enumerate() {
                let (Begin::At(begin), Begin::At(known)) = (begin, &layout.begins[dim]) else {
                    continue;
                };
                let known = earlier.get(&(store.buffer, dim)).unwrap_or(known);
                let distance = known.clone().minus(begin);
                let is_earlier = distance.as_constant().is_none()
                    && span(forms, &distance)
                        .is_some_and(|(least, greatest)| least >= 0 && greatest > 0);
                if is_earlier {
                    earlier.insert((store.buffer, dim), begin.clone());
                }
            }
        }
        earlier
    }

    /// Determines the read that each load performs, from the stores that use it.
    fn loads(&mut self, forms: &mut Forms<'_>) {
        for store in &self.sites.stores {
            let Some(claim) = self.found.stores.get(&store.stmt).cloned() else { continue };
            let reads = self.reads(forms, store, &claim);
            for load in &store.loads {
                let load = &self.sites.loads[load];
                let Some(layout) = self.found.layouts.get(&load.buffer) else { continue };
                let decl = forms.pool.buffer(load.buffer);
                let of = (decl.func, decl.component);
                if self.found.loads.contains_key(&load.expr) || !layout.is_known() {
                    continue;
                }
                if let Some(read) = matching(forms, layout, of, load, &reads) {
                    self.found.loads.insert(load.expr, read.coords.clone());
                }
            }
        }
    }
}

/// A load with its known coordinates.
struct Known {
    func: FuncId,
    component: usize,
    coords: Vec<Option<Form>>,
}

/// The values of a stage's variables in the instance that a claim names.
pub(super) fn environment(
    forms: &mut Forms<'_>,
    args: &[VarId],
    stage: &Stage,
    claim: &Claim,
) -> Env {
    let mut values = Vec::new();
    for ((lhs, arg), coord) in stage.lhs.iter().zip(args).zip(&claim.coords) {
        if *forms.pool.get(*lhs) == Expr::Var(*arg) {
            values.push((*arg, coord.clone()));
        }
    }
    for (variable, value) in stage.domain.iter().zip(&claim.point) {
        values.push((variable.var, value.clone()));
    }
    Env::of(values)
}

/// The values of a variable for which a form equals one of `values`. The form must not mention
/// other unknowns.
fn solved<'f>(
    forms: &mut Forms<'_>,
    form: &Form,
    var: VarId,
    unknown: &[VarId],
    values: impl IntoIterator<Item = &'f Form>,
) -> Vec<Form> {
    let mut found = Vec::new();
    if !forms.depends(form, var)
        || unknown.iter().any(|other| *other != var && forms.depends(form, *other))
    {
        return found;
    }
    let Some((factor, rest)) = forms.affine(form, var) else { return found };
    let Some(by) = factor.as_constant().filter(|by| *by != 0) else { return found };
    for value in values {
        let mut difference = value.clone().minus(&rest);
        if by < 0 {
            difference = Form::default().minus(&difference);
        }
        let (quotient, remainder) = difference.divided(&Form::constant(by.abs()));
        if remainder.is_zero() && !found.contains(&quotient) {
            found.push(quotient);
        }
    }
    found
}

/// Pairs elements with coordinates where the assignment is unique: there is one of each, or no
/// other element mentions the same loops.
fn paired(forms: &mut Forms<'_>, flats: &[Flat], coords: &[&Vec<Form>]) -> Vec<Element> {
    if let ([flat], [coords]) = (flats, coords) {
        return vec![(flat.clone(), (*coords).clone())];
    }
    let mut own: Vec<IndexSet<VarId>> = Vec::new();
    for flat in flats {
        own.push(forms.form_vars(&flat.form));
    }
    let all: IndexSet<VarId> = own.iter().flatten().copied().collect();
    let mut theirs: Vec<IndexSet<VarId>> = Vec::new();
    for coords in coords {
        let mut vars = IndexSet::default();
        for coord in *coords {
            vars.extend(forms.form_vars(coord).into_iter().filter(|var| all.contains(var)));
        }
        theirs.push(vars);
    }
    let mut found = Vec::new();
    for (flat, vars) in flats.iter().zip(&own) {
        let is_alone = own.iter().filter(|others| *others == vars).count() == 1;
        let mut same = coords.iter().zip(&theirs).filter(|(_, others)| *others == vars);
        if let (true, Some((coords, _)), None) = (is_alone, same.next(), same.next()) {
            found.push((flat.clone(), (*coords).clone()));
        }
    }
    found
}

/// The forms that result from replacing one or two of the minima by an operand.
fn ways_decided(forms: &mut Forms<'_>, form: &Form) -> Vec<Form> {
    let once = forms.decided(form);
    let mut twice = Vec::new();
    for way in &once {
        twice.extend(forms.decided(way));
    }
    [once, twice].concat()
}

/// The forms that result from replacing minima around a variable by the operand that mentions it.
fn ways_unclamped(forms: &mut Forms<'_>, form: &Form, var: VarId) -> Vec<Form> {
    let mut ways = vec![form.clone()];
    let mut found = Vec::new();
    // A clamp is a minimum in a maximum.
    for _ in 0..2 {
        let mut next = Vec::new();
        for way in ways {
            if forms.clamps(&way, var) {
                next.extend(forms.decided(&way));
            }
        }
        next.retain(|way| forms.depends(way, var));
        found.extend(next.iter().filter(|way| !found.contains(*way)).cloned().collect::<Vec<_>>());
        ways = next;
    }
    found
}

/// The read that a load performs.
fn matching<'r>(
    forms: &mut Forms<'_>,
    layout: &Layout,
    (func, component): (FuncId, usize),
    load: &Load,
    reads: &'r [Read],
) -> Option<&'r Read> {
    reads.iter().find(|read| {
        (read.func, read.component) == (func, component)
            && layout.flat(forms, &read.coords).as_ref() == Some(&load.flat.form)
    })
}

/// The value of a stage's variable, if a loop around the store is named after it.
fn named(
    forms: &mut Forms<'_>,
    store: &Store,
    var: VarId,
    (stage, func): (usize, &str),
) -> Option<Form> {
    let name = format!("{func}.s{stage}.{}", forms.pool.var(var).name);
    let called = |var: VarId| forms.pool.var(var).name == name;
    let found = store.loops.iter().rev().find_map(|of| {
        let named = of.named.filter(|named| called(*named));
        named.or(Some(of.var).filter(|own| called(*own)))
    });
    let value = forms.pool.var_expr(found?);
    Some(forms.form(value))
}

/// The value of a reduction variable, if a loop around the store is named after it and counts from
/// 0.
fn rebased(
    forms: &mut Forms<'_>,
    store: &Store,
    domain: &ReductionVar,
    (stage, func): (usize, &str),
) -> Option<Form> {
    let name = format!("{func}.s{stage}.{}{REBASED}", forms.pool.var(domain.var).name);
    let mut loops = store.loops.iter().rev();
    let found = loops.find(|of| forms.pool.var(of.var).name == name)?;
    let (own, min) = (forms.variable(found.var), forms.form(domain.min));
    Some(own.plus(&min, 1))
}

/// The stage in the name of the innermost loop of the func around a store.
fn named_stage(forms: &Forms<'_>, store: &Store, func: &str) -> Option<usize> {
    store.loops.iter().rev().find_map(|of| {
        let rest = forms.pool.var(of.var).name.strip_prefix(func)?.strip_prefix(".s")?;
        rest.split('.').next()?.parse().ok()
    })
}
