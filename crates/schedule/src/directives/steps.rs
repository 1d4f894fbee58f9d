//! A schedule directive by directive: FS's programs T₀ … Tₙ (Fig. 4), of which each must be confluent with the algorithm (Lemma 8.1).

use halidom_ir::{Action, Directive, Schedule};

use super::{Phase, phase};

/// A schedule up to one of its directives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The phase of the directive that was added last.
    pub phase: Phase,
    /// Its name.
    pub directive: &'static str,
    /// Every directive up to it, in the order in which [`super::apply`] applies them.
    pub schedule: Schedule,
}

/// The steps of a schedule, one for each directive: by phase, and in the order written within each, directives for specialized instances after the others of their phase. The last one
/// is the whole schedule.
pub fn steps(schedule: &Schedule) -> Vec<Step> {
    let mut ordered: Vec<&Directive> = schedule.directives.iter().collect();
    ordered.sort_by_key(|directive| phase(&directive.action));
    let mut taken = Schedule { name: schedule.name.clone(), directives: Vec::new() };
    let mut steps = Vec::new();
    let mut nested: Vec<(usize, &Directive)> = Vec::new();
    for current in Phase::ALL {
        let of_phase = ordered.iter().filter(|directive| phase(&directive.action) == current);
        for directive in of_phase {
            let mut directive = (*directive).clone();
            let name = directive.action.name();
            if let Action::Specialize { directives, .. } = &mut directive.action {
                directives.clear();
            }
            taken.directives.push(directive);
            steps.push(Step { phase: current, directive: name, schedule: taken.clone() });
        }
        if current == Phase::Specialization {
            // Specializations are the first directives: their places in `taken` stay.
            for (place, directive) in ordered.iter().enumerate() {
                if let Action::Specialize { directives, .. } = &directive.action {
                    nested.extend(directives.iter().map(|inner| (place, inner)));
                }
            }
        }
        for (place, inner) in nested.iter().filter(|(_, inner)| phase(&inner.action) == current) {
            if let Action::Specialize { directives, .. } = &mut taken.directives[*place].action {
                directives.push((*inner).clone());
            }
            let directive = inner.action.name();
            steps.push(Step { phase: current, directive, schedule: taken.clone() });
        }
    }
    steps
}
