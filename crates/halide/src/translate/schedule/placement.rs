//! The directives for the place of a func's computation and storage, its bounds, and its memory.

use halidom_base::FxHashSet;
use halidom_ir::{Action, FoldDirection, FuncId, LoopLevel as Level};

use super::Writer;
use crate::NameId;
use crate::pipeline::{Func, LoopLevel};
use crate::tree::ForKind;

/// A place of computation or storage.
enum Place {
    /// At the top.
    Top,
    /// In a loop.
    At(Level),
}

impl Writer<'_> {
    /// The directives for a func as a whole.
    pub(super) fn placed(&mut self, func: &Func, id: FuncId) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.inlined.contains(&id) {
            return vec![Action::ComputeInline];
        }
        let schedule = &func.schedule;
        if !self.outputs.contains(&id) {
            actions.push(self.computed(func, id));
            if schedule.store != schedule.compute && schedule.store != LoopLevel::Inlined {
                match self.level(&schedule.store, id) {
                    Some(Place::At(level)) => actions.push(Action::StoreAt(level)),
                    Some(Place::Top) => actions.push(Action::StoreRoot),
                    None => self.note(func, "the loop at which it is stored"),
                }
            }
            if schedule.hoist != schedule.store && schedule.hoist != LoopLevel::Inlined {
                match self.level(&schedule.hoist, id) {
                    Some(Place::At(level)) => actions.push(Action::HoistStorage(Some(level))),
                    Some(Place::Top) => actions.push(Action::HoistStorage(None)),
                    None => self.note(func, "the loop at which its memory is taken"),
                }
            }
        }
        let place = self.memory(func);
        // The caller decides where an output lies.
        actions.extend(place.filter(|_| !self.outputs.contains(&id)).map(Action::StoreIn));
        self.dimensions(func, id, &mut actions);
        self.bounds(func, id, &mut actions);
        for (stands, what) in [
            (schedule.memoized, "`memoize`"),
            (schedule.is_async, "`async`"),
            (schedule.ring_buffer.is_some(), "`ring_buffer`"),
        ] {
            if stands {
                self.note(func, what);
            }
        }
        actions
    }

    fn computed(&mut self, func: &Func, id: FuncId) -> Action {
        if func.schedule.compute == LoopLevel::Inlined {
            // A func with updates is computed where it is read.
            let level = self.where_read(id);
            if level.is_none() {
                self.note(func, "computed for each value that is read; it is `compute_root` here");
            }
            return level.map_or(Action::ComputeRoot, Action::ComputeAt);
        }
        match self.level(&func.schedule.compute, id) {
            Some(Place::At(level)) => Action::ComputeAt(level),
            Some(Place::Top) => Action::ComputeRoot,
            None => {
                self.note(func, "the loop at which it is computed; it is `compute_root` here");
                Action::ComputeRoot
            }
        }
    }

    /// Translates a level that Halide names.
    fn level(&self, level: &LoopLevel, of: FuncId) -> Option<Place> {
        let LoopLevel::At { func, stage, var } = level else {
            return (*level == LoopLevel::Root).then_some(Place::Top);
        };
        let host = *self.funcs.get(func)?;
        let stages = self.loops.keys().filter(|(known, _)| *known == host);
        let mut stages: Vec<usize> = stages.map(|(_, stage)| *stage).collect();
        stages.sort_unstable();
        let named = |stage: usize| self.named((host, stage), *var).is_some();
        let stage = match usize::try_from(*stage) {
            Ok(stage) => stage,
            Err(_) => {
                stages.retain(|stage| named(*stage) && self.leads_to((host, *stage), of));
                let [stage] = stages.as_slice() else { return None };
                *stage
            }
        };
        let var = self.named((host, stage), *var)?;
        self.at((host, stage), var).map(Place::At)
    }

    /// The level of a loop; `None` for the first stage of several, which levels cannot name.
    fn at(&self, (func, stage): (FuncId, usize), var: String) -> Option<Level> {
        let is_only = !self.loops.contains_key(&(func, 1));
        match stage {
            0 => is_only.then_some(Level { func, stage: None, var }),
            stage => Some(Level { func, stage: Some(stage), var }),
        }
    }

    /// Our name for a loop, if directives can name it.
    fn named(&self, stage: (FuncId, usize), var: NameId) -> Option<String> {
        let names = self.translation.nodes.names;
        let text = names.text(var);
        let loops = self.loops.get(&stage)?;
        let exact = loops.iter().find(|found| found.name == var);
        let suffixed = || {
            loops.iter().find(|found| {
                names
                    .text(found.name)
                    .strip_suffix(text)
                    .is_some_and(|rest| rest.ends_with(['.', '$']))
            })
        };
        let found = exact.or_else(suffixed)?;
        (!found.word.contains('.')).then(|| found.word.clone())
    }

    /// Tests whether a stage reads a func, directly or through others.
    fn leads_to(&self, stage: (FuncId, usize), of: FuncId) -> bool {
        let mut seen = FxHashSet::default();
        let mut pending = Vec::new();
        let own = self.reads.iter().filter(|(known, _)| *known == stage);
        pending.extend(own.flat_map(|(_, read)| read.iter().copied()));
        while let Some(func) = pending.pop() {
            if func == of {
                return true;
            }
            if func != stage.0 && seen.insert(func) {
                let all = self.reads.iter().filter(|((known, _), _)| *known == func);
                pending.extend(all.flat_map(|(_, read)| read.iter().copied()));
            }
        }
        false
    }

    /// The innermost loop that encloses all reads of a func and lies outside of vectorized loops,
    /// provided that a single stage reads it.
    fn where_read(&self, id: FuncId) -> Option<Level> {
        let mut readers: Vec<(FuncId, usize)> = Vec::new();
        let mut read = vec![id];
        let mut seen: FxHashSet<FuncId> = FxHashSet::default();
        while let Some(func) = read.pop() {
            if !seen.insert(func) {
                continue;
            }
            for ((reader, stage), found) in &self.reads {
                if !found.contains(&func) || *reader == func {
                    continue;
                }
                if self.inlined.contains(reader) {
                    read.push(*reader);
                } else if !readers.contains(&(*reader, *stage)) {
                    readers.push((*reader, *stage));
                }
            }
        }
        let [reader] = readers.as_slice() else { return None };
        let loops = self.loops.get(reader)?;
        let is_vector = |kind| kind == ForKind::Vectorized;
        let outside = loops.iter().rposition(|found| is_vector(found.kind)).map_or(0, |at| at + 1);
        let found = loops[outside..].iter().find(|found| !found.word.contains('.'))?;
        self.at(*reader, found.word.clone())
    }

    fn dimensions(&mut self, func: &Func, id: FuncId, actions: &mut Vec<Action>) {
        let storage = &func.schedule.storage;
        let order: Vec<NameId> = storage.iter().map(|dim| dim.name).collect();
        if order != func.args && order.len() == func.args.len() && order.len() > 1 {
            let vars: Option<Vec<String>> =
                order.iter().map(|name| self.variable(func, id, *name)).collect();
            match vars {
                Some(vars) => actions.push(Action::ReorderStorage { vars }),
                None => self.note(func, "`reorder_storage`"),
            }
        }
        for dim in storage {
            let Some(var) = self.variable(func, id, dim.name) else { continue };
            if let Some(modulus) = &dim.alignment {
                match self.number(modulus) {
                    Ok(modulus) => {
                        actions.push(Action::AlignStorage { var: var.clone(), modulus });
                    }
                    Err(_) => self.note(func, &format!("`align_storage` of `{var}`")),
                }
            }
            if dim.bound.is_some() {
                self.note(func, &format!("`bound_storage` of `{var}`"));
            }
            if let Some(factor) = &dim.fold {
                let forward = dim.fold_forward;
                let direction =
                    if forward { FoldDirection::Forward } else { FoldDirection::Backward };
                match self.number(factor) {
                    Ok(factor) => actions.push(Action::FoldStorage {
                        var,
                        factor,
                        direction: Some(direction),
                    }),
                    Err(_) => self.note(func, &format!("`fold_storage` of `{var}`")),
                }
            }
        }
    }

    fn bounds(&mut self, func: &Func, id: FuncId, actions: &mut Vec<Action>) {
        for bound in &func.schedule.bounds {
            let Some(var) = self.variable(func, id, bound.name) else { continue };
            let mut number = |expr: &Option<crate::tree::Expr>| {
                expr.as_ref().map(|expr| self.number(expr)).transpose()
            };
            let parts = (|| {
                Ok::<_, super::super::Unsupported>((
                    number(&bound.min)?,
                    number(&bound.extent)?,
                    number(&bound.modulus)?,
                    number(&bound.remainder)?,
                ))
            })();
            match parts {
                Ok((min, Some(extent), None, None)) => {
                    actions.push(Action::Bound { var, min, extent });
                }
                Ok((None, None, Some(modulus), Some(remainder))) => {
                    actions.push(Action::AlignBounds { var, modulus, remainder });
                }
                Ok((None, None, Some(_), None)) => {
                    self.note(func, &format!("`align_extent` of `{var}`"));
                }
                Ok(_) | Err(_) => self.note(func, &format!("bounds of `{var}`")),
            }
        }
    }

    /// Our name for a pure variable.
    fn variable(&self, func: &Func, id: FuncId, name: NameId) -> Option<String> {
        let place = func.args.iter().position(|arg| *arg == name)?;
        let var = *self.pool().func(id).args.get(place)?;
        Some(self.pool().var(var).name.clone())
    }
}
