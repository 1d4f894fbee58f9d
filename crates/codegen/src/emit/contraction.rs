//! Permission for the C compiler to contract floats: to round a product and the sum that contains
//! it once.
//!
//! # Correctness
//! With this permission, the compiler may contract an expression in one place and not in another.
//! What the validator takes for one value, such as an extent and an index, may then become two. So
//! a program gets the permission only if no float to which this can happen decides where memory is
//! or which statements run. Such decisions are indices of loads and stores, ends of loops, shapes
//! of allocations, conditions of statements, entry checks, prefetches, and everything on which
//! these depend, through variables and through memory. All other floats decide nothing but values.
//!
//! Among the decisions, every sum and every product are assumed to meet, because C compilers move
//! operators through selections, copies and memory. Everything that a compiler may turn into a
//! product counts as one: a quotient whose divisor may be a constant, and the sum of a value and
//! itself. Functions such as `exp` count as both, because they are printed as sums of products.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::visit::{Role, for_each_stmt};
use halidom_ir::{
    BinaryOp, BufferId, Expr, ExprId, Intrinsic, Pool, Program, Stmt, StmtId, UnaryOp, VarId,
};

/// Tests whether only values depend on the rounding of sums of products. If so, `fast_math` lets
/// the C compiler round them once.
pub fn permits_contraction(pool: &Pool, program: &Program) -> bool {
    Search::of(pool, program).permits()
}

/// Tests whether `fast_math` lets the C compiler round a product and the sum that contains it once,
/// and the program has such sums.
pub fn is_contracted(pool: &Pool, program: &Program) -> bool {
    let search = Search::of(pool, program);
    let all = search.seen.iter().copied().collect();
    search.permits() && search.operators_of(all).may_be_contracted()
}

struct Search<'a> {
    pool: &'a Pool,
    lets: FxHashMap<VarId, ExprId>,
    /// The values that are stored in each buffer.
    written: FxHashMap<BufferId, Vec<ExprId>>,
    /// The expressions that decide where memory is or which statements run.
    places: Vec<ExprId>,
    /// Expressions that were searched for indices.
    seen: FxHashSet<ExprId>,
    /// True if floats are compared for equality somewhere. The compiler may then see that a
    /// parameter is a constant.
    equates_floats: bool,
    /// True if floats are negated somewhere. The compiler may then see that `a - b` is `2 * a`.
    negates_floats: bool,
    /// True if nothing was found that final programs do not have.
    is_final: bool,
}

/// The kinds of operators on floats that were found.
#[derive(Default)]
struct Operators {
    sum: bool,
    product: bool,
}

impl Operators {
    fn may_be_contracted(&self) -> bool {
        self.sum && self.product
    }
}

impl<'a> Search<'a> {
    /// Searches a program.
    fn of(pool: &'a Pool, program: &Program) -> Self {
        let mut search = Self {
            pool,
            lets: FxHashMap::default(),
            written: FxHashMap::default(),
            places: Vec::new(),
            seen: FxHashSet::default(),
            equates_floats: false,
            negates_floats: false,
            is_final: true,
        };
        search.stmt(program.body);
        search
    }

    fn permits(&self) -> bool {
        self.is_final && !self.operators_of(self.places.clone()).may_be_contracted()
    }

    fn stmt(&mut self, id: StmtId) {
        let pool = self.pool;
        for_each_stmt(pool, id, &mut |_, stmt| {
            stmt.for_each_expr(pool, &mut |role, expr| match role {
                Role::LetValue | Role::Value => self.expr(expr),
                Role::Condition
                | Role::LoopMin
                | Role::LoopExtent
                | Role::Layout
                | Role::Assertion
                | Role::Message
                | Role::Prefetch
                | Role::Index => self.place(expr),
                // These become comments.
                Role::Needed | Role::Claim => {}
            });
            if let Stmt::Let { var, value, .. } = stmt {
                self.lets.insert(*var, *value);
            }
            if let Stmt::Store { buffer, value, .. } = stmt {
                self.written.entry(*buffer).or_default().push(*value);
            }
            self.is_final &= !matches!(stmt, Stmt::Provide { .. });
        });
    }

    fn place(&mut self, expr: ExprId) {
        self.places.push(expr);
        self.expr(expr);
    }

    /// Finds the indices of loads, and equality comparisons and negations of floats.
    fn expr(&mut self, root: ExprId) {
        let pool = self.pool;
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            let expr = pool.get(id);
            match expr {
                Expr::Load { buffer: _, index, access: _ } => self.places.push(*index),
                Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, lhs, _) => {
                    self.equates_floats |= pool.ty(*lhs).scalar.is_float();
                }
                Expr::Unary(UnaryOp::Neg(_), _) => {
                    self.negates_floats |= pool.ty(id).scalar.is_float();
                }
                Expr::Ref { .. } | Expr::Hole(_) => self.is_final = false,
                Expr::Const(_)
                | Expr::Var(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Apply { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. } => {}
            }
            expr.for_each_operand(|operand| open.push(operand));
        }
    }

    /// Collects the operators on floats on which these expressions depend.
    fn operators_of(&self, mut open: Vec<ExprId>) -> Operators {
        let mut operators = Operators::default();
        let (mut seen, mut read) = (FxHashSet::default(), FxHashSet::default());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let expr = self.pool.get(id);
            match expr {
                Expr::Var(var) => open.extend(self.lets.get(var)),
                Expr::Load { buffer, .. } => {
                    if read.insert(*buffer) {
                        open.extend(self.written.get(buffer).into_iter().flatten());
                    }
                }
                Expr::Binary(op, lhs, rhs) if self.pool.ty(id).scalar.is_float() => {
                    self.operator(*op, (*lhs, *rhs), &mut operators);
                }
                Expr::Call(call, _) if is_printed_as_sums(*call) => {
                    operators = Operators { sum: true, product: true };
                }
                Expr::Const(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Apply { .. }
                | Expr::Ref { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. }
                | Expr::Hole(_) => {}
            }
            expr.for_each_operand(|operand| open.push(operand));
        }
        operators
    }

    fn operator(&self, op: BinaryOp, (lhs, rhs): (ExprId, ExprId), found: &mut Operators) {
        match op {
            BinaryOp::Add(_) => {
                found.sum = true;
                // `a + b` is `2 * a` where the compiler sees that `b` is `a`.
                found.product |= !self.is_constant(lhs) && !self.is_constant(rhs);
            }
            BinaryOp::Sub(_) => {
                found.sum = true;
                found.product |=
                    self.negates_floats && !self.is_constant(lhs) && !self.is_constant(rhs);
            }
            BinaryOp::Mul(_) => found.product = true,
            BinaryOp::Div => found.product |= self.equates_floats || !self.is_parameter(rhs),
            BinaryOp::Min | BinaryOp::Max => {}
            BinaryOp::Mod
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => *found = Operators { sum: true, product: true },
        }
    }

    /// Returns the value of a variable or of a vector of equal lanes.
    fn resolved(&self, expr: ExprId) -> ExprId {
        match self.pool.get(expr) {
            Expr::Var(var) => self.lets.get(var).map_or(expr, |value| self.resolved(*value)),
            Expr::Broadcast { value, .. } => self.resolved(*value),
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => expr,
        }
    }

    fn is_constant(&self, expr: ExprId) -> bool {
        matches!(self.pool.get(self.resolved(expr)), Expr::Const(_))
    }

    /// Tests whether a float is a parameter: all other variables of floats are bound.
    fn is_parameter(&self, expr: ExprId) -> bool {
        matches!(self.pool.get(self.resolved(expr)), Expr::Var(_))
    }
}

fn is_printed_as_sums(call: Intrinsic) -> bool {
    match call {
        Intrinsic::Abs
        | Intrinsic::Sqrt
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Round
        | Intrinsic::Trunc => false,
        Intrinsic::Exp
        | Intrinsic::Log
        | Intrinsic::Sin
        | Intrinsic::Cos
        | Intrinsic::Tan
        | Intrinsic::Atan => true,
    }
}
