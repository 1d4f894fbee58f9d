//! The reasons for which a schedule is refused, as plain data.

/// A directive that is not allowed, or a bound that cannot be inferred.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScheduleError {
    /// The stable code: `HAL06…`, with a page in `docs/errors/`.
    pub code: &'static str,
    /// The directive's number ([`halidom_ir::Directive::origin`]); `None` where no directive is at
    /// fault.
    pub origin: Option<usize>,
    /// The func whose definition is at fault, if any.
    pub func: Option<halidom_ir::FuncId>,
    /// The error message.
    pub message: String,
    /// A correct alternative, which names the legal choices.
    pub hint: String,
}

impl ScheduleError {
    pub(crate) fn new(
        code: &'static str,
        origin: impl Into<Option<usize>>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { code, origin: origin.into(), func: None, message: message.into(), hint: hint.into() }
    }
}

pub(crate) type Result<T> = std::result::Result<T, ScheduleError>;
