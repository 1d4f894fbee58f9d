//! The codes of this crate's diagnostics. Each has a page in `docs/errors`.

use halidom_diag::Code;

/// A file that is not a pipeline file, or a damaged one.
pub const NOT_A_PIPELINE: Code = Code("HAL1201");
/// A pipeline file of another version of Halide.
pub const OTHER_VERSION: Code = Code("HAL1202");
/// A text that Halide does not print.
pub const NOT_A_STATEMENT: Code = Code("HAL1203");
/// A dump without the statement after any pass.
pub const NOT_A_DUMP: Code = Code("HAL1204");
/// Something in a pipeline or a statement that has no translation.
pub const UNSUPPORTED: Code = Code("HAL1205");
/// No installed Halide can be asked.
pub const NO_HALIDE: Code = Code("HAL1206");
/// A script that yields no pipeline.
pub const SCRIPT: Code = Code("HAL1207");
/// A generator that does not do what it is asked for.
pub const GENERATOR: Code = Code("HAL1208");
/// A pipeline file and a statement or dump that do not belong together.
pub const MISMATCH: Code = Code("HAL1209");
/// An assumption that is not a condition on parameters and shapes.
pub const ASSUMPTION: Code = Code("HAL1210");
/// A part of Halide's schedule that our language cannot express, or that our compiler does not
/// perform.
pub const LEFT_OUT: Code = Code("HAL1211");
/// No C++ compiler that compiles the bridge to Halide.
pub const NO_COMPILER: Code = Code("HAL1212");
/// Two compiles that are not of one pipeline.
pub const OTHER_PIPELINE: Code = Code("HAL1213");
