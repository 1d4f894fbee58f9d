//! Random IR on which mutators are tried: it finds what is wrong without a solver, and what is verified has to survive it.

use halidom_base::FxHashMap;

use super::ir::{Code, Kind, Role, Type};
use super::replay::Concrete;
use super::state::{Field, NodeId, Shape, State};
use crate::rules::{Number, Random, Values};

/// Makes IR for one mutator at one type.
pub(crate) struct Trials {
    random: Random,
    kind: Kind,
    ty: Type,
    operand: Type,
}

/// Levels of operands below the node that is mutated.
const MAX_DEPTH: usize = 3;

/// Kinds that operands are made of.
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

impl Trials {
    /// Trials of a kind of node at a type, with operands of another where the kind leaves that open.
    pub(crate) fn new(kind: Kind, ty: Type, operand: Type) -> Self {
        Self { random: Random(7), kind, ty, operand }
    }

    /// The next input, if the kind can be made.
    pub(crate) fn next(&mut self) -> Option<Concrete> {
        let seed = self.random.next();
        let mut maker = Maker {
            random: Random(seed),
            state: State::default(),
            values: Values::default(),
            variables: FxHashMap::default(),
            assignment: Vec::new(),
        };
        let input = maker.make(self.kind, self.ty, self.operand, 0)?;
        let lane = Number::whole(i128::from(maker.random.below(4)));
        Some(Concrete::new(maker.state, maker.values, input, maker.assignment, lane))
    }
}

struct Maker {
    random: Random,
    state: State,
    values: Values,
    variables: FxHashMap<(Type, u64), NodeId>,
    assignment: Vec<(usize, String, Number)>,
}

impl Maker {
    fn node(&mut self, ty: Type, depth: usize) -> NodeId {
        if depth < MAX_DEPTH && self.random.below(3) > 0 {
            let kind = KINDS[self.random.below(KINDS.len() as u64) as usize];
            let operand = Type::SCALARS[self.random.below(Type::SCALARS.len() as u64) as usize];
            if kind.admits(ty)
                && let Some(node) = self.make(kind, ty, operand, depth)
            {
                return node;
            }
        }
        if self.random.below(2) == 0 { self.literal(ty) } else { self.variable(ty) }
    }

    fn make(&mut self, kind: Kind, ty: Type, operand: Type, depth: usize) -> Option<NodeId> {
        let mut fields = Vec::new();
        for (_, role) in kind.fields() {
            let ty = match role {
                Role::Same => ty,
                Role::Operand | Role::Any => operand.with_vector(ty.is_vector),
                Role::Condition => Type::BOOL,
                Role::Element => ty.element(),
                Role::Lanes => {
                    fields.push(Field::Lanes);
                    continue;
                }
                Role::Payload | Role::Opaque => return None,
            };
            fields.push(Field::Expr(self.node(ty, depth + 1)));
        }
        if fields.is_empty() {
            return None;
        }
        Some(self.state.add(ty, None, Some(Shape { kind, fields })))
    }

    fn literal(&mut self, ty: Type) -> NodeId {
        let element = ty.element();
        let number = self.number(element);
        let term = self.values.number(number, element.domain());
        let kind = match ty.code {
            Code::Int => Kind::IntImm,
            Code::UInt => Kind::UIntImm,
            Code::Float => Kind::FloatImm,
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
        let which = self.random.below(2);
        if let Some(known) = self.variables.get(&(ty, which)) {
            return *known;
        }
        let id = u32::try_from(self.variables.len()).unwrap_or(u32::MAX);
        let shape = Shape { kind: Kind::Variable, fields: vec![Field::Opaque(id)] };
        let node = self.state.add(ty, None, Some(shape));
        let number = Number::whole(self.number(ty));
        self.assignment.push((self.state.nodes[node].class, format!("x{node}"), number));
        self.variables.insert((ty, which), node);
        node
    }

    /// A number of a type: mostly small, else near its bounds.
    fn number(&mut self, ty: Type) -> i128 {
        let small = i128::from(self.random.below(13)) - 4;
        match ty.range() {
            Some((least, _)) if self.random.below(12) == 0 => least,
            Some((_, greatest)) if self.random.below(12) == 0 => greatest,
            _ => ty.wrap(small),
        }
    }
}
