//! The inputs and sizes that a proof covers: the sum of what its entry checks ask of a caller.

use std::collections::BTreeMap;

use halidom_base::IndexMap;
use halidom_validate::{Admits, Object, Report};

/// The elements that a buffer holds before and after a window, by dimension.
pub type Margins = BTreeMap<usize, (i128, i128)>;

/// The sum of a report's entry checks.
#[derive(Clone, Debug, Default)]
pub struct Coverage<'r> {
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
    pub others: Vec<&'r str>,
}

impl<'r> Coverage<'r> {
    /// Sums up the entry checks of a report.
    pub fn of(report: &'r Report) -> Self {
        let mut covered = Self::default();
        for assumption in &report.assumptions {
            match assumption.admits {
                None => {}
                Some(Admits::Limits) => covered.is_limited = true,
                Some(Admits::Nested { .. }) => covered.is_nested = true,
                Some(Admits::Adjacent { buffer, dim }) => covered.adjacent.push((buffer, dim)),
                Some(Admits::Holds {
                    buffer,
                    window,
                    dim,
                    before: before @ 0..,
                    after: after @ 0..,
                }) => {
                    let margins = covered.held.entry((buffer, window)).or_default();
                    let margin = margins.entry(dim).or_default();
                    *margin = (margin.0.max(before), margin.1.max(after));
                }
                Some(Admits::AtLeast { object, dim, extent }) => {
                    let known = covered.least.entry(object).or_default().entry(dim).or_default();
                    *known = extent.max(*known);
                }
                Some(Admits::Holds { .. } | Admits::Other) => {
                    covered.others.push(&assumption.brief);
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
}
