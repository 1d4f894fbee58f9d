//! What stock Halide compiled: a pipeline file and the statement that Halide made of it, and the compiled code itself.

mod passes;
mod replay;

use std::path::Path;

use halidom_diag::{Diagnostic, Severity, Sources};
use halidom_halide::bridge::{Artifacts, Bridge, BridgeError};
use halidom_halide::pipeline::{self, Pipeline};
use halidom_halide::{Names, codes, text, translate};

use crate::compile::Compiled;
use crate::files::FileError;
use crate::source;
use crate::subject::{Origin, Subject};

pub use passes::{Outcome, Step, passes};
pub use replay::{Replay, replay};

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
    /// The pipeline file.
    bytes: Vec<u8>,
    pipeline: Pipeline,
    names: Names,
    /// The algorithm before any statement was translated.
    source: translate::Source,
}

/// Reads a pipeline file, and the final statement of Halide's compiler: from a file, or from the installed Halide. So for the dump of all passes.
pub fn read(
    pipeline_file: &Path,
    statement: Option<&Path>,
    dump: Option<&Path>,
) -> Result<Result<Stock, Refusal>, FileError> {
    let bytes = bytes(pipeline_file)?;
    let mut names = Names::new();
    let name = pipeline_file.display().to_string();
    let mut sources = Sources::new();
    let refuse = |sources, diagnostic| Ok(Err((sources, vec![diagnostic])));
    let pipeline = match pipeline::read(&bytes, &mut names) {
        Ok(pipeline) => pipeline,
        Err(error) => return refuse(sources, error.diagnostic(&name)),
    };
    let mut dump = dump.map(source::text).transpose()?;
    let (statement_name, statement_text) = match statement {
        Some(path) => (path.display().to_string(), source::text(path)?),
        None => match compile(&bytes) {
            Ok(Artifacts { statement, passes }) => {
                dump = dump.or(Some(passes));
                (format!("{name}, compiled"), statement)
            }
            Err(error) => return refuse(sources, error.diagnostic()),
        },
    };
    let file = sources.add(statement_name, statement_text.clone());
    let mut translated = || -> Result<_, Diagnostic> {
        let block =
            text::statement(&statement_text, &mut names).map_err(|error| error.diagnostic(file))?;
        let plain = translate::algorithm(&pipeline, &names)
            .map_err(|unsupported| unsupported.diagnostic(None))?;
        let mut source = plain.clone();
        let compiled = translate::program(&mut source, &pipeline, &names, &block)
            .map_err(|unsupported| unsupported.diagnostic(Some(file)))?;
        Ok((plain, source, compiled))
    };
    let (plain, source, compiled) = match translated() {
        Ok(translated) => translated,
        Err(diagnostic) => return refuse(sources, diagnostic),
    };
    let program = compiled.program;
    let subject = Subject {
        pipeline: source.algorithm.name.clone(),
        schedule: String::new(),
        pool: source.pool,
        algorithm: source.algorithm,
        compiled: Compiled { structured: program.clone(), program, steps: Vec::new() },
        origin: Origin::of(sources),
    };
    let notes = compiled.notes;
    Ok(Ok(Stock { subject, notes, dump, bytes, pipeline, names, source: plain }))
}

fn bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    std::fs::read(path).map_err(|source| FileError::Read { path: path.to_owned(), source })
}

/// What the installed Halide makes of a pipeline.
fn compile(pipeline: &[u8]) -> Result<Artifacts, BridgeError> {
    let folder = tempfile::tempdir()?;
    Bridge::find()?.compile(pipeline, folder.path())
}

/// Reads a pipeline file and writes its algorithm down as a `.hal` file.
pub fn import(path: &Path) -> Result<Result<String, Refusal>, FileError> {
    let bytes = bytes(path)?;
    let name = path.display().to_string();
    let imported = || -> Result<String, Diagnostic> {
        let mut names = Names::new();
        let pipeline =
            pipeline::read(&bytes, &mut names).map_err(|error| error.diagnostic(&name))?;
        let source = translate::algorithm(&pipeline, &names)
            .map_err(|unsupported| unsupported.diagnostic(None))?;
        halidom_lang::print(&source.pool, &source.algorithm).map_err(|unprintable| {
            let message = format!("`{name}`: {unprintable}");
            Diagnostic::without_place(Severity::Error, codes::UNSUPPORTED, message)
                .with_hint("docs/stock-halide.md lists what is translated")
        })
    };
    Ok(imported().map_err(|diagnostic| (Sources::new(), vec![diagnostic])))
}
