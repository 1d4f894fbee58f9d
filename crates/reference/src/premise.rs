//! Premises of rules, and the reasons why one of them is not shown.

use halidom_ir::StmtId;

/// The kind of a premise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Premise {
    /// The linearized index addresses the coordinates, and the layout is injective (TV §7.1).
    Layout,
    /// S-ASSIGN: `Γ ⊢ 0 ≤ e_i < e'_i`.
    Bounds,
    /// S-ASSIGN: the prophecy names an instance, `Γ ⊢_A t : τ`.
    Prophecy,
    /// S-ASSIGN: `Γ ⊢ ⟦e⟧_h ≠ ∅`.
    Defined,
    /// S-ASSIGN: the constraint `⟦e⟧_h ⊂ {t}`.
    Constraint,
    /// S-PARLOOP: iterations do not interfere.
    Disjoint,
    /// The final heap holds the outputs' values on their windows.
    Output,
    /// The entry checks are satisfiable and imply what the algorithm demands.
    Entry,
    /// The program has a form that the rules cover.
    Form,
}

/// A premise that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The kind of the premise.
    pub premise: Premise,
    /// The statement, if it is about one.
    pub stmt: Option<StmtId>,
    /// The part of the program that the premise concerns.
    pub place: String,
}

/// The known reason why there is no derivation.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    pub(crate) reason: String,
    /// The place of the gap; absent when the gap is created.
    pub(crate) place: Option<Shown>,
}

impl Gap {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), place: None }
    }

    /// Sets the place of the gap, unless a more precise one is known.
    pub(crate) fn about(
        mut self,
        premise: Premise,
        stmt: Option<StmtId>,
        place: impl FnOnce() -> String,
    ) -> Self {
        self.place.get_or_insert_with(|| Shown { premise, stmt, place: place() });
        self
    }
}

impl From<halidom_poly::Error> for Gap {
    fn from(error: halidom_poly::Error) -> Self {
        Self::new(error.to_string())
    }
}
