//! Answers to requests, and the parameters of methods.

use lsp_server::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The answer to a request: a value, or an error with a code.
pub(crate) type Answer = Result<Value, Refused>;

/// An error with a code.
pub(crate) type Refused = (ErrorCode, String);

/// The answer to a question about a text that has changed meanwhile.
pub(crate) fn modified() -> Answer {
    Err((ErrorCode::ContentModified, "the text has changed".to_owned()))
}

/// Reads the parameters of a method.
pub(crate) fn parse<T: DeserializeOwned>(params: Value) -> Result<T, Refused> {
    serde_json::from_value(params)
        .map_err(|error| (ErrorCode::InvalidParams, format!("wrong parameters: {error}")))
}
