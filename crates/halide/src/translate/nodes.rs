//! Expressions with resolved names and known types, as a graph without duplicates.
//!
//! A text omits the types of bound names (`IRPrinter.cpp` prints a name's type only if the name is
//! unknown and not an `int32`). Types are therefore propagated from the binding of a name to its
//! uses.

use halidom_base::{Arena, FxHashMap, FxHashSet, IndexMap, IndexSet, Interner, define_id};
use halidom_ir::{BufferId, Dim, ExprId, FuncId, Pool};

use super::buffers::Struct;
use super::constants::folded;
use super::error::{Result, UNHELD, unsupported};
use super::fields::fixed_field;
use super::intrinsics::Named;
use super::ops::{Ops, Value, Widths};
use super::settings::Departures;
use crate::text::digits;
use crate::tree::{
    Alignment, BinaryOp, Call, CallKind, Expr, Load, ReduceOp, Scalar, ShuffleKind, Type,
};
use crate::{NameId, Names};

/// The wrapper of Halide 19.0.0 within which every operator on floats is strict.
const STRICT: &str = "strict_float";

/// The most lanes of a vector: Halide counts them in 16 bits.
const MOST_LANES: u32 = u16::MAX as u32;
const TOO_MANY_LANES: &str = "a vector of no or more than 65535 lanes";

define_id!(
    /// An expression.
    pub(super) NodeId, "node"
);

/// An annotation of a vector: the name and the arguments of a call. Each argument has one lane or
/// as many as the vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) name: NameId,
    pub(super) args: Vec<NodeId>,
}

/// An expression, with operands by id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A value with one lane, or a vector with a name.
    Value(ExprId),
    /// A conversion to the node's type.
    Cast(NodeId),
    /// The operand's bits, reinterpreted as a value of the node's type.
    Reinterpret(NodeId),
    Binary(BinaryOp, NodeId, NodeId),
    Not(NodeId),
    Select(NodeId, NodeId, NodeId),
    /// An element of a buffer where the predicate holds.
    Load {
        buffer: BufferId,
        index: NodeId,
        predicate: Option<NodeId>,
    },
    /// A value of a func.
    Ref {
        func: FuncId,
        component: usize,
        args: Box<[NodeId]>,
    },
    Ramp {
        base: NodeId,
        stride: NodeId,
    },
    Broadcast(NodeId),
    /// An intrinsic or a function of the runtime.
    Call(NameId, Box<[NodeId]>),
    /// Lanes of the concatenated operands.
    Gather(Gather, Box<[NodeId]>),
    /// A reduction of the operand's lanes, in groups of neighbours.
    Reduce(ReduceOp, NodeId),
}

impl Node {
    pub(super) fn operands(&self) -> Vec<NodeId> {
        match self {
            Self::Value(_) => Vec::new(),
            Self::Cast(a)
            | Self::Reinterpret(a)
            | Self::Not(a)
            | Self::Broadcast(a)
            | Self::Reduce(_, a) => vec![*a],
            Self::Binary(_, a, b) | Self::Ramp { base: a, stride: b } => vec![*a, *b],
            Self::Select(a, b, c) => vec![*a, *b, *c],
            Self::Load { buffer: _, index, predicate } => {
                [*index].into_iter().chain(*predicate).collect()
            }
            Self::Ref { func: _, component: _, args }
            | Self::Call(_, args)
            | Self::Gather(_, args) => args.to_vec(),
        }
    }

    /// The same node with other operands.
    pub(super) fn map(self, mut map: impl FnMut(NodeId) -> NodeId) -> Self {
        let all = |args: Box<[NodeId]>, map: &mut dyn FnMut(NodeId) -> NodeId| {
            args.iter().map(|arg| map(*arg)).collect()
        };
        match self {
            Self::Value(_) => self,
            Self::Cast(a) => Self::Cast(map(a)),
            Self::Reinterpret(a) => Self::Reinterpret(map(a)),
            Self::Binary(op, a, b) => Self::Binary(op, map(a), map(b)),
            Self::Not(a) => Self::Not(map(a)),
            Self::Select(condition, a, b) => Self::Select(map(condition), map(a), map(b)),
            Self::Load { buffer, index, predicate } => {
                Self::Load { buffer, index: map(index), predicate: predicate.map(map) }
            }
            Self::Ref { func, component, args } => {
                Self::Ref { func, component, args: all(args, &mut map) }
            }
            Self::Ramp { base, stride } => Self::Ramp { base: map(base), stride: map(stride) },
            Self::Broadcast(a) => Self::Broadcast(map(a)),
            Self::Call(name, args) => Self::Call(name, all(args, &mut map)),
            Self::Gather(gather, args) => Self::Gather(gather, all(args, &mut map)),
            Self::Reduce(op, a) => Self::Reduce(op, map(a)),
        }
    }
}

/// The lanes that a shuffle takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gather {
    /// All lanes, in order.
    Concat,
    /// One lane of each operand in turn.
    Interleave,
    /// Lanes from `begin` on, `stride` apart.
    Slice { begin: i64, stride: i64 },
    /// The listed lanes.
    Lanes(Box<[i64]>),
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// An expression.
    Node(NodeId),
    /// The pointer to the elements of the caller's buffer that has this name.
    Host(NameId),
    /// The flag that a caller's buffer is newer on a device, which is false.
    DeviceDirty(NameId),
    /// A semaphore.
    Semaphore,
    /// A `halide_buffer_t` that the statement makes, by its place in [`Nodes::structs`].
    Struct(usize),
    /// The number of an event that was traced. Only later events may use it.
    Event,
    /// A text or a list of values that is shown. Only prints and events may use it.
    Shown(Part),
    /// Another pointer, between passes. An expression that reads it is not translated.
    Pointer,
}

/// A part of what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A text.
    Text,
    /// Values that take at least so many bytes.
    Values {
        /// The bytes.
        bytes: u64,
    },
}

/// A buffer of the program.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) id: BufferId,
    /// The type of its elements, in Halide.
    pub(super) ty: Scalar,
    /// The dimensions of a caller's buffer, or of a buffer that is accessed by coordinates.
    pub(super) dims: Vec<Dim>,
}

/// The graph, and the meanings of names at the present place.
pub(super) struct Nodes<'a> {
    pub(super) names: &'a Names,
    interned: Interner<NodeId, (Node, Type)>,
    types: Arena<NodeId, Type>,
    scope: FxHashMap<NameId, Vec<Binding>>,
    pub(super) buffers: FxHashMap<NameId, Buffer>,
    /// The `halide_buffer_t`s that the statement has made.
    pub(super) structs: Vec<Struct>,
    /// Funcs by name, where expressions refer to them.
    pub(super) funcs: FxHashMap<NameId, FuncId>,
    /// Floats of the pipeline, by their digits in a text and their width; `None` if several floats
    /// have the same digits.
    pub(super) floats: FxHashMap<(String, Scalar), Option<u64>>,
    /// Floats that are known only by their digits.
    pub(super) rounded: IndexSet<String>,
    /// Functions that are only named.
    pub(super) named: Named,
    /// True after an operator, a comparison or a reduction of floats that is not strict.
    pub(super) has_plain_floats: bool,
    /// True after a literal zero that is a float.
    pub(super) has_zeros: bool,
    /// The departures of a final statement's code from the names of its operations.
    pub(super) departures: Option<Departures>,
    /// Floats that are identified with the pipeline's float of the same digits.
    pub(super) taken: IndexMap<String, f64>,
    /// The values of named nodes, if these values read no memory.
    definitions: FxHashMap<NodeId, NodeId>,
    /// Loads that may leave no trace in the value of their expression, or only some lanes. They are
    /// made all the same. Collected since the last query.
    pub(super) passed_over: IndexSet<NodeId>,
    /// Indices with claimed alignments, collected since the last query.
    pub(super) aligned: Vec<(NodeId, Alignment)>,
    /// Values that are shown to someone, collected since the last query.
    pub(super) shown: Vec<NodeId>,
    /// True if something was printed or traced since the last query.
    pub(super) has_shown: bool,
    /// Inputs with a stride that the statement compares with 0.
    pub(super) repeated: FxHashSet<BufferId>,
    /// Memory that was read, collected since the last query.
    pub(super) touched: IndexSet<NameId>,
    /// The annotations of nodes that were examined.
    pub(super) marks: FxHashMap<NodeId, Option<Mark>>,
}

impl<'a> Nodes<'a> {
    pub(super) fn new(names: &'a Names) -> Self {
        Self {
            names,
            interned: Interner::new(),
            types: Arena::new(),
            scope: FxHashMap::default(),
            buffers: FxHashMap::default(),
            structs: Vec::new(),
            funcs: FxHashMap::default(),
            floats: FxHashMap::default(),
            rounded: IndexSet::default(),
            named: Named::default(),
            has_plain_floats: false,
            has_zeros: false,
            departures: None,
            taken: IndexMap::default(),
            definitions: FxHashMap::default(),
            passed_over: IndexSet::default(),
            aligned: Vec::new(),
            shown: Vec::new(),
            has_shown: false,
            repeated: FxHashSet::default(),
            touched: IndexSet::default(),
            marks: FxHashMap::default(),
        }
    }

    /// Notes that a node is a name for another one.
    pub(super) fn define(&mut self, name: NodeId, value: NodeId) {
        if !self.reads_memory(value) {
            self.definitions.insert(name, value);
        }
    }

    /// A node with all names expanded: equal results have equal values.
    pub(super) fn expanded(&mut self, id: NodeId) -> NodeId {
        self.expand(id, &mut FxHashMap::default())
    }

    fn expand(&mut self, id: NodeId, done: &mut FxHashMap<NodeId, NodeId>) -> NodeId {
        if let Some(known) = done.get(&id) {
            return *known;
        }
        let result = match self.definitions.get(&id) {
            Some(value) => self.expand(*value, done),
            None => {
                let (node, ty) = (self.node(id).clone(), self.ty(id));
                let node = node.map(|operand| self.expand(operand, done));
                self.make(node, ty)
            }
        };
        done.insert(id, result);
        result
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.interned[id].0
    }

    pub(super) fn ty(&self, id: NodeId) -> Type {
        self.types[id]
    }

    pub(super) fn lanes(&self, id: NodeId) -> u32 {
        self.ty(id).lanes
    }

    pub(super) fn make(&mut self, node: Node, ty: Type) -> NodeId {
        let (id, inserted) = self.interned.intern((node, ty));
        if inserted {
            self.types.push(ty);
            self.note_departure(id);
        }
        id
    }

    pub(super) fn value(&mut self, value: Value) -> NodeId {
        self.make(Node::Value(value.id), Type::of(value.ty))
    }

    /// Binds a name until [`Self::unbind`].
    pub(super) fn bind(&mut self, name: NameId, binding: Binding) {
        self.scope.entry(name).or_default().push(binding);
    }

    pub(super) fn unbind(&mut self, name: NameId) {
        if let Some(bindings) = self.scope.get_mut(&name) {
            bindings.pop();
        }
    }

    pub(super) fn lookup(&self, name: NameId) -> Option<Binding> {
        self.scope.get(&name)?.last().copied()
    }

    /// Translates an expression of the tree to a node.
    pub(super) fn elaborate(&mut self, pool: &mut Pool, expr: &Expr) -> Result<NodeId> {
        if !expr.is_held() {
            return unsupported(UNHELD);
        }
        // Only constants are made with these.
        let mut widths = Widths::default();
        let signed = halidom_ir::Overflow::Wraps;
        let mut ops = Ops { pool, widths: &mut widths, signed };
        Ok(match expr {
            Expr::Int(value, ty) => {
                let value = ops.integer(i128::from(*value), ty.scalar)?;
                self.value(value)
            }
            Expr::UInt(value, ty) => {
                let value = ops.integer(i128::from(*value), ty.scalar)?;
                self.value(value)
            }
            Expr::Float(value, ty) => {
                let value = self.exact(*value, ty.scalar);
                self.has_zeros |= value == 0.0;
                let value = ops.float(value, ty.scalar)?;
                self.value(value)
            }
            Expr::String(_) => return unsupported("a string"),
            Expr::Variable { name, ty } => self.variable(*name, *ty)?,
            Expr::Cast(ty, operand) => {
                let operand = self.elaborate(pool, operand)?;
                if self.lanes(operand) != ty.lanes {
                    return unsupported("a conversion to a type with other lanes");
                }
                self.make(Node::Cast(operand), *ty)
            }
            Expr::Reinterpret(ty, operand) => {
                if let Some(address) = self.address(*ty, operand) {
                    return Ok(address);
                }
                let operand = self.elaborate(pool, operand)?;
                self.make(Node::Reinterpret(operand), *ty)
            }
            // A caller's own pointer is not null.
            Expr::Binary(BinaryOp::Ne, operands) if self.is_host(&operands[0], &operands[1]) => {
                let value = ops.integer(1, Scalar::UInt(1))?;
                self.value(value)
            }
            Expr::Binary(op, operands) => {
                let a = self.elaborate(pool, &operands[0])?;
                let b = self.elaborate(pool, &operands[1])?;
                self.binary(*op, a, b)?
            }
            Expr::Not(operand) => {
                let operand = self.elaborate(pool, operand)?;
                self.make(Node::Not(operand), self.ty(operand))
            }
            Expr::Select(operands) => {
                let condition = self.elaborate(pool, &operands[0])?;
                let a = self.elaborate(pool, &operands[1])?;
                let b = self.elaborate(pool, &operands[2])?;
                if self.ty(a) != self.ty(b) {
                    return unsupported("a selection between two types");
                }
                self.make(Node::Select(condition, a, b), self.ty(a))
            }
            Expr::Load(load) => self.load(pool, load)?,
            Expr::Ramp { base, stride, lanes } => {
                let base = self.elaborate(pool, base)?;
                let stride = self.elaborate(pool, stride)?;
                let ty = repeated(self.ty(base), *lanes)?;
                self.make(Node::Ramp { base, stride }, ty)
            }
            Expr::Broadcast { value, lanes } => {
                let value = self.elaborate(pool, value)?;
                let ty = repeated(self.ty(value), *lanes)?;
                self.make(Node::Broadcast(value), ty)
            }
            Expr::Call(call) if self.names.text(call.name) == STRICT => {
                let has_plain_floats = self.has_plain_floats;
                let result = self.call(pool, call);
                self.has_plain_floats = has_plain_floats;
                return result;
            }
            Expr::Call(call) => return self.call(pool, call),
            Expr::Let { name, value, body } => {
                let binding = self.shown_name(pool, value)?;
                self.bind(*name, binding);
                let body = self.elaborate(pool, body);
                self.unbind(*name);
                let body = body?;
                if let Binding::Node(value) = binding
                    && self.reads_memory(value)
                {
                    let used = self.loads(body);
                    let unused = self.loads(value).into_iter().filter(|load| !used.contains(load));
                    self.passed_over.extend(unused.collect::<Vec<_>>());
                }
                body
            }
            Expr::Shuffle(kind, vectors) => {
                let vectors = vectors.iter().map(|vector| self.elaborate(pool, vector));
                let vectors = vectors.collect::<Result<Box<[_]>>>()?;
                return self.shuffle(kind, vectors);
            }
            Expr::VectorReduce(op, ty, operand) => {
                let operand = self.elaborate(pool, operand)?;
                if !self.lanes(operand).is_multiple_of(ty.lanes) {
                    return unsupported("a reduction of these lanes");
                }
                self.has_plain_floats |= is_float(ty.scalar);
                self.make(Node::Reduce(*op, operand), *ty)
            }
        })
    }

    fn variable(&self, name: NameId, said: Option<Type>) -> Result<NodeId> {
        match self.lookup(name) {
            Some(Binding::Node(node)) => {
                let known = self.ty(node);
                if said.is_some_and(|said| said != known) {
                    return unsupported(format!(
                        "the name `{}` as a value of another type",
                        self.names.text(name)
                    ));
                }
                Ok(node)
            }
            Some(
                Binding::Host(_)
                | Binding::Semaphore
                | Binding::Struct(_)
                | Binding::Shown(_)
                | Binding::Pointer,
            ) => unsupported("a pointer"),
            Some(Binding::Event) => unsupported("the number of a traced event"),
            Some(Binding::DeviceDirty(_)) => unsupported("a flag of a caller's buffer"),
            None => unsupported(format!("the unknown name `{}`", self.names.text(name))),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> Result<NodeId> {
        let (a_type, b_type) = (self.ty(a), self.ty(b));
        if a_type != b_type {
            return unsupported("an operator on operands of two types");
        }
        // Without strictness, minima and comparisons too take no care of NaN and of -0.
        self.has_plain_floats |= is_float(a_type.scalar);
        let ty = if op.is_comparison() { Type::BOOL.with_lanes(a_type.lanes) } else { a_type };
        Ok(self.make(Node::Binary(op, a, b), ty))
    }

    fn load(&mut self, pool: &mut Pool, load: &Load) -> Result<NodeId> {
        let Load { name, ty: said, index, alignment, predicate } = load;
        let index = self.elaborate(pool, index)?;
        let predicate = predicate.as_ref();
        let predicate = predicate.map(|found| self.elaborate(pool, found)).transpose()?;
        if predicate.is_some_and(|found| self.ty(found) != Type::BOOL.with_lanes(self.lanes(index)))
        {
            return unsupported("a load of lanes that are not those of its index");
        }
        let Some(buffer) = self.buffers.get(name) else {
            let name = self.names.text(*name);
            return unsupported(format!("a load from `{name}`, which is no memory here"));
        };
        let ty = Type { scalar: buffer.ty, lanes: self.lanes(index) };
        // Truth values are bytes in memory.
        let byte = Type { scalar: Scalar::UInt(8), ..ty };
        let as_byte = ty.scalar == Scalar::UInt(1) && said == &Some(byte);
        if said.is_some_and(|said| said != ty) && !as_byte {
            return unsupported("a load of another type than the buffer's");
        }
        let buffer = buffer.id;
        self.touched.insert(*name);
        self.aligned.extend(alignment.map(|alignment| (index, alignment)));
        let load = self.make(Node::Load { buffer, index, predicate }, ty);
        Ok(if as_byte { self.make(Node::Cast(load), byte) } else { load })
    }

    /// Notes the floats of the pipeline.
    pub(super) fn know_floats(&mut self, expr: &Expr) {
        if let Expr::Float(value, ty) = expr {
            let known = self.floats.entry((digits(*value), ty.scalar));
            let known = known.or_insert(Some(value.to_bits()));
            if *known != Some(value.to_bits()) {
                *known = None;
            }
        }
        expr.for_each_operand(&mut |operand| self.know_floats(operand));
    }

    /// Notes the values, and the negated values, of constant float expressions in the pipeline,
    /// which the compiler has folded.
    pub(super) fn know_folded(&mut self, pool: &Pool, root: ExprId) {
        let mut found = Vec::new();
        pool.for_each_subexpr(root, &mut |id, _| {
            if let Some(constant) = folded(pool, id, &[])
                && let Some((value, bits)) = constant
                    .as_f32()
                    .map(|value| (f64::from(value), 32))
                    .or(constant.as_f64().map(|value| (value, 64)))
            {
                found.extend([value, -value].map(|value| (value, Scalar::Float(bits))));
            }
        });
        for (value, ty) in found {
            let known = self.floats.entry((digits(value), ty)).or_insert(Some(value.to_bits()));
            if *known != Some(value.to_bits()) {
                *known = None;
            }
        }
    }

    /// The float that a text gives with six digits: the pipeline's if exactly one has these digits,
    /// otherwise the digits' own value.
    fn exact(&mut self, value: f64, ty: Scalar) -> f64 {
        if self.floats.is_empty() {
            return value;
        }
        let digits = digits(value);
        if let Some(Some(bits)) = self.floats.get(&(digits.clone(), ty)) {
            let exact = f64::from_bits(*bits);
            let nearest = if ty == Scalar::Float(32) { f64::from(value as f32) } else { value };
            if exact.to_bits() != nearest.to_bits() {
                self.taken.insert(digits, exact);
            }
            return exact;
        }
        // Whole numbers and halves are exact.
        if (value * 2.0).fract() != 0.0 {
            self.rounded.insert(digits);
        }
        value
    }

    fn shuffle(&mut self, kind: &ShuffleKind, vectors: Box<[NodeId]>) -> Result<NodeId> {
        let Some(first) = vectors.first() else { return unsupported("a shuffle of nothing") };
        let scalar = self.ty(*first).scalar;
        let given: u64 = vectors.iter().map(|vector| u64::from(self.lanes(*vector))).sum();
        let Some(given) = u32::try_from(given).ok().filter(|given| *given <= MOST_LANES) else {
            return unsupported(TOO_MANY_LANES);
        };
        let (gather, lanes) = match kind {
            ShuffleKind::Concat => (Gather::Concat, given),
            ShuffleKind::Interleave => {
                if vectors.iter().any(|vector| self.lanes(*vector) != self.lanes(*first)) {
                    return unsupported("an interleaving of vectors of several lengths");
                }
                (Gather::Interleave, given)
            }
            ShuffleKind::Extract(lane) => (Gather::Lanes([*lane].into()), 1),
            ShuffleKind::Slice { begin, stride, count } => match u32::try_from(*count) {
                Ok(count @ 1..=MOST_LANES) => {
                    (Gather::Slice { begin: *begin, stride: *stride }, count)
                }
                Ok(0) => return unsupported("a slice without lanes"),
                Ok(_) | Err(_) => return unsupported(TOO_MANY_LANES),
            },
            ShuffleKind::Lanes(lanes) => {
                (Gather::Lanes(lanes.as_slice().into()), lanes.len() as u32)
            }
        };
        if !takes_all(&gather, lanes, given) {
            for vector in &vectors {
                self.passed_over.extend(self.loads(*vector));
            }
        }
        Ok(self.make(Node::Gather(gather, vectors), Type { scalar, lanes }))
    }

    fn call(&mut self, pool: &mut Pool, call: &Call) -> Result<NodeId> {
        let said = call.ty.unwrap_or(Type::INT32);
        let name = self.names.text(call.name);
        if let Some(rest) = name.strip_prefix("_halide_buffer_") {
            let field = self.buffer_field(pool, rest, &call.args)?;
            if self.ty(field) != said {
                return unsupported("a field of a buffer with another type than its own");
            }
            return Ok(field);
        }
        let input = matches!(call.kind, Some(CallKind::Image));
        if let Some(func) = self.funcs.get(&call.name).copied()
            && (input || matches!(call.kind, None | Some(CallKind::Halide)))
        {
            let args = call.args.iter().map(|arg| self.elaborate(pool, arg));
            let args = args.collect::<Result<Box<[_]>>>()?;
            let component = call.component;
            return Ok(self.make(Node::Ref { func, component, args }, said));
        }
        if input || call.kind == Some(CallKind::Halide) {
            return unsupported(format!("a value of `{name}`, which is no func here"));
        }
        if let ("return_second", [effect, value]) = (name, call.args.as_slice())
            && self.shows(effect)
        {
            self.show(pool, effect)?;
            return self.elaborate(pool, value);
        }
        if let ("require", [condition, value, _message]) = (name, call.args.as_slice()) {
            let args = [self.elaborate(pool, condition)?, self.elaborate(pool, value)?];
            return Ok(self.make(Node::Call(call.name, Box::new(args)), said));
        }
        if name == "undef" {
            return unsupported(
                "`undef` elsewhere than as the first value of an output, or below a second stage",
            );
        }
        let args = self.arguments(pool, call)?;
        if let Some(buffer) = self.buffers.get(&call.name).cloned() {
            let index = self.place(pool, &buffer, &args)?;
            let ty = Type { scalar: buffer.ty, lanes: self.lanes(index) };
            return Ok(self.make(Node::Load { buffer: buffer.id, index, predicate: None }, ty));
        }
        let unused: &[NodeId] = match (self.names.text(call.name), &*args) {
            ("return_second", [effect, _]) => &[*effect],
            ("memoize_expr", [_, keys @ ..]) => keys,
            _ => &[],
        };
        for arg in unused {
            self.passed_over.extend(self.loads(*arg));
        }
        if let [condition, value] = *args
            && name == "if_then_else"
        {
            return self.only_if(value, condition);
        }
        Ok(self.make(Node::Call(call.name, args), said))
    }

    /// The index of the element at these coordinates, before storage is flattened.
    pub(super) fn place(
        &mut self,
        pool: &mut Pool,
        buffer: &Buffer,
        coords: &[NodeId],
    ) -> Result<NodeId> {
        if coords.len() != buffer.dims.len() {
            return unsupported("coordinates of another rank than the buffer's");
        }
        let lanes = coords.iter().map(|coord| self.lanes(*coord)).max().unwrap_or(1);
        let ty = Type::INT32.with_lanes(lanes);
        let origin = Value { id: pool.int(0), ty: Scalar::Int(32) };
        let mut sum = self.value(origin);
        if lanes > 1 {
            sum = self.make(Node::Broadcast(sum), ty);
        }
        for (coord, dim) in coords.iter().zip(&buffer.dims) {
            let [min, stride] = [dim.min, dim.stride].map(|id| {
                let node = self.make(Node::Value(id), Type::INT32);
                if lanes > 1 { self.make(Node::Broadcast(node), ty) } else { node }
            });
            let coord = if self.lanes(*coord) == lanes {
                *coord
            } else {
                self.make(Node::Broadcast(*coord), ty)
            };
            let slot = self.make(Node::Binary(BinaryOp::Sub, coord, min), ty);
            let step = self.make(Node::Binary(BinaryOp::Mul, slot, stride), ty);
            sum = self.make(Node::Binary(BinaryOp::Add, sum, step), ty);
        }
        Ok(sum)
    }

    /// A field of a `halide_buffer_t`. Callers pass buffers that are on the host and are no bounds
    /// queries.
    fn buffer_field(&mut self, pool: &mut Pool, field: &str, args: &[Expr]) -> Result<NodeId> {
        if let Some(Expr::Variable { name, ty: _ }) = args.first()
            && let Some(Binding::Struct(number)) = self.lookup(*name)
        {
            return self.struct_field(pool, field, (number, args));
        }
        let buffer = args.first().and_then(|arg| self.buffer_struct(arg)).cloned();
        let Some(buffer) = buffer else {
            return unsupported(format!(
                "`_halide_buffer_{field}` of something else than a caller's buffer"
            ));
        };
        let value = match (field, args) {
            ("is_bounds_query", [_]) => fixed_field(pool, (buffer.ty, buffer.dims.len()), field)?,
            ("get_dimensions" | "get_type", [_]) => {
                let field = field.strip_prefix("get_").unwrap_or(field);
                fixed_field(pool, (buffer.ty, buffer.dims.len()), field)?
            }
            ("get_min" | "get_extent" | "get_stride", [_, Expr::Int(dim, _)]) => {
                let dim = usize::try_from(*dim).ok().and_then(|dim| buffer.dims.get(dim));
                let Some(dim) = dim else {
                    return unsupported("a dimension that the buffer does not have");
                };
                let id = match field {
                    "get_min" => dim.min,
                    "get_extent" => dim.extent,
                    // The remaining alternative is `get_stride`.
                    _ => dim.stride,
                };
                Value { id, ty: Scalar::Int(32) }
            }
            _ => return unsupported(format!("`_halide_buffer_{field}`")),
        };
        Ok(self.value(value))
    }

    /// The buffer that an argument `NAME.buffer` refers to.
    fn buffer_struct(&self, arg: &Expr) -> Option<&Buffer> {
        let Expr::Variable { name, ty: _ } = arg else { return None };
        let name = self.names.text(*name).strip_suffix(".buffer")?;
        self.buffers.get(&self.names.find(name)?)
    }

    /// A node for lanes where a predicate holds: loads with this predicate lose it, where a lane of
    /// the node depends only on the same lane of them.
    pub(super) fn under(&mut self, id: NodeId, predicate: NodeId) -> NodeId {
        let predicate = self.expanded(predicate);
        self.assume(id, predicate, &mut FxHashMap::default())
    }

    fn assume(
        &mut self,
        id: NodeId,
        holds: NodeId,
        done: &mut FxHashMap<NodeId, NodeId>,
    ) -> NodeId {
        if !self.keeps_lanes(id) {
            return id;
        }
        if let Some(known) = done.get(&id) {
            return *known;
        }
        let ty = self.ty(id);
        let mut node = self.node(id).clone().map(|operand| self.assume(operand, holds, done));
        if let Node::Load { buffer: _, index: _, predicate } = &mut node
            && predicate.is_some_and(|predicate| self.expanded(predicate) == holds)
        {
            *predicate = None;
        }
        let result = self.make(node, ty);
        done.insert(id, result);
        result
    }
}

fn is_float(ty: Scalar) -> bool {
    matches!(ty, Scalar::Float(_) | Scalar::BFloat(_))
}

/// The type of some repetitions of a value.
fn repeated(ty: Type, count: u32) -> Result<Type> {
    match ty.lanes.checked_mul(count) {
        Some(lanes @ 1..=MOST_LANES) => Ok(ty.with_lanes(lanes)),
        Some(_) | None => unsupported(TOO_MANY_LANES),
    }
}

/// Tests whether a shuffle of vectors with `given` lanes in all takes each of these lanes.
fn takes_all(gather: &Gather, lanes: u32, given: u32) -> bool {
    let taken: FxHashSet<i64> = match gather {
        Gather::Concat | Gather::Interleave => return true,
        Gather::Slice { begin, stride } => {
            (0..i64::from(lanes)).map(|lane| begin + stride * lane).collect()
        }
        Gather::Lanes(lanes) => lanes.iter().copied().collect(),
    };
    taken.len() >= given as usize
}
