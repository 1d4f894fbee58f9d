//! Bounds under quotients by an extent: case splits for small extents, theorems for others.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use std::path::Path;

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Request, bridge};
use halidom_validate::{Kind, Verdict};

/// A pipeline that reads one element for every `n` elements of the output, where `n` is another
/// input's extent; the elements are computed in vectors of eight.
const SPREAD: &str = "import halide as hl

def pipeline():
    x, outer, inner = hl.Var('x'), hl.Var('outer'), hl.Var('inner')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    b = hl.ImageParam(hl.UInt(8), 1, 'b')
    ahead, out = hl.Func('ahead'), hl.Func('out')
    ahead[x] = a[x] + hl.u8(1)
    out[x] = ahead[x / b.dim(0).extent()]
    out.bound(x, 0, 64)
    out.split(x, outer, inner, 16)
    ahead.compute_at(out, outer).vectorize(x, 8, hl.TailStrategy.RoundUp)
    return out
";

/// The statement without the check that the divisor is at least 0.
const ANY_SIGN: &str = "a divisor of any sign";

#[test]
fn reads_by_a_quotient_are_shown_to_lie_in_what_is_checked_and_in_nothing_less() {
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python").is_file() {
        eprintln!("skipped: there is no .venv with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("spread.py");
    std::fs::write(&script, SPREAD).unwrap();
    let job = bridge::Job::of(bridge::Origin::Script(script));
    let statement = job.compile(folder.path()).unwrap().statement;
    let start = "assert((a.min.0 <= ";
    let check = statement.lines().find(|line| line.trim_start().starts_with(start)).unwrap();
    let line = &format!("{check}\n");
    let sign = statement.lines().find(|line| line.contains("assert(0 <= b.extent.0,")).unwrap();
    let sign = &format!("{sign}\n");
    for (label, from, to, within) in [
        ("as it is", line, line.clone(), true),
        ("not checked", line, String::new(), false),
        // Quotients by a negative divisor fall, and what is checked has both ends.
        (ANY_SIGN, sign, String::new(), true),
        (
            "one less",
            line,
            line.replacen("<= (a.extent.0 + a.min.0)", "<= ((a.extent.0 + a.min.0) + 1)", 1),
            false,
        ),
    ] {
        assert_eq!(to == *from, label == "as it is", "{label}: {line}");
        let path = folder.path().join("changed.stmt");
        std::fs::write(&path, statement.replace(from, &to)).unwrap();
        let request = Request { statement: Some(path), ..Request::of_job(job.clone()) };
        let stock = stock::read(&request).unwrap();
        let subject = &stock.subject;
        let options = Options::find().unwrap().of_stock();
        let report =
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        let is_open = report.open().any(|open| open.kind == Kind::Bounds);
        assert_eq!(is_open, !within, "{label}: {:?}", report.verdict);
        assert!(within || report.verdict != Verdict::Proved, "{label}");
        let is_told_apart = report.effort.contains_key("divisor");
        assert!(is_told_apart || label == ANY_SIGN, "{label}: nothing was told apart");
    }
}
