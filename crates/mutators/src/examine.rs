//! All rules of some files: read, decided with several solvers at once, remembered.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use halidom_smt::{OpenError, Options as SolverOptions, Program, Solver};

use crate::cache::{Cache, key};
use crate::cpp;
use crate::profile::Profile;
use crate::rules::{self, At, Context, Found, Limits, Rule, Verdict, is_unconditional};

/// A file's name and text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in reports.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// How to examine.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the sources' IR means.
    pub profile: &'static Profile,
    /// The solver.
    pub solver: Program,
    /// The solver's limits.
    pub limits: Limits,
    /// Solvers at once.
    pub threads: usize,
    /// A file of answers; it is read and written again.
    pub cache: Option<PathBuf>,
}

/// A rule with its verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// The file's name.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The function, as `Simplify::visit(const Add *)`.
    pub function: String,
    /// The rule, or what is not understood of it.
    pub rule: Result<Rule, String>,
    /// The verdicts, one for each choice of types.
    pub verdicts: Vec<At>,
}

/// How a rule is counted: the worst of its verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// No type or value reaches it.
    Unreached,
    /// Proved at every type that reaches it.
    Verified,
    /// Not modelled, wholly or at some types.
    Unsupported,
    /// Modelled, but not decided at some types.
    Undecided,
    /// Wrong at some types.
    Wrong,
}

impl Standing {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreached => "unreached",
            Self::Verified => "verified",
            Self::Unsupported => "unsupported",
            Self::Undecided => "undecided",
            Self::Wrong => "wrong",
        }
    }

    /// Of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Verified => Self::Verified,
            Verdict::Wrong(_) => Self::Wrong,
            Verdict::Undecided(_) => Self::Undecided,
            Verdict::Unsupported(_) => Self::Unsupported,
            Verdict::Vacuous => Self::Unreached,
        }
    }
}

impl Examined {
    /// The worst of the verdicts at types that satisfy a condition.
    pub fn standing_where(&self, wanted: impl Fn(&At) -> bool) -> Standing {
        let standings =
            self.verdicts.iter().filter(|at| wanted(at)).map(|at| Standing::of(&at.verdict));
        standings.max().unwrap_or(Standing::Unreached)
    }

    /// The rule for a reader: `(x + 0) => x`.
    pub fn text(&self) -> String {
        match &self.rule {
            Err(construct) => construct.clone(),
            Ok(rule) => {
                let predicate = rule.predicate.as_ref().map(|predicate| format!(" if {predicate}"));
                format!("{} => {}{}", rule.lhs, rule.rhs, predicate.unwrap_or_default())
            }
        }
    }

    /// The worst of the verdicts.
    pub fn standing(&self) -> Standing {
        self.standing_where(|_| true)
    }
}

/// Why nothing was examined.
#[derive(Debug, thiserror::Error)]
pub enum ExamineError {
    /// A solver could not be set up.
    #[error(transparent)]
    Solver(#[from] OpenError),
    /// The cache's file cannot be read or written.
    #[error("cannot use the cache `{path}`: {source}")]
    Cache {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Reads and decides every rule of the files. Rules whose operands are simplified by other rules rest on those: give the
/// whole simplifier.
pub fn examine(sources: &[Source], options: &Options) -> Result<Vec<Examined>, ExamineError> {
    let mut read: Vec<(usize, Found)> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let file = cpp::parse(&source.text).unwrap_or_default();
        read.extend(rules::rules(&file).into_iter().map(|found| (index, found)));
    }
    let plain: Vec<(usize, usize, &str, &Rule)> = read
        .iter()
        .filter_map(|(file, found)| {
            let rule = found.rule.as_ref().ok().filter(|rule| is_unconditional(rule))?;
            Some((*file, found.line, found.function.as_str(), rule))
        })
        .collect();
    let everywhere: Vec<&Rule> = plain.iter().map(|(.., rule)| *rule).collect();
    let io =
        |source| ExamineError::Cache { path: options.cache.clone().unwrap_or_default(), source };
    let cache = Cache::load(options).map_err(io)?;
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Vec<At>>>> = Mutex::new(vec![None; read.len()]);
    let work = || -> Result<(), ExamineError> {
        let mut solver = Solver::open(SolverOptions::new(options.solver.clone()))?;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((file, found)) = read.get(index) else { return Ok(()) };
            let verdicts = match &found.rule {
                Err(construct) => {
                    let verdict = Verdict::Unsupported(construct.clone());
                    vec![At { domains: Vec::new(), verdict }]
                }
                Ok(rule) => {
                    let is_earlier = |(other, line, function, _): &&(usize, usize, &str, &Rule)| {
                        other == file && *function == found.function && *line < found.line
                    };
                    let earlier = plain.iter().filter(is_earlier).map(|(.., rule)| *rule).collect();
                    let context = Context { everywhere: everywhere.clone(), earlier };
                    let key = key(rule, &context, options);
                    let known = cache.get(&key, rule, &context, options);
                    known.unwrap_or_else(|| {
                        let verdicts = rules::verify(
                            rule,
                            &context,
                            options.profile,
                            &mut solver,
                            options.limits,
                        );
                        cache.put(key, &verdicts, options);
                        verdicts
                    })
                }
            };
            done.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(verdicts);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    cache.save(options).map_err(io)?;
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let examined = read.into_iter().zip(done).map(|((file, found), verdicts)| Examined {
        file: sources[file].name.clone(),
        line: found.line,
        function: found.function,
        rule: found.rule,
        verdicts: verdicts.unwrap_or_default(),
    });
    Ok(examined.collect())
}
