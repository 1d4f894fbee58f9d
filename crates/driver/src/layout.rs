//! Layout of a validation's report along the program: a status for each store, and the remaining
//! obligations.

use halidom_base::FxHashMap;
use halidom_ir::print::{self, Listing};
use halidom_ir::visit::Role;
use halidom_ir::{Expr, FuncId, Prophecy, Stmt, StmtId};
use halidom_validate::{Axioms, Floats, Obligation, Report, Status, Verdict, weakest};

use crate::subject::{Line, Subject};

/// A report laid out along the text of the program.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The program's text.
    pub listing: Listing,
    /// The stores, in the order of the text.
    pub stores: Vec<Store>,
    /// Obligations that belong to no store, as indices into the report's.
    pub others: Vec<usize>,
}

/// A store of the program.
#[derive(Clone, Debug)]
pub struct Store {
    /// The statement.
    pub stmt: StmtId,
    /// Its line in the listing.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// The func and the stage that it claims to compute.
    pub instance: Option<(FuncId, usize)>,
    /// Its status.
    pub standing: Standing,
    /// Its obligations, as indices into the report's.
    pub obligations: Vec<usize>,
    /// The weakest equality of floats that closed its obligations, and the axioms.
    pub floats: (Floats, Axioms),
}

/// The status of a store. If all its obligations are closed, it is right provided that the rest of
/// the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It never runs if the entry checks hold.
    Dead,
    /// All of its obligations are closed.
    Proved,
    /// Some obligations are open.
    Unknown,
    /// A run shows that it writes something wrong.
    Refuted,
}

impl Standing {
    /// The status's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dead => "never runs",
            Self::Proved => "proved",
            Self::Unknown => "unknown",
            Self::Refuted => "refuted",
        }
    }
}

/// Tests whether an obligation is closed.
pub fn is_closed(obligation: &Obligation) -> bool {
    matches!(obligation.status, Status::Closed(_))
}

impl Layout {
    /// Lays out a report.
    pub fn new(subject: &Subject, report: &Report) -> Self {
        let pool = &subject.pool;
        let listing = print::listing(pool, subject.lowered(), &subject.compiled.program);
        let texts: Vec<&str> = listing.text.lines().collect();
        let mut stores: Vec<Store> = Vec::new();
        let mut known: FxHashMap<StmtId, usize> = FxHashMap::default();
        for (stmt, line) in &listing.lines {
            let stored = pool.get_stmt(*stmt);
            let instance = if let Stmt::Provide { func, stage, .. } = stored {
                Some((*func, *stage))
            } else if let Stmt::Store { prophecy, .. } = stored {
                prophecy.as_ref().map(|Prophecy { func, stage, .. }| (*func, *stage))
            } else {
                continue;
            };
            if known.contains_key(stmt) {
                continue;
            }
            known.insert(*stmt, stores.len());
            let text = texts.get(line - 1).map_or("", |text| text.trim()).to_owned();
            let (stmt, line) = (*stmt, *line);
            let (standing, obligations) = (Standing::Proved, Vec::new());
            let floats = (Floats::Bits, Axioms::NONE);
            stores.push(Store { stmt, line, text, instance, standing, obligations, floats });
        }
        let mut others = Vec::new();
        for (number, obligation) in report.obligations.iter().enumerate() {
            match obligation.stmt.and_then(|stmt| known.get(&stmt)) {
                Some(store) => {
                    let store = &mut stores[*store];
                    store.obligations.push(number);
                    if !is_closed(obligation) {
                        store.standing = Standing::Unknown;
                    }
                }
                None => others.push(number),
            }
        }
        for store in &mut stores {
            store.floats =
                weakest(store.obligations.iter().map(|number| &report.obligations[*number]));
            if store.standing == Standing::Proved && store.obligations.is_empty() {
                // The report has no result for it: the walk did not reach it.
                store.standing = Standing::Unknown;
            }
            if store.standing == Standing::Proved && report.dead.contains(&store.stmt) {
                store.standing = Standing::Dead;
            }
        }
        if let Verdict::Refuted(counterexample) = &report.verdict
            && let Some(site) = &counterexample.site
            && let Some(store) = known.get(&site.stmt)
        {
            stores[*store].standing = Standing::Refuted;
        }
        Self { listing, stores, others }
    }

    /// The line of a statement.
    pub fn line(&self, stmt: StmtId) -> Option<usize> {
        self.listing.lines.iter().find(|(known, _)| *known == stmt).map(|(_, line)| *line)
    }

    /// The place of a stage's definition: in the source that a person wrote, else in the listing.
    pub fn definition(&self, subject: &Subject, func: FuncId, stage: usize) -> Option<Line> {
        subject.definition(func, stage).or_else(|| {
            let is_it = |found: &&(FuncId, usize, usize)| (found.0, found.1) == (func, stage);
            let (_, _, number) = *self.listing.stages.iter().find(is_it)?;
            let text = self.text(number).to_owned();
            Some(Line { file: "final IR".to_owned(), number, text })
        })
    }

    /// The text of a line.
    pub fn text(&self, line: usize) -> &str {
        self.listing.text.lines().nth(line - 1).map_or("", str::trim)
    }
}

impl Store {
    /// Describes its status in words. For a proved store, this includes the equality of floats.
    pub fn describe(&self) -> String {
        let name = self.standing.name();
        match (self.standing, self.floats) {
            (Standing::Proved, (Floats::Axioms, axioms)) => format!("{name} under {axioms}"),
            (Standing::Proved, (Floats::Reals, _)) => format!("{name} over the reals"),
            (Standing::Proved, (Floats::Bits, _))
            | (Standing::Dead | Standing::Unknown | Standing::Refuted, _) => name.to_owned(),
        }
    }

    /// The func and stage that it computes, in words.
    pub fn name(&self, subject: &Subject) -> String {
        match self.instance {
            Some((func, stage)) => format!("{}, stage {stage}", subject.pool.func(func).name),
            None => "no func".to_owned(),
        }
    }

    /// The expressions that it evaluates.
    pub fn expressions(&self, subject: &Subject) -> Vec<halidom_ir::ExprId> {
        let mut exprs = Vec::new();
        subject.pool.get_stmt(self.stmt).for_each_expr(&subject.pool, &mut |role, expr| {
            if matches!(role, Role::Index | Role::Value) {
                exprs.push(expr);
            }
        });
        exprs
    }

    /// The funcs that it reads, in the order of their first mention.
    pub fn reads(&self, subject: &Subject) -> Vec<FuncId> {
        let mut found: Vec<FuncId> = Vec::new();
        let pool = &subject.pool;
        for root in self.expressions(subject) {
            pool.for_each_subexpr(root, &mut |_, expr| {
                if let Expr::Load { buffer, .. } = expr {
                    found.push(pool.buffer(*buffer).func);
                }
                if let Expr::Ref { func, .. } = expr {
                    found.push(*func);
                }
            });
        }
        let mut seen: Vec<FuncId> = Vec::new();
        found.retain(|func| {
            let new = !seen.contains(func);
            seen.push(*func);
            new
        });
        found
    }
}
