//! The command line's grammar.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Compiles array programs under a schedule and proves what was compiled.
#[derive(Debug, Parser)]
#[command(
    name = "halidom",
    version,
    after_help = "Example: halidom run examples/blur.hal -s tiled --input input=photo.png --output blurred.png"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print one JSON object on standard output and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say less on standard error
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more on standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Parse, type and check a file and every schedule in it; print the loop nests
    #[command(after_help = "Example: halidom check examples/blur.hal --bounds")]
    Check(CheckArgs),
    /// Compile, validate and run a pipeline
    #[command(
        after_help = "Example: halidom run examples/blur.hal -s tiled --input input=photo.png --output blurred.png"
    )]
    Run(RunArgs),
    /// Compile ahead of time: C source, header, object, static library, and a validation report
    #[command(after_help = "Example: halidom build examples/blur.hal -s tiled -o out")]
    Build(BuildArgs),
    /// Print the intermediate representation after a stage of compilation
    #[command(after_help = "Example: halidom lower examples/blur.hal -s tiled --stage bounds")]
    Lower(LowerArgs),
    /// Prove that compiled schedules compute what the algorithm says, or show an input on which they do not
    #[command(
        after_help = "FILE is a program (.hal), a file of derivations (.atl), or an algorithm with a program as `lower` prints them (.ir).\n\n\
Exit status: 0 proved, 1 refuted, 2 bad input or nothing to judge, 3 unknown, 4 the solvers disagree.\n\n\
Examples:\n  halidom validate examples/blur.hal -s tiled\n  halidom validate examples/blur.hal --cache answers --baseline verdicts.json --sarif out.sarif\n  halidom validate examples/blur.hal -s rows --engine reference\n  \
halidom validate dot.ir --floats axioms\n  halidom validate --halide blur.hlpipe --ir blur.stmt --passes dump.txt\n  halidom validate --passes dump.txt\n  \
halidom validate --halide-script blur.py\n  halidom validate --generator ./blur.generator -g blur radius=2\n  halidom validate --halide blur.hlpipe --assume '0 <= radius'\n  \
halidom validate --halide-script blur.py --annotations always"
    )]
    Validate(ValidateArgs),
    /// Write a page on what is proved: algorithm, schedule, loop nest, and the program with the status of each store
    #[command(after_help = "Example: halidom report examples/blur.hal -s tiled -o report.html")]
    Report(ReportArgs),
    /// Show of a store that is not proved what matters, what was tried, and what would help
    #[command(after_help = "Example: halidom explain examples/blur.hal -s tiled --store 1")]
    Explain(ExplainArgs),
    /// Derive a fast program from a clear one by proved rewriting; write C and a certificate that Coq checks
    #[command(after_help = "Example: halidom derive examples/two_stage.atl --check -o out")]
    Derive(DeriveArgs),
    /// Check a folder with a certificate that somebody sent
    #[command(
        after_help = "FOLDER has NAME.atl, Proof.v and, as `halidom derive -o` writes them, NAME.c, Statement.v and Check.v. What the certificate states is made anew from NAME.atl, and printed; the other \
files must agree with it, and Proof.v must prove it.\n\n\
Exit status: 0 proved, 1 refused, 2 bad input, 3 not decided (no Coq, or not in time).\n\n\
Example: halidom certificate out/tiled"
    )]
    Certificate(CertificateArgs),
    /// Verify the mutators and rewrite rules of a compiler from its C++ source
    #[command(
        after_help = "Rules rest on one another (an operand of a rule was simplified before): give the files of the whole simplifier.\n\n\
Example: halidom verify Simplify_*.cpp --profile halide --cache rules.cache"
    )]
    Verify(VerifyArgs),
    /// Write a pipeline that stock Halide serialized as a program: the algorithm and its schedule
    #[command(after_help = "Example: halidom import blur.hlpipe -o blur.hal")]
    Import(ImportArgs),
    /// Time schedules side by side, and beside what stock Halide compiles from the same schedules
    #[command(
        after_help = "All forms get the same inputs and are called in turn in one process. Without `--schedule`, every schedule of the pipeline is timed; without values, sizes of inputs follow from `--size`, and all that has no value is drawn from a seed.\n\n\
Example: halidom bench examples/table1/blur.hal --against halide --size 6400x4800 --threads 1,2 --svg blur.svg"
    )]
    Bench(BenchArgs),
    /// Search for a fast schedule within a time budget; print it, proved, as text to paste
    #[command(
        after_help = "The search begins with SCHEDULE, or without one with all schedules of the pipeline and some that are made from the algorithm. It changes numbers, the order of loops, and where \
funcs are computed; every candidate that runs is compared with the unscheduled form's outputs, and the winner is validated. Without values, sizes of inputs follow from `--size`, and all that has no value is drawn from a seed.\n\n\
Exit status: 0 a schedule is proved, 1 a legal schedule computes something else, 2 bad input or nothing to judge, 3 none of the fastest is proved.\n\n\
Examples:\n  halidom tune examples/blur.hal --size 1920x1080 --budget 30\n  halidom tune examples/table1/harris.hal -s application --size 2560x1536 --threads 1 -o tuned.hal"
    )]
    Tune(TuneArgs),
    /// Write a pipeline under a schedule as a Python script for Halide
    #[command(
        after_help = "The script defines `pipeline()`, as `validate --halide-script` takes it.\n\nExample: halidom export examples/blur.hal -s tiled -o blur.py"
    )]
    Export(ExportArgs),
    /// Try random programs under random schedules: interpreters, native code and validator against one another
    #[command(
        after_help = "With `--engine reference`, small affine programs and mutants of them are judged by the validator and by the reference engine, which must not contradict each other.\n\n\
Examples:\n  halidom fuzz --programs 1000 --seed 1\n  halidom fuzz --engine reference --programs 2000 --mutants 1\n  halidom fuzz --target halide --programs 500 --findings findings"
    )]
    Fuzz(FuzzArgs),
    /// Shrink a program and its schedules while a command keeps failing
    #[command(
        after_help = "FILE is shown to the command in smaller and smaller forms, each of which parses, with the \
command's `{}` replaced by the path of the form (or the path appended). A form is kept if the command ends with the same status as on FILE.\n\n\
Example: halidom reduce wrong.hal --while 'halidom validate {}' --output small.hal"
    )]
    Reduce(ReduceArgs),
    /// Show which solver and C compilers are found, what is missing and how to get it
    #[command(after_help = "Example: halidom doctor")]
    Doctor,
}

/// Which pipeline of a file, under which schedule.
#[derive(Debug, Args)]
pub(crate) struct Choice {
    /// The program
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) named: Named,
}

/// Which pipeline and schedule.
#[derive(Clone, Debug, Args)]
pub(crate) struct Named {
    /// The pipeline; may be left out where the file has one
    #[arg(short, long)]
    pub(crate) pipeline: Option<String>,
    /// The schedule; `default` is the unscheduled form
    #[arg(short, long)]
    pub(crate) schedule: Option<String>,
    /// The derivation, of a file of programs and derivations (.atl); may be left out where the file has one
    #[arg(short, long, conflicts_with_all = ["pipeline", "schedule"])]
    pub(crate) derivation: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// Also print the bounds query and both engines' answers
    #[arg(long)]
    pub(crate) bounds: bool,
}

/// What a run is given.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// A parameter's value
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) params: Vec<String>,
    /// An input: a picture or NPY file (`NAME=FILE:gray` reads colour as grey), `random:SEED`, or `zeros`
    #[arg(long = "input", value_name = "NAME=FILE|random:SEED|zeros")]
    pub(crate) inputs: Vec<String>,
    /// Fill every input and parameter that is not named from this seed
    #[arg(long, value_name = "SEED")]
    pub(crate) random: Option<u64>,
    /// Extents of the output, the first dimension first; without it, the largest that the inputs allow
    #[arg(long, value_name = "E0xE1…")]
    pub(crate) size: Option<String>,
    /// Extents of an input that is not a file, where the output does not determine them
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
    /// Where the output goes (.png, .pgm, .ppm, .npy); of several outputs, NAME=FILE each
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Vec<String>,
    /// Evaluate the algorithm itself: no schedule, no compiler
    #[arg(long)]
    pub(crate) interpret: bool,
    /// Do not validate
    #[arg(long)]
    pub(crate) no_validate: bool,
    /// Run at once and validate meanwhile; the verdict comes last
    #[arg(long, conflicts_with = "no_validate")]
    pub(crate) eager: bool,
    /// Do not run what is not proved
    #[arg(long)]
    pub(crate) strict: bool,
    /// Threads of parallel loops; all processors if left out
    #[arg(long)]
    pub(crate) threads: Option<u32>,
}

/// What `build` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// `.c`, with the runtime's `.c` and `.h` beside it
    C,
    /// `.h`
    Header,
    /// `.o`
    Object,
    /// `.a`
    StaticLibrary,
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
    /// What to write
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
pub(crate) struct LowerArgs {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// `holes`, `bounds`, `final`, or the name of a pass
    #[arg(long, default_value = "final")]
    pub(crate) stage: String,
}

/// Who judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// The validator: obligations, closed one by one
    Default,
    /// A literal, slow evaluator of the paper's calculus, for affine programs: it proves or does not know
    Reference,
}

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) given: Given,
    /// Of a refutation, write the inputs, what the pipeline says and what the compiled code gives to this folder, as .npy files
    #[arg(long, value_name = "DIR")]
    pub(crate) replay: Option<PathBuf>,
    /// Do not run the compiled code on the inputs of a refutation: the verdict is about the statement alone
    #[arg(long, requires = "stock", conflicts_with = "replay")]
    pub(crate) no_replay: bool,
    /// Write the statement that is judged to this file, without loss: `--ir` takes it
    #[arg(long, value_name = "FILE", requires = "stock")]
    pub(crate) write_statement: Option<PathBuf>,
    /// When stock Halide compiles the pipeline a second time, with annotations that say what each store writes; the verdict says whether it rests on them. Without it, `fallback`
    #[arg(long, value_enum, value_name = "WHEN", requires = "stock")]
    pub(crate) annotations: Option<AnnotationsArg>,
    #[command(flatten)]
    pub(crate) solving: Solving,
    /// Who judges
    #[arg(long, value_enum, default_value = "default")]
    pub(crate) engine: Engine,
    /// Write every solver query to this folder, as a text that any solver can be asked again
    #[arg(long, value_name = "DIR")]
    pub(crate) emit_smt: Option<PathBuf>,
    /// Fail only where a verdict is worse than in this file, which `--json` wrote; what it does not mention is to be proved
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write a SARIF report
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
}

/// When a pipeline of stock Halide is compiled with annotations too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnnotationsArg {
    /// Never: what each store writes is inferred on the plain statement
    Never,
    /// Where what is inferred settles nothing
    Fallback,
    /// From the beginning
    Always,
}

/// A file, or what stock Halide compiled.
#[derive(Debug, Args)]
pub(crate) struct Given {
    /// The program; with `--generator`, its parameters, `NAME=VALUE` each
    #[arg(value_name = "FILE", required_unless_present_any = ["halide_script", "generator", "passes"])]
    pub(crate) words: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) stock: StockArgs,
}

impl Given {
    /// Returns the dump if nothing else is given.
    pub(crate) fn dump_alone(&self) -> Option<&Path> {
        let Self { words, stock, .. } = self;
        let alone = words.is_empty()
            && !stock.halide
            && stock.halide_script.is_none()
            && stock.generator.is_none();
        stock.passes.as_deref().filter(|_| alone)
    }
}

/// What stock Halide compiled.
#[derive(Debug, Args)]
#[group(id = "stock", multiple = true)]
pub(crate) struct StockArgs {
    /// FILE is a pipeline that stock Halide serialized (.hlpipe): judge what Halide compiled from it
    #[arg(long, conflicts_with_all = ["halide_script", "generator"])]
    pub(crate) halide: bool,
    /// A Python script that defines `pipeline()`, which returns a `halide.Func`, a list of outputs or a `halide.Pipeline`: judge what Halide compiles from it
    #[arg(long, value_name = "SCRIPT", conflicts_with = "generator")]
    pub(crate) halide_script: Option<PathBuf>,
    /// A compiled C++ generator: judge what it compiles; FILE… are its parameters, `NAME=VALUE` each
    #[arg(long, value_name = "BINARY")]
    pub(crate) generator: Option<PathBuf>,
    /// Which generator of the binary; may be left out where it has one
    #[arg(short = 'g', long, value_name = "NAME", requires = "generator")]
    pub(crate) generator_name: Option<String>,
    /// The machine that Halide compiles for, in its words (`x86-64-linux-avx2`); the one at hand, if left out
    #[arg(long, value_name = "TARGET", requires = "stock")]
    pub(crate) target: Option<String>,
    /// The final statement that Halide compiled from the pipeline; without it, the installed Halide is asked
    #[arg(long, value_name = "STATEMENT", requires = "halide")]
    pub(crate) ir: Option<PathBuf>,
    /// What Halide wrote to standard error with HL_DEBUG_CODEGEN=2: a refutation names the pass after which the statement is wrong. Without FILE, `validate` runs the statements
    /// beside each other and names the first pass that changes what is computed
    #[arg(long, value_name = "DUMP")]
    pub(crate) passes: Option<PathBuf>,
    /// What callers keep to beyond what the statement checks: a condition on parameters and shapes, as statements write it (`0 <= radius`, `(input.extent.0 % 8) == 0`); may be given more than
    /// once. The verdict lists it
    #[arg(long, value_name = "CONDITION")]
    pub(crate) assume: Vec<String>,
}

/// What equality of floats means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FloatsArg {
    /// The same bits
    Bits,
    /// Equal by named laws, such as associativity; those that are used are listed
    Axioms,
    /// Equal if computed with real numbers
    Reals,
}

/// How a program is judged, and solvers are asked.
#[derive(Debug, Args)]
pub(crate) struct Solving {
    /// The weakest equality of floats that is permitted; without it `bits`, or `axioms` where the pipeline says `fast_math`. Stronger ones are tried first
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) floats: Option<FloatsArg>,
    /// Seconds for one solver query
    #[arg(long, default_value_t = 10.0)]
    pub(crate) timeout: f64,
    /// The Z3 to ask, instead of the one that is found
    #[arg(long, value_name = "FILE")]
    pub(crate) solver: Option<PathBuf>,
    /// Ask a second solver about each answer that closes an obligation: `cvc5`, or an executable
    #[arg(long, value_name = "SOLVER")]
    pub(crate) confirm: Option<PathBuf>,
    /// A file of answers, read and written again; it is trusted like the solver
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// The page
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) solving: Solving,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) given: Given,
    /// The store, by its number in `halidom validate --verbose`
    #[arg(long, value_name = "N")]
    pub(crate) store: usize,
    /// Seconds for trying what would help
    #[arg(long, default_value_t = 20.0)]
    pub(crate) budget: f64,
    #[command(flatten)]
    pub(crate) solving: Solving,
}

/// What `derive` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeriveEmit {
    /// `.c`
    C,
    /// The certificate: a folder of its own with the program, the C, `Statement.v`, `Proof.v` and `Check.v`
    Coq,
    /// The final intermediate representation, with the source program as its algorithm
    Ir,
}

#[derive(Debug, Args)]
pub(crate) struct CertificateArgs {
    /// The certificate
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct DeriveArgs {
    /// Programs and derivations
    pub(crate) file: PathBuf,
    /// The derivation; all of the file if left out
    #[arg(short, long)]
    pub(crate) derivation: Option<String>,
    /// The folder for the results
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Let Coq check the certificates
    #[arg(long)]
    pub(crate) check: bool,
    /// Show the program after each command
    #[arg(long)]
    pub(crate) step: bool,
    /// What to write into the folder (both if left out), or to print where there is no folder
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) emit: Vec<DeriveEmit>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// C++ files; of a folder, which is a checkout of the compiler, those that hold its transformations
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Whose IR it is: `halide`, `halide-hls`, `halide-to-hardware` or `heterocl`
    #[arg(long)]
    pub(crate) profile: String,
    /// Verify mutators with this in their file and name, as `Simplify.cpp: Simplify::visit(const Add *)`, alone
    #[arg(long, value_name = "NAME")]
    pub(crate) mutator: Vec<String>,
    /// Verify rewrite rules alone, or mutators alone
    #[arg(long)]
    pub(crate) only: Option<Part>,
    /// List the mutators that would be verified
    #[arg(long)]
    pub(crate) list: bool,
    /// Report integers of these widths alone (of 8, 16 and 32)
    #[arg(long, value_delimiter = ',', value_name = "WIDTH,…")]
    pub(crate) bits: Vec<u8>,
    /// Seconds for one solver query
    #[arg(long, default_value_t = 2.0)]
    pub(crate) timeout: f64,
    /// Solvers at once; as many as there are processors if left out
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// A file of answers, read and written again
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,
    /// Write a C++ program that puts an example of each rule to a compiled Halide, with which it is to be linked
    #[arg(long, value_name = "FILE")]
    pub(crate) ask: Option<PathBuf>,
}

/// Whose compiler is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FuzzTarget {
    /// Ours
    Own,
    /// Stock Halide: scripts in Python are made of the programs
    Halide,
}

/// What `verify` looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Rewrite rules
    Rules,
    /// Mutators
    Mutators,
}

#[derive(Debug, Args)]
pub(crate) struct FuzzArgs {
    /// Whose compiler: ours, or the installed Halide's
    #[arg(long, value_enum, default_value = "own")]
    pub(crate) target: FuzzTarget,
    /// How many programs
    #[arg(long, default_value_t = 100)]
    pub(crate) programs: u64,
    /// The first program's seed; the next ones follow it
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Random schedules of each program; the unscheduled form is the first step of each
    #[arg(long, default_value_t = 1)]
    pub(crate) schedules: u64,
    /// Random completions of each step of a schedule, beside the bounds engine's
    #[arg(long, default_value_t = 1)]
    pub(crate) completions: usize,
    /// Compile one in so many schedules to native code; none if 0
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) native_one_in: u64,
    /// Validate one in so many final programs, within limits that do not depend on the machine; none if 0
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub(crate) validate_one_in: u64,
    /// Compare the validator with this engine instead of examining compiles
    #[arg(long, value_enum, default_value = "default")]
    pub(crate) engine: Engine,
    /// Mutants of each compile: those that a run shows to be wrong must not be proved
    #[arg(long, default_value_t = 0)]
    pub(crate) mutants: usize,
    /// Do not validate
    #[arg(long)]
    pub(crate) no_validate: bool,
    /// Programs at once; as many as there are processors if left out
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// End after so many disagreements
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) stop_after: usize,
    /// Do not make what is found small
    #[arg(long)]
    pub(crate) no_shrink: bool,
    /// Print the programs and their schedules instead of examining them
    #[arg(long)]
    pub(crate) print: bool,
    /// The folder for what is found: the program, and the least one with such a disagreement
    #[arg(long, default_value = "findings", value_name = "DIR")]
    pub(crate) findings: PathBuf,
    /// Examine this program under its schedules instead of random ones, on the cases of the seed
    #[arg(long, value_name = "FILE", conflicts_with = "programs")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReduceArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// A command for the shell that fails; `{}` in it stands for the file
    #[arg(long = "while", value_name = "CMD")]
    pub(crate) command: String,
    /// Where the small program goes; standard output if left out
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Forms to try at most
    #[arg(long, default_value_t = 5000)]
    pub(crate) tries: usize,
    /// Seconds for one run of the command
    #[arg(long, default_value_t = 60.0)]
    pub(crate) timeout: f64,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The pipeline (.hlpipe), as `halide.serialize_pipeline` writes it
    pub(crate) file: PathBuf,
    /// The program; printed if left out
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Whose code is timed beside ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Against {
    /// What the installed Halide compiles from the same algorithm and schedule
    Halide,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// The pipeline; may be left out where the file has one
    #[arg(short, long)]
    pub(crate) pipeline: Option<String>,
    /// A schedule, of several that are timed; all that the pipeline has if none is named
    #[arg(short, long)]
    pub(crate) schedule: Vec<String>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Whose code is timed as well
    #[arg(long, value_enum)]
    pub(crate) against: Option<Against>,
    /// Numbers of threads, one table each; 1 and all processors if left out
    #[arg(long, value_delimiter = ',', value_name = "N,…", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Vec<u16>,
    /// How many rounds are timed; fewer where they take long
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Seconds for the rounds of one number of threads; five rounds are timed in any case
    #[arg(long, default_value_t = 20.0)]
    pub(crate) budget: f64,
    /// A picture of the medians
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Do not validate what is timed
    #[arg(long)]
    pub(crate) no_validate: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// The pipeline; may be left out where the file has one
    #[arg(short, long)]
    pub(crate) pipeline: Option<String>,
    /// The schedule to begin with; `default` is the unscheduled form
    #[arg(short, long)]
    pub(crate) schedule: Option<String>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Seconds for the search; the validator's time comes on top
    #[arg(long, default_value_t = 60.0)]
    pub(crate) budget: f64,
    /// Threads of parallel loops; all processors if left out
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    /// The changes that are tried follow from it, as far as times do not decide
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// A file for the text of the winner
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The program
    pub(crate) file: PathBuf,
    /// The pipeline; may be left out where the file has one
    #[arg(short, long)]
    pub(crate) pipeline: Option<String>,
    /// The schedule; `default` is the unscheduled form
    #[arg(short, long)]
    pub(crate) schedule: Option<String>,
    /// The Python program; printed if left out
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
