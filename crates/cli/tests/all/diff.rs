//! `halidom diff`: two compiles of one pipeline.

use std::path::{Path, PathBuf};
use std::process::Command;

use halidom_testgen::sampled;
use serde_json::Value;

use crate::releases;
use crate::stock::has_halide;

/// Two funcs under a schedule, with parts that a case replaces.
const SCRIPT: &str = r#"import halide as hl


def pipeline():
    x, y, tile, lane = (hl.Var(name) for name in ("x", "y", "tile", "lane"))
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    sums, out = hl.Func("sums"), hl.Func("out")
    sums[x, y] = hl.u16(a[x, y]) + hl.u16(a[x + 1, y])
    out[x, y] = sums[x, y] + sums[x, y + 1]
    SCHEDULE
    return out
"#;

/// A comparison: the exit status, the JSON object, and what was said besides.
fn compared(words: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halidom"));
    let output = command.arg("diff").args(words).arg("--json").output().expect("it runs");
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), json, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the test is written correctly");
    path.display().to_string()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn schedules_and_targets_compute_the_same() {
    if !has_halide() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, schedule: &str| {
        written(folder.path(), name, &SCRIPT.replace("SCHEDULE", schedule))
    };
    let plain = script("plain.py", "pass");
    let tiled = script("tiled.py", "sums.compute_at(out, tile); out.split(x, tile, lane, 8)");
    // A directive makes a func that the other compile does not have.
    let wrapped = script("wrapped.py", "sums.compute_root(); sums.in_(out).compute_root()");
    for words in [
        vec![plain.as_str(), &tiled],
        vec![&plain, &wrapped],
        vec![&wrapped, &plain],
        vec![&tiled, "--new-target", "x86-64-linux-sse41", "--old-target", "x86-64-linux-avx2"],
    ] {
        let (status, json, errors) = compared(&words);
        assert_eq!((status, json["verdict"].as_str()), (Some(0), Some("proved")), "{json}{errors}");
        assert_eq!(json["shown"], 2, "{json}");
        assert_eq!(["old", "new"].map(|side| &json[side]["verdict"]), ["proved", "proved"]);
    }
}

#[test]
fn a_miscompile_and_another_algorithm_differ() {
    if !has_halide() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let wrong = root().join("tests/halide/miscompiled/blend_twice.py");
    let text = std::fs::read_to_string(&wrong).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("out.split")).collect();
    let plain = written(folder.path(), "plain.py", &lines.join("\n"));
    let replay = folder.path().join("replay");
    let words = [&wrong.display().to_string(), &plain, "--replay", &replay.display().to_string()];
    let (status, json, errors) = compared(&words);
    assert_eq!((status, json["verdict"].as_str()), (Some(1), Some("refuted")), "{json}{errors}");
    let found = &json["difference"];
    assert!(found["old"] != found["new"] && found["new"] == found["defined"]["new"], "{found}");
    assert_eq!(json["pass"], "partitioning loops", "{json}");
    assert!(["old", "new"].iter().all(|side| replay.join(side).join("output.0.npy").is_file()));

    // Two definitions, each compiled correctly.
    let [one, other] = ["pass", "out[x, y] += hl.u16(hl.select(x == 3, 1, 0))"]
        .map(|line| SCRIPT.replace("SCHEDULE", line));
    let one = written(folder.path(), "one.py", &one);
    let other = written(folder.path(), "other.py", &other);
    let (status, json, errors) = compared(&[&one, &other]);
    assert_eq!((status, json["verdict"].as_str()), (Some(1), Some("refuted")), "{json}{errors}");
    assert_eq!(json["difference"]["coords"][0], 3, "{json}");
}

/// Definitions that differ where no run comes.
#[test]
fn rare_differences_are_not_proved_away() {
    if !has_halide() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("a point", "out[x] = hl.select(x == 1000000 + NUMBER, a[x], a[x] + 1)"),
        ("an array", "out[x] = a[x] + hl.Buffer(data)[hl.clamp(x, 0, 1999)]"),
        ("a constant", "out[x] = hl.select(x > 1000000, a[x], a[x] + NUMBER)"),
        ("a domain", "out[x] = a[x]; out[hl.RDom([(9, NUMBER)]) + 1000000] = hl.u8(3)"),
    ];
    for (name, definition) in sampled(cases, 6) {
        let scripts = ["1", "2"].map(|number| {
            let text = format!(
                "import halide as hl, numpy\n\n\
                 data = numpy.zeros(2000, dtype=numpy.uint8)\ndata[1999] = NUMBER\n\n\n\
                 def pipeline():\n    x, out = hl.Var('x'), hl.Func('out')\n    \
                 a = hl.ImageParam(hl.UInt(8), 1, 'a')\n    {definition}\n    return out\n"
            );
            let file = format!("{}_{number}.py", name.replace(' ', "_"));
            written(folder.path(), &file, &text.replace("NUMBER", number))
        });
        let (status, json, errors) = compared(&[&scripts[0], &scripts[1]]);
        assert!(matches!(status, Some(1 | 3)), "{name}: {json}{errors}");
        // The same definitions are proved.
        let (status, json, errors) = compared(&[&scripts[0], &scripts[0]]);
        assert_eq!(status, Some(0), "{name}: {json}{errors}");
    }
}

/// Pairs with equal values on every input that both accept and on which neither overflows. Callers
/// of one of them still get other values from the other one.
#[test]
fn other_demands_widths_and_strictness_are_not_proved_the_same() {
    if !has_halide() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, lines: &str| {
        let text = format!(
            "import halide as hl\n\n\ndef pipeline():\n    x, out = hl.Var('x'), hl.Func('out')\n\
             \x20   p, q = hl.Param(hl.Int(32), 'p'), hl.Param(hl.Int(32), 'q')\n    \
             a = hl.ImageParam(hl.Float(32), 1, 'a')\n    {lines}\n    return out\n"
        );
        written(folder.path(), name, &text)
    };
    let cases = [
        ("out (0)", "out[x] = hl.i64(p) * hl.i64(q)", "out[x] = hl.i64(p * q)"),
        (
            "out (0)",
            "out[x] = hl.select(hl.i64(p) * hl.i64(q) > hl.i64(1000), 1, 0)",
            "out[x] = hl.select(p * q > 1000, 1, 0)",
        ),
        (
            "value 0 of `p`",
            "p.set_range(0, 5); out[x] = p + x",
            "p.set_range(6, 9); out[x] = p + x",
        ),
        ("32 bytes", "a.set_host_alignment(32); out[x] = a[x]", "out[x] = a[x]"),
        ("stride 2", "a.dim(0).set_stride(2); out[x] = a[x]", "out[x] = a[x]"),
        ("strict", "out[x] = hl.strict_float(a[x] / 3)", "out[x] = a[x] / 3"),
    ];
    for (what, old, new) in sampled(cases, 9) {
        let (status, json, errors) = compared(&[&script("old.py", old), &script("new.py", new)]);
        assert_eq!(status, Some(3), "{old}: {json}{errors}");
        assert!(json["reason"].as_str().is_some_and(|reason| reason.contains(what)), "{json}");
    }
    // Without assertions, only the pipelines have the ranges.
    let [old, new] = [("old.py", "0, 5"), ("new.py", "6, 9")]
        .map(|(name, range)| script(name, &format!("p.set_range({range}); out[x] = p + x")));
    let target = "host-no_asserts";
    let words = [&old, &new, "--old-target", target, "--new-target", target];
    let (status, json, errors) = compared(&words);
    assert_eq!(status, Some(3), "{json}{errors}");
    assert!(json["reason"].as_str().is_some_and(|reason| reason.contains("value 0")), "{json}");
}

#[test]
fn what_is_no_pair_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let hal = root().join("examples/blur.hal").display().to_string();
    let script = written(folder.path(), "script.py", &SCRIPT.replace("SCHEDULE", "pass"));
    for (words, code) in [
        (vec![hal.as_str()], "HAL0906"),
        (vec![&script, "--param", "a=b"], "HAL0906"),
        (vec!["/nowhere/generator", "--param", "b"], "HAL0906"),
        (vec!["/nowhere/generator"], "HAL1208"),
        (vec![&script, "--limit=-1"], "HAL0906"),
        (vec![&script, "--old-python", "/nowhere/python"], "HAL12"),
    ] {
        let (status, json, errors) = compared(&words);
        assert_eq!(status, Some(2), "{words:?}: {json}{errors}");
        assert!(errors.contains(&format!("error[{code}")), "{words:?}: {errors}");
        assert!(json.get("verdict").is_none(), "{json}");
    }
    if !has_halide() {
        println!("skipped in part: there is no Python with Halide");
        return;
    }
    for (ty, instead, what) in [
        ("hl.UInt(8), 2", "hl.UInt(16), 2", "`a`"),
        // The model has one type for both.
        ("hl.u16(", "hl.cast(hl.Float(16), ", "`out` is a uint16 array"),
    ] {
        let other = SCRIPT.replace("SCHEDULE", "pass").replace(ty, instead);
        let other = written(folder.path(), "other.py", &other);
        let (status, _, errors) = compared(&[&script, &other]);
        assert_eq!(status, Some(2));
        assert!(errors.contains("error[HAL1213]") && errors.contains(what), "{errors}");
    }
}

#[test]
fn releases_compute_the_same() {
    let Some(python) = releases::python(&root()).filter(|_| has_halide()) else {
        println!("skipped: there is no Python with Halide 19.0.0, or none with Halide 21.0.0");
        return;
    };
    let python = python.display().to_string();
    for script in ["strict_floats.py", "rfactor_sum.py"] {
        let script = root().join("tests/halide/pipelines").join(script).display().to_string();
        let (status, json, errors) = compared(&[&script, "--old-python", &python]);
        assert_eq!(status, Some(0), "{script}: {json}{errors}");
    }
}
