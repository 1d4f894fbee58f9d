//! Statements: one C statement for each IR statement, in the same order.

use std::num::NonZeroU32;

use halidom_base::{FxHashMap, FxHashSet, IndexMap, IndexSet};
use halidom_ir::{
    BufferDecl, BufferId, BufferKind, Check, Constant, Deal, Expr, ExprId, Label, LoopKind, Pool,
    STACK_LIMIT, Scalar, Stmt, StmtId, StoreIn, Type, VarId,
};
use halidom_prelude::helpers::{self, Helper};
use halidom_prelude::operators::ScalarOp;

use crate::EmitError;
use crate::c::names::Names;
use crate::c::tree::{CBinary, CExpr, CFunction, CStmt, CStruct, CType, CUnary};
use crate::emit::capture::{Captures, captures};
use crate::emit::describe::{check_values, describe_check, describe_label};

/// Buffers start at multiples of this many bytes, the size of the largest vector.
const ALIGNMENT: u32 = 64;

/// The body of a parallel loop: a struct, and the function that takes it.
pub(crate) struct Outlined {
    pub(crate) closure: CStruct,
    pub(crate) function: CFunction,
}

/// Translates the body of one program.
pub(crate) struct Translator<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) names: Names,
    pub(crate) helpers: IndexSet<Helper>,
    pub(crate) outlined: Vec<Outlined>,
    pub(crate) checks: Vec<Check>,
    /// The number of values that a failure of each check reports.
    pub(crate) reported: Vec<usize>,
    pipeline: String,
    /// The names of variables and buffers. A name stays fixed once it is given, so it means one
    /// thing in the whole file.
    vars: FxHashMap<VarId, String>,
    buffers: FxHashMap<BufferId, String>,
    /// The signed type of the masks that vector variables of type `bool` hold.
    masks: FxHashMap<VarId, Scalar>,
    /// The variables and buffers that are visible at the current statement.
    visible_vars: FxHashSet<VarId>,
    visible_buffers: FxHashSet<BufferId>,
    /// The number of parallel loops around the current statement.
    depth: usize,
    /// The variables declared in the current function: one that is bound again gets a block.
    declared: FxHashSet<String>,
}

impl<'a> Translator<'a> {
    pub(crate) fn new(pool: &'a Pool, pipeline: String) -> Self {
        Self {
            pool,
            names: Names::default(),
            helpers: IndexSet::default(),
            outlined: Vec::new(),
            checks: Vec::new(),
            reported: Vec::new(),
            pipeline,
            vars: FxHashMap::default(),
            buffers: FxHashMap::default(),
            masks: FxHashMap::default(),
            visible_vars: FxHashSet::default(),
            visible_buffers: FxHashSet::default(),
            depth: 0,
            declared: FxHashSet::default(),
        }
    }

    /// Makes a variable visible and returns its name.
    pub(crate) fn bind_var(&mut self, var: VarId) -> String {
        self.visible_vars.insert(var);
        let decl = self.pool.var(var);
        let names = &mut self.names;
        self.vars.entry(var).or_insert_with(|| names.fresh(&decl.name)).clone()
    }

    /// Makes a buffer visible and returns its name.
    pub(crate) fn bind_buffer(&mut self, buffer: BufferId) -> String {
        self.visible_buffers.insert(buffer);
        let decl = self.pool.buffer(buffer);
        let names = &mut self.names;
        self.buffers.entry(buffer).or_insert_with(|| names.fresh(&decl.name)).clone()
    }

    pub(crate) fn var_name(&self, var: VarId) -> Result<String, EmitError> {
        match self.vars.get(&var) {
            Some(name) if self.visible_vars.contains(&var) => Ok(name.clone()),
            Some(_) | None => Err(EmitError::UnboundVar(self.pool.var(var).name.clone())),
        }
    }

    pub(crate) fn buffer_name(&self, buffer: BufferId) -> Result<String, EmitError> {
        match self.buffers.get(&buffer) {
            Some(name) if self.visible_buffers.contains(&buffer) => Ok(name.clone()),
            Some(_) | None => Err(EmitError::UnboundBuffer(self.pool.buffer(buffer).name.clone())),
        }
    }

    pub(crate) fn mask_of_var(&self, var: VarId) -> Scalar {
        self.masks.get(&var).copied().unwrap_or(Scalar::I8)
    }

    /// Adds a helper to those that are printed.
    pub(crate) fn need(&mut self, helper: Helper) {
        helpers::require(&mut self.helpers, helper);
    }

    /// Returns a call of a helper, and adds the helper to those that are printed.
    pub(crate) fn help(&mut self, helper: Helper, arguments: Vec<CExpr>) -> CExpr {
        self.need(helper);
        CExpr::call(helper.name(), arguments)
    }

    /// Appends the translation of a statement.
    pub(crate) fn stmt(&mut self, id: StmtId, out: &mut Vec<CStmt>) -> Result<(), EmitError> {
        let pool = self.pool;
        match pool.get_stmt(id) {
            Stmt::Block(stmts) => stmts.iter().try_for_each(|stmt| self.stmt(*stmt, out)),
            Stmt::Let { var, value, body } => self.scoped(*var, out, |this, out| {
                let declare = this.let_stmt(*var, *value)?;
                let name = this.var_name(*var)?;
                out.push(declare);
                out.push(CStmt::Discard(name));
                this.stmt(*body, out)
            }),
            Stmt::If { condition, then_branch, else_branch } => {
                let condition = self.scalar(*condition)?;
                let mut then_stmts = Vec::new();
                self.stmt(*then_branch, &mut then_stmts)?;
                let mut else_stmts = None;
                if let Some(else_branch) = else_branch {
                    self.stmt(*else_branch, else_stmts.insert(Vec::new()))?;
                }
                out.push(CStmt::If(condition, then_stmts, else_stmts));
                Ok(())
            }
            Stmt::For { var, min, extent, kind, body } => match kind {
                LoopKind::Serial => self.serial_loop(*var, *min, *extent, *body, out),
                LoopKind::Parallel(deal) => {
                    self.parallel_loop(*var, (*min, *extent), *deal, *body, out)
                }
                LoopKind::GpuBlocks | LoopKind::GpuThreads => {
                    self.parallel_loop(*var, (*min, *extent), Deal::Auto, *body, out)
                }
                LoopKind::Vectorized => Err(EmitError::NotFinal("a vectorized loop")),
                LoopKind::Unrolled => Err(EmitError::NotFinal("an unrolled loop")),
            },
            Stmt::Allocate { buffer, body } => self.allocate(*buffer, *body, out),
            Stmt::Assert { condition, check } => self.assert(*condition, check, out),
            Stmt::Labeled { label: Label::Prefetch { buffer, index }, body } => {
                let bytes = pool.buffer(*buffer).scalar.bytes().unwrap_or(1);
                let memory = CExpr::Name(self.buffer_name(*buffer)?);
                let arguments =
                    vec![memory, self.scalar(*index)?, CExpr::literal(bytes.to_string())];
                out.push(CStmt::Expr(CExpr::call("halidom_prefetch", arguments)));
                self.stmt(*body, out)
            }
            Stmt::Labeled { label, body } => {
                out.push(CStmt::Comment(describe_label(pool, label)));
                self.stmt(*body, out)
            }
            Stmt::Provide { .. } => Err(EmitError::NotFinal("a provide")),
            Stmt::Store { buffer, index, value, prophecy: _, atomic: true } => {
                let update = self.atomic_update(*buffer, *index, *value)?;
                out.push(CStmt::Expr(update));
                Ok(())
            }
            Stmt::Store { buffer, index, value, prophecy: _, atomic: false } => {
                if pool.ty(*value).lanes > 1 {
                    let store = self.vector_store(*buffer, *index, *value)?;
                    out.push(CStmt::Expr(store));
                } else {
                    let name = CExpr::Name(self.buffer_name(*buffer)?);
                    let target = CExpr::index(name, self.scalar(*index)?);
                    out.push(CStmt::Assign(target, self.scalar(*value)?));
                }
                Ok(())
            }
        }
    }

    /// Binds a variable for the statements that `make` appends. They get a nested block if the
    /// function declared the name before.
    fn scoped(
        &mut self,
        var: VarId,
        out: &mut Vec<CStmt>,
        make: impl FnOnce(&mut Self, &mut Vec<CStmt>) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let name = self.vars.get(&var).cloned();
        let again = name.is_some_and(|name| self.declared.contains(&name));
        if again {
            let mut block = Vec::new();
            make(self, &mut block)?;
            out.push(CStmt::Block(block));
        } else {
            make(self, out)?;
        }
        self.visible_vars.remove(&var);
        Ok(())
    }

    fn let_stmt(&mut self, var: VarId, value: ExprId) -> Result<CStmt, EmitError> {
        let ty = self.pool.ty(value);
        let (c_type, value) = if ty.lanes == 1 {
            (CType::Scalar(ty.scalar), self.scalar(value)?)
        } else if ty.scalar == Scalar::Bool {
            let width = self.mask_width(value).unwrap_or(Scalar::I8);
            self.masks.insert(var, width);
            (self.vector_type(ty.with_scalar(width))?, self.mask(value, width)?)
        } else {
            (self.vector_type(ty)?, self.vector(value)?)
        };
        let name = self.bind_var(var);
        self.declared.insert(name.clone());
        Ok(CStmt::Declare(c_type, name, value))
    }

    fn serial_loop(
        &mut self,
        var: VarId,
        min: ExprId,
        extent: ExprId,
        body: StmtId,
        out: &mut Vec<CStmt>,
    ) -> Result<(), EmitError> {
        let from = self.scalar(min)?;
        let mut extent_c = self.scalar(extent)?;
        let name = self.bind_var(var);
        let is_literal = matches!(extent_c, CExpr::Literal(_));
        let mut end = None;
        if !is_literal || integer(self.pool, min) != Some(0) {
            end = Some(self.names.fresh(&[&name, "_end"].concat()));
            // Literals are not negative.
            if !is_literal {
                let none = CExpr::literal("0");
                extent_c =
                    self.help(Helper::Scalar(ScalarOp::Max, Scalar::Int), vec![extent_c, none]);
            }
        }
        let mut stmts = Vec::new();
        self.stmt(body, &mut stmts)?;
        self.visible_vars.remove(&var);
        out.push(CStmt::For { var: name, from, end, extent: extent_c, body: stmts });
        Ok(())
    }

    /// Outlines the body as a function over a struct of its captures.
    fn parallel_loop(
        &mut self,
        var: VarId,
        (min, extent): (ExprId, ExprId),
        deal: Deal,
        body: StmtId,
        out: &mut Vec<CStmt>,
    ) -> Result<(), EmitError> {
        let min = self.scalar(min)?;
        let extent = self.scalar(extent)?;
        let Captures { vars, buffers } = captures(self.pool, body, &[var]);
        let mut fields: IndexMap<String, (CType, CType)> = IndexMap::default();
        for buffer in buffers {
            let ty = self.pointer(buffer);
            let name = self.buffer_name(buffer)?;
            fields.insert(name, (ty.clone(), ty.restricted()));
        }
        for captured in vars {
            let ty = self.var_type(captured)?;
            fields.insert(self.var_name(captured)?, (ty.clone(), ty));
        }
        let name = self.bind_var(var);
        let function = self.names.fresh(&[&self.pipeline, "_", &name].concat());
        let struct_name = [&function, "_closure"].concat();

        let mut stmts = Vec::new();
        if !fields.is_empty() {
            let pointer = CType::pointer(CType::Named(struct_name.clone()), true);
            let closure = CExpr::name("closure");
            stmts.push(CStmt::Declare(pointer, "captured".to_owned(), closure));
        }
        for (field, (_, ty)) in &fields {
            let value = CExpr::arrow(CExpr::name("captured"), field.clone());
            stmts.push(CStmt::Declare(ty.clone(), field.clone(), value));
        }
        if fields.is_empty() {
            stmts.push(CStmt::Discard("closure".to_owned()));
        }
        stmts.push(CStmt::Discard(name.clone()));
        // None of the caller's variables are declared within the function.
        let declared = std::mem::take(&mut self.declared);
        self.depth += 1;
        self.stmt(body, &mut stmts)?;
        self.depth -= 1;
        self.declared = declared;
        self.visible_vars.remove(&var);
        stmts.push(CStmt::Return(CExpr::name("HALIDOM_OK")));

        let values: Vec<CExpr> = fields.keys().map(|field| CExpr::name(field.clone())).collect();
        let has_fields = !values.is_empty();
        let comment = vec![["The body of the parallel loop over ", &name, "."].concat()];
        self.outlined.push(Outlined {
            closure: CStruct {
                comment: Vec::new(),
                name: struct_name.clone(),
                fields: fields.into_iter().map(|(field, (ty, _))| (ty, field)).collect(),
            },
            function: CFunction {
                comment,
                external: false,
                name: function.clone(),
                parameters: vec![
                    (CType::pointer(CType::Void, false), "closure".to_owned()),
                    (CType::Scalar(Scalar::Int), name),
                ],
                body: stmts,
            },
        });

        let mut block = Vec::new();
        let closure = if has_fields {
            block.push(CStmt::DeclareStruct(struct_name, "closure".to_owned(), values));
            CExpr::unary(CUnary::Address, CExpr::name("closure"))
        } else {
            CExpr::name("NULL")
        };
        let (starter, chunk) = parallel_for(deal);
        let mut call = vec![CExpr::name(function), closure, min, extent];
        call.extend(chunk.map(|chunk| CExpr::literal(chunk.to_string())));
        let call = CExpr::call(starter, call);
        block.push(CStmt::Declare(CType::Status, "status".to_owned(), call));
        let failed = CExpr::binary(CBinary::Ne, CExpr::name("status"), CExpr::name("HALIDOM_OK"));
        block.push(CStmt::If(failed, vec![CStmt::Return(CExpr::name("status"))], None));
        out.push(CStmt::Block(block));
        Ok(())
    }

    fn allocate(
        &mut self,
        buffer: BufferId,
        body: StmtId,
        out: &mut Vec<CStmt>,
    ) -> Result<(), EmitError> {
        let decl = self.pool.buffer(buffer);
        let scalar = decl.scalar;
        if let StoreIn::Within(lender) = decl.store_in {
            let memory = CExpr::Name(self.buffer_name(lender)?);
            let name = self.bind_buffer(buffer);
            let mut block = vec![CStmt::Declare(self.pointer(buffer).restricted(), name, memory)];
            self.stmt(body, &mut block)?;
            out.push(CStmt::Block(block));
            self.visible_buffers.remove(&buffer);
            return Ok(());
        }
        let small = constant_size(self.pool, decl).filter(|count| {
            let bytes = count * scalar.bytes().map_or(8, |bytes| bytes as i128);
            bytes <= decl.store_in.limit().unwrap_or(STACK_LIMIT)
        });
        if decl.store_in.limit().is_some() && small.is_none() {
            return Err(EmitError::TooLarge(decl.name.clone(), decl.store_in.name()));
        }
        if let Some(count) = small.filter(|_| decl.store_in != StoreIn::Heap) {
            let name = self.bind_buffer(buffer);
            let mut block = vec![CStmt::DeclareArray {
                ty: CType::Scalar(scalar),
                name,
                // C has no empty arrays.
                length: CExpr::literal(count.max(1).to_string()),
                align: ALIGNMENT,
            }];
            self.stmt(body, &mut block)?;
            out.push(CStmt::Block(block));
        } else {
            let bytes = self.bytes(decl, scalar)?;
            let name = self.bind_buffer(buffer);
            let memory = CExpr::call("halidom_alloc", vec![bytes]);
            let owner = self.names.fresh(&[&name, "_memory"].concat());
            let failed =
                CExpr::binary(CBinary::Eq, CExpr::name(owner.clone()), CExpr::name("NULL"));
            let leave = vec![CStmt::Return(CExpr::name("HALIDOM_OUT_OF_MEMORY"))];
            let first = CExpr::name(owner.clone());
            let mut block = vec![
                CStmt::DeclareOwning(owner, memory),
                CStmt::If(failed, leave, None),
                CStmt::Declare(self.pointer(buffer).restricted(), name, first),
            ];
            self.stmt(body, &mut block)?;
            out.push(CStmt::Block(block));
        }
        self.visible_buffers.remove(&buffer);
        Ok(())
    }

    /// Returns the bytes of a dense box, or the greatest number if there are more: a size is never
    /// too small because it wrapped.
    fn bytes(&mut self, decl: &BufferDecl, scalar: Scalar) -> Result<CExpr, EmitError> {
        let mut bytes = CExpr::SizeOf(CType::Scalar(scalar));
        for dim in &decl.dims {
            let extent = self.scalar(dim.extent)?;
            bytes = CExpr::call("halidom_bytes", vec![bytes, extent]);
        }
        Ok(bytes)
    }

    fn assert(
        &mut self,
        condition: ExprId,
        check: &Check,
        out: &mut Vec<CStmt>,
    ) -> Result<(), EmitError> {
        if self.depth > 0 {
            return Err(EmitError::NotFinal("an entry check within a parallel loop"));
        }
        let holds = self.scalar(condition)?;
        let number = self.checks.len();
        self.checks.push(check.clone());
        let mut values = Vec::new();
        for value in check_values(self.pool, condition, check) {
            values.push(self.scalar(value)?);
        }
        let shown_count = values.len();
        let count = CExpr::literal(shown_count.to_string());
        let shown = if values.is_empty() {
            CExpr::name("NULL")
        } else {
            CExpr::CompoundArray(CType::Scalar(Scalar::Int), values)
        };
        let fail = CExpr::call(
            "halidom_fail",
            vec![CExpr::name("failure"), CExpr::literal(number.to_string()), count, shown],
        );
        self.reported.push(shown_count);
        out.push(CStmt::Comment(describe_check(self.pool, check)));
        out.push(CStmt::If(CExpr::unary(CUnary::Not, holds), vec![CStmt::Return(fail)], None));
        Ok(())
    }

    /// Returns the type of a pointer to a buffer's first element.
    pub(crate) fn pointer(&self, buffer: BufferId) -> CType {
        let decl = self.pool.buffer(buffer);
        CType::pointer(CType::Scalar(decl.scalar), decl.kind == BufferKind::Input)
    }

    /// Returns the C type of a variable.
    pub(crate) fn var_type(&mut self, var: VarId) -> Result<CType, EmitError> {
        let ty = self.pool.var(var).ty;
        match ty {
            Type { scalar, lanes: 1 } => Ok(CType::Scalar(scalar)),
            Type { scalar: Scalar::Bool, .. } => {
                let width = self.mask_of_var(var);
                self.vector_type(ty.with_scalar(width))
            }
            Type { .. } => self.vector_type(ty),
        }
    }
}

fn integer(pool: &Pool, id: ExprId) -> Option<i128> {
    pool.as_constant(id).and_then(Constant::as_integer)
}

/// Returns the number of elements of a buffer whose dimensions are constants.
fn constant_size(pool: &Pool, decl: &BufferDecl) -> Option<i128> {
    let mut last = 0_i128;
    for dim in &decl.dims {
        let extent = integer(pool, dim.extent)?;
        let stride = integer(pool, dim.stride)?;
        last = last.checked_add(extent.checked_sub(1)?.checked_mul(stride)?)?;
    }
    Some((last + 1).max(0))
}

/// Returns the runtime's function that starts a loop whose iterations are dealt in this way, and
/// the size of blocks that it is given: 0 for blocks as large as possible.
fn parallel_for(deal: Deal) -> (&'static str, Option<u32>) {
    match deal {
        Deal::Auto => ("halidom_parallel_for", None),
        Deal::Static { chunk } => {
            ("halidom_parallel_for_static", Some(chunk.map_or(0, NonZeroU32::get)))
        }
        Deal::Dynamic { chunk } => ("halidom_parallel_for_dynamic", Some(chunk.get())),
    }
}

/// Returns the variable if an expression is one.
pub(crate) fn as_var(pool: &Pool, id: ExprId) -> Option<VarId> {
    if let Expr::Var(var) = pool.get(id) { Some(*var) } else { None }
}
