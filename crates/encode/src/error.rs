//! The reasons why an expression has no term.

/// The reason why an expression has no term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// An expression with several lanes: encode one lane at a time.
    #[error("a vector has no term")]
    Vector,
    /// A bound that has not been inferred yet.
    #[error("a bounds hole has no term")]
    Hole,
    /// An operator whose overflow is assumed absent: its value is known only under that assumption.
    #[error("overflow that is assumed absent has no term")]
    AssumedAbsentOverflow,
    /// An operator on a type for which it is not defined.
    #[error("the operator does not take operands of these types")]
    IllTyped,
}
