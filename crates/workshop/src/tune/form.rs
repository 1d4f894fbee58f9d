//! Compiled forms. Each runs in its own thread, so that one that takes too long can be abandoned.
//!
//! Neither our compiler nor native code can be stopped from outside. A thread that does not answer
//! in time is abandoned: it ends when its work is done, or with the process. Until then nothing
//! else is timed, as the thread would disturb the measurement.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use halidom_base::stack;
use halidom_codegen::{CompileError, HalideError, RunError, Toolchain};
use halidom_diag::Diagnostic;
use halidom_ir::{Algorithm, Array, Pool, Program, Schedule};
use halidom_lang::NamedSchedule;
use halidom_verdict::Verdict;

use super::statement;

use crate::bench::{Code, FormError, HalideForm, Likeness, TOLERANCE, furthest, identical};
use halidom_driver::compile::{self, Compiled};
use halidom_driver::data::Prepared;
use halidom_driver::execute::{self, BuildError, ExecuteError, Native};
use halidom_driver::judge;
use halidom_driver::source::{Choice, Loaded};

/// The reason why a form cannot be built or run.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// The schedule is refused.
    Refused(Vec<Diagnostic>),
    /// The program cannot be printed or compiled.
    NotCompiled(String),
    /// Compiling takes too long.
    SlowToCompile,
    /// An entry check fails on the inputs at hand.
    EntryCheck(String),
    /// A run fails for another reason.
    Run(String),
    /// A run takes too long.
    SlowToRun,
    /// A thread ended early, which is a defect of ours.
    Ended,
}

/// A built form: an algorithm, and code for it.
pub(super) struct Built {
    pub(super) pool: Pool,
    pub(super) algorithm: Algorithm,
    pub(super) made: Made,
}

/// The code of a form, with what a proof is about.
pub(super) enum Made {
    /// Ours, with the program.
    Own(Box<Compiled>, Native),
    /// Stock Halide's, with the script that Halide compiled.
    Halide(Box<HalideForm>, String),
}

impl Built {
    /// Sets the number of threads for the parallel loops: for ours, those of all forms.
    pub(super) fn set_threads(&self, count: usize) {
        match &self.made {
            Made::Own(_, native) => native.set_threads(count),
            Made::Halide(form, _) => form.library.set_threads(count),
        }
    }

    /// Judges the form. Stock Halide's is compiled again from the script.
    pub(super) fn judged(&self, options: &judge::Options) -> Verdict {
        match &self.made {
            Made::Own(compiled, _) => {
                let subject = (&self.algorithm, &**compiled);
                judge::judge_within(&self.pool, subject, options, &limit).answer()
            }
            Made::Halide(_, script) => statement::judged(script, options),
        }
    }
}

/// Limits the runs that look for a counterexample to the time for a proof, if that is limited. The
/// form ran on the request's inputs, and its outputs were right.
fn limit(own: &mut halidom_validate::Options) {
    if let Some(until) = own.asking.until {
        let left = until.saturating_duration_since(Instant::now());
        own.search.time = own.search.time.min(left / 4);
        own.strictness = Duration::ZERO;
    }
}

/// The results that every form must compute.
pub(super) struct Expected {
    pub(super) outputs: Vec<Array>,
    /// The permitted differences, if regrouping of floats may change results.
    pub(super) nearly: Option<Likeness>,
}

impl Expected {
    fn agrees(&self, outputs: &[Array]) -> bool {
        match &self.nearly {
            Some(likeness) => furthest(&self.outputs, outputs, likeness) <= TOLERANCE,
            None => identical(&self.outputs, outputs),
        }
    }
}

enum Order {
    Run(u32),
    Compare(Arc<Expected>),
    Outputs,
}

enum Answer {
    Built(Arc<Built>),
    Placed,
    Ran(Took),
    Compared(bool),
    Outputs(Vec<Array>),
    Failed(Failure),
}

/// The time of one run: on the clock, and of the processor for the thread that runs it. A busy
/// machine changes the second one little, but other threads' work is not in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Took {
    pub(super) clock: Duration,
    pub(super) processor: Duration,
}

/// A form that can run.
pub(super) struct Form {
    pub(super) built: Arc<Built>,
    orders: Sender<Order>,
    answers: Receiver<Answer>,
    thread: JoinHandle<()>,
    /// True if the processor's time for its thread counts: all of the work is done there.
    by_processor: bool,
}

/// A thread that was abandoned.
pub(super) struct Abandoned(pub(super) JoinHandle<()>);

impl Abandoned {
    /// Waits until the thread ends or the deadline passes. Returns true if it ended.
    pub(super) fn ends_by(&self, deadline: Instant) -> bool {
        const LOOK: Duration = Duration::from_millis(5);
        while !self.0.is_finished() {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }
}

/// The result of an attempt. If a thread takes too long, the caller must wait for it.
pub(super) type Attempt<T> = Result<T, (Failure, Option<Abandoned>)>;

/// A form before the C compiler.
pub(super) struct Lowered {
    pool: Pool,
    algorithm: Algorithm,
    compiled: Compiled,
}

/// Lowers a pipeline of a module under a schedule that need not be part of its text.
pub(super) fn lower(
    mut loaded: Loaded,
    pipeline: usize,
    schedule: Option<Schedule>,
) -> Result<Lowered, Failure> {
    let found = &mut loaded.module.pipelines[pipeline];
    let number = schedule.map(|schedule| {
        found.schedules.push(NamedSchedule { schedule, span: found.span, spans: Vec::new() });
        found.schedules.len() - 1
    });
    let algorithm = found.algorithm.clone();
    let choice = Choice { pipeline, schedule: number };
    let compiled =
        compile::compile(&mut loaded, &choice, &mut |_, _, _| {}).map_err(Failure::Refused)?;
    Ok(Lowered { pool: loaded.module.pool, algorithm, compiled })
}

/// Compiles a pipeline of a module under a schedule that need not be part of its text.
pub(super) fn compile(
    loaded: Loaded,
    pipeline: usize,
    schedule: Option<Schedule>,
    toolchain: &Toolchain,
) -> Result<Built, Failure> {
    let Lowered { pool, algorithm, compiled } = lower(loaded, pipeline, schedule)?;
    let target = execute::host(&algorithm);
    let native = execute::build(&pool, &compiled.program, toolchain, target);
    let native = native.map_err(|error| not_built(&error))?;
    Ok(Built { pool, algorithm, made: Made::Own(Box::new(compiled), native) })
}

/// Compiles lowered forms of one pipeline together, and reports each with its number.
pub(super) fn together(
    lowered: Vec<Lowered>,
    toolchain: &Toolchain,
    found: &mut dyn FnMut(usize, Result<Built, Failure>),
) {
    let Some(first) = lowered.first() else { return };
    let target = execute::host(&first.algorithm);
    let parts: Vec<(Pool, Program)> =
        lowered.iter().map(|one| (one.pool.clone(), one.compiled.program.clone())).collect();
    let programs: Vec<_> = parts.iter().map(|(pool, program)| (pool, program)).collect();
    let mut lowered: Vec<Option<Lowered>> = lowered.into_iter().map(Some).collect();
    execute::build_batch(&programs, toolchain, &target, &mut |number, native| {
        let Some(one) = lowered[number].take() else { return };
        let Lowered { pool, algorithm, compiled } = one;
        let made = native.map(|native| Made::Own(Box::new(compiled), native));
        let built = made.map(|made| Built { pool, algorithm, made });
        found(number, built.map_err(|error| not_built(&error)));
    });
}

fn not_built(error: &BuildError) -> Failure {
    if matches!(error, BuildError::Compile(CompileError::TooSlow { .. })) {
        Failure::SlowToCompile
    } else {
        Failure::NotCompiled(error.to_string())
    }
}

impl Form {
    /// Builds a form within a time limit and puts its inputs in place.
    pub(super) fn start(
        make: impl FnOnce() -> Result<Arc<Built>, Failure> + Send + 'static,
        prepared: &Arc<Prepared>,
        limit: Duration,
    ) -> Attempt<Self> {
        let (orders, inbox) = mpsc::channel();
        let (outbox, answers) = mpsc::channel();
        let prepared = Arc::clone(prepared);
        let work = move || {
            // A send fails only if the receiver has given up.
            let _ = stack::whole(|| serve(make, &prepared, &inbox, &outbox));
        };
        let started = thread::Builder::new().spawn(work);
        let thread = started.map_err(|error| (Failure::Run(error.to_string()), None))?;
        let begin = Instant::now();
        let mut built = None;
        loop {
            let left = limit.saturating_sub(begin.elapsed());
            let failure = match answers.recv_timeout(left) {
                Ok(Answer::Built(done)) => {
                    built = Some(done);
                    continue;
                }
                Ok(Answer::Placed) => match built {
                    Some(built) => {
                        return Ok(Self { built, orders, answers, thread, by_processor: false });
                    }
                    None => Failure::Ended,
                },
                Ok(Answer::Failed(failure)) => failure,
                Err(RecvTimeoutError::Timeout) => {
                    return Err((Failure::SlowToCompile, Some(Abandoned(thread))));
                }
                Ok(Answer::Ran(_) | Answer::Compared(_) | Answer::Outputs(_))
                | Err(RecvTimeoutError::Disconnected) => Failure::Ended,
            };
            return Err((failure, None));
        }
    }

    /// Measures the processor's time from now on if there is just one thread: a busy machine
    /// changes it little.
    pub(super) fn with_threads(self, count: usize) -> Self {
        Self { by_processor: count == 1, ..self }
    }

    /// Runs the form a number of times and returns the time of one run.
    pub(super) fn run(&mut self, times: u32, limit: Duration) -> Result<Duration, Failure> {
        let took = self.timed(times, limit)?;
        Ok(if self.by_processor { took.processor } else { took.clock })
    }

    /// Runs the form a number of times and returns both times of one run.
    pub(super) fn timed(&mut self, times: u32, limit: Duration) -> Result<Took, Failure> {
        match self.ask(Order::Run(times.max(1)), Some(limit))? {
            Answer::Ran(took) => Ok(took),
            Answer::Built(_) | Answer::Placed | Answer::Compared(_) | Answer::Outputs(_) => {
                Err(Failure::Ended)
            }
            Answer::Failed(failure) => Err(failure),
        }
    }

    /// Tests whether the last run gave the expected results.
    pub(super) fn agrees(&mut self, expected: &Arc<Expected>) -> Result<bool, Failure> {
        match self.ask(Order::Compare(Arc::clone(expected)), None)? {
            Answer::Compared(agrees) => Ok(agrees),
            Answer::Built(_) | Answer::Placed | Answer::Ran(_) | Answer::Outputs(_) => {
                Err(Failure::Ended)
            }
            Answer::Failed(failure) => Err(failure),
        }
    }

    /// The outputs of the last run.
    pub(super) fn outputs(&mut self) -> Result<Vec<Array>, Failure> {
        match self.ask(Order::Outputs, None)? {
            Answer::Outputs(outputs) => Ok(outputs),
            Answer::Built(_) | Answer::Placed | Answer::Ran(_) | Answer::Compared(_) => {
                Err(Failure::Ended)
            }
            Answer::Failed(failure) => Err(failure),
        }
    }

    fn ask(&mut self, order: Order, limit: Option<Duration>) -> Result<Answer, Failure> {
        self.orders.send(order).map_err(|_| Failure::Ended)?;
        match limit {
            None => self.answers.recv().map_err(|_| Failure::Ended),
            Some(limit) => self.answers.recv_timeout(limit).map_err(|error| match error {
                RecvTimeoutError::Timeout => Failure::SlowToRun,
                RecvTimeoutError::Disconnected => Failure::Ended,
            }),
        }
    }

    /// Releases the form's arrays after a failure. Returns the thread if it is still running.
    pub(super) fn end(self, failure: &Failure) -> Option<Abandoned> {
        let Self { orders, thread, .. } = self;
        drop(orders);
        matches!(failure, Failure::SlowToRun).then_some(Abandoned(thread))
    }
}

/// Serves a form's requests in its thread until no more can come.
fn serve(
    make: impl FnOnce() -> Result<Arc<Built>, Failure>,
    prepared: &Prepared,
    inbox: &Receiver<Order>,
    outbox: &Sender<Answer>,
) -> Result<(), mpsc::SendError<Answer>> {
    let built = match make() {
        Ok(built) => built,
        Err(failure) => return outbox.send(Answer::Failed(failure)),
    };
    outbox.send(Answer::Built(Arc::clone(&built)))?;
    let mut placed = match place(&built, prepared) {
        Ok(placed) => placed,
        Err(error) => return outbox.send(Answer::Failed(failed(&error))),
    };
    let unread = || Failure::Run("its outputs cannot be read".to_owned());
    outbox.send(Answer::Placed)?;
    for order in inbox {
        let answer = match order {
            Order::Run(times) => {
                let (begin, from) = (Instant::now(), processor_time());
                let outcome = (0..times).try_for_each(|_| placed.run());
                let clock = begin.elapsed() / times;
                let processor = processor_time().saturating_sub(from) / times;
                let ran = outcome.map(|()| Answer::Ran(Took { clock, processor }));
                ran.map_err(|error| failed(&error))
            }
            Order::Compare(expected) => {
                let outputs = placed.outputs().ok_or_else(unread);
                outputs.map(|outputs| Answer::Compared(expected.agrees(&outputs)))
            }
            Order::Outputs => placed.outputs().map(Answer::Outputs).ok_or_else(unread),
        };
        outbox.send(answer.unwrap_or_else(Answer::Failed))?;
    }
    Ok(())
}

/// Puts the inputs of a form in place.
fn place<'b>(built: &'b Built, prepared: &Prepared) -> Result<Code<'b>, FormError> {
    let Built { pool, algorithm, made } = built;
    Ok(match made {
        Made::Own(compiled, native) => {
            let program = &compiled.program;
            Code::Own(native, execute::place(native, pool, algorithm, program, prepared)?)
        }
        Made::Halide(form, _) => Code::Halide(form, form.place((pool, algorithm), prepared)?),
    })
}

/// The processor's time for this thread.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn failed(error: &FormError) -> Failure {
    // Halide's code for lack of memory (`halide_error_code_out_of_memory`).
    const OUT_OF_MEMORY: i32 = -11;
    if matches!(
        error,
        FormError::Own(ExecuteError::Native(RunError::Check { .. }) | ExecuteError::Regions(_))
    ) || matches!(
        error,
        FormError::Halide(HalideError::Failed { status, .. }) if *status != OUT_OF_MEMORY
    ) {
        Failure::EntryCheck(error.to_string())
    } else {
        Failure::Run(error.to_string())
    }
}

/// Describes a failure in words.
pub(super) fn words(failure: &Failure) -> String {
    match failure {
        Failure::Refused(diagnostics) => {
            let first = diagnostics.first().map(|diagnostic| diagnostic.message.as_str());
            first.unwrap_or("it is refused").to_owned()
        }
        Failure::NotCompiled(reason) | Failure::EntryCheck(reason) | Failure::Run(reason) => {
            reason.clone()
        }
        Failure::SlowToCompile => "compiling it takes longer than the budget".to_owned(),
        Failure::SlowToRun => "a run takes longer than the budget".to_owned(),
        Failure::Ended => "the compiler ended early".to_owned(),
    }
}

/// Waits for abandoned threads. Returns true if all of them ended in time.
pub(super) fn all_ended(abandoned: &mut Vec<Abandoned>, deadline: Instant) -> bool {
    abandoned.retain(|thread| !thread.ends_by(deadline));
    abandoned.is_empty()
}
