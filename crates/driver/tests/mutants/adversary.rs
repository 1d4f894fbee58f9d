//! Wrong programs whose annotations are changed repeatedly, as long as fewer obligations stay open:
//! none becomes proved.

use halidom_ir::Pool;
use halidom_ir::Program;
use halidom_ir::verify::{self, Phase};
use halidom_testgen::{MutantKind, Random, mutants};
use halidom_validate::Verdict;

use crate::inputs::observe;
use crate::judge::Judge;

/// The largest number of simultaneous changes.
const AT_ONCE: usize = 3;

/// The results of an adversary.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempts {
    /// The number of wrong programs to start with.
    pub(crate) programs: usize,
    /// The number of changed annotations that were tried.
    pub(crate) tried: usize,
    /// The number of changes that left fewer obligations open.
    pub(crate) better: usize,
    /// The number of changes that left only one obligation open.
    pub(crate) closest: usize,
}

impl Attempts {
    pub(crate) fn add(&mut self, other: Self) {
        self.programs += other.programs;
        self.tried += other.tried;
        self.better += other.better;
        self.closest += other.closest;
    }
}

/// Takes up to `wrong` wrong mutants of a program and tries up to `tries` changes of the
/// annotations of each, always from the best so far. Returns descriptions of the proved ones.
pub(crate) fn attack(judge: &Judge<'_>, wrong: usize, tries: usize) -> (Attempts, Vec<String>) {
    let mut attempts = Attempts::default();
    let mut proved = Vec::new();
    let mut options = crate::judge::limits();
    // Only obligations matter here.
    options.search.trials = 0;
    let kinds = [
        MutantKind::LoadRedirected,
        MutantKind::StoreRedirected,
        MutantKind::LoopBoundChanged,
        MutantKind::StoreMissing,
        MutantKind::StatementsSwapped,
        MutantKind::FoldChanged,
        MutantKind::WindowChanged,
        MutantKind::ConstantChanged,
    ];
    let (mut pool, made) = judge.final_mutants(&kinds, 4 * wrong);
    let mut random = Random::new(made.len() as u64);
    for mutant in made {
        if attempts.programs == wrong {
            break;
        }
        let Err(observed) = observe(&pool, &mutant.program, &judge.inputs, judge.equality) else {
            continue;
        };
        let open = |pool: &Pool, program: &Program| {
            let report = judge.validated(pool, program, &options);
            (report.open().count(), report.verdict == Verdict::Proved)
        };
        attempts.programs += 1;
        let mut best = mutant.program.clone();
        let (mut fewest, _) = open(&pool, &best);
        let mut changes = Vec::new();
        for _ in 0..tries {
            let mut candidate = best.clone();
            let mut made = Vec::new();
            for _ in 0..=random.below(AT_ONCE) {
                let seed = random.bits();
                let kinds = MutantKind::ANNOTATIONS;
                let Some(next) = mutants(&mut pool, &candidate, kinds, seed, 1).pop() else {
                    break;
                };
                candidate = next.program;
                made.push(next.description);
            }
            if verify::program(&pool, &candidate, Phase::Final).is_err() {
                continue;
            }
            attempts.tried += 1;
            let (count, is_proved) = open(&pool, &candidate);
            attempts.closest += usize::from(count == 1);
            if is_proved {
                let name = &judge.original.name;
                let changes = [changes.clone(), made.clone()].concat().join("; ");
                proved.push(format!("{name}: {}: {changes}: {observed}\n", mutant.description));
            }
            if count < fewest {
                attempts.better += 1;
                fewest = count;
                best = candidate;
                changes.extend(made);
            }
        }
    }
    (attempts, proved)
}
