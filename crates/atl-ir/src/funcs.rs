//! Terms as funcs: the element of a term as an expression over inputs and funcs.
//!
//! # Correctness
//! The source program is read here and nowhere else. A tensor is a function that is zero outside of
//! its sizes (`coq/Tensor.v`). A func is defined everywhere, but it is read only within the sizes:
//! every read at an index other than a dimension's own variable is guarded. A `gen` and a reshape
//! operator become index arithmetic, a guard a selection, a `let` a func. A sum becomes a func
//! whose first stage is the semiring's zero and whose second adds the summand at each point of the
//! domain. Sums directly within a sum become further variables of its domain, the outer ones
//! outside, and guards around the summand become its `where`. Bounds of a sum that depend on
//! variables around it become part of its `where` too; the domain then ranges from the least to the
//! greatest of them, since the func is read only within the sizes. That is exact: where a guard
//! does not hold, zero is added, which changes nothing (in floating point too, because a sum that
//! begins with +0 is never -0). Guards are taken out of products only in exact arithmetic, where `a
//! * 0` is 0.

use halidom_atl::context::Context;
use halidom_atl::engine::Engine;
use halidom_atl::program::{Element, Program as Source};
use halidom_atl::term::{
    Compare, Index, Loop, Node, Pred, Reshape, Sort, Term, Var, free_variables,
};
use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{
    BufferDecl, BufferId, BufferKind, Dim, ExprId, FuncDecl, FuncId, FuncKind, Pool, ReductionVar,
    Scalar, Stage, StoreIn, Substitution, Type, VarId,
};

use crate::error::LowerError;
use crate::hull::hull;
use crate::indices::{self, Indices};
use crate::scalars;

type Result<T> = std::result::Result<T, LowerError>;

/// A buffer with its window, as in [`halidom_ir::Output`].
pub(crate) type OutputBuffer = (BufferId, Vec<(VarId, VarId)>);

/// A named tensor: an input, or the value of a `let`.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub(crate) func: FuncId,
    pub(crate) shape: Vec<Index>,
    /// Index variables around the `let` on which its value depends: further arguments of the func.
    pub(crate) free: Vec<Var>,
}

/// A func that holds a sum.
#[derive(Clone, Debug)]
pub(crate) struct Total {
    pub(crate) func: FuncId,
    /// The variables of its domain, the first innermost.
    pub(crate) domain: Vec<VarId>,
    /// The expression that is added.
    pub(crate) summand: ExprId,
}

/// The treatment of reads that may be out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Reads at an index other than a dimension's own variable are guarded.
    Guarded,
    /// Reads are never guarded: the term is known to read within the sizes.
    Safe,
}

/// An index of a term.
#[derive(Clone, Copy, Debug)]
struct At {
    value: ExprId,
    /// True if it is known to lie within the dimension.
    inside: bool,
}

/// The surroundings of a term.
#[derive(Clone)]
struct Place {
    indices: Indices,
    context: Context,
    /// The arguments of the func that is being defined.
    scope: Vec<VarId>,
    name: String,
    reads: Reads,
}

/// The funcs under construction.
pub(crate) struct Funcs<'e> {
    pub(crate) engine: &'e Engine,
    pub(crate) pool: Pool,
    pub(crate) element: Element,
    pub(crate) params: Vec<VarId>,
    pub(crate) inputs: Vec<FuncId>,
    /// The dimensions of the result.
    pub(crate) output_shape: Vec<Index>,
    /// Defined funcs, definitions before uses.
    pub(crate) defined: Vec<FuncId>,
    /// Tensors by their variable.
    pub(crate) tensors: FxHashMap<u32, Tensor>,
    /// The sums of the funcs that are sums.
    pub(crate) totals: FxHashMap<FuncId, Total>,
    /// The sizes.
    pub(crate) sizes: Indices,
    /// The facts that hold for sizes and inputs.
    pub(crate) top: Context,
    names: FxHashSet<String>,
}

impl<'e> Funcs<'e> {
    /// Declares sizes and inputs.
    pub(crate) fn new(engine: &'e Engine, source: &Source) -> Self {
        let mut funcs = Self {
            engine,
            pool: Pool::new(),
            element: source.element(),
            params: Vec::new(),
            inputs: Vec::new(),
            output_shape: source.shape.dims.clone(),
            defined: Vec::new(),
            tensors: FxHashMap::default(),
            totals: FxHashMap::default(),
            sizes: Indices::default(),
            top: source.context(),
            names: FxHashSet::default(),
        };
        for size in &source.sizes {
            let var = funcs.pool.declare_var(&*size.name, Type::INT);
            let value = funcs.pool.var_expr(var);
            funcs.names.insert(size.name.to_string());
            funcs.sizes.size(size, value);
            funcs.params.push(var);
        }
        for input in &source.inputs {
            let name = funcs.name(&input.var.name);
            let rank = input.shape.dims.len();
            let scalar = scalars::scalar(input.element);
            let args = funcs.args(rank);
            let kind = FuncKind::Defined { stages: Vec::new(), synthetic: false };
            let decl = FuncDecl { name: name.clone(), scalars: vec![scalar], args, kind };
            let func = funcs.pool.declare_func(decl);
            let buffer = funcs.caller_buffer(func, &name, rank, BufferKind::Input);
            funcs.pool.define_func(func, FuncKind::Input { buffer });
            funcs.inputs.push(func);
            let shape = input.shape.dims.clone();
            let tensor = Tensor { func, shape, free: Vec::new() };
            funcs.tensors.insert(input.var.id, tensor);
        }
        funcs
    }

    /// Returns a name that no func has.
    fn name(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        name
    }

    fn args(&mut self, rank: usize) -> Vec<VarId> {
        (0..rank).map(|dim| self.pool.declare_var(format!("d{dim}"), Type::INT)).collect()
    }

    fn caller_buffer(
        &mut self,
        func: FuncId,
        name: &str,
        rank: usize,
        kind: BufferKind,
    ) -> BufferId {
        let mut part = |what: &str, dim: usize| {
            let var = self.pool.declare_var(format!("{name}.{what}.{dim}"), Type::INT);
            self.pool.var_expr(var)
        };
        let dims = (0..rank)
            .map(|dim| Dim::new(part("min", dim), part("extent", dim), part("stride", dim)))
            .collect();
        let scalar = self.pool.func(func).scalar(0);
        self.pool.declare_buffer(BufferDecl {
            name: format!("{name}.buffer"),
            scalar,
            func,
            component: 0,
            kind,
            store_in: StoreIn::Auto,
            realigned: false,
            dims,
        })
    }

    /// Declares the caller's memory for the output, with its window.
    pub(crate) fn output_buffer(&mut self, output: FuncId) -> OutputBuffer {
        let (name, rank) = (self.pool.func(output).name.clone(), self.pool.func(output).rank());
        let buffer = self.caller_buffer(output, &name, rank, BufferKind::Output);
        let mut window = Vec::with_capacity(rank);
        for dim in 0..rank {
            let min = self.pool.declare_var(format!("{name}.window.min.{dim}"), Type::INT);
            let extent = self.pool.declare_var(format!("{name}.window.extent.{dim}"), Type::INT);
            window.push((min, extent));
        }
        (buffer, window)
    }

    /// Returns the funcs that are defined in addition to the given ones.
    pub(crate) fn beside(&self, others: &[FuncId]) -> Vec<FuncId> {
        self.defined.iter().filter(|func| !others.contains(func)).copied().collect()
    }

    /// Defines the source program's result.
    pub(crate) fn define_output(&mut self, source: &Source) -> Result<FuncId> {
        let (shape, context) = (source.shape.dims.clone(), source.context());
        let indices = self.sizes.clone();
        let output = ("output", shape.as_slice(), &[][..]);
        self.define(output, &source.body, (&indices, &context), Reads::Guarded)
    }

    /// Defines a func for a term: its name, its shape, and the index variables around it on which
    /// it depends.
    fn define(
        &mut self,
        (name, shape, free): (&str, &[Index], &[Var]),
        term: &Term,
        (indices, context): (&Indices, &Context),
        reads: Reads,
    ) -> Result<FuncId> {
        let name = self.name(name);
        let mut args = self.args(shape.len());
        let at = args.iter().rev().map(|arg| self.pool.var_expr(*arg));
        let at: Vec<At> = at.map(|value| At { value, inside: true }).collect();
        let mut indices = indices.clone();
        for var in free {
            let arg = self.pool.declare_var(&*var.name, Type::INT);
            args.push(arg);
            indices = indices.with(var, self.pool.var_expr(arg));
        }
        let place = Place {
            indices,
            context: context.clone(),
            scope: args.clone(),
            name: name.clone(),
            reads,
        };
        let value = self.value(term, at, &place)?;
        let lhs = args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let stage = Stage { domain: Vec::new(), predicate: None, lhs, values: vec![value] };
        let kind = FuncKind::Defined { stages: vec![stage], synthetic: false };
        let scalar = scalars::scalar(self.element);
        let decl = FuncDecl { name, scalars: vec![scalar], args: args.clone(), kind };
        let func = self.pool.declare_func(decl);
        self.defined.push(func);
        // A func that is entirely a sum.
        if let halidom_ir::Expr::Ref { func: total, args: read, .. } = self.pool.get(value).clone()
            && let Some(known) = self.totals.get(&total).cloned()
            && read.len() == args.len()
            && read.iter().zip(&args).all(|(at, arg)| *at == self.pool.var_expr(*arg))
        {
            self.totals.insert(func, known);
        }
        Ok(func)
    }

    /// Defines the func of a `let`, unless the variable has one that depends on the same variables.
    pub(crate) fn bind(
        &mut self,
        var: &Var,
        value: &Term,
        (indices, context): (&Indices, &Context),
        reads: Reads,
    ) -> Result<Tensor> {
        let shape = context.shape(value).filter(|shape| shape.rest.is_none());
        let shape = shape.ok_or(LowerError::Shape)?.dims;
        let free = self.free(value, &shape);
        // A rule may have copied the `let` to places with other variables.
        if let Some(known) = self.tensors.get(&var.id).filter(|known| known.free == free) {
            return Ok(known.clone());
        }
        let wanted = (&*var.name, shape.as_slice(), free.as_slice());
        let func = self.define(wanted, value, (indices, context), reads)?;
        let tensor = Tensor { func, shape, free };
        self.tensors.insert(var.id, tensor.clone());
        Ok(tensor)
    }

    /// Returns the index variables on which a term depends, directly or through its reads.
    fn free(&self, term: &Term, shape: &[Index]) -> Vec<Var> {
        let mut free: Vec<Var> = Vec::new();
        let mut add = |var: &Var| {
            if !self.sizes.is_size(var) && !free.contains(var) {
                free.push(var.clone());
            }
        };
        free_variables(term, &mut |var| match var.sort {
            Sort::Index => add(var),
            Sort::Tensor(_) => {
                self.tensors.get(&var.id).iter().for_each(|t| t.free.iter().for_each(&mut add));
            }
            Sort::Pred | Sort::Shape => {}
        });
        for size in shape {
            size.variables(&mut add);
        }
        free
    }

    /// Returns the element of a scalar term, all of whose reads are in range.
    pub(crate) fn element(
        &mut self,
        term: &Term,
        indices: &Indices,
        context: &Context,
    ) -> Result<ExprId> {
        let place = Place {
            indices: indices.clone(),
            context: context.clone(),
            scope: Vec::new(),
            name: String::new(),
            reads: Reads::Safe,
        };
        self.value(term, Vec::new(), &place)
    }

    /// Returns a read of a tensor at indices.
    fn read(&mut self, var: &Var, at: &[At], place: &Place) -> Result<ExprId> {
        let found = self.tensors.get(&var.id).cloned();
        let tensor = found.ok_or_else(|| LowerError::Unbound(var.to_string()))?;
        let mut args: Vec<ExprId> = at.iter().rev().map(|at| at.value).collect();
        for free in &tensor.free {
            args.push(place.indices.get(free)?);
        }
        let value = self.pool.func_ref(tensor.func, 0, args);
        let mut conditions = Vec::new();
        for (at, size) in at.iter().zip(&tensor.shape) {
            if !at.inside && place.reads == Reads::Guarded {
                let size = place.indices.index(&mut self.pool, size)?;
                conditions.push(indices::within(&mut self.pool, at.value, size));
            }
        }
        Ok(self.choose(conditions, value))
    }

    /// Returns a value where all conditions hold, else zero.
    fn choose(&mut self, conditions: Vec<ExprId>, value: ExprId) -> ExprId {
        if conditions.is_empty() {
            return value;
        }
        let condition = indices::all(&mut self.pool, conditions);
        let zero = scalars::zero(&mut self.pool, self.element);
        self.pool.select(condition, value, zero)
    }

    /// Returns the element of a term at indices.
    fn value(&mut self, term: &Term, mut at: Vec<At>, place: &Place) -> Result<ExprId> {
        match &**term {
            Node::Literal(text) => scalars::literal(&mut self.pool, self.element, text),
            Node::Var(var) => self.read(var, &at, place),
            Node::Call(name, parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(self.value(part, Vec::new(), place)?);
                }
                scalars::call(&mut self.pool, self.element, name, &values)
            }
            Node::Add(left, right) => {
                let left = self.value(left, at.clone(), place)?;
                let right = self.value(right, at, place)?;
                Ok(scalars::add(&mut self.pool, self.element, left, right))
            }
            Node::Mul(left, right) => {
                let left = self.value(left, at.clone(), place)?;
                let right = self.value(right, at, place)?;
                Ok(scalars::mul(&mut self.pool, self.element, left, right))
            }
            Node::Guard(pred, body) => {
                let condition = place.indices.pred(&mut self.pool, pred)?;
                let inner = place.enter(term, 0);
                let value = self.value(body, at, &inner)?;
                Ok(self.choose(vec![condition], value))
            }
            Node::Loop(Loop::Sum, ..) => self.sum(term, at, place),
            Node::Loop(Loop::Gen, ..) | Node::Let(..) | Node::Get(..) | Node::Reshape(..) => {
                let mut conditions = Vec::new();
                if let Node::Reshape(Reshape::Concat, sizes, parts) = &**term
                    && let ([first, _], [left, right]) = (sizes.as_slice(), parts.as_slice())
                    && !at.is_empty()
                {
                    return self.concat(first, (left, right), at, place);
                }
                let (inner, place) = self.unwrap(term, &mut at, place, &mut conditions)?;
                let value = self.value(&inner, at, &place)?;
                Ok(self.choose(conditions, value))
            }
            Node::Apply(var, _) => Err(LowerError::Unbound(var.to_string())),
        }
    }

    fn concat(
        &mut self,
        first: &Index,
        (left, right): (&Term, &Term),
        mut at: Vec<At>,
        place: &Place,
    ) -> Result<ExprId> {
        let size = place.indices.index(&mut self.pool, first)?;
        let index = at[0].value;
        let is_first = self.pool.binary(halidom_ir::BinaryOp::Lt, index, size);
        // An index within the whole is bounded below in the first part and above in the second, so
        // it is known to be inside of neither.
        at[0].inside = false;
        let left = self.value(left, at.clone(), place)?;
        at[0].value = indices::sub(&mut self.pool, index, size);
        let right = self.value(right, at, place)?;
        Ok(self.pool.select(is_first, left, right))
    }

    /// Takes a `gen`, a `let`, a read or a reshape operator from around a term. Returns the rest
    /// with its place, updates its indices, and adds the conditions under which it is not zero.
    fn unwrap(
        &mut self,
        term: &Term,
        at: &mut Vec<At>,
        place: &Place,
        conditions: &mut Vec<ExprId>,
    ) -> Result<(Term, Place)> {
        let mut inner = place.enter(term, usize::from(matches!(&**term, Node::Let(..))));
        let part = match &**term {
            Node::Loop(_, var, lo, hi, body) => {
                let index = first(at)?;
                let low = place.indices.index(&mut self.pool, lo)?;
                let size = halidom_atl::context::length(lo, hi);
                self.keep(index, &size, place, conditions)?;
                let value = indices::add(&mut self.pool, low, index.value);
                inner.indices = place.indices.with(var, value);
                body
            }
            Node::Let(var, value, body) => {
                self.bind(var, value, (&place.indices, &place.context), place.reads)?;
                body
            }
            Node::Get(tensor, index) => {
                let value = place.indices.index(&mut self.pool, index)?;
                at.insert(0, At { value, inside: false });
                tensor
            }
            Node::Reshape(op, sizes, parts) => {
                let part = parts.first().ok_or(LowerError::Shape)?;
                self.reshape(*op, sizes, at, place, conditions)?;
                part
            }
            Node::Var(_)
            | Node::Literal(_)
            | Node::Call(..)
            | Node::Guard(..)
            | Node::Add(..)
            | Node::Mul(..)
            | Node::Apply(..) => return Err(LowerError::Shape),
        };
        Ok((Term::clone(part), inner))
    }

    /// Adds the condition that an index lies in a dimension.
    fn keep(
        &mut self,
        at: At,
        size: &Index,
        place: &Place,
        conditions: &mut Vec<ExprId>,
    ) -> Result<()> {
        if !at.inside && place.reads == Reads::Guarded {
            let size = place.indices.index(&mut self.pool, size)?;
            conditions.push(indices::within(&mut self.pool, at.value, size));
        }
        Ok(())
    }

    /// Turns the index of a reshape operator into the indices of its part, and adds the conditions
    /// under which the part's element is not zero.
    fn reshape(
        &mut self,
        op: Reshape,
        sizes: &[Index],
        at: &mut Vec<At>,
        place: &Place,
        conditions: &mut Vec<ExprId>,
    ) -> Result<()> {
        let index = first(at)?;
        let outside = |value| At { value, inside: false };
        match (op, sizes) {
            (Reshape::Transpose, _) => {
                if at.is_empty() {
                    return Err(LowerError::Shape);
                }
                at.insert(1, index);
            }
            (Reshape::Flatten, [n, m]) => {
                self.keep(index, &n.clone().times(m.clone()), place, conditions)?;
                let name = self.engine.supply.fresh("at", Sort::Index);
                let with = place.indices.with(&name, index.value);
                let dividend = Index::Var(name);
                let parts = [halidom_atl::term::Arith::Div, halidom_atl::term::Arith::Mod];
                let parts = parts.map(|op| Index::exact(op, dividend.clone(), m.clone()));
                let row = with.index(&mut self.pool, &parts[0])?;
                let column = with.index(&mut self.pool, &parts[1])?;
                at.splice(
                    0..0,
                    [At { value: row, inside: true }, At { value: column, inside: true }],
                );
            }
            (Reshape::Split, [n, k]) => {
                let inner = first(at)?;
                self.keep(inner, k, place, conditions)?;
                let size = place.indices.index(&mut self.pool, k)?;
                let start = indices::mul(&mut self.pool, index.value, size);
                let value = indices::add(&mut self.pool, start, inner.value);
                let flat = outside(value);
                self.keep(flat, n, place, conditions)?;
                at.insert(0, At { value, inside: true });
            }
            (Reshape::PadR, [..]) => at.insert(0, outside(index.value)),
            (Reshape::PadL, [_, k]) => {
                let k = place.indices.index(&mut self.pool, k)?;
                at.insert(0, outside(indices::sub(&mut self.pool, index.value, k)));
            }
            (Reshape::TruncR, [k]) => {
                self.keep(index, k, place, conditions)?;
                at.insert(0, outside(index.value));
            }
            (Reshape::TruncL, [n, k]) => {
                self.keep(index, k, place, conditions)?;
                let rest = n.clone().minus(k.clone());
                let rest = place.indices.index(&mut self.pool, &rest)?;
                at.insert(0, outside(indices::add(&mut self.pool, index.value, rest)));
            }
            (
                Reshape::Concat
                | Reshape::Flatten
                | Reshape::Split
                | Reshape::PadL
                | Reshape::TruncR
                | Reshape::TruncL,
                _,
            ) => return Err(LowerError::Shape),
        }
        Ok(())
    }

    /// Makes a sum: a separate func over the arguments of the current func.
    fn sum(&mut self, term: &Term, mut at: Vec<At>, place: &Place) -> Result<ExprId> {
        let name = self.name(&format!("{}.sum", place.name));
        let mut own = Substitution::new();
        let mut args = Vec::with_capacity(place.scope.len());
        for outer in &place.scope {
            let arg = self.pool.declare_var(self.pool.var(*outer).name.clone(), Type::INT);
            own.insert(*outer, self.pool.var_expr(arg));
            args.push(arg);
        }
        for index in &mut at {
            index.value = own.apply(&mut self.pool, index.value);
        }
        let mut inner = place.clone();
        inner.indices = place.indices.map(|value| own.apply(&mut self.pool, value));
        inner.scope.clone_from(&args);
        let mut domain: Vec<ReductionVar> = Vec::new();
        let mut conditions = Vec::new();
        let mut here = Term::clone(term);
        loop {
            let next = match &*here {
                Node::Loop(Loop::Sum, var, lo, hi, body) => {
                    let (low, high) = self.domain((var, lo, hi), &inner)?;
                    let min = inner.indices.index(&mut self.pool, &low)?;
                    let extent = inner.indices.extent(&mut self.pool, &low, &high)?;
                    let point = self.pool.declare_var(&*var.name, Type::INT);
                    domain.insert(0, ReductionVar { var: point, min, extent });
                    inner = inner.enter(&here, 0);
                    inner.indices = inner.indices.with(var, self.pool.var_expr(point));
                    let at = Index::Var(var.clone());
                    for (end, other, less, more) in [
                        (lo, &low, lo.clone(), at.clone()),
                        (hi, &high, at.clone().plus(Index::Num(1)), hi.clone()),
                    ] {
                        if end != other {
                            let pred = Pred::Compare(Compare::Le, less, more);
                            conditions.push(inner.indices.pred(&mut self.pool, &pred)?);
                        }
                    }
                    // Further sums within depend on it as on an argument.
                    inner.scope.push(point);
                    Term::clone(body)
                }
                Node::Guard(pred, body) => {
                    conditions.push(inner.indices.pred(&mut self.pool, pred)?);
                    inner = inner.enter(&here, 0);
                    Term::clone(body)
                }
                Node::Reshape(Reshape::Concat, ..) => break,
                Node::Loop(Loop::Gen, ..) | Node::Let(..) | Node::Get(..) | Node::Reshape(..) => {
                    let (next, place) = self.unwrap(&here, &mut at, &inner, &mut conditions)?;
                    inner = place;
                    next
                }
                Node::Var(_)
                | Node::Literal(_)
                | Node::Call(..)
                | Node::Add(..)
                | Node::Mul(..)
                | Node::Apply(..) => break,
            };
            here = next;
        }
        if scalars::exact(self.element) {
            let (preds, core) = without_guards(&here);
            for pred in preds {
                conditions.push(inner.indices.pred(&mut self.pool, &pred)?);
            }
            here = core;
        }
        let summand = self.value(&here, at, &inner)?;
        let func = self.declare_total(name, &args, domain.clone(), conditions, summand);
        let domain = domain.iter().map(|variable| variable.var).collect();
        self.totals.insert(func, Total { func, domain, summand });
        let at = place.scope.iter().map(|arg| self.pool.var_expr(*arg)).collect::<Vec<_>>();
        Ok(self.pool.func_ref(func, 0, at))
    }

    /// Returns the range of a variable of a domain, which may depend only on sizes: the loop's own,
    /// or one that contains it.
    fn domain(
        &self,
        (var, lo, hi): (&Var, &Index, &Index),
        place: &Place,
    ) -> Result<(Index, Index)> {
        let free = |index: &Index| {
            let mut free = false;
            index.variables(&mut |var| free |= !self.sizes.is_size(var));
            free
        };
        if !free(lo) && !free(hi) {
            return Ok((lo.clone(), hi.clone()));
        }
        let found = hull(&self.engine.prover, &place.context, &self.sizes, (lo, hi));
        found.ok_or_else(|| LowerError::Bounds(var.to_string()))
    }

    fn declare_total(
        &mut self,
        name: String,
        args: &[VarId],
        domain: Vec<ReductionVar>,
        conditions: Vec<ExprId>,
        summand: ExprId,
    ) -> FuncId {
        let lhs: Vec<ExprId> = args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let zero = scalars::zero(&mut self.pool, self.element);
        let first =
            Stage { domain: Vec::new(), predicate: None, lhs: lhs.clone(), values: vec![zero] };
        let scalar: Scalar = scalars::scalar(self.element);
        let kind = FuncKind::Defined { stages: vec![first.clone()], synthetic: false };
        let decl = FuncDecl { name, scalars: vec![scalar], args: args.to_vec(), kind };
        let func = self.pool.declare_func(decl);
        let before = self.pool.func_ref(func, 0, lhs.clone());
        let value = scalars::add(&mut self.pool, self.element, before, summand);
        let predicate = (!conditions.is_empty()).then(|| indices::all(&mut self.pool, conditions));
        let second = Stage { domain, predicate, lhs, values: vec![value] };
        let stages = vec![first, second];
        self.pool.define_func(func, FuncKind::Defined { stages, synthetic: false });
        self.defined.push(func);
        func
    }
}

/// Takes the first index.
fn first(at: &mut Vec<At>) -> Result<At> {
    if at.is_empty() { Err(LowerError::Shape) } else { Ok(at.remove(0)) }
}

impl Place {
    fn enter(&self, term: &Term, part: usize) -> Self {
        Self { context: self.context.enter(term, part), ..self.clone() }
    }
}

/// Returns the guards of the factors of a product, and the product without them.
pub(crate) fn without_guards(term: &Term) -> (Vec<Pred>, Term) {
    match &**term {
        Node::Guard(pred, body) => {
            let (mut preds, core) = without_guards(body);
            preds.insert(0, pred.clone());
            (preds, core)
        }
        Node::Mul(left, right) => {
            let (mut preds, left) = without_guards(left);
            let (others, right) = without_guards(right);
            preds.extend(others);
            (preds, Term::new(Node::Mul(left, right)))
        }
        Node::Var(_)
        | Node::Literal(_)
        | Node::Call(..)
        | Node::Loop(..)
        | Node::Let(..)
        | Node::Get(..)
        | Node::Add(..)
        | Node::Reshape(..)
        | Node::Apply(..) => (Vec::new(), Term::clone(term)),
    }
}
