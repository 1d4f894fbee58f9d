//! Laws of update operators: whether two updates of one location commute, and whether an operator
//! is associative or has an identity.
//!
//! # Correctness
//! Consider an update `f(l) = value` whose only reads of `f` are at `l` itself. It is a function
//! from the location's old value (the *state*, a value for each component) to its new one.
//! Everything else that it reads is a *leaf*. Leaves over variables that differ from instance to
//! instance are different unknowns in each instance; all other leaves are the same unknowns in
//! both. A law [holds](Verdict::Holds) only if the solver finds its negation contradictory, with
//! integers of their width and floats according to IEEE 754. A leaf may be a whole expression that
//! does not depend on the state. Its value is then arbitrary in its type, so the solver shows more
//! than is needed. An expression that reads a func or buffer at a place that depends on the state
//! is not a leaf: such an update is rejected.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, FuncId, Pool, Scalar, Stage, VarId, eval};
use halidom_smt::{Answer, Solver, TermId, Terms};

use crate::{EncodeError, Encoder, constant, sort};

/// An update as a function of the state.
#[derive(Clone, Copy, Debug)]
pub struct Operator<'a> {
    /// The pool that holds the expressions.
    pub pool: &'a Pool,
    /// The new value of each component.
    pub values: &'a [ExprId],
    /// Expressions that stand for a component of the old value.
    pub state: &'a [(ExprId, usize)],
    /// Expressions that stand for a component of the other operand, for the laws that mention one;
    /// empty for [`Law::Commutes`].
    pub operand: &'a [(ExprId, usize)],
    /// Variables that differ from instance to instance.
    pub varying: &'a [VarId],
}

/// A law of an operator `⊕`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// Two instances may run in either order: `(x ⊕ a) ⊕ b = (x ⊕ b) ⊕ a`.
    Commutes,
    /// `(x ⊕ y) ⊕ z = x ⊕ (y ⊕ z)`.
    Associative,
    /// `x ⊕ y = y ⊕ x`.
    Commutative,
    /// `x ⊕ c = x` for these constants `c`, one per component.
    Identity(Vec<Constant>),
}

/// The answer to whether a law holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The law holds for all values.
    Holds,
    /// The law fails for these values.
    Fails(Failure),
    /// The answer is not known, for this reason.
    Unknown(String),
}

/// Values for which a law fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The operands, by name.
    pub operands: Vec<(String, Constant)>,
    /// The left side, a value for each component.
    pub left: Vec<Constant>,
    /// The right side.
    pub right: Vec<Constant>,
}

/// The reason why a stage is not an update of its own location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoOperator {
    /// Its predicate or written point depends on the func.
    #[error("where it is applied depends on the func itself")]
    Placed,
    /// It reads the func elsewhere.
    #[error("it reads the func at a point that it does not write")]
    ReadsElsewhere,
}

/// Returns the reads of `func` by one of its own stages: the state of the stage's operator. All of
/// them must read the written point.
///
/// # Errors
/// The stage reads the func at another point, or its predicate or its written point reads the func.
pub fn state(pool: &Pool, func: FuncId, stage: &Stage) -> Result<Vec<(ExprId, usize)>, NoOperator> {
    for root in stage.lhs.iter().chain(&stage.predicate) {
        if reads(pool, *root, func) {
            return Err(NoOperator::Placed);
        }
    }
    let mut found = Vec::new();
    let mut elsewhere = false;
    for value in &stage.values {
        pool.for_each_subexpr(*value, &mut |id, expr| {
            if let Expr::Ref { func: read, component, args } = expr
                && *read == func
            {
                elsewhere |= **args != *stage.lhs;
                found.push((id, *component));
            }
        });
    }
    found.sort_unstable();
    found.dedup();
    if elsewhere { Err(NoOperator::ReadsElsewhere) } else { Ok(found) }
}

/// Lists the candidates for the other operand, each with one expression per component; the
/// expressions do not depend on the state. There are several candidates if components share a type.
pub fn operands(
    pool: &Pool,
    values: &[ExprId],
    state: &[(ExprId, usize)],
) -> Vec<Vec<(ExprId, usize)>> {
    let scalars: Vec<Scalar> = values.iter().map(|value| pool.ty(*value).scalar).collect();
    let mut found = Vec::new();
    for value in values {
        independent(pool, *value, state, &scalars, &mut found);
    }
    let is_constant = |id: &ExprId| pool.as_constant(*id).is_some();
    // A constant is usually part of the operator. It is an operand only if there is no other.
    if found.iter().any(|id| !is_constant(id)) {
        found.retain(|id| !is_constant(id));
    }
    if found.len() != values.len() {
        return Vec::new();
    }
    let mut orders: Vec<Vec<ExprId>> = vec![Vec::new()];
    for scalar in &scalars {
        orders = orders
            .iter()
            .flat_map(|order| {
                let fits = found.iter().filter(|id| pool.ty(**id).scalar == *scalar);
                let free = fits.filter(|id| !order.contains(id));
                free.map(|id| [order.as_slice(), &[*id]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    let numbered = |order: Vec<ExprId>| {
        order.into_iter().enumerate().map(|(component, id)| (id, component)).collect()
    };
    orders.into_iter().map(numbered).collect()
}

/// Collects the largest subexpressions that do not depend on the state. A cast to a type that no
/// component has is replaced by its operand.
fn independent(
    pool: &Pool,
    id: ExprId,
    state: &[(ExprId, usize)],
    scalars: &[Scalar],
    found: &mut Vec<ExprId>,
) {
    if state.iter().any(|(other, _)| *other == id) {
        return;
    }
    if mentions(pool, id, state) {
        pool.get(id).for_each_operand(|operand| independent(pool, operand, state, scalars, found));
        return;
    }
    let mut id = id;
    while let Expr::Cast(_, operand) = *pool.get(id)
        && !scalars.contains(&pool.ty(id).scalar)
    {
        id = operand;
    }
    if !found.contains(&id) {
        found.push(id);
    }
}

/// True if an expression reads a func.
pub fn reads(pool: &Pool, root: ExprId, func: FuncId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(root, &mut |_, expr| {
        found |= matches!(expr, Expr::Ref { func: read, .. } if *read == func);
    });
    found
}

/// An operator on floats that may be regrouped under `fast_math`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regroupable {
    /// `x + a`.
    Sum,
    /// `x * a`.
    Product,
}

/// Recognizes the sum and the product of floats. Both are commutative bit for bit; associativity is
/// assumed by the callers that use it.
pub fn regroupable(operator: &Operator<'_>) -> Option<Regroupable> {
    let ([value], [(state, 0)]) = (operator.values, operator.state) else { return None };
    let pool = operator.pool;
    let Expr::Binary(op, lhs, rhs) = *pool.get(*value) else { return None };
    let other = if lhs == *state { rhs } else { lhs };
    let updates = (lhs == *state || rhs == *state)
        && pool.ty(*value).scalar.is_float()
        && !mentions(pool, other, &[(*state, 0)]);
    if !updates {
        return None;
    }
    if matches!(op, BinaryOp::Add(_)) {
        return Some(Regroupable::Sum);
    }
    matches!(op, BinaryOp::Mul(_)).then_some(Regroupable::Product)
}

fn mentions(pool: &Pool, root: ExprId, sought: &[(ExprId, usize)]) -> bool {
    let mut found = false;
    pool.for_each_subexpr(root, &mut |id, _| found |= sought.iter().any(|(other, _)| *other == id));
    found
}

/// Decides a law.
pub fn decide(solver: &mut Solver, operator: &Operator<'_>, law: &Law) -> Verdict {
    let fine = match Cut::of(operator, false) {
        Ok(cut) => cut,
        Err(error) => return Verdict::Unknown(error),
    };
    if *law != Law::Commutes && fine.leaves.iter().any(|leaf| leaf.varies) {
        return Verdict::Unknown("the operator depends on more than its two operands".to_owned());
    }
    if let Some(failure) = fine.sample(law) {
        return Verdict::Fails(failure);
    }
    let coarse = match Cut::of(operator, true) {
        Ok(cut) => cut,
        Err(error) => return Verdict::Unknown(error),
    };
    match coarse.ask(solver, law) {
        Ok(Answer::Unsat) => return Verdict::Holds,
        Ok(Answer::Sat(_) | Answer::Unknown(_)) | Err(_) => {}
    }
    match fine.ask(solver, law) {
        Ok(Answer::Unsat) => Verdict::Holds,
        Ok(Answer::Sat(_)) => Verdict::Unknown("the solver has values that do not confirm".into()),
        Ok(Answer::Unknown(reason)) => Verdict::Unknown(reason.to_string()),
        Err(error) => Verdict::Unknown(error.to_string()),
    }
}

/// An expression that an operator reads apart from its operands.
struct Leaf {
    expr: ExprId,
    scalar: Scalar,
    /// True if two instances may see different values.
    varies: bool,
}

/// An operator with its leaves.
struct Cut<'a> {
    operator: Operator<'a>,
    leaves: Vec<Leaf>,
    scalars: Vec<Scalar>,
}

/// The input of an application in addition to the state.
enum Given<V> {
    /// The leaves of this instance.
    Instance(usize),
    /// The other operand.
    Operand(Vec<V>),
}

impl<'a> Cut<'a> {
    /// Finds the leaves: variables and reads. If `coarse`, leaves are also whole expressions that
    /// do not depend on the operands, except casts, since a cast limits the possible values.
    fn of(operator: &Operator<'a>, coarse: bool) -> Result<Self, String> {
        let pool = operator.pool;
        let scalars = operator.values.iter().map(|value| pool.ty(*value).scalar).collect();
        let mut cut = Self { operator: *operator, leaves: Vec::new(), scalars };
        let mut seen = FxHashSet::default();
        for value in operator.values {
            cut.visit(*value, coarse, &mut seen)?;
        }
        Ok(cut)
    }

    fn visit(
        &mut self,
        id: ExprId,
        coarse: bool,
        seen: &mut FxHashSet<ExprId>,
    ) -> Result<(), String> {
        let Operator { pool, state, operand, varying, .. } = self.operator;
        let is_operand = state.iter().chain(operand).any(|(other, _)| *other == id);
        if is_operand || !seen.insert(id) {
            return Ok(());
        }
        let expr = pool.get(id);
        if matches!(expr, Expr::Const(_)) {
            return Ok(());
        }
        let depends = mentions(pool, id, state) || mentions(pool, id, operand);
        let is_read = matches!(expr, Expr::Var(_) | Expr::Ref { .. } | Expr::Load { .. });
        if is_read && depends {
            return Err("a place that it reads depends on the value that it updates".to_owned());
        }
        if is_read || (coarse && !depends && !matches!(expr, Expr::Cast(..))) {
            let mut varies = false;
            pool.for_each_subexpr(id, &mut |_, expr| {
                varies |= matches!(expr, Expr::Var(var) if varying.contains(var));
            });
            self.leaves.push(Leaf { expr: id, scalar: pool.ty(id).scalar, varies });
            return Ok(());
        }
        let mut operands = Vec::new();
        expr.for_each_operand(|operand| operands.push(operand));
        operands.into_iter().try_for_each(|operand| self.visit(operand, coarse, seen))
    }

    /// Computes both sides of a law by applying the operator.
    fn sides<V: Clone, E>(
        law: &Law,
        [x, y, z]: [&[V]; 3],
        mut constant: impl FnMut(Constant) -> V,
        mut apply: impl FnMut(&[V], Given<V>) -> Result<Vec<V>, E>,
    ) -> Result<[Vec<V>; 2], E> {
        use Given::{Instance, Operand};
        Ok(match law {
            Law::Commutes => {
                let first = apply(x, Instance(0))?;
                let second = apply(x, Instance(1))?;
                [apply(&first, Instance(1))?, apply(&second, Instance(0))?]
            }
            Law::Associative => {
                let (xy, yz) = (apply(x, Operand(y.to_vec()))?, apply(y, Operand(z.to_vec()))?);
                [apply(&xy, Operand(z.to_vec()))?, apply(x, Operand(yz))?]
            }
            Law::Commutative => [apply(x, Operand(y.to_vec()))?, apply(y, Operand(x.to_vec()))?],
            Law::Identity(values) => {
                let identity = values.iter().map(|value| constant(*value)).collect();
                [apply(x, Operand(identity))?, x.to_vec()]
            }
        })
    }

    /// Asks the solver whether the sides can differ.
    fn ask(&self, solver: &mut Solver, law: &Law) -> Result<Answer, EncodeError> {
        let mut terms = Terms::new();
        let mut fresh = |name: &str, scalar| terms.fresh(name, sort(scalar));
        let mut operands = ["x", "y", "z"]
            .map(|name| self.scalars.iter().map(|scalar| fresh(name, *scalar)).collect::<Vec<_>>());
        let leaves: Vec<[TermId; 2]> = self
            .leaves
            .iter()
            .map(|leaf| {
                let first = fresh("a", leaf.scalar);
                [first, if leaf.varies { fresh("b", leaf.scalar) } else { first }]
            })
            .collect();
        if let Law::Identity(values) = law
            && values.iter().map(|value| value.scalar()).ne(self.scalars.iter().copied())
        {
            return Err(EncodeError::IllTyped);
        }
        let [x, y, z] = &mut operands;
        let cell = std::cell::RefCell::new(&mut terms);
        let [left, right] = Self::sides(
            law,
            [x.as_slice(), y, z],
            |value| constant(&mut cell.borrow_mut(), value),
            |state, given| {
                let mut encoder = Encoder::new();
                let number = match &given {
                    Given::Instance(number) => *number,
                    Given::Operand(_) => 0,
                };
                for (leaf, terms) in self.leaves.iter().zip(&leaves) {
                    encoder.set_expr(leaf.expr, terms[number]);
                }
                for (expr, component) in self.operator.state {
                    encoder.set_expr(*expr, state[*component]);
                }
                if let Given::Operand(operand) = &given {
                    for (expr, component) in self.operator.operand {
                        encoder.set_expr(*expr, operand[*component]);
                    }
                }
                let terms = &mut cell.borrow_mut();
                let pool = self.operator.pool;
                let values = self.operator.values.iter();
                values.map(|value| encoder.expr(terms, pool, *value)).collect()
            },
        )?;
        let equal: Vec<TermId> =
            left.iter().zip(&right).map(|(left, right)| terms.equal(*left, *right)).collect();
        let all = terms.and(&equal);
        let goal = terms.not(all);
        solver.clear();
        solver.assert(&terms, goal);
        Ok(solver.check_fresh(&terms, "law"))
    }

    /// Searches extreme and small values for some that break the law.
    fn sample(&self, law: &Law) -> Option<Failure> {
        const TRIALS: usize = 600;
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut draw = |scalar: Scalar, trial: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let samples = samples(scalar);
            // Small values come first because they are easier to read.
            let most = if trial < TRIALS / 2 { samples.len().min(4) } else { samples.len() };
            samples[(random % most as u64) as usize]
        };
        (0..TRIALS).find_map(|trial| {
            let operands = [0, 1, 2].map(|_| {
                self.scalars.iter().map(|scalar| draw(*scalar, trial)).collect::<Vec<_>>()
            });
            let leaves: Vec<[Constant; 2]> = self
                .leaves
                .iter()
                .map(|leaf| {
                    let first = draw(leaf.scalar, trial);
                    [first, if leaf.varies { draw(leaf.scalar, trial) } else { first }]
                })
                .collect();
            let [x, y, z] = &operands;
            let sides = Self::sides(
                law,
                [x.as_slice(), y, z],
                |value| value,
                |state, given| self.evaluate(state, &given, &leaves).ok_or(()),
            );
            let [left, right] = sides.ok()?;
            (left != right).then(|| self.failure(law, &operands, &leaves, left, right))
        })
    }

    fn failure(
        &self,
        law: &Law,
        [x, y, z]: &[Vec<Constant>; 3],
        leaves: &[[Constant; 2]],
        left: Vec<Constant>,
        right: Vec<Constant>,
    ) -> Failure {
        let mut operands = Vec::new();
        let mut name = |name: &str, values: &[Constant]| {
            for (component, value) in values.iter().enumerate() {
                let suffix = if values.len() > 1 { format!(".{component}") } else { String::new() };
                operands.push((format!("{name}{suffix}"), *value));
            }
        };
        name("x", x);
        match law {
            Law::Commutes | Law::Identity(_) => {}
            Law::Commutative => name("y", y),
            Law::Associative => {
                name("y", y);
                name("z", z);
            }
        }
        for (leaf, values) in self.leaves.iter().zip(leaves) {
            let text = halidom_ir::print::expr(self.operator.pool, leaf.expr);
            if leaf.varies {
                operands.push((format!("first {text}"), values[0]));
                operands.push((format!("second {text}"), values[1]));
            } else {
                operands.push((text, values[0]));
            }
        }
        Failure { operands, left, right }
    }

    fn evaluate(
        &self,
        state: &[Constant],
        given: &Given<Constant>,
        leaves: &[[Constant; 2]],
    ) -> Option<Vec<Constant>> {
        let mut known = FxHashMap::default();
        let number = match given {
            Given::Instance(number) => *number,
            Given::Operand(_) => 0,
        };
        for (leaf, values) in self.leaves.iter().zip(leaves) {
            known.insert(leaf.expr, values[number]);
        }
        for (expr, component) in self.operator.state {
            known.insert(*expr, *state.get(*component)?);
        }
        if let Given::Operand(operand) = given {
            for (expr, component) in self.operator.operand {
                known.insert(*expr, *operand.get(*component)?);
            }
        }
        let values = self.operator.values.iter();
        values.map(|value| evaluate(self.operator.pool, *value, &mut known)).collect()
    }
}

/// Evaluates an expression whose leaves have known values.
fn evaluate(pool: &Pool, id: ExprId, known: &mut FxHashMap<ExprId, Constant>) -> Option<Constant> {
    if let Some(value) = known.get(&id) {
        return Some(*value);
    }
    let value = match pool.get(id) {
        Expr::Const(value) => *value,
        Expr::Unary(op, operand) => eval::unary(*op, evaluate(pool, *operand, known)?).ok()?,
        Expr::Binary(op, lhs, rhs) => {
            let (lhs, rhs) = (evaluate(pool, *lhs, known)?, evaluate(pool, *rhs, known)?);
            eval::binary(*op, lhs, rhs).ok()?
        }
        Expr::Select { condition, if_true, if_false } => {
            let chosen = evaluate(pool, *condition, known)?.as_bool()?;
            evaluate(pool, if chosen { *if_true } else { *if_false }, known)?
        }
        Expr::Cast(scalar, operand) => {
            eval::cast(*scalar, evaluate(pool, *operand, known)?).ok()?
        }
        Expr::Call(intrinsic, operand) => {
            eval::intrinsic(*intrinsic, evaluate(pool, *operand, known)?).ok()?
        }
        Expr::Apply { function, args } => {
            let args = args.iter().map(|arg| evaluate(pool, *arg, known));
            let args = args.collect::<Option<Vec<_>>>()?;
            eval::apply(pool.function(*function), &args).ok()?
        }
        Expr::Var(_)
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => return None,
    };
    known.insert(id, value);
    Some(value)
}

/// Values that distinguish operators, small ones first. Never empty.
fn samples(scalar: Scalar) -> Vec<Constant> {
    match scalar {
        Scalar::F32 => [1.0, 2.0, -3.0, 1.0e-7, 0.5, 1.0e30, -0.0, 0.0, f32::NAN, f32::INFINITY]
            .map(Constant::f32)
            .to_vec(),
        Scalar::F64 => [1.0, 2.0, -3.0, 1.0e-16, 0.5, 1.0e300, -0.0, 0.0, f64::NAN, f64::INFINITY]
            .map(Constant::f64)
            .to_vec(),
        Scalar::Bool => vec![Constant::bool(true), Constant::bool(false)],
        Scalar::Int => [1, 2, 3, 0, 4].map(Constant::int).to_vec(),
        Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => {
            let (low, high) = scalar.range().unwrap_or((0, 1));
            [1, 2, 3, 0, 5, -1, high, low, high / 2, low + 1]
                .iter()
                .filter_map(|value| Constant::wrapped(scalar, *value))
                .collect()
        }
    }
}

impl std::fmt::Display for Failure {
    /// Writes `with x = 1, y = 2, one way gives 3, the other 4`, with numbers without their types.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |values: &[Constant]| {
            let values: Vec<String> = values.iter().map(|value| show(*value)).collect();
            if values.len() == 1 { values.concat() } else { format!("({})", values.join(", ")) }
        };
        for (position, (name, value)) in self.operands.iter().enumerate() {
            let start = if position == 0 { "with" } else { "," };
            write!(f, "{start} {name} = {}", show(*value))?;
        }
        write!(f, ", one way gives {}, the other {}", list(&self.left), list(&self.right))
    }
}

/// Prints a number without its type.
fn show(value: Constant) -> String {
    if let Some(truth) = value.as_bool() {
        return truth.to_string();
    }
    match (value.as_integer(), value.as_f32(), value.as_f64()) {
        (Some(number), ..) => number.to_string(),
        (None, Some(number), _) => format!("{number:?}"),
        (None, None, number) => number.map_or_else(String::new, |number| format!("{number:?}")),
    }
}
