//! Regions at numbers: the coordinates that a stretch of a program needs of each func.

use crate::form::Range;
use crate::plan::{Kind, Plan, Region, Site};
use crate::problem::Problem;

/// The greatest number of dimensions.
pub(crate) const MOST_DIMS: usize = 8;

/// A box of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) rank: usize,
    pub(crate) dims: [(i64, i64); MOST_DIMS],
}

impl Area {
    pub(crate) fn extent(&self, dim: usize) -> i64 {
        let (least, most) = self.dims[dim];
        (most - least + 1).max(0)
    }

    fn join(&mut self, other: &Self) {
        for (own, other) in self.dims.iter_mut().zip(&other.dims).take(self.rank) {
            *own = (own.0.min(other.0), own.1.max(other.1));
        }
    }
}

/// A stretch of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of it.
    Whole,
    /// One execution of a loop, over all its iterations: func, stage, position.
    Full(usize, usize, usize),
    /// One iteration of a loop.
    Body(usize, usize, usize),
}

/// A region that may be computed already.
#[derive(Clone, Copy)]
enum Need {
    Open,
    Known(Option<Area>),
}

/// The regions of a plan. Each is computed once.
pub(crate) struct Regions<'r> {
    pub(crate) problem: &'r Problem,
    pub(crate) plan: &'r Plan,
    /// The number of the first scope of each stage's loops.
    first: Vec<Vec<usize>>,
    scopes: usize,
    needs: Vec<Need>,
    stages: Vec<Option<Vec<Area>>>,
    /// The new coordinates of each func whose window slides.
    slides: Vec<Option<Slide>>,
    /// True if stages with sliding windows compute only what is new.
    is_sliding: bool,
}

/// The new coordinates of one execution of a func, and the dimensions that slide.
type Slide = (Vec<f64>, Vec<bool>);

impl<'r> Regions<'r> {
    pub(crate) fn new(problem: &'r Problem, plan: &'r Plan) -> Self {
        let mut next = 1;
        let mut first = Vec::with_capacity(plan.nests.len());
        for nests in &plan.nests {
            let mut own = Vec::with_capacity(nests.len());
            for nest in nests {
                own.push(next);
                next += 2 * nest.loops.len();
            }
            first.push(own);
        }
        let count = next * problem.len();
        Self {
            problem,
            plan,
            first,
            scopes: next,
            needs: vec![Need::Open; count],
            stages: vec![None; count],
            slides: vec![None; problem.len()],
            is_sliding: false,
        }
    }

    /// From now on, stages with sliding windows compute only what is new.
    pub(crate) fn slide(&mut self) {
        let problem = self.problem;
        for func in (0..problem.len()).filter(|func| !problem.funcs[*func].is_input) {
            if self.plan.store[func] != self.plan.compute[func] {
                self.slides[func] = self.new_extents(func);
            }
        }
        self.needs.fill(Need::Open);
        self.stages.fill(None);
        self.is_sliding = true;
    }

    fn key(&self, func: usize, scope: Scope) -> usize {
        let scope = match scope {
            Scope::Whole => 0,
            Scope::Full(func, stage, at) => self.first[func][stage] + 2 * at,
            Scope::Body(func, stage, at) => self.first[func][stage] + 2 * at + 1,
        };
        func * self.scopes + scope
    }

    /// The stretch in which a func that is computed or stored at a site lies.
    pub(crate) fn scope(site: Site) -> Scope {
        match site {
            Site::Inline | Site::Root => Scope::Whole,
            Site::At(func, stage, at) => Scope::Body(func, stage, at),
        }
    }

    /// True if all stages of a func, with their loops, lie within a scope.
    pub(crate) fn contains(&self, scope: Scope, func: usize) -> bool {
        if scope == Scope::Whole {
            return true;
        }
        let mut site = self.plan.compute[func];
        while let Site::At(around, stage, at) = site {
            let within = match scope {
                Scope::Whole => true,
                Scope::Full(f, s, d) | Scope::Body(f, s, d) => f == around && s == stage && d <= at,
            };
            if within {
                return true;
            }
            site = self.plan.compute[around];
        }
        false
    }

    /// True if all reads of a func lie in the loop in which it is computed, and its memory around
    /// that loop.
    pub(crate) fn is_placed(&self, func: usize) -> bool {
        let site = self.plan.compute[func];
        if let Site::At(..) = self.plan.store[func]
            && self.plan.store[func] != site
        {
            let between = self.between(func);
            let Some((around, stage, at)) = between.last().copied() else { return false };
            let outer = match at.checked_sub(1) {
                Some(at) => Site::At(around, stage, at),
                None => self.plan.compute[around],
            };
            if outer != self.plan.store[func] {
                return false;
            }
        }
        let Site::At(around, stage, at) = site else { return true };
        self.reads_lie_in(func, (around, stage, at), 0)
    }

    fn reads_lie_in(&self, func: usize, place: (usize, usize, usize), depth: usize) -> bool {
        let (around, stage, at) = place;
        // Funcs read only funcs before them, so the depth is bounded.
        depth <= self.problem.len()
            && self.problem.readers[func].iter().all(|(reader, of)| {
                if self.plan.is_inline[*reader] {
                    self.reads_lie_in(*reader, place, depth + 1)
                } else {
                    (*reader, *of) == (around, stage)
                        || self.contains(Scope::Body(around, stage, at), *reader)
                }
            })
    }

    /// The region of a func that others need within a scope.
    pub(crate) fn needs(&mut self, func: usize, scope: Scope) -> Option<Area> {
        let key = self.key(func, scope);
        if let Need::Known(known) = self.needs[key] {
            return known;
        }
        let problem = self.problem;
        let of = &problem.funcs[func];
        let rank = of.args.len().min(MOST_DIMS);
        let mut found: Option<Area> = None;
        if let (Some(window), Scope::Whole) = (&of.window, scope) {
            let mut area = Area { rank, dims: [(0, 0); MOST_DIMS] };
            area.dims[..rank].copy_from_slice(&window[..rank]);
            found = Some(area);
        }
        let mut vars = Vec::new();
        for (reader, stage) in &problem.readers[func] {
            if !self.vars(*reader, *stage, scope, &mut vars) {
                continue;
            }
            for read in &problem.funcs[*reader].stages[*stage].reads {
                if read.func == func {
                    let area = area(&read.args, &vars, rank);
                    match &mut found {
                        Some(found) => found.join(&area),
                        None => found = Some(area),
                    }
                }
            }
        }
        if let Some(area) = &mut found {
            self.change(func, area);
        }
        self.needs[key] = Need::Known(found);
        found
    }

    /// Applies the directives about regions.
    fn change(&self, func: usize, area: &mut Area) {
        for (of, dim, region) in &self.plan.regions {
            if *of != func || *dim >= area.rank {
                continue;
            }
            let (least, _) = area.dims[*dim];
            area.dims[*dim] = match region {
                Region::Fixed(min, extent) => {
                    let min = min.unwrap_or(least);
                    (min, min + extent - 1)
                }
                Region::Multiple(modulus) => {
                    let extent = (area.extent(*dim) + modulus - 1) / modulus * modulus;
                    (least, least + extent - 1)
                }
            };
        }
    }

    /// The regions that the stages of a func compute for a scope that contains them.
    pub(crate) fn stages(&mut self, func: usize, scope: Scope) -> Option<Vec<Area>> {
        let key = self.key(func, scope);
        if let Some(known) = &self.stages[key] {
            return Some(known.clone());
        }
        let mut area = self.needs(func, scope)?;
        if self.is_sliding
            && scope == Self::scope(self.plan.compute[func])
            && let Some((extents, slides)) = &self.slides[func]
        {
            for dim in (0..area.rank).filter(|dim| slides[*dim]) {
                let (least, most) = area.dims[dim];
                area.dims[dim] = (least.max(most + 1 - extents[dim].ceil() as i64), most);
            }
        }
        let problem = self.problem;
        let stages = &problem.funcs[func].stages;
        let mut all = vec![area; stages.len()];
        for number in (1..stages.len()).rev() {
            let stage = &stages[number];
            all[number] = area;
            let vars = ranges(&area, &stage.domain);
            let mut earlier = area;
            let lhs = self::area(&stage.lhs, &vars, area.rank);
            for dim in 0..area.rank {
                if !stage.is_free[dim] {
                    let own = &mut earlier.dims[dim];
                    *own = (own.0.min(lhs.dims[dim].0), own.1.max(lhs.dims[dim].1));
                }
            }
            for read in stage.reads.iter().filter(|read| read.func == func) {
                earlier.join(&self::area(&read.args, &vars, area.rank));
            }
            area = earlier;
        }
        if let Some(first) = all.first_mut() {
            *first = area;
        }
        self.stages[key] = Some(all.clone());
        Some(all)
    }

    /// Sets `vars` to the ranges of a stage's variables within a scope. Returns false if the stage
    /// has no part in it.
    pub(crate) fn vars(
        &mut self,
        func: usize,
        stage: usize,
        scope: Scope,
        vars: &mut Vec<Range>,
    ) -> bool {
        let own = match scope {
            Scope::Full(f, s, at) if (f, s) == (func, stage) => Some(at),
            Scope::Body(f, s, at) if (f, s) == (func, stage) => Some(at + 1),
            Scope::Whole | Scope::Full(..) | Scope::Body(..) => None,
        };
        let problem = self.problem;
        let domain = &problem.funcs[func].stages[stage].domain;
        let Some(cut) = own else {
            let inline = self.plan.is_inline[func];
            if !inline && !self.contains(scope, func) {
                return false;
            }
            let Some(areas) = self.stages(func, scope) else { return false };
            *vars = ranges(&areas[stage], domain);
            return true;
        };
        let Some(areas) = self.stages(func, Self::scope(self.plan.compute[func])) else {
            return false;
        };
        *vars = ranges(&areas[stage], domain);
        let nest = &self.plan.nests[func][stage];
        for (slot, (least, most)) in vars.iter_mut().enumerate() {
            let extent = *most - *least + 1.0;
            let (mut offset, mut width, mut is_cut) = (0.0, 1.0, false);
            for (position, found) in nest.loops.iter().enumerate() {
                if found.slot != slot {
                    continue;
                }
                let trips = found.size.unwrap_or(whole(extent, found.step)) as f64;
                if position < cut {
                    is_cut = true;
                    offset += (trips / 2.0).floor() * found.step as f64;
                } else {
                    width += (trips - 1.0).max(0.0) * found.step as f64;
                }
            }
            let has_loops = nest.loops.iter().any(|found| found.slot == slot);
            if is_cut && has_loops {
                let width = width.min(extent);
                let from = (*least + offset).min(*most + 1.0 - width);
                (*least, *most) = (from, from + width - 1.0);
            }
        }
        true
    }

    /// The number of iterations of each loop of a stage, at its place.
    pub(crate) fn trips(&mut self, func: usize, stage: usize) -> Vec<f64> {
        let scope = Self::scope(self.plan.compute[func]);
        let Some(areas) = self.stages(func, scope) else { return Vec::new() };
        let vars = ranges(&areas[stage], &self.problem.funcs[func].stages[stage].domain);
        let nest = &self.plan.nests[func][stage];
        let trips = |found: &crate::plan::Loop| {
            let extent = vars.get(found.slot).map_or(1.0, |(least, most)| most - least + 1.0);
            let rest = whole(extent, found.step);
            let limit = rest.max(1);
            found.size.map_or(rest, |size| size.min(limit)) as f64
        };
        nest.loops.iter().map(trips).collect()
    }

    /// The number of times that the body of a site runs.
    pub(crate) fn runs(&mut self, site: Site) -> f64 {
        let Site::At(func, stage, at) = site else { return 1.0 };
        let trips: f64 = self.trips(func, stage).iter().take(at + 1).product();
        trips * self.runs(self.plan.compute[func])
    }

    /// The loops between the place where a func is stored and that where it is computed,
    /// innermost first.
    pub(crate) fn between(&self, func: usize) -> Vec<(usize, usize, usize)> {
        let (store, mut site) = (self.plan.store[func], self.plan.compute[func]);
        let mut found = Vec::new();
        while let Site::At(around, stage, at) = site {
            for position in (0..=at).rev() {
                if store == Site::At(around, stage, position) {
                    return found;
                }
                found.push((around, stage, position));
            }
            site = self.plan.compute[around];
        }
        found
    }

    /// The mean number of new coordinates that one execution of a func computes in each dimension
    /// beyond those that the one before computed, where the window slides; the second list has the
    /// dimensions that slide.
    pub(crate) fn new_extents(&mut self, func: usize) -> Option<(Vec<f64>, Vec<bool>)> {
        let area = self.needs(func, Self::scope(self.plan.compute[func]))?;
        let mut extents: Vec<f64> = (0..area.rank).map(|dim| area.extent(dim) as f64).collect();
        let mut slides = vec![false; area.rank];
        // All stages must write the same coordinates, each at its own variable.
        let stages = &self.problem.funcs[func].stages;
        let areas = self.stages(func, Self::scope(self.plan.compute[func]))?;
        let follows = |dim: usize| {
            stages.len() == 1
                || stages.iter().all(|stage| stage.is_free[dim])
                    && areas.iter().all(|of| of.dims[dim] == area.dims[dim])
        };
        for (around, stage, at) in self.between(func) {
            let found = &self.plan.nests[around][stage].loops[at];
            if matches!(found.kind, Kind::Parallel | Kind::Vector)
                || found.kind == Kind::Unrolled && stages.len() > 1
            {
                break;
            }
            let inner = self.needs(func, Scope::Body(around, stage, at))?;
            let outer = self.needs(func, Scope::Full(around, stage, at))?;
            let trips = self.trips(around, stage)[at].max(1.0);
            let moving: Vec<usize> =
                (0..area.rank).filter(|dim| outer.extent(*dim) > inner.extent(*dim)).collect();
            if let [dim] = moving[..]
                && !slides[dim]
                && follows(dim)
                && outer.extent(dim) as f64 <= trips * inner.extent(dim) as f64
            {
                extents[dim] = outer.extent(dim) as f64 / trips;
                slides[dim] = true;
            }
        }
        Some((extents, slides))
    }
}

/// The number of blocks of `step` in an extent.
fn whole(extent: f64, step: i64) -> i64 {
    (extent as i64 + step - 1).div_euclid(step).max(0)
}

pub(crate) fn ranges(area: &Area, domain: &[(i64, i64)]) -> Vec<Range> {
    let pure = area.dims[..area.rank].iter();
    pure.chain(domain).map(|(least, most)| (*least as f64, *most as f64)).collect()
}

pub(crate) fn area(args: &[crate::form::Form], vars: &[Range], rank: usize) -> Area {
    let mut area = Area { rank, dims: [(0, 0); MOST_DIMS] };
    for (dim, arg) in area.dims.iter_mut().zip(args) {
        let (least, most) = arg.range(vars);
        if least.is_finite() && most.is_finite() {
            *dim = (least.floor() as i64, most.floor() as i64);
        }
    }
    area
}
