//! Arrays that are part of a stock Halide pipeline: the statement's code has their elements.

use std::path::Path;

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Annotations, Request, bridge};
use halidom_validate::Verdict;

/// A table with gaps between its rows.
const SCRIPT: &str = "import halide as hl
import numpy as np

whole = np.arange(48, dtype=np.uint8).reshape(6, 8)
table = hl.Buffer(whole[:4, :5], 'table')


def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    out = hl.Func('out')
    out[x, y] = table[hl.clamp(x, 0, 4), hl.clamp(y, 0, 3)] * 3 + table[2, 1]
    return out
";

fn has_halide() -> bool {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python").is_file()
}

fn judged(request: &Request) -> Result<Verdict, String> {
    let stock = stock::read(request).map_err(|refusal| format!("{refusal:?}"))?;
    let options = Options::find().expect("there are solvers").of_stock();
    let mut judge = |subject: &halidom_driver::subject::Subject| {
        crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
    };
    Ok(stock::judged(&stock, Annotations::Never, &mut judge).report.verdict)
}

#[test]
fn the_elements_of_a_cropped_array_are_known_and_others_are_refused() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("cropped.py");
    std::fs::write(&script, SCRIPT).expect("it is written");
    let job = bridge::Job::of(bridge::Origin::Script(script));
    let mut request = Request::of_job(job.clone());
    assert_eq!(judged(&request), Ok(Verdict::Proved));

    let place = folder.path().join("compiled");
    std::fs::create_dir(&place).expect("it can be made");
    let compiled = job.compile(&place).expect("Halide compiles it");
    let dump = compiled.dump.expect("the bridge writes one");
    let image = dump.lines().find(|line| line.starts_with("(image")).expect("a table");
    // The first row is 00 01 02 03 04, and three elements follow that are no part of the table.
    let edits = [("0001020304", true), ("000102030405", false), ("08090A0B0C", true)];
    for (bytes, is_part) in edits {
        let (kept, last) = bytes.split_at(bytes.len() - 2);
        let other = format!("{kept}{:02X}", u8::from_str_radix(last, 16).expect("a byte") ^ 0x40);
        assert!(image.contains(bytes), "{image}");
        let path = folder.path().join("edited.dump");
        let edited = dump.replacen(image, &image.replacen(bytes, &other, 1), 1);
        std::fs::write(&path, edited).expect("it can be written");
        request.statement = Some(path);
        match judged(&request) {
            Err(words) => assert!(is_part && words.contains("other elements"), "{words}"),
            Ok(verdict) => assert!(!is_part && verdict == Verdict::Proved, "{bytes}: {verdict:?}"),
        }
    }
}

/// A statement whose array is a caller's buffer has any elements.
#[test]
fn an_array_that_callers_pass_is_refused() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("cropped.py");
    std::fs::write(&script, SCRIPT).expect("it is written");
    let job = bridge::Job::of(bridge::Origin::Script(script));
    let place = folder.path().join("compiled");
    std::fs::create_dir(&place).expect("it can be made");
    let dump = job.compile(&place).expect("Halide compiles it").dump.expect("a dump");
    let image = dump.lines().find(|line| line.starts_with("(image")).expect("a table");
    let output =
        dump.lines().find(|line| line.starts_with("(argument output-buffer")).expect("an output");
    let passed = output.replace("output-buffer", "input-buffer").replace("out", "table");
    for edited in [
        dump.replace(&format!("{image}\n"), ""),
        dump.replace(&format!("{image}\n"), "").replace(output, &format!("{passed}\n{output}")),
    ] {
        let path = folder.path().join("edited.dump");
        std::fs::write(&path, edited).expect("it can be written");
        let mut request = Request::of_job(job.clone());
        request.statement = Some(path);
        let words = judged(&request).expect_err("it has no array");
        assert!(words.contains("no array `table`"), "{words}");
    }
}

/// Halide reads the cropped table back without gaps. It reads the elements of a transposed one in
/// another order than it writes them, so its code has others than the pipeline.
#[test]
fn what_halide_reads_back_from_a_file_is_proved_or_refused() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    for (script, is_same) in [(SCRIPT.to_owned(), true), (SCRIPT.replace("5]", "5].T"), false)] {
        let script = script.replace("0, 4)", "0, 3)");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.py");
        std::fs::write(&path, script).expect("it is written");
        let job = bridge::Job::of(bridge::Origin::Script(path));
        assert_eq!(judged(&Request::of_job(job.clone())), Ok(Verdict::Proved));
        let file = folder.path().join("table.hlpipe");
        let place = folder.path().join("compiled");
        std::fs::create_dir(&place).expect("it can be made");
        let compiled = job.compile(&place).expect("Halide compiles it");
        std::fs::write(&file, compiled.pipeline).expect("it can be written");
        let job = bridge::Job::of(bridge::Origin::File(file));
        match judged(&Request::of_job(job)) {
            Ok(verdict) => assert!(is_same && verdict == Verdict::Proved, "{verdict:?}"),
            Err(words) => assert!(!is_same && words.contains("other elements"), "{words}"),
        }
    }
}

/// Arrays with one row: each point of the output needs its own row, or the row that there is.
#[test]
fn outputs_have_room_for_one_row_where_an_array_has_one() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, value) in [
        ("own", "table[x, y] + a[x, y]"),
        ("clamped", "table[hl.clamp(x, 0, 3), hl.clamp(y, 0, 0)] + a[x, y]"),
        ("own_column", "table[y, hl.clamp(x, 0, 0)] + a[x, y]"),
    ] {
        let script = folder.path().join(format!("{name}.py"));
        let text = format!(
            "import halide as hl\nimport numpy as np\n\n\
             table = hl.Buffer(np.ones((1, 4), dtype=np.uint8).T, 'table')\n\n\n\
             def pipeline():\n    x, y = hl.Var('x'), hl.Var('y')\n    \
             a, out = hl.ImageParam(hl.UInt(8), 2, 'a'), hl.Func('out')\n    \
             out[x, y] = {value}\n    return out\n"
        );
        std::fs::write(&script, text).expect("it is written");
        let request = Request::of_job(bridge::Job::of(bridge::Origin::Script(script)));
        assert_eq!(judged(&request), Ok(Verdict::Proved), "{name}");
    }
}
