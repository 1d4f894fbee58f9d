//! The search: the best schedules so far, changes of them, and races with the best one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_base::{FxHashSet, IndexMap};
use halidom_codegen::Toolchain;
use halidom_ir::{Algorithm, Directive, FuncId, Pool, Schedule};
use halidom_lang::print_schedule;
use halidom_schedule::{StageLoops, stage_loops};
use halidom_testgen::Random;

use super::batch;
use super::counts::{Counts, Rejection};
use super::course::Lead;
use super::demands::move_inwards;
use super::error::TuneError;
use super::facts::Facts;
use super::form::{Abandoned, Built, Expected, Failure, Form, all_ended, compile, words};
use super::halide;
use super::model::Model;
use super::moves::{Mover, changed, number};
use super::options::Options;
use super::polish::variants;
use super::processor;
use super::propose::canonical;
use super::race::{Best, NEAR, ROUNDS, Slower, median, raced, repeats};
use super::seeds::seeds;
use super::unproved::Unproved;
use halidom_driver::data::{Prepared, Request};
use halidom_driver::source::{Choice, DEFAULT_SCHEDULE, Loaded};
use halidom_driver::stock::Language;
use halidom_verdict::{Cause, Verdict};

/// The time limits for the C compiler and for a whole compile. They are at least so many times as
/// long as the first compile, which tells how fast the machine is and how large the program.
pub(super) const COMPILE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(8));
const OF_FIRST: (u32, u32) = (3, 5);
/// The time limit for the compiles by stock Halide of the candidates that are built together.
const HALIDE_COMPILE: Duration = Duration::from_secs(30);
/// The time after which fewer candidates are compiled together, by us and by stock Halide.
const LONG: (Duration, Duration) = (Duration::from_secs(3), Duration::from_secs(10));
/// The least number of candidates that are compiled together, and that of the first ones: it is not
/// known yet how long they take.
const FEWEST: usize = 2;
/// The least time that compiles may take, and the part of the time of the search so far that they
/// may take if that is longer.
const IMPATIENT: Duration = Duration::from_millis(1800);
const PATIENT: f64 = 0.6;
/// The number of schedules that are kept for the end, and the number of these that are changed.
const KEPT: usize = 12;
const PARENTS: usize = 5;
/// A candidate is not raced if its first runs take this many times as long as the best one's.
const FAR: f64 = 1.4;
/// The largest number of rounds at the end.
pub(super) const MOST_ROUNDS: usize = 31;
/// The numbers of changes from which the model chooses one. From few, it often chooses one that it
/// likes less.
const DRAWN: [usize; 3] = [4, 12, 36];
/// Longer runs are not repeated where one says enough.
pub(super) const LONG_RUN: Duration = Duration::from_millis(100);
/// A run is abandoned after this many times the best one's time, but not before a second.
const PATIENCE: u32 = 20;

/// A form that was timed at the end.
#[derive(Clone, Debug)]
pub struct Row {
    /// The schedule's name.
    pub schedule: String,
    /// The median time.
    pub median: Duration,
    /// The shortest time.
    pub least: Duration,
    /// The longest of the shortest nine tenths of the times.
    pub most: Duration,
}

/// A schedule that was timed.
pub(super) struct Member {
    pub(super) directives: Vec<Directive>,
    /// Its name, if it is a schedule of the file that the search started with.
    pub(super) start: Option<String>,
    /// Its time in seconds: the first best one's time, multiplied by the ratios of all races since.
    pub(super) score: f64,
    /// The last measured time of a run.
    pub(super) pace: Duration,
    loops: Vec<StageLoops>,
    pub(super) built: Arc<Built>,
}

/// The judgement on a form that ran.
enum Judged {
    Time { score: f64, pace: Duration },
    Slower { score: f64 },
    Wrong,
}

/// The unscheduled form, with the time of a run.
pub(super) struct Unscheduled {
    pub(super) built: Arc<Built>,
    pub(super) took: Duration,
}

/// A form for the final timing, with its text.
pub(super) struct Last {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) is_new: bool,
    pub(super) built: Arc<Built>,
    /// Its inputs, if it belongs to another module.
    pub(super) prepared: Option<Arc<Prepared>>,
}

/// The result of examining a candidate.
enum Outcome {
    Best,
    Near,
    Rejected(Rejection, Option<Failure>),
}

pub(super) struct Search {
    pub(super) loaded: Loaded,
    pub(super) pipeline: usize,
    pub(super) toolchain: Toolchain,
    pub(super) counts: Counts,
    pub(super) request: Request,
    /// The number of threads for parallel loops.
    pub(super) threads: usize,
    /// The language of the winner, if stock Halide makes the code.
    pub(super) halide: Option<Language>,
    /// The schedules for which stock Halide's code gives other outputs or is refuted, as scripts.
    pub(super) differing: Vec<String>,
    pub(super) prepared: Arc<Prepared>,
    pub(super) expected: Arc<Expected>,
    /// `None` if it takes too long.
    unscheduled: Option<Unscheduled>,
    pub(super) facts: Facts,
    /// The schedules to start with. If empty, the search starts with all schedules of the file and
    /// with the seeds.
    start: Vec<Option<usize>>,
    random: Random,
    /// The number of times that each systematic change was tried.
    tries: IndexMap<String, usize>,
    pub(super) best: Option<Best>,
    /// The best schedules, the fastest first.
    pub(super) members: Vec<Arc<Member>>,
    /// The schedules that the search started with.
    pub(super) starts: Vec<Arc<Member>>,
    pub(super) seen: FxHashSet<String>,
    /// Schedules that are proved, by the places of their funcs as words.
    pub(super) proved: IndexMap<String, Arc<Member>>,
    pub(super) unproved: Unproved,
    /// The schedules that took the lead.
    pub(super) course: Vec<Lead>,
    /// The beginning of the search.
    pub(super) begun: Instant,
    /// The time that proofs took.
    pub(super) judged_in: Duration,
    /// The number of schedules that were estimated for the proposals, and the time for that.
    pub(super) estimated: Option<(usize, Duration)>,
    /// Schedules that were slower than the best one.
    pub(super) slower: Slower,
    /// The proposals that were not compiled yet, in their order.
    pub(super) waiting: VecDeque<Vec<Directive>>,
    /// `None` if the search goes without estimates.
    pub(super) model: Option<Model>,
    pub(super) abandoned: Vec<Abandoned>,
    /// The number of candidates that are compiled together.
    together: usize,
    /// The time limit for a whole compile.
    compile: Duration,
}

impl Search {
    pub(super) fn new(
        loaded: Loaded,
        options: &Options,
        toolchain: &Toolchain,
        prepared: Arc<Prepared>,
        request: &Request,
        (expected, unscheduled): (Arc<Expected>, Option<Unscheduled>),
    ) -> Self {
        let algorithm = &loaded.module.pipelines[options.pipeline].algorithm;
        let pool = &loaded.module.pool;
        let facts = Facts::asked(pool, algorithm, &prepared, options);
        let threads = options.threads();
        let (machine, _) = processor::machine(threads);
        let model = options.estimates.then(|| Model::new(pool, algorithm, &prepared, machine));
        Self {
            model,
            pipeline: options.pipeline,
            threads,
            halide: options.halide,
            differing: Vec::new(),
            toolchain: toolchain.clone().within(COMPILE.0),
            compile: COMPILE.1,
            counts: Counts::default(),
            request: request.clone(),
            prepared,
            expected,
            unscheduled,
            facts,
            start: options.schedule.into_iter().collect(),
            random: Random::new(options.seed),
            tries: IndexMap::default(),
            best: None,
            members: Vec::new(),
            starts: Vec::new(),
            seen: FxHashSet::default(),
            proved: IndexMap::default(),
            unproved: Unproved::default(),
            course: Vec::new(),
            begun: Instant::now(),
            judged_in: Duration::ZERO,
            estimated: None,
            slower: Slower::default(),
            abandoned: Vec::new(),
            together: FEWEST,
            waiting: VecDeque::new(),
            loaded,
        }
    }

    /// Limits the time of compiles, given the time of the first one.
    pub(super) fn limit_compiles(&mut self, first: Duration) {
        let limits = (COMPILE.0.max(OF_FIRST.0 * first), COMPILE.1.max(OF_FIRST.1 * first));
        self.toolchain = self.toolchain.clone().within(limits.0);
        self.compile = limits.1;
    }

    /// Times the schedules to start with.
    pub(super) fn begin(
        &mut self,
        deadline: Instant,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), TuneError> {
        let count = self.loaded.module.pipelines[self.pipeline].schedules.len();
        let mut chosen: Vec<Option<usize>> =
            if self.start.is_empty() { (0..count).map(Some).collect() } else { self.start.clone() };
        if chosen.is_empty() {
            chosen.push(None);
        }
        let is_open = self.start.is_empty() || self.start == [None];
        let mut failed = None;
        for schedule in chosen {
            let choice = Choice { pipeline: self.pipeline, schedule };
            let Schedule { name, mut directives } = self.loaded.schedule_of(&choice);
            if self.halide.is_some() {
                let whole = directives.clone();
                halide::strip(&mut directives);
                if directives != whole {
                    progress(&format!("`{name}` without what Halide has no directives for"));
                }
            }
            if schedule.is_none() && self.unscheduled.is_none() && is_open {
                progress(&format!("`{name}` is not timed, as it would take too long"));
                continue;
            }
            progress(&format!("timing `{name}`"));
            let is_built = schedule.is_none() && self.halide.is_none();
            let unscheduled = self.unscheduled.as_ref().filter(|_| is_built);
            let built = unscheduled.map(|unscheduled| Arc::clone(&unscheduled.built));
            let outcome = self.examine(directives, Some(name.clone()), built, deadline)?;
            if let Outcome::Rejected(reason, failure) = outcome
                && reason != Rejection::Slower
            {
                let reason = failure.as_ref().map_or_else(|| reason.name().to_owned(), words);
                progress(&format!("`{name}` is left out: {reason}"));
                failed = failed.or(failure.map(|failure| (name, failure)));
            }
        }
        if is_open {
            self.proposals(deadline, progress)?;
        }
        if is_open && self.model.is_none() {
            let seeds = seeds(&mut self.loaded.module.pool, &self.facts);
            let drawn = seeds.into_iter().map(|seed| seed.directives).collect();
            self.candidates(drawn, deadline, progress)?;
        }
        if self.best.is_some() {
            return Ok(());
        }
        if !self.differing.is_empty() {
            let reason = "Halide's code gives other outputs under every schedule that ran";
            return Err(TuneError::NotProved {
                tried: 0,
                verdict: Box::new(Verdict::unknown(Cause::Part, reason)),
                counts: Box::new(self.counts.clone()),
                differing: self.differing.clone(),
            });
        }
        Err(match failed {
            Some((_, Failure::Refused(diagnostics))) => TuneError::Refused(diagnostics),
            Some((schedule, failure)) => TuneError::Start { schedule, reason: words(&failure) },
            None => TuneError::Start {
                schedule: DEFAULT_SCHEDULE.to_owned(),
                reason: "the budget is too short".to_owned(),
            },
        })
    }

    /// Some systematic changes of the best schedule that were not tried yet, those first that were
    /// tried least.
    fn polished(&mut self, most: usize) -> Vec<Vec<Directive>> {
        let Some(best) = self.members.first().map(Arc::clone) else { return Vec::new() };
        let pool = &mut self.loaded.module.pool;
        let mut all = variants(pool, &self.facts, &best.loops, &best.directives);
        for variant in &mut all {
            move_inwards(pool, &self.facts, &mut variant.directives);
        }
        all.retain(|variant| !self.seen.contains(&canonical(&variant.directives)));
        all.sort_by_key(|variant| self.tries.get(&variant.name).copied().unwrap_or(0));
        all.truncate(most);
        for variant in &all {
            *self.tries.entry(variant.name.clone()).or_default() += 1;
        }
        all.into_iter().map(|variant| variant.directives).collect()
    }

    /// Changes a schedule. With a model, it is the change with the lowest estimate of several.
    fn change(&mut self, parent: &Arc<Member>) -> Vec<Directive> {
        let mut best: Option<(f64, Vec<Directive>)> = None;
        let drawn = self.random.choose(&DRAWN).copied().unwrap_or(1);
        for _ in 0..drawn {
            let mut mover = Mover {
                pool: &mut self.loaded.module.pool,
                facts: &self.facts,
                loops: &parent.loops,
                random: &mut self.random,
            };
            let directives = changed(&mut mover, &parent.directives);
            let Some(model) = &self.model else { return directives };
            if self.seen.contains(&canonical(&directives)) {
                continue;
            }
            let schedule = Schedule { name: String::new(), directives };
            // A change that the model does not describe, or whose effect it does not see, is tried
            // now and then.
            let estimate = model.estimate(&self.loaded.module.pool, &schedule);
            let estimate = match estimate {
                Ok(estimate) => estimate.total * (1.0 + self.random.below(100) as f64 / 500.0),
                Err(_) if self.random.chance(5) => 0.0,
                Err(_) => continue,
            };
            if best.as_ref().is_none_or(|(least, _)| estimate < *least) {
                best = Some((estimate, schedule.directives));
            }
        }
        best.map_or_else(|| parent.directives.clone(), |(_, directives)| directives)
    }

    /// Changes the best schedules until the deadline. The time that proofs take comes on top.
    pub(super) fn go(
        &mut self,
        mut deadline: Instant,
        options: &Options,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), TuneError> {
        // After this many changes in a row without a new schedule, the search gives up.
        const IN_VAIN: usize = 2000;
        let mut in_vain = 0;
        while Instant::now() < deadline && in_vain < IN_VAIN {
            deadline += self.ask(options, deadline, progress)?;
            let parents = self.members.len().min(PARENTS);
            // Half of the candidates are systematic changes, as long as there are any. The others
            // are proposals at first, and then random changes.
            let mut drawn = self.polished(self.together.div_ceil(2));
            let proposed = self.together.saturating_sub(drawn.len()).min(self.waiting.len());
            drawn.extend(self.waiting.drain(..proposed));
            for _ in drawn.len()..self.together {
                let rank = if self.random.chance(60) { 0 } else { self.random.below(parents) };
                let Some(parent) = self.members.get(rank).map(Arc::clone) else { return Ok(()) };
                drawn.push(self.change(&parent));
            }
            let count = drawn.len();
            let new = self.candidates(drawn, deadline, progress)?;
            in_vain = if new > 0 { 0 } else { in_vain + count };
        }
        Ok(())
    }

    /// Puts schedules in the form in which they are built. Drops those that are known.
    pub(super) fn made_ready(&mut self, mut drawn: Vec<Vec<Directive>>) -> Vec<Vec<Directive>> {
        for directives in &mut drawn {
            if self.halide.is_some() {
                halide::strip(directives);
            }
            move_inwards(&self.loaded.module.pool, &self.facts, directives);
            number(directives);
        }
        drawn.retain(|directives| {
            self.seen.insert(canonical(directives)) && !self.is_like_unproved(directives)
        });
        drawn
    }

    /// Builds schedules together, unless they are known, and examines each. Returns the number of
    /// those that are new.
    pub(super) fn candidates(
        &mut self,
        drawn: Vec<Vec<Directive>>,
        deadline: Instant,
        progress: &mut dyn FnMut(&str),
    ) -> Result<usize, TuneError> {
        let mut new = 0;
        // Each schedule with the number of its earlier tries.
        let mut queue: VecDeque<(Vec<Directive>, usize)> =
            self.made_ready(drawn).into_iter().map(|directives| (directives, 0)).collect();
        while !queue.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !all_ended(&mut self.abandoned, deadline) {
                break;
            }
            let part: Vec<_> = queue.drain(..queue.len().min(self.together)).collect();
            let schedules = part.iter().map(|(directives, _)| candidate(directives)).collect();
            let longest = self.longest_compile().min(left);
            let limit = longest.min(self.patience());
            let begin = Instant::now();
            let of_one = self.toolchain.limit().map_or(limit, |own| own.min(limit));
            let toolchain = self.toolchain.clone().within(of_one);
            let with = (&toolchain, self.halide);
            let (built, late) = batch::build(&self.loaded, self.pipeline, schedules, with, limit);
            self.abandoned.extend(late);
            new += part.iter().filter(|(_, tries)| *tries == 0).count();
            // What does not fit in the time limit must not keep others waiting.
            let long = if self.halide.is_some() { LONG.1 } else { LONG.0 };
            let was_together = part.len() > FEWEST;
            if begin.elapsed() > long {
                self.together = (self.together / 2).max(FEWEST);
            } else if begin.elapsed() < long / 3 {
                self.together = (self.together * 2).min(batch::size());
            }
            for ((directives, tries), built) in part.into_iter().zip(built) {
                // It may have waited for others, or the machine may have been busy.
                let may_fit = was_together || limit < longest;
                if may_fit && tries == 0 && matches!(built, Err(Failure::SlowToCompile)) {
                    queue.push_back((directives, 1));
                } else {
                    self.candidate(&directives, built, deadline, progress)?;
                }
            }
        }
        Ok(new)
    }

    /// The time that compiles may take so early in the search: something should be found soon, and
    /// what is slow to compile waits for that.
    fn patience(&self) -> Duration {
        if self.halide.is_some() {
            return HALIDE_COMPILE;
        }
        let searched = self.begun.elapsed().saturating_sub(self.judged_in);
        searched.mul_f64(PATIENT).max(IMPATIENT)
    }

    /// The time limit for compiles, ours or those of stock Halide.
    pub(super) fn longest_compile(&self) -> Duration {
        if self.halide.is_some() { HALIDE_COMPILE } else { self.compile }
    }

    /// Examines a schedule that was built.
    pub(super) fn candidate(
        &mut self,
        directives: &[Directive],
        built: Result<Arc<Built>, Failure>,
        deadline: Instant,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), TuneError> {
        self.counts.tried += 1;
        let outcome = match built {
            Ok(built) => self.examine(directives.to_vec(), None, Some(built), deadline)?,
            Err(failure) => Outcome::Rejected(Rejection::of(&failure), Some(failure)),
        };
        match outcome {
            Outcome::Best => {
                self.counts.improved += 1;
                if let Some(best) = &self.best {
                    let milliseconds = 1e3 * best.pace.as_secs_f64();
                    let tried = self.counts.tried;
                    progress(&format!("{milliseconds:.3} ms after {tried} candidates"));
                }
            }
            Outcome::Near => self.counts.reject(Rejection::Slower),
            Outcome::Rejected(reason, _) => self.counts.reject(reason),
        }
        Ok(())
    }

    /// Compiles and runs a schedule, compares its outputs, and races it.
    fn examine(
        &mut self,
        directives: Vec<Directive>,
        start: Option<String>,
        built: Option<Arc<Built>>,
        deadline: Instant,
    ) -> Result<Outcome, TuneError> {
        if start.is_some() {
            self.seen.insert(canonical(&directives));
        }
        let rejected =
            |failure: Failure| Ok(Outcome::Rejected(Rejection::of(&failure), Some(failure)));
        let left = deadline.saturating_duration_since(Instant::now());
        if !all_ended(&mut self.abandoned, deadline) || left.is_zero() {
            return rejected(Failure::SlowToCompile);
        }
        let limit = self.longest_compile().min(left);
        let name = start.clone().unwrap_or_else(|| "candidate".to_owned());
        let schedule = Schedule { name, directives };
        let (loaded, own, compiler) =
            (self.loaded.clone(), schedule.clone(), self.toolchain.clone());
        let pipeline = self.pipeline;
        let language = self.halide;
        let make = move || match (built, language) {
            (Some(built), _) => Ok(built),
            (None, None) => compile(loaded, pipeline, Some(own), &compiler).map(Arc::new),
            (None, Some(language)) => {
                let all = halide::build(&loaded, pipeline, &[own], (&compiler, language), limit);
                all.into_iter().next().unwrap_or(Err(Failure::Ended)).map(Arc::new)
            }
        };
        let mut form = match Form::start(make, &self.prepared, limit) {
            Ok(form) => {
                if self.halide.is_some() {
                    form.built.set_threads(self.threads);
                }
                form.with_threads(self.threads)
            }
            Err((failure, thread)) => {
                self.abandoned.extend(thread);
                return rejected(failure);
            }
        };
        let judged = match self.judged(&mut form, start.is_some(), deadline) {
            Ok(judged) => judged,
            Err(failure) => {
                self.abandoned.extend(form.end(&failure));
                return rejected(failure);
            }
        };
        let (score, pace) = match judged {
            Judged::Time { score, pace } => (score, pace),
            Judged::Slower { score } => {
                self.slower.keep(score, &schedule.directives);
                return Ok(Outcome::Rejected(Rejection::Slower, None));
            }
            Judged::Wrong => match halide::script(&form.built) {
                None => return Err(self.wrong(&schedule)),
                Some(script) => {
                    self.differing.push(script.to_owned());
                    return Ok(Outcome::Rejected(Rejection::Differs, None));
                }
            },
        };
        let Schedule { directives, .. } = schedule;
        let algorithm = &self.loaded.module.pipelines[self.pipeline].algorithm;
        let loops = loops(&self.loaded.module.pool, algorithm, &directives);
        let built = Arc::clone(&form.built);
        let is_best = self.best.as_ref().is_none_or(|best| score < best.score);
        if is_best {
            self.best = Some(Best { form, score, pace });
            self.mark_lead();
        }
        let member = Arc::new(Member { directives, start, score, pace, loops, built });
        if member.start.is_some() {
            self.starts.push(Arc::clone(&member));
        }
        let position = self.members.partition_point(|known| known.score <= score);
        self.members.insert(position, member);
        self.members.truncate(KEPT);
        Ok(if is_best { Outcome::Best } else { Outcome::Near })
    }

    /// Records the best schedule as the one that leads from now on.
    pub(super) fn mark_lead(&mut self) {
        let Some(best) = &self.best else { return };
        self.course.push(Lead {
            after: self.begun.elapsed().saturating_sub(self.judged_in),
            time: Duration::from_secs_f64(best.score),
            tried: self.counts.tried,
        });
    }

    /// Runs a form for the first time and compares its outputs. Races it with the best one unless
    /// it is far slower.
    fn judged(
        &mut self,
        form: &mut Form,
        is_start: bool,
        deadline: Instant,
    ) -> Result<Judged, Failure> {
        let left = deadline.saturating_duration_since(Instant::now());
        if let Some(Unscheduled { built, took }) = &self.unscheduled
            && *took > LONG_RUN
            && Arc::ptr_eq(&form.built, built)
        {
            return Ok(Judged::Time { score: took.as_secs_f64(), pace: *took });
        }
        let patience = |best: &Best| (PATIENCE * best.pace).max(Duration::from_secs(1));
        let limit = self.best.as_ref().filter(|_| !is_start).map_or(left, patience);
        let mut took = form.run(1, limit.min(left))?;
        if !form.agrees(&self.expected)? {
            return Ok(Judged::Wrong);
        }
        let Some(best) = &mut self.best else {
            // The first run warmed up the caches and the threads.
            let pace = median((0..ROUNDS.0).map(|_| form.run(1, left)).collect::<Result<_, _>>()?);
            return Ok(Judged::Time { score: pace.as_secs_f64(), pace });
        };
        let far = best.pace.mul_f64(FAR);
        for _ in 0..3 {
            if took > far {
                let runs = repeats(best.pace);
                took = took.min(form.run(runs, limit * runs)?);
            }
        }
        if took > far {
            let score = best.score * took.as_secs_f64() / best.pace.as_secs_f64();
            return Ok(if is_start {
                Judged::Time { score, pace: took }
            } else {
                Judged::Slower { score }
            });
        }
        if best.pace > LONG_RUN && 2 * took < best.pace {
            let score = best.score * took.as_secs_f64() / best.pace.as_secs_f64();
            return Ok(Judged::Time { score, pace: took });
        }
        let (prepared, threads) = (&self.prepared, self.threads);
        let place = |built: Arc<Built>| {
            let placed = Form::start(move || Ok(built), prepared, COMPILE.1);
            placed.map(|placed| placed.with_threads(threads))
        };
        let race = raced(best, form, limit, &place)?;
        best.pace = race.best;
        let (mut score, pace) = (best.score * race.ratio, race.pace);
        if !race.is_faster() {
            // A schedule that is not clearly faster does not become the best.
            score = score.max(best.score);
        }
        if race.ratio > NEAR && !is_start {
            return Ok(Judged::Slower { score });
        }
        Ok(Judged::Time { score, pace })
    }

    fn wrong(&self, schedule: &Schedule) -> TuneError {
        let how = "its outputs are not those of the unscheduled form".to_owned();
        TuneError::Wrong { text: self.text_of(&schedule.directives), how }
    }

    /// Prints a candidate's schedule.
    pub(super) fn text_of(&self, directives: &[Directive]) -> String {
        let pipeline = &self.loaded.module.pipelines[self.pipeline];
        let schedule = candidate(directives);
        print_schedule(&self.loaded.module.pool, &pipeline.algorithm, &schedule)
            .unwrap_or_else(|unprintable| unprintable.to_string())
    }

    /// The fastest schedules, followed by those that were proved and those that the search started
    /// with.
    pub(super) fn ranked(&self) -> Vec<Arc<Member>> {
        let mut ranked = self.members.clone();
        let mut others: Vec<&Arc<Member>> = self.proved.values().chain(&self.starts).collect();
        others.sort_by(|a, b| a.score.total_cmp(&b.score));
        for other in others {
            if !ranked.iter().any(|known| Arc::ptr_eq(known, other)) {
                ranked.push(Arc::clone(other));
            }
        }
        ranked
    }

    /// Tests whether this very schedule was proved.
    pub(super) fn is_proved(&self, member: &Arc<Member>) -> bool {
        self.proved.values().any(|known| Arc::ptr_eq(known, member))
    }

    /// Tests whether one of the schedules to start with is not proved.
    pub(super) fn is_unproved_start(&self, name: &str) -> bool {
        let named = |member: &&Arc<Member>| member.start.as_deref() == Some(name);
        self.starts.iter().find(named).is_some_and(|start| self.unproved.has(&start.directives))
    }
}

/// A schedule that is to be examined.
pub(super) fn candidate(directives: &[Directive]) -> Schedule {
    Schedule { name: "candidate".to_owned(), directives: directives.to_vec() }
}

/// The loops that a legal schedule makes, of funcs that the pool has.
pub(super) fn loops(
    known: &Pool,
    algorithm: &Algorithm,
    directives: &[Directive],
) -> Vec<StageLoops> {
    let mut pool = known.clone();
    let schedule = Schedule { name: String::new(), directives: directives.to_vec() };
    let Ok(transformed) = halidom_schedule::transform(&mut pool, algorithm, &schedule) else {
        return Vec::new();
    };
    let mut lowered = transformed.lower(&mut pool, algorithm);
    match halidom_schedule::apply(&mut pool, &mut lowered, &transformed.schedule) {
        Ok(()) => {
            let mut loops = stage_loops(&pool, &lowered);
            // Funcs of a rewritten algorithm have other ids but the same names, those that the
            // schedule makes too.
            let own = algorithm.funcs.iter().copied();
            let own: Vec<FuncId> = own.chain(directives.iter().map(|of| of.func)).collect();
            loops.retain_mut(|found| {
                let name = &pool.func(found.func).name;
                let same = own.iter().find(|own| known.func(**own).name == *name);
                found.func = same.copied().unwrap_or(found.func);
                same.is_some()
            });
            loops
        }
        Err(_) => Vec::new(),
    }
}
