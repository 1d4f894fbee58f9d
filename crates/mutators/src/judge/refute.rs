//! Refutations: a model of a difference, confirmed by a run of the mutator on it.

use halidom_base::FxHashSet;
use halidom_rewrites::rules::Fulfilment;
use halidom_rewrites::rules::{Decision, Domain, Fun, Number};

use crate::ir::node::NodeId;
use crate::judge::entry::Entry;
use crate::judge::replay::{Computed, Concrete, Replayed};
use crate::judge::verdict::{Counterexample, Standing};
use crate::judge::verify::{Examiner, counterexample, not_followed};
use crate::machine::run::{End, Machine, Mode, Operands};
use crate::meaning::claims::{assemble, in_type_range, obligation, premises, sensitive};
use crate::meaning::terms::Meaning;

impl Examiner<'_, '_> {
    /// Looks for IR on which the result differs. Returns `Some("")` if some was found, else the
    /// reason why not, if it is known.
    pub(super) fn refute(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        result: NodeId,
        end: &End,
        ty: &str,
    ) -> Option<String> {
        let mut claim = obligation(entry.profile, machine, input, result, end, Some(true));
        let mut reason = None;
        for _ in 0..MAX_TRIES {
            let assignment = match self.decided(&claim) {
                Decision::Wrong(assignment) => assignment,
                Decision::Proved | Decision::Vacuous => {
                    return reason.or_else(|| {
                        Some("holds where operands are variables and literals".to_owned())
                    });
                }
                Decision::Unknown(why) => {
                    match self.model_of_difference(entry, machine, input, result, end) {
                        Some(assignment) if reason.is_none() => assignment,
                        _ => return reason.or(Some(why)),
                    }
                }
            };
            let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
            // The same terms are made in the same order, so the assignment is for the same
            // variables.
            let _ = assemble(&mut meaning, &end.state, input, result, Some(true));
            let mut confirmed = Err("no IR was found that leads there".to_owned());
            for are_literals in [false, true] {
                if confirmed.is_err()
                    && let Some(concrete) =
                        Concrete::build(&end.state, input, &mut meaning, &assignment, are_literals)
                {
                    confirmed = Self::confirmed_for_some(entry, &concrete);
                }
            }
            match confirmed {
                Ok(found) => {
                    self.keep(found, ty);
                    return Some(String::new());
                }
                Err(why) => reason = Some(why),
            }
            // The next model must differ from this one in some variable.
            let vars = claim.values.vars().to_vec();
            let mut other = claim.values.bool(false);
            for ((name, domain), value) in vars.iter().zip(&assignment) {
                if value.denominator == 1 && *domain != Domain::Bool && name.starts_with(['c', 'x'])
                {
                    let var = claim.values.var(name, *domain);
                    let number = claim.values.number(value.numerator, *domain);
                    let same = claim.values.apply(Fun::Eq, &[var, number]);
                    let differs = claim.values.apply(Fun::Not, &[same]);
                    other = claim.values.apply(Fun::Or, &[other, differs]);
                }
            }
            claim.facts.push(other);
        }
        reason
    }

    /// Returns values within the types' ranges on which the result differs. The variables are the
    /// claim's.
    fn model_of_difference(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        result: NodeId,
        end: &End,
    ) -> Option<Vec<Number>> {
        let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
        let (lhs, rhs, lhs_defined, _, mut facts, narrow) =
            assemble(&mut meaning, &end.state, input, result, Some(true));
        let same = meaning.values.apply(Fun::Eq, &[lhs, rhs]);
        facts.push(meaning.values.apply(Fun::Not, &[same]));
        facts.extend(lhs_defined);
        facts.extend(narrow);
        facts.extend(in_type_range(&mut meaning, &end.state));
        match self.fulfilled(&meaning, &facts) {
            Fulfilment::By(assignment) => Some(assignment),
            Fulfilment::None | Fulfilment::Unknown(_) => None,
        }
    }

    /// Tests whether the result differs for these values of variables, or for others that often
    /// matter.
    fn confirmed_for_some(
        entry: Entry<'_>,
        concrete: &Concrete,
    ) -> Result<(Standing, usize, String, Counterexample), String> {
        let first = Self::confirmed_difference(entry, concrete);
        if first.is_ok() {
            return first;
        }
        let extremes = [31, 63].map(|bits| [(1_i128 << bits) - 1, -(1 << bits)]).concat();
        let values = [-1, 1, 100, -100].into_iter().chain(extremes);
        for value in values {
            let found = Self::confirmed_difference(entry, &concrete.with_variables(value));
            if found.is_ok() {
                return found;
            }
        }
        first
    }

    pub(super) fn confirmed_difference(
        entry: Entry<'_>,
        concrete: &Concrete,
    ) -> Result<(Standing, usize, String, Counterexample), String> {
        let mut replayed = concrete.replay(entry, Operands::Kept);
        let mut is_copied = false;
        if let Replayed::Returned { other_type: None, expected, got, .. } = &replayed
            && expected == got
        {
            replayed = concrete.replay(entry, Operands::Copied);
            is_copied = true;
        }
        match &replayed {
            Replayed::Returned { after, other_type, expected, got, line, has_assumed, .. } => {
                if let Some(types) = other_type {
                    let shown = counterexample(entry, concrete, Some((after, None, None)));
                    return Ok((Standing::Type, *line, types.clone(), shown));
                }
                let (expected, got) = match (expected, got) {
                    (Computed::Number(expected), Computed::Number(got)) if expected != got => {
                        (*expected, Some(*got))
                    }
                    (Computed::Number(expected), Computed::Undefined) => (*expected, None),
                    (Computed::Undefined, _) => {
                        return Err(format!("the input is undefined: {}", concrete.before()));
                    }
                    (Computed::Unknown, _) | (_, Computed::Unknown) => {
                        return Err(format!("not computed for {}", concrete.before()));
                    }
                    (Computed::Number(expected), Computed::Number(_)) => {
                        let found = if *has_assumed {
                            Self::by_assumption(entry, concrete, *expected, *line)
                        } else {
                            None
                        };
                        let reason = || format!("not confirmed on {}", concrete.before());
                        return found.ok_or_else(reason);
                    }
                };
                // Rewritten operands may not lead there. A copy of an operand shows only where
                // operands are changed.
                if !is_copied {
                    match concrete.replay(entry, Operands::Mutated) {
                        Replayed::Returned {
                            expected: Computed::Number(expected),
                            got: Computed::Number(got),
                            ..
                        } if expected != got => {}
                        Replayed::Returned { got: Computed::Undefined, .. } => {}
                        Replayed::Returned { .. } | Replayed::Crash(..) => {
                            return Err(format!(
                                "not on operands that were simplified before: {}",
                                concrete.before()
                            ));
                        }
                        Replayed::Failed(why) => return Err(not_followed(concrete, &why)),
                    }
                }
                let got_text = got.map_or("undefined".to_owned(), |got| got.to_string());
                let text = format!("{expected} becomes {got_text}");
                let shown = counterexample(entry, concrete, Some((after, Some(expected), got)));
                Ok((Standing::Wrong, *line, text, shown))
            }
            Replayed::Crash(..) if entry.mode == Mode::Emitter => {
                let there = Entry { mode: Mode::Hardware, ..entry };
                Self::confirmed_difference(there, concrete).or_else(|_| {
                    let (what, line) = Self::confirmed_crash(entry, concrete)?;
                    Ok((Standing::Crash, line, what, counterexample(entry, concrete, None)))
                })
            }
            Replayed::Crash(..) => {
                let (what, line) = Self::confirmed_crash(entry, concrete)?;
                Ok((Standing::Crash, line, what, counterexample(entry, concrete, None)))
            }
            Replayed::Failed(what) => Err(format!("not followed on {}: {what}", concrete.before())),
        }
    }

    /// Looks for a difference on operands that went through the class's own mutators, which is
    /// gone where these do not see what the mutator adds to scopes with invariants.
    fn by_assumption(
        entry: Entry<'_>,
        concrete: &Concrete,
        expected: Number,
        line: usize,
    ) -> Option<(Standing, usize, String, Counterexample)> {
        let number = |operands| match concrete.replay(entry, operands) {
            Replayed::Returned { after, other_type: None, got: Computed::Number(got), .. } => {
                Some((after, got))
            }
            _ => None,
        };
        let (after, got) = number(Operands::Mutated)?;
        let (_, alone) = number(Operands::Apart)?;
        if got == expected || alone != expected {
            return None;
        }
        let text = format!("{expected} becomes {got}, by what is pushed on a scope");
        let shown = counterexample(entry, concrete, Some((&after, Some(expected), Some(got))));
        Some((Standing::Wrong, line, text, shown))
    }

    pub(super) fn other_type(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        end: &End,
        text: &str,
        ty: &str,
    ) {
        if self.is_found(Standing::Type, end.line) {
            return;
        }
        let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
        let (mut facts, narrow) = Self::path_facts(&mut meaning, input, true);
        facts.extend(narrow);
        facts.extend(in_type_range(&mut meaning, &end.state));
        let reason = match self.fulfilled(&meaning, &facts) {
            Fulfilment::By(assignment) => {
                match Concrete::build(&end.state, input, &mut meaning, &assignment, false) {
                    None => "no IR was found that leads there".to_owned(),
                    Some(concrete) => match Self::confirmed_difference(entry, &concrete) {
                        Ok(found) => return self.keep(found, ty),
                        Err(reason) => reason,
                    },
                }
            }
            Fulfilment::None => {
                let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
                let (facts, _) = Self::path_facts(&mut meaning, input, false);
                if self.fulfilled(&meaning, &facts) == Fulfilment::None {
                    self.proved += 1;
                    return;
                }
                "no IR of variables and literals leads there".to_owned()
            }
            Fulfilment::Unknown(reason) => reason,
        };
        self.find(Standing::Undecided, end.line, ty, format!("{text}: {reason}"));
    }

    /// Checks that computed constants fit the literals that hold them, unless the bits that are cut
    /// off do not matter.
    pub(super) fn narrowed(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        result: NodeId,
        end: &End,
        ty: &str,
    ) {
        self.proved += 1;
        let mut matters = FxHashSet::default();
        sensitive(&end.state, result, false, &mut matters, &mut FxHashSet::default());
        for (class, number, element) in &end.state.narrowed {
            let class = end.state.class(*class);
            if !matters.contains(&class) {
                continue;
            }
            let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
            let (lhs, facts, _) = premises(&mut meaning, input);
            let number = meaning.term(*number);
            let Some((least, greatest)) = element.range() else { continue };
            let [above, below] = meaning.between(number, least, greatest);
            let fits = meaning.values.apply(Fun::And, &[above, below]);
            let outside = meaning.values.apply(Fun::Not, &[fits]);
            let mut all = facts.clone();
            all.push(outside);
            all.extend(meaning.no_overflow());
            all.extend(in_type_range(&mut meaning, &end.state));
            all.extend(meaning.not_taken(true));
            let _ = lhs;
            let text = match self.fulfilled(&meaning, &all) {
                Fulfilment::None => continue,
                Fulfilment::Unknown(reason) => {
                    format!("a constant may not fit {element}: {reason}")
                }
                Fulfilment::By(assignment) => {
                    match Concrete::build(&end.state, input, &mut meaning, &assignment, false) {
                        None => format!("a constant may not fit {element}"),
                        Some(concrete) => match Self::confirmed_for_some(entry, &concrete) {
                            Ok((standing, line, text, shown)) => {
                                let text = format!("{text} (a constant does not fit {element})");
                                self.keep((standing, line, text, shown), ty);
                                continue;
                            }
                            Err(why) => format!("a constant may not fit {element}: {why}"),
                        },
                    }
                }
            };
            self.find(Standing::Undecided, end.line, ty, text);
        }
    }
}

/// The number of counterexamples that are tried before a claim is left undecided.
const MAX_TRIES: usize = 3;
