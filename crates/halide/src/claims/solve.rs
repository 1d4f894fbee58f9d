//! Infers the instance that each store writes and the beginnings of buffers, each from the other.

use std::cell::RefCell;
use std::rc::Rc;

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_ir::{BufferId, BufferKind, Expr, ExprId, FuncId, Scalar, Stmt, StmtId, VarId};

use super::demand::{self, Read};
use super::form::Form;
use super::forms::{Env, Forms};
use super::found::{Claim, Found};
use super::hints::{self, Hints};
use super::layout::{Begin, Element, Layout};
use super::sites::{Flat, Load, Sites, Store};
use super::unknowns::{environment, is_nowhere, matching, named_stage, paired};

/// The coordinates of an element, as far as they are known.
type Coords = Vec<Option<Form>>;

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
        any_stage: false,
        evidence: IndexMap::default(),
        changes: FxHashMap::default(),
        failed: FxHashMap::default(),
        performed: FxHashMap::default(),
        coords: RefCell::default(),
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
            let basis = solver.basis(forms, store);
            if solver.failed.get(&store.stmt) == Some(&basis) {
                continue;
            }
            if let Some(claim) = solver.claim(forms, store) {
                solver.learn(forms, store, &claim);
                solver.found.stores.insert(store.stmt, claim);
                progress = true;
            } else {
                solver.failed.insert(store.stmt, basis);
            }
        }
        if progress {
            (solver.eager, solver.any_stage) = (false, false);
            continue;
        }
        // A shape supported by all elements comes before guesses, any other shape after them.
        if !solver.shape(forms, true) {
            if !solver.eager {
                solver.eager = true;
                continue;
            }
            if !solver.any_stage {
                solver.any_stage = true;
                continue;
            }
            if !solver.named_begins(forms) && !solver.shape(forms, false) {
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
        let layout = layout.under(forms, &load.fixed);
        let coords: Option<Vec<Form>> =
            layout.coords(forms, &load.flat, false).into_iter().collect();
        if let Some(coords) = coords {
            found.loads.insert(load.expr, coords);
        }
    }
}

pub(super) struct Solver<'s> {
    pub(super) sites: &'s Sites,
    pub(super) found: Found,
    pub(super) demanded: Demanded,
    /// True while weaker evidence counts because nothing else was found, such as the coordinates
    /// that a store to the same element claims.
    pub(super) eager: bool,
    /// True while a store in a loop with the name of a stage may belong to another stage: nothing
    /// was found for the named one. There may be hundreds of stages.
    any_stage: bool,
    /// Elements with known coordinates, for memory that may have any shape.
    evidence: IndexMap<BufferId, Vec<Element>>,
    /// The number of times that more became known about memory.
    changes: FxHashMap<BufferId, usize>,
    /// Stores without a claim, and what was known when none was found.
    failed: FxHashMap<StmtId, Basis>,
    /// The reads of the instances that stores write.
    performed: FxHashMap<StmtId, Rc<[Read]>>,
    /// The coordinates of loads, each with the number of changes of its memory before.
    coords: RefCell<FxHashMap<ExprId, (usize, Coords)>>,
}

/// Counts of the facts on which the claim of a store depends: the memory that it accesses, the
/// demands for its func, and, where weaker evidence counts, the other claims.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Basis {
    changes: usize,
    demands: usize,
    others: Option<usize>,
    any_stage: bool,
}

impl Solver<'_> {
    fn basis(&self, forms: &Forms<'_>, store: &Store) -> Basis {
        let mut changes = self.changes.get(&store.buffer).copied().unwrap_or(0);
        let mut others = self.eager;
        for load in &store.loads {
            let load = &self.sites.loads[load];
            changes += self.changes.get(&load.buffer).copied().unwrap_or(0);
            others |= is_nowhere(forms, load);
        }
        let demands = self.demanded.get(&(store.func, store.component)).map_or(0, Vec::len);
        let others = others.then_some(self.found.stores.len());
        Basis { changes, demands, others, any_stage: self.any_stage }
    }

    /// The coordinates of a load, as far as the layout of its memory tells them. `None` if that has
    /// no layout.
    pub(super) fn coords(&self, forms: &mut Forms<'_>, load: &Load) -> Option<Coords> {
        let changes = self.changes.get(&load.buffer).copied().unwrap_or(0);
        if let Some((at, coords)) = self.coords.borrow().get(&load.expr)
            && *at == changes
        {
            return Some(coords.clone());
        }
        let layout = self.found.layouts.get(&load.buffer)?.under(forms, &load.fixed);
        let coords = layout.coords(forms, &load.flat, false);
        self.coords.borrow_mut().insert(load.expr, (changes, coords.clone()));
        Some(coords)
    }

    fn changed(&mut self, buffer: BufferId) {
        *self.changes.entry(buffer).or_insert(0) += 1;
    }

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
                layout.shape(forms, &evidence, &self.sites.indices(buffer));
                self.changed(buffer);
                any = true;
            }
        }
        if !any && !complete {
            // No element has known coordinates.
            let mut shaped = Vec::new();
            for (buffer, layout) in &mut self.found.layouts {
                if layout.shapeless.is_some() {
                    layout.shape(forms, &[], &self.sites.indices(*buffer));
                    shaped.push(*buffer);
                }
            }
            any = !shaped.is_empty();
            for buffer in shaped {
                self.changed(buffer);
            }
        }
        any
    }

    /// Takes beginnings that nothing else determines from their names in the statement, as those of
    /// memory that is read where data say. Returns true if there were any.
    fn named_begins(&mut self, forms: &mut Forms<'_>) -> bool {
        let mut named = Vec::new();
        for (buffer, layout) in &mut self.found.layouts {
            for (dim, begin) in layout.begins.iter_mut().enumerate() {
                let Some(min) = self.sites.begins.get(&(*buffer, dim)) else { continue };
                if *begin == Begin::Unknown && layout.shapeless.is_none() {
                    // A machine integer has no form of its own.
                    let min = forms.pool.var_expr(*min);
                    let min = forms.pool.cast(Scalar::Int, min);
                    *begin = Begin::At(forms.form(min));
                    named.push(*buffer);
                }
            }
        }
        let any = !named.is_empty();
        for buffer in named {
            self.changed(buffer);
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
        // A value without loads fits any stage that reads nothing, so it has to be the stage's. A
        // store outside of named loops follows the stages that have them.
        let is_plain = store.loads.is_empty() && decl.stages().len() > 1;
        let before = self.sites.stores.iter().take_while(|other| other.stmt != store.stmt);
        let before = before.filter(|other| other.buffer == store.buffer);
        let before = before.filter_map(|other| named_stage(forms, other, &decl.name)).max();
        let mut stages: Vec<usize> = (0..decl.stages().len()).collect();
        stages.sort_by_key(|stage| {
            let is_past = is_plain && before.is_some_and(|before| *stage <= before);
            (Some(*stage) != named, (*stage > 0) != own && !is_plain, is_past, *stage)
        });
        // More may become known before another stage than the named one is tried.
        if !self.any_stage && named.is_some() {
            stages.truncate(1);
        }
        let mut best: Option<(usize, Claim)> = None;
        for stage in stages {
            for keeps in [false, true] {
                let Some(layout) = self.found.layouts.get(&store.buffer) else { continue };
                let layout = layout.under(forms, &store.fixed);
                let Some((claim, unmatched)) = self.attempt(forms, store, (stage, &layout), keeps)
                else {
                    continue;
                };
                if unmatched == 0 && (!is_plain || self.fits(forms, store, &claim)) {
                    return Some(claim);
                }
                if best.as_ref().is_none_or(|(least, _)| unmatched < *least) {
                    best = Some((unmatched, claim));
                }
            }
        }
        // Other stores may tell first where the memory begins.
        best.filter(|_| !is_plain || self.eager).map(|(_, claim)| claim)
    }

    /// Tests whether the instance that a claim names has the place and the value of a store.
    fn fits(&self, forms: &mut Forms<'_>, store: &Store, claim: &Claim) -> bool {
        let layout = self.found.layouts[&store.buffer].under(forms, &store.fixed);
        if layout.is_known() && layout.flat(forms, &claim.coords).as_ref() != Some(&store.flat.form)
        {
            return false;
        }
        let decl = forms.pool.func(store.func).clone();
        let stage = &decl.stages()[claim.stage];
        let mut env = environment(forms, &decl.args, stage, claim);
        let specified = stage.values.get(store.component).copied();
        let specified = specified.map(|value| forms.settled(value, &mut env));
        let Stmt::Store { value, .. } = *forms.pool.get_stmt(store.stmt) else { return false };
        let stored = forms.settled(value, &mut Env::default());
        let scalar = if let Expr::Broadcast { value, .. } = forms.pool.get(stored) {
            *value
        } else {
            stored
        };
        specified == Some(scalar)
    }

    /// Records the consequences of a claim for the buffers that its store writes and reads.
    fn learn(&mut self, forms: &mut Forms<'_>, store: &Store, claim: &Claim) {
        let reads = self.reads(forms, store, claim);
        for read in reads.iter() {
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
    fn reads(&mut self, forms: &mut Forms<'_>, store: &Store, claim: &Claim) -> Rc<[Read]> {
        if let Some(known) = self.performed.get(&store.stmt) {
            return Rc::clone(known);
        }
        let reads: Rc<[Read]> = self.reads_of(forms, store, claim).into();
        self.performed.insert(store.stmt, Rc::clone(&reads));
        reads
    }

    fn reads_of(&self, forms: &mut Forms<'_>, store: &Store, claim: &Claim) -> Vec<Read> {
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
        if let Some(layout) = self.found.layouts.get_mut(&buffer)
            && layout.begins != begins
        {
            layout.begins = begins;
            self.changed(buffer);
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
            let by = layout.extents[dim].as_constant().filter(|by| *by > 0);
            let congruent = by.is_some_and(|by| {
                let factor = Form::constant(by);
                !slots.is_empty()
                    && slots.iter().all(|slot| {
                        coords
                            .iter()
                            .filter_map(|coord| coord.get(dim))
                            .any(|coord| forms.remainder(coord, &factor) == slot[dim])
                    })
            });
            // Coordinates modulo the extent are those of a fold, wherever it begins.
            let is_folded =
                by.is_some_and(|by| slots.iter().all(|slot| forms.is_remainder(&slot[dim], by)));
            if let Some(by) = by.filter(|_| congruent && is_folded) {
                *begin = Begin::Folded(by);
                seen += slots.len();
                continue;
            }
            let mut tally: IndexMap<Form, usize> = IndexMap::default();
            // Coordinates that data give tell where the dimension begins if nothing else does.
            for apart in [false, true] {
                if !tally.is_empty() {
                    break;
                }
                for slot in &slots {
                    let mut own: Vec<Form> = Vec::new();
                    for coord in coords {
                        let Some(coord) = coord.get(dim) else { continue };
                        let min = if apart {
                            forms.difference_of_rests(coord, &slot[dim])
                        } else {
                            Some(forms.cancelled(coord.clone().minus(&slot[dim])))
                        };
                        let Some(min) = min else { continue };
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
            if let Some(by) = by.filter(|_| congruent) {
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
            // What a store reads tells which element it writes, wherever its memory begins.
            let read = self.attempt(forms, store, (claim.stage, &own), false);
            let read = read.filter(|(_, unmatched)| *unmatched == 0 && !store.loads.is_empty());
            let coords = read.map_or_else(|| claim.coords.clone(), |(read, _)| read.coords);
            let seen = (std::slice::from_ref(&store.flat), [&coords]);
            let (begins, _) = self.begins(forms, &own, scope, (seen.0, &seen.1), false);
            for (dim, begin) in begins.iter().enumerate() {
                let (Begin::At(begin), Begin::At(known)) = (begin, &layout.begins[dim]) else {
                    continue;
                };
                let known = earlier.get(&(store.buffer, dim)).unwrap_or(known);
                let distance = known.clone().minus(begin);
                let is_earlier = distance.as_constant().is_none()
                    && forms
                        .span(&distance)
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
                let is_internal = decl.kind == BufferKind::Internal;
                let known = self.found.loads.get(&load.expr);
                if !layout.is_known() || (known.is_some() && is_internal) {
                    continue;
                }
                let layout = layout.under(forms, &load.fixed);
                if known.is_some() && !layout.strides.iter().any(Form::is_zero) {
                    continue;
                }
                let Some(read) = matching(forms, &layout, of, load, &reads) else { continue };
                if known.is_none() {
                    self.found.loads.insert(load.expr, read.coords.clone());
                } else if known != Some(&read.coords) {
                    let own = self.found.own.entry(store.stmt).or_default();
                    own.insert(load.expr, read.coords.clone());
                }
            }
        }
    }
}
