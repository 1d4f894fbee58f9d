//! The statements of a program with their surroundings, and the search for the places that compute
//! a func.
//!
//! A place is the largest statement that stores a func and contains no read of it by others;
//! adjacent ones in a block are joined.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BufferId, Constant, ExprId, FuncId, Stmt, StmtId};

use super::forms::{Env, Forms};
use super::sites::{self, Loop, Sites};

/// The place of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Where {
    /// Around a statement.
    Stmt(StmtId),
    /// Around parts of a block, from the first to the last.
    Parts(StmtId, usize, usize),
}

/// The surroundings of a statement.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// The position of the statement in the text.
    pub(super) order: usize,
    pub(super) loops: Vec<Loop>,
    /// The branches around it.
    pub(super) branches: Vec<(StmtId, bool)>,
}

/// The statements of a program.
#[derive(Default)]
pub(super) struct Map {
    pub(super) contexts: FxHashMap<StmtId, Context>,
    /// The last position within a statement.
    pub(super) ends: FxHashMap<StmtId, usize>,
    pub(super) allocations: Vec<(BufferId, StmtId)>,
    /// Stores that never run, whatever the sizes that pass the entry checks are.
    pub(super) dead: FxHashSet<StmtId>,
    pub(super) next: usize,
    pub(super) loops: Vec<Loop>,
    pub(super) branches: Vec<(StmtId, bool)>,
}

impl Map {
    pub(super) fn stmt(&mut self, forms: &Forms<'_>, id: StmtId) {
        let (loops, branches) = (self.loops.clone(), self.branches.clone());
        self.contexts.insert(id, Context { order: self.next, loops, branches });
        self.next += 1;
        match forms.pool.get_stmt(id).clone() {
            Stmt::Block(parts) => parts.into_iter().for_each(|part| self.stmt(forms, part)),
            Stmt::Let { body, .. } | Stmt::Labeled { body, .. } => self.stmt(forms, body),
            Stmt::If { condition, then_branch, else_branch } => {
                self.branches.push((id, true));
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.conditions.push(condition);
                }
                self.stmt(forms, then_branch);
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.conditions.pop();
                }
                self.branches.pop();
                if let Some(other) = else_branch {
                    self.branches.push((id, false));
                    self.stmt(forms, other);
                    self.branches.pop();
                }
            }
            Stmt::For { var, min, extent, body, .. } => {
                self.loops.push(Loop { var, min, extent, conditions: Vec::new(), named: None });
                self.stmt(forms, body);
                self.loops.pop();
            }
            Stmt::Allocate { buffer, body } => {
                self.allocations.push((buffer, body));
                self.stmt(forms, body);
            }
            Stmt::Assert { .. } | Stmt::Provide { .. } | Stmt::Store { .. } => {}
        }
        self.ends.insert(id, self.next - 1);
    }

    /// Finds the stores that never run: those in a branch that is never taken, and those in a loop
    /// that has no iterations.
    pub(super) fn find_dead(&mut self, forms: &mut Forms<'_>, sites: &Sites) {
        let mut never = |(branch, holds): (StmtId, bool)| {
            let Stmt::If { condition, .. } = *forms.pool.get_stmt(branch) else { return false };
            let condition = forms.settled(condition, &mut Env::default());
            forms.pool.as_constant(condition).and_then(Constant::as_bool) == Some(!holds)
        };
        let mut known: FxHashMap<(StmtId, bool), bool> = FxHashMap::default();
        for store in &sites.stores {
            let branches = &self.contexts[&store.stmt].branches;
            if branches.iter().any(|of| *known.entry(*of).or_insert_with(|| never(*of))) {
                self.dead.insert(store.stmt);
            }
        }
        for store in &sites.stores {
            let mut extents = store.loops.iter().map(|of| forms.form(of.extent).as_constant());
            if extents.any(|extent| extent.is_some_and(|extent| extent <= 0)) {
                self.dead.insert(store.stmt);
            }
        }
    }
}

/// The loads that are used outside of the stores of the func that they read.
pub(super) struct Foreign {
    pub(super) loads: FxHashSet<ExprId>,
    pub(super) buffers: FxHashMap<ExprId, BufferId>,
    pub(super) stores: FxHashMap<StmtId, Vec<ExprId>>,
}

impl Foreign {
    pub(super) fn of(forms: &Forms<'_>, sites: &Sites) -> Self {
        let funcs: FxHashMap<ExprId, FuncId> = sites
            .loads
            .values()
            .map(|load| (load.expr, forms.pool.buffer(load.buffer).func))
            .collect();
        let buffers = sites.loads.values().map(|load| (load.expr, load.buffer)).collect();
        // Loads that no store uses occur in conditions and bounds.
        let mut loads: FxHashSet<ExprId> = funcs.keys().copied().collect();
        for store in &sites.stores {
            for load in &store.loads {
                if funcs.get(load) == Some(&store.func) {
                    loads.remove(load);
                }
            }
        }
        let mut stores: FxHashMap<StmtId, Vec<ExprId>> = FxHashMap::default();
        for store in &sites.stores {
            for load in &store.loads {
                if funcs.get(load) != Some(&store.func) {
                    loads.insert(*load);
                }
            }
            stores.insert(store.stmt, store.loads.clone());
        }
        Self { loads, buffers, stores }
    }
}

/// The contents of a statement.
#[derive(Clone, Copy, Default)]
pub(super) struct Holds {
    pub(super) stores: bool,
    /// Stores of other funcs.
    others: bool,
    /// Reads by others, entry checks, or the allocation of the func's memory: no place of the func
    /// contains them.
    outside: bool,
}

/// A place, with its surroundings.
pub(super) struct Spot {
    pub(super) at: Where,
    pub(super) context: Context,
    /// The last position within it.
    pub(super) end: usize,
}

pub(super) struct Search<'a> {
    map: &'a Map,
    foreign: &'a Foreign,
    /// One buffer for each component.
    pub(super) buffers: &'a [BufferId],
    known: FxHashMap<StmtId, Holds>,
    pub(super) spots: Vec<Spot>,
}

impl<'a> Search<'a> {
    pub(super) fn new(map: &'a Map, foreign: &'a Foreign, buffers: &'a [BufferId]) -> Self {
        Self { map, foreign, buffers, known: FxHashMap::default(), spots: Vec::new() }
    }

    /// Tests whether an expression reads the func on behalf of others, through names.
    fn reads(&self, forms: &Forms<'_>, expr: ExprId) -> bool {
        let mut loads = Vec::new();
        sites::reads(forms, expr, &mut FxHashSet::default(), &mut loads);
        loads.into_iter().any(|id| {
            let buffer = self.foreign.buffers.get(&id);
            buffer.is_some_and(|buffer| self.buffers.contains(buffer))
                && self.foreign.loads.contains(&id)
        })
    }

    fn holds(&mut self, forms: &Forms<'_>, id: StmtId) -> Holds {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let stmt = forms.pool.get_stmt(id).clone();
        let mut holds = Holds::default();
        if let Stmt::Allocate { buffer, .. } = stmt {
            holds.outside = self.buffers.contains(&buffer);
        } else if let Stmt::Assert { .. } = stmt {
            holds.outside = true;
        } else if let Stmt::Store { buffer, .. } = stmt {
            let loads = self.foreign.stores.get(&id);
            let reads = loads.into_iter().flatten();
            let mut reads = reads
                .filter_map(|load| self.foreign.buffers.get(load))
                .filter(|buffer| self.buffers.contains(buffer));
            holds.stores = self.buffers.contains(&buffer);
            holds.others = !holds.stores;
            holds.outside = !holds.stores && reads.next().is_some();
        } else if let Stmt::Let { .. } = stmt {
            // What it reads counts where its name is used.
        } else {
            stmt.for_each_expr(forms.pool, &mut |_, expr| holds.outside |= self.reads(forms, expr));
        }
        let mut own = matches!(stmt, Stmt::If { .. });
        for part in stmt.children() {
            let part = self.holds(forms, part);
            own &= part.stores && !part.others && !part.outside;
            holds.stores |= part.stores;
            holds.others |= part.others;
            holds.outside |= part.outside;
        }
        // A condition decides about updates of the func alone: it is a part of them.
        holds.outside &= !own;
        self.known.insert(id, holds);
        holds
    }

    pub(super) fn place(&mut self, forms: &Forms<'_>, id: StmtId) {
        let holds = self.holds(forms, id);
        if !holds.stores {
            return;
        }
        if !holds.outside {
            let spot = Spot {
                at: Where::Stmt(id),
                context: self.map.contexts[&id].clone(),
                end: self.map.ends[&id],
            };
            self.spots.push(spot);
            return;
        }
        let stmt = forms.pool.get_stmt(id).clone();
        let Stmt::Block(parts) = stmt else {
            return stmt.children().for_each(|child| self.place(forms, child));
        };
        let mut run: Option<(usize, usize)> = None;
        for (number, part) in parts.iter().enumerate() {
            let holds = self.holds(forms, *part);
            if holds.outside {
                self.run(id, &parts, run.take());
                self.place(forms, *part);
            } else if holds.stores {
                run = Some((run.map_or(number, |(first, _)| first), number));
            }
        }
        self.run(id, &parts, run);
    }

    fn run(&mut self, block: StmtId, parts: &[StmtId], run: Option<(usize, usize)>) {
        let Some((first, last)) = run else { return };
        let at = if first == last {
            Where::Stmt(parts[first])
        } else {
            Where::Parts(block, first, last)
        };
        let context = self.map.contexts[&parts[first]].clone();
        self.spots.push(Spot { at, context, end: self.map.ends[&parts[last]] });
    }
}
