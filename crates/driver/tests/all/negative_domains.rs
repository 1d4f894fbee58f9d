//! Reduction domains with negative extents: excluded by an assumption for the pipeline's own
//! domains, which the verdict lists, and for nothing else.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use std::path::Path;

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Request, bridge};
use halidom_validate::{Report, Verdict};

/// A sum whose number of elements is a parameter.
const SUM: &str = "import halide as hl

def pipeline():
    x, u = hl.Var('x'), hl.Var('u')
    n = hl.Param(hl.Int(32), 'n')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    r = hl.RDom([(0, n)], 'r')
    out = hl.Func('out')
    out[x] = hl.u8(0)
    out[x] += a[x + r]
";

/// The schedule that factors the sum into four parts.
const FACTORED: &str = "    outer, inner = hl.RVar('outer'), hl.RVar('inner')
    out.update().split(r.x, outer, inner, 4)
    out.update().rfactor(inner, u).compute_root()
";

/// The loop over the domain.
const LOOP: &str = "for (out.s1.r$x, 0, n)";

fn has_halide() -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(".venv/bin/python").is_file()
}

/// A job for a script in a folder.
fn job(folder: &Path, schedule: &str) -> bridge::Job {
    let script = folder.join("sum.py");
    std::fs::write(&script, format!("{SUM}{schedule}    return out\n")).expect("it can be written");
    bridge::Job::of(bridge::Origin::Script(script))
}

fn report(request: &Request) -> Report {
    let stock = stock::read(request).expect("it is translated");
    let subject = &stock.subject;
    let options = Options::find().expect("there are solvers").of_stock();
    crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
}

/// The assumptions about reduction domains.
fn assumed(report: &Report) -> Vec<&str> {
    let lines = report.assumptions.iter().map(|assumption| assumption.words.as_str());
    lines.filter(|line| line.contains("reduction domain")).collect()
}

#[test]
fn what_a_statement_does_with_a_negative_extent_is_neither_right_nor_wrong() {
    if !has_halide() {
        eprintln!("skipped: there is no .venv with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let job = job(folder.path(), "");
    let statement = job.compile(folder.path()).unwrap().statement;
    assert!(statement.contains(LOOP), "{statement}");
    let entry = " assert(0 <= out.extent.0,";
    let with = |other: &str| statement.replace(LOOP, &format!("for (out.s1.r$x, 0, {other})"));
    let checked = |condition: &str| {
        let message = "halide_error_requirement_failed(\"n\", \"\")";
        statement.replacen(entry, &format!(" assert({condition}, {message})\n{entry}"), 1)
    };
    let proved = |report: &Report| report.verdict == Verdict::Proved;
    let refuted = |report: &Report| matches!(report.verdict, Verdict::Refuted(_));
    let unknown = |report: &Report| matches!(report.verdict, Verdict::Unknown(_));
    type Expected<'a> = &'a dyn Fn(&Report) -> bool;
    let cases: [(&str, String, Expected<'_>); 7] = [
        ("as it is", statement.clone(), &proved),
        ("another one below 0", with("select(n < 0, 3, n)"), &proved),
        ("another one at 0", with("max(n, 1)"), &refuted),
        ("another one above 0", with("min(n, 2)"), &refuted),
        ("one less", with("n - 1"), &refuted),
        ("checked", checked("0 <= n"), &proved),
        ("never called with one that is not negative", checked("n < 0"), &unknown),
    ];
    for (label, text, expected) in cases {
        let path = folder.path().join("changed.stmt");
        std::fs::write(&path, &text).unwrap();
        let report = report(&Request { statement: Some(path), ..Request::of_job(job.clone()) });
        assert!(expected(&report), "{label}: {:?}\n{text}", report.verdict);
        let own = [concat!(
            "require \"reduction domain of stage 1 of out ",
            "(a negative extent has no meaning; Halide does not check)\": 0 <= n"
        )];
        // A condition that Halide checks must not be listed as unchecked.
        let own = if label == "checked" { &own[..0] } else { &own };
        assert_eq!(assumed(&report), own, "{label}");
        if let Verdict::Refuted(found) = &report.verdict {
            let n = found.parameters.iter().find(|(name, _)| name == "n").unwrap();
            assert!(n.1.as_integer().unwrap() >= 0, "{label}: {n:?}");
        }
    }
}

#[test]
fn domains_that_a_directive_makes_are_the_compilers() {
    if !has_halide() {
        eprintln!("skipped: there is no .venv with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let report = report(&Request::of_job(job(folder.path(), FACTORED)));
    let lines = assumed(&report);
    assert!(
        lines.len() == 1
            && lines[0].ends_with(
                "stage 1 of out (a negative extent has no meaning; Halide does not check)\": 0 <= n"
            ),
        "{lines:?}"
    );
}
