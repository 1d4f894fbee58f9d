//! Where everything that a person or a script reads goes out.

use std::io::Write;

use halidom_diag::{Code, Colours, Diagnostic, Severity, Sources, render};
use halidom_verdict::{Exit, KEYS, Nothing, SCHEMA, Verdict};
use serde_json::{Map, Value, json};

/// The code of what is printed where nothing was judged, and no other diagnostic says why.
const NOTHING_JUDGED: Code = Code("HAL0913");

/// How a command came to its end. There is no way to exit status 0 but a proof, what the user accepts for one, and a job that does not judge.
#[derive(Debug)]
#[must_use]
pub(crate) enum Ended {
    /// It did what was asked for, and was not asked to judge.
    Done,
    /// It judged.
    Judged(Verdict),
    /// It judged, and an option accepts what is no proof: what is left after that decides the exit status.
    Accepted {
        /// The verdict.
        verdict: Verdict,
        /// The worst of what is not accepted.
        left: Option<Verdict>,
    },
    /// Something that is required is missing on this machine.
    Lacking,
    /// Bad usage or bad input; a diagnostic was printed.
    BadInput,
    /// There is nothing to judge in the input; a diagnostic was printed.
    Nothing(Nothing),
    /// The solvers contradict each other; a diagnostic was printed.
    Disagreement,
}

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Bad usage or bad input.
    BadInput,
    /// There is nothing to judge in the input.
    Nothing(Nothing),
    /// The solvers contradict each other.
    Disagreement,
    /// The verdict is known before all was done: nothing is run or written that is known to be wrong.
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

impl Ended {
    /// The exit status.
    fn exit(&self) -> Exit {
        match self {
            Self::Done => Exit::Done,
            Self::Lacking => Exit::Wrong,
            Self::Judged(verdict) => verdict.exit(),
            Self::Accepted { verdict: verdict @ Verdict::Nothing(_), .. } => verdict.exit(),
            Self::Accepted {
                verdict: Verdict::Proved(_) | Verdict::Refuted(_) | Verdict::Unknown(_),
                left,
            } => left.as_ref().map_or(Exit::Done, Verdict::exit),
            Self::BadInput | Self::Nothing(_) => Exit::BadInput,
            Self::Disagreement => Exit::Disagreement,
        }
    }

    /// The verdict, if there is one.
    fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Judged(verdict) | Self::Accepted { verdict, .. } => Some(verdict.clone()),
            Self::Nothing(nothing) => Some(Verdict::Nothing(nothing.clone())),
            Self::Done | Self::Lacking | Self::BadInput | Self::Disagreement => None,
        }
    }
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
    /// The last verdict that was printed.
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
            diagnostics: Vec::new(),
            object: Map::new(),
            said: None,
        }
    }

    /// A line for a person on standard output; nothing with `--json`.
    pub(crate) fn line(&mut self, text: &str) {
        if !self.json {
            // A closed pipe must not turn a finished job into a failure.
            let _ = writeln!(self.out, "{}", text.trim_end_matches('\n'));
        }
    }

    /// The first line on a verdict.
    pub(crate) fn verdict(&mut self, verdict: &Verdict) {
        let sentence = verdict.sentence();
        self.line(&format!("  {sentence}"));
        self.said = Some(sentence);
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

    /// A key of the JSON object. The keys of a verdict are set where the command ends.
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
    pub(crate) fn error(&mut self, code: &'static str, message: &str, hint: &str) -> Stop {
        let diagnostic =
            Diagnostic::without_place(Severity::Error, Code(code), message).with_hint(hint);
        self.diagnostic(&Sources::new(), &diagnostic);
        Stop::BadInput
    }

    /// That there is nothing to judge in the input.
    pub(crate) fn nothing(&mut self, code: &'static str, what: &str, hint: &str) -> Stop {
        let _: Stop = self.error(code, what, hint);
        Stop::Nothing(Nothing { what: what.to_owned(), hint: hint.to_owned() })
    }

    /// Ends a command: says its verdict where that was not said, prints the JSON object, if there is to be one, and gives the exit status.
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
            // What a command that stopped had found so far is no verdict of the job.
            let of_verdict = |key: &String| KEYS.contains(&key.as_str());
            object.extend(self.object.into_iter().filter(|(key, _)| !of_verdict(key)));
            object.insert("diagnostics".to_owned(), Value::Array(self.diagnostics));
            let _ = writeln!(self.out, "{}", Value::Object(object));
        }
        exit
    }
}
