//! What a file yields.

use halidom_base::FxHashMap;
use halidom_diag::{Diagnostic, FileId, Sources, Span};
use halidom_ir::{Algorithm, FuncId, Pool, Schedule};

use crate::{check, syntax};

/// A file's pipelines, and everything there is to say about it.
#[derive(Clone, Debug)]
pub struct Module {
    /// Owns what the pipelines and their schedules name.
    pub pool: Pool,
    /// The pipelines without errors, in order of the text.
    pub pipelines: Vec<Pipeline>,
    /// In order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// A pipeline, its schedules, and where their parts stand.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// What to compute.
    pub algorithm: Algorithm,
    /// How: those schedules that have no errors, in order of the text.
    pub schedules: Vec<NamedSchedule>,
    /// The pipeline's name.
    pub span: Span,
    /// The names of inputs and defined funcs.
    pub func_spans: FxHashMap<FuncId, Span>,
    /// The statements that define the stages of funcs in braces; a func that is one equation has none.
    pub stage_spans: FxHashMap<(FuncId, usize), Span>,
    /// The parameters, in the order of the algorithm's.
    pub param_spans: Vec<Span>,
    /// The `require`s, in the order of the algorithm's.
    pub require_spans: Vec<Span>,
}

/// A schedule and where its directives stand.
#[derive(Clone, Debug)]
pub struct NamedSchedule {
    /// Its name and directives.
    pub schedule: Schedule,
    /// The schedule's name.
    pub span: Span,
    /// The directives, by [`halidom_ir::Directive::origin`].
    pub spans: Vec<Span>,
}

/// Parses and checks a text. All errors are reported in one run; a pipeline or schedule with an error is left out.
pub fn parse(sources: &Sources, file: FileId) -> Module {
    let text = sources.text(file);
    let mut diagnostics = Vec::new();
    let tree = syntax::parse_file(text, file, &mut diagnostics);
    let mut module = check::check_file(text, &tree, diagnostics, file);
    module
        .diagnostics
        .sort_by_key(|diagnostic| diagnostic.span().map(|span| (span.start, span.end)));
    module
}

impl Module {
    /// Whether anything was refused.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The pipeline of a name.
    pub fn pipeline(&self, name: &str) -> Option<&Pipeline> {
        self.pipelines.iter().find(|pipeline| pipeline.algorithm.name == name)
    }
}

impl Pipeline {
    /// The schedule of a name.
    pub fn schedule(&self, name: &str) -> Option<&NamedSchedule> {
        self.schedules.iter().find(|named| named.schedule.name == name)
    }
}
