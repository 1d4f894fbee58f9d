//! Algorithms that a schedule rewrote: their programs are right and proved, and no wrong one is
//! proved.

use crate::common::{load, open, options, unsearched};
use halidom_codegen::Target;
use halidom_driver::compile::compile;
use halidom_driver::source::Choice;
use halidom_ir::{Algorithm, Pool, Program, Schedule};
use halidom_schedule::{Engine, apply, complete, transform};
use halidom_testgen::{SpecificationMutant, rewriting_mutants, sampled};
use halidom_validate::{Kind, Verdict, validate_refined};

const HISTOGRAM: &str = "pipeline histogram(a: buffer<u8, 2>) -> count: buffer<u32, 1> {
    func count(i): u32 {
        count(i) = 0;
        for (x, y) in (0..a.width, 0..a.height) where a(x, y) > 3 { count(int(a(x, y))) += 1; }
    }
}
schedule s for histogram { count.update().rfactor(y, v, part).compute_root(); }";

const SUM: &str = "pipeline total(a: buffer<i32, 1>) -> total: buffer<i32, 0> {
    func total(): i32 {
        total() = 0;
        for r in 0..a.width { total() += a(r); }
    }
}
schedule s for total {
    total.update().split(r, ro, ri, 4).rfactor(ri, u, part).compute_root().bound_extent(u, \
    4).vectorize(u, 4);
}";

const BLOCKS: &str = "pipeline total(a: buffer<i32, 1>) -> total: buffer<i32, 0> {
    func total(): i32 {
        total() = 0;
        for r in 3..100 where a(r) > 5 { total() += a(r); }
    }
}
schedule s for total { total.update().split(r, ro, ri, 8).rfactor(ro, u, part).compute_root(); }";

const TILES: &str = "pipeline total(a: buffer<i32, 2>) -> total: buffer<i32, 0> {
    func total(): i32 {
        total() = 0;
        for (r, s) in (0..a.width, 0..30) { total() += a(r, s); }
    }
}
schedule s for total {
    total.update().split(r, ro, ri, 8).split(s, so, si, 4).rfactor(so, u, part).compute_root();
}";

const GREATEST: &str = "pipeline greatest(a: buffer<u8, 2>) -> most: buffer<u8, 1> {
    func most(x): u8 {
        most(x) = 0;
        for (k, l) in (0..3, 0..5) { most(x) = max(most(x), a(x + k, l)); }
    }
}
schedule s for greatest { most.update().rfactor(k, u, part).compute_root(); }";

const WRAPPER: &str = "pipeline blur(a: buffer<u16, 2>) -> output: buffer<u16, 2> {
    func rows(x, y) = a(x, y) + a(x + 1, y);
    func output(x, y) = rows(x, y) + rows(x, y + 1);
}
schedule s for blur { a.in(rows).compute_root(); rows.in().compute_at(output, y); }";

/// The number of mutants for one that a run of all tests judges. A sweep judges all.
const SHARE: usize = 12;

/// The mutants of a rewriting that this run judges.
fn mutants(pool: &Pool, from: &Algorithm, to: &Algorithm) -> Vec<SpecificationMutant> {
    sampled(rewriting_mutants(pool, from, to), SHARE)
}

const TEXTS: [(&str, &str); 4] =
    [("histogram", HISTOGRAM), ("sum", SUM), ("greatest", GREATEST), ("wrapper", WRAPPER)];

#[test]
fn rewritten_algorithms_are_proved() {
    for (name, text) in TEXTS {
        let mut loaded = load(name, text);
        let choice = Choice { pipeline: 0, schedule: Some(0) };
        let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {}).expect("it is legal");
        assert!(!compiled.steps.is_empty(), "{name} is not rewritten");
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let pool = &mut loaded.module.pool;
        let program = &compiled.program;
        let report = validate_refined(pool, &algorithm, &compiled.steps, program, &options());
        assert_eq!(report.verdict, Verdict::Proved, "{name}\n{}", open(&report));
        assert!(report.obligations.iter().any(|found| found.kind == Kind::Refinement));
    }
}

/// Stock Halide splits and factors an update in one step.
#[test]
fn a_split_and_factored_update_is_one_rewriting() {
    for (name, text) in [("sum", SUM), ("blocks", BLOCKS), ("tiles", TILES)] {
        let mut loaded = load(name, text);
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let schedule = loaded.module.pipelines[0].schedules[0].schedule.clone();
        let pool = &mut loaded.module.pool;
        let transformed = transform(pool, &algorithm, &schedule).expect("it is legal");
        let last = transformed.steps.last().expect("it is rewritten");
        let steps = std::slice::from_ref(last);
        let program = lowered(pool, &algorithm, steps, &transformed.schedule).expect("it is legal");
        let report = validate_refined(pool, &algorithm, steps, &program, &options());
        assert_eq!(report.verdict, Verdict::Proved, "{name}\n{}", open(&report));
        for mut mutant in mutants(pool, &algorithm, last) {
            let pool = &mut mutant.pool;
            let report = validate_refined(pool, &algorithm, steps, &program, &unsearched());
            let what = format!("{name}: {}", mutant.description);
            let refinement = report.open().any(|found| found.kind == Kind::Refinement);
            assert!(refinement, "{what} is taken for a rewriting");
        }
    }
}

/// Compiles a schedule's algorithm that has a defect. `None` if it cannot be compiled.
fn lowered(
    pool: &mut Pool,
    original: &Algorithm,
    steps: &[Algorithm],
    schedule: &Schedule,
) -> Option<Program> {
    let mut lowered = halidom_schedule::lower_algorithm(pool, steps.last().unwrap_or(original));
    apply(pool, &mut lowered, schedule).ok()?;
    let program = complete(pool, &lowered, Engine::Default).ok()?;
    halidom_lower::lower(pool, program, Target::host().machine(), &mut |_, _, _| {}).ok()
}

#[test]
fn wrong_rewritings_are_not_proved() {
    let mut refuted = 0;
    for (name, text) in TEXTS {
        let mut loaded = load(name, text);
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let schedule = loaded.module.pipelines[0].schedules[0].schedule.clone();
        let pool = &mut loaded.module.pool;
        let transformed = transform(pool, &algorithm, &schedule).expect("it is legal");
        let mut before = algorithm.clone();
        for (number, step) in transformed.steps.iter().enumerate() {
            let steps = &transformed.steps[..=number];
            for mut mutant in mutants(pool, &before, step) {
                // Directives may name funcs that a later step makes, so these mutants are compiled
                // without directives.
                let directives = if number + 1 == transformed.steps.len() {
                    transformed.schedule.clone()
                } else {
                    Schedule::default()
                };
                let what = format!("{name}: {}", mutant.description);
                let Some(program) = lowered(&mut mutant.pool, &algorithm, steps, &directives)
                else {
                    continue;
                };
                let pool = &mut mutant.pool;
                let report = validate_refined(pool, &algorithm, steps, &program, &options());
                assert_ne!(report.verdict, Verdict::Proved, "{what} is proved");
                let refinement = report.open().any(|found| found.kind == Kind::Refinement);
                assert!(refinement, "{what} is taken for a rewriting");
                refuted += usize::from(matches!(report.verdict, Verdict::Refuted(_)));
            }
            before = step.clone();
        }
    }
    assert!(refuted >= 12 / SHARE, "only {refuted} mutants are refuted by a run");
}
