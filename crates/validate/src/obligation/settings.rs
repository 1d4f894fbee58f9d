//! Facts that a validation takes for granted, and its limits.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{Algorithm, ExprId, Program, VarId};
use halidom_verdict::Condition;

use super::record::Kind;
use crate::floats::Floats;

/// Facts about the code that a program stands for, and the conditions that it rests on. Ids belong
/// to the program's pool. By default nothing is known, and all entry checks are evaluated.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The bits of some `int`s.
    pub widths: FxHashMap<ExprId, u32>,
    /// The bits of some `int`s of the algorithm, which fit them wherever the algorithm has a value.
    pub specified: FxHashMap<ExprId, u32>,
    /// Entry checks that the code does not evaluate: the callers' contract.
    pub contract: FxHashSet<ExprId>,
    /// Extents of outputs that the pipeline itself fixes to 1.
    pub single: FxHashSet<ExprId>,
    /// True if the code takes no memory of 2^31 elements and more: it refuses to, or a condition
    /// excludes it.
    pub checks_memory: bool,
    /// The conditions of a proof. The first line of the verdict has their names.
    pub conditions: Vec<Condition>,
}

/// Limits that do not depend on the machine's speed. By default there are no limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The most questions to the solver.
    pub questions: Option<u64>,
    /// The most steps of the solver for one question, by its own count.
    pub steps: Option<u64>,
    /// The number of open obligations after which no more questions are asked, because the verdict
    /// is known.
    pub open: Option<u64>,
}

/// The settings that decide what a proof means.
pub(crate) struct Settings<'s> {
    /// Returns the options of a solver, by its purpose.
    pub(crate) solver: &'s dyn Fn(&str) -> halidom_smt::Options,
    pub(crate) budget: Budget,
    /// The weakest equality of floats that is permitted.
    pub(crate) weakest: Floats,
    /// True if a product and its sum may be rounded at once in one place and not in another.
    pub(crate) contracted: bool,
    /// The width of the compiled code's `int`s, unless another width is known for one.
    pub(crate) int_bits: u32,
    pub(crate) code: &'s Code,
    /// Extents of outputs that some admitted sizes must have above 1.
    pub(crate) roomy: Vec<VarId>,
    /// Kinds of obligations to leave out.
    pub(crate) disable: &'s [Kind],
}

impl Settings<'_> {
    /// Returns the options of a solver, by its purpose.
    pub(crate) fn solver(&self, part: &str) -> halidom_smt::Options {
        (self.solver)(part)
    }
}

/// The claim to show: the program, made from the last of `steps`, computes what `algorithm`
/// specifies.
#[derive(Clone, Copy)]
pub(crate) struct Task<'t> {
    pub(crate) algorithm: &'t Algorithm,
    pub(crate) steps: &'t [Algorithm],
    pub(crate) program: &'t Program,
}

impl<'t> Task<'t> {
    /// The algorithm that the program was made from.
    pub(super) fn lowered(self) -> &'t Algorithm {
        self.steps.last().unwrap_or(self.algorithm)
    }

    /// The algorithm, and its rewritten forms.
    pub(super) fn versions(self) -> impl Iterator<Item = &'t Algorithm> {
        [self.algorithm].into_iter().chain(self.steps)
    }
}
