//! The assertions of `make` about its arguments.

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::layout::{Demand, demands};
use crate::ir::node::{Field, NodeId};
use crate::ir::state::State;
use crate::ir::value::{Val, members};
use crate::machine::run::{Machine, Outcome};

/// The operand that a member of a node is.
pub(crate) fn operand(kind: Kind, member: &str, fields: &[Field]) -> Option<NodeId> {
    let index = kind.fields().iter().position(|(known, _)| *known == member)?;
    match fields.get(index)? {
        Field::Expr(node) => Some(*node),
        Field::Lanes | Field::Number(_) | Field::Opaque(_) => None,
    }
}

impl Machine<'_> {
    /// The end of a path that calls `make` with an argument that an assertion refuses (`IR.cpp`).
    /// A name has letters (Halide 977, Halide-HLS 574, Halide-to-Hardware 618), a list has elements
    /// (Halide 510, 634 and 667, Halide-HLS 363, 449 and 469, Halide-to-Hardware 377, 465 and 489),
    /// and a dimension and its factor are not negative (HeteroCL 844).
    pub(crate) fn refused_argument(
        &self,
        kind: Kind,
        names: &[&str],
        arguments: &[Val],
    ) -> Option<Outcome> {
        let is_tvm = self.profile.name == "heterocl";
        let crash = |what: &str| Some(Outcome::Crash(format!("{}::make of {what}", kind.name())));
        let open = |member: &str| {
            Some(Outcome::Unsupported(format!("{}::make of another {member}", kind.name())))
        };
        names.iter().zip(arguments).find_map(|(member, argument)| match (kind, *member) {
            (Kind::Variable, "name") if !is_tvm => match argument {
                Val::Text(text) if text.is_empty() => crash("an empty name"),
                _ => None,
            },
            (Kind::Provide, "values") | (Kind::Realize | Kind::Prefetch, "types") if !is_tvm => {
                match argument {
                    Val::List(_) | Val::Object(_) if members(argument).is_empty() => {
                        crash(&format!("no {member}"))
                    }
                    Val::Handle(_) => open(member),
                    _ => None,
                }
            }
            (Kind::Partition, "dim" | "factor") => match argument {
                Val::Opaque(_) => None,
                Val::Int(num) if num.low >= 0 => None,
                Val::Int(num) if num.high < 0 => crash(&format!("a negative {member}")),
                _ => open(member),
            },
            _ => None,
        })
    }

    /// The end of a path that makes a node whose members break an assertion of `make`.
    pub(crate) fn broken_assert(
        &self,
        kind: Kind,
        ty: Type,
        fields: &[Field],
        state: &State,
    ) -> Option<Outcome> {
        let name = kind.name();
        let type_of = |member: &str| operand(kind, member, fields).map(|node| state.node(node).ty);
        let is_vector = |member: &str| type_of(member).map(|ty| ty.is_vector);
        let lanes = match kind {
            Kind::Store => is_vector("value"),
            Kind::Load => Some(ty.is_vector),
            _ => None,
        };
        if lanes.is_some() && ["index", "predicate"].iter().any(|of| is_vector(of) != lanes) {
            return Some(Outcome::Crash(format!("{name}::make of other lanes")));
        }
        // "Let var mismatch" (HeteroCL 209 and 221).
        if let (Kind::Let | Kind::LetStmt, "heterocl", Some(Field::Expr(variable))) =
            (kind, self.profile.name, fields.first())
        {
            let bound = Self::type_of_name(*variable, state);
            match (bound, type_of("value")) {
                (Some(bound), Some(value)) if bound == value => {}
                (Some(_), Some(ty)) => {
                    let what = format!("{name}::make of a value of the type {ty}");
                    return Some(Outcome::Crash(what));
                }
                _ => {
                    let what = format!("{name}::make of a variable of some type");
                    return Some(Outcome::Unsupported(what));
                }
            }
        }
        for (member, demand) in demands(kind, self.profile.name) {
            let Some(ty) = type_of(member) else { continue };
            let is_text = operand(kind, member, fields)
                .and_then(|node| state.shape(node))
                .is_some_and(|shape| shape.kind == Kind::StringImm);
            let holds = match demand {
                Demand::Int32 => ty == I32,
                Demand::Message => ty == I32 || is_text,
                Demand::Bool => ty.is_bool(),
                Demand::Scalar => !ty.is_vector,
            };
            if !holds {
                let what = format!("{name}::make of a {member} of the type {ty}");
                // An address may be a text.
                let is_open = demand == Demand::Message && ty == Type::HANDLE;
                return Some(if is_open {
                    Outcome::Unsupported(what)
                } else {
                    Outcome::Crash(what)
                });
            }
        }
        None
    }
}
