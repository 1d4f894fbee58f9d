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
