//! What a dump tells of a pipeline that is not at hand: its inputs, outputs and parameters, and the funcs that it computes, though not what they are.
//!
//! # Correctness
//! Types and dimensions of the caller's buffers are those that the statement's own assertions demand; whether one is an output is whether the statement computes it. Types of funcs are those of
//! their memory. A parameter has the type of what stands beside it in an operator. What is not told is refused: nothing is guessed.

use halidom_base::{FxHashMap, FxHashSet, IndexMap, IndexSet};

use super::belonging::Found;
use super::error::{Result, unsupported};
use super::nodes::type_code;
use super::program::for_each_block;
use crate::pipeline::{Func, FuncSchedule, Input, LoopLevel, Pipeline};
use crate::text::Pass;
use crate::tree::{Block, Expr, Scalar, Stmt, StmtKind, Type};
use crate::{NameId, Names};

/// The pass whose statement goes to the code generators.
const FINAL_PASS: &str = "final simplification";

/// The inputs, outputs and funcs of the pipeline of a dump. No func has a definition: [`super::declared`] makes a source of it.
pub fn signature(passes: &[Pass], names: &mut Names) -> Result<Pipeline> {
    let mut told = Told::default();
    let mut found = Found::new(names);
    for block in passes.iter().filter_map(|pass| pass.block.as_ref()) {
        found.block(block);
        told.block(block);
    }
    let (produced, asserted) = (found.produced, found.types);
    let mut buffers: IndexMap<String, (Scalar, usize)> = IndexMap::default();
    for ((name, field), (code, _)) in &asserted {
        if *field == "type"
            && let Some((dimensions, _)) = asserted.get(&(name.clone(), "dimensions"))
        {
            let (Some(ty), Ok(rank)) = (scalar_of(*code), usize::try_from(*dimensions)) else {
                return unsupported(format!("the type or the dimensions of the buffer `{name}`"));
            };
            buffers.insert(name.clone(), (ty, rank));
        }
    }
    if buffers.is_empty() {
        return unsupported("a dump without assertions about the types of buffers");
    }
    let mut pipeline = Pipeline {
        funcs: Vec::new(),
        outputs: Vec::new(),
        requirements: Vec::new(),
        parameters: Vec::new(),
        inputs: Vec::new(),
        images: Vec::new(),
    };
    for func in produced.keys() {
        let text = names.text(*func).to_owned();
        let components = components(&text, |name| buffers.get(name).copied());
        let memory = components_of_memory(&text, names, &told);
        let (types, rank, is_output) = match components {
            Some((types, rank)) => (types, rank, true),
            None => match memory {
                Some(types) => (types, told.ranks.get(func).copied().unwrap_or(1), false),
                None => return unsupported(format!("the func `{text}`, of unknown type")),
            },
        };
        let args = (0..rank).map(|dim| names.id(&format!("{text}._{dim}"))).collect();
        if is_output {
            pipeline.outputs.push(*func);
        }
        pipeline.funcs.push(declaration(*func, types, args));
    }
    let is_output = |name: &str| {
        let func = name.rsplit_once('.').filter(|(_, number)| number.parse::<usize>().is_ok());
        [Some(name), func.map(|(func, _)| func)]
            .into_iter()
            .flatten()
            .any(|name| names.find(name).is_some_and(|name| pipeline.outputs.contains(&name)))
    };
    let inputs: Vec<(&String, &(Scalar, usize))> =
        buffers.iter().filter(|(name, _)| !is_output(name)).collect();
    for (name, (ty, dimensions)) in inputs {
        let Some(name) = names.find(name) else { continue };
        let (ty, dimensions) = (Type::of(*ty), *dimensions);
        pipeline.inputs.push(Input { name, ty, is_buffer: true, dimensions });
    }
    if pipeline.outputs.is_empty() {
        return unsupported("a dump that computes none of its buffers");
    }
    parameters(passes, names, &told, &buffers, &mut pipeline)?;
    Ok(pipeline)
}

/// Adds the scalar parameters: the variables that nothing binds.
fn parameters(
    passes: &[Pass],
    names: &Names,
    told: &Told,
    buffers: &IndexMap<String, (Scalar, usize)>,
    pipeline: &mut Pipeline,
) -> Result<()> {
    let written = || passes.iter().filter(|pass| pass.block.is_some());
    let last = written().find(|pass| pass.name == FINAL_PASS).or(written().next_back());
    let Some(block) = last.and_then(|pass| pass.block.as_ref()) else { return Ok(()) };
    let mut free = Free::default();
    free.block(block);
    // Later statements have intrinsics, whose types a text does not say.
    let blocks: Vec<(&Block, Bound<'_>)> = written()
        .filter_map(|pass| pass.block.as_ref())
        .map(|block| (block, Bound::of(block)))
        .collect();
    for name in free.names {
        let text = names.text(name);
        let of_buffer =
            text.split_once('.').is_some_and(|(buffer, _)| buffers.contains_key(buffer))
                || buffers.keys().any(|buffer| {
                    text.strip_prefix(buffer.as_str()).is_some_and(|rest| rest.starts_with('.'))
                });
        if of_buffer || text.starts_with("__") || buffers.contains_key(text) {
            continue;
        }
        let found = blocks.iter().find_map(|(block, bound)| {
            Typing { told, bound, names, buffers, free: name }.block(block)
        });
        let Some(ty) = found else {
            return unsupported(format!(
                "the parameter `{text}`, whose type the dump does not tell,"
            ));
        };
        let input = Input { name, ty: Type::of(ty), is_buffer: false, dimensions: 0 };
        pipeline.inputs.push(input);
    }
    Ok(())
}

/// The types of the buffers of a func, and their dimensions: `NAME`, or `NAME.0`, `NAME.1`, ….
fn components(
    name: &str,
    known: impl Fn(&str) -> Option<(Scalar, usize)>,
) -> Option<(Vec<Scalar>, usize)> {
    if let Some((ty, rank)) = known(name) {
        return Some((vec![ty], rank));
    }
    let found: Vec<_> = (0..).map_while(|number| known(&format!("{name}.{number}"))).collect();
    let (_, rank) = *found.first()?;
    Some((found.into_iter().map(|(ty, _)| ty).collect(), rank))
}

/// The types of a func's elements by the memory that is taken for it.
fn components_of_memory(name: &str, names: &Names, told: &Told) -> Option<Vec<Scalar>> {
    let memory = |name: &str| {
        names.find(name).and_then(|name| told.memory.get(&name)).map(|scalar| (*scalar, 0))
    };
    components(name, memory).map(|(types, _)| types)
}

fn declaration(name: NameId, types: Vec<Scalar>, args: Vec<NameId>) -> Func {
    let schedule = FuncSchedule {
        store: LoopLevel::Root,
        compute: LoopLevel::Root,
        hoist: LoopLevel::Root,
        storage: Vec::new(),
        bounds: Vec::new(),
        wrappers: Vec::new(),
        memory: 0,
        memoized: false,
        is_async: false,
        ring_buffer: None,
    };
    let types = types.into_iter().map(Type::of).collect();
    Func { name, types, args, schedule, init: None, updates: Vec::new(), extern_function: None }
}

/// The type of one lane by the number that assertions compare with.
fn scalar_of(code: i128) -> Option<Scalar> {
    let widths = [8, 16, 32, 64];
    let integers = widths.into_iter().flat_map(|bits| [Scalar::Int(bits), Scalar::UInt(bits)]);
    let floats = [16, 32, 64].map(Scalar::Float);
    let mut all = integers.chain(floats).chain([Scalar::UInt(1)]);
    all.find(|ty| type_code(*ty) == Some(code))
}

/// What the statements of a dump say of memory and names.
#[derive(Default)]
struct Told {
    /// The elements of what is allocated.
    memory: FxHashMap<NameId, Scalar>,
    /// The dimensions of what is realized.
    ranks: FxHashMap<NameId, usize>,
}

impl Told {
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Allocate { name, ty, .. } => {
                    self.memory.entry(*name).or_insert(ty.scalar);
                }
                StmtKind::Realize { name, bounds, .. } => {
                    self.ranks.entry(*name).or_insert(bounds.len());
                }
                StmtKind::Let { .. }
                | StmtKind::For { .. }
                | StmtKind::Assert { .. }
                | StmtKind::ProducerConsumer { .. }
                | StmtKind::Acquire { .. }
                | StmtKind::Store { .. }
                | StmtKind::Provide { .. }
                | StmtKind::Free(_)
                | StmtKind::Fork(_)
                | StmtKind::If { .. }
                | StmtKind::Evaluate(_)
                | StmtKind::Prefetch { .. }
                | StmtKind::Atomic { .. }
                | StmtKind::HoistedStorage { .. }
                | StmtKind::Scope(_) => {}
            }
            for_each_block(stmt, &mut |block| self.block(block));
        }
    }
}

/// Calls `visit` with the expressions that stand in a statement itself.
fn for_each_expr<'s>(stmt: &'s Stmt, visit: &mut impl FnMut(&'s Expr)) {
    match &stmt.kind {
        StmtKind::Let { value, .. } | StmtKind::Evaluate(value) => visit(value),
        StmtKind::Assert { condition, .. } | StmtKind::If { condition, .. } => visit(condition),
        StmtKind::For { min, extent, .. } => [min, extent].into_iter().for_each(visit),
        StmtKind::Store { index, value, predicate, .. } => {
            [index, value].into_iter().chain(predicate).for_each(visit);
        }
        StmtKind::Provide { args, values, predicate, .. } => {
            args.iter().chain(values).chain(predicate).for_each(visit);
        }
        StmtKind::Allocate { extents, condition, .. } => {
            extents.iter().chain(condition).for_each(visit);
        }
        StmtKind::Realize { bounds, condition, .. } => {
            let sides = bounds.iter().flat_map(|range| [&range.min, &range.extent]);
            sides.chain(condition).for_each(visit);
        }
        StmtKind::ProducerConsumer { .. }
        | StmtKind::Acquire { .. }
        | StmtKind::Free(_)
        | StmtKind::Fork(_)
        | StmtKind::Prefetch { .. }
        | StmtKind::Atomic { .. }
        | StmtKind::HoistedStorage { .. }
        | StmtKind::Scope(_) => {}
    }
}

/// Variables that nothing around binds.
#[derive(Default)]
struct Free {
    names: IndexSet<NameId>,
    bound: Vec<NameId>,
}

impl Free {
    fn block(&mut self, block: &[Stmt]) {
        let before = self.bound.len();
        for stmt in block {
            for_each_expr(stmt, &mut |expr| self.expr(expr));
            if let StmtKind::For { name, .. } = &stmt.kind {
                self.bound.push(*name);
                for_each_block(stmt, &mut |block| self.block(block));
                self.bound.pop();
                continue;
            }
            for_each_block(stmt, &mut |block| self.block(block));
            if let StmtKind::Let { name, .. } = &stmt.kind {
                self.bound.push(*name);
            }
        }
        self.bound.truncate(before);
    }

    fn expr(&mut self, expr: &Expr) {
        if let Expr::Variable { name, ty } = expr {
            let is_pointer = ty.is_some_and(|ty| matches!(ty.scalar, Scalar::Handle(_)));
            if !is_pointer && !self.bound.contains(name) {
                self.names.insert(*name);
            }
        }
        if let Expr::Let { name, value, body } = expr {
            self.expr(value);
            self.bound.push(*name);
            self.expr(body);
            self.bound.pop();
            return;
        }
        expr.for_each_operand(&mut |operand| self.expr(operand));
    }
}

/// What binds the names of a statement.
#[derive(Default)]
struct Bound<'s> {
    /// What names are bound to: different values in different places.
    values: FxHashMap<NameId, Vec<&'s Expr>>,
    /// Variables of loops.
    loops: FxHashSet<NameId>,
}

impl<'s> Bound<'s> {
    fn of(block: &'s Block) -> Self {
        let mut bound = Self::default();
        bound.block(block);
        bound
    }

    fn block(&mut self, block: &'s [Stmt]) {
        for stmt in block {
            if let StmtKind::Let { name, value } = &stmt.kind {
                self.values.entry(*name).or_default().push(value);
            }
            if let StmtKind::For { name, .. } = &stmt.kind {
                self.loops.insert(*name);
            }
            for_each_block(stmt, &mut |block| self.block(block));
        }
    }
}

/// Looks for the type of a free variable.
struct Typing<'a> {
    told: &'a Told,
    bound: &'a Bound<'a>,
    names: &'a Names,
    buffers: &'a IndexMap<String, (Scalar, usize)>,
    free: NameId,
}

/// How many names are followed to what they are bound to.
const FOLLOWED: usize = 16;

impl Typing<'_> {
    fn block(&self, block: &[Stmt]) -> Option<Scalar> {
        block.iter().find_map(|stmt| {
            let mut found = None;
            for_each_expr(stmt, &mut |expr| found = found.or_else(|| self.beside(expr)));
            for_each_block(stmt, &mut |block| found = found.or_else(|| self.block(block)));
            found
        })
    }

    /// The type of what stands beside the variable in an operator.
    fn beside(&self, expr: &Expr) -> Option<Scalar> {
        let sides: &[Expr] = if let Expr::Binary(_, operands) = expr {
            &**operands
        } else if let Expr::Select(operands) = expr {
            &operands[1..]
        } else {
            &[]
        };
        if let [a, b] = sides {
            for (one, other) in [(a, b), (b, a)] {
                if self.is_free(one)
                    && let Some(ty) = self.of(other, FOLLOWED)
                {
                    return Some(ty);
                }
            }
        }
        if let Expr::Not(operand) = expr
            && self.is_free(operand)
        {
            return Some(Scalar::UInt(1));
        }
        let mut found = None;
        expr.for_each_operand(&mut |operand| found = found.or_else(|| self.beside(operand)));
        found
    }

    /// Whether an expression is the variable, or a vector of it.
    fn is_free(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Variable { name, .. } => *name == self.free,
            Expr::Broadcast { value, .. } => self.is_free(value),
            Expr::Int(..)
            | Expr::UInt(..)
            | Expr::Float(..)
            | Expr::String(_)
            | Expr::Cast(..)
            | Expr::Reinterpret(..)
            | Expr::Binary(..)
            | Expr::Not(_)
            | Expr::Select(_)
            | Expr::Load(_)
            | Expr::Ramp { .. }
            | Expr::Call(_)
            | Expr::Let { .. }
            | Expr::Shuffle(..)
            | Expr::VectorReduce(..) => false,
        }
    }

    /// The type of an expression, where that is told.
    fn of(&self, expr: &Expr, left: usize) -> Option<Scalar> {
        match expr {
            Expr::Int(_, ty)
            | Expr::UInt(_, ty)
            | Expr::Float(_, ty)
            | Expr::Cast(ty, _)
            | Expr::Reinterpret(ty, _)
            | Expr::VectorReduce(_, ty, _) => Some(ty.scalar),
            Expr::Not(_) => Some(Scalar::UInt(1)),
            Expr::Binary(op, operands) if !op.is_comparison() => {
                operands.iter().find_map(|operand| self.of(operand, left))
            }
            Expr::Binary(..) => Some(Scalar::UInt(1)),
            Expr::Select(operands) => operands[1..].iter().find_map(|arm| self.of(arm, left)),
            Expr::Load(load) => load.ty.map(|ty| ty.scalar).or_else(|| self.element(load.name)),
            Expr::Ramp { base: value, .. }
            | Expr::Broadcast { value, .. }
            | Expr::Let { body: value, .. } => self.of(value, left),
            Expr::Shuffle(_, vectors) => vectors.first().and_then(|one| self.of(one, left)),
            Expr::Call(call) => call.ty.map(|ty| ty.scalar).or_else(|| {
                self.names.text(call.name).ends_with("_f32").then_some(Scalar::Float(32))
            }),
            Expr::Variable { name, ty } => {
                if let Some(ty) = ty {
                    return Some(ty.scalar);
                }
                if self.bound.loops.contains(name) {
                    return Some(Scalar::Int(32));
                }
                let left = left.checked_sub(1)?;
                let mut types =
                    self.bound.values.get(name)?.iter().filter_map(|value| self.of(value, left));
                let first = types.next()?;
                types.all(|ty| ty == first).then_some(first)
            }
            Expr::String(_) => None,
        }
    }

    fn element(&self, name: NameId) -> Option<Scalar> {
        let text = self.names.text(name);
        let of_caller = self.buffers.get(text).map(|(ty, _)| *ty);
        of_caller.or_else(|| self.told.memory.get(&name).copied())
    }
}
