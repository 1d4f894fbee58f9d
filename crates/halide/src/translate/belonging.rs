//! A comparison of a statement with a pipeline by names and types: it detects a statement that
//! Halide did not compile from this pipeline.

use halidom_base::{FxHashMap, FxHashSet, IndexMap, IndexSet};
use halidom_diag::{Diagnostic, FileId, Span};

use super::checks;
use super::fields::{Caller, callers, outputs, type_code};
use super::ops::stored;
use crate::dump::{self, ArgumentKind, Dump};
use crate::pipeline::{Image, ImageDim, Input, Pipeline};
use crate::tree::{BinaryOp, Block, Expr, Scalar, Stmt, StmtKind, Type};
use crate::{NameId, Names, codes};

/// The evidence that a statement was compiled from another pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The evidence.
    pub what: String,
    /// The place, in bytes of the statement's text.
    pub at: usize,
}

impl Mismatch {
    /// The mismatch as a diagnostic for users; `file` is the statement's text.
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let message = format!("the statement is not of this pipeline: {}", self.what);
        Diagnostic::error(codes::MISMATCH, Span::new(file, self.at..self.at), message).with_hint(
            "serialize the pipeline and print the statement in one run, with the same schedule",
        )
    }
}

/// Compares the funcs that a statement computes, and the buffers that it receives, with a
/// pipeline's.
///
/// # Errors
/// Returns the first mismatch.
pub fn belongs(pipeline: &Pipeline, names: &Names, block: &Block) -> Result<(), Mismatch> {
    let mut found = Found::new(names);
    found.block(block);
    let known = |name: &NameId| pipeline.funcs.iter().any(|func| func.name == *name);
    if let Some((func, at)) = found.produced.iter().find(|(func, _)| !known(func)) {
        let what = format!("it computes `{}`, which is no func of the pipeline", names.text(*func));
        return Err(Mismatch { what, at: *at });
    }
    let first = block.first().map_or(0, |stmt| stmt.at);
    for output in &pipeline.outputs {
        // A pass of the user's may have left out the marks of producers.
        if !found.produced.contains_key(output) && !found.stored.contains(output) {
            let what = format!("it does not compute the output `{}`", names.text(*output));
            return Err(Mismatch { what, at: first });
        }
    }
    let images = pipeline.images.iter().map(|image| {
        let name = names.text(image.name).to_owned();
        Caller { name, ty: image.ty.scalar, rank: image.dims.len() }
    });
    for Caller { name, ty, rank } in callers(pipeline, names).into_iter().chain(images) {
        if let Some((code, at)) = found.types.get(&(name.clone(), "type"))
            && Some(*code) != type_code(ty)
        {
            let what = format!("`{name}` has another type there");
            return Err(Mismatch { what, at: *at });
        }
        if let Some((count, at)) = found.types.get(&(name.clone(), "dimensions"))
            && *count != rank as i128
        {
            let what = format!("`{name}` has {count} dimensions there, and {rank} in the pipeline");
            return Err(Mismatch { what, at: *at });
        }
    }
    Ok(())
}

/// Compares the arrays in a statement's code with the pipeline's arrays, element by element, and
/// gives them the layout that they have in the code. It may differ: Halide reads an array of a
/// pipeline file back without gaps.
///
/// # Errors
/// Returns the first mismatch. Halide 21.0.0 causes one itself if it compiles a pipeline file with
/// an array whose first dimension is not the innermost one: it writes the elements in the order in
/// which they lie in memory, and reads them back in the order of the dimensions.
pub fn lay_out_arrays(pipeline: &mut Pipeline, names: &Names, code: &Dump) -> Result<(), Mismatch> {
    for image in &code.images {
        let name = names.text(image.name);
        let mismatch = |words: &str| Err(Mismatch { what: format!("{words} `{name}`"), at: 0 });
        let Some(own) = pipeline.images.iter_mut().find(|own| own.name == image.name) else {
            return mismatch("the pipeline has no array");
        };
        let dims = image.dims.iter().map(|dim| {
            let dump::ImageDim { min, extent, stride } = *dim;
            ImageDim { min, extent, stride }
        });
        let (dims, data) = (dims.collect(), image.bytes.clone());
        let in_code = Image { name: own.name, ty: image.ty, dims, data };
        if !own.has_elements_of(&in_code) {
            return mismatch("another type, shape or other elements than the pipeline's has");
        }
        *own = in_code;
    }
    let in_code = |name: NameId| code.images.iter().any(|image| image.name == name);
    for own in pipeline.images.iter().filter(|own| !in_code(own.name)) {
        let name = names.text(own.name);
        // A caller could pass any buffer of this name.
        if let Some(buffer) = names.find(&format!("{name}.buffer"))
            && mentions(&code.block, buffer)
        {
            return Err(Mismatch { what: format!("its code has no array `{name}`"), at: 0 });
        }
    }
    Ok(())
}

/// The pointer that a compile for the same process passes itself, so that it is no argument there.
const USER_CONTEXT: &str = "__user_context";

/// Checks that a dump's arguments are the pipeline's: each name occurs once, with the kind, the
/// type and the rank that it has in the pipeline; each output is an argument, and each input that
/// the statement mentions, but for the user's context. Their order is the author's choice.
///
/// # Errors
/// Returns the first mismatch.
pub fn takes(pipeline: &Pipeline, names: &Names, code: &Dump) -> Result<(), Mismatch> {
    let mismatch = |what: String| Err(Mismatch { what, at: 0 });
    let rank = |input: &Input| input.is_buffer.then_some(input.dimensions);
    let inputs = pipeline.inputs.iter();
    let inputs = inputs
        .map(|input| (names.text(input.name).to_owned(), (input.ty.scalar, rank(input), false)));
    let outputs: Vec<_> = outputs(pipeline, names)
        .map(|(name, scalar, rank)| (name, (scalar, Some(rank), true)))
        .collect();
    let written: Vec<String> = outputs.iter().map(|(name, _)| name.clone()).collect();
    let known: FxHashMap<String, _> = inputs.chain(outputs).collect();
    let mut taken: FxHashSet<&str> = FxHashSet::default();
    for argument in &code.arguments {
        let name = names.text(argument.name);
        if !taken.insert(name) {
            return mismatch(format!("it has two arguments `{name}`"));
        }
        // A pipeline may take what it does not use.
        let Some((scalar, rank, is_output)) = known.get(name) else { continue };
        let (own_rank, is_written) = match argument.kind {
            ArgumentKind::Scalar => (None, false),
            ArgumentKind::Input(buffer) => (Some(usize::from(buffer.dimensions)), false),
            ArgumentKind::Output(buffer) => (Some(usize::from(buffer.dimensions)), true),
        };
        let is_handle = matches!(scalar, Scalar::Handle(_));
        if own_rank != *rank
            || is_written != *is_output
            || !(is_handle || argument.ty == Type::of(*scalar))
        {
            return mismatch(format!("its argument `{name}` has another kind, type or rank"));
        }
    }
    // Callers pass the components of an output in their order.
    let places = code.arguments.iter().filter_map(|argument| {
        let name = names.text(argument.name);
        let (func, component) = name.rsplit_once('.')?;
        let is_output = written.iter().any(|own| own == name);
        Some((func, component.parse::<usize>().ok()?)).filter(|_| is_output)
    });
    let mut last: FxHashMap<&str, usize> = FxHashMap::default();
    for (func, component) in places {
        if last.insert(func, component).is_some_and(|before| before > component) {
            return mismatch(format!("its arguments for `{func}` are not in order"));
        }
    }
    // A target without assertions leaves alignments to its callers.
    let is_checked = !code.target.split('-').any(|word| word == "no_asserts");
    for argument in code.arguments.iter().filter(|_| is_checked) {
        let (ArgumentKind::Input(buffer) | ArgumentKind::Output(buffer)) = argument.kind else {
            continue;
        };
        let bytes = stored(argument.ty.scalar).ok().and_then(halidom_ir::Scalar::bytes);
        let alignment = u64::from(buffer.host_alignment);
        if alignment > bytes.unwrap_or(1) as u64
            && !aligns(names, &code.block, argument.name, alignment)
        {
            let name = names.text(argument.name);
            return mismatch(format!(
                "it relies on an alignment of `{name}` and does not check it"
            ));
        }
    }
    let is_used = |name: &str| {
        let found = names.find(name).into_iter().chain(names.find(&format!("{name}.buffer")));
        found.into_iter().any(|name| mentions(&code.block, name))
    };
    let reads = pipeline.inputs.iter().map(|input| names.text(input.name));
    let reads = reads.filter(|name| *name != USER_CONTEXT);
    let missing = written.iter().map(String::as_str).chain(reads.filter(|name| is_used(name)));
    match missing.into_iter().find(|name| !taken.contains(name)) {
        Some(name) => mismatch(format!("it has no argument `{name}`")),
        None => Ok(()),
    }
}

/// Tests whether one of the first assertions is that the elements of a buffer begin at a multiple
/// of so many bytes.
fn aligns(names: &Names, block: &[Stmt], buffer: NameId, bytes: u64) -> bool {
    checks::first(names, block).into_iter().any(|condition| {
        if let Expr::Binary(BinaryOp::Eq, operands) = condition
            && let [Expr::Binary(BinaryOp::Mod, operands), Expr::UInt(0, _)] = &**operands
            && let [Expr::Reinterpret(_, pointer), Expr::UInt(by, _)] = &**operands
        {
            matches!(&**pointer, Expr::Variable { name, ty: _ } if *name == buffer)
                && by.is_multiple_of(bytes)
        } else {
            false
        }
    })
}

/// Tests whether a statement has a variable with a name.
fn mentions(block: &[Stmt], name: NameId) -> bool {
    fn in_expr(expr: &Expr, name: NameId) -> bool {
        let mut found = matches!(expr, Expr::Variable { name: own, ty: _ } if *own == name);
        expr.for_each_operand(&mut |operand| found = found || in_expr(operand, name));
        found
    }
    block.iter().any(|stmt| {
        let mut found = false;
        stmt.for_each_expr(&mut |expr| found = found || in_expr(expr, name));
        stmt.for_each_block(&mut |block| found = found || mentions(block, name));
        found
    })
}

/// The funcs and buffers that a statement mentions, with their places.
pub(super) struct Found<'n> {
    names: &'n Names,
    /// The funcs that the statement computes.
    pub(super) produced: IndexMap<NameId, usize>,
    /// The memory that the statement writes.
    pub(super) stored: IndexSet<NameId>,
    /// The code of the type, or the number of dimensions, by the buffer's name and the field.
    pub(super) types: IndexMap<(String, &'static str), (i128, usize)>,
}

impl<'n> Found<'n> {
    pub(super) fn new(names: &'n Names) -> Self {
        Self {
            names,
            produced: IndexMap::default(),
            stored: IndexSet::default(),
            types: IndexMap::default(),
        }
    }

    pub(super) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            if let StmtKind::ProducerConsumer { name, role: _, body: _ } = &stmt.kind {
                self.produced.entry(*name).or_insert(stmt.at);
            }
            if let StmtKind::Store { name, index: _, alignment: _, value: _, predicate: _ } =
                &stmt.kind
            {
                self.stored.insert(*name);
            }
            if let StmtKind::Assert { condition: Expr::Binary(_, operands), message: _ } =
                &stmt.kind
            {
                self.check(operands, stmt.at);
            }
            stmt.for_each_block(&mut |block| self.block(block));
        }
    }

    /// Notes a check `NAME.type == CODE` or `NAME.dimensions == NUMBER`.
    fn check(&mut self, [left, right]: &[Expr; 2], at: usize) {
        let Expr::Variable { name, ty: _ } = left else { return };
        let value = if let Expr::Int(value, _) = right {
            i128::from(*value)
        } else if let Expr::UInt(value, _) = right {
            i128::from(*value)
        } else {
            return;
        };
        let text = self.names.text(*name);
        for field in ["type", "dimensions"] {
            if let Some(buffer) = text.strip_suffix(field).and_then(|rest| rest.strip_suffix('.')) {
                self.types.entry((buffer.to_owned(), field)).or_insert((value, at));
            }
        }
    }
}
