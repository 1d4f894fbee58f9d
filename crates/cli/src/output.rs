//! Where everything that a person or a script reads goes out.

use std::io::Write;

use halidom_diag::{Code, Colours, Diagnostic, Severity, Sources, render};
use serde_json::{Map, Value, json};

/// How a command ended, as the exit status says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done, or proved.
    Done = 0,
    /// Refuted, wrong, or the program failed when it ran.
    Wrong = 1,
    /// Usage or bad input.
    BadInput = 2,
    /// Undecided.
    Unknown = 3,
    /// Two solvers contradict each other.
    Disagreement = 4,
}

/// Standard output and standard error, and what is collected for them.
pub(crate) struct Output<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    diagnostics: Vec<Value>,
    object: Map<String, Value>,
}

impl<'a> Output<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        Self {
            out,
            err,
            json: false,
            quiet: false,
            verbose: false,
            diagnostics: Vec::new(),
            object: Map::new(),
        }
    }

    /// A line for a person on standard output; nothing with `--json`.
    pub(crate) fn line(&mut self, text: &str) {
        if !self.json {
            // A closed pipe must not turn a finished job into a failure.
            let _ = writeln!(self.out, "{}", text.trim_end_matches('\n'));
        }
    }

    /// A line about what is going on, on standard error.
    pub(crate) fn progress(&mut self, text: &str) {
        if !self.quiet {
            let _ = writeln!(self.err, "{text}");
        }
    }

    /// A line about details, on standard error with `--verbose`.
    pub(crate) fn detail(&mut self, text: &str) {
        if self.verbose {
            let _ = writeln!(self.err, "{text}");
        }
    }

    /// A key of the JSON object.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.object.insert(key.to_owned(), value.into());
    }

    /// Every key of an object, added to the JSON object.
    pub(crate) fn extend(&mut self, object: Map<String, Value>) {
        self.object.extend(object);
    }

    /// A diagnostic, on standard error and in the JSON object.
    pub(crate) fn diagnostic(&mut self, sources: &Sources, diagnostic: &Diagnostic) {
        let _ = write!(self.err, "{}", render(sources, diagnostic, Colours::Never));
        let mut value = json!({
            "severity": diagnostic.severity.name(),
            "code": diagnostic.code.0,
            "message": diagnostic.message,
            "hint": diagnostic.hint,
        });
        if let (Some(span), Some(object)) = (diagnostic.span(), value.as_object_mut()) {
            let position = sources.position(span);
            object.insert("file".to_owned(), sources.name(span.file).into());
            object.insert("line".to_owned(), position.line.into());
            object.insert("column".to_owned(), position.column.into());
        }
        self.diagnostics.push(value);
    }

    /// An error that has no place in a text.
    pub(crate) fn error(&mut self, code: &'static str, message: &str, hint: &str) -> Status {
        let diagnostic =
            Diagnostic::without_place(Severity::Error, Code(code), message).with_hint(hint);
        self.diagnostic(&Sources::new(), &diagnostic);
        Status::BadInput
    }

    /// Prints the JSON object, if there is to be one.
    pub(crate) fn finish(mut self) {
        if self.json {
            self.object.insert("diagnostics".to_owned(), Value::Array(self.diagnostics));
            let _ = writeln!(self.out, "{}", Value::Object(self.object));
        }
    }
}
