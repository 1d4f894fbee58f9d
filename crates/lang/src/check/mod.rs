//! Checks a syntax tree and turns it into algorithms and schedules.

mod arguments;
mod arrays;
mod builtins;
mod casts;
mod constants;
mod domains;
mod exprs;
mod fixes;
mod funcs;
mod functions;
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

pub(crate) use instances::prelude_names;
pub(crate) use pipelines::check_file;

/// Returns the names of the functions that make funcs, such as `repeat_edge`, and of the built-in
/// functions.
pub fn function_names() -> (Vec<&'static str>, Vec<&'static str>) {
    (prelude_names().collect(), functions::names().collect())
}

/// Returns the names that no func can have: the names of built-in functions, of types, and of the
/// prelude's functions.
pub(crate) fn reserved_names() -> impl Iterator<Item = &'static str> {
    let types = halidom_ir::Scalar::ALL.into_iter().map(halidom_ir::Scalar::name);
    functions::names().chain(types).chain(prelude_names())
}
