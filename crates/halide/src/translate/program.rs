//! Translates a final statement of Halide's compiler to a program of `ir`.
//!
//! # Correctness
//! The translation assumes a caller whose buffers are on the host and no bounds queries, and whose
//! pointers are not null ([`super::pointers`]). Assertions before any work are entry checks, others
//! are obligations ([`super::assertions`]). Statements keep their meaning
//! ([`super::statements`]). An allocation becomes a buffer of its func, with the extents that the
//! statement gives
//! ([`super::memory`]). Output buffers are exactly their windows.

use halidom_base::FxHashSet;
use halidom_ir::{
    BufferDecl, BufferKind, Dim, Expr as IrExpr, Output, Pool, Program, Stmt as IrStmt, StoreIn,
    verify::{self, Phase},
};

use super::algorithm::{Source, bind_shape, bind_signature, caller_dims};
use super::contract::{Contract, computes, names_function};
use super::error::{Result, UNHELD, unsupported};
use super::fields::callers;
use super::holdings::Held;
use super::intrinsics::{REQUIRE, calls};
use super::marks::Marked;
use super::nodes::{Binding, Buffer};
use super::note::Note;
use super::ops::{Beyond, Value, stored};
use super::settings::{Departures, Family, Settings};
use super::walk::Walk;
use super::{
    aliases, alignment, checks, closed_work, components, debugging, failures, folds, intrinsics,
    kept_components, own_names, profiling, rounding, scopes,
};
use crate::parts::for_each_stmt;
use crate::pipeline::Pipeline;
use crate::tree::{self, BinaryOp, Block, Expr, Stmt, StmtKind};
use crate::{Condition, NameId, Names};

/// A program, with notes on the parts that its translation left out.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program. Its ids belong to the source's pool.
    pub program: Program,
    /// The omitted parts, in words; none of them influences values.
    pub notes: Vec<Note>,
    /// True if the target has assertions at entry; without them a statement relies on callers.
    pub checked: bool,
    /// The contents of its annotations, if it has any.
    pub marked: Marked,
    /// The conditions that it rests on beyond its own checks.
    pub contract: Contract,
}

/// Translates the final statement that Halide compiled from a pipeline, for callers that keep to
/// the given assumptions ([`super::assumption`]).
///
/// # Errors
/// Returns an error that names the construct that has no translation.
pub fn program(
    source: &mut Source,
    pipeline: &Pipeline,
    names: &Names,
    stated: (&Block, &[Expr]),
) -> Result<Compiled> {
    not_by_floats(source, names, stated.0)?;
    without_own_floats(translated(source, pipeline, (names, true), stated)?)
}

/// Translates the statement after a pass of Halide's compiler, like [`program`]. Later passes may
/// still vectorize and unroll loops, and insert barriers between loops over threads.
pub fn between_passes(
    source: &mut Source,
    pipeline: &Pipeline,
    names: &Names,
    block: &Block,
) -> Result<Compiled> {
    not_by_floats(source, names, block)?;
    without_own_floats(translated(source, pipeline, (names, false), (block, &[]))?)
}

/// Translates a final statement to choose inputs for runs of its code, like [`program`]. It accepts
/// a statement with [`PLACES_BY_FLOATS`] and one with floats of its own, so the result must not be
/// judged.
pub fn for_runs(
    source: &mut Source,
    pipeline: &Pipeline,
    names: &Names,
    stated: (&Block, &[Expr]),
) -> Result<Compiled> {
    translated(source, pipeline, (names, true), stated)
}

/// The construct that [`for_runs`] accepts and [`program`] refuses.
pub const PLACES_BY_FLOATS: &str =
    "a place decided by a float that is strict in the pipeline but not in the statement";

/// Refuses a statement with [`PLACES_BY_FLOATS`].
fn not_by_floats(source: &Source, names: &Names, block: &Block) -> Result<()> {
    let params = source.params.iter().map(|(name, _, scalar)| (*name, *scalar));
    if !source.settings.strict_float
        && rounding::decide_places(names, block, params, source.has_strict_floats)
    {
        return unsupported(PLACES_BY_FLOATS);
    }
    Ok(())
}

/// Refuses a statement that has operators on floats which are not strict, where the pipeline has
/// none: the condition that they may be regrouped comes from the pipeline.
fn without_own_floats(compiled: Compiled) -> Result<Compiled> {
    if compiled.contract.has_own_floats {
        return unsupported("a float operator that is not strict, in a pipeline without any");
    }
    Ok(compiled)
}

fn translated(
    source: &mut Source,
    pipeline: &Pipeline,
    (names, is_final): (&Names, bool),
    (block, assumed): (&Block, &[Expr]),
) -> Result<Compiled> {
    let mut visible = source.params.iter().map(|(name, ..)| *name).collect();
    callers_structs(pipeline, names, &mut visible);
    if is_final && let Some(name) = scopes::rebound(block, &mut visible) {
        let name = names.text(name);
        return unsupported(format!("a statement that binds `{name}` where it is visible already"));
    }
    if is_final {
        failures::speak(names, block)?;
        own_names::check_bound(pipeline, names, block)?;
    }
    // Some numbers are read where they stand, such as those in a call.
    let mut held = true;
    for_each_stmt(block, &mut |stmt| {
        stmt.for_each_expr(&mut |expr| expr.for_each_part(&mut |part| held &= part.is_held()));
    });
    if !held {
        return unsupported(UNHELD);
    }
    let has_requires = requires(source, names, block)?;
    let mut pool = std::mem::take(&mut source.pool);
    let mut walk = Walk::new(source, pipeline, names);
    walk.is_final = is_final;
    let stripped = profiling::without(names, block);
    if stripped.is_some() {
        walk.note("not judged: what the profiler measures");
    }
    let block = stripped.as_ref().unwrap_or(block);
    let written = debugging::without(names, pipeline, block);
    if written.is_some() {
        walk.note("not judged: what is written to files (`debug_to_file`)");
    }
    let block = written.as_ref().unwrap_or(block);
    let checked = folds::without(names, pipeline, block);
    if checked.is_some() {
        walk.note("not judged: checks of folds during a run; one that fails ends it with an error");
    }
    if has_requires {
        walk.contract.others.insert(Condition::Requirements);
    }
    if is_final && alignment::is_taken_for_granted(names, pipeline, block) {
        walk.contract.others.insert(Condition::AlignedOutputs);
    }
    let block = checked.as_ref().unwrap_or(block);
    if is_final && !walk.source.settings.no_asserts {
        let open = checks::open(names, block, &callers(pipeline, names));
        walk.holdings.extend(open.into_iter().map(|name| (name, Held::OPEN)));
    }
    let result = match is_final.then(|| as_compiled(walk.source, pipeline, names, block)) {
        Some(Err(what)) => Err(what),
        Some(Ok(())) | None => walk.run(&mut pool, block, assumed),
    };
    source.pool = pool;
    let compiled = result?;
    match verify::program(&source.pool, &compiled.program, Phase::Final) {
        Ok(()) => Ok(compiled),
        Err(violations) => {
            let rules: Vec<String> = violations.iter().take(3).map(ToString::to_string).collect();
            unsupported(format!(
                "a statement whose translation breaks rules of programs ({})",
                rules.join("; ")
            ))
        }
    }
}

/// Refuses a statement whose code does something else than the statement says.
fn as_compiled(source: &Source, pipeline: &Pipeline, names: &Names, block: &Block) -> Result<()> {
    components::alike(names, pipeline, block, !source.settings.no_asserts)?;
    if !source.settings.no_asserts
        && let Some(what) = checks::unchecked(names, block, &callers(pipeline, names))
    {
        return unsupported(what);
    }
    if let Some(name) = aliases::by_descending_constants(block) {
        let name = names.text(name);
        return unsupported(format!(
            "an access of `{name}` at constants that descend, beside another access"
        ));
    }
    let is_strict = source.has_strict_floats || source.settings.strict_float;
    if source.settings.forgets_strict && is_strict {
        return unsupported("code of a strict pipeline that is compiled as if it were not strict");
    }
    Ok(())
}

/// Adds the names of the structs of the caller's buffers and of the pipeline's arrays.
fn callers_structs(pipeline: &Pipeline, names: &Names, found: &mut FxHashSet<NameId>) {
    let mut add = |name: &str| found.extend(names.find(&format!("{name}.buffer")));
    for input in pipeline.inputs.iter().filter(|input| input.is_buffer) {
        add(names.text(input.name));
    }
    pipeline.images.iter().for_each(|image| add(names.text(image.name)));
    for func in pipeline.funcs.iter().filter(|func| pipeline.outputs.contains(&func.name)) {
        let name = names.text(func.name);
        add(name);
        (0..func.types.len()).for_each(|component| add(&format!("{name}.{component}")));
    }
}

/// Tests whether the value of a name is used, and not only for a name whose value is not.
fn is_used(block: &[Stmt], name: NameId) -> bool {
    let mut names = FxHashSet::from_iter([name]);
    let reads = |expr: &Expr, names: &FxHashSet<NameId>| {
        let mut found = false;
        expr.for_each_part(&mut |part| {
            found |= matches!(part, Expr::Variable { name, ty: _ } if names.contains(name));
        });
        found
    };
    let mut used = false;
    // A name is bound before it is used.
    for_each_stmt(block, &mut |stmt| {
        if let StmtKind::Let { name, value } = &stmt.kind {
            if reads(value, &names) {
                names.insert(*name);
            }
            return;
        }
        stmt.for_each_expr(&mut |expr| used |= reads(expr, &names));
    });
    used
}

/// Tests whether a statement has a `require`: then the verdict rests on
/// [`Condition::Requirements`], as only the values of `require`s are compared. Refuses one if no
/// definition has any, and one whose value is plainly not used.
fn requires(source: &Source, names: &Names, block: &[Stmt]) -> Result<bool> {
    let has_one = |expr: &Expr| calls(names, expr, &|name| name == REQUIRE);
    let (mut found, mut drops, mut bound) = (false, false, Vec::new());
    for_each_stmt(block, &mut |stmt| {
        if let StmtKind::Let { name, value } = &stmt.kind
            && has_one(value)
        {
            bound.push(*name);
        }
        stmt.for_each_expr(&mut |expr| {
            found |= has_one(expr);
            expr.for_each_part(&mut |part| {
                if let Expr::Binary(BinaryOp::Mul, operands) = part {
                    let is_zero =
                        |operand: &Expr| matches!(operand, Expr::Int(0, _) | Expr::UInt(0, _));
                    drops |= operands.iter().any(is_zero) && operands.iter().any(has_one);
                }
                if let Expr::Call(call) = part {
                    drops |= names.text(call.name) == "return_second"
                        && call.args.first().is_some_and(has_one);
                }
                if let Expr::Let { name, value, body: _ } = part
                    && has_one(value)
                {
                    bound.push(*name);
                }
            });
        });
    });
    if found && !source.has_requires {
        return unsupported("a `require` that no definition of the pipeline has");
    }
    let unused = bound.iter().any(|name| !is_used(block, *name));
    if unused || drops {
        return unsupported("a `require` whose value is not used");
    }
    Ok(found)
}

impl Walk<'_> {
    fn run(&mut self, pool: &mut Pool, block: &Block, assumed: &[Expr]) -> Result<Compiled> {
        bind_signature(&mut self.nodes, pool, self.source)?;
        self.nodes.repeated = self.repeated_inputs(pool, block);
        for (name, buffer) in &self.source.inputs {
            let decl = pool.buffer(*buffer);
            let ty = self.source.types[&decl.func][0];
            let buffer = Buffer { id: *buffer, ty, dims: decl.dims.clone() };
            self.nodes.buffers.insert(*name, buffer);
            self.callers.insert(*name);
        }
        let mut outputs = Vec::new();
        for name in &self.pipeline.outputs {
            outputs.push(self.output(pool, *name)?);
        }
        self.outputs = outputs.iter().flat_map(|output| output.buffers.clone()).collect();
        if !self.is_final {
            // Before a pass takes buffers apart, nothing binds these names.
            let mut callers: Vec<NameId> = self.callers.iter().copied().collect();
            callers.sort_unstable();
            for name in callers {
                self.nodes.bind(name, Binding::Host(name));
            }
        }
        self.nodes.named.clone_from(&self.source.named);
        self.nodes.named.is_whole = true;
        // A dump has exact floats; six digits in a text may denote a float of the pipeline.
        if !tree::is_lossless(block) {
            for stage in self.pipeline.funcs.iter().flat_map(crate::pipeline::Func::stages) {
                let exprs = stage.values.iter().chain(&stage.args).chain([&stage.predicate]);
                exprs.for_each(|expr| self.nodes.know_floats(expr));
            }
            for func in &self.source.algorithm.funcs {
                let stages = pool.func(*func).stages();
                for value in stages.iter().flat_map(|stage| &stage.values) {
                    self.nodes.know_folded(pool, *value);
                }
            }
        }
        if self.is_final {
            let Settings { machine, strict_float, .. } = self.source.settings;
            if machine.family == Family::Unknown {
                return unsupported("a target whose code generator is not known here");
            }
            self.nodes.departures = Some(Departures::on(machine, strict_float));
        }
        self.know_signature(pool);
        self.know_extern_scalars(pool);
        let mut parts = self.assumed(pool, assumed)?;
        parts.extend(self.caller(pool, &outputs));
        parts.extend(self.bounded(pool, &outputs));
        parts.extend(self.before(pool)?);
        self.note_single(pool, &outputs);
        let checked = !self.source.settings.no_asserts;
        if !checked {
            parts.extend(self.unchecked(pool, &outputs)?);
            parts.extend(self.tails(pool, &outputs)?);
        }
        let body = self.block(pool, block)?;
        self.given_back()?;
        let body = kept_components::stored(pool, body, (self.source, &self.outputs));
        parts.append(&mut self.of_stages);
        parts.append(&mut self.hoisted);
        parts.extend(closed_work::checks_after(pool, body, &self.late));
        let known = [&parts[..], &[body]].concat();
        parts.extend(self.domains(pool, &known));
        parts.push(body);
        let body = pool.stmt(IrStmt::Block(parts));
        for (digits, exact) in &self.nodes.taken {
            let words = format!("trusted: the float {digits} is the pipeline's {exact:?}");
            self.notes.push(Note::Digits(words));
        }
        for digits in &self.nodes.rounded {
            let words =
                format!("trusted: the float {digits} is the one that is next to its six digits");
            self.notes.push(Note::Digits(words));
        }
        let program = Program {
            name: self.source.algorithm.name.clone(),
            params: self.source.algorithm.params.clone(),
            inputs: self.given_buffers(),
            outputs,
            body,
        };
        let mut marked = std::mem::take(&mut self.marked);
        marked.loads = std::mem::take(&mut self.memo.loads);
        let mut contract = std::mem::take(&mut self.contract);
        contract.widths = std::mem::take(&mut self.memo.widths);
        contract.specified.clone_from(&self.source.widths);
        contract.others.extend(computes(pool, &self.source.algorithm, &self.source.widths));
        self.beyond(pool, &mut contract)?;
        contract.checks_memory = !self.source.settings.large_buffers;
        // A strict pipeline's statement may have lost a strict operator: LLVM sees the statement.
        let departures = self.nodes.departures;
        let is = |test: fn(&Departures) -> bool| departures.as_ref().is_some_and(test);
        let is_plain = self.nodes.has_plain_floats && !self.source.settings.strict_float
            || is(|of| of.is_plain);
        if is(|of| of.negates) {
            contract.others.insert(Condition::ValuesWrap);
        }
        if is(|of| of.calls_own) {
            contract.others.insert(Condition::NamedFunctions);
        }
        if pool.functions().any(|function| !intrinsics::has_no_value(&function.name)) {
            contract.others.insert(Condition::NamedFunctions);
        }
        if self.source.has_zeros && !self.source.algorithm.fast_math {
            contract.others.insert(Condition::LiteralZeros);
        }
        contract.has_own_floats = self.nodes.has_plain_floats && !self.source.has_plain_floats;
        if self.source.algorithm.fast_math || is_plain {
            contract.others.insert(Condition::Regroups);
        }
        let notes = std::mem::take(&mut self.notes);
        Ok(Compiled { program, notes, checked, marked, contract })
    }

    /// Refuses operations whose results may not be what their type holds, where the pipeline has
    /// none of the kind. Others, and sums of signed values, are named as conditions.
    fn beyond(&self, pool: &Pool, contract: &mut Contract) -> Result<()> {
        let is_beyond = |kind| contract.widths.beyond.contains(&kind);
        let may_fit = contract.others.contains(&Condition::ConversionsFit);
        let may_wrap = contract.others.contains(&Condition::ConversionsWrap);
        let narrows = is_beyond(Beyond::Narrowing);
        if is_beyond(Beyond::Conversion) && !may_fit || narrows && !may_fit && !may_wrap {
            return unsupported("a conversion of a float that the pipeline does not make");
        }
        if is_beyond(Beyond::Shift)
            && !names_function(pool, &self.source.algorithm, intrinsics::BEYOND)
        {
            return unsupported("a shift by the width or more, which the pipeline does not make");
        }
        let sums = is_beyond(Beyond::Sum).then_some(Condition::ValuesWrap);
        // Halide makes one conversion of two of the pipeline's.
        contract.others.extend(narrows.then_some(Condition::ConversionsWrap));
        contract.others.extend(sums);
        Ok(())
    }

    /// Declares an output: one buffer for each component, all with the window's shape.
    fn output(&mut self, pool: &mut Pool, name: NameId) -> Result<Output> {
        let func = self.source.funcs[&name];
        let text = self.nodes.names.text(name).to_owned();
        let types = self.source.types[&func].clone();
        let rank = pool.func(func).rank();
        let dims = caller_dims(pool, &text, rank);
        let mut buffers = Vec::new();
        for (component, ty) in types.iter().enumerate() {
            let name = if types.len() == 1 { text.clone() } else { format!("{text}.{component}") };
            let decl = BufferDecl {
                name: name.clone(),
                scalar: stored(*ty)?,
                func,
                component,
                kind: BufferKind::Output,
                store_in: StoreIn::Auto,
                realigned: false,
                dims: dims.clone(),
            };
            let id = pool.declare_buffer(decl);
            buffers.push(id);
            let Some(name) = self.nodes.names.find(&name) else {
                return unsupported(format!(
                    "a statement that does not speak of the output `{name}`"
                ));
            };
            self.nodes.buffers.insert(name, Buffer { id, ty: *ty, dims: dims.clone() });
            self.callers.insert(name);
            bind_shape(&mut self.nodes, pool, (name, *ty), &dims)?;
        }
        self.bind_region(pool, name, &dims);
        let variable = |id| {
            let expr: &IrExpr = pool.get(id);
            if let IrExpr::Var(var) = expr { Some(*var) } else { None }
        };
        let window =
            dims.iter().filter_map(|dim| Some((variable(dim.min)?, variable(dim.extent)?)));
        let window = window.collect();
        Ok(Output { func, buffers, window })
    }

    /// Binds `OUTPUT.sK.VAR.min` and `.max`, which an early statement uses before a pass defines
    /// them, to the ends of the window.
    fn bind_region(&mut self, pool: &mut Pool, name: NameId, dims: &[Dim]) {
        let names = self.nodes.names;
        let Some(func) = self.pipeline.funcs.iter().find(|func| func.name == name) else { return };
        for stage in 0..=func.updates.len() {
            for (arg, dim) in func.args.iter().zip(dims) {
                let place = format!("{}.s{stage}.{}", names.text(name), names.text(*arg));
                let one = pool.int(1);
                let end = pool.add(dim.min, dim.extent);
                let last = pool.sub(end, one);
                for (part, id) in [("min", dim.min), ("max", last)] {
                    if let Some(name) = names.find(&format!("{place}.{part}")) {
                        let node = self.nodes.value(Value { id, ty: tree::Scalar::Int(32) });
                        self.nodes.bind(name, Binding::Node(node));
                    }
                }
            }
        }
    }
}
