//! The lossless form of a final statement of stock Halide. The bridge in `halidom-halide` writes it
//! and reads it back.
//!
//! A text of [`crate::text`] leaves out types, kinds of calls, digits of floats and ends of scopes.
//! A dump contains them. It consists of nested parentheses:
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
//!  (let "t" (call i32 "abs" pure-intrinsic 0 (var i32 "offset")))
//!  (for parallel none "x" (i32 0) (var i32 "out.extent.0")
//!   (store "out" (var i32 "x") (cast i16 (load i8 "a" (var i32 "x"))))))
//! ```
//!
//! # The form
//! * An argument has its kind, name and type. A buffer also has its number of dimensions, the
//!   alignment of its host pointer in bytes, and the pipeline's constraints on its dimensions:
//!   `(dim 0 (min (i32 0)) (stride (i32 1)))`. A scalar has the ends of its range that the
//!   pipeline names: `(min (i32 0)) (max (i32 9))`. An image is embedded in the code. It has its
//!   type; the least coordinate, extent and stride of each dimension; and its memory in bytes.
//! * A type is `i`, `u`, `f` or `bf` with bits, or `h` for a pointer, with its type in C where that
//!   is known; then `x` and the lanes if there are several.
//! * A float is the bits of a double, `(f32 0x3FF0000000000000)`: Halide keeps all floats as
//!   doubles.
//! * A string is bytes: `\\`, `\"`, and `\xHH` for every byte that is not printable.
//! * A `let` or `allocate` is known up to the end of the list that contains it. If its scope ends
//!   earlier, the declaration and its scope stand in a `scope`.
//! * A load or store has ` (if P)` where not all lanes are accessed, and ` (align M R)` where
//!   something is known. An allocation has `(if P)`, `(new E)` and `(free "F")` where they apply.
//! * A statement begins a line, one blank further in than its parent; everything else stays in one
//!   line. [`read`] refuses a text that [`print()`] would not print.
//!
//! # Left out
//! A dump omits everything that no code generator looks at: the parameter, image or reduction
//! domain to which a *variable* points (its name identifies it, and the bridge refuses a variable
//! whose name does not), the func of a call (calls of funcs are refused), and the policy by which a
//! loop was to be partitioned. The parameter of a load is the input with its name, and the
//! parameter of a store is the output with its name; the bridge checks this. `Provide`, `Realize`,
//! `Prefetch` and `HoistedStorage` do not occur in a final statement, and are refused.

mod error;
mod numbered;
mod printer;
mod reader;

pub use error::DumpError;
pub use numbered::numbered;
pub use printer::{print, print_block};
pub use reader::{is_dump, read, read_block};

use crate::tree::{Block, Expr, Type};
use crate::{NameId, Release};

/// The beginning of the first line of a dump of any version.
pub(crate) const MAGIC: &str = "halidom-dump ";

/// A final statement, with the other data that its code generator receives.
#[derive(Clone, Debug, PartialEq)]
pub struct Dump {
    /// The release of Halide that made the statement.
    pub release: Release,
    /// The machine, in Halide's words.
    pub target: Box<str>,
    /// True if floats are strict somewhere, so that LLVM is told to keep all of them as they are.
    pub strict_float: bool,
    /// The arguments that a caller passes, in order.
    pub arguments: Vec<Argument>,
    /// The arrays in the code.
    pub images: Vec<Image>,
    /// The statement.
    pub block: Block,
}

/// An argument that a caller passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its name.
    pub name: NameId,
    /// The type of a scalar, or of a buffer's elements.
    pub ty: Type,
    /// Its kind.
    pub kind: ArgumentKind,
    /// The pipeline's constraints on the dimensions of a buffer.
    pub constraints: Vec<Constraint>,
    /// The least and the greatest value of a scalar, where the pipeline limits it.
    pub range: [Option<Expr>; 2],
}

/// The pipeline's constraints on a dimension of a buffer. At least one side has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The dimension's number.
    pub dim: u8,
    /// The least coordinate, the number of coordinates, and the distance from one coordinate to the
    /// next in elements.
    pub sides: [Option<Expr>; 3],
}

/// The names of the ends of a range.
pub(crate) const ENDS: [&str; 2] = ["min", "max"];

/// The names of the sides of a dimension.
pub(crate) const SIDES: [&str; 3] = ["min", "extent", "stride"];

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// One value.
    Scalar,
    /// A buffer that is read.
    Input(Buffer),
    /// A buffer that is written, and possibly read.
    Output(Buffer),
}

/// The facts about a buffer that are known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The number of dimensions.
    pub dimensions: u8,
    /// The alignment of its memory's address, in bytes.
    pub host_alignment: u32,
}

/// An array in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its name.
    pub name: NameId,
    /// The type of its elements.
    pub ty: Type,
    /// Its dimensions.
    pub dims: Vec<ImageDim>,
    /// Its memory, from the element with the least coordinates.
    pub bytes: Vec<u8>,
}

/// A dimension of an array in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDim {
    /// The least coordinate.
    pub min: i32,
    /// The number of coordinates.
    pub extent: i32,
    /// The distance from one coordinate to the next, in elements.
    pub stride: i32,
}

/// The deepest nesting of parentheses that is read.
pub const DEPTH: usize = 4000;
