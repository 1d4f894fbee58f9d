//! What stock Halide compiled: a pipeline file and the statement that Halide made of it, and the compiled code itself.

mod agree;
mod annotated;
mod compare;
pub mod fuzz;
mod import;
pub mod mutants;
mod passes;
mod replay;
pub(crate) mod sizes;

use std::path::{Path, PathBuf};

use halidom_diag::{Diagnostic, FileId, Sources, Span};
use halidom_halide::bridge::{Artifacts, BridgeError, Job};
use halidom_halide::pipeline::{self, Pipeline};
use halidom_halide::translate::{Contract, Settings};
use halidom_halide::tree::{Block, Expr};
use halidom_halide::{Names, claims, codes, text, translate};
use halidom_ir::{Algorithm, FuncId, Pool, Program};

use crate::compile::Compiled;
use crate::files::{self, FileError};
use crate::source;
use crate::subject::{Origin, Subject};

pub use agree::{Agreement, Effort, agree};
pub use annotated::{
    Annotated, Annotations, Beside as BesideAnnotated, Judged, Prophecies, annotated_statement,
    carried, judged,
};
pub use compare::{Beside, Compared, Comparison, Difference, compare};
pub use halidom_halide::bridge;
pub use halidom_halide::claims::LIFETIMES;
pub use halidom_halide::codes::UNSUPPORTED;
pub use import::{Import, import};
pub use passes::{Outcome, Step, changes, passes};
pub use replay::{Confirmed, Replay, bear_out, confirm, replay};

/// Texts, and what is wrong with them.
pub type Refusal = (Sources, Vec<Diagnostic>);

/// Something that stock Halide compiled.
#[derive(Clone, Debug)]
pub struct Stock {
    /// The algorithm, and the statement as a program.
    pub subject: Subject,
    /// What the translation left out.
    pub notes: Vec<String>,
    /// The statement after every pass of the compiler, where it is known.
    pub dump: Option<String>,
    /// How its code is compiled and run.
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
    /// What is assumed of callers.
    conditions: Vec<Expr>,
    /// What the pipeline says, in the pool of that; what is judged has a value on more inputs ([`translate::keep_in_range`]).
    said: Algorithm,
}

impl Stock {
    /// What the pipeline says, with the owner of its parts.
    fn said(&self) -> (&Pool, &Algorithm) {
        (&self.source.pool, &self.said)
    }
}

/// The contract that has a name: `--assume small`.
const SMALL: &str = "small";

/// What is to be judged.
#[derive(Clone, Debug)]
pub struct Request {
    /// The pipeline, and the machine that it is compiled for.
    pub job: Job,
    /// The final statement of Halide's compiler; without it, the installed Halide is asked.
    pub statement: Option<PathBuf>,
    /// The statement after every pass; where Halide is asked, what it writes.
    pub dump: Option<PathBuf>,
    /// What callers keep to, beyond what the statement checks: conditions on parameters and shapes ([`translate::assumption`]), or `small` ([`halidom_halide::Condition::Small`]).
    pub assumptions: Vec<String>,
}

impl Request {
    /// A pipeline file, to be compiled for the machine at hand.
    pub fn of(file: &Path) -> Self {
        let job = Job { origin: bridge::Origin::File(file.to_owned()), target: None };
        Self::of_job(job)
    }

    /// What the installed Halide compiles.
    pub fn of_job(job: Job) -> Self {
        Self { job, statement: None, dump: None, assumptions: Vec::new() }
    }

    /// The file that a person would name: the pipeline, the script, the generator.
    pub fn file(&self) -> &Path {
        match &self.job.origin {
            bridge::Origin::File(file) | bridge::Origin::Script(file) => file,
            bridge::Origin::Generator { binary, .. } => binary,
        }
    }
}

/// Reads a pipeline, and the final statement of Halide's compiler: from a file, or from the installed Halide. So for the dump of all passes.
pub fn read(request: &Request) -> Result<Result<Stock, Refusal>, FileError> {
    let mut sources = Sources::new();
    let script = match &request.job.origin {
        bridge::Origin::Script(file) => {
            let text = source::text(file)?;
            Some((sources.add(file.display().to_string(), text.clone()), text))
        }
        bridge::Origin::File(_) | bridge::Origin::Generator { .. } => None,
    };
    let given = match &request.job.origin {
        bridge::Origin::File(file) => Some(bytes(file)?),
        bridge::Origin::Script(_) | bridge::Origin::Generator { .. } => None,
    };
    let statement = request.statement.as_deref().map(source::text).transpose()?;
    let dump = request.dump.as_deref().map(source::text).transpose()?;
    let name = title(&request.job.origin);
    let reading = || -> Result<Stock, Diagnostic> {
        let mut names = Names::new();
        // A file that is none is refused before Halide sees it.
        let known = given.as_ref().map(|bytes| pipeline::read(bytes, &mut names));
        let known = known.transpose().map_err(|error| error.diagnostic(&name))?;
        let (known, artifacts) = match (known, statement) {
            (Some(known), Some(text)) => {
                let bytes = given.clone().unwrap_or_default();
                (known, Compilation { text, dump, specification: None, bytes, target: None })
            }
            (known, statement) => {
                let made = compile(&request.job).map_err(|error| {
                    let script = script.as_ref().map(|(file, text)| (*file, text.as_str()));
                    error.diagnostic(script)
                })?;
                let Artifacts { pipeline, specification, statement: text, dump: _, passes, target } =
                    made;
                let known = match known {
                    Some(known) => known,
                    None => pipeline::read(&pipeline, &mut names)
                        .map_err(|error| error.diagnostic(&name))?,
                };
                let text = statement.unwrap_or(text);
                let dump = dump.or(Some(passes));
                let bytes = given.clone().unwrap_or(pipeline);
                (known, Compilation { text, dump, specification, bytes, target })
            }
        };
        let title = match &request.statement {
            Some(path) => path.display().to_string(),
            None => format!("{name}, compiled"),
        };
        let file = sources.add(title, artifacts.text.clone());
        if let (Some(path), Some(dump)) = (&request.dump, &artifacts.dump) {
            let path = path.display().to_string();
            let file = sources.add(path.clone(), dump.clone());
            check_dump(dump, &artifacts.text, (&path, file))?;
        }
        let mut assumed = Vec::new();
        let small = request.assumptions.iter().any(|words| words.trim() == SMALL);
        for words in request.assumptions.iter().filter(|words| words.trim() != SMALL) {
            assumed.push((words.clone(), sources.add("--assume", words.clone())));
        }
        translated(request.job.clone(), known, names, artifacts, (&name, file, (small, &assumed)))
    };
    let read = reading();
    Ok(match read {
        Ok(mut stock) => {
            stock.subject.origin = Origin::of(sources);
            Ok(stock)
        }
        Err(diagnostic) => Err((sources, vec![diagnostic])),
    })
}

/// Refuses a dump that cannot be read, or that ends with another statement than the one that is judged.
fn check_dump(dump: &str, statement: &str, (name, file): (&str, FileId)) -> Result<(), Diagnostic> {
    let passes = text::dump(dump, &mut Names::new()).map_err(|error| error.diagnostic(file))?;
    let written = |pass: &&text::Pass| pass.block.is_some();
    let Some(last) = passes.iter().rfind(written) else { return Err(text::not_a_dump(name)) };
    // Later passes, for a device say, are none of the statement's.
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

/// The pass that gives the statement.
const FINAL_PASS: &str = "final simplification";

/// What came of a compile.
struct Compilation {
    /// The final statement.
    text: String,
    dump: Option<String>,
    specification: Option<Vec<u8>>,
    /// The pipeline file.
    bytes: Vec<u8>,
    /// The target that a script names.
    target: Option<String>,
}

/// What Halide compiled of a script, by the artifacts.
fn of_script(script: &Path, artifacts: Artifacts) -> Result<Stock, Diagnostic> {
    let Artifacts { pipeline, specification, statement: text, dump: _, passes: _, target } =
        artifacts;
    let mut names = Names::new();
    let name = script.display().to_string();
    let known = pipeline::read(&pipeline, &mut names).map_err(|error| error.diagnostic(&name))?;
    let file = Sources::new().add(name.clone(), text.clone());
    let job = Job { origin: bridge::Origin::Script(script.to_owned()), target: None };
    let compilation = Compilation { text, dump: None, specification, bytes: pipeline, target };
    translated(job, known, names, compilation, (&name, file, (false, &[])))
}

/// What a pipeline is called.
fn title(origin: &bridge::Origin) -> String {
    match origin {
        bridge::Origin::File(file) | bridge::Origin::Script(file) => file.display().to_string(),
        bridge::Origin::Generator { binary, name: Some(name), .. } => {
            format!("{} of {}", name, binary.display())
        }
        bridge::Origin::Generator { binary, name: None, .. } => binary.display().to_string(),
    }
}

fn translated(
    job: Job,
    pipeline: Pipeline,
    mut names: Names,
    compilation: Compilation,
    (name, file, (small, assumed)): (&str, FileId, (bool, &[(String, FileId)])),
) -> Result<Stock, Diagnostic> {
    let Compilation { text, dump, specification, bytes, target } = compilation;
    let unsupported = |what: translate::Unsupported| what.diagnostic(None);
    let block = text::statement(&text, &mut names).map_err(|error| error.diagnostic(file))?;
    translate::belongs(&pipeline, &names, &block).map_err(|found| found.diagnostic(file))?;
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
    let mut settings = job.target.as_deref().map_or_else(Settings::default, Settings::of_target);
    settings.small = small;
    plain.set(settings);
    let mut conditions = Vec::new();
    for (words, file) in assumed {
        conditions.push(translate::assumption(words, (&plain, &pipeline), &mut names, *file)?);
    }
    let mut source = plain.clone();
    let compiled = translate::program(&mut source, &pipeline, &names, (&block, &conditions))
        .map_err(|unsupported| unsupported.diagnostic(Some(file)))?;
    keep_in_range(&mut source, before.as_ref());
    let compiled = claims::infer(&mut source, compiled, None);
    let mut notes = compiled.notes;
    if before.is_none() {
        notes.extend(factored(&pipeline, &names));
    }
    let subject = subject(source, before.as_ref(), (compiled.program, compiled.contract));
    let said = subject.algorithm.clone();
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
        conditions,
        said,
    })
}

/// Lets the pipeline's clamps have values where only their sums have none.
fn keep_in_range(source: &mut translate::Source, before: Option<&translate::Source>) {
    let before = before.iter().flat_map(|before| before.algorithm.funcs.clone());
    let funcs: Vec<FuncId> = source.algorithm.funcs.iter().copied().chain(before).collect();
    translate::keep_in_range(&mut source.pool, &funcs);
}

/// What is judged: a program, and what the pipeline said before a directive changed it.
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
        compiled: Compiled { structured: program.clone(), program, steps, contract },
        origin: Origin::default(),
    }
}

/// What is said of funcs that `rfactor` makes, by their names: a pipeline file has the definitions that it leaves.
fn factored(pipeline: &Pipeline, names: &Names) -> Option<String> {
    let funcs = pipeline.funcs.iter().map(|func| names.text(func.name));
    let made: Vec<&str> = funcs.filter(|name| name.contains("_intm")).collect();
    (!made.is_empty()).then(|| {
        format!(
            "not judged: that the reductions were factored rightly; the pipeline file has `{}` already",
            made.join("`, `")
        )
    })
}

fn bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    files::contents(path).map_err(|source| FileError::Read { path: path.to_owned(), source })
}

/// What the installed Halide makes of a pipeline.
fn compile(job: &Job) -> Result<Artifacts, BridgeError> {
    let folder = tempfile::tempdir()?;
    job.compile(folder.path())
}
