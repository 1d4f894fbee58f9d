//! Decides whether a program computes what an algorithm specifies, for all inputs and sizes that
//! pass the program's entry checks.
//!
//! **Trusted**: the project's verdicts rest on this crate, on `ir` (the semantics), `smt` (the
//! solver) and `interp` (the replay of counterexamples). The crate knows nothing of schedules,
//! lowering or generated code, and shares no code with them.
//!
//! # Where to start
//! Start with [`validate`]. `program` walks a program once and lists its accesses. `specification`
//! turns the algorithm into equations. Both use the terms of `space`. `check` has the obligations,
//! in one file for each group of kinds ([`Kind`]). `witness` makes guesses, and `lia` asks the
//! solver. `floats` defines the meanings of equality of floats.
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
//! `unsat` close obligations. A run closes only an obligation that assumptions can hold. The list
//! of obligations comes from the program and the algorithm. An obligation that cannot be described
//! or shown is open, and an open obligation makes the verdict [`Verdict::Unknown`], or
//! [`Verdict::Refuted`] after a run that shows a difference.

mod answer;
mod bound;
mod check;
mod evaluate;
mod floats;
mod goal;
mod laws;
mod lemma;
mod lia;
mod limits;
mod program;
mod ranges;
mod refine;
mod refute;
mod report;
mod space;
mod specification;
mod witness;

use std::time::{Duration, Instant};

use halidom_base::{FxHashMap, FxHashSet, IndexMap, IndexSet};
use halidom_ir::{Algorithm, Check, Expr, ExprId, FuncId, Pool, Program, StmtId, VarId, print};
use halidom_smt::{Asking, Solver};
use halidom_verdict::Claim;

pub use answer::{BUFFERS_APART, ENTRY_ARITHMETIC, NOTHING};
pub use floats::{Axiom, Axioms, Floats};
pub use halidom_verdict::Condition;
pub use refute::{Conventions, Given, Owed, Search, Survived, near_integers, survive};
pub use report::{
    Asked, Counterexample, Instance, Kind, Method, Obligation, Report, Runs, Site, Status,
    TooStrict, Verdict, weakest,
};

use check::{Checker, Machine, Subject, Widths};
use laws::Laws;
use lia::Lia;
use program::Model;
use space::Space;
use specification::Specification;

/// The most runs that confirm a proved program whose entry checks are known to hold for some sizes.
const CONFIRMING_TRIALS: usize = 4;
/// The most steps of the interpreter in each of these runs.
const CONFIRMING_STEPS: u64 = 100_000;

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
    /// The inputs on which the compiled code owes the pipeline's values.
    pub conventions: Conventions,
    /// The weakest equality of floats that is permitted. The default is axioms if the pipeline has
    /// `fast_math`, and bits otherwise.
    pub floats: Option<Floats>,
    /// True if the compiler may round a product and its sum at once in one place and not in
    /// another, wherever the pipeline has `fast_math`, even where floats decide places. A compiler
    /// that may regroup floats as if they were real numbers may do this too.
    pub contracts_places: bool,
}

/// Facts about the code that a program stands for, and the conditions that it rests on. Ids belong
/// to the program's pool. By default nothing is known, and all entry checks are evaluated.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The bits of some `int`s.
    pub widths: FxHashMap<ExprId, u32>,
    /// Entry checks that the code does not evaluate: the callers' contract.
    pub contract: FxHashSet<ExprId>,
    /// Extents of outputs that the pipeline itself fixes to 1.
    pub single: FxHashSet<ExprId>,
    /// True if the code refuses to take memory of 2^31 elements and more.
    pub checks_memory: bool,
    /// The conditions of a proof. The first line of the verdict has their names.
    pub conditions: Vec<Condition>,
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
            conventions: Conventions::Total,
            floats: None,
            contracts_places: false,
        }
    }
}

/// Limits that do not depend on the machine's speed. By default there are no limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The most questions to the solver.
    pub questions: Option<u64>,
    /// The most steps of the solver for one question, by its own count.
    pub steps: Option<u64>,
    /// The number of open obligations after which no more questions are asked, because the verdict
    /// is known.
    pub open: Option<u64>,
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
    let begin = Instant::now();
    // The specification relies on well-formed algorithms: one value for each point, defined before
    // it is used.
    for algorithm in [algorithm].into_iter().chain(steps) {
        if let Err(violations) = halidom_ir::verify::algorithm(pool, algorithm) {
            let rules: Vec<String> = violations.iter().map(ToString::to_string).collect();
            return unopened(format!("the algorithm is not well formed: {}", rules.join("; ")));
        }
    }
    let default = if algorithm.fast_math { Floats::Axioms } else { Floats::Bits };
    let weakest = options.floats.unwrap_or(default);
    let opened = Lia::new(solver(options, "queries"), options.budget)
        .and_then(|lia| Ok((lia, Laws::new(Solver::open(solver(options, "laws"))?, weakest))));
    let (mut lia, mut laws) = match opened {
        Ok(opened) => opened,
        Err(error) => return unopened(error.to_string()),
    };
    let obligations = refinement(pool, &mut laws, algorithm, steps);
    let pool = &*pool;
    let lowered = steps.last().unwrap_or(algorithm);
    let contracted = weakest == Floats::Reals || options.contracts_places && algorithm.fast_math;
    let mut space = Space::with_ranges(ranges::ranges(pool, lowered)).contracted(contracted);
    let parameters = program::parameters(pool, &mut space, program);
    let model = program::walk(pool, &mut space, program, &parameters);
    let mut report = unopened(String::new());
    report.assumptions = assumptions(pool, &model, program, options);
    // The closed list of conditions for stock Halide is complete: the arithmetic of its entry
    // checks is checked.
    if !options.code.conditions.is_empty() {
        report.conditions.clone_from(&options.code.conditions);
    }
    let stored: FxHashSet<_> = model.memories.iter().map(|memory| memory.func).collect();
    let mut specification = Specification::new(pool, &parameters, stored);
    let widths = Widths { bits: options.int_bits, known: &options.code.widths };
    let machine = Machine { widths, checks_memory: options.code.checks_memory };
    let narrow = options.int_bits < 64;
    // Facts learned while the entry checks are admitted would burden every later question, so a
    // separate solver learns them.
    let first = narrow.then(|| Lia::new(solver(options, "entry"), options.budget)).transpose();
    let mut first = match first {
        Ok(first) => first,
        Err(error) => return unopened(error.to_string()),
    };
    let mut checker = Checker {
        pool,
        space: &mut space,
        model: &model,
        specification: &mut specification,
        lia: &mut lia,
        laws: &mut laws,
        entry: Vec::new(),
        obligations,
        values: Vec::new(),
        inexact: IndexSet::default(),
        uniform: FxHashMap::default(),
        interpreted: IndexSet::default(),
        notes: Vec::new(),
        dead: Vec::new(),
        hints: Vec::new(),
    };
    if let Some(first) = &mut first {
        std::mem::swap(checker.lia, first);
    }
    checker.admit(&parameters, machine, &options.code.contract);
    if let Some(first) = &mut first {
        std::mem::swap(checker.lia, first);
        // All entry checks are granted by now.
        checker.entry = model.entry.iter().map(|check| check.condition).collect();
        checker.lia.assume(checker.space, &checker.entry);
    }
    checker.interface(lowered, program);
    let earlier: Vec<&Algorithm> = [algorithm].into_iter().chain(steps).collect();
    let subject = Subject { program, lowered, earlier: &earlier, weakest };
    let second = checker.run(&subject, || Lia::new(solver(options, "floats"), options.budget));
    checker.demands(algorithm, steps);
    checker.overflow(&parameters, machine);
    let roomy = roomy(program, pool, options);
    let extents = roomy.iter().filter_map(|var| match parameters.get(var) {
        Some(space::Value::Int(poly)) => Some(*poly),
        Some(space::Value::Bool(_) | space::Value::Number(_)) | None => None,
    });
    let extents: Vec<_> = extents.collect();
    let room = if roomy.is_empty() { Ok(()) } else { checker.roomy(&extents) };
    report.notes = checker.notes;
    report.obligations = checker.obligations;
    let hints = checker.hints;
    let checker_dead = checker.dead;
    report.obligations.retain(|obligation| !options.disable.contains(&obligation.kind));
    report.effort = lia.effort();
    for (purpose, (questions, time)) in second.iter().chain(&first).flat_map(Lia::effort) {
        let sum = report.effort.entry(purpose).or_default();
        *sum = (sum.0 + questions, sum.1 + time);
    }
    let second_solver = second.as_ref().map(Lia::solver);
    let first_solver = first.as_ref().map(Lia::solver);
    let solvers = [lia.solver(), laws.solver()].into_iter();
    report.solver = Asked::of(solvers.chain(second_solver).chain(first_solver));
    report.dead = checker_dead;
    report.trusted_steps = trusted(pool, &model, &report.obligations);
    if report.solver.cached > 0 {
        report.below.insert(1, "answers that were kept");
    }
    if !roomy.is_empty() {
        let checks: Vec<_> = model.entry.iter().map(|check| check.expr).collect();
        let seen = |()| {
            let hints = sizes(&parameters, &space, &hints);
            refute::admits(pool, (algorithm, program), &checks, &hints, &roomy)
                || refute::admits_given(pool, program, &checks, &options.given, &roomy)
        };
        let status = match room.map(seen) {
            Ok(true) => Status::Closed(Method::Run),
            Ok(false) => {
                Status::Open("no sizes were seen to pass with every extent above 1".to_owned())
            }
            Err(reason) => Status::Open(reason),
        };
        let (kind, place) = (Kind::Assumption, "room for outputs".to_owned());
        if !options.disable.contains(&kind) {
            report.obligations.push(Obligation { kind, stmt: None, place, status });
        }
    }
    report.verdict = verdict(&report, space.overflowed());
    if !options.strictness.is_zero() {
        let given = (algorithm, program);
        report.too_strict = too_strict(pool, given, &parameters, &mut space, &model, options);
    }
    let proved = report.verdict == Verdict::Proved;
    let hints = sizes(&parameters, &space, &hints);
    // A proved program is run too: a few runs show that the entry checks can hold.
    let undecided = Status::Open(check::UNDECIDED.to_owned());
    let vacuity_only = report.open().all(|obligation| obligation.status == undecided);
    let enough = if proved || vacuity_only { 2 } else { usize::MAX };
    let checks: Vec<_> = model.entry.iter().map(|check| check.expr).collect();
    let admitted = refute::admits(pool, (algorithm, program), &checks, &hints, &[]);
    let mut limits = options.search;
    if proved && admitted {
        // No verdict depends on these runs, so a program that is too long for the interpreter is
        // not tried again and again.
        limits.trials = limits.trials.min(CONFIRMING_TRIALS);
        limits.steps = limits.steps.min(CONFIRMING_STEPS);
    }
    let limits = (limits, enough);
    let algorithms = (algorithm, lowered);
    let sizes = refute::Sizes { given: &options.given, hints: &hints };
    let found =
        refute::search(pool, algorithms, program, sizes, limits, (weakest, options.conventions));
    report.suggestions = hints;
    conclude(&mut report, found, admitted, options, space.overflowed());
    report.time = begin.elapsed();
    report
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
        verdict: Verdict::Unknown(reason),
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

/// Checks the obligations of kind `Refinement`: each step has the same meaning as the step before
/// it.
fn refinement(
    pool: &mut Pool,
    laws: &mut Laws,
    algorithm: &Algorithm,
    steps: &[Algorithm],
) -> Vec<Obligation> {
    let mut obligations = Vec::new();
    for (number, (from, to)) in [algorithm].into_iter().chain(steps).zip(steps).enumerate() {
        for (place, result) in refine::refines(pool, laws, from, to) {
            let status = match result {
                Ok(Axioms::NONE) => Status::Closed(Method::Structure),
                Ok(axioms) => Status::Closed(Method::Axioms(axioms)),
                Err(reason) => Status::Open(reason),
            };
            let place = format!("{place} in rewriting {}", number + 1);
            obligations.push(Obligation { kind: Kind::Refinement, stmt: None, place, status });
        }
    }
    obligations
}

/// Lists the obligations that needed an equality of floats weaker than equality of bits: one line
/// for each axiom, and one for the reals.
fn trusted(pool: &Pool, model: &Model, obligations: &[Obligation]) -> Vec<String> {
    let instances: FxHashMap<StmtId, (FuncId, usize)> =
        model.stores.iter().map(|store| (store.access.stmt, (store.func, store.stage))).collect();
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
    (algorithm, program): (&Algorithm, &Program),
    parameters: &program::Parameters,
    space: &mut Space,
    model: &Model,
    options: &Options,
) -> Vec<TooStrict> {
    // The entry checks are not assumed here.
    let mut own = solver(options, "strict");
    own.soft_timeout = own.soft_timeout.min(Duration::from_secs(1));
    let Ok(mut lia) = Lia::new(own, options.budget) else {
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

/// Adds the results of the runs to the report.
fn conclude(
    report: &mut Report,
    found: refute::Found,
    admitted: bool,
    options: &Options,
    overflowed: bool,
) {
    if let Some(counterexample) = found.counterexample {
        report.verdict = Verdict::Refuted(Box::new(counterexample));
        return;
    }
    report.runs = Runs { passed: found.passed, refused: found.refused };
    report.notes.push(format!(
        "{} runs of the interpreter went through, {} were refused by entry checks",
        found.passed, found.refused
    ));
    if found.passed > 0 {
        for obligation in &mut report.obligations {
            if obligation.status == Status::Open(check::UNDECIDED.to_owned()) {
                obligation.status = Status::Closed(Method::Run);
            }
        }
    } else if !admitted && !options.disable.contains(&Kind::Assumption) {
        report.obligations.push(Obligation {
            kind: Kind::Assumption,
            stmt: None,
            place: "entry checks".to_owned(),
            status: Status::Open("no sizes were seen to pass them".to_owned()),
        });
    }
    report.verdict = verdict(report, overflowed);
}

/// Computes the verdict. It is `Proved` only if every obligation is closed.
fn verdict(report: &Report, overflowed: bool) -> Verdict {
    if overflowed {
        return Verdict::Unknown("a coefficient is beyond 128 bits".to_owned());
    }
    if report.obligations.is_empty() {
        return Verdict::Unknown(NOTHING.0.to_owned());
    }
    let mut open = report.open();
    match open.next() {
        None => Verdict::Proved,
        Some(first) => {
            let Status::Open(reason) = &first.status else {
                return Verdict::Unknown("an obligation without a reason".to_owned());
            };
            Verdict::Unknown(format!(
                "{} of {} obligations are open; the first: {}: {}: {reason}",
                1 + open.count(),
                report.obligations.len(),
                first.kind.name(),
                first.place,
            ))
        }
    }
}

/// Describes the assumptions in words.
fn assumptions(pool: &Pool, model: &Model, program: &Program, options: &Options) -> Vec<String> {
    let natural = limits::natural(pool, program);
    let mut lines = Vec::new();
    for entry in &model.entry {
        let condition = print::expr(pool, entry.expr);
        // The kind that a check claims to have is a hint. A report sums up the checks with the
        // right shape, and lists the others.
        let is_limit = options.code.contract.contains(&entry.expr)
            || limits::is_limit(pool, &natural, entry.expr);
        let what = match &entry.check {
            Check::SizeLimit { what } if !is_limit => format!("a limit of {what}"),
            check @ (Check::SizeLimit { .. }
            | Check::InputRegion { .. }
            | Check::OutputRegion { .. }
            | Check::Require { .. }
            | Check::DomainExtent { .. }
            | Check::SplitFactor { .. }
            | Check::Bound { .. }
            | Check::Layout { .. }) => describe(pool, check),
        };
        lines.push(format!("{what}: {condition}"));
    }
    lines.push("the caller's buffers do not overlap".to_owned());
    // For code of fewer bits it is an obligation that its entry checks do not overflow.
    if options.int_bits >= 64 {
        lines.push("entry checks are evaluated without overflow".to_owned());
    }
    lines
}

fn describe(pool: &Pool, check: &Check) -> String {
    let name = |func| &pool.func(func).name;
    match check {
        Check::InputRegion { input, dim, .. } => {
            format!("input region of {} in dimension {dim}", name(*input))
        }
        Check::OutputRegion { output, dim, .. } => {
            format!("output region of {} in dimension {dim}", name(*output))
        }
        Check::Require { message } => format!("require \"{message}\""),
        Check::DomainExtent { func, stage, variable } => {
            format!("reduction extent {variable} of stage {stage} of {}", name(*func))
        }
        Check::SplitFactor { func, variable } => {
            format!("split factor of {variable} in {}", name(*func))
        }
        Check::Bound { func, dim } => format!("bound of {} in dimension {dim}", name(*func)),
        Check::SizeLimit { what } => format!("size limit of {what}"),
        Check::Layout { func } => format!("layout of {}", name(*func)),
    }
}
