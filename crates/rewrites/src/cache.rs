//! A cache of verdicts.
//!
//! # Correctness
//!
//! A verdict is stored under the text of everything that it depends on: the rule with its guards
//! and contracts, the rules that fire before it, the profile, the solver's name and version, and
//! the sources of the checker itself. A file that is not whole is refused ([`sealed`]). Refutations
//! are replayed when they are read. An undecided verdict is tried again under a longer limit.
//! Verdicts about mutators are in the same file; the crate `mutators` documents what they depend
//! on.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::{Mutex, PoisonError};

use halidom_base::{FxHashMap, IndexMap};
use halidom_smt::sealed;

use crate::options::Options;
use crate::rules::{At, Context, Domain, Number, Rule, Verdict, replayed, trap};

/// The first line of the file.
const HEADER: &str = "halidom-mutators 2";

/// The texts of the sources that decide about rules: a kept verdict depends on them.
pub const SOURCES: &[&str] = &[
    include_str!("profile.rs"),
    include_str!("rules/assume.rs"),
    include_str!("rules/circles.rs"),
    include_str!("rules/decide.rs"),
    include_str!("rules/encode.rs"),
    include_str!("rules/interval.rs"),
    include_str!("rules/kinds.rs"),
    include_str!("rules/known.rs"),
    include_str!("rules/lanes.rs"),
    include_str!("rules/locals.rs"),
    include_str!("rules/macros.rs"),
    include_str!("rules/meaning.rs"),
    include_str!("rules/names.rs"),
    include_str!("rules/own.rs"),
    include_str!("rules/pattern.rs"),
    include_str!("rules/polynomial.rs"),
    include_str!("rules/python.rs"),
    include_str!("rules/read.rs"),
    include_str!("rules/rounding.rs"),
    include_str!("rules/scope.rs"),
    include_str!("rules/search.rs"),
    include_str!("rules/signs.rs"),
    include_str!("rules/terms.rs"),
    include_str!("rules/traps.rs"),
    include_str!("rules/typed.rs"),
    include_str!("rules/tvm.rs"),
    include_str!("rules/uses.rs"),
    include_str!("rules/value.rs"),
    include_str!("rules/verify.rs"),
    include_str!("rules/ways.rs"),
];

/// Verdicts, keyed by what they depend on.
#[derive(Debug, Default)]
pub struct Cache {
    /// The name and version that the solver reports.
    solver: String,
    old: FxHashMap<String, String>,
    used: Mutex<IndexMap<String, String>>,
}

/// Returns everything that the verdicts of a rule depend on, as one line.
pub(crate) fn key(rule: &Rule, context: &Context<'_>, options: &Options) -> String {
    let mut hasher = DefaultHasher::new();
    for other in context.everywhere.iter().chain(&context.earlier) {
        other.hash(&mut hasher);
    }
    // The rule itself is in the key as text. The rules that fire before it and the checker's
    // sources are long, so only their digest is in it.
    SOURCES.hash(&mut hasher);
    let digest = hasher.finish();
    let predicate = rule.predicate.as_ref().map(ToString::to_string).unwrap_or_default();
    let contracts: Vec<_> = rule.contracts.iter().map(ToString::to_string).collect();
    let sides = std::iter::once(&rule.lhs).chain(&rule.others);
    let sides: Vec<_> = sides.map(ToString::to_string).collect();
    format!(
        "{} {digest:016x} {} => {} if {predicate} where {:?} {}",
        options.profile.name,
        sides.join(", or "),
        rule.rhs,
        rule.guards,
        contracts.join(", ")
    )
}

impl Cache {
    /// Reads the verdicts of the file. The cache is empty if there is no file, or if an older
    /// version of the program wrote it.
    ///
    /// # Errors
    ///
    /// If the file exists and cannot be read, or is damaged, or if the solver does not report its
    /// name and version.
    pub fn load(options: &Options) -> io::Result<Self> {
        let Some(path) = &options.cache else { return Ok(Self::default()) };
        let identity = options.solver.probe().map_err(|reason| {
            io::Error::other(format!("the solver does not report its version: {reason}"))
        })?;
        let solver = format!("{} {}", identity.name, identity.version);
        let text = sealed::read(path, HEADER)?.unwrap_or_default();
        let mut lines = text.lines();
        let mut old = FxHashMap::default();
        while let (Some(key), Some(verdicts)) = (lines.next(), lines.next()) {
            old.insert(key.to_owned(), verdicts.to_owned());
        }
        Ok(Self { solver, old, used: Mutex::default() })
    }

    /// Returns the line that is kept under a key.
    pub fn line(&self, key: &str) -> Option<&str> {
        self.old.get(&self.of_solver(key)).map(String::as_str)
    }

    /// The key of a verdict that this solver gave.
    fn of_solver(&self, key: &str) -> String {
        format!("{} {key}", self.solver)
    }

    /// Keeps a line under a key. Does not keep a text with line breaks, which would be read as
    /// further keys.
    pub fn keep(&self, key: &str, line: String) {
        let key = self.of_solver(key);
        if [&key, &line].into_iter().any(|text| text.contains(['\n', '\r'])) {
            return;
        }
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(key, line);
    }

    /// Returns a rule's verdicts, if they are known.
    pub(crate) fn get(
        &self,
        key: &str,
        rule: &Rule,
        context: &Context<'_>,
        options: &Options,
    ) -> Option<Vec<At>> {
        let line = self.line(key)?;
        let verdicts = line
            .split('\t')
            .filter(|part| !part.is_empty())
            .map(|part| read(part, rule, context, options))
            .collect::<Option<Vec<At>>>()?;
        self.keep(key, line.to_owned());
        Some(verdicts)
    }

    /// Keeps a rule's verdicts.
    pub(crate) fn put(&self, key: &str, verdicts: &[At], options: &Options) {
        let line: Vec<String> = verdicts.iter().map(|at| write(at, options)).collect();
        self.keep(key, line.join("\t"));
    }

    /// Writes all verdicts, those in use and older ones, to a new file that replaces the cache's.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn save(&self, options: &Options) -> io::Result<()> {
        let Some(path) = &options.cache else { return Ok(()) };
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines: Vec<String> =
            used.iter().map(|(key, verdicts)| format!("{key}\n{verdicts}\n")).collect();
        for (key, verdicts) in sorted(&self.old) {
            if !used.contains_key(key) {
                lines.push(format!("{key}\n{verdicts}\n"));
            }
        }
        lines.sort();
        sealed::write(path, HEADER, &lines.concat())
    }
}

fn sorted(map: &FxHashMap<String, String>) -> Vec<(&String, &String)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort();
    entries
}

fn write(at: &At, options: &Options) -> String {
    let domains: Vec<_> = at.domains.iter().map(ToString::to_string).collect();
    let verdict = match &at.verdict {
        Verdict::Verified => "verified".to_owned(),
        Verdict::Vacuous => "vacuous".to_owned(),
        Verdict::Crash(_) => "crash".to_owned(),
        Verdict::Unsupported(construct) => format!("unsupported {construct}"),
        Verdict::Undecided(reason) => {
            format!(
                "undecided {} {}",
                options.limits.milliseconds,
                reason.replace(['\n', '\t'], " ")
            )
        }
        Verdict::Wrong(counterexample) => {
            let values = counterexample.assignment.iter();
            let values: Vec<_> =
                values.map(|value| format!("{}/{}", value.numerator, value.denominator)).collect();
            format!("wrong {}", values.join(" "))
        }
    };
    format!("{} {}|{verdict}", at.side, domains.join(","))
}

fn read(text: &str, rule: &Rule, context: &Context<'_>, options: &Options) -> Option<At> {
    let (place, verdict) = text.split_once('|')?;
    let (side, domains) = place.split_once(' ')?;
    let side: usize = side.parse().ok().filter(|side| *side <= rule.others.len())?;
    let rule = &rule.side(side);
    let domain = |name: &str| Domain::ALL.into_iter().find(|domain| domain.to_string() == name);
    let domains: Vec<Domain> =
        domains.split(',').filter(|name| !name.is_empty()).map(domain).collect::<Option<_>>()?;
    let (word, rest) = verdict.split_once(' ').unwrap_or((verdict, ""));
    let verdict = match word {
        "verified" => Verdict::Verified,
        "vacuous" => Verdict::Vacuous,
        "crash" => Verdict::Crash(trap(rule, options.profile)?),
        "unsupported" => Verdict::Unsupported(rest.to_owned()),
        "undecided" => {
            let (limit, reason) = rest.split_once(' ')?;
            let limit: u64 = limit.parse().ok()?;
            if limit < options.limits.milliseconds {
                return None;
            }
            Verdict::Undecided(reason.to_owned())
        }
        "wrong" => {
            let number = |text: &str| {
                let (numerator, denominator) = text.split_once('/')?;
                Some(Number {
                    numerator: numerator.parse().ok()?,
                    denominator: denominator.parse().ok()?,
                })
            };
            let values: Vec<Number> = rest
                .split(' ')
                .filter(|text| !text.is_empty())
                .map(number)
                .collect::<Option<_>>()?;
            Verdict::Wrong(replayed(rule, context, options.profile, &domains, &values)?)
        }
        _ => return None,
    };
    Some(At { side, domains, verdict })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn every_source_of_the_checker_is_part_of_the_key() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            assert!(
                path.ends_with("mod.rs") || SOURCES.contains(&text.as_str()),
                "{} is no part of the key",
                path.display()
            );
        }
    }
}
