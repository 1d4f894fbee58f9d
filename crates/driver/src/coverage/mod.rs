//! The inputs and sizes that a proof covers: the sum of what its entry checks ask of a caller.

mod limits;
mod shapes;

use std::collections::BTreeMap;

use halidom_base::IndexMap;
use halidom_ir::{ExprId, Pool, print};
use halidom_validate::{About, Report};

pub use shapes::Object;

use crate::subject::Subject;
use shapes::{Admits, Shapes};

/// The elements that a buffer holds before and after a window, by dimension.
pub type Margins = BTreeMap<usize, (i128, i128)>;

/// The sum of a report's entry checks.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Buffers with a stride of 1 in a dimension.
    pub adjacent: Vec<(Object, usize)>,
    /// Buffers that hold a window, and the elements around it. Those that must only hold their own
    /// window are left out: they cannot do otherwise.
    pub held: IndexMap<(Object, Object), Margins>,
    /// The least extents of buffers and windows, by dimension.
    pub least: IndexMap<Object, BTreeMap<usize, i128>>,
    /// The sizes are limited.
    pub is_limited: bool,
    /// The rows of some buffer must not overlap.
    pub is_nested: bool,
    /// Entry checks whose shape is not known, as they are written.
    pub others: Vec<String>,
}

impl Coverage {
    /// Sums up the entry checks of a report about a subject.
    pub fn of(subject: &Subject, report: &Report) -> Self {
        let pool = &subject.pool;
        let bits = subject.compiler.int_bits();
        let shapes = Shapes::of(pool, &subject.compiled.program, bits);
        let mut covered = Self::default();
        for assumption in &report.assumptions {
            match &assumption.about {
                About::Duty => {}
                About::Sizes => covered.others.push(assumption.words.clone()),
                About::Check { is_named: true, .. } => covered.is_limited = true,
                About::Check { what, condition, is_named: false } => {
                    if covered.add(shapes.admits(*condition)).is_none() {
                        covered.others.push(brief(pool, &shapes, what, *condition));
                    }
                }
            }
        }
        covered.held.retain(|(buffer, window), margins| {
            let is_own =
                matches!((buffer, window), (Object::Buffer(a), Object::Window(b)) if a == b);
            let is_exact = margins.values().all(|margin| *margin == (0, 0));
            !(is_own && is_exact)
        });
        covered
    }

    /// Adds the meaning of an entry check. `None` if its shape is not known.
    fn add(&mut self, admits: Admits) -> Option<()> {
        match admits {
            Admits::Limits => self.is_limited = true,
            Admits::Nested { .. } => self.is_nested = true,
            Admits::Adjacent { buffer, dim } => self.adjacent.push((buffer, dim)),
            Admits::Holds { buffer, window, dim, before: before @ 0.., after: after @ 0.. } => {
                let margins = self.held.entry((buffer, window)).or_default();
                let margin = margins.entry(dim).or_default();
                *margin = (margin.0.max(before), margin.1.max(after));
            }
            Admits::AtLeast { object, dim, extent } => {
                let known = self.least.entry(object).or_default().entry(dim).or_default();
                *known = extent.max(*known);
            }
            Admits::Holds { .. } | Admits::Other => return None,
        }
        Some(())
    }
}

/// Describes an entry check in few words: its condition on objects that are not empty.
fn brief(pool: &Pool, shapes: &Shapes<'_>, what: &str, condition: ExprId) -> String {
    let parts = shapes.of_work(condition).into_iter().map(|part| print::expr(pool, part));
    format!("{what}: {}", parts.collect::<Vec<_>>().join(" | "))
}
