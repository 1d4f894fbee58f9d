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

/// A signal ends a command with all that it has made.
#[test]
fn a_signal_leaves_no_temporary_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("temporary");
    std::fs::create_dir(&made).expect("there is room");
    let source = folder.path().join("p.hal");
    let program = "pipeline p(a: buffer<i32, 1>) -> o: buffer<i32, 1> { func o(x) = a(x); }";
    std::fs::write(&source, program).expect("there is room");
    let count = || std::fs::read_dir(&made).expect("it is there").count();
    for signal in ["INT", "TERM", "HUP"] {
        // What the tests' own caller ignores, as `nohup` does, would stay ignored.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_halidom")]);
        command.args(["reduce", "--while", "sleep 20 #"]).arg(&source).env("TMPDIR", &made);
        let mut child = command.stderr(std::process::Stdio::null()).spawn().expect("it runs");
        let begin = Instant::now();
        while count() == 0 && begin.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
        // Time to start the command.
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(count(), 1, "{signal}");
        let mut kill = Command::new("kill");
        kill.arg(format!("-{signal}")).arg(child.id().to_string());
        assert!(kill.status().expect("it runs").success());
        let status = child.wait().expect("it ends");
        assert!(status.code().is_none() && begin.elapsed() < Duration::from_secs(15), "{status}");
        assert_eq!(count(), 0, "{signal}");
    }
}
