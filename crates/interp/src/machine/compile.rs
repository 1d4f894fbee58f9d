//! Programs as trees of flat code. Variables and buffers are resolved to slots by their scope, and
//! the caller's values are folded in.

use halidom_base::{FxHashMap, stack};
use halidom_ir::{
    BufferId, Check, Constant, ExprId, FuncId, FuncKind, Interval, Label, LoopKind, Pool, Program,
    Prophecy, Scalar, Stmt, StmtId, StoreIn, VarId,
};

use crate::code::{Code, CodeError, Lanes, Scope, Source};

/// The target that an access is resolved to.
#[derive(PartialEq, Eq, Clone, Debug)]
pub(super) enum Target {
    /// A buffer in scope, accessed by coordinates or, if `flat`, by element number.
    Slot { slot: usize, flat: bool },
    /// No buffer in scope.
    Dead { name: String },
}

pub(super) struct Node {
    pub(super) stmt: StmtId,
    pub(super) action: Action,
}

pub(super) enum Action {
    Block(Vec<Node>),
    Let {
        slot: Lanes,
        value: Code<Target>,
        body: Box<Node>,
    },
    If {
        condition: Code<Target>,
        then_branch: Box<Node>,
        else_branch: Option<Box<Node>>,
    },
    For {
        var: VarId,
        slot: usize,
        /// The min, then the extent.
        bounds: Code<Target>,
        kind: LoopKind,
        body: Box<Node>,
    },
    Allocate {
        slot: usize,
        buffer: BufferId,
        scalar: Scalar,
        /// The min, extent and stride of each dimension.
        dims: Code<Target>,
        /// For each dimension, true if it is folded.
        folded: Vec<bool>,
        /// The slot of the buffer whose memory this one takes.
        within: Option<usize>,
        body: Box<Node>,
    },
    Assert {
        condition: Code<Target>,
        check: Check,
        /// The min and extent of the needed interval, then of the given one.
        intervals: Option<Code<Target>>,
    },
    Write {
        /// The targets, one for each component.
        targets: Vec<Target>,
        /// The coordinates or the element number, then the values.
        code: Code<Target>,
        coords: usize,
        lanes: usize,
        /// The claim about the written value, if claims are checked.
        claim: Option<Claim>,
        /// True if the old value is read and the new one written in one step, lane by lane.
        atomic: bool,
    },
    /// After the body, a func's values at `needed` are right. Exists only if claims are checked.
    Needed {
        func: FuncId,
        /// The min and extent of each dimension.
        needed: Code<Target>,
        rank: usize,
        body: Box<Node>,
    },
}

/// The instance of the specification that a store claims to execute.
pub(super) struct Claim {
    pub(super) func: FuncId,
    /// The first component that is written. Others follow.
    pub(super) component: usize,
    pub(super) stage: usize,
    /// The written point, then the reduction variables.
    pub(super) code: Code<Target>,
    pub(super) coords: usize,
    pub(super) point: usize,
}

/// A compiled program and the sizes of its environments.
pub(super) struct Compiled {
    pub(super) body: Node,
    pub(super) vars: usize,
    pub(super) memories: usize,
    /// The slots of the caller's buffers: inputs, then outputs.
    pub(super) inputs: Vec<usize>,
    pub(super) outputs: Vec<usize>,
}

/// Compiles a program whose free variables have the values in `given`. If `claims` is true, it
/// keeps the annotations that can be checked against the specification.
pub(super) fn compile(
    pool: &Pool,
    program: &Program,
    claims: bool,
    given: &dyn Fn(VarId) -> Option<Constant>,
) -> Result<Compiled, CodeError> {
    let mut compiler = Compiler {
        pool,
        given,
        claims,
        vars: FxHashMap::default(),
        var_slots: 0,
        buffers: Vec::new(),
        buffer_slots: 0,
    };
    let inputs = program.inputs.iter().map(|buffer| compiler.enter(*buffer)).collect();
    let outputs = program.output_buffers().map(|buffer| compiler.enter(buffer)).collect();
    let body = compiler.stmt(program.body)?;
    let (vars, memories) = (compiler.var_slots, compiler.buffer_slots);
    Ok(Compiled { body, vars, memories, inputs, outputs })
}

struct Compiler<'a> {
    pool: &'a Pool,
    given: &'a dyn Fn(VarId) -> Option<Constant>,
    claims: bool,
    vars: FxHashMap<VarId, Lanes>,
    var_slots: usize,
    /// The buffers in scope with their slots, innermost last.
    buffers: Vec<(BufferId, usize)>,
    buffer_slots: usize,
}

impl Compiler<'_> {
    fn enter(&mut self, buffer: BufferId) -> usize {
        let slot = self.buffer_slots;
        self.buffer_slots += 1;
        self.buffers.push((buffer, slot));
        slot
    }

    /// Compiles a body in which `var` is bound.
    fn bind<T>(
        &mut self,
        var: VarId,
        body: impl FnOnce(&mut Self, Lanes) -> Result<T, CodeError>,
    ) -> Result<T, CodeError> {
        let count = self.pool.var(var).ty.lanes as usize;
        let slot = Lanes { start: self.var_slots, count };
        self.var_slots += count;
        let outer = self.vars.insert(var, slot);
        let result = body(self, slot)?;
        match outer {
            Some(outer) => self.vars.insert(var, outer),
            None => self.vars.remove(&var),
        };
        Ok(result)
    }

    fn code(&self, exprs: &[ExprId]) -> Result<Code<Target>, CodeError> {
        Code::compile(self.pool, exprs, self)
    }

    /// Compiles code whose results have one lane each.
    fn scalars(&self, exprs: &[ExprId]) -> Result<Code<Target>, CodeError> {
        if exprs.iter().any(|expr| self.pool.ty(*expr).lanes != 1) {
            return Err(CodeError::Lanes);
        }
        self.code(exprs)
    }

    fn stmt(&mut self, id: StmtId) -> Result<Node, CodeError> {
        stack::deep(|| self.node(id))
    }

    fn node(&mut self, id: StmtId) -> Result<Node, CodeError> {
        let pool = self.pool;
        let action = match pool.get_stmt(id) {
            Stmt::Block(stmts) => {
                let nodes = stmts.iter().map(|stmt| self.stmt(*stmt)).collect::<Result<_, _>>()?;
                Action::Block(nodes)
            }
            Stmt::Labeled { label: Label::Func { func, needed }, body } if self.claims => {
                let exprs: Vec<ExprId> =
                    needed.iter().flat_map(|interval| [interval.min, interval.extent]).collect();
                let (func, rank) = (*func, needed.len());
                let needed = self.scalars(&exprs)?;
                Action::Needed { func, needed, rank, body: Box::new(self.stmt(*body)?) }
            }
            Stmt::Labeled { body, .. } => return self.stmt(*body),
            Stmt::Let { var, value, body } => {
                let ty = (pool.ty(*value), pool.var(*var).ty);
                if ty.0 != ty.1 {
                    return Err(CodeError::Lanes);
                }
                let value = self.code(&[*value])?;
                self.bind(*var, |this, slot| {
                    Ok(Action::Let { slot, value, body: Box::new(this.stmt(*body)?) })
                })?
            }
            Stmt::If { condition, then_branch, else_branch } => Action::If {
                condition: self.scalars(&[*condition])?,
                then_branch: Box::new(self.stmt(*then_branch)?),
                else_branch: match else_branch {
                    Some(branch) => Some(Box::new(self.stmt(*branch)?)),
                    None => None,
                },
            },
            Stmt::For { var, min, extent, kind, body } => {
                let bounds = self.scalars(&[*min, *extent])?;
                self.bind(*var, |this, slot| {
                    let (slot, kind) = (slot.start, *kind);
                    let body = Box::new(this.stmt(*body)?);
                    Ok(Action::For { var: *var, slot, bounds, kind, body })
                })?
            }
            Stmt::Allocate { buffer, body } => {
                let decl = pool.buffer(*buffer);
                let exprs: Vec<ExprId> =
                    decl.dims.iter().flat_map(|dim| [dim.min, dim.extent, dim.stride]).collect();
                let dims = self.scalars(&exprs)?;
                let slot = self.enter(*buffer);
                let body = Box::new(self.stmt(*body)?);
                self.buffers.pop();
                let folded = decl.dims.iter().map(|dim| dim.folded).collect();
                let within = match decl.store_in {
                    StoreIn::Within(arena) => match self.buffer(arena)? {
                        Target::Slot { slot, .. } => Some(slot),
                        Target::Dead { name } => return Err(CodeError::NoBuffer(name)),
                    },
                    StoreIn::Auto
                    | StoreIn::Heap
                    | StoreIn::Stack
                    | StoreIn::Register
                    | StoreIn::Stream => None,
                };
                Action::Allocate {
                    slot,
                    buffer: *buffer,
                    scalar: decl.scalar,
                    dims,
                    folded,
                    within,
                    body,
                }
            }
            Stmt::Assert { condition, check } => Action::Assert {
                condition: self.scalars(&[*condition])?,
                check: check.clone(),
                intervals: match intervals(check) {
                    Some((needed, given)) => {
                        Some(self.scalars(&[needed.min, needed.extent, given.min, given.extent])?)
                    }
                    None => None,
                },
            },
            Stmt::Provide { func, stage, coords, point, values, atomic } => {
                let targets = (0..values.len())
                    .map(|component| self.func(*func, component, coords.len()))
                    .collect::<Result<_, _>>()?;
                let claim = self.claim((*func, 0), *stage, coords, point)?;
                self.write(targets, coords, values, claim, *atomic)?
            }
            Stmt::Store { buffer, index, value, prophecy, atomic } => {
                if pool.ty(*index).lanes != pool.ty(*value).lanes {
                    return Err(CodeError::Lanes);
                }
                let target = self.buffer(*buffer)?;
                let claim = match prophecy {
                    Some(Prophecy { func, stage, coords, point }) => {
                        let component = pool.buffer(*buffer).component;
                        self.claim((*func, component), *stage, coords, point)?
                    }
                    None => None,
                };
                self.write(vec![target], &[*index], &[*value], claim, *atomic)?
            }
        };
        Ok(Node { stmt: id, action })
    }

    fn write(
        &mut self,
        targets: Vec<Target>,
        coords: &[ExprId],
        values: &[ExprId],
        claim: Option<Claim>,
        atomic: bool,
    ) -> Result<Action, CodeError> {
        let exprs = [coords, values].concat();
        let code = self.code(&exprs)?;
        let lanes = exprs.iter().map(|expr| self.pool.ty(*expr).lanes).max().unwrap_or(1);
        if exprs.iter().any(|expr| ![1, lanes].contains(&self.pool.ty(*expr).lanes)) {
            return Err(CodeError::Lanes);
        }
        let (coords, lanes) = (coords.len(), lanes as usize);
        Ok(Action::Write { targets, code, coords, lanes, claim, atomic })
    }

    fn claim(
        &self,
        (func, component): (FuncId, usize),
        stage: usize,
        coords: &[ExprId],
        point: &[ExprId],
    ) -> Result<Option<Claim>, CodeError> {
        if !self.claims {
            return Ok(None);
        }
        let exprs = [coords, point].concat();
        let (coords, point) = (coords.len(), point.len());
        Ok(Some(Claim { func, component, stage, code: self.code(&exprs)?, coords, point }))
    }
}

/// The needed and the given interval of a check, if it has them.
pub(super) fn intervals(check: &Check) -> Option<(Interval, Interval)> {
    match check {
        Check::InputRegion { needed, given, .. } | Check::OutputRegion { needed, given, .. } => {
            Some((*needed, *given))
        }
        Check::Require { .. }
        | Check::DomainExtent { .. }
        | Check::SplitFactor { .. }
        | Check::Bound { .. }
        | Check::SizeLimit { .. }
        | Check::Layout { .. } => None,
    }
}

impl Scope for Compiler<'_> {
    type Place = Target;

    fn var(&self, var: VarId) -> Option<Source> {
        match self.vars.get(&var) {
            Some(slot) => Some(Source::Slot(*slot)),
            None => (self.given)(var).map(Source::Constant),
        }
    }

    fn func(&self, func: FuncId, component: usize, rank: usize) -> Result<Target, CodeError> {
        let decl = self.pool.func(func);
        if decl.rank() != rank {
            let (name, expected) = (decl.name.clone(), decl.rank());
            return Err(CodeError::Rank { name, expected, given: rank });
        }
        let holds = |buffer: BufferId| match &decl.kind {
            FuncKind::Input { buffer: own } => *own == buffer,
            FuncKind::Defined { .. } => {
                let held = self.pool.buffer(buffer);
                held.func == func && held.component == component
            }
        };
        Ok(match self.buffers.iter().rev().find(|(buffer, _)| holds(*buffer)) {
            Some((_, slot)) => Target::Slot { slot: *slot, flat: false },
            None => Target::Dead { name: decl.name.clone() },
        })
    }

    fn buffer(&self, buffer: BufferId) -> Result<Target, CodeError> {
        Ok(match self.buffers.iter().rev().find(|(other, _)| *other == buffer) {
            Some((_, slot)) => Target::Slot { slot: *slot, flat: true },
            None => Target::Dead { name: self.pool.buffer(buffer).name.clone() },
        })
    }
}
