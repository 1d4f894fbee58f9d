//! The places where a func is computed and where its memory is taken, and the memory's layout.

use std::fmt::Write;

use super::Maker;
use crate::FuncText;

/// A place at which something is computed.
pub(super) struct Level {
    /// The func, with its stage if the stage is named.
    consumer: String,
    /// The loop.
    var: String,
    /// The outermost loop of that stage.
    outer: String,
}

impl Maker<'_> {
    /// Returns directives for the places where a func is computed and stored.
    pub(super) fn placement(&mut self, func: &FuncText) -> String {
        let at = self.level(&func.readers);
        match (self.random.below(10), at) {
            // A func with updates has no definition to substitute.
            (0 | 1, _) if func.stages.len() == 1 || self.random.chance(10) => {
                ".compute_inline()".to_owned()
            }
            (2, _) => ".compute_root()".to_owned(),
            (3..=8, Some(level)) => {
                let mut text = vec![self.at(&level)];
                text.push(self.layout(func));
                text.concat()
            }
            _ => String::new(),
        }
    }

    /// Returns a loop of a reader. If there is a wrapper, it is mostly a loop of the wrapper;
    /// otherwise, of one of the reader's stages.
    pub(super) fn level(&mut self, readers: &[usize]) -> Option<Level> {
        let mut of = None;
        if self.random.chance(60) {
            of.clone_from(&self.wrapper);
        }
        let (consumer, loops) = match of {
            Some(wrapper) => wrapper,
            None => {
                let reader = *self.random.choose(readers)?;
                let name = &self.pipeline.funcs[reader].name;
                let stages = self.loops[reader].len();
                // Without a stage, the last stage is meant.
                let last = stages.checked_sub(1)?;
                let stage = if self.random.chance(60) { last } else { self.random.below(stages) };
                let is_named = stage > 0 && (stage < last || self.random.chance(30));
                let consumer =
                    if is_named { format!("{name}.update({stage})") } else { name.clone() };
                (consumer, self.loops[reader][stage].clone())
            }
        };
        // Outer loops are legal more often.
        let skip = if loops.len() > 1 && self.random.chance(75) { loops.len() / 2 } else { 0 };
        let at = skip + self.random.below(loops.len().checked_sub(skip)?.max(1));
        let var = loops.get(at)?.name.clone();
        let outer = loops.last()?.name.clone();
        Some(Level { consumer, var, outer })
    }

    /// Returns `compute_at` and directives for the place of the memory.
    pub(super) fn at(&mut self, level: &Level) -> String {
        let Level { consumer, var, outer } = level;
        let mut text = format!(".compute_at({consumer}, {var})");
        // Storage around loops that move the region makes windows slide and memory fold.
        match self.random.below(6) {
            0 | 1 => text.push_str(".store_root()"),
            2 => _ = write!(text, ".store_at({consumer}, {outer})"),
            _ => {}
        }
        match self.random.below(12) {
            0 => text.push_str(".hoist_storage_root()"),
            1 => _ = write!(text, ".hoist_storage({consumer}, {outer})"),
            _ => {}
        }
        text
    }

    /// Returns directives on the layout of a func's memory.
    pub(super) fn layout(&mut self, func: &FuncText) -> String {
        let dims: Vec<String> =
            func.stages.first().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let Some(dim) = self.random.choose(&dims).cloned() else { return String::new() };
        match self.random.below(12) {
            0 => {
                let factor = self.pick(&[1, 2, 3, 4, 7, 8, 16], 4);
                let direction = self.pick(&["", "", "", ", forward", ", backward"], "");
                format!(".fold_storage({dim}, {factor}{direction})")
            }
            1 => {
                let modulus = self.pick(&[2, 3, 8], 8);
                let realign =
                    if modulus != 3 && dims.first() == Some(&dim) { ".realign()" } else { "" };
                format!(".align_storage({dim}, {modulus}){realign}")
            }
            2 if dims.len() > 1 => {
                let names: Vec<String> = dims.iter().rev().cloned().collect();
                format!(".reorder_storage({})", names.join(", "))
            }
            3 => {
                let place = self.pick(&["heap", "auto", "stack", "register"], "heap");
                format!(".store_in({place})")
            }
            4 => format!(".pad_storage({dim}, {})", self.pick(&[1, 3, 8], 8)),
            _ => String::new(),
        }
    }
}
