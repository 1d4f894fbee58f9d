//! Shrinks findings.

use super::disagreement::Disagreement;
use super::examine::Examiner;
use super::figures::{Figures, Spent};
use super::subject::Subject;
use crate::reduce::{Options, reduce};

/// The largest number of texts to try.
const TRIES: usize = 400;

/// The smallest text that shows the same kind of disagreement.
pub(super) fn shrink(examiner: &Examiner<'_>, found: &Disagreement) -> String {
    let mut seen = |text: &str| {
        let subject = Subject { seed: found.seed, text: text.to_owned() };
        let (mut examined, jobs) = examiner.subject(&subject);
        let native = examiner.natively(&jobs, &mut Figures::default(), &mut Spent::default());
        examined.disagreements.extend(native);
        examined.disagreements.iter().any(|other| other.kind == found.kind)
    };
    reduce(&found.text, Options { tries: TRIES }, &mut seen).text
}
