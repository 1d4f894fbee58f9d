//! Programs with one defect each: none that a run shows to be wrong is proved.
//!
//! The examples are compiled under their schedules with smaller factors, so that small inputs cross
//! every border. Then one place is changed: in the final program, the structured program before
//! lowering, the specification, or the annotations. A mutant is *observable* if one of two hundred
//! runs of the interpreter faults, races, leaves the output undefined, or gives other values than
//! the algorithm. `cargo xtask mutants` does this for all examples with at least three thousand
//! mutants; a test run uses some of them.

mod adversary;
#[path = "../all/common/mod.rs"]
mod common;
mod inputs;
mod judge;
mod programs;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use adversary::{Attempts, attack};
use common::in_parallel;
use halidom_testgen::{Random, sampled};
use halidom_validate::Kind;
use inputs::{Input, RUNS, Shapes, inputs, shapes};
use judge::{Family, Judge, Judgement, Outcome};
use programs::{FEW, Original, every_name, originals};
use table::Counts;

/// An environment variable: the number of mutants over all examples. Without it, some examples are
/// changed in few places.
const MUTANTS: &str = "HALIDOM_MUTANTS";
/// An environment variable: only examples whose names contain it.
const EXAMPLES: &str = "HALIDOM_MUTANTS_OF";
/// An environment variable: after this many seconds no further program is started.
const SECONDS: &str = "HALIDOM_MUTANTS_SECONDS";
/// An environment variable: if it is set, open obligations are printed too.
const DETAILS: &str = "HALIDOM_TEST_DETAILS";
/// A test run examines one in this many programs.
const ONE_IN: usize = 3;
/// The number of mutants per program in a test run.
const FEW_MUTANTS: usize = 4;

/// The percentage of the wanted mutants that is requested, as some programs have too few sites and
/// large ones get fewer mutants.
const MORE: usize = 118;

/// The number of changes of the annotations of one wrong mutant of each program.
const TRIES: usize = 6;

/// The effort of a run.
struct Plan {
    names: Vec<String>,
    /// The number of mutants per program; if all examples are examined, `all` applies instead.
    each: Option<usize>,
    all: usize,
    /// True if some examples of a whole run are left out.
    is_part: bool,
    /// The time after which no further program is started.
    time: Duration,
}

impl Plan {
    fn new() -> Self {
        let read =
            |variable| std::env::var_os(variable).map(|text| text.to_string_lossy().into_owned());
        let seconds = read(SECONDS).map(|seconds| seconds.parse().expect("a number of seconds"));
        let time = seconds.map_or(Duration::MAX, Duration::from_secs);
        let Some(all) = read(MUTANTS).map(|all| all.parse().expect("a number of mutants")) else {
            let names = FEW.map(str::to_owned).to_vec();
            return Self { names, each: Some(FEW_MUTANTS), all: 0, is_part: false, time };
        };
        let wanted = read(EXAMPLES).unwrap_or_default();
        let names = every_name().into_iter().filter(|name| name.contains(&wanted)).collect();
        Self { names, each: None, all, is_part: !wanted.is_empty(), time }
    }
}

/// The results for one program.
#[derive(Default)]
struct Examined {
    outcomes: Vec<Outcome>,
    attempts: Attempts,
    /// Descriptions of wrong programs that are proved with other annotations.
    proved: Vec<String>,
    shapes: Option<Shapes>,
    /// The reason why its mutants cannot be examined.
    problem: Option<String>,
}

#[test]
fn no_wrong_program_is_proved() {
    let begin = Instant::now();
    let plan = Plan::new();
    let mut originals: Vec<Original> =
        in_parallel(&plan.names, |name| originals(name)).into_iter().flatten().collect();
    if plan.each.is_some() {
        originals = sampled(originals, ONE_IN);
    }
    // The programs that fit into the available time are a random sample of all.
    Random::new(1).shuffle(&mut originals);
    let each =
        plan.each.unwrap_or_else(|| (plan.all * MORE).div_ceil(100 * originals.len().max(1)));
    println!(
        "{} programs of {} examples, about {each} mutants of each",
        originals.len(),
        plan.names.len()
    );
    // A pipeline's schedules share inputs.
    let shared: BTreeMap<&str, OnceLock<Arc<[Input]>>> =
        originals.iter().map(|original| (original.pipeline.as_str(), OnceLock::new())).collect();
    let done = Mutex::new(0);
    let examined = in_parallel(&originals, |original| {
        if begin.elapsed() > plan.time {
            return None;
        }
        let inputs = shared[original.pipeline.as_str()].get_or_init(|| {
            let Original { pipeline, pool, algorithm, program, .. } = original;
            Arc::from(inputs(pool, algorithm, program, judge::seed(pipeline)))
        });
        let examined = examine(original, inputs, each);
        let mut done = done.lock().expect("no thread panics while it counts");
        *done += 1;
        let counts = Counts::of(&examined.outcomes);
        println!(
            "{done:>4} {}: {} mutants, {} observable, {} refuted, {} unknown, {} proved and wrong; \
                {:.0} s",
            original.name,
            counts.mutants,
            counts.observable,
            counts.refuted,
            counts.unknown,
            counts.proved_wrong,
            begin.elapsed().as_secs_f64()
        );
        print!("{}", table::missed(&examined.outcomes));
        Some(examined)
    });
    let left_out = examined.iter().filter(|examined| examined.is_none()).count();
    let problems: Vec<String> =
        examined.iter().flatten().filter_map(|examined| examined.problem.clone()).collect();
    let mut attempts = Attempts::default();
    let (mut outcomes, mut proved, mut all_shapes) = (Vec::new(), Vec::new(), Vec::new());
    for found in examined.into_iter().flatten() {
        attempts.add(found.attempts);
        outcomes.extend(found.outcomes);
        proved.extend(found.proved);
        all_shapes.extend(found.shapes);
    }
    println!("{}", table::listed(&outcomes, std::env::var_os(DETAILS).is_some()));
    println!("{}", table::by_kind(&outcomes));
    println!("{}{}", table::unknown(&outcomes), table::reasons(&outcomes));
    println!("{}", table::by_obligation(&outcomes));
    println!("{}", words(&all_shapes));
    println!(
        "annotations of {} wrong programs changed {} times: {} times fewer obligations were open, \
            {} times one, never none",
        attempts.programs, attempts.tried, attempts.better, attempts.closest
    );
    let (observing, validating) = outcomes.iter().fold((0.0, 0.0), |(runs, proofs), outcome| {
        (runs + outcome.seconds.0, proofs + outcome.seconds.1)
    });
    println!(
        "{left_out} programs left out; runs took {observing:.0} s, validation {validating:.0} s of \
            a thread's time; {:.0} s in all",
        begin.elapsed().as_secs_f64()
    );

    let wrong: Vec<String> = outcomes
        .iter()
        .filter(|outcome| outcome.judgement == Judgement::Proved)
        .filter_map(|outcome| {
            let observed = outcome.observed.as_ref()?;
            Some(format!("{}: {}: {observed}\n", outcome.name, outcome.description))
        })
        .collect();
    assert!(wrong.is_empty(), "proved, and wrong:\n{}", wrong.concat());
    assert!(problems.is_empty(), "{}", problems.concat());
    assert!(proved.is_empty(), "proved by other annotations, and wrong:\n{}", proved.concat());
    let false_alarms: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| outcome.family == Family::Annotations && outcome.observed.is_some())
        .map(|outcome| outcome.description.as_str())
        .collect();
    assert!(false_alarms.is_empty(), "right, and refuted: {false_alarms:?}");
    for outcome in &outcomes {
        assert_ne!(outcome.proved_without, Some(false), "{}", outcome.description);
    }
    let counts = Counts::of(&outcomes);
    let Counts { refuted, observable, .. } = counts;
    assert!(counts.mutants > 0, "no program was changed: nothing was judged");
    assert!(refuted * 10 >= observable * 9, "{refuted} of {observable} observable ones refuted");
    if plan.is_part || left_out > 0 {
        return;
    }
    assert!(counts.mutants >= 45.max(plan.all), "{} mutants", counts.mutants);
    // Each part of the table is meaningful.
    for family in [Family::Final, Family::Lowering, Family::Specification] {
        let of_family = outcomes.iter().filter(|outcome| outcome.family == family);
        assert!(Counts::of(of_family).refuted >= 5, "{}", family.name());
    }
    let alone: BTreeSet<Kind> = outcomes
        .iter()
        .filter(|outcome| outcome.proved_without == Some(true))
        .flat_map(|outcome| outcome.open.iter().copied())
        .collect();
    assert!(alone.len() >= 4, "mutants are caught by one kind alone of {alone:?}");
    assert!(attempts.tried >= 25, "{attempts:?}");
}

fn examine(original: &Original, inputs: &Arc<[Input]>, each: usize) -> Examined {
    let judge = match Judge::new(original, inputs) {
        Ok(judge) => judge,
        Err(problem) => return Examined { problem: Some(problem), ..Examined::default() },
    };
    let shapes = Some(shapes(&original.algorithm, &judge.inputs));
    let outcomes = judge.outcomes(each);
    // Slow programs get fewer attacks.
    let tries = if judge.is_large() { 2 } else { TRIES };
    let (attempts, proved) = attack(&judge, 1, tries);
    Examined { outcomes, attempts, proved, shapes, problem: None }
}

/// Describes the shapes of the inputs over all programs.
fn words(shapes: &[Shapes]) -> String {
    let mut text = String::new();
    let count = |some: &dyn Fn(&Shapes) -> usize| -> usize { shapes.iter().map(some).sum() };
    writeln!(
        text,
        "at least {RUNS} inputs of each of {} programs; of all, {} have windows that do not begin \
            at 0, {} inputs that do not, {} padded inputs, {} padded outputs",
        shapes.len(),
        count(&|shapes| shapes.moved_windows),
        count(&|shapes| shapes.moved_inputs),
        count(&|shapes| shapes.padded_inputs),
        count(&|shapes| shapes.padded_outputs),
    )
    .expect("strings grow");
    for factor in [4, 8, 16] {
        let all = shapes.iter().filter(|shapes| {
            let remainders: BTreeSet<i64> =
                shapes.extents.iter().map(|extent| extent % factor).collect();
            remainders.len() as i64 == factor
        });
        writeln!(text, "every remainder by {factor} among the extents: {} programs", all.count())
            .expect("strings grow");
    }
    let with = |extent: i64| shapes.iter().filter(|all| all.extents.contains(&extent)).count();
    let sizes: Vec<String> =
        [0, 1, 2, 3, 5, 7, 13, 17, 31].map(|size| format!("{size} in {}", with(size))).to_vec();
    writeln!(text, "programs by an extent that occurs: {}", sizes.join(", "))
        .expect("strings grow");
    text
}
