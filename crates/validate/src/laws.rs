//! Laws of the operators of update stages.
//!
//! # Correctness
//! [`halidom_encode::law`] decides the laws themselves. Two instances of a stage that write one
//! location agree in every pure variable that the left-hand side has at its own dimension. All
//! other variables of the stage may differ. The sum and the product of floats commute bit for bit,
//! but they are not associative. Where axioms are permitted, an axiom makes them associative, and
//! the func is then right only under this axiom.

use halidom_base::{FxHashMap, IndexSet};
use halidom_encode::Encoder;
use halidom_encode::law::{self, Law, Operator, Regroupable, Verdict};
use halidom_ir::{Expr, ExprId, FuncId, Pool, Stage, VarId};
use halidom_smt::{Answer, Solver, TermId, Terms};

use crate::floats::{Axiom, Axioms, Floats};

/// The laws that were asked for, with their answers.
pub(crate) struct Laws {
    solver: Solver,
    permitted: Floats,
    commuting: FxHashMap<(FuncId, usize), Result<Axioms, String>>,
    /// Funcs that needed an axiom, by name, because a func keeps its name when an algorithm is
    /// rewritten.
    pub(crate) regrouped: IndexSet<String>,
    /// Funcs of floats that used a law which holds bit for bit.
    pub(crate) decided: IndexSet<String>,
}

impl Laws {
    /// Starts without answers, with the weakest equality of floats that is permitted.
    pub(crate) fn new(solver: Solver, permitted: Floats) -> Self {
        let (regrouped, decided) = (IndexSet::default(), IndexSet::default());
        Self { solver, permitted, commuting: FxHashMap::default(), regrouped, decided }
    }

    /// Tests whether proofs may use an axiom.
    pub(crate) fn permits(&self, _: Axiom) -> bool {
        self.permitted >= Floats::Axioms
    }

    /// The solver that decides the laws.
    pub(crate) fn into_solver(self) -> Solver {
        self.solver
    }

    /// Returns the axioms under which the instances of an update stage that write one location may
    /// run in any order, if each reads and writes the location without another in between.
    ///
    /// # Errors
    /// Returns the reason if this is not known.
    pub(crate) fn commutes(
        &mut self,
        pool: &Pool,
        func: FuncId,
        stage: usize,
    ) -> Result<Axioms, String> {
        if let Some(known) = self.commuting.get(&(func, stage)) {
            return known.clone();
        }
        let result = match pool.func(func).stages().get(stage) {
            Some(found) => self.decide(pool, func, found),
            None => Err("a stage that does not exist".to_owned()),
        };
        self.commuting.insert((func, stage), result.clone());
        result
    }

    /// Returns the axiom by which the terms of a func's update may be regrouped, if there is one.
    pub(crate) fn regroups(&mut self, operator: &Operator<'_>, func: &str) -> Option<Axioms> {
        if self.permitted < Floats::Axioms {
            return None;
        }
        let axiom = match law::regroupable(operator)? {
            Regroupable::Sum => Axiom::AddAssociative,
            Regroupable::Product => Axiom::MulAssociative,
        };
        self.regrouped.insert(func.to_owned());
        Some(Axioms::from_iter([axiom]))
    }

    /// Checks that an operator of a func has a law.
    ///
    /// # Errors
    /// Returns a message that the operator is `wrong`, with values for which the law fails, if
    /// there are any.
    pub(crate) fn holds(
        &mut self,
        (operator, func): (&Operator<'_>, &str),
        law: &Law,
        wrong: &str,
    ) -> Result<(), String> {
        match law::decide(&mut self.solver, operator, law) {
            Verdict::Holds => {
                self.note(operator, func, law);
                Ok(())
            }
            Verdict::Fails(failure) => Err(format!("the operator {wrong}: {failure}")),
            Verdict::Unknown(reason) => Err(format!("perhaps the operator {wrong}: {reason}")),
        }
    }

    /// Tests whether a condition follows from others, for all values of what they mention.
    pub(crate) fn follows(&mut self, pool: &Pool, facts: &[ExprId], goal: ExprId) -> bool {
        let (mut terms, mut encoder) = (Terms::new(), Encoder::new());
        let mut encode = |id| encoder.expr(&mut terms, pool, id).ok();
        let facts: Option<Vec<TermId>> = facts.iter().map(|fact| encode(*fact)).collect();
        let (Some(facts), Some(goal)) = (facts, encode(goal)) else { return false };
        self.solver.clear();
        for fact in facts {
            self.solver.assert(&terms, fact);
        }
        let negated = terms.not(goal);
        self.solver.assert(&terms, negated);
        self.solver.check_fresh(&terms, "condition") == Answer::Unsat
    }

    /// Records a law that holds bit for bit but perhaps not in other interpretations. `x + -0 = x`
    /// and `1 * x = x` hold in all of them.
    fn note(&mut self, operator: &Operator<'_>, func: &str, law: &Law) {
        let pool = operator.pool;
        let floats = operator.values.iter().any(|value| pool.ty(*value).scalar.is_float());
        let basic = matches!(law, Law::Identity(_)) && law::regroupable(operator).is_some();
        if floats && !basic {
            self.decided.insert(func.to_owned());
        }
    }

    /// Decides whether the instances of a stage commute. Those of a tuple do if each component's
    /// value reads no other component, and each component's updates commute.
    fn decide(&mut self, pool: &Pool, func: FuncId, stage: &Stage) -> Result<Axioms, String> {
        let mut axioms = Axioms::NONE;
        for (component, value) in stage.values.iter().enumerate() {
            let own = Stage { values: vec![*value], ..stage.clone() };
            axioms = axioms.with(self.decide_component(pool, func, &own, component)?);
        }
        Ok(axioms)
    }

    /// Decides the same for a stage with the value of one component alone.
    fn decide_component(
        &mut self,
        pool: &Pool,
        func: FuncId,
        stage: &Stage,
        component: usize,
    ) -> Result<Axioms, String> {
        let mut state = law::state(pool, func, stage).map_err(|error| error.to_string())?;
        for (_, read) in &mut state {
            if *read != component {
                return Err("a component's new value depends on another component".to_owned());
            }
            *read = 0;
        }
        let varying = varying(pool, func, stage);
        let values = &stage.values;
        // All instances apply the same function, whatever its operators mean.
        let mut is_same = true;
        for value in values {
            pool.for_each_subexpr(*value, &mut |_, node| {
                is_same &= !matches!(node, Expr::Var(var) if varying.contains(var));
            });
        }
        if is_same {
            return Ok(Axioms::NONE);
        }
        let operator = Operator { pool, values, state: &state, operand: &[], varying: &varying };
        let name = &pool.func(func).name;
        if let Some(axioms) = self.regroups(&operator, name) {
            return Ok(axioms);
        }
        match law::decide(&mut self.solver, &operator, &Law::Commutes) {
            Verdict::Holds => {
                self.note(&operator, name, &Law::Commutes);
                Ok(Axioms::NONE)
            }
            Verdict::Fails(failure) => Err(format!("its updates do not commute: {failure}")),
            Verdict::Unknown(reason) => {
                Err(format!("it is not known whether its updates commute: {reason}"))
            }
        }
    }
}

/// Returns the variables of a stage that may differ between two instances that write one location.
fn varying(pool: &Pool, func: FuncId, stage: &Stage) -> Vec<VarId> {
    let args = &pool.func(func).args;
    let fixed = |arg: &VarId| {
        stage
            .lhs
            .iter()
            .zip(args)
            .any(|(lhs, own)| own == arg && *pool.get(*lhs) == Expr::Var(*arg))
    };
    let reduction = stage.domain.iter().map(|variable| variable.var);
    args.iter().copied().filter(|arg| !fixed(arg)).chain(reduction).collect()
}
