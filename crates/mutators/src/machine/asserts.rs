//! The assertions of `make` about its arguments.

use crate::ir::kinds::{Code, I32, Kind, Role, Type};
use crate::ir::layout::{Demand, demands};
use crate::ir::node::{Field, NodeId, Shape};
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

/// The reason why no node is made, without its kind for a crash.
pub(super) enum Unmade {
    Crash(String),
    Unsupported(String),
}

/// An assertion about an argument of `make`.
#[derive(Clone, Copy)]
enum Asserted {
    /// A name is not empty; the compilers with Halide's own IR assert it.
    Named,
    /// A list is not empty; they assert it, too.
    NotEmpty,
    /// A number is not negative.
    NotNegative,
}

/// The arguments about whose values `make` asserts something.
const ASSERTED: [(Kind, &str, Asserted); 6] = [
    (Kind::Variable, "name", Asserted::Named),
    (Kind::Provide, "values", Asserted::NotEmpty),
    (Kind::Realize, "types", Asserted::NotEmpty),
    (Kind::Prefetch, "types", Asserted::NotEmpty),
    (Kind::Partition, "dim", Asserted::NotNegative),
    (Kind::Partition, "factor", Asserted::NotNegative),
];

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
        names.iter().zip(arguments).find_map(|(member, argument)| {
            let asserted = ASSERTED.iter().find(|(of, name, _)| *of == kind && name == member);
            match asserted?.2 {
                Asserted::Named | Asserted::NotEmpty if is_tvm => None,
                Asserted::Named => match argument {
                    Val::Text(text) if text.is_empty() => crash("an empty name"),
                    _ => None,
                },
                Asserted::NotEmpty => match argument {
                    Val::List(_) | Val::Object(_) if members(argument).is_empty() => {
                        crash(&format!("no {member}"))
                    }
                    Val::Handle(_) => open(member),
                    _ => None,
                },
                Asserted::NotNegative => match argument {
                    Val::Opaque(_) => None,
                    Val::Int(num) if num.low >= 0 => None,
                    Val::Int(num) if num.high < 0 => crash(&format!("a negative {member}")),
                    _ => open(member),
                },
            }
        })
    }

    /// The type and fields of a reduction of a vector to a scalar.
    pub(super) fn parts_of_reduction(
        &mut self,
        op: &Val,
        node: NodeId,
        lanes: &Val,
        state: &mut State,
    ) -> Result<(Type, Vec<Field>), Unmade> {
        let of = state.node(node).ty;
        if self.is_lanes(Some(lanes)) != Some(false) {
            return Err(Unmade::Unsupported("a reduction to several lanes".into()));
        }
        // The operator of the input fits the type of the input alone.
        let is_own = matches!(op, Val::Opaque(_))
            && matches!(state.shape(0), Some(Shape { kind: Kind::VectorReduce, .. }))
            && state.node(0).ty == of.element();
        match op {
            _ if is_own || !of.is_bool() => {}
            Val::Handle(name) if name.ends_with("::And") || name.ends_with("::Or") => {}
            Val::Handle(name) if name.starts_with("VectorReduce::") => {
                return Err(Unmade::Crash(format!("of truth values by {name}")));
            }
            _ => return Err(Unmade::Unsupported("a reduction of truth values".into())),
        }
        if of.code == Code::Handle {
            return Err(Unmade::Crash("of addresses".into()));
        }
        let op = self.made_field(Role::Opaque, Some(op), state);
        Ok((of.element(), vec![op, Field::Expr(node), Field::Lanes]))
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
