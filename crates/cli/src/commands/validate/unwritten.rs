//! The runs of the code of a statement that is not judged, because floats decide places in it.

use std::time::Instant;

use halidom_driver::input::Refusal;
use halidom_driver::stock::{self, Request, Unwritten};
use halidom_verdict::Verdict;
use serde_json::json;

use super::json::run_object;
use super::show::run;
use crate::output::Output;

/// Searches for a run whose result depends on memory that nobody has written, and prints it. Such a
/// run refutes the compile.
pub(super) fn search(
    request: &Request,
    refusal: &Refusal,
    until: Option<Instant>,
    output: &mut Output<'_>,
) -> Option<Verdict> {
    let searched = match stock::unwritten(request, refusal, until)? {
        Ok(searched) => searched,
        Err(reason) => {
            output.line(&format!("  the compiled code was not run: {reason}"));
            return None;
        }
    };
    let verdict = searched.verdict();
    let Unwritten { runs, found } = searched;
    let (Some(found), Some(verdict)) = (found, verdict) else {
        output.line(&format!(
            "  {runs} runs of the compiled code: none depends on memory that nobody has written"
        ));
        return None;
    };
    output.verdict(&verdict);
    for line in run(&found) {
        output.line(&format!("    {line}"));
    }
    let line = "compiled code: reads an element that nobody has written";
    output.line(&format!("  {line}"));
    output.set("counterexample", run_object(&found));
    output.set("compiled_code", json!({ "replayed": true, "said": line }));
    Some(verdict)
}
