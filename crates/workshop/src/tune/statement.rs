//! Validation of the statement that stock Halide compiles from a script.

use std::fs;

use halidom_driver::judge;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_verdict::{Cause, Verdict};

/// Validates the statement that the installed Halide compiles from a script. A refutation is one
/// that the compiled code bears out.
pub(super) fn judged(script: &str, options: &judge::Options) -> Verdict {
    let not_read = |reason: String| Verdict::unknown(Cause::Part, reason.as_str());
    let written = tempfile::tempdir().and_then(|folder| {
        let file = folder.path().join("pipeline.py");
        fs::write(&file, script)?;
        Ok((folder, file))
    });
    let (_folder, file) = match written {
        Ok(written) => written,
        Err(error) => return not_read(error.to_string()),
    };
    let job = bridge::Job::of(bridge::Origin::Script(file));
    let stock = match stock::read(&Request::of_job(job)) {
        Ok(stock) => stock,
        Err(refusal) => {
            return refusal.verdict().unwrap_or_else(|| not_read(refusal.to_string()));
        }
    };
    let options = options.clone().of_stock();
    let mut judged = stock::judged(&stock, Annotations::Fallback, &mut |subject| {
        judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
    });
    if let Err(error) = stock::bear_out(&judged.stock, &mut judged.report, None) {
        return not_read(error.to_string());
    }
    judged.report.answer()
}
