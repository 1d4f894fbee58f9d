//! The program around the work: the caller's buffers and the entry checks.
//!
//! Sizes and strides are limited so that indices fit 64 bits, and the conditions on sizes are
//! checked. Each input must contain its box; the window of the output must equal the output's box.

use halidom_atl::program::Program as Source;
use halidom_ir::{
    Algorithm, BinaryOp, BufferId, Check, Constant, Dim, ExprId, FuncId, Interval, Output, Pool,
    Program, Require, Stmt, StmtId,
};

use crate::error::LowerError;
use crate::funcs::Funcs;
use crate::funcs::OutputBuffer;
use crate::indices;

/// Exclusive limit on sizes, mins and extents.
const SIZE_LIMIT: i128 = 1 << 31;
/// Inclusive limit on the number of elements of a buffer.
const ELEMENTS_LIMIT: i128 = 1 << 47;

/// Returns the requirements of a source program on its sizes.
pub(crate) fn requires(funcs: &mut Funcs<'_>, source: &Source) -> Result<Vec<Require>, LowerError> {
    let sizes = funcs.sizes.clone();
    let mut requires = Vec::new();
    for size in &source.sizes {
        let value = sizes.get(size)?;
        let zero = funcs.pool.int(0);
        let condition = funcs.pool.binary(BinaryOp::Le, zero, value);
        requires.push(Require { condition, message: format!("0 <= {size}") });
    }
    for pred in &source.hypotheses {
        let condition = sizes.pred(&mut funcs.pool, pred)?;
        requires.push(Require { condition, message: halidom_atl::print::pred(pred) });
    }
    Ok(requires)
}

/// Builds the whole program.
pub(crate) fn program(
    funcs: &mut Funcs<'_>,
    algorithm: &Algorithm,
    (output, (buffer, window)): (FuncId, OutputBuffer),
    allocations: &[(String, Vec<ExprId>)],
    work: StmtId,
) -> Result<Program, LowerError> {
    let mut shapes = Vec::new();
    for func in &funcs.inputs {
        let tensor = funcs.tensors.values().find(|tensor| tensor.func == *func);
        shapes.push(tensor.ok_or(LowerError::Shape)?.shape.clone());
    }
    let sizes = funcs.sizes.clone();
    let mut needed = Vec::new();
    for shape in shapes {
        let extents = shape.iter().rev().map(|size| sizes.index(&mut funcs.pool, size));
        needed.push(extents.collect::<Result<Vec<ExprId>, _>>()?);
    }
    let result = funcs.output_shape.iter().rev();
    let result: Result<Vec<ExprId>, _> =
        result.map(|size| sizes.index(&mut funcs.pool, size)).collect();
    let result = result?;
    let inputs: Vec<BufferId> = funcs
        .inputs
        .iter()
        .filter_map(|input| match funcs.pool.func(*input).kind {
            halidom_ir::FuncKind::Input { buffer } => Some(buffer),
            halidom_ir::FuncKind::Defined { .. } => None,
        })
        .collect();
    let mut checks = Checks { pool: &mut funcs.pool, stmts: Vec::new() };
    for param in &algorithm.params {
        let value = checks.pool.var_expr(*param);
        checks.limit(value, 0, SIZE_LIMIT - 1);
    }
    for buffer in inputs.iter().copied().chain([buffer]) {
        for dim in checks.pool.buffer(buffer).dims.clone() {
            checks.dimension(dim);
        }
    }
    for (min, extent) in &window {
        let (min, extent) = (checks.pool.var_expr(*min), checks.pool.var_expr(*extent));
        checks.limit(min, 1 - SIZE_LIMIT, SIZE_LIMIT - 1);
        checks.limit(extent, 0, SIZE_LIMIT - 1);
    }
    for buffer in inputs.iter().copied().chain([buffer]) {
        checks.layout(buffer);
    }
    for require in &algorithm.requires {
        let message = require.message.clone();
        checks.add(require.condition, Check::Require { message });
    }
    for func in &algorithm.funcs {
        checks.domains(*func);
    }
    for (dim, (extent, (own_min, own_extent))) in result.iter().zip(&window).enumerate() {
        let (min, size) = (checks.pool.var_expr(*own_min), checks.pool.var_expr(*own_extent));
        let zero = checks.pool.int(0);
        let starts = checks.pool.binary(BinaryOp::Eq, min, zero);
        let ends = checks.pool.binary(BinaryOp::Eq, size, *extent);
        let condition = indices::all(checks.pool, [starts, ends]);
        checks.add(condition, Check::Bound { func: output, dim });
    }
    for ((input, buffer), extents) in algorithm.inputs.iter().zip(&inputs).zip(&needed) {
        for (dim, extent) in extents.iter().enumerate() {
            checks.region(*buffer, dim, *extent, |needed, given| Check::InputRegion {
                input: *input,
                dim,
                needed,
                given,
            });
        }
    }
    for (dim, extent) in result.iter().enumerate() {
        let check = |needed, given| Check::OutputRegion { output, dim, needed, given };
        checks.region(buffer, dim, *extent, check);
    }
    for (name, extents) in allocations {
        checks.allocation(name, extents, algorithm);
    }
    let mut stmts = checks.stmts;
    stmts.push(work);
    let body = funcs.pool.stmt(Stmt::Block(stmts));
    Ok(Program {
        name: algorithm.name.clone(),
        params: algorithm.params.clone(),
        inputs,
        outputs: vec![Output { func: output, buffers: vec![buffer], window }],
        body,
    })
}

struct Checks<'a> {
    pool: &'a mut Pool,
    stmts: Vec<StmtId>,
}

impl Checks<'_> {
    fn add(&mut self, condition: ExprId, check: Check) {
        if self.pool.as_constant(condition).and_then(Constant::as_bool) != Some(true) {
            self.stmts.push(self.pool.stmt(Stmt::Assert { condition, check }));
        }
    }

    fn between(&mut self, value: ExprId, low: i128, high: i128) -> ExprId {
        let (low, high) = (self.pool.int(low), self.pool.int(high));
        let low = self.pool.binary(BinaryOp::Le, low, value);
        let high = self.pool.binary(BinaryOp::Le, value, high);
        indices::all(self.pool, [low, high])
    }

    fn limit(&mut self, value: ExprId, low: i128, high: i128) {
        let condition = self.between(value, low, high);
        let what = halidom_ir::print::expr(self.pool, value);
        self.add(condition, Check::SizeLimit { what });
    }

    fn dimension(&mut self, dim: Dim) {
        self.limit(dim.min, 1 - SIZE_LIMIT, SIZE_LIMIT - 1);
        self.limit(dim.extent, 0, SIZE_LIMIT - 1);
        let low = self.between(dim.stride, 0, ELEMENTS_LIMIT);
        let (fits, _) = self.product(dim.stride, dim.extent);
        let condition = indices::all(self.pool, [low, fits]);
        let what = halidom_ir::print::expr(self.pool, dim.stride);
        self.add(condition, Check::SizeLimit { what });
    }

    /// Returns the condition that a product of two non-negative numbers is within the limit, and
    /// the product. The quotient comes first, because the product may overflow 64 bits.
    fn product(&mut self, first: ExprId, second: ExprId) -> (ExprId, ExprId) {
        let (limit, one) = (self.pool.int(ELEMENTS_LIMIT), self.pool.int(1));
        let divisor = self.pool.binary(BinaryOp::Max, first, one);
        let most = self.pool.binary(BinaryOp::Div, limit, divisor);
        let quotient = self.pool.binary(BinaryOp::Le, second, most);
        let product = indices::mul(self.pool, second, first);
        let bounded = self.pool.binary(BinaryOp::Le, product, limit);
        (indices::all(self.pool, [quotient, bounded]), product)
    }

    fn layout(&mut self, buffer: BufferId) {
        let decl = self.pool.buffer(buffer);
        let (func, dims) = (decl.func, decl.dims.clone());
        let mut conditions = Vec::new();
        if let Some(first) = dims.first() {
            let one = self.pool.int(1);
            conditions.push(self.pool.binary(BinaryOp::Ge, first.stride, one));
        }
        for pair in dims.windows(2) {
            let span = indices::mul(self.pool, pair[0].extent, pair[0].stride);
            conditions.push(self.pool.binary(BinaryOp::Ge, pair[1].stride, span));
        }
        let condition = indices::all(self.pool, conditions);
        self.add(condition, Check::Layout { func });
    }

    fn domains(&mut self, func: FuncId) {
        let stages = self.pool.func(func).stages().to_vec();
        for (number, stage) in stages.iter().enumerate() {
            for (variable, bounds) in stage.domain.iter().enumerate() {
                let zero = self.pool.int(0);
                let condition = self.pool.binary(BinaryOp::Ge, bounds.extent, zero);
                self.add(condition, Check::DomainExtent { func, stage: number, variable });
            }
        }
    }

    /// Checks that a buffer contains `0 .. extent` in a dimension.
    fn region(
        &mut self,
        buffer: BufferId,
        dim: usize,
        extent: ExprId,
        check: impl FnOnce(Interval, Interval) -> Check,
    ) {
        let given = self.pool.buffer(buffer).dims[dim];
        let zero = self.pool.int(0);
        let low = self.pool.binary(BinaryOp::Le, given.min, zero);
        let end = self.pool.add(given.min, given.extent);
        let high = self.pool.binary(BinaryOp::Le, extent, end);
        let condition = indices::all(self.pool, [low, high]);
        let needed = Interval { min: zero, extent };
        let given = Interval { min: given.min, extent: given.extent };
        self.add(condition, check(needed, given));
    }

    /// Checks that an allocation is not too large, if its size is known at entry and depends on
    /// more than one dimension.
    fn allocation(&mut self, name: &str, extents: &[ExprId], algorithm: &Algorithm) {
        let mut startup = true;
        for extent in extents {
            self.pool.for_each_subexpr(*extent, &mut |_, expr| {
                if let halidom_ir::Expr::Var(var) = expr {
                    startup &= algorithm.params.contains(var);
                }
            });
        }
        let varying = extents.iter().filter(|extent| self.pool.as_constant(**extent).is_none());
        if !startup || varying.count() < 2 {
            return;
        }
        let mut size = extents[0];
        let mut conditions = vec![self.between(size, 0, ELEMENTS_LIMIT)];
        for extent in &extents[1..] {
            let zero = self.pool.int(0);
            conditions.push(self.pool.binary(BinaryOp::Le, zero, *extent));
            let (fits, product) = self.product(size, *extent);
            conditions.push(fits);
            size = product;
        }
        let condition = indices::all(self.pool, conditions);
        self.add(condition, Check::SizeLimit { what: format!("{name}.size") });
    }
}
