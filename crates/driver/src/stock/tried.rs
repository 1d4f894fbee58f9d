//! Runs of the compiled code of a proved statement.
//!
//! A proof is about the statement. Halide's code generator and LLVM turn it into machine code, and
//! nothing proves that step. So before the verdict is given, that code runs on a few inputs: a
//! fault of the code generator that shows there cannot hide behind a proof.

use std::env::consts;
use std::time::Duration;

use halidom_halide::bridge::{Ending, Fresh};
use halidom_halide::dump::Dump;
use halidom_halide::{Condition, Names};
use halidom_ir::{Algorithm, Constant, Pool, Scalar, print};
use halidom_testgen::cases_of;
use halidom_validate::{Counterexample, Owed, Report, TOO_LONG, Verdict};
use halidom_verdict::{Cause, Ran, Reason};

use super::Stock;
use super::diff::Run;
use super::execute;
use super::replay::{self, POINTS, Replay, SIGN_OF_ZERO, first_wrong, owed_on};
use super::sizes::{self, Case, Wanted};
use crate::subject::Subject;

/// The result of the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// Every run that reached its end gave the pipeline's values.
    Agreed {
        /// The number of runs that reached their end.
        runs: usize,
        /// The number of runs that an entry check refused.
        refused: usize,
    },
    /// A run gave another value, or faulted.
    Differs(Replay),
    /// Nothing was run, for this reason.
    NotRun(String),
}

/// The seed of the inputs. It is fixed, so that the same compile gets the same verdict.
const SEED: u64 = 1;

/// The number of cases at the borders of the entry checks, and of random cases.
const CASES: usize = 4;

/// The largest number of elements in an input or output of a case.
const MOST_ELEMENTS: i64 = 1 << 18;

/// The steps that the interpreter may take to evaluate the pipeline for all cases. This takes a
/// second for most pipelines, and a few seconds for long sums.
const STEPS: u64 = 1_000_000;

/// The time limit for a run.
const LIMIT: Duration = Duration::from_secs(5);

/// Runs the compiled code of a proved statement on some inputs. A proof stands only if no run gives
/// another value than the pipeline, and no run faults. A wrong value refutes the compile, unless
/// rounding may explain it. Returns `None` if the verdict is no proof.
pub fn try_out(stock: &Stock, report: &mut Report) -> Option<Tried> {
    if report.verdict != Verdict::Proved {
        return None;
    }
    let Some(dump) = stock.known_dump() else {
        return Some(Tried::NotRun("only a statement without loss can be compiled".to_owned()));
    };
    if !is_of_this_machine(&dump.target) {
        let words = format!("it was compiled for `{}`", dump.target);
        return Some(Tried::NotRun(words));
    }
    let mut steps = STEPS;
    let cases = cases(stock, &mut steps);
    if cases.is_empty() {
        let words = if steps == 0 {
            "the pipeline takes too long to evaluate on the inputs that were found"
        } else {
            "no inputs were found that its checks accept and for which the pipeline has a value"
        };
        return Some(Tried::NotRun(words.to_owned()));
    }
    Some(match run(stock, (dump, &stock.names), &cases) {
        Err(words) => Tried::NotRun(words),
        Ok(Seen { wrong: Some((verdict, replay)), .. }) => {
            report.verdict = verdict;
            Tried::Differs(replay)
        }
        Ok(Seen { runs: 0, refused: 0, .. }) => {
            Tried::NotRun("the pipeline has no value on the inputs that were found".to_owned())
        }
        Ok(Seen { runs: 0, .. }) => {
            Tried::NotRun("it refuses all inputs that were found".to_owned())
        }
        Ok(Seen { runs, refused, wrong: None }) => Tried::Agreed { runs, refused },
    })
}

/// Tests whether this machine runs code that was compiled for a target without a further device.
fn is_of_this_machine(target: &str) -> bool {
    let host = match (consts::ARCH, consts::OS) {
        ("x86_64", "linux") => "x86-64-linux",
        ("aarch64", "linux") => "arm-64-linux",
        _ => return false,
    };
    let Some(features) = target.strip_prefix(host) else { return false };
    features.split('-').all(is_here)
}

/// Tests whether this machine has what a feature of a target needs.
fn is_here(feature: &str) -> bool {
    const DEVICES: [&str; 6] = ["cuda", "opencl", "metal", "vulkan", "webgpu", "d3d12compute"];
    // Instructions that not every machine has, and that are not asked for below.
    const RARE: [&str; 6] = ["avx512_", "avx10", "avxvnni", "amx", "sve", "arm_"];
    #[cfg(target_arch = "x86_64")]
    {
        let wide = || is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512cd");
        match feature {
            "sse41" => return is_x86_feature_detected!("sse4.1"),
            "avx" => return is_x86_feature_detected!("avx"),
            "avx2" => return is_x86_feature_detected!("avx2"),
            "f16c" => return is_x86_feature_detected!("f16c"),
            "fma" => return is_x86_feature_detected!("fma"),
            "avx512" => return wide(),
            "avx512_skylake" => {
                return wide()
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq");
            }
            "avx512_cannonlake" => {
                return is_here("avx512_skylake")
                    && is_x86_feature_detected!("avx512ifma")
                    && is_x86_feature_detected!("avx512vbmi");
            }
            // Tiles of matrices, which the second one has too, are only used if a schedule asks for
            // them, and no statement with them is read.
            "avx512_zen4" | "avx512_sapphirerapids" => {
                return is_here("avx512_cannonlake")
                    && is_x86_feature_detected!("avx512bf16")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512vnni")
                    && is_x86_feature_detected!("avx512vpopcntdq");
            }
            // The further instructions that it names move memory in one piece; no code has them.
            "avx512_zen5" => return is_here("avx512_zen4") && is_here("avxvnni"),
            "avxvnni" => return is_x86_feature_detected!("avxvnni"),
            _ => {}
        }
    }
    !DEVICES.contains(&feature) && !RARE.iter().any(|rare| feature.starts_with(rare))
}

/// The inputs of the runs, each with the values that the pipeline has there, as far as some steps
/// suffice to evaluate them.
fn cases(stock: &Stock, steps: &mut u64) -> Vec<(Case, Vec<Wanted>)> {
    let Subject { pool, algorithm, compiled, .. } = &stock.subject;
    let program = &compiled.program;
    let with_values = |case: Case, steps: &mut u64| {
        if let Some(wanted) = sizes::wanted_within(stock.said(), &case, steps) {
            return Some((case, wanted));
        }
        let small = with_small_elements(pool, algorithm, case)?;
        let wanted = sizes::wanted_within(stock.said(), &small, steps)?;
        Some((small, wanted))
    };
    let borders = sizes::cases(pool, (algorithm, program), (SEED, CASES), MOST_ELEMENTS);
    let borders = borders.into_iter().filter_map(|case| with_values(case, steps));
    let mut found: Vec<_> = borders.collect();
    if *steps < STEPS / 2 && !found.is_empty() {
        return found;
    }
    let random = cases_of(pool, algorithm, program, POINTS, (SEED, CASES)).into_iter();
    // A promise of callers, for example that no assertion fails, is a check of the program alone.
    let random = random.map(|case| Case { bindings: case.bindings, windows: case.windows });
    let accepted = random.filter(|case| sizes::accepts(pool, (algorithm, program), case));
    found.extend(accepted.filter_map(|case| with_values(case, steps)));
    found
}

/// The remainders of the elements of wide integers that are signed. Sums and products of random
/// ones overflow, and then the pipeline has no value.
fn with_small_elements(pool: &Pool, algorithm: &Algorithm, case: Case) -> Option<Case> {
    const BELOW: i128 = 100;
    let Case { mut bindings, windows } = case;
    for input in &algorithm.inputs {
        let scalar = pool.func(*input).scalar(0);
        if !matches!(scalar, Scalar::I32 | Scalar::I64) {
            continue;
        }
        let mut array = bindings.input(*input)?.clone();
        for element in 0..array.len() {
            let value = array.get_element(element)?.as_integer()?;
            let small = Constant::wrapped(scalar, value % BELOW)?;
            if !array.set_element(element, small) {
                return None;
            }
        }
        bindings.set_input(pool, *input, array).ok()?;
    }
    Some(Case { bindings, windows })
}

/// The results of the runs.
struct Seen {
    runs: usize,
    refused: usize,
    /// The first run that is wrong, with the verdict that it leads to.
    wrong: Option<(Verdict, Replay)>,
}

fn run(
    stock: &Stock,
    (dump, names): (&Dump, &Names),
    cases: &[(Case, Vec<Wanted>)],
) -> Result<Seen, String> {
    let argued = |(case, _): &(Case, Vec<Wanted>)| {
        let given = (&case.bindings, case.windows.as_slice());
        execute::case_of(stock, (dump, names), given, Fresh::default())
    };
    let given = cases.iter().map(argued).collect::<Result<Vec<_>, _>>()?;
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let built = execute::built(stock, (dump, names), place.path())?;
    let endings = built.run(&given, LIMIT).map_err(|error| error.to_string())?;
    let mut seen = Seen { runs: 0, refused: 0, wrong: None };
    for (number, ending) in endings.iter().enumerate() {
        let (case, wanted) = &cases[number];
        let replay = match ending {
            Ending::Done(memories) => {
                let of_run = (dump, &given[number], memories.as_slice());
                let left = execute::outputs(stock, of_run, &case.windows)?;
                match first_wrong(stock, wanted, &left) {
                    Some(replay) => replay,
                    None => {
                        seen.runs += 1;
                        continue;
                    }
                }
            }
            Ending::Failed(_) => {
                seen.refused += 1;
                continue;
            }
            Ending::Crashed(signal) => Replay::Killed(format!("signal {signal} ends it")),
            Ending::Seen(report) => Replay::Faults(report.clone()),
            Ending::Late => return Err("it takes too long".to_owned()),
        };
        if let Some(verdict) = differs(stock, case, &replay) {
            seen.wrong = Some((verdict, replay));
            break;
        }
    }
    Ok(seen)
}

/// The parameters and the windows of outputs of a run, in words. A pipeline has an output.
fn on(run: &Run) -> String {
    let parameters =
        run.parameters.iter().map(|(name, value)| format!("{name} = {}", print::constant(*value)));
    let sides = |(min, extent): &(i64, i64)| format!("{min}..{}", min + extent);
    let windows = run.windows.iter().map(|(name, window)| {
        let sides: Vec<String> = window.iter().map(sides).collect();
        format!("{name}[{}]", sides.join(", "))
    });
    let all: Vec<String> = parameters.chain(windows).collect();
    format!(", with {}", all.join(", "))
}

/// The verdict on a proved statement whose compiled code differs from the pipeline in a run.
/// Returns `None` if the code owes nothing on these inputs.
fn differs(stock: &Stock, case: &Case, replay: &Replay) -> Option<Verdict> {
    let Subject { algorithm, .. } = &stock.subject;
    let unknown = |words: &str| {
        let words = format!("the statement is proved, but {words}");
        Some(Verdict::Unknown(Reason::new(Cause::Unconfirmed, words)))
    };
    // A strict float may differ too: the code's own functions differ from C's in the last digits.
    let rounds = match owed_on(stock, &case.bindings, &case.windows) {
        Owed::Values { rounded, .. } => rounded,
        Owed::Nothing(reason) if reason == TOO_LONG => {
            return unknown("a run of its code differs from the pipeline at a corner");
        }
        Owed::Nothing(reason) if reason == SIGN_OF_ZERO => {
            return unknown(&format!("a run of its code differs, where {reason}"));
        }
        Owed::NoFault | Owed::Nothing(_) => return None,
    };
    let Replay::Wrong { output, coords, expected, got } = replay else {
        let place = Run::of(stock, &case.bindings, &case.windows).map(|run| on(&run));
        let place = place.unwrap_or_default();
        return unknown(&format!("a run of the compiled code does not reach its end{place}"));
    };
    // LLVM takes the floats of plain operators to be numbers, even where others are strict.
    let conditions = stock.subject.compiled.contract.conditions();
    let is_mixed = !algorithm.fast_math && conditions.contains(&Condition::Regroups);
    if rounds || is_mixed || stock.has_digits() {
        return unknown(&format!(
            "a run of the compiled code gives {output}{coords:?} = {got} for {expected}, which \
                rounding may explain"
        ));
    }
    let run = Run::of(stock, &case.bindings, &case.windows);
    let Some(Run { parameters, inputs, windows }) = run else {
        return unknown("a run of the compiled code differs, whose inputs are not known");
    };
    let found = Counterexample {
        parameters,
        inputs,
        windows,
        output: Some(output.clone()),
        coords: coords.clone(),
        expected: expected.clone(),
        got: got.clone(),
        site: None,
        ran: Ran::CompiledCode,
    };
    // The code that ran was made of the statement by the bridge. Halide's own must be wrong too.
    match replay::replay(stock, &found) {
        Replay::Wrong { .. } => Some(Verdict::Refuted(Box::new(found))),
        Replay::Right | Replay::Faults(_) | Replay::Killed(_) | Replay::Failed(_) => {
            unknown("its code differs from the pipeline in one of two runs")
        }
    }
}
