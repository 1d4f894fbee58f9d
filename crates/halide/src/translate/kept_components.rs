//! Stages of tuples that leave some components as they are.
//!
//! # Correctness
//! A component of an update keeps its value if it is `undef` everywhere ([`super::undef`]), or if
//! the update gives it its own value. Halide's final statement has no store for it. Here the last
//! store of the stage's other components is followed by one that writes the element's own value
//! back. That changes nothing, wherever it is added; it only gives the stage of the algorithm a
//! store, which a func needs that has no value at some points. The element is read, so it is owed
//! that it lies in its memory.

use halidom_base::{FxHashMap, IndexMap};
use halidom_ir::{BufferId, Expr, ExprId, FuncId, Pool, Stmt, StmtId};

use super::algorithm::Source;

/// Returns a statement with stores for the components that its stages leave alone.
pub(super) fn stored(
    pool: &mut Pool,
    body: StmtId,
    (source, outputs): (&Source, &[BufferId]),
) -> StmtId {
    let mut keeps: FxHashMap<FuncId, Vec<Kept>> = FxHashMap::default();
    // Of any other func, an update that changes nothing is not owed.
    for (func, decl) in pool.funcs().filter(|(_, decl)| decl.is_partial()) {
        let kept = decl.stages().iter().enumerate().filter_map(|(number, stage)| {
            let is_own = |(component, value): &(usize, &ExprId)| {
                matches!(pool.get(**value), Expr::Ref { func: of, component: own, args }
                    if (*of, *own) == (func, *component) && **args == *stage.lhs)
            };
            let own = stage.values.iter().enumerate().filter(is_own);
            let components: Vec<usize> = own.map(|(component, _)| component).collect();
            let is_some = !components.is_empty() && components.len() < stage.values.len();
            let mut lhs = stage.lhs.iter();
            let is_single =
                stage.domain.is_empty() && lhs.all(|coord| pool.as_constant(*coord).is_some());
            // Loops have the pipeline's numbers of stages.
            let stage = number + usize::from(source.skipped.contains(&func));
            let stage = stage.checked_sub(usize::from(source.filled.contains(&func)))?;
            is_some.then_some(Kept { stage, components, is_single })
        });
        let kept: Vec<Kept> = kept.collect();
        if !kept.is_empty() {
            keeps.insert(func, kept);
        }
    }
    if keeps.is_empty() {
        return body;
    }
    let mut memory: FxHashMap<(FuncId, usize), BufferId> = FxHashMap::default();
    for output in outputs {
        let decl = pool.buffer(*output);
        memory.insert((decl.func, decl.component), *output);
    }
    let mut walk = Walk { keeps, memory, loops: Vec::new(), added: FxHashMap::default() };
    let mut groups = Groups::default();
    walk.stmt(pool, body, &mut groups);
    walk.settle(pool, groups);
    let mut added = walk.added;
    rewritten(pool, body, &mut added)
}

/// The components that a stage leaves alone.
struct Kept {
    stage: usize,
    components: Vec<usize>,
    /// True if the stage writes one element, without loops.
    is_single: bool,
}

/// The stores that always run together, by func and index.
type Groups = IndexMap<(FuncId, ExprId), Vec<StmtId>>;

struct Walk {
    keeps: FxHashMap<FuncId, Vec<Kept>>,
    memory: FxHashMap<(FuncId, usize), BufferId>,
    /// The names of the loops around.
    loops: Vec<String>,
    /// The stores to add after a store.
    added: FxHashMap<StmtId, Vec<StmtId>>,
}

impl Walk {
    fn stmt(&mut self, pool: &mut Pool, id: StmtId, groups: &mut Groups) {
        match pool.get_stmt(id).clone() {
            Stmt::Block(parts) => {
                for part in parts {
                    self.stmt(pool, part, groups);
                }
            }
            Stmt::Let { body, .. } | Stmt::Labeled { body, .. } => self.stmt(pool, body, groups),
            Stmt::If { then_branch, else_branch, .. } => {
                self.inner(pool, then_branch);
                if let Some(other) = else_branch {
                    self.inner(pool, other);
                }
            }
            Stmt::For { var, body, .. } => {
                self.loops.push(pool.var(var).name.clone());
                self.inner(pool, body);
                self.loops.pop();
            }
            Stmt::Allocate { buffer, body } => {
                let decl = pool.buffer(buffer);
                let key = (decl.func, decl.component);
                let outer = self.memory.insert(key, buffer);
                self.inner(pool, body);
                match outer {
                    Some(outer) => drop(self.memory.insert(key, outer)),
                    None => drop(self.memory.remove(&key)),
                }
            }
            Stmt::Store { buffer, index, .. } => {
                let func = pool.buffer(buffer).func;
                if self.keeps.contains_key(&func) {
                    groups.entry((func, index)).or_default().push(id);
                }
            }
            Stmt::Assert { .. } | Stmt::Provide { .. } => {}
        }
    }

    fn inner(&mut self, pool: &mut Pool, body: StmtId) {
        let mut groups = Groups::default();
        self.stmt(pool, body, &mut groups);
        self.settle(pool, groups);
    }

    /// Adds the stores that groups lack.
    fn settle(&mut self, pool: &mut Pool, groups: Groups) {
        for ((func, index), stores) in groups {
            let mut run: Vec<StmtId> = Vec::new();
            let mut runs = Vec::new();
            // The components of a stage are stored in their order, so one that is not greater
            // belongs to the next stage.
            for store in stores {
                if run.last().is_some_and(|last| written(pool, *last) >= written(pool, store)) {
                    runs.push(std::mem::take(&mut run));
                }
                run.push(store);
            }
            runs.push(run);
            for run in runs {
                self.add(pool, (func, index), &run);
            }
        }
    }

    fn add(&mut self, pool: &mut Pool, (func, index): (FuncId, ExprId), run: &[StmtId]) {
        let name = &pool.func(func).name;
        let here = self.loops.iter().rev().find_map(|of| {
            let rest = of.strip_prefix(name.as_str())?.strip_prefix(".s")?;
            rest.split('.').next()?.parse::<usize>().ok()
        });
        let present: Vec<usize> = run.iter().map(|store| written(pool, *store)).collect();
        let count = pool.func(func).scalars.len();
        let Some(kept) = self.keeps.get(&func).and_then(|kept| {
            kept.iter().find(|kept| {
                let is_here = here.map_or(kept.is_single, |here| here == kept.stage);
                is_here
                    && (0..count).all(|component| {
                        present.contains(&component) != kept.components.contains(&component)
                    })
            })
        }) else {
            return;
        };
        let Some(last) = run.last() else { return };
        let mut stores = Vec::new();
        for component in &kept.components {
            let Some(buffer) = self.memory.get(&(func, *component)).copied() else { return };
            let value = pool.load(buffer, index, None);
            let store = Stmt::Store { buffer, index, value, prophecy: None, atomic: false };
            stores.push(pool.stmt(store));
        }
        self.added.insert(*last, stores);
    }
}

/// The component that a store writes.
fn written(pool: &Pool, store: StmtId) -> usize {
    let Stmt::Store { buffer, .. } = pool.get_stmt(store) else { return 0 };
    pool.buffer(*buffer).component
}

fn rewritten(pool: &mut Pool, id: StmtId, added: &mut FxHashMap<StmtId, Vec<StmtId>>) -> StmtId {
    if let Some(stores) = added.remove(&id) {
        return pool.stmt(Stmt::Block([&[id], stores.as_slice()].concat()));
    }
    let stmt = pool.get_stmt(id).clone();
    let mut is_same = true;
    let mapped = stmt.map_children(|child| {
        let inner = rewritten(pool, child, added);
        is_same &= inner == child;
        inner
    });
    if is_same { id } else { pool.stmt(mapped) }
}
