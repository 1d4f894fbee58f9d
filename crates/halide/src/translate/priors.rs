//! Outputs that keep contents from before the run: their first stage is `undef`, which stores
//! nothing.
//!
//! # Correctness
//! The contents before the run are an input of the algorithm, and the first stage reads it. `ir`
//! has no outputs with contents, so the program begins its work on such an output by copying that
//! input to it, element by element. This gives the memory exactly the contents that a caller's
//! memory has, whatever the statement does then. The input has the output's mins and extents by
//! definition. Its strides are its own: it is no memory of the compiled code.

use halidom_ir::{
    BinaryOp, BufferId, BufferKind, Check, ExprId, LoopKind, Pool, Stmt as IrStmt, StmtId, Type,
};

use super::algorithm::Prior;
use super::error::{Result, unsupported};
use super::walk::Walk;
use crate::NameId;

impl Walk<'_> {
    /// The facts about the inputs that stand for contents before the run.
    pub(super) fn before(&mut self, pool: &mut Pool) -> Result<Vec<StmtId>> {
        let mut parts = Vec::new();
        for prior in self.source.priors.clone() {
            let output = self.filled(pool, &prior)?;
            let (own, dims) =
                (pool.buffer(prior.buffer).dims.clone(), pool.buffer(output).dims.clone());
            let one = pool.int(1);
            let sides = own
                .iter()
                .zip(&dims)
                .flat_map(|(own, dim)| [(own.min, dim.min), (own.extent, dim.extent)]);
            let dense = own.first().map(|innermost| (innermost.stride, one));
            let name = pool.buffer(output).name.clone();
            for (side, value) in sides.chain(dense) {
                let condition = pool.binary(BinaryOp::Eq, side, value);
                let message = format!("the contents of `{name}` before the run have its shape");
                let check = Check::Require { message };
                parts.push(pool.stmt(IrStmt::Assert { condition, check }));
            }
            self.note(&format!("the contents of `{name}` before the run are an input"));
        }
        Ok(parts)
    }

    /// The output's buffer of a component whose contents are kept.
    fn filled(&self, pool: &Pool, prior: &Prior) -> Result<BufferId> {
        let func = self.source.funcs.get(&prior.output);
        let known = self.outputs.iter().copied().find(|buffer| {
            let decl = pool.buffer(*buffer);
            decl.kind == BufferKind::Output
                && Some(&decl.func) == func
                && decl.component == prior.component
        });
        match known {
            Some(buffer) => Ok(buffer),
            None => unsupported("contents of something that is no output"),
        }
    }

    /// The copies of contents before the run to an output, at the place that begins its work.
    pub(super) fn kept(&mut self, pool: &mut Pool, output: NameId) -> Result<Vec<StmtId>> {
        if !self.unfilled.shift_remove(&output) {
            return Ok(Vec::new());
        }
        let mut copies = Vec::new();
        for prior in self.source.priors.clone() {
            if prior.output == output {
                let buffer = self.filled(pool, &prior)?;
                copies.push(self.copy(pool, &prior, buffer));
            }
        }
        self.work_begun = true;
        Ok(copies)
    }

    /// `output[…] = before[…]` for each point.
    fn copy(&self, pool: &mut Pool, prior: &Prior, output: BufferId) -> StmtId {
        let text = self.nodes.names.text(prior.output).to_owned();
        let (own, dims) =
            (pool.buffer(prior.buffer).dims.clone(), pool.buffer(output).dims.clone());
        let func = self.pipeline.funcs.iter().find(|func| func.name == prior.output);
        let zero = pool.int(0);
        let mut loops = Vec::new();
        let (mut from, mut to): (ExprId, ExprId) = (zero, zero);
        for (number, (own, dim)) in own.iter().zip(&dims).enumerate() {
            let arg = func.and_then(|func| func.args.get(number));
            let arg = arg.map_or(String::new(), |arg| self.nodes.names.text(*arg).to_owned());
            let var = pool.declare_var(format!("{text}.s0.{arg}.rebased"), Type::INT);
            let step = pool.var_expr(var);
            for (index, stride) in [(&mut from, own.stride), (&mut to, dim.stride)] {
                let length = pool.mul(step, stride);
                *index = pool.add(*index, length);
            }
            loops.push((var, dim.extent));
        }
        let value = pool.load(prior.buffer, from, None);
        let store =
            IrStmt::Store { buffer: output, index: to, value, prophecy: None, atomic: false };
        let mut body = pool.stmt(store);
        for (var, extent) in loops {
            body = pool.stmt(IrStmt::For { var, min: zero, extent, kind: LoopKind::Serial, body });
        }
        body
    }
}
