//! All mutators of some files.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use halidom_smt::Solver;

use super::analysis::examine_bounds;
use super::contracts;
use super::ir::Kind;
use super::keep::Dependence;
use super::machine::Program;
use super::replay::Entry;
use super::statement::examine_statement;
use super::verify::{Examination, Finding, Known, Standing, examine};
use crate::cache::Cache;
use crate::cpp;
use crate::cpp::ast::{Class, File, Function};
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

/// Examines the mutators of the files whose file and name, as `Simplify.cpp: Simplify::visit(const Add *)`, contain one of
/// `wanted`, or all if there is none.
///
/// A mutator is a method `visit` that takes a node and belongs to a class derived from `IRMutator`, or returns an
/// expression or statement. Analyses that contracts rest on are examined beside them.
pub fn mutators(
    sources: &[Source],
    wanted: &[String],
    options: &Options,
) -> Result<Vec<Mutator>, ExamineError> {
    mutators_of(parsed(sources), wanted, options)
}

/// The files and names of the mutators that [`mutators`] would examine.
pub fn names(sources: &[Source], wanted: &[String]) -> Vec<(String, String)> {
    let all = Found::of(parsed(sources), wanted);
    all.mutators
        .iter()
        .map(|(file, function)| {
            (all.names[*file].clone(), title(&all.program.functions[*function]))
        })
        .collect()
}

fn parsed(sources: &[Source]) -> Vec<(String, File)> {
    let read =
        |source: &Source| (source.name.clone(), cpp::parse(&source.text).unwrap_or_default());
    sources.iter().map(read).collect()
}

/// What files have.
pub(crate) struct Found {
    pub(crate) program: Program,
    /// The names of the files.
    names: Vec<String>,
    /// Mutators by file and function.
    pub(crate) mutators: Vec<(usize, usize)>,
}

impl Found {
    pub(crate) fn of(files: Vec<(String, File)>, wanted: &[String]) -> Self {
        let mut program = Program::default();
        let mut mutators: Vec<(usize, usize)> = Vec::new();
        let mut names = Vec::new();
        for (index, (name, file)) in files.into_iter().enumerate() {
            names.push(name);
            program.classes.extend(file.classes);
            for function in file.functions {
                mutators.push((index, program.functions.len()));
                program.functions.push(function);
            }
        }
        mutators.retain(|(file, function)| {
            let function = &program.functions[*function];
            let name = format!("{}: {}", names[*file], title(function));
            (is_mutator(function, &program.classes) || is_emitter(function, &program.functions))
                && (wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted)))
        });
        Self { program, names, mutators }
    }
}

/// Examines the mutators of files that were read; see [`mutators`].
pub fn mutators_of(
    files: Vec<(String, File)>,
    wanted: &[String],
    options: &Options,
) -> Result<Vec<Mutator>, ExamineError> {
    let Found { program, names, mutators: found } = Found::of(files, wanted);
    let io =
        |source| ExamineError::Cache { path: options.cache.clone().unwrap_or_default(), source };
    let cache = Cache::load(options).map_err(io)?;
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Examination>>> = Mutex::new(vec![None; found.len()]);
    let work = || -> Result<(), ExamineError> {
        let mut solver = Solver::open(options.limits.options(options.solver.clone()))?;
        let mut asked = Known::default();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, function)) = found.get(index) else { return Ok(()) };
            let function = &program.functions[*function];
            let dependence = Dependence::of(&program, function, options);
            let known = cache.line(&dependence.key);
            let known = known.and_then(|line| dependence.read(line, options));
            let examination = known.unwrap_or_else(|| {
                let entry = |kind| Entry {
                    program: &program,
                    profile: options.profile,
                    function,
                    kind,
                    is_whole: true,
                    is_emitter: is_emitter(function, &program.functions),
                    is_hardware: false,
                };
                if contracts::is_analysis(&function.name) {
                    return examine_bounds(entry(Kind::Variable), &mut solver, options.limits);
                }
                match argument(function).and_then(Kind::named) {
                    Some(kind) if kind.is_stmt() => {
                        examine_statement(entry(kind), &mut solver, options.limits)
                    }
                    Some(kind) => examine(entry(kind), &mut solver, options.limits, &mut asked),
                    None => unsupported(function),
                }
            });
            cache.keep(dependence.key.clone(), dependence.write(&examination, options));
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
    cache.save(options).map_err(io)?;
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mutators = found.iter().zip(done).filter_map(|((file, function), examination)| {
        let function = &program.functions[*function];
        Some(Mutator {
            file: names[*file].clone(),
            line: function.line,
            name: title(function),
            examination: examination?,
        })
    });
    Ok(mutators.collect())
}

/// The kind of node that a method takes, by its name.
pub(crate) fn argument(function: &Function) -> Option<&str> {
    function.parameters.first()?.ty.strip_suffix('*')
}

fn title(function: &Function) -> String {
    match argument(function) {
        Some(argument)
            if matches!(
                function.name.as_str(),
                "visit" | "Mutate_" | "VisitExpr_" | "VisitStmt_"
            ) =>
        {
            format!("{}::{}(const {argument} *)", function.class, function.name)
        }
        _ => format!("{}::{}", function.class, function.name),
    }
}

fn is_mutator(function: &Function, classes: &[Class]) -> bool {
    if contracts::is_analysis(&function.name) {
        return function.parameters.len() == 3;
    }
    if !matches!(function.name.as_str(), "visit" | "Mutate_") || argument(function).is_none() {
        return false;
    }
    matches!(function.result.as_str(), "Expr" | "Stmt")
        || derives(&function.class, classes, classes.len())
}

/// Whether a method prints C for a node: its class has a method that prints an operand.
pub(crate) fn is_emitter(function: &Function, functions: &[Function]) -> bool {
    let prints = |other: &Function| {
        other.class == function.class
            && matches!(
                contracts::printed(&other.name),
                Some(super::emit::Print::Expr | super::emit::Print::Inline)
            )
    };
    matches!(function.name.as_str(), "visit" | "VisitExpr_" | "VisitStmt_")
        && function.result == "void"
        && argument(function).is_some()
        && functions.iter().any(prints)
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
