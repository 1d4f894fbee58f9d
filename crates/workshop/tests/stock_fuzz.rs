//! A fuzzing finding in stock Halide is shrunk, and all files that show it are left in a folder.
//!
//! The test needs a Python with Halide; without it, it prints a message.

use std::process::Command;

use halidom_driver::judge::{self, Options};
use halidom_driver::stock::bridge::{self, Job, Origin};
use halidom_driver::stock::{self, Replay, Request};
use halidom_validate::Verdict;
use halidom_workshop::stock::fuzz::{Kind, keep, run_text};

/// Halide 21.0.0 compiles the difference wrongly in vectors: it omits the conversion to eight bits.
/// The other func plays no part in that.
const WRONG: &str = "pipeline wrong(a: buffer<i8, 1>, b: buffer<u8, 1>, other: buffer<i16, 1>) -> \
    out: buffer<i16, 1> {
    func beside(x) = max(other(x) * 3, other(x + 1));
    func out(x) = (i16(a(x)) - i16(u8(i16(b(x)) * -1))) ^ beside(x);
}
schedule s for wrong {
    out.vectorize(x, 16, tail: round);
    beside.compute_root();
}
";

/// The number of texts to try.
const TRIES: usize = 16;

#[test]
fn a_finding_becomes_a_short_script_in_a_folder_with_what_shows_it() {
    let has_halide = bridge::find().is_ok_and(|python| {
        let probe = Command::new(python).args(["-c", "import halide"]).output();
        probe.is_ok_and(|output| output.status.success())
    });
    if !has_halide {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let outcome = run_text(WRONG, TRIES).unwrap();
    assert_eq!(outcome.figures.refuted, 1, "{:?}", outcome.figures);
    let [finding] = outcome.findings.as_slice() else { panic!("{:?}", outcome.findings) };
    assert_eq!(finding.kind, Kind::Miscompiled, "{finding:?}");
    let small = finding.small.as_ref().unwrap();
    assert!(small.len() < finding.script.len(), "{small}");
    // Irrelevant parts are gone; necessary parts remain.
    assert!(!small.contains("hl.max") && small.contains("vectorize"), "{small}");
    let folder = tempfile::tempdir().unwrap();
    let own = keep(finding, folder.path()).unwrap();
    for name in [
        "finding.txt",
        "script.py",
        "program.hal",
        "small.py",
        "pipeline.hlpipe",
        "final.stmt",
        "passes.txt",
        "case.json",
        "input.b.npy",
        "expected.0.npy",
        "output.0.npy",
    ] {
        assert!(own.join(name).is_file(), "{name}");
    }
    assert!(
        std::fs::read_to_string(own.join("finding.txt")).unwrap().contains("compiles it wrongly")
    );
    // The short script alone shows it.
    let job = Job::of(Origin::Script(own.join("small.py")));
    let stock = stock::read(&Request::of_job(job)).unwrap();
    let subject = &stock.subject;
    let options = Options::find().unwrap().of_stock();
    let mut report = judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
    let replay = stock::bear_out(&stock, &mut report, None).unwrap();
    assert!(matches!(report.verdict, Verdict::Refuted(_)), "{:?}", report.verdict);
    assert!(matches!(replay, Some(Replay::Wrong { .. })), "{replay:?}");
}
