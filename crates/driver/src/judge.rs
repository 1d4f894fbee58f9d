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

/// How to validate.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solver.
    pub solver: Solver,
    /// Time for one solver query.
    pub timeout: Duration,
    /// A folder for every solver query.
    pub emit_smt: Option<PathBuf>,
    /// A second solver.
    pub confirm: Option<Solver>,
    /// Answers to begin with, and to be kept.
    pub cache: Option<Cache>,
    /// Who judges.
    pub engine: Engine,
    /// The weakest equality of floats that is permitted; what the pipeline permits, if none is given.
    pub floats: Option<Floats>,
    /// How wide the compiled code's `int`s are: 64 bits, of stock Halide 32.
    pub int_bits: u32,
    /// Whether the search for a run that refutes begins at the borders of what entry checks accept: most statements of stock Halide refuse random sizes.
    pub borders: bool,
}

/// Sizes at these borders, at most.
const BORDERS: usize = 24;
/// Elements of an input or output at such sizes, at most.
const BORDER_ELEMENTS: i64 = 1 << 18;

/// Who judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The validator: obligations.
    #[default]
    Default,
    /// The literal evaluator of the paper's calculus: symbolic heaps.
    Reference,
}

impl Options {
    /// With the solver that is found, ten seconds a query.
    pub fn find() -> Result<Self, FindError> {
        Ok(Self::new(Solver::find(Family::Z3, None)?))
    }

    /// With this solver, ten seconds a query.
    pub fn new(solver: Solver) -> Self {
        let timeout = Duration::from_secs(10);
        let engine = Engine::Default;
        let (emit_smt, confirm, cache, floats) = (None, None, None, None);
        let (int_bits, borders) = (64, false);
        Self { solver, timeout, emit_smt, confirm, cache, engine, floats, int_bits, borders }
    }

    /// The same for what stock Halide compiled: its index arithmetic has 32 bits, and it regroups floats as if they were real numbers unless it is told not to.
    #[must_use]
    pub fn of_stock(self) -> Self {
        Self { int_bits: 32, borders: true, floats: self.floats.or(Some(Floats::Reals)), ..self }
    }

    /// Whether they are for what stock Halide compiled.
    fn is_stock(&self) -> bool {
        self.int_bits < 64
    }

    /// The same for the validator.
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
    /// The same for the reference engine, which has a minute for a program.
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

/// What `fast_math` lets the C compiler do to what is validated ([`crate::execute::host`]).
const CONTRACTION: &str =
    "the C compiler rounding a product and the sum that it stands in once (`fast_math`)";

/// Sizes at the borders of what a program's entry checks accept, the least first, at most so many; none if none are found that are accepted.
pub fn at_borders(
    pool: &Pool,
    (algorithm, program): (&Algorithm, &Program),
    count: usize,
) -> Vec<Given> {
    let cases = sizes::cases(pool, (algorithm, program), (1, count), BORDER_ELEMENTS).into_iter();
    cases.map(|case| Given { bindings: case.bindings, windows: case.windows }).collect()
}

/// What the validator is told of the code that a program stands for.
pub fn code(contract: &Contract) -> Code {
    Code {
        widths: contract.widths.known().clone(),
        contract: contract.clauses.iter().map(|clause| clause.expr).collect(),
        single: contract.single.clone(),
        checks_memory: contract.checks_memory,
        conditions: contract.conditions().iter().map(Condition::named).collect(),
    }
}

/// Validates a compiled program against its algorithm. Works on a copy of the pool, so that it can go on beside other uses of it.
pub fn judge(pool: &Pool, algorithm: &Algorithm, compiled: &Compiled, options: &Options) -> Report {
    judge_within(pool, (algorithm, compiled), options, &|_| {})
}

/// The same, with limits that a caller sets: how much is asked, and how long is searched.
pub fn judge_within(
    pool: &Pool,
    (algorithm, compiled): (&Algorithm, &Compiled),
    options: &Options,
    limit: &dyn Fn(&mut halidom_validate::Options),
) -> Report {
    stack::whole(|| judge_here(pool, (algorithm, compiled), options, limit))
}

/// The same, on the stack at hand.
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
        // Whoever asks for strict floats gets bits: nothing may regroup them.
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
    // Stock Halide contracts what it likes.
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
