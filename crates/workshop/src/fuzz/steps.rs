//! Application of a schedule directive by directive: FS's T₀ … Tₙ (Fig. 4). Each step is completed
//! by the bounds engine and at random, and run (Theorems 3.4 and 3.5, Lemmas 7.2, 7.3 and 8.1).

use halidom_ir::verify::{self, Phase};
use halidom_ir::{Action, Algorithm, Directive, Pool, Program, Schedule};
use halidom_schedule::{
    Engine, Lowered, Oracle, ScheduleError, apply_with, complete, complete_at_random,
    transform_with,
};
use halidom_testgen::Random;

use super::disagreement::{Kind, Wrong};
use super::figures::{Figures, Part, Spent};
use super::runs::{Ended, interpreted};
use super::subject::Known;

/// The solver's step limit for a query on a directive's legality: about half a second.
pub(super) const LEGALITY_STEPS: u64 = 1_000_000;

/// The last legal step.
pub(super) struct Last {
    pub(super) pool: Pool,
    pub(super) structured: Program,
    /// The algorithm after each rewriting that the schedule asks for.
    pub(super) rewritten: Vec<Algorithm>,
    /// Its directives.
    pub(super) schedule: Schedule,
    /// True if it is the whole schedule.
    pub(super) is_whole: bool,
}

/// The context in which steps are tried.
pub(super) struct Steps<'a> {
    pub(super) pool: &'a Pool,
    pub(super) algorithm: &'a Algorithm,
    pub(super) known: &'a [Known],
    pub(super) seed: u64,
    /// The number of random completions of each step.
    pub(super) completions: usize,
}

impl Steps<'_> {
    /// Examines every step and returns the last legal one. As long as the whole schedule is
    /// illegal, the first refused directive is removed. `oracle` decides legality.
    pub(super) fn examine(
        &self,
        schedule: &Schedule,
        oracle: &mut Oracle,
        figures: &mut Figures,
        spent: &mut Spent,
    ) -> Result<Option<Last>, Wrong> {
        let mut schedule = schedule.clone();
        let mut is_whole = true;
        while let Err(errors) = spent.on(Part::Directives, || self.compiled(oracle, &schedule)) {
            told(&errors)?;
            let at_fault = errors.iter().find_map(|error| error.origin);
            // If a bound cannot be inferred, no directive is at fault; drop the last one.
            let last = || schedule.directives.last().map(|directive| directive.origin);
            let Some(origin) = at_fault.or_else(last) else { return Ok(None) };
            let before = schedule.clone();
            leave_out(&mut schedule.directives, origin);
            if schedule == before && schedule.directives.pop().is_none() {
                return Ok(None);
            }
            is_whole = false;
            figures.directives_refused += 1;
        }
        let unscheduled = Schedule { name: schedule.name.clone(), directives: Vec::new() };
        let mut last = self.one(0, &unscheduled, oracle, figures, spent)?;
        for (number, step) in halidom_schedule::steps(&schedule).into_iter().enumerate() {
            // A step may be illegal until a later directive follows.
            let legal = self.one(number + 1, &step.schedule, oracle, figures, spent)?;
            last = legal.or(last);
        }
        Ok(last.map(|last| Last { is_whole, ..last }))
    }

    /// Tests whether a schedule is legal.
    fn compiled(&self, oracle: &mut Oracle, schedule: &Schedule) -> Result<(), Vec<ScheduleError>> {
        let mut pool = self.pool.clone();
        let lowered = self.applied(oracle, &mut pool, schedule)?.1;
        complete(&mut pool, &lowered, Engine::Default).map(drop)
    }

    /// Returns the rewritten algorithms, and the last one with the schedule applied.
    fn applied(
        &self,
        oracle: &mut Oracle,
        pool: &mut Pool,
        schedule: &Schedule,
    ) -> Result<(Vec<Algorithm>, Lowered), Vec<ScheduleError>> {
        let transformed = transform_with(oracle, pool, self.algorithm, schedule)?;
        let mut lowered = transformed.lower(pool, self.algorithm);
        apply_with(oracle, pool, &mut lowered, &transformed.schedule)?;
        Ok((transformed.steps, lowered))
    }

    /// Examines a step, if it is legal.
    fn one(
        &self,
        number: usize,
        schedule: &Schedule,
        oracle: &mut Oracle,
        figures: &mut Figures,
        spent: &mut Spent,
    ) -> Result<Option<Last>, Wrong> {
        let Some((pool, structured, rewritten)) =
            self.step(number, schedule, oracle, figures, spent)?
        else {
            figures.steps_refused += 1;
            return Ok(None);
        };
        figures.steps += 1;
        let schedule = schedule.clone();
        Ok(Some(Last { pool, structured, rewritten, schedule, is_whole: false }))
    }

    /// Runs one step under the engine's completion, which is returned, and under random ones.
    fn step(
        &self,
        number: usize,
        schedule: &Schedule,
        oracle: &mut Oracle,
        figures: &mut Figures,
        spent: &mut Spent,
    ) -> Result<Option<(Pool, Program, Vec<Algorithm>)>, Wrong> {
        let mut pool = self.pool.clone();
        let applied = spent.on(Part::Directives, || self.applied(oracle, &mut pool, schedule));
        let (rewritten, lowered) = match applied {
            Ok(applied) => applied,
            Err(errors) => return told(&errors).map(|()| None),
        };
        let program = spent.on(Part::Bounds, || complete(&mut pool, &lowered, Engine::Default));
        let program = match program {
            Ok(program) => program,
            Err(errors) => return told(&errors).map(|()| None),
        };
        well_formed(&pool, &program)?;
        figures.completions += 1;
        // Successive steps take the cases in turn. The last step runs on all of them, also in its
        // final form.
        let known = self.known.get(number % self.known.len().max(1));
        let algorithm = rewritten.last().unwrap_or(self.algorithm);
        self.run((&pool, algorithm), &program, known, Kind::Step, figures, spent)?;
        for completion in 0..self.completions {
            self.at_random((&pool, algorithm), &lowered, (number, completion), figures, spent)?;
        }
        Ok(Some((pool, program, rewritten)))
    }

    fn at_random(
        &self,
        (pool, algorithm): (&Pool, &Algorithm),
        lowered: &Lowered,
        (number, completion): (usize, usize),
        figures: &mut Figures,
        spent: &mut Spent,
    ) -> Result<(), Wrong> {
        let mut pool = pool.clone();
        let stream = (number as u64) << 8 | completion as u64;
        let mut random = Random::new(self.seed ^ stream.wrapping_mul(0x9fb2_1c65_1e98_df25));
        let mut choose = |bound: u32| random.below(bound as usize) as u32;
        let program =
            spent.on(Part::Bounds, || complete_at_random(&mut pool, lowered, &mut choose));
        // A larger region may have no bound, or may make a loop's extent non-constant.
        let Ok(program) = program else { return Ok(()) };
        well_formed(&pool, &program)?;
        figures.completions += 1;
        figures.random_completions += 1;
        let known = self.known.get((number + completion) % self.known.len().max(1));
        self.run((&pool, algorithm), &program, known, Kind::RandomCompletion, figures, spent)
    }

    fn run(
        &self,
        (pool, algorithm): (&Pool, &Algorithm),
        program: &Program,
        known: Option<&Known>,
        kind: Kind,
        figures: &mut Figures,
        spent: &mut Spent,
    ) -> Result<(), Wrong> {
        let Some(known) = known else { return Ok(()) };
        let ended = spent.on(Part::Interpreter, || {
            interpreted(pool, algorithm, program, known, self.seed, kind)
        })?;
        figures.runs += u64::from(matches!(ended, Ended::Same | Ended::Reordered));
        figures.runs_reordered += u64::from(ended == Ended::Reordered);
        figures.runs_refused += u64::from(ended == Ended::Refused);
        Ok(())
    }
}

/// Removes the directive with this number.
fn leave_out(directives: &mut Vec<Directive>, origin: usize) {
    directives.retain(|directive| directive.origin != origin);
    for directive in directives {
        if let Action::Specialize { directives, .. } = &mut directive.action {
            leave_out(directives, origin);
        }
    }
}

fn well_formed(pool: &Pool, program: &Program) -> Result<(), Wrong> {
    verify::program(pool, program, Phase::Structured).map_err(|violations| {
        let told: Vec<String> = violations.iter().map(ToString::to_string).collect();
        Wrong::of(Kind::Malformed, told.join("\n"))
    })
}

/// Checks that a refusal has a reason and a hint.
fn told(errors: &[ScheduleError]) -> Result<(), Wrong> {
    let is_told = |error: &ScheduleError| !error.message.is_empty() && !error.hint.is_empty();
    if !errors.is_empty() && errors.iter().all(is_told) {
        Ok(())
    } else {
        Err(Wrong::of(Kind::Refusal, format!("a step is refused without a reason: {errors:?}")))
    }
}
