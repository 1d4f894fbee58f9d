//! Final programs built by hand.

use crate::{Arguments, Kernel, Target, Toolchain, compile, emit};
use halidom_ir::{
    Array, BinaryOp, BufferDecl, BufferId, BufferKind, Constant, Dim, ExprId, FuncDecl, FuncId,
    FuncKind, LoopKind, Output, Pool, Program, Scalar, Stmt, StmtId, StoreIn, Type, VarId,
};

/// A program under construction, in its pool.
pub(crate) struct Builder {
    pub(crate) pool: Pool,
    pub(crate) inputs: Vec<BufferId>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) params: Vec<VarId>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self { pool: Pool::new(), inputs: vec![], outputs: vec![], params: vec![] }
    }

    pub(crate) fn int_var(&mut self, name: &str) -> (VarId, ExprId) {
        let var = self.pool.declare_var(name, Type::INT);
        let expr = self.pool.var_expr(var);
        (var, expr)
    }

    pub(crate) fn param(&mut self, name: &str, scalar: Scalar) -> ExprId {
        let var = self.pool.declare_var(name, Type::scalar(scalar));
        self.params.push(var);
        self.pool.var_expr(var)
    }

    fn func(&mut self, name: &str, scalar: Scalar, rank: usize) -> FuncId {
        let args = (0..rank).map(|k| self.int_var(&format!("d{k}")).0).collect();
        let kind = FuncKind::Defined { stages: vec![], synthetic: false };
        self.pool.declare_func(FuncDecl {
            name: name.to_owned(),
            scalars: vec![scalar],
            args,
            kind,
        })
    }

    pub(crate) fn buffer(
        &mut self,
        name: &str,
        scalar: Scalar,
        kind: BufferKind,
        dims: Vec<Dim>,
    ) -> BufferId {
        let func = self.func(name, scalar, dims.len());
        self.pool.declare_buffer(BufferDecl {
            name: name.to_owned(),
            scalar,
            func,
            component: 0,
            kind,
            store_in: StoreIn::Auto,
            realigned: false,
            dims,
        })
    }

    fn caller_dims(&mut self, name: &str, rank: usize) -> Vec<Dim> {
        (0..rank)
            .map(|k| Dim {
                min: self.int_var(&format!("{name}.min.{k}")).1,
                extent: self.int_var(&format!("{name}.extent.{k}")).1,
                stride: self.int_var(&format!("{name}.stride.{k}")).1,
                folded: false,
            })
            .collect()
    }

    pub(crate) fn input(&mut self, name: &str, scalar: Scalar, rank: usize) -> BufferId {
        let dims = self.caller_dims(name, rank);
        let buffer = self.buffer(name, scalar, BufferKind::Input, dims);
        self.inputs.push(buffer);
        buffer
    }

    pub(crate) fn output(&mut self, name: &str, scalar: Scalar, rank: usize) -> BufferId {
        let dims = self.caller_dims(name, rank);
        let buffer = self.buffer(name, scalar, BufferKind::Output, dims);
        let window = (0..rank)
            .map(|k| {
                let min = self.int_var(&format!("{name}.window.min.{k}")).0;
                (min, self.int_var(&format!("{name}.window.extent.{k}")).0)
            })
            .collect();
        let func = self.pool.buffer(buffer).func;
        self.outputs.push(Output { func, buffers: vec![buffer], window });
        buffer
    }

    /// Returns the index of a point of a buffer.
    pub(crate) fn index(&mut self, buffer: BufferId, coords: &[ExprId]) -> ExprId {
        let dims = self.pool.buffer(buffer).dims.clone();
        let mut index = None;
        for (coord, dim) in coords.iter().zip(dims) {
            let step = self.pool.sub(*coord, dim.min);
            let term = self.pool.mul(step, dim.stride);
            index = Some(match index {
                Some(sum) => self.pool.add(sum, term),
                None => term,
            });
        }
        index.unwrap()
    }

    pub(crate) fn load(&mut self, buffer: BufferId, coords: &[ExprId]) -> ExprId {
        let index = self.index(buffer, coords);
        self.pool.load(buffer, index, None)
    }

    pub(crate) fn store(&mut self, buffer: BufferId, index: ExprId, value: ExprId) -> StmtId {
        self.pool.stmt(Stmt::Store { buffer, index, value, prophecy: None, atomic: false })
    }

    pub(crate) fn block(&mut self, stmts: Vec<StmtId>) -> StmtId {
        self.pool.stmt(Stmt::Block(stmts))
    }

    pub(crate) fn for_loop(
        &mut self,
        var: VarId,
        min: ExprId,
        extent: ExprId,
        kind: LoopKind,
        body: StmtId,
    ) -> StmtId {
        self.pool.stmt(Stmt::For { var, min, extent, kind, body })
    }

    pub(crate) fn let_in(&mut self, var: VarId, value: ExprId, body: StmtId) -> StmtId {
        self.pool.stmt(Stmt::Let { var, value, body })
    }

    pub(crate) fn ramp(&mut self, base: ExprId, stride: i128, lanes: u32) -> ExprId {
        let stride = self.pool.int(stride);
        self.pool.expr(halidom_ir::Expr::Ramp { base, stride, lanes })
    }

    pub(crate) fn broadcast(&mut self, value: ExprId, lanes: u32) -> ExprId {
        self.pool.expr(halidom_ir::Expr::Broadcast { value, lanes })
    }

    pub(crate) fn op(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.pool.binary(op, a, b)
    }

    pub(crate) fn constant(&mut self, scalar: Scalar, value: i128) -> ExprId {
        let constant = match scalar {
            Scalar::F32 => Constant::f32(value as f32),
            Scalar::F64 => Constant::f64(value as f64),
            other => Constant::wrapped(other, value).unwrap(),
        };
        self.pool.constant(constant)
    }

    pub(crate) fn program(&self, name: &str, body: StmtId) -> Program {
        Program {
            name: name.to_owned(),
            params: self.params.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            body,
        }
    }
}

/// Returns an array that a function of the element's number fills.
pub(crate) fn array(
    scalar: Scalar,
    shape: &[(i64, i64)],
    value: impl Fn(usize) -> Constant,
) -> Array {
    let mut array = Array::zeros(scalar, shape.to_vec()).unwrap();
    for number in 0..array.len() {
        assert!(array.set_element(number, value(number)));
    }
    array
}

/// Returns a function of the element's number whose neighbouring values differ.
pub(crate) fn number(scalar: Scalar) -> impl Fn(usize) -> Constant {
    move |n| {
        let value = Constant::wrapped(Scalar::U16, n as i128 * 40503 + 7).unwrap();
        halidom_ir::eval::cast(scalar, value).unwrap()
    }
}

/// Compiles for this machine, after the C was read back.
pub(crate) fn kernel(pool: &Pool, program: &Program, toolchain: &Toolchain) -> Kernel {
    let target = Target::host();
    let module = emit(pool, program, &target).unwrap();
    if let Err(mismatch) = halidom_readback::check(pool, program, &module.text) {
        panic!("{mismatch}");
    }
    compile(&module, toolchain, &target).unwrap_or_else(|error| panic!("{error}\n{}", module.text))
}

/// Returns arguments whose windows are the outputs' boxes.
pub(crate) fn arguments<'a>(inputs: &'a [Array], outputs: &[Array]) -> Arguments<'a> {
    Arguments {
        inputs: inputs.iter().collect(),
        windows: outputs.iter().map(|output| output.shape.clone()).collect(),
        params: vec![],
    }
}
