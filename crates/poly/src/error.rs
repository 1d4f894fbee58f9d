//! The errors of questions about sets.

use thiserror::Error;

/// The reason why a question about sets has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// The call needed more basic operations of isl than [`crate::Context::new`] allows. The answer
    /// is not known.
    #[error("the work limit of {limit} set operations was exceeded")]
    ResourceLimit {
        /// The limit that was exceeded, in isl's operations.
        limit: u64,
    },
    /// A least or greatest value was requested that does not exist for some values of the other
    /// dims.
    #[error("`{dim}` has no {side} bound")]
    Unbounded {
        /// The name of the dim.
        dim: String,
        /// `lower` or `upper`.
        side: &'static str,
    },
    /// A coefficient, constant or coordinate in an answer does not fit in 64 bits.
    #[error("a number in the answer does not fit 64 bits")]
    Overflow,
    /// Operands come from different contexts, or a [`crate::Dim`] is unknown in this context.
    #[error("operands belong to different contexts")]
    ContextMismatch,
    /// A division or modulo by zero or by a negative number.
    #[error("division by {divisor}, which is not positive")]
    Divisor {
        /// The divisor.
        divisor: i64,
    },
    /// Any other failure of isl.
    #[error("isl failed: {message}")]
    Isl {
        /// The message of isl.
        message: String,
    },
}
