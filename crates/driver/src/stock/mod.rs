//! Stock Halide's compilations: a pipeline file, the statement that Halide made of it, and the
//! compiled code.

mod annotated;
mod compare;
mod demands;
pub mod diff;
mod execute;
mod export;
mod folder;
mod import;
mod interface;
mod passes;
pub mod preload;
pub mod replay;
pub mod sizes;
mod statement;
mod tried;
mod unwritten;

use std::path::{Path, PathBuf};

use halidom_diag::{Diagnostic, FileId, Sources, Span};
use halidom_halide::bridge::{Artifacts, BridgeError, Job};
use halidom_halide::dump::{Argument, Dump};
use halidom_halide::pipeline::{self, Constraint, Image, Parameter, Pipeline};
use halidom_halide::translate::{Contract, Settings};
use halidom_halide::tree::{Block, CallKind, Expr};
use halidom_halide::{
    NameId, Names, Release, claims, codes, dump as lossless_form, text, translate,
};
use halidom_interp::machine;
use halidom_ir::{Algorithm, FuncId, Pool, Program};

use self::demands::demand;
use self::statement::{Code, Statement};
use crate::compile::Compiled;
use crate::files::{self, FileError};
use crate::judge::Compiler;
use crate::refusal::Refusal;
use crate::source;
use crate::subject::{Origin, Subject};

pub use annotated::{
    Annotated, Annotations, Beside as BesideAnnotated, Judged, Prophecies, annotated_statement,
    carried, judged,
};
pub use compare::{Beside, Compared, Comparison, Difference, compare};
pub use execute::before;
pub use export::export;
pub use halidom_halide::bridge;
pub use halidom_halide::codes::UNSUPPORTED;
pub use halidom_halide::script::{Language, Unprintable, directives};
pub use halidom_halide::translate::Note;
pub use import::{Import, import, import_script};
pub use passes::{Outcome, Step, changes, passes};
pub use replay::{Confirmed, Replay, bear_out, confirm, dump, replay};
pub use tried::{Tried, try_out};
pub use unwritten::{Unwritten, unwritten};

/// A compilation by stock Halide.
#[derive(Clone, Debug)]
pub struct Stock {
    /// The algorithm, and the statement as a program.
    pub subject: Subject,
    /// Notes on the parts that the translation left out.
    pub notes: Vec<Note>,
    /// The statement after every pass of the compiler, where it is known.
    pub dump: Option<String>,
    /// The compile job that makes the code.
    job: Job,
    pipeline: Pipeline,
    /// The pipeline file.
    bytes: Vec<u8>,
    names: Names,
    /// The algorithm before any statement was translated.
    source: translate::Source,
    /// The algorithm before a directive changed definitions, where one did.
    before: Option<translate::Source>,
    /// The statement.
    block: Block,
    /// The code that a replay of the statement runs.
    code: Code,
    /// Assumptions about callers.
    conditions: Vec<Expr>,
    /// The algorithm as the pipeline defines it, in the pool of `source`. The judged algorithm has
    /// a value on more inputs ([`translate::keep_in_range`]).
    said: Algorithm,
    /// The algorithm that has no value where a promise of the pipeline is broken, if it has
    /// promises ([`translate::with_promises`]).
    promised: Option<translate::Source>,
}

// The translation makes the loads to which the interpreter gives no value.
const _: () = assert!(translate::UNLOADED == machine::UNLOADED);

/// The options of a run of a translated statement: a lane whose load is not made has no value.
pub fn options() -> machine::Options {
    machine::Options { unloaded: Some(machine::UNLOADED), ..machine::Options::default() }
}

impl Stock {
    /// The statement as a lossless dump, where one is known.
    pub fn lossless(&self) -> Option<String> {
        self.known_dump().map(|dump| lossless_form::print(dump, &self.names))
    }

    /// Tests whether the statement shows only six digits of constants that the compiler computed.
    pub fn has_digits(&self) -> bool {
        self.notes.iter().any(|note| matches!(note, Note::Digits(_)))
    }

    /// The final statement of Halide's compiler.
    pub fn block(&self) -> &Block {
        &self.block
    }

    /// The names in the statement and the pipeline.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The pipeline as Halide wrote it.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Runs the code that Halide compiles from the pipeline on the cases in a folder and in its
    /// subfolders, as [`replay::write_given`] writes them.
    pub fn run(&self, folder: &Path) -> Result<(), BridgeError> {
        self.job.run(folder)
    }

    /// Replaces the statement by another one of the same pipeline. The bridge compiles that
    /// statement to get its code.
    ///
    /// # Errors
    ///
    /// Returns the reason if the statement is refused.
    pub fn with_statement(&self, block: Block, names: &Names) -> Result<Self, String> {
        let Self { pipeline, source, before, conditions, code, .. } = self;
        translate::belongs(pipeline, names, &block).map_err(|found| found.what)?;
        let sources = (source, before.as_ref());
        let stated = (&block, conditions.as_slice());
        let (subject, notes) = judged_of(sources, (pipeline, names), stated)
            .map_err(|unsupported| unsupported.what)?;
        let said = subject.algorithm.clone();
        let code = match code {
            Code::Own(Some(dump)) | Code::Live(dump) | Code::Given(dump) => {
                Code::Given(Dump { block: block.clone(), ..dump.clone() })
            }
            Code::Own(None) | Code::Text(_) => Code::Text(text::print(&block, names)),
        };
        Ok(Self { subject, notes, names: names.clone(), block, code, said, ..self.clone() })
    }

    /// The same statement, to be judged by the definitions of another pipeline. The pipeline's own
    /// definitions are a step in between. The names of both are in one table.
    ///
    /// # Errors
    ///
    /// Returns the reason if a part is not translated, or if arrays that are part of the pipelines
    /// differ: a proof is about all elements that such arrays may have.
    fn defined_by(&self, other: &Self) -> Result<Self, String> {
        for (own, others) in [(self, other), (other, self)] {
            let differs = |image: &&Image| !others.pipeline.images.contains(image);
            if let Some(image) = own.pipeline.images.iter().find(differs) {
                let name = own.names.text(image.name);
                return Err(format!("the array `{name}` has other elements in one of them"));
            }
        }
        let before = other.before.as_ref().unwrap_or(&other.source).clone();
        let made = || {
            let mut source = translate::rewriting(&before, &self.pipeline, &self.names)?;
            source.set(self.source.settings());
            let stated = (&self.block, self.conditions.as_slice());
            let own = (&self.pipeline, &self.names);
            let (subject, notes) = judged_of((&source, Some(&before)), own, stated)?;
            Ok((source, subject, notes))
        };
        let made = made().map_err(|unsupported: translate::Unsupported| unsupported.what);
        let (source, mut subject, notes) = made?;
        subject.origin = self.subject.origin.clone();
        let said = subject.algorithm.clone();
        Ok(Self { subject, notes, source, before: Some(before), said, ..self.clone() })
    }

    /// The release of Halide and the target of the compile, where they are known.
    pub fn compiled_by(&self) -> Option<(Release, &str)> {
        self.known_dump().map(|dump| (dump.release, &*dump.target))
    }

    /// The algorithm as the pipeline defines it, with the pool that owns its parts.
    pub fn said(&self) -> (&Pool, &Algorithm) {
        (&self.source.pool, &self.said)
    }
}

/// The name of the predefined contract: `--assume small`.
const SMALL: &str = "small";

/// A request to judge a compiled pipeline.
#[derive(Clone, Debug)]
pub struct Request {
    /// The pipeline and its target machine.
    pub job: Job,
    /// The final statement of Halide's compiler. Without it, the installed Halide compiles the
    /// pipeline.
    pub statement: Option<PathBuf>,
    /// A folder with the artifacts of a compile: the pipeline file of the job, and the statement in
    /// both forms, which must have been written together.
    pub compiled: Option<PathBuf>,
    /// The statement after every pass. If the installed Halide compiles the pipeline, it writes
    /// this dump.
    pub dump: Option<PathBuf>,
    /// Promises of callers beyond the statement's own checks: conditions on parameters and shapes
    /// ([`translate::assumption`]), or `small` ([`halidom_halide::Condition::Small`]).
    pub assumptions: Vec<String>,
}

impl Request {
    /// A request to compile a pipeline file for the host machine.
    pub fn of(file: &Path) -> Self {
        let job = Job::of(bridge::Origin::File(file.to_owned()));
        Self::of_job(job)
    }

    /// A request to judge the installed Halide's compilation of a job.
    pub fn of_job(job: Job) -> Self {
        Self { job, statement: None, compiled: None, dump: None, assumptions: Vec::new() }
    }

    /// The file that identifies the request to a person: the pipeline, the script or the generator.
    pub fn file(&self) -> &Path {
        match &self.job.origin {
            bridge::Origin::File(file) | bridge::Origin::Script(file) => file,
            bridge::Origin::Generator(generator) => &generator.binary,
        }
    }
}

/// Reads a pipeline and the final statement of Halide's compiler. The statement comes from a file
/// or from the installed Halide; the same holds for the dump of all passes.
pub fn read(request: &Request) -> Result<Stock, Refusal> {
    read_after(request, Names::new(), Purpose::Judgement)
}

/// The purpose of reading a compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// The statement is judged.
    Judgement,
    /// Its code is run, and the statement is not judged ([`translate::for_runs`]).
    Runs,
}

/// Reads a compile; its names extend a table.
fn read_after(request: &Request, mut names: Names, purpose: Purpose) -> Result<Stock, Refusal> {
    let mut sources = Sources::new();
    let script = match &request.job.origin {
        bridge::Origin::Script(file) => {
            let text = source::text(file)?;
            Some((sources.add(file.display().to_string(), text.clone()), text))
        }
        bridge::Origin::File(_) | bridge::Origin::Generator(_) => None,
    };
    let given = match &request.job.origin {
        bridge::Origin::File(file) => Some(bytes(file)?),
        bridge::Origin::Script(_) | bridge::Origin::Generator(_) => None,
    };
    let statement = request.statement.as_deref().map(source::text).transpose()?;
    let dump = request.dump.as_deref().map(source::text).transpose()?;
    let name = title(&request.job.origin);
    let mut places = Vec::new();
    let reading = || -> Result<Stock, Diagnostic> {
        // Refuse a file that is not a pipeline before Halide sees it.
        let known = given.as_ref().map(|bytes| pipeline::read(bytes, &mut names));
        let known = known.transpose().map_err(|error| error.diagnostic(&name))?;
        let (known, artifacts) = match (known, statement) {
            (Some(known), Some(text)) => {
                let bytes = given.clone().unwrap_or_default();
                let statement = Statement::Given(text);
                let (specification, target, live) = (None, None, false);
                (known, Compilation { statement, dump, specification, bytes, target, live })
            }
            (known, statement) => {
                let made = match &request.compiled {
                    Some(folder) => folder::read(folder).map_err(BridgeError::from),
                    None => compile(&request.job),
                };
                let made = made.map_err(|error| {
                    let script = script.as_ref().map(|(file, text)| (*file, text.as_str()));
                    error.diagnostic(script)
                })?;
                let Artifacts {
                    pipeline,
                    specification,
                    statement: text,
                    dump: lossless,
                    passes: _,
                    target,
                    places: found,
                } = made;
                places = found;
                let known = match known {
                    Some(known) => known,
                    None => pipeline::read(&pipeline, &mut names)
                        .map_err(|error| error.diagnostic(&name))?,
                };
                let statement = match statement {
                    Some(given) => Statement::Given(given),
                    None => Statement::compiled(text, lossless),
                };
                let bytes = given.clone().unwrap_or(pipeline);
                let live = request.compiled.is_some();
                (known, Compilation { statement, dump, specification, bytes, target, live })
            }
        };
        let title = match &request.statement {
            Some(path) => path.display().to_string(),
            None => format!("{name}, compiled"),
        };
        let file = sources.add(title, artifacts.statement.shown().to_owned());
        if let (Some(path), Some(dump)) = (&request.dump, &artifacts.dump) {
            let path = path.display().to_string();
            let file = sources.add(path.clone(), dump.clone());
            let text = match &artifacts.statement {
                Statement::Given(given) if lossless_form::is_dump(given) => {
                    let mut names = Names::new();
                    let read = lossless_form::read(given, &mut names);
                    read.map(|read| text::print(&read.block, &names)).unwrap_or_default()
                }
                Statement::Given(text)
                | Statement::Printed(text)
                | Statement::Compiled { text, lossless: _ } => text.clone(),
            };
            check_dump(dump, &text, (&path, file))?;
        }
        let mut assumed = Vec::new();
        let small = request.assumptions.iter().any(|words| words.trim() == SMALL);
        for words in request.assumptions.iter().filter(|words| words.trim() != SMALL) {
            assumed.push((words.clone(), sources.add("--assume", words.clone())));
        }
        translated(
            request.job.clone(),
            known,
            names,
            artifacts,
            Texts { name: &name, file, small, assumed: &assumed },
            purpose,
        )
    };
    let read = reading();
    match read {
        Ok(mut stock) => {
            let funcs = named(&stock);
            stock.subject.origin = Origin::of_calls(sources, &places, &funcs);
            Ok(stock)
        }
        Err(diagnostic) => Err(Refusal::new(sources, vec![diagnostic])),
    }
}

/// The funcs of a pipeline, by name. A func that a directive changed is there twice.
fn named(stock: &Stock) -> Vec<(String, FuncId)> {
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let funcs = compiled.steps.iter().chain([algorithm]).flat_map(|step| &step.funcs);
    funcs.map(|func| (pool.func(*func).name.clone(), *func)).collect()
}

/// The library that connects Halidom with the installed Halide; see [`bridge::library`].
pub fn library(copy: Option<&Path>) -> Result<PathBuf, Refusal> {
    if let Some(folder) = copy {
        let made = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
        made.map_err(|error| {
            let message = format!("cannot write into `{}`: {}", folder.display(), error.kind());
            Refusal::without_place("HAL0805", message, "give a folder that can be written")
        })?;
    }
    let made = bridge::library(copy);
    made.map_err(|error| Refusal::new(Sources::new(), vec![error.diagnostic(None)]))
}

/// Refuses a dump that cannot be read or whose final statement differs from the judged one.
fn check_dump(dump: &str, statement: &str, (name, file): (&str, FileId)) -> Result<(), Diagnostic> {
    let passes = text::dump(dump, &mut Names::new()).map_err(|error| error.diagnostic(file))?;
    let written = |pass: &&text::Pass| pass.block.is_some();
    let Some(last) = passes.iter().rfind(written) else { return Err(text::not_a_dump(name)) };
    // Ignore passes after the final simplification: a device's passes, for example, do not belong
    // to this statement.
    let is_final = |pass: &&text::Pass| pass.name == FINAL_PASS;
    let last = passes.iter().filter(written).rfind(is_final).unwrap_or(last);
    if dump[last.at..last.end] == *statement {
        return Ok(());
    }
    let message =
        format!("the dump is not of this statement: after `{}` it is another one", last.name);
    let place = Span::new(file, last.at..last.at);
    Err(Diagnostic::error(codes::MISMATCH, place, message)
        .with_hint("print the statement and write the dump in one run"))
}

/// The pass whose result is the final statement.
const FINAL_PASS: &str = "final simplification";

/// The results of a compile.
struct Compilation {
    /// The final statement.
    statement: Statement,
    dump: Option<String>,
    specification: Option<Vec<u8>>,
    /// The pipeline file.
    bytes: Vec<u8>,
    /// The target that a script names.
    target: Option<String>,
    /// It is that of a live pipeline.
    live: bool,
}

/// Builds a [`Stock`] from the artifacts that Halide compiled from a script.
pub fn of_script(script: &Path, artifacts: Artifacts) -> Result<Stock, Diagnostic> {
    let Artifacts { pipeline, specification, statement: text, dump: lossless, target, .. } =
        artifacts;
    let mut names = Names::new();
    let name = script.display().to_string();
    let known = pipeline::read(&pipeline, &mut names).map_err(|error| error.diagnostic(&name))?;
    let file = Sources::new().add(name.clone(), text.clone());
    let job = Job::of(bridge::Origin::Script(script.to_owned()));
    let statement = Statement::compiled(text, lossless);
    let (dump, bytes, live) = (None, pipeline, false);
    let compilation = Compilation { statement, dump, specification, bytes, target, live };
    translated(
        job,
        known,
        names,
        compilation,
        Texts { name: &name, file, small: false, assumed: &[] },
        Purpose::Judgement,
    )
}

/// Adds the pipeline's constraints on inputs and the ranges of parameters, which a pipeline file
/// omits.
fn constrain(pipeline: &mut Pipeline, arguments: &[Argument]) {
    for argument in arguments {
        let is_known =
            pipeline.parameters.iter().any(|parameter| parameter.input.name == argument.name);
        let input = pipeline.inputs.iter().find(|input| input.name == argument.name);
        let Some(input) = input.filter(|_| !is_known) else { continue };
        let none = Constraint { min: None, extent: None, stride: None };
        let mut constraints = vec![none; if input.is_buffer { input.dimensions } else { 0 }];
        for found in &argument.constraints {
            if let Some(constraint) = constraints.get_mut(usize::from(found.dim)) {
                let [min, extent, stride] = found.sides.clone();
                *constraint = Constraint { min, extent, stride };
            }
        }
        let (input, range) = (input.clone(), argument.range.clone());
        pipeline.parameters.push(Parameter { constraints, input, value: None, range });
    }
}

/// The title of a pipeline, for messages.
fn title(origin: &bridge::Origin) -> String {
    match origin {
        bridge::Origin::File(file) | bridge::Origin::Script(file) => file.display().to_string(),
        bridge::Origin::Generator(generator) => {
            let binary = generator.binary.display();
            match &generator.name {
                Some(name) => format!("{name} of {binary}"),
                None => binary.to_string(),
            }
        }
    }
}

/// The origins of the translated texts, and the assumptions about callers.
struct Texts<'a> {
    /// The pipeline's title.
    name: &'a str,
    /// The statement.
    file: FileId,
    /// True if `--assume small` is given.
    small: bool,
    /// The other assumptions, each with its text.
    assumed: &'a [(String, FileId)],
}

fn translated(
    job: Job,
    mut pipeline: Pipeline,
    mut names: Names,
    compilation: Compilation,
    Texts { name, file, small, assumed }: Texts<'_>,
    purpose: Purpose,
) -> Result<Stock, Diagnostic> {
    let Compilation { statement, dump, specification, bytes, target, live } = compilation;
    let unsupported = |what: translate::Unsupported| what.diagnostic(None);
    if matches!(statement, Statement::Given(_) | Statement::Printed(_))
        && !lossless_form::is_dump(statement.shown())
        && let Some(name) = ambiguous(&pipeline, &names)
    {
        let message =
            format!("a text does not say where `{name}` is meant and where what prints the same");
        let place = Span::new(file, 0..0);
        return Err(Diagnostic::error(UNSUPPORTED, place, message)
            .with_hint("give the statement without loss, or rename it"));
    }
    let (block, code) = match statement.read(&mut names, file)? {
        (block, Code::Own(Some(dump))) if live => (block, Code::Live(dump)),
        read => read,
    };
    // Only Halide itself tells which constraints its pipeline has: a statement from elsewhere does
    // not.
    if let Code::Own(Some(own)) | Code::Live(own) = &code {
        constrain(&mut pipeline, &own.arguments);
    }
    translate::belongs(&pipeline, &names, &block).map_err(|found| found.diagnostic(file))?;
    if let Code::Given(dump) | Code::Live(dump) | Code::Own(Some(dump)) = &code {
        let same = translate::lay_out_arrays(&mut pipeline, &names, dump);
        same.map_err(|found| found.diagnostic(file))?;
    }
    // Halide itself made the arguments of its own dump from the pipeline.
    if let Code::Given(dump) = &code {
        let taken = translate::takes(&pipeline, &names, dump);
        taken.map_err(|found| found.diagnostic(file))?;
    }
    let before = specification.map(|bytes| pipeline::read(&bytes, &mut names)).transpose();
    let before = before.map_err(|error| error.diagnostic(name))?;
    let before = before.map(|before| translate::algorithm(&before, &names)).transpose();
    let before = before.map_err(unsupported)?;
    let plain = match &before {
        Some(before) => translate::rewriting(before, &pipeline, &names),
        None => translate::algorithm(&pipeline, &names),
    };
    let mut plain = plain.map_err(unsupported)?;
    let job = Job { target: job.target.or(target), ..job };
    let settings = Settings { small, ..settings_of(job.target.as_deref(), &code, file)? };
    plain.set(settings);
    let mut conditions = Vec::new();
    for (words, file) in assumed {
        conditions.push(translate::assumption(words, (&plain, &pipeline), &mut names, *file)?);
    }
    let own = (&pipeline, &names);
    let sources = (&plain, before.as_ref());
    let (subject, notes) = subject_of(sources, own, (&block, &conditions), purpose)
        .map_err(|unsupported| unsupported.diagnostic(Some(file)))?;
    let said = subject.algorithm.clone();
    let promised = translate::with_promises(&pipeline, &names).map_err(unsupported)?;
    let source = plain;
    Ok(Stock {
        subject,
        notes,
        dump,
        job,
        pipeline,
        bytes,
        names,
        source,
        before,
        block,
        code,
        conditions,
        said,
        promised,
    })
}

/// Builds the subject to be judged for a pipeline and its statement, with notes on the parts that
/// the translation left out.
fn judged_of(
    sources: (&translate::Source, Option<&translate::Source>),
    own: (&Pipeline, &Names),
    stated: (&Block, &[Expr]),
) -> Result<(Subject, Vec<Note>), translate::Unsupported> {
    subject_of(sources, own, stated, Purpose::Judgement)
}

/// Like [`judged_of`], for any purpose.
fn subject_of(
    (plain, before): (&translate::Source, Option<&translate::Source>),
    (pipeline, names): (&Pipeline, &Names),
    stated: (&Block, &[Expr]),
    purpose: Purpose,
) -> Result<(Subject, Vec<Note>), translate::Unsupported> {
    let mut source = plain.clone();
    let compiled = match purpose {
        Purpose::Judgement => translate::program(&mut source, pipeline, names, stated)?,
        Purpose::Runs => translate::for_runs(&mut source, pipeline, names, stated)?,
    };
    keep_in_range(&mut source, before);
    let mut compiled = claims::infer(&mut source, compiled, None);
    demand(&mut source, before, &mut compiled);
    let mut notes = compiled.notes;
    if before.is_none() {
        notes.extend(factored(pipeline, names).map(Note::Other));
    }
    Ok((subject(source, before, (compiled.program, compiled.contract)), notes))
}

/// The settings of the target for which a statement was compiled. A dump names it; for a
/// text, the request does, by `named`.
fn settings_of(named: Option<&str>, code: &Code, file: FileId) -> Result<Settings, Diagnostic> {
    let named = named.map(Settings::of_target);
    let (Code::Own(Some(dump)) | Code::Live(dump) | Code::Given(dump)) = code else {
        return Ok(named.unwrap_or_default());
    };
    let known = Settings::of_target(&dump.target);
    // The machine and the kind of names are the dump's.
    let Settings { machine, mangles, .. } = known;
    let own = |named: Settings| Settings { machine, mangles, ..named };
    if named.is_some_and(|named| own(named) != known) {
        let message = format!(
            "the statement was compiled for `{}`, which differs from the named target in \
                `no_asserts`, `strict_float` or `large_buffers`",
            dump.target
        );
        return Err(Diagnostic::error(codes::MISMATCH, Span::new(file, 0..0), message)
            .with_hint("leave the target out: the dump names it"));
    }
    // Without the flag, Halide's compiler of machine code may still regroup.
    let strict_float = known.strict_float && dump.strict_float;
    Ok(Settings { strict_float, forgets_strict: !dump.strict_float, ..known })
}

/// The name of a called function or of an input of the pipeline that, when printed, equals one of
/// Halide's own constructs.
fn ambiguous<'n>(pipeline: &Pipeline, names: &'n Names) -> Option<&'n str> {
    let mut found = None;
    let mut look = |name| {
        let name = names.text(name);
        if text::is_construct(name) {
            found = Some(name);
        }
    };
    pipeline.inputs.iter().for_each(|input| look(input.name));
    for stage in pipeline.funcs.iter().flat_map(pipeline::Func::stages) {
        let exprs = stage.values.iter().chain(&stage.args).chain([&stage.predicate]);
        exprs.for_each(|expr| functions(expr, &mut look));
    }
    found
}

/// Calls `look` with the name of each function that an expression calls.
fn functions(expr: &Expr, look: &mut impl FnMut(NameId)) {
    if let Expr::Call(call) = expr {
        match call.kind {
            Some(CallKind::Extern | CallKind::ExternCPlusPlus | CallKind::PureExtern) => {
                look(call.name);
            }
            Some(
                CallKind::Image | CallKind::Halide | CallKind::Intrinsic | CallKind::PureIntrinsic,
            )
            | None => {}
        }
    }
    expr.for_each_operand(&mut |operand| functions(operand, look));
}

/// Rewrites the pipeline's clamped sums so that they have a value even where the sum itself
/// overflows.
fn keep_in_range(source: &mut translate::Source, before: Option<&translate::Source>) {
    let before = before.iter().flat_map(|before| before.algorithm.funcs.clone());
    let funcs: Vec<FuncId> = source.algorithm.funcs.iter().copied().chain(before).collect();
    translate::keep_in_range(&mut source.pool, &funcs);
}

/// Builds the subject to be judged: a program, and the algorithm that the pipeline had before a
/// directive changed it.
fn subject(
    source: translate::Source,
    before: Option<&translate::Source>,
    (program, contract): (Program, Contract),
) -> Subject {
    let (algorithm, steps) = match before {
        Some(before) => {
            let fast_math = source.algorithm.fast_math;
            (Algorithm { fast_math, ..before.algorithm.clone() }, vec![source.algorithm])
        }
        None => (source.algorithm, Vec::new()),
    };
    Subject {
        pipeline: algorithm.name.clone(),
        schedule: String::new(),
        pool: source.pool,
        algorithm,
        compiled: Compiled {
            structured: program.clone(),
            program,
            steps,
            contract,
            said: None,
            stages: Vec::new(),
        },
        windows: Vec::new(),
        compiler: Compiler::Halide,
        origin: Origin::default(),
    }
}

/// A note on the funcs that `rfactor` makes, recognized by their names. A pipeline file contains
/// only the factored definitions, so the factoring itself is not judged.
fn factored(pipeline: &Pipeline, names: &Names) -> Option<String> {
    let funcs = pipeline.funcs.iter().map(|func| names.text(func.name));
    let made: Vec<&str> = funcs.filter(|name| name.contains("_intm")).collect();
    (!made.is_empty()).then(|| {
        format!(
            "not judged: that the reductions were factored rightly; the pipeline file has `{}` \
                already",
            made.join("`, `")
        )
    })
}

fn bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    files::contents(path).map_err(|source| FileError::Read { path: path.to_owned(), source })
}

/// Compiles a pipeline with the installed Halide.
fn compile(job: &Job) -> Result<Artifacts, BridgeError> {
    let folder = tempfile::tempdir()?;
    job.compile(folder.path())
}
