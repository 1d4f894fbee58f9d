//! The C of every program under `examples/`, under every schedule and for every vector width, by
//! its digest: a change that is meant to keep the generated code proves it here.
//!
//! `UPDATE_EXPECT=1` writes the table anew. The benchmarks then have to show that the new C is no
//! slower.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::common::{every_program, in_parallel, load};
use halidom_base::FxHashSet;
use halidom_codegen::{Target, emit};
use halidom_driver::compile::compile;
use halidom_driver::input::{self, Kind};
use halidom_driver::source::Choice;
use halidom_ir::{Pool, Program};
use halidom_lower::lower_for;
use halidom_testgen::{is_sweep, sampled};
use sha2::{Digest, Sha256};

/// Targets with distinct vector widths. The table must not depend on the machine that runs the
/// test.
const TARGETS: [Target; 3] = [Target::AVX512, Target::AVX2, Target::SSE2];

/// The last pass that knows nothing of the machine.
const LAST_GENERAL_PASS: &str = "prefetch";

/// Keeps the program after the last general pass.
fn keep(kept: &mut Option<Program>) -> impl FnMut(&'static str, &Pool, &Program) + '_ {
    |pass, _, program| {
        if pass == LAST_GENERAL_PASS {
            *kept = Some(program.clone());
        }
    }
}

/// A line of the table for each target.
fn lines(name: &str, pool: &mut Pool, program: &Program) -> String {
    let mut lines = String::new();
    for target in &TARGETS {
        let program = lower_for(pool, program.clone(), target.machine()).expect("it is lowered");
        let module = emit(pool, &program, target).expect("it is printed");
        let digest = Sha256::new()
            .chain_update(module.library_text(target))
            .chain_update(module.header())
            .finalize();
        write!(lines, "{name} for {}: ", target.name()).expect("strings grow");
        for byte in &digest[..8] {
            write!(lines, "{byte:02x}").expect("strings grow");
        }
        lines.push('\n');
    }
    lines
}

/// The table's lines for a file of pipelines.
fn pipelines(name: &str, text: &str) -> String {
    let mut loaded = load(name, text);
    let mut lines_of_file = String::new();
    for pipeline in 0..loaded.module.pipelines.len() {
        let count = loaded.module.pipelines[pipeline].schedules.len();
        for schedule in std::iter::once(None).chain((0..count).map(Some)) {
            let choice = Choice { pipeline, schedule };
            let label = format!(
                "{name}: {} under {}",
                loaded.module.pipelines[pipeline].algorithm.name,
                loaded.schedule_of(&choice).name
            );
            let mut program = None;
            compile(&mut loaded, &choice, &mut keep(&mut program)).expect("it is legal");
            let program = program.expect("every pass is observed");
            lines_of_file.push_str(&lines(&label, &mut loaded.module.pool, &program));
        }
    }
    lines_of_file
}

/// The table's lines for a file of derivations.
fn derivations(path: &Path) -> String {
    let loaded = input::derivations(path).expect("the file can be read and is right");
    let mut lines_of_file = String::new();
    for number in loaded.chosen(None).expect("all are chosen") {
        let derivation = loaded.derivation(number);
        let label = format!("{}: {}", derivation.of.text, derivation.name.text);
        let mut program = None;
        let mut lowered = loaded.lower(number, &mut keep(&mut program)).expect("it is lowered");
        let program = program.expect("every pass is observed");
        lines_of_file.push_str(&lines(&label, &mut lowered.pool, &program));
    }
    lines_of_file
}

fn derivation_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let listed = std::fs::read_dir(folder).expect("the folder exists").flatten();
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
    files.retain(|path| Kind::of(path) == Kind::Derivations);
    files.sort();
    files
}

/// Tests a share of the programs, or all of them in a sweep and where the table is written.
#[test]
fn the_c_of_every_program_is_as_recorded() {
    let is_written = std::env::var_os("UPDATE_EXPECT").is_some();
    let one_in = if is_written { 1 } else { 40 };
    let programs = sampled(every_program(), one_in);
    let files = sampled(derivation_files(), one_in);
    let mut table = in_parallel(&programs, |(name, text)| pipelines(name, text)).concat();
    for path in &files {
        table.push_str(&derivations(path));
    }
    if is_written {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/emitted_c.txt");
        return std::fs::write(path, table).expect("the table can be written");
    }
    // The label of a line begins with the name of its program.
    let label = |line: &str| line.split(" for ").next().map(str::to_owned);
    let labels: FxHashSet<Option<String>> = table.lines().map(label).collect();
    let recorded = include_str!("emitted_c.txt").split_inclusive('\n');
    let expected: String =
        recorded.filter(|line| is_sweep() || labels.contains(&label(line))).collect();
    assert!(!expected.is_empty());
    assert_eq!(table, expected, "UPDATE_EXPECT=1 writes the table anew");
}
