//! Programs with one defect each: none that a run shows to be wrong is proved.
//!
//! The examples are compiled under their schedules with smaller tiles, so that small inputs cross every border, and each program is changed in one place. A mutant is *observable*
//! if one of two hundred runs of the interpreter faults, races, leaves the output undefined or gives something else than the algorithm.

#[path = "../common/mod.rs"]
mod common;
mod equivalent;
mod inputs;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use common::{EXAMPLES, choices, example, in_parallel, load, open, options};
use halidom_driver::compile::compile;
use halidom_interp::machine::{self, Fault};
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Algorithm, Pool, Program};
use halidom_testgen::{Mutant, MutantKind, mutants};
use halidom_validate::{Report, Search, Verdict, validate};
use inputs::{Input, inputs};

/// Mutants of each schedule of each example.
const MUTANTS: usize = 13;
/// Runs of each mutant.
const RUNS: usize = 200;
/// An environment variable: if it is set, the table is followed by the open obligations of mutants that are not proved.
const DETAILS: &str = "HALIDOM_TEST_DETAILS";

/// A compile that is right.
struct Original {
    name: String,
    example: usize,
    pool: Pool,
    algorithm: Algorithm,
    program: Program,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Judgement {
    Refuted,
    Unknown,
    Proved,
}

struct Outcome {
    name: String,
    kind: MutantKind,
    description: String,
    /// How a run showed it.
    observed: Option<String>,
    judgement: Judgement,
    /// What is open.
    detail: String,
    /// Whether the validator found the changed func to have a store that never runs.
    dead: bool,
    seconds: (f64, f64),
}

#[test]
fn no_wrong_program_is_proved() {
    let begin = Instant::now();
    let texts: Vec<(usize, String)> =
        EXAMPLES.iter().map(|name| small(&example(name))).enumerate().collect();
    let cases = in_parallel(&texts, |(number, text)| {
        let loaded = load(EXAMPLES[*number], text);
        let algorithm = &loaded.module.pipelines[0].algorithm;
        inputs(&loaded.module.pool, algorithm, 11 + *number as u64, RUNS)
    });
    let originals: Vec<Original> = texts
        .iter()
        .flat_map(|(number, text)| {
            let loaded = load(EXAMPLES[*number], text);
            choices(&loaded)
                .into_iter()
                .map(|choice| {
                    let mut loaded = load(EXAMPLES[*number], text);
                    let compiled = compile(&mut loaded, &choice, &mut |_, _, _| {})
                        .expect("the schedule is legal");
                    let name =
                        format!("{} {}", EXAMPLES[*number], loaded.schedule_of(&choice).name);
                    let algorithm = loaded.module.pipelines[0].algorithm.clone();
                    let (pool, program) = (loaded.module.pool, compiled.program);
                    Original { name, example: *number, pool, algorithm, program }
                })
                .collect::<Vec<_>>()
        })
        .collect();
    println!("{} programs, prepared in {:.1} s", originals.len(), begin.elapsed().as_secs_f64());
    let outcomes: Vec<Outcome> =
        in_parallel(&originals, |original| judge(original, &cases[original.example]))
            .into_iter()
            .flatten()
            .collect();
    println!("{}{:.1} s", report(&outcomes), begin.elapsed().as_secs_f64());

    assert!(outcomes.len() >= 200, "{} mutants", outcomes.len());
    let wrong: Vec<String> = outcomes
        .iter()
        .filter(|outcome| outcome.judgement == Judgement::Proved)
        .filter_map(|outcome| {
            let observed = outcome.observed.as_ref()?;
            Some(format!("{}: {}: {observed}\n", outcome.name, outcome.description))
        })
        .collect();
    assert!(wrong.is_empty(), "proved, and wrong:\n{}", wrong.concat());
    let observable = outcomes.iter().filter(|outcome| outcome.observed.is_some()).count();
    let refuted = outcomes
        .iter()
        .filter(|outcome| outcome.observed.is_some() && outcome.judgement == Judgement::Refuted)
        .count();
    assert!(refuted * 10 >= observable * 6, "{refuted} of {observable} observable ones refuted");
    let unexplained: Vec<String> = outcomes
        .iter()
        .filter(|outcome| outcome.judgement == Judgement::Proved)
        .filter(|outcome| {
            equivalent::reason(outcome.kind, &outcome.description, outcome.dead).is_none()
        })
        .map(|outcome| format!("{}: {}\n", outcome.name, outcome.description))
        .collect();
    assert!(unexplained.is_empty(), "proved without a known reason:\n{}", unexplained.concat());
}

/// The text with small factors in its schedules: tiles of a few elements, vectors of four.
fn small(text: &str) -> String {
    let mut inside = false;
    let mut result = String::new();
    for line in text.lines() {
        inside |= line.starts_with("schedule ");
        if inside {
            let mut number = String::new();
            for letter in line.chars().chain(['\n']) {
                if letter.is_ascii_digit() {
                    number.push(letter);
                    continue;
                }
                if !number.is_empty() {
                    let factor: i64 = number.parse().expect("digits are a number");
                    let factor = match factor {
                        128.. => 16,
                        32..128 => 8,
                        8..32 => 4,
                        _ => factor,
                    };
                    write!(result, "{factor}").expect("strings grow");
                    number.clear();
                }
                result.push(letter);
            }
        } else {
            result.push_str(line);
            result.push('\n');
        }
        inside &= line != "}";
    }
    result
}

fn judge(original: &Original, cases: &[Input]) -> Vec<Outcome> {
    let Original { name, pool, algorithm, program, .. } = original;
    let mut pool = pool.clone();
    let mut options = options();
    options.search = Search { time: Duration::from_secs(2), ..Search::default() };
    options.strictness = Duration::ZERO;
    let original_report = validate(&mut pool, algorithm, program, &options);
    assert_eq!(original_report.verdict, Verdict::Proved, "{name}\n{}", open(&original_report));
    assert_eq!(observe(&pool, program, cases), None, "{name}");
    options.timeout = Duration::from_secs(4);
    let seed = name.bytes().fold(7, |seed, byte| seed * 31 + u64::from(byte));
    mutants(&mut pool, program, seed, MUTANTS)
        .into_iter()
        .filter(|mutant| verify::program(&pool, &mutant.program, Phase::Final).is_ok())
        .map(|Mutant { kind, program, description }| {
            let begin = Instant::now();
            let observed = observe(&pool, &program, cases);
            let observing = begin.elapsed().as_secs_f64();
            let report = validate(&mut pool.clone(), algorithm, &program, &options);
            let judgement = match &report.verdict {
                Verdict::Proved => Judgement::Proved,
                // The runs after a proof must not hide that it was wrong.
                Verdict::Refuted(_) if report.open().next().is_none() => Judgement::Proved,
                Verdict::Refuted(_) => Judgement::Refuted,
                Verdict::Unknown(_) => Judgement::Unknown,
            };
            let name = name.clone();
            let detail = open(&report);
            let dead = is_dead(&original_report, &description);
            let seconds = (observing, report.time.as_secs_f64());
            Outcome { name, kind, description, observed, judgement, detail, dead, seconds }
        })
        .collect()
}

/// Whether a store to the func that a description speaks of is dead code in the original, or one of the func whose loops a changed `let` mentions.
fn is_dead(report: &Report, description: &str) -> bool {
    if description.starts_with("let ") {
        let dead = report.notes.iter().filter_map(|note| {
            let rest = note.strip_prefix("dead code: the store to ")?;
            rest.split_once('(').map(|(func, _)| func)
        });
        return dead.into_iter().any(|func| description.contains(&format!("{func}.")));
    }
    let Some((func, _)) =
        description.strip_prefix("store to ").and_then(|rest| rest.split_once(' '))
    else {
        return false;
    };
    let note = format!("dead code: the store to {func}(");
    // What never runs is the scalar code.
    !description.contains("ramp(") && report.notes.iter().any(|known| known.starts_with(&note))
}

/// How a run shows that the program is wrong.
fn observe(pool: &Pool, program: &Program, cases: &[Input]) -> Option<String> {
    cases.iter().enumerate().find_map(|(number, input)| {
        let options = machine::Options {
            seed: number as u64,
            output_padding: input.case.output_padding.clone(),
            steps: Some(4_000_000),
            elements: 1 << 22,
            ..machine::Options::default()
        };
        let run = machine::run(pool, program, &input.case.bindings, &input.case.windows, &options);
        match run {
            Ok(outcome) => {
                // Where the algorithm has no value, the original refuses to run; any run without fault will do.
                let expected = input.expected.as_ref();
                expected
                    .is_some_and(|expected| outcome.outputs != *expected)
                    .then(|| format!("another output on windows {:?}", input.case.windows))
            }
            Err(
                fault @ (Fault::OutOfBounds { .. }
                | Fault::Undefined { .. }
                | Fault::UndefinedOutput { .. }
                | Fault::IndexOverflow { .. }
                | Fault::WriteToInput { .. }
                | Fault::DeadBuffer { .. }
                | Fault::Race { .. }
                | Fault::LaneConflict { .. }),
            ) => Some(fault.to_string()),
            // A stricter entry check makes no wrong result.
            Err(Fault::CheckFailed(_)) => None,
            Err(
                fault @ (Fault::ClaimWrong(_)
                | Fault::Specification(_)
                | Fault::Eval(_)
                | Fault::Malformed(_)
                | Fault::Startup(_)
                | Fault::Bind(_)
                | Fault::OutputCount { .. }
                | Fault::MissingInput(_)
                | Fault::WindowOutsideBuffer { .. }
                | Fault::OutOfSteps
                | Fault::TooLarge { .. }),
            ) => unreachable!("a mutant cannot be run: {fault}"),
        }
    })
}

/// A table of the kinds, then each mutant that is not refuted.
fn report(outcomes: &[Outcome]) -> String {
    const COLUMNS: [&str; 6] =
        ["refuted", "unknown", "unknown, unseen", "proved, wrong", "proved, same", "observable"];
    let mut table: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    for outcome in outcomes {
        let observable = outcome.observed.is_some();
        let column = match (outcome.judgement, observable) {
            (Judgement::Refuted, _) => 0,
            (Judgement::Unknown, true) => 1,
            (Judgement::Unknown, false) => 2,
            (Judgement::Proved, true) => 3,
            (Judgement::Proved, false) => 4,
        };
        // Sorts after every kind's name.
        for row in [outcome.kind.name(), "~ all"] {
            let row = table.entry(row).or_default();
            row[column] += 1;
            row[5] += usize::from(observable);
        }
    }
    let mut text = format!("{:<22}", "kind");
    for column in COLUMNS {
        write!(text, " {column:>15}").expect("strings grow");
    }
    text.push('\n');
    for (kind, row) in &table {
        write!(text, "{kind:<22}").expect("strings grow");
        for number in row {
            write!(text, " {number:>15}").expect("strings grow");
        }
        text.push('\n');
    }
    let details = std::env::var_os(DETAILS).is_some();
    for outcome in outcomes {
        let Outcome { name, kind, description, observed, judgement, detail, dead, .. } = outcome;
        let words = match (judgement, observed) {
            (Judgement::Proved, None) => {
                let reason = equivalent::reason(*kind, description, *dead);
                format!("proved, because {}", reason.unwrap_or("??? nobody knows why"))
            }
            (Judgement::Proved, Some(observed)) => format!("PROVED, though {observed}"),
            (Judgement::Unknown, Some(observed)) => format!("unknown, though {observed}"),
            (Judgement::Unknown, None) => "unknown, and no run shows anything".to_owned(),
            (Judgement::Refuted, _) => continue,
        };
        writeln!(text, "{name}: {}: {description}\n    {words}", kind.name())
            .expect("strings grow");
        if details {
            text.push_str(detail);
        }
    }
    let (observing, validating) = outcomes.iter().fold((0.0, 0.0), |(runs, proofs), outcome| {
        (runs + outcome.seconds.0, proofs + outcome.seconds.1)
    });
    writeln!(text, "runs took {observing:.1} s, validation {validating:.1} s of processor time")
        .expect("strings grow");
    text
}
