//! The features of a schedule.

use halidom_ir::{Pool, Schedule};

use crate::expand::{Expanded, Expansions};
use crate::features::{Accesses, Class, Features, Root, Stage};
use crate::machine::Machine;
use crate::plan::{Kind, NoEstimate, Site, plan};
use crate::problem::Problem;
use crate::regions::{Regions, Scope};
use crate::traffic::{Traffic, fresh};
use crate::values::{Coordinate, CoordinateKind, Work, bit};

/// Estimates schedules of one algorithm at given sizes.
pub struct Estimator {
    problem: Problem,
    expansions: Expansions,
}

impl Estimator {
    /// Makes an estimator.
    pub fn new(problem: Problem) -> Self {
        Self { problem, expansions: Expansions::default() }
    }

    /// The algorithm at numbers.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the features of a schedule.
    ///
    /// # Errors
    /// The reason why there is no estimate.
    pub fn features(
        &self,
        pool: &Pool,
        schedule: &Schedule,
        machine: &Machine,
    ) -> Result<Features, NoEstimate> {
        let plan = plan(&self.problem, pool, schedule)?;
        let mut regions = Regions::new(&self.problem, &plan);
        for (number, func) in self.problem.funcs.iter().enumerate() {
            let computed = !func.is_input && !plan.is_inline[number];
            if computed && !regions.is_placed(number) {
                return Err(NoEstimate::Outside(func.name.clone()));
            }
        }
        let mut features = Features::default();
        for (number, func) in self.problem.funcs.iter().enumerate() {
            if func.is_input || plan.is_inline[number] || plan.compute[number] != Site::Root {
                continue;
            }
            features.roots.push(Root {
                name: func.name.clone(),
                read: [0.0; 3],
                written: [0.0; 3],
                streamed: 0.0,
                pages: 0.0,
                forks: 0.0,
                share: 1.0,
            });
            let root = features.roots.len() - 1;
            let most = self.stages(&mut regions, (number, root), machine, &mut features)?;
            features.roots[root].share = most;
        }
        let mut traffic = Traffic::new(&mut regions);
        features.memory = traffic.memory();
        for (level, capacity) in machine.caches.into_iter().enumerate() {
            traffic.cross(level, capacity, &mut features.roots, &mut features.memory);
        }
        traffic.turn(machine.pages, &mut features.roots);
        features.memory.retain(|memory| memory.bytes > 0.0);
        features.allocations = features.memory.iter().map(|memory| memory.allocations).sum();
        features.fresh = fresh(&features.memory);
        Ok(features)
    }

    /// Adds the stages of a func and of the funcs that are computed in its loops. Returns the share
    /// of the time that remains with all threads.
    fn stages(
        &self,
        regions: &mut Regions<'_>,
        (func, root): (usize, usize),
        machine: &Machine,
        features: &mut Features,
    ) -> Result<f64, NoEstimate> {
        let mut most = (0.0, 1.0);
        for stage in 0..self.problem.funcs[func].stages.len() {
            let is_inline = &regions.plan.is_inline;
            let expanded = self.expansions.of(&self.problem, (func, stage), is_inline);
            let expanded = expanded
                .ok_or_else(|| NoEstimate::TooMuch(self.problem.funcs[func].name.clone()))?;
            let mut counter =
                Counter { regions: &mut *regions, machine, func, stage, expanded: &expanded };
            let Some((counted, forks, share)) = counter.count(root) else { continue };
            if counted.points >= most.0 {
                most = (counted.points, share);
            }
            features.roots[root].forks += forks;
            features.stages.push(counted);
        }
        for child in 0..self.problem.len() {
            let is_child = matches!(regions.plan.compute[child], Site::At(at, ..) if at == func);
            if is_child && !regions.plan.is_inline[child] {
                self.stages(regions, (child, root), machine, features)?;
            }
        }
        Ok(most.1)
    }
}

/// Counts a stage's features.
struct Counter<'c, 'r> {
    regions: &'c mut Regions<'r>,
    machine: &'c Machine,
    func: usize,
    stage: usize,
    expanded: &'c Expanded,
}

/// The loops of a stage at numbers.
struct Loops {
    /// The loops that are neither unrolled nor vectors, outermost first: variable and iterations.
    plain: Vec<(usize, f64)>,
    /// Unrolled loops: variable, step, iterations.
    copies: Vec<(usize, f64, i64)>,
    /// The vectorized variable and the number of lanes.
    vector: Option<(usize, f64)>,
    /// The executions of the stage.
    runs: f64,
    /// The part of the loops' iterations that a tail does not cut off.
    kept: f64,
    points: f64,
}

impl Loops {
    /// The number of executions of something that depends on these variables, for all copies
    /// together.
    fn runs_of(&self, vars: u32) -> f64 {
        let last = self.plain.iter().rposition(|(slot, _)| vars & bit(*slot) != 0);
        let count = last.map_or(0, |last| last + 1);
        let kept = if count == self.plain.len() { self.kept } else { 1.0 };
        let trips: f64 = self.plain[..count].iter().map(|(_, trips)| trips).product();
        self.runs * trips * kept
    }

    fn copies_of(&self, vars: u32) -> f64 {
        let own = self.copies.iter().filter(|(slot, ..)| vars & bit(*slot) != 0);
        own.map(|(.., count)| *count as f64).product()
    }
}

impl Counter<'_, '_> {
    /// Returns the stage's features, the number of forks, and the share of the time that remains
    /// with all threads. `None` if the stage is not needed.
    fn count(&mut self, root: usize) -> Option<(Stage, f64, f64)> {
        let (func, stage) = (self.func, self.stage);
        let (problem, plan) = (self.regions.problem, self.regions.plan);
        let loops = self.loops()?;
        let of = &problem.funcs[func];
        let definition = &of.stages[stage];
        let name =
            if stage == 0 { of.name.clone() } else { format!("{}.update({stage})", of.name) };
        let whole = self.regions.stages(func, Scope::Whole);
        let least = whole.map_or(0.0, |areas| {
            let vars = crate::regions::ranges(&areas[stage], &definition.domain);
            let rank = of.args.len();
            let counts = (0..vars.len()).filter(|slot| *slot >= rank || definition.is_free[*slot]);
            counts.map(|slot| vars[slot].1 - vars[slot].0 + 1.0).product()
        });
        let reads = self.expanded.groups.iter().filter(|group| !group.is_inline);
        let mut made = Stage {
            name,
            root,
            points: loops.points,
            least_points: least,
            reads: reads.map(|group| group.numbers.len() as f64).sum(),
            vector: [0.0; 9],
            scalar: [0.0; 9],
            loads: Accesses::default(),
            stores: Accesses::default(),
            chain: 0.0,
            inner: loops.runs_of(u32::MAX),
            outer: loops.runs,
            spills: 0.0,
        };
        for (position, _) in loops.plain.iter().enumerate().skip(1) {
            let around = loops.plain[..position].iter().map(|(_, trips)| trips);
            made.outer += loops.runs * around.product::<f64>();
        }
        for work in &self.expanded.own {
            let copies = loops.copies_of(work.vars);
            self.work(&loops, work, copies, &mut made);
        }
        for group in &self.expanded.groups {
            let distinct = group.distinct(&loops.copies);
            if group.is_inline {
                let all = loops.copies_of(group.vars).max(1.0);
                for work in &group.work {
                    // Values that depend on fewer variables have fewer copies.
                    let copies = distinct / all * loops.copies_of(work.vars).max(1.0);
                    self.work(&loops, work, copies, &mut made);
                }
            } else {
                let count = loops.runs_of(group.vars) * distinct;
                let (read, dense) = (&problem.funcs[group.func], plan.dense[group.func]);
                self.access(&loops, &group.args, (read.element, dense), count, &mut made.loads);
            }
        }
        let vars = definition.body.lhs;
        let parts = (of.bytes / of.element).max(1.0);
        let count = loops.runs_of(vars) * loops.copies_of(vars) * parts;
        let store = &definition.body.store;
        self.access(&loops, store, (of.element, plan.dense[func]), count, &mut made.stores);
        let innermost = loops.plain.iter().rev().find(|(_, trips)| *trips > 1.0);
        let is_chain = innermost.is_some_and(|(slot, _)| *slot >= of.args.len());
        if definition.is_recursive && is_chain {
            made.chain = loops.runs_of(u32::MAX);
        }
        let registers = self.registers(&loops, of.element);
        let excess = (registers - self.machine.registers).max(0.0);
        made.spills = excess.min(made.reads * registers) * loops.runs_of(u32::MAX);
        let (forks, share) = self.share();
        Some((made, forks, share))
    }

    /// The number of vectors that are alive at a time, roughly.
    fn registers(&self, loops: &Loops, bytes: f64) -> f64 {
        let lanes = loops.vector.map_or(1.0, |(_, lanes)| lanes);
        let vectors = (lanes * bytes.max(1.0) / self.machine.vector_bytes).ceil().max(1.0);
        let copies: f64 = loops.copies.iter().map(|(.., count)| *count as f64).product();
        let reads = self.expanded.groups.iter().filter(|group| !group.is_inline);
        let reads: f64 = reads.map(|group| group.numbers.len() as f64).sum();
        let definition = &self.regions.problem.funcs[self.func].stages[self.stage];
        if definition.is_recursive {
            vectors * copies + 2.0
        } else {
            vectors * (2.0 + reads.min(24.0) / 2.0)
        }
    }

    fn loops(&mut self) -> Option<Loops> {
        let (func, stage) = (self.func, self.stage);
        let (problem, plan) = (self.regions.problem, self.regions.plan);
        let definition = &problem.funcs[func].stages[stage];
        let areas = self.regions.stages(func, Regions::scope(plan.compute[func]))?;
        let (new, slides) = self.regions.new_extents(func)?;
        let rank = new.len();
        let nest = &plan.nests[func][stage];
        let extents: Vec<f64> = (0..definition.names.len())
            .map(|slot| {
                let extent = match slot {
                    _ if slot < rank && slides[slot] => new[slot],
                    _ if slot < rank => areas[stage].extent(slot) as f64,
                    _ => {
                        let (least, most) = definition.domain[slot - rank];
                        (most - least + 1).max(0) as f64
                    }
                };
                let block = nest.rounded[slot] as f64;
                if block > 1.0 && extent > block { (extent / block).ceil() * block } else { extent }
            })
            .collect();
        let runs = self.regions.runs(plan.compute[func]);
        let mut loops = Loops {
            plain: Vec::new(),
            copies: Vec::new(),
            vector: None,
            runs,
            kept: 1.0,
            points: runs,
        };
        let mut iterations = 1.0;
        for (slot, extent) in extents.iter().enumerate() {
            if slot >= rank || definition.is_free[slot] {
                loops.points *= extent;
            }
        }
        for found in &nest.loops {
            let extent = extents[found.slot];
            let rest = (extent / found.step as f64).ceil().max(1.0);
            let trips = found.size.map_or(rest, |size| (size as f64).min(rest));
            iterations *= trips;
            match found.kind {
                Kind::Vector if loops.vector.is_none() => loops.vector = Some((found.slot, trips)),
                Kind::Unrolled | Kind::Vector => {
                    loops.copies.push((found.slot, found.step as f64, trips as i64));
                }
                Kind::Serial | Kind::Parallel => loops.plain.push((found.slot, trips)),
            }
        }
        if iterations > 0.0 {
            loops.kept = (loops.points / runs / iterations).min(1.0);
        }
        self.vectorize(&mut loops);
        Some(loops)
    }

    /// Makes vectors of an innermost loop over neighbours, as C compilers do by themselves.
    fn vectorize(&self, loops: &mut Loops) {
        let of = &self.regions.problem.funcs[self.func];
        let lanes = (self.machine.vector_bytes / of.element).max(1.0);
        let Some((slot, trips)) = loops.plain.last().copied() else { return };
        let is_open = loops.vector.is_none() && loops.copies.is_empty() && trips >= 2.0 * lanes;
        if !is_open || slot >= of.args.len() || slot != self.regions.plan.dense[self.func] {
            return;
        }
        let reads = self.expanded.groups.iter().filter(|group| !group.is_inline);
        let is_dense = reads.into_iter().all(|group| {
            let dense = self.regions.plan.dense[group.func];
            group.args.iter().enumerate().all(|(dim, arg)| {
                arg.vars() & bit(slot) == 0
                    || dim == dense
                        && arg.kind == CoordinateKind::Exact
                        && arg.factor(slot).abs() <= 2.0
            })
        });
        if is_dense {
            loops.vector = Some((slot, lanes));
            if let Some((_, trips)) = loops.plain.last_mut() {
                *trips /= lanes;
            }
        }
    }

    fn work(&self, loops: &Loops, work: &Work, copies: f64, made: &mut Stage) {
        let count = work.count * copies * loops.runs_of(work.vars);
        let class = Class::ALL.iter().position(|class| *class == work.class).unwrap_or(0);
        match loops.vector {
            Some((slot, lanes)) if work.vars & bit(slot) != 0 => {
                let bytes = f64::from(work.bytes);
                let vectors = (lanes * bytes / self.machine.vector_bytes).ceil().max(1.0);
                made.vector[class] += count * vectors;
            }
            _ => made.scalar[class] += count,
        }
    }

    fn access(
        &self,
        loops: &Loops,
        args: &[Coordinate],
        (element, dense): (f64, usize),
        count: f64,
        made: &mut Accesses,
    ) {
        let Some((slot, lanes)) = loops.vector else {
            made.scalar += count;
            return;
        };
        if args.iter().all(|arg| arg.vars() & bit(slot) == 0) {
            made.scalar += count;
            return;
        }
        let vectors = (lanes * element / self.machine.vector_bytes).ceil().max(1.0);
        let others =
            args.iter().enumerate().any(|(dim, arg)| dim != dense && arg.vars() & bit(slot) != 0);
        let Some(along) = args.get(dense).filter(|_| !others) else {
            made.gathered += count * lanes;
            return;
        };
        let factor = along.factor(slot).abs();
        match along.kind {
            CoordinateKind::Exact if (factor - 1.0).abs() < 1e-9 => made.dense += count * vectors,
            CoordinateKind::Exact if factor <= 4.0 => made.strided += count * vectors * factor,
            CoordinateKind::Exact | CoordinateKind::Rounded | CoordinateKind::Free(..) => {
                made.gathered += count * lanes;
            }
        }
    }

    /// The number of forks, and the share of the time that remains with all threads.
    fn share(&mut self) -> (f64, f64) {
        let plan = self.regions.plan;
        let mut around = Vec::new();
        let (mut func, mut stage) = (self.func, self.stage);
        let mut end = plan.nests[func][stage].loops.len();
        loop {
            let trips = self.regions.trips(func, stage);
            let loops = &plan.nests[func][stage].loops[..end];
            around.extend(
                loops
                    .iter()
                    .zip(trips)
                    .rev()
                    .map(|(found, trips)| (found.kind == Kind::Parallel, trips, func == self.func)),
            );
            let Site::At(outer, at_stage, at) = plan.compute[func] else { break };
            (func, stage, end) = (outer, at_stage, at + 1);
        }
        around.reverse();
        let Some(first) = around.iter().position(|(is_parallel, ..)| *is_parallel) else {
            return (0.0, 1.0);
        };
        let pieces = around[first..].iter().take_while(|(is_parallel, ..)| *is_parallel);
        let pieces: f64 = pieces.map(|(_, trips, _)| trips).product();
        let threads = self.machine.threads as f64;
        let share = (pieces / threads).ceil().max(1.0) / pieces.max(1.0);
        // Loops of the stage itself start threads, also within other parallel loops.
        let own = around.iter().position(|(is_parallel, _, own)| *is_parallel && *own);
        let forks =
            own.map_or(0.0, |own| around[..own].iter().map(|(_, trips, _)| trips).product());
        (forks, share)
    }
}
