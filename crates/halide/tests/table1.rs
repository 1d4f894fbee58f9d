//! The readers, applied to the files that stock Halide 21.0.0 writes for Table 1's programs.
//!
//! The files are in `../shared/halide21/table1`, next to the repository. Without them the tests
//! print a message and check nothing.

#![expect(clippy::print_stderr, clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use halidom_halide::Names;
use halidom_halide::pipeline::{self, LoopLevel, Marks, PROPHECY, SECOND};
use halidom_halide::text::{self, SyntaxError};
use halidom_halide::tree::Expr;

/// The rows' folders, in order of name.
fn rows() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/halide21/table1");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("skipped: there is no folder {}", folder.display());
        return Vec::new();
    };
    let mut rows: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    rows.sort();
    assert_eq!(rows.len(), 22);
    rows
}

fn name(row: &Path) -> String {
    row.file_name().unwrap().to_string_lossy().into_owned()
}

fn place(text: &str, error: &SyntaxError) -> String {
    let before = &text[..error.at];
    let line = before.matches('\n').count() + 1;
    let column = error.at - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    format!(
        "line {line}, column {column}: {error}: {:?}",
        text[error.at..].chars().take(60).collect::<String>()
    )
}

fn final_statement(row: &Path) -> String {
    fs::read_to_string(row.join("stock.stmt")).unwrap()
}

fn dump_text(row: &Path) -> String {
    let file = fs::File::open(row.join("passes.txt.gz")).unwrap();
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn final_statements_print_back() {
    for row in rows() {
        let source = final_statement(&row);
        let mut names = Names::new();
        let block = text::statement(&source, &mut names)
            .unwrap_or_else(|error| panic!("{}: {}", name(&row), place(&source, &error)));
        assert!(text::print(&block, &names) == source, "{} prints otherwise", name(&row));
    }
}

#[test]
fn statements_after_every_pass_print_back() {
    for row in rows() {
        let source = dump_text(&row);
        let mut names = Names::new();
        let passes = text::dump(&source, &mut names)
            .unwrap_or_else(|error| panic!("{}: {}", name(&row), place(&source, &error)));
        let headers = source.lines().filter(|line| line.starts_with("Lowering after ")).count();
        assert_eq!(passes.len(), headers, "{}", name(&row));
        for pass in &passes {
            let Some(block) = &pass.block else { continue };
            assert!(
                text::print(block, &names) == source[pass.at..pass.end],
                "{} prints otherwise after {}",
                name(&row),
                pass.name
            );
        }
        let last = passes.iter().find(|pass| pass.name == "final simplification").unwrap();
        assert!(source[last.at..last.end] == final_statement(&row), "{}", name(&row));
    }
}

#[test]
fn pipelines_are_read() {
    for row in rows() {
        let bytes = fs::read(row.join(format!("{}.hlpipe", name(&row)))).unwrap();
        let mut names = Names::new();
        let read = pipeline::read(&bytes, &mut names)
            .unwrap_or_else(|error| panic!("{}: {error}", name(&row)));
        assert_eq!(read.outputs.len(), 1, "{}", name(&row));
        assert!(read.inputs.iter().any(|input| input.is_buffer), "{}", name(&row));
        assert!(read.funcs.iter().all(|func| func.init.is_some()), "{}", name(&row));
    }
}

#[test]
fn a_pipeline_is_read_as_it_was_written() {
    let Some(row) = rows().into_iter().find(|row| name(row) == "blur") else { return };
    let mut names = Names::new();
    let read = pipeline::read(&fs::read(row.join("blur.hlpipe")).unwrap(), &mut names).unwrap();
    let funcs: Vec<&str> = read.funcs.iter().map(|func| names.text(func.name)).collect();
    assert_eq!(funcs, ["blur_x", "blur_y", "input_im"]);
    let [blur_x, blur_y, _] = read.funcs.as_slice() else { panic!() };
    let value =
        |func: &pipeline::Func| text::print_expr(&func.init.as_ref().unwrap().values[0], &names);
    let three = |func: &str, second: &str, third: &str| {
        let at = |rest: &str| format!("(uint16){func}({rest})");
        format!("(({} + {}) + {})/(uint16)3", at("x, y"), at(second), at(third))
    };
    assert_eq!(value(blur_x), three("input_im", "x + 1, y", "x + 2, y"));
    assert_eq!(value(blur_y), three("blur_x", "x, y + 1", "x, y + 2"));
    let at = |var: &str| LoopLevel::At {
        func: names.find("blur_y").unwrap(),
        stage: -1,
        var: names.find(var).unwrap(),
    };
    assert_eq!(blur_x.schedule.compute, at("x"));
    assert_eq!(blur_x.schedule.store, at("y"));
}

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn damaged_pipelines_are_refused_or_read_but_never_a_panic() {
    for row in
        rows().into_iter().filter(|row| ["blur", "sdot", "harris"].contains(&name(row).as_str()))
    {
        let bytes = fs::read(row.join(format!("{}.hlpipe", name(&row)))).unwrap();
        for length in (0..bytes.len() - 16).step_by(61) {
            let read = pipeline::read(&bytes[..length], &mut Names::new());
            assert!(read.is_err(), "{} cut off at {length}", name(&row));
        }
        let mut random = Random(length_seed(&bytes));
        for _ in 0..2_000 {
            let mut damaged = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(damaged.len());
                damaged[at] ^= 1 << random.below(8);
            }
            // Any result will do, as long as there is no panic.
            let _ = pipeline::read(&damaged, &mut Names::new());
        }
    }
}

fn length_seed(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

#[test]
fn changed_statements_are_refused_or_print_back() {
    let tokens = [
        "(", ")", " ", "\n", "x8(", "1", "f", ".", "-", "[", "]", " + ", "let ", "}", ", ", "_",
        "if ",
    ];
    for row in rows()
        .into_iter()
        .filter(|row| ["atl_twostage_vec", "blur", "sdot"].contains(&name(row).as_str()))
    {
        let source = final_statement(&row);
        let mut random = Random(length_seed(source.as_bytes()));
        let mut read = 0;
        for _ in 0..3_000 {
            let at = random.below(source.len());
            let removed = random.below(3).min(source.len() - at);
            let token = tokens[random.below(tokens.len() + 3) % tokens.len()];
            let inserted = if random.below(3) == 0 { "" } else { token };
            let changed = format!("{}{inserted}{}", &source[..at], &source[at + removed..]);
            let mut names = Names::new();
            if let Ok(block) = text::statement(&changed, &mut names) {
                read += 1;
                assert!(
                    // Line breaks at the end make no difference.
                    text::print(&block, &names).trim_end() == changed.trim_end_matches('\n'),
                    "{}: {:?} for {:?} at {at}",
                    name(&row),
                    inserted,
                    &source[at..at + removed]
                );
            }
        }
        assert!(read > 100, "{}: only {read} changed texts were read", name(&row));
    }
}

/// A value without its annotation. Counts the annotations in `marks`.
fn erased(expr: &Expr, names: &Names, marks: &mut usize) -> Expr {
    let Expr::Call(call) = expr else { return expr.clone() };
    let [Expr::Call(mark), value] = call.args.as_slice() else { return expr.clone() };
    let text = names.text(mark.name);
    if names.text(call.name) == SECOND && text.starts_with(PROPHECY) {
        *marks += 1;
        return value.clone();
    }
    expr.clone()
}

#[test]
fn annotated_pipelines_are_the_same_but_for_their_annotations() {
    for row in rows() {
        let bytes = fs::read(row.join(name(&row)).with_extension("hlpipe")).unwrap();
        let annotated = pipeline::annotated(&bytes, Marks::Values).unwrap();
        let mut names = Names::new();
        let plain = pipeline::read(&bytes, &mut names).unwrap();
        let mut found = pipeline::read(&annotated, &mut names).unwrap();
        let (mut marks, mut stages) = (0, 0);
        for func in &mut found.funcs {
            for stage in func.init.iter_mut().chain(&mut func.updates) {
                let before = marks;
                let values = stage.values.iter().map(|value| erased(value, &names, &mut marks));
                stage.values = values.collect();
                stages += usize::from(marks > before);
                for special in &mut stage.specializations {
                    if let Some(definition) = &mut special.definition {
                        let values = definition.values.iter();
                        definition.values =
                            values.map(|value| erased(value, &names, &mut 0)).collect();
                    }
                }
            }
        }
        assert_eq!(found, plain, "{}", name(&row));
        assert!(stages > 0, "{}", name(&row));
        // With annotated reads the file can be read too, and is larger.
        let with_reads = pipeline::annotated(&bytes, Marks::ValuesAndReads).unwrap();
        pipeline::read(&with_reads, &mut names).unwrap();
        assert!(with_reads.len() > annotated.len(), "{}", name(&row));
        assert!(pipeline::annotated(&bytes[..bytes.len() / 2], Marks::Values).is_err());
    }
}
