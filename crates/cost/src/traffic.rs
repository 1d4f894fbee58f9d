//! The bytes that cross each cache: footprints of loops against the caches' sizes.
//!
//! If one iteration of a loop touches no more than a cache holds, then the whole loop brings each
//! byte that it touches into that cache once. The outermost such loops decide. About as much as the
//! cache holds is a case in between.

use crate::features::{Memory, Root};
use crate::plan::{Kind, Site};
use crate::regions::{Area, MOST_DIMS, Regions, Scope};

/// The bytes of a line of a cache.
const LINE: f64 = 64.0;

/// Memory of constant size up to this one is on the stack.
const STACK: f64 = halidom_ir::STACK_LIMIT as f64;

/// The bytes of a page.
const PAGE: f64 = 4096.0;

/// The runtime keeps freed memory up to this size in all (`halidom_keep_memory`). What is larger
/// comes fresh from the system, and its pages are filled with zeros.
const KEPT: f64 = 64.0 * 1024.0 * 1024.0;

/// Measures the footprints of a plan.
pub(crate) struct Traffic<'t, 'r> {
    pub(crate) regions: &'t mut Regions<'r>,
    /// The bytes of each func's allocation.
    rooms: Vec<f64>,
    /// The bytes of each func's allocation along the dense dimension.
    rows: Vec<f64>,
    /// The unit of memory that is counted: a line of a cache, or a page.
    unit: f64,
    /// The funcs that are computed in the body of each loop, and at the top.
    children: Vec<(Site, usize)>,
}

/// The bytes that a stretch reads and writes of one func.
#[derive(Clone, Copy, Default)]
struct Touched {
    read: f64,
    written: f64,
}

impl<'t, 'r> Traffic<'t, 'r> {
    pub(crate) fn new(regions: &'t mut Regions<'r>) -> Self {
        let (problem, plan) = (regions.problem, regions.plan);
        let mut rooms = Vec::with_capacity(problem.len());
        let mut rows = Vec::with_capacity(problem.len());
        for func in 0..problem.len() {
            rooms.push(room(regions, func));
            rows.push(row(regions, func));
        }
        regions.slide();
        let computed = |func: &usize| !problem.funcs[*func].is_input && !plan.is_inline[*func];
        let all = (0..problem.len()).filter(computed);
        let children = all.map(|func| (plan.compute[func], func)).collect();
        Self { regions, rooms, rows, unit: LINE, children }
    }

    /// The memory of all funcs, as yet without movements.
    pub(crate) fn memory(&mut self) -> Vec<Memory> {
        let (problem, plan) = (self.regions.problem, self.regions.plan);
        let mut all = Vec::with_capacity(problem.len());
        for (number, func) in problem.funcs.iter().enumerate() {
            let is_given = func.is_input || func.is_output;
            let is_plain = is_given || plan.is_inline[number] || plan.is_local[number];
            let within = match plan.store[number] {
                Site::At(around, stage, at) => {
                    let found = &plan.nests[around][stage].loops[at];
                    format!("{}.{}", problem.funcs[around].name, found.name)
                }
                Site::Inline | Site::Root => String::new(),
            };
            let is_plain = is_plain || self.is_on_stack(number);
            let allocations = if is_plain { 0.0 } else { self.regions.runs(plan.store[number]) };
            all.push(Memory {
                name: func.name.clone(),
                bytes: if plan.is_inline[number] { 0.0 } else { self.rooms[number] },
                allocations,
                moved: [0.0; 3],
                within,
                is_given,
            });
        }
        all
    }

    /// True if a func's memory is small and of constant size: it is for one iteration of an
    /// innermost loop. Blocks are smaller where the whole is, so that their size is not constant.
    fn is_on_stack(&self, func: usize) -> bool {
        let Site::At(around, stage, at) = self.regions.plan.store[func] else { return false };
        let within = &self.regions.plan.nests[around][stage].loops[at + 1..];
        self.rooms[func] <= STACK && within.iter().all(is_copied)
    }

    /// Adds the bytes that cross a cache to the roots and to the memory.
    pub(crate) fn cross(
        &mut self,
        level: usize,
        capacity: f64,
        roots: &mut [Root],
        memory: &mut [Memory],
    ) {
        let part = crossing(self.working_set(Scope::Whole), capacity);
        if part <= 0.0 {
            return;
        }
        let mut number = 0;
        for (site, func) in self.children.clone() {
            if site != Site::Root {
                continue;
            }
            let mut moved = vec![Touched::default(); memory.len()];
            self.nests(func, part, capacity, &mut moved);
            let root = &mut roots[number];
            for (of, touched) in moved.iter().enumerate() {
                if self.regions.plan.streams[of] {
                    if level == 0 {
                        root.streamed += touched.written;
                    }
                } else {
                    root.written[level] += touched.written;
                }
                root.read[level] += touched.read;
                memory[of].moved[level] += touched.read + touched.written;
            }
            number += 1;
        }
    }

    /// Adds the turns to pages to the roots.
    pub(crate) fn turn(&mut self, capacity: f64, roots: &mut [Root]) {
        self.unit = PAGE;
        let part = crossing(self.working_set(Scope::Whole), capacity * PAGE);
        if part > 0.0 {
            let mut number = 0;
            for (site, func) in self.children.clone() {
                if site == Site::Root {
                    let mut moved = vec![Touched::default(); self.rooms.len()];
                    self.nests(func, part, capacity * PAGE, &mut moved);
                    let bytes: f64 = moved.iter().map(|of| of.read.max(of.written)).sum();
                    roots[number].pages = bytes / PAGE;
                    number += 1;
                }
            }
        }
        self.unit = LINE;
    }

    fn nests(&mut self, func: usize, runs: f64, capacity: f64, moved: &mut [Touched]) {
        for stage in 0..self.regions.plan.nests[func].len() {
            self.walk((func, stage, 0), runs, capacity, moved);
        }
    }

    fn walk(
        &mut self,
        (func, stage, at): (usize, usize, usize),
        runs: f64,
        capacity: f64,
        moved: &mut [Touched],
    ) {
        let plan = self.regions.plan;
        let loops = &plan.nests[func][stage].loops;
        let is_last = at + 1 >= loops.len() || loops[at + 1..].iter().all(is_copied);
        let mut part = 0.0;
        if at < loops.len() && !is_last {
            part = crossing(self.working_set(Scope::Body(func, stage, at)), capacity);
        }
        if part > 0.0 {
            let trips = self.regions.trips(func, stage).get(at).copied().unwrap_or(1.0);
            let here = Site::At(func, stage, at);
            let within: Vec<usize> = self
                .children
                .iter()
                .filter(|(site, _)| *site == here)
                .map(|(_, func)| *func)
                .collect();
            for child in within {
                self.nests(child, runs * trips * part, capacity, moved);
            }
            self.walk((func, stage, at + 1), runs * trips * part, capacity, moved);
        }
        let runs = runs * (1.0 - part);
        if runs <= 0.0 {
            return;
        }
        let scope = if loops.is_empty() {
            Regions::scope(plan.compute[func])
        } else {
            Scope::Full(func, stage, at.min(loops.len() - 1))
        };
        for (of, sum) in moved.iter_mut().enumerate() {
            if plan.is_inline[of] || self.is_stored_within(scope, of) {
                continue;
            }
            let touched = self.touched(of, scope);
            sum.read += runs * touched.read;
            sum.written += runs * touched.written;
        }
    }

    /// The bytes that a stretch touches.
    pub(crate) fn working_set(&mut self, scope: Scope) -> f64 {
        let mut sum = 0.0;
        for func in 0..self.regions.problem.len() {
            if !self.regions.plan.is_inline[func] {
                let touched = self.touched(func, scope);
                sum += touched.read.max(touched.written);
            }
        }
        sum
    }

    fn is_stored_within(&self, scope: Scope, func: usize) -> bool {
        let of = &self.regions.problem.funcs[func];
        if of.is_input || of.is_output {
            return false;
        }
        let mut site = self.regions.plan.store[func];
        while let Site::At(around, stage, at) = site {
            let within = match scope {
                Scope::Whole => true,
                Scope::Full(f, s, d) | Scope::Body(f, s, d) => f == around && s == stage && d <= at,
            };
            if within {
                return true;
            }
            site = self.regions.plan.compute[around];
        }
        scope == Scope::Whole
    }

    fn touched(&mut self, func: usize, scope: Scope) -> Touched {
        let problem = self.regions.problem;
        let of = &problem.funcs[func];
        let mut touched = Touched::default();
        let is_computed = !of.is_input && self.regions.contains(scope, func);
        let read = match (scope, of.window.is_some()) {
            (Scope::Whole, true) if problem.readers[func].is_empty() => None,
            _ => self.regions.needs(func, scope),
        };
        if let Some(area) = read {
            touched.read = self.bytes(func, &area);
        }
        if is_computed {
            if let Some(areas) = self.regions.stages(func, scope) {
                touched.written = self.bytes(func, &areas[0]);
            }
            return touched;
        }
        if let Scope::Full(own, stage, _) | Scope::Body(own, stage, _) = scope
            && own == func
        {
            let mut vars = Vec::new();
            if self.regions.vars(func, stage, scope, &mut vars) {
                let stage = &of.stages[stage];
                let rank = of.args.len().min(MOST_DIMS);
                let area = crate::regions::area(&stage.lhs, &vars, rank);
                touched.written = self.bytes(func, &area);
                if stage.is_recursive {
                    touched.read = touched.read.max(touched.written);
                }
            }
        }
        touched
    }

    fn bytes(&self, func: usize, area: &Area) -> f64 {
        let of = &self.regions.problem.funcs[func];
        let dense = self.regions.plan.dense[func];
        let bytes = if self.unit > LINE && self.rows[func] < self.unit {
            // Rows share pages.
            let all: f64 = (0..area.rank).map(|dim| area.extent(dim) as f64).product();
            let row = area.extent(dense.min(area.rank.saturating_sub(1))) as f64;
            (all / row.max(1.0) * self.rows[func] / self.unit).ceil() * self.unit
        } else {
            footprint(area, dense, of.bytes, self.unit)
        };
        let room = (self.rooms[func] / self.unit).ceil() * self.unit;
        if of.is_input || of.is_output { bytes } else { bytes.min(room) }
    }
}

/// The part of a working set's accesses that cross a cache: none if it is well below the capacity,
/// all if it is well above.
fn crossing(bytes: f64, capacity: f64) -> f64 {
    const FROM: f64 = 0.8;
    const TO: f64 = 2.2;
    ((bytes / capacity.max(1.0) - FROM) / (TO - FROM)).clamp(0.0, 1.0)
}

/// True for loops that are copies of their body.
fn is_copied(found: &crate::plan::Loop) -> bool {
    matches!(found.kind, Kind::Vector | Kind::Unrolled)
}

/// The bytes of the units that hold an area.
fn footprint(area: &Area, dense: usize, bytes: f64, unit: f64) -> f64 {
    let extents = (0..area.rank).map(|dim| {
        let extent = area.extent(dim) as f64;
        if dim == dense { (extent * bytes / unit).ceil() * unit } else { extent }
    });
    if area.rank == 0 { bytes } else { extents.product() }
}

/// The bytes of a func's allocation, or those of an input or output that are touched.
fn room(regions: &mut Regions<'_>, func: usize) -> f64 {
    let of = &regions.problem.funcs[func];
    if of.is_input || of.is_output {
        let area = regions.needs(func, Scope::Whole);
        return area.map_or(0.0, |area| footprint(&area, regions.plan.dense[func], of.bytes, LINE));
    }
    let scope = Regions::scope(regions.plan.store[func]);
    let Some(areas) = regions.stages(func, scope) else { return 0.0 };
    let mut area = areas[0];
    if let Some((_, slides)) = regions.new_extents(func)
        && let Some(inner) = regions.needs(func, Regions::scope(regions.plan.compute[func]))
    {
        for dim in (0..area.rank).filter(|dim| slides[*dim]) {
            let folded = (inner.extent(dim).max(1) as u64).next_power_of_two() as i64;
            let (least, most) = area.dims[dim];
            area.dims[dim] = (least, most.min(least + folded - 1));
        }
    }
    footprint(&area, regions.plan.dense[func], of.bytes, LINE)
}

/// The bytes of an allocation along its dense dimension.
fn row(regions: &mut Regions<'_>, func: usize) -> f64 {
    let of = &regions.problem.funcs[func];
    let is_given = of.is_input || of.is_output;
    let scope = if is_given { Scope::Whole } else { Regions::scope(regions.plan.store[func]) };
    let dense = regions.plan.dense[func];
    let area = regions.needs(func, scope).filter(|area| dense < area.rank);
    area.map_or(0.0, |area| area.extent(dense) as f64 * of.bytes)
}

/// The bytes that come fresh from the system: those of allocations that are too large to be kept,
/// and a share of the others if they are too many at once.
pub(crate) fn fresh(memory: &[Memory]) -> f64 {
    let own = || memory.iter().filter(|of| of.allocations > 0.0);
    let is_large = |of: &&Memory| of.bytes > KEPT;
    let is_long = |of: &&Memory| of.within.is_empty() && !is_large(of);
    let at_once: f64 = own().filter(is_long).map(|of| of.bytes).sum();
    let share = if at_once > KEPT { 1.0 - KEPT / at_once } else { 0.0 };
    let taken = |of: &Memory| of.bytes * of.allocations;
    own().filter(is_large).map(taken).sum::<f64>()
        + share * own().filter(is_long).map(taken).sum::<f64>()
}
