//! Who may ask: this computer's browser, on the page that this server sent.

use crate::http::{Head, Status};
use crate::token::Token;

/// The header that carries the token.
const HEADER: &str = "x-halidom-token";

/// Tests whether a request comes through the server's own name, and from its own page if from any.
/// A page of another site that reaches the server by a name of its own is refused.
pub(crate) fn is_from_here(head: &Head, port: u16) -> Result<bool, Status> {
    let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let host = head.header("host")?;
    let is_own = |host: &str| names.iter().any(|name| name == host);
    let origin = head.header("origin")?;
    let is_own_page = |origin: &str| origin.strip_prefix("http://").is_some_and(is_own);
    Ok(host.is_some_and(is_own) && origin.is_none_or(is_own_page))
}

/// Tests whether the address of the page has the token.
pub(crate) fn address_has(head: &Head, token: &Token) -> bool {
    let given = head.query.as_deref().and_then(|query| query.strip_prefix("token="));
    given.is_some_and(|given| token.is(given))
}

/// Tests whether the header of a request has the token.
pub(crate) fn header_has(head: &Head, token: &Token) -> Result<bool, Status> {
    Ok(head.header(HEADER)?.is_some_and(|given| token.is(given)))
}
