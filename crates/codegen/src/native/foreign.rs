//! Calls pipelines that stock Halide compiled, alongside ours.
#![expect(
    unsafe_code,
    reason = "calling machine code that another compiler made is what this file is for"
)]
//!
//! # Correctness
//! A call is sound if the library's pipeline takes the given arguments. The caller names them in
//! the pipeline's order, and Halide's code checks types, ranks and shapes of its buffers at entry.
//! [`HalideCall`] owns the memory, which holds each array's box.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::Mutex;

use halidom_ir::{Array, Constant, Scalar};
use libloading::Library;

use crate::CompileError;
use crate::native::kernel::holds_its_box;
use crate::native::loader::Memory;

/// `halide_type_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct HalideType {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// `halide_dimension_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Dimension {
    min: i32,
    extent: i32,
    stride: i32,
    flags: u32,
}

/// `halide_buffer_t`, which is `halidom_buffer_t`.
#[repr(C)]
struct Buffer {
    device: u64,
    device_interface: *const c_void,
    host: *mut u8,
    flags: u64,
    ty: HalideType,
    dimensions: i32,
    dim: *mut Dimension,
    padding: *mut c_void,
}

type Entry = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
type Handler = extern "C" fn(*mut c_void, *const c_char);
type SetHandler = unsafe extern "C" fn(Handler) -> Option<Handler>;
type SetThreads = unsafe extern "C" fn(c_int) -> c_int;
type Shutdown = unsafe extern "C" fn();

/// The message of the last call that failed. Halide's own handler would end the process.
static WORDS: Mutex<String> = Mutex::new(String::new());

extern "C" fn keep_words(_context: *mut c_void, words: *const c_char) {
    if !words.is_null() {
        // SAFETY: Halide gives a string that ends in zero.
        let text = unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned();
        *WORDS.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = text;
    }
}

/// A shared library with one pipeline of Halide and Halide's runtime.
pub struct HalideLibrary {
    entry: Entry,
    set_threads: SetThreads,
    end_threads: Shutdown,
    // Never unloaded: the threads of Halide's runtime run in it.
    _library: std::mem::ManuallyDrop<Library>,
}

/// An argument. Arguments are in the pipeline's order, with outputs last.
#[derive(Clone, Copy, Debug)]
pub enum HalideArgument<'a> {
    /// A scalar. An `int` is passed in 32 bits.
    Scalar(Constant),
    /// An input or an output.
    Array(&'a Array),
}

/// The reasons why a call cannot be made, or failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HalideError {
    /// A size, stride or parameter that 32 bits do not hold.
    #[error("argument {0} does not fit what Halide takes")]
    Argument(usize),
    /// The pipeline returned an error.
    #[error("the pipeline stops with status {status}: {words}")]
    Failed {
        /// The returned status.
        status: i32,
        /// The pipeline's message.
        words: String,
    },
}

/// A pipeline with its arguments in place, to run any number of times.
pub struct HalideCall<'l> {
    library: &'l HalideLibrary,
    /// The memory of each argument; empty for a scalar.
    memories: Vec<Memory>,
    /// The bits of each scalar.
    scalars: Vec<u64>,
    /// The shape of each array.
    shapes: Vec<Option<(HalideType, Vec<Dimension>)>>,
}

impl HalideLibrary {
    /// Loads a library that exports the pipeline `name`.
    ///
    /// # Errors
    /// The file is not a library, or lacks such a pipeline or Halide's runtime.
    pub fn open(path: &Path, name: &str) -> Result<Self, CompileError> {
        // SAFETY: Halide's runtime has no initialisers with demands on the caller.
        let library = unsafe { Library::new(path) }?;
        let symbol = [name, "_argv"].concat();
        // SAFETY: Halide exports these functions with these signatures (HalideRuntime.h).
        let (entry, set_threads, end_threads) = unsafe {
            library.get::<SetHandler>(b"halide_set_error_handler")?(keep_words);
            (
                *library.get::<Entry>(symbol.as_bytes())?,
                *library.get::<SetThreads>(b"halide_set_num_threads")?,
                *library.get::<Shutdown>(b"halide_shutdown_thread_pool")?,
            )
        };
        Ok(Self { entry, set_threads, end_threads, _library: std::mem::ManuallyDrop::new(library) })
    }

    /// Sets the number of threads that the library's parallel loops use; 0 restores the default.
    pub fn set_threads(&self, count: usize) {
        // SAFETY: the function takes any number that is not negative.
        unsafe { (self.set_threads)(c_int::try_from(count).unwrap_or(0)) };
    }

    /// Copies the arguments to the memory on which the pipeline will work.
    ///
    /// # Errors
    /// Halide cannot take an argument.
    pub fn prepare(&self, arguments: &[HalideArgument<'_>]) -> Result<HalideCall<'_>, HalideError> {
        let mut call =
            HalideCall { library: self, memories: vec![], scalars: vec![], shapes: vec![] };
        for (number, argument) in arguments.iter().enumerate() {
            let refused = || HalideError::Argument(number);
            match argument {
                HalideArgument::Scalar(value) => {
                    let int = |value: i128| i32::try_from(value).map(|value| value as u32).ok();
                    let bits =
                        value.to_bits().or_else(|| value.as_integer().and_then(int).map(u64::from));
                    call.memories.push(Memory::of(&[]));
                    call.scalars.push(bits.ok_or_else(refused)?);
                    call.shapes.push(None);
                }
                HalideArgument::Array(array) => {
                    let shape = shape(array).filter(|_| holds_its_box(array));
                    call.memories.push(Memory::of(&array.data));
                    call.scalars.push(0);
                    call.shapes.push(Some(shape.ok_or_else(refused)?));
                }
            }
        }
        Ok(call)
    }
}

impl Drop for HalideLibrary {
    /// Ends the threads of the library's runtime. Each library has its own.
    fn drop(&mut self) {
        // SAFETY: calls borrow the library, so none is running.
        unsafe { (self.end_threads)() };
    }
}

impl HalideCall<'_> {
    /// Runs the pipeline once.
    ///
    /// # Errors
    /// The error that the pipeline reports.
    pub fn run(&mut self) -> Result<(), HalideError> {
        let mut buffers: Vec<Option<Buffer>> = Vec::with_capacity(self.shapes.len());
        for (memory, shape) in self.memories.iter_mut().zip(&mut self.shapes) {
            buffers.push(shape.as_mut().map(|(ty, dims)| Buffer {
                device: 0,
                device_interface: ptr::null(),
                host: memory.address(),
                flags: 0,
                ty: *ty,
                dimensions: dims.len() as i32,
                dim: dims.as_mut_ptr(),
                padding: ptr::null_mut(),
            }));
        }
        let mut arguments: Vec<*mut c_void> = buffers
            .iter_mut()
            .zip(&mut self.scalars)
            .map(|(buffer, scalar)| match buffer {
                Some(buffer) => ptr::from_mut(buffer).cast(),
                None => ptr::from_mut(scalar).cast(),
            })
            .collect();
        // SAFETY: each pointer is to a buffer or a scalar that outlives the call. The module's
        // documentation covers the rest.
        let status = unsafe { (self.library.entry)(arguments.as_mut_ptr()) };
        if status == 0 {
            return Ok(());
        }
        let words = WORDS.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        Err(HalideError::Failed { status, words: words.trim().to_owned() })
    }

    /// Copies an argument out to an array of the layout with which it was prepared. Returns false,
    /// and copies nothing, if the array has another number of bytes.
    pub fn copy_out(&self, argument: usize, array: &mut Array) -> bool {
        self.memories[argument].copy_to(&mut array.data)
    }
}

fn shape(array: &Array) -> Option<(HalideType, Vec<Dimension>)> {
    let mut dims = Vec::with_capacity(array.shape.len());
    for ((min, extent), stride) in array.shape.iter().zip(&array.strides) {
        let [min, extent, stride] = [*min, *extent, *stride].map(|part| i32::try_from(part).ok());
        dims.push(Dimension { min: min?, extent: extent?, stride: stride?, flags: 0 });
    }
    let scalar = array.scalar;
    let code = if scalar.is_float() { 2 } else { u8::from(!scalar.is_signed()) };
    let bits = u8::try_from(scalar.bits().filter(|_| scalar != Scalar::Int)?).ok()?;
    Some((HalideType { code, bits, lanes: 1 }, dims))
}
