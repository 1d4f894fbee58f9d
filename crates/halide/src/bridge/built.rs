//! Compiled code of a statement, and runs of it.
//!
//! [`Built::of_dump`] compiles the statement of a dump, edited or not, as Halide's compiler compiles what lowering gives it ([`halidom_halide_ir::dump`] prints one); [`Built::of_job`] takes the code
//! that Halide compiles of a pipeline itself. [`Built::run`] runs either on many cases, without our reading of the statement in between: a case is the memory of the buffers, with their mins,
//! extents and strides, and the bits of the scalars, in the order of the dump's arguments.
//!
//! ```text
//! let built = match Built::of_dump(&edited, &names, folder)? {
//!     Ok(built) => built,
//!     Err(Rejected { words }) => …     // Halide refuses the tree, or crashes on it
//! };
//! for ending in built.run(&cases, Duration::from_secs(5))? { … }
//! ```
//!
//! Each case has a process of its own, which a crash or a limit of time ends ([`Ending`]); starting it takes about a millisecond. Memory is laid out so that it ends, or begins, at a page that
//! faults ([`Placement`]); so is what the pipeline takes by `halide_malloc`, but for up to 63 bytes, as its address is a multiple of 64. It is filled with `0xCD`, and faults once it is freed.
//! Arrays on the stack are not watched.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::native::{self, Native};
use super::{BridgeError, Failed, Job, Origin, find};
use crate::Names;
use crate::dump::{self, Dump};

/// A compiled pipeline, in a folder that the caller keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    folder: PathBuf,
    library: PathBuf,
    /// The function's name.
    name: String,
    /// Whether AddressSanitizer watches its memory.
    is_checked: bool,
}

/// Why Halide compiles no statement of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Its words, or how it ended.
    pub words: String,
}

/// What a pipeline is run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// In the order of the dump's arguments.
    pub arguments: Vec<Given>,
    /// Where memory lies.
    pub placement: Placement,
}

/// Which side of a buffer's memory faults at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// What comes after it.
    #[default]
    BeforeFault,
    /// What comes before it.
    AfterFault,
}

/// An argument's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A scalar: its bytes as they lie in memory, from the first on.
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
    /// What the address of the memory is a multiple of, in bytes; 1 or more.
    pub alignment: u32,
    /// Where the element with the least coordinates is, in bytes.
    pub offset: usize,
    /// The memory.
    pub bytes: Vec<u8>,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It comes to its end; the memory of each buffer, in the order of the arguments, inputs included.
    Done(Vec<Vec<u8>>),
    /// The code ends with an error, of an assertion say.
    Failed(String),
    /// A signal ends it: it faults.
    Crashed(i32),
    /// AddressSanitizer sees an access outside of memory, or of freed memory: its report. Only of what [`Built::checked`] compiled.
    Seen(String),
    /// It takes longer than it may.
    Late,
}

impl Built {
    /// Compiles the statement of a dump, to files in an empty folder.
    pub fn of_dump(
        dump: &Dump,
        names: &Names,
        folder: &Path,
    ) -> Result<Result<Self, Rejected>, BridgeError> {
        let native = Native::of(&find()?)?;
        let runtime = native.runtime(&dump.target)?;
        let source = folder.join("statement.dump");
        fs::write(&source, dump::print(dump, names))?;
        let object = folder.join("pipeline.o");
        let mut command = Command::new(native.program());
        command.arg("build").arg(&source).arg("object").arg(&object);
        command.arg(format!("{}-no_runtime", dump.target));
        if let Err(failed) = super::run(&mut command, None)? {
            return Ok(Err(Rejected { words: failed.first_error() }));
        }
        Self::linked(folder, &[&object, &runtime], "pipeline".to_owned()).map(Ok)
    }

    /// Compiles the statement of a dump through Halide's C, with AddressSanitizer, to files in an empty folder: arrays on the stack are watched too.
    pub fn checked(
        dump: &Dump,
        names: &Names,
        folder: &Path,
    ) -> Result<Result<Self, Rejected>, BridgeError> {
        let native = Native::of(&find()?)?;
        let runtime = native.runtime(&dump.target)?;
        let source = folder.join("statement.dump");
        fs::write(&source, dump::print(dump, names))?;
        let c = folder.join("pipeline.halide.c");
        let mut command = Command::new(native.program());
        command.arg("build").arg(&source).arg("c").arg(&c);
        command.arg(format!("{}-no_runtime", dump.target));
        if let Err(failed) = super::run(&mut command, None)? {
            return Ok(Err(Rejected { words: failed.first_error() }));
        }
        let library = folder.join("pipeline.so");
        native.check(&c, &[&runtime], &library)?;
        let (folder, name) = (folder.to_owned(), "pipeline".to_owned());
        Ok(Ok(Self { folder, library, name, is_checked: true }))
    }

    /// Compiles a pipeline as Halide does, to files in an empty folder.
    pub fn of_job(job: &Job, folder: &Path) -> Result<Self, BridgeError> {
        let object = folder.join("pipeline.o");
        match &job.origin {
            Origin::Generator { .. } => {
                job.generate(folder, "object", None)?;
                Self::linked(folder, &[&object], "pipeline".to_owned())
            }
            Origin::File(_) | Origin::Script(_) => {
                if let Origin::File(file) = &job.origin {
                    fs::copy(file, folder.join(super::PIPELINE))?;
                }
                job.python(folder, "compile-object", None)?;
                let name = fs::read_to_string(folder.join("pipeline.o.name"))?;
                Self::linked(folder, &[&object], name)
            }
        }
    }

    fn linked(folder: &Path, objects: &[&Path], name: String) -> Result<Self, BridgeError> {
        let library = folder.join("pipeline.so");
        let compiler = native::compiler().ok_or(BridgeError::NoCompiler)?;
        let mut command = Command::new(&compiler);
        command.args(["-shared", "-o"]).arg(&library).args(objects);
        command.args(["-ldl", "-lpthread", "-lm"]);
        super::run(&mut command, None)?.map_err(|failed: Failed| {
            let words = failed.first_error();
            BridgeError::Compiler { compiler: compiler.clone(), words }
        })?;
        Ok(Self { folder: folder.to_owned(), library, name, is_checked: false })
    }

    /// Runs the code on cases, each for so long at most: how each ends.
    pub fn run(&self, cases: &[Case], limit: Duration) -> Result<Vec<Ending>, BridgeError> {
        let native = Native::of(&find()?)?;
        let [given, results] = ["cases.bin", "results.bin"].map(|name| self.folder.join(name));
        fs::write(&given, encoded(cases))?;
        let runner = if self.is_checked { native.checked_runner()? } else { native.runner() };
        let mut command = Command::new(runner);
        command.arg(&self.library).arg(&self.name).arg(&given).arg(&results);
        command.arg(limit.as_millis().max(1).to_string());
        super::run(&mut command, None)?
            .map_err(|failed| BridgeError::Failed(failed.first_error()))?;
        let bytes = fs::read(&results)?;
        decoded(&bytes, cases)
            .ok_or_else(|| BridgeError::Failed("results of runs are damaged".to_owned()))
    }
}

/// Cases as the runner reads them.
fn encoded(cases: &[Case]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |bytes: &[u8]| out.extend_from_slice(bytes);
    put(&(cases.len() as u32).to_ne_bytes());
    for Case { arguments, placement } in cases {
        put(&u32::from(*placement == Placement::AfterFault).to_ne_bytes());
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

/// What the runner writes of cases.
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
