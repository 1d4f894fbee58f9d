//! Examines all rules of some files: reads them, decides them with several solvers at once, and
//! keeps the verdicts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use halidom_base::stack;
use halidom_cpp as cpp;
use halidom_smt::Solver;

use crate::cache::{Cache, key};
use crate::options::{ExamineError, Options, Source};
use crate::profile::{Language, Profile};
use crate::rules::{self, At, Context, Found, Pattern, Rule, Verdict, is_unconditional};

/// A rule with its verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// The file's name.
    pub file: String,
    /// The rule's line.
    pub line: usize,
    /// The function, as `Simplify::visit(const Add *)`.
    pub function: String,
    /// The rule, or the construct that is not understood.
    pub rule: Result<Rule, String>,
    /// The verdicts, one for each choice of types.
    pub verdicts: Vec<At>,
}

/// The standing of a rule: the worst of its verdicts.
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
    /// Computing its constants ends the compiler.
    Crash,
    /// Wrong at some types.
    Wrong,
}

impl Standing {
    /// Returns the word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreached => "unreached",
            Self::Verified => "verified",
            Self::Unsupported => "unsupported",
            Self::Undecided => "undecided",
            Self::Crash => "crash",
            Self::Wrong => "wrong",
        }
    }

    /// Returns the standing of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Verified => Self::Verified,
            Verdict::Wrong(_) => Self::Wrong,
            Verdict::Crash(_) => Self::Crash,
            Verdict::Undecided(_) => Self::Undecided,
            Verdict::Unsupported(_) => Self::Unsupported,
            Verdict::Vacuous => Self::Unreached,
        }
    }
}

impl Examined {
    /// Returns the worst of the verdicts at types that satisfy a condition.
    pub fn standing_where(&self, wanted: impl Fn(&At) -> bool) -> Standing {
        let standings =
            self.verdicts.iter().filter(|at| wanted(at)).map(|at| Standing::of(&at.verdict));
        standings.max().unwrap_or(Standing::Unreached)
    }

    /// Returns the rule for a reader: `(x + 0) => x`.
    pub fn text(&self) -> String {
        match &self.rule {
            Err(construct) => construct.clone(),
            Ok(rule) => rule.to_string(),
        }
    }

    /// Returns the rule with the pattern of a verdict alone, for a reader.
    pub fn text_at(&self, at: &At) -> String {
        match &self.rule {
            Err(construct) => construct.clone(),
            Ok(rule) => rule.side(at.side).to_string(),
        }
    }

    /// Returns the worst of the verdicts.
    pub fn standing(&self) -> Standing {
        self.standing_where(|_| true)
    }
}

/// Two rules that undo each other, each given as file and line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// The first rule.
    pub first: (String, usize),
    /// The second rule; the same if a rule undoes itself.
    pub second: (String, usize),
    /// An expression that the two rules rewrite to itself.
    pub before: String,
    /// The expression between the two rewrites.
    pub between: String,
}

/// Looks for pairs of rules that undo each other. Returns them, the number of rules that are
/// understood, and how many of these lead downwards in one order (see [`rules::leads_down`]).
///
/// In languages other than `IRMatch.h` a result is not rewritten again by every rule, so nothing is
/// looked for.
pub fn circles(sources: &[Source], profile: &Profile) -> (Vec<Circle>, usize, usize) {
    if profile.language != Language::IrMatch {
        return (Vec::new(), 0, 0);
    }
    let read = found(sources, profile);
    let read = read.into_iter().map(|(index, found)| (&sources[index], found));
    let read: Vec<(&Source, Found)> = read.collect();
    let rules: Vec<&Rule> = read.iter().filter_map(|(_, found)| found.rule.as_ref().ok()).collect();
    let places: Vec<(String, usize)> = read
        .iter()
        .filter(|(_, found)| found.rule.is_ok())
        .map(|(source, found)| (source.name.clone(), found.line))
        .collect();
    let pairs = rules::circles(&rules).into_iter().map(|circle| Circle {
        first: places[circle.first].clone(),
        second: places[circle.second].clone(),
        before: circle.before,
        between: circle.between,
    });
    let down = rules.iter().filter(|rule| rules::leads_down(rule)).count();
    (pairs.collect(), rules.len(), down)
}

/// Returns the rules of files, each with the number of its file.
fn found(sources: &[Source], profile: &Profile) -> Vec<(usize, Found)> {
    let mut all = Vec::new();
    match profile.language {
        Language::IrMatch => {
            let parse = |text: &str| cpp::parse(text).unwrap_or_default();
            let files = sources.iter().map(|source| (source.name.as_str(), parse(&source.text)));
            let files: Vec<(&str, cpp::ast::File)> = files.collect();
            for (index, (_, file)) in files.iter().enumerate() {
                let found = rules::rules_among(file, &rules::Own::at(index, &files));
                all.extend(found.into_iter().map(|found| (index, found)));
            }
        }
        Language::PatternMatch => {
            let files: Vec<(&str, &str)> =
                sources.iter().map(|source| (source.name.as_str(), source.text.as_str())).collect();
            for index in 0..files.len() {
                let found = rules::tvm_rules(index, &files);
                all.extend(found.into_iter().map(|found| (index, found)));
            }
        }
    }
    all
}

/// Splits the name of a function, as `Simplify::visit(const Add *)`, into its class and the kind of
/// node that it visits.
fn visited(function: &str) -> Option<(&str, &str)> {
    let (class, rest) = function.split_once("::visit(")?;
    let node = rest.strip_prefix("const ").unwrap_or(rest);
    Some((class, node.split([' ', '*', ')']).next()?))
}

/// Rules that leave nothing that they match, each with its file.
struct Plain<'f>(Vec<(usize, &'f Found, &'f Rule)>);

/// Finds the rules that leave nothing that they match: those that fire on it, are tried on each
/// node of their kind with mutated operands, and whose result is returned.
fn plain<'f>(read: &'f [(usize, Found)], profile: &Profile) -> Plain<'f> {
    let all = read.iter().filter_map(|(file, found)| {
        let rule = found.rule.as_ref().ok().filter(|rule| is_unconditional(rule))?;
        // TVM does not rewrite every result again, so an operand may be as no rule leaves it.
        if profile.language != Language::IrMatch || !found.used.is_final {
            return None;
        }
        // A class simplifies operands by the rules of its own visitors only, and a visitor of
        // another kind does not meet all that such a rule matches.
        let kind = match &rule.lhs {
            Pattern::Apply(op, _) => format!("{op:?}"),
            _ => return None,
        };
        visited(&found.function).filter(|(_, node)| *node == kind)?;
        Some((*file, found, rule))
    });
    Plain(all.collect())
}

impl<'f> Plain<'f> {
    /// Returns the rules that have rewritten all that they match where a rule is tried.
    fn context(&self, file: usize, found: &Found) -> Context<'f> {
        // Another rewriter may match another node.
        let is_earlier = |(other, before, _): &&(usize, &Found, &Rule)| {
            *other == file
                && before.function == found.function
                && before.used.rewriter == found.used.rewriter
                && before.line < found.line
        };
        let class = visited(&found.function).map(|(class, _)| class);
        let is_of_class = |(_, other, _): &&(usize, &Found, &Rule)| {
            found.used.are_mutated
                && class.is_some()
                && visited(&other.function).map(|(class, _)| class) == class
        };
        let rule = |(_, _, rule): &(usize, &'f Found, &'f Rule)| *rule;
        Context {
            everywhere: self.0.iter().filter(is_of_class).map(rule).collect(),
            earlier: self.0.iter().filter(is_earlier).map(rule).collect(),
        }
    }
}

/// Reads the rules of the files and decides those whose file and function, as
/// `Simplify_Add.cpp: Simplify::visit(const Add *)`, contain one of `wanted`; if `wanted` is empty,
/// decides all. A rule whose operands are simplified by other rules relies on those, so give the
/// whole simplifier.
///
/// # Errors
///
/// If a solver cannot be opened, or the cache cannot be read or written.
pub fn examine(
    sources: &[Source],
    wanted: &[String],
    options: &Options,
) -> Result<Vec<Examined>, ExamineError> {
    let read = found(sources, options.profile);
    let plain = plain(&read, options.profile);
    let is_wanted = |(file, found): &&(usize, Found)| {
        let name = format!("{}: {}", sources[*file].name, found.function);
        wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted))
    };
    let asked: Vec<&(usize, Found)> = read.iter().filter(is_wanted).collect();
    let io =
        |source| ExamineError::Cache { path: options.cache.clone().unwrap_or_default(), source };
    let cache = Cache::load(options).map_err(io)?;
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Vec<At>>>> = Mutex::new(vec![None; asked.len()]);
    let work = || -> Result<(), ExamineError> {
        let mut solver = Solver::open(options.limits.options(options.solver.clone()))?;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((file, found)) = asked.get(index) else { return Ok(()) };
            let verdicts = match &found.rule {
                Err(construct) => {
                    let verdict = Verdict::Unsupported(construct.clone());
                    vec![At { side: 0, domains: Vec::new(), verdict }]
                }
                Ok(rule) => {
                    let context = plain.context(*file, found);
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
                        cache.put(&key, &verdicts, options);
                        verdicts
                    })
                }
            };
            done.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(verdicts);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..options.threads.max(1)).map(|_| scope.spawn(move || stack::whole(work))).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    cache.save(options).map_err(io)?;
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let examined = asked.into_iter().zip(done).map(|((file, found), verdicts)| Examined {
        file: sources[*file].name.clone(),
        line: found.line,
        function: found.function.clone(),
        rule: found.rule.clone(),
        verdicts: verdicts.unwrap_or_default(),
    });
    Ok(examined.collect())
}
