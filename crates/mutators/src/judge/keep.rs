//! The cache of verdicts about mutators.
//!
//! # Correctness
//!
//! The key has the texts of the method and of every function that it may call, found by name. It
//! also has the profile, the solver, the classes, their scopes, their visitors, and the sources of
//! this crate (including contracts) and of the crates `cpp` and `rewrites`. A verified verdict
//! depends on nothing else: the contract of `mutate` determines its result. Other verdicts rely on
//! runs in which the operands went through the class's own mutators, so they also depend on the
//! texts of these. An undecided verdict is tried again under a longer limit. Lines are stored
//! relative to the function that contains them.

use std::hash::{DefaultHasher, Hash, Hasher};

use halidom_base::FxHashSet;
use halidom_cpp as cpp;
use halidom_cpp::ast::{Class, Function};
use halidom_cpp::{is_letter, short_name};
use halidom_rewrites::built::{Built, Named};
use halidom_rewrites::options::Options;

use crate::judge::verdict::{Counterexample, Examination, Finding, Standing};
use crate::machine::contracts;
use crate::machine::descent::{mutates_anew, of_pass};
use crate::machine::program::{Program, Twins, called};
use crate::machine::run::Mode;

/// The texts of this crate's sources.
const SOURCES: &[&str] = &[
    include_str!("../emit/expr.rs"),
    include_str!("../emit/print.rs"),
    include_str!("../emit/stmt.rs"),
    include_str!("../emit/text.rs"),
    include_str!("../ir/intrinsics.rs"),
    include_str!("../ir/kinds.rs"),
    include_str!("../ir/layout.rs"),
    include_str!("../ir/node.rs"),
    include_str!("../ir/quoted.rs"),
    include_str!("../ir/record.rs"),
    include_str!("../ir/renamed.rs"),
    include_str!("../ir/show.rs"),
    include_str!("../ir/state.rs"),
    include_str!("../ir/value.rs"),
    include_str!("../ir/visits.rs"),
    include_str!("addresses.rs"),
    include_str!("analysis.rs"),
    include_str!("alike_shuffles.rs"),
    include_str!("concats.rs"),
    include_str!("context.rs"),
    include_str!("entry.rs"),
    include_str!("growth.rs"),
    include_str!("headers.rs"),
    include_str!("keep.rs"),
    include_str!("lanes.rs"),
    include_str!("list.rs"),
    include_str!("masks.rs"),
    include_str!("meanings.rs"),
    include_str!("observe.rs"),
    include_str!("refute.rs"),
    include_str!("renaming.rs"),
    include_str!("repeats.rs"),
    include_str!("replay.rs"),
    include_str!("shuffles.rs"),
    include_str!("statement.rs"),
    include_str!("suspects.rs"),
    include_str!("texts.rs"),
    include_str!("trial.rs"),
    include_str!("verdict.rs"),
    include_str!("verify.rs"),
    include_str!("../machine/absent.rs"),
    include_str!("../machine/alike.rs"),
    include_str!("../machine/alike_names.rs"),
    include_str!("../machine/api.rs"),
    include_str!("../machine/api_facts.rs"),
    include_str!("../machine/api_literals.rs"),
    include_str!("../machine/api_nodes.rs"),
    include_str!("../machine/api_numbers.rs"),
    include_str!("../machine/api_terms.rs"),
    include_str!("../machine/applied.rs"),
    include_str!("../machine/asked.rs"),
    include_str!("../machine/asserts.rs"),
    include_str!("../machine/audits.rs"),
    include_str!("../machine/bindings.rs"),
    include_str!("../machine/backwards.rs"),
    include_str!("../machine/balance.rs"),
    include_str!("../machine/buffers.rs"),
    include_str!("../machine/calls.rs"),
    include_str!("../machine/casts.rs"),
    include_str!("../machine/classes.rs"),
    include_str!("../machine/contracts.rs"),
    include_str!("../machine/conversions.rs"),
    include_str!("../machine/counting_bodies.rs"),
    include_str!("../machine/descent.rs"),
    include_str!("../machine/emptiness.rs"),
    include_str!("../machine/entries.rs"),
    include_str!("../machine/exact_intervals.rs"),
    include_str!("../machine/expression.rs"),
    include_str!("../machine/folds.rs"),
    include_str!("../machine/fork.rs"),
    include_str!("../machine/given.rs"),
    include_str!("../machine/handles.rs"),
    include_str!("../machine/helpers.rs"),
    include_str!("../machine/hoists.rs"),
    include_str!("../machine/info.rs"),
    include_str!("../machine/intervals.rs"),
    include_str!("../machine/invariants.rs"),
    include_str!("../machine/keys.rs"),
    include_str!("../machine/known_effects.rs"),
    include_str!("../machine/language.rs"),
    include_str!("../machine/lanes.rs"),
    include_str!("../machine/learnt.rs"),
    include_str!("../machine/lists.rs"),
    include_str!("../machine/lives.rs"),
    include_str!("../machine/lookup.rs"),
    include_str!("../machine/made_reports.rs"),
    include_str!("../machine/maps.rs"),
    include_str!("../machine/masks.rs"),
    include_str!("../machine/methods.rs"),
    include_str!("../machine/mutate.rs"),
    include_str!("../machine/names.rs"),
    include_str!("../machine/nesting.rs"),
    include_str!("../machine/nodes.rs"),
    include_str!("../machine/numbers.rs"),
    include_str!("../machine/objects.rs"),
    include_str!("../machine/open_lanes.rs"),
    include_str!("../machine/operators.rs"),
    include_str!("../machine/order.rs"),
    include_str!("../machine/doubts.rs"),
    include_str!("../machine/parts.rs"),
    include_str!("../machine/patterns.rs"),
    include_str!("../machine/peeled.rs"),
    include_str!("../machine/places.rs"),
    include_str!("../machine/plain_bodies.rs"),
    include_str!("../machine/program.rs"),
    include_str!("../machine/reader.rs"),
    include_str!("../machine/references.rs"),
    include_str!("../machine/rules.rs"),
    include_str!("../machine/run.rs"),
    include_str!("../machine/same.rs"),
    include_str!("../machine/scopes.rs"),
    include_str!("../machine/sequence.rs"),
    include_str!("../machine/shuffles.rs"),
    include_str!("../machine/spelled.rs"),
    include_str!("../machine/statements.rs"),
    include_str!("../machine/steady.rs"),
    include_str!("../machine/structure.rs"),
    include_str!("../machine/sums.rs"),
    include_str!("../machine/texts.rs"),
    include_str!("../machine/twins.rs"),
    include_str!("../machine/types.rs"),
    include_str!("../machine/unread.rs"),
    include_str!("../machine/vanish.rs"),
    include_str!("../machine/variables.rs"),
    include_str!("../machine/visitors.rs"),
    include_str!("../meaning/claims.rs"),
    include_str!("../meaning/computed.rs"),
    include_str!("../meaning/effect.rs"),
    include_str!("../meaning/equivalence.rs"),
    include_str!("../meaning/facts.rs"),
    include_str!("../meaning/memory.rs"),
    include_str!("../meaning/presence.rs"),
    include_str!("../meaning/regions.rs"),
    include_str!("../meaning/sight.rs"),
    include_str!("../meaning/terms.rs"),
];

/// The texts that an examination depends on.
pub(crate) struct Dependence<'p> {
    /// The key of the examination in the cache.
    pub(crate) key: String,
    /// A digest of the class's mutators.
    class: u64,
    /// The method and the functions that it may call.
    functions: Vec<&'p Function>,
}

impl<'p> Dependence<'p> {
    /// Collects the dependence of a method of the program.
    pub(crate) fn of(
        program: &'p Program,
        function: &'p Function,
        mode: Mode,
        options: &Options,
    ) -> Self {
        let functions = called(program, vec![function]);
        let own = program.functions.iter().filter(|other| other.class == function.class);
        let class = called(program, own.collect());
        // The end of a mutator that mutates results again depends on all methods of its pass.
        let is_anew = functions.iter().any(|function| mutates_anew(function));
        let pass = if is_anew { of_pass(program, &function.class) } else { Vec::new() };
        let key = format!(
            "mutator {} {:016x} {:016x} {:016x} {}::{}",
            options.profile.name,
            digest(&(
                [cpp::SOURCES, halidom_rewrites::cache::SOURCES, SOURCES],
                contracts::TEXTS,
                contracts::PASSES
            )),
            digest(&[texts(&functions), texts(&pass)]),
            digest(&(
                format!("{:?} {:?} {:?}", program.classes, program.scopes, program.unseen),
                format!("{mode:?}"),
                texts(&visitors(program)),
                others(program, &[functions.as_slice(), &pass].concat()),
            )),
            function.class,
            function.name,
        );
        Self { key, class: digest(&texts(&class)), functions }
    }

    /// Returns the length of the text that it depends on.
    pub(crate) fn length(&self) -> usize {
        self.functions.iter().map(|function| function.text.len()).sum()
    }

    /// Returns the line that keeps an examination.
    pub(crate) fn write(&self, examination: &Examination, options: &Options) -> String {
        let mut fields = vec![
            format!("{:016x}", self.class),
            options.limits.milliseconds.to_string(),
            examination.proved.to_string(),
        ];
        for finding in &examination.findings {
            let (place, line) = self.place(finding.line);
            fields.extend([
                finding.standing.name().to_owned(),
                format!("{place}:{line}"),
                finding.ty.clone(),
                finding.text.clone(),
            ]);
            let Some(shown) = &finding.counterexample else {
                fields.push("0".to_owned());
                continue;
            };
            fields.push((shown.values.len() + 1).to_string());
            let maybe = |text: &Option<String>| match text {
                Some(text) => format!("+{text}"),
                None => "-".to_owned(),
            };
            fields.extend([
                shown.before.clone(),
                maybe(&shown.after),
                maybe(&shown.expected),
                maybe(&shown.got),
                shown.snippet.clone(),
            ]);
            fields.extend(written(&shown.built));
            for (name, value) in &shown.values {
                fields.extend([name.clone(), value.clone()]);
            }
        }
        let fields: Vec<String> = fields.iter().map(|field| escaped(field)).collect();
        fields.join("\t")
    }

    /// Reads an examination from its line. Returns `None` if a text that it depends on has changed,
    /// or if another limit may change the result.
    pub(crate) fn read(&self, line: &str, options: &Options) -> Option<Examination> {
        let mut fields = line.split('\t').map(unescaped);
        let class = u64::from_str_radix(&fields.next()?, 16).ok()?;
        let limit: u64 = fields.next()?.parse().ok()?;
        let proved = fields.next()?.parse().ok()?;
        let mut findings = Vec::new();
        while let Some(standing) = fields.next() {
            let standing = Standing::ALL.into_iter().find(|known| known.name() == standing)?;
            let place = fields.next()?;
            let (place, offset) = place.split_once(':')?;
            let line = self.line(place.parse().ok()?, offset.parse().ok()?)?;
            let (ty, text) = (fields.next()?, fields.next()?);
            let count: usize = fields.next()?.parse().ok()?;
            let mut counterexample = None;
            if let Some(count) = count.checked_sub(1) {
                let maybe = |text: String| text.strip_prefix('+').map(str::to_owned);
                let before = fields.next()?;
                let after = maybe(fields.next()?);
                let expected = maybe(fields.next()?);
                let got = maybe(fields.next()?);
                let snippet = fields.next()?;
                let built = Box::new(built(&mut fields)?);
                let mut values = Vec::new();
                for _ in 0..count {
                    values.push((fields.next()?, fields.next()?));
                }
                counterexample =
                    Some(Counterexample { before, after, values, expected, got, built, snippet });
            }
            findings.push(Finding { file: None, standing, line, ty, text, counterexample });
        }
        let is_undecided = findings.iter().any(|finding| finding.standing == Standing::Undecided);
        if !findings.is_empty() && class != self.class
            || is_undecided && limit < options.limits.milliseconds
        {
            return None;
        }
        Some(Examination { findings, proved })
    }

    /// Returns a line as a function's number and the distance from its first line. A line outside
    /// these functions is stored as it is, and may be another one later.
    fn place(&self, line: usize) -> (usize, usize) {
        let within = |function: &&Function| (function.line..=function.last_line).contains(&line);
        match self.functions.iter().position(within) {
            Some(index) => (index, line - self.functions[index].line),
            None => (self.functions.len(), line),
        }
    }

    fn line(&self, place: usize, offset: usize) -> Option<usize> {
        match self.functions.get(place) {
            Some(function) => Some(function.line + offset),
            None => (offset == 0).then_some(0),
        }
    }
}

/// Returns the fields that keep IR in C++.
fn written(built: &Built) -> Vec<String> {
    let Built { names, before, after: _, lanes } = built;
    let lanes = lanes.map_or_else(String::new, |lanes| lanes.to_string());
    let mut fields = vec![before.clone(), lanes, names.len().to_string()];
    for Named { name, ty, value, is_literal } in names {
        fields.extend([name.clone(), ty.clone(), value.clone(), is_literal.to_string()]);
    }
    fields
}

/// Reads these fields.
fn built(fields: &mut impl Iterator<Item = String>) -> Option<Built> {
    let before = fields.next()?;
    let lanes = fields.next()?;
    let lanes = if lanes.is_empty() { None } else { Some(lanes.parse().ok()?) };
    let count: usize = fields.next()?.parse().ok()?;
    let mut names = Vec::new();
    for _ in 0..count {
        let (name, ty, value) = (fields.next()?, fields.next()?, fields.next()?);
        names.push(Named { name, ty, value, is_literal: fields.next()?.parse().ok()? });
    }
    Some(Built { names, before, after: None, lanes })
}

/// Returns the methods that are found by the type of an object: those of visitors, and operators,
/// conversions and destructors.
fn visitors(program: &Program) -> Vec<&Function> {
    let mut classes: FxHashSet<&str> = FxHashSet::default();
    loop {
        let is_of = |base: &String| base.contains("Visitor") || classes.contains(short_name(base));
        let is_new = |class: &&Class| {
            !classes.contains(class.name.as_str()) && class.bases.iter().any(is_of)
        };
        let new: Vec<&str> =
            program.classes.iter().filter(is_new).map(|class| class.name.as_str()).collect();
        if new.is_empty() {
            break;
        }
        classes.extend(new);
    }
    let is_found = |function: &&Function| {
        let is_operator =
            function.name.starts_with("operator") || !function.name.chars().all(is_letter);
        is_operator || classes.contains(function.class.as_str())
    };
    program.functions.iter().filter(is_found).collect()
}

/// Returns the names that the files give to other things than functions and classes, as far as
/// these functions or visitors have them.
fn others<'p>(program: &'p Program, functions: &[&'p Function]) -> Vec<Vec<&'p str>> {
    let visitors = visitors(program);
    let words: FxHashSet<&str> = functions
        .iter()
        .chain(&visitors)
        .flat_map(|function| function.text.split(|letter| !is_letter(letter)))
        .collect();
    let Program { others, specialized, renamed, renamed_within, aliases_within, .. } = program;
    let of = |names: &'p [String]| {
        let named = names.iter().map(String::as_str).filter(|name| words.contains(name));
        let mut named: Vec<&str> = named.collect();
        named.sort_unstable();
        named
    };
    let within =
        [renamed_within, aliases_within, &program.unsteady, &program.linked].map(|names| of(names));
    let pairs = program.twins.iter().flat_map(Twins::names).filter(|name| words.contains(name));
    let methods = program.own_methods.iter().map(String::as_str).collect();
    let unread = [of(&program.unread), pairs.collect(), of(&program.hidden), methods];
    [of(others), of(specialized), of(renamed)].into_iter().chain(within).chain(unread).collect()
}

fn texts<'p>(functions: &[&'p Function]) -> Vec<&'p str> {
    functions.iter().map(|function| function.text.as_str()).collect()
}

fn digest(texts: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    hasher.finish()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.push(match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                other => other.unwrap_or('\\'),
            }),
            letter => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_part_of_the_key() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for part in ["emit", "ir", "judge", "machine", "meaning"] {
            for entry in std::fs::read_dir(folder.join(part)).unwrap() {
                let path = entry.unwrap().path();
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(
                    path.ends_with("mod.rs") || SOURCES.contains(&text.as_str()),
                    "{} is no part of the key",
                    path.display()
                );
            }
        }
    }

    #[test]
    fn ir_in_cpp_is_what_it_was() {
        let named = Named {
            name: "x3".to_owned(),
            ty: "Int(8)".to_owned(),
            value: "-5".to_owned(),
            is_literal: false,
        };
        let before = "Add::make(x3, x3)".to_owned();
        for built in
            [Built { names: vec![named], before, after: None, lanes: Some(4) }, Built::default()]
        {
            assert_eq!(super::built(&mut written(&built).into_iter()), Some(built));
        }
    }

    #[test]
    fn a_field_is_what_it_was() {
        for text in ["", "a\tb\nc", "\\n", "\\", "a\\\tb"] {
            assert_eq!(unescaped(&escaped(text)), text);
            assert!(!escaped(text).contains(['\t', '\n']));
        }
    }
}
