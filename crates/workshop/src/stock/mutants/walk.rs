//! Traversal of a statement's blocks and expressions. Each has a number and a scope.

use halidom_base::FxHashMap;
use halidom_halide::tree::{Block, Call, Expr, Load, Range, Scalar, Stmt, StmtKind, Type};
use halidom_halide::{NameId, Names};

/// The role of an expression in its statement or in the enclosing expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The value of a let.
    Let,
    /// A value that is stored.
    Value,
    /// The index of a store.
    StoreIndex,
    /// The index of a load.
    LoadIndex,
    /// The predicate of a load or store: the lanes that it accesses.
    Predicate,
    /// The condition of an `if`.
    Condition,
    /// The condition of an assertion.
    Check,
    /// The message of an assertion.
    Message,
    /// The first value of a loop variable.
    Min,
    /// The number of a loop's iterations.
    Extent,
    /// The size of an allocation.
    Size,
    /// The condition of an allocation.
    Allocated,
    /// A semaphore.
    Semaphore,
    /// A semaphore's count.
    Count,
    /// An expression that is evaluated for its effects.
    Effect,
    /// Part of a construct that does not occur in final statements.
    Other,
}

/// The binding of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// A value, with its type where that is known.
    Value(Option<Type>),
    /// A buffer, with its element type where that is known.
    Buffer(Option<Scalar>),
}

/// The types of a pipeline's inputs, parameters and funcs.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) buffers: FxHashMap<NameId, Scalar>,
    pub(super) params: Vec<(NameId, Scalar)>,
}

/// The names in scope at a place.
pub(super) struct Scope<'a> {
    pub(super) names: &'a Names,
    known: &'a Known,
    bound: Vec<(NameId, Bound)>,
    /// The kinds of the enclosing statements, the outermost first.
    pub(super) around: Vec<&'a StmtKind>,
}

impl Scope<'_> {
    /// The innermost binding of a name.
    pub(super) fn bound(&self, name: NameId) -> Option<Bound> {
        let found = self.bound.iter().rev().find(|(known, _)| *known == name);
        found.map(|(_, bound)| *bound).or_else(|| {
            let param = self.known.params.iter().find(|(known, _)| *known == name);
            param.map(|(_, scalar)| Bound::Value(Some(Type::of(*scalar))))
        })
    }

    /// Other names for values of a type, the innermost first.
    pub(super) fn values(&self, ty: Type, but: Option<NameId>) -> Vec<NameId> {
        let mut found = Vec::new();
        let params = self.known.params.iter();
        let params = params.map(|(name, scalar)| (*name, Bound::Value(Some(Type::of(*scalar)))));
        for (name, bound) in self.bound.iter().rev().copied().chain(params) {
            if bound == Bound::Value(Some(ty)) && Some(name) != but && !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// Other buffers with the same element type, the innermost first.
    pub(super) fn like_buffer(&self, buffer: NameId) -> Vec<NameId> {
        let ty = self.element(buffer);
        let mut found = Vec::new();
        for (name, bound) in self.bound.iter().rev() {
            let is_like = matches!(bound, Bound::Buffer(other) if *other == ty && ty.is_some());
            if is_like && *name != buffer && !found.contains(name) {
                found.push(*name);
            }
        }
        found
    }

    /// The semaphores in scope with their types, the innermost first.
    pub(super) fn semaphores(&self) -> Vec<(NameId, Type)> {
        let mut found = Vec::new();
        for (name, bound) in self.bound.iter().rev() {
            let Bound::Value(Some(ty @ Type { scalar: Scalar::Handle(_), lanes: 1 })) = bound
            else {
                continue;
            };
            if self.names.text(*name).contains("semaphore") && !found.contains(&(*name, *ty)) {
                found.push((*name, *ty));
            }
        }
        found
    }

    /// The type of a buffer's elements.
    pub(super) fn element(&self, buffer: NameId) -> Option<Scalar> {
        match self.bound(buffer) {
            Some(Bound::Buffer(Some(ty))) => Some(ty),
            Some(Bound::Buffer(None) | Bound::Value(_)) | None => {
                self.known.buffers.get(&buffer).copied()
            }
        }
    }

    /// The type of an expression, where the scope determines it.
    pub(super) fn type_of(&self, expr: &Expr) -> Option<Type> {
        match expr {
            Expr::Int(_, ty)
            | Expr::UInt(_, ty)
            | Expr::Float(_, ty)
            | Expr::Cast(ty, _)
            | Expr::Reinterpret(ty, _)
            | Expr::VectorReduce(_, ty, _) => Some(*ty),
            Expr::String(_) => None,
            Expr::Variable { name, ty } => match self.bound(*name) {
                Some(Bound::Value(found)) => found.or(*ty),
                Some(Bound::Buffer(_)) => None,
                None => *ty,
            },
            Expr::Binary(op, operands) => {
                let ty = self.type_of(&operands[0]).or_else(|| self.type_of(&operands[1]))?;
                Some(if op.is_comparison() { Type::BOOL.with_lanes(ty.lanes) } else { ty })
            }
            Expr::Not(operand) => self.type_of(operand),
            Expr::Select(operands) => {
                self.type_of(&operands[1]).or_else(|| self.type_of(&operands[2]))
            }
            Expr::Load(load) => {
                let lanes = self.type_of(&load.index)?.lanes;
                let scalar = load.ty.map(|ty| ty.scalar).or_else(|| self.element(load.name))?;
                Some(Type { scalar, lanes })
            }
            Expr::Ramp { base, stride: _, lanes } | Expr::Broadcast { value: base, lanes } => {
                let ty = self.type_of(base)?;
                Some(ty.with_lanes(ty.lanes * lanes))
            }
            Expr::Call(call) => call.ty.or_else(|| {
                let name = self.names.text(call.name);
                let sides = ["get_extent", "get_min", "get_stride", "get_max"];
                let is_side = |side: &&str| name.strip_prefix("_halide_buffer_") == Some(side);
                if sides.iter().any(is_side) { Some(Type::INT32) } else { None }
            }),
            Expr::Let { name: _, value: _, body } => self.type_of(body),
            Expr::Shuffle(..) => None,
        }
    }
}

/// Callbacks of a walk.
pub(super) trait Visit {
    /// Visits a statement, given by the number of its block and its position in the block.
    fn stmt(&mut self, scope: &Scope<'_>, number: usize, block: &[Stmt], at: usize);
    /// Visits an expression, given by its number.
    fn expr(&mut self, scope: &Scope<'_>, number: usize, role: Role, expr: &Expr);
}

/// Visits all statements and expressions.
pub(super) fn walk(block: &Block, names: &Names, known: &Known, visit: &mut impl Visit) {
    let scope = Scope { names, known, bound: Vec::new(), around: Vec::new() };
    Walker { scope, blocks: 0, exprs: 0, visit }.block(block);
}

struct Walker<'a, 'v, V> {
    scope: Scope<'a>,
    blocks: usize,
    exprs: usize,
    visit: &'v mut V,
}

impl<'a, V: Visit> Walker<'a, '_, V> {
    fn block(&mut self, block: &'a Block) {
        let number = self.blocks;
        self.blocks += 1;
        let before = self.scope.bound.len();
        for (at, stmt) in block.iter().enumerate() {
            self.visit.stmt(&self.scope, number, block, at);
            for (role, expr) in exprs(&stmt.kind) {
                self.expr(role, expr);
            }
            let inner = self.scope.bound.len();
            self.scope.around.push(&stmt.kind);
            if let StmtKind::For { name, .. } = &stmt.kind {
                self.scope.bound.push((*name, Bound::Value(Some(Type::INT32))));
            }
            if let StmtKind::Realize { name, .. } = &stmt.kind {
                let ty = self.scope.known.buffers.get(name).copied();
                self.scope.bound.push((*name, Bound::Buffer(ty)));
            }
            for inside in blocks(&stmt.kind) {
                self.block(inside);
            }
            self.scope.around.pop();
            self.scope.bound.truncate(inner);
            if let StmtKind::Let { name, value } = &stmt.kind {
                self.bind(*name, value);
            }
            if let StmtKind::Allocate { name, ty, .. } = &stmt.kind {
                self.scope.bound.push((*name, Bound::Buffer(Some(ty.scalar))));
            }
        }
        self.scope.bound.truncate(before);
    }

    fn bind(&mut self, name: NameId, value: &Expr) {
        let ty = self.scope.type_of(value);
        let is_pointer = ty.is_some_and(|ty| matches!(ty.scalar, Scalar::Handle(_)));
        let bound = match self.scope.known.buffers.get(&name) {
            Some(element) if is_pointer => Bound::Buffer(Some(*element)),
            Some(_) | None => Bound::Value(ty),
        };
        self.scope.bound.push((name, bound));
    }

    fn expr(&mut self, role: Role, expr: &'a Expr) {
        self.visit.expr(&self.scope, self.exprs, role, expr);
        self.exprs += 1;
        if let Expr::Let { name, value, body } = expr {
            self.expr(role, value);
            let ty = self.scope.type_of(value);
            self.scope.bound.push((*name, Bound::Value(ty)));
            self.expr(role, body);
            self.scope.bound.pop();
            return;
        }
        for (inner, operand) in operands(expr) {
            self.expr(inner.unwrap_or(role), operand);
        }
    }
}

/// Functions that list the parts of a node, for reading and for changing.
macro_rules! parts {
    ($blocks:ident, $exprs:ident, $operands:ident $(, $mutability:tt)?) => {
        /// The blocks within a statement, in order.
        pub(super) fn $blocks(kind: &$($mutability)? StmtKind) -> Vec<&$($mutability)? Block> {
            match kind {
                StmtKind::ProducerConsumer { name: _, role: _, body }
                | StmtKind::For { name: _, min: _, extent: _, kind: _, device: _, body }
                | StmtKind::Acquire { semaphore: _, count: _, body }
                | StmtKind::Realize { name: _, bounds: _, memory: _, condition: _, body }
                | StmtKind::Atomic { producer: _, mutex: _, body }
                | StmtKind::HoistedStorage { name: _, body }
                | StmtKind::Scope(body) => vec![body],
                StmtKind::Fork(tasks) => tasks.into_iter().collect(),
                StmtKind::If { condition: _, then_branch, else_branch } => {
                    let mut found = vec![then_branch];
                    found.extend(else_branch);
                    found
                }
                StmtKind::Let { name: _, value: _ }
                | StmtKind::Assert { condition: _, message: _ }
                | StmtKind::Store { name: _, index: _, alignment: _, value: _, predicate: _ }
                | StmtKind::Provide { name: _, args: _, values: _, predicate: _ }
                | StmtKind::Allocate {
                    name: _,
                    ty: _,
                    extents: _,
                    padding: _,
                    memory: _,
                    condition: _,
                    new: _,
                    free: _,
                }
                | StmtKind::Free(_)
                | StmtKind::Evaluate(_)
                | StmtKind::Prefetch { name: _, at: _, from: _, bounds: _ } => Vec::new(),
            }
        }

        /// The expressions of a statement itself, in order.
        pub(super) fn $exprs(
            kind: &$($mutability)? StmtKind,
        ) -> Vec<(Role, &$($mutability)? Expr)> {
            match kind {
                StmtKind::Let { name: _, value } => vec![(Role::Let, value)],
                StmtKind::Assert { condition, message } => {
                    vec![(Role::Check, condition), (Role::Message, message)]
                }
                StmtKind::For { name: _, min, extent, kind: _, device: _, body: _ } => {
                    vec![(Role::Min, min), (Role::Extent, extent)]
                }
                StmtKind::Acquire { semaphore, count, body: _ } => {
                    vec![(Role::Semaphore, semaphore), (Role::Count, count)]
                }
                StmtKind::Store { name: _, index, alignment: _, value, predicate } => {
                    let mut found = vec![(Role::StoreIndex, index), (Role::Value, value)];
                    found.extend(predicate.into_iter().map(|found| (Role::Predicate, found)));
                    found
                }
                StmtKind::Provide { name: _, args, values, predicate } => {
                    let all = args.into_iter().chain(values).chain(predicate);
                    all.map(|expr| (Role::Other, expr)).collect()
                }
                StmtKind::Allocate {
                    name: _,
                    ty: _,
                    extents,
                    padding: _,
                    memory: _,
                    condition,
                    new,
                    free: _,
                } => {
                    let mut found: Vec<_> =
                        extents.into_iter().map(|extent| (Role::Size, extent)).collect();
                    found.extend(condition.into_iter().map(|found| (Role::Allocated, found)));
                    found.extend(new.into_iter().map(|found| (Role::Other, found)));
                    found
                }
                StmtKind::Realize { name: _, bounds, memory: _, condition, body: _ } => {
                    let mut found = Vec::new();
                    for Range { min, extent } in bounds {
                        found.extend([(Role::Other, min), (Role::Other, extent)]);
                    }
                    found.extend(condition.into_iter().map(|found| (Role::Allocated, found)));
                    found
                }
                StmtKind::If { condition, then_branch: _, else_branch: _ } => {
                    vec![(Role::Condition, condition)]
                }
                StmtKind::Evaluate(value) => vec![(Role::Effect, value)],
                StmtKind::Prefetch { name: _, at: _, from: _, bounds } => {
                    let mut found = Vec::new();
                    for Range { min, extent } in bounds {
                        found.extend([(Role::Other, min), (Role::Other, extent)]);
                    }
                    found
                }
                StmtKind::ProducerConsumer { name: _, role: _, body: _ }
                | StmtKind::Free(_)
                | StmtKind::Fork(_)
                | StmtKind::Atomic { producer: _, mutex: _, body: _ }
                | StmtKind::HoistedStorage { name: _, body: _ }
                | StmtKind::Scope(_) => Vec::new(),
            }
        }

        /// The operands of an expression, in order. A role is given only where it differs from the
        /// role of the expression.
        pub(super) fn $operands(
            expr: &$($mutability)? Expr,
        ) -> Vec<(Option<Role>, &$($mutability)? Expr)> {
            match expr {
                Expr::Int(_, _)
                | Expr::UInt(_, _)
                | Expr::Float(_, _)
                | Expr::String(_)
                | Expr::Variable { name: _, ty: _ } => Vec::new(),
                Expr::Cast(_, operand)
                | Expr::Reinterpret(_, operand)
                | Expr::Not(operand)
                | Expr::Broadcast { value: operand, lanes: _ }
                | Expr::VectorReduce(_, _, operand) => vec![(None, operand)],
                Expr::Binary(_, operands) => {
                    let [a, b] = &$($mutability)? **operands;
                    vec![(None, a), (None, b)]
                }
                Expr::Select(operands) => {
                    let [a, b, c] = &$($mutability)? **operands;
                    vec![(None, a), (None, b), (None, c)]
                }
                Expr::Load(load) => {
                    let Load { name: _, ty: _, index, alignment: _, predicate } =
                        &$($mutability)? **load;
                    let mut found = vec![(Some(Role::LoadIndex), index)];
                    found.extend(predicate.into_iter().map(|found| (Some(Role::Predicate), found)));
                    found
                }
                Expr::Ramp { base, stride, lanes: _ } => vec![(None, base), (None, stride)],
                Expr::Call(call) => {
                    let Call { name: _, ty: _, args, kind: _, component: _, parameter: _ } =
                        &$($mutability)? **call;
                    args.into_iter().map(|arg| (None, arg)).collect()
                }
                Expr::Let { name: _, value, body } => vec![(None, value), (None, body)],
                Expr::Shuffle(_, vectors) => {
                    vectors.into_iter().map(|vector| (None, vector)).collect()
                }
            }
        }
    };
}

parts!(blocks, exprs, operands);
parts!(blocks_mut, exprs_mut, operands_mut, mut);

/// The block with a number.
pub(super) fn block_mut<'b>(block: &'b mut Block, number: &mut usize) -> Option<&'b mut Block> {
    if *number == 0 {
        return Some(block);
    }
    *number -= 1;
    block.iter_mut().find_map(|stmt| {
        blocks_mut(&mut stmt.kind).into_iter().find_map(|inside| block_mut(inside, number))
    })
}

/// The expression with a number.
pub(super) fn expr_mut<'b>(block: &'b mut Block, number: &mut usize) -> Option<&'b mut Expr> {
    for stmt in block {
        // Find out first whether an expression or an inner block contains it, as only one of them
        // can be borrowed mutably.
        let here: usize = exprs(&stmt.kind).into_iter().map(|(_, expr)| count(expr)).sum();
        if *number < here {
            return exprs_mut(&mut stmt.kind)
                .into_iter()
                .find_map(|(_, expr)| operand_mut(expr, number));
        }
        *number -= here;
        let found =
            blocks_mut(&mut stmt.kind).into_iter().find_map(|inside| expr_mut(inside, number));
        if found.is_some() {
            return found;
        }
    }
    None
}

fn operand_mut<'e>(expr: &'e mut Expr, number: &mut usize) -> Option<&'e mut Expr> {
    if *number == 0 {
        return Some(expr);
    }
    *number -= 1;
    operands_mut(expr).into_iter().find_map(|(_, operand)| operand_mut(operand, number))
}

/// The number of expressions in an expression, itself included.
fn count(expr: &Expr) -> usize {
    1 + operands(expr).into_iter().map(|(_, operand)| count(operand)).sum::<usize>()
}
