//! Compiles array programs, proves that the result computes what the algorithm defines, and runs
//! it.
//!
//! ```
//! use halidom::{Input, Named, compile, from_array, judge, run, to_array};
//!
//! let mut input = Input::text(
//!     "pipeline sums(a: buffer<i32, 1>) -> b: buffer<i32, 1> { func b(x) = a(x) + a(x + 1); }
//!      schedule fast for sums { b.vectorize(x, 8, tail: guard); }",
//! )?;
//! let program = compile(&mut input, &Named::schedule("fast"))?;
//! assert!(judge(&program)?.is_proved());
//! let a = to_array(&[4], &[1, 2, 3, 4]).expect("four elements");
//! let outputs = run(&program, &[("a", a)])?;
//! assert_eq!(from_array::<i32>(&outputs[0]), Some(vec![3, 5, 7]));
//! # Ok::<(), halidom::Error>(())
//! ```
//!
//! An [`Input`] is a text or a file ([`Input::open`]): pipelines and schedules, derivations, one
//! program, or a pipeline that stock Halide compiles. [`compile()`] makes a [`Program`] of it,
//! [`judge`] answers with a [`Verdict`], and [`run`] compiles the program to native code and calls
//! it. The crate knows nothing about terminals and prints nothing.

mod elements;

use halidom_codegen::CompileError;
use halidom_driver::data::{self, DataError, Request, Source};
use halidom_driver::execute::{self, BuildError, ExecuteError};
use halidom_driver::judge::{Compiler, Options};
use halidom_smt::FindError;

pub use elements::{Element, from_array, to_array};
pub use halidom_driver::input::{Chosen, Input, Kind, Named, Refusal};
pub use halidom_driver::subject::Subject as Program;
pub use halidom_ir::{Array, Scalar, Shape};
pub use halidom_verdict::Verdict;

/// The reasons for which a job gives no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input is refused.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// No solver is installed.
    #[error(transparent)]
    Solver(#[from] FindError),
    /// The arrays do not fit the program.
    #[error(transparent)]
    Data(#[from] DataError),
    /// No C compiler is installed.
    #[error(transparent)]
    Toolchain(#[from] CompileError),
    /// The program cannot be compiled to native code.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The native code reports an error.
    #[error(transparent)]
    Run(#[from] ExecuteError),
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

/// Compiles the part of an input that names choose. A name may be left out where there is one only;
/// without a schedule's name, the pipeline is unscheduled.
pub fn compile(input: &mut Input, named: &Named) -> Result<Program, Error> {
    let chosen = input.one(named)?;
    Ok(input.compile(&chosen, &mut |_, _, _| {})?)
}

/// Compares a program with the algorithm that it should compute, with the installed solver.
///
/// A refutation of stock Halide's output is a run of its statement in the interpreter; the compiled
/// code is not run.
pub fn judge(program: &Program) -> Result<Verdict, Error> {
    let own = Options::find()?;
    let options = match program.compiler {
        Compiler::Halidom => own,
        Compiler::Halide => own.of_stock(),
    };
    let Program { pool, algorithm, compiled, .. } = program;
    Ok(halidom_driver::judge::judge(pool, algorithm, compiled, &options).answer())
}

/// Compiles a program without parameters to native code and calls it on arrays. Returns one array
/// for each component of the outputs, as large as the inputs allow. [`run_with`] takes parameters.
pub fn run(program: &Program, inputs: &[(&str, Array)]) -> Result<Vec<Array>, Error> {
    run_with(program, inputs, &[], None)
}

/// Like [`run`], with values for parameters, written as on the command line, and with the extents
/// of the output.
pub fn run_with(
    program: &Program,
    inputs: &[(&str, Array)],
    params: &[(&str, &str)],
    size: Option<&[i64]>,
) -> Result<Vec<Array>, Error> {
    let Program { pool, algorithm, compiled, .. } = program;
    let given = |(name, array): &(&str, Array)| ((*name).to_owned(), Source::Array(array.clone()));
    let set = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let request = Request {
        inputs: inputs.iter().map(given).collect(),
        params: params.iter().map(set).collect(),
        size: size.map(<[i64]>::to_vec),
        ..Request::default()
    };
    let references = std::slice::from_ref(&compiled.structured);
    let prepared = data::prepare(pool, algorithm, references, &request)?;
    let toolchain = execute::toolchain()?;
    let native = execute::build(pool, &compiled.program, &toolchain, execute::host(algorithm))?;
    let mut placed = execute::place(&native, pool, algorithm, &compiled.program, &prepared)?;
    placed.run()?;
    Ok(placed.outputs()?)
}
