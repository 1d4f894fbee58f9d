//! Statements of stock Halide's compiler with one defect each: none that a run shows to be wrong is proved.

use std::collections::BTreeMap;
use std::sync::Mutex;

use halidom_driver::stock::{self, Request, Stock};
use halidom_ir::verify::{self, Phase};
use halidom_testgen::{Mutant, MutantKind, mutants};
use halidom_validate::{Floats, Search, Verdict, validate_refined};

use crate::common::{in_parallel, options};
use crate::inputs::{self, Equality};
use crate::scripts::{request, scripts};
use crate::{is_wanted, is_whole, python, shared, table1};

/// An environment variable: how many mutants of all statements together.
const MUTANTS: &str = "HALIDOM_CORPUS_MUTANTS";
/// Mutants of a whole run, and of a test run.
const MANY: usize = 2_000;
const FEW: usize = 24;
/// Statements of a test run.
const FEW_STATEMENTS: usize = 3;
/// More are asked for: some statements have no more places.
const MORE: usize = 150;
/// Runs that show whether a mutant is wrong.
const RUNS: usize = 60;

/// What came of the mutants of a statement.
#[derive(Default)]
struct Counts {
    all: usize,
    observable: usize,
    refuted: usize,
    proved: usize,
    /// Proved, and a run shows them to be wrong.
    wrong: Vec<String>,
    /// Reasons for which wrong ones are unknown.
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
            request.assumptions = table1::assumed(&name);
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
    let each = (wanted * MORE).div_ceil(100 * statements.len().max(1));
    let left = Mutex::new(wanted);
    let counted = in_parallel(&statements, |(name, request)| {
        let Ok(Ok(stock)) = stock::read(request) else { return None };
        let counts = examine(name, &stock, each, &left);
        println!(
            "{name}: {} mutants, {} observable, {} refuted, {} proved, {} proved and wrong",
            counts.all,
            counts.observable,
            counts.refuted,
            counts.proved,
            counts.wrong.len()
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
        "{} mutants of {} statements: {} observable, {} of these refuted, {} proved, {} proved and wrong",
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

/// Makes mutants of a statement's program, runs them, and judges them.
fn examine(name: &str, stock: &Stock, count: usize, left: &Mutex<usize>) -> Counts {
    let subject = &stock.subject;
    let (algorithm, steps) = (&subject.algorithm, &subject.compiled.steps);
    let program = &subject.compiled.program;
    let mut pool = subject.pool.clone();
    let mut counts = Counts::default();
    let cases = inputs::inputs(&pool, algorithm, program, 1);
    let cases = &cases[..cases.len().min(RUNS)];
    if inputs::observe(&pool, program, cases, Equality::Bits).is_err() {
        println!(
            "{name}: left out: it gives other bits than the pipeline, as floats are regrouped"
        );
        return counts;
    }
    let made = mutants(&mut pool, program, MutantKind::FINAL, 1, count);
    for Mutant { kind, program, description, .. } in made {
        if verify::program(&pool, &program, Phase::Final).is_err() {
            continue;
        }
        {
            let mut left = left.lock().expect("no thread panics while it counts");
            if *left == 0 {
                break;
            }
            *left -= 1;
        }
        counts.all += 1;
        let observed = inputs::observe(&pool, &program, cases, Equality::Bits).err();
        let mut options = options();
        options.int_bits = 32;
        options.floats = Some(Floats::Reals);
        options.timeout = std::time::Duration::from_secs(3);
        options.search = Search { trials: 200, ..Search::default() };
        options.strictness = std::time::Duration::ZERO;
        let report = validate_refined(&mut pool.clone(), algorithm, steps, &program, &options);
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
                let reason = reason.chars().take(80).collect();
                *counts.reasons.entry(reason).or_default() += 1;
            }
        }
    }
    counts
}
