//! Dependences between iterations of an update's loops.
//!
//! Loops over reduction variables may be reordered, or made unordered, where that is shown to
//! change nothing: either no two iterations whose order changes conflict on a location of the func,
//! or they touch only the locations that they update, and the updates commute. The solver is asked
//! for two iterations that conflict; a change that it cannot decide is refused. Nothing relies on
//! the answer: the validator proves each compile independently.

use halidom_encode::Encoder;
use halidom_encode::law::{self, Law, Operator, Verdict};
use halidom_ir::{Expr, ExprId, Pool, Require, VarId};
use halidom_smt::{Answer, Family, Model, Options, Program, Solver, TermId, Terms};

use crate::nest::{Loop, LoopClass, Nest};

/// Numbers up to this absolute value count as small in a message.
const SMALL: i128 = 20;

/// A change of the order of iterations from the algorithm's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<'a> {
    /// The loops take this order, outermost first.
    Reordered(&'a [Loop]),
    /// The loop at this position is unordered.
    Unordered(usize),
}

/// Two iterations that must keep their order, in words.
#[derive(Clone, Debug)]
pub(crate) struct Conflict {
    /// `(r = 0) and (r = 1)`.
    pub(crate) iterations: String,
    /// The conflict between them, in words.
    pub(crate) deed: String,
    /// True if both update the location that they share, and touch nothing else of the func.
    pub(crate) only_updates: bool,
}

/// The result of examining a change.
#[derive(Clone, Debug)]
pub(crate) enum Finding {
    /// No two iterations whose order changes conflict.
    Independent,
    /// These iterations conflict.
    Conflict(Conflict),
    /// The solver cannot decide, for this reason.
    Unknown(String),
}

/// Asks a solver which changes of order are legal, and which laws an operator has. The solver is
/// started when it is first needed. Answers are cached, so schedules of one algorithm should share
/// an oracle.
#[derive(Debug, Default)]
pub struct Oracle {
    solver: Option<Solver>,
    /// The step limit of the solver for one query, by its own count.
    steps: Option<u64>,
    /// True if a query was given up.
    gave_up: bool,
}

impl Oracle {
    /// Makes an oracle that gives up a query after a number of steps, the same on every machine. A
    /// change that is then undecided is refused.
    pub fn limited(steps: u64) -> Self {
        Self { steps: Some(steps), ..Self::default() }
    }

    /// True if a query was not decided: with more steps, a change refused for that reason may be
    /// legal.
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    fn solver(&mut self) -> Result<&mut Solver, String> {
        if self.solver.is_none() {
            let program = Program::find(Family::Z3, None).map_err(|error| error.to_string())?;
            let opened = Solver::open(Options { steps: self.steps, ..Options::new(program) });
            self.solver = Some(opened.map_err(|error| error.to_string())?);
        }
        self.solver.as_mut().ok_or_else(|| "no solver".to_owned())
    }

    /// Decides whether an operator satisfies a law.
    pub(crate) fn decide(&mut self, operator: &Operator<'_>, law: &Law) -> Result<Verdict, String> {
        let verdict = law::decide(self.solver()?, operator, law);
        self.gave_up |= matches!(verdict, Verdict::Unknown(_));
        Ok(verdict)
    }

    /// Checks that the updates of a stage commute; `Err` gives the reason, with values where there
    /// are some.
    pub(crate) fn commute(
        &mut self,
        pool: &Pool,
        nest: &Nest,
        fast_math: bool,
    ) -> Result<(), String> {
        let decl = pool.func(nest.func);
        let Some(stage) = decl.stages().get(nest.stage) else { return Ok(()) };
        if stage.values.len() != 1 {
            return Err("updates of tuples keep their order".to_owned());
        }
        let state = law::state(pool, nest.func, stage).map_err(|error| error.to_string())?;
        let varying: Vec<VarId> = stage.domain.iter().map(|variable| variable.var).collect();
        let values = &stage.values;
        let operator = Operator { pool, values, state: &state, operand: &[], varying: &varying };
        if fast_math && law::regroupable(&operator).is_some() {
            return Ok(());
        }
        match self.decide(&operator, &Law::Commutes)? {
            Verdict::Holds => Ok(()),
            Verdict::Fails(failure) => Err(failure.to_string()),
            Verdict::Unknown(reason) => {
                Err(format!("it is not known whether they commute: {reason}"))
            }
        }
    }

    /// Searches for two iterations that conflict and whose order a change does not preserve.
    pub(crate) fn conflict(
        &mut self,
        pool: &Pool,
        nest: &Nest,
        change: Change<'_>,
        requires: &[Require],
    ) -> Finding {
        let mut terms = Terms::new();
        let mut shared = Encoder::new();
        let first = Iteration::of(pool, &mut terms, &mut shared, nest);
        let second = Iteration::of(pool, &mut terms, &mut shared, nest);
        let swapped = swapped(&mut terms, nest, change, &first, &second);
        let mut facts: Vec<TermId> = first.facts.iter().chain(&second.facts).copied().collect();
        facts.push(swapped);
        let same = equal(&mut terms, &first.written, &second.written);
        let mut ways = vec![same];
        for (reader, writer) in [(&first, &second), (&second, &first)] {
            for read in &reader.read {
                ways.push(equal(&mut terms, read, &writer.written));
            }
        }
        facts.push(terms.or(&ways));
        for require in requires {
            facts.extend(shared.expr(&mut terms, pool, require.condition));
        }
        let solver = match self.solver() {
            Ok(solver) => solver,
            Err(error) => return Finding::Unknown(error),
        };
        solver.clear();
        for fact in &facts {
            solver.assert(&terms, *fact);
        }
        let model = match solver.check_fresh(&terms, "conflict") {
            Answer::Unsat => return Finding::Independent,
            Answer::Sat(model) => model,
            Answer::Unknown(reason) => {
                self.gave_up = true;
                return Finding::Unknown(reason.to_string());
            }
        };
        // Small numbers, where possible, are easier to follow.
        let (low, high) = (terms.int(-SMALL), terms.int(SMALL));
        let points: Vec<TermId> = first.point.iter().chain(&second.point).copied().collect();
        for point in points {
            let (above, below) = (terms.le(low, point), terms.le(point, high));
            solver.assert(&terms, above);
            solver.assert(&terms, below);
        }
        let model = match solver.check_fresh(&terms, "small conflict") {
            Answer::Sat(small) => small,
            Answer::Unsat | Answer::Unknown(_) => model,
        };
        Finding::Conflict(explain(pool, nest, &first, &second, &model))
    }
}

/// One iteration of a nest's loops as terms.
struct Iteration {
    /// The loops' variables, outermost first.
    loops: Vec<TermId>,
    /// The constraints on the loops' variables.
    facts: Vec<TermId>,
    /// The written point.
    written: Vec<TermId>,
    /// The points of the func that are read.
    read: Vec<Vec<TermId>>,
    /// The reduction variables.
    point: Vec<TermId>,
}

impl Iteration {
    fn of(pool: &Pool, terms: &mut Terms, shared: &mut Encoder, nest: &Nest) -> Self {
        let mut own = Variables { encoder: Encoder::new(), shared };
        let mut facts = Vec::new();
        let mut loops = Vec::new();
        for l in &nest.loops {
            let term = terms.fresh(&l.name, halidom_smt::Sort::Int);
            own.encoder.set_var(l.var, term);
            loops.push(term);
        }
        for binding in &nest.bindings {
            // The value is an unknown if it depends on a bound that is not inferred.
            let value = own.int(pool, terms, binding.value);
            own.encoder.set_var(binding.var, value);
        }
        for (l, term) in nest.loops.iter().zip(&loops) {
            let bounds =
                [l.interval.min, l.interval.extent].map(|expr| own.expr(pool, terms, expr));
            if let [Some(min), Some(extent)] = bounds {
                let end = terms.sum(&[min, extent]);
                facts.push(terms.le(min, *term));
                facts.push(terms.lt(*term, end));
            }
        }
        let guards = nest.bindings.iter().filter_map(|binding| binding.guard);
        for condition in guards.chain(nest.predicate) {
            facts.extend(own.expr(pool, terms, condition));
        }
        let written = nest.lhs.iter().map(|coord| own.int(pool, terms, *coord)).collect();
        let mut reads = Vec::new();
        for root in nest.lhs.iter().chain(&nest.predicate).chain(&nest.values) {
            pool.for_each_subexpr(*root, &mut |_, expr| {
                if let Expr::Ref { func, args, .. } = expr
                    && *func == nest.func
                {
                    reads.push(args.to_vec());
                }
            });
        }
        let read = reads
            .iter()
            .map(|args| args.iter().map(|arg| own.int(pool, terms, *arg)).collect())
            .collect();
        // Fresh constants, so that the solver reports their values.
        let point = nest
            .point
            .iter()
            .map(|expr| {
                let value = own.int(pool, terms, *expr);
                let seen = terms.fresh("point", halidom_smt::Sort::Int);
                facts.push(terms.equal(seen, value));
                seen
            })
            .collect();
        Self { loops, facts, written, read, point }
    }
}

/// The variables of one iteration, and the variables that all iterations share: parameters and
/// shapes.
struct Variables<'a> {
    encoder: Encoder,
    shared: &'a mut Encoder,
}

impl Variables<'_> {
    /// Returns an expression's term. `None` for data, which two iterations may see differently, and
    /// for bounds that are not inferred.
    fn expr(&mut self, pool: &Pool, terms: &mut Terms, id: ExprId) -> Option<TermId> {
        let mut vars = Vec::new();
        let mut reads = false;
        pool.for_each_subexpr(id, &mut |id, expr| match expr {
            Expr::Var(var) => vars.push((*var, id)),
            Expr::Ref { .. } | Expr::Load { .. } => reads = true,
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => {}
        });
        if reads {
            return None;
        }
        for (var, id) in vars {
            if self.encoder.var(var).is_none() {
                let term = self.shared.expr(terms, pool, id).ok()?;
                self.encoder.set_var(var, term);
            }
        }
        self.encoder.expr(terms, pool, id).ok()
    }

    /// Returns the term of an `int`; an unknown if it has none.
    fn int(&mut self, pool: &Pool, terms: &mut Terms, id: ExprId) -> TermId {
        self.expr(pool, terms, id).unwrap_or_else(|| terms.fresh("unknown", halidom_smt::Sort::Int))
    }
}

fn equal(terms: &mut Terms, one: &[TermId], other: &[TermId]) -> TermId {
    let parts: Vec<TermId> =
        one.iter().zip(other).map(|(one, other)| terms.equal(*one, *other)).collect();
    terms.and(&parts)
}

/// Returns the term for the first iteration coming before the second, and possibly not after the
/// change. Iterations that conflict agree in their pure loops.
fn swapped(
    terms: &mut Terms,
    nest: &Nest,
    change: Change<'_>,
    first: &Iteration,
    second: &Iteration,
) -> TermId {
    let reductions: Vec<usize> = (0..nest.loops.len())
        .filter(|index| nest.loops[*index].class == LoopClass::Reduction)
        .collect();
    match change {
        Change::Reordered(loops) => {
            let after: Vec<usize> = loops
                .iter()
                .filter(|l| l.class == LoopClass::Reduction)
                .filter_map(|l| nest.loops.iter().position(|other| other.var == l.var))
                .collect();
            let before = earlier(terms, &reductions, first, second);
            let later = earlier(terms, &after, second, first);
            terms.and(&[before, later])
        }
        Change::Unordered(position) => {
            let mut parts: Vec<TermId> = reductions
                .iter()
                .filter(|index| **index < position)
                .map(|index| terms.equal(first.loops[*index], second.loops[*index]))
                .collect();
            parts.push(terms.lt(first.loops[position], second.loops[position]));
            terms.and(&parts)
        }
    }
}

/// Returns the term for one iteration coming before another where the loops, outermost first, run
/// in order.
fn earlier(terms: &mut Terms, loops: &[usize], one: &Iteration, other: &Iteration) -> TermId {
    let mut ways = Vec::new();
    let mut same = Vec::new();
    for index in loops {
        let less = terms.lt(one.loops[*index], other.loops[*index]);
        let mut way = same.clone();
        way.push(less);
        ways.push(terms.and(&way));
        same.push(terms.equal(one.loops[*index], other.loops[*index]));
    }
    terms.or(&ways)
}

fn explain(
    pool: &Pool,
    nest: &Nest,
    first: &Iteration,
    second: &Iteration,
    model: &Model,
) -> Conflict {
    let decl = pool.func(nest.func);
    let stage = decl.stages().get(nest.stage);
    let domain = stage.map_or(&[][..], |stage| &stage.domain);
    let value = |term: TermId| model.get(term).and_then(halidom_smt::Value::as_int);
    let show = |iteration: &Iteration| {
        let parts: Vec<String> = domain
            .iter()
            .zip(&iteration.point)
            .map(|(variable, term)| {
                let name = &pool.var(variable.var).name;
                value(*term).map_or_else(|| name.clone(), |value| format!("{name} = {value}"))
            })
            .collect();
        format!("({})", parts.join(", "))
    };
    let only_updates = stage.is_some_and(|stage| law::state(pool, nest.func, stage).is_ok());
    let deed = if only_updates {
        format!("may both update one location of `{}`", decl.name)
    } else {
        format!("may touch one location of `{}`, which one of them writes", decl.name)
    };
    let iterations = format!("{} and {}", show(first), show(second));
    Conflict { iterations, deed, only_updates }
}
