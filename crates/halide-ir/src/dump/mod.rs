//! The lossless form of a final statement of stock Halide: what the bridge in `halidom-halide` writes and reads back.
//!
//! A text of [`crate::text`] leaves out types, kinds of calls, digits of floats and ends of scopes. A dump has them. It is one of parentheses:
//!
//! ```text
//! halidom-dump 1 halide 21.0.0
//! (target "x86-64-linux-sse41")
//! (strict-float no)
//! (argument input-buffer "a" i8 1 1)
//! (argument input-scalar "offset" i32)
//! (argument output-buffer "out" i16 1 2)
//! (image "table" f32 ((0 4 1)) 0000803F000000400000404000008040)
//! (statement
//!  (let "out.stride.1" (call i32 "_halide_buffer_get_stride" extern 0 (var h"struct halide_buffer_t *" "out.buffer") (i32 0)))
//!  (for parallel none "x" (i32 0) (var i32 "out.extent.0")
//!   (store "out" (var i32 "x") (cast i16 (load i8 "a" (var i32 "x"))))))
//! ```
//!
//! # The form
//! * An argument has its kind, name and type; a buffer its number of dimensions and what its host pointer is a multiple of, in bytes. An image is embedded in the code: type, for each dimension
//!   least coordinate, extent and stride, and its memory in bytes.
//! * A type is `i`, `u`, `f` or `bf` with bits, or `h`, a pointer, with what it points to in C where that is known; then `x` and lanes where there are several.
//! * A float is the bits of a double, `(f32 0x3FF0000000000000)`: Halide keeps all floats so.
//! * A string is bytes: `\\`, `\"`, and `\xHH` for all that is not printable.
//! * A `let` or `allocate` is known up to the end of the list that it stands in; where its scope ends before, both are in a `scope`.
//! * A load or store has ` (if P)` where not all lanes are accessed and ` (align M R)` where something is known; an allocation has `(if P)`, `(new E)`, `(free "F")` where it has these.
//! * A statement stands on a line of its own, one blank further in than what it is in; all else is in one line. [`read`] refuses what [`print`] would not print.
//!
//! # Left out
//! What no code generator looks at: the parameter, image or reduction domain that a *variable* points to (its name says which; the bridge refuses a variable whose name does not), the func of a call
//! (calls of funcs are refused), the policy by which a loop was to be partitioned. The parameter of a load is the input of that name, that of a store the output; the bridge checks it.
//! `Provide`, `Realize`, `Prefetch` and `HoistedStorage` are gone in a final statement, and refused.

mod error;
mod printer;
mod reader;

pub use error::DumpError;
pub use printer::{print, print_block};
pub use reader::{is_dump, read, read_block};

use crate::NameId;
use crate::tree::{Block, Type};

/// The first line.
pub(crate) const VERSION_LINE: &str = "halidom-dump 1 halide 21.0.0";
/// What begins the first line of a dump of any version.
pub(crate) const MAGIC: &str = "halidom-dump ";

/// A final statement, with what its code generator is told beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dump {
    /// The machine, in Halide's words.
    pub target: Box<str>,
    /// Whether floats are strict somewhere, so that LLVM is told to keep all of them as they are.
    pub strict_float: bool,
    /// What a caller gives, in order.
    pub arguments: Vec<Argument>,
    /// Arrays in the code.
    pub images: Vec<Image>,
    /// The statement.
    pub block: Block,
}

/// Something that a caller gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: NameId,
    /// The type of a scalar, or of a buffer's elements.
    pub ty: Type,
    /// What it is.
    pub kind: ArgumentKind,
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// One value.
    Scalar,
    /// A buffer that is read.
    Input(Buffer),
    /// A buffer that is written, and maybe read.
    Output(Buffer),
}

/// What is known of a buffer beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The number of dimensions.
    pub dimensions: u8,
    /// What the address of its memory is a multiple of, in bytes.
    pub host_alignment: u32,
}

/// An array in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its name.
    pub name: NameId,
    /// The type of its elements.
    pub ty: Type,
    /// Each dimension.
    pub dims: Vec<ImageDim>,
    /// Its memory, from the element with the least coordinates.
    pub bytes: Vec<u8>,
}

/// A dimension of an array in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDim {
    /// The least coordinate.
    pub min: i32,
    /// How many.
    pub extent: i32,
    /// From one element to the next, in elements.
    pub stride: i32,
}

/// How deeply parentheses may be nested.
pub const DEPTH: usize = 4000;
