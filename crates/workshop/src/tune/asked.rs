//! Proofs during the search: a schedule that cannot be proved is no winner, and should not lead the
//! search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_ir::Directive;
use halidom_verdict::Verdict;

use super::choose::places;
use super::counts::Rejection;
use super::error::TuneError;
use super::form::Form;
use super::options::Options;
use super::propose::canonical;
use super::race::Best;
use super::search::{COMPILE, Member, Search};

/// Proofs take at most one part in so many of the time, but for one.
const PART: u32 = 3;

/// The number of slower schedules that are timed again if the best one is not proved.
const AGAIN: usize = 6;

impl Search {
    /// Asks for the proof of the best schedule, unless one that differs in numbers only was proved
    /// before, or proofs have taken long. If it is not proved, drops it, or all that differ from it
    /// in numbers only, and goes on with the next best. Returns the elapsed time.
    pub(super) fn ask(
        &mut self,
        options: &Options,
        deadline: Instant,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Duration, TuneError> {
        let mut took = Duration::ZERO;
        // Stock Halide compiles a script once more for its proof, which would take too long here.
        while self.halide.is_none()
            && let Some(first) = self.members.first().map(Arc::clone)
            && PART * self.judged_in <= self.begun.elapsed()
        {
            let kind = places(&self.facts, &first.directives);
            if self.proved.contains_key(&kind) {
                break;
            }
            progress("asking for a proof of the best schedule so far");
            let begin = Instant::now();
            // A schedule to start with is judged as long as it takes, as at the end.
            let until = if first.start.is_none() { options.end_of_proofs() } else { None };
            let verdict = first.built.judged(&options.judge_until(until));
            let spent = begin.elapsed();
            took += spent;
            self.judged_in += spent;
            match &verdict {
                Verdict::Proved(_) => {
                    self.proved.insert(kind, first);
                    break;
                }
                Verdict::Refuted(refuted) => {
                    let how = format!("the validator refutes it: {}", refuted.first());
                    let text = self.text_of(&first.directives);
                    return Err(TuneError::Wrong { text, how });
                }
                Verdict::Unknown(_) | Verdict::Nothing(_) => {
                    let text = self.text_of(&first.directives);
                    progress(&format!("not proved: {}\n{text}", verdict.sentence()));
                    self.counts.reject(Rejection::NotProved);
                    self.unproved.add(&self.facts, &first.directives, verdict);
                    self.go_on_without(deadline + took, progress)?;
                }
            }
        }
        Ok(took)
    }

    /// Tests whether a schedule is like several that are not proved, or one of them.
    pub(super) fn is_like_unproved(&self, directives: &[Directive]) -> bool {
        self.unproved.has_like(&self.facts, directives)
    }

    /// Drops the schedules that are like the unproved ones, but of those that the search started
    /// with only unproved ones, and none that was proved. If the best one is among them, the
    /// fastest of the others takes its place, and the fastest of the slower ones are timed again.
    pub(super) fn go_on_without(
        &mut self,
        mut deadline: Instant,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), TuneError> {
        let others = std::mem::take(&mut self.members)
            .into_iter()
            .filter(|member| member.start.is_none() && !self.is_like_unproved(&member.directives));
        let mut members: Vec<Arc<Member>> = self.proved.values().cloned().collect();
        members.extend(others.filter(|member| !self.is_proved(member)));
        for start in &self.starts {
            if !self.unproved.has(&start.directives) && !self.is_proved(start) {
                members.push(Arc::clone(start));
            }
        }
        members.sort_by(|a, b| a.score.total_cmp(&b.score));
        self.best = members.first().and_then(|member| self.placed(member));
        self.members = members;
        self.mark_lead();
        let again = std::mem::take(&mut self.slower).fastest();
        let again: Vec<Vec<Directive>> =
            again.filter(|directives| !self.is_like_unproved(directives)).take(AGAIN).collect();
        if self.members.is_empty() {
            // Without any schedule the whole search would be in vain.
            deadline = deadline.max(Instant::now() + COMPILE.1);
        }
        for directives in &again {
            self.seen.remove(&canonical(directives));
        }
        self.candidates(again, deadline, progress)?;
        Ok(())
    }

    /// Puts a schedule that has run before in the place of the best one.
    fn placed(&mut self, member: &Member) -> Option<Best> {
        let built = Arc::clone(&member.built);
        match Form::start(move || Ok(built), &self.prepared, COMPILE.1) {
            Ok(form) => {
                let form = form.with_threads(self.threads);
                Some(Best { form, score: member.score, pace: member.pace })
            }
            Err((_, thread)) => {
                self.abandoned.extend(thread);
                None
            }
        }
    }
}
