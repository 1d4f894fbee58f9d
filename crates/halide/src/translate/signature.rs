//! Reconstructs the signature of a pipeline from a dump, if the pipeline itself is not at hand: its
//! inputs, outputs and parameters, and the funcs that it computes, but not their definitions.
//!
//! # Correctness
//! The types and dimensions of the caller's buffers are the ones that the statement's own
//! assertions demand. A buffer is an output if the statement computes it. The types of funcs come
//! from the allocations of their memory. A parameter has the type of the other operand of an
//! operator in which it occurs. Anything that these do not determine is refused, except that a func
//! without a `realize` in the dump gets rank 1.

use halidom_base::{FxHashMap, FxHashSet, IndexMap, IndexSet};

use super::belonging::Found;
use super::error::{Result, unsupported};
use super::fields::type_code;
use crate::pipeline::{Func, FuncSchedule, Input, LoopLevel, Pipeline};
use crate::text::Pass;
use crate::tree::{Block, Expr, Scalar, Stmt, StmtKind, Type};
use crate::{NameId, Names};

/// The pass whose statement goes to the code generators.
const FINAL_PASS: &str = "final simplification";

/// The inputs, outputs and funcs of a dump's pipeline. No func has a definition;
/// [`super::declared`] makes a source of the result.
///
/// # Errors
/// Returns an error for a part of the signature that the dump does not determine.
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
    // Later statements have intrinsics, whose types a text omits.
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

/// The types of the buffers of a func, and their rank. Their names are `NAME`, or `NAME.0`,
/// `NAME.1`, ….
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

/// The types of a func's components, from the allocations of its memory.
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
    let (init, updates, external, debug_file) = (None, Vec::new(), None, String::new());
    Func { name, types, args, schedule, init, updates, external, debug_file }
}

/// The type of one lane, from the number in an assertion.
fn scalar_of(code: i128) -> Option<Scalar> {
    let widths = [8, 16, 32, 64];
    let integers = widths.into_iter().flat_map(|bits| [Scalar::Int(bits), Scalar::UInt(bits)]);
    let floats = [16, 32, 64].map(Scalar::Float);
    let mut all = integers.chain(floats).chain([Scalar::UInt(1)]);
    all.find(|ty| type_code(*ty) == Some(code))
}

/// The facts about memory that the statements of a dump record.
#[derive(Default)]
struct Told {
    /// The element types of allocations.
    memory: FxHashMap<NameId, Scalar>,
    /// The ranks of realizations.
    ranks: FxHashMap<NameId, usize>,
}

impl Told {
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            if let StmtKind::Allocate {
                name,
                ty,
                extents: _,
                padding: _,
                memory: _,
                condition: _,
                new: _,
                free: _,
            } = &stmt.kind
            {
                self.memory.entry(*name).or_insert(ty.scalar);
            }
            if let StmtKind::Realize { name, bounds, memory: _, condition: _, body: _ } = &stmt.kind
            {
                self.ranks.entry(*name).or_insert(bounds.len());
            }
            stmt.for_each_block(&mut |block| self.block(block));
        }
    }
}

/// The free variables of a statement.
#[derive(Default)]
struct Free {
    names: IndexSet<NameId>,
    bound: Vec<NameId>,
}

impl Free {
    fn block(&mut self, block: &[Stmt]) {
        let before = self.bound.len();
        for stmt in block {
            stmt.for_each_expr(&mut |expr| self.expr(expr));
            if let StmtKind::For { name, min: _, extent: _, kind: _, device: _, body: _ } =
                &stmt.kind
            {
                self.bound.push(*name);
                stmt.for_each_block(&mut |block| self.block(block));
                self.bound.pop();
                continue;
            }
            stmt.for_each_block(&mut |block| self.block(block));
            if let StmtKind::Let { name, value: _ } = &stmt.kind {
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

/// The bindings of the names of a statement.
#[derive(Default)]
struct Bound<'s> {
    /// The values of names; one name may have several values, in different places.
    values: FxHashMap<NameId, Vec<&'s Expr>>,
    /// The variables of loops.
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
            if let StmtKind::For { name, min: _, extent: _, kind: _, device: _, body: _ } =
                &stmt.kind
            {
                self.loops.insert(*name);
            }
            stmt.for_each_block(&mut |block| self.block(block));
        }
    }
}

/// Finds the type of a free variable.
struct Typing<'a> {
    told: &'a Told,
    bound: &'a Bound<'a>,
    names: &'a Names,
    buffers: &'a IndexMap<String, (Scalar, usize)>,
    free: NameId,
}

/// The greatest number of names that are followed to their values.
const FOLLOWED: usize = 16;

impl Typing<'_> {
    fn block(&self, block: &[Stmt]) -> Option<Scalar> {
        block.iter().find_map(|stmt| {
            let mut found = None;
            stmt.for_each_expr(&mut |expr| found = found.or_else(|| self.beside(expr)));
            stmt.for_each_block(&mut |block| found = found.or_else(|| self.block(block)));
            found
        })
    }

    /// The type of the other operand, where the variable is an operand of an operator.
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

    /// Tests whether an expression is the variable, or a broadcast of it.
    fn is_free(&self, expr: &Expr) -> bool {
        if let Expr::Variable { name, ty: _ } = expr {
            *name == self.free
        } else if let Expr::Broadcast { value, lanes: _ } = expr {
            self.is_free(value)
        } else {
            false
        }
    }

    /// The type of an expression, where it can be determined.
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
            Expr::Binary(_, _) => Some(Scalar::UInt(1)),
            Expr::Select(operands) => operands[1..].iter().find_map(|arm| self.of(arm, left)),
            Expr::Load(load) => load.ty.map(|ty| ty.scalar).or_else(|| self.element(load.name)),
            Expr::Ramp { base: value, stride: _, lanes: _ }
            | Expr::Broadcast { value, lanes: _ }
            | Expr::Let { name: _, value: _, body: value } => self.of(value, left),
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
