//! Checks that the `--json` output of every job conforms to `docs/schema/verdict-1.json`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::checker::Schema;
use halidom_testgen::sampled;
use serde_json::{Value, json};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema() -> Schema {
    let path = repository().join("docs/schema/verdict-1.json");
    let text = fs::read_to_string(path).expect("the schema can be read");
    Schema::new(serde_json::from_str(&text).expect("the schema is JSON"))
        .expect("the schema is made of what the checker knows")
}

/// Runs a command with `--json`; returns its exit status and its object.
fn printed(arguments: &[&str]) -> (u8, Value) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let all = std::iter::once("halidom").chain(arguments.iter().copied()).chain(["--json"]);
    let exit = halidom_cli::run(all.map(OsString::from), &mut out, &mut err);
    (exit.code(), serde_json::from_slice(&out).expect("one object and nothing else"))
}

const TWO: &str = "pipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> { func b(x) = a(x) + 1; }
schedule lanes for p { b.vectorize(x, 8, tail: guard); }
";

/// Commands, with the names of [`files`] for paths, and their exit status and verdict.
const JOBS: [(&str, u8, Option<&str>); 50] = [
    ("check TWO", 0, None),
    ("lower TWO", 0, None),
    ("export TWO", 0, None),
    ("import TWO", 2, None),
    ("fmt --check TWO", 0, None),
    ("fmt --check TWO LOOSE", 1, None),
    ("fmt MISSING", 2, None),
    ("reduce TWO --while true", 2, None),
    ("preload --halide MISSING", 2, None),
    ("studio MISSING", 2, None),
    ("studio ATL", 2, None),
    ("halo TWO", 0, Some("proved")),
    ("halo TWO --no-validate", 0, None),
    ("halo TWO --depth 1", 0, Some("proved")),
    ("halo TWO --depth 1,1", 2, None),
    ("validate TWO", 0, Some("proved")),
    ("validate TWO -s lanes", 0, Some("proved")),
    ("validate TWO -s lanes --engine reference", 0, Some("proved")),
    ("validate RIGHT", 0, Some("proved")),
    ("validate WRONG", 1, Some("refuted")),
    ("validate OPEN", 3, Some("unknown")),
    ("validate OPEN --baseline RECORDED", 0, Some("unknown")),
    ("validate MISSING", 2, None),
    ("validate --passes MISSING", 2, None),
    ("validate /dev/null", 2, Some("nothing")),
    ("report TWO -o PAGE", 0, Some("proved")),
    ("report WRONG -o PAGE", 1, Some("refuted")),
    ("explain TWO -s lanes --store 1", 0, Some("proved")),
    ("explain WRONG --store 1 --budget 1", 1, Some("refuted")),
    ("explain OPEN --store 1 --budget 1", 3, Some("unknown")),
    ("explain OPEN --store 2 --budget 1", 0, Some("proved")),
    ("run TWO --size 64 --random 1", 0, Some("proved")),
    ("run TWO --no-validate --size 64 --random 1", 0, None),
    ("run TWO --interpret --size 64 --random 1", 0, None),
    ("run TWO", 2, None),
    ("build TWO -o OUT --emit ir", 0, Some("proved")),
    ("build WRONG -o OUT --emit ir", 1, Some("refuted")),
    ("build TWO -o OUT --emit ir --no-validate", 0, None),
    ("derive ATL", 0, None),
    ("certificate ATL", 2, Some("nothing")),
    ("verify RULES --profile halide-to-hardware", 0, Some("proved")),
    ("verify GUARD --profile halide", 1, Some("refuted")),
    ("verify CRASH --profile heterocl", 1, Some("refuted")),
    ("verify /dev/null --profile heterocl", 2, Some("nothing")),
    ("verify RULES --profile halide --list", 0, None),
    ("fuzz --programs 2 --native-one-in 0", 0, None),
    ("fuzz --programs 2 --engine reference", 0, None),
    ("fuzz --programs 0", 2, Some("nothing")),
    ("bench TWO --size 4096 --budget 0.2 --threads 1", 0, Some("proved")),
    ("bench TWO --size 4096 --budget 0.2 --threads 1 --no-validate", 0, None),
];

/// The files that the commands name.
fn files(folder: &Path) -> Vec<(&'static str, String)> {
    let text = |path: PathBuf| path.to_str().expect("a path of the test is text").to_owned();
    let made = |name: &str| text(folder.join(name));
    let case = |name: &str| text(repository().join("tests/cases").join(name));
    vec![
        ("TWO", made("two.hal")),
        ("LOOSE", made("loose.hal")),
        ("PAGE", made("page.html")),
        ("OUT", made("out")),
        ("MISSING", made("missing.hal")),
        ("RIGHT", case("validate/texts/right.ir")),
        ("WRONG", case("validate/texts/refuted.ir")),
        ("OPEN", case("validate/texts/unknown.ir")),
        ("RECORDED", case("validate/texts/recorded.json")),
        ("RULES", case("verify/all_right.cpp")),
        ("GUARD", case("verify/missing_guard.cpp")),
        ("CRASH", case("verify/crashing_mutator.cpp")),
        ("ATL", text(repository().join("examples/blur.atl"))),
    ]
}

#[test]
fn every_job_prints_what_the_schema_says() {
    let schema = schema();
    let folder = tempfile::tempdir().expect("there is room");
    let files = files(folder.path());
    fs::write(folder.path().join("two.hal"), TWO).expect("it can be written");
    fs::write(folder.path().join("loose.hal"), TWO.replace(" = ", "=")).expect("it can be written");
    let print = |command: &str| {
        let path =
            |word| files.iter().find(|(name, _)| *name == word).map(|(_, path)| path.as_str());
        let words: Vec<&str> =
            command.split_whitespace().map(|word| path(word).unwrap_or(word)).collect();
        printed(&words)
    };
    for (command, exit, verdict) in sampled(JOBS, 5) {
        let (status, object) = print(command);
        assert_eq!(schema.errors(&object), [""; 0], "{command}: {object:#}");
        assert_eq!((status, object["exit"].as_u64()), (exit, Some(exit.into())), "{command}");
        assert_eq!(object.get("verdict").and_then(Value::as_str), verdict, "{command}");
        assert_eq!(command.split_whitespace().next(), object["job"].as_str());
    }
    // The status of these depends on the machine's tools and speed.
    for command in [
        "doctor",
        "bridge",
        "validate --halide-script TWO",
        "fuzz --programs 1 --target halide",
        "tune TWO --size 4096 --budget 1 --threads 1",
    ] {
        let (_, object) = print(command);
        assert_eq!(schema.errors(&object), [""; 0], "{command}: {object:#}");
    }
}

/// A statement of Halide, judged without Halide.
#[test]
fn verdicts_on_stock_halide_are_of_the_same_form() {
    let folder = repository().join("../shared/halide21/table1/atl_tiled");
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return;
    }
    let [pipeline, statement] = ["atl_tiled.hlpipe", "stock.stmt"]
        .map(|name| folder.join(name).to_str().expect("it is text").to_owned());
    let arguments =
        ["validate", "--halide", &pipeline, "--ir", &statement, "--annotations", "never"];
    let (_, object) = printed(&arguments);
    assert_eq!(schema().errors(&object), [""; 0], "{object:#}");
    assert!(object.get("verdict").is_some(), "{object:#}");
}

#[test]
fn objects_of_another_form_are_refused() {
    let schema = schema();
    let proved = json!({
        "schema": "halidom-verdict-1", "job": "validate", "exit": 0,
        "verdict": "proved", "statement": "proved: …",
        "modes": {"floats": "bits", "axioms": []},
        "conditions": [{"name": "a", "words": "b", "origin": "standard", "anchor": "c"}],
        "shown": 3, "diagnostics": [],
    });
    assert_eq!(schema.errors(&proved), [""; 0]);
    let changes: [(&str, Value); 16] = [
        ("verdict", "nothing".into()),
        ("verdict", "yes".into()),
        ("verdict", Value::Null),
        ("exit", 1.into()),
        ("exit", 2.into()),
        ("shown", 0.into()),
        ("shown", Value::Null),
        ("modes", json!({"floats": "roughly", "axioms": []})),
        ("modes", Value::Null),
        ("conditions", Value::Null),
        ("conditions", json!([{"name": "a"}])),
        ("schema", "halidom-verdict-0".into()),
        ("job", "guess".into()),
        ("reason", "because".into()),
        ("diagnostics", Value::Null),
        ("schedules", json!({})),
    ];
    for (key, value) in changes {
        let mut changed = proved.clone();
        if value.is_null() {
            changed.as_object_mut().expect("an object").remove(key);
        } else {
            changed[key] = value;
        }
        assert_ne!(schema.errors(&changed), [""; 0], "{key}: {changed}");
    }
    let evidence = json!({"ran": "interpreter", "expected": "1", "got": "2", "replayed": true});
    let refuted = json!({
        "schema": "halidom-verdict-1", "job": "validate", "exit": 1,
        "verdict": "refuted", "statement": "refuted: …", "evidence": [evidence], "diagnostics": [],
    });
    assert_eq!(schema.errors(&refuted), [""; 0]);
    for wrong in
        [json!([]), json!([{"ran": "interpreter", "expected": "1", "got": "2", "replayed": false}])]
    {
        let mut changed = refuted.clone();
        changed["evidence"] = wrong;
        assert_ne!(schema.errors(&changed), [""; 0], "{changed}");
    }
    // A job that judges but has no verdict.
    let mut silent =
        json!({"schema": "halidom-verdict-1", "job": "check", "exit": 0, "diagnostics": []});
    assert_eq!(schema.errors(&silent), [""; 0]);
    for job in ["validate", "report", "explain", "tune"] {
        silent["job"] = job.into();
        assert_ne!(schema.errors(&silent), [""; 0], "{job}");
    }
}
