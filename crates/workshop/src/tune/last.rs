//! The last races of a search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Row;
use super::error::TuneError;
use super::form::{Failure, Form, all_ended, words};
use super::race::{ROUNDS, median, repeats};
use super::search::{COMPILE, LONG_RUN, Last, MOST_ROUNDS, Member, Search};

/// The number of the fastest schedules that race once more.
const FINALISTS: usize = 4;
/// The most rounds of this race.
const TURNS: usize = 15;

impl Search {
    /// Times the fastest schedules in turn, and puts them in the order of their median times. Each
    /// of them became the best, or came near it, in a race of its own.
    pub(super) fn rank_again(&mut self, limit: Duration) {
        // Forms that stay in place would take memory.
        self.best = None;
        let end = Instant::now() + limit;
        let count = self.members.len().min(FINALISTS);
        let mut placed: Vec<(Arc<Member>, Form, Vec<Duration>)> = Vec::new();
        for member in &self.members[..count] {
            let built = Arc::clone(&member.built);
            if member.pace > LONG_RUN || !all_ended(&mut self.abandoned, end) {
                return;
            }
            match Form::start(move || Ok(built), &self.prepared, COMPILE.1) {
                Ok(form) => {
                    let form = form.with_threads(self.threads);
                    placed.push((Arc::clone(member), form, Vec::new()));
                }
                Err((_, thread)) => {
                    self.abandoned.extend(thread);
                    return;
                }
            }
        }
        for turn in 0..=TURNS {
            if turn > ROUNDS.0 && Instant::now() >= end {
                break;
            }
            for step in 0..count {
                let (member, form, times) = &mut placed[(turn + step) % count];
                let runs = repeats(member.pace);
                let Ok(took) = form.run(runs, 10 * (limit + COMPILE.1)) else { return };
                // The first turn is for warming up.
                if turn > 0 {
                    times.push(took);
                }
            }
        }
        let mut ranked: Vec<(Duration, Arc<Member>)> =
            placed.into_iter().map(|(member, _, times)| (median(times), member)).collect();
        ranked.sort_by_key(|(time, _)| *time);
        for (place, (_, member)) in self.members.iter_mut().zip(ranked) {
            *place = member;
        }
    }

    /// Times the schedules to start with once more, together with a winner, which comes last.
    /// Returns `None` if the winner is slower than one of them that may be proved.
    pub(super) fn last_times(
        &mut self,
        winner: &Last,
        limit: Duration,
    ) -> Result<Option<Vec<Row>>, TuneError> {
        // Forms that stay in place would take memory.
        self.best = None;
        let far = Instant::now() + limit + self.longest_compile();
        let start = |name: &str, failure: &Failure| TuneError::Start {
            schedule: name.to_owned(),
            reason: words(failure),
        };
        if !all_ended(&mut self.abandoned, far) {
            return Err(start(&winner.name, &Failure::SlowToRun));
        }
        let mut forms = Vec::new();
        let others =
            self.starts.iter().filter(|member| member.start.as_ref() != Some(&winner.name));
        for member in others {
            let name = member.start.clone().unwrap_or_default();
            let known = Some(member.pace);
            forms.push((name, Arc::clone(&member.built), Arc::clone(&self.prepared), known));
        }
        let prepared = winner.prepared.clone().unwrap_or_else(|| Arc::clone(&self.prepared));
        forms.push((winner.name.clone(), Arc::clone(&winner.built), prepared, None));
        let mut placed = Vec::new();
        let share = limit / u32::try_from(forms.len()).unwrap_or(1);
        for (name, built, prepared, known) in forms {
            // The one time of a form that takes long says enough.
            let is_long = |took: &Duration| *took > LONG_RUN.max(share / 5);
            if let Some(took) = known.filter(is_long) {
                placed.push((name, None, 0, vec![took]));
                continue;
            }
            let fails = |failure: Failure| start(&name, &failure);
            let made = Form::start(move || Ok(built), &prepared, COMPILE.1);
            let form = made.map_err(|(failure, _)| fails(failure))?;
            let mut form = form.with_threads(self.threads);
            let once = form.run(1, far.saturating_duration_since(Instant::now())).map_err(fails)?;
            if !form.agrees(&self.expected).map_err(fails)? {
                let how = "its outputs are not those of the unscheduled form".to_owned();
                return Err(TuneError::Wrong { text: winner.text.clone(), how });
            }
            let fit = share.as_nanos() / once.as_nanos().max(1);
            let rounds = usize::try_from(fit).unwrap_or(usize::MAX).clamp(ROUNDS.0, MOST_ROUNDS);
            placed.push((name, Some((form, repeats(once))), rounds, Vec::new()));
        }
        let count = placed.len();
        for turn in 0..=MOST_ROUNDS {
            for step in 0..count {
                let (name, form, rounds, times) = &mut placed[(turn + step) % count];
                let Some((form, runs)) = form.as_mut().filter(|_| turn <= *rounds) else {
                    continue;
                };
                let took = form.run(*runs, 10 * (limit + COMPILE.1));
                let took = took.map_err(|failure| start(name, &failure))?;
                // The first turn is for warming up.
                if turn > 0 {
                    times.push(took);
                }
            }
        }
        let rows: Vec<Row> = placed
            .into_iter()
            .map(|(schedule, _, _, mut times)| {
                times.sort_unstable();
                let most = times[(times.len() * 9 / 10).min(times.len() - 1)];
                Row { schedule, median: times[times.len() / 2], least: times[0], most }
            })
            .collect();
        let is_fastest = rows.split_last().is_some_and(|(last, others)| {
            let mut rivals = others.iter().filter(|row| !self.is_unproved_start(&row.schedule));
            rivals.all(|row| last.median < row.median)
        });
        Ok((is_fastest || !winner.is_new).then_some(rows))
    }
}
