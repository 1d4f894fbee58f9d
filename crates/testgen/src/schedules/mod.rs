//! Random schedules as text. Most are legal; the others must be refused with a diagnostic.

mod placement;
mod rewritings;

use crate::{FuncText, PipelineText, Random};

/// Factors of splits.
const FACTORS: [usize; 6] = [2, 3, 4, 5, 8, 16];
/// The percentage of funcs and inputs that have a wrapper.
const WRAPPERS: usize = 12;
/// The percentage of updates over domains that are factored.
const FACTORED: usize = 20;
/// The percentage of updates over domains that are atomic.
const ATOMIC: usize = 15;
/// Numbers of lanes.
const LANES: [usize; 4] = [2, 4, 8, 16];

/// Makes the schedule of a seed, named `name`, for a pipeline.
pub fn schedule(pipeline: &PipelineText, name: &str, seed: u64) -> String {
    let mut maker =
        Maker { random: Random::new(seed), pipeline, loops: Vec::new(), wrapper: None, fresh: 0 };
    format!("schedule {name} for {} {{\n{}}}\n", pipeline.name, maker.make())
}

struct Maker<'p> {
    random: Random,
    pipeline: &'p PipelineText,
    /// The loops of each func's stages after its directives, innermost first. Producers are placed
    /// at them.
    loops: Vec<Vec<Vec<Loop>>>,
    /// The current func's wrapper, as a level names it, and its loops.
    wrapper: Option<(String, Vec<Loop>)>,
    fresh: usize,
}

#[derive(Clone, Debug)]
struct Loop {
    name: String,
    is_reduction: bool,
    /// True if a directive was applied that ends its changes.
    done: bool,
    /// True if its extent is a number, so that it can be vectorized or unrolled as a whole.
    is_short: bool,
}

impl Loop {
    fn new(name: impl Into<String>, is_reduction: bool) -> Self {
        Self { name: name.into(), is_reduction, done: false, is_short: false }
    }
}

/// The kind of a stage, which decides what may be done with its loops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The first stage of an output.
    Output,
    /// The first stage of another func.
    Pure,
    /// An update.
    Update,
    /// An update whose iterations may meet in one location.
    Atomic,
}

impl Maker<'_> {
    fn make(&mut self) -> String {
        let funcs = &self.pipeline.funcs;
        self.loops = funcs
            .iter()
            .map(|func| func.stages.iter().map(|stage| loops(stage)).collect())
            .collect();
        let mut text: Vec<String> = Vec::new();
        // Readers first, so that producers can be placed at their loops.
        for number in (0..funcs.len()).rev() {
            let func = &funcs[number];
            if func.synthetic || self.random.chance(10) {
                continue;
            }
            self.wrapper = None;
            if self.random.chance(WRAPPERS) {
                text.extend(self.wrapper(func));
            }
            let is_output = number + 1 == funcs.len();
            let placement = if is_output { String::new() } else { self.placement(func) };
            let inline = placement.contains("compute_inline");
            let mut chain = placement;
            if !inline {
                let mut stage = func.stages.first().map(|stage| loops(stage)).unwrap_or_default();
                let kind = if is_output { Stage::Output } else { Stage::Pure };
                chain.push_str(&self.loop_directives(&mut stage, kind));
                if self.random.chance(15) {
                    chain.push_str(&self.prefetch(number, &stage));
                }
                if let Some(own) = self.loops[number].first_mut() {
                    *own = stage;
                }
                if self.random.chance(12) {
                    chain.push_str(&self.specialization(func));
                }
                // Nothing may follow a specialization's block.
                if self.random.chance(20) && !chain.ends_with('\n') {
                    chain.push_str(&self.bounds(func));
                }
            }
            if !chain.is_empty() {
                let end = if chain.ends_with('\n') { "" } else { ";\n" };
                text.push(format!("    {}{chain}{end}", func.name));
            }
            if inline {
                continue;
            }
            for stage in 1..func.stages.len() {
                text.extend(self.update(number, stage));
            }
        }
        for input in &self.pipeline.inputs {
            if self.random.chance(WRAPPERS) {
                text.extend(self.wrapper(input));
            }
        }
        text.concat()
    }

    /// Returns directives for an update.
    fn update(&mut self, number: usize, stage: usize) -> Vec<String> {
        let func = &self.pipeline.funcs[number];
        let mut text = Vec::new();
        let mut update = loops(&func.stages[stage]);
        let has_domain = update.iter().any(|entry| entry.is_reduction);
        if has_domain && self.random.chance(FACTORED) {
            text.extend(self.factored(func, stage, &mut update));
        }
        let is_atomic = has_domain && self.random.chance(ATOMIC);
        let kind = if is_atomic { Stage::Atomic } else { Stage::Update };
        let mut chain = if is_atomic { ".atomic()".to_owned() } else { String::new() };
        chain.push_str(&self.loop_directives(&mut update, kind));
        self.loops[number][stage] = update;
        if !chain.is_empty() {
            // The first update needs no number.
            let which = if stage == 1 && self.random.chance(30) {
                String::new()
            } else {
                stage.to_string()
            };
            text.push(format!("    {}.update({which}){chain};\n", func.name));
        }
        text
    }

    fn pick<T: Copy>(&mut self, choices: &[T], otherwise: T) -> T {
        self.random.choose(choices).copied().unwrap_or(otherwise)
    }

    /// Returns the policy by which a parallel loop is dealt, which is mostly left open.
    fn deal(&mut self) -> String {
        if self.random.chance(60) {
            return String::new();
        }
        let policy = self.pick(&["static", "dynamic"], "static");
        let chunk = self.pick(&[1, 2, 5], 2);
        if self.random.chance(40) {
            format!(", {policy}")
        } else {
            format!(", {policy}, chunk: {chunk}")
        }
    }

    fn fresh(&mut self, base: &str) -> String {
        self.fresh += 1;
        format!("{base}{}", self.fresh)
    }

    /// Returns a directive of the bounds phase.
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

    /// Returns a directive that prefetches something that a func reads, at one of its loops.
    fn prefetch(&mut self, number: usize, loops: &[Loop]) -> String {
        let all = self.pipeline.inputs.iter().chain(&self.pipeline.funcs);
        let read: Vec<String> =
            all.filter(|f| f.readers.contains(&number)).map(|f| f.name.clone()).collect();
        let names: Vec<String> = loops.iter().map(|entry| entry.name.clone()).collect();
        let (Some(read), Some(at)) =
            (self.random.choose(&read).cloned(), self.random.choose(&names).cloned())
        else {
            return String::new();
        };
        let ahead = self.pick(&[1, 2, 7], 1);
        format!(".prefetch({read}, at: {at}, ahead: {ahead})")
    }

    /// Returns directives on a stage's loops. Afterwards `loops` holds the loops that they leave.
    fn loop_directives(&mut self, loops: &mut Vec<Loop>, stage: Stage) -> String {
        let is_update = matches!(stage, Stage::Update | Stage::Atomic);
        // Iterations of a reduction may meet in one location, unless the update is atomic.
        let bound = |entry: &Loop| entry.is_reduction && stage != Stage::Atomic;
        let mut text: Vec<String> = Vec::new();
        for _ in 0..self.random.below(5) {
            let candidates: Vec<usize> = (0..loops.len()).filter(|k| !loops[*k].done).collect();
            let Some(at) = self.random.choose(&candidates).copied() else { break };
            let name = loops[at].name.clone();
            let Loop { is_reduction, is_short, .. } = loops[at];
            match self.random.below(13) {
                11 if at + 1 < loops.len() => {
                    text.push(format!(".swap({})", loops[at + 1].name));
                    loops.swap(at, at + 1);
                }
                12 if self.random.chance(40) => text.push(format!(".serial({name})")),
                0 | 1 => {
                    let (outer, inner) = (self.fresh(&name), self.fresh(&name));
                    let factor = self.factor();
                    let tail = if stage == Stage::Output && self.random.chance(10) {
                        ", tail: shift_inwards"
                    } else {
                        self.tail(is_update)
                    };
                    text.push(format!(".split({name}, {outer}, {inner}, {factor}{tail})"));
                    let is_short = factor.parse::<usize>().is_ok();
                    split(loops, at, outer, inner, is_short);
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
                    let made = [(xi, true), (yi, true), (xo, false), (yo, false)]
                        .map(|(name, is_short)| Loop { is_short, ..Loop::new(name, false) });
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
                        [Loop { done: outer.done, ..Loop::new(fused, is_reduction) }],
                    );
                }
                5 if !bound(&loops[at]) || self.random.chance(5) => {
                    let kinds = ["parallel", "parallel", "gpu_blocks", "gpu_threads"];
                    let kind = self.pick(&kinds, "parallel");
                    let deal = if kind == "parallel" { self.deal() } else { String::new() };
                    text.push(format!(".{kind}({name}{deal})"));
                    loops[at].done = true;
                }
                6 | 7 if !bound(&loops[at]) || self.random.chance(5) => {
                    // Without a number of lanes only a loop of constant extent can be vectorized.
                    if is_short && self.random.chance(50) {
                        text.push(format!(".vectorize({name})"));
                    } else {
                        let lanes = self.pick(&LANES, 4);
                        let tail = self.tail(is_update);
                        text.push(format!(".vectorize({name}, {lanes}{tail})"));
                    }
                    loops[at].done = true;
                }
                8 if is_short && self.random.chance(50) => {
                    text.push(format!(".unroll({name})"));
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

    /// Returns the factor of a split: a number, or sometimes a parameter.
    fn factor(&mut self) -> String {
        match self.random.choose(&self.pipeline.factors).cloned() {
            Some(factor) if self.random.chance(25) => factor,
            Some(_) | None => self.pick(&FACTORS, 2).to_string(),
        }
    }

    /// Returns the tail of a split. For updates it is mostly a legal one.
    fn tail(&mut self, is_update: bool) -> &'static str {
        if is_update && !self.random.chance(5) {
            return self.pick(
                &[
                    "",
                    ", tail: guard",
                    ", tail: auto",
                    ", tail: predicate",
                    ", tail: predicate_stores",
                    ", tail: round_up_and_blend",
                    ", tail: round",
                ],
                "",
            );
        }
        self.pick(
            &[
                "",
                ", tail: guard",
                ", tail: shift",
                ", tail: round",
                ", tail: auto",
                ", tail: predicate_loads",
                ", tail: predicate_stores",
                ", tail: shift_inwards_and_blend",
            ],
            "",
        )
    }

    /// Returns copies of the func under conditions; sometimes one follows another.
    fn specialization(&mut self, func: &FuncText) -> String {
        let mut text = self.specialized(func);
        if !text.is_empty() && self.random.chance(30) {
            // A chain continues after the block.
            text.truncate(text.trim_end().len());
            text.push_str(&self.specialized(func));
        }
        if !text.is_empty() && self.random.chance(15) {
            text.truncate(text.trim_end().len());
            text.push_str(".specialize_fail(\"no case is left\");\n");
        }
        text
    }

    /// Returns a copy of the func under a condition, vectorized, unrolled or parallel.
    /// Specializations come before other directives, so its loops are the original ones.
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
    stage.iter().map(|(name, is_reduction)| Loop::new(name, *is_reduction)).collect()
}

fn split(loops: &mut Vec<Loop>, at: usize, outer: String, inner: String, is_short: bool) {
    let is_reduction = loops[at].is_reduction;
    let inner = Loop { is_short, ..Loop::new(inner, is_reduction) };
    loops.splice(at..=at, [inner, Loop::new(outer, is_reduction)]);
}
