//! The command line's grammar.

mod diff;
mod preload;
mod studio;
mod tune;
mod validate;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use diff::DiffArgs;
pub(crate) use preload::PreloadArgs;
pub(crate) use studio::StudioArgs;
pub(crate) use tune::{LanguageArg, TuneArgs};
pub(crate) use validate::{AnnotationsArg, Given, ValidateArgs};

/// Compiles array programs under a schedule and proves that the result computes what the algorithm
/// defines.
#[derive(Debug, Parser)]
#[command(
    name = "halidom",
    version,
    after_help = "Example: halidom run examples/blur.hal -s tiled \
        --input input=photo.png --output blurred.png"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print one JSON object, and nothing else, on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print less on standard error
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print more on standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Parse, type and check a file and all its schedules; print the loop nests
    #[command(after_help = "Example: halidom check examples/blur.hal --bounds")]
    Check(CheckArgs),
    /// Compile, validate and run a pipeline
    #[command(after_help = "Example: halidom run examples/blur.hal -s tiled \
            --input input=photo.png --output blurred.png")]
    Run(RunArgs),
    /// Compile ahead of time: C source, header, object, static library, and a validation report
    #[command(after_help = "Examples:
  halidom build examples/blur.hal -s tiled -o out
  halidom build examples/chunks/reductions.hal -p moments --window '*' --compute total --piece")]
    Build(BuildArgs),
    /// Print the region of each input that a window of the outputs needs, as a formula, and prove
    /// that no read leaves it
    #[command(
        after_help = "In the formula of an output `f(x, y)`, `x0` and `x1` are the first and the \
last coordinate of the window in dimension `x`; `input.min(0)` and `input.max(0)` are those of a \
whole input. Without `--schedule`, all schedules are examined: each may read more than the \
algorithm needs.\n\n\
Exit status: 0 proved, 1 refuted, 2 bad input, 3 unknown.\n\n\
Examples:
  halidom halo examples/edges.hal -s strips
  halidom halo examples/chunks/filters.hal -p mean_mirrored --depth 1,1 --boundary reflect"
    )]
    Halo(HaloArgs),
    /// Print the intermediate representation after a stage of compilation
    #[command(
        after_help = "Examples:\n  halidom lower examples/blur.hal -s tiled --stage bounds\n  \
halidom lower blur.ir --pass flatten_storage --pass vectorize"
    )]
    Lower(LowerArgs),
    /// Prove that compiled schedules compute what the algorithm defines, or show an input on which
    /// they do not
    #[command(
        after_help = "FILE is a program (.hal), a file of derivations (.atl), or an algorithm with \
a program in the form that `lower` prints (.ir).\n\n\
Exit status: 0 proved, 1 refuted, 2 bad input or nothing to judge, 3 unknown, \
4 the solvers disagree.\n\n\
Examples:\n  halidom validate examples/blur.hal -s tiled\n  \
halidom validate examples/blur.hal --cache answers --baseline verdicts.json --sarif out.sarif\n  \
halidom validate examples/blur.hal -s rows --engine reference\n  \
halidom validate dot.ir --floats axioms\n  \
halidom validate --halide blur.hlpipe --ir blur.stmt --passes dump.txt\n  \
halidom validate --passes dump.txt\n  \
halidom validate --halide-script blur.py\n  \
halidom validate --generator ./blur.generator -g blur radius=2\n  \
halidom validate --halide blur.hlpipe --assume '0 <= radius'\n  \
halidom validate --halide-script blur.py --limit 120\n  \
halidom validate --generator ./blur.generator autoscheduler=Mullapudi2016 --plugin mullapudi.so\n  \
halidom validate --halide-script blur.py --annotations always"
    )]
    Validate(ValidateArgs),
    /// Compare two compiles of one pipeline by stock Halide: two releases, two targets or two
    /// schedules; prove that they compute the same, or find an input on which they differ
    #[command(after_help = "Exit status: 0 proved, 1 they differ, 2 bad input, 3 unknown.\n\n\
Examples:\n  halidom diff blur.py --old-python old/bin/python --new-python new/bin/python\n  \
halidom diff blur.py --new-target x86-64-linux-avx2\n  halidom diff blur.py blur_tiled.py\n  \
halidom diff ./old.generator ./new.generator -g blur --param threads=false")]
    Diff(DiffArgs),
    /// Write an HTML page about the proof: algorithm, schedule, loop nest, and the program with the
    /// status of each store
    #[command(after_help = "Example: halidom report examples/blur.hal -s tiled -o report.html")]
    Report(ReportArgs),
    /// Explain a store that is not proved: the relevant part of the program, the attempts, and
    /// changes that would help
    #[command(after_help = "Example: halidom explain examples/blur.hal -s tiled --store 1")]
    Explain(ExplainArgs),
    /// Derive a fast program from a clear one by proved rewriting; write C and a certificate that
    /// Coq checks
    #[command(after_help = "Example: halidom derive examples/two_stage.atl --check -o out")]
    Derive(DeriveArgs),
    /// Check a folder with a certificate from somebody else
    #[command(
        after_help = "FOLDER contains NAME.atl and Proof.v, and also NAME.c, Statement.v and \
Check.v if `halidom derive -o` wrote it. The command computes the certificate's statement from \
NAME.atl and prints it. The other files must agree with it, and Proof.v must prove it.\n\n\
Exit status: 0 proved, 1 refused, 2 bad input, 3 not decided (no Coq, or not in time).\n\n\
Example: halidom certificate out/tiled"
    )]
    Certificate(CertificateArgs),
    /// Verify the mutators and rewrite rules of a compiler from its C++ source
    #[command(
        after_help = "Rules depend on one another, because the simplifier simplifies the operands \
of a rule first: give the files of the whole simplifier.\n\n\
Example: halidom verify Simplify_*.cpp --profile halide --cache rules.cache\n\
Example: halidom verify src/arith/rewrite_simplify.cc --profile tvm"
    )]
    Verify(VerifyArgs),
    /// Convert a serialized pipeline of stock Halide to a program: the algorithm and its schedule
    #[command(after_help = "Example: halidom import blur.hlpipe -o blur.hal")]
    Import(ImportArgs),
    /// Time schedules against one another, and against stock Halide's code for the same schedules
    #[command(after_help = "All forms get the same inputs and are called in turn in one process. \
Without `--schedule`, every schedule of the pipeline is timed. Input sizes without a value follow \
from `--size`; all other data without a value are random (seed 1, or `--random`).\n\n\
Example: halidom bench examples/table1/blur.hal --against halide --size 6400x4800 --threads 1,2 \
--svg blur.svg")]
    Bench(BenchArgs),
    /// Search for a fast schedule within a time budget, prove it, and print it as text to paste
    #[command(
        after_help = "The search begins with SCHEDULE or, by default, with all schedules of the \
pipeline and some that are made from the algorithm. It changes numbers, the order of loops, and \
the places where funcs are computed. The outputs of every candidate that runs are compared with \
those of the interpreter or the unscheduled form, and the winner is validated. Input sizes without \
a value follow from `--size`; all other data without a value are random (seed 1, or \
`--random`).\n\n\
With `--language` or `--halide-script` the search is for stock Halide: the installed Halide \
compiles each schedule, its code is timed, and the statement that it compiles from the winner is \
validated. FILE may then be a serialized pipeline (.hlpipe). Schedules for which Halide's code \
gives other outputs are printed, and never win.\n\n\
Exit status: 0 a schedule is proved, 1 a legal schedule computes something else, 2 bad input or \
nothing to judge, 3 none of the fastest is proved.\n\n\
Examples:\n  halidom tune examples/blur.hal --size 1920x1080 --budget 30\n  \
halidom tune examples/table1/harris.hal -s application --size 2560x1536 --threads 1 \
-o tuned.hal\n  \
halidom tune examples/blur.hal --size 1920x1080 --explain\n  \
halidom tune examples/blur.hal --size 1920x1080 --allow-bounds\n  \
halidom tune examples/blur.hal --size 1920x1080 --language cpp\n  \
halidom tune --halide-script blur.py --size 1920x1080\n  \
halidom tune --calibrate\n  \
halidom tune examples/blur.hal --size 1920x1080 --sample 40 --samples blur.jsonl"
    )]
    Tune(TuneArgs),
    /// Format the text of programs: spaces, line breaks and indentation
    #[command(
        after_help = "A file with syntax errors is left alone. Line breaks at usual places stay; \
lines of more than 100 columns are broken. `-` stands for standard input, and its formatted text \
is printed.\n\n\
Exit status: 0 formatted, 1 with `--check` if a file is not formatted, 2 bad input.\n\n\
Examples:\n  halidom fmt examples/blur.hal\n  halidom fmt --check examples/*.hal"
    )]
    Fmt(FmtArgs),
    /// Serve an editor: the Language Server Protocol on standard input and output
    #[command(
        after_help = "Editors start this command. It reports errors while one types, completes and \
explains names, formats, and proves schedules in the background; `docs/guide/editor.md` tells how \
to set up an editor.\n\n\
Exit status: 0 after `shutdown` and `exit`, 1 if the client breaks off.\n\n\
Example: halidom lsp"
    )]
    Lsp,
    /// Serve a local web page on which FILE is edited, scheduled and proved
    #[command(
        after_help = "The page is served to this computer alone, under an address with a random \
token, which is printed. Proofs run in processes of their own. The verdict that the page shows is \
about exactly the text that it shows. Nothing is written before `Save`. Ctrl-C ends the server and \
its proofs.\n\n\
Example: halidom studio examples/blur.hal --open"
    )]
    Studio(StudioArgs),
    /// Write a pipeline under a schedule as a Python script for Halide
    #[command(
        after_help = "The script defines `pipeline()`, as `validate --halide-script` requires.\n\n\
Example: halidom export examples/blur.hal -s tiled -o blur.py"
    )]
    Export(ExportArgs),
    /// Test interpreters, native code and validator against one another on random programs and
    /// schedules
    #[command(
        after_help = "With `--engine reference`, the validator and the reference engine judge \
small affine programs and mutants of them, and must not contradict each other.\n\n\
Examples:\n  halidom fuzz --programs 1000 --seed 1\n  \
halidom fuzz --engine reference --programs 2000 --mutants 1\n  \
halidom fuzz --target halide --programs 500 --findings findings"
    )]
    Fuzz(FuzzArgs),
    /// Print the path of a library for LD_PRELOAD, which judges every pipeline that a C++ program
    /// compiles with Halide, and leaves the program's output and exit status alone
    #[command(
        after_help = "The library is compiled at first use against the program's own Halide. The \
program must be linked with libHalide.so. A summary is printed on standard error when the program \
ends.\n\n\
Variables of the program's environment:\n  \
HALIDOM_PRELOAD_REPORT=DIR   keep pipelines, statements and verdicts in DIR\n  \
HALIDOM_PRELOAD_SUMMARY=FILE append the summary to FILE instead\n  \
HALIDOM_PRELOAD_STRICT=1     a program that ends with 0 ends with 1 (refuted) or 3 (no proof)\n  \
HALIDOM_PRELOAD_LIMIT=60     seconds for one verdict\n  \
HALIDOM_PRELOAD_WAIT=600     seconds in which verdicts are awaited when the program ends\n  \
HALIDOM_PRELOAD_MOST=200     the number of compiles that are looked at\n  \
HALIDOM_PRELOAD_JOBS=N       judgements at the same time\n  \
HALIDOM_PRELOAD_OPTIONS=…    further options of `halidom validate`\n\n\
Example: LD_PRELOAD=$(halidom preload) ./program"
    )]
    Preload(PreloadArgs),
    /// Shrink a program and its schedules while a command keeps failing
    #[command(
        after_help = "The command runs on smaller and smaller forms of FILE, each of which parses; \
`{}` in the command is replaced by the form's path, which is appended if there is no `{}`. A form \
is kept if the command ends with the same status as on FILE.\n\n\
Example: halidom reduce wrong.hal --while 'halidom validate {}' --output small.hal"
    )]
    Reduce(ReduceArgs),
    /// Print the library that connects Halidom with the installed Halide; compile it if necessary
    #[command(after_help = "The Python package loads it into the process whose pipelines it \
judges, and carries it compiled.\n\nExample: halidom bridge --output python/halidom/bridge")]
    Bridge(BridgeArgs),
    /// List the tools that are found, such as solvers, those that are missing, and how to get them
    #[command(after_help = "Example: halidom doctor")]
    Doctor,
}

#[derive(Debug, Args)]
pub(crate) struct BridgeArgs {
    /// Copy the library and its programs to this folder too, as a package carries them
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// A pipeline of a file, and its schedule.
#[derive(Debug, Args)]
pub(crate) struct Choice {
    /// The program
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) named: Named,
}

/// The names of a pipeline and a schedule, or of a derivation.
#[derive(Clone, Debug, Args)]
pub(crate) struct Named {
    /// The pipeline; may be omitted if the file has only one
    #[arg(short, long)]
    pub(crate) pipeline: Option<String>,
    /// The schedule; `default` is the unscheduled form
    #[arg(short, long)]
    pub(crate) schedule: Option<String>,
    /// The derivation in a file of programs and derivations (.atl); may be omitted if the file has
    /// only one
    #[arg(short, long, conflicts_with_all = ["pipeline", "schedule"])]
    pub(crate) derivation: Option<String>,
    /// Give an input, or with `*` every input, a window: callers pass a part of it, and the bounds
    /// of the whole as parameters
    #[arg(long = "window", value_name = "INPUT")]
    pub(crate) windows: Vec<String>,
    /// Compute this func instead of the outputs: a phase of the pipeline, without the schedule's
    /// directives but with the funcs that it makes (`in`, `rfactor`)
    #[arg(long, value_name = "FUNC")]
    pub(crate) compute: Option<String>,
    /// Take this func, which an earlier phase has computed, as an input
    #[arg(long, value_name = "FUNC")]
    pub(crate) given: Vec<String>,
    /// Let the computed func continue its reduction: it takes the values so far, `FUNC_before`, and
    /// the range of its outermost variable, from `FUNC_from` to below `FUNC_until`
    #[arg(long, requires = "compute")]
    pub(crate) piece: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// Also print the bounds query and the answers of both engines
    #[arg(long)]
    pub(crate) bounds: bool,
}

/// The data of a run.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// A parameter's value
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) params: Vec<String>,
    /// An input: an image or NPY file (`NAME=FILE:gray` reads colour as grey), `random:SEED`, or
    /// `zeros`
    #[arg(long = "input", value_name = "NAME=FILE|random:SEED|zeros")]
    pub(crate) inputs: Vec<String>,
    /// Generate all inputs and parameters that have no other value from this seed
    #[arg(long, value_name = "SEED")]
    pub(crate) random: Option<u64>,
    /// Extents of the output, the first dimension first; by default, the largest that the inputs
    /// allow
    #[arg(long, value_name = "E0xE1…")]
    pub(crate) size: Option<String>,
    /// Extents of an input that is not a file, if the output does not determine them
    #[arg(long = "input-size", value_name = "NAME=E0xE1…")]
    pub(crate) input_sizes: Vec<String>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) choice: Choice,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// The file for the output (.png, .pgm, .ppm, .npy); for several outputs, one NAME=FILE each
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Vec<String>,
    /// Evaluate the algorithm itself, without schedule and compiler
    #[arg(long)]
    pub(crate) interpret: bool,
    /// Do not validate
    #[arg(long)]
    pub(crate) no_validate: bool,
    /// Run at once and validate in parallel; the verdict comes last
    #[arg(long, conflicts_with = "no_validate")]
    pub(crate) eager: bool,
    /// Run the program only if it is proved
    #[arg(long, conflicts_with_all = ["no_validate", "interpret", "eager"])]
    pub(crate) strict: bool,
    /// Threads for parallel loops; all processors by default
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) threads: Option<u32>,
}

/// An output of `build`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// `.c`, together with the runtime's `.h`; the static library has the runtime itself
    C,
    /// `.h`
    Header,
    /// `.o`
    Object,
    /// `.a`
    StaticLibrary,
    /// `.so`, with the runtime, for programs that load it while they run
    SharedLibrary,
    /// The final intermediate representation
    Ir,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// The folder for the results
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// The files to write
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "c,header,object,static-library,ir"
    )]
    pub(crate) emit: Vec<Emit>,
    /// Do not validate
    #[arg(long)]
    pub(crate) no_validate: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HaloArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// The pipeline; may be omitted if the file has only one
    #[arg(short, long)]
    pub(crate) pipeline: Option<String>,
    /// The schedule; `default` is the unscheduled form
    #[arg(short, long)]
    pub(crate) schedule: Option<String>,
    /// Judge blocks with this overlap instead: the pipeline is applied to each block as if it were
    /// the whole. A number for each dimension, or two as in `1:3,2`, for before and after
    #[arg(long, value_name = "DEPTH", conflicts_with = "no_validate")]
    pub(crate) depth: Option<String>,
    /// The elements of blocks beyond the array, as Dask defines them: `none`, `nearest`, `reflect`,
    /// `periodic` or a number; one for all dimensions, or one for each
    #[arg(long, requires = "depth", default_value = "none")]
    pub(crate) boundary: String,
    /// Print the formula without a proof
    #[arg(long)]
    pub(crate) no_validate: bool,
    #[command(flatten)]
    pub(crate) solving: Solving,
}

#[derive(Debug, Args)]
pub(crate) struct LowerArgs {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// The stage: `holes`, `bounds`, `final`, or the name of a pass
    #[arg(long, default_value = "final", conflicts_with = "pass")]
    pub(crate) stage: String,
    /// Run only this pass, on a program in the form that `lower` prints (.ir); repeat it to run
    /// several in order
    #[arg(long, value_name = "NAME")]
    pub(crate) pass: Vec<String>,
    /// Print the time of each stage, and of the verifier after it, in place of the program
    #[arg(long)]
    pub(crate) time_passes: bool,
}

/// The engine that judges programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// The validator, which closes obligations one by one
    Default,
    /// A literal, slow evaluator of the paper's calculus for affine programs: it answers proved or
    /// unknown
    Reference,
}

/// A meaning of equality of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FloatsArg {
    /// The same bits
    Bits,
    /// Equal by named laws, such as associativity; the verdict lists the laws that it uses
    Axioms,
    /// Equal if computed with real numbers
    Reals,
}

/// The options of a validation and its solvers.
#[derive(Debug, Args)]
pub(crate) struct Solving {
    /// The weakest permitted equality of floats; by default `bits`, or `axioms` if the pipeline has
    /// `fast_math`. Stronger ones are tried first
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) floats: Option<FloatsArg>,
    /// The time limit of one solver query, in seconds
    #[arg(long, default_value_t = 10.0)]
    pub(crate) timeout: f64,
    /// The Z3 executable to use, instead of the one that is found
    #[arg(long, value_name = "FILE")]
    pub(crate) solver: Option<PathBuf>,
    /// Ask a second solver to confirm each answer that closes an obligation: `cvc5`, or an
    /// executable
    #[arg(long, value_name = "SOLVER")]
    pub(crate) confirm: Option<PathBuf>,
    /// A file that keeps solver answers for later runs; it is trusted like the solver
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// The file for the page
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) solving: Solving,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) given: Given,
    /// The store's number in the output of `halidom validate --verbose`
    #[arg(long, value_name = "N")]
    pub(crate) store: usize,
    /// The time limit for trying changes that may help, in seconds
    #[arg(long, default_value_t = 20.0)]
    pub(crate) budget: f64,
    #[command(flatten)]
    pub(crate) solving: Solving,
}

/// An output of `derive`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeriveEmit {
    /// `.c`
    C,
    /// The certificate: a separate folder with the program, the C, `Statement.v`, `Proof.v` and
    /// `Check.v`
    Coq,
    /// The final intermediate representation, with the source program as its algorithm
    Ir,
}

#[derive(Debug, Args)]
pub(crate) struct CertificateArgs {
    /// The folder of the certificate
    pub(crate) folder: PathBuf,
    /// Do not compile the proof if there is no sandbox: it may overwrite your files
    #[arg(long)]
    pub(crate) require_sandbox: bool,
}

/// More commands than a script has.
pub(crate) const ALL_COMMANDS: usize = 4_294_967_295;
/// The same number, as the default of an option.
const ALL_COMMANDS_WORD: &str = "4294967295";

#[derive(Debug, Args)]
pub(crate) struct DeriveArgs {
    /// A file of programs and derivations (.atl)
    #[arg(required_unless_present = "rules")]
    pub(crate) file: Option<PathBuf>,
    /// The derivation; by default, all derivations of the file
    #[arg(short, long)]
    pub(crate) derivation: Option<String>,
    /// The folder for the results
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Have Coq check the certificates
    #[arg(long)]
    pub(crate) check: bool,
    /// Show the program after each command
    #[arg(long)]
    pub(crate) step: bool,
    /// List the sites of the program after the first N commands of the script (by default, after
    /// all), with their numbers
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = ALL_COMMANDS_WORD)]
    #[arg(conflicts_with_all = ["check", "step", "emit"])]
    pub(crate) sites: Option<usize>,
    /// List the rewrite rules, or those with NAME in their name: what they rewrite, their side
    /// conditions, and the Coq lemma
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    #[arg(conflicts_with = "file")]
    pub(crate) rules: Option<String>,
    /// The results to write into the folder (by default `c` and `coq`), or to print alone if there
    /// is no folder (by default none)
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) emit: Vec<DeriveEmit>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// C++ files, or a folder with a checkout of the compiler, in which the command finds the files
    /// with transformations
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The compiler whose IR it is: `halide`, `halide-hls`, `halide-to-hardware`, `heterocl` or
    /// `tvm`
    #[arg(long)]
    pub(crate) profile: String,
    /// Verify only the mutators and rules with NAME in their file and function, such as
    /// `Simplify.cpp: Simplify::visit(const Add *)`
    #[arg(long, value_name = "NAME")]
    pub(crate) mutator: Vec<String>,
    /// Verify only rewrite rules, or only mutators
    #[arg(long)]
    pub(crate) only: Option<Part>,
    /// List the mutators that would be verified
    #[arg(long)]
    pub(crate) list: bool,
    /// Report rewrite rules only for integers of these widths (8, 16 or 32)
    #[arg(long, value_delimiter = ',', value_name = "WIDTH,…")]
    pub(crate) bits: Vec<u8>,
    /// The time limit of one solver query, in seconds
    #[arg(long, default_value_t = 2.0)]
    pub(crate) timeout: f64,
    /// Solvers that run in parallel; by default, one for each processor
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// A file that keeps solver answers for later runs
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,
    /// Write a program that tests rules on a compiled simplifier: every refutation, and an example
    /// of each verified rule. It is C++ to be linked with Halide, or Python for an installed TVM
    #[arg(long, value_name = "FILE")]
    pub(crate) ask: Option<PathBuf>,
}

/// The compiler under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FuzzTarget {
    /// Halidom
    Own,
    /// Stock Halide, by way of Python scripts made from the programs
    Halide,
}

/// A part of a compiler that `verify` can verify alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Rewrite rules
    Rules,
    /// Mutators
    Mutators,
}

#[derive(Debug, Args)]
pub(crate) struct FuzzArgs {
    /// The compiler under test: Halidom, or the installed Halide
    #[arg(long, value_enum, default_value = "own")]
    pub(crate) target: FuzzTarget,
    /// The number of programs
    #[arg(long, default_value_t = 100)]
    pub(crate) programs: u64,
    /// The first program's seed; each further program has the next number
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Random schedules for each program; the unscheduled form is the first step of each
    #[arg(long, default_value_t = 1)]
    pub(crate) schedules: u64,
    /// Random completions of each step of a schedule, in addition to the bounds engine's
    #[arg(long, default_value_t = 1)]
    pub(crate) completions: usize,
    /// Compile one in N schedules to native code; 0 compiles none
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) native_one_in: u64,
    /// Validate one in N final programs, within limits that do not depend on the machine; 0
    /// validates none
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub(crate) validate_one_in: u64,
    /// Compare the validator with this engine instead of examining compiles
    #[arg(long, value_enum, default_value = "default")]
    pub(crate) engine: Engine,
    /// Mutants of each compiled program; a mutant that a run shows to be wrong must not be proved
    #[arg(long, default_value_t = 0)]
    pub(crate) mutants: usize,
    /// Do not validate
    #[arg(long)]
    pub(crate) no_validate: bool,
    /// Programs examined in parallel; by default, one for each processor
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Stop after N disagreements
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) stop_after: usize,
    /// Do not shrink the findings
    #[arg(long)]
    pub(crate) no_shrink: bool,
    /// Print the programs and their schedules instead of examining them
    #[arg(long)]
    pub(crate) print: bool,
    /// The folder for findings: each program, and the smallest one found with the same kind of
    /// disagreement
    #[arg(long, default_value = "findings", value_name = "DIR")]
    pub(crate) findings: PathBuf,
    /// Examine this program under its schedules instead of random programs, on the seed's cases
    #[arg(long, value_name = "FILE", conflicts_with = "programs")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReduceArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// A shell command that fails on the program; `{}` stands for the file
    #[arg(long = "while", value_name = "CMD")]
    pub(crate) command: String,
    /// The file for the small program; standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The largest number of forms to try
    #[arg(long, default_value_t = 5000)]
    pub(crate) tries: usize,
    /// The time limit of one run of the command, in seconds
    #[arg(long, default_value_t = 60.0)]
    pub(crate) timeout: f64,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The pipeline (.hlpipe), as `halide.serialize_pipeline` writes it
    pub(crate) file: PathBuf,
    /// The file for the program; standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The compiler whose code is timed in addition to Halidom's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Against {
    /// The installed Halide, with the same algorithm and schedule
    Halide,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// The pipeline; may be omitted if the file has only one
    #[arg(short, long)]
    pub(crate) pipeline: Option<String>,
    /// A schedule to time; may be repeated. By default, all schedules of the pipeline
    #[arg(short, long)]
    pub(crate) schedule: Vec<String>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// The compiler whose code is timed as well
    #[arg(long, value_enum)]
    pub(crate) against: Option<Against>,
    /// Numbers of threads, with one table for each; by default, 1 and all processors
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N,…",
        value_parser = clap::value_parser!(u16).range(1..=256)
    )]
    pub(crate) threads: Vec<u16>,
    /// The number of timed rounds; fewer if they take long
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// The time limit for the rounds with one number of threads, in seconds; at least five rounds
    /// are timed
    #[arg(long, default_value_t = 20.0)]
    pub(crate) budget: f64,
    /// The file for a picture of the medians
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Do not validate the timed schedules
    #[arg(long)]
    pub(crate) no_validate: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FmtArgs {
    /// The programs (.hal); `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; list the files that are not formatted
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// The pipeline; may be omitted if the file has only one
    #[arg(short, long)]
    pub(crate) pipeline: Option<String>,
    /// The schedule; `default` is the unscheduled form
    #[arg(short, long)]
    pub(crate) schedule: Option<String>,
    /// The file for the Python script; standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
