//! Directives that rewrite the algorithm before it is lowered: wrappers, and `rfactor`.
//!
//! Each makes an algorithm with new funcs in which every func of the previous algorithm has the
//! same values. Funcs whose definition changes get a new id and keep their name and their
//! variables. Nothing is trusted: the validator compares each algorithm with the previous one.

mod factor;
mod wrap;

use halidom_base::{FxHashMap, IndexMap};
use halidom_ir::{
    Action, Algorithm, Directive, Expr, ExprId, FuncDecl, FuncId, FuncKind, LoopLevel, Pool,
    ReductionVar, Schedule, Stage,
};

use crate::error::{Result, ScheduleError};
use crate::nest::{Extent, Lowered, lower_algorithm};
use crate::reduction::Oracle;

/// An algorithm rewritten according to its schedule.
#[derive(Clone, Debug)]
pub struct Transformed {
    /// The algorithm after each rewriting, in order; empty if the schedule rewrites nothing.
    pub steps: Vec<Algorithm>,
    /// The remaining schedule, for the funcs of the last algorithm.
    pub schedule: Schedule,
}

impl Transformed {
    /// Returns the algorithm to be lowered.
    pub fn last<'a>(&'a self, original: &'a Algorithm) -> &'a Algorithm {
        self.steps.last().unwrap_or(original)
    }

    /// Returns the lowered form of the last algorithm.
    pub fn lower(&self, pool: &mut Pool, original: &Algorithm) -> Lowered {
        let last = self.last(original);
        let mut lowered = lower_algorithm(pool, last);
        let named = |name: &str| last.funcs.iter().find(|func| pool.func(**func).name == name);
        let kept = |extent: ExprId| {
            let stages = last.funcs.iter().flat_map(|func| pool.func(*func).stages());
            stages.flat_map(|stage| &stage.domain).any(|variable| variable.extent == extent)
        };
        for earlier in &original.funcs {
            let decl = pool.func(*earlier);
            let Some(func) = named(&decl.name) else { continue };
            for (stage, found) in decl.stages().iter().enumerate() {
                for (number, variable) in found.domain.iter().enumerate() {
                    if !kept(variable.extent) {
                        lowered.extents.push(Extent {
                            original: *earlier,
                            func: *func,
                            stage,
                            variable: number,
                            value: variable.extent,
                        });
                    }
                }
            }
        }
        lowered
    }
}

/// Applies the rewriting directives of a schedule to an algorithm, in their order.
///
/// # Errors
/// Rewritings that are not allowed; the others are made.
pub fn transform(
    pool: &mut Pool,
    algorithm: &Algorithm,
    schedule: &Schedule,
) -> std::result::Result<Transformed, Vec<ScheduleError>> {
    transform_with(&mut Oracle::default(), pool, algorithm, schedule)
}

/// Like [`transform`], with a solver that may have been asked before.
///
/// # Errors
/// As [`transform`].
pub fn transform_with(
    oracle: &mut Oracle,
    pool: &mut Pool,
    algorithm: &Algorithm,
    schedule: &Schedule,
) -> std::result::Result<Transformed, Vec<ScheduleError>> {
    let mut transformer = Transformer {
        pool,
        current: algorithm.clone(),
        steps: Vec::new(),
        ids: IndexMap::default(),
        directives: Vec::new(),
        oracle,
    };
    let mut errors = Vec::new();
    for directive in &schedule.directives {
        if let Action::Wrap { wrapper, users } = &directive.action {
            errors.extend(transformer.wrap(directive, *wrapper, users).err());
        } else if let Action::Factor { vars, partial } = &directive.action {
            errors.extend(transformer.factor(directive, vars, *partial).err());
        } else {
            transformer.directives.push(directive.clone());
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let Transformer { steps, ids, directives, .. } = transformer;
    let directives = directives.iter().map(|directive| readdress(directive, &ids)).collect();
    Ok(Transformed { steps, schedule: Schedule { name: schedule.name.clone(), directives } })
}

/// A rewriting in progress.
struct Transformer<'a> {
    pool: &'a mut Pool,
    current: Algorithm,
    steps: Vec<Algorithm>,
    /// Maps a func that the schedule names to the func that stands for it.
    ids: IndexMap<FuncId, FuncId>,
    /// The directives that are left.
    directives: Vec<Directive>,
    oracle: &'a mut Oracle,
}

/// The changes that a rewriting makes.
#[derive(Default)]
struct Change {
    /// Definitions to be replaced, in terms of present ids; a func's own id stands for itself.
    stages: FxHashMap<FuncId, Vec<Stage>>,
    /// A new func, to come after the first of these and before the funcs that need it.
    added: Option<(FuncId, FuncId)>,
}

impl Transformer<'_> {
    /// Returns the func that stands for a func of the schedule at present.
    fn now(&self, func: FuncId) -> FuncId {
        self.ids.get(&func).copied().unwrap_or(func)
    }

    fn name(&self, func: FuncId) -> String {
        self.pool.func(func).name.clone()
    }

    /// Makes the next algorithm: funcs that change, or that read a changed one, are declared anew.
    fn step(&mut self, change: &Change) {
        let mut renamed: IndexMap<FuncId, FuncId> = IndexMap::default();
        let mut funcs = Vec::new();
        // A wrapper of an input comes first.
        if let Some((added, after)) = change.added
            && !self.current.funcs.contains(&after)
        {
            funcs.push(added);
        }
        for func in self.current.funcs.clone() {
            if let Some((added, after)) = change.added
                && after == func
                && !reads_later(self.pool, change, func, added)
            {
                let next = self.copy(func, change, &mut renamed);
                funcs.push(next);
                funcs.push(self.copy(added, change, &mut renamed));
                continue;
            }
            if let Some((added, after)) = change.added
                && after == func
            {
                funcs.push(self.copy(added, change, &mut renamed));
            }
            let next = self.copy(func, change, &mut renamed);
            funcs.push(next);
        }
        let outputs = self.current.outputs.iter();
        let outputs = outputs.map(|output| renamed.get(output).copied().unwrap_or(*output));
        let outputs = outputs.collect();
        self.current = Algorithm { funcs, outputs, ..self.current.clone() };
        for id in self.ids.values_mut() {
            *id = renamed.get(id).copied().unwrap_or(*id);
        }
        for (from, to) in renamed {
            self.ids.entry(from).or_insert(to);
        }
        self.steps.push(self.current.clone());
    }

    /// Returns the func itself if nothing in its definition changes, else a new one.
    fn copy(
        &mut self,
        func: FuncId,
        change: &Change,
        renamed: &mut IndexMap<FuncId, FuncId>,
    ) -> FuncId {
        let decl = self.pool.func(func).clone();
        let FuncKind::Defined { stages, synthetic } = decl.kind else { return func };
        let replaced = change.stages.get(&func);
        let stages = replaced.unwrap_or(&stages);
        let reads_renamed = stages.iter().flat_map(Stage::roots).any(|root| {
            let mut found = false;
            self.pool.for_each_subexpr(root, &mut |_, expr| {
                found |= matches!(expr, Expr::Ref { func, .. } if renamed.contains_key(func));
            });
            found
        });
        if replaced.is_none() && !reads_renamed {
            return func;
        }
        let kind = FuncKind::Defined { stages: Vec::new(), synthetic };
        let next = self.pool.declare_func(FuncDecl { kind, ..decl });
        renamed.insert(func, next);
        let stages = stages.iter().map(|stage| self.redirect(stage, renamed)).collect();
        self.pool.define_func(next, FuncKind::Defined { stages, synthetic });
        next
    }

    /// Redirects the references in a stage to other funcs.
    fn redirect(&mut self, stage: &Stage, to: &IndexMap<FuncId, FuncId>) -> Stage {
        let mut memo = FxHashMap::default();
        let mut expr = |id: ExprId| {
            self.pool.rewrite_bottom_up(id, &mut memo, &mut |pool, id, expr| match expr {
                Expr::Ref { func, component, args } => match to.get(func) {
                    Some(next) => {
                        let (component, args) = (*component, args.clone());
                        pool.func_ref(*next, component, args)
                    }
                    None => id,
                },
                Expr::Const(_)
                | Expr::Var(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Apply { .. }
                | Expr::Load { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. }
                | Expr::Hole(_) => id,
            })
        };
        Stage {
            domain: stage.domain.clone(),
            predicate: stage.predicate.map(&mut expr),
            lhs: stage.lhs.iter().map(|id| expr(*id)).collect(),
            values: stage.values.iter().map(|id| expr(*id)).collect(),
        }
    }
}

/// True if a func, in its new definition, reads the added one, which must then come before it.
fn reads_later(pool: &Pool, change: &Change, func: FuncId, added: FuncId) -> bool {
    let stages = change.stages.get(&func).map(Vec::as_slice);
    let stages = stages.unwrap_or_else(|| pool.func(func).stages());
    stages.iter().flat_map(Stage::roots).any(|root| reads(pool, root, added))
}

/// True if an expression reads a func.
fn reads(pool: &Pool, root: ExprId, func: FuncId) -> bool {
    halidom_encode::law::reads(pool, root, func)
}

/// Returns a domain without some of its variables.
fn without(domain: &[ReductionVar], gone: &[usize]) -> Vec<ReductionVar> {
    let kept = domain.iter().enumerate().filter(|(position, _)| !gone.contains(position));
    kept.map(|(_, variable)| *variable).collect()
}

/// Replaces the funcs that a directive names with those that stand for them.
fn readdress(directive: &Directive, ids: &IndexMap<FuncId, FuncId>) -> Directive {
    let now = |func: FuncId| ids.get(&func).copied().unwrap_or(func);
    let level = |level: &LoopLevel| LoopLevel { func: now(level.func), ..level.clone() };
    let action = if let Action::Specialize { condition, directives } = &directive.action {
        let directives = directives.iter().map(|inner| readdress(inner, ids)).collect();
        Action::Specialize { condition: *condition, directives }
    } else if let Action::ComputeAt(at) = &directive.action {
        Action::ComputeAt(level(at))
    } else if let Action::StoreAt(at) = &directive.action {
        Action::StoreAt(level(at))
    } else if let Action::HoistStorage(at) = &directive.action {
        Action::HoistStorage(at.as_ref().map(level))
    } else {
        directive.action.clone()
    };
    Directive { func: now(directive.func), action, ..directive.clone() }
}

/// Makes the error of a refused rewriting.
fn refusal<T>(
    code: &'static str,
    directive: &Directive,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> Result<T> {
    Err(ScheduleError::new(code, directive.origin, message, hint))
}
