//! Changes that affect only the speed of loops: the distribution of iterations to threads, and
//! prefetching.

use std::num::NonZeroU32;

use halidom_base::IndexSet;
use halidom_ir::{Action, Deal, Directive, Expr, FuncId, LoopKind};

use super::facts::Placement;
use super::moves::{Mover, insert, is_open};
use super::seeds::directive;

impl Mover<'_> {
    /// Changes the distribution of a parallel loop's iterations to threads.
    pub(super) fn deal(&mut self, directives: &mut [Directive]) -> Option<()> {
        let parallel: Vec<usize> = (0..directives.len())
            .filter(|number| {
                let action = &directives[*number].action;
                matches!(action, Action::Traverse { kind: LoopKind::Parallel(_), .. })
            })
            .collect();
        let number = self.pick(&parallel)?;
        let chunk = NonZeroU32::new(self.pick(&[1, 1, 2, 4, 8])?)?;
        let new = match self.random.below(5) {
            0 => Deal::Auto,
            1 => Deal::STATIC,
            2 => Deal::STATIC.with_chunk(chunk),
            _ => Deal::DYNAMIC.with_chunk(chunk),
        };
        if let Action::Traverse { kind, .. } = &mut directives[number].action {
            *kind = LoopKind::Parallel(new);
        }
        Some(())
    }

    /// Adds a prefetch to a loop, changes its distance, or removes it.
    pub(super) fn fetch(&mut self, directives: &mut Vec<Directive>) -> Option<()> {
        let ahead = self.pick(&[1, 1, 2, 2, 4, 8])?;
        let present: Vec<usize> = (0..directives.len())
            .filter(|number| matches!(directives[*number].action, Action::Prefetch { .. }))
            .collect();
        if let Some(number) = self.pick(&present)
            && self.random.chance(60)
        {
            if self.random.chance(50) {
                directives.remove(number);
            } else if let Action::Prefetch { ahead: old, .. } = &mut directives[number].action {
                *old = ahead;
            }
            return Some(());
        }
        let (func, stage) = self.stage(directives)?;
        let read = self.read_within(directives, func.id, stage);
        let read = self.pick(&read)?;
        let at = self.one_loop(func.id, stage, is_open)?;
        let action = Action::Prefetch { func: read, var: at.name, ahead };
        insert(directives, directive(func.id, stage, action));
        Some(())
    }

    /// The funcs and inputs that the loops of a stage read from memory that is not produced there.
    /// This includes reads by funcs that are inline or computed at these loops.
    fn read_within(&self, directives: &[Directive], func: FuncId, stage: usize) -> Vec<FuncId> {
        let is_within = |other: FuncId| match self.facts.placement(directives, other) {
            Placement::Inline | Placement::Root => false,
            Placement::At(level) => level.func == func,
        };
        let within = self.facts.funcs.iter().map(|found| found.id).filter(|id| is_within(*id));
        let mut open: Vec<(FuncId, Option<usize>)> = vec![(func, Some(stage))];
        open.extend(within.map(|id| (id, None)));
        let mut seen: IndexSet<FuncId> = open.iter().map(|(id, _)| *id).collect();
        let mut read = IndexSet::default();
        while let Some((reader, only)) = open.pop() {
            let stages = self.pool.func(reader).stages().iter().enumerate();
            let stages = stages.filter(|(number, _)| only.is_none_or(|only| only == *number));
            for root in stages.flat_map(|(_, stage)| stage.roots()) {
                self.pool.for_each_subexpr(root, &mut |_, expr| {
                    let Expr::Ref { func: found, .. } = expr else { return };
                    if !seen.insert(*found) {
                        return;
                    }
                    let is_func = self.facts.func(*found).is_some();
                    if is_func && self.facts.placement(directives, *found) == Placement::Inline {
                        open.push((*found, None));
                    } else {
                        read.insert(*found);
                    }
                });
            }
        }
        read.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use halidom_base::FxHashSet;
    use halidom_codegen::{Target, Toolchain};
    use halidom_ir::{Action, Deal, LoopKind, Schedule};
    use halidom_testgen::Random;
    use halidom_verdict::Verdict;

    use super::super::facts::Facts;
    use super::super::form::{Failure, compile};
    use super::super::moves::{Mover, changed};
    use super::super::search::loops;
    use super::super::seeds::directive;
    use halidom_driver::judge;
    use halidom_driver::source::{self, Choice, Loaded};

    const TEXT: &str = "\
pipeline p(input: buffer<u16, 2>) -> output: buffer<u16, 2> {
    func rows(x, y) = input(x, y) + input(x + 1, y);
    func output(x, y) = rows(x, y) + rows(x, y + 1);
}
schedule strips for p {
    output.split(y, yo, yi, 16, tail: guard).parallel(yo);
    rows.compute_at(output, yo);
}
";

    fn compiled(loaded: &Loaded, schedule: Schedule) -> Result<Verdict, Failure> {
        let toolchain = Toolchain::find().unwrap();
        let built = compile(loaded.clone(), 0, Some(schedule), &toolchain)?;
        let options = judge::Options::find().unwrap();
        Ok(built.judged(&options))
    }

    #[test]
    fn loops_are_dealt_and_memory_fetched_and_read_in_many_ways() {
        let mut loaded = source::parse("p.hal", TEXT);
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let facts = Facts::of(&loaded.module.pool, &algorithm, &Target::host());
        let start = loaded.schedule_of(&Choice { pipeline: 0, schedule: Some(0) }).directives;
        let mut random = Random::new(7);
        let (mut deals, mut fetches) = (FxHashSet::default(), FxHashSet::default());
        let (mut of_dealt, mut of_fetching, mut of_realigned) =
            (Vec::new(), Vec::new(), Vec::new());
        let found = loops(&loaded.module.pool, &algorithm, &start);
        for _ in 0..2000 {
            let pool = &mut loaded.module.pool;
            let mut mover = Mover { pool, facts: &facts, loops: &found, random: &mut random };
            let directives = changed(&mut mover, &start);
            for found in &directives {
                if let Action::Traverse { kind: LoopKind::Parallel(deal), .. } = &found.action
                    && *deal != Deal::Auto
                {
                    deals.insert(*deal);
                    of_dealt.push(directives.clone());
                }
                if let Action::Prefetch { func, var, ahead } = &found.action {
                    fetches.insert((found.func, *func, var.clone(), *ahead));
                    of_fetching.push(directives.clone());
                }
                if found.action == Action::Realign {
                    of_realigned.push(directives.clone());
                }
            }
        }
        assert!(deals.len() >= 6, "{deals:?}");
        let input = algorithm.inputs[0];
        let rows = algorithm.funcs[0];
        assert!(
            fetches.iter().any(|(by, read, var, _)| *by == rows && *read == input && var == "y")
        );
        assert!(fetches.iter().any(|(by, read, ..)| *by == algorithm.outputs[0] && *read == input));
        assert!(fetches.iter().all(|(_, read, ..)| [input, rows].contains(read)));
        for drawn in [of_dealt, of_fetching, of_realigned] {
            let mut legal = drawn.into_iter().filter_map(|directives| {
                compiled(&loaded, Schedule { name: "drawn".to_owned(), directives }).ok()
            });
            assert!(legal.next().is_some_and(|verdict| verdict.is_proved()));
        }
    }

    /// Invalid prefetches are refused like any other directive: nothing within the loop reads the
    /// fetched data, or each iteration produces it.
    #[test]
    fn what_cannot_be_fetched_is_refused() {
        let loaded = source::parse("p.hal", TEXT);
        let algorithm = &loaded.module.pipelines[0].algorithm;
        let start = loaded.schedule_of(&Choice { pipeline: 0, schedule: Some(0) }).directives;
        let (input, rows, output) = (algorithm.inputs[0], algorithm.funcs[0], algorithm.outputs[0]);
        for (by, read, var, is_legal) in
            [(output, input, "yo", true), (output, input, "yi", false), (output, rows, "yo", false)]
        {
            let mut directives = start.clone();
            let action = Action::Prefetch { func: read, var: var.to_owned(), ahead: 1 };
            directives.push(directive(by, 0, action));
            match compiled(&loaded, Schedule { name: "given".to_owned(), directives }) {
                Ok(verdict) => assert!(is_legal && verdict.is_proved()),
                Err(failure) => {
                    let Failure::Refused(diagnostics) = failure else { panic!("{var}") };
                    assert!(!is_legal);
                    assert_eq!(diagnostics[0].code.0, "HAL0630");
                }
            }
        }
    }
}
