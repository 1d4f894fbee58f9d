//! Every kind of file is opened in one way, and compiled to a subject of the same kind.

use std::path::Path;

use halidom_driver::compile::table;
use halidom_driver::input::{Input, Kind, Named};
use halidom_ir::print;
use halidom_verdict::Verdict;

/// A pipeline with one schedule.
const PIPELINE: &str = "\
pipeline sums(a: buffer<i32, 1>) -> b: buffer<i32, 1> { func b(x) = a(x) + a(x + 1); }
schedule fast for sums { b.vectorize(x, 8, tail: guard); }
";

/// Writes a file with this ending and opens it.
fn opened(ending: &str, text: &str) -> Result<Input, halidom_driver::input::Refusal> {
    let file = tempfile::Builder::new().suffix(ending).tempfile().expect("a file can be made");
    std::fs::write(file.path(), text).expect("the file can be written");
    Input::open(file.path())
}

#[test]
fn files_are_told_apart_by_their_endings() {
    let kinds = [
        ("a.hal", Kind::Pipelines),
        ("a", Kind::Pipelines),
        ("a.atl", Kind::Derivations),
        ("a.ir", Kind::Program),
        ("a.hlpipe", Kind::Stock),
        ("a.py", Kind::Stock),
    ];
    for (name, kind) in kinds {
        assert_eq!(Kind::of(Path::new(name)), kind, "{name}");
    }
}

#[test]
fn a_compiled_pipeline_reads_back_as_a_program() {
    let mut input = opened(".hal", PIPELINE).expect("it is right");
    assert_eq!(input.all(&Named::default()).expect("all are chosen").len(), 2);
    let chosen = input.one(&Named::schedule("fast")).expect("it has this schedule");
    let subject = input.compile(&chosen, &mut |_, _, _| {}).expect("the schedule is legal");
    let text = print::module(&subject.pool, subject.lowered(), &subject.compiled.program);
    let mut program = opened(".ir", &text).expect("it reads back");
    let whole = program.one(&Named::default()).expect("there is one");
    let again = program.compile(&whole, &mut |_, _, _| {}).expect("it is compiled already");
    assert_eq!(print::module(&again.pool, again.lowered(), &again.compiled.program), text);
    // A part of one input is no part of another.
    assert!(program.compile(&chosen, &mut |_, _, _| {}).is_err());
}

#[test]
fn every_stage_of_the_table_is_verified() {
    let mut input = opened(".hal", PIPELINE).expect("it is right");
    let chosen = input.one(&Named::schedule("fast")).expect("it has this schedule");
    let subject = input.compile(&chosen, &mut |_, _, _| {}).expect("the schedule is legal");
    let ran: Vec<&str> = subject.compiled.stages.iter().map(|stage| stage.name).collect();
    let expected: Vec<&str> = table().into_iter().map(|(name, _)| name).collect();
    assert_eq!(ran, expected);
    assert!(subject.compiled.stages.iter().all(|stage| !stage.verifying.is_zero()));
}

#[test]
fn refusals_say_what_they_mean() {
    let code = |ending: &str, text: &str| {
        let refusal = opened(ending, text).expect_err("it is refused");
        let last = refusal.diagnostics.last().expect("it says why").code.0;
        (last, refusal.verdict().map(|verdict| matches!(verdict, Verdict::Nothing(_))))
    };
    assert_eq!(code(".hal", ""), ("HAL0901", Some(true)));
    assert_eq!(code(".atl", ""), ("HAL1002", Some(true)));
    assert_eq!(code(".hal", "pipeline").1, None);
    assert_eq!(code(".ir", "nonsense"), ("HAL0910", None));
    assert_eq!(code(".hlpipe", "nonsense"), ("HAL1201", None));
    let missing = Input::open(Path::new("missing.hal")).expect_err("there is none");
    assert_eq!(missing.diagnostics[0].code.0, "HAL0801");
}
