//! Funcs whose values are kept between runs (`memoize`).
//!
//! # Correctness
//! A lookup in the cache either finds nothing, and the code computes the func and stores it, or it
//! finds memory that an earlier run of the code stored under an equal key, for equal bounds and an
//! equal shape of the memory ([`Condition::Memoized`]). The translation always computes the func.
//! Then it copies exactly the elements within the bounds to other memory, of a func of its own that
//! copies the memoized one, and all later reads are reads of that memory. So it is owed that the
//! memory holds the func's values within the bounds, at the places that the shape gives, and that
//! nothing else is read. An earlier run owes the same. Its values are this run's, because the key
//! holds every parameter that the func depends on, whole: the bytes of each one are stored and no
//! later store touches them. All bytes of a key are stored, and it begins with a string and a
//! number that no other func has. The memory has the func's rank and element type. A func that
//! depends on an input is refused.
//!
//! A lookup that fails, which returns -1, ends the run with an error at once.
//!
//! What runs only if nothing is found stores to the func and to memory of its own, and has no other
//! effect; nothing else stores to the func.

use halidom_base::FxHashSet;
use halidom_ir::{
    BinaryOp as Op, BufferDecl, BufferId, BufferKind, Constant, Expr as IrExpr, ExprId, FuncDecl,
    FuncId, FuncKind, LoopKind, Pool, Prophecy, Stage, Stmt as IrStmt, StmtId, Type as IrType,
    VarId,
};

use super::algorithm::{Source, Translation};
use super::buffers::Struct;
use super::error::{Result, unsupported};
use super::kernels::mentions;
use super::keys::{Key, Looked, Part};
use super::memory::Allocation;
use super::nodes::{Binding, Buffer};
use super::ops::Value;
use super::walk::{Item, Place, Walk};
use crate::pipeline::Func;
use crate::tree::{BinaryOp, Call, Expr, Scalar, Stmt, StmtKind, Type};
use crate::{Condition, NameId, Names};

/// The end of the name of a key.
const KEY: &str = ".cache_key";
const LOOKUP: &str = "halide_memoization_cache_lookup";
const STORE: &str = "halide_memoization_cache_store";
const RELEASE: &str = "halide_memoization_cache_release";

impl Translation<'_> {
    /// The func that stands for what the cache gives.
    pub(super) fn memoized(&mut self, func: &Func, id: FuncId, source: &mut Source) -> FuncId {
        let decl = self.pool.func(id).clone();
        let name = format!("{}.memo", decl.name);
        let args: Vec<VarId> = decl
            .args
            .iter()
            .map(|arg| {
                let name = self.pool.var(*arg).name.clone();
                self.pool.declare_var(name, IrType::INT)
            })
            .collect();
        let lhs: Vec<ExprId> = args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let count = decl.scalars.len();
        let values = (0..count).map(|number| self.pool.func_ref(id, number, lhs.clone())).collect();
        let stages = vec![Stage { domain: Vec::new(), predicate: None, lhs, values }];
        let kind = FuncKind::Defined { stages, synthetic: false };
        let copy = self.pool.declare_func(FuncDecl { name, scalars: decl.scalars, args, kind });
        source.types.insert(copy, source.types[&id].clone());
        source.memos.insert(func.name, copy);
        self.nodes.funcs.insert(func.name, copy);
        copy
    }
}

/// Tests whether the name of a function contains that of a pointer that it takes, after the number
/// of the argument, or whether its result is an address (`Lowering::named`).
fn has_pointer(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_pointer = |word: &str| word.split_once(':').is_some_and(|(place, _)| is_number(place));
    name.starts_with("address of ") || name.split(' ').any(is_pointer)
}

/// Tests whether a value tells apart all values of a parameter: it is the parameter, or a truth
/// value as a number.
fn is_whole(pool: &Pool, value: ExprId, param: VarId) -> bool {
    let is_param = |id: ExprId| *pool.get(id) == IrExpr::Var(param);
    if let IrExpr::Cast(_, inner) = *pool.get(value) {
        return is_param(inner) && pool.ty(inner) == IrType::BOOL;
    }
    if let IrExpr::Select { condition, if_true, if_false } = *pool.get(value) {
        let numbers = [if_true, if_false].map(|arm| pool.as_constant(arm));
        return is_param(condition)
            && matches!(numbers, [Some(a), Some(b)] if a.as_integer() != b.as_integer());
    }
    is_param(value)
}

/// Tests whether a statement ends the run if a lookup failed.
fn tests_lookup(stmt: &Stmt, result: NameId) -> bool {
    let StmtKind::Assert { condition: Expr::Binary(BinaryOp::Ne, operands), message: _ } =
        &stmt.kind
    else {
        return false;
    };
    matches!(&**operands,
        [Expr::Variable { name, ty: _ }, Expr::Int(-1, _)] if *name == result)
}

/// The part of a condition that is not about whether anything needs the func. Such a condition
/// mentions no result of a lookup.
fn alone<'e>(condition: &'e Expr, results: &FxHashSet<NameId>) -> &'e Expr {
    if let Expr::Binary(BinaryOp::And, operands) = condition
        && let [found, needed] = &**operands
        && !mentions(needed, results)
    {
        return found;
    }
    condition
}

/// Tests whether a value is a `halide_buffer_t` that the statement makes for some memory.
fn points_into(names: &Names, value: &Expr, memory: &[NameId]) -> bool {
    if let Expr::Let { name: _, value: _, body } = value {
        return points_into(names, body, memory);
    }
    let Expr::Call(call) = value else { return false };
    names.text(call.name) == "_halide_buffer_init"
        && matches!(call.args.get(2), Some(Expr::Variable { name, ty: _ }) if memory.contains(name))
}

impl Walk<'_> {
    /// The memoized func whose key has a name.
    fn keyed(&self, name: NameId) -> Option<NameId> {
        let func = self.nodes.names.text(name).strip_suffix(KEY)?;
        let func = self.nodes.names.find(func)?;
        self.source.memos.contains_key(&func).then_some(func)
    }

    /// Begins a key, if an allocation is one.
    pub(super) fn new_key(&mut self, stated: &Allocation<'_>) -> Result<bool> {
        let Allocation { name, ty, extents, padding, memory: _, condition, new, free } = stated;
        let Some(func) = self.keyed(*name) else { return Ok(false) };
        let [Expr::Int(size, _)] = extents else {
            return unsupported("a key of a cache whose size is not fixed");
        };
        let is_plain = condition.is_none() && new.is_none() && free.is_none() && *padding == 0;
        if !is_plain || *ty != Type::of(Scalar::UInt(8)) {
            return unsupported("a key of a cache in other memory than bytes of its own");
        }
        if self.place != Place::Host {
            return unsupported("a memoized func on a device");
        }
        let (region, parts) = (self.region, Vec::new());
        let key = Key { func, region, size: *size, parts, found: None, is_freed: false };
        self.keys.insert(*name, key);
        Ok(true)
    }

    /// Stores to a key, if a store does so.
    pub(super) fn key_store(
        &mut self,
        pool: &mut Pool,
        (name, index, value): (NameId, &Expr, &Expr),
        predicate: Option<&Expr>,
    ) -> Result<bool> {
        if !self.keys.contains_key(&name) {
            return Ok(false);
        }
        let (Expr::Int(index, _), None) = (index, predicate) else {
            return unsupported("a part of a key at an unknown place");
        };
        let (width, part) = if let Expr::String(text) = value {
            (8, Part::Text(text.to_vec()))
        } else {
            let node = self.nodes.elaborate(pool, value)?;
            let ty = self.nodes.ty(node);
            let bits = match ty.scalar {
                Scalar::Int(bits) | Scalar::UInt(bits) | Scalar::Float(bits) => bits,
                Scalar::BFloat(_) | Scalar::Handle(_) => {
                    return unsupported("a part of a key of this type");
                }
            };
            if ty.lanes != 1 || self.nodes.reads_memory(node) {
                return unsupported("a part of a key that is a vector, or from memory");
            }
            let id = self.lower(pool, |lowering| lowering.scalar(node))?.id;
            let number = pool.as_constant(id).and_then(Constant::as_integer);
            let part = match number.and_then(|number| i64::try_from(number).ok()) {
                Some(number) => Part::Number(number),
                None => Part::Value(id),
            };
            (i64::from(bits.div_ceil(8)), part)
        };
        let region = self.region;
        let Some(key) = self.keys.get_mut(&name).filter(|key| key.is_live(region)) else {
            return unsupported("a part of a key that is stored at times only");
        };
        let (begin, end) = (index * width, index * width + width);
        if key.found.is_some() || *index < 0 || end > key.size {
            return unsupported("a part of a key outside of it, or after it was looked up");
        }
        // What a later store touches is no longer whole.
        key.parts.retain(|(other, width, _)| other + width <= begin || end <= *other);
        key.parts.push((begin, width, part));
        self.work_begun = true;
        Ok(true)
    }

    /// Translates a lookup, if a value is one: nothing is found.
    pub(super) fn lookup(
        &mut self,
        pool: &mut Pool,
        (result, value): (NameId, &Expr),
        rest: &[Stmt],
    ) -> Result<Option<Binding>> {
        let Expr::Call(call) = value else {
            if !self.miss(result, value) {
                return Ok(None);
            }
            let always = Value { id: pool.constant(Constant::bool(true)), ty: Scalar::UInt(1) };
            return Ok(Some(Binding::Node(self.nodes.value(always))));
        };
        if self.nodes.names.text(call.name) != LOOKUP {
            return Ok(None);
        }
        let [Expr::Variable { name, ty: _ }, Expr::Int(size, _), bounds, Expr::Int(1, _), buffers] =
            call.args.as_slice()
        else {
            return unsupported("this lookup in a cache");
        };
        let key = self.keys.get(name).filter(|key| key.is_live(self.region)).cloned();
        let (Some(key), Some(shape)) = (key, self.only(buffers)) else {
            return unsupported("a lookup in a cache by something else than a key");
        };
        let Some((_, bounds)) = self.passed(bounds) else {
            return unsupported("a lookup in a cache without bounds");
        };
        if *size != key.size || key.found.is_some() {
            return unsupported("a lookup in a cache with another key");
        }
        self.is_whole(pool, *name, &key)?;
        let of = self.source.memos[&key.func];
        let rank = pool.func(of).rank();
        let is_of_its_type = self.source.types[&of].as_slice() == [shape.ty];
        if bounds.dims.len() != rank
            || shape.dims.len() != rank
            || shape.memory.is_some()
            || !is_of_its_type
        {
            return unsupported("a lookup in a cache of another shape");
        }
        // The lookup writes to the buffer.
        if [&bounds, &shape].iter().any(|made| made.region != self.region) {
            return unsupported("a lookup in a cache with a buffer from outside of a loop or task");
        }
        if !self.source.settings.no_asserts
            && !rest.first().is_some_and(|stmt| tests_lookup(stmt, result))
        {
            return unsupported("a lookup in a cache whose failure is not tested at once");
        }
        self.contract.others.insert(Condition::Memoized);
        let found = Looked { args: call.args.clone(), bounds, shape, memory: None };
        if let Some(key) = self.keys.get_mut(name) {
            key.found = Some(found);
        }
        self.results.insert(result, (key.func, false));
        let miss = Value { id: pool.int(1), ty: Scalar::Int(32) };
        Ok(Some(Binding::Node(self.nodes.value(miss))))
    }

    /// Notes a name for the fact that nothing was found, which is the result as a truth value.
    /// Returns false if the value is something else.
    fn miss(&mut self, name: NameId, value: &Expr) -> bool {
        if let Expr::Cast(Type::BOOL, result) = value
            && let Expr::Variable { name: result, ty: _ } = &**result
            && let Some((func, false)) = self.results.get(result).copied()
        {
            self.results.insert(name, (func, true));
            return true;
        }
        false
    }

    /// Refuses a statement that uses the result of a lookup in another way than Halide does: as a
    /// truth value with a name, in the test for an error, and as the condition under which the func
    /// is computed, perhaps with one under which it is needed. In the last case, returns the func.
    pub(super) fn after_lookup(&self, stmt: &Stmt) -> Result<Option<NameId>> {
        if self.results.is_empty() {
            return Ok(None);
        }
        let names: FxHashSet<NameId> = self.results.keys().copied().collect();
        let mut uses = false;
        stmt.for_each_expr(&mut |expr| uses |= mentions(expr, &names));
        if !uses {
            return Ok(None);
        }
        if let StmtKind::Let { name, value: _ } = &stmt.kind
            && matches!(self.results.get(name), Some((_, true)))
        {
            return Ok(None);
        }
        if let StmtKind::Let { name: _, value: Expr::Cast(Type::BOOL, result) } = &stmt.kind
            && matches!(**result, Expr::Variable { name: _, ty: _ })
        {
            return Ok(None);
        }
        if names.iter().any(|name| tests_lookup(stmt, *name)) {
            return Ok(None);
        }
        if let StmtKind::If { condition, then_branch, else_branch } = &stmt.kind
            && let Expr::Variable { name, ty: _ } = alone(condition, &names)
            && let Some((func, true)) = self.results.get(name)
            && else_branch.is_none()
        {
            self.computes_only(then_branch, &mut vec![*func])?;
            return Ok(Some(*func));
        }
        unsupported("this use of the result of a lookup in a cache")
    }

    /// Refuses a block that has other effects than stores to certain memory and to its own: it does
    /// not run if something is found.
    fn computes_only(&self, block: &[Stmt], memory: &mut Vec<NameId>) -> Result<()> {
        let before = memory.len();
        for stmt in block {
            let is_harmless = match &stmt.kind {
                StmtKind::Allocate {
                    name,
                    ty: _,
                    extents: _,
                    padding: _,
                    memory: _,
                    condition: _,
                    new: _,
                    free: _,
                } => {
                    memory.push(*name);
                    true
                }
                StmtKind::Store { name, index: _, alignment: _, value: _, predicate: _ } => {
                    memory.contains(name)
                }
                StmtKind::Let { name, value } => {
                    if points_into(self.nodes.names, value, memory) {
                        memory.push(*name);
                    }
                    !self.is_stage(value) || self.computes_into(value, memory)
                }
                StmtKind::Evaluate(Expr::Call(call)) => {
                    let name = self.nodes.names.text(call.name);
                    name == STORE || name == "prefetch"
                }
                StmtKind::ProducerConsumer { name: _, role: _, body: _ }
                | StmtKind::For { name: _, min: _, extent: _, kind: _, device: _, body: _ }
                | StmtKind::If { condition: _, then_branch: _, else_branch: _ }
                | StmtKind::Scope(_)
                | StmtKind::Atomic { producer: _, mutex: _, body: _ }
                | StmtKind::Assert { condition: _, message: _ } => true,
                StmtKind::Free(name) => memory.contains(name),
                StmtKind::Evaluate(_)
                | StmtKind::Prefetch { name: _, at: _, from: _, bounds: _ }
                | StmtKind::Acquire { semaphore: _, count: _, body: _ }
                | StmtKind::Fork(_)
                | StmtKind::Provide { name: _, args: _, values: _, predicate: _ }
                | StmtKind::Realize { name: _, bounds: _, memory: _, condition: _, body: _ }
                | StmtKind::HoistedStorage { name: _, body: _ } => false,
            };
            if !is_harmless {
                return unsupported("an effect that only a run without a cached value has");
            }
            let mut result = Ok(());
            stmt.for_each_block(&mut |block| {
                if result.is_ok() {
                    result = self.computes_only(block, memory);
                }
            });
            result?;
        }
        memory.truncate(before);
        Ok(())
    }

    /// Tests whether a call of an extern function computes its func in some buffers. It has no
    /// other effect.
    fn computes_into(&self, value: &Expr, buffers: &[NameId]) -> bool {
        let Expr::Call(call) = value else { return false };
        let funcs = self.pipeline.funcs.iter().filter(|func| {
            func.external.as_ref().is_some_and(|external| external.function == call.name)
        });
        let count = funcs.map(|func| func.types.len()).max().unwrap_or(usize::MAX);
        let first = call.args.len().checked_sub(count);
        first.is_some_and(|first| {
            call.args[first..]
                .iter()
                .all(|arg| matches!(arg, Expr::Variable { name, ty: _ } if buffers.contains(name)))
        })
    }

    /// Refuses a store to a memoized func that also runs if the cache has it.
    pub(super) fn may_store(&self, name: NameId) -> Result<()> {
        if self.source.memos.contains_key(&name)
            && !self.missed.iter().any(|(func, _)| *func == name)
        {
            return unsupported("a store to a memoized func that the cache may have");
        }
        Ok(())
    }

    /// Ends the life of a key.
    pub(super) fn free_key(&mut self, name: NameId) -> Result<bool> {
        let region = self.region;
        match self.keys.get_mut(&name) {
            Some(key) if key.is_live(region) => {
                key.is_freed = true;
                Ok(true)
            }
            Some(_) => unsupported("a second `free` of a key, or one in another place"),
            None => Ok(false),
        }
    }

    /// The only buffer of a list.
    fn only(&self, list: &Expr) -> Option<Struct> {
        let Expr::Call(call) = list else { return None };
        let [buffer] = call.args.as_slice() else { return None };
        let is_list = self.nodes.names.text(call.name) == "make_struct";
        self.passed(buffer).filter(|_| is_list).map(|(_, passed)| passed)
    }

    /// Checks that a key tells apart all that its func depends on.
    fn is_whole(&self, pool: &Pool, name: NameId, key: &Key) -> Result<()> {
        let begin = |key: &Key| {
            let part = |at: i64, width: i64| {
                let mut parts = key.parts.iter();
                parts.find(|part| (part.0, part.1) == (at, width)).map(|part| part.2.clone())
            };
            match (part(0, 8), part(8, 4)) {
                (Some(Part::Text(text)), Some(Part::Number(number))) => Some((text, number)),
                _ => None,
            }
        };
        let own = begin(key);
        let mut others =
            self.keys.iter().filter(|(other, key)| **other != name && begin(key) == own);
        if own.is_none() || others.any(|(_, other)| other.func != key.func) {
            return unsupported("a key of a cache that does not name its func");
        }
        let stored: i64 = key.parts.iter().map(|(_, width, _)| width).sum();
        if stored != key.size {
            return unsupported("a key of a cache with bytes that are not stored, or stored twice");
        }
        let func = self.source.funcs[&key.func];
        for var in self.dependencies(pool, func)? {
            let is_it = |part: &Part| match part {
                Part::Value(id) => is_whole(pool, *id, var),
                Part::Text(_) | Part::Number(_) => false,
            };
            if !key.parts.iter().any(|(_, _, part)| is_it(part)) {
                return unsupported(format!(
                    "a key of a cache that does not hold `{}` whole",
                    pool.var(var).name
                ));
            }
        }
        Ok(())
    }

    /// The parameters and sides of buffers that a func depends on.
    fn dependencies(&self, pool: &Pool, func: FuncId) -> Result<Vec<VarId>> {
        let (mut seen, mut pending) = (FxHashSet::default(), vec![func]);
        let (mut found, mut reads_input, mut takes_pointer) = (Vec::new(), false, false);
        while let Some(func) = pending.pop() {
            if !seen.insert(func) {
                continue;
            }
            let decl = pool.func(func);
            reads_input |= matches!(decl.kind, FuncKind::Input { buffer: _ });
            let domains = decl.stages().iter().flat_map(|stage| &stage.domain);
            let ends = domains.flat_map(|variable| [variable.min, variable.extent]);
            for root in decl.stages().iter().flat_map(Stage::roots).chain(ends) {
                pool.for_each_subexpr(root, &mut |_, expr| match expr {
                    IrExpr::Ref { func, .. } => pending.push(*func),
                    IrExpr::Var(var) if self.signature.contains(var) && !found.contains(var) => {
                        found.push(*var);
                    }
                    IrExpr::Apply { function, .. } => {
                        takes_pointer |= has_pointer(&pool.function(*function).name);
                    }
                    IrExpr::Const(_)
                    | IrExpr::Var(_)
                    | IrExpr::Unary(..)
                    | IrExpr::Binary(..)
                    | IrExpr::Select { .. }
                    | IrExpr::Cast(..)
                    | IrExpr::Call(..)
                    | IrExpr::Load { .. }
                    | IrExpr::Ramp { .. }
                    | IrExpr::Broadcast { .. }
                    | IrExpr::Shuffle { .. }
                    | IrExpr::Hole(_) => {}
                });
            }
        }
        if takes_pointer {
            return unsupported("a memoized func that depends on a pointer");
        }
        if reads_input {
            return unsupported("a memoized func that depends on an input");
        }
        Ok(found)
    }

    /// The key of the func whose memory an allocation takes from a cache.
    pub(super) fn cached(
        &self,
        name: NameId,
        (new, free): (Option<&Expr>, Option<NameId>),
    ) -> Option<NameId> {
        let (Some(Expr::Call(new)), Some(free)) = (new, free) else { return None };
        let Call { name: of, ty: _, args, kind: _, component: _, parameter: _ } = &**new;
        let [Expr::Variable { name: buffer, ty: _ }] = args.as_slice() else { return None };
        let names = self.nodes.names;
        let is_its = names.text(*of) == "_halide_buffer_get_host"
            && names.text(free) == RELEASE
            && names.text(*buffer).strip_suffix(".buffer") == Some(names.text(name))
            && matches!(self.nodes.lookup(*buffer), Some(Binding::Struct(_)));
        let own: FxHashSet<NameId> = std::iter::once(*buffer).collect();
        let (key, _) = self.keys.iter().find(|(_, key)| {
            key.func == name
                && key.found.as_ref().is_some_and(|found| {
                    found.memory.is_none() && found.args.iter().any(|arg| mentions(arg, &own))
                })
        })?;
        is_its.then_some(*key)
    }

    /// Declares the memory that is read once a memoized func is stored, next to its own memory.
    pub(super) fn second_memory(
        &mut self,
        pool: &mut Pool,
        (key, name): (NameId, NameId),
        own: BufferId,
    ) -> Result<Vec<Item>> {
        let decl = pool.buffer(own).clone();
        let func = self.source.memos[&name];
        let shape = match self.keys.get(&key).and_then(|key| key.found.as_ref()) {
            Some(found) => found.shape.clone(),
            None => return unsupported("memory of a cache that was not looked up"),
        };
        let mut items = Vec::new();
        for (dim, stated) in decl.dims.iter().zip(&shape.dims) {
            for (have, want) in [(dim.extent, stated.extent), (dim.stride, stated.stride)] {
                let same = pool.binary(Op::Eq, have, want);
                items.push(Item::Stmt(self.owed(pool, same)?));
            }
        }
        let second = pool.declare_buffer(BufferDecl {
            name: format!("{}.memo", decl.name),
            func,
            kind: BufferKind::Internal,
            ..decl
        });
        if let Some(found) = self.keys.get_mut(&key).and_then(|key| key.found.as_mut()) {
            found.memory = Some([own, second]);
        }
        items.push(Item::Allocate(second));
        Ok(items)
    }

    /// Translates a store to the cache, if a call is one: the elements within the bounds are copied
    /// to the memory that is read from here on.
    pub(super) fn stored_in_cache(
        &mut self,
        pool: &mut Pool,
        value: &Expr,
    ) -> Result<Option<StmtId>> {
        let Expr::Call(call) = value else { return Ok(None) };
        if self.nodes.names.text(call.name) != STORE {
            return Ok(None);
        }
        let [looked @ .., Expr::UInt(0, _), Expr::UInt(0, _)] = call.args.as_slice() else {
            return unsupported("this store to a cache");
        };
        let key = match looked.first() {
            Some(Expr::Variable { name, ty: _ }) => self.keys.get(name).cloned(),
            Some(_) | None => None,
        };
        let key = key.filter(|key| {
            let missed = self.missed.iter().find(|(func, _)| *func == key.func);
            let region = missed.map(|(_, needed)| needed.unwrap_or(key.region));
            region == Some(self.region) && key.is_live(key.region)
        });
        let Some((func, found)) = key.and_then(|key| Some((key.func, key.found?))) else {
            return unsupported("a store to a cache by something else than a key");
        };
        let (Some([own, second]), true) = (found.memory, found.args == looked) else {
            return unsupported("a store to a cache of something else than was looked up");
        };
        let (zero, dims) = (pool.int(0), pool.buffer(own).dims.clone());
        let text = self.nodes.names.text(func).to_owned();
        let (mut index, mut loops, mut coords) = (zero, Vec::new(), Vec::new());
        let places = found.bounds.dims.iter().zip(&found.shape.dims).zip(&dims);
        for (number, ((bound, shape), dim)) in places.enumerate() {
            let var = pool.declare_var(format!("{text}.memo.{number}.rebased"), IrType::INT);
            let step = pool.var_expr(var);
            let first = pool.sub(bound.min, shape.min);
            let slot = pool.add(first, step);
            let length = pool.mul(slot, dim.stride);
            index = pool.add(index, length);
            loops.push((var, bound.extent));
            coords.push(pool.add(bound.min, step));
        }
        let value = pool.load(own, index, None);
        // Equal bounds mean equal values in another run, so the bounds must be the coordinates.
        // This claim is owed.
        let of = self.source.memos[&func];
        let prophecy =
            Some(Prophecy { func: of, stage: 0, coords: coords.into(), point: Box::default() });
        let atomic = false;
        let mut body = pool.stmt(IrStmt::Store { buffer: second, index, value, prophecy, atomic });
        for (var, extent) in loops {
            let kind = LoopKind::Serial;
            body = pool.stmt(IrStmt::For { var, min: zero, extent, kind, body });
        }
        let ty = self.source.types[&self.source.memos[&func]][0];
        self.nodes.buffers.insert(func, Buffer { id: second, ty, dims: Vec::new() });
        Ok(Some(body))
    }
}
