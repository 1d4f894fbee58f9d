//! Derivations of the tensor language in the IR: every example is validated against its source
//! program, and wrong programs are not proved.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Mutex;
use std::time::Duration;

use halidom_driver::derive::{Loaded, Lowered};
use halidom_driver::input::{self, Kind};
use halidom_ir::verify::{self, Phase};
use halidom_testgen::{MutantKind, is_sweep, mutants, sampled};
use halidom_validate::{Report, Search, Verdict, validate_refined};

use crate::common::{open, options};

/// The validator's verdict on each derivation.
const VERDICTS: &str = "\
two_stage_partitioned of blur: proved
fused of blur: proved
fused_partitioned of blur: proved
tiled of blur: proved
bordered of blur: proved
gathered of scatter: proved
gathered_2d of scatter_2d: proved
im2col of conv: proved
windows of conv: proved
first_column of columns: proved
frame of columns: proved
corner of columns: proved
first_row of columns: proved
by_columns of rows: proved
blocks of columns: proved
matmul_tiled of matmul: proved
matmul_rows of matmul: proved
matmul_split of matmul: proved
matmul_packed of matmul: proved
paths_tiled of paths: proved
flattened of squares: proved
flattened_blocks of products: unknown
shifted of shift: unknown
blocks of stages: proved
fused of two_stage: proved
tiled of two_stage_1d: proved
peeled of two_stage_1d: proved
partitioned of two_stage_1d: proved
";

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let listed = std::fs::read_dir(folder).expect("the folder exists").flatten();
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
    files.retain(|path| Kind::of(path) == Kind::Derivations);
    files.sort();
    files
}

fn load(path: &Path) -> Loaded {
    input::derivations(path).expect("the file is right")
}

/// Every derivation of the examples, by its name.
fn every_derivation() -> Vec<(String, Rc<Loaded>, usize)> {
    let mut all = Vec::new();
    for path in examples() {
        let loaded = Rc::new(load(&path));
        for number in loaded.chosen(None).expect("all are chosen") {
            let derivation = loaded.derivation(number);
            let name = format!("{} of {}", derivation.name.text, derivation.of.text);
            all.push((name, Rc::clone(&loaded), number));
        }
    }
    all
}

fn lowered(loaded: &Loaded, number: usize) -> Lowered {
    loaded.lower(number, &mut |_, _, _| {}).expect("it has a form in the IR")
}

fn judge(lowered: &Lowered, program: &halidom_ir::Program, search: Search) -> Report {
    let mut options = options();
    options.asking.timeout = Duration::from_mins(1);
    options.search = search;
    let mut pool = lowered.pool.clone();
    let steps = &lowered.compiled.steps;
    validate_refined(&mut pool, &lowered.algorithm, steps, program, &options)
}

fn search(seconds: u64) -> Search {
    Search { time: Duration::from_secs(seconds), ..Search::default() }
}

#[test]
fn examples_are_validated_against_their_sources() {
    let all: Vec<(String, Lowered)> = sampled(every_derivation(), 18)
        .into_iter()
        .map(|(name, loaded, number)| (name, lowered(&loaded, number)))
        .collect();
    let table = Mutex::new(vec![String::new(); all.len()]);
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some((name, lowered)) = all.get(number) else { break };
                    let report = judge(lowered, &lowered.compiled.program, search(10));
                    let verdict = match &report.verdict {
                        Verdict::Proved => "proved",
                        Verdict::Refuted(_) => "refuted",
                        Verdict::Unknown(_) => "unknown",
                    };
                    eprint!("{name}: {verdict}\n{}", open(&report));
                    let row = format!("{name}: {verdict}\n");
                    table.lock().expect("no thread panics")[number] = row;
                }
            });
        }
    });
    let expected = sampled(VERDICTS.split_inclusive('\n'), 18).concat();
    assert_eq!(table.into_inner().expect("no thread panics").concat(), expected);
}

/// The codes of the diagnostics that refuse a file's only derivation.
fn refusal(text: &str) -> Vec<String> {
    let file = tempfile::Builder::new().suffix(".atl").tempfile().expect("a file can be made");
    std::fs::write(file.path(), text).expect("the file can be written");
    let loaded = load(file.path());
    let number = loaded.one(None).expect("there is one derivation");
    match loaded.lower(number, &mut |_, _, _| {}) {
        Ok(_) => Vec::new(),
        Err(found) => found.iter().map(|diagnostic| diagnostic.code.0.to_owned()).collect(),
    }
}

/// Sums whose bounds depend on enclosing variables, and one that reads an input twice.
const SUMS: &str = "\
program below(n: size, v: tensor<i32>[n]) = gen i < n: sum j < i: v[j]
derivation below_as_is of below { simplify; }

program around(n: size, v: tensor<i32>[n]) = gen i < n: sum j in max(0, i - 2)..min(n, i + 3): v[j]
derivation around_in_blocks of around { tile i, 8, io, ii; }

program product(n: size, m: size, a: tensor<f32>[n, n], b: tensor<f32>[n, m]) =
    gen i < n: gen k < m: sum j in i..n: a[i; j] * b[j; k]
derivation product_in_blocks of product { tile i, 8, io, ii; }

program pairs(n: size, v: tensor<i32>[n]) = gen i < n: sum j < i: sum k in j..i: v[j] * v[k]
derivation pairs_as_is of pairs { simplify; }
";

#[test]
fn sums_over_ranges_that_vary_are_validated() {
    let file = tempfile::Builder::new().suffix(".atl").tempfile().expect("a file can be made");
    std::fs::write(file.path(), SUMS).expect("the file can be written");
    let loaded = load(file.path());
    for number in loaded.chosen(None).expect("all are chosen") {
        let lowered = loaded.lower(number, &mut |_, _, _| {});
        let lowered = lowered.expect("it has a form in the IR");
        let report = judge(&lowered, &lowered.compiled.program, search(10));
        let name = &loaded.derivation(number).name.text;
        assert_eq!(report.verdict, Verdict::Proved, "{name}\n{}", open(&report));
    }
}

/// A part of the final program reads a tensor of the source.
const PADDED: &str = "\
program padded(n: size, m: size, f: tensor<i32>[m]) =
    let b = gen u < m: f[u] * f[u] in
    pad_r(3, gen i < n: sum j in 0..4: [i < m] * b[i])
derivation padded_as_is of padded { }
";

#[test]
fn parts_of_the_final_program_may_read_what_the_source_defines() {
    let file = tempfile::Builder::new().suffix(".atl").tempfile().expect("a file can be made");
    std::fs::write(file.path(), PADDED).expect("the file can be written");
    let loaded = load(file.path());
    let number = loaded.one(None).expect("there is one");
    let lowered = loaded.lower(number, &mut |_, _, _| {}).expect("it has a form in the IR");
    let report = judge(&lowered, &lowered.compiled.program, search(10));
    assert!(!matches!(report.verdict, Verdict::Refuted(_)), "{:?}", report.verdict);
}

#[test]
fn bounds_of_sums_have_bounds_over_sizes() {
    let page = include_str!("../../../../docs/errors/HAL1015.md");
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    assert_eq!(refusal(blocks[0]), ["HAL1015"]);
    assert_eq!(refusal(blocks[1]), Vec::<String>::new());
}

#[test]
fn loops_run_as_the_script_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/atl/speed.atl");
    let loaded = load(&file);
    for name in ["two_stage", "tiled"] {
        let number = loaded.one(Some(name)).expect("it is there");
        let lowered = loaded.lower(number, &mut |_, _, _| {}).expect("it is lowered");
        let text = halidom_ir::print::program(&lowered.pool, &lowered.compiled.program);
        assert!(text.contains("parallel y") && text.contains("ramp("), "{name}\n{text}");
    }
}

/// The derivations of ATL's public repository that have other bits in floating point: two rest on
/// `0 * a = 0`, and one adds up in another order.
const OTHER_BITS: [&str; 3] = ["conv4", "gather_full", "im2collifted"];

#[test]
fn schedules_of_the_public_repository_are_proved_or_have_other_bits() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/atl/public.atl");
    let loaded = load(&file);
    let names: Vec<String> = loaded.names().into_iter().map(str::to_owned).collect();
    assert!(names.len() > 25, "{}", names.len());
    for (number, name) in names.into_iter().enumerate() {
        let lowered = loaded.lower(number, &mut |_, _, _| {}).expect("it is lowered");
        if !is_sweep() && !["gather", "conv4"].contains(&name.as_str()) {
            continue;
        }
        let report = judge(&lowered, &lowered.compiled.program, search(2));
        match report.verdict {
            Verdict::Proved => assert!(!OTHER_BITS.contains(&name.as_str()), "{name}"),
            Verdict::Refuted(_) => assert!(OTHER_BITS.contains(&name.as_str()), "{name}"),
            Verdict::Unknown(reason) => panic!("{name}: {reason:?}"),
        }
    }
}

#[test]
fn wrong_programs_are_refuted() {
    let mut text = String::new();
    let wanted = if is_sweep() { 24 } else { 5 };
    for (name, loaded, number) in every_derivation() {
        if !["peeled of two_stage_1d", "tiled of two_stage_1d", "fused of blur"]
            .contains(&name.as_str())
        {
            continue;
        }
        let mut lowered = lowered(&loaded, number);
        let program = lowered.compiled.program.clone();
        let found = mutants(&mut lowered.pool, &program, MutantKind::FINAL, 5, wanted);
        let (mut refuted, mut total) = (0, 0);
        for mutant in found {
            if verify::program(&lowered.pool, &mutant.program, Phase::Final).is_err() {
                continue;
            }
            total += 1;
            let report = judge(&lowered, &mutant.program, search(2));
            if let Verdict::Refuted(_) = report.verdict {
                // The runs after a proof must not hide that the proof was wrong.
                assert!(report.open().next().is_some(), "{name}: {}", mutant.description);
                refuted += 1;
            }
        }
        assert!(refuted * 3 > total, "{name}: {refuted} of {total}");
        writeln!(text, "{name}: {refuted} of {total} refuted").expect("strings grow");
    }
    assert_eq!(text.lines().count(), 3, "{text}");
    eprint!("{text}");
}
