//! The lossless dump of statements that the installed Halide compiles: it prints back, and it
//! prints as the same text that Halide prints for the statement.

use std::fs;
use std::path::Path;

use std::time::Duration;

use halidom_halide::bridge::{
    self, Built, Case, Each, Ending, Fresh, Given, Job, Memory, Origin, Placement,
};
use halidom_halide::dump::Dump;
use halidom_halide::{Names, dump, text};

#[test]
fn the_dump_of_every_pipeline_is_of_the_statement_that_halide_prints() {
    if !bridge::is_installed() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/halide/pipelines");
    let folder = tempfile::tempdir().unwrap();
    for script in fs::read_dir(scripts).unwrap() {
        let script = script.unwrap().path();
        let place = folder.path().join(script.file_stem().unwrap());
        fs::create_dir(&place).unwrap();
        fs::copy(&script, place.join("script.py")).unwrap();
    }
    bridge::each(Each::Settle, folder.path()).unwrap();
    let mut compared = 0;
    for place in fs::read_dir(folder.path()).unwrap() {
        let place = place.unwrap().path();
        if !place.is_dir() {
            continue;
        }
        let written = place.join("final.dump");
        let undone = Each::Settle.undone(&place, &written);
        assert_eq!(undone, None, "{}", place.display());
        let source = fs::read_to_string(written).unwrap();
        let mut names = Names::new();
        let found = dump::read(&source, &mut names)
            .unwrap_or_else(|error| panic!("{}: {error} at {}", place.display(), error.at));
        assert_eq!(dump::print(&found, &names), source);
        let said = fs::read_to_string(place.join("final.stmt")).unwrap();
        assert_eq!(text::print(&found.block, &names), said, "{}", place.display());
        compared += 1;
    }
    assert!(compared >= 60, "only {compared} pipelines");
}

/// A pipeline for these tests: `out(x) = (a(x) + w) * 2`.
const SCRIPT: &str = "import halide as hl


def pipeline():
    x = hl.Var(\"x\")
    a = hl.ImageParam(hl.Int(32), 1, \"a\")
    w = hl.Param(hl.Int(32), \"w\")
    t = hl.Func(\"t\")
    t[x] = a[x] + w
    out = hl.Func(\"out\")
    out[x] = t[x] * 2
    t.compute_root().store_in(hl.MemoryType.Heap)
    out.parallel(x, 4)
    return out
";

/// The dump of the script, compiled in a folder.
fn compiled(folder: &Path) -> (Job, Dump, Names) {
    let script = folder.join("script.py");
    fs::write(&script, SCRIPT).expect("the test is written correctly");
    let job = Job::of(Origin::Script(script));
    let place = folder.join("compiled");
    fs::create_dir(&place).expect("the test is written correctly");
    let mut names = Names::new();
    let source = job.compile(&place).expect("Halide compiles it").dump.expect("there is a dump");
    let found = dump::read(&source, &mut names).expect("the test is written correctly");
    (job, found, names)
}

/// A dense buffer of 32-bit integers.
fn integers(min: i32, values: &[i32]) -> Given {
    Given::Buffer(Memory {
        code: 0,
        bits: 32,
        dims: vec![[min, values.len() as i32, 1]],
        alignment: 4,
        offset: 0,
        bytes: values.iter().flat_map(|value| value.to_ne_bytes()).collect(),
    })
}

fn case(input: &[i32], output: usize) -> Case {
    let arguments = vec![integers(3, input), Given::Scalar(5), integers(3, &vec![0; output])];
    Case { arguments, placement: Placement::BeforeFault, fresh: Fresh::default() }
}

fn output(ending: &Ending) -> Vec<i32> {
    let memories = if let Ending::Done(memories) = ending { Some(memories) } else { None };
    let memories = memories.expect("the run is done");
    let values = memories[1]
        .chunks(4)
        .map(|bytes| i32::from_ne_bytes(bytes.try_into().expect("the test is written correctly")));
    values.collect()
}

/// Makes a folder within another.
fn folder_in(folder: &Path, name: &str) -> std::path::PathBuf {
    let place = folder.join(name);
    fs::create_dir(&place).expect("the test is written correctly");
    place
}

/// The statement with a part of its dump replaced.
fn edited(found: &Dump, names: &Names, (old, new): (&str, &str)) -> (Dump, Names) {
    let source = dump::print(found, names);
    assert!(source.contains(old), "{old} is not in {source}");
    let mut names = Names::new();
    let edited = dump::read(&source.replacen(old, new, 1), &mut names)
        .expect("the test is written correctly");
    (edited, names)
}

#[test]
fn a_dump_is_compiled_and_run_as_the_pipeline_is() {
    if !bridge::is_installed() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (job, found, names) = compiled(folder.path());
    let python = bridge::find().unwrap();
    let own = Built::of_job(&job, &folder_in(folder.path(), "own")).unwrap();
    let built = Built::of_dump((&found, &names), &python, &folder_in(folder.path(), "built"));
    let built = built.unwrap().unwrap();
    let cases = [case(&[1, 2, 3, 4, 5], 5), case(&[1], 5), case(&[7, 8, 9, 10, 11, 12], 5)];
    let limit = Duration::from_secs(20);
    for code in [own, built] {
        let endings = code.run(&cases, limit).unwrap();
        assert_eq!(output(&endings[0]), [12, 14, 16, 18, 20]);
        assert!(matches!(&endings[1], Ending::Failed(words) if words.contains("beyond")));
        assert_eq!(output(&endings[2]), [24, 26, 28, 30, 32]);
    }
}

#[test]
fn what_is_done_to_a_statement_shows_in_its_runs() {
    if !bridge::is_installed() {
        println!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (_, found, names) = compiled(folder.path());
    let python = bridge::find().unwrap();
    let source = dump::print(&found, &names);
    let limit = Duration::from_secs(20);
    let run = |name: &str, edit: (&str, &str)| {
        let (edited, names) = edited(&found, &names, edit);
        let place = folder_in(folder.path(), name);
        let built = Built::of_dump((&edited, &names), &python, &place).unwrap();
        built.map(|built| built.run(&[case(&[1, 2, 3, 4, 5], 5)], limit).unwrap().remove(0))
    };
    // A changed operand changes the output.
    let ending = run("value", ("(var i32 \"w\")", "(i32 7)")).unwrap();
    assert_eq!(output(&ending), [16, 18, 20, 22, 24]);
    // A double free fails.
    let freed = "(free \"t\")";
    assert!(source.contains(freed), "{source}");
    let begin = source.find(freed).unwrap();
    let blanks = begin - source[..begin].rfind('\n').unwrap() - 1;
    let twice = format!("{freed}\n{}{freed}", " ".repeat(blanks));
    let ending = run("twice", (freed, &twice));
    assert!(!matches!(ending, Ok(Ending::Done(_))), "{ending:?}");
    // A type that does not fit is refused.
    let rejected = run("type", ("(var i32 \"w\")", "(var i64 \"w\")"));
    assert!(rejected.is_err(), "{rejected:?}");
    let rejected = run("unknown", ("(var i32 \"w\")", "(var i32 \"nobody\")"));
    assert!(rejected.is_err(), "{rejected:?}");
}
