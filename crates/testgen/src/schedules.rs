//! Random schedules as text. Most are legal; those that are not must be refused with a diagnostic.

use crate::{FuncText, PipelineText, Random};

/// Factors of splits.
const FACTORS: [usize; 6] = [2, 3, 4, 5, 8, 16];
/// Numbers of lanes.
const LANES: [usize; 4] = [2, 4, 8, 16];

/// Makes the schedule of a seed, named `name`, for a pipeline.
pub fn schedule(pipeline: &PipelineText, name: &str, seed: u64) -> String {
    let mut maker = Maker { random: Random::new(seed), pipeline, loops: Vec::new(), fresh: 0 };
    format!("schedule {name} for {} {{\n{}}}\n", pipeline.name, maker.make())
}

struct Maker<'p> {
    random: Random,
    pipeline: &'p PipelineText,
    /// The loops of each func's last stage after its directives, innermost first: where producers are placed.
    loops: Vec<Vec<Loop>>,
    fresh: usize,
}

#[derive(Clone, Debug)]
struct Loop {
    name: String,
    is_reduction: bool,
    /// Whether something was made of it that ends its changes.
    done: bool,
}

impl Maker<'_> {
    fn make(&mut self) -> String {
        let funcs = &self.pipeline.funcs;
        self.loops = funcs
            .iter()
            .map(|func| func.stages.last().map(|stage| loops(stage)).unwrap_or_default())
            .collect();
        let mut text: Vec<String> = Vec::new();
        // Readers first, so that producers can be placed at their loops.
        for number in (0..funcs.len()).rev() {
            let func = &funcs[number];
            if func.synthetic || self.random.chance(10) {
                continue;
            }
            let is_output = number + 1 == funcs.len();
            let placement = if is_output { String::new() } else { self.placement(func) };
            let inline = placement.contains("compute_inline");
            let mut chain = placement;
            if !inline {
                let mut stage = func.stages.first().map(|stage| loops(stage)).unwrap_or_default();
                chain.push_str(&self.loop_directives(&mut stage, false));
                self.loops[number] = stage;
                if self.random.chance(12) {
                    chain.push_str(&self.specialization(func));
                }
                // A specialization's block may only be followed by nothing.
                if self.random.chance(20) && !chain.ends_with("}\n") {
                    chain.push_str(&self.bounds(func));
                }
            }
            if !chain.is_empty() {
                let end = if chain.ends_with("}\n") { "" } else { ";\n" };
                text.push(format!("    {}{chain}{end}", func.name));
            }
            if inline {
                continue;
            }
            for (stage, update) in func.stages.iter().enumerate().skip(1) {
                let mut update = loops(update);
                let chain = self.loop_directives(&mut update, true);
                self.loops[number] = update;
                if !chain.is_empty() {
                    text.push(format!("    {}.update({stage}){chain};\n", func.name));
                }
            }
        }
        text.concat()
    }

    fn pick<T: Copy>(&mut self, choices: &[T], otherwise: T) -> T {
        self.random.choose(choices).copied().unwrap_or(otherwise)
    }

    fn fresh(&mut self, base: &str) -> String {
        self.fresh += 1;
        format!("{base}{}", self.fresh)
    }

    /// A directive of the bounds phase.
    fn bounds(&mut self, func: &FuncText) -> String {
        let pure: Vec<String> =
            func.stages.iter().take(1).flatten().map(|(name, _)| name.clone()).collect();
        let Some(var) = self.random.choose(&pure).cloned() else { return String::new() };
        let (modulus, extent) = (self.pick(&FACTORS, 4), self.pick(&[16, 40, 64], 40));
        match self.random.below(4) {
            0 => {
                let min = self.random.between(-8, 0);
                format!(".bound({var}, {min}, {extent})")
            }
            1 => format!(".bound_extent({var}, {extent})"),
            2 => format!(".align_bounds({var}, {modulus})"),
            _ => format!(".align_bounds({var}, {modulus}, {})", self.random.below(modulus)),
        }
    }

    /// Where a func is computed and stored.
    fn placement(&mut self, func: &FuncText) -> String {
        let reader = self.random.choose(&func.readers).copied();
        let at = reader.and_then(|reader| {
            let loops = &self.loops[reader];
            // Outer loops are legal more often.
            let skip = if loops.len() > 1 && self.random.chance(75) { loops.len() / 2 } else { 0 };
            let name = self.random.choose(&loops[skip..])?.name.clone();
            Some((self.pipeline.funcs[reader].name.clone(), name, reader))
        });
        match (self.random.below(10), at) {
            // A func with updates has no definition to substitute.
            (0 | 1, _) if func.stages.len() == 1 || self.random.chance(10) => {
                ".compute_inline()".to_owned()
            }
            (2, _) => ".compute_root()".to_owned(),
            (3..=8, Some((reader, var, number))) => {
                let mut text = vec![format!(".compute_at({reader}, {var})")];
                // Storage around loops that move the region makes windows slide and memory fold.
                match self.random.below(6) {
                    0 | 1 => text.push(".store_root()".to_owned()),
                    2 => {
                        if let Some(outer) = self.loops[number].last() {
                            text.push(format!(".store_at({reader}, {})", outer.name));
                        }
                    }
                    _ => {}
                }
                text.push(self.layout(func));
                text.concat()
            }
            _ => String::new(),
        }
    }

    /// Directives on the layout of a func's memory.
    fn layout(&mut self, func: &FuncText) -> String {
        let dims: Vec<String> =
            func.stages.first().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let Some(dim) = self.random.choose(&dims).cloned() else { return String::new() };
        match self.random.below(12) {
            0 => {
                let factor = self.pick(&[1, 2, 3, 4, 7, 8, 16], 4);
                let direction = self.pick(&["", "", "", ", forward", ", backward"], "");
                format!(".fold_storage({dim}, {factor}{direction})")
            }
            1 => format!(".align_storage({dim}, {})", self.pick(&[2, 3, 8], 8)),
            2 if dims.len() > 1 => {
                let names: Vec<String> = dims.iter().rev().cloned().collect();
                format!(".reorder_storage({})", names.join(", "))
            }
            3 => {
                let place = self.pick(&["heap", "auto", "stack", "register"], "heap");
                format!(".store_in({place})")
            }
            _ => String::new(),
        }
    }

    /// Directives on a stage's loops; `loops` is what they leave.
    fn loop_directives(&mut self, loops: &mut Vec<Loop>, is_update: bool) -> String {
        let mut text: Vec<String> = Vec::new();
        for _ in 0..self.random.below(5) {
            let candidates: Vec<usize> = (0..loops.len()).filter(|k| !loops[*k].done).collect();
            let Some(at) = self.random.choose(&candidates).copied() else { break };
            let name = loops[at].name.clone();
            let is_reduction = loops[at].is_reduction;
            match self.random.below(13) {
                11 if at + 1 < loops.len() => {
                    text.push(format!(".swap({})", loops[at + 1].name));
                    loops.swap(at, at + 1);
                }
                12 if self.random.chance(40) => text.push(format!(".serial({name})")),
                0 | 1 => {
                    let (outer, inner) = (self.fresh(&name), self.fresh(&name));
                    let factor = self.factor();
                    let tail = self.tail(is_update);
                    text.push(format!(".split({name}, {outer}, {inner}, {factor}{tail})"));
                    split(loops, at, outer, inner);
                }
                2 if loops.len() >= 2 && !is_update => {
                    let (x, y) = (loops[0].name.clone(), loops[1].name.clone());
                    if loops[0].done || loops[1].done {
                        continue;
                    }
                    let [xo, yo] = [self.fresh(&x), self.fresh(&y)];
                    let [xi, yi] = [self.fresh(&x), self.fresh(&y)];
                    let (width, height) = (self.pick(&FACTORS, 2), self.pick(&FACTORS, 2));
                    let tail = self.tail(is_update);
                    text.push(format!(
                        ".tile({x}, {y}, {xo}, {yo}, {xi}, {yi}, {width}, {height}{tail})"
                    ));
                    let made = [xi, yi, xo, yo].map(|name| Loop {
                        name,
                        is_reduction: false,
                        done: false,
                    });
                    loops.splice(0..2, made);
                }
                3 if loops.len() >= 2 => {
                    self.random.shuffle(loops);
                    let names: Vec<&str> = loops.iter().map(|entry| entry.name.as_str()).collect();
                    text.push(format!(".reorder({})", names.join(", ")));
                }
                4 if at + 1 < loops.len() => {
                    let outer = loops[at + 1].clone();
                    let fused = self.fresh(&name);
                    text.push(format!(".fuse({}, {name}, {fused})", outer.name));
                    let is_reduction = is_reduction || outer.is_reduction;
                    loops.splice(
                        at..=at + 1,
                        [Loop { name: fused, is_reduction, done: outer.done }],
                    );
                }
                5 if !is_reduction || self.random.chance(5) => {
                    text.push(format!(".parallel({name})"));
                    loops[at].done = true;
                }
                6 | 7 if !is_reduction || self.random.chance(5) => {
                    // Without a number of lanes only a loop of constant extent can be vectorized.
                    let lanes = self.pick(&LANES, 4);
                    let tail = self.tail(is_update);
                    text.push(format!(".vectorize({name}, {lanes}{tail})"));
                    loops[at].done = true;
                }
                8 => {
                    let factor = self.pick(&[2, 3, 4], 2);
                    let tail = self.tail(is_update);
                    text.push(format!(".unroll({name}, {factor}{tail})"));
                    loops[at].done = true;
                }
                9 => {
                    let policy = self.pick(&["never", "always", "auto"], "auto");
                    text.push(format!(".partition({name}, {policy})"));
                }
                10 if self.random.chance(30) => {
                    let renamed = self.fresh(&name);
                    text.push(format!(".rename({name}, {renamed})"));
                    loops[at].name = renamed;
                }
                _ => {}
            }
        }
        text.concat()
    }

    /// The factor of a split: a number, or now and then a parameter.
    fn factor(&mut self) -> String {
        match self.random.choose(&self.pipeline.factors).cloned() {
            Some(factor) if self.random.chance(25) => factor,
            Some(_) | None => self.pick(&FACTORS, 2).to_string(),
        }
    }

    /// The tail of a split; for updates mostly one that is legal.
    fn tail(&mut self, is_update: bool) -> &'static str {
        if is_update && !self.random.chance(5) {
            return self.pick(
                &["", ", tail: guard", ", tail: predicate", ", tail: round_up_and_blend"],
                "",
            );
        }
        self.pick(
            &[
                "",
                ", tail: guard",
                ", tail: shift",
                ", tail: round",
                ", tail: predicate_loads",
                ", tail: shift_inwards_and_blend",
            ],
            "",
        )
    }

    /// Copies of the func under conditions; now and then one behind another.
    fn specialization(&mut self, func: &FuncText) -> String {
        let mut text = self.specialized(func);
        if !text.is_empty() && self.random.chance(30) {
            // A chain goes on behind the block.
            text.truncate(text.trim_end().len());
            text.push_str(&self.specialized(func));
        }
        text
    }

    /// A copy of the func under a condition, vectorized or unrolled. Specializations come before other directives, so its loops are the original ones.
    fn specialized(&mut self, func: &FuncText) -> String {
        let condition = self.random.choose(&self.pipeline.conditions).cloned();
        let free: Vec<String> =
            func.stages.iter().take(1).flatten().map(|(name, _)| name.clone()).collect();
        match (condition, self.random.choose(&free)) {
            (Some(condition), Some(name)) => {
                let mut inner = match self.random.below(4) {
                    0 | 1 => format!("{}.vectorize({name}, 4)", func.name),
                    2 => format!("{}.unroll({name}, 4)", func.name),
                    _ => {
                        let (outer, within) = (self.fresh(name), self.fresh(name));
                        let factor = self.factor();
                        format!(
                            "{}.split({name}, {outer}, {within}, {factor}).parallel({outer})",
                            func.name
                        )
                    }
                };
                if func.stages.len() > 1
                    && self.random.chance(40)
                    && let Some((last, false)) = func.stages[1].last()
                {
                    inner = format!("{inner};\n        {}.update(1).unroll({last}, 2)", func.name);
                }
                format!(".specialize({condition}) {{\n        {inner};\n    }}\n")
            }
            (_, _) => String::new(),
        }
    }
}

fn loops(stage: &[(String, bool)]) -> Vec<Loop> {
    stage
        .iter()
        .map(|(name, is_reduction)| Loop {
            name: name.clone(),
            is_reduction: *is_reduction,
            done: false,
        })
        .collect()
}

fn split(loops: &mut Vec<Loop>, at: usize, outer: String, inner: String) {
    let is_reduction = loops[at].is_reduction;
    let made = [inner, outer].map(|name| Loop { name, is_reduction, done: false });
    loops.splice(at..=at, made);
}
