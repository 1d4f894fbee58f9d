//! Reports for readers: the loop nest, the query, and the engines' answers.

use std::fmt::Write as _;

use halidom_ir::{FuncId, Pool, print};

use crate::bounds::{self, Engine};
use crate::error::ScheduleError;
use crate::nest::{Lowered, Nest, Placement};
use crate::{Holes, predicate, query};

/// Prints the loops of a scheduled pipeline, one line each, indented, with the places where funcs
/// are computed and stored among them.
pub fn loop_nest(pool: &mut Pool, lowered: &Lowered) -> String {
    let lowered = crate::nest::used(pool, lowered);
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
                    let instead = if plan.fail.is_some() { "" } else { ", instead" };
                    self.line(depth, &format!("if {condition}{instead}:"));
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
            let kind = l.kind;
            self.line(depth + level, &format!("{kind} {}{range}:", l.name));
            self.site(Placement::At(l.var), depth + level + 1);
        }
        let coords: Vec<_> = nest.lhs.iter().map(|coord| print::expr(self.pool, *coord)).collect();
        let name = &self.pool.func(nest.func).name;
        self.line(depth + nest.loops.len(), &format!("{name}({}) = ...", coords.join(", ")));
    }
}

/// Returns the query to the bounds engine, as text (FS Fig. 10a).
pub fn query_text(pool: &mut Pool, lowered: &Lowered) -> String {
    let holes = Holes::of(pool, lowered);
    predicate::query(pool, &holes.query)
}

/// Returns the default engine's answer, func by func and input by input; empty if there is none.
pub fn regions(pool: &mut Pool, lowered: &Lowered) -> Vec<(FuncId, String)> {
    let holes = Holes::of(pool, lowered);
    let constraints = query::constraints(&holes.query);
    let answer =
        bounds::solve(pool, &holes.lowered, &constraints, Engine::Default, &holes.known, None);
    answer.map(|answer| predicate::regions(pool, &holes, &answer)).unwrap_or_default()
}

/// Prints both engines' answers: for each func its compute and allocation bounds, for each input
/// the region that is read.
pub fn bounds_answers(pool: &mut Pool, lowered: &Lowered) -> String {
    let holes = Holes::of(pool, lowered);
    let mut out = String::new();
    for engine in Engine::ALL {
        let _ = writeln!(out, "{}:", engine.name());
        let constraints = query::constraints(&holes.query);
        match bounds::solve(pool, &holes.lowered, &constraints, engine, &holes.known, None) {
            Ok(answer) => out.push_str(&predicate::answer(pool, &holes, &answer)),
            Err(errors) => {
                for ScheduleError { message, .. } in errors {
                    let _ = writeln!(out, "  {message}");
                }
            }
        }
    }
    out
}
