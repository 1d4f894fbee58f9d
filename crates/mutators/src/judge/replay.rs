//! Counterexamples: IR built from a model, and the mutator's run on it.

use std::rc::Rc;

use halidom_base::FxHashMap;
use halidom_rewrites::built::{Built, Named};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::{Domain, Number, Values};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::record::Pushed;
use crate::ir::show::{snippet, text, variable_name};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::verdict::Counterexample;
use crate::machine::balance::left_at_end;
use crate::machine::masks::{is_masked, mask_of};
use crate::machine::run::{End, Machine, Operands, Outcome};
use crate::meaning::terms::{Given, Meaning};

/// The result of a mutator's run on concrete IR.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Replayed {
    /// It ended the compiler: a description and the line.
    Crash(String, usize),
    /// It returned.
    Returned {
        /// The result.
        after: String,
        /// A description of the two types, if input and result have different types.
        other_type: Option<String>,
        /// The input's value.
        expected: Computed,
        /// The result's value.
        got: Computed,
        /// The line that returned the result.
        line: usize,
        /// The entries that are left on scopes.
        left: Vec<Pushed>,
        /// True if an entry was added to a scope with an invariant.
        has_assumed: bool,
    },
    /// The run could not be followed.
    Failed(String),
}

/// The value of concrete IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computed {
    /// A number.
    Number(Number),
    /// The IR divides by 0, overflows where that is excluded, or is marked as undefined.
    Undefined,
    /// The value was not computed.
    Unknown,
}

/// The IR that a model describes.
#[derive(Clone, Debug)]
pub(crate) struct Concrete {
    state: State,
    values: Values,
    input: NodeId,
    /// The values of the variables, by class.
    pub(crate) assignment: Vec<(usize, String, Number)>,
    pub(crate) lanes: i128,
    pub(crate) lane: Number,
    /// The number of the kind of all loops, if these have the names of Halide's loops.
    pub(crate) loops: Option<u32>,
    /// True if names are texts in runs.
    pub(crate) is_spelled: bool,
}

impl Concrete {
    /// Creates IR with the values of its variables by class.
    pub(crate) fn new(
        state: State,
        values: Values,
        input: NodeId,
        assignment: Vec<(usize, String, Number)>,
        lane: Number,
    ) -> Self {
        let (lanes, loops, is_spelled) = (4, None, false);
        Self { state, values, input, assignment, lanes, lane, loops, is_spelled }
    }

    /// Returns how and in which line a method fails on this IR, if it also does when all operands
    /// go through the class's own methods.
    pub(crate) fn failure(&self, entry: Entry<'_>) -> Option<(String, usize)> {
        let failed = |operands| {
            let mut machine = self.machine(entry);
            machine.operands = operands;
            entry.run(&mut machine, self.input(), self.state());
            let [end] = machine.ends.as_slice() else { return None };
            match &end.outcome {
                Outcome::Crash(what) if !machine.has_chosen => Some((what.clone(), end.line)),
                _ => None,
            }
        };
        let found = failed(Operands::Kept)?;
        (failed(Operands::Mutated)? == found).then_some(found)
    }

    /// Builds the input of a path with the values of a model. Operands about which nothing is known
    /// become variables, or literals if `are_literals`. Returns `None` if no such IR satisfies the
    /// path.
    pub(crate) fn build(
        state: &State,
        input: NodeId,
        meaning: &mut Meaning<'_>,
        assignment: &[Number],
        are_literals: bool,
    ) -> Option<Self> {
        let mut builder = Builder {
            source: state,
            meaning,
            assignment,
            concrete: Self {
                state: State::default(),
                values: Values::default(),
                input: 0,
                assignment: Vec::new(),
                lanes: 4,
                lane: Number::whole(0),
                loops: None,
                is_spelled: false,
            },
            built: FxHashMap::default(),
            leaves: FxHashMap::default(),
            are_literals,
        };
        builder.concrete.input = builder.node(input, 0)?;
        let vars = builder.meaning.values.vars().to_vec();
        let value = |name: &str| {
            let index = vars.iter().position(|(known, _)| known == name)?;
            assignment.get(index).copied()
        };
        let mut concrete = builder.concrete;
        if let Some(lanes) = value("lanes")
            && lanes.numerator >= 2
        {
            concrete.lanes = lanes.numerator;
        }
        concrete.lane = value("lane[n]").unwrap_or(Number::whole(0));
        Some(concrete)
    }

    /// Returns the variables and their values for a reader.
    pub(crate) fn values(&self) -> Vec<(String, String)> {
        self.assignment.iter().map(|(_, name, value)| (name.clone(), value.to_string())).collect()
    }

    /// Returns the input as text.
    pub(crate) fn before(&self) -> String {
        text(&self.state, &self.values, self.input)
    }

    /// Returns another node as text.
    pub(crate) fn shown(state: &State, values: &Values, node: NodeId) -> String {
        text(state, values, node)
    }

    /// Returns the input in C++, with the values of its variables.
    pub(crate) fn built(&self, profile: &Profile) -> Built {
        let named = |(class, name, value): &(usize, String, Number)| {
            // The lane of a vector is no variable.
            let is_variable = name.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c));
            let node = self.state.nodes.iter().find(|node| node.class == *class)?;
            let (ty, name) = (node.ty.snippet(), name.clone());
            let value = value.in_cpp();
            is_variable.then_some(Named { name, ty, value, is_literal: false })
        };
        let before = snippet(&self.state, &self.values, self.input, profile);
        let names = self.assignment.iter().filter_map(named).collect();
        Built { names, before, after: None, lanes: Some(self.lanes) }
    }

    /// Returns the input as a counterexample, without what it becomes.
    pub(crate) fn counterexample(&self, profile: &Profile) -> Counterexample {
        Counterexample {
            before: self.before(),
            after: None,
            values: self.values(),
            expected: None,
            got: None,
            built: Box::new(self.built(profile)),
            snippet: self.snippet(profile),
        }
    }

    /// Returns C++ that builds the input and simplifies it.
    pub(crate) fn snippet(&self, profile: &Profile) -> String {
        let built = self.built(profile);
        let sort = if self.state.node(self.input).ty == Type::STMT { "Stmt" } else { "Expr" };
        let mut lines = built.declarations();
        lines.push(format!("{sort} before = {};", built.before));
        lines.push(format!("{sort} after = simplify(before);"));
        lines.join("\n")
    }

    /// Returns the free variables and their values.
    pub(crate) fn given(&self, given: Given) -> Vec<(String, String)> {
        let mut values = Vec::new();
        let meaning_of = |node: NodeId| match self.state.shape(node) {
            Some(Shape { kind: Kind::Variable, fields }) => match fields.first() {
                Some(Field::Expr(name)) => match self.state.shape(*name) {
                    Some(Shape { fields, .. }) => match fields.first() {
                        Some(Field::Opaque(id)) => Some(*id),
                        _ => None,
                    },
                    None => None,
                },
                _ => None,
            },
            _ => None,
        };
        for node in 0..self.state.nodes.len() {
            let ty = self.state.nodes[node].ty;
            if let Some(id) = meaning_of(node)
                && ty.range().is_some()
            {
                let number = given.number(&format!("variable {id}"), ty);
                let name = self.state.text_of(id).map(str::to_owned);
                let name = name.unwrap_or_else(|| crate::ir::show::name(id));
                let value = (name, number.to_string());
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        values
    }

    /// Returns the same IR with its variables set to a value, wrapped into their types.
    pub(crate) fn with_variables(&self, value: i128) -> Self {
        let mut other = self.clone();
        for (class, _, number) in &mut other.assignment {
            if let Some(node) = self.state.nodes.iter().find(|node| node.class == *class) {
                *number = Number::whole(node.ty.wrap(value));
            }
        }
        other
    }

    /// Returns a machine for this IR.
    pub(crate) fn machine<'p>(&self, entry: Entry<'p>) -> Machine<'p> {
        let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
        machine.operands = Operands::Kept;
        machine.values = self.values.clone();
        machine.spells = self.is_spelled;
        machine.lanes = Some(machine.number(self.lanes, 32, true));
        machine
    }

    /// Returns the outermost node.
    pub(crate) fn input(&self) -> NodeId {
        self.input
    }

    /// Returns the state with the nodes.
    pub(crate) fn state(&self) -> State {
        self.state.clone()
    }

    /// Tests whether each call of an intrinsic has as many arguments as the intrinsic takes. No
    /// input has any other.
    fn has_arguments(&self) -> bool {
        self.state.nodes.iter().all(|node| match (&node.shape, node.intrinsic.as_deref()) {
            (Some(Shape { kind: Kind::Call, fields }), Some(callee)) => {
                let counts = crate::ir::intrinsics::counts(callee);
                counts.is_empty()
                    || counts.contains(&fields.len())
                    || crate::ir::intrinsics::is_open(callee)
            }
            _ => true,
        })
    }

    /// Runs the mutator.
    pub(crate) fn replay(&self, entry: Entry<'_>, operands: Operands) -> Replayed {
        let mut machine = self.machine(entry);
        machine.operands = operands;
        entry.run(&mut machine, self.input, self.state.clone());
        if machine.has_chosen {
            return Replayed::Failed("what it does depends on more than the IR".to_owned());
        }
        if let Some(end) = machine.ends.iter().find(|end| matches!(end.outcome, Outcome::Crash(_)))
            && let Outcome::Crash(what) = &end.outcome
        {
            if !self.has_arguments() {
                return Replayed::Failed("a call without its arguments".to_owned());
            }
            return Replayed::Crash(what.clone(), end.line);
        }
        let [end] = machine.ends.as_slice() else {
            let what = machine.ends.iter().find_map(|end| match &end.outcome {
                Outcome::Unsupported(what)
                | Outcome::Bounded(what)
                | Outcome::Rejected(what)
                | Outcome::Endless(what) => Some(what.clone()),
                Outcome::Returned(_) | Outcome::Crash(_) => None,
            });
            return Replayed::Failed(what.unwrap_or_else(|| "several paths".to_owned()));
        };
        match &end.outcome {
            Outcome::Returned(Val::Expr(Some(result))) => self.compare(&machine, end, *result),
            Outcome::Returned(Val::Expr(None)) if machine.vanishing.is_some() => {
                Replayed::Failed("it returns nothing".to_owned())
            }
            Outcome::Returned(Val::Expr(None)) => {
                Replayed::Crash("an undefined Expr is returned".to_owned(), end.line)
            }
            Outcome::Unsupported(what)
            | Outcome::Bounded(what)
            | Outcome::Rejected(what)
            | Outcome::Endless(what) => Replayed::Failed(what.clone()),
            Outcome::Returned(_) | Outcome::Crash(_) => {
                Replayed::Failed("a result that is no Expr".to_owned())
            }
        }
    }

    /// Returns nodes that the compiler mutates without end on this IR, if a run shows that.
    pub(crate) fn cycle(&self, entry: Entry<'_>) -> Option<String> {
        let mut machine = self.machine(entry);
        machine.operands = Operands::Mutated;
        if !machine.enter(self.input, &self.state, entry.function.line) {
            return None;
        }
        entry.run(&mut machine, self.input, self.state.clone());
        machine.ends.iter().find_map(|end| match &end.outcome {
            Outcome::Endless(cycle) if !machine.has_chosen => Some(cycle.clone()),
            _ => None,
        })
    }

    fn compare(&self, machine: &Machine<'_>, end: &End, result: NodeId) -> Replayed {
        let (mut state, values, profile) = (end.state.clone(), &machine.values, machine.profile);
        let is_mask = machine.makes_masks && is_masked(state.node(self.input).ty);
        let mask = if is_mask { mask_of(self.input, result, &mut state) } else { None };
        let (state, wanted) = (&state, mask.unwrap_or(self.input));
        let (before, after) = (state.node(wanted).ty, state.node(result).ty);
        let is_other = before != after || is_mask && mask.is_none();
        let other_type = is_other.then(|| format!("{before} becomes {after}"));
        Replayed::Returned {
            after: text(state, values, result),
            other_type,
            expected: self.value_of(state, values, wanted, profile, false),
            got: self.value_of(state, values, result, profile, true),
            line: end.line,
            left: left_at_end(state),
            has_assumed: machine.has_assumed,
        }
    }

    /// Returns the value of a node. On overflow, signed integers of at least 32 bits either wrap,
    /// as on machines, or make the value undefined.
    pub(crate) fn value_of(
        &self,
        state: &State,
        values: &Values,
        node: NodeId,
        profile: &Profile,
        is_machine: bool,
    ) -> Computed {
        let value = || -> Option<Computed> {
            let mut meaning = Meaning::new(state, values, profile, is_machine);
            meaning.rounds = true;
            let term = meaning.node(node);
            if is_machine {
                meaning.emitted();
            }
            let assignment: Vec<Number> = meaning
                .values
                .vars()
                .iter()
                .map(|(name, domain)| {
                    if name == "lane[n]" {
                        return self.lane;
                    }
                    let class = meaning.names.iter().find(|(_, known)| known == name);
                    let value = class.and_then(|(class, _)| {
                        self.assignment.iter().find(|(known, ..)| known == class)
                    });
                    let value = value.map_or(Number::whole(0), |(.., value)| *value);
                    if *domain == Domain::Real {
                        value
                    } else {
                        Number::whole(domain.wrap(value.numerator))
                    }
                })
                .collect();
            if meaning.is_opaque {
                return None;
            }
            let undefined = Some(Computed::Undefined);
            for defined in meaning.defined.iter().chain(&meaning.present) {
                let holds = meaning.values.evaluate(*defined, &assignment, &mut |_, _| {})?;
                if holds.numerator == 0 {
                    return undefined;
                }
            }
            if !is_machine {
                for (term, ty) in &meaning.ranged {
                    let number = meaning.values.evaluate(*term, &assignment, &mut |_, _| {})?;
                    let (least, greatest) = ty.range()?;
                    if number.numerator < least || greatest < number.numerator {
                        return undefined;
                    }
                }
            }
            meaning.values.evaluate(term, &assignment, &mut |_, _| {}).map(Computed::Number)
        };
        value().unwrap_or(Computed::Unknown)
    }
}

struct Builder<'a, 'm> {
    source: &'a State,
    meaning: &'a mut Meaning<'m>,
    assignment: &'a [Number],
    concrete: Concrete,
    built: FxHashMap<NodeId, NodeId>,
    leaves: FxHashMap<usize, NodeId>,
    are_literals: bool,
}

/// Deeper nodes than this are not built.
const MAX_DEPTH: usize = 40;

impl Builder<'_, '_> {
    fn number(&mut self, term: halidom_rewrites::rules::ValueId) -> Option<Number> {
        let mut assignment = self.assignment.to_vec();
        assignment.resize(self.meaning.values.vars().len(), Number::whole(0));
        self.meaning.values.evaluate(term, &assignment, &mut |_, _| {})
    }

    fn node(&mut self, node: NodeId, depth: usize) -> Option<NodeId> {
        let mut node = self.source.find(node);
        if depth > MAX_DEPTH {
            return None;
        }
        if self.source.nodes[node].shape.is_none() {
            // The path may know the shape only from the result of `mutate` on the node.
            let class = self.source.class(self.source.nodes[node].class);
            let shaped = (0..self.source.nodes.len()).find(|other| {
                self.source.find(*other) == *other
                    && self.source.class(self.source.nodes[*other].class) == class
                    && self.source.nodes[*other].shape.is_some()
                    && !self.source.occurs(node, *other)
            });
            node = shaped.unwrap_or(node);
        }
        if let Some(built) = self.built.get(&node) {
            return Some(*built);
        }
        let known = Rc::clone(&self.source.nodes[node]);
        let ty = known.ty;
        let built = match &known.shape {
            Some(Shape { kind, fields }) => {
                let mut new = Vec::new();
                for field in fields {
                    new.push(match field {
                        Field::Expr(inner) => Field::Expr(self.node(*inner, depth + 1)?),
                        Field::Number(term) => {
                            let term = self.meaning.term(*term);
                            let number = self.number(term)?;
                            let number = self.literal(number, ty)?;
                            Field::Number(number)
                        }
                        Field::Lanes => Field::Lanes,
                        Field::Opaque(id) => Field::Opaque(*id),
                    });
                }
                let is_leaf = matches!(kind, Kind::Variable);
                let is_call = *kind == Kind::Call && known.intrinsic.is_some();
                if new.is_empty() && !is_call {
                    return None;
                }
                let shape = Shape { kind: *kind, fields: new };
                let built = self.concrete.state.add(ty, None, Some(shape));
                self.concrete.state.node_mut(built).intrinsic.clone_from(&known.intrinsic);
                if is_leaf {
                    self.assign(built, node)?;
                }
                built
            }
            None => self.leaf(node)?,
        };
        self.built.insert(node, built);
        Some(built)
    }

    fn literal(&mut self, number: Number, ty: Type) -> Option<halidom_rewrites::rules::ValueId> {
        if ty.code != Code::Float && number.denominator != 1 {
            return None;
        }
        if number.denominator != 1 {
            return None;
        }
        let domain = ty.domain();
        let wrapped = ty.wrap(number.numerator);
        Some(self.concrete.values.number(wrapped, domain))
    }

    /// Builds a node whose kind the path does not know: a literal if a test required one, else a
    /// variable.
    fn leaf(&mut self, node: NodeId) -> Option<NodeId> {
        // Collects the knowledge about all nodes of the class: a node and the result of `mutate` on
        // it are built alike.
        let known = Rc::clone(&self.source.nodes[node]);
        let (class, ty) = (self.source.class(known.class), known.ty);
        if let Some(built) = self.leaves.get(&class) {
            return Some(*built);
        }
        let (mut not, mut is_literal) = (0, self.are_literals);
        for other in &self.source.nodes {
            if self.source.class(other.class) == class {
                not |= other.not;
                is_literal |= other.is_literal;
            }
        }
        let built = self.new_leaf(node, ty, not, is_literal)?;
        self.leaves.insert(class, built);
        Some(built)
    }

    fn new_leaf(&mut self, node: NodeId, ty: Type, not: u128, is_literal: bool) -> Option<NodeId> {
        let excluded = |kind: Kind| not & crate::ir::kinds::bit(kind) != 0;
        if is_literal || excluded(Kind::Variable) {
            let element = ty.element();
            let kind = match ty.code {
                Code::Int => Kind::IntImm,
                Code::UInt => Kind::UIntImm,
                _ => Kind::FloatImm,
            };
            if excluded(kind) || ty.is_vector && excluded(Kind::Broadcast) {
                return None;
            }
            let term = self.meaning.node(node);
            let number = self.number(term)?;
            let number = self.literal(number, element)?;
            let shape = Shape { kind, fields: vec![Field::Number(number)] };
            let scalar = self.concrete.state.add(element, None, Some(shape));
            if !ty.is_vector {
                return Some(scalar);
            }
            let fields = vec![Field::Expr(scalar), Field::Lanes];
            let shape = Shape { kind: Kind::Broadcast, fields };
            return Some(self.concrete.state.add(ty, None, Some(shape)));
        }
        if let Some(select) = self.bounded(node, ty) {
            return Some(select);
        }
        if !ty.is_value() {
            return (ty == Type::NAME)
                .then(|| u32::try_from(node).ok())
                .flatten()
                .map(|id| self.concrete.state.name(id + 12));
        }
        let id = u32::try_from(node).ok()?;
        let built = self.named(ty, id);
        self.assign(built, node)?;
        Some(built)
    }

    /// Builds a node for which an analysis gave bounds: a choice between the two bounds, for which
    /// the analysis gives the same bounds.
    fn bounded(&mut self, node: NodeId, ty: Type) -> Option<NodeId> {
        let class = self.source.class(self.source.nodes[node].class);
        let (_, least, greatest) = *self
            .source
            .bounded
            .iter()
            .find(|(other, ..)| self.source.class(self.source.node(*other).class) == class)?;
        if ty.is_vector {
            return None;
        }
        let value = self.meaning.node(node);
        let value = self.number(value)?;
        let mut bound = |term| {
            let term = self.meaning.term(term);
            self.number(term).map(|number| number.numerator)
        };
        let (least, greatest) = (bound(least)?, bound(greatest)?);
        let kind = if ty.code == Code::Int { Kind::IntImm } else { Kind::UIntImm };
        let mut literal = |number: i128| {
            let number = self.literal(Number::whole(number), ty)?;
            let shape = Shape { kind, fields: vec![Field::Number(number)] };
            Some(self.concrete.state.add(ty, None, Some(shape)))
        };
        let (first, second) = (literal(least)?, literal(greatest)?);
        let id = u32::try_from(node).ok()?;
        let condition = self.named(Type::BOOL, id);
        let is_first = is_nearer(value, least, greatest);
        let class = self.concrete.state.nodes[condition].class;
        let name = variable_name(condition);
        self.concrete.assignment.push((class, name, Number::whole(i128::from(is_first))));
        let fields = [condition, first, second].map(Field::Expr).to_vec();
        Some(self.concrete.state.add(ty, None, Some(Shape { kind: Kind::Select, fields })))
    }

    /// Makes a variable with a new name.
    fn named(&mut self, ty: Type, id: u32) -> NodeId {
        let name = self.concrete.state.name(id + 12);
        Machine::variable(ty, name, &mut self.concrete.state)
    }

    fn assign(&mut self, built: NodeId, node: NodeId) -> Option<()> {
        let term = self.meaning.node(node);
        let number = self.number(term)?;
        let class = self.concrete.state.nodes[built].class;
        let name = variable_name(built);
        self.concrete.assignment.push((class, name, number));
        Some(())
    }
}

/// True if a value is at least as near to the first number as to the second.
pub(crate) fn is_nearer(value: Number, first: i128, second: i128) -> bool {
    (value.numerator - first).abs() <= (value.numerator - second).abs()
}
