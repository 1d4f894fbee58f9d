//! Makes mutants of statements that are proved in their original form, runs them, and judges them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use halidom_driver::stock::{self, Request, Stock};
use halidom_workshop::stock::mutants::{Observer, Site, Statement};

use crate::common::in_parallel;
use crate::result::{MutantResult, Verdict, observed};
use crate::verdict::{Effort, Judged, REPLAYED, judge};

/// Options of a sweep.
pub(crate) struct Options {
    /// The number of mutants; `None` means one of each kind in each statement.
    pub(crate) mutants: Option<usize>,
    /// Only kinds whose names contain this.
    pub(crate) kind: String,
    pub(crate) is_told: bool,
    /// The code of one in this many refuted mutants is run too; 0 means none.
    pub(crate) replayed: usize,
    /// A folder for the state, so that an interrupted run can continue.
    pub(crate) state: Option<PathBuf>,
    /// A folder for mutants that are wrong but proved.
    pub(crate) findings: Option<PathBuf>,
}

/// The results for all mutants.
#[derive(Default)]
pub(crate) struct Swept {
    /// The number of original statements that are proved and that the machine runs.
    pub(crate) proved: usize,
    pub(crate) results: Vec<MutantResult>,
}

impl Swept {
    /// The number of mutants that the machine shows to be wrong, and the number of these that are
    /// refuted.
    pub(crate) fn observable(&self) -> (usize, usize) {
        let wrong = self.results.iter().filter(|result| result.is_wrong);
        let refuted = wrong.clone().filter(|result| result.verdict == Verdict::Refuted);
        (wrong.count(), refuted.count())
    }

    /// The number of mutants that a run of the statement refutes and whose own code was run, and
    /// the number of these whose code is wrong too.
    pub(crate) fn replayed(&self) -> (usize, usize) {
        let run = self.results.iter().filter(|result| result.reason.starts_with(REPLAYED));
        let wrong = run.clone().filter(|result| result.verdict == Verdict::Refuted);
        (run.count(), wrong.count())
    }
}

/// Statements with a longer proof are left out of a sweep, as each of their mutants takes as long.
const SLOW: Duration = Duration::from_secs(8);
/// The percentage of statements that are expected to be proved; the others have no mutants.
const SHARE: usize = 40;

/// Examines all statements.
pub(crate) fn sweep(statements: &[(String, Request)], options: &Options) -> Swept {
    let state = options.state.as_deref().map(State::open);
    let expected = (statements.len() * SHARE / 100).max(1);
    let done = Mutex::new((0, 0));
    let swept = in_parallel(statements, |(name, request)| {
        let known = state.as_ref().and_then(|state| state.known(name));
        let results = match known {
            Some(known) => Some(known),
            None => {
                let found = statement(name, request, (expected, options));
                if let (Some(state), Some(found)) = (&state, &found) {
                    state.keep(name, found);
                }
                found
            }
        };
        let mut done = done.lock().expect("no thread panics while it counts");
        done.0 += 1;
        done.1 += results.as_ref().map_or(0, Vec::len);
        println!("{} of {} statements, {} mutants", done.0, statements.len(), done.1);
        results
    });
    let mut all = Swept::default();
    for results in swept.into_iter().flatten().filter(|results| !results.is_empty()) {
        all.proved += 1;
        all.results.extend(results);
    }
    all
}

/// The results for a statement's mutants. `None` if it could not be examined, which another run may
/// repair.
fn statement(
    name: &str,
    request: &Request,
    (expected, options): (usize, &Options),
) -> Option<Vec<MutantResult>> {
    let begin = Instant::now();
    let left_out = |reason: &str| {
        println!("{name}: left out: {}", reason.chars().take(160).collect::<String>());
        Some(Vec::new())
    };
    let stock = match stock::read(request) {
        Ok(stock) => stock,
        Err(refusal) => {
            let first = refusal.diagnostics.first();
            let left = left_out(first.map_or("it is not read", |found| &found.message));
            // A file that cannot be read is a fault of the test.
            return left.filter(|_| first.is_some_and(|found| found.code.0 != "HAL0801"));
        }
    };
    let read = begin.elapsed();
    // The original is the right twin of all its mutants.
    let own = judge(&stock, Effort::Search);
    let judged = begin.elapsed().saturating_sub(read);
    if own.verdict != Verdict::Proved {
        return left_out(&format!("{}: {}", own.verdict.name(), own.reason));
    }
    if judged > SLOW && options.mutants.is_some() {
        return left_out(&format!("it is proved, in {:.1} s", judged.as_secs_f64()));
    }
    let changed = Statement::of(&stock);
    let observer = match Observer::of(&changed) {
        Ok(observer) => observer,
        Err(reason) => return left_out(&reason),
    };
    let seed = seed_of(name);
    let mut sites = match options.mutants {
        Some(wanted) => {
            // Choose enough of each kind so that all statements together give the wanted number.
            let wanted = wanted.div_ceil(expected);
            let mut each = 1;
            let mut found = changed.chosen(each, seed);
            while found.len() < wanted && each < 8 {
                each += 1;
                found = changed.chosen(each, seed);
            }
            found
        }
        None => changed.chosen(1, seed),
    };
    sites.retain(|site| site.kind.name.contains(&options.kind));
    let original = changed.text(changed.block());
    let mut results = Vec::new();
    for (number, site) in sites.iter().enumerate() {
        let block = changed.changed(site);
        let text = changed.text(&block);
        let seen = observer.observe(&changed, &block);
        let judged = match changed.stock(block) {
            Ok(mutant) => {
                let is_replayed = options.replayed > 0
                    && (seed as usize).wrapping_add(number) % options.replayed == 0;
                let effort = match (seen.is_wrong(), is_replayed) {
                    (false, _) => Effort::Little,
                    (true, false) => Effort::Search,
                    (true, true) => Effort::Replay,
                };
                judge(&mutant, effort)
            }
            Err(reason) => Judged { verdict: Verdict::Refused, reason },
        };
        let result = MutantResult {
            statement: name.to_owned(),
            kind: site.kind.name.to_owned(),
            number: site.number,
            is_wrong: seen.is_wrong(),
            observed: observed(&seen),
            verdict: judged.verdict,
            reason: judged.reason,
        };
        let is_finding = result.is_wrong && result.verdict == Verdict::Proved;
        if options.is_told || is_finding {
            let sign = if is_finding { "PROVED AND WRONG: " } else { "" };
            let change = difference(&original, &text);
            println!("{sign}{}\n{change}", result.line().replace('\t', " | "));
        }
        if let (true, Some(folder)) = (is_finding, &options.findings) {
            keep(folder, &stock, (&result, site), &original, &text);
        }
        results.push(result);
    }
    println!(
        "{name}: {} mutants, {} seen to be wrong in {} runs, {} of these refuted; {:.1} s",
        results.len(),
        results.iter().filter(|result| result.is_wrong).count(),
        observer.runs().0,
        results.iter().filter(|it| it.is_wrong && it.verdict == Verdict::Refuted).count(),
        begin.elapsed().as_secs_f64()
    );
    Some(results)
}

/// A hash of a name, so that statements are changed in different places.
fn seed_of(name: &str) -> u64 {
    name.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

/// Writes a mutant that is wrong but proved to a folder: the change, both statements, and the
/// machine's observation.
fn keep(
    folder: &Path,
    stock: &Stock,
    (result, site): (&MutantResult, &Site),
    original: &str,
    text: &str,
) {
    let kind = result.kind.replace([' ', ':'], "_");
    let own = folder.join(format!("{}_{kind}_{}", result.statement, result.number));
    fs::create_dir_all(&own).expect("there is room");
    let notes: Vec<String> = stock.notes.iter().map(ToString::to_string).collect();
    let notes = notes.join("\n");
    let words = format!(
        "{}: {} (site {})\n{}\n\nthe machine: {}\nthe validator: proved\n\n{}\nnotes of the \
            statement as it was compiled:\n{notes}\n",
        result.statement,
        result.kind,
        result.number,
        site.kind.what,
        result.observed,
        difference(original, text),
    );
    for (file, text) in [("finding.txt", &*words), ("right.stmt", original), ("wrong.stmt", text)] {
        fs::write(own.join(file), text).expect("there is room");
    }
}

/// The lines in which two texts differ.
fn difference(before: &str, after: &str) -> String {
    let [old, new] = [before, after].map(|text| text.lines().collect::<Vec<_>>());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let both = old.iter().rev().zip(new.iter().rev()).take(rest);
    let tail = both.take_while(|(a, b)| a == b).count();
    let show = |sign: &str, lines: &[&str]| {
        let shown = lines.iter().take(6).map(|line| {
            let line: String = line.trim_start().chars().take(300).collect();
            format!("    {sign} {line}\n")
        });
        shown.collect::<String>()
    };
    show("-", &old[head..old.len() - tail]) + &show("+", &new[head..new.len() - tail])
}

/// A state file. It belongs to one build of this test; results of another build are not used.
struct State {
    path: PathBuf,
    lines: Vec<String>,
    file: Mutex<fs::File>,
}

impl State {
    fn open(folder: &Path) -> Self {
        fs::create_dir_all(folder).expect("there is room");
        let own = std::env::current_exe().and_then(fs::metadata).expect("this test is a file");
        let made = own.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let build = format!("{}-{}", own.len(), made.map_or(0, |made| made.as_secs()));
        let path = folder.join(format!("{build}.tsv"));
        let lines = fs::read_to_string(&path).unwrap_or_default();
        let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        let file = fs::OpenOptions::new().create(true).append(true).open(&path);
        let file = Mutex::new(file.expect("there is room"));
        println!("what is done stands in {}", path.display());
        Self { path, lines, file }
    }

    /// The results for a statement, if it was completed.
    fn known(&self, name: &str) -> Option<Vec<MutantResult>> {
        let end = format!("{name}\tdone");
        self.lines.contains(&end).then(|| {
            let own = self.lines.iter().filter_map(|line| MutantResult::of(line));
            own.filter(|result| result.statement == name).collect()
        })
    }

    fn keep(&self, name: &str, results: &[MutantResult]) {
        let mut text: String = results.iter().map(|result| result.line() + "\n").collect();
        text.extend([name, "\tdone\n"]);
        let mut file = self.file.lock().expect("no thread panics while it writes");
        let written = file.write_all(text.as_bytes());
        assert!(written.is_ok(), "{} can be written", self.path.display());
    }
}
