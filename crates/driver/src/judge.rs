//! Validation of our own compiles.

use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use halidom_base::stack;
use halidom_codegen::is_contracted;
use halidom_halide::Condition;
use halidom_halide::translate::Contract;
use halidom_ir::{Algorithm, Pool, Program};
use halidom_smt::{Asking, Family, FindError, Program as Solver};
use halidom_validate::{Code, Conventions, Floats, Given, Report};
use halidom_verdict::{self as verdict, Claim};

use crate::compile::Compiled;
use crate::reference;
use crate::stock::sizes;

/// Validation options.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solvers.
    pub asking: Asking,
    /// The engine that judges.
    pub engine: Engine,
    /// The weakest permitted equality of floats; `None` means the one that the pipeline permits.
    pub floats: Option<Floats>,
    /// The compiler that made the program.
    pub compiler: Compiler,
}

/// A compiler whose programs are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// This one. Its index arithmetic has 64 bits.
    Halidom,
    /// Stock Halide. Its index arithmetic has 32 bits. It owes nothing where the pipeline
    /// overflows, and it may contract floats anywhere. The counterexample search begins at the
    /// borders of the entry checks, as most of its statements refuse random sizes.
    Halide,
}

impl Compiler {
    /// The width of the compiled code's `int`s in bits.
    pub(crate) fn int_bits(self) -> u32 {
        match self {
            Self::Halidom => 64,
            Self::Halide => 32,
        }
    }

    /// The inputs on which the compiled code owes the pipeline's values.
    fn conventions(self) -> Conventions {
        match self {
            Self::Halidom => Conventions::Total,
            Self::Halide => Conventions::Halide,
        }
    }
}

/// The time limit of a judgement of stock Halide, if none is given.
pub const STOCK_LIMIT: Duration = Duration::from_mins(1);

/// The largest number of cases at the borders of entry checks.
const BORDERS: usize = 24;
/// The largest number of elements in an input or output of these cases.
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
        let asking = Asking::new(solver, Duration::from_secs(10));
        Self { asking, engine: Engine::Default, floats: None, compiler: Compiler::Halidom }
    }

    /// The options for stock Halide's output. Halide regroups floats like real numbers unless it is
    /// told not to.
    #[must_use]
    pub fn of_stock(self) -> Self {
        let floats = self.floats.or(Some(Floats::Reals));
        Self { compiler: Compiler::Halide, floats, ..self }
    }

    /// Tests whether the options are for stock Halide's output.
    fn is_stock(&self) -> bool {
        self.compiler == Compiler::Halide
    }

    /// The validator's options.
    pub fn validator(&self) -> halidom_validate::Options {
        halidom_validate::Options {
            asking: self.asking.clone(),
            floats: self.floats,
            int_bits: self.compiler.int_bits(),
            conventions: self.compiler.conventions(),
            ..halidom_validate::Options::new(self.asking.solver.clone())
        }
    }

    /// The reference engine's options; it has a minute for a program.
    pub fn reference(&self) -> halidom_reference::Options {
        halidom_reference::Options {
            asking: self.asking.clone(),
            time: Duration::from_mins(1),
            ..halidom_reference::Options::new(self.asking.solver.clone())
        }
    }
}

/// The change that `fast_math` lets stock Halide's compiler make to the statement.
const CONTRACTION: &str =
    "the C compiler rounding a product and the sum that it stands in once (`fast_math`)";

/// The change that `fast_math` lets the C compiler make to the validated program
/// ([`crate::execute::host`]). The compiled code may then give other bits than the program, so the
/// verdict names it.
const CONTRACTED: verdict::Condition = verdict::Condition::standard(
    "floats-contracted",
    "the C compiler may round a product and the sum that contains it once (`fast_math`)",
    "docs/language.md#pipelines",
);

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
        specified: contract.specified.known().clone(),
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

/// Judges a compiled program in a thread of its own while `work` is done in this one.
pub fn judge_during<T>(
    pool: &Pool,
    (algorithm, compiled): (&Algorithm, &Compiled),
    options: &Options,
    work: impl FnOnce() -> T,
) -> (T, Report) {
    thread::scope(|scope| {
        let judging = scope.spawn(|| judge(pool, algorithm, compiled, options));
        let done = work();
        (done, judging.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
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
    // Stock Halide contracts operators anywhere. Of a pipeline with strict operators, it contracts
    // the others.
    let is_contracted_anywhere =
        options.is_stock() && compiled.contract.conditions().contains(&Condition::Regroups);
    let mut report = if options.engine == Engine::Reference {
        reference::judge(pool, algorithm, compiled, &options.reference())
    } else {
        let mut own = options.validator();
        own.code = code(&compiled.contract);
        own.said.clone_from(&compiled.said);
        own.contracts_places = is_contracted_anywhere;
        // A pipeline with strict floats requires equal bits: nothing may regroup them.
        if options.is_stock() && !algorithm.fast_math {
            own.floats = Some(Floats::Bits);
        }
        if options.is_stock() {
            own.given = at_borders(pool, (algorithm, &compiled.program), BORDERS);
        }
        limit(&mut own);
        let (steps, program) = (&compiled.steps, &compiled.program);
        halidom_validate::validate_refined(&mut pool.clone(), algorithm, steps, program, &own)
    };
    if options.is_stock() {
        report.claim = Claim::Statement;
    }
    if is_contracted_anywhere {
        report.below.push(CONTRACTION);
    } else if algorithm.fast_math && !options.is_stock() && is_contracted(pool, &compiled.program) {
        report.conditions.push(CONTRACTED);
    }
    report
}

#[cfg(test)]
mod tests {
    use super::{Contract, code};

    #[test]
    fn our_own_code_promises_no_limit_of_memory() {
        assert!(!code(&Contract::default()).checks_memory);
    }
}
