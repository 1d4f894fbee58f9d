//! The verify job: rewrite rules, mutators and emitters of Halide's family of compilers, read from
//! their C++ source and proved or refuted at every type.
//!
//! Start with [`sources`], which finds the files, and [`fn@verify`].

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, io};

use halidom_mutators::{declares, included, mutators, undeclared};
use halidom_rewrites::examine::{circles, examine};
use halidom_rewrites::python;
use halidom_rewrites::questions::{Question, program};
use halidom_rewrites::rules::example;
use halidom_smt::{Family, FindError, Program};
use halidom_verdict::{Cause, Claim, Evidence, Modes, Obligations, Ran, Verdict};

pub use halidom_mutators::{Examination, Finding, Mutator, Standing as MutatorStanding, names};
pub use halidom_rewrites::built::{Built, built};
pub use halidom_rewrites::examine::{Circle, Examined, Standing};
pub use halidom_rewrites::options::{ExamineError, Options, Source};
pub use halidom_rewrites::profile::{Language, PROFILES, Profile};
pub use halidom_rewrites::rules::{At, Domain, Limits, Verdict as Decided};

use crate::files;

/// The choice of what is verified.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Only rules and mutators with one of these texts in their file and name; all if empty.
    pub wanted: Vec<String>,
    /// Only rules, or only mutators.
    pub only: Option<Part>,
    /// Only rules at these widths in bits; all if empty.
    pub bits: Vec<u8>,
}

/// A part of what source files hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Rewrite rules.
    Rules,
    /// Mutators and emitters.
    Mutators,
}

impl Request {
    /// Tests whether the decision on a rule at some types is reported.
    pub fn is_reported(&self, at: &At) -> bool {
        self.bits.is_empty()
            || at
                .domains
                .first()
                .is_none_or(|domain| domain.width().is_some_and(|width| self.bits.contains(&width)))
    }
}

/// The widths in bits at which rules are decided.
const WIDTHS: [u8; 3] = [8, 16, 32];

/// The choice of the profile, and of the effort.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The name of the profile.
    pub profile: String,
    /// The time limit of a question, in seconds.
    pub timeout: f64,
    /// The number of solvers that run at once; `None` means one for each processor.
    pub threads: Option<usize>,
    /// A file of kept verdicts.
    pub cache: Option<PathBuf>,
}

impl Setting {
    /// Finds the profile and the solver, and checks the numbers of this setting and of a request.
    pub fn options(&self, request: &Request) -> Result<Options, VerifyError> {
        let profile = Profile::named(&self.profile);
        let profile = profile.ok_or_else(|| VerifyError::NoProfile(self.profile.clone()))?;
        let solver = Program::find(Family::Z3, None)?;
        if let Some(width) = request.bits.iter().find(|width| !WIDTHS.contains(*width)) {
            return Err(VerifyError::NoWidth(*width));
        }
        if !(self.timeout > 0.0 && self.timeout < 1e6) {
            return Err(VerifyError::NoLimit(self.timeout));
        }
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Options {
            profile,
            solver,
            limits: Limits { milliseconds: (self.timeout * 1000.0) as u64 },
            threads: self.threads.unwrap_or_else(processors),
            cache: self.cache.clone(),
        })
    }
}

/// The decisions on rules and mutators.
pub struct Verified {
    /// The rules.
    pub rules: Vec<Examined>,
    /// The pairs of rules that undo each other.
    pub circles: Vec<Circle>,
    /// The numbers of rules that were ordered, and of those that decrease in one common order.
    pub ordered: (usize, usize),
    /// The mutators.
    pub mutators: Vec<Mutator>,
}

/// The reasons for which nothing is verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A source file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The solver or the cache does not work.
    #[error(transparent)]
    Unusable(#[from] ExamineError),
    /// There is no solver.
    #[error(transparent)]
    Solver(#[from] FindError),
    /// There is no profile of this name.
    #[error("there is no profile `{0}`")]
    NoProfile(String),
    /// No rule has this width.
    #[error("`{0}` is no width of `--bits`")]
    NoWidth(u8),
    /// This is no number of seconds.
    #[error("`{0}` is no time limit")]
    NoLimit(f64),
    /// A wanted rule or mutator does not exist.
    #[error("the files have no rule and no mutator with `{0}` in its file and name")]
    NoMutator(String),
}

impl VerifyError {
    /// The stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "HAL1101",
            Self::NoProfile(_) => "HAL1102",
            Self::Unusable(_) | Self::Solver(_) => "HAL1103",
            Self::NoWidth(_) | Self::NoLimit(_) => "HAL0906",
            Self::NoMutator(_) => "HAL1104",
        }
    }

    /// A hint for the user.
    pub fn hint(&self) -> Cow<'static, str> {
        let hint = match self {
            Self::Unreadable { .. } => "give C++ files of the compiler",
            Self::Unusable(_) => "look at the solver and the cache's folder",
            Self::Solver(_) => "`cargo xtask setup` installs Z3",
            Self::NoProfile(_) => {
                let names: Vec<_> = PROFILES.iter().map(|profile| profile.name).collect();
                return format!("use one of {}", names.join(", ")).into();
            }
            Self::NoWidth(_) => "give some of 8, 16 and 32",
            Self::NoLimit(_) => "give a number of seconds, such as 2",
            Self::NoMutator(_) => "`--list` names the mutators",
        };
        hint.into()
    }
}

/// Reads source files. A folder is a checkout of the profile's compiler, and stands for the files
/// that hold its transformations.
pub fn sources(paths: &[PathBuf], profile: &Profile) -> Result<Sources, VerifyError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(transformations(path, profile).map_err(|error| unreadable(path, error))?);
        } else {
            files.push(path.clone());
        }
    }
    let mut found = Sources::default();
    for path in &files {
        found.files.push(read(path).map_err(|error| unreadable(path, error))?);
    }
    found.headers = headers(&files, &found.files);
    Ok(found)
}

/// Source files, and the headers that declare their classes.
#[derive(Debug, Default)]
pub struct Sources {
    /// The files with rules and mutators.
    pub files: Vec<Source>,
    /// Headers that these include by a name in quotes, if they declare classes that the files only
    /// use. Mutators in them are verified, too.
    pub headers: Vec<Source>,
}

impl Sources {
    /// The files and the headers.
    fn all(&self) -> Vec<Source> {
        self.files.iter().chain(&self.headers).cloned().collect()
    }
}

fn read(path: &Path) -> io::Result<Source> {
    let text = String::from_utf8(files::contents(path)?)
        .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Source { name, text })
}

/// Reads the headers that declare classes which files use, from the places where the files include
/// them by a name in quotes. One that cannot be read there is left out.
fn headers(paths: &[PathBuf], files: &[Source]) -> Vec<Source> {
    let mut all: Vec<(PathBuf, Source)> =
        paths.iter().cloned().zip(files.iter().cloned()).collect();
    // A header may be wanted only when another one is read.
    loop {
        let known: Vec<Source> = all.iter().map(|(_, source)| source.clone()).collect();
        let missing = undeclared(&known);
        let before = all.len();
        let mut found = Vec::new();
        for (path, source) in &all {
            let folder = path.parent().unwrap_or(Path::new(""));
            let quoted = included(&source.text).into_iter().filter(|(_, is_quoted)| *is_quoted);
            for header in quoted.map(|(name, _)| folder.join(name)) {
                let is_new = |(known, _): &(PathBuf, Source)| *known != header;
                if missing.is_empty() || !all.iter().chain(&found).all(is_new) {
                    continue;
                }
                let read = read(&header).ok().filter(|it| declares(&it.text, &missing));
                found.extend(read.map(|source| (header, source)));
            }
        }
        all.extend(found);
        if all.len() == before {
            break;
        }
    }
    all.drain(..files.len());
    all.into_iter().map(|(_, source)| source).collect()
}

fn unreadable(path: &Path, source: io::Error) -> VerifyError {
    VerifyError::Unreadable { path: path.to_owned(), source }
}

/// Lists the mutators with one of the wanted texts in their file and name: each with its file.
pub fn list(sources: &Sources, wanted: &[String]) -> Result<Vec<(String, String)>, VerifyError> {
    let all = sources.all();
    for name in wanted {
        if names(&all, std::slice::from_ref(name)).is_empty() {
            return Err(VerifyError::NoMutator(name.clone()));
        }
    }
    Ok(names(&all, wanted))
}

/// Verifies the rules and mutators of source files.
pub fn verify(
    sources: &Sources,
    request: &Request,
    options: &Options,
) -> Result<Verified, VerifyError> {
    let rules = match request.only {
        Some(Part::Mutators) => Vec::new(),
        Some(Part::Rules) | None => examine(&sources.files, &request.wanted, options)?,
    };
    let (circles, all, down) = if rules.is_empty() {
        (Vec::new(), 0, 0)
    } else {
        circles(&sources.files, options.profile)
    };
    let mutators = match request.only {
        Some(Part::Rules) => Vec::new(),
        Some(Part::Mutators) | None => mutators(&sources.all(), &request.wanted, options)?,
    };
    for wanted in &request.wanted {
        let of_rules = rules.iter().map(|rule| (&rule.file, &rule.function));
        let mut all = of_rules.chain(mutators.iter().map(|mutator| (&mutator.file, &mutator.name)));
        if !all.any(|(file, name)| format!("{file}: {name}").contains(wanted)) {
            return Err(VerifyError::NoMutator(wanted.clone()));
        }
    }
    Ok(Verified { rules, circles, ordered: (all, down), mutators })
}

/// The message if nothing was verified.
pub const NOTHING: (&str, &str) = (
    "the files have no rule that a type reaches, and no mutator",
    "give the C++ files that hold the compiler's transformations; `--list` names the mutators that \
        are seen",
);

impl Verified {
    /// The verdict on everything that is reported.
    pub fn verdict(&self, request: &Request) -> Verdict {
        let rules =
            self.rules.iter().filter_map(|rule| of_rule(rule, |at| request.is_reported(at)));
        let mutators = self.mutators.iter().map(of_mutator);
        Verdict::worst(rules.chain(mutators).chain(self.circles.iter().map(of_circle)), NOTHING)
    }
}

/// The verdict on a rule at the reported types; `None` if no reported type reaches the rule.
pub fn of_rule(rule: &Examined, is_reported: impl Fn(&At) -> bool) -> Option<Verdict> {
    let mut types = Obligations::of(Claim::Rule);
    for at in rule.verdicts.iter().filter(|at| is_reported(at)) {
        match &at.verdict {
            Decided::Verified if at.domains.contains(&Domain::Real) => {
                types.shown(&Modes::reals([""; 0]));
            }
            Decided::Verified => types.shown(&Modes::BITS),
            Decided::Vacuous => {}
            Decided::Undecided(reason) | Decided::Unsupported(reason) => {
                types.open(Cause::Rule, format!("{}:{}: {reason}", rule.file, rule.line));
            }
            Decided::Crash(trap) => {
                let evidence = Evidence::of(Ran::Rewriting, "a value", trap.text());
                return Some(Verdict::refuted(evidence));
            }
            Decided::Wrong(found) => {
                let got = found.got.map_or("no value".to_owned(), |got| got.to_string());
                let expected = found.expected.to_string();
                return Some(Verdict::refuted(Evidence::of(Ran::Rewriting, expected, got)));
            }
        }
    }
    (types.total() > 0).then(|| types.verdict(NOTHING))
}

/// The verdict on a mutator. A defect that was not replayed does not refute it. The types at which
/// a mutator is judged include floats, which are real numbers there.
pub fn of_mutator(mutator: &Mutator) -> Verdict {
    let Examination { findings, proved } = &mutator.examination;
    let mut claims = Obligations::of(Claim::Mutator);
    for _ in 0..*proved {
        claims.shown(&Modes::reals([""; 0]));
    }
    let mut refuted = Vec::new();
    for finding in findings {
        let place = format!("{}: {}", place_of(mutator, finding), finding.text);
        match (&finding.counterexample, finding.standing.is_refuted()) {
            (Some(found), true) => {
                let expected = found.expected.as_deref().unwrap_or(&found.before);
                let got = found.got.as_ref().or(found.after.as_ref()).unwrap_or(&place);
                let evidence = Evidence::of(Ran::Rewriting, expected, got.as_str());
                refuted.push(Verdict::refuted(evidence));
            }
            (None, true) => claims.open(Cause::Mutator, format!("{place} (not replayed)")),
            (Some(_) | None, false) => claims.open(Cause::Mutator, place),
        }
    }
    let nothing = ("no claim was made about the mutator", "look at its source");
    if refuted.is_empty() { claims.verdict(nothing) } else { Verdict::worst(refuted, nothing) }
}

/// The verdict on two rules that undo each other: a refutation, as the simplifier does not
/// terminate.
pub fn of_circle(circle: &Circle) -> Verdict {
    let got = format!("{0} => {1} => {0}", circle.before, circle.between);
    Verdict::refuted(Evidence::of(Ran::Rewriting, "rules that do not undo one another", got))
}

/// The file and line of a finding.
pub fn place_of(mutator: &Mutator, finding: &Finding) -> String {
    format!("{}:{}", finding.file.as_ref().unwrap_or(&mutator.file), finding.line)
}

/// Prints the program that tests rules against a compiled simplifier: every refutation and, for
/// each verified rule, an example at one of its types.
pub fn questions(examined: &[Examined], profile: &Profile) -> String {
    let (mut wrong, mut verified) = (Vec::new(), Vec::new());
    for (number, known) in examined.iter().enumerate() {
        let Ok(rule) = &known.rule else { continue };
        let place = |at: &At| {
            let types: Vec<String> = at.domains.iter().map(ToString::to_string).collect();
            format!("{}:{} at {}", known.file, known.line, types.join(", "))
        };
        for at in &known.verdicts {
            if let Decided::Wrong(counterexample) = &at.verdict {
                wrong.push((place(at), rule.side(at.side), counterexample));
            }
        }
        if known.standing() == Standing::Verified {
            // The compiler rounds floats, which the rules do not describe.
            let is_exact = |at: &&At| !at.domains.contains(&Domain::Real);
            let types = known.verdicts.iter().filter(|at| at.verdict == Decided::Verified);
            let types: Vec<&At> = types.filter(is_exact).collect();
            // The types vary from rule to rule.
            let Some(at) = types.get(number % types.len().max(1)) else { continue };
            let rule = rule.side(at.side);
            if let Some(example) = example(&rule, profile, &at.domains) {
                verified.push((place(at), rule, example));
            }
        }
    }
    let mut questions = Vec::new();
    for (place, rule, counterexample) in &wrong {
        questions.push(Question {
            place: place.clone(),
            rule,
            is_wrong: true,
            values: &counterexample.values,
            expected: counterexample.expected,
        });
    }
    for (place, rule, example) in &verified {
        questions.push(Question {
            place: place.clone(),
            rule,
            is_wrong: false,
            values: &example.values,
            expected: example.value,
        });
    }
    match profile.language {
        Language::IrMatch => program(&questions),
        Language::PatternMatch => python::program(&questions),
    }
}

/// Lists, in order, the files of a checkout that hold the compiler's transformations.
fn transformations(checkout: &Path, profile: &Profile) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (folder, patterns) in profile.sources {
        for entry in fs::read_dir(checkout.join(folder))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if patterns.iter().any(|pattern| matches(pattern, &name)) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Tests whether a name fits a pattern, in which one `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
        None => pattern == name,
    }
}
