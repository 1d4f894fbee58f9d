//! The lists and the printed results of `halidom derive`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn derive(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_halidom"))
        .arg("derive")
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn matmul() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/matmul.atl")
}

#[test]
fn rules_are_listed_with_their_conditions_and_lemmas() {
    let all = derive(&["--rules"]);
    assert_eq!(all.status.code(), Some(0));
    let listed = text(&all);
    assert!(listed.lines().any(|line| line == "tile_intro"), "{listed}");
    assert!(listed.contains("if 0 < k, c = ceil(n, k), v is zero outside of 0..n"), "{listed}");
    let one = text(&derive(&["--rules", "guard_split"]));
    assert!(
        one.contains("[a < b] * v + [b <= a] * v") && one.contains("coq/Distribute.v"),
        "{one}"
    );
    assert!(
        one.contains("Lemma guard_split : forall") && one.contains("variables: a, b, v"),
        "{one}"
    );
    let json = text(&derive(&["--rules", "gen_split", "--json"]));
    let object: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(object["rules"].as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(object["rules"][0]["conditions"][0], "lo <= mid");
    assert_eq!(derive(&["--rules", "no_such_rule"]).status.code(), Some(2));
    assert_eq!(derive(&[]).status.code(), Some(2));
}

#[test]
fn sites_are_listed_after_a_number_of_commands() {
    let file = matmul();
    let file = file.to_str().expect("the path is text");
    let listed = text(&derive(&[file, "-d", "matmul_rows", "--sites", "2"]));
    assert!(listed.starts_with("matmul_rows, after 2 commands:"), "{listed}");
    for site in ["io#1", "io#2", "ii#2", "concat "] {
        assert!(listed.contains(&format!("\n  {site}")), "{site}: {listed}");
    }
    // All commands, with the default.
    let listed = text(&derive(&[file, "-d", "matmul_rows", "--sites"]));
    assert!(listed.starts_with("matmul_rows, after 3 commands:"), "{listed}");
}

#[test]
fn emitted_c_stands_alone() {
    let file = matmul();
    let file = file.to_str().expect("the path is text");
    let alone = derive(&[file, "-d", "matmul_rows", "--emit", "c"]);
    assert_eq!(alone.status.code(), Some(0));
    let c = text(&alone);
    assert!(c.starts_with("#include") && c.trim_end().ends_with('}'), "{c}");
    // Two functions would each bring what they need.
    let several = derive(&[file, "--emit", "c"]);
    assert_eq!((several.status.code(), text(&several)), (Some(2), String::new()));
}
