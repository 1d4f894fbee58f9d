//! A printed program, and the data that is needed to call it.

use halidom_base::IndexSet;
use halidom_ir::{Check, Scalar, VarId};
use halidom_prelude::helpers::Helper;

use crate::Target;
use crate::c::printer::print_comment;
use crate::c::tree::CType;

/// A program in C.
#[derive(Clone, Debug)]
pub struct CModule {
    /// The pipeline's name as a C identifier.
    pub name: String,
    /// The file.
    pub text: String,
    /// The entry for programs in C, to be appended to the file, and the header that declares it.
    pub(crate) library: String,
    /// The helpers that the file begins with, and the text after them.
    pub(crate) helpers: IndexSet<Helper>,
    pub(crate) body: String,
    pub(crate) header: String,
    /// The parameters of the entry for C programs, in order.
    pub arguments: Vec<ArgumentInfo>,
    /// The entry checks. The number that a failure reports is an index into this list.
    pub checks: Vec<CheckInfo>,
    /// The fields of the struct that the entry function takes, in order.
    pub(crate) fields: Vec<Field>,
    pub(crate) signature: Signature,
    /// True if the C compiler may round sums of products once, where the target permits it.
    pub(crate) permits_contraction: bool,
}

/// The arguments that a pipeline takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) inputs: Vec<BufferInfo>,
    pub(crate) outputs: Vec<BufferInfo>,
    pub(crate) params: Vec<ParamInfo>,
}

/// One of the caller's buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferInfo {
    pub(crate) name: String,
    pub(crate) scalar: Scalar,
    pub(crate) rank: usize,
    /// The first buffer of the same output, whose shape this one must have, by position among the
    /// outputs' buffers. `None` for the first buffer itself.
    pub(crate) like: Option<usize>,
}

/// A scalar parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamInfo {
    pub(crate) var: VarId,
    pub(crate) name: String,
    pub(crate) scalar: Scalar,
}

/// A parameter of the entry for C programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentInfo {
    /// Its name in C.
    pub name: String,
    /// Its type, or the type of its elements.
    pub scalar: Scalar,
    /// Its kind.
    pub kind: ArgumentKind,
    /// Its position among the program's parameters, its inputs, or the buffers of its outputs.
    pub position: usize,
}

/// The kind of a parameter of the entry for C programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A number, passed by value.
    Parameter,
    /// A buffer that is read.
    Input {
        /// Its number of dimensions.
        rank: usize,
    },
    /// A buffer that is written.
    Output {
        /// Its number of dimensions.
        rank: usize,
        /// The output's first buffer, whose shape this one must have, by position among the
        /// outputs' buffers. `None` for the first buffer itself.
        like: Option<usize>,
    },
}

/// An entry check and its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckInfo {
    /// The check.
    pub check: Check,
    /// The purpose of the check.
    pub what: String,
    /// The number of values that a failure reports.
    pub(crate) reported: usize,
}

/// A field of the struct that the entry function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) ty: CType,
    pub(crate) source: Source,
    /// The variable that it binds, if it is not a buffer.
    pub(crate) var: Option<VarId>,
}

/// One of the caller's buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// An input, by position.
    Input(usize),
    /// An output, by position.
    Output(usize),
}

/// One of the numbers that describe a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Min,
    Extent,
    Stride,
}

/// The place from which the caller takes a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The address of a buffer's first element.
    Memory(Side),
    /// A buffer's layout.
    Layout(Side, usize, Part),
    /// The required region of an output, by the position of its first buffer.
    Window(usize, usize, Part),
    /// A parameter, by position.
    Param(usize),
}

impl CModule {
    /// Returns the target as the C compiler is told of it: floats may be contracted only if this
    /// affects nothing but values.
    pub fn compiled_for(&self, target: &Target) -> Target {
        target.clone().contracting(target.contracts() && self.permits_contraction)
    }

    /// Returns the file with the entry for C programs, as it is compiled for the target. Someone
    /// who compiles it elsewhere must know whether floats may be contracted, so a comment asks for
    /// strict floats where they may not.
    pub fn library_text(&self, target: &Target) -> String {
        let mut text = String::new();
        if !self.compiled_for(target).contracts() {
            print_comment(&mut text, 0, STRICT);
        }
        [text.as_str(), &self.text, &self.library].concat()
    }

    /// Returns the header that declares this entry.
    pub fn header(&self) -> &str {
        &self.header
    }
}

/// Returns the name of the struct that the entry function takes.
pub(crate) fn args_type(name: &str) -> String {
    [name, "_args"].concat()
}

impl CheckInfo {
    /// Returns the values that a failure of the check reports, out of all that a failure has room
    /// for.
    pub(crate) fn values(&self, reported: &[i64]) -> Vec<i64> {
        reported.iter().copied().take(self.reported).collect()
    }

    /// Returns the message of a failure of the check.
    pub fn message(&self, values: &[i64]) -> String {
        let mut text = self.what.clone();
        if let (
            Check::InputRegion { .. } | Check::OutputRegion { .. },
            [min, extent, has_min, has_extent],
        ) = (&self.check, values)
        {
            text.push_str(" is ");
            text.push_str(&range(*min, *extent));
            text.push_str(", but the buffer holds ");
            text.push_str(&range(*has_min, *has_extent));
        } else if let [value] = values {
            text.push_str(": ");
            text.push_str(&value.to_string());
        }
        text
    }
}

/// Describes an interval in words.
fn range(min: i64, extent: i64) -> String {
    if extent <= 0 {
        "empty".to_owned()
    } else {
        [&min.to_string(), "..", &min.saturating_add(extent).to_string()].concat()
    }
}

/// Returns the name of the function that runs a pipeline.
pub(crate) fn run_symbol(name: &str) -> String {
    [name, "_run"].concat()
}

const STRICT: &str =
    "To be compiled with -ffp-contract=off: every operation on floats is rounded by itself.";
