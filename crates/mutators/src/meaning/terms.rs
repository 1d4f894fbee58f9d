//! The claim of a path's end, as terms: the mutator's result has the value of its input.
//!
//! # Correctness
//!
//! A class of nodes has one value: the value of its first node with a known shape. Every further
//! shape equals it. The result of `mutate` is defined wherever its argument is, so the divisors in
//! any shape of the input's parts are not 0 where the input is defined. A fact about a node that is
//! not part of the input holds where that node is defined.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_rewrites::profile::{Profile, ZeroDivision};
use halidom_rewrites::rules::{Domain, Fun, Node as Term, ValueId, Values};

use crate::ir::intrinsics::{Intrinsic, called_by, strict};
use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape, class_of};
use crate::ir::state::{Computation, Scoped, State};
use crate::machine::vanish::{HERE, LOST};
use crate::meaning::memory::{Bound, Effects, Moment};

/// The values of free variables and memory in wholly known IR: small numbers, the same ones for the
/// same seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    /// The seed of the numbers.
    pub(crate) seed: u64,
}

impl Given {
    /// The number of a type that a text stands for.
    pub(crate) fn number(self, text: &str, ty: Type) -> i128 {
        let mut hash = self.seed ^ 0xcbf2_9ce4_8422_2325;
        for byte in text.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        hash ^= hash >> 29;
        ty.wrap(i128::from((hash >> 8) % 4) - 1)
    }
}

/// The maximum nesting depth of expressions.
const MAX_NESTING: usize = 64;

/// The value of a class, and the conditions under which it is defined, and has a value.
type Built = (ValueId, [Vec<ValueId>; 2]);

/// Builds the terms of one path.
#[expect(clippy::struct_excessive_bools, reason = "each says another thing of how terms are built")]
pub(crate) struct Meaning<'a> {
    pub(crate) state: &'a State,
    pub(super) source: &'a Values,
    pub(crate) profile: &'a Profile,
    /// True if shapes that were learnt by asking are left out, except those with a needed part. A
    /// proof then holds for every shape.
    pub(crate) is_flat: bool,
    /// Classes that occur in the result without a shape that the mutator made.
    pub(crate) needed: FxHashSet<usize>,
    /// True if signed integers of at least 32 bits wrap as in the hardware; false if they are
    /// unbounded integers.
    is_machine: bool,
    /// The terms.
    pub(crate) values: Values,
    /// The conditions under which the terms that were built are defined.
    pub(crate) defined: Vec<ValueId>,
    /// The conditions under which the expressions that were built have a value.
    pub(crate) present: Vec<ValueId>,
    /// Conditions that are taken to be true.
    pub(super) granted: FxHashSet<ValueId>,
    /// The number of bindings within one another that are being looked at.
    pub(super) nesting_of_lost: usize,
    /// Results that must not overflow, with their types.
    pub(crate) ranged: Vec<(ValueId, Type)>,
    /// Equations between shapes of one class.
    pub(crate) equations: Vec<ValueId>,
    /// Names of classes' variables.
    pub(crate) names: Vec<(usize, String)>,
    /// True if floats are converted to integers as in the IR. Solvers do not know how.
    pub(crate) rounds: bool,
    /// True if a variable stands for a computation that is not modelled.
    pub(crate) is_opaque: bool,
    /// True if one statement was read from C, which does not tell all members.
    pub(crate) is_emitted: bool,
    /// True if a result is looked at, which must have a value.
    pub(crate) is_result: bool,
    /// The moment at which expressions are evaluated.
    pub(crate) moment: Moment,
    /// True if expressions are evaluated at many moments.
    pub(crate) is_timed: bool,
    /// Memories and bindings.
    pub(crate) effects: Effects,
    /// The contents of free variables and memory, if all of the IR is known.
    pub(crate) given: Option<Given>,
    classes: FxHashMap<(Moment, usize), Built>,
    open: FxHashSet<(Moment, usize)>,
    /// Terms of the machine that were already translated.
    terms: FxHashMap<ValueId, ValueId>,
    pub(super) shapes: FxHashMap<usize, Vec<NodeId>>,
}

impl<'a> Meaning<'a> {
    pub(crate) fn new(
        state: &'a State,
        source: &'a Values,
        profile: &'a Profile,
        is_machine: bool,
    ) -> Self {
        let mut shapes: FxHashMap<usize, Vec<NodeId>> = FxHashMap::default();
        for node in 0..state.nodes.len() {
            if state.find(node) == node && state.nodes[node].shape.is_some() {
                shapes.entry(state.class(state.nodes[node].class)).or_default().push(node);
            }
        }
        Self {
            state,
            source,
            profile,
            is_flat: false,
            needed: FxHashSet::default(),
            is_machine,
            values: Values::default(),
            defined: Vec::new(),
            present: Vec::new(),
            granted: FxHashSet::default(),
            nesting_of_lost: 0,
            ranged: Vec::new(),
            equations: Vec::new(),
            names: Vec::new(),
            rounds: false,
            is_opaque: false,
            is_emitted: false,
            is_result: false,
            moment: Moment::default(),
            is_timed: false,
            effects: Effects::default(),
            given: None,
            classes: FxHashMap::default(),
            open: FxHashSet::default(),
            terms: FxHashMap::default(),
            shapes,
        }
    }

    pub(crate) fn domain(&self, ty: Type) -> Domain {
        if self.is_machine && ty.code == Code::Int { Domain::Signed(ty.bits) } else { ty.domain() }
    }

    /// The value of a node.
    pub(crate) fn node(&mut self, node: NodeId) -> ValueId {
        let known = self.state.node(node);
        let (class, ty) = (known.class, known.ty);
        self.class(class, ty)
    }

    /// Forgets the terms that were built.
    pub(super) fn forget_classes(&mut self) {
        self.classes.clear();
        self.terms.clear();
    }

    pub(super) fn class(&mut self, class: usize, ty: Type) -> ValueId {
        let class = self.state.class(class);
        let outer = self.moment;
        if self.is_timed && self.is_steady_class(class) {
            self.moment.memory = 0;
        }
        let key = (self.moment, class);
        let term = self.class_now(key, ty);
        self.moment = outer;
        term
    }

    fn class_now(&mut self, key: (Moment, usize), ty: Type) -> ValueId {
        let class = key.1;
        if let Some((term, [defined, present])) = self.classes.get(&key) {
            if self.is_timed {
                self.defined.extend(defined.iter().copied());
            }
            self.present.extend(present.iter().copied());
            return *term;
        }
        // The shape of a class that turns out to contain itself does not decide its value.
        if self.open.len() > MAX_NESTING || !self.open.insert(key) {
            self.present_unknown(class);
            return self.variable(class, ty);
        }
        let begin = self.defined.len();
        let outer = std::mem::take(&mut self.present);
        let nodes = self.shapes.get(&class).cloned().unwrap_or_default();
        let mut terms = Vec::new();
        for node in nodes {
            let known = self.state.node(node);
            let is_made = !known.is_learnt
                || known.shape.as_ref().is_some_and(|shape| {
                    shape.kind == Kind::Call
                        || matches!(shape.fields.as_slice(), [Field::Number(_)])
                });
            if is_made || !self.is_flat || self.has_needed(node, &mut FxHashSet::default()) {
                terms.extend(self.shape(node));
            }
        }
        let is_scoped = self.add_scoped(class, ty, &mut terms);
        self.open.remove(&key);
        if terms.is_empty()
            && let Some(term) = self.substituted_value(class)
        {
            terms.push(term);
        }
        if ty.is_bool() && self.is_open() {
            terms.extend(self.guard_values(class, ty));
        }
        let was_met = self.names.iter().any(|(known, _)| *known == class);
        let term = match terms.first() {
            Some(first) => *first,
            None => self.variable(class, ty),
        };
        let defined = self.defined[begin.min(self.defined.len())..].to_vec();
        let present = self.present_class(class, is_scoped || terms.is_empty());
        self.present = outer;
        self.present.extend(present.iter().copied());
        self.classes.insert(key, (term, [defined, present]));
        for other in terms.into_iter().skip(1) {
            if other != term {
                let same = self.values.apply(Fun::Eq, &[term, other]);
                self.equations.push(same);
            }
        }
        if was_met {
            let variable = self.variable(class, ty);
            if variable != term {
                let same = self.values.apply(Fun::Eq, &[term, variable]);
                self.equations.push(same);
            }
        }
        term
    }

    /// Relates the result of a mutation under assumptions with its argument: where the assumptions
    /// hold, it has the argument's value; elsewhere it may have any value.
    /// Returns whether there is such a mutation.
    fn add_scoped(&mut self, class: usize, ty: Type, terms: &mut Vec<ValueId>) -> bool {
        let state = self.state;
        let is_it = |scoped: &&Scoped| state.class(scoped.returned) == class;
        let Some(scoped) = state.scoped.iter().find(is_it) else { return false };
        let given = state.class(scoped.given);
        if ty == Type::STMT || given == class || scoped.assumed.iter().any(|a| a.fact.is_none()) {
            return given != class;
        }
        let before = self.defined.len();
        let present = self.present.len();
        let mut facts: Vec<ValueId> =
            scoped.assumed.iter().filter_map(|a| a.fact).map(|fact| self.term(fact)).collect();
        facts.retain(|fact| !self.granted.contains(fact));
        self.defined.truncate(before);
        let value = self.class(given, ty);
        self.present.truncate(present);
        match terms.first() {
            None => {
                let mut term = value;
                for assumed in facts {
                    let other = self.variable(class, ty);
                    term = self.values.apply(Fun::Ite, &[assumed, term, other]);
                }
                terms.push(term);
            }
            Some(own) if *own != value => {
                let mut fact = self.values.apply(Fun::Eq, &[*own, value]);
                for assumed in facts {
                    let not = self.values.apply(Fun::Not, &[assumed]);
                    fact = self.values.apply(Fun::Or, &[not, fact]);
                }
                self.equations.push(fact);
            }
            Some(_) => {}
        }
        true
    }

    /// A node of a class whose shape is known.
    pub(crate) fn shaped(&self, class: usize) -> Option<NodeId> {
        self.shapes.get(&class)?.first().copied()
    }

    /// Tests whether a part of a node is needed.
    fn has_needed(&self, node: NodeId, seen: &mut FxHashSet<usize>) -> bool {
        let Some(shape) = self.state.shape(node) else { return false };
        shape.fields.iter().any(|field| {
            let Field::Expr(inner) = field else { return false };
            let class = self.state.class(self.state.node(*inner).class);
            let shapes = self.shapes.get(&class).map(Vec::as_slice).unwrap_or_default();
            self.needed.contains(&class)
                || seen.insert(class) && shapes.iter().any(|part| self.has_needed(*part, seen))
        })
    }

    /// Collects the classes that a node contains unchanged: their shapes, if known, were learnt
    /// rather than made.
    pub(crate) fn need(&mut self, node: NodeId) {
        let (mut open, mut seen) = (vec![node], FxHashSet::default());
        while let Some(node) = open.pop() {
            let class = self.state.class(self.state.node(node).class);
            if !seen.insert(class) {
                continue;
            }
            let shapes = self.shapes.get(&class).map(Vec::as_slice).unwrap_or_default();
            let made = shapes.iter().filter(|part| !self.state.node(**part).is_learnt);
            let made: Vec<&Shape> = made.filter_map(|part| self.state.shape(*part)).collect();
            if made.is_empty() {
                self.needed.insert(class);
            }
            for field in made.into_iter().flat_map(|shape| &shape.fields) {
                if let Field::Expr(inner) = field {
                    open.push(*inner);
                }
            }
        }
    }

    /// The variable of a class: `c…` for a literal, else `x…`.
    pub(super) fn variable(&mut self, class: usize, ty: Type) -> ValueId {
        if self.moment != Moment::default() {
            let scope = self.visible(class, self.moment.scope);
            let memory = self.moment.memory;
            if memory != 0 || scope != 0 {
                let domain = self.domain(ty);
                return self.values.var(&format!("x{class}m{memory}s{scope}"), domain);
            }
        }
        let known = self.names.iter().find(|(known, _)| *known == class);
        let name = match known {
            Some((_, name)) => name.clone(),
            None => {
                let is_literal = self.state.nodes.iter().any(|node| {
                    self.state.class(node.class) == class
                        && (node.is_literal
                            || node.shape.as_ref().is_some_and(|shape| {
                                matches!(shape.fields.as_slice(), [Field::Number(_)])
                            }))
                });
                let prefix = if is_literal { 'c' } else { 'x' };
                let name = format!("{prefix}{}", self.names.len());
                self.names.push((class, name.clone()));
                name
            }
        };
        let domain = self.domain(ty);
        self.values.var(&name, domain)
    }

    /// The value that a node's shape gives it; `None` if the shape does not decide it.
    pub(super) fn shape(&mut self, node: NodeId) -> Option<ValueId> {
        let known = self.state.node(node);
        let ty = known.ty;
        let domain = self.domain(ty);
        let intrinsic = known.intrinsic.clone();
        if known.is_undefined() || intrinsic.as_deref() == Some("undef") {
            let never = self.values.bool(false);
            if self.is_open() && !known.is_undefined() {
                self.present.push(never);
            } else {
                self.defined.push(never);
            }
            return None;
        }
        let Shape { kind, fields } = known.shape.clone()?;
        let strict = intrinsic.as_deref().filter(|_| kind == Kind::Call).and_then(strict);
        let kind = strict.filter(|(_, count)| *count == fields.len()).map_or(kind, |(of, _)| of);
        let exprs: Vec<NodeId> = fields
            .iter()
            .filter_map(|field| match field {
                Field::Expr(node) => Some(*node),
                Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
            })
            .collect();
        let term = match (kind, exprs.as_slice()) {
            (Kind::Variable, [name]) => {
                self.present_variable(*name);
                return self.named(node, *name, ty);
            }
            // Only known to be equal for one operation on one vector.
            (Kind::VectorReduce, [vector]) if !self.is_timed => {
                let Some(Field::Opaque(op)) = fields.first().copied() else { return None };
                let class = self.own_class(*vector);
                self.values.var(&format!("lanes of {class} reduced by {op}"), domain)
            }
            (Kind::StreamExpr, [name]) => {
                let stream = self.state.find(*name);
                let when = self.when();
                self.values.var(&format!("read {stream}{when}"), domain)
            }
            (Kind::Load, [name, predicate, index]) => {
                let holds = self.needed_value(*predicate);
                let index = self.needed_value(*index);
                let loaded = self.loaded(*name, index, ty);
                self.masked(node, holds, loaded, (*name, index), ty)
            }
            (Kind::Let, [name, value, body]) => {
                let of = self.state.node(*value).ty;
                let (value, is_bound) = self.bound_value(*value);
                let outer = self.moment;
                let name = self.state.find(*name);
                if is_bound {
                    self.moment.scope =
                        self.effects.bind(outer.scope, name, Bound::Value(value, of));
                }
                let term = self.node(*body);
                self.moment = outer;
                term
            }
            (Kind::IntImm | Kind::UIntImm | Kind::FloatImm, []) => {
                let Some(Field::Number(number)) = fields.first().copied() else { return None };
                if let Term::Var(index) = self.source.node(number)
                    && class_of(&self.source.vars()[*index as usize].0)
                        .is_some_and(|class| self.state.class(class) == self.own_class(node))
                {
                    return None;
                }
                let term = self.term(number);
                if self.values.domain(term) == domain {
                    term
                } else {
                    self.values.convert(term, domain)
                }
            }
            (
                Kind::Call
                | Kind::Reinterpret
                | Kind::GetBit
                | Kind::GetSlice
                | Kind::SetBit
                | Kind::SetSlice
                | Kind::Quantize
                | Kind::KernelExpr,
                operands,
            ) => self.call(node, kind, operands, ty)?,
            (_, operands) => self.operator(kind, operands, ty, domain)?,
        };
        if ty.code == Code::Int && ty.bits >= 32 {
            self.ranged.push((term, ty));
        }
        Some(term)
    }

    /// The value of an operator, whose operands alone decide it.
    fn operator(
        &mut self,
        kind: Kind,
        operands: &[NodeId],
        ty: Type,
        domain: Domain,
    ) -> Option<ValueId> {
        Some(match (kind, operands) {
            (
                Kind::Add | Kind::Sub | Kind::Mul | Kind::Div | Kind::Mod | Kind::And | Kind::Or,
                [a, b],
            ) => self.binary(kind, *a, *b, domain)?,
            (Kind::Min | Kind::Max, [a, b]) if domain == Domain::Bool => {
                let fun = if kind == Kind::Min { Fun::And } else { Fun::Or };
                let (a, b) = (self.node(*a), self.node(*b));
                self.values.apply(fun, &[a, b])
            }
            (Kind::Min | Kind::Max, [a, b]) => {
                let (a, b) = (self.node(*a), self.node(*b));
                let is_less = self.values.apply(Fun::Lt, &[a, b]);
                let (then, otherwise) = if kind == Kind::Min { (a, b) } else { (b, a) };
                self.values.apply(Fun::Ite, &[is_less, then, otherwise])
            }
            (Kind::EQ | Kind::NE | Kind::LT | Kind::LE | Kind::GT | Kind::GE, [a, b]) => {
                let (a, b) = (self.node(*a), self.node(*b));
                self.compare(kind, a, b)
            }
            (Kind::Not, [a]) => {
                let a = self.node(*a);
                self.values.apply(Fun::Not, &[a])
            }
            (Kind::Select, [condition, a, b]) if self.is_open() => self.chosen(*condition, *a, *b),
            (Kind::Select, [condition, a, b]) => {
                let parts = [self.node(*condition), self.node(*a), self.node(*b)];
                self.values.apply(Fun::Ite, &parts)
            }
            (Kind::Cast, [inner]) => {
                let from = self.state.node(*inner).ty;
                let inner = self.node(*inner);
                self.cast(inner, from, ty)
            }
            (Kind::Broadcast, [inner]) => self.node(*inner),
            (Kind::Ramp, [base, stride]) => {
                let (base, stride) = (self.node(*base), self.node(*stride));
                let lane = self.values.var("lane[n]", domain);
                let offset = self.values.apply(Fun::Mul, &[lane, stride]);
                self.values.apply(Fun::Add, &[base, offset])
            }
            _ => return None,
        })
    }

    /// The value of a binary operator whose operands have its type.
    fn binary(&mut self, kind: Kind, a: NodeId, b: NodeId, domain: Domain) -> Option<ValueId> {
        let fun = match kind {
            Kind::Add => Fun::Add,
            Kind::Sub => Fun::Sub,
            Kind::Mul => Fun::Mul,
            Kind::Div => Fun::Div,
            Kind::Mod => Fun::Mod,
            Kind::And => Fun::And,
            Kind::Or => Fun::Or,
            _ => return None,
        };
        let a = self.node(a);
        let is_partial = matches!(fun, Fun::Div | Fun::Mod)
            && (domain == Domain::Real || self.profile.zero_division == ZeroDivision::Undefined);
        let b = if is_partial { self.needed_value(b) } else { self.node(b) };
        if domain == Domain::Bool && !matches!(fun, Fun::And | Fun::Or) {
            return self.bit(fun, a, b);
        }
        if is_partial {
            let zero = self.values.number(0, domain);
            let is_zero = self.values.apply(Fun::Eq, &[b, zero]);
            let defined = self.values.apply(Fun::Not, &[is_zero]);
            self.defined.push(defined);
        }
        Some(self.values.apply(fun, &[a, b]))
    }

    /// The value of a call, of a kernel or of a part of a number.
    fn call(&mut self, node: NodeId, kind: Kind, operands: &[NodeId], ty: Type) -> Option<ValueId> {
        let domain = self.domain(ty);
        let intrinsic = self.state.node(node).intrinsic.clone();
        let bits = [self.read_bits(operands)];
        let operands = if kind == Kind::Reinterpret { &bits } else { operands };
        Some(match (kind, operands) {
            // The argument of an identity intrinsic.
            (Kind::Call, [inner]) if is_identity(intrinsic.as_deref()) => self.node(*inner),
            // The promise is that the value is within the two bounds.
            (Kind::Call, [inner, least, greatest]) if is_promise(intrinsic.as_deref()) => {
                let [inner, least, greatest] = [inner, least, greatest].map(|of| self.node(*of));
                for (a, b) in [(least, inner), (inner, greatest)] {
                    let holds = self.compare(Kind::LE, a, b);
                    self.defined.push(holds);
                }
                inner
            }
            // Another call of a function that is known to have no arguments.
            (Kind::Call, [])
                if !self.is_timed
                    && let Some(other) = intrinsic.as_deref().and_then(called_by)
                    && self.state.without_arguments.contains(&other) =>
            {
                self.node(other)
            }
            (Kind::Call, [_, second])
                if intrinsic.as_deref() == Some("return_second") && !self.is_timed =>
            {
                self.node(*second)
            }
            (Kind::Call, []) if intrinsic.is_some() && domain == Domain::Real && !self.is_timed => {
                let class = self.own_class(node);
                self.rounded_class(&intrinsic.unwrap_or_default(), class)?
            }
            (Kind::Call, arguments)
                if intrinsic.is_some() && (!arguments.is_empty() || self.given.is_some()) =>
            {
                self.called(&intrinsic.unwrap_or_default(), arguments, ty)
            }
            // Parts of numbers: only known to be equal for equal operands.
            (
                Kind::GetBit | Kind::GetSlice | Kind::SetBit | Kind::SetSlice | Kind::Quantize,
                operands,
            ) => self.called(kind.name(), operands, ty),
            // The bits of equal numbers of one type.
            // Of integers, a conversion between types of one width keeps all bits.
            (Kind::Reinterpret, [inner])
                if Self::keeps_bits(self.state.node(*inner).ty.element(), ty.element()) =>
            {
                let from = self.state.node(*inner).ty;
                let term = self.node(*inner);
                if from == ty { term } else { self.cast(term, from, ty) }
            }
            (Kind::Reinterpret, [inner]) => {
                let from = self.state.node(*inner).ty.element();
                self.called(&format!("reinterpret {from}"), operands, ty)
            }
            // The callee is not known, but equal arguments give equal values.
            (Kind::Call, arguments)
                if intrinsic.is_none() && !arguments.is_empty() && !self.is_timed =>
            {
                let callee = crate::ir::intrinsics::callee(self.state.find(node));
                self.called(&callee, arguments, ty)
            }
            (Kind::KernelExpr, [name, list]) => {
                let callee = format!("kernel {}{}", self.state.find(*name), self.when());
                if self.state.shape(*list).is_some() {
                    let arguments = crate::ir::state::operands(*list, self.state);
                    self.called(&callee, &arguments, ty)
                } else {
                    let of = self.own_class(*list);
                    let scope = self.visible(of, self.moment.scope);
                    self.values.var(&format!("{callee} of {of} under {scope}"), domain)
                }
            }
            _ => return None,
        })
    }

    /// The value of a variable by its name: the value it is bound to, or one value for all
    /// variables of the name.
    fn named(&mut self, node: NodeId, name: NodeId, ty: Type) -> Option<ValueId> {
        let name = self.state.find(name);
        let bound =
            self.effects.bindings(self.moment.scope).iter().find(|(known, _)| *known == name);
        match bound.map(|(_, bound)| *bound) {
            Some(Bound::Value(value, of)) if of == ty => return Some(value),
            // No IR has such a variable, so nothing is known of it.
            Some(Bound::Value(..)) => {
                let text = format!("variable {name} of another type, {ty}");
                let domain = self.domain(ty);
                return Some(match self.given {
                    Some(given) => {
                        let number = given.number(&text, ty);
                        self.values.number(number, ty.domain())
                    }
                    None => self.values.var(&text, domain),
                });
            }
            Some(Bound::Expr(by, scope)) => {
                let outer = std::mem::replace(&mut self.moment.scope, scope);
                let term = self.node(by);
                self.moment.scope = outer;
                return Some(term);
            }
            None => {}
        }
        if let Some(given) = self.given {
            let number = given.number(&format!("variable {}", self.name_id(name)), ty);
            return Some(self.values.number(number, ty.domain()));
        }
        let is_named = |field: &Field| match field {
            Field::Expr(other) => self.state.find(*other) == name,
            _ => false,
        };
        let first = self.state.nodes.iter().find(|other| {
            other.ty == ty
                && matches!(&other.shape, Some(Shape { kind: Kind::Variable, fields })
                    if fields.first().is_some_and(is_named))
        })?;
        let class = self.state.class(first.class);
        if class == self.own_class(node) {
            if !self.is_timed {
                return None;
            }
            // The value of a free variable does not depend on memory or on other names.
            let outer = std::mem::take(&mut self.moment);
            let term = self.variable(class, ty);
            self.moment = outer;
            return Some(term);
        }
        Some(self.class(class, ty))
    }

    /// Arithmetic of one bit.
    fn bit(&mut self, fun: Fun, a: ValueId, b: ValueId) -> Option<ValueId> {
        match fun {
            Fun::Add | Fun::Sub => {
                let same = self.values.apply(Fun::Eq, &[a, b]);
                Some(self.values.apply(Fun::Not, &[same]))
            }
            Fun::Mul => Some(self.values.apply(Fun::And, &[a, b])),
            // The divisor is 1; otherwise the quotient is undefined.
            Fun::Div | Fun::Mod if self.profile.zero_division == ZeroDivision::Undefined => {
                self.defined.push(b);
                Some(if fun == Fun::Div { a } else { self.values.bool(false) })
            }
            _ => None,
        }
    }

    /// Adds that the emitted code is defined.
    pub(crate) fn emitted(&mut self) {
        for bad in &self.state.emitted_undefined {
            let bad = self.term(*bad);
            let good = self.values.apply(Fun::Not, &[bad]);
            self.defined.push(good);
        }
    }

    fn own_class(&self, node: NodeId) -> usize {
        self.state.class(self.state.node(node).class)
    }

    fn compare(&mut self, kind: Kind, a: ValueId, b: ValueId) -> ValueId {
        let is_bool = self.values.domain(a) == Domain::Bool;
        let less = |values: &mut Values, a, b| {
            if is_bool {
                let not = values.apply(Fun::Not, &[a]);
                values.apply(Fun::And, &[not, b])
            } else {
                values.apply(Fun::Lt, &[a, b])
            }
        };
        let values = &mut self.values;
        let (truth, is_negated) = match kind {
            Kind::EQ => (values.apply(Fun::Eq, &[a, b]), false),
            Kind::NE => (values.apply(Fun::Eq, &[a, b]), true),
            Kind::LT => (less(values, a, b), false),
            Kind::GT => (less(values, b, a), false),
            Kind::GE => (less(values, a, b), true),
            _ => (less(values, b, a), true),
        };
        if is_negated { values.apply(Fun::Not, &[truth]) } else { truth }
    }

    /// The meaning of a variable of the machine that is no class's value, if it has one.
    fn special(&mut self, name: &str) -> Option<ValueId> {
        let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<usize>().ok();
        if let Some(class) = number(HERE) {
            return Some(self.presence_of(class));
        }
        number(LOST).map(|name| self.is_lost(name))
    }

    /// A term of the machine, with classes' values in place of their variables.
    pub(crate) fn term(&mut self, term: ValueId) -> ValueId {
        // The definedness of a term is recorded anew at each moment.
        let is_first = !self.is_timed && self.moment == Moment::default();
        if is_first && let Some(known) = self.terms.get(&term) {
            return *known;
        }
        let built = self.new_term(term);
        // While a class is open, its variable represents it.
        if is_first && self.open.is_empty() {
            self.terms.insert(term, built);
        }
        built
    }

    fn new_term(&mut self, term: ValueId) -> ValueId {
        let domain = self.source.domain(term);
        match self.source.node(term).clone() {
            Term::Var(index) => {
                let (name, domain) = self.source.vars()[index as usize].clone();
                match class_of(&name) {
                    Some(class) => {
                        let root = self.state.class(class);
                        let ty = self
                            .state
                            .nodes
                            .iter()
                            .find(|node| self.state.class(node.class) == root)
                            .map(|node| node.ty);
                        match ty {
                            Some(ty) => self.class(root, ty),
                            None => self.values.var(&name, domain),
                        }
                    }
                    None if self.state.computed.iter().any(|known| known.name == name) => {
                        let known = self.state.computed.iter().find(|known| known.name == name);
                        let Some(Computation { callee, arguments, .. }) = known.cloned() else {
                            return self.values.var(&name, domain);
                        };
                        let arguments: Vec<ValueId> =
                            arguments.iter().map(|argument| self.term(*argument)).collect();
                        self.computed(callee, &arguments)
                    }
                    None if let Some(term) = self.special(&name) => term,
                    None => {
                        self.is_opaque |= name.starts_with("truncated") || name.starts_with("real");
                        self.values.var(&name, domain)
                    }
                }
            }
            Term::Number(value) => self.values.number(value, domain),
            Term::Apply(Fun::Convert, operands) => {
                let operand = self.term(operands[0]);
                self.values.convert(operand, domain)
            }
            Term::Apply(fun, operands) => {
                let operands: Vec<ValueId> =
                    operands.iter().map(|operand| self.term(*operand)).collect();
                self.values.apply(fun, &operands)
            }
        }
    }
}

/// Tests whether an intrinsic has the value of the first of its three arguments.
fn is_promise(intrinsic: Option<&str>) -> bool {
    matches!(intrinsic, Some("promise_clamped" | "unsafe_promise_clamped"))
}

pub(crate) fn is_identity(intrinsic: Option<&str>) -> bool {
    matches!(intrinsic.map(Intrinsic::of), Some(Intrinsic::Likely | Intrinsic::LikelyIfInnermost))
}
