//! A schedule as loops: the place of each func, and the loops of each stage, with their sizes as
//! far as the schedule states them.

use halidom_base::FxHashMap;
use halidom_ir::{Action, Directive, ExprId, LoopKind, LoopLevel, Pool, Schedule, StoreIn, Tail};

use crate::form::Reader;
use crate::problem::{Func, Problem};

/// The reason why a schedule has no estimate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEstimate {
    /// The estimate does not describe this directive.
    #[error("the estimate does not describe `{0}`")]
    Directive(&'static str),
    /// A directive names a loop that does not exist.
    #[error("there is no loop `{0}`")]
    NoLoop(String),
    /// A func is read outside of the loop in which it is computed.
    #[error("`{0}` is read outside of the loop in which it is computed")]
    Outside(String),
    /// One value needs too many others that are inline.
    #[error("one value of `{0}` needs too many others")]
    TooMuch(String),
}

/// The place where a func is computed or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    Inline,
    Root,
    /// In the body of this loop: func, stage, position.
    At(usize, usize, usize),
}

/// The traversal of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Serial,
    Parallel,
    Vector,
    Unrolled,
}

/// A loop. Its variable is a multiple of `step` in the stage's variable `slot`.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) name: String,
    pub(crate) slot: usize,
    /// The number of iterations; `None` if it follows from the region.
    pub(crate) size: Option<i64>,
    pub(crate) step: i64,
    pub(crate) kind: Kind,
}

/// The loops of a stage, outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    pub(crate) loops: Vec<Loop>,
    /// For each variable, a number: multiples of that many coordinates are computed.
    pub(crate) rounded: Vec<i64>,
}

/// A schedule as loops.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) compute: Vec<Site>,
    pub(crate) store: Vec<Site>,
    pub(crate) nests: Vec<Vec<Nest>>,
    pub(crate) streams: Vec<bool>,
    /// True if the memory needs no allocation: registers and stack.
    pub(crate) is_local: Vec<bool>,
    /// For each func, the dimension whose neighbours are neighbours in memory.
    pub(crate) dense: Vec<usize>,
    /// Changes of regions: func, dimension, a fixed min, an extent or a multiple.
    pub(crate) regions: Vec<(usize, usize, Region)>,
    pub(crate) is_inline: Vec<bool>,
}

/// A change of a region by a directive.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Region {
    Fixed(Option<i64>, i64),
    Multiple(i64),
}

/// Reads a schedule.
pub(crate) fn plan(
    problem: &Problem,
    pool: &Pool,
    schedule: &Schedule,
) -> Result<Plan, NoEstimate> {
    let by_default = |func: &Func| {
        let inline = func.is_synthetic && func.stages.len() == 1 && !func.is_output;
        if inline { Site::Inline } else { Site::Root }
    };
    let mut plan = Plan {
        compute: problem.funcs.iter().map(by_default).collect(),
        store: Vec::new(),
        nests: problem.funcs.iter().map(unscheduled).collect(),
        streams: vec![false; problem.len()],
        is_local: vec![false; problem.len()],
        dense: vec![0; problem.len()],
        regions: Vec::new(),
        is_inline: Vec::new(),
    };
    let slots = FxHashMap::default();
    let reader = Reader { pool, known: &problem.known, slots: &slots };
    let value = |expr: ExprId| {
        let (least, most) = reader.form(expr).range(&[]);
        if least.is_finite() && most.is_finite() { (least + most) as i64 / 2 } else { 1 }
    };
    for directive in &schedule.directives {
        let Some(func) = problem.numbers.get(&directive.func).copied() else { continue };
        if let Some(nest) = plan.nests[func].get_mut(directive.stage) {
            loops(nest, directive, &value)?;
        }
    }
    let mut stores: Vec<Option<Site>> = vec![None; problem.len()];
    for directive in &schedule.directives {
        let Some(func) = problem.numbers.get(&directive.func).copied() else { continue };
        let dim = |var: &String| problem.funcs[func].args.iter().position(|arg| arg == var);
        match &directive.action {
            Action::ComputeAt(level) => plan.compute[func] = site(problem, &plan, level)?,
            Action::ComputeRoot => plan.compute[func] = Site::Root,
            Action::ComputeInline => plan.compute[func] = Site::Inline,
            Action::StoreAt(level) => stores[func] = Some(site(problem, &plan, level)?),
            Action::StoreRoot => stores[func] = Some(Site::Root),
            Action::ReorderStorage { vars } => {
                plan.dense[func] = vars.first().and_then(dim).unwrap_or(0);
            }
            Action::StoreIn(place) => {
                plan.streams[func] = *place == StoreIn::Stream;
                plan.is_local[func] = matches!(place, StoreIn::Stack | StoreIn::Register);
            }
            Action::Bound { var, min, extent } => {
                if let Some(dim) = dim(var) {
                    let region = Region::Fixed(min.map(value), value(*extent));
                    plan.regions.push((func, dim, region));
                }
            }
            Action::AlignBounds { var, modulus, .. } => {
                if let Some(dim) = dim(var) {
                    plan.regions.push((func, dim, Region::Multiple(value(*modulus).max(1))));
                }
            }
            Action::Specialize { .. }
            | Action::SpecializeFail { .. }
            | Action::Split { .. }
            | Action::Tile { .. }
            | Action::Fuse { .. }
            | Action::Reorder { .. }
            | Action::Swap { .. }
            | Action::Traverse { .. }
            | Action::Vectorize { .. }
            | Action::Unroll { .. }
            | Action::Partition { .. }
            | Action::Prefetch { .. }
            | Action::Rename { .. }
            | Action::Atomic
            | Action::Wrap { .. }
            | Action::Factor { .. }
            | Action::HoistStorage(_)
            | Action::AlignStorage { .. }
            | Action::PadStorage { .. }
            | Action::Realign
            | Action::FoldStorage { .. } => {}
        }
    }
    let both = stores.into_iter().zip(&plan.compute);
    plan.store = both.map(|(store, compute)| store.unwrap_or(*compute)).collect();
    plan.is_inline = plan.compute.iter().map(|site| *site == Site::Inline).collect();
    for (number, func) in problem.funcs.iter().enumerate() {
        plan.is_inline[number] &= !func.is_input;
    }
    Ok(plan)
}

/// The loops of a func's stages before any directive.
fn unscheduled(func: &Func) -> Vec<Nest> {
    let nest = |stage: &crate::problem::Stage| {
        let rank = func.args.len();
        let pure = (0..rank).rev().filter(|slot| stage.is_free[*slot]);
        let all = pure.chain((rank..stage.names.len()).rev());
        let made = all.map(|slot| Loop {
            name: stage.names[slot].clone(),
            slot,
            size: None,
            step: 1,
            kind: Kind::Serial,
        });
        Nest { loops: made.collect(), rounded: vec![1; stage.names.len()] }
    };
    func.stages.iter().map(nest).collect()
}

fn site(problem: &Problem, plan: &Plan, level: &LoopLevel) -> Result<Site, NoEstimate> {
    let none = || NoEstimate::NoLoop(level.var.clone());
    let func = problem.numbers.get(&level.func).copied().ok_or_else(none)?;
    let nests = &plan.nests[func];
    let stage = level.stage.unwrap_or(nests.len().saturating_sub(1));
    let loops = &nests.get(stage).ok_or_else(none)?.loops;
    let position = loops.iter().rposition(|found| found.name == level.var).ok_or_else(none)?;
    Ok(Site::At(func, stage, position))
}

fn positions(nest: &Nest, var: &str) -> Result<Vec<usize>, NoEstimate> {
    let all = nest.loops.iter().enumerate();
    let found: Vec<usize> =
        all.filter(|(_, found)| found.name == var).map(|(position, _)| position).collect();
    if found.is_empty() { Err(NoEstimate::NoLoop(var.to_owned())) } else { Ok(found) }
}

/// Applies a directive about loops; others change nothing.
fn loops(
    nest: &mut Nest,
    directive: &Directive,
    value: &dyn Fn(ExprId) -> i64,
) -> Result<(), NoEstimate> {
    // The last block of a first stage moves inwards; that of an update is cut off.
    let repeats = directive.stage == 0;
    match &directive.action {
        Action::Split { var, outer, inner, factor, tail } => {
            split(nest, var, [outer, inner], value(*factor), (*tail, repeats))
        }
        Action::Tile { vars, outer, inner, factors, tail } => {
            for side in 0..2 {
                let names = [&outer[side], &inner[side]];
                split(nest, &vars[side], names, value(factors[side]), (*tail, repeats))?;
            }
            let order: Vec<String> = inner.iter().chain(outer).cloned().collect();
            reorder(nest, &order)
        }
        Action::Fuse { outer, inner, fused } => {
            for name in [outer, inner] {
                for position in positions(nest, name)? {
                    fused.clone_into(&mut nest.loops[position].name);
                }
            }
            Ok(())
        }
        Action::Reorder { vars } => reorder(nest, vars),
        Action::Swap { var } => {
            let position = positions(nest, var)?[0];
            if position + 1 < nest.loops.len() {
                nest.loops.swap(position, position + 1);
            }
            Ok(())
        }
        Action::Traverse { var, kind } => {
            let kind = match kind {
                LoopKind::Serial => Kind::Serial,
                LoopKind::Parallel(_) => Kind::Parallel,
                LoopKind::Vectorized => Kind::Vector,
                LoopKind::Unrolled => Kind::Unrolled,
                LoopKind::GpuBlocks | LoopKind::GpuThreads => {
                    return Err(NoEstimate::Directive("gpu"));
                }
            };
            for position in positions(nest, var)? {
                nest.loops[position].kind = kind;
            }
            Ok(())
        }
        Action::Vectorize { var, lanes: factor, tail } | Action::Unroll { var, factor, tail } => {
            let is_vector = matches!(directive.action, Action::Vectorize { .. });
            let kind = if is_vector { Kind::Vector } else { Kind::Unrolled };
            let Some(factor) = factor else {
                for position in positions(nest, var)? {
                    nest.loops[position].kind = kind;
                }
                return Ok(());
            };
            let inner = format!("{var}.");
            split(nest, var, [var, &inner], value(*factor), (*tail, repeats))?;
            let made = positions(nest, &inner)?[0];
            nest.loops[made].kind = kind;
            nest.loops[made].name.push_str(if is_vector { "v" } else { "u" });
            Ok(())
        }
        Action::Rename { from, to } => {
            for position in positions(nest, from)? {
                to.clone_into(&mut nest.loops[position].name);
            }
            Ok(())
        }
        Action::Specialize { .. } => Err(NoEstimate::Directive("specialize")),
        Action::SpecializeFail { .. } => Err(NoEstimate::Directive("specialize_fail")),
        Action::Wrap { .. } => Err(NoEstimate::Directive("in")),
        Action::Factor { .. } => Err(NoEstimate::Directive("rfactor")),
        Action::Partition { .. }
        | Action::Prefetch { .. }
        | Action::Atomic
        | Action::ComputeAt(_)
        | Action::ComputeRoot
        | Action::ComputeInline
        | Action::StoreAt(_)
        | Action::StoreRoot
        | Action::HoistStorage(_)
        | Action::ReorderStorage { .. }
        | Action::AlignStorage { .. }
        | Action::PadStorage { .. }
        | Action::Realign
        | Action::FoldStorage { .. }
        | Action::StoreIn(_)
        | Action::Bound { .. }
        | Action::AlignBounds { .. } => Ok(()),
    }
}

fn split(
    nest: &mut Nest,
    var: &str,
    [outer, inner]: [&String; 2],
    factor: i64,
    (tail, repeats): (Tail, bool),
) -> Result<(), NoEstimate> {
    let found = positions(nest, var)?;
    let [position] = found[..] else {
        return Err(NoEstimate::Directive("a split of a fused loop"));
    };
    let factor = factor.max(1);
    let old = nest.loops[position].clone();
    let inner_takes_kind = matches!(old.kind, Kind::Vector | Kind::Unrolled);
    let kind = |takes: bool| if takes { old.kind } else { Kind::Serial };
    let parts = [
        Loop {
            name: outer.clone(),
            size: old.size.map(|size| (size + factor - 1) / factor),
            step: old.step * factor,
            kind: kind(!inner_takes_kind),
            ..old.clone()
        },
        Loop {
            name: inner.clone(),
            size: Some(factor.min(old.size.unwrap_or(factor))),
            kind: kind(inner_takes_kind),
            ..old.clone()
        },
    ];
    nest.loops.splice(position..=position, parts);
    let divides = old.size.is_some_and(|size| size % factor == 0);
    let is_whole = match tail {
        Tail::Shift | Tail::ShiftInwards | Tail::Round => true,
        Tail::Auto => repeats && old.slot < nest.rounded.len(),
        Tail::Guard
        | Tail::Predicate
        | Tail::PredicateLoads
        | Tail::PredicateStores
        | Tail::ShiftInwardsAndBlend
        | Tail::RoundUpAndBlend => false,
    };
    if is_whole && !divides {
        // A part of a block is rounded up within the block; a whole dimension as a whole.
        let rounded = &mut nest.rounded[old.slot];
        *rounded = (*rounded).max(factor * old.step);
    }
    Ok(())
}

/// Puts the named loops, innermost first, into the places that they have together.
fn reorder(nest: &mut Nest, vars: &[String]) -> Result<(), NoEstimate> {
    let mut chosen = Vec::new();
    for var in vars.iter().rev() {
        chosen.extend(positions(nest, var)?);
    }
    let mut places = chosen.clone();
    places.sort_unstable();
    places.dedup();
    let old = nest.loops.clone();
    for (place, from) in places.into_iter().zip(chosen) {
        nest.loops[place] = old[from].clone();
    }
    Ok(())
}
