//! Compiles a tree to instructions. Every field of every node gets its meaning here, or the node is
//! refused.

mod calls;
mod expr;
mod stmt;

use std::sync::Arc;

use halidom_base::{FxHashMap, IndexMap};
use halidom_halide_ir::tree::{Block, Scalar, Type};
use halidom_halide_ir::{NameId, Names};

use crate::code::{Compute, Instr, Label, Op, Reg};
use crate::outcome::Refused;
use crate::value::{Ty, Value};

/// The stage of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A statement that the code generators receive.
    Final,
    /// A statement of an earlier pass. Loops that are still to become vectors or copies run one
    /// iteration after the other.
    Earlier,
}

/// Types that a statement's text omits. A lossless dump contains all of them.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// The types of scalar parameters, by name.
    pub parameters: Vec<(String, Type)>,
    /// The element types of the caller's buffers, by name.
    pub buffers: Vec<(String, Scalar)>,
}

/// A compiled statement, which the machine runs.
#[derive(Clone, Debug)]
pub struct Statement {
    pub(crate) code: Vec<Instr>,
    /// The number of registers that it needs.
    pub(crate) registers: usize,
    /// Its free variables with their types: parameters and handles of buffers.
    pub(crate) free: Vec<(String, Ty)>,
    /// True if only forks and joins order threads.
    pub(crate) is_structured: bool,
}

impl Statement {
    /// Compiles a statement.
    ///
    /// # Errors
    /// The first construct that has no full meaning here.
    pub fn new(
        block: &Block,
        names: &Names,
        signature: &Signature,
        mode: Mode,
    ) -> Result<Self, Refused> {
        let mut compiler = Compiler {
            names,
            signature,
            mode,
            code: Vec::new(),
            at: 0,
            next: 0,
            most: 0,
            depth: 0,
            scope: FxHashMap::default(),
            free: IndexMap::default(),
            is_structured: true,
            kernel: None,
            atomic: None,
            mask: None,
            indices: 0,
            is_asserting: false,
            updated: None,
        };
        compiler.block(block)?;
        compiler.emit(Op::EndThread);
        let free = compiler.free.into_values().collect();
        Ok(Self {
            code: compiler.code,
            registers: compiler.most as usize,
            free,
            is_structured: compiler.is_structured,
        })
    }

    /// Returns its free variables: parameters, and handles of buffers.
    pub fn free_names(&self) -> impl Iterator<Item = &str> {
        self.free.iter().map(|(name, _)| name.as_str())
    }
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
struct Bound {
    reg: Reg,
    ty: Ty,
    /// For memory that is allocated here: its elements, and whether a block of a GPU shares it.
    memory: Option<(Ty, bool)>,
}

/// Expressions and statements nested deeper than this are refused.
const DEPTH: usize = 600;
/// The most instructions that a statement may be compiled to.
const MOST_CODE: usize = 1 << 24;

type Compiled<T> = Result<T, Refused>;

/// An update that nothing interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atomicity {
    /// Each lane is one update.
    Lanes,
    /// The whole update runs under a lock.
    Locked,
}

/// A kernel of a GPU.
#[derive(Clone, Debug, Default)]
struct Kernel {
    /// The pointers to outside buffers, on the device.
    buffers: IndexMap<NameId, Reg>,
    /// True if memory of the block was seen.
    has_shared: bool,
}

struct Compiler<'a> {
    names: &'a Names,
    signature: &'a Signature,
    mode: Mode,
    code: Vec<Instr>,
    /// The position of the current statement.
    at: usize,
    /// The next free register, and the most that were in use.
    next: Reg,
    most: Reg,
    depth: usize,
    scope: FxHashMap<NameId, Vec<Bound>>,
    free: IndexMap<NameId, (String, Ty)>,
    is_structured: bool,
    kernel: Option<Kernel>,
    atomic: Option<Atomicity>,
    /// The lanes that are evaluated; nothing is evaluated in the others.
    mask: Option<(Reg, u32)>,
    /// The number of indices around the current expression.
    indices: u32,
    /// True in the condition of an assertion, which may ask where a pointer points.
    is_asserting: bool,
    /// The memory whose elements the current update reads and writes at once.
    updated: Option<NameId>,
}

impl Compiler<'_> {
    fn refuse<T>(&self, construct: impl Into<String>) -> Compiled<T> {
        Err(Refused { construct: construct.into(), at: self.at })
    }

    fn text(&self, name: NameId) -> &str {
        self.names.text(name)
    }

    fn shared_text(&self, name: NameId) -> Arc<str> {
        Arc::from(self.text(name))
    }

    fn emit(&mut self, op: Op) -> Label {
        self.code.push(Instr { op, at: self.at });
        self.code.len() - 1
    }

    /// Emits the computation of a register's value.
    fn set(&mut self, dst: Reg, to: Compute) {
        self.emit(Op::Set { dst, to });
    }

    fn here(&self) -> Label {
        self.code.len()
    }

    fn register(&mut self) -> Reg {
        let register = self.next;
        self.next += 1;
        self.most = self.most.max(self.next);
        register
    }

    fn constant(&mut self, value: Value) -> Reg {
        let dst = self.register();
        self.set(dst, Compute::Const(value));
        dst
    }

    /// Sets the target of an instruction that was emitted before the target was known.
    fn patch(&mut self, instr: Label, target: Label) {
        let Some(instr) = self.code.get_mut(instr) else { return };
        match &mut instr.op {
            Op::Jump(to)
            | Op::Unless { condition: _, to, decides: _ }
            | Op::Enter { var: _, limit: _, min: _, extent: _, exit: to }
            | Op::Parallel { var: _, min: _, extent: _, body: _, end: to, mark: _ }
            | Op::Fork { tasks: _, end: to, mark: _ }
            | Op::Kernel { blocks: _, threads: _, body: _, end: to, mark: _ } => *to = target,
            Op::Set { dst: _, to: _ }
            | Op::Sync { dst: _, call: _ }
            | Op::Buffer { dst: _, buffer: _, call: _ }
            | Op::Load { dst: _, place: _, zeroed: _, atomic: _ }
            | Op::Store { place: _, value: _, lane: _, atomic: _ }
            | Op::Next { var: _, limit: _, body: _ }
            | Op::Allocate(_)
            | Op::Leave { pointer: _, is_shared: _, name: _ }
            | Op::Free { pointer: _, is_shared: _, name: _ }
            | Op::Fail { error: _, args: _, strings: _ }
            | Op::Acquire { semaphore: _, count: _ }
            | Op::Barrier
            | Op::EndThread => {}
        }
    }

    fn nested<T>(&mut self, compile: impl FnOnce(&mut Self) -> Compiled<T>) -> Compiled<T> {
        if self.depth == DEPTH {
            return self.refuse(format!("something nested deeper than {DEPTH}"));
        }
        if self.code.len() > MOST_CODE {
            return self.refuse("a statement of very many nodes");
        }
        self.depth += 1;
        let result = compile(self);
        self.depth -= 1;
        result
    }

    fn bind(&mut self, name: NameId, bound: Bound) {
        self.scope.entry(name).or_default().push(bound);
    }

    fn unbind(&mut self, name: NameId) {
        if let Some(bindings) = self.scope.get_mut(&name) {
            bindings.pop();
        }
    }

    fn bound(&self, name: NameId) -> Option<Bound> {
        self.scope.get(&name)?.last().copied()
    }

    /// Returns a type of the tree, if the machine supports it.
    fn ty(&self, ty: Type) -> Compiled<Ty> {
        match Ty::of(ty) {
            Some(ty) => Ok(ty),
            None => self.refuse(format!("the type {:?} of {} lanes", ty.scalar, ty.lanes)),
        }
    }

    /// Compiles a parameter or a buffer's handle.
    fn free_name(&mut self, name: NameId, said: Option<Ty>) -> Compiled<(Reg, Ty)> {
        let text = self.text(name).to_owned();
        let known = self.free.get(&name).map(|(_, ty)| *ty);
        let listed = self.signature.parameters.iter().find(|(listed, _)| *listed == text);
        let listed = listed.and_then(|(_, ty)| Ty::of(*ty));
        let handle = text.ends_with(".buffer").then_some(Ty::HANDLE);
        let Some(ty) = said.or(known).or(listed).or(handle) else {
            return self.refuse(format!("`{text}`, whose type nothing says"));
        };
        if known.is_some_and(|known| known != ty) || ty.lanes != 1 {
            return self.refuse(format!("`{text}`, which has several types"));
        }
        let (number, _) = self.free.insert_full(name, (text, ty));
        let dst = self.register();
        self.set(dst, Compute::Parameter(number));
        Ok((dst, ty))
    }
}
