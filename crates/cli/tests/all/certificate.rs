//! Folders with certificates: the checks before Coq runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "program p(n: size, f: tensor<i32>[n]) = gen i < n: f[i] + f[i]
derivation d(k: size) of p where 0 < k { tile i, k, o, ii; }
";

fn halidom(arguments: &[&str], path: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_halidom"))
        .args(arguments)
        .arg(path)
        .output()
        .expect("the program starts")
}

/// Creates a folder with a certificate for this test.
fn written(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("certificate-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be written");
    let program = folder.join("program.atl");
    std::fs::write(&program, PROGRAM).expect("the folder can be written");
    let out = folder.join("out");
    let to = out.display().to_string();
    let derived = halidom(&["derive", "--emit", "coq", "-o", &to], &program);
    assert_eq!(derived.status.code(), Some(0), "{derived:?}");
    out.join("d")
}

#[test]
fn files_that_the_program_does_not_give_are_refused() {
    for (file, old, new) in [
        ("d.c", "f[o * k + ii]", "f[o * k]"),
        ("Statement.v", "Definition source", "Definition  source"),
        ("Check.v", "Print Assumptions checked.", ""),
        ("d.atl", "f[i] + f[i]", "f[i] + 1"),
    ] {
        let folder = written(file);
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).expect("it was written");
        assert!(text.contains(old), "{file}");
        std::fs::write(&path, text.replace(old, new)).expect("it can be written");
        let output = halidom(&["certificate", "--json"], &folder);
        assert_eq!(output.status.code(), Some(1), "{file}: {output:?}");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains("\"verdict\":\"refuted\""), "{file}: {printed}");
    }
}

#[test]
fn what_is_no_certificate_is_bad_input() {
    let folder = written("lacking");
    let lack = |name: &str| {
        std::fs::remove_file(folder.join(name)).expect("it was written");
        halidom(&["certificate"], &folder).status.code()
    };
    assert_eq!(lack("Proof.v"), Some(2));
    assert_eq!(lack("d.atl"), Some(2));
    let file = folder.join("Statement.v");
    assert_eq!(halidom(&["certificate"], &file).status.code(), Some(2));
    assert_eq!(halidom(&["certificate"], Path::new("/dev/null")).status.code(), Some(2));
    assert_eq!(halidom(&["certificate"], &folder.join("nowhere")).status.code(), Some(2));
    // A program without the derivation after which the folder is named.
    let folder = written("renamed");
    std::fs::rename(folder.join("d.atl"), folder.join("e.atl")).expect("it was written");
    let output = halidom(&["certificate"], &folder);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// With `--require-sandbox`, no proof of a sender is compiled if it can reach the user's files.
#[test]
fn a_proof_is_compiled_in_a_sandbox_or_not_at_all() {
    let folder = written("sandbox");
    let output = halidom(&["certificate", "--require-sandbox"], &folder);
    let said = String::from_utf8_lossy(&output.stderr);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(!shown.contains("compiled in a folder of its own"), "{shown}");
    // Without Coq nothing is compiled either.
    let is_kept = said.contains("error[HAL1017]") || said.contains("HAL1014");
    assert_eq!(output.status.code(), Some(if is_kept { 3 } else { 0 }), "{said}{shown}");
}
