//! Strides that an entry check equates with an extent, where a condition may fix that extent to a
//! number.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use std::path::Path;

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Request, bridge};
use halidom_validate::Verdict;

/// A pipeline whose rows have no gaps and whose row length is a divisor. A specialization fixes
/// this length to a number.
const COLUMN: &str = "import halide as hl

def pipeline():
    y = hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 2, 'a')
    a.dim(1).set_stride(a.dim(0).extent())
    out = hl.Func('out')
    out[y] = a[0, y / a.dim(0).extent()] + hl.u8(1)
    out.specialize(a.dim(0).extent() == 1)
    return out
";

#[test]
fn a_stride_is_what_an_entry_check_says_it_is() {
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python").is_file() {
        eprintln!("skipped: there is no .venv with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("column.py");
    std::fs::write(&script, COLUMN).unwrap();
    let job = bridge::Job::of(bridge::Origin::Script(script));
    let statement = job.compile(folder.path()).unwrap().statement;
    let check = statement.lines().find(|line| line.contains("assert(a.stride.1 ==")).unwrap();
    let line = &format!("{check}\n");
    let special = "if (a.extent.0 == 1)";
    for (label, from, to, proved) in [
        ("as it is", check, check.to_owned(), true),
        ("not checked", line, String::new(), false),
        ("another extent", check, check.replace("== a.extent.0", "== a.extent.1"), false),
        ("less", check, check.replace("a.stride.1 ==", "a.stride.1 <="), false),
        ("rows of two", special, special.replace("== 1", "== 2"), false),
        ("rows of any length", special, special.replace("== 1", "<= 1"), false),
    ] {
        assert_eq!(statement.matches(from).count(), 1, "{label}: {statement}");
        let path = folder.path().join("changed.stmt");
        std::fs::write(&path, statement.replace(from, &to)).unwrap();
        let request = Request { statement: Some(path), ..Request::of_job(job.clone()) };
        let stock = stock::read(&request).unwrap();
        let subject = &stock.subject;
        let options = Options::find().unwrap().of_stock();
        let report =
            crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        assert_eq!(report.verdict == Verdict::Proved, proved, "{label}: {:?}", report.verdict);
    }
}
