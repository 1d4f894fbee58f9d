//! The codes of this crate's diagnostics. Each has a page in `docs/errors`.

use halidom_diag::Code;

/// A file that is no pipeline file, or a damaged one.
pub const NOT_A_PIPELINE: Code = Code("HAL1201");
/// A pipeline file of another version of Halide.
pub const OTHER_VERSION: Code = Code("HAL1202");
/// A text that is not what Halide prints.
pub const NOT_A_STATEMENT: Code = Code("HAL1203");
/// A dump without the statement after any pass.
pub const NOT_A_DUMP: Code = Code("HAL1204");
/// Something in a pipeline or a statement that has no translation.
pub const UNSUPPORTED: Code = Code("HAL1205");
/// No installed Halide that can be asked.
pub const NO_HALIDE: Code = Code("HAL1206");
