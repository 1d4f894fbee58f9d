//! Random IR on which mutators are tried. The trials find errors without a solver, and a verified
//! mutator must pass them.

use halidom_base::FxHashMap;
use halidom_rewrites::rules::{Number, Random, Values};

use crate::ir::kinds::{Code, I32, Kind, Role, Type};
use crate::ir::layout::{has_elements, index_type, parameters, selects_vectors};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::judge::entry::Entry;
use crate::judge::replay::Concrete;
use crate::machine::run::Machine;

/// A generator of IR for one mutator at one type.
pub(crate) struct Trials {
    random: Random,
    kind: Kind,
    /// True if nodes of every kind are made.
    is_any: bool,
    ty: Type,
    operand: Type,
    /// The kinds that the mutator's text mentions.
    named: Vec<Kind>,
    /// The rare kinds of statements that it mentions.
    rare: Vec<Kind>,
    /// The only kind of binders, if binders may share a name. If it binds nothing, there are none.
    binder: Option<Kind>,
    /// The numbers of iterations of a loop that is mutated; without any, it has a few.
    extents: &'static [i128],
    /// True if names are spelled as those of loops.
    is_spelled: bool,
    profile: &'static str,
    /// A counter of inputs, which grows by two for each.
    count: usize,
}

/// The number of levels of operands below the node that is mutated.
const MAX_DEPTH: usize = 3;

/// The kinds of operands.
const KINDS: [Kind; 21] = [
    Kind::Cast,
    Kind::Add,
    Kind::Sub,
    Kind::Mul,
    Kind::Div,
    Kind::Mod,
    Kind::Min,
    Kind::Max,
    Kind::EQ,
    Kind::NE,
    Kind::LT,
    Kind::LE,
    Kind::GT,
    Kind::GE,
    Kind::And,
    Kind::Or,
    Kind::Not,
    Kind::Select,
    Kind::Ramp,
    Kind::Broadcast,
    Kind::Broadcast,
];

/// The kinds of expressions within statements.
const WITHIN: [Kind; 15] = [
    Kind::Load,
    Kind::Load,
    Kind::Load,
    Kind::Load,
    Kind::EQ,
    Kind::EQ,
    Kind::NE,
    Kind::Sub,
    Kind::Add,
    Kind::Mod,
    Kind::Select,
    Kind::LT,
    Kind::And,
    Kind::Or,
    Kind::Not,
];

/// The kinds of statements.
const STMTS: [Kind; 12] = [
    Kind::Store,
    Kind::Store,
    Kind::Store,
    Kind::Evaluate,
    Kind::Evaluate,
    Kind::Block,
    Kind::Block,
    Kind::IfThenElse,
    Kind::IfThenElse,
    Kind::LetStmt,
    Kind::For,
    Kind::ProducerConsumer,
];

/// The kinds of statements where all of them are about one element.
const SMALL: [Kind; 14] = [
    Kind::Store,
    Kind::Store,
    Kind::Store,
    Kind::Evaluate,
    Kind::Evaluate,
    Kind::Block,
    Kind::Block,
    Kind::IfThenElse,
    Kind::IfThenElse,
    Kind::IfThenElse,
    Kind::IfThenElse,
    Kind::LetStmt,
    Kind::LetStmt,
    Kind::LetStmt,
];

/// The kinds of statements that are made only for mutators whose text names them.
const RARE: [Kind; 4] = [Kind::Partition, Kind::AssertStmt, Kind::Acquire, Kind::Break];

/// Numbers of iterations of loops that are negative or very large. In a loop that begins at a small
/// number, the last iteration has an `int32`.
const EXTREMES: [i128; 4] = [-1, -2, 1 << 30, (1 << 31) - 64];

/// The kinds of nodes that bind a variable.
const BINDERS: [Kind; 5] = [Kind::Let, Kind::LetStmt, Kind::For, Kind::Allocate, Kind::Realize];

/// The names of binders that may share one: two that are also free, and two others.
const SHARED: [u32; 4] = [BUFFERS, BUFFERS + 1, FREE, FREE + 1];

/// The number of kinds of expressions that are tried there.
const SMALL_WITHIN: usize = 8;

/// The numbers of names: two buffers, two numbers and two truth values that are free; the rest are
/// bound names.
const BUFFERS: u32 = 2;
const FREE: u32 = 6;

impl Trials {
    /// Creates trials of a kind of node at a type. If the kind does not determine the type of the
    /// operands, `operand` does. Kinds that are named in the mutator's text are made more often
    /// than others.
    pub(crate) fn new(entry: Entry<'_>, ty: Type, operand: Type, seed: u64) -> Self {
        let text = &entry.function.text;
        let mentioned = |kinds: &[Kind]| -> Vec<Kind> {
            kinds.iter().filter(|kind| text.contains(kind.name())).copied().collect()
        };
        let (named, mut rare) = (mentioned(&KINDS), mentioned(&RARE));
        // An assert is a statement of a block, unless it has a body.
        rare.retain(|kind| *kind != Kind::AssertStmt || entry.kind == Kind::Block);
        let profile = entry.profile.name;
        Self {
            random: Random(seed),
            kind: entry.kind,
            is_any: entry.is_own(),
            ty,
            operand,
            named,
            rare,
            binder: None,
            extents: &[],
            is_spelled: false,
            profile,
            count: 0,
        }
    }

    /// Creates trials of loops with a negative or a very large number of iterations.
    pub(crate) fn of_extremes(entry: Entry<'_>, seed: u64) -> Self {
        Self { extents: &EXTREMES, ..Self::new(entry, Type::STMT, I32, seed) }
    }

    /// Creates trials of statements in which the nodes of the entry's kind are the only binders,
    /// and may share a name.
    pub(crate) fn of_binders(entry: Entry<'_>, seed: u64) -> Self {
        Self { binder: Some(entry.kind), ..Self::new(entry, Type::STMT, I32, seed) }
    }

    /// Creates trials of loops of one kind within one another, and of bindings around them. Their
    /// names are spelled as those of Halide's loops and of the bounds of these.
    pub(crate) fn of_loops(entry: Entry<'_>, seed: u64) -> Self {
        Self { is_spelled: true, ..Self::new(entry, Type::STMT, I32, seed) }
    }

    /// Returns the next input, if the kind can be made: first pairs of literals at the type's
    /// bounds, then random inputs.
    pub(crate) fn next(&mut self) -> Option<Concrete> {
        let seed = self.random.draw();
        let mut maker = Maker {
            random: Random(seed),
            state: State::default(),
            values: Values::default(),
            variables: FxHashMap::default(),
            assignment: Vec::new(),
            named: &self.named,
            rare: &self.rare,
            binder: self.binder,
            extents: self.extents,
            made: Vec::new(),
            numbers: Vec::new(),
            corners: (self.count < CORNERS * CORNERS && self.ty != Type::STMT)
                .then_some(self.count),
            has_effects: self.ty == Type::STMT,
            is_small: !self.count.is_multiple_of(3),
            is_aimed: self.count % 3 == 2,
            store: None,
            profile: self.profile,
            bound: Vec::new(),
            allocated: None,
            next: FREE,
            spelled: None,
        };
        if self.is_spelled {
            let loops = maker.random.below(2) as u32;
            maker.spelled = Some(Spelled { loops, next: maker.random.below(8) as usize });
        }
        let loops = maker.spelled.as_ref().map(|spelled| spelled.loops);
        self.count += 1;
        let input = if self.is_any {
            maker.node(self.ty, 0)
        } else if self.binder.is_some() && !self.kind.is_stmt() {
            maker.stmt_with(self.kind)?
        } else {
            maker.make(self.kind, self.ty, self.operand, 0)?
        };
        let lane = Number::whole(i128::from(maker.random.below(4)));
        let mut made = Concrete::new(maker.state, maker.values, input, maker.assignment, lane);
        (made.loops, made.is_spelled) = (loops, loops.is_some());
        Some(made)
    }
}

/// The greatest of the small numbers that are drawn.
const MOST: i128 = 8;

/// The number of literals that are tried in pairs: the least, the greatest, -1, 0.
const CORNERS: usize = 4;

struct Maker<'t> {
    random: Random,
    state: State,
    values: Values,
    variables: FxHashMap<(Type, u64), NodeId>,
    assignment: Vec<(usize, String, Number)>,
    named: &'t [Kind],
    rare: &'t [Kind],
    binder: Option<Kind>,
    extents: &'static [i128],
    /// The nodes that may occur again.
    made: Vec<(Type, NodeId)>,
    /// The numbers of the literals so far.
    numbers: Vec<i128>,
    /// The pair of literals at the type's bounds that the operands are.
    corners: Option<usize>,
    /// True if statements are made.
    has_effects: bool,
    /// True if everything is about one element of one buffer.
    is_small: bool,
    /// True if blocks often write this element and then show, in the other buffer, what they read
    /// there, or a condition that was asked before. A fact that outlives the write shows so even if
    /// operands are mutated, because no mutator drops a store to the other buffer.
    is_aimed: bool,
    /// The buffer and the value of the store that is made next.
    store: Option<(u32, NodeId)>,
    profile: &'static str,
    /// The names that are bound here.
    bound: Vec<u32>,
    /// The buffer that was allocated last. Half of the loads and stores below use it.
    allocated: Option<u32>,
    /// The next name that was not bound yet.
    next: u32,
    /// The loops and their names, if these are spelled.
    spelled: Option<Spelled>,
}

/// Loops within one another whose names are spelled.
struct Spelled {
    /// The kind of all loops, by number.
    loops: u32,
    /// The variable of the next name.
    next: usize,
}

/// The variables of loops. Those of a user's program may have any name.
const LOOPS: [&str; 8] = ["x", "y", "loop_min", "z", "loop_max", "w", "u", "loop_extent"];

/// The bounds of loops, as they follow the names of loops.
const BOUNDS: [&str; 3] = [".loop_min", ".loop_max", ".loop_extent"];

/// The maximum depth of loops with spelled names.
const MAX_LOOPS: usize = 8;

/// A member of a node that is made.
enum Member {
    Made(Field),
    /// It is an expression or a statement of this type.
    OfType(Type),
}

impl Maker<'_> {
    fn node(&mut self, ty: Type, depth: usize) -> NodeId {
        if ty == Type::STMT {
            return self.stmt(depth);
        }
        if self.has_effects {
            return self.within(ty, depth);
        }
        if let Some(corners) = self.corners {
            self.corners = Some(corners / CORNERS);
            let number = match (corners % CORNERS, ty.range()) {
                (0, Some((least, _))) => least,
                (1, Some((_, greatest))) => greatest,
                (2, _) => ty.wrap(-1),
                _ => 0,
            };
            return self.literal_of(ty, number);
        }
        let node = self.new_node(ty, depth);
        self.made.push((ty, node));
        node
    }

    fn new_node(&mut self, ty: Type, depth: usize) -> NodeId {
        if self.random.below(4) == 0 {
            let known: Vec<NodeId> =
                self.made.iter().filter(|(of, _)| *of == ty).map(|(_, node)| *node).collect();
            if !known.is_empty() {
                return known[self.random.below(known.len() as u64) as usize];
            }
        }
        if depth < MAX_DEPTH && self.random.below(3) > 0 {
            let kinds = if self.random.below(3) == 0 || self.named.is_empty() {
                &KINDS[..]
            } else {
                self.named
            };
            let kind = kinds[self.random.below(kinds.len() as u64) as usize];
            let operand = Type::SCALARS[self.random.below(Type::SCALARS.len() as u64) as usize];
            // Bits that are read as an address are not computed.
            let is_computed = kind != Kind::Reinterpret || ty.element() != Type::HANDLE;
            if kind.admits(ty)
                && is_computed
                && let Some(node) = self.make(kind, ty, operand, depth)
            {
                return node;
            }
        }
        if self.random.below(2) == 0 { self.literal(ty) } else { self.variable(ty) }
    }

    fn make(&mut self, kind: Kind, ty: Type, operand: Type, depth: usize) -> Option<NodeId> {
        let mut fields = Vec::new();
        let mut bound = None;
        let store = if kind == Kind::Store { self.store.take() } else { None };
        for (name, role) in kind.fields() {
            if let (Some((buffer, value)), Role::Name | Role::Any) = (store, role) {
                let member = if *role == Role::Any { value } else { self.state.name(buffer) };
                fields.push(Field::Expr(member));
                continue;
            }
            let is_half = kind == Kind::Block && self.is_aimed && self.random.below(2) == 0;
            if is_half && let Some(store) = self.aimed(*name == "first", depth) {
                fields.push(Field::Expr(store));
                continue;
            }
            match self.member(kind, (name, *role), (ty, operand), depth, &mut bound) {
                Member::Made(field) => fields.push(field),
                Member::OfType(ty) => {
                    if *name == "body" {
                        self.bound.extend(bound);
                    }
                    fields.push(Field::Expr(self.node(ty, depth + 1)));
                }
            }
        }
        if let Some(bound) = bound {
            self.bound.retain(|known| *known != bound);
        }
        if kind == Kind::Allocate {
            self.allocated = None;
        }
        if fields.is_empty() {
            return None;
        }
        Some(self.state.add(ty, None, Some(Shape { kind, fields })))
    }

    /// Makes a member of a node, or decides its type. `bound` becomes the name that the node binds.
    fn member(
        &mut self,
        kind: Kind,
        (name, role): (&str, Role),
        (ty, operand): (Type, Type),
        depth: usize,
        bound: &mut Option<u32>,
    ) -> Member {
        let lanes = ty.is_value() && ty.is_vector;
        match role {
            Role::Same => Member::OfType(ty),
            Role::Operand if kind == Kind::Evaluate => Member::Made(Field::Expr(self.evaluated())),
            Role::Operand | Role::Any => Member::OfType(operand.with_vector(lanes)),
            Role::Condition => {
                let lanes = ty.is_vector && !selects_vectors(self.profile);
                Member::OfType(Type::BOOL.with_vector(lanes))
            }
            Role::Element => Member::OfType(ty.element()),
            Role::Vector => Member::OfType(ty.element().with_vector(true)),
            Role::Lanes => Member::Made(Field::Lanes),
            Role::Opaque if let (Some(spelled), "for_type") = (&self.spelled, name) => {
                Member::Made(Field::Opaque(spelled.loops))
            }
            Role::Opaque => Member::Made(Field::Opaque(self.random.below(2) as u32)),
            Role::Name => {
                let id = self.name_for(kind, bound);
                Member::Made(Field::Expr(self.state.name(id)))
            }
            Role::Predicate | Role::Truth if matches!(kind, Kind::Load | Kind::Allocate) => {
                Member::Made(Field::Expr(self.truth(lanes)))
            }
            Role::Predicate if self.is_small || self.random.below(4) > 0 => {
                Member::Made(Field::Expr(self.truth(lanes)))
            }
            Role::Truth => Member::OfType(Type::BOOL),
            Role::Predicate => Member::OfType(Type::BOOL.with_vector(lanes)),
            Role::Int if kind == Kind::LetStmt && self.random.below(5) == 0 => {
                Member::Made(Field::Expr(self.evaluated()))
            }
            Role::Int if kind == Kind::For && name != "min" && self.is_extreme(depth) => {
                let which = self.random.below(self.extents.len() as u64) as usize;
                Member::Made(Field::Expr(self.number_node(self.extents[which])))
            }
            // Loop bounds must not read memory.
            Role::Int if matches!(kind, Kind::For) => {
                let number = i128::from(self.random.below(4)) - i128::from(name == "min");
                let is_known = self.random.below(3) > 0;
                let end = if is_known { self.number_node(number) } else { self.free(I32) };
                Member::Made(Field::Expr(end))
            }
            Role::Int | Role::OptionalExpr => Member::OfType(I32),
            Role::Index => {
                let ty = index_type(kind, operand, self.profile).with_vector(lanes);
                let node = match self.random.below(4) {
                    _ if self.is_small => self.literal_of(ty, 0),
                    0 => self.variable(ty),
                    below => self.literal_of(ty, i128::from(below) - 1),
                };
                Member::Made(Field::Expr(node))
            }
            Role::Stmt => Member::OfType(Type::STMT),
            Role::OptionalStmt
                if self.random.below(3) < 1 + u64::from(self.is_small)
                    || !self.has_member(kind, name) =>
            {
                let shape = Shape { kind: Kind::Undefined, fields: Vec::new() };
                Member::Made(Field::Expr(self.state.add(Type::STMT, None, Some(shape))))
            }
            Role::OptionalStmt => Member::OfType(Type::STMT),
            Role::Exprs if has_elements(kind, name) => {
                let element = self.node(I32, depth + 1);
                Member::Made(Field::Expr(self.state.list(&[element])))
            }
            Role::Exprs | Role::Stmts => Member::Made(Field::Expr(self.state.list(&[]))),
            Role::Payload => {
                let number = self.payload(ty);
                Member::Made(Field::Number(self.values.number(number, ty.domain())))
            }
        }
    }

    /// Tests whether a loop at a depth is the one whose number of iterations is negative or very
    /// large.
    fn is_extreme(&self, depth: usize) -> bool {
        depth == 0 && !self.extents.is_empty()
    }

    /// A name in a node, which may bind it.
    fn name_for(&mut self, kind: Kind, bound: &mut Option<u32>) -> u32 {
        match kind {
            Kind::LetStmt | Kind::For if self.spelled.is_some() => {
                let id = self.spelled_name(kind == Kind::For);
                *bound = Some(id);
                id
            }
            Kind::Let | Kind::LetStmt | Kind::For if self.binder.is_some() => {
                let which = self.random.below(SHARED.len() as u64) as usize;
                *bound = Some(SHARED[which]);
                SHARED[which]
            }
            Kind::Let | Kind::LetStmt | Kind::For | Kind::Allocate | Kind::Realize => {
                self.next += 1;
                *bound = Some(self.next - 1);
                if kind == Kind::Allocate {
                    self.allocated = *bound;
                }
                self.next - 1
            }
            Kind::Load | Kind::Store
                if let Some(own) = self.allocated
                    && self.random.below(2) == 0 =>
            {
                own
            }
            Kind::Load | Kind::Store if self.is_small => 0,
            Kind::Load | Kind::Store => self.random.below(BUFFERS.into()) as u32,
            _ => self.random.below(FREE.into()) as u32,
        }
    }

    /// Makes a store to the element, or one that shows in the other buffer what is read there.
    fn aimed(&mut self, is_write: bool, depth: usize) -> Option<NodeId> {
        let value = if is_write {
            self.within(I32, depth + 1)
        } else {
            let asked: Vec<NodeId> = self
                .made
                .iter()
                .filter(|(of, _)| *of == Type::BOOL)
                .map(|(_, node)| *node)
                .collect();
            if !asked.is_empty() && self.random.below(2) == 0 {
                let condition = asked[self.random.below(asked.len() as u64) as usize];
                let [yes, no] = [1, 0].map(|number| self.number_node(number));
                let fields = [condition, yes, no].map(Field::Expr).to_vec();
                self.state.add(I32, None, Some(Shape { kind: Kind::Select, fields }))
            } else {
                self.make(Kind::Load, I32, I32, MAX_DEPTH)?
            }
        };
        self.store = Some((u32::from(!is_write), value));
        self.make(Kind::Store, Type::STMT, I32, depth)
    }

    /// Makes a statement that prints an expression of a kind.
    fn stmt_with(&mut self, kind: Kind) -> Option<NodeId> {
        let printed =
            if kind == Kind::Variable { self.variable(I32) } else { self.make(kind, I32, I32, 0)? };
        let print = self.printed(printed);
        let fields = vec![Field::Expr(print)];
        Some(self.state.add(Type::STMT, None, Some(Shape { kind: Kind::Evaluate, fields })))
    }

    /// Makes a name of a loop of the first stage of a function, or of one of its bounds.
    fn spelled_name(&mut self, is_loop: bool) -> u32 {
        let next = self.spelled.as_mut().map_or(0, |spelled| {
            spelled.next += 1;
            spelled.next - 1
        });
        // A variable that would have another one's name gets a number.
        let number = if next < 2 * LOOPS.len() { String::new() } else { next.to_string() };
        let stage = next / LOOPS.len() % 2;
        let name = format!("f.s{stage}.{}{number}", LOOPS[next % LOOPS.len()]);
        let bound = BOUNDS[self.random.below(BOUNDS.len() as u64) as usize];
        let text = if is_loop { name } else { name + bound };
        self.state.spell(&text)
    }

    /// Makes a statement; deeper statements are simpler.
    fn stmt(&mut self, depth: usize) -> NodeId {
        if self.spelled.is_some() && depth < MAX_LOOPS {
            let kind = match self.random.below(8) {
                0 => Kind::LetStmt,
                1 => Kind::Evaluate,
                _ => Kind::For,
            };
            if let Some(node) = self.make(kind, Type::STMT, I32, depth) {
                return node;
            }
        }
        if !self.rare.is_empty() && self.random.below(4) == 0 {
            let kind = self.rare[self.random.below(self.rare.len() as u64) as usize];
            if let Some(node) = self.make(kind, Type::STMT, I32, depth) {
                return node;
            }
        }
        let most_deep = if self.is_small { 2 } else { MAX_DEPTH };
        let most = match depth < most_deep {
            true if self.is_small => SMALL.len(),
            true => STMTS.len(),
            false => 5,
        };
        let kinds: &[Kind] = if self.is_small { &SMALL } else { &STMTS };
        let kind = kinds[self.random.below(most as u64) as usize];
        let kind = match self.binder {
            Some(binder) if binder.is_stmt() && depth < most_deep && self.random.below(3) == 0 => {
                binder
            }
            Some(binder) if kind != binder && BINDERS.contains(&kind) => Kind::Evaluate,
            _ => kind,
        };
        match self.make(kind, Type::STMT, I32, depth) {
            Some(node) => node,
            None => {
                let shape = Shape { kind: Kind::Undefined, fields: Vec::new() };
                self.state.add(Type::STMT, None, Some(shape))
            }
        }
    }

    /// Makes an expression within a statement, often one that occurred before.
    fn within(&mut self, ty: Type, depth: usize) -> NodeId {
        let known: Vec<NodeId> =
            self.made.iter().filter(|(of, _)| *of == ty).map(|(_, node)| *node).collect();
        let binds = self.binder == Some(Kind::Let) && depth <= MAX_DEPTH;
        if binds
            && self.random.below(3) == 0
            && let Some(node) = self.make(Kind::Let, ty, I32, depth)
        {
            return node;
        }
        let may_reuse = !self.is_small || ty.is_bool();
        if may_reuse && !known.is_empty() && self.random.below(2) == 0 {
            return known[self.random.below(known.len() as u64) as usize];
        }
        let is_plain = self.is_small && ty == I32 && self.random.below(2) == 0;
        if depth < MAX_DEPTH + 1 && !is_plain && self.random.below(3) > 0 {
            let most = if self.is_small { SMALL_WITHIN } else { WITHIN.len() };
            let kind = WITHIN[self.random.below(most as u64) as usize];
            // Buffers hold numbers; a truth value is a comparison with one.
            let kind = if kind == Kind::Load && ty.is_bool() { Kind::EQ } else { kind };
            let is_made = kind.admits(ty) && !ty.is_vector;
            if is_made && let Some(node) = self.make(kind, ty, I32, depth) {
                self.made.push((ty, node));
                return node;
            }
        }
        if self.is_small && ty == Type::BOOL && self.random.below(3) > 0 {
            // Compares the element with 0 or 1.
            let load = self.make(Kind::Load, I32, I32, depth);
            let number = i128::from(self.random.below(2));
            if let Some(load) = load {
                let number = self.literal_of(I32, number);
                let fields = vec![Field::Expr(load), Field::Expr(number)];
                let node = self.state.add(ty, None, Some(Shape { kind: Kind::EQ, fields }));
                self.made.push((ty, node));
                return node;
            }
        }
        match self.random.below(3) {
            0 => self.variable(ty),
            _ if ty.element() == I32 => {
                let number = i128::from(self.random.below(4)) - 1;
                self.literal_of(ty, if self.is_small { number & 1 } else { number })
            }
            1 => self.literal(ty),
            _ => self.variable(ty),
        }
    }

    /// True if a kind of node has a member in the compiler's IR.
    fn has_member(&self, kind: Kind, name: &str) -> bool {
        parameters(kind, self.profile).is_none_or(|members| members.contains(&name))
    }

    /// Makes the expression of an `Evaluate` statement: a call that prints, or a constant without
    /// effect.
    fn evaluated(&mut self) -> NodeId {
        if self.random.below(3) == 0 {
            return self.number_node(0);
        }
        let load = if self.is_small && self.random.below(2) == 0 {
            self.make(Kind::Load, I32, I32, MAX_DEPTH)
        } else {
            None
        };
        let argument = load.unwrap_or_else(|| self.node(I32, MAX_DEPTH));
        self.printed(argument)
    }

    /// Makes a call that prints a number.
    fn printed(&mut self, argument: NodeId) -> NodeId {
        let shape = Shape { kind: Kind::Call, fields: vec![Field::Expr(argument)] };
        let node = self.state.add(I32, None, Some(shape));
        self.state.node_mut(node).intrinsic = Some("print".to_owned());
        node
    }

    fn number_node(&mut self, number: i128) -> NodeId {
        self.literal_of(I32, number)
    }

    fn truth(&mut self, is_vector: bool) -> NodeId {
        self.literal_of(Type::BOOL.with_vector(is_vector), 1)
    }

    fn literal(&mut self, ty: Type) -> NodeId {
        let number = self.number(ty.element());
        // Conditions often test for equal numbers and neighbours.
        let number = match self.numbers.len() as u64 {
            0 => number,
            count if self.random.below(3) == 0 => {
                let known = self.numbers[self.random.below(count) as usize];
                ty.element().wrap(known + i128::from(self.random.below(3)) - 1)
            }
            _ => number,
        };
        self.numbers.push(number);
        self.literal_of(ty, number)
    }

    fn free(&mut self, ty: Type) -> NodeId {
        let id = BUFFERS + 2 * u32::from(ty.is_bool()) + self.random.below(2) as u32;
        let name = self.state.name(id);
        Machine::variable(ty, name, &mut self.state)
    }

    fn literal_of(&mut self, ty: Type, number: i128) -> NodeId {
        let element = ty.element();
        let term = self.values.number(number, element.domain());
        let kind = match ty.code {
            Code::Int => Kind::IntImm,
            Code::UInt => Kind::UIntImm,
            _ => Kind::FloatImm,
        };
        let fields = vec![Field::Number(term)];
        let scalar = self.state.add(element, None, Some(Shape { kind, fields }));
        if !ty.is_vector {
            return scalar;
        }
        let fields = vec![Field::Expr(scalar), Field::Lanes];
        self.state.add(ty, None, Some(Shape { kind: Kind::Broadcast, fields }))
    }

    fn variable(&mut self, ty: Type) -> NodeId {
        if self.has_effects {
            let is_bound = ty == I32 && !self.bound.is_empty() && self.random.below(2) == 0;
            if !is_bound {
                return self.free(ty);
            }
            let which = self.random.below(self.bound.len() as u64) as usize;
            let name = self.state.name(self.bound[which]);
            return Machine::variable(ty, name, &mut self.state);
        }
        let which = self.random.below(2);
        if let Some(known) = self.variables.get(&(ty, which)) {
            return *known;
        }
        let id = u32::try_from(self.variables.len()).unwrap_or(u32::MAX);
        let name = self.state.name(1000 + id);
        let node = Machine::variable(ty, name, &mut self.state);
        let number = Number::whole(self.number(ty));
        self.assignment.push((self.state.nodes[node].class, format!("x{node}"), number));
        self.variables.insert((ty, which), node);
        node
    }

    /// Draws the number of a literal that is itself mutated: any number of the type, and
    /// floating-point numbers with many digits.
    fn payload(&mut self, ty: Type) -> i128 {
        if ty.code == Code::Float && self.random.below(2) == 0 {
            return i128::from(self.random.below(1 << 24));
        }
        self.number(ty)
    }

    /// Draws a number of a type: mostly small, else one of its bounds.
    fn number(&mut self, ty: Type) -> i128 {
        let small = i128::from(self.random.below(13)) + MOST - 12;
        match ty.range() {
            Some((least, _)) if self.random.below(12) == 0 => least,
            Some((_, greatest)) if self.random.below(12) == 0 => greatest,
            // A float that does not fit 8 bits.
            None if ty.code == Code::Float && small == MOST => 300,
            _ => ty.wrap(small),
        }
    }
}
