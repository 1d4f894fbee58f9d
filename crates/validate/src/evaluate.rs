//! Translates expressions of the IR into terms.
//!
//! # Correctness
//! There is one case for each operator, with the operator's meaning in `halidom_ir::eval`. A vector
//! of n lanes is a function of one symbol, the lane: `Ramp` is affine in it, `Broadcast` does not
//! mention it, a shuffle replaces it by the lane that it takes, and everything else works lane by
//! lane. A construct that is not covered is an error,
//! never a guess. In a space that keeps operators on floats as they are written, an expression of
//! constants alone denotes its value in its own type.

use halidom_base::IndexMap;
use halidom_ir::{
    Access, BinaryOp, BufferId, Constant, Expr, ExprId, FuncId, Intrinsic, Overflow, Pool, Scalar,
    UnaryOp, VarId, eval,
};

use crate::space::{FormulaId, PolyId, Rename, Space, Term, TermId, Value};

/// A result, or the reason why an expression has no term.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// Refuses a construct.
pub(crate) fn unsupported<T>(construct: &str) -> Result<T> {
    Err(format!("{construct} is not supported"))
}

/// Refuses a variable.
pub(crate) fn unbound<T>(pool: &Pool, var: VarId) -> Result<T> {
    Err(format!("the variable `{}` is not bound", pool.var(var).name))
}

/// An expression that is a leaf, with its pool and the space of its value.
pub(crate) struct At<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) space: &'a Space,
    pub(crate) expr: ExprId,
}

/// A component of a func or input.
pub(crate) type Component = (FuncId, usize);

/// Gives the leaves of expressions their values.
pub(crate) trait Leaves {
    /// Returns a variable's value.
    fn variable(&mut self, pool: &Pool, space: &Space, var: VarId) -> Result<Value>;

    /// Returns a component of the value of a func or input at a point, as in algorithms and before
    /// storage is flattened.
    fn reference(&mut self, at: At<'_>, of: Component, coords: Vec<PolyId>) -> Result<Value>;

    /// Returns an element of a buffer, with the claim that it holds a func's value at a point.
    fn load(&mut self, _: At<'_>, _: Load) -> Result<Value> {
        unsupported("a load in an algorithm")
    }

    /// Lists what a shuffle takes from one of its vectors: the lanes that `taken` makes of it.
    fn shuffled(&mut self, _: At<'_>, _vector: ExprId, _taken: &Rename) -> Result<()> {
        unsupported("a shuffle in an algorithm")
    }
}

/// Lanes of a shuffle that follow one another: lane `l` of the result takes lane
/// `first + step * l` of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    vector: usize,
    first: i128,
    step: i128,
}

/// Splits the lanes of a shuffle of vectors with `given` lanes into runs. A run of one lane
/// continues with the step of the run before it.
fn runs(given: u32, lanes: &[u32]) -> Vec<Run> {
    let of = |lane: u32| ((lane / given.max(1)) as usize, i128::from(lane % given.max(1)));
    let (mut runs, mut step, mut at) = (Vec::new(), 1, 0);
    while let Some(lane) = lanes.get(at) {
        let (vector, start) = of(*lane);
        let next = |number: usize| lanes.get(number).map(|lane| of(*lane));
        step = match next(at + 1) {
            Some((same, second)) if same == vector => second - start,
            Some(_) | None => step,
        };
        runs.push(Run { vector, first: start - step * at as i128, step });
        let mut expected = start;
        while next(at) == Some((vector, expected)) {
            (at, expected) = (at + 1, expected + step);
        }
    }
    runs
}

/// An evaluated load.
pub(crate) struct Load {
    pub(crate) buffer: BufferId,
    pub(crate) index: PolyId,
    pub(crate) func: FuncId,
    pub(crate) coords: Vec<PolyId>,
}

/// Translates expressions into terms, and remembers the results.
pub(crate) struct Evaluator<'a, L> {
    pool: &'a Pool,
    space: &'a Space,
    leaves: &'a mut L,
    /// The results, in the order in which they were found.
    pub(crate) memo: IndexMap<ExprId, Value>,
}

impl<'a, L: Leaves> Evaluator<'a, L> {
    pub(crate) fn new(pool: &'a Pool, space: &'a Space, leaves: &'a mut L) -> Self {
        Self { pool, space, leaves, memo: IndexMap::default() }
    }

    /// Returns the term of an expression.
    pub(crate) fn value(&mut self, expr: ExprId) -> Result<Value> {
        if let Some(value) = self.memo.get(&expr) {
            return Ok(*value);
        }
        let value = self.evaluate(expr)?;
        self.memo.insert(expr, value);
        Ok(value)
    }

    /// Returns the term of an `int`.
    pub(crate) fn int(&mut self, expr: ExprId) -> Result<PolyId> {
        match self.value(expr)? {
            Value::Int(poly) => Ok(poly),
            Value::Bool(_) | Value::Number(_) => unsupported("an index that is not an `int`"),
        }
    }

    pub(crate) fn ints(&mut self, exprs: &[ExprId]) -> Result<Vec<PolyId>> {
        exprs.iter().map(|expr| self.int(*expr)).collect()
    }

    /// Returns the term of a `bool`.
    pub(crate) fn bool(&mut self, expr: ExprId) -> Result<FormulaId> {
        match self.value(expr)? {
            Value::Bool(formula) => Ok(formula),
            Value::Int(_) | Value::Number(_) => unsupported("a condition that is not a `bool`"),
        }
    }

    /// Returns the term of a value of a machine type.
    fn machine(&mut self, expr: ExprId) -> Result<TermId> {
        match self.value(expr)? {
            Value::Number(term) => Ok(term),
            Value::Bool(formula) => Ok(self.space.truth_term(formula)),
            Value::Int(_) => unsupported("a named function of an `int`"),
        }
    }

    fn evaluate(&mut self, id: ExprId) -> Result<Value> {
        if self.space.is_as_written()
            && self.pool.ty(id).scalar.is_float()
            && let Some(constant) = literal(self.pool, id)
        {
            return Ok(self.constant(constant));
        }
        match self.pool.get(id).clone() {
            Expr::Const(constant) => Ok(self.constant(constant)),
            Expr::Var(var) => self.leaves.variable(self.pool, self.space, var),
            Expr::Unary(op, operand) => {
                let operand = self.value(operand)?;
                self.unary(op, operand)
            }
            Expr::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (self.value(lhs)?, self.value(rhs)?);
                self.binary(op, lhs, rhs)
            }
            Expr::Select { condition, if_true, if_false } => {
                let condition = self.bool(condition)?;
                let (a, b) = (self.value(if_true)?, self.value(if_false)?);
                self.select(condition, a, b)
            }
            Expr::Cast(to, operand) => {
                let operand = self.value(operand)?;
                self.cast(to, operand)
            }
            Expr::Call(call, operand) => match self.value(operand)? {
                Value::Int(poly) if call == Intrinsic::Abs => {
                    Ok(Value::Int(self.space.max(poly, self.space.scale(poly, -1))))
                }
                Value::Number(term) => Ok(Value::Number(self.space.call_term(call, term)?)),
                Value::Int(_) | Value::Bool(_) => unsupported("a function of this type"),
            },
            Expr::Apply { function, args } => {
                let args = args.iter().map(|arg| self.machine(*arg)).collect::<Result<_>>()?;
                let scalar = self.pool.function(function).result;
                let term = self.space.leaf(Term::Apply { function, scalar, args });
                Ok(leaf_value(self.space, scalar, term))
            }
            Expr::Ref { func, component, args } => {
                let coords = self.ints(&args)?;
                let at = At { pool: self.pool, space: self.space, expr: id };
                self.leaves.reference(at, (func, component), coords)
            }
            Expr::Load { buffer, index, access } => {
                let Some(Access { func, coords }) = access else {
                    return Err("a load does not say what it reads".to_owned());
                };
                let index = self.int(index)?;
                let coords = self.ints(&coords)?;
                let load = Load { buffer, index, func, coords };
                let at = At { pool: self.pool, space: self.space, expr: id };
                self.leaves.load(at, load)
            }
            Expr::Ramp { base, stride, lanes } => {
                let (base, stride) = (self.int(base)?, self.int(stride)?);
                let step = self.space.mul(stride, self.space.symbol(self.space.lane(lanes)));
                Ok(Value::Int(self.space.add(base, step)))
            }
            Expr::Broadcast { value, .. } => self.value(value),
            Expr::Shuffle { vectors, lanes } => self.shuffle(id, &vectors, &lanes),
            Expr::Hole(_) => Err("a bound is still to be inferred".to_owned()),
        }
    }

    /// Returns the value of a shuffle of loads. The lanes of the result fall into runs, in each of
    /// which the taken lane is affine in the lane of the result. All runs must have one value, as
    /// terms over the lane of the result: together they are one load of equally spaced elements.
    fn shuffle(&mut self, id: ExprId, vectors: &[ExprId], lanes: &[u32]) -> Result<Value> {
        const REFUSED: &str = "a shuffle of these lanes";
        let given = vectors.first().map_or(1, |vector| self.pool.ty(*vector).lanes);
        let (from, to) = (self.space.lane(given), self.space.lane(self.pool.ty(id).lanes));
        let to = self.space.symbol(to);
        let mut found = None;
        for Run { vector, first, step } in runs(given, lanes) {
            let Some(vector) = vectors.get(vector).copied() else { return unsupported(REFUSED) };
            let value = self.value(vector)?;
            let taken = self.space.offset(self.space.scale(to, step), first);
            let taken = Rename::symbols([(from, taken)]);
            let value = taken.value(self.space, value);
            if found.is_some_and(|other| other != value) {
                return unsupported(REFUSED);
            }
            found = Some(value);
            let at = At { pool: self.pool, space: self.space, expr: id };
            self.leaves.shuffled(at, vector, &taken)?;
        }
        found.map_or_else(|| unsupported(REFUSED), Ok)
    }

    fn constant(&mut self, constant: Constant) -> Value {
        match (constant.scalar(), constant.as_integer()) {
            (Scalar::Int, Some(value)) => Value::Int(self.space.constant(value)),
            (Scalar::Bool, Some(value)) => Value::Bool(self.space.truth(value != 0)),
            _ => Value::Number(self.space.constant_term(constant)),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: Value) -> Result<Value> {
        match (op, operand) {
            (UnaryOp::Neg(Overflow::Unbounded), Value::Int(poly)) => {
                Ok(Value::Int(self.space.scale(poly, -1)))
            }
            (UnaryOp::Not, Value::Bool(formula)) => Ok(Value::Bool(self.space.not(formula))),
            (_, Value::Number(term)) => Ok(Value::Number(self.space.unary_term(op, term)?)),
            (UnaryOp::Neg(_) | UnaryOp::Not, Value::Int(_) | Value::Bool(_)) => {
                unsupported("a unary operator of this type")
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, lhs: Value, rhs: Value) -> Result<Value> {
        match (lhs, rhs) {
            (Value::Int(a), Value::Int(b)) => self.int_binary(op, a, b),
            (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(if op == BinaryOp::And {
                self.space.and([a, b])
            } else if op == BinaryOp::Or {
                self.space.or([a, b])
            } else if op == BinaryOp::Eq {
                self.space.same_truth(a, b)
            } else if matches!(op, BinaryOp::Xor | BinaryOp::Ne) {
                self.space.not(self.space.same_truth(a, b))
            } else {
                return unsupported("a binary operator of `bool`s");
            })),
            (Value::Number(a), Value::Number(b)) => self.number_binary(op, a, b),
            (Value::Int(_) | Value::Bool(_) | Value::Number(_), _) => {
                unsupported("a binary operator on operands of two types")
            }
        }
    }

    fn int_binary(&mut self, op: BinaryOp, a: PolyId, b: PolyId) -> Result<Value> {
        if op.is_comparison() {
            return Ok(Value::Bool(self.compare(op, a, b)?));
        }
        let apply = Space::ring_operator(op, Overflow::Unbounded);
        let apply = apply.or_else(|| Space::number_operator(op));
        match apply {
            Some(apply) => Ok(Value::Int(apply(self.space, a, b))),
            None => unsupported("a binary operator of `int`s"),
        }
    }

    fn compare(&mut self, op: BinaryOp, a: PolyId, b: PolyId) -> Result<FormulaId> {
        let space = self.space;
        let (first, second) =
            if matches!(op, BinaryOp::Gt | BinaryOp::Ge) { (b, a) } else { (a, b) };
        let compare = if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            Space::equal
        } else if matches!(op, BinaryOp::Lt | BinaryOp::Gt) {
            Space::less
        } else if matches!(op, BinaryOp::Le | BinaryOp::Ge) {
            Space::at_most
        } else {
            return unsupported("this comparison");
        };
        let found = compare(space, first, second);
        Ok(if op == BinaryOp::Ne { space.not(found) } else { found })
    }

    fn number_binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Result<Value> {
        if !op.is_comparison() {
            return Ok(Value::Number(self.space.binary_term(op, a, b)?));
        }
        let scalar = self.space.scalar(a);
        if scalar != self.space.scalar(b) {
            return unsupported("a comparison of two types");
        }
        if scalar.is_float() {
            return Ok(Value::Bool(self.space.compare_floats(op, a, b)));
        }
        Ok(Value::Bool(self.compare(op, self.space.integer_of(a), self.space.integer_of(b))?))
    }

    fn select(&mut self, condition: FormulaId, a: Value, b: Value) -> Result<Value> {
        match (a, b) {
            (Value::Int(a), Value::Int(b)) => Ok(Value::Int(self.space.choose(condition, a, b))),
            (Value::Bool(a), Value::Bool(b)) => {
                let chosen = self.space.implies(condition, a);
                let otherwise = self.space.implies(self.space.not(condition), b);
                Ok(Value::Bool(self.space.and([chosen, otherwise])))
            }
            (Value::Number(a), Value::Number(b)) => {
                Ok(Value::Number(self.space.choose_term(condition, a, b)?))
            }
            (Value::Int(_) | Value::Bool(_) | Value::Number(_), _) => {
                unsupported("a selection between two types")
            }
        }
    }

    fn cast(&mut self, to: Scalar, operand: Value) -> Result<Value> {
        match (to, operand) {
            (Scalar::Int, Value::Int(_)) | (Scalar::Bool, Value::Bool(_)) => Ok(operand),
            (Scalar::Int, Value::Bool(formula)) => {
                let (one, zero) = (self.space.constant(1), self.space.constant(0));
                Ok(Value::Int(self.space.choose(formula, one, zero)))
            }
            (Scalar::Int, Value::Number(term)) if !self.space.scalar(term).is_float() => {
                Ok(Value::Int(self.space.integer_of(term)))
            }
            (Scalar::Bool, Value::Int(poly)) => {
                Ok(Value::Bool(self.space.not(self.space.zero(poly))))
            }
            (_, Value::Int(poly)) => Ok(Value::Number(self.space.int_to(to, poly)?)),
            (_, Value::Bool(formula)) => {
                Ok(Value::Number(self.space.cast_term(to, self.space.truth_term(formula))?))
            }
            (Scalar::Bool, Value::Number(term)) => {
                let term = self.space.cast_term(Scalar::Bool, term)?;
                Ok(Value::Bool(self.space.holds(term)))
            }
            (_, Value::Number(term)) => Ok(Value::Number(self.space.cast_term(to, term)?)),
        }
    }
}

/// Makes the unknown value of a variable.
pub(crate) fn unknown(pool: &Pool, space: &Space, var: VarId) -> Value {
    let decl = pool.var(var);
    let symbol = space.fresh(decl.name.clone());
    if decl.ty.scalar == Scalar::Int {
        return Value::Int(space.symbol(symbol));
    }
    leaf_value(space, decl.ty.scalar, space.leaf(Term::Parameter(symbol, decl.ty.scalar)))
}

/// Turns a leaf term of any scalar type into a value.
pub(crate) fn leaf_value(space: &Space, scalar: Scalar, term: TermId) -> Value {
    if scalar == Scalar::Bool { Value::Bool(space.holds(term)) } else { Value::Number(term) }
}

/// Returns the value of an expression that is made of constants.
pub(crate) fn literal(pool: &Pool, id: ExprId) -> Option<Constant> {
    match pool.get(id) {
        Expr::Const(constant) => Some(*constant),
        Expr::Unary(op, operand) => eval::unary(*op, literal(pool, *operand)?).ok(),
        Expr::Binary(op, lhs, rhs) => {
            eval::binary(*op, literal(pool, *lhs)?, literal(pool, *rhs)?).ok()
        }
        Expr::Cast(to, operand) => eval::cast(*to, literal(pool, *operand)?).ok(),
        Expr::Call(call, operand) => eval::intrinsic(*call, literal(pool, *operand)?).ok(),
        Expr::Broadcast { value, .. } => literal(pool, *value),
        Expr::Var(_)
        | Expr::Select { .. }
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}
