//! Statements of stock Halide's compiler with one defect each: none that a run shows to be wrong is
//! proved.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use halidom_driver::judge;
use halidom_driver::stock::{self, Request, Stock};
use halidom_interp::machine::{self, Fault};
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Algorithm, Pool, Program};
use halidom_testgen::{Case, Mutant, MutantKind, cases_of, mutants};
use halidom_validate::{Conventions, Floats, Report, Search, Verdict, validate_refined};

use crate::common::{in_parallel, options};
use crate::inputs::{self, Equality, Expected, Input};
use crate::scripts::{request, scripts};
use crate::{is_wanted, is_whole, python, shared};

/// An environment variable: the number of mutants over all statements.
const MUTANTS: &str = "HALIDOM_CORPUS_MUTANTS";
/// An environment variable: if it is set, a line for each mutant is printed.
const TOLD: &str = "HALIDOM_CORPUS_TOLD";
/// The numbers of mutants in a whole run and in a test run.
const MANY: usize = 2_000;
const FEW: usize = 24;
/// The number of statements in a test run.
const FEW_STATEMENTS: usize = 3;
/// The percentage of the wanted mutants that is requested, as some statements have too few sites.
const MORE: usize = 150;
/// The number of random cases that may show a mutant to be wrong, and of cases at the borders of
/// its entry checks.
const RUNS: usize = 40;
const BORDERS: usize = 32;
/// The interpreter's step limits for runs of the original, with the number of runs for each: long
/// runs are few.
const STEPS: [(u64, usize); 3] = [(20_000, 48), (100_000, 6), (500_000, 2)];
/// The largest number of points in a window of a random case.
const POINTS: i64 = 200;
/// The number of open obligations after which the validator stops: the mutant is not proved.
const OPEN: u64 = 2;

/// Tests whether a line for each mutant is printed.
fn is_told() -> bool {
    std::env::var_os(TOLD).is_some()
}

/// Counts of a statement's mutants.
#[derive(Default)]
struct Counts {
    all: usize,
    observable: usize,
    refuted: usize,
    proved: usize,
    /// Mutants that are proved although a run shows them to be wrong.
    wrong: Vec<String>,
    /// The reasons why wrong mutants are unknown, with counts.
    reasons: BTreeMap<String, usize>,
}

#[test]
fn no_wrong_statement_is_proved() {
    let wanted = std::env::var(MUTANTS).ok().map(|text| text.parse().expect("a number"));
    let wanted: usize = wanted.unwrap_or(if is_whole() { MANY } else { FEW });
    let mut statements: Vec<(String, Request)> = Vec::new();
    if let Some(folder) = shared("table1") {
        let entries = std::fs::read_dir(&folder).expect("it can be listed");
        for entry in entries {
            let own = entry.expect("it can be read").path();
            let name = own.file_name().expect("it has a name").to_string_lossy().into_owned();
            let mut request = Request::of(&own.join(&name).with_extension("hlpipe"));
            request.statement = Some(own.join("stock.stmt"));
            statements.push((name, request));
        }
    }
    if python().is_some() {
        let paths = scripts("pipelines").into_iter().chain(scripts("repaired"));
        statements.extend(paths.map(|path| (path.display().to_string(), request(&path))));
    }
    statements.retain(|(name, _)| is_wanted(name));
    statements.sort_by(|a, b| a.0.cmp(&b.0));
    if !is_whole() {
        let step = statements.len().div_ceil(FEW_STATEMENTS).max(1);
        statements = statements.into_iter().step_by(step).collect();
    }
    // If a statement has too few sites, the following statements get more mutants.
    let each = wanted.div_ceil(statements.len().max(1));
    let spare = Mutex::new(0);
    let counted = in_parallel(&statements, |(name, request)| {
        let begin = Instant::now();
        let Ok(stock) = stock::read(request) else {
            *spare.lock().expect("no thread panics while it counts") += each;
            println!("{name}: left out: it is not read");
            return None;
        };
        let counts = examine(name, &stock, each, &spare);
        println!(
            "{name}: {} mutants, {} observable, {} refuted, {} proved, {} proved and wrong, {:.1} \
                s",
            counts.all,
            counts.observable,
            counts.refuted,
            counts.proved,
            counts.wrong.len(),
            begin.elapsed().as_secs_f64()
        );
        Some(counts)
    });
    let mut sum = Counts::default();
    for counts in counted.into_iter().flatten() {
        sum.all += counts.all;
        sum.observable += counts.observable;
        sum.refuted += counts.refuted;
        sum.proved += counts.proved;
        sum.wrong.extend(counts.wrong);
        for (reason, count) in counts.reasons {
            *sum.reasons.entry(reason).or_default() += count;
        }
    }
    println!(
        "{} mutants of {} statements: {} observable, {} of these refuted, {} proved, {} proved and \
            wrong",
        sum.all,
        statements.len(),
        sum.observable,
        sum.refuted,
        sum.proved,
        sum.wrong.len()
    );
    for (reason, count) in &sum.reasons {
        println!("{count} observable ones unknown: {reason}");
    }
    assert!(sum.wrong.is_empty(), "proved, and wrong:\n{}", sum.wrong.join("\n"));
    assert!(sum.refuted * 10 >= sum.observable * 6, "too few are refuted");
}

/// Makes the given number of mutants of a statement's program, plus some of the spare ones. Runs
/// and judges them.
fn examine(name: &str, stock: &Stock, each: usize, spare: &Mutex<usize>) -> Counts {
    let subject = &stock.subject;
    let (algorithm, program) = (&subject.algorithm, &subject.compiled.program);
    let mut pool = subject.pool.clone();
    let mut counts = Counts::default();
    let cases = cases(&pool, algorithm, program);
    // If floats may be regrouped, they are compared as numbers.
    let equality = [Equality::Bits, Equality::Numbers]
        .into_iter()
        .find(|equality| inputs::observe(&pool, program, &cases, *equality).is_ok());
    let Some(equality) = equality.filter(|_| !cases.is_empty()) else {
        let reason = if cases.is_empty() {
            "no run is short enough"
        } else {
            "it gives another output than the pipeline"
        };
        println!("{name}: left out: {reason}");
        *spare.lock().expect("no thread panics while it counts") += each;
        return counts;
    };
    if is_told() {
        let windows: Vec<_> = cases.iter().map(|input| &input.case.windows).collect();
        println!("  {name}: windows {windows:?}");
    }
    let most = each + std::mem::take(&mut *spare.lock().expect("no thread panics while it counts"));
    let made = mutants(&mut pool, program, MutantKind::FINAL, 1, most * MORE / 100);
    for Mutant { kind, program, description, .. } in made {
        if counts.all == most {
            break;
        }
        if verify::program(&pool, &program, Phase::Final).is_err() {
            continue;
        }
        counts.all += 1;
        let begin = Instant::now();
        let observed = inputs::observe(&pool, &program, &cases, equality).err();
        let observing = begin.elapsed();
        let report = validate(&pool, stock, &program, observed.is_some());
        let judging = begin.elapsed().saturating_sub(observing);
        let dead = report.dead.len();
        if is_told() {
            let verdict = match &report.verdict {
                Verdict::Proved => "proved".to_owned(),
                Verdict::Refuted(_) => "refuted".to_owned(),
                Verdict::Unknown(reason) => {
                    format!("unknown: {}", reason.words.chars().take(200).collect::<String>())
                }
            };
            println!(
                "  {name}: {}: {description}: {}; {verdict}; {dead} stores never run; {:.1} s + \
                    {:.1} s",
                kind.name(),
                observed.as_deref().unwrap_or("not observed"),
                observing.as_secs_f64(),
                judging.as_secs_f64()
            );
        }
        if report.verdict == Verdict::Proved {
            counts.proved += 1;
        }
        let Some(observed) = observed else { continue };
        counts.observable += 1;
        match report.verdict {
            Verdict::Refuted(_) => counts.refuted += 1,
            Verdict::Proved => {
                counts.wrong.push(format!("{name}: {}: {description}: {observed}", kind.name()));
            }
            Verdict::Unknown(reason) => {
                let reason = reason.words.chars().take(80).collect();
                *counts.reasons.entry(reason).or_default() += 1;
            }
        }
    }
    *spare.lock().expect("no thread panics while it counts") += most - counts.all;
    counts
}

/// Judges a mutant. If no run showed it to be wrong, the search for a counterexample is short.
fn validate(pool: &Pool, stock: &Stock, program: &Program, is_wrong: bool) -> Report {
    let subject = &stock.subject;
    let mut options = options();
    options.int_bits = 32;
    options.code = judge::code(&subject.compiled.contract);
    options.conventions = Conventions::Halide;
    let strict = !subject.algorithm.fast_math;
    options.floats = Some(if strict { Floats::Bits } else { Floats::Reals });
    options.asking.timeout = Duration::from_secs(3);
    options.budget.open = Some(OPEN);
    options.given = judge::at_borders(pool, (&subject.algorithm, program), BORDERS);
    options.search = if is_wrong {
        Search { trials: 200, ..Search::default() }
    } else {
        Search { trials: 20, time: Duration::from_millis(500), ..Search::default() }
    };
    options.strictness = Duration::ZERO;
    let steps = &subject.compiled.steps;
    validate_refined(&mut pool.clone(), &subject.algorithm, steps, program, &options)
}

/// Cases that a program accepts: cases at the borders of its entry checks, and random ones.
fn cases(pool: &Pool, algorithm: &Algorithm, program: &Program) -> Vec<Input> {
    let borders = judge::at_borders(pool, (algorithm, program), BORDERS).into_iter().map(|given| {
        let rank = given.windows.first().map_or(0, Vec::len);
        Case { bindings: given.bindings, windows: given.windows, output_padding: vec![0; rank] }
    });
    let borders: Vec<Case> = borders.collect();
    let run = |case: &Case, steps: u64| {
        let options = inputs::options(case, 0, steps);
        machine::run(pool, program, &case.bindings, &case.windows, &options)
    };
    let ends = |case: &Case, steps: u64| {
        let run = run(case, steps);
        !matches!(run, Err(Fault::CheckFailed(_) | Fault::OutOfSteps | Fault::TooLarge { .. }))
    };
    // If the smallest case takes too long, do not look for others.
    let least = borders.first().map(|case| run(case, STEPS[STEPS.len() - 1].0));
    if matches!(least, Some(Err(Fault::OutOfSteps | Fault::TooLarge { .. }))) {
        return Vec::new();
    }
    let random = cases_of(pool, algorithm, program, POINTS, (1, RUNS));
    let mut left = STEPS;
    let mut found = Vec::new();
    // Prefer large cases: they exercise more of the code.
    let mut all = [borders, random].concat();
    all.sort_by_key(|case| std::cmp::Reverse(least_side(case)));
    for case in all {
        // The later runs of all cases detect whether the original is wrong.
        let Some((_, left)) = left.iter_mut().find(|(steps, _)| ends(&case, *steps)) else {
            continue;
        };
        if *left > 0 {
            *left -= 1;
            let expected = Expected::new(pool, algorithm, &case, false);
            found.push(Input { case, extreme: false, expected });
        }
    }
    // Put short runs first.
    found.reverse();
    found
}

/// The smallest extent of a case's windows.
fn least_side(case: &Case) -> i64 {
    case.windows.iter().flatten().map(|(_, extent)| *extent).min().unwrap_or(0)
}
