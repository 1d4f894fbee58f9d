//! A conversation with a solver: a process, the assertions it has received, and the meaning of its
//! answers.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::process::{Failure, Process};
use crate::script::Names;
use crate::sexpr::{Sexpr, parse};
use crate::{Family, Identity, Program, TermId, Terms, Value};

/// The time limit for a solver to report its name.
const PROBE_LIMIT: Duration = Duration::from_secs(10);

/// The reason why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Reason {
    /// The time limit passed.
    #[error("the solver ran out of time")]
    Timeout,
    /// The time limit of all queries together passed.
    #[error("the time for the whole judgement is over")]
    Late,
    /// The memory limit was reached.
    #[error("the solver ran out of memory")]
    Memory,
    /// The solver gave up, with its reason.
    #[error("the solver gave up: {0}")]
    GaveUp(String),
    /// The solver could not be started.
    #[error("the solver could not be started: {0}")]
    NotStarted(String),
    /// The process ended before it answered.
    #[error("the solver died: {0}")]
    Died(String),
    /// The solver complained about a command.
    #[error("the solver rejected the query: {0}")]
    Rejected(String),
    /// The solver printed something that is not an answer.
    #[error("the solver said something unexpected: {0}")]
    Unexpected(String),
    /// The second solver found a model where the first reported a refutation.
    #[error("the solvers disagree")]
    Disagreement,
}

/// Returns what a solver printed as one line: a report must not show a solver's text as its own.
fn said(text: &str) -> String {
    let plain = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    plain.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NotStarted(message) => Self::NotStarted(said(&message)),
            Failure::TimedOut => Self::Timeout,
            Failure::Died(message) if message.contains("memory") => Self::Memory,
            Failure::Died(message) => Self::Died(said(&message)),
        }
    }
}

impl Program {
    /// Starts the solver and asks for its name and version.
    ///
    /// # Errors
    /// The solver does not start, or does not answer as a solver must.
    pub fn probe(&self) -> Result<Identity, Reason> {
        let arguments = self.arguments(PROBE_LIMIT, 512);
        let mut process = Process::start(self, &arguments)?;
        let response = process
            .exchange("(get-info :name)\n(get-info :version)\n", Instant::now() + PROBE_LIMIT)?;
        let unexpected = || Reason::Unexpected(said(&response));
        let answers = parse(&response).ok_or_else(unexpected)?;
        let field = |index: usize, key: &str| match answers.get(index).and_then(Sexpr::as_list) {
            Some([Sexpr::Atom(found), Sexpr::Text(value)]) if found == key => Ok(value.clone()),
            _ => Err(unexpected()),
        };
        Ok(Identity { name: field(0, ":name")?, version: field(1, ":version")? })
    }
}

/// A solver's definite answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    Sat,
    Unsat,
}

/// Limits of a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) soft: Duration,
    pub(crate) hard: Duration,
    pub(crate) memory_mib: u32,
    pub(crate) steps: Option<u64>,
    /// True for the solver's older procedure for linear arithmetic. Only Z3 has two.
    pub(crate) is_older: bool,
}

/// A running solver with a stack of assertions.
#[derive(Debug)]
pub(crate) struct Session {
    process: Process,
    family: Family,
    names: Names,
    /// One entry for each frame that the process has open: the number of its assertions that were
    /// sent, and the names known before it.
    frames: Vec<SentFrame>,
    /// Commands to be sent before the next query.
    pending: String,
}

#[derive(Debug)]
struct SentFrame {
    assertions: usize,
    mark: usize,
}

impl Session {
    pub(crate) fn start(program: &Program, limits: &Limits) -> Result<Self, Reason> {
        let process = Process::start(program, &program.arguments(limits.soft, limits.memory_mib))?;
        let family = program.family();
        let mut session = Self {
            process,
            family,
            names: Names::default(),
            frames: Vec::new(),
            pending: String::new(),
        };
        session.begin(limits);
        Ok(session)
    }

    /// Replaces the pending commands by the opening of a new conversation.
    fn begin(&mut self, limits: &Limits) {
        self.names = Names::default();
        self.frames = vec![SentFrame { assertions: 0, mark: 0 }];
        self.pending =
            String::from("(set-option :print-success false)\n(set-option :produce-models true)\n");
        if self.family == Family::Z3 {
            self.push_timeout(limits.soft);
            if limits.steps.is_some() {
                self.set_steps(limits.steps);
            }
            // Cuts from Hermite normal forms take most of the time of some questions about nested
            // quotients, and shorten few.
            self.pending.push_str(if limits.is_older {
                "(set-option :smt.arith.solver 2)\n"
            } else {
                "(set-option :smt.arith.enable_hnf false)\n"
            });
        }
        self.pending.push_str("(set-logic ALL)\n");
    }

    /// Forgets all assertions.
    pub(crate) fn reset(&mut self, limits: &Limits) {
        self.begin(limits);
        self.pending.insert_str(0, "(reset)\n");
    }

    /// Opens a scope without assertions.
    pub(crate) fn enter(&mut self) {
        self.pending.push_str("(push 1)\n");
        self.names = Names::default();
        self.frames = vec![SentFrame { assertions: 0, mark: 0 }];
    }

    /// Closes the scope and forgets its assertions.
    pub(crate) fn leave(&mut self) {
        self.pending.push_str("(pop 1)\n");
    }

    fn push_timeout(&mut self, soft: Duration) {
        writeln!(self.pending, "(set-option :timeout {})", soft.as_millis())
            .expect("a string accepts any text");
    }

    /// Changes the soft timeout of later queries. Returns false if this solver must be restarted
    /// for that.
    pub(crate) fn set_soft_timeout(&mut self, soft: Duration) -> bool {
        match self.family {
            Family::Z3 => {
                self.push_timeout(soft);
                true
            }
            Family::Cvc5 => false,
        }
    }

    /// Limits the steps of later queries, if this solver counts steps.
    pub(crate) fn set_steps(&mut self, steps: Option<u64>) {
        if self.family == Family::Z3 {
            // No limit is written as 0.
            let steps = steps.unwrap_or(0);
            writeln!(self.pending, "(set-option :rlimit {steps})")
                .expect("a string accepts any text");
        }
    }

    /// Closes frames until at most `count` are open.
    pub(crate) fn close_frames(&mut self, count: usize) {
        while self.frames.len() > count {
            if let Some(frame) = self.frames.pop() {
                self.names.forget(frame.mark);
                self.pending.push_str("(pop 1)\n");
            }
        }
    }

    /// Asks whether all assertions of `frames` can hold at once. After an error the session is of
    /// no further use.
    pub(crate) fn check(
        &mut self,
        terms: &Terms,
        frames: &[Vec<TermId>],
        limits: &Limits,
    ) -> Result<Result<Status, Reason>, Reason> {
        let mut commands = std::mem::take(&mut self.pending);
        // The subterms of assertions are defined in the frames that are already open. These
        // definitions survive when the frame of the assertions is closed and opened again.
        let unsent: Vec<TermId> = frames
            .iter()
            .enumerate()
            .flat_map(|(index, assertions)| {
                let sent = self.frames.get(index).map_or(0, |frame| frame.assertions);
                assertions[sent..].iter().copied()
            })
            .collect();
        self.names.define_all(terms, &unsent, &mut commands);
        for (index, assertions) in frames.iter().enumerate() {
            if index == self.frames.len() {
                commands.push_str("(push 1)\n");
                self.frames.push(SentFrame { assertions: 0, mark: self.names.mark() });
            }
            // Invariant: assertions are added only to the last frame, and each check sends all
            // frames. So the assertions that the process lacks belong to its last frames.
            let sent = self.frames[index].assertions;
            self.names.assert_all(terms, &assertions[sent..], &mut commands);
            self.frames[index].assertions = assertions.len();
        }
        commands.push_str("(check-sat)\n");
        ask(&mut self.process, &commands, limits)
    }

    /// Returns the values of terms after a satisfiable check. A value that cannot be obtained is
    /// `None`.
    pub(crate) fn values(
        &mut self,
        terms: &Terms,
        observables: &[TermId],
        limits: &Limits,
    ) -> Result<Vec<Option<Value>>, Reason> {
        if observables.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = String::from("(get-value (");
        for term in observables {
            self.names.write_term(terms, *term, &mut command);
            command.push('\n');
        }
        command.push_str("))\n");
        let response = self.process.exchange(&command, Instant::now() + limits.hard)?;
        let unexpected = || Reason::Unexpected(said(&response));
        let pairs = match parse(&response).ok_or_else(unexpected)?.pop() {
            Some(Sexpr::List(pairs)) if pairs.len() == observables.len() => pairs,
            Some(_) | None => return Err(unexpected()),
        };
        let values = pairs.iter().zip(observables).map(|(pair, term)| match pair.as_list() {
            Some([_, value]) => Value::read(terms.sort(*term), value),
            Some(_) | None => None,
        });
        Ok(values.collect())
    }

    /// The process id of the operating system.
    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }
}

/// Asks a fresh process for the status of a standalone text.
pub(crate) fn ask_text(program: &Program, text: &str, limits: &Limits) -> Result<Status, Reason> {
    let mut process = Process::start(program, &program.arguments(limits.soft, limits.memory_mib))?;
    ask(&mut process, text, limits)?
}

/// Sends commands that end in `(check-sat)` and reads the answer. The inner result is the answer,
/// or the reason why the solver has none; the outer error means that the process can no longer be
/// relied on.
fn ask(
    process: &mut Process,
    commands: &str,
    limits: &Limits,
) -> Result<Result<Status, Reason>, Reason> {
    let deadline = Instant::now() + limits.hard;
    let response = process.exchange(commands, deadline)?;
    let unexpected = || Reason::Unexpected(said(&response));
    let answers = parse(&response).ok_or_else(unexpected)?;
    // A complaint anywhere means that the solver may have answered a different query.
    if let Some(message) = answers.iter().find_map(Sexpr::as_error) {
        return Err(if message.contains("memory") {
            Reason::Memory
        } else {
            Reason::Rejected(said(message))
        });
    }
    let [answer] = answers.as_slice() else { return Err(unexpected()) };
    match answer.as_atom() {
        Some("sat") => Ok(Ok(Status::Sat)),
        Some("unsat") => Ok(Ok(Status::Unsat)),
        Some("unknown") => {
            let response = process.exchange("(get-info :reason-unknown)\n", deadline)?;
            Ok(Err(reason_unknown(&response)))
        }
        Some(_) | None => Err(unexpected()),
    }
}

/// Interprets the response to `(get-info :reason-unknown)`.
fn reason_unknown(response: &str) -> Reason {
    let text = match parse(response).as_deref() {
        Some([Sexpr::List(items)]) => match items.as_slice() {
            [_, Sexpr::Text(text) | Sexpr::Atom(text)] => text.clone(),
            _ => response.trim().to_owned(),
        },
        Some(_) | None => response.trim().to_owned(),
    };
    match text.as_str() {
        "timeout" | "canceled" | "interrupted" => Reason::Timeout,
        "memout" => Reason::Memory,
        memory if memory.contains("memory") => Reason::Memory,
        _ => Reason::GaveUp(said(&text)),
    }
}
