//! Times the schedules that the model proposes.

use std::thread;
use std::time::{Duration, Instant};

use halidom_base::stack;

use super::batch;
use super::choose::choose;
use super::error::TuneError;
use super::polish::without_vectors;
use super::propose::{Proposal, Proposals, go_on, stream};
use super::search::{Search, candidate};

/// The number of proposals that are compiled before the best one is changed.
const FIRST: usize = 6;
/// The part of the budget in which the model proposes schedules, and a limit for that.
const PROPOSING: (f64, Duration) = (0.15, Duration::from_secs(8));
/// The time for proposals after which some are compiled during the search for others.
const SOON: Duration = Duration::from_millis(500);

/// A proposal that is compiled during the search for others.
#[derive(Clone, Copy)]
enum Early {
    /// One that compiles fast.
    Simplest,
    /// The best so far.
    Best,
}

impl Search {
    /// Times the schedules that the model proposes. If there are many stages, the search for
    /// proposals takes seconds, so some are compiled during it.
    pub(super) fn proposals(
        &mut self,
        deadline: Instant,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), TuneError> {
        let left = deadline.saturating_duration_since(Instant::now());
        let limit = left.mul_f64(PROPOSING.0).min(PROPOSING.1);
        let mut so_far = Proposals::default();
        self.propose(&mut so_far, &mut |took| took > SOON.min(limit));
        let mut choice = Early::Simplest;
        while !so_far.is_done && so_far.took < limit && Instant::now() < deadline {
            self.early(&mut so_far, choice, limit, deadline, progress)?;
            choice = Early::Best;
        }
        let Some(model) = &self.model else { return Ok(()) };
        stream((&mut self.loaded.module.pool, &self.facts, model), &mut so_far);
        let all = so_far.all();
        let (count, took) = (so_far.estimated, so_far.took);
        let rate = count as f64 / took.as_secs_f64().max(1e-9);
        let least = all.first().map_or(0.0, |proposal| proposal.estimate / 1e6);
        progress(&format!(
            "estimated {count} schedules, {rate:.0} a second; the lowest estimate is {least:.3} ms"
        ));
        self.estimated = Some((count, took));
        let mut chosen = choose(&self.facts, all);
        if let Some(plainest) = so_far.plainest() {
            let at = chosen.len().min(1);
            chosen.insert(at, without_vectors(&plainest.directives));
        }
        self.waiting = chosen.split_off(chosen.len().min(FIRST)).into();
        self.candidates(chosen, deadline, progress)?;
        Ok(())
    }

    /// Goes on with the search for proposals, if there is a model.
    fn propose(&mut self, so_far: &mut Proposals, is_enough: &mut dyn FnMut(Duration) -> bool) {
        match &self.model {
            Some(model) => {
                go_on((&mut self.loaded.module.pool, &self.facts, model), so_far, is_enough);
            }
            None => so_far.is_done = true,
        }
    }

    /// Compiles a proposal while the search for others goes on, and times it.
    fn early(
        &mut self,
        so_far: &mut Proposals,
        choice: Early,
        limit: Duration,
        deadline: Instant,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), TuneError> {
        // The best that was not tried before.
        const MOST: usize = 12;
        let chosen: Vec<Proposal> = match choice {
            Early::Simplest => so_far.simplest().into_iter().collect(),
            Early::Best => so_far.all().into_iter().take(MOST).collect(),
        };
        let mut new =
            chosen.into_iter().filter_map(|of| self.made_ready(vec![of.directives]).pop());
        let Some(directives) = new.next() else {
            // All that was found so far was tried.
            let until = so_far.took + SOON;
            self.propose(so_far, &mut |took| took > until.min(limit));
            return Ok(());
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let (loaded, pipeline) = (self.loaded.clone(), self.pipeline);
        let (compiler, language) = (self.toolchain.clone(), self.halide);
        let (schedules, time) = (vec![candidate(&directives)], self.longest_compile().min(left));
        let work = move || {
            stack::whole(|| batch::build(&loaded, pipeline, schedules, (&compiler, language), time))
        };
        let Ok(thread) = thread::Builder::new().spawn(work) else { return Ok(()) };
        self.propose(so_far, &mut |took| took > limit || thread.is_finished());
        let Ok((built, late)) = thread.join() else { return Ok(()) };
        self.abandoned.extend(late);
        for built in built {
            self.candidate(&directives, built, deadline, progress)?;
        }
        Ok(())
    }
}
