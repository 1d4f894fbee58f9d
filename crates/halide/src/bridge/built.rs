//! Compiled code of a statement, and runs of it.
//!
//! [`Built::of_dump`] compiles the statement of a dump, possibly edited, in the same way in which
//! Halide compiles the result of lowering ([`halidom_halide_ir::dump`] prints a dump).
//! [`Built::of_job`] takes the code that Halide itself compiles from a pipeline. [`Built::run`]
//! runs either on many cases, without our reading of the statement in between. A case consists of
//! the memory of the buffers, with their mins, extents and strides, and the bits of the scalars, in
//! the order of the dump's arguments.
//!
//! ```text
//! let built = match Built::of_dump((&edited, &names), &python, folder)? {
//!     Ok(built) => built,
//!     Err(Rejected { words }) => …     // Halide refuses the tree, or crashes on it
//! };
//! for ending in built.run(&cases, Duration::from_secs(5))? { … }
//! ```
//!
//! Each case runs in a process of its own, which takes about a millisecond to start. A crash or the
//! time limit ends it ([`Ending`]). Memory ends, or begins, at a page that faults ([`Placement`]).
//! Memory that the pipeline allocates with `halide_malloc` ends at such a page too, up to a gap of
//! 63 bytes, because its address is a multiple of 64. It is filled with a byte of the case
//! ([`Fresh`]), and faults once it is freed. Arrays on the stack are not watched.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::native::{self, Native};
use super::process::{self, Failed};
use super::{BridgeError, Job, Origin};
use crate::Names;
use crate::dump::{self, Dump};
use crate::tree::{BinaryOp, Block, Expr, StmtKind, Type};

/// A compiled pipeline, in a folder that the caller keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    native: Native,
    folder: PathBuf,
    library: PathBuf,
    /// The function's name.
    name: String,
    /// True if AddressSanitizer watches its memory.
    is_checked: bool,
}

/// The reason why Halide does not compile the statement of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Halide's message, or its exit status.
    pub words: String,
}

/// The data for one run of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The arguments, in the order of the dump.
    pub arguments: Vec<Given>,
    /// The placement of the memory.
    pub placement: Placement,
    /// The memory that the pipeline allocates by `halide_malloc`.
    pub fresh: Fresh,
}

/// The memory that a pipeline allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// The initial value of each byte.
    pub fill: u8,
    /// True if a page of such bytes lies before and after it, which does not fault.
    pub is_surrounded: bool,
}

impl Default for Fresh {
    /// Bytes that are an unlikely value of every type, next to a page that faults.
    fn default() -> Self {
        Self { fill: 0xCD, is_surrounded: false }
    }
}

/// The side of a buffer's memory at which accesses fault at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Accesses after the memory.
    #[default]
    BeforeFault,
    /// Accesses before the memory.
    AfterFault,
}

/// An argument's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A scalar: its bytes in memory order.
    Scalar(u64),
    /// A buffer.
    Buffer(Memory),
}

/// A buffer and all of its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Halide's code of the type: 0 signed, 1 unsigned, 2 float, 3 pointer, 4 bfloat.
    pub code: u8,
    /// The width of an element; one bit for a truth value, which takes a byte.
    pub bits: u8,
    /// Each dimension: min, extent, stride in elements.
    pub dims: Vec<[i32; 3]>,
    /// The alignment of the memory's address in bytes; at least 1.
    pub alignment: u32,
    /// The offset of the element with the least coordinates, in bytes.
    pub offset: usize,
    /// The memory.
    pub bytes: Vec<u8>,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The run completed; the memory of each buffer, in the order of the arguments, inputs
    /// included.
    Done(Vec<Vec<u8>>),
    /// The code ends with an error, from an assertion for example.
    Failed(String),
    /// A signal ends the run: the code faults.
    Crashed(i32),
    /// AddressSanitizer's report of an access outside of memory, or to freed memory. Occurs only in
    /// code from [`Built::checked`].
    Seen(String),
    /// The run exceeds the time limit.
    Late,
}

impl Built {
    /// Compiles the statement of a dump with the Halide of this Python, to files in an empty
    /// folder.
    ///
    /// # Errors
    /// Returns an error if the bridge is not available, or if a file access or the linker fails.
    /// The inner result tells whether Halide accepts the dump.
    pub fn of_dump(
        (dump, names): (&Dump, &Names),
        python: &Path,
        folder: &Path,
    ) -> Result<Result<Self, Rejected>, BridgeError> {
        let native = Native::of(python)?;
        let runtime = native.runtime(&dump.target)?;
        let source = folder.join("statement.dump");
        fs::write(&source, dump::print(dump, names))?;
        let object = folder.join("pipeline.o");
        let mut command = native.program();
        command.arg("build").arg(&source).arg("object").arg(&object);
        command.arg(format!("{}-no_runtime", dump.target));
        if let Err(failed) = process::run(&mut command, None)? {
            return Ok(Err(Rejected { words: failed.first_error() }));
        }
        Self::linked(native, folder, &[&object, &runtime], "pipeline".to_owned()).map(Ok)
    }

    /// Compiles the statement of a dump through the C of this Python's Halide, with
    /// AddressSanitizer, to files in an empty folder. Arrays on the stack are watched too. Halide's
    /// C has no padding of memory, so the memory is allocated with as many elements more.
    ///
    /// # Errors
    /// Returns an error if the bridge is not available, or if a file access or the C compiler
    /// fails. The inner result tells whether Halide accepts the dump.
    pub fn checked(
        (dump, names): (&Dump, &Names),
        python: &Path,
        folder: &Path,
    ) -> Result<Result<Self, Rejected>, BridgeError> {
        let native = Native::of(python)?;
        let runtime = native.runtime(&dump.target)?;
        let source = folder.join("statement.dump");
        let mut dump = dump.clone();
        fill_out(&mut dump.block);
        fs::write(&source, dump::print(&dump, names))?;
        let c = folder.join("pipeline.halide.c");
        let mut command = native.program();
        command.arg("build").arg(&source).arg("c").arg(&c);
        command.arg(format!("{}-no_runtime", dump.target));
        if let Err(failed) = process::run(&mut command, None)? {
            return Ok(Err(Rejected { words: failed.first_error() }));
        }
        let library = folder.join("pipeline.so");
        native.check(&c, &[&runtime], &library)?;
        let (folder, name) = (folder.to_owned(), "pipeline".to_owned());
        Ok(Ok(Self { native, folder, library, name, is_checked: true }))
    }

    /// Compiles a pipeline with Halide, to files in an empty folder.
    ///
    /// # Errors
    /// Returns an error if Halide, the generator or the linker fails.
    pub fn of_job(job: &Job, folder: &Path) -> Result<Self, BridgeError> {
        let native = Native::of(&job.interpreter()?)?;
        let object = folder.join("pipeline.o");
        match &job.origin {
            Origin::Generator(generator) => {
                job.emit(generator, folder, "object")?;
                Self::linked(native, folder, &[&object], "pipeline".to_owned())
            }
            Origin::File(_) | Origin::Script(_) => {
                if let Origin::File(file) = &job.origin {
                    fs::copy(file, folder.join(super::PIPELINE))?;
                }
                job.python(folder, "compile-object", None)?;
                let name = fs::read_to_string(folder.join("pipeline.o.name"))?;
                Self::linked(native, folder, &[&object], name)
            }
        }
    }

    fn linked(
        native: Native,
        folder: &Path,
        objects: &[&Path],
        name: String,
    ) -> Result<Self, BridgeError> {
        let library = folder.join("pipeline.so");
        let compiler = native::compiler().ok_or(BridgeError::NoCompiler)?;
        let mut command = Command::new(&compiler);
        command.args(["-shared", "-o"]).arg(&library).args(objects);
        command.args(["-ldl", "-lpthread", "-lm"]);
        process::run(&mut command, None)?.map_err(|failed: Failed| {
            let words = failed.first_error();
            BridgeError::Compiler { compiler: compiler.clone(), words }
        })?;
        Ok(Self { native, folder: folder.to_owned(), library, name, is_checked: false })
    }

    /// Runs the code on cases, each with a time limit, and returns the outcome of each.
    ///
    /// # Errors
    /// Returns an error if the runner fails or its results are damaged.
    pub fn run(&self, cases: &[Case], limit: Duration) -> Result<Vec<Ending>, BridgeError> {
        let native = &self.native;
        let [given, results] = ["cases.bin", "results.bin"].map(|name| self.folder.join(name));
        fs::write(&given, encoded(cases))?;
        let runner = if self.is_checked { native.checked_runner()? } else { native.runner() };
        let mut command = Command::new(runner);
        command.arg(&self.library).arg(&self.name).arg(&given).arg(&results);
        command.arg(limit.as_millis().max(1).to_string());
        process::run(&mut command, None)?
            .map_err(|failed| BridgeError::Failed(failed.first_error()))?;
        let bytes = fs::read(&results)?;
        decoded(&bytes, cases)
            .ok_or_else(|| BridgeError::Failed("results of runs are damaged".to_owned()))
    }
}

/// Encodes cases in the runner's format.
fn encoded(cases: &[Case]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |bytes: &[u8]| out.extend_from_slice(bytes);
    put(&(cases.len() as u32).to_ne_bytes());
    for Case { arguments, placement, fresh } in cases {
        put(&u32::from(*placement == Placement::AfterFault).to_ne_bytes());
        put(&u32::from(fresh.fill).to_ne_bytes());
        put(&u32::from(fresh.is_surrounded).to_ne_bytes());
        put(&(arguments.len() as u32).to_ne_bytes());
        for argument in arguments {
            match argument {
                Given::Scalar(bits) => {
                    put(&0_u32.to_ne_bytes());
                    put(&bits.to_ne_bytes());
                }
                Given::Buffer(Memory { code, bits, dims, alignment, offset, bytes }) => {
                    put(&1_u32.to_ne_bytes());
                    put(&[*code, *bits]);
                    put(&1_u16.to_ne_bytes());
                    put(&(dims.len() as u32).to_ne_bytes());
                    dims.iter().flatten().for_each(|number| put(&number.to_ne_bytes()));
                    put(&alignment.to_ne_bytes());
                    put(&(*offset as u64).to_ne_bytes());
                    put(&(bytes.len() as u64).to_ne_bytes());
                    put(bytes);
                }
            }
        }
    }
    out
}

/// Decodes the runner's results.
fn decoded(bytes: &[u8], cases: &[Case]) -> Option<Vec<Ending>> {
    let mut rest = bytes;
    let mut endings = Vec::new();
    for case in cases {
        let ending = take(&mut rest, 1)?[0];
        let code = i32::from_ne_bytes(take(&mut rest, 4)?.try_into().ok()?);
        let length = u32::from_ne_bytes(take(&mut rest, 4)?.try_into().ok()?);
        let words = String::from_utf8_lossy(take(&mut rest, length as usize)?).trim().to_owned();
        endings.push(match ending {
            0 => {
                let mut memories = Vec::new();
                for argument in &case.arguments {
                    if let Given::Buffer(memory) = argument {
                        memories.push(take(&mut rest, memory.bytes.len())?.to_vec());
                    }
                }
                Ending::Done(memories)
            }
            1 => Ending::Failed(words),
            2 => Ending::Crashed(code),
            3 => Ending::Late,
            4 => Ending::Seen(words),
            _ => return None,
        });
    }
    rest.is_empty().then_some(endings)
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

/// Makes the padding of memory a part of its extent.
fn fill_out(block: &mut Block) {
    for stmt in block {
        if let StmtKind::Allocate { extents, padding, .. } = &mut stmt.kind
            && *padding > 0
        {
            let elements = extents.drain(..).reduce(|a, b| number(BinaryOp::Mul, a, b));
            let more = Expr::Int(std::mem::take(padding), Type::INT32);
            extents.extend(elements.map(|elements| number(BinaryOp::Add, elements, more)));
        }
        stmt.kind.for_each_body_mut(&mut fill_out);
    }
}

/// An operator's result: a literal, if both operands are.
fn number(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    if let (Expr::Int(x, ty), Expr::Int(y, _)) = (&a, &b)
        && let Some(value) = if op == BinaryOp::Mul { x.checked_mul(*y) } else { x.checked_add(*y) }
    {
        return Expr::Int(value, *ty);
    }
    Expr::Binary(op, Box::new([a, b]))
}
