//! The reasons for which a derivation has no form in the IR.

use halidom_atl::engine::Refusal;

/// The reasons for which a derivation has no form in the IR.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// The final program cannot be brought into the form in which it is lowered.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// The bounds of a sum depend on other variables, and no bounds over sizes were found around
    /// them.
    #[error("the bounds of the sum over `{0}` depend on other variables")]
    Bounds(String),
    /// A literal that is not a number of the element type.
    #[error("`{0}` is no number of the elements' type")]
    Literal(String),
    /// A function that the IR does not have for the element type.
    #[error("`{0}` is not a function of the elements' type")]
    Function(String),
    /// A shape that is not known.
    #[error("the shape of a part of the program is not known")]
    Shape,
    /// Something that occurs only in rules.
    #[error("`{0}` stands for nothing")]
    Unbound(String),
}
