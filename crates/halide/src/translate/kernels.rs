//! Blocks and threads of a GPU, in the form that the final statement has.
//!
//! # Correctness
//! A kernel is a nest of loops over blocks around a nest of loops over threads, whose innermost
//! body is the program of each thread: the pass that fuses the loops over threads leaves no other
//! form. Only barriers order the threads of a block. A second loop over threads in a block is
//! therefore refused, because its iterations would not wait for the first one's; so is anything
//! else that a block does outside of its threads. The threads share one memory at most: for some
//! devices, the code generators place every shared memory of a kernel at its beginning. The numbers
//! of blocks and threads are known before the kernel starts, and each loop is a dimension of its
//! own.

use halidom_base::FxHashSet;

use super::error::{Result, unsupported};
use super::walk::Walk;
use crate::tree::{Construct, Expr, ForKind, Stmt, StmtKind};
use crate::{NameId, Names};

/// The dimensions of blocks and threads.
const DIMENSIONS: [&str; 3] = ["x", "y", "z"];

/// The greatest number of threads of a block, on every device.
const MOST_THREADS: i64 = 1024;

/// The loops of a kernel.
struct Shape {
    /// The device, once a loop has named it.
    device: Option<NameId>,
    /// Dimensions that have a loop.
    taken: FxHashSet<String>,
    /// Names that blocks and threads bind.
    bound: FxHashSet<NameId>,
    /// The number of threads of a block, as far as it is constant.
    threads: i64,
    /// True if the threads of a block share memory.
    shares: bool,
}

/// The device whose code generator is known here.
const KNOWN: &str = "cuda";

impl Walk<'_> {
    /// Refuses a loop over blocks that is no kernel.
    pub(super) fn kernel(&mut self, stmt: &Stmt) -> Result<()> {
        // The order of operations in a device's code is not known to be kept.
        if self.source.settings.strict_float || self.source.has_strict_floats {
            return unsupported("a kernel of a pipeline with strict floats")
                .map_err(|what| what.at(stmt.at));
        }
        let (device, taken, bound) = (None, FxHashSet::default(), FxHashSet::default());
        let mut shape = Shape { device, taken, bound, threads: 1, shares: false };
        shape.nest(self.nodes.names, stmt, ForKind::GpuBlock)?;
        match shape.device {
            Some(device) => {
                let device = self.nodes.names.text(device).to_lowercase();
                // The others compile text, whose narrow numbers do not wrap.
                if device != KNOWN {
                    return unsupported("a kernel for a device other than CUDA")
                        .map_err(|what| what.at(stmt.at));
                }
                self.on_device(&device).map_err(|what| what.at(stmt.at))
            }
            None => Ok(()),
        }
    }
}

impl Shape {
    /// Checks a loop over blocks or threads.
    fn nest(&mut self, names: &Names, stmt: &Stmt, expected: ForKind) -> Result<()> {
        let refused = |what: &str| unsupported(what).map_err(|what| what.at(stmt.at));
        let StmtKind::For { name, min, extent, kind, device, body } = &stmt.kind else {
            return refused("a kernel without its loops");
        };
        if *kind != expected {
            return refused("a loop over threads outside of blocks");
        }
        let (Some(device), true) = (*device, is_zero(min)) else {
            return refused("a loop over blocks or threads that does not begin at 0 on a device");
        };
        if *self.device.get_or_insert(device) != device {
            return refused("a kernel of two devices");
        }
        let level = if expected == ForKind::GpuBlock { ".block_id_" } else { ".thread_id_" };
        let dimension = names.text(*name).rsplit_once(level).map(|(_, dimension)| dimension);
        let Some(dimension) = dimension.filter(|dimension| DIMENSIONS.contains(dimension)) else {
            return refused("a loop over blocks or threads that is no dimension of a kernel");
        };
        if !self.taken.insert(format!("{level}{dimension}")) {
            return refused("two loops over one dimension of a kernel");
        }
        if mentions(extent, &self.bound) {
            return refused("a number of blocks or threads that is not known before they start");
        }
        if let (ForKind::GpuThread, Expr::Int(count, _)) = (expected, extent) {
            self.threads = self.threads.saturating_mul(*count);
            if self.threads > MOST_THREADS {
                return refused("more threads than a block of a GPU may have");
            }
        }
        self.bound.insert(*name);
        match expected {
            ForKind::GpuBlock => self.block(names, body).map(|_| ()),
            ForKind::GpuThread
            | ForKind::Serial
            | ForKind::Parallel
            | ForKind::Vectorized
            | ForKind::Unrolled
            | ForKind::Extern
            | ForKind::GpuLane => self.threads(names, body),
        }
    }

    /// Checks the body of a block: allocations, names, and one loop over further blocks or threads.
    /// Returns true if that loop was found.
    fn block(&mut self, names: &Names, block: &[Stmt]) -> Result<bool> {
        let mut found = false;
        for stmt in block {
            let refused = |what: &str| unsupported(what).map_err(|what| what.at(stmt.at));
            let inner = if let StmtKind::Let { name, value } = &stmt.kind {
                if reads_memory(value) {
                    return refused("a name in a block of a GPU that reads memory");
                }
                self.bound.insert(*name);
                false
            } else if matches!(stmt.construct(), Construct::Allocate | Construct::Free) {
                if is_shared(names, stmt) && std::mem::replace(&mut self.shares, true) {
                    return refused("a second memory that the threads of a block share");
                }
                false
            } else if let StmtKind::ProducerConsumer { name: _, role: _, body }
            | StmtKind::Scope(body) = &stmt.kind
            {
                self.block(names, body)?
            } else if loop_kind(stmt) == Some(ForKind::GpuBlock) {
                self.nest(names, stmt, ForKind::GpuBlock)?;
                true
            } else if loop_kind(stmt) == Some(ForKind::GpuThread) {
                self.nest(names, stmt, ForKind::GpuThread)?;
                true
            } else {
                return refused("what a block of a GPU does outside of its threads");
            };
            if inner && found {
                return refused("loops over threads of one block, one after the other");
            }
            found |= inner;
        }
        Ok(found)
    }

    /// Checks the body of a loop over threads: a further loop over threads with names before it, or
    /// no such loop at all.
    fn threads(&mut self, names: &Names, body: &[Stmt]) -> Result<()> {
        if !body.iter().any(contains_device_loop) {
            return serial(names, body);
        }
        let Some((last, before)) = body.split_last() else { return Ok(()) };
        for stmt in before {
            let StmtKind::Let { name, value } = &stmt.kind else {
                return unsupported("what threads of a GPU do outside of the innermost loop")
                    .map_err(|what| what.at(stmt.at));
            };
            if reads_memory(value) {
                return unsupported("a name in a block of a GPU that reads memory")
                    .map_err(|what| what.at(stmt.at));
            }
            self.bound.insert(*name);
        }
        self.nest(names, last, ForKind::GpuThread)
    }
}

/// Tests whether a statement allocates memory that the threads of a block share.
fn is_shared(names: &Names, stmt: &Stmt) -> bool {
    let StmtKind::Allocate {
        name: _,
        ty: _,
        extents: _,
        padding: _,
        memory,
        condition: _,
        new: _,
        free: _,
    } = &stmt.kind
    else {
        return false;
    };
    memory.is_some_and(|memory| names.text(memory) == "GPUShared")
}

fn loop_kind(stmt: &Stmt) -> Option<ForKind> {
    if let StmtKind::For { name: _, min: _, extent: _, kind, device: _, body: _ } = &stmt.kind {
        Some(*kind)
    } else {
        None
    }
}

/// Tests whether a statement is a loop over blocks, threads or lanes, or contains one.
fn contains_device_loop(stmt: &Stmt) -> bool {
    let mut found =
        matches!(loop_kind(stmt), Some(ForKind::GpuBlock | ForKind::GpuThread | ForKind::GpuLane));
    stmt.for_each_block(&mut |block| found |= block.iter().any(contains_device_loop));
    found
}

/// Refuses loops that are not serial, and tasks.
fn serial(names: &Names, block: &[Stmt]) -> Result<()> {
    for stmt in block {
        // The code generators find the dimensions of a kernel by the names of loops alone.
        if let StmtKind::For { name, min: _, extent: _, kind: _, device: _, body: _ } = &stmt.kind
            && [".block_id_", ".thread_id_"].iter().any(|level| names.text(*name).contains(level))
        {
            return unsupported("a loop in a thread of a GPU by the name of a kernel's dimension")
                .map_err(|what| what.at(stmt.at));
        }
        let is_task = matches!(stmt.construct(), Construct::Fork | Construct::Acquire);
        if is_task || loop_kind(stmt).is_some_and(|kind| kind != ForKind::Serial) {
            return unsupported("loops in a thread of a GPU that are not serial, and tasks")
                .map_err(|what| what.at(stmt.at));
        }
        let mut result = Ok(());
        stmt.for_each_block(&mut |block| {
            if result.is_ok() {
                result = serial(names, block);
            }
        });
        result?;
    }
    Ok(())
}

fn is_zero(expr: &Expr) -> bool {
    if let Expr::Int(value, _) = expr { *value == 0 } else { false }
}

/// Tests whether an expression mentions one of the names.
pub(super) fn mentions(expr: &Expr, names: &FxHashSet<NameId>) -> bool {
    let mut found = false;
    if let Expr::Variable { name, ty: _ } = expr {
        found |= names.contains(name);
    }
    expr.for_each_operand(&mut |operand| found |= mentions(operand, names));
    found
}

/// Tests whether an expression reads memory.
pub(super) fn reads_memory(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Load(_));
    expr.for_each_operand(&mut |operand| found |= reads_memory(operand));
    found
}
