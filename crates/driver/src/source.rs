//! A file's pipelines, and the choice of one.

use std::path::Path;

use halidom_base::IndexSet;
use halidom_diag::{Code, Diagnostic, FileId, Severity, Sources};
use halidom_ir::{FuncId, Schedule};
use halidom_lang::{Module, Pipeline};

use crate::files::{self, FileError};
use crate::windows::{self, Window};

/// The name of a pipeline's unscheduled form.
pub const DEFAULT_SCHEDULE: &str = "default";

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its text, for diagnostics.
    pub sources: Sources,
    /// Its number among the texts.
    pub file: FileId,
    /// Its parsed contents.
    pub module: Module,
    /// The inputs with windows.
    pub windows: Box<[Window]>,
}

/// A pipeline under a schedule.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The pipeline's number in its module.
    pub pipeline: usize,
    /// The schedule's number in its pipeline; `None` for the unscheduled form.
    pub schedule: Option<usize>,
}

/// Reads and checks a file. The module's diagnostics report its errors.
pub fn load(path: &Path) -> Result<Loaded, FileError> {
    Ok(parse(&path.display().to_string(), text(path)?))
}

/// Reads a file as text.
pub(crate) fn text(path: &Path) -> Result<String, FileError> {
    let read = |source| FileError::Read { path: path.to_owned(), source };
    let bytes = files::contents(path).map_err(read)?;
    String::from_utf8(bytes).map_err(|_| FileError::Contents {
        path: path.to_owned(),
        format: "UTF-8 text",
        reason: "it has bytes that are no characters".to_owned(),
    })
}

/// Parses and checks a text.
pub fn parse(name: &str, text: impl Into<String>) -> Loaded {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let module = halidom_lang::parse(&sources, file);
    Loaded { sources, file, module, windows: Box::default() }
}

impl Loaded {
    /// The text.
    pub fn text(&self) -> &str {
        self.sources.text(self.file)
    }

    /// The number of the pipeline with a name, or of the only one.
    pub fn pipeline(&self, name: Option<&str>) -> Result<usize, Diagnostic> {
        let pipelines = &self.module.pipelines;
        let names = listed(pipelines.iter().map(|pipeline| pipeline.algorithm.name.as_str()));
        let error = |code, message, hint| {
            Err(Diagnostic::without_place(Severity::Error, Code(code), message).with_hint(hint))
        };
        match (name, pipelines.len()) {
            (None, 1) => Ok(0),
            (None, 0) => error(
                "HAL0901",
                "the file has no pipeline".to_owned(),
                "write `pipeline name(…) -> …`".to_owned(),
            ),
            (None, _) => error(
                "HAL0903",
                format!("the file has several pipelines: {names}"),
                "choose one with `-p NAME`".to_owned(),
            ),
            (Some(name), _) => {
                match pipelines.iter().position(|pipeline| pipeline.algorithm.name == name) {
                    Some(number) => Ok(number),
                    None => error(
                        "HAL0901",
                        format!("the file has no pipeline `{name}`"),
                        format!("it has {names}"),
                    ),
                }
            }
        }
    }

    /// The number of the schedule with a name in a pipeline.
    pub fn schedule(
        &self,
        pipeline: usize,
        name: Option<&str>,
    ) -> Result<Option<usize>, Diagnostic> {
        let Some(name) = name.filter(|name| *name != DEFAULT_SCHEDULE) else { return Ok(None) };
        let pipeline = &self.module.pipelines[pipeline];
        let position = pipeline.schedules.iter().position(|named| named.schedule.name == name);
        position.map(Some).ok_or_else(|| {
            let names = listed(schedule_names(pipeline).into_iter());
            let message =
                format!("the pipeline `{}` has no schedule `{name}`", pipeline.algorithm.name);
            Diagnostic::without_place(Severity::Error, Code("HAL0902"), message)
                .with_hint(format!("it has {names}"))
        })
    }

    /// Gives windows to inputs of a pipeline that have none yet ([`crate::windows`]).
    pub fn open_windows(&mut self, pipeline: usize, inputs: &IndexSet<FuncId>) {
        let has_none = |input: &&FuncId| !self.windows.iter().any(|known| known.input == **input);
        let inputs = inputs.iter().filter(has_none).copied().collect();
        let Module { pool, pipelines, .. } = &mut self.module;
        let opened = windows::open(pool, &mut pipelines[pipeline].algorithm, &inputs);
        self.windows = self.windows.iter().cloned().chain(opened).collect();
    }

    /// The schedule as data; it is empty for the unscheduled form.
    pub fn schedule_of(&self, choice: &Choice) -> Schedule {
        match choice.schedule {
            Some(number) => {
                self.module.pipelines[choice.pipeline].schedules[number].schedule.clone()
            }
            None => Schedule { name: DEFAULT_SCHEDULE.to_owned(), directives: Vec::new() },
        }
    }
}

/// The names of a pipeline's schedules, the unscheduled form first.
pub fn schedule_names(pipeline: &Pipeline) -> Vec<&str> {
    let mut names = vec![DEFAULT_SCHEDULE];
    names.extend(pipeline.schedules.iter().map(|named| named.schedule.name.as_str()));
    names
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
