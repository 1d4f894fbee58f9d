//! The validator's verdict on each mutant, compared with runs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_driver::compile::{Finished, finish};
use halidom_interp::machine;
use halidom_ir::verify::{self, Phase};
use halidom_ir::visit::for_each_stmt;
use halidom_ir::{Pool, Program, Stmt, StmtId};
use halidom_testgen::{Mutant, MutantKind, mutants, specification_mutants};
use halidom_validate::{Floats, Kind, Options, Report, Search, Verdict, validate_refined};

use crate::common;
use crate::inputs::{Equality, Input, RUNS, inputs, observe, observe_against, options};
use crate::programs::Original;

/// The part that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    Final,
    Lowering,
    Specification,
    Annotations,
}

impl Family {
    pub(crate) const ALL: [Self; 4] =
        [Self::Final, Self::Lowering, Self::Specification, Self::Annotations];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Final => "final program",
            Self::Lowering => "lowering",
            Self::Specification => "specification",
            Self::Annotations => "annotations",
        }
    }

    /// The number of mutants of this family among the given number of a program's mutants.
    fn share(self, mutants: usize) -> usize {
        match self {
            Self::Final => mutants.div_ceil(3),
            Self::Lowering => mutants.div_ceil(3),
            Self::Specification => mutants.div_ceil(5),
            Self::Annotations => mutants.div_ceil(8),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Judgement {
    Refuted,
    Unknown,
    Proved,
}

pub(crate) struct Outcome {
    /// The name of the original.
    pub(crate) name: String,
    pub(crate) family: Family,
    pub(crate) kind: &'static str,
    pub(crate) description: String,
    /// The evidence that it is wrong, from one of our runs or from the validator's.
    pub(crate) observed: Option<String>,
    pub(crate) judgement: Judgement,
    /// The kinds of its open obligations.
    pub(crate) open: BTreeSet<Kind>,
    /// A description of the open obligations.
    pub(crate) detail: String,
    /// The reason why it may be proved, if it is proved and no run shows it to be wrong.
    pub(crate) reason: Option<&'static str>,
    /// If only obligations of one kind are open, and this was tried: true if it is proved without
    /// that kind.
    pub(crate) proved_without: Option<bool>,
    /// The time of the runs and of the validation.
    pub(crate) seconds: (f64, f64),
}

/// The number of obligations from which fewer mutants of a program are made, and the divisor for
/// them.
const MANY: usize = 3000;
const FEWER: usize = 3;

/// The number of cases for trying to refute a program whose runs look right.
const FEW_TRIALS: usize = 8;

/// A program whose mutants are judged.
pub(crate) struct Judge<'a> {
    pub(crate) original: &'a Original,
    pub(crate) inputs: Arc<[Input]>,
    /// The equality that a right program's runs must satisfy.
    pub(crate) equality: Equality,
    report: Report,
    options: Options,
    seed: u64,
}

/// A number that is derived from a name.
pub(crate) fn seed(name: &str) -> u64 {
    name.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

/// The options for validating mutants.
pub(crate) fn limits() -> Options {
    let mut options = common::options();
    options.search = Search { time: Duration::from_secs(3), ..Search::default() };
    options.strictness = Duration::ZERO;
    options
}

impl<'a> Judge<'a> {
    /// Validates the original, which must be proved, and runs it, which must not show a failure.
    /// Uses the shared inputs if it accepts enough of them, else others.
    pub(crate) fn new(original: &'a Original, shared: &Arc<[Input]>) -> Result<Self, String> {
        let Original { name, pool, algorithm, steps, program, .. } = original;
        let seed = seed(name);
        let mut options = limits();
        let report = validate_refined(&mut pool.clone(), algorithm, steps, program, &options);
        if report.verdict != Verdict::Proved {
            return Err(format!("{name} is not proved\n{}", common::open(&report)));
        }
        let equality = Equality::of(algorithm);
        let accepted = |inputs: &[Input]| {
            observe(pool, program, inputs, equality)
                .map_err(|observed| format!("{name}: {observed}\n"))
        };
        let mut own = Arc::clone(shared);
        if accepted(&own)? < RUNS {
            own = Arc::from(inputs(pool, algorithm, program, seed));
            let count = accepted(&own)?;
            if count < RUNS {
                return Err(format!("{name} accepts {count} of {} inputs\n", own.len()));
            }
        }
        options.asking.timeout = Duration::from_secs(4);
        Ok(Self { original, inputs: own, equality, report, options, seed })
    }

    /// The number of the original's obligations.
    pub(crate) fn obligations(&self) -> usize {
        self.report.obligations.len()
    }

    /// Tests whether the program is so large that fewer mutants of it are made.
    pub(crate) fn is_large(&self) -> bool {
        self.obligations() > MANY
    }

    /// Judges about `count` mutants of all families.
    pub(crate) fn outcomes(&self, count: usize) -> Vec<Outcome> {
        let count = if self.is_large() { count.div_ceil(FEWER) } else { count };
        let mut outcomes = self.of_final(Family::Final, MutantKind::FINAL, count);
        outcomes.extend(self.of_lowering(count));
        outcomes.extend(self.of_specification(count));
        outcomes.extend(self.of_final(Family::Annotations, MutantKind::ANNOTATIONS, count));
        outcomes
    }

    /// The well-formed mutants of the final program, with their pool.
    pub(crate) fn final_mutants(&self, kinds: &[MutantKind], count: usize) -> (Pool, Vec<Mutant>) {
        let mut pool = self.original.pool.clone();
        let mut made = mutants(&mut pool, &self.original.program, kinds, self.seed, count);
        made.retain(|mutant| verify::program(&pool, &mutant.program, Phase::Final).is_ok());
        (pool, made)
    }

    fn of_final(&self, family: Family, kinds: &[MutantKind], count: usize) -> Vec<Outcome> {
        let (mut pool, made) = self.final_mutants(kinds, family.share(count));
        let judged = made.into_iter().map(|mutant| {
            let look = |equality| observe(&pool, &mutant.program, &self.inputs, equality);
            let what = (family, mutant.kind.name(), mutant.description.clone());
            let mut outcome = self.judged(what, &pool, &mutant.program, &look);
            if outcome.judgement == Judgement::Proved && outcome.observed.is_none() {
                outcome.reason = Some(self.equivalent(&mut pool, &mutant));
            }
            outcome
        });
        judged.collect()
    }

    fn of_lowering(&self, count: usize) -> Vec<Outcome> {
        let Original { pool, structured, .. } = self.original;
        let mut pool = pool.clone();
        let count = Family::Lowering.share(count);
        let mut outcomes = Vec::new();
        for mutant in mutants(&mut pool, structured, MutantKind::LOWERING, self.seed, 2 * count) {
            if outcomes.len() == count {
                break;
            }
            // Some are not valid programs: an allocation's bound is unknown where it is needed, or
            // a vector's length is unknown.
            let Ok(()) = verify::program(&pool, &mutant.program, Phase::Structured) else {
                continue;
            };
            let Ok(Finished { program, .. }) =
                finish(&mut pool, &mutant.program, &mut |_, _, _| {})
            else {
                continue;
            };
            let look = |equality| observe(&pool, &program, &self.inputs, equality);
            let what = (Family::Lowering, mutant.kind.name(), mutant.description.clone());
            let mut outcome = self.judged(what, &pool, &program, &look);
            if outcome.judgement == Judgement::Proved && outcome.observed.is_none() {
                outcome.reason = Some(reason(mutant.kind));
            }
            outcomes.push(outcome);
        }
        outcomes
    }

    fn of_specification(&self, count: usize) -> Vec<Outcome> {
        let Original { pool, algorithm, program, .. } = self.original;
        let count = Family::Specification.share(count);
        let mut outcomes = Vec::new();
        for mutant in specification_mutants(pool, algorithm, self.seed, 2 * count) {
            if outcomes.len() == count {
                break;
            }
            if verify::algorithm(&mutant.pool, algorithm).is_err() {
                continue;
            }
            let against = (&mutant.pool, algorithm);
            let look = |equality| observe_against((pool, program), against, &self.inputs, equality);
            let what = (Family::Specification, mutant.kind.name(), mutant.description.clone());
            let mut outcome = self.judged(what, &mutant.pool, program, &look);
            if outcome.judgement == Judgement::Proved && outcome.observed.is_none() {
                outcome.reason = Some("where it differs nothing is needed");
            }
            outcomes.push(outcome);
        }
        outcomes
    }

    /// The validator's report on a program.
    pub(crate) fn validated(&self, pool: &Pool, program: &Program, options: &Options) -> Report {
        let Original { algorithm, steps, .. } = self.original;
        validate_refined(&mut pool.clone(), algorithm, steps, program, options)
    }

    fn judged(
        &self,
        (family, kind, description): (Family, &'static str, String),
        pool: &Pool,
        program: &Program,
        look: &dyn Fn(Equality) -> Result<usize, String>,
    ) -> Outcome {
        let begin = Instant::now();
        let mut observed = look(self.equality);
        let spent = begin.elapsed();
        let mut options = self.options.clone();
        if family == Family::Annotations {
            // Its runs agree with the original's. A few runs check that it is not refuted.
            options.search.trials = FEW_TRIALS;
        }
        let report = self.validated(pool, program, &options);
        let open: BTreeSet<Kind> = report.open().map(|obligation| obligation.kind).collect();
        let judgement = match &report.verdict {
            Verdict::Proved => Judgement::Proved,
            // The runs after a proof must not hide that the proof was wrong.
            Verdict::Refuted(_) if open.is_empty() => Judgement::Proved,
            Verdict::Refuted(_) => Judgement::Refuted,
            Verdict::Unknown(_) => Judgement::Unknown,
        };
        let refuted = match &report.verdict {
            Verdict::Refuted(found) => Some(format!("{}, not {}", found.got, found.expected)),
            Verdict::Proved | Verdict::Unknown(_) => None,
        };
        // A bitwise proof must hold bitwise.
        let is_of_bits = report.floats().0 == Floats::Bits;
        if judgement == Judgement::Proved && is_of_bits && self.equality != Equality::Bits {
            observed = observed.and_then(|_| look(Equality::Bits));
        }
        let observed = observed.err().or(refuted);
        let proved_without = match open.first() {
            Some(kind) if open.len() == 1 && observed.is_some() => {
                let mut options = self.options.clone();
                options.disable = vec![*kind];
                options.search.trials = 0;
                Some(self.validated(pool, program, &options).verdict == Verdict::Proved)
            }
            Some(_) | None => None,
        };
        Outcome {
            name: self.original.name.clone(),
            family,
            kind,
            description,
            observed,
            judgement,
            open,
            detail: common::open(&report),
            reason: None,
            proved_without,
            seconds: (spent.as_secs_f64(), report.time.as_secs_f64()),
        }
    }

    /// The reason why a mutant of the final program is equivalent, as far as runs and the validator
    /// show.
    fn equivalent(&self, pool: &mut Pool, mutant: &Mutant) -> &'static str {
        if MutantKind::ANNOTATIONS.contains(&mutant.kind) {
            return "annotations do not influence what runs";
        }
        if self.is_dead(pool, mutant.changed) {
            return "the changed statement never runs";
        }
        if let Some(probe) = mutant.probe(pool, &self.original.program)
            && self.passes(pool, &probe)
        {
            return if mutant.kind == MutantKind::GuardDropped {
                "the guard holds wherever it is reached"
            } else {
                "the changed expression has the same value wherever it is evaluated"
            };
        }
        reason(mutant.kind)
    }

    /// Tests whether a statement contains stores that, according to the validator, never run.
    fn is_dead(&self, pool: &Pool, stmt: StmtId) -> bool {
        let mut stores = Vec::new();
        stores_below(pool, stmt, &mut stores);
        !stores.is_empty() && stores.iter().all(|store| self.report.dead.contains(store))
    }

    /// Tests whether a probe passes in every run that the original completes.
    fn passes(&self, pool: &Pool, probe: &Program) -> bool {
        self.inputs.iter().enumerate().all(|(number, Input { case, .. })| {
            let options = options(case, number as u64, u64::MAX);
            let run =
                |program| machine::run(pool, program, &case.bindings, &case.windows, &options);
            run(probe).is_ok() || run(&self.original.program).is_err()
        })
    }
}

fn stores_below(pool: &Pool, stmt: StmtId, stores: &mut Vec<StmtId>) {
    for_each_stmt(pool, stmt, &mut |id, stmt| {
        if matches!(stmt, Stmt::Store { .. }) {
            stores.push(id);
        }
    });
}

/// The reason why a change of this kind may be harmless.
fn reason(kind: MutantKind) -> &'static str {
    match kind {
        MutantKind::LoopMadeParallel
        | MutantKind::StatementsSwapped
        | MutantKind::LoopsSwapped
        | MutantKind::AtomicDropped => "what changes its order does not depend on each other",
        MutantKind::EntryCheckWeakened => {
            "what was demanded follows from other checks, or nothing depends on it"
        }
        MutantKind::AllocationShrunk | MutantKind::FoldChanged | MutantKind::StorageMoved => {
            "there is room for all that is alive"
        }
        MutantKind::GuardDropped | MutantKind::TailWrong => {
            "what the guard lets in writes values that are right, or nothing"
        }
        MutantKind::LoopBoundChanged | MutantKind::BoundWrong | MutantKind::WindowChanged => {
            "what is computed more is right, what is computed less is not needed or computed \
                elsewhere"
        }
        MutantKind::ConstantChanged | MutantKind::OperandsSwapped => {
            "another way to divide the work, or a bound that is not the tightest"
        }
        MutantKind::StoreMissing | MutantKind::StageMissing => {
            "what is not written is not needed, or written elsewhere"
        }
        MutantKind::IndexOffByOne
        | MutantKind::LaneChanged
        | MutantKind::LoadRedirected
        | MutantKind::StoreRedirected
        | MutantKind::WriteShifted => "what is accessed instead has the same value",
        MutantKind::ProphecyWrong
        | MutantKind::ProphecyStage
        | MutantKind::ProphecyMissing
        | MutantKind::AccessWrong
        | MutantKind::AccessMissing
        | MutantKind::NeededShrunk
        | MutantKind::NeededGrown
        | MutantKind::LabelMissing => "annotations do not influence what runs",
    }
}
