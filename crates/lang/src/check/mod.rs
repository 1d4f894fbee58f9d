//! Syntax tree to algorithms and schedules.

mod arrays;
mod builtins;
mod casts;
mod constants;
mod domains;
mod exprs;
mod funcs;
mod instances;
mod literals;
mod math;
mod pipelines;
mod reductions;
mod rewritings;
mod schedules;
mod scope;
mod separation;
mod tuples;

pub(crate) use pipelines::check_file;
