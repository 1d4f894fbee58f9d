//! Examines all mutators of some files.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use halidom_base::stack;
use halidom_cpp as cpp;
use halidom_cpp::ast::{File, Function, Stmt, StmtKind};
use halidom_cpp::{is_letter, without_comments, words};
use halidom_rewrites::cache::Cache;
use halidom_rewrites::options::{ExamineError, Options, Source};
use halidom_rewrites::profile::Language;
use halidom_smt::Solver;

use crate::ir::kinds::Kind;
use crate::judge::addresses::refuted_by_addresses;
use crate::judge::alike_shuffles::refuted_by_alike_shuffles;
use crate::judge::analysis::examine_bounds;
use crate::judge::concats::refuted_by_concats;
use crate::judge::context::refuted_in_context;
use crate::judge::entry::{Entry, any_of};
use crate::judge::keep::Dependence;
use crate::judge::lanes::refuted_by_lanes;
use crate::judge::meanings::{
    has_meaning, hide_all_by_conversions, hide_other_roots, own_methods, renamed, renamed_within,
    take_out_of_spaces,
};
use crate::judge::renaming::examine_renaming;
use crate::judge::statement::examine_statement;
use crate::judge::suspects::{argument, is_suspect, unjudged};
use crate::judge::verdict::{Examination, Finding, Standing};
use crate::judge::verify::{Known, examine};
use crate::machine::contracts;
use crate::machine::counting_bodies::keeps_contract_by_form;
use crate::machine::doubts::{hide_ambiguous, is_known_space, unseen, without_body};
use crate::machine::hoists::keeps_contract;
use crate::machine::invariants::linked;
use crate::machine::language::Print;
use crate::machine::masks::is_examined;
use crate::machine::patterns::hidden;
use crate::machine::plain_bodies::keeps_plain_contract;
use crate::machine::program::{Program, called};
use crate::machine::run::Mode;
use crate::machine::scopes::scopes;
use crate::machine::steady::unsteady;
use crate::machine::twins::twins;
use crate::machine::unread::unread;

/// A mutator with its examination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutator {
    /// The file's name.
    pub file: String,
    /// The line where the mutator begins.
    pub line: usize,
    /// Its name, as `Simplify::visit(const Add *)`.
    pub name: String,
    /// The result of examining it.
    pub examination: Examination,
}

/// Examines the mutators of the files whose file and name, as
/// `Simplify.cpp: Simplify::visit(const Add *)`, contain one of `wanted`; if `wanted` is empty,
/// examines all.
///
/// A mutator is a method `visit` that takes a node and either belongs to a class derived from
/// `IRMutator` or returns an expression or statement. Analyses on which contracts rely are examined
/// too.
///
/// # Errors
///
/// If a solver cannot be opened, or the cache cannot be read or written.
pub fn mutators(
    sources: &[Source],
    wanted: &[String],
    options: &Options,
) -> Result<Vec<Mutator>, ExamineError> {
    mutators_of(parsed(sources), wanted, options)
}

/// Returns the files and names of the mutators that [`mutators`] would examine.
pub fn names(sources: &[Source], wanted: &[String]) -> Vec<(String, String)> {
    let all = Found::of(parsed(sources), wanted);
    all.mutators
        .iter()
        .map(|(file, function)| {
            (all.names[*file].clone(), title(&all.program.functions[*function]))
        })
        .collect()
}

/// Tests for the words that show a mutator, an emitter or an analysis: a text with one of these has
/// such a word, or a macro that may put it together.
fn is_of_mutators(word: &str) -> bool {
    let methods = ["visit", "mutate", "Mutate", "Mutate_", "VisitExpr_", "VisitStmt_"];
    methods.contains(&word)
        || contracts::is_analysis(word)
        || ["class", "struct", "define"].contains(&word)
}

/// Parses files with lines that are counted through all of them, so that a line determines its
/// file.
fn parsed(sources: &[Source]) -> Vec<(String, File)> {
    let mut before = 0;
    let mut files = Vec::new();
    for source in sources {
        let mut file = cpp::parse_after(before, &source.text).unwrap_or_default();
        // A text without any such word hides nothing that would be judged.
        if !words(&source.text).any(is_of_mutators) {
            file.errors.clear();
        }
        before += source.text.lines().count();
        files.push((source.name.clone(), file));
    }
    files
}

/// The program and the mutators that were found in files.
pub(crate) struct Found {
    pub(crate) program: Program,
    /// The names of the files.
    names: Vec<String>,
    /// The number of the program's lines before each file, and the number of the file's lines.
    lines: Vec<(usize, usize)>,
    /// The mutators by file and function.
    pub(crate) mutators: Vec<(usize, usize)>,
    /// The lines of syntax errors that may hide mutators.
    errors: Vec<usize>,
    /// The functions in whose place contracts stand, and that are not judged themselves.
    assumed: Vec<usize>,
    /// Those whose bodies keep the contract.
    compared: Vec<usize>,
}

/// Makes functions unreadable that name macros of other files. Only the macros of its own file are
/// known when a file is read.
fn hide_macros<'n>(functions: &mut [Function], macros: impl Iterator<Item = &'n String>) {
    let macros: BTreeSet<&str> = macros.map(String::as_str).collect();
    if macros.is_empty() {
        return;
    }
    for function in functions {
        let mut words = function.text.split(|letter| !is_letter(letter));
        if let Some(name) = words.find(|word| macros.contains(word)) {
            let what = format!("`{name}`, which is a macro of another file");
            function.body = vec![Stmt { kind: StmtKind::Other(what), line: function.line }];
        }
    }
}

/// Words in capitals that a library declares, names of levels of messages, and macros that the
/// machine knows.
const CAPITALS: [&str; 28] = [
    "CHAR_BIT",
    "DBL_MAX",
    "DBL_MIN",
    "ERROR",
    "EVAL_IN_LAMBDA",
    "FATAL",
    "FE_TONEAREST",
    "FLT_MAX",
    "FLT_MIN",
    "INFINITY",
    "INFO",
    "INT16_MAX",
    "INT16_MIN",
    "INT32_MAX",
    "INT32_MIN",
    "INT64_MAX",
    "INT64_MIN",
    "INT8_MAX",
    "INT8_MIN",
    "INT_MAX",
    "INT_MIN",
    "NAN",
    "NULL",
    "SIZE_MAX",
    "UINT16_MAX",
    "UINT32_MAX",
    "UINT64_MAX",
    "WARNING",
];

/// Tests whether a name is in capitals, as macros are.
fn is_in_capitals(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|letter| letter.is_ascii_uppercase() || letter == '_')
        && word.chars().filter(char::is_ascii_uppercase).count() > 1
        && letters.all(|letter| !letter.is_ascii_lowercase())
}

/// The first name in a function that may be a macro of a file that is not read: a word in capitals
/// that neither a class, a namespace nor an object qualifies, that nothing in the files declares,
/// and that means nothing to the machine. A call of such a name is not followed anyway.
fn unknown_macro<'f>(function: &'f str, is_known: &dyn Fn(&str) -> bool) -> Option<&'f str> {
    let mut at = 0;
    let text = function;
    while let Some(begin) = text[at..].find(is_letter).map(|begin| begin + at) {
        let end = text[begin..].find(|letter| !is_letter(letter));
        let end = end.map_or(text.len(), |end| end + begin);
        let (before, after) = (text[..begin].trim_end(), text[end..].trim_start());
        let word = &text[begin..end];
        let is_part = ["::", ".", "->"].iter().any(|sign| before.ends_with(sign));
        let is_other = is_part || after.starts_with(['(']) || after.starts_with("::");
        if is_in_capitals(word) && !is_other && !is_known(word) {
            return Some(word);
        }
        at = end;
    }
    None
}

/// Makes functions unreadable that name what may be a macro of a file that is not read.
fn hide_unknown_macros(program: &mut Program, enumerators: &BTreeSet<String>) {
    let fields = program.classes.iter().flat_map(|class| &class.fields);
    let classes = program.classes.iter().map(|class| class.name.clone());
    let mut declared: BTreeSet<String> = fields.map(|field| field.name.clone()).collect();
    declared.extend(classes.chain(program.others.iter().chain(enumerators).cloned()));
    declared.extend(program.aliases_within.iter().cloned());
    declared.extend(program.functions.iter().map(|function| function.name.clone()));
    for function in &mut program.functions {
        let text = without_comments(&function.text);
        let is_known = |word: &str| {
            declared.contains(word)
                || has_meaning(word)
                || CAPITALS.contains(&word)
                || function.declared.iter().any(|name| name == word)
                || function.parameters.iter().any(|parameter| parameter.name == word)
        };
        if let Some(name) = unknown_macro(&text, &is_known) {
            let what = format!("`{name}`, which may be a macro of a file that is not read");
            function.body = vec![Stmt { kind: StmtKind::Other(what), line: function.line }];
            function.text.push('\u{2}');
        }
    }
}

impl Found {
    pub(crate) fn of(files: Vec<(String, File)>, wanted: &[String]) -> Self {
        let mut program = Program::default();
        let mut mutators: Vec<(usize, usize)> = Vec::new();
        let (mut names, mut lines, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let (mut prototypes, mut files_of_classes) = (Vec::new(), Vec::new());
        let mut things: BTreeSet<String> = BTreeSet::new();
        let of_path = |path: &String| path.rsplit(['/', '\\']).next().map(str::to_owned);
        let included = |(_, file): &(String, File)| -> BTreeSet<String> {
            file.includes.iter().filter_map(of_path).collect()
        };
        // Where a macro names a file, it may be any of them.
        let of_names = |file: &(String, File)| -> Vec<usize> {
            let (names, is_any) = (included(file), file.1.includes_any);
            let is_it = |index: &usize| is_any || names.contains(&files[*index].0);
            (0..files.len()).filter(is_it).collect()
        };
        program.includes = files.iter().map(of_names).collect();
        program.shared = vec![false; files.len()];
        for index in program.includes.iter().flatten() {
            program.shared[*index] = true;
        }
        let enumerators = files.iter().flat_map(|(_, file)| &file.enumerators).cloned().collect();
        let macros: Vec<Vec<String>> = files.iter().map(|(_, file)| file.macros.clone()).collect();
        for (index, (name, mut file)) in files.into_iter().enumerate() {
            let others = macros.iter().flatten().filter(|name| !file.macros.contains(name));
            hide_macros(&mut file.functions, others);
            names.push(name);
            lines.push((file.before, file.lines));
            errors.extend(file.errors);
            files_of_classes.extend(std::iter::repeat_n(index, file.classes.len()));
            program.classes.extend(file.classes);
            prototypes.extend(file.prototypes);
            program.starts.push(file.before);
            program.has_other_space |= file.spaces.iter().any(|of| !is_known_space(of));
            program.others.extend(file.others);
            program.outside.push(file.outside);
            program.texts.extend(file.texts);
            program.specialized.extend(file.specialized);
            things.extend(file.things);
            program.renamed_within.extend(renamed_within(&file.local_aliases));
            program.aliases_within.extend(file.local_aliases);
            for function in file.functions {
                mutators.push((index, program.functions.len()));
                program.functions.push(function);
            }
        }
        take_out_of_spaces(&mut program, &mut prototypes);
        hide_unknown_macros(&mut program, &enumerators);
        program.unseen = unseen(&program, &prototypes);
        let bodiless = without_body(&program, &prototypes);
        program.bodiless = bodiless.into_iter().map(|of| of.class.clone()).collect();
        hide_ambiguous(&mut program, &files_of_classes);
        hide_other_roots(&mut program, &things);
        hide_all_by_conversions(&mut program);
        program.own_methods = own_methods(&program);
        errors.extend(unjudged(&program));
        errors.sort_unstable();
        errors.dedup();
        program.scopes = scopes(&program.functions, &program.classes);
        program.unsteady = unsteady(&program);
        program.linked = linked(&program.classes);
        let of_class = |file: &usize| (*file, names.get(*file).map_or("", String::as_str));
        let files: Vec<(usize, &str)> = files_of_classes.iter().map(of_class).collect();
        program.unread = unread(&program, &prototypes, &files);
        program.twins = twins(&program, &prototypes, &files);
        // A function with a body is run as it is written, and one that a contract replaces is
        // judged against its contract. All else with a name of the API hides what the API means by
        // it.
        program.hidden = hidden(&program);
        program.renamed = renamed(&program, &things, &prototypes);
        let is_judged = |function: &Function| {
            is_mutator(function, &program)
                || is_emitter(function, &program.functions)
                || is_own(function)
        };
        let (mut mutators, others): (Vec<_>, Vec<_>) = mutators
            .into_iter()
            .partition(|(_, function)| is_judged(&program.functions[*function]));
        let is_wanted = |(file, function): &(usize, usize)| {
            let name = format!("{}: {}", names[*file], title(&program.functions[*function]));
            wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted))
        };
        mutators.retain(is_wanted);
        // A wanted mutator rests on the contracts of all functions that it may call.
        let first = mutators.iter().map(|(_, function)| &program.functions[*function]).collect();
        let reached = called(&program, first);
        let is_assumed = |of: &(usize, usize)| {
            let function = &program.functions[of.1];
            let is_reached = reached.iter().any(|known| std::ptr::eq(*known, function));
            contracts::is_replaced(function) && (is_wanted(of) || is_reached)
        };
        let assumed = others.iter().filter(|of| is_assumed(of)).map(|of| of.1);
        let (compared, assumed) = assumed.partition(|function| {
            let function = &program.functions[*function];
            keeps_contract(&program, function)
                || keeps_plain_contract(&program, function)
                || keeps_contract_by_form(&program, function)
        });
        Self { program, names, lines, mutators, errors, assumed, compared }
    }

    /// Returns the file that contains a line of the program, and the line within that file; line 0
    /// is in no file.
    fn place(&self, line: usize) -> Option<(usize, usize)> {
        let within =
            |(before, count): &(usize, usize)| (before + 1..=before + count).contains(&line);
        let file = self.lines.iter().position(within)?;
        Some((file, line - self.lines[file].0))
    }

    /// Returns what syntax errors hide, and the functions in whose place contracts stand. Nothing
    /// is known of them, unless the body has a form that keeps the contract.
    fn hidden(&self) -> Vec<Mutator> {
        let hidden = self.errors.iter().map(|line| {
            let what = "text that is not read, and may hold mutators";
            (*line, "text that is not read".to_owned(), what)
        });
        let assumed = self.assumed.iter().map(|function| {
            let function = &self.program.functions[*function];
            (function.line, title(function), "a body that nothing compares with its contract")
        });
        let compared = self.compared.iter().filter_map(|function| {
            let function = &self.program.functions[*function];
            let (file, line) = self.place(function.line)?;
            let (name, examination) = (title(function), Examination::of(line, Vec::new(), 1));
            Some(Mutator { file: self.names[file].clone(), line, name, examination })
        });
        let unknown = |(line, name, what): (usize, String, &str)| {
            let (file, line) = self.place(line)?;
            let examination = nothing_known(line, what.to_owned());
            Some(Mutator { file: self.names[file].clone(), line, name, examination })
        };
        hidden.chain(assumed).filter_map(unknown).chain(compared).collect()
    }

    /// Returns an examination as a mutator, with lines counted within files.
    fn placed(&self, file: usize, function: usize, mut examination: Examination) -> Mutator {
        let function = &self.program.functions[function];
        for finding in &mut examination.findings {
            // A finding without a line is about the mutator as a whole.
            let line = if finding.line == 0 { function.line } else { finding.line };
            let (at, line) = self.place(line).unwrap_or((file, line));
            finding.file = (at != file).then(|| self.names[at].clone());
            finding.line = line;
        }
        Mutator {
            file: self.names[file].clone(),
            line: self.place(function.line).map_or(function.line, |(_, line)| line),
            name: title(function),
            examination,
        }
    }
}

/// Examines the mutators of files that were parsed; see [`mutators`].
///
/// # Errors
///
/// The errors of [`mutators`].
pub fn mutators_of(
    files: Vec<(String, File)>,
    wanted: &[String],
    options: &Options,
) -> Result<Vec<Mutator>, ExamineError> {
    let all = Found::of(files, wanted);
    let (program, found) = (&all.program, &all.mutators);
    let io =
        |source| ExamineError::Cache { path: options.cache.clone().unwrap_or_default(), source };
    let cache = Cache::load(options).map_err(io)?;
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Examination>>> = Mutex::new(vec![None; found.len()]);
    // The longest come first, so that none of them is begun when the others are done.
    let dependence = |(_, function): &(usize, usize)| {
        let function = &program.functions[*function];
        Dependence::of(program, function, mode(function, &program.functions), options)
    };
    let mut queue: Vec<(usize, Dependence<'_>)> =
        found.iter().map(dependence).enumerate().collect();
    queue.sort_by_key(|(_, dependence)| std::cmp::Reverse(dependence.length()));
    let work = || -> Result<(), ExamineError> {
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some((index, dependence)) = queue.get(turn) else { return Ok(()) };
            let index = *index;
            let function = &program.functions[found[index].1];
            // Each mutator gets a new solver, so that its answers do not depend on questions about
            // others.
            let mut solver = Solver::open(options.limits.options(options.solver.clone()))?;
            let mut asked = Known::default();
            let known = cache.line(&dependence.key);
            let known = known.and_then(|line| dependence.read(line, options));
            let examination = known.unwrap_or_else(|| {
                let entry = |kind| Entry {
                    program,
                    profile: options.profile,
                    function,
                    kind,
                    is_whole: true,
                    mode: mode(function, &program.functions),
                    is_asked: false,
                };
                if options.profile.language == Language::PatternMatch {
                    // The nodes of that language's compiler have other meanings than Halide's.
                    let what = format!("the profile {} is about rules", options.profile.name);
                    return nothing_known(function.line, what);
                }
                if let Some(obstacle) = contracts::obstacle(&function.class) {
                    return nothing_known(function.line, obstacle);
                }
                if contracts::is_analysis(&function.name) {
                    return examine_bounds(entry(Kind::Variable), &mut solver, options.limits);
                }
                let kind = if is_own(function) {
                    Some(any_of(function))
                } else {
                    argument(function).and_then(Kind::named)
                };
                match kind {
                    Some(kind) if contracts::renames(&function.class) => {
                        examine_renaming(entry(kind))
                    }
                    Some(kind) if contracts::makes_masks(&function.class) && !is_examined(kind) => {
                        let what = "vectors of truth values in a node of this kind";
                        nothing_known(function.line, what.to_owned())
                    }
                    Some(kind) if kind.is_stmt() => {
                        let entry = entry(kind);
                        let mut found = examine_statement(entry, &mut solver, options.limits);
                        found.findings.extend(refuted_by_alike_shuffles(entry));
                        if !found.standing().is_refuted() {
                            found.findings.extend(refuted_in_context(entry));
                        }
                        found
                    }
                    Some(kind) => {
                        let entry = entry(kind);
                        let mut found = examine(entry, &mut solver, options.limits, &mut asked);
                        found.findings.extend(refuted_by_lanes(entry));
                        found.findings.extend(refuted_by_concats(entry));
                        found.findings.extend(refuted_by_alike_shuffles(entry));
                        found.findings.extend(refuted_by_addresses(entry));
                        if !found.standing().is_refuted() {
                            found.findings.extend(refuted_in_context(entry));
                        }
                        found
                    }
                    None => unsupported(function),
                }
            });
            cache.keep(&dependence.key, dependence.write(&examination, options));
            done.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(examination);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..options.threads.max(1)).map(|_| scope.spawn(move || stack::whole(work))).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    cache.save(options).map_err(io)?;
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mutators = all.mutators.iter().zip(done).filter_map(|((file, function), examination)| {
        Some(all.placed(*file, *function, examination?))
    });
    Ok(mutators.chain(all.hidden()).collect())
}

fn title(function: &Function) -> String {
    match argument(function) {
        Some(argument)
            if ["visit", "Mutate_", "VisitExpr_", "VisitStmt_"]
                .contains(&function.name.as_str()) =>
        {
            format!("{}::{}(const {argument} *)", function.class, function.name)
        }
        _ if function.class.is_empty() => function.name.clone(),
        _ => format!("{}::{}", function.class, function.name),
    }
}

/// Tests whether a function is a class's own `mutate`, which the contract replaces where it is
/// called.
fn is_own(function: &Function) -> bool {
    contracts::is_mutate(function) && contracts::is_replaced(function)
}

fn is_mutator(function: &Function, program: &Program) -> bool {
    if contracts::is_analysis(&function.name) {
        return function.parameters.len() == 3;
    }
    argument(function).is_some() && is_suspect(function, program)
}

/// True if a method prints C for a node: its class, or a base that may not be seen, has a method
/// that prints an operand.
fn is_emitter(function: &Function, functions: &[Function]) -> bool {
    let is_printed =
        |name: &str| matches!(contracts::printed(name), Some(Print::Expr | Print::Inline));
    let is_it = |other: &Function| {
        let prints = other.class == function.class && is_printed(&other.name);
        prints && !other.class.is_empty()
    };
    let is_visit = ["visit", "VisitExpr_", "VisitStmt_"].contains(&function.name.as_str())
        && function.result == "void"
        && argument(function).is_some();
    is_visit
        && (functions.iter().any(is_it) || words(&without_comments(&function.text)).any(is_printed))
}

/// Returns what a method makes.
pub(crate) fn mode(function: &Function, functions: &[Function]) -> Mode {
    if is_emitter(function, functions) { Mode::Emitter } else { Mode::Mutator }
}

fn unsupported(function: &Function) -> Examination {
    let what = format!("nodes of the kind {}", argument(function).unwrap_or_default());
    nothing_known(function.line, what)
}

fn nothing_known(line: usize, what: String) -> Examination {
    let finding = Finding {
        file: None,
        standing: Standing::Unsupported,
        line,
        ty: String::new(),
        text: what,
        counterexample: None,
    };
    Examination { findings: vec![finding], proved: 0 }
}
