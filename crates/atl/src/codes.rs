//! The codes of this crate's diagnostics. Each has a page in `docs/errors`.

use halidom_diag::Code;

/// Text that is no program: a character, a token, or an end that was not expected.
pub const SYNTAX: Code = Code("HAL1001");
/// A name that means nothing here.
pub const UNKNOWN_NAME: Code = Code("HAL1002");
/// A name that means something else already.
pub const NAME_TAKEN: Code = Code("HAL1003");
/// A tensor, an integer or a truth value where another of the three is needed.
pub const WRONG_SORT: Code = Code("HAL1004");
/// Tensors whose numbers of dimensions do not fit.
pub const WRONG_RANK: Code = Code("HAL1005");
/// Sizes that must agree and cannot be shown to.
pub const WRONG_SIZE: Code = Code("HAL1006");
/// An access that cannot be shown to be in bounds.
pub const OUT_OF_BOUNDS: Code = Code("HAL1007");
/// A command that does not exist, or with arguments that it does not take.
pub const UNKNOWN_COMMAND: Code = Code("HAL1008");
/// A site that is not there, or more than once.
pub const NO_SITE: Code = Code("HAL1009");
/// A rule whose pattern the site does not have.
pub const NO_MATCH: Code = Code("HAL1010");
/// A rule whose premise cannot be shown.
pub const PREMISE: Code = Code("HAL1011");
/// A program that cannot be lowered.
pub const NOT_LOWERED: Code = Code("HAL1012");
/// A certificate that Coq does not accept.
pub const REFUSED: Code = Code("HAL1013");
/// A folder that is no certificate.
pub const NO_CERTIFICATE: Code = Code("HAL1016");
/// Coq is not to be found, or a file cannot be written.
pub const NO_COQ: Code = Code("HAL1014");
