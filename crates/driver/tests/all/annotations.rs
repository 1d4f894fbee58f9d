//! Prophecies from a second compile with annotations: they prove what inference cannot, they do not
//! prove wrong statements, and false annotations are not believed.
//!
//! The tests need a Python with Halide and are skipped with a message without it. Table 1 is in
//! `../shared/halide21` next to the repository.

#![expect(clippy::print_stdout, reason = "what is missing is said")]

use std::path::{Path, PathBuf};
use std::process::Command;

use halidom_driver::judge::Options;
use halidom_driver::stock::bridge::{self, Job, Origin};
use halidom_driver::stock::{
    self, Annotations, BesideAnnotated, Judged, Prophecies, Request, Stock, annotated_statement,
};
use halidom_driver::subject::Subject;
use halidom_halide::{Names, dump, text};
use halidom_validate::{Report, Verdict};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Tests whether there is a Python with Halide.
fn has_halide() -> bool {
    let probe =
        bridge::find().map(|python| Command::new(python).args(["-c", "import halide"]).output());
    let found = matches!(probe, Ok(Ok(output)) if output.status.success());
    if !found {
        println!("skipped: there is no Python with Halide");
    }
    found
}

/// A pipeline with a clone of a func whose memory has a different size in each place, so that the
/// values that the reader writes cannot be inferred.
fn clone() -> Job {
    let script = root().join("tests/halide/pipelines/clone_of_a_func.py");
    Job::of(Origin::Script(script))
}

fn read(request: &Request) -> Stock {
    stock::read(request).expect("it is read")
}

fn judged_by(subject: &Subject) -> Report {
    let options = Options::find().expect("a solver is installed").of_stock();
    crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
}

fn judged(stock: &Stock, annotations: Annotations) -> Judged {
    stock::judged(stock, annotations, &mut judged_by)
}

/// The text with parts replaced.
fn changed(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (before, after)| {
        assert!(text.contains(before), "there is no `{before}` in\n{text}");
        text.replace(before, after)
    })
}

/// The pipeline with another statement in place of Halide's.
fn with_statement(text: &str) -> Stock {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("changed.stmt");
    std::fs::write(&file, text).expect("it can be written");
    read(&Request { statement: Some(file), ..Request::of_job(clone()) })
}

/// The annotated statement as Halide prints it, so that changes can be made to the text.
fn annotated_text(stock: &Stock, reads: bool) -> String {
    let lossless = annotated_statement(stock, reads).expect("it is compiled");
    let mut names = Names::new();
    let read = dump::read(&lossless, &mut names).expect("it is known without loss");
    text::print(&read.block, &names)
}

fn plain_statement() -> String {
    let folder = tempfile::tempdir().expect("there is room");
    clone().compile(folder.path()).expect("Halide compiles it").statement
}

#[test]
fn what_cannot_be_inferred_is_proved_with_annotations() {
    if !has_halide() {
        return;
    }
    let stock = read(&Request::of_job(clone()));
    let inferred = judged(&stock, Annotations::Never);
    assert!(matches!(inferred.report.verdict, Verdict::Unknown(_)));
    assert_eq!((inferred.prophecies, inferred.beside), (Prophecies::Inferred, None));
    for annotations in [Annotations::Fallback, Annotations::Always] {
        let found = judged(&stock, annotations);
        assert_eq!(found.report.verdict, Verdict::Proved);
        assert_eq!(found.beside, None);
        let Prophecies::Injected { is_same, carried, .. } = found.prophecies else {
            panic!("{annotations:?}: {:?}", found.prophecies);
        };
        assert!(is_same && carried.ends_with("4 of 4 stores"), "{is_same}, {carried}");
        // The verdict is on the given statement, not on the annotated one.
        let program = &found.stock.subject.compiled.program;
        assert_eq!(program.inputs, stock.subject.compiled.program.inputs);
    }
}

/// Changes of the statement; each makes it wrong.
const WRONG: [(&str, &str); 6] = [
    ("*(uint8)3", "*(uint8)5"),
    (
        "base_clone_in_left$0[0] + base_clone_in_left$0[1]",
        "base_clone_in_left$0[0] + base_clone_in_left$0[0]",
    ),
    (
        "for (base_clone_in_left$0.s0.x.rebased, 0, 2)",
        "for (base_clone_in_left$0.s0.x.rebased, 0, 1)",
    ),
    ("for (left.s0.x.rebased, 0, out.extent.0)", "for (left.s0.x.rebased, 1, out.extent.0 + -1)"),
    ("(uint8)bitwise_xor(", "(uint8)bitwise_or("),
    ("left[left.s0.x.rebased] =", "left[0] ="),
];

#[test]
fn a_wrong_statement_is_not_proved_with_right_annotations() {
    if !has_halide() {
        return;
    }
    let plain = plain_statement();
    // The unchanged statement is proved, so the changes make the difference.
    let right = judged(&with_statement(&plain), Annotations::Always);
    assert_eq!(right.report.verdict, Verdict::Proved);
    for change in WRONG {
        let stock = with_statement(&changed(&plain, &[change]));
        for annotations in [Annotations::Fallback, Annotations::Always] {
            let found = judged(&stock, annotations);
            assert_ne!(found.report.verdict, Verdict::Proved, "{change:?}, {annotations:?}");
            // The annotated artifact's correctness proves nothing about this statement.
            if let Verdict::Unknown(_) = found.report.verdict {
                assert_ne!(found.beside, None, "{change:?}, {annotations:?}");
                assert_ne!(found.beside, Some(BesideAnnotated::Nothing), "{change:?}");
            }
        }
    }
}

/// False annotations: coordinates of other instances, alone and together.
const FALSE: [&[(&str, &str)]; 5] = [
    &[(
        "prophecy.left.s0(left.s0.x.rebased + out.min.0)",
        "prophecy.left.s0((left.s0.x.rebased + out.min.0) + 1)",
    )],
    &[("prophecy.base.s0(base.s0.x.rebased + out.min.0)", "prophecy.base.s0(out.min.0)")],
    &[(
        "prophecy.left.s0(left.s0.x.rebased + out.min.0)",
        "prophecy.left.s0(0 - left.s0.x.rebased)",
    )],
    &[("prophecy.left.s0(", "prophecy.left.s1(")],
    &[
        (
            "prophecy.left.s0(left.s0.x.rebased + out.min.0)",
            "prophecy.left.s0((left.s0.x.rebased + out.min.0) + 1)",
        ),
        (
            "prophecy.base.s0(base.s0.x.rebased + out.min.0)",
            "prophecy.base.s0((base.s0.x.rebased + out.min.0) + 1)",
        ),
        (
            "prophecy.out.s0(out.min.0 + out.s0.x.rebased)",
            "prophecy.out.s0((out.min.0 + out.s0.x.rebased) + 1)",
        ),
    ],
];

#[test]
fn no_false_annotation_is_believed() {
    if !has_halide() {
        return;
    }
    let plain = plain_statement();
    let annotated = annotated_text(&with_statement(&plain), false);
    // The right statement, and one that would be right if all annotated coordinates were shifted by
    // one.
    let shifted = changed(
        &plain,
        &[(
            "a[base_clone_in_left$0.s0.x.rebased + ",
            "a[(base_clone_in_left$0.s0.x.rebased + 1) + ",
        )],
    );
    for (statement, is_right) in [(&plain, true), (&shifted, false)] {
        let stock = with_statement(statement);
        let honest = stock::carried(&stock, &annotated).expect("it is read");
        let verdict = judged_by(&honest.plain.subject).verdict;
        assert_eq!(verdict == Verdict::Proved, is_right, "{verdict:?}");
        for changes in FALSE {
            let lie = changed(&annotated, changes);
            let carried = stock::carried(&stock, &lie).expect("it is read");
            let verdict = judged_by(&carried.plain.subject).verdict;
            // Statements for which inference takes over are not proved here either.
            assert_ne!(verdict, Verdict::Proved, "{changes:?}");
        }
    }
}

/// A circular annotation, which derives the place of a buffer from the buffer's own content, is not
/// believed.
#[test]
fn memory_that_would_begin_by_itself_begins_nowhere() {
    if !has_halide() {
        return;
    }
    let stock = read(&Request::of_job(clone()));
    let annotated = annotated_text(&stock, false);
    let lie = changed(
        &annotated,
        &[(
            "prophecy.base.s0(base.s0.x.rebased + out.min.0)",
            "prophecy.base.s0(base.s0.x.rebased + int32(base[0]))",
        )],
    );
    let carried = stock::carried(&stock, &lie).expect("it is read");
    assert!(matches!(judged_by(&carried.plain.subject).verdict, Verdict::Unknown(_)));
    // The same holds for an element whose place would have to be read from the element itself.
    let annotated = annotated_text(&stock, true);
    let begin = annotated.find("access.left(").expect("it is read") + "access.left(".len();
    let mut depth = 1;
    let end = annotated[begin..].find(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0
    });
    let end = begin + end.expect("it is closed");
    let lie = format!("{}int32(left[out.s0.x.rebased]){}", &annotated[..begin], &annotated[end..]);
    let carried = stock::carried(&stock, &lie).expect("it is read");
    assert_ne!(judged_by(&carried.plain.subject).verdict, Verdict::Proved);
}

#[test]
fn a_few_rows_of_table_1_are_proved_with_annotations() {
    let folder = root().join("../shared/halide21/table1");
    if !folder.is_dir() || !has_halide() {
        println!("skipped: there is no folder {}", folder.display());
        return;
    }
    for (name, target) in [
        ("blur", "x86-64-linux-avx2"),
        ("sdot", "x86-64-linux-avx2-no_asserts"),
        ("harris_strict", "x86-64-linux-avx2-strict_float"),
        ("atl_twostage", "x86-64-linux-avx2"),
    ] {
        let own = folder.join(name);
        let origin = Origin::File(own.join(name).with_extension("hlpipe"));
        let job = Job { target: Some(target.to_owned()), ..Job::of(origin) };
        let request = Request { statement: Some(own.join("stock.stmt")), ..Request::of_job(job) };
        let found = judged(&read(&request), Annotations::Always);
        assert_eq!(found.report.verdict, Verdict::Proved, "{name}");
        assert!(matches!(found.prophecies, Prophecies::Injected { .. }), "{name}");
    }
}
