//! The prefixes of a schedule: FS's programs T₀ … Tₙ (Fig. 4). Each must be confluent with the
//! algorithm (Lemma 8.1).

use halidom_base::FxHashSet;
use halidom_ir::{Action, Directive, Schedule};

use super::Phase;

/// A schedule up to and including one of its directives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The phase of the directive that was added last.
    pub phase: Phase,
    /// Its name.
    pub directive: &'static str,
    /// Its number within the schedule.
    pub origin: usize,
    /// Every directive up to it, in the order in which [`super::apply`] applies them.
    pub schedule: Schedule,
}

/// Returns the steps of a schedule, one for each directive: by phase, and in the order written
/// within each, directives for specialized instances after the others of their phase. The last step
/// is the whole schedule.
pub fn steps(schedule: &Schedule) -> Vec<Step> {
    let factored = splits_of_domains(&schedule.directives);
    let phase_of = |directive: &Directive| {
        if factored.contains(&directive.origin) {
            Phase::Algorithm
        } else {
            directive.action.phase()
        }
    };
    let mut ordered: Vec<&Directive> = schedule.directives.iter().collect();
    ordered.sort_by_key(|directive| phase_of(directive));
    let mut taken = Schedule { name: schedule.name.clone(), directives: Vec::new() };
    let mut steps = Vec::new();
    let mut nested: Vec<(usize, &Directive)> = Vec::new();
    for current in Phase::ALL {
        let of_phase = ordered.iter().filter(|directive| phase_of(directive) == current);
        for directive in of_phase {
            let mut directive = (*directive).clone();
            let (name, origin) = (directive.action.name(), directive.origin);
            if let Action::Specialize { directives, .. } = &mut directive.action {
                directives.clear();
            }
            taken.directives.push(directive);
            steps.push(Step { phase: current, directive: name, origin, schedule: taken.clone() });
        }
        if current == Phase::Specialization {
            // Specializations are the first directives, so their places in `taken` stay.
            for (place, directive) in ordered.iter().enumerate() {
                if let Action::Specialize { directives, .. } = &directive.action {
                    nested.extend(directives.iter().map(|inner| (place, inner)));
                }
            }
        }
        for (place, inner) in nested.iter().filter(|(_, inner)| inner.action.phase() == current) {
            if let Action::Specialize { directives, .. } = &mut taken.directives[*place].action {
                directives.push((*inner).clone());
            }
            let (directive, origin) = (inner.action.name(), inner.origin);
            steps.push(Step { phase: current, directive, origin, schedule: taken.clone() });
        }
    }
    steps
}

/// Returns the splits whose loops a later `rfactor` keeps: they split the update's domain.
fn splits_of_domains(directives: &[Directive]) -> FxHashSet<usize> {
    let mut splits = FxHashSet::default();
    for (place, directive) in directives.iter().enumerate() {
        let Action::Factor { vars, .. } = &directive.action else { continue };
        let mut kept: Vec<&str> = vars.iter().map(|(var, _)| var.as_str()).collect();
        for earlier in directives[..place].iter().rev() {
            let Action::Split { var, outer, inner, .. } = &earlier.action else { continue };
            let is_of_stage = earlier.func == directive.func && earlier.stage == directive.stage;
            if is_of_stage && (kept.contains(&outer.as_str()) || kept.contains(&inner.as_str())) {
                kept.push(var);
                splits.insert(earlier.origin);
            }
        }
    }
    splits
}
