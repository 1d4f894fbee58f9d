//! If there is nothing to judge, no command ends with status 0 or prints *proved*: each such input
//! gets a diagnostic with a code and a hint, and status 2.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Runs a command; returns its exit status, standard output and standard error.
fn halidom(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("halidom").chain(arguments.iter().copied());
    let exit = halidom_cli::run(arguments.map(OsString::from), &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (exit.code(), text(out), text(err))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

const HAL: &str = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = a(x); }\n";
const ATL: &str = "program p(n: size, f: tensor<i32>[n]) = gen i < n: f[i]\n";
const CPP: &str = "int main() {\n    return 0;\n}\n";
const PROSE: &str = "Once upon a time there was a pipeline.\n";
const SCHEDULES: &str = "schedule_fn rows(f) { f.parallel(y); }\n";
const ALGORITHM: &str = "algorithm p {
  input a(_0): u8 in a.buffer [a.min.0, a.extent.0, a.stride.0];
  func b(x): u8 {
    stage(x) = a(x);
  }
  output b;
}
";
const NO_OUTPUT: &str = "algorithm p {\n  param n: int;\n}\nprogram p {\n}\n";

/// The files of a test: their names and texts.
const FILES: [(&str, &str); 16] = [
    ("empty.hal", ""),
    ("empty.ir", ""),
    ("empty.atl", ""),
    ("empty.cpp", ""),
    ("empty.py", ""),
    ("empty.hlpipe", ""),
    ("empty.passes", ""),
    ("cpp.hal", CPP),
    ("prose.hal", PROSE),
    ("prose.atl", PROSE),
    ("prose.ir", PROSE),
    ("plain.cpp", CPP),
    ("schedules.hal", SCHEDULES),
    ("algorithm.ir", ALGORITHM),
    ("no_output.ir", NO_OUTPUT),
    ("no_pipeline.py", "import math\n"),
];

/// Returns how a command's output differs from a diagnostic with a code and a hint.
fn says_more(command: &[String]) -> Option<String> {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let (exit, out, err) = halidom(&words);
    let with_json: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
    let (again, json, _) = halidom(&with_json);
    let object: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
    let diagnostics = object["diagnostics"].as_array().map_or(0, Vec::len);
    let is_nothing = object.get("verdict").is_none_or(|verdict| verdict == "nothing");
    let wrong = [
        (exit == 2 && again == 2 && object["exit"] == 2, "another exit status"),
        (err.contains("error[HAL"), "no code"),
        (err.contains("hint: "), "no hint"),
        (!out.contains("proved:"), "proved"),
        (!json.contains(":\"proved\"") && is_nothing, "a verdict"),
        (diagnostics > 0, "no diagnostic in its JSON"),
    ];
    let found: Vec<&str> =
        wrong.into_iter().filter(|(holds, _)| !holds).map(|(_, what)| what).collect();
    (!found.is_empty()).then(|| format!("{words:?} has {found:?}: {exit} {out}{err}{json}"))
}

#[test]
fn nothing_is_judged_in_nothing() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = |name: &str| folder.path().join(name).to_str().expect("it is text").to_owned();
    for (name, text) in FILES {
        fs::write(path(name), text).expect("it can be written");
    }
    fs::write(path("right.hal"), HAL).expect("it can be written");
    fs::write(path("no_derivation.atl"), ATL).expect("it can be written");
    fs::create_dir(path("folder")).expect("it can be made");
    let blur = repository().join("examples/blur.atl");
    let blur = blur.to_str().expect("it is text");
    let rules = repository().join("tests/cases/verify/all_right.cpp");
    let rules = rules.to_str().expect("it is text");
    let page = path("page.html");
    let out = path("out");
    let mut commands: Vec<Vec<String>> = Vec::new();
    let mut add = |words: &[&str]| {
        let word = |word: &&str| {
            let file = path(word);
            if Path::new(&file).exists() { file } else { (*word).to_owned() }
        };
        commands.push(words.iter().map(word).collect());
    };
    // Each kind of input, for each job that accepts it.
    for file in [
        "empty.hal",
        "cpp.hal",
        "prose.hal",
        "schedules.hal",
        "folder",
        "/dev/null",
        "empty.py",
        "plain.cpp",
        "missing.hal",
    ] {
        add(&["validate", file]);
        add(&["validate", file, "--engine", "reference"]);
        add(&["run", file]);
        add(&["run", file, "--interpret"]);
        add(&["build", file, "-o", &out]);
        add(&["report", file, "-o", &page]);
        add(&["explain", file, "--store", "1"]);
        add(&["bench", file, "--size", "8"]);
        add(&["tune", file, "--budget", "1"]);
        add(&["check", file]);
        add(&["lower", file]);
        add(&["fuzz", "--file", file]);
    }
    for file in [
        "empty.ir",
        "prose.ir",
        "algorithm.ir",
        "no_output.ir",
        "empty.atl",
        "prose.atl",
        "no_derivation.atl",
    ] {
        add(&["validate", file]);
        add(&["report", file, "-o", &page]);
        add(&["build", file, "-o", &out]);
    }
    for file in [
        "empty.atl",
        "prose.atl",
        "no_derivation.atl",
        "folder",
        "/dev/null",
        "cpp.hal",
        "right.hal",
    ] {
        add(&["derive", file]);
        add(&["derive", file, "--check"]);
        add(&["certificate", file]);
    }
    for file in
        ["empty.cpp", "plain.cpp", "prose.hal", "right.hal", "folder", "/dev/null", "missing.cpp"]
    {
        add(&["verify", file, "--profile", "halide"]);
        add(&["verify", file, "--profile", "halide", "--only", "rules"]);
        add(&["verify", file, "--profile", "halide", "--only", "mutators"]);
    }
    for file in ["empty.py", "no_pipeline.py", "right.hal", "folder", "/dev/null", "missing.py"] {
        add(&["validate", "--halide-script", file]);
        add(&["explain", "--halide-script", file, "--store", "1"]);
    }
    for file in ["empty.hlpipe", "right.hal", "folder", "/dev/null", "missing.hlpipe"] {
        add(&["validate", "--halide", file]);
        add(&["validate", "--halide", file, "--ir", "empty.passes"]);
        add(&["import", file]);
    }
    for file in ["empty.passes", "right.hal", "folder", "/dev/null", "missing.passes"] {
        add(&["validate", "--passes", file]);
    }
    add(&["validate", "--generator", "folder"]);
    // Names that do not exist.
    add(&["validate", "right.hal", "-s", "tilde"]);
    add(&["validate", "right.hal", "-p", "q"]);
    add(&["validate", "right.hal", "--baseline", "empty.hal"]);
    add(&["run", "right.hal", "-s", "tilde"]);
    add(&["report", "right.hal", "-s", "tilde", "-o", &page]);
    add(&["explain", "right.hal", "--store", "99"]);
    add(&["bench", "right.hal", "-s", "tilde"]);
    add(&["tune", "right.hal", "-s", "tilde"]);
    add(&["validate", blur, "-d", "nobody"]);
    add(&["derive", blur, "-d", "nobody"]);
    add(&["verify", rules, "--profile", "llvm"]);
    add(&["verify", rules, "--profile", "halide", "--mutator", "Nobody::visit"]);
    add(&["verify", rules, "--profile", "halide", "--list", "--mutator", "Nobody::visit"]);
    add(&["verify", rules, "--profile", "halide", "--bits", "7"]);
    add(&["validate", "right.hal", "--passes", "empty.passes"]);
    // Searches over no programs.
    add(&["fuzz", "--programs", "0"]);
    add(&["fuzz", "--programs", "0", "--engine", "reference"]);
    add(&["fuzz", "--programs", "0", "--target", "halide"]);
    let wrong: Vec<String> = commands.iter().filter_map(|command| says_more(command)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(commands.len() > 150, "{}", commands.len());
    assert!(!Path::new(&page).exists() && !Path::new(&path("out.h")).exists());
    // The positive control: a file with a pipeline is proved.
    let (exit, out, _) = halidom(&["validate", &path("right.hal"), "--json"]);
    assert!(exit == 0 && out.contains("\"verdict\":\"proved\""), "{out}");
}

/// A program whose checks pass only for empty windows computes nothing.
#[test]
fn windows_without_an_element_are_no_proof() {
    let right = repository().join("tests/cases/validate/texts/right.ir");
    let text = fs::read_to_string(right).expect("the case can be read");
    let text = text.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n");
    let limits = "assert 0 <= b.window.extent.0 & b.window.extent.0 <= 2147483647";
    assert!(text.contains(limits));
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("program.ir");
    for (extent, exit) in [("2147483647", 0), ("0", 3)] {
        let changed = text.replace(
            limits,
            &format!("assert 0 <= b.window.extent.0 & b.window.extent.0 <= {extent}"),
        );
        fs::write(&path, changed).expect("it can be written");
        let (status, out, err) = halidom(&["validate", path.to_str().expect("it is text")]);
        assert_eq!(status, exit, "{extent}: {out}{err}");
        assert_eq!(out.contains("proved:"), exit == 0, "{out}");
    }
}

/// An option that does not apply to the given file, or is given twice, is refused.
#[test]
fn no_option_is_ignored() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = |name: &str| folder.path().join(name).to_str().expect("it is text").to_owned();
    let (source, atl, replay) = (path("p.hal"), path("p.atl"), path("replay"));
    let (first, second) = (path("first.npy"), path("second.npy"));
    let program = "pipeline p(a: buffer<i32, 1>, q: int) -> o: buffer<i32, 1> { func o(x) = \
        a(x + q); }";
    fs::write(&source, program).expect("there is room");
    let derivation = "program p(n: size, f: tensor<i32>[n]) = gen i < n: f[i] + f[i]\n\
        derivation d(k: size) of p where 0 < k { tile i, k, o, ii; }\n";
    fs::write(&atl, derivation).expect("there is room");
    let recorded = path("recorded.json");
    let run = ["run", &source, "--interpret", "--random", "1", "--size", "4", "-q"];
    let with = |more: &[&str]| {
        let words: Vec<&str> = run.iter().chain(more).copied().collect();
        halidom(&words)
    };
    let other = format!("nope={first}");
    let refused = [
        (halidom(&["validate", &atl, "-s", "x"]), "HAL0902"),
        (halidom(&["validate", &atl, "-p", "p"]), "HAL0902"),
        (halidom(&["validate", &source, "-d", "x"]), "HAL0902"),
        (halidom(&["validate", &source, "--target", "host"]), "HAL0906"),
        (halidom(&["validate", &source, "--replay", &replay]), "HAL0906"),
        (halidom(&["explain", &source, "--store", "1", "--target", "host"]), "HAL0906"),
        (halidom(&["derive", &atl, "--sites", "99"]), "HAL0906"),
        (with(&["--set", "q=1", "--set", "q=2"]), "HAL0906"),
        (with(&["--input", "a=zeros", "--input", "a=random:1"]), "HAL0906"),
        (with(&["--input-size", "a=9", "--input-size", "a=8"]), "HAL0906"),
        (with(&["--output", &other]), "HAL0906"),
        (with(&["--output", &first, "--output", &second]), "HAL0906"),
        (with(&["--set", "q=9223372036854775808"]), "HAL0808"),
        (with(&["--threads", "0"]), "--threads"),
        (halidom(&["fuzz", "--threads", "0"]), "--threads"),
        (halidom(&["verify", &source, "--profile", "halide", "--threads", "0"]), "--threads"),
    ];
    for ((status, out, err), word) in refused {
        assert!(status == 2 && err.contains(word), "{word}: {status}, {out}{err}");
    }
    let equal = folder.path().join("a=b.npy");
    let (status, _, err) = with(&["--output", equal.to_str().expect("it is text")]);
    assert!(status == 0 && equal.is_file(), "{err}");
    assert_eq!(halidom(&["derive", &atl, "--sites"]).0, 0);
    assert_eq!(halidom(&["derive", &atl, "--sites", "1"]).0, 0);
    // A baseline of another form may mean something else.
    for (schema, status) in [("halidom-verdict-1", 0), ("halidom-verdict-2", 2)] {
        let text = format!(
            "{{\"schema\": \"{schema}\", \"pipeline\": \"p\", \"schedule\": \"default\", \
                \"verdict\": \"unknown\"}}"
        );
        fs::write(&recorded, text).expect("there is room");
        let (found, _, err) = halidom(&["validate", &source, "--baseline", &recorded]);
        assert_eq!(found, status, "{err}");
    }
}

/// Every `--help` has an example.
#[test]
fn every_help_has_an_example() {
    let (exit, out, _) = halidom(&["--help"]);
    assert!(exit == 0 && out.contains("Example"), "{out}");
    let commands = out.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands: Vec<String> = commands
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|name| name != "help")
        .collect();
    assert!(commands.len() >= 16, "{commands:?}");
    for command in commands {
        let (exit, out, _) = halidom(&[&command, "--help"]);
        assert!(exit == 0 && out.contains("Example"), "{command}: {out}");
        assert!(out.contains(&format!("halidom {command}")), "{command}: {out}");
    }
}
