//! Tests schedules written in the language: the pages of error codes, the examples, and random
//! ones.

use halidom_diag::{Sources, render};
use halidom_interp::{Bindings, algorithm, machine};
use halidom_ir::{Check, Pool, Program, Shape, print, verify};
use halidom_lang::Module;
use halidom_schedule::{Engine, ScheduleError, compile};
use halidom_testgen::sampled;

fn parse(name: &str, text: &str) -> Module {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let module = halidom_lang::parse(&sources, file);
    let report: String = module
        .diagnostics
        .iter()
        .map(|diagnostic| render(&sources, diagnostic, halidom_diag::Colours::Never))
        .collect();
    assert!(!module.has_errors(), "{name}: {report}\n{text}");
    module
}

/// Compiles the only pipeline of a module under its only schedule, or the default one.
fn compile_only(module: &Module, pool: &mut Pool) -> Result<Program, Vec<ScheduleError>> {
    let pipeline = &module.pipelines[0];
    let schedule = pipeline.schedules.first().map(|named| named.schedule.clone());
    compile(pool, &pipeline.algorithm, &schedule.unwrap_or_default(), Engine::Default)
}

/// Returns the repository's files in a folder with an extension, sorted.
fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let folder = format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Returns the examples of a page: the text after `hal` on the fence, and the body.
fn examples(page: &str) -> Vec<(&str, &str)> {
    page.split("```hal")
        .skip(1)
        .filter_map(|block| block.split_once("```")?.0.split_once('\n'))
        .collect()
}

#[test]
fn the_page_of_each_code_has_a_refused_and_a_corrected_example() {
    let mut seen = Vec::new();
    for (name, text) in files("docs/errors", "md") {
        let Some(code) = text.strip_prefix("# ").and_then(|rest| rest.get(..7)) else { continue };
        if !code.starts_with("HAL06") {
            continue;
        }
        let [(info, bad), ("", good)] = examples(&text)[..] else {
            panic!("{name} has a refused and a corrected example");
        };
        assert_eq!(info, format!(",error {code}"), "{name}");
        let module = parse(&name, bad);
        let errors = compile_only(&module, &mut module.pool.clone()).err().unwrap_or_default();
        let found: Vec<_> = errors.iter().map(|error| error.code).collect();
        assert_eq!(found, [code], "{name}: {errors:?}");
        let module = parse(&name, good);
        if let Err(errors) = compile_only(&module, &mut module.pool.clone()) {
            panic!("{name}: {errors:?}");
        }
        seen.push(code.to_owned());
    }
    // `cargo xtask tidy` checks that no page is missing.
    assert!(seen.is_sorted() && seen.len() >= 22, "{seen:?}");
}

/// Compiles every schedule of a text and compares it with the algorithm on cases from a seed.
/// Returns the numbers of refused schedules, compiles and runs.
fn check_module(name: &str, text: &str, seed: u64, count: usize) -> [usize; 3] {
    let module = parse(name, text);
    let (mut refused, mut compiled, mut runs) = (0, 0, 0);
    for pipeline in &module.pipelines {
        let mut schedules = vec![halidom_ir::Schedule::default()];
        schedules.extend(pipeline.schedules.iter().map(|named| named.schedule.clone()));
        for schedule in &schedules {
            for engine in Engine::ALL {
                let pool = &mut module.pool.clone();
                let program = match compile(pool, &pipeline.algorithm, schedule, engine) {
                    Ok(program) => program,
                    Err(errors) => {
                        let well_told = errors
                            .iter()
                            .all(|error| !error.message.is_empty() && !error.hint.is_empty());
                        assert!(well_told && !errors.is_empty(), "{errors:?}\n{text}");
                        refused += 1;
                        continue;
                    }
                };
                let verified = verify::program(pool, &program, verify::Phase::Structured);
                if let Err(violations) = verified {
                    panic!("{name}: {violations:?}\n{text}\n{}", print::program(pool, &program));
                }
                compiled += 1;
                for case in halidom_testgen::cases(pool, &pipeline.algorithm, seed, count) {
                    runs += usize::from(check_case(
                        pool,
                        &pipeline.algorithm,
                        &program,
                        &case.bindings,
                        &case.windows,
                        engine,
                        &format!("{name} {}\n{text}", schedule.name),
                    ));
                }
            }
        }
    }
    [refused, compiled, runs]
}

/// Returns true if the program ran. It may refuse inputs that are too small for what it
/// over-computes.
fn check_case(
    pool: &Pool,
    algorithm: &halidom_ir::Algorithm,
    program: &Program,
    bindings: &Bindings,
    windows: &[Shape],
    engine: Engine,
    what: &str,
) -> bool {
    let Ok(expected) = algorithm::evaluate(pool, algorithm, bindings, windows) else {
        return false;
    };
    match machine::run(pool, program, bindings, windows, &machine::Options::default()) {
        Ok(outcome) => {
            // A NaN is a NaN in both.
            assert_eq!(outcome.outputs, expected, "{} {what}", engine.name());
            true
        }
        Err(machine::Fault::CheckFailed(failure))
            if matches!(
                failure.check,
                Check::InputRegion { .. } | Check::Bound { .. } | Check::SplitFactor { .. }
            ) || is_specialize_fail(&failure.check) =>
        {
            false
        }
        Err(fault) => {
            panic!("{}: {fault}\n{what}\n{}", engine.name(), print::program(pool, program))
        }
    }
}

/// True if a check is the `specialize_fail` of random schedules.
fn is_specialize_fail(check: &Check) -> bool {
    matches!(check, Check::Require { message, .. } if message == "no case is left")
}

#[test]
fn examples_compute_what_their_algorithms_say() {
    for (name, text) in files("examples", "hal") {
        let [refused, compiled, runs] = check_module(&name, &text, 1, 2);
        assert_eq!(refused, 0, "{name}");
        assert!(compiled >= 4 && runs > 0, "{name}: {compiled} compiled, {runs} ran");
    }
}

#[test]
fn random_schedules_compute_what_their_algorithms_say() {
    let mut total = [0; 3];
    for seed in sampled(0..100, 6) {
        let pipeline = halidom_testgen::pipeline(seed);
        let schedules: String = (0..2)
            .map(|number| {
                halidom_testgen::schedule(&pipeline, &format!("s{number}"), seed * 2 + number)
            })
            .collect();
        let text = format!("{}\n{schedules}", pipeline.text);
        let counts = check_module("random", &text, seed, 3);
        for (total, count) in total.iter_mut().zip(counts) {
            *total += count;
        }
    }
    let [refused, compiled, runs] = total;
    println!("{refused} refused, {compiled} compiled, {runs} runs");
    assert!(compiled > refused && runs > compiled, "{total:?}");
}
