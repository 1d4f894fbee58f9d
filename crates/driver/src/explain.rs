//! Explains why a store is not proved and what would help. The suggestions come from trials, not
//! from guesses.

use std::time::{Duration, Instant};

use halidom_base::FxHashSet;
use halidom_ir::{
    Algorithm, BinaryOp, Check, Expr, ExprId, Pool, Program, Scalar, Stmt, StmtId, VarId, print,
};
use halidom_smt::Asking;
use halidom_smt::Reason;
use halidom_validate::{
    Floats, Obligation, Report, Search, Status, Survived, survive, validate_refined,
};

use crate::judge::Options;
use crate::layout::Layout;
use crate::slice;
use crate::subject::Subject;

/// Information about a store beyond its obligations.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The relevant part of the program, as text.
    pub slice: String,
    /// The number of stores that write values that it reads but are not shown.
    pub left_out: usize,
    /// The result of runs that test this store.
    pub survived: Survived,
    /// The changes that were tried, with their effects on the store's obligations.
    pub trials: Vec<Trial>,
    /// Further suggestions.
    pub advice: Vec<String>,
}

/// A change that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// A description of the change.
    pub change: String,
    /// The number of the store's obligations that remain open with it.
    pub open: usize,
}

/// The number of runs that test a store.
const RUNS: usize = 100;

/// Examines one store of a judged program. `budget` limits the time for trials.
pub fn explain(
    subject: &Subject,
    (report, layout): (&Report, &Layout),
    store: usize,
    options: &Options,
    budget: Duration,
) -> Explanation {
    let stmt = layout.stores[store].stmt;
    let mut pool = subject.pool.clone();
    let body = subject.compiled.program.body;
    let (slice, left_out) = match slice::slice(&mut pool, body, stmt) {
        Some(slice) => {
            let mut names = layout.listing.names.clone();
            (print::stmt_with(&pool, &mut names, slice.body), slice.left_out)
        }
        None => (String::new(), 0),
    };
    let search = Search { trials: 4 * RUNS, runs: RUNS, ..Search::default() };
    let programs = (subject.lowered(), &subject.compiled.program);
    let (algorithm, hints) = (&subject.algorithm, &report.suggestions);
    let survived = survive(&subject.pool, algorithm, programs, stmt, hints, search);
    let open: Vec<&Obligation> =
        report.open().filter(|obligation| obligation.stmt == Some(stmt)).collect();
    let mut trials = Vec::new();
    if !open.is_empty() {
        let mut trying = Trying { subject, stmt, options, end: Instant::now() + budget };
        trying.time(&open, &mut trials);
        trying.mode(open.len(), &mut trials);
        trying.assumptions(open.len(), &mut trials);
    }
    let advice = advice(subject, layout, store);
    Explanation { slice, left_out, survived, trials, advice }
}

/// Trials of changes until a deadline.
struct Trying<'a> {
    subject: &'a Subject,
    stmt: StmtId,
    options: &'a Options,
    end: Instant,
}

impl Trying<'_> {
    fn has_time(&self) -> bool {
        Instant::now() < self.end
    }

    /// The number of open obligations of the store.
    fn open(
        &self,
        pool: &Pool,
        (algorithm, steps): (&Algorithm, &[Algorithm]),
        program: &Program,
        options: &Options,
    ) -> usize {
        let mut own = options.validator();
        own.asking.emit_smt = None;
        own.strictness = Duration::ZERO;
        own.search = Search { trials: 0, ..Search::default() };
        let report = validate_refined(&mut pool.clone(), algorithm, steps, program, &own);
        // A report without any obligation for the store shows nothing.
        let of_store = |obligation: &&Obligation| obligation.stmt == Some(self.stmt);
        let own = report.obligations.iter().filter(of_store);
        own.filter(|obligation| matches!(obligation.status, Status::Open(_))).count()
    }

    /// Tries more time, if time ran out.
    fn time(&mut self, open: &[&Obligation], trials: &mut Vec<Trial>) {
        let ran_out = Reason::Timeout.to_string();
        let late = |obligation: &&&Obligation| match &obligation.status {
            Status::Open(reason) => reason.words.starts_with(&ran_out),
            Status::Closed(_) => false,
        };
        if !open.iter().any(|obligation| late(&obligation)) || !self.has_time() {
            return;
        }
        let timeout = 4 * self.options.asking.timeout;
        let asking = Asking { timeout, ..self.options.asking.clone() };
        let options = Options { asking, ..self.options.clone() };
        let Subject { pool, algorithm, compiled, .. } = self.subject;
        let open = self.open(pool, (algorithm, &compiled.steps), &compiled.program, &options);
        let change = format!("`--timeout {}`", timeout.as_secs_f64());
        trials.push(Trial { change, open });
    }

    /// Tries weaker equalities of floats than the permitted one. Reports the strongest that helps
    /// most.
    fn mode(&mut self, before: usize, trials: &mut Vec<Trial>) {
        let Subject { pool, algorithm, compiled, .. } = self.subject;
        let has_floats = algorithm
            .funcs
            .iter()
            .any(|func| pool.func(*func).scalars.iter().any(|scalar| scalar.is_float()));
        let default = if algorithm.fast_math { Floats::Axioms } else { Floats::Bits };
        let permitted = self.options.floats.unwrap_or(default);
        let mut least = before;
        for floats in [Floats::Axioms, Floats::Reals] {
            if !has_floats || floats <= permitted || least == 0 || !self.has_time() {
                continue;
            }
            let options = Options { floats: Some(floats), ..self.options.clone() };
            let open = self.open(pool, (algorithm, &compiled.steps), &compiled.program, &options);
            least = least.min(open);
            let hint = match floats {
                Floats::Axioms => ", as `fast_math` in the pipeline says",
                Floats::Bits | Floats::Reals => "",
            };
            trials.push(Trial { change: format!("`--floats {}`{hint}", floats.name()), open });
        }
    }

    /// Tries further entry checks: all together and, if that closes anything, each separately.
    fn assumptions(&mut self, before: usize, trials: &mut Vec<Trial>) {
        let mut pool = self.subject.pool.clone();
        let candidates = candidates(&mut pool, self.subject);
        if candidates.is_empty() || !self.has_time() {
            return;
        }
        let open = self.assuming(&pool, &candidates);
        let words = |conditions: &[ExprId]| {
            let texts = conditions.iter().map(|condition| print::expr(&pool, *condition));
            texts.collect::<Vec<_>>().join(" & ")
        };
        if open >= before {
            let change = format!("assuming {}", words(&candidates));
            trials.push(Trial { change, open });
            return;
        }
        for condition in &candidates {
            if !self.has_time() {
                break;
            }
            let open = self.assuming(&pool, &[*condition]);
            if open < before {
                let change = format!("`require {}`", words(&[*condition]));
                trials.push(Trial { change, open });
            }
        }
        if trials.iter().all(|trial| trial.open > open) {
            trials.push(Trial { change: format!("assuming {}", words(&candidates)), open });
        }
    }

    fn assuming(&self, pool: &Pool, conditions: &[ExprId]) -> usize {
        let mut pool = pool.clone();
        let Subject { algorithm, compiled, .. } = self.subject;
        let mut parts = Vec::new();
        for condition in conditions {
            let check = Check::Require { message: "assumed".to_owned() };
            parts.push(pool.stmt(Stmt::Assert { condition: *condition, check }));
        }
        parts.push(compiled.program.body);
        let body = pool.stmt(Stmt::Block(parts));
        let program = Program { body, ..compiled.program.clone() };
        self.open(&pool, (algorithm, &compiled.steps), &program, self.options)
    }
}

/// Facts about parameters and shapes that callers can often promise.
fn candidates(pool: &mut Pool, subject: &Subject) -> Vec<ExprId> {
    let (algorithm, program) = (&subject.algorithm, &subject.compiled.program);
    let (zero, one) = (pool.int(0), pool.int(1));
    let mut found = Vec::new();
    for param in &algorithm.params {
        if pool.var(*param).ty.scalar == Scalar::Int {
            let var = pool.var_expr(*param);
            for bound in [zero, one] {
                found.push(pool.binary(BinaryOp::Le, bound, var));
            }
        }
    }
    let windows: Vec<(VarId, VarId)> =
        program.outputs.iter().flat_map(|output| output.window.iter().copied()).collect();
    let (sixteen, lanes) = (pool.int(16), pool.int(16));
    for (min, extent) in windows {
        let (min, extent) = (pool.var_expr(min), pool.var_expr(extent));
        found.push(pool.binary(BinaryOp::Eq, min, zero));
        found.push(pool.binary(BinaryOp::Le, sixteen, extent));
        let rest = pool.binary(BinaryOp::Mod, extent, lanes);
        found.push(pool.binary(BinaryOp::Eq, rest, zero));
    }
    for input in program.inputs.clone() {
        for dim in pool.buffer(input).dims.clone() {
            found.push(pool.binary(BinaryOp::Eq, dim.min, zero));
        }
    }
    found
}

/// Suggestions that may help but cannot be tried here.
fn advice(subject: &Subject, layout: &Layout, store: usize) -> Vec<String> {
    let pool = &subject.pool;
    let mut by_data: FxHashSet<String> = FxHashSet::default();
    let mut advice = Vec::new();
    for root in layout.stores[store].expressions(subject) {
        pool.for_each_subexpr(root, &mut |_, expr| {
            let (name, indices) = if let Expr::Load { buffer, index, .. } = expr {
                (&pool.func(pool.buffer(*buffer).func).name, vec![*index])
            } else if let Expr::Ref { func, args, .. } = expr {
                (&pool.func(*func).name, args.to_vec())
            } else {
                return;
            };
            if indices.iter().any(|index| reads(pool, *index)) && by_data.insert(name.clone()) {
                advice.push(format!(
                    "where `{name}` is read depends on data: `clamp(index, least, greatest)` in \
                        the algorithm bounds it"
                ));
            }
        });
    }
    advice
}

/// Tests whether an expression reads a func or an input.
fn reads(pool: &Pool, expr: ExprId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(expr, &mut |_, node| {
        found |= matches!(node, Expr::Load { .. } | Expr::Ref { .. });
    });
    found
}
