//! Validation of our own compiles.

use std::path::PathBuf;
use std::time::Duration;

use halidom_base::stack;
use halidom_codegen::permits_contraction;
use halidom_halide::Condition;
use halidom_halide::translate::Contract;
use halidom_ir::{Algorithm, Pool, Program};
use halidom_smt::{Cache, Family, FindError, Program as Solver};
use halidom_validate::{Code, Conventions, Floats, Given, Report};
use halidom_verdict::Claim;

use crate::compile::Compiled;
use crate::reference;
use crate::stock::sizes;

/// Validation options.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solver.
    pub solver: Solver,
    /// The time limit for one solver query.
    pub timeout: Duration,
    /// A folder to which every solver query is written.
    pub emit_smt: Option<PathBuf>,
    /// A second solver that confirms answers.
    pub confirm: Option<Solver>,
    /// Cached answers to start with; new answers are added.
    pub cache: Option<Cache>,
    /// The engine that judges.
    pub engine: Engine,
    /// The weakest permitted equality of floats; `None` means the one that the pipeline permits.
    pub floats: Option<Floats>,
    /// The width of the compiled code's `int`s in bits: 64, or 32 for stock Halide.
    pub int_bits: u32,
    /// True if the counterexample search begins at the borders of the entry checks, as most
    /// statements of stock Halide refuse random sizes.
    pub borders: bool,
}

/// The largest number of such border sizes.
const BORDERS: usize = 24;
/// The largest number of elements in an input or output at these sizes.
const BORDER_ELEMENTS: i64 = 1 << 18;

/// The engine that judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The validator, based on obligations.
    #[default]
    Default,
    /// The literal evaluator of the paper's calculus, based on symbolic heaps.
    Reference,
}

impl Options {
    /// Options with the installed solver and ten seconds per query.
    pub fn find() -> Result<Self, FindError> {
        Ok(Self::new(Solver::find(Family::Z3, None)?))
    }

    /// Options with this solver and ten seconds per query.
    pub fn new(solver: Solver) -> Self {
        let timeout = Duration::from_secs(10);
        let engine = Engine::Default;
        let (emit_smt, confirm, cache, floats) = (None, None, None, None);
        let (int_bits, borders) = (64, false);
        Self { solver, timeout, emit_smt, confirm, cache, engine, floats, int_bits, borders }
    }

    /// The options for stock Halide's output. Its index arithmetic has 32 bits, and it regroups
    /// floats like real numbers unless it is told not to.
    #[must_use]
    pub fn of_stock(self) -> Self {
        Self { int_bits: 32, borders: true, floats: self.floats.or(Some(Floats::Reals)), ..self }
    }

    /// Tests whether the options are for stock Halide's output.
    fn is_stock(&self) -> bool {
        self.int_bits < 64
    }

    /// The validator's options.
    pub fn validator(&self) -> halidom_validate::Options {
        let mut own = halidom_validate::Options::new(self.solver.clone());
        own.timeout = self.timeout;
        own.emit_smt.clone_from(&self.emit_smt);
        own.confirm.clone_from(&self.confirm);
        own.cache.clone_from(&self.cache);
        own.floats = self.floats;
        own.int_bits = self.int_bits;
        own.conventions = if self.is_stock() { Conventions::Halide } else { Conventions::Total };
        own.contracts_places = self.is_stock();
        own
    }
}

impl Options {
    /// The reference engine's options; it has a minute for a program.
    pub fn reference(&self) -> halidom_reference::Options {
        let mut own = halidom_reference::Options::new(self.solver.clone());
        own.timeout = self.timeout;
        own.time = Duration::from_mins(1);
        own.emit_smt.clone_from(&self.emit_smt);
        own.confirm.clone_from(&self.confirm);
        own.cache.clone_from(&self.cache);
        own
    }
}

/// The change that `fast_math` lets the C compiler make to the validated program
/// ([`crate::execute::host`]).
const CONTRACTION: &str =
    "the C compiler rounding a product and the sum that it stands in once (`fast_math`)";

/// At most `count` accepted cases at the borders of a program's entry checks, the least sizes
/// first. Returns no cases if no accepted sizes are found.
pub fn at_borders(
    pool: &Pool,
    (algorithm, program): (&Algorithm, &Program),
    count: usize,
) -> Vec<Given> {
    let cases = sizes::cases(pool, (algorithm, program), (1, count), BORDER_ELEMENTS).into_iter();
    cases.map(|case| Given { bindings: case.bindings, windows: case.windows }).collect()
}

/// The validator's description of the code that a program stands for.
pub fn code(contract: &Contract) -> Code {
    Code {
        widths: contract.widths.known().clone(),
        contract: contract.clauses.iter().map(|clause| clause.expr).collect(),
        single: contract.single.clone(),
        checks_memory: contract.checks_memory,
        conditions: contract.conditions().iter().map(Condition::named).collect(),
    }
}

/// Validates a compiled program against its algorithm. Works on a copy of the pool, so that other
/// users of the pool may run concurrently.
pub fn judge(pool: &Pool, algorithm: &Algorithm, compiled: &Compiled, options: &Options) -> Report {
    judge_within(pool, (algorithm, compiled), options, &|_| {})
}

/// Like [`judge`], with further limits that the caller sets on the solver queries and the search.
pub fn judge_within(
    pool: &Pool,
    (algorithm, compiled): (&Algorithm, &Compiled),
    options: &Options,
    limit: &dyn Fn(&mut halidom_validate::Options),
) -> Report {
    stack::whole(|| judge_here(pool, (algorithm, compiled), options, limit))
}

/// Like [`judge_within`], on the current stack.
fn judge_here(
    pool: &Pool,
    (algorithm, compiled): (&Algorithm, &Compiled),
    options: &Options,
    limit: &dyn Fn(&mut halidom_validate::Options),
) -> Report {
    let mut report = if options.engine == Engine::Reference {
        reference::judge(pool, algorithm, compiled, &options.reference())
    } else {
        let mut own = options.validator();
        own.code = code(&compiled.contract);
        // A pipeline with strict floats requires equal bits: nothing may regroup them.
        if options.is_stock() && !algorithm.fast_math {
            own.floats = Some(Floats::Bits);
        }
        if options.borders {
            own.given = at_borders(pool, (algorithm, &compiled.program), BORDERS);
        }
        limit(&mut own);
        let (steps, program) = (&compiled.steps, &compiled.program);
        halidom_validate::validate_refined(&mut pool.clone(), algorithm, steps, program, &own)
    };
    if options.is_stock() {
        report.claim = Claim::Statement;
    }
    // Stock Halide contracts operations anywhere.
    let contracts = |program| options.is_stock() || permits_contraction(pool, program);
    if algorithm.fast_math && contracts(&compiled.program) {
        report.below.push(CONTRACTION);
    }
    report
}

#[cfg(test)]
mod tests {
    use halidom_validate::Floats;

    use super::Options;

    #[test]
    fn stock_halide_contracts_places_whatever_equality_is_asked_for() {
        let own = Options::find().expect("a solver is installed");
        assert!(!own.validator().contracts_places);
        let stock = Options { floats: Some(Floats::Bits), ..own }.of_stock();
        assert!(stock.validator().contracts_places);
    }
}
