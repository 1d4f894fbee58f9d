//! The pool, which stores everything that an id names.

use halidom_base::{Arena, FxHashMap, Interner, stack};

use crate::{
    Access, Array, BinaryOp, BufferDecl, BufferId, Constant, Expr, ExprId, FuncDecl, FuncId,
    FuncKind, FunctionDecl, FunctionId, HoleDecl, HoleId, Intrinsic, Overflow, Scalar, Stmt,
    StmtId, Type, UnaryOp, VarDecl, VarId,
};

/// The owner of expressions, statements and declarations. An algorithm, its schedules and every
/// program lowered from it share one pool.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    exprs: Interner<ExprId, Expr>,
    types: Arena<ExprId, Type>,
    stmts: Arena<StmtId, Stmt>,
    vars: Arena<VarId, VarDecl>,
    funcs: Arena<FuncId, FuncDecl>,
    buffers: Arena<BufferId, BufferDecl>,
    holes: Interner<HoleId, HoleDecl>,
    functions: Interner<FunctionId, FunctionDecl>,
    contents: FxHashMap<FuncId, Array>,
}

impl Pool {
    /// Returns an empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Interns an expression. The operands are assumed to be well typed; [`crate::verify`] checks
    /// them.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        halidom_base::patience::look();
        let ty = self.infer(&expr);
        let (id, inserted) = self.exprs.intern(expr);
        if inserted {
            self.types.push(ty);
        }
        id
    }

    /// The expression with this id.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.exprs[id]
    }

    /// The type of an expression.
    pub fn ty(&self, id: ExprId) -> Type {
        self.types[id]
    }

    /// The number of distinct expressions.
    pub fn expr_count(&self) -> usize {
        self.exprs.len()
    }

    fn infer(&self, expr: &Expr) -> Type {
        match expr {
            Expr::Const(constant) => Type::scalar(constant.scalar()),
            Expr::Var(var) => self.vars[*var].ty,
            Expr::Unary(_, operand) | Expr::Call(_, operand) => self.ty(*operand),
            Expr::Apply { function, args } => Type {
                scalar: self.functions[*function].result,
                lanes: args.first().map_or(1, |arg| self.ty(*arg).lanes),
            },
            Expr::Binary(op, lhs, _) if op.is_comparison() => {
                self.ty(*lhs).with_scalar(Scalar::Bool)
            }
            Expr::Binary(_, lhs, _) => self.ty(*lhs),
            Expr::Select { if_true, .. } => self.ty(*if_true),
            Expr::Cast(scalar, operand) => self.ty(*operand).with_scalar(*scalar),
            Expr::Ref { func, component, args } => {
                let lanes = args.iter().map(|arg| self.ty(*arg).lanes).max().unwrap_or(1);
                Type { scalar: self.funcs[*func].scalar(*component), lanes }
            }
            Expr::Load { buffer, index, .. } => {
                self.ty(*index).with_scalar(self.buffers[*buffer].scalar)
            }
            Expr::Ramp { base, lanes, .. } => Type { scalar: self.ty(*base).scalar, lanes: *lanes },
            Expr::Broadcast { value, lanes } => {
                Type { scalar: self.ty(*value).scalar, lanes: *lanes }
            }
            Expr::Shuffle { vectors, lanes } => Type {
                scalar: vectors.first().map_or(Scalar::Int, |vector| self.ty(*vector).scalar),
                lanes: u32::try_from(lanes.len()).unwrap_or(u32::MAX),
            },
            Expr::Hole(_) => Type::INT,
        }
    }

    /// Adds a statement.
    pub fn stmt(&mut self, stmt: Stmt) -> StmtId {
        self.stmts.push(stmt)
    }

    /// Returns `id` if its statement equals `stmt`, and otherwise the id of a new statement.
    pub fn rebuilt(&mut self, id: StmtId, stmt: Stmt) -> StmtId {
        if self.stmts[id] == stmt { id } else { self.stmt(stmt) }
    }

    /// The statement with this id.
    pub fn get_stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id]
    }

    /// Declares a variable that differs from every other variable.
    pub fn declare_var(&mut self, name: impl Into<String>, ty: Type) -> VarId {
        self.vars.push(VarDecl { name: name.into(), ty })
    }

    /// A variable's declaration.
    pub fn var(&self, id: VarId) -> &VarDecl {
        &self.vars[id]
    }

    /// Iterates over the variables in order of declaration.
    pub fn vars(&self) -> impl DoubleEndedIterator<Item = (VarId, &VarDecl)> {
        self.vars.iter()
    }

    /// Declares a func.
    pub fn declare_func(&mut self, decl: FuncDecl) -> FuncId {
        self.funcs.push(decl)
    }

    /// A func's declaration.
    pub fn func(&self, id: FuncId) -> &FuncDecl {
        &self.funcs[id]
    }

    /// Sets the kind of a func. Its types and rank stay.
    pub fn define_func(&mut self, id: FuncId, kind: FuncKind) {
        self.funcs[id].kind = kind;
    }

    /// Iterates over the funcs in order of declaration.
    pub fn funcs(&self) -> impl DoubleEndedIterator<Item = (FuncId, &FuncDecl)> {
        self.funcs.iter()
    }

    /// Sets the array that an input is in every run: an array that is part of the pipeline. Runs
    /// keep to it; proofs are about every array.
    pub fn set_contents(&mut self, input: FuncId, array: Array) {
        self.contents.insert(input, array);
    }

    /// The array that an input is in every run, if the pipeline fixes it.
    pub fn contents(&self, input: FuncId) -> Option<&Array> {
        self.contents.get(&input)
    }

    /// Declares a buffer.
    pub fn declare_buffer(&mut self, decl: BufferDecl) -> BufferId {
        self.buffers.push(decl)
    }

    /// A buffer's declaration.
    pub fn buffer(&self, id: BufferId) -> &BufferDecl {
        &self.buffers[id]
    }

    /// Iterates over the buffers in order of declaration.
    pub fn buffers(&self) -> impl DoubleEndedIterator<Item = (BufferId, &BufferDecl)> {
        self.buffers.iter()
    }

    /// Returns the function with this declaration. Equal declarations share one id.
    pub fn declare_function(&mut self, decl: FunctionDecl) -> FunctionId {
        self.functions.intern(decl).0
    }

    /// The functions that are only named.
    pub fn functions(&self) -> impl Iterator<Item = &FunctionDecl> {
        self.functions.values()
    }

    /// A function's declaration.
    pub fn function(&self, id: FunctionId) -> &FunctionDecl {
        &self.functions[id]
    }

    /// Returns the hole with this declaration. Equal declarations share one hole.
    pub fn hole(&mut self, decl: HoleDecl) -> HoleId {
        self.holes.intern(decl).0
    }

    /// A hole's declaration.
    pub fn get_hole(&self, id: HoleId) -> &HoleDecl {
        &self.holes[id]
    }
}

/// Constructors of common expressions. They do not simplify.
impl Pool {
    /// An `int` constant.
    pub fn int(&mut self, value: i128) -> ExprId {
        self.constant(Constant::int(value))
    }

    /// A constant.
    pub fn constant(&mut self, constant: Constant) -> ExprId {
        self.expr(Expr::Const(constant))
    }

    /// A variable's value.
    pub fn var_expr(&mut self, var: VarId) -> ExprId {
        self.expr(Expr::Var(var))
    }

    /// A unary operator.
    pub fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        self.expr(Expr::Unary(op, operand))
    }

    /// A binary operator.
    pub fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.expr(Expr::Binary(op, lhs, rhs))
    }

    /// A sum, with the overflow convention of `.hal` for the operands' type.
    pub fn add(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let overflow = self.overflow_of(lhs);
        self.binary(BinaryOp::Add(overflow), lhs, rhs)
    }

    /// A difference, with the same convention.
    pub fn sub(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let overflow = self.overflow_of(lhs);
        self.binary(BinaryOp::Sub(overflow), lhs, rhs)
    }

    /// A product, with the same convention.
    pub fn mul(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let overflow = self.overflow_of(lhs);
        self.binary(BinaryOp::Mul(overflow), lhs, rhs)
    }

    /// A conditional value.
    pub fn select(&mut self, condition: ExprId, if_true: ExprId, if_false: ExprId) -> ExprId {
        self.expr(Expr::Select { condition, if_true, if_false })
    }

    /// A conversion. Returns the operand itself if its type is already right.
    pub fn cast(&mut self, scalar: Scalar, operand: ExprId) -> ExprId {
        if self.ty(operand).scalar == scalar {
            operand
        } else {
            self.expr(Expr::Cast(scalar, operand))
        }
    }

    /// A function of one operand.
    pub fn call(&mut self, intrinsic: Intrinsic, operand: ExprId) -> ExprId {
        self.expr(Expr::Call(intrinsic, operand))
    }

    /// A named function of operands of its types.
    pub fn apply(&mut self, function: FunctionId, args: impl Into<Box<[ExprId]>>) -> ExprId {
        self.expr(Expr::Apply { function, args: args.into() })
    }

    /// A component of the value of a func at a point.
    pub fn func_ref(
        &mut self,
        func: FuncId,
        component: usize,
        args: impl Into<Box<[ExprId]>>,
    ) -> ExprId {
        self.expr(Expr::Ref { func, component, args: args.into() })
    }

    /// An element of a buffer.
    pub fn load(&mut self, buffer: BufferId, index: ExprId, access: Option<Access>) -> ExprId {
        self.expr(Expr::Load { buffer, index, access })
    }

    /// The overflow convention of `.hal` for an expression's type: `int` is unbounded, everything
    /// else wraps.
    pub fn overflow_of(&self, id: ExprId) -> Overflow {
        if self.ty(id).scalar == Scalar::Int { Overflow::Unbounded } else { Overflow::Wraps }
    }

    /// The constant's value if the expression is a constant.
    pub fn as_constant(&self, id: ExprId) -> Option<Constant> {
        match self.get(id) {
            Expr::Const(constant) => Some(*constant),
            Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => None,
        }
    }
}

/// A substitution of expressions for variables. It is applied bottom-up and keeps sharing: the cost
/// is linear in the number of distinct subexpressions.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    vars: FxHashMap<VarId, ExprId>,
}

impl Substitution {
    /// Returns a substitution that replaces nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces `var` by `value`. Variables within `value` are not replaced again.
    pub fn insert(&mut self, var: VarId, value: ExprId) {
        self.vars.insert(var, value);
    }

    /// True if nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.vars.is_empty()
    }

    /// Applies the replacements to an expression, including the annotations of its loads.
    pub fn apply(&self, pool: &mut Pool, expr: ExprId) -> ExprId {
        if self.is_empty() {
            expr
        } else {
            pool.rewrite_bottom_up(expr, &mut FxHashMap::default(), &mut |_, id, expr| {
                self.replace(id, expr)
            })
        }
    }

    fn replace(&self, id: ExprId, expr: &Expr) -> ExprId {
        if let Expr::Var(var) = expr { self.vars.get(var).copied().unwrap_or(id) } else { id }
    }
}

impl Pool {
    /// Rebuilds an expression from its operands upwards. `rewrite` receives each node after its
    /// operands were rewritten and returns its replacement. `done` caches the results, so that
    /// shared subexpressions are visited once. It can be kept between calls with the same
    /// `rewrite`.
    pub fn rewrite_bottom_up(
        &mut self,
        root: ExprId,
        done: &mut FxHashMap<ExprId, ExprId>,
        rewrite: &mut impl FnMut(&mut Self, ExprId, &Expr) -> ExprId,
    ) -> ExprId {
        if let Some(result) = done.get(&root) {
            return *result;
        }
        let expr = self.get(root).clone();
        let mapped = expr
            .map_operands(|operand| stack::deep(|| self.rewrite_bottom_up(operand, done, rewrite)));
        let (id, node) =
            if mapped == expr { (root, expr) } else { (self.expr(mapped.clone()), mapped) };
        let result = rewrite(self, id, &node);
        done.insert(root, result);
        result
    }

    /// Calls `visit` once for each distinct subexpression, operands before the expressions that
    /// contain them. Annotations of loads are not visited.
    pub fn for_each_subexpr(&self, root: ExprId, visit: &mut impl FnMut(ExprId, &Expr)) {
        let mut seen = halidom_base::FxHashSet::default();
        self.visit_subexprs(root, &mut seen, visit);
    }

    fn visit_subexprs(
        &self,
        root: ExprId,
        seen: &mut halidom_base::FxHashSet<ExprId>,
        visit: &mut impl FnMut(ExprId, &Expr),
    ) {
        if seen.insert(root) {
            self.get(root).for_each_operand(|operand| {
                stack::deep(|| self.visit_subexprs(operand, seen, visit));
            });
            visit(root, self.get(root));
        }
    }
}
