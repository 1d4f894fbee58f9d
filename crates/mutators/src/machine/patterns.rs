//! Patterns of rules: the nodes that they match.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};
use halidom_rewrites::rules::Values;

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::machine::lookup::last_part;
use crate::machine::program::Program;
use crate::machine::run::Machine;

/// The wildcards of patterns (`Simplify_Internal.h`).
const WILDCARDS: [&str; 6] = ["x", "y", "z", "w", "u", "v"];

/// The constants of patterns.
const CONSTANTS: [&str; 6] = ["c0", "c1", "c2", "c3", "c4", "c5"];

/// The function of the rule language that computes a literal.
pub(super) const FOLD: &str = "fold";

/// The kinds of nodes that functions in patterns match.
const FUNCTIONS: [(&str, Kind); 11] = [
    ("likely", Kind::Call),
    ("likely_if_innermost", Kind::Call),
    ("slice", Kind::Shuffle),
    ("transpose", Kind::Shuffle),
    ("select", Kind::Select),
    ("min", Kind::Min),
    ("max", Kind::Max),
    ("ramp", Kind::Ramp),
    ("broadcast", Kind::Broadcast),
    ("Indeterminate", Kind::Call),
    ("Overflow", Kind::Call),
];

/// The kind of node that an operator makes, and that it matches in a pattern. In patterns, `>` and
/// `>=` are those with exchanged operands, so they have none here.
pub(super) fn kind_of(op: Sign) -> Option<Kind> {
    Some(match op {
        Sign::Add => Kind::Add,
        Sign::Sub => Kind::Sub,
        Sign::Mul => Kind::Mul,
        Sign::Div => Kind::Div,
        Sign::Rem => Kind::Mod,
        Sign::Lt => Kind::LT,
        Sign::Le => Kind::LE,
        Sign::Eq => Kind::EQ,
        Sign::Ne => Kind::NE,
        Sign::And => Kind::And,
        Sign::Or => Kind::Or,
        _ => return None,
    })
}

/// The kind of node that a function in a pattern matches.
pub(super) fn function(name: &str) -> Option<Kind> {
    FUNCTIONS.iter().find(|(known, _)| *known == last_part(name)).map(|(_, kind)| *kind)
}

/// The names of the rule language that the files give another meaning.
pub(crate) fn hidden(program: &Program) -> Vec<String> {
    let is_of_rules = |ty: &str| ty.trim_start_matches("Internal::").starts_with("IRMatcher::Wild");
    let is_hidden = |name: &&str| {
        let mut fields = program.classes.iter().flat_map(|class| &class.fields);
        program.others.iter().any(|other| other == name)
            || program.functions.iter().any(|function| function.name == *name)
            || fields.any(|field| field.name == *name && !is_of_rules(&field.ty))
    };
    let functions = FUNCTIONS.iter().map(|(name, _)| *name);
    let all = WILDCARDS.into_iter().chain(CONSTANTS).chain(functions).chain([FOLD]);
    all.filter(is_hidden).map(str::to_owned).collect()
}

/// Tests whether an expression has one of some names.
pub(super) fn names_one_of(expr: &Expr, names: &[String]) -> bool {
    let is_one = matches!(&expr.kind, ExprKind::Name(name)
        if names.iter().any(|known| known == last_part(name)));
    is_one || expr.operands().into_iter().any(|part| names_one_of(part, names))
}

/// The nodes and numbers that the names of a pattern stand for.
#[derive(Default)]
pub(super) struct Bound {
    nodes: Vec<(String, NodeId)>,
    numbers: Vec<(String, i128)>,
    /// The type of the constants, if there are some.
    pub(super) element: Option<Type>,
}

impl Bound {
    /// The number that a constant stands for.
    pub(super) fn constant(&self, name: &str) -> Option<i128> {
        let (_, number) = self.numbers.iter().find(|(known, _)| known == name)?;
        Some(*number)
    }

    /// The node that a name stands for.
    pub(super) fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().find(|(known, _)| known == name).map(|(_, node)| *node)
    }

    /// A number, if the type of the constants holds it.
    pub(super) fn held(&self, number: i128) -> Option<i128> {
        let (least, greatest) = self.element?.range()?;
        (least <= number && number <= greatest).then_some(number)
    }

    /// Tests whether an expression names a constant.
    pub(super) fn is_in(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => self.numbers.iter().any(|(known, _)| known == name),
            _ => expr.operands().into_iter().any(|part| self.is_in(part)),
        }
    }

    /// Binds a name to a node. Returns whether the name may stand for it.
    fn bind(&mut self, name: &str, node: NodeId, state: &State) -> bool {
        if let Some(known) = self.node(name) {
            return state.is_same(known, node);
        }
        self.nodes.push((name.to_owned(), node));
        true
    }

    /// Binds a constant to the number of a literal, if all constants have its type.
    fn bind_number(&mut self, name: &str, number: i128, ty: Type) -> Option<()> {
        if *self.element.get_or_insert(ty) != ty {
            return None;
        }
        self.numbers.push((name.to_owned(), number));
        Some(())
    }
}

/// Tests whether a pattern matches a node; `None` if that is not known.
pub(super) fn matches(
    pattern: &Expr,
    node: NodeId,
    bound: &mut Bound,
    state: &State,
    values: &Values,
) -> Option<bool> {
    let shape = state.shape(node)?;
    let is_literal =
        matches!(shape.kind, Kind::IntImm | Kind::UIntImm | Kind::FloatImm | Kind::Broadcast);
    match &pattern.kind {
        // A variable of the function is no wildcard.
        ExprKind::Name(name) if Machine::find_variable(name, state).is_some() => None,
        ExprKind::Name(name) if WILDCARDS.contains(&name.as_str()) => {
            Some(bound.bind(name, node, state))
        }
        ExprKind::Name(name) if CONSTANTS.contains(&name.as_str()) => {
            if !is_literal {
                return Some(false);
            }
            let ty = state.node(node).ty;
            if !matches!(ty.code, Code::Int | Code::UInt) {
                return None;
            }
            let number = literal(shape, values)?;
            if bound.node(name).is_none() {
                bound.bind_number(name, number, ty)?;
            }
            Some(bound.bind(name, node, state))
        }
        ExprKind::Integer(..) | ExprKind::Bool(_) if !is_literal => Some(false),
        ExprKind::Integer(number, _) => Some(literal(shape, values)? == *number),
        ExprKind::Bool(truth) => Some(literal(shape, values)? == i128::from(*truth)),
        ExprKind::Call { callee, arguments, .. } => {
            let ExprKind::Name(name) = &callee.kind else { return None };
            let kind = function(name)?;
            if shape.kind != kind {
                return Some(false);
            }
            let is_plain = matches!(kind, Kind::Select | Kind::Min | Kind::Max);
            if !is_plain || shape.fields.len() != arguments.len() {
                return None;
            }
            let mut all = Some(true);
            for (pattern, field) in arguments.iter().zip(&shape.fields) {
                let Field::Expr(of) = field else { return None };
                match matches(pattern, *of, bound, state, values) {
                    Some(false) => return Some(false),
                    part => all = all.and(part),
                }
            }
            all
        }
        ExprKind::Prefix(Sign::Not, operand) => {
            if shape.kind != Kind::Not {
                return Some(false);
            }
            let [Field::Expr(inner)] = shape.fields.as_slice() else { return None };
            matches(operand, *inner, bound, state, values)
        }
        ExprKind::Binary(op, first, second) => {
            let kind = kind_of(*op)?;
            if shape.kind != kind {
                return Some(false);
            }
            let [Field::Expr(a), Field::Expr(b)] = shape.fields.as_slice() else { return None };
            let first = matches(first, *a, bound, state, values);
            if first == Some(false) {
                return first;
            }
            match matches(second, *b, bound, state, values) {
                Some(false) if first.is_some() => Some(false),
                second => first.and(second),
            }
        }
        _ => None,
    }
}

/// The number of a literal that is no vector.
fn literal(shape: &Shape, values: &Values) -> Option<i128> {
    match shape.fields.as_slice() {
        [Field::Number(term)] => values.as_number(*term),
        _ => None,
    }
}
