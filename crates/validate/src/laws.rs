//! What is known of the operators of update stages.
//!
//! # Correctness
//! The laws themselves are decided by [`halidom_encode::law`]. Two instances of a stage that write one location agree in every pure variable that the left-hand side names at its
//! own dimension; all other variables of the stage may differ. Under `fast_math` the sum and the product of floats may be regrouped: that is assumed, and said.

use halidom_base::FxHashMap;
use halidom_encode::law::{self, Law, Operator, Verdict};
use halidom_ir::{Expr, FuncId, Pool, Stage, VarId};
use halidom_smt::Solver;

/// The laws that were asked for.
pub(crate) struct Laws {
    solver: Solver,
    fast_math: bool,
    commuting: FxHashMap<(FuncId, usize), Result<(), String>>,
    /// What was assumed, in words.
    pub(crate) assumed: Vec<String>,
}

impl Laws {
    pub(crate) fn new(solver: Solver, fast_math: bool) -> Self {
        Self { solver, fast_math, commuting: FxHashMap::default(), assumed: Vec::new() }
    }

    /// The solver that is asked.
    pub(crate) fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Whether the instances of an update stage that write one location may run in any order, if each reads and writes it without another in between; or why that is not known.
    pub(crate) fn commutes(
        &mut self,
        pool: &Pool,
        func: FuncId,
        stage: usize,
    ) -> Result<(), String> {
        if let Some(known) = self.commuting.get(&(func, stage)) {
            return known.clone();
        }
        let result = match pool.func(func).stages().get(stage) {
            Some(found) => self.decide(pool, func, stage, found),
            None => Err("a stage that does not exist".to_owned()),
        };
        self.commuting.insert((func, stage), result.clone());
        result
    }

    /// Whether the operator of a func's update is one whose terms may be regrouped by assumption, which is then noted.
    pub(crate) fn regroups(&mut self, operator: &Operator<'_>, func: &str) -> bool {
        let regroups = self.fast_math && law::is_float_sum_or_product(operator);
        if regroups {
            self.assumed.push(format!(
                "an update of {func} is a sum or product of floats whose terms may be regrouped (fast_math)"
            ));
        }
        regroups
    }

    /// That an operator has a law; otherwise what is `wrong` with it, with values where there are some.
    pub(crate) fn holds(
        &mut self,
        operator: &Operator<'_>,
        law: &Law,
        wrong: &str,
    ) -> Result<(), String> {
        match law::decide(&mut self.solver, operator, law) {
            Verdict::Holds => Ok(()),
            Verdict::Fails(failure) => Err(format!("the operator {wrong}: {failure}")),
            Verdict::Unknown(reason) => Err(format!("perhaps the operator {wrong}: {reason}")),
        }
    }

    fn decide(
        &mut self,
        pool: &Pool,
        func: FuncId,
        number: usize,
        stage: &Stage,
    ) -> Result<(), String> {
        // The stores of an instance to several buffers are not one step.
        if stage.values.len() != 1 {
            return Err("it is not known whether updates of tuples commute".to_owned());
        }
        let state = law::state(pool, func, stage).map_err(|error| error.to_string())?;
        let varying = varying(pool, func, stage);
        let values = &stage.values;
        let operator = Operator { pool, values, state: &state, operand: &[], varying: &varying };
        if self.fast_math && law::is_float_sum_or_product(&operator) {
            let name = &pool.func(func).name;
            self.assumed.push(format!(
                "stage {number} of {name} is a sum or product of floats whose terms may come in any order (fast_math)"
            ));
            return Ok(());
        }
        match law::decide(&mut self.solver, &operator, &Law::Commutes) {
            Verdict::Holds => Ok(()),
            Verdict::Fails(failure) => Err(format!("its updates do not commute: {failure}")),
            Verdict::Unknown(reason) => {
                Err(format!("it is not known whether its updates commute: {reason}"))
            }
        }
    }
}

/// The variables of a stage that may differ between two instances that write one location.
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
