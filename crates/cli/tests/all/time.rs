//! The time limit of a whole judgement.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A limit that no judgement keeps to gives an unknown verdict and the exit status for it, at once.
#[test]
fn a_judgement_ends_at_its_limit() {
    let blur = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/blur.hal");
    let begin = Instant::now();
    let run = |json: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_halidom"));
        command.args(["validate", "--limit", "0.001", json]).arg(&blur);
        command.output().expect("it runs")
    };
    for option in ["--quiet", "--json"] {
        let output = run(option);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains("HAL1324") || text.contains("HAL1315"), "{text}");
    }
    assert!(begin.elapsed() < Duration::from_secs(30));
}

/// The verdict says so if Halide itself takes the time, such as in an autoscheduler's search.
#[test]
fn a_slow_compile_is_told_from_a_slow_judgement() {
    if !crate::stock::has_halide() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("slow.py");
    let text = "import time\n\n\ndef pipeline():\n    time.sleep(60)\n";
    std::fs::write(&script, text).expect("it can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_halidom"));
    command.args(["validate", "--limit", "10", "--halide-script"]).arg(&script);
    let output = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("within 10 s, and Halide still works on the pipeline"), "{text}");
}
