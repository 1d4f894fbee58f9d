//! Loads compiled pipelines and calls them.
#![expect(
    unsafe_code,
    reason = "calling machine code that was just compiled is what this file is for"
)]
//!
//! # Correctness
//! A call is sound if its memory has the layout that its arguments describe. [`Call`] owns that
//! memory, aligned for every vector type, and can only be made from [`Word`]s that name it. The
//! kernel checks the layouts of the caller's arrays against the memory's size before it makes a
//! call. The entry checks and the validator ensure that the pipeline stays within these layouts.

use std::ffi::c_int;
use std::path::Path;
use std::sync::{Arc, Mutex};

use libloading::Library;
use libloading::os::unix::{Library as UnixLibrary, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};

use crate::native::toolchain::CompileError;

/// The number of values that a failed check can report: `HALIDOM_FAILURE_VALUES`.
const FAILURE_VALUES: usize = 6;

/// `halidom_failure`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Failure {
    pub(crate) check: i32,
    pub(crate) claimed: i32,
    pub(crate) values: [i64; FAILURE_VALUES],
}

/// The status that the entry function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Done,
    CheckFailed,
    OutOfMemory,
    /// A number that no pipeline returns.
    Other(i32),
}

/// One cache line, the alignment that generated code likes best.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// Bytes that start at a multiple of 64.
#[derive(Clone)]
pub(crate) struct Memory {
    lines: Vec<Line>,
    length: usize,
}

impl Memory {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        // One line at least, so that every buffer has an address.
        let mut lines = vec![Line([0; 64]); bytes.len().div_ceil(64).max(1)];
        for (line, chunk) in lines.iter_mut().zip(bytes.chunks(64)) {
            line.0[..chunk.len()].copy_from_slice(chunk);
        }
        Self { lines, length: bytes.len() }
    }

    /// Returns the address of the bytes.
    pub(crate) fn address(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// Copies the bytes out and returns true if `bytes` has their original length. Otherwise
    /// returns false.
    pub(crate) fn copy_to(&self, bytes: &mut [u8]) -> bool {
        if bytes.len() != self.length {
            return false;
        }
        for (line, chunk) in self.lines.iter().zip(bytes.chunks_mut(64)) {
            chunk.copy_from_slice(&line.0[..chunk.len()]);
        }
        true
    }
}

/// A field of the entry function's struct.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// The address of one of the call's memories.
    Memory(usize),
    /// A value of this many bytes (1, 2, 4 or 8), in the low bits.
    Value(u64, usize),
}

/// Everything that a call reads and writes.
pub(crate) struct Call {
    memories: Vec<Memory>,
    words: Vec<Word>,
}

impl Call {
    pub(crate) fn new(memories: Vec<Memory>, words: Vec<Word>) -> Self {
        Self { memories, words }
    }

    pub(crate) fn memory(&self, index: usize) -> &Memory {
        &self.memories[index]
    }

    /// The struct as C lays it out: each field at the next multiple of its size.
    fn packed(&mut self) -> Vec<u64> {
        let mut bytes: Vec<u8> = Vec::with_capacity(self.words.len() * 8);
        for word in &self.words {
            let (value, size) = match word {
                Word::Memory(index) => {
                    (self.memories[*index].lines.as_mut_ptr().expose_provenance() as u64, 8)
                }
                Word::Value(value, size) => (*value, *size),
            };
            bytes.resize(bytes.len().next_multiple_of(size), 0);
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        }
        bytes.resize(bytes.len().next_multiple_of(8).max(8), 0);
        bytes
            .chunks_exact(8)
            .map(|chunk| {
                let mut word = [0; 8];
                word.copy_from_slice(chunk);
                u64::from_ne_bytes(word)
            })
            .collect()
    }
}

type EntryFunction = unsafe extern "C" fn(*const u64, *mut Failure) -> c_int;

/// A loaded pipeline.
pub(crate) struct Entry {
    function: EntryFunction,
    // Unloaded after the functions are gone.
    _library: Arc<Library>,
}

impl Entry {
    /// Loads a shared library. Its calls of the runtime are resolved to the process's own runtime.
    pub(crate) fn open(path: &Path, symbol: &str) -> Result<Self, CompileError> {
        Self::of(&Arc::new(library(path)?), symbol)
    }

    /// Loads a library of several pipelines.
    pub(crate) fn open_all(path: &Path, symbols: &[String]) -> Result<Vec<Self>, CompileError> {
        let library = Arc::new(library(path)?);
        symbols.iter().map(|symbol| Self::of(&library, symbol)).collect()
    }

    fn of(library: &Arc<Library>, symbol: &str) -> Result<Self, CompileError> {
        // SAFETY: the generated file defines the symbol with this signature.
        let function = *unsafe { library.get::<EntryFunction>(symbol.as_bytes()) }?;
        Ok(Self { function, _library: Arc::clone(library) })
    }

    /// Runs the pipeline once.
    pub(crate) fn call(&self, call: &mut Call) -> (Status, Failure) {
        let mut failure = Failure::default();
        let packed = call.packed();
        // SAFETY: `packed` is the struct that the function takes. It points to memory of `call`,
        // which is borrowed mutably during the call. The module's documentation covers the rest.
        let status = unsafe { (self.function)(packed.as_ptr(), &raw mut failure) };
        let status = match status {
            0 => Status::Done,
            1 => Status::CheckFailed,
            2 => Status::OutOfMemory,
            other => Status::Other(other),
        };
        (status, failure)
    }
}

/// Loads the runtime, then a library of pipelines. Fails if a symbol that the library calls is
/// undefined.
fn library(path: &Path) -> Result<Library, CompileError> {
    load_runtime()?;
    // SAFETY: the library was compiled from generated C, which has no initialisers.
    Ok(unsafe { UnixLibrary::open(Some(path), RTLD_NOW | RTLD_LOCAL) }?.into())
}

/// The runtime that all pipelines of this process share, so that they share its threads.
struct Runtime {
    set_threads: unsafe extern "C" fn(c_int),
    // Never unloaded: its threads run in it.
    _library: UnixLibrary,
}

static RUNTIME: Mutex<Option<Runtime>> = Mutex::new(None);

/// The runtime as a shared library, which the build script compiled.
const RUNTIME_LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.so"));

/// Loads the runtime, once in a process.
fn load_runtime() -> Result<(), CompileError> {
    let mut runtime = RUNTIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if runtime.is_some() {
        return Ok(());
    }
    let directory = tempfile::tempdir().map_err(CompileError::io("make a directory"))?;
    let path = directory.path().join("runtime.so");
    std::fs::write(&path, RUNTIME_LIBRARY).map_err(CompileError::io("write the runtime"))?;
    // SAFETY: the runtime's initialisers prepare it for forks; its destructor ends its own threads.
    let library = unsafe { UnixLibrary::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }?;
    // SAFETY: the runtime declares the function with this type.
    let set_threads =
        *unsafe { library.get::<unsafe extern "C" fn(c_int)>(b"halidom_set_threads") }?;
    *runtime = Some(Runtime { set_threads, _library: library });
    Ok(())
}

/// Sets the number of threads that parallel loops use; 0 restores the default. Has no effect before
/// the first pipeline is loaded.
pub(crate) fn set_threads(count: usize) {
    let runtime = RUNTIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(runtime) = runtime.as_ref() {
        let count = c_int::try_from(count).unwrap_or(c_int::MAX);
        // SAFETY: the function takes any number.
        unsafe { (runtime.set_threads)(count) };
    }
}
