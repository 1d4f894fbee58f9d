//! The result of reading a file.

use halidom_base::FxHashMap;
use halidom_diag::{Diagnostic, Span};
use halidom_ir::{Algorithm, FuncId, Pool, Schedule};

/// A file's pipelines and all diagnostics for it.
#[derive(Clone, Debug)]
pub struct Module {
    /// Owns the expressions, variables and funcs that the pipelines and their schedules use.
    pub pool: Pool,
    /// The pipelines without errors, in order of the text.
    pub pipelines: Vec<Pipeline>,
    /// In order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// A pipeline, its schedules, and the places of their parts.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The values to compute.
    pub algorithm: Algorithm,
    /// The schedules without errors, in order of the text.
    pub schedules: Vec<NamedSchedule>,
    /// The pipeline's name.
    pub span: Span,
    /// The names of inputs and defined funcs.
    pub func_spans: FxHashMap<FuncId, Span>,
    /// The statements that define the stages of funcs in braces; a func given by one equation has
    /// no entry.
    pub stage_spans: FxHashMap<(FuncId, usize), Span>,
    /// The parameters, in the order of the algorithm's.
    pub param_spans: Vec<Span>,
    /// The `require`s, in the order of the algorithm's.
    pub require_spans: Vec<Span>,
}

/// A schedule and the places of its directives.
#[derive(Clone, Debug)]
pub struct NamedSchedule {
    /// Its name and directives.
    pub schedule: Schedule,
    /// The schedule's name.
    pub span: Span,
    /// The directives, by [`halidom_ir::Directive::origin`].
    pub spans: Vec<Span>,
}

impl Module {
    /// True if anything was refused.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Returns the pipeline with a name.
    pub fn pipeline(&self, name: &str) -> Option<&Pipeline> {
        self.pipelines.iter().find(|pipeline| pipeline.algorithm.name == name)
    }
}

impl Pipeline {
    /// Returns the schedule with a name.
    pub fn schedule(&self, name: &str) -> Option<&NamedSchedule> {
        self.schedules.iter().find(|named| named.schedule.name == name)
    }
}
