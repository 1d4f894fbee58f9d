//! Turns the final program into statements.
//!
//! Every part of the program is written to a destination: a func, and the point for each element of
//! the part. A zero-dimensional part becomes a store. The elements that a `trunc_` cuts off become
//! limits of the destination: loops are narrowed to the limits where possible, and the remaining
//! limits become a condition around the store. Where a guard does not hold, a zero is stored,
//! unless the limits exclude it. A sum is accumulated in separate memory, one element or a block,
//! and copied when it is complete.

mod leaf;

use halidom_atl::context::{Context, Fact, Shape};
use halidom_atl::engine::Traversal;
use halidom_atl::lower::is_pure;
use halidom_atl::program::Program as Source;
use halidom_atl::prover::Goal;
use halidom_atl::subst::Subst;
use halidom_atl::term::{
    Arith, Compare, Index, Loop, Node, Pred, Rank, Reshape, Sort, Term, Var, children, rank,
    with_child,
};
use halidom_base::IndexMap;
use halidom_ir::{
    BufferDecl, BufferId, BufferKind, Constant, Dim, ExprId, FuncId, Interval, Label, LoopKind,
    Pool, STACK_LIMIT, Stmt, StmtId, StoreIn, Substitution, Type,
};

use crate::error::LowerError;
use crate::funcs::{Funcs, Reads, Tensor, Total};
use crate::indices::{self, Indices};
use crate::limits::{Bound, Comparison, block, bound, read};

type Result<T> = std::result::Result<T, LowerError>;

/// The destination of a part's elements.
#[derive(Clone)]
struct Destination {
    func: FuncId,
    /// One for each dimension of the part.
    params: Vec<Var>,
    /// The point, in terms of the parameters; then the values of the func's further arguments.
    coords: Vec<Index>,
    /// The number of the func's arguments that are dimensions.
    dims: usize,
    /// The conditions on an element's place for it to be written at all.
    limits: Vec<Comparison>,
    /// The sum that elements are added to, if any.
    total: Option<Total>,
}

impl Destination {
    fn replace(&self, count: usize, by: &[Index], new: &[Var]) -> Self {
        let mut subst = Subst::new();
        for (param, index) in self.params.iter().zip(by) {
            subst.set_index(param, index.clone());
        }
        let on = |index: &Index| subst.on_index(index);
        Self {
            func: self.func,
            params: new.iter().chain(self.params.iter().skip(count)).cloned().collect(),
            coords: self.coords.iter().map(on).collect(),
            dims: self.dims,
            limits: self.limits.iter().map(|(c, a, b)| (*c, on(a), on(b))).collect(),
            total: self.total.clone(),
        }
    }

    fn limited(mut self, limit: Comparison) -> Self {
        self.limits.push(limit);
        self
    }
}

/// The surroundings of a statement.
#[derive(Clone)]
struct Place {
    context: Context,
    indices: Indices,
    /// True if a serial loop runs around it, inside of the innermost frame.
    repeated: bool,
}

impl Place {
    fn knowing(&self, pred: Pred) -> Self {
        Self { context: self.context.with(Fact::Holds(pred)), ..self.clone() }
    }
}

/// Returns the dimensions of a part.
fn shape_of(term: &Term, place: &Place) -> Result<Shape> {
    let shape = place.context.shape(term).filter(|shape| shape.rest.is_none());
    shape.ok_or(LowerError::Shape)
}

/// The statements under construction.
pub(crate) struct Nest<'e> {
    funcs: Funcs<'e>,
    output: FuncId,
    shape: Vec<Index>,
    /// For each place with separate iterations, the memory that is lent to repeated allocations
    /// within.
    frames: Vec<Vec<BufferId>>,
    /// The extents of everything that is allocated.
    allocations: Vec<(String, Vec<ExprId>)>,
    /// The traversals of loops, by the names of their variables.
    traversals: &'e IndexMap<String, Traversal>,
}

impl<'e> Nest<'e> {
    pub(crate) fn new(
        funcs: Funcs<'e>,
        output: FuncId,
        source: &Source,
        traversals: &'e IndexMap<String, Traversal>,
    ) -> Self {
        let shape = source.shape.dims.clone();
        let (frames, allocations) = (vec![Vec::new()], Vec::new());
        Self { funcs, output, shape, frames, allocations, traversals }
    }

    /// Returns the funcs, including those that the final program added, and the allocations.
    pub(crate) fn finish(self) -> (Funcs<'e>, Vec<(String, Vec<ExprId>)>) {
        (self.funcs, self.allocations)
    }

    /// Makes the work of the whole program.
    pub(crate) fn work(&mut self, term: &Term) -> Result<StmtId> {
        let place = Place {
            context: self.funcs.top.clone(),
            indices: self.funcs.sizes.clone(),
            repeated: false,
        };
        let shape = self.shape.clone();
        let params = self.params(shape.len());
        let to = Destination {
            func: self.output,
            coords: params.iter().cloned().map(Index::Var).collect(),
            dims: params.len(),
            params,
            limits: Vec::new(),
            total: None,
        };
        let body = self.part(term, &to, &place)?;
        let needed = self.region(&shape, &[], &place)?;
        let label = Label::Func { func: self.output, needed };
        let body = self.pool().stmt(Stmt::Labeled { label, body });
        Ok(self.lend(body))
    }

    fn pool(&mut self) -> &mut Pool {
        &mut self.funcs.pool
    }

    fn params(&self, count: usize) -> Vec<Var> {
        (0..count).map(|_| self.funcs.engine.supply.fresh("at", Sort::Index)).collect()
    }

    fn holds(&self, place: &Place, (compare, a, b): &Comparison) -> bool {
        let pred = Pred::Compare(*compare, a.clone(), b.clone());
        self.funcs.engine.prover.holds(&place.context, &Goal::Holds(pred))
    }

    /// Allocates the lent memory around a statement.
    fn lend(&mut self, mut stmt: StmtId) -> StmtId {
        for buffer in self.frames.pop().unwrap_or_default() {
            stmt = self.pool().stmt(Stmt::Allocate { buffer, body: stmt });
        }
        stmt
    }

    /// Returns the box of a tensor's func, first dimension last, then its further arguments.
    fn region(&mut self, shape: &[Index], free: &[Var], place: &Place) -> Result<Vec<Interval>> {
        let mut region = Vec::with_capacity(shape.len() + free.len());
        for size in shape.iter().rev() {
            let extent = place.indices.index(self.pool(), size)?;
            let min = self.pool().int(0);
            region.push(Interval { min, extent });
        }
        for var in free {
            let extent = self.pool().int(1);
            region.push(Interval { min: place.indices.get(var)?, extent });
        }
        Ok(region)
    }

    /// Makes the statements that write a part of the program.
    fn part(&mut self, term: &Term, to: &Destination, place: &Place) -> Result<StmtId> {
        if is_pure(term) {
            return self.leaf(term, to, place);
        }
        match &**term {
            Node::Loop(Loop::Gen, var, lo, hi, body) => {
                let index = Index::op(Arith::Sub, Index::Var(var.clone()), lo.clone());
                let to = to.replace(1, &[index], &[]);
                self.traverse((var, lo, hi), &to, place, |nest, to, inner| {
                    nest.part(body, to, inner)
                })
            }
            Node::Loop(Loop::Sum, var, lo, hi, body) if to.total.is_some() => {
                self.traverse((var, lo, hi), to, place, |nest, to, inner| {
                    nest.part(body, to, inner)
                })
            }
            Node::Loop(Loop::Sum, ..) => self.sum(term, to, place),
            Node::Guard(pred, body) => self.guard(pred, body, to, place),
            Node::Let(var, value, body) => self.bind(var, value, body, to, place),
            Node::Reshape(op, sizes, parts) => self.reshape(*op, sizes, parts, to, place),
            Node::Add(..) | Node::Mul(..) | Node::Call(..) if rank(term) == Rank::SCALAR => {
                // A part that is not an expression gets separate memory.
                let parts = children(term);
                let computed = parts.iter().position(|part| !is_pure(part));
                let number = computed.ok_or(LowerError::Shape)?;
                let (named, read) = self.named(parts[number], place)?;
                let body = with_child(term, number, read);
                let whole = Term::new(Node::Let(named, Term::clone(parts[number]), body));
                self.part(&whole, to, place)
            }
            Node::Add(left, right) => {
                let whole = self.elementwise(left, right, place)?;
                self.part(&whole, to, place)
            }
            Node::Var(_) | Node::Get(..) => {
                let whole = self.elements(term, place)?;
                self.part(&whole, to, place)
            }
            Node::Literal(_) | Node::Mul(..) | Node::Call(..) | Node::Apply(..) => {
                Err(LowerError::Shape)
            }
        }
    }

    /// Returns a new tensor variable for a term, and the variable as a term.
    fn named(&self, term: &Term, place: &Place) -> Result<(Var, Term)> {
        let shape = shape_of(term, place)?;
        let sort = halidom_atl::program::tensor_sort(&shape);
        let var = self.funcs.engine.supply.fresh("part", sort);
        let read = Term::new(Node::Var(var.clone()));
        Ok((var, read))
    }

    /// Returns the same tensor, element by element.
    fn elements(&self, term: &Term, place: &Place) -> Result<Term> {
        let shape = shape_of(term, place)?;
        Ok(self.generate(&shape, |indices| read(term, indices)))
    }

    /// Returns a tensor of a shape, from a function that makes its elements.
    fn generate(&self, shape: &Shape, element: impl FnOnce(&[Var]) -> Term) -> Term {
        let vars = self.params(shape.dims.len());
        let mut body = element(&vars);
        for (var, size) in vars.iter().zip(&shape.dims).rev() {
            let node = Node::Loop(Loop::Gen, var.clone(), Index::Num(0), size.clone(), body);
            body = Term::new(node);
        }
        body
    }

    /// Makes a sum of tensors, each in separate memory.
    fn elementwise(&self, left: &Term, right: &Term, place: &Place) -> Result<Term> {
        let shape = shape_of(left, place)?;
        let (a, read_a) = self.named(left, place)?;
        let (b, read_b) = self.named(right, place)?;
        let body = self.generate(&shape, |indices| {
            Term::new(Node::Add(read(&read_a, indices), read(&read_b, indices)))
        });
        let inner = Term::new(Node::Let(b, Term::clone(right), body));
        Ok(Term::new(Node::Let(a, Term::clone(left), inner)))
    }

    /// Makes a loop, narrowed to the limits.
    fn traverse(
        &mut self,
        (var, lo, hi): (&Var, &Index, &Index),
        to: &Destination,
        place: &Place,
        body: impl FnOnce(&mut Self, &Destination, &Place) -> Result<StmtId>,
    ) -> Result<StmtId> {
        let (mut lo, mut hi) = (lo.clone(), hi.clone());
        let mut to = to.clone();
        let range = |lo: &Index, hi: &Index| Fact::Range(var.clone(), lo.clone(), hi.clone());
        let wide = Place { context: place.context.with(range(&lo, &hi)), ..place.clone() };
        let kind = match self.traversals.get(&*var.name) {
            None => LoopKind::Serial,
            Some(Traversal::Parallel) => LoopKind::PARALLEL,
            Some(Traversal::Vectorized) => LoopKind::Vectorized,
            Some(Traversal::Unrolled) => LoopKind::Unrolled,
        };
        // The number of lanes or copies must be constant.
        let fixed = matches!(kind, LoopKind::Vectorized | LoopKind::Unrolled);
        let mut limits = Vec::new();
        for limit in std::mem::take(&mut to.limits) {
            if self.holds(&wide, &limit) {
                continue;
            }
            match bound(&limit, var).filter(|_| !fixed) {
                Some(Bound::Below(end)) => hi = Index::op(Arith::Min, hi, end),
                Some(Bound::From(start)) => lo = Index::op(Arith::Max, lo, start),
                None => limits.push(limit),
            }
        }
        to.limits = limits;
        let loop_var = self.pool().declare_var(&*var.name, Type::INT);
        let value = self.pool().var_expr(loop_var);
        let inner = Place {
            context: place.context.with(range(&lo, &hi)),
            indices: place.indices.with(var, value),
            repeated: !kind.is_parallel(),
        };
        let min = place.indices.index(self.pool(), &lo)?;
        let end = place.indices.index(self.pool(), &hi)?;
        let extent = indices::sub(self.pool(), end, min);
        if kind.is_parallel() {
            self.frames.push(Vec::new());
        }
        let mut body = body(self, &to, &inner)?;
        if kind.is_parallel() {
            body = self.lend(body);
        }
        Ok(self.pool().stmt(Stmt::For { var: loop_var, min, extent, kind, body }))
    }

    fn guard(
        &mut self,
        pred: &Pred,
        body: &Term,
        to: &Destination,
        place: &Place,
    ) -> Result<StmtId> {
        let limits = to.limits.iter().cloned().map(|(c, a, b)| Pred::Compare(c, a, b));
        let within = limits.fold(place.clone(), |place, limit| place.knowing(limit));
        let open = self.open(pred, &within);
        let inner = place.knowing(pred.clone());
        let Some(open) = open else { return self.part(body, to, &inner) };
        let condition = place.indices.pred(self.pool(), &open)?;
        let then_branch = self.part(body, to, &inner)?;
        let else_branch = match to.total {
            Some(_) => None,
            None => {
                let shape = shape_of(body, &inner)?;
                Some(self.zeros(&shape, to, place)?)
            }
        };
        Ok(self.pool().stmt(Stmt::If { condition, then_branch, else_branch }))
    }

    /// Returns the parts of a predicate that are not known to hold.
    fn open(&self, pred: &Pred, place: &Place) -> Option<Pred> {
        let Some(parts) = pred.conjuncts() else { return Some(pred.clone()) };
        let parts = parts.into_iter().map(|(c, a, b)| (c, a.clone(), b.clone()));
        let open = parts.filter(|part| !self.holds(place, part));
        open.map(|(c, a, b)| Pred::Compare(c, a, b)).reduce(Pred::and)
    }

    /// Stores zeros.
    fn zeros(&mut self, shape: &Shape, to: &Destination, place: &Place) -> Result<StmtId> {
        let zeros = self.generate(shape, |_| Term::new(Node::Literal("0".into())));
        self.part(&zeros, to, place)
    }

    fn bind(
        &mut self,
        var: &Var,
        value: &Term,
        body: &Term,
        to: &Destination,
        place: &Place,
    ) -> Result<StmtId> {
        let scope = (&place.indices, &place.context);
        let Tensor { func, shape, free } = self.funcs.bind(var, value, scope, Reads::Safe)?;
        let needed = self.region(&shape, &free, place)?;
        let buffer = self.allocate(func, &needed, &shape, place);
        let params = self.params(shape.len());
        let own = Destination {
            func,
            coords: params.iter().cloned().chain(free.iter().cloned()).map(Index::Var).collect(),
            dims: params.len(),
            params,
            limits: Vec::new(),
            total: None,
        };
        let made = self.part(value, &own, place)?;
        let label = Label::Func { func, needed };
        let made = self.pool().stmt(Stmt::Labeled { label, body: made });
        let whole = Term::new(Node::Let(var.clone(), Term::clone(value), Term::clone(body)));
        let inner = Place { context: place.context.enter(&whole, 1), ..place.clone() };
        let used = self.part(body, to, &inner)?;
        let body = self.pool().stmt(Stmt::Block(vec![made, used]));
        Ok(self.pool().stmt(Stmt::Allocate { buffer, body }))
    }

    /// Declares memory for a region of a func, within lent memory if it would be allocated
    /// repeatedly.
    fn allocate(
        &mut self,
        func: FuncId,
        region: &[Interval],
        shape: &[Index],
        place: &Place,
    ) -> BufferId {
        let pool = &mut self.funcs.pool;
        let extents: Vec<ExprId> = region.iter().map(|interval| interval.extent).collect();
        let mut stride = pool.int(1);
        let mut dims = Vec::with_capacity(region.len());
        for interval in region {
            dims.push(Dim::new(interval.min, interval.extent, stride));
            stride = indices::mul(pool, stride, interval.extent);
        }
        let (name, scalar) = (pool.func(func).name.clone(), pool.func(func).scalar(0));
        let mut decl = BufferDecl {
            name: name.clone(),
            scalar,
            func,
            component: 0,
            kind: BufferKind::Internal,
            store_in: StoreIn::Auto,
            realigned: false,
            dims,
        };
        let bytes = scalar.bytes().unwrap_or(8) as i128;
        let size = pool.as_constant(stride).and_then(Constant::as_integer);
        let small = size.is_some_and(|size| size.saturating_mul(bytes) <= STACK_LIMIT);
        let mut constant = true;
        for size in shape {
            size.variables(&mut |var| constant &= self.funcs.sizes.is_size(var));
        }
        self.allocations.push((name.clone(), extents));
        if !small && constant && place.repeated {
            let mut lent = decl.clone();
            lent.name = format!("{name}.memory");
            for dim in &mut lent.dims {
                dim.min = pool.int(0);
            }
            let lender = pool.declare_buffer(lent);
            if let Some(frame) = self.frames.last_mut() {
                frame.push(lender);
            }
            decl.store_in = StoreIn::Within(lender);
        }
        self.funcs.pool.declare_buffer(decl)
    }

    fn reshape(
        &mut self,
        op: Reshape,
        sizes: &[Index],
        parts: &[Term],
        to: &Destination,
        place: &Place,
    ) -> Result<StmtId> {
        let first = parts.first().ok_or(LowerError::Shape)?;
        let new = self.params(2);
        let (i, j) = (Index::Var(new[0].clone()), Index::Var(new[1].clone()));
        match (op, sizes) {
            (Reshape::Transpose, _) => {
                let to = to.replace(2, &[j, i], &new);
                self.part(first, &to, place)
            }
            (Reshape::Flatten, [_, m]) => {
                let flat = i.times(m.clone()).plus(j);
                let to = to.replace(1, &[flat], &new);
                self.part(first, &to, place)
            }
            (Reshape::Split, [n, k]) => {
                let parts = [Arith::Div, Arith::Mod];
                let parts = parts.map(|op| Index::exact(op, i.clone(), k.clone()));
                let to = to.replace(2, &parts, &new[..1]);
                let blocks = Index::exact(Arith::Ceil, n.clone(), k.clone());
                let end = blocks.times(k.clone());
                let rest = (n.clone(), Index::op(Arith::Sub, end, n.clone()));
                self.padded(first, &to, &rest, place)
            }
            (Reshape::TruncR, [k]) => {
                let to =
                    to.clone().limited((Compare::Lt, Index::Var(to.params[0].clone()), k.clone()));
                self.part(first, &to, place)
            }
            (Reshape::TruncL, [n, k]) => {
                let start = n.clone().minus(k.clone());
                let moved = i.clone().minus(start.clone());
                let to = to.replace(1, &[moved], &new[..1]).limited((Compare::Le, start, i));
                self.part(first, &to, place)
            }
            (Reshape::PadR, [n, k]) => self.padded(first, to, &(n.clone(), k.clone()), place),
            (Reshape::PadL, [_, k]) => {
                let moved = to.replace(1, &[i.plus(k.clone())], &new[..1]);
                let inside = self.part(first, &moved, place)?;
                let mut shape = shape_of(first, place)?;
                shape.dims[0] = k.clone();
                let zeros = self.zeros(&shape, to, place)?;
                Ok(self.pool().stmt(Stmt::Block(vec![zeros, inside])))
            }
            (Reshape::Concat, [n, _]) => {
                let second = parts.get(1).ok_or(LowerError::Shape)?;
                let moved = to.replace(1, &[n.clone().plus(i)], &new[..1]);
                let parts = vec![self.part(first, to, place)?, self.part(second, &moved, place)?];
                Ok(self.pool().stmt(Stmt::Block(parts)))
            }
            (
                Reshape::Concat
                | Reshape::Flatten
                | Reshape::Split
                | Reshape::PadR
                | Reshape::PadL
                | Reshape::TruncR
                | Reshape::TruncL,
                _,
            ) => Err(LowerError::Shape),
        }
    }

    /// Makes a part followed by zeros, given the position of the first zero and their number.
    fn padded(
        &mut self,
        term: &Term,
        to: &Destination,
        (from, count): &(Index, Index),
        place: &Place,
    ) -> Result<StmtId> {
        let inside = self.part(term, to, place)?;
        let none = (Compare::Le, count.clone(), Index::Num(0));
        if to.total.is_some() || self.holds(place, &none) {
            return Ok(inside);
        }
        let mut shape = shape_of(term, place)?;
        if shape.dims.is_empty() {
            return Err(LowerError::Shape);
        }
        shape.dims[0] = count.clone();
        let new = self.params(1);
        let moved = Index::Var(new[0].clone()).plus(from.clone());
        let zeros = self.zeros(&shape, &to.replace(1, &[moved], &new), place)?;
        Ok(self.pool().stmt(Stmt::Block(vec![inside, zeros])))
    }

    /// Makes a sum: accumulated in separate memory, then copied.
    fn sum(&mut self, term: &Term, to: &Destination, place: &Place) -> Result<StmtId> {
        let shape = shape_of(term, place)?;
        let total = self.funcs.totals.get(&to.func).cloned();
        let starts = total.as_ref().and_then(|_| block(&to.coords, &to.params));
        let (Some(total), Some(starts)) = (total, starts) else {
            let (var, read_all) = self.named(term, place)?;
            let body = self.generate(&shape, |indices| read(&read_all, indices));
            let whole = Term::new(Node::Let(var, Term::clone(term), body));
            return self.part(&whole, to, place);
        };
        // The block's box, and the part of it within the limits.
        let (mut region, mut needed, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        let mut limits = Vec::new();
        let mut ends: Vec<Option<Index>> = vec![None; to.params.len()];
        for limit in &to.limits {
            let narrowed = to
                .params
                .iter()
                .position(|param| limit.1.mentions(param) || limit.2.mentions(param));
            match narrowed.and_then(|number| Some((number, bound(limit, &to.params[number])?))) {
                Some((number, Bound::Below(end))) => {
                    let size = ends[number].take().unwrap_or_else(|| shape.dims[number].clone());
                    ends[number] = Some(Index::op(Arith::Min, size, end));
                }
                Some((_, Bound::From(_))) | None => limits.push(limit.clone()),
            }
        }
        for (start, param) in &starts {
            let min = place.indices.index(self.pool(), start)?;
            let (size, narrow) = match param {
                Some(number) => (shape.dims[*number].clone(), ends[*number].clone()),
                None => (Index::Num(1), None),
            };
            let extent = place.indices.index(self.pool(), &size)?;
            let inside = match narrow {
                Some(end) => place.indices.index(self.pool(), &end)?,
                None => extent,
            };
            region.push(Interval { min, extent });
            needed.push(Interval { min, extent: inside });
            sizes.push(size);
        }
        region[..to.dims].reverse();
        needed[..to.dims].reverse();
        let buffer = self.allocate(total.func, &region, &sizes, place);
        let mut own = to.clone();
        own.func = total.func;
        own.limits.retain(|limit| !limits.contains(limit));
        let cleared = self.zeros(&shape, &own, place)?;
        own.total = Some(total.clone());
        let added = self.part(term, &own, place)?;
        let body = self.pool().stmt(Stmt::Block(vec![cleared, added]));
        let label = Label::Func { func: total.func, needed };
        let made = self.pool().stmt(Stmt::Labeled { label, body });
        own.total = None;
        own.func = to.func;
        let copied = self.copy(&shape, total.func, &own, place)?;
        let body = self.pool().stmt(Stmt::Block(vec![made, copied]));
        let body = self.pool().stmt(Stmt::Allocate { buffer, body });
        self.limit(&limits, body, place)
    }

    /// Copies a block of a func's values.
    fn copy(
        &mut self,
        shape: &Shape,
        from: FuncId,
        to: &Destination,
        place: &Place,
    ) -> Result<StmtId> {
        let vars = self.params(shape.dims.len());
        self.copy_rows(&vars, &shape.dims, from, to, place)
    }

    fn copy_rows(
        &mut self,
        vars: &[Var],
        dims: &[Index],
        from: FuncId,
        to: &Destination,
        place: &Place,
    ) -> Result<StmtId> {
        let (Some((var, vars)), Some((size, dims))) = (vars.split_first(), dims.split_first())
        else {
            let coords = self.coords(to, place)?;
            let value = self.pool().func_ref(from, 0, coords.clone());
            let stored = self.provide(to, coords, value, Vec::new());
            return self.limit(&to.limits, stored, place);
        };
        let to = to.replace(1, &[Index::Var(var.clone())], &[]);
        self.traverse((var, &Index::Num(0), size), &to, place, |nest, to, inner| {
            nest.copy_rows(vars, dims, from, to, inner)
        })
    }

    /// Puts the condition that limits hold around a statement.
    fn limit(&mut self, limits: &[Comparison], stmt: StmtId, place: &Place) -> Result<StmtId> {
        let mut conditions = Vec::new();
        for limit in limits {
            if !self.holds(place, limit) {
                let pred = Pred::Compare(limit.0, limit.1.clone(), limit.2.clone());
                conditions.push(place.indices.pred(self.pool(), &pred)?);
            }
        }
        if conditions.is_empty() {
            return Ok(stmt);
        }
        let condition = indices::all(self.pool(), conditions);
        Ok(self.pool().stmt(Stmt::If { condition, then_branch: stmt, else_branch: None }))
    }

    /// Returns the point of a destination in the IR's order: the last dimension first, then further
    /// arguments.
    fn coords(&mut self, to: &Destination, place: &Place) -> Result<Vec<ExprId>> {
        let coords = to.coords.iter().map(|coord| place.indices.index(&mut self.funcs.pool, coord));
        let mut coords = coords.collect::<Result<Vec<ExprId>>>()?;
        coords[..to.dims].reverse();
        Ok(coords)
    }

    fn provide(
        &mut self,
        to: &Destination,
        coords: Vec<ExprId>,
        value: ExprId,
        point: Vec<ExprId>,
    ) -> StmtId {
        let stage = usize::from(to.total.is_some());
        self.pool().stmt(Stmt::Provide {
            func: to.func,
            stage,
            coords: coords.into(),
            point: point.into(),
            values: Box::new([value]),
            atomic: false,
        })
    }
}

/// Returns the substitution of a func's arguments at a point.
pub(crate) fn at_point(args: &[halidom_ir::VarId], coords: &[ExprId]) -> Substitution {
    let mut at = Substitution::new();
    for (arg, coord) in args.iter().zip(coords) {
        at.insert(*arg, *coord);
    }
    at
}
