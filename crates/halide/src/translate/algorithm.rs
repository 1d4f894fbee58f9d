//! Translates the algorithm of a pipeline file to one of `ir`.
//!
//! # Correctness
//! A func of Halide becomes a func of `ir`: one pure stage, updates over reduction domains with the
//! first variable innermost, a predicate. A specialization only affects the schedule: its
//! definition must equal the stage's. A `require` of the pipeline becomes a requirement of the
//! algorithm. An array that is part of the pipeline becomes an input: what is proved for every
//! array holds for this one, and a run binds the array itself. Halide may regroup floats unless it
//! is told otherwise, and a pipeline file does not record that setting. A pipeline with floats is
//! therefore `fast_math`, unless its definitions have strict operators or the target is strict
//! ([`Source::set`]). The statement has no influence on this.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{
    Algorithm, Array, BufferDecl, BufferId, BufferKind, Constant, Dim, Expr as IrExpr, ExprId,
    FuncDecl, FuncId, FuncKind, Overflow, Pool, ReductionVar, Require, Scalar, Stage, StoreIn,
    Type, VarId,
};

use super::error::{Result, unsupported};
use super::extern_stages::{self, ExternStage};
use super::fields::fixed_field;
use super::intrinsics::{Named, REQUIRE, calls};
use super::keys::is_memoized;
use super::lanes::{Lowering, Memo};
use super::nodes::{Binding, Nodes};
use super::ops::{Value, Widths, is_half, stored};
use super::own_names;
use super::settings::Settings;
use crate::pipeline::{Definition, Func, Image, Input, Pipeline};
use crate::tree::{self, Call, CallKind, Expr};
use crate::{NameId, Names, text};

/// An algorithm of `ir`, with the meanings of the pipeline file's names.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug)]
pub struct Source {
    /// The owner of all expressions and declarations.
    pub pool: Pool,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Funcs and inputs by name.
    pub(super) funcs: FxHashMap<NameId, FuncId>,
    /// The memory of inputs.
    pub(super) inputs: Vec<(NameId, BufferId)>,
    /// Scalar parameters.
    pub(super) params: Vec<(NameId, VarId, tree::Scalar)>,
    /// The types of each func's components in Halide.
    pub(super) types: FxHashMap<FuncId, Vec<tree::Scalar>>,
    /// Funcs whose stages are numbered from the second, because the first one gives no values.
    pub(super) skipped: FxHashSet<FuncId>,
    /// Outputs with one more stage, the first: it gives the contents from before the run.
    pub(crate) filled: FxHashSet<FuncId>,
    /// The reduction domains of the pipeline as written, before any directive changed it, for the
    /// funcs that its outputs are computed from.
    pub(super) domains: Vec<DomainExtent>,
    /// The widths of the pipeline's own `int`s, which do not overflow.
    pub(super) widths: Widths,
    /// The contents of outputs before a run, where a first stage keeps them.
    pub(super) priors: Vec<Prior>,
    /// Functions that the pipeline only names, and its parameters that are pointers.
    pub(super) named: Named,
    /// The funcs that extern functions compute.
    pub(super) externs: Vec<ExternStage>,
    /// The copies of funcs that are kept between runs.
    pub(super) memos: FxHashMap<NameId, FuncId>,
    /// True if a definition has an operator on floats that is not strict.
    pub(super) has_plain_floats: bool,
    /// True if a definition has a literal zero that is a float.
    pub(super) has_zeros: bool,
    /// True if a definition has a `require`.
    pub(super) has_requires: bool,
    /// True if a definition has a strict operator, such as those that `strict_float(…)` makes.
    pub(super) has_strict_floats: bool,
    /// The settings of the target and of the callers' contract.
    pub(super) settings: Settings,
}

/// The contents of an output before a run, as an input: a first stage of `undef` stores nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prior {
    /// The output.
    pub(super) output: NameId,
    pub(super) component: usize,
    /// The memory of the input.
    pub(super) buffer: BufferId,
}

/// The extent of a reduction variable.
#[derive(Clone, Debug)]
pub(super) struct DomainExtent {
    pub(super) func: FuncId,
    /// The number of its stage in `ir`.
    pub(super) stage: usize,
    pub(super) extent: Expr,
}

/// Translates the algorithm of a pipeline file.
///
/// # Errors
/// Returns an error that names the construct that has no translation.
pub fn algorithm(pipeline: &Pipeline, names: &Names) -> Result<Source> {
    Translation::new(pipeline, Pool::new(), names).run(&Signature::default())
}

/// Translates the algorithm of a pipeline file for a compiler that keeps no values between runs.
///
/// # Errors
/// Returns an error that names the construct that has no translation.
pub fn definitions(pipeline: &Pipeline, names: &Names) -> Result<Source> {
    let mut translation = Translation::new(pipeline, Pool::new(), names);
    translation.has_cache = false;
    translation.run(&Signature::default())
}

/// Translates the algorithm of a pipeline file that computes the same as one that was translated
/// before, with other funcs. The result shares the inputs and parameters of `before`, and its pool
/// extends that one.
///
/// # Errors
/// Returns an error that names the construct that has no translation.
pub fn rewriting(before: &Source, pipeline: &Pipeline, names: &Names) -> Result<Source> {
    let pool = before.pool.clone();
    let source = Translation::new(pipeline, pool, names).run(&before.signature())?;
    // Invariant: nothing is assumed about domains that a directive makes.
    Ok(Source { domains: before.domains.clone(), ..source })
}

/// Makes a source in which no func has a definition, from the declarations that
/// [`super::signature`] finds. Statements can be translated with it and run, but it cannot serve as
/// a specification.
///
/// # Errors
/// Returns an error that names the construct that has no translation.
pub fn declared(pipeline: &Pipeline, names: &Names) -> Result<Source> {
    Translation::new(pipeline, Pool::new(), names).declare()
}

/// Inputs and parameters by name.
#[derive(Default)]
pub(super) struct Signature {
    inputs: FxHashMap<NameId, (FuncId, BufferId, tree::Scalar)>,
    params: FxHashMap<NameId, (VarId, tree::Scalar)>,
    priors: Vec<Prior>,
    externs: Vec<ExternStage>,
}

impl Source {
    fn empty() -> Self {
        Self {
            pool: Pool::new(),
            algorithm: Algorithm {
                name: String::new(),
                params: Vec::new(),
                inputs: Vec::new(),
                funcs: Vec::new(),
                outputs: Vec::new(),
                requires: Vec::new(),
                fast_math: false,
            },
            funcs: FxHashMap::default(),
            inputs: Vec::new(),
            params: Vec::new(),
            types: FxHashMap::default(),
            skipped: FxHashSet::default(),
            filled: FxHashSet::default(),
            domains: Vec::new(),
            widths: Widths::default(),
            priors: Vec::new(),
            named: Named::default(),
            externs: Vec::new(),
            memos: FxHashMap::default(),
            has_plain_floats: false,
            has_zeros: false,
            has_requires: false,
            has_strict_floats: false,
            settings: Settings::default(),
        }
    }

    /// Applies the settings of the target and the contract.
    pub fn set(&mut self, settings: Settings) {
        self.algorithm.fast_math &= !settings.strict_float;
        self.settings = settings;
    }

    /// The settings of the target and the contract.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Tests whether Halide may regroup some floats. A pipeline may have strict operators besides
    /// others; it is not `fast_math` then, but floats that are near refute nothing.
    pub fn may_regroup(&self) -> bool {
        self.algorithm.fast_math || (self.has_plain_floats && !self.settings.strict_float)
    }

    fn signature(&self) -> Signature {
        let input = |(name, buffer): &(NameId, BufferId)| {
            let func = self.pool.buffer(*buffer).func;
            (*name, (func, *buffer, self.types[&func][0]))
        };
        let param = |(name, var, ty): &(NameId, VarId, tree::Scalar)| (*name, (*var, *ty));
        Signature {
            inputs: self.inputs.iter().map(input).collect(),
            params: self.params.iter().map(param).collect(),
            priors: self.priors.clone(),
            externs: self.externs.clone(),
        }
    }

    /// The input that stands for the contents of an output before a run, if a run keeps some of
    /// them.
    pub fn before(&self, output: FuncId, component: usize) -> Option<FuncId> {
        let prior = self.priors.iter().find(|prior| {
            prior.component == component && self.funcs.get(&prior.output) == Some(&output)
        });
        prior.map(|prior| self.pool.buffer(prior.buffer).func)
    }

    fn declare_input(
        &mut self,
        name: NameId,
        (func, buffer, ty): (FuncId, BufferId, tree::Scalar),
    ) {
        self.funcs.insert(name, func);
        self.inputs.push((name, buffer));
        self.types.insert(func, vec![ty]);
        self.algorithm.inputs.push(func);
    }
}

pub(super) struct Translation<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) pool: Pool,
    pub(super) nodes: Nodes<'a>,
    pub(super) widths: Widths,
    /// Names in the present stage that mean `undef`.
    pub(super) undefined: FxHashSet<NameId>,
    /// True if memoized funcs are read through what a cache gives.
    has_cache: bool,
    /// True in the first stage of a func.
    pub(super) is_first: bool,
}

/// The dimensions of a caller's buffer, as variables named after it.
pub(super) fn caller_dims(pool: &mut Pool, name: &str, rank: usize) -> Vec<Dim> {
    let dim = |dim| {
        let [min, extent, stride] = ["min", "extent", "stride"].map(|part| {
            let var = pool.declare_var(format!("{name}.{part}.{dim}"), Type::INT);
            pool.var_expr(var)
        });
        Dim::new(min, extent, stride)
    };
    (0..rank).map(dim).collect()
}

/// Binds the names of the parameters and of the shapes of the inputs.
pub(super) fn bind_signature(
    nodes: &mut Nodes<'_>,
    pool: &mut Pool,
    source: &Source,
) -> Result<()> {
    for (name, var, ty) in &source.params {
        let value = Value { id: pool.var_expr(*var), ty: *ty };
        let node = nodes.value(value);
        nodes.bind(*name, Binding::Node(node));
    }
    for (name, buffer) in &source.inputs {
        let decl = pool.buffer(*buffer);
        let (ty, dims) = (source.types[&decl.func][0], decl.dims.clone());
        bind_shape(nodes, pool, (*name, ty), &dims)?;
    }
    Ok(())
}

/// Binds `NAME.min.0` and the other names of the fields of a caller's buffer.
pub(super) fn bind_shape(
    nodes: &mut Nodes<'_>,
    pool: &mut Pool,
    (name, ty): (NameId, tree::Scalar),
    dims: &[Dim],
) -> Result<()> {
    let text = nodes.names.text(name);
    let bind = |nodes: &mut Nodes<'_>, field: String, value: Value| {
        // A name that nothing uses has no id.
        if let Some(name) = nodes.names.find(&format!("{text}.{field}")) {
            let node = nodes.value(value);
            nodes.bind(name, Binding::Node(node));
        }
    };
    for (number, dim) in dims.iter().enumerate() {
        for (part, id) in [("min", dim.min), ("extent", dim.extent), ("stride", dim.stride)] {
            let value = Value { id, ty: tree::Scalar::Int(32) };
            bind(nodes, format!("{part}.{number}"), value);
        }
    }
    for field in ["type", "dimensions", "device_dirty", "host_dirty"] {
        let value = fixed_field(pool, (ty, dims.len()), field)?;
        bind(nodes, field.to_owned(), value);
    }
    Ok(())
}

impl<'a> Translation<'a> {
    /// A translation with an empty scope.
    pub(super) fn new(pipeline: &'a Pipeline, pool: Pool, names: &'a Names) -> Self {
        let (widths, undefined) = (Widths::of_pipeline(), FxHashSet::default());
        let nodes = Nodes::new(names);
        Self { pipeline, pool, nodes, widths, undefined, has_cache: true, is_first: true }
    }

    fn declare(mut self) -> Result<Source> {
        let names = self.nodes.names;
        let mut source = Source::empty();
        for input in &self.pipeline.inputs {
            self.input(input, &Signature::default(), &mut source)
                .map_err(|what| what.within(|| names.text(input.name).to_owned()))?;
        }
        for func in &self.pipeline.funcs {
            self.declaration(func, &mut source)?;
        }
        self.finish(source)
    }

    pub(super) fn run(mut self, signature: &Signature) -> Result<Source> {
        let names = self.nodes.names;
        own_names::check(self.pipeline, self.nodes.names)?;
        let mut source = Source::empty();
        for input in &self.pipeline.inputs {
            self.input(input, signature, &mut source)
                .map_err(|what| what.within(|| names.text(input.name).to_owned()))?;
        }
        for image in &self.pipeline.images {
            self.image(image, signature, &mut source)
                .map_err(|what| what.within(|| names.text(image.name).to_owned()))?;
        }
        bind_signature(&mut self.nodes, &mut self.pool, &source)?;
        self.nodes.funcs.clone_from(&source.funcs);
        for requirement in &self.pipeline.requirements {
            let condition = self.scalar(&requirement.condition)?;
            let message = text::print_expr(&requirement.message, names);
            source.algorithm.requires.push(Require { condition: condition.id, message });
        }
        for number in self.order()? {
            let func = &self.pipeline.funcs[number];
            let name = || format!("func `{}`", names.text(func.name));
            let id = self.func(func, signature, &mut source).map_err(|what| what.within(name))?;
            source.algorithm.funcs.push(id);
            if self.has_cache && is_memoized(func) {
                let copy = self.memoized(func, id, &mut source);
                source.algorithm.funcs.push(copy);
            }
        }
        self.finish(source)
    }

    fn finish(self, mut source: Source) -> Result<Source> {
        for output in &self.pipeline.outputs {
            match source.funcs.get(output) {
                Some(func) => source.algorithm.outputs.push(*func),
                None => return unsupported("an output that is no func"),
            }
        }
        source.has_plain_floats = self.nodes.has_plain_floats;
        source.has_zeros = self.nodes.has_zeros;
        source.named.clone_from(&self.nodes.named);
        // `strict_float(…)` makes such operators.
        source.has_strict_floats = self.calls(&|name| name.starts_with("strict_"));
        source.has_requires = self.calls(&|name| name == REQUIRE);
        source.algorithm.fast_math =
            has_floats(&self.pool, &source.algorithm) && !source.has_strict_floats;
        let first = source.algorithm.outputs.first();
        source.algorithm.name =
            first.map_or(String::new(), |output| self.pool.func(*output).name.clone());
        source.pool = self.pool;
        source.widths = self.widths;
        let used = used(&source.pool, &source.algorithm);
        source.domains.retain(|domain| used.contains(&domain.func));
        Ok(source)
    }

    /// Tests whether a definition calls one of some functions.
    fn calls(&self, is_one: &impl Fn(&str) -> bool) -> bool {
        let names = self.nodes.names;
        self.pipeline.funcs.iter().flat_map(Func::stages).any(|stage| {
            let exprs = stage.values.iter().chain(&stage.args).chain([&stage.predicate]);
            exprs.into_iter().any(|expr| calls(names, expr, is_one))
        })
    }

    fn input(&mut self, input: &Input, signature: &Signature, source: &mut Source) -> Result<()> {
        let name = self.nodes.names.text(input.name);
        // A pointer, such as the context that a caller hands to its own functions. It has no value
        // here; only functions that are named too may take it.
        if let (tree::Scalar::Handle(_), false) = (input.ty.scalar, input.is_buffer) {
            self.nodes.bind(input.name, Binding::Pointer);
            self.nodes.named.pointers.insert(input.name);
            return Ok(());
        }
        let scalar = stored(input.ty.scalar)?;
        if !input.is_buffer {
            if is_half(input.ty.scalar) {
                return unsupported("a parameter that is a float of 16 bits");
            }
            let index = matches!(input.ty.scalar, tree::Scalar::Int(32 | 64));
            let ty = if index { Type::INT } else { Type::scalar(scalar) };
            let var = match signature.params.get(&input.name) {
                Some((var, ty)) if *ty == input.ty.scalar => *var,
                Some(_) | None => self.pool.declare_var(name, ty),
            };
            source.params.push((input.name, var, input.ty.scalar));
            source.algorithm.params.push(var);
            return Ok(());
        }
        if let Some((func, buffer, ty)) = signature.inputs.get(&input.name)
            && *ty == input.ty.scalar
            && self.pool.func(*func).rank() == input.dimensions
        {
            source.declare_input(input.name, (*func, *buffer, *ty));
            return Ok(());
        }
        let buffer = self.input_buffer(name, input.ty.scalar, input.dimensions)?;
        let func = self.pool.buffer(buffer).func;
        source.declare_input(input.name, (func, buffer, input.ty.scalar));
        Ok(())
    }

    /// Declares an input with its memory.
    pub(super) fn input_buffer(
        &mut self,
        name: &str,
        ty: tree::Scalar,
        rank: usize,
    ) -> Result<BufferId> {
        let scalar = stored(ty)?;
        let args =
            (0..rank).map(|dim| self.pool.declare_var(format!("_{dim}"), Type::INT)).collect();
        let dims = caller_dims(&mut self.pool, name, rank);
        let placeholder = FuncKind::Defined { stages: Vec::new(), synthetic: false };
        let decl =
            FuncDecl { name: name.to_owned(), scalars: vec![scalar], args, kind: placeholder };
        let func = self.pool.declare_func(decl);
        let buffer = self.pool.declare_buffer(BufferDecl {
            name: name.to_owned(),
            scalar,
            func,
            component: 0,
            kind: BufferKind::Input,
            store_in: StoreIn::Auto,
            realigned: false,
            dims,
        });
        self.pool.define_func(func, FuncKind::Input { buffer });
        Ok(buffer)
    }

    /// Declares an array that is part of the pipeline: one more input, whose shape and elements are
    /// known in every run.
    fn image(&mut self, image: &Image, signature: &Signature, source: &mut Source) -> Result<()> {
        let Image { name, ty, dims, data } = image;
        if source.funcs.contains_key(name) {
            return unsupported("an array and an input of the pipeline with one name");
        }
        let input = Input { name: *name, ty: *ty, is_buffer: true, dimensions: dims.len() };
        self.input(&input, signature, source)?;
        let array = Array {
            scalar: stored(ty.scalar)?,
            shape: dims.iter().map(|dim| (dim.min.into(), dim.extent.into())).collect(),
            strides: dims.iter().map(|dim| dim.stride.into()).collect(),
            data: data.clone(),
        };
        let points = array.points();
        let mut points = points.into_iter();
        if dims.iter().any(|dim| dim.extent < 0 || dim.stride < 0)
            || points.any(|point| array.get(&point).is_none())
        {
            return unsupported("an array of the pipeline whose elements are not in the file");
        }
        self.pool.set_contents(source.funcs[name], array);
        Ok(())
    }

    /// The indices of the funcs, in an order in which each follows the funcs that it reads.
    fn order(&self) -> Result<Vec<usize>> {
        let funcs = &self.pipeline.funcs;
        let numbers: FxHashMap<NameId, usize> =
            funcs.iter().enumerate().map(|(number, func)| (func.name, number)).collect();
        let mut order = Vec::new();
        let mut done = FxHashSet::default();
        // A func, and true once the funcs that it reads have been pushed.
        let mut pending: Vec<(usize, bool)> =
            (0..funcs.len()).rev().map(|number| (number, false)).collect();
        let mut open = FxHashSet::default();
        while let Some((number, ready)) = pending.pop() {
            if ready {
                open.remove(&number);
                if done.insert(number) {
                    order.push(number);
                }
                continue;
            }
            if done.contains(&number) {
                continue;
            }
            if !open.insert(number) {
                return unsupported("a func that reads itself by way of others");
            }
            pending.push((number, true));
            let mut read = extern_stages::callees(&funcs[number], funcs.len());
            for stage in funcs[number].stages() {
                let domain = stage.schedule.domain.iter().flat_map(|var| [&var.min, &var.extent]);
                let exprs = stage.values.iter().chain(&stage.args).chain([&stage.predicate]);
                for expr in exprs.chain(domain) {
                    for_each_call(expr, &mut |call| {
                        if call.kind == Some(CallKind::Halide)
                            && let Some(callee) = numbers.get(&call.name)
                            && *callee != number
                        {
                            read.push(*callee);
                        }
                    });
                }
            }
            pending.extend(
                read.into_iter()
                    .rev()
                    .filter(|callee| !done.contains(callee))
                    .map(|callee| (callee, false)),
            );
        }
        Ok(order)
    }

    fn func(&mut self, func: &Func, signature: &Signature, source: &mut Source) -> Result<FuncId> {
        if let Some(external) = &func.external {
            return self.external((func, external), &signature.externs, source);
        }
        if func.init.is_none() {
            return unsupported("a func without a pure definition");
        }
        let id = self.declaration(func, source)?;
        let args = self.pool.func(id).args.clone();
        for (name, var) in func.args.iter().zip(&args) {
            self.bind_var(*name, *var);
        }
        // A first stage without any value can be dropped if the second one defines every element.
        let skipped = usize::from(self.is_undefined(func) && self.is_whole_without(func));
        if skipped > 0 {
            source.skipped.insert(id);
        }
        let is_output = self.pipeline.outputs.contains(&func.name);
        let mut kept = if skipped == 0 && is_output {
            self.kept(func, &signature.priors, source)?
        } else {
            Vec::new()
        };
        // A first stage that stores some of an output updates the contents from before the run.
        let filled =
            func.init.as_ref().filter(|_| !kept.is_empty() && self.is_stored_at_times(func));
        if filled.is_some() {
            source.filled.insert(id);
        }
        let stages = func.stages().skip(skipped).enumerate().map(|(number, stage)| {
            let extents = stage.schedule.domain.iter().map(|variable| variable.extent.clone());
            let stage_number = number + usize::from(filled.is_some());
            let domain =
                extents.map(|extent| DomainExtent { func: id, stage: stage_number, extent });
            source.domains.extend(domain);
            self.is_first = stage_number == 0;
            self.stage(stage, (id, &std::mem::take(&mut kept)))
        });
        let mut stages = stages.collect::<Result<Vec<_>>>();
        if let (Some(init), Ok(stages)) = (filled, &mut stages) {
            stages.insert(1, self.stage(init, (id, &[]))?);
        }
        for name in &func.args {
            self.nodes.unbind(*name);
        }
        self.pool.define_func(id, FuncKind::Defined { stages: stages?, synthetic: false });
        Ok(id)
    }

    /// Declares a func without stages.
    pub(super) fn declaration(&mut self, func: &Func, source: &mut Source) -> Result<FuncId> {
        let names = self.nodes.names;
        let types: Vec<tree::Scalar> = func.types.iter().map(|ty| ty.scalar).collect();
        let scalars = types.iter().map(|ty| stored(*ty)).collect::<Result<Vec<_>>>()?;
        let args: Vec<VarId> = func
            .args
            .iter()
            .map(|arg| self.pool.declare_var(names.text(*arg), Type::INT))
            .collect();
        let kind = FuncKind::Defined { stages: Vec::new(), synthetic: false };
        let decl = FuncDecl { name: names.text(func.name).to_owned(), scalars, args, kind };
        let id = self.pool.declare_func(decl);
        source.funcs.insert(func.name, id);
        source.types.insert(id, types);
        self.nodes.funcs.insert(func.name, id);
        Ok(id)
    }

    fn bind_var(&mut self, name: NameId, var: VarId) {
        let value = Value { id: self.pool.var_expr(var), ty: tree::Scalar::Int(32) };
        let node = self.nodes.value(value);
        self.nodes.bind(name, Binding::Node(node));
    }

    /// Translates a stage of a func. Components of a first stage may keep the contents that an
    /// input holds.
    fn stage(&mut self, stage: &Definition, of: (FuncId, &[Option<FuncId>])) -> Result<Stage> {
        for specialization in &stage.specializations {
            if let Some(special) = &specialization.definition
                && (special.values != stage.values
                    || special.args != stage.args
                    || special.predicate != stage.predicate)
            {
                return unsupported("a specialization with a definition of its own");
            }
        }
        let mut domain = Vec::new();
        for variable in &stage.schedule.domain {
            let min = self.int(&variable.min)?;
            let extent = self.int(&variable.extent)?;
            let var = self.pool.declare_var(self.nodes.names.text(variable.name), Type::INT);
            domain.push(ReductionVar { var, min, extent });
        }
        for (variable, declared) in stage.schedule.domain.iter().zip(&domain) {
            self.bind_var(variable.name, declared.var);
        }
        let result = self.body(stage, domain, of);
        for variable in &stage.schedule.domain {
            self.nodes.unbind(variable.name);
        }
        result
    }

    fn body(
        &mut self,
        stage: &Definition,
        domain: Vec<ReductionVar>,
        (func, kept): (FuncId, &[Option<FuncId>]),
    ) -> Result<Stage> {
        let scalars = self.pool.func(func).scalars.clone();
        let mut predicate = self.scalar(&stage.predicate)?.id;
        let mut stage_values: Vec<&Expr> = stage.values.iter().collect();
        let mut named = Vec::new();
        let is_partly_undefined = kept.is_empty() && self.is_partly_undefined(stage);
        while is_partly_undefined && let [Expr::Let { name, value, body }] = *stage_values {
            if self.is_undef(value) {
                self.undefined.insert(*name);
            } else {
                let node = self.nodes.elaborate(&mut self.pool, value)?;
                self.nodes.bind(*name, Binding::Node(node));
                named.push(*name);
            }
            stage_values = vec![body];
        }
        let (lhs, values) = if is_partly_undefined {
            let found = self.where_stored(&stage.args, &stage_values)?;
            predicate = self.all_of(predicate, &found.conditions)?;
            let (lhs, values) = match &found.stored {
                Some((lhs, values)) => (lhs, Some(values)),
                None => (&stage.args, None),
            };
            let lhs = lhs.iter().map(|arg| self.int(arg)).collect::<Result<Vec<_>>>()?;
            let values = match values {
                Some(values) => self.components(func, &lhs, values)?,
                None => {
                    predicate = self.pool.constant(Constant::bool(false));
                    let zero = |scalar: &Scalar| self.pool.constant(Constant::zero(*scalar));
                    scalars.iter().map(zero).collect()
                }
            };
            (lhs, values)
        } else {
            let lhs = stage.args.iter().map(|arg| self.int(arg)).collect::<Result<Vec<_>>>()?;
            let values = stage_values.into_iter().enumerate().map(|(component, value)| match kept
                .get(component)
            {
                Some(Some(before)) => Ok(self.pool.func_ref(*before, 0, lhs.clone())),
                Some(None) | None => self.as_stored(value),
            });
            let values = values.collect::<Result<Vec<_>>>()?;
            (lhs, values)
        };
        for name in named {
            self.nodes.unbind(name);
        }
        self.undefined.clear();
        let holds = self.pool.as_constant(predicate) == Some(Constant::bool(true));
        Ok(Stage { domain, predicate: (!holds).then_some(predicate), lhs, values })
    }

    pub(super) fn as_stored(&mut self, value: &Expr) -> Result<ExprId> {
        let value = self.scalar(value)?;
        self.lowering(&mut Memo::default(), |lowering| lowering.ops.as_stored(value))
    }

    /// Lowers expressions of the pipeline, whose signed overflow is assumed to be absent.
    pub(super) fn lowering<T>(
        &mut self,
        memo: &mut Memo,
        work: impl FnOnce(&mut Lowering<'_, '_>) -> Result<T>,
    ) -> Result<T> {
        let signed = Overflow::AssumedAbsent;
        memo.widths.belong_to_pipeline(&self.widths);
        let result = work(&mut Lowering::new(&self.nodes, &mut self.pool, memo, signed));
        self.widths.join(&memo.widths);
        result
    }

    pub(super) fn scalar(&mut self, expr: &Expr) -> Result<Value> {
        let node = self.nodes.elaborate(&mut self.pool, expr)?;
        self.lowering(&mut Memo::default(), |lowering| lowering.scalar(node))
    }

    pub(super) fn int(&mut self, expr: &Expr) -> Result<ExprId> {
        let node = self.nodes.elaborate(&mut self.pool, expr)?;
        self.lowering(&mut Memo::default(), |lowering| {
            let value = lowering.scalar(node)?;
            lowering.ops.as_index(value)
        })
    }
}

/// The funcs that the outputs are computed from, the outputs included.
pub(super) fn used(pool: &Pool, algorithm: &Algorithm) -> FxHashSet<FuncId> {
    let mut used: FxHashSet<FuncId> = algorithm.outputs.iter().copied().collect();
    for func in algorithm.funcs.iter().rev() {
        if used.contains(func) {
            used.extend(pool.func(*func).stages().iter().flat_map(|stage| callees(pool, stage)));
        }
    }
    used
}

/// The funcs that a stage reads.
pub(super) fn callees(pool: &Pool, stage: &Stage) -> FxHashSet<FuncId> {
    let mut found = FxHashSet::default();
    for root in stage.roots() {
        pool.for_each_subexpr(root, &mut |_, expr| {
            if let IrExpr::Ref { func, .. } = expr {
                found.insert(*func);
            }
        });
    }
    found
}

/// Calls `visit` with every call in an expression.
pub(super) fn for_each_call(expr: &Expr, visit: &mut impl FnMut(&Call)) {
    if let Expr::Call(call) = expr {
        visit(call);
    }
    expr.for_each_operand(&mut |operand| for_each_call(operand, visit));
}

/// Tests whether a func computes with floats, even if only in intermediate values.
fn has_floats(pool: &Pool, algorithm: &Algorithm) -> bool {
    let mut found = false;
    for func in &algorithm.funcs {
        for root in pool.func(*func).stages().iter().flat_map(Stage::roots) {
            pool.for_each_subexpr(root, &mut |id, _| found |= pool.ty(id).scalar.is_float());
        }
    }
    found
}
