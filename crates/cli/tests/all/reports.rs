//! The complete reports for people and other tools: pages, JUnit, SARIF.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use halidom_testgen::sampled;
use serde_json::Value;

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/validate/texts").join(name)
}

/// Runs a command; returns its exit status and its standard output.
fn halidom(arguments: &[&str]) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("halidom").chain(arguments.iter().copied());
    let status = halidom_cli::run(arguments.map(OsString::from), &mut out, &mut err);
    (status as u8, String::from_utf8_lossy(&out).into_owned())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of the test is text")
}

/// Validates a case and returns the exit status and the file that `option` wrote.
fn written(name: &str, option: &str, more: &[&str]) -> (u8, String) {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("written");
    let file = case(name);
    let mut arguments = vec!["validate", text(&file), option, text(&path)];
    arguments.extend(more);
    let (status, _) = halidom(&arguments);
    (status, std::fs::read_to_string(&path).expect("it was written"))
}

fn page(name: &str) -> (u8, String) {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("page.html");
    let (status, _) = halidom(&["report", text(&case(name)), "-q", "-o", text(&path)]);
    (status, std::fs::read_to_string(&path).expect("it was written"))
}

#[test]
fn pages_need_nothing_but_themselves() {
    for (name, status, verdict, standing) in [
        ("right.ir", 0, "verdict proved", "store proved"),
        ("refuted.ir", 1, "verdict refuted", "store refuted"),
        ("unknown.ir", 3, "verdict unknown", "store unknown"),
        ("contradictory.ir", 3, "verdict unknown", "store dead"),
    ] {
        let (found, page) = page(name);
        assert_eq!(found, status, "{name}");
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"), "{name}");
        assert!(page.contains(verdict) && page.contains(standing), "{name}: {page}");
        assert_eq!(page.matches("<details class=\"store ").count(), 2, "{name}");
        for resource in ["http", "<script", "<link", "<img", "src=", "@import", "url("] {
            assert!(!page.contains(resource), "{name} asks for {resource}");
        }
        // A program's text is escaped.
        assert!(page.contains("0 &lt; b.window.extent.0"), "{name}");
    }
    assert_eq!(page("refuted.ir").1, page("refuted.ir").1, "the same page each time");
}

#[test]
fn a_page_of_a_file_has_all_its_schedules() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("page.html");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/blur.hal");
    assert_eq!(halidom(&["report", text(&file), "-q", "-o", text(&path)]).0, 0);
    let page = std::fs::read_to_string(&path).expect("it was written");
    let schedules = page.matches("<section").count();
    assert!(schedules > 1 && page.matches("Loop nest").count() == schedules);
    assert_eq!(page.matches("href=\"#").count(), schedules);
}

#[test]
fn junit_has_a_case_for_each_subject() {
    let (status, report) = written("right.ir", "--junit", &[]);
    assert!(
        status == 0 && report.contains("tests=\"1\"") && report.contains("failures=\"0\""),
        "{report}"
    );
    let (status, report) = written("refuted.ir", "--junit", &[]);
    assert!(status == 1 && report.contains("failures=\"1\""), "{report}");
    assert!(
        report.contains("<failure message=\"refuted: expected")
            && report.contains("type=\"refuted\"")
    );
    assert!(report.contains("it writes another value than the algorithm gives"), "{report}");
    let recorded = case("recorded.json");
    let (status, report) = written("unknown.ir", "--junit", &["--baseline", text(&recorded)]);
    assert!(status == 0 && report.contains("failures=\"0\""), "{report}");
    assert!(report.contains("<skipped message=\"unknown, as recorded in the baseline\""));
}

#[test]
fn sarif_has_what_the_standard_demands() {
    for (name, rule, level) in [
        ("refuted.ir", "refuted", "error"),
        ("unknown.ir", "value", "warning"),
        ("too_strict.ir", "too-strict", "note"),
    ] {
        let (_, log) = written(name, "--sarif", &[]);
        let log: Value = serde_json::from_str(&log).expect("it is JSON");
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().expect("it lists its rules");
        assert_eq!(run["tool"]["driver"]["name"], "halidom");
        let results = run["results"].as_array().expect("it has results");
        assert!(!results.is_empty(), "{name}");
        for result in results {
            let known = |rule: &Value| rule["id"] == result["ruleId"];
            assert!(rules.iter().any(known), "{name}: {result}");
            assert!(result["message"]["text"].is_string(), "{name}: {result}");
            let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            assert!(place.as_str().is_some_and(|uri| uri.ends_with(name)), "{name}: {place}");
        }
        let first = &results[0];
        assert_eq!((&first["ruleId"], &first["level"]), (&rule.into(), &level.into()), "{name}");
    }
    let (_, log) = written("right.ir", "--sarif", &[]);
    let log: Value = serde_json::from_str(&log).expect("it is JSON");
    assert_eq!(log["runs"][0]["results"], Value::Array(Vec::new()));
}

#[test]
fn json_has_the_stores_and_the_place_of_a_refutation() {
    let (status, printed) = halidom(&["validate", text(&case("refuted.ir")), "--json"]);
    let object: Value = serde_json::from_str(&printed).expect("one object and nothing else");
    assert_eq!((status, &object["verdict"]), (1, &"refuted".into()));
    assert_eq!(object["counterexample"]["replayed"], true);
    let output = &object["counterexample"]["outputs"][0];
    let values = [&output["expected"][0], &output["got"][0]].map(ToString::to_string);
    assert_eq!((&output["output"], values), (&"b".into(), ["19".to_owned(), "23".to_owned()]));
    assert!(object["place"].as_str().is_some_and(|place| place.contains("both.buffer")));
    let place = &object["site"];
    assert_eq!((&place["func"], &place["stage"]), (&"both".into(), &0.into()));
    assert_eq!(place["loops"]["both.x"], place["coordinates"][0]);
    assert!(place["line"].is_number() && place["algorithm"]["line"].is_number(), "{place}");
    assert_ne!(place["expected"], place["got"]);
    let stores = object["stores"].as_array().expect("it lists the stores");
    let standings: Vec<&Value> = stores.iter().map(|store| &store["status"]).collect();
    assert_eq!(standings, ["refuted", "proved"]);
    let of_stores = stores.iter().chain([&object]).map(|owner| {
        let key = if owner["store"].is_number() { "obligations" } else { "others" };
        owner[key].as_array().map_or(0, Vec::len)
    });
    assert_eq!(object["obligations"]["total"], of_stores.sum::<usize>());
}

#[test]
fn a_cache_is_written_and_used() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("answers");
    let file = case("right.ir");
    let validate = || {
        let (status, printed) =
            halidom(&["validate", text(&file), "--json", "--cache", text(&path)]);
        assert_eq!(status, 0, "{printed}");
        let object: Value = serde_json::from_str(&printed).expect("one object");
        object["solver"]["cached"].as_u64().expect("a number")
    };
    assert_eq!(validate(), 0);
    assert!(validate() > 0);
    let kept = std::fs::read_to_string(&path).expect("it was written");
    assert!(kept.starts_with("halidom-smt-cache"));
    // A changed byte is detected, and the command fails.
    std::fs::write(&path, kept.replacen("unsat", "unsaT", 1)).expect("it can be written");
    let (status, printed) = halidom(&["validate", text(&file), "--cache", text(&path)]);
    assert_eq!((status, printed.as_str()), (2, ""));
}

/// A report of an earlier run does not stand for a later one, however that ends.
#[test]
fn a_report_is_of_the_last_run_or_of_none() {
    let folder = tempfile::tempdir().expect("there is room");
    let place = |name: &str| folder.path().join(name);
    let (source, link) = (place("p.hal"), place("link"));
    std::os::unix::fs::symlink(place("linked"), &link).expect("there is room");
    std::fs::write(place("linked"), "").expect("there is room");
    let sarif = place("out.sarif");
    let validate = |text_of: &str| {
        std::fs::write(&source, text_of).expect("there is room");
        let reports = ["--junit", text(&link), "--sarif", text(&sarif)];
        halidom(&[["validate", text(&source)].as_slice(), &reports].concat()).0
    };
    let right = "pipeline p(a: buffer<i32, 1>) -> o: buffer<i32, 1> { func o(x) = a(x) + 1; }";
    assert_eq!(validate(right), 0);
    assert!(sarif.is_file());
    let read = |path: &Path| std::fs::read_to_string(path).expect("it is there");
    let log = || -> Value { serde_json::from_str(&read(&sarif)).expect("it is JSON") };
    assert!(log()["runs"][0]["invocations"].is_null());
    // Bad input is told by both reports.
    assert_eq!(validate("pipeline p("), 2);
    assert!(link.is_symlink());
    let report = read(&link);
    assert!(report.contains("errors=\"1\"") && report.contains("type=\"HAL01"), "{report}");
    let invocation = &log()["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let said = &invocation["toolExecutionNotifications"][0];
    assert!(said["descriptor"]["id"].as_str().is_some_and(|code| code.starts_with("HAL01")));
    assert_eq!(said["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    // Nothing to judge is told too.
    assert_eq!(validate(""), 2);
    assert!(read(&link).contains("type=\"nothing\""), "{}", read(&link));
    assert_eq!(log()["runs"][0]["results"][0]["level"], "error");
    // A page of an earlier run goes, and another file stays.
    std::fs::write(&source, right).expect("there is room");
    let (page, other) = (place("page.html"), place("other.html"));
    assert_eq!(halidom(&["report", text(&source), "-o", text(&page)]).0, 0);
    std::fs::write(&source, "pipeline p(").expect("there is room");
    std::fs::write(&other, "<title>Validation of mine</title>").expect("there is room");
    for path in [&page, &other] {
        assert_eq!(halidom(&["report", text(&source), "-o", text(path)]).0, 2);
    }
    assert!(!page.exists() && other.exists());
}

/// A judgement that is cut off writes its reports, and prints one object.
#[test]
fn a_judgement_that_is_cut_off_writes_its_reports() {
    let folder = tempfile::tempdir().expect("there is room");
    let (junit, sarif) = (folder.path().join("junit.xml"), folder.path().join("out.sarif"));
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/blur.hal");
    for limit in ["0", "0.001", "0.02", "0.1", "0.3"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_halidom"));
        command.args(["validate", example, "-s", "tiled", "--json", "--limit", limit]);
        command.arg("--junit").arg(&junit).arg("--sarif").arg(&sarif);
        let output = command.output().expect("it runs");
        let printed = String::from_utf8_lossy(&output.stdout);
        let object: Value = serde_json::from_str(&printed).expect("one object");
        let words = std::fs::read_to_string(&junit).expect("it was written");
        let log = std::fs::read_to_string(&sarif).expect("it was written");
        let log: Value = serde_json::from_str(&log).expect("it is JSON");
        let results = log["runs"][0]["results"].as_array().map_or(0, Vec::len);
        if object["verdict"] == "proved" {
            assert_eq!((output.status.code(), results), (Some(0), 0), "{limit}");
            assert!(words.contains("failures=\"0\""), "{limit}: {words}");
        } else {
            assert_eq!(output.status.code(), Some(3), "{limit}: {printed}");
            assert!(words.contains("type=\"unknown\"") && results > 0, "{limit}: {words}");
        }
        std::fs::remove_file(&junit).expect("it is there");
        std::fs::remove_file(&sarif).expect("it is there");
    }
}

/// No output replaces an input or another output, by whatever path.
#[test]
fn outputs_are_files_of_their_own() {
    let folder = tempfile::tempdir().expect("there is room");
    let place = |name: &str| folder.path().join(name);
    let program = "pipeline p(a: buffer<i32, 1>) -> o: buffer<i32, 1> { func o(x) = a(x) + 1; }";
    let (source, kept) = (place("p.hal"), place("kept.json"));
    std::fs::write(&source, program).expect("there is room");
    std::fs::write(&kept, "kept").expect("there is room");
    std::os::unix::fs::symlink(&source, place("soft")).expect("there is room");
    std::fs::hard_link(&source, place("hard")).expect("there is room");
    let (soft, hard, new) = (place("soft"), place("hard"), place("new"));
    let around = folder.path().join("sub/../new");
    std::fs::create_dir(place("sub")).expect("there is room");
    let [source, kept, soft, hard, new, around] =
        [&source, &kept, &soft, &hard, &new, &around].map(|path| text(path));
    let twice = [format!("o={new}"), format!("p={around}")];
    let data = format!("a={kept}");
    let cases: &[&[&str]] = &[
        &["validate", source, "--junit", source],
        &["validate", source, "--sarif", soft],
        &["validate", source, "--cache", hard],
        &["validate", source, "--baseline", kept, "--junit", kept],
        &["validate", source, "--junit", new, "--sarif", around],
        &["validate", source, "--passes", kept, "--halide", "--write-program", kept],
        &["report", source, "-o", soft],
        &["export", source, "-o", source],
        &["bench", source, "--svg", hard],
        &["reduce", source, "--while", "false", "-o", soft],
        &["tune", source, "-o", source],
        &["import", kept, "-o", kept],
        &["verify", kept, "--profile", "halide", "--ask", kept],
        &["run", source, "--output", soft],
        &["run", source, "--input", &data, "--output", kept],
        &["run", source, "--output", &twice[0], "--output", &twice[1]],
    ];
    for words in cases {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let arguments = std::iter::once(&"halidom").chain(*words).map(OsString::from);
        let status = halidom_cli::run(arguments, &mut out, &mut err);
        let said = String::from_utf8_lossy(&err);
        assert!(status as u8 == 2 && said.starts_with("error[HAL0917]"), "{words:?}: {said}");
        assert_eq!(std::fs::read_to_string(source).expect("it is there"), program, "{words:?}");
        assert_eq!(std::fs::read_to_string(kept).expect("it is there"), "kept", "{words:?}");
        assert!(place("soft").is_symlink() && !place("new").exists(), "{words:?}");
    }
    // The folder of a build may have its input.
    let made = place("made");
    assert_eq!(halidom(&["build", source, "-o", text(&made), "--emit", "ir"]).0, 0);
    let ir = made.join("p.ir");
    let before = std::fs::read(&ir).expect("it was written");
    for emit in ["ir", "c"] {
        assert_eq!(halidom(&["build", text(&ir), "-o", text(&made), "--emit", emit]).0, 2);
        assert_eq!(std::fs::read(&ir).expect("it is there"), before);
    }
    // A device is no file, and a file is no folder.
    let reports = ["--junit", "/dev/null", "--sarif", "/dev/null"];
    assert_eq!(halidom(&[["validate", source].as_slice(), &reports].concat()).0, 0);
    for words in [["build", source, "-o", kept], ["validate", source, "--emit-smt", kept]] {
        assert_eq!(halidom(&words).0, 2, "{words:?}");
    }
}

/// Follows links, and leaves devices what they are.
#[test]
fn links_and_devices_are_written_to() {
    let folder = tempfile::tempdir().expect("there is room");
    let (link, target) = (folder.path().join("link.py"), folder.path().join("target.py"));
    std::fs::write(&target, "before").expect("there is room");
    std::os::unix::fs::symlink(&target, &link).expect("there is room");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/blur.hal");
    assert_eq!(halidom(&["export", example, "-o", text(&link)]).0, 0);
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&target).expect("it is there").contains("import halide"));
    let full = folder.path().join("full");
    std::os::unix::fs::symlink("/dev/full", &full).expect("there is room");
    assert_eq!(halidom(&["export", example, "-o", text(&full)]).0, 2);
    assert!(full.is_symlink());
}

/// A verdict that nobody could read is no success.
#[test]
fn a_full_standard_output_is_no_success() {
    let source = case("right.ir");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/blur.hal");
    for words in [["validate", text(&source)], ["explain", "HAL0706"], ["export", example]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_halidom"));
        let status = command.args(words).stdout(full).stderr(std::process::Stdio::null()).status();
        assert_eq!(status.expect("it runs").code(), Some(2), "{words:?}");
    }
}

/// The record of a proof stands for the code in its folder, so a build that fails leaves none.
#[test]
fn a_failed_build_leaves_no_record() {
    let folder = tempfile::tempdir().expect("there is room");
    let (source, made) = (folder.path().join("p.hal"), folder.path().join("made"));
    let record = made.join("p.validation.json");
    let build = |number: i32| {
        let program = format!(
            "pipeline p(a: buffer<i32, 1>) -> o: buffer<i32, 1> {{ func o(x) = a(x) + {number}; }}"
        );
        std::fs::write(&source, program).expect("there is room");
        halidom(&["build", text(&source), "-o", text(&made)]).0
    };
    assert_eq!(build(1), 0);
    assert!(record.is_file());
    // A folder stands where the C is written.
    let code = made.join("p.c");
    std::fs::remove_file(&code).expect("it was written");
    std::fs::create_dir(&code).expect("there is room");
    assert_eq!(build(2), 2);
    assert!(!record.exists());
    std::fs::remove_dir(&code).expect("it is empty");
    assert_eq!(build(2), 0);
    assert!(record.is_file());
}

/// Removes the files of an earlier program before it writes the record of another one.
#[test]
fn a_record_stands_for_every_file_in_its_folder() {
    let folder = tempfile::tempdir().expect("there is room");
    let (source, made) = (folder.path().join("p.hal"), folder.path().join("made"));
    let build = |number: i32, emit: &str| {
        let program = format!(
            "pipeline p(a: buffer<i32, 1>) -> o: buffer<i32, 1> {{ func o(x) = a(x) + {number}; }}"
        );
        std::fs::write(&source, program).expect("there is room");
        assert_eq!(halidom(&["build", text(&source), "-o", text(&made), "--emit", emit]).0, 0);
        let kinds = ["c", "h", "o", "a", "so", "ir", "validation.json"];
        kinds.map(|kind| made.join(format!("p.{kind}")).is_file())
    };
    assert_eq!(build(1, "c,object"), [true, false, true, false, false, false, true]);
    // The same program keeps what is there.
    assert_eq!(build(1, "ir"), [true, false, true, false, false, true, true]);
    assert_eq!(build(2, "header"), [false, true, false, false, false, false, true]);
}

/// Names that mean something in C, or begin as the runtime's do, are printed as other names.
#[test]
fn any_name_can_be_built() {
    let folder = tempfile::tempdir().expect("there is room");
    let (source, made) = (folder.path().join("p.hal"), folder.path().join("made"));
    let names = [
        "complex",
        "noreturn",
        "imaginary",
        "nullptr",
        "typeof_unqual",
        "static_assert",
        "halidom",
        "halidom_exp",
        "HALIDOM_X",
        "constexpr",
        "thread_local",
        "captured",
        "closure",
        "size_t",
        "load_u16x16",
        "memcpy",
        "main",
    ];
    for name in sampled(names, 5) {
        let program = format!(
            "pipeline {name}({name}_2: buffer<i32, 1>) -> {name}: buffer<i32, 1> {{ func {name}(x) \
            = {name}_2(x) + 1; }}"
        );
        std::fs::write(&source, &program).expect("there is room");
        let (status, shown) = halidom(&["build", text(&source), "-o", text(&made)]);
        assert_eq!(status, 0, "{program}: {shown}");
    }
}

/// A value that is used twice by the next one has two ways for each step; they are not followed one
/// by one.
#[test]
fn chains_of_values_used_twice_are_decided() {
    let folder = tempfile::tempdir().expect("there is room");
    let source = folder.path().join("p.hal");
    for next in ["select(L > 3, L - 1, L + 2)", "L / (L | 1) + L % 7", "min(L, L ^ 3) + L"] {
        let lets: Vec<String> = (1..=20)
            .map(|step| format!("let v{step} = {};", next.replace('L', &format!("v{}", step - 1))))
            .collect();
        let program = format!(
            "pipeline p(a: buffer<u8, 1>) -> o: buffer<u8, 1> {{ func o(x) = {{ let v0 = a(x); {} \
            v20 }}; }}",
            lets.join(" ")
        );
        std::fs::write(&source, &program).expect("there is room");
        let (status, shown) = halidom(&["validate", text(&source)]);
        assert_eq!(status, 0, "{program}: {shown}");
    }
}
