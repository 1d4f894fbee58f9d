//! Small changes of a schedule. The compiler decides whether the results are legal.

use halidom_base::IndexSet;
use halidom_ir::{
    Action, Argument, Directive, ExprId, FuncId, LoopKind, LoopLevel, Number, Partition, Pool,
    StoreIn, Tail,
};
use halidom_schedule::{NamedLoop, StageLoops};
use halidom_testgen::Random;

use super::facts::{Facts, Func, Placement, placed};
use super::seeds::{Cut, cut_loops, directive, fresh, streams, vectors, whole};

/// The largest number of copies of a statement.
const MOST_COPIES: i128 = 64;
/// The largest number of lanes that are tried: more would leave too few registers.
const MOST_LANES: i128 = 512;

/// Changes schedules of an algorithm.
pub(super) struct Mover<'m> {
    pub(super) pool: &'m mut Pool,
    pub(super) facts: &'m Facts,
    /// The loops of the schedule that is being changed.
    pub(super) loops: &'m [StageLoops],
    pub(super) random: &'m mut Random,
}

/// The directives of a schedule after one to three changes.
pub(super) fn changed(mover: &mut Mover<'_>, directives: &[Directive]) -> Vec<Directive> {
    const TRIES: usize = 30;
    let mut directives = directives.to_vec();
    let mut wanted = [1, 1, 1, 2, 2, 3][mover.random.below(6)];
    for _ in 0..TRIES {
        if wanted == 0 {
            break;
        }
        let mut next = directives.clone();
        if mover.change(&mut next).is_some() && next != directives {
            directives = next;
            wanted -= 1;
        }
    }
    number(&mut directives);
    directives
}

/// Numbers directives in the order of the text. Nested directives follow their specialization.
pub(super) fn number(directives: &mut [Directive]) {
    fn walk(directives: &mut [Directive], next: &mut usize) {
        for directive in directives {
            directive.origin = *next;
            *next += 1;
            if let Action::Specialize { directives, .. } = &mut directive.action {
                walk(directives, next);
            }
        }
    }
    walk(directives, &mut 0);
}

/// Calls `visit` for every number in directives, including nested ones, but no coordinate.
fn for_each_number(
    directives: &mut [Directive],
    visit: &mut dyn FnMut(Number, FuncId, &mut ExprId),
) {
    for directive in directives {
        let func = directive.func;
        let action = &mut directive.action;
        if let Action::Specialize { directives, .. } = action {
            for_each_number(directives, visit);
            continue;
        }
        let arguments = action.arguments();
        let numbers: Vec<Number> = arguments.into_iter().filter_map(number_of).collect();
        for (number, expr) in numbers.into_iter().zip(action.numbers_mut()) {
            if number != Number::Position {
                visit(number, func, expr);
            }
        }
    }
}

fn number_of(argument: Argument<'_>) -> Option<Number> {
    if let Argument::Number(number, _) = argument { Some(number) } else { None }
}

/// The tail of an action, if it has one.
fn tail_of(action: &mut Action) -> Option<&mut Tail> {
    if let Action::Split { tail, .. }
    | Action::Tile { tail, .. }
    | Action::Vectorize { tail, .. }
    | Action::Unroll { tail, .. } = action
    {
        Some(tail)
    } else {
        None
    }
}

/// Tests whether an action determines the place where a func is computed or stored.
fn places(action: &Action) -> bool {
    placed(action).is_some()
        || matches!(action, Action::StoreAt(_) | Action::StoreRoot | Action::HoistStorage(_))
}

/// Inserts a directive after its stage's last directive, else after its func's last one.
pub(super) fn insert(directives: &mut Vec<Directive>, new: Directive) {
    let behind = |found: &Directive| found.func == new.func && found.stage == new.stage;
    let position = directives
        .iter()
        .rposition(behind)
        .or_else(|| directives.iter().rposition(|found| found.func == new.func));
    directives.insert(position.map_or(directives.len(), |position| position + 1), new);
}

/// Tests whether directives can name a loop.
fn has_name(found: &NamedLoop) -> bool {
    !found.name.contains('.')
}

pub(super) fn is_open(found: &NamedLoop) -> bool {
    has_name(found) && !matches!(found.kind, LoopKind::Vectorized | LoopKind::Unrolled)
}

impl Mover<'_> {
    /// Makes one random change; `None` if the drawn change is impossible.
    fn change(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        match self.random.below(100) {
            0..32 => self.number(directives),
            32..50 => self.level(directives),
            50..58 => self.copies(directives),
            58..64 => self.lanes(directives),
            64..71 => self.order(directives),
            71..75 => self.parallel(directives),
            75..78 => self.deal(directives),
            78..82 => self.cut(directives),
            82..86 => self.recut(directives),
            86..90 => self.tail(directives),
            90..95 => self.memory(directives),
            95..98 => self.fetch(directives),
            _ => self.leave_out(directives),
        }
    }

    pub(super) fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        self.random.choose(items).cloned()
    }

    fn constant(&self, expr: ExprId) -> Option<i128> {
        self.pool.as_constant(expr)?.as_integer()
    }

    /// Changes a number, in one place or in several.
    fn number(&mut self, directives: &mut [Directive]) -> Option<()> {
        let mut found: Vec<(Number, FuncId, ExprId)> = Vec::new();
        for_each_number(directives, &mut |meaning, func, expr| found.push((meaning, func, *expr)));
        let candidates: Vec<usize> = (0..found.len())
            // A size changes only together with numbers of other purposes.
            .filter(|number| found[*number].0 != Number::Size)
            .filter(|number| self.constant(found[*number].2).is_some())
            .collect();
        let chosen = self.pick(&candidates)?;
        let (meaning, func, expr) = found[chosen];
        let old = self.constant(expr)?;
        let new = self.another(meaning, func, old)?;
        let new = self.pool.int(new);
        // Equal numbers are often related: a tile size and the bound of a func that is computed for
        // the tile.
        let scope = self.random.below(4);
        let others: IndexSet<FuncId> = if scope == 2 {
            let funcs: IndexSet<FuncId> = found.iter().map(|(_, func, _)| *func).collect();
            funcs.into_iter().filter(|_| self.random.chance(50)).collect()
        } else {
            IndexSet::default()
        };
        // The bounds of outputs are the callers' choice, so they do not change.
        let outputs: Vec<FuncId> =
            self.facts.funcs.iter().filter(|func| func.is_output).map(|func| func.id).collect();
        let mut position = 0;
        for_each_number(directives, &mut |meaning, of, number| {
            let changes = *number == expr
                && !(meaning == Number::Size && outputs.contains(&of))
                && match scope {
                    0 => true,
                    1 => of == func,
                    2 => of == func || others.contains(&of),
                    _ => position == chosen,
                };
            if changes {
                *number = new;
            }
            position += 1;
        });
        Some(())
    }

    /// Another number that is plausible for the same meaning.
    fn another(&mut self, meaning: Number, func: FuncId, old: i128) -> Option<i128> {
        let lanes = self.facts.func(func).map_or(8, |func| func.lanes);
        let usual: &[i128] = match meaning {
            Number::Lanes => &[4, 8, 16, 32, 64, 128, 256],
            Number::Copies => &[2, 3, 4, 6, 8, 12, 16],
            Number::Block | Number::Size | Number::Position => {
                &[2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024]
            }
        };
        let new = match self.random.below(5) {
            0 | 1 => old * 2,
            2 => old / 2,
            3 if meaning == Number::Lanes => self.pick(&[lanes, 2 * lanes, 4 * lanes])?,
            _ => self.pick(usual)?,
        };
        let most = match meaning {
            Number::Lanes => MOST_LANES,
            Number::Copies => MOST_COPIES,
            Number::Block | Number::Size | Number::Position => 1 << 20,
        };
        (new != old && (1..=most).contains(&new) && (new > 1 || meaning == Number::Block))
            .then_some(new)
    }

    /// Funcs whose place can change.
    fn movable(&self, directives: &[Directive]) -> Vec<Func> {
        let funcs = self.facts.funcs.iter().filter(|func| {
            let is_mentioned = directives.iter().any(|found| found.func == func.id);
            !func.is_output && (!func.is_synthetic || is_mentioned)
        });
        funcs.cloned().collect()
    }

    /// The loops of a stage of a func, outermost first. A func that a rewriting changed is
    /// identified by its name.
    fn loops_of(&self, func: FuncId, stage: usize) -> &[NamedLoop] {
        let name = &self.pool.func(func).name;
        let mut same = self.loops.iter().filter(|found| found.stage == stage);
        let found =
            same.find(|found| found.func == func || self.pool.func(found.func).name == *name);
        found.map_or(&[], |found| &found.loops)
    }

    /// The loops at which a func can be computed: the loops of its readers, and the loops at which
    /// these are computed. An inline reader is replaced by its own readers.
    fn levels(&self, directives: &[Directive], func: &Func) -> Vec<LoopLevel> {
        let mut levels: IndexSet<LoopLevel> = IndexSet::default();
        let mut seen: IndexSet<FuncId> = IndexSet::default();
        let mut work = func.readers.clone();
        while let Some((reader, stage)) = work.pop() {
            let Some(found) = self.facts.func(reader) else { continue };
            match self.facts.placement(directives, reader) {
                Placement::Inline => {
                    if seen.insert(reader) {
                        work.extend(found.readers.iter().copied());
                    }
                    continue;
                }
                Placement::At(level) => {
                    levels.insert(level);
                }
                Placement::Root => {}
            }
            let is_last = stage + 1 == found.stages.len();
            if !is_last && stage == 0 {
                continue;
            }
            for at in self.loops_of(reader, stage).iter().filter(|found| is_open(found)) {
                let stage = (!is_last).then_some(stage);
                levels.insert(LoopLevel { func: reader, stage, var: at.name.clone() });
            }
        }
        levels.into_iter().collect()
    }

    /// Changes the place where a func is computed.
    fn level(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        const MOST_POINTS: usize = 32;
        let movable = self.movable(directives);
        let func = self.pick(&movable)?;
        let old = self.facts.placement(directives, func.id);
        let levels = self.levels(directives, &func);
        let new = match self.random.below(10) {
            0 if func.stages.len() == 1 && func.points <= MOST_POINTS => Placement::Inline,
            1 => Placement::Root,
            2..5 if matches!(old, Placement::At(_)) => old.clone(),
            _ => Placement::At(self.pick(&levels)?),
        };
        self.place(directives, &func, &old, &new)
    }

    fn place(
        &mut self,
        directives: &mut Vec<Directive>,
        func: &Func,
        old: &Placement,
        new: &Placement,
    ) -> Option<()> {
        let rewrites =
            |action: &Action| matches!(action, Action::Wrap { .. } | Action::Factor { .. });
        let own: Vec<_> = directives.iter().filter(|found| found.func == func.id).collect();
        if *new == Placement::Inline && own.iter().any(|found| rewrites(&found.action)) {
            return None;
        }
        let position = directives.iter().position(|found| found.func == func.id);
        let position = position.unwrap_or(directives.len());
        directives.retain(|found| found.func != func.id || !places(&found.action));
        let mut placing = Vec::new();
        match new {
            Placement::Inline => {
                directives.retain(|found| found.func != func.id);
                // Funcs that were computed at its loops move to the place where it was computed.
                for other in &mut *directives {
                    if let Action::ComputeAt(level) = &other.action
                        && level.func == func.id
                    {
                        other.action = match old {
                            Placement::At(outer) => Action::ComputeAt(outer.clone()),
                            Placement::Root | Placement::Inline => Action::ComputeRoot,
                        };
                    }
                }
                let is_at = |action: &Action| {
                    matches!(action, Action::StoreAt(level) | Action::HoistStorage(Some(level))
                        if level.func == func.id)
                };
                directives.retain(|found| !is_at(&found.action));
                let is_ahead = |action: &Action| {
                    let Action::Prefetch { func: read, .. } = action else { return false };
                    *read == func.id
                };
                directives.retain(|found| !is_ahead(&found.action));
                placing.push(directive(func.id, 0, Action::ComputeInline));
            }
            Placement::Root if *old == Placement::Inline => {
                whole(self.pool, func, &mut placing);
            }
            Placement::Root => {
                placing.push(directive(func.id, 0, Action::ComputeRoot));
                let is_parallel = |found: &Directive| {
                    matches!(found.action, Action::Traverse { kind: LoopKind::Parallel(_), .. })
                };
                let mut own = directives.iter().filter(|found| found.func == func.id);
                if let (false, [_, .., last]) = (own.any(is_parallel), func.args.as_slice()) {
                    let kind = LoopKind::PARALLEL;
                    let action = Action::Traverse { var: last.clone(), kind };
                    placing.push(directive(func.id, 0, action));
                }
            }
            Placement::At(level) => {
                if let Some(store) = self.store(level) {
                    placing.push(directive(func.id, 0, store));
                }
                placing.push(directive(func.id, 0, Action::ComputeAt(level.clone())));
                if *old == Placement::Inline {
                    vectors(self.pool, func, &mut placing);
                }
                directives.retain(|found| {
                    found.func != func.id
                        || !matches!(
                            found.action,
                            Action::Traverse { kind: LoopKind::Parallel(_), .. }
                        )
                });
            }
        }
        let position = position.min(directives.len());
        directives.splice(position..position, placing);
        Some(())
    }

    /// Chooses a loop around the compute level to store at, or no directive to store at the level
    /// itself.
    fn store(&mut self, level: &LoopLevel) -> Option<Action> {
        if self.random.chance(40) {
            return None;
        }
        let last = self.facts.func(level.func)?.stages.len().checked_sub(1)?;
        let loops = self.loops_of(level.func, level.stage.unwrap_or(last));
        let position = loops.iter().position(|found| found.name == level.var)?;
        let around: Vec<String> = loops[..position]
            .iter()
            .filter(|found| is_open(found))
            .map(|found| found.name.clone())
            .collect();
        let var = self.pick(&around)?;
        Some(Action::StoreAt(LoopLevel { var, ..level.clone() }))
    }

    /// A stage that has loops.
    pub(super) fn stage(&mut self, directives: &[Directive]) -> Option<(Func, usize)> {
        let mut stages = Vec::new();
        for func in &self.facts.funcs {
            if self.facts.placement(directives, func.id) == Placement::Inline {
                continue;
            }
            // Outputs get more weight, as they are among the few funcs that take most of the time.
            for stage in 0..func.stages.len() {
                for _ in 0..if func.is_output { 2 } else { 1 } {
                    stages.push((func.clone(), stage));
                }
            }
        }
        self.pick(&stages)
    }

    /// A loop of a stage.
    pub(super) fn one_loop(
        &mut self,
        func: FuncId,
        stage: usize,
        suits: impl Fn(&NamedLoop) -> bool,
    ) -> Option<NamedLoop> {
        let loops = self.loops_of(func, stage).to_vec();
        let loops: Vec<NamedLoop> = loops.into_iter().filter(suits).collect();
        self.pick(&loops)
    }

    /// Unrolls a loop, or removes an unrolling.
    fn copies(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        let (func, stage) = self.stage(directives)?;
        let is_unroll = |found: &Directive| matches!(found.action, Action::Unroll { .. });
        let present: Vec<usize> = (0..directives.len())
            .filter(|number| directives[*number].func == func.id)
            .filter(|number| directives[*number].stage == stage && is_unroll(&directives[*number]))
            .collect();
        if let Some(number) = self.pick(&present)
            && self.random.chance(50)
        {
            directives.remove(number);
            return Some(());
        }
        let chosen = self
            .one_loop(func.id, stage, |found| is_open(found) && found.kind == LoopKind::Serial)?;
        let factor = if chosen.extent.is_some_and(|extent| extent <= MOST_COPIES)
            && self.random.chance(50)
        {
            None
        } else {
            let factor = self.pick(&[2, 2, 3, 4, 4, 8])?;
            Some(self.pool.int(factor))
        };
        let action = Action::Unroll { var: chosen.name, factor, tail: Tail::Auto };
        insert(directives, directive(func.id, stage, action));
        Some(())
    }

    /// Vectorizes a loop, or removes or moves a vectorization.
    fn lanes(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        let (func, stage) = self.stage(directives)?;
        let present = directives.iter().position(|found| {
            found.func == func.id
                && found.stage == stage
                && matches!(found.action, Action::Vectorize { .. })
        });
        if let Some(number) = present {
            directives.remove(number);
            if self.random.chance(40) {
                return Some(());
            }
        }
        let chosen = self.one_loop(func.id, stage, |found| {
            is_open(found) && !found.is_reduction && found.kind == LoopKind::Serial
        })?;
        let lanes = Some(self.pool.int(func.lanes));
        let action = Action::Vectorize { var: chosen.name, lanes, tail: Tail::Auto };
        insert(directives, directive(func.id, stage, action));
        Some(())
    }

    /// Exchanges two neighbouring loops.
    fn order(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        let (func, stage) = self.stage(directives)?;
        let mut written: Vec<&mut Vec<String>> = Vec::new();
        for found in directives.iter_mut() {
            if found.func == func.id
                && found.stage == stage
                && let Action::Reorder { vars } = &mut found.action
            {
                written.push(vars);
            }
        }
        if !written.is_empty() && self.random.chance(70) {
            let which = self.random.below(written.len());
            let vars = &mut *written[which];
            let first = self.neighbours(vars.len())?;
            vars.swap(first, first + 1);
            return Some(());
        }
        let loops: Vec<String> = self
            .loops_of(func.id, stage)
            .iter()
            .filter(|found| has_name(found))
            .map(|found| found.name.clone())
            .collect();
        let first = self.neighbours(loops.len())?;
        // The list is innermost first, so the outer one of the two moves inwards.
        let vars = vec![loops[first].clone(), loops[first + 1].clone()];
        insert(directives, directive(func.id, stage, Action::Reorder { vars }));
        Some(())
    }

    /// A random index below `count` that has a successor.
    fn neighbours(&mut self, count: usize) -> Option<usize> {
        let pairs = count.checked_sub(1).filter(|pairs| *pairs > 0)?;
        Some(self.random.below(pairs))
    }

    /// Moves, adds or removes a parallel loop.
    fn parallel(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        let (func, stage) = self.stage(directives)?;
        let present = directives.iter().position(|found| {
            found.func == func.id
                && found.stage == stage
                && matches!(found.action, Action::Traverse { kind: LoopKind::Parallel(_), .. })
        });
        if let Some(number) = present {
            directives.remove(number);
            if self.random.chance(20) {
                return Some(());
            }
        }
        let chosen = self.one_loop(func.id, stage, |found| {
            is_open(found) && !found.is_reduction && found.kind == LoopKind::Serial
        })?;
        let action = Action::Traverse { var: chosen.name, kind: LoopKind::PARALLEL };
        insert(directives, directive(func.id, stage, action));
        Some(())
    }

    /// Splits a loop. Funcs that were computed at it are computed at one of the parts.
    fn cut(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        let (func, stage) = self.stage(directives)?;
        let chosen = self.one_loop(func.id, stage, |found| {
            is_open(found) && found.extent.is_none_or(|extent| extent > 4)
        })?;
        let var = chosen.name;
        let known = self.loops_of(func.id, stage).to_vec();
        let new = |suffix: &str| {
            let mut name = fresh(&func, &var, suffix);
            while known.iter().any(|found| found.name == name) {
                name.push_str(suffix);
            }
            name
        };
        let (outer, inner) = (new("o"), new("i"));
        let factor = self.pick(&[2, 4, 8, 16, 32, 64, 128, 256])?;
        let factor = self.pool.int(factor);
        let at = if self.random.chance(60) { &outer } else { &inner };
        for found in &mut *directives {
            if let Action::ComputeAt(level) | Action::StoreAt(level) = &mut found.action
                && level.func == func.id
                && level.var == var
            {
                level.var.clone_from(at);
            }
        }
        let tail = Tail::Auto;
        let action = Action::Split { var, outer, inner, factor, tail };
        insert(directives, directive(func.id, stage, action));
        Some(())
    }

    /// Splits the loops of an output in a new way. Funcs that were computed at them are computed at
    /// the new ones.
    fn recut(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        let outputs: Vec<Func> =
            self.facts.funcs.iter().filter(|func| func.is_output).cloned().collect();
        let output = self.pick(&outputs)?;
        let is_simple = |found: &Directive| {
            found.func != output.id
                || !matches!(
                    found.action,
                    Action::Specialize { .. } | Action::Factor { .. } | Action::Wrap { .. }
                )
        };
        if !directives.iter().all(is_simple) {
            return None;
        }
        let height = self.pick(&[8, 16, 32, 64, 128])?;
        let width = self.pick(&[16, 32, 64, 128, 256, 512])?;
        let cut = match self.random.below(5) {
            0 => Cut::Rows,
            1 | 2 => Cut::Strips(height),
            _ => Cut::Tiles(width, height),
        };
        let kept = |action: &Action| {
            matches!(action, Action::Bound { .. } | Action::AlignBounds { .. }) || streams(action)
        };
        directives.retain(|found| found.func != output.id || kept(&found.action));
        let mut new = Vec::new();
        let blocks = cut_loops(self.pool, &output, cut, &mut new);
        for found in &mut *directives {
            if let Action::ComputeAt(level) | Action::HoistStorage(Some(level)) = &mut found.action
                && level.func == output.id
            {
                let inner = blocks.inner.clone().filter(|_| self.random.chance(50));
                level.var = inner.or(blocks.outer.clone())?;
            }
            if let Action::StoreAt(level) = &mut found.action
                && level.func == output.id
            {
                level.var = blocks.outer.clone()?;
            }
        }
        directives.splice(0..0, new);
        Some(())
    }

    /// Changes a tail. For outputs, tails that compute more than was requested are excluded, as
    /// callers would need larger buffers.
    fn tail(&mut self, directives: &mut [Directive]) -> Option<()> {
        let with_tail: Vec<usize> = (0..directives.len())
            .filter(|number| tail_of(&mut directives[*number].action).is_some())
            .collect();
        let number = self.pick(&with_tail)?;
        let found = &mut directives[number];
        let is_output = self.facts.func(found.func).is_none_or(|func| func.is_output);
        let tails: &[Tail] = match (found.stage > 0, is_output) {
            (true, true) => {
                &[Tail::Auto, Tail::Guard, Tail::ShiftInwardsAndBlend, Tail::RoundUpAndBlend]
            }
            (true, false) => &[
                Tail::Auto,
                Tail::Guard,
                Tail::Round,
                Tail::ShiftInwardsAndBlend,
                Tail::RoundUpAndBlend,
            ],
            (false, true) => &[Tail::Auto, Tail::Guard, Tail::Shift],
            (false, false) => &[Tail::Auto, Tail::Guard, Tail::Shift, Tail::Round],
        };
        let new = self.random.choose(tails).copied()?;
        *tail_of(&mut found.action)? = new;
        Some(())
    }

    /// Changes the kind of memory, its layout, or the partitioning of loops.
    fn memory(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        let (func, stage) = self.stage(directives)?;
        let present = directives
            .iter()
            .position(|found| found.func == func.id && matches!(found.action, Action::StoreIn(_)));
        if func.is_output && self.random.chance(60) {
            if let Some(number) = present {
                directives.remove(number);
            } else {
                insert(directives, directive(func.id, 0, Action::StoreIn(StoreIn::Stream)));
            }
            return Some(());
        }
        let action = match self.random.below(3) {
            0 if !func.is_output => {
                if let Some(number) = present {
                    directives.remove(number);
                    return Some(());
                }
                let place = self.pick(&[StoreIn::Stack, StoreIn::Register, StoreIn::Heap])?;
                Action::StoreIn(place)
            }
            1 if !func.is_output => {
                let (var, lanes) = (func.args.first()?.clone(), self.pool.int(func.lanes));
                let realigned = directives
                    .iter()
                    .position(|found| found.func == func.id && found.action == Action::Realign);
                if let Some(number) = realigned {
                    directives.remove(number);
                    return Some(());
                }
                let align = Action::AlignStorage { var: var.clone(), modulus: lanes };
                match self.random.below(4) {
                    // Realignment needs room for whole vectors, in addition to any other padding.
                    0 | 1 => {
                        insert(directives, directive(func.id, 0, align));
                        Action::Realign
                    }
                    2 => align,
                    _ => Action::PadStorage { var, amount: lanes },
                }
            }
            _ => {
                let found = self.one_loop(func.id, stage, |found| {
                    is_open(found) && found.kind == LoopKind::Serial
                })?;
                let policy = self.pick(&[Partition::Always, Partition::Never])?;
                Action::Partition { var: found.name, policy }
            }
        };
        let stage = if matches!(action, Action::Partition { .. }) { stage } else { 0 };
        insert(directives, directive(func.id, stage, action));
        Some(())
    }

    /// Removes a directive that affects only the execution of loops or the storage.
    fn leave_out(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        let candidates: Vec<usize> = (0..directives.len())
            .filter(|number| {
                matches!(
                    directives[*number].action,
                    Action::Reorder { .. }
                        | Action::Swap { .. }
                        | Action::Partition { .. }
                        | Action::Prefetch { .. }
                        | Action::AlignStorage { .. }
                        | Action::PadStorage { .. }
                        | Action::Realign
                        | Action::FoldStorage { .. }
                        | Action::HoistStorage(_)
                        | Action::StoreAt(_)
                        | Action::StoreIn(_)
                )
            })
            .collect();
        let number = self.pick(&candidates)?;
        directives.remove(number);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use halidom_codegen::Target;
    use halidom_driver::source::{self, Choice};
    use halidom_testgen::Random;

    use super::super::facts::Facts;
    use super::super::search::loops;
    use super::{Mover, changed};

    /// Schedules that make funcs of their own.
    const TEXT: &str = "
pipeline p(a: buffer<i32, 2>) -> output: buffer<i32, 1> {
    func g(x, y) = a(x, y) * 3;
    func output(x): i32 { output(x) = 0; for r in 0..16 { output(x) += g(x, r); } }
}
schedule wrapped for p { a.in(g).compute_root(); g.compute_root(); }
schedule factored for p {
    g.compute_root();
    output.update().split(r, ro, ri, 4).rfactor(ri, u, part);
    part.compute_root().bound_extent(u, 4);
}
";

    #[test]
    fn schedules_with_funcs_of_their_own_are_changed() {
        let mut loaded = source::parse("p.hal", TEXT);
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let facts = Facts::of(&loaded.module.pool, &algorithm, &Target::host());
        for schedule in 0..2 {
            let choice = Choice { pipeline: 0, schedule: Some(schedule) };
            let start = loaded.schedule_of(&choice).directives;
            let found = loops(&loaded.module.pool, &algorithm, &start);
            assert!(found.len() >= 3, "{} stages", found.len());
            let mut random = Random::new(7);
            for _ in 0..500 {
                let pool = &mut loaded.module.pool;
                let mut mover = Mover { pool, facts: &facts, loops: &found, random: &mut random };
                changed(&mut mover, &start);
            }
        }
    }
}
