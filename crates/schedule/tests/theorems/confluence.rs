//! Tests FS Lemma 4.6, Theorems 3.4 and 3.5, and the lemmas that they rest on: 7.2, 7.3, 8.1, A.3
//! to A.9. A program is confluent with its algorithm (Definition 3.3) if each completion computes
//! the algorithm's values or fails an entry check.

use halidom_interp::algorithm::{AlgorithmError, evaluate_within};
use halidom_ir::{Pool, Program, Stmt, verify};
use halidom_schedule::{Engine, Phase, complete, complete_at_random};
use halidom_testgen::{Random, cases, is_sweep, sampled};

use super::common::{Ended, Known, Step, confluent, known, legal_steps, parse, random, rewrite};

/// Counts of the steps and the runs.
#[derive(Debug, Default)]
struct Counts {
    steps: usize,
    same: usize,
    refused: usize,
    random: usize,
}

impl Counts {
    fn note(&mut self, ended: Ended) {
        match ended {
            Ended::Same => self.same += 1,
            Ended::Refused => self.refused += 1,
            Ended::TooLarge => {}
        }
    }
}

/// Returns both engines' completions of a step, and random ones.
fn completions(step: &Step, seed: u64, at_random: u64) -> Vec<(Pool, Program, bool)> {
    let mut found = Vec::new();
    for engine in Engine::ALL {
        let mut pool = step.pool.clone();
        if let Ok(program) = complete(&mut pool, &step.lowered, engine) {
            found.push((pool, program, false));
        }
    }
    for number in 0..at_random {
        let mut pool = step.pool.clone();
        let mut random = Random::new(seed * 64 + number);
        let mut choose = |bound: u32| random.below(bound as usize) as u32;
        if let Ok(program) = complete_at_random(&mut pool, &step.lowered, &mut choose) {
            found.push((pool, program, true));
        }
    }
    found
}

/// Checks that a step is confluent with its algorithm.
fn check(step: &Step, known: &[Known], seed: u64, counts: &mut Counts) {
    for (number, (pool, program, is_random)) in completions(step, seed, 2).into_iter().enumerate() {
        let verified = verify::program(&pool, &program, verify::Phase::Structured);
        assert!(verified.is_ok(), "{verified:?} {}", step.what);
        if let Some(known) = known.get(number % known.len().max(1)) {
            counts.note(confluent(&pool, &step.algorithm, &program, known, &step.what));
            counts.random += usize::from(is_random);
        }
    }
    counts.steps += 1;
}

/// A run of all tests examines one program in this many, a sweep all.
const SHARE: usize = 3;

/// Checks the steps of random programs that `wanted` selects.
fn check_steps(seeds: std::ops::Range<u64>, wanted: &dyn Fn(&Step, bool) -> bool) -> Counts {
    let mut counts = Counts::default();
    for seed in sampled(seeds, SHARE) {
        let module = random(seed);
        let known = known(&module, seed, 3);
        let steps = legal_steps(&module);
        let last = steps.len().saturating_sub(1);
        for (number, step) in steps.iter().enumerate() {
            if wanted(step, number == last) {
                check(step, &known, seed, &mut counts);
            }
        }
    }
    assert!(counts.same > counts.refused && counts.random > counts.steps / 2, "{counts:?}");
    counts
}

fn check_phase(phase: Phase, seeds: std::ops::Range<u64>, least: usize) {
    let counts = check_steps(seeds, &|step, _| step.phase == Some(phase));
    let share = if is_sweep() { 1 } else { SHARE };
    assert!(counts.steps >= least / share, "{counts:?}");
}

/// Checks that an algorithm's evaluation takes a number of steps bounded by its windows, its funcs
/// and their domains.
#[test]
fn lemma_4_6_algorithms_end() {
    let mut ended = 0;
    for seed in 4000..4200 {
        let module = random(seed);
        let algorithm = &module.pipelines[0].algorithm;
        for case in cases(&module.pool, algorithm, seed, 4) {
            // Far above what memoised evaluation needs, far below the steps of an evaluation that
            // does not end.
            let result =
                evaluate_within(&module.pool, algorithm, &case.bindings, &case.windows, 50_000_000);
            assert!(!matches!(result, Err(AlgorithmError::TooLong)), "seed {seed} does not end");
            ended += usize::from(result.is_ok());
        }
    }
    assert!(ended > 600, "{ended}");
}

/// Lemma 7.2 (every completion stays in bounds) and Lemma 7.3 (values written at needed points are
/// right) for T₀; with Lemma A.4, lowering is sound.
#[test]
fn lemmas_7_2_and_7_3_and_a_4_lowered_algorithms_are_confluent() {
    let counts = check_steps(5000..5040, &|step, _| step.phase.is_none());
    assert_eq!(counts.steps, sampled(5000..5040, SHARE).len());
}

#[test]
fn theorems_3_4_and_3_5_scheduled_programs_are_safe_and_confluent() {
    let counts = check_steps(5100..5140, &|_, is_last| is_last);
    assert_eq!(counts.steps, sampled(5100..5140, SHARE).len());
}

#[test]
fn lemma_8_1_and_a_5_the_specialization_phase_is_sound() {
    check_phase(Phase::Specialization, 5200..5270, 5);
}

#[test]
fn lemma_8_1_and_a_6_the_loop_phase_is_sound() {
    check_phase(Phase::Loops, 5400..5425, 50);
}

#[test]
fn lemma_8_1_and_a_7_the_compute_phase_is_sound() {
    check_phase(Phase::Compute, 5500..5540, 5);
}

#[test]
fn lemma_8_1_and_a_8_the_storage_phase_is_sound() {
    check_phase(Phase::Storage, 5600..5700, 5);
}

#[test]
fn lemma_8_1_and_a_9_the_bounds_phase_is_sound() {
    check_phase(Phase::Bounds, 5800..5940, 5);
}

/// Definition A.2 and Lemma A.3: of two completions, the wider one has the narrower one's values.
/// The default engine's program is narrower than a random one, which grows from an engine's
/// regions: where both run they agree on everything that the narrower one needs, including the
/// outputs' windows.
#[test]
fn lemma_a_3_narrower_programs_agree_with_wider_ones() {
    let mut compared = 0;
    for seed in sampled(5900..5930, SHARE) {
        let module = random(seed);
        let known = known(&module, seed, 3);
        let Some(step) = legal_steps(&module).pop() else { continue };
        let programs = completions(&step, seed, 3);
        for known in &known {
            let mut same = 0;
            for (pool, program, _) in &programs {
                let ended = confluent(pool, &step.algorithm, program, known, &step.what);
                same += usize::from(ended == Ended::Same);
            }
            compared += same.saturating_sub(1);
        }
    }
    assert!(compared > 40, "{compared} pairs");
}

/// A completion that is too narrow, which no engine gives: one iteration too few of a func that
/// another func reads.
#[test]
fn a_completion_that_is_too_narrow_would_be_seen() {
    let module = parse(
        "pipeline p(a: buffer<u8, 1>) -> out: buffer<u8, 1> {
             func f(x) = a(x) + 1;
             func out(x) = f(x) + f(x + 1);
         }
         schedule s for p { out.parallel(x); }",
    );
    let algorithm = &module.pipelines[0].algorithm;
    let mut step = legal_steps(&module).pop().unwrap();
    let program = complete(&mut step.pool, &step.lowered, Engine::Default).unwrap();
    let body = rewrite(&mut step.pool, program.body, &|pool, _, stmt| {
        let Stmt::For { var, min, extent, kind, body } = stmt else { return None };
        let minus_one = pool.int(-1);
        let extent = pool.add(*extent, minus_one);
        Some(pool.stmt(Stmt::For { var: *var, min: *min, extent, kind: *kind, body: *body }))
    });
    let narrow = Program { body, ..program.clone() };
    let known = known(&module, 1, 6);
    let known = known
        .iter()
        .find(|known| known.case.windows[0][0].1 > 2)
        .expect("a case has a window of several points");
    assert_eq!(confluent(&step.pool, algorithm, &program, known, "as it is"), Ended::Same);
    let seen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        confluent(&step.pool, algorithm, &narrow, known, "too narrow")
    }));
    assert!(seen.is_err(), "{seen:?}");
}
