//! All mutators of some files.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use halidom_smt::{Options as SolverOptions, Solver};

use super::analysis::examine_bounds;
use super::contracts;
use super::ir::Kind;
use super::machine::Program;
use super::replay::Entry;
use super::verify::{Examination, Finding, Known, Standing, examine};
use crate::cpp;
use crate::cpp::ast::{Class, Function};
use crate::examine::{ExamineError, Options, Source};

/// A mutator with what was found about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutator {
    /// The file's name.
    pub file: String,
    /// The line where it begins.
    pub line: usize,
    /// Its name, as `Simplify::visit(const Add *)`.
    pub name: String,
    /// What was found.
    pub examination: Examination,
}

/// Examines the mutators of the files whose names contain one of `wanted`, or all if there is none.
///
/// A mutator is a method `visit` that takes a node and belongs to a class derived from `IRMutator`, or returns an
/// expression or statement. Analyses that contracts rest on are examined beside them.
pub fn mutators(
    sources: &[Source],
    wanted: &[String],
    options: &Options,
) -> Result<Vec<Mutator>, ExamineError> {
    let mut program = Program::default();
    let mut classes: Vec<Class> = Vec::new();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let file = cpp::parse(&source.text).unwrap_or_default();
        classes.extend(file.classes);
        for function in file.functions {
            found.push((index, program.functions.len()));
            program.functions.push(function);
        }
    }
    found.retain(|(_, function)| {
        let function = &program.functions[*function];
        is_mutator(function, &classes)
            && (wanted.is_empty() || wanted.iter().any(|name| title(function).contains(name)))
    });
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Examination>>> = Mutex::new(vec![None; found.len()]);
    let work = || -> Result<(), ExamineError> {
        let mut solver = Solver::open(SolverOptions::new(options.solver.clone()))?;
        let mut known = Known::default();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, function)) = found.get(index) else { return Ok(()) };
            let function = &program.functions[*function];
            if contracts::is_analysis(&function.name) {
                let entry = Entry {
                    program: &program,
                    profile: options.profile,
                    function,
                    kind: Kind::Variable,
                    is_whole: true,
                };
                let examination = examine_bounds(entry, &mut solver, options.limits);
                done.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(examination);
                continue;
            }
            let examination = match argument(function).and_then(Kind::named) {
                Some(kind) => {
                    let entry = Entry {
                        program: &program,
                        profile: options.profile,
                        function,
                        kind,
                        is_whole: true,
                    };
                    examine(entry, &mut solver, options.limits, &mut known)
                }
                None => unsupported(function),
            };
            done.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(examination);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mutators = found.iter().zip(done).filter_map(|((file, function), examination)| {
        let function = &program.functions[*function];
        Some(Mutator {
            file: sources[*file].name.clone(),
            line: function.line,
            name: title(function),
            examination: examination?,
        })
    });
    Ok(mutators.collect())
}

/// The kind of node that a method takes, by its name.
fn argument(function: &Function) -> Option<&str> {
    function.parameters.first()?.ty.strip_suffix('*')
}

fn title(function: &Function) -> String {
    if function.name != "visit" {
        return format!("{}::{}", function.class, function.name);
    }
    let argument = argument(function).unwrap_or_default();
    format!("{}::visit(const {argument} *)", function.class)
}

fn is_mutator(function: &Function, classes: &[Class]) -> bool {
    if contracts::is_analysis(&function.name) {
        return function.parameters.len() == 3;
    }
    if function.name != "visit" || argument(function).is_none() {
        return false;
    }
    matches!(function.result.as_str(), "Expr" | "Stmt")
        || derives(&function.class, classes, classes.len())
}

/// Whether a class derives from a mutator.
fn derives(class: &str, classes: &[Class], depth: usize) -> bool {
    let Some(class) = classes.iter().find(|known| known.name == class) else { return false };
    class
        .bases
        .iter()
        .any(|base| base.contains("IRMutator") || depth > 0 && derives(base, classes, depth - 1))
}

fn unsupported(function: &Function) -> Examination {
    let what = format!("nodes of the kind {}", argument(function).unwrap_or_default());
    let finding = Finding {
        standing: Standing::Unsupported,
        line: function.line,
        ty: String::new(),
        text: what,
        counterexample: None,
    };
    Examination { standing: Standing::Unsupported, findings: vec![finding], proved: 0 }
}
