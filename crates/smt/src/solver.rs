//! The solver's interface for clients.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::cache::{Cache, Entry};
use crate::script::{Script, observables};
use crate::sealed;
use crate::session::{Limits, Reason, Session, Status, ask_text};
use crate::{FindError, Model, Program, TermId, Terms, Value};

/// A solver's answer to a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The assertions hold under the model.
    Sat(Model),
    /// The assertions contradict each other.
    Unsat,
    /// The solver reached no result.
    Unknown(Reason),
}

/// Options of a [`Solver`].
#[derive(Debug)]
pub struct Options {
    /// The solver.
    pub program: Program,
    /// The time after which the solver itself gives up a query.
    pub soft_timeout: Duration,
    /// The time after which the solver is killed.
    pub hard_timeout: Duration,
    /// The memory limit of a solver process in MiB, for solvers with such an option.
    pub memory_mib: u32,
    /// The number of steps, in the solver's own count, after which it gives up a query. The count
    /// is the same on every machine. Only Z3 has such a limit.
    pub steps: Option<u64>,
    /// A folder in which every query is kept as an SMT-LIB 2 file with its answer.
    pub dump: Option<PathBuf>,
    /// A second solver that must not contradict a refutation of the first.
    pub confirm: Option<Program>,
    /// The time after which the second solver gives up a query; two seconds later it is killed.
    pub confirm_timeout: Duration,
    /// The cache to read answers from and to keep new ones in. `None` keeps no answers and avoids
    /// writing each query as a text. Cached answers are trusted like the solver's own, so they must
    /// come from the same program. If there is a second solver, it is asked about them too.
    pub cache: Option<Cache>,
    /// The instant after which no query is answered. A process that works on one is killed then.
    pub until: Option<Instant>,
}

impl Options {
    /// The defaults: a soft limit of ten seconds per query, killed after fifteen; 4 GiB; nothing
    /// kept in files; no second solver.
    pub fn new(program: Program) -> Self {
        let cache = Some(Cache::new(&program));
        Self {
            program,
            soft_timeout: Duration::from_secs(10),
            hard_timeout: Duration::from_secs(15),
            memory_mib: 4096,
            steps: None,
            dump: None,
            confirm: None,
            confirm_timeout: Duration::from_secs(10),
            cache,
            until: None,
        }
    }
}

/// A solver could not be set up.
#[derive(Debug, Error)]
pub enum OpenError {
    /// There is no solver.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The cache holds the answers of another solver.
    #[error("the answers that were kept are those of `{kept}`, not of `{asked}`")]
    OtherSolver {
        /// The solver that gave the kept answers.
        kept: PathBuf,
        /// The solver that is to be asked.
        asked: PathBuf,
    },
    /// The folder for queries cannot be created.
    #[error("cannot make the folder `{path}`: {source}")]
    Dump {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Counts of a solver's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Queries, including those answered from the cache.
    pub queries: u64,
    /// Queries answered from the cache.
    pub cached: u64,
    /// Answers that were satisfiable.
    pub sat: u64,
    /// Answers that were unsatisfiable.
    pub unsat: u64,
    /// Queries without an answer.
    pub unknown: u64,
    /// Refutations that the second solver reached too.
    pub confirmed: u64,
    /// Refutations for which the second solver had no answer.
    pub unconfirmed: u64,
    /// Processes started.
    pub processes: u64,
    /// Time spent in solvers.
    pub time: Duration,
}

/// A solver with nested frames of assertions. The process starts at the first query, and again
/// after a failure.
#[derive(Debug)]
pub struct Solver {
    options: Options,
    /// The arena that the asserted terms come from.
    arena: Option<u32>,
    /// The assertions of each frame. New assertions go to the last frame.
    frames: Vec<Vec<TermId>>,
    incremental: Option<Session>,
    fresh: Option<Session>,
    scoped: Option<Session>,
    older: Option<Session>,
    statistics: Statistics,
    disagreements: Vec<String>,
    dump_failure: Option<io::Error>,
}

/// The kind of process that answers a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// In the process that keeps the frames of earlier queries.
    Incremental,
    /// In a process without earlier queries, so that the solver can choose its tactics for the
    /// whole query.
    Fresh,
    /// In a process that has forgotten earlier queries but was neither started nor reset for this
    /// one, within this number of steps.
    Scoped(u64),
    /// As `Fresh`, with the solver's older procedure for linear arithmetic.
    Older,
}

impl Solver {
    /// Creates a solver without assertions.
    ///
    /// # Errors
    /// The cache belongs to another program, or the folder for queries cannot be created.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        // Invariant: the answers in the cache come from the program that is asked.
        if let Some(cache) = &options.cache
            && *cache.program() != options.program
        {
            let [kept, asked] = [cache.program(), &options.program].map(|p| p.path().to_owned());
            return Err(OpenError::OtherSolver { kept, asked });
        }
        if let Some(path) = &options.dump {
            fs::create_dir_all(path)
                .map_err(|source| OpenError::Dump { path: path.clone(), source })?;
        }
        Ok(Self {
            options,
            arena: None,
            frames: vec![Vec::new()],
            incremental: None,
            fresh: None,
            scoped: None,
            older: None,
            statistics: Statistics::default(),
            disagreements: Vec::new(),
            dump_failure: None,
        })
    }

    /// Adds an assertion to the innermost frame. All assertions come from one [`Terms`]; see
    /// [`Solver::clear`].
    ///
    /// # Panics
    /// If the assertion is not a Boolean term of `terms`, or the other assertions come from another
    /// [`Terms`].
    pub fn assert(&mut self, terms: &Terms, assertion: TermId) {
        terms.require(assertion, crate::Sort::Bool);
        assert!(
            *self.arena.get_or_insert(terms.arena()) == terms.arena(),
            "assertions of different arenas"
        );
        match self.frames.last_mut() {
            Some(frame) => frame.push(assertion),
            None => self.frames.push(vec![assertion]),
        }
    }

    /// Opens a frame.
    pub fn push(&mut self) {
        self.frames.push(Vec::new());
    }

    /// Closes the innermost frame and forgets its assertions. The outermost frame stays, emptied.
    pub fn pop(&mut self) {
        if self.frames.len() == 1 {
            return self.clear();
        }
        self.frames.pop();
        if let Some(session) = &mut self.incremental {
            session.close_frames(self.frames.len());
        }
    }

    /// Forgets all assertions; later assertions may come from another [`Terms`].
    pub fn clear(&mut self) {
        self.frames = vec![Vec::new()];
        self.arena = None;
        let limits = self.limits();
        if let Some(session) = &mut self.incremental {
            session.reset(&limits);
        }
    }

    /// Changes the time limits of later queries, for example to try a query under a short limit
    /// first.
    pub fn set_timeouts(&mut self, soft: Duration, hard: Duration) {
        let is_new = soft != self.options.soft_timeout;
        (self.options.soft_timeout, self.options.hard_timeout) = (soft, hard);
        let slots = [&mut self.incremental, &mut self.fresh, &mut self.scoped, &mut self.older];
        for slot in slots {
            slot.take_if(|session| is_new && !session.set_soft_timeout(soft));
        }
    }

    /// Changes the limit on the steps of later queries.
    pub fn set_steps(&mut self, steps: Option<u64>) {
        let is_new = steps != self.options.steps;
        self.options.steps = steps;
        let sessions = [&mut self.incremental, &mut self.fresh, &mut self.older];
        for session in sessions.into_iter().flatten() {
            if is_new {
                session.set_steps(steps);
            }
        }
    }

    /// The number of open frames, at least 1.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Asks whether all assertions can hold at once. The label names the query in files and texts.
    pub fn check(&mut self, terms: &Terms, label: &str) -> Answer {
        self.answer(terms, label, Mode::Incremental)
    }

    /// Like [`Solver::check`], but in a process without earlier queries. This is slower to begin,
    /// but the solver can choose its tactics for the query as a whole, which matters for
    /// bit-vectors and floats.
    pub fn check_fresh(&mut self, terms: &Terms, label: &str) -> Answer {
        self.answer(terms, label, Mode::Fresh)
    }

    /// Like [`Solver::check_fresh`], but with the older of Z3's two procedures for linear
    /// arithmetic. It finds some contradictions in a tenth of the time, and takes longer for
    /// others. Other solvers have one procedure: this asks them as `check_fresh` does.
    pub fn check_older(&mut self, terms: &Terms, label: &str) -> Answer {
        self.answer(terms, label, Mode::Older)
    }

    /// Like [`Solver::check`], but in a process that is kept unchanged from query to query, within
    /// `steps` steps of the solver's own count if it has such a limit; the limit of the first call
    /// stays in force. Quick for easy queries.
    pub fn check_scoped(&mut self, terms: &Terms, label: &str, steps: u64) -> Answer {
        self.answer(terms, label, Mode::Scoped(steps))
    }

    /// Asks whether all assertions and `more` can hold at once; `more` is forgotten afterwards.
    pub fn check_with(&mut self, terms: &Terms, more: &[TermId], label: &str) -> Answer {
        self.push();
        for assertion in more {
            self.assert(terms, *assertion);
        }
        let answer = self.check(terms, label);
        self.pop();
        answer
    }

    /// Searches for a counterexample to `goal` under the assertions: [`Answer::Unsat`] means that
    /// they imply it.
    pub fn check_implied(&mut self, terms: &mut Terms, goal: TermId, label: &str) -> Answer {
        let negated = terms.not(goal);
        self.check_with(terms, &[negated], label)
    }

    /// The counts so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The cache with the answers so far.
    pub fn cache(&self) -> Option<&Cache> {
        self.options.cache.as_ref()
    }

    /// The labels of the queries on which the second solver contradicted the first.
    pub fn disagreements(&self) -> &[String] {
        &self.disagreements
    }

    /// The error that prevented a query from being kept in the folder, if there was one.
    pub fn dump_failure(&self) -> Option<&io::Error> {
        self.dump_failure.as_ref()
    }

    /// The process id of the incremental process, if it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.incremental.as_ref().map(Session::process_id)
    }

    /// Asks `program` for the status of a standalone text under this solver's limits: `Ok(true)`
    /// for satisfiable, `Ok(false)` for unsatisfiable.
    ///
    /// # Errors
    /// The program has no definite answer.
    pub fn replay(&self, program: &Program, text: &str) -> Result<bool, Reason> {
        ask_text(program, text, &self.limits()).map(|status| status == Status::Sat)
    }

    fn limits(&self) -> Limits {
        let hard = self.options.hard_timeout;
        let left = self.options.until.map(|until| until.saturating_duration_since(Instant::now()));
        Limits {
            soft: self.options.soft_timeout,
            hard: left.map_or(hard, |left| hard.min(left)),
            memory_mib: self.options.memory_mib,
            steps: self.options.steps,
            is_older: false,
        }
    }

    fn answer(&mut self, terms: &Terms, label: &str, mode: Mode) -> Answer {
        self.statistics.queries += 1;
        let Options { cache, dump, confirm, .. } = &self.options;
        let is_written = cache.is_some() || dump.is_some() || confirm.is_some();
        let script = is_written.then(|| Script::new(terms, &self.frames.concat()));
        let known = script.as_ref().and_then(|script| self.recall(terms, script));
        let answer = match (known, &script) {
            (Some(answer), Some(script)) => {
                self.statistics.cached += 1;
                match answer {
                    Answer::Unsat => self.confirm(script).map_or_else(Answer::Unknown, |()| answer),
                    Answer::Sat(_) | Answer::Unknown(_) => answer,
                }
            }
            (Some(_) | None, _) => {
                let begin = Instant::now();
                let asked = self.ask(terms, script.as_ref(), mode);
                self.statistics.time += begin.elapsed();
                asked.unwrap_or_else(Answer::Unknown)
            }
        };
        match &answer {
            Answer::Sat(_) => self.statistics.sat += 1,
            Answer::Unsat => self.statistics.unsat += 1,
            Answer::Unknown(_) => self.statistics.unknown += 1,
        }
        if answer == Answer::Unknown(Reason::Disagreement) {
            self.disagreements.push(one_line(label));
        }
        if let Some(script) = &script {
            self.dump(script, label, &answer);
        }
        answer
    }

    /// Looks up the answer that was kept for this text.
    fn recall(&self, terms: &Terms, script: &Script) -> Option<Answer> {
        Some(match self.options.cache.as_ref()?.get(&script.text())? {
            Entry::Unsat => Answer::Unsat,
            Entry::Sat(values) => {
                let value =
                    |term: TermId| Some((term, *values.get(&script.term_text(terms, term))?));
                let observables = observables(terms, &self.frames.concat());
                Answer::Sat(Model { values: observables.into_iter().filter_map(value).collect() })
            }
        })
    }

    /// Asks the solver, has a refutation confirmed, and keeps the answer.
    fn ask(
        &mut self,
        terms: &Terms,
        script: Option<&Script>,
        mode: Mode,
    ) -> Result<Answer, Reason> {
        let values = self.ask_session(terms, mode)?;
        if let (Some(script), None) = (script, &values) {
            self.confirm(script)?;
        }
        if let (Some(cache), Some(script)) = (&self.options.cache, script) {
            let entry = values.as_ref().map_or(Entry::Unsat, |values| {
                Entry::Sat(
                    values
                        .iter()
                        .map(|(term, value)| (script.term_text(terms, *term), *value))
                        .collect(),
                )
            });
            cache.insert(&script.text(), entry);
        }
        Ok(values.map_or(Answer::Unsat, |values| {
            Answer::Sat(Model { values: values.into_iter().collect() })
        }))
    }

    /// Asks the process of the given mode. Returns the values of a model, or `None` if there is no
    /// model. A process that failed is dropped, which kills it.
    fn ask_session(
        &mut self,
        terms: &Terms,
        mode: Mode,
    ) -> Result<Option<Vec<(TermId, Value)>>, Reason> {
        if self.options.until.is_some_and(|until| until <= Instant::now()) {
            return Err(Reason::Late);
        }
        let mut limits = self.limits();
        let slot = match mode {
            Mode::Incremental => &mut self.incremental,
            Mode::Fresh => &mut self.fresh,
            Mode::Older => {
                limits.is_older = true;
                &mut self.older
            }
            Mode::Scoped(steps) => {
                limits.steps = Some(steps);
                &mut self.scoped
            }
        };
        let mut session = match (slot.take(), mode) {
            (Some(session), Mode::Incremental | Mode::Scoped(_)) => session,
            (Some(mut session), Mode::Fresh | Mode::Older) => {
                session.reset(&limits);
                session
            }
            (None, _) => {
                self.statistics.processes += 1;
                Session::start(&self.options.program, &limits)?
            }
        };
        let is_scoped = matches!(mode, Mode::Scoped(_));
        if is_scoped {
            session.enter();
        }
        let result = match mode {
            Mode::Incremental => session.check(terms, &self.frames, &limits)?,
            Mode::Fresh | Mode::Older | Mode::Scoped(_) => {
                session.check(terms, &[self.frames.concat()], &limits)?
            }
        };
        let result = match result {
            Ok(Status::Sat) => {
                // The existence of a model is certain even if its values cannot be obtained.
                let observables = observables(terms, &self.frames.concat());
                let values = session.values(terms, &observables, &limits);
                let Ok(values) = values else { return Ok(Some(Vec::new())) };
                let known = observables.into_iter().zip(values);
                Ok(Some(known.filter_map(|(term, value)| Some((term, value?))).collect()))
            }
            Ok(Status::Unsat) => Ok(None),
            Err(reason) => Err(reason),
        };
        if is_scoped {
            session.leave();
        }
        *slot = Some(session);
        result
    }

    /// Asks the second solver, if there is one, for a model of a refuted query.
    fn confirm(&mut self, script: &Script) -> Result<(), Reason> {
        let Some(second) = &self.options.confirm else { return Ok(()) };
        let soft = self.options.confirm_timeout;
        let hard = soft.saturating_add(Duration::from_secs(2));
        match ask_text(second, &script.text(), &Limits { soft, hard, ..self.limits() }) {
            Ok(Status::Unsat) => self.statistics.confirmed += 1,
            Ok(Status::Sat) => {
                // Nobody may rely on the refutation any more.
                if let Some(cache) = &self.options.cache {
                    cache.remove(&script.text());
                }
                return Err(Reason::Disagreement);
            }
            // The first solver's answer stands, but the statistics record that it is unconfirmed.
            Err(_) => self.statistics.unconfirmed += 1,
        }
        Ok(())
    }

    /// Writes a query and its answer to a file, if a folder was given.
    fn dump(&mut self, script: &Script, label: &str, answer: &Answer) {
        let Some(folder) = &self.options.dump else { return };
        let stem: String = label
            .chars()
            .map(|character| if character.is_ascii_alphanumeric() { character } else { '-' })
            .take(60)
            .collect();
        let status = match answer {
            Answer::Sat(_) => "sat".to_owned(),
            Answer::Unsat => "unsat".to_owned(),
            Answer::Unknown(reason) => format!("unknown: {}", one_line(&reason.to_string())),
        };
        let text = format!("; {}\n; answer: {status}\n{}", one_line(label), script.text());
        let path = folder.join(format!("{:05}-{stem}.smt2", self.statistics.queries));
        if let Err(error) = sealed::replace(&path, &text) {
            self.dump_failure = Some(error);
        }
    }
}

/// A text without line breaks, fit for a comment.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
