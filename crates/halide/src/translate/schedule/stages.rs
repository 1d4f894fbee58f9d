//! The loops of a stage: their transformations, their order, and the way in which they run.

use halidom_ir::{Action, Constant, Directive, ExprId, FuncId, LoopKind, Partition, Tail};

use super::{Loop, Writer, directive};
use crate::NameId;
use crate::pipeline::{Definition, Dim, Func, Prefetch, Split, TailStrategy};
use crate::tree::{Expr, ForKind};

/// Halide's name for the loop around all others.
const OUTERMOST: &str = "__outermost";

/// The loops of a stage so far, innermost first, and the actions that made them.
struct Nest {
    loops: Vec<(NameId, String)>,
    actions: Vec<Action>,
}

impl Writer<'_> {
    /// The directives for a stage and for its specializations.
    pub(super) fn stage(
        &mut self,
        (func, id): (&Func, FuncId),
        number: usize,
        stage: &Definition,
    ) -> Vec<Directive> {
        let mut made = Vec::new();
        self.specializations((func, id), number, stage, &mut Vec::new(), &mut made);
        let (actions, loops) = self.loops_of((func, id), number, stage);
        made.extend(actions.into_iter().map(|action| directive(id, number, action)));
        self.loops.insert((id, number), loops);
        let schedule = &stage.schedule;
        let place = if number == 0 { String::new() } else { format!("update({number}): ") };
        for (stands, what) in [
            (schedule.is_fused, "`compute_with`"),
            (schedule.allow_races, "`allow_race_conditions`"),
        ] {
            if stands {
                self.note(func, &format!("{place}{what}"));
            }
        }
        made
    }

    /// The directives for specializations. A nested specialization comes before its outer one, and
    /// has both conditions.
    fn specializations(
        &mut self,
        (func, id): (&Func, FuncId),
        number: usize,
        stage: &Definition,
        around: &mut Vec<ExprId>,
        made: &mut Vec<Directive>,
    ) {
        for special in &stage.specializations {
            let definition = special.definition.as_ref().filter(|_| special.failure.is_empty());
            let Some(definition) = definition else {
                if around.is_empty() {
                    let message = special.failure.clone();
                    made.push(directive(id, number, Action::SpecializeFail { message }));
                } else {
                    self.note(func, "`specialize_fail` within a specialization");
                }
                continue;
            };
            let condition = match self.translation.scalar(&special.condition) {
                Ok(value) => value.id,
                Err(_) => {
                    let condition = self.words(&special.condition);
                    self.note(func, &format!("`specialize({condition})`"));
                    continue;
                }
            };
            around.push(condition);
            self.specializations((func, id), number, definition, around, made);
            let pool = &mut self.translation.pool;
            let mut all = around[0];
            for condition in &around[1..] {
                all = pool.binary(halidom_ir::BinaryOp::And, all, *condition);
            }
            around.pop();
            let (actions, _) = self.loops_of((func, id), number, definition);
            let directives = actions.into_iter().map(|action| directive(id, number, action));
            let action = Action::Specialize { condition: all, directives: directives.collect() };
            made.push(directive(id, number, action));
        }
    }

    /// The actions on the loops of a stage, and the loops that result.
    fn loops_of(
        &mut self,
        (func, id): (&Func, FuncId),
        number: usize,
        stage: &Definition,
    ) -> (Vec<Action>, Vec<Loop>) {
        let names = self.translation.nodes.names;
        let is_outermost = |name: NameId| names.text(name).ends_with(OUTERMOST);
        let mut dims: Vec<&Dim> =
            stage.schedule.dims.iter().filter(|dim| !is_outermost(dim.name)).collect();
        let of_outermost =
            |split: &Split| matches!(split, Split::Split { old, .. } if is_outermost(*old));
        let mut nest =
            Nest { loops: self.beginning((func, id), number, stage), actions: Vec::new() };
        let mut splits = stage.schedule.splits.clone();
        if splits.iter().any(of_outermost) {
            let made: Vec<NameId> =
                splits.iter().filter(|split| of_outermost(split)).filter_map(inner).collect();
            splits.retain(|split| !of_outermost(split));
            dims.retain(|dim| !made.contains(&dim.name));
            self.note(func, "loops around all others, as of `gpu_single_thread`");
        }
        let ends = self.ends_in_steps(&splits, &dims, &nest.loops);
        let (first, steps) = splits.split_at(ends);
        for split in first {
            self.split((func, number), split, &mut nest);
        }
        let order = before(&dims, steps);
        self.reorder((func, number), &order, &mut nest);
        for split in steps {
            self.step((func, number), split, &dims, &mut nest);
        }
        if stage.schedule.atomic {
            nest.actions.push(Action::Atomic);
        }
        let mut loops = Vec::new();
        for dim in dims {
            let found = nest.loops.iter().find(|(name, _)| *name == dim.name);
            let by_step = steps.iter().any(|split| inner(split) == Some(dim.name));
            let word = match found {
                Some((_, word)) => word.clone(),
                None => continue,
            };
            if !by_step {
                self.traverse(func, dim, &word, &mut nest.actions);
            }
            loops.push(Loop { name: dim.name, word, kind: dim.kind });
        }
        for prefetch in &stage.schedule.prefetches {
            let action = self.prefetch(prefetch, &loops);
            match action {
                Some(action) => nest.actions.push(action),
                None => {
                    let name = self.translation.nodes.names.text(prefetch.name).to_owned();
                    self.note(func, &format!("`prefetch` of `{name}`"));
                }
            }
        }
        (nest.actions, loops)
    }

    /// Translates a prefetch, if it refers to a later iteration of the loop that issues it.
    fn prefetch(&mut self, prefetch: &Prefetch, loops: &[Loop]) -> Option<Action> {
        let at = loops.iter().find(|found| found.name == prefetch.at)?;
        let read = self.funcs.get(&prefetch.name).or_else(|| self.inputs.get(&prefetch.name));
        let read = read.copied()?;
        let offset = self.number(&prefetch.offset).ok()?;
        let offset = self.pool().as_constant(offset).and_then(Constant::as_integer)?;
        let ahead = u32::try_from(offset).ok().filter(|ahead| (1..=1 << 20).contains(ahead))?;
        let is_own = prefetch.from == prefetch.at;
        is_own.then(|| Action::Prefetch { func: read, var: at.word.clone(), ahead })
    }

    /// The loops before any directive.
    fn beginning(
        &self,
        (func, id): (&Func, FuncId),
        number: usize,
        stage: &Definition,
    ) -> Vec<(NameId, String)> {
        let pool = self.pool();
        let decl = pool.func(id);
        let word = |var| pool.var(var).name.clone();
        let domain = decl.stages().get(number).map_or(&[][..], |stage| &stage.domain);
        let reductions = stage.schedule.domain.iter().zip(domain);
        let reductions = reductions.map(|(known, own)| (known.name, word(own.var)));
        let pure = func.args.iter().zip(&decl.args).zip(&stage.args);
        let pure = pure
            .filter(|((name, _), arg)| {
                matches!(arg, Expr::Variable { name: known, ty: _ } if known == *name)
            })
            .map(|((name, var), _)| (*name, word(*var)));
        reductions.chain(pure).collect()
    }

    /// The index of the first of the trailing splits that can be written as `vectorize(v, n)` or
    /// `unroll(v, n)`: no later split uses their inner loops, and together they produce the final
    /// order.
    fn ends_in_steps(
        &mut self,
        splits: &[Split],
        dims: &[&Dim],
        begin: &[(NameId, String)],
    ) -> usize {
        let kind = |name| dims.iter().find(|dim| dim.name == name).map(|dim| dim.kind);
        let constant: Vec<bool> =
            splits.iter().map(|split| self.has_constant_factor(split)).collect();
        let names = self.translation.nodes.names;
        let own = |name: NameId| own_word(names.text(name));
        let is_step = |number: usize| {
            let Split::Split { old, outer, inner, .. } = &splits[number] else {
                return false;
            };
            let is_used = splits[number + 1..].iter().any(|later| reads(later).contains(inner));
            own(*old) == own(*outer)
                && !is_used
                && constant[number]
                && matches!(kind(*inner), Some(ForKind::Vectorized | ForKind::Unrolled))
                && !begin.iter().any(|(name, _)| name == inner)
        };
        let mut ends = splits.len();
        while ends > 0 && is_step(ends - 1) {
            ends -= 1;
        }
        // The trailing splits must leave the final order.
        while ends < splits.len() {
            let steps = &splits[ends..];
            let mut order = before(dims, steps);
            for split in steps {
                if let Split::Split { old, outer, inner, .. } = split
                    && let Some(place) = order.iter().position(|name| name == old)
                {
                    order[place] = *outer;
                    order.insert(place, *inner);
                }
            }
            if order.iter().eq(dims.iter().map(|dim| &dim.name)) {
                break;
            }
            ends += 1;
        }
        ends
    }

    fn has_constant_factor(&mut self, split: &Split) -> bool {
        let Split::Split { factor, .. } = split else { return false };
        let factor = self.number(factor);
        factor.is_ok_and(|factor| self.pool().as_constant(factor).is_some())
    }

    fn split(&mut self, (func, number): (&Func, usize), split: &Split, nest: &mut Nest) {
        let names = self.translation.nodes.names;
        let place = |nest: &Nest, name| nest.loops.iter().position(|(known, _)| *known == name);
        match split {
            Split::Split { old, outer, inner, factor, tail, .. } => {
                let at = place(nest, *old);
                let (Some(at), Ok(factor)) = (at, self.number(factor)) else {
                    let (old, factor) = (names.text(*old), self.words(factor));
                    return self.note(func, &format!("a split of `{old}` by `{factor}`"));
                };
                let (_, var) = nest.loops.remove(at);
                let keeps = own_word(names.text(*old)) == own_word(names.text(*outer));
                let outer_word = if keeps { var.clone() } else { self.word(*outer, &nest.loops) };
                nest.loops.insert(at, (*outer, outer_word.clone()));
                let inner_word = self.word(*inner, &nest.loops);
                nest.loops.insert(at, (*inner, inner_word.clone()));
                let tail = self.tail((func, number), *old, *tail);
                let (outer, inner) = (outer_word, inner_word);
                nest.actions.push(Action::Split { var, outer, inner, factor, tail });
            }
            Split::Rename { old, new } => {
                let Some(at) = place(nest, *old) else { return };
                let (_, from) = nest.loops.remove(at);
                let to = self.word(*new, &nest.loops);
                nest.loops.insert(at, (*new, to.clone()));
                if from != to {
                    nest.actions.push(Action::Rename { from, to });
                }
            }
            Split::Fuse { outer, inner, fused } => {
                let (Some(_), Some(within)) = (place(nest, *outer), place(nest, *inner)) else {
                    return;
                };
                let mut order: Vec<NameId> = nest.loops.iter().map(|(name, _)| *name).collect();
                if order.get(within + 1) != Some(outer) {
                    order.retain(|name| name != outer);
                    let within = order.iter().position(|name| name == inner).unwrap_or(0);
                    order.insert(within + 1, *outer);
                    self.reorder((func, number), &order, nest);
                }
                let Some(within) = place(nest, *inner) else { return };
                let (_, inner) = nest.loops.remove(within);
                let (_, outer) = nest.loops.remove(within);
                let word = self.word(*fused, &nest.loops);
                nest.loops.insert(within, (*fused, word.clone()));
                nest.actions.push(Action::Fuse { outer, inner, fused: word });
            }
        }
    }

    /// Translates a split as `vectorize(v, n)` or `unroll(v, n)`.
    fn step(
        &mut self,
        (func, number): (&Func, usize),
        split: &Split,
        dims: &[&Dim],
        nest: &mut Nest,
    ) {
        let Split::Split { old, outer, inner, factor, tail, .. } = split else { return };
        let place = nest.loops.iter().position(|(known, _)| known == old);
        let (Some(place), Ok(factor)) = (place, self.number(factor)) else { return };
        let var = nest.loops[place].1.clone();
        let tail = self.tail((func, number), *old, *tail);
        let is_vector =
            dims.iter().any(|dim| dim.name == *inner && dim.kind == ForKind::Vectorized);
        nest.actions.push(if is_vector {
            Action::Vectorize { var: var.clone(), lanes: Some(factor), tail }
        } else {
            Action::Unroll { var: var.clone(), factor: Some(factor), tail }
        });
        nest.loops[place].0 = *outer;
        // A name with a dot, so that no directive can refer to it.
        nest.loops.insert(place, (*inner, format!("{var}.within")));
    }

    fn reorder(&mut self, (func, number): (&Func, usize), order: &[NameId], nest: &mut Nest) {
        let before = nest.loops.clone();
        let rank = |name: &NameId| order.iter().position(|known| known == name);
        if before.iter().any(|(name, _)| rank(name).is_none()) || order.len() != before.len() {
            let place = if number == 0 { "" } else { " of an update" };
            return self.note(func, &format!("the order of loops{place} that are not known"));
        }
        nest.loops.sort_by_key(|(name, _)| rank(name));
        if nest.loops != before {
            let vars = nest.loops.iter().map(|(_, word)| word.clone()).collect();
            nest.actions.push(Action::Reorder { vars });
        }
    }

    fn traverse(&mut self, func: &Func, dim: &Dim, word: &str, actions: &mut Vec<Action>) {
        let var = word.to_owned();
        let kind = |kind| Action::Traverse { var: var.clone(), kind };
        let tail = Tail::Auto;
        match dim.kind {
            ForKind::Serial => {}
            ForKind::Parallel => actions.push(kind(LoopKind::PARALLEL)),
            ForKind::Vectorized => {
                actions.push(Action::Vectorize { var: var.clone(), lanes: None, tail });
            }
            ForKind::Unrolled => {
                actions.push(Action::Unroll { var: var.clone(), factor: None, tail });
            }
            ForKind::GpuBlock => actions.push(kind(LoopKind::GpuBlocks)),
            ForKind::GpuThread => actions.push(kind(LoopKind::GpuThreads)),
            ForKind::Extern | ForKind::GpuLane => {
                self.note(func, &format!("`{}` for `{word}`", dim.kind.keyword()));
            }
        }
        let policy = match dim.partition {
            1 => Partition::Never,
            2 => Partition::Always,
            _ => return,
        };
        actions.push(Action::Partition { var, policy });
    }

    /// Our form of a tail strategy. Updates must not repeat iterations, and updates of outputs must
    /// not run beyond their ends, so both use `guard` instead.
    fn tail(&mut self, (func, number): (&Func, usize), old: NameId, tail: TailStrategy) -> Tail {
        let own = match tail {
            TailStrategy::RoundUp => Tail::Round,
            TailStrategy::GuardWithIf => Tail::Guard,
            TailStrategy::Predicate => Tail::Predicate,
            TailStrategy::PredicateLoads => Tail::PredicateLoads,
            TailStrategy::PredicateStores => Tail::PredicateStores,
            TailStrategy::ShiftInwards => Tail::Shift,
            TailStrategy::ShiftInwardsAndBlend => Tail::ShiftInwardsAndBlend,
            TailStrategy::RoundUpAndBlend => Tail::RoundUpAndBlend,
            TailStrategy::Auto => Tail::Auto,
        };
        let is_output = self.funcs.get(&func.name).is_some_and(|id| self.outputs.contains(id));
        let differs = match own {
            Tail::Shift | Tail::ShiftInwards => number > 0,
            Tail::Round => number > 0 && is_output,
            Tail::Guard
            | Tail::Predicate
            | Tail::PredicateLoads
            | Tail::PredicateStores
            | Tail::ShiftInwardsAndBlend
            | Tail::RoundUpAndBlend
            | Tail::Auto => false,
        };
        if !differs {
            return own;
        }
        let old = self.translation.nodes.names.text(old);
        let name = own.name();
        let what = format!("update({number}): the tail `{name}` of `{old}`; it is `guard` here");
        self.note(func, &what);
        Tail::Guard
    }

    /// A new name for a loop, different from the names in `beside`.
    fn word(&self, name: NameId, beside: &[(NameId, String)]) -> String {
        let text = self.translation.nodes.names.text(name);
        let mut word: String = own_word(text)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        if !word.starts_with(|first: char| first.is_ascii_alphabetic()) {
            word.insert(0, 'v');
        }
        let is_taken =
            |word: &str| (self.is_reserved)(word) || beside.iter().any(|(_, known)| known == word);
        let mut number = 0;
        let mut candidate = word.clone();
        while is_taken(&candidate) {
            number += 1;
            candidate = format!("{word}_{number}");
        }
        candidate
    }
}

/// The order of loops before the trailing splits, given the order after them.
fn before(dims: &[&Dim], steps: &[Split]) -> Vec<NameId> {
    let is_within = |dim: &&&Dim| steps.iter().any(|split| inner(split) == Some(dim.name));
    let mut order: Vec<NameId> =
        dims.iter().filter(|dim| !is_within(dim)).map(|dim| dim.name).collect();
    for split in steps.iter().rev() {
        if let Split::Split { old, outer, .. } = split {
            for name in order.iter_mut().filter(|name| *name == outer) {
                *name = *old;
            }
        }
    }
    order
}

/// A loop's own name, without the prefix of names of its ancestors that Halide adds.
fn own_word(text: &str) -> &str {
    text.rsplit(['$', '.']).find(|part| !part.is_empty()).unwrap_or(text)
}

/// The inner loop of a split.
fn inner(split: &Split) -> Option<NameId> {
    match split {
        Split::Split { inner, .. } => Some(*inner),
        Split::Rename { .. } | Split::Fuse { .. } => None,
    }
}

/// The loops that a split consumes.
fn reads(split: &Split) -> Vec<NameId> {
    match split {
        Split::Split { old, .. } | Split::Rename { old, .. } => vec![*old],
        Split::Fuse { outer, inner, .. } => vec![*outer, *inner],
    }
}
