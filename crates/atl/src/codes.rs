//! The codes of this crate's diagnostics. Each has a page in `docs/errors`.

use halidom_diag::Code;

/// Text that is not a program: an unexpected character, token, or end.
pub const SYNTAX: Code = Code("HAL1001");
/// A name that has no meaning here.
pub const UNKNOWN_NAME: Code = Code("HAL1002");
/// A name that already has another meaning.
pub const NAME_TAKEN: Code = Code("HAL1003");
/// A tensor, an integer or a truth value in a place that needs another of the three.
pub const WRONG_SORT: Code = Code("HAL1004");
/// Tensors whose numbers of dimensions do not fit together.
pub const WRONG_RANK: Code = Code("HAL1005");
/// Sizes that must agree but cannot be proved to.
pub const WRONG_SIZE: Code = Code("HAL1006");
/// An access that cannot be proved to be in bounds.
pub const OUT_OF_BOUNDS: Code = Code("HAL1007");
/// A command that does not exist, or with arguments that it does not take.
pub const UNKNOWN_COMMAND: Code = Code("HAL1008");
/// A site that does not exist or is ambiguous.
pub const NO_SITE: Code = Code("HAL1009");
/// A rule whose pattern does not match the site.
pub const NO_MATCH: Code = Code("HAL1010");
/// A rule whose premise cannot be proved.
pub const PREMISE: Code = Code("HAL1011");
/// A program that cannot be lowered.
pub const NOT_LOWERED: Code = Code("HAL1012");
/// A certificate that Coq does not accept.
pub const REFUSED: Code = Code("HAL1013");
/// A folder that is not a certificate.
pub const NO_CERTIFICATE: Code = Code("HAL1016");
/// Coq cannot be found, or a file cannot be written.
pub const NO_COQ: Code = Code("HAL1014");
