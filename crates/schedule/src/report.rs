//! What a person reads: the loop nest, the query, and the engines' answers.

use std::fmt::Write as _;

use halidom_ir::{HoleKind, LoopKind, Pool, print};

use crate::algebra::Algebra;
use crate::bounds::{self, Engine};
use crate::error::ScheduleError;
use crate::nest::{Lowered, Nest, Placement, compute_kind, final_kind, hole};
use crate::{Holes, query};

/// The loops of a scheduled pipeline, one line each, indented; where funcs are computed and stored stands among them.
pub fn loop_nest(pool: &mut Pool, lowered: &Lowered) -> String {
    let lowered = crate::used(pool, lowered);
    let mut printer = Nests { pool, lowered: &lowered, out: String::new() };
    printer.site(Placement::Root, 0);
    printer.out
}

struct Nests<'a> {
    pool: &'a Pool,
    lowered: &'a Lowered,
    out: String,
}

impl Nests<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = 2 * depth);
    }

    fn site(&mut self, place: Placement, depth: usize) {
        let lowered = self.lowered;
        for plan in &lowered.plans {
            let name = &self.pool.func(plan.func).name;
            if plan.store == place && plan.compute != place {
                self.line(depth, &format!("store {name}:"));
            }
            if plan.compute != place {
                continue;
            }
            for instance in &plan.instances {
                if let Some(condition) = instance.condition {
                    let condition = print::expr(self.pool, condition);
                    self.line(depth, &format!("if {condition}, instead:"));
                }
                for nest in &instance.stages {
                    self.line(depth, &format!("produce {}:", nest.name(self.pool)));
                    self.nest(nest, depth + 1);
                }
            }
        }
    }

    fn nest(&mut self, nest: &Nest, depth: usize) {
        for (level, l) in nest.loops.iter().enumerate() {
            let constant = self.pool.as_constant(l.interval.extent);
            let range = constant
                .and_then(halidom_ir::Constant::as_integer)
                .map_or_else(String::new, |extent| format!(" in 0..{extent}"));
            let keyword = match l.kind {
                LoopKind::Serial
                | LoopKind::Parallel
                | LoopKind::Vectorized
                | LoopKind::Unrolled => l.kind.keyword(),
            };
            self.line(depth + level, &format!("{keyword} {}{range}:", l.name));
            self.site(Placement::At(l.var), depth + level + 1);
        }
        let coords: Vec<_> = nest.lhs.iter().map(|coord| print::expr(self.pool, *coord)).collect();
        let name = &self.pool.func(nest.func).name;
        self.line(depth + nest.loops.len(), &format!("{name}({}) = ...", coords.join(", ")));
    }
}

/// The query to the bounds engine, as text (FS Fig. 10a).
pub fn query_text(pool: &mut Pool, lowered: &Lowered) -> String {
    let holes = Holes::of(pool, lowered);
    query::text(pool, &holes.query)
}

/// Both engines' answers: for each func its compute and allocation bounds, for each input the region that is read.
pub fn bounds_answers(pool: &mut Pool, lowered: &Lowered) -> String {
    let holes = Holes::of(pool, lowered);
    let mut out = String::new();
    for engine in Engine::ALL {
        let _ = writeln!(out, "{}:", engine.name());
        let constraints = query::constraints(&holes.query);
        match bounds::solve(pool, &holes.lowered, &constraints, engine, &holes.known) {
            Ok(answer) => out.push_str(&answer_text(pool, &holes, &answer)),
            Err(errors) => {
                for ScheduleError { message, .. } in errors {
                    let _ = writeln!(out, "  {message}");
                }
            }
        }
    }
    out
}

fn answer_text(pool: &mut Pool, holes: &Holes, answer: &bounds::Answer) -> String {
    let mut out = String::new();
    for plan in holes.lowered.plans.iter().filter(|plan| plan.compute != Placement::Inline) {
        let func = plan.func;
        let name = pool.func(func).name.clone();
        let last = final_kind(pool, func);
        let mut kinds = vec![(last, format!("compute {name}"))];
        for nest in plan.instances.iter().flat_map(|instance| &instance.stages) {
            let kind = compute_kind(pool, func, nest.stage, nest.specialization);
            if kinds.iter().all(|(other, _)| *other != kind) {
                let instance = match nest.specialization {
                    0 => String::new(),
                    number => format!(", specialization {number}"),
                };
                kinds.push((kind, format!("compute {name}, stage {}{instance}", nest.stage)));
            }
        }
        kinds.push((HoleKind::Allocation, format!("allocate {name}")));
        for (kind, title) in kinds {
            let rank = pool.func(func).rank();
            let intervals: Vec<_> = (0..rank)
                .map(|dim| {
                    let interval = hole(pool, func, dim, kind);
                    let min = answer.solution.apply(pool, interval.min);
                    let extent = answer.solution.apply(pool, interval.extent);
                    format!("[{}, {}]", print::expr(pool, min), print::expr(pool, extent))
                })
                .collect();
            let _ = writeln!(out, "  {title}: {}", intervals.join(" "));
        }
    }
    for (input, groups) in holes.lowered.algorithm.inputs.iter().zip(&answer.inputs) {
        for group in groups {
            let name = pool.func(*input).name.clone();
            let mut algebra = Algebra::new(pool, &holes.known);
            let extents: Vec<_> = group
                .region
                .iter()
                .map(|(low, high)| {
                    let extent = algebra.sub(*high, *low);
                    (*low, algebra.offset(extent, 1))
                })
                .collect();
            let intervals: Vec<_> = extents
                .into_iter()
                .map(|(min, extent)| {
                    format!("[{}, {}]", print::expr(pool, min), print::expr(pool, extent))
                })
                .collect();
            let premises: Vec<_> =
                group.premises.iter().map(|premise| print::expr(pool, *premise)).collect();
            let condition = if premises.is_empty() {
                String::new()
            } else {
                format!(" if {}", premises.join(" and "))
            };
            let _ = writeln!(out, "  read {name}: {}{condition}", intervals.join(" "));
        }
    }
    out
}
