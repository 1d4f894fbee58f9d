//! IR as text for a reader, and as C++ that builds it.

use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Values;

use crate::ir::kinds::{Kind, Role};
use crate::ir::layout::{parameters, placeholder, role};
pub(crate) use crate::ir::node::name;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::quoted::literal;

use crate::ir::state::{SPELLED, State};
use crate::ir::value::Val;

/// The name of a variable that stands for a node.
pub(crate) fn variable_name(node: NodeId) -> String {
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

/// The text of a name that is spelled, or that was made of another one and a text.
fn compound(state: &State, node: NodeId) -> Option<String> {
    if let Some(Field::Opaque(id)) = state.shape(node)?.fields.first()
        && let Some(text) = state.text_of(*id)
    {
        return Some(text.to_owned());
    }
    let (Val::Expr(Some(first)), Val::Text(second)) = state.parts_of_name(node)? else {
        return None;
    };
    let Shape { fields, .. } = state.shape(*first)?;
    match fields.first() {
        Some(Field::Opaque(id)) => Some(format!("{}{second}", name(*id))),
        _ => None,
    }
}

/// The variable's own name, if it has one.
fn own_name(state: &State, node: NodeId) -> Option<String> {
    let Shape { fields, .. } = state.shape(node)?;
    let Some(Field::Expr(inner)) = fields.first() else { return None };
    match state.shape(*inner) {
        Some(Shape { kind: Kind::Name, fields }) => match fields.first() {
            Some(Field::Opaque(id)) if *id < 12 || *id >= SPELLED => {
                Some(compound(state, *inner).unwrap_or_else(|| name(*id)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A node as text, with every compound operand in parentheses.
pub(crate) fn text(state: &State, values: &Values, node: NodeId) -> String {
    let known = state.node(node);
    let Some(Shape { kind, fields }) = &known.shape else { return variable_name(node) };
    if let Some(text) = stmt_text(state, values, *kind, fields) {
        return text;
    }
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
        (Kind::Variable, _) => {
            own_name(state, node).unwrap_or_else(|| variable_name(state.find(node)))
        }
        (Kind::Name, _) => match fields.first() {
            Some(Field::Opaque(id)) => compound(state, node).unwrap_or_else(|| name(*id)),
            _ => variable_name(node),
        },
        (Kind::StringImm, _) if let Some(known) = state.text_of_literal(node) => literal(known),
        (Kind::IntImm | Kind::FloatImm, [number]) if known.ty.bits == 32 => number.clone(),
        (Kind::IntImm | Kind::UIntImm | Kind::FloatImm, [number]) => {
            format!("({}){number}", known.ty)
        }
        (Kind::Call, parts) => {
            format!("{}({})", known.intrinsic.as_deref().unwrap_or("call"), parts.join(", "))
        }
        (Kind::Cast, [inner]) => format!("{}({inner})", known.ty),
        (Kind::Load, [name, predicate, index]) if predicate == "(bool)1" => {
            format!("{name}[{index}]")
        }
        (Kind::Let, [name, value, body]) => format!("(let {name} = {value} in {body})"),
        (kind, [a, b]) if infix(*kind).is_some() => {
            format!("({a} {} {b})", infix(*kind).unwrap_or_default())
        }
        (kind, parts) => format!("{}({})", kind.name().to_lowercase(), parts.join(", ")),
    }
}

/// A statement on one line; `None` for a node that is not a statement.
fn stmt_text(state: &State, values: &Values, kind: Kind, fields: &[Field]) -> Option<String> {
    if !kind.is_stmt() {
        return None;
    }
    let member = |name: &str| -> Option<String> {
        let index = kind.fields().iter().position(|(known, _)| *known == name)?;
        match fields.get(index)? {
            Field::Expr(inner) => Some(text(state, values, *inner)),
            Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
        }
    };
    let body = || member("body").unwrap_or_default();
    Some(match kind {
        Kind::Undefined => String::new(),
        Kind::Block => format!("{} {}", member("first")?, member("rest")?),
        Kind::IfThenElse => {
            let otherwise = member("else_case")?;
            let (condition, then) = (member("condition")?, member("then_case")?);
            if otherwise.is_empty() {
                format!("if ({condition}) {{ {then} }}")
            } else {
                format!("if ({condition}) {{ {then} }} else {{ {otherwise} }}")
            }
        }
        Kind::For => {
            // The last part is the number of iterations, or the last number.
            let (name, min, extent) = (member("name")?, member("min")?, member("extent")?);
            format!("for ({name}, {min}, {extent}) {{ {} }}", body())
        }
        Kind::LetStmt => {
            format!("let {} = {}; {}", member("name")?, member("value")?, body())
        }
        Kind::AssertStmt => format!("assert({}); {}", member("condition")?, body()),
        Kind::Evaluate => format!("{};", member("value")?),
        Kind::Store => {
            let (name, index, value) = (member("name")?, member("index")?, member("value")?);
            match member("predicate")?.as_str() {
                "(bool)1" => format!("{name}[{index}] = {value};"),
                predicate => format!("{name}[{index}] = {value} where {predicate};"),
            }
        }
        Kind::Acquire => {
            let (semaphore, count) = (member("semaphore")?, member("count")?);
            format!("acquire({semaphore}, {count}) {{ {} }}", body())
        }
        Kind::Allocate => format!("allocate {}; {}", member("name")?, body()),
        Kind::Free => format!("free {};", member("name")?),
        Kind::ProducerConsumer => format!("produce {} {{ {} }}", member("name")?, body()),
        Kind::AttrStmt => format!("attribute {{ {} }}", body()),
        kind => format!("{} {{ {} }}", kind.name().to_lowercase(), body()),
    })
}

/// C++ that builds a node.
pub(crate) fn snippet(state: &State, values: &Values, node: NodeId, profile: &Profile) -> String {
    let known = state.node(node);
    let Some(Shape { kind, fields }) = &known.shape else { return variable_name(node) };
    let ty = known.ty.snippet();
    match kind {
        Kind::Variable => match own_name(state, node) {
            Some(name) => format!("Variable::make({ty}, \"{name}\")"),
            None => variable_name(state.find(node)),
        },
        Kind::Name => match fields.first() {
            Some(Field::Opaque(id)) => format!("\"{}\"", name(*id)),
            _ => variable_name(node),
        },
        Kind::Undefined => "Stmt()".to_owned(),
        Kind::StringImm => {
            let known = state.text_of_literal(node).unwrap_or_default();
            format!("StringImm::make({})", literal(known))
        }
        Kind::List => {
            let parts: Vec<String> = operands(state, values, fields, profile);
            format!("{{{}}}", parts.join(", "))
        }
        Kind::Call => {
            let parts = operands(state, values, fields, profile).join(", ");
            let callee = known.intrinsic.as_deref().unwrap_or("call");
            format!("Call::make({ty}, \"{callee}\", {{{parts}}}, Call::Extern)")
        }
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
        kind if parameters(*kind, profile.name).is_some() => {
            let members = parameters(*kind, profile.name).unwrap_or_default();
            let parts = members.iter().map(|member| {
                let index = kind.fields().iter().position(|(name, _)| name == member);
                match index.and_then(|index| fields.get(index)) {
                    Some(Field::Expr(inner)) if role(*kind, member) != Some(Role::OptionalExpr) => {
                        snippet(state, values, *inner, profile)
                    }
                    None if *member == "type" && !kind.is_stmt() => ty.clone(),
                    _ => placeholder(member).to_owned(),
                }
            });
            let parts: Vec<String> = parts.collect();
            format!("{}::make({})", kind.name(), parts.join(", "))
        }
        _ => {
            let mut parts: Vec<String> = Vec::new();
            if kind.fields().iter().any(|(_, role)| *role == Role::Any) {
                parts.push(ty);
            }
            parts.extend(operands(state, values, fields, profile));
            format!("{}::make({})", kind.name(), parts.join(", "))
        }
    }
}

fn operands(state: &State, values: &Values, fields: &[Field], profile: &Profile) -> Vec<String> {
    let parts = fields.iter().filter_map(|field| match field {
        Field::Expr(inner) => Some(snippet(state, values, *inner, profile)),
        Field::Lanes => Some("lanes".to_owned()),
        Field::Number(_) | Field::Opaque(_) => None,
    });
    parts.collect()
}
