//! Stock Halide's pipelines with `undef`: a pipeline is proved if nothing reads an element that no
//! stage stored, and is not proved otherwise.

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_testgen::sampled;
use halidom_validate::Verdict;

/// The lines of a pipeline, and edits after which it reads what nothing stored.
const CASES: [(&str, &[(&str, &str)]); 6] = [
    (
        "f[x, y] = u
    f[x, 0] = a[x, 0]
    f[x, r] = f[x, r - 1] + a[x, r]
    out[x, y] = f[x, hl.clamp(y, 0, 15)]
    f.compute_root()",
        &[("f[x, 0] = a[x, 0]", "f[x, 1] = a[x, 1]"), ("y, 0, 15", "y, 0, 16")],
    ),
    (
        "f[x, y] = u
    f[x, 0] = a[x, 0]
    f[x, 1] = f[x, 0] * 2
    f[x, 2] = f[x, 1] + f[x, 0]
    out[x, y] = f[x, 2] + y
    f.compute_at(out, y)",
        &[("f[x, 1] + f[x, 0]", "f[x, 3] + f[x, 0]"), ("f[x, 2] + y", "f[x, 3] + y")],
    ),
    (
        "f[x, y] = hl.select(x < 10, a[x, y], u)
    out[x, y] = f[hl.min(x, 9), y]
    f.compute_root()",
        &[("hl.min(x, 9)", "hl.min(x, 10)")],
    ),
    (
        "f[x, y] = hl.select(x < 10, hl.select(y < 3, u, a[x, y]) + 1, u)
    out[x, y] = f[hl.min(x, 9), hl.max(y, 3)]
    f.compute_root()",
        &[("hl.max(y, 3)", "hl.max(y, 2)")],
    ),
    // An update that stores nothing, and one that stores some elements.
    (
        "f[x, y] = a[x, y]
    f[x, y] += u
    f[r, y] += hl.i32(hl.select(r % 3 == 0, hl.i16(7), hl.undef(hl.Int(16))))
    out[x, y] = f[x, y]
    f.compute_root()",
        &[],
    ),
    // The memory is another one in each row.
    (
        "f[x, y] = u
    f[0, y] = a[0, y]
    f[r, y] = f[r - 1, y] + a[r, y]
    out[x, y] = f[hl.clamp(x, 0, 15), y]
    f.compute_at(out, y)
    out.parallel(y)",
        &[("f[0, y] = a[0, y]\n    f[r, y]", "f[r, y]")],
    ),
];

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, y, u = hl.Var('x'), hl.Var('y'), hl.undef(hl.Int(32))
    a = hl.ImageParam(hl.Int(32), 2, 'a')
    r = hl.RDom([(1, 15)]).x
    f, out = hl.Func('f'), hl.Func('out')
    {lines}
    return out
";

#[test]
fn values_that_nothing_stores_prove_nothing() {
    if bridge::find().is_err() || !bridge::is_installed() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::find().expect("there are solvers").of_stock();
    for (number, (lines, edits)) in sampled(CASES.iter().enumerate(), 9) {
        let wrong = edits.iter().map(|(from, to)| {
            assert!(lines.contains(from), "{from}");
            lines.replace(from, to)
        });
        for (version, lines) in std::iter::once((*lines).to_owned()).chain(wrong).enumerate() {
            let path = folder.path().join(format!("script_{number}_{version}.py"));
            std::fs::write(&path, SCRIPT.replace("{lines}", &lines)).expect("it is written");
            let job = bridge::Job::of(bridge::Origin::Script(path));
            let stock = stock::read(&Request::of_job(job)).expect("it is translated");
            let mut judge = |subject: &halidom_driver::subject::Subject| {
                crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
            };
            let verdict = stock::judged(&stock, Annotations::Never, &mut judge).report.verdict;
            match verdict {
                Verdict::Proved => assert_eq!(version, 0, "{lines}"),
                Verdict::Unknown(_) => assert_ne!(version, 0, "{lines}"),
                Verdict::Refuted(found) => panic!("{lines}: {found:?}"),
            }
        }
    }
}
