//! `halidom validate` on stock Halide's output: scripts, generators, and the messages for wrong
//! inputs.
//!
//! Tests that need the project's Python with Halide print a message if it is missing, and check
//! nothing.

#![expect(clippy::print_stdout, reason = "what is missing is said")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// True if the project's Python with Halide is installed.
pub(crate) fn has_halide() -> bool {
    let python = root().join(".venv/bin/python");
    let probe = Command::new(python).args(["-c", "import halide"]).output();
    let found = probe.is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: there is no .venv with Halide");
    }
    found
}

/// Runs a command; returns its exit status, standard output and standard error.
fn halidom<'a>(arguments: impl IntoIterator<Item = &'a str>) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("halidom").chain(arguments);
    let status = halidom_cli::run(arguments.map(OsString::from), &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status as u8, text(out), text(err))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of the test is text")
}

/// A folder with Halide's output for the scripts.
struct Made {
    folder: tempfile::TempDir,
}

const RIGHT: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    out = hl.Func('out')
    out[x] = hl.u16(a[x]) + hl.u16(a[x + 1])
    return out
";

const OTHER: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a = hl.ImageParam(hl.UInt(16), 1, 'a')
    other = hl.Func('other')
    other[x] = a[x] * hl.u16(3)
    return other
";

/// Halide 21.0.0 miscompiles this: the pass `finding intrinsics` drops the conversion to eight
/// bits.
const WRONG: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a = hl.ImageParam(hl.Int(8), 1, 'a')
    b = hl.ImageParam(hl.UInt(8), 1, 'b')
    c = hl.Param(hl.Int(16), 'c')
    wrong = hl.Func('wrong')
    wrong[x] = hl.i16(a[x]) - hl.i16(hl.u8(hl.i16(b[x]) * hl.i16(-1))) + c
    wrong.vectorize(x, 16, hl.TailStrategy.RoundUp)
    return wrong
";

/// Writes Halide's output for `pipeline()`.
const WRITE: &str = "import sys, runpy
import halide as hl
made = hl.Pipeline(runpy.run_path(sys.argv[1] + '.py')['pipeline']())
hl.serialize_pipeline(made, sys.argv[1] + '.hlpipe')
made.compile_to_conceptual_stmt(sys.argv[1] + '.stmt', made.infer_arguments(), \
hl.StmtOutputFormat.Text)
";

impl Made {
    fn new() -> Self {
        let made = Self { folder: tempfile::tempdir().expect("there is room") };
        for (name, script) in [("right", RIGHT), ("other", OTHER), ("wrong", WRONG)] {
            fs::write(made.path(&format!("{name}.py")), script).expect("it can be written");
            let output = Command::new(root().join(".venv/bin/python"))
                .args(["-c", WRITE])
                .arg(made.folder.path().join(name))
                .env("HL_DEBUG_CODEGEN", "2")
                .output()
                .expect("Python starts");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            fs::write(made.path(&format!("{name}.passes")), output.stderr).expect("it is written");
        }
        made
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).expect("it can be written");
    }

    /// Validates; returns the exit status and the first line of standard error, with the folder's
    /// name blanked.
    fn refusal(&self, arguments: &[&str]) -> (u8, String) {
        let words = arguments.iter().map(|word| {
            if self.path(word).exists() {
                text(&self.path(word)).to_owned()
            } else {
                (*word).to_owned()
            }
        });
        let words: Vec<String> = words.collect();
        let all = std::iter::once("validate").chain(words.iter().map(String::as_str));
        let (status, _, err) = halidom(all);
        let line = err.lines().next().unwrap_or_default();
        (status, line.replace(&format!("{}/", text(self.folder.path())), ""))
    }
}

#[test]
fn wrong_inputs_have_a_diagnostic_each() {
    if !has_halide() {
        return;
    }
    let made = Made::new();
    let pipeline = fs::read(made.path("right.hlpipe")).expect("it was written");
    made.write("cut.hlpipe", &pipeline[..pipeline.len() / 2]);
    let version = b"21.0.0";
    let at = pipeline.windows(version.len()).position(|found| found == version);
    let mut older = pipeline;
    older[at.expect("the version stands in it") + 1] = b'0';
    made.write("older.hlpipe", older);
    let statement = fs::read_to_string(made.path("right.stmt")).expect("it was written");
    made.write("cut.stmt", &statement[..statement.len() / 2]);
    made.write("later.stmt", statement.replace("(uint64)0", "0_u64"));
    made.write("prose.stmt", "This is no statement.\n");
    made.write("empty.passes", "Creating initial loop nests...\n");
    made.write("nothing.py", "import halide\n");
    made.write("number.py", "def pipeline():\n    return 3\n");
    made.write("fails.py", "import halide as hl\n\ndef pipeline():\n    return hl.Funk('f')\n");
    let with_ir = |statement| vec!["--halide", "right.hlpipe", "--ir", statement];
    let assuming = |words| [with_ir("right.stmt"), vec!["--assume", words]].concat();
    let with_passes =
        |dump| vec!["--halide", "right.hlpipe", "--ir", "right.stmt", "--passes", dump];
    for (arguments, expected) in [
        (
            vec!["--halide", "cut.hlpipe"],
            "HAL1201]: `cut.hlpipe`: no pipeline file, or a damaged one: at byte",
        ),
        (
            vec!["--halide", "right.stmt"],
            "HAL1201]: `right.stmt`: no pipeline file, or a damaged one: at byte",
        ),
        (
            vec!["--halide", "older.hlpipe"],
            "HAL1202]: `older.hlpipe`: written by Halide 20.0.0 (format 18.0.1), and what is read \
                is 21.0.0",
        ),
        (with_ir("cut.stmt"), "HAL1203]: expected"),
        (with_ir("later.stmt"), "HAL1203]: expected"),
        (with_ir("prose.stmt"), "HAL1203]: expected"),
        (
            with_ir("other.stmt"),
            "HAL1209]: the statement is not of this pipeline: it computes `other`",
        ),
        (
            with_passes("empty.passes"),
            "HAL1204]: `empty.passes` holds no statement after a pass of Halide's compiler",
        ),
        (
            with_passes("other.passes"),
            "HAL1209]: the dump is not of this statement: after `final simplification` it is \
                another",
        ),
        (
            assuming("0 <= b.extent.0"),
            "HAL1210]: the assumption speaks of a name that is no parameter and no side of an \
                input or output",
        ),
        (assuming("a[0] == (uint8)3"), "HAL1210]: the assumption speaks of an element of memory"),
        (assuming("0 <= a.extent.0 +"), "HAL1210]: expected"),
        (
            vec!["--halide-script", "nothing.py"],
            "HAL1207]: the script yields no pipeline: it does not define `pipeline()`",
        ),
        (
            vec!["--halide-script", "number.py"],
            "HAL1207]: the script yields no pipeline: `pipeline()` returns 3, which is no \
                `halide.Func`",
        ),
        (
            vec!["--halide-script", "fails.py"],
            "HAL1207]: the script yields no pipeline: AttributeError: module 'halide' has no \
                attribute 'Funk'",
        ),
        (
            vec!["--halide-script", "right.py", "--target", "abacus"],
            "HAL1206]: Halide fails: Did not understand Halide target abacus",
        ),
        (
            vec!["--generator", "no_such_generator", "-g", "blur"],
            "HAL1208]: the generator `no_such_generator` cannot be started",
        ),
    ] {
        let (status, line) = made.refusal(&arguments);
        assert_eq!(status, 2, "{arguments:?}: {line}");
        let line = line.strip_prefix("error[").unwrap_or_default();
        assert!(line.starts_with(expected), "{arguments:?}: {line}");
    }
}

#[test]
fn statements_of_a_dump_are_compared_without_the_pipeline() {
    if !has_halide() {
        return;
    }
    let made = Made::new();
    let compare = |dump: &Path| halidom(["validate", "--passes", text(dump)]);
    let (status, out, err) = compare(&made.path("right.passes"));
    assert_eq!(status, 3, "{out}{err}");
    assert!(out.contains("final simplification: the same on 24 runs"), "{out}");
    assert!(out.contains("no pass was seen to change what is computed"), "{out}");
    let (status, out, err) = compare(&made.path("wrong.passes"));
    assert_eq!(status, 1, "{out}{err}");
    assert!(out.contains("\nfinding intrinsics: DIFFERS from the statement after"), "{out}");
    assert_eq!(out.matches("DIFFERS").count(), 1, "{out}");
    assert!(
        out.contains(
            "\n`finding intrinsics` changes what the statement computes\nrefuted: expected"
        ),
        "{out}"
    );
    // A dump that lacks information needed for types.
    let dump = fs::read_to_string(made.path("right.passes")).expect("it was written");
    made.write("untyped.passes", dump.replace(".type ==", ".kind =="));
    let (status, out, err) = compare(&made.path("untyped.passes"));
    assert_eq!(status, 3, "{out}{err}");
    assert!(err.contains("HAL1205"), "{err}");
    let (status, _, err) = compare(&made.path("right.stmt"));
    assert!(status == 2 && err.starts_with("error[HAL1204]"), "{status}: {err}");
    let (status, _, err) = compare(&made.path("no.passes"));
    assert_eq!(status, 2, "{err}");
    let (status, line) = made.refusal(&["right.hlpipe", "--passes", "right.passes"]);
    assert!(status == 2 && line.contains("HAL0906"), "{status}: {line}");
}

#[test]
fn a_script_is_compiled_and_judged() {
    if !has_halide() {
        return;
    }
    let script = root().join("tests/halide/repaired/widening_negate.py");
    let (status, out, err) = halidom(["validate", "--halide-script", text(&script)]);
    assert!(status == 0 || status == 3, "{out}{err}");
    assert!(!out.contains("refuted"), "{out}");
}

/// Compiles the project's generators against the headers of the Python package. The result is
/// kept as long as neither the source nor the place of the package changes.
fn generators() -> Option<PathBuf> {
    let package = fs::read_dir(root().join(".venv/lib")).ok()?.flatten();
    let package = package.map(|entry| entry.path().join("site-packages/halide"));
    let package = package.into_iter().find(|folder| folder.join("include/Halide.h").is_file())?;
    let source = root().join("tests/halide/generators.cpp");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (binary, copy) = (place.join("generators"), place.join("generators.cpp"));
    let library = package.join("lib64");
    let own = format!("// {}\n{}", library.display(), fs::read_to_string(&source).ok()?);
    if binary.is_file() && fs::read_to_string(&copy).is_ok_and(|kept| kept == own) {
        return Some(binary);
    }
    let output = Command::new("g++")
        .args(["-std=c++17", "-O0", "-fno-rtti", "-o"])
        .arg(&binary)
        .arg(&source)
        .arg("-I")
        .arg(package.join("include"))
        .arg("-Wl,--whole-archive")
        .arg(library.join("libHalide_GenGen.a"))
        .arg("-Wl,--no-whole-archive")
        .arg("-L")
        .arg(&library)
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .args(["-lHalide", "-ldl", "-lpthread"])
        .output()
        .ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::write(&copy, own).ok()?;
    Some(binary)
}

#[test]
fn generators_are_driven() {
    let Some(binary) = generators() else {
        println!("skipped: there is no g++, or no .venv with Halide's headers");
        return;
    };
    let binary = text(&binary);
    let (status, out, err) = halidom(["validate", "--generator", binary, "-g", "blur", "radius=2"]);
    assert!(status == 0 || status == 3, "{out}{err}");
    let folder = tempfile::tempdir().expect("there is room");
    let (status, out, err) = halidom([
        "validate",
        "--generator",
        binary,
        "-g",
        "difference",
        "--replay",
        text(folder.path()),
    ]);
    assert_eq!(status, 1, "{out}{err}");
    assert!(out.contains("compiled code: difference["), "{out}");
    assert!(out.contains("finding intrinsics"), "{out}");
    for file in ["input.a.npy", "input.b.npy", "expected.0.npy", "output.0.npy"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
    let (status, out, _) =
        halidom(["validate", "--generator", binary, "-g", "difference", "vectorized=false"]);
    assert!(status == 0 || status == 3, "{out}");
    // The range of a parameter comes from the generator's own compile.
    for further in [&[][..], &["--gradient-descent"]] {
        let words = [&["validate", "--generator", binary, "-g", "scale"][..], further].concat();
        let (status, out, err) = halidom(words);
        assert_eq!(status, 0, "{out}{err}");
        assert!(out.contains("proved: ") && out.contains("bit for bit"), "{out}");
    }
    let (status, _, err) = halidom(["validate", "--generator", binary, "-g", "blurr"]);
    assert!(status == 2 && err.starts_with("error[HAL1208]"), "{status}: {err}");
    let (status, _, err) = halidom(["validate", "--generator", binary, "-g", "blur", "raduis=2"]);
    assert!(status == 2 && err.starts_with("error[HAL1208]"), "{status}: {err}");
    let (status, _, err) = halidom(["validate", "--generator", binary, "-g", "blur", "radius"]);
    assert!(status == 2 && err.starts_with("error[HAL0906]"), "{status}: {err}");
}

/// A sum whose number of elements is a parameter; Halide does not check that it is at least 0.
const SUM: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    n = hl.Param(hl.Int(32), 'n')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    r = hl.RDom([(0, n)], 'r')
    out = hl.Func('out')
    out[x] = hl.u8(0)
    out[x] += a[x + r]
    return out
";

#[test]
fn what_is_assumed_of_callers_is_listed_and_contradictions_prove_nothing() {
    if !has_halide() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room");
    let script = folder.path().join("sum.py");
    fs::write(&script, SUM).expect("it can be written");
    let plain = ["validate", "--halide-script", text(&script)];
    let (status, out, err) = halidom(plain);
    assert_eq!(status, 0, "{out}{err}");
    let domain = "reduction domain of stage 1 of out (a negative extent has no meaning; Halide \
        does not check)";
    assert!(out.contains(domain), "{out}");
    let (status, out, err) = halidom(plain.into_iter().chain(["--json"]));
    assert_eq!(status, 0, "{out}{err}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert!(json.to_string().contains(domain), "{json}");
    let assuming = ["--assume", "0 <= n"];
    let (status, out, err) = halidom(plain.into_iter().chain(assuming));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("assumed of callers: 0 <= n") && !out.contains(domain), "{out}");
    let contradicting = ["--assume", "n < 0"];
    for assumed in [&contradicting[..], &[assuming, contradicting].concat()] {
        let (status, out, _) = halidom(plain.into_iter().chain(assumed.iter().copied()));
        assert_eq!(status, 3, "{out}");
    }
}

#[test]
fn the_verdict_says_where_prophecies_are_from() {
    if !has_halide() {
        return;
    }
    let script = root().join("tests/halide/pipelines/clone_of_a_func.py");
    let plain = ["validate", "--halide-script", text(&script)];
    let with =
        |arguments: &[&'static str]| halidom(plain.into_iter().chain(arguments.iter().copied()));
    let (status, out, err) = with(&["--annotations", "never"]);
    assert_eq!(status, 3, "{out}{err}");
    assert!(out.contains("prophecies: inferred on the plain artifact"), "{out}");
    let (status, out, err) = with(&[]);
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("prophecies: injected annotations of values, carried over"), "{out}");
    assert!(out.contains("without them the annotated artifact is the plain artifact"), "{out}");
    let (status, out, err) = with(&["--annotations", "always", "--json"]);
    assert_eq!(status, 0, "{out}{err}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let prophecies = &json["prophecies"];
    assert_eq!(prophecies["source"], "injected", "{prophecies}");
    assert_eq!(prophecies["artifact"], "plain", "{prophecies}");
    assert_eq!(prophecies["erased_is_plain"], true, "{prophecies}");
    let (status, _, err) = halidom(["validate", "a.hal", "--annotations", "always"]);
    assert_eq!(status, 2, "{err}");
}

#[test]
fn a_refutation_names_the_lines_of_the_script() {
    if !has_halide() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.sarif");
    for (name, wanted) in [
        // The directives of the func that is stored wrongly, and its update.
        ("slides_over_an_update.py", &["count.unroll(", "count.store_root(", "count[1, c] +="][..]),
        // An element of the output that nothing stores.
        ("blend_twice.py", &["out.split("]),
    ] {
        let script = root().join("tests/halide/miscompiled").join(name);
        let words = ["validate", "--halide-script", text(&script), "--sarif", text(&log)];
        let (status, said, _) = halidom(words);
        assert_eq!(status, 1, "{said}");
        let source = fs::read_to_string(&script).unwrap();
        let parsed: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&log).unwrap()).unwrap();
        let result = &parsed["runs"][0]["results"][0];
        let related = result["relatedLocations"].as_array().cloned().unwrap_or_default();
        let places: Vec<_> =
            std::iter::once(result["locations"][0].clone()).chain(related).collect();
        assert_eq!(places.len(), wanted.len(), "{places:?}");
        for (place, wanted) in places.iter().zip(wanted) {
            let place = &place["physicalLocation"];
            assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with(name));
            let line = place["region"]["startLine"].as_u64().unwrap() as usize;
            assert!(source.lines().nth(line - 1).unwrap().contains(wanted), "{place}");
        }
    }
}
