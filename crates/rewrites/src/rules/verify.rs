//! Verifies a rule at every type that reaches it.

use halidom_base::IndexMap;
use halidom_smt::Solver;

use super::decide::{Decision, Limits, decide, decide_or_vacuous};
use super::kinds::{Inferred, Typing};
use super::meaning::{Claims, Context, NoObligation, Obligation, claims};
use super::python::snippet;
use super::read::Rule;
use super::search::{Outcome, replay, witness};
use super::traps::{Trap, trap};
use super::value::{Domain, Number};
use crate::profile::{Language, Profile};
use crate::rules::pattern::is_wildcard;

/// Values on which a rule is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The values and types of the names.
    pub values: Vec<(String, Domain, Number)>,
    /// The same values in the order of the obligation's variables.
    pub assignment: Vec<Number>,
    /// The value of the left side.
    pub expected: Number,
    /// The value of the right side; `None` if it is undefined.
    pub got: Option<Number>,
}

impl Counterexample {
    /// Returns C++, or Python for TVM, that builds the input, to be pasted into a test of the
    /// compiler.
    pub fn snippet(&self, rule: &Rule) -> String {
        if rule.language == Language::PatternMatch {
            let got = self.got.map_or("undefined".to_owned(), |got| got.to_string());
            return snippet(rule, &self.values, self.expected, &got);
        }
        let mut lines = Vec::new();
        for (name, domain, value) in &self.values {
            if name.starts_with('c') {
                lines.push(format!("Expr {name} = {};", constant(*domain, *value)));
            } else if is_wildcard(name) {
                let ty = cpp_type(*domain);
                lines.push(format!("Expr {name} = Variable::make({ty}, \"{name}\"); // {value}"));
            }
        }
        let got = self.got.map_or("undefined".to_owned(), |got| got.to_string());
        lines.push(format!("Expr before = {}; // {}", rule.lhs, self.expected));
        lines.push(format!(
            "Expr after = simplify(before); // by this rule {}, which is {got}",
            rule.rhs
        ));
        lines.join("\n")
    }

    /// Returns the values and the sides' results for a reader: `x=2 y=237: 2 becomes 237`.
    pub fn text(&self) -> String {
        let values: Vec<_> =
            self.values.iter().map(|(name, _, value)| format!("{name}={value}")).collect();
        let got = self.got.map_or("undefined".to_owned(), |got| got.to_string());
        format!("{}: {} becomes {got}", values.join(" "), self.expected)
    }
}

/// Returns a type in C++.
pub(crate) fn cpp_type(domain: Domain) -> String {
    match domain {
        Domain::Bool => "Bool()".to_owned(),
        Domain::Unsigned(width) => format!("UInt({width})"),
        Domain::Signed(width) => format!("Int({width})"),
        Domain::Whole => "Int(32)".to_owned(),
        Domain::Real => "Float(32)".to_owned(),
    }
}

/// Returns a constant in C++.
pub(crate) fn constant(domain: Domain, value: Number) -> String {
    format!("make_const({}, {})", cpp_type(domain), value.in_cpp())
}

/// Values on which a rule fires and both sides have the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The values and types of the names.
    pub values: Vec<(String, Domain, Number)>,
    /// The value of both sides.
    pub value: Number,
}

/// Looks for an example of a rule at these types; `None` if the tries find no example.
pub fn example(rule: &Rule, profile: &Profile, domains: &[Domain]) -> Option<Example> {
    let (_, open) = open_types(rule)?;
    if open.len() != domains.len() {
        return None;
    }
    let typing = Typing { domains: open.into_iter().zip(domains.iter().copied()).collect() };
    let context = Context { everywhere: Vec::new(), earlier: Vec::new() };
    let obligation = claims(rule, &typing, profile, &context).ok()?.equation;
    let assignment = witness(&obligation, TRIES)?;
    let value = obligation.values.evaluate(obligation.lhs, &assignment, &mut |_, _| {})?;
    Some(Example { values: named(&obligation, &assignment), value })
}

/// The number of values that are tried for an example.
const TRIES: u32 = 4_000;

/// The verdict about a rule at some types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Proved for all values.
    Verified,
    /// Wrong on these values.
    Wrong(Counterexample),
    /// Right, but computing its constants ends the compiler.
    Crash(Trap),
    /// Neither proved nor refuted; the reason.
    Undecided(String),
    /// Not modelled: the construct.
    Unsupported(String),
    /// No values fulfil the rule's conditions.
    Vacuous,
}

/// A verdict and its types; the type of the rewritten expression's operands comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// The number of the rule's pattern, as in [`Rule::side`].
    pub side: usize,
    /// The types of the rule's parts.
    pub domains: Vec<Domain>,
    /// The verdict.
    pub verdict: Verdict,
}

/// The most open types for which all combinations are tried.
const MAX_OPEN: usize = 2;

/// Decides a rule for each of its patterns, at every type that its guards admit. A rule that no
/// type reaches has no verdicts.
pub fn verify(
    rule: &Rule,
    context: &Context<'_>,
    profile: &Profile,
    solver: &mut Solver,
    limits: Limits,
) -> Vec<At> {
    let unread = rule.unread();
    let mut verdicts = Vec::new();
    for side in 0..=rule.others.len() {
        let one = rule.side(side);
        for (domains, verdict) in verify_side(&one, context, profile, solver, limits) {
            let verdict = match verdict {
                // The values may not satisfy what was not understood.
                Verdict::Wrong(_) | Verdict::Crash(_) if !unread.is_empty() => {
                    Verdict::Unsupported(format!("a condition with {}", unread.join(", ")))
                }
                verdict => verdict,
            };
            verdicts.push(At { side, domains, verdict });
        }
    }
    verdicts
}

/// Decides a rule of one pattern.
fn verify_side(
    rule: &Rule,
    context: &Context<'_>,
    profile: &Profile,
    solver: &mut Solver,
    limits: Limits,
) -> Vec<(Vec<Domain>, Verdict)> {
    let Some((inferred, open)) = open_types(rule) else {
        let verdict = Verdict::Unsupported("a rule whose parts' types do not fit".to_owned());
        return vec![(Vec::new(), verdict)];
    };
    if open.len() > MAX_OPEN {
        let verdict = Verdict::Unsupported(format!("{} independent types", open.len()));
        return vec![(Vec::new(), verdict)];
    }
    let mut typings = vec![Typing { domains: IndexMap::default() }];
    for index in &open {
        typings = typings
            .into_iter()
            .flat_map(|typing| {
                let numeric = inferred.is_numeric(*index);
                let domains = Domain::ALL
                    .into_iter()
                    .filter(move |domain| !(numeric && *domain == Domain::Bool));
                domains.map(move |domain| {
                    let mut typing = typing.clone();
                    typing.domains.insert(*index, domain);
                    typing
                })
            })
            .collect();
    }
    let mut verdicts = Vec::new();
    for typing in typings {
        let verdict = match claims(rule, &typing, profile, context) {
            Err(NoObligation::NotReached) => continue,
            Err(NoObligation::Unsupported(construct)) => Verdict::Unsupported(construct),
            Ok(claims) => verdict(&claims, solver, limits),
        };
        let domains: Vec<Domain> = open.iter().map(|index| typing.domains[index]).collect();
        let verdict = match (domains.first(), verdict) {
            (Some(Domain::Whole), Verdict::Verified) => {
                trap(rule, profile).map_or(Verdict::Verified, Verdict::Crash)
            }
            (_, verdict) => verdict,
        };
        verdicts.push((domains, verdict));
    }
    verdicts
}

/// Decides the claims of a rule at some types.
fn verdict(claims: &Claims, solver: &mut Solver, limits: Limits) -> Verdict {
    let decided = match decide(&claims.equation, solver, limits) {
        Decision::Proved => Verdict::Verified,
        Decision::Vacuous => Verdict::Vacuous,
        Decision::Unknown(reason) => Verdict::Undecided(reason),
        Decision::Wrong(values) => match counterexample(&claims.equation, &values) {
            Some(counterexample) => return Verdict::Wrong(counterexample),
            None => return Verdict::Undecided(NO_REPLAY.to_owned()),
        },
    };
    for division in &claims.divisions {
        let claim = claims.of_division(division);
        match decide_or_vacuous(&claim, solver, limits) {
            Decision::Proved | Decision::Vacuous => {}
            Decision::Unknown(reason) => return Verdict::Undecided(reason),
            Decision::Wrong(values) if counterexample(&claim, &values).is_some() => {
                return Verdict::Crash(Trap::by_zero(&division.text, &named(&claim, &values)));
            }
            Decision::Wrong(_) => return Verdict::Undecided(NO_REPLAY.to_owned()),
        }
    }
    decided
}

/// The reason for no verdict where values do not show what the solver told of them.
const NO_REPLAY: &str = "a counterexample that does not replay";

/// Returns a rule's inferred types and those that are open, the operands' type first.
fn open_types(rule: &Rule) -> Option<(Inferred, Vec<usize>)> {
    let inferred = Inferred::of(rule).ok()?;
    let open = inferred.open();
    Some((inferred, open))
}

/// Turns values into a counterexample, if the rule fails on them at these types.
pub fn replayed(
    rule: &Rule,
    context: &Context<'_>,
    profile: &Profile,
    domains: &[Domain],
    values: &[Number],
) -> Option<Counterexample> {
    let (_, open) = open_types(rule)?;
    if open.len() != domains.len() {
        return None;
    }
    let typing = Typing { domains: open.into_iter().zip(domains.iter().copied()).collect() };
    let obligation = claims(rule, &typing, profile, context).ok()?.equation;
    (obligation.values.vars().len() == values.len())
        .then(|| counterexample(&obligation, values))
        .flatten()
}

/// Replays values and names them; `None` unless the claim fails on them.
fn counterexample(obligation: &Obligation, values: &[Number]) -> Option<Counterexample> {
    let (expected, got) = match replay(obligation, values) {
        Outcome::Differ(lhs, rhs) => (lhs, Some(rhs)),
        Outcome::Undefined(lhs) => (lhs, None),
        Outcome::Holds | Outcome::Outside => return None,
    };
    let named = named(obligation, values);
    Some(Counterexample { values: named, assignment: values.to_vec(), expected, got })
}

/// Returns the variables of an obligation with their names in the rule, types and values.
fn named(obligation: &Obligation, values: &[Number]) -> Vec<(String, Domain, Number)> {
    let vars = obligation.values.vars().iter().zip(values);
    vars.map(|((name, domain), value)| {
        (name.split('@').next().unwrap_or(name).to_owned(), *domain, *value)
    })
    .collect()
}
