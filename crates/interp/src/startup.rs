//! Startup expressions (FS Definition 4.4), which use parameters and shapes alone.

use halidom_ir::eval::EvalError;
use halidom_ir::{BufferId, Constant, ExprId, FuncId, Pool, VarId};

use crate::code::{Code, CodeError, OpError, Scope, Source};
use crate::{Bindings, Notes};

/// The reason why a startup expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartupError {
    /// The expression is not a startup expression, or something in it is not bound.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// An operator has no value on its operands.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The expression has several lanes.
    #[error("a startup expression has one lane")]
    Lanes,
}

impl From<OpError> for StartupError {
    fn from(error: OpError) -> Self {
        match error {
            OpError::Eval(error) => Self::Eval(error),
            OpError::Beyond64(_) => Self::Eval(EvalError::BeyondEvaluator),
        }
    }
}

/// Evaluates a startup expression. `int`s are exact and not limited to 64 bits.
///
/// # Errors
/// The expression is not a startup expression, uses unbound variables, has several lanes, or an
/// operator has no value.
pub fn evaluate_expr(
    pool: &Pool,
    expr: ExprId,
    bindings: &Bindings,
) -> Result<Constant, StartupError> {
    evaluate_with(pool, expr, |var| bindings.var(var))
}

/// Evaluates an expression without reads. A function gives the values of its variables.
pub(crate) fn evaluate_with(
    pool: &Pool,
    expr: ExprId,
    value_of: impl Fn(VarId) -> Option<Constant>,
) -> Result<Constant, StartupError> {
    let code = Code::compile(pool, &[expr], &StartupScope { pool, value_of })?;
    let mut registers = Vec::new();
    let mut notes = Notes::default();
    code.run(
        &[],
        &mut registers,
        false,
        &mut notes,
        |never: &Never, _| -> Result<_, StartupError> { match *never {} },
    )?;
    let result = code.result(0);
    if result.count != 1 {
        return Err(StartupError::Lanes);
    }
    // Bound variables are defined and there is nothing to read, so the result is defined.
    registers[result.start].ok_or(StartupError::Lanes)
}

/// A type without values, as startup expressions read nothing.
#[derive(Clone, Copy)]
enum Never {}

struct StartupScope<'a, F> {
    pool: &'a Pool,
    value_of: F,
}

impl<F: Fn(VarId) -> Option<Constant>> Scope for StartupScope<'_, F> {
    type Place = Never;

    fn var(&self, var: VarId) -> Option<Source> {
        (self.value_of)(var).map(Source::Constant)
    }

    fn func(&self, func: FuncId, _: usize, _: usize) -> Result<Never, CodeError> {
        Err(CodeError::UndefinedFunc(self.pool.func(func).name.clone()))
    }

    fn buffer(&self, buffer: BufferId) -> Result<Never, CodeError> {
        Err(CodeError::NoBuffer(self.pool.buffer(buffer).name.clone()))
    }
}
