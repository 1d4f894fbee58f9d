//! Directives that rewrite the algorithm: wrappers, and updates in parts.

use std::fmt::Write;

use super::{Loop, Maker, Stage, loops};
use crate::FuncText;

impl Maker<'_> {
    /// Returns a copy of a func or an input, for all its readers or for one, computed where this
    /// reader reads it.
    pub(super) fn wrapper(&mut self, func: &FuncText) -> Option<String> {
        let reader = *self.random.choose(&func.readers)?;
        let users = match self.random.below(3) {
            0 => String::new(),
            _ => self.pipeline.funcs[reader].name.clone(),
        };
        let name = format!("{}.in({users})", func.name);
        let mut copy = loops(func.stages.first()?);
        self.wrapper = None;
        let level = self.level(&[reader]);
        let chain = match (self.random.below(6), level) {
            // The copy stays where it is substituted.
            (0, _) | (_, None) => String::new(),
            (1, _) => format!(".compute_root(){}", self.loop_directives(&mut copy, Stage::Pure)),
            (_, Some(level)) => {
                let mut chain = self.at(&level);
                chain.push_str(&self.layout(func));
                chain.push_str(&self.loop_directives(&mut copy, Stage::Pure));
                chain
            }
        };
        if !chain.is_empty() {
            self.wrapper = Some((name.clone(), copy));
        }
        Some(format!("    {name}{chain};\n"))
    }

    /// Separates an update's work for each value of one of its reduction variables. Afterwards
    /// `update` holds the loops that merge the parts.
    pub(super) fn factored(
        &mut self,
        func: &FuncText,
        stage: usize,
        update: &mut Vec<Loop>,
    ) -> Option<String> {
        let domain: Vec<usize> = (0..update.len()).filter(|at| update[*at].is_reduction).collect();
        let at = *self.random.choose(&domain)?;
        let mut chain = String::new();
        if self.random.chance(30) {
            let name = update[at].name.clone();
            let (outer, inner) = (self.fresh(&name), self.fresh(&name));
            let factor = self.pick(&[2, 3, 4], 2);
            chain = format!(".split({name}, {outer}, {inner}, {factor})");
            super::split(update, at, outer, inner, true);
        }
        // If the variable was split, the choice is one of the two halves.
        let at = if chain.is_empty() { at } else { at + self.random.below(2) };
        let kept = update.remove(at);
        let (var, part) = (self.fresh("u"), self.fresh("part"));
        _ = write!(chain, ".rfactor({}, {var}, {part})", kept.name);
        let pure: Vec<Loop> = loops(func.stages.first()?);
        let mut initial = pure.clone();
        let mut own = update.clone();
        for loops in [&mut initial, &mut own] {
            loops.push(Loop::new(var.clone(), false));
        }
        match (self.random.below(4), pure.last()) {
            (0, Some(outer)) => _ = write!(chain, ".compute_at({}, {})", func.name, outer.name),
            _ => chain.push_str(".compute_root()"),
        }
        if self.random.chance(40) {
            chain.push_str(&self.loop_directives(&mut initial, Stage::Pure));
        }
        if self.random.chance(60) {
            chain.push_str(".update()");
            chain.push_str(&self.loop_directives(&mut own, Stage::Update));
        }
        *update = vec![kept];
        update.extend(pure);
        Some(format!("    {}.update({stage}){chain};\n", func.name))
    }
}
