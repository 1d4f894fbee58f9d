//! Decides whether a program computes what an algorithm specifies, for all inputs and sizes that
//! pass the program's entry checks.
//!
//! **Trusted**: the project's verdicts rest on the room `obligation` and the files that it imports,
//! on `ir` (the semantics), `smt` (the solver) and `interp` (the replay of counterexamples). The
//! room `tactics` is not trusted. The crate knows nothing of schedules, lowering or generated code,
//! and shares no code with them.
//!
//! # Where to start
//! Start with `obligation::theorem::judge`, which states the obligations in the order of the proof.
//! `program` walks a program once and lists its accesses. `specification` turns the algorithm into
//! equations. Both use the terms of `space`. `obligation` has one file for each group of kinds
//! ([`Kind`]). `tactics` proposes witnesses, cases, equalities and lemmas through
//! `obligation::door`, `limits` answers questions by intervals, and `lia` asks the solver. `floats`
//! defines the meanings of equality of floats. `prose` and `names` put obligations in words.
//!
//! Some words have a fixed meaning in this crate. A *claim* is the annotation of a store or load:
//! it names the instance that the store runs, or the value that the load reads. A *label* is a
//! place that promises a func's values on its *needed* region. A store is *good* where its
//! coordinates lie in the region that its label owes its stage. A *place* is the path to a
//! statement with the *facts* that hold there. A pending read is *settled* when the version that it
//! reads is fixed.
//!
//! # Correctness
//! `docs/validator.md` states and proves the theorem. In short: annotations of the program
//! (coordinates, claims, needed regions) are hints, and the obligations show that they are true.
//! Each access has obligations on its location identity, bounds, claim and value. Each place that
//! promises a func has obligations on coverage, definedness and order. Unordered loops have
//! obligations on races. Equal normal forms, intervals, the program's structure and the solver's
//! `unsat` close obligations. Sizes at which the entry checks hold close only the obligations that
//! these can hold and leave room for outputs. The list of obligations comes from the program and
//! the algorithm. An obligation that cannot be described or shown is open, and an open obligation
//! makes the verdict [`Verdict::Unknown`], or [`Verdict::Refuted`] after a run that shows a
//! difference.

mod answer;
mod evaluate;
mod floats;
mod goal;
mod laws;
mod lemma;
mod lia;
mod limits;
mod names;
mod obligation;
mod program;
mod prose;
mod ranges;
mod refine;
mod report;
mod space;
mod specification;
mod tactics;

use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_base::{FxHashMap, IndexMap, IndexSet};
use halidom_ir::{Algorithm, Check, Expr, FuncId, Pool, Program, StmtId, VarId, print};
use halidom_smt::Asking;
use halidom_verdict::{Cause, Claim};

pub use answer::{BUFFERS_APART, ENTRY_ARITHMETIC, NOTHING};
pub use floats::{Axiom, Axioms, Floats};
pub use halidom_verdict::{Condition, Reason};
pub use obligation::record::{Kind, Method};
pub use obligation::settings::{Budget, Code};
pub use report::{
    About, Asked, Assumption, Counterexample, Instance, Obligation, Report, Runs, Site, Status,
    TooStrict, Verdict, weakest,
};
pub use tactics::refute::{
    Conventions, Given, Owed, Search, Survived, TOO_LONG, near_integers, survive,
};

use lia::Lia;
use obligation::door::Tactics;
use obligation::settings::{Settings, Task};
use obligation::theorem::{self, Judgement};
use program::Model;
use prose::Prose;
use space::Space;
use tactics::refute;

/// The most runs that confirm a proved program whose entry checks are known to hold for some sizes.
const CONFIRMING_TRIALS: usize = 4;
/// The most steps of the interpreter in each of these runs.
const CONFIRMING_STEPS: u64 = 100_000;

/// Definitions that runs evaluate.
#[derive(Clone, Debug)]
pub struct Said {
    /// The pool of the program and of these definitions.
    pub pool: Pool,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The algorithm that the program was made from.
    pub lowered: Algorithm,
}

/// The options of a validation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solvers.
    pub asking: Asking,
    /// Limits on all questions together. An obligation that is not asked about stays open.
    pub budget: Budget,
    /// Kinds of obligations to leave out, for tests that show that each kind matters. A verdict
    /// under such options means nothing for the program.
    pub disable: Vec<Kind>,
    /// The time to look for entry checks that are too strict. Zero skips the search.
    pub strictness: Duration,
    /// Limits on the search for a run that refutes a program that is not proved.
    pub search: Search,
    /// Values with which the search begins. They help if entry checks refuse nearly all random
    /// values and the caller knows some that they accept.
    pub given: Vec<Given>,
    /// The width of the compiled code's `int`s, unless another width is known for one. It is an
    /// obligation that the `int`s which decide fit. With fewer than 64 bits, sums in indices may
    /// wrap if the index fits.
    pub int_bits: u32,
    /// Facts and conditions about the compiled code.
    pub code: Code,
    /// The definitions that runs evaluate, if the validated algorithm has the same values and more.
    /// A run where only the latter has a value refutes nothing.
    pub said: Option<Arc<Said>>,
    /// The inputs on which the compiled code owes the pipeline's values.
    pub conventions: Conventions,
    /// The weakest equality of floats that is permitted. The default is axioms if the pipeline has
    /// `fast_math`, and bits otherwise.
    pub floats: Option<Floats>,
    /// True if the compiler may round a product and its sum at once in one place and not in
    /// another, even where floats decide places. A compiler that may regroup floats as if they were
    /// real numbers may do this too.
    pub contracts_places: bool,
}

impl Options {
    /// Returns the defaults: five seconds for a question, nothing left out, and a search of two
    /// hundred runs or five seconds.
    pub fn new(solver: halidom_smt::Program) -> Self {
        let search = Search::default();
        let budget = Budget::default();
        Self {
            asking: Asking::new(solver, Duration::from_secs(5)),
            budget,
            disable: Vec::new(),
            strictness: Duration::from_secs(2),
            search,
            given: Vec::new(),
            int_bits: 64,
            code: Code::default(),
            said: None,
            conventions: Conventions::Total,
            floats: None,
            contracts_places: false,
        }
    }
}

/// Decides whether `program` computes what `algorithm` specifies.
///
/// Both belong to `pool`. The program may be final (stores and loads of buffers) or structured
/// (provides and references of funcs).
pub fn validate(
    pool: &mut Pool,
    algorithm: &Algorithm,
    program: &Program,
    options: &Options,
) -> Report {
    validate_refined(pool, algorithm, &[], program, options)
}

/// Decides whether `program`, which was made from the last of `steps`, computes what `algorithm`
/// specifies. Each step claims to be a rewritten form of the step before it, or of `algorithm` for
/// the first one. This claim is an obligation like the others.
pub fn validate_refined(
    pool: &mut Pool,
    algorithm: &Algorithm,
    steps: &[Algorithm],
    program: &Program,
    options: &Options,
) -> Report {
    validate_with(
        pool,
        Task { algorithm, steps, program },
        options,
        &mut tactics::Search::default(),
    )
}

/// Does the same with given tactics.
fn validate_with(
    pool: &mut Pool,
    task: Task<'_>,
    options: &Options,
    tactics: &mut dyn Tactics,
) -> Report {
    let begin = Instant::now();
    let Task { algorithm, steps, program } = task;
    let default = if algorithm.fast_math { Floats::Axioms } else { Floats::Bits };
    let weakest = options.floats.unwrap_or(default);
    let settings = Settings {
        solver: &|part| solver(options, part),
        budget: options.budget,
        weakest,
        contracted: weakest == Floats::Reals || options.contracts_places,
        int_bits: options.int_bits,
        code: &options.code,
        roomy: roomy(program, pool, options),
        disable: &options.disable,
    };
    let mut judged = match theorem::judge(pool, task, &settings, tactics) {
        Ok(judged) => judged,
        Err(reason) => return unopened(reason),
    };
    let described = &*pool;
    let (pool, algorithm, lowered) = match options.said.as_deref() {
        Some(Said { pool, algorithm, lowered }) => (pool, algorithm, lowered),
        None => (described, algorithm, steps.last().unwrap_or(algorithm)),
    };
    let hints = sizes(&judged.parameters, &judged.space, &judged.hints);
    let suggested = || refute::suggested(pool, algorithm, program, &hints);
    let given = refute::of_given(pool, program, &options.given);
    judged.room(pool, program, &settings, suggested().chain(given));
    let admitted = judged.admits(pool, program, suggested());
    let mut report = unopened(String::new());
    if !options.strictness.is_zero() {
        report.too_strict = too_strict(pool, Task { algorithm, ..task }, &mut judged, options);
    }
    let proved = judged.is_proved();
    // A proved program is run too: the sizes of a run may show that the entry checks can hold.
    let undecided = Err(obligation::record::Reason::Undecided);
    let decided = judged.open().any(|obligation| obligation.status != undecided);
    let enough = if decided { usize::MAX } else { 2 };
    let mut limits = options.search;
    if proved && admitted {
        // No verdict depends on these runs, so a program that is too long for the interpreter is
        // not tried again and again.
        limits.trials = limits.trials.min(CONFIRMING_TRIALS);
        limits.steps = limits.steps.min(CONFIRMING_STEPS);
    }
    let sizes = refute::Sizes { given: &options.given, hints: &hints };
    let equality = (weakest, options.conventions);
    let mut found =
        refute::search(pool, (algorithm, lowered), program, sizes, (limits, enough), equality);
    // A refuted program keeps its obligations as they are.
    if found.counterexample.is_none() {
        let run = found.run.take().and_then(|case| refute::of_run(pool, program, case));
        let admitted = admitted || judged.admits(pool, program, run);
        judged.vacuity(&settings, admitted);
    }
    describe(&mut report, described, options, &judged);
    conclude(&mut report, &judged, found);
    report.suggestions = hints;
    report.time = begin.elapsed();
    report
}

/// Puts what was judged into a report, in words.
fn describe(report: &mut Report, pool: &Pool, options: &Options, judged: &Judgement) {
    let prose = Prose { pool, judged };
    report.assumptions = assumptions(pool, &judged.model, options);
    // The closed list of conditions for stock Halide is complete: the arithmetic of its entry
    // checks is checked.
    if !options.code.conditions.is_empty() {
        report.conditions.clone_from(&options.code.conditions);
    }
    let obligations = judged.obligations.iter().map(|obligation| prose.obligation(obligation));
    report.obligations = obligations.collect();
    for (stmt, store) in &judged.dead {
        report.dead.push(*stmt);
        let store = prose.subject(store);
        report.notes.push(format!("dead code: the store to {store} never runs"));
    }
    report.trusted_steps = trusted(pool, &judged.model, &report.obligations);
    report.effort.clone_from(&judged.effort);
    report.solver = Asked::of(&judged.solvers);
    if report.solver.cached > 0 {
        report.below.insert(1, "answers that were kept");
    }
}

/// Returns the extents of outputs of narrow code that some admitted sizes must have above 1: all
/// but the extents that the pipeline fixes to 1. A condition that leaves no such sizes is too
/// strict.
fn roomy(program: &Program, pool: &Pool, options: &Options) -> Vec<VarId> {
    if options.int_bits >= 64 {
        return Vec::new();
    }
    let fixed = |extent: &VarId| {
        options.code.single.iter().any(|single| *pool.get(*single) == Expr::Var(*extent))
    };
    let windows = program.outputs.iter().flat_map(|output| &output.window);
    windows.map(|(_, extent)| *extent).filter(|extent| !fixed(extent)).collect()
}

/// Makes a report that proves nothing yet, with the reason.
fn unopened(reason: String) -> Report {
    Report {
        verdict: Verdict::Unknown(Reason::new(Cause::Form, reason)),
        claim: Claim::Program,
        conditions: vec![BUFFERS_APART, ENTRY_ARITHMETIC],
        obligations: Vec::new(),
        assumptions: Vec::new(),
        trusted_steps: Vec::new(),
        sizes: "all that pass the entry checks".to_owned(),
        notes: Vec::new(),
        below: vec!["the solver", "the C printer", "the C compiler", "the runtime"],
        dead: Vec::new(),
        suggestions: Vec::new(),
        runs: Runs::default(),
        too_strict: Vec::new(),
        solver: Asked::default(),
        effort: std::collections::BTreeMap::new(),
        time: Duration::ZERO,
    }
}

/// Lists the obligations that needed an equality of floats weaker than equality of bits: one line
/// for each axiom, and one for the reals.
fn trusted(pool: &Pool, model: &Model, obligations: &[Obligation]) -> Vec<String> {
    let instances: FxHashMap<StmtId, (FuncId, usize)> =
        model.stores.values().map(|store| (store.access.stmt, (store.func, store.stage))).collect();
    let mut uses: IndexMap<String, IndexSet<String>> = IndexMap::default();
    for obligation in obligations {
        let Status::Closed(method) = obligation.status else { continue };
        let what = match obligation.stmt.and_then(|stmt| instances.get(&stmt)) {
            Some((func, stage)) => format!("stage {stage} of {}", pool.func(*func).name),
            None => obligation.place.clone(),
        };
        let laws = method.axioms().iter().map(|axiom| format!("{}, {}", axiom.name(), axiom.law()));
        let reals = (method == Method::Reals).then(|| "over the reals".to_owned());
        for law in laws.chain(reals) {
            uses.entry(law).or_default().insert(what.clone());
        }
    }
    let line = |(law, uses): (String, IndexSet<String>)| {
        format!("{law}: {}", uses.into_iter().collect::<Vec<_>>().join(", "))
    };
    uses.into_iter().map(line).collect()
}

/// Returns the options for a solver. Its questions are kept in the subfolder `part`.
fn solver(options: &Options, part: &str) -> halidom_smt::Options {
    let mut own = options.asking.options(part);
    own.steps = options.budget.steps;
    own
}

/// Looks for entry checks that refuse sizes for which the algorithm has values, among sizes that
/// the solver suggests.
fn too_strict(
    pool: &Pool,
    Task { algorithm, program, .. }: Task<'_>,
    Judgement { space, model, parameters, .. }: &mut Judgement,
    options: &Options,
) -> Vec<TooStrict> {
    // The entry checks are not assumed here.
    let mut own = solver(options, "strict");
    own.soft_timeout = own.soft_timeout.min(Duration::from_secs(1));
    let Ok(mut lia) = Lia::new(own, options.budget, tactics::Search::default().lemmas()) else {
        return Vec::new();
    };
    let mut suggested = Vec::new();
    for question in refute::questions(space, model) {
        if let lia::Outcome::Possible(values) = lia.ask(space, &question, "too strict") {
            suggested.push(values);
        }
    }
    let hints = sizes(parameters, space, &suggested);
    refute::too_strict(pool, algorithm, program, &hints, options.strictness)
}

/// Returns the solver's suggestions for shapes, windows and `int` parameters.
fn sizes(
    parameters: &program::Parameters,
    space: &Space,
    hints: &[Vec<(space::Symbol, i128)>],
) -> Vec<refute::Hint> {
    let mut vars: Vec<_> = parameters
        .iter()
        .filter_map(|(var, value)| match value {
            space::Value::Int(poly) => Some((*var, space.as_symbol(*poly)?)),
            space::Value::Bool(_) | space::Value::Number(_) => None,
        })
        .collect();
    vars.sort_unstable();
    let value = |values: &[(space::Symbol, i128)], symbol| {
        let (_, value) = values.iter().find(|(known, _)| *known == symbol)?;
        i64::try_from(*value).ok()
    };
    hints
        .iter()
        .map(|values| {
            vars.iter().filter_map(|(var, symbol)| Some((*var, value(values, *symbol)?))).collect()
        })
        .collect()
}

/// Concludes: a proof if the theorem's premises are shown, or else a run that refutes.
fn conclude(report: &mut Report, judged: &Judgement, found: refute::Found) {
    if let Some(counterexample) = found.counterexample {
        if report.is_closed() {
            report.notes.push(ALARM.to_owned());
        }
        report.verdict = Verdict::Refuted(Box::new(counterexample));
        return;
    }
    report.runs = Runs { passed: found.passed, refused: found.refused };
    report.notes.push(format!(
        "{} runs of the interpreter went through, {} were refused by entry checks",
        found.passed, found.refused
    ));
    report.verdict =
        if judged.is_proved() { Verdict::Proved } else { Verdict::Unknown(reason(report, judged)) };
}

/// The note of a refuted program all of whose obligations are closed.
const ALARM: &str = "a run refutes the program although every obligation was closed: one of the \
    two is wrong, which is an error of the validator; please report it";

/// Tells why nothing is proved.
fn reason(report: &Report, judged: &Judgement) -> Reason {
    if judged.space.overflowed() {
        return Reason::new(Cause::Size, "a coefficient is beyond 128 bits");
    }
    let mut open = report.open();
    let Some(Obligation { kind, place, status: Status::Open(reason), .. }) = open.next() else {
        return Reason::new(Cause::Form, NOTHING.0);
    };
    let (open, all) = (1 + open.count(), report.obligations.len());
    let kind = kind.name();
    let Reason { cause, words } = reason;
    let all = format!("{open} of {all} obligations are open");
    Reason::new(*cause, format!("{all}; the first: {kind}: {place}: {words}"))
}

/// Lists the assumptions.
fn assumptions(pool: &Pool, model: &Model, options: &Options) -> Vec<Assumption> {
    let entry = model.entry.iter().map(|entry| {
        // The contract comes with the conditions of the verdict, which name its limits.
        let is_named = options.code.contract.contains(&entry.expr)
            && matches!(entry.check, Check::SizeLimit { .. });
        let what = prose::describe(pool, &entry.check);
        let words = format!("{what}: {}", print::expr(pool, entry.expr));
        Assumption { words, about: About::Check { what, condition: entry.expr, is_named } }
    });
    // For code of fewer bits it is an obligation that its entry checks do not overflow.
    let arithmetic = (options.int_bits >= 64).then_some(ENTRY_ARITHMETIC);
    let duties = [BUFFERS_APART].into_iter().chain(arithmetic);
    let duty = |duty: Condition| Assumption::duty(&duty.words);
    entry.chain(duties.map(duty)).collect()
}
