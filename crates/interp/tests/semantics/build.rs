//! Builders of small algorithms and programs for tests.

use halidom_interp::Bindings;
use halidom_ir::{
    Algorithm, Array, BinaryOp, BufferDecl, BufferKind, Constant, Dim, ExprId, FuncDecl, FuncId,
    FuncKind, Pool, ReductionVar, Require, Scalar, Shape, Stage, StoreIn, Type, VarId,
};

/// A pool and the algorithm that is being built in it.
pub(crate) struct Build {
    pub(crate) pool: Pool,
    pub(crate) algorithm: Algorithm,
}

impl Build {
    pub(crate) fn new() -> Self {
        let algorithm = Algorithm {
            name: "test".to_owned(),
            params: Vec::new(),
            inputs: Vec::new(),
            funcs: Vec::new(),
            outputs: Vec::new(),
            requires: Vec::new(),
            fast_math: false,
        };
        Self { pool: Pool::new(), algorithm }
    }

    pub(crate) fn param(&mut self, name: &str, scalar: Scalar) -> (VarId, ExprId) {
        let var = self.pool.declare_var(name, Type::scalar(scalar));
        self.algorithm.params.push(var);
        (var, self.pool.var_expr(var))
    }

    pub(crate) fn vars(&mut self, names: &[&str]) -> Vec<VarId> {
        names.iter().map(|name| self.pool.declare_var(*name, Type::INT)).collect()
    }

    pub(crate) fn e(&mut self, var: VarId) -> ExprId {
        self.pool.var_expr(var)
    }

    pub(crate) fn int(&mut self, value: i128) -> ExprId {
        self.pool.int(value)
    }

    pub(crate) fn c(&mut self, scalar: Scalar, value: i128) -> ExprId {
        self.pool.constant(Constant::wrapped(scalar, value).unwrap())
    }

    pub(crate) fn op(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.pool.binary(op, lhs, rhs)
    }

    /// Declares the dims `name.min.k, name.extent.k, name.stride.k` as variables.
    pub(crate) fn dims(&mut self, name: &str, rank: usize) -> Vec<Dim> {
        (0..rank)
            .map(|k| {
                let [min, extent, stride] = ["min", "extent", "stride"].map(|part| {
                    let var = self.pool.declare_var(format!("{name}.{part}.{k}"), Type::INT);
                    self.pool.var_expr(var)
                });
                Dim::new(min, extent, stride)
            })
            .collect()
    }

    pub(crate) fn input(&mut self, name: &str, scalar: Scalar, rank: usize) -> FuncId {
        let args = (0..rank).map(|k| self.pool.declare_var(format!("_{k}"), Type::INT)).collect();
        let kind = FuncKind::Defined { stages: Vec::new(), synthetic: false };
        let func = self.pool.declare_func(FuncDecl {
            name: name.to_owned(),
            scalars: vec![scalar],
            args,
            kind,
        });
        let dims = self.dims(name, rank);
        let buffer = self.pool.declare_buffer(BufferDecl {
            name: name.to_owned(),
            scalar,
            func,
            component: 0,
            kind: BufferKind::Input,
            store_in: StoreIn::Auto,
            realigned: false,
            dims,
        });
        self.pool.define_func(func, FuncKind::Input { buffer });
        self.algorithm.inputs.push(func);
        func
    }

    /// Declares a func, then makes its stages from its id.
    pub(crate) fn func(
        &mut self,
        name: &str,
        scalar: Scalar,
        args: &[VarId],
        stages: impl FnOnce(&mut Self, FuncId) -> Vec<Stage>,
    ) -> FuncId {
        self.tuple(name, &[scalar], args, stages)
    }

    /// Does the same as `func` with several components.
    pub(crate) fn tuple(
        &mut self,
        name: &str,
        scalars: &[Scalar],
        args: &[VarId],
        stages: impl FnOnce(&mut Self, FuncId) -> Vec<Stage>,
    ) -> FuncId {
        let kind = FuncKind::Defined { stages: Vec::new(), synthetic: false };
        let decl = FuncDecl {
            name: name.to_owned(),
            scalars: scalars.to_vec(),
            args: args.to_vec(),
            kind,
        };
        let func = self.pool.declare_func(decl);
        let stages = stages(self, func);
        self.pool.define_func(func, FuncKind::Defined { stages, synthetic: false });
        self.algorithm.funcs.push(func);
        self.algorithm.outputs = vec![func];
        func
    }

    pub(crate) fn pure_stage(&mut self, args: &[VarId], value: ExprId) -> Stage {
        let lhs = args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        Stage { domain: Vec::new(), predicate: None, lhs, values: vec![value] }
    }

    pub(crate) fn pure_func(
        &mut self,
        name: &str,
        scalar: Scalar,
        args: &[VarId],
        value: ExprId,
    ) -> FuncId {
        self.func(name, scalar, args, |build, _| vec![build.pure_stage(args, value)])
    }

    pub(crate) fn reduction(&mut self, var: VarId, min: i128, extent: i128) -> ReductionVar {
        ReductionVar { var, min: self.int(min), extent: self.int(extent) }
    }

    pub(crate) fn require(&mut self, condition: ExprId, message: &str) {
        self.algorithm.requires.push(Require { condition, message: message.to_owned() });
    }

    pub(crate) fn func_ref(&mut self, func: FuncId, args: &[ExprId]) -> ExprId {
        self.pool.func_ref(func, 0, args)
    }
}

/// An array whose elements are scattered values computed from their positions.
pub(crate) fn numbered(scalar: Scalar, shape: Shape) -> Array {
    let mut array = Array::zeros(scalar, shape).unwrap();
    for (number, point) in array.points().enumerate() {
        let value = (number as i128 * 37 + 11) % 101;
        let constant =
            Constant::wrapped(scalar, value).unwrap_or(Constant::f32(value as f32 / 8.0));
        assert!(array.set(&point, constant));
    }
    array
}

/// Returns bindings with these inputs.
pub(crate) fn bind(pool: &Pool, inputs: Vec<(FuncId, Array)>) -> Bindings {
    let mut bindings = Bindings::new();
    for (input, array) in inputs {
        bindings.set_input(pool, input, array).unwrap();
    }
    bindings
}

/// The integers of an array, in the order of its points.
pub(crate) fn integers(array: &Array) -> Vec<i128> {
    array.points().map(|point| array.get(&point).unwrap().as_integer().unwrap()).collect()
}
