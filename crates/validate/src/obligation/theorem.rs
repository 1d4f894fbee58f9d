//! The theorem of `docs/validator.md`, in the order of its proof.

use std::collections::BTreeMap;
use std::time::Duration;

use halidom_base::FxHashMap;
use halidom_interp::{Bindings, evaluate_expr};
use halidom_ir::{Constant, ExprId, Pool, Program, StmtId, VarId};
use halidom_smt::Solver;

use super::door::Tactics;
use super::record::{Kind, Method, Obligation, Reason, Subject};
use super::settings::{Settings, Task};
use super::{Checker, Findings, Machine, Widths, regions};
use crate::floats::Axioms;
use crate::laws::Laws;
use crate::lia::Lia;
use crate::program::{Model, Parameters};
use crate::ranges;
use crate::refine;
use crate::space::{Space, Symbol, Value};
use crate::specification::Specification;

/// The obligations of a task, each closed or open.
pub(crate) struct Judgement {
    pub(crate) space: Space,
    pub(crate) model: Model,
    pub(crate) parameters: Parameters,
    pub(crate) obligations: Vec<Obligation>,
    /// Stores that never run.
    pub(crate) dead: Vec<(StmtId, Subject)>,
    /// Sizes at which an open obligation may fail: hints for the counterexample search.
    pub(crate) hints: Vec<Vec<(Symbol, i128)>>,
    /// The reason why the entry checks leave no room for outputs, if they leave none.
    room: Option<Reason>,
    /// The number of questions and their time, by purpose.
    pub(crate) effort: BTreeMap<String, (u64, Duration)>,
    /// The solvers that were asked.
    pub(crate) solvers: Vec<Solver>,
}

/// States all obligations of a task and tries to close them.
///
/// # Correctness
/// The list of obligations comes from the task alone. Tactics propose how to close them. If all are
/// closed in the end, and [`Judgement::vacuity`] was shown, the theorem holds.
///
/// # Errors
/// Returns the reason if no obligation can be stated.
pub(crate) fn judge(
    pool: &mut Pool,
    task: Task<'_>,
    settings: &Settings<'_>,
    tactics: &mut dyn Tactics,
) -> Result<Judgement, String> {
    let (program, lowered) = (task.program, task.lowered());
    let lia = |part, lemmas| Lia::new(settings.solver(part), settings.budget, lemmas);
    let words = |error: halidom_smt::OpenError| error.to_string();
    // 1. The algorithms are well formed: one value for each point, defined before it is used.
    well_formed(pool, task)?;
    // 2. Each rewriting of the algorithm keeps its meaning (`Refinement`).
    let mut queries = lia("queries", tactics.lemmas()).map_err(words)?;
    let laws = Solver::open(settings.solver("laws")).map_err(words)?;
    let mut laws = Laws::new(laws, settings.weakest);
    let obligations = refinement(pool, &mut laws, tactics, task);
    let pool = &*pool;
    // 3. Program and algorithm as terms, with the regions that each label must provide.
    let ranges = ranges::ranges(pool, lowered);
    let space = Space::with_ranges(ranges).contracted(settings.contracted);
    let (parameters, model) = regions::described(pool, &space, program, tactics);
    let specified = &settings.code.specified;
    let mut specification = Specification::new((pool, &space), &parameters, &model, specified);
    let widths = Widths { bits: settings.int_bits, known: &settings.code.widths };
    let machine = Machine { widths, checks_memory: settings.code.checks_memory };
    // Facts learned while the entry checks are admitted would burden every later question, so a
    // separate solver learns them.
    let mut first = (settings.int_bits < 64)
        .then(|| lia("entry", tactics.lemmas()))
        .transpose()
        .map_err(words)?;
    let mut checker = Checker {
        pool,
        space: &space,
        model: &model,
        specification: &mut specification,
        lia: &mut queries,
        laws: &mut laws,
        tactics,
        entry: Vec::new(),
        found: Findings { obligations, ..Findings::default() },
    };
    // 4. The arithmetic of the entry checks is exact; from here on they hold.
    if let Some(first) = &mut first {
        std::mem::swap(checker.lia, first);
    }
    checker.admit(&parameters, machine, &settings.code.contract);
    if let Some(first) = &mut first {
        std::mem::swap(checker.lia, first);
        checker.entry = model.entry.iter().map(|check| check.condition).collect();
        checker.lia.assume(checker.space, &checker.entry);
    }
    // 5. The program can be described, and has the algorithm's interface (`Form`).
    checker.interface(lowered, program);
    checker.form();
    // 6. The entry checks do not contradict each other (`Assumption`).
    checker.assumptions();
    // 7. Location lemma (`Location`, `Bounds`).
    checker.accesses();
    // 8. Values: stores claim existing instances and write their values (`Claim`, `Value`).
    checker.claims_and_values();
    // 9. Witness lemma: every needed location is written or kept (`Coverage`).
    let relying = checker.coverage();
    // 10. Each load that matters yields the value that it claims (`Definedness`).
    checker.definedness();
    // 11. Stage replay: writes come in the specification's order (`Order`).
    checker.orders();
    // 12. Weaker modes: inexact floats decide nothing, and are right under the laws (`Value`).
    //     Invariant: the inexact funcs are known before races are checked.
    let second =
        checker.weaker(task, settings.weakest, &parameters, |lemmas| lia("floats", lemmas));
    // 13. Folded buffers and windows keep what was promised (`Retention`).
    checker.retention(&relying);
    // 14. Unordered iterations do not interfere (`Race`).
    checker.races(&relying);
    // 15. The windows of the outputs are computed (`Output`).
    checker.outputs();
    checker.laws_of_inexact();
    // 16. The entry checks cover what the pipeline demands of its caller (`Assumption`).
    checker.demands(task);
    // 17. Arithmetic fits the compiled code's integers (`Overflow`).
    checker.overflow(&parameters, machine);
    // 18. The entry checks leave room for outputs. Sizes must still show it (`vacuity`).
    let extents = settings.roomy.iter().filter_map(|var| match parameters.get(var) {
        Some(Value::Int(extent)) => Some(*extent),
        Some(Value::Bool(_) | Value::Number(_)) | None => None,
    });
    let (extents, entry): (Vec<_>, _) = (extents.collect(), checker.entry.clone());
    let (mut desk, tactics) = checker.door();
    let sizes = if extents.is_empty() {
        Ok(Vec::new())
    } else {
        tactics.sizes(&mut desk, &entry, &extents)
    };
    let room = sizes.map(|sizes| checker.found.hints.extend(sizes)).err();
    let Findings { obligations, dead, hints, .. } = checker.found;
    let mut judged = Judgement {
        space,
        model,
        parameters: FxHashMap::default(),
        obligations,
        dead,
        hints,
        room,
        effort: BTreeMap::new(),
        solvers: Vec::new(),
    };
    judged.parameters = parameters;
    for lia in [Some(queries), second, first].into_iter().flatten() {
        for (purpose, (questions, time)) in lia.effort() {
            let sum = judged.effort.entry(purpose).or_default();
            *sum = (sum.0 + questions, sum.1 + time);
        }
        judged.solvers.push(lia.into_solver());
    }
    judged.solvers.push(laws.into_solver());
    judged.obligations.retain(|obligation| !settings.disable.contains(&obligation.kind));
    Ok(judged)
}

fn well_formed(pool: &Pool, task: Task<'_>) -> Result<(), String> {
    for algorithm in task.versions() {
        if let Err(violations) = halidom_ir::verify::algorithm(pool, algorithm) {
            let rules: Vec<String> = violations.iter().map(ToString::to_string).collect();
            return Err(format!("the algorithm is not well formed: {}", rules.join("; ")));
        }
    }
    Ok(())
}

/// Checks the obligations of kind `Refinement`: each step has the same meaning as the step before
/// it.
fn refinement(
    pool: &mut Pool,
    laws: &mut Laws,
    tactics: &mut dyn Tactics,
    task: Task<'_>,
) -> Vec<Obligation> {
    let mut obligations = Vec::new();
    for (number, (from, to)) in task.versions().zip(task.steps).enumerate() {
        for (place, result) in refine::refines(pool, laws, tactics, (from, to)) {
            let status = result.map_err(Reason::from).map(|axioms| match axioms {
                Axioms::NONE => Method::Structure,
                axioms => Method::Axioms(axioms),
            });
            let subject = format!("{place} in rewriting {}", number + 1).into();
            obligations.push(Obligation { kind: Kind::Refinement, stmt: None, subject, status });
        }
    }
    obligations
}

impl Judgement {
    /// The conditions of the entry checks.
    fn checks(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.model.entry.iter().map(|check| check.expr)
    }

    /// Tests whether proposed sizes pass the entry checks, with windows that are not empty and with
    /// these extents above 1.
    fn passes(&self, pool: &Pool, program: &Program, sizes: &Bindings, roomy: &[VarId]) -> bool {
        let above = |extent: &VarId, limit| {
            sizes.var(*extent).and_then(Constant::as_integer).is_some_and(|found| found > limit)
        };
        let mut windows = program.outputs.iter().flat_map(|output| &output.window);
        windows.all(|(_, extent)| above(extent, 0))
            && roomy.iter().all(|extent| above(extent, 1))
            && self
                .checks()
                .all(|check| evaluate_expr(pool, check, sizes) == Ok(Constant::bool(true)))
    }

    /// Tests whether one of the proposed sizes passes the entry checks.
    pub(crate) fn admits(
        &self,
        pool: &Pool,
        program: &Program,
        proposed: impl IntoIterator<Item = Bindings>,
    ) -> bool {
        proposed.into_iter().any(|sizes| self.passes(pool, program, &sizes, &[]))
    }

    /// Shows that outputs can have extents above 1: some of the proposed sizes pass the entry
    /// checks with such extents.
    pub(crate) fn room(
        &mut self,
        pool: &Pool,
        program: &Program,
        settings: &Settings<'_>,
        proposed: impl IntoIterator<Item = Bindings>,
    ) {
        let roomy = &settings.roomy;
        if roomy.is_empty() || settings.disable.contains(&Kind::Assumption) {
            return;
        }
        let mut proposed = proposed.into_iter();
        let status = match self.room.take() {
            Some(reason) => Err(reason),
            None if proposed.any(|sizes| self.passes(pool, program, &sizes, roomy)) => {
                Ok(Method::Run)
            }
            None => Err("no sizes were seen to pass with every extent above 1".into()),
        };
        let (kind, subject) = (Kind::Assumption, "room for outputs".into());
        self.obligations.push(Obligation { kind, stmt: None, subject, status });
    }

    /// Shows that the entry checks can hold together, on windows that are not empty. Products are
    /// opaque to the solver, so its model alone is not trusted: sizes must have been `admitted`.
    pub(crate) fn vacuity(&mut self, settings: &Settings<'_>, admitted: bool) {
        if admitted {
            for obligation in &mut self.obligations {
                if obligation.status == Err(Reason::Undecided) {
                    obligation.status = Ok(Method::Run);
                }
            }
        } else if !settings.disable.contains(&Kind::Assumption) {
            let status = Err("no sizes were seen to pass them".into());
            let (kind, subject) = (Kind::Assumption, "entry checks".into());
            self.obligations.push(Obligation { kind, stmt: None, subject, status });
        }
    }

    /// The obligations that are open.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Obligation> {
        self.obligations.iter().filter(|obligation| obligation.status.is_err())
    }

    /// Tests whether the theorem's premises are shown: there are obligations, all are closed, and
    /// no coefficient left 128 bits.
    pub(crate) fn is_proved(&self) -> bool {
        !self.space.overflowed() && !self.obligations.is_empty() && self.open().next().is_none()
    }
}
