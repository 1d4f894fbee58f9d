//! A batch of programs: one process of Halide compiles them; they are judged and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use halidom_halide::bridge::{self, Artifacts, BridgeError, Each, Undone};
use halidom_halide::{codes, script};
use halidom_ir::Schedule;
use halidom_smt::FindError;
use halidom_testgen::cases_of;
use halidom_validate::{Budget, Search, Verdict};

use super::figures::Figures;
use super::finding::{Finding, Kind};
use halidom_driver::files::{FileError, write_bytes};
use halidom_driver::judge::{self, Options};
use halidom_driver::source::parse;
use halidom_driver::stock::replay::{Expected, compare, write_case};
use halidom_driver::stock::{self, Replay, Request, Stock};

/// The largest number of points in a window.
const POINTS: i64 = 500;
/// The largest number of characters in a reason.
const REASON: usize = 120;
/// The script's file name in its folder.
pub(super) const SCRIPT: &str = "script.py";

/// Compiles, judges and runs programs.
pub(super) struct Examiner {
    judge: halidom_validate::Options,
    cases: usize,
}

/// A program that Halide compiled.
struct Compiled {
    seed: u64,
    text: String,
    folder: PathBuf,
    stock: Stock,
    /// The verdict on its statement.
    verdict: Verdict,
    cases: Vec<Case>,
}

/// A case to run the compiled code on.
struct Case {
    folder: PathBuf,
    windows: Vec<halidom_ir::Shape>,
    expected: Expected,
}

type Examined = (Figures, Vec<Finding>);

impl Examiner {
    pub(super) fn new(cases: usize) -> Result<Self, FindError> {
        let mut judge = Options::find()?.validator();
        judge.asking.timeout = Duration::from_secs(5);
        judge.budget = Budget { questions: Some(80), steps: Some(100_000), open: Some(1) };
        judge.search = Search { trials: 40, runs: 12, steps: 400_000, ..Search::default() };
        judge.strictness = Duration::ZERO;
        Ok(Self { judge, cases })
    }

    /// Examines programs, each with its seed.
    pub(super) fn examine(&self, texts: Vec<(u64, String)>) -> Result<Examined, BridgeError> {
        let place = tempfile::tempdir()?;
        let mut figures = Figures::default();
        let mut findings = Vec::new();
        let mut written = Vec::new();
        for (number, (seed, text)) in texts.into_iter().enumerate() {
            figures.programs += 1;
            let script = match script_of(&text) {
                Ok(script) => script,
                Err(reason) => {
                    *figures.unprintable.entry(reason).or_default() += 1;
                    continue;
                }
            };
            let folder = place.path().join(format!("{number:04}"));
            fs::create_dir(&folder)?;
            fs::write(folder.join(SCRIPT), script)?;
            written.push((seed, text, folder));
        }
        bridge::each(Each::Settle, place.path())?;
        // A process of Halide takes time even if it has nothing to do.
        if written.iter().any(|(.., folder)| folder.join("factored.txt").is_file()) {
            bridge::each(Each::Specify, place.path())?;
        }
        let mut compiled = Vec::new();
        for (seed, text, folder) in written {
            match self.compiled(seed, text, folder, &mut figures) {
                Ok(found) => compiled.extend(found),
                Err(finding) => findings.push(finding),
            }
        }
        if compiled.iter().any(|compiled| !compiled.cases.is_empty()) {
            bridge::each(Each::Run, place.path())?;
        }
        for compiled in compiled {
            findings.extend(ran(compiled, &mut figures));
        }
        Ok((figures, findings))
    }

    /// Reads Halide's compilation, judges it, and writes the cases.
    fn compiled(
        &self,
        seed: u64,
        text: String,
        folder: PathBuf,
        figures: &mut Figures,
    ) -> Result<Option<Compiled>, Finding> {
        let path = folder.join(SCRIPT);
        let script = fs::read_to_string(&path).unwrap_or_default();
        let finding = |kind, what: String, text: String| {
            let small = None;
            Err(Finding { seed, kind, what, script: script.clone(), text, small })
        };
        match Each::Settle.undone(&folder, &folder.join("final.stmt")) {
            Some(Undone::Refused(_)) => {
                figures.refused += 1;
                return Ok(None);
            }
            Some(Undone::Crashed) => return finding(Kind::Crash, "it ends".to_owned(), text),
            None => {}
        }
        let artifacts = match Artifacts::read(&folder, String::new()) {
            Ok(artifacts) => artifacts,
            Err(error) => return finding(Kind::Reader, error.to_string(), text),
        };
        let stock = match stock::of_script(&path, artifacts) {
            Ok(stock) => stock,
            Err(diagnostic) if diagnostic.code == codes::UNSUPPORTED => {
                *figures.untranslated.entry(diagnostic.message).or_default() += 1;
                return Ok(None);
            }
            Err(diagnostic) => return finding(Kind::Reader, diagnostic.message, text),
        };
        count_directives(&script, figures);
        let subject = &stock.subject;
        let report = halidom_validate::validate_refined(
            &mut subject.pool.clone(),
            &subject.algorithm,
            &subject.compiled.steps,
            &subject.compiled.program,
            &self.judge,
        );
        match &report.verdict {
            Verdict::Proved => figures.proved += 1,
            Verdict::Refuted(_) => figures.refuted += 1,
            Verdict::Unknown(reason) => {
                *figures.unknown.entry(reason.words.clone()).or_default() += 1;
            }
        }
        let program = &subject.compiled.program;
        let given = (seed, self.cases);
        let found = cases_of(&subject.pool, &subject.algorithm, program, POINTS, given);
        let mut cases = Vec::new();
        let inputs = |case: &halidom_testgen::Case| {
            let inputs = subject.algorithm.inputs.iter();
            inputs.filter_map(|input| case.bindings.input(*input)).all(is_finite)
        };
        for (number, case) in found.into_iter().filter(inputs).enumerate() {
            let folder = folder.join(format!("case_{number}"));
            if fs::create_dir(&folder).is_err() {
                continue;
            }
            let windows = case.windows;
            match write_case(&stock, &case.bindings, &windows, &folder) {
                Ok(expected) => cases.push(Case { folder, windows, expected }),
                // Where no values are required, there is nothing to run.
                Err(_) => drop(fs::remove_dir_all(&folder)),
            }
        }
        let verdict = report.verdict;
        Ok(Some(Compiled { seed, text, folder, stock, verdict, cases }))
    }
}

/// The script of a program under its first schedule.
pub(super) fn script_of(text: &str) -> Result<String, String> {
    let loaded = parse("program.hal", text);
    let pipeline = loaded.module.pipelines.first().ok_or("the front end refuses it")?;
    let schedule = match pipeline.schedules.first() {
        Some(named) => named.schedule.clone(),
        None => Schedule::default(),
    };
    script::print(&loaded.module.pool, &pipeline.algorithm, &schedule)
        .map_err(|error| error.to_string())
}

/// Compares the compiled code's results with the pipeline's, and both with the verdict.
fn ran(compiled: Compiled, figures: &mut Figures) -> Option<Finding> {
    let Compiled { seed, text, folder, stock, verdict, cases } = compiled;
    let mut differs = None;
    for Case { folder, windows, expected } in cases {
        if !folder.join("done.txt").is_file() {
            figures.runs_refused += 1;
            continue;
        }
        figures.runs += 1;
        if let Ok(Replay::Wrong { output, coords, expected, got }) =
            compare(&stock, &windows, &expected, &folder)
        {
            differs = differs.or(Some(format!(
                "the compiled code gives {got} for {output}{coords:?}, and the pipeline says \
                    {expected}"
            )));
        }
    }
    let (kind, what) = match (&verdict, differs) {
        (Verdict::Refuted(_), Some(what)) => (Kind::Miscompiled, what),
        (Verdict::Proved, Some(what)) => (Kind::Proved, what),
        (Verdict::Unknown(_), Some(what)) => (Kind::Code, what),
        (Verdict::Proved | Verdict::Unknown(_), None) => return None,
        (Verdict::Refuted(found), None)
            if !found.inputs.iter().all(|(_, array)| is_finite(array)) =>
        {
            let reason = "it is of inputs with infinities or NaNs";
            *figures.not_borne_out.entry(reason.to_owned()).or_default() += 1;
            return None;
        }
        (Verdict::Refuted(counterexample), None) => {
            match stock::replay(&stock, counterexample) {
                Replay::Wrong { output, coords, expected, got } => (
                    Kind::Miscompiled,
                    format!(
                        "the compiled code gives {got} for {output}{coords:?}, and the pipeline \
                            says {expected}"
                    ),
                ),
                Replay::Faults(seen) => {
                    (Kind::Miscompiled, format!("the compiled code faults: {seen}"))
                }
                Replay::Right => {
                    let found = counterexample;
                    let inputs = crate::fuzz::counterexample_inputs(found);
                    let site = found.site.as_ref().map_or("", |site| site.fault.as_str());
                    let what = format!(
                        "expected {}, and the statement gives {} ({site})\n{inputs}",
                        found.expected, found.got
                    );
                    let faults = found.output.is_none();
                    (if faults { Kind::Fault } else { Kind::Translation }, what)
                }
                // A failed run is not a finding. The verdict stands, and is counted.
                Replay::Killed(words) | Replay::Failed(words) => {
                    let reason = words.chars().take(REASON).collect();
                    *figures.not_borne_out.entry(reason).or_default() += 1;
                    return None;
                }
            }
        }
    };
    let script = fs::read_to_string(folder.join(SCRIPT)).unwrap_or_default();
    Some(Finding { seed, kind, what, script, text, small: None })
}

/// Tests whether an array has no infinities and no NaNs. Halide leaves their treatment in `min`,
/// `max` and `clamp` to the machine.
fn is_finite(array: &halidom_ir::Array) -> bool {
    array.points().all(|point| {
        let value = array.get(&point);
        let value = value.and_then(|value| value.as_f64().or(value.as_f32().map(f64::from)));
        value.is_none_or(f64::is_finite)
    })
}

/// Counts the directives of a script by name.
fn count_directives(script: &str, figures: &mut Figures) {
    let lines = script.lines().skip_while(|line| *line != script::SCHEDULE).skip(1);
    for line in
        lines.take_while(|line| !["    return", "    made"].iter().any(|end| line.starts_with(end)))
    {
        let word = directive_name(line);
        *figures.directives.entry(word.to_owned()).or_default() += 1;
    }
}

/// The name of the directive in a line: `split` for `f.update(0).split(x, …)`.
fn directive_name(line: &str) -> &str {
    let line = line.split_once(" = ").map_or(line, |(_, call)| call).trim();
    let rest = match line.find(".update(") {
        Some(at) => line[at..].split_once(").").map_or(line, |(_, rest)| rest),
        None => line.split_once('.').map_or(line, |(_, rest)| rest),
    };
    rest.split('(').next().unwrap_or(rest)
}

/// Writes a finding to a folder: the scripts, the program, and Halide's artifacts for the smallest
/// script, with the run that shows the finding.
pub(super) fn keep(found: &Finding, folder: &Path) -> Result<PathBuf, FileError> {
    let own = folder.join(format!("seed_{}", found.seed));
    fs::create_dir_all(&own).map_err(|source| FileError::Write { path: own.clone(), source })?;
    let Finding { seed, kind, what, script, text, small } = found;
    let words = format!("seed {seed}: {}\n{what}\n", kind.name());
    write_bytes(&own.join("finding.txt"), words.as_bytes())?;
    write_bytes(&own.join("script.py"), script.as_bytes())?;
    write_bytes(&own.join("program.hal"), text.as_bytes())?;
    let least = own.join("small.py");
    write_bytes(&least, small.as_ref().unwrap_or(script).as_bytes())?;
    let job = bridge::Job::of(bridge::Origin::Script(least));
    let Ok(made) = job.compile_with_passes(&own) else { return Ok(own) };
    write_bytes(&own.join("passes.txt"), made.passes.as_bytes())?;
    let request = Request::of_job(job);
    let Ok(stock) = stock::read(&request) else { return Ok(own) };
    let Ok(options) = Options::find() else { return Ok(own) };
    let subject = &stock.subject;
    let mut report =
        judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options.of_stock());
    stock::bear_out(&stock, &mut report, Some(&own))?;
    Ok(own)
}
