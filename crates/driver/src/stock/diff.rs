//! Comparison of two compiles of one pipeline: by two releases of Halide, for two targets, or under
//! two schedules.
//!
//! Both statements are judged by the definitions of one of the pipelines. If both are proved, they
//! compute the same on every input that both accept. The compiles may come with different
//! definitions, because a release or a directive rewrote them; the validator then shows that the
//! others have the same meaning. Pipelines that accept different inputs, or that overflow on
//! different inputs, are never proved to be the same (`interface.rs`).
//!
//! A difference is a run of both compiled codes, on inputs for which both pipelines define values.

use std::path::{Path, PathBuf};

use halidom_diag::{Diagnostic, Severity, Sources};
use halidom_halide::{Names, codes};
use halidom_interp::Bindings;
use halidom_ir::{Array, Constant, FuncId, Shape, VarId};
use halidom_testgen::{Random, cases_of};
use halidom_validate::{Counterexample, Kind, Report, Verdict as Outcome, near_integers};
use halidom_verdict::{Cause, Claim, Evidence, Obligations, Ran, Verdict};

use super::interface::{mismatch, other_meaning};
use super::replay::{POINTS, agree, left, shown, write_given};
use super::sizes::{self, Case, Wanted};
use super::{Annotations, Judged, Purpose, Request, Stock, judged, read_after};
use crate::files::{self, FileError};
use crate::refusal::Refusal;
use crate::subject::Subject;

/// The number of cases of each kind to look for, for each side.
const CASES: usize = 12;
/// The names of the two compiles.
pub const SIDES: [&str; 2] = ["old", "new"];
/// The seed of the cases.
const SEED: u64 = 1;

/// Two compiles of one pipeline. Their names are in one table.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The old one.
    pub old: Stock,
    /// The new one.
    pub new: Stock,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Diff {
    /// The judgements of the old compile and of the new one, by the same definitions.
    pub sides: [Sided; 2],
    /// The runs that both codes completed; 0 if no run was necessary.
    pub runs: usize,
    /// A run on which they differ.
    pub difference: Option<Difference>,
    /// The reason why the codes were not run.
    pub not_run: Option<String>,
}

/// The judgement of one of the compiles.
#[derive(Clone, Debug)]
pub struct Sided {
    /// The judged compile with its report. If the definitions of the other one cannot be compared
    /// with its own, the report is about its own.
    pub judged: Judged,
    /// The verdict by the common definitions.
    pub verdict: Verdict,
}

/// A run on which the two codes give different values.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The run.
    pub run: Run,
    /// The output, by its name in the old pipeline and in the new one.
    pub output: [String; 2],
    /// The point.
    pub coords: Vec<i64>,
    /// The values that the old and the new code give.
    pub got: [String; 2],
    /// The values that the old and the new pipeline define.
    pub defined: [String; 2],
}

/// The inputs of a run, by name, and the windows of the outputs, by position.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The parameters.
    pub parameters: Vec<(String, Constant)>,
    /// The input arrays.
    pub inputs: Vec<(String, Array)>,
    /// The outputs of the old pipeline, with their windows: (min, extent) for each dimension.
    pub windows: Vec<(String, Shape)>,
}

impl Diff {
    /// The answer: proved if both compiles compute what the same definitions say, refuted by a run
    /// on which they differ.
    pub fn answer(&self) -> Verdict {
        if let Some(Difference { got: [old, new], .. }) = &self.difference {
            let [old, new] =
                [(old, SIDES[0]), (new, SIDES[1])].map(|(value, side)| format!("{value} ({side})"));
            return Verdict::refuted(Evidence::of(Ran::CompiledCode, old, new));
        }
        let mut both = Obligations::of(Claim::Pair);
        for (side, name) in self.sides.iter().zip(SIDES) {
            match &side.verdict {
                Verdict::Proved(proved) => {
                    both.shown(proved.modes());
                    proved.conditions().for_each(|condition| both.assume(condition.clone()));
                }
                Verdict::Refuted(refuted) => {
                    both.open(
                        Cause::Unconfirmed,
                        format!("the {name} statement: {}", refuted.first()),
                    );
                }
                Verdict::Unknown(unknown) => {
                    let cause = unknown.causes().next().map_or(Cause::Part, |(cause, _)| cause);
                    both.open(cause, format!("the {name} statement: {}", unknown.first()));
                }
                Verdict::Nothing(nothing) => both.open(Cause::Part, nothing.what.as_str()),
            }
        }
        both.verdict(("no statement was judged", "name two compiles"))
    }
}

impl Pair {
    /// Reads two compiles.
    ///
    /// # Errors
    /// Returns the refusal of one of them, with its name; or a diagnostic with the code
    /// [`codes::OTHER_PIPELINE`] if their pipelines differ in inputs or outputs.
    pub fn read([old, new]: [&Request; 2]) -> Result<Self, (&'static str, Refusal)> {
        let mut old = read_after(old, Names::new(), Purpose::Judgement)
            .map_err(|refusal| (SIDES[0], refusal))?;
        let new = read_after(new, old.names.clone(), Purpose::Judgement)
            .map_err(|refusal| (SIDES[1], refusal))?;
        // The table of the second contains that of the first.
        old.names = new.names.clone();
        if let Some(words) = mismatch(&old, &new) {
            let diagnostic = Diagnostic::without_place(
                Severity::Error,
                codes::OTHER_PIPELINE,
                format!("these are two pipelines: {words}"),
            );
            let hint = "give two compiles of one pipeline; what its schedule is does not matter";
            let refusal = Refusal::new(Sources::new(), vec![diagnostic.with_hint(hint)]);
            return Err((SIDES[1], refusal));
        }
        Ok(Self { old, new })
    }

    /// Compares the two compiles. If a folder is given, the files of a run on which they differ are
    /// written to it.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written.
    pub fn compare(
        &self,
        annotations: Annotations,
        folder: Option<&Path>,
        judge: &mut dyn FnMut(&Subject) -> Report,
    ) -> Result<Diff, FileError> {
        let mut diff = self.judged(annotations, judge);
        if diff.answer().is_proved() {
            return Ok(diff);
        }
        match Runs::of([&self.old, &self.new], self.runs(&diff.sides)) {
            Ok(runs) => {
                diff.runs = runs.completed;
                if let (Some((name, _)), Some(folder)) = (&runs.difference, folder) {
                    runs.keep(name, folder)?;
                }
                diff.difference = runs.difference.map(|(_, found)| found);
            }
            Err(reason) => diff.not_run = Some(reason),
        }
        Ok(diff)
    }

    /// Judges both by the definitions of the old pipeline. If it is open only whether those of the
    /// new one mean the same, judges both by the new ones: the old ones may have funcs that a
    /// directive made.
    fn judged(&self, annotations: Annotations, judge: &mut dyn FnMut(&Subject) -> Report) -> Diff {
        let differs = other_meaning(&self.old, &self.new);
        let mut by = |own: &Stock, other: &Stock| {
            let first = Sided::of(judged(own, annotations, judge));
            let defined = match &differs {
                None => other.defined_by(own),
                Some(reason) => Err(reason.clone()),
            };
            let second = match defined {
                Ok(stock) => Sided::of(judged(&stock, annotations, judge)),
                Err(reason) => Sided {
                    judged: judged(other, Annotations::Never, judge),
                    verdict: Verdict::unknown(
                        Cause::Refinement,
                        format!("the pipelines are not shown to mean the same: {reason}"),
                    ),
                },
            };
            [first, second]
        };
        let Self { old, new } = self;
        let mut sides = by(old, new);
        if differs_in_definitions(&sides[1].judged.report) {
            let [new, old] = by(new, old);
            if new.verdict.is_proved() && old.verdict.is_proved() {
                sides = [old, new];
            }
        }
        Diff { sides, runs: 0, difference: None, not_run: None }
    }

    /// The runs to try: the inputs of refutations, cases at the borders of the entry checks of both
    /// codes, and random cases.
    fn runs(&self, sides: &[Sided; 2]) -> Vec<Run> {
        let mut runs = Vec::new();
        for (stock, side) in [&self.old, &self.new].into_iter().zip(sides) {
            if let Outcome::Refuted(found) = &side.judged.report.verdict {
                let (parameters, inputs) = (found.parameters.clone(), found.inputs.clone());
                runs.push(Run { parameters, inputs, windows: found.windows.clone() });
            }
            let Subject { pool, algorithm, compiled, .. } = &stock.subject;
            let shaped = (algorithm, &compiled.program);
            for case in sizes::cases(pool, shaped, (SEED, CASES), sizes::MOST_ELEMENTS) {
                runs.extend(Run::of(stock, &case.bindings, &case.windows));
            }
            for case in cases_of(pool, algorithm, &compiled.program, POINTS, (SEED, CASES)) {
                runs.extend(Run::of(stock, &case.bindings, &case.windows));
            }
        }
        // Parameters of the other side alone.
        let mut random = Random::new(SEED);
        for stock in [&self.old, &self.new] {
            let Subject { pool, algorithm, .. } = &stock.subject;
            for param in &algorithm.params {
                let (name, scalar) = (&pool.var(*param).name, pool.var(*param).ty.scalar);
                for run in &mut runs {
                    if value_of(&run.parameters, name).is_none() {
                        run.parameters.push((name.clone(), random.constant(scalar)));
                    }
                }
            }
        }
        runs
    }
}

impl Sided {
    fn of(judged: Judged) -> Self {
        let verdict = match judged.report.answer() {
            // Only the runs of both codes refute.
            Verdict::Refuted(refuted) => Verdict::unknown(
                Cause::Unconfirmed,
                format!("a run of the statement differs ({})", refuted.first()),
            ),
            verdict @ (Verdict::Proved(_) | Verdict::Unknown(_) | Verdict::Nothing(_)) => verdict,
        };
        Self { judged, verdict }
    }
}

/// Tests whether the validator could not show that the definitions of two pipelines have the same
/// meaning, and nothing else is open.
fn differs_in_definitions(report: &Report) -> bool {
    let mut open = report.open().peekable();
    matches!(report.verdict, Outcome::Unknown(_))
        && open.peek().is_some()
        && open.all(|obligation| obligation.kind == Kind::Refinement)
}

impl Difference {
    /// The run as a refutation of the old compile (0) or of the new one (1).
    pub fn of_side(&self, side: usize) -> Counterexample {
        let Run { parameters, inputs, windows } = self.run.clone();
        Counterexample {
            parameters,
            inputs,
            windows,
            output: Some(self.output[side].clone()),
            coords: self.coords.clone(),
            expected: self.defined[side].clone(),
            got: self.got[side].clone(),
            site: None,
            ran: Ran::CompiledCode,
        }
    }
}

impl Run {
    /// The names of a case's values; `None` if a value is missing.
    pub(super) fn of(stock: &Stock, bindings: &Bindings, windows: &[Shape]) -> Option<Self> {
        let Subject { pool, algorithm, .. } = &stock.subject;
        let func = |func: &FuncId| pool.func(*func).name.clone();
        let param = |id: &VarId| Some((pool.var(*id).name.clone(), bindings.var(*id)?));
        let input = |id: &FuncId| Some((func(id), bindings.input(*id)?.clone()));
        Some(Self {
            parameters: algorithm.params.iter().map(param).collect::<Option<_>>()?,
            inputs: algorithm.inputs.iter().map(input).collect::<Option<_>>()?,
            windows: algorithm.outputs.iter().map(func).zip(windows.iter().cloned()).collect(),
        })
    }

    /// The case for one of the pipelines; `None` if it takes other values.
    fn case(&self, stock: &Stock) -> Option<Case> {
        let Subject { pool, algorithm, .. } = &stock.subject;
        let mut bindings = Bindings::new();
        for param in &algorithm.params {
            let value = value_of(&self.parameters, &pool.var(*param).name)?;
            bindings.set_var(pool, *param, *value).ok()?;
        }
        for input in &algorithm.inputs {
            let array = value_of(&self.inputs, &pool.func(*input).name)?;
            bindings.set_input(pool, *input, array.clone()).ok()?;
        }
        let windows = self.windows.iter().map(|(_, window)| window.clone()).collect();
        Some(Case { bindings, windows })
    }
}

fn value_of<'v, T>(values: &'v [(String, T)], name: &str) -> Option<&'v T> {
    values.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// The files of the runs of both codes.
struct Runs {
    /// A folder for each code, with a folder for each run.
    places: [tempfile::TempDir; 2],
    /// The number of runs that both completed.
    completed: usize,
    /// The first run on which they differ, with the name of its folder.
    difference: Option<(String, Difference)>,
}

impl Runs {
    /// Runs both codes.
    ///
    /// # Errors
    /// Returns the reason if a code cannot be run.
    fn of(stocks: [&Stock; 2], runs: Vec<Run>) -> Result<Self, String> {
        let place = || tempfile::tempdir().map_err(|error| error.to_string());
        let places = [place()?, place()?];
        let mut tried = Vec::new();
        for run in runs {
            let name = format!("case_{}", tried.len());
            if let Some(defined) = prepared(stocks, &run, &places, &name)? {
                tried.push((name, run, defined));
            }
        }
        if tried.is_empty() {
            return Ok(Self { places, completed: 0, difference: None });
        }
        for (stock, place) in stocks.into_iter().zip(&places) {
            stock.run(place.path()).map_err(|error| error.to_string())?;
        }
        let (mut completed, mut difference) = (0, None);
        for (name, run, defined) in tried {
            let folders = [0, 1].map(|side| places[side].path().join(&name));
            if !folders.iter().all(|folder| folder.join("done.txt").is_file()) {
                continue;
            }
            completed += 1;
            if difference.is_none() {
                let found = first_difference(stocks, &run, &defined, &folders)?;
                difference = found.map(|found| (name, found));
            }
        }
        Ok(Self { places, completed, difference })
    }

    /// Copies the files of a run to the folders `old` and `new` in a folder.
    fn keep(&self, name: &str, folder: &Path) -> Result<(), FileError> {
        for (place, side) in self.places.iter().zip(SIDES) {
            let target = folder.join(side);
            let failed = |source| FileError::Write { path: target.clone(), source };
            std::fs::create_dir_all(&target).map_err(failed)?;
            for entry in std::fs::read_dir(place.path().join(name)).map_err(failed)? {
                let file = entry.map_err(failed)?.path();
                if let Some(name) =
                    file.file_name().filter(|_| file.extension() == Some("npy".as_ref()))
                {
                    files::write_bytes(&target.join(name), &std::fs::read(&file).map_err(failed)?)?;
                }
            }
        }
        Ok(())
    }
}

/// Writes a run for both codes. Returns the values that each pipeline defines; `None` if one of
/// them takes other inputs, or defines nothing there.
fn prepared(
    stocks: [&Stock; 2],
    run: &Run,
    places: &[tempfile::TempDir; 2],
    name: &str,
) -> Result<Option<[Vec<Wanted>; 2]>, String> {
    let [old, new] = stocks.map(|stock| {
        let case = run.case(stock)?;
        let wanted = sizes::wanted(stock.said(), &case)?;
        Some((case, wanted))
    });
    let (Some(old), Some(new)) = (old, new) else { return Ok(None) };
    for ((stock, (case, _)), place) in stocks.into_iter().zip([&old, &new]).zip(places) {
        let folder = place.path().join(name);
        std::fs::create_dir(&folder).map_err(|error| error.to_string())?;
        write_given(stock, &case.bindings, &case.windows, &folder)?;
    }
    Ok(Some([old.1, new.1]))
}

/// The first point at which the codes gave different values. Floats that may be regrouped need only
/// be close, and integers computed from them need only be neighbours.
fn first_difference(
    stocks: [&Stock; 2],
    run: &Run,
    defined: &[Vec<Wanted>; 2],
    folders: &[PathBuf; 2],
) -> Result<Option<Difference>, String> {
    let windows: Vec<Shape> = run.windows.iter().map(|(_, window)| window.clone()).collect();
    let [old, new] = [0, 1].map(|side| left(stocks[side], &windows, &folders[side]));
    let (old, new) = (old?, new?);
    let regrouped = stocks.iter().any(|stock| stock.source.may_regroup());
    for (of_old, of_new) in defined[0].iter().zip(&defined[1]) {
        let Wanted { component, coords, value } = of_old;
        let value_in =
            |arrays: &[Array]| arrays.get(*component).and_then(|array| array.get(coords));
        let (a, b) = (value_in(&old), value_in(&new));
        let is_near = regrouped && a.zip(b).is_some_and(|(a, b)| near_integers(a, b));
        if agree(a, b, regrouped) || is_near {
            continue;
        }
        let output = |stock: &Stock| {
            let Subject { pool, algorithm, .. } = &stock.subject;
            let (func, part) = algorithm.output_components(pool)[*component];
            pool.func(func).component_name(part)
        };
        return Ok(Some(Difference {
            run: run.clone(),
            output: stocks.map(output),
            coords: coords.clone(),
            got: [a, b].map(|value| value.map_or_else(String::new, shown)),
            defined: [*value, of_new.value].map(shown),
        }));
    }
    Ok(None)
}
