//! The single place through which all output for people and scripts passes.

use std::io::Write;

use halidom::Refusal;
use halidom_diag::{Code, Colours, Diagnostic, Severity, Sources, render};
use halidom_driver::files::Place;
pub(crate) use halidom_verdict::Ended;
use halidom_verdict::{Exit, KEYS, Nothing, SCHEMA, Verdict};
use serde_json::{Map, Value, json};

/// The code of the message that nothing was judged, if no other diagnostic gives the reason.
const NOTHING_JUDGED: Code = Code("HAL0913");

/// The reason why a command ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The usage or the input was bad.
    BadInput,
    /// The input has nothing to judge.
    Nothing(Nothing),
    /// The solvers contradict each other.
    Disagreement,
    /// The verdict was known before the job was complete: a program that is known to be wrong is
    /// neither run nor written.
    Judged(Verdict),
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Judged(verdict) => Self::Judged(verdict),
            Stop::BadInput => Self::BadInput,
            Stop::Nothing(nothing) => Self::Nothing(nothing),
            Stop::Disagreement => Self::Disagreement,
        }
    }
}

/// Standard output and standard error, with the JSON data collected for them.
pub(crate) struct Output<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    /// The files that the command reads, which it must not write.
    pub(crate) inputs: Vec<Place>,
    diagnostics: Vec<Value>,
    object: Map<String, Value>,
    /// The last printed verdict.
    said: Option<String>,
}

impl<'a> Output<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        Self {
            out,
            err,
            json: false,
            quiet: false,
            verbose: false,
            inputs: Vec::new(),
            diagnostics: Vec::new(),
            object: Map::new(),
            said: None,
        }
    }

    /// Prints a line for people on standard output; nothing with `--json`.
    pub(crate) fn line(&mut self, text: &str) {
        if !self.json {
            // A closed pipe must not turn a finished job into a failure.
            let _ = writeln!(self.out, "{}", text.trim_end_matches('\n'));
        }
    }

    /// Prints the first line about a verdict.
    pub(crate) fn verdict(&mut self, verdict: &Verdict) {
        let sentence = verdict.sentence();
        self.line(&format!("  {sentence}"));
        if let Verdict::Unknown(unknown) = verdict {
            for (cause, count) in unknown.causes() {
                let (code, sentence) = (cause.code(), cause.sentence());
                let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
                self.line(&format!("    {code}: {sentence}{times}"));
                self.line(&format!("      try: {}", cause.advice()));
            }
        }
        self.said = Some(sentence);
    }

    /// Prints a line of progress on standard error.
    pub(crate) fn progress(&mut self, text: &str) {
        if !self.quiet {
            let _ = writeln!(self.err, "{text}");
        }
    }

    /// Prints a line of details on standard error with `--verbose`.
    pub(crate) fn detail(&mut self, text: &str) {
        if self.verbose {
            let _ = writeln!(self.err, "{text}");
        }
    }

    /// Sets a key of the JSON object. The keys of a verdict are set at the end of the command.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.object.insert(key.to_owned(), value.into());
    }

    /// Adds every key of an object to the JSON object.
    pub(crate) fn extend(&mut self, object: Map<String, Value>) {
        self.object.extend(object);
    }

    /// Prints a diagnostic on standard error and adds it to the JSON object.
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

    /// Reports an error that has no place in a text.
    pub(crate) fn error(&mut self, code: &'static str, message: &str, hint: &str) -> Stop {
        let diagnostic =
            Diagnostic::without_place(Severity::Error, Code(code), message).with_hint(hint);
        self.diagnostic(&Sources::new(), &diagnostic);
        Stop::BadInput
    }

    /// Reports the refusal of an input. If the input has nothing to compile, nothing is judged.
    pub(crate) fn refused(&mut self, refusal: &Refusal) -> Stop {
        for diagnostic in &refusal.diagnostics {
            self.diagnostic(&refusal.sources, diagnostic);
        }
        match refusal.verdict() {
            Some(Verdict::Nothing(nothing)) => Stop::Nothing(nothing),
            Some(Verdict::Proved(_) | Verdict::Refuted(_) | Verdict::Unknown(_)) | None => {
                Stop::BadInput
            }
        }
    }

    /// Reports the refusal of an input that was to be judged. What is not supported is unknown.
    pub(crate) fn unjudged(&mut self, refusal: &Refusal) -> Stop {
        let stop = self.refused(refusal);
        match refusal.verdict() {
            Some(unknown @ Verdict::Unknown(_)) => Stop::Judged(unknown),
            Some(Verdict::Proved(_) | Verdict::Refuted(_) | Verdict::Nothing(_)) | None => stop,
        }
    }

    /// The diagnostics so far, as objects of `--json`.
    pub(crate) fn diagnostics(&self) -> &[Value] {
        &self.diagnostics
    }

    /// Ends a command. Prints its verdict if it was not printed yet and the JSON object if
    /// requested, and returns the exit status.
    pub(crate) fn conclude(mut self, job: &'static str, ended: &Ended) -> Exit {
        if let Ended::Judged(verdict) | Ended::Accepted { verdict, .. } = ended {
            if let Verdict::Nothing(Nothing { what, hint }) = verdict {
                let message = format!("there is nothing to judge: {what}");
                let diagnostic =
                    Diagnostic::without_place(Severity::Error, NOTHING_JUDGED, message);
                self.diagnostic(&Sources::new(), &diagnostic.with_hint(hint));
            } else if self.said.as_ref() != Some(&verdict.sentence()) {
                self.line(&verdict.sentence());
            }
        }
        let exit = ended.exit();
        if self.json {
            let mut object = Map::new();
            object.insert("schema".to_owned(), SCHEMA.into());
            object.insert("job".to_owned(), job.into());
            object.insert("exit".to_owned(), exit.code().into());
            object.extend(ended.verdict().iter().flat_map(Verdict::json));
            // Partial findings of a command that stopped are not a verdict of the job.
            let of_verdict = |key: &String| KEYS.contains(&key.as_str());
            object.extend(self.object.into_iter().filter(|(key, _)| !of_verdict(key)));
            object.insert("diagnostics".to_owned(), Value::Array(self.diagnostics));
            let _ = writeln!(self.out, "{}", Value::Object(object));
        }
        exit
    }
}
