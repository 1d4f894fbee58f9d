//! Builders of small programs with one input `input`, one output `out` and any allocations.

use halidom_interp::Bindings;
use halidom_interp::machine::{Fault, Options, Outcome, run};
use halidom_ir::{
    Array, BufferDecl, BufferId, BufferKind, Check, Dim, ExprId, FuncId, FuncKind, LoopKind,
    Output, Program, Scalar, Shape, Stmt, StmtId, StoreIn, Type, VarId,
};

use crate::build::Build;

/// A program under construction.
pub(crate) struct Prog {
    pub(crate) build: Build,
    pub(crate) input: (FuncId, BufferId),
    pub(crate) out: (FuncId, BufferId),
    pub(crate) window: Vec<(VarId, VarId)>,
}

impl Prog {
    /// Makes a program whose `input` and `out` hold `scalar`s in `rank` dimensions.
    pub(crate) fn new(scalar: Scalar, rank: usize) -> Self {
        let mut build = Build::new();
        let input = build.input("input", scalar, rank);
        let FuncKind::Input { buffer } = build.pool.func(input).kind else { unreachable!() };
        let out = Self::declare(&mut build, "out", scalar, rank);
        let dims = build.dims("out", rank);
        let out = (out, Self::buffer(&mut build, out, BufferKind::Output, dims));
        let window = (0..rank)
            .map(|k| {
                let [min, extent] = ["min", "extent"].map(|part| {
                    build.pool.declare_var(format!("out.window.{part}.{k}"), Type::INT)
                });
                (min, extent)
            })
            .collect();
        Self { build, input: (input, buffer), out, window }
    }

    fn declare(build: &mut Build, name: &str, scalar: Scalar, rank: usize) -> FuncId {
        let args = (0..rank).map(|k| build.pool.declare_var(format!("{name}_{k}"), Type::INT));
        let args: Vec<VarId> = args.collect();
        build.func(name, scalar, &args, |_, _| Vec::new())
    }

    fn buffer(build: &mut Build, func: FuncId, kind: BufferKind, dims: Vec<Dim>) -> BufferId {
        let decl = build.pool.func(func);
        let (name, scalar) = (decl.name.clone(), decl.scalar(0));
        build.pool.declare_buffer(BufferDecl {
            name,
            scalar,
            func,
            component: 0,
            kind,
            store_in: StoreIn::Auto,
            realigned: false,
            dims,
        })
    }

    /// Declares a func with a dense internal buffer for `0..extent` in each dimension.
    pub(crate) fn internal(
        &mut self,
        name: &str,
        scalar: Scalar,
        extents: &[i128],
    ) -> (FuncId, BufferId) {
        let func = Self::declare(&mut self.build, name, scalar, extents.len());
        let mut size = 1;
        let mut dims = Vec::new();
        for extent in extents {
            let (min, stride) = (self.build.int(0), self.build.int(size));
            dims.push(Dim::new(min, self.build.int(*extent), stride));
            size *= extent;
        }
        (func, Self::buffer(&mut self.build, func, BufferKind::Internal, dims))
    }

    pub(crate) fn block(&mut self, stmts: &[StmtId]) -> StmtId {
        self.build.pool.stmt(Stmt::Block(stmts.to_vec()))
    }

    pub(crate) fn allocate(&mut self, buffer: BufferId, body: StmtId) -> StmtId {
        self.build.pool.stmt(Stmt::Allocate { buffer, body })
    }

    pub(crate) fn provide(&mut self, func: FuncId, coords: &[ExprId], value: ExprId) -> StmtId {
        let (coords, point) = (coords.into(), Box::default());
        self.build.pool.stmt(Stmt::Provide {
            func,
            stage: 0,
            coords,
            point,
            values: [value].into(),
            atomic: false,
        })
    }

    pub(crate) fn store(&mut self, buffer: BufferId, index: ExprId, value: ExprId) -> StmtId {
        self.build.pool.stmt(Stmt::Store { buffer, index, value, prophecy: None, atomic: false })
    }

    pub(crate) fn assert(&mut self, condition: ExprId, check: Check) -> StmtId {
        self.build.pool.stmt(Stmt::Assert { condition, check })
    }

    pub(crate) fn if_then(&mut self, condition: ExprId, then_branch: StmtId) -> StmtId {
        self.build.pool.stmt(Stmt::If { condition, then_branch, else_branch: None })
    }

    pub(crate) fn let_in(&mut self, var: VarId, value: ExprId, body: StmtId) -> StmtId {
        self.build.pool.stmt(Stmt::Let { var, value, body })
    }

    /// A loop over `range.0 .. range.0 + range.1`, whose body is made from its variable.
    pub(crate) fn each(
        &mut self,
        kind: LoopKind,
        range: (i128, i128),
        body: impl FnOnce(&mut Self, ExprId) -> StmtId,
    ) -> StmtId {
        let (min, extent) = (self.build.int(range.0), self.build.int(range.1));
        self.each_of(kind, min, extent, body)
    }

    pub(crate) fn each_of(
        &mut self,
        kind: LoopKind,
        min: ExprId,
        extent: ExprId,
        body: impl FnOnce(&mut Self, ExprId) -> StmtId,
    ) -> StmtId {
        let var = self.build.vars(&["i"])[0];
        let expr = self.build.e(var);
        let body = body(self, expr);
        self.build.pool.stmt(Stmt::For { var, min, extent, kind, body })
    }

    /// Runs `body` on an input array for the given window.
    pub(crate) fn run_with(
        &self,
        body: StmtId,
        input: Array,
        window: Shape,
        options: &Options,
    ) -> Result<Outcome, Fault> {
        let output =
            Output { func: self.out.0, buffers: vec![self.out.1], window: self.window.clone() };
        let program = Program {
            name: "test".to_owned(),
            params: self.build.algorithm.params.clone(),
            inputs: vec![self.input.1],
            outputs: vec![output],
            body,
        };
        let mut bindings = Bindings::new();
        bindings.set_input(&self.build.pool, self.input.0, input).unwrap();
        run(&self.build.pool, &program, &bindings, &[window], options)
    }
}
