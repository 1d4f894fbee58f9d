//! Counterexamples: IR built from a model, and the mutator run on it.

use halidom_base::FxHashMap;

use super::ir::{Code, Kind, Role, Type};
use super::machine::{Machine, Operands, Outcome, Program};
use super::meaning::Meaning;
use super::state::{Field, NodeId, Shape, State};
use super::value::Val;
use crate::cpp::ast::Function;
use crate::profile::Profile;
use crate::rules::{Domain, Number, Values};

/// What a mutator did to concrete IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Replayed {
    /// It ended the compiler, with what happened and where.
    Crash(String, usize),
    /// It returned.
    Returned {
        /// The result.
        after: String,
        /// The types of input and result differ.
        other_type: Option<String>,
        /// The input's value.
        expected: Computed,
        /// The result's.
        got: Computed,
        /// Where the result was given.
        line: usize,
    },
    /// It could not be followed.
    Failed(String),
}

/// The value of concrete IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computed {
    /// A number.
    Number(Number),
    /// It divides by 0, overflows where that is excluded, or is marked as undefined.
    Undefined,
    /// It was not computed.
    Unknown,
}

/// IR that a model stands for.
#[derive(Clone, Debug)]
pub(crate) struct Concrete {
    state: State,
    values: Values,
    input: NodeId,
    /// The values of variables, by class.
    assignment: Vec<(usize, String, Number)>,
    lanes: i128,
    lane: Number,
}

/// Which mutator runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'p> {
    /// All functions.
    pub(crate) program: &'p Program,
    /// What the IR means.
    pub(crate) profile: &'p Profile,
    /// The method.
    pub(crate) function: &'p Function,
    /// The kind of node that it takes.
    pub(crate) kind: Kind,
    /// Whether C++ integers are integers.
    pub(crate) is_whole: bool,
}

impl<'p> Entry<'p> {
    /// Runs the method on a node.
    pub(crate) fn run(&self, machine: &mut Machine<'p>, input: NodeId, state: State) {
        machine.class.clone_from(&self.function.class);
        machine.cuts_literals = self.kind == Kind::Cast;
        let arguments = self.function.parameters.iter().map(|parameter| {
            match parameter.ty.trim_end_matches('&') {
                ty if ty.ends_with('*')
                    && Kind::named(ty.trim_end_matches('*')) == Some(self.kind) =>
                {
                    Val::Ptr(Some((input, self.kind)))
                }
                "Expr" => Val::Expr(Some(input)),
                ty => Val::Handle(ty.to_owned()),
            }
        });
        let arguments = arguments.collect();
        for (state, value) in machine.call(self.function, arguments, state) {
            let result = match value {
                Val::Void => state
                    .members
                    .iter()
                    .find(|slot| slot.name == "expr")
                    .map_or(Val::Expr(None), |slot| slot.value.clone()),
                Val::Ptr(Some((node, _))) => Val::Expr(Some(node)),
                value => value,
            };
            let line = state.at;
            machine.end(state, Outcome::Returned(result), line);
        }
    }
}

impl Concrete {
    /// IR that was made, with the values of its variables by class.
    pub(crate) fn new(
        state: State,
        values: Values,
        input: NodeId,
        assignment: Vec<(usize, String, Number)>,
        lane: Number,
    ) -> Self {
        Self { state, values, input, assignment, lanes: 4, lane }
    }

    /// The input of a path under the values of a model; operands of which nothing is known are variables, or literals.
    /// `None` where the path asks for something that no such IR has.
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

    /// The variables and their values, for a reader.
    pub(crate) fn values(&self) -> Vec<(String, String)> {
        self.assignment.iter().map(|(_, name, value)| (name.clone(), value.to_string())).collect()
    }

    /// The input as text.
    pub(crate) fn before(&self) -> String {
        text(&self.state, &self.values, self.input)
    }

    /// C++ that builds the input.
    pub(crate) fn snippet(&self) -> String {
        let mut lines = Vec::new();
        for (class, name, value) in &self.assignment {
            if let Some(node) = self.state.nodes.iter().find(|node| node.class == *class) {
                lines.push(format!(
                    "Expr {name} = Variable::make({}, \"{name}\"); // {value}",
                    node.ty.snippet()
                ));
            }
        }
        lines.push(format!("Expr before = {};", snippet(&self.state, &self.values, self.input)));
        lines.push("Expr after = simplify(before);".to_owned());
        lines.join("\n")
    }

    /// The same IR with variables of the IR set to a value, as far as their types have it.
    pub(crate) fn with_variables(&self, value: i128) -> Self {
        let mut other = self.clone();
        for (class, _, number) in &mut other.assignment {
            if let Some(node) = self.state.nodes.iter().find(|node| node.class == *class) {
                *number = Number::whole(node.ty.wrap(value));
            }
        }
        other
    }

    /// A machine on this IR.
    pub(crate) fn machine<'p>(&self, entry: Entry<'p>) -> Machine<'p> {
        let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
        machine.operands = Operands::Kept;
        machine.values = self.values.clone();
        machine.lanes = Some(machine.number(self.lanes, 32, true));
        machine
    }

    /// The outermost node.
    pub(crate) fn input(&self) -> NodeId {
        self.input
    }

    /// The nodes.
    pub(crate) fn state(&self) -> State {
        self.state.clone()
    }

    /// Runs the mutator.
    pub(crate) fn replay(&self, entry: Entry<'_>, operands: Operands) -> Replayed {
        let mut machine = self.machine(entry);
        machine.operands = operands;
        entry.run(&mut machine, self.input, self.state.clone());
        if let Some(end) = machine.ends.iter().find(|end| matches!(end.outcome, Outcome::Crash(_)))
            && let Outcome::Crash(what) = &end.outcome
        {
            return Replayed::Crash(what.clone(), end.line);
        }
        let [end] = machine.ends.as_slice() else {
            let what = machine.ends.iter().find_map(|end| match &end.outcome {
                Outcome::Unsupported(what) => Some(what.clone()),
                Outcome::Returned(_) | Outcome::Crash(_) => None,
            });
            return Replayed::Failed(what.unwrap_or_else(|| "several paths".to_owned()));
        };
        match &end.outcome {
            Outcome::Returned(Val::Expr(Some(result))) => {
                self.compare(&end.state, &machine.values, *result, entry.profile, end.line)
            }
            Outcome::Returned(Val::Expr(None)) => {
                Replayed::Crash("an undefined Expr is returned".to_owned(), end.line)
            }
            Outcome::Unsupported(what) => Replayed::Failed(what.clone()),
            Outcome::Returned(_) | Outcome::Crash(_) => {
                Replayed::Failed("a result that is no Expr".to_owned())
            }
        }
    }

    fn compare(
        &self,
        state: &State,
        values: &Values,
        result: NodeId,
        profile: &Profile,
        line: usize,
    ) -> Replayed {
        let (before, after) = (state.node(self.input).ty, state.node(result).ty);
        let other_type = (before != after).then(|| format!("{before} becomes {after}"));
        Replayed::Returned {
            after: text(state, values, result),
            other_type,
            expected: self.value_of(state, values, self.input, profile, false),
            got: self.value_of(state, values, result, profile, true),
            line,
        }
    }

    /// The value of a node; signed integers of 32 bits and more wrap as the machine's do, or leave it undefined where
    /// they overflow.
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
            let term = meaning.node(node);
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
            for defined in &meaning.defined {
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

/// Nodes deeper than this are not built.
const MAX_DEPTH: usize = 40;

impl Builder<'_, '_> {
    fn number(&mut self, term: crate::rules::ValueId) -> Option<Number> {
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
            // What `mutate` made of it is what the path knows.
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
        let known = self.source.nodes[node].clone();
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
                self.concrete.state.nodes[built].intrinsic.clone_from(&known.intrinsic);
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

    fn literal(&mut self, number: Number, ty: Type) -> Option<crate::rules::ValueId> {
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

    /// Something of which the path does not know the kind: a literal if a test said so, else a variable.
    fn leaf(&mut self, node: NodeId) -> Option<NodeId> {
        // What is known of any node of the class: a node and what `mutate` made of it are built alike.
        let known = self.source.nodes[node].clone();
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

    fn new_leaf(&mut self, node: NodeId, ty: Type, not: u64, is_literal: bool) -> Option<NodeId> {
        let excluded = |kind: Kind| not & super::machine::bit(kind) != 0;
        if is_literal || excluded(Kind::Variable) {
            let element = ty.element();
            let kind = match ty.code {
                Code::Int => Kind::IntImm,
                Code::UInt => Kind::UIntImm,
                Code::Float => Kind::FloatImm,
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
        let id = u32::try_from(node).ok()?;
        let shape = Shape { kind: Kind::Variable, fields: vec![Field::Opaque(id)] };
        let built = self.concrete.state.add(ty, None, Some(shape));
        self.assign(built, node)?;
        Some(built)
    }

    /// Something of which an analysis said bounds: a choice between them, of which it says the same.
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
        let shape = Shape { kind: Kind::Variable, fields: vec![Field::Opaque(id)] };
        let condition = self.concrete.state.add(Type::BOOL, None, Some(shape));
        let is_first = super::analysis::is_nearer(value, least, greatest);
        let class = self.concrete.state.nodes[condition].class;
        let name = variable_name(condition);
        self.concrete.assignment.push((class, name, Number::whole(i128::from(is_first))));
        let fields = [condition, first, second].map(Field::Expr).to_vec();
        Some(self.concrete.state.add(ty, None, Some(Shape { kind: Kind::Select, fields })))
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

fn variable_name(node: NodeId) -> String {
    format!("x{node}")
}

fn infix(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Add => "+",
        Kind::Sub => "-",
        Kind::Mul => "*",
        Kind::Div => "/",
        Kind::Mod => "%",
        Kind::EQ => "==",
        Kind::NE => "!=",
        Kind::LT => "<",
        Kind::LE => "<=",
        Kind::GT => ">",
        Kind::GE => ">=",
        Kind::And => "&&",
        Kind::Or => "||",
        _ => return None,
    })
}

/// A node as text, every compound operand in parentheses.
fn text(state: &State, values: &Values, node: NodeId) -> String {
    let known = state.node(node);
    let Some(Shape { kind, fields }) = &known.shape else { return variable_name(node) };
    let parts: Vec<String> = fields
        .iter()
        .filter_map(|field| match field {
            Field::Expr(inner) => Some(text(state, values, *inner)),
            Field::Number(term) => values.as_number(*term).map(|number| number.to_string()),
            Field::Lanes => Some("lanes".to_owned()),
            Field::Opaque(_) => None,
        })
        .collect();
    match (kind, parts.as_slice()) {
        (Kind::Variable, _) => variable_name(state.find(node)),
        (Kind::IntImm | Kind::FloatImm, [number]) if known.ty.bits == 32 => number.clone(),
        (Kind::IntImm | Kind::UIntImm | Kind::FloatImm, [number]) => {
            format!("({}){number}", known.ty)
        }
        (Kind::Call, _) => {
            format!("{}()", known.intrinsic.as_deref().unwrap_or("call"))
        }
        (Kind::Cast, [inner]) => format!("{}({inner})", known.ty),
        (kind, [a, b]) if infix(*kind).is_some() => {
            format!("({a} {} {b})", infix(*kind).unwrap_or_default())
        }
        (kind, parts) => format!("{}({})", kind.name().to_lowercase(), parts.join(", ")),
    }
}

/// A node as C++ that builds it.
fn snippet(state: &State, values: &Values, node: NodeId) -> String {
    let known = state.node(node);
    let Some(Shape { kind, fields }) = &known.shape else { return variable_name(node) };
    let ty = known.ty.snippet();
    match kind {
        Kind::Variable => variable_name(state.find(node)),
        Kind::IntImm | Kind::UIntImm | Kind::FloatImm => {
            let number = match fields.first() {
                Some(Field::Number(term)) => values.as_number(*term).unwrap_or(0),
                _ => 0,
            };
            let number = if number == i128::from(i64::MIN) {
                "INT64_MIN".to_owned()
            } else {
                number.to_string()
            };
            format!("make_const({ty}, {number})")
        }
        _ => {
            let mut parts: Vec<String> = Vec::new();
            if kind.fields().iter().any(|(_, role)| *role == Role::Any) {
                parts.push(ty);
            }
            for field in fields {
                match field {
                    Field::Expr(inner) => parts.push(snippet(state, values, *inner)),
                    Field::Lanes => parts.push("lanes".to_owned()),
                    Field::Number(_) | Field::Opaque(_) => {}
                }
            }
            format!("{}::make({})", kind.name(), parts.join(", "))
        }
    }
}

impl Machine<'_> {
    /// `mutate` of a node that is known: itself, or what the class's own mutator makes of it.
    pub(crate) fn mutate_concretely(
        &mut self,
        node: NodeId,
        state: State,
        line: usize,
    ) -> super::machine::Paths<Val> {
        let kind = state.shape(node).map(|shape| shape.kind);
        let mut state = state;
        if self.operands == Operands::Copied {
            let (ty, class) = (state.node(node).ty, state.node(node).class);
            let shape = state.shape(node).cloned();
            let intrinsic = state.node(node).intrinsic.clone();
            let copy = state.add(ty, Some(class), shape);
            state.node_mut(copy).intrinsic = intrinsic;
            return vec![(state, Val::Expr(Some(copy)))];
        }
        let own = kind.filter(|_| self.operands == Operands::Mutated).and_then(|kind| {
            let wanted = format!("{}*", kind.name());
            self.program.functions.iter().find(|function| {
                function.name == "visit"
                    && function.class == self.class
                    && function.parameters.first().is_some_and(|first| first.ty == wanted)
            })
        });
        let (Some(function), Some(kind)) = (own, kind) else {
            return vec![(state, Val::Expr(Some(node)))];
        };
        let members = std::mem::take(&mut state.members);
        let arguments =
            function.parameters.iter().map(|parameter| match parameter.ty.trim_end_matches('&') {
                "Expr" => Val::Expr(Some(node)),
                ty if ty.ends_with('*') && Kind::named(ty.trim_end_matches('*')) == Some(kind) => {
                    Val::Ptr(Some((node, kind)))
                }
                ty => Val::Handle(ty.to_owned()),
            });
        let arguments = arguments.collect();
        let mut paths = Vec::new();
        for (mut state, value) in self.call(function, arguments, state) {
            let result = match value {
                Val::Void => {
                    state.members.iter().find(|slot| slot.name == "expr").map(|s| s.value.clone())
                }
                value => Some(value),
            };
            state.members.clone_from(&members);
            match result {
                Some(value) => paths.push((state, value)),
                None => self.end(
                    state,
                    Outcome::Unsupported("a mutator without a result".to_owned()),
                    line,
                ),
            }
        }
        paths
    }
}
