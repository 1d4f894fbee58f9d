//! Programs that stock Halide 21.0.0 compiles wrongly: refuted, seen in the compiled code, and the pass at fault named.
//!
//! The programs lie in `../shared/halide21/miscompiles` beside the repository and need the project's Python with Halide; without them the test says so and checks nothing.

use std::path::Path;
use std::process::Command;

use halidom_driver::judge::{self, Options};
use halidom_driver::stock::{self, Outcome, Replay};
use halidom_validate::Verdict;

/// Scripts, and the first pass after which the statement is wrong: where the schedule is at fault, the first whose statement can be run.
const MISCOMPILES: [(&str, &str); 4] = [
    ("first_index", "loop trimming"),
    ("tuple_update", "destructuring tuple-valued realizations"),
    ("widening_negate", "finding intrinsics"),
    ("fuse_reorders", "computation bounds inference"),
];

#[test]
fn miscompiles_are_refuted_in_the_compiled_code_and_their_pass_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join(".venv/bin/python");
    let scripts = root.join("../shared/halide21/miscompiles");
    if !python.is_file() || !scripts.is_dir() {
        eprintln!("skipped: there is not both {} and {}", python.display(), scripts.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (script, pass) in MISCOMPILES {
        let made = Command::new(&python)
            .arg(scripts.join(script).with_extension("py"))
            .arg(folder.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        if !made.status.success() {
            eprintln!("skipped: {}", String::from_utf8_lossy(&made.stderr));
            return;
        }
        let file = folder.path().join(script).with_extension("hlpipe");
        let stock = stock::read(&stock::Request::of(&file)).unwrap().unwrap();
        let subject = &stock.subject;
        let options = Options::find().unwrap().of_stock();
        let report = judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options);
        let Verdict::Refuted(counterexample) = &report.verdict else {
            panic!("{script}: {:?}", report.verdict)
        };
        let replay = stock::replay(&stock, counterexample);
        assert!(matches!(replay, Replay::Wrong { .. }), "{script}: {replay:?}");
        let dump = stock.dump.clone().unwrap();
        let steps = stock::passes(&stock, &dump, counterexample).unwrap();
        let wrong = steps.iter().find(|step| step.outcome == Outcome::Wrong);
        assert_eq!(wrong.map(|step| step.pass.as_str()), Some(pass), "{script}: {steps:?}");
    }
}
